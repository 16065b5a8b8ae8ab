"""Quantities over another one: those of one unit in one panel, panels above each other, several runs overlaid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linkwork.errors import InputError, Problem
from linkwork.results.plots.curves import curve_through
from linkwork.results.plots.description import Line, Panel, Plot
from linkwork.results.plots.shown_units import Quantity, Showing
from linkwork.results.signals import Signal, Units
from linkwork.units import SI, Dimension, UnitSystem


@dataclass(frozen=True)
class Series:
    """Quantities of one run, over one of them.

    run : its name in the legend, '' of the run that is asked
    """

    quantities: Sequence[Quantity | Signal]
    x: Quantity | Signal
    run: str = ""


def named(name: str, run: str) -> str:
    """'P.x', and 'P.x (slow)' of another run."""
    return f"{name} ({run})" if run else name


def describe_over(series: Sequence[Series], *, units: Units = None, title: str = "", default: UnitSystem = SI) -> Plot:
    """The plot of some quantities of one or several runs; all series have the same quantities in the same order.

    Where every panel has one quantity, colours tell the runs apart; else colours are quantities and dashes are runs.

    Parameters
    ----------
    series : the first one is that of the run that is asked
    units, default : units to show, and those where none is given
    title : above the uppermost panel
    """
    show = Showing(units, [q for s in series for q in (*s.quantities, s.x)], default)
    need_samples([s.x for s in series])
    groups: dict[tuple[str, Dimension, str], list[int]] = {}
    first = [show(q) for q in series[0].quantities]
    for i, shown in enumerate(first):
        groups.setdefault((shown.symbol, shown.dimension, shown.kind), []).append(i)
    by_run = len(series) > 1 and all(len(members) == 1 for members in groups.values())
    panels = []
    for members in groups.values():
        lines = []
        for number, one in enumerate(series):
            x = show(one.x)
            for place, i in enumerate(members):
                tint, dash = (number, 0) if by_run else (place, number)
                y = show(one.quantities[i])
                name = named(y.name, one.run)
                curve = curve_through([one.x, one.quantities[i]], [x.factor, y.factor])
                lines.append(Line(name, x.values, y.values, tint=tint, dash=dash, missing=y.missing,
                                  heads=(named(x.name, one.run), name), curve=curve))  # fmt: skip
        panels.append(Panel(show(series[0].x).axis, first[members[0]].axis, tuple(lines)))
    return Plot(tuple(panels), title)


def need_samples(quantities: Sequence[Quantity | Signal]) -> None:
    """InputError where there is nothing to plot."""
    if any(not len(q.values) for q in quantities):
        raise InputError(Problem("the run has no samples to plot", hint="its message says why it stopped"))
