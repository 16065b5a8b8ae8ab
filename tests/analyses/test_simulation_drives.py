"""Some joints follow laws and the rest moves freely; inputs at run time: efforts, and controllers that are asked now
and then. Against closed forms, inverse dynamics, and the same load in the model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from kinematic_machines import four_bar, unit
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import linkwork as lw
from linkwork.errors import LinkworkError, ModelError

Array = np.ndarray
TIGHT = {"rtol": 1e-12, "atol": 1e-13}
G = 9.81


def near(found: Any, expected: Any, tolerance: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance)


def done(run: Any) -> Any:
    """A run that came to its end with its energy accounted for."""
    assert run.status == "complete", run.message
    told = run.evidence.simulation
    assert told.energy_error <= 1e-9 * max(told.energy_scale, 1e-4), (told.energy_error, told.energy_scale)
    return run


def linkage(**options: Any) -> Any:
    m = four_bar(0.1, 0.3, 0.25, 0.35, 1.0)
    m.gravity = (0.0, -G, 0.0)
    for name, at in (("crank", 0.05 * unit(1.0)), ("coupler", (0.2, 0.15, 0)), ("rocker", (0.3, 0.1, 0))):
        m.bodies.pop(name), m.body(name, mass=1.0, com=at, inertia=(0.01, 0.01, 0.02))
    m.spring("coil", joint="O4", stiffness=2.0, damping=0.05)
    return m.assemble(**options)


def cart() -> lw.Mechanism:
    """A cart of 3 kg along x with a pendulum of 1 kg, 0.5 m."""
    m = lw.Mechanism("cart", gravity=(0, -G, 0))
    m.body("cart", mass=3.0)
    m.body("bob", mass=1.0, com=(0, -0.5, 0))
    m.prismatic("X", "ground", "cart", at=(0, 0, 0), axis="x")
    m.revolute("P", "cart", "bob", at=(0, 0, 0), axis="z")
    return m


def slide(mass: float = 2.0) -> lw.Mechanism:
    m = lw.Mechanism("slide")
    m.body("block", mass=mass)
    m.prismatic("S", "ground", "block", at=(0, 0, 0), axis="x")
    return m


# ---------------------------------------------------------------- drives

LAWS = {
    "ramp": lambda x: lw.ramp(x, x + 0.6, duration=0.9),
    "cycloid": lambda x: lw.cycloidal(x, x + 0.5, duration=0.7),
    "table": lambda x: lw.table([0.0, 0.3, 0.6, 1.0], [x, x + 0.2, x + 0.1, x + 0.4]),
    "expression": lambda x: lw.expression(f"{x} + 0.3*sin(4*t)**2"),
    "sequence": lambda x: lw.sequence(lw.ramp(x, x + 0.2, duration=0.4), lw.ramp(x + 0.2, x + 0.05, duration=0.5)),
    "number": lambda x: x,
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("joint, cut", [("O2", "B"), ("O4", "O4"), ("B", "B")])
def test_a_driven_linkage_needs_what_inverse_dynamics_says(law: str, joint: str, cut: str) -> None:
    """Any joint, cut or not, follows any law; its effort is that of the motion, worked out the other way round."""
    s = linkage(cut=(cut,))
    drive = LAWS[law](float(s.home[joint]))
    run = done(s.simulate(0.9, samples=46, drives={joint: drive}, **TIGHT))
    sampled = lw.constant(drive) if isinstance(drive, float) else drive
    near(run[joint].value, [float(sampled.sample(min(t, 0.9))[0]) for t in run.time], 1e-13)
    moved = s.solve({joint: run[joint].value.values}, {joint: run[f"{joint}.angle.rate"].values})
    near(run.y, moved.variables, 1e-12)
    near(run.w, moved.rates, 1e-11)
    forces = s.forces(s.motion({joint: drive}, times=run.time), drives=[joint])
    smooth = [k for k, t in enumerate(run.time) if not any(abs(t - b) < 1e-9 for b in (0.0, 0.3, 0.4, 0.6, 0.7, 0.9))]
    efforts = forces[f"{joint}.angle.effort"].values
    near(run[f"{joint}.angle.effort"].values[smooth], efforts[smooth], 1e-9 * max(1.0, np.abs(efforts).max()))
    own = s.forces(run)
    near(own[f"{joint}.angle.effort"].values, run[f"{joint}.angle.effort"].values, 1e-9)


def test_a_driven_cart_and_a_free_pendulum() -> None:
    """The pendulum feels the cart's acceleration; the cart's effort is the momentum of both."""
    s = cart().assemble()
    run = done(s.simulate(2.0, samples=41, start={"P": 0.4}, drives={"X": lw.expression("0.3*sin(3*t)")}, **TIGHT))

    def swing(t: float, z: Array) -> list[float]:
        a = -2.7 * math.sin(3 * t)
        return [z[1], -(G * math.sin(z[0]) + a * math.cos(z[0])) / 0.5]

    found = solve_ivp(swing, (0, 2), [0.4, 0.0], "DOP853", t_eval=run.time, rtol=1e-13, atol=1e-14).y
    near(run["P"].value, found[0], 1e-10)
    near(run["P.angle.rate"], found[1], 1e-10)
    rates = np.array([swing(t, z)[1] for t, z in zip(run.time, found.T, strict=True)])
    push = -2.7 * np.sin(3 * run.time) * 4.0 + 0.5 * (rates * np.cos(found[0]) - found[1] ** 2 * np.sin(found[0]))
    near(run["X.slide.effort"], push, 1e-9)
    near(s.forces(run)["P.angle.effort"], 0.0, 1e-9)  # what is free takes nothing


def test_a_driven_pendulum_and_a_free_cart() -> None:
    """The other way round: with nothing along x from outside, the centre of mass stays; the hinge turns by law."""
    s = cart().assemble()
    run = done(s.simulate(2.0, samples=41, drives={"P": lw.expression("0.8*sin(2*t)**2")}, **TIGHT))
    near(3 * run["X"].value + (run["X"].value + 0.5 * np.sin(run["P"].value)), 0.0, 1e-11)


def test_corners_in_a_law_are_impacts() -> None:
    """A ramp from rest: the rates jump at the start already, and at its end the free ones keep their momentum."""
    s = cart().assemble()
    run = done(s.simulate(1.0, times=[0.0, 0.5, 1.0], drives={"X": lw.ramp(0.0, 0.4, duration=0.5)}, **TIGHT))
    before = done(s.simulate(0.5, times=[0.5], drives={"X": lw.ramp(0.0, 0.8, duration=1.0)}, **TIGHT))
    angle, rate = float(before["P"].value[0]), float(before["P.angle.rate"][0])
    # Angular momentum of the bob about the hinge, which stops dead: 0.5 (0.5 ω + v cos) stays.
    near(run["P.angle.rate"][1], rate + 0.8 * math.cos(angle) / 0.5, 1e-10)
    near(run["X.slide.rate"], [0.8, 0.0, 0.0], 1e-14)


def test_a_law_that_ends_early_holds_its_last_value() -> None:
    s = linkage()
    x = float(s.home["O2"])
    run = done(s.simulate(1.0, samples=21, drives={"O2": lw.cycloidal(x, x + 0.5, duration=0.4)}, **TIGHT))
    late = run.time >= 0.4
    near(run["O2"].value.values[late], x + 0.5, 1e-14)
    near(run.w[late], 0.0, 1e-13)
    held = s.statics(s.at({"O2": x + 0.5}), drives=["O2"]).efforts["O2.angle"]
    near(run["O2.angle.effort"].values[late][1:], held, 1e-9)


def test_more_drives_than_freedoms_are_refused_by_name() -> None:
    s = linkage()
    with pytest.raises(LinkworkError) as caught:
        s.simulate(
            1.0, drives={"O2": lw.ramp(1.0, 2.0, duration=1.0), "O4": lw.ramp(float(s.home["O4"]), 2.0, duration=1.0)}
        )
    assert "O2" in str(caught.value) and "O4" in str(caught.value)


def test_a_drive_that_leads_to_a_dead_centre_stops_there() -> None:
    """The rocker cannot go beyond its end; what was reached is kept."""
    s = linkage()
    travel = float(s.home["O4"])
    run = s.simulate(2.0, samples=201, drives={"O4": lw.ramp(travel, travel + 2.0, duration=2.0)})
    assert run.status == "stopped" and "dead centre at" in run.message and "O4.angle" in run.message
    ends = s.simulate(
        3.0, samples=2001, drives={"O2": lw.ramp(float(s.home["O2"]), float(s.home["O2"]) + 6.3, duration=3.0)}
    )
    limit = float(ends["O4"].value.values.max())
    assert abs(float(run["O4"].value.values[-1]) - limit) < 0.02
    assert len(run.time) > 10


def test_drives_with_others_of_their_kind_are_refused_together() -> None:
    s = cart().assemble()
    with pytest.raises(ModelError) as caught:
        s.simulate(
            1.0, drives={"Q": 1.0, "X": lw.table([0, 1], [0, 1]), "X.slide": 2.0, "P": "sin(q)"}, efforts={"R": 2}
        )
    told = " ".join(f"{p.where} {p.what}" for p in caught.value.problems)
    assert "Q" in told and "twice" in told and "R" in told and "P" in told


# ---------------------------------------------------------------- efforts


@pytest.mark.parametrize(
    "effort, load",
    [
        (3.0, 3.0),
        ("2*sin(5*t)", "2*sin(5*t)"),
        ("3 - 2*rate(X) - 4*P", "3 - 2*rate(X) - 4*P"),
        (lw.tabulated([0.0, 0.4, 0.9, 2.0], [0.0, 5.0, -2.0, 1.0], over="t"), None),
        (lw.tabulated([-1.0, 0.0, 1.0], [4.0, 1.0, -3.0], over="X"), None),
        (lw.expression("3*cos(2*t)"), "3*cos(2*t)"),
        (lambda t: 3.0 * np.exp(-t), "3*exp(-t)"),
    ],
    ids=["number", "time", "state", "table", "table-of-state", "drive", "function"],
)
def test_efforts_do_what_loads_do(effort: Any, load: Any) -> None:
    m = cart()
    m.load("push", "X", amount=effort if load is None else load)
    times = np.linspace(0.0, 1.5, 16)
    with_load = done(m.assemble().simulate(1.5, times=times, start={"P": 0.3}, **TIGHT))
    with_effort = done(cart().assemble().simulate(1.5, times=times, start={"P": 0.3}, efforts={"X": effort}, **TIGHT))
    near(with_effort.y, with_load.y, 1e-10)
    near(with_effort.w, with_load.w, 1e-10)


def test_efforts_along_cut_joints() -> None:
    """The same torque on the joint that closes the loop, whichever that is."""
    runs = [
        done(linkage(cut=(cut,)).simulate(0.4, samples=5, efforts={"B": "0.3*cos(3*t)"}, **TIGHT))
        for cut in ("B", "O2")
    ]
    near(runs[0]["O2"].value, runs[1]["O2"].value, 1e-10)
    near(runs[0]["B.angle.effort"], 0.3 * np.cos(3 * runs[0].time), 1e-14)


def test_an_effort_that_jumps() -> None:
    run = done(slide(2.0).assemble().simulate(2.0, samples=21, efforts={"S": "where(t < 0.7, 4, -2)"}, **TIGHT))
    late = np.maximum(run.time - 0.7, 0.0)
    early = np.minimum(run.time, 0.7)
    near(run["S"].value, early**2 + 1.4 * late - late**2 / 2, 1e-12)


# ---------------------------------------------------------------- controllers


def sampled(times: Array, rate: float, A: Array, B: Array, law: Any, z0: Array) -> Array:
    """A linear system z' = A z + B u with u held between samples: matrix exponentials."""
    n = len(A)
    M = np.zeros((n + 1, n + 1))
    M[:n, :n], M[:n, n] = A, B
    z, out, k, t = np.array(z0, float), [], 0, 0.0
    u = law(0.0, z)
    for at in times:
        while (k + 1) / rate <= at:
            E = expm(M * ((k + 1) / rate - t))
            z = E[:n, :n] @ z + E[:n, n] * u
            t, k = (k + 1) / rate, k + 1
            u = law(t, z)
        E = expm(M * (at - t))
        out.append(E[:n, :n] @ z + E[:n, n] * u)
    return np.array(out)


