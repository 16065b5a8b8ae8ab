"""Gauss elimination on a fixed pattern, written down by array arithmetic: millions of operations without a scalar each.

Where an elimination fills in, tracing it scalar by scalar takes most of all time and tells nothing: no sum in it is a
simple number. Its pattern is known beforehand, so the listing of its operations is laid out here, pivot by pivot, and
stands in a trace as one call (`cells`). Both substitutions go by columns, whose operations do not wait for each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.algebra import ca
from linkwork.equations.listing import NONE, Listing
from linkwork.equations.scalars import Scalar, Trace

Integers = NDArray[np.int64]
Rows = Mapping[int, Mapping[int, Any]]

KEPT = 8
"""Listings kept in memory: rates and response of a machine share one pattern, but for their right sides."""


def sparse_solutions(
    trace: Trace, rows: Rows, pivots: Sequence[tuple[int, int]], sides: Sequence[Mapping[int, Any]]
) -> tuple[list[dict[int, Any]], list[Any]]:
    """x of A x = side by column for each side by row, and the inverses of the pivots.

    A : the entries of `rows` in the pivots' rows and columns; pivots : (row, column) in the order of elimination
    """
    row_place = {r: k for k, (r, _) in enumerate(pivots)}
    column_place = {c: k for k, (_, c) in enumerate(pivots)}
    given = _Given()
    size = len(pivots)
    A = np.full((size, size), NONE)
    for r, i in row_place.items():
        for c, x in rows[r].items():
            if c in column_place:
                A[i, column_place[c]] = given(x)
    b = np.full((len(sides), size), NONE)
    for k, side in enumerate(sides):
        for r, x in side.items():
            if r in row_place:
                b[k, row_place[r]] = given(x)
    found = trace.call(given.listing(A, b), tuple(given.scalars), False)
    columns = [c for _, c in pivots]
    solutions = [dict(zip(columns, found[k * size : (k + 1) * size], strict=True)) for k in range(len(sides))]
    return solutions, found[len(sides) * size :]


class _Given:
    """Entries as values of a listing: scalars first, then constants, which are numbered from -2 downward until then."""

    def __init__(self) -> None:
        self.scalars: list[Scalar] = []
        self._places: dict[int, int] = {}
        self._constants: dict[float, int] = {}

    def __call__(self, x: Any) -> int:
        """The number of an entry; NONE of a structural zero."""
        if not isinstance(x, Scalar):
            number = float(x)
            return NONE if number == 0.0 else NONE - 1 - self._constants.setdefault(number, len(self._constants))
        place = self._places.setdefault(x.index, len(self.scalars))
        if place == len(self.scalars):
            self.scalars.append(x)
        return place

    def listing(self, A: Integers, b: Integers) -> Listing:
        """The elimination for entries and right sides by these numbers."""
        inputs, constants = len(self.scalars), (*self._constants, 0.0)
        A, b = (np.where(x < NONE, inputs + NONE - 1 - x, x) for x in (A, b))
        key = (inputs, constants, A.shape, b.shape, A[A != NONE].tobytes(), (A != NONE).tobytes(), b.tobytes())
        known = _known.get(key)
        if known is None:
            while len(_known) >= KEPT:
                _known.pop(next(iter(_known)))
            known = _known[key] = _Writing(inputs, constants).eliminated(A, b)
        return known


_known: dict[Any, Listing] = {}


class _Writing:
    """Operations that are written down, many at a time."""

    def __init__(self, inputs: int, constants: tuple[float, ...]) -> None:
        self.inputs, self.constants = inputs, constants
        self.count = inputs + len(constants)
        self.codes: list[NDArray[np.int32]] = []
        self.operands: list[NDArray[np.int32]] = []

    def put(self, code: int, a: Any, b: Any) -> Integers:
        """The values of an operation on many values."""
        a, b = np.broadcast_arrays(np.atleast_1d(a), b)
        self.codes.append(np.full(len(a), code, np.int32))
        self.operands.append(np.stack((a, b), axis=1).astype(np.int32))
        self.count += len(a)
        return np.arange(self.count - len(a), self.count)

    def less_products(self, before: Integers, a: Integers, b: Integers) -> Integers:
        """before - a b of many values, each product just before the difference; NONE stands for zero."""
        n = len(before)
        products = self.count + 2 * np.arange(n)
        codes = np.full((n, 2), ca.OP_MUL, np.int32)
        operands = np.empty((n, 2, 2), np.int32)
        operands[:, 0, 0], operands[:, 0, 1] = a, b
        none = before == NONE
        codes[:, 1] = np.where(none, ca.OP_NEG, ca.OP_SUB)
        operands[:, 1, 0] = np.where(none, products, before)
        operands[:, 1, 1] = np.where(none, NONE, products)
        self.codes.append(codes.reshape(-1))
        self.operands.append(operands.reshape(-1, 2))
        self.count += 2 * n
        return products + 1

    def eliminated(self, A: Integers, b: Integers) -> Listing:
        """The listing of all solutions and of the inverses of the pivots; A and b are used up."""
        size = len(A)
        inverses = np.empty(size, np.int64)
        below: list[Integers] = []
        for k in range(size):
            inverses[k] = self.put(ca.OP_INV, A[k, k], NONE)[0]
            rows = k + 1 + np.flatnonzero(A[k + 1 :, k] != NONE)
            below.append(rows)
            if not len(rows):
                continue
            A[rows, k] = self.put(ca.OP_MUL, A[rows, k], inverses[k])
            columns = k + 1 + np.flatnonzero(A[k, k + 1 :] != NONE)
            block = np.ix_(rows, columns)
            factors, values = np.repeat(A[rows, k], len(columns)), np.tile(A[k, columns], len(rows))
            A[block] = self.less_products(A[block].reshape(-1), factors, values).reshape(len(rows), -1)
        above = [np.flatnonzero(A[:k, k] != NONE) for k in range(size)]
        for side in b:
            for k in range(size):
                if side[k] != NONE and len(below[k]):
                    side[below[k]] = self.less_products(side[below[k]], A[below[k], k], np.full_like(below[k], side[k]))
            for k in reversed(range(size)):
                if side[k] == NONE:
                    continue
                side[k] = self.put(ca.OP_MUL, side[k], inverses[k])[0]
                if len(above[k]):
                    side[above[k]] = self.less_products(side[above[k]], A[above[k], k], np.full_like(above[k], side[k]))
        results = np.concatenate((b.reshape(-1), inverses))
        results[results == NONE] = self.inputs + len(self.constants) - 1
        return Listing(
            "elimination",
            (("x", (self.inputs,)),),
            (("y", (len(results),)),),
            self.constants,
            np.concatenate(self.codes),
            np.concatenate(self.operands),
            results.astype(np.int32),
            written=True,
        )
