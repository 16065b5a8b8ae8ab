"""Poses: composition, the rigid inverse, points and vectors, and the distance of two poses."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_strategies import assert_close, directions, points, poses, quick
from hypothesis import given
from hypothesis import strategies as st

from linkwork import geometry as geo
from linkwork.errors import ModelError


def test_parts_of_a_pose():
    R, p = geo.rot_z(0.3), [1.0, 2.0, 3.0]
    X = geo.pose(R, p)
    assert_close(geo.rotation(X), R, 0.0)
    assert_close(geo.position(X), p, 0.0)
    assert_close(X[3], [0, 0, 0, 1], 0.0)
    assert_close(geo.pose(), np.eye(4), 0.0)
    assert_close(geo.translation(1, 2, 3), geo.pose(p=p), 0.0)


def test_points_move_and_vectors_only_turn():
    X = geo.translation(1, 0, 0) @ geo.pose(geo.rot_z(np.pi / 2))
    assert_close(geo.transform_points(X, [1, 0, 0]), [1, 1, 0], 1e-16)
    assert_close(geo.transform_vectors(X, [1, 0, 0]), [0, 1, 0], 1e-16)


def test_shapes_over_leading_dimensions():
    X = geo.pose(geo.rot_x(np.linspace(0, 1, 4)), [1, 2, 3])
    assert X.shape == (4, 4, 4)
    assert geo.inverse(X).shape == (4, 4, 4)
    assert geo.transform_points(X[0], np.zeros((7, 3))).shape == (7, 3)
    assert geo.transform_points(X[:, None], np.zeros((7, 3))).shape == (4, 7, 3)
    assert geo.is_pose(X).tolist() == [True] * 4


def test_is_pose_says_no():
    good = geo.pose(geo.rot_x(0.1), [1, 2, 3])
    scaled, sheared, infinite, row = (good.copy() for _ in range(4))
    scaled[:3, :3] *= 1.001
    sheared[0, 1] += 1e-3
    infinite[0, 3] = np.inf
    row[3, 0] = 1e-3
    assert geo.is_pose(np.stack([good, scaled, sheared, infinite, row])).tolist() == [True, False, False, False, False]


def test_wrong_shapes_are_refused():
    for call in (lambda: geo.inverse(np.eye(3)), lambda: geo.pose(np.eye(4)), lambda: geo.pose(p=[1, 2])):
        with pytest.raises(ModelError):
            call()


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-15, 1e-9, 1e-3, 0.9, 1.0472, 2.0, 3.14159, np.pi])
def test_pose_error_measures_angles_of_every_size(angle):
    X_AB = geo.pose(geo.rot_x(0.0), [1, 2, 2])
    X_AC = geo.pose(geo.from_axis_angle([1, 2, -2], angle), [0, 0, 0])
    found, distance = geo.pose_error(X_AB, X_AC)
    np.testing.assert_allclose(found, angle, rtol=1e-15, atol=0.0)
    assert distance == 3.0


@quick
@given(X=poses)
def test_inverse_undoes(X):
    assert_close(geo.inverse(X) @ X, np.eye(4), 2e-14)
    assert_close(geo.inverse(X), np.linalg.inv(X), 5e-14)
    assert_close(geo.inverse(geo.inverse(X)), X, 2e-14)
    assert geo.pose_error(X, X) == (0.0, 0.0)


@quick
@given(X_AB=poses, X_BC=poses, p=points)
def test_points_follow_composition(X_AB, X_BC, p):
    once = geo.transform_points(X_AB @ X_BC, p)
    twice = geo.transform_points(X_AB, geo.transform_points(X_BC, p))
    assert_close(once, twice, 1e-13)
    assert_close(once, (X_AB @ X_BC @ np.append(p, 1.0))[:3], 1e-13)


@quick
@given(X=poses, axis=directions, angle=st.floats(0.0, 3.14))
def test_pose_error_does_not_depend_on_the_frame(X, axis, angle):
    offset = geo.pose(geo.from_axis_angle(axis, angle), [0.3, 0.0, 0.4])
    found, distance = geo.pose_error(X, X @ offset)
    assert_close(found, angle, 1e-14)
    assert_close(distance, 0.5, 1e-14)
