"""Screws and twists: Chasles both ways, the degenerate displacements, and the algebra of twists."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_strategies import assert_close, directions, lengths, points, poses, quick
from hypothesis import assume, given
from hypothesis import strategies as st

from linkwork import geometry as geo
from linkwork.errors import ModelError

twists = st.tuples(*[lengths] * 6).map(np.array)


def expm(A: np.ndarray) -> np.ndarray:
    """The matrix exponential by scaling, Taylor series and squaring: nothing in common with the screw formulas."""
    A = A / 2.0**12
    result, term = np.eye(4), np.eye(4)
    for k in range(1, 12):
        term = term @ A / k
        result = result + term
    for _ in range(12):
        result = result @ result
    return result


# --- exact answers ----------------------------------------------------------------------------------------------------


def test_example_3_1_displacement_of_its_screw():
    s = geo.screw([4, 12, -3], [3, 0, 2], np.radians(150), -5)
    printed = [
        [-0.68936, 0.64538, 0.32904, 2.87154],
        [0.41461, 0.72396, -0.55134, -4.75653],
        [-0.59404, -0.24366, -0.76668, 6.46932],
        [0, 0, 0, 1],
    ]
    X = geo.displacement_from_screw(s)
    assert_close(X, printed, 6e-5)
    assert_close([X[2, 2], X[2, 3]], [-0.766651, 6.469261], 5e-7)
    assert_close(s.pitch, -5 / (5 * np.pi / 6), 1e-15)
    assert_close(s.pitch, -1.90986, 1e-5)


def test_example_3_1_screw_of_its_displacement():
    s = geo.screw_from_displacement(geo.displacement_from_screw(geo.screw([4, 12, -3], [3, 0, 2], np.radians(150), -5)))
    w = np.array([4, 12, -3]) / 13
    assert_close(s.direction, w, 1e-15)
    assert_close(s.angle, 5 * np.pi / 6, 1e-15)
    assert_close(s.slide, -5, 4e-15)
    assert_close(s.point, np.array([3, 0, 2]) - (np.array([3, 0, 2]) @ w) * w, 4e-15)  # the nearest point of the axis


def test_pure_translation():
    s = geo.screw_from_displacement(geo.translation(2, -3, 6))
    assert_close(s.direction, np.array([2, -3, 6]) / 7, 1e-16)
    assert (s.angle, s.slide, s.pitch) == (0.0, 7.0, np.inf)
    assert_close(s.point, [0, 0, 0], 0.0)
    assert_close(geo.displacement_from_screw(s), geo.translation(2, -3, 6), 1e-15)


def test_no_displacement():
    s = geo.screw_from_displacement(np.eye(4))
    assert_close(s.direction, [0, 0, 1], 0.0)
    assert (s.angle, s.slide, s.pitch) == (0.0, 0.0, 0.0)
    assert_close(geo.displacement_from_screw(s), np.eye(4), 0.0)


def test_half_turn_about_a_line():
    # A half turn about the vertical through (1, 2, 0) takes the origin to (2, 4, 0).
    X = geo.pose(np.diag([-1.0, -1.0, 1.0]), [2, 4, 5])
    s = geo.screw_from_displacement(X)
    assert_close(s.direction, [0, 0, 1], 0.0)
    assert_close(s.point, [1, 2, 0], 1e-15)
    assert s.angle == np.pi
    assert s.slide == 5.0
    assert_close(geo.displacement_from_screw(s), X, 2e-15)


def test_negative_slide_alone_has_negative_infinite_pitch():
    assert geo.screw([0, 0, 1], [0, 0, 0], 0.0, -1.0).pitch == -np.inf


@pytest.mark.parametrize("angle", [1e-3, 1e-6, 1e-9, 1e-12, 2e-14, 1e-15])
def test_small_angles_reproduce_the_displacement(angle):
    X = geo.pose(geo.from_axis_angle([1, 2, 2], angle), [1.0, -0.5, 0.3])
    s = geo.screw_from_displacement(X)
    assert_close(geo.displacement_from_screw(s), X, 2e-15)


def test_a_batch_mixes_all_kinds():
    half_turn = geo.pose(np.diag([-1.0, -1.0, 1.0]), [2, 4, 5])
    X = np.stack([np.eye(4), geo.translation(1, 2, 3), half_turn, geo.pose(geo.rot_x(1.0), [1, 1, 1])])
    s = geo.screw_from_displacement(X)
    assert s.direction.shape == s.point.shape == (4, 3)
    assert s.pitch.shape == (4,)
    assert_close(geo.displacement_from_screw(s), X, 2e-15)


def test_a_screw_needs_a_direction():
    with pytest.raises(ModelError, match="screw direction has length 0"):
        geo.screw([0, 0, 0], [0, 0, 0], 1.0)


def test_example_6_1_twist_of_a_gear():
    # Rolling on a circle of radius R at angle f: v = R (sin f, -cos f, 0), omega = z; the axis is at the pitch point.
    R, f = 0.7, 0.4
    axis = geo.twist_axis([R * np.sin(f), -R * np.cos(f), 0, 0, 0, 1])
    assert_close(axis.point, [R * np.cos(f), R * np.sin(f), 0], 1e-16)
    assert_close(axis.direction, [0, 0, 1], 0.0)
    assert (axis.pitch, axis.magnitude) == (0.0, 1.0)


def test_twist_without_rotation_and_without_motion():
    axis = geo.twist_axis([[0, 3, 4, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 6, 0, 0, 2]])
    assert_close(axis.direction, [[0, 0.6, 0.8], [0, 0, 1], [0, 0, 1]], 1e-16)
    assert axis.pitch.tolist() == [np.inf, 0.0, 3.0]
    assert axis.magnitude.tolist() == [5.0, 0.0, 2.0]
    assert_close(axis.point, np.zeros((3, 3)), 0.0)


def test_adjoint_of_a_translation():
    # A unit turn about the vertical through (1, 0, 0): the point of the body at the origin moves along -y.
    assert_close(geo.adjoint(geo.translation(1, 0, 0)) @ [0, 0, 0, 0, 0, 1], [0, -1, 0, 0, 0, 1], 0.0)


# --- two methods agree, properties ------------------------------------------------------------------------------------


@quick
@given(X=poses)
def test_every_displacement_is_a_screw(X):
    s = geo.screw_from_displacement(X)
    assert_close(geo.displacement_from_screw(s), X, 2e-13)
    # Points of the axis only slide; the point given is the nearest to the origin.
    if s.angle > 1e-2:
        on_axis = s.point + 2.0 * s.direction
        assert_close(geo.transform_points(X, on_axis), on_axis + s.slide * s.direction, 1e-11)
        assert_close(s.point @ s.direction, 0.0, 1e-11)


@quick
@given(direction=directions, point=points, angle=st.floats(0.05, 3.1), slide=lengths)
def test_screw_round_trip(direction, point, angle, slide):
    w = direction / np.linalg.norm(direction)
    s = geo.screw_from_displacement(geo.displacement_from_screw(geo.screw(direction, point, angle, slide)))
    assert_close(s.direction, w, 1e-13)
    assert_close(s.angle, angle, 1e-14)
    assert_close(s.slide, slide, 1e-12)
    assert_close(s.point, point - (point @ w) * w, 1e-11)


@quick
@given(direction=directions, point=points, angle=st.floats(0.0, 3.1), slide=lengths)
def test_a_screw_is_the_exponential_of_its_twist(direction, point, angle, slide):
    w = direction / np.linalg.norm(direction)
    V = np.concatenate([angle * np.cross(point, w) + slide * w, angle * w])
    assert_close(geo.displacement_from_screw(geo.screw(w, point, angle, slide)), expm(geo.twist_matrix(V)), 1e-10)


@quick
@given(V=twists)
def test_twist_matrix_round_trip(V):
    assert_close(geo.twist_from_matrix(geo.twist_matrix(V)), V, 0.0)


@quick
@given(X=poses, V=twists)
def test_adjoint_is_the_similarity_of_operators(X, V):
    moved = geo.twist_from_matrix(X @ geo.twist_matrix(V) @ geo.inverse(X))
    assert_close(geo.adjoint(X) @ V, moved, 1e-12)


@quick
@given(X=poses, Y=poses)
def test_adjoint_keeps_products_and_inverses(X, Y):
    assert_close(geo.adjoint(X @ Y), geo.adjoint(X) @ geo.adjoint(Y), 1e-12)
    assert_close(geo.adjoint(geo.inverse(X)) @ geo.adjoint(X), np.eye(6), 1e-12)


@quick
@given(V1=twists, V2=twists, V3=twists, X=poses)
def test_bracket_is_the_commutator(V1, V2, V3, X):
    D1, D2 = geo.twist_matrix(V1), geo.twist_matrix(V2)
    bracket = geo.twist_bracket
    assert_close(bracket(V1, V2), geo.twist_from_matrix(D1 @ D2 - D2 @ D1), 1e-12)
    assert_close(bracket(V1, V2), -bracket(V2, V1), 0.0)
    jacobi = bracket(V1, bracket(V2, V3)) + bracket(V2, bracket(V3, V1)) + bracket(V3, bracket(V1, V2))
    assert_close(jacobi, np.zeros(6), 1e-11)
    Ad = geo.adjoint(X)
    assert_close(bracket(Ad @ V1, Ad @ V2), Ad @ bracket(V1, V2), 1e-10)


@quick
@given(V=twists)
def test_points_of_the_twist_axis_move_along_it(V):
    assume(np.linalg.norm(V[3:]) > 0.1)
    axis = geo.twist_axis(V)
    velocity = geo.twist_matrix(V) @ np.append(axis.point, 1.0)
    assert_close(velocity[:3], axis.pitch * V[3:], 1e-12)
    assert_close(axis.point @ V[3:], 0.0, 1e-12)
    assert_close(axis.magnitude, np.linalg.norm(V[3:]), 1e-14)
