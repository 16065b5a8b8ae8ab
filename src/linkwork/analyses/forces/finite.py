"""Loads that have no value at a state are told by name, before they spoil every answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.system import without_value


def one_time(loops: Loops, t: Any) -> float:
    """A time as one finite number [s]."""
    try:
        number = float(t)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise ModelError(Problem(f"{t!r} is not a time", "t", "give one finite number of seconds"), loops.plan.name)
    return number


def loads_must_be_finite(loops: Loops, y: Array, w: Array, when: Array) -> None:
    """Refuse loads that are no finite numbers at some states (samples, ...); each is named."""
    if loops.plan.loads and (lacking := loops.system._loads_without_value(y, w, when)):
        raise without_value(lacking, loops.plan.name)
