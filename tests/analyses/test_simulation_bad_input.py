"""What a simulation is not given, or cannot be done: refused at once with all problems, or ended with a status and
everything that was reached.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from kinematic_machines import four_bar, unit
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.errors import LinkworkError, ModelError

Array = np.ndarray
TIGHT = {"rtol": 1e-12, "atol": 1e-13}


def near(found: Any, expected: Any, tolerance: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance)


def slide(mass: float = 1.0, **loads: Any) -> Any:
    m = lw.Mechanism("slide")
    m.body("block", mass=mass)
    m.prismatic("S", "ground", "block", at=(0, 0, 0), axis="x")
    for name, amount in loads.items():
        m.load(name, "S", amount=amount)
    return m.assemble()


def linkage() -> Any:
    m = four_bar(0.1, 0.3, 0.25, 0.35, 1.0)
    m.gravity = (0.0, -9.81, 0.0)
    for name, at in (("crank", 0.05 * unit(1.0)), ("coupler", (0.2, 0.15, 0)), ("rocker", (0.3, 0.1, 0))):
        m.bodies.pop(name), m.body(name, mass=1.0, com=at, inertia=(0.01, 0.01, 0.02))
    return m.assemble()


# ---------------------------------------------------------------- start


def test_a_start_that_nearly_closes_is_closed_and_told() -> None:
    s = linkage()
    y = s.home.y.copy()
    y[2] += 1e-3
    run = s.simulate(0.2, samples=3, start=y)
    assert run.status == "complete"
    assert any("the start missed the loops by" in text and "closed" in text for text in run.evidence.warnings)
    near(run.evidence.worst_residual, 0.0, 1e-12)
    assert 0.0 < np.abs(run.y[0] - y).max() < 2e-3


def test_a_start_that_does_not_close_is_refused_with_the_gap() -> None:
    s = linkage()
    y = s.home.y.copy()
    y[1] += 0.8
    with pytest.raises(ModelError, match=r"misses the loops by 0\.\d+"):
        s.simulate(0.2, start=y)


def test_a_start_in_exact_closure_is_told_nothing() -> None:
    s = linkage()
    assert not s.simulate(0.1, samples=2, start=s.home.y).evidence.warnings


@pytest.mark.parametrize("start", [{"O2": 1.0, "O4": 1.0}, {"O2": math.nan}, {"Q": 1.0}, {"O2": "far"}])
def test_starts_by_name_that_cannot_be(start: dict[str, Any]) -> None:
    with pytest.raises(LinkworkError) as caught:
        linkage().simulate(0.1, start=start)
    assert any(name in str(caught.value) for name in start)


def test_starts_of_the_wrong_size() -> None:
    s = linkage()
    with pytest.raises(ModelError, match="4 finite numbers"):
        s.simulate(0.1, start=np.zeros(3))
    with pytest.raises(ModelError, match="4 finite numbers"):
        s.simulate(0.1, rates=np.full(4, np.nan))


def test_rates_that_nearly_keep_the_loops_are_made_consistent_and_told() -> None:
    s = linkage()
    moved = s.solve({"O2": [s.home["O2"]]}, {"O2": [2.0]}).rates[0]
    rates = moved.copy()
    rates[1] += 1e-3
    run = s.simulate(0.1, samples=2, rates=rates)
    assert any("opened the loops" in text for text in run.evidence.warnings)
    near(s.loops.equations(run.y[0])[1] @ (run.w[0] / s.loops.column_scale), 0.0, 1e-12)
    near(run.w[0], moved, 2e-3)


def test_rates_that_open_the_loops_are_refused() -> None:
    s = linkage()
    with pytest.raises(ModelError, match=r"open the loops at 0?\.?\d"):
        s.simulate(0.1, rates=np.array([1.0, 2.0, -1.0, 3.0]))


def test_rates_by_name_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(LinkworkError) as caught:
        linkage().simulate(0.1, rates={"O2": 1.0, "O4": 5.0})
    assert "O2" in str(caught.value) or "O4" in str(caught.value)


def test_a_start_against_a_law() -> None:
    s = slide()
    with pytest.raises(ModelError, match=r"starts at 0\.5, but its law begins at 0"):
        s.simulate(1.0, start={"S": 0.5}, drives={"S": lw.ramp(0, 1, duration=1)})


# ---------------------------------------------------------------- times and settings


def test_everything_that_is_wrong_is_told_at_once() -> None:
    s = slide()
    with pytest.raises(ModelError) as caught:
        s.simulate(
            -1.0, times=[0.0, 2.0, 1.0], method="rk4", rtol=0.0, atol=-1.0, step="short", controller=3,
            drives={"Q": 1.0}, efforts={"S": math.nan}, events=[lw.when("Q", name="x"), 3],
        )  # fmt: skip
    places = [p.where for p in caught.value.problems]
    for place in ("until", "times", "method", "rtol", "atol", "step", "controller", "rate"):
        assert place in places, (place, places)
    assert any(p.startswith("events") for p in places)


@pytest.mark.parametrize(
    "options, told",
    [
        ({"times": [0.0, 0.5, 0.4]}, "0.4 s comes after 0.5 s"),
        ({"times": [0.0, 1.5]}, "do not lie within 0 and 1 s"),
        ({"times": [-0.1, 0.5]}, "do not lie within 0 and 1 s"),
        ({"times": [0.0, math.nan]}, "finite"),
        ({"times": []}, "at least one"),
        ({"times": ["soon"]}, "finite"),
        ({"times": [0.0, 1.0], "samples": 3}, "instead of"),
        ({"samples": 1}, "1 samples"),
        ({"samples": 2.5}, "2.5 samples"),
        ({"method": "verlet"}, "verlet"),
        ({"method": "variational"}, "step"),
        ({"rtol": 1e-17}, "1e-17"),
        ({"progress": 3}, "progress"),
    ],
)
def test_settings(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ModelError, match=told):
        slide().simulate(1.0, **options)


@pytest.mark.parametrize("until", [0.0, -1.0, math.nan, math.inf, "long", None, True])
def test_ends_that_are_none(until: Any) -> None:
    with pytest.raises(ModelError, match="until"):
        slide().simulate(until)


def test_times_may_repeat_and_need_not_reach_the_end() -> None:
    run = slide(push=2.0).simulate(1.0, times=[0.25, 0.25, 0.5], **TIGHT)
    near(run.time, [0.25, 0.25, 0.5], 0.0)
    near(run["S"].value, [0.0625, 0.0625, 0.25], 1e-14)


# ---------------------------------------------------------------- numbers that are none


@pytest.mark.parametrize("method", ["explicit", "radau", "auto"])
@pytest.mark.parametrize("law", ["sqrt(0.5 - t)", "log(0.5 - t)", "where(t < 0.5, 1, sqrt(-1))"])
def test_a_load_that_has_no_value_from_some_time_on(law: str, method: str) -> None:
    """Time and name are told, and what came before is kept."""
    run = slide(pull=law).simulate(1.0, samples=11, method=method)
    assert run.status == "stopped" and "pull" in run.message, run.message
    assert "at 0.5 s" in run.message or "0.4999" in run.message
    assert len(run.time) >= 5 and run.time[4] == 0.4
    if law.startswith("sqrt"):
        # v = 2/3 (0.5^1.5 - (0.5 - t)^1.5)
        near(run["S.slide.rate"], 2 / 3 * (0.5**1.5 - (0.5 - np.minimum(run.time, 0.5)) ** 1.5), 1e-6)


def test_a_load_that_has_no_value_in_some_posture() -> None:
    run = slide(pull="1/sqrt(1 - S)", push=3.0).simulate(3.0, samples=31, rates={"S": 1.0})
    assert run.status == "stopped" and "pull" in run.message, run.message
    assert 0.5 < run["S"].value.values[-1] < 1.0


def test_a_load_that_has_no_value_at_the_start() -> None:
    run = slide(pull="log(S)").simulate(1.0, samples=3)
    assert run.status == "stopped" and "pull" in run.message and "at 0 s" in run.message
    assert len(run.time) == 0


def test_an_effort_that_has_no_value_is_refused_with_time_and_name() -> None:
    with pytest.raises(ModelError) as caught:
        slide().simulate(1.0, efforts={"S": lambda t: np.where(t < 0.5, 1.0, np.nan)})
    told = str(caught.value)
    assert "efforts.S" in told and "is nan at t = " in told


def test_a_function_that_fails_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"S.*the function fails"):
        slide().simulate(1.0, efforts={"S": lambda t: float(t)})


def test_a_motion_that_grows_without_bound() -> None:
    """S'' = 6 S² from S = 1, S' = 2: S = 1/(1 - t)², which ends at 1 s. All before that is kept."""
    run = slide(run="6*S**2").simulate(2.0, samples=41, start={"S": 1.0}, rates={"S": 2.0}, **TIGHT)
    assert run.status == "stopped", run.message
    assert "the rate of S.slide grows without bound" in run.message, run.message
    assert 0.999 < float(run.message.split(" m/s at ")[1].split(" s")[0]) < 1.0
    near(run.time[-1], 0.95, 1e-12)
    near(run["S"].value * (1 - run.time) ** 2, 1.0, 1e-8)
    assert run.evidence.reached == 20 and run.evidence.asked == 41


