"""Pivot orders for large sparse J: little fill, safe pivots, time that grows with the number of loops.

Markowitz: of all usable entries, the pivot is the one with the smallest (entries in its row - 1) * (entries in its
column - 1), which bounds the fill. Usable is an entry outside the specified columns with

    |entry| >= threshold * (largest such |entry| of its row),   |entry| > level

The level starts high and falls to the tolerance only when nothing else is left: pivots that are small because the
posture is near a singular one come last, as with complete pivoting, so that the rank is revealed.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.errors import LinkworkError
from linkwork.numerics.elimination import TOLERANCE, Pivoted, as_mask, require_finite

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LEVELS = (1e-2, 1e-5)
"""Smallest |pivot| in the first rounds; J is scaled, so that 1 is a radian."""

DROP = 1e-14
"""Entries below this times max(1, largest |entry|) are rounding and would only make fill."""

HUB = 24
"""Costs of rows are not brought up to date for columns with more entries than this: one more or less changes little."""


class Triplets(NamedTuple):
    """A sparse matrix as entries `values[k]` at `rows[k]`, `columns[k]`; entries at the same place add up."""

    rows: ArrayLike
    columns: ArrayLike
    values: ArrayLike
    shape: tuple[int, int]


@dataclass(frozen=True, eq=False, repr=False)
class PivotOrder(Pivoted):
    """Which entries to pivot on, in order, and what is left.

    Pivot k is at (`rows`[k], `columns`[k]) and has the value `pivots`[k] at the posture asked for. `free_columns`,
    `specified_columns` and `redundant_rows` ascend. `conflict` is the largest |remainder| in the redundant rows under
    the specified columns, exactly 0 when it is below tolerance * max(1, largest |entry|); `conflict_columns` take part.
    `fill` counts entries that the elimination adds, `operations` its multiply-adds, `work` all entries looked at.
    """

    shape: tuple[int, int]
    rows: Integers
    columns: Integers
    pivots: Floats
    free_columns: Integers
    specified_columns: Integers
    redundant_rows: Integers
    conflict: float
    conflict_columns: Integers
    fill: int
    operations: int
    work: int

    def __repr__(self) -> str:
        free, specified = len(self.free_columns), len(self.specified_columns)
        size = f"{self.shape[0]} x {self.shape[1]}, rank {self.rank}"
        return f"PivotOrder({size}, {free} free, {specified} specified, fill {self.fill})"

    @property
    def rank(self) -> int:
        """Number of pivots."""
        return len(self.rows)

    def with_rows(self, rows: Integers) -> PivotOrder:
        """The same columns with other rows; what the pivots would be is not known."""
        redundant = np.setdiff1d(np.arange(self.shape[0]), rows)
        return replace(self, rows=rows, redundant_rows=redundant)

    def with_pivots(self, other: PivotOrder) -> PivotOrder:
        """The same columns with the pivots of another order."""
        return replace(
            self.with_rows(other.rows), columns=other.columns, pivots=other.pivots, fill=self.fill + other.fill,
            operations=self.operations + other.operations, work=self.work + other.work,
        )  # fmt: skip


def pivot_order(
    J: Any,
    specified: ArrayLike | None = None,
    *,
    prefer: ArrayLike | None = None,
    threshold: float = 0.1,
    tolerance: float = TOLERANCE,
    levels: Sequence[float] = LEVELS,
) -> PivotOrder:
    """The pivot order of a scaled J at one posture: a scipy.sparse matrix, an array or `Triplets`.

    `prefer` (n,) breaks ties of the Markowitz cost: columns with small weights rather become dependent. Next come
    entries of exactly +-1 (division by them costs nothing), then large ones, then the first. `levels`, descending, are
    the smallest pivots of each round.
    """
    if not 0.0 < threshold <= 1.0:
        raise ValueError(f"the threshold is {threshold}, not in (0, 1]")
    entries = _entries(J)
    m, n = entries.shape
    given = as_mask(specified, n)
    weights = np.zeros(n) if prefer is None else np.asarray(prefer, float)
    if weights.shape != (n,):
        raise ValueError(f"`prefer` has shape {weights.shape}, not ({n},)")
    require_finite(weights, "list of weights `prefer`")

    scale = max(1.0, float(np.abs(entries.values).max(initial=0.0)))
    least = tolerance * scale
    active = _Active(entries, given.tolist(), weights.tolist(), threshold, DROP * scale)
    rows, columns, pivots = active.run([*(level for level in levels if level > least), least])

    redundant = np.setdiff1d(np.arange(m), rows)
    remainder = np.zeros(n)
    for i in redundant.tolist():
        for j, value in active.rows[i].items():
            remainder[j] = max(remainder[j], abs(value))
    conflicting = np.flatnonzero(given & (remainder > least))
    free = ~given
    free[columns] = False
    return PivotOrder(
        shape=(m, n),
        rows=np.array(rows, np.int64),
        columns=np.array(columns, np.int64),
        pivots=np.array(pivots, float),
        free_columns=np.flatnonzero(free),
        specified_columns=np.flatnonzero(given),
        redundant_rows=redundant,
        conflict=float(remainder[conflicting].max(initial=0.0)),
        conflict_columns=conflicting,
        fill=active.fill,
        operations=active.operations,
        work=active.work,
    )


class _Active:
    """The rows and columns without a pivot so far, and a queue with the best pivot of each row."""

    def __init__(
        self, entries: _Entries, given: list[bool], weights: list[float], threshold: float, drop: float
    ) -> None:
        m, n = entries.shape
        self.rows: list[dict[int, float]] = [{} for _ in range(m)]
        self.columns: list[set[int]] = [set() for _ in range(n)]
        self.given, self.weights, self.threshold, self.drop = given, weights, threshold, drop
        self.level = math.inf
        self.queue: list[tuple[int, float, bool, float, int, int, int]] = []
        self.stamps = [0] * m  # an entry of the queue counts only while its row has the same stamp; -1: has its pivot
        self.fill = self.operations = self.work = 0
        for i, j, value in zip(entries.rows.tolist(), entries.columns.tolist(), entries.values.tolist(), strict=True):
            if abs(value) > drop:
                self.rows[i][j] = value
                self.columns[j].add(i)

    def run(self, levels: list[float]) -> tuple[list[int], list[int], list[float]]:
        """Pivot until nothing usable is left: rows, columns, values."""
        rows: list[int] = []
        columns: list[int] = []
        pivots: list[float] = []
        for level in levels:
            self.level = level
            for i, stamp in enumerate(self.stamps):
                if stamp >= 0:
                    self.enqueue(i)
            while self.queue:
                *_, i, j, stamp = heapq.heappop(self.queue)
                if stamp == self.stamps[i]:
                    rows.append(i)
                    columns.append(j)
                    pivots.append(self.rows[i][j])
                    self.pivot(i, j)
        return rows, columns, pivots

    def enqueue(self, i: int) -> None:
        """Put the best usable entry of a row into the queue, if it has one."""
        self.stamps[i] += 1
        row, given = self.rows[i], self.given
        self.work += len(row)
        candidates = [(j, abs(value)) for j, value in row.items() if not given[j]]
        largest = max([size for _, size in candidates], default=0.0)
        if largest <= self.level:
            return
        floor = self.threshold * largest
        others = len(row) - 1
        best = min(
            (others * (len(self.columns[j]) - 1), self.weights[j], size != 1.0, -size, i, j, self.stamps[i])
            for j, size in candidates
            if size >= floor and size > self.level
        )
        heapq.heappush(self.queue, best)

    def pivot(self, i: int, j: int) -> None:
        """Eliminate column j from the other rows with row i, and take both out."""
        row, columns = self.rows[i], self.columns
        self.stamps[i] = -1
        for c in row:
            columns[c].discard(i)
        value = row.pop(j)
        others = list(row.items())
        below = columns[j]
        columns[j] = set()
        for k in below:
            self.subtract(k, self.rows[k].pop(j) / value, others)
        touched = set(below)
        for c, _ in others:
            if not self.given[c] and len(columns[c]) <= HUB:
                touched |= columns[c]
        for k in touched:
            self.enqueue(k)

    def subtract(self, k: int, factor: float, others: list[tuple[int, float]]) -> None:
        """Row k minus factor * (the rest of the pivot row)."""
        row = self.rows[k]
        self.operations += len(others)
        self.work += len(others)
        for c, value in others:
            old = row.get(c)
            new = (0.0 if old is None else old) - factor * value
            if abs(new) > self.drop:
                row[c] = new
                if old is None:
                    self.columns[c].add(k)
                    self.fill += 1
            elif old is not None:
                del row[c]
                self.columns[c].discard(k)


@dataclass(frozen=True, eq=False, repr=False)
class SparseFactor:
    """J at one posture, factorised in a fixed pivot order: J11 = L U for the pivot rows and columns.

    `smallest_pivot` and `log_quality` are those of this posture: when they fall far below those of the order, ask for a
    new order.
    """

    order: PivotOrder
    smallest_pivot: float
    log_quality: float
    _lu: Any
    _beside: Any  # J12: pivot rows, independent columns
    _below: Any  # J21: redundant rows, pivot columns
    _rest: Any  # J22: redundant rows, independent columns

    def __repr__(self) -> str:
        return f"SparseFactor({self.order!r}, smallest pivot {self.smallest_pivot:.3g})"

    def solve(self, rhs: ArrayLike) -> tuple[Floats, Floats]:
        """x (n, ...) of J x = rhs (m, ...), zero on free and specified columns, and what redundant rows leave open.

        The second result (redundant rows, ...) is rhs2 - J21 J11^-1 rhs1, zero when the system is consistent.
        """
        side = np.asarray(rhs, float)
        m, n = self.order.shape
        if side.shape[:1] != (m,):
            raise ValueError(f"the right side has {side.shape[:1]} rows, not {m}")
        require_finite(side, "right side")
        flat = side.reshape(m, math.prod(side.shape[1:]))
        x = np.zeros((n, flat.shape[1]))
        pivoted = self._solve(flat[self.order.rows])
        x[self.order.columns] = pivoted
        left = flat[self.order.redundant_rows] - self._below @ pivoted
        return x.reshape(n, *side.shape[1:]), left.reshape(len(left), *side.shape[1:])

    def rates(self, independent: ArrayLike) -> tuple[Floats, Floats]:
        """Rates x (n, ...) with J x = 0 for those of the `independent_columns`, and what redundant rows leave open.

        The second result (redundant rows, ...) is their J x: not zero when specified columns are in conflict.
        """
        chosen = np.asarray(independent, float)
        places = self.order.independent_columns
        if chosen.shape[:1] != (places.size,):
            raise ValueError(f"rates of {chosen.shape[:1]} columns are given; {places.size} are independent")
        require_finite(chosen, "list of rates")
        n = self.order.shape[1]
        flat = chosen.reshape(places.size, math.prod(chosen.shape[1:]))
        x = np.zeros((n, flat.shape[1]))
        pivoted = self._solve(-(self._beside @ flat))
        x[places] = flat
        x[self.order.columns] = pivoted
        left = self._below @ pivoted + self._rest @ flat
        return x.reshape(n, *chosen.shape[1:]), left.reshape(len(left), *chosen.shape[1:])

    def dependences(self, which: slice | Integers = slice(None)) -> Floats:
        """J21 J11^-1 (some redundant rows, pivots): how those rows are made of the pivots' rows."""
        below = self._below[which].toarray()
        return below if self._lu is None else np.asarray(self._lu.solve(below.T, trans="T"), float).T

    def least_singular_value(self, rounds: int = 12) -> float:
        """About the least singular value of J11, a little more, by iteration; infinite when there are no pivots."""
        if self._lu is None:
            return math.inf
        x = np.random.default_rng(3).normal(size=(self.order.rank, 4))
        size = np.ones(4)
        for _ in range(rounds):
            x = self._lu.solve(self._lu.solve(x / size, trans="T"))
            size = np.linalg.norm(x, axis=0)
            if not np.isfinite(size).all():
                return 0.0
        return float(size.max() ** -0.5)

    def _solve(self, rhs: Floats) -> Floats:
        if self._lu is None:
            return np.zeros_like(rhs)
        return np.asarray(self._lu.solve(rhs), float)


