"""Many simulations at once against the same ones by themselves, whatever differs between them; and runs that fail."""

from __future__ import annotations

import math
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simulation_fixtures as truths
from machines import four_bar, rssr, slider_crank

import linkwork as lw

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from random_loads import random_loaded_machine  # noqa: E402

TIGHT = {"rtol": 1e-12, "atol": 1e-13}


def apart(runs: lw.Simulations, machine: Any, k: int, parameters: Any = None, **given: Any) -> float:
    """Largest difference of a run from the same one by itself."""
    own = machine.with_parameters(parameters) if parameters else machine
    alone = own.simulate(float(runs.t[-1]), times=runs.t, **given)
    assert alone.status == "complete" == runs.status[k], (alone.message, runs.message[k])
    scale = 1.0 + np.abs(alone.w).max()
    return float(max(np.abs(alone.y - runs.y[k]).max(), np.abs(alone.w - runs.w[k]).max() / scale))


def weighty(m: lw.Mechanism) -> Any:
    m.gravity = (0.0, -9.81, 0.0)
    for k, name in enumerate(n for n in m.bodies if n != m.ground.name):
        m.bodies[name] = lw.Mechanism("other").body(name, mass=1.0 + 0.2 * k, inertia=(0.01, 0.02, 0.025))
    return m


def test_pendulum_from_many_angles_is_the_exact_one() -> None:
    s = truths.pendulum().assemble()
    angles, times = np.linspace(0.1, 3.0, 40), np.linspace(0.0, 3.0, 7)
    runs = s.simulate_many(3.0, start={"A": -angles}, times=times, **TIGHT)
    assert runs.complete.all()
    for k, angle in enumerate(angles):
        sine, cosine, rate = truths.swing(times, float(angle))
        assert np.abs(runs["P.x"].values[k] - sine).max() < 1e-9
        assert np.abs(runs["P.y"].values[k] + cosine).max() < 1e-9
        assert np.abs(runs["A.rate"].values[k] - rate).max() < 1e-8
    assert (runs.outcome.energy_error < 1e-8 * runs.outcome.energy_scale).all()


@pytest.mark.parametrize("machine", [four_bar, slider_crank, rssr], ids=lambda f: f.__name__)
def test_starts_and_rates(machine: Any) -> None:
    s = weighty(machine()).assemble()
    name = s.home.independent[0]
    near = s.home[name] + np.linspace(-0.2, 0.2, 9)
    speeds = np.linspace(-1.0, 1.0, 9)
    runs = s.simulate_many(0.4, start={name: near}, rates={name: speeds}, samples=5, **TIGHT)
    assert runs.complete.all(), runs.message
    assert np.abs(runs[name].values[:, 0] - near).max() < 1e-12
    assert np.abs(runs[f"{name}.rate"].values[:, 0] - speeds).max() < 1e-12
    assert runs.outcome.residual.max() < 1e-12
    for k in (0, 4, 8):
        assert apart(runs, s, k, start=runs.y[k, 0], rates=runs.w[k, 0], **TIGHT) < 1e-9
        if machine is not rssr:  # its rod may turn about itself, and how far it has turned depends on the way there
            assert apart(runs, s, k, start={name: near[k]}, rates={name: speeds[k]}, **TIGHT) < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_numbers_of_any_machine(seed: int) -> None:
    """A mass, a place of a joint and a number of a load, each with runs of its own; loops close anew, if they can."""
    loaded = random_loaded_machine(seed)
    s = loaded.mechanism.assemble()
    rng = np.random.default_rng(seed)
    masses = [n for n in s.parameters if n.endswith(".mass")]
    places = [n for n in s.parameters if ".at." in n]
    for name in [masses[0], str(rng.choice(places)), *[n for n in s.parameters if n.endswith(".stiffness")][:1]]:
        value = s.parameters[name]
        numbers = value + np.array([0.0, 1.0, -0.5]) * 1e-2 * max(abs(value), 0.1)
        runs = s.simulate_many(0.05, parameters={name: numbers}, samples=3, **TIGHT)
        for k, number in enumerate(numbers):
            try:
                s.with_parameters({name: float(number)})
            except lw.CannotClose as error:  # axes of a spherical loop must meet in a point
                assert runs.status[k] == "failed" and runs.message[k] == str(error)
                continue
            assert apart(runs, s, k, {name: float(number)}, **TIGHT) < 1e-8, name
            assert runs.outcome.residual[k] < 1e-11


