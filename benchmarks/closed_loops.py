"""Others who close the same loops: formulas written by hand, Newton's method on Pinocchio, a general root finder.

Closed forms exist for the four-bar and the RSSR; in vectorised numpy they are about the best that a program written for
one machine reaches in Python. The Stewart platform has none, so Newton's method on its six leg lengths, vectorised over
the batch, stands in. Pinocchio has trees and constraints but no solver for postures, so its users write Newton's method
with its calls: `Pinocchio` below. All give postures, rates and accelerations to round-off.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.optimize
from peers import Array

CLOSED = 1e-13
"""Largest error at which Newton's method ends [m]; one step of it earlier would do, but all are treated alike."""
ITERATIONS = 20


# ------------------------------------------------------------------------------------------------------------- four-bar


@dataclass(frozen=True)
class FourBar:
    """A planar four-bar with sides a (crank), b (coupler), c (rocker) on a base d; the open linkage."""

    a: float = 0.040
    b: float = 0.120
    c: float = 0.080
    d: float = 0.100

    def closed_form(self, x: Array, w: Array | float, dw: Array | float = 0.0) -> tuple[Array, Array, Array]:
        """Angles, rates, accelerations (samples, 4) of O2, A, B and O4 for crank angles x, rates w, accelerations dw.

        With the diagonal r from the crank's pin to O4 the triangle b, c, r gives the rest; rates and accelerations are
        those of the loop a e^(i x) + b e^(i t) - c e^(i u) = d, with e^(-i u) and e^(-i t) multiplied to it by turns.
        """
        px, py = self.a * np.cos(x), self.a * np.sin(x)
        rx, ry = self.d - px, -py
        square = rx * rx + ry * ry
        t = np.arctan2(ry, rx) + np.arccos((self.b**2 + square - self.c**2) / (2 * self.b * np.sqrt(square)))
        bx, by = self.b * np.cos(t), self.b * np.sin(t)
        cx, cy = px + bx - self.d, py + by
        u = np.arctan2(cy, cx)
        area = bx * cy - by * cx  # b c sin(u - t)
        wt = -w * (px * cy - py * cx) / area
        wu = w * (bx * py - by * px) / area
        # Centripetal parts: sum of w² r over the loop; u counts against.
        gx = w * w * px + wt * wt * bx - wu * wu * cx
        gy = w * w * py + wt * wt * by - wu * wu * cy
        at = (-dw * (px * cy - py * cx) + (gx * cx + gy * cy)) / area
        au = (dw * (bx * py - by * px) + (gx * bx + gy * by)) / area
        full = np.broadcast_to(np.asarray(w, float), x.shape), np.broadcast_to(np.asarray(dw, float), x.shape)
        return _four(x, t, u), _four(full[0], wt, wu), _four(full[1], at, au)

    def rooted(self, x: Array, w: float) -> tuple[Array, Array, Array]:
        """The same with `scipy.optimize.root` on the two loop equations, sample after sample, each from the last."""
        a, b, c, d = self.a, self.b, self.c, self.d

        def loop(z: Array, angle: float) -> list[float]:
            return [
                a * np.cos(angle) + b * np.cos(z[0]) - c * np.cos(z[1]) - d,
                a * np.sin(angle) + b * np.sin(z[0]) - c * np.sin(z[1]),
            ]

        def slope(z: Array, angle: float) -> list[list[float]]:
            return [[-b * np.sin(z[0]), c * np.sin(z[1])], [b * np.cos(z[0]), -c * np.cos(z[1])]]

        start = self.closed_form(x[:1], w)[0][0]
        z = np.array([start[0] + start[1], start[3]])
        found, rates, accelerations = (np.empty((len(x), 2)) for _ in range(3))
        for k, angle in enumerate(x):
            z = scipy.optimize.root(loop, z, (angle,), jac=slope, tol=1e-14).x
            J = np.array(slope(z, angle))
            sides = np.array([[np.cos(angle), np.cos(z[0]), np.cos(z[1])], [np.sin(angle), np.sin(z[0]), np.sin(z[1])]])
            rate = np.linalg.solve(J, a * w * np.array([np.sin(angle), -np.cos(angle)]))
            right = sides @ (np.array([a, b, -c]) * np.array([w, *rate]) ** 2)
            found[k], rates[k], accelerations[k] = z, rate, np.linalg.solve(J, right)
        ones = np.full(len(x), w)
        return _four(x, *found.T), _four(ones, *rates.T), _four(0.0 * ones, *accelerations.T)


def _four(x: Array, t: Array, u: Array) -> Array:
    """Of O2, A, B, O4: crank from ground, coupler from crank, rocker from coupler, rocker from ground."""
    return np.stack([x, t - x, u - t, u], axis=-1)


