"""The steps of a simulation as far as they are kept: all of the last ones, fewer and fewer of those long ago."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from linkwork.geometry import Array

MOST = 1 << 23
"""Numbers that are kept; of more, every other step is left out."""
LEAST = 1 << 12
"""Steps that are kept however wide they are."""
RECENT = 24
"""Parts that are kept whole."""


@dataclass
class Trail:
    """Times, and (state, accelerations, rates of named states, work so far [J]) after steps, in parts as they came.

    count : parts so far, those included that were thinned
    """

    count: int = 0
    _old: list[tuple[Array, Array]] = field(default_factory=list)
    _new: list[tuple[Array, Array]] = field(default_factory=list)
    _rows: int = 0

    def append(self, times: Array, rows: Array) -> None:
        """Steps that were taken."""
        self._new.append((times, rows))
        self.count += 1
        self._rows += len(times)

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        yield from self._old
        yield from self._new

    def after(self, count: int) -> Sequence[tuple[Array, Array]]:
        """Parts that came after so many; none of them may have been thinned."""
        return self._new[len(self._new) - (self.count - count) :] if self.count > count else []

    def last(self, count: int) -> Sequence[tuple[Array, Array]]:
        """The last parts, at most so many."""
        return self._new[-count:]

    @property
    def is_full(self) -> bool:
        """Whether it is time to thin it."""
        return bool(self._new) and self._rows > max(LEAST, MOST // self._new[-1][1].shape[1])

    def thin(self) -> None:
        """Leave out every other of the steps before the last parts."""
        new = self._new[-RECENT:]
        own = [part for part in (*self._old, *self._new[:-RECENT]) if len(part[0])]
        if own:
            times, rows = (np.concatenate([part[k] for part in own])[1::2] for k in (0, 1))
            self._old = [(times.copy(), rows.copy())]
        self._new = new
        self._rows = sum(len(times) for times, _ in self)
