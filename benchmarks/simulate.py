"""Time to a given accuracy of simulations of machines with loops, beside MuJoCo, Pinocchio and Exudyn.

    python benchmarks/simulate.py [--quick] [--json FILE] [--machines four-bar stewart ...] [--peers MuJoCo Exudyn ...]

Needs `pip install 'linkwork[bench]'` for the peers and goes on with those it finds. Machines, starts and references
stand in `simulate_cases.py`, what each peer does in `simulate_peers.py` and `simulate_exudyn.py`. Every program runs
at several steps or tolerances; *error* is the largest difference from the reference at ten times spread over the run
[rad; m of the legs of the Stewart platform], *gap* that of its loops [m]. Of a peer's settings the one with the
smallest error is kept at every step, and a peer takes part only if its error falls with the step.

CPU time is that of the process, pinned to one core: the median of a few whole runs (of many short ones), by the
simulated second. Ours is
all of a second call of `simulate`, at rtol from 1e-3 to 1e-12. *calls* is the share of Pinocchio's own functions,
what a loop in C++ instead of Python would leave at best. *ratio* is the time of a peer by that of our cheapest run
whose error is not larger. The ratios that count are the smallest of those peers' runs that are good to `LOOSEST`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import simulate_linkwork
from dynamics import versions
from simulate_cases import CASES, Case
from simulate_exudyn import Exudyn
from simulate_linkwork import Linkwork
from simulate_peers import MuJoCo, Outcome, Pinocchio, steps_of

from kernels import Goal, one_core, plain

PEERS: dict[str, type[MuJoCo] | type[Pinocchio] | type[Exudyn]] = {p.name: p for p in (MuJoCo, Pinocchio, Exudyn)}
TOLERANCES = tuple(10.0**-k for k in range(3, 13))
LOOSEST = 1e-2
"""Largest error of runs that are compared [rad, m]."""
BEST, PLANAR, IMPLICIT = 20, 40, 60
"""Goals: against the best peer, of planar machines, and against Exudyn."""
GROWTH, SMALL, LARGE, SECONDS = 1.2, 40, 400, 1.0
"""Goal of the exponent of n four-bars between two sizes, and how long they run [s]."""
FIRST = 2.0
"""Goal of the first result of a new machine [s]."""
RUNS, ALL_RUNS = 1000, 1.0
"""Runs of one second of a slider-crank at once, and goal of their time on two cores [s]."""
SHORT = 0.1
"""CPU time of all runs of which a median is taken, at least [s]."""
PATIENCE = 60.0
"""CPU time of a single run beyond which a peer is not asked for finer steps [s]."""


@dataclass
class Row:
    """A program on a machine at a step or tolerance."""

    machine: str
    program: str
    fineness: float
    """Step [s], or relative tolerance."""
    setting: str = ""
    milliseconds: float | None = None
    """Of CPU by the simulated second."""
    error: float = math.inf
    gap: float | None = None
    calls: float | None = None
    note: str = ""
    ratio: float | None = None

    def text(self) -> str:
        """As it is printed."""
        start = f"  {self.program:11}{self.fineness:9.0e}  {self.setting:20}"
        if self.milliseconds is None or self.gap is None:
            return f"{start}{self.note}"
        calls = "" if self.calls is None else f"{self.calls:.3g}"
        ratio = "" if self.ratio is None else f"{self.ratio:,.1f}"
        numbers = f"{self.milliseconds:12,.3f}{calls:>9}{self.error:10.1e}{self.gap:10.0e}{ratio:>9}"
        return f"{start}{numbers}  {self.note}".rstrip()


HEAD = f"  {'':11}{'step, tol':>9}  {'setting':20}{'CPU ms/s':>12}{'calls':>9}{'error':>10}{'gap':>10}{'ratio':>9}"


def timed(run: Callable[[], Outcome], first: Outcome, quick: bool) -> tuple[float, float | None]:
    """Medians of CPU time, and of that of a library's calls [s], over a few runs; the first is one of them if long.

    Short runs are repeated until they take `SHORT` together: one of half a millisecond is mostly what ran before it.
    """
    budget = 0.1 if quick else 1.0
    found = [first] if first.cpu > budget else []
    spent = sum(x.cpu for x in found)
    while (len(found) < (2 if quick else 7) and spent < budget) or spent < SHORT:
        found.append(run())
        spent += found[-1].cpu
    calls = [x.calls for x in found if x.calls is not None]
    return statistics.median(x.cpu for x in found), statistics.median(calls) if calls else None


# ---------------------------------------------------------------------------------------------------------------- peers


def peer_rows(case: Case, peer: MuJoCo | Pinocchio | Exudyn, quick: bool) -> list[Row]:
    """All steps of a peer, at the best of its settings each."""
    rows, best = [], []
    for step in case.steps[:2] if quick else case.steps:
        row = Row(case.name, peer.name, step)
        rows.append(row)
        tried = []
        for setting in peer.settings():
            found = _tried(peer, case, step, setting)
            if found is not None:
                tried.append((found, setting))
                if found.cpu > PATIENCE:  # other settings would take as long
                    break
        if not tried:
            row.note = "every setting fails"
            continue
        outcome, setting = min(tried, key=lambda pair: pair[0].error)
        row.error, row.gap = outcome.error, outcome.gap
        row.setting = " ".join(setting) if isinstance(setting, tuple) else f"{setting:g}"
        best.append((row, outcome, setting))
        if max(x.cpu for x, _ in tried) > (1.0 if quick else PATIENCE):
            break
    good = [row.error for row, _, _ in best]
    for row, outcome, setting in best:
        if len(good) > 1 and min(good) == good[0]:
            row.note = f"not timed: error {row.error:.0e} does not fall with the step"
            continue
        steps = steps_of(case, row.fineness)
        cpu, calls = timed(lambda s=steps, x=setting: peer.run(s, x), outcome, quick)  # type: ignore[misc]
        row.milliseconds = 1e3 * cpu / case.until
        row.calls = None if calls is None else 1e3 * calls / case.until
    return rows


def _tried(peer: MuJoCo | Pinocchio | Exudyn, case: Case, step: float, setting: object) -> Outcome | None:
    """One run, or None if it fails."""
    try:
        outcome = peer.run(steps_of(case, step), setting)
    except (RuntimeError, ValueError):
        return None
    return outcome if math.isfinite(outcome.error) else None


# ------------------------------------------------------------------------------------------------------------- Linkwork


def our_rows(case: Case, ours: Linkwork, quick: bool) -> list[Row]:
    """All tolerances; warm."""
    rows = []
    for tolerance in TOLERANCES[1::3] if quick else TOLERANCES:
        row = Row(case.name, ours.name, tolerance, "explicit")
        rows.append(row)
        try:
            ours.run(tolerance)
            outcome = ours.run(tolerance)
        except RuntimeError as stopped:
            row.note = f"stopped: {stopped}"
            continue
        row.error, row.gap = outcome.error, outcome.gap
        row.milliseconds = 1e3 * timed(lambda t=tolerance: ours.run(t), outcome, quick)[0] / case.until  # type: ignore[misc]
    return rows


def compare(rows: list[Row]) -> None:
    """Ratios into the rows of the peers."""
    ours = [r for r in rows if r.program == Linkwork.name and r.milliseconds is not None]
    for row in rows:
        if row.program == Linkwork.name or row.milliseconds is None or row.error > LOOSEST:
            continue
        as_good = [r.milliseconds for r in ours if r.error <= row.error and r.milliseconds is not None]
        if as_good:
            row.ratio = row.milliseconds / min(as_good)
        else:
            row.note = "no run of ours is as good"


def verdicts(case: Case, rows: list[Row]) -> dict[str, Goal]:
    """The smallest ratios: of all peers, and of Exudyn."""
    found = {}
    goals = {"best peer": PLANAR if case.loops.planar else BEST, Exudyn.name: IMPLICIT}
    for what, goal in goals.items():
        ratios = [r.ratio for r in rows if r.ratio is not None and (what == "best peer" or r.program == what)]
        if ratios:
            found[f"{case.name}, {what}"] = Goal(min(ratios), goal)
    return found


def growth(quick: bool) -> Goal:
    """Exponent of CPU time with the number of four-bars, at the default tolerance."""
    times = []
    for n in (SMALL, LARGE):
        ours = Linkwork(CASES[f"{n}-four-bars"]())
        rounds = []
        for _ in range(2 if quick else 6):
            began = time.process_time()
            done = ours.simulate(1e-7, SECONDS)
            rounds.append(time.process_time() - began)
            assert done.status == "complete", done.message
        times.append(statistics.median(rounds[1:]))
    return Goal(math.log(times[1] / times[0]) / math.log(LARGE / SMALL), GROWTH, least=False)


# ----------------------------------------------------------------------------------------------------------------- main


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="coarse steps and few runs: a look")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--machines", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    parser.add_argument("--no-first", action="store_true", help="leave out first results, growth and many runs")
    asked = parser.parse_args()
    os.environ.setdefault("LINKWORK_KERNELS", "compile")  # what is measured here is what is hot, but for first results
    known = versions()
    print(", ".join(f"{k}: {v}" for k, v in known.items()))
    chosen = [PEERS[name] for name in asked.peers if importlib.util.find_spec(PEERS[name].module)]
    for name in asked.peers:
        if PEERS[name] not in chosen:
            print(f"{name} is not installed and left out")
    rows: list[Row] = []
    goals: dict[str, Goal] = {}
    with one_core():
        for name in asked.machines:
            case = CASES[name]()
            print(f"\n{name}: {len(case.loops.links)} links, {case.until:g} s\n{HEAD}", flush=True)
            mine = our_rows(case, Linkwork(case), asked.quick)
            for peer in chosen:
                mine += peer_rows(case, peer(case), asked.quick)
            compare(mine)
            print(*(row.text() for row in mine), sep="\n", flush=True)
            rows += mine
            goals |= verdicts(case, mine)
        if not asked.no_first and {f"{SMALL}-four-bars", f"{LARGE}-four-bars"} <= set(asked.machines):
            goals[f"n four-bars, exponent from {SMALL} to {LARGE}"] = growth(asked.quick)
    if not asked.no_first:
        for name, (wall, cpu) in simulate_linkwork.first_results(asked.machines).items():
            goals[f"{name}, first result [s] (CPU {cpu:.2f} s)"] = Goal(wall, FIRST, least=False)
        many = simulate_linkwork.many_runs(RUNS, 1.0, min(2, os.cpu_count() or 1))
        if many is not None:
            goals[f"{RUNS:,} runs of a slider-crank, 1 s each [s] (CPU {many[1]:.2f} s)"] = Goal(
                many[0], ALL_RUNS, least=False
            )
    print("\nsmallest ratio of CPU time at equal or smaller error, and other goals")
    for what, goal in goals.items():
        print(f"  {what:64}{goal.text('.2f', 9)}")
    if asked.json:
        figures = {"about": known, "rows": rows, "goals": goals}
        asked.json.write_text(json.dumps(figures, indent=2, default=plain) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
