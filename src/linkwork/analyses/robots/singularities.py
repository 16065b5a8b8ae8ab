"""Singular postures of a robot as curves: where its tool cannot be moved as it should, where its drives do not hold it.

With all freedoms held but two, postures are a surface. A posture is singular for the task where the rates of the free
tangents K no longer give all of the target's, det(T K) = 0: the target cannot be moved one way (the first kind of
Gosselin and Angeles, Singularity analysis of closed-loop kinematic chains, IEEE Transactions on Robotics and Automation
6 (1990)); and singular for the drives where K moves although they stand still, det(D K) = 0 (the second kind).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.robots.covering import Number, covered
from linkwork.analyses.robots.curves import Followed, followed
from linkwork.analyses.robots.sheet import Sheet
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.names import no_such

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels
    from linkwork.results.signals import Units

STRIDE = 0.15
"""Between samples of the surface [rad, or parts of the machine's size]; curves are followed by half of it."""
KINDS = {"task": "the target cannot be moved one way", "drives": "it can move although its drives stand still"}
GENERAL = 24
"""Postures by which it is told which ways the target can be moved at all."""


@dataclass(frozen=True, eq=False)
class SingularCurve:
    """Singular postures in order.

    kind : 'task', where the target cannot be moved one way; 'drives', where the machine moves though they stand still
    Y : variables of all joints (n, ny); places : of the target in the world (n, 3) [m]
    closed : whether it comes back to its beginning; ends : why it ends there, and here, where it does not
    """

    kind: str
    Y: Array
    places: Array
    closed: bool
    ends: tuple[str, str]

    def __len__(self) -> int:
        return len(self.Y)

    def __repr__(self) -> str:
        ends = "closed" if self.closed else f"from {self.ends[0]} to {self.ends[1]}"
        return f"SingularCurve ({self.kind}): {len(self)} postures, {ends}"


@dataclass(frozen=True, eq=False)
class Singularities:
    """Curves of singular postures; made by `Machine.singularities`.

    target : whose task it is; over : the two variables that move, the others are held
    drives : that hold the machine; curves : of both kinds
    samples : of the surface of postures that was looked through; warnings : what may be missing
    """

    target: str
    over: tuple[str, str]
    drives: tuple[str, ...]
    curves: tuple[SingularCurve, ...]
    samples: int
    warnings: tuple[str, ...]
    loops: Loops = field(repr=False)

    def __str__(self) -> str:
        lines = [f"singular postures of {self.loops.plan.name} for {self.target}, over {' and '.join(self.over)}"]
        for kind, meaning in KINDS.items():
            own = self.of_kind(kind)
            lines.append(f"  {kind}: {len(own)} curve{'s' * (len(own) != 1)} where {meaning}")
            lines += [f"    {len(c)} postures, {'closed' if c.closed else ' to '.join(c.ends)}" for c in own]
        lines.append(f"  looked through: {self.samples} postures")
        return "\n".join([*lines, *(f"  warning: {text}" for text in self.warnings)])

    __repr__ = __str__

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        curves = [
            {
                "kind": c.kind,
                "closed": c.closed,
                "ends": list(c.ends),
                "places": c.places.tolist(),
                "postures": c.Y.tolist(),
            }
            for c in self.curves
        ]
        return {
            "target": self.target,
            "over": list(self.over),
            "drives": list(self.drives),
            "variables": list(self.loops.plan.variables),
            "curves": curves,
            "samples": self.samples,
            "warnings": list(self.warnings),
        }

    def of_kind(self, kind: str) -> tuple[SingularCurve, ...]:
        """Curves of one kind.

        Parameters
        ----------
        kind : 'task' or 'drives'
        """
        if kind not in KINDS:
            raise InputError(no_such("kind of singular posture", kind, KINDS))
        return tuple(c for c in self.curves if c.kind == kind)

    def values(self, curve: SingularCurve, name: str) -> Array:
        """A variable along a curve [rad, m].

        Parameters
        ----------
        curve : one of `curves`
        name : of a variable, or of a joint that has only one
        """
        from linkwork.analyses.kinematics.plot_units import chosen_names

        (full,) = chosen_names([name], self.loops.plan.variables)[:1]
        found: Array = curve.Y[:, self.loops.plan.variables.index(full)]
        return found

    def plot(
        self,
        over: Sequence[str] | None = None,
        *,
        plane: str | None = None,
        units: Units = None,
        ax: Axes | None = None,
    ) -> Panels:
        """Plot where the target is in singular postures; or these over two variables.

        Parameters
        ----------
        over : two variables whose plane is shown, instead of the places of the target
        plane : 'xy', 'xz', 'yz' of the places; without, the one in which they reach farthest
        units : units to show, {"length": "mm"}; without, those of the model
        ax : axes to draw into; a new figure without
        """
        from linkwork.analyses.robots.singular_plots import over_variables, places_of

        plot = places_of(self, plane, units) if over is None else over_variables(self, over, units)
        return plot.draw(ax)


def singularities_of(
    loops: Loops,
    home: Posture,
    target: str,
    over: Sequence[str] | None,
    drives: Sequence[str] | None,
    stride: float = STRIDE,
    progress: Callable[..., None] | None = None,
) -> Singularities:
    """Look for singular postures through the whole surface; see `Machine.singularities`."""
    moved, held, driven = _asked(loops, home, over, drives, stride)
    sheet = Sheet(loops, home.y, held)
    task = _task(sheet, target)
    numbers: dict[str, Number] = {"task": task}
    if loops.count:
        numbers["drives"] = lambda Y, free: np.linalg.det(free[:, driven, :])
    found = covered(sheet, list(numbers.values()), stride, progress)
    curves: list[SingularCurve] = []
    for (kind, number), zeros in zip(numbers.items(), found.zeros, strict=True):
        for curve in _curves(sheet, number, zeros, 0.5 * stride):
            places = loops.system.position(target, np.ascontiguousarray(curve.Y[:, : loops.plan.nq]))
            curves.append(SingularCurve(kind, curve.Y, places, curve.closed, curve.ends))
    warnings = [] if found.complete else ["the surface of postures is larger than was looked through"]
    if found.branching:
        warnings.append(f"the surface of postures branches: {found.branching} ways were not followed there")
    names = loops.names(moved)
    return Singularities(
        target, (names[0], names[1]), loops.names(driven), tuple(curves), len(found.Y), tuple(warnings), loops
    )


def _curves(sheet: Sheet, number: Number, zeros: Array, stride: float) -> list[Followed]:
    """Curves through postures at which a number is zero; what lies on a known curve begins none."""
    from scipy.spatial import cKDTree

    found: list[Followed] = []
    left = zeros
    while len(left):
        curve = followed(sheet, number, left[0], stride)
        left = left[1:]
        if curve is None or len(curve.Y) < 2:
            continue
        found.append(curve)
        if len(left):
            near, _ = cKDTree(sheet.spread(curve.Y)).query(sheet.spread(left))
            left = left[near > stride]
    return found


def _asked(
    loops: Loops, home: Posture, over: Sequence[str] | None, drives: Sequence[str] | None, stride: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Columns of the two rates that move, of those held, and of all drives; InputError lists all that is wrong."""
    problems: list[Problem] = []
    if not 1e-3 <= stride <= 0.5:
        problems.append(Problem(f"{stride:g} is no stride", "stride", "give 0.001 to 0.5 rad"))
    count = home.mobility
    driven = _columns(loops, "drives", home.independent if drives is None else drives, problems)
    if not problems and len(driven) != count:
        text = f"{len(driven)} drives for {count} freedom{'s' * (count != 1)}"
        problems.append(Problem(text, "drives", f"name {count} rates, one for each freedom"))
    if not problems and count >= 2:
        mask = np.isin(np.arange(loops.columns), driven)
        if loops.count and loops.roles(home.y, mask).conflict > 0.0:
            problems.append(Problem("these drives do not move one by one at home", "drives", "choose others"))
    names = loops.names(driven)
    moved = driven[:2]
    if count < 2:
        problems.append(Problem(f"the machine has {count} freedom{'s' * (count != 1)}", hint="two at least are wanted"))
    elif over is not None:
        moved = _columns(loops, "over", over, problems)
        if len(set(moved.tolist())) != 2:
            problems.append(Problem(f"{len(over)} names", "over", "name two of the drives"))
        elif not set(moved.tolist()) <= set(driven.tolist()):
            problems.append(Problem("both must be drives", "over", f"the drives are {', '.join(names)}"))
    elif count > 2 and not problems:
        hint = f"name two of {', '.join(names)}: over=({names[0]!r}, {names[1]!r}); the others are held as at home"
        problems.append(Problem(f"the machine has {count} freedoms", "over", hint))
    if problems:
        raise InputError(problems, loops.plan.name)
    return moved, np.setdiff1d(driven, moved), driven


def _columns(loops: Loops, where: str, names: Sequence[str], problems: list[Problem]) -> NDArray[np.int64]:
    """Columns of rates by names of rates, variables or joints."""
    from linkwork.analyses.kinematics.given_values import place_of, unknown_variable

    found = []
    for name in [names] if isinstance(names, str) else names:
        place = place_of(loops, name)
        if place is None:
            problems.append(unknown_variable(loops, name))
        else:
            slot, k = place
            found.append(slot.v.start + k)
    return np.array(found, np.int64)


def _task(sheet: Sheet, target: str) -> Number:
    """det(T K): the rates of the target that the machine has at all, by those of its free tangents."""
    loops = sheet.loops
    system, plan = loops.system, loops.plan

    def twists(Y: Array, free: Array) -> Array:
        J = system.jacobian(target, np.ascontiguousarray(Y[:, : plan.nq])) * loops.column_scale[: plan.nv]
        J[:, :3] /= loops.length
        moved: Array = J @ free[:, : plan.nv]
        return moved

    near, good = sheet.stepped(
        np.tile(sheet.home, (GENERAL, 1)),
        np.einsum("ijk,ik->ij", sheet.planes(np.tile(sheet.home, (GENERAL, 1)))[1], _ways(sheet.freedoms)),
    )
    free, _, fine = sheet.planes(near)
    rows = _rows(twists(near, free)[good & fine], sheet.freedoms, target)
    return lambda Y, free: np.linalg.det(rows @ twists(Y, free))


def _ways(freedoms: int) -> Array:
    """Strides in all directions of a plane."""
    angles = 2.4 * np.arange(GENERAL)
    return 0.3 * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _rows(twists: Array, freedoms: int, target: str) -> Array:
    """What counts of a twist (freedoms, 6): the directions in which the target moves at all, or those of its place."""
    place, turn = twists[:, :3], twists[:, 3:]
    for part in (place, twists):
        directions, values, _ = np.linalg.svd(np.moveaxis(part, 1, 0).reshape(part.shape[1], -1), full_matrices=False)
        rank = int((values > 1e-9 * values[0]).sum()) if values[0] > 0.0 else 0
        if rank == freedoms:
            rows = np.zeros((freedoms, 6))
            rows[:, : part.shape[1]] = directions[:, :freedoms].T
            return rows
    able = int(np.linalg.matrix_rank(np.concatenate([place, turn], axis=1)[0], tol=1e-9))
    if freedoms > 6:
        text = f"the machine has {freedoms} freedoms, and '{target}' six"
        raise InputError(
            Problem(text, "target", "lock joints until it has six, and look for one elbow after the other")
        )
    text = f"the {freedoms} freedoms move '{target}' {able} ways, which are others from posture to posture"
    raise InputError(Problem(text, "target", "ask for a point that has as many freedoms as the machine"))
