"""`linkwork workspace`, as a person and as a script would use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from linkwork.cli import app


def test_a_region_is_told_drawn_and_given_as_numbers(tmp_path: Path) -> None:
    picture = tmp_path / "region.png"
    words = ["workspace", "five-bar", "tool", "--step", "10mm"]
    done = CliRunner().invoke(app, [*words, "--quality", "condition", "--plot", str(picture)])
    assert done.exit_code == 0 and "area 0.037" in done.output and picture.stat().st_size > 5000
    told = json.loads(CliRunner().invoke(app, [*words, "--json"]).output)
    assert told["plane"] == "xy" and told["step"] == 0.01
    assert told["area"] == pytest.approx(0.0374, rel=5e-3) and len(told["outlines"]) == 1
    assert told["extent"]["y"][1] == pytest.approx(0.245, abs=1e-3)


def test_singular_postures_are_curves() -> None:
    words = ["workspace", "puma-560", "link6", "--singular", "--over", "elbow", "--over", "wrist_bend", "--json"]
    told = json.loads(CliRunner().invoke(app, words).output)
    assert [c["kind"] for c in told["curves"]] == ["task", "task"]
    assert told["over"] == ["elbow.angle", "wrist_bend.angle"] and len(told["drives"]) == 6


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["five-bar", "tol"], "did you mean 'tool'?"),
        (["five-bar", "tool", "--plane", "xw"], "'xw' is no plane"),
        (["five-bar", "tool", "--singular", "--plane", "xy"], "--plane is for regions"),
        (["five-bar", "tool", "--over", "A1"], "--over is for singular postures"),
        (["five-bar", "tool", "--quality", "speed"], "'speed'"),
        (["four-bar", "P"], "one way to go"),
        (["five-bar", "tool", "--step", "3 kg"], "3 kg"),
    ],
)
def test_what_is_asked_wrongly_is_told(words: list[str], told: str) -> None:
    done = CliRunner().invoke(app, ["workspace", *words])
    assert done.exit_code in (1, 2) and told in done.output and "Traceback" not in done.output
