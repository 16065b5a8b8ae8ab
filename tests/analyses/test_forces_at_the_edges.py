"""Forces where it is easy to go wrong: other numbers, singular samples, loads without a value, bodies far away."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import ModelError


def four_bar(lengths: tuple[float, ...] = (0.3, 0.9, 0.7, 0.8), at: float = 0.9, **more: Any) -> lw.Mechanism:
    """Crank, rod and rocker between A, B, C and D, uniform rods of 2 kg a metre."""
    a, b, c, d = lengths
    away = np.array(more.get("away", (0.0, 0.0, 0.0)))
    B = a * np.array([math.cos(at), math.sin(at), 0.0])
    D = np.array([d, 0.0, 0.0])
    s = float(np.linalg.norm(D - B))
    turn = math.atan2(-B[1], d - B[0]) + math.acos((b * b + s * s - c * c) / (2 * b * s))
    C = B + b * np.array([math.cos(turn), math.sin(turn), 0.0])
    m = lw.Mechanism("bar", gravity=(0, -9.81, 0))
    for name, p, q in (("crank", 0 * B, B), ("rod", B, C), ("rocker", D, C)):
        size = float(np.linalg.norm(q - p))
        mass = 2.0 * size
        m.body(name, mass=mass, com=(p + q) / 2 + away, inertia=np.full(3, mass * size**2 / 12))
    pins = {"A": ("ground", "crank", 0 * B), "B": ("crank", "rod", B), "C": ("rod", "rocker", C)}
    for name, (tail, head, p) in {**pins, "D": ("ground", "rocker", D)}.items():
        m.revolute(name, tail, head, at=p + away, axis="z")
    m.point("P", "rod", at=B + away)
    return m


def refused(call: Any) -> str:
    with pytest.raises(ModelError) as error:
        call()
    return str(error.value)


def test_loads_without_a_value_are_named() -> None:
    m = four_bar()
    m.force("gap", "P", along=(1, 0, 0), amount="log(A - 50)")
    s = m.assemble()
    still = np.zeros(4)
    for call in (
        s.statics,
        s.accelerations,
        lambda: s.forward_dynamics(s.home.y, still, still),
        lambda: s.drive_efforts(s.home.y, still, still),
    ):
        assert "gap: the load is not a finite number" in refused(call)
    run = s.forces(s.motion(A=(0.0, 0.2), samples=5))
    assert any("not finite" in w for w in run.warnings)
    assert "not a time" in refused(lambda: s.statics(t=math.nan))


def test_loads_without_a_value_are_named_in_trees_too() -> None:
    """In a batch the bad sample spoils no answer silently; what was given as no number comes back as none."""
    m = lw.Mechanism("arm", gravity=(0, -9.81, 0))
    m.body("arm", mass=2.0, com=(0.3, 0, 0), inertia=(0, 0.1, 0.1))
    m.revolute("A", "ground", "arm", axis="z")
    m.load("steady", "A", amount=0.3)
    m.load("root", "A", amount="sqrt(0.5 - A)*t")
    for s in (m.assemble(), lw.System(m)):
        fine, bad, still = np.array([[0.1], [0.4]]), np.array([[0.1], [0.7]]), np.zeros((2, 1))
        for method in ("auto", "composite", "articulated"):
            found = s.forward_dynamics(fine, still, still, method=method, t=2.0)
            expected = (0.3 + 2.0 * np.sqrt(0.5 - fine) - 2.0 * 9.81 * 0.3 * np.cos(fine)) / (0.1 + 2.0 * 0.3**2)
            np.testing.assert_allclose(found, expected, rtol=1e-13)
        for call in (
            lambda s=s, q=bad, v=still: s.forward_dynamics(q, v, v, t=2.0),
            lambda s=s, q=bad, v=still: s.inverse_dynamics(q, v, v, t=2.0),
            lambda s=s, q=bad, v=still: s.joint_wrenches(q, v, v, t=2.0),
            lambda s=s, q=bad, v=still: s.bias(q, v, t=2.0),
            lambda s=s: s.inverse_dynamics([0.7], [0.0], [0.0], parameters={"steady.amount": 0.4}),
            lambda s=s: s.inverse_dynamics([0.7], [0.0], [0.0], parameters={"steady.amount": [0.4, 0.5]}),
        ):
            said = refused(call)
            assert "root: the load is not a finite number" in said and "steady" not in said
        assert np.isnan(s.inverse_dynamics([math.nan], [0.0], [0.0])).all()


def test_bias_of_loops_names_loads_without_a_value() -> None:
    """Loads of the tree alone need its coordinates, others those of all joints."""
    for joint, whole in (("A", False), ("C", True)):
        m = four_bar()
        m.force("gap", "P", along="x", amount=f"log({joint} - 50)")
        m.load("fine", "A", amount="cos(A)")
        s = m.assemble(cut=["C"])
        y, w = (s.home.y, np.zeros(4)) if whole else (s.home.y[:3], np.zeros(3))
        said = refused(lambda s=s, y=y, w=w: s.bias(y, w))
        assert "gap: the load is not a finite number" in said and "fine" not in said


def test_samples_without_a_value_leave_the_peak_of_the_others() -> None:
    m = lw.Mechanism("arm", gravity=(0, -9.81, 0))
    m.body("arm", mass=2.0, com=(0.3, 0, 0), inertia=(0, 0.1, 0.1))
    m.revolute("A", "ground", "arm", axis="z")
    m.load("root", "A", amount="sqrt(0.5 - A)")
    s = m.assemble()
    run = s.forces(s.motion(A=(0.0, 1.0), samples=5))
    (effort,) = run.evidence.forces.efforts
    assert effort.missing == 2 and math.isnan(effort.rms)
    assert effort.value == pytest.approx(2.0 * 9.81 * 0.3 * math.cos(0.25) - 0.5, rel=1e-14)
    assert run.evidence.forces.power_error < 1e-14 * run.evidence.forces.largest_power
    assert "effort: A.angle, peak 5.20302 N m at 0.25 s, not known at 2 samples\n" in str(run)
    assert any("root.effort" in w and "not finite at 2 of 5 samples" in w for w in run.warnings)
    beyond = s.forces(s.motion(A=(0.6, 1.0), samples=5))
    assert "effort: A.angle, not known\n" in str(beyond) and "nan" not in str(beyond)


def test_postures_of_other_numbers_are_closed_anew() -> None:
    s = four_bar().assemble()
    heavy = s.with_parameters({"rod.mass": 50.0})
    at_home, given = heavy.accelerations(), heavy.accelerations(s.home)
    np.testing.assert_allclose(given.values, at_home.values, rtol=1e-12)
    np.testing.assert_allclose(given.reactions["A"].force, at_home.reactions["A"].force, rtol=1e-11, atol=1e-12)
    longer = s.with_parameters({"C.tail.at.x": s.parameters["C.tail.at.x"] + 0.05})
    found = longer.statics(s.home)
    assert found.posture.residual < 1e-12
    assert found.efforts["A.angle"] == pytest.approx(
        longer.statics({"A": found.posture["A"]}).efforts["A.angle"], rel=1e-9
    )


def test_runs_of_other_machines_are_refused() -> None:
    run = four_bar().assemble().motion(A=(0.0, 0.5), samples=5)
    other = four_bar((0.4, 0.9, 0.8, 1.1)).assemble()
    assert "does not close the loops" in refused(lambda: other.forces(run))


def test_one_singular_sample_hides_nothing() -> None:
    """A kite folds flat on the way: there alone more is open, and there alone nothing is told."""
    s = four_bar((0.3, 1.0, 0.3, 1.0), at=0.5).assemble()
    run = s.forces(s.motion(A=(0.0, 2 * (math.pi - 0.5)), samples=9))
    assert run.indeterminate == dict.fromkeys("ABCD", ("fz", "mx", "my"))
    told = np.isfinite(run.data["A.angle.effort"].values)
    assert told.sum() >= 8


@pytest.mark.parametrize("ties", [2, 3])
def test_rigid_joints_beside_each_other(ties: int) -> None:
    """A plate screwed to the rocker: no rate moves the loops of the second screw and the third."""

    def screwed(count: int) -> Any:
        m = four_bar()
        m.body("plate", mass=0.4, com=(0.9, 0.3, 0.2), inertia=(2e-3, 3e-3, 4e-3))
        for k in range(count):
            m.rigid(f"S{k}", "rocker", "plate", at=(0.8 + 0.1 * k, 0.2, 0.1))
        return m.assemble()

    one, more = screwed(1), screwed(ties)
    laws = {"A": lw.expression("0.9 + 0.5*sin(3*t)")}
    f, g = (s.forces(s.motion(laws, samples=21, duration=1.0)) for s in (one, more))
    np.testing.assert_allclose(g["A.effort"].values, f["A.effort"].values, rtol=0, atol=1e-13)
    np.testing.assert_allclose(g["C.force"].values[:, :2], f["C.force"].values[:, :2], rtol=0, atol=1e-13)
    assert np.isnan(g["S0.force"].values).all() and np.isfinite(f["S0.force"].values[:, :2]).all()
    for method in ("explicit", "radau", "ida"):
        ends = [s.simulate(0.4, samples=3, rtol=1e-10, atol=1e-12, method=method).y[-1, 0] for s in (one, more)]
        assert abs(ends[1] - ends[0]) < 1e-8
    assert more.home.mobility == 1 and len(more.closures(A=0.2)) == len(one.closures(A=0.2)) == 2


def test_weak_drives_near_a_dead_centre() -> None:
    """The slide of a crank near its dead centre moves it weakly, but it does: power in is power out."""
    s = lw.example("slider-crank").assemble()
    for angle in (2.0, 0.5, 0.1):
        posture = s.at({"A": math.radians(angle)})
        by_slide = s.statics(posture, drives="D").efforts["D.slide"]
        by_crank = s.statics(posture, drives=["A"]).efforts["A.angle"]
        rate = s.mechanical_advantage("A", "D", posture)
        assert by_slide == pytest.approx(by_crank * rate, rel=1e-9)
    still = np.zeros(4)
    with pytest.raises(lw.DeadCentre):
        s.drive_efforts(s.at({"A": 0.0}).y, still, still, drives=["D.slide"])


def test_named_drives_are_all_there_are() -> None:
    """What the motion held is not held when other drives are named."""
    s = lw.example("double-pendulum").assemble()
    run = s.motion(A=(0.0, 0.3), samples=3)
    found = s.forces(run)
    assert {*found.driven, *found.held} >= {"A.angle", "B.angle"} and "B.angle.effort" in found.signals
    with pytest.raises(lw.TooFewDrives):
        s.forces(run, drives=["A"])


def test_a_spring_of_rounding_length_pulls_nowhere() -> None:
    m = lw.Mechanism("tip")
    m.body("arm", mass=1.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("A", "ground", "arm", at=(0, 0, 0), axis="z")
    m.point("end", "arm", at=(1, 0, 0))
    m.point("anchor", "ground", at=(0, 1, 0))
    m.spring("coil", "anchor", "end", stiffness=10.0, free=0.3)
    assert abs(m.assemble().statics(A=math.pi / 2).efforts["A.angle"]) < 0.02


def test_a_small_machine_far_from_the_origin() -> None:
    """Inertia keeps its digits: only those of places are lost with the distance."""
    small = tuple(1e-4 * x for x in (0.3, 0.9, 0.7, 0.8))
    here = four_bar(small).assemble().accelerations()["A"]
    there = four_bar(small, away=(5.0, 0.0, 0.0)).assemble().accelerations()["A"]
    assert there == pytest.approx(here, rel=1e-9)


def test_gravity_over_time_is_weight() -> None:
    m = lw.Mechanism("shaken", gravity=("2*t", "-9.81", 0))
    m.body("b", mass=1.5, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("A", "ground", "b", at=(0, 0, 0), axis="z")
    s = m.assemble()
    assert m.gravity == (0.0, -9.81, 0.0) and set(m.gravity_laws) == {"x"}
    q, still = np.array([0.3]), np.zeros(1)
    expected = 1.5 * (9.81 * math.cos(0.3) + 2.0 * math.sin(0.3))
    np.testing.assert_allclose(s.gravity_forces(q, t=1.0), expected, rtol=1e-14)
    np.testing.assert_allclose(s.inverse_dynamics(q, still, still, t=1.0), expected, rtol=1e-14)


def test_only_numbers_that_act_are_parameters() -> None:
    m = four_bar()
    m.load("steady", "A", amount="2*3")
    m.load("varying", "A", amount="2*t")
    m.friction("rub", "A", coefficient=0.1, normal=20.0, radius=0.01)
    s = m.assemble()
    assert s.parameters["steady.amount"] == 6.0
    assert "varying.amount" not in s.parameters and "rub.forward" not in s.parameters
    bad = {"rub.speed": 0.0, "rub.viscous": -1.0, "steady.amount": math.nan}
    told = refused(lambda: s.with_parameters(bad))
    assert all(name in told for name in bad)


def test_eliminations_are_handed_on() -> None:
    """Other numbers and other homes start from the order that was found; answers are those of a fresh machine."""
    s = lw.example("planar-3rpr").assemble()
    s.accelerations()
    body = next(b for b in s.bodies if s.parameters[f"{b}.mass"] > 0.0)
    other = s.with_parameters({f"{body}.mass": 1.2 * s.parameters[f"{body}.mass"]})
    assert other._forward_dynamics.elimination is s._forward_dynamics.elimination
    fresh = lw.example("planar-3rpr").assemble().with_parameters({f"{body}.mass": other.parameters[f"{body}.mass"]})
    np.testing.assert_allclose(other.accelerations().values, fresh.accelerations().values, rtol=1e-10, atol=1e-10)


def test_a_motion_that_leaves_a_table_is_told() -> None:
    m = lw.Mechanism("lid", gravity=(0, -9.81, 0))
    m.body("lid", mass=4.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("A", "ground", "lid", at=(0, 0, 0), axis="z")
    m.point("end", "lid", at=(0.3, 0, 0))
    m.point("foot", "ground", at=(0, -0.4, 0))
    m.spring("gas", "foot", "end", free=0.0, law=lw.tabulated([0.5, 0.6], [-300.0, -250.0], over="x"))
    m.load("hand", "A", amount=lw.tabulated([0.0, 2.0], [0.0, 5.0]))
    s = m.assemble()
    inside = s.forces(s.motion(A=(0.0, 0.3), samples=7))
    assert not any("table" in w for w in inside.warnings)
    beyond = s.forces(s.motion(A=lw.ramp(0.0, 1.5, duration=4.0), samples=9))
    told = [w for w in beyond.warnings if "table" in w]
    assert len(told) == 2 and told[0].startswith("gas: x leaves its table (0.5 to 0.6)")
    assert "hand: t leaves its table (0 to 2) at 4 of 9 samples" in told[1]