def test_a_jump_that_no_step_passes_is_told() -> None:
    """A formula that jumps with the state back and forth: sign(S) pulls to zero from both sides."""
    run = slide(pull="-5*sign(S)", drag="-0.5*rate(S)").simulate(5.0, samples=11, start={"S": 0.1}, method="explicit")
    assert run.status in ("complete", "stopped")
    if run.status == "stopped":
        assert "too short" in run.message and "event" in run.message


# ---------------------------------------------------------------- stiffness


def stiff(k: float = 1e8, c: float = 2e5) -> Any:
    """Two masses; a stiff, heavily damped joint between them, and a soft spring to the ground."""
    m = lw.Mechanism("stiff")
    m.body("a", mass=1.0)
    m.body("b", mass=0.5)
    m.prismatic("A", "ground", "a", at=(0, 0, 0), axis="x")
    m.prismatic("B", "a", "b", at=(0, 0, 0), axis="x")
    m.spring("soft", joint="A", stiffness=6.0, free=0.0)
    m.spring("hard", joint="B", stiffness=k, free=0.0, damping=c)
    return m.assemble()


def stiff_motion(times: Array, k: float = 1e8, c: float = 2e5) -> Array:
    """By matrix exponentials: (A, B) from A = 0.2, B = 0."""
    from scipy.linalg import expm

    M = np.array([[1.5, 0.5], [0.5, 0.5]])
    K, C = np.diag([6.0, k]), np.diag([0.0, c])
    F = np.zeros((4, 4))
    F[:2, 2:], F[2:, :2], F[2:, 2:] = np.eye(2), -np.linalg.solve(M, K), -np.linalg.solve(M, C)
    return np.array([expm(F * t) @ [0.2, 0.0, 0.0, 0.0] for t in times])[:, :2]


