"""Textbook symbols of the joints that turn, hold or lie on each other."""

from __future__ import annotations

import numpy as np

from linkwork import geometry as geo
from linkwork.geometry import Array
from linkwork.model.layout import Seat
from linkwork.model.parts import Joint
from linkwork.views.line_drawing import page_rows
from linkwork.views.scene.parts import Mesh
from linkwork.views.scene.plan import Plan
from linkwork.views.scene.shapes import ball, box, cup, cylinder, joined, pose_along, rod, tube


def put_symbols(plan: Plan) -> None:
    """Draw pins, balls, crosses, plates and welds: joints that are no slides, wheels, curves or surfaces.

    Parameters
    ----------
    plan : what is drawn
    """
    for joint, seat in plan.seated():
        draw = _SYMBOLS.get(joint.law.symbol)
        if draw is not None:
            draw(plan, joint, seat)


def _joint_width(plan: Plan, joint: Joint) -> float:
    moving = [b for b in (joint.tail, joint.head) if b != plan.ground]
    return plan.width(*moving) if moving else plan.widths[plan.ground]


def _pin(plan: Plan, joint: Joint, seat: Seat) -> None:
    """A pin through both bodies; in space with the hub of the second round it."""
    w = _joint_width(plan, joint)
    if plan.layered and plan.normal is not None:
        low, high = _depths(plan, joint)
        normal = plan.to_body(joint.tail, plan.normal)
        at = seat.X_TF[:3, 3]
        plan.put(joint.tail, "joint", joint.name, rod(at + low * normal, at + high * normal, 0.26 * w, 20), "metal")
        return
    plan.put(joint.tail, "joint", joint.name, cylinder(0.24 * w, 1.7 * w).moved(seat.X_TF), "metal", smooth=False)
    hub, X, tint = joint.head, seat.X_HM, plan.tints[joint.head]
    if joint.head == plan.ground:
        hub, X, tint = joint.tail, seat.X_TF, plan.tints[joint.tail]
    plan.put(hub, "joint", joint.name, tube(0.52 * w, 0.24 * w, 1.1 * w).moved(X), tint)


def _depths(plan: Plan, joint: Joint) -> tuple[float, float]:
    """From where to where along the normal a pin reaches, from the joint's own plane [m]."""
    lows, highs = [], []
    for body in (joint.tail, joint.head):
        half = plan.thickness(body) / 2
        lows.append(plan.offsets[body] - half)
        highs.append(plan.offsets[body] + half)
        if plan.normal is None:
            continue
        X, at = plan.layout.X_WB[body], plan.layout.seats[joint.name].X_WF[:3, 3]
        for mesh in plan.own.get(body, []):
            there = mesh.vertices @ X[:3, :3].T + X[:3, 3] - at
            page = there @ page_rows(plan.normal).T
            if np.all(page.min(axis=0) <= 0.0) and np.all(page.max(axis=0) >= 0.0):  # it surrounds the pin
                depth = there @ plan.normal
                lows.append(float(depth.min()))
                highs.append(float(depth.max()))
    more = 0.12 * _joint_width(plan, joint)
    return min(lows) - more, max(highs) + more


def _direction(plan: Plan, body: str, at: Array) -> Array:
    """From a joint towards the rest of the body, in its frame; down for ground; any for a body with nothing else."""
    if body == plan.ground:
        return plan.to_body(body, -plan.up)
    shown = [p.mesh.vertices for p in plan.parts if p.body == body and p.kind == "body"]
    rest = (np.mean([v.mean(axis=0) for v in shown], axis=0) if shown else at) - at
    length = float(np.linalg.norm(rest))
    return rest / length if length > 1e-6 * plan.size else plan.to_body(body, -plan.up)


