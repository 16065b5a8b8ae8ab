"""What every drive gives: value, rate, acceleration and jerk at any times, its duration, and where it is not smooth."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.drives.checks import LARGEST
from linkwork.errors import InputError, Problem

Array = NDArray[np.float64]

SMOOTH = 1e-9
"""A step of the rate or acceleration below this part of its size along the law is rounding, not a jump."""


class Drive(ABC):
    """A driven variable as a law of time t [s], which begins at t = 0.

    `duration` is the time after which a finite law has come to its end, None for one that goes on. Before 0 and after
    the end a finite law holds its first and last value; its rate, acceleration and jerk are zero there.

    At a jump the law answers as follows: at t = 0 exactly, and at every corner inside, with what comes after; at
    t = duration exactly with what came before. So a ramp has its speed at both of its ends.
    """

    duration: float | None

    def sample(self, t: ArrayLike) -> Array:
        """Value, rate, acceleration and jerk at times t [s]: shape (4, *t.shape), exact derivatives of the law.

        t : times, a number or an array of any shape
        """
        times = _checked_times(t)
        return self._sample(times.ravel()).reshape(4, *times.shape)

    @abstractmethod
    def _sample(self, t: Array) -> Array:
        """The same for a flat array of finite times: shape (4, n)."""

    def _corners(self) -> tuple[float, ...]:
        """Times inside the law, its ends left out, at which the rate or acceleration jumps."""
        return ()

    def _starts_with_jump(self) -> bool:
        """Whether rate or acceleration jump at t = 0, where the hold ends; an endless law has none."""
        return self.duration is not None and jumps(np.zeros(4), self.sample(0.0), sizes(self))

    def _ends_with_jump(self) -> bool:
        """Whether rate or acceleration jump at the end, where the hold begins."""
        return self.duration is not None and jumps(self.sample(self.duration), np.zeros(4), sizes(self))

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times [s] at which the rate or the acceleration jumps, in order; the ends count, where a hold meets the law.

        Where the rate jumps the acceleration is infinite for an instant, which no motor follows.
        """
        before = (0.0,) if self._starts_with_jump() else ()
        after = (self.duration,) if self.duration is not None and self._ends_with_jump() else ()
        # A corner may coincide with an end by rounding.
        return tuple(dict.fromkeys((*before, *self._corners(), *after)))

    @abstractmethod
    def __str__(self) -> str: ...

    def __repr__(self) -> str:
        return str(self)


def sizes(drive: Drive) -> Array:
    """Largest magnitudes of value, rate, acceleration and jerk among samples: what rounding is measured by."""
    t = np.linspace(0.0, drive.duration or 0.0, 33 if drive.duration else 1)
    largest: Array = np.abs(drive.sample(t)).max(axis=1)
    return largest


def jumps(before: Array, after: Array, size: Array) -> bool:
    """Whether rate or acceleration differ by more than rounding between two samples of one instant."""
    return bool((np.abs(after - before) > SMOOTH * size)[1:3].any())


def _checked_times(t: ArrayLike) -> Array:
    hint = "give seconds, such as np.linspace(0, 1, 101)"
    try:
        given = np.asarray(t)
        if given.dtype.kind not in "iuf":
            raise TypeError
        times = given.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise InputError(Problem("the times are not numbers", "sample", hint)) from None
    wrong = ~(np.abs(times) <= LARGEST)
    if wrong.any():
        first = times[wrong].flat[0]
        what = "beyond" if np.isfinite(first) else "not finite; the most is"
        raise InputError(Problem(f"the time {first:g} s is {what} {LARGEST:g} s", "sample", hint))
    return times
