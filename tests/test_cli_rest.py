"""`linkwork equilibrium`, `modes` and `bode`, as a person and as a script would use them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from linkwork.cli import app

runner = CliRunner()
FALLING = """
linkwork: 1
name: falling
gravity: [0, 0, -9.81]
bodies:
  stone: {mass: 1}
joints:
  Z: {prismatic: [ground, stone], at: [0, 0, 0], axis: z}
"""


def ran(*words: str) -> Result:
    return runner.invoke(app, list(words))


def test_where_it_rests() -> None:
    told = ran("equilibrium", "double-pendulum", "--start", "A=30deg")
    assert told.exit_code == 0
    assert "rests, stable" in told.output and "A.angle = 0 deg" in told.output
    held = json.loads(ran("equilibrium", "double-pendulum", "--hold", "A=30deg", "--json").output)
    assert held["verdict"] == "stable"
    assert held["values"]["A.angle"] == pytest.approx(math.radians(30.0))
    assert list(held["efforts"]) == ["A.angle"]
    up = ran("equilibrium", "double-pendulum", "--start", "A=179deg", "--start", "B=1deg", "--nearest")
    assert "unstable" in up.output


def test_exact_friction_at_rest(tmp_path: Path) -> None:
    file = tmp_path / "hinge.yaml"
    file.write_text(
        "linkwork: 1\nname: hinge\ngravity: [0, -9.81, 0]\nbodies:\n  flap: {mass: 1, com: [0, -1, 0]}\n"
        "joints:\n  A: {revolute: [ground, flap], at: [0, 0, 0], axis: z}\n"
        "friction:\n  pin: {joint: A, level: 2, form: exact}\n"
    )
    told = ran("equilibrium", str(file), "--start", "A=0.1", "--stay", "--interval", "A")
    assert told.exit_code == 0 and "49% of the 2 N m" in told.output and "0.205313 rad (pin)" in told.output
    found = json.loads(ran("equilibrium", str(file), "--interval", "A.effort", "--json").output)
    assert found["intervals"]["A.angle.effort"]["high"] == pytest.approx(2.0)
    slips = ran("equilibrium", str(file), "--start", "A=0.5", "--stay")
    assert slips.exit_code == 1 and "cannot hold it" in slips.stderr


def test_equilibrium_over_a_coordinate(tmp_path: Path) -> None:
    table, picture = tmp_path / "path.csv", tmp_path / "path.svg"
    told = ran("equilibrium", "double-pendulum", "--over", "A=0:60deg:3", "--out", str(table), "--out", str(picture))
    assert told.exit_code == 0 and "complete" in told.output and "A.angle.effort" in told.output
    assert table.exists() and picture.exists()
    found = json.loads(ran("equilibrium", "double-pendulum", "--over", "A=0:60deg:3", "--json").output)
    assert found["verdicts"][0] == "stable" and found["values"][-1] == pytest.approx(math.pi / 3)
    snapped = ran("equilibrium", "double-pendulum", "--over", "A.effort=0:400")
    assert snapped.exit_code == 1 and "turns back" in snapped.output
    wrong = ran("equilibrium", "double-pendulum", "--over", "A.efort=0:1")
    assert wrong.exit_code != 0 and "did you mean 'A.effort'" in wrong.stderr
    assert "are of --over" in ran("equilibrium", "double-pendulum", "--branches").stderr


def test_how_it_swings(tmp_path: Path) -> None:
    told = ran("modes", "double-pendulum", "--out", str(tmp_path / "modes.nc"))
    assert told.exit_code == 0 and "0.381526" in told.output
    assert (tmp_path / "modes.nc").is_file()
    found = json.loads(ran("modes", "double-pendulum", "--lock", "B", "--json").output)
    assert len(found["modes"]) == 1 and found["equilibrium"]["verdict"] == "stable"
    here = ran("modes", "double-pendulum", "--start", "A=180deg", "--here")
    assert here.exit_code == 0 and "grows" in here.output


def test_the_matrices(tmp_path: Path) -> None:
    told = ran("linearize", "double-pendulum", "--out", str(tmp_path / "own.npz"))
    assert told.exit_code == 0 and "A.angle" in told.output and "K [SI]" in told.output
    found = json.loads(ran("linearize", "double-pendulum", "--json").output)
    with np.load(tmp_path / "own.npz") as kept:
        assert kept["K"].tolist() == found["K"] and list(kept["coordinates"]) == found["coordinates"]
    values = np.linalg.eigvals(np.linalg.solve(found["M"], found["K"]))
    assert np.sqrt(values.min()) / (2 * math.pi) == pytest.approx(0.381526, abs=1e-6)
    assert ran("linearize", "double-pendulum", "--out", "own.txt").exit_code == 2


def test_what_answers_at_which_frequency(tmp_path: Path) -> None:
    words = ("bode", "double-pendulum", "--from", "A.effort", "--to", "B", "--to", "A.rate")
    picture, table = tmp_path / "bode.svg", tmp_path / "bode.csv"
    told = ran(*words, "--out", str(picture))
    assert told.exit_code == 0 and "resonance at 0.381" in told.output
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    assert ran(*words, "--range", "0.1Hz:10Hz", "--samples", "11", "--out", str(table)).exit_code == 0
    assert len(table.read_text(encoding="utf-8").splitlines()) >= 12


def test_what_cannot_be_is_told_with_the_options(tmp_path: Path) -> None:
    file = tmp_path / "falling.yaml"
    file.write_text(FALLING, encoding="utf-8")
    told = ran("equilibrium", str(file))
    assert told.exit_code == 1 and "falls without end along Z.slide" in told.output
    wrong = ran("equilibrium", "double-pendulum", "--hold", "Q=1", "--effort", "R=1")
    assert wrong.exit_code != 0 and "--hold Q" in wrong.output and "--effort R" in wrong.output
    ranged = ran("bode", "double-pendulum", "--from", "A.effort", "--to", "B", "--range", "5:1")
    assert ranged.exit_code != 0 and "--range" in ranged.output
    named = ran("bode", "double-pendulum", "--from", "C.effort", "--to", "B")
    assert named.exit_code != 0 and "C.effort" in named.output


def test_modes_are_written_as_tables_plots_and_movies(tmp_path: Path) -> None:
    table, plot, movie = (tmp_path / f"modes.{ending}" for ending in ("csv", "svg", "gif"))
    for file in (table, plot, movie):
        told = ran("modes", "double-pendulum", "--out", str(file), "--mode", "2")
        assert told.exit_code == 0 and f"wrote {file}" in told.stderr
    assert "frequency" in table.read_text() and "damping ratio" in plot.read_text()
    assert movie.read_bytes()[:6] == b"GIF89a"
    wrong = ran("modes", "double-pendulum", "--out", str(movie), "--mode", "3")
    assert wrong.exit_code and "there is no mode 3; 1 to 2" in wrong.stderr
    strange = ran("modes", "double-pendulum", "--out", str(tmp_path / "modes.xyz"))
    assert strange.exit_code and "not an ending" in strange.stderr and ".gif" in strange.stderr
