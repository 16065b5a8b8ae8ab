"""What names measure: variables, coordinates, rates and states in expressions, and parameters of a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.expressions import Expression, names_in
from linkwork.expressions.names import differentiated
from linkwork.model.amounts import TIME as CLOCK
from linkwork.model.loads import load as of_loads
from linkwork.model.states import unit_dimension
from linkwork.model.variables import find_variable
from linkwork.units import ACCELERATION, ANGLE, INERTIA, LENGTH, MASS, TIME, Dimension

if TYPE_CHECKING:
    from linkwork.model.constraints import Constraint
    from linkwork.model.mechanism import Mechanism


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


def expression_measures(m: Mechanism, expression: str) -> Dimension | None:
    """What all names of an expression measure, time apart; None where they differ."""
    names = names_in(expression)
    measured = {name_measures(m, name) for name in [n for n in names if n != CLOCK] or names}
    return measured.pop() if len(measured) == 1 else None


def constraint_measures(m: Mechanism, constraint: Constraint) -> Dimension | None:
    """What the expression of a constraint measures, time apart; None where its names do not tell.

    They do where one of them counts as many times as some angles say: P.y - 0.1*sin(P.x) is a length, as P.y is, and
    so is, over time, rate(P.x)*sin(A) - rate(P.y)*cos(A).
    """
    expression = Expression(constraint.expression, names_in(constraint.expression))
    for name in constraint.names:
        measured = name_measures(m, differentiated(name) or name)
        factors = expression.derivative(name).used
        if measured is not None and all(name_measures(m, factor) == ANGLE for factor in factors):
            return measured
    return None


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
