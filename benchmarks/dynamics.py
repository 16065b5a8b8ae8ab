"""Forward and inverse dynamics of machines with loops, beside Pinocchio, MuJoCo and Exudyn.

    python benchmarks/dynamics.py [--quick] [--json FILE] [--only four-bar stewart ...]
    python benchmarks/dynamics.py --build       # first, once: Pinocchio's loop in C++ (minutes; needs g++ and Eigen)

Needs `pip install 'linkwork[bench]'` for the peers and goes on with those it finds. *Forward*: q, v, tau to
accelerations. *Inverse*: q, v, a to efforts of the driven joints. Equal answers first: the judge is Kane's method in
numpy (`closed_machines.py`), itself held to published numbers; who differs is not timed. What each peer does, and
where its job is not exactly the same, stands at the head of `closed_dynamics.py`.

Then CPU time of one pinned core, medians of rounds in which all candidates take turns. *one call* is one state a call
from Python, *batch* 10,000 states on one thread. Peers run the first thousand: Pinocchio in a loop in C++ if it was
built, MuJoCo in its own batch. Peers without such a path would loop over calls; their *batch* is one call, in brackets.
Ratios are a peer's time by Linkwork's, medians over the rounds.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import closed_dynamics
import closed_machines
import numpy as np
from closed_dynamics import PEERS, Exudyn, MuJoCo, Pinocchio
from closed_machines import Loops
from peers import Array, Task

from kernels import Clock, Goal, Timing, about, difference, one_core, plain
from linkwork.kernels import drive

TOLERANCE = 1e-9
"""Of Linkwork's answers."""
BATCHED = 1e-6
"""Of a peer's batch beside its calls: iterations start elsewhere."""
STATES, DIFFERENT, CHECKED = 10_000, 1_000, 16
"""States of a batch; as many of them differ, the others repeat them; states at which answers are compared."""
LOOPED = "Linkwork, in a compiled loop"
"""One state a call of the same machine code, from a loop without Python, as a simulation does."""
Peer = Pinocchio | MuJoCo | Exudyn


# ------------------------------------------------------------------------------------------------------------- Linkwork


class Linkwork:
    """The machine in Linkwork, on the tree that it picks itself."""

    name = "Linkwork"
    tolerance = TOLERANCE

    def __init__(self, loops: Loops) -> None:
        self.loops = loops
        self.machine = loops.mechanism().assemble()
        kinds = [loops.links[loops.names.index(name)].kind for name in loops.driven]
        self.driven = [f"{n}.{closed_machines.VARIABLES[k][1][0]}" for n, k in zip(loops.driven, kinds, strict=True)]

    def inputs(self, quantity: str, q: Array, v: Array, x: Array) -> list[Array]:
        """The same states, one a row, for all joints; x : tau, of driven joints alone, or accelerations."""
        place, rate, more = self.loops.variables(q, v, x)
        if quantity == "forward":
            given = dict(zip(self.driven, x[:, self.loops.driven_rates].T, strict=True))
            more = dict.fromkeys(rate, np.zeros(len(q))) | given
        names = self.machine.variables, self.machine.variable_rates, self.machine.variable_rates
        tables = zip((place, rate, more), names, strict=True)
        return [np.stack([table[name] for name in order], axis=-1) for table, order in tables]

    def kernel(self, quantity: str) -> tuple[Any, list[Array]]:
        """What is called, compiled, and its last inputs: efforts that are known, and time."""
        if quantity == "forward":
            return self.machine.kernel("forward_dynamics").compile(), [np.zeros(1)]
        drives = ", ".join(self.driven)
        return self.machine.kernel("drive_efforts", drives).compile(), [np.zeros(self.rates), np.zeros(1)]

    def answers(self, quantity: str, found: Any) -> Array:
        """The part of what a kernel gives that is compared: accelerations of the tree, efforts of the drives."""
        if quantity == "forward":
            accelerations: Array = found[0]
            return accelerations
        efforts: Array = found[..., [self.machine.variable_rates.index(name) for name in self.driven]]
        return efforts

    @property
    def rates(self) -> int:
        """Number of rates of all joints."""
        return len(self.machine.variable_rates)

    def expected(self, quantity: str, q: Array, v: Array, truth: Array) -> Array:
        """The judge's answers, in its order."""
        if quantity == "inverse":
            return truth
        more = self.loops.variables(q, v, truth)[2]
        return np.stack([more[name] for name in self.machine.rates], axis=-1)


# --------------------------------------------------------------------------------------------------- published numbers


