"""What names measure: variables, coordinates, rates and states in expressions, and parameters of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from linkwork.expressions import Expression, names_in, parse
from linkwork.expressions.names import differentiated
from linkwork.expressions.nodes import Binary, Call, Negative, Node, Number, Variable, Where, children, in_order
from linkwork.model.amounts import TIME as CLOCK
from linkwork.model.loads import load as of_loads
from linkwork.model.states import unit_dimension
from linkwork.model.variables import find_variable
from linkwork.units import (
    ACCELERATION,
    ANGLE,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    NUMBER,
    SI,
    TIME,
    TORQUE,
    Dimension,
    UnitSystem,
)
from linkwork.units.dimensions import product_text

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


def effort_along(quantity: Dimension) -> Dimension:
    """What acts along a variable: a force along a length, a torque about an angle, an energy along a number."""
    return FORCE if quantity == LENGTH else TORQUE


def compared_with(m: Mechanism, expression: str, units: UnitSystem) -> tuple[Dimension, UnitSystem]:
    """What an expression may be compared with, and the units of numbers without one.

    A single name has the units of the file. Arithmetic is in SI, and units may be written where all its names measure
    the same.
    """
    names = names_in(expression)
    dimension = expression_measures(m, expression)
    alone = len(names) == 1 and expression.strip().replace("'", "") == names[0]
    return NUMBER if dimension is None else dimension, units if alone else SI


def constraint_measures(m: Mechanism, constraint: Constraint) -> Dimension | None:
    """What the expression of a constraint measures, time apart; None where its names do not tell.

    They do where one of them counts as many times as some other angles say: P.y - 0.1*sin(P.x) is a length, as P.y is,
    and so is, over time, rate(P.x)*sin(A) - rate(P.y)*cos(A).
    """
    expression = Expression(constraint.expression, names_in(constraint.expression))
    for name in constraint.names:
        measured = name_measures(m, differentiated(name) or name)
        factors = expression.derivative(name).used
        if (
            measured is not None
            and name not in factors
            and all(name_measures(m, factor) == ANGLE for factor in factors)
        ):
            return measured
    return None


def effort_unit(m: Mechanism, constraint: Constraint) -> str:
    """The SI unit of an effort along an equation: energy by what the equation measures; '1' where that is not known."""
    powers: dict[str, float] = {}
    for name in constraint.names:
        own = name_measures(m, differentiated(name) or name)
        if own is None:
            return "1"
        powers[name] = float(own.length)
    power = _length_power(parse(constraint.expression, None), powers)
    if power and power.is_integer():
        return product_text([("N", 1), ("m", 1 - int(power))])
    measured = constraint_measures(m, constraint)  # tells angles from numbers, and knows of numbers with units
    return "1" if power else _ALONG.get(measured, "1" if power is None else "J")


_ALONG: dict[Dimension | None, str] = {LENGTH: "N", ANGLE: "N m", NUMBER: "J"}
_ANY, _CONSTANT = "any", "constant"
"""What numbers of an equation's own measure, and those that are written out: these are plain in a product."""


def _length_power(root: Node, powers: Mapping[str, float]) -> float | None:
    """Which power of a length an expression measures, angles and numbers apart; None where that is not known.

    powers : by name; names that are not among them are numbers of which nobody said what they measure
    """
    found: dict[Node, float | str] = {}
    for node in in_order(root):
        given = [found[child] for child in children(node)]
        plain = [0.0 if own == _CONSTANT else own for own in given]
        own: float | str | None
        match node:
            case Number():
                own = _CONSTANT
            case Variable(name):
                own = powers.get(name, _ANY)
            case Negative() | Call("abs"):
                own = given[0]
            case Binary("+" | "-") | Call("min" | "max" | "hypot"):
                own = _alike(*given)
            case Where():
                own = None if _alike(*given[:2]) is None else _alike(*given[2:])
            case _ if all(part == _CONSTANT for part in given):
                own = _CONSTANT
            case Binary("*" | "/" as op, _, _):
                a, b = plain
                own = _ANY if isinstance(a, str) or isinstance(b, str) else a + b if op == "*" else a - b
            case Binary("**", _, Number(n)):
                own = plain[0] if isinstance(plain[0], str) else n * plain[0]
            case Call("sqrt"):
                own = plain[0] if isinstance(plain[0], str) else 0.5 * plain[0]
            case Call("atan2"):
                own = None if _alike(*given) is None else 0.0
            case Call("sign"):
                own = 0.0
            case _:  # of plain numbers and angles alone
                own = 0.0 if all(part in (0.0, _ANY) for part in plain) else None
        if own is None:
            return None
        found[node] = own
    power = found[root]
    return None if isinstance(power, str) else power


def _alike(a: float | str, b: float | str) -> float | str | None:
    """What two parts measure that must measure the same; None where they do not."""
    if isinstance(a, str):
        return b if a == _CONSTANT or not isinstance(b, str) else a
    return a if isinstance(b, str) or a == b else None


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
