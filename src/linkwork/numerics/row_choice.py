"""Which rows hold the pivots: of redundant ones, those that determine the dependent columns well.

Any r independent rows have the rank, but not the digits: where an elimination goes from cell to cell of a large net,
each step may lose a few. With the pivots' rows in J1 and the redundant ones in J2,

    D = J2 J1⁻¹        makes redundant rows of pivots' rows.

An entry |d| > 1 says that exchanging the two rows makes |det J1| larger by |d|. Rows are exchanged until no entry is
large (a maximal volume, Goreinov and Tyrtyshnikov 2001); then |J1⁻¹| is near the least that rows can give.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import LinkworkError
from linkwork.numerics.sparse_order import PivotOrder, Triplets, pivot_order, sparse_factor

Integers = NDArray[np.int64]

GROWN = 100.0
"""Entries of D up to which rows are left as they are."""
BOUND = 3.0
"""Largest entry of D after exchanges."""
MOST = 16_000_000
"""Entries of D that are kept at a time; rows of larger ones are looked at in pieces."""


def with_good_rows(J: Triplets, order: PivotOrder) -> PivotOrder:
    """The order itself, if its rows serve well; else one with the same columns and better rows."""
    if not order.rank or not len(order.redundant_rows):
        return order
    try:
        rows = _exchanged(J, order)
    except LinkworkError:  # one of the pivots is rounding
        return order
    if rows is None:
        return order
    held = np.isin(np.asarray(J.rows), rows)
    part = Triplets(np.asarray(J.rows)[held], np.asarray(J.columns)[held], np.asarray(J.values)[held], J.shape)
    others = np.ones(J.shape[1], bool)
    others[order.columns] = False
    scale = max(1.0, float(np.abs(np.asarray(J.values)).max(initial=0.0)))
    found = pivot_order(part, others, tolerance=0.01 * float(np.abs(order.pivots).min()) / scale)
    return order.with_pivots(found) if found.rank == order.rank else order


def _exchanged(J: Triplets, order: PivotOrder) -> Integers | None:
    """Rows for the pivots after exchanges; None if there is nothing to exchange."""
    factor = sparse_factor(J, order)
    used = np.flatnonzero(np.isin(order.redundant_rows, np.unique(np.asarray(J.rows))))
    piece = max(1, MOST // order.rank)
    rows, changed = order.rows.copy(), False
    for start in range(0, len(used), piece):
        own = used[start : start + piece]
        redundant, D = order.redundant_rows[own].copy(), factor.dependences(own)
        if np.abs(D).max(initial=0.0) <= (BOUND if changed else GROWN):
            continue
        for _ in range(4 * order.rank):
            i, j = divmod(int(np.abs(D).argmax()), D.shape[1])
            pivot = D[i, j]
            if not abs(pivot) > BOUND:
                break
            rows[j], redundant[i] = redundant[i], rows[j]
            row, column = D[i] / pivot, D[:, j].copy()
            below, right = np.flatnonzero(column), np.flatnonzero(row)
            D[np.ix_(below, right)] -= np.outer(column[below], row[right])
            D[i], D[:, j], D[i, j] = -row, column / pivot, 1.0 / pivot
        changed = True
        if start + piece < len(used):
            factor = sparse_factor(J, order.with_rows(rows))
    return rows if changed else None
