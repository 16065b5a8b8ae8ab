"""Equations of motion a third time, as Kane wrote them: velocities of all bodies as functions of the joints, and their
derivatives by CasADi.

    M(y) w' + h(y, w) + Jᵀ λ = 0,     J(y) w = 0,     J w' + γ(y, w) = 0,     e(y) = 0,     y' = N(y) w

M = Σ m (∂v/∂w)ᵀ (∂v/∂w) + (∂ω/∂w)ᵀ I (∂ω/∂w) over centres of mass; e compares both sides of every joint that closes a
loop. Poses come from `Law.motion` alone. Weight, linear springs and dampers along variables and between points, and
steady torques about fixed axes are known; other loads are refused.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from maximal import _joined
from scipy.linalg import qr

from linkwork.model.amounts import Steady
from linkwork.model.loads import InSpace, Spring, Torque

Array = np.ndarray


def _skew_part(D: ca.SX) -> ca.SX:
    return ca.vertcat(D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]) / 2


def _inverse(X: Any) -> ca.SX:
    R, p = X[:3, :3], X[:3, 3]
    return ca.vertcat(ca.horzcat(R.T, -R.T @ p), ca.SX([[0, 0, 0, 1]]))


def _turning(q: ca.SX, w: ca.SX) -> ca.SX:
    """½ q ∘ (0, w)."""
    return ca.vertcat(-ca.dot(q[1:], w), q[0] * w + ca.cross(q[1:], w)) / 2


class Closing:
    """Poses of a machine's bodies and gaps of its loops; `rows` of them are independent at the posture y0."""

    def __init__(self, machine: Any, y0: Array) -> None:
        self.m, self.layout, self.joints = machine.mechanism, machine.layout, _joined(machine)
        self.ny, self.nw = len(machine.variables), len(machine.variable_rates)
        self.y, self.w = ca.SX.sym("y", self.ny), ca.SX.sym("w", self.nw)
        self.dy = ca.SX(self.ny, 1)
        for j in self.joints:
            k = len(j.q) if len(j.q) == len(j.v) else len(j.q) - 4
            self.dy[j.q[:k]] = self.w[j.v[:k]]
            if k < len(j.q):
                self.dy[j.q[k:]] = _turning(self.y[j.q[k:]], self.w[j.v[k:]])
        gaps = self._place()
        e = ca.vertcat(*gaps) if gaps else ca.SX(0, 1)
        J = ca.jacobian(self._rate(e), self.w)
        self.rows = [int(r) for r in _independent(np.array(ca.Function("J", [self.y], [J])(y0)))]
        self.e, self.J = e[self.rows], J[self.rows, :]
        self.flow = ca.Function("flow", [self.y, self.w], [self.dy])
        self.loops = ca.Function("loops", [self.y], [self.e, self.J])

    def closed(self, y: Array, w: Array) -> tuple[Array, Array]:
        """The closed posture next to y, by Newton's method with steps of least norm, and the part of w that fits it."""
        for _ in range(8):
            e, J = (np.array(x) for x in self.loops(y))
            back = np.linalg.pinv(J)
            step = -(back @ e)[:, 0]
            y = y + np.array(self.flow(y, step))[:, 0]
            if np.abs(step).max() < 1e-14:
                break
        return y, w - back @ (J @ w)

    def _rate(self, f: ca.SX) -> ca.SX:
        """Time derivative along the path with constant rates."""
        return ca.jtimes(f, self.y, self.dy)

    def _place(self) -> list[ca.SX]:
        """Poses of all bodies along joints that reach them; gaps of the others."""
        ground = self.m.ground.name
        self.X = {ground: ca.SX(self.layout.X_WB[ground])}
        gaps: list[ca.SX] = []
        left = list(self.joints)
        while left:
            j = next(j for j in left if j.tail in self.X or j.head in self.X)
            left.remove(j)
            R, p = j.law.motion([self.y[i] for i in j.q])
            X_FM = ca.SX.eye(4)
            for a in range(3):
                X_FM[a, 3] = p[a]
                for b in range(3):
                    X_FM[a, b] = R[a][b]
            if j.tail not in self.X:
                self.X[j.tail] = self.X[j.head] @ j.X_HM @ _inverse(X_FM) @ np.linalg.inv(j.X_TF)
                continue
            want = self.X[j.tail] @ j.X_TF @ X_FM
            if j.head not in self.X:
                self.X[j.head] = want @ np.linalg.inv(j.X_HM)
                continue
            have = self.X[j.head] @ j.X_HM
            gaps += [have[:3, 3] - want[:3, 3], _skew_part(have[:3, :3] @ want[:3, :3].T)]
        return gaps


