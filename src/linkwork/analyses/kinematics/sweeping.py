"""Many postures at once, with rates and accelerations: along a path of drive values, or each near a known posture.

A path is followed in order (`following`), in strides where its samples lie close together; the samples between are
interpolated. All are then brought to round-off by a kernel that makes Newton's step on the whole batch, and another
gives the rates. Nothing is done sample by sample in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.diagnosis import stop_of
from linkwork.analyses.kinematics.failures import CannotClose, ClosureError, Interrupted
from linkwork.analyses.kinematics.following import Path, Solver, follow, solver_for, ways_of
from linkwork.analyses.kinematics.idle import idle_rates
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.equations.closing import Order
from linkwork.errors import Problem
from linkwork.geometry import Array
from linkwork.kernels import Kernel
from linkwork.numerics.elimination import eliminate_batch

STRIDE = 0.05
"""Way of the drives between followed postures where samples lie closer [rad, or parts of the machine's size]."""
FEW = 256
"""Samples up to which every one is followed."""
ROUNDS = 12
LONG = 0.7
"""Longest of Newton's steps [rad, or parts of the machine's size]."""
MARGIN = 6
"""Samples added beyond a singular end, to see whether the path runs on."""
PIECE = 8192
"""Samples worked on at a time: their arrays stay in the processor's cache."""
POLISHED = 1e-26
"""Σ e² below which another of Newton's steps changes nothing."""
WEAK = 1e9
"""Growth of Σ 1/pivot², from its least along the samples, at which a posture is singular."""
ASTRAY = 1e-3
"""How far Newton's method may lead from the parabola over a singular posture: it could go anywhere there."""
DOUBTFUL = 1e6
"""Growth of Σ 1/pivot² at which accelerations have few digits left."""
LEAST_WEAK, MOST_WEAK = 1e10, 1e14
"""A posture below is never singular, above always."""


@dataclass(eq=False)
class Swept:
    """Postures of many samples.

    Y : variables (samples, ny); rates : their rates, accelerations, ... (samples, nw) each, as many as were given
    residual, quality, iterations : by sample; singular : samples where the independent rates do not determine the rest
    stop : why the last samples are missing, or None; asked : number of samples asked for
    crossed : samples before which the path ran through a singular posture
    carried, blank : singular samples whose rates were interpolated, and those that have none
    """

    loops: Loops
    independent: Mask
    Y: Array
    rates: list[Array]
    residual: Array
    quality: Array
    iterations: NDArray[np.int64]
    singular: NDArray[np.int64]
    asked: int
    stop: ClosureError | None = None
    crossed: list[int] = field(default_factory=list)
    carried: list[int] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)

    @property
    def warnings(self) -> list[str]:
        """What else should be known, as texts."""
        texts = []
        for samples, what in (
            (self.carried, "rates there are interpolated from the samples around"),
            (self.blank, "the drives do not determine all rates there, which are left blank (nan)"),
        ):
            if samples:
                more = f" and {len(samples) - 3} more" if len(samples) > 3 else ""
                texts.append(f"singular posture at sample {', '.join(str(k) for k in samples[:3])}{more}: {what}")
        beside = {k + d for k in self.singular.tolist() for d in (-1, 0, 1, 2)}
        crossed = [k for k in self.crossed if k not in beside]
        if crossed:
            more = f" and {len(crossed) - 3} more" if len(crossed) > 3 else ""
            where = ", ".join(f"{k - 1} and {k}" for k in crossed[:3])
            texts.append(f"the path runs through a singular posture between samples {where}{more}")
        return texts

    @property
    def reached(self) -> int:
        """Number of samples that are there."""
        return len(self.Y)


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
) -> Swept:
    """Postures at drive values U (samples, driven), and rates for given independent ones.

    home : the closed posture to start from; driven : places of the driven variables among y
    given : rates, accelerations, ... (samples, nw) of which the independent columns count
    path : follow the samples in order; else every sample is solved by itself from home, which must be near
    """
    found = _swept(loops, home, independent, driven, U, given, path, threads, progress)
    before, after = _poor_ends(found, path)
    if not (before or after) or np.isin(driven, [q + k for q in loops.quaternions for k in range(4)]).any():
        return found
    head, tail = _beyond(loops, home, driven, U)
    longer = np.vstack([head, U, tail]) if before else np.vstack([U, tail])
    first = len(head) if before else 0
    rows = np.clip(np.arange(len(longer)) - first, 0, len(U) - 1)
    other = _swept(loops, home, independent, driven, longer, [g[rows] for g in given], path, threads, None)
    if other.reached < first + len(U):
        return found
    return _part(other, first, len(U))


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