def test_stiffness_is_told_with_explicit_steps_and_met_by_others() -> None:
    s, times = stiff(), np.linspace(0.0, 2.0, 11)
    expected = stiff_motion(times)
    auto = s.simulate(2.0, times=times, start={"A": 0.2})
    near(auto["A"].value, expected[:, 0], 1e-5)
    assert auto.methods == ("explicit", "radau") and any("stiff from" in text for text in auto.evidence.warnings)
    short = s.simulate(0.02, times=[0.02], start={"A": 0.2}, method="explicit")
    assert any("stiff at" in t and "method='radau'" in t for t in short.evidence.warnings), short.evidence.warnings
    near(short["A"].value, stiff_motion(np.array([0.02]))[:, 0], 1e-6)
    whole = s.simulate(2.0, times=times, start={"A": 0.2}, method="radau")
    near(whole["A"].value, expected[:, 0], 1e-5)
    assert auto.steps < 5 * whole.steps + 200


def test_auto_goes_back_to_explicit_steps() -> None:
    """The hard joint is switched off after a while: from then on the motion is smooth, and its steps are explicit."""
    s = stiff()
    run = s.simulate(20.0, samples=201, start={"A": 0.2}, events=lw.at(0.5, off="hard"))
    assert run.status == "complete"
    told = " ".join(run.evidence.warnings)
    assert told.index("stiff from") < told.index("no longer stiff")
    # B drifts from then on; A swings with 1 kg alone.
    late = run.time >= 0.5
    swing = run["A"].value.values[late]
    again = solve_ivp(
        lambda t, z: [z[1], -6.0 * z[0]], (0.5, 20.0), [swing[0], run["A.slide.rate"].values[late][0]], "DOP853",
        t_eval=run.time[late], rtol=1e-11, atol=1e-12,
    )  # fmt: skip
    near(swing, again.y[0], 1e-4)


