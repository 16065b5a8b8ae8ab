"""What a path of equilibria is asked for by name, and everything that is wrong with it, told at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.equilibrium.asked import Asked, asked
from linkwork.analyses.equilibrium.curve import Over
from linkwork.analyses.equilibrium.equilibrium import Equilibrium, rest_from
from linkwork.analyses.equilibrium.family import Family
from linkwork.analyses.forces.drives import as_names
from linkwork.analyses.forces.over_run import effort_units
from linkwork.analyses.kinematics.given_values import place_of
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.measured_machine import measuring
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.parameter_units import parameter_unit
from linkwork.equations.measures import measured_places
from linkwork.errors import Gathered, InputError, Problem
from linkwork.geometry import Array
from linkwork.model.text_values import in_si
from linkwork.names import nothing_called
from linkwork.units.grammar import unit_of

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

TIME = "t"
EFFORT = ".effort"
LENGTHS = {"N": "m", "N m": "rad", "J": "1"}
"""By unit of an effort, that of its variable."""


@dataclass(frozen=True, eq=False)
class AskedPath:
    """A path that is asked for: the family, what it lies over, and where it begins.

    given : what is asked at every value, without what the path lies over; rest : the first equilibrium
    """

    family: Family
    over: Over
    rest: Equilibrium


def asked_path(
    machine: Machine, over: Any, first: Any, last: Any, balanced_by: Any, samples: Any,
    hold: Mapping[str, Any] | str | Sequence[str] | None, efforts: Mapping[str, Any] | None,
    start: Mapping[str, Any] | Posture | None, kind: str, states: Mapping[str, Any] | None, t: float | None,
) -> AskedPath:  # fmt: skip
    """Everything that was given, checked; InputError lists all problems."""
    told = Gathered(machine.name)
    name = str(over)
    wide = measuring(machine, [name.removesuffix(EFFORT)])
    held = list(hold) if isinstance(hold, Mapping) else as_names(hold) if hold is not None else []
    what = quantity_named(wide.loops, machine, name)
    if what is None:
        told.problems.append(path_problem(machine, name, "over"))
    ends: list[float] = []
    for where, value in (("first", first), ("last", last)):
        with told:
            ends.append(_number(value, what[2] if what else "1", where))
    if len(ends) == 2 and ends[0] == ends[1]:
        told.problems.append(Problem("the path begins where it ends", "last", "give two values that differ"))
    if not isinstance(samples, int | np.integer) or isinstance(samples, bool) or samples < 2:
        told.problems.append(Problem(f"{samples!r} samples", "samples", "give a whole number above one"))
    balance = None
    if balanced_by is not None:
        balance = quantity_named(wide.loops, machine, str(balanced_by))
        if balance is None or balance[0] not in ("parameter", "effort"):
            told.problems.append(path_problem(machine, str(balanced_by), "balanced_by", balanced=True))
        if what is not None and what[0] != "variable":
            text = f"'{name}' is given at every value, so that nothing has to be found that balances it"
            told.problems.append(Problem(text, "balanced_by", "leave it out, or let the path lie over a variable"))
    if what is not None and what[0] == "variable" and _names_it(wide.loops, held, name):
        told.problems.append(
            Problem("the path lies over it, so that it is held already", "hold", f"leave '{name}' out")
        )
    when = ends[0] if what is not None and what[0] == "time" and ends else t
    if what is not None and what[0] == "time" and t is not None:
        told.problems.append(Problem("the path lies over the time", "t", "leave it out"))
    with told:
        asked(machine, hold, efforts, start, kind, states, when)
    told.tell()
    assert what is not None
    if what[0] == "variable":
        return _over_variable(machine, name, ends, balance, balanced_by, hold, efforts, start, kind, states, t)
    return _over_number(machine, name, what, ends, hold, efforts, start, kind, states, when)


def _over_variable(
    machine: Machine, name: str, ends: list[float], balance: Any, balanced_by: Any, hold: Any, efforts: Any,
    start: Any, kind: str, states: Any, t: Any,
) -> AskedPath:  # fmt: skip
    """Over a coordinate: it is held at the first value; its effort, or the number that balances it, moves."""
    values = dict(hold) if isinstance(hold, Mapping) else dict.fromkeys(as_names(hold) if hold is not None else [])
    from_start = machine.home if start is None else machine._posture(start, {})
    values = {n: from_start[n] if x is None else x for n, x in values.items()}
    given = asked(machine, {**values, name: ends[0]}, efforts, start, kind, states, t)
    rest = rest_from(machine, given, kind)
    loops = given.loops
    found = loops.book.find(name, "variable")
    assert found is not None
    column, place = found.column, found.place
    own_unit = LENGTHS[effort_units(loops)[column]]
    over = Over(loops.plan.variables[place], own_unit, ends[0], ends[1], place, column)
    held = given.held.copy()
    held[column] = False
    given = replace(given, held=held)
    places = [
        n for n in [*values, name] if n not in machine.loops.plan.variables and place_of(machine.loops, n) is None
    ]
    if balanced_by is None:
        unit = _usual(rest, loops, column)
        effort, own = f"{over.name}{EFFORT}", effort_units(loops)[column]
        family = Family(machine, given, "effort", effort, own, column, places, unit)
        return AskedPath(family, over, rest)
    own_kind, own_name, own, own_column = balance
    if own_kind == "effort":
        unit = _usual(rest, loops, own_column)
    else:
        value = value_of(machine, own_name)
        unit = abs(value) or 1.0
    return AskedPath(Family(machine, given, own_kind, own_name, own, own_column, places, unit), over, rest)


def _over_number(
    machine: Machine, name: str, what: Any, ends: list[float], hold: Any, efforts: Any, start: Any, kind: str,
    states: Any, t: Any,
) -> AskedPath:  # fmt: skip
    own_kind, own_name, unit, column = what
    own = machine
    if own_kind == "parameter":
        own = machine.with_parameters({own_name: ends[0]})
    base = asked(machine, hold, efforts, start, kind, states, t)
    if own_kind == "effort":
        own_rest = _with_effort(base, column, ends[0])
    else:
        own_rest = asked(own, hold, efforts, start, kind, states, t)
    rest = rest_from(own, own_rest, kind)
    values = list(hold) if isinstance(hold, Mapping) else as_names(hold) if hold is not None else []
    places = [n for n in values if place_of(machine.loops, n) is None and n not in machine.loops.plan.variables]
    family = Family(machine, base, own_kind, own_name, unit, column, places, abs(ends[1] - ends[0]))
    return AskedPath(family, Over(own_name, unit, ends[0], ends[1]), rest)


def _with_effort(base: Asked, column: int, value: float) -> Asked:
    effort = base.effort.copy()
    effort[column] += value
    return replace(base, effort=effort)


def _usual(rest: Equilibrium, loops: Loops, column: int) -> float:
    """What an effort is measured by."""
    return (rest.scale or 1.0) / float(loops.column_scale[column])


def value_of(machine: Machine, name: str) -> float:
    return float(machine.parameters[name] if name in machine.parameters else machine._layouts.lets[name].value)


def quantity_named(loops: Loops, machine: Machine, name: str) -> tuple[str, str, str, int] | None:
    """What a path may lie over, by name: its kind, its full name, its unit, and the rate that it belongs to.

    loops : with coordinates of places among the variables; None is given for a name that stands for nothing of the kind
    """
    if name == TIME:
        return "time", TIME, "s", -1
    found = loops.book.find(name, "variable")
    if found is not None:
        return "variable", found.name, LENGTHS[effort_units(loops)[found.column]], found.column
    if name in machine.parameters or name in machine._layouts.lets:
        return "parameter", name, parameter_unit(machine.loops, name), -1
    if name.endswith(EFFORT):
        found = loops.book.find(name.removesuffix(EFFORT), "variable")
        if found is not None:
            return "effort", f"{found.name}{EFFORT}", effort_units(loops)[found.column], found.column
    return None


def path_problem(machine: Machine, name: str, where: str, balanced: bool = False) -> Problem:
    """The problem of a name over which there is no path, or that could not balance one."""
    loops = machine.loops
    joints = [*loops.book.known("variable")]
    known = [*machine.parameters, *machine._layouts.lets, *(f"{n}{EFFORT}" for n in joints)]
    if not balanced:
        known += [*joints, *(f"{place}.{axis}" for place in measured_places(loops.plan) for axis in "xyz"), TIME]
    found = nothing_called(name, known, where)
    if balanced:
        what = "give a number of the model, 'W.amount', or an effort, 'A.effort'"
    else:
        what = "give a variable, a coordinate of a place, a number of the model, an effort ('A.effort') or 't'"
    return replace(found, hint=f"{found.hint}; {what}" if found.hint else what)


def _names_it(loops: Loops, held: Iterable[str], name: str) -> bool:
    own = loops.book.find(name, "variable")
    others = [loops.book.find(n, "variable") for n in held]
    return own is not None and any(other is not None and other.name == own.name for other in others)


def _number(value: Any, unit: str, where: str) -> float:
    measures = None if unit == "1" else unit_of(unit)[1]
    try:
        number = float(in_si(value, measures, where))
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise InputError(Problem(f"{value!r} is no value", where, "give a finite number, or a text with its unit"))
    return number


def values_of(over: Over, samples: int) -> Array:
    """Evenly spaced values, ends included."""
    found: Array = np.linspace(over.first, over.last, samples)
    return found
