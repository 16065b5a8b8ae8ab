"""Axes in space: equal, with few ticks, close around what is drawn."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

LEAST = 1.0 / 3.0
"""Every side of the box is at least this part of the longest: a flat one would be all ticks."""
AROUND = 0.12
"""Room for ticks and labels on each side of the box, in parts of the page's width."""
TITLE = 0.35  # inch


def dress_space(page: Any, own: bool) -> None:
    """Equal axes with few ticks."""
    from matplotlib.ticker import MaxNLocator

    limits = [np.array(get()) for get in (page.get_xlim3d, page.get_ylim3d, page.get_zlim3d)]
    longest = max(float(np.ptp(pair)) for pair in limits)
    sides = [max(float(np.ptp(pair)), LEAST * longest) for pair in limits]
    for pair, side, put in zip(limits, sides, (page.set_xlim3d, page.set_ylim3d, page.set_zlim3d), strict=True):
        put(pair.mean() - side / 2, pair.mean() + side / 2, auto=None)
    page.set_box_aspect(sides)
    for axis, side in zip((page.xaxis, page.yaxis, page.zaxis), sides, strict=True):
        # Ticks at the ends of two sides would meet in their corner.
        axis.set_major_locator(MaxNLocator(4 if side < 0.6 * longest else 6, prune="both"))
        if own:
            axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
    if own:
        page.tick_params(labelsize=8, pad=0)
        page.zaxis.labelpad = 8.0
        page.view_init(elev=22.0, azim=-58.0)


def fit_page(page: Any, title: str) -> None:
    """The page takes the shape of the box as it is seen.

    Axes in space are always square, and most of the square is empty where the box is flat: it reaches beyond the page.
    """
    figure = page.figure
    square = float(figure.get_figwidth())
    page.set_position([0.0, 0.0, 1.0, 1.0])
    figure.set_size_inches(square, square)
    low, high = _extent(page)
    page.set_box_aspect(page._box_aspect, zoom=(1.0 - 2.0 * AROUND) / float(np.max(high - low)))
    low, high = _extent(page)
    above = TITLE if title else 0.0
    wide, tall = square * (high - low + 2.0 * AROUND) + [0.0, above]
    figure.set_size_inches(wide, tall)
    # The middle of the box comes to the middle of the page.
    left, bottom = np.array([wide, tall - above]) / 2.0 - square * (low + high) / 2.0
    page.set_position([left / wide, bottom / tall, square / wide, square / tall])
    if title:
        figure.suptitle(title, x=0.02, y=1.0 - 0.08 / tall, ha="left", va="top", fontsize=11)


def legend_in_space(page: Any) -> None:
    """Names of lines in the corner of the axes that lies on the page."""
    corner = page.get_position()
    inside = min(corner.x0, corner.y0) >= 0.0 and max(corner.x1, corner.y1) <= 1.0
    place = {"loc": "upper right", "bbox_to_anchor": (0.99, 0.98), "bbox_transform": page.figure.transFigure}
    page.legend(**({"loc": "best"} if inside else place))


def _extent(page: Any) -> tuple[Any, Any]:
    """Lower left and upper right of the box as it is seen, in parts of the square axes."""
    from mpl_toolkits.mplot3d import proj3d

    page.apply_aspect()
    corners = np.array(list(product(page.get_xlim3d(), page.get_ylim3d(), page.get_zlim3d())))
    x, y, _ = proj3d.proj_transform(*corners.T, page.get_proj())
    seen = page.transAxes.inverted().transform(page.transData.transform(np.column_stack([x, y])))
    return seen.min(axis=0), seen.max(axis=0)
