"""Loads, efforts and states whose formulas jump: runs that obey their tolerance, derivatives through the jumps, and
formulas that chatter. Against closed forms, and against differences of runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kinematic_machines import four_bar, unit

import linkwork as lw
from linkwork.errors import InputError

Array = np.ndarray
TIGHT = {"rtol": 1e-12, "atol": 1e-13}
BY = ("block.mass", "start.S", "rates.S")


def slide(**loads: Any) -> lw.Mechanism:
    """A block of 1 kg along x, with loads along it by name."""
    m = lw.Mechanism("slide", gravity=(0, 0, 0))
    m.body("block", mass=1.0)
    m.prismatic("S", "ground", "block", at=(0, 0, 0), axis="x")
    for name, amount in loads.items():
        m.load(name, "S", amount=amount)
    return m


def near(found: Any, expected: Any, tolerance: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance)


# ---------------------------------------------------------------- exact


@pytest.mark.parametrize("formula", ["where(S > 0, -3, 0)", "where(S <= 0, 0, -3)", "-1.5*(1 + sign(S))"])
def test_a_brake(formula: str) -> None:
    """From -a at speed v, braked by F beyond 0: S = v u - F u²/(2m) with u = t - a/v; both derivatives exact."""
    a, v, force, t = 0.5, 1.25, 3.0, 1.0
    run = slide(brake=formula).assemble().simulate(t, {"S": -a}, {"S": v}, samples=11, sensitive_to=BY)
    assert run.status == "complete" and not run.warnings
    u = np.maximum(run.time - a / v, 0.0)
    near(run["S"].value, np.where(u > 0.0, v * u - 0.5 * force * u**2, -a + v * run.time), 1e-14)
    later = u > 0.0
    near(run.sensitivity("S", "block.mass").values, 0.5 * force * u**2, 1e-13)
    near(run.sensitivity("S", "start.S").values, np.where(later, 1.0 - force * u / v, 1.0), 1e-13)
    speed = u + (v - force * u) * a / v**2
    near(run.sensitivity("S", "rates.S").values, np.where(later, speed, run.time), 1e-13)


def test_there_and_back() -> None:
    """A push that turns the block round: the jump is passed in both directions, and the start cancels."""
    s = slide(wall="where(S > 0, -4, 0)").assemble()
    run = s.simulate(3.0, {"S": -1.0}, {"S": 2.0}, samples=4, sensitive_to=BY)
    # meets the wall at 1/2 s, is back at 3/2 s with -2 m/s
    near(run["S"].value[-1], -3.0, 1e-13)
    near(run.sensitivity("S", "start.S").values[-1], -1.0, 1e-13)
    near(run.sensitivity("S", "rates.S").values[-1], -1.0, 1e-12)  # S = -v (t + a/v - 2 m v/F) with a = -1
    near(run.sensitivity("S", "block.mass").values[-1], 2.0, 1e-12)


def braked_and_struck(mass: float, start: float, speed: float, t: float) -> float:
    """Place of a block that is braked by 3 N beyond 0, and struck back at 0.2 m with half its speed."""
    met = -start / speed
    at_wall = math.sqrt(speed**2 - 6.0 * 0.2 / mass)
    struck = met + mass * (speed - at_wall) / 3.0
    back, a = 0.5 * at_wall, 3.0 / mass
    free = struck + (math.sqrt(back**2 + 2.0 * a * 0.2) - back) / a
    if t < met:
        return start + speed * t
    if t < struck:
        return speed * (t - met) - 0.5 * a * (t - met) ** 2
    if t < free:
        return 0.2 - back * (t - struck) - 0.5 * a * (t - struck) ** 2
    return -math.sqrt(back**2 + 2.0 * a * 0.2) * (t - free)


def test_a_jump_and_a_stop_in_one_run() -> None:
    """The formula jumps on the way there and on the way back, the stop is struck in between; derivatives too."""
    s = slide(brake="where(S > 0, -3, 0)").assemble()
    wall = lw.stop("S", high=0.2, restitution=0.5, name="wall")
    asked: dict[str, Any] = {"samples": 14, "events": wall, **TIGHT}
    run = s.simulate(0.6, {"S": -0.3}, {"S": 2.0}, sensitive_to=BY, **asked)
    assert run.status == "complete" and [e.kind for e in run.events] == ["impact"]
    values = (1.0, -0.3, 2.0)
    near(run["S"].value, [braked_and_struck(*values, t) for t in run.time], 1e-13)
    near(run.events[0]["speed"], math.sqrt(4.0 - 1.2), 1e-13)
    for k, by in enumerate(BY):
        ahead, behind = (tuple(x + (i == k) * step for i, x in enumerate(values)) for step in (1e-6, -1e-6))
        slope = [(braked_and_struck(*ahead, t) - braked_and_struck(*behind, t)) / 2e-6 for t in run.time]
        near(run.sensitivity("S", by).values[1:], slope[1:], 1e-8)
    starts = np.linspace(-0.3, -0.2, 3)
    many = s.simulate_many(0.6, start={"S": starts}, rates={"S": 2.0}, **asked)
    for k, start in enumerate(starts):
        near(many["S"].values[k], [braked_and_struck(1.0, start, 2.0, t) for t in run.time], 1e-13)
        assert [e.kind for e in many.events(k)] == ["impact"]


def test_an_effort_by_formula() -> None:
    run = slide().assemble().simulate(1.0, {"S": -0.5}, {"S": 1.0}, samples=3, efforts={"S": "where(S > 0, -3, 0)"})
    near(run["S"].value[-1], 0.5 - 0.375, 1e-14)


def test_a_named_state_that_switches() -> None:
    """A tank that fills while S > 0 and drains below: its level is an integral of a jump."""
    m = slide()
    m.state("level", rate="where(S > 0, 2, -k)", parameters={"k": 1.0})
    names = ("start.S", "rates.S", "level.k")
    run = m.assemble().simulate(1.0, {"S": -0.5}, {"S": 1.25}, samples=6, sensitive_to=names)
    filled = np.maximum(run.time - 0.4, 0.0)
    near(run["level"].value, 2.0 * filled - np.minimum(run.time, 0.4), 1e-14)
    near(run.sensitivity("level", "start.S").values[-1], 3.0 / 1.25, 1e-13)
    near(run.sensitivity("level", "rates.S").values[-1], 3.0 * 0.5 / 1.25**2, 1e-13)
    near(run.sensitivity("level", "level.k").values[-1], -0.4, 1e-13)


def test_several_jumps_at_once() -> None:
    """Two loads with the same switch jump together: their derivatives are known all the same."""
    m = slide(first="where(S > 0, -1, 0)", second="-sign(S) - 1")
    run = m.assemble().simulate(1.0, {"S": -0.5}, {"S": 1.0}, samples=3, sensitive_to=BY)
    near(run["S"].value[-1], 0.5 - 0.375, 1e-14)
    near(run.sensitivity("S", "start.S").values[-1], -0.5, 1e-13)


def test_a_kink_and_a_continuous_switch_change_nothing() -> None:
    """where(S > 0, S, -S) is |S|: no jump, and the derivatives are those of abs."""
    found = []
    for formula in ("-20*where(S > 0, S, -S)", "-20*abs(S)"):
        run = slide(f=formula).assemble().simulate(1.0, {"S": -0.3}, {"S": 2.0}, samples=5, sensitive_to=BY, **TIGHT)
        found.append(np.column_stack([run["S"].value, *(run.sensitivity("S", by).values for by in BY)]))
    near(found[0], found[1], 1e-8)


def test_switches_of_springs_and_of_time() -> None:
    """A spring that pulls where it is longer than 1, and a load that begins at 1/3 s."""
    m = slide(late="where(t < 1/3, 0, 6)")
    m.point("P", "block", (0, 0, 0))
    m.point("Q", "ground", (-2.0, 0, 0))
    m.spring("rope", "Q", "P", free=1.5, law="where(x > 1, 8, 0)")
    run = m.assemble().simulate(1.0, {"S": 0.0}, {"S": 0.6}, samples=7, sensitive_to=("start.S",))
    # the rope is tight from S = 0.5 on: 0.6 t + 3 (t - 1/3)² = 0.5
    taut = np.max(np.roots([3.0, 0.6 - 2.0, 1.0 / 3.0 - 0.5]))
    speed = 0.6 + 6.0 * (taut - 1.0 / 3.0)
    left = 1.0 - taut
    near(run["S"].value[-1], 0.5 + speed * left - left**2, 1e-13)
    near(run.sensitivity("S", "start.S").values[-1], 1.0 - 8.0 * left / speed, 1e-12)


# ---------------------------------------------------------------- tolerances, methods, many


@pytest.mark.parametrize("method", ["explicit", "radau"])
def test_the_error_obeys_the_tolerance(method: str) -> None:
    """An oscillator that is pushed where it is on the right, 38 jumps: x'²/2 + ω² x²/2 - F max(x, 0) stays as it is."""
    m = slide(push="where(S > 0, 8, 0)")
    m.spring("coil", joint="S", stiffness=400.0, free=0.0)
    s = m.assemble()
    errors = []
    for rtol in (1e-6, 1e-9):
        run = s.simulate(6.0, {"S": -1.0}, samples=601, rtol=rtol, atol=1e-3 * rtol, method=method)
        assert run.status == "complete"
        energy = 0.5 * run.signal("S.rate").values ** 2 + 200.0 * run["S"].value ** 2
        potential = np.where(run["S"].value > 0.0, -8.0 * run["S"].value, 0.0)
        errors.append(float(np.abs(energy + potential - 200.0).max()) / 200.0)
    assert errors[0] < 3e-4 and errors[1] < 3e-7


