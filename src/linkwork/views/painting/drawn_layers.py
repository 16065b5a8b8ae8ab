"""Layers on plain axes: curves that stand still or ride on a body, arrows that change from sample to sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.colours import Theme
from linkwork.geometry import Array
from linkwork.views.layers.parts import Curve, Layer, Segments

CURVES, ARROWS = 5, 6  # above the machine
HEAD = 1 / 40  # length of an arrow's head, of the page's diagonal


class DrawnLayers:
    """Artists of layers.

    Parameters
    ----------
    ax : plain axes
    layers : what to draw
    theme : colours
    """

    def __init__(self, ax: Any, layers: Sequence[Layer], theme: Theme) -> None:
        self.ax, self.theme = ax, theme
        self.curves = [(c, self._line(c)) for layer in layers for c in layer.curves]
        self.segments = [(s, self._arrows(s)) for layer in layers for s in layer.segments]

    def standing(self, poses: Mapping[str, Array]) -> list[Array]:
        """Places (n, 3) of all curves, where their bodies stand now."""
        return [placed(curve.points, poses[curve.body]) for curve, _ in self.curves]

    def place(self, poses: Mapping[str, Array], sample: int, page: Callable[[Array], Array]) -> None:
        """Draw curves on bodies at poses X_WB and arrows at a sample; `page` turns places (..., 3) into (..., 2)."""
        for curve, line in self.curves:
            line.set_data(*page(placed(curve.points, poses[curve.body])).T)
        for segments, (shafts, heads) in self.segments:
            ends = np.asarray(segments.ends[sample], float)
            self._point(page(ends[np.isfinite(ends).all(axis=(1, 2))]), segments.arrows, shafts, heads)

    def _point(self, ends: Array, arrows: bool, shafts: Any, heads: Any) -> None:
        if not arrows:
            shafts.set_segments(ends)
            return
        way = ends[:, 1] - ends[:, 0]
        length = np.linalg.norm(way, axis=1, keepdims=True)
        along = way / np.where(length > 0.0, length, 1.0)
        across = np.column_stack([-along[:, 1], along[:, 0]])
        diagonal = float(np.hypot(np.ptp(self.ax.get_xlim()), np.ptp(self.ax.get_ylim())))
        size = np.minimum(HEAD * diagonal, 0.6 * length)  # a short arrow has a small head
        neck = ends[:, 1] - size * along
        shafts.set_segments(np.stack([ends[:, 0], neck], axis=1))
        heads.set_verts(np.stack([ends[:, 1], neck + 0.42 * size * across, neck - 0.42 * size * across], axis=1))

    def _line(self, curve: Curve) -> Any:
        colour = self.theme.colour(curve.tint)
        (line,) = self.ax.plot([], [], color=colour, linewidth=1.6, zorder=CURVES, solid_capstyle="round")
        return line

    def _arrows(self, segments: Segments) -> Any:
        from matplotlib.collections import LineCollection, PolyCollection

        colour = self.theme.colour(segments.tint)
        shafts = LineCollection([], colors=colour, linewidths=2.0, zorder=ARROWS)
        heads = PolyCollection([], facecolors=colour, edgecolors="none", zorder=ARROWS)
        for artist in (shafts, heads):
            self.ax.add_collection(artist, autolim=False)
        return shafts, heads


def placed(points: Array, X: Array) -> Array:
    """Points of a body with pose X in the world."""
    moved: Array = np.asarray(points) @ X[:3, :3].T + X[:3, 3]
    return moved
