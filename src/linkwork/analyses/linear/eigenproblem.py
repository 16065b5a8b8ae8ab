"""Eigenvalues and vectors of the linearised machine: the undamped problem as it stands, and the general one.

Without damping, states and unsymmetric parts, K v = κ M v is solved as it stands, so that rigid-body modes are exact.
In general it is A z = λ z with left vectors too; where the right and left vector of an eigenvalue are almost
perpendicular it is double with one vector (defective), which is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.linear.linearization import Linearization

RIGID = 1e-10
"""Stiffness of a mode below this part of the largest is none."""
NONE = 1e-12
"""Stiffness along a direction below this part of the forces at hand is rounding."""
RESTING = 1e-7
"""The same of an eigenvalue of the general problem: double ones that are zero have rounding of that size."""
STILL = 1e-10
"""Force along a vector beside the stiffnesses and the forces at hand, below which nothing drives it back."""
ROUNDING = 1e-14
"""Real parts below this part of the largest eigenvalue are rounding."""
SYMMETRIC = 1e-10
"""Part of the largest entry by which matrices may differ from their transposes and still count as symmetric."""
DEFECTIVE = 1e-5
"""Cosine between the right and the left vector below which an eigenvalue has too few vectors."""


def is_symmetric(K: Array) -> bool:
    """Whether a matrix is symmetric, but for rounding."""
    return bool(np.abs(K - K.T).max(initial=0.0) <= SYMMETRIC * np.abs(K).max(initial=0.0))


def is_nothing(D: Array, M: Array, K: Array) -> bool:
    """Whether damping is rounding, beside √(K M)."""
    size = np.sqrt(float(np.abs(M).max(initial=0.0)) * float(np.abs(K).max(initial=0.0)))
    return bool(np.abs(D).max(initial=0.0) <= 1e-13 * size) or not D.any()


def undamped(M: Array, K: Array, size: float) -> tuple[Any, Any, Any, Any]:
    """K v = κ M v; stiffness along a vector that is rounding beside the forces at hand is none."""
    from scipy.linalg import eigh

    curvatures, V = eigh(0.5 * (K + K.T), 0.5 * (M + M.T))
    most = float(np.abs(curvatures).max(initial=0.0))
    along = np.abs(curvatures) / (V * V).sum(axis=0)  # vᵀ K v of unit vectors, vᵀ M v = 1
    curvatures[(np.abs(curvatures) <= RIGID * most) | (along <= NONE * size)] = 0.0
    roots = np.sqrt(np.abs(curvatures)) * np.where(curvatures >= 0.0, 1j, 1.0)
    down = np.flatnonzero(curvatures < 0.0)  # what grows has a root that decays beside it
    values = np.concatenate([roots, -roots[down]])
    order = np.lexsort((-values.real, np.abs(values), np.abs(values.imag)))
    found = np.hstack([V, V[:, down]])[:, order]
    return values[order], found, found, np.zeros(len(values), bool)


def general(linear: Linearization, scale: Array) -> tuple[Any, Any, Any, Any]:
    """A z = λ z of scaled coordinates: λ, vectors, left vectors that forces work on, and which are defective."""
    from scipy.linalg import eig

    m = linear.matrices
    n, A = len(m.M), m.A
    lengths = np.concatenate([scale, scale, np.ones(len(m.states))])
    values, left, right = eig(A * lengths / lengths[:, np.newaxis], left=True, right=True)
    most = float(np.abs(values).max(initial=0.0))
    cosines = np.abs(np.einsum("ik,ik->k", left.conj(), right))
    values = np.where((np.abs(values) <= RESTING * most) & _at_rest(linear, right, lengths), 0.0, values)
    values = np.where(np.abs(values.imag) <= 1e-12 * np.abs(values), values.real + 0j, values)
    values = np.where(np.abs(values.real) <= ROUNDING * most, 1j * values.imag, values)
    kept = [k for k in range(len(values)) if values[k].imag >= 0.0]
    resting = [k for k in kept if values[k] == 0.0]
    vectors = right[:n]
    if resting:  # a rigid-body mode is a double eigenvalue, with one vector at rest
        spans = [k for k in resting if np.abs(right[:n, k]).max(initial=0.0) > 1e-6]
        count = _rank(right[:n, spans]) if spans else 0
        chosen = _independent(right[:n, spans], count) if count else []
        kept = [k for k in kept if k not in resting or k in [spans[c] for c in chosen] or k not in spans]
    order = sorted(kept, key=lambda k: (abs(values[k].imag), abs(values[k]), -values[k].real))
    swinging = (cosines < DEFECTIVE) & (values != 0.0)
    forces = np.linalg.solve((m.M * (scale[:, np.newaxis] * scale)).T, left[n : 2 * n]) if n else left[:0]
    return values[order], vectors[:, order], forces[:, order], swinging[order]


def _at_rest(linear: Linearization, right: Any, lengths: Array) -> Any:
    """By vector (ξ, ξ', x), whether nothing drives it back: a slow mode is heavily damped, but has a stiffness."""
    m = linear.matrices
    n = len(m.M)
    P = np.block([[m.K, m.X], [m.f_psi, m.f_x]])
    scale = np.concatenate([lengths[:n], lengths[2 * n :]])
    rows = np.concatenate([lengths[:n], np.ones(len(m.states))])
    P = P * scale * rows[:, np.newaxis]
    own = np.concatenate([right[:n], right[2 * n :]])
    size = (
        np.abs(P).sum(axis=1, keepdims=True)
        + np.concatenate([np.full(n, linear._point.size), np.zeros(len(m.states))])[:, np.newaxis]
    )
    return (np.abs(P @ own) <= STILL * size * np.abs(own).max(axis=0, initial=0.0)).all(axis=0)


def _rank(V: Any) -> int:
    return int((np.linalg.svd(V, compute_uv=False) > 1e-5).sum())


def _independent(V: Any, count: int) -> list[int]:
    from scipy.linalg import qr

    _, _, order = qr(V, pivoting=True, mode="economic")
    return [int(k) for k in order[:count]]
