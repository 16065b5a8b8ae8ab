"""Branches of periodic motions over the frequency of what forces them: at given frequencies, or by arc length.

By arc length: with u = (z / S, log f), the motions are a curve r(u) = φ(z; f) - z = 0, whose tangent t is where
[Φ - 1, ∂φ/∂log f] t = 0. A step along it is corrected at right angles to it, so that folds, where the curve turns back,
are points like others; there t has no part along f, and a multiplier is 1. S are the amplitudes of z.
Nayfeh, Balachandran, Applied Nonlinear Dynamics, 1995, ch. 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.periodic.forcing import ATOL, RTOL, Forcing, Given
from linkwork.analyses.periodic.motion import Periodic, periodic_motion, periodic_of
from linkwork.analyses.periodic.shooting import NotPeriodic, Shooting
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

STEP, LONGEST, SHORTEST = 0.05, 0.15, 1e-6
"""Of the arc, in parts of the amplitude and of the frequency: first, longest, and where the search gives up."""
EASY, CORRECTIONS = 3, 9
"""Corrections after which steps grow; and how many there may be."""
CLOSED = 1e-9
"""What may be left between end and start, in parts of the amplitude."""
APART = 1e-5
"""Difference of log f by which motions are compared for their derivative by it."""
TURNED = 1e-7
"""Part of the tangent along log f that is none."""


@dataclass(frozen=True, eq=False)
class Fold:
    """Where a branch turns back: two motions meet there and vanish.

    frequency : [Hz]; motion : there; upper : whether the branch exists below that frequency, else above
    place : how many motions of the branch stand before it
    """

    frequency: float
    motion: Periodic
    upper: bool
    place: int


class Branch(tuple["Periodic", ...]):
    """Periodic motions over a frequency, each found from those before; `print` shows a table.

    `trouble` tells where the branch was lost, if it was; `folds` where it turns back; `crossings` between which
    frequencies its verdict changes.
    """

    trouble: str = ""
    folds: tuple[Fold, ...] = ()

    @property
    def frequencies(self) -> Array:
        """Of all motions [Hz]."""
        return np.array([own.frequency for own in self])

    def amplitudes(self, name: str) -> Array:
        """Of a signal, over the frequencies.

        Parameters
        ----------
        name : of a signal, as of a run
        """
        return np.array([own.amplitude(name) for own in self])

    @property
    def crossings(self) -> list[tuple[float, float]]:
        """Pairs of frequencies [Hz] between which the verdict changes."""
        return [(a.frequency, b.frequency) for a, b in pairwise(self) if a.verdict != b.verdict]

    def plot(self, name: str, ax: Any = None) -> Any:
        """Draw the amplitude of a signal over the frequency, unstable motions dashed, folds as marks.

        Parameters
        ----------
        name : of a signal, as of a run
        ax : axes to draw into; a new figure without
        """
        from linkwork.analyses.periodic.branch_plot import branch_plot

        return branch_plot(self, name).draw(ax)

    def __str__(self) -> str:
        lines = [f"{own.frequency:12.6g} Hz  {own.verdict:9}  " + ", ".join(
            f"{n} {own.amplitude(n):.6g}" for n in own.start) for own in self]  # fmt: skip
        lines += [f"  turns back {'down' if fold.upper else 'up'} at {fold.frequency:.9g} Hz" for fold in self.folds]
        return "\n".join([*lines, *([f"  {self.trouble}"] if self.trouble else [])])

    __repr__ = __str__


def periodic_sweep(
    machine: Machine, frequencies: Any, start: Any, rates: Any, states: Any, drives: Given, efforts: Given,
    parameters: Given, samples: int,
) -> Branch:  # fmt: skip
    """See `Machine.periodic_sweep`."""
    f = np.atleast_1d(np.asarray(frequencies, float))
    if f.ndim != 1 or not f.size or not (np.isfinite(f) & (f > 0.0)).all():
        hint = "np.linspace(0.5, 3.0, 26)"
        raise InputError(Problem("frequencies are numbers above zero, in Hz", "frequencies", hint), machine.name)
    found: list[Periodic] = []
    trouble = ""
    for own in f.tolist():
        first, speeds, begun = _guess(found, own) if found else (start, rates, states)
        moved, pushed, numbers = (x(own) if callable(x) else x for x in (drives, efforts, parameters))
        asked = machine.with_parameters(dict(numbers)) if numbers else machine
        try:
            found.append(periodic_motion(asked, 1.0 / own, first, speeds, begun, moved, pushed, samples, RTOL, ATOL))
        except NotPeriodic as error:
            trouble = f"the branch is lost at {own:.6g} Hz: {error.problems[0].what}"
            if not found:
                raise
            break
    branch = Branch(found)
    branch.trouble = trouble
    return branch


def _guess(found: list[Periodic], f: float) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Where the next motion may start: along the secant of the last two."""
    b = found[-1]
    if len(found) < 2 or found[-2].frequency == b.frequency:
        return b.start, b.rates, b.states
    a = found[-2]
    part = (f - b.frequency) / (b.frequency - a.frequency)

    def along(before: dict[str, float], last: dict[str, float]) -> dict[str, float]:
        return {n: x + part * (x - before[n]) for n, x in last.items()}

    return along(a.start, b.start), along(a.rates, b.rates), along(a.states, b.states)


