"""Surplus freedoms moved along the null space of a goal's rows, towards what is preferred.

Each step is the reduced quasi-Newton step of sequential quadratic programming: p = -N (Nᵀ B N)⁻¹ Nᵀ g, with N the null
space of the rows (and of the limits that are pressed), B from BFGS; Newton's method then puts the goal back.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.robots.preferences import Gradient, Value
from linkwork.analyses.robots.search import LONGEST, REACHED, Found, Search, Stand, descended
from linkwork.geometry import Array

ROUNDS, HALVINGS = 200, 25
FLAT = 1e-9
"""Slope along the null space that counts as none, in parts of the largest."""


def improved(search: Search, found: Found, preferred: tuple[Value, Gradient]) -> Found:
    """The posture where what is preferred is least, the goal met."""
    value, gradient = preferred
    stand, steps = found.stand, found.steps
    B = np.eye(stand.V.shape[1])
    before: tuple[Array, Array] | None = None
    for _ in range(ROUNDS):
        g = stand.K.T @ gradient(stand.y)
        N = _null(search, stand, g)
        slope = N @ (N.T @ g)
        if not N.size or float(np.abs(slope).max(initial=0.0)) < FLAT * (1.0 + float(np.abs(g).max())):
            break
        if before is not None and len(before[0]) == len(slope):
            B = _updated(B, before[0], slope - before[1])
        p = -N @ np.linalg.solve(N.T @ B @ N, N.T @ g)
        if p @ g >= 0.0:
            B, p = np.eye(len(p)), -slope
        p *= min(1.0, LONGEST / float(np.abs(p).max()), _longest(search, stand, p))
        now, part = value(stand.y), 1.0
        for _ in range(HALVINGS):
            tried = search.moved(stand, part * p)
            settled = None if tried is None else descended(search, tried, 12)
            if settled is not None and settled.worst < REACHED and value(settled.stand.y) < now + 1e-4 * part * (p @ g):
                break
            part *= 0.5
        else:
            break
        steps += 1
        before = part * p, slope
        stand = settled.stand
    return Found(stand, found.side, steps)


def _null(search: Search, stand: Stand, g: Array) -> Array:
    """Directions that leave the rows, and limits that are pressed, as they are."""
    low, high = search.room(stand.y)
    C, active = stand.K[search.columns], np.zeros(len(low), bool)
    while True:
        A = np.vstack([stand.V, C[active]])
        _, sizes, turns = np.linalg.svd(A)
        rank = int((sizes > 1e-9 * max(float(sizes.max(initial=0.0)), 1e-300)).sum())
        N = turns[rank:].T
        p = -N @ (N.T @ g)
        pressed = ~active & (((high < 1e-9) & (C @ p > 1e-12)) | ((low > -1e-9) & (C @ p < -1e-12)))
        if not pressed.any() or not N.size:
            return N
        active |= pressed


def _longest(search: Search, stand: Stand, p: Array) -> float:
    """The part of a step that keeps the limits."""
    low, high = search.room(stand.y)
    moves = stand.K[search.columns] @ p
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(moves > 1e-12, high / moves, np.where(moves < -1e-12, low / moves, np.inf))
    return float(max(np.min(parts, initial=np.inf), 1e-6))


def _updated(B: Array, step: Array, change: Array) -> Array:
    """BFGS with Powell's damping, so that B stays positive."""
    Bs = B @ step
    curve, own = float(step @ change), float(step @ Bs)
    if own < 1e-300:
        return B
    if curve < 0.2 * own:
        theta = 0.8 * own / (own - curve)
        change = theta * change + (1.0 - theta) * Bs
        curve = float(step @ change)
    found: Array = B - np.outer(Bs, Bs) / own + np.outer(change, change) / curve
    return found


def manipulability(search: Search) -> tuple[Value, Gradient]:
    """-½ log det(V Vᵀ), which is small where the target moves easily in all directions; exact gradient."""
    loops, rows = search.loops, search.rows

    def value(y: Array) -> float:
        sign, size = np.linalg.slogdet((V := search.at(y).V) @ V.T)
        return float("inf") if sign <= 0 else -0.5 * float(size)

    def gradient(y: Array) -> Array:
        stand = search.at(y)
        by_q = rows.slope_changes(y)  # (rows, nv, nv): of row slopes by the rates of the tree
        nv = loops.plan.nv
        W = stand.K * loops.column_scale[:, np.newaxis]
        pseudo = np.linalg.pinv(stand.V)
        changes = np.einsum("rkl,km,lj->rmj", by_q, W[:nv], W[:nv])
        if loops.count:
            changes += np.einsum("rk,kmj->rmj", rows.at(y)[1], _bends(search, stand)[:nv])
        own = -np.einsum("mr,rmj->j", pseudo, changes)
        g = np.zeros(loops.columns)
        g[search.free(y)] = own
        return g

    return value, gradient


def _bends(search: Search, stand: Stand) -> Array:
    """∂K/∂ψ (nw, free, free) of closed loops, unscaled rates by scaled free ones, from accelerations (polarised)."""
    loops, free = search.loops, search.free(stand.y)
    n = len(free)
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    d = np.zeros((len(pairs), loops.columns))
    for row, (i, j) in zip(d, pairs, strict=True):
        for k in {i, j}:
            row[free[k]] = loops.column_scale[free[k]]
    second = loops.rates(stand.y, stand.independent, [d, np.zeros_like(d)])[1]
    place = {pair: k for k, pair in enumerate(pairs)}
    B = np.zeros((loops.columns, n, n))
    for (i, j), k in place.items():
        mixed = second[k] if i == j else 0.5 * (second[k] - second[place[i, i]] - second[place[j, j]])
        B[:, i, j] = B[:, j, i] = mixed
    return B
