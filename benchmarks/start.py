"""CPU time of first answers in processes of their own, with warm caches and with none, and in the gallery.

    python benchmarks/start.py [--gallery] [--runs 3] [NAME ...]

*warm*: machine code of loops and kernels lies on disk. *cold*: neither is there, and nobody compiles loops meanwhile;
they are interpreted. *gallery*: first motion, forces and simulation of every machine with an empty cache of kernels,
and the four commands, warm. CPU time of the whole process with all its threads, the least of some processes;
Python's own bytecode of the package is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FIRST = """
import json, sys, time
from linkwork.numerics import warming
if {cold}: warming.begin = lambda: None
t = [time.process_time()]
def lap(): t.append(time.process_time())
import linkwork as lw; lap()
machine = lw.example({name!r}).assemble(); lap()
{asked}
lap()
print(json.dumps([t[1], *(b - a for a, b in zip(t[1:], t[2:])), t[-1]]))
"""
SIMULATE = "machine.simulate({until}, start={start})"
MOTION = """
home = machine.home
drives = {n: (home[n], home[n] + 0.02) for n in home.independent if n.rpartition(".")[2][0] not in "qw"}
run = machine.motion(drives, samples=21); lap()
machine.forces(run)
"""
COMMAND = """
import sys, time
sys.argv = ["linkwork", *{words!r}]
from linkwork.cli import main
try: main()
except SystemExit as end: assert not end.code, end.code
print("\\n" + str([time.process_time()]), flush=True)
"""
WARM_GOAL, COLD_GOAL, GALLERY_GOAL = 0.5, 3.0, 1.0


def least(code: str, runs: int, cold: bool = False, loops: bool = True) -> list[float]:
    """The least of some processes, number by number; cold : an empty cache of kernels, loops : those that are kept."""
    found = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as empty:
            own = {"LINKWORK_CACHE": f"{empty}/kernels"} if cold else {}
            own |= {} if loops else {"NUMBA_CACHE_DIR": f"{empty}/loops"}
            environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | own
            words = [sys.executable, "-c", code]
            done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
            found.append(json.loads(done.stdout.strip().splitlines()[-1]))
    return [min(own) for own in zip(*found, strict=True)]


def first(name: str, asked: str, runs: int, cold: bool, loops: bool) -> list[float]:
    """Import, assembly, what is asked, and all together [s]."""
    return least(FIRST.format(name=name, asked=asked, cold=cold), runs, cold, loops)


def gallery(names: list[str], runs: int) -> None:
    """First calls and commands, a machine a line."""
    import linkwork as lw

    print(f"  {'':28}{'assembly':>9}{'motion':>8}{'forces':>8}{'first simulate':>15}   motion forces simulate statics")
    for name in names:
        try:
            simulated = first(name, SIMULATE.format(until=0.05, start={}), runs, True, True)[2]
            simulating = f"{simulated:15.2f}"
        except subprocess.CalledProcessError:  # without masses
            simulating = f"{'-':>15}"
        try:
            _, assembly, motion, forces, _ = first(name, MOTION, runs, True, True)
        except subprocess.CalledProcessError:  # nothing that can be driven by one number
            print(f"  {name:28}{'-':>9}{'-':>8}{'-':>8}{simulating}")
            continue
        home = lw.example(name).assemble().home
        drives = [n for n in home.independent if n.rpartition(".")[2][0] not in "qw"]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{name}.yaml"
            lw.save(lw.example(name), file)
            told = [word for n in drives for word in ("--drive", f"{n}={float(home[n])}:{float(home[n]) + 0.02}")]
            texts = []
            for words in (
                ["motion", str(file), *told],
                ["forces", str(file), *told],
                ["simulate", str(file), "--until", "0.05s"],
                ["statics", str(file)],
            ):
                try:
                    texts.append(f"{least(COMMAND.format(words=words), 1 + runs)[0]:8.2f}")
                except subprocess.CalledProcessError:
                    texts.append(f"{'-':>8}")
        print(f"  {name:28}{assembly:9.2f}{motion:8.2f}{forces:8.2f}{simulating}  {''.join(texts)}", flush=True)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="machines of the gallery")
    parser.add_argument("--gallery", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    asked = SIMULATE.format(until=1.0, start={"A": 0.5})
    print(f"  slider-crank {'import':>8}{'assembly':>10}{'simulate':>10}{'in all':>9}   CPU s")
    for what, cold, goal in (("warm", False, WARM_GOAL), ("cold", True, COLD_GOAL)):
        if not cold:
            first("slider-crank", asked, 1, False, True)
        own = first("slider-crank", asked, given.runs, cold, not cold)
        verdict = "ok" if own[-1] <= goal else "MISSED"
        print(
            f"  {what:12}{own[0]:9.2f}{own[1]:10.2f}{own[2]:10.2f}{own[3]:9.2f}   {verdict} (goal {goal:g})", flush=True
        )
    if given.gallery or given.names:
        import linkwork as lw

        gallery(given.names or list(lw.examples()), given.runs)


if __name__ == "__main__":
    main()