def test_smooth_motions_stay_explicit() -> None:
    run = linkage().simulate(2.0, samples=5)
    assert run.methods == ("explicit",) and not run.evidence.warnings


# ---------------------------------------------------------------- interrupted


def test_an_interrupt_keeps_what_is_done() -> None:
    def progress(t: float, until: float) -> None:
        assert until == 100.0
        if t > 20.0:
            raise KeyboardInterrupt

    m = lw.Mechanism("pendulum", gravity=(0, -9.81, 0))
    m.body("bob", mass=1.0, com=(0, -1, 0))
    m.revolute("A", "ground", "bob", at=(0, 0, 0), axis="z")
    run = m.assemble().simulate(100.0, samples=1001, start={"A": 2.0}, progress=progress, step=1e-2)
    assert run.status == "stopped" and run.message.startswith("interrupted at 2")
    assert 200 <= len(run.time) < 300
    energy = run["machine.kinetic_energy"] + run["machine.potential_energy"]
    near(energy, energy[0], 1e-4)


def test_a_step_that_has_no_solution_is_told() -> None:
    run = slide(run="6*S**2").simulate(2.0, start={"S": 1.0}, rates={"S": 2.0}, method="variational", step=0.3)
    assert run.status == "stopped" and "smaller `step`" in run.message


@pytest.mark.parametrize("more", [{}, {"sensitive_to": "block.mass"}])
def test_progress_that_cannot_be_called(more: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="progress: this is of type int"):
        slide().simulate(1.0, progress=3, **more)


def test_driven_variables_are_not_locked_or_released() -> None:
    """All of them at once, by name; a variable that is free may be."""
    events = [lw.at(0.5, lock="S"), lw.when("t - 0.7", release="S.slide", name="go")]
    with pytest.raises(ModelError) as caught:
        slide().simulate(1.0, drives={"S": lw.ramp(0, 1, duration=1.0)}, events=events)
    assert [p.where for p in caught.value.problems] == ["events[0].lock", "events.go.release"]
    assert all("is driven: its law tells how it moves" in p.what for p in caught.value.problems)
    assert slide().simulate(1.0, events=events).success


def test_events_without_effect_are_told() -> None:
    """After the end; a load that is on already."""
    events = [lw.at(2.0, stop=True, name="late"), lw.at(0.5, on="push"), lw.at(1.0, stop=True)]
    run = slide(push=1.0).simulate(1.0, events=events)
    late, on = run.evidence.warnings if "late" in run.evidence.warnings[0] else run.evidence.warnings[::-1]
    assert late == "late: after the end at 1 s, it does not take place"
    assert "'push' acts from the start" in on
