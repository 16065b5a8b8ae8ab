"""Everything that a motion takes, over a run: efforts, reactions, loads, energies, and the balance of power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.forces.asked import check_asked, named_numbers
from linkwork.analyses.forces.contact_drives import pressing_of
from linkwork.analyses.forces.digits import few_digits
from linkwork.analyses.forces.drives import (
    Drives,
    TooFewDrives,
    as_names,
    drives_of,
    own_drives,
    sharing,
    turning_among,
)
from linkwork.analyses.forces.external import external_wrenches
from linkwork.analyses.forces.reactions import LOOKED_AT, Found, forces_along, joints_of
from linkwork.analyses.forces.self_stress import Open, constraints_left_open, left_open, open_names
from linkwork.analyses.forces.tables import beyond_tables
from linkwork.analyses.forces.trajectory import Trajectory, given_states, trajectory_of
from linkwork.analyses.kinematics.failures import DeadCentre
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.equations.closed_forces import load_state, needed_power
from linkwork.errors import Gathered, InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.model.measures import effort_unit
from linkwork.results.open_components import sometimes

if TYPE_CHECKING:
    from linkwork.results import Run

Signals = dict[str, tuple[str, Array]]


def forces_over(
    loops: Loops,
    run: Run,
    drives: Sequence[str] | None,
    efforts: Mapping[str, Any] | None,
    preload: Mapping[str, Any] | None,
    weights: Mapping[str, float] | None,
    external: Mapping[str, Any] | None,
    contact: Mapping[str, Any] | None,
    states: Mapping[str, Any] | None,
    threads: int | None,
) -> Run:
    """The run with the forces that it takes."""
    from linkwork.results import extended

    if run.analysis == "forces":
        raise InputError(Problem("the run has forces already", hint="give the motion that they came from"), run.name)
    path = trajectory_of(loops, run)
    told = Gathered(run.name)
    with told:
        path = replace(path, x=given_states(loops, states, path.x))
    check_asked(loops, path, drives, efforts, preload, weights, external, contact, also=told.problems)
    held: Sequence[str] = run.held
    if drives is None:
        named = own_drives(loops, path.y[0], list(run.driven))
    else:  # what the motion held is held by nothing now, but for turns about themselves that nobody could drive
        named, held = as_names(drives), turning_among(loops, held)
    signals, marks, warnings, _ = forces_of(
        loops, path, named, held, efforts, preload, weights, external, threads, times=True, contact=contact
    )
    return extended(run, signals, analysis="forces", indeterminate=marks, warnings=warnings)


def forces_of(
    loops: Loops,
    path: Trajectory,
    named: Sequence[str],
    held: Sequence[str],
    efforts: Mapping[str, Any] | None,
    preload: Mapping[str, Any] | None,
    weights: Mapping[str, float] | None,
    external: Mapping[str, Any] | None,
    threads: int | None,
    times: bool,
    contact: Mapping[str, Any] | None = None,
) -> tuple[Signals, dict[str, tuple[str, ...]], list[str], Drives]:
    """Signals by name, indeterminate components by joint, what should be known, and the drives."""
    plan = loops.plan
    finite = np.flatnonzero(
        np.isfinite(path.y).all(axis=1) & np.isfinite(path.w).all(axis=1) & np.isfinite(path.dw).all(axis=1)
    )
    part = path.at(finite)
    drives = _drives_along(loops, part.y, named, held)
    for what, values in (("preload", preload), ("contact", contact)):
        _check_lengths(loops, what, values, len(path))
    how = sharing(loops, drives, _at(preload, finite, len(path)), weights, len(part))
    given = _given(loops, drives, efforts, len(path))[finite]
    outside = external_wrenches(loops, external, path)
    joints = joints_of(loops)
    open_ = left_open(loops, part.y, drives.independent)
    marks = open_names(joints, open_)
    acting = None if outside is None else np.ascontiguousarray(outside[finite])
    pressing = pressing_of(loops, part.y, drives, _at(contact, finite, len(path)), joints, marks)
    found = forces_along(loops, drives, part, given, how, acting, threads, pressing)
    if len(found.powerless) == len(part):
        text = f"the drives cannot press on {' and '.join(contact or ())}"
        raise InputError(Problem(text, "contact", "name drives whose efforts reach the contact"), plan.name)
    signals = _signals(loops, part, drives, given, found, outside is not None, threads)
    told: Open = np.asarray(np.isfinite(found.wrenches).all(axis=(1, 2)))
    signals |= _sometimes(loops, open_, told)
    own, undecided = constraint_efforts(loops, part.y, drives.independent, found.multipliers)
    signals |= own
    if len(finite) < len(path):
        signals = {name: (unit, _spread(x, finite, len(path))) for name, (unit, x) in signals.items()}
    return (
        signals,
        {j: c for j, c in open_names(joints, open_[told]).items() if j in loops.system.mechanism.joints},
        [
            *_told(part, found, times),
            *undecided,
            *few_digits(loops, part, drives.independent, ~told, times),
            *beyond_tables(loops, part),
        ],
        drives,
    )


def constraint_efforts(loops: Loops, Y: Array, independent: Mask, multipliers: Array) -> tuple[Signals, list[str]]:
    """Efforts along the model's constraints, not a number where the loops leave them open; and which these are."""
    if not loops.plan.constraints:
        return {}, []
    open_ = constraints_left_open(loops, Y, independent)
    names, m = [constraint.name for constraint in loops.plan.constraints], loops.system.mechanism
    units = [effort_unit(m, m.constraints[name]) for name in names]
    values = np.where(open_, np.nan, multipliers).T
    signals = {f"{name}.effort": (unit, x) for name, unit, x in zip(names, units, values, strict=True)}
    some = [names[k] for k in np.flatnonzero(open_.any(axis=0))]
    text = "others hold what {} holds, so that its effort is statically indeterminate"
    return signals, [text.format(name) for name in some]


