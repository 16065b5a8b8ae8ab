"""Joints on curves with many tangents, many near points, and a seam."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import ModelError
from linkwork.model.curves import Curve, ExpressionCurve, SplineCurve
from linkwork.model.joints import LineOnCurve, PointOnCurve, misfit, transform


def wave(depth: float, count: int) -> ExpressionCurve:
    """A closed curve r = 1 + depth cos(count t)."""
    radius = f"(1 + {depth}*cos({count}*t))"
    return ExpressionCurve("wave", f"{radius}*cos(t)", f"{radius}*sin(t)", 0.0, 2 * math.pi, True)


def apart(curve: Curve, a: float, b: float) -> float:
    """Distance of two parameters, round a closed curve."""
    period = curve.end - curve.start
    return abs((a - b + period / 2) % period - period / 2) if curve.closed else abs(a - b)


WAVES = [wave(0.01, 12), wave(0.05, 6), wave(0.2, 3)]


@pytest.mark.parametrize("curve", WAVES, ids=["12", "6", "3"])
def test_the_right_one_of_many_tangents_is_found(curve: Curve) -> None:
    rng = np.random.default_rng(5)
    law = LineOnCurve(curve)
    for _ in range(30):
        q = [rng.uniform(0, 2 * math.pi), rng.uniform(-0.5, 0.5), 0.1]
        X = transform(law, q)
        # Where the curve bends over, two tangents merge: the pose is met to the root of the rounding, and no worse.
        assert max(misfit(law, X, law.recover(X))) < 1e-9


@pytest.mark.parametrize("curve", WAVES, ids=["12", "6", "3"])
def test_a_point_is_found_on_a_wave(curve: Curve) -> None:
    rng = np.random.default_rng(6)
    law = PointOnCurve(curve)
    for _ in range(30):
        t = rng.uniform(0, 2 * math.pi)
        assert apart(curve, law.recover(transform(law, [t, 0.3, 0.0]))[0], t) < 1e-12


def test_a_point_is_found_on_a_long_spiral() -> None:
    spiral = ExpressionCurve("spiral", "t*cos(t)", "t*sin(t)", 1.0, 95 * 2 * math.pi)
    law = PointOnCurve(spiral)
    for t in np.linspace(2.0, 590.0, 23):
        assert abs(law.recover(transform(law, [float(t), 0.0, 0.0]))[0] - t) < 1e-10


@pytest.mark.parametrize("t", [0.0, 1e-7, 1e-4, 0.5, 0.9999, 1 - 1e-7])
def test_the_parameter_of_a_closed_curve_stays_in_its_range(t: float) -> None:
    ring = SplineCurve("ring", tuple((math.cos(a), 0.7 * math.sin(a)) for a in np.arange(0, 2 * math.pi, 0.4)), True)
    for law in (PointOnCurve(ring), LineOnCurve(ring)):
        found = law.recover(transform(law, [t, 0.1, 0.0]))[0]
        assert 0.0 <= found <= 1.0
        assert apart(ring, found, t) < 1e-12


def test_a_jump_of_an_expression_is_an_error_and_a_corner_a_warning() -> None:
    m = lw.Mechanism()
    m.body("a")
    m.revolute("A", m.ground, "a", axis="z")
    m.curve("jump", expression=("where(t < 1, t, t + 5)", "t"))
    m.curve("corner", expression=("t", "abs(t - 2)"))
    m.curve("smooth", expression=("where(t < 1, t, t)", "sin(5*t)"))
    found = lw.check(m)
    assert [(p.where, p.what) for p in found.errors] == [("curves.jump", "it jumps by 5 m")]
    assert [(p.where, p.what) for p in found.warnings] == [("curves.corner", "it has a corner of 90 deg")]


def test_a_cusp_is_told_by_name() -> None:
    m = lw.Mechanism()
    m.body("a")
    m.body("b")
    m.curve("cusp", expression=("t**3", "t**2"), span=(-1, 1))
    m.revolute("A", m.ground, "a", axis="z")
    m.prismatic("B", m.ground, "b", axis="y")
    m.line_on_curve("L", "a", "b", curve="cusp", axis="z", value=(0.0, 0.0, 0.0))
    assert "joints.L" in [p.where for p in lw.check(m).errors]


def test_axes_and_value_of_a_universal_joint_contradict() -> None:
    m = lw.Mechanism()
    with pytest.raises(ModelError, match="layout posture"):
        m.universal("U", "ground", "a", axes=("z", "x"), value=(0.5, 0.2))


def test_a_matrix_with_few_digits_is_still_a_rotation() -> None:
    R = np.round(lw.geometry.rot_x(0.3), 7)
    X = lw.placement((0, 0, 0), matrix=R.tolist()).pose()
    assert np.abs(X[:3, :3].T @ X[:3, :3] - np.eye(3)).max() < 1e-15


def test_radii_must_agree_with_the_teeth() -> None:
    m = lw.Mechanism()
    with pytest.raises(ModelError, match="pitch radii are proportional to the teeth"):
        m.gear("G", "a", "b", at=(0, 0, 0), to=(0.1, 0, 0), radii=(0.03332, 0.06668), teeth=(20, 40))


def test_gears_refuse_an_orientation_about_their_axis() -> None:
    m = lw.Mechanism()
    at = lw.placement((0, 0, 0), axis="z", x="y")
    with pytest.raises(ModelError, match="gears take no orientation about their axis"):
        m.gear("G", "a", "b", at=at, to=(0.1, 0, 0), teeth=(20, 40))


def test_extras_of_the_wrong_curve_and_things_that_are_no_placement_are_refused() -> None:
    m = lw.Mechanism()
    with pytest.raises(ModelError, match="span, degree would not be used"):
        m.curve("c", fourier={"u_cos": [1.0]}, span=(0, 1), degree=3)
    with pytest.raises(ModelError, match="is not a placement"):
        m.body("a", frame="oops")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="is not a placement"):
        m.revolute("A", "ground", "a", frame=(0, 0, 0))  # type: ignore[typeddict-item]
    assert not m.curves and not m.joints


@pytest.mark.parametrize("expression", [("1/t", "t"), ("t", "1/(1 - cos(2*t))"), ("log(t - 1)", "t"), ("t", "sqrt(t)")])
@pytest.mark.parametrize("kind", ["point_on_curve", "line_on_curve"])
def test_a_curve_with_a_pole_is_told_by_name(kind: str, expression: tuple[str, str]) -> None:
    m = lw.Mechanism()
    m.body("a")
    m.body("b")
    m.curve("pole", expression=expression)
    m.revolute("A", m.ground, "a", axis="z")
    m.prismatic("B", m.ground, "b", axis="y")
    getattr(m, kind)("L", "a", "b", curve="pole", axis="z", to=lw.placement((1, 1, 0), x="x"))
    found = {p.where: p.what for p in lw.check(m).errors}
    if expression == ("t", "sqrt(t)"):  # finite, though its slope at the start is not: only the fit is wrong
        assert "curves.pole" not in found
    else:
        assert found["curves.pole"] == "it is not finite over its range"
        assert found["joints.L"] == "its curve 'pole' is not finite over its range"
