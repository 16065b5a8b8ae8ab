"""Dynamics in maximal coordinates, the second opinion on closed loops, against numbers that are known: fixtures, trees,
balances of power, and itself the other way round.
"""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import dynamics_fixtures as known
import numpy as np
import pytest
from dynamics_fixtures import COMPONENTS, Known
from kinematic_machines import unit
from maximal import Answer, Instant, forward, inverse
from maximal_loads import direction, evaluated

from linkwork.model.amounts import Formula, Steady, Tabulated
from linkwork.model.loads import Force, Friction, InSpace, JointLoad, Motor, OnBody, Spring, Torque, Toward

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from balances import near, rate  # noqa: E402
from random_loads import KINDS, Loaded, State, random_loaded_machine  # noqa: E402
from random_trees import BY_NAME, grow_tree  # noqa: E402

Array = np.ndarray
MACHINES = range(12)


def drawn(machine: Any, state: Known) -> tuple[Array, Array, Array]:
    """Variables, rates and accelerations of all joints at home, from those of the independent variables."""
    names = list(state.rates) or list(machine.home.independent)
    found = machine.solve(
        {n: [machine.home[n]] for n in names},
        {n: [x] for n, x in state.rates.items()},
        {n: [x] for n, x in state.accelerations.items()},
    )
    return found.variables[0], found.rates[0], found.accelerations[0]


def in_world(now: Instant, answer: Answer, joint: str) -> tuple[Array, Array, Array]:
    """Force and moment of the first body on the second along the world's axes, and the place they are about."""
    X, wrench = now.X_WM[joint], answer.wrenches[joint]
    return X[:3, :3] @ wrench[:3], X[:3, :3] @ wrench[3:], X[:3, 3]


def about_origin(now: Instant, answer: Answer, joint: str) -> float:
    """Moment about z through the origin."""
    f, n, at = in_world(now, answer, joint)
    return float(n[2] + at[0] * f[1] - at[1] * f[0])


def indeterminate(answer: Answer) -> dict[str, tuple[str, ...]]:
    return {
        j: tuple(c for c, loose in zip(COMPONENTS, mask, strict=True) if loose)
        for j, mask in answer.indeterminate.items()
    }


def close(actual: Any, expected: Any, tol: float) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tol)


# ---------------------------------------------------------------- fixtures


def test_slider_crank() -> None:
    machine = known.slider_crank_dyn().assemble()
    state = known.SLIDER_CRANK
    y, w, dw = drawn(machine, state)
    order = [machine.variables.index(n) for n in ("A.angle", "B.angle", "C.angle", "D.slide")]
    close(y[order], known.SLIDER_CRANK_VALUES, 1e-10)
    close(w[order] / 60.0, known.SLIDER_CRANK_SLOPES, 1e-10)
    now, free, driven = Instant(machine, y, w), forward(machine, y, w), inverse(machine, y, w, dw, ["A.angle"])
    assert now.misfit < 1e-14 and free.residual < 1e-14 and driven.residual < 1e-14
    close(now.kinetic_energy, known.SLIDER_CRANK_ENERGY, 1e-9)
    close(free.accelerations[order[0]], state.accelerations["A.angle"], 1e-9)
    close(free.accelerations, dw, 1e-9)
    close(driven.efforts["A.angle"], 0.0, 1e-11)
    for answer in (free, driven):
        assert not answer.unsettled
        assert indeterminate(answer) == dict(state.indeterminate)
        for joint, force in state.forces.items():
            close(in_world(now, answer, joint)[0][:2], force, 6e-5 if joint in "BC" else 6e-6)
        for joint, force in known.SLIDER_CRANK_IN_AXES.items():
            before = now.X[now.m.joints[joint].tail][:3, :3]
            close((before.T @ in_world(now, answer, joint)[0])[:2], force, 6e-6)
        close(about_origin(now, answer, "D"), known.SLIDER_CRANK_MOMENT_D, 6e-6)
    lever = now.mass("rod")[1]
    omega, (a, alpha) = now.V["rod"][3:], np.split(free.bodies["rod"], 2)
    centre = a + np.cross(alpha, lever) + np.cross(omega, np.cross(omega, lever))
    close(centre[:2], known.SLIDER_CRANK_ROD_CENTRE, 1e-8)


