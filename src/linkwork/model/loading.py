"""From what users write to the records of loads: each checked by itself, all its problems at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from linkwork.errors import ModelError, Problem
from linkwork.model.amounts import ELONGATION_RATE, TIME, Amount, Formula, Steady, Tabulated, amount
from linkwork.model.entry import body_name
from linkwork.model.loads import (
    Direction,
    Force,
    Friction,
    InSpace,
    JointLoad,
    Load,
    Motor,
    OnBody,
    Spring,
    Torque,
    Toward,
)
from linkwork.model.parts import Joint, Point, checked_name
from linkwork.model.variables import full_name
from linkwork.model.vectors import Vector, direction, number, vector

Made = TypeVar("Made")

SECTIONS: dict[type[Load], str] = {
    Spring: "springs",
    Friction: "friction",
    Force: "forces",
    Torque: "torques",
    JointLoad: "loads",
}
"""Where each kind of load stands in a model file, and in the places that problems name."""


def section_of(load: Load | Motor) -> str:
    """The section of a model file where a load or motor stands."""
    if isinstance(load, Motor):
        return "motors"
    return "dampers" if isinstance(load, Spring) and is_damper(load) else SECTIONS[type(load)]


def is_damper(spring: Spring) -> bool:
    """Whether a spring only resists motion: damping, or a law of its rate, and nothing else."""
    if spring.stiffness or spring.preload or spring.free is not None:
        return False
    of_rate = spring.law is not None and not isinstance(spring.law, Steady) and spring.law.names == (ELONGATION_RATE,)
    return of_rate or (spring.law is None and spring.damping != 0.0)


def place_of(load: Load | Motor) -> str:
    """Where a load or motor is, as problems call it: `springs.coil`."""
    return f"{section_of(load)}.{load.name}"


def amounts_of(load: Load | Motor) -> dict[str, Amount]:
    """The amounts of a load, by the key under which they are given."""
    given = {key: getattr(load, key, None) for key in ("law", "normal", "amount")}
    return {key: amount for key, amount in given.items() if amount is not None}


def names_of(load: Load | Motor) -> tuple[str, ...]:
    """What a load depends on besides what it acts along, as its formulas and tables call it: t, A, rate(C.slide)."""
    amounts = (amount for amount in amounts_of(load).values() if not isinstance(amount, Steady))
    return tuple(dict.fromkeys(name for amount in amounts for name in amount.names))


def kind_of(load: Load | Motor) -> str:
    """What a load or motor is called: a spring, a damper, friction, ..."""
    return section_of(load).removesuffix("s")


class _Gather:
    """Takes several steps in spite of errors, and raises the problems of all of them at its end."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.problems: list[Problem] = []

    def __call__(self, make: Callable[..., Made], *given: Any) -> Made | None:
        try:
            return make(*given)
        except ModelError as error:
            self.problems += error.problems
            return None

    def number(self, value: Any, key: str) -> float:
        return self(number, value, f"{self.where}.{key}") or 0.0

    def at_least(self, low: float, value: Any, key: str) -> float:
        result = self.number(value, key)
        if result < low:
            word = "negative" if low == 0.0 else f"below {low:g}"
            self.wrong(f"the {key.replace('_', ' ')} is {word}: {result:g}", key, f"write {low:g} or more")
        return result

    def above_zero(self, value: Any, key: str) -> float:
        found = self(number, value, f"{self.where}.{key}")
        if found is not None and found <= 0.0:
            self.wrong(f"the {key.replace('_', ' ')} is not positive: {found:g}", key)
        return found or 1.0

    def pair(self, value: Any, key: str) -> tuple[float, float]:
        """One level for both ways, or one for each."""
        if not isinstance(value, list | tuple):
            both = self.at_least(0.0, value, key)
            return both, both
        if len(value) != 2:
            self.wrong(f"{len(value)} levels are given", key, "write one level, or (forward, backward)")
            return 0.0, 0.0
        first, second = (self.at_least(0.0, v, key) for v in value)
        return first, second

    def amount(self, value: Any, key: str) -> Amount:
        if value is None:
            self.wrong("nothing is given", key, "give a number, a formula or a table")
            return Steady(0.0)
        return self(amount, value, f"{self.where}.{key}") or Steady(0.0)

    def wrong(self, what: str, key: str = "", hint: str = "") -> None:
        self.problems.append(Problem(what, f"{self.where}.{key}" if key else self.where, hint))

    def done(self) -> None:
        if self.problems:
            raise ModelError(self.problems)


