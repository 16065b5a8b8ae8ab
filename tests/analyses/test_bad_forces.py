"""Forces that cannot be asked for, and models that have none: clear words with names, and never a silent NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import dynamics_fixtures as known
import numpy as np
import pytest
from kinematic_machines import four_bar, slider_crank

import linkwork as lw
from linkwork.analyses.forces.drives import TooFewDrives
from linkwork.analyses.kinematics.failures import DeadCentre
from linkwork.errors import LinkworkError, ModelError

NAN = math.nan


@pytest.fixture(scope="module")
def engine() -> lw.Machine:
    return known.slider_crank_dyn().assemble()


@pytest.fixture(scope="module")
def run(engine: lw.Machine) -> lw.Run:
    start = engine.home["A"]
    return engine.motion({"A": (start, start + 1.0)}, samples=5)


def refused(ask: Callable[[], object]) -> str:
    """What is said when a question has no answer."""
    with pytest.raises(LinkworkError) as caught:
        ask()
    return str(caught.value)


def problems(ask: Callable[[], object]) -> list[str]:
    """All problems that are told at once."""
    with pytest.raises(ModelError) as caught:
        ask()
    return [f"{p.where}: {p.what}" for p in caught.value.problems]


# ---------------------------------------------------------------- bodies without mass


def test_a_body_without_mass_that_must_accelerate_is_named() -> None:
    m = four_bar(0.1, 0.3, 0.25, 0.35, 1.0)
    for name in ("crank", "coupler", "rocker"):
        m.bodies.pop(name), m.body(name, mass=1.0, com=(0.1, 0.1, 0), inertia=(0.1, 0.1, 0.1))
    m.body("flag")
    m.revolute("F", "coupler", "flag", at=(0.2, 0.2, 0), axis="z")
    machine = m.assemble()
    said = refused(machine.accelerations)
    assert "no mass resists F.angle" in said and "(flag)" in said
    assert machine.statics(drives=["O2", "F"])["F.angle"] == 0.0  # at rest nothing needs mass
    tip = lw.Mechanism("open")
    tip.body("arm", mass=1.0, com=(0.5, 0, 0))
    tip.body("tip")
    tip.revolute("A", "ground", "arm", at=(0, 0, 0), axis="z")
    tip.revolute("B", "arm", "tip", at=(1, 0, 0), axis="z")
    said = refused(tip.assemble().accelerations)
    assert "B.angle" in said and "(tip)" in said


def test_a_loop_without_any_mass_is_refused() -> None:
    machine = slider_crank(0.1, 0.35, 1.0).assemble()
    assert "no mass resists" in refused(machine.accelerations)
    assert machine.statics()["A.angle"] == 0.0


# ---------------------------------------------------------------- loads


def test_loads_on_what_is_not_there() -> None:
    m = known.slider_crank_dyn()
    m.force("f", "nowhere", along=(1, 0, 0), amount=1.0)
    m.torque("T", "nobody", about="z", amount=1.0)
    m.spring("s", "P", "Q", stiffness=1.0)
    m.load("L", "Z", amount=1.0)
    m.friction("b", "Y", level=1.0)
    m.motor("d", "X")
    m.force("g", "P", toward=("P", "R"), amount=1.0)
    m.torque("U", "rod", about=(0, 0, 1), on="no_one", amount=1.0)
    told = "\n".join(problems(m.assemble))
    for name in ("'nowhere'", "'nobody'", "'Q'", "'Z'", "'Y'", "'X'", "'R'", "'no_one'"):
        assert name in told


def test_formulas_of_unknown_names() -> None:
    m = known.slider_crank_dyn()
    m.load("L", "A", amount="3*zeta")
    m.spring("s", joint="D", law="2*rate(E)")
    m.force("f", "P", along=(1, 0, 0), amount=lw.tabulated([0, 1], [0, 1], over="omega"))
    told = "\n".join(problems(m.assemble))
    assert "'zeta'" in told and "E" in told and "'omega'" in told


def test_friction_without_a_normal_force() -> None:
    m = known.slider_crank_dyn()
    said = refused(lambda: m.friction("b", "A", coefficient=0.1, radius=0.02))
    assert "friction without a normal force" in said and "friction.b" in said


def test_a_spring_of_no_length_is_refused_in_the_layout(engine: lw.Machine) -> None:
    m = known.slider_crank_dyn()
    m.point("Q", "rod", engine.layout.points["P"])
    m.spring("coil", "P", "Q", stiffness=1.0)
    m.force("rope", "P", toward=("P", "Q"), amount=1.0)
    told = problems(m.assemble)
    assert len(told) == 2
    assert any("springs.coil" in t and "a spring of no length" in t for t in told)
    assert any("forces.rope" in t and "P" in t and "Q" in t for t in told)


def test_points_that_meet_on_the_way_give_finite_numbers() -> None:
    """A block slides through the point to which a spring, a damper and a rope pull it."""
    m = lw.Mechanism("through")
    m.body("block", mass=2.0, com=(0, 0, 0))
    m.prismatic("S", "ground", "block", at=(0, 0, 0), axis="x")
    m.point("P", "block", (0.5, 0, 0))
    m.point("Q", "ground", (0, 0, 0))
    m.spring("coil", "P", "Q", stiffness=10.0, free=0.2, damping=3.0)
    m.force("rope", "P", toward=("P", "Q"), amount=4.0)
    machine = m.assemble()
    motion = machine.motion({"S": lw.expression("-t")}, times=[0.0, 0.25, 0.5, 0.5 + 1e-12, 0.75])
    forces = machine.forces(motion)
    assert np.isfinite(forces["S"].effort.values).all()
    assert np.isfinite(forces["coil"].tension.values).all()
    assert forces["S"].effort.values[0] == pytest.approx(10.0 * 0.3 - 3.0 + 4.0, abs=1e-12)
    assert forces["S"].effort.values[2] == 0.0  # no length, no direction
    assert forces["S"].effort.values[4] == pytest.approx(-10.0 * 0.05 - 3.0 - 4.0, abs=1e-12)
    met = machine.at(S=-0.5)
    assert machine.accelerations(met)["S"] == 0.0
    assert machine.statics(met)["S.slide"] == 0.0


# ---------------------------------------------------------------- drives


def test_too_few_drives_are_refused_by_name() -> None:
    """With what they leave free."""
    machine = known.stewart_dyn(heavy=False).assemble()
    with pytest.raises(TooFewDrives, match="driver count too small") as caught:
        machine.statics(drives=["P1", "P2"])
    assert "6 freedoms" in str(caught.value) and "P1.slide" in str(caught.value)
    row = lw.Mechanism("two")
    for name, before in (("a", "ground"), ("b", "a")):
        row.body(name, mass=1.0, com=(0, 0, 0))
        row.prismatic(name.upper(), before, name, at=(0, 0, 0), axis="x")
    said = refused(lambda: row.assemble().statics(drives=["A"]))
    assert "driver count too small" in said and "B.slide" in said


def test_drives_that_do_not_fit(engine: lw.Machine, run: lw.Run) -> None:
    assert "named twice" in refused(lambda: engine.forces(run, drives=["A", "A.angle"]))
    assert "no joint 'Q'" in refused(lambda: engine.forces(run, drives=["A", "Q"]))
    assert "'A' drives" in refused(lambda: engine.forces(run, efforts={"A": 3.0}))
    assert "driver count too small" in refused(lambda: engine.forces(run, drives=[]))


def test_efforts_that_are_no_numbers(engine: lw.Machine, run: lw.Run) -> None:
    told = problems(lambda: engine.forces(run, efforts={"D": NAN, "B": [1.0, 2.0], "C": "much", "Q": 1.0}))
    assert [t.split(":")[0] for t in told] == ["efforts.D", "efforts.B", "efforts.C", "efforts.Q"]
    assert all("5 finite numbers" in t for t in told[:3])


def test_sharing_needs_more_drives_than_freedoms(engine: lw.Machine, run: lw.Run) -> None:
    for options in ({"preload": {"A": 1.0}}, {"weights": {"A": 2.0}}):
        assert "more drives than freedoms" in refused(lambda o=options: engine.forces(run, **o))
        assert "more drives than freedoms" in refused(lambda o=options: engine.statics(**o))
    both = {"drives": ["A", "D"]}
    told = problems(lambda: engine.forces(run, **both, weights={"A": -1.0, "D": NAN, "C": 2.0, "Q": 1.0}))
    assert len(told) == 4
    assert "a weight is one positive number" in told[0] and "'C' does not drive" in told[2]
    assert "2 numbers are given, one or 5" in refused(lambda: engine.forces(run, **both, preload={"A": [1.0, 2.0]}))


def test_plain_efforts_do_not_share(engine: lw.Machine) -> None:
    said = refused(lambda: engine.drive_efforts(engine.home.y, np.zeros(4), np.zeros(4), ["A", "D"]))
    assert "2 drives for 1 freedom;" in said


# ---------------------------------------------------------------- forces from outside


def test_forces_from_outside_that_do_not_fit(engine: lw.Machine, run: lw.Run) -> None:
    given = {
        "ground": (1, 0, 0), "nothing": (1, 0, 0), "P": (1, 0, 0, 0, 0, 0), "rod": (1, 2), "crank": (NAN, 0, 0),
        "piston": np.zeros((4, 3)),
    }  # fmt: skip
    told = problems(lambda: engine.forces(run, external=given))
    assert len(told) == 6
    assert "'ground' stands still" in told[0] and "'nothing'" in told[1]
    assert [t.split(":")[0] for t in told[2:]] == ["external.P", "external.rod", "external.crank", "external.piston"]
    assert "not finite numbers" in told[4]


# ---------------------------------------------------------------- runs


def test_runs_that_do_not_fit(engine: lw.Machine, run: lw.Run) -> None:
    other = four_bar(0.1, 0.3, 0.25, 0.35, 1.0).assemble()
    said = refused(lambda: other.forces(run))
    assert "the run has no O2.angle" in said and "of this machine" in said
    assert "has forces already" in refused(lambda: engine.forces(engine.forces(run)))
    for wrong in (3, engine.home, engine.statics()):
        said = f"run: a {type(wrong).__name__} is not a run; give what `motion`"
        assert said in refused(lambda wrong=wrong: engine.forces(wrong))
        assert said in refused(lambda wrong=wrong: engine.reaction(wrong, "A"))


def test_inverse_dynamics_of_loops_points_to_drive_efforts(engine: lw.Machine) -> None:
    y = engine.home.y
    said = refused(lambda: engine.inverse_dynamics(y, np.zeros(4), np.zeros(4)))
    assert "its cut joints (C) carry forces too; `drive_efforts` and `forces`" in said
    assert "did you mean 'drive_efforts'" in refused(lambda: engine.kernel("drive_effort"))


# ---------------------------------------------------------------- singular postures


def test_a_singular_sample_is_told() -> None:
    """The piston drives an engine through its dead centre: there it cannot."""
    machine = known.slider_crank_dyn(0.3).assemble()
    motion = machine.motion({"A": (0.3, -0.3)}, samples=5)
    found = machine.forces(motion, drives=["D"])
    assert any("singular posture at 1 of 5 samples" in w for w in found.warnings)
    np.testing.assert_array_equal(np.isnan(found["D"].effort.values), [False, False, True, False, False])
    fine = machine.forces(motion)
    assert np.isfinite(fine["A"].effort.values).all() and not fine.warnings
    rest = [0, 1, 3, 4]  # beside it both give the same power
    np.testing.assert_allclose(found["D"].power.values[rest], fine["A"].power.values[rest], rtol=1e-9)


def test_a_dead_centre_at_rest_is_refused() -> None:
    machine = known.slider_crank_dyn(0.0).assemble()
    said = refused(lambda: machine.statics(drives=["D"]))
    assert "singular" in said and "D.slide" in said
    assert np.isfinite(machine.statics(drives=["A"])["A.angle"])
    assert machine.mechanical_advantage("A", "D") == math.inf
    assert "'D' cannot move the machine" in refused(lambda: machine.mechanical_advantage("D", "A"))


def test_accelerations_at_a_singular_posture_are_refused() -> None:
    """A parallelogram in line."""
    m = four_bar(0.2, 0.3, 0.2, 0.3, 0.7)
    for name in ("crank", "coupler", "rocker"):
        m.bodies.pop(name), m.body(name, mass=1.0, com=(0.1, 0.1, 0), inertia=(0.1, 0.1, 0.1))
    machine = m.assemble()
    signs = np.array([{"O2": 1.0, "A": -1.0, "B": 1.0, "O4": 1.0}[n.split(".")[0]] for n in machine.variables])
    with pytest.raises(DeadCentre, match=r"singular.*freedoms instead of 1"):
        machine.forward_dynamics(machine.home.y - 0.7 * signs, 0.0 * signs, 0.0 * signs)


# ---------------------------------------------------------------- accelerations


def test_accelerations_of_bad_numbers(engine: lw.Machine) -> None:
    assert "no joint 'Q'" in refused(lambda: engine.accelerations(rates={"Q": 1.0}))
    assert "rates.A: one finite number" in refused(lambda: engine.accelerations(rates={"A": NAN}))
    assert "contradict the loops" in refused(lambda: engine.accelerations(rates={"A": 1.0, "D": 1.0}))
    told = problems(lambda: engine.accelerations(efforts={"A": "much", "D": math.inf, "Q": 1.0}))
    assert [t.split(":")[0] for t in told] == ["efforts.A", "efforts.D", "efforts.Q"]


def test_arrays_that_are_no_numbers(engine: lw.Machine) -> None:
    """Where loops cannot be solved it is told by name; else what is no number stays in its own sample."""
    y, w, e = np.stack([engine.home.y] * 3), np.zeros((3, 4)), np.zeros((3, 4))
    bad, column = y.copy(), engine.variables.index("B.angle")
    bad[1, column] = NAN
    assert "the value of B.angle in sample 1 is not a finite number" in refused(
        lambda: engine.forward_dynamics(bad, w, e)
    )
    assert "the value of B.angle is not" in refused(lambda: engine.forward_dynamics(bad[1], w[1], e[1]))
    for array in (y, w, e):
        before, array[1, 0] = array[1, 0], NAN
        found = engine.forward_dynamics(y, w, e)
        np.testing.assert_array_equal(np.isnan(found).any(axis=1), [False, True, False])
        array[1, 0] = before


def test_shapes_that_do_not_fit(engine: lw.Machine) -> None:
    y, zero = engine.home.y, np.zeros(4)
    given: list[tuple[Any, ...]] = [(y[:2], zero, zero), (y, zero[:3], zero), (y, zero, np.zeros(5))]
    for arrays in given:
        with pytest.raises((LinkworkError, ValueError), match="shape"):
            engine.forward_dynamics(*arrays)
    assert "machines without loops" in refused(lambda: engine.forward_dynamics(y, zero, zero, method="composite"))
    assert "with_parameters" in refused(lambda: engine.forward_dynamics(y, zero, zero, parameters={"rod.mass": 1.0}))


def test_postures_of_other_machines_are_refused(engine: lw.Machine) -> None:
    other = four_bar(0.1, 0.3, 0.25, 0.35, 1.0).assemble()
    for ask in (engine.statics, engine.accelerations):
        assert "another machine" in refused(lambda a=ask: a(other.home))
    assert "both given" in refused(lambda: engine.statics(engine.home, A=1.0))
