"""Events as text: matched and split, never evaluated; expressions go through the whitelist of `expressions`.

Stops        0 <= A <= 60deg; restitution 0.5        tip.z >= -400mm; stiffness 1e5 N/m; damping 50 N s/m
Conditions   tip.z < 100mm: stop        rate(A) > 30rpm: lock B; once        A - 2*B: name aligned
Times        2.5s: off coil; set tool.mass = 2kg; from rest
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.expressions.comparisons import FALLING, RISING, compared, comparison, limit_value, number_side
from linkwork.model.clauses import Several, first_word, names, parted
from linkwork.model.event_checks import check_events
from linkwork.model.events import At, Direction, Event, Stop, When, at, stop, when
from linkwork.model.measures import compared_with, effort_along, parameter_measures
from linkwork.model.states import state_numbers
from linkwork.units import NUMBER, SI, TIME, Dimension, UnitSystem, format_quantity, parse_quantity
from linkwork.units.quantities import parse_free

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

Made = TypeVar("Made")

_STOP_EXAMPLE = "write '0 <= A <= 60deg', 'tip.z >= -400mm; restitution 0.5' or the like"
_WHEN_EXAMPLE = "write 'tip.z < 100mm: stop', 'rate(A): lock B; once' or the like"
_AT_EXAMPLE = "write '2.5s: off coil', '1s: set tool.mass = 2kg' or the like"
_ACTIONS_EXAMPLE = "write 'stop', 'lock B', 'off coil; set tool.mass = 2kg' or the like"
_LISTS = ("lock", "release", "on", "off")
_WORDS = ("stop", "end", *_LISTS, "set", "from rest", "once", "name")


class Happenings:
    """Events of a simulation by their texts.

    mechanism : whose names the texts speak of; parameters : the names of its numbers
    units : of numbers without a unit
    """

    def __init__(self, mechanism: Mechanism, parameters: Collection[str] | None, units: UnitSystem = SI) -> None:
        self.mechanism, self.parameters, self.units = mechanism, parameters, units
        self.events: list[Event] = []
        self.texts: dict[str, str] = {}
        """What users wrote, by the name under which it is recorded."""
        self.problems: list[Problem] = []

    def read(
        self, stops: Sequence[str], whens: Sequence[str], ats: Sequence[str], until: float | None, where: str = "--{}"
    ) -> None:
        """All texts of three kinds; what is wrong with them is kept.

        until : end of the simulation [s], None where it is not known
        where : how a problem calls the kind of a text
        """
        for text in stops:
            self._take(f"{where.format('stop')} '{text}'", _Text(text, self.mechanism, self.units).stop)
        for text in whens:
            reader = _Text(text, self.mechanism, self.units)
            self._take(f"{where.format('when')} '{text}'", reader.when)
            self.texts |= reader.texts
        for text in ats:
            reader = _Text(text, self.mechanism, self.units)
            self._take(f"{where.format('at')} '{text}'", lambda part, own=reader: own.at(part, until))  # type: ignore[misc]
        called = [event.name for event in self.events if event.name]
        for name in dict.fromkeys(n for n in called if called.count(n) > 1):
            what = f"{called.count(name)} events are called '{name}'"
            self.problems.append(Problem(what, "events", "give each its own name"))

    def _take(self, where: str, read: Callable[[Several], Event | None]) -> None:
        part = Several()
        event = part(lambda: read(part))
        if event is not None:
            found = check_events(self.mechanism, event, self.parameters)
            part.problems += [p for p in found if p.severity == "error"]
            self.events.append(event)
        self.problems += [Problem(p.what, where, p.hint) for p in dict.fromkeys(part.problems)]

    @property
    def doubts(self) -> list[Problem]:
        """What is allowed, but may not be meant."""
        found = check_events(self.mechanism, self.events, self.parameters)
        return [p for p in found if p.severity == "warning"]

    def told(self, text: str) -> str:
        """The name of an event, or a message that begins with it, in the user's words."""
        for condition, written in self.texts.items():
            if text == condition or text.startswith(f"{condition} at "):
                return written + text.removeprefix(condition)
        return text


