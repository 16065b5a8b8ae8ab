"""Planar curves that cams and slots are made of: u(t), v(t) in the curve's own plane [m], with exact derivatives.

A curve is evaluated with numbers, complex numbers, arrays or CasADi expressions alike, so that joints on curves are
differentiated like every other joint.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.errors import ModelError, Problem
from linkwork.expressions import Expression
from linkwork.geometry import Array
from linkwork.geometry.elementary import cos, floor, sin
from linkwork.model.pieces import piecewise

Point = tuple[Any, Any]


class Curve:
    """What every curve gives: its parameter range, whether it is closed, and its derivatives."""

    name: str
    start: float
    end: float
    closed: bool
    continuity: int

    def derivatives(self, t: Any, order: int) -> list[Point]:
        """(u, v) and its derivatives with respect to t, from order 0 to `order`."""
        wrapped = t
        if self.closed:
            period = self.end - self.start
            wrapped = t - period * floor((t - self.start) / period)
        return self._derivatives(wrapped, order)

    def _derivatives(self, t: Any, order: int) -> list[Point]:
        raise AssertionError(type(self).__name__)  # every curve below gives its own

    def point(self, t: Any) -> Point:
        """(u, v) at parameter t [m]."""
        return self.derivatives(t, 0)[0]

    def samples(self, count: int = 721) -> tuple[Array, Array, Array]:
        """Parameters and coordinates of `count` points from start to end."""
        t = np.linspace(self.start, self.end, count)
        u, v = self._derivatives(t, 0)[0]
        return t, np.broadcast_to(u, t.shape), np.broadcast_to(v, t.shape)

    def size(self) -> float:
        """Diagonal of the curve's bounding box [m]."""
        _, u, v = self.samples(181)
        if not (np.isfinite(u).all() and np.isfinite(v).all()):
            return 0.0  # it has none; a check tells why
        return float(math.hypot(np.ptp(u), np.ptp(v)))


@dataclass(frozen=True)
class FourierCurve(Curve):
    """u = u0 + Σ_k (uc_k cos kt + us_k sin kt), v likewise; closed, period 2π; every derivative is continuous."""

    name: str
    u0: float
    v0: float
    u_cos: tuple[float, ...] = ()
    u_sin: tuple[float, ...] = ()
    v_cos: tuple[float, ...] = ()
    v_sin: tuple[float, ...] = ()
    start: float = field(default=0.0, init=False)
    end: float = field(default=2 * math.pi, init=False)
    closed: bool = field(default=True, init=False)
    continuity: int = field(default=99, init=False)

    def derivatives(self, t: Any, order: int) -> list[Point]:
        return [
            (_fourier(self.u0, self.u_cos, self.u_sin, t, n), _fourier(self.v0, self.v_cos, self.v_sin, t, n))
            for n in range(order + 1)
        ]

    _derivatives = derivatives


# Derivatives of the cosine, repeating after four; those of the sine run three ahead.
_COSINE = (lambda x: cos(x), lambda x: -sin(x), lambda x: -cos(x), lambda x: sin(x))


def _fourier(mean: float, cosines: tuple[float, ...], sines: tuple[float, ...], t: Any, n: int) -> Any:
    """n-th derivative of the series."""
    total = mean if n == 0 else 0.0
    for k, a in enumerate(cosines, 1):
        total = total + a * k**n * _COSINE[n % 4](k * t)
    for k, b in enumerate(sines, 1):
        total = total + b * k**n * _COSINE[(n + 3) % 4](k * t)
    return total


@dataclass(frozen=True)
class ExpressionCurve(Curve):
    """u(t), v(t) as arithmetic expressions whose values are in `unit` [m]; t runs from `start` to `end`."""

    name: str
    u: str
    v: str
    start: float = 0.0
    end: float = 2 * math.pi
    closed: bool = False
    unit: float = 1.0
    continuity: int = field(default=99, init=False)

    def __post_init__(self) -> None:
        _assert_range(self.start, self.end, self.name)
        _expression_ladder(self.u, 0), _expression_ladder(self.v, 0)

    def _derivatives(self, t: Any, order: int) -> list[Point]:
        us, vs = _expression_ladder(self.u, order), _expression_ladder(self.v, order)
        return [(self.unit * u(t=t), self.unit * v(t=t)) for u, v in zip(us, vs, strict=True)]