SPRUNG = np.array([[0.0, 1.0], [-4.0, -0.3]]), np.array([0.0, 0.5])


def sprung() -> Any:
    m = slide(2.0)
    m.spring("coil", joint="S", stiffness=8.0, free=0.0, damping=0.6)
    return m.assemble()


@pytest.mark.parametrize("rate", [10.0, 7.3, 100.0, 0.4])
def test_a_sampled_controller(rate: float) -> None:
    """Proportional and derivative, held between calls; also at rates that do not divide the time."""
    calls: list[float] = []

    def control(t: float, state: Any) -> dict[str, float]:
        calls.append(t)
        return {"S": 12.0 * (1.0 - state["S"]) - 2.0 * state.rate("S")}

    times = np.linspace(0.0, 3.0, 31)
    run = done(sprung().simulate(3.0, times=times, controller=control, rate=rate, **TIGHT))
    expected = sampled(times, rate, *SPRUNG, lambda t, z: 12.0 * (1.0 - z[0]) - 2.0 * z[1], np.zeros(2))
    near(np.column_stack([run["S"].value, run["S.slide.rate"]]), expected, 1e-10)
    near(calls, [k / rate for k in range(len(calls))], 0.0)
    assert len(calls) == math.ceil(3.0 * rate - 1e-9)


