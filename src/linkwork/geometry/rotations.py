"""Rotations: matrices, three-angle sets, axis and angle, rotation vectors, unit quaternions, and the ways between them.

Radians. R_AB maps components in B to components in A; its columns are the axes of B in A. Quaternions are w first.
Every function takes leading dimensions: angles (..., 3), matrices (..., 3, 3), quaternions (..., 4).
Uicker, Ravani, Sheth, Matrix Methods, secs. 3.4, 3.7, 3.8, 3.10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry.types import Array, ArrayLike, Bools
from linkwork.geometry.vectors import as_vectors, dot, length, unit

# A product of some ten rotation matrices is off by this much; below it a sine or an angle is rounding noise.
_NOISE = 1e-14


@dataclass(frozen=True)
class Angles:
    """Three angles [rad], shape (..., 3), and where the set is degenerate (gimbal lock), shape (...)."""

    values: Array
    degenerate: Bools


@dataclass(frozen=True)
class AxisAngle:
    """A unit axis (..., 3) and an angle in [0, pi] (...); `degenerate` where the angle is 0 and any axis would do."""

    axis: Array
    angle: Array
    degenerate: Bools


# --- matrices ---------------------------------------------------------------------------------------------------------


def _matrix(rows: list[list[Array]]) -> Array:
    """Stack nested lists of scalars (...) to matrices (..., n, m)."""
    return np.stack([np.stack(np.broadcast_arrays(*row), axis=-1) for row in rows], axis=-2)


def _matrices(R: ArrayLike) -> Array:
    array = np.asarray(R, dtype=np.float64)
    if array.shape[-2:] != (3, 3):
        raise InputError(Problem(f"rotation matrix has shape {array.shape}", hint="give 3 rows of 3 numbers"))
    return array


def rot_x(angle: ArrayLike) -> Array:
    """Rotation by `angle` [rad] about x."""
    a = np.asarray(angle, dtype=np.float64)
    c, s, o, i = np.cos(a), np.sin(a), np.zeros_like(a), np.ones_like(a)
    return _matrix([[i, o, o], [o, c, -s], [o, s, c]])


def rot_y(angle: ArrayLike) -> Array:
    """Rotation by `angle` [rad] about y."""
    a = np.asarray(angle, dtype=np.float64)
    c, s, o, i = np.cos(a), np.sin(a), np.zeros_like(a), np.ones_like(a)
    return _matrix([[c, o, s], [o, i, o], [-s, o, c]])


def rot_z(angle: ArrayLike) -> Array:
    """Rotation by `angle` [rad] about z."""
    a = np.asarray(angle, dtype=np.float64)
    c, s, o, i = np.cos(a), np.sin(a), np.zeros_like(a), np.ones_like(a)
    return _matrix([[c, -s, o], [s, c, o], [o, o, i]])


def skew(v: ArrayLike) -> Array:
    """The matrix S with S b = v x b, shape (..., 3, 3)."""
    array = as_vectors(v)
    x, y, z = array[..., 0], array[..., 1], array[..., 2]
    o = np.zeros_like(x)
    return _matrix([[o, -z, y], [z, o, -x], [-y, x, o]])


def unskew(S: ArrayLike) -> Array:
    """The vector v of the skew part of S: unskew(skew(v)) = v, and the symmetric part is ignored."""
    m = _matrices(S)
    return 0.5 * np.stack([m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]], -1)


def is_rotation(R: ArrayLike, tol: float = 1e-9) -> Bools:
    """Whether every entry of R' R - I is within `tol` and det R > 0; False for entries that are not finite."""
    m = _matrices(R)
    finite = np.asarray(np.isfinite(m).all(axis=(-2, -1)))
    m = np.where(finite[..., None, None], m, 0.0)
    orthogonal = np.max(np.abs(np.swapaxes(m, -1, -2) @ m - np.eye(3)), axis=(-2, -1)) <= tol
    right_handed = dot(np.cross(m[..., 0], m[..., 1]), m[..., 2]) > 0.0
    result: Bools = finite & orthogonal & right_handed
    return result


