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

from linkwork.analyses.diagnosis import stop_of
from linkwork.analyses.failures import CannotClose, ClosureError
from linkwork.analyses.following import Path, Solver, follow
from linkwork.analyses.loops import CLOSED, Loops, Mask
from linkwork.equations.closing import Order
from linkwork.errors import Problem
from linkwork.geometry import Array
from linkwork.numerics.elimination import eliminate

STRIDE = 0.05
"""Way of the drives between followed postures where samples lie closer [rad, or parts of the machine's size]."""
FEW = 256
"""Samples up to which every one is followed."""
ROUNDS = 8
PIECE = 8192
"""Samples worked on at a time: their arrays stay in the processor's cache."""
POLISHED = 1e-26
"""Σ e² below which another of Newton's steps changes nothing."""
WEAK = 1e9
"""Growth of Σ 1/pivot², from its least along the samples, at which a posture is singular."""
LEAST_WEAK, MOST_WEAK = 1e10, 1e14
"""A posture below is never singular, above always."""


@dataclass(eq=False)
class Sweep:
    """Postures of many samples.

    Y : variables (samples, ny); rates : their rates, accelerations, ... (samples, nw) each, as many as were given
    residual, quality, iterations : by sample; singular : samples where the independent rates do not determine the rest
    stop : why the last samples are missing, or None; asked : number of samples asked for
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
    warnings: list[str] = field(default_factory=list)

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
) -> Sweep:
    """Postures at drive values U (samples, driven), and rates for given independent ones.

    home : the closed posture to start from; driven : places of the driven variables among y
    given : rates, accelerations, ... (samples, nw) of which the independent columns count
    path : follow the samples in order; else every sample is solved by itself from home, which must be near
    """
    asked = len(U)
    if not loops.count:
        Y = np.tile(home, (asked, 1))
        Y[:, driven] = U
        none = np.zeros(asked)
        rates = [np.ascontiguousarray(g) for g in given]
        return Sweep(loops, independent, Y, rates, none, none + 1.0, none.astype(np.int64), _NONE, asked)
    solver = Solver(loops, independent, independent & loops.turning & ~loops.rates_of(driven))
    stop: ClosureError | None = None
    effort = np.zeros(asked, np.int64)
    leapt: tuple[int, ...] = ()
    if path:
        Y, effort, leapt, stop = _along(solver, home, driven, U, progress)
    else:
        Y = np.tile(home, (asked, 1))
        Y[:, driven] = U
        solver.best(home)
    reached = len(Y)
    orders, measures, rounds = _polished(solver, Y, threads)
    residual = np.sqrt(measures[:, 0])
    open_ = np.flatnonzero(~(residual <= CLOSED))
    if open_.size:
        stop = _mended(loops, independent, Y, residual, open_, path, stop)
        if stop is not None and isinstance(stop, CannotClose) and path:
            reached = int(open_[0])
    least = float(np.nanmin(measures[:, 2], initial=np.inf))
    singular = np.flatnonzero(~(measures[:, 2] < np.clip(WEAK * least, LEAST_WEAK, MOST_WEAK)))
    singular = np.union1d(singular, np.array([k for k in leapt if k < reached], np.int64)).astype(np.int64)
    rates = _rates(solver, orders, Y, [np.ascontiguousarray(g[:reached]) for g in given], threads)
    cut = slice(0, reached)
    quality = np.where(np.isfinite(measures[:, 3]), np.abs(measures[:, 3]), 0.0)
    result = Sweep(
        loops, independent, Y[cut], rates, residual[cut], quality[cut], effort[cut] + rounds, singular, asked, stop
    )
    if singular.size:
        _smooth_singular(result, path)
    return result


_NONE = np.zeros(0, np.int64)


# ---------------------------------------------------------------- paths


def _along(
    solver: Solver, home: Array, driven: NDArray[np.int64], U: Array, progress: Callable[[int], None] | None
) -> tuple[Array, NDArray[np.int64], tuple[int, ...], ClosureError | None]:
    """Postures along U, followed from home; fewer when the path ends early."""
    scale = solver.loops.variable_scale[driven]
    first = np.vstack([home[driven], U[:1]])
    start = follow(solver, home, driven, first)
    if start.reached < 2:
        return np.empty((0, len(home))), _NONE, (), stop_of(solver, start, driven, first)
    y0 = start.Y[1]
    apart = float(np.abs(np.diff(U, axis=0) * scale).max(initial=0.0))
    stride = int(STRIDE / apart) if apart > 0.0 else len(U)
    if len(U) <= FEW or stride < 4:
        path = follow(solver, y0, driven, U, progress)
        leapt = path.leapt
        return path.Y, path.effort, leapt, None if path.reached == len(U) else stop_of(solver, path, driven, U)
    return _in_strides(solver, y0, driven, U, min(stride, len(U) // 8), progress)


def _in_strides(
    solver: Solver,
    y0: Array,
    driven: NDArray[np.int64],
    U: Array,
    stride: int,
    progress: Callable[[int], None] | None,
) -> tuple[Array, NDArray[np.int64], tuple[int, ...], ClosureError | None]:
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
    leapt = tuple(int(nodes[k]) for k in path.leapt)
    if whole == len(U):
        return Y, effort, leapt, None
    rest = follow(solver, path.Y[-1], driven, U[whole - 1 :])
    Y[whole - 1 : whole - 1 + rest.reached] = rest.Y
    effort[whole - 1 : whole - 1 + rest.reached] += rest.effort
    leapt += tuple(whole - 1 + k for k in rest.leapt)
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
    blocks[1:-1] = np.einsum("on,bwn->bow", _weights(part + 1.0), windows, optimize=True)
    blocks[0] = _weights(part) @ nodes[:4]
    blocks[-1] = _weights(part + 2.0) @ nodes[-4:]
    result[-1] = nodes[-1]
    return result


def _weights(x: Array) -> Array:
    """Lagrange's polynomials of the nodes 0, 1, 2, 3 at x, (len(x), 4)."""
    table = np.ones((len(x), 4))
    for a in range(4):
        for b in range(4):
            if b != a:
                table[:, a] *= (x - b) / (a - b)
    return table


