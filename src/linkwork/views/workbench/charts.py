"""Plots beside the scene, with a mark at the sample that is seen; uPlot draws them, which is made for changing data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.colours import PALETTE, Theme
from linkwork.geometry import Array
from linkwork.results import Run
from linkwork.units import UnitSystem, parse_unit
from linkwork.units.efforts import effort_units
from linkwork.views.workbench.texts import escaped

MOST_LINES = 7
MOST_POINTS = 2000
MOST_PIECES = 20
"""Of a line with gaps; a page with hundreds of lines would stand still."""


ENERGIES = ("machine.kinetic_energy", "machine.potential_energy")


@dataclass(frozen=True, eq=False)
class Chart:
    """Lines of one unit over time: names, values (lines, samples) in that unit, numbers of their colours."""

    title: str
    unit: str
    names: tuple[str, ...]
    times: Array
    values: Array
    colours: tuple[int, ...]
    note: str = ""


def choices(run: Run) -> dict[str, tuple[str, ...]]:
    """What can be plotted of a run: a title, and the signals under it."""
    joints, speeds = run.arrays.attrs["joints"], run.arrays.attrs["speeds"]
    known = tuple(f"{joint}.{v}" for joint, own in joints.items() for v in own)
    found: dict[str, tuple[str, ...]] = {"joints": known} if known else {}
    free = [f"{joint}.{v}" for joint, own in speeds.items() for v in own]  # of joints that turn freely
    levels = {"rates": [f"{n}.rate" for n in known] + free}
    levels["accelerations"] = [f"{n}.acceleration" for n in (*known, *free)]
    levels["jerks"] = [f"{n}.jerk" for n in (*known, *free)]
    for title, names in levels.items():
        if own := tuple(n for n in names if n in run.signals):
            found[title] = own
    for place in run.names:
        for what in ("position", "velocity", "acceleration"):
            own = tuple(f"{place}.{what}.{c}" for c in "xyz" if f"{place}.{what}.{c}" in run.signals)
            if own:
                found[f"{place} {what}"] = own
    found |= _of_forces(run)
    if ENERGIES[0] in run.signals and ENERGIES[1] in run.signals:
        found["energies"] = ENERGIES
    evidence = tuple(s for s in run.signals if s.startswith("closure."))
    return found | {s.replace("closure.", "closure "): (s,) for s in evidence}


def _of_forces(run: Run) -> dict[str, tuple[str, ...]]:
    """Efforts and powers of drives, reactions of joints, loads, energies; what is indeterminate is no signal."""
    if run.evidence.forces is None:
        return {}
    drives = [peak.name for peak in run.evidence.forces.efforts]
    found = {"efforts": [f"{n}.effort" for n in drives], "powers": [f"{n}.power" for n in drives]}
    for vector in ("force", "moment"):
        for joint in run.names:
            found[f"{joint} {vector}"] = [f"{joint}.{vector}.{c}" for c in "xyz"]
    own = ("tension", "friction", "force", "torque", "effort")
    found["loads"] = [n for n in run.signals if n.count(".") == 1 and n.rpartition(".")[2] in own]
    known = {title: tuple(n for n in names if n in run.signals) for title, names in found.items()}
    return {title: names for title, names in known.items() if names}


def _unit_of(run: Run, name: str, units: UnitSystem) -> tuple[str, float]:
    """The unit in which a signal is shown, and its size; forces are in newtons, unless the file names another unit."""
    unit = run.signal(name).unit
    if unit in ("J", "W"):
        return unit, 1.0
    _, dimension = parse_unit(unit)
    system = effort_units(units) if unit in ("N", "N m") else units
    return system.symbol(dimension), system.factor(dimension)


def charts(run: Run, title: str, names: Sequence[str], units: UnitSystem) -> list[Chart]:
    """One chart for every unit among the signals; lines that do not fit are told."""
    groups: dict[tuple[str, float], list[str]] = {}
    for name in names:
        groups.setdefault(_unit_of(run, name, units), []).append(name)
    stride = max(1, -(-len(run) // MOST_POINTS))
    times = np.asarray(run.time[::stride], float)
    found = []
    for (unit, factor), own in groups.items():
        chosen = set(_moving_first(run, own)[:MOST_LINES])
        kept = [n for n in own if n in chosen]
        values = np.array([np.asarray(run.signal(n).values[::stride], float) / factor for n in kept])
        hidden = [n for n in own if n not in kept]
        if tuple(kept) == ENERGIES:
            kept, values = [*kept, "both"], np.vstack([values, values.sum(axis=0)])
        left = f"not drawn: {', '.join(hidden[:12])}{' ...' * (len(hidden) > 12)}" if hidden else ""
        # A joint has one colour in all charts, as long as there are colours for all.
        colours = tuple((own if set(kept) <= set(own) and len(own) <= len(PALETTE) else kept).index(n) for n in kept)
        gaps = int((~np.isfinite(values)).any(axis=0).sum())
        note = "; ".join(t for t in (left, f"{gaps} samples are not finite" if gaps else "") if t)
        found.append(Chart(title, unit, tuple(kept), times, values, colours, note))
    return found


def _moving_first(run: Run, names: Sequence[str]) -> list[str]:
    """Lines that change before those that do not."""
    travel = {n: float(np.ptp(v)) if (v := _finite(run.signal(n).values)).size else 0.0 for n in names}
    return sorted(names, key=lambda n: travel[n] <= 1e-12)


def _finite(values: Any) -> Array:
    array: Array = np.asarray(values, float)
    kept: Array = array[np.isfinite(array)]
    return kept


def value_range(values: Array) -> tuple[float, float]:
    """Lowest and highest value with a margin; the page itself would stumble over the gaps of the mark."""
    finite = _finite(values)
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return low - margin, high + margin


def pieces(values: Array) -> list[Array]:
    """A line cut where it is not finite: uPlot would draw straight across, but leaves out what is blank at the ends.

    After `MOST_PIECES` the last one holds the rest as it is.
    """
    good = np.isfinite(values)
    starts = np.flatnonzero(good & ~np.concatenate([[False], good[:-1]]))[:MOST_PIECES]
    if len(starts) < 2:
        return [values]
    bounds = [0, *starts[1:].tolist(), len(values)]
    inside = np.arange(len(values))
    return [np.where((inside >= a) & (inside < b), values, np.nan) for a, b in pairwise(bounds)]


def axes_of(theme: Theme, across: str) -> tuple[dict[str, Any], ...]:
    """Axes with a grid, readable on the page; what is plotted stands above, what runs across below."""
    line = {"stroke": theme.grid, "width": 1}
    own = {"stroke": theme.ink, "grid": line, "ticks": line, "font": "11px sans-serif"}
    return ({**own, "label": across, "labelSize": 18, "labelFont": "11px sans-serif", "size": 30}, {**own, "size": 52})


def legend(lines: Sequence[tuple[str, str, str]]) -> str:
    """Names of lines with their colours and their values, as HTML: name, #RRGGBB, text."""
    rows = (f'<i style="background:{c}"></i><span>{escaped(n)}</span><b>{escaped(t)}</b>' for n, c, t in lines)
    return f'<div class="lw-legend">{"".join(rows)}</div>'


