"""What options say: values and laws of joint variables by name; every problem is collected and told at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from linkwork.drives import Drive, parse_drive
from linkwork.drives.drive_texts import is_range_alone
from linkwork.errors import InputError, ModelError, Problem
from linkwork.model.joints import Free, Law
from linkwork.model.states import unit_dimension
from linkwork.names import NameBook, joint_names, no_such
from linkwork.units import ANGLE, LENGTH, NUMBER, TIME, Dimension, format_quantity, parse_quantity

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.units import UnitSystem

T = TypeVar("T")
QUATERNION = ("qw", "qx", "qy", "qz")


class Problems:
    """Collects what is wrong with the options of a command."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def note(self, what: str, where: str, hint: str) -> None:
        """One problem."""
        self.found.append(Problem(what, where, hint))

    def reading(self, where: str, read: Callable[[], T]) -> T | None:
        """What was read; None with its problems noted, told with the option that has them."""
        try:
            return read()
        except ModelError as error:
            self.found += [replace(p, where=where) for p in error.problems]
            return None

    def done(self, source: str) -> None:
        """Raises everything that was found."""
        if self.found:
            raise InputError(self.found, source)


class Variables:
    """Joint variables of a machine, by full name or by the joint's where it has only one, and coordinates of places.

    machine : the machine; units : of numbers without a unit; problems : where wrong texts go
    """

    def __init__(self, machine: Machine, units: UnitSystem, problems: Problems) -> None:
        joints = machine.mechanism.owners
        floating = {n.rpartition(".")[0] for n in machine.variables} - set(joints)
        self.laws: dict[str, Law] = {name: joint.law for name, joint in joints.items()}
        self.laws |= {body: Free() for body in sorted(floating)}  # a floating body's freedoms are under its own name
        self.machine, self.units, self.problems = machine, units, problems
        self.everything: dict[str, Dimension] = {
            f"{joint}.{v.name}": v.quantity for joint, law in self.laws.items() for v in law.variables
        }
        self.dimensions: dict[str, Dimension] = {
            f"{joint}.{v.name}": v.quantity
            for joint, law in self.laws.items()
            for v in law.variables
            if law.rates is None or v.name not in QUATERNION
        }
        plain = {j: sum(f"{j}.{v.name}" in self.dimensions for v in law.variables) for j, law in self.laws.items()}
        self.book = NameBook(
            joint_names({j: (law.kind, [v.name for v in law.variables], plain[j]) for j, law in self.laws.items()})
        )
        m = machine.mechanism
        places = [n for n in (*m.points, *m.frames, *m.bodies) if n not in self.laws and n != m.ground.name]
        self.coordinates: dict[str, Dimension] = {f"{place}.{c}": LENGTH for place in places for c in "xyz"}
        known = next(iter(self.dimensions.items()), ("A", ANGLE))
        self._example = (known[0] if len(self._own(known[0])) > 1 else known[0].partition(".")[0], known[1])

    def _own(self, full: str) -> list[str]:
        joint = full.rpartition(".")[0]
        return [f"{joint}.{v.name}" for v in self.laws[joint].variables] if joint in self.laws else []

    def si_units(self) -> dict[str, str]:
        """Units of the numbers in JSON, by the full names of the variables."""
        return {f"{joint}.{v.name}": v.unit for joint, law in self.laws.items() for v in law.variables}

    def specified(self, name: str, where: str) -> tuple[str, Dimension] | None:
        """Full name and dimension of a variable, or of a coordinate of a place: P.x; None with the problem noted."""
        if name in self.coordinates:
            return name, LENGTH
        from linkwork.analyses.kinematics.given_values import unknown_coordinate

        if name not in self.dimensions and self.book.find(name, "variable") is None:
            wrong = unknown_coordinate(self.machine.loops, name, where)
            if wrong is not None:
                self.problems.found.append(wrong)
                return None
        full = self.full(name, where)
        return None if full is None else (full, self.dimensions[full])

    def known_as(self, name: str) -> str:
        """The full name of a single variable; any other name as it is."""
        found = None if name in self.dimensions else self.book.find(name, "variable")
        return name if found is None else found.name

    def full(self, name: str, where: str) -> str | None:
        """The full name of a single variable; None with the problem noted."""
        if name in self.dimensions:
            return name
        found = self.book.find(name, "variable")
        if found is None:
            self.problems.found.append(self.book.unknown(name, "variable", where=where))
            return None
        return found.name

    def values(self, texts: Sequence[str], option: str) -> dict[str, Any]:
        """Values by full name from texts such as "A=30deg"; a joint of several takes them all, "S=1, 0, 0, 0"."""
        found: dict[str, Any] = {}
        for name, text, where in self.pairs(texts, option, self._value_example()):
            law = self.laws.get(name)
            if law is not None and len(law.variables) > 1 and "," in text:
                self._keep(found, name, self._several(law, text, where), where)
            elif known := self.specified(name, where):
                self._keep(found, known[0], self._quantity(text, known[1], where), where)
        return found

    def states(self, texts: Sequence[str]) -> dict[str, float]:
        """Named states by name from texts such as "i=0.5 A"; numbers without a unit are in that of the state."""
        found: dict[str, float] = {}
        states = self.machine.mechanism.states
        for name, text, where in self.pairs(texts, "--state", "i=0.5 A"):
            if name not in states:
                self.problems.found.append(no_such("state", name, states, where, none="the model has no states"))
                continue
            dimension = unit_dimension(states[name].unit, "")
            value = self.problems.reading(where, lambda t=text, d=dimension: parse_quantity(t, d))  # type: ignore[misc]
            self._keep(found, name, value, where)
        return found

    def laws_of_time(
        self, drives: Sequence[str], speeds: Sequence[str], duration: str | None
    ) -> dict[str, tuple[str, Drive]]:
        """Laws by full name, each as text too, from texts such as "A=0:360deg", speeds for those that are ranges.

        A range that tells neither a speed nor a duration lasts as long as the motion.
        """
        name, value = self._value_example().split("=")
        example = f"{name}=0:{value}"
        given = self._speeds(speeds, example)
        found: dict[str, tuple[str, Drive]] = {}
        for name, text, where in self.pairs(drives, "--drive", example):
            known = self.specified(name, where)
            if known is None:
                continue
            full, dimension = known
            range_alone = is_range_alone(text)
            if full in given:
                if not range_alone:
                    what = f"{full} is driven by '{text}', which a speed does not go with"
                    self.problems.note(what, f"--speed {full}", f"give a range alone, such as --drive '{example}'")
                text = f"{text} @ {given[full]}" if range_alone else text
            elif duration is not None and range_alone:
                text = f"{text} in {duration}"
            law = self.problems.reading(where, lambda t=text, d=dimension: parse_drive(t, d, "", self.units))  # type: ignore[misc]
            self._keep(found, full, None if law is None else (text, law), where)
        for full in sorted(set(given) - set(found)):
            if not any(p.where.startswith("--drive") for p in self.problems.found):
                self.problems.note(
                    f"{full} has a speed, but is not driven", f"--speed {full}", f"add --drive '{example}'"
                )
        return found

    def _speeds(self, texts: Sequence[str], example: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, text, where in self.pairs(texts, "--speed", f"{example.partition('=')[0]}=60rpm"):
            known = self.specified(name, where)
            if known and self._quantity(text, known[1] / TIME, where) is not None:
                self._keep(found, known[0], text, where)
        return found

    def time(self, text: str, where: str) -> float | None:
        """A time [s]."""
        return self._quantity(text, TIME, where)

    def shown(self, name: str, value: Any) -> str:
        """A value of a variable with its unit; those of a joint that has several as they are."""
        dimension = self.dimensions.get(name, self.coordinates.get(name))
        if dimension is None:
            return ", ".join(f"{x:.6g}" for x in value)
        return format_quantity(value, dimension, self.units)

    def duration(self, text: str | None) -> float | None:
        """A time [s]."""
        if text is None:
            return None
        found = self._quantity(text, TIME, "--duration")
        if found is not None and found <= 0.0:
            self.problems.note(f"a duration of '{text}'", "--duration", "give one above zero, such as '2s'")
            return None
        return found

    def _value_example(self) -> str:
        name, dimension = self._example
        amount = {ANGLE: "30deg", LENGTH: f"10{self.units.length}", NUMBER: "0.5"}[dimension]
        return f"{name}={amount}"

    def pairs(self, texts: Iterable[str], option: str, example: str) -> list[tuple[str, str, str]]:
        """Name, text and option of every "name=text"."""
        found = []
        for each in texts:
            name, equals, text = (part.strip() for part in each.partition("="))
            if equals and name and text:
                found.append((name, text, f"{option} {name}"))
            else:
                self.problems.note(
                    f"'{each}' is not of the form name=value", option, f"for example {option} '{example}'"
                )
        return found

    def _quantity(self, text: str, dimension: Dimension, where: str) -> float | None:
        return self.problems.reading(where, lambda: parse_quantity(text, dimension, self.units))

    def _several(self, law: Law, text: str, where: str) -> list[float] | None:
        parts = text.split(",")
        names = ", ".join(v.name for v in law.variables)
        if len(parts) != len(law.variables):
            self.problems.note(f"{len(parts)} values for {len(law.variables)} variables", where, f"give {names}")
            return None
        read = [self._quantity(p, v.quantity, where) for p, v in zip(parts, law.variables, strict=True)]
        return None if None in read else [x for x in read if x is not None]

    def _keep(self, found: dict[str, Any], name: str, value: Any, where: str) -> None:
        if name in found:
            self.problems.note(f"'{name}' is given twice", where, "give it once")
        elif value is not None:
            found[name] = value
