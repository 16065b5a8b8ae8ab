"""Pictures of all solutions: variables side by side, or over a joint that is swept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.kinematics.plot_units import chosen_names, units_of
from linkwork.results.plots import Axis, Line, Panel, Plot, Quantity, Showing

if TYPE_CHECKING:
    from linkwork.analyses.robots.solutions.found import Solutions
    from linkwork.results.signals import Units


def solution_panels(found: Solutions, names: Sequence[str], units: Units) -> Plot:
    """See `Solutions.plot`."""
    loops = found.postures[0].loops
    known = units_of(loops)
    wanted = chosen_names(list(names), list(known)) if names else list(found.variables)
    values = {n: np.array([p[n] for p in found.postures]) for n in wanted}
    swept = next(iter(found.samples), None)
    own = [Quantity(n, known[n], values[n]) for n in wanted]
    if swept is None:
        return _side_by_side(found, own, Showing(units, own, loops.system.layout.units))
    over = Quantity(swept, known[swept], np.array([p[swept] for p in found.postures]))
    show = Showing(units, [*own, over], loops.system.layout.units)
    x = show(over)
    panels = []
    place = {id(p): k for k, p in enumerate(found.postures)}
    curves = [[place[id(p)] for p in curve] for curve in found.curves()]
    for quantity in own:
        y = show(quantity)
        lines = tuple(Line("", x.values[c], y.values[c], tint=k, heads=(swept, y.name)) for k, c in enumerate(curves))
        panels.append(Panel(x.axis, y.axis, lines, legend=False))
    return Plot(tuple(panels), f"{loops.plan.name}: {found.target}, {len(curves)} curves of solutions")


def _side_by_side(found: Solutions, own: Sequence[Quantity], show: Showing) -> Plot:
    shown = [show(q) for q in own]
    panels = []
    for unit in dict.fromkeys((s.symbol, s.dimension) for s in shown):
        some = [s for s in shown if (s.symbol, s.dimension) == unit]
        places = np.arange(float(len(some)))
        lines = []
        for k, posture in enumerate(found.postures):
            y = np.array([s.values[k] for s in some])
            heads = ("variable", f"solution {posture.name}")
            lines.append(Line("", places, y, tint=k, style="thin", heads=heads))
            lines.append(Line(heads[1], places, y, tint=k, style="dots", heads=heads))
        x = Axis("", places=tuple(s.name for s in some))
        panels.append(Panel(x, Axis(some[0].axis.kind, unit[0]), tuple(lines), legend=len(found) <= 16))
    noun = "solution" if len(found) == 1 else "solutions"
    return Plot(tuple(panels), f"{found.postures[0].loops.plan.name}: {found.target}, {len(found)} {noun}")
