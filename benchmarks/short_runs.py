"""What a short simulation costs: the call itself, and whole runs at coarse tolerances.

    python benchmarks/short_runs.py [--machines four-bar stewart ...] [--tolerances 1e-3 1e-6]

CPU microseconds of one pinned core, of calls of `simulate` one after the other as a study makes them: the least of
many, and the first quartile behind it. *call* ends after a microsecond of simulated time, so it takes one step and
everything around it; *from home* is the same from the machine's home at rest, where nothing is given but the end;
*whole run* is the case to its end; *by name* is what the first signal by name takes after it. Cases, starts and errors
are those of `simulate.py`. Two trees are compared by running this in each of them by turns, with PYTHONPATH set to its
`src`.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

from dynamics import versions
from simulate_cases import CASES, SAMPLES
from simulate_linkwork import Linkwork

from kernels import one_core

CALLS, RUNS = 300, 150


def spent(call: Callable[..., object], times: int, before: Callable[[], object] | None = None) -> str:
    """Least and first quartile [us]; before : gives what is called with, and does not count."""
    found = []
    for _ in range(times):
        given = () if before is None else (before(),)
        began = time.process_time_ns()
        call(*given)
        found.append(time.process_time_ns() - began)
    found.sort()
    return f"{found[0] / 1e3:8.0f} {found[times // 4] / 1e3:8.0f}"


def from_home(ours: Linkwork, rtol: float) -> object:
    """A call with nothing given but the end."""
    return ours.machine.simulate(1e-6, samples=SAMPLES + 1, method="explicit", rtol=rtol, atol=1e-2 * rtol)


def first_signal(run: Any) -> object:
    """The first variable by its name."""
    return run[run.machine.variables[0]]


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
    print(f"{'us':18}{'rtol':>8}{'call':>17}{'from home':>18}{'whole run':>18}{'by name':>18}{'steps':>9}{'error':>10}")
    with one_core():
        for name in asked.machines:
            ours = Linkwork(CASES[name]())
            for rtol in asked.tolerances:
                error, steps = ours.run(rtol).error, ours.simulate(rtol).outcome.steps
                call = spent(lambda o=ours, r=rtol: o.simulate(r, 1e-6), CALLS)  # type: ignore[misc]
                whole = spent(lambda o=ours, r=rtol: o.simulate(r), RUNS)  # type: ignore[misc]
                home = spent(lambda o=ours, r=rtol: from_home(o, r), CALLS)  # type: ignore[misc]
                named = spent(first_signal, RUNS, lambda o=ours, r=rtol: o.simulate(r))  # type: ignore[misc]
                print(f"{name:18}{rtol:8.0e}{call} {home} {whole} {named}{steps:9}{error:10.1e}", flush=True)


if __name__ == "__main__":
    main()
