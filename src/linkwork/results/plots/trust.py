"""Evidence of a run over time: how well the loops closed, how far from singular, and where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.results.force_evidence import BALANCE
from linkwork.results.layout import COUNTS
from linkwork.results.plots.description import Line, Mark, Panel, Plot
from linkwork.results.plots.over import Series, describe_over, named
from linkwork.results.signals import Units

if TYPE_CHECKING:
    from linkwork.results.run import Run

RECORDED = ("closure.residual", "closure.quality", "closure.iterations", "closure.mobility", BALANCE)
WORST = {"closure.residual": np.argmax, "closure.quality": np.argmin}
"""Numbers that may be small, and where the worst of them stands."""
DECADES = 30.0
"""Largest by smallest number from which small ones are read by their powers of ten."""


def describe_evidence(run: Run, *, units: Units = None, x: str = "time", against: Mapping[str, Run]) -> Plot:
    """A panel for everything that was recorded; a ring marks the worst, a line where a run stopped.

    Parameters
    ----------
    run, against : the run, and others by name
    units, x : as of `Run.plot`
    """
    runs = {"": run, **against}
    there = [n for n in RECORDED if all(n in r.arrays for r in runs.values())]
    if not there:
        raise InputError(Problem("the run has no evidence of its loops to plot", hint="print(run) tells what there is"))
    panels = []
    for name in there:
        series = [Series([r.signal(name)], r.signal(x), label) for label, r in runs.items()]
        (panel,) = describe_over(series, units=units).panels
        small = name in WORST
        rings = [_worst(line, WORST[name]) for line in panel.lines if small and np.isfinite(line.y).any()]
        stops = [
            Mark(float(line.x[-1]), f"stopped{named('', label)}")
            for line, (label, r) in zip(panel.lines, runs.items(), strict=True)
            if not r.evidence.complete
        ]
        axis = replace(panel.y, kind=name, log=small and _spans_decades(panel), whole=name in COUNTS)
        panels.append(Panel(panel.x, axis, (*panel.lines, *rings), marks=tuple(stops)))
    notes = tuple(f"{named('stopped', label)}: {r.message}" for label, r in runs.items() if r.message)
    return Plot(tuple(panels), f"{run.name}: evidence", notes)


def _spans_decades(panel: Panel) -> bool:
    values = panel.along(1)
    positive = values[np.isfinite(values) & (values > 0.0)]
    return bool(positive.size and positive.max() > DECADES * positive.min())


def _worst(line: Line, where: Callable[[Array], Any]) -> Line:
    finite = np.flatnonzero(np.isfinite(line.y))
    values: Array = line.y[finite]
    at = finite[[int(where(values))]]
    return Line("", line.x[at], line.y[at], tint=line.tint, style="ring", heads=line.heads)
