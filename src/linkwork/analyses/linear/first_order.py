"""The linearised machine as first-order equations z' = A z + B u, and what its eigenvalues say.

z = (ξ, ξ', x). A mass matrix that is singular has no such form: the freedoms without mass are named.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array

SINGULAR = 1e-12
"""Part of the largest eigenvalue of the scaled mass matrix below which a direction has no mass."""


class Massless(ModelError):
    """A freedom that no mass resists, so that nothing tells how fast it moves."""


def assert_mass(M: Array, scale: Array, names: Sequence[str], source: str) -> None:
    """Massless where the mass matrix is singular; the freedoms without mass are named.

    scale : of the coordinates, so that lengths compare with angles
    """
    n = len(M)
    if not n:
        return
    scaled = 0.5 * (M + M.T) * (scale[:, np.newaxis] * scale)
    if _has_mass(scaled):
        return
    inertias, V = np.linalg.eigh(scaled)
    none = inertias <= SINGULAR * max(float(inertias.max()), 0.0)
    if not none.any() and inertias.max() > 0.0:
        return
    problems = []
    for v in V[:, none].T:
        moving = [name for name, x in zip(names, np.abs(v), strict=True) if x >= 0.3 * np.abs(v).max()]
        listed = ", ".join(moving)
        text = f"no mass resists {listed}, so nothing tells how fast it moves"
        problems.append(Problem(text, moving[0], "give masses to what moves with it, or hold it"))
    raise Massless(problems, source)


def _has_mass(M: Array) -> bool:
    """Whether M - ε trace(M) is positive definite, and so no eigenvalue is below that part of the largest."""
    if not np.isfinite(M).all():
        return False
    try:
        np.linalg.cholesky(M - SINGULAR * np.trace(M) * np.eye(len(M)))
    except np.linalg.LinAlgError:
        return False
    return bool(np.trace(M) > 0.0)


def first_order(M: Array, D: Array, K: Array, X: Array, f_psi: Array, f_w: Array, f_x: Array) -> Array:
    """A of z' = A z, of one machine or of many (..., n, n)."""
    n, nx = M.shape[-1], f_x.shape[-1]
    A = np.zeros((*M.shape[:-2], 2 * n + nx, 2 * n + nx))
    A[..., :n, n : 2 * n] = np.eye(n)
    if n:
        A[..., n : 2 * n, :] = -np.linalg.solve(M, np.concatenate([K, D, X], axis=-1))
    A[..., 2 * n :, :] = np.concatenate([f_psi, f_w, f_x], axis=-1)
    return A


def assert_masses(M: Array, scale: Array, names: Sequence[str], source: str) -> None:
    """The same of many mass matrices (samples, n, n): Massless for the first that is singular."""
    if not M.shape[-1]:
        return
    scaled = 0.5 * (M + np.swapaxes(M, 1, 2)) * (scale[:, np.newaxis] * scale)
    inertias = np.linalg.eigvalsh(scaled)
    for k in np.flatnonzero(~(inertias[:, 0] > SINGULAR * np.maximum(inertias[:, -1], 0.0)))[:1]:
        assert_mass(M[k], scale, names, source)