# ----------------------------------------------------------------------------------------------------------------- RSSR


@dataclass(frozen=True)
class Rssr:
    """The spatial crank-rocker of the gallery: crank about z through the origin, rocker about y through D."""

    crank: float = 0.050
    rocker: float = 0.100
    D: tuple[float, float, float] = (0.200, 0.120, 0.0)

    def closed_form(self, x: Array, w: Array | float, dw: Array | float = 0.0) -> tuple[Array, Array, Array]:
        """Angle, rate, acceleration (samples, 2) of A and D for crank angles x.

        |C - B|² stays as drawn: P sin u + Q cos u = S with P, Q, S functions of x, of the two solutions the drawn one.
        """
        r, s, (dx, dy, dz) = self.crank, self.rocker, self.D
        length = (dx - r) ** 2 + dy**2 + (dz + s) ** 2
        cx, sx = np.cos(x), np.sin(x)
        # C - B = (dx - r cos x + s sin u, dy - r sin x, dz + s cos u)
        gx, gy = dx - r * cx, dy - r * sx
        S = (length - gx**2 - gy**2 - dz**2 - s**2) / (2 * s)
        u = np.arctan2(gx, dz) + self.side * np.arccos(S / np.hypot(gx, dz))
        cu, su = np.cos(u), np.sin(u)
        # half of |C - B|² as F(x, u) = (gx + s su)²/2 + gy²/2 + (dz + s cu)²/2; F' = 0, F'' = 0
        ex, ez = gx + s * su, dz + s * cu
        Fu = s * (ex * cu - ez * su)
        Fx = r * (ex * sx - gy * cx)
        v = -Fx / Fu * w
        Fuu = s * (s * cu * cu - ex * su + s * su * su - ez * cu)
        Fxx = r * (r * sx * sx + ex * cx + r * cx * cx + gy * sx)
        Fxu = r * s * sx * cu
        a = -(Fx * dw + Fuu * v * v + 2 * Fxu * v * w + Fxx * w * w) / Fu
        full = np.broadcast_to(np.asarray(w, float), x.shape), np.broadcast_to(np.asarray(dw, float), x.shape)
        return np.stack([x, u], -1), np.stack([full[0], v], -1), np.stack([full[1], a], -1)

    @property
    def side(self) -> float:
        """Which of the two solutions is drawn: that with u = 0 at x = 0."""
        return -float(np.sign(np.arctan2(self.D[0] - self.crank, self.D[2])))


# ------------------------------------------------------------------------------------------------------------- Stewart


@dataclass(frozen=True)
class Stewart:
    """Leg lengths to poses of a Stewart platform: six equations |p + R b - a|² = l², Newton over the whole batch.

    foot, head : joints (6, 3) in the base and in the platform's axes; home : the platform's position, unturned
    """

    foot: Array
    head: Array
    home: Array

    @classmethod
    def of(cls, machine: Any) -> Stewart:
        """The platform of a Linkwork machine at its drawn posture."""
        layout = machine.layout
        X = layout.X_WB["platform"]
        feet = np.array([layout.seats[f"U{i}"].X_WF[:3, 3] for i in range(1, 7)])
        heads = np.array([layout.seats[f"S{i}"].X_WF[:3, 3] for i in range(1, 7)])
        return cls(feet, (heads - X[:3, 3]) @ X[:3, :3], X[:3, 3])

    def newton(self, lengths: Array, rates: Array) -> tuple[Array, Array, Array, Array]:
        """Positions (samples, 3), rotations (samples, 3, 3), twists and accelerations [v; w] (samples, 6), world axes.

        Constant rates of the lengths. Rows of the Jacobian: [d, (R b) × d] with the leg d = p + R b - a.
        """
        count = len(lengths)
        p, R = np.tile(self.home, (count, 1)), np.tile(np.eye(3), (count, 1, 1))
        for _ in range(ITERATIONS):
            arm = self.head @ np.swapaxes(R, 1, 2)
            leg = p[:, None] + arm - self.foot
            error = 0.5 * (np.einsum("nij,nij->ni", leg, leg) - lengths**2)
            J = np.concatenate([leg, np.cross(arm, leg)], axis=2)
            if np.abs(error).max() < CLOSED:
                break
            step = np.linalg.solve(J, -error[..., None])[..., 0]
            p = p + step[:, :3]
            R = _turns(step[:, 3:]) @ R
        twist = np.linalg.solve(J, (lengths * rates)[..., None])[..., 0]
        w = twist[:, None, 3:]
        moving = twist[:, None, :3] + np.cross(w, arm)
        inward = np.cross(w, np.cross(w, arm))
        right = rates**2 - np.einsum("nij,nij->ni", moving, moving) - np.einsum("nij,nij->ni", inward, leg)
        return p, R, twist, np.linalg.solve(J, right[..., None])[..., 0]


