"""Events decided in compiled loops: one by one with a listener, in one go, and in many runs: one answer."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.simulation.listeners import Jump, Listener
from linkwork.analyses.simulation.question import asked
from linkwork.analyses.simulation.session import Session

G = 9.81
TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def chain(rng: np.random.Generator, count: int) -> lw.Mechanism:
    """Links that hang in a row, with friction in some of their pins."""
    m, before = lw.Mechanism("chain", gravity=(0, -G, 0)), "ground"
    for k in range(count):
        turning = float(rng.uniform(0.005, 0.05))
        m.body(f"b{k}", mass=float(rng.uniform(0.3, 2.0)), com=(0.4 * k + 0.2, 0, 0), inertia=(0.05, 0.05, turning))
        m.revolute(f"J{k}", before, f"b{k}", at=(0.4 * k, 0, 0), axis="z")
        before = f"b{k}"
    for k in range(count):
        if rng.random() < 0.5:
            m.friction(f"f{k}", f"J{k}", level=float(10 ** rng.uniform(-1.5, 0.3)), form="exact")
    m.spring("coil", joint="J0", stiffness=2.0, damping=0.05)
    m.point("tip", before, (0.4 * count, 0, 0))
    return m


def linkage(rng: np.random.Generator) -> lw.Mechanism:
    """A four-bar that swings."""
    m = lw.Mechanism("four-bar", gravity=(0, -G, 0))
    places = {"A": (0.0, 0.0), "B": (0.0, 0.1), "C": (0.28, 0.22), "D": (0.35, 0.0)}
    for name, one, other in (("a", "A", "B"), ("b", "B", "C"), ("c", "C", "D")):
        x, y = (0.5 * (places[one][k] + places[other][k]) for k in range(2))
        m.body(name, mass=float(rng.uniform(0.5, 1.5)), com=(x, y, 0), inertia=(0.001, 0.001, 0.002))
    for name, one, other in (("A", "ground", "a"), ("B", "a", "b"), ("C", "b", "c"), ("D", "ground", "c")):
        m.revolute(name, one, other, at=(*places[name], 0), axis="z")
    m.friction("fA", "A", level=0.02, form="exact")
    m.spring("coil", joint="D", stiffness=0.5)
    m.point("tip", "b", (0.14, 0.3, 0))
    return m


def drawn(seed: int) -> tuple[Any, list[str], list[Any]]:
    """A machine with stops, conditions, locks and switched loads, that all are decided in compiled loops."""
    rng = np.random.default_rng(seed)
    m = linkage(rng) if seed % 3 == 0 else chain(rng, int(rng.integers(1, 4)))
    joints = ["A"] if seed % 3 == 0 else list(m.joints)
    s = m.assemble()
    events: list[Any] = [
        lw.stop(
            j, low=s.home[j] - rng.uniform(0.2, 1.0), high=s.home[j] + rng.uniform(0.2, 1.0),
            restitution=float(rng.choice([0.0, 0.4, 0.8])), name=f"s{j}",
        )
        for j in joints
    ]  # fmt: skip
    events += [
        lw.when("tip.y + 0.05", off="coil", direction="falling", name="low"),
        lw.when("tip.y", on="coil", name="high"),
        lw.when(f"rate({joints[0]})", name="turns"),
        lw.at(0.5, lock=joints[-1]),
        lw.at(0.7, release=joints[-1]),
    ]
    return s, joints, events


def noticed(events: Any) -> list[lw.Happening]:
    """Events without the last of ever shorter bounces, the number of which rounding decides."""
    return [e for e in events if e.kind != "rest" and (e.kind != "impact" or e["speed"] > 1e-4)]


class Counting(Listener):
    """Hears everything: so each event comes back by itself."""

    def __init__(self) -> None:
        self.events, self.jumps, self.chapters = 0, 0, 0

    def before_event(self, fired: Any, follows: bool) -> None:
        assert fired
        self.events += 1

    def jumped(self, jump: Jump) -> None:
        assert len(jump.rows) == len(jump.restitution)
        self.jumps += 1

    def chapter(self, t: float, switch: Any) -> None:
        self.chapters += 1


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(k, marks=pytest.mark.slow) for k in range(6, 40))])
def test_events_one_by_one_are_those_of_the_loop(seed: int) -> None:
    """Whoever listens gets every event by itself, and the motion is the same to the last bit."""
    s, joints, events = drawn(seed)
    question = asked(
        s, 1.5, None, {joints[0]: 1.0}, None, None, events, None, None, 31, None, "auto", None, 1e-9, 1e-10
    )
    listener = Counting()
    loop, heard = Session(question), Session(question, None, listener)
    loop.run()
    heard.run()
    assert (loop.status, loop.message) == (heard.status, heard.message) and loop.status == "complete"
    assert loop.journal.happened == heard.journal.happened and len(loop.journal.happened) > 2
    np.testing.assert_array_equal(loop.samples.Z, heard.samples.Z)
    np.testing.assert_array_equal(loop.samples.P, heard.samples.P)
    assert loop.journal.impacts == heard.journal.impacts and loop.journal.changes == heard.journal.changes
    assert listener.events >= len([e for e in loop.journal.happened if e.kind == "impact"]) > 0 and listener.jumps > 0
    assert listener.chapters == len(heard.chapters) == len(loop.chapters)


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(k, marks=pytest.mark.slow) for k in range(6, 40))])
def test_many_runs_with_events_are_those_by_themselves(seed: int) -> None:
    s, joints, events = drawn(seed)
    rng = np.random.default_rng(seed)
    speeds = rng.normal(size=5)
    times = np.linspace(0.0, 1.2, 7)
    runs = s.simulate_many(1.2, rates={joints[0]: speeds}, events=events, times=times, **TIGHT)
    assert runs.complete.all(), runs.message
    for k, speed in enumerate(speeds):
        alone = s.simulate(1.2, rates={joints[0]: float(speed)}, events=events, times=times, **TIGHT)
        scale = 1.0 + np.abs(alone.w).max()
        assert np.abs(alone.y - runs.y[k]).max() < 1e-9 and np.abs(alone.w - runs.w[k]).max() < 1e-9 * scale
        own, same = noticed(runs.events(k)), noticed(alone.events)
        assert [(e.kind, e.name) for e in own] == [(e.kind, e.name) for e in same]
        assert np.abs([a.time - b.time for a, b in zip(own, same, strict=True)]).max() < 1e-9
        told = alone.evidence.simulation
        assert abs(runs.outcome.energy_error[k] - 0.0) < 1e-6 * max(told.energy_scale, 1e-3)


def test_many_runs_with_numbers_of_their_own_meet_stops() -> None:
    """A pendulum of each mass and spring falls onto a stop."""
    m = lw.Mechanism("arm", gravity=(0, -G, 0))
    m.body("rod", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.01, 0.02))
    m.revolute("A", "ground", "rod", axis="z")
    m.spring("coil", joint="A", stiffness=1.0)
    s = m.assemble()
    masses, stiffness = np.linspace(0.5, 2.0, 7), np.linspace(0.2, 3.0, 7)
    events = [
        lw.stop("A", low=-0.5, restitution=0.6, name="anvil"),
        lw.when("A + 0.4", direction="falling", name="low"),
    ]
    times = np.linspace(0.0, 2.0, 9)
    runs = s.simulate_many(2.0, parameters={"rod.mass": masses, "coil.stiffness": stiffness}, events=events,
                           times=times, **TIGHT)  # fmt: skip
    assert runs.complete.all()
    for k in range(7):
        own = s.with_parameters({"rod.mass": masses[k], "coil.stiffness": stiffness[k]})
        alone = own.simulate(2.0, events=events, times=times, **TIGHT)
        assert np.abs(alone.y - runs.y[k]).max() < 1e-9 and np.abs(alone.w - runs.w[k]).max() < 1e-8
        first, same = runs.events(k)[1], alone.events[1]
        assert first.kind == "impact" and first["impulse"] == pytest.approx(same["impulse"], rel=1e-9)


def test_runs_that_end_at_an_event_keep_what_they_reached() -> None:
    m = lw.Mechanism("drop", gravity=(0, 0, -G))
    m.body("stone", mass=2.0, com=(0, 0, 0))
    m.prismatic("H", "ground", "stone", axis="z")
    heights = np.array([0.3, 1.0, 6.0])
    end = lw.when("H", direction="falling", stop=True, name="down")
    runs = m.assemble().simulate_many(1.0, start={"H": heights}, events=end, times=np.linspace(0, 1, 11), **TIGHT)
    assert runs.status == ("stopped", "stopped", "complete")
    for k in range(2):
        fall = math.sqrt(2.0 * heights[k] / G)
        assert runs.message[k] == f"down at {fall:.6g} s"
        reached = np.isfinite(runs.y[k, :, 0])
        assert (reached == (np.linspace(0, 1, 11) <= fall)).all()
        assert runs.events(k)[-1].time == pytest.approx(fall, abs=1e-10)
    assert (runs.outcome.energy_error < 1e-9).all()


def test_a_stop_in_a_dwell_leaves_friction_of_a_driven_joint_awake() -> None:
    """Friction of a joint whose law dwells acts again when the law goes on, whatever happens in the dwell."""
    m = lw.Mechanism("slide")
    m.body("block", mass=2.0, com=(0, 0, 0))
    m.prismatic("S", "ground", "block", axis="x")
    m.friction("rail", "S", level=3.0, form="exact")
    law = lw.sequence(
        lw.cycloidal(0.0, 1.0, duration=1.0), lw.dwell(1.0, duration=0.5), lw.cycloidal(1.0, 0.2, duration=1.0)
    )
    m.load("none", "S", amount=0.0)
    run = m.assemble().simulate(2.5, samples=251, drives={"S": law}, events=lw.at(1.2, off="none"), **TIGHT)
    rate, acceleration = run["S.slide.rate"].values, run["S.slide.acceleration"].values
    moving = np.abs(rate) > 1e-9
    expected = (2 * acceleration + 3 * np.sign(rate))[moving]
    np.testing.assert_allclose(run["S.slide.effort"].values[moving], expected, rtol=0, atol=1e-9)


def test_more_events_than_the_log_holds() -> None:
    """A ball that bounces without loss, thousands of times."""
    m = lw.Mechanism("ball", gravity=(0, 0, -G))
    m.body("ball", mass=1.0, com=(0, 0, 0))
    m.prismatic("H", "ground", "ball", axis="z", value=1e-3)
    run = m.assemble().simulate(60.0, samples=3, events=lw.stop("H", low=0.0, restitution=1.0, name="floor"))
    period = 2.0 * math.sqrt(2.0 * 1e-3 / G)
    times = np.array([e.time for e in run.events])
    assert run.status == "complete" and len(times) == int(60.0 / period + 0.5)
    np.testing.assert_allclose(np.diff(times), period, rtol=1e-6)
    assert {e.kind for e in run.events} == {"impact"} and pickle.loads(pickle.dumps(run.events)) == run.events
