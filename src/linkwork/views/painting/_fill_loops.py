"""Compiled loops that fill triangles. numba takes long to import: import this module inside functions only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.numerics._compiled import compiled

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Integers = NDArray[np.int64]
Bytes = NDArray[np.uint8]

OUTLINE = 0.45
"""Brightness of the line between two parts."""


@compiled(
    "void(float64[:,:,::1], float64[:,::1], float64[:,:,::1], int64[::1], float64[:,::1], float32[:,:,::1],"
    " int64[:,::1])",
)
def fill(
    corners: Floats, nearness: Floats, colours: Floats, parts: Integers, near: Floats, rgba: Singles, owner: Integers
) -> None:
    """Fill triangles into a picture, pixel by pixel the nearest one; see-through ones are laid over what is there.

    corners (k, 3, 2) [pixels], nearness (k, 3) and colours (k, 3, 4) are straight along the page. The picture: near,
    rgba (colour times opacity, and opacity), owner, the part that is seen. See-through triangles must come last, the
    farthest first.
    """
    height, width = near.shape
    for t in range(corners.shape[0]):
        x0, y0 = corners[t, 0, 0], corners[t, 0, 1]
        x1, y1 = corners[t, 1, 0], corners[t, 1, 1]
        x2, y2 = corners[t, 2, 0], corners[t, 2, 1]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if area == 0.0 or not np.isfinite(area):
            continue
        # Pixel (i, j) has its middle at (i + 0.5, j + 0.5); one on the edge of two triangles belongs to one of them.
        low = int(np.ceil(max(min(y0, y1, y2), 0.0) - 0.5))
        high = int(np.ceil(min(max(y0, y1, y2), float(height)) - 0.5))
        for j in range(low, high):
            # The row crosses two edges; slivers across the page are as quick as their pixels are few.
            y = j + 0.5
            left, right = np.inf, -np.inf
            for k in range(3):
                below, above = k, (k + 1) % 3
                if corners[t, below, 1] > corners[t, above, 1]:  # both neighbours of an edge reckon from its lower end
                    below, above = above, below
                xa, ya, xb, yb = corners[t, below, 0], corners[t, below, 1], corners[t, above, 0], corners[t, above, 1]
                if ya <= y < yb:
                    crossing = xa + (y - ya) * (xb - xa) / (yb - ya)
                    left, right = min(left, crossing), max(right, crossing)
            if not left < right:
                continue
            first = int(np.ceil(max(left, 0.0) - 0.5))
            last = int(np.ceil(min(right, float(width)) - 0.5))
            for i in range(first, last):
                x = i + 0.5
                a = ((x1 - x) * (y2 - y) - (x2 - x) * (y1 - y)) / area
                b = ((x2 - x) * (y0 - y) - (x0 - x) * (y2 - y)) / area
                c = 1.0 - a - b
                z = a * nearness[t, 0] + b * nearness[t, 1] + c * nearness[t, 2]
                if z <= near[j, i]:
                    continue
                opacity = colours[t, 0, 3]
                for k in range(3):
                    own = a * colours[t, 0, k] + b * colours[t, 1, k] + c * colours[t, 2, k]
                    rgba[j, i, k] = own * opacity + rgba[j, i, k] * (1.0 - opacity)
                rgba[j, i, 3] = opacity + rgba[j, i, 3] * (1.0 - opacity)
                if opacity == 1.0:
                    near[j, i] = z
                    owner[j, i] = parts[t]


@compiled("boolean(int64[:,::1], int64, int64, int64)")
def on_outline(owner: Integers, v: int, u: int, line: int) -> bool:
    """Whether a pixel is in a part and near its end: to the right and above against any other, else against paper."""
    height, width = owner.shape
    own = owner[v, u]
    if own < 0:
        return False
    for d in range(1, line + 1):
        if owner[v, min(u + d, width - 1)] != own or owner[min(v + d, height - 1), u] != own:
            return True
        if owner[v, max(u - d, 0)] < 0 or owner[max(v - d, 0), u] < 0:
            return True
    return False


@compiled("void(float32[:,:,::1], int64[:,::1], int64, int64, uint8[:,:,::1])")
def settle(rgba: Singles, owner: Integers, fine: int, line: int, out: Bytes) -> None:
    """Take the mean of fine x fine pixels each, with a dark line, so many fine pixels wide, where one part ends."""
    total = np.zeros(4)
    for j in range(out.shape[0]):
        for i in range(out.shape[1]):
            total[:] = 0.0
            for v in range(j * fine, (j + 1) * fine):
                for u in range(i * fine, (i + 1) * fine):
                    bright = OUTLINE if on_outline(owner, v, u, line) else 1.0
                    for k in range(3):
                        total[k] += rgba[v, u, k] * bright
                    total[3] += rgba[v, u, 3]
            scale = 255.0 / total[3] if total[3] > 0.0 else 0.0  # straight colours: what is half empty is not darker
            for k in range(3):
                out[j, i, k] = np.uint8(min(total[k] * scale + 0.5, 255.0))
            out[j, i, 3] = np.uint8(min(total[3] * 255.0 / (fine * fine) + 0.5, 255.0))
