"""Curves through few samples, as far as a run knows what lies between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.geometry import Array
from linkwork.results.between import FEW
from linkwork.results.signals import Signal


def curve_through(quantities: Sequence[Any], factors: Sequence[float]) -> tuple[Array, ...]:
    """Columns of one curve over time in shown units; nothing where the samples are enough, or nothing more is known.

    quantities : what lies along the axes of a panel; all of one run
    """
    found = []
    for one in quantities:
        if not isinstance(one, Signal) or one._between is None or not 1 < len(one) < FEW:
            return ()
        if not np.isfinite(one.values).all():  # what is missing leaves a gap from sample to sample
            return ()
        if (course := one._between()) is None:
            return ()
        found.append(course.values)
    if len({len(column) for column in found}) > 1:
        return ()
    return tuple(np.asarray(column, float) / factor for column, factor in zip(found, factors, strict=True))
