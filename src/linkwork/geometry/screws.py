"""Screws: every displacement is a turn about one line and a slide along it (Chasles), every twist likewise.

A twist is a vector of six, **linear part first**: [v; omega], where v is the velocity of the point of the moving body
that is at the origin. Metres and radians; shapes (..., 3), (..., 6), (..., 4, 4).
Uicker, Ravani, Sheth, Matrix Methods, secs. 3.7 and 6.4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.geometry.poses import pose, position, rotation
from linkwork.geometry.rotations import from_axis_angle, skew, to_axis_angle, unskew
from linkwork.geometry.types import Array, ArrayLike
from linkwork.geometry.vectors import as_vectors, dot, length, unit

_Z = np.array([0.0, 0.0, 1.0])


def _ratio(numerator: Array, denominator: Array) -> Array:
    """numerator / denominator; where that is 0, infinity with the sign of the numerator, and 0 for 0/0."""
    zero = denominator == 0.0
    limit = np.where(numerator == 0.0, 0.0, np.copysign(np.inf, numerator))
    with np.errstate(over="ignore"):
        return np.where(zero, limit, numerator / np.where(zero, 1.0, denominator))


@dataclass(frozen=True)
class Screw:
    """A turn by `angle` [rad] about the line through `point` along the unit vector `direction`, and a slide [m] along.

    `point` is the point of the line that is nearest to the origin when it comes from `screw_from_displacement`.
    """

    direction: Array
    point: Array
    angle: Array
    slide: Array

    @property
    def pitch(self) -> Array:
        """slide / angle [m/rad]; infinite for a pure translation, 0 for no displacement at all."""
        return _ratio(np.asarray(self.slide, dtype=np.float64), np.asarray(self.angle, dtype=np.float64))


def screw(direction: ArrayLike, point: ArrayLike, angle: ArrayLike, slide: ArrayLike = 0.0) -> Screw:
    """A screw from a direction of any length, a point of the axis [m], an angle [rad] and a slide [m]."""
    turn, advance = np.asarray(angle, dtype=np.float64), np.asarray(slide, dtype=np.float64)
    return Screw(unit(direction, "screw direction"), as_vectors(point, "point"), turn, advance)


def displacement_from_screw(s: Screw) -> Array:
    """The pose X with R from axis and angle and origin (I - R) point + slide direction (eqs. 3.34-3.41).

    (I - R) point is taken apart into cross products: the difference I - R would lose the digits of small angles, whose
    axes are far away.
    """
    w = unit(s.direction, "screw direction")
    t = np.asarray(s.angle, dtype=np.float64)[..., None]
    across = np.cross(w, np.asarray(s.point, dtype=np.float64))
    turned = np.sin(t) * across + 2.0 * np.sin(0.5 * t) ** 2 * np.cross(w, across)
    p = np.asarray(s.slide, dtype=np.float64)[..., None] * w - turned
    return pose(from_axis_angle(w, s.angle), p)


def screw_from_displacement(X: ArrayLike) -> Screw:
    """The screw of a displacement, angle in [0, pi].

    With d the origin of X and e = d - (w.d) w, the nearest axis point is (e + cot(angle/2) w x e) / 2.
    A pure translation (angle below 1e-14) has angle 0, the direction of d, slide |d| and the point 0; no displacement
    has direction z and slide 0. At angle pi both signs of the direction fit: its first non-zero component is positive.
    """
    turn = to_axis_angle(rotation(X))
    d = position(X)
    distance = length(d)
    still = distance == 0.0
    along = unit(np.where(still[..., None], _Z, d))

    pure = turn.degenerate
    w = np.where(pure[..., None], along, turn.axis)
    slide = np.where(pure, distance, dot(w, d))
    e = d - slide[..., None] * w
    cotangent = 1.0 / np.tan(0.5 * np.where(pure, 1.0, turn.angle))
    point = np.where(pure[..., None], 0.0, 0.5 * (e + cotangent[..., None] * np.cross(w, e)))
    return Screw(w, point, turn.angle, slide)


# --- twists -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TwistAxis:
    """Where a twist turns: unit direction, the axis point nearest to the origin [m], pitch [m/rad] and magnitude.

    `magnitude` is |omega| [rad/s], or |v| [m/s] where there is no rotation: the pitch is infinite there, the point 0.
    """

    direction: Array
    point: Array
    pitch: Array
    magnitude: Array


def _halves(V: ArrayLike) -> tuple[Array, Array]:
    array = as_vectors(V, "twist", size=6)
    return array[..., :3], array[..., 3:]


def twist_matrix(V: ArrayLike) -> Array:
    """The 4x4 operator [skew(omega) v; 0 0] of a twist [v; omega]: the velocity of a homogeneous point r is D r."""
    v, omega = _halves(V)
    D = np.zeros((*v.shape[:-1], 4, 4))
    D[..., :3, :3] = skew(omega)
    D[..., :3, 3] = v
    return D


def twist_from_matrix(D: ArrayLike) -> Array:
    """The twist [v; omega] of a 4x4 operator (eq. 6.41)."""
    array = np.asarray(D, dtype=np.float64)
    return np.concatenate([array[..., :3, 3], unskew(array[..., :3, :3])], axis=-1)


def adjoint(X_AB: ArrayLike) -> Array:
    """The 6x6 matrix [R skew(p)R; 0 R] that takes a twist [v; omega] from B to A, as X D X^-1 does its operator."""
    R, p = rotation(X_AB), position(X_AB)
    Ad = np.zeros((*R.shape[:-2], 6, 6))
    Ad[..., :3, :3] = R
    Ad[..., :3, 3:] = skew(p) @ R
    Ad[..., 3:, 3:] = R
    return Ad


def twist_bracket(V1: ArrayLike, V2: ArrayLike) -> Array:
    """The Lie bracket [omega1 x v2 + v1 x omega2; omega1 x omega2]: the twist of D1 D2 - D2 D1."""
    v1, omega1 = _halves(V1)
    v2, omega2 = _halves(V2)
    linear = np.cross(omega1, v2) + np.cross(v1, omega2)
    return np.concatenate([linear, np.cross(omega1, omega2)], axis=-1)


def twist_axis(V: ArrayLike) -> TwistAxis:
    """Axis, pitch omega.v / omega^2 and nearest axis point omega x v / omega^2 of a twist (eqs. 6.34-6.38).

    Without rotation the direction is that of v and the pitch infinite; a zero twist has direction z and pitch 0.
    """
    v, omega = _halves(V)
    rate, speed = length(omega), length(v)
    turning, still = rate > 0.0, (rate == 0.0) & (speed == 0.0)
    direction = unit(np.where(turning[..., None], omega, np.where(still[..., None], _Z, v)))
    advance = dot(direction, v)
    pitch = np.where(turning, _ratio(advance, rate), np.where(still, 0.0, np.inf))
    with np.errstate(over="ignore"):
        point = np.where(turning[..., None], np.cross(direction, v) / np.where(turning, rate, 1.0)[..., None], 0.0)
    return TwistAxis(direction, point, pitch, np.where(turning, rate, speed))
