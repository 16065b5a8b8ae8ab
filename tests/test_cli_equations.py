"""`linkwork equations` and `linkwork cache`, as a person and as a script would use them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import linkwork as lw
from linkwork.analyses.equations import equations
from linkwork.cli import app
from linkwork.equations.quantities import OF_MACHINE

OPEN = "linkwork: 1\nname: open\nbodies: {a: {mass: 1}, b: {mass: 1}}\njoints: {A: {revolute: [a, c], axis: z}}\n"


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path / "cache"))
    return tmp_path


def rows(output: str, title: str) -> list[list[str]]:
    """Rows of a printed table, split at gaps of two blanks."""
    lines = output.splitlines()
    start = lines.index(title) + 1
    table = []
    for line in lines[start:]:
        if not line.startswith("  "):
            break
        table.append([cell.strip() for cell in line.split("  ") if cell.strip()])
    return table


def test_equations_of_an_open_machine(here: Path) -> None:
    run("examples", "double-pendulum", "--copy")
    result = run("equations", "double-pendulum.yaml")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[:2] == [
        "double-pendulum",
        "  2 moving bodies, 2 coordinates, 2 rates, 77 parameters, 0 cut joints",
    ]
    assert rows(result.output, "coordinates") == [
        ["joint", "kind", "coordinates", "rates"],
        ["A", "revolute", "angle", "angle"],
        ["B", "revolute", "angle", "angle"],
    ]
    table = rows(result.output, "quantities")
    assert table[0] == ["name", "takes", "gives", "operations"]
    assert [row[0] for row in table[1:]] == list(OF_MACHINE)
    assert table[1][:3] == ["inverse_dynamics", "q[2], v[2], a[2]", "tau[2]"]
    assert int(table[1][3]) == lw.System(lw.example("double-pendulum")).kernel("inverse_dynamics").operations
    assert "\x1b" not in result.output


def test_loops_are_told_and_the_tree_is_still_counted(here: Path) -> None:
    run("examples", "four-bar", "--copy")
    result = run("equations", "four-bar.yaml")
    assert result.exit_code == 0
    assert "  cut joints: B" in result.output.splitlines()
    notes = [line for line in result.output.splitlines() if line.startswith("  note: ")]
    assert len(notes) == 3 and all("(B)" in note for note in notes)
    names = [row[0] for row in rows(result.output, "quantities")]
    assert "mass_matrix" in names and "inverse_dynamics" not in names


def test_json_says_the_same(here: Path) -> None:
    run("examples", "free-box", "--copy")
    result = run("equations", "free-box.yaml", "--json")
    assert result.exit_code == 0
    found = json.loads(result.output)
    system = lw.System(lw.example("free-box"))
    assert found["coordinates"] == list(system.coordinates)
    assert found["rates"] == ["flight.vx", "flight.vy", "flight.vz", "flight.wx", "flight.wy", "flight.wz"]
    assert found["parameters"] == len(system.parameters)
    assert found["cut_joints"] == [] and found["problems"] == []
    by_name = {row["name"]: row for row in found["quantities"]}
    assert by_name["inverse_dynamics"]["inputs"] == {"q": [7], "v": [6], "a": [6]}
    assert by_name["mass_matrix"]["outputs"] == {"M": [6, 6]}
    assert by_name["kinetic_energy"]["outputs"] == {"T": []}
    assert "ready_seconds" not in by_name["bias"]


def test_measuring_fills_the_cache(here: Path) -> None:
    run("examples", "pendulum", "--copy")
    result = run("equations", "pendulum.yaml", "--measure")
    assert result.exit_code == 0
    table = rows(result.output, "quantities")
    assert table[0][-2:] == ["ready [s]", "per sample [ns]"]
    assert all(float(row[-1]) > 0.0 for row in table[1:] if row[0] != "closure")  # without loops it gives nothing
    about = json.loads(run("cache", "--json").output)
    assert about["folder"] == str(here / "cache" / "kernels")
    assert about["entries"] > 0 and 0 < about["bytes"] < about["limit_bytes"]
    measured = json.loads(run("equations", "pendulum.yaml", "--measure", "--json").output)["quantities"]
    measured = [row for row in measured if row["name"] != "closure"]
    assert all(0.0 < row["sample_seconds"] < 1e-3 and row["ready_seconds"] >= 0.0 for row in measured)


def test_what_has_no_mass_is_told() -> None:
    found = equations(lw.example("scara"))
    assert [p.where for p in found.problems] == ["D.angle"]
    assert all(p.severity == "note" for p in found.problems)
    assert "forward_dynamics" not in [cost.name for cost in found.costs]
    massless = equations(lw.example("stanford-arm"))
    assert "nothing that moves has a mass" in massless.problems[-1].what
    assert [cost.operations for cost in massless.costs if cost.name == "mass_matrix"] == [0]


def test_a_floating_body_carries_its_own_coordinates(here: Path) -> None:
    (here / "float.yaml").write_text("linkwork: 1\nname: float\nfloating: true\nbodies: {hub: {mass: 1}}\n")
    result = run("equations", "float.yaml")
    assert rows(result.output, "coordinates")[1][:2] == ["hub", "floating"]


def test_a_machine_that_cannot_move(here: Path) -> None:
    (here / "stand.yaml").write_text("linkwork: 1\nbodies: {b: {mass: 1}}\njoints: {R: {rigid: [ground, b]}}\n")
    result = run("equations", "stand.yaml", "--measure")
    assert result.exit_code == 0, result.output
    measured = {row[0]: row[-1] for row in rows(result.output, "quantities")[1:]}
    assert measured["inverse_dynamics"] == "-" and float(measured["poses"]) > 0.0


def test_a_bad_model_is_1_and_a_missing_one_2(here: Path) -> None:
    (here / "open.yaml").write_text(OPEN)
    result = run("equations", "open.yaml")
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "open.yaml  not sound",
        "  error: line 4, joints.A: there is no body 'c'; there is: ground, a, b",
        "  error: line 4, joints: nothing is joined to the ground 'ground'; join a body to it, name the standing body "
        "with `ground:`, or say `floating: true`",
    ]
    assert json.loads(run("equations", "open.yaml", "--json").output)["sound"] is False
    assert run("equations", "nope.yaml").exit_code == 2
    assert run("equations").exit_code == 2


def test_cache_is_shown_and_cleared(here: Path) -> None:
    folder = here / "cache" / "kernels"
    assert run("cache").output.splitlines() == [str(folder), "0 compiled kernels, 0.0 MB of at most 512 MB"]
    assert not folder.exists()
    folder.mkdir(parents=True)
    (folder / "a.kernel").write_bytes(bytes(2**20))
    (folder / "mine.txt").write_text("not a kernel")
    assert run("cache").output.splitlines() == [str(folder), "1 compiled kernel, 1.0 MB of at most 512 MB"]
    result = run("cache", "--clear")
    assert result.exit_code == 0
    assert result.output.splitlines()[0] == "removed 1 compiled kernel"
    assert [f.name for f in folder.iterdir()] == ["mine.txt"]
    assert json.loads(run("cache", "--clear", "--json").output)["removed"] == 0


def test_cache_that_is_off(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", "off")
    result = run("cache", "--clear")
    assert result.exit_code == 0 and result.output.startswith("off: ")
    assert json.loads(run("cache", "--json").output)["folder"] is None


def test_cache_that_cannot_be_cleared(here: Path) -> None:
    (here / "cache" / "kernels" / "a.kernel").mkdir(parents=True)  # a folder cannot be unlinked
    result = run("cache", "--clear")
    assert result.exit_code == 2
    assert "cannot remove" in result.output


def test_check_does_not_import_the_engine(here: Path) -> None:
    run("examples", "four-bar", "--copy")
    code = (
        "import sys; from linkwork.cli import app; app(['check', 'four-bar.yaml'], standalone_mode=False);"
        "print([m for m in ('casadi', 'llvmlite', 'numba', 'linkwork.system', 'linkwork.kernels') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=here)
    assert done.stdout.splitlines()[-1] == "[]"
