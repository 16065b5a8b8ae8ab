"""What a simulation may be differentiated by, and how its start moves with it.

    rod.mass, coil.stiffness, gravity.y      parameters of the machine
    start.A, rates.A, start.i                variables, rates and named states at the start

What the user gave at the start stays as it is, unless it is differentiated by; variables that depend on it follow the
loops:  J δx = -∂e/∂p,  J δw = -∂(J w)/∂(y, p).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.given_values import given_variables, merged, place_of, unknown_variable
from linkwork.analyses.kinematics.loops import Mask
from linkwork.analyses.parameter_units import parameter_unit
from linkwork.analyses.simulation.parameter_kernels import Variation
from linkwork.analyses.simulation.question import Asked
from linkwork.equations import simulation
from linkwork.equations.loop_solver import length_rates
from linkwork.equations.plan import AXES
from linkwork.errors import InputError, ModelError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.model.events import Stop
from linkwork.model.states import START
from linkwork.model.text_values import told_at
from linkwork.names import no_such

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

OPENS = 1e-8
"""Part of what a parameter moves at the loops that may be left open."""
WHERE = "sensitive_to"


@dataclass(frozen=True)
class Direction:
    """Something to differentiate by.

    name : as it was given; parameter : its name, empty of a start
    variable, rate : column of the variable or rate at the start that it is, else -1; state : number of the named state
    unit : SI
    """

    name: str
    unit: str
    parameter: str = ""
    variable: int = -1
    rate: int = -1
    state: int = -1


def directions(asked: Asked, names: Any) -> tuple[Direction, ...]:
    """Directions by name; InputError lists all that stand for nothing, and what else keeps them from being found."""
    given = (names,) if isinstance(names, str) else tuple(names)
    problems: list[Problem] = []
    found: list[Direction] = []
    for name in given:
        one = _direction(asked.machine, name, [d.column for d in asked.driven], problems)
        found += [] if one is None else [one]
    problems += [Problem(f"'{n}' is given twice", WHERE) for n in dict.fromkeys(given) if given.count(n) > 1]
    if asked.method not in ("auto", "explicit"):
        text = f"sensitivities are not carried along by the method '{asked.method}'"
        problems.append(Problem(text, "method", "take method='explicit'"))
    if asked.controller is not None:
        text = "how a controller answers to changes of the state is not known"
        problems.append(Problem(text, "controller", "give its law as a formula in `efforts`"))
    for event in asked.events:
        if not isinstance(event, Stop) and event.actions.from_rest:
            text = f"the impact of the event '{event.name or event}' has no derivative here"
            problems.append(Problem(text, "events", "leave from_rest out"))
    if problems:
        raise InputError(problems, asked.machine.name)
    return tuple(found)


def unknown_directions(machine: Machine, names: Any) -> list[Problem]:
    """Names that stand for nothing to differentiate by, whatever else is asked of a machine."""
    problems: list[Problem] = []
    for name in (names,) if isinstance(names, str) else tuple(names):
        _direction(machine, name, (), problems)
    return problems


def _direction(machine: Machine, name: Any, driven: Sequence[int], problems: list[Problem]) -> Direction | None:
    loops, plan, parameters = machine.loops, machine.loops.plan, machine.parameters
    for k, state in enumerate(plan.states):
        if name in (f"start.{state.name}", f"{state.name}.{START}"):
            return Direction(str(name), state.unit or "1", state=k)
    if isinstance(name, str) and name in machine.mechanism.lets:
        try:
            machine._layouts.named((name,))
            machine._layouts.slopes([name])
        except ModelError as error:
            problems += told_at(error, WHERE)
            return None
        return Direction(name, parameter_unit(loops, name), parameter=name)
    if isinstance(name, str) and name in parameters:
        if name.split(".")[-2] in AXES:
            hint = "differentiate by positions (.at), or turn the frame by a joint"
            problems.append(Problem(f"'{name}' is a part of a rotation, which has to stay one", WHERE, hint))
            return None
        return Direction(name, parameter_unit(loops, name), parameter=name)
    kind, _, variable = str(name).partition(".")
    if kind not in ("start", "rates") or not variable:
        known = [*machine.dimensions, *parameters, *(f"{k}.{v}" for k in ("start", "rates") for v in plan.variables)]
        known += [f"start.{state.name}" for state in plan.states]
        none = "give parameters of the machine, start.A or rates.A"
        problems.append(no_such("parameter, start or rate", name, known, WHERE, none=none))
        return None
    place = place_of(loops, variable)
    rates = list(plan.variable_rates)
    if place is None and (kind == "start" or variable not in rates):
        problems.append(unknown_variable(loops, variable, f"{WHERE}: {name}"))
        return None
    column = place[0].v.start + place[1] if place is not None else rates.index(variable)
    if column in driven:
        problems.append(Problem(f"{name}: '{variable}' follows its drive", WHERE, "leave it out"))
        return None
    if kind == "start":
        assert place is not None
        return Direction(str(name), place[0].law.variables[place[1]].unit, variable=column)
    return Direction(str(name), "m/s" if length_rates(plan)[column] else "rad/s", rate=column)


# ---------------------------------------------------------------- start


def start_directions(asked: Asked, start: Any, rates: Any, ways: Sequence[Direction], variation: Variation) -> Array:
    """How the state at t = 0 moves along each direction, (directions, variables, rates and named states)."""
    loops, plan = asked.loops, asked.loops.plan
    moved = np.zeros((len(ways), plan.nw))
    pushed = np.zeros((len(ways), plan.nw))
    for j, way in enumerate(ways):
        if way.variable >= 0:
            moved[j, way.variable] = 1.0
        if way.rate >= 0:
            pushed[j, way.rate] = 1.0
    states = np.array([[float(way.state == k) for k in range(plan.n_states)] for way in ways])
    states = states.reshape(len(ways), plan.n_states)
    if not loops.count:
        return np.hstack([_flowed(asked, moved), pushed, states])
    driven = [d.column for d in asked.driven]
    held = _columns(asked, start) | set(driven)
    speeds = _rates_given(asked, rates) | set(driven)
    problems = _conflicts(asked, held, speeds, ways)
    if problems:
        raise InputError(problems, plan.name)
    own: Mask = np.isin(np.arange(plan.nw), [*held, *(w.variable for w in ways if w.variable >= 0)])
    J = _jacobian(asked, variation)
    moved += _followed(asked, own, _missed(asked, variation, moved, pushed)[0], J)
    own = np.isin(np.arange(plan.nw), [*speeds, *(w.rate for w in ways if w.rate >= 0)])
    missed = _missed(asked, variation, moved, pushed)[1]
    pushed += _shortest(asked, missed, J) if isinstance(rates, np.ndarray) else _followed(asked, own, missed, J)
    _assert_closed(asked, variation, moved, pushed, ways)
    return np.hstack([_flowed(asked, moved), pushed, states])


def _columns(asked: Asked, start: Any) -> set[int]:
    """Rates of the variables that a start by name gives."""
    if start is None or not isinstance(start, Mapping):
        return set()
    return {int(c) for c in given_variables(asked.loops, merged(start, {}, asked.machine.name)).columns}


def _rates_given(asked: Asked, rates: Any) -> set[int]:
    if not isinstance(rates, Mapping):
        return set()
    names, found = list(asked.loops.plan.variable_rates), set()
    for name in rates:
        place = place_of(asked.loops, name)
        found.add(place[0].v.start + place[1] if place is not None else names.index(name))
    return found


def _conflicts(asked: Asked, held: set[int], speeds: set[int], ways: Sequence[Direction]) -> list[Problem]:
    """Directions that contradict what else was given, because it follows from that through the loops."""
    loops, problems = asked.loops, list[Problem]()
    for taken, chosen in ((held, [(w, w.variable) for w in ways]), (speeds, [(w, w.rate) for w in ways])):
        together = set(taken)
        for way, column in chosen:
            if column < 0 or column in taken:
                continue
            together.add(column)
            if loops.roles(asked.y, np.isin(np.arange(loops.columns), list(together))).conflict:
                others = ", ".join(loops.names(sorted(together - {column}))) or "nothing else"
                text = f"{way.name} cannot be chosen: through the loops it follows from {others}"
                problems.append(Problem(text, WHERE, "differentiate by what the start gives"))
                together.discard(column)
    return problems


def _missed(asked: Asked, variation: Variation, moved: Array, pushed: Array) -> tuple[Array, Array]:
    """What the loops miss in position and velocity along changes of the start and of parameters, scaled."""
    varied = variation(Question(simulation.mismatch()))
    tangent = varied.tangent(("y", "w"), ("e", "de"))
    e, de = tangent(asked.y, asked.w, varied.settled, _flowed(asked, moved), pushed, varied.slopes)
    scale = asked.loops.row_scale
    return e * scale, de * scale


def _jacobian(asked: Asked, variation: Variation) -> Array:
    """J of the loops along the axes in which these miss, scaled: what they miss in velocity at unit rates."""
    varied = variation(Question(simulation.mismatch()))
    units = np.diag(asked.loops.column_scale)
    _, de = varied.kernel(asked.y, units)
    found: Array = (de * asked.loops.row_scale).T
    return found


def _followed(asked: Asked, held: Mask, missed: Array, J: Array) -> Array:
    """Rates of dependent variables that take back what is missed; what is held or free stays."""
    dependent = asked.loops.roles(asked.y, held).dependent
    found = np.zeros((len(missed), asked.loops.columns))
    found[:, dependent] = -np.linalg.lstsq(J[:, dependent], missed.T, rcond=1e-12)[0].T
    scaled: Array = found * asked.loops.column_scale
    return scaled


def _shortest(asked: Asked, missed: Array, J: Array) -> Array:
    """The shortest change of scaled rates that takes back what is missed, as rates in an array are made consistent."""
    found = np.asarray(np.linalg.lstsq(J, missed.T, rcond=1e-10)[0].T, float)
    scaled: Array = -found * asked.loops.column_scale
    return scaled


def _assert_closed(asked: Asked, variation: Variation, moved: Array, pushed: Array, ways: Sequence[Direction]) -> None:
    """InputError for parameters that the loops cannot follow: lengths that only fit as they are."""
    nothing = np.zeros_like(moved)
    alone = _missed(asked, variation, nothing, nothing)
    left = _missed(asked, variation, moved, pushed)
    problems = []
    for j, way in enumerate(ways):
        usual = [max(float(np.abs(part[j]).max(initial=0.0)), 1e-6) for part in alone]
        if any(np.abs(part[j]).max(initial=0.0) > OPENS * own for part, own in zip(left, usual, strict=True)):
            text = f"the loops open when {way.name} changes: no motion of the joints can follow"
            problems.append(Problem(text, WHERE, "take a number that leaves the loops closed, or free a joint"))
    if problems:
        raise InputError(problems, asked.machine.name)


def _flowed(asked: Asked, moved: Array) -> Array:
    """Changes of variables that rates make, N(y) x."""
    plan, y = asked.loops.plan, asked.y
    found = np.zeros((len(moved), plan.ny))
    for slot in plan.slots:
        found[:, slot.q.start : slot.q.start + slot.plain] = moved[:, slot.v.start : slot.v.start + slot.plain]
        if slot.plain < len(slot.law.variables):
            at, turn = slot.q.start + slot.plain, 0.5 * moved[:, slot.v.start + slot.plain : slot.v.stop]
            scalar, vector = y[at], y[at + 1 : at + 4]
            found[:, at] = -turn @ vector
            found[:, at + 1 : at + 4] = scalar * turn + np.cross(vector, turn)
    return found
