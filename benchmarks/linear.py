"""Rest and small motions: a Stewart platform linearised through its loops, equilibria by the thousand, a chain's modes.

    python benchmarks/linear.py [--quick] [--json FILE]

Answers are compared first. *Stewart platform*: M, D and K of the lengths of its six legs, loops closed, in random
postures and motions; -M⁻¹K and -M⁻¹D are how the accelerations of the legs change. Judged by central differences of our
own forward dynamics along the closed loops, and by those of Pinocchio's `constraintDynamics`. Pinocchio's own way is
`constraintDynamics` and `computeConstraintDynamicsDerivatives`, called from Python on data made before: derivatives of
the tree's accelerations, which are still to be projected on the loops (left out here, in its favour). For constraints
between two bodies these derivatives miss the differences of its own `constraintDynamics`; by how much is told. *Central
differences* are two forward dynamics for each leg's length and rate, with postures closed anew, all postures and
steps in one batch; and the same with a call for each.

*Equilibria*: the spring-loaded four-bar of the tests, 6,000 random postures from which two searches each go out
(`equilibria`), of which more than 10,000 come to rest; and the 12,000 searches alone. *Modes*: a chain of 60 links on
springs, damped and not, beside the eigensolver of LAPACK (`eigh`, `eig` with left vectors) on matrices that are ready.
CPU time of one core, by turns.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import closed_dynamics
import closed_machines
import numpy as np
from closed_machines import Loops
from dynamics import Linkwork
from peers import Array, Task
from scipy import linalg

import linkwork as lw
from kernels import Clock, Timing, about, one_core, plain
from linkwork.analyses.equilibrium.balance import Balance
from linkwork.analyses.equilibrium.search import searched
from linkwork.analyses.linear.coefficients import Coefficients, SetPoint, coefficients, rates_of_independent

POSTURES, STARTS, LINKS, SINGLE = 2000, 6000, 60, 20
STEP = 1e-5
"""Of differences [m, m/s]."""
AGREE = 1e-5
"""Of differences of second order, beside the largest entry."""
PIN = importlib.util.find_spec("pinocchio") is not None


@dataclass(frozen=True)
class Row:
    """One figure: time [us], how many times another, what was to be reached; how far its answer is off."""

    what: str
    time: float
    beside: float | None = None
    target: str = ""
    differs: float | None = None

    def text(self) -> str:
        """A line of the table."""
        beside = "" if self.beside is None else f"{self.beside:8.2f} x"
        differs = "" if self.differs is None else f"{self.differs:.0e}"
        return f"  {self.what:66}{self.time:12,.2f} us {beside:>10}  {differs:>7}  {self.target}"


# ----------------------------------------------------------------------------------------------------- Stewart platform


class Subject:
    """The platform in random postures and motions, with the accelerations that its efforts give it."""

    def __init__(self, loops: Loops, count: int, moving: bool = True) -> None:
        self.loops, self.ours = loops, Linkwork(loops)
        self.machine = self.ours.machine
        self.q, v, self.tau, _ = loops.states(count)
        self.v = v if moving else 0.0 * v
        y, w, effort = self.ours.inputs("forward", self.q, self.v, self.tau)
        own = self.machine.loops
        names = list(own.names(np.arange(own.columns)))
        self.columns = np.array([names.index(name) for name in self.ours.driven])
        self.mask = np.isin(np.arange(own.columns), self.columns)
        order = own.order(y[0], self.mask)
        dw = self.machine.forward_dynamics(y, w, effort, threads=1)
        self.at = SetPoint(own, order, self.columns, y, w, dw, np.zeros((count, 0)), effort, 0.0)
        self.balance = Balance(own, np.zeros(own.columns, bool))
        self.balance.charts.append(self.balance._made(order, self.columns))

    def linear(self) -> Coefficients:
        """All matrices, in one batch."""
        return coefficients(self.at, threads=1)

    def slopes(self, c: Coefficients) -> Array:
        """[-M⁻¹ K, -M⁻¹ D] (samples, n, 2 n): how accelerations change with the legs' lengths and rates."""
        return np.asarray(-np.linalg.solve(c.M, np.concatenate([c.K, c.D], axis=2)))

    def differences(self) -> Array:
        """The same by central differences of forward dynamics, all in one batch."""
        return self._differences(lambda y, w, e: self.machine.forward_dynamics(y, w, e, threads=1))

    def one_by_one(self, count: int = SINGLE) -> Array:
        """The same of the first postures, with a call for each state."""

        def called(y: Array, w: Array, effort: Array) -> Array:
            forward = self.machine.forward_dynamics
            return np.stack([forward(*own) for own in zip(y, w, effort, strict=True)])

        at, kept = self.at, slice(0, count)
        few = replace(at, y=at.y[kept], w=at.w[kept], dw=at.dw[kept], x=at.x[kept], effort=at.effort[kept])
        return self._differences(called, few)

    def _differences(self, forward: Callable[[Array, Array, Array], Array], at: SetPoint | None = None) -> Array:
        at = at or self.at
        own, n, count = at.loops, len(self.columns), len(at.y)
        steps = STEP * np.vstack([np.eye(n), -np.eye(n)])
        scale = own.column_scale[self.columns]
        y = np.repeat(at.y, 2 * n, axis=0)
        moved, closed = self.balance.moved(self.balance.charts[0], y, np.tile(steps / scale, (count, 1)), threads=1)
        assert closed.all()
        given = np.zeros((len(moved), own.columns))
        given[:, self.columns] = np.repeat(at.w[:, self.columns], 2 * n, axis=0)
        rates = own.rates_each(np.vstack([moved, y]), self.mask, [np.vstack([given, self._pushed(at, steps)])])[0]
        effort = np.repeat(at.effort, 2 * n, axis=0)
        found = forward(np.vstack([moved, y]), rates, np.vstack([effort, effort]))[:, self.columns]
        parts = found.reshape(2, count, 2, n, n)
        slopes = (parts[:, :, 0] - parts[:, :, 1]) / (2 * STEP)
        return np.concatenate([np.swapaxes(slopes[0], 1, 2), np.swapaxes(slopes[1], 1, 2)], axis=2)

    def _pushed(self, at: SetPoint, steps: Array) -> Array:
        w = np.zeros((len(at.y) * len(steps), at.loops.columns))
        w[:, self.columns] = np.repeat(at.w[:, self.columns], len(steps), axis=0) + np.tile(steps, (len(at.y), 1))
        return w


