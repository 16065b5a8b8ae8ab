"""Options that say what drives a machine and what acts on it, shared by the commands that ask for forces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.errors import ModelError, Problem
from linkwork.names import no_such
from linkwork.units import ANGLE, FORCE, LENGTH, NUMBER, SI, TORQUE, Dimension, parse_quantity
from linkwork.units.efforts import effort_units

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.cli.case_options import Asked
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.model.mechanism import Mechanism

DriveNames = Annotated[
    list[str] | None,
    typer.Option(
        "--drives",
        metavar="NAMES",
        help="Joints that drive, --drives A,B; by default those that are moved or held. More than there are freedoms "
        "share the work with the least sum of squares.",
        show_default=False,
    ),
]
EffortTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--effort",
        metavar="NAME=EFFORT",
        help="Force or torque that acts along another joint, --effort 'B=5 N m'; again for others. Numbers without a "
        "unit are in N and N m, or in the force that the file names.",
        show_default=False,
    ),
]
PreloadTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--preload",
        metavar="NAME=EFFORT",
        help="Of drives that share the work: an effort from which this one departs as little as it can, "
        "--preload 'A=2 N m'; again for others.",
        show_default=False,
    ),
]
WeightTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--weight",
        metavar="NAME=NUMBER",
        help="Of drives that share the work: what effort of this one costs beside the others, --weight A=4; again for "
        "others. 1 by default.",
        show_default=False,
    ),
]
ExternalTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--external",
        metavar="NAME=FORCE",
        help="Force on a point, along x, y, z in space, --external 'P=0,0,-100 N'; on a body or frame a moment may "
        "follow, --external 'rod=0,0,-100 N, 0,5,0 N m'; again for others.",
        show_default=False,
    ),
]
StateTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--state",
        metavar="NAME=VALUE",
        help="Where a state of the model is, --state 'i=0.5 A'; again for others. What is not given is as the file "
        "says that it begins; a simulation that was saved has its own.",
        show_default=False,
    ),
]

_OPTIONS = {"drives": "--drives", "efforts": "--effort", "preload": "--preload", "weights": "--weight"}
_OPTIONS |= {"external": "--external", "states": "--state"}
"""What the parameters of the analyses are called on the command line."""


@dataclass(frozen=True)
class Acting:
    """What drives and what acts, by name, in SI, as the analyses take it; None where nothing was said."""

    drives: list[str] | None
    efforts: dict[str, float] | None
    preload: dict[str, float] | None
    weights: dict[str, float] | None
    external: dict[str, list[float]] | None
    states: dict[str, float] | None

    @property
    def said(self) -> dict[str, Any]:
        """Parameters that were given."""
        return {key: value for key, value in vars(self).items() if value is not None}

    def under(self, asked: Asked, variables: Variables) -> Acting:
        """The same, with what a case says where nothing was given."""
        if asked.case is None:
            return self
        said = asked.case.acting()
        found: dict[str, Any] = {}
        for key, option in (("efforts", "--effort"), ("external", "--external"), ("states", "--state")):
            found[key] = asked.under(option, said[key] or {}, getattr(self, key) or {}, variables) or None
        return replace(self, **found)


def acting(
    machine: Machine,
    variables: Variables,
    drives: Sequence[str] | None,
    effort: Sequence[str] | None,
    preload: Sequence[str] | None,
    weight: Sequence[str] | None,
    external: Sequence[str] | None,
    state: Sequence[str] | None,
) -> Acting:
    """What the options say; problems are noted where the variables note theirs."""
    read = _Reading(machine, variables)
    return Acting(
        read.names(drives) if drives else None,
        read.efforts(effort, "--effort") if effort else None,
        read.efforts(preload, "--preload") if preload else None,
        read.weights(weight) if weight else None,
        read.external(external) if external else None,
        variables.states(state) if state else None,
    )


def idle_problems(m: Mechanism, acts: Acting, moving: bool) -> list[Problem]:
    """What makes all forces zero, and may have been forgotten.

    moving : whether masses resist
    """
    if not any(body.mass for body in m.bodies.values() if body is not m.ground):
        return [Problem("no body has mass", hint="only loads and forces from outside count", severity="warning")]
    gravity = any(m.gravity) or m.gravity_laws
    if moving or gravity or m.loads or acts.efforts or acts.external or acts.preload:
        return []
    hint = "give gravity or loads in the file, or --external"
    return [Problem("nothing acts: there is no gravity and no load", hint=hint, severity="warning")]


@contextmanager
def as_options(options: Mapping[str, str] = _OPTIONS) -> Iterator[None]:
    """Problems of parameters are told with the options that they came from."""
    try:
        yield
    except ModelError as error:
        raise type(error)([_of_option(p, options) for p in error.problems], error.source) from None
    except ClosureError as error:
        raise type(error)(_of_option(error.problem, options), error.source, error.reached, error.limit) from None


def _of_option(problem: Problem, options: Mapping[str, str]) -> Problem:
    parameter, _, name = problem.where.partition(".")
    option = options.get(parameter)
    return problem if option is None else replace(problem, where=f"{option} {name}".strip())


class _Reading:
    def __init__(self, machine: Machine, variables: Variables) -> None:
        self.machine, self.variables = machine, variables
        self.problems: Problems = variables.problems
        self.units = effort_units(variables.units)

    def names(self, texts: Sequence[str]) -> list[str]:
        """Variables or rates from texts such as "A,B"."""
        asked = [name.strip() for text in texts for name in text.split(",")]
        found = [self._rate(name, f"--drives {name}".strip()) for name in dict.fromkeys(asked)]
        return [name for name in found if name]

    def _rate(self, name: str, where: str) -> str | None:
        """A joint with one variable, a variable, or a rate of a joint that turns freely."""
        return name if name in self.machine.variable_rates else self.variables.full(name, where)

    def _effort(self, full: str) -> Dimension:
        along = self.variables.dimensions.get(full)
        if along is None:  # a rate of a joint that turns freely: S.wx, or F.vx
            along = LENGTH if full.rpartition(".")[2].startswith("v") else ANGLE
        from linkwork.model.measures import effort_along

        return effort_along(along)

    def efforts(self, texts: Sequence[str], option: str) -> dict[str, float]:
        """Efforts from texts such as "B=5 N m"."""
        found: dict[str, float] = {}
        for name, text, where in self.variables.pairs(texts, option, "A=5 N m"):
            if full := self._rate(name, where):
                self._keep(found, full, text, self._effort(full), where)
        return found

    def weights(self, texts: Sequence[str]) -> dict[str, float]:
        """Plain numbers from texts such as "A=2"."""
        found: dict[str, float] = {}
        for name, text, where in self.variables.pairs(texts, "--weight", "A=2"):
            if full := self._rate(name, where):
                self._keep(found, full, text, NUMBER, where)
        return found

    def _keep(self, found: dict[str, float], name: str, text: str, dimension: Dimension, where: str) -> None:
        value = self.problems.reading(where, lambda: parse_quantity(text, dimension, self.units))
        if name in found:
            self.problems.note(f"'{name}' is given twice", where, "give it once")
        elif value is not None:
            found[name] = value

    def external(self, texts: Sequence[str]) -> dict[str, list[float]]:
        """Three numbers of a force, six of force and moment, from texts such as "P=0,0,-100 N"."""
        m = self.machine.mechanism
        places = [*m.points, *m.frames, *m.bodies]
        found: dict[str, list[float]] = {}
        for name, text, where in self.variables.pairs(texts, "--external", "P=0,0,-100 N"):
            if name not in places:
                moving = [p for p in places if p != m.ground.name]
                self.problems.found.append(no_such("point, frame or body", name, moving, where))
                continue
            if name == m.ground.name:
                self.problems.note(f"'{name}' stands still", where, "name a point, frame or body that moves")
                continue
            parts = [part.strip() for part in text.replace(";", ",").split(",")]
            sizes = (3,) if name in m.points else (3, 6)
            if len(parts) not in sizes:
                hint = "give a force along x, y and z: 0,0,-100 N"
                hint += "" if name in m.points else ", and a moment after it: 0,0,-100 N, 0,5,0 N m"
                self.problems.note(f"{len(parts)} number{'s' * (len(parts) != 1)}", where, hint)
                continue
            read = self._vector(parts[:3], FORCE, where) + self._vector(parts[3:], TORQUE, where)
            if name in found:
                self.problems.note(f"'{name}' is given twice", where, "add the forces up")
            elif len(read) == len(parts):
                found[name] = read
        return found

    def _vector(self, parts: list[str], dimension: Dimension, where: str) -> list[float]:
        """Numbers of one vector; the unit after the last counts for those that have none."""
        unit = parts[-1].lstrip("+-−.0123456789eE ") if parts else ""
        texts = [f"{p} {unit}" if unit and _is_bare(p) else p for p in parts]
        read = [self.problems.reading(where, lambda t=t: parse_quantity(t, dimension, self.units)) for t in texts]  # type: ignore[misc]
        return [x for x in read if x is not None]


def _is_bare(text: str) -> bool:
    """Whether a text is a number without a unit."""
    try:
        parse_quantity(text, NUMBER, SI)
    except ModelError:
        return False
    return True
