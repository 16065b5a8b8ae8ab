"""Cams from their curves, and what runs on them."""

from __future__ import annotations

import numpy as np

from linkwork import geometry as geo
from linkwork.geometry import Array
from linkwork.model.curves import Curve
from linkwork.model.joints import LineOnCurve, PointOnCurve
from linkwork.model.layout import Seat
from linkwork.model.parts import Joint
from linkwork.views.scene.outlines import is_star, parallel, signed_area
from linkwork.views.scene.parts import Mesh
from linkwork.views.scene.plan import Plan
from linkwork.views.scene.shapes import box, cylinder, extruded, ring_plate, skin

POINTS = 180  # of a curve


def put_cams(plan: Plan) -> None:
    """Draw every curve and the follower on it.

    Parameters
    ----------
    plan : what is drawn
    """
    for joint, seat in plan.seated():
        if isinstance(joint.law, PointOnCurve | LineOnCurve):
            _cam(plan, joint, joint.law, seat)


def _cam(plan: Plan, joint: Joint, law: PointOnCurve | LineOnCurve, seat: Seat) -> None:
    points = _outline(law.curve)
    if points is None:
        plan.notes.append(f"the curve of joint '{joint.name}' is not drawn: it is not finite over its range")
        return
    w = min(plan.width(joint.tail, joint.head), 0.15 * law.curve.size())
    depth = 0.6 * w
    X_FM = geo.inverse(seat.X_WF) @ seat.X_WM
    lift = float(X_FM[2, 3])
    tail, head = _layer(plan, joint.tail, seat.X_TF), _layer(plan, joint.head, seat.X_HM)
    roller = 0.0
    if not law.curve.closed:
        mesh = _ridge(points, 0.5 * w, lift, depth)
    elif joint.tail in plan.own:
        mesh, roller = _track(plan, joint, seat, points, w), 0.3 * w
    else:
        inside = parallel(points, 0.35 * w) if isinstance(law, PointOnCurve) else None
        roller = 0.0 if inside is None else 0.35 * w
        mesh = _disc(points if inside is None else inside, lift, depth)
    groove = law.curve.closed and joint.tail in plan.own
    if joint.tail not in plan.looked:
        plan.put(joint.tail, "body", joint.name, mesh.moved(tail), "ink" if groove else plan.tints[joint.tail])
    if joint.head in plan.looked:
        return
    if isinstance(law, PointOnCurve):
        size = roller or 0.22 * w
        mesh = cylinder(size, 1.3 * depth if joint.tail not in plan.own else _through(plan, joint, seat))
        plan.put(joint.head, "joint", joint.name, mesh.moved(head), "metal")
    else:
        plan.put(joint.head, "joint", joint.name, _face(points, law.curve, X_FM, w).moved(head), plan.tints[joint.head])


def _layer(plan: Plan, body: str, X: Array) -> Array:
    if not plan.layered or plan.normal is None:
        return X
    moved = X.copy()
    moved[:3, 3] += plan.offsets[body] * plan.to_body(body, plan.normal)
    return moved


def _outline(curve: Curve) -> Array | None:
    """Points of a curve, counter-clockwise when it is closed; None where it is not finite."""
    _, u, v = curve.samples(POINTS + 1)
    points = np.stack([u, v], axis=1)
    if not np.isfinite(points).all() or curve.size() == 0.0:
        return None
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    points = points[np.concatenate([[True], steps > 1e-9 * curve.size()])]
    if curve.closed:
        if np.linalg.norm(points[0] - points[-1]) < 1e-6 * curve.size():
            points = points[:-1]
        if signed_area(points) < 0.0:
            points = points[::-1]
    return np.asarray(points)


def _disc(points: Array, lift: float, depth: float) -> Mesh:
    """A plate with the outline of a closed curve."""
    middle = points.mean(axis=0)
    low, high = lift - depth / 2, lift + depth / 2
    if not is_star(points, middle):
        return extruded(points, low, high)
    n = len(points)
    i = np.arange(n)
    # Fans from a middle point: even triangles for a round disc.
    rows = np.empty((2, n, 3))
    rows[:, :, :2] = points
    rows[0, :, 2], rows[1, :, 2] = low, high
    wall = skin(rows, np.empty((0, 3), dtype=np.int64))
    tips = np.array([[*middle, low], [*middle, high]])
    bottom = np.stack([(i + 1) % n, i, np.full(n, 2 * n)], axis=1)
    top = np.stack([n + i, n + (i + 1) % n, np.full(n, 2 * n + 1)], axis=1)
    return Mesh(np.concatenate([wall.vertices, tips]), np.concatenate([wall.faces, bottom, top]))


def _track(plan: Plan, joint: Joint, seat: Seat, points: Array, w: float) -> Mesh:
    """A band along a closed curve, a little prouder than the solids of its body: a groove in them."""
    low, high = _solid_span(plan, joint, seat)
    more = 0.04 * w
    inner, outer = parallel(points, 0.32 * w), parallel(points, -0.32 * w)
    if inner is None or outer is None:
        return _ridge(np.concatenate([points, points[:1]]), 0.3 * w, (low + high) / 2, high - low + 2 * more)
    return ring_plate(inner, outer, low - more, high + more)


def _solid_span(plan: Plan, joint: Joint, seat: Seat) -> tuple[float, float]:
    """From where to where along w the solids of the cam reach."""
    inverse = geo.inverse(seat.X_TF)
    depths = [mesh.vertices @ inverse[2, :3] + inverse[2, 3] for mesh in plan.own[joint.tail]]
    return min(float(d.min()) for d in depths), max(float(d.max()) for d in depths)


def _through(plan: Plan, joint: Joint, seat: Seat) -> float:
    low, high = _solid_span(plan, joint, seat)
    return 1.3 * (high - low)


def _ridge(points: Array, width: float, lift: float, depth: float) -> Mesh:
    """A band along an open curve."""
    along = np.gradient(points, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    aside = width / 2 * np.stack([-along[:, 1], along[:, 0]], axis=1)
    rows = np.empty((len(points), 4, 3))
    for k, (side, z) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        rows[:, k, :2] = points + side * aside
        rows[:, k, 2] = lift + z * depth / 2
    return skin(rows, np.array([[0, 1, 2], [0, 2, 3]]))


def _face(points: Array, curve: Curve, X_FM: Array, w: float) -> Mesh:
    """The flat face of a follower along u of its frame, on the side away from the cam."""
    middle = points.mean(axis=0) - X_FM[:2, 3]
    side = -1.0 if float(middle @ X_FM[:2, 1]) > 0.0 else 1.0
    X = np.eye(4)
    X[1, 3] = side * 0.15 * w
    return box((0.8 * curve.size(), 0.3 * w, 0.6 * w)).moved(X)
