"""Where a target can be brought: a region of a plane or of space, its outline and size, and how well it moves there.

Places on a lattice are asked one after the other by inverse kinematics within limits (`lattice`), loops closed; the rim
is found on the edges of the lattice. So the region is that of the machine and not of samples of it: what is told as
reached is reached, by a posture that is kept, and only islands and holes smaller than a step may be missed. Machines
with loops keep to home's closure and way of working: where drives lose their hold, or legs would have to go over to
their other side, they go no farther unless that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.joint_limits import joint_limits
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.robots.lattice import Cells, Lattice, Progress, flooded, rim_of
from linkwork.analyses.robots.outlines import outlines_and_area, size_by_lines
from linkwork.analyses.robots.sheet import null_space
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.model.text_values import in_si
from linkwork.names import no_such
from linkwork.units import LENGTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels
    from linkwork.results.signals import Units

AXES = "xyz"
PLANES = ("xy", "xz", "yz", "xyz")
ACROSS = {2: 60, 3: 24}
"""Steps across what random postures reach, by dimensions."""
FEW = {2: 800, 3: 3000}
"""Places that a region has at least, where no step is given; else the step is halved."""
FAR = 3.0
"""Sizes of the machine within which places are looked for, where slides have no limits."""
SAMPLES = 20_000
"""Random postures of open machines, from which places of their own are sought."""
QUALITIES = {
    "manipulability": "volume of rates of the target for unit rates of the drives: sqrt(det(J J'))",
    "condition": "least by largest singular value of J: 1 where all directions are alike, 0 where it is singular",
    "smallest": "least singular value of J: rate of the target in its worst direction for unit rates of the drives",
}
MOVES = 1e-6
"""Rates of the target, in parts of the largest, that count as none."""


@dataclass(frozen=True, eq=False)
class Workspace:
    """A region that a target reaches; made by `Machine.workspace`.

    target : point, frame or body; plane : 'xy', 'xz', 'yz' or 'xyz'
    at : what stays, across the plane [m]; step : of the lattice [m]
    axes : coordinates of the lattice [m], in the order of the letters of `plane`
    reached : by place of the lattice; variables : of all joints there (..., ny), nan where it is not reached
    outlines : of a plane, closed polygons in it (n, 2) [m], the largest first; holes run clockwise
    size, error : area [m^2] or volume [m^3], and how far that may be off
    residual : largest error of a place that counts as reached [rad, or parts of the machine's size]
    warnings : what bounds the search, where it is not the machine
    """

    target: str
    plane: str
    at: float | None
    step: float
    axes: tuple[Array, ...]
    reached: NDArray[np.bool_]
    variables: Array
    outlines: tuple[Array, ...]
    size: float
    error: float
    residual: float
    warnings: tuple[str, ...]
    loops: Loops = field(repr=False)
    _driven: NDArray[np.int64] = field(repr=False)

    def __str__(self) -> str:
        layout = self.loops.system.layout
        kind = "area" if len(self.plane) == 2 else "volume"
        where = "" if self.at is None else f" at {AXES[_third(self.plane)]} = {layout.length(self.at)}"
        lines = [f"workspace of {self.target} of {self.loops.plan.name} in {self.plane}{where}"]
        ends = (f"{axis} {layout.length(v[0])} ... {layout.length(v[1])}" for axis, v in self.extent.items())
        lines.append(f"  reaches {', '.join(ends)}")
        lines.append(f"  {kind} {self.size:.6g} m^{len(self.plane)}, off by about {self.error:.1g}; {self._parts}")
        found = f"{int(self.reached.sum())} places reached, a step is {layout.length(self.step)}"
        lines.append(f"  {found}, error {self.residual:.1e}")
        return "\n".join([*lines, *(f"  warning: {text}" for text in self.warnings)])

    __repr__ = __str__

    def as_dict(self) -> dict[str, Any]:
        """Everything but the postures as plain data, for JSON."""
        return {
            "target": self.target,
            "plane": self.plane,
            "at": self.at,
            "step": self.step,
            "area" if len(self.plane) == 2 else "volume": self.size,
            "error": self.error,
            "extent": {a: list(ends) for a, ends in self.extent.items()},
            "places": int(self.reached.sum()),
            "residual": self.residual,
            "outlines": [o.tolist() for o in self.outlines],
            "warnings": list(self.warnings),
        }

    @property
    def area(self) -> float:
        """Of a region of a plane [m^2]."""
        return self._size_of(2, "area", "volume")

    @property
    def volume(self) -> float:
        """Of a region of space [m^3]."""
        return self._size_of(3, "volume", "area")

    @property
    def extent(self) -> dict[str, tuple[float, float]]:
        """The lowest and highest coordinate that was reached, by letter [m]: exact on a plane, else to a step."""
        if self.outlines:
            every = np.concatenate(self.outlines)
            return {a: (float(every[:, k].min()), float(every[:, k].max())) for k, a in enumerate(self.plane)}
        return {a: (float(self.axes[k][0]), float(self.axes[k][-1])) for k, a in enumerate(self.plane)}

    def quality(self, kind: str = "manipulability") -> Array:
        """How well the target moves, by place of the lattice; nan where it is not reached.

        J are the rates of the target's place in the region by those of the drives, in the posture that was found.

        Parameters
        ----------
        kind : 'manipulability', 'condition' or 'smallest'
        """
        if kind not in QUALITIES:
            raise InputError(no_such("quality", kind, QUALITIES))
        values = self._singular_values
        found = np.full(self.reached.shape, np.nan)
        least, most = values[:, -1], values[:, 0]
        ratio = least / np.where(most > 0.0, most, 1.0)
        found[self.reached] = {"manipulability": values.prod(axis=1), "condition": ratio, "smallest": least}[kind]
        return found

    def dexterity(
        self, attitudes: Any = None, *, count: int = 24, restarts: int = 20, threads: int | None = None
    ) -> Array:
        """The share of attitudes that can be taken, by place of the lattice; nan where it is not reached.

        Parameters
        ----------
        attitudes : (n, 3, 3) in the world; by default spread evenly over all turns, of a planar machine in its plane
        count : how many by default
        restarts : random postures from which an attitude is sought again that does not come at once
        threads : cores to use at most; all by default
        """
        from linkwork.analyses.robots.attitudes import shares_of_attitudes

        return shares_of_attitudes(self, attitudes, count, restarts, threads)

    def posture(self, place: Any) -> Posture:
        """The posture at the place of the lattice nearest to a place.

        Parameters
        ----------
        place : as many coordinates as the region has [m]
        """
        wanted = np.array([in_si(v, LENGTH, "place") for v in place], float)
        if len(wanted) != len(self.plane):
            raise InputError(Problem(f"{len(wanted)} coordinates", "place", f"give {', '.join(self.plane)}"))
        cells = np.argwhere(self.reached)
        places = np.stack([axis[cells[:, k]] for k, axis in enumerate(self.axes)], axis=1)
        near = cells[int(((places - wanted) ** 2).sum(axis=1).argmin())]
        return Posture(self.loops, self.variables[tuple(near)])

    def plot(self, quality: str = "", *, units: Units = None, ax: Axes | None = None) -> Panels:
        """Plot the region; one in space by what it covers of its three planes.

        Parameters
        ----------
        quality : 'manipulability', 'condition' or 'smallest', shown over a region of a plane
        units : units to show, {"length": "mm"}; without, those of the model
        ax : axes to draw into, one for each panel; a new figure without
        """
        from linkwork.analyses.robots.workspace_plots import described

        return described(self, quality, units).draw(ax)

    @property
    def _parts(self) -> str:
        if len(self.plane) == 3:
            return "by lines through it"
        holes = sum(_turns_clockwise(o) for o in self.outlines)
        outer = len(self.outlines) - holes
        return f"{outer} part{'s' * (outer != 1)}, {holes} hole{'s' * (holes != 1)}"

    def _size_of(self, dimensions: int, kind: str, other: str) -> float:
        if len(self.plane) != dimensions:
            raise InputError(Problem(f"this region has no {kind}", hint=f"it has `{other}`"))
        return self.size

    @cached_property
    def _singular_values(self) -> Array:
        """Of J at the places reached, the largest first."""
        loops = self.loops
        Y = np.ascontiguousarray(self.variables[self.reached])
        free, _ = null_space(loops.equations(Y)[1], loops.columns - _rank(loops, Y[0]))
        T = loops.system.jacobian(self.target, np.ascontiguousarray(Y[:, : loops.plan.nq]))
        T = T[:, [AXES.index(a) for a in self.plane]] * loops.column_scale[: loops.plan.nv]
        drives = free[:, self._driven] * loops.column_scale[self._driven, np.newaxis]
        with np.errstate(all="ignore"):
            J = T @ free[:, : loops.plan.nv] @ np.linalg.pinv(drives)
        values: Array = np.linalg.svd(np.nan_to_num(J), compute_uv=False)
        return values


def workspace_of(
    loops: Loops,
    home: Posture,
    target: str,
    plane: str | None,
    at: Any,
    step: Any,
    limits: bool,
    past_singular: bool,
    progress: Progress | None,
    threads: int | None,
) -> Workspace:
    """Find where a target can be brought; see `Machine.workspace`."""
    from linkwork.analyses.robots.many import reach_many

    name, letters, start = _asked(loops, home, target, plane, at)
    which = [AXES.index(letter) for letter in letters]

    unlimited = _unlimited(loops, limits)
    farthest = FAR * loops.length if unlimited else np.inf
    middle = home.position(name)
    same = None if past_singular or not loops.count else _same_closure(loops, home)

    def solve(places: Array, starts: Array, restarts: int) -> tuple[Array, NDArray[np.bool_]]:
        found = reach_many(loops, home, name, (places,), None, (), starts, False, restarts, limits, 1, threads)
        good = found.converged & (np.linalg.norm(places - middle, axis=1) <= farthest)
        return found.variables, good if same is None else good & same(found.variables)

    origin = np.array(home.position(name), float)
    origin[np.abs(origin) < 1e-12 * loops.length] = 0.0
    samples, postures = _samples(loops, home, name, limits)
    if start is not None:  # the plane is not the one that home is in
        origin[_third(letters)] = start
    Y, good = solve(origin[np.newaxis], home.y[np.newaxis], 200)
    if not good[0]:
        origin, Y = _somewhere(solve, samples, postures, origin, letters, name, loops)
    width = _step(loops, samples, step, len(which))
    while True:
        lattice = Lattice(origin, width * np.eye(3)[which], Y[:1])
        seeds = _seeds(lattice, samples, postures) if len(which) == 3 else (np.empty((0, 2), np.int64), postures[:0])
        whole = flooded(lattice, solve, seeds, same is None, progress)
        if (
            lattice.interrupted
            or step is not None
            or len(lattice.postures) >= FEW[len(which)]
            or width < 1e-3 * loops.length
        ):
            break
        width *= 0.5  # the region is smaller than the machine
    rim = rim_of(lattice, solve)
    size, error = size_by_lines(lattice, rim)
    polygons: list[Array] = []
    if len(which) == 2:
        polygons, area = outlines_and_area(lattice, rim)
        size, error = area, max(abs(area - size), 0.1 * error)
    warnings = []
    if lattice.interrupted:
        warnings.append("interrupted: the region is larger than what was found of it")
    elif not whole:
        warnings.append("the region is larger than was looked through: a larger step sees more")
    edge = np.linalg.norm(lattice.places(rim.cells) - home.position(name), axis=1).max() + width > farthest
    if edge:
        free = ", ".join(n for n in home.independent if n in unlimited)
        text = f"slides have no limits ({free}): looked through within {loops.system.layout.length(farthest)} of home"
        warnings.append(text)
    return _told(loops, home, name, letters, lattice, polygons, size, error, start, tuple(warnings), which)


def _same_closure(loops: Loops, home: Posture) -> Callable[[Array], NDArray[np.bool_]]:
    """Tells whether drives hold the machine with the turn that they have at home: the sign of the pivots."""
    mask = np.isin(loops.names(np.arange(loops.columns)), home.independent)
    roles = loops.roles(home.y, mask)
    rows, columns = roles.pivot_rows[:, np.newaxis], roles.dependent

    def turn(Y: Array) -> Array:
        signs: Array = np.linalg.slogdet(loops.equations(Y)[1][:, rows, columns])[0]
        return signs

    own = turn(home.y[np.newaxis])[0]
    return lambda Y: turn(np.ascontiguousarray(Y)) == own


def _told(
    loops: Loops,
    home: Posture,
    name: str,
    letters: str,
    lattice: Lattice,
    polygons: list[Array],
    size: float,
    error: float,
    start: float | None,
    warnings: tuple[str, ...],
    which: list[int],
) -> Workspace:
    cells, d, width = lattice.cells, len(letters), float(np.abs(lattice.steps).max())
    first = cells.min(axis=0)
    shape = tuple((cells.max(axis=0) - first + 1).tolist())
    reached, variables = np.zeros(shape, bool), np.full((*shape, loops.plan.ny), np.nan)
    at = tuple((cells - first).T)
    Y = lattice.postures[lattice.number(cells)]
    reached[at], variables[at] = True, Y
    missed = loops.system.position(name, np.ascontiguousarray(Y[:, : loops.plan.nq])) - lattice.places(cells)
    residual = max(float(np.abs(missed).max()) / loops.length, float(loops.residual(Y).max()) if loops.count else 0.0)
    corner = lattice.origin[which]
    axes = tuple(corner[k] + width * (first[k] + np.arange(shape[k])) for k in range(d))
    outlines = tuple(corner + width * polygon for polygon in polygons)
    third = float(lattice.origin[_third(letters)]) if d == 2 else None
    driven = np.flatnonzero(np.isin(loops.names(np.arange(loops.columns)), home.independent))
    return Workspace(
        name, letters, third, width, axes, reached, variables, outlines, size * width**d, error * width**d, residual,
        warnings, loops, driven,
    )  # fmt: skip


def _asked(loops: Loops, home: Posture, target: str, plane: str | None, at: Any) -> tuple[str, str, float | None]:
    """The target, the plane's letters and where it is; InputError lists all that is wrong."""
    problems: list[Problem] = []
    home.position(target)  # InputError where nothing has that name
    if plane is not None and plane not in PLANES:
        problems.append(Problem(f"{plane!r} is no plane", "plane", f"choose {', '.join(PLANES)}"))
    if problems:
        raise InputError(problems, loops.plan.name)
    moves, rank = _ways(loops, home, target)
    if rank < 2:
        text = f"'{target}' has {'one way' if rank else 'no way'} to go"
        raise InputError(
            Problem(text, "target", "its path tells all: `motion`, and `run[...].path()`"), loops.plan.name
        )
    letters = plane or ("xyz" if rank == 3 else "".join(AXES[k] for k in sorted(np.argsort(-moves, kind="stable")[:2])))
    if rank == 2 and (letters == "xyz" or any(moves[AXES.index(a)] <= MOVES for a in letters)):
        able = "".join(AXES[k] for k in range(3) if moves[k] > MOVES)
        problems.append(Problem(f"'{target}' stays on a surface", "plane", f"it moves along {', '.join(able)}"))
    if at is not None and letters == "xyz":
        problems.append(
            Problem("a region of space lies at no place of its own", "at", "name a plane, or leave `at` out")
        )
    if problems:
        raise InputError(problems, loops.plan.name)
    return target, letters, None if at is None else in_si(at, LENGTH, "at")


def _ways(loops: Loops, home: Posture, target: str) -> tuple[Array, int]:
    """How far the target moves along x, y and z, in parts of the farthest, near home; and how many ways it has."""
    rng = np.random.default_rng(2)
    free, _ = null_space(loops.equations(home.y[np.newaxis])[1], home.mobility)
    Y = loops.advanced(np.tile(home.y, (8, 1)), 0.05 * rng.normal(size=(8, home.mobility)) @ free[0].T)
    free, _ = null_space(loops.equations(Y)[1], home.mobility)
    T = loops.system.jacobian(target, np.ascontiguousarray(Y[:, : loops.plan.nq]))[:, :3]
    rates = np.moveaxis((T * loops.column_scale[: loops.plan.nv]) @ free[:, : loops.plan.nv], 1, 0).reshape(3, -1)
    moves = np.linalg.norm(rates, axis=1)
    values = np.linalg.svd((T * loops.column_scale[: loops.plan.nv]) @ free[:, : loops.plan.nv], compute_uv=False)
    largest = max(float(values.max()), 1e-300)
    return moves / max(float(moves.max()), 1e-300), int((values > MOVES * largest).sum(axis=1).max())


def _samples(loops: Loops, home: Posture, target: str, limits: bool) -> tuple[Array, Array]:
    """Places of random postures of an open machine, and these; of one with loops home alone."""
    from linkwork.analyses.robots.many import elsewhere

    if loops.count:
        return np.array(home.position(target))[np.newaxis], home.y[np.newaxis]
    Y = elsewhere(loops, home.y, np.zeros(loops.columns, bool), limits, SAMPLES, 3)
    return loops.system.position(target, np.ascontiguousarray(Y[:, : loops.plan.nq])), Y


def _unlimited(loops: Loops, limits: bool) -> set[str]:
    """Rates of slides that no limit bounds."""
    known = {limit.place for limit in joint_limits(loops) if limits and np.isfinite([limit.low, limit.high]).all()}
    places = np.array(loops.places)
    free = np.flatnonzero((loops.column_scale != 1.0) & ~np.isin(places, list(known)))
    return set(loops.names(free))


def _step(loops: Loops, samples: Array, step: Any, d: int) -> float:
    if step is not None:
        width = float(in_si(step, LENGTH, "step"))
        if not width > 0.0:
            raise InputError(Problem(f"{width:g} m is no step", "step", "give a length above zero"), loops.plan.name)
        return width
    across = float(np.ptp(samples, axis=0).max()) if len(samples) > 1 else 2.0 * loops.length
    return across / ACROSS[d]


def _seeds(lattice: Lattice, samples: Array, postures: Array) -> tuple[Cells, Array]:
    """Cells near random postures, each once."""
    width = np.abs(lattice.steps).max()
    cells = np.rint((samples - lattice.origin) @ lattice.steps.T / width**2).astype(np.int64)
    _, first = np.unique(cells, axis=0, return_index=True)
    return cells[first], postures[first]


def _somewhere(
    solve: Any, samples: Array, postures: Array, origin: Array, letters: str, name: str, loops: Loops
) -> tuple[Array, Array]:
    """A place of the plane that some posture reaches, where home's is none."""
    k = _third(letters)
    near = np.argsort(np.abs(samples[:, k] - origin[k]), kind="stable")[:200]
    places = samples[near].copy()
    places[:, k] = origin[k]
    Y, good = solve(places, np.ascontiguousarray(postures[near]), 20)
    if not good.any():
        text = f"no posture was found that brings '{name}' to {AXES[k]} = {loops.system.layout.length(origin[k])}"
        raise InputError(Problem(text, "at", "another plane"), loops.plan.name)
    found = int(np.flatnonzero(good)[0])
    return places[found], Y[found : found + 1]


def _third(letters: str) -> int:
    return next(k for k in range(3) if AXES[k] not in letters)


def _rank(loops: Loops, y: Array) -> int:
    return loops.roles(y, np.zeros(loops.columns, bool)).rank if loops.count else 0


def _turns_clockwise(outline: Array) -> bool:
    x, y = outline[:-1].T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) < 0.0
