"""What the motion takes: drives, joints, loads, motors and energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwork.analyses.strength.motors import torque_speed
from linkwork.errors import Problem
from linkwork.results import Run
from linkwork.results.evidence_words import balance_text
from linkwork.results.open_components import known
from linkwork.results.plots import Quantity, Series, describe_over
from linkwork.results.signals import Signal
from linkwork.units import TIME, UnitSystem, format_quantity
from linkwork.units.efforts import effort_units
from linkwork.views.force_peaks import ForcePeaks, force_peaks
from linkwork.views.force_tables import energy_table, force_tables
from linkwork.views.layers import has_forces
from linkwork.views.report.markup import facts, paragraph, table
from linkwork.views.report.section import Block, Content
from linkwork.views.report.subject import Subject

MOST_LINES = 7
"""Lines in one panel: as many as there are colours."""


def forces(subject: Subject) -> Content | None:
    """Tables of all, and efforts, joint forces, loads, energies and motors over time; None of a run without forces."""
    run = subject.run
    if run is None or not len(run) or not has_forces(run):
        return None
    m, units = subject.mechanism, subject.units
    # Newtons and metres, as in the tables, over the time of the page.
    shown = replace(effort_units(units), time=units.time)
    found = force_peaks(run, m)
    tables = [table(t) for t in force_tables(found, units, subject.machine.layout.size)]
    tables += [] if found.energy is None else [table(energy_table(found.energy))]
    blocks: list[Block] = [facts(_balance(run, units), "facts wide"), *tables]
    drives = [run.signal(f"{n}.effort") for n in found.drives]
    powers = [run.signal(f"{n}.power") for n in found.drives]
    blocks += _plot("Efforts of the drives", drives, run, shown)
    blocks += _plot("Power of the drives", powers, run, shown)
    blocks += _plot("Forces in the joints", _joint_forces(run, found), run, shown)
    blocks += _plot("Loads", [run.signal(f"{n}.{x.quantity}") for n, x in found.loads.items()], run, shown)
    energies = [f"machine.{kind}_energy" for kind in ("kinetic", "potential")]
    blocks += _plot("Energy of the machine", [run.signal(n) for n in energies if n in run], run, shown)
    for name, verdict in found.motors.items():
        if verdict.torque is not None:
            plot = torque_speed(run, m.motors[name]).describe(units=shown)
            blocks.append(replace(plot, title=f"Torque over speed of {name}"))
            if not plot.notes:  # which say what is wrong
                blocks.append(paragraph(f"{verdict.message}.", "caption"))
    return Content(tuple(blocks), _open(run))


def _balance(run: Run, units: UnitSystem) -> list[tuple[str, str]]:
    """How far the forces can be trusted."""
    found = run.evidence.forces
    text = "" if found is None else balance_text(found, lambda time: format_quantity(time, TIME, units))
    return [("power balance", text or "not recorded")]


def _joint_forces(run: Run, found: ForcePeaks) -> list[Quantity]:
    """Sizes of the joints' forces without what is indeterminate, the largest first."""
    data = run.arrays
    peaks = {name: j.force.value for name, j in found.joints.items() if j.force is not None and j.force.value > 0.0}
    order = sorted(peaks, key=lambda name: -peaks[name])
    return [Quantity(name, "N", np.linalg.norm(known(data, f"{name}.force"), axis=1)) for name in order]


def _plot(title: str, lines: Sequence[Signal | Quantity], run: Run, units: UnitSystem) -> list[Block]:
    """Lines over time, the first ones of each unit; the others are counted."""
    if not lines:
        return []
    whole = describe_over([Series(lines, run.signal("time"))], units=units)
    panels = tuple(replace(panel, lines=panel.lines[:MOST_LINES]) for panel in whole.panels)
    left = max(len(panel.lines) for panel in whole.panels) - MOST_LINES
    blocks: list[Block] = [replace(whole, panels=panels, title=title)]
    if left > 0:
        blocks.append(paragraph(f"The first {MOST_LINES}; the table above has the other {left}.", "caption"))
    return blocks


def _open(run: Run) -> tuple[Problem, ...]:
    """What statics leaves open is said among the warnings too."""
    found = [f"{joint}.{c}" for joint, own in run.indeterminate.items() for c in own]
    if not found:
        return ()
    more = f" and {len(found) - 12} more" if len(found) > 12 else ""
    what = f"statically indeterminate: {', '.join(found[:12])}{more}"
    hint = "joints with more freedom make the loops determinate"
    return (Problem(what, "forces", hint, severity="note"),)
