"""Places on a lattice that a target reaches, found in waves: every place that is known helps its neighbours.

A wave asks for all neighbours of what was found last, each from the posture of a neighbour, all at once. What no
neighbour leads to may be asked again from random postures: limits of joints may part what belongs together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from linkwork.geometry import Array

Solve = Callable[[Array, Array, int], tuple[Array, NDArray[np.bool_]]]
"""Postures (n, ny) for places (n, 3), from starts (n, ny) and so many random ones, and which are reached."""
Progress = Callable[[int, int], None]
Cells = NDArray[np.int64]
RIM, AGAIN, ROUNDS = 1500, 6, 4
"""Places beside the rim that are asked again, from how many random postures, and how often that may find more."""
LARGEST = 1_000_000
"""Places that are reached at most."""
HALVINGS = {2: 30, 3: 12}
"""Halvings of an edge of the lattice at its crossing with the rim, by dimensions."""


@dataclass(eq=False)
class Lattice:
    """Places origin + cell @ steps, by whole numbers, and the postures that reach them.

    origin (3,) : the place of cell 0; steps (d, 3) : one step along each direction [m]
    postures (n, ny) : found so far; known : their numbers by cell, -1 for none; first (d,) : the cell at its corner
    """

    origin: Array
    steps: Array
    postures: Array
    interrupted: bool = False
    first: Cells = field(init=False)
    known: Cells = field(init=False)

    def __post_init__(self) -> None:
        d = len(self.steps)
        self.first, self.known = np.full(d, -1), np.full((3,) * d, -1)
        self.known[(1,) * d] = 0

    @property
    def cells(self) -> Cells:
        """All cells that are reached (n, d), in no order."""
        return np.argwhere(self.known >= 0) + self.first

    def places(self, cells: Cells) -> Array:
        """Places in the world (n, 3)."""
        found: Array = self.origin + cells @ self.steps
        return found

    def number(self, cells: Cells) -> Cells:
        """Numbers of the postures that reach cells, -1 for none."""
        at = cells - self.first
        inside = ((at >= 0) & (at < self.known.shape)).all(axis=1)
        found = np.full(len(cells), -1)
        found[inside] = self.known[tuple(at[inside].T)]
        return found

    def add(self, cells: Cells, Y: Array) -> None:
        """Cells that are reached, each once; the lattice grows where it must."""
        if not len(cells):
            return
        last = self.first + self.known.shape
        below = np.maximum(self.first - cells.min(axis=0), 0)
        above = np.maximum(cells.max(axis=0) + 1 - last, 0)
        if below.any() or above.any():
            room = [(2 * int(b), 2 * int(a)) for b, a in zip(below, above, strict=True)]
            self.known = np.pad(self.known, room, constant_values=-1)
            self.first = self.first - np.array([b for b, _ in room])
        self.known[tuple((cells - self.first).T)] = len(self.postures) + np.arange(len(cells))
        self.postures = np.concatenate([self.postures, Y])


@dataclass(frozen=True, eq=False)
class Rim:
    """Crossings of edges of the lattice with the rim: from a cell that is reached, along a direction, one way.

    cells (n, d), direction (n,), way (n,) of +1 or -1, part (n,) : of the edge, from the cell, that is inside
    """

    cells: Cells
    direction: NDArray[np.int64]
    way: NDArray[np.int64]
    part: Array


def flooded(
    lattice: Lattice, solve: Solve, seeds: tuple[Cells, Array], elsewhere: bool, progress: Progress | None
) -> bool:
    """Find all cells that hang together with those known, or to which other postures lead, in place; whether all.

    seeds : cells (n, d) that may be reached, with postures nearby (n, ny)
    elsewhere : whether random postures may lead on
    """
    whole = _spread(lattice, solve, lattice.cells, progress)
    if len(seeds[0]):
        unknown = lattice.number(seeds[0]) < 0
        fresh = _asked(lattice, solve, seeds[0][unknown], seeds[1][unknown], 0)
        whole = _spread(lattice, solve, fresh, progress) and whole
    rng = np.random.default_rng(1)
    for _ in range(ROUNDS if elsewhere and whole else 0):
        cells, parents = _neighbours(lattice, lattice.cells)
        cells, parents = _once(cells, parents)
        if len(cells) > RIM:
            some = rng.choice(len(cells), RIM, replace=False)
            cells, parents = cells[some], parents[some]
        fresh = _asked(lattice, solve, cells, lattice.postures[parents], AGAIN)
        if not len(fresh):
            break
        whole = _spread(lattice, solve, fresh, progress) and whole
    return whole


def rim_of(lattice: Lattice, solve: Solve) -> Rim:
    """Where edges of the lattice cross the rim, to a small part of a step."""
    d = len(lattice.steps)
    own = lattice.cells
    cells, direction, way = [], [], []
    for k in range(d):
        for sign in (1, -1):
            stride = np.zeros(d, np.int64)
            stride[k] = sign
            ends = own[lattice.number(own + stride) < 0]
            cells.append(ends)
            direction.append(np.full(len(ends), k))
            way.append(np.full(len(ends), sign))
    inside, along, ways = np.concatenate(cells), np.concatenate(direction), np.concatenate(way)
    start, strides = lattice.places(inside), ways[:, np.newaxis] * lattice.steps[along]
    Y = lattice.postures[lattice.number(inside)]
    low, high = np.zeros(len(inside)), np.ones(len(inside))
    for _ in range(HALVINGS[d]):
        middle = 0.5 * (low + high)
        tried, good = solve(start + middle[:, np.newaxis] * strides, Y, 0)
        Y = np.where(good[:, np.newaxis], tried, Y)
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return Rim(inside, along, ways, 0.5 * (low + high))


def _spread(lattice: Lattice, solve: Solve, fresh: Cells, progress: Progress | None) -> bool:
    """Ask for neighbours of new cells until there are none left; False where there were too many."""
    waiting = _neighbours(lattice, fresh)
    while len(waiting[0]):
        if len(lattice.postures) > LARGEST:
            return False
        unknown = lattice.number(waiting[0]) < 0
        cells, parents = waiting[0][unknown], waiting[1][unknown]
        _, first = np.unique(cells, axis=0, return_index=True)
        later = np.setdiff1d(np.arange(len(cells)), first)
        fresh = _asked(lattice, solve, cells[first], lattice.postures[parents[first]], 0)
        more = _neighbours(lattice, fresh)
        # The same cells from other neighbours, where the first did not lead there.
        waiting = (np.concatenate([more[0], cells[later]]), np.concatenate([more[1], parents[later]]))
        if progress is not None:
            try:
                progress(len(lattice.postures), 0)
            except KeyboardInterrupt:  # what was found stays
                lattice.interrupted = True
                return False
    return True


def _asked(lattice: Lattice, solve: Solve, cells: Cells, starts: Array, restarts: int) -> Cells:
    """Those of some cells that are reached; the lattice knows them from now on."""
    if not len(cells):
        return cells
    Y, good = solve(lattice.places(cells), np.ascontiguousarray(starts), restarts)
    found, postures = _once(cells[good], np.flatnonzero(good))
    lattice.add(found, Y[postures])
    return found


def _neighbours(lattice: Lattice, cells: Cells) -> tuple[Cells, Cells]:
    """Unknown neighbours (n, d) of cells, and the numbers of the postures next to them."""
    d = len(lattice.steps)
    ways = np.concatenate([np.eye(d, dtype=np.int64), -np.eye(d, dtype=np.int64)])
    near = (cells[:, np.newaxis] + ways).reshape(-1, d)
    parents = np.repeat(lattice.number(cells), 2 * d)
    unknown = lattice.number(near) < 0
    return near[unknown], parents[unknown]


def _once(cells: Cells, others: Cells) -> tuple[Cells, Cells]:
    """Every cell once, with what stands beside it."""
    if not len(cells):
        return cells, others
    _, first = np.unique(cells, axis=0, return_index=True)
    return cells[first], others[first]
