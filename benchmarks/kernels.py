"""How fast the equations run beside Pinocchio and MuJoCo: equal answers first, then ratios of times.

    python benchmarks/kernels.py [--quick] [--json FILE] [--models puma6 chain30 ...]

Needs `pip install 'linkwork[bench]'` for the peers and goes on with those it finds. Times of one core are CPU time of
the process, pinned to one core, medians of rounds in which all candidates take turns. A peer's *kernel* time is free of
Python: its own batch path on one thread, or a call less what the same call costs on an empty model (`peers.py`); ratios
are against the fastest kernel of all peers. *batch* is our batch entry on arrays that stay in the cache, *(Python)* a
`kernel(...)` of 4096 samples, *loop* the entry for one sample in a compiled loop, *call* one call from Python. Times of
two cores and times to a first answer are wall time, so they mean something on an idle machine only.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import operator
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from timeit import Timer
from typing import Any

import casadi as ca
import numpy as np
import peers
from peers import Array, Machine, Task

import linkwork as lw
from linkwork.kernels import Kernel, drive
from linkwork.kernels.machine import this_machine

QUANTITIES = {
    "id": "inverse dynamics",
    "wrench": "... all joint wrenches",
    "mass": "mass matrix",
    "fd": "forward dynamics",
    "did": "d(inverse dynamics)",
    "dfd": "d(forward dynamics)",
}
NAMES = {"id": "inverse_dynamics", "wrench": "joint_wrenches", "mass": "mass_matrix", "fd": "forward_dynamics"}
WRT = {"did": ("inverse_dynamics", ("q", "v", "a")), "dfd": ("forward_dynamics", ("q", "v", "tau"))}

BATCH_TARGETS = {  # by 8 lanes a register; half with fewer
    "id": {"puma6": 40, "chain30": 20, "chain100": 15},
    "wrench": {"puma6": 35},
    "mass": {"puma6": 30, "chain30": 10},
    "fd": {"puma6": 30, "chain30": 20, "chain100": 20},
    "did": {"puma6": 35, "chain30": 15},
}
LOOP_TARGETS = {"puma6": 5, "chain30": 3, "chain100": 3}
CALL_TARGET = 8
TWO_CORES = 1.8

TOLERANCE = 1e-9
SAMPLES, BYTES = 4096, 256_000
"""Samples of a batch, unless its arrays would hold more bytes than this: like a peer's data, they stay in the cache."""
LOOPED = 1024
"""Samples of a compiled loop."""
DERIVED = 40
"""Rates up to which derivatives are asked for: those of longer chains are too large to compile in a benchmark."""


# -------------------------------------------------------------------------------------------------------- what is timed


