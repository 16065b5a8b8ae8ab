"""Goals searched for on the manifold of closed postures: where a search stands, and how it goes on.

Damped Gauss-Newton. With K the rates of all joints by those of the free ones and V the rows of the goals by K (both
exact, at the posture), a step d of the free rates solves

    min |V d - e|² + λ |d|²    with the limits of all joints kept:  low <= y + K d <= high

and is followed by Newton's corrections of the loops. Damping λ grows when a step does not help (Levenberg, Marquardt),
which also holds near singular postures, where the plain inverse runs away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.robots.bounded import bounded_step
from linkwork.analyses.robots.task_rows import TaskRows
from linkwork.geometry import Array

REACHED = 1e-9
"""Error [rad, or parts of the machine's size] that counts as none."""
FINE = 1e-13
"""Error below which another step changes nothing."""
STEPS, CORRECTIONS = 60, 8
LONGEST = 0.5
"""Longest step of the scaled free rates: farther, the straight line of the rates tells little."""


@dataclass(frozen=True, eq=False)
class Search:
    """What is searched for and how the machine can move.

    specified : rates that stay as they are; columns, places, low, high : of the joints with limits
    """

    loops: Loops
    rows: TaskRows
    specified: Mask
    columns: NDArray[np.int64]
    places: NDArray[np.int64]
    low: Array
    high: Array

    def without_limits(self) -> Search:
        """The same, whatever the limits."""
        none = np.zeros(0, np.int64)
        return Search(self.loops, self.rows, self.specified, none, none, np.zeros(0), np.zeros(0))

    def free(self, y: Array) -> NDArray[np.int64]:
        """Rates that may be chosen at a posture."""
        if not self.loops.count:
            return np.flatnonzero(~self.specified)
        return self.loops.roles(y, self.specified).free

    def at(self, y: Array) -> Stand:
        """Errors, and how all joints and all rows move with the free rates."""
        loops, free = self.loops, self.free(y)
        e, slopes = self.rows.at(y)
        given = np.zeros((len(free), loops.columns))
        given[np.arange(len(free)), free] = loops.column_scale[free]
        independent = self.specified | np.isin(np.arange(loops.columns), free)
        (W,) = loops.rates(y, independent, [given])
        V = slopes @ W[:, : loops.plan.nv].T
        return Stand(y, e, (W / loops.column_scale).T, V, independent)

    def room(self, y: Array) -> tuple[Array, Array]:
        """How far the joints with limits may still move, scaled."""
        scale = self.loops.variable_scale[self.places]
        return (self.low - y[self.places]) * scale, (self.high - y[self.places]) * scale

    def moved(self, stand: Stand, d: Array) -> Array | None:
        """The posture after a step of the free rates, loops closed again; None where they do not close nearby."""
        loops, y = self.loops, self.loops.advanced(stand.y, stand.K @ d)
        for _ in range(CORRECTIONS if loops.count else 0):
            before = float(loops.residual(y))
            if not np.isfinite(before):  # a joint's law ends here
                return None
            if before < 1e-3 * loops.tolerance:
                break
            y = loops.advanced(y, loops.correction(y, stand.independent))
        if loops.count and not float(loops.residual(y)) < loops.tolerance:
            return None
        return y


@dataclass(frozen=True, eq=False)
class Stand:
    """A posture on the way: errors e of the rows, scaled rates K of all joints and V of the rows by the free ones."""

    y: Array
    e: Array
    K: Array
    V: Array
    independent: Mask


@dataclass(frozen=True, eq=False)
class Found:
    """Where a search ended, and the sides of limits that held it."""

    stand: Stand
    side: NDArray[np.int64]
    steps: int

    @property
    def worst(self) -> float:
        """Largest error of any row."""
        return float(np.abs(self.stand.e).max(initial=0.0))


def descended(search: Search, y: Array, steps: int = STEPS) -> Found:
    """Damped steps from a posture until nothing is missing, or nothing more can be gained."""
    weights = search.rows.weights
    stand, damping = search.at(y), 1e-6
    side = np.zeros(len(search.places), np.int64)
    taken = 0
    while taken < steps:
        worst = float(np.abs(stand.e).max(initial=0.0))
        if worst < FINE:
            break
        low, high = search.room(stand.y)
        C, e, V = stand.K[search.columns], weights * stand.e, weights[:, np.newaxis] * stand.V
        # A step that does not help is damped more; one that helps, less.
        for _ in range(12):
            d, side = bounded_step(V, e, damping, C, low, high)
            d *= min(1.0, LONGEST / max(float(np.abs(d).max()), 1e-300))
            tried = search.moved(stand, d)
            new = None if tried is None else weights * search.rows.at(tried)[0]
            if tried is not None and new is not None and float(new @ new) < float(e @ e):
                damping = max(damping * 0.1, 1e-14)
                break
            damping = max(damping * 10.0, 1e-12)
        else:
            break
        gained = float(np.linalg.norm(e)) - float(np.linalg.norm(new))
        stand = search.at(tried)
        taken += 1
        if gained < 1e-12 * (1.0 if worst > REACHED else 1e-3):
            break
    return Found(stand, side, taken)
