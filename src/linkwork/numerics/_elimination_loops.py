"""Loops of the elimination.

The loops work in place on `work` (m, width): its first `candidates` columns may hold pivots, the others (specified
columns, right sides) are carried along. Pivots come in row-major order of the largest |entry|, as in `numpy.argmax`, so
that one matrix gives the same pivots here and in `elimination.eliminate`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.numerics.loops import light

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


@light
def factorise(work: Floats, rows: Integers, columns: Integers, candidates: int, threshold: float) -> int:
    """P J Q = L U in place, L below the diagonal; permutes `rows` and `columns` along; returns the rank."""
    m, width = work.shape
    steps: int = min(m, candidates)
    for k in range(steps):
        p, q, best = k, k, threshold
        for i in range(k, m):
            for j in range(k, candidates):
                size = abs(work[i, j])
                if size > best:
                    p, q, best = i, j, size
        if best <= threshold:
            return k
        if p != k:
            rows[k], rows[p] = rows[p], rows[k]
            for j in range(width):
                work[k, j], work[p, j] = work[p, j], work[k, j]
        if q != k:
            columns[k], columns[q] = columns[q], columns[k]
            for i in range(m):
                work[i, k], work[i, q] = work[i, q], work[i, k]
        pivot = work[k, k]
        for i in range(k + 1, m):
            factor = work[i, k] / pivot
            work[i, k] = factor
            if factor != 0.0:
                for j in range(k + 1, width):
                    work[i, j] -= factor * work[k, j]
    return steps


@light
def back_substitute(work: Floats, rank: int, first: int) -> None:
    """Solve U11 x = work[:rank, first:] in place, U11 the leading upper triangle."""
    width = work.shape[1]
    for k in range(rank - 1, -1, -1):
        for j in range(first, width):
            work[k, j] /= work[k, k]
        for i in range(k):
            factor = work[i, k]
            if factor != 0.0:
                for j in range(first, width):
                    work[i, j] -= factor * work[k, j]


@light
def gather(source: Floats, order: Integers, work: Floats) -> float:
    """Copy the columns `order` of `source` to `work`; the largest |entry| of the source, or -1 if one is not finite."""
    largest = 0.0
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            size = abs(source[i, j])
            if not size < np.inf:
                return -1.0
            if size > largest:
                largest = size
        for j in range(order.size):
            work[i, j] = source[i, order[j]]
    return largest


@light
def eliminate_all(
    J: Floats,
    order: Integers,
    candidates: int,
    tolerance: float,
    rank: Integers,
    quality: Floats,
    log_quality: Floats,
    smallest: Floats,
    conflict: Floats,
    pivoted: Booleans,
) -> None:
    """Factorise every J[b]; `order` lists the candidate columns, then the specified ones. Results come in as zeros."""
    count, m, n = J.shape
    work, rows, columns = np.empty((m, n)), np.zeros(m, np.int64), np.empty(n, np.int64)
    for b in range(count):
        largest = gather(J[b], order, work)
        if largest < 0.0:
            rank[b] = -1
            log_quality[b] = -np.inf
            conflict[b] = np.inf
            continue
        threshold = tolerance * max(largest, 1.0)
        for j in range(order.size):
            columns[j] = order[j]
        r = factorise(work, rows, columns, candidates, threshold)
        product, total, least, worst = 1.0, 0.0, np.inf, 0.0
        for k in range(r):
            size = abs(work[k, k])
            product *= size
            total += np.log(size)
            least = min(least, size)
            pivoted[b, columns[k]] = True
        for i in range(r, m):
            for j in range(candidates, n):
                worst = max(worst, abs(work[i, j]))
        rank[b] = r
        quality[b] = product
        log_quality[b] = total
        smallest[b] = least
        conflict[b] = worst if worst > threshold else 0.0


@light
def solve_all(J: Floats, rhs: Floats, order: Integers, tolerance: float, x: Floats, rank: Integers) -> None:
    """Basic solution of J[b] x = rhs[b] over the columns `order`, with zero elsewhere (`x` comes in as zeros)."""
    count, m, _ = J.shape
    sides = rhs.shape[2]
    candidates = order.size
    work = np.empty((m, candidates + sides))
    rows, columns = np.zeros(m, np.int64), np.empty(candidates, np.int64)
    for b in range(count):
        largest = gather(J[b], order, work)
        sound = largest >= 0.0
        for i in range(m):
            for j in range(sides):
                work[i, candidates + j] = rhs[b, i, j]
                sound = sound and abs(rhs[b, i, j]) < np.inf
        if not sound:
            rank[b] = -1
            continue
        for j in range(order.size):
            columns[j] = order[j]
        r = factorise(work, rows, columns, candidates, tolerance * max(largest, 1.0))
        back_substitute(work, r, candidates)
        rank[b] = r
        for k in range(r):
            for j in range(sides):
                x[b, columns[k], j] = work[k, candidates + j]
