"""Least squares within limits, by an active set: small problems, one at a time.

min |V d - e|² + λ |d|²    with  low <= C d <= high
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.geometry import Array

ROUNDING = 1e-12


def bounded_step(
    V: Array, e: Array, damping: float, C: Array, low: Array, high: Array
) -> tuple[Array, NDArray[np.int64]]:
    """d, and by row of C -1, 0 or 1: held at its lower limit, free, held at its upper one."""
    H, g = V.T @ V + damping * np.eye(V.shape[1]), V.T @ e
    side = np.zeros(len(C), np.int64)
    d: Array = np.asarray(np.linalg.solve(H, g), float)
    for _ in range(4 * len(C)):
        above, below = C @ d - high, low - C @ d
        beyond = np.where(side == 0, np.maximum(above, below), 0.0)
        worst = int(np.argmax(beyond))
        if beyond[worst] <= ROUNDING:
            break
        side[worst] = 1 if above[worst] > below[worst] else -1
        while (active := np.flatnonzero(side)).size:
            d, push = _held(H, g, C[active], np.where(side[active] > 0, high[active], low[active]))
            pulls = push * side[active]
            pulls[active == worst] = np.inf  # what was just added stays
            weakest = int(np.argmin(pulls))
            if pulls[weakest] >= -ROUNDING:
                break
            side[active[weakest]] = 0  # it would hold back what goes inward
    return d, side


def _held(H: Array, g: Array, C: Array, bounds: Array) -> tuple[Array, Array]:
    """The minimum with C d = bounds, and its multipliers: H d + Cᵀ push = g."""
    n, m = len(H), len(C)
    K = np.block([[H, C.T], [C, np.zeros((m, m))]])
    found = np.linalg.lstsq(K, np.concatenate([g, bounds]), rcond=1e-13)[0]
    return found[:n], found[n:]
