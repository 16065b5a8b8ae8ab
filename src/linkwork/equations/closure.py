"""Do the loops close, and which joint rates keep them closed: six equations for every cut joint.

A cut joint has frames F on its first body and M on its second. The tree says where M is in F, X_A = (R_A, p_A); the
joint's law says where it ought to be, X_L = (R_L, p_L). The loop is closed when both agree:

    e_p = p_A - p_L,      e_w = log(R_A R_Lᵀ)

with the rotation vector (log) of the turn that is missing, so that half a turn does not pass for none (the skew part of
a rotation vanishes there too). e changes with the rates w of all joints of the loop by the geometric Jacobian,

    e' = J w,     J w = -e  is Newton's step,

which is exact for e_w as well: the log's own derivative leaves a rotation vector as it is.

Axes are chosen so that the columns of the cut joint are constant: then its variables are eliminated for nothing.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.algebra import ca
from linkwork.equations.cells import Fixed
from linkwork.equations.joint_motion import LawShape, shaped, shaped_motion
from linkwork.equations.kinematics import placed
from linkwork.equations.plan import HERE, CutConstants, CutPlan, Plan, Pose
from linkwork.equations.scalars import replay
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import (
    IDENTITY,
    Matrix,
    Vector,
    add,
    apply,
    apply_t,
    cross,
    multiply,
    neg,
    sub,
    transpose,
)

ROWS = 6
"""Equations of a loop: three of position [m], three of direction [rad]."""
SMALL = 1e-3
"""Sine of the angle below which series replace quotients, and the way about the half turn is taken."""


@dataclass(frozen=True)
class LoopEquations:
    """Equations of one loop: the error, and for each rate of its joints a column of the Jacobian."""

    joint: str
    error: tuple[Any, ...]
    columns: dict[int, tuple[Any, ...]]
    linear: Matrix
    """Turns forces along the first three rows into those along the axes of M, on the second body."""
    angular: Matrix
    """The same for moments along the last three rows."""
    step: Pose
    """Pose of M in F by the joint's law."""
    missing: Matrix
    """The turn that is missing, along the axes of the last three rows."""


def loop_equations(tree: Tree, y: Sequence[Any]) -> list[LoopEquations]:
    """Equations of every loop at the variables y of all joints, in the order of the cut joints."""
    seen = _Seen(tree)
    return [_loop(seen, cut, given, y) for cut, given in zip(tree.plan.cuts, tree.cuts, strict=True)]


def loop_errors(tree: Tree, y: Sequence[Any]) -> list[Any]:
    """What every loop misses, six numbers a loop along the axes of F: e_p, e_w."""
    seen, errors = _Seen(tree), []
    for cut, given in zip(tree.plan.cuts, tree.cuts, strict=True):
        above, _, _ = _branches(tree.plan, cut)
        ends = seen(cut.tail, above), given.tail, seen(cut.head, above), given.head
        shape, free = shaped(cut.law, given.law)
        errors += tree.cells(_missed, *ends, shape, tuple(y[cut.y]), tuple(free))
    return errors


def _missed(
    tail: Pose, own_tail: Pose, head: Pose, own_head: Pose, shape: LawShape, y: Sequence[Any], free: Sequence[Any]
) -> tuple[Any, ...]:
    """What a loop misses along the axes of F."""
    F, M = tail @ own_tail, head @ own_head
    law = shaped_motion(shape, 1, y, [0.0] * shape.law.freedom, free)
    turned = multiply(multiply(transpose(F.R), M.R), transpose(law.R))
    return *sub(apply_t(F.R, sub(M.p, F.p)), law.p), *rotation_vector(turned)


def loop_rates(plan: Plan) -> list[list[int]]:
    """By loop, the rates that its equations have, ascending: the pattern of the Jacobian."""
    result = []
    for cut in plan.cuts:
        _, tail, head = _branches(plan, cut)
        rates = sorted({k for i in (*tail, *head) for k in plan.moving(i)})
        result.append([*rates, *range(cut.w.start, cut.w.stop)])
    return result


