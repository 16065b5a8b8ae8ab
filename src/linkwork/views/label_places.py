"""Where names go on a page: beside their places, off each other, off the lines, inside the page.

Everything here is in points (1/72 inch) of the page, so that pictures of any resolution are alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.geometry import Array

if TYPE_CHECKING:
    from matplotlib.path import Path

GAPS = (5.0, 9.0, 16.0, 26.0)
"""Points between a place and its name, the nearest first."""
SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0))
"""Where a name may stand: right and above first."""
STEP = 4.0
"""Points between the places of a line that a name keeps off."""
OVERLAP, OUTSIDE, COVERING, FAR = 10.0, 30.0, 12.0, 1.0
"""Costs: an overlapping square point, a square point outside of the page, a covered piece of line, a point of way."""


def placed_names(anchors: Array, sizes: Array, lines: Array, page: Array) -> Array:
    """Centres (n, 2) of names that belong to anchors (n, 2), each where it costs least, one after the other.

    Parameters
    ----------
    anchors : places that are named, (n, 2)
    sizes : width and height of each name, (n, 2)
    lines : points (k, 2) that are better not covered
    page : lower left and upper right corner, as rows
    """
    anchors, sizes, lines = np.asarray(anchors, float), np.asarray(sizes, float), np.asarray(lines, float)
    sides = np.array([(x, y) for _ in GAPS for x, y in SIDES], float)
    gaps = np.repeat(GAPS, len(SIDES))
    centres = np.empty_like(anchors)
    boxes = np.empty((0, 4))
    # Names in crowds have the least choice: they choose first.
    near = np.linalg.norm(anchors[:, None] - anchors[None], axis=2) if len(anchors) else np.empty((0, 0))
    for i in np.argsort(near.sum(axis=1), kind="stable"):
        slant = np.where(np.abs(sides).sum(axis=1) > 1, np.sqrt(0.5), 1.0)
        at = anchors[i] + sides * (gaps * slant)[:, None] + sides * sizes[i] / 2
        low, high = at - sizes[i] / 2, at + sizes[i] / 2
        shared = np.minimum(high[:, None], boxes[:, 2:]) - np.maximum(low[:, None], boxes[:, :2])
        overlap = np.prod(np.maximum(shared, 0.0), axis=2).sum(axis=1)
        inside = np.prod(np.maximum(np.minimum(high, page[1]) - np.maximum(low, page[0]), 0.0), axis=1)
        covered = ((lines >= low[:, None] - 1.0) & (lines <= high[:, None] + 1.0)).all(axis=2).sum(axis=1)
        outside = np.prod(sizes[i]) - inside
        cost = OVERLAP * overlap + OUTSIDE * outside + COVERING * covered + FAR * gaps + 0.01 * np.arange(len(at))
        best = int(np.argmin(cost))
        centres[i] = at[best]
        boxes = np.vstack([boxes, [*low[best], *high[best]]])
    return centres


def dotted(lines: Sequence[Array]) -> Array:
    """Points along polylines (n, 2), near enough to each other that a name between them covers one."""
    found = [np.empty((0, 2))]
    for line in lines:
        line = line[np.isfinite(line).all(axis=1)]
        ways = np.linalg.norm(np.diff(line, axis=0), axis=1)
        if len(line) == 1 or not ways.sum() > 0.0:
            found.append(line[:1])
            continue
        along = np.concatenate([[0.0], np.cumsum(ways)])
        at = np.linspace(0.0, along[-1], min(int(along[-1] / STEP) + 2, 2000))
        found.append(np.column_stack([np.interp(at, along, line[:, k]) for k in (0, 1)]))
    return np.vstack(found)


@lru_cache(maxsize=4096)
def size_of(text: str, points: float) -> tuple[float, float]:
    """Width and height [points] of a text with a little air around."""
    from matplotlib.textpath import TextPath

    return path_width(TextPath((0.0, 0.0), text, size=points)) + 4.0, 1.25 * points + 1.0


def path_width(path: Path) -> float:
    """Of what a path covers; `Path.get_extents` goes from curve to curve and takes several times as long."""
    x, codes = np.asarray(path.vertices, float)[:, 0], np.asarray(path.codes)
    if path.codes is None or path.CURVE4 in codes:
        return float(path.get_extents().width)
    controls = np.flatnonzero(codes == path.CURVE3)[::2]
    a, b, c = x[controls - 1], x[controls], x[controls + 1]
    bend = a - 2 * b + c
    t = np.clip(np.divide(a - b, bend, out=np.zeros_like(bend), where=bend != 0), 0.0, 1.0)  # where it turns back
    turns = (1 - t) ** 2 * a + 2 * t * (1 - t) * b + t**2 * c
    met = np.isin(codes, (path.MOVETO, path.LINETO))
    met[controls + 1] = True
    return float(np.ptp(np.concatenate([x[met], turns])))


def halo(colour: str, width: float = 2.5) -> list[Any]:
    """An outline in the colour of the page, on which a name is readable before any line."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=width, foreground=colour)]