def nearest_rotation(R: ArrayLike) -> tuple[Array, Array]:
    """The rotation nearest to R in the Frobenius norm, and that distance |R - nearest|_F, shape (...).

    R = U S V' gives U diag(1, 1, det(U V')) V': the polar factor, with the least singular direction turned over where R
    is a reflection.
    """
    m = _matrices(R)
    if not np.isfinite(m).all():
        raise InputError(Problem("matrix has entries that are not finite", hint="give nine finite numbers"))
    u, _, vt = np.linalg.svd(m)
    u[..., :, 2] *= np.sign(np.linalg.det(u @ vt))[..., None]
    nearest = u @ vt
    return nearest, np.linalg.norm(m - nearest, axis=(-2, -1))


# --- three angles -----------------------------------------------------------------------------------------------------


def _three(angles: ArrayLike) -> tuple[Array, Array, Array]:
    array = as_vectors(angles, "angles")
    return array[..., 0], array[..., 1], array[..., 2]


def from_euler_zxz(angles: ArrayLike) -> Array:
    """Rz(a) Rx(b) Rz(c): precession, nutation, spin [rad] (eq. 3.44)."""
    a, b, c = _three(angles)
    return rot_z(a) @ rot_x(b) @ rot_z(c)


def from_euler_zyz(angles: ArrayLike) -> Array:
    """Rz(a) Ry(b) Rz(c) [rad]."""
    a, b, c = _three(angles)
    return rot_z(a) @ rot_y(b) @ rot_z(c)


def from_euler_xyz(angles: ArrayLike) -> Array:
    """Rx(a) Ry(b) Rz(c) [rad], about the axes as they move (eq. 3.46)."""
    a, b, c = _three(angles)
    return rot_x(a) @ rot_y(b) @ rot_z(c)


def from_rpy(angles: ArrayLike) -> Array:
    """Rz(yaw) Ry(pitch) Rx(roll) of roll, pitch, yaw [rad] about the fixed x, y, z, as in URDF."""
    roll, pitch, yaw = _three(angles)
    return rot_z(yaw) @ rot_y(pitch) @ rot_x(roll)


# The way back. In gimbal lock (the middle angle at an end of its range) only the sum or difference of the other two is
# defined: the last one is then 0 and `degenerate` is true. The first angle comes from the column or row that the third
# does not move. The third comes from the matrix with the first rotation taken off, not from a column of its own: this
# reproduces R to rounding however near the lock is.


def to_euler_zxz(R: ArrayLike) -> Angles:
    """Angles a, b, c [rad] of Rz(a) Rx(b) Rz(c), with b in [0, pi]; c = 0 where b is 0 or pi (degenerate)."""
    m = _matrices(R)
    sine = np.hypot(m[..., 0, 2], m[..., 1, 2])
    lock = sine <= _NOISE
    a = np.where(lock, np.arctan2(m[..., 1, 0], m[..., 0, 0]), np.arctan2(m[..., 0, 2], -m[..., 1, 2]))
    b = np.arctan2(sine, m[..., 2, 2])
    row = np.cos(a)[..., None] * m[..., 0, :] + np.sin(a)[..., None] * m[..., 1, :]  # cos c, -sin c, 0
    c = np.where(lock, 0.0, np.arctan2(-row[..., 1], row[..., 0]))
    return Angles(np.stack([a, b, c], axis=-1), lock)


