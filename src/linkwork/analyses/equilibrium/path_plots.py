"""Pictures of paths of equilibria."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from linkwork.results.plots.description import Axis, Line, Panel, Plot

if TYPE_CHECKING:
    from linkwork.analyses.equilibrium.paths import EquilibriumPath


def path_plot(path: EquilibriumPath, names: Sequence[str]) -> Plot:
    """One panel a signal, over what the path lies over; branches with it."""
    chosen = list(names) or ([path.by] if path.by != path.over else _usual(path))
    panels = []
    for name in chosen:
        lines: list[Line] = []
        for number, own in enumerate([path, *path.branches]):
            lines += _lines(own, name, number)
        signal = path.result.signal(name)
        panels.append(Panel(Axis(path.over, path.unit), Axis(signal.name, signal.unit), tuple(lines)))
    return Plot(tuple(panels), title=f"{path._machine.name} at rest")


def _usual(path: EquilibriumPath) -> list[str]:
    """The free variables."""
    loops = path._given.family.machine.loops
    spot = path._track.spots[0]
    columns = [c for c in spot.chart.columns[spot.chart.free].tolist() if c < loops.columns]
    return list(loops.drivable(columns))[:4] or [path._machine.plan.variables[0]]


def _lines(path: EquilibriumPath, name: str, number: int) -> list[Line]:
    signal = path.result.signal(name)
    x, y = path.values, np.asarray(signal.values, float)
    lasting = np.array([v in ("stable", "held") for v in path.verdicts])
    own = "" if not number else f", branch {number}"
    lines: list[Line] = []
    changes = (np.flatnonzero(lasting[1:] != lasting[:-1]) + 1).tolist()
    told: set[bool] = set()
    for first, last in zip([0, *changes], [*changes, len(x)], strict=True):
        kind = bool(lasting[first])
        part = slice(max(first - (not kind), 0), min(last + (not kind), len(x)))  # parts meet where the verdict changes
        word = "stable" if kind else "not stable"
        style: Literal["line", "thin"] = "line" if kind else "thin"
        lines.append(Line("" if kind in told else f"{word}{own}", x[part], y[part], tint=number, style=style))
        told.add(kind)
    at = [mark.sample for mark in path.marks if mark.kind in ("fold", "branch") and mark.sample < len(x)]
    if at and not number:
        lines.append(Line("folds and branch points", x[at], y[at], tint="warning", style="ring"))
    return lines
