"""Solutions that are not alone: double ones, and curves along which joints move while the target stays."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.robots.solutions.solver import EXACT, Solver
from linkwork.geometry import Array

WEAK = 1e-6
"""Singular values of the target's Jacobian that count as none."""
SHORT = 1e-3
"""Part of the largest singular value below which no step is taken on the way back."""
STRIDE = 0.05
"""How far a curve is followed, to tell it from a double solution [rad, or parts of the machine's size]."""
MOVES = 1e-4
"""Share of a direction from which on a joint takes part in it."""


def singular_ones(solver: Solver, x: Array, goals: Array) -> tuple[Array, list[tuple[int, ...]]]:
    """Which postures (k, joints) are singular, and by posture the joints that move along a curve of solutions.

    Along the null vector of the Jacobian, a stride and Newton's steps back: where that ends at a posture away from the
    first, on either side, there is a curve through it.
    """
    joints = solver.problem.joints
    if not len(x):
        return np.zeros(0, bool), []
    value, right = solver.singular_values(x)
    n = len(joints)
    rank = (value[:, : min(6, n)] > WEAK).sum(axis=1)
    singular = rank < n
    free: list[tuple[int, ...]] = []
    for k in range(len(x)):
        moving: set[int] = set()
        for direction in right[k, rank[k] :]:
            for sign in (1.0, -1.0):
                begin = x[k] + sign * STRIDE * direction / np.abs(direction).max()
                end, left = solver.aim.polished(begin[None], goals[k : k + 1], weak=SHORT)
                step = end[0] - x[k]
                if left[0] < EXACT and float(np.abs(step).max()) > 0.3 * STRIDE:
                    moving |= {int(j) for j in np.flatnonzero(np.abs(step) > MOVES)}
        free.append(tuple(sorted(j for j in moving if j < solver.problem.own)))
    return singular, free
