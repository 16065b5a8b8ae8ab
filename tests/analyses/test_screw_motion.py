"""Screws, axodes and centrodes against motions whose answers are exact."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork import geometry as geo
from linkwork.analyses.kinematics.screw_motion import (
    centrodes,
    finite_screw,
    pole_motion,
    relative_acceleration,
    relative_screw,
    relative_twist,
)

WORLD, STILL = np.eye(4), np.zeros(6)
EX, EY, EZ = np.eye(3)

seeds = st.integers(0, 2**32 - 1)


def in_plane(x, y, angle, vx, vy, rate, ax=0.0, ay=0.0, spin=0.0):
    """Pose, twist and its rate of a planar motion about z; arguments are arrays or numbers."""
    x, y, angle, vx, vy, rate, ax, ay, spin = np.broadcast_arrays(x, y, angle, vx, vy, rate, ax, ay, spin)
    zero = np.zeros(x.shape)
    X = geo.pose(geo.rot_z(angle), np.stack([x, y, zero], axis=-1))
    V = np.stack([vx, vy, zero, zero, zero, rate], axis=-1)
    return X, V, np.stack([ax, ay, zero, zero, zero, spin], axis=-1)


def carried(X_WA, V_A, dV_A, X_AB, V_AB, dV_AB):
    """World pose, twist and its rate of B, whose motion in A (at B's origin, A's axes) is given."""
    R = geo.rotation(X_WA)
    r, v, w, a, e = (np.einsum("...ij,...j->...i", R, x) for x in
                     (geo.position(X_AB), V_AB[..., :3], V_AB[..., 3:], dV_AB[..., :3], dV_AB[..., 3:]))  # fmt: skip
    w_A, e_A = V_A[..., 3:], dV_A[..., 3:]
    V = np.concatenate([V_A[..., :3] + np.cross(w_A, r) + v, w_A + w], axis=-1)
    linear = dV_A[..., :3] + np.cross(e_A, r) + np.cross(w_A, np.cross(w_A, r)) + 2 * np.cross(w_A, v) + a
    return X_WA @ X_AB, V, np.concatenate([linear, e_A + e + np.cross(w_A, w)], axis=-1)


def anyhow(rng, n):
    """n spatial postures with twists and their rates."""
    q = rng.normal(size=(n, 4))
    X = geo.pose(geo.from_quaternion(q / np.linalg.norm(q, axis=-1, keepdims=True)), rng.normal(size=(n, 3)))
    return X, rng.normal(size=(n, 6)), rng.normal(size=(n, 6))


# --- relative motion --------------------------------------------------------------------------------------------------


def smooth(coefficients, t):
    """A smooth spatial motion: pose at time t."""
    p, turn = coefficients[:3] @ [1, t, t * t], coefficients[3:] @ [1, t, t * t]
    return geo.pose(geo.from_rotvec(turn), p)


def rates(pose, t, h=1e-3):
    """Twist of a pose's own origin, from differences of sixth order."""
    weights = np.array([-1, 9, -45, 0, 45, -9, 1]) / (60 * h)
    dX = sum(w * pose(t + k * h) for w, k in zip(weights, range(-3, 4), strict=True))
    return np.concatenate([dX[:3, 3], geo.unskew(dX[:3, :3] @ pose(t)[:3, :3].T)])