class Subject:
    """The machine in Linkwork, and the ways to run its kernels."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.system = lw.System(peers.mechanism(machine))
        self.order = [self.system.bodies.index(f"B{i}") for i in range(len(machine.links))]
        self.kernel = cache(self._kernel)
        self._alive: list[Any] = []  # arrays whose addresses are in use

    def _kernel(self, quantity: str) -> Kernel:
        if quantity in NAMES:
            return self.system.kernel(NAMES[quantity]).compile()
        return self.system.derivative(*WRT[quantity]).kernel.compile()

    def inputs(self, quantity: str, q: Array, v: Array, x: Array) -> tuple[Array, ...]:
        """The arrays that a quantity depends on."""
        return (q,) if quantity == "mass" else (q, v, x)

    def outputs(self, quantity: str, *lead: int) -> tuple[Array, ...]:
        """Arrays for the results."""
        return tuple(np.full((*lead, *block.shape), np.nan) for block in self.kernel(quantity).outputs)

    def batch(self, quantity: str, *samples: Array, out: tuple[Array, ...] | None = None) -> Task:
        """All samples at once, on one thread."""
        out = self.outputs(quantity, len(samples[0])) if out is None else out
        return partial(self.kernel(quantity), *self.inputs(quantity, *samples), out=out, threads=1)

    def entry(self, quantity: str, *samples: Array) -> Task:
        """The same, by the batch entry as compiled code calls it: no Python but one call through ctypes."""
        kernel, count = self.kernel(quantity), len(samples[0])
        inputs = (*self.inputs(quantity, *samples), *kernel.bound)
        outputs = self.outputs(quantity, count)
        room = np.zeros(kernel.workspace + 8)
        aligned = (room.ctypes.data + 63) // 64 * 64
        strides = [x[0].size for x in inputs[: len(kernel.inputs)]] + [0] * len(kernel.bound)
        tables = [
            drive.pointers(inputs),
            np.array(strides, np.int64),
            drive.pointers(outputs),
            np.array([x[0].size for x in outputs], np.int64),
        ]
        kinds = [ctypes.c_void_p] * 4 + [ctypes.c_int64] * 2 + [ctypes.c_void_p]
        function = ctypes.CFUNCTYPE(None, *kinds)(kernel.batch_address)
        task = partial(function, *(t.ctypes.data for t in tables), 0, count, aligned)
        self._alive.append((inputs, outputs, room, tables))
        return task

    def loop(self, quantity: str, *samples: Array, out: tuple[Array, ...] | None = None) -> Task:
        """Sample after sample in a compiled loop; without `out` all results go to one place, as in a driver."""
        kernel, count = self.kernel(quantity), len(samples[0])
        flat = [o.reshape(-1) for o in self.outputs(quantity)] if out is None else [o.reshape(count, -1) for o in out]
        return partial(drive.repeat, kernel.address, (*self.inputs(quantity, *samples), *kernel.bound), flat, count)

    def call(self, quantity: str, *sample: Array) -> Task:
        """One call from Python."""
        return partial(self.kernel(quantity).call, *self.inputs(quantity, *sample), *self.outputs(quantity))

    def answers(self, quantity: str, *samples: Array) -> tuple[Array, ...]:
        """Results in the order and along the axes of the machine's links."""
        out = self.outputs(quantity, len(samples[0]))
        self.batch(quantity, *samples, out=out)()
        if quantity != "wrench":
            return out
        turned = [w @ np.kron(np.eye(2), peers.AXES[k.axis]).T for w, k in zip(
            np.moveaxis(out[1][:, self.order], 1, 0), self.machine.links, strict=True)]  # fmt: skip
        return out[0], np.stack(turned, axis=1)

    def assert_same_bits(self, quantity: str, *samples: Array) -> None:
        """Loop and single calls must give what the batch gives, to the bit."""
        batch, loop = (self.outputs(quantity, len(samples[0])) for _ in range(2))
        self.batch(quantity, *samples, out=batch)()
        self.loop(quantity, *samples, out=loop)()
        single = self.call(quantity, *(x[-1] for x in samples))()
        single = single if isinstance(single, tuple) else (single,)
        for b, o, s in zip(batch, loop, single, strict=True):
            np.testing.assert_array_equal(b, o)
            np.testing.assert_array_equal(b[-1], s)


def difference(ours: Sequence[Array], theirs: Sequence[Array]) -> float:
    """Largest difference, relative to the largest number of its block in the sample."""
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        axes = tuple(range(1, b.ndim))
        worst = max(worst, float(np.max(np.max(np.abs(a - b), axis=axes) / np.max(np.abs(b), axis=axes))))
    return worst


# --------------------------------------------------------------------------------------------------------------- timing


@dataclass(frozen=True)
class Clock:
    """How long to measure: rounds, and seconds of a candidate in one round."""

    rounds: int
    window: float

    def measure(self, tasks: Mapping[str, Task], clock: Any = time.process_time) -> dict[str, Timing]:
        """Times of one call of each task; all tasks take turns in every round."""
        timers = {name: _timer(task, clock) for name, task in tasks.items()}
        counts = {name: self._count(timer) for name, timer in timers.items()}
        seconds: dict[str, list[float]] = {name: [] for name in tasks}
        for _ in range(self.rounds):
            for name, timer in timers.items():
                seconds[name].append(timer.timeit(counts[name]) / counts[name])
        return {name: Timing(1e9 * np.array(s)) for name, s in seconds.items()}

    def _count(self, timer: Timer) -> int:
        timer.timeit(1)  # the first time is unlike the others
        count = 1
        while (spent := timer.timeit(count)) < self.window / 4:
            count = max(2 * count, int(0.5 * count * self.window / max(spent, 1e-7)))
        return max(1, round(count * self.window / spent))


