"""Lines, planes and homogeneous points: exact answers, invariants under displacement, parallel cases."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_strategies import assert_close, directions, lengths, points, poses, quick
from hypothesis import assume, given
from hypothesis import strategies as st

from linkwork import geometry as geo
from linkwork.errors import ModelError

lines = st.builds(geo.line_from_point_direction, points, directions)
planes = st.builds(geo.plane_from_point_normal, points, directions)


def sine(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(np.cross(a, b)) / np.linalg.norm(a) / np.linalg.norm(b))


# --- points -----------------------------------------------------------------------------------------------------------


def test_homogeneous_points():
    assert_close(geo.homogeneous([1, 2, 3]), [1, 2, 3, 1], 0.0)
    assert_close(geo.cartesian([2, 4, 6, 2]), [1, 2, 3], 0.0)
    assert_close(geo.cartesian(-3.0 * geo.homogeneous([1, 2, 3])), [1, 2, 3], 0.0)
    assert_close(geo.point_at_infinity([1, 2, 3]), [1, 2, 3, 0], 0.0)
    assert geo.is_at_infinity([[1, 2, 3, 0], [1, 2, 3, 4]]).tolist() == [True, False]
    with pytest.raises(ModelError, match="at infinity"):
        geo.cartesian([1, 0, 0, 0])


def test_a_pose_moves_homogeneous_points_and_free_vectors_alike():
    X = geo.pose(geo.rot_z(0.3), [1, 2, 3])
    p = np.array([0.5, -1.0, 2.0])
    assert_close(X @ geo.homogeneous(p), geo.homogeneous(geo.transform_points(X, p)), 1e-15)
    assert_close(X @ geo.point_at_infinity(p), geo.point_at_infinity(geo.transform_vectors(X, p)), 1e-15)


def test_problem_3_1_four_collinear_points():
    a, b, c, d = [1, 2, 3, 4], [4, 3, 2, 1], [1, 1, 1, 1], [3, 1, -1, -3]
    assert np.linalg.matrix_rank([a, b, c, d]) == 2
    line = geo.line_from_points(a, b)
    for p in (a, b, c, d):
        assert_close(geo.point_line_distance(geo.cartesian(p), line), 0.0, 1e-15)
    # d to b is the same line; its sense may be the other.
    other = geo.line_from_points(d, b)
    assert_close(np.abs(other.direction @ line.direction), 1.0, 1e-15)
    with pytest.raises(ModelError, match="on one line"):
        geo.plane_from_points(*(geo.cartesian(p) for p in (a, b, c)))


def test_problem_3_2_two_circles_meet_on_their_radical_line():
    r = 2.0
    line = geo.line_from_planes(
        geo.plane_from_coefficients([1, 0, 0, -r / 2]), geo.plane_from_coefficients([0, 0, 1, 0])
    )
    assert_close(line.point, [r / 2, 0, 0], 0.0)
    for side in (-1, 1):
        p = line.at(side * np.sqrt(3) / 2 * r)
        assert_close(np.linalg.norm(p), r, 1e-15)
        assert_close(np.linalg.norm(p - [r, 0, 0]), r, 1e-15)


# --- lines ------------------------------------------------------------------------------------------------------------


def test_line_from_points_runs_from_the_first_to_the_second():
    line = geo.line_from_points([1, 0, 0], [1, 5, 0])
    assert_close(line.direction, [0, 1, 0], 0.0)
    assert_close(line.moment, [0, 0, 1], 0.0)  # (1,0,0) x (0,1,0)
    assert_close(line.point, [1, 0, 0], 0.0)
    assert_close(line.at([0.0, 2.0]), [[1, 0, 0], [1, 2, 0]], 0.0)


def test_line_through_a_point_at_infinity_has_that_direction():
    line = geo.line_from_points(geo.homogeneous([0, 0, 2]), geo.point_at_infinity([3, 0, 0]))
    assert_close(line.direction, [1, 0, 0], 0.0)
    assert_close(line.moment, np.cross([0, 0, 2], [1, 0, 0]), 0.0)


def test_line_from_planes_has_the_definition_as_its_sign():
    # x = 2 and y = 3 meet in the vertical through (2, 3, 0): direction x cross y = z.
    line = geo.line_from_planes(geo.plane_from_coefficients([1, 0, 0, -2]), geo.plane_from_coefficients([0, 1, 0, -3]))
    assert_close(line.direction, [0, 0, 1], 0.0)
    assert_close(line.moment, np.cross([2, 3, 0], [0, 0, 1]), 0.0)
    assert_close(line.point, [2, 3, 0], 0.0)


def test_line_matrix_is_the_twist_of_a_turn_about_it():
    line = geo.line_from_point_direction([1, 2, 3], [0, 0, 1])
    assert_close(geo.line_matrix(line), [[0, -1, 0, 2], [1, 0, 0, -1], [0, 0, 0, 0], [0, 0, 0, 0]], 0.0)
    assert_close(geo.line_matrix(line) @ [1, 2, 7, 1], [0, 0, 0, 0], 0.0)
    back = geo.line_from_matrix(geo.line_matrix(line))
    assert_close(np.r_[back.direction, back.moment], np.r_[line.direction, line.moment], 0.0)


def test_common_perpendicular_of_skew_lines():
    first = geo.line_from_point_direction([5, 0, 0], [1, 0, 0])
    second = geo.line_from_point_direction([2, 7, 3], [0, 1, 0])
    found = geo.common_perpendicular(first, second)
    assert_close(found.foot1, [2, 0, 0], 1e-15)
    assert_close(found.foot2, [2, 0, 3], 1e-15)
    assert_close(found.distance, 3, 1e-15)
    assert_close(found.direction, [0, 0, 1], 1e-15)
    assert not found.parallel
    turned = geo.common_perpendicular(second, first)
    assert_close(turned.direction, [0, 0, -1], 1e-15)
    assert geo.are_perpendicular(first, second)
    assert not geo.do_intersect(first, second)


@pytest.mark.parametrize("sense", [1, -1])
def test_common_perpendicular_of_parallel_lines(sense):
    first = geo.line_from_point_direction([1, 0, 5], [0, 0, 1])
    second = geo.line_from_point_direction([1, 4, -2], [0, 0, sense])
    found = geo.common_perpendicular(first, second)
    assert found.parallel
    assert_close(found.foot1, [1, 0, 0], 0.0)
    assert_close(found.foot2, [1, 4, 0], 0.0)
    assert found.distance == 4.0
    assert_close(found.direction, [0, 1, 0], 0.0)
    assert geo.are_parallel(first, second)
    assert not geo.do_intersect(first, second)


def test_coincident_lines():
    line = geo.line_from_point_direction([1, 2, 0], [0, 0, 1])
    same = geo.line_from_points([1, 2, 9], [1, 2, -9])
    found = geo.common_perpendicular(line, same)
    assert found.parallel
    assert found.distance == 0.0
    assert_close(found.direction, [1, 0, 0], 0.0)
    assert not geo.do_intersect(line, same)


@pytest.mark.parametrize("gap", [0.0, 1e-17, 1e-15, 1e-12, 1e-6])
def test_nearly_coincident_lines_still_have_a_perpendicular_direction(gap):
    w = np.array([0.0, 0.21875, 1.0])
    first = geo.line_from_point_direction([0, 0, 0.0625], w)
    second = geo.line_from_point_direction(first.at(2.0) + gap * np.eye(3)[0], -w)
    found = geo.common_perpendicular(first, second)
    assert found.parallel
    assert_close(found.distance, gap, 1e-15)
    assert_close(found.direction @ first.direction, 0.0, 4e-16)
    assert_close(np.linalg.norm(found.direction), 1.0, 4e-16)


def test_a_batch_of_line_pairs():
    first = geo.Line(np.tile([0.0, 0.0, 1.0], (3, 1)), np.zeros((3, 3)))
    second = geo.line_from_point_direction([[1, 0, 0], [0, 0, 3], [0, 2, 0]], [[0, 0, 1], [1, 0, 0], [1, 0, 0]])
    found = geo.common_perpendicular(first, second)
    assert found.parallel.tolist() == [True, False, False]
    assert_close(found.distance, [1, 0, 2], 0.0)
    assert geo.do_intersect(first, second).tolist() == [False, True, False]
    # Meeting lines have the direction w1 x w2.
    assert_close(found.direction[1], [0, 1, 0], 0.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: geo.line_from_points([1, 2, 3], [1, 2, 3]),
        lambda: geo.line_from_points([1, 2, 3, 0], [4, 5, 6, 0]),
        lambda: geo.line_from_point_direction([1, 2, 3], [0, 0, 0]),
        lambda: geo.line_from_planes(
            geo.plane_from_coefficients([1, 0, 0, 1]), geo.plane_from_coefficients([-2, 0, 0, 1])
        ),
        lambda: geo.plane_from_points([0, 0, 0], [1, 1, 1], [1, 1, 1]),
        lambda: geo.plane_from_points([0, 0, 0], [0, 0, 0], [1, 1, 1]),
        lambda: geo.plane_from_coefficients([0, 0, 0, 1]),
        lambda: geo.line_plane_intersection(
            geo.line_from_point_direction([0, 0, 1], [1, 0, 0]), geo.plane_from_coefficients([0, 0, 1, 0])
        ),
    ],
)
def test_what_defines_no_line_plane_or_point(call):
    with pytest.raises(ModelError):
        call()


# --- planes -----------------------------------------------------------------------------------------------------------


def test_plane_through_three_points():
    plane = geo.plane_from_points([1, 0, 2], [3, 0, 2], [1, 5, 2])
    assert_close(plane.coefficients, [0, 0, 1, -2], 0.0)
    assert_close(geo.point_plane_distance([[7, 7, 5], [0, 0, 0]], plane), [3, -2], 0.0)


def test_scale_of_a_plane_does_not_matter():
    plane = geo.Plane(np.array([0.0, 3.0, 4.0]), np.array(10.0))
    assert_close(geo.point_plane_distance([0, 0, 0], plane), 2.0, 1e-16)
    assert_close(plane.unit().coefficients, [0, 0.6, 0.8, 2.0], 1e-16)


def test_line_crosses_plane():
    line = geo.line_from_points([1, 2, 0], [1, 2, 5])
    plane = geo.plane_from_points([3, 0, 0], [0, 3, 0], [0, 0, 3])  # x + y + z = 3
    assert_close(geo.line_plane_intersection(line, plane), [1, 2, 0], 1e-15)


# --- properties -------------------------------------------------------------------------------------------------------


@quick
@given(p=points, direction=directions, t=lengths)
def test_every_point_of_a_line_gives_the_same_line(p, direction, t):
    line = geo.line_from_point_direction(p, direction)
    other = geo.line_from_point_direction(p + t * direction, 3.0 * direction)
    assert_close(other.direction, line.direction, 1e-15)
    assert_close(other.moment, line.moment, 4e-14)
    assert_close(line.direction @ line.moment, 0.0, 1e-14)
    assert_close(geo.point_line_distance(p, line), 0.0, 1e-14)
    assert_close(np.linalg.norm(line.moment), np.linalg.norm(line.point), 1e-14)


@quick
@given(p=points, q=points, w1=st.floats(0.1, 3.0), w2=st.floats(-3.0, -0.1))
def test_line_from_two_points_holds_both(p, q, w1, w2):
    assume(np.linalg.norm(p - q) > 0.1)
    line = geo.line_from_points(p, q)
    scaled = geo.line_from_points(w1 * geo.homogeneous(p), w2 * geo.homogeneous(q))
    assert_close(geo.point_line_distance(np.stack([p, q]), line), [0, 0], 1e-13)
    # A product of weights that is negative turns the sense: an oriented line has oriented coordinates.
    assert_close(scaled.direction, -line.direction, 1e-13)
    assert_close(scaled.moment, -line.moment, 1e-12)


@quick
@given(first=planes, second=planes, t=lengths)
def test_line_from_planes_lies_in_both(first, second, t):
    assume(sine(first.normal, second.normal) > 0.1)
    line = geo.line_from_planes(first, second)
    p = line.at(t)
    assert_close(geo.point_plane_distance(p, first), 0.0, 1e-11)
    assert_close(geo.point_plane_distance(p, second), 0.0, 1e-11)
    assert_close(line.direction @ line.moment, 0.0, 1e-12)


@quick
@given(X=poses, line=lines)
def test_lines_move_by_similarity_and_with_their_points(X, line):
    moved = geo.transform_line(X, line)
    assert_close(geo.line_matrix(moved), X @ geo.line_matrix(line) @ geo.inverse(X), 1e-13)
    assert_close(geo.point_line_distance(geo.transform_points(X, line.at(1.5)), moved), 0.0, 1e-13)


@quick
@given(X=poses, plane=planes, p=points)
def test_planes_move_with_their_points(X, plane, p):
    moved = geo.transform_plane(X, plane)
    assert_close(geo.point_plane_distance(geo.transform_points(X, p), moved), geo.point_plane_distance(p, plane), 1e-13)
    # Planes move by the inverse transpose of the matrix that moves points.
    assert_close(moved.coefficients, geo.inverse(X).T @ plane.coefficients, 1e-13)


@quick
@given(first=lines, second=lines, X=poses)
def test_common_perpendicular_invariants(first, second, X):
    assume(sine(first.direction, second.direction) > 0.1)
    found = geo.common_perpendicular(first, second)
    across = found.foot2 - found.foot1
    assert_close(geo.point_line_distance(found.foot1, first), 0.0, 1e-12)
    assert_close(geo.point_line_distance(found.foot2, second), 0.0, 1e-12)
    assert_close([across @ first.direction, across @ second.direction], [0, 0], 1e-11)
    assert_close(np.linalg.norm(across), found.distance, 1e-11)
    assert_close(across @ found.direction, found.distance, 1e-11)
    moved = geo.common_perpendicular(geo.transform_line(X, first), geo.transform_line(X, second))
    assert_close(moved.distance, found.distance, 1e-11)
    assert_close(moved.foot1, geo.transform_points(X, found.foot1), 1e-10)


@quick
@given(p=points, first=directions, second=directions, t=st.floats(-5, 5))
def test_lines_through_a_common_point_intersect(p, first, second, t):
    assume(sine(first, second) > 0.1)
    a, b = geo.line_from_point_direction(p, first), geo.line_from_point_direction(p + t * second, second)
    assert geo.do_intersect(a, b)
    assert_close(geo.common_perpendicular(a, b).foot1, p, 1e-11)


@quick
@given(line=lines, shift=points)
def test_shifted_lines_are_parallel_and_their_distance_is_the_shift_across(line, shift):
    other = geo.line_from_point_direction(line.at(2.0) + shift, -line.direction)
    found = geo.common_perpendicular(line, other)
    assert found.parallel
    assert_close(found.distance, np.linalg.norm(np.cross(shift, line.direction)), 1e-13)
    assert_close(found.direction @ line.direction, 0.0, 1e-15)


@quick
@given(line=lines, plane=planes)
def test_crossing_point_lies_on_both(line, plane):
    assume(abs(line.direction @ plane.normal) > 0.1)
    p = geo.line_plane_intersection(line, plane)
    assert_close(geo.point_line_distance(p, line), 0.0, 1e-11)
    assert_close(geo.point_plane_distance(p, plane), 0.0, 1e-11)


@quick
@given(p1=points, p2=points, p3=points)
def test_plane_from_points_holds_all_three(p1, p2, p3):
    assume(np.linalg.norm(np.cross(p2 - p1, p3 - p1)) > 0.1)
    plane = geo.plane_from_points(p1, p2, p3)
    assert_close(geo.point_plane_distance(np.stack([p1, p2, p3]), plane), [0, 0, 0], 1e-11)
    assert_close(np.linalg.norm(plane.normal), 1.0, 1e-15)