# ---------------------------------------------------------------- batches


def _pieces(count: int) -> Iterator[slice]:
    for start in range(0, count, PIECE):
        yield slice(start, min(start + PIECE, count))


def _polished(solver: Solver, Y: Array, threads: int | None) -> tuple[dict[Order, NDArray[np.int64]], Array, int]:
    """Newton's steps on all samples, in place. By order, the samples it serves; measures (samples, 4); rounds."""
    measures = np.full((len(Y), 4), np.inf)
    served = np.full(len(Y), -1)
    rounds = 0
    for number, (_, kernel) in enumerate(list(solver.pool.items())):
        best = measures[:, 2].min(initial=np.inf)
        wanting = np.flatnonzero(~((measures[:, 2] <= 1e4 * best) & (measures[:, 0] <= CLOSED**2)))
        if not wanting.size:
            break
        whole = wanting.size == len(Y)
        trial = Y if whole else Y[wanting]
        found, took = _steps(kernel, trial, solver.loops.length, threads)
        rounds = max(rounds, took)
        if whole:
            measures[:], served[:] = found, number
            continue
        better = (found[:, 0] <= CLOSED**2) & (
            (found[:, 2] < measures[wanting, 2]) | ~(measures[wanting, 0] <= CLOSED**2)
        )
        chosen = wanting[better]
        Y[chosen], measures[chosen], served[chosen] = trial[better], found[better], number
    orders = {order: np.flatnonzero(served == k) for k, order in enumerate(solver.pool)}
    return orders, measures, rounds


def _steps(kernel: object, Y: Array, length: float, threads: int | None) -> tuple[Array, int]:
    """Newton's steps until nothing changes, in place; measures of the postures that are left in Y."""
    measures = np.empty((len(Y), 4))
    scale = np.array([length])
    most = 0
    for piece in _pieces(len(Y)):
        own, found = Y[piece], measures[piece]
        spare = np.empty_like(own)
        for number in range(ROUNDS):
            kernel(own, scale, out=(spare, found), threads=threads)  # type: ignore[operator]
            settled = found[:, 0] <= POLISHED
            if settled.all():
                most = max(most, number + 1)
                break
            moved = np.isfinite(spare).all(axis=1) & (found[:, 1] <= 4.0)
            if moved.all():
                own[:] = spare
            else:
                own[moved] = spare[moved]
        else:
            most = ROUNDS
            kernel(own, scale, out=(spare, found), threads=threads)  # type: ignore[operator]
    return measures, most


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


