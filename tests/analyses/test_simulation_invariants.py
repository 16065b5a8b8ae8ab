"""What no simulation may change, on random machines: energy, momentum, closed loops, unit quaternions, the way back;
and that tolerances mean what they say. Other equations and other integrators go along.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simulation_fixtures as truths
from kane import Kane
from maximal import Instant
from simulation_oracles import Motion, apart, ida_motion, kane_motion, maximal_motion, started, states

import linkwork as lw
from linkwork.model.bodies import inertia
from linkwork.model.loads import Spring

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from random_loads import Loaded, _drives, _recipe, random_loaded_machine  # noqa: E402
from random_loops import many_loops  # noqa: E402
from random_trees import grow_tree, random_inertia  # noqa: E402

Array = np.ndarray
TIGHT = {"rtol": 1e-12, "atol": 1e-13}
TREES = ("revolute", "prismatic", "helical", "cylindric", "flat", "universal", "spheric", "free")
FEW, MANY = range(6), range(6, 14)
SEEDS = [*FEW, *(pytest.param(seed, marks=pytest.mark.slow) for seed in MANY)]


# ---------------------------------------------------------------- random machines without losses


def with_masses(m: lw.Mechanism, rng: np.random.Generator, gravity: float, springs: bool) -> lw.Mechanism:
    """Random masses on all bodies, weight in a random direction, and a spring between two of them."""
    for name, body in list(m.bodies.items()):
        mass, com, tensor = random_inertia(rng, aligned=False)
        if name != m.ground.name:
            own = inertia(tensor)
            m.bodies[name] = dataclasses.replace(body, mass=mass, com=tuple(map(float, com)), inertia=own)
        if name != m.ground.name or not m.floating:
            m.point(f"at_{name}", name, rng.uniform(-1.0, 1.0, 3))
    m.gravity = tuple(float(g) for g in gravity * rng.normal(size=3))
    if springs:
        first, second = rng.choice([p for p in m.points if p.startswith("at_")], 2, replace=False)
        m.loads["coil"] = Spring("coil", first=str(first), second=str(second), stiffness=20.0, free=0.4)
    return m


@cache
def closed_machine(seed: int) -> Loaded:
    """Planar, spherical and general loops in turn, with weight and a spring; one that floats has no weight."""
    for attempt in range(100):
        recipe = _recipe(1000 * attempt + seed)
        drives = _drives(recipe, seed)
        if drives:
            gravity = 0.0 if recipe.floating else 6.0
            return Loaded(
                with_masses(recipe.mechanism(), np.random.default_rng([seed, 11]), gravity, True), tuple(drives)
            )
    raise AssertionError("no machine")


@cache
def open_machine(seed: int) -> Any:
    """A tree that hangs in the world, with weight."""
    m = grow_tree(seed, TREES, bodies=4, massless=False).mechanism
    return with_masses(m, np.random.default_rng([seed, 12]), 5.0, True).assemble()


@cache
def flying_machine(seed: int) -> Any:
    """A tree that nothing holds, without weight, with a spring inside."""
    m = grow_tree(seed, TREES, bodies=3, floating=1, grounded=False, massless=False).mechanism
    return with_masses(m, np.random.default_rng([seed, 13]), 0.0, True).assemble()


def thrown(s: Any, seed: int, until: float = 1.0, size: float = 1.0, **options: Any) -> lw.Run:
    """From home with random rates of all joints of a tree."""
    w = size * np.random.default_rng([seed, 14]).normal(size=len(s.variable_rates))
    run = s.simulate(until=until, samples=21, rates=w, **options)
    assert run.status == "complete", run.message
    return run


def along(kane: Kane, motion: Motion) -> tuple[Array, Array]:
    """Energies and momenta at all samples."""
    pairs = list(zip(*motion, strict=True))
    return np.array([kane.energy(y, w) for y, w in pairs]), np.array(
        [np.array(kane.momentum(y, w))[:, 0] for y, w in pairs]
    )


def drift(values: Array) -> float:
    """Largest change from the start, in units of the largest value or of 1."""
    return float(np.abs(values - values[0]).max() / max(1.0, float(np.abs(values).max())))


# ---------------------------------------------------------------- energy and momentum


@pytest.mark.parametrize("seed", SEEDS)
def test_energy_of_trees(seed: int) -> None:
    s = open_machine(seed)
    motion = states(thrown(s, seed, **TIGHT), s)
    assert drift(along(Kane(s, s.home.y), motion)[0]) < 1e-10


@pytest.mark.parametrize("seed", SEEDS)
def test_energy_and_momentum_of_what_flies(seed: int) -> None:
    """Linear and angular momentum, and the centre of mass on a straight line."""
    s = flying_machine(seed)
    run = thrown(s, seed, **TIGHT)
    energy, momentum = along(Kane(s, s.home.y), states(run, s))
    assert drift(energy) < 1e-10
    assert drift(momentum[:, :3]) < 1e-10
    assert drift(momentum[:, 3:]) < 1e-10


def case(seed: int) -> tuple[Any, Array, Array]:
    """A machine with loops, at home with random rates of its drives; one that floats also moves as a whole."""
    rng = np.random.default_rng(seed)
    loaded = closed_machine(seed)
    s = loaded.machine
    y, w = started(s, loaded.draw(rng)[0])
    roots = [s.variable_rates.index(r) for r in loaded.roots]
    w[roots] = rng.normal(size=len(roots))
    return s, y, w


@cache
def simulated_case(seed: int) -> tuple[lw.Run, Motion]:
    s, y, w = case(seed)
    run = s.simulate(until=0.2, samples=5, start=y, rates=w, **TIGHT)
    assert run.status == "complete", run.message
    return run, states(run, s)


CLOSED = [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in (8, 9, 10, 11, 12, 13, 15, 18, 22, 26))]


@pytest.mark.parametrize("seed", CLOSED)
def test_energy_of_loops(seed: int) -> None:
    s, y, w = case(seed)
    kane, (_, motion) = Kane(s, y), simulated_case(seed)
    energy, momentum = along(kane, motion)
    assert abs(energy[0] - kane.energy(y, w)) < 1e-12 * max(1.0, abs(energy[0]))
    assert drift(energy) < 1e-10
    if s.mechanism.floating:
        assert drift(momentum) < 1e-10


@pytest.mark.parametrize("seed", CLOSED)
def test_loops_stay_closed(seed: int) -> None:
    """In place and in velocity, as maximal coordinates see it; quaternions keep their length."""
    s, _, _ = case(seed)
    run, (y, w) = simulated_case(seed)
    for k in range(len(y)):
        assert Instant(s, y[k], w[k], float(run.time[k])).misfit < 1e-12
    names = [n.removesuffix("qw") for n in s.variables if n.endswith(".qw")]
    for joint in names:
        places = [s.variables.index(f"{joint}{q}") for q in ("qw", "qx", "qy", "qz")]
        assert np.abs(np.linalg.norm(y[:, places], axis=1) - 1).max() < 1e-14


@pytest.mark.parametrize("seed", CLOSED)
def test_loops_against_other_equations(seed: int) -> None:
    s, y, w = case(seed)
    run, motion = simulated_case(seed)
    assert apart(motion, kane_motion(s, y, w, run.time)) < 1e-9


@pytest.mark.parametrize("seed", [0, 3, 5, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (4, 7, 8, 10, 11))])
def test_loops_against_ida(seed: int) -> None:
    s, y, w = case(seed)
    run, motion = simulated_case(seed)
    assert apart(motion, ida_motion(s, y, w, run.time)) < 1e-9


def test_floating_loops() -> None:
    """Loops that nothing holds: energy and momentum, and other equations."""
    recipe = many_loops(3, 1, ("revolute", "universal", "spheric", "cylindric", "prismatic"), mobility=1, floating=True)
    s = with_masses(recipe.mechanism(), np.random.default_rng(31), 0.0, True).assemble()
    rng = np.random.default_rng(32)
    name = s.home.independent[-1]
    y, w = started(s, {name: 0.7})
    roots = [i for i, r in enumerate(s.variable_rates) if r.split(".")[0] not in s.mechanism.joints]
    assert len(roots) == 6
    w[roots] = rng.normal(size=6)
    run = s.simulate(until=0.3, samples=4, start=y, rates=w, **TIGHT)
    motion = states(run, s)
    energy, momentum = along(Kane(s, y), motion)
    assert drift(energy) < 1e-10 and drift(momentum) < 1e-10
    assert apart(motion, kane_motion(s, y, w, run.time)) < 1e-9


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4, 5, 6, 7))])
def test_loads_of_every_kind_against_maximal_coordinates(seed: int) -> None:
    """Springs, friction, motors, forces and torques by number, formula and table, over a short time."""
    loaded = random_loaded_machine(seed)
    s, state = loaded.machine, loaded.state(np.random.default_rng(seed))
    times = np.array([0.0, 0.01])
    run = s.simulate(until=0.01, times=times, start=state.y, rates=state.w, **TIGHT)
    assert apart(states(run, s), maximal_motion(s, state.y, state.w, times)) < 1e-9


# ---------------------------------------------------------------- the way back


@pytest.mark.parametrize("seed", [0, 1, 4, 5, 7])
def test_the_way_back(seed: int) -> None:
    """Without losses, with all rates turned round, it returns to where it came from."""
    s, y, w = case(seed)
    _, (there_y, there_w) = simulated_case(seed)
    run = s.simulate(until=0.2, samples=5, start=there_y[-1], rates=-there_w[-1], **TIGHT)
    back_y, back_w = states(run, s)
    assert apart((back_y[::-1], -back_w[::-1]), (there_y, there_w)) < 1e-9
    assert apart((back_y[-1:], -back_w[-1:]), (y[np.newaxis], w[np.newaxis])) < 1e-9


@pytest.mark.parametrize("seed", [0, 1, 5])
def test_in_two_halves(seed: int) -> None:
    """Stopped and taken up again it does what it would have done."""
    s, _, _ = case(seed)
    _, (y, w) = simulated_case(seed)
    run = s.simulate(until=0.1, samples=3, start=y[2], rates=w[2], **TIGHT)
    assert apart(states(run, s), (y[2:], w[2:])) < 1e-9


# ---------------------------------------------------------------- tolerances mean what they say


def errors(truth: truths.Truth, tolerances: list[float], **options: Any) -> Array:
    s = truth.mechanism().assemble()
    end = float(truth.times[-1])
    runs = [
        s.simulate(until=end, times=truth.times, rates=dict(truth.rates), rtol=x, atol=x / 100, **options)
        for x in tolerances
    ]
    return np.array([truth.error(run) for run in runs])


HALVES = [1e-5 / 2**k for k in range(18)]


KNOWN: dict[str, Callable[[], truths.Truth]] = {
    "double-pendulum": truths.double_pendulum_truth,
    "four-bars-2": lambda: truths.four_bars_truth(2, np.linspace(0.0, 0.7, 36)),
    "bricard": lambda: truths.bricard_truth(np.linspace(0.0, 2.0, 81)),
    "andrews": lambda: truths.andrews_truth(np.linspace(0.0, 0.02, 81)),
    "tumbling-box": truths.tumbling_box_truth,
}


@pytest.mark.parametrize("name", KNOWN)
def test_errors_fall_with_the_tolerance(name: str) -> None:
    """Half the tolerance, half the error, and never far above it: the estimate falls with h⁸, the error of a run too.

    Luck makes single errors smaller: an error counts as no less than those at finer tolerances, and they are compared
    over eight halvings. Where motions diverge errors may fall faster.
    """
    truth = KNOWN[name]()
    found = np.maximum.accumulate(errors(truth, HALVES, method="explicit")[::-1])[::-1]
    slope = np.polyfit(np.log(HALVES), np.log(found), 1)[0]
    assert slope > 0.8, found
    assert (found[8:] < 0.1 * found[:-8]).all(), found
    assert (found < 1e2 * np.array(HALVES)).all(), found


@pytest.mark.parametrize(
    "method, tolerances", [("radau", [1e-4, 1e-5, 1e-6, 1e-7, 1e-8]), ("exponential", [1e-3, 1e-4, 1e-5, 1e-6])]
)
def test_other_methods_too(method: str, tolerances: list[float]) -> None:
    truth = truths.four_bars_truth(2, np.array([0.0, 0.5, 1.0]))
    found = errors(truth, tolerances, method=method)
    slope = np.polyfit(np.log(tolerances), np.log(found), 1)[0]
    assert 0.6 < slope < 1.3, found
    assert (found < 1e4 * np.array(tolerances)).all(), found


def test_steps_of_one_length() -> None:
    """The variational method is of second order: half the step, a quarter of the error; its energy does not drift."""
    truth = truths.four_bars_truth(2, np.array([0.0, 0.5, 1.0]))
    s = truth.mechanism().assemble()
    steps = [1e-2, 5e-3, 2.5e-3, 1.25e-3]
    runs = [
        s.simulate(until=1.0, times=truth.times, rates=dict(truth.rates), method="variational", step=h) for h in steps
    ]
    found = np.array([truth.error(run) for run in runs])
    assert np.abs(np.log2(found[:-1] / found[1:]) - 2).max() < 0.1, found


def test_all_methods_agree() -> None:
    truth = truths.bricard_truth(np.array([0.0, 0.3, 0.6]))
    s = truth.mechanism().assemble()
    for method, tolerance, within in (
        ("auto", 1e-10, 1e-8), ("explicit", 1e-10, 1e-8), ("radau", 1e-10, 1e-8), ("ida", 1e-8, 1e-5),
        ("exponential", 1e-6, 1e-3), ("exponential-static", 1e-6, 1e-2),
    ):  # fmt: skip
        run = s.simulate(until=0.6, times=truth.times, method=method, rtol=tolerance, atol=tolerance / 10)
        assert truth.error(run) < within, method