def spring(
    section: str,
    joints: Mapping[str, Joint],
    name: Any,
    first: Any,
    second: Any,
    joint: Any,
    stiffness: Any,
    free: Any,
    damping: Any,
    preload: Any,
    law: Any,
    description: str,
) -> Spring:
    """A spring or damper with every number checked."""
    part = _Gather(f"{section}.{name}")
    part(checked_name, name, part.where)
    ends = [part(_point_name, end, part.where) for end in (first, second) if end is not None]
    if joint is not None and ends:
        part.wrong("points and a joint are both given", hint="keep the points or the joint")
    elif joint is None and len(ends) != 2:
        part.wrong("it is tied to nothing", hint="give two points, or a joint")
    elif joint is None and ends[0] == ends[1] is not None:
        part.wrong(f"both ends are the point '{ends[0]}'", hint="tie it to two different points")
    along = None if joint is None else part(_variable, joints, joint, part.where)
    rest = None if free is None else part.number(free, "free")
    if rest is not None and rest < 0.0 and joint is None:
        part.wrong(f"the free length is negative: {rest:g} m", "free")
    numbers = part.number(stiffness, "stiffness"), part.at_least(0.0, damping, "damping")
    tension = part.number(preload, "preload")
    more = None if law is None else part.amount(law, "law")
    part.done()
    start, end = ends if joint is None else (None, None)
    return Spring(name, along, start, end, numbers[0], rest, numbers[1], tension, more, str(description))


def friction(
    joints: Mapping[str, Joint],
    name: Any,
    joint: Any,
    level: Any,
    static: Any,
    viscous: Any,
    speed: Any,
    form: Any,
    coefficient: Any,
    radius: Any,
    normal: Any,
    description: str,
) -> Friction:
    """Friction in a joint with every number checked."""
    part = _Gather(f"friction.{name}")
    part(checked_name, name, part.where)
    along = part(_variable, joints, joint, part.where)
    forward, backward = part.pair(level, "level")
    held = part.at_least(1.0, static, "static")
    drag = part.at_least(0.0, viscous, "viscous")
    smoothing = part.above_zero(speed, "speed")
    if form not in ("smooth", "exact"):
        part.wrong(f"{form!r} is not a form of friction", "form", "write smooth or exact")
    ratio = part.at_least(0.0, coefficient, "coefficient")
    lever = 1.0 if radius is None else part.above_zero(radius, "radius")
    pressing = None if normal is None else part.amount(normal, "normal")
    if ratio and normal is None:
        part.wrong("friction without a normal force", "coefficient", "give `normal`, or `level` instead")
    if ratio and (forward or backward):
        part.wrong("a level besides a coefficient", "level", "keep one of them")
    if not ratio and (normal is not None or radius is not None):
        lost = "normal" if normal is not None else "radius"
        part.wrong(f"a {lost} without a coefficient", lost, "give `coefficient`, or leave it out")
    part.done()
    assert along is not None
    return Friction(
        name, along, forward, backward, held, drag, smoothing, form, ratio, lever, pressing, str(description)
    )


def motor(
    joints: Mapping[str, Joint],
    name: Any,
    joint: Any,
    ratio: Any,
    rotor_inertia: Any,
    damping: Any,
    friction: Any,
    efficiency: Any,
    stall: Any,
    no_load: Any,
    peak: Any,
    description: str,
) -> Motor:
    """A motor with every number checked."""
    part = _Gather(f"motors.{name}")
    part(checked_name, name, part.where)
    along = part(_variable, joints, joint, part.where)
    gear = part(number, ratio, f"{part.where}.ratio")
    if gear == 0.0:
        part.wrong("the ratio is zero: it would not turn", "ratio", "give motor speed over joint speed")
    rotor = part.at_least(0.0, rotor_inertia, "rotor_inertia")
    drag = part.at_least(0.0, damping, "damping")
    forward, backward = part.pair(friction, "friction")
    gain = part(number, efficiency, f"{part.where}.efficiency")
    if gain is not None and not 0.0 < gain <= 1.0:
        part.wrong(f"the efficiency is {gain:g}", "efficiency", "write a number above 0, up to 1")
    ends = {"stall": stall, "no_load": no_load, "peak": peak}
    limits = {key: None if value is None else part.above_zero(value, key) for key, value in ends.items()}
    if (stall is None) != (no_load is None):
        part.wrong(f"`{'stall' if no_load is None else 'no_load'}` alone makes no line", hint="give stall and no_load")
    part.done()
    assert along is not None and gear is not None and gain is not None
    return Motor(name, along, gear, rotor, drag, forward, backward, gain, **limits, description=str(description))


