"""What the whole model tells about its loads: names that are not there, springs of no length, loads without effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from linkwork.errors import Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.model.amount_values import evaluate
from linkwork.model.amounts import ELONGATION, ELONGATION_RATE, TIME, Amount, Steady, variable_in
from linkwork.model.loading import amounts_of, place_of
from linkwork.model.loads import Direction, Force, Friction, JointLoad, Load, Motor, OnBody, Spring, Torque, Toward
from linkwork.model.mechanism import Mechanism
from linkwork.model.states import is_state_name, state_numbers, state_problems, unknown_state_name
from linkwork.model.variables import find_variable, no_variable
from linkwork.names import no_such
from linkwork.units import ANGLE, LENGTH

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
    return [*problems, *_doubled_motors(m), *state_problems(m)]


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

    def at(self, load: Load | Motor) -> Iterator[Problem]:
        where = place_of(load)
        match load:
            case Spring(variable=None):
                yield from self.between(load, where)
            case Spring() | Friction() | JointLoad() | Motor():
                yield from self.along(str(load.variable), where)
                if isinstance(load, Friction) and load.coefficient:
                    yield from self.lever(load, where)
            case Force():
                yield from self.known_points([load.point], where)
                yield from self.direction(load.along, f"{where}.along")
                owner = self.m.points.get(load.point)
                if owner is not None and owner.body == self.m.ground.name:
                    yield _idle("it acts on ground only", where)
            case Torque():
                yield from self.known_body(load.body, where)
                yield from self.direction(load.about, f"{where}.about")
                if load.body == self.m.ground.name:
                    yield _idle("it acts on ground only", where)
        yield from self.amounts(load, where)
        yield from _nothing(load, where)

    def along(self, variable: str, where: str) -> Iterator[Problem]:
        if find_variable(self.m.joints, variable) is None:
            yield no_variable(self.m.joints, variable, where, self.suggest)

    def lever(self, friction: Friction, where: str) -> Iterator[Problem]:
        found = find_variable(self.m.joints, friction.variable)
        if found is not None and found.quantity == LENGTH and friction.radius != 1.0:
            yield Problem("a slide has no radius", f"{where}.radius", "leave it out")
        if found is not None and found.quantity == ANGLE and friction.radius == 1.0:
            text = "the lever of the friction is 1 m"
            yield Problem(text, where, "give the radius of the pin", severity="warning")

    def between(self, spring: Spring, where: str) -> Iterator[Problem]:
        ends = [str(spring.first), str(spring.second)]
        yield from self.known_points(ends, where)
        if self.apart(ends) is False:
            text = f"a spring of no length: {ends[0]} and {ends[1]} coincide in the layout posture"
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
                yield no_such("point", name, self.m.points if self.suggest else (), where)

    def known_body(self, name: str, where: str) -> Iterator[Problem]:
        if name not in self.m.bodies:
            yield no_such("body", name, self.m.bodies if self.suggest else (), where)

    def near(self, name: str, known: Iterable[str]) -> str:
        return did_you_mean(name, known) if self.suggest else ""

    def amounts(self, load: Load | Motor, where: str) -> Iterator[Problem]:
        """The names that formulas and tables speak of, and their values in the layout posture."""
        for key, amount in amounts_of(load).items():
            if isinstance(amount, Steady):
                continue
            own = (TIME, ELONGATION, ELONGATION_RATE) if isinstance(load, Spring) else (TIME,)
            unknown = [name for name in amount.names if name not in own and not self.is_variable(name)]
            for name in unknown:
                yield self.no_such_name(
                    name if variable_in(name) in self.m.states else variable_in(name), own, f"{where}.{key}"
                )
            if not unknown and not np.isfinite(evaluate(amount, self.values(amount, load))):
                hint = "look for a division by zero or a root"
                yield Problem("it is not finite in the layout posture at rest", f"{where}.{key}", hint, None, "warning")

    def is_variable(self, name: str) -> bool:
        return find_variable(self.m.joints, variable_in(name)) is not None or is_state_name(self.m, name)

    def no_such_name(self, name: str, own: tuple[str, ...], where: str) -> Problem:
        if name in self.m.joints or ("." in name and name.partition(".")[0] not in self.m.states):
            return no_variable(self.m.joints, name, where, self.suggest)
        if self.m.states and (found := unknown_state_name(self.m, name, where)) is not None:
            return found
        return Problem(f"there is nothing called '{name}' to depend on", where, self.near(name, [*own, *self.m.joints]))

    def values(self, amount: Amount, load: Load | Motor) -> dict[str, float]:
        """What an amount depends on, in the layout posture at rest at the time zero."""
        assert not isinstance(amount, Steady)
        numbers = state_numbers(self.m) | {name: state.start for name, state in self.m.states.items()}
        values = {name: numbers.get(name, 0.0) for name in amount.names}
        for name in amount.names:
            found = find_variable(self.m.joints, name)
            if found is not None and found.joint.name in self.q:
                values[name] = float(self.q[found.joint.name][found.index])
        if isinstance(load, Spring):
            values |= {TIME: 0.0, ELONGATION: self.elongation(load), ELONGATION_RATE: 0.0}
        return values

    def elongation(self, spring: Spring) -> float:
        """Elongation of a spring in the layout posture [m, rad]."""
        if spring.free is None:
            return 0.0
        if spring.variable is not None:
            found = find_variable(self.m.joints, spring.variable)
            known = found is not None and found.joint.name in self.q
            return float(self.q[found.joint.name][found.index]) - spring.free if known and found is not None else 0.0
        ends = [self.points.get(str(end)) for end in (spring.first, spring.second)]
        if ends[0] is None or ends[1] is None:
            return 0.0
        return float(np.linalg.norm(ends[0] - ends[1])) - spring.free


def _idle(why: str, where: str) -> Problem:
    return Problem(f"{why}: no effect", where, "leave it out, or name another", severity="warning")


def _nothing(load: Load | Motor, where: str) -> Iterator[Problem]:
    """Loads whose numbers are all zero, and numbers that are not used."""
    match load:
        case Spring(stiffness=0.0, damping=0.0, preload=0.0, law=None):
            yield _idle("it has neither stiffness nor damping, preload or law", where)
        case Friction(forward=0.0, backward=0.0, viscous=0.0, coefficient=0.0):
            yield _idle("its levels are zero", where)
        case Friction(form="smooth", static=static) if static != 1.0:
            hint = "write form: exact, or leave `static` out"
            yield Problem("`static` is not used by smooth friction", where, hint, severity="warning")
