"""Lines and points under rigid motions, as fifteen numbers on which a motion acts linearly.

For a line with direction l and a point p on it: (1, l, p, p x l, p·p, p·l, (p·p) l - 2 (p·l) p). A motion (R, t) makes
each of them a linear combination of all, so a turn acts by a matrix that is linear in 1, cos x and sin x, and a slide
by one that is quadratic in x. These are the fourteen equations of Raghavan and Roth (1993), without Denavit and
Hartenberg's frames, and for slides too.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.robots.solutions.motions import motion
from linkwork.analyses.robots.solutions.serial_chains import Joint
from linkwork.geometry import Array
from linkwork.geometry.rotations import skew

SIZE = 15
HALF_ANGLE = np.array([[1.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.0, 2.0, 0.0]])
"""1, cos x and sin x, each times 1 + u², by powers of u = tan x/2."""


def line_vector(direction: Array, point: Array) -> Array:
    """The fifteen numbers of a line, (..., 15)."""
    pp, pl = (point * point).sum(-1, keepdims=True), (point * direction).sum(-1, keepdims=True)
    one = np.ones_like(pp)
    parts = [one, direction, point, np.cross(point, direction), pp, pl, pp * direction - 2.0 * pl * point]
    return np.concatenate(parts, axis=-1)


def representation(X: Array) -> Array:
    """The matrix by which a motion acts on them, (..., 15, 15).

    With p' = R p + t and l' = R l: p' x l' = R (p x l) + t x R l, and the last three become
    R w - 2 t x R (p x l) + (t·t) R l - 2 t (t·R l) - 2 (p·l) t.
    """
    R, t = X[..., :3, :3], X[..., :3, 3]
    D = np.zeros((*X.shape[:-2], SIZE, SIZE))
    tR = (t[..., None, :] @ R)[..., 0, :]
    tt = (t * t).sum(-1)
    T = skew(t) @ R
    for k in (1, 4, 7, 12):
        D[..., k : k + 3, k : k + 3] = R
    D[..., 0, 0] = D[..., 10, 10] = D[..., 11, 11] = 1.0
    D[..., 4:7, 0] = t
    D[..., 7:10, 1:4] = T
    D[..., 10, 4:7], D[..., 10, 0] = 2.0 * tR, tt
    D[..., 11, 1:4] = tR
    D[..., 12:15, 7:10] = -2.0 * T
    D[..., 12:15, 1:4] = tt[..., None, None] * R - 2.0 * t[..., :, None] * tR[..., None, :]
    D[..., 12:15, 11] = -2.0 * t
    return D


def joint_matrices(joint: Joint) -> Array:
    """(3, 15, 15): factors of 1, cos x and sin x of a turn; of 1, x and x² of a slide."""
    if joint.turns:
        a = np.asarray(2.0 * np.pi / 3.0 * np.arange(3), float)
        D = representation(motion(joint, a))
        weights = np.array([np.full(3, 1.0), 2.0 * np.cos(a), 2.0 * np.sin(a)]) / 3.0
        return np.tensordot(weights, D, 1)
    D = representation(motion(joint, np.array([-1.0, 0.0, 1.0])))
    return np.stack([D[1], 0.5 * (D[2] - D[0]), 0.5 * (D[2] + D[0]) - D[1]])


def inverse_signs(joint: Joint) -> Array:
    """What the factors are multiplied by for the motion back."""
    return np.array([1.0, 1.0, -1.0] if joint.turns else [1.0, -1.0, 1.0])


def powers(joint: Joint) -> Array:
    """The same functions by powers of tan x/2 (times 1 + u²), or of x."""
    return HALF_ANGLE if joint.turns else np.eye(3)


def unit_powers(joint: Joint) -> Array:
    """What 1 becomes: 1 + u², or 1."""
    return np.array([1.0, 0.0, 1.0] if joint.turns else [1.0, 0.0, 0.0])
