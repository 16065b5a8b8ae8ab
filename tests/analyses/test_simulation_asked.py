"""What is asked of simulations at its edges: starts beside drives, quick inputs, machines that cannot move."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
import simulation_fixtures as truths

sys.path[:0] = [str(Path(__file__).parents[1] / "torture")]
import simulations as torture  # noqa: E402

import linkwork as lw  # noqa: E402

TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def test_a_pulse_is_not_leapt_over() -> None:
    """At rest the error of a step says nothing of what is yet to come; the law does."""
    s = truths.pendulum().assemble()
    pulse = {"A": "20*exp(-((t - 5)/0.05)**2)"}
    found, fine = (s.simulate(10, start={"A": 0.0}, efforts=pulse, **more, **TIGHT) for more in ({}, {"step": 0.01}))
    assert np.abs(fine.y).max() > 0.5
    assert np.abs(found.y - fine.y).max() < 1e-8


def test_rates_as_an_array_beside_drives() -> None:
    s = truths.double_pendulum().assemble()
    first = s.variables[0].split(".")[0]
    law = {first: lw.ramp(s.home[first], s.home[first] + 1.0, speed=1.0)}
    by_name = s.simulate(0.5, drives=law, samples=5, **TIGHT)
    as_array = s.simulate(0.5, drives=law, rates=np.array([1.0, 0.0]), samples=5, **TIGHT)
    assert np.array_equal(by_name.y, as_array.y)
    with pytest.raises(lw.ModelError, match="not those of their laws"):
        s.simulate(0.5, drives=law, rates=np.zeros(2))
    with pytest.raises(lw.ModelError, match="its law begins with 1"):
        s.simulate(0.5, drives=law, rates={first: 7.0})
    with pytest.raises(lw.ModelError, match="follows a law already"):
        s.simulate(0.5, drives=law, efforts={first: 7.0})


def test_starts_as_lists() -> None:
    s = truths.double_pendulum().assemble()
    listed = s.simulate(0.1, start=[0.1, 0.2], rates=(0.5, 0.0), samples=3)
    arrays = s.simulate(0.1, start=np.array([0.1, 0.2]), rates=np.array([0.5, 0.0]), samples=3)
    assert np.array_equal(listed.y, arrays.y)


def test_nothing_that_can_move() -> None:
    m = lw.Mechanism("truss")
    m.body("a", mass=1)
    m.rigid("R", "ground", "a")
    with pytest.raises(lw.ModelError, match="nothing in this machine can move"):
        m.assemble().simulate(1)


@pytest.mark.parametrize("step", [0.5, 0.05])
def test_fixed_steps_that_are_too_long_are_told(step: float) -> None:
    s = lw.example("four-bar").assemble()
    run = s.simulate(1, start={"O2": 0.7}, rates={"O2": 3.0}, method="variational", step=step)
    assert run.status == "stopped" and "step" in run.message
    assert run["closure.residual"].values.max() < 1e-12


def free(run: lw.Run, names: list[str]) -> float:
    """Largest effort of free joints that the forces of a run find: what the equations of motion are off by."""
    return max(float(np.abs(run[f"{name}.effort"].values).max()) for name in names)


def test_forces_know_what_acted_and_which_numbers_there_were() -> None:
    s = lw.example("four-bar").assemble()
    start = {"start": {"O2": 0.7}, "rates": {"O2": 3.0}, "samples": 21, **TIGHT}
    plain = s.forces(s.simulate(0.5, **start))
    drive = next(n for n in plain.data if str(n).endswith(".effort")).removesuffix(".effort")
    assert free(plain, [drive]) < 1e-9
    pushed = s.simulate(0.5, efforts={"O2": "0.02 - 0.01*rate(O2)"}, **start)
    assert np.allclose(pushed["O2.effort"].values, 0.02 - 0.01 * pushed["O2.rate"].values, rtol=0, atol=1e-12)
    forces = s.forces(pushed)
    told = forces.evidence.forces
    assert told is not None and told.power_error is not None and told.power_error < 1e-10 * told.largest_power
    mass = next(n for n in s.parameters if n.endswith(".mass"))
    heavy = s.with_parameters({mass: 5.0 * s.parameters[mass]}).simulate(0.5, **start)
    assert heavy.evidence.simulation is not None and list(heavy.evidence.simulation.numbers) == [mass]
    assert free(s.forces(heavy), [drive]) < 1e-8  # with the numbers of the run, not those of s
    changed = s.simulate(0.5, events=lw.at(0.2, set={mass: 1.1 * s.parameters[mass]}), **start)
    with pytest.raises(lw.ModelError, match=f"{mass} changed on the way"):
        s.forces(changed)


def test_where_the_flanks_of_gears_end_is_told_by_name() -> None:
    """A wheel is pushed at another until the base circles leave no common tangent: (r + r') (1 - cos α) further."""
    m = lw.Mechanism("nearing")
    to = (0.11, 0.0, 0.0)
    for name, mass, com in (("pinion", 1.0, (0, 0, 0)), ("carriage", 0.5, to), ("wheel", 2.0, to)):
        m.body(name, mass=mass, com=com, inertia=(1e-3, 1e-3, 1e-3))
    m.revolute("A", m.ground, "pinion", at=(0, 0, 0), axis="z")
    m.prismatic("X", m.ground, "carriage", at=to, axis="x")
    m.revolute("B", "carriage", "wheel", at=to, axis="z")
    m.gear("G", "pinion", "wheel", at=(0, 0, 0), to=to, radii=(0.04, 0.07), flank=1)
    s = m.assemble()
    end = 0.11 * (np.cos(np.radians(20)) - 1.0)
    run = s.simulate(1.0, rates={"X": -0.1}, samples=10_001, **TIGHT)
    assert run.status == "stopped" and "the equations of 'G' have no value beyond 0.066" in run.message
    assert 0.0 <= run["X.slide"][-1] - end < 1.1e-5 and np.isfinite(run.y).all()


@pytest.mark.parametrize("seed", [5130, 5139])
def test_random_machines_whose_flanks_end(seed: int) -> None:
    """Rows without a value a little ahead say nothing of how independent they are; that stopped the program."""
    case = torture.drawn(seed)
    s = case.machine
    rates, until = torture.start_of(case, s, np.random.default_rng([seed, 4]))
    run = s.simulate(until, rates=rates, samples=3, rtol=1e-8, atol=1e-10, method="explicit")
    assert run.status == "stopped" and "have no value beyond" in run.message


@pytest.mark.parametrize("method", ["explicit", "auto"])
def test_a_contact_that_comes_to_where_its_curve_is_straight(method: str) -> None:
    """No body moves with the contact there, while a damper holds its rate: steps would fall to nothing for ever."""
    case = torture.drawn(5187)
    s = case.machine
    rates, _ = torture.start_of(case, s, np.random.default_rng([5187, 4]))
    run = s.simulate(0.2, rates=rates, samples=3, rtol=1e-8, atol=1e-10, method=method)
    assert run.status == "stopped" and "next to no mass moves with J2.parameter, J2.contact" in run.message
    assert run.message.split(" s at ")[1].startswith("0.07883")


def test_a_crawling_one_of_many_runs_ends_too() -> None:
    """A run that gets nowhere is handed to a simulation by itself, which tells why it ends; the others go on."""
    case = torture.drawn(5187)
    s = case.machine
    rates, _ = torture.start_of(case, s, np.random.default_rng([5187, 4]))
    given = {name: [rate, 0.0] for name, rate in rates.items()}
    runs = s.simulate_many(0.2, rates=given, samples=3, rtol=1e-8, atol=1e-10, method="explicit")
    assert runs.status[0] == "stopped"
    assert "next to no mass moves with J2.parameter, J2.contact" in runs.message[0]


def _oscillated(x: float, v: float, force: list[tuple[float, float]], until: float) -> tuple[float, float]:
    """An oscillator of mass 1 and stiffness 100 under straight lines (t, F) of force, in closed form."""
    omega = 10.0
    ends = [*force, (max(until, force[-1][0]) + 1.0, force[-1][1])]
    for (t0, f0), (t1, f1) in itertools.pairwise(ends):
        if t0 >= until:
            break
        slope, h = (f1 - f0) / (t1 - t0), min(t1, until) - t0
        a, b = x - f0 / omega**2, (v - slope / omega**2) / omega
        x = a * np.cos(omega * h) + b * np.sin(omega * h) + (f0 + slope * h) / omega**2
        v = omega * (b * np.cos(omega * h) - a * np.sin(omega * h)) + slope / omega**2
    return float(x), float(v)


@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_kinks_of_tables_over_time_are_breaks(rtol: float) -> None:
    """Steps end where the slope of a table jumps: what is integrated is as exact as anything smooth."""
    worst = 0.0
    for seed in range(10):
        draw = np.random.default_rng(seed)
        t = np.concatenate([[0.0], np.sort(draw.uniform(0.01, 1.4, int(draw.integers(4, 14))))])
        f = draw.uniform(-50, 50, len(t))
        m = lw.Mechanism("struck")
        m.body("mass", mass=1.0)
        m.prismatic("X", m.ground, "mass", axis="x")
        m.spring("coil", joint="X", stiffness=100.0, free=0.0)
        m.load("blow", "X", amount=lw.tabulated(t, f))
        m.state("impulse", rate=lw.tabulated(t, f), unit="N s")
        s, given = m.assemble(), {"rtol": rtol, "atol": 1e-3 * rtol, "samples": 2, "method": "explicit"}
        run = s.simulate(1.5, start={"X": 0.02}, **given)
        many = s.simulate_many(1.5, start={"X": [0.02, 0.03]}, **given)
        x, v = _oscillated(0.02, 0.0, list(zip(t, f, strict=True)), 1.5)
        whole = np.trapezoid(f, t) + (1.5 - t[-1]) * f[-1]
        for found in (run, many[0]):
            off = (found.y[-1, 0] - x) / 0.3, (found.w[-1, 0] - v) / 3.0
            worst = max(worst, *(abs(float(e)) / rtol for e in off))
            assert abs(float(found["impulse.value"].values[-1]) - whole) < 1e-12 * 50
    assert worst < 5.0  # 93 with steps across kinks


def test_energy_of_what_glides_on_is_compared_with_that_of_the_motion() -> None:
    """A sleigh keeps its energy: rounding is no error beside the rounding that 'moved'."""
    m = lw.Mechanism("sleigh")
    m.body("sleigh", mass=2.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.2))
    m.flat("F", m.ground, "sleigh", axis="z")
    s = m.assemble()
    run = s.simulate(2.0, rates={"F.angle": 1.0})
    told = run.evidence.simulation
    assert told is not None
    assert told.energy_scale == pytest.approx(0.5 * (0.2 + 2.0 * 0.1**2), rel=1e-9)
    assert told.energy_error < 1e-9 * told.energy_scale
    many = s.simulate_many(2.0, rates={"F.angle": [1.0, 2.0]})
    assert many.outcome.energy_scale == pytest.approx([0.11, 0.44], rel=1e-9)
    assert s.simulate(0.1).evidence.simulation.energy_scale == 0.0