def _part(found: Swept, first: int, count: int) -> Swept:
    """Some samples of a sweep that went further."""
    own = slice(first, first + count)
    singular = found.singular[(found.singular >= first) & (found.singular < first + count)] - first
    stop = None if found.reached >= first + count else found.stop
    result = Swept(
        found.loops, found.independent, found.Y[own], [r[own] for r in found.rates], found.residual[own],
        found.quality[own], found.iterations[own], singular, count, stop,
    )  # fmt: skip
    result.crossed, result.carried, result.blank = (
        [k - first for k in own if first <= k < first + count] for own in (found.crossed, found.carried, found.blank)
    )
    return result


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
) -> Swept:
    asked = len(U)
    if not loops.count:
        Y = np.tile(home, (asked, 1))
        Y[:, driven] = U
        none = np.zeros(asked)
        rates = [np.ascontiguousarray(g) for g in given]
        return Swept(loops, independent, Y, rates, none, none + 1.0, none.astype(np.int64), _NONE, asked)
    held = independent & loops.turning & ~loops.rates_of(driven)
    solver = solver_for(loops, independent, held, idle_rates(loops, home, independent, held))
    stop: ClosureError | None = None
    effort = np.zeros(asked, np.int64)
    leapt = _NONE
    if path:
        Y, effort, leapt, stop = _along(solver, home, driven, U, progress)
    else:
        Y = np.tile(home, (asked, 1))
        Y[:, driven] = U
        solver.best(home)
    fill = Y[leapt]
    orders, measures, rounds = _polished(solver, Y, threads)
    astray = leapt[~(np.abs((Y[leapt] - fill) * loops.variable_scale).max(axis=1, initial=0.0) <= ASTRAY)]
    Y[astray], measures[astray, 0], measures[astray, 2] = fill[np.isin(leapt, astray)], np.inf, np.inf
    residual = np.sqrt(measures[:, 0])
    at_home = min((solver.weakness(kernel, home) for kernel in solver.pool.values()), default=np.inf)
    least = float(np.nanmin(measures[:, 2], initial=at_home))
    singular = np.flatnonzero(~(measures[:, 2] < np.clip(WEAK * least, LEAST_WEAK, MOST_WEAK)))
    doubtful = np.flatnonzero(~(measures[:, 2] < DOUBTFUL * least))
    rates = _rates(solver, orders, Y, [np.ascontiguousarray(g[: len(Y)]) for g in given], threads)
    quality = _quality(loops, independent, Y, measures[:, 3])
    result = Swept(loops, independent, Y, rates, residual, quality, effort + rounds, singular, asked, stop)
    if path:
        result.crossed = _crossings(orders, measures[:, 3])
        way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(ways_of(loops, driven, U))))])[: len(Y)]
        _smooth(result, singular, doubtful, way)
    _mend(result, path)
    return result


_NONE = np.zeros(0, np.int64)
FOUR = np.arange(4.0)


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
    Y[:whole] = _interpolated(path.Y, stride)
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


def _interpolated(nodes: Array, stride: int) -> Array:
    """Cubics through four neighbouring nodes each, `stride` samples apart."""
    count, width = nodes.shape
    if count < 4:
        x = np.arange((count - 1) * stride + 1) / stride
        return np.stack([np.interp(x, np.arange(count), column) for column in nodes.T], axis=1)
    part = np.arange(stride) / stride
    result = np.empty(((count - 1) * stride + 1, width))
    blocks = result[:-1].reshape(count - 1, stride, width)
    windows = np.lib.stride_tricks.sliding_window_view(nodes, 4, axis=0)  # (count - 3, width, 4)
    blocks[1:-1] = np.einsum("on,bwn->bow", _lagrange(FOUR, part + 1.0), windows, optimize=True)
    blocks[0] = _lagrange(FOUR, part) @ nodes[:4]
    blocks[-1] = _lagrange(FOUR, part + 2.0) @ nodes[-4:]
    result[-1] = nodes[-1]
    return result


# ---------------------------------------------------------------- batches


def _pieces(count: int) -> Iterator[slice]:
    for start in range(0, count, PIECE):
        yield slice(start, min(start + PIECE, count))


def _polished(solver: Solver, Y: Array, threads: int | None) -> tuple[dict[Order, NDArray[np.int64]], Array, int]:
    """Newton's steps on all samples, in place. By order, the samples it serves; measures (samples, 4); rounds."""
    loops = solver.loops
    measures = np.full((len(Y), 4), np.inf)
    served = np.full(len(Y), -1)
    rounds = 0
    for number, (_, kernel) in enumerate(list(solver.pool.items())):
        best = measures[:, 2].min(initial=np.inf)
        wanting = np.flatnonzero(~((measures[:, 2] <= 1e4 * best) & (measures[:, 0] <= loops.tolerance**2)))
        if not wanting.size:
            break
        whole = wanting.size == len(Y)
        trial = Y if whole else Y[wanting]
        found, took = _steps(kernel, trial, solver.loops, threads)
        rounds = max(rounds, took)
        if whole:
            measures[:], served[:] = found, number
            continue
        better = (found[:, 0] <= loops.tolerance**2) & (
            (found[:, 2] < measures[wanting, 2]) | ~(measures[wanting, 0] <= loops.tolerance**2)
        )
        chosen = wanting[better]
        Y[chosen], measures[chosen], served[chosen] = trial[better], found[better], number
    orders = {order: np.flatnonzero(served == k) for k, order in enumerate(solver.pool)}
    return orders, measures, rounds