def test_relative_twist_and_acceleration_are_the_rates_of_the_relative_pose() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 6, 3)) * 0.5
    at = 0.3

    def relative(t):
        return geo.inverse(smooth(a, t)) @ smooth(b, t)

    def twist(c):
        return lambda t: rates(lambda s: smooth(c, s), t)

    def second(f, h=1e-3):
        weights = np.array([-1, 9, -45, 0, 45, -9, 1]) / (60 * h)
        return sum(w * f(at + k * h) for w, k in zip(weights, range(-3, 4), strict=True))

    X_A, X_B, V_A, V_B = smooth(a, at), smooth(b, at), twist(a)(at), twist(b)(at)
    R = geo.rotation(X_A).T
    V = relative_twist(X_A, V_A, X_B, V_B)
    expected = rates(relative, at)
    np.testing.assert_allclose(np.concatenate([R @ V[:3], R @ V[3:]]), expected, atol=1e-10)
    dV = relative_acceleration(X_A, V_A, second(twist(a)), X_B, V_B, second(twist(b)))
    expected = second(lambda t: rates(relative, t))
    np.testing.assert_allclose(np.concatenate([R @ dV[:3], R @ dV[3:]]), expected, atol=1e-8)


def test_a_nut_on_a_bolt_has_the_pitch_of_its_thread() -> None:
    """The bolt itself tumbles: pitch and axis in its frame stay what they are."""
    rng = np.random.default_rng(2)
    angle, rate, pitch, arm = np.linspace(-2, 2, 7), 3.0, 0.002, 0.05
    X_AB = geo.pose(geo.rot_z(angle), np.stack([arm * np.cos(angle), arm * np.sin(angle), pitch * angle], axis=-1))
    v = rate * np.stack([-arm * np.sin(angle), arm * np.cos(angle), np.full(7, pitch)], axis=-1)
    V_AB = np.concatenate([v, np.broadcast_to(rate * EZ, (7, 3))], axis=-1)
    X_WA, V_A, dV_A = anyhow(rng, 7)
    X_WB, V_B, _ = carried(X_WA, V_A, dV_A, X_AB, V_AB, np.zeros((7, 6)))
    s = relative_screw(X_WA, V_A, X_WB, V_B, length=0.1)
    assert (s.kind == "screw").all() and s.turning.all()
    np.testing.assert_allclose(s.pitch, pitch, rtol=1e-12)
    np.testing.assert_allclose(s.angular_speed, rate, rtol=1e-13)
    np.testing.assert_allclose(s.sliding_speed, pitch * rate, rtol=1e-12)
    np.testing.assert_allclose(s.fixed.direction, np.broadcast_to(EZ, (7, 3)), atol=1e-14)
    np.testing.assert_allclose(s.fixed.point[:, :2], 0.0, atol=1e-14)
    np.testing.assert_allclose(s.fixed.point[:, 2], pitch * angle, atol=1e-14)  # level with the nut's origin
    np.testing.assert_allclose(s.moving.point, np.broadcast_to([-arm, 0, 0], (7, 3)), atol=1e-14)
    np.testing.assert_allclose(s.moving.lines.moment, np.cross(s.moving.point, s.moving.direction), atol=1e-15)
    ends = s.fixed.rulings(0.5)
    assert ends.shape == (7, 2, 3)
    np.testing.assert_allclose(ends[:, 1] - ends[:, 0], np.broadcast_to(EZ, (7, 3)), atol=1e-14)
    assert "7 screw" in repr(s)


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_points_of_the_axis_only_slide_along_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (X_A, V_A, _), (X_B, V_B, _) = anyhow(rng, 4), anyhow(rng, 4)
    near = rng.normal(size=3)
    s = relative_screw(X_A, V_A, X_B, V_B, 1.0, near=near)
    V = relative_twist(X_A, V_A, X_B, V_B)
    velocity = V[:, :3] + np.cross(V[:, 3:], s.point - geo.position(X_B))
    np.testing.assert_allclose(velocity, s.sliding_speed[:, None] * s.direction, atol=1e-10)
    np.testing.assert_allclose(s.pitch * s.angular_speed, s.sliding_speed, atol=1e-12)
    np.testing.assert_allclose(np.sum((s.point - near) * s.direction, axis=-1), 0.0, atol=1e-9)
    np.testing.assert_allclose(geo.transform_points(X_A, s.fixed.point), s.point, atol=1e-9)
    np.testing.assert_allclose(geo.transform_points(X_B, s.moving.point), s.point, atol=1e-9)
    # Seen the other way round it is the same line, the same pitch.
    back = relative_screw(X_B, V_B, X_A, V_A, 1.0, near=near)
    np.testing.assert_allclose(back.direction, -s.direction, atol=1e-13)
    np.testing.assert_allclose(back.pitch, s.pitch, atol=1e-10)
    np.testing.assert_allclose(back.point, s.point, atol=1e-9)


