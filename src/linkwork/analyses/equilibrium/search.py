"""From postures to postures of rest, many at once: Newton's steps, held back where they would climb.

A stride δ along the free rates obeys K δ = F. It is taken only where the forces do work on it,

    W = ½ (F₀ + F₁)·δ + δᵀ (K₁ - K₀) δ / 12 > 0        (to fourth order in δ)

which for loads with a potential says that the energy falls. (Uicker, Ravani, Sheth, Matrix Methods, 12.7-12.9 print the
opposite sign, which leads to unstable postures.) Where the stiffness is not positive definite, each principal direction
goes by its own |curvature|, and a direction of negative curvature is followed even where no force is left, so that the
search leaves unstable postures behind. No stride is longer than a radius that grows and shrinks with success.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.equilibrium.balance import Balance, Chart, Forces
from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.analyses.kinematics.joint_limits import SLACK, JointLimit
from linkwork.geometry import Array

Kind = Literal["stable", "nearest"]
RUNNING, REST, LIMIT, STUCK, UNBOUNDED, LOST = range(6)
"""What became of a sample: under way, at rest, at a limit of travel, no way on, far away, not closed any more."""
MOST = 500
"""Strides at most."""
LONGEST = 1.0
"""Longest stride [rad, or parts of the machine's size]."""
SHORTEST = 1e-11
"""Radius at which a sample is given up."""
LAST = 1e-8
"""Stride after which another would change nothing: Newton's method squares it."""
FAR = 100.0
"""Way of a variable from the start at which the energy is taken to fall without end."""
NEUTRAL = 1e-8
"""Curvatures below this part of the largest, or of the forces at hand, are none."""
QUIET = 1e-10
"""Forces below this part of the forces at hand are none."""
PUSH = 0.05
"""Stride along a negative curvature that leaves an unstable posture."""
GROWN = 100.0
"""Growth of Σ 1/pivot² along the way at which other independent rates are looked for."""
UNSYMMETRIC = 1e-8
"""Part of the stiffness from which its unsymmetric part counts: the loads have no potential."""
NEAR = 0.3
"""Stride to rest within which machines whose loads have no potential go straight there."""
ALIKE = 1e3
"""Σ 1/pivot² up to which pivots that suit one sample are good enough for another."""


@dataclass(frozen=True, eq=False)
class Found:
    """Where the samples came to.

    Y, X : postures (samples, ny) and named states; status : by sample; steps : strides taken
    charts : of each sample, its number; limit : which limit stopped it, and on which side (1 high, -1 low)
    size : what forces are measured by
    """

    Y: Array
    X: Array
    status: NDArray[np.int64]
    steps: NDArray[np.int64]
    charts: NDArray[np.int64]
    limit: NDArray[np.int64]
    side: NDArray[np.int64]
    size: Array


def force_scale(balance: Balance, Y: Array, effort: Array) -> Array:
    """What forces are measured by, by posture: weights, loads and efforts, scaled to moments."""
    loops, system = balance.loops, balance.loops.system
    parameters = system.parameters
    weight = sum(abs(x) for name, x in parameters.items() if name.endswith(".mass"))
    weight *= float(np.linalg.norm([parameters.get(f"gravity.{axis}", 0.0) for axis in "xyz"]))
    most = weight * loops.length
    if loops.plan.loads:
        from linkwork.equations.closed_forces import load_state
        from linkwork.formulas import Question

        still, when = np.zeros((len(Y), loops.columns)), np.full((len(Y), 1), balance.t)
        magnitudes, _ = system.bound_kernel(Question(load_state()))(np.ascontiguousarray(Y), still, when)
        own = np.nan_to_num(np.abs(magnitudes)).sum(axis=1)
        most = most + own * max(loops.length, 1.0)
    found: Array = np.broadcast_to(most + np.abs(effort * loops.column_scale).sum(axis=-1), (len(Y),)).copy()
    return found


class Search:
    """One search; `run` gives what was found."""

    def __init__(
        self, balance: Balance, Y: Array, X: Array, effort: Array, kind: Kind, limits: Sequence[JointLimit] = ()
    ) -> None:
        self.balance, self.kind, self.limits = balance, kind, list(limits)
        count = len(Y)
        self.Y, self.X = np.array(Y, float), np.array(X, float)
        self.start = self.Y.copy()
        self.effort = np.broadcast_to(np.asarray(effort, float), (count, balance.loops.columns))
        self.status = np.full(count, RUNNING)
        self.steps = np.zeros(count, np.int64)
        self.charts = np.full(count, -1)
        self.radius = np.full(count, 0.5 * LONGEST)
        self.limit, self.side = np.full(count, -1), np.zeros(count, np.int64)
        self.size = force_scale(balance, self.Y, self.effort)
        self.usual = np.ones(count)
        first = balance.chart_at(self.Y[0]) if count else 0
        self.n = len(balance.charts[first].free) if count else 0
        self.F, self.K = np.zeros((count, self.n)), np.zeros((count, self.n, self.n))
        nx = self.X.shape[1]
        self.dx, self.dxdpsi = np.zeros((count, nx)), np.zeros((count, nx, self.n))
        self.together = self._states_have_no_rest(balance.charts[first]) if nx and count else False
        """Whether postures and states are found together: an integrator rests at no value of its own."""
        self._charted(np.arange(count))

    def run(self, threads: int | None = None) -> Found:
        """Strides until every sample rests or is given up."""
        for _ in range(MOST):
            running = np.flatnonzero(self.status == RUNNING)
            if not running.size:
                break
            strides, done = self._strides(running)
            for number in np.unique(self.charts[running]):
                own = self.charts[running] == number
                self._go(int(number), running[own], strides[own], done[own], threads)
        self.status[self.status == RUNNING] = STUCK
        return Found(self.Y, self.X, self.status, self.steps, self.charts, self.limit, self.side, self.size)

    def _states_have_no_rest(self, chart: Chart) -> bool:
        fX = self.balance.forces(chart, self.Y[:1], self.X[:1], self.effort[:1]).by[2][0]
        singular = np.linalg.svd(fX, compute_uv=False)
        return bool(singular[-1] <= 1e-10 * max(1.0, singular[0]))

    # ---------------------------------------------------------------- charts and forces

    def _charted(self, samples: NDArray[np.intp]) -> None:
        """Charts that suit samples, and forces in them: one that suits the first, for all that it serves as well."""
        balance, left = self.balance, samples
        while left.size:
            try:
                number = balance.chart_at(self.Y[left[0]])
            except ClosureError:
                self.status[left[0]], left = LOST, left[1:]
                continue
            weak = balance.weak(balance.charts[number], self.Y[left])
            served = weak <= max(10.0 * weak[0], ALIKE)
            served[0] = True
            own = left[served]
            self.charts[own], self.usual[own] = number, np.maximum(weak[served], 1.0)
            self._take(own, self._forces(number, own, self.Y[own], self.X[own]))
            left = left[~served]

    def _forces(self, number: int, samples: NDArray[np.intp], Y: Array, X: Array) -> tuple[Array, ...]:
        """F, K with named states eliminated, and how these follow: δx = dx + dxdψ δψ."""
        chart = self.balance.charts[number]
        if len(chart.free) != self.n:
            self.status[samples] = LOST
            shape = len(samples), self.n
            return np.zeros(shape), np.zeros((*shape, self.n)), self.dx[samples], self.dxdpsi[samples]
        forces = self.balance.forces(chart, Y, X, self.effort[samples])
        return with_states_together(forces) if self.together else with_states_eliminated(forces)

    def _take(self, samples: NDArray[np.intp], found: tuple[Array, ...]) -> None:
        self.F[samples], self.K[samples], self.dx[samples], self.dxdpsi[samples] = found
        bad = ~(np.isfinite(found[0]).all(axis=1) & np.isfinite(found[1]).all(axis=(1, 2)))
        self.status[samples[bad]] = LOST
        self.size[samples] = np.maximum(self.size[samples], np.abs(np.nan_to_num(found[0])).max(axis=1, initial=0.0))

    # ---------------------------------------------------------------- strides

    def _strides(self, samples: NDArray[np.intp]) -> tuple[Array, NDArray[np.bool_]]:
        """Scaled strides, and whether each is the last one."""
        F, K = self.F[samples], self.K[samples]
        if not self.n:
            return np.zeros((len(samples), 0)), np.abs(self.dx[samples]).max(axis=1, initial=0.0) <= LAST
        if self.together:
            return self._together(samples)
        curvature, V = np.linalg.eigh(0.5 * (K + K.transpose(0, 2, 1)))
        g = (V.transpose(0, 2, 1) @ F[..., np.newaxis])[..., 0]
        size = self.size[samples, np.newaxis]
        least = NEUTRAL * np.maximum(np.abs(curvature).max(axis=1, keepdims=True), size) + 1e-300
        flat, quiet = np.abs(curvature) <= least, np.abs(g) <= QUIET * size
        with np.errstate(over="ignore"):
            along = np.where(flat & quiet, 0.0, g / np.maximum(np.abs(curvature), least))
        if self.kind == "nearest":
            along = np.where(flat, along, g / np.where(flat, 1.0, curvature))
        strides = (V @ along[..., np.newaxis])[..., 0]
        regular = (curvature > least).all(axis=1) if self.kind == "stable" else ~flat.any(axis=1)
        following = np.abs(K - K.transpose(0, 2, 1)).max(axis=(1, 2), initial=0.0) > UNSYMMETRIC * np.abs(
            curvature
        ).max(axis=1)
        if regular.any():  # Newton's own, which counts what is not symmetric
            with np.errstate(all="ignore"):
                strides[regular] = np.linalg.solve(K[regular], F[regular][..., np.newaxis])[..., 0]
        pushed = np.zeros(len(samples), bool)
        if self.kind == "stable":
            unstable = np.flatnonzero((curvature[:, 0] < -least[:, 0]) & ~following)
            weak = unstable[np.abs(along[unstable, 0]) < PUSH]
            way = np.where(g[weak, 0] < 0.0, -1.0, 1.0) * np.minimum(PUSH, self.radius[samples[weak]])
            strides[weak] += (way - along[weak, 0])[:, np.newaxis] * V[weak, :, 0]
            pushed[weak] = True
            self._without_potential(samples, np.flatnonzero(following & ~regular), strides)
        strides = np.nan_to_num(strides)
        long = np.linalg.norm(strides, axis=1)
        done = (
            (long <= LAST) & ~pushed & (np.abs(self.dx[samples]).max(axis=1, initial=0.0) <= self._state_step(samples))
        )
        too_long = long > self.radius[samples]
        strides[too_long] *= (self.radius[samples[too_long]] / long[too_long])[:, np.newaxis]
        return strides, done

    def _without_potential(self, samples: NDArray[np.intp], following: NDArray[np.intp], strides: Array) -> None:
        """Newton's own stride, in place, where loads have no potential and rest is near: curvatures tell nothing."""
        if not following.size:
            return
        K, F = self.K[samples[following]], self.F[samples[following]]
        own = (np.linalg.pinv(K, rcond=NEUTRAL) @ F[..., np.newaxis])[..., 0]
        near = np.linalg.norm(own, axis=1) <= NEAR
        strides[following[near]] = own[near]

    def _together(self, samples: NDArray[np.intp]) -> tuple[Array, NDArray[np.bool_]]:
        """Strides of Newton's method on postures and states at once; see `with_states_together`."""
        strides = (self.K[samples] @ self.F[samples][..., np.newaxis])[..., 0]
        long = np.linalg.norm(strides, axis=1)
        part = np.minimum(1.0, self.radius[samples] / np.maximum(long, 1e-300))
        done = (long <= LAST) & (np.abs(self.dx[samples]).max(axis=1) <= self._state_step(samples))
        self.dx[samples] *= part[:, np.newaxis]
        return strides * part[:, np.newaxis], done

    def _state_step(self, samples: NDArray[np.intp]) -> Array:
        found: Array = LAST * (1.0 + np.abs(self.X[samples]).max(axis=1, initial=0.0))
        return found

    def _go(
        self, number: int, samples: NDArray[np.intp], strides: Array, done: NDArray[np.bool_], threads: int | None
    ) -> None:
        """Strides of samples that share a chart, taken where the forces do work on them."""
        balance, chart = self.balance, self.balance.charts[number]
        Y, closed = balance.moved(chart, self.Y[samples], strides, threads)
        X = self.X[samples] + self.dx[samples] + (self.dxdpsi[samples] @ strides[..., np.newaxis])[..., 0]
        self.steps[samples] += 1
        long = np.linalg.norm(strides, axis=1)
        stopped = self._at_limits(samples, Y, closed)
        closed &= ~stopped
        self._shrink(samples[~closed & ~stopped], long[~closed & ~stopped])
        samples, done = samples[closed], done[closed]
        strides, long, Y, X = (a[closed] for a in (strides, long, Y, X))
        if not samples.size:
            return
        found = self._forces(number, samples, Y, X)
        F0, K0, (F1, K1) = self.F[samples], self.K[samples], found[:2]
        turned = ((K1 - K0) @ strides[..., np.newaxis])[..., 0]
        if self.together:
            good = well = np.isfinite(F1).all(axis=1)
            slow = ~good
        elif self.kind == "stable":
            work = (0.5 * (F0 + F1) * strides + turned * strides / 12.0).sum(axis=1)
            hoped = (F0 * strides).sum(axis=1) - 0.5 * (strides * (K0 @ strides[..., np.newaxis])[..., 0]).sum(axis=1)
            allowed = 1e-13 * self.size[samples]
            following = (
                np.abs(K0 - K0.transpose(0, 2, 1)).max(axis=(1, 2), initial=0.0) > UNSYMMETRIC * self.size[samples]
            )
            less = np.linalg.norm(F1, axis=1) <= 0.5 * np.linalg.norm(F0, axis=1)
            good = (work >= np.minimum(1e-3 * hoped, 0.0) - allowed) | (following & less)
            well, slow = work >= 0.5 * hoped - allowed, work < 0.25 * hoped - allowed
        else:
            before, after = np.linalg.norm(F0, axis=1), np.linalg.norm(F1, axis=1)
            good = after <= before + QUIET * self.size[samples]
            well, slow = after <= 0.5 * before, np.zeros(len(samples), bool)
        good, well = (good & np.isfinite(F1).all(axis=1)) | done, well | done
        self._shrink(samples[~good], long[~good])
        taken = samples[good]
        self.Y[taken], self.X[taken] = Y[good], X[good]
        self._take(taken, tuple(a[good] for a in found))
        grown = samples[good & well]
        self.radius[grown] = np.minimum(LONGEST, np.maximum(self.radius[grown], 2.0 * long[good & well]))
        held_back = samples[good & slow & ~well]
        self.radius[held_back] = np.maximum(0.5 * self.radius[held_back], SHORTEST)
        self.status[samples[done]] = np.where(self.status[samples[done]] == RUNNING, REST, self.status[samples[done]])
        way = np.abs((self.Y[taken] - self.start[taken]) * balance.loops.variable_scale).max(axis=1, initial=0.0)
        self.status[taken[way > FAR]] = UNBOUNDED
        weak = balance.weak(chart, self.Y[taken])
        poor = taken[(weak > GROWN * self.usual[taken]) & (self.status[taken] == RUNNING)]
        if poor.size:
            self._charted(poor)

    def _shrink(self, samples: NDArray[np.intp], long: Array) -> None:
        self.radius[samples] = 0.25 * np.minimum(self.radius[samples], long)
        self.status[samples[self.radius[samples] < SHORTEST]] = STUCK

    def _at_limits(self, samples: NDArray[np.intp], Y: Array, closed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Samples whose stride goes beyond a limit; the one that it meets first is noted."""
        stopped = np.zeros(len(samples), bool)
        first = np.full(len(samples), np.inf)
        for k, limit in enumerate(self.limits):
            before, after = self.Y[samples, limit.place], Y[:, limit.place]
            for side, bound in ((1, limit.high), (-1, limit.low)):
                if not np.isfinite(bound):
                    continue
                room = 1e-3 * SLACK / self.balance.loops.variable_scale[limit.place]
                over = closed & (side * (after - bound) > room)
                with np.errstate(all="ignore"):
                    part = np.where(over, (bound - before) / (after - before), np.inf)
                nearer = over & (part < first)
                first[nearer] = part[nearer]
                self.limit[samples[nearer]], self.side[samples[nearer]] = k, side
                stopped |= over
        self.status[samples[stopped]] = LIMIT
        return stopped


def unsymmetric(K: Array, size: Array) -> NDArray[np.bool_]:
    """Stiffnesses (samples, n, n) that are not symmetric, beside a size: the loads have no potential."""
    found: NDArray[np.bool_] = np.abs(K - K.transpose(0, 2, 1)).max(axis=(1, 2), initial=0.0) > UNSYMMETRIC * size
    return found


def with_states_eliminated(forces: Forces) -> tuple[Array, Array, Array, Array]:
    """F and K with named states at their rest, f = 0, and how they follow strides: δx = dx + dxdψ δψ.

    Where the states have no rest of their own (an integrator), the least change that suits them is taken.
    """
    F, K, f, (FX, fY, fX) = forces.F, forces.K, forces.f, forces.by
    if not f.shape[1]:
        count, n = F.shape
        return F, K, np.zeros((count, 0)), np.zeros((count, 0, n))
    inverse = np.linalg.pinv(fX, rcond=1e-12)
    dx, dxdpsi = -(inverse @ f[..., np.newaxis])[..., 0], -(inverse @ fY)
    return F + (FX @ dx[..., np.newaxis])[..., 0], K - FX @ dxdpsi, dx, dxdpsi


def with_states_together(forces: Forces) -> tuple[Array, Array, Array, Array]:
    """The stride of postures and states at once, K δ = F + X dx, f + f_ψ δ + f_x dx = 0, in the place of F.

    In the place of K stands the unit matrix, so that F is the stride; dx is what the states do meanwhile.
    """
    F, K, f, (FX, fY, fX) = forces.F, forces.K, forces.f, forces.by
    count, n = F.shape
    A = np.concatenate([np.concatenate([K, -FX], axis=2), np.concatenate([-fY, -fX], axis=2)], axis=1)
    found = (np.linalg.pinv(A, rcond=1e-13) @ np.concatenate([F, f], axis=1)[..., np.newaxis])[..., 0]
    unit = np.broadcast_to(np.eye(n), (count, n, n)).copy()
    return found[:, :n], unit, found[:, n:], np.zeros((count, f.shape[1], n))


def searched(
    balance: Balance, Y: Array, X: Array, effort: Array, kind: Kind = "stable", limits: Sequence[JointLimit] = ()
) -> Found:
    """Rest from each of some postures (samples, ny), with named states (samples, nx), efforts (nw) or (samples, nw)."""
    return Search(balance, Y, X, effort, kind, limits).run()
