"""How independent the rows of the loops are: the least singular value that is not zero by redundancy, and its company.

Near a posture the least values follow those directions that are weakest there, σ(J + dJ) ≈ σ(Uᵀ (J + dJ) V), which
takes hardly any time where the decomposition itself takes long.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.geometry import Array

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
        found: Array = np.linalg.svd(self.rows @ J @ self.columns, compute_uv=False)[..., -1]
        return found


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
