"""Simulations that run away end, and say what grows, since when and what may be why; what is kept is bounded."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.simulation import trail
from linkwork.analyses.simulation.runaway import SLIDING, STATED, TURNING, pace_of
from linkwork.numerics.loops import interpreted
from linkwork.numerics.stepping import runaway


def link(**more: Any) -> lw.Machine:
    """A link of 0.35 kg m² about its pin."""
    m = lw.Mechanism("arm", gravity=(0, 0, 0))
    m.body("link", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("A", "ground", "link", axis="z")
    for name, rate in more.items():
        m.state(name, rate=rate, start=1.0)
    return m.assemble()


def slide() -> lw.Machine:
    m = lw.Mechanism("slide", gravity=(0, 0, 0))
    m.body("cart", mass=1.0)
    m.prismatic("X", "ground", "cart", axis="x")
    return m.assemble()


class Damper:
    """Holds -gain · rate between its calls."""

    def __init__(self, gain: float) -> None:
        self.gain = gain

    def __call__(self, t: float, state: lw.State) -> dict[str, float]:
        return {"A": -self.gain * state.rate("A")}


def number(text: str, pattern: str) -> float:
    found = re.search(pattern, text)
    assert found is not None, text
    return float(found[1])


# -------------------------------------------------------------------- they end


def test_an_effort_with_the_sign_of_its_damping_wrong() -> None:
    """It stood at 0.042 s after six million steps."""
    run = lw.example("slider-crank").assemble().simulate(1.0, samples=101, start={"A": 0.5}, efforts={"A": "1*rate(A)"})
    told = run.evidence.simulation
    assert run.status == "stopped" and told is not None and told.steps < 20_000
    assert "the rate of D.slide grows without bound" in run.message and "beyond 1e+04 m/s since 0.02" in run.message
    assert "the effort along A.angle puts in" in run.message and "look at the signs of dampers" in run.message
    assert any(w.startswith("unphysical speed: the rate of D.slide reaches") for w in run.warnings)
    assert 0.02 <= run.t[-1] < 0.03 and np.isfinite(run.y).all()


def test_what_is_told_of_exponential_growth() -> None:
    """x'' = c x' from rest at 1 m/s: v = exp(c t), tenfold every ln 10 / c, beyond the pace at ln(pace) / c."""
    run = slide().simulate(9.0, rates={"X": 1.0}, efforts={"X": "50*rate(X)"}, step=1e-3)
    size, at = number(run.message, r"bound: (\S+) m/s"), number(run.message, r"m/s at (\S+) s")
    assert run.status == "stopped" and size > 1e6 * SLIDING
    assert size == pytest.approx(np.exp(50 * at), rel=6e-3)  # three digits are told
    assert number(run.message, r"since (\S+) s") == pytest.approx(np.log(SLIDING) / 50, abs=1.01e-3)
    assert number(run.message, r"tenfold every (\S+) s") == pytest.approx(np.log(10) / 50, rel=0.03)
    assert number(run.message, r"puts in (\S+) W") == pytest.approx(50 * size**2, rel=2e-2)


def test_a_sampled_controller_that_is_too_slow_for_its_gain() -> None:
    """Held for a tick h, w grows by 1 - gain h / I each: stable below gain = 2 I / h = 70, whatever the integrator."""
    fine = link().simulate(1.0, rates={"A": 1.0}, controller=Damper(60.0), rate=100)
    assert fine.status == "complete" and not fine.warnings and abs(fine.w[-1, 0]) < 1e-6
    run = link().simulate(9.0, rates={"A": 1.0}, controller=Damper(500.0), rate=100)
    growth = 500.0 * 0.01 / 0.35 - 1.0
    at = number(run.message, r"rad/s at (\S+) s")
    assert run.status == "stopped" and "the controller is called at 100 Hz: its gains may be too high" in run.message
    assert at == pytest.approx(0.01 * np.ceil(np.log(TURNING * 1e6) / np.log(growth)), abs=0.0101)


