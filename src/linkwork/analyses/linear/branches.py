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
    for k in range(len(A)):
        whole = np.linalg.cond(right[k]) < DEFECTIVE
        left[k] = (np.linalg.inv(right[k]) if whole else np.linalg.pinv(right[k], rcond=1.0 / DEFECTIVE)).conj().T
    return np.asarray(values, complex), np.asarray(right, complex), left


def meeting(left: Any, right: Any) -> Array:
    """How far vectors of two matrices meet, (n, n) from 0 to 1: |yₖᴴ xⱼ| of unit vectors y beside |yₖᴴ xₖ|."""
    unit = left / np.maximum(np.linalg.norm(left, axis=0), TINY)
    right = right / np.maximum(np.linalg.norm(right, axis=0), TINY)
    found = np.abs(unit.conj().T @ right)
    return np.asarray(found / np.maximum(found.max(axis=1, keepdims=True), TINY))


def matched(before: tuple[Any, Any, Any], after: tuple[Any, Any, Any]) -> tuple[NDArray[np.int64], float]:
    """Which eigenvalue of the second belongs to each of the first, and how certain the worst is."""
    from scipy.optimize import linear_sum_assignment

    met = meeting(before[2], after[1]) * meeting(after[2], before[1]).T
    size = max(float(np.abs(before[0]).max(initial=0.0)), TINY)
    apart = np.abs(before[0][:, np.newaxis] - after[0][np.newaxis]) / size
    rows, columns = linear_sum_assignment(-met + np.minimum(apart, 1.0))
    order = np.empty(len(rows), np.int64)
    order[rows] = columns
    return order, float(met[rows, columns].min(initial=1.0))


def followed(A: Any) -> Branches:
    """Branches through matrices (samples, n, n), by imaginary part at the first."""
    values, right, left = eigen(A)
    first = np.lexsort((values[0].real, values[0].imag))
    values[0], right[0], left[0] = values[0][first], right[0][:, first], left[0][:, first]
    certainty = np.ones(max(len(A) - 1, 0))
    for k in range(1, len(A)):
        before = values[k - 1], right[k - 1], left[k - 1]
        order, certainty[k - 1] = matched(before, (values[k], right[k], left[k]))
        values[k], right[k], left[k] = values[k][order], right[k][:, order], left[k][:, order]
    return Branches(values, right, left, certainty)
