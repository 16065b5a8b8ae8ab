"""Events of simulations as data: kinds, numbers with units, texts that are made of them, and files."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.simulation.records import as_data
from linkwork.results.happenings import Happening, happening_of, is_happening, told_actions

G = 9.81


def arm() -> lw.Machine:
    m = lw.Mechanism("arm", gravity=(0, 0, -G))
    m.body("tool", mass=0.5, com=(0, 0, -0.4))
    m.revolute("A", "ground", "tool", axis="y")
    m.point("tip", "tool", (0, 0, -0.4))
    return m.assemble()


@pytest.mark.parametrize(
    ("what", "arm_of", "units"),
    [("A", 1.0, ("rad/s", "N m s")), ("tip.x", 0.4, ("m/s", "N s")), ("2*A", 2.0, ("1", "1"))],
)
def test_an_impact_tells_speed_and_impulse_with_units(what: str, arm_of: float, units: tuple[str, str]) -> None:
    """A pendulum that falls from the side meets a stop at its lowest place, the speed of which is known."""
    way = -1.0 if what == "tip.x" else 1.0  # the tip goes to -x as A grows
    limit = {"low": 0.0} if way > 0 else {"high": 0.0}
    run = arm().simulate(1.0, start={"A": 1.0}, events=lw.stop(what, **limit, restitution=0.5, name="anvil"))
    first = run.events[0]
    rate = math.sqrt(2.0 * G / 0.4 * (1.0 - math.cos(1.0)))
    scale = 0.4 if what == "tip.x" else arm_of
    assert (first.kind, first.name, first["stays"]) == ("impact", "anvil", 0.0)
    assert first["speed"] == pytest.approx(scale * rate, rel=1e-6)
    assert first["impulse"] == pytest.approx(1.5 * rate * 0.5 * 0.4**2 / scale, rel=1e-6)
    assert (first.unit("speed"), first.unit("impulse"), first.unit("stays")) == (*units, "1")
    assert first.what == f"struck at {first['speed']:.6g}, impulse {first['impulse']:.6g}"
    with pytest.raises(KeyError, match="'bounces' is none of the numbers of 'impact'"):
        first["bounces"]


def test_files_keep_every_bit_of_events(tmp_path: Path) -> None:
    events = [
        lw.stop("A", low=0.0, restitution=0.3, name="anvil"),
        lw.when("A - 0.5", set={"tool.mass": 0.7}, once=True, name="load"),
        lw.at(0.2, lock="A"),
        lw.at(0.3, release="A"),
        lw.at(0.9, stop=True),
    ]
    run = arm().simulate(1.0, start={"A": 1.0}, events=events)
    assert {e.kind for e in run.events} == {"impact", "condition", "time"} and len(run.events) == 5
    run.save(tmp_path / "run.nc")
    assert lw.load_run(tmp_path / "run.nc").events == run.events
    assert [happening_of(e.as_dict()) for e in run.events] == list(run.events)
    assert all(is_happening(e.as_dict()) for e in run.events)


def test_texts_of_actions_are_those_of_the_events() -> None:
    for event in (
        lw.at(1.0, lock=["A", "B"], on="coil", off=["one", "two"], set={"tool.mass": 2.0}, from_rest=True, stop=True),
        lw.when("A", release="A", name="x"),
        lw.when("A", name="x"),
    ):
        assert told_actions(as_data(event.actions)) == str(event.actions)


def test_texts_of_older_files_stay() -> None:
    told = happening_of([0.25, "anvil", "struck at 2, impulse 1.2"])
    assert told == Happening(0.25, "anvil", "told", (), (("text", "struck at 2, impulse 1.2", None),))
    assert str(told) == "0.25 s, anvil: struck at 2, impulse 1.2" and is_happening([0.25, "anvil", "text"])


@pytest.mark.parametrize("change", [{"kind": "odd"}, {"time": "1"}, {"numbers": [["speed", "2", "m/s"]]}, {"more": 1}])
def test_what_is_no_event_is_told(change: dict[str, object]) -> None:
    event = Happening(1.0, "anvil", "impact", (("speed", 2.0, "m/s"), ("impulse", 1.0, "N s"), ("stays", 0.0, "1")))
    assert is_happening(event.as_dict()) and not is_happening(event.as_dict() | change)


def turned_down(t: float, state: lw.State) -> dict[str, float]:
    return {"A": -0.1 * state.rate("A")}


def test_what_was_asked_is_kept_and_can_be_asked_again(tmp_path: Path) -> None:
    """A request is plain data: pickled, asked again with the same answer, and saved with the run."""
    s = arm()
    anvil = lw.stop("A", low=0.0, restitution=0.3, name="anvil")
    run = s.simulate(0.5, start={"A": 1.0}, events=[anvil], controller=turned_down, rate=100.0, samples=11, rtol=1e-9)
    assert run.request is not None
    request = pickle.loads(pickle.dumps(run.request))
    again = s.simulate(**request.arguments)
    assert (again.y == run.y).all() and again.events == run.events
    run.save(tmp_path / "run.nc")
    told = lw.load_run(tmp_path / "run.nc").evidence.simulation
    assert told is not None and told.request == {
        "until": 0.5, "start": {"A": 1.0}, "events": ["anvil: stop 0 <= A, restitution 0.3"],
        "controller": "turned_down", "rate": 100.0, "samples": 11, "rtol": 1e-9,
    }  # fmt: skip


def test_requests_with_drives_and_arrays_are_pickled() -> None:
    s = arm()
    run = s.simulate(0.5, np.array([0.2]), drives={"A": lw.expression("0.2 + sin(t)")}, times=np.linspace(0.0, 0.5, 4))
    assert run.request is not None
    again = s.simulate(**pickle.loads(pickle.dumps(run.request)).arguments)
    assert (again.y == run.y).all()
    assert run.request.as_dict()["start"] == [0.2] and len(run.request.as_dict()["times"]) == 4
