"""Curves in space that a point of a machine may be kept on: (x, y, z) [m] of one parameter, in the curve's frame.

Like the planar curves of cams (`curves`), with a third coordinate; z is the joint's `axis`, x the direction of zero.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np

from linkwork.errors import ModelError, Problem
from linkwork.expressions import Expression
from linkwork.geometry import Array
from linkwork.geometry.elementary import cos, sin
from linkwork.model.curves import Curve, assert_spline, spline_pieces
from linkwork.model.nearest_places import SEARCH, best_parameter, enough_samples
from linkwork.model.pieces import piecewise
from linkwork.model.ranges import Range
from linkwork.model.surface_makers import a_length, a_number, a_span, a_switch, arithmetic, asked, assert_positive, made
from linkwork.model.vectors import vector

Point = tuple[Any, Any, Any]


class SpaceCurve:
    """What every curve in space gives.

    kind : name in model files; dimension : of its parameter
    numbers : fields that may change while the equations stay; starts_at_origin : whether 0 is the frame's origin
    """

    kind: ClassVar[str]
    dimension: ClassVar[Literal["angle", "length", "number"]] = "number"
    numbers: ClassVar[tuple[str, ...]] = ()
    starts_at_origin: ClassVar[bool] = False

    def derivatives(self, t: Any, order: int) -> list[Point]:
        """(x, y, z) and its derivatives with respect to t, from order 0 to `order`."""
        raise AssertionError(self.kind)  # every curve gives its own

    def point(self, t: Any) -> Point:
        """(x, y, z) at parameter t [m]."""
        return self.derivatives(t, 0)[0]

    def along(self) -> Range:
        """Range of the parameter."""
        return Range()

    def nearest(self, place: Array) -> float:
        """Parameter of the place of the curve that is nearest to another."""
        raise AssertionError(self.kind)  # every curve gives its own

    def size(self) -> float:
        """Length that tells how large the curve is [m]; 0 where it has no end."""
        return 0.0

    def problems(self) -> list[Problem]:
        """What is wrong with the whole curve."""
        return []

    def places(self, t: Array) -> Array:
        """(n, 3): places at many parameters [m]."""
        with np.errstate(all="ignore"):
            return np.stack([np.broadcast_to(np.asarray(c, float), t.shape) for c in self.point(t)], axis=-1)


@dataclass(frozen=True)
class Line(SpaceCurve):
    """The line along z; its parameter is the distance from the origin."""

    kind = "line"
    dimension = "length"
    starts_at_origin = True

    def derivatives(self, t: Any, order: int) -> list[Point]:
        return [(0.0, 0.0, t), (0.0, 0.0, 1.0), *[(0.0, 0.0, 0.0)] * (order - 1)][: order + 1]

    def nearest(self, place: Array) -> float:
        return float(place[2])


@dataclass(frozen=True)
class Circle(SpaceCurve):
    """(r cos t, r sin t, 0): across z, its parameter is the angle from x."""

    radius: float = asked(a_length)
    kind = "circle"
    dimension = "angle"
    numbers = ("radius",)

    def __post_init__(self) -> None:
        assert_positive(self.radius, "radius")

    def derivatives(self, t: Any, order: int) -> list[Point]:
        return [(x, y, 0.0) for x, y in _round(self.radius, t, order)]

    def along(self) -> Range:
        return Range(-math.pi, math.pi, True)

    def nearest(self, place: Array) -> float:
        return math.atan2(place[1], place[0])

    def size(self) -> float:
        return 2 * self.radius


@dataclass(frozen=True)
class Helix(SpaceCurve):
    """(r cos t, r sin t, lead t/2π): about z, its parameter is the angle from x; a negative lead is left-handed.

    radius : r [m]; lead : advance along z in one turn [m]
    """

    radius: float = asked(a_length)
    lead: float = asked(a_number)
    kind = "helix"
    dimension = "angle"
    numbers = ("radius", "lead")

    def __post_init__(self) -> None:
        assert_positive(self.radius, "radius")
        if isinstance(self.lead, Real) and not (math.isfinite(self.lead) and self.lead != 0.0):
            raise ModelError(Problem(f"the lead is {float(self.lead):g}", hint="use a circle for no advance"))

    def derivatives(self, t: Any, order: int) -> list[Point]:
        rise = self.lead / (2 * math.pi)
        heights = [rise * t, rise, *[0.0] * (order - 1)][: order + 1]
        return [(x, y, z) for (x, y), z in zip(_round(self.radius, t, order), heights, strict=True)]

    def nearest(self, place: Array) -> float:
        # The nearest place lies between the one at equal height and the one at equal angle, at most half a turn away.
        level = float(place[2]) * 2 * math.pi / self.lead
        return nearest_on_curve(self, Range(level - 1.01 * math.pi, level + 1.01 * math.pi), place)

    def size(self) -> float:
        return math.hypot(2 * self.radius, self.lead)


def _round(radius: Any, t: Any, order: int) -> list[tuple[Any, Any]]:
    c, s = radius * cos(t), radius * sin(t)
    return [((c, s), (-s, c), (-c, -s), (s, -c))[n % 4] for n in range(order + 1)]


class Sampled(SpaceCurve):
    """A curve of finite range: size, soundness and nearest place by samples."""

    def nearest(self, place: Array) -> float:
        if not np.isfinite(self._ends_and_between(SEARCH)).all():
            raise ModelError(self.problems())
        return nearest_on_curve(self, self.along(), place)

    def size(self) -> float:
        places = self._ends_and_between(181)
        return float(np.linalg.norm(np.ptp(places, axis=0))) if np.isfinite(places).all() else 0.0

    def problems(self) -> list[Problem]:
        places, size = self._ends_and_between(SEARCH), self.size()
        if not np.isfinite(places).all():
            return [Problem("its curve is not finite over its range", hint="look for a division by zero or a root")]
        if size == 0.0:
            return [Problem("its curve is a single point")]
        gap = float(np.linalg.norm(places[-1] - places[0]))
        if self.along().closed and gap > 1e-9 * size:
            text = f"its curve is said to be closed, but its ends are {gap:.3g} m apart"
            return [Problem(text, hint="let it end where it starts, or leave `closed` out")]
        return []

    def _ends_and_between(self, count: int) -> Array:
        along = self.along()
        steps = np.linspace(0.0, 1.0, count)
        # A closed curve begins anew at its end; just before it stands what the end is.
        steps = np.minimum(steps, 1.0 - 1e-15) if along.closed else steps
        return self.places(along.start + (along.end - along.start) * steps)


@dataclass(frozen=True)
class ExpressionPath(Sampled):
    """x(t), y(t), z(t) as arithmetic expressions whose values are in `unit` [m]; t runs over `span`."""

    x: str = asked(arithmetic("t"))
    y: str = asked(arithmetic("t"))
    z: str = asked(arithmetic("t"))
    span: tuple[float, float] = asked(a_span, default=(0.0, 2 * math.pi))
    closed: bool = asked(a_switch, default=False)
    unit: float = asked(a_length, default=1.0)
    kind = "expression"

    def derivatives(self, t: Any, order: int) -> list[Point]:
        t = self.along().wrapped(t)
        ladders = [_ladder(text, order) for text in (self.x, self.y, self.z)]
        return [(self.unit * x(t=t), self.unit * y(t=t), self.unit * z(t=t)) for x, y, z in zip(*ladders, strict=True)]

    def along(self) -> Range:
        return Range(*self.span, self.closed)


@functools.lru_cache(maxsize=256)
def _ladder(text: str, order: int) -> tuple[Expression, ...]:
    ladder = [Expression(text, ("t",))]
    for _ in range(order):
        ladder.append(ladder[-1].derivative("t"))
    return tuple(ladder)


def _points(value: Any, where: str) -> tuple[tuple[float, float, float], ...]:
    try:
        return tuple(vector(p, f"{where}[{i}]") for i, p in enumerate(value))
    except TypeError:
        raise ModelError(Problem("a list of points is wanted", where)) from None


def _degree(value: Any, where: str) -> int:
    if isinstance(value, bool) or value not in (3, 5):
        raise ModelError(Problem(f"degree {value!r}", where, "write 3 or 5"))
    return int(value)


@dataclass(frozen=True)
class SplinePath(Sampled):
    """An interpolating spline through points in space; t runs from 0 to 1 by chord length, as for planar splines."""

    points: tuple[tuple[float, float, float], ...] = asked(_points)
    closed: bool = asked(a_switch, default=False)
    degree: int = asked(_degree, default=5)
    kind = "spline"

    def __post_init__(self) -> None:
        assert_spline(self.points, self.closed, self.degree, "")

    def derivatives(self, t: Any, order: int) -> list[Point]:
        t = self.along().wrapped(t)
        breaks, x, y, z = spline_pieces(self.points, self.closed, self.degree)
        return [
            (piecewise(t, breaks, x, n), piecewise(t, breaks, y, n), piecewise(t, breaks, z, n))
            for n in range(order + 1)
        ]

    def along(self) -> Range:
        return Range(0.0, 1.0, self.closed)


@dataclass(frozen=True)
class InPlane(Sampled):
    """A planar curve of the mechanism, in the plane across z: (u, v, 0)."""

    curve: Curve
    kind = "in_plane"

    def derivatives(self, t: Any, order: int) -> list[Point]:
        return [(u, v, 0.0) for u, v in self.curve.derivatives(t, order)]

    def along(self) -> Range:
        return Range(self.curve.start, self.curve.end, self.curve.closed)

    def problems(self) -> list[Problem]:
        return []  # the mechanism's curves are looked at by themselves


CURVES: dict[str, type[SpaceCurve]] = {kind.kind: kind for kind in (Line, Circle, Helix, ExpressionPath, SplinePath)}


def space_curve(kind: str, **options: Any) -> SpaceCurve:
    """A curve in space, for `on_curve`.

    Parameters
    ----------
    kind : "line", "circle", "helix", "expression" or "spline"
    options : what the kind has: `radius` [m] of a circle; `radius` and `lead` [m] of a helix; the expressions `x`, `y`,
        `z` of t, with `span`, `closed` and `unit` [m]; `points` [m] of a spline, with `closed` and `degree`
    """
    return made(CURVES, "curve", kind, options)


def nearest_on_curve(curve: SpaceCurve, along: Range, place: Array) -> float:
    """Parameter of the nearest place: the valleys of the distance, each polished by (c - p)·c' = 0.

    curve, along : the curve and a finite range of its parameter
    place : (x, y, z) [m]
    """
    count = enough_samples(curve.places(np.linspace(along.start, along.end, SEARCH)))
    t = np.linspace(along.start, along.end, count)

    def slope(t: Array) -> tuple[Array, Array]:
        c, d, dd = (np.stack(np.broadcast_arrays(*level), axis=-1) for level in _levels(curve, t))
        return np.sum((c - place) * d, axis=-1), np.sum(d * d + (c - place) * dd, axis=-1)

    def score(t: Array) -> Array:
        return np.asarray(np.linalg.norm(curve.places(t) - place, axis=-1))

    return best_parameter(along, t, score(t), slope, score)


def _levels(curve: SpaceCurve, t: Array) -> list[tuple[Array, Array, Array]]:
    return [tuple(np.broadcast_to(np.asarray(c, float), t.shape) for c in level) for level in curve.derivatives(t, 2)]  # type: ignore[misc]
