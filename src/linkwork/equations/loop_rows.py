"""What a cut joint asks of the accelerations of its two bodies, and what it can carry.

The law of the joint says how frame M of the second body moves when frame F of the first body and the joint's own rates
are known (`joint_motion`). Six rows compare that with how M does move, along the axes of F, of M, or of the world:

    row · (a_head, a_tail) + γ = S u'          S: columns of the joint's own rates, u' their derivatives

Combinations n with nᵀ S = 0 are free of u': the constraints. They are found once: a row that only one rate moves goes
with it, a constant ±1 is a pivot, two rates that move three rows leave their cross product, one that moves two rows its
perpendicular. The wrench of the joint is n λ plus what its efforts e put along S: Sᵀ W = e.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from linkwork.equations.inverse_dynamics import LinkMotion, turning
from linkwork.equations.joint_motion import LawShape, shaped, shaped_motion
from linkwork.equations.plan import CutConstants, CutPlan, Plan, Pose
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    apply_t,
    combination,
    cross,
    dot,
    is_zero,
    multiply,
    neg,
    scale,
    transpose,
)

RowAxes = Literal["tail", "head", "world"]
ROW_AXES: tuple[RowAxes, ...] = ("tail", "head", "world")

Wrench = tuple[Vector, Vector]
"""Moment about a link's origin and force, along its axes."""
NO_WRENCH: Wrench = (ZERO, ZERO)


@dataclass(frozen=True)
class Row:
    """One comparison: its wrench on the head and on the tail for a unit multiplier, and γ."""

    head: Wrench
    tail: Wrench
    gamma: Any


@dataclass(frozen=True)
class CutRows:
    """Six rows of a cut joint, and the columns S of its rates along them."""

    cut: CutPlan
    rows: tuple[Row, ...]
    S: tuple[tuple[Any, ...], ...]


def cut_rows(
    tree: Tree,
    motion: LinkMotion,
    y: Sequence[Any],
    w: Sequence[Any],
    axes: RowAxes,
    mismatch: Sequence[Any] | None = None,
) -> list[CutRows]:
    """Rows of every cut joint at variables y and rates w of all joints.

    motion : of the links at zero joint accelerations
    mismatch : given in the place of what the joints' accelerations miss, six numbers a joint along F's axes
    """
    turned: Callable[[int], Matrix] = _WorldAxes(tree) if axes == "world" else (lambda i: IDENTITY)
    found = [
        _rows(tree, motion, cut, given, y, w, axes, turned)
        for cut, given in zip(tree.plan.cuts, tree.cuts, strict=True)
    ]
    if mismatch is None:
        return [rows for rows, _ in found]
    return [_missing(rows, in_F, mismatch[6 * c : 6 * c + 6]) for c, (rows, in_F) in enumerate(found)]


def _missing(found: CutRows, in_F: Matrix, mismatch: Sequence[Any]) -> CutRows:
    """Rows whose γ is a given mismatch."""
    gammas = (*apply_t(in_F, mismatch[:3]), *apply_t(in_F, mismatch[3:]))
    rows = tuple(replace(row, gamma=gamma) for row, gamma in zip(found.rows, gammas, strict=True))
    return replace(found, rows=rows)