def to_euler_zyz(R: ArrayLike) -> Angles:
    """Angles a, b, c [rad] of Rz(a) Ry(b) Rz(c), with b in [0, pi]; c = 0 where b is 0 or pi (degenerate)."""
    m = _matrices(R)
    sine = np.hypot(m[..., 0, 2], m[..., 1, 2])
    lock = sine <= _NOISE
    a = np.where(lock, np.arctan2(-m[..., 0, 1], m[..., 1, 1]), np.arctan2(m[..., 1, 2], m[..., 0, 2]))
    b = np.arctan2(sine, m[..., 2, 2])
    row = np.cos(a)[..., None] * m[..., 1, :] - np.sin(a)[..., None] * m[..., 0, :]  # sin c, cos c, 0
    c = np.where(lock, 0.0, np.arctan2(row[..., 0], row[..., 1]))
    return Angles(np.stack([a, b, c], axis=-1), lock)


def to_euler_xyz(R: ArrayLike) -> Angles:
    """Angles a, b, c [rad] of Rx(a) Ry(b) Rz(c), with b in [-pi/2, pi/2]; c = 0 where b is +-pi/2 (degenerate)."""
    m = _matrices(R)
    cosine = np.hypot(m[..., 1, 2], m[..., 2, 2])
    lock = cosine <= _NOISE
    a = np.where(lock, np.arctan2(m[..., 2, 1], m[..., 1, 1]), np.arctan2(-m[..., 1, 2], m[..., 2, 2]))
    b = np.arctan2(m[..., 0, 2], cosine)
    row = np.cos(a)[..., None] * m[..., 1, :] + np.sin(a)[..., None] * m[..., 2, :]  # sin c, cos c, 0
    c = np.where(lock, 0.0, np.arctan2(row[..., 0], row[..., 1]))
    return Angles(np.stack([a, b, c], axis=-1), lock)


def to_rpy(R: ArrayLike) -> Angles:
    """Roll, pitch, yaw [rad] about the fixed x, y, z, with pitch in [-pi/2, pi/2]; yaw = 0 where it is +-pi/2.

    R' = Rx(-roll) Ry(-pitch) Rz(-yaw): the moving-axes set of the transpose, with every sign turned.
    """
    turned = to_euler_xyz(np.swapaxes(_matrices(R), -1, -2))
    return Angles(0.0 - turned.values, turned.degenerate)


# --- axis and angle, rotation vector ----------------------------------------------------------------------------------


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """cos(t) I + sin(t) skew(w) + (1 - cos(t)) w w', for an axis w of any length and an angle t [rad] (eq. 3.37)."""
    w = unit(axis, "axis")
    t = np.asarray(angle, dtype=np.float64)[..., None, None]
    versine = 2.0 * np.sin(0.5 * t) ** 2  # 1 - cos(t) without cancellation
    return np.cos(t) * np.eye(3) + np.sin(t) * skew(w) + versine * (w[..., :, None] * w[..., None, :])


def to_axis_angle(R: ArrayLike) -> AxisAngle:
    """Axis and angle in [0, pi] of a rotation matrix, accurate at both ends.

    At angle 0 (below 1e-14) every axis fits: the answer is the z axis with angle 0, and `degenerate` is true.
    At angle pi both signs of the axis fit: the first non-zero component is positive.
    """
    q = to_quaternion(R)
    size = length(q[..., 1:])
    angle = 2.0 * np.arctan2(size, q[..., 0])
    degenerate = angle <= _NOISE
    axis = np.where(degenerate[..., None], np.array([0.0, 0.0, 1.0]), q[..., 1:])
    return AxisAngle(unit(axis), np.where(degenerate, 0.0, angle), degenerate)


def from_rotvec(v: ArrayLike) -> Array:
    """exp(skew(v)): the rotation by |v| [rad] about v; exact through |v| = 0."""
    array = as_vectors(v, "rotation vector")
    t = length(array)[..., None, None]
    s = skew(array)
    first = np.sinc(t / np.pi)  # sin(t) / t
    second = 0.5 * np.sinc(0.5 * t / np.pi) ** 2  # (1 - cos(t)) / t^2
    return np.eye(3) + first * s + second * (s @ s)


