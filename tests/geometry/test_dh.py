"""Link parameters: products of elementary motions, the way back, and what each kind of row cannot represent."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_strategies import angles, assert_close, lengths, poses, quick
from hypothesis import assume, given
from hypothesis import strategies as st

from linkwork import geometry as geo

PI = np.pi
halves = st.floats(-1.5, 1.5)


def rz(t):
    return geo.pose(geo.rot_z(t))


def rx(t):
    return geo.pose(geo.rot_x(t))


def tz(d):
    return geo.translation(0, 0, d)


def tx(a):
    return geo.translation(a, 0, 0)


# --- exact answers ----------------------------------------------------------------------------------------------------


def test_standard_row_written_out():
    t, d, a, f = 0.4, 1.2, 0.7, -0.9
    c, s, cf, sf = np.cos(t), np.sin(t), np.cos(f), np.sin(f)
    written = [[c, -s * cf, s * sf, a * c], [s, c * cf, -c * sf, a * s], [0, sf, cf, d], [0, 0, 0, 1]]
    assert_close(geo.dh_standard(t, d, a, f), written, 1e-16)


def test_inverse_row_has_minus_d_cos_alpha():
    # Eq. 5.17, with the sign of its entry (3, 4) put right.
    t, d, a, f = 0.4, 1.2, 0.7, -0.9
    c, s, cf, sf = np.cos(t), np.sin(t), np.cos(f), np.sin(f)
    written = [[c, s, 0, -a], [-s * cf, c * cf, sf, -d * sf], [s * sf, -c * sf, cf, -d * cf], [0, 0, 0, 1]]
    assert_close(geo.inverse(geo.dh_standard(t, d, a, f)), written, 2e-16)


def test_example_5_6_stanford_arm():
    h, a = 0.5, 0.15
    q = [0.4, 0.9, 0.7, -0.6, 1.1, 2.0]
    rows = [
        (q[0], h, 0, -PI / 2),
        (q[1], a, 0, PI / 2),
        (0, q[2], 0, 0),
        (q[3], 0, 0, -PI / 2),
        (q[4], 0, 0, PI / 2),
        (q[5], 0, 0, 0),
    ]
    hand = np.linalg.multi_dot([geo.dh_standard(*row) for row in rows])
    stated = [
        [0.13858833, 0.29830346, 0.94435603, 0.44663155],
        [0.98910688, 0.00607230, -0.14707383, 0.35168846],
        [-0.04960705, 0.95445176, -0.29421246, 0.93512698],
        [0, 0, 0, 1],
    ]
    assert_close(hand, stated, 5e-9)


def test_the_two_conventions_give_the_same_arm():
    rng = np.random.default_rng(4)
    theta, d, a, alpha = rng.uniform(-2, 2, (4, 5))
    standard = np.linalg.multi_dot(list(geo.dh_standard(theta, d, a, alpha)))
    # The same factors, cut one motion earlier: each row starts with the alpha and a of the row before it.
    before_alpha, before_a = np.append(0, alpha[:-1]), np.append(0, a[:-1])
    modified = np.linalg.multi_dot(list(geo.dh_craig(before_alpha, before_a, theta, d)))
    assert_close(modified @ tx(a[-1]) @ rx(alpha[-1]), standard, 1e-14)


def test_rows_take_arrays():
    assert geo.dh_standard(np.zeros(6), 0.1, 0.2, 0.3).shape == (6, 4, 4)
    assert geo.hayati(np.zeros((2, 3)), 0.1, 0.2, 0.3).shape == (2, 3, 4, 4)
    found = geo.dh_standard_parameters(geo.dh_standard(np.linspace(0, 1, 6), 0.1, 0.2, 0.3))
    assert found.values.shape == (6, 4)
    assert found.residual.shape == (6, 2)
    assert_close(found["theta"], np.linspace(0, 1, 6), 1e-15)
    assert found.names == ("theta", "d", "a", "alpha")


def test_what_a_row_cannot_represent_shows_as_residual():
    shifted = geo.translation(0, 0.25, 0)  # y is no part of a standard or modified row at theta = 0
    for read in (geo.dh_standard_parameters, geo.dh_craig_parameters):
        assert_close(read(shifted).residual, [0, 0.25], 1e-15)
    assert_close(geo.hayati_parameters(geo.translation(1, 0, 0.5)).residual, [0, 0.5], 1e-15)
    # A tilt of 0.1 rad about y lifts x off the plane: the best that the row can do is to leave it out.
    tilted = geo.dh_standard_parameters(geo.pose(geo.rot_y(0.1)))
    assert_close(tilted.residual, [0.1, 0], 1e-15)
    assert not tilted.degenerate


def test_x_along_the_old_z_axis_is_degenerate():
    found = geo.dh_standard_parameters(geo.pose(geo.rot_y(-PI / 2)))
    assert found.degenerate
    assert found["theta"] == 0.0
    found = geo.dh_craig_parameters(geo.pose(geo.rot_y(PI / 2)))
    assert found.degenerate
    assert found["theta"] == 0.0


@pytest.mark.parametrize("alpha", [PI / 2, -PI / 2])
def test_hayati_lock(alpha):
    apart = geo.hayati(0.3, 0.8, alpha, 0.5)
    found = geo.hayati_parameters(apart)
    assert found.degenerate
    assert_close(found.values, [0.3, 0.8, alpha, 0.5], 1e-15)
    together = geo.hayati(0.3, 0.0, alpha, 0.5)
    found = geo.hayati_parameters(together)
    assert found.degenerate
    assert found["beta"] == 0.0
    assert_close(found.residual, [0, 0], 1e-15)


def test_sheth_uicker_parallel_axes():
    X = geo.sheth_uicker(0.4, 0.5, 0.0, 0.7, 0.9, 0.2)
    found = geo.sheth_uicker_parameters(X)
    assert found.degenerate
    assert_close(found.values, [0.4, 0.7, 0.0, 0.7, 0.9, 0.0], 1e-15)  # b = 0: c takes the sum
    assert_close(found.residual, [0, 0], 1e-15)


def test_sheth_uicker_antiparallel_axes():
    X = geo.sheth_uicker(0.4, 0.5, PI, 0.7, 0.9, 0.2)
    found = geo.sheth_uicker_parameters(X)
    assert found.degenerate
    assert_close(found.values, [0.4, 0.3, PI, 0.7, 0.9, 0.0], 1e-15)
    assert_close(found.residual, [0, 0], 1e-15)


@pytest.mark.parametrize("alpha", [0.0, PI])
def test_sheth_uicker_coincident_axes(alpha):
    X = geo.sheth_uicker(0.4, 0.5, alpha, 0.0, 0.9, 0.2)
    found = geo.sheth_uicker_parameters(X)
    assert found.degenerate
    assert (found["a"], found["b"], found["beta"]) == (0.0, 0.0, 0.0)
    assert_close(found.residual, [0, 0], 1e-15)


def test_sheth_uicker_identity_has_all_zero_parameters():
    found = geo.sheth_uicker_parameters(np.eye(4))
    assert found.degenerate
    assert_close(found.values, np.zeros(6), 0.0)


@pytest.mark.parametrize("alpha", 10.0 ** -np.arange(1, 16))
def test_sheth_uicker_nearly_parallel_axes_stay_within_1e_7(alpha):
    X = geo.pose(geo.rot_z(0.3) @ geo.rot_x(alpha) @ geo.rot_z(-1.2), [0.4, -0.6, 0.5])
    found = geo.sheth_uicker_parameters(X)
    assert np.max(found.residual) < max(1e-15, min(1e-15 / alpha, 3 * alpha)) * 4
    assert np.max(found.residual) < 1e-7


# --- round trips ------------------------------------------------------------------------------------------------------


@quick
@given(theta=angles, d=lengths, a=lengths, alpha=angles)
def test_standard_round_trip(theta, d, a, alpha):
    found = geo.dh_standard_parameters(geo.dh_standard(theta, d, a, alpha))
    assert not found.degenerate
    assert_close(found.values, [theta, d, a, alpha])
    assert_close(found.residual, [0, 0])
    assert_close(geo.dh_standard(theta, d, a, alpha), rz(theta) @ tz(d) @ tx(a) @ rx(alpha), 0.0)


@quick
@given(alpha=angles, a=lengths, theta=angles, d=lengths)
def test_modified_round_trip(alpha, a, theta, d):
    found = geo.dh_craig_parameters(geo.dh_craig(alpha, a, theta, d))
    assert not found.degenerate
    assert_close(found.values, [alpha, a, theta, d])
    assert_close(found.residual, [0, 0])
    assert_close(geo.dh_craig(alpha, a, theta, d), rx(alpha) @ tx(a) @ rz(theta) @ tz(d), 0.0)


@quick
@given(theta=angles, a=lengths, alpha=halves, beta=angles)
def test_hayati_round_trip(theta, a, alpha, beta):
    found = geo.hayati_parameters(geo.hayati(theta, a, alpha, beta))
    assert not found.degenerate
    assert_close(found.values, [theta, a, alpha, beta], 1e-13)
    assert_close(found.residual, [0, 0])


@quick
@given(gamma=angles, c=lengths, alpha=st.floats(0.1, 3.0), a=lengths, beta=angles, b=lengths)
def test_sheth_uicker_round_trip(gamma, c, alpha, a, beta, b):
    found = geo.sheth_uicker_parameters(geo.sheth_uicker(gamma, c, alpha, a, beta, b))
    assert not found.degenerate
    assert_close(found.values, [gamma, c, alpha, a, beta, b])
    assert_close(found.residual, [0, 0])


@quick
@given(X=poses)
def test_sheth_uicker_represents_every_transform(X):
    tilt = np.hypot(X[0, 2], X[1, 2])
    assume(tilt > 1e-3 or tilt < 1e-15)
    assert_close(geo.sheth_uicker_parameters(X).residual, [0, 0], 1e-12 if tilt > 0.1 else 1e-11)


@quick
@given(X=poses)
def test_sheth_uicker_a_is_the_distance_of_the_axes(X):
    tilt = np.hypot(X[0, 2], X[1, 2])
    assume(tilt > 1e-2)
    first = geo.line_from_point_direction([0, 0, 0], [0, 0, 1])
    second = geo.line_from_point_direction(geo.position(X), X[:3, 2])
    between = geo.common_perpendicular(first, second)
    found = geo.sheth_uicker_parameters(X)
    assert_close(abs(found["a"]), between.distance, 1e-11)
    assert_close(found["c"], between.foot1[2], 1e-10)