def _ball(plan: Plan, joint: Joint, seat: Seat) -> None:
    """A ball on the second body in a socket of the first, which opens away from the first."""
    w = _joint_width(plan, joint)
    plan.put(joint.head, "joint", joint.name, ball(0.45 * w, 18, 8).moved(seat.X_HM), "metal", smooth=True)
    away = -_direction(plan, joint.tail, seat.X_TF[:3, 3])
    socket = cup(0.62 * w, 0.47 * w, 0.25, 18, 6).moved(pose_along(seat.X_TF[:3, 3], away))
    plan.put(joint.tail, "joint", joint.name, socket, plan.tints[joint.tail], smooth=True)


def _cross(plan: Plan, joint: Joint, seat: Seat) -> None:
    """Hooke's cross: one arm along w turns in the first body's fork, the other along u in the second's."""
    w = _joint_width(plan, joint)
    for body, X, axis in ((joint.tail, seat.X_TF, seat.X_TF[:3, 2]), (joint.head, seat.X_HM, seat.X_HM[:3, 0])):
        at = X[:3, 3]
        arm = rod(at - 0.85 * w * axis, at + 0.85 * w * axis, 0.17 * w)
        plan.put(body, "joint", joint.name, arm, "metal")
        if body == plan.ground:
            continue  # its foot holds the arm
        plan.put(body, "joint", joint.name, _fork(at, axis, _direction(plan, body, at), w), plan.tints[body])
    plan.put(joint.tail, "joint", joint.name, ball(0.26 * w, 16, 6).moved(seat.X_TF), "metal", smooth=True)


def _fork(at: Array, axis: Array, towards: Array, w: float) -> Mesh:
    """Two cheeks at the ends of an arm, joined by a bridge on the side of the body."""
    back = towards - (towards @ axis) * axis
    frame = pose_along(at, back if float(np.linalg.norm(back)) > 0.2 else pose_along(at, axis)[:3, 0], axis)
    cheeks = []
    for s in (-1.0, 1.0):
        X = np.eye(4)
        X[0, 3], X[2, 3] = s * 0.66 * w, 0.4 * w
        cheeks.append(box((0.18 * w, 0.5 * w, 1.3 * w)).moved(frame @ X))
    bridge = np.eye(4)
    bridge[2, 3] = 1.05 * w
    return joined([*cheeks, box((1.5 * w, 0.5 * w, 0.22 * w)).moved(frame @ bridge)])


def _plates(plan: Plan, joint: Joint, seat: Seat) -> None:
    """A small plate on a larger one, which lies under it in the posture drawn."""
    w = _joint_width(plan, joint)
    X_FM = geo.inverse(seat.X_WF) @ seat.X_WM
    lower, upper = np.eye(4), np.eye(4)
    lower[:2, 3] = X_FM[:2, 3]
    side = 1.0 if plan.normal is None or float(plan.normal @ seat.X_WF[:3, 2]) > 0.0 else -1.0
    lower[2, 3] = -side * (0.45 if plan.layered else 0.16) * w
    upper[2, 3] = side * (plan.offsets[joint.head] if plan.layered else 0.16 * w)
    table = box((6.0 * w, 6.0 * w, 0.3 * w)).moved(seat.X_TF @ lower)
    ground = joint.tail == plan.ground
    plan.put(joint.tail, "ground" if ground else "joint", joint.name, table, plan.tints[joint.tail])
    if joint.head not in plan.own:
        plate = cylinder(1.1 * w, 0.3 * w).moved(seat.X_HM @ upper)
        plan.put(joint.head, "joint", joint.name, plate, plan.tints[joint.head])


def _weld(plan: Plan, joint: Joint, seat: Seat) -> None:
    """A small cross of three beads."""
    w = _joint_width(plan, joint)
    beads = [box(np.full(3, 0.22 * w) + 0.9 * w * np.eye(3)[k]) for k in range(3)]
    plan.put(joint.tail, "joint", joint.name, joined(beads).moved(seat.X_TF), "metal")


_SYMBOLS = {"pin": _pin, "ball": _ball, "cross": _cross, "plates": _plates, "weld": _weld}