def _plain(value: float, line: Array) -> str:
    """A value with four digits; what is rounding beside its line is 0, what is not finite is told."""
    if not np.isfinite(value):
        return "not finite"
    finite = _finite(line)
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    return f"{0.0 if abs(value) < 1e-12 * largest else value:.4g}"


class ChartView:
    """A chart on the page.

    Parameters
    ----------
    gui : of the visitor
    chart : what it shows
    theme : colours
    """

    def __init__(self, gui: Any, chart: Chart, theme: Theme) -> None:
        self.chart, self._shown = chart, 0
        lines = [
            (name if k == 0 else f"{name} ...", colour, piece)
            for name, colour, values in zip(chart.names, chart.colours, chart.values, strict=True)
            for k, piece in enumerate(pieces(values))
        ]
        self._data = (chart.times, *(piece for _, _, piece in lines))
        label = f"{chart.title} [{chart.unit}]" if chart.unit else chart.title
        series: list[Mapping[str, Any]] = [{"label": "time [s]"}]
        for name, colour, _ in lines:
            series.append({"label": name, "stroke": PALETTE[colour % len(PALETTE)], "width": 1.6})
        series.append({"label": "now", "stroke": theme.ink, "points": {"show": True, "size": 9, "fill": theme.ink}})
        self.view = gui.add_uplot(
            (*self._data, self._mark(0)),
            tuple(series),
            title=label,
            scales={"x": {"time": False}, "y": {"range": value_range(chart.values)}},
            axes=axes_of(theme, "time [s]"),
            legend={"show": False},
            padding=(12, 20, 0, 4),
            height=220,
        )
        self.legend = gui.add_html("")
        self.note = gui.add_html(f"<small style='padding:0 1em'>{chart.note}</small>") if chart.note else None
        self._read(0)

    def _read(self, sample: int) -> None:
        """The values of all lines at the mark."""
        chart = self.chart
        if not len(chart.times):
            return
        names = [
            (chart.names[k], PALETTE[c % len(PALETTE)], chart.values[k][sample]) for k, c in enumerate(chart.colours)
        ]
        shown = [(n, c, f"{_plain(v, chart.values[k])} {chart.unit}".strip()) for k, (n, c, v) in enumerate(names)]
        self.legend.content = legend([("time", "transparent", f"{chart.times[sample]:.4g} s"), *shown])

    def _mark(self, sample: int) -> Array:
        """A point on the first line at the moment that is seen."""
        mark = np.full(len(self.chart.times), np.nan)
        if len(mark):
            mark[sample] = self.chart.values[0][sample]
        return mark

    def to_time(self, time: float) -> None:
        """Move the mark."""
        sample = int(np.clip(np.searchsorted(self.chart.times, time), 0, max(len(self.chart.times) - 1, 0)))
        if sample != self._shown:
            self._shown = sample
            self.view.data = (*self._data, self._mark(sample))
            self._read(sample)

    def remove(self) -> None:
        """Take it away."""
        self.view.remove()
        self.legend.remove()
        if self.note is not None:
            self.note.remove()
