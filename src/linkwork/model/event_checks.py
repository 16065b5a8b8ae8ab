"""What a mechanism tells about events: names that are not there, conditions that never change, loads already on."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from linkwork.errors import Problem
from linkwork.model.events import Actions, At, Event, Stop, When
from linkwork.model.measures import expression_measures
from linkwork.model.mechanism import Mechanism
from linkwork.model.name_book import COORDINATES, MachineNames
from linkwork.model.states import START
from linkwork.model.variables import find_variable, no_variable
from linkwork.names import no_such
from linkwork.units import NUMBER, SI
from linkwork.units.dimensions import described

_OF_BODIES = re.compile(r"mass|com\.[xyz]|inertia\.(xx|yy|zz|xy|xz|yz)")


def check_events(
    mechanism: Mechanism, events: Event | Iterable[Event], parameters: Collection[str] | None = None
) -> list[Problem]:
    """Everything that is wrong or doubtful about events in a mechanism.

    Parameters
    ----------
    mechanism : the machine
    events : made with `stop`, `when` and `at`
    parameters : names of all its parameters (`Machine.parameters`); without them, of loads only the name is looked at
    """
    given = (events,) if isinstance(events, Stop | When | At | str | bytes | Mapping) else tuple(events)
    problems: list[Problem] = []
    look = _Look(mechanism, parameters)
    for i, event in enumerate(given):
        if not isinstance(event, Stop | When | At):
            text = f"this is of type {type(event).__name__}, not an event"
            hint = "make it with stop(...), when(...) or at(...)"
            hint = f"write when({event!r}, stop=True), say" if isinstance(event, str) else hint
            problems.append(Problem(text, f"events[{i}]", hint))
            continue
        where = f"events.{event.name}" if event.name else f"events[{i}]"
        if not isinstance(event, At):
            problems += look.names.problems(event.names, where)
            problems += look.positions_alone(event, where)
            problems += look.units(event, where)
        if not isinstance(event, Stop):
            problems += look.actions(event.actions, where)
    sound = [event for event in given if isinstance(event, Stop | When | At)]
    return [*problems, *_same_names(sound), *_on_already(mechanism, sound)]


def _same_names(events: list[Event]) -> Iterator[Problem]:
    names = [event.name for event in events if event.name]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            text = f"{names.count(name)} events are called '{name}'"
            yield Problem(text, f"events.{name}", "give each a name of its own")


def _on_already(m: Mechanism, events: list[Event]) -> Iterator[Problem]:
    acting = [event.actions for event in events if not isinstance(event, Stop)]
    off = {name for actions in acting for name in actions.off}
    for name in dict.fromkeys(name for actions in acting for name in actions.on):
        if name in m.loads and name not in off:
            hint = f"switch it off at first: at(0, off='{name}')"
            yield Problem(f"'{name}' acts from the start, and nothing switches it off", "events", hint, None, "warning")


class _Look:
    """Looks at one event after the other."""

    def __init__(self, m: Mechanism, parameters: Collection[str] | None) -> None:
        self.m, self.parameters, self.names = m, parameters, MachineNames(m)

    def positions_alone(self, event: Stop | When, where: str) -> Iterator[Problem]:
        """Stops act by forces along what they limit, and nothing pushes a state."""
        named = [name for name in event.names if self.names.is_of_state(name)] if isinstance(event, Stop) else []
        if named:
            text = f"a stop limits positions, not the state {', '.join(named)}"
            yield Problem(text, where, "watch it with when(...), or let its law end where it should")

    def units(self, event: Stop | When, where: str) -> Iterator[Problem]:
        """The number beside a condition measures what the condition does."""
        given = event.measured
        if given is None or not all(map(self.names.is_known, event.names)):
            return
        own = expression_measures(self.m, event.condition if isinstance(event, When) else event.what)
        if not (own or NUMBER).accepts(given):
            hint = f"write a number in {SI.symbol(own) or 1}, or with such a unit" if own else "write numbers in SI"
            text = f"{described(own)}" if own else "what names of several units make"
            yield Problem(f"{text} is compared with {described(given)}", where, hint)

    # ---------------------------------------------------------------- actions

    def actions(self, actions: Actions, where: str) -> Iterator[Problem]:
        for key in ("lock", "release"):
            for name in getattr(actions, key):
                if find_variable(self.m.owners, name) is None:
                    yield no_variable(self.m.owners, name, f"{where}.{key}")
        for key in ("on", "off"):
            for name in getattr(actions, key):
                if name not in self.m.loads:
                    yield self.no_load(name, f"{where}.{key}")
        for name, _ in actions.set:
            if name in self.m.states:
                continue
            yield from self.parameter(name, f"{where}.set")

    def no_load(self, name: str, where: str) -> Problem:
        if name in self.m.motors:
            return Problem(
                f"'{name}' is a motor, not a load", where, "set its numbers, or drive its joint by an effort"
            )
        return no_such("load", name, self.m.loads, where, none="the mechanism has no loads")

    def parameter(self, name: str, where: str) -> Iterator[Problem]:
        if self.parameters is not None and name not in self.parameters:
            yield no_such("parameter", name, [*filter(self.may_change, self.parameters), *self.m.states], where)
        elif not self.may_change(name):
            owner, _, key = name.partition(".")
            if owner in self.m.states and key == START:
                yield Problem(f"'{name}' has passed when an event takes place", where, f"set '{owner}' itself")
            elif self.parameters is not None or owner in (*self.m.owners, *self.m.points, *self.m.frames):
                hint = "masses, gravity and the numbers of loads may change on the way"
                yield Problem(f"'{name}' tells where parts are, and they would jump", where, hint)
            else:
                owners = [*self.m.bodies, *self.m.loads, *self.m.motors, "gravity"]
                unknown = no_such("parameter", name, owners, where, owner)
                of_body = "a body has mass, com.x, ..., inertia.xx, ..."
                yield replace(unknown, hint=of_body) if owner in self.m.bodies else unknown

    def may_change(self, name: str) -> bool:
        """Whether a parameter may change while the machine moves; those that tell where parts are may not."""
        owner, _, key = name.partition(".")
        if owner in self.m.bodies and _OF_BODIES.fullmatch(key):
            return True
        if owner == "gravity":
            return key in COORDINATES
        if owner in self.m.states:
            return key != START
        return owner in self.m.loads or owner in self.m.motors
