"""What a case means for a mechanism: its texts as numbers, laws and events in SI; all that is wrong at once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from linkwork.drives import Drive
from linkwork.drives.drive_texts import is_range_alone, parse_drive
from linkwork.errors import ModelError, Problem
from linkwork.model.cases import Case
from linkwork.model.effort_texts import Effort, read_effort
from linkwork.model.event_texts import Happenings
from linkwork.model.events import Event
from linkwork.model.joints.lower_pairs import QUATERNION
from linkwork.model.loads.load import numbers_of
from linkwork.model.measures import effort_along, parameter_measures
from linkwork.model.mechanism import Mechanism
from linkwork.model.states import unit_dimension
from linkwork.model.text_values import in_si
from linkwork.model.variables import find_variable, names_of_joints
from linkwork.names import NameBook, no_such
from linkwork.units import FORCE, LENGTH, TIME, TORQUE, Dimension, parse_quantity
from linkwork.units.efforts import effort_units

Made = TypeVar("Made")


@dataclass
class Situation:
    """A case in SI, as the analyses take it.

    set : dimensions and parameters; limits : by joint; off : loads that do not act
    start, rates, states, drives, efforts, external, events : as of `Machine.simulate` and `Machine.motion`
    duration, until [s], samples : None where nothing is said
    """

    set: dict[str, float] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    off: tuple[str, ...] = ()
    start: dict[str, Any] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    states: dict[str, float] = field(default_factory=dict)
    drives: dict[str, Drive] = field(default_factory=dict)
    efforts: dict[str, Effort] = field(default_factory=dict)
    external: dict[str, list[float]] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    duration: float | None = None
    until: float | None = None
    samples: int | None = None


def read_case(m: Mechanism, case: Case, parameters: Collection[str] | None = None) -> tuple[Situation, list[Problem]]:
    """A case in SI, and what is wrong with it.

    parameters : names of all numbers of the machine, where they are known
    """
    read = _Reader(m, case, parameters)
    return read.situation(), read.problems


def case_problems(m: Mechanism) -> list[Problem]:
    """What is wrong with the cases of a mechanism."""
    return [problem for case in m.cases.values() for problem in read_case(m, case)[1]]


class _Reader:
    def __init__(self, m: Mechanism, case: Case, parameters: Collection[str] | None) -> None:
        self.m, self.case, self.units, self.parameters = m, case, case.units, parameters
        self.where = f"cases.{case.name}"
        self.problems: list[Problem] = []
        self.book = NameBook(names_of_joints(m.owners))
        self.lasts: float | None = None
        """How long the motion or the simulation is [s], where the case says so."""

    def part(self, make: Callable[[], Made], where: str) -> Made | None:
        """What `make` gives; None with its problems kept."""
        try:
            return make()
        except ModelError as error:
            self.problems += [replace(p, where=where) for p in error.problems]
            return None

    def situation(self) -> Situation:
        case, found = self.case, Situation(samples=self.case.samples)
        for key in ("duration", "until"):
            text = getattr(case, key)
            if text is not None:
                where = f"{self.where}.{key}"
                time = self.part(lambda t=text: parse_quantity(t, TIME, self.units), where)  # type: ignore[misc]
                if time is not None and time <= 0.0:
                    self.problems.append(Problem(f"a time of '{text}'", where, "give one above zero, such as 2 s"))
                    time = None
                setattr(found, key, time)
        self.lasts = found.duration or found.until
        found.set = self.each("set", self.parameter)
        found.limits = self.each("limits", self.limit)
        found.start = self.each("start", lambda name, x, where: self.value(self.along(name, where), x, where))
        found.rates = self.each("rates", lambda name, x, where: self.value(self.along(name, where, 1), x, where))
        found.states = self.each("states", self.state)
        found.drives = self.each("drive", self.drive)
        found.efforts = self.each("efforts", self.effort)
        found.external = self.each("external", self.force)
        unknown = [name for name in case.off if name not in self.m.loads]
        none = "the mechanism has no loads"
        self.problems += [no_such("load", name, self.m.loads, f"{self.where}.off", none=none) for name in unknown]
        found.off = tuple(name for name in case.off if name in self.m.loads)
        happening = Happenings(self.m, self.parameters, self.units)
        happening.read(case.stop, case.when, case.at, found.until, f"{self.where}." + "{}")
        self.problems += [replace(p, where=p.where.partition(" ")[0]) for p in happening.problems]
        found.events = happening.events
        return found

    def each(self, key: str, read: Callable[[str, Any, str], Any]) -> dict[str, Any]:
        """What stands under a key, by name."""
        made: dict[str, Any] = {}
        for name, value in getattr(self.case, key).items():
            where = f"{self.where}.{key}.{name}"
            before = len(self.problems)
            found = self.part(lambda n=name, v=value, w=where: read(n, v, w), where)  # type: ignore[misc]
            if len(self.problems) == before:
                made[name] = found
        return made

    # ---------------------------------------------------------------- one of each

    def along(self, name: str, where: str, order: int = 0) -> Dimension | list[Dimension]:
        """What a variable measures, all of a joint, or a coordinate of a place; its rate with order 1."""
        found = find_variable(self.m.owners, name)
        if found is not None:
            return found.quantity / TIME**order
        place, _, axis = name.rpartition(".")
        if axis in ("x", "y", "z") and (place in self.m.points or place in self.m.frames or place in self.m.bodies):
            return LENGTH / TIME**order
        joint = self.m.owners.get(name)
        if joint is not None and order == 0 and joint.law.variables:
            return [v.quantity for v in joint.law.variables]
        if (
            joint is None
            and (owner := self.m.owners.get(place)) is not None
            and any(v.name == axis for v in QUATERNION)
        ):
            return next(v.quantity for v in owner.law.variables if v.name == axis)
        raise ModelError(self.book.unknown(name, "variable", where=where))

    def value(self, measures: Dimension | list[Dimension], value: Any, where: str) -> Any:
        """A number, or as many as a joint has."""
        if isinstance(measures, list):
            items = list(value) if isinstance(value, tuple) else str(value).split(",")
            if len(items) != len(measures):
                raise ModelError(Problem(f"{len(items)} values for {len(measures)} variables", where))
            return [parse_quantity(x, d, self.units) for x, d in zip(items, measures, strict=True)]
        return self.number(value, measures, where)

    def number(self, value: Any, measures: Dimension, where: str) -> float:
        if isinstance(value, str):
            return (
                float(in_si(value, measures, where, self.units)) if value.strip() else parse_quantity(value, measures)
            )
        return parse_quantity(value, measures, self.units)

    def parameter(self, name: str, value: Any, where: str) -> float:
        """A dimension or another number of the model."""
        owner, _, key = name.partition(".")
        if name in self.m.lets:
            if formula := self.m.lets[name].formula:
                given = [n for n, let in self.m.lets.items() if not let.formula]
                raise ModelError(Problem(f"'{name}' follows from others: {formula}", where, f"set {', '.join(given)}"))
            measures = self.m.lets[name].measures
        else:
            measures = parameter_measures(self.m, name)
            known = [*self.m.lets, *(self.parameters or ())]
            if measures is None and self.parameters is not None and name not in self.parameters:
                raise ModelError(no_such("dimension or parameter", name, known, where))
            owners = (*self.m.owners, *self.m.points, *self.m.frames, *self.m.bodies, *self.m.constraints)
            owners += (*self.m.states, *self.m.loads, *self.m.motors, "gravity")
            if measures is None and owner not in owners:
                known = [*self.m.lets, *(f"{own}.{key}" if key else own for own in owners)]
                raise ModelError(no_such("dimension or parameter", name, known, where))
            numbers = self.numbers_of(owner)
            if measures is None and numbers and "." not in key:
                raise ModelError(no_such("dimension or parameter", name, numbers, where))
            if measures is None and "at" in name.split("."):
                measures = LENGTH
        if measures is None:
            return float(in_si(value, None, where))
        return self.number(value, measures, where)

    def numbers_of(self, owner: str) -> list[str]:
        """Numbers that a body or a load has by itself."""
        load = self.m.loads.get(owner) or self.m.motors.get(owner)
        if owner in self.m.bodies:
            parts = (
                "mass",
                *(f"com.{x}" for x in "xyz"),
                *(f"inertia.{xy}" for xy in ("xx", "yy", "zz", "xy", "xz", "yz")),
            )
            return [f"{owner}.{part}" for part in parts]
        return [] if load is None else [f"{owner}.{part}" for part in ("amount", *numbers_of(type(load)))]

    def limit(self, name: str, value: Any, where: str) -> tuple[float | None, float | None]:
        found = find_variable(self.m.owners, name)
        if found is None or not isinstance(value, tuple) or len(value) != 2:
            if found is None:
                raise ModelError(self.book.unknown(name, "variable", where=where))
            raise ModelError(Problem("a pair [low, high] is wanted", where))
        low, high = (None if x is None else self.number(x, found.quantity, where) for x in value)
        if low is not None and high is not None and not low < high:
            raise ModelError(Problem(f"the limits {low:g} and {high:g} leave no room", where))
        return low, high

    def state(self, name: str, value: Any, where: str) -> float:
        if name not in self.m.states:
            raise ModelError(no_such("state", name, self.m.states, where, none="the model has no states"))
        return self.number(value, unit_dimension(self.m.states[name].unit, ""), where)

    def drive(self, name: str, value: Any, where: str) -> Drive:
        measures = self.along(name, where)
        if isinstance(measures, list):
            raise ModelError(self.book.unknown(name, "variable", where=where))
        if isinstance(value, tuple):
            value = ":".join(map(str, value))
        if isinstance(value, str) and is_range_alone(value) and self.lasts is not None:
            value = f"{value} in {self.lasts:.17g} s"  # as long as the motion, as everywhere
        return parse_drive(value, measures, where, self.units)

    def effort(self, name: str, value: Any, where: str) -> Effort:
        found = find_variable(self.m.owners, name)
        if found is None:
            raise ModelError(self.book.unknown(name, "variable", where=where))
        along, units = effort_along(found.quantity), effort_units(self.units)
        return (
            read_effort(self.m, value, along, units) if isinstance(value, str) else parse_quantity(value, along, units)
        )

    def force(self, name: str, value: Any, where: str) -> list[float]:
        places = [*self.m.points, *self.m.frames, *self.m.bodies]
        if name not in places:
            raise ModelError(no_such("point, frame or body", name, places, where))
        items = list(value) if isinstance(value, tuple) else str(value).split(",")
        if len(items) not in ((3,) if name in self.m.points else (3, 6)):
            raise ModelError(Problem(f"{len(items)} numbers", where, "give a force along x, y and z: [0, 0, -100 N]"))
        units = effort_units(self.units)
        return [parse_quantity(x, FORCE if k < 3 else TORQUE, units) for k, x in enumerate(items)]
