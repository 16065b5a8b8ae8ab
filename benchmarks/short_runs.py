"""What a short simulation costs: the call itself, and whole runs at coarse tolerances.

    python benchmarks/short_runs.py [--machines four-bar stewart ...] [--tolerances 1e-3 1e-6]

CPU microseconds of one pinned core, of calls of `simulate` one after the other as a study makes them: the least of
many, and the first quartile behind it. *call* ends after a microsecond of simulated time, so it takes one step and
everything around it. Cases, starts and errors are those of `simulate.py`. Two trees are compared by running this in
each of them by turns, with PYTHONPATH set to its `src`.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable

from dynamics import versions
from simulate_cases import CASES
from simulate_linkwork import Linkwork

from kernels import one_core

CALLS, RUNS = 300, 150


def spent(call: Callable[[], object], times: int) -> str:
    """Least and first quartile [us]."""
    found = []
    for _ in range(times):
        began = time.process_time_ns()
        call()
        found.append(time.process_time_ns() - began)
    found.sort()
    return f"{found[0] / 1e3:8.0f} {found[times // 4] / 1e3:8.0f}"


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--machines", nargs="+", choices=CASES, default=["slider-crank", "four-bar", "bricard", "stewart"]
    )
    parser.add_argument("--tolerances", type=float, nargs="+", default=[1e-3, 1e-6])
    asked = parser.parse_args()
    os.environ.setdefault("LINKWORK_KERNELS", "compile")  # what is measured here is what is hot
    os.environ.setdefault("LINKWORK_LOOPS", "compile")
    print(", ".join(f"{k}: {v}" for k, v in versions().items()))
    print(f"{'us':18}{'rtol':>8}{'call':>17}{'whole run':>18}{'steps':>9}{'error':>10}")
    with one_core():
        for name in asked.machines:
            ours = Linkwork(CASES[name]())
            for rtol in asked.tolerances:
                error, steps = ours.run(rtol).error, ours.simulate(rtol).outcome.steps
                call = spent(lambda o=ours, r=rtol: o.simulate(r, 1e-6), CALLS)  # type: ignore[misc]
                whole = spent(lambda o=ours, r=rtol: o.simulate(r), RUNS)  # type: ignore[misc]
                print(f"{name:18}{rtol:8.0e}{call} {whole}{steps:9}{error:10.1e}", flush=True)


if __name__ == "__main__":
    main()
