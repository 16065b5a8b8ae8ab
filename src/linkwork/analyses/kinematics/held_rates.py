"""Samples of motions in which rates are held: every posture is that at the end of its way of the drives.

A rate of a joint that turns freely (`S.wx`) has no variable. Where one is held, a posture is not a function of the
drives alone but of the way they came, and is integrated along it (`rate_paths`):

- a motion goes along its laws of time,
- arrays go from sample to sample in straight lines,
- samples that are solved by themselves are each reached from home in a straight line.

Where all of this happens on one straight line of the drives, as it always does with a single drive, the posture is a
function of the place on that line: it is integrated once each way, and going back undoes going there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.diagnosis import stop_of
from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.analyses.kinematics.posture_paths import FIRST, POOR, Path, Solver
from linkwork.analyses.kinematics.rate_paths import TOLERANCE, Carried, Carrying, Route, carry
from linkwork.analyses.kinematics.samples import Course, Integrated
from linkwork.drives import Drive
from linkwork.geometry import Array
from linkwork.numerics import path_integration as loop
from linkwork.numerics.stepping.laws import breaks_of, piecewise, together

Progress = Callable[[int], None]
STRAIGHT = 256.0 * float(np.finfo(float).eps)
"""How far from a line samples may lie that are on it but for rounding, in parts of their size."""
EVERY = 100_000
"""Steps that a single sample may take."""


@dataclass(eq=False)
class Along:
    """Postures of samples, those that were reached one after the other.

    parts : solvers, and the samples that each of them serves; the rest as of `Swept`
    """

    Y: Array
    leapt: NDArray[np.int64]
    stop: ClosureError | None
    parts: list[tuple[Solver, NDArray[np.int64]]]
    integrated: Integrated


@dataclass(eq=False)
class _Gathering:
    """Samples that are being found; `owner` numbers the solvers, -1 where a sample is not reached."""

    solver: Solver
    driven: NDArray[np.int64]
    Y: Array
    owner: NDArray[np.int64]
    solvers: list[Solver] = field(default_factory=list)
    leapt: list[int] = field(default_factory=list)
    ends: list[Carried] = field(default_factory=list)
    steps: int = 0
    rejected: int = 0

    def take(self, found: Carried, samples: NDArray[np.int64]) -> None:
        """Put postures of a route to their samples."""
        self.ends.append(found)
        self.steps, self.rejected = self.steps + found.steps, self.rejected + found.rejected
        self.Y[samples[: found.reached]] = found.Y
        for k, (first, solver) in enumerate(found.spans):
            last = found.spans[k + 1][0] if k + 1 < len(found.spans) else found.reached
            self.owner[samples[first:last]] = self.number(solver)
        self.leapt += samples[found.leapt].tolist()

    def number(self, solver: Solver) -> int:
        if solver not in self.solvers:
            self.solvers.append(solver)
        return self.solvers.index(solver)

    def result(self, count: int, stop: ClosureError | None, U: Array) -> Along:
        """The first samples, with driven variables at their values and quaternions of length one."""
        loops, Y, owner = self.solver.loops, self.Y[:count], self.owner[:count]
        Y[:, self.driven] = U[:count]
        for q in loops.quaternions:
            Y[:, q : q + 4] /= np.linalg.norm(Y[:, q : q + 4], axis=1, keepdims=True)
        Y[owner < 0] = np.nan
        leapt = np.array(sorted(k for k in self.leapt if k < count), np.int64)
        parts = [(s, np.flatnonzero(owner == k)) for k, s in enumerate(self.solvers)]
        parts = [(s, own) for s, own in parts if own.size] or [(self.solver, np.arange(count))]
        lost = np.flatnonzero(owner < 0)
        if lost.size:
            parts[0] = (parts[0][0], np.union1d(parts[0][1], lost))
        exchanged = tuple(
            (int(own[0]), loops.names(np.flatnonzero(s.loose))) for s, own in parts if s is not self.solver
        )
        integrated = Integrated(
            loops.names(np.flatnonzero(self.solver.held)), loops.names(np.flatnonzero(self.solver.loose)), TOLERANCE,
            self.steps, self.rejected, exchanged, tuple(leapt.tolist()),
        )  # fmt: skip
        return Along(Y, leapt, stop, parts, integrated)


def _gathering(solver: Solver, driven: NDArray[np.int64], samples: int) -> _Gathering:
    owner = np.full(samples, -1, np.int64)
    return _Gathering(solver, driven, np.full((samples, solver.loops.plan.ny), np.nan), owner)


# ---------------------------------------------------------------- samples in order


def along_path(
    solver: Solver, home: Array, driven: NDArray[np.int64], U: Array, course: Course | None, progress: Progress | None
) -> Along:
    """Postures at samples U (samples, driven) in order, from home; fewer when the path ends early.

    course : the laws of time on which the samples lie; without, straight lines lead from one to the next
    """
    found = _gathering(solver, driven, len(U))
    start, y0 = home[driven], home
    moving = course is not None and len(course.laws) > 1 and len(U) > 1
    laws = [piecewise(*law) for law in _from_zero(course)] if moving and course is not None else []
    turning = sum(bool(np.abs(law.coefficients[:, 1:]).max(initial=0.0) > 0.0) for law in laws)
    places = None if turning > 1 else _on_line(solver, driven, start, U)
    if places is None and not np.array_equal(start, U[0]):  # to the first sample in a straight line
        arrival = carry(solver, home, driven, _line(solver, driven, start, U[0], np.ones(1)))
        found.steps, found.rejected = arrival.steps, arrival.rejected
        if not arrival.complete:
            return found.result(0, _stop(solver, arrival, driven, np.vstack([start, U[[0]], U[[-1]]])), U)
        start, y0 = U[0], arrival.last
        found.solver.best(y0)
        if arrival.spans[-1][1] is not solver:
            solver = arrival.spans[-1][1]
        places = None if turning > 1 else _on_line(solver, driven, start, U)
    if places is not None:
        _take_line(found, solver, y0, start, U, places, progress)
    elif turning > 1 and course is not None:
        t = course.times
        begin = max(float(-t[0]), 0.0)
        route = Route(together(laws), breaks_of(laws), float(t[0]) + begin, float(t[-1]) + begin, t + begin)
        found.take(carry(solver, y0, driven, route, progress), np.arange(len(U)))
    else:
        found.take(carry(solver, y0, driven, _polyline(solver, driven, start, U), progress), np.arange(len(U)))
    missing = np.flatnonzero(found.owner < 0)
    if not missing.size:
        return found.result(len(U), None, U)
    count = int(missing[0])
    before = U[count - 1] if count else start
    ended = next((e for e in reversed(found.ends) if not e.complete), found.ends[-1])
    if places is not None:
        ended = next((e for e in found.ends if not e.complete and _towards(e, driven, before, U[count])), ended)
    return found.result(count, _stop(solver, ended, driven, np.vstack([before, U[count], U[-1]])), U)


def _from_zero(course: Course) -> list[tuple[Drive, float, str]]:
    """Laws from the first sample on, or from zero where they begin later; until when; and their names."""
    t = course.times
    laws = course.laws if t[0] >= 0.0 else tuple(Later(law, float(t[0])) for law in course.laws)
    until = float(t[-1] - min(t[0], 0.0))
    return [(law, until, name) for law, name in zip(laws, course.names, strict=True)]


class Later(Drive):
    """A law as it is from a time on, which may be negative: before its begin a law may go on, or hold."""

    def __init__(self, law: Drive, start: float) -> None:
        self.law, self.start = law, start
        self.duration = None if law.duration is None else law.duration - start

    def _sample(self, t: Array) -> Array:
        return self.law.sample(t + self.start)

    def _corners(self) -> tuple[float, ...]:
        return tuple(t - self.start for t in self.law.breaks)

    def __str__(self) -> str:
        return str(self.law)


def _on_line(solver: Solver, driven: NDArray[np.int64], start: Array, U: Array) -> Array | None:
    """Places of samples on the straight line through the start and themselves, by their way; None if there is none."""
    scale = solver.loops.variable_scale[driven]
    away = (U - start) * scale
    lengths = np.abs(away).max(axis=1, initial=0.0)
    far = int(lengths.argmax())
    if lengths[far] == 0.0:
        return np.zeros(len(U))
    direction = away[far] / lengths[far]
    places: Array = away @ direction / (direction @ direction)
    allowed = STRAIGHT * max(float(np.abs(U * scale).max()), float(np.abs(start * scale).max()), float(lengths[far]))
    beside = np.abs(away - places[:, np.newaxis] * direction).max()
    if beside > allowed or (np.isin(driven, solver.loops.quaternion_parts).any() and len(U) > 1):
        return None
    places[far] = lengths[far]
    return places


def _line(solver: Solver, driven: NDArray[np.int64], start: Array, end: Array, parts: Array) -> Route:
    """Straight to an end, with samples at parts of the way."""
    length = float(np.abs((end - start) * solver.loops.variable_scale[driven]).max(initial=0.0))
    return Route(loop.straight(start, end, length), np.zeros(0), 0.0, length, np.minimum(parts * length, length))


def _take_line(
    found: _Gathering, solver: Solver, y0: Array, start: Array, U: Array, places: Array, progress: Progress | None
) -> None:
    """Both ways from the start along one line."""
    for side in (1.0, -1.0):
        own = np.flatnonzero(places * side > 0.0 if side < 0.0 else places >= 0.0)
        if not own.size or (found.ends and found.ends[-1].interrupted):
            continue
        order = own[np.argsort(places[own] * side, kind="stable")]
        at = places[order] * side
        end = U[order[-1]]
        if at[-1] == 0.0:
            found.Y[order], found.owner[order] = y0, found.number(solver)
            solver.best(y0)  # pivots for what is asked there
            continue
        route = _line(solver, found.driven, start, end, at / at[-1])
        found.take(carry(solver, y0, found.driven, route, progress), order)


def _polyline(solver: Solver, driven: NDArray[np.int64], start: Array, U: Array) -> Route:
    """Straight from sample to sample."""
    vertices = np.vstack([start, U])
    ways = np.abs(np.diff(vertices, axis=0) * solver.loops.variable_scale[driven]).max(axis=1)
    at = np.concatenate([[0.0], np.cumsum(ways)])
    kept = np.concatenate([[True], np.diff(at) > 0.0])
    laws = loop.polyline(vertices[kept], at[kept])
    return Route(laws, at[kept][1:-1], 0.0, float(at[-1]), at[1:])


def _towards(end: Carried, driven: NDArray[np.int64], before: Array, goal: Array) -> bool:
    """Whether a route ended on the way between two samples."""
    return bool((goal - before) @ (goal - end.last[driven]) >= 0.0)


def _stop(solver: Solver, ended: Carried, driven: NDArray[np.int64], U: Array) -> ClosureError:
    effort = np.zeros(1, np.int64)
    path = Path(ended.last[np.newaxis], effort, (), 0.0, ended.last, ended.interrupted)
    return stop_of(solver, path, driven, U)


# ---------------------------------------------------------------- samples by themselves


def each_from_home(solver: Solver, home: Array, driven: NDArray[np.int64], U: Array) -> Along:
    """Postures at samples U (samples, driven), each reached from home in a straight line; nan where that ends."""
    found = _gathering(solver, driven, len(U))
    start = home[driven]
    places = _on_line(solver, driven, start, U)
    if places is not None:
        _take_line(found, solver, home, start, U, places, None)
        return found.result(len(U), None, U)
    rays = Carrying(solver, home, driven, _line(solver, driven, start, start + 1.0, np.ones(1)))
    weak = POOR * rays.choose(home)
    goals = np.ascontiguousarray(U, float)
    y0 = np.array(home, float)
    found.steps = loop.integrate_rays(
        rays.rates, rays.route.laws, TOLERANCE, weak, FIRST, EVERY, y0, goals, rays.progress, found.Y
    )
    reached = np.isfinite(found.Y).all(axis=1)
    found.owner[reached] = found.number(solver)
    for k in np.flatnonzero(~reached):  # pivots that become poor, and singular postures on the way
        found.take(carry(solver, home, driven, _line(solver, driven, start, U[k], np.ones(1))), np.array([k]))
    return found.result(len(U), None, U)
