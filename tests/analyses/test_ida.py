"""`method="ida"`: known motions, its equations, agreement with explicit steps, what it refuses, and how it ends."""

from __future__ import annotations

import math
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simulation_fixtures as truths
from scipy.integrate import solve_ivp
from simulation_oracles import apart

import linkwork as lw
from linkwork.analyses.simulation.index_two import IndexTwo
from linkwork.analyses.simulation.question import asked
from linkwork.errors import MissingExtra, ModelError

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from random_loads import random_loaded_machine  # noqa: E402

pytest.importorskip("sksundae")
Array = np.ndarray
FINE = {"rtol": 1e-10, "atol": 1e-11}
FINER = {"rtol": 1e-12, "atol": 1e-13}

# ---------------------------------------------------------------- known motions

LONG = {
    "pendulum": truths.pendulum_truth,
    "double-pendulum": truths.double_pendulum_truth,
    "tumbling-box": truths.tumbling_box_truth,
    "four-bars-2": lambda: truths.four_bars_truth(2, np.array([0.0, 0.5, 1.0, 2.0])),  # past two singular postures
    "bricard": lambda: truths.bricard_truth(np.linspace(0.0, 4.0, 5)),
    "andrews": lambda: truths.andrews_truth(np.array([0.0, 0.01, 0.02, 0.03])),
}
SHORT = {
    "pendulum": lambda: truths.pendulum_truth(np.array([0.0, 0.5, 1.0])),
    "four-bars-2": lambda: truths.four_bars_truth(2, np.array([0.0, 0.25, 0.5])),
    "four-bars-5": lambda: truths.four_bars_truth(5, np.array([0.0, 0.25, 0.5])),
    "bricard": lambda: truths.bricard_truth(np.array([0.0, 0.5, 1.0])),
    "andrews": lambda: truths.andrews_truth(np.array([0.0, 0.005, 0.01])),
}


def simulated(truth: truths.Truth, **options: Any) -> lw.Run:
    s = truth.mechanism().assemble()
    end = float(truth.times[-1])
    return s.simulate(until=end, times=truth.times, rates=dict(truth.rates), method="ida", **options)


@pytest.mark.parametrize("name", LONG)
def test_known_motions_by_default(name: str) -> None:
    truth = LONG[name]()
    run = simulated(truth)
    assert run.status == "complete" and run.methods == ("ida",)
    assert truth.error(run) < 1e-4


@pytest.mark.parametrize("name", SHORT)
def test_known_motions_closely(name: str) -> None:
    truth = SHORT[name]()
    run = simulated(truth, **FINE)
    assert truth.error(run) < 2e-8
    evidence = run.evidence.simulation
    assert evidence.energy_error < 1e-7 * evidence.energy_scale
    assert evidence.steps > 20 and evidence.evaluations >= evidence.steps


def test_errors_fall_with_the_tolerance() -> None:
    truth = truths.bricard_truth(np.linspace(0.0, 2.0, 11))
    tolerances = [1e-4, 1e-6, 1e-8, 1e-10]
    found = [truth.error(simulated(truth, rtol=x, atol=x / 10)) for x in tolerances]
    slope = np.polyfit(np.log(tolerances), np.log(found), 1)[0]
    assert 0.7 < slope < 1.1, found  # errors of steps are held, of order up to 5


def test_loops_and_quaternions_are_kept() -> None:
    run = simulated(LONG["bricard"](), rtol=1e-4, atol=1e-5)
    assert run.evidence.worst_residual < 1e-14
    box = simulated(truths.tumbling_box_truth(), rtol=1e-4, atol=1e-5)
    assert np.abs(np.linalg.norm(box.y[:, 3:], axis=1) - 1.0).max() < 1e-14
    assert 1e-12 < run.evidence.simulation.largest_correction < 1e-3


def flat_parallelogram() -> lw.Mechanism:
    """Rods of 1 m and 1 kg, all lying on the x axis, where the rank is one less than elsewhere."""
    m = lw.Mechanism("flat", gravity=(0, -truths.G, 0))
    for name, x in (("left", 0.5), ("right", 1.5), ("coupler", 1.5)):
        m.body(name, mass=1.0, com=(x, 0, 0), inertia=(0, 1 / 12, 1 / 12))
    m.revolute("A", "ground", "left", at=(0, 0, 0), axis="z")
    m.revolute("D", "ground", "right", at=(1, 0, 0), axis="z")
    m.revolute("B", "left", "coupler", at=(1, 0, 0), axis="z")
    m.revolute("C", "coupler", "right", at=(2, 0, 0), axis="z")
    return m