def force(name: Any, point: Any, size: Any, along: Any, on: Any, toward: Any, description: str) -> Force:
    """A force on a point with every number checked."""
    part = _Gather(f"forces.{name}")
    part(checked_name, name, part.where)
    at = part(_point_name, point, part.where)
    way = _direction(part, along, on, toward, "along")
    much = part.amount(size, "amount")
    part.done()
    assert at is not None and way is not None
    return Force(name, at, way, much, str(description))


def torque(name: Any, body: Any, size: Any, about: Any, on: Any, toward: Any, description: str) -> Torque:
    """A torque on a body with every number checked."""
    part = _Gather(f"torques.{name}")
    part(checked_name, name, part.where)
    owner = part(body_name, body, part.where)
    way = _direction(part, about, on, toward, "about")
    much = part.amount(size, "amount")
    part.done()
    assert owner is not None and way is not None
    return Torque(name, owner, way, much, str(description))


def joint_load(joints: Mapping[str, Joint], name: Any, joint: Any, size: Any, description: str) -> JointLoad:
    """A force or torque along a joint variable with every number checked."""
    part = _Gather(f"loads.{name}")
    part(checked_name, name, part.where)
    along = part(_variable, joints, joint, part.where)
    much = part.amount(size, "amount")
    part.done()
    assert along is not None
    return JointLoad(name, along, much, str(description))


def gravity(value: Any) -> tuple[Vector, dict[str, Formula | Tabulated]]:
    """The numbers of gravity and its laws over time, by axis; numbers are zero where there is a law."""
    where = "gravity"
    given = tuple(value) if isinstance(value, list | tuple) else ()
    if isinstance(value, str) or not isinstance(value, Iterable) or (given and len(given) != 3):
        raise ModelError(Problem("three components are wanted", where, "such as (0, 0, -9.81)"))
    if not any(isinstance(g, str | Formula | Tabulated) for g in given):
        return vector(value, where), {}
    part = _Gather(where)
    numbers, laws = [], {}
    for axis, component in zip("xyz", given, strict=True):
        much = part.amount(component, axis)
        numbers.append(much.value if isinstance(much, Steady) else 0.0)
        if not isinstance(much, Steady):
            laws[axis] = much
            strange = [name for name in much.names if name != TIME]
            if strange:
                part.wrong(f"gravity depends on {', '.join(strange)}", axis, "it may depend on the time t only")
    part.done()
    return (numbers[0], numbers[1], numbers[2]), laws


def completed(record: Made, joints: Mapping[str, Joint], joint: str) -> Made:
    """A load or motor that was given by a joint which is known only now, with the full name of its variable."""
    if isinstance(record, Spring | Friction | JointLoad | Motor) and record.variable == joint:
        return replace(record, variable=full_name(joints, joint))
    return record


def _variable(joints: Mapping[str, Joint], joint: Any, where: str) -> str:
    """The full name of a variable, as far as its joint is known."""
    if isinstance(joint, Joint):
        return full_name(joints, joint.name)
    name, dot, variable = joint.partition(".") if isinstance(joint, str) else (joint, "", "")
    checked_name(name, where)
    if dot:
        checked_name(variable, where)
    return full_name(joints, joint)


def _point_name(point: Any, where: str) -> str:
    return point.name if isinstance(point, Point) else checked_name(point, where)


def _direction(part: _Gather, vector: Any, on: Any, toward: Any, key: str) -> Direction | None:
    """Where a force or torque points: still in space, with a body, or from one point to another."""
    if (vector is None) == (toward is None):
        given = "no direction is given" if vector is None else f"`{key}` and `toward` are both given"
        part.wrong(given, hint=f"give `{key}`, a direction, or `toward`, two points")
        return None
    if toward is None:
        axis = part(direction, vector, f"{part.where}.{key}")
        body = None if on is None else part(body_name, on, f"{part.where}.on")
        if axis is None or (on is not None and body is None):
            return None
        axis = _unit(axis)
        return InSpace(axis) if body is None else OnBody(body, axis)
    if on is not None:
        part.wrong("`on` besides `toward`", "on", "the points tell the direction; leave `on` out")
    if not isinstance(toward, list | tuple) or len(toward) != 2:
        part.wrong("two points are wanted", "toward", "from the first to the second")
        return None
    start, end = (part(_point_name, p, f"{part.where}.toward") for p in toward)
    if start is None or end is None:
        return None
    if start == end:
        part.wrong(f"both points are '{start}'", "toward", "two different points make a direction")
    return Toward(start, end)


def _unit(axis: Vector) -> Vector:
    """A direction of length one; one that has it already, up to rounding, stays as it is."""
    length = math.hypot(*axis)
    if abs(length - 1.0) <= 1e-15:
        return axis
    x, y, z = (c / length for c in axis)
    return x, y, z
