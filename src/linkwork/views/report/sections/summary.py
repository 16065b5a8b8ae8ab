"""The machine in a few numbers."""

from __future__ import annotations

import numpy as np

from linkwork.errors import Problem
from linkwork.units import ACCELERATION, LENGTH, MASS, SI, format_quantity
from linkwork.views.report.markup import facts, paragraph
from linkwork.views.report.section import Content
from linkwork.views.report.subject import Subject


def summary(subject: Subject) -> Content:
    """Description, counts, mobility, mass, size, gravity, units; and everything that the check warns of."""
    m, found, units = subject.mechanism, subject.check, subject.units
    values = found.values()
    g = float(np.linalg.norm(m.gravity))
    home = subject.machine.home
    pairs = [
        ("bodies", f"{len(found.topology.bodies)}, ground included"),
        ("joints", str(len(found.topology.joints))),
        ("loops", str(found.topology.n_loops)),
        ("mobility", str(home.mobility)),
        ("redundant constraints", str(home.redundant)),
        ("mass", format_quantity(values["mass"], MASS, units) if values["mass"] else "none given"),
        ("size", format_quantity(found.layout.size, LENGTH, units)),
        ("gravity", format_quantity(g, ACCELERATION, SI) if g else "none"),
        ("units", ", ".join(u for u in (units.length, units.mass, units.time, units.angle, units.force) if u)),
    ]
    blocks = [paragraph(m.description, "lead")] if m.description else []
    return Content((*blocks, facts(pairs)), (*found.problems, *_changed(subject)))


def _changed(subject: Subject) -> tuple[Problem, ...]:
    """Tables and drawings are of the model; a machine with other numbers moves otherwise."""
    if not subject.changed:
        return ()
    what = f"the machine has other numbers than its model: {', '.join(subject.changed[:8])}"
    more = f" and {len(subject.changed) - 8} more" if len(subject.changed) > 8 else ""
    hint = "the motion is that of the machine, tables and drawings show the model"
    return (Problem(what + more, "parameters", hint, severity="warning"),)