def _steps(kernel: Kernel, Y: Array, loops: Loops, threads: int | None) -> tuple[Array, int]:
    """Newton's steps until nothing changes, in place; measures of the postures that are left in Y."""
    measures = np.empty((len(Y), 4))
    scale, quaternions = np.array([loops.length]), loops.quaternions
    most = 0
    for piece in _pieces(len(Y)):
        own, found = Y[piece], measures[piece]
        spare = np.empty_like(own)
        for number in range(ROUNDS):
            kernel(own, scale, out=(spare, found), threads=threads)
            settled = found[:, 0] <= POLISHED
            if settled.all():
                most = max(most, number + 1)
                break
            if found[:, 1].max() <= LONG**2:
                own[:] = spare
            else:
                _shortened(own, spare, found[:, 1], quaternions)
        else:
            most = ROUNDS
            kernel(own, scale, out=(spare, found), threads=threads)
    return measures, most


def _shortened(own: Array, moved: Array, squares: Array, quaternions: list[int]) -> None:
    """Take steps that are not too long; of longer ones a part, and of those that are no numbers nothing."""
    good = np.isfinite(moved).all(axis=1) & np.isfinite(squares)
    part = np.minimum(1.0, LONG / np.sqrt(np.maximum(squares[good], 1e-300)))[:, np.newaxis]
    own[good] += part * (moved[good] - own[good])
    for start in quaternions:
        turns = own[good, start : start + 4]
        own[good, start : start + 4] = turns / np.linalg.norm(turns, axis=1, keepdims=True)


def _quality(loops: Loops, independent: Mask, Y: Array, determinants: Array) -> Array:
    """|product of the pivots| by sample: that of the kernel where no other rows could be chosen, else with pivots anew.

    The null rows of planar loops leave no choice; Bennett's and Bricard's linkages do.
    """
    known = np.where(np.isfinite(determinants), np.abs(determinants), 0.0)
    if loops.huge or loops.rows_in_use <= loops.columns - independent.sum():
        return known
    for piece in _pieces(len(Y)):
        good = np.flatnonzero(np.isfinite(Y[piece]).all(axis=1)) + piece.start
        known[good] = eliminate_batch(loops.equations(Y[good])[1], independent).quality
    return known


def _crossings(orders: dict[Order, NDArray[np.int64]], determinants: Array) -> list[int]:
    """Samples before which the product of the same pivots changed its sign."""
    order_of = np.full(len(determinants), -1)
    for number, samples in enumerate(orders.values()):
        order_of[samples] = number
    signs = np.sign(np.nan_to_num(determinants))
    changed = (signs[1:] * signs[:-1] < 0.0) & (order_of[1:] == order_of[:-1])
    crossed: list[int] = (np.flatnonzero(changed) + 1).tolist()
    return crossed


def _rates(
    solver: Solver, orders: dict[Order, NDArray[np.int64]], Y: Array, given: list[Array], threads: int | None
) -> list[Array]:
    """Rates, accelerations, ... of all joints."""
    if not given:
        return []
    count = len(given[0])
    results = [np.empty((count, solver.loops.columns)) for _ in given]
    for order, samples in orders.items():
        own = samples[samples < count]
        if not own.size:
            continue
        kernel = solver.loops.rates_kernel(order, len(given))
        if own.size == count:
            out = tuple(results) if len(results) > 1 else results[0]
            kernel(Y[:count], *given, out=out, threads=threads)
            continue
        found = kernel(Y[own], *(g[own] for g in given), threads=threads)
        for result, part in zip(results, found if isinstance(found, tuple) else (found,), strict=True):
            result[own] = part
    return results


# ---------------------------------------------------------------- samples that need care


