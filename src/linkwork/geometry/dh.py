"""Rows of link parameters: standard and modified Denavit-Hartenberg, Hayati, and Sheth-Uicker; both ways.

Lengths [m], angles [rad]; every parameter may be an array of one common shape (...).
Uicker, Ravani, Sheth, Matrix Methods, sec. 5.3 (eq. 5.8); Craig, Introduction to Robotics, sec. 3.4;
Hayati, Robot arm geometric link parameter estimation, CDC 1983; Sheth and Uicker, J. Eng. Ind. 93 (1971).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.geometry.poses import pose, pose_error, position, rotation
from linkwork.geometry.rotations import rot_x, rot_y, rot_z, to_euler_zxz
from linkwork.geometry.types import Array, ArrayLike, Bools

_NOISE = 1e-14  # below this a sine is rounding noise


@dataclass(frozen=True)
class LinkParameters:
    """Parameters read from a transform.

    `values[..., k]` is the parameter `names[k]`, in the order of the row's product; `parameters["a"]` picks one.
    `residual` (..., 2) is the angle [rad] and the distance [m] between the transform and the one that the parameters
    give: not zero when this kind of row cannot represent it.
    `degenerate` tells where a parameter is free and was set by the rule of the function.
    """

    names: tuple[str, ...]
    values: Array
    residual: Array
    degenerate: Bools

    def __getitem__(self, name: str) -> Array:
        result: Array = self.values[..., self.names.index(name)]
        return result


def _translate(axis: int, distance: ArrayLike) -> Array:
    d = np.asarray(distance, dtype=np.float64)
    return pose(p=d[..., None] * np.eye(3)[axis])


def _floats(*parameters: ArrayLike) -> list[Array]:
    return list(np.broadcast_arrays(*(np.asarray(p, dtype=np.float64) for p in parameters)))


def _parameters(X: Array, rebuilt: Array, degenerate: Bools, **named: Array) -> LinkParameters:
    residual = np.stack(pose_error(X, rebuilt), axis=-1)
    return LinkParameters(tuple(named), np.stack(list(named.values()), axis=-1), residual, degenerate)


# --- standard ---------------------------------------------------------------------------------------------------------


def dh_standard(theta: ArrayLike, d: ArrayLike, a: ArrayLike, alpha: ArrayLike) -> Array:
    """Rz(theta) Tz(d) Tx(a) Rx(alpha) (eq. 5.8): the frame stands at the far joint of the link."""
    theta, d, a, alpha = _floats(theta, d, a, alpha)
    return pose(rot_z(theta)) @ _translate(2, d) @ _translate(0, a) @ pose(rot_x(alpha))


def dh_standard_parameters(X: ArrayLike) -> LinkParameters:
    """theta, d, a, alpha of a transform.

    Four numbers cannot hold six freedoms: a transform is representable when its x axis crosses the old z axis at a
    right angle, else `residual` says by how much it is missed. If the x axis lies along the old z axis, theta is 0.
    """
    R, p = rotation(X), position(X)
    degenerate = np.hypot(R[..., 0, 0], R[..., 1, 0]) <= _NOISE
    theta = np.where(degenerate, 0.0, np.arctan2(R[..., 1, 0], R[..., 0, 0]))
    alpha = np.arctan2(R[..., 2, 1], R[..., 2, 2])
    a = np.cos(theta) * p[..., 0] + np.sin(theta) * p[..., 1]
    d = p[..., 2]
    rebuilt = dh_standard(theta, d, a, alpha)
    return _parameters(np.asarray(X, dtype=np.float64), rebuilt, degenerate, theta=theta, d=d, a=a, alpha=alpha)


# --- modified ---------------------------------------------------------------------------------------------------------


def dh_craig(alpha: ArrayLike, a: ArrayLike, theta: ArrayLike, d: ArrayLike) -> Array:
    """Rx(alpha) Tx(a) Rz(theta) Tz(d), Craig's rule: the frame stands at the near joint of the link."""
    alpha, a, theta, d = _floats(alpha, a, theta, d)
    return pose(rot_x(alpha)) @ _translate(0, a) @ pose(rot_z(theta)) @ _translate(2, d)


def dh_craig_parameters(X: ArrayLike) -> LinkParameters:
    """alpha, a, theta, d of a transform.

    Representable when the new z axis is at a right angle to the old x axis and they meet, else see `residual`.
    If the new z axis lies along the old x axis, theta is 0.
    """
    R, p = rotation(X), position(X)
    degenerate = np.hypot(R[..., 0, 0], R[..., 0, 1]) <= _NOISE
    theta = np.where(degenerate, 0.0, np.arctan2(-R[..., 0, 1], R[..., 0, 0]))
    alpha = np.arctan2(-R[..., 1, 2], R[..., 2, 2])
    a = p[..., 0]
    d = np.cos(alpha) * p[..., 2] - np.sin(alpha) * p[..., 1]
    rebuilt = dh_craig(alpha, a, theta, d)
    return _parameters(np.asarray(X, dtype=np.float64), rebuilt, degenerate, alpha=alpha, a=a, theta=theta, d=d)


# --- Hayati -----------------------------------------------------------------------------------------------------------


