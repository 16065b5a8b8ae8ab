"""Poses: 4x4 homogeneous matrices. X_AB is the pose of frame B in frame A, and X_AC = X_AB @ X_BC.

The columns are the axes u, v, w of B and its origin, in A. Metres and radians; shapes (..., 4, 4) and (..., 3).
Uicker, Ravani, Sheth, Matrix Methods, secs. 3.5 and 5.5.
"""

from __future__ import annotations

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry.rotations import is_rotation, to_quaternion
from linkwork.geometry.types import Array, ArrayLike, Bools
from linkwork.geometry.vectors import as_vectors, length


def _poses(X: ArrayLike) -> Array:
    array = np.asarray(X, dtype=np.float64)
    if array.shape[-2:] != (4, 4):
        raise InputError(Problem(f"pose has shape {array.shape}", hint="give 4 rows of 4 numbers"))
    return array


def _turn(R: Array, v: Array) -> Array:
    """R v, matrix by vector, over leading dimensions."""
    result: Array = np.einsum("...ij,...j->...i", R, v)
    return result


def pose(R: ArrayLike | None = None, p: ArrayLike | None = None) -> Array:
    """The pose [R p; 0 1] of a rotation matrix and a position [m]; without R no rotation, without p at the origin."""
    r = np.eye(3) if R is None else np.asarray(R, dtype=np.float64)
    t = np.zeros(3) if p is None else as_vectors(p, "position")
    if r.shape[-2:] != (3, 3):
        raise InputError(Problem(f"rotation matrix has shape {r.shape}", hint="give 3 rows of 3 numbers"))
    X = np.zeros((*np.broadcast_shapes(r.shape[:-2], t.shape[:-1]), 4, 4))
    X[..., :3, :3] = r
    X[..., :3, 3] = t
    X[..., 3, 3] = 1.0
    return X


def translation(x: float, y: float, z: float) -> Array:
    """The pose displaced by x, y, z [m] without rotation."""
    return pose(p=[x, y, z])


def rotation(X: ArrayLike) -> Array:
    """The rotation matrix R_AB of a pose X_AB."""
    return _poses(X)[..., :3, :3]


def position(X: ArrayLike) -> Array:
    """The position p_AB [m] of the origin of B in A."""
    return _poses(X)[..., :3, 3]


def inverse(X: ArrayLike) -> Array:
    """X_BA = [R' -R'p; 0 1] of X_AB (eq. 5.16): exact for rigid poses, which a general inverse is not."""
    array = _poses(X)
    R_BA = np.swapaxes(array[..., :3, :3], -1, -2)
    return pose(R_BA, -_turn(R_BA, array[..., :3, 3]))


def transform_points(X: ArrayLike, p: ArrayLike) -> Array:
    """Points of B, shape (..., 3), in A: R p + origin. One pose moves many points; X[:, None] moves all by each."""
    array = _poses(X)
    return _turn(array[..., :3, :3], as_vectors(p, "point")) + array[..., :3, 3]


def transform_vectors(X: ArrayLike, v: ArrayLike) -> Array:
    """Free vectors of B, shape (..., 3), in A: R v (points at infinity, eq. 3.4)."""
    return _turn(_poses(X)[..., :3, :3], as_vectors(v))


def is_pose(X: ArrayLike, tol: float = 1e-9) -> Bools:
    """Whether X has a rotation matrix (within `tol`), a finite position and the last row 0 0 0 1."""
    array = _poses(X)
    last_row = np.all(array[..., 3, :] == np.array([0.0, 0.0, 0.0, 1.0]), axis=-1)
    finite = np.isfinite(array[..., :3, 3]).all(axis=-1)
    result: Bools = is_rotation(array[..., :3, :3], tol) & finite & last_row
    return result


def pose_error(X_AB: ArrayLike, X_AC: ArrayLike) -> tuple[Array, Array]:
    """How far C is from B: the angle [rad] of R_BC in [0, pi] and the distance [m] of the origins.

    Small angles come from |R_AB - R_AC|_F = sqrt(8) sin(angle/2), which keeps its digits down to 0 because the
    difference is exact; large ones from the quaternion, which keeps them up to pi.
    """
    ab, ac = _poses(X_AB), _poses(X_AC)
    difference = ab[..., :3, :3] - ac[..., :3, :3]
    sine = length(difference.reshape(*difference.shape[:-2], 9)) / np.sqrt(8.0)
    q = to_quaternion(np.swapaxes(ab[..., :3, :3], -1, -2) @ ac[..., :3, :3])
    large = 2.0 * np.arctan2(length(q[..., 1:]), q[..., 0])
    angle = np.where(sine < 0.5, 2.0 * np.arcsin(np.minimum(sine, 1.0)), large)
    return angle, length(ab[..., :3, 3] - ac[..., :3, 3])
