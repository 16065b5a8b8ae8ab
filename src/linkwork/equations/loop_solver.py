"""Keeping loops closed: Newton's step and the rates of all joints, by an elimination whose order is settled beforehand.

The Jacobian J of all rows (`rows`) has pivots, one in each independent row, and independent columns, which the
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

from linkwork.algebra import ca
from linkwork.equations import patterns
from linkwork.equations.coordinates import flow, integrate
from linkwork.equations.plan import Plan
from linkwork.equations.quantity import Quantity
from linkwork.equations.rows import row_equations, row_groups, sparse_rows
from linkwork.equations.scalars import Block, Scalar, Trace, replay, written_out
from linkwork.equations.trace import input_symbols
from linkwork.equations.tree import Tree, grow

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


def closing_step(order: Order, scales: tuple[float, ...] = ()) -> Quantity:
    """Newton's step: (y, length) -> y after the step, measures.

    scales : of the rows of constraints, by which their errors count like radians
    """
    name = f"closing step {order.key}" + (f" {scales}" if scales else "")
    return Quantity(name, ("y", "length"), partial(_step, order, scales), title="closing_step")


def closing_rates(order: Order, derivatives: int) -> Quantity:
    """Rates of all joints and their derivatives, given those of the independent columns.

    derivatives : 1 for the rates alone, 2 for accelerations too, 3 for jerks too
    """
    inputs = ("y", "w", "dw", "ddw")[: derivatives + 1]
    name, law = f"closing rates {derivatives} {order.key}", partial(_closing_rates, order, inputs)
    return Quantity(name, inputs, law, grows="still", title="closing_rates")


def closure_products(level: int) -> Quantity:
    """What the time derivatives of J w hold besides the highest rates, all rows: γ(y, w), or δ(y, w, w') at level 2."""
    inputs = ("y", "w", "dw")[: level + 1]
    law = partial(_products, inputs)
    return Quantity(f"closure products {level}", inputs, law, grows="not", title="closure_products")


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


def solve_pivots(pivots: Sequence[Pivot], rhs: Mapping[int, Any]) -> dict[int, Any]:
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


# ---------------------------------------------------------------- laws


def _loops(tree: Tree, y: Sequence[Any]) -> tuple[list[Any], dict[int, dict[int, Any]]]:
    """Errors, and rows of J without structural zeros."""
    found = row_equations(tree, y)
    return found.errors, sparse_rows(found)


def _step(order: Order, scales: tuple[float, ...], tree: Tree, given: Mapping[str, Sequence[Any]]) -> list[Block]:
    plan, y, (length,) = tree.plan, given["y"], given["length"]
    errors, rows = _loops(tree, y)
    pivots = factorise(rows, order)
    x = solve_pivots(pivots, {p.row: -errors[p.row] for p in pivots})
    stride = [x.get(k, 0.0) for k in range(plan.nw)]
    lengths = length_rates(plan)
    per_length = 1.0 / length
    of_length = length_rows(plan)
    own = dict(zip(range(len(of_length) - len(scales), len(of_length)), scales, strict=True))
    errors = [own[r] * e if r in own else e for r, e in enumerate(errors)]
    position, direction = _sum_of_squares(errors, lambda i: of_length[i])
    slides, turns = _sum_of_squares(stride, lambda k: lengths[k])
    square = per_length * per_length
    weakness, determinant = 0.0, 1.0
    for p in pivots:
        power = int(of_length[p.row]) - int(lengths[p.column])
        inverse = p.inverse * {-1: per_length, 0: 1.0, 1: length}[power]
        if p.row in own:
            inverse = inverse * (1.0 / own[p.row])
        weakness = weakness + inverse * inverse
        determinant = determinant * inverse
    measures = [direction + position * square, turns + slides * square, weakness, 1.0 / determinant]
    return [
        ("y_next", integrate(plan.slots, y, stride), (plan.ny,)),
        ("measures", measures, (len(MEASURES),)),
    ]


def _sum_of_squares(values: Sequence[Any], is_length: Any) -> tuple[Any, Any]:
    """Of the lengths among some values, and of the others."""
    sums: dict[bool, Any] = {True: 0.0, False: 0.0}
    for i, x in enumerate(values):
        sums[is_length(i)] = sums[is_length(i)] + x * x
    return sums[True], sums[False]


def length_rows(plan: Plan) -> list[bool]:
    """By row, whether its error is a length."""
    return [is_length for group in row_groups(plan) for is_length in group.lengths]


def length_rates(plan: Plan) -> list[bool]:
    """By rate of all joints, whether it is of a length; the others are angles or plain numbers."""
    result = [False] * plan.nw
    for slot in plan.slots:
        for k in range(slot.plain):
            result[slot.v.start + k] = slot.law.variables[k].dimension == "length"
    return result


def _closing_rates(order: Order, names: Sequence[str], tree: Tree, x: Mapping[str, Sequence[Any]]) -> list[Block]:
    plan, symbols = tree.plan, patterns.flatten(tree.constants)[1]
    y, given = x["y"], [x[name] for name in names[1:]]
    _, rows = _loops(tree, y)
    pivots = factorise(rows, order)
    rows_of = [r for r, _ in order.pivots]
    products = _rate_products(rows_of, tree, len(given)) if len(given) > 1 else []
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
        solved = solve_pivots(pivots, rhs)
        found.append([solved.get(k, prescribed[k]) for k in range(plan.nw)])
    return [(f"all_{name}", block, (plan.nw,)) for name, block in zip(names[1:], found, strict=True)]


def _products(names: Sequence[str], tree: Tree, x: Mapping[str, Sequence[Any]]) -> list[Block]:
    rows = range(tree.plan.nl)
    function = _rate_products(rows, tree, len(names))[-1]
    values = replay(function, [*[x[name] for name in names], patterns.flatten(tree.constants)[1]])[0]
    return [("products", values, (len(rows),))]


def _rate_products(rows_of: Sequence[int], tree: Tree, levels: int) -> list[ca.Function]:
    """Terms without the highest rates in the time derivatives of J w, in some rows.

    d/dt (J w) = J w' + γ(y, w),   d/dt (J w' + γ) = J w'' + δ(y, w, w')

    Traced apart, with constants of the same structure as those of the tree.
    """
    plan, fresh = tree.plan, Trace()
    pattern = tuple(None if isinstance(x, Scalar) else x for x in patterns.flatten(tree.constants)[1])
    constants, symbols = patterns.symbols(fresh, patterns.rebuild(tree.constants, pattern), tree.independent)
    inputs = input_symbols(plan, ("y", "w"), fresh)
    y, w = inputs[0][1], inputs[1][1]
    _, rows = _loops(grow(plan, constants, y[: plan.nq], [0.0] * plan.nv), y)
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