@dataclass(frozen=True)
class Timing:
    """Nanoseconds, round by round."""

    rounds: Array

    @property
    def median(self) -> float:
        """Median of all rounds."""
        return float(np.median(self.rounds))

    def __add__(self, other: Timing) -> Timing:
        return Timing(self.rounds + other.rounds)

    def __rmul__(self, factor: float) -> Timing:
        return Timing(factor * self.rounds)

    def __truediv__(self, other: Timing) -> float:
        """Median of the ratios round by round, which a drifting clock of the processor does not touch."""
        return float(np.median(self.rounds / other.rounds))


def _timer(task: Task, clock: Any) -> Timer:
    """The call as a user writes it, `f(a, b, c)`: neither a partial nor a closure is timed with it."""
    if not isinstance(task, partial) or task.keywords:
        return Timer("f()", timer=clock, globals={"f": task})
    names = {f"a{i}": x for i, x in enumerate(task.args)}
    return Timer(f"f({', '.join(names)})", timer=clock, globals={"f": task.func, **names})


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Stay on one core, where the system can do that."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


# ----------------------------------------------------------------------------------------------------------------- rows


@dataclass
class Goal:
    """A figure beside its target; `least` says that it should not be below it."""

    value: float
    target: float | None = None
    least: bool = True

    @property
    def met(self) -> bool | None:
        """None without a target."""
        return None if self.target is None else (self.value >= self.target) is self.least or self.value == self.target

    def text(self, form: str = ".1f", width: int = 6) -> str:
        """Value, target, and a mark where it is missed."""
        goal = "" if self.target is None else f"{'≥' if self.least else '≤'}{self.target:g}{'' if self.met else ' !'}"
        return f"{self.value:{width}{form}} {goal:7}"


@dataclass
class Row:
    """A quantity of a machine: ours and theirs."""

    machine: str
    quantity: str
    operations: int
    differences: dict[str, float]
    ours: dict[str, Timing] = field(default_factory=dict)
    kernels: dict[str, Timing] = field(default_factory=dict)
    calls: dict[str, Timing] = field(default_factory=dict)
    overheads: dict[str, Timing] = field(default_factory=dict)
    ratios: dict[str, Goal] = field(default_factory=dict)


def time_row(subject: Subject, quantity: str, libraries: Iterable[Any], clock: Clock) -> Row:
    """Compare answers, then times. Peers whose answers differ are not timed."""
    machine, kernel = subject.machine, subject.kernel(quantity)
    check = machine.samples(16)
    subject.assert_same_bits(quantity, *check)
    ours = subject.answers(quantity, *check)
    able = [p for p in libraries if quantity in p.quantities]
    row = Row(machine.name, quantity, kernel.operations, {})
    row.differences = {p.name: difference(ours, p.answers(quantity, *check)) for p in able}
    able = [p for p in able if row.differences[p.name] <= TOLERANCE]
    if row.differences and not able:
        return row

    count = _batch_size(kernel)
    samples, many = machine.samples(count, seed=2), machine.samples(SAMPLES, seed=2)
    few, first = [x[:LOOPED] for x in many], [x[0].copy() for x in samples]
    looped = len(few[0])
    tasks: dict[str, Task] = {
        "batch": subject.entry(quantity, *samples),
        "Python": subject.batch(quantity, *many),
        "loop": subject.loop(quantity, *few),
        "call": subject.call(quantity, *first),
    }
    weights: dict[str, list[tuple[str, float]]] = {}
    for peer in able:
        tasks[f"{peer.name} call"] = peer.call(quantity, *first)
        batch = peer.batch(quantity, *samples)
        if batch is not None:
            tasks[f"{peer.name} batch"] = batch
        weights[peer.name] = []
        for k, (weight, task) in enumerate(peer.overhead(quantity)):
            tasks[f"{peer.name} overhead {k}"] = task
            weights[peer.name].append((f"{peer.name} overhead {k}", weight))
    times = clock.measure(tasks)
    row.ours = {"batch": 1 / count * times["batch"], "loop": 1 / looped * times["loop"], "call": times["call"]}
    row.ours["Python"] = 1 / SAMPLES * times["Python"]
    for peer in able:
        row.calls[peer.name] = times[f"{peer.name} call"]
        row.overheads[peer.name] = sum((w * times[name] for name, w in weights[peer.name]), Timing(np.zeros(1)))
        row.kernels[f"{peer.name} call"] = row.calls[peer.name] + -1.0 * row.overheads[peer.name]
        if f"{peer.name} batch" in times:
            row.kernels[f"{peer.name} batch"] = 1 / count * times[f"{peer.name} batch"]
    row.ratios = _ratios(row)
    return row


