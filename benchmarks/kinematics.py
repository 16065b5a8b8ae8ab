"""How fast loops are closed, moved and followed, beside formulas by hand and Newton's method on Pinocchio.

    python benchmarks/kinematics.py [--quick] [--json FILE] [--only four-bar spatial growth motion open]

Equal answers first: postures, rates and accelerations agree with every other solution (`closed_loops.py`) to 1e-9,
relative to the largest number of their block; who differs is not timed. Then CPU time of one pinned core, medians of
rounds in which all candidates take turns, in one run. A posture is one with rates and accelerations. *C++ alone* are
Pinocchio's calls of a sample less the same calls on an empty model, without any linear algebra: what a program in C++
would spend at the least. Times of two threads and times to a first answer are wall time, so they mean something on an
idle machine only.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import closed_loops
import numpy as np
import peers
from peers import Array, Task

import linkwork as lw
from kernels import TOLERANCE, Clock, Goal, Subject, Timing, about, one_core, plain
from linkwork.equations.quantities import QUANTITIES
from linkwork.files.generators import n_four_bar
from linkwork.formulas import Question
from linkwork.kernels import drive

PLANAR, SPATIAL = 1_000_000, 50_000
"""Postures a second and core."""
GROWTH = 1.2
"""Largest exponent of the time over the number of loops."""
TWO_CORES = 1.8
CRANK_SIZES = (1_000, 20_000, 1_000_000)
BATCH = 20_000
NEWTON = 100
"""Samples that run through Python one by one."""
SPEED = 1.3
"""Rate of the driven joints [rad/s], where answers are compared."""
Answers = tuple[Array, ...]


# ----------------------------------------------------------------------------------------------------------------- rows


@dataclass
class Row:
    """One candidate: time of a posture, and how its answers differ from Linkwork's; ratio: its time by Linkwork's."""

    what: str
    samples: int
    differs: float | None = None
    time: Timing | None = None
    rate: Goal | None = None
    ratio: Goal | None = None


@dataclass
class Table:
    """Candidates that solve the same task."""

    title: str
    rows: list[Row] = field(default_factory=list)

    def text(self) -> str:
        """As it is printed."""
        lines = [
            f"\n{self.title}",
            f"{'':44}{'samples':>10} {'differs':>8}  {'ns a posture':>12}"
            f"  {'postures/s':>12} {'':11}{'times ours':>10}",
        ]
        for row in self.rows:
            differs = "" if row.differs is None else f"{row.differs:.0e}"
            start = f"{row.what:44}{row.samples:10,} {differs:>8}"
            if row.time is None or row.rate is None:
                lines.append(f"{start}  not timed: answers differ by more than {TOLERANCE:g}")
                continue
            if row.time.median <= 0.0:
                lines.append(f"{start}  lost in the noise of this machine")
                continue
            ratio = "" if row.ratio is None else f"{row.ratio.value:10,.2f}"
            nanoseconds = f"{row.time.median:12,.0f}" if row.time.median >= 100 else f"{row.time.median:12.1f}"
            lines.append(f"{start}  {nanoseconds}  {judged(row.rate):24}{ratio}".rstrip())
        return "\n".join(lines)

    @property
    def goals(self) -> list[Goal]:
        """What is judged."""
        return [g for row in self.rows for g in (row.rate, row.ratio) if g is not None]


def judged(goal: Goal) -> str:
    """Postures a second beside their target, and a mark where it is missed."""
    target = "" if goal.target is None else f"≥{goal.target:,.0f}{'' if goal.met else ' !'}"
    return f"{goal.value:12,.0f} {target}"


def difference(ours: Sequence[Array], theirs: Sequence[Array]) -> float:
    """Largest difference, relative to the largest number of its block in all samples; infinite if some are missing."""
    parts = [np.abs(a - b).max() / np.abs(b).max() for a, b in zip(ours, theirs, strict=True)]
    worst = float(np.max(parts))
    return worst if np.isfinite(worst) else np.inf


@dataclass(frozen=True)
class Candidate:
    """A task over some samples, compared with the one named `beside`; the time of the one named `less` is taken off."""

    what: str
    samples: int
    task: Task
    differs: float | None = None
    target: float | None = None
    less: str = ""
    beside: str = ""


def timed(title: str, beside: str, candidates: Sequence[Candidate], clock: Clock) -> Table:
    """Run all candidates whose answers agree in turns; `beside`: the one that all others are compared with."""
    agreeing = {c.what: c for c in candidates if c.differs is None or c.differs <= TOLERANCE}
    times = clock.measure({name: c.task for name, c in agreeing.items()})
    table = Table(title)
    for c in candidates:
        row = Row(c.what, c.samples, c.differs)
        if c.what in agreeing:
            row.time = 1 / c.samples * (times[c.what] + -1.0 * times[c.less] if c.less else times[c.what])
            row.rate = Goal(1e9 / row.time.median, c.target)
            other = agreeing[c.beside or beside]
            if c.target is None and other is not c:
                row.ratio = Goal(row.time / (1 / other.samples * times[other.what]))
        if not c.what.startswith("("):
            table.rows.append(row)
    return table


def sampled(sweep: Any, values: Sequence[str], rates: Sequence[str]) -> Answers:
    """Variables, rates and accelerations by name, (samples, names) each."""
    columns = [(sweep.value, values), (sweep.rate, rates), (sweep.acceleration, rates)]
    return tuple(np.stack([get(name) for name in names], axis=1) for get, names in columns)


def newton(
    table: list[Candidate], machine: Any, driven: Sequence[str], U: Array, names: Sequence[str], path: bool,
    held: Sequence[str] = (),
) -> None:  # fmt: skip
    """Pinocchio's rows: Newton's method called from Python, and the share of C++ in it."""
    if not closed_loops.Pinocchio.available():
        return
    peer = closed_loops.Pinocchio(machine, driven, held)
    rates = np.full(len(driven), SPEED)
    Q, V, A, steps = peer.solve(U, rates, path)
    ours = machine.solve(dict(zip(driven, U.T, strict=True)), dict.fromkeys(driven, SPEED), path=path, threads=1)
    places, columns = [machine.coordinates.index(n) for n in names], [machine.rates.index(n) for n in names]
    differs = difference(sampled(ours, names, names), (Q[:, places], V[:, columns], A[:, columns]))
    whole = round(steps)
    table += [
        Candidate("Newton on Pinocchio, from Python", len(U), partial(peer.solve, U, rates, path), differs),
        Candidate(f"... C++ alone, {whole} steps", 1, partial(peer.calls, peer.home, whole), less="(empty calls)"),
        Candidate("(empty calls)", 1, partial(peer.calls, peer.home, whole, True)),
    ]


# ------------------------------------------------------------------------------------------------------------- machines


def four_bar(clock: Clock, sizes: Sequence[int] = CRANK_SIZES) -> list[Table]:
    """The crank-rocker of the gallery, its crank through a full turn."""
    machine, hand = lw.example("four-bar").assemble(), closed_loops.FourBar()
    names = ("O2.angle", "A.angle", "B.angle", "O4.angle")
    start = machine.home["O2"]

    def turn(count: int) -> Array:
        return start + np.linspace(0.0, 2.0 * np.pi, count)

    check = turn(721)
    ours = sampled(machine.solve({"O2": check}, {"O2": SPEED}, threads=1), names, names)
    by_hand = difference(ours, hand.closed_form(check, SPEED))
    few = turn(NEWTON)
    few_ours = sampled(machine.solve({"O2": few}, {"O2": SPEED}, threads=1), names, names)
    rooted = difference(few_ours, hand.rooted(few, SPEED))
    table = [
        Candidate(f"solve, {n:,}", n, partial(machine.solve, {"O2": turn(n)}, {"O2": SPEED}, threads=1), target=PLANAR)
        for n in sizes
    ]
    table += [
        Candidate(
            f"closed form in numpy, {n:,}",
            n,
            partial(hand.closed_form, turn(n), SPEED),
            by_hand,
            beside=f"solve, {n:,}",
        )
        for n in sizes
    ]
    newton(table, machine, ["O2.angle"], turn(1_000)[:NEWTON, None], ("O2.angle", "A.angle", "O4.angle"), True)
    table.append(Candidate("scipy.optimize.root", len(few), partial(hand.rooted, few, SPEED), rooted))
    beside = f"solve, {sizes[min(1, len(sizes) - 1)]:,}"
    return [timed("four-bar, crank through a full turn, rates and accelerations of all joints", beside, table, clock)]


def threads(count: int, rounds: int) -> dict[str, Any]:
    """Wall time of one and two threads on a four-bar and a Stewart platform."""
    found = {}
    bar = lw.example("four-bar").assemble()
    stewart, lengths, rates = platform(count // 20, seed=3)
    for name, task in (
        ("four-bar", partial(bar.solve, {"O2": bar.home["O2"] + np.linspace(0, 2 * np.pi, count)}, {"O2": SPEED})),
        ("stewart-platform", partial(stewart.solve, lengths, rates, path=False)),
    ):
        tasks = {str(n): partial(task, threads=n) for n in (1, 2)}
        wall = Clock(rounds, 0.0).measure(tasks, time.perf_counter)
        found[name] = Goal(wall["1"] / wall["2"], TWO_CORES)
    return found


def rssr(clock: Clock, count: int = BATCH) -> list[Table]:
    """The spatial crank-rocker: near home at random, and along half a turn of the crank."""
    machine, hand = lw.example("rssr").assemble(), closed_loops.Rssr()
    names = ("A.angle", "D.angle")
    rng = np.random.default_rng(2)
    tables = []
    for path, x in ((False, rng.uniform(-0.3, 0.3, count)), (True, np.linspace(-1.5, 1.5, count))):
        task = partial(machine.solve, {"A": x}, {"A": SPEED}, path=path, threads=1)
        ours = sampled(task(), names, names)
        table = [
            Candidate("solve", count, task, target=SPATIAL),
            Candidate(
                "closed form in numpy (D alone)", count, partial(hand.closed_form, x, SPEED),
                difference(ours, hand.closed_form(x, SPEED)),
            ),
        ]  # fmt: skip
        U = (x[:NEWTON] if not path else np.linspace(0.0, 0.3, NEWTON))[:, None]
        newton(table, machine, ["A.angle"], U, names, path, held=["B.wx"])
        title = "RSSR, " + ("along a path" if path else "crank angles at random near home")
        tables.append(timed(title, "solve", table, clock))
    return tables


def platform(count: int, seed: int = 2) -> tuple[Any, dict[str, Array], dict[str, float]]:
    """The Stewart platform of the gallery, leg lengths at random near home, and rates."""
    machine = lw.example("stewart-platform").assemble()
    rng = np.random.default_rng(seed)
    legs = [f"P{i}.slide" for i in range(1, 7)]
    return machine, {n: machine.home[n] + rng.uniform(-0.05, 0.05, count) for n in legs}, dict.fromkeys(legs, SPEED)


def stewart(clock: Clock, count: int = BATCH) -> list[Table]:
    """Forward kinematics of the Stewart platform: from six leg lengths, at random near home and along a path."""
    machine, scattered, rates = platform(count)
    hand, legs = closed_loops.Stewart.of(machine), list(scattered)
    names = [n for n in machine.coordinates if n in machine.rates]
    phase = np.linspace(0.0, 2.0 * np.pi, count)
    waved = {n: machine.home[n] + 0.05 * np.sin((1 + i % 3) * phase) for i, n in enumerate(legs)}
    tables = []
    for path, lengths in ((False, scattered), (True, waved)):
        task = partial(machine.solve, lengths, rates, path=path, threads=1)
        table = [Candidate("solve", count, task, target=SPATIAL)]
        L = np.stack(list(lengths.values()), axis=1)
        if not path:
            R = np.full_like(L, SPEED)
            differs = difference(moved(machine, task()), hand.newton(L, R))
            task = partial(hand.newton, L, R)
            table.append(Candidate("Newton on 6 unknowns in numpy, the batch", count, task, differs))
        newton(table, machine, legs, L[:NEWTON], names, path)
        title = "Stewart platform, " + ("along a path" if path else "leg lengths at random near home")
        tables.append(timed(title, "solve", table, clock))
    return tables


def moved(machine: Any, sweep: Any, body: str = "platform") -> Answers:
    """Position, rotation, twist and acceleration of a body."""
    q, v, a = sweep.variables[:, : machine.nq], sweep.rates[:, : machine.nv], sweep.accelerations[:, : machine.nv]
    X = machine.pose(body, q)
    return X[:, :3, 3], X[:, :3, :3], machine.velocity(body, q, v), machine.acceleration(body, q, v, a)


# --------------------------------------------------------------------------------------------------------------- growth


@dataclass
class Size:
    """An N-four-bar: nanoseconds of Newton's step and of a posture nearby, and seconds to the first answer."""

    n: int
    operations: int
    step: Timing
    at: Timing
    solved: Timing
    first: dict[str, float]


