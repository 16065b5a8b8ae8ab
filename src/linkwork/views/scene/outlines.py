"""Loops in the plane: their convex outline, their triangles, their parallels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from linkwork.geometry import Array


def signed_area(outline: Array) -> float:
    """Area of a loop (n, 2), positive when it runs counter-clockwise.

    Parameters
    ----------
    outline : the loop
    """
    x, y = (outline - outline.mean(axis=0)).T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def convex_outline(points: Array) -> Array:
    """The convex outline of points (n, 2), counter-clockwise, without points inside its edges.

    Parameters
    ----------
    points : not all on a line
    """
    order = sorted(map(tuple, points))
    hull: list[Any] = []
    for sweep in (order, order[::-1]):
        start = len(hull)
        for p in sweep:
            while len(hull) - start >= 2 and turn(hull[-2], hull[-1], p) <= 0.0:
                hull.pop()
            hull.append(p)
        hull.pop()
    return np.array(hull)


def turn(a: Any, b: Any, c: Any) -> float:
    """Twice the area of the triangle a, b, c: positive when it turns left.

    Parameters
    ----------
    a, b, c : places of the plane
    """
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def triangles_of(outline: Array) -> npt.NDArray[np.int64]:
    """Triangles (n - 2, 3) over a simple loop, counter-clockwise, by cutting ears.

    Parameters
    ----------
    outline : (n, 2), counter-clockwise, without crossings
    """
    left = list(range(len(outline)))
    found = []
    k, idle = 0, 0
    while len(left) > 3:
        n = len(left)
        a, b, c = (left[(k + d) % n] for d in (-1, 0, 1))
        # When nothing is an ear to rounding (a needle), the next corner is cut all the same: the loop stays closed.
        if _is_ear(outline, left, a, b, c) or idle > n:
            found.append((a, b, c))
            left.pop(k % n)
            # Going on with every second corner cuts a round loop into even triangles, not into a fan of needles.
            k, idle = (k % n) + 1, 0
            k = k % len(left)
        else:
            k, idle = (k + 1) % n, idle + 1
    found.append((left[0], left[1], left[2]))
    return np.array(found, dtype=np.int64)


def _is_ear(outline: Array, left: list[int], a: int, b: int, c: int) -> bool:
    A, B, C = outline[a], outline[b], outline[c]
    if turn(A, B, C) <= 0.0:
        return False
    P = outline[left]
    inside = _left_of(A, B, P) & _left_of(B, C, P) & _left_of(C, A, P)
    inside &= ~((P == A).all(axis=1) | (P == B).all(axis=1) | (P == C).all(axis=1))
    return not inside.any()


def _left_of(a: Array, b: Array, points: Array) -> npt.NDArray[np.bool_]:
    d = b - a
    result: npt.NDArray[np.bool_] = d[0] * (points[:, 1] - a[1]) - d[1] * (points[:, 0] - a[0]) >= 0.0
    return result


def parallel(outline: Array, distance: float) -> Array | None:
    """The loop at a distance inside a closed one; None where it would fold.

    Parameters
    ----------
    outline : (n, 2), counter-clockwise
    distance : to the left of its direction, which is inside [m]
    """
    before, after = outline - np.roll(outline, 1, axis=0), np.roll(outline, -1, axis=0) - outline
    lengths = np.linalg.norm(after, axis=1)
    if not lengths.min() > 0.0:
        return None  # two places in one
    along = before / np.roll(lengths, 1)[:, None] + after / lengths[:, None]
    turns = np.linalg.norm(along, axis=1)
    if not turns.min() > 1e-6:
        return None  # it runs back on itself
    along /= turns[:, None]
    moved = outline + distance * np.stack([-along[:, 1], along[:, 0]], axis=1)
    steps = np.roll(moved, -1, axis=0) - moved
    if not np.all(np.einsum("ij,ij->i", steps, after) > 0.0):
        return None
    return moved


def is_star(outline: Array, centre: Array) -> bool:
    """Whether every place of a counter-clockwise loop is seen from a centre.

    Parameters
    ----------
    outline : (n, 2)
    centre : (2,)
    """
    a = outline - centre
    b = np.roll(a, -1, axis=0)
    return bool(np.all(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] > 0.0))
