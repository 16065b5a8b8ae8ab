"""Keeping loops closed: Newton's step and the rates of all joints, by an elimination whose order is settled beforehand.

The Jacobian J of all loops (`closure`) has pivots, one in each independent row, and independent columns, which the
drives prescribe. With the order of the pivots known, the elimination is straight-line code: pivots that are ±1, as
those of a cut joint's own variables, cost nothing, and rows that are redundant are not touched. What it gives:

    step     J x = -e,  x = 0 in the independent columns;  y moves by x
    rates    J w = 0,   J w' + γ(y, w) = 0,   J w'' + δ(y, w, w') = 0,   independent entries given

with γ and δ from the time derivatives of J w, which CasADi takes. Each result comes with measures that tell whether the
order still serves the posture.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import casadi as ca

from linkwork.equations import folding
from linkwork.equations.closure import ROWS, LoopEquations, loop_equations
from linkwork.equations.coordinates import flow, integrate
from linkwork.equations.plan import Plan
from linkwork.equations.quantities import Quantity
from linkwork.equations.scalars import Block, Composed, Trace, compose, replay, written_out
from linkwork.equations.tracing import Numbers, function_name, input_symbols
from linkwork.equations.tree import grow

MEASURES = ("residual", "stride", "weakness", "determinant")
"""What a step tells: Σ e², Σ x² and Σ 1/pivot² with lengths in units of the machine's size, and the pivots' product."""


@dataclass(frozen=True)
class Order:
    """Pivots (row, column) in the order of elimination. All other columns are independent, all other rows redundant."""

    pivots: tuple[tuple[int, int], ...]

    @property
    def key(self) -> str:
        """Tells one order from another."""
        return hashlib.sha256(repr(self.pivots).encode()).hexdigest()[:24]


def closing_step(order: Order) -> Quantity:
    """Newton's step: (y, length) -> y after the step, measures."""
    return Quantity(f"closing step {order.key}", ("y", "length"), _no_law, tracer=partial(_trace_step, order))


def closing_rates(order: Order, derivatives: int) -> Quantity:
    """Rates of all joints and their derivatives, given those of the independent columns.

    derivatives : 1 for the rates alone, 2 for accelerations too, 3 for jerks too
    """
    inputs = ("y", "w", "dw", "ddw")[: derivatives + 1]
    tracer = partial(_trace_rates, order, inputs)
    return Quantity(f"closing rates {derivatives} {order.key}", inputs, _no_law, tracer=tracer)


def closure_products(level: int) -> Quantity:
    """What the time derivatives of J w hold besides the highest rates, all rows: γ(y, w), or δ(y, w, w') at level 2."""
    inputs = ("y", "w", "dw")[: level + 1]
    return Quantity(f"closure products {level}", inputs, _no_law, tracer=partial(_trace_products, inputs))


def _no_law(tree: Any, x: Any) -> list[Block]:
    raise AssertionError("traced by a function of its own")


# ---------------------------------------------------------------- elimination

Rows = Mapping[int, Mapping[int, Any]]


@dataclass(frozen=True)
class Pivot:
    """One step of the elimination."""

    row: int
    column: int
    inverse: Any
    below: tuple[tuple[int, Any], ...]
    """Later rows and their multipliers."""
    right: tuple[tuple[int, Any], ...]
    """Later columns of the pivot's row."""


def factorise(rows: Rows, order: Order) -> list[Pivot]:
    """Gauss elimination of the pivots' rows and columns in the given order."""
    columns = {c for _, c in order.pivots}
    work = {r: {c: x for c, x in rows[r].items() if c in columns} for r, _ in order.pivots}
    holders: dict[int, set[int]] = {}
    for r, row in work.items():
        for c in row:
            holders.setdefault(c, set()).add(r)
    pivots = []
    for r, c in order.pivots:
        row = work.pop(r)
        for j in row:
            holders[j].discard(r)
        inverse = 1.0 / row.pop(c)
        below = []
        for r2 in sorted(holders.pop(c)):
            target = work[r2]
            multiplier = target.pop(c) * inverse
            below.append((r2, multiplier))
            for j, x in row.items():
                target[j] = target.get(j, 0.0) - multiplier * x
                holders[j].add(r2)
        pivots.append(Pivot(r, c, inverse, tuple(below), tuple(row.items())))
    return pivots


def _solve(pivots: Sequence[Pivot], rhs: Mapping[int, Any]) -> dict[int, Any]:
    """Solution by column for a right side by row."""
    b = {p.row: rhs.get(p.row, 0.0) for p in pivots}
    for p in pivots:
        for r2, multiplier in p.below:
            b[r2] = b[r2] - multiplier * b[p.row]
    x: dict[int, Any] = {}
    for p in reversed(pivots):
        total = b[p.row]
        for j, value in p.right:
            total = total - value * x[j]
        x[p.column] = total * p.inverse
    return x


# ---------------------------------------------------------------- traces


def _loops(plan: Plan, constants: Any, y: Sequence[Any]) -> tuple[list[Any], dict[int, dict[int, Any]]]:
    """Errors, and rows of J without structural zeros."""
    tree = grow(plan, constants, y[: plan.nq], [0.0] * plan.nv)
    loops = loop_equations(tree, y)
    return [e for loop in loops for e in loop.error], rows_of(loops)


def rows_of(loops: Sequence[LoopEquations]) -> dict[int, dict[int, Any]]:
    """Rows of J without structural zeros."""
    rows: dict[int, dict[int, Any]] = {}
    for k, loop in enumerate(loops):
        for i in range(ROWS):
            entries = {c: column[i] for c, column in loop.columns.items()}
            rows[ROWS * k + i] = {c: x for c, x in entries.items() if not (isinstance(x, float) and x == 0.0)}
    return rows


