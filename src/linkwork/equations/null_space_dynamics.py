"""Forward dynamics of machines with loops over the independent rates: what total derivatives are taken of.

Accelerations that keep the loops are w' = K a + g; K and g follow from the pivots of an `Order` (`loop_solver`), and a
are those of the independent rates. Joint forces of the loops do no work on K, so that

    Kᵀ M K a = Kᵀ (f - M g)

with M and f of all joints, loops left open (`closed_dynamics.unconstrained`). It costs more than the eliminations of
`closed_dynamics`, but needs none: nothing is decided by numbers that a parameter could change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from linkwork.equations.closed_dynamics import INPUTS, unconstrained
from linkwork.equations.independent_rates import solved_symmetric
from linkwork.equations.loop_solver import Order, closing_rates
from linkwork.equations.quantity import Quantity
from linkwork.equations.scalars import Block
from linkwork.equations.tree import Tree


def independent_dynamics(order: Order, independent: Sequence[int]) -> Quantity:
    """Accelerations of all joints: (y, w, effort, t) -> a."""
    name = f"independent dynamics {tuple(independent)} {order.key}"
    law = partial(_accelerations, order, tuple(independent))
    return Quantity(name, INPUTS, law, regroups=True, title="independent_dynamics")


def _accelerations(order: Order, independent: Sequence[int], tree: Tree, x: Mapping[str, Any]) -> list[Block]:
    nw = tree.plan.nw
    still = [0.0] * nw
    y = x["y"]
    drift: Sequence[Any] = still
    columns: list[Sequence[Any]] = [[float(k == i) for k in range(nw)] for i in independent]
    if order.pivots:
        drift = closing_rates(order, 2).law(tree, {"y": y, "w": x["w"], "dw": still})[1][1]
        columns = [closing_rates(order, 1).law(tree, {"y": y, "w": unit})[0][1] for unit in columns]
    (_, entries, _), (_, force, _) = unconstrained().law(tree, x)
    M = [entries[nw * i : nw * i + nw] for i in range(nw)]
    left = [f - _dot(row, drift) for f, row in zip(force, M, strict=True)]
    moved = [[_dot(row, column) for row in M] for column in columns]
    H = [[_dot(a, b) for b in moved] for a in columns]
    names = [tree.plan.variable_rates[i] for i in independent]
    found = solved_symmetric(H, [_dot(column, left) for column in columns], names)
    a = [g + _dot([column[k] for column in columns], found) for k, g in enumerate(drift)]
    return [("a", a, (nw,))]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total: Any = 0.0
    for p, q in zip(a, b, strict=True):
        total = total + p * q
    return total