# ---------------------------------------------------------------------------------------------------------- arc length


@dataclass(frozen=True, eq=False)
class _Point:
    """A motion on the branch: z, log f, what is left, Φ, ∂φ/∂log f."""

    shooting: Shooting
    z: Array
    level: float
    left: Array
    slopes: Array
    by_level: Array
    strides: int

    @property
    def period(self) -> float:
        return float(np.exp(-self.level))


@dataclass(eq=False)
class _Follower:
    """Follows one branch.

    scale : amplitudes of z, by which its parts are measured
    """

    forcing: Forcing
    samples: int
    scale: Array

    def motion(self, at: _Point) -> Periodic:
        return periodic_of(at.shooting, at.z, at.period, at.left, at.slopes, self.samples, at.strides)

    def measured(self, motion: Periodic, signals: list[str]) -> None:
        """Amplitudes grow along the branch; what hardly moves is measured by the largest of its kind."""
        own = np.array([motion.amplitude(name) for name in signals])
        self.scale = np.maximum(self.scale, np.maximum(own, 1e-3 * own.max(initial=0.0)))

    def tangent(self, at: _Point, before: Array) -> Array:
        """Of unit length, on the side of the one before."""
        J = np.column_stack([(at.slopes - np.eye(len(at.z))) * self.scale, at.by_level]) / self.scale[:, np.newaxis]
        t = np.linalg.svd(J)[2][-1]
        return np.asarray(t if t @ before >= 0.0 else -t)

    def corrected(
        self, at: _Point, t: Array, step: float, last: float | None = None, exact: bool = False
    ) -> _Point | None:
        """The motion a step along the tangent from one, at right angles to it; or that at a given log f.

        exact : whether its derivative by log f is found by itself, not from the motions that were met
        """
        z, level, by_level = at.z + step * t[:-1] * self.scale, at.level + step * t[-1], at.by_level
        row = t if last is None else np.concatenate([np.zeros(len(z)), [1.0]])
        level = level if last is None else last
        ahead, before, one = (
            np.concatenate([z / self.scale, [level]]),
            (at.z, at.level, at.left, at.slopes),
            np.eye(len(z)),
        )
        for stride in range(CORRECTIONS):
            shooting, period = self.forcing.at(float(np.exp(level))), float(np.exp(-level))
            try:
                left, slopes = shooting.shot(z, period)
            except NotPeriodic:
                return None
            if not np.isfinite(left).all() or np.abs(left / self.scale).max() > 1e3:
                return None
            if abs(level - before[1]) > 1e-9:  # r(b) - r(a) = (J(a) + J(b))/2 (b - a), to third order
                along = (0.5 * (slopes + before[3]) - one) @ (z - before[0])
                by_level = (left - before[2] - along) / (level - before[1])
            if np.abs(left / self.scale).max() <= CLOSED:
                by_level = self.by_level(z, level) if exact else by_level
                return _Point(shooting, z, level, left, slopes, by_level, stride)
            J = np.column_stack([(slopes - one) * self.scale, by_level]) / self.scale[:, np.newaxis]
            off = row @ (np.concatenate([z / self.scale, [level]]) - ahead)
            whole = np.vstack([J, row])
            move = -np.linalg.lstsq(whole, np.concatenate([left / self.scale, [off]]), rcond=None)[0]
            before = z, level, left, slopes
            z, level = z + move[:-1] * self.scale, level + move[-1]
        return None

    def by_level(self, z: Array, level: float) -> Array:
        """∂φ/∂log f, by central differences of fourth order."""
        weights = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
        h = 10 * APART
        parts = [
            weight * self.forcing.at(float(np.exp(level + k * h))).left(z, float(np.exp(-level - k * h)))
            for k, weight in weights.items()
        ]
        return np.asarray(np.sum(parts, axis=0) / h)

    def fold(self, at: _Point, t: Array, beyond: Array, step: float) -> _Point | None:
        """Where the tangent has no part along f, between a motion and the one a step beyond (regula falsi)."""
        low, high, below, above = 0.0, step, float(t[-1]), float(beyond[-1])
        found = None
        for _ in range(24):
            part = high - above * (high - low) / (above - below)
            found = self.corrected(at, t, part, exact=True)
            if found is None:
                return None
            here = float(self.tangent(found, t)[-1])
            if abs(here) <= TURNED or abs(high - low) <= 1e-12:
                return found
            if here * above < 0.0:
                low, below = high, above
            else:
                below *= 0.5
            high, above = part, here
        return found


