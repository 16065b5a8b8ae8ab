"""Options that say where a target should be and how it should be turned: goals from texts, in the units of the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from linkwork.errors import InputError, Problem
from linkwork.units import ANGLE, LENGTH, NUMBER, Dimension, UnitSystem, parse_quantity

if TYPE_CHECKING:
    from linkwork.analyses.robots.goal_kinds import Goal
    from linkwork.cli.option_values import Problems

AXES = ("x", "y", "z", "-x", "-y", "-z")
PLACES = ("place", "cylindrical", "spherical")


class Goals:
    """Goals from options.

    units : of numbers without a unit; problems : where wrong texts go
    """

    def __init__(self, units: UnitSystem, problems: Problems) -> None:
        self.units, self.problems = units, problems

    def place(self, kind: str, text: str) -> list[Goal]:
        """A place in one of the kinds of coordinates; `-` for one that does not matter."""
        from linkwork.analyses.robots import goals

        measures = {
            "place": (LENGTH,) * 3,
            "cylindrical": (LENGTH, ANGLE, LENGTH),
            "spherical": (LENGTH, ANGLE, ANGLE),
        }[kind]
        values = self.numbers(text, measures, f"--{kind}", gaps=True)
        return [] if values is None else self._made(f"--{kind}", getattr(goals, kind), tuple(values))

    def attitude(self, way: str, text: str) -> list[Goal]:
        """Full attitude by angles or by a quaternion."""
        from linkwork.analyses.robots import goals

        values = self.numbers(text, (NUMBER,) * 4 if way == "quaternion" else (ANGLE,) * 3, f"--{way}")
        return [] if values is None else self._made(f"--{way}", goals.attitude, **{way: values})

    def pointing(self, text: str, spin: str | None) -> list[Goal]:
        """An axis of the target along a direction: "z = -z", "z = 0, 1, 1"."""
        from linkwork.analyses.robots import goals

        axis, _, along = (part.strip() for part in text.partition("="))
        if axis not in AXES or not along:
            what = f"'{text}' is no axis along a direction"
            self.problems.note(what, "--pointing", "such as --pointing z=-z, or --pointing 'z = 0, 1, 1'")
            return []
        wanted: Any = along if along in AXES else self.numbers(along, (NUMBER,) * 3, "--pointing")
        turn = None if spin is None else self._number(spin, ANGLE, "--spin")
        if wanted is None or (spin is not None and turn is None):
            return []
        return self._made("--pointing", goals.pointing, axis, wanted, turn)

    def _made(self, where: str, make: Any, *values: Any, **named: Any) -> list[Goal]:
        goal = self.problems.reading(where, lambda: make(*values, **named))
        return [] if goal is None else [goal]

    def numbers(self, text: str, measures: Sequence[Dimension], where: str, gaps: bool = False) -> list[Any] | None:
        """Numbers with units, as many as there are measures; None with the problems noted."""
        parts = [part.strip() for part in text.split(",")]
        if len(parts) != len(measures):
            self.problems.note(f"{len(measures)} numbers are wanted, not '{text}'", where, "separate them by commas")
            return None
        found: list[Any] = []
        for part, measure in zip(parts, measures, strict=True):
            found.append(None if gaps and part == "-" else self._number(part, measure, where))
        wrong = any(x is None and not (gaps and part == "-") for x, part in zip(found, parts, strict=True))
        return None if wrong else found

    def _number(self, text: str, measure: Dimension, where: str) -> float | None:
        return self.problems.reading(where, lambda: parse_quantity(text, measure, self.units))


def nothing_wanted(source: str) -> InputError:
    """The error of a question without a goal."""
    hint = "give --place, --cylindrical or --spherical, --pointing, --rpy, --xyx or --quaternion"
    return InputError(Problem("no goal is given", "reach", hint), source)
