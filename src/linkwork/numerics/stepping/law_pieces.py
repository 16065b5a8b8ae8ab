"""Laws of time as polynomials, piece by piece, exact to round-off: what compiled loops can evaluate.

The acceleration of a drive is interpolated at Chebyshev points and integrated twice from the middle of the piece, where
value and rate are the drive's own: so all three are good to round-off, which differentiating an interpolated value
twice would not give. Of laws whose value alone is needed the value is interpolated. Pieces are halved until they agree
with the law at other points. Where halving does not help the law has a corner, which becomes an edge between pieces.

Trefethen, Approximation Theory and Approximation Practice, 2013, ch. 3, 8 and 18.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from linkwork.drives import Drive, as_drive
from linkwork.drives.checks import LARGEST
from linkwork.drives.expression_drive import ExpressionDrive
from linkwork.drives.sequences import Repeat, Sequence
from linkwork.drives.tables import Points
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.model.amount_values import evaluate
from linkwork.model.amounts import TIME, Formula, Steady, Tabulated, amount

DEGREE = 16
MOST = 200_000
"""Pieces of one law at most."""
GOOD = (1e-13, 1e-11, 1e-9)
"""Errors of value, rate and acceleration that are round-off, in parts of their largest sizes along the law."""
NOISY = (1e-10, 1e-8, 1e-6)
"""Errors that are allowed where they come from the law's own rounding, which halving a piece does not lessen."""
JUMP = 1e-7
"""Steps between two pieces, in parts of the sizes, that are more than any rounding."""
EPSILON = float(np.finfo(float).eps)
DEEP = 20
"""Halvings after which a piece is near a corner of the law."""
PASSES = 4
"""How often corners are looked for; from the second time on they are edges, and few are found anew."""
BOUNDLESS = 1e6
"""How much larger than on the first pieces a law may be on very short ones."""
LOOKED_AT = 256
"""Pieces into which a law without known structure is cut at first, lest a short event in it be overlooked: what is
shorter than a ten-thousandth of the whole may be."""


def _chebyshev_points(n: int) -> Array:
    """cos(π (2j + 1)/2n), as sines: symmetric to the last bit, with an exact zero in the middle."""
    points: Array = np.sin(np.pi / (2 * n) * np.arange(n - 1, -n, -2))
    return points


_NODES, _VALUE_NODES, _BETWEEN = (_chebyshev_points(n) for n in (DEGREE - 1, DEGREE + 1, DEGREE - 2))
"""Points of a piece, -1 < x < 1, at which an acceleration or a value is interpolated, and some at which the result is
compared with the law."""

Sampler = Callable[[Array], Array]
"""Times (n,) -> values, or value, rate, acceleration and jerk: (orders, n)."""


@dataclass(frozen=True)
class Pieces:
    """A law of time over 0 <= t <= until.

    edges : where pieces begin and end [s], (pieces + 1)
    coefficients : of Chebyshev polynomials T0, T1, ... of x = (2 t - a - b)/(b - a) on [a, b], (pieces, DEGREE + 1)
    breaks : times inside at which an integration has to stop: the rate or acceleration of a drive jumps there, or the
        value or slope of another law
    """

    edges: Array
    coefficients: Array
    breaks: tuple[float, ...]

    def __repr__(self) -> str:
        return f"{len(self.coefficients)} pieces until {self.edges[-1]:g} s, {len(self.breaks)} breaks"


def piecewise(law: Any, until: float, where: str = "drives") -> Pieces:
    """A drive with its rate and acceleration, for 0 <= t <= until.

    law : a drive, a number or a pair, as `as_drive` takes them
    until : [s]
    where : path of names that a problem is told with

    The value must not jump.
    """
    drive = as_drive(law, where)
    end = _checked_end(until, where)
    return _Fit(drive.sample, end, str(drive), where, rates=True).pieces(seams(drive, end), drive.breaks)


