"""Simulation against motions that are known, tight and at default settings; and the knowledge against what was
published and against three other ways to work it out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import dynamics_fixtures as known
import numpy as np
import pytest
import simulation_fixtures as truths
from scipy.integrate import solve_ivp
from simulation_fixtures import Published, Truth
from simulation_oracles import apart, ida_motion, kane_motion, maximal_motion, started, states

import linkwork as lw

Array = np.ndarray
TIGHT = {"rtol": 1e-12, "atol": 1e-13}
TRUTHS: dict[str, Callable[[], Truth]] = {
    "pendulum": truths.pendulum_truth,
    "double-pendulum": truths.double_pendulum_truth,
    "simple-box": truths.simple_box_truth,
    "tumbling-box": truths.tumbling_box_truth,
    "four-bars-2": lambda: truths.four_bars_truth(2),
    "andrews": truths.andrews_truth,
    "bricard": truths.bricard_truth,
}


@cache
def machine_of(name: str) -> Any:
    return TRUTHS[name]().mechanism().assemble()


def simulated(truth: Truth, machine: Any = None, **options: Any) -> lw.Run:
    """From home to the last time, with output at the times."""
    s = truth.mechanism().assemble() if machine is None else machine
    run = s.simulate(until=float(truth.times[-1]), times=truth.times, rates=dict(truth.rates), **options)
    assert run.status == "complete", run.message
    return run


@cache
def tight(name: str) -> lw.Run:
    return simulated(TRUTHS[name](), machine_of(name), **TIGHT)


# ---------------------------------------------------------------- what is known


def off(truth: Truth, published: Published) -> float:
    """Largest difference from what was published."""
    columns = [truth.signals.index(n) for n in published.signals]
    rows = [list(truth.times).index(t) for t in published.values]
    return float(np.abs(truth.values[np.ix_(rows, columns)] - list(published.values.values())).max())


def test_what_is_known_agrees_with_what_was_published() -> None:
    for truth, published in (
        (truths.pendulum_truth(), truths.PENDULUM_PUBLISHED),
        (truths.four_bars_truth(2), truths.FOUR_BARS_PUBLISHED[2]),
        (truths.four_bars_truth(40), truths.FOUR_BARS_PUBLISHED[40]),
        (truths.bricard_truth(), truths.BRICARD_PUBLISHED),
    ):
        assert off(truth, published) < published.digits, truth.name
    assert abs(truths.swing_period() - truths.PENDULUM_PERIOD) < 1e-15
    times = np.array(list(truths.PENDULUM_TENSION))
    assert np.abs(truths.pendulum_tension(times) - list(truths.PENDULUM_TENSION.values())).max() < 1e-12


def test_andrews_by_energy_agrees_with_the_tables() -> None:
    """Closed geometry and the balance of energy, against 30 digits of the equations with multipliers."""
    found = truths.andrews_motion(np.array(list(truths.ANDREWS)))
    table = np.array(list(truths.ANDREWS.values()))
    assert np.abs(found[:, :7] - table[:, :7]).max() < 1e-12
    assert np.abs(found[:, 7:] - table[:, 7:]).max() < 1e-12 * 1336
    for t, beta in truths.ANDREWS_FIRST.items():
        assert abs(truths.andrews_time(beta) - t) < 1e-15


def test_series_agree_with_runge_and_kutta() -> None:
    truth = truths.double_pendulum_truth()
    a, b, u, v = truth.values.T
    start = [a[0], a[0] + b[0], 0.0, 0.0]
    found = solve_ivp(
        truths.double_pendulum_rates, (0.0, 5.0), start, "DOP853", truth.times, rtol=1e-13, atol=1e-14
    ).y.T
    assert np.abs(found - np.column_stack([a, a + b, u, u + v])).max() < 1e-11

    truth = truths.tumbling_box_truth()
    w, q = truth.values[:, 6:9], truth.values[:, 9:]
    inertia = np.array(truths.BOX_INERTIA)

    def rates(_: float, x: Array) -> Array:
        w, q = x[:3], x[3:]
        turned = 0.5 * np.array([-(q[1:] @ w), *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([np.cross(inertia * w, w) / inertia, turned])

    found = solve_ivp(rates, (0.0, 10.0), [*w[0], *q[0]], "DOP853", truth.times, rtol=1e-13, atol=1e-14).y.T
    assert np.abs(found - np.hstack([w, q])).max() < 1e-10
    assert abs((inertia * w**2).sum(axis=1) / 2 - truths.BOX_TURNING_ENERGY).max() < 1e-10
    s, v = q[:, :1], q[:, 1:]
    L = inertia * w
    world = L + 2 * np.cross(v, np.cross(v, L) + s * L)
    assert np.abs(world - truths.BOX_MOMENTUM).max() < 1e-8


def test_impacts_agree_with_what_was_published() -> None:
    assert np.abs(truths.ball_impacts(5) - truths.BALL_IMPACTS).max() < 1e-15
    assert abs(truths.ball_rest() - truths.BALL_REST) < 1e-15
    struck = truths.struck_rod(math.pi / 4, 2.0, 0.5)
    assert np.allclose([struck.impulse, struck.centre, -struck.spin], [1.2, -0.8, truths.ROD_SPIN], 1e-15, 0)
    after = struck.centre**2 / 2 + struck.spin**2 / 24
    assert np.allclose((2.0, after), truths.ROD_ENERGIES, 1e-15, 0)


SHORT: dict[str, Callable[[], Truth]] = {
    "four-bars-2": lambda: truths.four_bars_truth(2, np.linspace(0.0, 0.3, 4)),
    "andrews": lambda: truths.andrews_truth(np.linspace(0.0, 0.01, 3)),
    "bricard": lambda: truths.bricard_truth(np.linspace(0.0, 0.3, 4)),
}


def placed(truth: Truth, machine: Any, y: Array, w: Array) -> Array:
    """Signals of a truth from variables and rates of all joints."""
    columns = []
    for name in truth.signals:
        if name in machine.variables:
            columns.append(y[:, machine.variables.index(name)])
        elif name.endswith(".rate"):
            columns.append(w[:, machine.variable_rates.index(name.removesuffix(".rate"))])
        else:
            point, component = name.split(".")
            q, v = y[:, : machine.nq], w[:, : machine.nv]
            vector = machine.velocity(point, q, v) if component[0] == "v" else machine.position(point, q)
            columns.append(vector[:, "xyz".index(component[-1])])
    return np.column_stack(columns)


@pytest.mark.parametrize("name", SHORT)
def test_other_equations_and_integrators_know_it_too(name: str) -> None:
    truth, s = SHORT[name](), machine_of(name)
    y, w = started(s, truth.rates)
    assert truth.difference(placed(truth, s, *kane_motion(s, y, w, truth.times))) < 1e-11
    assert truth.difference(placed(truth, s, *ida_motion(s, y, w, truth.times))) < 1e-9


def test_maximal_coordinates_know_it_too() -> None:
    truth, s = truths.four_bars_truth(2, np.array([0.0, 0.01])), machine_of("four-bars-2")
    y, w = started(s, truth.rates)
    assert truth.difference(placed(truth, s, *maximal_motion(s, y, w, truth.times))) < 1e-12


# ---------------------------------------------------------------- simulation


@pytest.mark.parametrize("name", TRUTHS)
def test_tight(name: str) -> None:
    run = tight(name)
    assert TRUTHS[name]().error(run) < 1e-9


@pytest.mark.parametrize("name", TRUTHS)
def test_by_default(name: str) -> None:
    truth = TRUTHS[name]()
    assert truth.error(simulated(truth, machine_of(name))) < 1e-4


@pytest.mark.parametrize("name", SHORT)
def test_every_joint_agrees_with_other_equations(name: str) -> None:
    truth, s = SHORT[name](), machine_of(name)
    found = states(simulated(truth, s, **TIGHT), s)
    y, w = started(s, truth.rates)
    assert apart(found, kane_motion(s, y, w, truth.times)) < 1e-9
    assert apart(found, ida_motion(s, y, w, truth.times)) < 1e-9


def test_forty_four_bars_by_default() -> None:
    truth = truths.four_bars_truth(40)
    assert truth.error(simulated(truth)) < 1e-4


@pytest.mark.slow
def test_forty_four_bars_tight() -> None:
    truth = truths.four_bars_truth(40)
    assert truth.error(simulated(truth, **TIGHT)) < 1e-9


@pytest.mark.parametrize("shift", [0.0, 1e-12, -1e-9, 1e-6])
def test_output_where_all_rods_lie_flat(shift: float) -> None:
    """The mobility jumps there; the motion goes on as it was."""
    times = np.array([0.0, *(t + shift for t in truths.lying_times(2)), 10.0])
    truth = truths.four_bars_truth(2, times)
    assert truth.error(simulated(truth, machine_of("four-bars-2"), **TIGHT)) < 1e-9


def test_rods_that_lie_flat_at_the_start() -> None:
    """From the singular posture itself, with rates that belong to the parallelogram."""
    flat = truths.lying_times(2)[0]
    speed = float(truths.over_the_top(np.array(flat), truths.four_bars_stiffness(2))[2])
    s = machine_of("four-bars-2")
    y = np.array([{"A": -1.0, "L": 1.0, "R": -1.0}[n[0]] * math.pi / 2 for n in s.variables])
    w = speed / (math.pi / 2) * y
    times = np.array([0.0, 0.5, 1.0])
    truth = truths.four_bars_truth(2, times + flat)
    run = s.simulate(until=1.0, times=times, start=y, rates=w, **TIGHT)
    assert truth.difference(truth.read(run)) < 1e-9


def test_tension_of_the_pendulum() -> None:
    run = machine_of("pendulum").forces(tight("pendulum"), drives=["A"])
    assert np.abs(run["A"].effort.values).max() < 1e-9
    tension = np.linalg.norm(run["A"].force.values, axis=1)
    assert np.abs(tension - truths.pendulum_tension(truths.PENDULUM_TIMES)).max() < 1e-8


def test_accelerations_and_multipliers_of_andrews() -> None:
    s, run = machine_of("andrews"), tight("andrews")
    rows = {t: list(run.time).index(t) for t in truths.ANDREWS}
    for t, expected in truths.ANDREWS_ACCELERATIONS.items():
        found = [run[f"{n}.acceleration"][rows[t]] for n in known.ANDREWS_ANGLES[:3]]
        assert np.abs(found - np.array(expected)).max() < 1e-9 * np.abs(expected).max()
    forces = s.forces(run, drives=["O"])
    assert np.abs(forces["O"].effort.values).max() < 1e-9 * 0.033
    for t, expected in truths.ANDREWS_MULTIPLIERS.items():
        found = np.concatenate([s.reaction(forces, pin, "world")[rows[t], :2] for pin in truths.ANDREWS_PINS])
        assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


def test_bricard_swings_there_and_back() -> None:
    times = np.array([0.0, *(k * truths.bricard_period() / 4 for k in range(1, 9))])
    truth = truths.bricard_truth(times)
    run = simulated(truth, machine_of("bricard"), **TIGHT)
    assert truth.error(run) < 1e-9
    assert np.abs(truth.read(run)[[0, 4, 8]] - truth.values[0]).max() < 1e-9


def test_pendulum_for_many_swings() -> None:
    """Phase as well as energy, after 42 swings."""
    truth = truths.pendulum_truth(np.array([0.0, 25.0, 50.0, 75.0, 100.0]))
    assert truth.error(simulated(truth, machine_of("pendulum"), **TIGHT)) < 1e-9


@pytest.mark.parametrize("amplitude", [0.01, 1.0, 2.5, 3.1])
def test_pendulum_from_any_angle(amplitude: float) -> None:
    times = np.linspace(0.0, 5.0, 11)
    s, c, rate = truths.swing(times, amplitude)
    run = machine_of("pendulum").simulate(until=5.0, times=times, start={"A": -amplitude}, **TIGHT)
    found = np.column_stack([run["P.x"], run["P.y"], run["A.rate"]])
    assert np.abs(found - np.column_stack([s, -c, rate])).max() < 1e-9


# ---------------------------------------------------------------- impacts


def test_ball() -> None:
    s = truths.ball().assemble()
    times = np.linspace(0.0, 3.0, 31)
    run = s.simulate(until=3.0, times=times, events=[lw.stop("H", low=0.0, restitution=0.8)], **TIGHT)
    impacts = [e.time for e in run.events]
    assert np.abs(np.array(impacts[:5]) - truths.BALL_IMPACTS).max() < 1e-12
    assert len(impacts) == int((truths.ball_impacts(40) <= 3.0).sum())
    found = {float(t): float(h) for t, h in zip(run.time, run["H"].value.values, strict=True)}
    assert max(abs(found[t] - truths.ball_height(t)) for t in times) < 1e-10


def test_ball_comes_to_rest() -> None:
    """Infinitely many impacts in finite time: it ends on the floor, and the run goes on."""
    s = truths.ball().assemble()
    run = s.simulate(until=6.0, times=[0.0, 4.0, 4.1, 6.0], events=[lw.stop("H", low=0.0, restitution=0.8)])
    assert run.time[-1] == 6.0 and run.status == "complete", run.message
    height, speed = run["H"].value.values, run["H"].rate.values
    assert abs(height[run.time == 4.0][0] - truths.ball_height(4.0)) < 1e-4
    assert np.abs(height[run.time > truths.BALL_REST]).max() < 1e-9
    assert np.abs(speed[run.time > truths.BALL_REST]).max() < 1e-9


@pytest.mark.parametrize("angle, speed, restitution", [(math.pi / 4, 2.0, 0.5), (0.3, 1.5, 1.0), (1.2, 3.0, 0.0)])
@pytest.mark.parametrize("what", ["F.y", "low.y"])
def test_rod_that_strikes_a_floor(what: str, angle: float, speed: float, restitution: float) -> None:
    """As a limit of a variable, and of a point. Without weight it leaves the floor even if it does not bounce."""
    m = truths.falling_rod(angle)
    m.point("low", "rod", (0.0, 0.5, 0.0))
    s = m.assemble()
    impact = 0.5 / speed
    times = [0.0, 0.5 * impact, 1.05 * impact]
    floor = lw.stop(what, low=0.0, restitution=restitution)
    run = s.simulate(until=times[-1], times=times, rates={"F.y": -speed}, events=[floor], **TIGHT)
    struck = truths.struck_rod(angle, speed, restitution)
    assert abs(run.events[0].time - impact) < 1e-12
    assert abs(run["F.angle.rate"][-1] - struck.spin) < 1e-9
    assert np.abs(np.array([run["centre.vx"][-1], run["centre.vy"][-1] - struck.centre])).max() < 1e-9
    assert abs(run["centre.y"][-1] - 0.5 * math.sin(angle) - struck.centre * 0.05 * impact) < 1e-10
