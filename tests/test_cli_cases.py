"""`--case` and dimensions of `let` on the command line: the case speaks where the options do not."""

import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import linkwork as lw
from linkwork.cli import app
from linkwork.cli.commands.view import _opened
from linkwork.cli.completion import complete_cases, complete_parameters

G = 9.81
ARM = """
linkwork: 1
name: arm
planar: true
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2]
let: {long: 100, half: long/2}
bodies: {arm: {mass: 1 kg, com: [half, 0], inertia: 1000}}
joints: {A: {pin: [ground, arm], at: [0, 0]}}
points: {P: {on: arm, at: [long, 0]}}
loads: {brake: {joint: A, amount: -2 N m}}
cases:
  turn: {drive: {A: "0:360"}, duration: 2 s, off: brake, samples: 73, description: one turn}
  heavy: {drive: {A: "0:360"}, set: {arm.mass: 3 kg, long: 200}, off: brake}
  fall: {start: {A: 90}, rates: {A: 60 rpm}, stop: "A >= -30", until: 0.1 s, off: brake, samples: 11}
  held: {start: {A: 60}, off: brake, external: {P: [0, -10 N, 0]}}
"""


def run(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [*words])
    assert result.exit_code == code, result.output
    return result


def asked(*words: str) -> dict:  # type: ignore[type-arg]
    found: dict = json.loads(run(words[0], "arm.yaml", *words[1:], "--json").stdout)  # type: ignore[type-arg]
    return found


@pytest.fixture(autouse=True)
def arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("arm.yaml").write_text(ARM, encoding="utf-8")


def test_a_motion_in_a_case() -> None:
    found = asked("motion", "--case", "turn")
    assert found["case"] == {"name": "turn", "instead": []} and found["driven"] == {"A.angle": "0:360"}
    assert found["evidence"]["asked"] == 73
    rate = found["joints"]["A.angle"]["rate"]  # a range alone lasts as long as the case says
    assert rate["least"] == pytest.approx(math.pi, rel=1e-14) and rate["greatest"] == pytest.approx(math.pi, rel=1e-14)
    quick = asked("motion", "--case", "turn", "--duration", "1s")
    assert quick["joints"]["A.angle"]["rate"]["greatest"] == pytest.approx(2 * math.pi, rel=1e-14)
    assert quick["case"]["instead"] == ["--duration"]


def test_options_beside_the_case_win_and_are_told() -> None:
    words = ("--case", "turn", "--drive", "A=0:90", "--samples", "5")
    found = asked("motion", *words)
    assert found["driven"] == {"A.angle": "0:90"} and found["evidence"]["asked"] == 5
    told = "case: turn: one turn (but --drive A.angle, --samples as given here)"
    assert told in run("motion", "arm.yaml", *words).output


def test_forces_and_statics_in_a_case() -> None:
    def peak(*words: str) -> float:
        return float(asked("forces", *words)["drives"]["A.angle"]["effort"]["value"])

    assert peak("--case", "turn", "--samples", "5") == pytest.approx(G * 0.05, rel=1e-14)
    assert peak("--case", "heavy", "--samples", "5") == pytest.approx(3 * G * 0.1, rel=1e-14)
    assert peak("--case", "heavy", "--set", "long=40mm", "--samples", "5") == pytest.approx(3 * G * 0.02, rel=1e-14)
    held = asked("statics", "--case", "held", "--drives", "A")
    assert held["at"] == {"A.angle": pytest.approx(math.pi / 3)}
    reaction = held["reactions"]["A"]["force"]
    assert np.hypot(reaction[0], reaction[1]) == pytest.approx(G + 10.0, rel=1e-14)
    assert held["case"]["instead"] == []