def test_steps_are_not_lost_at_jumps() -> None:
    """A jump ends a step; it is not felt for by ever shorter ones."""
    m = slide(push="where(S > 0, 8, 0)")
    m.spring("coil", joint="S", stiffness=400.0, free=0.0)
    told = m.assemble().simulate(6.0, {"S": -1.0}, samples=3, rtol=1e-9).evidence.simulation
    assert told.rejected <= 0.1 * told.steps


def test_many_runs_are_those_of_each() -> None:
    s = slide(brake="where(S > 0, -3, 0)").assemble()
    starts = np.linspace(-0.9, -0.6, 4)
    runs = s.simulate_many(1.0, start={"S": starts}, rates={"S": 1.0}, samples=3)
    u = 1.0 + starts
    near([run["S"].value[-1] for run in runs], u - 1.5 * u**2, 1e-13)


def test_a_branch_without_a_value_beyond_its_jump() -> None:
    """sqrt(S) is no number below zero: there the formula is taken as it stands."""
    run = slide(f="where(S > 0, -sqrt(S), 1)").assemble().simulate(2.0, {"S": -0.5}, {"S": 1.0}, samples=3, **TIGHT)
    assert run.status == "complete"
    speed = math.sqrt(1.0 + 2.0 * 0.5)
    energy = 0.5 * run.signal("S.rate").values[-1] ** 2 + 2.0 / 3.0 * run["S"].value[-1] ** 1.5
    near(energy, 0.5 * speed**2, 1e-8)


