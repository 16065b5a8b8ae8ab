"""Goals: what is wanted of a point, frame, body or centre of mass, or of joints; data, by name, with units in texts.

>>> from linkwork import goals
>>> goals.cylindrical(("400 mm", "30 deg", 0.1))
place (0.34641, 0.2, 0.1) m
>>> goals.pointing("z", "-z")
z along (0, 0, -1)

Every number may be an array: one goal for each sample of `Machine.reach_many`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.analyses.robots.goal_kinds import (
    MEASURES,
    Attitude,
    Goal,
    Hold,
    Joints,
    Moving,
    MovingAttitude,
    MovingPlace,
    MovingPointing,
    Place,
    Pointing,
    shown,
    to_cartesian,
)
from linkwork.drives import Drive, as_drive
from linkwork.errors import InputError, ModelError, Problem
from linkwork.geometry import Array
from linkwork.geometry.rotations import from_quaternion, from_rpy, is_rotation, rot_x, rot_y, rot_z
from linkwork.model.text_values import in_si
from linkwork.model.vectors import direction, numbers
from linkwork.units import ANGLE, LENGTH, Dimension

__all__ = [
    "Attitude",
    "Goal",
    "Hold",
    "Joints",
    "Moving",
    "Place",
    "Pointing",
    "attitude",
    "cylindrical",
    "hold",
    "joints",
    "place",
    "pointing",
    "pose",
    "spherical",
]
TURNED = 1e-6
"""How far a matrix may be from a rotation."""


# ---------------------------------------------------------------- makers


def place(xyz: Any, *, of: str = "", at: Any = None, weight: float = 1.0) -> Place | MovingPlace:
    """A place x, y, z [m] in the world.

    xyz : three numbers or texts; None for one that does not matter; (samples, 3)
    of, at, weight : see `Goal`
    """
    return _place("cartesian", xyz, of, at, weight)


def cylindrical(values: Any, *, of: str = "", at: Any = None, weight: float = 1.0) -> Place | MovingPlace:
    """A place in cylindrical coordinates about the world's z: radius [m], angle from x [rad], z [m].

    values : three numbers or texts; None for one that does not matter; (samples, 3)
    of, at, weight : see `Goal`
    """
    return _place("cylindrical", values, of, at, weight)


def spherical(values: Any, *, of: str = "", at: Any = None, weight: float = 1.0) -> Place | MovingPlace:
    """A place in spherical coordinates: radius [m], azimuth from x [rad], elevation above the xy-plane [rad].

    values : three numbers or texts; None for one that does not matter; (samples, 3)
    of, at, weight : see `Goal`
    """
    return _place("spherical", values, of, at, weight)


def attitude(
    R: Any = None,
    *,
    quaternion: Any = None,
    rpy: Any = None,
    xyx: Any = None,
    of: str = "",
    weight: float = 1.0,
) -> Attitude | MovingAttitude:
    """Full attitude in the world, in one of four ways.

    R : rotation matrix (3, 3), or (samples, 3, 3)
    quaternion : unit quaternion, w first
    rpy : roll, pitch, yaw [rad], about the world's x, then y, then z
    xyx : Euler angles [rad]: about x, the new y, the new x
    of, weight : see `Goal`
    """
    given = {"R": R, "quaternion": quaternion, "rpy": rpy, "xyx": xyx}
    named = [n for n, x in given.items() if x is not None]
    if len(named) != 1:
        said = f"given are {', '.join(named)}" if named else "none is given"
        raise InputError(Problem(f"an attitude is told in one way; {said}", "attitude", f"one of {', '.join(given)}"))
    for name, axes in (("rpy", "zyx"), ("xyx", "xyx")):
        if are_laws(given[name], 3):
            laws = _laws(given[name], (ANGLE,) * 3, name)
            turns = tuple(np.eye(3)["xyz".index(axis)] for axis in axes)
            return MovingAttitude(
                of, None, _weight(weight), laws[::-1] if name == "rpy" else laws, turns, np.eye(3), name
            )
    if R is not None:
        return Attitude(of, None, _weight(weight), rotation_matrix(R))
    if quaternion is not None:
        q = _array(quaternion, 4, None, "quaternion")
        length = np.linalg.norm(q, axis=-1, keepdims=True)
        if (np.abs(length - 1.0) > TURNED).any():
            text = f"the quaternion has length {float(length.flat[0]):.6g}, not 1"
            raise InputError(Problem(text, "quaternion", "give a unit quaternion, w first"))
        return Attitude(of, None, _weight(weight), from_quaternion(q / length))
    if rpy is not None:
        return Attitude(of, None, _weight(weight), from_rpy(_array(rpy, 3, ANGLE, "rpy")))
    return Attitude(of, None, _weight(weight), from_euler_xyx(_array(xyx, 3, ANGLE, "xyx")))


def pointing(
    axis: Any, along: Any, spin: Any = None, *, of: str = "", weight: float = 1.0
) -> Pointing | Attitude | Moving:
    """An axis of the target along a direction of the world; with a spin about it, the full attitude.

    The spin ψ turns as in Vukobratović: from the world about z by the azimuth, about the new -y by the elevation, and
    about the direction by ψ. At ψ = 0 the axis that follows `axis` (y after x, z after y, x after z) is horizontal.

    axis : of the target, in its own frame: x, y, z, -x, ... or three numbers
    along : direction: an axis, three numbers, two angles (azimuth, elevation) [rad]; (samples, 3)
    spin : angle ψ [rad], or (samples,); without, it is free
    of, weight : see `Goal`
    """
    own = _unit(np.array(_direction(axis, "axis")))
    name = axis if isinstance(axis, str) else shown(own)
    if are_laws(along, 2) or _is_law(spin):
        given = along if not isinstance(along, str) and len(along) == 2 else _angles(_along(along))
        laws = _laws(given, (ANGLE, ANGLE), "along")
        if spin is None:
            return MovingPointing(of, None, _weight(weight), laws, own, name)
        turns = np.array([0.0, 0.0, 1.0]), np.array([0.0, -1.0, 0.0]), np.array([1.0, 0.0, 0.0])
        spun = as_drive(spin, "spin", ANGLE)
        return MovingAttitude(of, None, _weight(weight), (*laws, spun), turns, spin_frame(own).T, "spin")
    wanted = _along(along)
    if spin is None:
        return Pointing(of, None, _weight(weight), own, wanted, name)
    psi = np.asarray(in_si(spin, ANGLE, "spin"), float)
    azimuth, elevation = _angles(wanted)
    R = rot_z(azimuth) @ rot_y(-elevation) @ rot_x(psi) @ spin_frame(own).T
    return Attitude(of, None, _weight(weight), R)


def pose(X: Any, *, of: str = "") -> tuple[Place, Attitude]:
    """Place and attitude from a matrix (4, 4), or (samples, 4, 4).

    X : the pose in the world
    of : see `Goal`
    """
    return pose_goals(np.asarray(X, float), of)


def joints(values: Mapping[str, Any] | None = None, **named: Any) -> Joints:
    """Variables of joints with given values: `joints(q4="30 deg")`.

    values, named : by variable or joint name [rad, m], or texts; (samples,)
    """
    return Joints("", None, 1.0, {**(values or {}), **named})


def hold(*names: str) -> Hold:
    """Joints that stay as they are at the start.

    names : of joints or their variables
    """
    return Hold("", None, 1.0, tuple(names))


# ---------------------------------------------------------------- geometry


def from_euler_xyx(angles: Array) -> Array:
    """R_x(θ) R_y(ψ) R_x(φ); singular where sin ψ = 0."""
    return rot_x(angles[..., 0]) @ rot_y(angles[..., 1]) @ rot_x(angles[..., 2])


def spin_frame(axis: Array) -> Array:
    """A rotation whose x is a unit vector; of a coordinate axis the cyclic one: (z, x, y) of z."""
    n = np.roll(np.eye(3)[int(np.argmax(np.abs(axis)))], 1)
    y = n - (n @ axis) * axis
    y /= np.linalg.norm(y)
    return np.stack([axis, y, np.cross(axis, y)], axis=1)


def pose_goals(X: Array, of: str = "") -> tuple[Place, Attitude]:
    """Place and attitude from matrices of poses."""
    last = np.array([0.0, 0.0, 0.0, 1.0])
    if X.ndim not in (2, 3) or X.shape[-2:] != (4, 4) or not (X[..., 3, :] == last).all():
        raise InputError(Problem("the pose is not a 4x4 matrix with a last row 0 0 0 1", "pose"))
    at = Place(of, None, 1.0, _array(X[..., :3, 3], 3, LENGTH, "pose"))
    return at, Attitude(of, None, 1.0, rotation_matrix(X[..., :3, :3]))


def rotation_matrix(R: Any) -> Array:
    """Rotation matrices as float64; InputError where they are none."""
    try:
        found = np.asarray(R, float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.ndim not in (2, 3) or found.shape[-2:] != (3, 3) or not is_rotation(found, TURNED).all():
        hint = "give a 3x3 rotation matrix"
        raise InputError(Problem("the attitude is not a rotation matrix", "rotation", hint))
    return found


# ---------------------------------------------------------------- numbers


def _place(kind: str, values: Any, of: str, at: Any, weight: float) -> Place | MovingPlace:
    where = "place" if kind == "cartesian" else kind
    own = None if at is None else numbers(at, 3, "at", LENGTH)
    if are_laws(values, 3):
        return MovingPlace(of, own, _weight(weight), _laws(values, MEASURES[kind], where), kind)  # type: ignore[arg-type]
    return Place(of, own, _weight(weight), _array(values, 3, MEASURES[kind], where, gaps=True), kind)  # type: ignore[arg-type]


def _is_law(value: Any) -> bool:
    """Whether a value is a law of time: a drive, its text, or a pair (from, to)."""
    if isinstance(value, str):
        return any(mark in value for mark in ":(;")
    return isinstance(value, Drive) or (isinstance(value, list | tuple) and len(value) == 2)


def are_laws(values: Any, count: int) -> bool:
    """Whether some of a few values are laws of time."""
    return isinstance(values, list | tuple) and len(values) == count and any(_is_law(v) for v in values)


def _laws(values: Sequence[Any], measures: Sequence[Dimension], where: str) -> tuple[Drive, ...]:
    return tuple(as_drive(v, where, measure) for v, measure in zip(values, measures, strict=True))


def _angles(h: Array) -> tuple[Any, Any]:
    """Azimuth and elevation of directions."""
    return np.arctan2(h[..., 1], h[..., 0]), np.arcsin(np.clip(h[..., 2], -1.0, 1.0))


def _weight(weight: float) -> float:
    if not (isinstance(weight, int | float | np.number) and 0.0 < float(weight) < np.inf):
        raise InputError(Problem(f"{weight!r} is not a positive number", "weight"))
    return float(weight)


def _array(
    values: Any, count: int, measures: Dimension | Sequence[Dimension] | None, where: str, gaps: bool = False
) -> Array:
    """(count,) or (samples, count) numbers; a None becomes nan where gaps are allowed."""
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == count and len(values):
        found = np.asarray(values, float)
        if not np.isfinite(found).all():
            raise InputError(Problem("there are numbers that are not finite", where))
        return found
    if isinstance(values, Mapping) or np.ndim(np.asarray(values, object)) > 1:
        hint = f"one goal is {count} numbers; many are an array (samples, {count})"
        raise InputError(Problem("three numbers x, y, z are wanted" if count == 3 else f"{count} numbers", where, hint))
    missing: list[int] = []
    if gaps and isinstance(values, list | tuple) and any(v is None for v in values):
        missing = [k for k, v in enumerate(values) if v is None]
        values = [0.0 if v is None else v for v in values]
        if len(missing) == count:
            raise InputError(Problem("no coordinate is wanted", where, "give at least one"))
    try:
        found = np.array(numbers(values, count, where, measures))
    except ModelError as error:
        raise InputError(error.problems) from None
    found[missing] = np.nan
    return found


def _direction(value: Any, where: str) -> tuple[float, float, float]:
    try:
        return direction(value, where)
    except ModelError as error:
        raise InputError(error.problems) from None


def _along(value: Any) -> Array:
    if isinstance(value, np.ndarray) and value.ndim == 2:
        found = _array(value, 3, None, "along")
    elif not isinstance(value, str) and len(value) == 2:
        azimuth, elevation = _array(value, 2, ANGLE, "along")
        return to_cartesian("spherical", np.array([1.0, azimuth, elevation]))
    else:
        found = np.array(_direction(value, "along"))
    if not (np.linalg.norm(found, axis=-1) > 0.0).all():
        raise InputError(Problem("a direction of length 0", "along"))
    return _unit(found)


def _unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))
