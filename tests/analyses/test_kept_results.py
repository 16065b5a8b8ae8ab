"""Runs keep the state of all joints and what was held; simulations, runs, postures, machines come back from pickles."""

from __future__ import annotations

import copy
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.results import Run, Simulation, Simulations, VariableHistory, build_run


@cache
def crank() -> lw.Machine:
    return lw.example("slider-crank").assemble()


@cache
def moved() -> Run:
    return crank().motion(A=lw.ramp(0, 6.0, duration=1.0), samples=31)


@cache
def tossed() -> Simulation:
    return lw.example("free-box").assemble().simulate(0.3, rates={"flight.vz": 3.0, "flight.wx": 2.0}, samples=7)


def test_a_run_keeps_the_state_of_all_joints(tmp_path: Path) -> None:
    run, s = moved(), crank()
    assert run.y.shape == (31, len(s.variables)) and run.w.shape == run.dw.shape == (31, len(s.variable_rates))
    assert run.state["y"] == s.variables
    sweep = s.solve({"A": run["A.angle"].values}, {"A": run["A.rate"].values}, {"A": run["A.acceleration"].values})
    assert np.allclose(run.y, sweep.variables, atol=1e-12) and np.allclose(run.w, sweep.rates, atol=1e-9)
    assert np.allclose(run.dw, sweep.accelerations, atol=1e-7)
    torque = s.forces(run)["A.effort"].values
    assert np.allclose(np.asarray(s.drive_efforts(run.y, run.w, run.dw))[:, 0], torque, atol=1e-12)
    for ending in ("nc", "csv"):
        again = lw.load_run(run.save(tmp_path / f"run.{ending}"))
        assert again.state == run.state and again.held == run.held == ()
        for kept, own in ((again.y, run.y), (again.w, run.w), (again.dw, run.dw)):
            assert kept.tobytes() == own.tobytes()
    part = run.sel(0.0, 0.5)
    assert part.y.tobytes() == run.y[:16].tobytes() and s.forces(part).dw.tobytes() == run.dw[:16].tobytes()


def test_the_state_of_joints_that_turn_freely() -> None:
    sim = tossed()
    plain = Run(sim.data)
    for own, kept in ((sim.y, plain.y), (sim.w, plain.w), (sim.a, plain.dw), (sim.dw, plain.dw)):
        assert np.asarray(own).tobytes() == kept.tobytes()
    assert plain.state["w"][:3] == ("flight.x.rate", "flight.y.rate", "flight.z.rate")
    assert plain.state["dw"][3:] == tuple(f"flight.w{x}.acceleration" for x in "xyz")


def test_a_run_of_ones_own_may_tell_its_order() -> None:
    given = {"A.angle": VariableHistory("rad", [0.0, 1.0]), "B.angle": VariableHistory("rad", [2.0, 3.0])}
    bare = build_run([0.0, 1.0], mechanism="m", variables=given)
    with pytest.raises(lw.InputError, match=r"does not tell in which order its machine has the joints.*no 'y'"):
        bare.y
    told = build_run([0.0, 1.0], mechanism="m", variables=given, state={"y": ["B.angle", "A.angle"]}, held=["B.angle"])
    assert told.y.tolist() == [[2.0, 0.0], [3.0, 1.0]] and told.held == ("B.angle",)
    assert told.columns(["A.angle"]).tolist() == [[0.0], [1.0]]
    with pytest.raises(lw.InputError, match=r"2 problems\n.*no signal 'A.angel'; did you mean 'A.angle'\?\n.*'Q'"):
        told.columns(["A.angel", "Q", "A.angle"])


def test_what_earlier_versions_wrote_is_understood(tmp_path: Path) -> None:
    data = moved().data
    data.attrs["driven"] |= {"B.angle": "held"}
    del data.attrs["held"], data.attrs["state"]
    old = Run(data)
    assert old.held == ("B.angle",) and old.driven == moved().driven and old.state == {}
    assert "  held: B.angle" in str(old).splitlines()
    path = old.save(tmp_path / "old.csv")
    text = path.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith(("# held:", "# state:"))]
    before = "".join(lines).replace('# driven: {"A.angle"', '# driven: {"B.angle": "held", "A.angle"')
    path.write_text(before, encoding="utf-8")
    assert lw.load_run(path).held == ("B.angle",) and lw.load_run(path).driven == moved().driven


