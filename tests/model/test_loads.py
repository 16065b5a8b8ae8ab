"""Loads and motors of a mechanism: what each call makes, what it refuses, what the whole model tells, and amounts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

import linkwork as lw
from linkwork.model.amount_values import evaluate, outside
from linkwork.model.amounts import Formula, Steady, Tabulated, amount
from linkwork.model.load_words import is_damper, kind_of, names_of, place_of
from linkwork.model.loads import Force, Friction, InSpace, JointLoad, Motor, OnBody, Spring, Torque, Toward


def machine() -> lw.Mechanism:
    m = lw.Mechanism("machine", gravity=(0, -9.81, 0))
    m.body("crank", mass=1.0, com=(0, 0, 0))
    m.body("sleeve", mass=1.0, com=(0, 0, 0))
    m.body("ball", mass=1.0, com=(0, 0, 0))
    m.revolute("A", "ground", "crank", axis="z")
    m.cylindric("C", "crank", "sleeve", at=(0.1, 0, 0), axis="x")
    m.spheric("S", "sleeve", "ball", at=(0.2, 0, 0))
    m.point("P", "crank", (0.1, 0, 0))
    m.point("Q", "sleeve", (0.3, 0, 0))
    m.point("R", "ground", (0.1, 0, 0))
    m.point("R2", "ground", (0.5, 0, 0))
    return m


# ---------------------------------------------------------------- what each call makes


def test_records() -> None:
    m = machine()
    made = [
        m.spring("coil", "P", "Q", stiffness=-3, free=0.1, damping=2, preload=-1, law="x**3", description="steel"),
        m.spring("hinge", joint="A", stiffness=2.0, free=-0.5),
        m.damper("dash", m.points["P"], m.points["Q"], damping=4),
        m.damper("brake", joint=m.joints["A"], law="v*abs(v)"),
        m.friction("bearing", "A", level=(1, 2), static=1.5, viscous=0.1, speed=0.01, form="exact"),
        m.friction("guide", "C.slide", coefficient=0.2, normal="10 + t"),
        m.force("gas", "P", along=(3, 0, 4), amount=300),
        m.force("jet", "P", along="-x", on="crank", amount=lw.tabulated([0, 1], [2, 3])),
        m.force("rope", "P", toward=("P", m.points["R2"]), amount="2*A"),
        m.torque("wind", m.bodies["crank"], about="z", amount=1.5),
        m.torque("gyro", "crank", about="z", on="sleeve", amount=1.5),
        m.load("cutting", "C.angle", amount="-rate(C.angle)"),
    ]
    assert made == [
        Spring("coil", None, "P", "Q", -3.0, 0.1, 2.0, -1.0, Formula("x**3", ("x",)), "steel"),
        Spring("hinge", "A.angle", stiffness=2.0, free=-0.5),
        Spring("dash", None, "P", "Q", damping=4.0),
        Spring("brake", "A.angle", law=Formula("v*abs(v)", ("v",))),
        Friction("bearing", "A.angle", 1.0, 2.0, 1.5, 0.1, 0.01, "exact"),
        Friction("guide", "C.slide", coefficient=0.2, normal=Formula("10 + t", ("t",))),
        Force("gas", "P", InSpace((0.6, 0.0, 0.8)), Steady(300.0)),
        Force("jet", "P", OnBody("crank", (-1.0, 0.0, 0.0)), Tabulated("t", (0.0, 1.0), (2.0, 3.0))),
        Force("rope", "P", Toward("P", "R2"), Formula("2*A", ("A",))),
        Torque("wind", "crank", InSpace((0.0, 0.0, 1.0)), Steady(1.5)),
        Torque("gyro", "crank", OnBody("sleeve", (0.0, 0.0, 1.0)), Steady(1.5)),
        JointLoad("cutting", "C.angle", Formula("-rate(C.angle)", ("rate(C.angle)",))),
    ]
    assert list(m.loads.values()) == made
    kinds = ["spring", "damper", "friction", "force", "torque", "load"]
    assert [kind_of(load) for load in made] == [
        k for k, n in zip(kinds, (2, 2, 2, 3, 2, 1), strict=True) for _ in range(n)
    ]
    assert [place_of(load) for load in made[:4]] == ["springs.coil", "springs.hinge", "dampers.dash", "dampers.brake"]
    assert names_of(made[-1]) == ("rate(C.angle)",)
    drive = m.motor("drive", "A", ratio=-60, rotor_inertia=2e-4, damping=1e-3, friction=0.1, efficiency=0.9)
    assert drive == Motor("drive", "A.angle", -60.0, 2e-4, 1e-3, 0.1, 0.1, 0.9)
    line = m.motor("line", "C.slide", friction=(0.1, 0.2), stall=4, no_load=300, peak=6)
    assert line == Motor("line", "C.slide", 1.0, 0.0, 0.0, 0.1, 0.2, 1.0, 4.0, 300.0, 6.0)
    assert m.motors == {"drive": drive, "line": line}
    assert lw.check(m).sound


def test_the_order_of_declaration_does_not_matter() -> None:
    first, last = machine(), lw.Mechanism("machine", gravity=(0, -9.81, 0))
    for m in (last, first):
        m.spring("hinge", joint="A", stiffness=1.0, law="A + rate(C.slide)")
        m.friction("rub", "A", level=1.0)
        m.motor("drive", "A")
        m.load("push", "C.slide", amount="A")
        m.spring("coil", "P", "Q", stiffness=1.0)
    for name in ("crank", "sleeve", "ball"):
        last.body(name, mass=1.0, com=(0, 0, 0))
    last.revolute("A", "ground", "crank", axis="z")
    last.cylindric("C", "crank", "sleeve", at=(0.1, 0, 0), axis="x")
    last.spheric("S", "sleeve", "ball", at=(0.2, 0, 0))
    for name, point in machine().points.items():
        last.point(name, point.body, point.at)
    assert last == first
    assert [load.variable for load in (last.loads["hinge"], last.motors["drive"])] == ["A.angle"] * 2  # type: ignore[union-attr]
    assert lw.check(last).sound


def test_equal_when_each_kind_is_in_the_same_order() -> None:
    one, two = machine(), machine()
    one.load("L", "A", amount=1)
    one.spring("S1", joint="A", stiffness=1)
    one.spring("S2", joint="A", stiffness=1)
    two.spring("S1", joint="A", stiffness=1)
    two.spring("S2", joint="A", stiffness=1)
    assert one != two
    two.load("L", "A", amount=1)
    assert one == two
    assert one.with_ground("crank").loads == one.loads


def test_a_damper_only_resists() -> None:
    assert is_damper(Spring("d", "A.angle", damping=1.0))
    assert not is_damper(Spring("s", "A.angle"))
    assert not is_damper(Spring("s", "A.angle", damping=1.0, stiffness=1.0))
    assert not is_damper(Spring("s", "A.angle", damping=1.0, law=Formula("x", ("x",))))


def test_gravity_over_time() -> None:
    table = lw.tabulated([0, 1], [0, 2])
    m = lw.Mechanism(gravity=("3*t", -9.81, table))
    assert m.gravity == (0.0, -9.81, 0.0)
    assert m.gravity_laws == {"x": Formula("3*t", ("t",)), "z": table}
    assert m.with_ground("ground").gravity_laws == m.gravity_laws
    assert m != lw.Mechanism(gravity=(0, -9.81, 0))
    for bad, text in ((("A", 0, 0), "gravity.x: gravity depends on A"), ((0, "t"), "three components are wanted")):
        with pytest.raises(lw.ModelError, match=text):
            lw.Mechanism(gravity=bad)


def test_where_a_table_is_held() -> None:
    table = lw.tabulated([-1, 0, 2], [5, 0, 7], over="A")
    x = np.array([[-1.5, -1.0, 0.3], [2.0, np.nextafter(2.0, 3.0), 9.0]])
    beyond = outside(table, {"A": x, "t": 0.0})
    assert beyond.tolist() == [[True, False, False], [False, True, True]]
    assert np.array_equal(evaluate(table, {"A": x})[beyond], [5.0, 7.0, 7.0])
    assert outside(table, {"A": 3.0}).shape == () and outside(table, {"A": 3.0}) and not outside(table, {"A": 2})
    for other in (Steady(2.0), Formula("A", ("A",))):
        assert outside(other, {"A": x, "t": 0.0}).tolist() == np.zeros_like(x, dtype=bool).tolist()
    assert outside(Steady(2.0), {}).tolist() is False


# ---------------------------------------------------------------- what each call refuses

Call = Callable[[lw.Mechanism], Any]

REFUSED: list[tuple[Call, list[str]]] = [
    (lambda m: m.spring("a b", "P", "P", stiffness="x", damping=-1), ["not a name", "both ends", "'x' is", "negative"]),
    (lambda m: m.spring("L", "P"), ["it is tied to nothing"]),
    (lambda m: m.spring("L"), ["it is tied to nothing"]),
    (lambda m: m.spring("L", "P", "Q", joint="A"), ["points and a joint are both given"]),
    (lambda m: m.spring("L", "P", joint="A"), ["points and a joint are both given"]),
    (lambda m: m.spring("L", "P", "Q", free=-1), ["the free length is negative: -1 m"]),
    (lambda m: m.spring("L", "P", "Q", stiffness=math.inf), ["inf is not finite"]),
    (lambda m: m.spring("L", "P", "Q", law="2*"), ["it breaks off"]),
    (lambda m: m.spring("L", "P", 3), ["3 is not a name"]),
    (lambda m: m.spring("L", joint="A.b.c"), ["'b.c' is not a name"]),
    (lambda m: m.spring("L", joint=3), ["3 is not a name"]),
    (lambda m: m.spring("A", "P", "Q"), ["the name 'A' is taken by a joint"]),
    (lambda m: m.damper("L", "P", "Q", damping=-1), ["the damping is negative"]),
    (lambda m: m.friction("L", "A", coefficient=0.1), ["friction without a normal force"]),
    (lambda m: m.friction("L", "A", normal=1), ["a normal without a coefficient"]),
    (lambda m: m.friction("L", "A", radius=1), ["a radius without a coefficient"]),
    (lambda m: m.friction("L", "A", level=1, coefficient=1, normal=1), ["a level besides a coefficient"]),
    (lambda m: m.friction("L", "A", level=(1, 2, 3)), ["3 levels are given"]),
    (
        lambda m: m.friction("L", "A", level=-1, viscous=-1, static=0.9, speed=0),
        ["level", "static", "viscous", "speed"],
    ),
    (lambda m: m.friction("L", "A", form="rough"), ["'rough' is not a form of friction"]),
    (lambda m: m.motor("L", "A", ratio=0), ["the ratio is zero"]),
    (lambda m: m.motor("L", "A", efficiency=0), ["the efficiency is 0"]),
    (lambda m: m.motor("L", "A", efficiency=1.01), ["the efficiency is 1.01"]),
    (lambda m: m.motor("L", "A", rotor_inertia=-1, damping=-1, friction=-1), ["rotor inertia", "damping", "friction"]),
    (lambda m: m.motor("L", "A", stall=3), ["`stall` alone makes no line"]),
    (lambda m: m.motor("L", "A", no_load=3), ["`no_load` alone makes no line"]),
    (lambda m: m.motor("L", "A", stall=0, no_load=-1, peak=0), ["stall", "no load", "peak"]),
    (lambda m: m.force("L", "P", amount=None, along="x"), ["nothing is given"]),
    (lambda m: m.force("L", "P", amount=1), ["no direction is given"]),
    (lambda m: m.force("L", "P", amount=1, along="x", toward=("P", "Q")), ["`along` and `toward` are both given"]),
    (lambda m: m.force("L", "P", amount=1, toward=("P", "P")), ["both points are 'P'"]),
    (lambda m: m.force("L", "P", amount=1, toward="PQ"), ["two points are wanted"]),
    (lambda m: m.force("L", "P", amount=1, toward=("P", "Q"), on="crank"), ["`on` besides `toward`"]),
    (lambda m: m.force("L", "P", amount=1, along=(0, 0, 0)), ["the axis has zero length"]),
    (lambda m: m.force("L", "P", amount=[1], along="w"), ["'w' is not an axis", "[1] is not a number"]),
    (lambda m: m.torque("L", "crank", amount=1), ["no direction is given"]),
    (lambda m: m.torque("L", 3, amount=1, about="z"), ["3 is not a name"]),
    (lambda m: m.load("L", "A", amount="sinn(t)"), ["did you mean 'sin'?"]),
    (lambda m: m.load("P", "A", amount=1), ["the name 'P' is taken by a point"]),
    (lambda m: (m.load("L", "A", amount=1), m.body("L")), ["the name 'L' is taken by a load"]),
    (lambda m: (m.spring("L", "P", "Q"), m.point("L", "crank", (0, 0, 0))), ["the name 'L' is taken by a spring"]),
    (lambda m: (m.motor("L", "A"), m.spring("L", "P", "Q")), ["the name 'L' is taken by a motor"]),
    (lambda m: (m.motor("L", "A"), m.motor("L", "A")), ["the name 'L' is taken by a motor"]),
    (lambda m: lw.tabulated([0, 0], [1, 2]), ["x does not increase: 0 is followed by 0"]),
    (lambda m: lw.tabulated([0], [1]), ["two points at least"]),
    (lambda m: lw.tabulated([0, 1], [1]), ["2 values of x, 1 of y"]),
    (lambda m: lw.tabulated([0, 1], [1, math.nan]), ["not finite"]),
    (lambda m: lw.tabulated([0, 1], [1, 2], over="2*t"), ["is nothing to tabulate over"]),
]


@pytest.mark.parametrize(("call", "texts"), REFUSED)
def test_refused(call: Call, texts: list[str]) -> None:
    with pytest.raises(lw.ModelError) as caught:
        call(machine())
    problems = [str(p) for p in caught.value.problems]
    assert len(problems) == len(texts), problems
    for problem, text in zip(problems, texts, strict=True):
        assert text in problem


def test_nothing_is_added_by_a_bad_call() -> None:
    m = machine()
    with pytest.raises(lw.ModelError):
        m.spring("L", "P", "P")
    assert m == machine()


# ---------------------------------------------------------------- what the whole model tells

WHOLE: list[tuple[Call, str, str]] = [
    (lambda m: m.spring("L", "P", "R", stiffness=1), "error", "springs.L: a spring of no length: P and R coincide"),
    (lambda m: m.damper("L", "P", "R", damping=1), "error", "dampers.L: a spring of no length"),
    (lambda m: m.spring("L", "P", "W", stiffness=1), "error", "there is no point 'W'; there is: P, Q, R, R2"),
    (lambda m: m.spring("L", "R", "R2", stiffness=1), "warning", "both its points belong to 'ground': no effect"),
    (lambda m: m.spring("L", "P", "Q"), "warning", "neither stiffness nor damping, preload or law: no effect"),
    (lambda m: m.spring("L", "P", "Q", law="1/x"), "warning", "springs.L.law: it is not finite in the layout posture"),
    (lambda m: m.spring("L", joint="S", stiffness=1), "error", "it turns freely in space; act between points"),
    (lambda m: m.spring("L", joint="S.qx", stiffness=1), "error", "'S.qx' is a part of a quaternion"),
    (lambda m: m.spring("L", joint="C", stiffness=1), "error", "has several variables; say which: C.angle, C.slide"),
    (lambda m: m.spring("L", joint="C.slid", stiffness=1), "error", "did you mean 'C.slide'?"),
    (lambda m: m.spring("L", joint="B", stiffness=1), "error", "there is no joint 'B'; there is: A, C, S"),
    (lambda m: m.spring("L", joint="B.angle", stiffness=1), "error", "there is no joint 'B'; did you mean"),
    (lambda m: m.friction("L", "A"), "warning", "its levels are zero: no effect"),
    (lambda m: m.friction("L", "A", level=1, static=2), "warning", "`static` is not used by smooth friction"),
    (lambda m: m.friction("L", "A", coefficient=1, normal=1), "warning", "the lever of the friction is 1 m"),
    (lambda m: m.friction("L", "C.slide", coefficient=1, radius=2, normal=1), "error", "a slide has no radius"),
    (lambda m: m.friction("L", "A", coefficient=1, radius=0.1, normal="x"), "error", "nothing called 'x'"),
    (lambda m: m.motor("L", "C"), "error", "motors.L: the cylindric joint 'C' has several variables"),
    (lambda m: (m.motor("L", "A"), m.motor("M", "A.angle")), "error", "motors.M: 'L' and 'M' both drive A.angle"),
    (lambda m: m.force("L", "R", along="x", amount=1), "warning", "it acts on ground only: no effect"),
    (lambda m: m.force("L", "W", along="x", amount=1), "error", "forces.L: there is no point 'W'"),
    (lambda m: m.force("L", "P", along="x", on="cranck", amount=1), "error", "did you mean 'crank'?"),
    (lambda m: m.force("L", "P", toward=("P", "R"), amount=1), "error", "forces.L.along: it points nowhere"),
    (lambda m: m.force("L", "P", along="x", amount="tt"), "error", "forces.L.amount: there is nothing called 'tt'"),
    (lambda m: m.force("L", "P", along="x", amount="rate(t)"), "error", "nothing called 't'"),
    (lambda m: m.torque("L", "ground", about="z", amount=1), "warning", "it acts on ground only: no effect"),
    (lambda m: m.torque("L", "crnk", about="z", amount=1), "error", "torques.L: there is no body 'crnk'"),
    (lambda m: m.load("L", "A", amount="C.angel"), "error", "loads.L.amount: the cylindric joint 'C' has no variable"),
    (lambda m: m.load("L", "A", amount="C"), "error", "has several variables; say which: C.angle, C.slide"),
    (lambda m: m.load("L", "A", amount="S.qw"), "error", "is a part of a quaternion"),
    (lambda m: m.load("L", "A", amount=lw.tabulated([0, 1], [0, 1], over="v")), "error", "nothing called 'v'"),
]


@pytest.mark.parametrize(("call", "severity", "text"), WHOLE)
def test_the_whole_tells(call: Call, severity: str, text: str) -> None:
    m = machine()
    call(m)
    found = [p for p in lw.check(m).problems if p.severity != "note"]
    assert len(found) == 1, found
    assert found[0].severity == severity
    assert text in str(found[0])


def test_all_problems_at_once() -> None:
    m = machine()
    m.spring("L0", "P", "R", law="y + z")
    m.motor("L1", "B")
    m.force("L2", "W", toward=("W", "P"), amount="q")
    with pytest.raises(lw.ModelError) as caught:
        m.assemble()
    assert len(caught.value.problems) == 7


# ---------------------------------------------------------------- values of amounts


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    st.lists(st.floats(0.05, 3.0), min_size=2, max_size=8),
    st.lists(st.floats(-5.0, 5.0), min_size=8, max_size=8),
    st.booleans(),
)
def test_tables(steps: list[float], heights: list[float], smooth: bool) -> None:
    xs = np.cumsum(steps) - 2.0
    ys = np.array(heights[: len(xs)])
    table = lw.tabulated(xs, ys, over="A", smooth=smooth)
    # Between the points, at the points, and beyond both ends.
    at = np.concatenate([np.linspace(xs[0] - 1, xs[-1] + 1, 57), xs])
    spline = CubicSpline(xs, ys, bc_type="natural")
    inside = np.clip(at, xs[0], xs[-1])
    exact = spline(inside) if smooth else np.interp(inside, xs, ys)
    values = evaluate(table, {"A": at, "t": 0.0})
    assert np.allclose(values, exact, rtol=0, atol=1e-12)
    assert np.allclose([evaluate(table, {"A": x}) for x in at], exact, rtol=0, atol=1e-12)
    x = ca.SX.sym("x")
    traced = evaluate(table, {"A": x})
    value, slope = (np.array(v).ravel() for v in ca.Function("f", [x], [traced, ca.jacobian(traced, x)])(at[None, :]))
    assert np.allclose(value, exact, rtol=0, atol=1e-11)
    h = 1e-6
    clear = np.min(np.abs(at[:, None] - xs), axis=1) > 2 * h  # away from the breaks, where slopes jump
    by_differences = (evaluate(table, {"A": at + h}) - evaluate(table, {"A": at - h})) / (2 * h)
    assert np.allclose(slope[clear], by_differences[clear], rtol=1e-4, atol=1e-4)
    complex_step = evaluate(table, {"A": at + 1e-30j}).imag / 1e-30
    assert np.allclose(slope[clear], complex_step[clear], rtol=1e-9, atol=1e-9)


def test_a_smooth_table_has_a_smooth_slope() -> None:
    table = lw.tabulated([0, 1, 3, 4], [0, 2, -1, 0], smooth=True)
    x = ca.SX.sym("x")
    law = evaluate(table, {"t": x})
    second = ca.Function("f", [x], [ca.hessian(law, x)[0]])
    for edge in (1.0, 3.0):
        assert float(second(edge - 1e-9)) == pytest.approx(float(second(edge + 1e-9)), abs=1e-6)
    assert float(second(1e-9)) == pytest.approx(0.0, abs=1e-6)
    assert float(second(4 - 1e-9)) == pytest.approx(0.0, abs=1e-6)


def test_formulas() -> None:
    law = amount("2*A + 'my-joint.slide'*rate(C.slide) - t**2", "here")
    assert law == Formula("2*A + 'my-joint.slide'*rate(C.slide) - t**2", ("A", "my-joint.slide", "rate(C.slide)", "t"))
    values = {"A": 1.0, "my-joint.slide": 2.0, "rate(C.slide)": 3.0, "t": 4.0, "unused": 5.0}
    assert evaluate(law, values) == -8.0
    assert isinstance(evaluate(law, values), float)
    assert evaluate(Formula("t", ("t",), 1000.0), {"t": 2.0}) == 2000.0
    assert evaluate(Formula("2*pi", ()), {}) == 2 * math.pi
    assert evaluate(Steady(3.0), {}) == 3.0
    assert np.array_equal(evaluate(law, {**values, "t": np.array([0.0, 4.0])}), [8.0, -8.0])
    t = ca.SX.sym("t")
    slope = ca.Function("f", [t], [ca.jacobian(evaluate(law, {**values, "t": t}), t)])
    assert float(slope(4.0)) == -8.0
