"""Steady forced vibration of the machine as it is, not linearised: motions that repeat themselves after a period.

Shooting: with z the free independent coordinates and their rates, φ(z) where a simulation over one period ends, the
steady motion is the zero of φ(z) - z. Newton's method takes the derivative Φ = dφ/dz from the simulation, exact. The
eigenvalues of Φ at the solution are Floquet's multipliers: the motion lasts where all lie within the unit circle.
Nayfeh, Balachandran, Applied Nonlinear Dynamics, 1995, ch. 3 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.periodic.shooting import NotPeriodic, Shooting, shooting_of
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.results import Simulation

STRIDES = 30
"""Newton's strides at most."""
HALVINGS = 6
"""How often a stride that leads away is halved."""
HOPELESS = 3
"""Strides in turn of which each would leave more than half, before the search is given up: no start closes."""
CLOSED = 1e-9
"""What may be left between end and start, beside the size of the motion."""
CIRCLE = 1e-6
"""Distance of a multiplier from the unit circle below which it lies on it."""


@dataclass(frozen=True, eq=False)
class Periodic:
    """A motion that repeats itself; `print` shows what it is.

    run : one period of it, a simulation
    period : [s]
    multipliers : Floquet's, largest first: by what small deviations along their vectors are multiplied in a period
    verdict : "stable", "unstable", or "neutral" where a multiplier lies on the unit circle and none outside
    residual : largest way between end and start [rad, m, rad/s, m/s]
    start, rates, states : where the period begins, by free variable and named state
    strides : of Newton's method
    """

    run: Simulation
    period: float
    multipliers: Any
    verdict: str
    residual: float
    start: dict[str, float]
    rates: dict[str, float]
    states: dict[str, float]
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


def periodic_motion(
    machine: Machine,
    period: Any,
    start: Mapping[str, Any] | None,
    rates: Mapping[str, Any] | None,
    states: Mapping[str, Any] | None,
    drives: Mapping[str, Any] | None,
    efforts: Mapping[str, Any] | None,
    samples: int,
    rtol: float,
    atol: float,
) -> Periodic:
    """See `Machine.periodic`."""
    if not (isinstance(period, int | float | np.number) and 0.0 < float(period) < np.inf):
        raise InputError(Problem(f"{period!r} is no period", "period", "give seconds above zero"), machine.name)
    shooting = shooting_of(machine, start, drives, efforts, states, rtol, atol)
    z = shooting.begun(start, rates, states)
    left, slopes = shooting.shot(z, float(period))
    hopeless = 0
    for stride in range(STRIDES):
        size = 1.0 + float(np.abs(z).max(initial=0.0))
        step = np.asarray(np.linalg.lstsq(slopes - np.eye(len(z)), -left, rcond=None)[0], np.float64)
        stays = np.linalg.norm(left + (slopes - np.eye(len(z))) @ step) > 0.5 * np.linalg.norm(left)
        hopeless = hopeless + 1 if stays else 0
        if hopeless == HOPELESS and np.abs(left).max() > CLOSED * size:
            break
        if np.abs(left).max() <= CLOSED * size and (stride or np.abs(step).max() <= CLOSED * size):
            return periodic_of(shooting, z, float(period), left, slopes, samples, stride)
        z, left, slopes = _damped(shooting, z, step, left, float(period))
    text = f"no motion with the period {float(period):.6g} s: {np.abs(left).max():.2g} is left"
    hint = "start nearer to it, or from a motion at a frequency beside it"
    raise NotPeriodic(Problem(text, "period", hint), machine.name)


def periodic_of(
    shooting: Shooting, z: Array, period: float, left: Array, slopes: Array, samples: int, strides: int
) -> Periodic:
    """The motion from a start that closes, with its multipliers."""
    values = np.linalg.eigvals(slopes).astype(complex)
    values = values[np.argsort(-np.abs(values), kind="stable")]
    most = float(np.abs(values).max())
    verdict = "stable" if most < 1.0 - CIRCLE else "unstable" if most > 1.0 + CIRCLE else "neutral"
    run = shooting.run(z, period, samples)
    return Periodic(run, period, values, verdict, float(np.abs(left).max()), *shooting.parts(z), strides)


def _damped(shooting: Shooting, z: Array, step: Array, left: Array, period: float) -> tuple[Array, Array, Array]:
    """The start after a stride, halved until less is left; after the last half where that does not help."""
    halved = 0
    while True:
        tried, last = z + step * 0.5**halved, halved + 1 == HALVINGS
        halved += 1
        try:
            after, slopes = shooting.shot(tried, period)
        except NotPeriodic:
            if last:
                raise
            continue
        if last or np.linalg.norm(after) < np.linalg.norm(left):
            return tried, after, slopes
