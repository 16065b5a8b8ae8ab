"""A run in words: summary, plain data, a table for notebooks."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.results.force_evidence import ForceEvidence, Peak
from linkwork.results.marking import shown
from linkwork.results.simulation_evidence import SimulationEvidence

if TYPE_CHECKING:
    from linkwork.results.run import Run

MAX_WARNINGS = 12
"""Warnings that a summary shows; `Run.warnings` has them all."""


def summary(run: Run) -> str:
    """A few lines."""
    return "\n".join([_title(run), *(f"  {key}: {text}" for key, text in _lines(run))])


def _title(run: Run) -> str:
    return f"{run.analysis} of {run.name or 'a mechanism without a name'}"


def _lines(run: Run) -> list[tuple[str, str]]:
    found = run.evidence
    samples = f"{found.reached}"
    if found.span is not None:
        samples += f", time {found.span[0]:.6g} .. {found.span[1]:.6g} s"
    if part := run.data.attrs["part"]:
        samples += f" (a part: {part})"
    lines = [("samples", samples)]
    lines += [("driven", f"{name} = {law}") for name, law in run.driven.items()]
    status = found.status
    if not found.complete and found.reached < found.asked:
        status += f" after {found.reached} of {found.asked} samples"
    lines.append(("status", f"{status}: {found.message}" if found.message else status))
    if found.worst_residual is not None:
        unit = "" if found.residual_unit == "1" else f" {found.residual_unit}"
        lines.append(("worst residual", f"{found.worst_residual:.2e}{unit} at {found.worst_residual_at:.6g} s"))
    if found.smallest_quality is not None:
        lines.append(("smallest quality", f"{found.smallest_quality:.3g} at {found.smallest_quality_at:.6g} s"))
    if found.iterations is not None:
        lines.append(("iterations", f"{found.iterations}, at most {found.most_iterations} a sample"))
    if len(found.mobility) > 1:
        lines.append(("mobility", f"changes: {', '.join(map(str, found.mobility))}"))
    if (own := found.integration) is not None:
        text = f"what {', '.join(own.held)} determines, to {own.tolerance:.0e} in {own.steps} steps"
        lines.append(("integrated", text))
    if found.forces is not None:
        lines += _of_forces(found.forces)
    if found.simulation is not None:
        lines += simulation_lines(found.simulation)
    lines += [("warning", text) for text in found.warnings[:MAX_WARNINGS]]
    if (more := len(found.warnings) - MAX_WARNINGS) > 0:
        lines.append(("warning", f"and {more} more"))
    return lines


def simulation_lines(found: SimulationEvidence) -> list[tuple[str, str]]:
    """Steps, balance of energy and events, each with its title."""
    rejected = f", {found.rejected} taken back" if found.rejected else ""
    lines = [("steps", f"{found.steps}{rejected}, {found.evaluations} evaluations ({', '.join(found.methods)})")]
    error, moved = found.energy_error, found.energy_scale
    whole = f"balances to {error:.2g} J, {error / moved:.1g} of the {moved:.3g} J moved" if moved else "none moved"
    lines.append(("energy", whole))
    if found.impact_loss:
        lines.append(("impacts", f"took {found.impact_loss:.4g} J"))
    if found.change:
        lines.append(("changes", f"{'gave' if found.change > 0.0 else 'took'} {abs(found.change):.4g} J"))
    if found.events:
        more = f", {len(found.events)} in all; the last {found.events[-1]}" if len(found.events) > 1 else ""
        lines.append(("events", f"first {found.events[0]}{more}"))
    return lines


def _of_forces(found: ForceEvidence) -> list[tuple[str, str]]:
    """What drives take, what joints carry, and how well the power balances."""
    lines = [("effort", _peak(e) + ("" if e.missing else f", rms {e.rms:.6g} {e.unit}")) for e in found.efforts]
    for what, largest in (("force", found.largest_force), ("moment", found.largest_moment)):
        if largest is not None:
            start = f"{largest.name}.{what[0]}"  # B.f of B.fx
            left = [c.removeprefix(f"{largest.name}.") for c in found.indeterminate if c.startswith(start)]
            lines.append((f"largest {what}", _peak(largest) + (f", without {', '.join(left)}" if left else "")))
    if found.indeterminate:
        lines.append(("indeterminate", _shortened(", ".join(found.indeterminate), 120)))
    if found.power_error is not None:
        text = f"{found.power_error:.2e} W off at {found.power_error_at:.6g} s"
        if found.largest_power:
            text += f", {found.power_error / found.largest_power:.1e} of the largest power, {found.largest_power:.6g} W"
        lines.append(("power balance", text))
    return lines


def _peak(found: Peak) -> str:
    if math.isnan(found.value):
        return f"{found.name}, not known"
    gaps = f", not known at {found.missing} sample{'s' * (found.missing > 1)}" if found.missing else ""
    return f"{found.name}, peak {found.value:.6g} {found.unit} at {found.at:.6g} s{gaps}"


def html_page(run: Run) -> str:
    """The summary as an HTML table; every text is escaped."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{html.escape(key)}</th>"
        f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
        for key, text in [*_lines(run), ("names", _shortened(", ".join(run.names)))]
    )
    return f"<div><b>{html.escape(_title(run))}</b><table>{rows}</table></div>"


def _shortened(text: str, most: int = 600) -> str:
    return text if len(text) <= most else text[: most - 4] + " ..."


def plain(run: Run) -> dict[str, Any]:
    """Everything as plain data."""
    data = shown(run.data)
    attrs = {k: v for k, v in data.attrs.items() if k not in ("status", "message", "asked", "warnings")}
    return {
        **attrs,
        "time": _numbers(data["time"].values),
        "signals": {
            str(n): {"units": v.attrs["units"], "values": _numbers(v.values)} for n, v in data.data_vars.items()
        },
        "evidence": run.evidence.as_dict(),
    }


def _numbers(values: Any) -> list[Any]:
    """Nested lists, with None for what JSON cannot say."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        values = np.where(np.isfinite(values), values.astype(object), None)
    listed: list[Any] = values.tolist()
    return listed
