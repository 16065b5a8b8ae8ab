"""Loads that have no value at a state are told by name, before they spoil every answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.equations.states import rates_of_states
from linkwork.errors import InputError, ModelError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.system import without_value


def one_time(loops: Loops, t: Any) -> float:
    """A time as one finite number [s]."""
    try:
        number = float(t)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise InputError(Problem(f"{t!r} is not a time", "t", "give one finite number of seconds"), loops.plan.name)
    return number


def loads_must_be_finite(loops: Loops, y: Array, w: Array, when: Array, x: Array | None = None) -> None:
    """Refuse loads, and laws of named states, that are no finite numbers at some states (samples, ...); each is named.

    x : named states; without, their values at the start
    """
    plan = loops.plan
    if plan.loads and (lacking := loops.system._loads_without_value(y, w, when, x)):
        raise without_value(lacking, plan.name)
    if plan.states and x is not None:
        changes = loops.system.bound_kernel(Question(rates_of_states()))(y, w, when, x)
        bad = [own.name for own, wrong in zip(plan.states, ~np.isfinite(changes).all(axis=0), strict=True) if wrong]
        if bad:
            told = [
                Problem("its rate has no value there", f"states.{name}", "look for a division by zero") for name in bad
            ]
            raise ModelError(told, plan.name)
