"""What an elimination should find: accelerations by the null space of the constraints, at some states.

Eliminations take masses as pivots. Where light bodies hang on heavy ones, or masses differ by many decades, their
products lose digits that the motion itself does not: the freedoms alone, a = Z u + g with J Z = 0 and J g = -γ, obey

    Zᵀ M Z u = Zᵀ (f - M g)

whose condition is that of the machine. It is too slow for a kernel, and just right to judge one by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwork.equations.acceleration_system import AccelerationSystem, Key
from linkwork.geometry import Array

REDUNDANT = 1e-8
"""Part of the largest singular value of the constraints below which one says nothing new."""
Values = Callable[[Any], Array]
"""Numbers of a scalar at the states, (states,)."""


def null_space_accelerations(
    system: AccelerationSystem, values: Values, scales: dict[Key, float], rows: Sequence[Key], count: int
) -> dict[Key, Array]:
    """By rate, its derivative (states,) from a system whose links are all substituted.

    scales : by rate, its unit; rows : multipliers of constraints that count
    """
    rates = [k for k in scales if k in system.A]
    n, m = len(rates), len(rows)
    M, J = np.zeros((count, n, n)), np.zeros((count, m, n))
    f, right = np.zeros((count, n)), np.zeros((count, m))
    place = {k: i for i, k in enumerate(rates)}
    for k, i in place.items():
        f[:, i] = values(system.b.get(k, 0.0)) * scales[k]
        for other, x in system.A[k].items():
            if other in place:
                M[:, i, place[other]] = values(x) * scales[k] * scales[other]
    for r, key in enumerate(rows):
        right[:, r] = values(system.b.get(key, 0.0))
        for k, x in system.A.get(key, {}).items():
            if k in place:
                J[:, r, place[k]] = values(x) * scales[k]
    found = np.stack([_solved(*at) for at in zip(M, J, f, right, strict=True)]) if n else np.zeros((count, 0))
    return {k: found[:, i] * scales[k] for k, i in place.items()}


def sparse_accelerations(
    system: AccelerationSystem, values: Values, scales: dict[Key, float], rows: Sequence[Key], count: int
) -> dict[Key, Array]:
    """The same for large machines, from M a + Jᵀ λ = f, J a = right by sparse factors and one refinement.

    It takes rows that are independent, as those are that an elimination keeps.
    """
    rates = [k for k in scales if k in system.A]
    place = {k: i for i, k in enumerate((*rates, *rows))}
    n, size = len(rates), len(place)
    unit = [*(scales[k] for k in rates), *[1.0] * len(rows)]
    at: list[tuple[int, int]] = []
    entries: list[Array] = []
    for k, i in place.items():
        for other, x in system.A.get(k, {}).items():
            j = place.get(other, -1)
            if j >= 0 and (i < n or j < n):
                at.append((i, j))
                entries.append(values(x) * (unit[i] * unit[j]))
    right = np.array([values(system.b.get(k, 0.0)) * unit[i] for k, i in place.items()]).reshape(size, count)
    numbers, pairs = np.array(entries).reshape(-1, count), np.array(at).reshape(-1, 2)
    found = np.stack([_sparse_solved(pairs, numbers[:, s], right[:, s]) for s in range(count)])
    return {k: found[:, place[k]] * scales[k] for k in rates}


def _sparse_solved(pairs: Array, numbers: Array, right: Array) -> Array:
    """One state; not a number where nothing determines it."""
    from scipy.sparse import csc_matrix
    from scipy.sparse.linalg import splu

    size = len(right)
    if not (np.isfinite(numbers).all() and np.isfinite(right).all()):
        return np.full(size, np.nan)
    K = csc_matrix((numbers, (pairs[:, 0], pairs[:, 1])), (size, size))
    try:
        factors = splu(K)
    except RuntimeError:  # singular
        return np.full(size, np.nan)
    x = factors.solve(right)
    x += factors.solve(right - K @ x)
    return np.asarray(x)


def _solved(M: Array, J: Array, f: Array, right: Array) -> Array:
    """One state: M a + Jᵀ λ = f, J a = right; not a number where masses do not determine it."""
    if not all(np.isfinite(x).all() for x in (M, J, f, right)):
        return np.full(len(f), np.nan)
    size = np.linalg.norm(J, axis=1)
    own = size > 0.0
    J, right = J[own] / size[own, np.newaxis], right[own] / size[own]
    Z, g = _held(J, right)
    H, push = Z.T @ M @ Z, Z.T @ (f - M @ g)
    diagonal = np.diag(H).copy()
    if (diagonal <= 0.0).any():
        return np.full(len(f), np.nan)
    unit = 1.0 / np.sqrt(diagonal)
    try:
        u = unit * np.linalg.solve(H * unit[:, np.newaxis] * unit, unit * push)
    except np.linalg.LinAlgError:
        return np.full(len(f), np.nan)
    a: Array = Z @ u + g
    return a


def _held(J: Array, right: Array) -> tuple[Array, Array]:
    """Z with J Z = 0, and the shortest g with J g = right, by orthogonal factors: Jᵀ = Q R while rows are independent.

    Where the inverse of R does not show that they are, singular values tell, which take ten times as long.
    """
    m, n = J.shape
    if m <= n:
        Q, R = np.linalg.qr(J.T, mode="complete")
        R = R[:m]
        if np.abs(np.diag(R)).min(initial=1.0) > REDUNDANT:
            back = np.linalg.inv(R.T)
            if np.linalg.norm(back) * np.linalg.norm(R) * REDUNDANT < 1.0:
                return Q[:, m:], Q[:, :m] @ (back @ right)
    U, s, Vt = np.linalg.svd(J)
    rank = int((s > REDUNDANT * s.max(initial=0.0)).sum())
    return Vt[rank:].T, Vt[:rank].T @ ((U[:, :rank].T @ right) / s[:rank])


def off(a: Sequence[Array], right: dict[Key, Array], scales: dict[Key, float]) -> float:
    """Largest error of accelerations of the tree's rates, of the largest at any state; 0 where nothing is known."""
    mine = np.array([x / scales["q", k] for k, x in enumerate(a) if ("q", k) in right])
    true = np.array([right["q", k] / scales["q", k] for k in range(len(a)) if ("q", k) in right])
    known = np.isfinite(true).all(axis=0) if len(true) else np.zeros(0, bool)
    if not known.any():
        return 0.0
    error = float(np.abs(mine - true)[:, known].max() / max(float(np.abs(true[:, known]).max()), 1e-300))
    return error if np.isfinite(error) else np.inf
