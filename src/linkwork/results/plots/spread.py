"""Many runs in one panel: the middle one, what most do, and the extremes, at every time."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from linkwork.results.plots.description import Line, Panel, Plot
from linkwork.results.plots.over import need_samples
from linkwork.results.plots.shown_units import Quantity, Showing
from linkwork.results.signals import Signal, Units

MOST_RUNS = 12
"""Runs that can be told apart as lines."""
LEVELS = ((0.5, "median", "line", 0), (0.1, "10 % and 90 %", "line", 1), (0.9, "", "line", 1),
          (0.0, "least and greatest", "thin", 2), (1.0, "", "thin", 2))  # fmt: skip
"""Shares of the runs that are below a line, its name, style and dashes."""


def describe_spread(signals: Sequence[Signal], *, units: Units = None, title: str = "") -> Plot:
    """A panel for each signal over runs and time; runs that did not come to a time are left out there.

    Parameters
    ----------
    signals : (run, time)
    units : units to show
    title : above
    """
    time = Quantity("time", "s", signals[0].time)
    need_samples([time])
    show = Showing(units, [time, *signals])
    panels = []
    for signal in signals:
        x, y = show(time), show(signal)
        lines = []
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "All-NaN", RuntimeWarning)
            levels = np.nanquantile(y.values, [share for share, *_ in LEVELS], axis=0)
        for (_, name, style, dash), values in zip(LEVELS, levels, strict=True):
            told = f"{y.name}: {name}" if name else ""
            heads = ("time", f"{y.name}: {name or 'the other'}")
            lines.append(Line(told, x.values, values, dash=dash, style=style, heads=heads))  # type: ignore[arg-type]
        panels.append(Panel(x.axis, y.axis, tuple(lines)))
    return Plot(tuple(panels), title)
