"""Loads and motors of a model as rows of text, in the units of its file."""

from __future__ import annotations

import numpy as np

from linkwork.model.amounts import Amount, Formula, Steady, Tabulated
from linkwork.model.loading import kind_of
from linkwork.model.loads import Direction, Force, Friction, JointLoad, Load, Motor, OnBody, Spring, Torque, Toward
from linkwork.model.mechanism import Mechanism
from linkwork.model.variables import find_variable
from linkwork.units import (
    ANGLE,
    ANGULAR_SPEED,
    FORCE,
    INERTIA,
    LENGTH,
    SI,
    TIME,
    TORQUE,
    TORSIONAL_DAMPING,
    Dimension,
    UnitSystem,
    format_quantity,
)

Rows = tuple[tuple[str, ...], ...]


def load_rows(m: Mechanism, units: UnitSystem) -> Rows:
    """Every load: its kind, what it acts on, and how much."""
    rows = [("name", "kind", "acts on", "with")]
    rows += [(load.name, kind_of(load), acts_on(load), _numbers(m, load, units)) for load in m.loads.values()]
    return tuple(rows)


def motor_rows(m: Mechanism, units: UnitSystem) -> Rows:
    """Every motor: what it drives through which ratio, and its own numbers at its shaft."""
    rows = [("name", "drives", "ratio", "at its shaft")]
    for motor in m.motors.values():
        ratio = _shown(motor.ratio, ANGLE / _along(m, motor.variable)[0], units)
        rows.append((motor.name, motor.variable, ratio, _shaft(motor, units)))
    return tuple(rows)


def gravity_text(m: Mechanism, units: UnitSystem, dimension: Dimension) -> str:
    """Gravity along x, y, z; laws over time as they are written."""
    texts = [f"{g / units.factor(dimension) + 0.0:.5g}" for g in m.gravity]
    laws = {axis: amount_text(law, dimension, units) for axis, law in m.gravity_laws.items()}
    return ", ".join(laws.get(axis, text) for axis, text in zip("xyz", texts, strict=True))


def acts_on(load: Load) -> str:
    """What a load acts on: a variable, two points, a point or a body with a direction."""
    match load:
        case Spring(variable=None):
            return f"{load.first} - {load.second}"
        case Force():
            return f"{load.point}, {_way(load.along, 'along')}"
        case Torque():
            return f"{load.body}, {_way(load.about, 'about')}"
    return str(load.variable)


def amount_text(amount: Amount, dimension: Dimension, units: UnitSystem) -> str:
    """A number with its unit, a formula, or what a table is over."""
    match amount:
        case Steady(value):
            return _shown(value, dimension, units)
        case Formula(text, _, unit):
            return f"{text} [{SI.symbol(dimension)}]" if unit == 1.0 else f"({text}) {_shown(unit, dimension, units)}"
        case Tabulated(over, xs, _, smooth):
            return f"a {'smooth ' if smooth else ''}table of {len(xs)} points over {over}"


def _along(m: Mechanism, variable: str | None) -> tuple[Dimension, Dimension]:
    """What a variable measures, and what acts along it; lengths and forces where it is none, as between points."""
    found = None if variable is None else find_variable(m.joints, variable)
    return (LENGTH, FORCE) if found is None else (found.quantity, found.effort)


def _numbers(m: Mechanism, load: Load, units: UnitSystem) -> str:
    quantity, effort = _along(m, getattr(load, "variable", None))
    match load:
        case Spring():
            return _spring(load, quantity, effort, units)
        case Friction():
            return _friction(load, quantity, effort, units)
        case Force():
            return amount_text(load.amount, FORCE, units)
        case Torque():
            return amount_text(load.amount, TORQUE, units)
        case JointLoad():
            return amount_text(load.amount, effort, units)


def _spring(spring: Spring, quantity: Dimension, effort: Dimension, units: UnitSystem) -> str:
    numbers = {
        "stiffness": (spring.stiffness, effort / quantity),
        "damping": (spring.damping, effort * TIME / quantity),
        "preload": (spring.preload, effort),
    }
    texts = [f"{word} {_shown(value, d, units)}" for word, (value, d) in numbers.items() if value]
    if spring.free is not None:
        texts.append(f"free at {_shown(spring.free, quantity, units)}")
    if spring.law is not None:
        texts.append(f"law {amount_text(spring.law, effort, units)}")
    return ", ".join(texts)


def _friction(friction: Friction, quantity: Dimension, effort: Dimension, units: UnitSystem) -> str:
    texts: list[str] = [friction.form]
    if friction.static != 1.0:
        texts.append(f"static {friction.static:.6g}")
    if friction.coefficient:
        texts.append(f"coefficient {friction.coefficient:.6g}")
        if friction.radius != 1.0:
            texts.append(f"radius {_shown(friction.radius, LENGTH, units)}")
    else:
        texts += _levels(friction.forward, friction.backward, effort, units)
    if friction.normal is not None:
        texts.append(f"normal {amount_text(friction.normal, FORCE, units)}")
    if friction.viscous:
        texts.append(f"viscous {_shown(friction.viscous, effort * TIME / quantity, units)}")
    return ", ".join(texts)


def _levels(forward: float, backward: float, dimension: Dimension, units: UnitSystem) -> list[str]:
    if forward == backward:
        return [f"level {_shown(forward, dimension, units)}"] if forward else []
    return [f"forward {_shown(forward, dimension, units)}", f"backward {_shown(backward, dimension, units)}"]


def _shaft(motor: Motor, units: UnitSystem) -> str:
    numbers = {
        "inertia": (motor.rotor_inertia, INERTIA),
        "damping": (motor.damping, TORSIONAL_DAMPING),
        "stall": (motor.stall, TORQUE),
        "no load": (motor.no_load, ANGULAR_SPEED),
        "peak": (motor.peak, TORQUE),
    }
    texts = [f"{word} {_shown(value, d, units)}" for word, (value, d) in numbers.items() if value]
    texts += [f"friction {text}" for text in _levels(motor.friction_forward, motor.friction_backward, TORQUE, units)]
    texts += [] if motor.efficiency == 1.0 else [f"efficiency {motor.efficiency:.6g}"]
    return ", ".join(texts) or "-"


def _way(way: Direction, word: str) -> str:
    if isinstance(way, Toward):
        return f"from {way.start} to {way.end}"
    vector = ", ".join(f"{c:.5g}" for c in np.array(way.vector) + 0.0)
    return f"{word} ({vector})" + (f" of {way.body}" if isinstance(way, OnBody) else "")


def _shown(value: float, dimension: Dimension, units: UnitSystem) -> str:
    return format_quantity(value, dimension, units)