# ---------------------------------------------------------------- differences


def differences(read: Callable[[float], Array], h: float) -> Array:
    """Central differences with one extrapolation."""
    wide, narrow = ((read(x) - read(-x)) / (2.0 * x) for x in (h, 0.5 * h))
    return (4.0 * narrow - wide) / 3.0


FORMULAS = (
    "where(A > {a}, {f}, -{g}*rate(A))",
    "{f}*sign(sin(3*A) - {b})",
    "where(rate(A) < {a}, {f}*cos(t), {g}*A)",
    "{f}*sign(A - {a})*where(t < {c}, 1, -0.5) + {g}*sin(5*t)",
    "where(A + 0.2*rate(A) > {a}, -{f}, {g})*(1 + 0.3*sin(A))",
)


@pytest.mark.parametrize("seed", range(8))
def test_random_machines_against_differences(seed: int) -> None:
    """Pendulums and four-bars with loads that jump by places, rates and time."""
    rng = np.random.default_rng(seed)
    numbers = {"a": rng.uniform(-0.2, 0.4), "b": rng.uniform(-0.4, 0.4), "c": rng.uniform(0.2, 0.6)}
    numbers |= {"f": rng.uniform(0.5, 2.0), "g": rng.uniform(0.2, 1.0)}
    law = FORMULAS[seed % len(FORMULAS)].format(**{k: repr(float(x)) for k, x in numbers.items()})
    if seed % 2:
        m = four_bar(0.1, 0.3, 0.25, 0.35, 1.0)
        m.gravity = (0.0, -9.81, 0.0)
        for name, at in (("crank", 0.05 * unit(1.0)), ("coupler", (0.2, 0.15, 0)), ("rocker", (0.3, 0.1, 0))):
            m.bodies.pop(name), m.body(name, mass=1.0, com=at, inertia=(0.01, 0.01, 0.02))
        body, start, rates = "coupler", {}, {"A": rng.uniform(3.0, 6.0)}
    else:
        m = lw.Mechanism("arm", gravity=(0, -9.81, 0))
        m.body("rod", mass=1.0, com=(0.3, 0, 0), inertia=(0.01, 0.03, 0.03))
        m.revolute("A", "ground", "rod", at=(0, 0, 0), axis="z")
        body, start, rates = "rod", {"A": -0.6}, {"A": rng.uniform(3.0, 6.0)}
    m.load("jumpy", "A", amount=law)
    s = m.assemble()
    by = (f"{body}.mass", "rates.A")
    run = s.simulate(0.8, start, rates, samples=5, sensitive_to=by, **TIGHT)
    assert run.status == "complete" and not run.warnings

    def read(name: str) -> Callable[[float], Array]:
        def at(x: float) -> Array:
            other = s.with_parameters({name: s.parameters[name] + x}) if name.endswith("mass") else s
            own = rates if name.endswith("mass") else {"A": rates["A"] + x}
            found = other.simulate(0.8, start, own, samples=5, **TIGHT)
            return np.column_stack([found["A"].value, found.signal("A.rate").values])

        return at

    for name in by:
        expected = differences(read(name), 1e-3)
        found = np.column_stack([run.sensitivity(x, name).values for x in ("A", "A.rate")])
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=2e-6 * scale)


