"""Motions of joints as 4 x 4 matrices, chains of them, and their Jacobians; over any number of samples.

Lengths are in parts of the chain's size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.analyses.robots.solutions.serial_chains import Joint
from linkwork.geometry import Array
from linkwork.geometry.rotations import skew, to_rotvec

STEPS = 12
"""Newton's steps at most."""
DAMPED = 1e-12
FINE = 2e-16
"""Errors that no step makes smaller."""
LARGE = 1e3


def motion(joint: Joint, x: Array) -> Array:
    """exp(S x), (..., 4, 4): R = 1 + sin x K + (1 - cos x) K² about the axis through the joint's point."""
    x = np.asarray(x, float)
    X = np.zeros((*x.shape, 4, 4))
    X[..., 3, 3] = 1.0
    if not joint.turns:
        X[..., :3, :3] = np.eye(3)
        X[..., :3, 3] = x[..., None] * joint.axis
        return X
    K = skew(joint.axis)
    R = np.eye(3) + np.sin(x)[..., None, None] * K + (1.0 - np.cos(x))[..., None, None] * (K @ K)
    X[..., :3, :3] = R
    X[..., :3, 3] = joint.point - R @ joint.point
    return X


def displacement(joints: Sequence[Joint], x: Array) -> Array:
    """The product of all motions, (..., 4, 4), for x (..., n)."""
    G = np.broadcast_to(np.eye(4), (*x.shape[:-1], 4, 4))
    for k, joint in enumerate(joints):
        G = G @ motion(joint, x[..., k])
    return G


def displacement_and_jacobian(joints: Sequence[Joint], x: Array) -> tuple[Array, Array]:
    """The product, and its twists by each variable: [v at the origin; w] in world axes, (..., 6, n)."""
    G = np.broadcast_to(np.eye(4), (*x.shape[:-1], 4, 4))
    J = np.zeros((*x.shape[:-1], 6, len(joints)))
    for k, joint in enumerate(joints):
        axis = G[..., :3, :3] @ joint.axis
        if joint.turns:
            point = G[..., :3, :3] @ joint.point + G[..., :3, 3]
            J[..., :3, k], J[..., 3:, k] = np.cross(point, axis), axis
        else:
            J[..., :3, k] = axis
        G = G @ motion(joint, x[..., k])
    return G, J


def error_twist(G: Array, wanted: Array, at: Array) -> Array:
    """What is missing, (..., 6): of the place `at` moved by G, and the rotation vector."""
    gap = (wanted[..., :3, :3] - G[..., :3, :3]) @ at + wanted[..., :3, 3] - G[..., :3, 3]
    turn = to_rotvec(wanted[..., :3, :3] @ np.swapaxes(G[..., :3, :3], -1, -2))
    return np.concatenate([gap, turn], axis=-1)


def jacobian_at(G: Array, J: Array, at: Array) -> Array:
    """Twists of the place `at` moved by G."""
    p = G[..., :3, :3] @ at + G[..., :3, 3]
    own = J.copy()
    own[..., :3, :] += np.cross(J[..., 3:, :], p[..., None], axis=-2)
    return own


def polished(joints: Sequence[Joint], x: Array, wanted: Array, at: Array, steps: int = STEPS) -> tuple[Array, Array]:
    """Newton's steps from each of x (k, n) towards wanted (k, 4, 4), as long as they help; the errors left (k,)."""
    x, trial = x.copy(), x.copy()
    left = np.full(len(x), np.inf)
    active = np.arange(len(x))
    for step in range(steps + 1):
        if not active.size:
            break
        G, J = displacement_and_jacobian(joints, trial[active])
        error = error_twist(G, wanted[active], at)
        now = np.abs(error).max(axis=-1)
        better, before = now < left[active], left[active]
        x[active[better]], left[active[better]] = trial[active[better]], now[better]
        going = (now < 0.5 * before) & (now > FINE)
        active = active[going]
        if step < steps and active.size:
            trial[active] = x[active] + np.clip(_least(jacobian_at(G, J, at)[going], error[going]), -0.5, 0.5)
    return x, left


def _least(A: Array, e: Array) -> Array:
    """Least squares of smallest size."""
    if A.shape[-1] == 6:
        try:
            d: Array = np.linalg.solve(A, e[..., None])[..., 0]
            if np.isfinite(d).all() and np.abs(d).max() < LARGE:
                return d
        except np.linalg.LinAlgError:
            pass
    return (np.linalg.pinv(A, rcond=DAMPED) @ e[..., None])[..., 0]
