"""Loads and motors of a model as rows of text, in the units of its file."""

from __future__ import annotations

import numpy as np

from linkwork.model.amounts import Amount, Formula, Steady, Tabulated
from linkwork.model.load_words import kind_of
from linkwork.model.loads import Direction, Load, OnBody, Toward
from linkwork.model.loads.load import (
    AlongVariable,
    BetweenPoints,
    Choice,
    Key,
    Levels,
    Much,
    Number,
    OnPoint,
    OnWholeBody,
    Scope,
    measured,
    parameter_measures,
    scope_of,
    usual_values,
)
from linkwork.model.mechanism import Mechanism
from linkwork.units import NUMBER, SI, Dimension, UnitSystem, format_quantity

Rows = tuple[tuple[str, ...], ...]


def load_rows(m: Mechanism, units: UnitSystem) -> Rows:
    """Every load: its kind, what it acts on, and how much."""
    rows = [("name", "kind", "acts on", "with")]
    rows += [
        (load.name, kind_of(load), acts_on(load), _numbers(load, scope_of(load, m.owners), units))
        for load in m.loads.values()
    ]
    return tuple(rows)


def motor_rows(m: Mechanism, units: UnitSystem) -> Rows:
    """Every motor: what it drives through which ratio, and its own numbers at its shaft."""
    rows = [("name", "drives", "ratio", "at its shaft")]
    for motor in m.motors.values():
        scope = scope_of(motor, m.owners)
        ratio = _shown(motor.ratio, parameter_measures(motor, "ratio", scope) or NUMBER, units)
        rows.append((motor.name, motor.variable, ratio, _numbers(motor, scope, units) or "-"))
    return tuple(rows)


def gravity_text(m: Mechanism, units: UnitSystem, dimension: Dimension) -> str:
    """Gravity along x, y, z; laws over time as they are written."""
    texts = [f"{g / units.factor(dimension) + 0.0:.5g}" for g in m.gravity]
    laws = {axis: amount_text(law, dimension, units) for axis, law in m.gravity_laws.items()}
    return ", ".join(laws.get(axis, text) for axis, text in zip("xyz", texts, strict=True))


def acts_on(load: Load) -> str:
    """What a load acts on: a variable, two points, a point or a body with a direction."""
    match load.acts:
        case AlongVariable(variable):
            return variable
        case BetweenPoints(first, second):
            return f"{first} - {second}"
        case OnPoint(point, along):
            return f"{point}, {_way(along, 'along')}"
        case OnWholeBody(body, about):
            return f"{body}, {_way(about, 'about')}"


def amount_text(amount: Amount, dimension: Dimension, units: UnitSystem) -> str:
    """A number with its unit, a formula, or what a table is over."""
    match amount:
        case Steady(value):
            return _shown(value, dimension, units)
        case Formula(text, _, unit):
            return f"{text} [{SI.symbol(dimension)}]" if unit == 1.0 else f"({text}) {_shown(unit, dimension, units)}"
        case Tabulated(over, xs, _, smooth):
            return f"a {'smooth ' if smooth else ''}table of {len(xs)} points over {over}"


def _numbers(load: Load, scope: Scope, units: UnitSystem) -> str:
    """What a load has besides what is usual, as its kind declares it."""
    keys = {key.key: key for key in load.keys}
    shown = (keys[name] for name in load.shown or keys)
    return ", ".join(text for key in shown for text in _texts(load, key, scope, units))


def _texts(load: Load, key: Key, scope: Scope, units: UnitSystem) -> list[str]:
    match key:
        case Choice():
            return [getattr(load, key.key)]
        case Much():
            amount: Amount | None = getattr(load, key.key)
            if amount is None:
                return []
            return [f"{key.word} {amount_text(amount, measured(key.measures, scope), units)}".lstrip()]
        case Levels():
            forward, backward = (getattr(load, field) for field in key.fields)
            levels = {"level": forward} if forward == backward else {"forward": forward, "backward": backward}
            dimension = measured(key.measures, scope)
            texts = [f"{word} {_shown(x, dimension, units)}" for word, x in levels.items() if forward or backward]
            return [f"{key.word} {text}".lstrip() for text in texts]
        case Number():
            value = getattr(load, key.key)
            if value == usual_values(type(load))[key.key]:
                return []
            return [f"{key.word or key.key} {_shown(value, measured(key.measures, scope), units)}"]
    return []  # what it acts on


def _way(way: Direction, word: str) -> str:
    if isinstance(way, Toward):
        return f"from {way.start} to {way.end}"
    vector = ", ".join(f"{c:.5g}" for c in np.array(way.vector) + 0.0)
    return f"{word} ({vector})" + (f" of {way.body}" if isinstance(way, OnBody) else "")


def _shown(value: float, dimension: Dimension, units: UnitSystem) -> str:
    return format_quantity(value, dimension, units)
