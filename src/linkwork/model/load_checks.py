"""What the whole model tells about its loads: names that are not there, springs of no length, loads without effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from linkwork.errors import Problem
from linkwork.geometry import Array
from linkwork.model.amount_values import evaluate
from linkwork.model.amounts import (
    ELONGATION,
    ELONGATION_RATE,
    TIME,
    Amount,
    Formula,
    Steady,
    Tabulated,
    variable_in,
)
from linkwork.model.load_words import place_of
from linkwork.model.loads import Direction, Load, OnBody, Toward
from linkwork.model.loads.load import AlongVariable, BetweenPoints, Much, OnPoint, OnWholeBody
from linkwork.model.mechanism import Mechanism
from linkwork.model.states import is_state_name, state_numbers, state_problems, unknown_state_name
from linkwork.model.variables import find_variable, no_variable
from linkwork.names import no_such, nothing_called

NO_LENGTH = 1e-9
"""Points nearer than this, in parts of the model's size, make no direction."""

ENOUGH = 100  # after so many problems, suggestions are left out: looking for them takes long


def load_problems(m: Mechanism, q: Mapping[str, Array], points: Mapping[str, Array], size: float) -> list[Problem]:
    """Everything that is wrong or doubtful about loads and motors in the layout posture.

    Parameters
    ----------
    m : the mechanism
    q : layout values of the variables, by joint
    points : places of its points in the world [m]
    size : of the model [m]
    """
    problems: list[Problem] = []
    look = _Look(m, q, points, size)
    for load in (*m.loads.values(), *m.motors.values()):
        look.suggest = len(problems) < ENOUGH
        problems += look.at(load)
    return [*state_problems(m), *problems, *_doubled_motors(m)]


def _doubled_motors(m: Mechanism) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for motor in m.motors.values():
        other = first.setdefault(motor.variable, motor.name)
        if other != motor.name:
            text = f"'{other}' and '{motor.name}' both drive {motor.variable}"
            yield Problem(text, place_of(motor), "make one motor of both, or name another joint")


