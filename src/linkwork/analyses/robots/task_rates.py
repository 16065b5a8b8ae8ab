"""Rates and accelerations of all joints that a task in time takes: rows of goals beside those of closed loops.

    [J; E B] w = [0; ẋ],    [J; E B] w' = [-γ(y, w); ẍ - E Ḃ w]

with B the Jacobian of the target (Vukobratović 3.1: X^a = B q̈ + A, unknown and prescribed accelerations split). Of many
solutions the one of least scaled rates is taken; where there is none, `unmet` tells how much is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.kinematics.loops import CLOSURE, Loops, Mask
from linkwork.analyses.robots.goal_kinds import Attitude, Place, Pointing
from linkwork.analyses.robots.targets import Target
from linkwork.analyses.robots.task_motion import Sampled
from linkwork.equations.loop_solver import closure_products
from linkwork.equations.reaching import reaching
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.geometry.rotations import skew

CUT = 1e-9
"""Singular values below this part of the largest count as none."""
PIECE = 512
"""Samples worked on at a time."""


@dataclass(frozen=True, eq=False)
class Rates:
    """Rates and accelerations (samples, nw), what of the task they leave unmet, and how strongly joints move it.

    unmet : largest error of any row by sample, of rates and of accelerations, scaled
    strength : by sample, the smallest singular value of the task within the loops, scaled
    surplus : freedoms that the task leaves, by sample
    """

    w: Array
    dw: Array
    unmet: Array
    strength: Array
    surplus: Array


def task_rates(
    loops: Loops,
    tasks: Sequence[tuple[Sampled, Target]],
    specified: Mask,
    given: tuple[Array, Array],
    Y: Array,
    rows: slice | None = None,
    w: Array | None = None,
) -> Rates:
    """Rates and accelerations at samples Y (n, ny).

    given : rates and accelerations (n, nw) of specified columns; rows : which samples of the
        tasks these are; w : rates, where accelerations alone are wanted
    """
    start = 0 if rows is None else rows.start
    parts = []
    for first in range(0, len(Y), PIECE):
        own = slice(first, min(first + PIECE, len(Y)))
        of_task = slice(start + own.start, start + own.stop)
        parts.append(_piece(loops, tasks, specified, (given[0][own], given[1][own]), Y[own], of_task, w))
    return Rates(*(np.concatenate([getattr(p, name) for p in parts]) for name in Rates.__annotations__))


def _piece(
    loops: Loops,
    tasks: Sequence[tuple[Sampled, Target]],
    specified: Mask,
    given: tuple[Array, Array],
    Y: Array,
    rows: slice,
    w: Array | None,
) -> Rates:
    plan, n, nv = loops.plan, len(Y), loops.plan.nv
    bases = tuple(dict.fromkeys(target.base for _, target in tasks))
    q = np.ascontiguousarray(Y[:, : plan.nq])
    X, B = loops.system.bound_kernel(Question(reaching(bases)))(q)
    _, dB = loops.system.bound_kernel(Question(reaching(bases), (("q",),)))(q)
    free = ~specified
    J = loops.equations(Y)[1] if loops.count else np.zeros((n, 0, loops.columns))
    blocks = [_Block(sample, target, bases.index(target.base), rows, X, loops.length) for sample, target in tasks]
    A_task = np.concatenate([b.rows_of(B) for b in blocks], axis=1)  # (n, k, nv)
    A = np.zeros((n, J.shape[1] + A_task.shape[1], loops.columns))
    A[:, : J.shape[1]] = J
    A[:, J.shape[1] :, :nv] = A_task * loops.column_scale[:nv]
    inverse = np.linalg.pinv(A[:, :, free], rcond=CUT)

    def solved(side: Array, own: Array) -> tuple[Array, Array]:
        own = np.where(specified, own, 0.0) / loops.column_scale
        rest = side - np.einsum("nrc,nc->nr", A, own)
        x = np.einsum("ncr,nr->nc", inverse, rest)
        missed = np.abs(np.einsum("nrc,nc->nr", A[:, :, free], x) - rest).max(axis=1, initial=0.0)
        own[:, free] = x
        return own * loops.column_scale, missed

    none = np.zeros((n, J.shape[1]))
    unmet = np.zeros(n)
    if w is None:
        w, unmet = solved(np.concatenate([none, *(b.first() for b in blocks)], axis=1), given[0])
    products = none
    if loops.count:
        products = loops.system.bound_kernel(Question(closure_products(1)))(Y, w)[:, : loops.rows] * loops.row_scale
    twists = np.einsum("nbik,nk->nbi", B, w[:, :nv])
    biases = np.einsum("nbikl,nk,nl->nbi", dB, w[:, :nv], w[:, :nv])
    side = np.concatenate([-products, *(b.second(twists, biases) for b in blocks)], axis=1)
    dw, unmet_too = solved(side, given[1])
    surplus = np.rint(free.sum() - np.einsum("ncr,nrc->n", inverse, A[:, :, free]))  # less the trace of a projector
    if surplus.any():
        # w = Aᵀμ is of least size; its derivative has a part Ȧᵀμ in the null space of A
        changes = np.zeros_like(A)
        if loops.count:
            changes[:, : J.shape[1]] = _loop_changes(loops, Y, w)
        moving = np.einsum("nbikl,nl->nbik", dB, w[:, :nv])
        own = np.concatenate([b.changes(B, moving, twists) for b in blocks], axis=1)
        changes[:, J.shape[1] :, :nv] = own * loops.column_scale[:nv]
        scaled = w / loops.column_scale
        mu = np.einsum("ncr,nc->nr", inverse, scaled[:, free])
        bend = np.einsum("nrc,nr->nc", changes[:, :, free], mu)
        bend -= np.einsum("ncr,nrk,nk->nc", inverse, A[:, :, free], bend)
        dw[:, free] += bend * loops.column_scale[free]
    return Rates(w, dw, np.maximum(unmet, unmet_too), _strengths(A[:, :, free], J.shape[1]), surplus)


def _loop_changes(loops: Loops, Y: Array, w: Array) -> Array:
    """How the scaled Jacobian of the loops changes with the motion, (n, rows, columns)."""
    _, by_y = loops.system.bound_kernel(Question(CLOSURE.quantity, (("y",),)))(Y)
    entries = np.einsum("nek,nk->ne", by_y[:, : len(loops.entry_rows)], w) * loops.entry_scale
    J = np.zeros((len(Y), loops.rows, loops.columns))
    J[:, loops.entry_rows, loops.entry_columns] = entries
    return J


def _strengths(A: Array, loops: int) -> Array:
    """Smallest singular value of the task's rows on the null space of the loops' rows."""
    if not loops:
        return np.asarray(np.linalg.svd(A, compute_uv=False)[:, min(A.shape[1:]) - 1], float)
    _, sizes, turns = np.linalg.svd(A[:, :loops])
    found = np.empty(len(A))
    ranks = (sizes > CUT * sizes[:, :1]).sum(axis=1)
    for rank in np.unique(ranks):
        own = np.flatnonzero(ranks == rank)
        task = A[own, loops:] @ turns[own, rank:].swapaxes(1, 2)
        found[own] = np.linalg.svd(task, compute_uv=False)[:, min(task.shape[1:]) - 1] if min(task.shape[1:]) else 0.0
    return found


class _Block:
    """Rows of one goal over samples: E on the twist of its place, and what they should be."""

    def __init__(self, sample: Sampled, target: Target, base: int, rows: slice, X: Array, length: float) -> None:
        self.goal, self.base, self.length = sample.goal, base, length
        self.d, self.dd = sample.first[rows], sample.second[rows]
        R = X[:, base, 3:].reshape(-1, 3, 3)
        self.lever = R @ target.offset
        self.h = R @ self.goal.axis if isinstance(self.goal, Pointing) else None
        self.chosen = np.array(self.goal.wanted) if isinstance(self.goal, Place) else np.ones(3, bool)
        if self.h is not None:
            u = np.cross(self.h, np.eye(3)[np.abs(self.h).argmin(axis=1)])
            u /= np.linalg.norm(u, axis=1, keepdims=True)
            self.U = np.stack([u, np.cross(self.h, u)], axis=1)  # (n, 2, 3)

    def rows_of(self, B: Array) -> Array:
        """E B (n, k, nv)."""
        own = B[:, self.base]
        if isinstance(self.goal, Place):
            return np.asarray((own[:, :3] - skew(self.lever) @ own[:, 3:])[:, self.chosen] / self.length)
        if isinstance(self.goal, Attitude):
            return np.asarray(own[:, 3:])
        return np.asarray(self.U @ own[:, 3:])

    def changes(self, B: Array, moving: Array, twists: Array) -> Array:
        """How E B changes with the motion, (n, k, nv)."""
        own, dB, w = B[:, self.base], moving[:, self.base], twists[:, self.base, 3:]
        if isinstance(self.goal, Place):
            turned = skew(np.cross(w, self.lever)) @ own[:, 3:]
            change = dB[:, :3] - skew(self.lever) @ dB[:, 3:] - turned
            return np.asarray(change[:, self.chosen] / self.length)
        if isinstance(self.goal, Attitude):
            return np.asarray(dB[:, 3:])
        return np.asarray(self.U @ dB[:, 3:] + np.cross(w[:, np.newaxis], self.U) @ own[:, 3:])

    def first(self) -> Array:
        """What the rows' rates should be."""
        if isinstance(self.goal, Place):
            return np.asarray(self.d[:, self.chosen] / self.length)
        if isinstance(self.goal, Attitude):
            return self.d
        assert self.h is not None
        return np.asarray(np.einsum("nij,nj->ni", self.U, np.cross(self.h, self.d)))

    def second(self, twists: Array, biases: Array) -> Array:
        """What of the rows' accelerations is left to the accelerations of the joints."""
        w, a, turning = twists[:, self.base, 3:], biases[:, self.base, :3], biases[:, self.base, 3:]
        if isinstance(self.goal, Place):
            a = a + np.cross(turning, self.lever) + np.cross(w, np.cross(w, self.lever))
            return np.asarray((self.dd - a)[:, self.chosen] / self.length)
        if isinstance(self.goal, Attitude):
            return np.asarray(self.dd - turning)
        assert self.h is not None
        change = self.dd - np.cross(w, np.cross(w, self.h))  # ω̇ × h
        return np.asarray(np.einsum("nij,nj->ni", self.U, np.cross(self.h, change) - turning))
