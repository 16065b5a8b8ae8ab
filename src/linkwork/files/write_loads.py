"""Loads and motors, written: SI units, every number to the last bit."""

from __future__ import annotations

from typing import Any

from linkwork.files.entries.amounts import is_quantity
from linkwork.files.words import direction_words, pruned
from linkwork.model.amounts import TIME, Amount, Formula, Steady, Tabulated
from linkwork.model.dimensions import Following
from linkwork.model.loads import KINDS, Load, OnBody, Toward
from linkwork.model.loads.load import Choice, Key, Levels, Much, Named, Number, OnJoint, Tied, Way, usual_values
from linkwork.model.mechanism import Mechanism

VARIABLE = "variable"
"""The field of records that act along one."""


def load_sections(m: Mechanism) -> dict[str, dict[str, Any]]:
    """The sections of all loads and motors of a mechanism."""
    sections: dict[str, dict[str, Any]] = {section.name: {} for kind in KINDS for section in kind.sections}
    for load in (*m.loads.values(), *m.motors.values()):
        entry = {name: value for key in load.keys for name, value in _written(load, key).items()}
        sections[load.section.name][load.name] = pruned({**entry, "description": load.description})
    return sections


def gravity_entry(m: Mechanism) -> list[Any]:
    """The three components of gravity: numbers, and laws where there are any."""
    laws = {axis: amount_entry(law) for axis, law in m.gravity_laws.items()}
    return [laws.get(axis, number) for axis, number in zip("xyz", m.gravity, strict=True)]


def amount_entry(amount: Amount) -> Any:
    """An amount as a model file has it."""
    match amount:
        case Steady(value):
            return value
        case Formula(text, _, unit, told):
            text = told or text
            plain = repr(unit) == "1.0" and not is_quantity(text)
            return text if plain else pruned({"formula": text, "unit": None if repr(unit) == "1.0" else unit})
        case Tabulated(over, xs, ys, smooth):
            table = [list(pair) for pair in zip(xs, ys, strict=True)]
            return pruned({"table": table, "over": None if over == TIME else over, "smooth": smooth or None})


def _written(load: Load, key: Key) -> dict[str, Any]:
    """What stands under a key; None, which is left out, where it says what is usual."""
    match key:
        case Tied():
            first, second, joint = (getattr(load, field) for field in ("first", "second", VARIABLE))
            return {key.key: None if joint is not None else [first, second], OnJoint.key: joint}
        case OnJoint():
            return {key.key: getattr(load, VARIABLE)}
        case Named():
            return {key.key: getattr(load, key.key)}
        case Way():
            return _direction(getattr(load, key.key), key.key)
        case Much():
            amount = getattr(load, key.key)
            return {key.key: None if amount is None else amount_entry(amount)}
        case Levels():
            forward, backward = (getattr(load, field) for field in key.fields)
            usual = usual_values(type(load))[key.fields[0]]
            same = repr(forward) == repr(backward)
            return {key.key: unless(forward, usual) if same else [forward, backward]}
        case Number() | Choice():
            return {key.key: unless(getattr(load, key.key), usual_values(type(load))[key.key])}


def unless(value: Any, usual: Any) -> Any:
    """A number or a word, unless it is the usual one to the bit."""
    return None if repr(value) == repr(usual) and type(value) is not Following else value


def _direction(way: Any, key: str) -> dict[str, Any]:
    if isinstance(way, Toward):
        return {"toward": [way.start, way.end]}
    body = {"on": way.body} if isinstance(way, OnBody) else {}
    return {key: direction_words(way.vector), **body}
