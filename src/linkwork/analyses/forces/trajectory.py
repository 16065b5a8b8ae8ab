"""A motion as plain arrays: the state of every joint at every sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.histories import state_signals
from linkwork.analyses.kinematics.loops import Loops
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.model.states import START
from linkwork.names import no_such

if TYPE_CHECKING:
    from linkwork.results import Run


OPEN = 1e-5
"""Loop error [rad, or parts of the machine's size] from which a run is of another machine."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Times t (samples,), variables y, rates w and their derivatives dw of all joints, named states x (samples, ...).

    x : of a machine without states (samples, 0)
    """

    t: Array
    y: Array
    w: Array
    dw: Array
    x: Array

    def __len__(self) -> int:
        return len(self.t)

    def at(self, rows: NDArray[np.integer]) -> Trajectory:
        """Some samples of it."""
        return Trajectory(*(np.ascontiguousarray(own[rows]) for own in (self.t, self.y, self.w, self.dw, self.x)))

    @property
    def states(self) -> list[Array]:
        """Named states, as the last input of a kernel of a machine that has some."""
        return [self.x] if self.x.shape[1] else []


def check_run(loops: Loops, run: Any) -> None:
    """InputError where something else than a run is given, such as a posture, or a result as plain arrays."""
    from linkwork.results import Run

    if not isinstance(run, Run):
        hint = "give what `motion` or `simulate` of this machine gave; `statics` is for a machine at rest"
        raise InputError(Problem(f"a {type(run).__name__} is not a run", "run", hint), loops.plan.name)


def states_at_start(loops: Loops, samples: int) -> Array:
    """Named states as the model has them at the start, (samples, states)."""
    own = [loops.system.parameters[f"{plan.name}.{START}"] for plan in loops.plan.states]
    return np.tile(np.array(own, float), (samples, 1))


def given_states(loops: Loops, given: Mapping[str, Any] | None, x: Array) -> Array:
    """Named states (samples, states) with others in the place of some, by name: numbers, or one for each sample."""
    names, problems, found = [plan.name for plan in loops.plan.states], list[Problem](), x.copy()
    for name, value in (given or {}).items():
        where = f"states.{name}"
        if name not in names:
            problems.append(no_such("state", name, names, where, none="the machine has no states"))
            continue
        try:
            number = np.asarray(value, float)
        except (TypeError, ValueError):
            number = np.array(np.nan)
        if not np.isfinite(number).all() or number.shape not in ((), (len(x),)):
            wanted = "one finite number is" if len(x) == 1 else f"a number or {len(x)} finite numbers are"
            problems.append(Problem(f"{wanted} wanted", where))
        else:
            found[:, names.index(name)] = number
    if problems:
        raise InputError(problems, loops.plan.name)
    return found


def trajectory_of(loops: Loops, run: Run) -> Trajectory:
    """What all joints did in a run; InputError if it is of another machine or has no accelerations.

    Named states are those of the run; where it has none, as in a motion, those of the start.
    """
    plan, names, data = loops.plan, state_signals(loops), run.arrays
    missing = [n for part in names.values() for n in part if n not in data]
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
    x = states_at_start(loops, len(run))
    for k, state in enumerate(plan.states):
        if f"{state.name}.value" in data:
            x[:, k] = data[f"{state.name}.value"].values
    return Trajectory(run.time, y, w, dw, x)