def _trace_step(order: Order, plan: Plan, numbers: Numbers) -> Composed:
    fresh = Trace()
    constants, symbols = folding.symbols(fresh, numbers.constants, numbers.pattern)
    inputs = input_symbols(plan, ("y", "length"), fresh)
    y, (length,) = inputs[0][1], inputs[1][1]
    errors, rows = _loops(plan, constants, y)
    pivots = factorise(rows, order)
    x = _solve(pivots, {p.row: -errors[p.row] for p in pivots})
    stride = [x.get(k, 0.0) for k in range(plan.nw)]
    lengths = length_rates(plan)
    per_length = 1.0 / length
    position, direction = _sum_of_squares(errors, lambda i: i % ROWS < 3)
    slides, turns = _sum_of_squares(stride, lambda k: lengths[k])
    square = per_length * per_length
    weakness, determinant = 0.0, 1.0
    for p in pivots:
        power = int(p.row % ROWS < 3) - int(lengths[p.column])
        inverse = p.inverse * {-1: per_length, 0: 1.0, 1: length}[power]
        weakness = weakness + inverse * inverse
        determinant = determinant * inverse
    measures = [direction + position * square, turns + slides * square, weakness, 1.0 / determinant]
    outputs = [
        ("y_next", integrate(plan.slots, y, stride), (plan.ny,)),
        ("measures", measures, (len(MEASURES),)),
    ]
    return compose(function_name("closing_step"), inputs, symbols, outputs)


def _sum_of_squares(values: Sequence[Any], is_length: Any) -> tuple[Any, Any]:
    """Of the lengths among some values, and of the others."""
    sums: dict[bool, Any] = {True: 0.0, False: 0.0}
    for i, x in enumerate(values):
        sums[is_length(i)] = sums[is_length(i)] + x * x
    return sums[True], sums[False]


def length_rates(plan: Plan) -> list[bool]:
    """By rate of all joints, whether it is of a length; the others are angles or plain numbers."""
    result = [False] * plan.nw
    for slot in plan.slots:
        for k in range(slot.plain):
            result[slot.v.start + k] = slot.law.variables[k].dimension == "length"
    return result


def _trace_rates(order: Order, names: Sequence[str], plan: Plan, numbers: Numbers) -> Composed:
    fresh = Trace()
    constants, symbols = folding.symbols(fresh, numbers.constants, numbers.pattern)
    inputs = input_symbols(plan, names, fresh)
    y, given = inputs[0][1], [block for _, block, _ in inputs[1:]]
    _, rows = _loops(plan, constants, y)
    pivots = factorise(rows, order)
    rows_of = [r for r, _ in order.pivots]
    products = _rate_products(rows_of, plan, numbers, len(given)) if len(given) > 1 else []
    found: list[list[Any]] = []
    for level, prescribed in enumerate(given):
        rhs: dict[int, Any] = {}
        gamma = replay(products[level - 1], [y, *found, symbols])[0] if level else [0.0] * len(pivots)
        dependent = {p.column for p in pivots}
        for p, product in zip(pivots, gamma, strict=True):
            total = -product
            for c, entry in rows[p.row].items():
                if c not in dependent:
                    total = total - entry * prescribed[c]
            rhs[p.row] = total
        x = _solve(pivots, rhs)
        found.append([x.get(k, prescribed[k]) for k in range(plan.nw)])
    outputs = [(f"all_{name}", block, (plan.nw,)) for name, block in zip(names[1:], found, strict=True)]
    return compose(function_name("closing_rates"), inputs, symbols, outputs)


def _trace_products(names: Sequence[str], plan: Plan, numbers: Numbers) -> Composed:
    fresh = Trace()
    _, symbols = folding.symbols(fresh, numbers.constants, numbers.pattern)
    inputs = input_symbols(plan, names, fresh)
    rows = range(ROWS * len(plan.cuts))
    function = _rate_products(rows, plan, numbers, len(names))[-1]
    values = replay(function, [*[block for _, block, _ in inputs], symbols])[0]
    return compose(function_name("closure_products"), inputs, symbols, [("products", values, (len(rows),))])


def _rate_products(rows_of: Sequence[int], plan: Plan, numbers: Numbers, levels: int) -> list[ca.Function]:
    """Terms without the highest rates in the time derivatives of J w, in some rows.

    d/dt (J w) = J w' + γ(y, w),   d/dt (J w' + γ) = J w'' + δ(y, w, w')
    """
    fresh = Trace()
    constants, symbols = folding.symbols(fresh, numbers.constants, numbers.pattern)
    inputs = input_symbols(plan, ("y", "w"), fresh)
    y, w = inputs[0][1], inputs[1][1]
    _, rows = _loops(plan, constants, y)
    products: list[Any] = []
    for r in rows_of:
        total: Any = 0.0
        for c, entry in rows[r].items():
            total = total + entry * w[c]
        products.append(total)
    whole = written_out("rates", inputs, symbols, [("Jw", products, (len(products),))])
    Y, C = ca.SX.sym("y", plan.ny), ca.SX.sym("c", len(symbols))
    W = [ca.SX.sym(name, plan.nw) for name in ("w", "dw", "ddw")[:levels]]
    moving = ca.vertcat(*flow(plan.slots, ca.vertsplit(Y), ca.vertsplit(W[0])))
    highest, result = whole(Y, W[0], C), []
    for level in range(1, levels):
        term = ca.jtimes(highest, Y, moving)
        for lower, upper in pairwise(W[:level]):
            term += ca.jtimes(highest, lower, upper)
        result.append(ca.Function(f"products{level}", [Y, *W[:level], C], [ca.densify(term)]))
        highest = whole(Y, W[level], C) + term
    return result
