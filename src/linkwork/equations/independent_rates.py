"""Accelerations over the independent rates, by sparse factors of the rows: for nets whose elimination fills in.

Accelerations that keep the rows are w' = K u + g, with u those of the independent rates:

    J K = 0,     J g = -γ,     Kᵀ M K u = Kᵀ (f - M g)

J has the factors of one fixed order of pivots (`sparse_elimination`). M is never written down: M K are inverse dynamics
at rest, f - M g those of the motion itself, both linear in the number of links. That is short where few rates are
independent, however many loops there are: a net of plates has thousands of rates and moves with one or two freedoms,
while the mass matrix of its tree, and the rows over it, fill in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from linkwork.equations.inverse_dynamics import Applied, LinkMotion, inverse_dynamics, link_motion
from linkwork.equations.loop_rows import cut_rows
from linkwork.equations.loop_solver import Order
from linkwork.equations.motion_equations import State, with_lent
from linkwork.equations.rows import Equations, constraint_rows, row_equations, sparse_rows
from linkwork.equations.sparse_elimination import sparse_solutions
from linkwork.equations.tree import Tree, Weightless, grow
from linkwork.equations.vectors import ZERO, apply_t, is_zero


@dataclass(frozen=True)
class IndependentRates:
    """The pivots of all rows, and the rates that they leave free."""

    order: Order
    rates: tuple[int, ...]


def independent_accelerations(
    basis: IndependentRates, tree: Tree, state: State, efforts: Literal["tree", "all"]
) -> tuple[list[Any], list[Any]]:
    """Accelerations of all rates, and the inverses of the pivots."""
    plan, nv, nw = tree.plan, tree.nv, tree.plan.nw
    applied = with_lent(tree, state.applied)
    found = row_equations(tree, state.y)
    rows = sparse_rows(found)
    motion = link_motion(tree, state.w[:nv], [0.0] * nv)
    missed = _missed(tree, motion, found, state)
    pivots = basis.order.pivots
    sides: list[Mapping[int, Any]] = [{r: missed[r] for r, _ in pivots}]
    sides += [{r: rows[r][k] for r, _ in pivots if k in rows[r]} for k in basis.rates]
    (down, *across), inverses = sparse_solutions(state.y[0].trace, rows, pivots, sides)
    drift = [-down[k] if k in down else 0.0 for k in range(nw)]
    columns = [
        [-own[k] if k in own else float(k == i) for k in range(nw)] for i, own in zip(basis.rates, across, strict=True)
    ]
    driven = (
        range(nw) if efforts == "all" else [*range(nv), *(k for s in plan.measured for k in range(s.v.start, s.v.stop))]
    )
    left = [-x for x in _needed(tree, state.w[:nv], drift, applied)]
    for k in driven:
        left[k] = left[k] + state.effort[k]
    still = [0.0] * nv
    at_rest = replace(grow(plan, tree.constants, state.y[: plan.nq], still, cells=tree.cells), gravity=ZERO)
    resisting = Applied({}, {}, {}, applied.rotors)
    moved = [_needed(at_rest, still, column, resisting) for column in columns]
    H = [[_dot(a, b) for b in moved] for a in columns]
    names = [plan.variable_rates[k] for k in basis.rates]
    u = solved_symmetric(H, [_dot(column, left) for column in columns], names)
    return [g + _dot([column[k] for column in columns], u) for k, g in enumerate(drift)], inverses


def _needed(tree: Tree, v: Sequence[Any], a: Sequence[Any], applied: Applied) -> list[Any]:
    """Forces along all rates that accelerations of all rates take while the rows carry nothing."""
    nv = tree.nv
    beyond = range(nv, tree.plan.nw)
    own = [applied.rotors.get(k, 0.0) * a[k] - applied.along.get(k, 0.0) for k in beyond]
    return [*inverse_dynamics(tree, v, a[:nv], applied).tau, *own]


def _missed(tree: Tree, motion: LinkMotion, found: Equations, state: State) -> list[Any]:
    """γ of all rows, along the axes of these; or the mismatch that is given in its place."""
    missed: list[Any] = []
    for cut, loop in zip(cut_rows(tree, motion, state.y, state.w, "tail", state.mismatch), found.loops, strict=True):
        gammas = [row.gamma for row in cut.rows]
        for turned, part in ((loop.linear, gammas[:3]), (loop.angular, gammas[3:])):
            of_head = apply_t(loop.step.R, (part[0], part[1], part[2]))
            missed += apply_t(turned, of_head)
    if state.mismatch is None:
        return missed + [row.gamma for row in constraint_rows(tree, state.y, state.w)]
    return missed + list(state.mismatch[len(missed) :])


def solved_symmetric(H: Sequence[Sequence[Any]], right: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Solution of a symmetric positive system by H = L D Lᵀ.

    names : of the rates that it moves
    """
    n, A, x = len(right), [list(row) for row in H], list(right)
    inverses: list[Any] = []
    for k in range(n):
        if is_zero(A[k][k]):
            name = names[k]
            raise Weightless(f"no mass resists {name}, so accelerations are not determined", name, "give masses")
        inverses.append(1.0 / A[k][k])
        for i in range(k + 1, n):
            factor = A[i][k] * inverses[k]
            for j in range(k + 1, n):
                A[i][j] = A[i][j] - factor * A[k][j]
            x[i] = x[i] - factor * x[k]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            x[k] = x[k] - A[k][j] * x[j]
        x[k] = x[k] * inverses[k]
    return x


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total: Any = 0.0
    for p, q in zip(a, b, strict=True):
        total = total + p * q
    return total
