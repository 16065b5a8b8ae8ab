"""First answers: what a new process waits for, with and without caches, from a slider-crank to a thousand bodies.

    python benchmarks/first_answers.py [--part NAME ...] [--gallery] [--no-peers] [--runs 3] [--json FILE]

Every figure is of a process of its own. *wall* is the time from its start to its answer, *CPU* what the process had
used by then with all its threads; of several runs the least counts. Goals are for wall time on an idle machine; on a
busy one look at CPU time (`--by cpu` compares that). Loops through time are compiled beforehand, but for the row of
empty caches; kernels are not, but for warm rows. Python's bytecode is there.

Parts: `start` the first simulation of a slider-crank, `chains` and `four-bars` the first simulated step of long ones
and how it grows, beside peers (the import, the model, the first step), `machines` first motion, forces and reach of
some machines of the gallery (`--gallery`: of all), `commands` of the command line, warm, and `large`, which is not
among what runs by itself: large machines from reading to drawing, step by step, and the growth of each.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import first_answers_code as code

HERE = Path(__file__).parent
CHAINS = {30: 0.5, 100: 0.7, 300: 1.2, 1000: 3.0}
FOUR_BARS = {40: 1.0, 400: 2.5, 1000: 6.0}
GROWTH = 1.1
SOME = ("slider-crank", "four-bar", "stewart-platform", "andrews-squeezer", "puma-560", "planetary-set")
LARGE = {"chain": (300, 1000), "four-bars": (300, 1000), "track": (100, 300), "net": (10, 30)}
"""Sizes by machine; of a net, plates along a side."""
PATIENCE = 600.0
"""Time after which a process is given up [s]."""


@dataclass
class Row:
    """One figure; parts are CPU seconds one after the other, by name, and spent their wall time."""

    what: str
    cpu: float
    wall: float
    goal: float | None = None
    parts: dict[str, float] = field(default_factory=dict)
    spent: dict[str, float] = field(default_factory=dict)
    peer: bool = False

    def text(self, by: str) -> str:
        """As a line."""
        verdict = ""
        if self.goal is not None:
            verdict = f"{self.goal:7.2f}  {'ok' if getattr(self, by) <= self.goal else 'MISSED'}"
        parts = ", ".join(f"{name} {value:.2f}" for name, value in self.parts.items())
        return f"  {self.what:44}{self.cpu:8.2f}{self.wall:8.2f}{verdict:18}  {parts}"


@dataclass
class Setting:
    """How rows are measured."""

    runs: int
    by: str
    peers: bool
    gallery: bool


# ---------------------------------------------------------------- processes


@contextmanager
def caches(kernels: bool, loops: bool) -> Iterator[dict[str, str]]:
    """An environment whose caches are those of the user, or empty ones."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
        own = {} if kernels else {"LINKWORK_CACHE": f"{empty}/kernels"}
        own |= {} if loops else {"NUMBA_CACHE_DIR": f"{empty}/loops"}
        yield {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | own


def answered(text: str, kernels: bool = False, loops: bool = True) -> tuple[float, dict[str, tuple[float, float]]]:
    """Wall time until a process has answered, and CPU and wall time of its parts; LookupError where it does not."""
    with caches(kernels, loops) as environment, tempfile.TemporaryFile("w+") as complaints:
        begin = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-c", text],
            env=environment,
            cwd=HERE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        )
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(code.MARK):
                wall = time.perf_counter() - begin
                process.stdout.read()
                process.wait(PATIENCE)
                return wall, json.loads(line[len(code.MARK) :])
        process.wait(PATIENCE)
        complaints.seek(0)
        raise LookupError((complaints.read().strip().splitlines() or ["no answer"])[-1])


def least(what: str, goal: float | None, setting: Setting, text: str, kernels: bool = False, loops: bool = True) -> Row:
    """The least of some processes, number by number."""
    found = [answered(text, kernels, loops) for _ in range(setting.runs)]
    cpu, spent = ({name: min(own[name][k] for _, own in found) for name in found[0][1]} for k in (0, 1))
    whole = min(sum(cpu for cpu, _ in own.values()) for _, own in found)
    return Row(what, whole, min(wall for wall, _ in found), goal, cpu, spent)


def command(what: str, goal: float, setting: Setting, words: Sequence[str]) -> Row:
    """A command of the command line, to its end, warm."""
    own = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
    cpus, walls = [], []
    with caches(True, True) as environment:
        for run in range(setting.runs + 1):  # the first one fills the caches
            begin = time.perf_counter()
            process = subprocess.Popen([sys.executable, "-m", "linkwork", *words], env=environment, **own)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                raise LookupError(f"exit status {process.returncode}")
            if run:
                cpus.append(used.ru_utime + used.ru_stime)
                walls.append(time.perf_counter() - begin)
    return Row(what, min(cpus), min(walls), goal)


# ---------------------------------------------------------------- parts


def start(setting: Setting) -> Iterator[Row]:
    """The first simulation of a slider-crank."""
    asked = code.simulated("slider-crank")
    empty = least("slider-crank, empty caches", 3.0, setting, asked, False, False)
    yield empty
    cpu, wall = (sum(own[name] for name in ("import", "assemble")) for own in (empty.parts, empty.spent))
    yield Row("... of which import and assembly", cpu, wall, 1.0)
    yield least("slider-crank, kernels alone empty", None, setting, asked)
    answered(asked, True)
    yield least("slider-crank, warm caches", 0.5, setting, asked, True)


