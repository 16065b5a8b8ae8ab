"""Eigenvalues that follow themselves from one matrix to the next: branches over time, speed, or a number.

Eigenvalues of neighbouring matrices belong together where the left vectors of one meet the right ones of the other,
|yₖᴴ xⱼ| largest, and where they lie on each other's tangents; the assignment that is best of all takes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.geometry import Array

SURE = 0.6
"""Meeting of vectors from which a branch is certain."""
TINY = 1e-300
DEFECTIVE = 1e12
"""Condition of the vectors from which some count as one."""


@dataclass(frozen=True, eq=False)
class Branches:
    """values (samples, n); vectors, left (samples, n, n), columns by branch, yᴴ x = 1 where they are not defective;
    certainty (samples - 1,) : the least meeting of vectors between neighbours"""

    values: Any
    vectors: Any
    left: Any
    certainty: Array


def eigen(A: Any) -> tuple[Any, Any, Any]:
    """Eigenvalues, right vectors of unit length, left ones (as columns) with yᴴ x = 1, of matrices (samples, n, n)."""
    values, right = np.linalg.eig(A)
    left = np.empty_like(right, dtype=complex)
    whole = np.linalg.cond(right) < DEFECTIVE if right.size else np.ones(len(A), bool)
    left[whole] = np.linalg.inv(right[whole])
    left[~whole] = np.linalg.pinv(right[~whole], rcond=1.0 / DEFECTIVE)
    return np.asarray(values, complex), np.asarray(right, complex), np.swapaxes(left, -1, -2).conj()


def meeting(left: Any, right: Any) -> Array:
    """How far vectors of two matrices meet, (..., n, n) from 0 to 1: |yₖᴴ xⱼ| of unit vectors y beside |yₖᴴ xₖ|."""
    unit = left / np.maximum(np.linalg.norm(left, axis=-2, keepdims=True), TINY)
    right = right / np.maximum(np.linalg.norm(right, axis=-2, keepdims=True), TINY)
    found = np.abs(np.swapaxes(unit, -1, -2).conj() @ right)
    return np.asarray(found / np.maximum(found.max(axis=-1, keepdims=True, initial=0.0), TINY))


def matched(values: Any, right: Any, left: Any) -> tuple[NDArray[np.int64], Array]:
    """Which eigenvalue of the next matrix belongs to each of every matrix (samples - 1, n), how certain the worst is.

    Where each meets one of the next best, and no two the same, that is it; else the assignment that is best of all.
    """
    met = meeting(left[:-1], right[1:]) * np.swapaxes(meeting(left[1:], right[:-1]), -1, -2)
    size = np.maximum(np.abs(values[:-1]).max(axis=1, initial=0.0), TINY)[:, np.newaxis, np.newaxis]
    apart = np.abs(values[:-1, :, np.newaxis] - values[1:, np.newaxis, :]) / size
    cost = np.minimum(apart, 1.0) - met
    order = cost.argmin(axis=-1).astype(np.int64)
    n = values.shape[1]
    for k in np.flatnonzero((np.sort(order, axis=1) != np.arange(n)).any(axis=1)).tolist():
        from scipy.optimize import linear_sum_assignment

        order[k] = linear_sum_assignment(cost[k])[1]
    certainty = np.take_along_axis(met, order[..., np.newaxis], axis=-1)[..., 0].min(axis=1, initial=1.0)
    return order, certainty


def followed(A: Any) -> Branches:
    """Branches through matrices (samples, n, n), by imaginary part at the first."""
    values, right, left = eigen(A)
    order, certainty = matched(values, right, left)
    first = np.lexsort((values[0].real, values[0].imag))
    places = _composed(np.concatenate([first[np.newaxis], order]))
    columns = places[:, np.newaxis, :]
    return Branches(
        np.take_along_axis(values, places, axis=1),
        np.take_along_axis(right, columns, axis=2),
        np.take_along_axis(left, columns, axis=2),
        certainty,
    )


def _composed(steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Permutations one after the other, from the first to each (samples, n), in log2(samples) passes."""
    found, reach = steps.copy(), 1
    while reach < len(found):
        found[reach:] = np.take_along_axis(found[reach:], found[:-reach].copy(), axis=1)
        reach *= 2
    return found
