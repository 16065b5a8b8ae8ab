"""Cases of a machine: what it is asked for again and again, by name, as data: `press: {drive: {A: 0:360}, until: 2 s}`.

A case is kept as it was written, with the units of its bare numbers. `case_texts` reads it for a mechanism.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.model.parts import checked_name
from linkwork.units import SI, UnitSystem

BY_NAME = ("set", "limits", "start", "rates", "states", "drive", "efforts", "external")
LISTS = ("stop", "when", "at", "off")
TIMES = ("duration", "until")
KEYS = (*BY_NAME, *LISTS, *TIMES, "samples")
"""What may be said of a case besides its units and its description."""
NUMBER_OR_TEXT = int | float | str


@dataclass(frozen=True)
class Case:
    """A named question.

    set : numbers of the model that differ, dimensions and parameters, by name
    limits : of joints; start, rates, states : at the beginning; drive : laws of time; efforts, external : what acts
    stop, when, at : events as text; off : loads that do not act
    duration : of a motion; until : the end of a simulation; samples : how many
    units : of bare numbers
    """

    name: str
    set: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    start: Mapping[str, Any] = field(default_factory=dict)
    rates: Mapping[str, Any] = field(default_factory=dict)
    states: Mapping[str, Any] = field(default_factory=dict)
    drive: Mapping[str, Any] = field(default_factory=dict)
    efforts: Mapping[str, Any] = field(default_factory=dict)
    external: Mapping[str, Any] = field(default_factory=dict)
    stop: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    at: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    duration: float | str | None = None
    until: float | str | None = None
    samples: int | None = None
    units: UnitSystem = SI
    description: str = ""

    @property
    def said(self) -> dict[str, Any]:
        """What it says, by key, as it was written."""
        own = {key: getattr(self, key) for key in KEYS}
        return {
            key: value for key, value in own.items() if value is not None and len(str(value)) and value not in ({}, ())
        }


def case(name: Any, given: Mapping[str, Any], units: UnitSystem = SI, description: str = "") -> Case:
    """A case with its shape checked; what its names and texts mean is seen with the mechanism."""
    where = f"cases.{name}"
    checked_name(name, where)
    problems: list[Problem] = []
    made: dict[str, Any] = {}
    for key, value in given.items():
        at = f"{where}.{key}"
        if value is None:
            continue
        if key not in KEYS:
            hint = f"{did_you_mean(str(key), KEYS)} (of {', '.join(KEYS)})"
            problems.append(Problem(f"a case has no '{str(key)[:40]}'", at, hint))
        elif key in BY_NAME:
            found = _by_name(value, at, problems)
            made[key] = {} if found is None else found
        elif key in LISTS:
            texts = [value] if isinstance(value, str) else value
            if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
                hint = "such as ['A <= 170 deg']" if key == "stop" else "a list of texts"
                problems.append(Problem("texts are wanted", at, hint))
            else:
                made[key] = tuple(texts)
        elif key == "samples":
            if isinstance(value, bool) or not isinstance(value, int) or value < 2:
                problems.append(Problem(f"{value!r} samples", at, "give a whole number, at least 2"))
            else:
                made[key] = value
        elif isinstance(value, bool) or not isinstance(value, int | float | str):
            problems.append(Problem(f"{value!r} is not a time", at, "such as 2 s"))
        else:
            made[key] = value
    if not any(made.get(key) for key in KEYS) and not problems:
        problems.append(Problem("the case says nothing", where, "give drive, start, until or the like"))
    if problems:
        raise ModelError(problems)
    return Case(name, units=units, description=str(description), **made)


def _by_name(value: Any, where: str, problems: list[Problem]) -> dict[str, Any] | None:
    if not isinstance(value, Mapping):
        problems.append(Problem("values by name are wanted", where, "such as {A: 30 deg}"))
        return None
    found: dict[str, Any] = {}
    for name, one in value.items():
        items = one if isinstance(one, list | tuple) else [one]
        if isinstance(one, bool) or not all(
            x is None or (isinstance(x, NUMBER_OR_TEXT) and not isinstance(x, bool)) for x in items
        ):
            problems.append(Problem("a number or a text is wanted", f"{where}.{name}", "such as '30 deg'"))
            continue
        found[str(name)] = tuple(one) if isinstance(one, list | tuple) else one
    return found
