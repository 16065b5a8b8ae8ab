"""Moves from one value to another. All are symmetric about their middle, so only the first half is written down."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.drives.checks import Checks, plain
from linkwork.drives.drive import Array, Drive


class Move(Drive):
    """A move that comes in as it went out: value(T - t) = start + end - value(t).

    Each half is measured from its own end, which it therefore meets to the last bit.
    """

    name: str
    start: float
    end: float
    duration: float

    @abstractmethod
    def _travel(self, u: Array, t: Array) -> tuple[Any, Any, Any, Any]:
        """Way, rate, acceleration and jerk after a time 0 <= u <= duration/2 from the start.

        t : the time itself, by which a law with corners tells on which side of them it is
        """

    def _sample(self, t: Array) -> Array:
        first = t < self.duration / 2
        inside = (t >= 0.0) & (t <= self.duration)
        u = np.maximum(np.where(first, t, self.duration - t), 0.0)
        way, rate, acceleration, jerk = self._travel(u, t)
        result = np.empty((4, t.size))
        result[0] = np.where(first, self.start + way, self.end - way)
        result[1] = np.where(inside, rate, 0.0)
        result[2] = np.where(inside, np.where(first, acceleration, 0.0 - acceleration), 0.0)
        result[3] = np.where(inside, jerk, 0.0)
        return result

    def __str__(self) -> str:
        return f"{self.name} from {plain(self.start)} to {plain(self.end)} in {plain(self.duration)} s"


@dataclass(frozen=True, repr=False)
class Ramp(Move):
    """start + (end - start) t/T: constant speed, with a jump of the speed at both ends."""

    start: float
    end: float
    duration: float

    name = "ramp"

    def _travel(self, u: Array, t: Array) -> tuple[Any, Any, Any, Any]:
        way = self.end - self.start
        return way * (u / self.duration), way / self.duration, 0.0, 0.0


def ramp(start: float, end: float, *, duration: float | None = None, speed: float | None = None) -> Drive:
    """Constant speed from one value to another.

    start, end : values [rad or m]
    duration : time from start to end [s]; one second where neither it nor the speed is given
    speed : instead of the duration [per second]; its sign does not matter, the ends tell the direction

    >>> ramp(0.0, 1.0, duration=2.0).sample(0.5)
    array([0.25, 0.5 , 0.  , 0.  ])
    """
    checks = Checks("ramp")
    first, last = checks.way(start, end)
    time = 1.0
    if duration is not None and speed is not None:
        checks.problem("both a duration and a speed are given", "give one of them; the other follows")
    if duration is not None:
        time = checks.positive("duration", duration, "s")
    elif speed is not None:
        time = abs(last - first) / checks.speed(speed)
    checks.done()
    checks.lasting(time, "give another speed")
    checks.done()
    return Ramp(first, last, time)
