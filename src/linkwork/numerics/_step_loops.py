"""Loops of the damped step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.numerics.loops import light

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Least damping, relative to size * (largest diagonal entry). Cholesky must not meet a zero pivot, and rounding in the
# directions that J does not have comes out as 2e-16 / FLOOR; exact steps are the elimination's business.
FLOOR = 1e-12


@light
def solve_positive(A: Floats, b: Floats, size: int) -> None:
    """Solve A x = b in place, A (leading size x size, lower triangle) positive definite: Cholesky, A = L L^T."""
    for i in range(size):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = total / A[j, j] if j < i else np.sqrt(total)
        for k in range(i):
            b[i] -= A[i, k] * b[k]
        b[i] /= A[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            b[i] -= A[k, i] * b[k]
        b[i] /= A[i, i]


@light
def damped_steps(
    J: Floats, e: Floats, damping: Floats, columns: Integers, limit: float, x: Floats, decrease: Floats
) -> None:
    """Steps x[b] over `columns` (`x` comes in as zeros) and the decrease of |e + J x|^2 they promise."""
    count, m, _ = J.shape
    n = columns.size
    size = min(m, n)
    S = np.empty((n, m))  # the columns of J[b] as rows: contiguous in both products
    A, b = np.empty((size, size)), np.empty(size)
    for s in range(count):
        for j in range(n):
            for i in range(m):
                S[j, i] = J[s, i, columns[j]]
        if n <= m:  # (J^T J + d I) x = -J^T e
            for j in range(n):
                for k in range(j + 1):
                    total = 0.0
                    for i in range(m):
                        total += S[j, i] * S[k, i]
                    A[j, k] = total
                total = 0.0
                for i in range(m):
                    total -= S[j, i] * e[s, i]
                b[j] = total
        else:  # (J J^T + d I) y = -e, x = J^T y
            for i in range(m):
                for k in range(i + 1):
                    A[i, k] = 0.0
                b[i] = -e[s, i]
            for j in range(n):
                for i in range(m):
                    for k in range(i + 1):
                        A[i, k] += S[j, i] * S[j, k]
        largest = 0.0
        for k in range(size):
            largest = max(largest, A[k, k])
        if not (largest < np.inf and damping[s] >= 0.0):
            decrease[s] = -1.0
            continue
        if largest == 0.0:
            continue  # J vanishes: no step, no decrease
        least = max(damping[s], FLOOR * size * largest)
        for k in range(size):
            A[k, k] += least
        solve_positive(A, b, size)

        step = 0.0
        for j in range(n):
            if n <= m:
                total = b[j]
            else:
                total = 0.0
                for i in range(m):
                    total += S[j, i] * b[i]
            x[s, columns[j]] = total
            step = max(step, abs(total))
        shrink = limit / step if step > limit else 1.0
        promise = 0.0
        for j in range(n):
            x[s, columns[j]] *= shrink
        for i in range(m):
            change = 0.0
            for j in range(n):
                change += S[j, i] * x[s, columns[j]]
            promise -= change * (2.0 * e[s, i] + change)
        if promise < np.inf and step < np.inf:
            decrease[s] = promise
        else:
            decrease[s] = -1.0
            for j in range(n):
                x[s, columns[j]] = 0.0
