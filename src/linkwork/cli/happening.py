"""Events as text: matched and split, never evaluated; expressions go through the whitelist of `expressions`.

Stops        0 <= A <= 60deg; restitution 0.5        tip.z >= -400mm; stiffness 1e5 N/m; damping 50 N s/m
Conditions   tip.z < 100mm: stop        rate(A) > 30rpm: lock B; once        A - 2*B: name aligned
Times        2.5s: off coil; set tool.mass = 2kg; from rest
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from linkwork.cli.clauses import FALLING, RISING, Several, compared, first_word, names, number_side, parted
from linkwork.cli.measuring import compared_with, effort_along, parameter_measures
from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.model.event_checks import check_events
from linkwork.model.events import At, Direction, Event, Stop, When, at, stop, when
from linkwork.units import NUMBER, SI, TIME, UnitSystem, format_quantity, parse_quantity

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.cli.given import Problems

_STOP_EXAMPLE = "write '0 <= A <= 60deg', 'tip.z >= -400mm; restitution 0.5' or the like"
_WHEN_EXAMPLE = "write 'tip.z < 100mm: stop', 'rate(A): lock B; once' or the like"
_AT_EXAMPLE = "write '2.5s: off coil', '1s: set tool.mass = 2kg' or the like"
_ACTIONS_EXAMPLE = "write 'stop', 'lock B', 'off coil; set tool.mass = 2kg' or the like"
_LISTS = ("lock", "release", "on", "off")
_WORDS = ("stop", "end", *_LISTS, "set", "from rest", "once", "name")


class Happenings:
    """Events of a simulation by their texts.

    machine : whose names the texts speak of; units : of numbers without a unit; problems : where wrong texts go
    """

    def __init__(self, machine: Machine, units: UnitSystem, problems: Problems) -> None:
        self.machine, self.units, self.problems = machine, units, problems
        self.mechanism = machine.mechanism
        self.events: list[Event] = []
        self.texts: dict[str, str] = {}
        """What users wrote, by the name under which it is recorded."""

    def read(self, stops: Sequence[str], whens: Sequence[str], ats: Sequence[str], until: float | None) -> None:
        """All texts of the options; what is wrong with them is noted.

        until : end of the simulation [s], None where it is not known
        """
        for text in stops:
            self._take(f"--stop '{text}'", lambda text=text: self.stop(text))  # type: ignore[misc]
        for text in whens:
            self._take(f"--when '{text}'", lambda text=text: self.when(text), text)  # type: ignore[misc]
        for text in ats:
            self._take(f"--at '{text}'", lambda text=text: self.at(text, until))  # type: ignore[misc]
        called = [event.name for event in self.events if event.name]
        for name in dict.fromkeys(n for n in called if called.count(n) > 1):
            self.problems.note(f"{called.count(name)} events are called '{name}'", "events", "give each its own name")

    @property
    def doubts(self) -> list[Problem]:
        """What is allowed, but may not be meant."""
        found = check_events(self.mechanism, self.events, tuple(self.machine.parameters))
        return [p for p in found if p.severity == "warning"]

    def told(self, text: str) -> str:
        """A message that begins with a recorded name, with what the user wrote instead."""
        for name in sorted(self.texts, key=len, reverse=True):
            if text.startswith(name):
                return self.texts[name] + text.removeprefix(name)
        return text

    def _take(self, where: str, read: Callable[[], Event], text: str = "") -> None:
        event = self.problems.reading(where, read)
        if event is None:
            return
        for problem in check_events(self.mechanism, event, tuple(self.machine.parameters)):
            if problem.severity == "error":
                self.problems.note(problem.what, where, problem.hint)
        self.events.append(event)
        if isinstance(event, When) and not event.name:
            self.texts[event.condition] = text.partition(":")[0].strip()

    # ---------------------------------------------------------------- stops

    def stop(self, text: str) -> Stop:
        """A stop from "0 <= A <= 60deg; restitution 0.5"."""
        limits, *more = parted(text)
        parts, signs = compared(limits)
        if not signs or len(parts) > 3 or not all(parts) or any(sign in ("=", "==") for sign in signs):
            raise ModelError(Problem("this is no limit", hint=_STOP_EXAMPLE))
        if len(parts) == 3:
            if (signs[0] in FALLING) != (signs[1] in FALLING):
                raise ModelError(Problem("the comparisons go both ways", hint=_STOP_EXAMPLE))
            what, ends = parts[1], {"low": parts[0], "high": parts[2]}
            if signs[0] not in FALLING:
                ends = {"low": parts[2], "high": parts[0]}
        else:
            limit = number_side(parts)
            what = parts[1 - limit]
            above = (signs[0] in FALLING) == (limit == 1)  # what <= limit, or limit >= what
            ends = {"high" if above else "low": parts[limit]}
        part = Several()
        dimension, units = part(lambda: compared_with(self.mechanism, what, self.units)) or (NUMBER, SI)
        given: dict[str, Any] = {
            key: part(lambda end=end: parse_quantity(end, dimension, units))  # type: ignore[misc]
            for key, end in ends.items()
        }
        effort = effort_along(dimension)
        measured = {"restitution": NUMBER, "stiffness": effort / dimension, "damping": effort * TIME / dimension}
        for clause in more:
            key, value = first_word(clause)
            if key not in (*measured, "name"):
                hint = f"{did_you_mean(key, [*measured, 'name'])}; such as 'restitution 0.5' or 'stiffness 1e5 N/m'"
                part.wrong(f"'{clause}' says nothing of a stop", hint=hint)
            elif key in given:
                part.wrong(f"{key} is given twice", hint="give it once")
            else:
                plain = value.removeprefix("=").strip()
                given[key] = plain if key == "name" else part(
                    lambda key=key, plain=plain: parse_quantity(plain, measured[key], self.units)  # type: ignore[misc]
                )  # fmt: skip
        part.done()
        return stop(what, **given)

    # ---------------------------------------------------------------- conditions and times

    def when(self, text: str) -> When:
        """A condition from "tip.z < 100mm: stop"."""
        condition, colon, rest = text.partition(":")
        if not condition.strip():
            raise ModelError(Problem("there is no condition", hint=_WHEN_EXAMPLE))
        if not colon or not rest.strip():
            raise ModelError(Problem("it does not say what to do", hint=_WHEN_EXAMPLE))
        part = Several()
        crossed = part(lambda: self._crossing(condition))
        actions = part(lambda: self._actions(rest, (*_WORDS,))) or {}
        part.done()
        assert crossed is not None
        return when(crossed[0], direction=crossed[1], **actions)

    def at(self, text: str, until: float | None) -> At:
        """Something to do at a time, from "2.5s: off coil"."""
        moment, colon, rest = text.partition(":")
        if not moment.strip():
            raise ModelError(Problem("there is no time", hint=_AT_EXAMPLE))
        if not colon or not rest.strip():
            raise ModelError(Problem("it does not say what to do", hint=_AT_EXAMPLE))
        part = Several()
        time = part(lambda: parse_quantity(moment, TIME, self.units))
        actions = part(lambda: self._actions(rest, tuple(w for w in _WORDS if w != "once"))) or {}
        if time is not None and until is not None and time > until:
            told = f"{format_quantity(time, TIME)} never comes: the simulation ends at {format_quantity(until, TIME)}"
            part.wrong(told, hint="change the time, or --until")
        part.done()
        assert time is not None
        return at(time, **actions)

    def _crossing(self, text: str) -> tuple[str, Direction]:
        """An expression whose zero counts, and which crossings do."""
        parts, signs = compared(text)
        if len(parts) > 2 or not all(parts):
            raise ModelError(Problem(f"'{text.strip()}' is no condition", hint=_WHEN_EXAMPLE))
        if len(parts) == 1:
            return parts[0], "both"
        limit = number_side(parts)
        what = parts[1 - limit]
        dimension, units = compared_with(self.mechanism, what, self.units)
        value = parse_quantity(parts[limit], dimension, units)
        direction: Direction = "both"
        if signs[0] in (*FALLING, *RISING):
            direction = "rising" if (signs[0] in RISING) == (limit == 1) else "falling"
        if value == 0.0:
            return what, direction
        return f"{what} {'-' if value > 0.0 else '+'} {abs(value)!r}", direction

    def _actions(self, text: str, known: tuple[str, ...]) -> dict[str, Any]:
        """Parameters of `when` and `at` from "lock B; set tool.mass = 2kg; from rest"."""
        given: dict[str, Any] = {}
        part = Several()
        for clause in parted(text):
            key, value = ("from rest", "") if " ".join(clause.split()) == "from rest" else first_word(clause)
            if key not in known:
                hint = f"{did_you_mean(key, known)}; {_ACTIONS_EXAMPLE}" if clause else _ACTIONS_EXAMPLE
                part.wrong(f"'{clause}' is no action" if clause else "an action is empty", hint=hint)
            elif key in ("stop", "end", "once", "from rest"):
                if value:
                    part.wrong(f"'{value}' after '{key}' is out of place", hint="part actions with ';'")
                given[{"end": "stop", "from rest": "from_rest"}.get(key, key)] = True
            elif not value:
                example = {"set": "set tool.mass = 2kg", "name": "name turning"}.get(key, f"{key} B")
                part.wrong(f"'{key}' names nothing", hint=f"write '{example}', for example")
            elif key == "set":
                given["set"] = {**given.get("set", {}), **(part(lambda value=value: self._set(value)) or {})}  # type: ignore[misc]
            elif key == "name":
                given["name"] = value
            else:
                given[key] = [*given.get(key, []), *(part(lambda value=value: names(value)) or [])]  # type: ignore[misc]
        part.done()
        return given

    def _set(self, text: str) -> dict[str, float]:
        """New values of parameters from "tool.mass = 2kg, gravity.z = 0"."""
        found: dict[str, float] = {}
        part = Several()
        for each in text.split(","):
            name, equals, value = (word.strip() for word in each.partition("="))
            if not (name and equals and value):
                part.wrong(f"'{each.strip()}' sets nothing", hint="write 'set tool.mass = 2kg', for example")
                continue
            if name not in self.machine.parameters:
                found[name] = 0.0  # which is told with the other names that are not there
                continue
            dimension = parameter_measures(self.mechanism, name)
            read = part(lambda v=value, d=dimension: parse_quantity(v, d or NUMBER, self.units if d else SI))  # type: ignore[misc]
            found[name] = 0.0 if read is None else read
        part.done()
        return found
