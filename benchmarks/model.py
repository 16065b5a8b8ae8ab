"""How long it takes to import, to read and to check: cold starts, and growth with the size of a model.

    python benchmarks/model.py [--json FILE]

Cold starts are whole processes, the best of several; growth is CPU time of one process. Run it on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import linkwork as lw
from linkwork.files.generators import chain, n_four_bar

SIZES = (100, 300, 1000, 3000)


def cold(*command: str, times: int = 7) -> float:
    """Best wall time of a fresh process [s]."""
    best = math.inf
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - start)
    return best


def load_and_check(text: str) -> float:
    """CPU time to read and check a model [s]."""
    start = time.process_time()
    found = lw.check(lw.loads(text))
    elapsed = time.process_time() - start
    assert found.sound, found
    return elapsed


def growth(times: dict[int, float]) -> float:
    """Exponent p of time ~ size^p between the two largest sizes."""
    (a, ta), (b, tb) = sorted(times.items())[-2:]
    return math.log(tb / ta) / math.log(b / a)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    asked = parser.parse_args()
    python = sys.executable
    figures: dict[str, float | str] = {"machine": platform.processor() or platform.machine()}
    with tempfile.TemporaryDirectory() as folder:
        file = lw.save(lw.example("stewart-platform"), Path(folder) / "stewart-platform.yaml")
        figures["python -c pass [s]"] = cold(python, "-c", "pass")
        figures["import linkwork [s]"] = cold(python, "-c", "import linkwork")
        figures["linkwork check stewart-platform.yaml [s]"] = cold(python, "-m", "linkwork", "check", str(file))
    load_and_check(lw.dumps(chain(10)))  # warm
    for name, make in (("chain", chain), ("N-four-bar", n_four_bar)):
        sizes = SIZES if name == "chain" else (30, 100, 300)
        times = {n: load_and_check(lw.dumps(make(n))) for n in sizes}
        figures |= {f"load and check, {name} of {n} [s]": t for n, t in times.items()}
        figures[f"growth of {name}: exponent"] = growth(times)
    width = max(map(len, figures))
    for key, value in figures.items():
        print(f"{key:{width}}  {value if isinstance(value, str) else format(value, '.3f')}")
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
