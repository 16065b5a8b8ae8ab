"""What is imported, and what is not: a first answer must not wait for libraries that it does without."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

LIBRARIES = ("numpy", "casadi", "llvmlite", "pydantic", "numba", "scipy", "pint", "xarray", "pandas", "h5py", "typer")


def run(code: str, **environment: str) -> dict[str, list[str]]:
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


WATCHED = f"""
import json, sys
def there(): return [name for name in {LIBRARIES!r} if name in sys.modules]
found = {{}}
import linkwork as lw
found["import"] = there()
machine = lw.example("slider-crank").assemble()
found["assembly"] = there()
from linkwork.numerics import warming
warming.begin = lambda: None
run = machine.simulate(1.0, start={{"A": 0.5}})
assert run.status == "complete"
found["simulation"] = there()
print(json.dumps(found))
"""


ANSWERED = f"""
import contextlib, io, json, sys, tempfile
from pathlib import Path
def there(): return [name for name in {LIBRARIES!r} if name in sys.modules]
found = {{}}
import linkwork as lw
machine = lw.example("slider-crank").assemble()
from linkwork.numerics import warming
warming.begin = lambda: None
run = machine.motion({{"A": (0.0, 6.0)}}, samples=21)
told = [str(run), repr(run["A"].value), run["A"].max(), run["P.speed"].rms(), run["A"].to("deg")[0]]
told += [run["P"].position.x.values[0], run["P"].velocity.magnitude.max()]
found["motion"] = there()
forces = machine.forces(run)
told += [str(forces), repr(forces["A.effort"] * forces["A.rate"]), forces.evidence.forces]
told += [repr(forces.sel(0.2, 0.5)), forces.at(0.5)]
found["forces"] = there()
simulation = machine.simulate(0.05)
told += [str(simulation), simulation["A"].max(), repr(machine.forces(simulation))]
found["simulation by name"] = there()
with tempfile.TemporaryDirectory() as folder:
    again = lw.load_result(forces.save(Path(folder) / "forces.csv"))
assert again["A.effort"].values.tolist() == forces["A.effort"].values.tolist()
found["a file"] = there()
assert forces.data["A.angle"].dims == ("time",)
found["data"] = there()
print(json.dumps(found))
"""

COMMANDED = f"""
import contextlib, io, json, sys
from linkwork.cli import main
from linkwork.numerics import warming
warming.begin = lambda: None
sys.argv = ["linkwork", *{{words!r}}]
with contextlib.redirect_stdout(io.StringIO()):
    try:
        main()
    except SystemExit as end:
        assert not end.code
print(json.dumps({{{{"command": [name for name in {LIBRARIES!r} if name in sys.modules]}}}}))
"""
PLAIN = {"numpy", "casadi", "llvmlite", "pydantic"}


def test_results_by_name_are_plain_arrays() -> None:
    found = run(ANSWERED, LINKWORK_LOOPS="auto")
    assert all(set(found[name]) <= PLAIN for name in ("motion", "forces", "simulation by name", "a file"))
    assert {"xarray", "pandas"} <= set(found["data"])  # they are there for whoever asks


@pytest.mark.parametrize("words", ["motion --drive A=0:6", "forces --drive A=0:6", "simulate --until 0.05s", "statics"])
def test_commands_import_little(words: str) -> None:
    command, *options = words.split()
    found = run(COMMANDED.format(words=[command, "slider-crank", *options]), LINKWORK_LOOPS="auto")
    assert set(found["command"]) <= PLAIN | {"typer"}


def test_a_simulation_imports_little() -> None:
    found = run(WATCHED, LINKWORK_LOOPS="auto")
    assert found["import"] == []
    assert set(found["assembly"]) <= {"numpy", "casadi", "llvmlite", "pydantic"}
    assert set(found["simulation"]) <= {"numpy", "casadi", "llvmlite", "pydantic"}
