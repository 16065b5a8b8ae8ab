"""Steady forced vibration of the machine as it is, not linearised: motions that repeat themselves after a period.

Shooting: with z the free independent coordinates and their rates, φ(z) where a simulation over one period ends, the
steady motion is the zero of φ(z) - z. Newton's method takes the derivative Φ = dφ/dz from the simulation, exact. The
eigenvalues of Φ at the solution are Floquet's multipliers: the motion lasts where all lie within the unit circle.
Nayfeh, Balachandran, Applied Nonlinear Dynamics, 1995, ch. 3 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.failures import NoFreedom
from linkwork.analyses.kinematics.motion import reached
from linkwork.analyses.kinematics.preference import preference
from linkwork.errors import InputError, ModelError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.results import Simulation

STRIDES = 30
"""Newton's strides at most."""
HALVINGS = 6
"""How often a stride that leads away is halved."""
CLOSED = 1e-9
"""What may be left between end and start, beside the size of the motion."""
CIRCLE = 1e-6
"""Distance of a multiplier from the unit circle below which it lies on it."""


class NotPeriodic(ModelError):
    """No motion with this period was found from where the search began."""


class Branch(tuple["Periodic", ...]):
    """Periodic motions over a frequency that grows or falls, each found from the one before; `print` shows a table.

    `trouble` tells where the branch was lost, if it was; `crossings` between which frequencies its verdict changes.
    """

    trouble: str = ""

    @property
    def frequencies(self) -> Array:
        """Of all motions [Hz]."""
        return np.array([own.frequency for own in self])

    def amplitudes(self, name: str) -> Array:
        """Of a signal, over the frequencies.

        Parameters
        ----------
        name : of a signal, as of a run
        """
        return np.array([own.amplitude(name) for own in self])

    @property
    def crossings(self) -> list[tuple[float, float]]:
        """Pairs of frequencies [Hz] between which the verdict changes."""
        return [(a.frequency, b.frequency) for a, b in pairwise(self) if a.verdict != b.verdict]

    def __str__(self) -> str:
        lines = [f"{own.frequency:12.6g} Hz  {own.verdict:9}  " + ", ".join(
            f"{n} {own.amplitude(n):.6g}" for n in own.start) for own in self]  # fmt: skip
        return "\n".join([*lines, *([f"  {self.trouble}"] if self.trouble else [])])

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class Periodic:
    """A motion that repeats itself; `print` shows what it is.

    run : one period of it, a simulation
    period : [s]
    multipliers : Floquet's, largest first: by what small deviations along their vectors are multiplied in a period
    verdict : "stable", "unstable", or "neutral" where a multiplier lies on the unit circle and none outside
    residual : largest way between end and start [rad, m, rad/s, m/s]
    start, rates : where the period begins, by free variable
    strides : of Newton's method
    """

    run: Simulation
    period: float
    multipliers: Any
    verdict: str
    residual: float
    start: dict[str, float]
    rates: dict[str, float]
    strides: int

    @property
    def stable(self) -> bool:
        """Whether small deviations die away."""
        return self.verdict == "stable"

    @property
    def frequency(self) -> float:
        """[Hz]"""
        return 1.0 / self.period

    def amplitude(self, name: str) -> float:
        """Half the way between the extremes of a signal of `run`, at its samples.

        Parameters
        ----------
        name : of a signal, as of `run`
        """
        values = self.run.signal(name).values
        return float(0.5 * (np.max(values) - np.min(values)))

    def __str__(self) -> str:
        own = ", ".join(f"{m.real:.4g}{m.imag:+.4g}i" if m.imag else f"{m.real:.4g}" for m in self.multipliers[:6])
        swings = [f"  {name} swings by {self.amplitude(name):.6g}" for name in self.start]
        lines = [f"{self.run.name} repeats itself every {self.period:.6g} s, {self.verdict}", *swings]
        lines.append(f"  multipliers {own}")
        return "\n".join([*lines, f"  end meets start within {self.residual:.0e}, {self.strides} strides"])

    __repr__ = __str__


def periodic_branch(
    machine: Machine, frequencies: Any, start: Any, rates: Any, drives: Any, efforts: Any, samples: int
) -> Branch:
    """See `Machine.periodic_sweep`."""
    f = np.atleast_1d(np.asarray(frequencies, float))
    if f.ndim != 1 or not f.size or not (np.isfinite(f) & (f > 0.0)).all():
        hint = "np.linspace(0.5, 3.0, 26)"
        raise InputError(Problem("frequencies are numbers above zero, in Hz", "frequencies", hint), machine.name)
    found: list[Periodic] = []
    trouble = ""
    for own in f.tolist():
        first, speeds = (start, rates) if not found else (found[-1].start, found[-1].rates)
        if len(found) > 1:  # along the secant
            a, b = found[-2:]
            part = (own - b.frequency) / (b.frequency - a.frequency)
            first = {n: x + part * (x - a.start[n]) for n, x in b.start.items()}
            speeds = {n: x + part * (x - a.rates[n]) for n, x in b.rates.items()}
        moved = drives(own) if callable(drives) else drives
        pushed = efforts(own) if callable(efforts) else efforts
        try:
            found.append(periodic_motion(machine, 1.0 / own, first, speeds, moved, pushed, samples, 1e-10, 1e-12))
        except NotPeriodic as error:
            trouble = f"the branch is lost at {own:.6g} Hz: {error.problems[0].what}"
            if not found:
                raise
            break
    branch = Branch(found)
    branch.trouble = trouble
    return branch


