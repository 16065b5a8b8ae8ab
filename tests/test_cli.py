"""The command line, as a person and as a script would use it."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner, Result

import linkwork as lw
from linkwork.cli import app

BAD = """linkwork: 1
name: bad
bodies:
  crank: {mass: 3 m}
joints:
  A: {revolute: [ground, crnk], axis: z}
"""


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_check_of_a_sound_model(here: Path) -> None:
    assert run("examples", "four-bar", "--copy").exit_code == 0
    result = run("check", "four-bar.yaml")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == "four-bar  sound"
    assert "  4 bodies, 4 joints, 1 loop, mobility 1, 3 redundant constraints" in lines
    assert any("RRRR, planar, 3 equations" in line for line in lines)
    assert "\x1b" not in result.output


def test_check_of_a_bad_model_lists_everything(here: Path) -> None:
    (here / "bad.yaml").write_text(BAD)
    result = run("check", "bad.yaml")
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "bad.yaml  not sound",
        "  error: line 4, bodies.crank.mass: '3 m' is a length; a mass is wanted, such as '3 kg'",
        "  error: line 6, joints.A: there is no body 'crnk'; did you mean 'crank'?",
    ]


def test_check_of_a_model_that_reads_but_is_not_sound(here: Path) -> None:
    (here / "open.yaml").write_text("linkwork: 1\nbodies: {a: {}, b: {}}\njoints: {A: {revolute: [a, b], axis: z}}\n")
    result = run("check", "open.yaml", "--json")
    found = json.loads(result.output)
    assert result.exit_code == 1
    assert [p["where"] for p in found["problems"] if p["severity"] == "error"] == ["joints"]


def test_check_json_of_one_and_of_many(here: Path) -> None:
    run("examples", "four-bar", "--copy")
    (here / "bad.yaml").write_text(BAD)
    one = json.loads(run("check", "four-bar.yaml", "--json").output)
    assert one["sound"] is True
    assert one["values"]["mobility"] == 1
    assert one["loops"][0]["kind"] == "planar"
    result = run("check", "four-bar.yaml", "bad.yaml", "--json")
    assert result.exit_code == 1
    assert [entry["sound"] for entry in json.loads(result.output)] == [True, False]


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("check", "nope.yaml"),
        ("show", "nope.yaml"),
        ("examples", "fourbar"),
        ("examples", "--copy"),
        ("chek",),
    ],
)
def test_wrong_use_is_2(here: Path, words: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, "-m", "linkwork", *words], capture_output=True, text=True, cwd=here)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr + done.stdout


def test_a_missing_file_is_named_with_its_neighbour(here: Path) -> None:
    run("examples", "four-bar", "--copy")
    done = subprocess.run(
        [sys.executable, "-m", "linkwork", "check", "fourbar.yaml"], capture_output=True, text=True, cwd=here
    )
    assert done.stdout.splitlines() == [
        "fourbar.yaml  not read",
        "  error: there is no such file; did you mean 'four-bar.yaml'?",
    ]


def test_show_prints_tables_in_the_units_of_the_file(here: Path) -> None:
    run("examples", "slider-crank", "--copy")
    output = run("show", "slider-crank.yaml").output
    assert "centre of mass [mm]" in output
    (row,) = [line.split() for line in output.splitlines() if line.startswith("  B ")]
    assert row[:7] == ["B", "revolute", "crank", "rod", "50,", "0,", "0"]


def test_show_json_is_a_model_file(here: Path) -> None:
    run("examples", "slider-crank", "--copy")
    output = run("show", "slider-crank.yaml", "--json").output
    assert lw.loads(output, is_json=True) == lw.load("slider-crank.yaml")


def test_show_draws(here: Path) -> None:
    run("examples", "slider-crank", "--copy")
    result = run("show", "slider-crank.yaml", "--layout", "a.svg", "--graph", "b.svg")
    assert result.exit_code == 0
    assert (here / "a.svg").read_text().count("<svg") == 1
    assert "joint:A" in (here / "b.svg").read_text()


def test_show_refuses_an_unknown_picture_format(here: Path) -> None:
    run("examples", "slider-crank", "--copy")
    assert run("show", "slider-crank.yaml", "--layout", "a.xyz").exit_code == 2


def test_examples_are_listed_printed_and_copied(here: Path) -> None:
    listed = run("examples").output
    assert all(line in listed for line in lw.examples())
    text = run("examples", "bennett").output
    assert lw.loads(text) == lw.example("bennett")
    assert run("examples", "bennett", "--copy").exit_code == 0
    assert (here / "bennett.yaml").read_text(encoding="utf-8") == text
    assert run("examples", "bennett", "--copy").exit_code == 2
    assert run("examples", "bennett", "--copy", "--force").exit_code == 0
    assert json.loads(run("examples", "--json").output) == lw.examples()


def test_schema_accepts_the_gallery(here: Path) -> None:
    schema = json.loads(run("schema").output)
    jsonschema.validate(yaml.safe_load("linkwork: 1"), schema)
    assert run("schema", "--out", "schema.json").exit_code == 0
    assert json.loads((here / "schema.json").read_text()) == schema


def test_version() -> None:
    assert run("--version").output == f"linkwork {lw.__version__}\n"


def test_no_colours_in_a_pipe_and_imports_are_lazy(here: Path) -> None:
    run("examples", "four-bar", "--copy")
    done = subprocess.run([sys.executable, "-m", "linkwork", "check", "four-bar.yaml"], capture_output=True, cwd=here)
    assert done.returncode == 0 and b"\x1b" not in done.stdout
    code = (
        "import sys, linkwork; print([m for m in ('numpy', 'pydantic', 'casadi', 'scipy', 'pint') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
    code = (
        "import sys; from linkwork.cli import app; app(['check', 'four-bar.yaml'], standalone_mode=False);"
        "print([m for m in ('casadi', 'scipy', 'pint', 'matplotlib', 'trimesh') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=here)
    assert done.stdout.splitlines()[-1] == "[]"