def test_the_four_kinds_and_what_does_not_exist() -> None:
    V = np.array([[0, 0, 1, 0, 0, 2], [0, 1, 0, 0, 0, 2], [0, 3, 0, 0, 0, 1e-12], [1e-14, 0, 0, 0, 0, 1e-15]])
    s = relative_screw(WORLD, STILL, WORLD, V, 1.0)
    assert s.kind.tolist() == ["screw", "rotation", "translation", "rest"]
    assert s.turning.tolist() == [True, True, False, False]
    assert s.pitch.tolist() == [0.5, 0.0, math.inf, 0.0]
    assert s.angular_speed.tolist() == [2.0, 2.0, 0.0, 0.0]
    assert s.sliding_speed.tolist() == [1.0, 0.0, 3.0, 0.0]
    np.testing.assert_array_equal(s.direction, [EZ, EZ, EY, EZ])
    np.testing.assert_array_equal(s.point, [[0, 0, 0], [-0.5, 0, 0], [0, 0, 0], [0, 0, 0]])
    # A slow motion alone is a motion; told what is fast, it is none.
    slow = np.array([0, 0, 0, 0, 0, 1e-12])
    assert relative_screw(WORLD, STILL, WORLD, slow, 1.0).kind == "rotation"
    assert relative_screw(WORLD, STILL, WORLD, slow, 1.0, speed=1.0).kind == "rest"
    assert relative_screw(WORLD, STILL, WORLD, STILL, 1.0).kind == "rest"


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_judgement_does_not_depend_on_units(scale: float) -> None:
    V = np.array([[0, 0, 1, 0, 0, 2], [0, 1, 0, 0, 0, 2], [0, 3, 0, 0, 0, 1e-12], [0, 0, 0, 0, 0, 0]])
    V[:, :3] *= scale
    kinds = relative_screw(WORLD, STILL, WORLD, V, scale).kind
    assert kinds.tolist() == ["screw", "rotation", "translation", "rest"]


def test_finite_screw() -> None:
    rng = np.random.default_rng(3)
    X1, _, _ = anyhow(rng, 5)
    s = geo.screw(rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), rng.uniform(0.1, 3, 5), rng.normal(size=5))
    found = finite_screw(X1, geo.displacement_from_screw(s) @ X1, 1.0)
    assert (found.kind == "screw").all()
    np.testing.assert_allclose(geo.displacement_from_screw(found) @ X1, geo.displacement_from_screw(s) @ X1, atol=1e-13)
    np.testing.assert_allclose(found.pitch, s.pitch, rtol=1e-12)

    turned = geo.displacement_from_screw(geo.screw(EZ, [1, 2, 0], 0.4))
    step = geo.translation(0.3, 0, 0.4) @ geo.pose(geo.rot_x(1e-15))  # turned by a last digit
    later = np.stack([turned, step, np.eye(4)])
    found = finite_screw(np.eye(4), later, 1.0)
    assert found.kind.tolist() == ["rotation", "translation", "rest"]
    np.testing.assert_allclose(found.point, [[1, 2, 0], [0, 0, 0], [0, 0, 0]], atol=1e-14)
    np.testing.assert_allclose(found.direction[1], [0.6, 0, 0.8], atol=1e-14)
    np.testing.assert_allclose(found.slide[1:], [0.5, 0.0], atol=1e-15)
    assert found.pitch.tolist()[1:] == [math.inf, 0.0]