def sparse_factor(J: Any, order: PivotOrder) -> SparseFactor:
    """Factorise J (scipy.sparse, array or `Triplets`), at any posture, in a pivot order found before."""
    from scipy.sparse import csc_array, csr_array
    from scipy.sparse.linalg import splu

    entries = _entries(J)
    if entries.shape != order.shape:
        raise ValueError(f"J has shape {entries.shape}, the pivot order is for {order.shape}")
    m, n = order.shape
    row_place, column_place = np.empty(m, np.int64), np.empty(n, np.int64)
    row_place[np.concatenate([order.rows, order.redundant_rows])] = np.arange(m)
    column_place[np.concatenate([order.columns, order.independent_columns])] = np.arange(n)
    i, j = row_place[entries.rows], column_place[entries.columns]
    r = order.rank

    def block(kind: Any, low_rows: bool, low_columns: bool) -> Any:
        inside = ((i < r) == low_rows) & ((j < r) == low_columns)
        shape = (r if low_rows else m - r, r if low_columns else n - r)
        places = (i[inside] - (0 if low_rows else r), j[inside] - (0 if low_columns else r))
        return kind((entries.values[inside], places), shape=shape)

    lu, pivots = None, np.empty(0)
    if r:
        try:  # the order is ours: natural columns, and the diagonal unless it is exactly zero
            lu = splu(block(csc_array, True, True), permc_spec="NATURAL", diag_pivot_thresh=0.0)
        except RuntimeError as error:
            raise LinkworkError(
                "the pivot order is singular at this posture; ask pivot_order for another one here"
            ) from error
        pivots = np.abs(lu.U.diagonal())
    return SparseFactor(
        order=order,
        smallest_pivot=float(pivots.min(initial=math.inf)),
        log_quality=float(np.log(pivots).sum()),
        _lu=lu,
        _beside=block(csr_array, True, False),
        _below=block(csr_array, False, True),
        _rest=block(csr_array, False, False),
    )


