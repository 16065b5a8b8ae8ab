"""The displacement of a rigid body from points measured before and after.

Uicker, Ravani, Sheth, Matrix Methods, sec. 3.6 takes three points and inverts a matrix of coordinates (eq. 3.32), which
gives a rotation only as good as the data. Here the rotation is exact and the misfit is reported: the least-squares
solution of Kabsch (Acta Cryst. A32, 1976), for three points or more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry.poses import pose
from linkwork.geometry.rotations import from_rotvec, nearest_rotation, skew
from linkwork.geometry.types import Array, ArrayLike
from linkwork.geometry.vectors import as_vectors, length

# Width over length below which points count as collinear: the turn about their line is then lost.
COLLINEAR = 1e-6


@dataclass(frozen=True)
class Displacement:
    """A pose X with after = X before as nearly as possible, and the misfit of the points: rms and largest [m]."""

    X: Array
    rms: float
    largest: float


def displacement_from_points(before: ArrayLike, after: ArrayLike) -> Displacement:
    """The displacement that takes the points `before` (n, 3) to the points `after` (n, 3) best, n >= 3 [m]."""
    b, a = as_vectors(before, "points before"), as_vectors(after, "points after")
    if b.ndim != 2 or b.shape != a.shape or len(b) < 3:
        what = f"points before have shape {b.shape}, points after {a.shape}"
        raise InputError(Problem(what, hint="give the same three points or more twice, as rows of 3 numbers"))
    if not (np.isfinite(b).all() and np.isfinite(a).all()):
        raise InputError(Problem("measured points are not finite", hint="give three finite numbers for each point"))
    centre_b, centre_a = b.mean(axis=0), a.mean(axis=0)
    db, da = b - centre_b, a - centre_a
    _check_spread(db, "before")
    _check_spread(da, "after")

    # The rotation of largest trace(R db' da): the polar factor of the correlation matrix.
    scale = np.max(np.abs(da)) * np.max(np.abs(db))
    R, _ = nearest_rotation(da.T @ db / scale)
    # The correlation squares lengths, which costs thin triangles half of their digits; Gauss-Newton brings them back.
    for _ in range(2):
        turned = db @ R.T
        step = np.linalg.lstsq(-skew(turned).reshape(-1, 3), (da - turned).ravel(), rcond=None)[0]
        R, _ = nearest_rotation(from_rotvec(step) @ R)

    X = pose(R, centre_a - R @ centre_b)
    misfit = length(da - db @ R.T)
    return Displacement(X, float(np.sqrt(np.mean(misfit**2))), float(np.max(misfit)))


def _check_spread(centred: Array, when: str) -> None:
    spread = np.linalg.svd(centred, compute_uv=False)
    if spread[1] <= COLLINEAR * spread[0]:
        across = spread[1] if spread[1] > 1e-15 * spread[0] else 0.0  # less is rounding
        what = f"the points {when} lie on one line (they spread {spread[0]:.3g} along it and {across:.3g} across)"
        raise InputError(Problem(what, hint="measure a point away from that line: the turn about it is not defined"))
