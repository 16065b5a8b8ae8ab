"""A closed form as a kernel: all branches of a goal, compiled for this very chain, over any number of goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.algebra import ca
from linkwork.analyses.robots.solutions.closed_forms import Way, closed_form
from linkwork.analyses.robots.solutions.places import Branch
from linkwork.analyses.robots.solutions.scalars import Axis, Turn, axis_of, matrix_of
from linkwork.analyses.robots.solutions.serial_chains import Joint
from linkwork.equations.vectors import IDENTITY, Matrix, Vector, add, apply, apply_t, multiply, neg, scale, sub
from linkwork.geometry import Array
from linkwork.kernels import Kernel


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """A traced closed form.

    way : which; backward : the chain is walked from its other end; ways : of each branch, the sign of each two-way root
    real : joints that count; the others must come out as zero
    kernel : goal (12: rows of R, then p), cosine and sine of the free turn -> values, lack, error by branch
    """

    way: Way
    backward: bool
    kernel: Kernel
    ways: tuple[tuple[int, ...], ...]
    real: tuple[int, ...]

    def __call__(self, goals: Array, free: float = 0.0) -> tuple[Array, Array, Array]:
        """Values (..., branches, joints), lack and error (..., branches) for goals (..., 4, 4)."""
        rows = np.empty((*goals.shape[:-2], 12))
        rows[..., :9] = goals[..., :3, :3].reshape(*goals.shape[:-2], 9)
        rows[..., 9:] = goals[..., :3, 3]
        x, lack, error = self.kernel(rows, np.array([np.cos(free), np.sin(free)]))
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
    given = (tuple(zip(*R, strict=True)), neg(apply_t(R, p))) if backward else (R, p)
    free = Turn(turn[0], turn[1])
    branches = way.branches(given[0], given[1], free)  # type: ignore[arg-type]
    count = len(axes)
    values, lacks, errors = [], [], []
    for b in branches:
        known = b.known[::-1] if backward else b.known
        values += [known[k].value for k in real]
        lacks.append(b.lack)
        errors.append(_error(axes[::-1] if backward else axes, known, real, backward, R, p))
    function = ca.Function(
        "closed_form", [goal, turn], [ca.vertcat(*values), ca.vertcat(*lacks), ca.vertcat(*errors)]
    )
    shapes = [(len(branches), len(real)), (len(branches),), (len(branches),)]
    kernel = Kernel(function, output_shapes=shapes)
    assert count >= len(real)
    return ClosedForm(way, backward, kernel, tuple(b.ways for b in branches), real)


def _error(axes: Sequence[Axis], known: Sequence[Any], real: Sequence[int], backward: bool, R: Matrix, p: Vector) -> Any:
    """Largest component by which the joints that count miss the goal."""
    G: Matrix = IDENTITY
    g: Vector = (0.0, 0.0, 0.0)
    for k in real:
        axis = replace(axes[k], l=neg(axes[k].l)) if backward else axes[k]
        motion = known[k]
        if isinstance(motion, Turn):
            M = matrix_of(axis, motion)
            # x -> o + M (x - o), in front of what comes later
            g = add(g, apply(G, sub(axis.o, apply(M, axis.o))))
            G = multiply(G, M)
        else:
            g = add(g, apply(G, scale(motion.d, axis.l)))
    worst: Any = 0.0
    for i in range(3):
        for j in range(3):
            worst = ca.fmax(worst, ca.fabs(G[i][j] - R[i][j]))
        worst = ca.fmax(worst, ca.fabs(g[i] - p[i]))
    return worst


__all__ = ["Branch", "ClosedForm", "traced"]
