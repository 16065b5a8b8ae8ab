"""Postures that are not singular: pivots chosen at the start shrink there, the rows of the loops do not.

Machines of `turning_machines` turn round and round; truth is the least-squares solution of all rows at once.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from simulation_oracles import Motion, apart, kane_motion, least_squares_motion
from test_simulation_events import parallelogram
from turning_machines import KINDS, SPEED, turning_machine, whole_turns

import linkwork as lw
from linkwork.analyses.simulation.eliminations import found_at
from linkwork.equations.closed_dynamics import closed_forward_dynamics
from linkwork.formulas import Question

TIMES = np.linspace(0.0, 0.5, 5)
RTOLS = (1e-6, 1e-8, 1e-10, 1e-12)
FALSE = (("rssr", 2), ("rssp", 0), ("rsur", 0), ("rsup", 0), ("rccc", 0))
"""Spatial four-bars and slider-cranks whose first pivots vanish on the way."""


@functools.cache
def machine(kind: str, seed: int) -> Any:
    return turning_machine(kind, seed).assemble()


@functools.cache
def truth(kind: str, seed: int) -> Motion:
    s = machine(kind, seed)
    start = s.simulate(1e-6, rates={"A": SPEED}, times=[0.0])
    return least_squares_motion(s, start.y[0], start.w[0], TIMES)


def simulated(s: Any, rtol: float, **more: Any) -> Any:
    run = s.simulate(TIMES[-1], rates={"A": SPEED}, times=TIMES, rtol=rtol, atol=rtol / 100, **more)
    assert run.status == "complete", run.message
    return run


def independence(s: Any, y: np.ndarray) -> float:
    """The least singular value of the rows at some postures, without those that are redundant."""
    values = np.linalg.svd(s.loops.equations(y)[1], compute_uv=False)
    rank = int((values > 1e-8 * values[:, :1]).sum(axis=1).max())
    return float(values[:, rank - 1].min())


def first_weakness(s: Any, run: Any) -> float:
    """How many times pivots of the first elimination shrink along a run."""
    elimination = s._forward_dynamics.elimination
    kernel = s.bound_kernel(Question(closed_forward_dynamics(elimination, "tree", "all")))
    health = kernel(run.y, run.w, np.zeros(len(s.variable_rates)), np.zeros(1))[1]
    return float(np.sqrt(health.max() / len(elimination.usual)))


# ---------------------------------------------------------------- the named examples


@pytest.mark.parametrize(("kind", "seed"), FALSE)
def test_error_obeys_the_tolerance_where_the_first_pivots_vanish(kind: str, seed: int) -> None:
    s = machine(kind, seed)
    dense = s.simulate(TIMES[-1], rates={"A": SPEED}, samples=5000, rtol=1e-8, atol=1e-10)
    assert independence(s, dense.y) > 0.1
    assert first_weakness(s, dense) > 100.0
    for rtol in RTOLS:
        run = simulated(s, rtol)
        assert whole_turns(s, run) > 2.0
        assert apart((run.y, run.w), truth(kind, seed)) < 1e3 * rtol
        assert not any("singular" in text for text in run.warnings)


def test_another_derivation_agrees() -> None:
    s = machine("rssp", 0)
    run = simulated(s, 1e-12)
    assert apart((run.y, run.w), kane_motion(s, run.y[0], run.w[0], TIMES, 3e-14)) < 1e-9


def test_an_order_that_lasts_serves_everywhere() -> None:
    """All rates first: found at one posture, its pivots stay strong wherever the rows are independent."""
    s = machine("rsup", 0)
    lasting = found_at(s.loops, s.home.y, lasting=True)
    assert lasting is not None
    run = s.simulate(TIMES[-1], rates={"A": SPEED}, samples=2000, rtol=1e-9, atol=1e-11)
    kernel = s.bound_kernel(Question(closed_forward_dynamics(lasting, "tree", "all")))
    a, health = kernel(run.y, run.w, np.zeros(len(s.variable_rates)), np.zeros(1))
    assert np.sqrt(health.max() / len(lasting.usual)) < 30.0
    assert np.abs(a - run.a).max() < 1e-9 * np.abs(run.a).max()


@pytest.mark.parametrize("method", ["radau", "variational"])
def test_other_methods_change_their_pivots_too(method: str) -> None:
    """Implicit steps by tangents of the elimination in use; steps of one length by its response."""
    kind, seed = "rsup", 0
    s, found = machine(kind, seed), {}
    if method == "radau":
        run = simulated(s, 1e-9, method=method)
        assert apart((run.y, run.w), truth(kind, seed)) < 1e-6
        return
    for step in (1e-3, 5e-4):
        run = s.simulate(TIMES[-1], rates={"A": SPEED}, times=TIMES, method=method, step=step)
        assert run.status == "complete", run.message
        found[step] = apart((run.y, run.w), truth(kind, seed))
    assert found[1e-3] / found[5e-4] == pytest.approx(4.0, rel=0.1)


# ---------------------------------------------------------------- random ones


@pytest.mark.parametrize("kind", KINDS)
def test_random_loops_through_whole_turns(kind: str) -> None:
    check_loops(kind, range(10, 12))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_three_hundred_random_loops_through_whole_turns(kind: str) -> None:
    check_loops(kind, range(100, 134))


def check_loops(kind: str, seeds: range) -> None:
    """Nearly all of them turn; a slide that points far aside may turn the crank back."""
    turning = 0
    for seed in seeds:
        s = turning_machine(kind, seed).assemble()
        runs = [simulated(s, rtol) for rtol in RTOLS]
        expected = least_squares_motion(s, runs[0].y[0], runs[0].w[0], TIMES)
        errors = [apart((run.y, run.w), expected) / rtol for run, rtol in zip(runs, RTOLS, strict=True)]
        assert max(errors) < 1e3, (seed, errors)
        if whole_turns(s, runs[-1]) > 2.0:
            turning += 1
            assert not any("singular" in text for run in runs for text in run.warnings), seed
    assert turning > 0.95 * len(seeds)


# ---------------------------------------------------------------- which joint is cut


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        ("rssr", 2),
        ("slider-crank", 3),
        *(pytest.param(*own, marks=pytest.mark.slow) for own in (("rssp", 0), ("rsup", 1), ("rccc", 0))),
    ],
)
def test_no_matter_which_joint_is_cut(kind: str, seed: int) -> None:
    m = turning_machine(kind, seed)
    m.point("P", list(m.bodies)[-1], (0.3, 0.2, 0.1))
    spin = {"B.wx": 5.0} if kind in ("rssr", "rssp") else {}  # of the rod about itself, by a rate that all know
    found = []
    for cut in "ABCD":
        s = m.assemble(cut=[cut])
        assert [own.joint for own in s.plan.cuts] == [cut]
        run = s.simulate(TIMES[-1], rates={"A": SPEED} | spin, times=TIMES, rtol=1e-12, atol=1e-14)
        assert run.status == "complete", run.message
        found.append(np.column_stack([run["P.x"], run["P.y"], run["P.z"], run["A"].value.values]))
    for other in found[1:]:
        assert np.abs(other - found[0]).max() < 1e-9


# ---------------------------------------------------------------- many runs, derivatives


def test_many_runs_change_their_pivots_each_on_its_own() -> None:
    s = turning_machine("rsup", 1).assemble()
    speeds = np.linspace(20.0, 40.0, 12)
    many = s.simulate_many(0.5, rates={"A": speeds}, samples=3, rtol=1e-10, atol=1e-12)
    assert set(many.status) == {"complete"}
    for k in (0, 5, 11):
        one = s.simulate(0.5, rates={"A": float(speeds[k])}, samples=3, rtol=1e-10, atol=1e-12)
        assert np.abs(many["A.angle"].values[k] - one["A"].value.values).max() < 1e-8


def test_many_runs_change_their_pivots_between_events() -> None:
    """A stop sends the crank back after whole turns, in which the first pivots vanish: each run is that by itself."""
    s = turning_machine("rsup", 1).assemble()
    speeds = np.linspace(25.0, 40.0, 6)
    events = [lw.stop("A", high=9.0, restitution=0.8, name="stop"), lw.when("A - 5", name="five")]
    asked: dict[str, Any] = {"samples": 5, "events": events, "rtol": 1e-12, "atol": 1e-14}
    many = s.simulate_many(0.5, rates={"A": speeds}, **asked)
    assert set(many.status) == {"complete"}
    fresh = turning_machine("rsup", 1).assemble()
    for k, speed in enumerate(speeds):
        one = fresh.simulate(0.5, rates={"A": float(speed)}, **asked)
        assert np.abs(many["A.angle"].values[k] - one["A"].value.values).max() < 1e-9
        assert [e.name for e in many.events(k)] == [e.name for e in one.events]
        assert {"stop", "five"} == {e.name for e in one.events}
        assert np.abs([a.time - b.time for a, b in zip(many.events(k), one.events, strict=True)]).max() < 1e-9
    assert fresh.loops.eliminations and s.loops.eliminations


def test_a_known_loss_of_rank_makes_no_difference() -> None:
    """Rows that are known to lose rank are not looked at again, and the motion is the same to the last bit."""
    s = parallelogram(gravity=9.81)
    asked: dict[str, Any] = {"start": {"A": 1.0 - np.pi / 2}, "rates": {"A": -1.0}, "samples": 4, "rtol": 1e-8}
    first = s.simulate(3.0, **asked)
    assert s.loops.known_ranks
    second = s.simulate(3.0, **asked)
    assert np.array_equal(first.y, second.y) and np.array_equal(first.w, second.w)
    assert first.steps == second.steps and first.warnings == second.warnings


def test_many_runs_with_numbers_of_their_own() -> None:
    s = turning_machine("rssp", 0).assemble()
    masses = np.linspace(0.2, 2.0, 6)
    many = s.simulate_many(
        0.5, rates={"A": SPEED}, parameters={"slider.mass": masses}, samples=3, rtol=1e-10, atol=1e-12
    )
    assert set(many.status) == {"complete"}
    for k in (0, 5):
        one = s.with_parameters({"slider.mass": float(masses[k])})
        run = one.simulate(0.5, rates={"A": SPEED}, samples=3, rtol=1e-10, atol=1e-12)
        assert np.abs(many["A.angle"].values[k] - run["A"].value.values).max() < 1e-8


def test_derivatives_are_carried_past_the_vanishing_pivots() -> None:
    s = turning_machine("rsup", 0).assemble()
    tight = {"rtol": 1e-10, "atol": 1e-12, "samples": 3}
    run = s.simulate(0.5, rates={"A": SPEED}, sensitive_to=["slider.mass"], **tight)
    assert run.status == "complete", run.message
    h = 1e-4
    ends = [
        s.with_parameters({"slider.mass": s.parameters["slider.mass"] + x}).simulate(0.5, rates={"A": SPEED}, **tight)
        for x in (-h, h)
    ]
    for name in ("A.angle", "D.slide"):
        expected = np.diff([np.asarray(own[name])[-1] for own in ends])[0] / (2.0 * h)
        found = np.asarray(run.sensitivity(name, "slider.mass"))[-1]
        assert found == pytest.approx(expected, rel=1e-5)


# ---------------------------------------------------------------- true ones


def test_a_true_singular_posture_is_told_and_passed() -> None:
    """The rows of a parallelogram lose rank where it lies flat; no other pivots are looked for."""
    s = parallelogram(gravity=9.81)
    run = s.simulate(3.0, start={"A": 1.0 - np.pi / 2}, rates={"A": -1.0}, samples=4, rtol=1e-12, atol=1e-14)
    assert run.status == "complete", run.message
    assert np.abs(run["D"].value.values - run["A"].value.values).max() < 1e-9
    assert run.evidence.simulation.energy_error < 1e-9
    assert any("close by a singular posture" in text for text in run.warnings)
    assert s.loops.eliminations == []


def test_runs_repeat_to_rounding_once_other_pivots_are_known() -> None:
    fresh = turning_machine("rsup", 1).assemble()
    first, second = (simulated(fresh, 1e-10) for _ in range(2))
    assert len(fresh.loops.eliminations) > 1
    assert apart((first.y, first.w), (second.y, second.w)) < 1e-9
