"""What can be asked of a machine with loops by name, besides what its tree gives: parts of quantities of all joints."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from linkwork.algebra import ca
from linkwork.equations.closed_forces import constraint_jacobian, load_state
from linkwork.equations.quantity import Quantity, Values
from linkwork.equations.rows import row_equations
from linkwork.equations.scalars import Block, replay
from linkwork.equations.tree import Tree

SMALL = 1e-3
"""Sine of the angle below which a series replaces a quotient."""


def part_of(quantity: Quantity, output: str, rows: int | Sequence[int] | None = None, name: str = "") -> Quantity:
    """One output of a quantity alone, or some of its rows in their order; a single one loses its axis.

    name : of the part; that of the output by default
    """
    chosen = rows if rows is None or isinstance(rows, int) else tuple(rows)
    law = partial(_part, quantity, output, chosen, name or output)
    return replace(quantity, name=f"{quantity.name}: {output} {chosen}", law=law)


def _part(
    quantity: Quantity, output: str, rows: int | tuple[int, ...] | None, name: str, tree: Tree, x: Values
) -> list[Block]:
    values, shape = next((v, s) for n, v, s in quantity.law(tree, x) if n == output)
    if rows is None:
        return [(name, values, shape)]
    size = math.prod(shape[1:])
    kept = [rows] if isinstance(rows, int) else rows
    entries = [e for r in kept for e in values[size * r : size * r + size]]
    return [(name, entries, shape[1:] if isinstance(rows, int) else (len(kept), *shape[1:]))]


def closure_errors() -> Quantity:
    """What the rows miss: y -> e, of every loop three of position [m] and three of the rotation vector [rad]."""
    return Quantity("closure_errors", ("y",), _closure_errors)


def _closure_errors(tree: Tree, x: Values) -> list[Block]:
    found: list[Any] = []
    rows = row_equations(tree, x["y"])
    for loop in rows.loops:
        found += loop.error[:3]
        found += replay(_turn(), [[e for row in loop.missing for e in row]])[0]
    found += [row.error for row in rows.others]
    return [("e", found, (len(found),))]


@functools.cache
def _turn() -> ca.Function:
    """R ↦ θ n, smooth wherever θ < π: that of `closure` gives up second derivatives to serve half turns exactly."""
    r = ca.SX.sym("r", 9)
    R = ca.reshape(r, 3, 3).T
    a = 0.5 * ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    c = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1)
    square = ca.dot(a, a)
    tiny = (square < SMALL**2) * (c > 0)
    s = ca.sqrt(ca.if_else(tiny, 1.0, square + 1e-300))
    near = 1 + square * (1 / 6 + square * (3 / 40 + square * (15 / 336)))
    return ca.Function("turn", [r], [a * ca.if_else(tiny, near, ca.atan2(s, c) / s)])


def _given(name: str, tree: Tree, x: Values) -> list[Block]:
    return [(name, list(x[name]), (len(x[name]),))]


NAMED = {
    "constraint_jacobian": constraint_jacobian(),
    "closure_errors": closure_errors(),
    "variables": Quantity("variables", ("y",), partial(_given, "y")),
    "variable_rates": Quantity("variable_rates", ("y", "w"), partial(_given, "w")),
    "variable_accelerations": Quantity("variable_accelerations", ("y", "w", "dw"), partial(_given, "dw")),
    "load_magnitudes": replace(part_of(load_state(), "magnitudes"), title="load_magnitudes"),
    "load_powers": replace(part_of(load_state(), "powers"), title="load_powers"),
}
"""Quantities of all joints that need no elimination."""
ELIMINATED = ("drive_efforts", "reactions", "forward_dynamics")
"""Those that do."""