def test_terms_of_the_slider_crank() -> None:
    """M ψ'' + C ψ'² = F, by accelerations and rates one at a time."""
    machine = known.slider_crank_dyn().assemble()

    def effort(speed: float, acceleration: float) -> float:
        y, w, dw = drawn(machine, Known({"A.angle": speed}, {"A.angle": acceleration}))
        return inverse(machine, y, w, dw, ["A.angle"]).efforts["A.angle"]

    rest = effort(0.0, 0.0)
    close(rest, -known.SLIDER_CRANK_STATIC, 1e-9)
    close(effort(0.0, 1.0) - rest, known.SLIDER_CRANK_INERTIA, 1e-10)
    close(effort(1.0, 0.0) - rest, known.SLIDER_CRANK_CENTRIPETAL, 1e-10)


def test_pendulum() -> None:
    machine, state = known.pendulum_reaction().assemble(), known.PENDULUM
    y, w, _ = drawn(machine, state)
    answer = forward(machine, y, w)
    close(answer.accelerations, [state.accelerations["A.angle"]], 1e-10)
    close(in_world(Instant(machine, y, w), answer, "A")[0], [*state.forces["A"], 0.0], 6e-7)
    assert not answer.indeterminate["A"].any()


def test_loads_of_a_pendulum_by_hand() -> None:
    """Every kind of load on one pin, away from the layout: its torque about the pin, worked out by itself."""
    drawn_at, theta, speed, t = 0.6, 1.0, 1.3, 2.0
    m = known.pendulum_reaction(drawn_at)
    m.point("P", "bob", 0.5 * unit(drawn_at))
    m.point("Q", "ground", (0.1, 1.2, 0.3))
    across = tuple(float(x) for x in unit(drawn_at + math.pi / 2))
    for load in (
        Spring(
            "hinge", variable="A.angle", stiffness=3.0, damping=0.4, preload=0.2, law=Formula("x**2 - v", ("x", "v"))
        ),
        Spring("coil", first="P", second="Q", stiffness=10.0, free=0.3, damping=0.2),
        Friction("bearing", "A.angle", forward=0.3, backward=0.9, viscous=0.05, speed=2.0),
        Friction("seal", "A.angle", coefficient=0.1, radius=0.02, normal=Formula("-40*t", ("t",)), form="exact"),
        Force("push", "P", OnBody("bob", across), Steady(3.0)),
        Force("wind", "P", InSpace((2.0, 0.0, 0.0)), Tabulated("A", (0.0, 2.0), (1.0, 3.0))),
        Force("rope", "P", Toward("P", "Q"), Steady(4.0)),
        Torque("wheel", "bob", OnBody("bob", (0.0, 0.6, 0.8)), Steady(0.5)),
        JointLoad("hand", "A.angle", Formula("t + 2*rate(A)", ("t", "rate(A)"))),
    ):
        m.loads[load.name] = load
    m.motors["drive"] = Motor("drive", "A.angle", -5.0, 2e-3, 1e-3, friction_forward=0.1, friction_backward=0.2)
    m.gravity_laws["y"] = Formula("0.5*t", ("t",))
    p, r = 0.5 * unit(theta), speed * 0.5 * unit(theta + math.pi / 2)
    way = np.array([0.1, 1.2, 0.3]) - p
    length = np.linalg.norm(way)
    x = theta - drawn_at
    torques = {
        "hinge": -(0.2 + 3.0 * x + 0.4 * speed + x**2 - speed),
        "coil": np.cross(p, way / length)[2] * (10.0 * (length - 0.3) - 0.2 * r @ way / length),
        "bearing": -0.3 * math.tanh(speed / 2.0) - 0.05 * speed,
        "seal": -0.1 * 0.02 * 80.0,
        "push": 0.5 * 3.0,
        "wind": -p[1] * 2.0,
        "rope": np.cross(p, way / length)[2] * 4.0,
        "wheel": 0.5 * 0.8,
        "hand": t + 2 * speed,
        "drive": -5.0 * 0.1 - 25.0 * 1e-3 * speed,
    }
    machine = m.assemble(start={"A": theta})
    now = Instant(machine, [theta], [speed], t)
    near([now.loads[n].power for n in torques], speed * np.array(list(torques.values())), 1e-14)
    weight = 2.0 * (-9.81 + 0.5 * t) * 0.8 * math.cos(theta)
    expected = (sum(torques.values()) + weight) / (0.03 + 2.0 * 0.8**2 + 25.0 * 2e-3)
    close(forward(machine, [theta], [speed], t=t).accelerations, [expected], 1e-13)
    held = inverse(machine, [theta], [speed], [0.0], ["A.angle"], t)
    close(held.efforts["A.angle"], -sum(torques.values()) - weight, 1e-13)