def growth(sizes: Sequence[int], clock: Clock) -> tuple[list[Size], dict[str, Goal]]:
    """Rows of N square four-bars: times and their exponents over N."""
    found = []
    for n in sizes:
        first = fresh("grown", str(n))
        machine = n_four_bar(n).assemble()
        y = machine.at(A0=0.1).y
        kernel = next(k for name, k in machine._ready.items() if name.startswith("closing step")).compile()
        inputs = y, np.array([machine.loops.length]), *kernel.bound
        outputs = [np.empty(block.shape) for block in kernel.outputs]
        repeats = max(1, 20_000 // n)
        x = np.linspace(0.0, 0.1, 101)
        rolled = machine.solve({"A0": x}, {"A0": 1.0}, threads=1)
        np.testing.assert_allclose(rolled.value(f"A{n}.angle"), x, rtol=0.0, atol=1e-9)  # all uprights are parallel
        np.testing.assert_allclose(rolled.rates[:, machine.variable_rates.index(f"A{n}.angle")], 1.0, atol=1e-9)
        with one_core():
            times = clock.measure(
                {
                    "step": partial(drive.repeat, kernel.address, inputs, outputs, repeats),
                    "at": partial(machine.at, {"A0": 0.01}),
                    "solve": partial(machine.solve, {"A0": x}, {"A0": 1.0}, threads=1),
                }
            )
        found.append(Size(n, kernel.operations, 1 / repeats * times["step"], times["at"], times["solve"], first))
        size = found[-1]
        print(
            f"{n:6,}{size.operations:12,}{size.step.median / 1e3:12.2f}{size.at.median / 1e6:12.2f}"
            f"{size.solved.median / 1e6:12.2f}" + "".join(f"{size.first[k]:15.3f}" for k in FIRST),
            flush=True,
        )
    counts = [size.n for size in found]
    exponents = {
        "Newton's step": Goal(exponent(counts, [s.step.median for s in found]), GROWTH, least=False),
        "at, a posture nearby": Goal(exponent(counts, [s.at.median for s in found]), GROWTH, least=False),
        "solve, 101 samples": Goal(exponent(counts, [s.solved.median for s in found]), GROWTH, least=False),
    }
    for k in FIRST:
        target = GROWTH if k == "in all" else None
        exponents[f"first answer: {k}"] = Goal(exponent(counts, [s.first[k] for s in found]), target, least=False)
    return found, exponents


FIRST = ("assembled", "first at", "in all", "again")
"""Seconds of a fresh process: assembly, the first posture, both together; both with the cache of the first process."""


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Of a power law: the slope of a straight line through the logarithms of the three largest sizes, or all."""
    return float(np.polyfit(np.log(sizes[-3:]), np.log(times[-3:]), 1)[0])


PROCESS = """
import json, sys, time
clock = time.perf_counter
start = clock()
import numpy as np
import linkwork as lw, linkwork.analyses.machine, linkwork.results
from linkwork.files.generators import n_four_bar
imported = clock() - start
what, name = sys.argv[1:3]
if what == "grown":
    mechanism = n_four_bar(int(name))
    begin = clock()
    machine = mechanism.assemble()
    assembled = clock() - begin
    machine.at(A0=0.1)
    print(json.dumps({"imports": imported, "assembled": assembled, "first at": clock() - begin - assembled,
                      "in all": clock() - begin}))
    sys.exit()
begin = clock()
mechanism = lw.example(name)
loaded = clock() - begin
machine = mechanism.assemble()
assembled = clock() - begin - loaded
drives = {joint: tuple(way) for joint, way in json.loads(sys.argv[3]).items()}
begin = clock()
run = machine.motion(drives, samples=721)
print(json.dumps({"imports": imported, "loaded": loaded, "assembled": assembled, "moved": clock() - begin}))
"""


def fresh(what: str, *more: str, folder: str = "") -> dict[str, float]:
    """Seconds in a new process; without a folder, one with an empty cache, and `again` in another one after it."""
    if not folder:
        with tempfile.TemporaryDirectory() as own:
            fresh("moved", "slider-crank", '{"A": [0, 1]}', folder=own)  # what is compiled once after installation
            first = fresh(what, *more, folder=own)
            return {**first, "again": fresh(what, *more, folder=own)["in all"]}
    environment = {
        **os.environ,
        "LINKWORK_CACHE": folder,
        "LINKWORK_KERNELS": "auto",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    command = [sys.executable, "-c", PROCESS, what, *more]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    seconds: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return seconds


# --------------------------------------------------------------------------------------------------------------- motion


def motions(clock: Clock, times: int) -> dict[str, Goal]:
    """Milliseconds of whole questions, as users ask them."""
    found: dict[str, Goal] = {}
    tasks: dict[str, Task] = {}
    ways: dict[str, dict[str, tuple[float, float]]] = {}
    for name in ("slider-crank", "stewart-platform"):
        machine = lw.example(name).assemble()
        lengths = {f"P{i}": float(machine.home[f"P{i}"]) for i in range(1, 7)} if name == "stewart-platform" else {}
        laws = {k: (x, x + 0.02 * i) for i, (k, x) in enumerate(lengths.items(), 1)} or {"A": (0.0, 2 * np.pi)}
        ways[name] = laws
        assert machine.motion(laws, samples=721).status == "complete"
        tasks[f"{name}: motion of 721 samples, repeated"] = partial(machine.motion, laws, samples=721)
        tasks[f"{name}: at a posture nearby"] = partial(machine.at, {k: way[0] + 0.05 for k, way in laws.items()})
    bar = lw.example("four-bar").assemble()
    tasks["four-bar: all closures"] = partial(bar.closures, {"O2": 0.7})
    tasks["stewart-platform: all closures of the platform"] = partial(machine.closures, lengths, of="platform")
    assert len(tasks["four-bar: all closures"]()) == 2  # type: ignore[arg-type]
    with one_core():
        for what, timing in clock.measure(tasks).items():
            found[what] = Goal(timing.median / 1e6)
    with tempfile.TemporaryDirectory() as folder:
        for name, laws in ways.items():
            fresh("moved", name, json.dumps(laws), folder=folder)
            rows = [fresh("moved", name, json.dumps(laws), folder=folder) for _ in range(times)]
            for key, what in (
                ("imports", "imports"), ("loaded", "model read"), ("assembled", "assembled"), ("moved", "first motion"),
            ):  # fmt: skip
                median = statistics.median(row[key] for row in rows)
                found[f"{name}: new process, warm caches: {what}"] = Goal(1e3 * median)
    return found


# ----------------------------------------------------------------------------------------------------------- open chain


def open_chain(clock: Clock, count: int = 512) -> list[Table]:
    """Poses, twists and accelerations of all bodies of the PUMA 560 beside `pinocchio.forwardKinematics(q, v, a)`.

    Ours are along world axes; Pinocchio's are along each body's own, and what it costs to turn them is not counted.
    """
    subject = Subject(peers.puma6())
    system = subject.system
    kernel = system.bound_kernel(Question(QUANTITIES["motion"])).compile()
    order = [list(system.plan.index).index(f"B{i}") for i in range(system.nv)]
    samples = subject.machine.samples(count, seed=2)
    out = tuple(np.empty((count, *block.shape)) for block in kernel.outputs)
    many = subject.machine.samples(4096, seed=2)
    wide = tuple(np.empty((4096, *block.shape)) for block in kernel.outputs)
    table = [
        Candidate("motion kernel, a batch in the cache", count, partial(kernel, *samples, out=out, threads=1)),
        Candidate("motion kernel, a larger batch", 4096, partial(kernel, *many, out=wide, threads=1)),
        Candidate(
            "motion kernel, one at a time in a loop", count,
            partial(drive.repeat, kernel.address, (*samples, *kernel.bound), [o[0].reshape(-1) for o in out], count),
        ),
    ]  # fmt: skip
    if any(p is peers.Pinocchio for p in peers.available()):
        peer = peers.Pinocchio(subject.machine)
        X, V, A = (block[:, order] for block in kernel(*(x[:16] for x in samples)))
        differs = difference((X, V, A), placed(peer, *(x[:16] for x in samples)))
        first = [x[0].copy() for x in samples]
        call = partial(peer.pin.forwardKinematics, peer.timed, peer.timed.createData(), *first)
        empty = peer.pin.Model()
        none = partial(peer.pin.forwardKinematics, empty, empty.createData(), *(np.zeros(0),) * 3)
        table += [
            Candidate("pinocchio.forwardKinematics, from Python", 1, call, differs),
            Candidate("... kernel", 1, call, differs, less="(empty call)"),
            Candidate("(empty call)", 1, none),
        ]
    return [timed("PUMA 560, poses, twists and accelerations of all bodies", table[0].what, table, clock)]


def placed(peer: Any, q: Array, v: Array, a: Array) -> Answers:
    """Positions and rotations, twists, accelerations of Pinocchio's bodies along world axes."""
    pin, model, data = peer.pin, peer.model, peer.model.createData()
    frame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    rows: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for sample in zip(q[:, peer.order], v, a, strict=True):
        pin.forwardKinematics(model, data, *sample)
        poses = [data.oMi[j] for j in peer.ends]
        rows[0].append([[*X.translation, *X.rotation.ravel()] for X in poses])
        rows[1].append([pin.getVelocity(model, data, j, frame).vector.copy() for j in peer.ends])
        rows[2].append([pin.getClassicalAcceleration(model, data, j, frame).vector.copy() for j in peer.ends])
    return tuple(np.array(block) for block in rows)


# ----------------------------------------------------------------------------------------------------------------- main

PARTS = ("four-bar", "spatial", "growth", "motion", "open")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds, rows of four-bars up to 100: a look")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    asked = parser.parse_args()
    os.environ.setdefault("LINKWORK_KERNELS", "compile")  # what is measured here is what is hot
    clock = Clock(5, 0.01) if asked.quick else Clock(11, 0.1)
    if not closed_loops.Pinocchio.available():
        print("Pinocchio 4 is not installed and left out: pip install 'linkwork[bench]'")
    info = about()
    print(", ".join(f"{k} {v}" for k, v in {**info, **info["versions"]}.items() if k != "versions"))
    figures: dict[str, Any] = dict(info)
    goals: list[Goal] = []

    def show(tables: list[Table]) -> None:
        for table in tables:
            print(table.text(), flush=True)
            goals.extend(table.goals)
            figures[table.title] = table.rows

    if "four-bar" in asked.only:
        with one_core():
            show(four_bar(clock, CRANK_SIZES[:2] if asked.quick else CRANK_SIZES))
    if "spatial" in asked.only:
        with one_core():
            show(rssr(clock))
            show(stewart(clock))
    if {"four-bar", "spatial"} & set(asked.only) and (info["cores"] or 1) > 1:
        figures["two threads"] = threads(200_000 if asked.quick else 1_000_000, 3 if asked.quick else 9)
        print("\ntwo threads, wall time, times as fast")
        for name, goal in figures["two threads"].items():
            print(f"  {name:54}{goal.text('.2f', 10)}")
            goals.append(goal)
    if "growth" in asked.only:
        print("\nrows of N four-bars: operations and times of Newton's step, a posture nearby, 101 samples;")
        print("seconds to the first answer in a new process, cache empty; the same once more, cache filled")
        print(f"{'N':>6}{'operations':>12}{'step [us]':>12}{'at [ms]':>12}{'solve [ms]':>12}", end="")
        print("".join(f"{k + ' [s]':>15}" for k in FIRST))
        sizes, exponents = growth((10, 30, 100) if asked.quick else (10, 30, 100, 300, 1000), clock)
        figures["rows of four-bars"], figures["exponents"] = sizes, exponents
        print("exponent over N, of the three largest")
        for what, goal in exponents.items():
            print(f"  {what:54}{goal.text('.2f', 10)}")
            goals.append(goal)
    if "motion" in asked.only:
        figures["questions [ms]"] = motions(clock, 1 if asked.quick else 5)
        print("\nquestions as users ask them [ms]")
        for what, goal in figures["questions [ms]"].items():
            print(f"  {what:60}{goal.text('.2f', 10)}")
    if "open" in asked.only:
        with one_core():
            show(open_chain(clock))
    judged = [g for g in goals if g.met is not None]
    print(f"\n{sum(bool(g.met) for g in judged)} of {len(judged)} targets met")
    if asked.json:
        text = json.dumps(figures, indent=1, ensure_ascii=False, default=plain)
        asked.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
