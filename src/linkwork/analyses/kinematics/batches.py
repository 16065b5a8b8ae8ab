"""Kernels on whole batches of postures: Newton's steps until nothing changes, rates, and what the pivots tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.posture_paths import Solver
from linkwork.equations.loop_solver import Order
from linkwork.geometry import Array
from linkwork.kernels.hosted import Evaluator
from linkwork.numerics.elimination import eliminate_batch

Parts = Sequence[tuple[Solver, NDArray[np.int64]]]
"""Solvers, and the samples that each of them serves."""
ROUNDS = 12
LONG = 0.7
"""Longest of Newton's steps [rad, or parts of the machine's size]."""
PIECE = 8192
"""Samples worked on at a time: their arrays stay in the processor's cache."""
POLISHED = 1e-26
"""Σ e² below which another of Newton's steps changes nothing, but next to singular postures."""
FINE = 1e-13
"""Step that is worth being taken although the loops are closed [rad, or parts of the machine's size]."""


def _pieces(count: int) -> Iterator[slice]:
    for start in range(0, count, PIECE):
        yield slice(start, min(start + PIECE, count))


def polished(
    solver: Solver, Y: Array, threads: int | None, farthest: float = np.inf
) -> tuple[dict[Order, NDArray[np.int64]], Array, int]:
    """Newton's steps on all samples, in place. By order, the samples it serves; measures (samples, 4); rounds.

    farthest : how far a sample may move; with an order whose pivots are poor it would go astray
    """
    loops = solver.loops
    measures = np.full((len(Y), 4), np.inf)
    served = np.full(len(Y), -1)
    rounds = 0
    for number, (_, kernel) in enumerate(list(solver.pool.items())):
        best = measures[:, 2].min(initial=np.inf)
        wanting = np.flatnonzero(~((measures[:, 2] <= 1e4 * best) & (measures[:, 0] <= loops.tolerance**2)))
        if not wanting.size:
            break
        trial = Y[wanting]
        found, took = _steps(kernel, trial, loops, threads)
        rounds = max(rounds, took)
        if np.isfinite(farthest):
            way = np.abs((trial - Y[wanting]) * loops.variable_scale).max(axis=1, initial=0.0)
            astray = np.flatnonzero(~(way <= farthest))
            trial[astray], found[astray] = Y[wanting[astray]], np.inf
        closed, was_open = found[:, 0] <= loops.tolerance**2, ~(measures[wanting, 0] <= loops.tolerance**2)
        better = (closed & (was_open | (found[:, 2] < measures[wanting, 2]))) | (served[wanting] < 0)
        if better.all() and better.size == len(Y):
            Y[:], measures[:], served[:] = trial, found, number
            continue
        chosen = wanting[better]
        Y[chosen], measures[chosen], served[chosen] = trial[better], found[better], number
    orders = {order: np.flatnonzero(served == k) for k, order in enumerate(solver.pool)}
    return orders, measures, rounds


def polished_parts(
    parts: Parts, Y: Array, threads: int | None, farthest: float
) -> tuple[list[dict[Order, NDArray[np.int64]]], Array, int]:
    """The same for samples that several solvers serve; the samples by order, for each solver."""
    if len(parts) == 1 and parts[0][1].size == len(Y):
        orders, measures, rounds = polished(parts[0][0], Y, threads, farthest)
        return [orders], measures, rounds
    measures, most, found = np.full((len(Y), 4), np.inf), 0, []
    for solver, own in parts:
        piece = np.ascontiguousarray(Y[own])
        orders, measures[own], rounds = polished(solver, piece, threads, farthest)
        Y[own], most = piece, max(most, rounds)
        found.append({order: own[samples] for order, samples in orders.items()})
    return found, measures, most


def rates_of_parts(
    parts: Parts, orders: list[dict[Order, NDArray[np.int64]]], Y: Array, given: list[Array], threads: int | None
) -> list[Array]:
    """Rates, accelerations, ... of all joints, where several solvers serve samples."""
    if len(parts) == 1:
        return rates_of_samples(parts[0][0], orders[0], Y, given, threads)
    results = [np.full((len(Y), level.shape[1]), np.nan) for level in given]
    for (solver, own), by_order in zip(parts, orders, strict=True):
        found = rates_of_samples(solver, by_order, Y, given, threads)
        for result, part in zip(results, found, strict=True):
            result[own] = part[own]
    return results


def _steps(kernel: Evaluator, Y: Array, loops: Loops, threads: int | None) -> tuple[Array, int]:
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
        _refined(kernel, own, spare, found, loops, threads)
    return measures, most


def _refined(kernel: Evaluator, own: Array, moved: Array, measures: Array, loops: Loops, threads: int | None) -> None:
    """Close loops to rounding where that moves variables: next to singular postures errors count many times over.

    A step x is taken where what it leaves, of the order of x², is much less than the error e that it mends.
    """
    far = max(loops.plan.distances.values(), default=0.0)
    rounding = float(np.finfo(float).eps) * (1.0 + far / loops.length)
    for _ in range(2):
        e2, x2 = measures[:, 0], measures[:, 1]
        fine = np.flatnonzero((x2 > FINE**2) & (100.0 * x2 * x2 < e2) & (e2 > rounding**2) & (e2 <= POLISHED))
        if not fine.size:
            return
        own[fine] = moved[fine]
        moved[fine], measures[fine] = kernel(own[fine], np.array([loops.length]), threads=threads)


def _shortened(own: Array, moved: Array, squares: Array, quaternions: list[int]) -> None:
    """Take steps that are not too long; of longer ones a part, and of those that are no numbers nothing."""
    good = np.isfinite(moved).all(axis=1) & np.isfinite(squares)
    part = np.minimum(1.0, LONG / np.sqrt(np.maximum(squares[good], 1e-300)))[:, np.newaxis]
    own[good] += part * (moved[good] - own[good])
    for start in quaternions:
        turns = own[good, start : start + 4]
        own[good, start : start + 4] = turns / np.linalg.norm(turns, axis=1, keepdims=True)


def quality_of(loops: Loops, independent: Mask, Y: Array, determinants: Array) -> Array:
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


def crossings(orders: dict[Order, NDArray[np.int64]], determinants: Array) -> list[int]:
    """Samples before which the product of the same pivots changed its sign."""
    order_of = np.full(len(determinants), -1)
    for number, samples in enumerate(orders.values()):
        order_of[samples] = number
    signs = np.sign(np.nan_to_num(determinants))
    changed = (signs[1:] * signs[:-1] < 0.0) & (order_of[1:] == order_of[:-1])
    crossed: list[int] = (np.flatnonzero(changed) + 1).tolist()
    return crossed


def rates_of_samples(
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
