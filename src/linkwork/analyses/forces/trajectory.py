"""A motion as plain arrays: the state of every joint at every sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.histories import state_signals
from linkwork.analyses.kinematics.loops import Loops
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.results import Run


OPEN = 1e-5
"""Loop error [rad, or parts of the machine's size] from which a run is of another machine."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Times t (samples,), variables y, rates w and their derivatives dw of all joints (samples, ...)."""

    t: Array
    y: Array
    w: Array
    dw: Array

    def __len__(self) -> int:
        return len(self.t)


def check_run(loops: Loops, run: Any) -> None:
    """InputError where something else than a run is given, such as a posture, or a result as plain arrays."""
    from linkwork.results import Run

    if not isinstance(run, Run):
        hint = "give what `motion` or `simulate` of this machine gave; `statics` is for a machine at rest"
        raise InputError(Problem(f"a {type(run).__name__} is not a run", "run", hint), loops.plan.name)


def trajectory_of(loops: Loops, run: Run) -> Trajectory:
    """What all joints did in a run; InputError if it is of another machine or has no accelerations."""
    plan, names = loops.plan, state_signals(loops)
    missing = [n for part in names.values() for n in part if n not in run.data]
    if missing:
        named = ", ".join(missing[:4]) + (", ..." if len(missing) > 4 else "")
        hint = "give a run that `motion` of this machine gave"
        raise InputError(Problem(f"the run has no {named}", hint=hint), plan.name)
    y, w, dw = (run.columns(part) for part in names.values())
    bad = ~(np.isfinite(y).all(axis=1) & np.isfinite(w).all(axis=1) & np.isfinite(dw).all(axis=1))
    if bad.all():
        raise InputError(Problem("no sample of the run has finite accelerations"), plan.name)
    if loops.count and not (gap := float(np.nanmax(loops.residual(y[~bad])))) < OPEN:
        text = f"the run does not close the loops of this machine: off by {gap:.2g} of its size"
        hint = "give a run of this very machine; with other numbers it moves otherwise"
        raise InputError(Problem(text, hint=hint), plan.name)
    return Trajectory(run.time, y, w, dw)
