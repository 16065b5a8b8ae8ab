"""Smooth moves from rest to rest: cycloidal, the 3-4-5 polynomial, and the trapezoidal profile of speed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.drives.checks import Checks, plain
from linkwork.drives.drive import Array, Drive
from linkwork.drives.moves import Move


@dataclass(frozen=True, repr=False)
class Cycloidal(Move):
    """s = x - sin(2 pi x)/(2 pi), x = t/T: rate and acceleration are zero at the ends; the jerk jumps there."""

    start: float
    end: float
    duration: float

    name = "cycloidal"

    def _travel(self, u: Array, t: Array) -> tuple[Any, Any, Any, Any]:
        way, T = self.end - self.start, self.duration
        x = u / T
        rate = 2.0 * np.sin(math.pi * x) ** 2  # 1 - cos(2 pi x) without its cancellation
        acceleration, jerk = math.tau * np.sin(math.tau * x), math.tau**2 * np.cos(math.tau * x)
        return (
            way * (_less_its_sine(math.tau * x) / math.tau),
            way / T * rate,
            way / T**2 * acceleration,
            way / T**3 * jerk,
        )


def _less_its_sine(a: Array) -> Array:
    """a - sin(a) for a >= 0; by its series where the difference would cancel (first left-out term below 1e-17)."""
    square = np.minimum(a, 0.5) ** 2
    series = np.ones_like(a)
    for k in (210.0, 156.0, 110.0, 72.0, 42.0, 20.0):
        series = 1.0 - square / k * series
    return np.where(a < 0.5, a**3 / 6.0 * series, a - np.sin(a))


@dataclass(frozen=True, repr=False)
class Polynomial345(Move):
    """s = 10 x^3 - 15 x^4 + 6 x^5, x = t/T: rate and acceleration are zero at the ends; the jerk jumps there."""

    start: float
    end: float
    duration: float

    name = "3-4-5 polynomial"

    def _travel(self, u: Array, t: Array) -> tuple[Any, Any, Any, Any]:
        way, T = self.end - self.start, self.duration
        x = u / T
        y = 1.0 - x
        return (
            way * (x**3 * (10.0 + x * (6.0 * x - 15.0))),
            way / T * (30.0 * x**2 * y**2),
            way / T**2 * (60.0 * x * y * (y - x)),
            way / T**3 * (60.0 * (1.0 - 6.0 * x * y)),
        )


@dataclass(frozen=True, repr=False)
class Trapezoidal(Move):
    """Constant acceleration a, then speed v = a `rise`, then -a; without the middle where the way is too short for v.

    speed : the largest speed that is reached
    rise : time of speeding up, and of slowing down [s]
    """

    start: float
    end: float
    speed: float
    acceleration: float
    rise: float
    duration: float

    name = "trapezoidal move"

    def _travel(self, u: Array, t: Array) -> tuple[Any, Any, Any, Any]:
        a, rise = math.copysign(self.acceleration, self.end - self.start), self.rise
        # Not by u: the times of the corners have to be those that `_corners` tells, to the last bit.
        even = (t >= rise) & (t < self.duration - rise)
        early = np.minimum(u, rise)
        way = a * early * (0.5 * early + np.maximum(u - rise, 0.0))
        return way, a * np.where(even, rise, early), np.where(even, 0.0, a), 0.0

    def _corners(self) -> tuple[float, ...]:
        return (self.rise,) if self.rise == self.duration / 2 else (self.rise, self.duration - self.rise)

    def __str__(self) -> str:
        return f"{super().__str__()}, speed up to {plain(self.speed)} per second"


def cycloidal(start: float, end: float, *, duration: float) -> Drive:
    """A smooth move: start + (end - start) (x - sin(2 pi x)/(2 pi)) with x = t/duration.

    start, end : values [rad or m]
    duration : time from start to end [s]
    """
    return Cycloidal(*_checked("cycloidal", start, end, duration))


def polynomial345(start: float, end: float, *, duration: float) -> Drive:
    """A smooth move: start + (end - start) (10 x^3 - 15 x^4 + 6 x^5) with x = t/duration.

    start, end : values [rad or m]
    duration : time from start to end [s]
    """
    return Polynomial345(*_checked("polynomial345", start, end, duration))


def _checked(where: str, start: float, end: float, duration: float) -> tuple[float, float, float]:
    checks = Checks(where)
    first, last = checks.way(start, end)
    time = checks.positive("duration", duration, "s")
    checks.done()
    return first, last, time


def trapezoidal(start: float, end: float, *, speed: float, acceleration: float) -> Drive:
    """The quickest move with a bounded speed and acceleration: speed up, go on evenly, slow down.

    start, end : values [rad or m]
    speed : largest speed [per second]; its sign does not matter. It is not reached when the way is too short:
        then the speed rises and falls at once
    acceleration : while speeding up and slowing down [per second squared], above zero

    >>> trapezoidal(0.0, 1.0, speed=0.5, acceleration=2.0).duration
    2.25
    """
    checks = Checks("trapezoidal")
    first, last = checks.way(start, end)
    v, a = checks.speed(speed), checks.positive("acceleration", acceleration, "per second squared")
    checks.done()
    way = abs(last - first)
    if v * v < way * a:
        rise = v / a
        duration = way / v + rise
    else:
        rise = math.sqrt(way / a)
        v, duration = a * rise, 2.0 * rise
    checks.lasting(duration, "give another speed or acceleration")
    checks.done()
    return Trapezoidal(first, last, v, a, rise, duration)
