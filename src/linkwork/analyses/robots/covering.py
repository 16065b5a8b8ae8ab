"""A surface of postures covered by samples, in waves from home: each goes a stride in eight directions from the last.

A number over the surface changes its sign between two neighbours: there it is zero on the way, which halving finds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.robots.sheet import Sheet
from linkwork.geometry import Array

DIRECTIONS = 8
APART = 0.7
"""Parts of a stride that samples are apart at least."""
MOST, SMALL = 6000, 12
"""Samples at most, of machines with so few variables; of larger ones fewer: theirs cost more."""
HALVINGS = 48

Number = Callable[[Array, Array], Array]
"""Of postures (n, ny) and the free tangents there (n, N, k): a number whose sign turns with that of the tangents."""


@dataclass(frozen=True, eq=False)
class Covering:
    """Samples of a surface, and where numbers over it change their sign.

    Y (n, ny) : postures; zeros : by number, postures on which it is zero
    complete : whether the surface was covered to its limits; branching : strides that ended where it branches
    """

    Y: Array
    zeros: list[Array]
    complete: bool
    branching: int


def covered(
    sheet: Sheet, numbers: list[Number], stride: float, progress: Callable[..., None] | None = None
) -> Covering:
    """The surface through home, as far as limits let it be, and the zeros of some numbers on it."""
    from scipy.spatial import cKDTree

    most = int(MOST * min(1.0, (SMALL / sheet.loops.columns) ** 1.5))

    samples = [sheet.home[np.newaxis]]
    spread = [sheet.spread(samples[0])]
    frontier = samples[0]
    zeros: list[list[Array]] = [[] for _ in numbers]
    count, branching = 1, 0
    angles = 2.0 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    circle = np.stack([np.cos(angles), np.sin(angles)])
    while len(frontier) and count < most:
        free, plane, fine = sheet.planes(frontier)
        branching += int((~fine).sum())
        frontier, free, plane = frontier[fine], free[fine], plane[fine]
        starts = np.repeat(np.arange(len(frontier)), DIRECTIONS)
        strides = stride * np.moveaxis(plane @ circle, 2, 1).reshape(-1, plane.shape[1])
        ends, good = sheet.stepped(frontier[starts], strides)
        good &= sheet.within(ends)
        starts, strides, ends = starts[good], strides[good], ends[good]
        if not len(ends):
            break
        for k, number in enumerate(numbers):
            zeros[k].append(_zeros_between(sheet, number, frontier, free, starts, strides, ends))
        known = cKDTree(np.concatenate(spread))
        own = sheet.spread(ends)
        new = np.flatnonzero(known.query(own)[0] > APART * stride)
        chosen = _apart(own[new], APART * stride)
        frontier = ends[new[chosen]]
        samples.append(frontier)
        spread.append(own[new[chosen]])
        count += len(frontier)
        if progress is not None:
            progress(min(count, most), most)
    found = [np.concatenate(z) if z else np.empty((0, len(sheet.home))) for z in zeros]
    return Covering(np.concatenate(samples), found, count < most, branching)


def _apart(points: Array, distance: float) -> NDArray[np.int64]:
    """A choice of points no two of which are nearer than a distance; the first come first."""
    from scipy.spatial import cKDTree

    if not len(points):
        return np.empty(0, np.int64)
    tree = cKDTree(points)
    free = np.ones(len(points), bool)
    chosen = []
    for k, near in enumerate(tree.query_ball_point(points, distance)):
        if free[k]:
            chosen.append(k)
            free[near] = False
    return np.array(chosen, np.int64)


def signed(number: Number, Y: Array, free: Array, from_free: Array) -> Array:
    """A number with the sign that the tangents of another posture nearby give it."""
    turned = np.linalg.det(np.swapaxes(from_free, 1, 2) @ free)
    value: Array = number(Y, free) * np.sign(turned)
    return value


def _zeros_between(
    sheet: Sheet,
    number: Number,
    frontier: Array,
    free: Array,
    starts: NDArray[np.int64],
    strides: Array,
    ends: Array,
) -> Array:
    """Postures between neighbours at which a number is zero."""
    ends_free, _, fine = sheet.planes(ends)
    before = number(frontier, free)[starts]
    after = signed(number, ends, ends_free, free[starts])
    crossing = np.flatnonzero(fine & (before * after < 0.0))
    if not crossing.size:
        return np.empty((0, len(sheet.home)))
    start, way, tangents = frontier[starts[crossing]], strides[crossing], free[starts[crossing]]
    low, high = np.zeros(len(crossing)), np.ones(len(crossing))
    at_low = before[crossing]
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        Y, _ = sheet.stepped(start, middle[:, np.newaxis] * way)
        own, _, _ = sheet.planes(Y)
        same = signed(number, Y, own, tangents) * at_low > 0.0
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    Y, good = sheet.stepped(start, (0.5 * (low + high))[:, np.newaxis] * way)
    return Y[good]