def piecewise_values(law: Any, until: float, where: str = "efforts") -> Pieces:
    """The values of a law alone, which may jump, for 0 <= t <= until.

    law : a number, a pair, a drive, the text of a formula of t, a table over t, or a function of an array of times
    until : [s]
    where : path of names that a problem is told with
    """
    end = _checked_end(until, where)
    sample, edges, text = _values_of(law, end, where)
    return _Fit(sample, end, text, where, rates=False).pieces(edges)


def _checked_end(until: float, where: str) -> float:
    if not 0.0 < until <= LARGEST:
        raise InputError(Problem(f"the time {until:g} s is no end of a law", where, "give a time above zero"))
    return float(until)


def _values_of(law: Any, end: float, where: str) -> tuple[Sampler, tuple[float, ...], str]:
    """A function of times, where it may not be smooth, and how it is called."""
    if isinstance(law, str):
        law = amount(law, where)
    if isinstance(law, Formula | Tabulated):
        others = [name for name in law.names if name != TIME]
        if others:
            raise InputError(Problem(f"it depends on {', '.join(others)}, not on time alone", where))
        text = law.text if isinstance(law, Formula) else "the table"
        edges = law.xs if isinstance(law, Tabulated) else _evenly(end)
        return lambda t: np.array([evaluate(law, {TIME: t})]), edges, text
    if callable(law):
        return lambda t: _called(law, t, where), _evenly(end), getattr(law, "__name__", "the function")
    drive = as_drive(law.value if isinstance(law, Steady) else law, where)
    return lambda t: drive.sample(t)[:1], seams(drive, end), str(drive)


def _called(law: Callable[[Array], Any], t: Array, where: str) -> Array:
    try:
        values = np.asarray(law(t), dtype=float)
    except (TypeError, ValueError) as error:
        hint = "it takes an array of times and gives as many numbers"
        raise InputError(Problem(f"the function fails: {error}", where, hint)) from error
    if values.shape not in ((), t.shape):
        hint = "it takes an array of times and gives as many numbers"
        raise InputError(Problem(f"the function gives {values.shape} for {t.size} times", where, hint))
    return np.broadcast_to(values, (1, t.size))


def _evenly(end: float) -> tuple[float, ...]:
    return tuple(np.linspace(0.0, end, LOOKED_AT + 1).tolist())


def seams(drive: Drive, end: float) -> tuple[float, ...]:
    """Times at which one formula of a drive may follow another, up to an end [s]."""
    match drive:
        case Sequence(pieces, starts):
            return tuple(t + start for piece, start in zip(pieces, starts, strict=True) for t in seams(piece, end))
        case Repeat(inner, times):
            period = inner.duration or 0.0
            own = seams(inner, end)
            return tuple(t + k * period for k in range(times) if k * period < end for t in own)
        case Points():
            return drive.times
        case ExpressionDrive():
            return _evenly(end)
    return () if drive.duration is None else (*drive.breaks, drive.duration)


# ---------------------------------------------------------------- fitting


@cache
def _to_coefficients(rates: bool) -> Array:
    """From what is sampled at the nodes to coefficients: (DEGREE + 1, nodes).

    With rates, of the acceleration for a piece of half-length 1; value and rate are zero in its middle.
    """
    n = len(_NODES if rates else _VALUE_NODES)
    order, node = np.arange(n)[:, None], np.arange(n)
    T = np.cos(np.pi / (2 * n) * ((order * (2 * node + 1)) % (4 * n)))  # of the nodes, to the last bit
    T[0] = 0.5
    result: Array = chebyshev.chebint(2.0 / n * T, m=2, k=[0.0, 0.0], lbnd=0.0) if rates else 2.0 / n * T
    return result


def _derivatives(coefficients: Array, x: Array, half: Array, orders: int) -> Array:
    """Value and derivatives by time of pieces (n, DEGREE + 1) at points x (n, points): (orders, n, points)."""
    found = []
    for m in range(orders):
        slopes = chebyshev.chebder(coefficients, m, axis=1).T[:, :, None]
        found.append(chebyshev.chebval(x, slopes, tensor=False) / half[:, None] ** m)
    return np.array(found)