def test_rows_are_chosen_anew_where_the_rank_changes() -> None:
    """From a singular posture on, with rates of a parallelogram: (1/3 + 1/3 + 1) φ'' = -2 g cos φ."""
    s = flat_parallelogram().assemble()
    rates = {"A.angle": 2.0, "D.angle": 2.0, "B.angle": -2.0, "C.angle": 2.0}
    w = np.array([rates[n] for n in s.variable_rates])
    run = s.simulate(until=0.5, samples=6, start=s.home.y, rates=w, method="ida")
    c = 2 * truths.G / (5 / 3)
    known = solve_ivp(lambda t, x: [x[1], -c * math.cos(x[0])], (0, 0.5), [0, 2], t_eval=run.t, rtol=1e-12, atol=1e-13)
    assert run.status == "complete"
    assert np.abs(run["A.angle"] - known.y[0]).max() < 1e-5
    assert np.abs(run["D.angle"] - known.y[0]).max() < 1e-5


# ---------------------------------------------------------------- the equations


@pytest.mark.parametrize("seed", [0, 4, 6])
def test_equations_and_their_slopes(seed: int) -> None:
    """The start obeys them; slopes are central differences of the residual. One variable is driven, loads act."""
    s = random_loaded_machine(seed).machine
    name = next(n for n in s.home.independent if n in s.variables)
    question = asked(
        s, 1.0, None, None, {name: (s.home[name], 0.3)}, None, (), None, None, 2, None, "ida", None, 1e-7, 1e-9
    )  # fmt: skip
    equations = IndexTwo(question)
    equations.choose(question.y)
    x, dx = equations.start(0.0, question.y, question.w)
    out = np.zeros(len(x))

    def residual(x: Array, dx: Array) -> Array:
        equations.residual(0.0, x, dx, out)
        return out.copy()

    assert np.abs(residual(x, dx)).max() < 1e-12
    assert np.abs(x[equations.places.forces]).max() > 0.1
    c, h = 7.0, 1e-6
    slopes = np.zeros((len(x), len(x)))
    equations.slopes(0.0, x, dx, c, slopes)
    ways = h * np.eye(len(x))
    known = np.array([residual(x + way, dx + c * way) - residual(x - way, dx - c * way) for way in ways]).T / (2 * h)
    assert np.abs(slopes - known).max() < 1e-8 * np.abs(slopes).max()


# ---------------------------------------------------------------- agreement with Linkwork's own steps


def both(s: Any, within: float, **options: Any) -> tuple[lw.Run, lw.Run]:
    """Explicit and by IDA; variables, rates, accelerations and all signals of efforts agree."""
    own, other = s.simulate(method="explicit", **FINER, **options), s.simulate(method="ida", **FINE, **options)
    assert (own.status, other.status) == ("complete", "complete"), (own.message, other.message)
    assert apart((other.y, other.w), (own.y, own.w)) < within
    assert np.abs(other.a - own.a).max() < 10 * within * max(1.0, np.abs(own.a).max())
    assert list(own.data.data_vars) == list(other.data.data_vars)
    for name in (str(n) for n in own.data.data_vars):
        if name.endswith((".effort", ".power", "_energy")):
            one, two = np.asarray(own[name]), np.asarray(other[name])
            assert np.abs(two - one).max() < 10 * within * max(1.0, np.abs(one).max()), name
    mine, theirs = own.evidence.simulation, other.evidence.simulation
    assert abs(mine.work - theirs.work) < 10 * within * max(1.0, mine.energy_scale)
    assert mine.impact_loss == theirs.impact_loss == 0.0
    assert abs(mine.change - theirs.change) < 10 * within * max(1.0, mine.energy_scale)
    return own, other


SEEDS = [*range(5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 14))]


@pytest.mark.parametrize("seed", SEEDS)
def test_loads_of_every_kind(seed: int) -> None:
    """Random loops, with springs, friction, motors, forces and torques by number, formula and table."""
    loaded = random_loaded_machine(seed)
    state = loaded.state(np.random.default_rng(seed))
    both(loaded.machine, 1e-8, until=0.05, samples=6, start=state.y, rates=state.w)


@cache
def double_pendulum() -> Any:
    return truths.double_pendulum().assemble()


@cache
def four_bars() -> Any:
    return truths.four_bars(2).assemble()


def test_a_driven_machine() -> None:
    both(double_pendulum(), 1e-8, until=1.0, samples=11, drives={"A": lw.cycloidal(math.pi / 2, 0.3, duration=0.6)})