@pytest.mark.parametrize("method", ["auto", "radau", "exponential", "variational", "ida"])
def test_every_method_ends(method: str) -> None:
    if method == "ida":
        pytest.importorskip("sksundae")
    step = {"step": 1e-3} if method == "variational" else {}
    run = slide().simulate(9.0, rates={"X": 1.0}, efforts={"X": "50*rate(X)"}, method=method, samples=5, **step)
    assert run.status == "stopped" and "the rate of X.slide grows without bound" in run.message


def test_named_states_that_grow() -> None:
    run = link(heat="500*heat").simulate(9.0)
    assert run.status == "stopped" and "the state heat grows without bound" in run.message
    assert number(run.message, r"since (\S+) s") > np.log(STATED) / 500 * 0.99
    assert "look at the signs in its rate" in run.message


def test_a_rate_that_has_no_bound_in_finite_time() -> None:
    """x'' = x'³ from 1 m/s: v = 1 / √(1 - 2 t) has no value at 0.5 s."""
    run = slide().simulate(1.0, rates={"X": 1.0}, efforts={"X": "rate(X)**3"})
    assert run.status == "stopped" and "the rate of X.slide grows without bound" in run.message
    assert number(run.message, r"at (0\.5\S*|0\.49\S*) s") == pytest.approx(0.5, abs=1e-6)


def test_sensitive_runs_end_too() -> None:
    run = slide().simulate(
        9.0, rates={"X": 1.0}, efforts={"X": "50*rate(X)"}, sensitive_to=["cart.mass"], samples=3, method="explicit"
    )
    assert run.status == "stopped" and "grows without bound" in run.message


# -------------------------------------------------------------------- many


def test_many_runs_end_in_the_compiled_pass() -> None:
    rates = np.array([0.0, 1.0, -1.0])
    runs = slide().simulate_many(9.0, rates={"X": rates}, efforts={"X": "50*rate(X)"}, samples=5, threads=1)
    assert runs.status == ("complete", "stopped", "stopped")
    assert runs.message[0] == "" and runs.message[1] == runs.message[2]
    one = slide().simulate(9.0, rates={"X": 1.0}, efforts={"X": "50*rate(X)"}, samples=5)
    assert runs.message[1] == one.message
    assert runs.outcome.steps[1] == one.steps and np.isfinite(runs.outcome.energy_error).all()


def test_many_runs_that_are_complete_at_unphysical_speeds() -> None:
    runs = link().simulate_many(2.0, rates={"A": [1e-9, 1.0]}, efforts={"A": "4*rate(A)"}, samples=5, threads=1)
    assert runs.complete.all() and runs.message[0] == ""
    assert runs.message[1].startswith("unphysical speed: the rate of A.angle reaches 8.45e+09 rad/s")
    assert "warning: 1 complete ones, first run 1: unphysical speed" in str(runs)


# -------------------------------------------------------------------- what is quick is not stopped


def test_a_quick_end_is_told() -> None:
    """w = exp(c t / I) is complete at 1e10 rad/s, and says so."""
    run = link().simulate(2.0, rates={"A": 1.0}, efforts={"A": "4*rate(A)"})
    assert run.status == "complete" and run.w[-1, 0] == pytest.approx(np.exp(8 / 0.35), rel=1e-5)
    (told,) = run.warnings
    assert told.startswith("unphysical speed: the rate of A.angle reaches 8.45e+09 rad/s")


def test_what_begins_quick_goes_on() -> None:
    """A number in other units is told, not stopped: rates are measured by those of the start."""
    run = link().simulate(1.0, rates={"A": 3e7}, samples=3)
    assert run.status == "complete" and "unphysical speed" in run.warnings[0]
    assert link().simulate(1.0, rates={"A": 0.9e6}, samples=3).warnings == ()