def to_rotvec(R: ArrayLike) -> Array:
    """log(R): axis times angle, angle in [0, pi]; 0 for the identity, the sign rule of the quaternion at pi."""
    q = to_quaternion(R)
    size = length(q[..., 1:])
    small = size < np.finfo(np.float64).tiny
    factor = 2.0 * np.arctan2(size, q[..., 0]) / np.where(small, 1.0, size)
    return np.where(small, 2.0, factor)[..., None] * q[..., 1:]


# --- unit quaternions (Euler-Rodrigues parameters), w first -----------------------------------------------------------


def _unit_quaternion(q: ArrayLike) -> Array:
    array = as_vectors(q, "quaternion", size=4)
    size = length(array)[..., None]
    if not np.isfinite(array).all() or np.any(size == 0.0):
        raise InputError(Problem("quaternion is zero or not finite", hint="give w, x, y, z; no rotation is 1, 0, 0, 0"))
    return array / size


def canonical_quaternion(q: ArrayLike) -> Array:
    """q or -q, the same rotation: the one whose first non-zero component (in the order w, x, y, z) is positive."""
    array = as_vectors(q, "quaternion", size=4)
    first = np.argmax(array != 0.0, axis=-1, keepdims=True)
    negative = np.take_along_axis(array, first, axis=-1) < 0.0
    return np.where(negative, -array, array) + 0.0  # + 0.0 turns -0 into 0


def to_quaternion(R: ArrayLike) -> Array:
    """Unit quaternion w, x, y, z of a rotation matrix, canonical in sign, accurate at every angle (eqs. 3.51-3.55).

    The entries of R give all products of the outer product 4 q q'. Its row with the largest diagonal entry (at least 1)
    is q up to scale: no threshold, and no division by a small number.
    """
    m = _matrices(R)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    outer = _matrix(
        [
            [1.0 + xx + yy + zz, wx, wy, wz],
            [wx, 1.0 + xx - yy - zz, xy, xz],
            [wy, xy, 1.0 - xx + yy - zz, yz],
            [wz, xz, yz, 1.0 - xx - yy + zz],
        ]
    )
    largest = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    row = np.take_along_axis(outer, largest[..., None, None], axis=-2)[..., 0, :]
    return canonical_quaternion(_unit_quaternion(row))


def from_quaternion(q: ArrayLike) -> Array:
    """Rotation matrix of a quaternion w, x, y, z of any length but 0 (eq. 3.50)."""
    array = _unit_quaternion(q)
    w, x, y, z = (array[..., k] for k in range(4))
    return _matrix(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def quaternion_from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """cos(t/2), w sin(t/2), for an axis w of any length and an angle t [rad] (eq. 3.48); the sign is not touched."""
    w = unit(axis, "axis")
    half = 0.5 * np.asarray(angle, dtype=np.float64)[..., None]
    cosine, vector = np.cos(half), np.sin(half) * w
    return np.concatenate([np.broadcast_to(cosine, (*vector.shape[:-1], 1)), vector], axis=-1)


def quaternion_product(p: ArrayLike, q: ArrayLike) -> Array:
    """p q: the rotation q followed by the rotation p, as in the product of their matrices (sec. 3.10)."""
    a, b = as_vectors(p, "quaternion", size=4), as_vectors(q, "quaternion", size=4)
    w = a[..., :1] * b[..., :1] - dot(a[..., 1:], b[..., 1:])[..., None]
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, v], axis=-1)


def quaternion_conjugate(q: ArrayLike) -> Array:
    """w, -x, -y, -z: the inverse rotation of a unit quaternion."""
    result: Array = as_vectors(q, "quaternion", size=4) * np.array([1.0, -1.0, -1.0, -1.0])
    return result


def quaternion_rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """The vector part of q v q*, that is from_quaternion(q) @ v."""
    array, vector = _unit_quaternion(q), as_vectors(v)
    twice = 2.0 * np.cross(array[..., 1:], vector)
    return vector + array[..., :1] * twice + np.cross(array[..., 1:], twice)