def published() -> dict[str, float]:
    """How far the judge is from numbers in the literature and from the closed form of n four-bars, relatively."""
    found = {}
    machine = closed_machines.andrews()
    q, v, tau = closed_machines.andrews_start()
    start = np.array([closed_machines.ANDREWS_START.get(name, 0.0) for name in machine.names])
    found["Andrews' squeezer, accelerations at the start"] = _apart(machine, q, v, tau, start)
    machine = closed_machines.bricard()
    rest = np.zeros(machine.nv)
    start = closed_machines.BRICARD_START * np.array([1, -1, 1, -1, 1])
    found["Bricard, acceleration from rest (ten digits)"] = _apart(machine, machine.home, rest, rest, start)
    # (n + 1)/3 + n times phi'' is (n + 1)/2 + n times g sin phi; phi counts from upright, against the angles.
    n, phi = 40, 0.3
    machine = closed_machines.n_four_bar(n)
    sign = np.array([-1.0 if name[0] == "A" else 1.0 for name in machine.names])
    fall = ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * 9.81 * np.sin(phi)
    found["40 four-bars, closed form"] = _apart(machine, machine.guess + phi * sign, sign, 0 * sign, fall * sign)
    assert max(found.values()) < TOLERANCE, found
    return found


def _apart(machine: Loops, q: Array, v: Array, tau: Array, expected: Array) -> float:
    return difference([machine.forward(q[None], v[None], tau[None])], [expected[None]])


# ----------------------------------------------------------------------------------------------------------------- rows


@dataclass
class Row:
    """One candidate for a quantity of a machine."""

    machine: str
    quantity: str
    who: str
    differs: float | None = None
    note: str = ""
    call: Timing | None = None
    batch: Timing | None = None
    looped: bool = False
    """Whether the batch is a loop over calls."""
    ratios: dict[str, Goal] = field(default_factory=dict)

    def text(self) -> str:
        """As it is printed."""
        differs = "" if self.differs is None else f"{self.differs:.0e}"
        start = f"  {self.who:34}{differs:>8}"
        if self.call is None or self.batch is None:
            return f"{start}  {self.note}"
        call, batch = (1e-3 * t.median for t in (self.call, self.batch))
        shown = f"({batch:,.2f})" if self.looped else f"{batch:,.2f} "
        ratios = [f"{self.ratios[k].value:8,.2f}" if k in self.ratios else " " * 8 for k in ("call", "batch")]
        return f"{start}{call:12,.2f}{ratios[0]}{shown:>13}{ratios[1]}  {self.note}".rstrip()


HEAD = f"{'us per state':36}{'differs':>8}{'one call':>12}{'ratio':>8}{'batch ':>13}{'ratio':>8}"


