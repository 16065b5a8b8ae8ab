"""Curves: points, exact derivatives, smoothness at knots and seams, tracing, bad input."""

from __future__ import annotations

import math
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import CURVES, EGG, RAMP, RING3, RING5, SLOT3, SLOT5, close
from scipy.interpolate import make_interp_spline

import linkwork as lw
from linkwork.errors import ModelError
from linkwork.model.curves import Curve, ExpressionCurve, FourierCurve, SplineCurve

quick = settings(max_examples=30, deadline=None, derandomize=True)
every_curve = pytest.mark.parametrize("curve", CURVES, ids=[c.name for c in CURVES])
every_spline = pytest.mark.parametrize("curve", [RING5, RING3, SLOT5, SLOT3], ids=lambda c: c.name)


def inside(curve: Curve, count: int = 17) -> np.ndarray:
    """Parameters inside the range, none of them a knot."""
    return curve.start + (curve.end - curve.start) * (np.arange(count) + 0.618) / count


def pairs(values: list[Any]) -> np.ndarray:
    return np.array([[float(np.real(u)), float(np.real(v))] for u, v in values])


# --- values -----------------------------------------------------------------------------------------------------------


def test_a_fourier_series_is_its_sum() -> None:
    curve = FourierCurve("c", 0.5, -1.0, (2.0, 0.0, 0.25), (0.5,), (), (1.0, 3.0))
    for t in (-7.0, 0.0, 1.3, 40.0):
        u = 0.5 + 2 * math.cos(t) + 0.25 * math.cos(3 * t) + 0.5 * math.sin(t)
        v = -1.0 + math.sin(t) + 3 * math.sin(2 * t)
        close(curve.point(t), (u, v), 1e-13)
        d2u = -2 * math.cos(t) - 2.25 * math.cos(3 * t) - 0.5 * math.sin(t)
        close(curve.derivatives(t, 2)[2][0], d2u, 1e-13)


def test_a_circle_is_a_circle() -> None:
    circle = FourierCurve("circle", 1.0, 2.0, (0.3,), (), (), (0.3,))
    t, u, v = circle.samples()
    close(np.hypot(u - 1.0, v - 2.0), 0.3, 1e-15)
    assert (t[0], t[-1]) == (0.0, 2 * math.pi)
    assert circle.size() == pytest.approx(0.6 * math.sqrt(2), rel=1e-12)
    assert circle.closed
    assert circle.continuity > 10


def test_an_expression_with_units() -> None:
    curve = ExpressionCurve("e", "3*t**2", "sin(t)/2", 0.0, 2.0, unit=1e-3)
    (u, v), (du, dv), (ddu, ddv) = curve.derivatives(1.5, 2)
    close((u, v), (6.75e-3, math.sin(1.5) / 2000), 1e-17)
    close((du, dv, ddu, ddv), (9e-3, math.cos(1.5) / 2000, 6e-3, -math.sin(1.5) / 2000), 1e-17)


def test_a_piecewise_expression() -> None:
    close(RAMP.point(0.5), (0.5, 0.1), 1e-16)
    close(RAMP.point(2.0), (3.0, 1.0), 1e-15)
    close(RAMP.derivatives(0.5, 1)[1][0], 1.0)
    close(RAMP.derivatives(2.0, 1)[1][0], 2.0)


def cam_profile(R0: float = 2.0, lift: float = 1.0) -> tuple[str, str]:
    """Flat-faced cam with cycloidal rise and return, as in the worked example of a disk cam (sec. 5)."""
    g = f"({lift}/(2*pi))*where(t < pi, 2*t - sin(2*t), 4*pi - 2*t + sin(2*t))"
    dg = f"({lift}/pi)*where(t < pi, 1 - cos(2*t), cos(2*t) - 1)"
    return f"({R0} + {g})*sin(t) + {dg}*cos(t)", f"({R0} + {g})*cos(t) - {dg}*sin(t)"