class _Entries(NamedTuple):
    """Triplets with one entry a place."""

    rows: Integers
    columns: Integers
    values: Floats
    shape: tuple[int, int]


def _entries(J: Any) -> _Entries:
    """The entries of J, checked, with those at the same place added up."""
    if isinstance(J, Triplets):
        rows, columns, values = np.asarray(J.rows), np.asarray(J.columns), np.asarray(J.values, float)
        shape = (int(J.shape[0]), int(J.shape[1]))
    elif hasattr(J, "tocoo"):
        coo = J.tocoo()
        rows, columns, values, shape = coo.row, coo.col, np.asarray(coo.data, float), coo.shape
    else:
        dense = np.asarray(J, float)
        if dense.ndim != 2:
            raise ValueError(f"J has shape {dense.shape}, not (m, n)")
        rows, columns = np.nonzero(dense)
        values, shape = dense[rows, columns], dense.shape
    require_finite(values, "list of entries")
    rows, columns = rows.astype(np.int64), columns.astype(np.int64)
    if rows.shape != values.shape or columns.shape != values.shape or values.ndim != 1:
        raise ValueError(f"rows, columns and values have shapes {rows.shape}, {columns.shape} and {values.shape}")
    for indices, size, what in ((rows, shape[0], "row"), (columns, shape[1], "column")):
        if indices.size and not 0 <= indices.min() <= indices.max() < size:
            raise ValueError(f"a {what} index is outside 0..{size - 1}")
    places, which = np.unique(rows * max(shape[1], 1) + columns, return_inverse=True)
    summed = np.zeros(places.size)
    np.add.at(summed, which, values)
    rows, columns = np.divmod(places, max(shape[1], 1))
    return _Entries(rows, columns, summed, shape)