@functools.lru_cache(maxsize=256)
def _expression_ladder(text: str, order: int) -> tuple[Expression, ...]:
    """An expression of t and its derivatives up to `order`."""
    ladder = [Expression(text, ("t",))]
    for _ in range(order):
        ladder.append(ladder[-1].derivative("t"))
    return tuple(ladder)


@dataclass(frozen=True)
class SplineCurve(Curve):
    """An interpolating spline through points; t runs from 0 to 1 by chord length.

    Degree 5 has four continuous derivatives, degree 3 has two. A closed spline joins its last point to its first
    with the same smoothness (the first point is not repeated at the end).
    """

    name: str
    points: tuple[tuple[float, float], ...]
    closed: bool = False
    degree: int = 5
    start: float = field(default=0.0, init=False)
    end: float = field(default=1.0, init=False)

    def __post_init__(self) -> None:
        assert_spline(self.points, self.closed, self.degree, f"curves.{self.name}")

    @property
    def continuity(self) -> int:  # type: ignore[override]
        return self.degree - 1

    def _derivatives(self, t: Any, order: int) -> list[Point]:
        breaks, u, v = spline_pieces(self.points, self.closed, self.degree)
        return [(piecewise(t, breaks, u, n), piecewise(t, breaks, v, n)) for n in range(order + 1)]


def assert_spline(points: tuple[tuple[float, ...], ...], closed: bool, degree: int, where: str) -> None:
    """ModelError unless a spline of this degree passes through the points, of which no two neighbours coincide."""
    if degree not in (3, 5):
        raise ModelError(Problem(f"degree {degree}", where, "write 3 or 5"))
    needed = degree + 1
    if len(points) < needed:
        hint = "give more points, or degree: 3"
        text = f"{len(points)} points are too few for degree {degree}: {needed} are needed"
        raise ModelError(Problem(text, where, hint))
    steps = np.diff(np.array(points), axis=0)
    if closed:
        steps = np.vstack([steps, np.subtract(points[0], points[-1])])
    lengths = _lengths(steps)
    if not np.all(lengths > 1e-12 * lengths.sum()):
        i = int(np.argmin(lengths))
        hint = "leave the repeated point out"
        text = f"points {i + 1} and {(i + 1) % len(points) + 1} coincide"
        raise ModelError(Problem(text, where, hint))


def _lengths(steps: Array) -> Array:
    return np.asarray(functools.reduce(np.hypot, steps.T))


@functools.lru_cache(maxsize=64)
def spline_pieces(points: tuple[tuple[float, ...], ...], closed: bool, degree: int) -> tuple[Array, ...]:
    """Breaks, and for each coordinate the polynomial coefficients of each piece (highest power first)."""
    from scipy.interpolate import make_interp_spline

    places = np.array(points)
    if closed:
        places = np.vstack([places, places[:1]])
    t = np.concatenate([[0.0], np.cumsum(_lengths(np.diff(places, axis=0)))])
    t /= t[-1]
    spline = make_interp_spline(t, places, k=degree, bc_type="periodic" if closed else None)
    knots = np.unique(spline.t)
    starts = knots[(knots >= 0.0) & (knots < 1.0)]
    # Taylor's coefficients at the start of each piece; there all derivatives are taken from the right.
    powers = range(degree, -1, -1)
    taylor = np.array([spline(starts, nu=n) / math.factorial(n) for n in powers])
    return starts, *(taylor[:, :, k] for k in range(places.shape[1]))


def _assert_range(start: float, end: float, name: str) -> None:
    if not end > start:
        raise ModelError(Problem(f"the range runs from {start:g} to {end:g}", f"curves.{name}", "let it increase"))