@dataclass
class _Fit:
    """One law that is being fitted.

    sample : the law; end : until when; text, where : how it is called; rates : its rate and acceleration count, too
    """

    sample: Sampler
    end: float
    text: str
    where: str
    rates: bool

    def __post_init__(self) -> None:
        self.orders = 3 if self.rates else 1
        self.size = np.zeros(self.orders)
        self.first = np.zeros(self.orders)  # size on the first pieces

    def pieces(self, seams: tuple[float, ...], breaks: tuple[float, ...] = ()) -> Pieces:
        """The pieces, with edges at `seams` and at all corners found."""
        near = 16.0 * EPSILON * self.end
        inside = [t for t in (*seams, *breaks) if near < t < self.end - near]
        edges = _thinned([0.0, *inside, self.end], near)
        self._sampled(np.array([[0.0, self.end]]))
        for _ in range(PASSES):
            found, coefficients, corners = self._halved(edges)
            fresh = [t for t in corners if np.abs(edges - t).min() > 2.0 * near]
            if not fresh:
                break
            edges = _thinned([*edges, *fresh], near)
        # What is left between a corner and an edge next to it is no time: the piece before goes on to the one after.
        kept = np.diff(found) > 2.0 * near
        found = np.array([0.0, *found[:-1][kept][1:], self.end])
        coefficients = coefficients[kept]
        known = [float(found[np.abs(found - t).argmin()]) for t in breaks if near < t < self.end - near]
        return Pieces(found, coefficients, tuple(sorted({*known, *self._jumps(found, coefficients)})))

    def _halved(self, edges: Array) -> tuple[Array, Array, list[float]]:
        """Edges and coefficients of pieces that are halved until they are good; and corners, where many were needed."""
        a, b = edges[:-1], edges[1:]
        before = np.full((2, len(a), self.orders), np.inf)  # errors of the piece it is half of, and of that one's
        done: list[tuple[Array, Array, Array, Array]] = []
        depth = count = 0
        while a.size:
            coefficients, error, allowed = self._fitted(a, b, depth)
            noise = np.array(NOISY[: self.orders]) * self.size
            good = ((error <= allowed) | ((error <= noise) & (error > 0.5 * before[1]))).all(axis=1)
            good |= b - a <= 4.0 * EPSILON * self.end  # a jump: no time is between its sides
            done.append((a[good], b[good], coefficients[good], np.full(int(good.sum()), depth)))
            count += int(good.sum())
            a, b, error, before = a[~good], b[~good], error[~good], before[:, ~good]
            if count + 2 * a.size > MOST:
                what = f"{self.text} has no smooth pieces: {MOST} of them do not follow it until {self.end:g} s"
                raise InputError(Problem(what, self.where, "let it change more slowly, or simulate a shorter time"))
            middle = 0.5 * (a + b)
            a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
            before = np.tile(np.array([error, before[0]]), (1, 2, 1))
            depth += 1
        starts, stops, every, depths = (np.concatenate(x) for x in zip(*done, strict=True))
        order = np.argsort(starts)
        starts, stops = starts[order], stops[order]
        return np.append(starts, stops[-1]), every[order], _corners(starts, stops, depths[order])

    def _fitted(self, a: Array, b: Array, depth: int) -> tuple[Array, Array, Array]:
        """Coefficients of pieces (n, DEGREE + 1), their errors and the allowed ones (n, orders)."""
        nodes = _NODES if self.rates else _VALUE_NODES
        half, middle = 0.5 * (b - a)[:, None], 0.5 * (a + b)[:, None]
        # Near the ends, not at them: there the law may answer for the piece next to this one.
        last = 1.0 - np.clip(64.0 * EPSILON * self.end / half, 1e-9, 1e-3)
        x = np.concatenate([last, np.broadcast_to(_BETWEEN, (len(a), len(_BETWEEN))), -last], axis=1)
        here, there = self._sampled(middle + half * nodes), self._sampled(middle + half * x)
        self._grow(here, middle, depth)
        centre = here[:, :, len(nodes) // 2]
        if self.rates:
            coefficients = (half**2 * here[2]) @ _to_coefficients(True).T
            coefficients[:, 1] += centre[1] * half[:, 0]
        else:
            coefficients = (here[0] - centre[0][:, None]) @ _to_coefficients(False).T
        coefficients[:, 0] += centre[0]
        fitted = _derivatives(coefficients, x, half[:, 0], self.orders)
        error = np.abs(fitted - there[: self.orders]).max(axis=2).T
        # A time is rounded, and so is what follows from it: by the slope, of values that between most of the points.
        slopes = np.abs(there[1:4] if self.rates else np.diff(there) / np.diff(half * x))
        slope = (slopes.max(axis=2) if self.rates else np.median(slopes, axis=2)).T
        allowed = np.array(GOOD[: self.orders]) * self.size + 4.0 * EPSILON * b[:, None] * slope
        return coefficients, error, allowed

    def _grow(self, sampled: Array, middle: Array, depth: int) -> None:
        """Note the sizes of what was sampled on pieces halved so often."""
        largest = np.abs(sampled[: self.orders]).max(axis=2)
        size = largest.max(axis=1)
        wild = (self.first > 0.0) & (size > BOUNDLESS * self.first)
        if depth >= DEEP and wild.any():
            k = int(np.argmax(wild))
            when, word = middle[largest[k].argmax(), 0], ("value", "rate", "acceleration")[k]
            what = f"the {word} of {self.text} grows without bound near t = {when:g} s"
            raise InputError(Problem(what, self.where, "write a law that is finite and smooth at all times"))
        self.size = np.maximum(self.size, size)
        self.first = np.where(self.first > 0.0, self.first, size)

    def _sampled(self, t: Array) -> Array:
        values = self.sample(np.clip(t, 0.0, self.end).ravel())
        wrong = ~np.isfinite(values)
        if wrong.any():
            when = t.ravel()[wrong.any(axis=0)][0]
            what = f"{self.text} is {values[wrong][0]} at t = {when:g} s"
            raise InputError(Problem(what, self.where, "write a law that is finite at all times"))
        return values.reshape(-1, *t.shape)

    def _jumps(self, edges: Array, coefficients: Array) -> list[float]:
        """Edges at which the rate or acceleration jumps, or of a law of values its value or slope."""
        x = np.broadcast_to([-1.0, 1.0], (len(coefficients), 2))
        half = 0.5 * np.diff(edges)
        ends = _derivatives(coefficients, x, half, 3 if self.rates else 2)
        size = self.size if self.rates else np.array([self.size[0], np.abs(ends[1]).max()])
        shortest = np.minimum(half[1:], half[:-1])
        rounding = 0.0 if self.rates else 1e3 * EPSILON * self.size[0] / shortest ** np.arange(2.0)[:, None]
        far = np.abs(ends[:, 1:, 0] - ends[:, :-1, 1]) > JUMP * size[:, None] + rounding
        if self.rates and far[0].any():
            when = edges[1:-1][far[0]][0]
            hint = "a variable cannot be in two places; put a move between them"
            raise InputError(Problem(f"the value of {self.text} jumps at t = {when:g} s", self.where, hint))
        chosen: list[float] = edges[1:-1][far.any(axis=0)].tolist()
        return chosen


def _corners(starts: Array, stops: Array, depths: Array) -> list[float]:
    """The middle of the shortest piece of each run of pieces that were halved very often."""
    deep = np.flatnonzero(depths >= DEEP)
    runs = np.split(deep, np.flatnonzero(np.diff(deep) > 1) + 1) if deep.size else []
    shortest = [run[np.argmax(depths[run])] for run in runs]
    return [0.5 * float(starts[i] + stops[i]) for i in shortest]


def _thinned(times: list[float], near: float) -> Array:
    """Times in order, those nearer than `near` to the one before left out; the last is kept."""
    kept = [min(times)]
    for t in sorted(times):
        if t - kept[-1] > near:
            kept.append(t)
    kept[-1] = max(times)
    return np.array(kept)
