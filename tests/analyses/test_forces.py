"""What machines whose forces are known take and do: efforts, reactions, accelerations, to the digits that are known."""

from __future__ import annotations

import math
from typing import Any

import dynamics_fixtures as known
import numpy as np
import pytest
from dynamics_fixtures import COMPONENTS, Known
from kinematic_machines import cardan, four_bar
from maximal import Instant

import linkwork as lw

Array = np.ndarray


def near(actual: Any, expected: Any, tol: float) -> None:
    """Within an absolute tolerance."""
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tol)


def as_drawn(machine: lw.Machine, state: Known) -> lw.Run:
    """One sample of a motion with these rates and accelerations, at home."""
    names = list(state.rates) or list(machine.home.independent)
    laws = {}
    for n in names:
        v, a = float(state.rates.get(n, 0.0)), float(state.accelerations.get(n, 0.0))
        laws[n] = lw.expression(f"{machine.home[n]!r} + ({v!r})*t + ({a / 2!r})*t**2")
    return machine.motion(laws, times=[0.0])


def rates_at_home(machine: lw.Machine, state: Known) -> tuple[Array, Array]:
    """Variables and rates of all joints."""
    values = {n: machine.home[n] for n in state.rates or machine.home.independent}
    found = machine.solve(values, dict(state.rates))
    return found.variables.reshape(-1), found.rates.reshape(-1)


def in_world(machine: lw.Machine, joint: str, force: Array, moment: Array, state: Known) -> tuple[Array, Array]:
    """Force and moment about the world's origin, world axes, of what is known; unknown components count as nothing."""
    X = Instant(machine, *rates_at_home(machine, state)).X_WM[joint]
    f, n = (X[:3, :3] @ np.nan_to_num(x) for x in (force, moment))
    return f, n + np.cross(X[:3, 3], f)


# ---------------------------------------------------------------- slider-crank


@pytest.fixture(scope="module")
def engine() -> lw.Machine:
    return known.slider_crank_dyn().assemble()


def test_slider_crank(engine: lw.Machine) -> None:
    state = known.SLIDER_CRANK
    run = engine.forces(as_drawn(engine, state))
    near(run["A"].effort.values, [0.0], 1e-9)  # let go: the published acceleration has eleven digits
    near(run["machine"].kinetic_energy.values, [known.SLIDER_CRANK_ENERGY], 1e-9)
    near(run["machine"].power_balance.values, [0.0], 1e-11 * 1092)
    assert run.indeterminate == dict(state.indeterminate)
    for joint, expected in state.forces.items():
        force, moment = run[joint].force.values[0], run[joint].moment.values[0]
        marked = [c in state.indeterminate[joint] for c in COMPONENTS]
        np.testing.assert_array_equal(np.isnan([*force, *moment]), marked)
        f, about = in_world(engine, joint, force, moment, state)
        near(f[:2], expected, 6e-5 if joint in "BC" else 6e-6)
        if joint == "D":
            near(about[2], known.SLIDER_CRANK_MOMENT_D, 6e-6)
        if joint in known.SLIDER_CRANK_IN_AXES:
            before = engine.mechanism.joints[joint].tail
            near((engine.home.pose(before)[:3, :3].T @ f)[:2], known.SLIDER_CRANK_IN_AXES[joint], 6e-6)


def test_slider_crank_let_go(engine: lw.Machine) -> None:
    found = engine.accelerations(rates={"A": 60.0})
    near(found["A"], known.SLIDER_CRANK.accelerations["A.angle"], 1e-9)
    near([found.rates[found.names.index(n)] / 60 for n in ("A.angle", "B.angle", "C.angle", "D.slide")],
         known.SLIDER_CRANK_SLOPES, 1e-10)  # fmt: skip
    lever = engine.home.pose("rod")[:3, :3] @ [0.12, 0.01, 0.0]
    (a, alpha), w = np.split(found.body("rod"), 2), np.array([0.0, 0.0, -known.SLIDER_CRANK_SLOPES[2] * 60.0])
    centre = a + np.cross(alpha, lever) + np.cross(w, np.cross(w, lever))
    near(centre[:2], known.SLIDER_CRANK_ROD_CENTRE, 1e-7)


def test_terms_of_the_slider_crank(engine: lw.Machine) -> None:
    """M ψ'' + C ψ'² = F: at rest, and by one rate and one acceleration."""

    def effort(v: float, a: float) -> float:
        run = engine.forces(as_drawn(engine, Known({"A.angle": v}, {"A.angle": a})))
        return float(run["A"].effort.values[0])

    held = engine.statics()
    near(held["A.angle"], -known.SLIDER_CRANK_STATIC, 1e-9)
    near(held.loads["gas"], 200.0, 0.0)
    assert {j: r.indeterminate for j, r in held.reactions.items()} == known.SLIDER_CRANK.indeterminate
    near(effort(0.0, 0.0), held.efforts["A.angle"], 1e-12)
    near(effort(0.0, 1.0) - effort(0.0, 0.0), known.SLIDER_CRANK_INERTIA, 1e-10)
    near(effort(1.0, 0.0) - effort(0.0, 0.0), known.SLIDER_CRANK_CENTRIPETAL, 1e-10)