class _Seen:
    """Poses of links seen from a link above them (-1: the world), each worked out once."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._poses: dict[tuple[int, int], Pose] = {}

    def __call__(self, link: int, above: int) -> Pose:
        if link == above:
            return HERE
        key = (link, above)
        if key not in self._poses:
            path = []
            while link != above and (link, above) not in self._poses:
                path.append(link)
                link = self.tree.links[link].parent
            X = HERE if link == above else self._poses[link, above]
            for i in reversed(path):
                X = self.tree.cells(placed, X, Pose(self.tree.links[i].R, self.tree.links[i].p))
                self._poses[i, above] = X
        return self._poses[key]


def _branches(plan: Plan, cut: CutPlan) -> tuple[int, list[int], list[int]]:
    """The link where the two ways to the cut joint part (-1: the world), and the links on each, outermost first."""
    tail, head = plan.path(cut.tail), plan.path(cut.head)
    shared = set(tail) & set(head)
    above = next((i for i in tail if i in shared), -1)
    return above, [i for i in tail if i not in shared], [i for i in head if i not in shared]


def _loop(seen: _Seen, cut: CutPlan, given: CutConstants, y: Sequence[Any]) -> LoopEquations:
    tree = seen.tree
    above, tail, head = _branches(tree.plan, cut)
    ends = seen(cut.tail, above), given.tail, seen(cut.head, above), given.head
    rates: list[int] = []
    links: list[Any] = []
    for side, on_it in ((-1, tail), (1, head)):
        for i in on_it:
            link = tree.links[i]
            rates += link.dofs
            links.append((side, seen(i, above), seen(link.parent, above), link.Sw, link.Sp))
    order = {k: j for j, k in enumerate(dict.fromkeys(rates))}
    shape, free = shaped(cut.law, given.law)
    places = Fixed(tuple(order[k] for k in rates))
    error, columns, own, *rest = tree.cells(_closing, *ends, tuple(links), places, shape, tuple(y[cut.y]), tuple(free))
    found = dict(zip(order, columns, strict=True)) | {cut.w.start + k: column for k, column in enumerate(own)}
    return LoopEquations(cut.joint, error, dict(sorted(found.items())), *rest)


def _closing(
    tail: Pose,
    own_tail: Pose,
    head: Pose,
    own_head: Pose,
    links: Sequence[tuple[int, Pose, Pose, Sequence[Vector], Sequence[Vector]]],
    places: Fixed,
    shape: LawShape,
    y: Sequence[Any],
    free: Sequence[Any],
) -> tuple[Any, ...]:
    """Error, columns of the tree's rates and of the joint's own, and the rest of `LoopEquations`.

    links : side of the loop, pose, pose of the link before, and columns of each; places : by freedom of these, its rate
    """
    F, M = tail @ own_tail, head @ own_head
    law = shaped_motion(shape, 1, y, [0.0] * shape.law.freedom, free)
    gap = sub(M.p, F.p)
    sliding = not _is_zero(law.p) or not all(map(_is_zero, law.Sp))
    position = sub(apply_t(F.R, gap), law.p) if sliding else gap
    turning = [apply(law.R, s) for s in law.Sw]
    in_F = all(isinstance(x, float) for s in turning for x in s)
    A = multiply(transpose(F.R), M.R)
    missing = multiply(A, transpose(law.R)) if in_F else multiply(transpose(law.R), A)
    axes = F.R if in_F else multiply(F.R, law.R)
    columns: dict[int, tuple[Any, ...]] = {}
    rates = iter(places.value)
    for side, X, before, Sw, Sp in links:
        at = F.p if side < 0 and not sliding else M.p
        for spin, slide in zip(Sw, Sp, strict=True):
            rate = next(rates)
            w = apply(X.R, spin)
            v = add(apply(before.R, slide), cross(w, sub(at, X.p)))
            linear, angular = apply_t(F.R, v) if sliding else v, apply_t(axes, w)
            column = (*linear, *angular) if side > 0 else (*neg(linear), *neg(angular))
            before_it = columns.get(rate)  # a rate of a body may move both ways to the joint
            columns[rate] = column if before_it is None else tuple(map(operator.add, before_it, column))
    own = tuple((*neg(s), *neg(turning[k] if in_F else law.Sw[k])) for k, s in enumerate(law.Sp))
    linear = transpose(law.R) if sliding else transpose(M.R)
    angular = transpose(law.R) if in_F else IDENTITY
    error = (*position, *rotation_vector(missing))
    moving = tuple(columns[k] for k in range(len(columns)))
    return error, moving, own, linear, angular, Pose(law.R, law.p), missing


def _is_zero(vector: Vector) -> bool:
    return all(isinstance(x, float) and x == 0.0 for x in vector)


# ---------------------------------------------------------------- the rotation vector


def rotation_vector(R: Matrix) -> Vector:
    """log R: axis times angle, the angle in (-π, π]. A turn about a coordinate axis is one arc tangent."""
    sines = [R[2][1], R[0][2], R[1][0]]
    still = [isinstance(x, float) and x == 0.0 for x in sines]
    if all(still) and all(isinstance(R[i][i], float) and R[i][i] == 1.0 for i in range(3)):
        return (0.0, 0.0, 0.0)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        if still[i] and still[j] and R[k][k] == 1.0:
            vector: list[Any] = [0.0, 0.0, 0.0]
            vector[k] = replay(_arc(), [[R[j][i], R[i][i]]])[0][0]
            return (vector[0], vector[1], vector[2])
    x, y, z = replay(_log(), [[e for row in R for e in row]])[0]
    return (x, y, z)


@functools.cache
def _arc() -> ca.Function:
    x = ca.SX.sym("x", 2)
    return ca.Function("arc", [x], [ca.atan2(x[0], x[1])])


@functools.cache
def _log() -> ca.Function:
    """R ↦ θ n. With a = sin θ n and c = cos θ: θ = atan2(|a|, c); near θ = π, n from the symmetric part of R.

    There ½(R + Rᵀ) - c 1 = (1 - c) n nᵀ, whose longest column gives n up to the sign, which is that of a.
    """
    r = ca.SX.sym("r", 9)
    R = ca.reshape(r, 3, 3).T
    a = 0.5 * ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    c = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1)
    square = ca.dot(a, a)
    tiny = square < SMALL**2
    s = ca.sqrt(ca.if_else(tiny, 1.0, square))
    near = 1 + square * (1 / 6 + square * (3 / 40 + square * (15 / 336)))
    plain = a * ca.if_else(tiny, near, ca.atan2(s, c) / s)
    S = 0.5 * (R + R.T) - c * ca.SX.eye(3)
    first, second = S[0, 0] > S[1, 1], S[1, 1] > S[2, 2]
    column = ca.if_else(first, ca.if_else(S[0, 0] > S[2, 2], S[:, 0], S[:, 2]), ca.if_else(second, S[:, 1], S[:, 2]))
    turned = tiny * (c < 0)
    n = column / ca.sqrt(ca.if_else(turned, ca.dot(column, column), 1.0))
    short = ca.sqrt(square + 1e-300)
    angle = ca.pi - short * (1 + square / 6)  # π - asin |a|, |a| small
    about = n * ca.if_else(ca.dot(n, a) < 0, -angle, angle)
    return ca.Function("log", [r], [ca.if_else(turned, about, plain)])