@pytest.mark.parametrize(
    ("psi", "g", "slope"),
    [(1.0, 0.173591, 0.450774), (2.5, 0.948392, 0.228017), (4.0, 0.884222, -0.364624), (5.5, 0.090142, -0.316901)],
)
def test_a_disk_cam_with_a_flat_follower(psi: float, g: float, slope: float) -> None:
    # The follower's face stands at R0 + g from the centre and touches at the distance g' from the middle.
    curve = ExpressionCurve("cam", *cam_profile(), 0.0, 2 * math.pi, True)
    (u, v), (du, dv) = curve.derivatives(psi, 1)
    s, c = math.sin(psi), math.cos(psi)
    assert u * s + v * c == pytest.approx(2.0 + g, abs=1e-6)
    assert u * c - v * s == pytest.approx(slope, abs=1e-6)
    close(du * s + dv * c, 0.0, 1e-14)  # the tangent lies in the face
    for turns in (-2, 1, 3):
        close(curve.point(psi + 2 * math.pi * turns), (u, v), 1e-13)


# --- derivatives ------------------------------------------------------------------------------------------------------


@every_curve
def test_derivatives_against_a_complex_step(curve: Curve) -> None:
    step = 1e-30
    for t in inside(curve, 11):
        ladder = curve.derivatives(t, 4)
        for n in range(4):
            u, v = curve.derivatives(complex(t, step), n)[n]
            expected = np.array([u.imag, v.imag]) / step
            close(pairs(ladder)[n + 1], expected, 1e-12 * max(1.0, float(np.max(np.abs(expected)))))


@every_curve
def test_derivatives_against_casadi(curve: Curve) -> None:
    t = ca.SX.sym("t")
    value = ca.vertcat(*(ca.SX(c) for c in curve.point(t)))
    ladder = [value]
    for _ in range(3):
        ladder.append(ca.jacobian(ladder[-1], t))
    function = ca.Function("curve", [t], [ca.horzcat(*ladder)])
    for value_t in inside(curve):
        found = pairs(curve.derivatives(value_t, 3)).T
        close(np.array(function(value_t)), found, 1e-12 * max(1.0, float(np.max(np.abs(found)))))


@every_curve
def test_traced_derivatives_are_the_derivatives(curve: Curve) -> None:
    t = ca.SX.sym("t")
    rows = [ca.horzcat(*(ca.SX(c) for c in pair)) for pair in curve.derivatives(t, 2)]
    function = ca.Function("curve", [t], [ca.vertcat(*rows)])
    far = [curve.start - 2.7, curve.end + 3.1] if curve.closed else []
    for value in [*inside(curve), *far]:
        found = pairs(curve.derivatives(value, 2))
        close(np.array(function(value)), found, 1e-12 * max(1.0, float(np.max(np.abs(found)))))


@every_curve
def test_arrays_are_the_loop(curve: Curve) -> None:
    t = inside(curve, 12)
    together = curve.derivatives(t.reshape(3, 4), 2)
    for n in range(3):
        for c in range(2):
            block = np.broadcast_to(together[n][c], (3, 4)).ravel()
            close(block, [float(curve.derivatives(x, 2)[n][c]) for x in t], 1e-15 * max(1.0, np.max(np.abs(block))))


@every_spline
def test_a_spline_against_scipy(curve: SplineCurve) -> None:
    points = np.array(curve.points)
    if curve.closed:
        points = np.vstack([points, points[:1]])
    t = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    t /= t[-1]
    kind = "periodic" if curve.closed else None
    spline = make_interp_spline(t, points, k=curve.degree, bc_type=kind)
    for x in inside(curve, 40):
        for n in range(curve.degree + 1):
            expected = spline(x, nu=n)
            close(pairs(curve.derivatives(x, n))[n], expected, 1e-12 * max(1.0, float(np.max(np.abs(expected)))))


# --- splines pass through their points and are smooth -----------------------------------------------------------------


