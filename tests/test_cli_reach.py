"""`linkwork reach`: goals from texts, one solution or all, and what is said where there is none."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app


def ask(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["reach", *words])
    assert result.exit_code == code, result.output
    return result.output


def answer(*words: str, code: int = 0) -> Any:
    return json.loads(ask(*words, "--json", code=code))


def test_a_place_and_a_direction() -> None:
    words = ("puma-560", "link6", "--place", "0.5 m, 100 mm, 0.2 m", "--pointing", "z=-z", "--joint", "flange=35deg")
    found = answer(*words, "--no-limits")
    X = np.array(found["pose"])
    assert found["converged"] and np.abs(X[:3, 3] - [0.5, 0.1, 0.2]).max() < 1e-9
    assert np.abs(X[:3, 2] - [0, 0, -1]).max() < 1e-9
    assert found["values"]["flange.angle"] == pytest.approx(np.deg2rad(35), abs=1e-12)
    assert [row["row"] for row in found["missing"]][:3] == ["link6.x", "link6.y", "link6.z"]


def test_cylindrical_places_held_joints_and_preferences() -> None:
    words = ("puma-560", "wrist", "--cylindrical", "500 mm, 40deg, -", "--hold", "flange", "--prefer", "manipulability")
    p = np.array(answer(*words, "--at", "flange=20deg")["pose"])[:3, 3]
    assert np.hypot(*p[:2]) == pytest.approx(0.5, abs=1e-9) and np.arctan2(p[1], p[0]) == pytest.approx(np.deg2rad(40))
    text = ask(*words)
    assert "reached in" in text and "flange.angle" in text and "freedoms are left" in text


def test_all_solutions_and_attitudes() -> None:
    goal = ("--place", "0.4 m, 0.3 m, 0.3 m", "--rpy", "180deg, 0, 20deg")
    found = answer("ur5e", "tool", *goal, "--all")
    assert found["complete"] and len(found["solutions"]) == 8
    s = lw.example("ur5e").assemble()
    for own in found["solutions"]:
        X = s.pose("tool", [own["values"][n] for n in s.coordinates])
        assert np.abs(X[:3, 3] - [0.4, 0.3, 0.3]).max() < 1e-9
    assert "8 solutions" in ask("ur5e", "tool", *goal, "--all")


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    assert "are missing" in ask("puma-560", "wrist", "--place", "4 m, 0, 0", code=1)
    assert answer("puma-560", "wrist", "--place", "4 m, 0, 0", code=1)["status"] == "cannot reach"
    text = ask("puma-560", "wrist", "--place", "4 m, 0", "--spin", "3deg", "--pointing", "q=x", code=2)
    assert "3 numbers are wanted" in text and "no axis along a direction" in text
    assert "no goal is given" in ask("puma-560", "wrist", code=2)
    assert "did you mean" in ask("puma-560", "wirst", "--place", "0.4, 0, 0.3", code=2)
    picture = tmp_path / "posture.svg"
    ask("puma-560", "wrist", "--place", "0.4 m, 0.3 m, 0.5 m", "--draw", str(picture))
    assert picture.read_text(encoding="utf-8").lstrip().startswith("<?xml")