class Pinocchio:
    """`constraintDynamics` and its derivatives at one state after the other."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.peer = closed_dynamics.Pinocchio(subject.loops)
        self.pin, self.model = self.peer.pin, self.peer.model
        self.data, (self.models, self.stores) = self.model.createData(), self.peer._closed()
        self.pin.initConstraintDynamics(self.model, self.data, self.models, self.stores)
        self.settings = self.pin.ProximalSettings(*self.peer.settings)
        self.q = subject.q[:, self.peer.order]

    def forward(self, q: Array, k: int, v: Array) -> Array:
        """Accelerations of the tree."""
        tau = self.subject.tau[k]
        found = self.pin.constraintDynamics(self.model, self.data, q, v, tau, self.models, self.stores, self.settings)
        return np.array(found)

    def derivatives(self, count: int) -> None:
        """Both calls, for some states."""
        for k in range(count):
            self.forward(self.q[k], k, self.subject.v[k])
            self.pin.computeConstraintDynamicsDerivatives(
                self.model, self.data, self.models, self.stores, self.settings
            )

    def along_loops(self, k: int, by_differences: bool) -> Array:
        """[∂a/∂ψ, ∂a/∂ψ'] of the legs along the closed loops at a state of rest: derivatives, or differences."""
        n, driven = self.model.nv, self.subject.loops.driven_rates
        q, v, h = self.q[k], self.subject.v[k], 1e-6
        if by_differences:
            moved = [
                [self.forward(self.pin.integrate(self.model, q, s * h * e), k, v) for s in (1, -1)] for e in np.eye(n)
            ]
            pushed = [[self.forward(q, k, v + s * h * e) for s in (1, -1)] for e in np.eye(n)]
            by = [np.stack([(a - b) / (2 * h) for a, b in every], axis=1) for every in (moved, pushed)]
        else:
            self.forward(q, k, v)
            self.pin.computeConstraintDynamicsDerivatives(
                self.model, self.data, self.models, self.stores, self.settings
            )
            by = [np.array(self.data.ddq_dq), np.array(self.data.ddq_dv)]
        at = self.subject.at
        one = replace(at, y=at.y[k], w=at.w[k], dw=at.dw[k], x=at.x[k], effort=at.effort[k])
        S = rates_of_independent(one)[:, :n].T
        return np.hstack([part[driven] @ S for part in by])


def apart(found: Array, wanted: Array) -> float:
    """Largest difference beside the largest entry."""
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def agreement(states: int = 6) -> dict[str, float]:
    """How far the ways are from each other: ours from both differences, Pinocchio's derivatives from its own."""
    loops = closed_machines.stewart()
    subject = Subject(loops, states)
    found = {"ours, from differences of ours": apart(subject.slopes(subject.linear()), subject.differences())}
    if PIN:
        still = Subject(loops, states, moving=False)
        peer, slopes = Pinocchio(still), still.slopes(still.linear())
        wanted = np.stack([peer.along_loops(k, True) for k in range(states)])
        theirs = np.stack([peer.along_loops(k, False) for k in range(states)])
        found["ours, from differences of Pinocchio's"] = apart(slopes, wanted)
        found["Pinocchio's derivatives, from its differences"] = apart(theirs, wanted)
    return found


def stewart(clock: Clock) -> list[Row]:
    """Times a posture."""
    subject = Subject(closed_machines.stewart(), POSTURES)
    run = subject.machine.simulate(0.05, samples=401)
    tasks: dict[str, tuple[Task, int]] = {
        "ours": (subject.linear, POSTURES),
        "along": (partial(subject.machine.linearize_along, run, threads=1), 401),
        "differences": (subject.differences, POSTURES),
        "one by one": (subject.one_by_one, SINGLE),
    }
    if PIN:
        tasks["Pinocchio"] = partial(Pinocchio(subject).derivatives, 200), 200
    times = _measured(clock, tasks)
    ours = times["ours"]
    told = agreement()
    rows = [
        Row("Stewart platform: M, D, K in a batch, a posture", _us(ours), None, "200 us",
            told["ours, from differences of ours"]),
        Row("... linearize_along a simulation, a sample", _us(times["along"])),
        Row("... central differences of our forward dynamics, in a batch", _us(times["differences"]),
            times["differences"] / ours, "50 times"),
        Row("... the same, called state by state", _us(times["one by one"]), times["one by one"] / ours, "50 times"),
    ]  # fmt: skip
    if PIN:
        theirs = times["Pinocchio"]
        off = told["Pinocchio's derivatives, from its differences"]
        rows.append(Row("... Pinocchio: dynamics and derivatives", _us(theirs), theirs / ours, "20 times", off))
    return rows


# ----------------------------------------------------------------------------------------------------------- equilibria


def sprung_four_bar() -> lw.Machine:
    """A four-bar of three heavy bodies with a spring on its crank."""
    m = lw.Mechanism("sprung-four-bar", gravity=(0, -9.81, 0))
    m.body("crank", mass=1.0, com=(0.05, 0.2, 0))
    m.body("coupler", mass=1.0, com=(0.6, 0.6, 0))
    m.body("rocker", mass=1.0, com=(1.05, 0.4, 0))
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
    m.revolute("B", "crank", "coupler", at=(0.1, 0.4, 0), axis="z")
    m.revolute("C", "coupler", "rocker", at=(1.1, 0.8, 0), axis="z")
    m.revolute("D", "ground", "rocker", at=(1, 0, 0), axis="z")
    m.spring("coil", joint="A", stiffness=3.0, free=0.2)
    return m.assemble()


def equilibria(clock: Clock) -> list[Row]:
    """10,000 searches, and what they cost alone."""
    from linkwork.analyses.equilibrium.asked import asked
    from linkwork.analyses.equilibrium.equilibria import _starts

    machine = sprung_four_bar()
    rests = machine.equilibria(starts=STARTS)
    assert sum(rests.found) > 10_000 and max(rest.residual for rest in rests) < 1e-12
    given = asked(machine, None, None, None, "nearest", None, None)
    Y = _starts(Balance(machine.loops, given.held, given.t), given, 2 * STARTS, 1)
    X = np.zeros((len(Y), 0))

    def alone() -> Any:
        return searched(Balance(machine.loops, given.held, given.t), Y, X, given.effort, "stable", ())

    tasks: dict[str, tuple[Task, int]] = {
        "all": (partial(machine.equilibria, starts=STARTS), 1),
        "alone": (alone, 1),
    }
    times = _measured(clock, tasks)
    return [
        Row(f"four-bar: {sum(rests.found):,} equilibria, random postures and all", _us(times["all"]), None, "1 s"),
        Row(f"... {len(Y):,} searches alone", _us(times["alone"]), None, "1 s"),
    ]


# ---------------------------------------------------------------------------------------------------------------- modes


def chain(damping: float) -> lw.Machine:
    """A chain of links on springs, hanging."""
    m = lw.Mechanism("chain", gravity=(0, -9.81, 0))
    before = "ground"
    for k in range(LINKS):
        m.body(f"b{k}", mass=1.0, com=(0, -0.1 * k - 0.05, 0), inertia=(1e-3, 1e-3, 1e-3))
        m.revolute(f"J{k}", before, f"b{k}", at=(0, -0.1 * k, 0), axis="z")
        m.spring(f"s{k}", joint=f"J{k}", stiffness=5.0 + k, damping=damping, free=0.0)
        before = f"b{k}"
    return m.assemble()


def modes(clock: Clock) -> list[Row]:
    """Modes beside the eigensolver."""
    rows = []
    for damping, name in ((0.0, "undamped"), (0.05, "damped")):
        linear = chain(damping).linearize()
        c = linear.matrices
        A = c.A
        solver: Task = partial(linalg.eig, A, left=True, right=True) if damping else partial(linalg.eigh, c.K, c.M)
        found = solver()[0]
        exact = np.sort(np.abs(found.imag[found.imag > 0.0]) if damping else np.sqrt(found)) / (2 * np.pi)
        off = float(np.abs(linear.modes().frequencies / exact - 1.0).max())

        def frequencies(linear: Any = linear) -> Any:
            return linear.modes().frequencies

        def everything(linear: Any = linear) -> Any:
            return linear.modes()[0]

        times = _measured(clock, {"modes": (frequencies, 1), "all": (everything, 1), "solver": (solver, 1)})
        alone = times["solver"]
        rows += [
            Row(f"chain of {LINKS}, {name}: LAPACK alone", _us(alone)),
            Row("... modes", _us(times["modes"]), times["modes"] / alone, "2 times at most", off),
            Row("... with joints and energies of every mode", _us(times["all"]), times["all"] / alone),
        ]
    return rows


# ----------------------------------------------------------------------------------------------------------------- main


def _us(timing: Timing) -> float:
    return timing.median / 1e3


def _measured(clock: Clock, tasks: dict[str, tuple[Task, int]]) -> dict[str, Timing]:
    """Times of one posture, or whole ones."""
    times = clock.measure({name: task for name, (task, _) in tasks.items()})
    return {name: (1.0 / count) * times[name] for name, (_, count) in tasks.items()}


def loci(clock: Clock) -> list[Row]:
    """A sample of a root locus over a stiffness, set up one by one and in a batch; of a Campbell diagram."""
    machine, samples = sprung_four_bar(), 2000
    found = machine.root_locus("coil.stiffness", 3.0, 30.0, samples=21)

    def alone(value: float) -> Any:
        own = machine.with_parameters({"coil.stiffness": value})
        return np.linalg.eigvals(own.linearize(own.equilibrium()).matrices.A)

    off = max(
        float(np.abs(row[:, np.newaxis] - alone(float(x))).min(axis=1).max() / np.abs(row).max())
        for x, row in zip(found.values, found.eigenvalues, strict=True)
    )
    tasks: dict[str, tuple[Task, int]] = {
        "many": (partial(machine.root_locus, "coil.stiffness", 3.0, 30.0, samples=samples), samples),
        "one": (partial(alone, 10.0), 1),
    }
    times = _measured(clock, tasks)
    return [
        Row(f"four-bar: root locus of {samples:,} equilibria, a sample", _us(times["many"]), None, "", off),
        Row("... an equilibrium and its eigenvalues set up alone", _us(times["one"]), times["one"] / times["many"]),
    ]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="short windows: a look")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    asked = parser.parse_args()
    clock = Clock(3, 0.01) if asked.quick else Clock(11, 0.1)
    known = about()
    print(", ".join(f"{k}: {v}" for k, v in known.items()))
    with one_core():
        for what, off in (told := agreement()).items():
            print(f"  {what:66}{off:.0e}")
        assert all(off < AGREE for what, off in told.items() if what.startswith("ours"))
        rows = [row for part in (stewart, equilibria, loci, modes) for row in part(clock)]
    print(f"  {'':66}{'time':>12}    {'':>10}  {'off by':>7}  target")
    print(*(row.text() for row in rows), sep="\n")
    if asked.json:
        figures = {"about": known, "agreement": told, "rows": [asdict(row) for row in rows]}
        asked.json.write_text(json.dumps(figures, indent=2, default=plain) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