class _WorldAxes:
    """Rotations from links to the world, each once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[int, Matrix] = {-1: IDENTITY}

    def __call__(self, i: int) -> Matrix:
        if i not in self._known:
            link = self._tree.links[i]
            self._known[i] = multiply(self(link.parent), link.R)
        return self._known[i]


def _rows(
    tree: Tree,
    motion: LinkMotion,
    cut: CutPlan,
    given: CutConstants,
    y: Sequence[Any],
    w: Sequence[Any],
    axes: RowAxes,
    turned: Callable[[int], Matrix],
) -> tuple[CutRows, Matrix]:
    """The rows, and their axes in F as columns."""
    shape, free = shaped(cut.law, given.law)
    joint = shape, tuple(y[cut.y]), tuple(w[cut.w]), tuple(free)
    ends = given.tail, given.head, _moving(tree, motion, cut.tail), _moving(tree, motion, cut.head)
    world = (turned(cut.tail), turned(cut.head)) if axes == "world" else None
    found, S, in_F = tree.cells(_compared, axes, *joint, *ends, world)
    return CutRows(cut, tuple(Row(*row) for row in found), S), in_F


def _compared(
    axes: RowAxes,
    shape: LawShape,
    y: Sequence[Any],
    u: Sequence[Any],
    free: Sequence[Any],
    F: Pose,
    M: Pose,
    tail: tuple[Any, ...],
    head: tuple[Any, ...],
    world: tuple[Matrix, Matrix] | None,
) -> tuple[Any, ...]:
    """Parts of the rows of one cut joint, its columns, and the axes in F.

    tail, head : motion of the links, as in `LinkMotion`; world : their axes, where rows lie along those of the world
    """
    law = shaped_motion(shape, 1, y, u, free)
    # Row axes in F, in the links of the tail and of the head: columns are directions.
    if world is not None:
        in_tail, in_head = transpose(world[0]), transpose(world[1])
        in_F = multiply(transpose(F.R), in_tail)
    elif axes == "tail":
        in_F, in_tail, in_head = IDENTITY, F.R, multiply(M.R, transpose(law.R))
    else:
        in_F, in_tail, in_head = law.R, multiply(F.R, law.R), M.R
    w_T, wd_T, U_T, a_T = tail
    _, wd_H, U_H, a_H = head
    w_F, wd_F = apply_t(F.R, w_T), apply_t(F.R, wd_T)
    a_F = apply_t(F.R, add(a_T, apply(U_T, F.p)))
    spin, slide = apply(law.R, combination(law.Sw, u)), combination(law.Sp, u)
    angular = add(add(wd_F, cross(w_F, spin)), apply(law.R, law.dw))
    linear = add(add(a_F, apply(turning(w_F, wd_F), law.p)), add(scale(2.0, cross(w_F, slide)), law.dp))
    reached = add(a_H, apply(U_H, M.p))
    p_T = add(F.p, apply(F.R, law.p))
    rows: list[tuple[Wrench, Wrench, Any]] = []
    for k in range(3):
        d_F, d_T, d_H = (tuple(row[k] for row in A) for A in (in_F, in_tail, in_head))
        gamma = dot(d_H, reached) - dot(d_F, linear)
        rows.append(((cross(M.p, d_H), d_H), (neg(cross(p_T, d_T)), neg(d_T)), gamma))
    for k in range(3):
        d_F, d_T, d_H = (tuple(row[k] for row in A) for A in (in_F, in_tail, in_head))
        gamma = dot(d_H, wd_H) - dot(d_F, angular)
        rows.append(((d_H, ZERO), (neg(d_T), ZERO), gamma))
    S = tuple((*apply_t(in_F, s), *apply_t(in_F, apply(law.R, w))) for s, w in zip(law.Sp, law.Sw, strict=True))
    return tuple(rows), S, in_F


def _moving(tree: Tree, motion: LinkMotion, i: int) -> tuple[Vector, Vector, Matrix, Vector]:
    if i < 0:
        return ZERO, ZERO, (ZERO, ZERO, ZERO), neg(tree.gravity)
    return motion.w[i], motion.wd[i], motion.U[i], motion.acc[i]


# ---------------------------------------------------------------- constraints among the rows

Combination = Mapping[int, Any]
"""Weights of rows."""
Margin = Callable[[Any], float]
"""How safe a number is as a pivot: its least magnitude at the states that matter; only asked where it matters."""


def constraints(S: Sequence[Sequence[Any]], margin: Margin) -> list[Combination]:
    """Combinations of six rows that the joint's own rates do not move: n with nᵀ S = 0."""
    columns = [{r: x for r, x in enumerate(column) if not is_zero(x)} for column in S]
    combinations: dict[int, dict[int, Any]] = {r: {r: 1.0} for r in range(6)}
    while columns := [c for c in columns if c]:
        found = _pivot(columns, margin)
        if found is not None:
            column, r = found
            columns.remove(column)
            _eliminate(columns, combinations, column, r)
        elif len(columns) == 2:
            return [*_plain(combinations, columns), _crossed(combinations, columns)]
        else:
            (column,) = columns
            (r, a), (s, b) = column.items()
            left = {k: b * x for k, x in combinations.pop(r).items()}
            for k, x in combinations.pop(s).items():
                left[k] = left.get(k, 0.0) - a * x
            return [*combinations.values(), left]
    return list(combinations.values())


