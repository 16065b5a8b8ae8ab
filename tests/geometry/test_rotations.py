"""Rotations: exact answers of the book, agreement with scipy, round trips, and the degenerate cases."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_strategies import angles, assert_close, directions, points, quaternions, quick, rotations
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from linkwork import geometry as geo
from linkwork.errors import ModelError

PI = np.pi
SETS = ["euler_zxz", "euler_zyz", "euler_xyz", "rpy"]
SCIPY = {"euler_zxz": "ZXZ", "euler_zyz": "ZYZ", "euler_xyz": "XYZ", "rpy": "xyz"}
LOCKS = {"euler_zxz": (0.0, PI), "euler_zyz": (0.0, PI), "euler_xyz": (PI / 2, -PI / 2), "rpy": (PI / 2, -PI / 2)}

# Problems 3.3 and 3.4: i ~ [0,1,1], j ~ [1,-1,1] as columns; j ~ [0,1,1], k ~ [1,-1,1] as rows.
COLUMNS = np.array([[0, 1, 2], [1, -1, 1], [1, 1, -1]]) / np.sqrt([2, 3, 6])
ROWS = np.array([[2, 1, -1], [0, 1, 1], [1, -1, 1]]) / np.sqrt([[6], [2], [3]])


def from_set(name, values):
    return getattr(geo, f"from_{name}")(values)


def to_set(name, R):
    return getattr(geo, f"to_{name}")(R)


# --- exact answers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rot", "fixed", "start", "end"), [(geo.rot_x, 0, 1, 2), (geo.rot_y, 1, 2, 0), (geo.rot_z, 2, 0, 1)]
)
def test_a_quarter_turn_takes_each_axis_to_the_next(rot, fixed, start, end):
    R = rot(PI / 2)
    e = np.eye(3)
    assert_close(R @ e[fixed], e[fixed], 0.0)
    assert_close(R @ e[start], e[end], 1e-16)
    assert_close(R @ e[end], -e[start], 1e-16)


def test_elementary_rotations_keep_leading_dimensions():
    assert geo.rot_x(np.zeros((2, 5))).shape == (2, 5, 3, 3)
    assert geo.rot_z(0.3).shape == (3, 3)


def test_problem_3_3_and_3_4_matrices():
    assert_close(
        COLUMNS, [[0, 0.577350, 0.816497], [0.707107, -0.577350, 0.408248], [0.707107, 0.577350, -0.408248]], 5e-7
    )
    assert_close(
        ROWS, [[0.816497, 0.408248, -0.408248], [0, 0.707107, 0.707107], [0.577350, -0.577350, 0.577350]], 5e-7
    )
    assert geo.is_rotation(COLUMNS, 1e-15)
    assert geo.is_rotation(ROWS, 1e-15)


def test_problem_3_9_zxz_angles():
    found = geo.to_euler_zxz(COLUMNS)
    assert not found.degenerate
    # In closed form: atan2(2, -1), acos(-1/sqrt(6)), atan2(1/sqrt(2), 1/sqrt(3)).
    exact = [np.arctan2(2, -1), np.arccos(-1 / np.sqrt(6)), np.arctan2(np.sqrt(3), np.sqrt(2))]
    assert_close(found.values, exact, 1e-15)
    assert_close(np.degrees(found.values), [116.565051, 114.094843, 50.768480], 5e-7)


def test_problem_3_10_xyz_angles():
    found = geo.to_euler_xyz(ROWS)
    assert not found.degenerate
    assert_close(
        found.values, [-np.arctan2(np.sqrt(3), np.sqrt(2)), -np.arcsin(1 / np.sqrt(6)), -np.arctan(0.5)], 1e-15
    )
    assert_close(np.degrees(found.values), [-50.768480, -24.094843, -26.565051], 5e-7)


def test_problem_3_11_sixty_degrees_about_3_4_0():
    s = np.sqrt(3) / 2
    exact = [[0.68, 0.24, 0.8 * s], [0.24, 0.82, -0.6 * s], [-0.8 * s, 0.6 * s, 0.5]]
    assert_close(geo.from_axis_angle([3, 4, 0], PI / 3), exact, 1e-15)
    assert_close(exact[0][2], 0.692820, 5e-7)


def test_problem_3_12_quaternion():
    q = geo.to_quaternion(COLUMNS)
    assert_close(q, [0.060003, 0.704556, 0.455768, 0.540625], 5e-7)
    assert_close(np.degrees(geo.to_axis_angle(COLUMNS).angle), 173.120030, 5e-7)
    # tr = -1/sqrt(3) - 1/sqrt(6), and w = sqrt(1 + tr)/2
    assert_close(q[0], 0.5 * np.sqrt(1 - 1 / np.sqrt(3) - 1 / np.sqrt(6)), 1e-14)


def test_example_3_2_third_of_a_turn():
    R = np.array([[0, 1, 0], [0, 0, -1], [-1, 0, 0]])
    assert_close(geo.to_quaternion(R), [0.5, 0.5, 0.5, -0.5], 0.0)
    found = geo.to_axis_angle(R)
    assert_close(found.angle, 2 * PI / 3, 1e-15)
    assert_close(found.axis, np.array([1, 1, -1]) / np.sqrt(3), 1e-15)


def test_example_3_3_half_turn():
    R = np.diag([-1.0, -1.0, 1.0])
    assert_close(geo.to_quaternion(R), [0, 0, 0, 1], 0.0)
    found = geo.to_axis_angle(R)
    assert found.angle == PI
    assert_close(found.axis, [0, 0, 1], 0.0)
    assert_close(geo.from_axis_angle(found.axis, found.angle), R, 2e-16)


def test_zyz_entry_3_1_has_a_minus_sign():
    a, b, c = 0.4, 0.7, 1.1
    assert_close(geo.from_euler_zyz([a, b, c])[2, 0], -np.sin(b) * np.cos(c), 1e-16)


def test_rpy_turns_about_fixed_axes_in_order():
    roll, pitch, yaw = 0.3, -0.4, 2.0
    assert_close(geo.from_rpy([roll, pitch, yaw]), geo.rot_z(yaw) @ geo.rot_y(pitch) @ geo.rot_x(roll), 0.0)


def test_skew_is_the_cross_product():
    a, b = np.array([1.0, -2.0, 3.0]), np.array([0.5, 4.0, -1.0])
    assert_close(geo.skew(a) @ b, np.cross(a, b), 0.0)
    assert_close(geo.unskew(geo.skew(a)), a, 0.0)
    assert_close(geo.unskew(geo.skew(a) + np.diag([1, 2, 3])), a, 0.0)


def test_quaternion_product_table():
    i, j, k = np.eye(4)[1:]
    assert_close(geo.quaternion_product(i, j), k, 0.0)
    assert_close(geo.quaternion_product(j, i), -k, 0.0)
    assert_close(geo.quaternion_product(k, k), [-1, 0, 0, 0], 0.0)


def test_canonical_sign():
    assert_close(geo.canonical_quaternion([-0.5, 0.5, 0.5, 0.5]), [0.5, -0.5, -0.5, -0.5], 0.0)
    assert_close(geo.canonical_quaternion([0.0, 0.0, -1.0, 0.0]), [0, 0, 1, 0], 0.0)
    batch = geo.canonical_quaternion([[-1, 0, 0, 0], [0, -1, 1, 0]])
    assert_close(batch, [[1, 0, 0, 0], [0, 1, -1, 0]], 0.0)
    assert not np.signbit(batch[0]).any()


def test_nearest_rotation_takes_off_a_stretch():
    R = geo.from_rpy([0.1, 0.2, 0.3])
    nearest, residual = geo.nearest_rotation(R @ np.diag([1.1, 1.0, 0.8]))
    assert_close(nearest, R, 1e-15)
    assert_close(residual, np.sqrt(0.01 + 0.04), 1e-15)


def test_nearest_rotation_of_a_reflection_is_still_a_rotation():
    nearest, residual = geo.nearest_rotation(np.diag([1.0, 1.0, -0.5]))
    assert_close(nearest, np.eye(3), 1e-15)
    assert_close(residual, 1.5, 1e-15)


def test_is_rotation_says_no():
    bad = np.stack([np.diag([1, 1, -1.0]), 2 * np.eye(3), np.full((3, 3), np.nan), np.eye(3) + 1e-8, np.eye(3)])
    assert geo.is_rotation(bad).tolist() == [False, False, False, False, True]
    assert geo.is_rotation(np.eye(3) + 1e-8, 1e-7)
    assert not geo.is_rotation(np.full((3, 3), np.inf))


# --- degenerate cases -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize(("first", "last"), [(0.0, 0.0), (0.3, 0.5), (-2.0, 3.0), (PI, -1.0)])
def test_gimbal_lock_is_told_and_reproduced(name, end, first, last):
    R = from_set(name, [first, LOCKS[name][end], last])
    found = to_set(name, R)
    assert found.degenerate
    assert found.values[2] == 0.0
    assert_close(abs(found.values[1]), abs(LOCKS[name][end]), 1e-15)
    assert_close(from_set(name, found.values), R, 4e-16)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("near", [1e-3, 1e-6, 1e-9, 1e-12, 1e-14, 1e-15])
def test_near_gimbal_lock_the_matrix_is_reproduced(name, near):
    for end in LOCKS[name]:
        middle = end - near * np.sign(end - 0.1)
        R = from_set(name, [0.7, middle, -1.9])
        assert_close(from_set(name, to_set(name, R).values), R, 2e-14 if near < 1e-13 else 1e-15)


@pytest.mark.parametrize("name", SETS)
def test_a_batch_may_hold_locked_and_free_matrices(name):
    values = np.array([[0.3, LOCKS[name][0], 0.4], [0.3, 0.6, 0.4]])
    found = to_set(name, from_set(name, values))
    assert found.degenerate.tolist() == [True, False]
    assert_close(found.values[1], values[1], 1e-15)


def test_angle_zero_has_the_z_axis_by_rule():
    found = geo.to_axis_angle(np.stack([np.eye(3), geo.rot_x(0.2)]))
    assert found.degenerate.tolist() == [True, False]
    assert_close(found.axis, [[0, 0, 1], [1, 0, 0]], 0.0)
    assert_close(found.angle, [0.0, 0.2], 1e-16)
    assert_close(geo.to_rotvec(np.eye(3)), [0, 0, 0], 0.0)
    assert_close(geo.from_rotvec([0, 0, 0]), np.eye(3), 0.0)


@pytest.mark.parametrize("size", [1e-300, 1e-20, 1e-12, 1e-8, 1e-4])
def test_small_rotation_vectors_keep_all_their_digits(size):
    v = size * np.array([0.6, -0.3, 0.2])
    np.testing.assert_allclose(geo.to_rotvec(geo.from_rotvec(v)), v, rtol=3e-16)


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, -2, 2], [-1, 1, 1], [0, -3, 4]])
@pytest.mark.parametrize("short", [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3])
def test_near_half_turns(axis, short):
    R = geo.from_axis_angle(axis, PI - short)
    found = geo.to_axis_angle(R)
    assert_close(found.angle, PI - short, 1e-15)
    assert_close(geo.from_axis_angle(found.axis, found.angle), R, 1e-15)
    assert_close(geo.from_rotvec(geo.to_rotvec(R)), R, 2e-15)
    if short >= 1e-12:
        assert_close(found.axis, np.array(axis) / np.linalg.norm(axis), 1e-15)


def test_exact_half_turn_has_a_positive_first_component():
    w = np.array([-1.0, 2.0, -2.0]) / 3.0
    R = 2.0 * np.outer(w, w) - np.eye(3)
    assert_close(geo.to_quaternion(R), [0, 1 / 3, -2 / 3, 2 / 3], 1e-16)


@pytest.mark.parametrize(
    "call",
    [
        lambda: geo.from_axis_angle([0, 0, 0], 1.0),
        lambda: geo.from_axis_angle([0, np.nan, 1], 1.0),
        lambda: geo.from_quaternion([0, 0, 0, 0]),
        lambda: geo.from_quaternion([1, 0, 0]),
        lambda: geo.nearest_rotation(np.full((3, 3), np.nan)),
        lambda: geo.to_quaternion(np.eye(4)),
        lambda: geo.from_rpy(0.0),
    ],
)
def test_nonsense_is_refused(call):
    with pytest.raises(ModelError):
        call()


# --- two methods agree ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
def test_angle_sets_agree_with_scipy(name):
    values = np.random.default_rng(1).uniform(-3, 3, (200, 3))
    assert_close(from_set(name, values), Rotation.from_euler(SCIPY[name], values).as_matrix(), 2e-15)


def test_quaternions_and_rotation_vectors_agree_with_scipy():
    q = np.random.default_rng(2).normal(size=(500, 4))
    truth = Rotation.from_quat(q, scalar_first=True)
    assert_close(geo.from_quaternion(q), truth.as_matrix(), 1e-15)
    assert_close(geo.to_quaternion(truth.as_matrix()), truth.as_quat(canonical=True, scalar_first=True), 1e-15)
    assert_close(geo.to_rotvec(truth.as_matrix()), truth.as_rotvec(), 5e-15)


# --- properties -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
@quick
@given(R=rotations)
def test_every_rotation_survives_its_angles(name, R):
    assert_close(from_set(name, to_set(name, R).values), R)


@pytest.mark.parametrize("name", SETS)
@quick
@given(a=angles, share=st.floats(0.01, 0.99), c=angles)
def test_every_angle_set_survives_its_matrix(name, a, share, c):
    low, high = (0.0, PI) if name in ("euler_zxz", "euler_zyz") else (-PI / 2, PI / 2)
    values = np.array([a, low + share * (high - low), c])
    found = to_set(name, from_set(name, values))
    assert not found.degenerate
    assert_close(found.values, values)


@quick
@given(q=quaternions)
def test_quaternion_round_trip_up_to_canonical_sign(q):
    back = geo.to_quaternion(geo.from_quaternion(q))
    assert back[0] >= 0.0
    assert_close(np.linalg.norm(back), 1.0, 1e-15)
    assert min(np.max(np.abs(back - q)), np.max(np.abs(back + q))) < 1e-15


@quick
@given(p=quaternions, q=quaternions, v=points)
def test_quaternion_algebra_is_matrix_algebra(p, q, v):
    P, Q = geo.from_quaternion(p), geo.from_quaternion(q)
    assert_close(geo.from_quaternion(geo.quaternion_product(p, q)), P @ Q, 4e-15)
    assert_close(geo.from_quaternion(geo.quaternion_conjugate(q)), Q.T, 1e-15)
    assert_close(geo.quaternion_rotate(q, v), Q @ v, 2e-14)


@quick
@given(axis=directions, angle=st.floats(0.0, PI))
def test_axis_angle_four_ways(axis, angle):
    R = geo.from_axis_angle(axis, angle)
    w = axis / np.linalg.norm(axis)
    assert_close(R, geo.from_rotvec(angle * w), 4e-15)
    assert_close(R, geo.from_quaternion(geo.quaternion_from_axis_angle(axis, angle)), 4e-15)
    assert_close(geo.from_rotvec(geo.to_rotvec(R)), R, 4e-15)
    found = geo.to_axis_angle(R)
    assert_close(found.angle, angle, 2e-14)
    # Problem 3.19: the angle from the skew part and the trace.
    assert_close(np.arctan2(2 * np.linalg.norm(geo.unskew(R)), np.trace(R) - 1), angle, 2e-14)


@quick
@given(R=rotations)
def test_rotations_are_orthogonal_with_determinant_one(R):
    assert geo.is_rotation(R, 2e-15)
    assert_close(np.linalg.det(R), 1.0, 2e-15)
    nearest, residual = geo.nearest_rotation(R)
    assert_close(nearest, R, 4e-15)
    assert residual < 6e-15