def periodic_motion(
    machine: Machine,
    period: Any,
    start: Mapping[str, Any] | None,
    rates: Mapping[str, Any] | None,
    drives: Mapping[str, Any] | None,
    efforts: Mapping[str, Any] | None,
    samples: int,
    rtol: float,
    atol: float,
) -> Periodic:
    """See `Machine.periodic`."""
    if not (isinstance(period, int | float | np.number) and 0.0 < float(period) < np.inf):
        raise InputError(Problem(f"{period!r} is no period", "period", "give seconds above zero"), machine.name)
    if machine.states:
        text = f"the machine has named states ({', '.join(machine.states)}), whose periodic motion is not searched for"
        raise InputError(Problem(text, "periodic"), machine.name)
    names = free_variables(machine, start, drives)
    asked: dict[str, Any] = {"drives": drives, "efforts": efforts, "rtol": rtol, "atol": atol}
    posture = reached(machine.loops, machine.home, dict(start or {})) if start else machine.home
    given = {machine_name(machine, n.removesuffix(".rate")): x for n, x in (rates or {}).items()}
    z = np.array([float(posture[n]) for n in names] + [float(given.get(n, 0.0)) for n in names])
    left, jacobian = _shot(machine, names, z, float(period), asked)
    for stride in range(STRIDES):
        size = 1.0 + float(np.abs(z).max(initial=0.0))
        step = np.asarray(np.linalg.lstsq(jacobian - np.eye(len(z)), -left, rcond=None)[0], np.float64)
        if np.abs(left).max() <= CLOSED * size and (stride or np.abs(step).max() <= CLOSED * size):
            break
        z, left, jacobian = _damped(machine, names, z, step, left, float(period), asked)
    else:
        text = f"no motion with the period {float(period):.6g} s: {np.abs(left).max():.2g} is left"
        hint = "start nearer to it, or from a motion at a frequency beside it"
        raise NotPeriodic(Problem(text, "period", hint), machine.name)
    values = np.linalg.eigvals(jacobian).astype(complex)
    values = values[np.argsort(-np.abs(values), kind="stable")]
    most = float(np.abs(values).max())
    verdict = "stable" if most < 1.0 - CIRCLE else "unstable" if most > 1.0 + CIRCLE else "neutral"
    n = len(names)
    first, speeds = dict(zip(names, z[:n].tolist(), strict=True)), dict(zip(names, z[n:].tolist(), strict=True))
    run = machine.simulate(float(period), first, speeds, samples=samples, method="explicit", **asked)
    return Periodic(run, float(period), values, verdict, float(np.abs(left).max()), first, speeds, stride)


def _damped(
    machine: Machine, names: list[str], z: Array, step: Array, left: Array, period: float, asked: dict[str, Any]
) -> tuple[Array, Array, Array]:
    """The start after a stride, halved until less is left; after the last half where that does not help."""
    halved = 0
    while True:
        tried, last = z + step * 0.5**halved, halved + 1 == HALVINGS
        halved += 1
        try:
            after, jacobian = _shot(machine, names, tried, period, asked)
        except NotPeriodic:
            if last:
                raise
            continue
        if last or np.linalg.norm(after) < np.linalg.norm(left):
            return tried, after, jacobian


def machine_name(machine: Machine, name: str) -> str:
    """The full name of a variable; the name itself where it stands for none, which a simulation then tells."""
    found = machine.loops.book.find(name, "variable")
    return name if found is None else machine.plan.variables[found.place]


def free_variables(machine: Machine, start: Mapping[str, Any] | None, drives: Mapping[str, Any] | None) -> list[str]:
    """Independent variables that no drive moves, those that `start` names before others."""
    loops = machine.loops
    home = machine.home
    if not home.mobility:
        raise NoFreedom(Problem("mobility zero: nothing vibrates"), machine.name, home)
    full = [machine_name(machine, n) for n in (drives or {})]
    driven = np.isin(np.array(loops.names(np.arange(loops.columns))), full)
    prefer = preference(loops).copy()
    for name in start or {}:
        prefer[np.array(loops.names(np.arange(loops.columns))) == machine_name(machine, name)] += 10
    roles = loops.chosen(home.y, driven, prefer)
    names = list(loops.names([c for c in roles.independent if not driven[c]]))
    strange = [n for n in names if n not in machine.variables]
    if strange:
        text = f"{', '.join(strange)} turns freely, and has no variable that could come back to its start"
        raise InputError(Problem(text, "periodic", "use revolute joints in its place"), machine.name)
    if not names:
        text = "all freedoms are driven: the motion is theirs"
        raise InputError(Problem(text, "drives", "ask `forces` for it"), machine.name)
    return names


def _shot(machine: Machine, names: list[str], z: Array, period: float, asked: dict[str, Any]) -> tuple[Array, Array]:
    """What is left between end and start, and the derivative of the end by the start."""
    n = len(names)
    by = [*(f"start.{name}" for name in names), *(f"rates.{name}" for name in names)]
    start, rates = dict(zip(names, z[:n].tolist(), strict=True)), dict(zip(names, z[n:].tolist(), strict=True))
    run = machine.simulate(period, start, rates, samples=2, method="explicit", sensitive_to=by, **asked)
    if run.status != "complete":
        raise NotPeriodic(Problem(f"the motion ends within the period: {run.message}", "period"), machine.name)
    signals = [*names, *(f"{name}.rate" for name in names)]
    end = np.array([run.signal(s).values[-1] for s in signals])
    jacobian = np.array([[run.sensitivity(s, b).values[-1] for b in by] for s in signals])
    return end - z, jacobian