def test_the_pace_of_rates() -> None:
    m = lw.Mechanism("all")
    for name in ("a", "b", "c"):
        m.body(name, mass=1.0)
    m.cylindric("C", "ground", "a", axis="z")
    m.free("F", "ground", "b")
    m.spheric("S", "ground", "c")
    m.state("i", rate="-i", scale=2.0)
    loops = m.assemble().loops
    pace = dict(zip((*loops.plan.variable_rates, "i"), pace_of(loops), strict=True))
    assert pace["C.slide"] == SLIDING and pace["C.angle"] == TURNING and pace["S.wx"] == TURNING
    assert pace["F.vx"] == 1e6 and pace["i"] == 2.0 * STATED


def verdict(state: Any, t: float, steps: float, rate: float) -> int:
    return int(interpreted(runaway.verdict.py_func, (np.array([10.0]), state, t, steps, np.array([0.0, rate]))))


def test_steps_that_never_reach_the_end() -> None:
    """After five million steps, a thousandth of a millionth of the way a million is no way; twice as fast is one."""
    for pace, ends in ((0.9e-3, runaway.ENDLESS), (1.1e-3, runaway.ON)):
        state = np.zeros(runaway.STATES)
        state[runaway.END], state[runaway.QUICK] = 1.0 + 5 * pace, 1.0
        found = [verdict(state, million * pace, million * 1e6, 0.0) for million in range(1, 6)]
        assert found == [runaway.ON] * 4 + [ends]


def test_quick_for_a_while() -> None:
    state = np.zeros(runaway.STATES)
    state[runaway.QUICK] = 1.0
    assert [verdict(state, 1.0, 1.0, 11.0), verdict(state, 2.0, 5000.0, 11.0)] == [runaway.ON] * 2
    assert verdict(state, 3.0, 5001.0, 9.0) == runaway.ON and state[runaway.SINCE] == 0.0
    assert verdict(state, 4.0, 6000.0, 11.0) == runaway.ON and state[runaway.SINCE] == 4.0
    assert verdict(state, 5.0, 11_001.0, 11.0) == runaway.RUNAWAY
    assert verdict(np.array([*state[:18], 9.0, 1.0, 0, 0, 0, 0]), 5.0, 1.0, 1.01e7) == runaway.RUNAWAY


# -------------------------------------------------------------------- what is kept


def test_a_trail_is_bounded() -> None:
    kept = trail.Trail()
    wide = trail.MOST // 50_000
    for k in range(400):
        kept.append(np.arange(512.0) + 512 * k, np.zeros((512, wide)))
        if kept.is_full:
            kept.thin()
    times = np.concatenate([own for own, _ in kept])
    assert 25_000 < len(times) < 60_000 and kept.count == 400
    assert (np.diff(times) > 0).all() and times[-1] == 400 * 512 - 1
    assert len(kept.last(24)) == 24 and [len(t) for t, _ in kept.after(390)] == [512] * 10 and not kept.after(400)


def test_a_thinned_run_is_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples, work and derivatives do not depend on how much is kept of the steps."""
    s, given = (
        lw.example("slider-crank").assemble(),
        {"samples": 21, "sensitive_to": ["rod.mass"], "method": "explicit"},
    )
    whole = s.simulate(0.3, start={"A": 0.5}, step=1e-4, **given)
    monkeypatch.setattr(trail, "MOST", 0)
    monkeypatch.setattr(trail, "LEAST", 600)
    monkeypatch.setattr(trail, "RECENT", 1)
    thin = s.simulate(0.3, start={"A": 0.5}, step=1e-4, **given)
    assert (thin.y == whole.y).all() and thin.steps == whole.steps > 2500
    near = np.abs(thin.sensitivity("A", "rod.mass").values - whole.sensitivity("A", "rod.mass").values).max()
    assert near < 1e-9
    assert thin.evidence.simulation.energy_error <= whole.evidence.simulation.energy_error