# --- centrodes --------------------------------------------------------------------------------------------------------

ANGLE = np.linspace(0.1, 1.4, 9)


def trammel(c, angle, rate, spin):
    """A bar of length c with its ends on x and y; its frame stands at its end on x, turned by -angle."""
    x, v = c * np.cos(angle), -c * np.sin(angle) * rate
    a = -c * np.cos(angle) * rate**2 - c * np.sin(angle) * spin
    return in_plane(x, 0.0, -angle, v, 0.0, -rate, a, 0.0, -spin)


def test_a_rolling_wheel_has_a_line_and_a_circle_for_centrodes() -> None:
    R, w, t = 0.35, 2.0, np.linspace(0, 4, 11)
    X, V, dV = in_plane(w * R * t, R, -w * t, w * R, 0.0, -w)
    c = centrodes(WORLD, STILL, X, V, R, normal=EZ)
    np.testing.assert_allclose(c.fixed, np.stack([w * R * t, 0 * t, 0 * t], axis=-1), atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(c.moving, axis=-1), R, rtol=1e-14)
    np.testing.assert_allclose(c.rate, -w)
    # The moving centrode is passed once a turn, the fixed one by 2 pi R: they roll.
    swept = np.unwrap(np.arctan2(c.moving[:, 1], c.moving[:, 0]))
    np.testing.assert_allclose(R * (swept[-1] - swept[0]), c.fixed[-1, 0] - c.fixed[0, 0], rtol=1e-13)
    p = pole_motion(WORLD, STILL, STILL, X, V, dV, R)
    np.testing.assert_allclose(p.velocity, np.broadcast_to([w * R, 0, 0], (11, 3)), atol=1e-14)
    np.testing.assert_allclose(p.inflection_diameter, R, rtol=1e-14)
    np.testing.assert_allclose(p.inflection_pole, geo.position(X), atol=1e-14)
    np.testing.assert_allclose(p.acceleration_pole, geo.position(X), atol=1e-14)


def test_cardan_circles_of_the_elliptic_trammel() -> None:
    """Fixed centrode of radius c about the origin, moving one of half its size about the bar's middle."""
    c, rate, spin = 0.8, 1.7, -0.9
    X, V, dV = trammel(c, ANGLE, rate, spin)
    found = centrodes(WORLD, STILL, X, V, c)
    np.testing.assert_array_equal(found.normal, EZ)
    np.testing.assert_allclose(np.linalg.norm(found.fixed, axis=-1), c, rtol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(found.moving - [-c / 2, 0, 0], axis=-1), c / 2, rtol=1e-14)
    # Every point of the moving circle goes straight: it is the inflection circle, opposite to the pole the origin.
    p = pole_motion(WORLD, STILL, STILL, X, V, dV, c)
    np.testing.assert_allclose(p.inflection_diameter, c, rtol=1e-13)
    np.testing.assert_allclose(p.inflection_pole, 0.0, atol=1e-14)
    tangent = c * rate * np.stack([-np.sin(ANGLE), np.cos(ANGLE), 0 * ANGLE], axis=-1)
    np.testing.assert_allclose(p.velocity, tangent, atol=1e-13)


