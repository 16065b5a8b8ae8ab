"""What lies between the samples of a run, for curves that are drawn: smooth however few samples there are.

Where a signal's rate of change is in the run too, the curve is Hermite's through values and rates (cubic), and through
accelerations (of degree five): P.position with P.velocity and P.acceleration, A.angle with A.angle.rate, ... What has
no rate there (a reaction, an effort) gets a cubic that never goes beyond its samples (Fritsch and Carlson, SIAM J.
Numer. Anal. 17, 1980). Where rates and values contradict each other, because the samples are too far apart or because
something struck in between, a line is straight. Tables and files have the samples alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.geometry import Array

FEW = 64
"""Samples from which a run is drawn as it is."""
FINE = 360
"""Parts of which the curves of others are made at least."""
MOST = 60
"""Parts between two samples at most."""
ALLOWED = (0.25, 0.1)
"""How far values may be from what their rates tell, in parts of the whole range: of cubics, and with accelerations."""


@dataclass(frozen=True, eq=False)
class Between:
    """Numbers over time with what is known of their rates of change.

    time (samples,) : of the samples, in order
    known : values, first and second rates (samples, ...), as far as there are some
    wanted : 0 for the values, 1 and 2 for their first and second rates: of velocities and accelerations whose own
        rates are not known as far
    struck : times [s] of events, which may break a curve
    length : give the lengths of the vectors
    """

    time: Array
    known: Sequence[Array]
    wanted: int = 0
    struck: Sequence[float] = ()
    length: bool = False

    @cached_property
    def parts(self) -> int:
        """Parts between two samples; 1 where the samples are enough."""
        return min(MOST, -(-FINE // max(1, len(self.time) - 1))) if len(self.time) < FEW else 1

    @cached_property
    def times(self) -> Array:
        """Times [s] of the curve."""
        return self._spread(lambda s, i: self.time[i] + s * (self.time[i + 1] - self.time[i]), self.time)

    @cached_property
    def values(self) -> Array:
        """Numbers of the curve, one a time."""
        found = self._spread(self._on_curve, self.known[self.wanted])
        return np.linalg.norm(found, axis=-1) if self.length else found

    @cached_property
    def straight(self) -> Any:
        """Between which samples nothing better than a straight line is known."""
        h = self._column(np.diff(self.time))
        x, *rates = self.known
        finite = x[np.isfinite(x)]
        reach = float(np.ptp(finite)) if finite.size else 0.0
        off = np.zeros(h.shape)
        if rates:
            v = rates[0]
            off = np.diff(x, axis=0) - h * (v[1:] + v[:-1]) / 2.0
        if len(rates) > 1:
            off = off + h * h * np.diff(rates[1], axis=0) / 12.0
        limit = ALLOWED[len(rates) > 1] * reach
        wrong = ~(np.abs(off) <= limit).reshape(len(h), -1).all(axis=1)
        for t in self.struck:
            wrong |= (self.time[:-1] < t) & (t < self.time[1:])
        return wrong

    def _column(self, steps: Array) -> Array:
        return steps.reshape(-1, *[1] * (self.known[0].ndim - 1))

    def _spread(self, made: Any, last: Array) -> Array:
        """Numbers at all parts of all intervals, and those of the last sample."""
        count = self.parts
        i = np.repeat(np.arange(len(self.time) - 1), count)
        s = np.tile(np.arange(count) / count, len(self.time) - 1)
        moving = (np.diff(self.time)[i] > 0.0) | (s == 0.0)
        return np.concatenate([made(s[moving], i[moving]), last[-1:]])

    def _on_curve(self, s: Array, i: Any) -> Array:
        h = self._column(np.diff(self.time)[i])
        s = self._column(s)
        plain = self.straight[i]
        x, *rates = self.known
        if not rates:
            rates = [_gentle_slopes(self.time, x)]
        shown = self.known[self.wanted]
        line = shown[i] + s * (shown[i + 1] - shown[i])
        v = rates[0]
        if len(rates) > 1:
            curve = _quintic(x, v, rates[1], h, s, i, self.wanted)
        else:
            d = x[i + 1] - x[i] - h * v[i]
            e = h * (v[i + 1] - v[i])
            curve = x[i] + s * (h * v[i] + s * (3.0 * d - e + s * (e - 2.0 * d)))
        return np.where(self._column(plain), line, curve)


def _quintic(x: Array, v: Array, a: Array, h: Array, s: Array, i: Any, wanted: int) -> Array:
    """The polynomial of degree five through values, rates and accelerations of both ends, or a derivative of it."""
    d = x[i + 1] - x[i] - h * v[i] - h * h * a[i] / 2.0
    e = h * (v[i + 1] - v[i] - h * a[i])
    f = h * h * (a[i + 1] - a[i])
    c2 = h * h * a[i] / 2.0
    c3, c4, c5 = 10.0 * d - 4.0 * e + f / 2.0, 7.0 * e - 15.0 * d - f, 6.0 * d - 3.0 * e + f / 2.0
    whole = np.where(h > 0.0, h, 1.0)
    found: Array
    if wanted == 2:
        found = a[i] + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5)) / (whole * whole)
    elif wanted == 1:
        found = v[i] + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5))) / whole
    else:
        found = x[i] + s * (h * v[i] + s * (c2 + s * (c3 + s * (c4 + s * c5))))
    return found


def _gentle_slopes(time: Array, x: Array) -> Array:
    """Slopes by which a cubic never goes beyond its samples: harmonic means of those on both sides, 0 at extremes."""
    h = np.diff(time).reshape(-1, *[1] * (x.ndim - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        lines = np.where(h > 0.0, np.diff(x, axis=0) / h, np.nan)
        before, after = lines[:-1], lines[1:]
        w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
        inner = np.where(before * after > 0.0, (w1 + w2) / (w1 / before + w2 / after), 0.0)
    found = np.concatenate([lines[:1], inner, lines[-1:]])
    # Beside a jump, and beside a gap, the slope of the other side.
    found[:-1] = np.where(np.isfinite(found[:-1]), found[:-1], np.nan_to_num(lines))
    kept: Array = np.nan_to_num(found)
    return kept
