"""What names measure: variables, coordinates and rates in expressions, and parameters that may change on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.expressions import names_in
from linkwork.expressions.names import differentiated
from linkwork.model.amounts import TIME as CLOCK
from linkwork.model.loads import load as of_loads
from linkwork.model.states import unit_dimension
from linkwork.model.variables import find_variable
from linkwork.units import ACCELERATION, FORCE, INERTIA, LENGTH, MASS, NUMBER, SI, TIME, TORQUE, Dimension, UnitSystem

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism


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
    if (variable := find_variable(m.owners, name)) is not None:
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
    load = m.loads.get(owner) or m.motors.get(owner)
    return None if load is None else of_loads.parameter_measures(load, key, of_loads.scope_of(load, m.owners))
