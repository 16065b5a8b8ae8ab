"""What a simulation was asked for, checked and turned into numbers, before anything moves."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.forces.accelerations import given_rates, rates_by_name
from linkwork.analyses.forces.drives import columns_of
from linkwork.analyses.kinematics.given_values import given_variables, measured_by, merged, place_of, unknown_variable
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.measured_machine import measuring
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.simulation.idle_events import locks_of_driven, too_late
from linkwork.analyses.simulation.lent_inertia import with_lent_inertia
from linkwork.drives import Drive, as_drive
from linkwork.drives.drive_values import many_turns
from linkwork.equations.simulation import mismatch
from linkwork.errors import InputError, ModelError, Problem
from linkwork.expressions import names_in
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.model.amounts import Formula, Tabulated
from linkwork.model.constraint_checks import jumps_of, kinks_of
from linkwork.model.event_checks import check_events
from linkwork.model.events import At, Event, Stop, When
from linkwork.model.measures import effort_along
from linkwork.model.states import START, unit_dimension
from linkwork.model.text_values import in_si, told_at
from linkwork.names import no_such
from linkwork.units import ANGLE, FREQUENCY, TIME

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.model.mechanism import Mechanism
    from linkwork.numerics.stepping.law_pieces import Pieces
    from linkwork.units import Dimension

SAMPLES = 361
METHODS = ("auto", "explicit", "radau", "exponential", "exponential-static", "variational", "variational-4", "ida")
FIXED = ("variational", "variational-4")
"""Methods with steps of one length."""
FINEST = 1e-15
FEW = 1 << 13
"""Samples up to which what was asked is kept, so that it need not be checked again."""
CONSISTENT = 1e-14
"""Part of the quickest rate by which rates may open the loops and count as consistent."""
MISMATCH = Question(mismatch())
Controller = Callable[[float, Any], Mapping[str, float] | None]


@dataclass(frozen=True, eq=False)
class Driven:
    """A variable that follows a law of time: its name, its places, the law, and its number among all laws."""

    name: str
    column: int
    place: int
    drive: Drive
    law: int


@dataclass(frozen=True, eq=False)
class Asked:
    """A simulation, ready to begin.

    original : the machine as it was asked; machine : with loads for efforts that depend on the state
    y, w, x : the start, of named states too
    efforts : that do not change, by rate; pushed : (column, law) of those that do
    laws : of time, in pieces; controller : called `rate` times a second
    """

    original: Machine
    machine: Machine
    until: float
    times: Array
    y: Array
    w: Array
    driven: tuple[Driven, ...]
    efforts: Array
    pushed: tuple[tuple[int, int], ...]
    laws: tuple[Pieces, ...]
    events: tuple[Event, ...]
    controller: Controller | None
    rate: float
    method: str
    step: float | None
    rtol: float
    atol: float
    warnings: tuple[str, ...]
    x: Array = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def pushing(self) -> list[int]:
        """Columns of efforts that do not change."""
        found: list[int] = self.efforts.nonzero()[0].tolist()
        return found

    @cached_property
    def is_free(self) -> bool:
        """Whether nothing but the machine itself decides what happens: most simulations are free."""
        return not (self.driven or self.pushed or self.events or self.controller or self.pushing or self.corners)

    @cached_property
    def corners(self) -> list[float]:
        """Times before the end at which an integration has to stop: of laws, and of tables over time of loads and
        states, whose slope jumps where a straight line or the table itself ends [s]."""
        plan = self.machine.plan
        amounts = [*(own for load in plan.loads for own in load.amounts), *(state.law for state in plan.states)]
        tables = [own.law for own in amounts if isinstance(own.law, Tabulated) and ("t", 0) in own.sources]
        kinks = {t for own in tables for t in ((own.xs[0], own.xs[-1]) if own.smooth else own.xs)}
        return sorted(t for t in {*(t for law in self.laws for t in law.breaks), *kinks} if 0.0 < t < self.until)

    def tick(self, k: int) -> float:
        """Time of the k-th call of the controller [s], the first being k = 0."""
        return k / self.rate

    @property
    def loops(self) -> Loops:
        """The loops of the machine."""
        return self.machine.loops


@dataclass
class _Reader:
    """Collects problems while it reads."""

    machine: Machine
    problems: list[Problem] = field(default_factory=list)
    laws: list[Pieces] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def number(
        self,
        value: Any,
        where: str,
        hint: str,
        low: float = 0.0,
        open_: bool = True,
        measures: Dimension | None = None,
    ) -> float:
        try:
            found = float(value if measures is None else in_si(value, measures, where))
        except ModelError as error:
            self.problems += error.problems
            return np.nan
        except (TypeError, ValueError):
            found = np.nan
        if isinstance(value, bool) or not np.isfinite(found) or found < low or (open_ and found == low):
            self.problems.append(Problem(f"{value!r} will not do", where, hint))
            return np.nan
        return found

    def take(self, error: ModelError, where: str = "") -> None:
        self.problems += [Problem(p.what, p.where or where, p.hint) for p in error.problems]

    def named(self, given: Any, where: str) -> dict[str, Any]:
        """Values by name; nothing where they are not given so."""
        try:
            return merged(given, {}, self.machine.name)
        except ModelError as error:
            self.take(error, where)
            return {}


def asked(
    machine: Machine,
    until: Any,
    start: Any,
    rates: Any,
    drives: Mapping[str, Any] | None,
    efforts: Mapping[str, Any] | None,
    events: Any,
    controller: Any,
    rate: Any,
    samples: Any,
    times: Any,
    method: str,
    step: Any,
    rtol: Any,
    atol: Any,
    states: Mapping[str, Any] | Array | None = None,
    also: Sequence[Problem] = (),
) -> Asked:
    """Everything checked at once; InputError lists all that is wrong, with what else was found before."""
    read = _Reader(machine, [*also])
    nothing = drives is efforts is controller is rate is states is None and events == () and not also
    evenly = "evenly" if times is None else "at times"
    key = _plain_key(until, samples, evenly, method, step, rtol, atol) if nothing else None
    if key in machine.loops.problems:
        return _asked_again(read, machine.loops.problems[key], start, rates, samples, times)
    wanted, pushing = read.named(drives, "drives"), read.named(efforts, "efforts")
    read.machine = measuring(machine, wanted)
    end = read.number(until, "until", "give a positive number of seconds", measures=TIME)
    when = _times(read, end, samples, times)
    if method not in METHODS:
        read.problems.append(no_such("method", method, METHODS, "method"))
    length = None if step is None else read.number(step, "step", "give a positive number of seconds", measures=TIME)
    if method in FIXED and step is None:
        read.problems.append(Problem(f"'{method}' takes steps of one length", "step", "say step=1e-3, for example"))
    relative = read.number(rtol, "rtol", "give a small positive number, such as 1e-7", FINEST)
    absolute = read.number(atol, "atol", "give a small positive number, such as 1e-9", 0.0)
    happening = _events(read, events)
    often = _controlled(read, controller, rate)
    pushed: list[tuple[int, int]] = []
    prepared, acting, pushing = machine, np.zeros(read.machine.plan.nw), merged(efforts, {}, machine.name)
    if np.isfinite(end):
        prepared, acting, pushed = _efforts(read, machine, pushing, end)
    driven = _drives(read, wanted, end) if np.isfinite(end) else []
    read.problems += locks_of_driven(read.machine.loops, happening, [d.name for d in driven])
    x = _states(read, states)
    read.problems += _rough_constraints(machine)
    _check_pushed(read, driven, pushing)
    _check_start(read, start, rates)
    if not machine.plan.nw:
        hint = "join its bodies so that some can move"
        read.problems.append(Problem("nothing in this machine can move", hint=hint))
    if read.problems:
        raise InputError(read.problems, machine.name)
    prepared = with_lent_inertia(measuring(prepared, wanted), [d.column for d in driven])
    y, w, told = _start(prepared, start, rates, driven)
    found = Asked(
        machine, prepared, end, when, y, w, tuple(driven), acting, tuple(pushed), tuple(read.laws), happening,
        controller, often, method, length, relative, absolute, (*told, *read.warnings, *too_late(happening, end)), x,
    )  # fmt: skip
    if key is not None and found.is_free and not x.size and when.size < FEW:
        machine.loops.keep(key, found)
    return found


def _plain_key(*given: Any) -> tuple[Any, ...] | None:
    """Tells what was asked, where that is plain numbers and texts; None where it is not."""
    plain = all(x is None or type(x) in (int, float, str) for x in given)
    return ("asked", *given, *map(type, given)) if plain else None


def _asked_again(read: _Reader, before: Asked, start: Any, rates: Any, samples: Any, times: Any) -> Asked:
    """The same as before, from another start: only that, and times in an array, are to be looked at."""
    machine = read.machine
    when = before.times.copy() if times is None else _times(read, before.until, samples, times)
    _check_start(read, start, rates)
    if read.problems:
        raise InputError(read.problems, machine.name)
    y, w, told = _start(machine, start, rates, ())
    found = object.__new__(Asked)
    own = {"original": machine, "machine": machine, "times": when, "y": y, "w": w, "warnings": tuple(told)}
    found.__dict__.update(before.__dict__, **own)
    return found


def _times(read: _Reader, end: float, samples: Any, times: Any) -> Array:
    if times is None:
        count = SAMPLES if samples is None else samples
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 2:
            read.problems.append(Problem(f"{samples!r} samples", "samples", "give a whole number, at least 2"))
            count = 2
        return _even(end if math.isfinite(end) else 1.0, int(count)).copy()
    if samples is not None:
        read.problems.append(Problem("`times` stands instead of `samples`", "times"))
    try:
        found = np.atleast_1d(np.asarray(in_si(times, TIME, "times"), float))
    except ModelError as error:
        read.take(error, "times")
        return np.zeros(1)
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if found.ndim != 1 or not found.size or not np.isfinite(found).all():
        read.problems.append(Problem("times are finite numbers, at least one", "times"))
        return np.zeros(1)
    first, last = float(found[0]), float(found[-1])
    if (found[1:] < found[:-1]).any():
        k = int((found[1:] < found[:-1]).argmax())
        text = f"the times are out of order: {found[k + 1]:g} s comes after {found[k]:g} s"
        read.problems.append(Problem(text, "times", "sort them"))
        first, last = float(found.min()), float(found.max())
    if first < 0.0 or (math.isfinite(end) and last > end):
        text = f"times from {first:g} to {last:g} s do not lie within 0 and {end:g} s"
        read.problems.append(Problem(text, "times", "change `until`, or leave those times out"))
    return np.ascontiguousarray(found)


@lru_cache(maxsize=16)
def _even(end: float, count: int) -> Array:
    return np.linspace(0.0, end, count)


def _events(read: _Reader, events: Any) -> tuple[Event, ...]:
    given = () if events is None else (events,) if isinstance(events, Stop | When | At | str | bytes) else tuple(events)
    if not given:
        return ()
    found = check_events(read.machine.mechanism, given, tuple(read.machine.parameters))
    read.problems += [p for p in found if p.severity == "error"]
    read.warnings += [str(p) for p in found if p.severity == "warning"]
    return given


def _states(read: _Reader, given: Mapping[str, Any] | Array | None) -> Array:
    """Named states at t = 0: those given, the others as the model has them."""
    names = list(read.machine.states)
    if given is None and not names:
        return np.zeros(0)
    numbers = read.machine.parameters
    x = np.array([numbers[f"{name}.{START}"] for name in names], float)
    if isinstance(given, np.ndarray) or _is_numbers(given):
        every = np.asarray(given, float)
        if every.shape != x.shape or not np.isfinite(every).all():
            text = f"states as an array are {len(names)} finite numbers: {', '.join(names)}"
            read.problems.append(Problem(text, "states", "or give them by name"))
            return x
        return every.copy()
    for name, value in read.named(given, "states").items():
        where = f"states.{name}"
        if name not in names:
            read.problems.append(no_such("state", name, names, where, none="the machine has no states"))
            continue
        try:
            own = read.machine.mechanism.states[name]
            found = float(in_si(value, unit_dimension(own.unit, ""), where))
        except ModelError as error:
            read.problems += error.problems
            continue
        except (TypeError, ValueError):
            found = np.nan
        if not np.isfinite(found):
            read.problems.append(Problem("one finite number is wanted", where))
        x[names.index(name)] = found
    return x


def _rough_constraints(machine: Machine) -> list[Problem]:
    """Couplings and constraints with kinks, or, with the numbers that the machine has now, jumps."""
    problems: list[Problem] = []
    for own in machine.mechanism.constraints.values():
        numbers = {name: machine.parameters[f"{own.name}.{name}"] for name in own.parameters}
        problems += [*jumps_of(own, numbers), *kinks_of(own, numbers)]
    return problems


def _check_start(read: _Reader, start: Any, rates: Any) -> None:
    """Names and numbers of the start; whether the loops close there is seen when everything else is right."""
    for kind, given, check in (("start", start, given_variables), ("rates", rates, given_rates)):
        if isinstance(given, np.ndarray | Posture) or _is_numbers(given):
            continue
        values = read.named(given, kind)
        try:
            check(measuring(read.machine, values).loops, values)
        except ModelError as error:
            read.problems += [replace(p, where=f"{kind}.{p.where}" if p.where else kind) for p in error.problems]


def _controlled(read: _Reader, controller: Any, rate: Any) -> float:
    if controller is None:
        if rate is not None:
            read.problems.append(Problem("a rate without a controller", "rate", "give controller=, too"))
        return 0.0
    if not callable(controller):
        text = f"the controller is of type {type(controller).__name__}"
        read.problems.append(Problem(text, "controller", "give a function (t, state) -> {'A': torque}"))
    if rate is None:
        hint = "say how often it is called [Hz], such as rate=1000"
        read.problems.append(Problem("a controller without a rate", "rate", hint))
        return 0.0
    return read.number(rate, "rate", "give a positive number of calls a second [Hz]", measures=FREQUENCY)


def _drives(read: _Reader, given: Mapping[str, Any], end: float) -> list[Driven]:
    from linkwork.numerics.stepping.law_pieces import piecewise

    loops = read.machine.loops
    driven: list[Driven] = []
    for name, law in given.items():
        found = place_of(loops, name)
        if found is None:
            read.problems.append(unknown_variable(loops, name, f"drives.{name}", measured=True))
            continue
        slot, k = found
        try:
            measures = slot.law.variables[k].quantity
            drive = as_drive(law, f"drives.{name}", measures)
            if measures == ANGLE and (text := many_turns(law, drive)):
                read.warnings.append(f"{name} {text}")
            pieces = piecewise(drive, end, f"drives.{name}")
        except ModelError as error:
            read.take(error, f"drives.{name}")
            continue
        if any(d.column == slot.v.start + k for d in driven):
            read.problems.append(Problem(f"'{name}' is driven twice", f"drives.{name}"))
            continue
        variable = loops.plan.variables[slot.q.start + k]
        driven.append(Driven(variable, slot.v.start + k, slot.q.start + k, drive, len(read.laws)))
        read.laws.append(pieces)
    return driven


def _check_pushed(read: _Reader, driven: Sequence[Driven], efforts: Mapping[str, Any]) -> None:
    """An effort along a variable that follows a law would change nothing but what its drive takes."""
    loops, taken = read.machine.loops, {d.name for d in driven}
    for name in efforts:
        place = place_of(loops, name)
        if place is not None and _full(loops, place) in taken:
            hint = "leave it out: the drive takes what is needed, and its effort comes out"
            read.problems.append(Problem(f"'{name}' follows a law already", f"efforts.{name}", hint))


def _efforts(
    read: _Reader, machine: Machine, given: Mapping[str, Any], end: float
) -> tuple[Machine, Array, list[tuple[int, int]]]:
    """Numbers act as they are, laws of time in pieces; what depends on the state becomes a load of the machine."""
    from linkwork.numerics.stepping.law_pieces import piecewise_values

    loops = read.machine.loops
    acting = np.zeros(loops.columns)
    pushed: list[tuple[int, int]] = []
    loads: dict[str, Any] = {}
    for name, value in given.items():
        where, found = f"efforts.{name}", place_of(loops, name)
        if found is None:
            read.problems.append(unknown_variable(loops, name, where))
            continue
        column = found[0].v.start + found[1]
        if isinstance(value, str):
            try:
                value = _effort(machine.mechanism, value, effort_along(measured_by(loops, column)))
            except ModelError as error:
                read.problems += told_at(error, where)
                continue
        if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
            if not np.isfinite(value):
                read.problems.append(Problem("one finite number is wanted", where))
            acting[column] += float(value)
            continue
        try:
            if _of_state(value):
                loads[loops.plan.variables[found[0].q.start + found[1]]] = value
                continue
            read.laws.append(piecewise_values(value, end, where))
            pushed.append((column, len(read.laws) - 1))
        except ModelError as error:
            read.take(error, where)
    if not loads:
        return machine, acting, pushed
    try:
        return _loaded(machine, loads), acting, pushed
    except ModelError as error:  # of the loads that stand for efforts
        named = {f"loads.{_load_name(variable)}": f"efforts.{variable}" for variable in loads}
        told = [named.get(".".join(p.where.split(".")[:2]), p.where or "efforts") for p in error.problems]
        read.problems += [Problem(p.what, where, p.hint) for p, where in zip(error.problems, told, strict=True)]
        return machine, acting, pushed


def _effort(m: Mechanism, text: str, dimension: Dimension) -> Any:
    """The effort of a text: arithmetic where it is such, as of loads; else a value with a unit, or a law of time."""
    from linkwork.model.effort_texts import read_effort

    try:
        if names_in(text):
            return text
    except ModelError:  # no arithmetic, then
        pass
    return read_effort(m, text, dimension)


def _of_state(value: Any) -> bool:
    """Whether an effort depends on more than time."""
    if isinstance(value, str):
        return any(name != "t" for name in names_in(value))
    if isinstance(value, Formula | Tabulated):
        return any(name != "t" for name in value.names)
    return False


def _loaded(machine: Machine, loads: Mapping[str, Any]) -> Machine:
    """The same machine with loads along variables."""
    from linkwork.analyses.machine import remade

    mechanism = copy.copy(machine.mechanism)
    mechanism.loads = dict(mechanism.loads)
    for variable, amount in loads.items():
        name = _load_name(variable)
        while name in mechanism.loads:
            name += "_"
        mechanism.load(name, variable, amount=amount)
    return remade(mechanism, *machine._choice, machine._overrides, machine.home.y, machine.home.name)


def _load_name(variable: str) -> str:
    """The load that stands for an effort along a variable."""
    return f"effort_{variable.replace('.', '_')}"


# ---------------------------------------------------------------- start


def _start(machine: Machine, start: Any, rates: Any, driven: Sequence[Driven]) -> tuple[Array, Array, list[str]]:
    """Variables and rates of all joints at t = 0, loops closed, and what should be known of it."""
    loops, told = machine.loops, list[str]()
    start, rates = (np.asarray(x, float) if _is_numbers(x) else x for x in (start, rates))
    if not driven and isinstance(start, np.ndarray) and isinstance(rates, np.ndarray) and loops.count:
        closed = _closed_already(loops, start, rates)
        if closed is not None:
            return *closed, told
    values = {d.name: float(d.drive.sample(0.0)[0]) for d in driven}
    if isinstance(start, np.ndarray):
        posture, gap = _projected(machine, start)
        if gap > loops.tolerance:
            told.append(f"the start missed the loops by {gap:.3g} (parts of the machine's size, rad); it was closed")
        if values:
            posture = machine.starting_from(posture).at(values)
    elif isinstance(start, Posture):
        posture = machine._posture(start, {})
        posture = machine.starting_from(posture).at(values) if values else posture
    else:
        wanted = merged(start, {}, machine.name)
        for name in [n for n in wanted if (p := place_of(loops, n)) and _full(loops, p) in values]:
            full = _full(loops, place_of(loops, name))
            if abs(float(wanted[name]) - values[full]) > 1e-9:
                text = f"starts at {float(wanted[name]):g}, but its law begins at {values[full]:g}"
                raise InputError(Problem(text, f"start.{name}", "leave it out: the law tells"), machine.name)
            del wanted[name]
        wanted |= values
        posture = machine.at(wanted) if wanted else machine.home
    pace = {d.name: float(d.drive.sample(0.0)[1]) for d in driven}
    if isinstance(rates, np.ndarray):
        return posture.y.copy(), _consistent(loops, posture, rates, pace, told), told
    speeds = dict(merged(rates, {}, machine.name))
    for name in [n for n in speeds if (p := place_of(loops, n)) and _full(loops, p) in pace]:
        own, lawful = float(speeds.pop(name)), pace[_full(loops, place_of(loops, name))]
        if abs(own - lawful) > 1e-9 * max(1.0, abs(lawful)):
            text = f"starts with a rate of {own:g}, but its law begins with {lawful:g}"
            raise InputError(Problem(text, f"rates.{name}", "leave it out: the law tells"), machine.name)
    return posture.y.copy(), rates_by_name(loops, posture, {**speeds, **pace}), told


def _closed_already(loops: Loops, start: Array, rates: Array) -> tuple[Array, Array] | None:
    """A start and its rates where they are closed as they are; None where something is to be mended or told."""
    if start.shape != (loops.plan.ny,) or rates.shape != (loops.columns,):
        return None
    y, w = np.array(start, float), np.array(rates, float)
    if not _are_of_length_one(y, loops.quaternions):
        return None
    open_, opened = loops.system.bound_kernel(MISMATCH)(y, w)
    gap, pace = np.abs(open_ * loops.row_scale).max(), np.abs(opened * loops.row_scale).max()
    quickest = np.abs(w / loops.column_scale).max()
    return (y, w) if gap <= loops.tolerance and pace <= CONSISTENT * quickest < np.inf else None


def _is_numbers(given: Any) -> bool:
    """Whether all variables, or rates, are given one after the other."""
    return isinstance(given, list | tuple) and all(isinstance(x, (int, float, np.number)) for x in given)


def _full(loops: Loops, place: Any) -> str:
    slot, k = place
    return str(loops.plan.variables[slot.q.start + k])


def _projected(machine: Machine, start: Array) -> tuple[Posture, float]:
    """The closed posture next to given variables of all joints, and how far they were from closed."""
    loops = machine.loops
    if start.shape != (loops.plan.ny,) or not np.isfinite(start).all():
        names = ", ".join(loops.plan.variables[:6]) + (", ..." if loops.plan.ny > 6 else "")
        text = f"a start as an array has {loops.plan.ny} finite numbers: {names}"
        raise InputError(Problem(text, "start", "or give values by name"), machine.name)
    gap = float(loops.residual(start)) if loops.count else 0.0
    if gap > 0.05:
        hint = "give independent variables by name, and the others follow"
        text = f"the start misses the loops by {gap:.3g} (parts of the machine's size, rad)"
        raise InputError(Problem(text, "start", hint), machine.name)
    rough = Posture(loops, np.array(start, float))
    if gap <= loops.tolerance and _are_of_length_one(rough.y, loops.quaternions):
        return rough, gap
    return machine.starting_from(rough).home, gap


def _are_of_length_one(y: Array, quaternions: Sequence[int]) -> bool:
    """Whether quaternions are, by the places of their first numbers."""
    return all(abs(math.sqrt(y[q : q + 4] @ y[q : q + 4]) - 1.0) < 1e-14 for q in quaternions)


def _consistent(loops: Loops, posture: Posture, rates: Array, pace: Mapping[str, float], told: list[str]) -> Array:
    """Rates of all joints that keep the loops closed, next to given ones; driven variables have those of their laws."""
    w = np.array(rates, float)
    if w.shape != (loops.columns,) or not np.isfinite(w).all():
        text = f"rates as an array are {loops.columns} finite numbers"
        raise InputError(Problem(text, "rates", "or give rates by name"), loops.plan.name)
    driven = columns_of(loops, list(pace))
    lawful = np.array(list(pace.values()))
    if len(driven) and np.abs(w[driven] - lawful).max() > 1e-9 * max(1.0, np.abs(lawful).max()):
        names = ", ".join(pace)
        hint = "give those of the laws, or rates of the others by name"
        raise InputError(Problem(f"the rates of {names} are not those of their laws", "rates", hint), loops.plan.name)
    w[driven] = lawful
    if not loops.count:
        return w
    scaled = w / loops.column_scale
    opened = loops.system.bound_kernel(MISMATCH)(posture.y, w)[1] * loops.row_scale
    size, largest = float(np.abs(opened).max(initial=0.0)), float(np.abs(scaled).max(initial=0.0))
    if size <= CONSISTENT * largest:
        return w.copy()
    if size > 0.05 * max(largest, 1e-12):
        text = f"the rates open the loops at {size:.3g} (parts of the machine's size, rad, a second)"
        raise InputError(Problem(text, "rates", "give those of independent variables by name"), loops.plan.name)
    if size > 1e-9 * max(largest, 1e-12):
        told.append(f"the rates opened the loops at {size:.3g} a second; they were made consistent")
    J = loops.equations(posture.y)[1]
    moved = J @ scaled
    J[:, driven] = 0.0  # which stay as they are
    fixed: Array = (scaled - np.linalg.lstsq(J, moved, rcond=1e-10)[0]) * loops.column_scale
    return fixed