class Integrator:
    """PI with a memory: u = 5 e + 3 Σ e / rate."""

    def __init__(self, rate: float) -> None:
        self.rate, self.sum = rate, 0.0

    def __call__(self, t: float, state: Any) -> Mapping[str, float]:
        error = 0.5 - state["S"]
        self.sum += error / self.rate
        return {"S.slide": 5.0 * error + 3.0 * self.sum}


def test_a_controller_with_a_state_of_its_own() -> None:
    rate, times = 20.0, np.linspace(0.0, 5.0, 26)
    run = done(sprung().simulate(5.0, times=times, controller=Integrator(rate), rate=rate, **TIGHT))
    total = 0.0

    def law(t: float, z: Array) -> float:
        nonlocal total
        total += (0.5 - z[0]) / rate
        return 5.0 * (0.5 - z[0]) + 3.0 * total

    near(np.column_stack([run["S"].value, run["S.slide.rate"]]), sampled(times, rate, *SPRUNG, law, np.zeros(2)), 1e-10)


def test_ticks_samples_and_events_at_one_instant() -> None:
    """Calls come at their times alone, whatever else happens; samples at a tick tell the new effort."""
    calls: list[float] = []

    def control(t: float, state: Any) -> dict[str, float]:
        calls.append(t)
        return {"S": len(calls)}

    m = slide(2.0)
    m.load("push", "S", amount=1.0)
    events = [lw.at(0.25, off="push"), lw.at(0.5, on="push"), lw.when("S - 0.05", name="there"), lw.stop("S", high=0.2)]
    run = m.assemble().simulate(
        1.0, samples=11, controller=control, rate=10.0, events=events, efforts={"S": "where(t < 0.33, 1, 0)"}, **TIGHT
    )
    near(calls, np.arange(10) / 10, 0.0)
    effort = np.arange(1, 11) + np.where(run.time[:-1] < 0.33, 1.0, 0.0)
    near(run["S.slide.effort"].values[:-1], effort, 1e-12)
    assert {"there", "S"} <= {e.name for e in run.events}