def test_the_piston_can_drive_as_well(engine: lw.Machine) -> None:
    """What D must push is what A must turn, by the ratio of their rates; so at A's moment of the other sign."""
    ratio = engine.mechanical_advantage("A", "D")
    near(ratio, 1.0 / known.SLIDER_CRANK_SLOPES[3], 1e-7)
    near(engine.statics(drives=["D"])["D.slide"], -known.SLIDER_CRANK_STATIC * ratio, 1e-7)


def test_given_efforts_act(engine: lw.Machine) -> None:
    """A force along D that is known changes what A must turn by its ratio, and acts as a load of the model."""
    held = engine.statics(drives=["A"], efforts={"D": 30.0})
    near(held["A.angle"], -known.SLIDER_CRANK_STATIC - 30.0 * known.SLIDER_CRANK_SLOPES[3], 1e-8)
    m = known.slider_crank_dyn()
    m.load("hand", "D", amount=30.0)
    loaded = m.assemble()
    near(loaded.statics()["A.angle"], held["A.angle"], 1e-12)
    for joint, carried in held.reactions.items():
        other = loaded.statics().reactions[joint]
        near([*carried.force, *carried.moment], [*other.force, *other.moment], 1e-11)
    near(engine.accelerations(efforts={"D": 30.0}).values, loaded.accelerations().values, 1e-9)


# ---------------------------------------------------------------- pendulum, scale, couplings


def test_pendulum() -> None:
    machine, state = known.pendulum_reaction().assemble(), known.PENDULUM
    near(machine.accelerations(rates=state.rates)["A"], state.accelerations["A.angle"], 1e-10)
    run = machine.forces(as_drawn(machine, state))
    near(run["A"].effort.values, [0.0], 1e-9)
    force, moment = run["A"].force.values[0], run["A"].moment.values[0]
    near(in_world(machine, "A", force, moment, state)[0], [*state.forces["A"], 0.0], 6e-7)
    assert run.indeterminate == {}
    assert np.isfinite([*force, *moment]).all()


@pytest.mark.parametrize("degrees", known.SPRING_SCALE_WEIGHTS)
def test_spring_scale_balances(degrees: float) -> None:
    machine = known.spring_scale(math.radians(degrees)).assemble()
    weight = known.scale_weight(math.radians(degrees))
    near(weight, known.SPRING_SCALE_WEIGHTS[degrees], 6e-5)
    held = machine.statics(drives=["A"])
    near(held["A.angle"], 0.0, 1e-10 * weight)
    near(held.loads["W"], weight, 0.0)
    near(held.loads["spring"], 15.0 * (10.0 * math.cos(math.radians(degrees)) - 20.0), 1e-10)


def test_spring_scale() -> None:
    machine, state = known.spring_scale().assemble(), known.SPRING_SCALE
    held = machine.statics(drives=["A"])
    assert {j: r.indeterminate for j, r in held.reactions.items()} == state.indeterminate
    for joint, expected in state.forces.items():
        carried = held.reactions[joint]
        f, about = in_world(machine, joint, carried.force, carried.moment, Known())
        if joint == "D":  # the spring is in the slide, so that it passes through the joint
            near(about[2], known.SPRING_SCALE_MOMENT_D, 6e-5)
        near(f[:2], expected, 6e-5)
    moving = machine.forces(as_drawn(machine, Known({"A.angle": 0.0}, {"A.angle": 1.0})))
    near(moving["A"].effort.values[0] - held["A.angle"], known.SPRING_SCALE_INERTIA, 1e-10)
    near(machine.accelerations(efforts={"A": 3.0})["A"], 3.0 / known.SPRING_SCALE_INERTIA, 1e-9)


def test_oldham_coupling() -> None:
    """The drive torque is the load's, and constant over the turn; so is the inertia."""
    machine = known.oldham(0.3).assemble()
    speed = known.OLDHAM.rates["A.angle"]
    run = machine.forces(
        machine.motion({"A": lw.expression(f"0.3 + {speed!r}*t")}, duration=2 * math.pi / speed, samples=73)
    )
    near(run["A"].effort.values, 7.0, 1e-11)
    near(run["A"].power.values, 7.0 * speed, 1e-10)
    near(run["load"].power.values, -7.0 * speed, 1e-10)
    quick = machine.forces(machine.motion({"A": lw.expression("0.3 + t + t**2/2")}, duration=3.0, samples=61))
    near(quick["A"].effort.values - 7.0, known.OLDHAM_INERTIA, 1e-11)
    near(machine.accelerations()["A"], -7.0 / known.OLDHAM_INERTIA, 1e-10)


def test_cardan_coupling() -> None:
    machine = known.loaded_cardan(3.0).assemble()
    held = machine.statics(drives=["D"])
    near(held["D.angle"] / 3.0, known.CARDAN_RATIO, 1e-10)
    near(held.reactions["D"].moment[2] / 3.0, known.CARDAN_RATIO, 1e-10)
    assert held.reactions["D"].indeterminate == COMPONENTS[:5]
    bare = cardan(math.radians(40), math.radians(150)).assemble()
    near(abs(bare.mechanical_advantage("A", "D")), abs(known.CARDAN_RATIO), 1e-10)


