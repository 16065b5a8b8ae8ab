"""Placements: every form of an orientation, every degenerate case."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws import close, quaternion
from scipy.spatial.transform import Rotation as ScipyRotation

import linkwork as lw
from linkwork import geometry as geo
from linkwork.errors import ModelError
from linkwork.model.placement import ROW_KEYS, Axis, Placement, Rotation, Row, ThreePoints, placement
from linkwork.model.vectors import direction, number, numbers, positive, vector

AT = (0.3, -0.2, 0.7)


def Rx(a: float) -> np.ndarray:
    return geo.pose(ScipyRotation.from_rotvec([a, 0, 0]).as_matrix())


def Ry(a: float) -> np.ndarray:
    return geo.pose(ScipyRotation.from_rotvec([0, a, 0]).as_matrix())


def Rz(a: float) -> np.ndarray:
    return geo.pose(ScipyRotation.from_rotvec([0, 0, a]).as_matrix())


def T(x: float = 0.0, z: float = 0.0) -> np.ndarray:
    return geo.pose(p=[x, 0.0, z])


# --- forms against scipy and against products of elementary motions ---------------------------------------------------

ANGLES = (0.3, -0.8, 1.9)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("rpy", ScipyRotation.from_euler("xyz", ANGLES)),
        ("euler_zxz", ScipyRotation.from_euler("ZXZ", ANGLES)),
        ("euler_zyz", ScipyRotation.from_euler("ZYZ", ANGLES)),
        ("euler_xyz", ScipyRotation.from_euler("XYZ", ANGLES)),
    ],
)
def test_three_angles(form: str, expected: ScipyRotation) -> None:
    given = placement(AT, **{form: ANGLES})
    close(given.pose(), geo.pose(expected.as_matrix(), AT), 1e-15)
    assert given.orientation == Rotation(form, ANGLES)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(4))
def test_quaternion_matrix_and_axis_angle_agree(seed: int) -> None:
    q = quaternion(np.random.default_rng(seed))
    expected = ScipyRotation.from_quat([*q[1:], q[0]])
    rotvec = expected.as_rotvec()
    angle = float(np.linalg.norm(rotvec))
    close(placement(AT, quaternion=q).pose(), geo.pose(expected.as_matrix(), AT), 1e-15)
    close(placement(AT, matrix=expected.as_matrix()).pose(), geo.pose(expected.as_matrix(), AT), 1e-15)
    close(placement(AT, axis_angle=(7.0 * rotvec, angle)).pose(), geo.pose(expected.as_matrix(), AT), 1e-15)


def test_a_quaternion_is_made_unit() -> None:
    R = placement(quaternion=(1.0 + 5e-7, 0, 0, 0)).pose()[:3, :3]
    close(R, np.eye(3), 1e-15)


def test_axis_and_direction() -> None:
    X = placement(AT, axis=(0, 0, 2), x=(3, 3, 1)).pose()
    s = math.sqrt(0.5)
    close(X, geo.pose([[s, -s, 0], [s, s, 0], [0, 0, 1]], AT), 1e-15)
    close(placement(axis="x").pose()[:3, :3], [[0, 0, 1], [1, 0, 0], [0, 1, 0]], 0.0)
    close(placement(axis="-y").pose()[:3, 2], [0, -1, 0], 0.0)
    close(placement(x="-x").pose()[:3, :3], np.diag([-1, -1, 1]), 0.0)
    close(placement(axis="+z").pose(), np.eye(4), 0.0)
    assert placement(axis="z", x="y").orientation == Axis((0, 0, 1), (0, 1, 0))


def test_three_points() -> None:
    given = placement(points=[AT, (0.3, -0.2, 5.0), (0.3, 4.0, 9.0)])
    close(given.pose(), geo.pose([[0, -1, 0], [1, 0, 0], [0, 0, 1]], AT), 1e-15)
    assert given == Placement(AT, ThreePoints((0.3, -0.2, 5.0), (0.3, 4.0, 9.0)))


ROWS = {
    "dh": ((0.3, 0.1, 0.5, -0.7), Rz(0.3) @ T(z=0.1) @ T(x=0.5) @ Rx(-0.7)),
    "dh_craig": ((0.3, 0.1, 0.5, -0.7), Rx(0.3) @ T(x=0.1) @ Rz(0.5) @ T(z=-0.7)),
    "hayati": ((0.3, 0.1, 0.5, -0.7), Rz(0.3) @ T(x=0.1) @ Rx(0.5) @ Ry(-0.7)),
    "sheth_uicker": (
        (0.3, 0.1, 0.5, -0.7, 1.1, 0.2),
        Rz(0.3) @ T(z=0.1) @ Rx(0.5) @ T(x=-0.7) @ Rz(1.1) @ T(z=0.2),
    ),
}


@pytest.mark.parametrize("form", ROWS)
def test_rows_are_products_of_elementary_motions(form: str) -> None:
    values, expected = ROWS[form]
    given = placement(**{form: values})
    close(given.pose(), expected, 1e-15)
    assert given.row == Row(form, values)  # type: ignore[arg-type]
    assert len(ROW_KEYS[form]) == len(values)  # type: ignore[index]


def test_nothing_given_is_the_reference() -> None:
    close(placement().pose(), np.eye(4), 0.0)
    close(placement(AT).pose(), geo.pose(p=AT), 0.0)
    turn = Rz(0.3)[:3, :3]
    close(placement(AT).pose(turn), geo.pose(turn, AT), 0.0)
    close(placement(AT, axis="x").pose(turn)[:3, 2], [1, 0, 0], 0.0)  # what is given wins


def test_a_reference_is_named_by_body_or_by_text() -> None:
    m = lw.Mechanism()
    arm = m.body("arm")
    assert placement(AT, within=arm) == placement(AT, within="arm")
    assert placement(AT, within=arm).within == "arm"


# --- what is wrong, where and what to try -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "where", "message", "hint"),
    [
        ({"axis": (0, 0, 0)}, "joints.A.axis", "zero length", "direction such as z"),
        ({"axis": "w"}, "joints.A.axis", "'w' is not an axis", "write x, y, z"),
        ({"axis": (1, 0)}, "joints.A.axis", "3 numbers are wanted, 2 are given", ""),
        ({"axis": "z", "x": "z"}, "joints.A", "parallel to the axis", "across the axis"),
        ({"x": "-z"}, "joints.A", "parallel to the axis", "across the axis"),
        ({"x": (0, 0, 0)}, "joints.A.x", "zero length", "direction such as z"),
        ({"at": (1, 2)}, "joints.A.at", "3 numbers are wanted, 2 are given", ""),
        ({"at": (1, 2, math.inf)}, "joints.A.at", "not finite", ""),
        ({"at": "origin"}, "joints.A.at", "is not a list of numbers", ""),
        ({"points": [(0, 0, 0), (0, 0, 1)]}, "joints.A.points", "three points are wanted", ""),
        ({"points": [(0, 0, 0), (0, 0, 0), (1, 0, 0)]}, "joints.A.points", "points 1 and 2 coincide", "move point 2"),
        ({"points": [(0, 0, 0), (0, 0, 1), (0, 0, 0)]}, "joints.A.points", "points 1 and 3 coincide", "move point 3"),
        ({"points": [(0, 0, 0), (0, 0, 1), (0, 0, 3)]}, "joints.A.points", "on one line", "move point 3"),
        ({"points": [(0, 0, 0), (0, 0), (0, 0, 3)]}, "joints.A.points[1]", "3 numbers are wanted", ""),
        ({"points": [(0, 0, 0), "z", (1, 0, 0)]}, "joints.A.points[1]", "not a list of numbers", ""),
        ({"quaternion": (1, 1, 0, 0)}, "joints.A", "the quaternion has length 1.41421, not 1", ""),
        ({"quaternion": (0, 0, 0, 0)}, "joints.A", "the quaternion has length 0, not 1", ""),
        ({"quaternion": (1, 0, 0)}, "joints.A.quaternion", "4 numbers are wanted", ""),
        ({"matrix": np.diag([1, 1, -1])}, "joints.A", "the matrix is not a rotation", ""),
        ({"matrix": 2 * np.eye(3)}, "joints.A", "the matrix is not a rotation", ""),
        ({"matrix": np.eye(4)[:, :3]}, "joints.A.matrix", "9 numbers are wanted, 12 are given", ""),
        ({"matrix": 3}, "joints.A.matrix", "a 3x3 matrix is wanted", ""),
        ({"matrix": range(9)}, "joints.A.matrix[0]", "is not a list of numbers", ""),
        ({"axis_angle": ((0, 0, 0), 1)}, "joints.A.axis_angle", "zero length", "direction such as z"),
        ({"axis_angle": (0, 0, 1, 1)}, "joints.A.axis_angle", "a pair (direction, angle) is wanted", ""),
        ({"axis_angle": ("z", "1")}, "joints.A.axis_angle", "'1' is not a number", ""),
        ({"rpy": (1, 2)}, "joints.A.rpy", "3 numbers are wanted", ""),
        ({"dh": (1, 2, 3)}, "joints.A.dh", "4 numbers are wanted", ""),
        ({"dh": (1, 2, 3, 4), "at": AT}, "joints.A", "`at` and `dh` are both given", "its own origin"),
        ({"points": [AT] * 3, "at": AT}, "joints.A", "`at` and `points` are both given", "the first of `points`"),
        ({"axis": "z", "rpy": (0, 0, 0)}, "joints.A", "the axes are given twice: rpy and axis", "keep one"),
        ({"x": "x", "points": [AT] * 3}, "joints.A", "the axes are given twice: points and x", "keep one"),
        ({"dh": (0,) * 4, "hayati": (0,) * 4}, "joints.A", "the axes are given twice: dh and hayati", "keep one"),
    ],
)
def test_bad_placements(options: dict[str, Any], where: str, message: str, hint: str) -> None:
    with pytest.raises(ModelError) as caught:
        placement(where="joints.A", **options)
    (problem,) = caught.value.problems
    assert message in problem.what
    assert problem.where == where
    assert hint in problem.hint


def test_a_placement_made_by_hand_is_checked_when_it_is_worked_out() -> None:
    with pytest.raises(ModelError, match="not finite"):
        Placement((math.nan, 0.0, 0.0)).pose()
    with pytest.raises(ModelError, match="not finite"):
        Placement(row=Row("dh", (0.0, math.inf, 0.0, 0.0))).pose()
    with pytest.raises(ModelError, match="zero length"):
        Placement(orientation=Rotation("axis_angle", (0.0, 0.0, 0.0, 1.0))).pose()


def test_an_unknown_form_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        placement(quaternions=(1, 0, 0, 0))  # type: ignore[call-arg]


# --- numbers ----------------------------------------------------------------------------------------------------------


def test_numbers_as_users_write_them() -> None:
    assert vector([1, np.float32(2), np.int64(3)], "v") == (1.0, 2.0, 3.0)
    assert vector(np.arange(3), "v") == (0.0, 1.0, 2.0)
    assert numbers((), None, "n") == ()
    assert number(np.float64(2.5), "n") == 2.5
    assert direction((0, 3, 4), "d") == (0.0, 3.0, 4.0)


@pytest.mark.parametrize("value", ["123", ("1", "2", "3"), (True, 0, 1), {1: 2, 3: 4, 5: 6}, None, 3, [[1], [2], [3]]])
def test_what_is_not_a_vector(value: Any) -> None:
    with pytest.raises(ModelError, match="is not a list of numbers"):
        vector(value, "v")


@pytest.mark.parametrize("value", ["1", True, None, [1], (1,), 1j, 10**400])
def test_what_is_not_a_number(value: Any) -> None:
    with pytest.raises(ModelError, match="is not a number"):
        number(value, "n")


def test_what_is_not_positive() -> None:
    with pytest.raises(ModelError, match="n: 0 is not positive"):
        positive(0, "n")
    with pytest.raises(ModelError, match="n: nan is not finite"):
        positive(math.nan, "n")


def test_a_long_value_is_cut_short_in_the_message() -> None:
    with pytest.raises(ModelError) as caught:
        number("x" * 500, "n")
    assert len(str(caught.value)) < 100
