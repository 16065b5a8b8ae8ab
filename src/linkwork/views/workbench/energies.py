"""The energies of a machine that was let go, as one watches: kinetic, potential, and both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.colours import PALETTE
from linkwork.views.workbench.charts import axes_of, legend, value_range

if TYPE_CHECKING:
    from linkwork.views.workbench.desk import Desk

NAMES = ("kinetic", "potential", "both")
COLOURS = (PALETTE[0], PALETTE[2], PALETTE[1])


class EnergyView:
    """A plot that grows while the machine moves; unseen before.

    Parameters
    ----------
    gui : of the visitor
    desk : whose colours it has
    """

    def __init__(self, gui: Any, desk: Desk) -> None:
        nothing = np.zeros(2)
        series = [{"label": "time [s]"}]
        series += [{"label": n, "stroke": c, "width": 1.6} for n, c in zip(NAMES, COLOURS, strict=True)]  # type: ignore[dict-item]
        self.view = gui.add_uplot(
            (np.array([0.0, 1.0]), nothing, nothing, nothing),
            tuple(series),
            title="energy [J]",
            scales={"x": {"time": False}, "y": {"range": (-1.0, 1.0)}},
            axes=axes_of(desk.theme, "time [s]"),
            legend={"show": False},
            padding=(12, 20, 0, 4),
            height=190,
            visible=False,
        )
        self.legend = gui.add_html("", visible=False)

    def show(self, energies: Sequence[tuple[float, float, float]]) -> None:
        """Draw what is known; the potential energy counts from the start."""
        if len(energies) < 2:
            return
        times, kinetic, potential = np.array(list(energies)).T
        potential = potential - potential[0]
        lines = (kinetic, potential, kinetic + potential)
        self.view.data = (times, *lines)
        across = (float(times[0]), float(times[-1]))  # another range draws the plot anew: it must have its data by then
        self.view.scales = {"x": {"time": False, "range": across}, "y": {"range": value_range(np.array(lines))}}
        self.legend.content = legend([(n, c, f"{v[-1]:.4g} J") for n, c, v in zip(NAMES, COLOURS, lines, strict=True)])
        self.view.visible = self.legend.visible = True
