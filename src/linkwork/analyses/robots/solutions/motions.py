"""Motions of joints as 4 x 4 matrices, chains of them, what they miss of a goal; over any number of samples.

Lengths are in parts of the chain's size.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from linkwork.algebra import ca
from linkwork.analyses.robots.solutions.serial_chains import Joint
from linkwork.geometry import Array
from linkwork.geometry.rotations import skew
from linkwork.kernels import Kernel

STEPS = 12
"""Newton's steps at most."""
DAMPED = 1e-12
FINE = 2e-16
"""Errors that no step makes smaller."""
LARGE = 1e3


def motion(joint: Joint, x: Array) -> Array:
    """exp(S x), (..., 4, 4): R = 1 + sin x K + (1 - cos x) K² about the axis through the joint's point."""
    x = np.asarray(x, float)
    X = np.zeros((*x.shape, 4, 4))
    X[..., 3, 3] = 1.0
    if not joint.turns:
        X[..., :3, :3] = np.eye(3)
        X[..., :3, 3] = x[..., None] * joint.axis
        return X
    K = skew(joint.axis)
    R = np.eye(3) + np.sin(x)[..., None, None] * K + (1.0 - np.cos(x))[..., None, None] * (K @ K)
    X[..., :3, :3] = R
    X[..., :3, 3] = joint.point - R @ joint.point
    return X


def displacement(joints: Sequence[Joint], x: Array) -> Array:
    """The product of all motions, (..., 4, 4), for x (..., n)."""
    G = np.broadcast_to(np.eye(4), (*x.shape[:-1], 4, 4))
    for k, joint in enumerate(joints):
        G = G @ motion(joint, x[..., k])
    return G


class Aim:
    """Where joints bring a target and what is missing, as a kernel; lengths scaled.

    kernel : values (n), goal (12) -> error twist (6), its columns by the joints (6, n), largest component missing
    """

    def __init__(self, joints: Sequence[Joint], at: Array) -> None:
        self.joints, self.at = tuple(joints), at

    @cached_property
    def kernel(self) -> Kernel:
        """The errors as machine code."""
        n = len(self.joints)
        x, goal = ca.SX.sym("x", n), ca.SX.sym("goal", 12)
        wanted, p = ca.reshape(goal[:9], 3, 3).T, goal[9:]
        R, t = ca.SX.eye(3), ca.SX.zeros(3)
        axes, points = [], []
        for k, joint in enumerate(self.joints):
            l, o = ca.DM(joint.axis), ca.DM(joint.point)  # noqa: E741 - the letter of the theory
            axes.append(ca.mtimes(R, l))
            points.append(ca.mtimes(R, o) + t)
            if joint.turns:
                K = ca.DM(skew(joint.axis))
                M = ca.SX.eye(3) + ca.sin(x[k]) * K + (1.0 - ca.cos(x[k])) * ca.mtimes(K, K)
                t = t + ca.mtimes(R, o - ca.mtimes(M, o))
                R = ca.mtimes(R, M)
            else:
                t = t + x[k] * axes[k]
        here = ca.mtimes(R, ca.DM(self.at)) + t
        gap = ca.mtimes(wanted, ca.DM(self.at)) + p - here
        E = ca.mtimes(wanted, R.T)
        w = 0.5 * ca.vertcat(E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1])
        sine, cosine = ca.sqrt(ca.sumsqr(w)), 0.5 * (ca.trace(E) - 1.0)
        angle = ca.if_else(sine > 1e-8, ca.atan2(sine, cosine) / ca.fmax(sine, 1e-8), 1.0)
        columns = [
            ca.vertcat(ca.cross(a, here - o), a) if j.turns else ca.vertcat(a, ca.SX.zeros(3))
            for j, a, o in zip(self.joints, axes, points, strict=True)
        ]
        worst = ca.mmax(ca.fabs(ca.vertcat(gap, ca.vec(wanted - R))))
        J = ca.densify(ca.horzcat(*columns))
        function = ca.Function("aim", [x, goal], [ca.vertcat(gap, angle * w), ca.vec(J.T), worst])
        return Kernel(function, output_shapes=[(6,), (6, n), ()])

    def polished(
        self, x: Array, goals: Array, steps: int = STEPS, weak: float | None = None
    ) -> tuple[Array, Array]:  # fmt: skip
        """Newton's steps from each of x (k, n) to goals (k, 4, 4), as long as they help; the errors left (k,).

        weak : singular values below this part of the largest count as none, and steps are the shortest that do
        """
        x, trial = x.copy(), x.copy()
        rows = goal_rows(goals)
        left = np.full(len(x), np.inf)
        active = np.arange(len(x))
        for step in range(steps + 1):
            if not active.size:
                break
            error, J, now = self.kernel(trial[active], rows[active])
            before = left[active]
            better = now < before
            x[active[better]], left[active[better]] = trial[active[better]], now[better]
            going = (now < 0.5 * before) & (now > FINE)
            active = active[going]
            if step < steps and active.size:
                trial[active] = x[active] + np.clip(_least(J[going], error[going], weak), -0.5, 0.5)
        return x, left


def goal_rows(goals: Array) -> Array:
    """Goals (..., 4, 4) as kernels take them, (..., 12): rows of R, then p."""
    rows = np.empty((*goals.shape[:-2], 12))
    rows[..., :9] = goals[..., :3, :3].reshape(*goals.shape[:-2], 9)
    rows[..., 9:] = goals[..., :3, 3]
    return rows


def _least(A: Array, e: Array, weak: float | None) -> Array:
    """Least squares of smallest size."""
    if A.shape[-1] == 6 and weak is None:
        try:
            d: Array = np.asarray(np.linalg.solve(A, e[..., None])[..., 0], float)
            if np.isfinite(d).all() and np.abs(d).max() < LARGE:
                return d
        except np.linalg.LinAlgError:
            pass
    return (np.linalg.pinv(A, rcond=DAMPED if weak is None else weak) @ e[..., None])[..., 0]
