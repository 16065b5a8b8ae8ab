"""Where a frame is, as its user says it: a point and one of several ways to give an orientation.

A placement keeps what was said, so that a model can be written back as it was read; `pose` works it out.
Coordinates are global coordinates of the layout posture, or those of a body's own frame when `within` names it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.vectors import ZERO, Vector, direction, number, numbers, vector
from linkwork.units import ANGLE, LENGTH, NUMBER, Dimension

RotationForm = Literal["matrix", "rpy", "euler_zxz", "euler_zyz", "euler_xyz", "quaternion", "axis_angle"]
RowForm = Literal["dh", "dh_craig", "hayati", "sheth_uicker"]


@dataclass(frozen=True)
class Axis:
    """w along `axis`; u along `x` made perpendicular to it, or a fixed choice when `x` is not given."""

    axis: Vector
    x: Vector | None = None

    def rotation(self, at: Vector) -> Array:
        return _axis_rotation(self.axis, self.x)


@dataclass(frozen=True)
class ThreePoints:
    """`at` is the origin, `on_axis` lies on +w, `on_plane` on the +u side of w (Uicker, Ravani, Sheth, sec. 4.4)."""

    on_axis: Vector
    on_plane: Vector

    def rotation(self, at: Vector) -> Array:
        return geo.rotation(geo.frame_from_points(at, self.on_axis, self.on_plane))


@dataclass(frozen=True)
class Rotation:
    """A rotation in one of its usual forms; angles in radians, quaternion w first, matrix by rows, axis then angle."""

    form: RotationForm
    values: tuple[float, ...]

    def rotation(self, at: Vector) -> Array:
        return _ROTATIONS[self.form](np.array(self.values))


@dataclass(frozen=True)
class Row:
    """One row of a Denavit-Hartenberg table, or of one of its better-behaved relatives."""

    form: RowForm
    values: tuple[float, ...]


Orientation = Axis | ThreePoints | Rotation


@dataclass(frozen=True)
class Placement:
    """A frame: `at` is its origin [m], `orientation` its axes (None: those of the reference), `within` a body's name.

    `row` is used instead of `at` and `orientation` when the frame comes from a D-H table.
    """

    at: Vector = ZERO
    orientation: Orientation | None = None
    within: str | None = None
    row: Row | None = None

    def pose(self, default: Array | None = None) -> Array:
        """4x4 pose in the reference (layout, or the body named by `within`).

        `default` is the rotation used when no orientation is given. Raises ModelError when the data are degenerate.
        """
        if not all(math.isfinite(c) for c in (*self.at, *(self.row.values if self.row else ()))):
            raise ModelError("the frame has a number that is not finite; give finite numbers")
        if self.row is not None:
            return _ROWS[self.row.form](*self.row.values)
        if self.orientation is not None:
            turn = self.orientation.rotation(self.at)
        else:
            turn = np.eye(3) if default is None else default
        return geo.pose(turn, np.array(self.at))


@functools.lru_cache(maxsize=4096)
def _axis_rotation(axis: Vector, x: Vector | None) -> Array:
    """Axes of a frame by its w and u; machines have few directions and many frames."""
    turn = geo.rotation(geo.frame_from_axis(ZERO, axis, x))
    turn.setflags(write=False)
    return turn


HERE = Placement()
"""The reference itself."""


def _unit_quaternion(q: Array) -> Array:
    norm = float(np.linalg.norm(q))
    if abs(norm - 1.0) > 1e-6:
        raise ModelError(f"the quaternion has length {norm:.6g}, not 1; divide it by its length")
    return geo.from_quaternion(q / norm)


def _checked_matrix(values: Array) -> Array:
    turn = values.reshape(3, 3)
    if not geo.is_rotation(turn, 1e-6):
        raise ModelError("the matrix is not a rotation: its rows must be perpendicular unit vectors, determinant +1")
    return geo.nearest_rotation(turn)[0]  # digits that were cut off must not bend the frame


def _axis_angle(values: Array) -> Array:
    norm = float(np.linalg.norm(values[:3]))
    if norm == 0.0:
        raise ModelError("the axis has zero length; give a direction such as z or [0, 0, 1]")
    return geo.from_axis_angle(values[:3] / norm, values[3])


_ROTATIONS: dict[str, Callable[[Array], Array]] = {
    "matrix": _checked_matrix,
    "rpy": lambda a: geo.from_rpy(a),
    "euler_zxz": lambda a: geo.from_euler_zxz(a),
    "euler_zyz": lambda a: geo.from_euler_zyz(a),
    "euler_xyz": lambda a: geo.from_euler_xyz(a),
    "quaternion": _unit_quaternion,
    "axis_angle": _axis_angle,
}

_ROWS: dict[str, Callable[..., Array]] = {
    "dh": geo.dh_standard,
    "dh_craig": geo.dh_craig,
    "hayati": geo.hayati,
    "sheth_uicker": geo.sheth_uicker,
}

ROW_KEYS: dict[RowForm, tuple[str, ...]] = {
    "dh": ("theta", "d", "a", "alpha"),
    "dh_craig": ("alpha", "a", "theta", "d"),
    "hayati": ("theta", "a", "alpha", "beta"),
    "sheth_uicker": ("gamma", "c", "alpha", "a", "beta", "b"),
}
"""Names of a row's numbers in the order of its product of elementary motions."""


def row_measures(form: RowForm) -> list[Dimension]:
    """What the numbers of a row measure, in their order."""
    return [LENGTH if len(key) == 1 else ANGLE for key in ROW_KEYS[form]]


