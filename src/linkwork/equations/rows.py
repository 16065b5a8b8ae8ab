"""The rows that a machine obeys, whoever makes them: errors e, Jacobian J over all rates, and what they are called.

    e(y) = 0,      J(y) w = 0,      J w' + γ(y, w) = 0

Cut joints make six rows each (`closure`), constraints of the model one each (`expression_rows`). Rows of places come
first; those that restrict rates alone have no error and come last. Everything else knows rows, never their makers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.equations.arguments import Arguments
from linkwork.equations.closure import ROWS, LoopEquations, loop_equations, loop_rates
from linkwork.equations.expression_rows import ExpressionRow, expression_rates, expression_row
from linkwork.equations.plan import Plan
from linkwork.equations.tree import Tree


@dataclass(frozen=True)
class RowGroup:
    """Rows that are made together.

    name : of the cut joint, or of the constraint; rows : their places among all
    rates : that they have entries of, ascending; lengths : by row, whether its error is a length of the machine's
    size, else it is an angle or has a scale of its own
    """

    name: str
    rows: range
    rates: tuple[int, ...]
    lengths: tuple[bool, ...]
    of_loop: bool
    of_rates: bool = False


@dataclass(frozen=True)
class Equations:
    """Errors of all rows, and for each group the columns of J by rate, every row of the group an entry."""

    errors: list[Any]
    columns: list[dict[int, tuple[Any, ...]]]
    loops: list[LoopEquations]
    others: list[ExpressionRow]

    @property
    def groups(self) -> list[tuple[int, dict[int, tuple[Any, ...]]]]:
        """How many rows each group has, and its columns; no rate moves some, as that of two rigid joints in a loop."""
        heights = [ROWS] * len(self.loops) + [1] * len(self.others)
        return list(zip(heights, self.columns, strict=True))


def row_groups(plan: Plan) -> tuple[RowGroup, ...]:
    """All rows of a plan, group by group, in their order."""
    groups = [
        RowGroup(cut.joint, range(ROWS * c, ROWS * c + ROWS), tuple(rates), (True,) * 3 + (False,) * 3, True)
        for c, (cut, rates) in enumerate(zip(plan.cuts, loop_rates(plan), strict=True))
    ]
    first = ROWS * len(groups)
    for r, own in enumerate(plan.constraints, first):
        rates = tuple(expression_rates(plan, own))
        groups.append(RowGroup(own.name, range(r, r + 1), rates, (False,), False, own.of_rates))
    return tuple(groups)


def row_equations(tree: Tree, y: Sequence[Any]) -> Equations:
    """Equations of all rows at the variables y of all joints."""
    loops = loop_equations(tree, y)
    others = constraint_rows(tree, y, [0.0] * tree.plan.nw)
    errors = [e for loop in loops for e in loop.error] + [row.error for row in others]
    columns = [loop.columns for loop in loops]
    columns += [{k: (x,) for k, x in row.gradient.items()} for row in others]
    return Equations(errors, columns, loops, others)


def constraint_rows(tree: Tree, y: Sequence[Any], w: Sequence[Any]) -> list[ExpressionRow]:
    """Rows of the model's constraints at variables y and rates w of all joints."""
    if not tree.plan.constraints:
        return []
    state = Arguments(tree, y, w, 0.0)
    return [
        expression_row(plan, numbers, state)
        for plan, numbers in zip(tree.plan.constraints, tree.constants.constraints, strict=True)
    ]


def sparse_rows(equations: Equations) -> dict[int, dict[int, Any]]:
    """Rows of J without structural zeros."""
    rows: dict[int, dict[int, Any]] = {}
    for height, columns in equations.groups:
        first = len(rows)
        for i in range(height):
            entries = {c: column[i] for c, column in columns.items()}
            rows[first + i] = {c: x for c, x in entries.items() if not (isinstance(x, float) and x == 0.0)}
    return rows
