"""Newton's step, rates and multipliers by sparse factors, for machines whose elimination fills in too far to be traced.

Traced are e, J and the products of rates, whose operations grow with the size of J. The elimination itself is numeric:
pivots' rows and columns are factorised by SuperLU at each posture, once, on a pattern that is laid out once, in the
order of the pivots. What comes out is what `loop_solver` gives: the same inputs, outputs and measures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.equations.closed_forces import carried, needed_efforts, reactions_by
from linkwork.equations.loop_solver import MEASURES, Order, closure_products
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.kernels import Block
from linkwork.kernels.hosted import Hosted

if TYPE_CHECKING:
    from linkwork.analyses.kinematics.loops import Loops

Integers = NDArray[np.int64]

FILLED = 4.0
"""Multiply-adds of an elimination, in parts of the entries of its J, from which it is not traced."""
FEW = 50_000
"""Multiply-adds that are traced however much fills in: that takes a second or two, and kernels are the faster ones."""


@dataclass(frozen=True, eq=False)
class Part:
    """Entries of J in some rows and columns, as a sparse matrix by columns.

    source : by entry of the block, its place among all entries of J
    """

    size: tuple[int, int]
    source: Integers
    indices: Integers
    pointers: Integers

    def matrix(self, entries: Array) -> Any:
        """The block for the entries of J at a posture."""
        from scipy.sparse import csc_array

        return csc_array((entries[self.source], self.indices, self.pointers), shape=self.size)


class SparseSteps:
    """J by the pivots of an order, and what follows from its factors."""

    def __init__(self, loops: Loops, order: Order) -> None:
        self.loops = loops.whole  # whose entries the law of all rows gives
        self.order = order
        pivots = np.array(order.pivots, np.int64).reshape(-1, 2)
        self.rows, self.columns = pivots[:, 0], pivots[:, 1]
        self.independent = np.setdiff1d(np.arange(self.loops.columns), self.columns)
        self.pivoted = self._block(self.columns)
        self.beside = self._block(self.independent)
        self._substituted = 0
        """Entries of the factors, known with `operations`."""

    def _block(self, columns: Integers) -> Part:
        """The block of the pivots' rows in some columns."""
        from scipy.sparse import coo_array

        row_place = np.full(self.loops.rows, -1)
        column_place = np.full(self.loops.columns, -1)
        row_place[self.rows] = np.arange(len(self.rows))
        column_place[columns] = np.arange(len(columns))
        i, j = row_place[self.loops.entry_rows], column_place[self.loops.entry_columns]
        own = np.flatnonzero((i >= 0) & (j >= 0))
        size = len(self.rows), len(columns)
        numbered = coo_array((np.arange(len(own)) + 1.0, (i[own], j[own])), shape=size).tocsc()
        source = own[numbered.data.astype(np.int64) - 1]
        return Part(size, source, numbered.indices, numbered.indptr)

    @cached_property
    def operations(self) -> int:
        """Multiply-adds of the elimination, counted on factors of numbers at random on the same pattern."""
        numbers = np.random.default_rng(5).uniform(0.5, 1.0, len(self.loops.entry_rows))
        lu = _factors(self.pivoted.matrix(numbers))
        if lu is None:
            return 0
        below = np.diff(lu.L.indptr) - 1
        right = np.bincount(lu.U.indices, minlength=len(self.rows)) - 1
        self._substituted = lu.L.nnz + lu.U.nnz
        return int(below @ right)

    def law_operations(self, of_a_motion: int) -> int:
        """About the operations of forward dynamics by the independent rates; of_a_motion : of inverse dynamics."""
        return self.operations + (1 + len(self.independent)) * (self._substituted + of_a_motion)

    @property
    def fills_in(self) -> bool:
        """Whether the elimination is too long to be traced."""
        return self.operations > max(FEW, FILLED * len(self.pivoted.source))

    def pivots(self, y: Array) -> Array:
        """The pivots at a posture in the order of elimination, in the model's own units; none where one vanishes."""
        lu = _factors(self.pivoted.matrix(self.loops.scaled_entries(y)))
        if lu is None:
            return np.zeros(0)
        scales = self.loops.row_scale[self.rows] * self.loops.column_scale[self.columns]
        found: Array = lu.U.diagonal()[lu.perm_c] / scales
        return found

    # ---------------------------------------------------------------- in the place of kernels

    @cached_property
    def step(self) -> Hosted:
        """As `loop_solver.closing_step`: (y, length) -> y after the step, measures."""
        plan = self.loops.plan
        outputs = [Block("y_next", (plan.ny,)), Block("measures", (len(MEASURES),))]
        return Hosted("closing_step", [Block("y", (plan.ny,)), Block("length", (1,))], outputs, self._step)

    def rates(self, derivatives: int) -> Hosted:
        """As `loop_solver.closing_rates`: (y, w, ...) of the independent rates -> all of them."""
        plan, names = self.loops.plan, ("w", "dw", "ddw")[:derivatives]
        inputs = [Block("y", (plan.ny,)), *(Block(name, (plan.nw,)) for name in names)]
        return Hosted("closing_rates", inputs, [Block(f"all_{name}", (plan.nw,)) for name in names], self._rates)

    def forces(self, external: bool, states: bool) -> Hosted:
        """As `closed_forces` with reactions: (y, w, dw, effort, t, ...) -> efforts, wrench, multipliers."""
        system, plan = self.loops.system, self.loops.plan
        needed = system.bound_kernel(Question(needed_efforts(external, states)))
        reactions = system.bound_kernel(Question(reactions_by(external, states)))

        def law(y: Array, *more: Array) -> list[Array]:
            wanted = needed(y, *more)
            efforts, multipliers = self._balanced(y, wanted, np.zeros((len(y), plan.nl)))
            return [efforts, *_listed(reactions(y, *more, multipliers))]

        outputs = [Block("efforts", (plan.nw,)), *reactions.outputs]
        return Hosted("closed_forces", needed.inputs, outputs, law)

    @cached_property
    def idle_wrenches(self) -> Hosted:
        """As `closed_forces.idle_wrenches`: (y, cut_wrench) -> wrench, multipliers of constraints."""
        plan = self.loops.plan
        reactions = self.loops.system.bound_kernel(Question(carried()))
        own = len(plan.constraints)

        def law(y: Array, given: Array) -> list[Array]:
            multipliers = given.copy()
            multipliers[:, self.rows] = 0.0
            multipliers = self._balanced(y, np.zeros((len(y), plan.nw)), multipliers)[1]
            wrenches = reactions(y, multipliers)
            return [wrenches, multipliers[:, plan.nl - own :]] if own else [wrenches]

        outputs = [*reactions.outputs, *([Block("multipliers", (own,))] if own else [])]
        return Hosted("idle_wrenches", reactions.inputs, outputs, law)

    # ---------------------------------------------------------------- laws of arrays

    def _step(self, Y: Array, lengths: Array) -> tuple[Array, Array]:
        loops = self.loops
        if (lengths != loops.length).any():
            raise ValueError(f"errors are scaled by the size of the machine, {loops.length} m")
        errors, entries = loops.errors_and_entries(Y)
        strides, measures = np.full((len(Y), loops.columns), np.nan), np.empty((len(Y), len(MEASURES)))
        for k, (e, own) in enumerate(zip(errors, entries, strict=True)):
            lu, weakness, determinant = _factors(self.pivoted.matrix(own)), np.inf, np.nan
            if lu is not None:
                strides[k] = 0.0
                strides[k, self.columns] = lu.solve(-e[self.rows])
                weakness, determinant = _told(lu.U.diagonal())
            measures[k] = e @ e, strides[k] @ strides[k], weakness, determinant
        moved = loops.advanced(Y, np.where(np.isfinite(strides), strides, 0.0))
        moved[~np.isfinite(strides).all(axis=1)] = np.nan
        return moved, measures

    def _rates(self, Y: Array, *given: Array) -> list[Array]:
        loops = self.loops
        entries = loops.scaled_entries(Y)
        matrices = [self.pivoted.matrix(own) for own in entries]
        beside = [self.beside.matrix(own) for own in entries]
        factors = [_factors(A) for A in matrices]
        found: list[Array] = []
        for level, rates in enumerate(given):
            sides = np.zeros((len(Y), loops.plan.nl))
            if level:
                sides = -loops.system.bound_kernel(Question(closure_products(level)))(Y, *found) * loops.row_scale
            whole = np.array(rates / loops.column_scale)
            for k, (A, B, lu) in enumerate(zip(matrices, beside, factors, strict=True)):
                side = sides[k, self.rows] - B @ whole[k, self.independent]
                whole[k, self.columns] = np.nan if lu is None else _solved(A, lu, side)
            found.append(whole * loops.column_scale)
        return found

    def _balanced(self, Y: Array, needed: Array, given: Array) -> tuple[Array, Array]:
        """Efforts e (samples, rates) in independent columns and multipliers λ (samples, rows): needed = e + Jᵀ λ.

        given : multipliers of the rows without pivots, 0 in the others
        """
        loops = self.loops
        efforts, multipliers = np.zeros_like(needed), given / loops.row_scale
        solved: Any = None
        for k, entries in enumerate(loops.scaled_entries(Y)):
            if not (k and np.array_equal(Y[k], Y[k - 1])):
                A, B = self.pivoted.matrix(entries), self.beside.matrix(entries)
                solved = A, B, _factors(A)
            A, B, lu = solved
            left = needed[k] * loops.column_scale
            if given[k].any():
                pushed = entries * multipliers[k, loops.entry_rows]
                left = left - np.bincount(loops.entry_columns, pushed, loops.columns)
            own = np.nan if lu is None else _solved(A, lu, left[self.columns], "T")
            multipliers[k, self.rows] = own
            left[self.independent] -= B.T @ np.broadcast_to(own, len(self.rows))
            efforts[k, self.independent] = left[self.independent] / loops.column_scale[self.independent]
        return efforts, multipliers * loops.row_scale