def _turns(w: Array) -> Array:
    """Rotations by rotation vectors (samples, 3): Rodrigues' formula."""
    square = np.einsum("ni,ni->n", w, w)
    angle = np.sqrt(square)
    K = np.zeros((len(w), 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -w[:, 2], w[:, 1], -w[:, 0]
    K -= np.swapaxes(K, 1, 2)
    half = np.sinc(angle / (2 * np.pi))
    return np.eye(3) + np.sinc(angle / np.pi)[:, None, None] * K + (0.5 * half * half)[:, None, None] * (K @ K)


# ------------------------------------------------------------------------------------------------------------ Pinocchio


class Pinocchio:
    """Newton's method with Pinocchio's calls, on the tree and the cut joints that Linkwork has.

    Every cut joint must be a ball or, in planar machines, a pin: it is closed by a point constraint
    (`PointAnchorConstraintModel`, from Pinocchio 4 on). A Hooke's joint is made of two pins. Of the constraint's rows
    those are used that are independent at home. The linear equations are numpy's.
    """

    name = "Pinocchio"

    def __init__(self, machine: Any, driven: Sequence[str], held: Sequence[str] = ()) -> None:
        """driven : joint variables that are given; held : rates that stay zero, where freedoms are left."""
        self.pin = importlib.import_module("pinocchio")
        self.machine = machine
        self.model, self.constraints = self._built()
        nq, nv = machine.nq, machine.nv
        assert (self.model.nq, self.model.nv) == (nq, nv)
        self.order = np.arange(nq)
        for k in (i for i, name in enumerate(machine.coordinates) if name.endswith(".qw")):
            self.order[k : k + 4] = k + np.array([1, 2, 3, 0])
        self.data = self.model.createData()
        self.stores = [c.createData() for c in self.constraints]
        self.zero = np.zeros(nv)
        self.home = machine.home.y[:nq][self.order]
        self.driven_q = np.array([machine.coordinates.index(name) for name in driven])
        self.driven = np.array([machine.rates.index(name) for name in driven])
        fixed = [*self.driven, *(machine.rates.index(name) for name in held)]
        self.dependent = np.setdiff1d(np.arange(nv), fixed)
        _, J = self._closure(self.home)
        _, upper, order = scipy.linalg.qr(J[:, self.dependent].T, pivoting=True, mode="economic")
        rank = int((np.abs(np.diag(upper)) > 1e-9 * abs(upper[0, 0])).sum())
        assert rank == len(self.dependent), "these variables do not determine the rest"
        self.rows = np.sort(order[:rank])

    @staticmethod
    def available() -> bool:
        """Whether a Pinocchio with point constraints is installed."""
        if importlib.util.find_spec("pinocchio") is None:
            return False
        return hasattr(importlib.import_module("pinocchio"), "PointAnchorConstraintModel")

    def _built(self) -> tuple[Any, list[Any]]:
        pin, s = self.pin, self.machine
        model = pin.Model()
        place: dict[str, tuple[int, Array]] = {s.mechanism.ground.name: (0, s.layout.X_WB[s.mechanism.ground.name])}
        carried = dict(zip(s.tree_joints, s.bodies, strict=True))
        for joint in dict.fromkeys(name.partition(".")[0] for name in s.coordinates):
            body = carried[joint]
            above = s.topology.parent[body]
            assert above.sign > 0, "joints must point away from ground"
            carrier, X = place[above.body]
            seat = s.layout.seats[joint]
            at = X @ seat.X_TF
            for law in self._laws(s.mechanism.joints[joint].law.kind):
                carrier = model.addJoint(carrier, law, self._se3(at), f"{joint}.{model.njoints}")
                at = np.eye(4)
            place[body] = carrier, np.linalg.inv(seat.X_HM)
        constraints = []
        for name, joint in s.mechanism.joints.items():
            if name in s.tree_joints:
                continue
            assert joint.law.kind in ("spheric", "revolute")
            seat = s.layout.seats[name]
            ends: list[Any] = []
            for body, X in ((joint.tail, seat.X_TF), (joint.head, seat.X_HM)):
                carrier, X_CB = place[body]
                ends += [carrier, self._se3(X_CB @ X)]
            constraints.append(pin.PointAnchorConstraintModel(model, *ends))
        return model, constraints

    def _laws(self, kind: str) -> list[Any]:
        pin = self.pin
        return {
            "revolute": lambda: [pin.JointModelRZ()],
            "prismatic": lambda: [pin.JointModelPZ()],
            "universal": lambda: [pin.JointModelRZ(), pin.JointModelRX()],
            "spheric": lambda: [pin.JointModelSpherical()],
        }[kind]()

    def _se3(self, X: Array) -> Any:
        return self.pin.SE3(X[:3, :3].copy(), X[:3, 3].copy())

    # ---------------------------------------------------------------- Newton's method

    def _closure(self, q: Array) -> tuple[Array, Array]:
        pin, model, data = self.pin, self.model, self.data
        pin.computeJointJacobians(model, data, q)
        for c, own in zip(self.constraints, self.stores, strict=True):
            c.calc(model, data, own)
        e = np.concatenate([own.constraint_position_error for own in self.stores])
        J = np.concatenate([c.jacobian(model, data, own) for c, own in zip(self.constraints, self.stores, strict=True)])
        return e, J

    def posture(self, q: Array, values: Array) -> tuple[Array, Array, int]:
        """q closed with the driven variables at some values, starting near it; J there; Newton's steps."""
        q = q.copy()
        q[self.driven_q] = values
        steps = 0
        e, J = self._closure(q)
        while np.abs(e).max() >= CLOSED and steps < ITERATIONS:
            stride = self.zero.copy()
            stride[self.dependent] = np.linalg.solve(J[np.ix_(self.rows, self.dependent)], -e[self.rows])
            q = self.pin.integrate(self.model, q, stride)
            e, J = self._closure(q)
            steps += 1
        return q, J, steps

    def motion(self, q: Array, J: Array, rates: Array) -> tuple[Array, Array]:
        """Rates and accelerations of the tree at a closed posture, driven rates given and constant."""
        pin, model, data = self.pin, self.model, self.data
        v, a = self.zero.copy(), self.zero.copy()
        v[self.driven] = rates
        square = J[np.ix_(self.rows, self.dependent)]
        v[self.dependent] = np.linalg.solve(square, -J[np.ix_(self.rows, self.driven)] @ rates)
        pin.forwardKinematics(model, data, q, v, self.zero)
        for c, own in zip(self.constraints, self.stores, strict=True):
            c.calc(model, data, own)
        curved = np.concatenate([own.constraint_acceleration_error for own in self.stores])
        a[self.dependent] = np.linalg.solve(square, -curved[self.rows])
        return v, a

    def solve(self, U: Array, rates: Array, path: bool) -> tuple[Array, Array, Array, float]:
        """Coordinates as Linkwork has them, rates, accelerations of the tree; Newton's steps by sample.

        U : values of the driven variables (samples, driven); path : each sample starts from the one before, else home
        """
        nq, nv, steps = self.machine.nq, self.machine.nv, 0
        Q, V, A = np.empty((len(U), nq)), np.empty((len(U), nv)), np.empty((len(U), nv))
        near = self.home
        for k, values in enumerate(U):
            q, J, took = self.posture(near, values)
            V[k], A[k] = self.motion(q, J, rates)
            Q[k, self.order] = q
            steps += took
            if path:
                near = q
        return Q, V, A, steps / len(U)

    def calls(self, q: Array, steps: int, empty: bool = False) -> None:
        """The calls of Pinocchio for one posture after some of Newton's steps, and nothing else.

        On an empty model the same calls are all binding and no work: the difference is the time of C++ alone.
        """
        pin = self.pin
        if empty:
            model, data, constraints, stores, zero, q = self._nothing()
        else:
            model, data, constraints, stores, zero = self.model, self.data, self.constraints, self.stores, self.zero
        pairs = tuple(zip(constraints, stores, strict=True))
        for k in range(steps + 1):
            pin.computeJointJacobians(model, data, q)
            for c, own in pairs:
                c.calc(model, data, own)
                own.constraint_position_error  # noqa: B018
            for c, own in pairs:
                c.jacobian(model, data, own)
            if k < steps:
                pin.integrate(model, q, zero)
        pin.forwardKinematics(model, data, q, zero, zero)
        for c, own in pairs:
            c.calc(model, data, own)
            own.constraint_acceleration_error  # noqa: B018

    def _nothing(self) -> tuple[Any, ...]:
        if not hasattr(self, "_empty"):
            model = self.pin.Model()
            constraints = [self.pin.PointAnchorConstraintModel(model, 0, 0) for _ in self.constraints]
            stores = [c.createData() for c in constraints]
            self._empty = model, model.createData(), constraints, stores, np.zeros(0), np.zeros(0)
        return self._empty
