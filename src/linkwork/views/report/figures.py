"""Plots as data for the page's script: what plotly draws, with numbers of six digits that are written once.

Numbers that are not finite become gaps. Columns of numbers stand beside the figures, packed; lines name them, so that
all lines over time share one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.geometry import Array
from linkwork.results.plots import Line, Panel, Plot, pretty
from linkwork.results.plots.page import data_of

DIGITS = 6
ROUNDING = 1e-12
"""Part of the largest number of a column below which numbers are noise."""
DECADES = 1e3
ROUGH = 0.02
"""Mean second difference of a smooth column, in its range."""
SMALLEST = 32
"""Numbers from which a list is a column of its own."""


class Columns:
    """Columns of numbers, each written once; figures name them by their number."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def add(self, values: Array) -> int:
        """The number of a column."""
        text = _differences(values) or f"[{','.join(_digits(values))}]"
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return self._numbers[text]


def _differences(values: Array) -> str:
    """A smooth column by its second differences, which are small whole numbers and pack well; '' for others.

    {"step": s, "seconds": [...]}: twice summed up and times s, the column again, to a millionth of its largest number.
    """
    numbers = np.asarray(values, float)
    if len(numbers) < SMALLEST or not np.isfinite(numbers).all():
        return ""
    largest, least = float(np.abs(numbers).max()), float(np.abs(numbers).min())
    if largest == 0.0 or (least > 0.0 and largest > DECADES * least):  # which a logarithmic scale might show
        return ""
    step = largest * 2.0**-20
    seconds = np.diff(np.round(numbers / step), n=2, prepend=[0.0, 0.0])
    if float(np.abs(seconds[2:]).mean()) > ROUGH * np.ptp(numbers / step):
        return ""
    return f'{{"step":{step!r},"seconds":[{",".join(f"{x:.0f}" for x in seconds.tolist())}]}}'


def _digits(values: Array) -> list[str]:
    """JSON numbers; null for what is not finite, 0 for rounding."""
    numbers = np.asarray(values, float)
    finite = np.isfinite(numbers)
    largest = float(np.max(np.abs(numbers[finite]), initial=0.0))
    clean = np.where(np.abs(numbers) < ROUNDING * largest, 0.0, numbers)
    return [f"{x:.{DIGITS}g}" if good else "null" for x, good in zip(clean.tolist(), finite.tolist(), strict=True)]


def figure_data(plot: Plot, columns: Columns, samples: int, dark: bool) -> dict[str, Any]:
    """A plot as data; its numbers go to the columns.

    plot : what is shown; columns : takes the numbers
    samples : of the motion; lines of as many numbers follow the movie
    dark : its colours; a light one is recoloured for readers whose system is dark
    """
    drawn = data_of(Plot(plot.panels, notes=plot.notes), "dark" if dark else "light")
    traces = [_with_columns(trace, columns) for trace in drawn["data"]]
    for trace in traces:
        if trace["type"] == "scatter" and "line" in trace:
            trace["line"]["simplify"] = False  # corners would show on wide screens
    layout = _with_columns(drawn["layout"], columns)
    return {"kind": _kind(plot), "data": traces, "layout": layout, "values": _values(plot, columns, samples)}


def _kind(plot: Plot) -> str:
    """How the cursor looks: a line over time, dots on paths, none elsewhere."""
    if all(panel.x.name == "time" for panel in plot.panels):
        return "time"
    flat = len(plot.panels) == 1 and plot.panels[0].equal and plot.panels[0].z is None
    return "path" if flat else "still"


def _values(plot: Plot, columns: Columns, samples: int) -> list[dict[str, Any]]:
    """What is read at the cursor: names, units, and columns of a number a sample."""
    found = []
    for number, (panel, line) in enumerate((p, line) for p in plot.panels for line in p.lines):
        if line.name and len(line.x) == samples:
            found.append({"name": line.name, "trace": number, **_read(panel, line, columns)})
    return found


def _read(panel: Panel, line: Line, columns: Columns) -> dict[str, Any]:
    own = line.columns if panel.equal else [line.y]
    return {"unit": pretty(panel.y.symbol), "columns": [columns.add(c) for c in own]}


def _with_columns(data: Any, columns: Columns) -> Any:
    """Plain data; long lists of numbers become {"column": number}."""
    if isinstance(data, dict):
        return {key: _with_columns(value, columns) for key, value in data.items()}
    if isinstance(data, np.ndarray):
        if data.ndim == 1 and data.dtype.kind in "fiu" and len(data) >= SMALLEST:
            return {"column": columns.add(data)}
        return _with_columns(data.tolist(), columns)
    if isinstance(data, list | tuple):
        return [_with_columns(value, columns) for value in data]
    if isinstance(data, float):
        return float(f"{data:.{DIGITS}g}") if np.isfinite(data) else None
    return data
