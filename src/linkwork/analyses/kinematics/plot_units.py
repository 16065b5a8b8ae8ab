"""What the plots of kinematic results share: units of variables, and what they are drawn over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.errors import InputError, Problem
from linkwork.names import variable_book
from linkwork.results.plots import Quantity
from linkwork.results.signals import Signal
from linkwork.units import UnitSystem

if TYPE_CHECKING:
    from linkwork.results import Run

DEGREES = UnitSystem(angle="deg")
"""Units of results that have no model at hand."""
UNITS = {"angle": "rad", "length": "m", "number": "1"}


def units_of(loops: Loops) -> dict[str, str]:
    """SI units of all variables by name; numbers of quaternions are plain."""
    found: dict[str, str] = {}
    for slot in loops.plan.slots:
        for k, variable in enumerate(slot.law.variables):
            found[f"{slot.owner}.{variable.name}"] = UNITS[variable.dimension] if k < slot.plain else "1"
    return found


def chosen_names(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Full names of variables; joints stand for all that they have; InputError lists all that are unknown."""
    book = variable_book(known)
    single = [n for n in names if not book.variables_of(n)]  # a joint stands for all its variables
    book.look_up(single, "variable")
    return [v.name for n in names for v in book.variables_of(n) or book.look_up([n], "variable")]


def abscissa(run: Run | None, x: str, samples: int) -> Quantity | Signal:
    """What results over a run are drawn over: a signal of the run; the number of the sample where there is none."""
    if run is not None:
        return run.signal(x)
    if x != "time":
        hint = "results from plain arrays count their samples"
        raise InputError(Problem(f"there is no run that has '{x}'", "x", hint))
    return Quantity("sample", "1", np.arange(float(samples)))
