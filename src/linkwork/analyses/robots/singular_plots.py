"""Plots of singular postures: places of the target, or two variables over each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.kinematics.plot_units import chosen_names, units_of
from linkwork.results.plots import Axis, Line, Panel, Plot, Quantity, Showing

if TYPE_CHECKING:
    from linkwork.analyses.robots.singularities import Singularities
    from linkwork.results.signals import Units

AXES = "xyz"
TINTS = {"task": 0, "drives": 1}


def places_of(found: Singularities, plane: str | None, units: Units) -> Plot:
    """Where the target is in singular postures, in a plane."""
    from linkwork.results.plots.paths import checked_plane

    layout = found.loops.system.layout
    columns = [Quantity(found.target, "m", c.places) for c in found.curves]
    show = Showing(units, columns or [Quantity(found.target, "m", np.empty((0, 3)))], layout.units)
    shown = [show(c).values for c in columns]
    if plane is None:
        reach = np.ptp(np.concatenate(shown), axis=0) if shown else np.zeros(3)
        drawn = "".join(AXES[k] for k in sorted(np.argsort(-reach, kind="stable")[:2].tolist()))
    else:
        drawn = checked_plane(plane)
    which = [AXES.index(letter) for letter in drawn]
    symbol = show(columns[0]).symbol if columns else "m"
    lines = _lines(found, [[part[:, k] for k in which] for part in shown])
    axes = [Axis(f"{found.target}.{AXES[k]}", symbol) for k in which]
    title = f"{found.loops.plan.name}: singular places of {found.target}"
    return Plot((Panel(axes[0], axes[1], lines, equal=True),), title, found.warnings)


def over_variables(found: Singularities, over: Sequence[str], units: Units) -> Plot:
    """Singular postures over two variables."""
    known = units_of(found.loops)
    names = chosen_names(list(over), found.loops.plan.variables)
    every = [[Quantity(n, known[n], found.values(c, n)) for n in names] for c in found.curves]
    axes = [Quantity(n, known[n], np.empty(0)) for n in names]
    show = Showing(units, [q for pair in every for q in pair] or axes, found.loops.system.layout.units)
    lines = _lines(found, [[show(q).values for q in pair] for pair in every])
    # All curves are of the same two variables: the axes keep their names.
    first, second = (replace(show(q).axis, kind="") for q in (every[0] if every else axes))
    title = f"{found.loops.plan.name}: singular postures for {found.target}"
    return Plot((Panel(first, second, lines),), title, found.warnings)


def _lines(found: Singularities, columns: Sequence[Sequence[np.ndarray]]) -> tuple[Line, ...]:
    named: set[str] = set()
    lines = []
    for curve, (x, y) in zip(found.curves, columns, strict=True):
        name = "" if curve.kind in named else {"task": "of the task", "drives": "of the drives"}[curve.kind]
        named.add(curve.kind)
        lines.append(Line(name, x, y, tint=TINTS[curve.kind]))
    return tuple(lines)