class Kane(Closing):
    """The equations of motion of a machine."""

    def __init__(self, machine: Any, y0: Array) -> None:
        super().__init__(machine, y0)
        assert not self.m.motors and not self.m.gravity_laws
        y, w = self.y, self.w
        M, h = self._inertia()
        gamma = self._rate(self._rate(self.e))
        self.terms = ca.Function("terms", [y, w], [self.dy, M, h, self.J, gamma])
        self._stabilised(M, h, self.e, self.J)
        self.energies = ca.Function("energies", [y, w], [ca.dot(w, M @ w) / 2, self._potential()])
        self.momentum = ca.Function("momentum", [y, w], [self._momentum()])

    def _stabilised(self, M: ca.SX, h: ca.SX, e: ca.SX, J: ca.SX) -> None:
        """Residual of (y, w, λ, μ) and their derivatives, index 2, and its slopes ∂/∂x + c ∂/∂x'."""
        m, y, w = e.numel(), self.y, self.w
        lam, mu = ca.SX.sym("lam", m), ca.SX.sym("mu", m)
        x = ca.vertcat(y, w, lam, mu)
        dx, c = ca.SX.sym("dx", x.numel()), ca.SX.sym("c")
        moved = ca.substitute(self.dy, w, w + J.T @ mu)
        dw = dx[self.ny : self.ny + self.nw]
        r = ca.vertcat(dx[: self.ny] - moved, M @ dw + h + J.T @ lam, e, J @ w)
        self.residual = ca.Function("residual", [x, dx], [r])
        self.slopes = ca.Function("slopes", [x, dx, c], [ca.jacobian(r, x) + c * ca.jacobian(r, dx)])

    def _angular(self, body: str) -> ca.SX:
        """Angular velocity of a body, world axes."""
        R = self.X[body][:3, :3]
        return _skew_part(ca.reshape(self._rate(ca.vec(R)), 3, 3) @ R.T)

    def _inertia(self) -> tuple[ca.SX, ca.SX]:
        M, h = ca.SX(self.nw, self.nw), ca.SX(self.nw, 1)
        for body in self.m.bodies:
            own = self.layout.masses[body]
            if body == self.m.ground.name:
                continue
            R = self.X[body][:3, :3]
            v, omega = self._rate(self._centre(body)), self._angular(body)
            Jv, Jw = ca.jacobian(v, self.w), ca.jacobian(omega, self.w)
            inertia = R @ np.asarray(own.inertia) @ R.T
            M += float(own.mass) * Jv.T @ Jv + Jw.T @ inertia @ Jw
            a = self._rate(v) - np.array(self.m.gravity)
            turn = inertia @ self._rate(omega) + ca.cross(omega, inertia @ omega)
            h += float(own.mass) * Jv.T @ a + Jw.T @ turn
        return M, h - self._pushes()

    def _centre(self, body: str) -> ca.SX:
        X = self.X[body]
        return X[:3, :3] @ np.asarray(self.layout.masses[body].com, float) + X[:3, 3]

    def _point(self, name: str) -> ca.SX:
        body = self.m.points[name].body
        at = np.linalg.inv(self.layout.X_WB[body]) @ np.array([*self.layout.points[name], 1.0])
        return (self.X[body] @ at)[:3]

    def _stretch(self, spring: Spring) -> ca.SX:
        """Length of a spring, or the value of its variable."""
        if spring.variable:
            return self.y[self._places[spring.variable]]
        return ca.norm_2(self._point(spring.second) - self._point(spring.first))

    @property
    def _places(self) -> dict[str, int]:
        return {f"{j.name}.{v.name}": i for j in self.joints for v, i in zip(j.law.variables, j.q, strict=True)}

    def _pushes(self) -> ca.SX:
        """Generalised forces of the loads."""
        total = ca.SX(self.nw, 1)
        for load in self.m.loads.values():
            if isinstance(load, Spring):
                assert load.law is None and load.free is not None
                x = self._stretch(load)
                tension = load.stiffness * (x - load.free) + load.damping * self._rate(x) + load.preload
                total -= ca.jacobian(self._rate(x), self.w).T * tension
            else:
                assert isinstance(load, Torque) and isinstance(load.about, InSpace)
                assert isinstance(load.amount, Steady)
                axis = np.array(load.about.vector)
                total += ca.jacobian(self._angular(load.body), self.w).T @ (axis * load.amount.value)
        return total

    def _potential(self) -> ca.SX:
        """Of weight and springs."""
        total = ca.SX(0)
        for body in self.m.bodies:
            total -= float(self.layout.masses[body].mass) * ca.dot(np.array(self.m.gravity), self._centre(body))
        for load in self.m.loads.values():
            if isinstance(load, Spring):
                x = self._stretch(load)
                total += load.stiffness * (x - load.free) ** 2 / 2 + load.preload * x
        return total

    def _momentum(self) -> ca.SX:
        """[linear; angular about the world's origin]."""
        linear, angular = ca.SX(3, 1), ca.SX(3, 1)
        for body in self.m.bodies:
            own, R, at = self.layout.masses[body], self.X[body][:3, :3], self._centre(body)
            p = float(own.mass) * self._rate(at)
            linear += p
            angular += ca.cross(at, p) + R @ np.asarray(own.inertia) @ R.T @ self._angular(body)
        return ca.vertcat(linear, angular)

    def energy(self, y: Array, w: Array) -> float:
        """Kinetic and potential, of weight and springs [J]."""
        return float(sum(map(float, self.energies(y, w))))

    def accelerations(self, y: Array, w: Array) -> tuple[Array, Array, Array]:
        """y', w' and λ."""
        dy, M, h, J, gamma = (np.array(x) for x in self.terms(y, w))
        K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        x = np.linalg.solve(K, -np.concatenate([h, gamma])[:, 0])
        return dy[:, 0], x[: self.nw], x[self.nw :]


def _independent(J: Array) -> Array:
    """As many rows as the rank, the best first."""
    if not len(J):
        return np.zeros(0, int)
    _, R, order = qr(J.T, pivoting=True, mode="economic")
    size = np.abs(np.diag(R))
    return np.sort(order[: int((size > 1e-9 * size[0]).sum())])
