"""Tasks in time: the joints' motion that takes a target along a path, with rates and accelerations, as a run.

Postures by Newton's method on the goals, sample after sample from the one before, so that nothing drifts; rates and
accelerations from the derivatives of the path, exact at each sample (`task_rates`). `correction="none"` integrates the
accelerations alone, as Vukobratović does (q += q̇ Δt + ½ q̈ Δt²), to compare with: it drifts, and tells how far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.failures import CannotReach, ClosureError
from linkwork.analyses.kinematics.histories import joint_histories, place_histories, state_signals
from linkwork.analyses.kinematics.joint_limits import warnings_of_run
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.motion import must_follow_places
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.robots.asked_task import (
    Task,
    at_sample,
    given_rates,
    laws_asked,
    sampled_task,
    times_asked,
)
from linkwork.analyses.robots.goal_kinds import Goal
from linkwork.analyses.robots.many import Reaches, reach_many
from linkwork.analyses.robots.reach import POOR, reach, specified_by
from linkwork.analyses.robots.surplus import least_motion
from linkwork.analyses.robots.task_rates import Rates, task_rates
from linkwork.analyses.robots.task_rows import TaskRows, Wanted
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.results import Run

CORRECTIONS = ("newton", "none")
FAR = 0.2
"""Largest movement of a variable from sample to sample; where there is more, the path is walked more finely."""
FINER = (1, 8, 64)
LATE = 1e-8
"""Change in the last round of surplus freedoms that is told."""
UNMET = 1e-7
"""Rates and accelerations of the task that are missing by more are told."""


def follow(
    loops: Loops,
    home: Posture,
    name: str,
    goals: Sequence[Any],
    orientation: Any,
    hold: str | Sequence[str],
    start: Posture | Mapping[str, Any] | None,
    samples: int | None,
    duration: Any,
    times: Any,
    correction: str,
    limits: bool,
    threads: int | None,
) -> Run:
    """The run of a task in time; see `Machine.follow`."""
    must_follow_places(loops)
    if correction not in CORRECTIONS:
        raise InputError(Problem(f"'{correction}' is no correction", "correction", " or ".join(CORRECTIONS)))
    laws, held = laws_asked(loops, goals, orientation, hold, duration)
    t = times_asked(loops, laws, samples, duration, times)
    task = sampled_task(loops, name, laws, held, t)
    specified = specified_by(loops, task.values, task.held)
    first = _first(loops, home, name, task, start, limits)
    late = ""
    if correction == "none":
        Y, rates, why = _integrated(loops, task, specified, first)
    else:
        Y, why = _postures(loops, name, laws, task, first, limits, threads)
        given = given_rates(loops, task, slice(0, len(Y)))
        rates = task_rates(loops, task.tasks, specified, given, Y)
        if rates.surplus.any():
            Y, rates, late = _least(loops, name, task, specified, Y, given, limits, threads)
    return _run(loops, home, name, task, specified, Y, rates, why, correction, late, threads)


# ---------------------------------------------------------------- postures


def _first(
    loops: Loops, home: Posture, name: str, task: Task, start: Posture | Mapping[str, Any] | None, limits: bool
) -> Posture:
    """The posture at the first sample."""
    return reach(loops, home, name, [at_sample(g, 0) for g in task.goals], hold=task.held, start=start, limits=limits)


def _postures(
    loops: Loops, name: str, laws: Sequence[Goal], task: Task, first: Posture, limits: bool, threads: int | None
) -> tuple[Array, str]:
    """Postures by sample, as many as are reached, and why there are no more."""
    Y, good = np.zeros((0, loops.plan.ny)), 0
    for finer in FINER:
        t = task.times
        nodes = np.concatenate([t[:1], *(np.linspace(a, b, finer + 1)[1:] for a, b in pairwise(t))])
        own = task if finer == 1 else sampled_task(loops, name, laws, task.held, nodes)
        found = _walked(loops, name, own, first, limits, threads)
        steps = np.abs(np.diff(found.variables, axis=0) * loops.variable_scale).max(axis=1, initial=0.0)
        bad = np.concatenate([~found.converged[:1], ~found.converged[1:] | (steps > FAR)])
        good = int(np.argmax(bad)) if bad.any() else len(nodes)
        Y = found.variables[:good:finer] if good else Y
        if not bad.any():
            return Y, ""
    before = found.variables[good - 1] if good else first.y
    return Y, _why(
        loops, name, [at_sample(g, good) for g in own.goals], task.held, Posture(loops, before), limits, nodes[good]
    )


def _walked(loops: Loops, name: str, task: Task, first: Posture, limits: bool, threads: int | None) -> Reaches:
    return reach_many(loops, first, name, task.goals, None, task.held, first, True, 0, limits, 1, threads)


def _why(
    loops: Loops, name: str, goals: list[Goal], held: Sequence[str], before: Posture, limits: bool, at: float
) -> str:
    """Why the path cannot be followed any further, as text."""
    try:
        reach(loops, before, name, goals, hold=held, start=before, limits=limits)
    except CannotReach as error:
        return f"{error.status}: at {at:.6g} s {error.problem.what}"
    except ClosureError as error:
        return f"{error.status}: at {at:.6g} s {error.problem}"
    return f"jump: at {at:.6g} s joints would have to jump to follow, as next to singular postures"


def _least(
    loops: Loops,
    name: str,
    task: Task,
    specified: Mask,
    Y: Array,
    given: tuple[Array, Array],
    limits: bool,
    threads: int | None,
) -> tuple[Array, Rates, str]:
    """Postures of least rates where freedoms are left, their rates, and what is said of them."""
    goals = task.until(len(Y)).goals

    def onto(trial: Array) -> Array:
        home = Posture(loops, trial[0])
        return reach_many(loops, home, name, goals, None, task.held, trial, False, 0, limits, 1, threads).variables

    def rates_of(trial: Array) -> Rates:
        return task_rates(loops, task.tasks, specified, given, trial)

    Y, rates, change = least_motion(loops, task.times[: len(Y)], Y, rates_of, onto)
    text = f"{int(rates.surplus.max())} freedoms are left: joints move at the least rates"
    if change > LATE:
        text += f"; postures and rates agree to {change:.2g} only, more samples would help"
    return Y, rates, text


def _integrated(loops: Loops, task: Task, specified: Mask, first: Posture) -> tuple[Array, Rates, str]:
    """Postures from accelerations alone, constant over each step, as the seed integrates them."""
    t, y = task.times, first.y.copy()
    begin = task_rates(loops, task.tasks, specified, given_rates(loops, task, slice(0, 1)), y[np.newaxis], slice(0, 1))
    w = begin.w[0]
    given = given_rates(loops, task, slice(0, len(t)))
    Y, levels = [], []
    for k in range(len(t)):
        own = slice(k, k + 1)
        found = _accelerations(loops, task, specified, (given[0][own], given[1][own]), y, w, own)
        Y.append(y)
        levels.append(replace(found, w=w[np.newaxis]))
        if k + 1 < len(t):
            step = float(t[k + 1] - t[k])
            y = loops.advanced(y, (w * step + 0.5 * found.dw[0] * step**2) / loops.column_scale)
            w = w + found.dw[0] * step
    return np.array(Y), Rates(*(np.concatenate([getattr(x, n) for x in levels]) for n in Rates.__annotations__)), ""


def _accelerations(
    loops: Loops, task: Task, specified: Mask, given: tuple[Array, Array], y: Array, w: Array, own: slice
) -> Rates:
    """Accelerations at a state whose rates are as they are."""
    return task_rates(loops, task.tasks, specified, given, y[np.newaxis], own, w[np.newaxis])


# ---------------------------------------------------------------- the run


def _run(
    loops: Loops,
    home: Posture,
    name: str,
    task: Task,
    specified: Mask,
    Y: Array,
    rates: Rates,
    why: str,
    correction: str,
    late: str,
    threads: int | None,
) -> Run:
    from linkwork.results import ClosureHistory, build_run

    own, t = loops.whole, task.times
    warnings = [text for s, _ in task.tasks for text in s.warnings] + ([late] if late else [])
    unmet = np.flatnonzero(rates.unmet > UNMET * (1.0 + np.abs(rates.w).max(initial=0.0)))
    if unmet.size:
        text = "rates or accelerations of the task cannot be met: the posture is singular"
        warnings.append(f"{text}; first at {t[unmet[0]]:.6g} s, at {unmet.size} of {len(t)} samples")
    weak = np.flatnonzero(rates.strength < POOR)
    if weak.size:
        k = int(np.argmin(rates.strength))
        warnings.append(f"near a singular posture at {t[k]:.6g} s: a direction of '{name}' hardly moves there")
    if correction == "none":
        warnings.append(_drift(loops, task, Y))
    variables, speeds = joint_histories(own, Y, [rates.w, rates.dw])
    places = place_histories(own, Y, [rates.w, rates.dw], threads)
    independent = Posture(loops, Y[0], np.flatnonzero(specified).tolist()).independent if len(Y) else home.independent
    columns = [loops.plan.variable_rates.index(n) for n in independent]
    law = f"follows the task of '{name}'"
    driven = {n: str(task.values[n]) if n in task.values else law for n in loops.drivable(columns)}
    count = np.zeros(len(Y), np.int64)
    closure = ClosureHistory(
        loops.residual(Y) if loops.count else np.zeros(len(Y)), rates.strength, count + home.mobility, count, unit="1"
    )  # fmt: skip
    return build_run(
        t[: len(Y)], mechanism=loops.plan.name, variables=variables, speeds=speeds, **places,
        closure=closure, driven=driven, status="stopped" if why else "complete", message=why, asked=len(t),
        warnings=[*warnings, *warnings_of_run(own, Y, t)], state=state_signals(own), machine=own.system,
    )  # fmt: skip


def _drift(loops: Loops, task: Task, Y: Array) -> str:
    """How far an integration without correction has drifted, as text."""
    wanted = Wanted(tuple((at_sample(s.goal, len(Y) - 1), target) for s, target in task.tasks), {}, ())
    rows = TaskRows(loops, wanted)
    place_gap, turn_gap = rows.gaps(rows.at(Y[-1])[0])
    parts = [f"{place_gap:.3g} m"] if place_gap is not None else []
    parts += [f"{turn_gap:.3g} rad"] if turn_gap is not None else []
    parts += [f"{float(loops.residual(Y[-1])):.3g} in its loops"] if loops.count else []
    return f"accelerations alone were integrated: in the end it has drifted by {', '.join(parts)}"
