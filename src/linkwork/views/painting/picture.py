"""Triangles as a picture of any resolution: what is nearest is seen, edges are soft, parts have a fine outline."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.image import BboxImage
from matplotlib.transforms import IdentityTransform

from linkwork.geometry import Array
from linkwork.views.painting.surface import Seen

FINE = 2
"""Fine pixels to the side of each pixel."""
LINE = 0.5
"""Width [points] of outlines."""


def picture_of(seen: Seen, size: tuple[int, int], scale: Array, origin: Array, line: int = 1) -> npt.NDArray[np.uint8]:
    """Red, green, blue and opacity (height, width, 4), the lowest row first.

    Parameters
    ----------
    seen : triangles on a page
    size : width and height [pixels]
    scale : pixels per length of the page, along x and y; origin : the page's origin [pixels]
    line : width of outlines [fine pixels]
    """
    from linkwork.views.painting._fill_loops import fill, settle

    width, height = size
    fine = height * FINE, width * FINE
    near, owner = np.full(fine, -np.inf), np.full(fine, -1, np.int64)
    rgba = np.zeros((*fine, 4), np.float32)
    corners = (seen.corners * scale + origin) * FINE
    clear = seen.colours[:, 0, 3] < 1.0
    far_first = np.argsort(seen.nearness[clear].mean(axis=1), kind="stable")
    order = np.concatenate([np.flatnonzero(~clear), np.flatnonzero(clear)[far_first]])
    fill(corners[order], seen.nearness[order], seen.colours[order], seen.parts[order], near, rgba, owner)
    out = np.zeros((height, width, 4), np.uint8)
    settle(rgba, owner, FINE, line, out)
    return out


class SurfacePicture(BboxImage):
    """Triangles on axes, filled anew at the resolution of every drawing.

    Parameters
    ----------
    ax : plain axes
    zorder : what it lies over
    """

    def __init__(self, ax: Any, zorder: float) -> None:
        super().__init__(ax.bbox, interpolation="nearest", zorder=zorder)
        self.set_data(np.zeros((1, 1, 4), np.uint8))
        self.seen: Seen | None = None

    def show(self, seen: Seen) -> None:
        """Triangles on the page, in coordinates of the axes."""
        self.seen = seen
        self.stale = True

    def make_image(self, renderer: Any, magnification: float = 1.0, unsampled: bool = False) -> Any:
        """The picture for one drawing, and where it goes."""
        ax: Any = self.axes
        left, bottom, right, top = np.round(ax.bbox.extents * magnification)
        size = max(int(right - left), 1), max(int(top - bottom), 1)
        corners = ax.transData.transform([(0.0, 0.0), (1.0, 1.0)]) * magnification - (left, bottom)
        points = renderer.points_to_pixels(1.0) * magnification
        line = max(1, round(LINE * points * FINE))
        seen = self.seen
        assert seen is not None
        picture = picture_of(seen, size, corners[1] - corners[0], corners[0], line)
        return picture, left / magnification, bottom / magnification, IdentityTransform()
