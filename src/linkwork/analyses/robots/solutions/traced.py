"""A closed form as a kernel: all branches of a goal, compiled for this very chain, over any number of goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.algebra import ca
from linkwork.analyses.robots.solutions.closed_forms import Way, closed_form
from linkwork.analyses.robots.solutions.motions import goal_rows
from linkwork.analyses.robots.solutions.places import Turning
from linkwork.analyses.robots.solutions.scalars import Axis, Known, Turn, axis_of, matrix_of
from linkwork.analyses.robots.solutions.serial_chains import Joint
from linkwork.equations.vectors import (
    IDENTITY,
    Matrix,
    Vector,
    add,
    apply,
    apply_t,
    multiply,
    neg,
    scale,
    sub,
    transpose,
)
from linkwork.geometry import Array
from linkwork.kernels import Kernel


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """A traced closed form.

    ways : of each branch, the joints that count whose two-way roots it takes, and which way, from the world outward
    real : joints that count; the others must come out as zero
    reason : what it rests on, and the joints that count of which that is said
    function : goal (12: rows of R, then p), cosine and sine of the free turn -> values, lack, error by branch
    shapes : of its three outputs
    """

    function: ca.Function
    shapes: tuple[tuple[int, ...], ...]
    ways: tuple[tuple[Turning, ...], ...]
    real: tuple[int, ...]
    reason: tuple[str, tuple[int, ...]]

    @cached_property
    def kernel(self) -> Kernel:
        """The function as machine code."""
        return Kernel(self.function, output_shapes=self.shapes)

    def __call__(self, goals: Array, free: float = 0.0) -> tuple[Array, Array, Array]:
        """Values (..., branches, joints), lack and error (..., branches) for goals (..., 4, 4)."""
        x, lack, error = self.kernel(goal_rows(goals), np.array([np.cos(free), np.sin(free)]))
        return x, lack, error


def traced(joints: Sequence[Joint], real: Sequence[int]) -> ClosedForm | None:
    """The closed form of a chain, lengths scaled, walked from either end; None if there is none.

    real : indices of the joints that count
    """
    for backward in (False, True):
        walked = [j.reversed for j in reversed(joints)] if backward else list(joints)
        axes = [axis_of(j.turns, j.axis, j.point) for j in walked]
        way = closed_form(axes)
        if way is not None:
            return _traced(way, axes, backward, tuple(real))
    return None


def _traced(way: Way, axes: Sequence[Axis], backward: bool, real: tuple[int, ...]) -> ClosedForm:
    goal, turn = ca.SX.sym("goal", 12), ca.SX.sym("free", 2)
    e = [goal[k] for k in range(12)]
    R: Matrix = ((e[0], e[1], e[2]), (e[3], e[4], e[5]), (e[6], e[7], e[8]))
    p: Vector = (e[9], e[10], e[11])
    given = (transpose(R), neg(apply_t(R, p))) if backward else (R, p)
    branches = way.branches(given[0], given[1], Turn(turn[0], turn[1]))
    count = len(axes)
    place = {(count - 1 - k if backward else k): number for number, k in enumerate(real)}

    def counted(ways: tuple[Turning, ...]) -> tuple[Turning, ...]:
        return tuple(sorted((place[k], sign) for k, sign in ways if k in place))

    outward = [replace(a, l=neg(a.l)) for a in reversed(axes)] if backward else list(axes)
    error = _error([outward[k] for k in real])
    values, lacks, errors = [], [], []
    for b in branches:
        known = b.known[::-1] if backward else b.known
        values += [known[k].value for k in real]
        lacks.append(b.lack)
        pairs = [x for k in real for x in _pair(known[k])]
        errors.append(error(ca.vertcat(*pairs), goal))
    outputs = [ca.vertcat(*values), ca.vertcat(*lacks), ca.vertcat(*errors)]
    function = ca.Function("closed_form", [goal, turn], outputs)
    shapes = ((len(branches), len(real)), (len(branches),), (len(branches),))
    text, joints = way.reason
    reason = (text, tuple(sorted(place[k] for k in joints if k in place)))
    return ClosedForm(function, shapes, tuple(counted(b.ways) for b in branches), real, reason)


def _pair(known: Known) -> tuple[Any, Any]:
    return (known.c, known.s) if isinstance(known, Turn) else (known.d, 0.0)


def _error(axes: Sequence[Axis]) -> ca.Function:
    """Largest component by which joints miss a goal, from two numbers each: cosine and sine, or distance and zero."""
    pairs, goal = ca.SX.sym("pairs", 2 * len(axes)), ca.SX.sym("goal", 12)
    G: Matrix = IDENTITY
    g: Vector = (0.0, 0.0, 0.0)
    for k, axis in enumerate(axes):
        if axis.turns:
            M = matrix_of(axis, Turn(pairs[2 * k], pairs[2 * k + 1]))
            g = add(g, apply(G, sub(axis.o, apply(M, axis.o))))  # x -> o + M (x - o), in front of what comes later
            G = multiply(G, M)
        else:
            g = add(g, apply(G, scale(pairs[2 * k], axis.l)))
    worst: Any = 0.0
    for k, x in enumerate((*G[0], *G[1], *G[2], *g)):
        worst = ca.fmax(worst, ca.fabs(x - goal[k]))
    return ca.Function("error", [pairs, goal], [worst])