def placement(
    at: Any = None,
    *,
    axis: Any = None,
    x: Any = None,
    points: Any = None,
    matrix: Any = None,
    rpy: Any = None,
    euler_zxz: Any = None,
    euler_zyz: Any = None,
    euler_xyz: Any = None,
    quaternion: Any = None,
    axis_angle: Any = None,
    dh: Any = None,
    dh_craig: Any = None,
    hayati: Any = None,
    sheth_uicker: Any = None,
    within: Any = None,
    where: str = "frame",
) -> Placement:
    """A frame by a point and at most one way of giving its axes.

    Parameters
    ----------
    at : origin [m], in the layout posture unless `within` is given
    axis : direction of w (z of the frame): "x", "-y", ... or three numbers; `x` alone may also be given
    x : direction of u (x of the frame), made perpendicular to `axis`
    points : three points: the origin, one on +w, one on the +u side (`at` is then left out)
    matrix : 3x3 rotation by rows
    rpy : roll, pitch, yaw about the fixed x, y, z [rad]
    euler_zxz, euler_zyz, euler_xyz : three angles about the turned axes [rad]
    quaternion : w, x, y, z of unit length
    axis_angle : pair (direction, angle [rad])
    dh : theta, d, a, alpha of the standard table: Rz(theta) Tz(d) Tx(a) Rx(alpha)
    dh_craig : alpha, a, theta, d of the modified table: Rx(alpha) Tx(a) Rz(theta) Tz(d)
    hayati : theta, a, alpha, beta for nearly parallel axes: Rz(theta) Tx(a) Rx(alpha) Ry(beta)
    sheth_uicker : gamma, c, alpha, a, beta, b: Rz(gamma) Tz(c) Rx(alpha) Tx(a) Rz(beta) Tz(b)
    within : body (or its name) in whose own frame all numbers are given
    where : name used in error messages
    """
    rotations: dict[RotationForm, tuple[Any, int]] = {
        "rpy": (rpy, 3),
        "euler_zxz": (euler_zxz, 3),
        "euler_zyz": (euler_zyz, 3),
        "euler_xyz": (euler_xyz, 3),
        "quaternion": (quaternion, 4),
    }
    rows: dict[RowForm, Any] = {"dh": dh, "dh_craig": dh_craig, "hayati": hayati, "sheth_uicker": sheth_uicker}
    given: list[str] = [name for name, (value, _) in rotations.items() if value is not None]
    given += [name for name, value in rows.items() if value is not None]
    given += [n for n, v in (("points", points), ("matrix", matrix), ("axis_angle", axis_angle)) if v is not None]
    if axis is not None or x is not None:
        given.append("axis" if axis is not None else "x")
    if len(given) > 1:
        hint = "keep one of them"
        raise ModelError(Problem(f"the axes are given twice: {' and '.join(given)}", where, hint))
    reference = _name_of(within)
    for form, value in rows.items():
        if value is not None:
            if at is not None:
                raise ModelError(Problem(f"`at` and `{form}` are both given", where, "a D-H row has its own origin"))
            return Placement(
                within=reference,
                row=Row(form, numbers(value, len(ROW_KEYS[form]), f"{where}.{form}", row_measures(form))),
            )
    if points is not None:
        if at is not None:
            raise ModelError(Problem("`at` and `points` are both given", where, "the first of `points` is the origin"))
        p1, p2, p3 = _three(points, where)
        return Placement(p1, ThreePoints(p2, p3), reference)
    origin = ZERO if at is None else vector(at, f"{where}.at", LENGTH)
    turn: Orientation | None = None
    if axis is not None or x is not None:
        w = direction("z" if axis is None else axis, f"{where}.axis")
        turn = Axis(w, None if x is None else direction(x, f"{where}.x"))
    elif matrix is not None:
        flat = [v for r in _rows(matrix, f"{where}.matrix") for v in r]
        turn = Rotation("matrix", numbers(flat, 9, f"{where}.matrix"))
    elif axis_angle is not None:
        try:
            about, angle = axis_angle
        except (TypeError, ValueError):
            raise ModelError(Problem("a pair (direction, angle) is wanted", f"{where}.axis_angle")) from None
        about = direction(about, f"{where}.axis_angle")
        turn = Rotation("axis_angle", (*about, number(angle, f"{where}.axis_angle", ANGLE)))
    else:
        for name, (value, count) in rotations.items():
            if value is not None:
                turn = Rotation(
                    name, numbers(value, count, f"{where}.{name}", NUMBER if name == "quaternion" else ANGLE)
                )
    result = Placement(origin, turn, reference)
    _assert_not_degenerate(result, where)
    return result


def _assert_not_degenerate(given: Placement, where: str) -> None:
    """Degenerate axes are found where they are written, not later."""
    try:
        given.pose()
    except ModelError as error:
        raise ModelError([Problem(p.what, where, p.hint) for p in error.problems]) from None


def _name_of(body: Any) -> str | None:
    return body if body is None or isinstance(body, str) else str(body.name)


def _three(points: Any, where: str) -> tuple[Vector, Vector, Vector]:
    try:
        p1, p2, p3 = points
    except (TypeError, ValueError):
        raise ModelError(Problem("three points are wanted", f"{where}.points")) from None
    a, b, c = (vector(p, f"{where}.points[{i}]", LENGTH) for i, p in enumerate((p1, p2, p3)))
    _assert_not_degenerate(Placement(a, ThreePoints(b, c)), f"{where}.points")
    return a, b, c


def _rows(matrix: Any, where: str) -> list[tuple[float, ...]]:
    try:
        rows = list(matrix)
    except TypeError:
        raise ModelError(Problem("a 3x3 matrix is wanted", where)) from None
    return [numbers(row, 3, f"{where}[{i}]") for i, row in enumerate(rows)]