@dataclass
class Contest:
    """A quantity of a machine: states, the judge's answers, and who takes part."""

    loops: Loops
    quantity: str
    few: tuple[Array, Array, Array]
    many: tuple[Array, Array, Array]
    truth: Array
    rows: list[Row] = field(default_factory=list)
    calls: dict[str, Task] = field(default_factory=dict)
    batches: dict[str, Task] = field(default_factory=dict)

    @classmethod
    def of(cls, loops: Loops, quantity: str) -> Contest:
        """With states to compare answers at, and states to time."""
        few = _states(quantity, *loops.states(CHECKED))
        many = _states(quantity, *loops.states(DIFFERENT, seed=2))
        return cls(loops, quantity, few, many, getattr(loops, quantity)(*few))

    def enter_linkwork(self, subject: Linkwork) -> None:
        """Ours, first."""
        row = Row(self.loops.name, self.quantity, subject.name)
        self.rows.append(row)
        kernel, more = subject.kernel(self.quantity)
        answers = subject.answers(self.quantity, kernel(*subject.inputs(self.quantity, *self.few), *more))
        row.differs = difference([answers], [subject.expected(self.quantity, *self.few[:2], self.truth)])
        row.note = _refusal(row.differs, subject.tolerance)
        if not row.note:
            inputs = subject.inputs(self.quantity, *self.many)
            self.calls[row.who] = partial(kernel.call, *(x[0].copy() for x in inputs), *more)
            tiled = [np.tile(x, (STATES // DIFFERENT, 1)) for x in inputs]
            self.batches[row.who] = partial(kernel, *tiled, *more, threads=1)
            looped = Row(self.loops.name, self.quantity, LOOPED, differs=row.differs)
            self.rows.append(looped)
            room = [np.empty((STATES, *block.shape)) for block in kernel.outputs]
            given = [*tiled, *more, *(np.ascontiguousarray(x) for x in kernel.bound)]
            flat = [x if x.ndim == 2 else x[:, np.newaxis] for x in room]
            self.batches[looped.who] = partial(drive.repeat, kernel.address, given, flat, STATES)

    def enter(self, peer: Peer) -> None:
        """A peer, in all its ways."""
        paths = peer.batches(self.quantity)
        for way, make in peer.ways(self.quantity).items():
            row = Row(self.loops.name, self.quantity, f"{peer.name} {way}")
            self.rows.append(row)
            found = self._answers(make)
            if isinstance(peer, Exudyn):
                found = np.array([peer.joint_accelerations(x) for x in found])
            row.differs = difference([found], [self.truth])
            if isinstance(peer, MuJoCo) and self.quantity == "forward":
                hard = np.array([peer.forward_hard(*state) for state in zip(*self.few, strict=True)])
                apart = difference([hard], [self.truth])
                refused, row.note = _refusal(apart, peer.hard), f"soft; extrapolated to hard {apart:.0e}"
            else:
                refused = _refusal(row.differs, peer.tolerance)
            if refused:
                row.note = refused
                continue
            self.calls[row.who] = make(*(x[0].copy() for x in self.many))
            if way in paths:
                again = difference([np.array(paths[way](*self.few)())], [found])
                assert again < BATCHED, f"{row.who}: batch and calls differ by {again:.0e}"
                self.batches[row.who] = paths[way](*self.many)

    def _answers(self, make: Callable[..., Any]) -> Array:
        return np.array([np.array(make(*state)()) for state in zip(*self.few, strict=True)])

    def run(self, clock: Clock) -> None:
        """Times and ratios into the rows."""
        single = clock.measure(self.calls)
        many = Clock(max(3, clock.rounds // 3), 0.0).measure(self.batches)
        for row in self.rows:
            if row.who in self.calls:
                row.call = single[row.who]
                row.looped = row.who not in self.batches
                count = STATES if row.who == Linkwork.name else DIFFERENT
                row.batch = row.call if row.looped else 1 / count * many[row.who]
            elif row.who == LOOPED:
                row.call = row.batch = 1 / STATES * many[row.who]
        ours = self.rows[0]
        for row in self.rows[1:]:
            if ours.call is None or ours.batch is None or row.call is None or row.batch is None:
                continue
            together = row.who != LOOPED  # which was measured in the rounds of the batches
            row.ratios["call"] = Goal(row.call / ours.call if together else row.call.median / ours.call.median)
            # A loop over calls was measured in other rounds than our batch.
            apart = row.batch.median / ours.batch.median if row.looped else row.batch / ours.batch
            row.ratios["batch"] = Goal(apart)


def _states(quantity: str, q: Array, v: Array, tau: Array, a: Array) -> tuple[Array, Array, Array]:
    return q, v, tau if quantity == "forward" else a


def _refusal(apart: float, tolerance: float) -> str:
    """Why answers do not count, or nothing."""
    return "" if apart <= tolerance else f"not timed: answers differ by {apart:.0e}, more than {tolerance:g}"


# ----------------------------------------------------------------------------------------------------------------- main


def available(loops: Loops) -> list[Peer]:
    """The peers that are installed and take the machine."""
    found: list[Peer] = []
    for module, peer in PEERS.items():
        if importlib.util.find_spec(module) and (loops.planar or peer is not Exudyn):
            found.append(peer(loops))
    return found


def versions() -> dict[str, Any]:
    """The machine and all versions."""
    known = about()
    with contextlib.suppress(metadata.PackageNotFoundError):
        known["versions"]["exudyn"] = metadata.version("exudyn")
    return known


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="short windows: a look")
    parser.add_argument("--build", action="store_true", help="compile Pinocchio's loop in C++ and end")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--only", nargs="+", choices=closed_machines.MACHINES, default=list(closed_machines.MACHINES))
    asked = parser.parse_args()
    if asked.build:
        closed_dynamics.compiled_pinocchio(build=True)
        return
    clock = Clock(3, 0.002) if asked.quick else Clock(15, 0.02)
    known = versions()
    print(", ".join(f"{k}: {v}" for k, v in known.items()))
    for module, peer in PEERS.items():
        if importlib.util.find_spec(module) is None:
            print(f"{peer.name} is not installed and left out")
        elif peer is Pinocchio and closed_dynamics.compiled_pinocchio() is None:
            print("Pinocchio's loop in C++ is not built (--build): its batches are loops of calls from Python")
    print("the judge beside published numbers:")
    literature = published()
    for what, apart in literature.items():
        print(f"  {what:50}{apart:8.0e}")
    rows: list[Row] = []
    with one_core():
        for name in asked.only:
            loops = closed_machines.MACHINES[name]()
            sizes = f"{len(loops.links)} links, {loops.nv} rates of the tree, {len(loops.rows)} loop equations"
            print(f"\n{name}: {sizes}\n{HEAD}", flush=True)
            subject, others = Linkwork(loops), available(loops)
            for quantity in ("forward", "inverse"):
                contest = Contest.of(loops, quantity)
                contest.enter_linkwork(subject)
                for other in others:
                    contest.enter(other)
                contest.run(clock)
                print(f"{quantity} dynamics", *(row.text() for row in contest.rows), sep="\n", flush=True)
                rows += contest.rows
    if asked.json:
        figures = {"about": known, "published": literature, "rows": rows}
        asked.json.write_text(json.dumps(figures, indent=2, default=plain) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
