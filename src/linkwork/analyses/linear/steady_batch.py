"""Set points for many speeds, or many values of a number, at once: each at rest or in a steady motion of its own.

Newton's method on what the equations of motion leave along the free coordinates and on the rates of named states,

    [K, X; f_ψ, f_x] (δψ, δx) = -(R, f),

for all samples in one batch, loops closed after every stride.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.equilibrium.balance import Balance
from linkwork.analyses.linear.coefficients import Coefficients, ManyNumbers, SetPoint, coefficients, mask_of
from linkwork.analyses.linear.first_order import assert_masses, first_order
from linkwork.analyses.linear.set_points import Held
from linkwork.geometry import Array

STEPS = 30
"""Newton's strides to a set point."""
DONE = 1e-12
"""Part of the forces at hand that may be left."""
STRIDE = 0.3
"""The longest stride [rad, or parts of the machine's size]."""


@dataclass(frozen=True, eq=False)
class Settled:
    """Where Newton's method came to: set points, what is left there beside the forces at hand, and who arrived."""

    at: SetPoint
    c: Coefficients
    left: Array
    arrived: NDArray[np.bool_]


class SteadyBatch:
    """Many set points about one: the same coordinates are free, and kernels and pivots serve all of them.

    point : whose free coordinates, states and efforts they share
    pushed : whether efforts hold the free coordinates where they are, as in a posture that is asked for
    given : efforts along all rates that act besides, where nothing is pushed
    """

    def __init__(self, point: Held, pushed: bool, given: Array | None = None) -> None:
        self.point, self.pushed = point, pushed
        at, loops = point.at, point.at.loops
        self.free = np.flatnonzero(~point.held)
        self.scale = loops.column_scale[at.columns][self.free]
        self.lengths = np.concatenate([self.scale, self.scale, np.ones(at.x.shape[-1])])
        self.effort = at.effort.copy()
        if not pushed:
            own = at.columns[self.free]
            self.effort[own] = 0.0 if given is None else given[own]
        self._balance = Balance(loops, ~mask_of(loops, at.columns[self.free]))
        self._independent = mask_of(loops, at.columns)
        self._chart = self._balance._made(at.order, at.columns)

    def settled(
        self, y: Array, x: Array, w: Array | None = None, numbers: ManyNumbers | None = None, steps: int = STEPS
    ) -> Settled:
        """From postures (samples, ny) and states (samples, nx) on.

        w : rates of the independent joints (samples, nw); at rest without
        numbers : of the model at each sample
        """
        point, free = self.point, self.free
        loops = point.at.loops
        effort = np.tile(self.effort, (len(y), 1))
        size = max(point.size, 1e-300)
        for stride in range(steps + 1):
            at = self._moving(replace(point.at, y=y, x=x, effort=effort, numbers=numbers), w)
            c = coefficients(at)
            R = np.concatenate([c.R[:, free] * self.scale * (0.0 if self.pushed else 1.0), c.f], axis=1)
            forces = size + np.abs(c.K[:, free[:, np.newaxis], free]).max(axis=(1, 2), initial=0.0)
            measure = np.concatenate([np.tile(forces[:, np.newaxis], (1, len(free))), 1.0 + np.abs(x)], axis=1)
            left = (np.abs(R) / measure).max(axis=1, initial=0.0)
            left = np.where(np.isfinite(left), left, np.inf)
            going = left > DONE
            if self.pushed or not going.any() or stride == steps:
                break
            moved = self._stride(c, R)
            longest = np.abs(moved[:, : len(free)]).max(axis=1, initial=0.0)
            moved *= np.minimum(1.0, STRIDE / np.maximum(longest, 1e-300))[:, np.newaxis]
            moved[~going] = 0.0
            if np.abs(moved).max(initial=0.0) <= 1e-14:
                break
            after, closed = self._balance.moved(self._chart, y, moved[:, : len(free)])
            y = np.where(closed[:, np.newaxis], after, y) if loops.count else after
            x = x + moved[:, len(free) :]
        arrived = left <= np.where(self.pushed, 1e-6, 1e3 * DONE)
        return Settled(at, c, left, np.asarray(arrived))

    def _moving(self, at: SetPoint, w: Array | None) -> SetPoint:
        loops, still = at.loops, np.zeros((len(at.y), at.loops.columns))
        if w is None or not w.any():
            return replace(at, w=still, dw=still)
        if not loops.count:
            return replace(at, w=w, dw=still)
        rates, accelerations = loops.rates_each(at.y, self._independent, [w, still])
        return replace(at, w=rates, dw=accelerations)

    def _stride(self, c: Coefficients, R: Array) -> Array:
        """Scaled, (samples, free + states)."""
        k, s = self.free, self.scale
        K = c.K[:, k[:, np.newaxis], k] * s * s[:, np.newaxis]
        whole = np.block([[K, c.X[:, k] * s[:, np.newaxis]], [c.f_psi[:, :, k] * s, c.f_x]])
        found = -(np.linalg.pinv(np.nan_to_num(whole), rcond=1e-10) @ np.nan_to_num(R)[..., np.newaxis])[..., 0]
        return np.asarray(found)

    def matrices(self, found: Settled) -> Array:
        """Of z' = A z, scaled (samples, 2 n + nx, 2 n + nx); Massless where a freedom has no mass."""
        c, k = found.c, self.free
        own = (slice(None), k[:, np.newaxis], k)
        names = self.point.at.loops.names(self.point.at.columns[k])
        assert_masses(c.M[own], self.scale, names, self.point.machine.name)
        A = first_order(c.M[own], c.D[own], c.K[own], c.X[:, k], c.f_psi[:, :, k], c.f_w[:, :, k], c.f_x)
        return np.asarray(A * self.lengths / self.lengths[:, np.newaxis])
