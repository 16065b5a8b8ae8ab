"""Loads of a mechanism, ready for its equations: what they act on by index, and every number named.

The numbers of loads are parameters like all others (`coil.stiffness`, `gas.amount`, `drive.rotor_inertia`); formulas
and tables belong to the structure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from linkwork.equations.vectors import Vector
from linkwork.errors import Problem
from linkwork.model.amounts import ELONGATION, ELONGATION_RATE, TIME, Amount, Formula, Steady, Tabulated, variable_in
from linkwork.model.joints import Law
from linkwork.model.layout import Layout
from linkwork.model.loads import Direction, Force, Friction, InSpace, JointLoad, Load, Motor, OnBody, Spring, Torque
from linkwork.model.mechanism import Mechanism
from linkwork.model.variables import full_name

Source = tuple[Literal["t", "y", "w", "x", "v", "state", "number"], int]
"""Time, a variable, a rate, a spring's own elongation and its rate, a named state, or a number of one."""


@dataclass(frozen=True)
class AmountPlan:
    """A formula or a table and where its arguments come from; without one, the amount is a parameter."""

    law: Formula | Tabulated | None
    sources: tuple[Source, ...] = ()


def _of_amount(amount: AmountPlan | None) -> tuple[str, ...]:
    return ("amount",) if amount is not None and amount.law is None else ()


class _OneAmount:
    """A load whose only number is its amount."""

    amount: AmountPlan

    @property
    def numbers(self) -> tuple[str, ...]:
        """Its parameters."""
        return _of_amount(self.amount)


@dataclass(frozen=True)
class Along:
    """A joint variable: its places among all variables and among all rates."""

    y: int
    w: int


@dataclass(frozen=True)
class DirectionPlan:
    """A direction in space (link -1), in a link, or from one point to another (indices of marks)."""

    link: int = -1
    start: int = -1
    end: int = -1

    @property
    def between(self) -> bool:
        """Whether two points tell it."""
        return self.start >= 0


@dataclass(frozen=True)
class SpringPlan:
    """A spring along a variable, or between two marks."""

    name: str
    along: Along | None
    first: int
    second: int
    law: AmountPlan | None

    @property
    def numbers(self) -> tuple[str, ...]:
        """Its parameters."""
        return ("stiffness", "free", "damping", "preload", *_of_amount(self.law))


@dataclass(frozen=True)
class FrictionPlan:
    """Friction along a variable; `normal` where a coefficient tells its level."""

    name: str
    along: Along
    exact: bool
    normal: AmountPlan | None

    @property
    def numbers(self) -> tuple[str, ...]:
        """Its parameters."""
        level = ("forward", "backward") if self.normal is None else ("coefficient", "radius")
        turning = ("static",) if self.exact else ("speed",)
        return ("viscous", *level, *turning, *_of_amount(self.normal))


@dataclass(frozen=True)
class MotorPlan:
    """Rotor, bearings and gear of a motor."""

    name: str
    along: Along
    numbers = ("ratio", "rotor_inertia", "damping", "friction_forward", "friction_backward")


@dataclass(frozen=True)
class ForcePlan(_OneAmount):
    """A force on a mark."""

    name: str
    mark: int
    direction: DirectionPlan
    amount: AmountPlan


@dataclass(frozen=True)
class TorquePlan(_OneAmount):
    """A torque on a link."""

    name: str
    link: int
    direction: DirectionPlan
    amount: AmountPlan


@dataclass(frozen=True)
class PushPlan(_OneAmount):
    """A force or torque along a variable."""

    name: str
    along: Along
    amount: AmountPlan


@dataclass(frozen=True)
class FieldPlan:
    """What gravity adds over time along one axis."""

    name: str
    axis: int
    amount: AmountPlan
    numbers = ()


LoadPlan = SpringPlan | FrictionPlan | MotorPlan | ForcePlan | TorquePlan | PushPlan | FieldPlan


