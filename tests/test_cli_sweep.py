"""`linkwork sweep`, `--set`, `linkwork new`, and what the shell completes."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import linkwork as lw
from linkwork.cli import app
from linkwork.cli.completion import complete_file, complete_joints, complete_parameters, complete_signals
from linkwork.files.templates import TEMPLATES, new_text

G = 9.81


def run(*words: str, code: int = 0, **options: object) -> Result:
    result = CliRunner().invoke(app, [*words], **options)  # type: ignore[arg-type]
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(autouse=True)
def link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link of 100 mm and 1 kg on a pin, its centre in the middle."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    run("new", "link")


def sweep(*words: str, code: int = 0) -> dict[str, object]:
    found = json.loads(run("sweep", "link.yaml", *words, "--json", code=code).stdout)["sweep"]
    assert isinstance(found, dict)
    return found


def test_statics_over_the_start() -> None:
    found = sweep("--statics", "--over", "start.A=0deg:80deg:9", "--of", "A.effort", "--of", "A.fy")
    held = found["signals"]["A.effort"]  # type: ignore[index]
    angles = np.radians(np.linspace(0.0, 80.0, 9))
    assert np.allclose(held["values"], G * 0.05 * np.cos(angles), rtol=1e-12) and held["units"] == "N m"
    assert found["axes"] == {"start.A.angle": pytest.approx(angles.tolist())}


def test_forces_over_a_grid() -> None:
    words = ("--over", "link.mass=1kg,3kg", "--over", "link.com.x=40mm:60mm:3", "--drive", "A=0:360deg in 1s")
    found = sweep(*words, "--of", "A.effort:max", "--of", "P.speed:mean", "--samples", "73")
    effort, speed = (found["signals"][n]["values"] for n in ("A.effort.max", "P.speed.mean"))  # type: ignore[index]
    assert np.allclose(effort, np.outer([1.0, 3.0], [0.04, 0.05, 0.06]) * G, rtol=1e-12)
    assert np.allclose(speed, 2 * math.pi * 0.1, rtol=1e-12)


def test_simulations_over_the_start() -> None:
    found = sweep("--until", "1s", "--over", "start.A=-90deg:0deg:4", "--of", "A.rate:max", "--samples", "2001")
    rates = found["signals"]["A.rate.max"]["values"]  # type: ignore[index]
    # A point of mass 50 mm from the pin: w² = 2 g (1 + sin A)/l at the bottom.
    exact = [math.sqrt(2 * G * (1 + math.sin(math.radians(a))) / 0.05) for a in (-90.0, -60.0, -30.0, 0.0)]
    assert np.allclose(rates, exact, rtol=2e-4, atol=1e-6)


def test_tables_files_and_pictures() -> None:
    words = ("--statics", "--over", "link.mass=1kg:2kg:3", "--of", "A.effort", "--set", "link.com.x=100mm")
    shown = run("sweep", "link.yaml", *words, "--out", "s.csv", "--out", "s.nc", "--out", "s.png").output
    assert "3 of 3 places" in shown and "wrote s.png" in shown and "greatest 1962" in shown
    again = lw.load_result(Path("s.csv"))
    assert np.allclose(again["A.effort"], [0.981, 1.4715, 1.962], rtol=1e-12)
    assert again.data.identical(lw.load_result(Path("s.nc")).data) and Path("s.png").stat().st_size > 1000


def test_places_without_an_answer() -> None:
    run("new", "four-bar", "short", "--set", "coupler=200mm")
    words = ("--statics", "--over", "start.D=0deg:120deg:5", "--of", "D.effort")
    result = run("sweep", "short.yaml", *words, code=1)
    assert "warning: start.D.angle = " in result.output and " -\n" in result.output


def test_everything_wrong_at_once() -> None:
    words = (
        "--over",
        "link.mas=1:2",
        "--over",
        "link.mass=1mm:2",
        "--of",
        "A:mx",
        "--set",
        "link.mass=2kg",
        "--rate",
        "A=1",
    )
    told = run("sweep", "link.yaml", *words, code=2).stderr
    assert "4 problems" in told and "did you mean 'link.mass'?" in told and "'1mm' is a length" in told
    assert "did you mean 'max'?" in told and "--until: rates and efforts are of simulations" in told
    assert "did you mean 'P.x'" in run("sweep", "link.yaml", "--over", "link.mass=1:2", "--of", "Q.x", code=2).stderr


def test_set_is_everywhere() -> None:
    of = ("link.yaml", "--set", "link.mass=2kg")
    plain = json.loads(run("statics", *of, "--json").stdout)
    assert plain["efforts"]["A.angle"]["value"] == pytest.approx(2 * G * 0.05, rel=1e-14)
    run("motion", *of)
    run("mobility", *of)
    run("closures", *of)
    run("simulate", *of, "--until", "10ms")
    run("report", *of, "--forces", "--out", "r.html")
    assert "--set link.mass=2kg" in Path("r.html").read_text(encoding="utf-8")
    run("show", *of, "--layout", "l.svg")
    forces = json.loads(run("forces", *of, "--drive", "A=0:360deg in 1s", "--json").stdout)
    assert "drives" in str(forces.keys()) or forces["driven"]
    told = run("motion", "link.yaml", "--set", "lnk.mass=2kg", "--set", "link.mass=2s", "--set", "x", code=2).stderr
    assert "3 problems" in told and "did you mean 'link.mass'?" in told


def test_without_a_drive_motion_and_forces_do_what_the_report_does() -> None:
    plain = json.loads(run("motion", "link.yaml", "--json").stdout)
    assert plain["driven"] == {"A.angle": "one turn from 0 deg to 360 deg, evenly"}
    assert plain["joints"]["A.angle"]["value"]["greatest"] == pytest.approx(2 * math.pi)
    assert "nothing is driven by --drive; A.angle moves: one turn" in run("forces", "link.yaml").stderr
    lasts = json.loads(run("motion", "link.yaml", "--duration", "4s", "--jerk", "--json").stdout)
    assert lasts["joints"]["A.angle"]["rate"]["greatest"] == pytest.approx(math.pi / 2)


def test_report_with_forces_from_outside() -> None:
    run("report", "link.yaml", "--external", "P=0,-100,0 N", "--drive", "A=0:360deg", "--out", "r.html")
    text = Path("r.html").read_text(encoding="utf-8")
    assert "--external &#x27;P=0,-100,0 N&#x27;" in text or "--external 'P=0,-100,0 N'" in text


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_are_sound(name: str) -> None:
    own = TEMPLATES[name]
    m = lw.loads(new_text(own, name, {}))
    assert m.assemble().home.mobility >= 1 and not lw.check(m).errors


def test_a_template_has_the_lengths_that_were_asked_for() -> None:
    given = {"base": 100.0, "crank": 40.0, "coupler": 90.0, "rocker": 70.0}
    m = lw.loads(new_text(TEMPLATES["four-bar"], "four-bar", given))
    places = [np.array(m.joints[name].frame.at) for name in "ABCD"]
    lengths = [np.linalg.norm(places[b] - places[a]) for a, b in ((0, 3), (0, 1), (1, 2), (2, 3))]
    assert np.allclose(lengths, [0.1, 0.04, 0.09, 0.07], rtol=0, atol=1e-8)  # written to a millionth of a millimetre


def test_new_is_told_what_is_wrong() -> None:
    assert "four-bar" in run("new").output and "planar" in run("new").output
    assert "did you mean 'four-bar'?" in run("new", "four-bra", code=2).stderr
    assert "did you mean 'crank'?" in run("new", "four-bar", "--set", "cranc=3", code=2).stderr
    assert "close no loop" in run("new", "four-bar", "--set", "crank=4m", code=2).stderr
    assert "'2kg' is a mass" in run("new", "four-bar", "--set", "crank=2kg", code=2).stderr
    assert "--force overwrites it" in run("new", "link", code=2).stderr
    run("new", "link", "--force")


def test_new_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linkwork.cli.commands.new._on_terminal", lambda: True)
    shown = run("new", input="y\nnine\n2\n4 kg\n4 cm\n\n4/5\nmy press\n").output
    assert "'nine' is none of them" in shown and "'4 kg' is a mass" in shown and "'4/5' is not a name" in shown
    assert "wrote my-press.yaml" in shown
    m = lw.load(Path("my-press.yaml"))
    assert m.name == "my-press" and sorted(m.joints) == ["A", "B", "C", "D"]
    assert np.hypot(*m.joints["B"].frame.at[:2]) == pytest.approx(0.04, abs=1e-8)


def test_completion() -> None:
    class Context:
        params = {"file": Path("link.yaml")}  # noqa: RUF012

    own = Context()
    assert complete_joints(own, "") == ["A="] and complete_parameters(own, "l") == ["length=", "link.mass="]  # type: ignore[arg-type]
    assert "P.speed" in complete_signals(own, "P") and "A.effort" in complete_signals(own, "A")  # type: ignore[arg-type]
    assert complete_file("li") == ["link.yaml"] and "stewart-platform" in complete_file("st")
    own.params["file"] = Path("nothing-there")
    assert complete_joints(own, "") == []  # type: ignore[arg-type]
    words = {"COMP_WORDS": "linkwork motion link.yaml --plot P.s", "COMP_CWORD": "4"}
    env = {**os.environ, "_LINKWORK_COMPLETE": "complete_bash", **words}
    asked = [sys.executable, "-c", "from linkwork.cli import app; app(prog_name='linkwork')"]
    assert subprocess.run(asked, env=env, capture_output=True, text=True).stdout.split() == ["P.speed"]