def _listed(found: Any) -> list[Array]:
    """Results of a kernel, of which there may be one."""
    return list(found) if isinstance(found, tuple) else [found]


def _factors(A: Any) -> Any:
    """L and U in the order of the pivots; None where one vanishes, or numbers are not finite."""
    from scipy.sparse.linalg import splu

    if not np.isfinite(A.data).all():
        return None
    try:
        lu = splu(A, permc_spec="NATURAL", diag_pivot_thresh=0.0)
    except RuntimeError:  # exactly singular
        return None
    # SuperLU leaves the diagonal only where it is zero.
    return lu if np.array_equal(lu.perm_r, lu.perm_c) else None


def _solved(A: Any, lu: Any, side: Array, trans: str = "N") -> Array:
    """x of A x = side or Aᵀ x = side, refined once."""
    x = lu.solve(side, trans=trans)
    left = side - (A @ x if trans == "N" else A.T @ x)
    refined: Array = x + lu.solve(left, trans=trans)
    return refined


def _told(pivots: Array) -> tuple[float, float]:
    """Σ 1/pivot², and the pivots' product, kept between the least and the largest number so that its sign is told."""
    sizes = np.abs(pivots)
    limits = np.finfo(float)
    sign = -1.0 if np.count_nonzero(pivots < 0.0) % 2 else 1.0
    size = np.clip(np.sum(np.log(sizes)), np.log(limits.tiny), np.log(limits.max))
    return float(np.sum(1.0 / sizes**2)), float(sign * np.exp(size))


def steps_of(loops: Loops, order: Order, known: dict[Order, SparseSteps]) -> SparseSteps | None:
    """Steps by sparse factors, of machines that are large; kept in `known`."""
    if order not in known and loops.sparse and order.pivots:
        known[order] = SparseSteps(loops, order)
    return known.get(order)
