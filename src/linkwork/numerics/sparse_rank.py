"""Rank of a large sparse matrix, part by part, with a decision that is checked.

Rows and columns that no entry ties together are parts of their own. A small part is decomposed into singular values. A
large one is eliminated (`sparse_order`), and what the pivots say is checked: with their r columns in J1, the others in
J2,

    J = [J1 J2],        σ_r(J) >= σ_min(J1),        σ_r+1(J) <= min |J2 - J1 X| over X

so that the rank is certain where one is well above, and the other well below, what counts as zero. (With all rows in J1
it does not matter how good the pivots' rows are; Jᵀ serves as well.)
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.numerics.sparse_order import LEVELS, PivotOrder, Triplets, pivot_order

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SMALL = 40_000
"""Entries, zeros too, up to which a part is decomposed into singular values."""
DENSE = 4_000_000
"""Entries, zeros too, up to which this is done where the pivots leave a doubt."""
CLEAR = 10.0
"""How far both sides of the decision must stay from the tolerance: their sizes are estimates."""
ROUNDING = 1e-15
"""Rounding of J1ᵀ J1, in parts of its largest diagonal entry."""
TRIALS = (
    (0.1, (0.1, 0.01, 1e-3, 1e-5)),
    (0.5, (0.1, 0.03, 0.01, 1e-3, 1e-5)),
    (0.9, (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-5)),
)
"""Thresholds and levels of `pivot_order`: later ones cost more and let errors grow less."""
PROBES, ROUNDS = 4, 12
"""Random vectors, and how often they are iterated, in such estimates."""


class Rank(NamedTuple):
    """A rank, and whether it is certain: where it is not, pivots decided."""

    rank: int
    certain: bool


@dataclass(frozen=True, eq=False)
class Part:
    """Rows and columns that hang together by their entries (row, column, value), which are counted within the part."""

    rows: Integers
    columns: Integers
    entries: tuple[Integers, Integers, Floats]

    @property
    def size(self) -> int:
        """Entries of the part as a dense matrix."""
        return len(self.rows) * len(self.columns)

    def triplets(self) -> Triplets:
        """The part as a sparse matrix."""
        return Triplets(*self.entries, (len(self.rows), len(self.columns)))

    def matrix(self) -> Any:
        """The part for products."""
        return matrix_of(*self.entries, (len(self.rows), len(self.columns)))

    def dense(self) -> Floats:
        """The part as a dense matrix."""
        return np.asarray(self.matrix().toarray(), float)


def matrix_of(rows: ArrayLike, columns: ArrayLike, values: ArrayLike, shape: tuple[int, int]) -> Any:
    """Entries as a matrix of scipy, by columns."""
    from scipy.sparse import coo_array

    return coo_array((values, (rows, columns)), shape=shape).tocsc()


def parts_of(J: Triplets) -> list[Part]:
    """The parts of a matrix; rows and columns without entries are in none."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    m, n = J.shape
    rows, columns, values = np.asarray(J.rows), np.asarray(J.columns), np.asarray(J.values, float)
    kept = values != 0.0
    rows, columns, values = rows[kept], columns[kept], values[kept]
    graph = coo_array((np.ones(len(rows)), (rows, m + columns)), shape=(m + n, m + n))
    count, label = connected_components(graph, directed=False)
    of_entry = label[rows]
    used = np.unique(of_entry)
    place = np.zeros(m + n, np.int64)  # of a row or column within its part
    lines = []
    for side in (label[:m], label[m:]):
        order = np.argsort(side, kind="stable")
        lines.append((order, np.searchsorted(side[order], np.arange(count + 1))))
    for shift, (order, starts) in zip((0, m), lines, strict=True):
        place[shift + order] = np.arange(len(order)) - np.repeat(starts[:-1], np.diff(starts))
    by_part = np.argsort(of_entry, kind="stable")
    bounds = np.searchsorted(of_entry[by_part], np.arange(count + 1))
    found = []
    for k in used.tolist():
        own = by_part[bounds[k] : bounds[k + 1]]
        first, second = (order[starts[k] : starts[k + 1]] for order, starts in lines)
        found.append(Part(first, second, (place[rows[own]], place[m + columns[own]], values[own])))
    return found


def sparse_rank(J: Triplets, tolerance: float, floor: float = 0.0) -> Rank:
    """How many singular values of J are above tolerance * the largest of all, and above the floor."""
    if J.shape[0] * J.shape[1] <= SMALL:
        dense = np.zeros(J.shape)
        np.add.at(dense, (np.asarray(J.rows), np.asarray(J.columns)), np.asarray(J.values))
        s = np.linalg.svd(dense, compute_uv=False)
        return Rank(int(np.sum(s > max(tolerance * s.max(initial=0.0), floor))), True)
    parts = parts_of(J)
    small = [part for part in parts if part.size <= SMALL]
    large = [part for part in parts if part.size > SMALL]
    values = [np.linalg.svd(part.dense(), compute_uv=False) for part in small]
    largest = max([*(s[0] for s in values), *(_norm(part.matrix()) for part in large)], default=0.0)
    limit = max(tolerance * largest, floor)
    rank, certain = sum(int(np.sum(s > limit)) for s in values), True
    for part in large:
        own = _by_pivots(part, limit)
        rank, certain = rank + own.rank, certain and own.certain
    return Rank(rank, certain)