def _batch_size(kernel: Kernel) -> int:
    wide = sum(b.size for b in (*kernel.inputs, *kernel.outputs))
    return max(16, min(SAMPLES, BYTES // (8 * wide) // 16 * 16))


def _ratios(row: Row) -> dict[str, Goal]:
    if not row.kernels:
        return {}
    best = min(row.kernels.values(), key=lambda k: k.median)
    target: float | None = BATCH_TARGETS.get(row.quantity, {}).get(row.machine)
    if target is not None and this_machine().width < 8:
        target /= 2
    ratios = {
        "batch": Goal(best / row.ours["batch"], target),
        "loop": Goal(best / row.ours["loop"], LOOP_TARGETS.get(row.machine) if row.quantity in BATCH_TARGETS else None),
    }
    beside = row.calls.get("Pinocchio")
    if beside is not None:
        target = CALL_TARGET if (row.machine, row.quantity) == ("puma6", "id") else None
        ratios["call"] = Goal(beside / row.ours["call"], target)
    return ratios


HEAD = (
    f"{'ns per evaluation':24}{'ops':>7} {'differs':>8}  {'best peer kernel':>23}"
    f"  {'batch':>8} {'ratio':>6} {'':7}{'(Python)':>8} {'loop':>8} {'ratio':>6} {'':7}"
    f"{'call':>8} {'Pin.':>8} {'ratio':>6}"
)


def line(row: Row) -> str:
    """A row of the table."""
    worst = f"{max(row.differences.values()):.0e}" if row.differences else ""
    start = f"{QUANTITIES[row.quantity]:24}{row.operations:7,} {worst:>8}"
    if not row.ours:
        return f"{start}  not timed: answers differ by more than {TOLERANCE:g} ({row.differences})"
    b, p, s, c = (f"{row.ours[k].median:8,.0f}" if row.ours[k].median >= 100 else f"{row.ours[k].median:8.1f}"
                  for k in ("batch", "Python", "loop", "call"))  # fmt: skip
    if not row.kernels:
        return f"{start}  {'no peer':>23}  {b} {'':14}{p} {s} {'':14}{c}"
    best = min(row.kernels, key=lambda name: row.kernels[name].median)
    dropped = [name for name, d in row.differences.items() if d > TOLERANCE]
    note = f"  {', '.join(dropped)} left out: differs" if dropped else ""
    pin = f"{row.calls['Pinocchio'].median:8,.0f}" if "Pinocchio" in row.calls else f"{'':8}"
    call = row.ratios["call"].text() if "call" in row.ratios else ""
    return (
        f"{start}  {best:>15}{row.kernels[best].median:8,.0f}  {b} {row.ratios['batch'].text()}"
        f"{p} {s} {row.ratios['loop'].text()}{c} {pin} {call}{note}".rstrip()
    )


# ----------------------------------------------------------------------------------------------- threads, calls, starts


def two_cores(subject: Subject, quantity: str) -> dict[str, float]:
    """Wall seconds of a large batch on one and on two threads, and how much more CPU time the two take together."""
    blocks = (*subject.kernel(quantity).inputs, *subject.kernel(quantity).outputs)
    count = min(1_000_000, 200_000_000 // (8 * sum(b.size for b in blocks)))
    samples = subject.machine.samples(count, seed=3)
    out = subject.outputs(quantity, count)
    kernel, inputs = subject.kernel(quantity), subject.inputs(quantity, *samples)
    one, two = (partial(kernel, *inputs, out=out, threads=n) for n in (1, 2))
    wall, cpu = (Clock(15, 0.0).measure({"one": one, "two": two}, t) for t in (time.perf_counter, time.process_time))
    return {
        "samples": count,
        "one [s]": wall["one"].median / 1e9,
        "two [s]": wall["two"].median / 1e9,
        "ratio": wall["one"] / wall["two"],
        "CPU time": cpu["two"] / cpu["one"],
    }


def call_overhead(clock: Clock) -> dict[str, float]:
    """What a call costs when there is nothing to compute [ns]: `kernel.call`, the loop, and an empty builtin."""
    x = ca.SX.sym("x", 6)
    kernel = Kernel(ca.Function("nothing", [x], [x])).compile()
    a, out = np.zeros(6), np.zeros(6)
    rows = np.zeros((LOOPED, 6)), np.zeros((LOOPED, 6))
    tasks: dict[str, Task] = {
        "call of a kernel that copies 6 numbers": partial(kernel.call, a, out),
        "the same in the compiled loop": partial(drive.repeat, kernel.address, rows[:1], rows[1:], LOOPED),
        "empty builtin: operator.is_(a, out)": partial(operator.is_, a, out),
    }
    times = clock.measure(tasks)
    return {k: t.median / (LOOPED if "loop" in k else 1) for k, t in times.items()}


FRESH = """
import json, sys, time
clock = time.perf_counter
start = clock()
import numpy as np
import linkwork as lw, linkwork.system, linkwork.kernels.fastcall
import casadi as ca
imported = clock() - start
sys.path.insert(0, sys.argv[1])
import peers
if sys.argv[2] == "nothing":
    x = ca.SX.sym("x", 2)
    kernel = linkwork.kernels.Kernel(ca.Function("nothing", [x], [x[0] * x[1]]), mode="interpret")
    begin = clock()
    kernel(np.zeros(2))
    print(json.dumps({"imports": imported, "answered": clock() - begin}))
    sys.exit()
machine = peers.MACHINES[sys.argv[2]]()
mechanism = peers.mechanism(machine)
q, v, x = (x[0] for x in machine.samples(1))
begin = clock()
system = lw.System(mechanism)
built = clock() - begin
kernel = system.kernel(sys.argv[3])
traced = clock() - begin
if sys.argv[4] == "call":
    getattr(system, sys.argv[3])(q, v, x)
answered = clock() - begin
kernel.compile(only="batch")
ready = clock() - begin
repr(kernel)
print(json.dumps({"imports": imported, "built": built, "traced": traced, "answered": answered, "ready": ready,
                  "kernel": repr(kernel).splitlines()[-1]}))
"""


def fresh(folder: str, *what: str) -> dict[str, Any]:
    """Seconds in a new process that keeps its cache in a folder."""
    here = str(Path(__file__).resolve().parent)
    environment = {**os.environ, "LINKWORK_CACHE": folder, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", FRESH, here, *what], env=environment, check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def first_answers(times: int) -> dict[str, Goal]:
    """Wall seconds until there is an answer, medians of several fresh processes."""
    found: dict[str, list[float]] = {}

    def note(what: str, value: float) -> None:
        found.setdefault(what, []).append(value)

    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            never = fresh(folder, "nothing")
            new = fresh(folder, "puma6", "inverse_dynamics", "call")
            again = fresh(folder, "puma6", "inverse_dynamics", "compile")
        note("imports (numpy, CasADi, llvmlite, linkwork)", new["imports"])
        note("first use ever: the interpreter itself is compiled", never["answered"])
        note("puma6: System built", new["built"])
        note("puma6: ... inverse dynamics traced", new["traced"])
        note("puma6: ... first answer", new["answered"])
        note("puma6: ... compiled kernel ready", new["ready"])
        note("puma6: in a new process, kernel ready from the cache", again["ready"])
        note("puma6: ... of that after the trace", again["ready"] - again["traced"])
    with tempfile.TemporaryDirectory() as folder:
        long = fresh(folder, "chain100", "forward_dynamics", "compile")
    note("chain100: forward dynamics traced", long["traced"])
    note("chain100: ... and compiled", long["ready"] - long["answered"])
    targets = {
        "puma6: ... first answer": 0.1,
        "puma6: ... compiled kernel ready": 0.3,
        "puma6: in a new process, kernel ready from the cache": 0.05,
        "chain100: ... and compiled": 5.0,
    }
    return {what: Goal(statistics.median(s), targets.get(what), least=False) for what, s in found.items()}


# ----------------------------------------------------------------------------------------------------------------- main


def about() -> dict[str, Any]:
    """The machine and the versions."""
    versions = {}
    for package in ("linkwork", "numpy", "casadi", "llvmlite", "numba", "pin", "mujoco"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return {
        "machine": f"{platform.machine()}, {this_machine()}",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "versions": versions,
    }


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="short windows, derivatives of the arms only: a look")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--models", nargs="+", choices=peers.MACHINES, default=list(peers.MACHINES))
    asked = parser.parse_args()
    clock = Clock(9, 0.002) if asked.quick else Clock(21, 0.02)
    present = peers.available()
    for name in {"Pinocchio", "MuJoCo"} - {p.name for p in present}:
        print(f"{name} is not installed and left out: pip install 'linkwork[bench]'")
    info = about()
    print(", ".join(f"{k} {v}" for k, v in {**info, **info["versions"]}.items() if k != "versions"))

    rows: list[Row] = []
    goals: list[Goal] = []
    cores: dict[str, Any] = {}
    for name in asked.models:
        machine = peers.MACHINES[name]()
        subject = Subject(machine)
        print(f"\n{name}: {len(machine.links)} bodies, {machine.nv} rates\n{HEAD}")
        libraries = [peer(machine) for peer in present]
        for quantity in QUANTITIES:
            if quantity in WRT and machine.nv > (10 if asked.quick else DERIVED):
                continue
            if quantity == "mass" and asked.quick and machine.nv > DERIVED:
                continue
            with one_core():
                rows.append(time_row(subject, quantity, libraries, clock))
            goals += rows[-1].ratios.values()
            print(line(rows[-1]), flush=True)
        if (info["cores"] or 1) > 1:
            for quantity in ("id", "fd"):
                found = two_cores(subject, quantity)
                goals.append(goal := Goal(found["ratio"], TWO_CORES))
                cores[f"{name} {quantity}"] = found
                print(
                    f"{QUANTITIES[quantity]}, {found['samples']:,.0f} samples, two cores:"
                    f" {goal.text('.2f')}(CPU time x {found['CPU time']:.2f})"
                )

    with one_core():
        overhead = call_overhead(clock)
    print("\nnothing to compute [ns]")
    for what, value in overhead.items():
        print(f"  {what:54}{value:7.1f}")
    answers = first_answers(1 if asked.quick else 5)
    goals += answers.values()
    print("\ntimes to first answer [s]")
    for what, goal in answers.items():
        print(f"  {what:54}{goal.text('.3f', 7)}")
    judged = [g for g in goals if g.met is not None]
    print(f"\n{sum(bool(g.met) for g in judged)} of {len(judged)} targets met")
    if asked.json:
        figures = {
            **info,
            "rows": rows,
            "two cores": cores,
            "nothing to compute [ns]": overhead,
            "times to first answer [s]": answers,
        }
        text = json.dumps(figures, indent=1, ensure_ascii=False, default=plain)
        asked.json.write_text(text + "\n", encoding="utf-8")


def plain(figure: Any) -> dict[str, Any]:
    """A figure as JSON takes it."""
    if isinstance(figure, Timing):
        return {"median": figure.median, "least": float(figure.rounds.min())}
    if isinstance(figure, Goal):
        return {"value": figure.value, "target": figure.target, "met": figure.met}
    return dict(vars(figure))


if __name__ == "__main__":
    main()