@pytest.mark.parametrize("degrees", known.SPRING_SCALE_WEIGHTS)
def test_spring_scale_balances(degrees: float) -> None:
    """A reconstruction: the linkage of the problem is known from its text only."""
    psi = math.radians(degrees)
    close(known.scale_weight(psi), known.SPRING_SCALE_WEIGHTS[degrees], 6e-5)
    machine = known.spring_scale(psi).assemble()
    y, w, dw = drawn(machine, Known())
    answer = inverse(machine, y, w, dw, ["A.angle"])
    close(answer.efforts["A.angle"], 0.0, 1e-10 * known.scale_weight(psi))


def test_spring_scale() -> None:
    machine, state = known.spring_scale().assemble(), known.SPRING_SCALE
    y, w, dw = drawn(machine, state)
    now, answer = Instant(machine, y, w), inverse(machine, y, w, dw, ["A.angle"])
    assert indeterminate(answer) == dict(state.indeterminate)
    for joint, force in state.forces.items():
        close(in_world(now, answer, joint)[0][:2], force, 6e-5)
    close(about_origin(now, answer, "D"), known.SPRING_SCALE_MOMENT_D, 6e-5)
    y, w, dw = drawn(machine, Known({"A.angle": 0.0}, {"A.angle": 1.0}))
    close(inverse(machine, y, w, dw, ["A.angle"]).efforts["A.angle"], known.SPRING_SCALE_INERTIA, 1e-11)


@pytest.mark.parametrize("psi", [0.3, 1.1, 2.5, -2.0])
def test_oldham_coupling(psi: float) -> None:
    """The input carries the load's torque and nothing else, in every posture; the inertia is constant."""
    machine, state = known.oldham(psi).assemble(), known.OLDHAM
    y, w, dw = drawn(machine, state)
    answer = inverse(machine, y, w, dw, ["A.angle"])
    close(answer.efforts["A.angle"], 7.0, 1e-12)
    y, w, dw = drawn(machine, Known(state.rates, {"A.angle": 1.0}))
    close(inverse(machine, y, w, dw, ["A.angle"]).efforts["A.angle"] - 7.0, known.OLDHAM_INERTIA, 1e-12)


def test_cardan_coupling() -> None:
    """Of what the driven shaft's bearing carries, only the torque about its axis can be told."""
    machine = known.loaded_cardan(3.0).assemble()
    y, w, dw = drawn(machine, Known())
    answer = inverse(machine, y, w, dw, ["D.angle"])
    close(answer.efforts["D.angle"] / 3.0, known.CARDAN_RATIO, 1e-10)
    close(answer.wrenches["D"][5] / 3.0, known.CARDAN_RATIO, 1e-10)
    assert indeterminate(answer)["D"] == COMPONENTS[:5]


def test_stewart_platform() -> None:
    length, speed, acceleration = known.stewart_legs()
    close(length, known.STEWART_LENGTHS, 1e-10)
    close(speed, known.STEWART_RATES, 1e-10)
    close(acceleration, known.STEWART_ACCELERATIONS, 1e-10)
    legs = known.STEWART_LEGS
    moving = Known(dict(zip(legs, speed, strict=True)), dict(zip(legs, acceleration, strict=True)))
    for heavy, state, expected in (
        (False, Known(), known.STEWART_STATIC),
        (False, moving, known.STEWART_MASSLESS),
        (True, moving, known.STEWART_MOVING),
    ):
        machine = known.stewart_dyn(heavy).assemble()
        y, w, dw = drawn(machine, state)
        answer = inverse(machine, y, w, dw, legs)
        assert answer.residual < 1e-13 and not answer.unsettled
        assert not any(mask.any() for mask in answer.indeterminate.values())
        close([answer.efforts[n] for n in legs], expected, 1e-9)


def test_andrews_mechanism() -> None:
    machine = known.andrews().assemble()
    y, w, _ = drawn(machine, Known())
    answer = forward(machine, y, w)
    order = [machine.variables.index(n) for n in known.ANDREWS_ANGLES]
    close(y[order], known.ANDREWS_START, 1e-14)
    close(answer.accelerations[order], known.ANDREWS_ACCELERATIONS, 1e-8)
    for joint, force in known.ANDREWS_FORCES.items():
        close(in_world(Instant(machine, y, w), answer, joint)[0][:2], force, 1e-10)


def test_bricard_mechanism() -> None:
    """One equation too many: the motion is unique, what the joints carry is not, except about their axes."""
    machine = known.bricard().assemble()
    y, w, _ = drawn(machine, Known())
    answer = forward(machine, y, w)
    close(answer.bodies["rod1"][3:], known.BRICARD_ACCELERATION, 1e-9)
    assert not answer.unsettled
    assert {mask.tobytes() for mask in answer.indeterminate.values()} == {np.array([True] * 5 + [False]).tobytes()}