def test_a_zero_of_the_model_may_become_a_number() -> None:
    """Structural zeros that some of the runs change are not folded away."""
    s = truths.pendulum().assemble()
    runs = s.simulate_many(1.0, parameters={"gravity.x": np.array([0.0, 2.0, 0.0])}, samples=4, **TIGHT)
    for k, g in enumerate((0.0, 2.0, 0.0)):
        assert apart(runs, s, k, {"gravity.x": g}, **TIGHT) < 1e-10
    assert np.array_equal(runs.y[0], runs.y[2])


def test_a_planar_machine_among_spatial_ones() -> None:
    """What the loops of the plane leave open counts as soon as a joint stands beside it."""
    s = lw.example("slider-crank").assemble()
    numbers = np.array([0.0, 1e-3, -2e-3])
    runs = s.simulate_many(0.2, parameters={"D.tail.at.y": numbers}, start={"A": 0.5}, samples=5, **TIGHT)
    for k, number in enumerate(numbers):
        assert apart(runs, s, k, {"D.tail.at.y": float(number)}, start={"A": 0.5}, **TIGHT) < 1e-9
    assert (runs.outcome.energy_error < 1e-8 * runs.outcome.energy_scale).all()


def test_efforts_and_drives() -> None:
    m = truths.double_pendulum()
    s = m.assemble()
    first, second = (n.split(".")[0] for n in s.variables)
    law = {first: lw.ramp(s.home[first], s.home[first] + 1.0, speed=0.5)}
    torques = np.array([-1.0, 0.0, 2.0])
    runs = s.simulate_many(1.0, efforts={second: torques}, drives=law, samples=6, **TIGHT)
    for k, torque in enumerate(torques):
        assert apart(runs, s, k, efforts={second: float(torque)}, drives=law, **TIGHT) < 1e-9
        alone = s.simulate(1.0, times=runs.t, efforts={second: float(torque)}, drives=law, **TIGHT)
        assert np.abs(runs[f"{first}.effort"].values[k] - alone[f"{first}.effort"].values).max() < 1e-7


