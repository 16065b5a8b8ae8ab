"""The cases of `simulate_cases.py` in Linkwork: whole simulations at a tolerance, first results, many runs at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from simulate_cases import CASES, SAMPLES, Case
from simulate_peers import Outcome

import linkwork as lw

ABSOLUTE = 1e-2
"""Absolute tolerance by the relative one, as the defaults have it."""


def mechanism(case: Case) -> lw.Mechanism:
    """The machine with its loads."""
    made = case.loops.mechanism()
    if case.slack is not None:
        for link, free in zip(case.slack.links, case.slack.free, strict=True):
            made.spring(f"spring-{link}", joint=link, stiffness=case.slack.stiffness, free=float(free))
    if case.pull is not None:
        p = case.pull
        body = f"{p.link}-body"
        made.point("fixed", made.ground, (*p.ground, 0))
        made.point("moving", body, (*p.point, 0), within=body)
        made.spring("spring", "fixed", "moving", stiffness=p.stiffness, free=p.free)
    for link, torque in case.torques.items():
        made.load(f"torque-{link}", link, amount=torque)
    return made


class Linkwork:
    """A case in Linkwork."""

    name = "Linkwork"

    def __init__(self, case: Case) -> None:
        self.case = case
        self.machine = mechanism(case).assemble()
        q, v = (x[None] for x in case.start)
        place, rate, _ = case.loops.variables(q, v, np.zeros_like(v))
        self.place = np.array([place[name][0] for name in self.machine.variables])
        self.rate = np.array([rate[name][0] for name in self.machine.variable_rates])
        self.times = np.concatenate([[0.0], case.times])
        names = list(self.machine.variables)
        self.seen = [names.index(next(n for n in names if n.split(".")[0] == link)) for link in case.observed]

    def simulate(self, tolerance: float, until: float | None = None, **more: Any) -> Any:
        """One call."""
        given = {"times": self.times} if until is None else {"samples": SAMPLES + 1}
        end = self.case.until if until is None else until
        given |= {"method": "explicit", "rtol": tolerance, "atol": ABSOLUTE * tolerance, **more}
        return self.machine.simulate(end, self.place, self.rate, **given)

    def run(self, tolerance: float) -> Outcome:
        """A whole run: all of the call."""
        began = time.process_time()
        done = self.simulate(tolerance)
        cpu = time.process_time() - began
        if done.status != "complete":
            raise RuntimeError(done.message)
        y = np.asarray(done.outcome.y)[1:]
        return Outcome(cpu, self.case.error(y[:, self.seen]), self._gap(y))

    def _gap(self, y: Any) -> float:
        """Of the loops, from the joints of the tree of `Loops` [m]."""
        loops, names = self.case.loops, list(self.machine.variables)
        q = np.empty((len(y), loops.nq))
        for i, name in enumerate(loops.names):
            at = [k for k, n in enumerate(names) if n.split(".")[0] == name]
            q[:, loops.starts[0][i] : loops.starts[0][i + 1]] = y[:, at]
        return self.case.gap(q)


# ------------------------------------------------------------------------------------------------------- first results


FIRST = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from simulate_cases import CASES
import simulate_linkwork as ours
case = CASES[sys.argv[2]]()
case.start
made = ours.mechanism(case)
rates = dict(zip(case.loops.driven, case.rates))
wall, cpu = time.perf_counter(), time.process_time()
done = made.assemble().simulate(case.until, rates=rates, samples=11, method="explicit")
print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu, done.status]))
"""


def first_results(names: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Wall and CPU time [s] of assembly and first simulation of a machine that was never seen, linkwork imported.

    What all machines share was compiled before, when another process simulated another machine.
    """
    found = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            _first(folder, "four-bar" if name != "four-bar" else "slider-crank")
            found[name] = _first(folder, name)
    return found


def _first(folder: str, name: str) -> tuple[float, float]:
    words = [sys.executable, "-c", FIRST, str(Path(__file__).parent), name]
    environment = {**os.environ, "LINKWORK_CACHE": folder, "LINKWORK_KERNELS": "auto"}
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=environment)
    wall, cpu, status = json.loads(done.stdout.splitlines()[-1])
    assert status == "complete"
    return wall, cpu


# --------------------------------------------------------------------------------------------------------- many at once


def many_runs(count: int, until: float, threads: int) -> tuple[float, float] | None:
    """Wall and CPU time [s] of slider-crank runs at different speeds, or None while there is no call for it."""
    ours = Linkwork(CASES["slider-crank"]())
    call = getattr(ours.machine, "simulate_many", None)
    if call is None:
        return None
    given = {"rates": {"crank": np.linspace(3.0, 5.0, count)}, "samples": SAMPLES + 1, "threads": threads}
    call(until, **given)
    wall, cpu = time.perf_counter(), time.process_time()
    call(until, **given)
    return time.perf_counter() - wall, time.process_time() - cpu
