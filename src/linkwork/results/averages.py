"""Averages over time, of samples that need not be evenly spaced: straight lines stand between them."""

from __future__ import annotations

from typing import Any

import numpy as np


def mean_over_time(values: Any, time: Any) -> Any:
    """Mean of the straight lines between samples along the first axis; parts with a missing end are left out."""
    return _mean((values[:-1] + values[1:]) / 2.0, values, time)


def mean_square_over_time(values: Any, time: Any) -> Any:
    """Mean of the squares of these lines: (a² + ab + b²)/3 of a line from a to b."""
    a, b = values[:-1], values[1:]
    products = (a * np.conj(b)).real
    return _mean((abs(a) ** 2 + products + abs(b) ** 2) / 3.0, abs(values) ** 2, time)


def _mean(between: Any, at: Any, time: Any) -> Any:
    """Mean of what is between the samples by the time it takes; of samples at one time the plain mean of what is at."""
    steps = np.diff(time).reshape(-1, *[1] * (at.ndim - 1))
    whole = np.where(np.isnan(between), 0.0, steps)
    spans = np.sum(whole, axis=0)
    weighted = np.sum(np.where(np.isnan(between), 0.0, between) * whole, axis=0)
    there = ~np.isnan(at)
    counts = np.sum(there, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        plain = np.sum(np.where(there, at, 0.0), axis=0) / counts
        return np.where(spans > 0.0, weighted / spans, plain)
