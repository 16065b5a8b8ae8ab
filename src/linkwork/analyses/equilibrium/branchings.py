"""Where curves of rest meet: the point to rounding, and the ways that leave it.

At a simple branch point u* = (z, μ) the slopes B (m, m + 1) of G lose one rank: ψᵀ B = 0. It is the zero of

    G(u) + ε ψ0 = 0,      B(u)ᵀ ψ = 0,      ψᵀ ψ = 1

in (u, ε, ψ), which is regular there. (Moore, SIAM J. Numer. Anal. 17, 1980.) The tangents α in the null space N of B
obey the quadratic equation ψᵀ (dB along Nα) Nα = 0, one of whose solutions is the curve that led there. Derivatives
of the exact B are differences, which slow Newton's method a little and move no zero.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.equilibrium.curve import Curve, Spot, way_between
from linkwork.geometry import Array

STEP = 1e-4
"""Way over which slopes of B are taken."""
ROUNDS = 12
"""Newton's strides."""
DONE = 1e-11
"""Stride after which another would change nothing."""
NONE = 1e-5
"""Curvature below this part of the largest is none."""


def branch_point(curve: Curve, spot: Spot, after: Spot) -> Spot | None:
    """The branch point between two spots of a chart; None where there is no simple one."""
    unit = curve.family.size
    start = _middle(curve, spot, after)
    if start is None:
        return None
    y, x, mu = start.y, start.x, start.mu
    left, B = _slopes(curve, spot, y, x, mu)
    psi = np.linalg.svd(B)[0][:, -1]
    psi0, m, before = psi, len(left), np.inf
    size = max(float(np.abs(B).max()), 1e-300)
    for _ in range(ROUNDS):
        H = np.zeros((m + 1, m + 1))  # derivative of Bᵀψ by u
        for k in range(m + 1):
            ends = []
            for side in (1.0, -1.0):
                stride = np.zeros(m + 1)
                stride[k] = side * STEP * (unit if k == m else 1.0)
                place = curve.moved(y, x, mu, spot.chart, spot.held, stride)
                if place is None:
                    return None
                ends.append(_slopes(curve, spot, *place)[1].T @ psi)
            H[:, k] = (ends[0] - ends[1]) / (2.0 * STEP)
        left, B = _slopes(curve, spot, y, x, mu)
        J = np.zeros((2 * m + 2, 2 * m + 2))
        J[:m, : m + 1], J[:m, m + 1] = B, psi0
        J[m : 2 * m + 1, : m + 1], J[m : 2 * m + 1, m + 2 :] = H, B.T
        J[-1, m + 2 :] = 2.0 * psi
        right = np.concatenate([left, B.T @ psi, [psi @ psi - 1.0]])
        # (u, ε, ψ); ε has no equation of its own to begin with
        found = np.linalg.lstsq(J, -right, rcond=1e-14)[0]
        long = float(np.abs(found[: m + 1]).max())
        if not np.isfinite(found).all() or long > 0.5:
            return None
        stride = found[: m + 1].copy()
        stride[-1] *= unit
        place = curve.moved(y, x, mu, spot.chart, spot.held, stride)
        if place is None:
            return None
        y, x, mu = place
        psi = psi + found[m + 2 :]
        if long <= DONE or (long >= 0.5 * before and long < 1e-8):
            break
        before = long
    left, B = _slopes(curve, spot, y, x, mu)
    if np.abs(left).max() > 1e-8 * curve.size or np.abs(B.T @ psi).max() > 1e-7 * size:
        return None
    return curve.spot(y, x, mu, spot.stops, spot.chart, spot.usual, spot.t)


def _middle(curve: Curve, spot: Spot, after: Spot) -> Spot | None:
    """The spot of a stride nearest to the change of sign, by some halvings."""
    border = curve.border(spot.t)

    long = float(border @ np.concatenate([way_between(curve, spot, after), after.x - spot.x, [after.mu - spot.mu]]))
    low, high, best = 0.0, long, spot
    for _ in range(7):
        middle = curve.corrected(spot, 0.5 * (low + high) * spot.t)
        if middle is None:
            break
        best = middle
        low, high = (0.5 * (low + high), high) if middle.test * spot.test > 0.0 else (low, 0.5 * (low + high))
    return best


def _slopes(curve: Curve, spot: Spot, y: Array, x: Array, mu: float) -> tuple[Array, Array]:
    """What is left, G, and B by (z, μ / unit)."""
    balance, own, left, A = curve.numbers(y, x, mu, spot.chart, spot.held)
    b = curve.family.slope(balance, own, mu, y, x)
    return left, np.column_stack([-A, b * curve.family.size])


def other_ways(curve: Curve, spot: Spot) -> list[Array]:
    """Unit tangents (z, μ) that leave a branch point along the other curve, both ways; none where they are not real."""
    unit = curve.family.size
    _, B = _slopes(curve, spot, spot.y, spot.x, spot.mu)
    U, _, Vt = np.linalg.svd(B)
    psi, null = U[:, -1], Vt[-2:].T
    along = np.append(spot.t[:-1], spot.t[-1] / unit)
    first = null @ (null.T @ along)
    if not np.linalg.norm(first) > 0.0:
        return []
    first /= np.linalg.norm(first)
    second = null @ np.array([-(null.T @ first)[1], (null.T @ first)[0]])
    pair = np.column_stack([first, second])
    form = np.zeros((2, 2))
    for i in range(2):
        ends = []
        for side in (1.0, -1.0):
            stride = side * STEP * pair[:, i]
            stride[-1] *= unit
            place = curve.moved(spot.y, spot.x, spot.mu, spot.chart, spot.held, stride)
            if place is None:
                return []
            ends.append(psi @ _slopes(curve, spot, *place)[1])
        form[i] = (ends[0] - ends[1]) @ pair / (2.0 * STEP)
    b, c = 0.5 * (form[0, 1] + form[1, 0]), form[1, 1]
    most = float(np.abs(form).max())
    if most <= 0.0 or (abs(b) <= NONE * most and abs(c) <= NONE * most):
        return []
    # form(α) with α = (α1, α2) and form11 = 0 along the curve itself: 2 b α1 + c α2 = 0
    way = pair @ (np.array([-c, 2.0 * b]) / np.hypot(c, 2.0 * b) if abs(b) > NONE * most else np.array([0.0, 1.0]))
    way = way.copy()
    way[-1] *= unit
    way /= curve.length(way) or 1.0
    return [way, -way]
