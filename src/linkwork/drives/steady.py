"""Values that do not change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.drives.checks import Checks, plain
from linkwork.drives.drive import Array, Drive


@dataclass(frozen=True, repr=False)
class Constant(Drive):
    """One value, for ever or for a while."""

    value: float
    duration: float | None = None

    def _sample(self, t: Array) -> Array:
        result = np.zeros((4, t.size))
        result[0] = self.value
        return result

    def __str__(self) -> str:
        if self.duration is None:
            return f"constant {plain(self.value)}"
        return f"dwell at {plain(self.value)} for {plain(self.duration)} s"


def constant(value: float) -> Drive:
    """A variable that is held.

    value : its value [rad or m]
    """
    checks = Checks("constant")
    number = checks.number("value", value)
    checks.done()
    return Constant(number)


def dwell(value: float, *, duration: float) -> Drive:
    """A variable that is held for a while: a piece of a `sequence`.

    value : its value [rad or m]
    duration : how long [s]
    """
    checks = Checks("dwell")
    number, time = checks.number("value", value), checks.positive("duration", duration, "s")
    checks.done()
    return Constant(number, time)
