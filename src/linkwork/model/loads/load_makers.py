"""How records of loads are made from what users write: every number checked, all problems at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from linkwork.errors import ModelError, Problem
from linkwork.model.amounts import Amount, Steady, amount
from linkwork.model.entry import body_name
from linkwork.model.loads.directions import Direction, InSpace, OnBody, Toward
from linkwork.model.loads.load import Load, numbers_of
from linkwork.model.parts import Point, checked_name
from linkwork.model.variables import Owner, full_name
from linkwork.model.vectors import Vector, direction, number, said
from linkwork.units import Dimension

Made = TypeVar("Made")


class Gather:
    """Takes several steps in spite of errors, and raises the problems of all of them at its end.

    Parameters
    ----------
    where : what is made, as problems call it
    kind : of the load, which knows the bounds of its numbers
    """

    def __init__(self, where: str, kind: type[Load] = Load) -> None:
        self.where, self.kind = where, kind
        self.problems: list[Problem] = []

    def __call__(self, make: Callable[..., Made], *given: Any) -> Made | None:
        try:
            return make(*given)
        except ModelError as error:
            self.problems += error.problems
            return None

    def number(self, value: Any, key: str) -> float:
        """A number within the bounds of its kind."""
        bounds = numbers_of(self.kind)[key]
        value = self(said, value, bounds.measures if isinstance(bounds.measures, Dimension) else None, self._at(key))
        if bounds.positive:
            return self._above_zero(value, key)
        return self._number(value, key) if bounds.least is None else self._at_least(bounds.least, value, key)

    def _at(self, key: str) -> str:
        return f"{self.where}.{key}"

    def pair(self, value: Any, key: str) -> tuple[float, float]:
        """One level for both ways, or one for each."""
        if not isinstance(value, list | tuple):
            both = self._at_least(0.0, value, key)
            return both, both
        if len(value) != 2:
            self.wrong(f"{len(value)} levels are given", key, "write one level, or (forward, backward)")
            return 0.0, 0.0
        first, second = (self._at_least(0.0, v, key) for v in value)
        return first, second

    def amount(self, value: Any, key: str) -> Amount:
        """A number, a formula or a table."""
        if value is None:
            self.wrong("nothing is given", key, "give a number, a formula or a table")
            return Steady(0.0)
        return self(amount, value, f"{self.where}.{key}") or Steady(0.0)

    def wrong(self, what: str, key: str = "", hint: str = "") -> None:
        """One problem more."""
        self.problems.append(Problem(what, f"{self.where}.{key}" if key else self.where, hint))

    def done(self) -> None:
        """Raise what was found."""
        if self.problems:
            raise ModelError(self.problems)

    def _number(self, value: Any, key: str) -> float:
        return self(number, value, f"{self.where}.{key}") or 0.0

    def _at_least(self, low: float, value: Any, key: str) -> float:
        result = self._number(value, key)
        if result < low:
            word = "negative" if low == 0.0 else f"below {low:g}"
            self.wrong(f"the {key.replace('_', ' ')} is {word}: {result:g}", key, f"write {low:g} or more")
        return result

    def _above_zero(self, value: Any, key: str) -> float:
        found = self(number, value, f"{self.where}.{key}")
        if found is not None and found <= 0.0:
            self.wrong(f"the {key.replace('_', ' ')} is not positive: {found:g}", key)
        return found or 1.0

    # ---------------------------------------------------------------- what loads are tied to

    def variable(self, joints: Mapping[str, Owner], joint: Any) -> str | None:
        """The full name of a variable, as far as its joint is known."""
        return self(_variable, joints, joint, self.where)

    def point(self, point: Any, key: str = "") -> str | None:
        """The name of a point given as itself or by name."""
        return self(_point_name, point, f"{self.where}.{key}" if key else self.where)

    def body(self, body: Any) -> str | None:
        """The name of a body given as itself or by name."""
        return self(body_name, body, self.where)

    def direction(self, vector: Any, on: Any, toward: Any, key: str) -> Direction | None:
        """Where a force or torque points: still in space, with a body, or from one point to another."""
        if (vector is None) == (toward is None):
            given = "no direction is given" if vector is None else f"`{key}` and `toward` are both given"
            self.wrong(given, hint=f"give `{key}`, a direction, or `toward`, two points")
            return None
        if toward is None:
            axis = self(direction, vector, f"{self.where}.{key}")
            body = None if on is None else self(body_name, on, f"{self.where}.on")
            if axis is None or (on is not None and body is None):
                return None
            axis = _unit(axis)
            return InSpace(axis) if body is None else OnBody(body, axis)
        if on is not None:
            self.wrong("`on` besides `toward`", "on", "the points tell the direction; leave `on` out")
        if not isinstance(toward, list | tuple) or len(toward) != 2:
            self.wrong("two points are wanted", "toward", "from the first to the second")
            return None
        start, end = (self.point(p, "toward") for p in toward)
        if start is None or end is None:
            return None
        if start == end:
            self.wrong(f"both points are '{start}'", "toward", "two different points make a direction")
        return Toward(start, end)


def started(section: str, name: Any, kind: type[Load] = Load) -> Gather:
    """A gathering for a load of this name, which is checked."""
    part = Gather(f"{section}.{name}", kind)
    part(checked_name, name, part.where)
    return part


def _variable(joints: Mapping[str, Owner], joint: Any, where: str) -> str:
    if isinstance(joint, Owner):
        return full_name(joints, joint.name)
    name, dot, variable = joint.partition(".") if isinstance(joint, str) else (joint, "", "")
    checked_name(name, where)
    if dot:
        checked_name(variable, where)
    return full_name(joints, joint)


def _point_name(point: Any, where: str) -> str:
    return point.name if isinstance(point, Point) else checked_name(point, where)


def _unit(axis: Vector) -> Vector:
    """A direction of length one; one that has it already, up to rounding, stays as it is."""
    length = math.hypot(*axis)
    if abs(length - 1.0) <= 1e-15:
        return axis
    x, y, z = (c / length for c in axis)
    return x, y, z
