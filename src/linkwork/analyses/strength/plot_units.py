"""What the plots of stress, power and motors share: units, titles, and what they are drawn over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.results.plots import Quantity
from linkwork.results.signals import Signal
from linkwork.units import UnitSystem

if TYPE_CHECKING:
    from linkwork.results import Run

DRAWING = UnitSystem(length="mm", force="N", angle="deg")
"""Stresses are read in N/mm^2, the megapascals of drawings."""
PLAIN = UnitSystem(angle="deg")


def abscissa(run: Run | None, x: str, time: Array | None, samples: int) -> Quantity | Signal:
    """What results are drawn over: a signal of the run; without one their time, or the number of the sample."""
    if run is not None:
        return run.signal(x)
    if x != "time":
        hint = "results from plain arrays have their time only"
        raise InputError(Problem(f"there is no run that has '{x}'", "x", hint))
    return Quantity("sample", "1", np.arange(float(samples))) if time is None else Quantity("time", "s", time)


def titled(what: str, run: Run | None) -> str:
    """'press: stress in crank'."""
    return what if run is None or not run.name else f"{run.name}: {what}"
