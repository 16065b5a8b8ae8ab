"""Units in formulas: numbers whose units do not fit, and bare ones, which are SI while the header is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from linkwork.errors import ModelError, Problem
from linkwork.expressions import names_in
from linkwork.expressions.measured import Manner, in_units
from linkwork.expressions.nodes import Binary, Call, Negative, Node, Number, Variable, Where, children, in_order
from linkwork.expressions.parser import CONSTANTS, parse
from linkwork.expressions.printer import to_text
from linkwork.model.amounts import ELONGATION, ELONGATION_RATE, TIME, Formula
from linkwork.model.constraints import place_of as place_of_constraint
from linkwork.model.load_words import place_of
from linkwork.model.loads.load import Much, measured, scope_of
from linkwork.model.measures import name_measures
from linkwork.model.mechanism import Mechanism
from linkwork.model.states import unit_dimension
from linkwork.units import ACCELERATION, ANGLE, SI, Dimension, UnitSystem, format_quantity
from linkwork.units import TIME as SECONDS
from linkwork.units.dimensions import described

EXACT = (CONSTANTS["pi"], CONSTANTS["tau"])


def formula_unit_problems(m: Mechanism) -> list[Problem]:
    """Of all formulas of a mechanism: errors where units do not fit, warnings of bare numbers beside other units."""
    header = SI if m.source is None else m.source.units
    problems: list[Problem] = []
    for where, text, wanted, known in _formulas(m):
        problems += _of(text, wanted, known, header, where)
    return problems


def misfits(m: Mechanism, text: str, wanted: Dimension) -> list[Problem]:
    """What does not fit in a formula that should measure `wanted`, as far as its numbers have units."""
    return [p for p in _of(text, wanted, _known(m, text), SI, "") if p.severity == "error"]


def _formulas(m: Mechanism) -> Iterator[tuple[str, str, Dimension | None, Mapping[str, Dimension | None]]]:
    """Where a formula stands, its text, what it should measure, and what its names measure."""
    for load in (*m.loads.values(), *m.motors.values()):
        scope = scope_of(load, m.owners)
        for key in load.keys:
            amount = getattr(load, key.key) if isinstance(key, Much) else None
            if isinstance(amount, Formula) and isinstance(key, Much):
                own = {ELONGATION: scope.quantity, ELONGATION_RATE: scope.quantity / SECONDS} if key.elongation else {}
                wanted = measured(key.measures, scope) if amount.unit == 1.0 else None
                text = amount.told or amount.text
                yield f"{place_of(load)}.{key.key}", text, wanted, {**_known(m, text), **own}
    for state in m.states.values():
        if isinstance(state.rate, Formula):
            wanted = unit_dimension(state.unit, "") / SECONDS if state.rate.unit == 1.0 else None
            known = {name: d for name, d in _known(m, state.rate.text).items() if name not in dict(state.parameters)}
            yield f"states.{state.name}.rate", state.rate.text, wanted, known
    for constraint in m.constraints.values():
        yield place_of_constraint(constraint), constraint.expression, None, _known(m, constraint.expression)
    for axis, law in m.gravity_laws.items():
        if isinstance(law, Formula):
            yield f"gravity.{axis}", law.text, ACCELERATION if law.unit == 1.0 else None, {TIME: SECONDS}


def _known(m: Mechanism, text: str) -> dict[str, Dimension | None]:
    return {name: m.lets[name].measures if name in m.lets else name_measures(m, name) for name in names_in(text)}


def _of(
    text: str, wanted: Dimension | None, known: Mapping[str, Dimension | None], header: UnitSystem, where: str
) -> Iterator[Problem]:
    root = parse(" ".join(text.split()), None)
    manner = Manner(loose=True)
    try:
        whole = in_units(root, known, manner)
        if wanted is not None and whole.bare:
            manner.beside += [(branch, wanted) for branch in _branches(whole.node)]
        given = whole.measures if any(_has_unit(branch) for branch in _branches(root)) and not whole.bare else None
        if wanted is not None and given is not None and not wanted.accepts(given):
            hint = f"{described(wanted)} is wanted, in {SI.symbol(wanted) or 1} or with a unit"
            if wanted.accepts(given / ANGLE):
                hint = f"{described(wanted)} is wanted: a number that is multiplied by an angle is in "
                hint += f"{SI.symbol(wanted)}/rad, or bare"
            yield Problem(f"'{text}' is {described(given)}", where, hint)
    except ModelError as error:
        if _fits_without_units(root, known):
            yield from (Problem(p.what, where, p.hint) for p in error.problems)
        return
    told: set[str] = set()
    for node, measures in manner.beside:
        value = _value(node)
        if value in (None, 0.0) or header.factor(measures) == 1.0 or to_text(in_order(node)) in told:
            continue
        assert value is not None
        bare = to_text(in_order(node))
        told.add(bare)
        meant, taken = (format_quantity(value * f, measures, SI) for f in (header.factor(measures), 1.0))
        unit = header.symbol(measures)
        what = f"'{bare}' is taken as {taken}: bare numbers of formulas are in SI, whatever the header says"
        yield Problem(what, where, f"write '{taken}', or '{bare} {unit}' where {meant} is meant", severity="warning")


def _branches(node: Node) -> list[Node]:
    """The numbers that a formula comes to, where it chooses between several."""
    return [*_branches(node.then), *_branches(node.otherwise)] if isinstance(node, Where) else [node]


def _value(node: Node) -> float | None:
    """The value of plain arithmetic; None where pi has a part in it, whose writer knows of radians."""
    order = in_order(node)
    if any(isinstance(n, Variable) or (isinstance(n, Number) and n.value in EXACT) for n in order):
        return None
    from linkwork.expressions.evaluation import evaluate_numpy

    return float(evaluate_numpy(order, {}))


def _has_unit(node: Node) -> bool:
    return any(isinstance(n, Number) and n.measures is not None for n in in_order(node))


def _fits_without_units(root: Node, known: Mapping[str, Dimension | None]) -> bool:
    """Whether only what is written with units is at odds: the rest is for its writer to know."""
    if not _has_unit(root):
        return False
    made: dict[Node, Node] = {}
    for node in in_order(root):
        parts = tuple(made[child] for child in children(node))
        match node:
            case Number(_, measures) if measures is not None:
                made[node] = Variable("?")
            case Binary(op):
                made[node] = Binary(op, *parts)
            case Where(op):
                made[node] = Where(op, *parts)
            case Negative():
                made[node] = Negative(*parts)
            case Call(name):
                made[node] = Call(name, parts)
            case _:
                made[node] = node
    try:
        in_units(made[root], known, Manner(loose=True))
    except ModelError:
        return False
    return True
