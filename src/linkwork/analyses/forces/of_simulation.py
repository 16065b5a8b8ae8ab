"""Forces of a simulation: what drove and pushed it is known already; the reactions of all joints are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.forces.asked import check_asked
from linkwork.analyses.forces.drives import as_names, columns_of
from linkwork.analyses.forces.over_run import effort_names, forces_of
from linkwork.analyses.forces.trajectory import trajectory_of
from linkwork.analyses.kinematics.given_values import place_of
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.errors import InputError, Problem

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.results import Run


def simulation_forces(
    machine: Machine,
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
    """The run with its forces: efforts and forces of stops are those of the simulation, and what is free takes none.

    Free variables stand among the drives, so that their efforts tell how well the equations of motion are met.
    """
    from linkwork.results import extended

    loops = _as_it_moved(machine, run).loops
    path = trajectory_of(loops, run)
    hint = "leave them out: those of the run are taken"
    wrong = [Problem("the run has states of its own", "states", hint)] if states else []
    check_asked(loops, path, drives, efforts, preload, weights, external, contact, also=wrong)
    names = effort_names(loops)
    acting, outside = _acted(loops, run, names)
    loose: list[str] = []
    if drives is None:
        named = list(run.driven)
        driven: Mask = np.isin(np.arange(loops.columns), columns_of(loops, named))
        free = loops.roles(path.y[len(path) // 2], driven).free if loops.count else np.flatnonzero(~driven)
        loose = [names[k] for k in free if names[k] not in acting]
        named += [names[k] for k in free]
    else:
        named = as_names(drives)
    known = {names[k] for k in columns_of(loops, named)}
    given = {n: x for n, x in acting.items() if n not in known} | dict(efforts or {})
    whole = {**outside, **(external or {})} or None
    signals, marks, warnings, _ = forces_of(
        loops, path, named, (), given, preload, weights, whole, threads, times=True, contact=contact
    )
    known = set(run.arrays)
    fresh = {name: signal for name, signal in signals.items() if name not in known}
    return extended(run, fresh, analysis="forces", indeterminate=marks, warnings=warnings, free=loose)


def _as_it_moved(machine: Machine, run: Run) -> Machine:
    """The machine with the numbers that it had in a simulation; InputError if these changed on the way."""
    told = run.evidence.simulation
    if told is None:
        return machine
    if told.changed:
        text = f"{', '.join(told.changed)} changed on the way: loads and masses of the run are not those of one machine"
        hint = "simulate each phase by itself, beginning where the one before it ended"
        raise InputError(Problem(text, hint=hint), run.name)
    moved = {**machine.plan.parameters, **told.numbers}
    other = {n: x for n, x in moved.items() if machine.parameters.get(n) != x}
    return machine.with_parameters(other) if other else machine


def _acted(loops: Loops, run: Run, names: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Efforts by variable and forces on places by name that acted during a simulation."""
    data, told = run.arrays, run.evidence.simulation
    efforts = {n: data[f"{n}.effort"].values for n in names if f"{n}.effort" in data and n not in run.driven}
    outside: dict[str, Any] = {}
    for signal, what in (told.stops if told is not None else {}).items():
        push = data[signal].values
        place, _, axis = what.rpartition(".")
        if not push.any():
            continue
        if place_of(loops, what) is not None:
            name = names[columns_of(loops, [what])[0]]
            efforts[name] = efforts.get(name, 0.0) + push
        elif axis in ("x", "y", "z") and place.isidentifier():
            force = outside.setdefault(place, np.zeros((len(push), 3)))
            force[:, "xyz".index(axis)] += push
        else:
            text = f"a stop limits '{what}'; which forces it exerts on which bodies is not known"
            raise InputError(Problem(text, signal, "limit joint variables, or coordinates of points"), run.name)
    return efforts, outside