def test_the_drive_of_a_free_body() -> None:
    s = truths.tumbling_box().assemble()
    rates = {n: x for n, x in truths.tumbling_box_truth().rates.items() if n != "flight.vx"}
    drives = {"flight.x": lw.harmonic(0, 0.2, frequency=1)}
    both(s, 1e-8, until=0.5, samples=6, rates=rates, drives=drives)


def test_rates_jump_with_a_drive() -> None:
    """A ramp that ends all at once: the impulse takes energy, the same in both."""
    own, _ = both(double_pendulum(), 1e-8, until=1.0, samples=8, drives={"B": lw.ramp(0, 1, duration=0.5)})
    assert own.evidence.simulation.change < -0.1


def test_a_driven_cut_joint() -> None:
    s = four_bars()
    cut = s.variables[s.nq]
    both(s, 1e-8, until=0.5, samples=6, drives={cut: (s.home[cut], -1.0)})


def test_efforts_of_every_kind() -> None:
    """A number, a law of time with a corner, and formulas of the state, on joints in and outside the tree."""
    s = four_bars()
    efforts = {
        "A0": "-rate(A0) - 2*sin(3*t)*A1",
        "A2": 0.5,
        s.variables[s.nq]: lw.tabulated([0, 0.2, 0.6], [0, 1, -1]),
    }
    both(s, 1e-8, until=0.6, samples=7, rates={"A0": -1.0}, efforts=efforts)


def test_a_controller() -> None:
    def damped(t: float, state: Any) -> dict[str, float]:
        return {"A": -3.0 * state["A"], "B": -0.5 * state.rate("B")}

    both(double_pendulum(), 1e-7, until=0.5, samples=6, controller=damped, rate=20)


# ---------------------------------------------------------------- what it refuses


def test_events_and_stiction_are_refused_all_at_once() -> None:
    m = truths.double_pendulum()
    m.friction("brake", "B", level=0.5, form="exact")
    events = [lw.stop("A", low=-1.0, name="wall"), lw.when("B", name="crossing"), lw.at(0.2, stop=True, name="bell")]
    with pytest.raises(ModelError) as caught:
        m.assemble().simulate(until=1.0, events=events, method="ida")
    text = str(caught.value)
    assert len(caught.value.problems) == 4
    for word in ("wall", "crossing", "bell", "brake", "method='explicit'", "form='smooth'"):
        assert word in text


def test_the_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sksundae.ida", None)
    with pytest.raises(MissingExtra, match=r"^method='ida' needs scikit-sundae: pip install 'linkwork\[sundials\]'$"):
        double_pendulum().simulate(until=1.0, method="ida")


# ---------------------------------------------------------------- how it ends


def test_samples_are_where_they_are_wanted() -> None:
    times = np.array([0.0, 0.0, 0.3, 0.3, 0.7])
    run = double_pendulum().simulate(until=1.0, times=times, method="ida")
    assert np.array_equal(run.t, times)
    assert np.array_equal(run.y[0], run.y[1]) and np.array_equal(run.y[2], run.y[3])


def test_the_longest_step() -> None:
    s = double_pendulum()
    assert s.simulate(until=0.5, samples=2, method="ida", step=1e-3).steps >= 500


def test_an_interruption_keeps_what_is_done() -> None:
    def stop(t: float, end: float) -> None:
        if t > 0.5:
            raise KeyboardInterrupt

    run = double_pendulum().simulate(until=5.0, samples=501, method="ida", progress=stop)
    assert run.status == "stopped" and run.message.startswith("interrupted at ")
    assert 50 < len(run) < 500
    whole = double_pendulum().simulate(until=5.0, samples=501, method="ida")
    assert np.array_equal(run.y, whole.y[: len(run)])


def test_a_load_without_a_value() -> None:
    """√A ends where A falls below zero."""
    run = double_pendulum().simulate(until=5.0, samples=51, method="ida", efforts={"A": "sqrt(A)"})
    assert run.status == "stopped" and "s: effort_A_angle: the load is not a finite number" in run.message
    assert 3 < len(run) < 51 and (run["A.angle"] >= 0.0).all()
    assert np.isfinite(run.y).all() and np.isfinite(run.a).all()


def test_progress_is_told() -> None:
    told: list[tuple[float, float]] = []
    double_pendulum().simulate(until=1.0, samples=2, method="ida", progress=lambda t, end: told.append((t, end)))
    assert told[-1] == (1.0, 1.0) and len(told) > 1
    assert [t for t, _ in told] == sorted(t for t, _ in told)
