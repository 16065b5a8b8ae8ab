"""Named states on the command line: shown, checked, begun where one says, watched and set."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm
from typer.testing import CliRunner, Result

import linkwork as lw
from linkwork.cli import app

MOTOR = """
linkwork: 1
name: motor
units: {length: mm, angle: deg}
bodies: {rotor: {mass: 1, com: [0, 0, 0], inertia: [0.05 kg m^2, 0.05 kg m^2, 0.02 kg m^2]}}
joints: {A: {revolute: [ground, rotor], axis: z}}
states:
  i: {rate: (u - R*i - k*rate(A))/L, unit: A, parameters: {u: 12 V, R: 1.2 ohm, k: 0.5 V s/rad, L: 10 mH}}
loads: {motor: {joint: A, amount: i.k*i}}
"""
TIGHT = ("--rtol", "1e-11", "--atol", "1e-12")


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def current(t: float, i: float = 0.0, speed: float = 0.0, resistance: float = 1.2) -> tuple[float, float]:
    """Speed [rad/s] and current [A] of the motor."""
    M = np.array([[0.0, 25.0, 0.0], [-50.0, -100.0 * resistance, 1200.0], [0.0, 0.0, 0.0]])
    found = expm(M * t) @ [speed, i, 1.0]
    return float(found[0]), float(found[1])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("motor.yaml").write_text(MOTOR, encoding="utf-8")
    return tmp_path


def test_states_are_shown() -> None:
    lines = run("show", "motor.yaml").output.splitlines()
    start = lines.index("states")
    assert lines[start + 1].split() == ["name", "rate", "start", "with"]
    assert [cell.strip() for cell in lines[start + 2].split("  ") if cell.strip()] == [
        "i", "(u - R*i - k*rate(A))/L [A/s]", "0 A", "u 12, R 1.2, k 0.5, L 0.01",
    ]  # fmt: skip
    assert json.loads(run("show", "motor.yaml", "--json").output)["states"]["i"]["unit"] == "A"
    assert "  states: i (A)" in run("check", "motor.yaml").output.splitlines()
    assert json.loads(run("check", "motor.yaml", "--json").output)["states"] == {"i": "A"}
    equations = run("equations", "motor.yaml").output.splitlines()
    assert equations[1].endswith(", 0 cut joints, 1 state") and "states" in equations
    assert json.loads(run("equations", "motor.yaml", "--json").output)["states"] == ["i"]


def test_a_state_begins_where_one_says() -> None:
    words = (
        "simulate",
        "motor.yaml",
        "--until",
        "50ms",
        "--samples",
        "2",
        *TIGHT,
        "--out",
        "run.nc",
        "--out",
        "run.csv",
    )
    result = run(*words, "--state", "i=500 mA", "--rate", "A=3 rad/s")
    assert result.exit_code == 0, result.output
    speed, amperes = current(0.05, 0.5, 3.0)
    for name in ("run.nc", "run.csv"):
        found = lw.load_run(name)
        assert found["i.value"][0] == 0.5
        assert abs(found["i.value"][-1] - amperes) < 1e-9 and abs(found["A.rate"][-1] - speed) < 1e-9
    assert any(line.split()[:1] == ["i.value"] and "A" in line for line in result.output.splitlines())
    bare = run(*words, "--state", "i=0.5", "--rate", "A=3 rad/s", "--json")
    told = json.loads(bare.output)["joints"]["i.value"]["value"]
    assert told["unit"] == "A" and told["greatest"] == pytest.approx(max(0.5, amperes), abs=1e-9)


def test_events_watch_and_set_states() -> None:
    when = "i > 5000mA: set i = 0 A, i.R = 2.4 ohm; once; name fuse"
    result = run(
        "simulate", "motor.yaml", "--until", "50ms", "--samples", "2", *TIGHT, "--when", when, "--out", "run.nc"
    )
    assert result.exit_code == 0, result.output
    found = lw.load_run("run.nc")
    (fuse,) = found.evidence.simulation.events
    speed, amperes = current(fuse.time)
    assert fuse.name == "fuse" and abs(amperes - 5.0) < 1e-8
    after = current(0.05 - fuse.time, 0.0, speed, 2.4)
    assert abs(found["A.rate"][-1] - after[0]) < 1e-8 and abs(found["i.value"][-1] - after[1]) < 1e-8


def test_efforts_use_states() -> None:
    text = MOTOR.replace("loads: {motor: {joint: A, amount: i.k*i}}\n", "")
    Path("bare.yaml").write_text(text, encoding="utf-8")
    words = ("--until", "50ms", "--samples", "2", *TIGHT, "--out", "run.nc", "--plot", "i")
    assert run("simulate", "bare.yaml", *words, "--effort", "A=i.k*i").exit_code == 0
    found = lw.load_run("run.nc")
    assert abs(found["i.value"][-1] - current(0.05)[1]) < 1e-9
    assert abs(found["A.effort"][-1] - 0.5 * found["i.value"][-1]) < 1e-15


def test_everything_wrong_is_told_at_once() -> None:
    result = run(
        "simulate", "motor.yaml", "--until", "1s", "--state", "i=5V", "--state", "k=2", "--state", "i",
        "--state", "i=1", "--state", "i=2", "--effort", "A=-2*current", "--when", "i > 3 V: stop",
        "--at", "0.1s: set i.X = 2",
    )  # fmt: skip
    assert result.exit_code == 2
    for part in (
        "--state i: '5V' is a voltage; a current is wanted, such as '5 A'",
        "--state k: there is no state 'k'; there is: i",
        "--state: 'i' is not of the form name=value; for example --state 'i=0.5 A'",
        "--state i: 'i' is given twice",
        "there is nothing called 'current'",
        "'3 V' is a voltage; a current is wanted",
        "there is no parameter 'i.X'",
    ):
        assert part in result.output, (part, result.output)
    Path("plain.yaml").write_text(MOTOR.partition("states:")[0], encoding="utf-8")
    assert "the model has no states" in run("simulate", "plain.yaml", "--until", "1s", "--state", "i=1").output


def test_forces_and_statics_take_states() -> None:
    """The motor holds k i: of a machine at rest and of a motion; a simulation has states of its own."""
    at_rest = json.loads(run("statics", "motor.yaml", "--state", "i=500 mA", "--json").output)
    assert at_rest["efforts"]["A.angle"]["value"] == pytest.approx(-0.25, abs=1e-15)
    assert at_rest["loads"]["motor"]["value"] == pytest.approx(0.25, abs=1e-15)
    words = ("forces", "motor.yaml", "--drive", "A=0:1rad in 1s", "--samples", "3")
    for state, effort in (((), 0.0), (("--state", "i=2 A"), -1.0)):
        assert run(*words, *state, "--out", "forces.nc").exit_code == 0
        np.testing.assert_allclose(lw.load_run("forces.nc")["A.effort"].values, effort, atol=1e-14)
    assert run("simulate", "motor.yaml", "--until", "50ms", "--samples", "3", "--out", "run.nc").exit_code == 0
    result = run("forces", "motor.yaml", "--run", "run.nc", "--state", "i=2 A", "--out", "again.nc")
    assert result.exit_code == 2 and "--state: the run has states of its own; leave them out" in result.output
    assert run("forces", "motor.yaml", "--run", "run.nc", "--out", "again.nc").exit_code == 0
    np.testing.assert_allclose(lw.load_run("again.nc")["A.effort"].values, 0.0, atol=1e-12)


@pytest.mark.parametrize("command", ["statics", "forces"])
def test_states_that_are_not_there_are_told_with_the_rest(command: str) -> None:
    told = run(command, "motor.yaml", "--state", "j=1 A", "--state", "i=2 kg", "--effort", "B=1 N m").output
    for text in ("--state j: there is no state 'j'; there is: i", "--state i: ", "--effort B: there is no joint 'B'"):
        assert text in told