# ---------------------------------------------------------------- in space


@pytest.mark.parametrize(
    ("heavy", "moves", "expected"),
    [
        (False, False, known.STEWART_STATIC),
        (False, True, known.STEWART_MASSLESS),
        (True, True, known.STEWART_MOVING),
    ],
)
def test_stewart_platform(heavy: bool, moves: bool, expected: tuple[float, ...]) -> None:
    legs = known.STEWART_LEGS
    machine = known.stewart_dyn(heavy).assemble()
    _, speed, acceleration = known.stewart_legs() if moves else np.zeros((3, 6))
    state = Known(dict(zip(legs, speed, strict=True)), dict(zip(legs, acceleration, strict=True)))
    run = machine.forces(as_drawn(machine, state))
    efforts = [float(run[f"{leg}.effort"].values[0]) for leg in legs]
    near(efforts, expected, 1e-9)
    assert run.indeterminate == {}
    near(run["machine"].power_balance.values, [0.0], 1e-12)
    if not moves:
        held = machine.statics(drives=legs)
        near([held[leg] for leg in legs], expected, 1e-9)
    found = machine.accelerations(rates=dict(state.rates), efforts=dict(zip(legs, efforts, strict=True)))
    near([found[leg] for leg in legs], acceleration, 1e-10)


def test_andrews_mechanism() -> None:
    machine = known.andrews().assemble()
    found = machine.accelerations()
    near([found[n] for n in known.ANDREWS_ANGLES], known.ANDREWS_ACCELERATIONS, 1e-8)
    start = Known({"O.angle": 0.0}, {"O.angle": known.ANDREWS_ACCELERATIONS[0]})
    run = machine.forces(as_drawn(machine, start))
    near(run["O"].effort.values, [0.0], 1e-11)
    for joint, force in known.ANDREWS_FORCES.items():
        f, _ = in_world(machine, joint, run[joint].force.values[0], run[joint].moment.values[0], Known())
        near(f[:2], force, 1e-9)
    assert run.indeterminate == dict.fromkeys(machine.mechanism.joints, known.IN_PLANE)


def test_bricard_mechanism() -> None:
    """One equation too many: the motion is unique, what the joints carry is not, except about their axes."""
    machine = known.bricard().assemble()
    found = machine.accelerations()
    near(found.body("rod1")[3:], known.BRICARD_ACCELERATION, 1e-9)
    held = machine.statics()
    assert {j: r.indeterminate for j, r in held.reactions.items()} == dict.fromkeys(
        machine.mechanism.joints, COMPONENTS[:5]
    )
    name = machine.home.independent[0]
    run = machine.forces(as_drawn(machine, Known({name: 0.0}, {name: found[name]})))
    near(run[f"{name}.effort"].values, [0.0], 1e-12)


# ---------------------------------------------------------------- what loops leave open


def test_a_planar_four_bar_leaves_what_is_out_of_its_plane_open() -> None:
    m = four_bar(0.1, 0.3, 0.25, 0.35, 1.0)
    m.point("P", "coupler", (0.2, 0.2, 0.0))
    m.force("tilted", "P", along=(1, 2, 3), amount=10.0)
    machine = m.assemble()
    held = machine.statics()
    assert {j: r.indeterminate for j, r in held.reactions.items()} == dict.fromkeys(m.joints, known.IN_PLANE)
    assert all(np.isnan(r.force[2]) and np.isnan(r.moment[:2]).all() for r in held.reactions.values())
    assert all(np.isfinite([*r.force[:2], r.moment[2]]).all() for r in held.reactions.values())
    assert "open: fz mx my" in str(held)


def test_a_loop_in_space_leaves_nothing_open() -> None:
    """A coupler between a ball and a cross: 1 + 3 + 2 + 1 freedoms are one more than a loop takes; nothing is open."""
    B, C, D = np.array([0.06, 0.08, 0.0]), np.array([0.3, 0.22, 0.05]), np.array([0.35, 0.0, 0.0])
    m = lw.Mechanism("rssr", gravity=(0, 0, -9.81))
    for body, com in (("crank", B / 2), ("coupler", (B + C) / 2), ("rocker", (C + D) / 2)):
        m.body(body, mass=1.0, com=com, inertia=(0.01, 0.012, 0.015))
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
    m.spheric("B", "crank", "coupler", at=B)
    m.universal("C", "coupler", "rocker", at=C, axes=("x", "y"))
    m.revolute("D", "ground", "rocker", at=D, axis=(0, 0.3, 1))
    machine = m.assemble()
    held = machine.statics()
    assert all(r.indeterminate == () and np.isfinite([*r.force, *r.moment]).all() for r in held.reactions.values())
    ends = [held.reactions[j] for j in "AD"]
    up = [in_world(machine, j, r.force, r.moment, Known())[0] for j, r in zip("AD", ends, strict=True)]
    near(sum(up), [0.0, 0.0, 3 * 9.81], 1e-11)  # ground carries the weight of all three