def test_simulations_in_a_case() -> None:
    found = asked("simulate", "--case", "fall")
    ours = lw.load("arm.yaml").assemble().case("fall").simulate()
    assert found["joints"]["A.angle"]["value"]["greatest"] == pytest.approx(
        float(ours["A.angle"].values.max()), rel=1e-12
    )
    shorter = asked("simulate", "--case", "fall", "--until", "0.05s", "--rate", "A=0")
    assert shorter["case"]["instead"] == ["--until", "--rate A.angle"]
    assert shorter["joints"]["A.angle"]["value"]["greatest"] == pytest.approx(math.pi / 2, rel=1e-9)
    told = run("simulate", "arm.yaml", "--case", "turn", code=2).output
    assert "--until: it is not said when the simulation ends" in told
    told = run("simulate", "arm.yaml", "--case", "held", "--until", "1s", code=2).output
    assert "cases.held.external: forces from outside (P) are of forces() and statics()" in told
    told = run("equilibrium", "arm.yaml", "--case", "held", code=2).output
    assert "--case: forces from outside (P)" in told


def test_rest_in_a_case() -> None:
    rests = asked("equilibrium", "--case", "turn", "--start", "A=-80")
    assert rests["values"]["A.angle"] == pytest.approx(-math.pi / 2, rel=1e-9)
    own = asked("modes", "--case", "turn", "--set", "long=400mm")["modes"][0]["frequency"]
    inertia = 1e-3 + 0.2**2
    assert own == pytest.approx(math.sqrt(G * 0.2 / inertia) / (2 * math.pi), rel=1e-9)
    words = ("bode", "arm.yaml", "--case", "turn", "--set", "arm.mass=2kg", "--from", "A.effort", "--to", "A")
    assert "case: turn: one turn" in run(*words).output


def test_reports_movies_and_the_workbench_in_a_case() -> None:
    for case in ("turn", "fall"):
        assert (
            f"wrote {case}.html, case {case}"
            in run("report", "arm.yaml", "--case", case, "--out", f"{case}.html").output
        )
    assert "linkwork report arm.yaml --case fall" in Path("fall.html").read_text(encoding="utf-8")
    shown = run("animate", "arm.yaml", "--case", "fall", "--out", "fall.gif", "--set", "long=80mm").output
    assert "wrote fall.gif" in shown and "case fall" in shown
    opened = _opened(Path("arm.yaml"), None, "fall", ["long=80mm"])
    assert opened.machine is not None and opened.run is not None
    assert opened.machine.dimensions == {"long": pytest.approx(0.08)} and opened.run.analysis == "simulation"


def test_sweeps_over_dimensions_in_a_case() -> None:
    def swept(*words: str) -> list[float]:
        own = asked("sweep", *words)["sweep"]
        return list(own["signals"][next(iter(own["signals"]))]["values"])

    over = ("--over", "long=100mm:300mm:3")
    effort = swept("--case", "heavy", *over, "--of", "A.effort:max", "--samples", "5")
    assert np.allclose(effort, [3 * G * half for half in (0.05, 0.10, 0.15)], rtol=1e-12)
    effort = swept("--case", "held", *over, "--statics", "--of", "A.fy", "--set", "arm.mass=2kg")
    assert np.allclose(effort, 0.5 * (2 * G + 10.0), rtol=1e-12)  # the frame is turned by 60 degrees
    ends = swept("--case", "fall", "--over", "arm.mass=1kg,2kg", "--of", "A:last")
    assert len(ends) == 2
    alone = lw.load("arm.yaml").assemble().case("fall").simulate()
    assert ends[0] == pytest.approx(float(alone["A.angle"].values[-1]), rel=1e-9)


def test_names_that_are_none() -> None:
    told = run("motion", "arm.yaml", "--case", "trun", "--set", "lnog=3", code=2).output
    assert "--case trun: there is no case 'trun'; did you mean 'turn'?" in told
    assert "--set lnog: there is no number of the model 'lnog'; did you mean 'long'?" in told
    told = run("motion", "arm.yaml", "--set", "half=3", code=2).output
    assert "--set half: 'half' follows from others: long/2; change long" in told
    told = run("motion", "arm.yaml", "--set", "long=3 kg", code=2).output
    assert "--set long: '3 kg' is a mass; a length is wanted" in told
    assert "the model has no cases" in run("motion", "four-bar", "--case", "turn", code=2).output


def test_what_the_shell_completes() -> None:
    context = SimpleNamespace(params={"file": "arm.yaml"})

    assert complete_cases(context, "") == ["turn", "heavy", "fall", "held"]  # type: ignore[arg-type]
    assert complete_parameters(context, "l") == ["long="]  # type: ignore[arg-type]
