"""Outlines and sizes of what is reached on a lattice, from where its edges cross the rim.

In two dimensions each square of the lattice gives the polygon of its corners inside and its crossings: their areas
add up, and their sides on the rim are chained to outlines. In any, lines through the lattice are inside as long as
their crossings tell; those of each direction add up to a size. What every second line gives tells how good that is.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.robots.lattice import Cells, Lattice, Rim
from linkwork.geometry import Array

Point = tuple[float, float]
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))


def outlines_and_area(lattice: Lattice, rim: Rim) -> tuple[list[Array], float]:
    """Outlines as closed polygons (n, 2) in cells, that of an outer rim anticlockwise, and the area in squares."""
    inside = {(int(x), int(y)) for x, y in lattice.cells}
    crossings = {
        (int(c[0]), int(c[1]), int(k), int(w)): float(part)
        for c, k, w, part in zip(rim.cells, rim.direction, rim.way, rim.part, strict=True)
    }
    beside = {(x - i, y - j) for x, y in inside for i, j in CORNERS}
    following: dict[Point, list[Point]] = defaultdict(list)
    area = 0.0
    for x, y in beside:
        corners = [(x + i, y + j) for i, j in CORNERS]
        states = [corner in inside for corner in corners]
        if all(states):
            area += 1.0
            continue
        for polygon, cuts in _polygons(corners, states, crossings):
            area += _area(np.array(polygon))
            for start, end in cuts:
                following[start].append(end)
    return _chained(following), area


def size_by_lines(lattice: Lattice, rim: Rim) -> tuple[float, float]:
    """Area in squares or volume in cubes by the lines along which it is known best, and how far it may be off.

    Lines along a direction are a sum over a grid across it. The sums over every second line of it, in all ways to
    choose these, are off by several times as much as all lines are: their spread is what is told.
    """
    d, cells = len(lattice.steps), lattice.cells
    best = (0.0, np.inf)
    for k in range(d):
        own = rim.direction == k
        # A cell that is reached stands for the edge behind it, if that is inside; crossings add their parts.
        ends, parts = rim.cells[own], rim.part[own] - (rim.way[own] < 0)
        across = [i for i in range(d) if i != k]
        sums = [
            (1 << len(across)) * (_of(cells, across, odd).sum() + parts[_of(ends, across, odd)].sum())
            for odd in product((0, 1), repeat=len(across))
        ]
        found = (float(np.mean(sums)), float(np.std(sums)))
        best = min(best, found, key=lambda sum_and_spread: sum_and_spread[1])
    return best


def _of(cells: Cells, across: list[int], odd: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which cells stand on every second line."""
    chosen: NDArray[np.bool_] = (cells[:, across] % 2 == odd).all(axis=1)
    return chosen


def _polygons(
    corners: list[tuple[int, int]], states: list[bool], crossings: dict[tuple[int, int, int, int], float]
) -> list[tuple[list[Point], list[tuple[Point, Point]]]]:
    """The parts of a square that are inside, anticlockwise, each with its sides on the rim."""
    around: list[tuple[Point, bool]] = []  # corners inside, and crossings, as they follow each other
    for k in range(4):
        here, there = corners[k], corners[(k + 1) % 4]
        if states[k]:
            around.append(((float(here[0]), float(here[1])), False))
        if states[k] != states[(k + 1) % 4]:
            start, end = (here, there) if states[k] else (there, here)
            direction = 0 if start[0] != end[0] else 1
            way = end[direction] - start[direction]
            part = crossings[(*start, direction, way)]
            place = [float(start[0]), float(start[1])]
            place[direction] += way * part
            around.append(((place[0], place[1]), True))
    if states in ([True, False, True, False], [False, True, False, True]):  # two corners: parts of their own
        first = next(k for k, (_, crossing) in enumerate(around) if not crossing)
        turned = around[first - 1 :] + around[: first - 1]
        return [_part(turned[:3]), _part(turned[3:])]
    return [_part(around)]


def _part(around: list[tuple[Point, bool]]) -> tuple[list[Point], list[tuple[Point, Point]]]:
    polygon = [point for point, _ in around]
    pairs = zip(around, around[1:] + around[:1], strict=True)
    return polygon, [(a, b) for (a, crossed), (b, also) in pairs if crossed and also]


def _area(polygon: Array) -> float:
    x, y = polygon.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def _chained(following: dict[Point, list[Point]]) -> list[Array]:
    """Sides put together to closed polygons."""
    outlines = []
    while following:
        start = next(iter(following))
        chain, at = [start], start
        while at in following:
            ends = following[at]
            end = ends.pop()
            if not ends:
                del following[at]
            chain.append(end)
            at = end
            if at == start:
                break
        outlines.append(np.array(chain))
    return sorted((o for o in outlines if len(o) > 3), key=lambda o: -abs(_area(o[:-1])))