def periodic_branch(
    machine: Machine, first: Any, last: Any, start: Any, rates: Any, states: Any, drives: Given, efforts: Given,
    parameters: Given, samples: int, most: int,
) -> Branch:  # fmt: skip
    """See `Machine.periodic_branch`."""
    ends = [_frequency(machine, "first", first), _frequency(machine, "last", last)]
    if ends[0] == ends[1]:
        raise InputError(Problem("a branch needs two frequencies that differ", "first, last"), machine.name)
    forcing = Forcing(machine, drives, efforts, parameters, tuple(start or {}))
    shooting, period = forcing.at(ends[0]), 1.0 / ends[0]
    given = shooting.asked["drives"], shooting.asked["efforts"]
    motion = periodic_motion(shooting.machine, period, start, rates, states, *given, samples, RTOL, ATOL)
    z = shooting.begun(motion.start, motion.rates, motion.states)
    follower = _Follower(forcing, samples, np.full(len(z), 1e-9))
    follower.measured(motion, shooting.signals)
    level, until = float(np.log(ends[0])), float(np.log(ends[1]))
    at = _Point(shooting, z, level, *shooting.shot(z, period), follower.by_level(z, level), motion.strides)
    side = np.concatenate([np.zeros(len(z)), [np.sign(until - level)]])
    t, step = follower.tangent(at, side), STEP
    found, folds, trouble = [motion], list[Fold](), ""
    while len(found) < most:
        after = follower.corrected(at, t, step)
        turned = None if after is None else follower.tangent(after, t)
        if after is None or turned is None or turned @ t < 0.8:
            step *= 0.5
            if step < SHORTEST:
                trouble = f"the branch is lost beyond {found[-1].frequency:.6g} Hz"
                break
            continue
        if t[-1] * turned[-1] < 0.0 and (fold := follower.fold(at, t, turned, step)) is not None:
            folds.append(Fold(float(np.exp(fold.level)), follower.motion(fold), bool(t[-1] > 0.0), len(found)))
        ended = next((x for x in (level, until) if (at.level - x) * (after.level - x) < 0.0), None)
        if ended is not None:
            final = follower.corrected(at, t, (ended - at.level) / (after.level - at.level) * step, ended)
            found += [follower.motion(final)] if final is not None else []
            break
        found.append(follower.motion(after))
        follower.measured(found[-1], shooting.signals)
        step = min(step * (1.6 if after.strides <= EASY else 1.0 if after.strides < CORRECTIONS - 2 else 0.6), LONGEST)
        at, t = after, follower.tangent(after, turned)
    else:
        trouble = f"{most} motions were found, and the branch goes on beyond {found[-1].frequency:.6g} Hz: most="
    branch = Branch(found)
    branch.trouble, branch.folds = trouble, tuple(folds)
    return branch


def _frequency(machine: Machine, name: str, value: Any) -> float:
    if not isinstance(value, int | float | np.number) or not 0.0 < float(value) < np.inf:
        raise InputError(Problem(f"{value!r} is no frequency", name, "give Hz above zero"), machine.name)
    return float(value)