def grown(name: str, goals: dict[int, float], setting: Setting) -> Iterator[Row]:
    """First simulated steps of a machine that is made longer and longer, its growth, and those of peers."""
    rows = {n: least(f"{n} {name}", goal, setting, code.stepped(name, n)) for n, goal in goals.items()}
    yield from rows.values()
    sizes = [n for n in rows if n >= 100]
    few, many = sizes[0], sizes[-1]
    by_cpu, by_wall = (exponent(few, many, *(getattr(rows[n], by) for n in (few, many))) for by in ("cpu", "wall"))
    yield Row(f"... exponent of growth, {few} to {many}", by_cpu, by_wall, GROWTH)
    for peer in code.PEERS if setting.peers else ():
        for n in (n for n in goals if code.bodies_of(name, n) <= code.PEERS[peer]):
            try:
                yield peer_row(f"{peer}: {n} {name}", setting, code.stepped_by(peer, name, n))
            except LookupError as error:
                yield Row(f"{peer}: {n} {name}: {str(error)[:60]}", math.nan, math.nan, peer=True)
                break


def peer_row(what: str, setting: Setting, text: str) -> Row:
    """A row of a peer."""
    found = least(what, None, setting, text)
    found.peer = True
    return found


def machines(setting: Setting) -> Iterator[Row]:
    """First questions to machines of the gallery."""
    import linkwork as lw

    for name in lw.examples() if setting.gallery else SOME:
        for question, asked in code.questions(lw.example(name)).items():
            try:
                yield least(f"{name}: {question}", 1.0, setting, asked)
            except LookupError as error:
                yield Row(f"{name}: {question}: {str(error)[:60]}", math.nan, math.nan)


def commands(setting: Setting) -> Iterator[Row]:
    """Commands of the command line."""
    import linkwork as lw
    from linkwork.files.gallery import example_text

    for name in lw.examples() if setting.gallery else SOME[:3]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{name}.yaml"
            file.write_text(example_text(name))
            for words in code.commands(lw.example(name), str(file)):
                try:
                    yield command(f"linkwork {words[0]} {name}", 1.0, setting, words)
                except LookupError as error:
                    yield Row(f"linkwork {words[0]} {name}: {error}", math.nan, math.nan)


def large(setting: Setting) -> Iterator[Row]:
    """Large machines, one question after the other in one process, and how each grows."""
    for name, (few, many) in LARGE.items():
        found = {}
        for n in (few, many):
            try:
                row = least(f"{name} {n}", None, setting, code.walked(name, n))
            except LookupError as error:
                yield Row(f"{name} {n}: {str(error)[:60]}", math.nan, math.nan)
                break
            found[n] = row
            yield row
        else:
            size = 2 if name == "net" else 1  # links are plates along a side, squared
            growth = {
                step: exponent(few**size, many**size, before, found[many].parts[step])
                for step, before in found[few].parts.items()
            }
            yield Row(f"{name}: exponents of growth", *whole(found, few**size, many**size, few, many), parts=growth)


def whole(found: dict[int, Row], few: int, many: int, first: int, last: int) -> tuple[float, float]:
    """Exponents of CPU and wall time of a whole process."""
    one, other = found[first], found[last]
    return exponent(few, many, one.cpu, other.cpu), exponent(few, many, one.wall, other.wall)


def exponent(few: int, many: int, before: float, after: float) -> float:
    """p where time grows like n^p."""
    return math.log(max(after, 1e-3) / max(before, 1e-3)) / math.log(many / few)


PARTS: dict[str, Callable[[Setting], Iterator[Row]]] = {
    "start": start,
    "chains": lambda setting: grown("chain", CHAINS, setting),
    "four-bars": lambda setting: grown("four-bars", FOUR_BARS, setting),
    "machines": machines,
    "commands": commands,
    "large": large,
}


def main() -> None:
    """Measure, print, and write down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", nargs="+", choices=PARTS, default=[name for name in PARTS if name != "large"])
    parser.add_argument("--gallery", action="store_true", help="all machines of the gallery, which takes long")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--by", choices=("wall", "cpu"), default="wall", help="what is compared with the goals")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    setting = Setting(given.runs, given.by, not given.no_peers, given.gallery)
    subprocess.run([sys.executable, "-m", "linkwork", "warm"], check=True, stdout=subprocess.DEVNULL)
    about = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"  {about}; load {os.getloadavg()[0]:.1f}")
    rows: list[Row] = []
    for name in given.part:
        print(f"\n  {name:44}{'CPU s':>8}{'wall s':>8}{'goal':>7}{'':13}CPU s of the parts")
        for row in PARTS[name](setting):
            print(row.text(given.by), flush=True)
            rows.append(row)
    missed = [row for row in rows if row.goal is not None and getattr(row, given.by) > row.goal]
    print(f"\n  {len(missed)} of {sum(row.goal is not None for row in rows)} goals are missed by {given.by} time")
    if given.json:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
