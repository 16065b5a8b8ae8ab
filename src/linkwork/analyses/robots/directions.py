"""Which directions an axis of a target can take at one place: the part of all directions, and postures for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.robots.goals import Place, Pointing, pointing
from linkwork.analyses.robots.goals import place as place_goal
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels

GOLDEN = np.pi * (3.0 - np.sqrt(5.0))
"""Turn from one point of an even spiral on the sphere to the next [rad]."""


@dataclass(frozen=True, eq=False)
class Directions:
    """Directions of an axis of a target at a place; made by `Machine.directions`.

    target, axis, place : which axis (3,) of what, in its own frame, and where it stays [m]
    directions : (n, 3) unit vectors in the world, spread evenly; reached (n,); variables : of all joints (n, ny)
    """

    target: str
    axis: Array
    place: Array
    directions: Array
    reached: NDArray[np.bool_]
    variables: Array
    loops: Loops = field(repr=False)

    @property
    def share(self) -> float:
        """The part of all directions that can be taken."""
        return float(self.reached.mean())

    def __str__(self) -> str:
        length = self.loops.system.layout.length
        where = ", ".join(length(float(x)) for x in self.place)
        count = f"{int(self.reached.sum())} of {len(self.reached)}"
        return f"directions of {self.target} at ({where}): {100.0 * self.share:.1f} % can be taken ({count} asked)"

    __repr__ = __str__

    def posture(self, direction: Any) -> Posture:
        """The posture for the direction that was reached and is nearest to one.

        Parameters
        ----------
        direction : three numbers
        """
        wanted = np.asarray(direction, float)
        if wanted.shape != (3,) or not np.linalg.norm(wanted) > 0.0:
            raise InputError(Problem("this is no direction", "direction", "give three numbers"))
        if not self.reached.any():
            raise InputError(Problem("no direction can be taken there", "direction", "ask for another place"))
        near = np.where(self.reached, self.directions @ wanted, -np.inf)
        return Posture(self.loops, self.variables[int(near.argmax())])

    def plot(self, *, ax: Axes | None = None) -> Panels:
        """Plot the directions by azimuth and elevation, reached and not.

        Parameters
        ----------
        ax : axes to draw into; a new figure without
        """
        from linkwork.results.plots import Axis, Line, Panel, Plot

        azimuth = np.degrees(np.arctan2(self.directions[:, 1], self.directions[:, 0]))
        elevation = np.degrees(np.arcsin(np.clip(self.directions[:, 2], -1.0, 1.0)))
        lines = tuple(
            Line(name, azimuth[own], elevation[own], tint=tint, style="dots")
            for name, own, tint in (("reached", self.reached, 0), ("not reached", ~self.reached, "stone"))
            if own.any()
        )
        title = f"{self.loops.plan.name}: directions of {self.target}"
        return Plot((Panel(Axis("azimuth", "deg"), Axis("elevation", "deg"), lines),), title).draw(ax)


def directions_of(
    loops: Loops, home: Posture, target: str, place: Any, axis: Any, count: int, restarts: int, threads: int | None
) -> Directions:
    """Ask for all directions at a place; see `Machine.directions`."""
    from linkwork.analyses.robots.many import reach_many

    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 1 <= count <= 1_000_000:
        raise InputError(
            Problem(f"{count!r} directions", "count", "a whole number, at most a million"), loops.plan.name
        )
    at = place_goal(home.position(target) if place is None else place)
    k = np.arange(count) + 0.5
    z = 1.0 - 2.0 * k / count
    flat = np.sqrt(1.0 - z * z)
    spread = np.stack([flat * np.cos(GOLDEN * k), flat * np.sin(GOLDEN * k), z], axis=1)
    wanted = pointing(axis, spread)
    if not isinstance(at, Place) or at.samples is not None:
        raise InputError(Problem("one place is wanted", "place", "three numbers"), loops.plan.name)
    assert isinstance(wanted, Pointing)  # no spin is given
    found = reach_many(
        loops, home, target, (at, wanted), None, (), None, False, restarts, True, 1, threads
    )  # fmt: skip
    own = np.array(wanted.axis)
    return Directions(target, own, np.asarray(at.xyz, float), spread, found.converged, found.variables, loops)
