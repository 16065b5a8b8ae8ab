"""How independent the rows of the loops are: the least singular value that is not zero by redundancy, and its company.

Near a posture the least values follow those directions that are weakest there, σ(J + dJ) ≈ σ(Uᵀ (J + dJ) V), which
takes hardly any time where the decomposition itself takes long.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.geometry import Array

Places = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Rows and columns of the entries of a sparse matrix."""
COMPANY = 6
"""Directions that are followed: another one than the weakest may become so."""


@dataclass(frozen=True, eq=False)
class WeakRows:
    """The least singular values of a matrix, from its `rank`-th on, and the combinations of rows and columns of them.

    rows : (combinations, m); columns : (n, combinations), both of length one; least : the value of the first
    """

    rows: Array
    columns: Array
    least: float

    def seen(self, J: Array) -> Array:
        """About the least singular value of matrices (..., m, n) that are near."""
        if not len(self.rows):
            return np.zeros(J.shape[:-2])
        return np.asarray(np.linalg.svd(self.rows @ J @ self.columns, compute_uv=False)[..., -1], float)

    def seen_of(self, entries: Array, at: Places) -> Array:
        """The same of sparse matrices, by their entries (..., entries) at rows and columns."""
        if not len(self.rows):
            return np.zeros(entries.shape[:-1])
        left, right = self.rows[:, at[0]], self.columns[at[1]]
        squeezed = (left * entries[..., np.newaxis, :]) @ right
        return np.asarray(np.linalg.svd(squeezed, compute_uv=False)[..., -1], float)


def weakest_of(entries: Array, at: Places, shape: tuple[int, int], rank: int) -> WeakRows:
    """As `weakest`, of a large sparse matrix by its entries at rows and columns."""
    from scipy.linalg import eigh
    from scipy.sparse import coo_array

    m, n = shape
    if not 0 < rank <= min(m, n):
        return WeakRows(np.zeros((0, m)), np.zeros((n, 0)), 0.0)
    own = coo_array((entries, at), shape=shape).tocsr()
    wide = m <= n
    square = (own @ own.T if wide else own.T @ own).toarray()
    first = len(square) - rank
    last = min(first + COMPANY, len(square)) - 1
    squares, one = eigh(square, subset_by_index=(first, last), overwrite_a=True, check_finite=False)
    other = own.T @ one if wide else own @ one
    other /= np.maximum(np.linalg.norm(other, axis=0), np.finfo(float).tiny)
    least = float(np.sqrt(max(squares[0], 0.0)))
    return WeakRows(one.T, other, least) if wide else WeakRows(other.T, one, least)


def singular_values(entries: Array, at: Places, shape: tuple[int, int]) -> Array:
    """All singular values of a large sparse matrix, descending; those below 1e-8 of the largest are as good as zero."""
    from scipy.sparse import coo_array

    own = coo_array((entries, at), shape=shape).tocsr()
    square = (own @ own.T if shape[0] <= shape[1] else own.T @ own).toarray()
    squares = np.linalg.eigvalsh(square)
    values: Array = np.sqrt(np.maximum(squares, 0.0))[::-1]
    return values


def weakest(J: Array, rank: int) -> WeakRows:
    """Of a matrix (m, n) that is known to have a rank: by the eigenvalues of J Jᵀ or Jᵀ J, whichever is smaller.

    Values below 1e-8 of the largest come out as something below it, which is as good as zero here.
    """
    m, n = J.shape
    if not 0 < rank <= min(m, n):
        return WeakRows(np.zeros((0, m)), np.zeros((n, 0)), 0.0)
    used = np.abs(J).max(axis=1) > 0.0
    if used.sum() < rank:
        return WeakRows(np.zeros((0, m)), np.zeros((n, 0)), 0.0)
    own = J[used]
    wide = len(own) <= n
    squares, vectors = np.linalg.eigh(own @ own.T if wide else own.T @ own)
    chosen = slice(len(squares) - rank, min(len(squares) - rank + COMPANY, len(squares)))
    values = np.sqrt(np.maximum(squares[chosen], 0.0))
    one = vectors[:, chosen]
    other = own.T @ one if wide else own @ one
    other /= np.maximum(np.linalg.norm(other, axis=0), np.finfo(float).tiny)
    rows, columns = np.zeros((len(values), m)), other if wide else one
    rows[:, used] = (one if wide else other).T
    return WeakRows(rows, columns, float(values[0]))
