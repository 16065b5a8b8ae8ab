"""Loads and motors, written: SI units, every number to the last bit."""

from __future__ import annotations

from typing import Any

from linkwork.files.entries.amounts import is_quantity
from linkwork.files.words import direction_words, pruned
from linkwork.model.amounts import TIME, Amount, Formula, Steady, Tabulated
from linkwork.model.loading import section_of
from linkwork.model.loads import Direction, Force, Friction, JointLoad, Load, Motor, OnBody, Spring, Torque, Toward
from linkwork.model.mechanism import Mechanism

SECTIONS = ("springs", "dampers", "friction", "motors", "forces", "torques", "loads")


def load_sections(m: Mechanism) -> dict[str, dict[str, Any]]:
    """The sections of all loads and motors of a mechanism."""
    sections: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    for load in (*m.loads.values(), *m.motors.values()):
        sections[section_of(load)][load.name] = pruned({**_entry(load), "description": load.description})
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
        case Formula(text, _, unit):
            plain = repr(unit) == "1.0" and not is_quantity(text)
            return text if plain else pruned({"formula": text, "unit": None if repr(unit) == "1.0" else unit})
        case Tabulated(over, xs, ys, smooth):
            table = [list(pair) for pair in zip(xs, ys, strict=True)]
            return pruned({"table": table, "over": None if over == TIME else over, "smooth": smooth or None})


def _entry(load: Load | Motor) -> dict[str, Any]:
    match load:
        case Spring():
            return _spring(load)
        case Friction():
            return _friction(load)
        case Motor():
            return _motor(load)
        case Force():
            return {"point": load.point, **_direction(load.along, "along"), "amount": amount_entry(load.amount)}
        case Torque():
            return {"body": load.body, **_direction(load.about, "about"), "amount": amount_entry(load.amount)}
        case JointLoad():
            return {"joint": load.variable, "amount": amount_entry(load.amount)}


def _spring(spring: Spring) -> dict[str, Any]:
    return {
        "between": None if spring.variable is not None else [spring.first, spring.second],
        "joint": spring.variable,
        "stiffness": unless(spring.stiffness, 0.0),
        "free": spring.free,
        "damping": unless(spring.damping, 0.0),
        "preload": unless(spring.preload, 0.0),
        "law": None if spring.law is None else amount_entry(spring.law),
    }


def _friction(friction: Friction) -> dict[str, Any]:
    return {
        "joint": friction.variable,
        "level": _levels(friction.forward, friction.backward),
        "static": unless(friction.static, 1.0),
        "viscous": unless(friction.viscous, 0.0),
        "speed": unless(friction.speed, Friction.speed),
        "form": None if friction.form == "smooth" else friction.form,
        "coefficient": unless(friction.coefficient, 0.0),
        "radius": unless(friction.radius, 1.0),
        "normal": None if friction.normal is None else amount_entry(friction.normal),
    }


def _motor(motor: Motor) -> dict[str, Any]:
    return {
        "joint": motor.variable,
        "ratio": unless(motor.ratio, 1.0),
        "rotor_inertia": unless(motor.rotor_inertia, 0.0),
        "damping": unless(motor.damping, 0.0),
        "friction": _levels(motor.friction_forward, motor.friction_backward),
        "efficiency": unless(motor.efficiency, 1.0),
        "stall": motor.stall,
        "no_load": motor.no_load,
        "peak": motor.peak,
    }


def unless(value: float, usual: float) -> float | None:
    """A number, unless it is the usual one to the bit."""
    return None if repr(value) == repr(usual) else value


def _levels(forward: float, backward: float) -> Any:
    return unless(forward, 0.0) if repr(forward) == repr(backward) else [forward, backward]


def _direction(way: Direction, key: str) -> dict[str, Any]:
    if isinstance(way, Toward):
        return {"toward": [way.start, way.end]}
    body = {"on": way.body} if isinstance(way, OnBody) else {}
    return {key: direction_words(way.vector), **body}