def _pivot(columns: list[dict[int, Any]], margin: Margin) -> tuple[dict[int, Any], int] | None:
    """A column and the row that goes with it; none where a closed form does better."""
    for column in columns:
        if len(column) == 1:
            return column, next(iter(column))
    for column in columns:
        for r, x in column.items():
            if isinstance(x, float) and abs(x) == 1.0:
                return column, r
    touched = {r for c in columns for r in c}
    if (len(columns) == 2 and len(touched) == 3) or (len(columns) == 1 and len(touched) == 2):
        return None
    return max(((c, r) for c in columns for r in c), key=lambda found: margin(found[0][found[1]]))


def _eliminate(
    columns: list[dict[int, Any]], combinations: dict[int, dict[int, Any]], column: dict[int, Any], r: int
) -> None:
    pivot, gone = column[r], combinations.pop(r)
    for s, x in column.items():
        if s == r:
            continue
        factor = x / pivot
        for k, weight in gone.items():
            combinations[s][k] = combinations[s].get(k, 0.0) - factor * weight
        for other in columns:
            if r in other:
                other[s] = other.get(s, 0.0) - factor * other[r]
    for other in columns:
        other.pop(r, None)
        for s in [s for s, x in other.items() if is_zero(x)]:
            del other[s]


def _plain(combinations: Mapping[int, Combination], columns: Sequence[Mapping[int, Any]]) -> list[Combination]:
    touched = {r for c in columns for r in c}
    return [c for r, c in combinations.items() if r not in touched]


def _crossed(combinations: Mapping[int, Combination], columns: Sequence[Mapping[int, Any]]) -> Combination:
    rows = sorted({r for c in columns for r in c})
    a, b = ([c.get(r, 0.0) for r in rows] for c in columns)
    left: dict[int, Any] = {}
    for r, weight in zip(rows, cross(a, b), strict=True):
        for k, x in combinations[r].items():
            left[k] = left.get(k, 0.0) + weight * x
    return left


def combined(rows: Sequence[Row], weights: Combination) -> Row:
    """A combination of rows as one."""
    head, tail, gamma = NO_WRENCH, NO_WRENCH, 0.0
    for k, x in weights.items():
        if is_zero(x):
            continue
        head = (add(head[0], scale(x, rows[k].head[0])), add(head[1], scale(x, rows[k].head[1])))
        tail = (add(tail[0], scale(x, rows[k].tail[0])), add(tail[1], scale(x, rows[k].tail[1])))
        gamma = gamma + x * rows[k].gamma
    return Row(head, tail, gamma)


ALIKE = (1.0,) * 6
"""Weights of rows where no rate both shifts and turns."""


def row_weights(S: Sequence[Sequence[Any]], plan: Plan) -> tuple[float, ...]:
    """Weights by which six rows are compared with each other: a length of the machine's size like a radian.

    They matter where a rate both shifts and turns, as along a curve: next to one that only turns, its shift of a few
    micrometres would be lost. Any weights give the same answer but for rounding.
    """
    mixed = any(not all(map(is_zero, c[:3])) and not all(map(is_zero, c[3:])) for c in S)
    if len(S) < 2 or not mixed or not plan.usual_distance:
        return ALIKE
    weight = 4.0 ** -round(math.log2(plan.usual_distance))  # a power of two costs no digits
    return (weight,) * 3 + (1.0,) * 3


def along(S: Sequence[Sequence[Any]], efforts: Sequence[Any], weights: Sequence[float] = ALIKE) -> list[Any]:
    """A wrench along six rows that does the work of efforts on the joint's rates: W = D S g, Sᵀ D S g = e."""
    g = gram_solve(S, efforts, weights)
    return [sum((weights[r] * column[r] * x for column, x in zip(S, g, strict=True)), 0.0) for r in range(6)]


def gram_solve(S: Sequence[Sequence[Any]], right: Sequence[Any], weights: Sequence[float] = ALIKE) -> list[Any]:
    """g with Sᵀ D S g = right, by elimination; S has independent columns, so that every pivot is positive."""
    n = len(S)
    G = [
        [sum((w * (a * b) for w, a, b in zip(weights, S[i], S[j], strict=True)), 0.0) for j in range(n)]
        for i in range(n)
    ]
    x = list(right)
    for i in range(n):
        for j in range(i + 1, n):
            if is_zero(G[j][i]):
                continue
            factor = G[j][i] / G[i][i]
            for k in range(i, n):
                G[j][k] = G[j][k] - factor * G[i][k]
            x[j] = x[j] - factor * x[i]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = x[i] - G[i][k] * x[k]
        x[i] = x[i] / G[i][i]
    return x