def hayati(theta: ArrayLike, a: ArrayLike, alpha: ArrayLike, beta: ArrayLike) -> Array:
    """Rz(theta) Tx(a) Rx(alpha) Ry(beta): for nearly parallel axes, where the d of a standard row runs to infinity."""
    theta, a, alpha, beta = _floats(theta, a, alpha, beta)
    return pose(rot_z(theta)) @ _translate(0, a) @ pose(rot_x(alpha) @ rot_y(beta))


def hayati_parameters(X: ArrayLike) -> LinkParameters:
    """theta, a, alpha, beta of a transform, with alpha in [-pi/2, pi/2].

    Any rotation fits; the origin must lie in the old xy plane on the line at angle theta, else see `residual`.
    At alpha = +-pi/2 the rotation leaves theta free: it then points at the origin of the frame (a > 0), or beta is 0
    when that is on the old z axis too.
    """
    R, p = rotation(X), position(X)
    cosine = np.hypot(R[..., 0, 1], R[..., 1, 1])
    degenerate = cosine <= _NOISE
    offset = np.hypot(p[..., 0], p[..., 1]) > 0.0
    at_lock = np.where(offset, np.arctan2(p[..., 1], p[..., 0]), np.arctan2(R[..., 1, 0], R[..., 0, 0]))
    theta = np.where(degenerate, at_lock, np.arctan2(-R[..., 0, 1], R[..., 1, 1]))
    alpha = np.arctan2(R[..., 2, 1], cosine)
    row = np.cos(theta)[..., None] * R[..., 0, :] + np.sin(theta)[..., None] * R[..., 1, :]  # cos beta, 0, sin beta
    beta = np.where(degenerate & ~offset, 0.0, np.arctan2(row[..., 2], row[..., 0]))
    a = np.cos(theta) * p[..., 0] + np.sin(theta) * p[..., 1]
    rebuilt = hayati(theta, a, alpha, beta)
    return _parameters(np.asarray(X, dtype=np.float64), rebuilt, degenerate, theta=theta, a=a, alpha=alpha, beta=beta)


# --- Sheth-Uicker -----------------------------------------------------------------------------------------------------


def sheth_uicker(
    gamma: ArrayLike, c: ArrayLike, alpha: ArrayLike, a: ArrayLike, beta: ArrayLike, b: ArrayLike
) -> Array:
    """Rz(gamma) Tz(c) Rx(alpha) Tx(a) Rz(beta) Tz(b): along one axis, across to the other, and along that."""
    gamma, c, alpha, a, beta, b = _floats(gamma, c, alpha, a, beta, b)
    first = pose(rot_z(gamma)) @ _translate(2, c)
    across = pose(rot_x(alpha)) @ _translate(0, a)
    return first @ across @ pose(rot_z(beta)) @ _translate(2, b)


def sheth_uicker_parameters(X: ArrayLike, tol: float = 1e-8) -> LinkParameters:
    """gamma, c, alpha, a, beta, b of a transform, with alpha in [0, pi]; six numbers, so that every transform fits.

    Parallel axes (sin(alpha) <= tol) have no single common perpendicular: the one with b = 0 is taken, and a >= 0.
    Axes that coincide have none with a length: b = 0, a = 0 and beta = 0. The default `tol` balances two errors: nearer
    to parallel the perpendicular lies so far away (about 1/sin(alpha)) that rounding of b and c moves the frame more.
    """
    array = np.asarray(X, dtype=np.float64)
    R, p = rotation(array), position(array)
    zxz = to_euler_zxz(R)
    alpha = zxz.values[..., 1]
    sine = np.sin(alpha)
    degenerate = sine <= tol
    offset = np.hypot(p[..., 0], p[..., 1])
    apart = offset > _NOISE * np.abs(p[..., 2])  # parallel axes that do not coincide

    # Parallel: gamma points along the perpendicular; beta takes what is left of the turn about the axis.
    along = np.where(apart, np.arctan2(p[..., 1], p[..., 0]), np.arctan2(R[..., 1, 0], R[..., 0, 0]))
    row = np.cos(along)[..., None] * R[..., 0, :] + np.sin(along)[..., None] * R[..., 1, :]  # cos beta, -sin beta, 0
    left = np.where(apart, np.arctan2(-row[..., 1], row[..., 0]), 0.0)
    gamma = np.where(degenerate, along, zxz.values[..., 0])
    beta = np.where(degenerate, left, zxz.values[..., 2])

    # Rz(-gamma) p = (a, -b sin(alpha), c + b cos(alpha)).
    x = np.cos(gamma) * p[..., 0] + np.sin(gamma) * p[..., 1]
    y = np.cos(gamma) * p[..., 1] - np.sin(gamma) * p[..., 0]
    a = np.where(degenerate, np.where(apart, offset, 0.0), x)
    b = np.where(degenerate, 0.0, -y / np.where(degenerate, 1.0, sine))
    c = p[..., 2] - b * np.cos(alpha)
    rebuilt = sheth_uicker(gamma, c, alpha, a, beta, b)
    return _parameters(array, rebuilt, degenerate, gamma=gamma, c=c, alpha=alpha, a=a, beta=beta, b=b)