def test_efforts_and_a_controller_add_up() -> None:
    run = done(
        slide(2.0)
        .assemble()
        .simulate(1.0, samples=3, efforts={"S": 1.0}, controller=lambda t, x: {"S": 3.0}, rate=5, **TIGHT)
    )
    near(run["S"].value, run.time**2, 1e-13)
    run = done(
        slide(2.0)
        .assemble()
        .simulate(1.0, samples=3, efforts={"S": "t"}, controller=lambda t, x: None, rate=5, **TIGHT)
    )
    near(run["S"].value, run.time**3 / 12, 1e-13)


def test_a_controller_sees_places_and_velocities() -> None:
    seen: list[Any] = []
    m = cart()
    m.point("tip", "bob", (0, -0.5, 0))

    def watch(t: float, state: Any) -> None:
        seen.append((t, state["P"], state.rate("X"), state.position("tip").copy(), state.velocity("tip").copy()))

    run = done(m.assemble().simulate(1.0, samples=11, start={"P": 1.0}, controller=watch, rate=10, **TIGHT))
    for k, (t, angle, rate, place, velocity) in enumerate(seen):
        near([t, angle, rate], [run.time[k], run["P"].value[k], run["X.slide.rate"][k]], 1e-13)
        near(place, [run[f"tip.{c}"][k] for c in "xyz"], 1e-13)
        near(velocity[:3], [run[f"tip.v{c}"][k] for c in "xyz"], 1e-13)


@pytest.mark.parametrize(
    "answer, told",
    [
        (lambda t, x: 1 / (0.5 - t) and {"S": 1 / 0}, "ZeroDivisionError"),
        (lambda t, x: {"S": math.nan if t >= 0.5 else 1.0}, "nan for S at 0.5 s"),
        (lambda t, x: {"Q": 1.0} if t >= 0.5 else {}, "'Q' at 0.5 s"),
        (lambda t, x: 3.0 if t >= 0.5 else None, "a float at 0.5 s"),
        (lambda t, x: {"S": "much"} if t >= 0.5 else {}, "'much' for S at 0.5 s"),
        (lambda t, x: {"S": [1.0, 2.0]} if t >= 0.5 else {}, "for S at 0.5 s"),
        (lambda t, x: {3: 1.0} if t >= 0.5 else {}, "'3' at 0.5 s"),
    ],
)
def test_controllers_that_fail_end_the_run_with_what_was_reached(answer: Any, told: str) -> None:
    run = slide(2.0).assemble().simulate(1.0, samples=11, controller=answer, rate=10)
    assert run.status == "stopped" and told in run.message, run.message
    if "Zero" not in told:
        near(run.time, np.linspace(0.0, 0.5, 6), 1e-15)