@dataclass(frozen=True)
class Places:
    """What loads refer to, by name: variables, points and links; states, and numbers of states."""

    joints: Mapping[str, Any]
    along: Mapping[str, Along]
    marks: Mapping[str, int]
    links: Mapping[str, int]
    states: Mapping[str, int] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)

    def variable(self, name: str) -> Along:
        """A variable by the name that a load has for it."""
        return self.along[full_name(self.joints, name)]

    def amount(self, amount: Amount) -> AmountPlan:
        """An amount with its arguments found."""
        if isinstance(amount, Steady):
            return AmountPlan(None)
        sources: list[Source] = []
        for name in amount.names:
            if name in self.numbers:
                sources.append(("number", self.numbers[name]))
            elif name in self.states:
                sources.append(("state", self.states[name]))
            elif name == TIME and full_name(self.joints, name) not in self.along:
                sources.append(("t", 0))
            elif name in (ELONGATION, ELONGATION_RATE) and full_name(self.joints, name) not in self.along:
                sources.append(("x", 0) if name == ELONGATION else ("v", 0))
            else:
                variable = variable_in(name)
                place = self.variable(variable)
                sources.append(("y", place.y) if variable == name else ("w", place.w))
        return AmountPlan(amount, tuple(sources))

    def direction(self, direction: Direction) -> DirectionPlan:
        """A direction with what it is tied to found."""
        if isinstance(direction, InSpace):
            return DirectionPlan()
        if isinstance(direction, OnBody):
            return DirectionPlan(self.links[direction.body])
        return DirectionPlan(-1, self.marks[direction.start], self.marks[direction.end])


def plan_loads(m: Mechanism, places: Places) -> tuple[LoadPlan, ...]:
    """Plans of all loads, motors and laws of gravity, in the order in which they were declared."""
    plans: list[LoadPlan] = [_planned(load, places) for load in m.loads.values()]
    plans += [MotorPlan(motor.name, places.variable(motor.variable)) for motor in m.motors.values()]
    plans += [
        FieldPlan(f"gravity.{axis}", "xyz".index(axis), places.amount(law)) for axis, law in m.gravity_laws.items()
    ]
    return tuple(plans)


def _planned(load: Load, places: Places) -> LoadPlan:
    match load:
        case Spring():
            along = None if load.variable is None else places.variable(load.variable)
            first, second = (-1 if p is None else places.marks[p] for p in (load.first, load.second))
            law = None if load.law is None else places.amount(load.law)
            return SpringPlan(load.name, along, first, second, law)
        case Friction():
            normal = None if load.normal is None else places.amount(load.normal)
            return FrictionPlan(load.name, places.variable(load.variable), load.form == "exact", normal)
        case Force():
            direction = places.direction(load.along)
            return ForcePlan(load.name, places.marks[load.point], direction, places.amount(load.amount))
        case Torque():
            return TorquePlan(
                load.name, places.links[load.body], places.direction(load.about), places.amount(load.amount)
            )
        case JointLoad():
            return PushPlan(load.name, places.variable(load.variable), places.amount(load.amount))


def exact_frictions(plans: Sequence[LoadPlan]) -> list[FrictionPlan]:
    """Frictions that stick and slip, in the order of the plan."""
    return [plan for plan in plans if isinstance(plan, FrictionPlan) and plan.exact]


def amounts_of(plan: LoadPlan) -> list[AmountPlan]:
    """The amounts of a load."""
    amounts = [getattr(plan, key, None) for key in ("law", "normal", "amount")]
    return [a for a in amounts if isinstance(a, AmountPlan)]


def is_timed(plans: Sequence[LoadPlan]) -> bool:
    """Whether some amount depends on time."""
    return any(("t", 0) in amount.sources for plan in plans for amount in amounts_of(plan))


def with_formulas(plans: Sequence[LoadPlan]) -> list[LoadPlan]:
    """Loads with a formula, which may have no value at some states; tables and numbers always have one."""
    return [plan for plan in plans if any(isinstance(amount.law, Formula) for amount in amounts_of(plan))]


def feel_cuts(plans: Sequence[LoadPlan], nq: int, nv: int) -> bool:
    """Whether some load acts along a joint outside the tree, or depends on one."""
    for plan in plans:
        along = getattr(plan, "along", None)
        if isinstance(along, Along) and along.w >= nv:
            return True
        for key in ("law", "normal", "amount"):
            amount = getattr(plan, key, None)
            if isinstance(amount, AmountPlan) and any(k >= {"y": nq, "w": nv}.get(s, k + 1) for s, k in amount.sources):
                return True
    return False


# ---------------------------------------------------------------- numbers


