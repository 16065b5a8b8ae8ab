"""Frames from axes and from three points: exact for the coordinate axes, clear when the data define none."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_strategies import assert_close, directions, points, quick, rotations
from hypothesis import assume, given
from hypothesis import strategies as st

from linkwork import geometry as geo
from linkwork.errors import ModelError

X, Y, Z = np.eye(3)


@pytest.mark.parametrize(
    ("axis", "columns"),
    [
        (Z, [X, Y, Z]),
        (X, [Y, Z, X]),
        (Y, [Z, X, Y]),
        (-Z, [X, -Y, -Z]),
        (-X, [Y, -Z, -X]),
        (-Y, [Z, -X, -Y]),
        (5 * Z, [X, Y, Z]),
        (1e-200 * X, [Y, Z, X]),
        (1e200 * Y, [Z, X, Y]),
    ],
)
def test_coordinate_axes_give_exact_permutations(axis, columns):
    X_WF = geo.frame_from_axis([1, 2, 3], axis)
    assert_close(geo.rotation(X_WF), np.column_stack(columns), 0.0)
    assert_close(geo.position(X_WF), [1, 2, 3], 0.0)
    assert not np.signbit(X_WF[X_WF == 0.0]).any()


def test_problem_3_5_gripper_frame():
    # Approach u = x, orientation v = z, so that the normal w = u x v = -y.
    X_WF = geo.frame_from_axis([0.500, 0.150, 0.225], axis=np.cross(X, Z), x=X)
    assert_close(X_WF, [[1, 0, 0, 0.5], [0, 0, -1, 0.15], [0, 1, 0, 0.225], [0, 0, 0, 1]], 0.0)


def test_problem_3_3_frame_from_two_of_its_axes():
    i, j = np.array([0, 1, 1]), np.array([1, -1, 1])
    R = geo.rotation(geo.frame_from_axis([0, 0, 0], np.cross(i, j), i))
    assert_close(R, np.array([[0, 1, 2], [1, -1, 1], [1, 1, -1]]) / np.sqrt([2, 3, 6]), 2e-16)


def test_x_is_made_perpendicular():
    R = geo.rotation(geo.frame_from_axis([0, 0, 0], Z, [3, 4, 12]))
    assert_close(R, [[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]], 2e-16)


def test_nearly_parallel_x_still_gives_an_orthogonal_frame():
    R = geo.rotation(geo.frame_from_axis([0, 0, 0], [1, 2, 3], [1, 2, 3 + 1e-7]))
    assert geo.is_rotation(R, 4e-16)


@pytest.mark.parametrize("diagonal", [[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1], [1, -1, 1]])
def test_rounding_does_not_flip_the_canonical_frame_on_diagonals(diagonal):
    base = geo.frame_from_axis([0, 0, 0], diagonal)
    for change in 1e-15 * np.vstack([np.eye(3), -np.eye(3)]):
        assert_close(geo.frame_from_axis([0, 0, 0], diagonal + change), base, 1e-14)


def test_frames_in_a_batch():
    found = geo.frame_from_axis(np.zeros((5, 3)), np.broadcast_to(X, (5, 3)))
    assert found.shape == (5, 4, 4)
    assert_close(found[3], geo.frame_from_axis([0, 0, 0], X), 0.0)


@pytest.mark.parametrize(
    ("at", "axis", "x", "words"),
    [
        ([0, 0, 0], [0, 0, 0], None, "axis has length 0"),
        ([0, 0, 0], [0, np.nan, 1], None, "axis .* not finite"),
        ([0, 0, np.inf], [0, 0, 1], None, "point .* not finite"),
        ([0, 0, 0], [0, 0, 1], [0, 0, -2], "parallel to the axis .*across"),
        ([0, 0, 0], [0, 0, 1], [1e-10, 0, 2], "parallel to the axis"),
        ([0, 0, 0], [0, 0, 1], [0, 0, 0], "x direction has length 0"),
        ([0, 0], [0, 0, 1], None, "give 3 numbers"),
    ],
)
def test_axes_that_define_no_frame(at, axis, x, words):
    with pytest.raises(ModelError, match=words):
        geo.frame_from_axis(at, axis, x)


def test_three_points():
    X_WF = geo.frame_from_points([1, 2, 3], [1, 2, 5], [4, 6, 100])
    assert_close(X_WF, [[0.6, -0.8, 0, 1], [0.8, 0.6, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], 2e-15)


@pytest.mark.parametrize(
    ("triple", "words"),
    [
        ([[1, 2, 3], [1, 2, 3], [4, 5, 6]], r"points 1 and 2 coincide \(distance 0\); move point 2"),
        ([[1, 2, 3], [1, 2, 4], [1, 2, 3]], r"points 1 and 3 coincide \(distance 0\); move point 3"),
        ([[1e6, 0, 0], [1e6, 0, 1e-10], [1e6, 1, 0]], r"points 1 and 2 coincide \(distance 1e-10\)"),
        ([[0, 0, 0], [1, 1, 1], [-2, -2, -2]], r"on one line \(distances 1-2 1.73, 1-3 3.46, point 3 is .* off"),
        ([[0, 0, 0], [1, 1, 1], [2, 2, 2 + 1e-10]], "on one line"),
        ([[0, 0, 0], [1, 1, np.nan], [2, 2, 0]], "not finite"),
    ],
)
def test_three_points_that_define_no_frame(triple, words):
    with pytest.raises(ModelError, match=words):
        geo.frame_from_points(*triple)


def test_accuracy_of_good_and_of_far_away_points():
    near = geo.frame_accuracy([0, 0, 0], [0, 0, 2], [1, 0, 0])
    assert near.baseline == 1.0
    assert near.problems == ()
    assert near.angle_error < 1e-15
    far = geo.frame_accuracy([1e4, 0, 0], [1e4, 0, 1e-3], [1e4 + 1, 0, 0])
    assert_close(far.baseline, 1e-3, 1e-18)
    np.testing.assert_allclose(far.angle_error, 2.22e-9, rtol=1e-2)
    assert [p.severity for p in far.problems] == ["warning"]
    assert "short against the coordinates" in str(far.problems[0])


@quick
@given(axis=directions, x=directions)
def test_frames_from_axes_are_rotations_with_w_on_the_axis(axis, x):
    w = axis / np.linalg.norm(axis)
    assume(np.linalg.norm(np.cross(w, x)) > 1e-3)
    for R in (
        geo.rotation(geo.frame_from_axis([0, 0, 0], axis)),
        geo.rotation(geo.frame_from_axis([0, 0, 0], axis, x)),
    ):
        assert geo.is_rotation(R, 1e-15)
        assert_close(R[:, 2], w, 4e-16)
    # x lies in the half plane of +u: nothing of it along v, and a positive part along u.
    assert_close(R[:, 1] @ x, 0.0, 1e-15)
    assert R[:, 0] @ x > 0.0


@quick
@given(R=rotations, origin=points, along=st.floats(0.1, 5.0), across=st.floats(0.1, 5.0), lift=st.floats(-5.0, 5.0))
def test_three_points_recover_the_frame_they_were_made_in(R, origin, along, across, lift):
    u, _, w = R.T
    X_WF = geo.frame_from_points(origin, origin + along * w, origin + across * u + lift * w)
    assert_close(X_WF, geo.pose(R, origin), 1e-12)