def test_what_cannot_be_a_controller_is_refused_at_once() -> None:
    s = slide().assemble()
    for options, told in (
        ({"controller": 3, "rate": 10}, "int"),
        ({"controller": lambda t, x: None}, "without a rate"),
        ({"rate": 10}, "without a controller"),
        ({"controller": lambda t, x: None, "rate": 0}, "0"),
        ({"controller": lambda t, x: None, "rate": math.inf}, "inf"),
        ({"controller": lambda t, x: None, "rate": "often"}, "often"),
    ):
        with pytest.raises(ModelError, match=told):
            s.simulate(1.0, **options)


# ---------------------------------------------------------------- forces of what happened


def test_forces_of_stops_and_of_friction_that_holds() -> None:
    """The equations of motion are met at every sample, whatever leans and sticks: what is free takes no effort."""
    m = cart()
    m.friction("rail", "X", level=6.0, form="exact")
    m.point("tip", "bob", (0, -0.5, 0))
    s = m.assemble()
    wall = lw.stop("P", high=0.2, restitution=0.4, name="wall")
    run = done(s.simulate(2.0, samples=81, start={"P": -1.2}, events=wall, efforts={"X": "2*sin(3*t)"}, **TIGHT))
    held = run["rail.grip"].values != 0.0
    assert held.any() and not held.all() and len(run.events) > 4
    forces = s.forces(run)
    assert np.abs(forces["P.angle.effort"].values).max() < 1e-9
    vertical = s.reaction(forces, "X", "world")[:, 1]
    angle, rate, bend = (run[n].values for n in ("P.angle", "P.angle.rate", "P.angle.acceleration"))
    lift = 0.5 * (bend * np.sin(angle) + rate**2 * np.cos(angle))
    near(np.abs(vertical), np.abs(4.0 * G + lift), 1e-9)


def test_forces_of_a_loop_whose_pins_stick() -> None:
    """A linkage held by friction in three pins: the reactions are those of statics with these torques."""
    m = four_bar(0.1, 0.3, 0.25, 0.35, 1.0)
    m.gravity = (0.0, -G, 0.0)
    m.bodies.pop("coupler"), m.body("coupler", mass=1.0, com=(0.2, 0.15, 0), inertia=(0.01, 0.01, 0.02))
    for pin in ("O2", "A", "B"):
        m.friction(f"f{pin}", pin, level=1.0, form="exact")
    s = m.assemble()
    run = done(s.simulate(0.5, samples=3, **TIGHT))
    near(run.w, 0.0, 1e-15)
    forces = s.forces(run)
    given = {pin: float(run[f"f{pin}.grip"].values[-1]) for pin in ("O2", "A", "B")}
    assert sum(abs(x) > 1e-3 for x in given.values()) >= 2
    still = s.statics({}, drives=["O4"], efforts=given)
    near(still.efforts["O4.angle"], 0.0, 1e-9)
    near(forces["B"].force.values[-1], still["B"].force, 1e-9)


def test_exponential_steps_are_of_second_order_beside_a_drive() -> None:
    """Ten times the accuracy asks for sqrt(10) times the steps, and these make an error ten times smaller."""
    s, drives = cart().assemble(), {"X": lw.expression("0.5*sin(6*t)")}
    exact = s.simulate(1.0, drives=drives, samples=2, **TIGHT).y[-1]
    runs = [s.simulate(1.0, drives=drives, method="exponential", samples=2, rtol=r, atol=r) for r in (1e-4, 1e-6)]
    (one, many), (rough, fine) = (r.steps for r in runs), (np.abs(r.y[-1] - exact).max() for r in runs)
    assert math.log(rough / fine) / math.log(many / one) > 1.9


def test_tangents_are_let_go_with_their_formula() -> None:
    import copy
    import gc

    from linkwork.analyses.simulation import tangents
    from linkwork.analyses.simulation.engine import ALONG
    from linkwork.equations.simulation import mismatch
    from linkwork.formulas import Question

    s = linkage()
    formula, _ = s._settled(Question(mismatch()), s.parameters)
    own = copy.copy(formula)
    gc.collect()
    before = len(tangents._kernels)
    kernel = tangents.tangent_kernel(own, ALONG[:2], ("e",))
    assert tangents.tangent_kernel(own, ALONG[:2], ("e",)) is kernel and len(tangents._kernels) == before + 1
    del own
    gc.collect()
    assert len(tangents._kernels) == before
