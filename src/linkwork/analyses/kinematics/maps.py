"""Two variables over a grid: where the machine closes, how far from singular it is, and where its points go.

From the grid's posture nearest to home the map grows in waves: each cell is closed from a neighbour that is known,
all cells of a wave at once. So the whole map is one closure, that of home; a cell to which Newton's method finds only
with the product of the pivots turned over belongs to another one and stays blank, as does what cannot close at all.

Where a rate of a joint that turns freely is held, a posture depends on the way to it. There the map goes along x first,
with y as at home, and from there along y, and what it holds is integrated (`held`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.batches import polished, quality_of, rates_of_samples
from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.analyses.kinematics.given_values import place_of, unknown_variable
from linkwork.analyses.kinematics.idle_freedoms import idle_rates
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.motion import independent_with, reached
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.posture_paths import Solver, solver_for
from linkwork.analyses.kinematics.sweep import swept
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.units import LENGTH, SI, parse_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels
    from linkwork.results.signals import Units

Range = tuple[str, float, float]
SAMPLES = (61, 61)
TRIED = 40
"""Cells that are tried to begin with, the nearest to home first."""
PARTS = (1, 4)
"""Steps in which a cell is reached from its neighbour; the second is for cells that the first did not find."""
STRAY = 0.5
"""How far other variables may move in one of these steps [rad, or parts of the machine's size]."""
ORDERS = 6
"""Orders of pivots that a map may need; each is compiled once."""


@dataclass(frozen=True, eq=False)
class Map:
    """Postures over a grid of two variables; made by `Machine.map`.

    names : of the two variables; x (nx,), y (ny,) : their values [rad, m]
    closed : (ny, nx), whether the machine closes there without changing its closure
    variables : (ny, nx, variables), all joints in the order of `Machine.variables`, nan where it does not close
    quality : (ny, nx), product of the pivots; 0 at a singular posture, 1 everywhere for an open chain
    residual : (ny, nx), largest loop error
    """

    names: tuple[str, str]
    x: Array
    y: Array
    closed: NDArray[np.bool_]
    variables: Array
    quality: Array
    residual: Array
    _rates: tuple[Array, Array] = field(repr=False)
    loops: Loops = field(repr=False)

    def __repr__(self) -> str:
        part = 100.0 * float(self.closed.mean())
        size = f"{len(self.x)} x {len(self.y)}"
        return f"Map of {self.names[0]} and {self.names[1]}: {size} samples\n  {part:.1f} % of them close"

    def value(self, name: str) -> Array:
        """A variable by name, (ny, nx).

        Parameters
        ----------
        name : of a variable, or of a joint that has only one
        """
        from linkwork.analyses.kinematics.plot_units import chosen_names

        (full,) = chosen_names([name], self.loops.plan.variables)[:1]
        return self.variables[..., self.loops.plan.variables.index(full)]

    def position(self, name: str) -> Array:
        """Places of a point, or of the origin of a body or frame, (ny, nx, 3) [m, world].

        Parameters
        ----------
        name : of a point, body or frame
        """
        result = np.full((*self.closed.shape, 3), np.nan)
        result[self.closed] = self.loops.system.position(name, self._q)
        return result

    def manipulability(self, name: str) -> Array:
        """How well the two variables move a point, (ny, nx): sqrt(det(J'J)) = |∂p/∂x × ∂p/∂y|.

        It is the area that the point sweeps for a unit of both [m^2/rad^2, m^2/(m rad), ...]; 0 where it is singular
        (Yoshikawa, Int. J. Robotics Research 4 (1985)).

        Parameters
        ----------
        name : of a point, body or frame
        """
        system, nv = self.loops.system, self.loops.plan.nv
        along = [system.velocity(name, self._q, np.ascontiguousarray(w[:, :nv]))[:, :3] for w in self._rates]
        result = np.full(self.closed.shape, np.nan)
        result[self.closed] = np.linalg.norm(np.cross(along[0], along[1]), axis=1)
        return result

    @cached_property
    def _q(self) -> Array:
        return np.ascontiguousarray(self.variables[self.closed][:, : self.loops.plan.nq])

    def plot(self, name: str = "", *, units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot the quality index over the two variables, hatched where it does not close, or not from home.

        Parameters
        ----------
        name : of a point, body or frame, whose manipulability is shown instead
        units : units to show, {"angle": "deg"}; without, those of the model
        ax : axes to draw into; a new figure without
        """
        from linkwork.analyses.kinematics.plot_units import units_of
        from linkwork.results.plots import Field, Panel, Plot, Quantity, Showing

        known = units_of(self.loops)
        title, unit, values = "quality index", "1", self.quality
        if name:
            title, values = f"manipulability of {name}", self.manipulability(name)
            unit = SI.symbol(LENGTH**2 / (parse_unit(known[self.names[0]])[1] * parse_unit(known[self.names[1]])[1]))
        x, y = (Quantity(n, known[n], v) for n, v in zip(self.names, (self.x, self.y), strict=True))
        z = Quantity(title, unit or "1", np.where(self.closed, values, np.nan))
        show = Showing(units, [x, y, z], self.loops.system.layout.units)
        over, up, shown = show(x), show(y), show(z)
        drawn = Field(over.values, up.values, shown.values, title, shown.symbol, blank="not reached")
        return Plot((Panel(over.axis, up.axis, field=drawn),), f"{self.loops.plan.name}: {title}").draw(ax)

    def plot_workspace(
        self, name: str, *, units: Units = None, plane: str | None = None, ax: Axes | None = None
    ) -> Panels:
        """Plot where a point goes: the grid as the point draws it, with equal axes.

        Parameters
        ----------
        name : of a point, body or frame
        units : units to show, {"length": "mm"}; without, those of the model
        plane : 'xy', 'xz', 'yz' or 'xyz'; without, the plane in which it moves
        ax : axes to draw into; a new figure without
        """
        from linkwork.results.plots import Quantity, Track, describe_mesh

        places = self.position(name)
        tracks = [
            Track(f"{other} constant", Quantity(name, "m", rows))
            for other, rows in ((self.names[1], places), (self.names[0], places.swapaxes(0, 1)))
        ]
        title = f"{self.loops.plan.name}: workspace of {name}"
        default = self.loops.system.layout.units
        return describe_mesh(tracks, name, units=units, plane=plane, title=title, default=default).draw(ax)


def map_of(
    loops: Loops, home: Posture, x: Range, y: Range, samples: tuple[int, int], threads: int | None = None
) -> Map:
    """Close the machine over a grid of two variables; see `Machine.map`."""
    (places, columns), sides = _asked(loops, x, y, samples)
    independent = independent_with(loops, home, columns)
    grid = np.stack(np.meshgrid(*sides), axis=-1)  # (ny, nx, 2)
    shape = grid.shape[:2]
    names = (loops.plan.variables[places[0]], loops.plan.variables[places[1]])
    held = independent & loops.turning & ~loops.rates_of(places)
    Y = np.tile(home.y, (*shape, 1))
    Y[..., places] = grid
    units = [np.zeros(loops.columns), np.zeros(loops.columns)]
    for unit, column in zip(units, columns, strict=True):
        unit[column] = 1.0
    if not loops.count:
        count = grid[..., 0].size
        whole, nothing = np.ones(shape, bool), np.zeros(shape)
        along = (np.tile(units[0], (count, 1)), np.tile(units[1], (count, 1)))
        return Map(names, sides[0], sides[1], whole, Y, nothing + 1.0, nothing, along, loops)
    idle = idle_rates(loops, home.y, independent, held)
    by_way = bool((held & ~idle).any())  # what closes, and where, depends on the way
    solver = solver_for(loops, independent, held, idle, exact=by_way)
    solver.best(home.y)
    if by_way:
        Y, closed = _first_x_then_y(solver, home, grid, places, threads)
        if not closed.any():
            closed[_seed(loops, home, grid, places, names, Y)] = True
    else:
        closed = _grown(solver, home, Y, grid, places, names, threads)
    if held.any() and not by_way:
        spun, there = _first_x_then_y(solver, home, grid, places, threads)
        Y[there & closed] = spun[there & closed]  # where idle turns stand; the rest is the same
    own = np.ascontiguousarray(Y[closed])
    orders, measures, _ = polished(solver, own, threads)
    moves = [rates_of_samples(solver, orders, own, [np.tile(u, (len(own), 1))], threads)[0] for u in units]
    quality, residual = np.full(shape, np.nan), np.full(shape, np.nan)
    quality[closed] = quality_of(loops, independent, own, measures[:, 3])
    residual[closed] = loops.residual(own)
    Y[closed], Y[~closed] = own, np.nan
    return Map(names, sides[0], sides[1], closed, Y, quality, residual, (moves[0], moves[1]), loops)


def _first_x_then_y(
    solver: Solver, home: Posture, grid: Array, places: NDArray[np.int64], threads: int | None
) -> tuple[Array, Mask]:
    """Cells that are reached along x with y as at home, and from there along y; which of them are reached."""
    loops = solver.loops
    Y, closed = np.full((*grid.shape[:2], loops.plan.ny), np.nan), np.zeros(grid.shape[:2], bool)
    x, y = grid[0, :, 0], grid[:, 0, 1]
    level = float(home.y[places[1]])

    def either_way(start: Array, k: int, values: Array, other: float) -> tuple[Array, Mask]:
        """Postures along one of the two variables, both ways from a start as far as each leads."""
        found, good = np.full((len(values), loops.plan.ny), np.nan), np.zeros(len(values), bool)
        upward = values >= start[places[k]]
        for own in (np.flatnonzero(upward), np.flatnonzero(~upward)[::-1]):
            if own.size:
                U = np.full((own.size, 2), other)
                U[:, k] = values[own]
                part = swept(loops, start, solver.independent, places, U, [], threads=threads)
                found[own[: part.reached]], good[own[: part.reached]] = part.Y, True
        return found, good

    feet, stands = either_way(home.y, 0, x, level)
    for column in np.flatnonzero(stands):
        Y[:, column], closed[:, column] = either_way(feet[column], 1, y, float(x[column]))
    return Y, closed


def _asked(
    loops: Loops, x: Range, y: Range, samples: tuple[int, int]
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], list[Array]]:
    """Places and columns of the two variables, and their values; InputError lists everything that is wrong."""
    problems: list[Problem] = []
    found, sides = [], []
    counts = samples if isinstance(samples, Sequence) and len(samples) == 2 else (0, 0)
    if any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 2 for n in counts):
        problems.append(Problem(f"{samples!r} samples", "samples", "give two whole numbers, at least 2 each"))
    for letter, asked, count in (("x", x, counts[0]), ("y", y, counts[1])):
        if not (isinstance(asked, Sequence) and not isinstance(asked, str) and len(asked) == 3):
            problems.append(Problem(f"{asked!r} is not a range", letter, "write ('A', lowest, highest)"))
            continue
        name, low, high = asked
        place = place_of(loops, name)
        numbers = all(isinstance(v, (int, float, np.number)) and np.isfinite(v) for v in (low, high))
        if place is None:
            problems.append(unknown_variable(loops, name))
        elif not numbers or not low < high:
            what = f"it cannot go from {low!r} to {high!r}"
            problems.append(Problem(what, f"{letter}.{name}", "the lower end comes first"))
        else:
            slot, k = place
            found.append((slot.q.start + k, slot.v.start + k))
            sides.append(np.linspace(float(low), float(high), max(int(count), 2)))
    if len(found) == 2 and found[0] == found[1]:
        problems.append(Problem("x and y are the same variable", hint="a map is over two"))
    if problems:
        raise InputError(problems, loops.plan.name)
    places, columns = (np.array(part, np.int64) for part in zip(*found, strict=True))
    return (places, columns), sides


def _grown(
    solver: Solver,
    home: Posture,
    Y: Array,
    grid: Array,
    places: NDArray[np.int64],
    names: tuple[str, str],
    threads: int | None,
) -> Mask:
    """Close the cells from neighbour to neighbour, in place; which of them are closed."""
    shape = grid.shape[:2]
    closed: Mask = np.zeros(shape, bool)
    seed = _seed(solver.loops, home, grid, places, names, Y)
    closed[seed] = True
    fresh = [seed]
    while fresh:
        tries = [
            ((i, j), (i + di, j + dj))
            for i, j in fresh
            for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0))
            if 0 <= i + di < shape[0] and 0 <= j + dj < shape[1] and not closed[i + di, j + dj]
        ]
        fresh = []
        while tries:
            # One try for each cell at a time: what one neighbour finds the others need not look for.
            now = {cell: near for near, cell in reversed(tries) if not closed[cell]}
            tries = [(near, cell) for near, cell in tries if now.get(cell) not in (None, near)]
            cells, nears = list(now), list(now.values())
            if not cells:
                break
            start = np.array([Y[near] for near in nears])
            goal = np.array([grid[cell] for cell in cells])
            found, good = _reached(solver, start, goal, places, threads)
            for k in np.flatnonzero(good):
                Y[cells[k]], closed[cells[k]] = found[k], True
                fresh.append(cells[k])
            tries = [(near, cell) for near, cell in tries if not closed[cell]]
    return closed


def _seed(
    loops: Loops, home: Posture, grid: Array, places: NDArray[np.int64], names: tuple[str, str], Y: Array
) -> tuple[int, int]:
    """The cell nearest to home that can be reached from there; its posture is put into Y."""
    away = (np.abs(grid - home.y[places]) * loops.variable_scale[places]).max(axis=-1)
    failure: ClosureError | None = None
    for flat in np.argsort(away, axis=None, kind="stable")[:TRIED]:
        row, column = (int(k) for k in np.unravel_index(int(flat), away.shape))
        try:
            Y[row, column] = reached(loops, home, dict(zip(names, grid[row, column].tolist(), strict=True))).y
        except ClosureError as error:
            failure = failure or error
        else:
            return row, column
    assert failure is not None
    raise failure


def _reached(
    solver: Solver, start: Array, goal: Array, places: NDArray[np.int64], threads: int | None
) -> tuple[Array, Mask]:
    """Postures at drive values, from neighbours; which of them are found on the same closure."""
    found, good = start.copy(), np.zeros(len(start), bool)
    for parts in PARTS:
        left = np.flatnonzero(~good)
        if not left.size:
            break
        if parts > 1 and len(solver.pool) < ORDERS:
            solver.best(start[left[0]])  # its own order of pivots, if those in use are poor there
        at, alive = start[left].copy(), np.ones(len(left), bool)
        for part in range(1, parts + 1):
            before = at.copy()
            at[:, places] = start[left][:, places] + (goal[left] - start[left][:, places]) * (part / parts)
            alive[alive] &= _closed_alike(solver, before, at, alive, threads)
            if not alive.any():
                break
        found[left[alive]], good[left[alive]] = at[alive], True
    return found, good


def _closed_alike(solver: Solver, before: Array, at: Array, which: Mask, threads: int | None) -> Mask:
    """Newton's steps on some samples, in place; whether each closes with the product of the pivots of the same sign."""
    loops, own = solver.loops, np.ascontiguousarray(at[which])
    earlier = np.ascontiguousarray(before[which])
    orders, measures, _ = polished(solver, own, threads, STRAY)
    alike: Mask = measures[:, 0] <= loops.tolerance**2
    for order, samples in orders.items():
        if samples.size:
            _, there = solver.pool[order](earlier[samples], np.array([loops.length]))
            alike[samples] &= measures[samples, 3] * there[:, 3] > 0.0
    at[which] = own
    return alike
