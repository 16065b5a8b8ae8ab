"""Signals of results over one of their axes; of other axes, every coordinate is a line of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.results.arrays import Labelled
from linkwork.results.plots.description import Axis, Panel, Plot
from linkwork.results.plots.over import Series, describe_over
from linkwork.results.plots.shown_units import Quantity
from linkwork.results.result_layout import axes_of
from linkwork.results.signals import Signal, Units

MOST_LINES = 24


def describe_along(given: Mapping[str, Sequence[Signal]], x: str, *, units: Units = None, title: str = "") -> Plot:
    """The plot of signals over an axis.

    given : signals by the name of the result that they are of, '' of the one that is asked; x : the axis, '' for the
    last one of numbers that all signals have, of texts where there is none
    """
    signals = next(iter(given.values()))
    axis = x or _shared(signals)
    problems = [
        Problem(f"it does not lie along '{axis}'", s.name, f"it lies along {', '.join(axes_of(s.axes)) or 'none'}")
        for own in given.values()
        for s in own
        if _dimension(s, axis) not in s.axes
    ]
    if problems:
        raise InputError(problems)
    series = [Series([q for s in own for q in _lines(s, axis)], _over(own[0], axis), run) for run, own in given.items()]
    if (most := max(len(one.quantities) for one in series)) > MOST_LINES:
        raise InputError(Problem(f"these are {most} lines, {MOST_LINES} can be told apart", hint="select a part first"))
    if len({len(one.quantities) for one in series}) > 1:
        raise InputError(Problem("the results have axes of different lengths", "against", "select the same parts"))
    plot = describe_over(series, units=units, title=title)
    labels = signals[0].labelled[axis].values
    return (
        plot if labels.dtype.kind != "U" else replace(plot, panels=tuple(_named(p, axis, labels) for p in plot.panels))
    )


def _shared(signals: Sequence[Signal]) -> str:
    shared = [a for a in axes_of(signals[0].axes) if all(a in s.axes for s in signals)]
    if not shared:
        names = ", ".join(s.name for s in signals)
        raise InputError(Problem(f"{names} have no axis in common", hint="name the axis to plot over: x="))
    numbered = [a for a in shared if signals[0].labelled[a].dtype.kind != "U"]
    return (numbered or shared)[-1]


def _dimension(signal: Signal, axis: str) -> str:
    """The axis of a label that stands along one: 'run' of 'rod.mass'."""
    label = signal.labelled.coords.get(axis)
    return str(label.dims[0]) if label is not None and len(label.dims) == 1 else axis


def _over(signal: Signal, axis: str) -> Quantity:
    coordinate = signal.labelled[axis]
    if coordinate.dtype.kind == "U":
        return Quantity(axis, "1", np.arange(float(coordinate.size)))
    return Quantity(axis, str(coordinate.attrs.get("units", "1")), coordinate.values)


def _lines(signal: Signal, axis: str) -> Iterator[Quantity]:
    """One line for every coordinate of the other axes; complex numbers have their magnitude drawn."""
    data, last = signal.labelled, _dimension(signal, axis)
    others = [d for d in signal.axes if d != last]
    values: Any = np.transpose(signal.values, [signal.axes.index(d) for d in (*others, last)])
    name, numbers = signal.name, values
    if values.dtype.kind == "c":
        name, numbers = f"|{name}|", np.abs(values)
    labels = {d: _label(data, d) for d in others}
    for place in product(*(range(data.sizes[d]) for d in others)):
        where = ", ".join(f"{labels[d]} {_text(data, labels[d], i)}" for d, i in zip(others, place, strict=True))
        line: Array = numbers[place]
        yield Quantity(f"{name} ({where})" if where else name, signal.unit, line)


def _label(data: Labelled, axis: str) -> str:
    """What tells the coordinates of an axis apart: of runs, what differs between them if that is one thing."""
    along = [name for name, c in data.coords.items() if c.dims == (axis,) and name != axis]
    telling = [name for name in along if len(np.unique(data[name].values)) == data.sizes[axis]]
    return telling[0] if axis == "run" and len(along) == 1 and telling else axis


def _text(data: Labelled, axis: str, place: int) -> str:
    label = data[axis].values[place]
    return str(label) if isinstance(label, str) else f"{label:.6g}"


def _named(panel: Panel, axis: str, labels: Any) -> Panel:
    """Names instead of numbers along x, and dots instead of lines between them."""
    lines = tuple(replace(line, style="dots") for line in panel.lines)
    return replace(panel, x=Axis(axis, places=tuple(str(text) for text in labels)), lines=lines)
