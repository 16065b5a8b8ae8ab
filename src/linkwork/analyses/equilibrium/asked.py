"""What an equilibrium is asked for by name, and everything that is wrong with it, told at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.forces.accelerations import rates_told
from linkwork.analyses.forces.asked import named_numbers
from linkwork.analyses.forces.drives import as_names, columns_of
from linkwork.analyses.forces.finite import one_time
from linkwork.analyses.forces.trajectory import given_states, states_at_start
from linkwork.analyses.kinematics.given_values import given_variables, merged
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.measured_machine import measuring
from linkwork.analyses.kinematics.motion import reached
from linkwork.analyses.kinematics.posture import Posture
from linkwork.equations.load_plans import is_timed
from linkwork.errors import Gathered, InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

KINDS = ("stable", "nearest", "stay")


@dataclass(frozen=True, eq=False)
class Asked:
    """An equilibrium that is asked for.

    loops : of the machine, with coordinates of places that are held as variables of their own
    posture : to start from, what is held at its values; held : rates that do not move
    effort : along all rates; x : named states to start from; t : time of the loads
    rates : of what is held where that moves steadily, along all rates
    """

    loops: Loops
    posture: Posture
    held: Mask
    effort: Array
    x: Array
    t: float
    rates: Array | None = None


def asked(
    machine: Machine,
    hold: Mapping[str, Any] | str | Iterable[str] | None,
    efforts: Mapping[str, Any] | None,
    start: Mapping[str, Any] | Posture | None,
    kind: str,
    states: Mapping[str, Any] | None,
    t: float | None,
    rates: Mapping[str, Any] | None = None,
) -> Asked:
    """Everything that was given, checked; InputError lists all problems."""
    told = Gathered(machine.name)
    steady: dict[int, float] = {}
    with told:
        steady = rates_told(machine.loops, rates or {})
    values: dict[str, Any] = {}
    names: Sequence[str] = ()
    other = machine
    with told:
        if kind not in KINDS:
            hint = "'stable' looks for a posture that lasts, 'nearest' takes what lies nearest, 'stay' asks friction"
            raise InputError(Problem(f"there is no kind '{kind}'", "kind", hint))
    with told:
        if isinstance(hold, Mapping):
            values = merged(hold, {}, machine.name)
        elif hold is not None:
            names = as_names(hold if isinstance(hold, str) else list(hold))
        other = measuring(machine, [*values, *names])
        if values:
            given_variables(other.loops, values, measured=True)
        columns_of(other.loops, names)
    with told:
        if start is not None and not isinstance(start, Posture):
            given_variables(measuring(machine, start).loops, merged(start, {}, machine.name), measured=True)
    effort = np.zeros(other.loops.columns)
    with told:
        for column, number in named_numbers(other.loops, "efforts", efforts, 1).values():
            effort[column] = number.item()
    x = states_at_start(machine.loops, 1)
    with told:
        x = given_states(machine.loops, states, x)
    when = 0.0
    with told:
        when = 0.0 if t is None else one_time(machine.loops, t)
    told.problems += [] if t is not None else timed_problems(machine)
    told.problems += rate_problems(machine, "equilibrium")
    told.tell()
    first = machine.home if start is None else machine._posture(start, {})
    if steady:
        spinning = machine.loops.drivable(list(steady))
        free = [
            name for name, c in zip(machine.loops.names(list(steady)), steady, strict=True) if machine.loops.turning[c]
        ]
        if free:
            text = "it turns freely in space, and has no coordinate that a steady motion could hold"
            raise InputError([Problem(text, f"rates.{name}") for name in free], machine.name)
        known = [found.name for n in [*values, *names] if (found := other.loops.book.find(n, "variable")) is not None]
        values = {**values, **{n: first[n] for n in [*names, *spinning] if n not in known or n in names}}
        names = ()
        along = np.zeros(machine.loops.columns)
        along[list(steady)] = list(steady.values())
        found_at = asked(machine, values, efforts, first, kind, states, t)
        wide = np.zeros(found_at.loops.columns)
        wide[: len(along)] = along
        return replace(found_at, rates=wide)
    if values or names:
        if first is not machine.home:
            other = measuring(machine.starting_from(first), [*values, *names])
        said = values or dict(zip(names, _values(other.home, names), strict=True))
        first = reached(other.loops.of_places, other.home, said, measured=True)
        loops = other.loops
        held: Mask = np.isin(np.arange(loops.columns), np.flatnonzero(first._specified))
        return Asked(loops, Posture(loops, first.y, np.flatnonzero(held).tolist()), held, effort, x, when)
    loops = machine.loops
    return Asked(loops, Posture(loops, first.y), np.zeros(loops.columns, bool), effort, x, when)


def _values(home: Posture, names: Sequence[str]) -> list[float]:
    places = [home.loops.book.find(name, "variable") for name in names]
    return [float(home.y[own.place]) for own in places if own is not None]


def timed_problems(machine: Machine) -> list[Problem]:
    """Loads and named states whose laws depend on time."""
    plan = machine.plan
    timed = [load.name for load in plan.loads if is_timed([load])]
    timed += [own.name for own in plan.states if ("t", 0) in own.law.sources]
    hint = "say at which time it is taken: t=0.0"
    return [Problem("it depends on time, so that nothing need rest", name, hint) for name in timed]


def rate_problems(machine: Machine, question: str) -> list[Problem]:
    """Constraints of rates alone, under which postures depend on the way there."""
    hint = "simulate the machine with some damping until it comes to rest"
    text = f"it restricts rates alone, so that places depend on the way there; {question} cannot count that"
    return [Problem(text, name, hint) for name in machine.loops.of_rates]