def _sometimes(loops: Loops, open_: Open, told: Open) -> Signals:
    """Where components are open that are so at some samples only; samples without forces have no say."""
    joints = joints_of(loops)
    own = [j for j, joint in enumerate(joints) if joint in loops.system.mechanism.joints]
    found = sometimes([joints[j] for j in own], open_[told][:, own])
    rows = np.flatnonzero(told)
    return {name: (unit, np.nan_to_num(_spread(x, rows, len(told)))) for name, (unit, x) in found.items()}


def _check_lengths(loops: Loops, what: str, given: Mapping[str, Any] | None, samples: int) -> None:
    """Values by sample must be as many as there are samples, before some of those are left out."""
    sizes = {name: np.shape(x)[0] for name, x in (given or {}).items() if np.ndim(x) == 1 and what == "preload"}
    wrong = {name: size for name, size in sizes.items() if size != samples}
    if wrong:
        text = "{} numbers are given, one or {} are wanted"
        problems = [Problem(text.format(size, samples), f"{what}.{name}") for name, size in wrong.items()]
        raise InputError(problems, loops.plan.name)


def _drives_along(loops: Loops, Y: Array, named: Sequence[str], held: Sequence[str]) -> Drives:
    """Drives at the middle sample; at another where that one is singular."""
    try:
        return drives_of(loops, Y[len(Y) // 2], named, held)
    except (DeadCentre, TooFewDrives) as singular:  # which has more freedoms than the machine has elsewhere
        for y in Y[np.unique(np.linspace(0, len(Y) - 1, LOOKED_AT).astype(int))]:
            with suppress(DeadCentre, TooFewDrives):
                return drives_of(loops, y, named, held)
        raise singular from None


def _told(path: Trajectory, found: Found, times: bool) -> list[str]:
    why = {"move the machine": found.singular, "press on the contact": found.powerless}
    told = []
    for what, samples in why.items():
        if samples.size:
            first = path.t[samples[0]]
            when = f" at {len(samples)} of {len(path)} samples, first at {first:.6g} s" if times else ""
            told.append(f"singular posture{when}: the drives cannot {what} there, so efforts are not determined")
    return told


def _at(given: Mapping[str, Any] | None, rows: NDArray[np.intp], samples: int) -> Mapping[str, Any] | None:
    """Values by sample, at some samples."""
    if not given or len(rows) == samples:
        return given
    return {n: np.asarray(x)[rows] if np.shape(x)[:1] == (samples,) else x for n, x in given.items()}


def _spread(x: Array, rows: NDArray[np.intp], samples: int) -> Array:
    """Values at some samples as those of all; not a number at the others."""
    whole = np.full((samples, *x.shape[1:]), np.nan)
    whole[rows] = x
    return whole


def _given(loops: Loops, drives: Drives, efforts: Mapping[str, Any] | None, samples: int) -> Array:
    """Efforts that are known beforehand, (samples, nw)."""
    result = np.zeros((samples, loops.columns))
    problems: list[Problem] = []
    for name, (column, number) in named_numbers(loops, "efforts", efforts, samples).items():
        if column in drives.columns:
            hint = "its effort is what is asked for; leave it out, or name other drives"
            problems.append(Problem(f"'{name}' drives", f"efforts.{name}", hint))
        else:
            result[:, column] = number
    if problems:
        raise InputError(problems, loops.plan.name)
    return result


# ---------------------------------------------------------------- signals


def _signals(
    loops: Loops, path: Trajectory, drives: Drives, given: Array, found: Found, outside: bool, threads: int | None
) -> Signals:
    plan, system = loops.plan, loops.system
    signals: Signals = {}
    units, names = effort_units(loops), effort_names(loops)
    for column in drives.columns:
        name = names[column]
        signals[f"{name}.effort"] = (units[column], found.efforts[:, column])
        signals[f"{name}.power"] = ("W", found.efforts[:, column] * path.w[:, column])
    for j, joint in enumerate(joints_of(loops)):
        if joint in system.mechanism.joints:
            signals[f"{joint}.force"] = ("N", found.wrenches[:, j, :3])
            signals[f"{joint}.moment"] = ("N m", found.wrenches[:, j, 3:])
    driving = np.einsum("sk,sk->s", found.efforts + given, path.w)
    when = np.ascontiguousarray(path.t[:, np.newaxis])
    working = np.zeros(len(path))
    if plan.loads:
        kernel = system.bound_kernel(Question(load_state(bool(path.states))))
        magnitudes, powers = kernel(path.y, path.w, when, *path.states, threads=threads)
        working = powers.sum(axis=1)
        for k, load in enumerate(plan.loads):
            if load.signal:
                signals[load.signal] = (load.unit(units), magnitudes[:, k])
                signals[f"{load.name}.power"] = ("W", powers[:, k])
    q, v = np.ascontiguousarray(path.y[:, : plan.nq]), np.ascontiguousarray(path.w[:, : plan.nv])
    for kind in ("kinetic", "potential"):
        kernel = system.kernel(f"{kind}_energy")  # of all joints, where loads act along those outside the tree
        state = [{"q": q, "v": v, "y": path.y, "w": path.w}[name] for name in kernel.input_names]
        signals[f"machine.{kind}_energy"] = ("J", kernel(*state, threads=threads))
    momentum = system.momentum(q, v, threads=threads)
    signals["machine.momentum"] = ("kg m/s", momentum[:, :3])
    signals["machine.angular_momentum"] = ("kg m^2/s", momentum[:, 3:])
    if not outside:  # what acts from outside has a power of its own, which nobody asked for
        needed = system.bound_kernel(Question(needed_power()))(path.y, path.w, path.dw, threads=threads)
        signals["machine.power_balance"] = ("W", driving + working - needed)
    return signals


def effort_names(loops: Loops) -> list[str]:
    """By rate, the variable that an effort along it is named after: F.x of F.vx; a turn in space is S.wx."""
    names = list(loops.plan.variable_rates)
    for slot in loops.plan.slots:
        for k in range(slot.plain):
            names[slot.v.start + k] = f"{slot.owner}.{slot.law.variables[k].name}"
    return names


SPEEDS = {"N": "m/s", "N m": "rad/s", "J": "1/s"}
"""By unit of a force, that of the rate along which it has a power [W]."""


def effort_units(loops: Loops) -> list[str]:
    """By rate, the unit of an effort along it: N for a length, N m for an angle, J for a plain number."""
    units = ["N m"] * loops.columns
    for slot in loops.plan.slots:
        for k in range(slot.plain):
            units[slot.v.start + k] = {"length": "N", "angle": "N m", "number": "J"}[slot.law.variables[k].dimension]
    return units