def chord_parameters(curve: SplineCurve) -> np.ndarray:
    points = np.array(curve.points)
    if curve.closed:
        points = np.vstack([points, points[:1]])
    t = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return np.asarray(t[: len(curve.points)] / t[-1])


@every_spline
def test_a_spline_passes_through_its_points(curve: SplineCurve) -> None:
    for t, point in zip(chord_parameters(curve), curve.points, strict=True):
        close(curve.point(t), point, 1e-14)
    end = curve.points[0] if curve.closed else curve.points[-1]
    close(curve.point(1.0), end, 1e-13)


@every_spline
def test_a_spline_is_smooth_at_its_knots(curve: SplineCurve) -> None:
    from linkwork.model.curves import spline_pieces

    starts, _, _ = spline_pieces(curve.points, curve.closed, curve.degree)
    assert curve.continuity == curve.degree - 1
    for t in starts[1:]:
        before = pairs(curve.derivatives(np.nextafter(t, 0.0), curve.degree))
        after = pairs(curve.derivatives(t, curve.degree))
        for n in range(curve.degree):
            scale = max(1.0, float(np.max(np.abs(after[n]))))
            close(before[n], after[n], 1e-9 * scale)
        assert np.max(np.abs(before[-1] - after[-1])) > 1e-6 * np.max(np.abs(after[-1]))  # and no smoother


@pytest.mark.parametrize("curve", [RING5, RING3], ids=["5", "3"])
def test_a_closed_spline_is_smooth_across_its_seam(curve: SplineCurve) -> None:
    before = pairs(curve.derivatives(1.0 - 1e-16 * 2, curve.degree - 1))
    after = pairs(curve.derivatives(1.0, curve.degree - 1))
    start = pairs(curve.derivatives(0.0, curve.degree - 1))
    close(after, start, 0.0)
    close(before, after, 1e-9 * np.max(np.abs(after)))


@pytest.mark.parametrize("turns", [-3, -1, 1, 2, 50])
@pytest.mark.parametrize("curve", [c for c in CURVES if c.closed], ids=lambda c: c.name)
def test_a_closed_curve_repeats(curve: Curve, turns: int) -> None:
    period = curve.end - curve.start
    for t in inside(curve, 7):
        once, again = pairs(curve.derivatives(t, 2)), pairs(curve.derivatives(t + turns * period, 2))
        close(again, once, 1e-12 * max(1.0, float(np.max(np.abs(once)))))


def test_an_open_spline_goes_on_beyond_its_ends() -> None:
    for t, ahead in ((0.0, -1e-3), (1.0, 1e-3)):
        ladder = pairs(SLOT5.derivatives(t, 5))
        taylor = sum(ladder[n] * ahead**n / math.factorial(n) for n in range(6))
        close(SLOT5.point(t + ahead), taylor, 1e-12)


def test_more_points_come_nearer_the_circle_at_the_order_of_the_degree() -> None:
    def error(count: int, degree: int) -> float:
        angles = 2 * np.pi * np.arange(count) / count
        curve = SplineCurve("c", tuple((math.cos(a), math.sin(a)) for a in angles), True, degree)
        _, u, v = curve.samples(997)
        return float(np.max(np.abs(np.hypot(u, v) - 1.0)))

    assert error(10, 3) / error(20, 3) > 2**3.5
    assert error(10, 5) / error(20, 5) > 2**5.5
    assert error(40, 5) < 1e-9


@quick
@given(
    st.lists(st.tuples(st.floats(0.2, 1.0), st.floats(-1.0, 1.0)), min_size=6, max_size=14),
    st.booleans(),
    st.sampled_from([3, 5]),
)
def test_any_points_are_interpolated(steps: list[tuple[float, float]], closed: bool, degree: int) -> None:
    points = tuple((float(x), float(y)) for x, y in np.cumsum(np.array(steps), axis=0))
    curve = SplineCurve("c", points, closed, degree)
    size = np.max(np.abs(points))
    for t, point in zip(chord_parameters(curve), points, strict=True):
        close(curve.point(t), point, 1e-9 * size)


