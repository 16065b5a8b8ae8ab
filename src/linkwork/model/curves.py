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
from linkwork.geometry.elementary import cos, floor, is_number, sin

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
        if self.degree not in (3, 5):
            raise ModelError(Problem(f"degree {self.degree}", f"curves.{self.name}", "write 3 or 5"))
        needed = self.degree + 1
        if len(self.points) < needed:
            hint = "give more points, or degree: 3"
            text = f"{len(self.points)} points are too few for degree {self.degree}: {needed} are needed"
            raise ModelError(Problem(text, f"curves.{self.name}", hint))
        steps = np.diff(np.array(self.points), axis=0)
        if self.closed:
            steps = np.vstack([steps, np.subtract(self.points[0], self.points[-1])])
        lengths = np.hypot(*steps.T)
        if not np.all(lengths > 1e-12 * lengths.sum()):
            i = int(np.argmin(lengths))
            hint = "leave the repeated point out"
            text = f"points {i + 1} and {(i + 1) % len(self.points) + 1} coincide"
            raise ModelError(Problem(text, f"curves.{self.name}", hint))

    @property
    def continuity(self) -> int:  # type: ignore[override]
        return self.degree - 1

    def _derivatives(self, t: Any, order: int) -> list[Point]:
        breaks, u, v = _spline_pieces(self)
        return [(_piecewise(t, breaks, u, n), _piecewise(t, breaks, v, n)) for n in range(order + 1)]


@functools.lru_cache(maxsize=64)
def _spline_pieces(curve: SplineCurve) -> tuple[Array, Array, Array]:
    """Breaks, and for u and v the polynomial coefficients of each piece (highest power first)."""
    from scipy.interpolate import make_interp_spline

    points = np.array(curve.points)
    if curve.closed:
        points = np.vstack([points, points[:1]])
    t = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    t /= t[-1]
    spline = make_interp_spline(t, points, k=curve.degree, bc_type="periodic" if curve.closed else None)
    knots = np.unique(spline.t)
    starts = knots[(knots >= 0.0) & (knots < 1.0)]
    # Taylor's coefficients at the start of each piece; there all derivatives are taken from the right.
    powers = range(curve.degree, -1, -1)
    taylor = np.array([spline(starts, nu=n) / math.factorial(n) for n in powers])
    return starts, taylor[:, :, 0], taylor[:, :, 1]


def _piecewise(t: Any, starts: Array, coefficients: Array, n: int) -> Any:
    """n-th derivative of a piecewise polynomial; pieces at both ends go on beyond the range."""
    degree = len(coefficients) - 1
    factors = [math.perm(degree - i, n) for i in range(degree + 1 - n)]
    if is_number(t):
        index = np.clip(np.searchsorted(starts, np.real(t), side="right") - 1, 0, len(starts) - 1)
        x, chosen = t - starts[index], list(coefficients[:, index])
    else:
        x, chosen = t - _select(t, starts, starts), [_select(t, starts, row) for row in coefficients]
    value: Any = 0.0
    for factor, c in zip(factors, chosen, strict=False):
        value = value * x + factor * c
    return value


def _select(t: Any, starts: Array, values: Array) -> Any:
    """values[k] on the k-th piece, as a sum of steps: the form that can be traced."""
    total: Any = float(values[0])
    for start, jump in zip(starts[1:], np.diff(values), strict=True):
        total = total + (t >= float(start)) * float(jump)
    return total


def _assert_range(start: float, end: float, name: str) -> None:
    if not end > start:
        raise ModelError(Problem(f"the range runs from {start:g} to {end:g}", f"curves.{name}", "let it increase"))
