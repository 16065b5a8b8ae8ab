"""Elimination with complete pivoting: which columns of J depend on which, and how well.

Loop closure gives J x = rhs with redundant rows (three a loop in a planar mechanism) and *specified* columns, whose
values are given. Pivots are the largest |entries| outside the specified columns:

    P J Q = [L11  0] [U11 U12]     columns of Q: pivot | free | specified
            [L21  I] [ 0   R ]     rows of P:    pivot | redundant

R vanishes under the free columns; what is left of it under the specified ones is a conflict: they cannot be given at
will. The multipliers L are stored and solves substitute, which has the smaller backward error than a product with the
Gauss-Jordan inverse and takes no identity columns.

A pivot counts when it is larger than tolerance * max(1, largest |entry| of J). The 1 is there because J comes scaled so
that a radian is 1: a matrix of nothing but rounding (a joint that moves nothing) has rank 0, not full rank.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.numerics._elimination_loops import eliminate_all, solve_all

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

TOLERANCE = 1e-9
ROUNDING = 1e-13
"""Entries of a null space basis below this, relative to its largest one, are set to zero."""


class Pivoted:
    """What every choice of pivots tells."""

    pivots: Floats
    free_columns: Integers
    specified_columns: Integers

    @property
    def log_quality(self) -> float:
        """Sum of log |pivot|; 0 when there is none."""
        return float(np.log(np.abs(self.pivots)).sum())

    @property
    def smallest_pivot(self) -> float:
        """The smallest |pivot|; infinite when there is none."""
        return float(np.abs(self.pivots).min(initial=math.inf))

    @property
    def independent_columns(self) -> Integers:
        """Free columns, then specified ones: whose rates may be chosen."""
        return np.concatenate([self.free_columns, self.specified_columns])


@dataclass(frozen=True, eq=False, repr=False)
class Elimination(Pivoted):
    """The factors of one J (m, n), and what its pivots say.

    `pivot_rows`, `pivot_columns` and `pivots` are in the order of pivoting; `free_columns`, `specified_columns` and
    `redundant_rows` ascend. `conflict` is the largest |remainder| in the redundant rows under the specified columns,
    exactly 0 when it is below `threshold`; `conflict_columns` are the specified columns that take part. `factors` holds
    L (unit diagonal, below), U (above) and R with rows (pivot, redundant) and columns (pivot, free, specified).
    """

    rank: int
    pivot_rows: Integers
    pivot_columns: Integers
    free_columns: Integers
    specified_columns: Integers
    redundant_rows: Integers
    pivots: Floats
    threshold: float
    conflict: float
    conflict_columns: Integers
    factors: Floats

    def __repr__(self) -> str:
        m, n = self.factors.shape
        counts = f"rank {self.rank}, {len(self.free_columns)} free, {len(self.specified_columns)} specified"
        return f"Elimination({m} x {n}, {counts}, conflict {self.conflict:.3g})"

    @property
    def quality(self) -> float:
        """|product of the pivots|: the volume of the pivot block; 1 when there is none."""
        return float(abs(math.prod(self.pivots.tolist())))

    def solve(self, rhs: ArrayLike) -> tuple[Floats, Floats]:
        """x (n, ...) of J x = rhs (m, ...), zero on free and specified columns, and what redundant rows leave open.

        The second result (redundant rows, ...) is the remainder of the right side after elimination; it vanishes when
        the system is consistent.
        """
        m, n = self.factors.shape
        side = np.asarray(rhs, float)
        if side.shape[:1] != (m,):
            raise ValueError(f"the right side has {side.shape[:1]} rows, not {m}")
        require_finite(side, "right side")
        r = self.rank
        rows = np.concatenate([self.pivot_rows, self.redundant_rows])
        work = side.reshape(m, math.prod(side.shape[1:]))[rows]
        for k in range(r):
            work[k + 1 :] -= self.factors[k + 1 :, k, None] * work[k]
        x = np.zeros((n, work.shape[1]))
        x[self.pivot_columns] = _back_substitute(self.factors[:r, :r], work[:r])
        return x.reshape(n, *side.shape[1:]), work[r:].reshape(m - r, *side.shape[1:])

    def columns(self) -> Floats:
        """K (n, free + specified): rates of all columns for a unit rate of each independent one.

        J K = 0, but for a conflict; K has the identity in the rows `independent_columns`.
        """
        independent = self.independent_columns
        r = self.rank
        K = np.zeros((self.factors.shape[1], independent.size))
        K[independent, np.arange(independent.size)] = 1.0
        K[self.pivot_columns] = _back_substitute(self.factors[:r, :r], -self.factors[:r, r:])
        return K


@dataclass(frozen=True, eq=False, repr=False)
class BatchElimination:
    """What the pivots of many matrices say, arrays over the batch; rank -1 marks a matrix that is not finite.

    `pivoted` (B, n) is the mask of pivot columns. Of a matrix that is not finite, quality and smallest pivot are 0 and
    the conflict is infinite.
    """

    rank: Integers
    quality: Floats
    log_quality: Floats
    smallest_pivot: Floats
    conflict: Floats
    pivoted: Booleans

    def __repr__(self) -> str:
        count, n = self.pivoted.shape
        return f"BatchElimination({count} matrices of {n} columns, ranks {np.unique(self.rank).tolist()})"


def eliminate(J: ArrayLike, specified: ArrayLike | None = None, tolerance: float = TOLERANCE) -> Elimination:
    """Factorise one scaled J (m, n) with complete pivoting outside the columns `specified` (n,) bool."""
    matrix = np.asarray(J, float)
    if matrix.ndim != 2:
        raise ValueError(f"J has shape {matrix.shape}, not (m, n)")
    require_finite(matrix, "matrix")
    m, n = matrix.shape
    given = as_mask(specified, n)
    free_count = int(n - given.sum())
    threshold = tolerance * max(1.0, float(np.abs(matrix).max(initial=0.0)))

    rows, columns = np.arange(m), np.argsort(given, kind="stable")
    work = matrix[:, columns]
    rank = 0
    while rank < min(m, free_count):
        rest = np.abs(work[rank:, rank:free_count])
        p, q = divmod(int(rest.argmax()), free_count - rank)
        if rest[p, q] <= threshold:
            break
        _swap(rows, work, rank, rank + p)
        _swap(columns, work.T, rank, rank + q)
        below, right = work[rank + 1 :, rank], work[rank, rank + 1 :]
        below /= work[rank, rank]
        work[rank + 1 :, rank + 1 :] -= below[:, None] * right
        rank += 1

    # rows and columns without pivots may stand in any order: ascending reads best
    row_tail = rank + np.argsort(rows[rank:])
    free_tail = rank + np.argsort(columns[rank:free_count])
    work[rank:] = work[row_tail]
    work[:, rank:free_count] = work[:, free_tail]
    remainder = np.abs(work[rank:, free_count:]).max(axis=0, initial=0.0)
    taking_part = remainder > threshold
    return Elimination(
        rank=rank,
        pivot_rows=rows[:rank],
        pivot_columns=columns[:rank],
        free_columns=columns[free_tail],
        specified_columns=columns[free_count:],
        redundant_rows=rows[row_tail],
        pivots=work.diagonal()[:rank].copy(),
        threshold=threshold,
        conflict=float(remainder[taking_part].max(initial=0.0)),
        conflict_columns=columns[free_count:][taking_part],
        factors=work,
    )


def eliminate_batch(J: ArrayLike, specified: ArrayLike | None = None, tolerance: float = TOLERANCE) -> BatchElimination:
    """`eliminate` for J (B, m, n), without the factors."""
    matrices = _batch(J)
    count, _, n = matrices.shape
    given = as_mask(specified, n)
    result = BatchElimination(
        rank=np.zeros(count, np.int64),
        quality=np.zeros(count),
        log_quality=np.zeros(count),
        smallest_pivot=np.zeros(count),
        conflict=np.zeros(count),
        pivoted=np.zeros((count, n), np.bool_),
    )
    eliminate_all(
        matrices,
        np.argsort(given, kind="stable"),
        int(n - given.sum()),
        tolerance,
        result.rank,
        result.quality,
        result.log_quality,
        result.smallest_pivot,
        result.conflict,
        result.pivoted,
    )
    return result


def solve_batch(
    J: ArrayLike, rhs: ArrayLike, specified: ArrayLike | None = None, tolerance: float = TOLERANCE
) -> tuple[Floats, Integers]:
    """x (B, n, k) of J x = rhs (B, m, k), zero on free and specified columns, and the ranks (B,).

    Redundant rows are left out: compare J x with rhs where they might disagree. Where J or rhs is not finite, the rank
    is -1 and x is 0.
    """
    matrices = _batch(J)
    count, m, n = matrices.shape
    sides = for_loops(rhs)
    if sides.ndim != 3 or sides.shape[:2] != (count, m):
        raise ValueError(f"the right sides have shape {sides.shape}, not ({count}, {m}, k)")
    x = np.zeros((count, n, sides.shape[2]))
    rank = np.zeros(count, np.int64)
    solve_all(matrices, sides, np.flatnonzero(~as_mask(specified, n)), tolerance, x, rank)
    return x, rank


def right_null(J: ArrayLike, tolerance: float = TOLERANCE) -> Floats:
    """A basis (n, n - rank) of J x = 0 in reduced echelon form: the identity in the rows without pivots."""
    K = eliminate(J, None, tolerance).columns()
    K[np.abs(K) <= ROUNDING * np.abs(K).max(initial=1.0)] = 0.0
    return K


def left_null(J: ArrayLike, tolerance: float = TOLERANCE) -> Floats:
    """A basis (m, m - rank) of y J = 0 in reduced echelon form: the identity in the redundant rows."""
    return right_null(np.asarray(J, float).T, tolerance)


def _swap(order: Integers, lines: Floats, i: int, k: int) -> None:
    """Swap lines i and k in place, and their places in the order."""
    if i != k:
        order[i], order[k] = order[k], order[i]
        kept = lines[i].copy()
        lines[i] = lines[k]
        lines[k] = kept


def _back_substitute(U: Floats, rhs: Floats) -> Floats:
    """x of U x = rhs (r, k), U upper triangular."""
    x = rhs.copy()
    for k in range(len(U) - 1, -1, -1):
        x[k] /= U[k, k]
        x[:k] -= U[:k, k, None] * x[k]
    return x


def _batch(J: ArrayLike) -> Floats:
    matrices = for_loops(J)
    if matrices.ndim != 3:
        raise ValueError(f"J has shape {matrices.shape}, not (B, m, n)")
    return matrices


def for_loops(values: ArrayLike) -> Floats:
    """An array as compiled loops take it; copied only if it is not so (they refuse read-only arrays)."""
    return np.require(values, np.float64, ["C", "W", "A"])


def as_mask(specified: ArrayLike | None, n: int) -> Booleans:
    """The mask (n,) of specified columns, checked; None means none."""
    if specified is None:
        return np.zeros(n, np.bool_)
    mask = np.asarray(specified)
    if mask.dtype != np.bool_ or mask.shape != (n,):
        raise ValueError(f"`specified` must be {n} booleans, one a column, not {mask.dtype} of shape {mask.shape}")
    return mask


def require_finite(values: Floats, what: str) -> None:
    """Refuse NaN and infinity, and say where."""
    if not np.isfinite(values).all():
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(values))[0])
        raise ValueError(f"the {what} is not finite at {where}")
