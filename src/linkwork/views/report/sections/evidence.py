"""How far the motion can be trusted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.results.evidence_words import closing_lines, event_lines, simulation_lines
from linkwork.results.plots import Plot, describe_evidence
from linkwork.units import TIME, format_quantity
from linkwork.views.report.markup import facts, paragraph
from linkwork.views.report.section import Content
from linkwork.views.report.subject import Subject


def evidence(subject: Subject) -> Content | None:
    """Residuals of the loops, the quality index and Newton's steps, as numbers and over time; steps of a simulation."""
    run = subject.run
    if run is None or not len(run):
        return None
    found, units = run.evidence, subject.units

    def at(time: float) -> str:
        return format_quantity(time, TIME, units)

    own = found.simulation
    simulated = [] if own is None else [*simulation_lines(own), *event_lines(own.events, at)]
    if "closure.residual" not in run or not subject.machine.topology.n_loops:
        told = [paragraph("The machine has no loops: every posture follows from its joints without an error.")]
        told += [facts([("status", found.status), *simulated], "facts wide")] if simulated else []
        return Content(tuple(told))
    pairs = [("status", found.status), *closing_lines(found, at), *simulated]
    plot = replace(describe_evidence(run, units=units, against={}), title="Evidence over time", notes=())
    seen, note = _above_zero(plot)
    return Content((facts(pairs, "facts wide"), seen, *([paragraph(note, "caption")] if note else [])))


def _above_zero(plot: Plot) -> tuple[Plot, str]:
    """An error of exactly zero, which is best of all, has no place on a logarithmic scale: it is drawn at the foot."""
    panels, exact = [], 0
    for panel in plot.panels:
        if panel.y.log:
            y = panel.along(1)
            foot = float(y[np.isfinite(y) & (y > 0.0)].min(initial=np.inf)) / 2.0
            exact += int((y == 0.0).sum())
            lines = tuple(replace(line, y=np.where(line.y == 0.0, foot, line.y)) for line in panel.lines)
            panels.append(replace(panel, lines=lines))
        else:
            panels.append(panel)
    note = f"{exact} sample{'s have' if exact != 1 else ' has'} no error at all, drawn at the foot." if exact else ""
    return replace(plot, panels=tuple(panels)), note
