"""Many postures at once, with rates and accelerations: along a path of drive values, or each near a known posture.

A path is followed in order (`posture_paths`), in strides where its samples lie close together; the samples between are
interpolated. All are then brought to round-off by a kernel that makes Newton's step on the whole batch, and another
gives the rates. Nothing is done sample by sample in Python.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.batches import Parts, crossings, polished_parts, quality_of, rates_of_parts
from linkwork.analyses.kinematics.diagnosis import stop_of
from linkwork.analyses.kinematics.failures import ClosureError, Interrupted
from linkwork.analyses.kinematics.idle_freedoms import idle_rates
from linkwork.analyses.kinematics.interpolation import interpolated
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.posture_paths import Solver, follow, solver_for, ways_of
from linkwork.analyses.kinematics.samples import Course, Swept, part_of
from linkwork.analyses.kinematics.singular_samples import mend, smooth
from linkwork.analyses.kinematics.weak_pivots import closed_anew, rates_anew
from linkwork.geometry import Array

STRIDE = 0.05
"""Way of the drives between followed postures where samples lie closer [rad, or parts of the machine's size]."""
FEW = 256
"""Samples up to which every one is followed."""
MARGIN = 6
"""Samples added beyond a singular end, to see whether the path runs on."""
WEAK = 1e9
"""Growth of Σ 1/pivot², from its least along the samples, at which a posture is singular."""
STRAY = 0.5
"""How far Newton's method may lead from a followed or interpolated posture."""
ASTRAY = 1e-3
"""How far Newton's method may lead from the parabola over a singular posture: it could go anywhere there."""
DOUBTFUL = 1e6
"""Growth of Σ 1/pivot² at which accelerations have few digits left."""
LEAST_WEAK, MOST_WEAK = 1e10, 1e14
"""A posture below is never singular, above always."""


def swept(
    loops: Loops,
    home: Array,
    independent: Mask,
    driven: NDArray[np.int64],
    U: Array,
    given: list[Array],
    *,
    path: bool = True,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
    course: Course | None = None,
) -> Swept:
    """Postures at drive values U (samples, driven), and rates for given independent ones.

    home : the closed posture to start from; driven : places of the driven variables among y
    given : rates, accelerations, ... (samples, nw) of which the independent columns count
    path : follow the samples in order; else every sample is solved by itself from home, which must be near
    course : laws of time on which the samples lie: where rates are held, postures depend on what is between samples
    """
    found = _swept(loops, home, independent, driven, U, given, path, threads, progress, course)
    before, after = _poor_ends(found, path)
    if found.integrated is not None and course is not None and len(driven) > 1:
        return found  # beyond their ends the laws tell nothing
    if not (before or after) or np.isin(driven, [q + k for q in loops.quaternions for k in range(4)]).any():
        return found
    head, tail = _beyond(loops, home, driven, U)
    longer = np.vstack([head, U, tail]) if before else np.vstack([U, tail])
    first = len(head) if before else 0
    rows = np.clip(np.arange(len(longer)) - first, 0, len(U) - 1)
    other = _swept(loops, home, independent, driven, longer, [g[rows] for g in given], path, threads, None, None)
    if other.reached < first + len(U):
        return found
    return part_of(other, first, len(U))


def _poor_ends(found: Swept, path: bool) -> tuple[bool, bool]:
    """Whether the first and the last sample seem to be singular, through which a longer path might run."""
    if not path or not found.loops.count or isinstance(found.stop, Interrupted):
        return False, False
    first = found.reached == 0 or 0 in found.singular
    return first, found.asked - found.reached == 1 or found.asked - 1 in found.singular


def _beyond(loops: Loops, home: Array, driven: NDArray[np.int64], U: Array) -> tuple[Array, Array]:
    """Some samples before the first one, on the way from home, and some after the last one."""
    scale = loops.variable_scale[driven]
    arriving = U[0] - home[driven]
    ways = []
    for step in (arriving, U[-1] - U[-2] if len(U) > 1 else arriving):
        size = float(np.abs(step * scale).max())
        ways.append(step * (np.clip(size, 0.005, 0.03) / size) if size > 0.0 else step)
    count = np.arange(1.0, MARGIN + 1)[:, np.newaxis]
    return U[0] - ways[0] * count[::-1], U[-1] + ways[1] * count


def _swept(
    loops: Loops,
    home: Array,
    independent: Mask,
    driven: NDArray[np.int64],
    U: Array,
    given: list[Array],
    path: bool,
    threads: int | None,
    progress: Callable[[int], None] | None,
    course: Course | None,
) -> Swept:
    asked = len(U)
    if not loops.count:
        Y = np.tile(home, (asked, 1))
        Y[:, driven] = U
        none = np.zeros(asked)
        rates = [np.ascontiguousarray(g) for g in given]
        return Swept(loops, independent, Y, rates, none, none + 1.0, none.astype(np.int64), _NONE, asked)
    held = independent & loops.turning & ~loops.rates_of(driven)
    solver = solver_for(loops, independent, held, idle_rates(loops, home, independent, held), bool(held.any()))
    stop: ClosureError | None = None
    effort = np.zeros(asked, np.int64)
    leapt = _NONE
    integrated = None
    if held.any():
        from linkwork.analyses.kinematics.held_rates import along_path, each_from_home  # which brings numba with it

        if path:
            along = along_path(solver, home, driven, U, course, progress)
        else:
            along = each_from_home(solver, home, driven, U)
        Y, leapt, stop, integrated = along.Y, along.leapt, along.stop, along.integrated
        effort = np.zeros(len(Y), np.int64)
    elif path:
        Y, effort, leapt, stop = _along(solver, home, driven, U, progress)
    else:
        Y = np.tile(home, (asked, 1))
        Y[:, driven] = U
        solver.best(home)
    fill = Y[leapt]
    parts: Parts = [(solver, np.arange(len(Y)))] if integrated is None else along.parts
    by_order, measures, rounds = polished_parts(parts, Y, threads, STRAY if path else np.inf)
    anew = closed_anew(parts, by_order, Y, measures)
    orders = {order: own for found in by_order for order, own in found.items()}
    astray = leapt[~(np.abs((Y[leapt] - fill) * loops.variable_scale).max(axis=1, initial=0.0) <= ASTRAY)]
    Y[astray], measures[astray, 0], measures[astray, 2] = fill[np.isin(leapt, astray)], np.inf, np.inf
    residual = np.sqrt(measures[:, 0])
    at_home = min((solver.weakness(kernel, home) for kernel in solver.pool.values()), default=np.inf)
    least = float(np.nanmin(measures[:, 2], initial=at_home))
    singular = np.flatnonzero(~(measures[:, 2] < np.clip(WEAK * least, LEAST_WEAK, MOST_WEAK)))
    doubtful = np.flatnonzero(~(measures[:, 2] < DOUBTFUL * least))
    asked_rates = [np.ascontiguousarray(g[: len(Y)]) for g in given]
    rates = rates_of_parts(parts, by_order, Y, asked_rates, threads)
    rates_anew(loops, anew, Y, asked_rates, rates)
    quality = quality_of(loops, independent, Y, measures[:, 3])
    result = Swept(loops, independent, Y, rates, residual, quality, effort + rounds, singular, asked, stop)
    result.integrated = integrated
    if path:
        result.crossed = crossings(orders, measures[:, 3])
        way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(ways_of(loops, driven, U))))])[: len(Y)]
        smooth(result, singular, doubtful, way)
    mend(result, path)
    return result