def _mended(
    loops: Loops,
    independent: Mask,
    Y: Array,
    residual: Array,
    open_: NDArray[np.int64],
    path: bool,
    stop: ClosureError | None,
) -> ClosureError | None:
    """Close what the kernels left open, near singular postures, leaving weak pivots alone; tell what stays open."""
    for k in open_:
        y = Y[k].copy()
        if not np.isfinite(y).all():
            continue
        for _ in range(40):
            e, J = loops.equations(y)
            if np.abs(e).max() <= 1e-13:
                break
            stride = eliminate(J, independent, 1e-5).solve(-e)[0]
            if np.abs(stride).max(initial=0.0) > 0.2:
                break
            y = loops.advanced(y, stride)
        if (np.isfinite(y).all() and loops.residual(y) < residual[k] + 1e-12) or not np.isfinite(residual[k]):
            Y[k], residual[k] = y, float(loops.residual(y))
    wrong = [int(k) for k in open_ if not residual[k] <= CLOSED]
    if not wrong:
        return stop
    worst = wrong[0]
    text = f"sample {worst} does not close: error {residual[worst]:.2e}"
    hint = "it may lie beyond the limit of travel" if path else "start from a nearer posture, or follow the samples"
    return CannotClose(Problem(text, hint=hint), loops.plan.name)


def _smooth_singular(found: Sweep, path: bool) -> None:
    """Rates at singular postures, which the drives do not determine there: those of the samples around carry on.

    Where they do not (the end of a path, a limit of travel) the rates are left blank, and that is told.
    """
    good = np.setdiff1d(np.arange(found.reached), found.singular)
    carried, blank = [], []
    for k in found.singular[found.singular < found.reached].tolist():
        near = _neighbours(good, k, 3) if path else None
        if near is None or not _carried(found, k, near):
            blank.append(k)
            for level in found.rates:
                level[k] = np.nan
        else:
            carried.append(k)
    for samples, what in (
        (carried, "rates there are interpolated from the samples around"),
        (blank, "the drives do not determine all rates there, which are left blank (nan)"),
    ):
        if samples:
            more = f" and {len(samples) - 3} more" if len(samples) > 3 else ""
            listed = ", ".join(str(k) for k in samples[:3]) + more
            found.warnings.append(f"singular posture at sample {listed}: {what}")


def _neighbours(good: NDArray[np.int64], k: int, count: int) -> NDArray[np.int64] | None:
    """The nearest `count` good samples on each side of k, or None."""
    at = int(np.searchsorted(good, k))
    near: NDArray[np.int64] = good[at - count : at + count] if at >= count else good[:0]
    return near if near.size == 2 * count and near[-1] - near[0] <= 4 * count else None


def _carried(found: Sweep, k: int, near: NDArray[np.int64]) -> bool:
    """Interpolate variables and rates at sample k; False if polynomials of two degrees disagree."""
    high, low = _at(near, k), _at(near[1:-1], k)
    for values in (found.Y, *found.rates):
        fine, coarse = high @ values[near], low @ values[near[1:-1]]
        if np.abs(fine - coarse).max() > 1e-3 * max(1.0, float(np.abs(values[near]).max())):
            return False
    y = high @ found.Y[near]
    if found.loops.residual(y) <= 1e-6:
        for start in found.loops.quaternions:
            y[start : start + 4] /= np.linalg.norm(y[start : start + 4])
        found.Y[k], found.residual[k] = y, float(found.loops.residual(y))
    for level in found.rates:
        level[k] = high @ level[near]
    return True


def _at(nodes: NDArray[np.int64], x: float) -> Array:
    """Lagrange's weights of nodes at x."""
    apart = nodes[:, np.newaxis] - nodes
    np.fill_diagonal(apart, 1)
    rows = np.tile((x - nodes).astype(float), (len(nodes), 1))
    np.fill_diagonal(rows, 1.0)
    weights: Array = np.prod(rows / apart, axis=1)
    return weights


__all__ = ["Path", "Sweep", "swept"]
