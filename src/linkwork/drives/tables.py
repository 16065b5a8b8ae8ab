"""Laws through given points: straight lines, and cubic splines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np

from linkwork.drives.checks import SMALLEST, Checks, plain
from linkwork.drives.drive import SMOOTH, Array, Drive
from linkwork.errors import did_you_mean

Ends = Literal["natural", "clamped", "periodic"]


@dataclass(frozen=True, repr=False)
class Points(Drive):
    """A piecewise polynomial of degree three at most that runs through points; held before the first.

    coefficients : of (t - times[k])^3, ^2, ^1 and 1 on piece k, shape (4, pieces)
    """

    times: tuple[float, ...]
    values: tuple[float, ...]
    coefficients: Array = field(compare=False)
    duration: float = field(init=False, compare=False)
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "duration", self.times[-1])

    def _sample(self, t: Array) -> Array:
        times = np.array(self.times)
        # The last point belongs to the last piece, every other to the piece that it begins.
        index = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
        a, b, c, d = self.coefficients[:, index]
        x = np.clip(t, times[0], times[-1]) - times[index]
        result = np.array(
            [d + x * (c + x * (b + x * a)), c + x * (2.0 * b + x * (3.0 * a)), 2.0 * b + x * (6.0 * a), 6.0 * a]
        )
        result[0, t >= times[-1]] = self.values[-1]
        result[1:, (t < times[0]) | (t > times[-1])] = 0.0
        return result

    def _corners(self) -> tuple[float, ...]:
        a, b, c, _ = self.coefficients
        x = np.diff(self.times)
        zero = np.zeros(1)
        # Rate and acceleration before and after each point; at rest before the first and after the last.
        rates = np.concatenate([zero, c + x * (2.0 * b + 3.0 * a * x)]), np.concatenate([c, zero])
        bends = np.concatenate([zero, 2.0 * b + 6.0 * a * x]), np.concatenate([2.0 * b, zero])
        broken = np.zeros(len(self.times), dtype=bool)
        # What they are made of, not what they are: at a symmetric peak the rate is nothing but rounding.
        a, b, c = np.abs(a), np.abs(b), np.abs(c)
        size = (c + x * (2.0 * b + 3.0 * a * x)).max(), (2.0 * b + 6.0 * a * x).max()
        for (left, right), largest in zip((rates, bends), size, strict=True):
            broken |= np.abs(right - left) > SMOOTH * largest
        return tuple(t for t, jump in zip(self.times, broken, strict=True) if jump and 0.0 < t < self.duration)

    def __str__(self) -> str:
        low, high = plain(min(self.values)), plain(max(self.values))
        return f"{self.name} of {len(self.times)} points from {low} to {high} in {plain(self.duration)} s"


def table(times: Sequence[float], values: Sequence[float]) -> Drive:
    """Straight lines between points; the rate jumps at the points.

    times : increasing, from 0 or later [s]; until the first its value is held
    values : one at each time [rad or m]
    """
    checks = Checks("table")
    t, y = _checked(checks, times, values, least=2)
    checks.done()
    slopes = np.diff(y) / np.diff(t)
    flat = np.zeros_like(slopes)
    return Points(t, y, np.array([flat, flat, slopes, y[:-1]]), name="table")


def spline(times: Sequence[float], values: Sequence[float], *, ends: Ends = "natural") -> Drive:
    """The cubic spline through points; value, rate and acceleration are continuous between its ends.

    times : increasing, from 0 or later [s]; until the first its value is held
    values : one at each time [rad or m]
    ends : "natural" (no acceleration at the ends), "clamped" (no speed at the ends), or "periodic" (speed and
        acceleration are the same at both, and so must be the values); `repeat` lets a periodic one go on
    """
    checks = Checks("spline")
    known = ends in get_args(Ends)
    if not known:
        hint = did_you_mean(str(ends)[:30], get_args(Ends))
        checks.problem(f"the ends are {str(ends)[:30]!r}", f"{hint} (natural, clamped or periodic)")
    t, y = _checked(checks, times, values, least=3 if ends == "periodic" else 2)
    if ends == "periodic" and y and not math.isclose(y[0], y[-1], rel_tol=1e-12, abs_tol=1e-12 * np.ptp(y)):
        hint = "let a periodic spline end where it begins"
        checks.problem(f"the first value is {y[0]:g}, the last {y[-1]:g}", hint)
    checks.done()
    if ends == "periodic":
        y = (*y[:-1], y[0])
    return Points(t, y, _cubics(checks, t, y, ends), name=f"{ends} spline")


def _cubics(checks: Checks, t: tuple[float, ...], y: tuple[float, ...], ends: Ends) -> Array:
    from scipy.interpolate import CubicSpline  # slow to import, and seldom needed

    try:
        with np.errstate(all="ignore"):
            coefficients: Array = np.asarray(CubicSpline(t, y, bc_type=ends).c)
    except (ValueError, np.linalg.LinAlgError):
        coefficients = np.full((4, 1), math.nan)
    if not np.isfinite(coefficients).all():
        checks.problem("the points lie too unevenly for a spline", "take out points that nearly coincide in time")
    checks.done()
    return coefficients


def _checked(checks: Checks, times: Any, values: Any, least: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    before = len(checks.problems)
    t, y = checks.numbers("time", times), checks.numbers("value", values)
    sound = len(checks.problems) == before
    if sound and len(t) != len(y):
        checks.problem(f"there are {len(t)} times and {len(y)} values", "give one value for each time")
    elif sound and len(t) < least:
        count = "1 point is" if len(t) == 1 else f"{len(t)} points are"
        checks.problem(f"{count} too few: {least} are needed", "give more points, or use constant(...)")
    order = Checks(checks.where)
    for i, (a, b) in enumerate(pairwise(t), 1):
        if b - a < SMALLEST:  # not when one of them is nan: that is told already
            what = f"time number {i + 1} ({b:g} s) does not come after time number {i} ({a:g} s)"
            order.problem(what, "let the times increase")
    checks.several(order.problems)
    if t and t[0] < 0.0:
        checks.problem(f"the first time is {t[0]:g} s", "begin at 0 s, where every drive begins, or later")
    return t, y