# ---------------------------------------------------------------- refused, and chatter


def test_a_jump_that_is_grazed_has_no_derivative() -> None:
    """Thrown up to just beyond the height where another load begins: it gets there at 1e-10 m/s."""
    m = slide(down="where(S > 0, -3, -1)")
    with pytest.raises(InputError, match="what 'down' jumps with is grazed at") as error:
        m.assemble().simulate(2e-5, {"S": -0.5e-10 * (1.0 - 1e-10)}, {"S": 1e-5}, samples=3, sensitive_to=BY)
    assert error.value.problems[0].where == "loads"


def test_a_jump_by_a_jump_has_no_derivative() -> None:
    m = slide(f="where(sign(S)*rate(S) > 0, -1, 0)")
    with pytest.raises(InputError, match="formula of 'f' jumps by what jumps itself"):
        m.assemble().simulate(1.0, {"S": -0.5}, {"S": 1.0}, samples=3, sensitive_to=BY)
    run = m.assemble().simulate(1.0, {"S": -0.5}, {"S": 1.0}, samples=3)
    near(run["S"].value[-1], 0.5 - 0.125, 1e-6)


def test_dry_friction_by_a_formula_is_told() -> None:
    """It should stick at 1/3 s: that is said with what does, and the block stays where it is."""
    s = slide(drag="-3*sign(rate(S))").assemble()
    run = s.simulate(5.0, {"S": 0.0}, {"S": 1.0}, samples=6)
    assert run.status == "complete" and run.evidence.simulation.steps < 500
    (warning,) = run.warnings
    assert "'drag' chatters from 0.333333 s on" in warning and "rate(S)" in warning
    assert "m.friction('drag', 'S', level=..., form='exact')" in warning
    near(run["S"].value[1:], 1.0 / 6.0, 1e-12)
    with pytest.raises(InputError, match=r"'drag' chatters from 0\.333333 s on.*no derivative"):
        s.simulate(5.0, {"S": 0.0}, {"S": 1.0}, samples=6, sensitive_to=BY)


def test_chatter_against_a_push_ends() -> None:
    """Held against a push of 1 by a formula of 3: it creeps by a part of 1e-5 of its speed, and the run ends."""
    s = slide(drag="-3*sign(rate(S))", push=1.0).assemble()
    run = s.simulate(5.0, {"S": 0.0}, {"S": 1.0}, samples=6)
    assert run.status == "complete" and "'drag' chatters from 0.5 s on" in run.warnings[0]
    near(run["S"].value[1:], 0.25, 1e-4)
    assert run.evidence.simulation.steps < 3000


def test_a_switching_controller_slides() -> None:
    """Bang-bang about S + rate(S)/2: once both sides lead to the line, S decays along it like exp(-2t)."""
    run = slide(control="-4*sign(S + rate(S)/2)").assemble().simulate(6.0, {"S": 0.5}, samples=7)
    assert run.status == "complete"
    assert "'control' chatters" in run.warnings[0]
    values = np.asarray(run["S"].value)
    near(values[3:] / values[2:-1], math.exp(-2.0), 1e-2)
