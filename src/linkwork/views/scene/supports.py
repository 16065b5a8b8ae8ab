"""Ground, textbook style: a foot under each of its joints, with hatching below."""

from __future__ import annotations

import functools

import numpy as np

from linkwork import geometry as geo
from linkwork.geometry import Array
from linkwork.model.parts import Joint
from linkwork.views.scene.outlines import convex_outline
from linkwork.views.scene.parts import Mesh
from linkwork.views.scene.plan import Plan
from linkwork.views.scene.shapes import box, circle, cone, cross, cylinder, extruded, fan, joined, pose_along


@functools.lru_cache(maxsize=64)
def hatching(length: float, depth: float, w: float) -> tuple[Mesh, Mesh]:
    """A bar along x, and strokes under it: its upper face on y = 0, deep along z.

    Parameters
    ----------
    length, depth : of the bar [m]
    w : width of the links nearby [m]
    """
    bar = box((length, 0.14 * w, depth)).moved(_at(0.0, -0.07 * w, 0.0))
    count = max(3, min(40, round(length / (0.55 * w))))
    step = length / count
    stroke = np.array([(-0.09, 0.0), (-0.51, -0.42), (-0.37, -0.42), (0.05, 0.0)]) * w
    strokes = []
    for k in range(count):
        start = np.array([-length / 2 + (k + 0.85) * step, -0.14 * w])
        strokes.append(extruded(start + stroke, -depth / 2, depth / 2, fan(4)))
    return bar, joined(strokes)


def _at(x: float, y: float, z: float) -> Array:
    X = np.eye(4)
    X[:3, 3] = x, y, z
    return X


def put_feet(plan: Plan) -> None:
    """A foot under every place where ground holds a pin, a ball or a cross; joints at one place share it.

    Parameters
    ----------
    plan : what is drawn
    """
    ground = plan.ground
    X_GW = geo.inverse(plan.layout.X_WB[ground])
    done: set[tuple[int, ...]] = set()
    centre = _centre(plan)
    for joint, seat in plan.seated():
        if ground not in (joint.tail, joint.head) or joint.law.symbol not in _HELD:
            continue
        X_WJ = seat.X_WF if joint.tail == ground else seat.X_WM
        at = X_WJ[:3, 3]
        cell = tuple(int(c) for c in np.round(at / (1e-3 * plan.size)))
        if cell in done:
            continue
        done.add(cell)
        other = joint.head if joint.tail == ground else joint.tail
        w = plan.width(other)
        # What hangs is held from above.
        up = -plan.up if float((centre - at) @ plan.up) < -0.3 * plan.size else plan.up
        foot, strokes = _foot(plan, joint, X_WJ, up, w)
        plan.put(ground, "ground", joint.name, foot.moved(X_GW), "stone")
        plan.put(ground, "ground", joint.name, strokes.moved(X_GW), "ink")


_HELD = ("pin", "ball", "cross", "weld", "wheels", "rack")


def _centre(plan: Plan) -> Array:
    """Middle of all that moves, in the world."""
    places = [seat.X_WM[:3, 3] for _, seat in plan.seated()] + list(plan.layout.points.values())
    return np.mean(places, axis=0) if places else np.zeros(3)


def _foot(plan: Plan, joint: Joint, X_WJ: Array, up: Array, w: float) -> tuple[Mesh, Mesh]:
    """The foot and its hatching in the world."""
    at, axis = X_WJ[:3, 3], X_WJ[:3, 2]
    turns = joint.law.symbol == "pin"
    if plan.normal is not None:
        depth = 0.4 * w
        X = _upright(at, up, plan.normal)
        return _standing(_gusset(w, depth).moved(X), X, depth, w)
    if turns and abs(float(axis @ up)) < 0.8:
        # Two cheeks, the hub of the link between them.
        X = _upright(at, up, axis)
        cheeks = [_gusset(w, 0.25 * w).moved(X @ _at(0.0, 0.0, z)) for z in (-0.68 * w, 0.68 * w)]
        return _standing(joined(cheeks), X, 1.7 * w, w)
    X = _upright(at, up, axis if abs(float(axis @ up)) < 0.8 else None)
    stand = X @ np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, -1.0, 0, 0], [0, 0, 0, 1.0]])  # z up
    if turns:
        post = cylinder(0.85 * w, 0.9 * w).moved(stand @ _at(0.0, 0.0, -1.05 * w))
    else:
        post = cone(1.0 * w, 1.2 * w, 0.4 * w).moved(stand @ _at(0.0, 0.0, -1.5 * w))
    return _standing(post, X, 1.8 * w, w)


def _standing(foot: Mesh, X: Array, depth: float, w: float) -> tuple[Mesh, Mesh]:
    """A foot with the bar that it stands on, and the strokes under it."""
    bar, strokes = (mesh.moved(X @ _at(0.0, -1.5 * w, 0.0)) for mesh in hatching(2.6 * w, depth, w))
    return joined([foot, bar]), strokes


def _upright(at: Array, up: Array, towards: Array | None) -> Array:
    """A frame with y up (as far as z allows) and z towards the reader."""
    if towards is None:
        X = pose_along(at, up)
        X[:3, 1], X[:3, 2] = X[:3, 2].copy(), -X[:3, 1]
        return X
    return pose_along(at, towards, cross(up, towards))


@functools.lru_cache(maxsize=64)
def _gusset(w: float, depth: float) -> Mesh:
    """A plate that widens downward from round a pin: across z, y up."""
    base = np.array([(-0.95, -1.5), (0.95, -1.5)]) * w
    outline = convex_outline(np.concatenate([circle(20) * 0.5 * w, base]))
    return extruded(outline, -depth / 2, depth / 2, fan(len(outline)))
