"""Piecewise polynomials in a form that numbers, arrays and CasADi expressions all pass through."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.geometry import Array
from linkwork.geometry.elementary import is_number


def piecewise(t: Any, starts: Array, coefficients: Array, n: int = 0) -> Any:
    """n-th derivative of a piecewise polynomial; pieces at both ends go on beyond the range.

    starts : where each piece begins; coefficients : by rows from the highest power, of t less the start of the piece
    """
    degree = len(coefficients) - 1
    factors = [math.perm(degree - i, n) for i in range(degree + 1 - n)]
    if is_number(t):
        index = np.clip(np.searchsorted(starts, np.real(t), side="right") - 1, 0, len(starts) - 1)
        x, chosen = t - starts[index], list(coefficients[:, index])
    else:
        x, chosen = t - select(t, starts, starts), [select(t, starts, row) for row in coefficients]
    value: Any = 0.0
    for factor, c in zip(factors, chosen, strict=False):
        value = value * x + factor * c
    return value


def select(t: Any, starts: Array, values: Array) -> Any:
    """values[k] on the k-th piece, as a sum of steps: the form that can be traced."""
    total: Any = float(values[0])
    for start, jump in zip(starts[1:], np.diff(values), strict=True):
        total = total + (t >= float(start)) * float(jump)
    return total


def held(t: Any, low: float, high: float) -> Any:
    """t between its bounds, else the nearer bound."""
    if is_number(t):
        return np.where(np.real(t) < low, low, np.where(np.real(t) > high, high, t))
    return t.fmax(low).fmin(high)