def load_parameters(
    m: Mechanism, plans: Sequence[LoadPlan], layout: Layout, layout_value: Callable[[str], float]
) -> dict[str, float]:
    """Numbers of all loads and motors by name, SI; a spring's free length is that of the layout unless given."""
    p: dict[str, float] = {}
    records: dict[str, Load | Motor] = {**m.loads, **m.motors}
    for plan in plans:
        if not isinstance(plan, FieldPlan):
            record = records[plan.name]
            for key in plan.numbers:
                p[f"{plan.name}.{key}"] = float(_number(record, key, layout, layout_value))
            direction = record.along if isinstance(record, Force) else getattr(record, "about", None)
            if isinstance(direction, InSpace | OnBody):
                unit = np.array(direction.vector) / np.linalg.norm(direction.vector)
                p |= {f"{plan.name}.along.{c}": float(x) for c, x in zip("xyz", unit, strict=True)}
    return p


def _number(record: Load | Motor, key: str, layout: Layout, layout_value: Callable[[str], float]) -> float:
    if key == "amount":
        amounts = {Spring: "law", Friction: "normal"}
        steady = getattr(record, amounts.get(type(record), "amount"))
        return float(steady.value)
    if key == "free" and isinstance(record, Spring) and record.free is None:
        if record.variable is not None:
            return layout_value(record.variable)
        return float(np.linalg.norm(layout.points[str(record.first)] - layout.points[str(record.second)]))
    return float(getattr(record, key))


@dataclass(frozen=True)
class LoadConstants:
    """Numbers of a load in the order of its plan's `numbers`, and its direction (in a link's frame if it is tied)."""

    numbers: tuple[Any, ...]
    direction: Vector


def load_constants(
    plan: LoadPlan, parameters: Mapping[str, Any], into_link: Callable[[int, Vector], Vector]
) -> LoadConstants:
    """Constants of one load.

    into_link : turns a direction of the layout into the frame of a link
    """
    numbers = tuple(parameters[f"{plan.name}.{key}"] for key in plan.numbers)
    key = f"{plan.name}.along"
    if f"{key}.x" not in parameters:
        return LoadConstants(numbers, (0.0, 0.0, 0.0))
    vector = (parameters[f"{key}.x"], parameters[f"{key}.y"], parameters[f"{key}.z"])
    assert isinstance(plan, ForcePlan | TorquePlan)
    return LoadConstants(numbers, into_link(plan.direction.link, vector))


def plain_places(slots: Sequence[tuple[str, Law, slice, slice]]) -> dict[str, Along]:
    """Places of the variables that have a rate of their own, by full name."""
    from linkwork.model.variables import plain_variables

    return {
        f"{joint}.{variable.name}": Along(q.start + k, v.start + k)
        for joint, law, q, v in slots
        for k, variable in enumerate(plain_variables(law))
    }


# ---------------------------------------------------------------- numbers that are changed later

_LEAST = dict.fromkeys(
    (
        "damping",
        "viscous",
        "forward",
        "backward",
        "coefficient",
        "rotor_inertia",
        "friction_forward",
        "friction_backward",
    ),
    0.0,
) | {"static": 1.0}
_POSITIVE = ("speed", "radius")


def unfit_numbers(plans: Sequence[LoadPlan], values: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with new numbers of loads (numbers or arrays by parameter): not finite, below their least."""
    problems: list[Problem] = []
    for plan in plans:
        for key in (*plan.numbers, "along.x", "along.y", "along.z"):
            if (x := values.get(f"{plan.name}.{key}")) is None:
                continue
            where = f"parameters.{plan.name}.{key}"
            if not np.isfinite(x).all():
                problems.append(Problem("not a finite number", where))
            elif key in _LEAST and np.any(np.asarray(x) < _LEAST[key]):
                problems.append(Problem(f"below {_LEAST[key]:g}", where, f"give {_LEAST[key]:g} or more"))
            elif key in _POSITIVE and np.any(np.asarray(x) <= 0.0):
                problems.append(Problem("not positive", where))
            elif key == "ratio" and np.any(np.asarray(x) == 0.0):
                problems.append(Problem("a gear of ratio 0 moves nothing", where))
        own = [values[key] for c in "xyz" if (key := f"{plan.name}.along.{c}") in values]
        if own:
            length: Any = sum(np.square(np.asarray(x)) for x in own) if len(own) == 3 else np.nan
            if not np.all(np.abs(length - 1.0) < 1e-9):
                hint = "give all three, of length 1"
                problems.append(Problem("a direction is changed as a whole", f"parameters.{plan.name}.along", hint))
    return problems
