"""Whether frictions that have given way are relieved by others: frictions of one loop hold together."""

from __future__ import annotations

import numpy as np

from linkwork.geometry import Array

RELIEF = 1e-6
"""Part of its grip by which a friction must be relieved to hold on."""


def relieved(S: Array, b0: Array, grip: Array, given_way: Array, sides: Array) -> Array | None:
    """Forces that hold everything with less of those that have given way; None if there are none.

    When the grip of one is used up, the others take over what they can.
    S, b0 : accelerations along frictions, then stops, are b0 + S h; grip : what frictions hold, forward and backward
    given_way : by friction, the way to which, 1 or -1, 0 of others; sides : of stops, 1 from above, -1 from below
    """
    from scipy.optimize import linprog

    lower = np.array([*-grip[:, 0], *(-np.inf if side > 0 else 0.0 for side in sides)])
    upper = np.array([*grip[:, 1], *(0.0 if side > 0 else np.inf for side in sides)])
    size = np.sqrt(np.maximum(np.diag(S), 1e-300))
    relief = np.zeros(len(S))
    broken = np.flatnonzero(given_way)
    for k in broken:
        relief[k] = -given_way[k] / size[k]
        lower[k], upper[k] = (lower[k], 0.0) if given_way[k] > 0 else (0.0, upper[k])  # halfway is enough
    load = -b0 / size
    scale = max(float(np.abs(load).max()), 1e-300)
    bounds = [
        (None if np.isinf(a) else a * s / scale, None if np.isinf(b) else b * s / scale)
        for a, b, s in zip(lower, upper, size, strict=True)
    ]
    found = linprog(relief, A_eq=S / np.outer(size, size), b_eq=load / scale, bounds=bounds)
    if not found.success:
        return None
    h: Array = found.x * scale / size
    enough = all(given_way[k] * h[k] > -(1.0 - RELIEF) * grip[k, 0 if given_way[k] > 0 else 1] for k in broken)
    return h if enough else None
