"""This tree beside an older revision of itself: what became slower, on the same machine in the same run.

    python benchmarks/revisions.py REVISION [--rounds 3] [--only "simulate" "dynamics stewart" ...] [--json FILE]

git checks the older revision out into a folder of its own. Both run the same workloads (those of this file, on the
benchmarks of their own tree) in processes that take turns, after one that fills their caches. A figure is the least CPU
time of any round, *ratio* ours by the older one's: 1.05 is five percent slower. Workloads: kernels of open machines,
loops that close, dynamics of machines with loops, whole simulations at three tolerances, many runs at once.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

WORSE = 1.05
"""Ratio from which a figure is marked."""
SPAN, REPEATS = 0.03, 7
"""Least time that is measured at once [s], and how often."""
OPEN = ("puma6", "chain30", "tree20")
QUANTITIES = ("id", "wrench", "mass", "fd")
TOLERANCES = (1e-3, 1e-6, 1e-10)
SAMPLES = 1_000
SLOW = ("400-four-bars",)
"""Simulations that take too long to be ready."""

Task = Callable[[], Any]
Workloads = Iterator[tuple[str, Task]]


# ----------------------------------------------------------------------------------------------------------- workloads


def open_machines(wanted: Callable[[str], bool]) -> Workloads:
    """Kernels of open machines, in batches and one by one in a compiled loop."""
    import peers

    import kernels

    rng = np.random.default_rng(1)
    for name in filter(lambda name: wanted(f"open {name}"), OPEN):
        subject = kernels.Subject(peers.MACHINES[name]())
        system = subject.system
        samples = [rng.normal(size=(SAMPLES, n)) for n in (system.nq, system.nv, system.nv)]
        for quantity in QUANTITIES + (("did", "dfd") if name == "puma6" else ()):
            yield f"open {name} {quantity} batch", subject.batch(quantity, *samples)
            yield f"open {name} {quantity} loop", subject.loop(quantity, *samples)


def closing(wanted: Callable[[str], bool]) -> Workloads:
    """Loops that are closed, along a path and near home."""
    import kinematics

    import linkwork as lw

    if wanted("closing"):
        bar, rssr = lw.example("four-bar").assemble(), lw.example("rssr").assemble()
        turn = bar.home["O2"] + np.linspace(0.0, 2.0 * np.pi, 20 * SAMPLES)
        near = np.random.default_rng(2).uniform(-0.3, 0.3, 5 * SAMPLES)
        stewart, lengths, rates = kinematics.platform(SAMPLES)
        yield "closing four-bar", partial(bar.solve, {"O2": turn}, {"O2": 1.0}, threads=1)
        yield "closing four-bar, 100", partial(bar.solve, {"O2": turn[:100]}, {"O2": 1.0}, threads=1)
        yield "closing rssr", partial(rssr.solve, {"A": near}, {"A": 1.0}, path=False, threads=1)
        yield "closing stewart", partial(stewart.solve, lengths, rates, path=False, threads=1)
        yield "motion four-bar", partial(bar.motion, {"O2": lw.ramp(0.0, 6.0, duration=1.0)}, samples=361)


def closed_machines(wanted: Callable[[str], bool]) -> Workloads:
    """Forward dynamics and efforts of the drives of machines with loops."""
    import closed_machines
    from dynamics import Contest, Linkwork

    for name, make in closed_machines.MACHINES.items():
        if not wanted(f"dynamics {name}"):
            continue
        loops = make()
        subject = Linkwork(loops)
        for quantity in ("forward", "inverse"):
            contest = Contest.of(loops, quantity)
            contest.enter_linkwork(subject)
            yield from ((f"dynamics {name} {quantity}: {who}", task) for who, task in contest.batches.items())
            yield from ((f"dynamics {name} {quantity}: {who}, a call", task) for who, task in contest.calls.items())


def simulations(wanted: Callable[[str], bool]) -> Workloads:
    """Whole calls of `simulate`, and many runs at once."""
    from simulate_cases import CASES
    from simulate_linkwork import Linkwork

    for name, case in CASES.items():
        if wanted(f"simulate {name}") and name not in SLOW:
            ours = Linkwork(case())
            yield from ((f"simulate {name}, {rtol:.0e}", partial(ours.simulate, rtol)) for rtol in TOLERANCES)
    if wanted("simulate many"):
        ours = Linkwork(CASES["slider-crank"]())
        given = {"rates": {"crank": np.linspace(3.0, 5.0, 200)}, "samples": 11, "threads": 1}
        yield "simulate many", partial(ours.machine.simulate_many, 1.0, **given)


def least(task: Task) -> float:
    """CPU time of a call [s]: the least of a few stretches."""
    task()
    begun = time.process_time()
    task()
    count = max(1, int(SPAN / max(time.process_time() - begun, 1e-7)))
    found = []
    for _ in range(REPEATS):
        begun = time.process_time()
        for _ in range(count):
            task()
        found.append((time.process_time() - begun) / count)
    return min(found)


def measure(only: list[str]) -> None:
    """Print the figures of the tree that this process imports, as JSON."""

    def wanted(name: str) -> bool:
        return not only or any(name.startswith(own) or own.startswith(name) for own in only)

    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    figures = {}
    for workloads in (open_machines, closing, closed_machines, simulations):
        for name, task in workloads(wanted):
            figures[name] = least(task)
            print(f"{name}: {1e6 * figures[name]:.2f} us", file=sys.stderr, flush=True)
    print(json.dumps(figures))


# ---------------------------------------------------------------------------------------------------------- two trees


def figures_of(tree: Path, cache: Path, only: list[str]) -> dict[str, float]:
    """Those of a tree, from a process of its own."""
    paths = os.pathsep.join(str(tree / part) for part in ("src", "benchmarks"))
    environment = {**os.environ, "PYTHONPATH": paths, "LINKWORK_CACHE": str(cache), "LINKWORK_KERNELS": "compile"}
    words = [sys.executable, __file__, "--measure", *(["--only", *only] if only else [])]
    done = subprocess.run(words, env=environment, check=True, stdout=subprocess.PIPE, text=True, cwd=tree)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revision", nargs="?", help="what git calls the older revision")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[], help="workloads whose names begin so")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure(asked.only)
        return
    if asked.revision is None:
        parser.error("which revision? for example: python benchmarks/revisions.py HEAD~10")
    here = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        old, caches = Path(folder) / "older", [Path(folder) / "cache-of-older", Path(folder) / "cache-of-this"]
        subprocess.run(["git", "-C", here, "worktree", "add", "--detach", "--quiet", old, asked.revision], check=True)
        try:
            rounds: list[list[dict[str, float]]] = [[], []]
            for _ in range(asked.rounds + 1):
                for own, tree, cache in zip(rounds, (old, here), caches, strict=True):
                    own.append(figures_of(tree, cache, asked.only))
        finally:
            subprocess.run(["git", "-C", here, "worktree", "remove", "--force", old], check=True)
    before, now = ({name: min(f[name] for f in own[1:]) for name in own[0]} for own in rounds)
    for name in sorted(set(before) ^ set(now)):
        print(f"{name}: in one of the two only")
    print(f"{'us':60}{'older':>12}{'this':>12}{'ratio':>8}")
    for name in (name for name in now if name in before):
        ratio = now[name] / before[name]
        print(f"{name:60}{1e6 * before[name]:12.2f}{1e6 * now[name]:12.2f}{ratio:8.2f}{' !' if ratio > WORSE else ''}")
    if asked.json:
        asked.json.write_text(json.dumps({"older": before, "this": now}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