def _smooth(found: Swept, singular: NDArray[np.int64], doubtful: NDArray[np.int64], way: Array) -> None:
    """Variables and rates at singular postures, through which a path runs on smoothly: interpolated between both sides.

    The drives do not determine them there, and near by only with few digits (accelerations first). Where a path does
    not run on (its ends, a limit of travel) singular samples lose their rates, and that is told.
    """
    poor = np.union1d(singular, doubtful)
    for run in np.split(poor, np.flatnonzero(np.diff(poor) > 1) + 1):
        if not run.size:
            continue
        nodes = _nodes(poor, len(found.Y), int(run[0]), int(run[-1]))
        own = np.intersect1d(run, singular).tolist()
        if nodes is not None and _carried(found, run, nodes, way):
            found.carried += own
        else:
            found.blank += own
    for level in found.rates:
        level[np.ix_(np.array(found.blank, np.int64), np.flatnonzero(~found.independent))] = np.nan


def _nodes(poor: NDArray[np.int64], count: int, first: int, last: int) -> NDArray[np.int64] | None:
    """Three sound samples on each side of a run of poor ones, about as far apart as the run is long."""
    gap = max(1, (last - first + 2) // 2)
    for wider in range(4):
        nodes = np.array(
            [*(first - 1 - wider - gap * k for k in (2, 1, 0)), *(last + 1 + wider + gap * k for k in (0, 1, 2))]
        )
        if nodes[0] >= 0 and nodes[-1] < count and not np.isin(nodes, poor).any():
            return nodes
    return None


def _carried(found: Swept, run: NDArray[np.int64], nodes: NDArray[np.int64], way: Array) -> bool:
    """Interpolate a run of samples between nodes; False if polynomials of two degrees disagree."""
    x, places = way[run], way[nodes]
    if (np.diff(places) <= 0.0).any():
        x, places = run.astype(float), nodes.astype(float)
    high, low = _lagrange(places, x), _lagrange(places[1:-1], x)
    scales = [found.loops.variable_scale, *(1.0 / found.loops.column_scale for _ in found.rates)]
    for values, scale in zip((found.Y, *found.rates), scales, strict=True):
        fine, coarse = high @ (values[nodes] * scale), low @ (values[nodes[1:-1]] * scale)
        if not np.abs(fine - coarse).max() <= 1e-2 * max(1e-3, float(np.abs(values[nodes] * scale).max())):
            return False
    for values in (found.Y, *found.rates):
        values[run] = high @ values[nodes]
    for start in found.loops.quaternions:
        own = found.Y[run, start : start + 4]
        found.Y[run, start : start + 4] = own / np.linalg.norm(own, axis=1, keepdims=True)
    found.residual[run] = found.loops.residual(found.Y[run])
    return True


def _lagrange(nodes: Array, x: Array) -> Array:
    """Lagrange's weights (len(x), nodes)."""
    weights = np.ones((len(x), len(nodes)))
    for a in range(len(nodes)):
        for b in range(len(nodes)):
            if b != a:
                weights[:, a] *= (x - nodes[b]) / (nodes[a] - nodes[b])
    return weights


def _mend(found: Swept, path: bool) -> None:
    """Close what is still open, leaving weak pivots alone; samples that stay open are taken off, and told."""
    loops = found.loops
    for k in np.flatnonzero(~(found.residual <= loops.tolerance)):
        y = found.Y[k].copy()
        if not np.isfinite(y).all():
            continue
        for _ in range(8):
            stride = loops.correction(y, found.independent, 1e-4)
            if np.abs(stride).max(initial=0.0) > 0.05:
                break
            y = loops.advanced(y, stride)
            if np.abs(stride).max(initial=0.0) < 1e-13:
                break
        if np.isfinite(y).all() and not loops.residual(y) >= found.residual[k]:
            found.Y[k], found.residual[k] = y, float(loops.residual(y))
    wrong = np.flatnonzero(~(found.residual <= loops.tolerance))
    if not wrong.size:
        return
    first = int(wrong[0])
    share = f"{wrong.size} of {len(found.Y)} samples do" if wrong.size > 1 else f"sample {first} does"
    text = f"{share} not close, the error is up to {np.nanmax(np.append(found.residual[wrong], 0.0)):.2e}"
    hint = "it may lie beyond the limit of travel" if path else "start from a nearer posture, or follow the samples"
    stop = CannotClose(Problem(text, hint=hint), loops.plan.name)
    if path:
        _cut(found, first)
    else:
        found.Y[wrong] = np.nan
        for level in found.rates:
            level[wrong] = np.nan
    found.stop = stop if found.stop is None or path else found.stop


def _cut(found: Swept, count: int) -> None:
    """Keep the first samples only."""
    found.Y, found.residual, found.quality = found.Y[:count], found.residual[:count], found.quality[:count]
    found.iterations, found.rates = found.iterations[:count], [level[:count] for level in found.rates]
    found.singular = found.singular[found.singular < count]
    found.crossed, found.carried, found.blank = (
        [k for k in own if k < count] for own in (found.crossed, found.carried, found.blank)
    )


__all__ = ["Path", "Swept", "swept"]