def test_the_same_question_from_elsewhere() -> None:
    """What was asked once is kept; starts, times and machines of other homes are looked at anew each time."""
    s = truths.double_pendulum().assemble()
    names = list(s.variables)
    asked = {"samples": 5, "method": "explicit", **TIGHT}
    first = s.simulate(0.2, start={names[0]: 0.3}, **asked)
    again = s.simulate(0.2, start={names[0]: 0.3}, **asked)
    assert np.array_equal(first.y, again.y)
    assert np.array_equal(first["machine.kinetic_energy"].values, again["machine.kinetic_energy"].values)
    elsewhere = s.simulate(0.2, start={names[0]: 0.5}, rates={names[1]: 1.0}, **asked)
    assert elsewhere.y[0, 0] == 0.5
    assert elsewhere.w[0, 1] == 1.0
    assert s.starting_from({names[0]: 0.7}).simulate(0.2, **asked).y[0, 0] == 0.7
    times = {"times": [0.0, 0.05, 0.2], "method": "explicit", **TIGHT}
    assert s.simulate(0.2, **times).t.tolist() == [0.0, 0.05, 0.2]
    assert len(s.simulate(0.2, method="explicit", **TIGHT).t) == 361
    assert s.simulate(0.2, **times | {"times": [0.1]}).t.tolist() == [0.1]
    again.t[:] = 7.0  # numbers that were given away are nobody's any more
    assert s.simulate(0.2, **asked).t.tolist() == elsewhere.t.tolist()
    for wrong in ({"samples": True}, {"samples": 5.0}, {"rtol": True}, {"samples": 5, "times": [0.1]}):
        with pytest.raises(lw.ModelError):
            s.simulate(0.2, **asked | wrong)
    with pytest.raises(lw.ModelError, match="start: there is no joint 'nothing'"):
        s.simulate(0.2, start={"nothing": 1.0}, **asked)


def test_starts_that_are_closed_already_stay_as_they_are() -> None:
    """Arrays that keep the loops closed are taken to the bit; others are closed, and told."""
    s = lw.example("four-bar").assemble()
    moving = s.simulate(0.1, rates={s.variables[0]: 3.0}, samples=5, **TIGHT)
    y, w = moving.y[2], moving.w[2]
    exact = s.simulate(0.05, y, w, samples=3, **TIGHT)
    assert np.array_equal(exact.y[0], y)
    near = s.simulate(0.05, y + 1e-6, w, samples=3, **TIGHT)
    assert float(s.loops.residual(near.y[0])) < s.loops.tolerance
    assert any("the start missed the loops" in text for text in near.evidence.warnings)
    with pytest.raises(lw.ModelError, match="finite numbers"):
        s.simulate(0.05, y, np.full_like(w, np.nan))