def again(what: Any) -> list[Any]:
    return [pickle.loads(pickle.dumps(what)), copy.deepcopy(what), copy.copy(what)]


def test_a_pickled_simulation_is_one() -> None:
    s = crank()
    asked: dict[str, Any] = {"rates": {"A": 3.0}, "samples": 21, "sensitive_to": ["rates.A"]}
    sim = s.simulate(0.3, events=[lw.when("A - 0.9", name="here")], **asked)
    for other in again(sim):
        assert type(other) is Simulation and other.success and other.data.identical(sim.data)
        assert other.evidence == sim.evidence and other.events == sim.events and len(other.events) == 1
        assert other.nfev == sim.nfev and other.methods == sim.methods and other.steps == sim.steps
        assert np.array_equal(other.y, sim.y) and np.array_equal(other.a, sim.a) and len(other) == len(sim)
        assert other.sensitivities == ("rates.A",)
        slope = other.sensitivity("P.x", "rates.A")
        assert np.array_equal(slope, sim.sensitivity("P.x", "rates.A")) and slope.unit == "m s/rad"
        assert other.machine.variables == s.variables
    fresh = s.simulate(0.1, rates={"A": 1.0}, samples=3)  # before anything was asked by name
    assert pickle.loads(pickle.dumps(fresh))["A.rate"][0] == 1.0
    with pytest.raises(lw.InputError, match="the run was not differentiated by"):
        pickle.loads(pickle.dumps(fresh)).sensitivity("P.x", "rates.A")


def test_many_simulations_are_a_result(tmp_path: Path) -> None:
    runs = crank().simulate_many(0.2, rates={"A": np.linspace(1.0, 3.0, 4)}, samples=11)
    assert isinstance(runs, lw.Result) and runs.axes == {"run": 4, "time": 11}
    assert runs.evidence["complete"] == 4 and runs.evidence["steps"] > 0
    assert runs.data["steps"].attrs["units"] == "1" and runs.data["energy_error"].attrs["units"] == "J"
    kept = lw.load_result(runs.save(tmp_path / "runs.nc"))
    assert kept.data.identical(runs.data) and kept.analysis == "simulations"
    assert np.array_equal(kept["P.x"].values, runs["P.x"].values) and kept["rates.A"][3] == 3.0
    assert np.array_equal(kept.select(run=2)["A.rate"], runs["A.rate"].values[2])
    lines = kept.select(run=[0, 3]).plot("A.rate").description.panels[0].lines
    assert [line.name for line in lines] == ["A.rate (rates.A 1)", "A.rate (rates.A 3)"]
    for other in again(runs):
        assert type(other) is Simulations and other.status == runs.status and other.data.identical(runs.data)
        assert np.array_equal(other.y, runs.y) and other.inputs["rates.A"][1] == runs.inputs["rates.A"][1]
        assert np.array_equal(other[1].y, runs[1].y)


def test_postures_closures_runs_and_machines_come_back() -> None:
    s = crank().with_parameters({"rod.mass": 2.5}).starting_from({"A": 0.7})
    (machine, *_) = again(s)
    assert machine.parameters["rod.mass"] == 2.5 and np.allclose(machine.home.y, s.home.y, atol=1e-15)
    assert np.array_equal(machine.motion(A=(0.7, 1.0), samples=3).y, s.motion(A=(0.7, 1.0), samples=3).y)
    (posture, *_) = again(s.home)
    assert np.array_equal(posture.y, s.home.y) and posture.mobility == 1 and posture.independent == s.home.independent
    closures = s.closures(A=0.5)
    (found, *_) = again(closures)
    assert len(found) == len(closures) == 2 and found.complete == closures.complete
    assert all(np.array_equal(a.y, b.y) for a, b in zip(found, closures, strict=True))
    run = s.forces(s.motion(A=(0.7, 2.0), samples=5))
    for other in again(run):
        assert type(other) is Run and other.data.identical(run.data) and other.evidence == run.evidence
        assert other["A.effort"][2] == run["A.effort"][2] and other.machine.name == s.name
