"""Impacts by the second: what an impact on a stop costs, and runs with stops among many.

    python benchmarks/impacts.py [--json FILE]

A slider-crank under gravity swings against a stop of its crank, with and without loss; a ball bounces, the smallest
machine there is. *An impact* is the time of the whole run by its impacts: the steps between them and the search for the
instant are included; *the impact alone* is what is done at that instant. Many runs are those of `simulate_many` with
stops. CPU time of the process, the best of a few whole runs; the first run, which compiles, is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import linkwork as lw

G, ROUNDS, RUNS = 9.81, 5, 400


def ball() -> Any:
    m = lw.Mechanism("ball", gravity=(0, 0, -G))
    m.body("ball", mass=1.0, com=(0, 0, 0))
    m.prismatic("H", "ground", "ball", axis="z", value=1e-3)
    return m.assemble()


def slider_crank() -> Any:
    m = lw.Mechanism("slider-crank", gravity=(0, -G, 0))
    m.body("crank", mass=0.5, com=(0.05, 0, 0), inertia=(1e-4, 4e-4, 4e-4))
    m.body("rod", mass=0.4, com=(0.25, 0, 0), inertia=(1e-4, 3e-3, 3e-3))
    m.body("piston", mass=0.3, com=(0.4, 0, 0))
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z", value=0.0)
    m.revolute("B", "crank", "rod", at=(0.1, 0, 0), axis="z")
    m.revolute("C", "rod", "piston", at=(0.4, 0, 0), axis="z")
    m.prismatic("S", "ground", "piston", at=(0.4, 0, 0), axis="x")
    m.spring("coil", joint="A", stiffness=20.0, free=-0.3)
    return m.assemble()


def best(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU time [s] of the best of a few rounds, and what it gave."""
    found = work()
    seconds = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        found = work()
        seconds.append(time.process_time() - begun)
    return min(seconds), found


def impacts(name: str, s: Any, until: float, **asked: Any) -> dict[str, Any]:
    """What impacts of one run cost."""
    seconds, run = best(lambda: s.simulate(until, samples=2, **asked))
    count = sum(e.kind == "impact" for e in run.events)
    return {
        "machine": name, "impacts": count, "steps": run.steps, "an impact [us]": 1e6 * seconds / count,
        "impacts a second": count / seconds,
    }  # fmt: skip


def alone(s: Any) -> dict[str, Any]:
    """What an impact of the ball costs by itself: impulse, rows and watches anew; no step, no search."""
    import numba

    from linkwork.analyses.simulation.question import asked
    from linkwork.analyses.simulation.session import Session
    from linkwork.numerics import native  # noqa: F401, tells numba of loops
    from linkwork.numerics.stepping import native_handles  # noqa: F401, and of what they take
    from linkwork.numerics.stepping.active_rows import JUMPS, LOGGED, RECENT, write_watches
    from linkwork.numerics.stepping.instants import happen

    floor = lw.stop("H", low=0.0, restitution=1.0, name="floor")
    start = {"start": {"H": 0.0}, "rates": {"H": 1.0}, "events": floor, "samples": 2, "method": "explicit"}
    others = dict.fromkeys(("drives", "efforts", "controller", "rate", "times", "step"))
    session = Session(asked(s, 1.0, **start, **others, rtol=1e-7, atol=1e-9))
    session._first()

    @numba.njit
    def struck(p, a, state, falling, z, f, count):  # type: ignore[no-untyped-def]
        for _ in range(count):
            z[:] = falling
            a.counts[LOGGED] = a.counts[JUMPS] = a.counts[RECENT] = 0
            write_watches(p, a, state[0], z)
            a.fired[0] = 1
            happen(p, a, state, z, f, True)

    falling, z, count = np.array([0.0, -1.0]), np.zeros(2), 20_000
    seconds, _ = best(lambda: struck(session.p, session.active, session.state, falling, z, session.f, count))
    assert z[1] == 1.0, z
    return {"machine": "ball", "the impact alone [us]": 1e6 * seconds / count}


def many(s: Any) -> dict[str, Any]:
    """Runs with stops, many at once and one by one."""
    rates = np.linspace(0.5, 3.0, RUNS)
    events = lw.stop("A", low=-0.4, high=0.4, restitution=0.8, name="stop")
    seconds, runs = best(lambda: s.simulate_many(2.0, rates={"A": rates}, events=events, samples=11, threads=1))
    begun = time.process_time()
    for rate in rates[:40]:
        s.simulate(2.0, rates={"A": float(rate)}, events=events, samples=11)
    alone = (time.process_time() - begun) / 40
    count = sum(len(runs.events(k)) for k in range(RUNS))
    return {
        "runs": RUNS, "events": count, "complete": int(runs.complete.sum()), "a run [us]": 1e6 * seconds / RUNS,
        "by itself [us]": 1e6 * alone,
    }  # fmt: skip


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    asked = parser.parse_args()
    os.environ.setdefault("LINKWORK_KERNELS", "compile")  # what is measured here is what is hot
    crank = slider_crank()
    floor = lw.stop("H", low=0.0, restitution=1.0, name="floor")
    stop = lw.stop("A", low=-0.4, high=0.4, restitution=0.9, name="stop")
    told = [
        impacts("ball", ball(), 60.0, events=floor),
        alone(ball()),
        impacts("slider-crank", crank, 20.0, events=stop, efforts={"A": "0.4*sin(9*t)"}, rates={"A": 3.0}),
        many(crank),
    ]
    for own in told:
        print("  ".join(f"{k}: {v:,.4g}" if isinstance(v, float) else f"{k}: {v}" for k, v in own.items()))
    if asked.json:
        Path(asked.json).write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
