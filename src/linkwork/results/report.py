"""A result in words: summary, plain data, a table for notebooks."""

from __future__ import annotations

import copy
import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.results.evidence_words import (
    closing_lines,
    event_lines,
    force_lines,
    held_text,
    samples_text,
    shortened,
    simulation_lines,
    status_text,
)
from linkwork.results.open_components import shown
from linkwork.results.result_layout import axes_of, is_number

if TYPE_CHECKING:
    from linkwork.results.result import Result
    from linkwork.results.run import Run

MAX_WARNINGS = 12
"""Warnings that a summary shows; `Result.warnings` has them all."""


def summary(result: Result) -> str:
    """A few lines."""
    return "\n".join([_title(result), *indented(result)])


def indented(result: Result) -> list[str]:
    """Its lines, each with its title."""
    return [f"  {key}: {text}" for key, text in result._lines()]


def _title(result: Result) -> str:
    return f"{result.analysis} of {result.name or 'a mechanism without a name'}"


def run_lines(run: Run) -> list[tuple[str, str]]:
    """What a summary tells of a run."""
    found = run.evidence
    lines = [("samples", samples_text(found, part=run.arrays.attrs["part"]))]
    lines += [("driven", f"{name} = {law}") for name, law in run.driven.items()]
    if run.held:
        lines.append(("held", held_text(run.held)))
    lines.append(("status", status_text(found)))
    lines += closing_lines(found)
    if found.forces is not None:
        lines += force_lines(found.forces)
    if found.simulation is not None:
        lines += [*simulation_lines(found.simulation), *event_lines(found.simulation.events)]
    return [*lines, *_warnings(found.warnings)]


def result_lines(result: Result) -> list[tuple[str, str]]:
    """What a summary tells of any result: its axes, and the evidence as it was given."""
    data = result._data
    lines = []
    for axis, count in result.axes.items():
        labels = data[axis].values
        ends = ", ".join(labels[:6]) + (", ..." if count > 6 else "") if labels.dtype.kind == "U" else ""
        if not ends and count:
            unit = data[axis].attrs.get("units", "1")
            ends = f"{labels[0]:.6g} to {labels[-1]:.6g}" + ("" if unit == "1" else f" {unit}")
        lines.append((axis, f"{count}, {ends}" if ends else "none"))
    if part := data.attrs["part"]:
        lines.append(("part", part))
    message = str(data.attrs["message"])
    lines.append(("status", f"{data.attrs['status']}: {message}" if message else str(data.attrs["status"])))
    lines += [(key.replace("_", " "), shortened(_told(value), 120)) for key, value in result.evidence.items()]
    return [*lines, *_warnings(result.warnings)]


def _told(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_told, value))
    if isinstance(value, dict):
        return ", ".join(f"{k} {_told(v)}" for k, v in value.items())
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _warnings(texts: tuple[str, ...]) -> list[tuple[str, str]]:
    lines = [("warning", text) for text in texts[:MAX_WARNINGS]]
    if (more := len(texts) - MAX_WARNINGS) > 0:
        lines.append(("warning", f"and {more} more"))
    return lines


def html_page(result: Result) -> str:
    """The summary as an HTML table; every text is escaped."""
    return html_table(_title(result), [*result._lines(), ("names", shortened(", ".join(result.names)))])


def html_table(title: str, lines: Sequence[tuple[str, str]]) -> str:
    """Lines with their titles as an HTML table; every text is escaped."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{html.escape(key)}</th>"
        f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
        for key, text in lines
    )
    return f"<div><b>{html.escape(title)}</b><table>{rows}</table></div>"


def only_axis(result: Result, what: str) -> str:
    """The axis along which everything lies; InputError where there are several or none."""
    along = {name: axes_of(v.dims) for name, v in result._data.data_vars.items()}
    if len(result.axes) == 1 and all(len(own) == 1 for own in along.values()):
        return next(iter(result.axes))
    other = next((f"'{n}' lies along {', '.join(own) or 'none'}" for n, own in along.items() if len(own) != 1), "")
    text = f"{what} has one axis; this result has {', '.join(result.axes) or 'none'}" + (
        f", and {other}" if other else ""
    )
    raise InputError(Problem(text, hint="select a part of it, or use .nc"), result.name)


def plain_run(run: Run) -> dict[str, Any]:
    """A run as plain data."""
    data = shown(run.arrays)
    attrs = {k: v for k, v in copy.deepcopy(data.attrs).items() if k not in ("status", "message", "asked", "warnings")}
    return {
        **attrs,
        "time": _numbers(data["time"].values),
        "signals": {
            str(n): {"units": v.attrs["units"], "values": _numbers(v.values)} for n, v in data.data_vars.items()
        },
        "evidence": run.evidence.as_dict(),
    }


def plain(result: Result) -> dict[str, Any]:
    """A result as plain data."""
    data = shown(result.arrays)
    numbers = {n: v for n, v in data.data_vars.items() if is_number(v)}
    texts = {n: v for n, v in data.data_vars.items() if n not in numbers}
    return {
        **copy.deepcopy(data.attrs),
        "axes": {axis: _numbers(data[axis].values) for axis in result.axes},
        "labels": {
            str(n): {"axes": list(map(str, v.dims)), "values": _numbers(v.values)}
            for n, v in [*data.coords.items(), *texts.items()]
            if n not in data.sizes
        },
        "signals": {
            str(n): {"units": v.attrs["units"], "axes": list(map(str, v.dims)), **_values(v.values)}
            for n, v in numbers.items()
        },
    }


def _values(values: Any) -> dict[str, Any]:
    if values.dtype.kind == "c":
        return {"real": _numbers(values.real), "imaginary": _numbers(values.imag)}
    return {"values": _numbers(values)}


def _numbers(values: Any) -> Any:
    """Nested lists, with None for what JSON cannot say."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        values = np.where(np.isfinite(values), values.astype(object), None)
    return values.tolist()
