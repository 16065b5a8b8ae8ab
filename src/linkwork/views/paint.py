"""A machine as solid shapes on plain matplotlib axes, in any posture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.machine import Machine
from linkwork.colours import Theme
from linkwork.views.painting import paint
from linkwork.views.placed_layout import layout_at
from linkwork.views.scene import scene_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["paint", "paint_posture"]


def paint_posture(
    s: Machine,
    posture: Posture | None = None,
    ax: Axes | None = None,
    *,
    theme: str | Theme = "light",
    names: bool = True,
    perspective: bool = True,
) -> Axes:
    """Paint a posture as solid shapes, for print: what is near hides what is far, at any resolution.

    Parameters
    ----------
    s : the machine
    posture : one that `s.at` or `s.closures` gave; home without
    ax : plain axes to paint into, also for a spatial machine; a new figure without
    theme : 'light', 'dark', or colours of your own
    names : whether to write names beside joints, points and bodies
    perspective : whether far things are smaller; else rays are parallel
    """
    if not isinstance(s, Machine):
        raise TypeError(f"a Machine is wanted, not {type(s).__name__}; a mechanism is assembled first: m.assemble()")
    scene = scene_of(s.mechanism, layout_at(s, posture))
    return paint(scene, ax=ax, theme=theme, names=names, perspective=perspective)