class _Look:
    """Looks at one load after the other."""

    def __init__(self, m: Mechanism, q: Mapping[str, Array], points: Mapping[str, Array], size: float) -> None:
        self.m, self.q, self.points, self.size = m, q, points, size
        self.suggest = True

    def at(self, load: Load) -> Iterator[Problem]:
        where, acts = place_of(load), load.acts
        match acts:
            case AlongVariable(variable):
                yield from self.along(variable, where)
            case BetweenPoints():
                yield from self.between(load, acts, where)
            case OnPoint(point, way):
                yield from self.known_points([point], where)
                yield from self.direction(way, f"{where}.along")
                owner = self.m.points.get(point)
                if owner is not None and owner.body == self.m.ground.name:
                    yield _idle("it acts on ground only", where)
            case OnWholeBody(body, way):
                yield from self.known_body(body, where)
                yield from self.direction(way, f"{where}.about")
                if body == self.m.ground.name:
                    yield _idle("it acts on ground only", where)
        yield from self.amounts(load, where)
        if why := load.idle():
            yield _idle(why, where)
        along = find_variable(self.m.owners, acts.variable) if isinstance(acts, AlongVariable) else None
        for p in load.concerns(along):
            yield Problem(p.what, f"{where}.{p.where}" if p.where else where, p.hint, None, p.severity)

    def along(self, variable: str, where: str) -> Iterator[Problem]:
        if find_variable(self.m.owners, variable) is None:
            yield no_variable(self.m.owners, variable, where, self.suggest)

    def between(self, load: Load, acts: BetweenPoints, where: str) -> Iterator[Problem]:
        ends = [acts.first, acts.second]
        yield from self.known_points(ends, where)
        if self.apart(ends) is False:
            kind = load.sections[0].kind
            text = f"a {kind} of no length: {ends[0]} and {ends[1]} coincide in the layout posture"
            yield Problem(text, where, "its direction is not defined; move a point, or act on a joint")
        bodies = {self.m.points[end].body for end in ends if end in self.m.points}
        if len(bodies) == 1 and all(end in self.m.points for end in ends):
            yield _idle(f"both its points belong to '{bodies.pop()}'", where)

    def direction(self, way: Direction, where: str) -> Iterator[Problem]:
        if isinstance(way, OnBody):
            yield from self.known_body(way.body, where)
        if isinstance(way, Toward):
            ends = [way.start, way.end]
            yield from self.known_points(ends, where)
            if self.apart(ends) is False:
                text = f"it points nowhere: {way.start} and {way.end} coincide in the layout posture"
                yield Problem(text, where, "move one of them, or give a direction")

    def apart(self, ends: list[str]) -> bool | None:
        """Whether two points are apart; None where one is not known, or where both are the same."""
        if not all(end in self.points for end in ends) or ends[0] == ends[1]:
            return None
        return bool(np.linalg.norm(self.points[ends[0]] - self.points[ends[1]]) > NO_LENGTH * self.size)

    def known_points(self, names: Iterable[str], where: str) -> Iterator[Problem]:
        for name in names:
            if name not in self.m.points:
                found = no_such("point", name, self.m.points if self.suggest else (), where)
                if name in self.m.bodies:
                    found = replace(found, hint=f"'{name}' is a body; make a point of it, and name that one")
                yield found

    def known_body(self, name: str, where: str) -> Iterator[Problem]:
        if name not in self.m.bodies:
            yield no_such("body", name, self.m.bodies if self.suggest else (), where)

    def amounts(self, load: Load, where: str) -> Iterator[Problem]:
        """The names that formulas and tables speak of, and their values in the layout posture."""
        for key in load.keys:
            amount: Amount | None = getattr(load, key.key) if isinstance(key, Much) else None
            if amount is None or isinstance(amount, Steady):
                continue
            stretched = isinstance(key, Much) and key.elongation
            own = (TIME, ELONGATION, ELONGATION_RATE) if stretched else (TIME,)
            unknown = [name for name in amount.names if name not in own and not self.is_variable(name)]
            for name in unknown:
                yield self.no_such_name(
                    name if variable_in(name) in self.m.states else variable_in(name), own, f"{where}.{key.key}"
                )
            values = {} if unknown else self.values(amount, load if stretched else None)
            if not unknown and not np.isfinite(evaluate(amount, values)):
                hint = "look for a division by zero or a root"
                yield Problem(
                    "it is not finite in the layout posture at rest", f"{where}.{key.key}", hint, None, "warning"
                )

    def is_variable(self, name: str) -> bool:
        return find_variable(self.m.owners, variable_in(name)) is not None or is_state_name(self.m, name)

    def no_such_name(self, name: str, own: tuple[str, ...], where: str) -> Problem:
        if name in self.m.owners or ("." in name and name.partition(".")[0] not in self.m.states):
            return no_variable(self.m.owners, name, where, self.suggest)
        if self.m.states and (found := unknown_state_name(self.m, name, where)) is not None:
            return found
        return nothing_called(name, [*own, *self.m.owners] if self.suggest else (), where)

    def values(self, amount: Formula | Tabulated, stretched: Load | None) -> dict[str, float]:
        """What an amount depends on, in the layout posture at rest at the time zero.

        stretched : the load whose elongation it may speak of
        """
        numbers = state_numbers(self.m) | {name: state.start for name, state in self.m.states.items()}
        values = {name: numbers.get(name, 0.0) for name in amount.names}
        for name in amount.names:
            found = find_variable(self.m.owners, name)
            if found is not None and found.owner.name in self.q:
                values[name] = float(self.q[found.owner.name][found.index])
        if stretched is not None:
            values |= {TIME: 0.0, ELONGATION: self.elongation(stretched), ELONGATION_RATE: 0.0}
        return values

    def elongation(self, load: Load) -> float:
        """Elongation of what a load acts along in the layout posture [m, rad]."""
        if load.rest is None:
            return 0.0
        if isinstance(load.acts, AlongVariable):
            found = find_variable(self.m.owners, load.acts.variable)
            known = found is not None and found.owner.name in self.q
            return float(self.q[found.owner.name][found.index]) - load.rest if known and found is not None else 0.0
        if not isinstance(load.acts, BetweenPoints):
            return 0.0
        ends = [self.points.get(end) for end in (load.acts.first, load.acts.second)]
        if ends[0] is None or ends[1] is None:
            return 0.0
        return float(np.linalg.norm(ends[0] - ends[1])) - load.rest


def _idle(why: str, where: str) -> Problem:
    return Problem(f"{why}: no effect", where, "leave it out, or name another", severity="warning")