@pytest.mark.parametrize("loops", ["interpret", pytest.param("compile", marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", ["explicit", "radau", "exponential", "variational"])
def test_every_method(method: str, loops: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code of the loop through many runs takes a minute for each method: by the way, its source is tried."""
    monkeypatch.setenv("LINKWORK_LOOPS", loops)
    s = weighty(slider_crank()).assemble()
    more: dict[str, Any] = {"method": method, "rtol": 1e-6, "atol": 1e-7}
    more |= {"step": 1e-2} if method == "variational" else {}
    name = s.home.independent[0]
    runs = s.simulate_many(0.3, rates={name: np.array([0.5, 1.0])}, samples=4, **more)
    for k, rate in enumerate((0.5, 1.0)):
        assert apart(runs, s, k, rates={name: rate}, **more) < 1e-9


def test_events_are_dealt_with_run_by_run() -> None:
    s = truths.ball().assemble()
    heights = np.array([0.5, 1.0, 2.0])
    floor = lw.stop("H", low=0.0, restitution=0.8)
    runs = s.simulate_many(1.5, start={"H": heights}, events=[floor], times=[0.0, 0.7, 1.5], **TIGHT)
    for k, height in enumerate(heights):
        found = [truths.ball_height(t, float(height)) for t in runs.t]
        assert np.abs(runs["H"].values[k] - found).max() < 1e-10
        assert abs(runs[k].events[0].time - math.sqrt(2 * height / 9.81)) < 1e-12


def test_controllers_are_asked_run_by_run() -> None:
    s = truths.pendulum().assemble()
    angles = np.array([-0.3, -0.6])

    def hold(t: float, state: Any) -> dict[str, float]:
        return {"A": -2.0 * state["A"] - 0.5 * state.rate("A")}

    runs = s.simulate_many(1.0, start={"A": angles}, controller=hold, rate=100, samples=3)
    for k, angle in enumerate(angles):
        assert apart(runs, s, k, start={"A": angle}, controller=hold, rate=100) < 1e-12


def test_stiff_runs_change_their_method_by_themselves() -> None:
    m = lw.Mechanism("stiff")
    m.body("a", mass=1.0)
    m.prismatic("X", m.ground, "a", axis="x")
    m.spring("coil", joint="X", stiffness=1.0, damping=1.0)
    s = m.assemble()
    damping = np.array([0.5, 1e6])
    runs = s.simulate_many(50.0, start={"X": 1.0}, parameters={"coil.damping": damping}, samples=3)
    assert runs.complete.all()
    assert runs[1].methods == ("explicit", "radau")
    slow = -damping[1] / 2 + math.sqrt(damping[1] ** 2 / 4 - 1.0)
    assert abs(runs["X"].values[1, -1] - math.exp(-50.0 / damping[1])) < 1e-6 and slow < 0.0


def test_a_run_that_fails_tells_why_and_the_others_go_on() -> None:
    s = weighty(four_bar()).assemble()
    crank = s.home.independent[0]
    length = next(n for n in s.parameters if n.endswith(".at.x") and abs(s.parameters[n]) > 1e-3)
    numbers = s.parameters[length] * np.array([1.0, 1e3, 1.01])
    runs = s.simulate_many(0.1, parameters={length: numbers}, rates={crank: 1.0}, samples=3)
    assert list(runs.complete) == [True, False, True]
    assert runs.status[1] == "failed" and "cannot be assembled" in runs.message[1]
    assert np.isnan(runs.y[1]).all() and np.isfinite(runs.y[[0, 2]]).all()
    assert "run 1" in str(runs) and "2 complete" in str(runs)


def test_a_run_that_stops_keeps_what_it_reached() -> None:
    """x'' = x² + c blows up in finite time, earlier the larger c."""
    m = lw.Mechanism("runaway")
    m.body("a", mass=1.0)
    m.prismatic("X", m.ground, "a", axis="x")
    m.load("push", "X", amount="X**2")
    s = m.assemble()
    runs = s.simulate_many(4.0, start={"X": 1.0}, rates={"X": np.array([-1.0, 5.0])}, samples=9)
    assert runs.status == ("complete", "stopped") and "s" in runs.message[1]
    reached = np.isfinite(runs["X"].values[1])
    assert reached[0] and not reached[-1] and np.isfinite(runs["X"].values[0]).all()


def test_interrupt_keeps_the_runs_that_are_done() -> None:
    s = truths.pendulum().assemble()

    def enough(done: int, total: int) -> None:
        if done >= 10:
            raise KeyboardInterrupt

    runs = s.simulate_many(1.0, start={"A": np.linspace(-1, -0.1, 400)}, samples=3, progress=enough, threads=1)
    done = runs.complete
    assert 10 <= done.sum() < 400
    assert {runs.status[k] for k in np.flatnonzero(~done)} == {"left out"}
    assert np.isfinite(runs.y[done]).all() and np.isnan(runs.y[~done]).all()


def test_threads_change_nothing() -> None:
    s = weighty(four_bar()).assemble()
    given: dict[str, Any] = {"rates": {s.home.independent[0]: np.linspace(-2, 2, 33)}, "samples": 4}
    one, two = (s.simulate_many(0.5, threads=k, **given) for k in (1, 2))
    assert np.array_equal(one.y, two.y) and np.array_equal(one.w, two.w)


def test_labels_and_files(tmp_path: Path) -> None:
    s = truths.pendulum().assemble()
    angles = np.linspace(-1.0, -0.5, 3)
    runs = s.simulate_many(1.0, start={"A": angles}, parameters={"gravity.y": -9.81 * np.ones(3)}, samples=5)
    x = runs["P.x"]
    assert x.dims == ("run", "time") and x.shape == (3, 5) and x.attrs["units"] == "m"
    assert np.array_equal(x["start.A"].values, angles) and np.array_equal(x["time"].values, runs.t)
    assert runs["P.position"].dims == ("run", "time", "axis")
    assert np.array_equal(runs["P.position"].sel(axis="x").values, x.values)
    assert len(list(runs)) == 3 == len(runs) and runs[-1].status == "complete"

    import xarray as xr

    path = runs.save(tmp_path / "runs.nc")
    with xr.open_dataset(path, engine="h5netcdf") as data:
        assert np.array_equal(data["P.position"].values, runs["P.position"].values)
        assert np.array_equal(data["start.A"].values, angles)
        assert list(data["status"].values) == ["complete"] * 3


def test_what_makes_no_sense_is_told_at_once() -> None:
    s = truths.pendulum().assemble()
    with pytest.raises(lw.ModelError, match="nothing differs between the runs"):
        s.simulate_many(1.0, start={"A": 0.1})
    with pytest.raises(lw.ModelError, match=r"start\.A has 3, parameters\.gravity\.y has 2"):
        s.simulate_many(1.0, start={"A": [0.1, 0.2, 0.3]}, parameters={"gravity.y": [1.0, 2.0]})
    with pytest.raises(lw.ModelError, match=r"start\.A: one finite number"):
        s.simulate_many(1.0, start={"A": [0.1, math.nan]})
    with pytest.raises(lw.ModelError, match=r"gravity\.q"):
        s.simulate_many(1.0, parameters={"gravity.q": [0.1, 0.2]})
    with pytest.raises(lw.ModelError, match="'B'"):
        s.simulate_many(1.0, start={"B": [0.1, 0.2]})
    with pytest.raises(lw.ModelError, match="until"):
        s.simulate_many(-1.0, start={"A": [0.1, 0.2]})
    runs = s.simulate_many(1.0, start={"A": [0.1, 0.2]}, samples=3)
    with pytest.raises(IndexError, match="2 runs"):
        runs[2]
    with pytest.raises(lw.ModelError, match="by float"):
        runs[0.5]  # type: ignore[index]


def test_efforts_of_every_kind() -> None:
    """Formulas of the state and of time for all runs; along a joint outside the tree, and not in the first run."""
    s = lw.example("slider-crank").assemble()
    rates = np.array([0.5, 2.0])
    for effort in ("-3*A - 0.2*rate(A)", "2*sin(5*t)", lw.ramp(0.0, 1.0, duration=0.1)):
        runs = s.simulate_many(0.2, rates={"A": rates}, start={"A": 0.5}, efforts={"A": effort}, samples=4, **TIGHT)
        given = {"start": {"A": 0.5}, "rates": {"A": 2.0}, "efforts": {"A": effort}}
        assert apart(runs, s, 1, **given, **TIGHT) < 1e-9
    for name, torques in (("C.angle", (0.0, 5.0)), ("A", (0.0, 5.0))):
        runs = s.simulate_many(0.2, start={"A": 0.5}, efforts={name: np.array(torques)}, samples=4, **TIGHT)
        for k, torque in enumerate(torques):
            assert apart(runs, s, k, start={"A": 0.5}, efforts={name: torque}, **TIGHT) < 1e-9
        assert (runs.outcome.energy_error < 1e-8 * runs.outcome.energy_scale).all()


def test_starts_are_of_the_closure_of_home() -> None:
    m = lw.Mechanism("near-change-point", gravity=(0, -9.81, 0))
    lengths = {"crank": (0.0, 0.0), "coupler": (1.0, 0.0), "rocker": (2.0, 0.0)}
    for name, (x, y) in lengths.items():
        m.body(name, mass=1.0, com=(x + 0.5, y + 0.3, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
    m.revolute("B", "crank", "coupler", at=(0, 1, 0), axis="z")
    m.revolute("C", "coupler", "rocker", at=(1.9, 1.8, 0), axis="z")
    m.revolute("D", "ground", "rocker", at=(2.5, 0, 0), axis="z")
    s = m.assemble()
    angles = np.linspace(-1.0, 1.0, 41)
    runs = s.simulate_many(0.01, start={"A": angles}, samples=2)
    for k in np.flatnonzero(runs.complete):
        assert np.abs(runs.y[k, 0] - s.at(A=float(angles[k])).y).max() < 1e-10
    for k in np.flatnonzero(~runs.complete):
        with pytest.raises(lw.ClosureError):
            s.at(A=float(angles[k]))
    two = s.simulate_many(0.01, start={"A": np.array([9.0, 0.1])}, rates={"A": np.array([0.0, 1.0])}, samples=2)
    assert two.status[1] == "complete"  # whatever becomes of the first


def test_rates_jump_where_drives_do() -> None:
    s = truths.double_pendulum().assemble()
    first, second = (n.split(".")[0] for n in s.variables)
    here = s.home[first]
    law = {first: lw.sequence(lw.dwell(here, duration=0.3), lw.ramp(here, here + 0.5, speed=1.0))}
    turns = s.home[second] + np.array([0.0, 0.4])
    runs = s.simulate_many(0.7, start={second: turns}, drives=law, samples=8, **TIGHT)
    for k, turn in enumerate(turns):
        assert apart(runs, s, k, start={second: turn}, drives=law, **TIGHT) < 1e-9
    assert (runs.outcome.energy_error < 1e-8 * runs.outcome.energy_scale).all()


def test_many_runs_come_back_from_a_file_as_what_they_were(tmp_path: Path) -> None:
    """Arrays, inputs, events and single runs, to the last bit; with states, runs that stop, and events."""
    m = truths.pendulum()
    m.state("i", rate="A - 2*i", start=0.25, unit="A")
    s = m.assemble()
    events = [lw.stop("A", high=0.1, name="wall", restitution=0.5), lw.when("i - 0.2", stop=True, name="low")]
    starts = np.array([-1.2, -0.3, 0.05])
    runs = s.simulate_many(
        2.0, start={"A": starts}, states={"i": np.array([0.25, 0.0, 0.39])}, events=events, samples=21
    )
    assert set(runs.status) == {"complete", "stopped"}
    assert {event.kind for k in range(3) for event in runs.events(k)} == {"impact", "condition"}
    again = lw.load_result(runs.save(tmp_path / "runs.nc"))
    assert isinstance(again, lw.Simulations) and len(again) == 3 and again.machine is None
    assert again.data.identical(runs.data) and str(again) == str(runs)
    assert (again.status, again.message) == (runs.status, runs.message)
    assert again.inputs.keys() == runs.inputs.keys()
    assert all(np.array_equal(again.inputs[n], runs.inputs[n]) for n in runs.inputs)
    for key in ("t", "y", "w", "a", "x", "nfev", "steps", "rejected", "energy_error", "energy_scale", "residual"):
        assert np.array_equal(getattr(again.outcome, key), getattr(runs.outcome, key), equal_nan=True), key
    assert np.array_equal(again["P.x"].values, runs["P.x"].values, equal_nan=True)
    for k in range(3):
        one, reached = again[k], np.isfinite(runs.y[k]).all(axis=1)
        assert again.events(k) == runs.events(k) == one.events
        assert isinstance(one, lw.Simulation) and one.success == (runs.status[k] == "complete")
        assert np.array_equal(one.y, runs.y[k][reached]) and np.array_equal(one.x, runs.outcome.x[k][reached])
        assert np.array_equal(one["P.x"].values, runs["P.x"].values[k][reached])
        assert np.array_equal(one["i"].value.values, one.x[:, 0])
    copied = pickle.loads(pickle.dumps(again))
    assert isinstance(copied, lw.Simulations) and copied.data.identical(runs.data)
    assert lw.load_result(again.save(tmp_path / "twice.nc")).data.identical(runs.data)
    some = runs.select(run=[0, 2])
    assert not isinstance(lw.load_result(some.save(tmp_path / "some.nc")), lw.Simulations)
