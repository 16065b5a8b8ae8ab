"""The same tree as a Pinocchio model, and the map between the two sets of coordinates.

Pinocchio's joints move an outer frame relative to an inner one; a joint walked against its direction moves F relative
to M. Rates map linearly, v_pin = B(q) v, and so accelerations a_pin = B a + B'v, forces tau = Bᵀ tau_pin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

import linkwork as lw
from linkwork import geometry as geo

Array = np.ndarray
SHARED = ("revolute", "prismatic", "helical", "cylindric", "flat", "universal", "rigid", "spheric", "free")


@dataclass(frozen=True)
class Mapped:
    """One joint's part of the map: coordinates, B, and B'v."""

    q: Array
    B: Array
    rest: Array


def _plain(order: list[int], sign: int) -> Callable[[Array, Array], Mapped]:
    """Variables taken in another order and, against the joint, with the other sign."""

    def mapped(q: Array, v: Array) -> Mapped:
        P = sign * np.eye(len(order))[order]
        return Mapped(P @ q, P, np.zeros(len(order)))

    return mapped


def _xyzw(q: Array) -> Array:
    return np.array([q[1], q[2], q[3], q[0]])


def _conjugate(q: Array) -> Array:
    return np.array([q[0], -q[1], -q[2], -q[3]])


def _spheric(sign: int) -> Callable[[Array, Array], Mapped]:
    def mapped(q: Array, v: Array) -> Mapped:
        if sign > 0:
            return Mapped(_xyzw(q), np.eye(3), np.zeros(3))
        # F turns relative to M by -w along M's axes; Pinocchio wants it along F's. (R w)' = R w'.
        return Mapped(_xyzw(_conjugate(q)), -geo.from_quaternion(q), np.zeros(3))

    return mapped


def _free(sign: int) -> Callable[[Array, Array], Mapped]:
    def mapped(q: Array, v: Array) -> Mapped:
        p, R, dp, w = q[:3], geo.from_quaternion(q[3:]), v[:3], v[3:]
        B = np.zeros((6, 6))
        if sign > 0:
            B[:3, :3], B[3:, 3:] = R.T, np.eye(3)
            rest = np.concatenate([-np.cross(w, R.T @ dp), np.zeros(3)])
            return Mapped(np.concatenate([p, _xyzw(q[3:])]), B, rest)
        # Origin of F seen from M, -Rᵀp, moves by -p' + (R w) × p along F's axes.
        B[:3, :3], B[:3, 3:], B[3:, 3:] = -np.eye(3), -geo.skew(p) @ R, -R
        rest = np.concatenate([np.cross(R @ w, dp), np.zeros(3)])
        return Mapped(np.concatenate([-R.T @ p, _xyzw(_conjugate(q[3:]))]), B, rest)

    return mapped


def _composite(*parts: pin.JointModel) -> pin.JointModel:
    joint = pin.JointModelComposite()
    for part in parts:
        joint.addJoint(part, pin.SE3.Identity())
    return joint


def _joint(law: lw.model.joints.Law, sign: int) -> tuple[pin.JointModel, Callable[[Array, Array], Mapped]]:
    RX, RZ, PX, PY, PZ = (
        pin.JointModelRX(),
        pin.JointModelRZ(),
        pin.JointModelPX(),
        pin.JointModelPY(),
        pin.JointModelPZ(),
    )
    along = sign > 0
    if law.kind == "revolute":
        return RZ, _plain([0], sign)
    if law.kind == "prismatic":
        return PZ, _plain([0], sign)
    if law.kind == "helical":
        return pin.JointModelHZ(law.lead / (2 * np.pi)), _plain([0], sign)
    if law.kind == "cylindric":
        return _composite(RZ, PZ), _plain([0, 1], sign)
    if law.kind == "flat":
        return (
            (_composite(PX, PY, RZ), _plain([0, 1, 2], 1)) if along else (_composite(RZ, PX, PY), _plain([2, 0, 1], -1))
        )
    if law.kind == "universal":
        return (_composite(RZ, RX), _plain([0, 1], 1)) if along else (_composite(RX, RZ), _plain([1, 0], -1))
    if law.kind == "spheric":
        return pin.JointModelSpherical(), _spheric(sign)
    assert law.kind == "free"
    return pin.JointModelFreeFlyer(), _free(sign)


def _se3(X: Array) -> pin.SE3:
    return pin.SE3(X[:3, :3].copy(), X[:3, 3].copy())


class Twin:
    """A Pinocchio model made from a system's layout: seats, masses and tree."""

    def __init__(self, s: lw.System) -> None:
        m, layout, graph = s.mechanism, s.layout, s.topology
        self.system = s
        self.model = pin.Model()
        self.model.gravity.linear = np.array(m.gravity)
        self.frames: dict[str, int] = {}
        self.still_mass, self.still_moment = 0.0, np.zeros(3)
        self._maps: list[tuple[slice, slice, int, Callable[[Array, Array], Mapped]]] = []
        # By body: the Pinocchio joint that carries it, and its own frame in that joint's.
        place = {m.ground.name: (0, layout.X_WB[m.ground.name])}
        spans = {"q": _spans(s.coordinates), "v": _spans(s.rates)}
        hung = dict(zip(s.bodies, s.tree_joints, strict=True))
        for body in self._depth_first():
            joint = hung[body]
            if joint not in m.joints:
                k = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), joint)
                self._maps.append((spans["q"][joint], spans["v"][joint], k, _free(1)))
                place[body] = (k, np.eye(4))
            else:
                above, sign = graph.parent[body].body, graph.parent[body].sign
                carrier, X_CB = place[above]
                seat = layout.seats[joint]
                inner, outer = (seat.X_TF, seat.X_HM) if sign > 0 else (seat.X_HM, seat.X_TF)
                law = m.joints[joint].law
                if law.kind == "rigid":
                    place[body] = (carrier, X_CB @ inner @ geo.inverse(outer))
                else:
                    model, mapped = _joint(law, sign)
                    k = self.model.addJoint(carrier, model, _se3(X_CB @ inner), joint)
                    self._maps.append((spans["q"][joint], spans["v"][joint], k, mapped))
                    place[body] = (k, geo.inverse(outer))
            k, X = place[body]
            own = layout.masses[body]
            if k == 0:
                self.still_mass += own.mass
                self.still_moment += own.mass * (X[:3, :3] @ own.com + X[:3, 3])
            self.model.appendBodyToJoint(k, pin.Inertia(own.mass, own.com, own.inertia), _se3(X))
        marks = {b: np.eye(4) for b in s.bodies}
        on = {b: b for b in s.bodies}
        for name, point in m.points.items():
            marks[name] = geo.pose(
                np.eye(3), geo.transform_points(geo.inverse(layout.X_WB[point.body]), layout.points[name])
            )
            on[name] = point.body
        for name, frame in m.frames.items():
            marks[name] = geo.inverse(layout.X_WB[frame.body]) @ layout.frames[name]
            on[name] = frame.body
        for name, X in marks.items():
            k, X_CB = place[on[name]]
            self.frames[name] = self.model.addFrame(pin.Frame(name, k, _se3(X_CB @ X), pin.FrameType.OP_FRAME))
        self.data = self.model.createData()

    def still_energy(self) -> float:
        """Potential energy of what is welded to ground."""
        return float(-self.model.gravity.linear @ self.still_moment)

    def _depth_first(self) -> list[str]:
        """Bodies in the order that Pinocchio's mass matrix needs: each branch in one piece."""
        s = self.system
        parent = {b: s.topology.parent[b].body if b in s.topology.parent else "" for b in s.bodies}
        order: list[str] = []
        stack = [b for b in s.bodies if parent[b] not in parent]
        while stack:
            order.append(stack.pop())
            stack += [b for b in s.bodies if parent[b] == order[-1]]
        return order

    def state(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array, Array]:
        """Pinocchio's q, v, a, and B with v_pin = B v."""
        model = self.model
        qp, B, rest = pin.neutral(model), np.zeros((model.nv, self.system.nv)), np.zeros(model.nv)
        for own_q, own_v, k, mapped in self._maps:
            found = mapped(q[own_q], v[own_v])
            iq, iv = model.joints[k].idx_q, model.joints[k].idx_v
            qp[iq : iq + len(found.q)] = found.q
            B[iv : iv + len(found.rest), own_v] = found.B
            rest[iv : iv + len(found.rest)] = found.rest
        return qp, B @ v, B @ a + rest, B


def _spans(names: tuple[str, ...]) -> dict[str, slice]:
    spans: dict[str, slice] = {}
    for i, name in enumerate(names):
        joint = name.split(".")[0]
        spans[joint] = slice(spans[joint].start if joint in spans else i, i + 1)
    return spans