def _by_pivots(part: Part, limit: float) -> Rank:
    """Rank of a large part by its pivots; by singular values where those leave a doubt, if it is not too large."""
    scale = max(1.0, float(np.abs(part.entries[2]).max()))
    order, certain = checked_order(part.triplets(), limit / scale, trials=TRIALS)
    if certain or part.size > DENSE:
        return Rank(order.rank, certain)
    return Rank(int(np.sum(np.linalg.svd(part.dense(), compute_uv=False) > limit)), True)


def checked_order(
    J: Triplets,
    tolerance: float,
    specified: NDArray[np.bool_] | None = None,
    prefer: ArrayLike | None = None,
    trials: Sequence[tuple[float, Sequence[float]]] = ((0.1, LEVELS), *TRIALS[1:]),
) -> tuple[PivotOrder, bool]:
    """A pivot order whose rank is certain, and whether it is: else the first that was tried.

    tolerance : of pivots, as in `pivot_order`; trials : thresholds and levels, the cheapest first
    """
    rows, columns, values = np.asarray(J.rows), np.asarray(J.columns), np.asarray(J.values, float)
    matrix = matrix_of(rows, columns, values, J.shape)
    limit = tolerance * max(1.0, float(np.abs(values).max(initial=0.0)))
    free = np.arange(J.shape[1]) if specified is None else np.flatnonzero(~specified)
    own = matrix if specified is None else matrix[:, free]
    first = None
    for threshold, levels in trials:
        order = pivot_order(J, specified, prefer=prefer, tolerance=tolerance, threshold=threshold, levels=levels)
        if is_certain(own, np.searchsorted(free, order.columns), limit) or is_certain(own.T, order.rows, limit):
            return order, True
        first = first or order
    assert first is not None
    return first, False


def is_certain(J: Any, columns: Integers, limit: float) -> bool:
    """Whether some columns of a sparse matrix are independent, and all others depend on them."""
    rest = np.setdiff1d(np.arange(J.shape[1]), columns)
    J = J.tocsc()
    J1, J2 = J[:, columns], J[:, rest]
    squares = _Squares(J1)
    if not squares.least() > CLEAR * max(limit, squares.blur):
        return False
    b = J2 @ np.random.default_rng(1).normal(size=(len(rest), PROBES))
    for _ in range(3):  # by least squares: digits that J1ᵀ J1 has lost are found again
        b = b - J1 @ squares.solve(J1.T @ b)
    return bool(np.linalg.norm(b, axis=0).max(initial=0.0) < limit / CLEAR)


def extreme_values(J: Any) -> tuple[float, float]:
    """About the largest and the least singular value of a sparse matrix with fewer columns than rows."""
    return _norm(J), _Squares(J).least()


class _Squares:
    """JᵀJ of a sparse matrix, factorised.

    blur : size of the singular values that rounding of JᵀJ hides
    """

    def __init__(self, J: Any) -> None:
        from scipy.sparse import eye_array
        from scipy.sparse.linalg import splu

        squares = (J.T @ J).tocsc()
        self.size = squares.shape[0]
        lost = ROUNDING * float(squares.diagonal().max(initial=0.0))
        self.blur = float(np.sqrt(lost))
        self._lu = None
        with suppress(RuntimeError):  # a column of zeros
            whole = (squares + lost * eye_array(self.size, format="csc")).tocsc()
            self._lu = splu(whole, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})

    def solve(self, b: Floats) -> Floats:
        """x of JᵀJ x = b."""
        assert self._lu is not None
        return np.asarray(self._lu.solve(b), float)

    def least(self) -> float:
        """About the least singular value, a little more, by iteration."""
        if self._lu is None:
            return 0.0
        x, size = np.random.default_rng(1).normal(size=(self.size, PROBES)), np.ones(PROBES)
        for _ in range(ROUNDS):
            x = self.solve(x / size)
            size = np.linalg.norm(x, axis=0)
        return float(1.0 / np.sqrt(size.max()))


def _norm(J: Any) -> float:
    """Largest singular value of a sparse matrix, a little less, by iteration."""
    x = np.random.default_rng(1).normal(size=(J.shape[1], PROBES))
    size = np.zeros(PROBES)
    for _ in range(ROUNDS):
        x = J.T @ (J @ (x / np.maximum(np.linalg.norm(x, axis=0), np.finfo(float).tiny)))
        size = np.linalg.norm(x, axis=0)
    return float(np.sqrt(size.max()))