# ---------------------------------------------------------------- trees


@pytest.mark.parametrize("part", range(6))
def test_trees(part: int) -> None:
    """Every kind of joint in one of six trees, some of which float, against the recursions along trees."""
    kinds = list(BY_NAME)[part::6]
    grown = grow_tree(part, kinds, bodies=len(kinds), floating=part % 3, massless=False)
    s = grown.system
    q, v, a = grown.state(np.random.default_rng(part))
    tau, wrench = s.joint_wrenches(q, v, a)
    there = inverse(s, q, v, a, s.rates)
    assert there.residual < 1e-14 and not there.unsettled
    near([there.efforts[n] for n in s.rates], tau, 1e-12)
    near([there.wrenches[j] for j in s.tree_joints], wrench, 1e-12)
    back = forward(s, q, v, dict(zip(s.rates, tau, strict=True)))
    near(back.accelerations, a, 1e-9)  # light bodies on long arms: conditions of 1e5 and more
    near([back.wrenches[j] for j in s.tree_joints], wrench, 1e-11)
    again = inverse(s, q, v, back.accelerations, s.rates)
    near([again.efforts[n] for n in s.rates], tau, 1e-11)


# ---------------------------------------------------------------- random closed machines with loads


@cache
def moving(seed: int) -> tuple[Loaded, State, Instant, Answer]:
    """A machine, a motion of it, and the drives and reactions that this takes."""
    case = random_loaded_machine(seed)
    state = case.state(np.random.default_rng(seed))
    now = Instant(case.machine, state.y, state.w, state.t)
    return case, state, now, inverse(case.machine, state.y, state.w, state.dw, case.drivers, state.t)


@pytest.mark.parametrize("seed", MACHINES)
def test_forward_and_inverse(seed: int) -> None:
    """Drives that make a motion make it; components that can be told are the same both ways, as is which can."""
    case, state, now, there = moving(seed)
    back = forward(case.machine, state.y, state.w, there.efforts, state.t)
    assert now.misfit < 1e-12
    assert not there.unsettled and not back.unsettled
    assert there.residual < 1e-12 and back.residual < 1e-14
    near(back.accelerations, state.dw, 1e-11)
    size = np.abs(list(there.wrenches.values()))
    for joint, mask in there.indeterminate.items():
        np.testing.assert_array_equal(back.indeterminate[joint], mask)
        near(back.wrenches[joint][~mask], there.wrenches[joint][~mask], 1e-11, size, joint)
    again = inverse(case.machine, state.y, state.w, back.accelerations, case.drivers, state.t)
    near(list(again.efforts.values()), list(there.efforts.values()), 1e-11, size)


@pytest.mark.parametrize("seed", MACHINES[:4])
def test_motion_of_bodies(seed: int) -> None:
    """Bodies stand and move as the tree says."""
    case, state, now, answer = moving(seed)
    s = case.machine
    q, v, a = state.y[: s.nq], state.w[: s.nv], state.dw[: s.nv]
    near([now.X[b] for b in s.bodies], s.poses(q), 1e-12)
    fastest = max(s.bodies, key=lambda b: np.abs(answer.bodies[b]).max())
    near(answer.bodies[fastest], s.acceleration(fastest, q, v, a), 1e-11)
    near(now.momentum, s.momentum(q, v), 1e-12)


@pytest.mark.parametrize("seed", MACHINES)
def test_reactions_do_no_work(seed: int) -> None:
    """W · (relative twist) = effort · rate in every joint: what holds does no work."""
    _, state, now, answer = moving(seed)
    along = now.applied(None)[1] - now.rotors * state.dw
    for name, effort in answer.efforts.items():
        along[now.rates.index(name)] += effort
    size = np.abs(list(answer.wrenches.values())).max() * np.abs(list(now.V.values())).max()
    for j in now.joints:
        J_T, J_H = now.J[j.name]
        twist = J_H @ now.V[j.head] - J_T @ now.V[j.tail]
        f, n, _ = in_world(now, answer, j.name)
        near(f @ twist[:3] + n @ twist[3:], along[j.v] @ state.w[j.v], 1e-12, size, j.name)


