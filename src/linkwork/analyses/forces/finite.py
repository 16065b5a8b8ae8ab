"""Loads that have no value at a state are told by name, before they spoil every answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.equations.closed_forces import load_state
from linkwork.errors import ModelError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array


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
    plan = loops.plan
    if not plan.loads:
        return
    magnitudes, _ = loops.system._own(Question(load_state()))(y, w, when)
    bad = ~np.isfinite(magnitudes).all(axis=0)
    if bad.any():
        hint = "look where its formula or table has no value"
        named = [load.name for load, wrong in zip(plan.loads, bad, strict=True) if wrong]
        raise ModelError([Problem("the load is not a finite number there", name, hint) for name in named], plan.name)
