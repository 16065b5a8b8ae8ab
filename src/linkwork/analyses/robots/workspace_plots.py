"""Plots of regions: outlines with a quality in them; of regions in space what they cover of three planes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.names import no_such
from linkwork.results.plots import Field, Line, Panel, Plot, Quantity, Showing

if TYPE_CHECKING:
    from linkwork.analyses.robots.workspace import Workspace
    from linkwork.results.signals import Units


def described(region: Workspace, quality: str, units: Units) -> Plot:
    """A region as a plot."""
    if len(region.plane) == 3:
        if quality:
            raise InputError(Problem("a quality is shown over a plane", "quality", "ask `workspace` for a section"))
        return _three_planes(region, units)
    names = [f"{region.target}.{letter}" for letter in region.plane]
    grid = [Quantity(n, "m", v) for n, v in zip(names, region.axes, strict=True)]
    rims = [[Quantity(n, "m", o[:, k]) for k, n in enumerate(names)] for o in region.outlines]
    show = Showing(units, [*grid, *(q for pair in rims for q in pair)], region.loops.system.layout.units)
    x, y = (show(q) for q in grid)
    lines = tuple(Line("rim" if k == 0 else "", *(show(q).values for q in pair), tint=0) for k, pair in enumerate(rims))
    drawn = None
    if quality:
        from linkwork.analyses.robots.workspace import QUALITIES

        if quality not in QUALITIES:
            raise InputError(no_such("quality", quality, QUALITIES))
        drawn = Field(x.values, y.values, region.quality(quality).T, quality, blank="not reached")
    title = f"{region.loops.plan.name}: workspace of {region.target}"
    return Plot((Panel(x.axis, y.axis, lines, equal=True, field=drawn),), title, region.warnings)


def _three_planes(region: Workspace, units: Units) -> Plot:
    panels = []
    grid = [Quantity(f"{region.target}.{a}", "m", v) for a, v in zip("xyz", region.axes, strict=True)]
    show = Showing(units, grid, region.loops.system.layout.units)
    shown = [show(q) for q in grid]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        across = next(k for k in range(3) if k not in (i, j))
        depth: Array = (
            region.reached.sum(axis=across).T
            * region.step
            * (show(grid[across]).values[-1] - show(grid[across]).values[0])
        )
        depth = depth / max(float(np.ptp(region.axes[across])), 1e-300)
        values = np.where(depth > 0.0, depth, np.nan)
        field = Field(
            shown[i].values,
            shown[j].values,
            values,
            f"depth along {'xyz'[across]}",
            shown[across].symbol,
            "not reached",
        )
        panels.append(Panel(shown[i].axis, shown[j].axis, field=field, equal=True))
    title = f"{region.loops.plan.name}: workspace of {region.target}"
    return Plot(tuple(panels), title, region.warnings)