def test_centrodes_in_a_frame_that_tumbles() -> None:
    """Carried by a body that moves anyhow, the relative motion and its plane are the same in that body's frame."""
    c, n = 0.8, len(ANGLE)
    X_AB, V_AB, dV_AB = trammel(c, ANGLE, 1.7, -0.9)
    X_WA, V_A, dV_A = anyhow(np.random.default_rng(4), n)
    X_WB, V_B, dV_B = carried(X_WA, V_A, dV_A, X_AB, V_AB, dV_AB)
    alone, taken = centrodes(WORLD, STILL, X_AB, V_AB, c), centrodes(X_WA, V_A, X_WB, V_B, c)
    np.testing.assert_allclose(taken.normal, EZ, atol=1e-13)
    np.testing.assert_allclose(taken.fixed, alone.fixed, atol=1e-13)
    np.testing.assert_allclose(taken.moving, alone.moving, atol=1e-13)
    np.testing.assert_allclose(taken.pole, geo.transform_points(X_WA, alone.fixed), atol=1e-13)
    p = pole_motion(WORLD, STILL, STILL, X_AB, V_AB, dV_AB, c)
    q = pole_motion(X_WA, V_A, dV_A, X_WB, V_B, dV_B, c)
    np.testing.assert_allclose(q.velocity, geo.transform_vectors(X_WA, p.velocity), atol=1e-12)
    np.testing.assert_allclose(q.inflection_diameter, p.inflection_diameter, rtol=1e-12)
    np.testing.assert_allclose(q.acceleration_pole, geo.transform_points(X_WA, p.acceleration_pole), atol=1e-12)


def test_instant_centre_of_a_connecting_rod() -> None:
    """It lies where the crank's line meets the perpendicular to the slide at the wrist pin."""
    a, c, rate = 0.05, 0.2, 10.0
    t = np.linspace(0.2, 1.3, 6)
    x, y = a * np.cos(t), a * np.sin(t)
    lean = np.arcsin(-y / c)
    turn = -a * np.cos(t) * rate / (c * np.cos(lean))
    X, V, _ = in_plane(x, y, lean, -rate * y, rate * x, turn)
    wrist = x + c * np.cos(lean)
    pole = centrodes(WORLD, STILL, X, V, c).pole
    np.testing.assert_allclose(pole, np.stack([wrist, wrist * np.tan(t), 0 * t], axis=-1), rtol=1e-12, atol=1e-14)


@settings(max_examples=80, deadline=None)
@given(seeds)
def test_three_centres_lie_on_one_line(seed: int) -> None:
    """Aronhold-Kennedy, for three bodies in any planar motion."""
    rng = np.random.default_rng(seed)
    tilt = geo.pose(geo.from_rotvec(rng.normal(size=3)), rng.normal(size=3))
    bodies = []
    for _ in range(3):
        X, V, _ = in_plane(*rng.normal(size=5), 0.0)
        V[5] = rng.uniform(0.2, 3.0) * rng.choice([-1, 1])
        turned = np.concatenate([geo.transform_vectors(tilt, V[:3]), geo.transform_vectors(tilt, V[3:])])
        bodies.append((tilt @ X, turned))
    if (
        min(abs(geo.transform_vectors(geo.inverse(tilt), bodies[i][1][3:] - bodies[j][1][3:])[2]) for i, j in PAIRS)
        < 0.05
    ):
        return
    p, q, r = (centrodes(*bodies[i], *bodies[j], 1.0).pole for i, j in PAIRS)
    sides = q - p, r - p
    area = np.linalg.norm(np.cross(*sides))
    assert area <= 1e-9 * max(1.0, np.linalg.norm(sides[0]) * np.linalg.norm(sides[1]))