@pytest.mark.parametrize("seed", MACHINES)
def test_energy(seed: int) -> None:
    """Along a closed motion kinetic energy changes by the power of loads, weights and drives.

    Springs and forces put in what their points move; differences are of eighth order.
    """
    case = random_loaded_machine(seed)
    rates, accelerations = case.draw(np.random.default_rng(seed))
    h, steps = 1e-3, range(-4, 5)
    found = case.along(rates, accelerations, [k * h for k in steps])
    assert found.stopped is None
    path = {k: Instant(case.machine, found.variables[k + 4], found.rates[k + 4]) for k in steps}
    now = path[0]

    def slope(quantity: Callable[[Instant], Any]) -> Any:
        return rate(lambda t: quantity(path[round(t / h)]), h)

    efforts = inverse(case.machine, now.y, now.w, found.accelerations[4], case.drivers).efforts
    powers = [e * now.w[now.rates.index(n)] for n, e in efforts.items()]
    powers += [load.power for load in now.loads.values()]
    powers.append(-slope(lambda at: at.weight_energy))
    near(slope(lambda at: at.kinetic_energy), sum(powers), 1e-9, np.abs(powers).sum(), "power")
    for name, load in now.m.loads.items():
        acting = now.loads[name]
        if isinstance(load, Spring) and load.variable is None:
            ends = str(load.first), str(load.second)
            stretch = slope(lambda at, ends=ends: np.linalg.norm(at.place(ends[1])[1] - at.place(ends[0])[1]))
            near(-acting.value * stretch, acting.power, 1e-9, acting.value, name)
        elif isinstance(load, Force):
            velocity = slope(lambda at, point=load.point: at.place(point)[1])
            near(acting.value * direction(now, load.along) @ velocity, acting.power, 1e-9, acting.value, name)


@pytest.mark.parametrize("seed", [2, 4])
def test_loads_from_outside(seed: int) -> None:
    """A wrench at a body's origin is a force and a torque of the model."""
    case, state, _, _ = moving(seed)
    body = case.machine.bodies[-1]
    wrench = 5.0 * np.random.default_rng(seed).normal(size=6)
    outside = forward(case.machine, state.y, state.w, {}, state.t, {body: wrench})
    m = copy.deepcopy(case.mechanism)
    m.point("origin", body, (0, 0, 0), within=body)
    along, about = (InSpace(tuple(float(c) for c in x)) for x in (wrench[:3], wrench[3:]))
    m.loads["f"] = Force("f", "origin", along, Steady(float(np.linalg.norm(wrench[:3]))))
    m.loads["n"] = Torque("n", body, about, Steady(float(np.linalg.norm(wrench[3:]))))
    inside = forward(m.assemble(), state.y, state.w, {}, state.t)
    near(inside.accelerations, outside.accelerations, 1e-12)


def test_every_kind_of_joint_and_load_is_met() -> None:
    cases = [random_loaded_machine(seed) for seed in MACHINES]
    kinds = {j.law.kind for case in cases for j in case.mechanism.joints.values()}
    assert kinds == {BY_NAME[name].law.kind for name in KINDS}
    loads = [load for case in cases for load in case.mechanism.loads.values()]
    amounts = {type(getattr(x, k, None)) for x in loads for k in ("law", "amount", "normal")}
    assert amounts >= {Steady, Formula, Tabulated}
    directions = {type(getattr(x, k)).__name__ for x in loads for k in ("along", "about") if hasattr(x, k)}
    assert directions == {"InSpace", "OnBody", "Toward"}


def test_amounts() -> None:
    names = {"t": 0.5, "A": 2.0, "A.angle": 2.0, "rate(A)": -3.0, "x": 0.25}
    assert evaluated(Steady(4.0), names) == 4.0
    assert evaluated(Formula("2*A - rate(A)**2 + where(t < 1, x, 7)", ("A", "rate(A)", "t", "x"), 10.0), names) == -47.5
    assert evaluated(Formula("max(A.angle, 3)*cos(pi)", ("A.angle",)), names) == -3.0
    hat = Tabulated("A", (0.0, 1.0, 3.0), (0.0, 1.0, 5.0))
    assert [evaluated(hat, {"A": x}) for x in (-1.0, 0.5, 2.0, 9.0)] == [0.0, 0.5, 3.0, 5.0]
    # The natural spline through (0, 0), (1, 1), (2, 0) is (3 x - x³) / 2 up to its middle.
    bump = Tabulated("A", (0.0, 1.0, 2.0), (0.0, 1.0, 0.0), smooth=True)
    close([evaluated(bump, {"A": x}) for x in (-1.0, 0.5, 1.5, 4.0)], [0.0, 0.6875, 0.6875, 0.0], 1e-15)