def read_stop(text: str) -> Stop:
    """A stop of any machine: the units of its numbers are compared with those of the machine that runs into it."""
    return _alone(text, lambda reader, part: reader.stop(part))


def read_when(text: str) -> When:
    """A condition of any machine with what is done there."""
    return _alone(text, lambda reader, part: reader.when(part))


def read_at(text: str) -> At:
    """Something to do at a time, of any machine."""
    return _alone(text, lambda reader, part: reader.at(part, None))


def _alone(text: str, read: Callable[[_Text, Several], Made | None]) -> Made:
    part = Several()
    made = part(lambda: read(_Text(text, None, SI), part))
    if part.problems or made is None:
        raise InputError([replace(p, where=p.where or f"'{text}'") for p in dict.fromkeys(part.problems)])
    return made


class _Text:
    """One text on its way to an event; problems that leave the rest readable go to `part`.

    mechanism : whose names it speaks of; without one, bare numbers are SI and units are compared later
    """

    def __init__(self, text: str, mechanism: Mechanism | None, units: UnitSystem) -> None:
        self.text, self.mechanism, self.units = text, mechanism, units
        self.texts: dict[str, str] = {}

    # ---------------------------------------------------------------- stops

    def stop(self, part: Several) -> Stop | None:
        """A stop from "0 <= A <= 60deg; restitution 0.5"."""
        limits, *more = parted(self.text)
        what, ends = _limited(limits)
        given: dict[str, Any] = dict(ends)
        measured: dict[str, Dimension | None] = dict.fromkeys(("restitution", "stiffness", "damping"))
        if self.mechanism is not None:
            dimension, units = compared_with(self.mechanism, what, self.units)
            given = {
                key: part(lambda end=end: parse_quantity(end, dimension, units))  # type: ignore[misc]
                for key, end in ends.items()
            }
            effort = effort_along(dimension)
            measured |= {"stiffness": effort / dimension, "damping": effort * TIME / dimension}
        measured["restitution"] = NUMBER
        readable = None not in given.values()
        for clause in more:
            key, value = first_word(clause)
            value = value.removeprefix("=").strip()
            if key not in (*measured, "name"):
                hint = f"{did_you_mean(key, [*measured, 'name'])}; such as 'restitution 0.5' or 'stiffness 1e5 N/m'"
                part.wrong(f"'{clause}' says nothing of a stop" if clause else "a clause is empty", hint)
            elif key in given:
                part.wrong(f"{key} is given twice", "give it once")
            elif key == "name":
                given[key] = value
            elif (read := part(lambda k=key, v=value: self._number(v, measured[k]))) is not None:  # type: ignore[misc]
                given[key] = read
        return part(lambda: stop(what, **given)) if readable else None

    def _number(self, text: str, measures: Dimension | None) -> float:
        return parse_free(text)[0] if measures is None else parse_quantity(text, measures, self.units)

    # ---------------------------------------------------------------- conditions and times

    def when(self, part: Several) -> When | None:
        """A condition from "tip.z < 100mm: stop"."""
        condition, rest = self._halves("condition", _WHEN_EXAMPLE)
        actions = self._actions(rest, _WORDS, part)
        crossed = part(lambda: self._crossing(condition))
        if crossed is None or (part.problems and not actions):
            return None
        return part(lambda: when(crossed[0], direction=crossed[1], **actions))

    def at(self, part: Several, until: float | None) -> At | None:
        """Something to do at a time, from "2.5s: off coil"."""
        moment, rest = self._halves("time", _AT_EXAMPLE)
        actions = self._actions(rest, tuple(word for word in _WORDS if word != "once"), part)
        time = part(lambda: parse_quantity(moment, TIME, self.units))
        if time is not None and until is not None and time > until:
            what = f"{format_quantity(time, TIME)} never comes: the simulation ends at {format_quantity(until, TIME)}"
            part.wrong(what, "change the time, or --until")
        if time is None or (part.problems and not actions):
            return None
        return part(lambda: at(time, **actions))

    def _halves(self, first: str, example: str) -> tuple[str, str]:
        """What stands before ':', and the actions after it."""
        before, _, after = (half.strip() for half in self.text.partition(":"))
        if not before:
            raise InputError(Problem(f"there is no {first}", hint=example))
        if not after:
            raise InputError(Problem("it does not say what to do", hint=example))
        return before, after

    def _crossing(self, text: str) -> tuple[str, Direction]:
        """An expression whose zero counts, and which crossings do; it rises where an inequality becomes true."""
        found = comparison(text, _WHEN_EXAMPLE)
        if found is None or self.mechanism is None:
            return text.strip(), "both"
        measured = compared_with(self.mechanism, found.what, self.units)
        value = limit_value(found.limit, lambda limit: parse_quantity(limit, *measured))
        crossed = found.crossing(value)
        self.texts[crossed[0]] = text
        return crossed

    def _actions(self, text: str, known: tuple[str, ...], part: Several) -> dict[str, Any]:
        """Parameters of `when` and `at` from "lock B; set tool.mass = 2kg; from rest"."""
        given: dict[str, Any] = {}
        for clause in parted(text):
            key, value = ("from rest", "") if clause.split() == ["from", "rest"] else first_word(clause)
            if key not in known:
                hint = f"{did_you_mean(key, known)}; {_ACTIONS_EXAMPLE}" if clause else _ACTIONS_EXAMPLE
                part.wrong(f"'{clause}' is no action" if clause else "an action is empty", hint)
            elif key in ("stop", "end", "once", "from rest"):
                if value:
                    part.wrong(f"'{value}' after '{key}' is out of place", "part actions with ';'")
                given[{"end": "stop", "from rest": "from_rest"}.get(key, key)] = True
            elif not value:
                example = {"set": "set tool.mass = 2kg", "name": "name turning"}.get(key, f"{key} B")
                part.wrong(f"'{key}' names nothing", f"write '{example}', for example")
            elif key == "set":
                given["set"] = given.get("set", {}) | self._set(value, part)
            elif key == "name":
                given["name"] = value
            else:
                given[key] = given.get(key, []) + (part(lambda v=value: names(v)) or [])  # type: ignore[misc]
        return given

    def _set(self, text: str, part: Several) -> dict[str, float]:
        """New values of parameters from "tool.mass = 2kg, gravity.z = 0"."""
        found: dict[str, float] = {}
        for each in text.split(","):
            name, equals, value = (word.strip() for word in each.partition("="))
            if not (name and equals and value):
                part.wrong(f"'{each.strip()}' sets nothing", "write 'set tool.mass = 2kg', for example")
                continue
            if self.mechanism is None:
                found[name] = part(lambda v=value: parse_free(v)[0]) or 0.0  # type: ignore[misc]
                continue
            dimension = parameter_measures(self.mechanism, name)
            found[name] = 0.0  # stays where the name is not known, which is told with the event
            if name in state_numbers(self.mechanism):  # what they measure nothing tells
                found[name] = part(lambda v=value: parse_free(v)[0]) or 0.0  # type: ignore[misc]
            elif dimension is not None:
                found[name] = part(lambda v=value, d=dimension: parse_quantity(v, d, self.units)) or 0.0  # type: ignore[misc]
        return found


def _limited(text: str) -> tuple[str, dict[str, str]]:
    """What is limited, and its limits as text: {"low": "0", "high": "60deg"} of "0 <= A <= 60deg"."""
    parts, signs = compared(text)
    falling = [sign in FALLING for sign in signs]
    if not signs or len(parts) > 3 or not all(parts) or any(sign not in FALLING + RISING for sign in signs):
        raise InputError(Problem("this is no limit", hint=_STOP_EXAMPLE))
    if len(parts) == 2:
        limit = number_side(parts)
        return parts[1 - limit], {"high" if falling[0] == (limit == 1) else "low": parts[limit]}
    if falling[0] != falling[1]:
        raise InputError(Problem("the comparisons go both ways", hint=_STOP_EXAMPLE))
    first, what, last = parts
    return what, {"low": first, "high": last} if falling[0] else {"low": last, "high": first}
