"""Laws of time in compiled loops: several of them in flat arrays, evaluated without the interpreter.

`law_pieces` makes the polynomials. Several laws stand one after the other; a loop remembers by law in which piece it
was last, and the search begins there. At the edge between two pieces it stays in the one from which it came: so a step
that ends at a break sees what comes before it. A step that begins there has to see what comes after, and `enter_laws`
is called before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.geometry import Array
from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.law_pieces import DEGREE, Pieces, piecewise, piecewise_values

__all__ = ["Laws", "Pieces", "breaks_of", "enter_laws", "law_at", "piecewise", "piecewise_values", "reach", "together"]


PIECES = 4.0
"""Of a law that one step may run through."""


class Laws(NamedTuple):
    """Several laws of time.

    edges : of all pieces [s], law after law: those of law k at starts[k] + k to starts[k + 1] + k
    coefficients : of Chebyshev polynomials, (pieces, DEGREE + 1)
    starts : first piece of each law, and the number of all, (laws + 1)
    last : piece of each law in which a loop is, (laws); each thread needs its own
    """

    edges: Array
    coefficients: Array
    starts: NDArray[np.int64]
    last: NDArray[np.int64]


def together(laws: Sequence[Pieces]) -> Laws:
    """Several laws in flat arrays, with their first pieces entered."""
    starts = np.cumsum([0, *(len(law.coefficients) for law in laws)]).astype(np.int64)
    edges = np.concatenate([np.zeros(0), *(law.edges for law in laws)])
    coefficients = np.concatenate([np.zeros((0, DEGREE + 1)), *(law.coefficients for law in laws)])
    return Laws(edges, coefficients, starts, starts[:-1].copy())


def breaks_of(laws: Sequence[Pieces]) -> Array:
    """Times at which an integration has to stop because of one of the laws, in order [s]."""
    return np.array(sorted({t for law in laws for t in law.breaks}))


@loop
def enter_laws(edges, starts, last, t):  # type: ignore[no-untyped-def]
    """Enter the pieces of all laws that begin at t or hold it: at the start of a run, and after a stop at a break."""
    for k in range(last.size):
        low, high = starts[k], starts[k + 1] - 1
        while low < high:
            middle = (low + high + 1) // 2
            if edges[middle + k] <= t:
                low = middle
            else:
                high = middle - 1
        last[k] = low


@loop
def find_piece(edges, starts, last, k, t):  # type: ignore[no-untyped-def]
    """The piece of law k that holds t: reach out from the last one in growing strides, then halve."""
    first, end, low = starts[k], starts[k + 1] - 1, last[k]
    high, stride = low, 1
    while high < end and t > edges[high + 1 + k]:
        low = high + 1
        high = min(high + stride, end)
        stride *= 2
    while low > first and t < edges[low + k]:
        high = low - 1
        low = max(low - stride, first)
        stride *= 2
    while low < high:
        middle = (low + high) // 2
        if t > edges[middle + 1 + k]:
            low = middle + 1
        else:
            high = middle
    last[k] = low
    return low


@loop
def law_at(edges, coefficients, starts, last, k, t, out):  # type: ignore[no-untyped-def]
    """Value, rate and acceleration of law k at a time, into out (3,), and its jerk where there is room for that (4,).

    Beyond the ends of the law those of its ends. Clenshaw's recurrence, with its derivatives by x up to the third.
    """
    i = find_piece(edges, starts, last, k, t)
    a, b = edges[i + k], edges[i + k + 1]
    x = min(max(((t - a) + (t - b)) / (b - a), -1.0), 1.0)
    p1, p2, d1, d2, e1, e2, j1, j2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(coefficients.shape[1] - 1, 0, -1):
        j1, j2 = 6.0 * e1 + 2.0 * x * j1 - j2, j1
        e1, e2 = 4.0 * d1 + 2.0 * x * e1 - e2, e1
        d1, d2 = 2.0 * p1 + 2.0 * x * d1 - d2, d1
        p1, p2 = coefficients[i, j] + 2.0 * x * p1 - p2, p1
    per = 2.0 / (b - a)
    out[0] = coefficients[i, 0] + x * p1 - p2
    out[1] = per * (p1 + x * d1 - d2)
    out[2] = per * per * (2.0 * d1 + x * e1 - e2)
    if out.size > 3:
        out[3] = per * per * per * (3.0 * e1 + x * j1 - j2)


@loop
def reach(edges, starts, last, t, h):  # type: ignore[no-untyped-def]
    """How much of a step h from t does not leap over what laws do: no more than a few of the pieces that it meets.

    Pieces are as short as a law is quick, so that a step over a pulse that is yet to come is cut short before it.
    """
    for k in range(last.size):
        i = last[k]
        while i < starts[k + 1] and edges[i + k] < t + h:
            begin, length = edges[i + k], edges[i + k + 1] - edges[i + k]
            h = min(h, max(begin - t, 0.0) + PIECES * length)
            i += 1
    return h
