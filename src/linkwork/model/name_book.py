"""What expressions may name in a machine: time, joint variables, coordinates of places, and the rates of these."""

from __future__ import annotations

from collections.abc import Iterator

from linkwork.errors import Problem, did_you_mean
from linkwork.expressions.names import differentiated
from linkwork.model.amounts import TIME, variable_in
from linkwork.model.mechanism import Mechanism
from linkwork.model.states import is_state_name
from linkwork.model.variables import find_variable, no_variable, plain_variables

COORDINATES = ("x", "y", "z")


class NameBook:
    """The names of one mechanism.

    body_of : by point, frame and body, the body that carries it
    """

    def __init__(self, m: Mechanism) -> None:
        self.m = m
        owners = {name: point.body for name, point in m.points.items()}
        owners |= {name: frame.body for name, frame in m.frames.items()}
        owners |= {name: name for name in m.bodies}
        self.body_of = owners

    def problems(self, names: tuple[str, ...], where: str) -> Iterator[Problem]:
        """Names of an expression that are not there, or that never change."""
        unknown = [name for name in names if not self.is_known(name)]
        for name in unknown:
            yield self.unknown(name, where)
        if not unknown and not any(self.changes(name) for name in names):
            hint = "name a joint variable, or a place on a body that moves"
            yield Problem(f"{', '.join(names)}: they belong to ground and never change", where, hint)

    def is_known(self, name: str) -> bool:
        """Whether an expression may have it."""
        called = variable_in(name)
        if name == TIME or find_variable(self.m.joints, called) is not None or self.is_of_state(name):
            return True
        owner, _, coordinate = called.rpartition(".")
        return owner in self.body_of and coordinate in COORDINATES

    def is_of_state(self, name: str) -> bool:
        """Whether it is a named state, one of its numbers, or its rate."""
        return is_state_name(self.m, name) or variable_in(name) in self.m.states

    def changes(self, name: str) -> bool:
        """Whether a known name belongs to something that moves or changes."""
        called = variable_in(name)
        if name == TIME or find_variable(self.m.joints, called) is not None or called in self.m.states:
            return True
        if self.is_of_state(name):  # a number
            return False
        return self.body_of[called.rpartition(".")[0]] != self.m.ground.name

    def unknown(self, name: str, where: str) -> Problem:
        """The problem of a name that is not there."""
        called = variable_in(name)
        if called == TIME and differentiated(name) is not None:
            return Problem("time has no rate", where, "write 1")
        owner, _, coordinate = called.rpartition(".")
        for place in (called, owner):
            if place in self.body_of and called not in self.m.joints and owner not in self.m.joints:
                hint = f"say {', '.join(f'{place}.{c}' for c in COORDINATES[:2])} or {place}.z"
                what = f"'{place}' has no '{coordinate}'" if place == owner else f"'{place}' is a place"
                return Problem(what, where, hint)
        if called in self.m.joints or owner in self.m.joints:
            return no_variable(self.m.joints, called, where)
        return Problem(f"there is nothing called '{called}'", where, did_you_mean(called, self.known(bool(owner))))

    def known(self, dotted: bool) -> list[str]:
        """What expressions may name, with dots or without."""
        if not dotted:
            single = [joint.name for joint in self.m.joints.values() if len(joint.law.variables) == 1]
            return [TIME, *single, *self.m.states, *self.body_of]
        variables = [f"{j.name}.{v.name}" for j in self.m.joints.values() for v in plain_variables(j.law)]
        return [*variables, *(f"{name}.{c}" for name in self.body_of for c in COORDINATES)]
