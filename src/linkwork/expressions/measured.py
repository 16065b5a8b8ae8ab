"""What an expression measures, and the same expression in SI: bare numbers have the unit of what they stand beside.

    crank + 5            5 mm beside a length, in a file of mm
    2*crank, crank/2     plain numbers are factors
    cos(30)              30 deg in a file of degrees
    crank + 5 deg        refused

Angles are told from numbers where nothing else is measured; beside other quantities they count as numbers, so that an
arc r*phi is a length.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from linkwork.errors import InputError, Problem
from linkwork.expressions.nodes import Binary, Call, Negative, Node, Number, Variable, Where, children, in_order
from linkwork.expressions.printer import to_text
from linkwork.units import SI, UnitSystem
from linkwork.units.dimensions import ANGLE, NUMBER, Dimension, described

_OF_ANGLE = ("sin", "cos", "tan")
_TO_ANGLE = ("asin", "acos", "atan")
_ALIKE = ("min", "max", "hypot", "atan2")


@dataclass(frozen=True)
class Measured:
    """A node in SI with what it measures.

    measures : None where a part of it measures nobody knows what
    bare : it consists of plain numbers alone, which take the unit of what they stand beside
    """

    node: Node
    measures: Dimension | None
    bare: bool = False


@dataclass
class Manner:
    """How an expression is looked at.

    units : of bare numbers
    loose : numbers may be coefficients with units that nobody wrote, as in -3*A - 0.2*rate(A)
    beside : bare numbers that stand beside something measured, with what it measures, as they are found
    """

    units: UnitSystem = SI
    loose: bool = False
    beside: list[tuple[Node, Dimension]] = field(default_factory=list)


def in_units(
    root: Node,
    known: Mapping[str, Dimension | None],
    units: UnitSystem | Manner = SI,
    wanted: Dimension | None = None,
) -> Measured:
    """An expression in SI, and what it measures.

    known : what names measure, None where nobody knows; names that are not there measure nobody knows what
    units : of bare numbers, or how else it is looked at; wanted : what the whole should measure, else an InputError
    """
    units = units if isinstance(units, Manner) else Manner(units)
    found: dict[Node, Measured] = {}
    for node in in_order(root):
        found[node] = _one(node, [found[child] for child in children(node)], known, units)
    whole = found[root]
    if wanted is None:
        return whole
    if whole.bare:
        return _scaled(whole, wanted, units)
    if whole.measures is not None and not _fits(wanted, whole.measures):
        text = to_text(in_order(root))
        what = f"'{text}' is {described(whole.measures)}"
        raise InputError(Problem(what, hint=f"{described(wanted)} is wanted"))
    return Measured(whole.node, wanted)


def _one(node: Node, parts: list[Measured], known: Mapping[str, Dimension | None], units: Manner) -> Measured:
    match node:
        case Number(_, None):
            return Measured(node, NUMBER, bare=True)
        case Number(_, measures):
            return Measured(node, measures)
        case Variable(name):
            return Measured(node, known.get(name))
        case Negative():
            return replace(parts[0], node=Negative(parts[0].node))
        case Binary("+" | "-" as op, _, _):
            first, second, measures, bare = _alike(parts[0], parts[1], units)
            return Measured(Binary(op, first, second), measures, bare)
        case Binary("*" | "/" as op, _, _):
            a, b = parts
            made = Binary(op, a.node, b.node)
            unsaid = units.loose and a.bare != b.bare
            if a.measures is None or b.measures is None or unsaid:
                return Measured(made, None)
            return Measured(made, a.measures * b.measures if op == "*" else a.measures / b.measures, a.bare and b.bare)
        case Binary(op, _, _):
            return _power(op, *parts)
        case Where(op, _, _, _, _):
            left, right, _, _ = _alike(parts[0], parts[1], units)
            then, other, measures, bare = _alike(parts[2], parts[3], units)
            return Measured(Where(op, left, right, then, other), measures, bare)
        case Call(name, _):
            return _call(name, parts, units)
    raise AssertionError(node)  # pragma: no cover - the cases above are all there are


def _power(op: str, base: Measured, exponent: Measured) -> Measured:
    made = Binary(op, base.node, exponent.node)
    if base.measures is None or base.measures == NUMBER:
        return Measured(made, base.measures, base.bare and exponent.bare)
    power = exponent.node
    whole = power.value if isinstance(power, Number) else math.nan
    if isinstance(power, Negative) and isinstance(power.a, Number):
        whole = -power.a.value
    powers = [p * whole for p in base.measures.powers()]
    if not all(float(p).is_integer() for p in powers):
        return Measured(made, None)
    return Measured(made, Dimension(*(int(p) for p in powers)))


def _call(name: str, parts: list[Measured], units: Manner) -> Measured:
    if name in _OF_ANGLE:
        argument = _scaled(parts[0], ANGLE, units) if parts[0].bare else parts[0]
        if argument.measures not in (None, NUMBER, ANGLE):
            text = to_text(in_order(parts[0].node))
            raise InputError(Problem(f"{name}({text}) is of {described(argument.measures)}", hint="of an angle"))
        return Measured(Call(name, (argument.node,)), NUMBER)
    if name in _ALIKE:
        first, second, measures, bare = _alike(parts[0], parts[1], units)
        return Measured(Call(name, (first, second)), ANGLE if name == "atan2" else measures, bare and name != "atan2")
    argument = parts[0]
    made = Call(name, (argument.node,))
    if name in _TO_ANGLE:
        return Measured(made, ANGLE)
    if name == "abs":
        return Measured(made, argument.measures, argument.bare)
    if name == "sqrt" and argument.measures is not None:
        halves = [p / 2 for p in argument.measures.powers()]
        whole = all(h.is_integer() for h in halves)
        return Measured(made, Dimension(*(int(h) for h in halves)) if whole else None, argument.bare)
    return Measured(made, None if argument.measures is None else NUMBER, argument.bare)


def _alike(a: Measured, b: Measured, units: Manner) -> tuple[Node, Node, Dimension | None, bool]:
    """Two parts that must measure the same; a bare one takes the unit of the other."""
    if a.bare and b.bare:
        return a.node, b.node, NUMBER, True
    if a.bare and b.measures is not None:
        a = _scaled(a, b.measures, units)
    if b.bare and a.measures is not None:
        b = _scaled(b, a.measures, units)
    if a.measures is not None and b.measures is not None and not _fits(a.measures, b.measures):
        texts = [to_text(in_order(part.node)) for part in (a, b)]
        what = f"'{texts[0]}' is {described(a.measures)}, '{texts[1]}' is {described(b.measures)}"
        raise InputError(Problem(what, hint="add and compare what measures the same"))
    if a.bare or b.bare:  # beside what nobody knows
        return a.node, b.node, None, False
    return a.node, b.node, b.measures if a.measures is None else a.measures, False


def _scaled(part: Measured, measures: Dimension, units: Manner) -> Measured:
    """A part of plain numbers in the unit of what it stands beside."""
    factor = units.units.factor(measures)
    units.beside.append((part.node, measures))
    if isinstance(part.node, Number):
        return Measured(Number(part.node.value * factor, measures), measures)
    return Measured(Binary("*", part.node, Number(factor, measures)), measures)


def _fits(wanted: Dimension, given: Dimension) -> bool:
    """Whether the two measure the same; angles are numbers beside other quantities."""
    if wanted == given:
        return True
    plain = [replace(own, angle=0) for own in (wanted, given)]
    return plain[0] == plain[1] and (plain[0] != NUMBER or NUMBER in (wanted, given))