PAIRS = ((0, 1), (1, 2), (0, 2))


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_accelerations_bear_out_the_circle_and_the_poles(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, V, dV = in_plane(*rng.normal(size=5), rng.uniform(0.3, 2.0), *rng.normal(size=3))

    def motion(point):
        r, w, e = point - X[:3, 3], V[3:], dV[3:]
        return V[:3] + np.cross(w, r), dV[:3] + np.cross(e, r) + np.cross(w, np.cross(w, r))

    pole = centrodes(WORLD, STILL, X, V, 1.0).pole
    p = pole_motion(WORLD, STILL, STILL, X, V, dV, 1.0)
    np.testing.assert_allclose(motion(pole)[0], 0.0, atol=1e-12)
    scale = 1.0 + np.linalg.norm(motion(pole)[1])
    np.testing.assert_allclose(motion(p.acceleration_pole)[1], 0.0, atol=1e-11 * scale)
    # Points of the inflection circle are accelerated along their paths only.
    middle, radius = 0.5 * (pole + p.inflection_pole), 0.5 * p.inflection_diameter
    np.testing.assert_allclose(np.linalg.norm(p.inflection_pole - pole), p.inflection_diameter, atol=1e-11 * scale)
    for angle in rng.uniform(0, 2 * np.pi, 5):
        v, a = motion(middle + radius * np.array([np.cos(angle), np.sin(angle), 0.0]))
        np.testing.assert_allclose(np.cross(v, a), 0.0, atol=1e-10 * scale**2)
    # The pole's velocity, by moving on for a short time along the Taylor series of the motion.
    h = 1e-6
    ends = []
    for s in (-h, h):
        x, v, w = X[:3, 3] + s * V[:3] + s * s / 2 * dV[:3], V[:3] + s * dV[:3], V[5] + s * dV[5]
        ends.append(x + np.cross(EZ, v) / w)
    np.testing.assert_allclose((ends[1] - ends[0]) / (2 * h), p.velocity, atol=1e-6 * scale)


def test_where_there_is_no_pole() -> None:
    X, V, dV = in_plane([0.0, 1.0, 0.0], 0.0, 0.0, [1.0, 1.0, 0.0], 0.0, [1.0, 0.0, 0.0], 1.0, 0.0, [0.0, 2.0, 0.0])
    c = centrodes(WORLD, STILL, X, V, 1.0)
    assert c.turning.tolist() == [True, False, False]
    for curve in (c.pole, c.fixed, c.moving):
        assert np.isinf(curve[1:]).all() and np.isfinite(curve[0]).all()
    p = pole_motion(WORLD, STILL, STILL, X, V, dV, 1.0)
    assert np.isinf(p.velocity[1:]).all() and np.isinf(p.inflection_diameter[1:]).all()
    # A body that only begins to turn has an acceleration pole without having a pole.
    assert p.accelerating.tolist() == [True, True, False]
    np.testing.assert_allclose(p.acceleration_pole[1], [1.0, 0.5, 0.0])
    assert np.isinf(p.acceleration_pole[2]).all()
    assert "1 with a pole" in repr(c)


def test_errors_say_what_to_try() -> None:
    with pytest.raises(lw.ModelError, match="leaves the plane"):
        centrodes(WORLD, STILL, WORLD, np.array([0, 0, 1.0, 0, 0, 1.0]), 1.0)
    with pytest.raises(lw.ModelError, match="leaves the plane"):
        centrodes(WORLD, STILL, WORLD, np.array([0, 0, 0, 0, 0, 1.0]), 1.0, normal=EX)
    with pytest.raises(lw.ModelError, match="nothing turns"):
        centrodes(WORLD, STILL, WORLD, np.array([1.0, 0, 0, 0, 0, 0]), 1.0)
    with pytest.raises(lw.ModelError, match="length is 0"):
        relative_screw(WORLD, STILL, WORLD, STILL, 0.0)
    with pytest.raises(lw.ModelError, match="not finite"):
        relative_screw(WORLD, STILL, WORLD, np.array([np.nan, 0, 0, 0, 0, 0]), 1.0)


def test_leading_dimensions_broadcast() -> None:
    X, V, dV = trammel(0.8, ANGLE.reshape(3, 3), 1.0, 0.5)
    flat = trammel(0.8, ANGLE, 1.0, 0.5)
    assert relative_screw(WORLD, STILL, X, V, 0.8).point.shape == (3, 3, 3)
    c = centrodes(WORLD, STILL, X, V, 0.8)
    np.testing.assert_array_equal(c.pole.reshape(9, 3), centrodes(WORLD, STILL, flat[0], flat[1], 0.8).pole)
    assert pole_motion(WORLD, STILL, STILL, X, V, dV, 0.8).velocity.shape == (3, 3, 3)
