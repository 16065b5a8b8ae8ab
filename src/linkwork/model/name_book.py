"""All names of a mechanism in one book, and which of them expressions may use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from linkwork.errors import Problem
from linkwork.expressions.names import differentiated
from linkwork.model.amounts import TIME, variable_in
from linkwork.model.mechanism import Mechanism
from linkwork.model.states import is_state_name
from linkwork.model.variables import names_of_joints, no_variable
from linkwork.names import Name, NameBook, nothing_called

COORDINATES = ("x", "y", "z")


PLACES = ("point", "frame", "body")
"""Kinds of names that have coordinates."""


class MachineNames(NameBook):
    """The names of one mechanism: joints, variables, bodies, frames, points, their coordinates, loads, motors, states.

    body_of : by point, frame and body, the body that carries it
    """

    def __init__(self, m: Mechanism) -> None:
        self.m = m
        owners = {name: point.body for name, point in m.points.items()}
        owners |= {name: frame.body for name, frame in m.frames.items()}
        owners |= {name: name for name in m.bodies}
        self.body_of = owners
        super().__init__([*names_of_joints(m.owners), *_others(m)])

    def problems(self, names: tuple[str, ...], where: str) -> Iterator[Problem]:
        """Names of an expression that are not there, or that never change."""
        unknown = [name for name in names if not self.is_known(name)]
        for name in unknown:
            yield self.not_there(name, where)
        if not unknown and not any(self.changes(name) for name in names):
            hint = "name a joint variable, or a place on a body that moves"
            text = (
                f"{', '.join(names)}: they belong to ground and never change"
                if names
                else "it names nothing that moves"
            )
            yield Problem(text, where, hint)

    def is_known(self, name: str) -> bool:
        """Whether an expression may have it."""
        called = variable_in(name)
        if name == TIME or self.is_of_state(name):
            return True
        return self.find(called, "variable", "coordinate") is not None

    def is_of_state(self, name: str) -> bool:
        """Whether it is a named state, one of its numbers, or its rate."""
        return is_state_name(self.m, name) or variable_in(name) in self.m.states

    def changes(self, name: str) -> bool:
        """Whether a known name belongs to something that moves or changes."""
        called = variable_in(name)
        if name == TIME or self.find(called, "variable", "state") is not None:
            return True
        if self.is_of_state(name):  # a number
            return False
        return self.body_of[called.rpartition(".")[0]] != self.m.ground.name

    def not_there(self, name: str, where: str) -> Problem:
        """The problem of a name in an expression that is not there."""
        called = variable_in(name)
        if called == TIME and differentiated(name) is not None:
            return Problem("time has no rate", where, "write 1")
        owner, _, coordinate = called.rpartition(".")
        for place in (called, owner):
            if place in self.body_of and called not in self.m.owners and owner not in self.m.owners:
                hint = f"say {', '.join(f'{place}.{c}' for c in COORDINATES[:2])} or {place}.z"
                what = f"'{place}' has no '{coordinate}'" if place == owner else f"'{place}' is a place"
                return Problem(what, where, hint)
        if called in self.m.owners or owner in self.m.owners:
            return no_variable(self.m.owners, called, where)
        known = self.known("variable", "coordinate") if owner else [TIME, *self.known("variable", "state", *PLACES)]
        return nothing_called(called, [n for n in known if bool(owner) == ("." in n)], where)


def _others(m: Mechanism) -> Iterator[Name]:
    """All names but those of joints."""
    yield Name(TIME, "time")
    tables: dict[str, Iterable[str]] = {
        "body": m.bodies,
        "frame": m.frames,
        "point": m.points,
        "load": m.loads,
        "motor": m.motors,
    }
    tables["state"] = m.states
    for kind, table in tables.items():
        yield from (Name(name, kind) for name in table)
        if kind in PLACES:
            yield from (Name(f"{name}.{c}", "coordinate", name) for name in table for c in COORDINATES)
