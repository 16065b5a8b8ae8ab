"""Laws one after the other, and one law again and again."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.drives.checks import Checks, plain
from linkwork.drives.drive import Array, Drive, jumps, sizes

MAX_REPEATS = 10_000
JOIN = 1e-12
"""A step of the value below this part of its size is rounding of what was meant to be equal."""


@dataclass(frozen=True, repr=False)
class Sequence(Drive):
    """Pieces whose values join; each begins when the one before it ends.

    starts : the times at which they begin [s]
    """

    pieces: tuple[Drive, ...]
    starts: tuple[float, ...]
    duration: float | None

    def _sample(self, t: Array) -> Array:
        result = np.empty((4, t.size))
        index = np.maximum(np.searchsorted(self.starts, t, side="right") - 1, 0)
        ends = (*self.starts[1:], self.duration)
        for k, (piece, start, end) in enumerate(zip(self.pieces, self.starts, ends, strict=True)):
            mine = index == k
            if mine.any():
                result[:, mine] = piece._sample(_own_time(t[mine], start, end, piece.duration))
        return result

    def _corners(self) -> tuple[float, ...]:
        corners: list[float] = []
        for k, (piece, start) in enumerate(zip(self.pieces, self.starts, strict=True)):
            if k and _seam_jumps(self.pieces[k - 1], piece):
                corners.append(start)
            corners += [start + t for t in piece._corners()]
        return tuple(corners)

    def _starts_with_jump(self) -> bool:
        return self.pieces[0]._starts_with_jump()

    def _ends_with_jump(self) -> bool:
        return self.pieces[-1]._ends_with_jump()

    def __str__(self) -> str:
        return f"{len(self.pieces)} pieces: " + "; then ".join(_briefly(self.pieces))


def _own_time(t: Array, start: Array | float, end: Array | float | None, duration: float | None) -> Array:
    """Time since a piece began; rounding of the difference neither leaves a piece early nor stays in it."""
    own: Array = t - start
    if end is None or duration is None:
        return own
    own = np.where(t < end, np.minimum(own, duration), duration)
    return np.where(t > end, 2.0 * duration, own)  # any time after the end


def _seam_jumps(first: Drive, second: Drive) -> bool:
    """Whether rate or acceleration jump where one piece follows another."""
    size = np.maximum(sizes(first), sizes(second))
    return jumps(first.sample(first.duration or 0.0), second.sample(0.0), size)


def _briefly(pieces: tuple[Drive, ...]) -> list[str]:
    texts = [str(piece) for piece in pieces[:5]]
    return texts if len(pieces) <= 5 else [*texts, f"{len(pieces) - 5} more"]


@dataclass(frozen=True, repr=False)
class Repeat(Drive):
    """A law again and again."""

    drive: Drive
    times: int
    duration: float = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "duration", self.times * self._period)

    @property
    def _period(self) -> float:
        return self.drive.duration or 0.0

    def _sample(self, t: Array) -> Array:
        seams: Array = np.arange(self.times + 1, dtype=float) * self._period
        index = np.clip(np.searchsorted(seams, t, side="right") - 1, 0, self.times - 1)
        return self.drive._sample(_own_time(t, seams[index], seams[index + 1], self._period))

    def _corners(self) -> tuple[float, ...]:
        inner, seam = self.drive._corners(), _seam_jumps(self.drive, self.drive)
        corners: list[float] = []
        for k in range(self.times):
            start = k * self._period
            corners += [start] if k and seam else []
            corners += [start + t for t in inner]
        return tuple(corners)

    def _starts_with_jump(self) -> bool:
        return self.drive._starts_with_jump()

    def _ends_with_jump(self) -> bool:
        return self.drive._ends_with_jump()

    def __str__(self) -> str:
        return f"{self.times} times {self.drive}"


def sequence(*drives: Drive) -> Drive:
    """One law after the other; the values must join, rates may jump.

    drives : the laws in their order; all but the last have a duration

    >>> from linkwork.drives import dwell, ramp
    >>> sequence(ramp(0, 1, duration=2), dwell(1, duration=1), ramp(1, 0, duration=2)).duration
    5.0
    """
    checks = Checks("sequence")
    pieces = tuple(piece for piece in drives if isinstance(piece, Drive))
    if not drives:
        checks.problem("there are no pieces", "give drives, such as sequence(ramp(0, 1), dwell(1, duration=2))")
    for i, given in enumerate(drives, 1):
        if not isinstance(given, Drive):
            checks.problem(
                f"piece {i} is of type {type(given).__name__}, not a drive", "make it with ramp(...), dwell(...)"
            )
        elif given.duration is None and i < len(drives):
            checks.problem(f"piece {i} ({given}) has no end", "put it last, or use a law with a duration")
    if not checks.problems:
        for i, (before, after) in enumerate(pairwise(pieces), 1):
            _check_join(checks, before, after, f"piece {i} ({before})", f"piece {i + 1} ({after})")
    checks.done()
    starts = [0.0]
    for piece in pieces[:-1]:
        starts.append(starts[-1] + (piece.duration or 0.0))
    last = pieces[-1].duration
    end = starts[-1] + (last or 0.0)
    if len(pieces) > 1:
        checks.lasting(end, "give shorter pieces")
    checks.done()
    return Sequence(pieces, tuple(starts), None if last is None else end)


def repeat(drive: Drive, times: int) -> Drive:
    """A law several times; it must end where it begins.

    drive : a law with a duration
    times : how often, 1 or more
    """
    checks = Checks("repeat")
    count: Any = times
    if isinstance(count, bool) or not isinstance(count, int | np.integer):
        checks.problem(f"times is {str(count)[:30]}, not a whole number", "give 1 or more")
    elif not 1 <= count <= MAX_REPEATS:
        checks.problem(f"times is {count}", f"give a whole number from 1 to {MAX_REPEATS}")
    if not isinstance(drive, Drive):
        checks.problem(
            f"this is of type {type(drive).__name__}, not a drive", "make one with table(...), sequence(...)"
        )
    elif drive.duration is None:
        checks.problem(f"{drive} has no end", "it goes on already")
    elif count != 1:
        _check_join(checks, drive, drive, f"the end of {drive}", "its start")
    checks.done()
    checks.lasting(count * (drive.duration or 0.0), "repeat it less often")
    checks.done()
    return Repeat(drive, int(count))


def _check_join(checks: Checks, before: Drive, after: Drive, first: str, second: str) -> None:
    left, right = float(before.sample(before.duration or 0.0)[0]), float(after.sample(0.0)[0])
    size = max(sizes(before)[0], sizes(after)[0])
    if abs(right - left) > JOIN * size:
        what = f"the value jumps from {plain(left)} to {plain(right)} between {first} and {second}"
        checks.problem(what, "let one begin where the other ends, or put a move between them")