_NONE = np.zeros(0, np.int64)


# ---------------------------------------------------------------- paths


def _along(
    solver: Solver, home: Array, driven: NDArray[np.int64], U: Array, progress: Callable[[int], None] | None
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64], ClosureError | None]:
    """Postures along U, followed from home; fewer when the path ends early."""
    scale = solver.loops.variable_scale[driven]
    first = np.vstack([home[driven], U[:1]])
    y0, arrival = home, 0
    if not np.array_equal(first[0], first[1]):
        start = follow(solver, home, driven, first)
        if start.reached < 2:
            return np.empty((0, len(home))), _NONE, _NONE, stop_of(solver, start, driven, first)
        y0, arrival = start.Y[1], int(start.effort.sum())
    apart = float(np.abs(np.diff(U, axis=0) * scale).max(initial=0.0))
    stride = int(STRIDE / apart) if apart > 0.0 else len(U)
    if len(U) <= FEW or stride < 4:
        path = follow(solver, y0, driven, U, progress)
        leapt = np.array(path.leapt, np.int64)
        path.effort[0] += arrival
        return path.Y, path.effort, leapt, None if path.reached == len(U) else stop_of(solver, path, driven, U)
    return _in_strides(solver, y0, driven, U, min(stride, len(U) // 8), progress)


def _in_strides(
    solver: Solver,
    y0: Array,
    driven: NDArray[np.int64],
    U: Array,
    stride: int,
    progress: Callable[[int], None] | None,
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64], ClosureError | None]:
    """Every stride-th sample followed, the others interpolated; the samples of a last broken stride are followed."""
    nodes = np.arange(0, len(U), stride)
    report = None if progress is None else (lambda done: progress(done * stride))
    path = follow(solver, y0, driven, U[nodes], report)
    count = path.reached
    Y = np.empty((len(U), len(y0)))
    effort = np.zeros(len(U), np.int64)
    whole = (count - 1) * stride + 1
    Y[:whole] = interpolated(path.Y, stride)
    Y[:whole, driven] = U[:whole]
    effort[nodes[:count]] = path.effort
    leapt = nodes[list(path.leapt)]
    if whole == len(U):
        return Y, effort, leapt, None
    rest = follow(solver, path.Y[-1], driven, U[whole - 1 :])
    Y[whole - 1 : whole - 1 + rest.reached] = rest.Y
    effort[whole - 1 : whole - 1 + rest.reached] += rest.effort
    leapt = np.concatenate([leapt, whole - 1 + np.array(rest.leapt, np.int64)])
    stop = None if rest.reached == len(U) - whole + 1 else stop_of(solver, rest, driven, U[whole - 1 :])
    end = whole - 1 + rest.reached
    return Y[:end], effort[:end], leapt, stop
