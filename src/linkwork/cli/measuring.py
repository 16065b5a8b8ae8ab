"""What names measure: variables, coordinates and rates in expressions, and parameters that may change on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.expressions import names_in
from linkwork.expressions.names import differentiated
from linkwork.model.amounts import TIME as CLOCK
from linkwork.model.loads import Force, Friction, JointLoad, Spring, Torque
from linkwork.model.states import unit_dimension
from linkwork.model.variables import find_variable
from linkwork.units import (
    ACCELERATION,
    ANGLE,
    ANGULAR_SPEED,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    NUMBER,
    SI,
    TIME,
    TORQUE,
    TORSIONAL_DAMPING,
    Dimension,
    UnitSystem,
)

if TYPE_CHECKING:
    from linkwork.model.loads import Load, Motor
    from linkwork.model.mechanism import Mechanism

_OF_MOTORS = {
    "rotor_inertia": INERTIA,
    "damping": TORSIONAL_DAMPING,
    "friction_forward": TORQUE,
    "friction_backward": TORQUE,
    "stall": TORQUE,
    "no_load": ANGULAR_SPEED,
    "peak": TORQUE,
    "efficiency": NUMBER,
}


def effort_along(quantity: Dimension) -> Dimension:
    """What acts along a variable: a force along a length, a torque about an angle, an energy along a number."""
    return FORCE if quantity == LENGTH else TORQUE


def name_measures(m: Mechanism, name: str) -> Dimension | None:
    """What a name of an expression measures; None where nothing is called so."""
    inner = differentiated(name)
    if inner is not None:
        measured = name_measures(m, inner)
        return None if measured is None else measured / TIME
    if name == CLOCK:
        return TIME
    if (variable := find_variable(m.joints, name)) is not None:
        return variable.quantity
    if name in m.states:
        return unit_dimension(m.states[name].unit, "")
    owner, _, coordinate = name.rpartition(".")
    is_place = owner in m.points or owner in m.frames or owner in m.bodies
    return LENGTH if is_place and coordinate in ("x", "y", "z") else None


def compared_with(m: Mechanism, expression: str, units: UnitSystem) -> tuple[Dimension, UnitSystem]:
    """What an expression may be compared with, and the units of numbers without one.

    A single name has the units of the file. Arithmetic is in SI, and units may be written where all its names measure
    the same.
    """
    names = names_in(expression)
    timeless = [name for name in names if name != CLOCK]
    measured = {name_measures(m, name) for name in timeless or names}
    dimension = measured.pop() if len(measured) == 1 else None
    alone = len(names) == 1 and expression.strip().replace("'", "") == names[0]
    return NUMBER if dimension is None else dimension, units if alone else SI


def parameter_measures(m: Mechanism, name: str) -> Dimension | None:
    """What a parameter measures that may change on the way; None where it is not one of these."""
    owner, _, key = name.partition(".")
    if name in m.states:
        return unit_dimension(m.states[name].unit, "")
    if owner == "gravity":
        return ACCELERATION
    if owner in m.bodies:
        return {"mass": MASS, "com": LENGTH, "inertia": INERTIA}.get(key.partition(".")[0])
    if owner in m.loads:
        return _of_load(m, m.loads[owner], key)
    return _of_motor(m, m.motors[owner], key) if owner in m.motors else None


def _of_load(m: Mechanism, load: Load, key: str) -> Dimension | None:
    variable = getattr(load, "variable", None)
    quantity = LENGTH if variable is None else _quantity(m, variable)
    effort = effort_along(quantity)
    match load:
        case Spring():
            own = {"stiffness": effort / quantity, "free": quantity, "damping": effort * TIME / quantity}
            return {**own, "preload": effort}.get(key)
        case Friction():
            own = {"forward": effort, "backward": effort, "viscous": effort * TIME / quantity, "speed": quantity / TIME}
            return {**own, "static": NUMBER, "coefficient": NUMBER, "radius": LENGTH}.get(key)
        case Force():
            return FORCE if key == "amount" else NUMBER
        case Torque():
            return TORQUE if key == "amount" else NUMBER
        case JointLoad():
            return effort if key == "amount" else NUMBER
    return None


def _of_motor(m: Mechanism, motor: Motor, key: str) -> Dimension | None:
    return ANGLE / _quantity(m, motor.variable) if key == "ratio" else _OF_MOTORS.get(key)


def _quantity(m: Mechanism, variable: str) -> Dimension:
    found = find_variable(m.joints, variable)
    return ANGLE if found is None else found.quantity