def test_the_fewest_points() -> None:
    for degree in (3, 5):
        angles = 2 * np.pi * np.arange(degree + 1) / (degree + 1)
        points = tuple((math.cos(a), 0.5 * math.sin(a)) for a in angles)
        for closed in (False, True):
            curve = SplineCurve("c", points, closed, degree)
            for t, point in zip(chord_parameters(curve), points, strict=True):
                close(curve.point(t), point, 1e-13)


# --- bad input --------------------------------------------------------------------------------------------------------

SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1), (0.5, 2), (3, 3)]


def bad(message: str, where: str, **options: Any) -> None:
    m = lw.Mechanism()
    with pytest.raises(ModelError) as caught:
        m.curve("c", **options)
    (problem,) = caught.value.problems
    assert message in problem.what
    assert problem.where.startswith(where)
    assert "c" not in m.curves


def test_bad_splines() -> None:
    bad("5 points are too few for degree 5: 6 are needed", "curves.c", spline=SQUARE[:5])
    bad("3 points are too few for degree 3: 4 are needed", "curves.c", spline=SQUARE[:3], degree=3)
    bad("degree 4", "curves.c", spline=SQUARE, degree=4)
    bad("points 2 and 3 coincide", "curves.c", spline=[(0, 0), (1, 0), *SQUARE[1:]])
    bad("points 7 and 1 coincide", "curves.c", spline=[*SQUARE, SQUARE[0]], closed=True)
    bad("2 numbers are wanted, 3 are given", "curves.c.spline[1]", spline=[(0, 0), (1, 0, 0), *SQUARE])
    bad("not finite", "curves.c.spline[0]", spline=[(0, math.nan), *SQUARE])
    bad("a list of points is wanted", "curves.c.spline", spline=7)


def test_bad_expressions() -> None:
    bad("the range runs from 2 to 1", "curves.c", expression=("t", "t"), span=(2, 1))
    bad("the range runs from 1 to 1", "curves.c", expression=("t", "t"), span=(1, 1))
    bad("a pair of expressions (u, v) is wanted", "curves.c", expression=("t",))
    bad("2 numbers are wanted", "curves.c.span", expression=("t", "t"), span=(1,))
    bad("0 is not positive", "curves.c.unit", expression=("t", "t"), unit=0)
    bad("", "curves.c", expression=("t + z", "t"))
    bad("", "curves.c", expression=("__import__('os')", "t"))


def test_bad_series_and_bad_choices() -> None:
    bad("unknown term 'u_cosine'", "curves.c", fourier={"u_cosine": [1]})
    bad("is not a list of numbers", "curves.c.u_cos", fourier={"u_cos": 1})
    bad("is not finite", "curves.c.u0", fourier={"u0": math.inf})
    bad("one of fourier, expression, spline is wanted", "curves.c")
    bad("one of fourier, expression, spline is wanted", "curves.c", spline=SQUARE, fourier={})


def test_good_curves_by_name() -> None:
    m = lw.Mechanism()
    a = m.curve("a", fourier={"u0": 0.1, "u_cos": [1], "v_sin": [1]})
    b = m.curve("b", expression=("t", "t**2"), span=(0, 1), unit=1e-3)
    c = m.curve("c", spline=SQUARE, closed=True, degree=3)
    assert list(m.curves.values()) == [a, b, c]
    assert a == FourierCurve("a", 0.1, 0.0, (1.0,), (), (), (1.0,))
    assert b == ExpressionCurve("b", "t", "t**2", 0.0, 1.0, False, 1e-3)
    assert isinstance(c, SplineCurve)
    assert (c.closed, c.degree, c.continuity) == (True, 3, 2)
    assert hash(EGG) == hash(EGG)
