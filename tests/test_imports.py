"""What is imported, and what is not: a first answer must not wait for libraries that it does without."""

from __future__ import annotations

import json
import os
import subprocess
import sys

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


def test_a_simulation_imports_little() -> None:
    found = run(WATCHED, LINKWORK_LOOPS="auto")
    assert found["import"] == []
    assert set(found["assembly"]) <= {"numpy", "casadi", "llvmlite", "pydantic"}
    assert set(found["simulation"]) <= {"numpy", "casadi", "llvmlite", "pydantic"}
