"""The numbers of a plot as CSV: names and units in the header, one column for every one that is drawn."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import numpy as np

from linkwork.geometry import Array
from linkwork.results.plots.description import Field, Panel, Plot

Column = tuple[str, Array]


def write_numbers(plot: Plot, path: Path) -> None:
    """Write all lines and fields side by side. Columns that are equal are written once; short ones end early."""
    columns = list(_columns(plot))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([head for head, _ in columns])
        for row in zip_longest(*(values.tolist() for _, values in columns), fillvalue=""):
            writer.writerow([repr(cell) if isinstance(cell, float) else cell for cell in row])


def _columns(plot: Plot) -> Iterator[Column]:
    """Every column once; of two that differ under one head the later is numbered."""
    written: dict[str, Array] = {}
    for head, values in (c for panel in plot.panels for c in _of_panel(panel)):
        name, number = head, 1
        while name in written and not np.array_equal(written[name], values, equal_nan=True):
            number += 1
            name = f"{head} {number}"
        if name not in written:
            written[name] = values
            yield name, values


def _of_panel(panel: Panel) -> Iterator[Column]:
    for line in panel.named:
        for axis, head, values in zip(panel.axes, panel.heads(line), line.columns, strict=True):
            yield _head(head, axis.symbol), np.asarray(values, np.float64)
    if panel.field is not None:
        yield from _of_field(panel, panel.field)


def _of_field(panel: Panel, field: Field) -> Iterator[Column]:
    x, y = np.meshgrid(field.x, field.y)
    yield _head(panel.x.name, panel.x.symbol), x.ravel()
    yield _head(panel.y.name, panel.y.symbol), y.ravel()
    yield _head(field.name, field.symbol), field.values.ravel()


def _head(name: str, symbol: str) -> str:
    return f"{name} [{symbol}]" if symbol else name
