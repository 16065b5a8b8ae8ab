"""Bodies without geometry: bars, plates and stars through their joints and points."""

from __future__ import annotations

import numpy as np

from linkwork.geometry import Array
from linkwork.views.scene.parts import Mesh
from linkwork.views.scene.plan import Plan
from linkwork.views.scene.shapes import ball, box, joined, rod, rounded_bar, rounded_plate


def put_links(plan: Plan) -> None:
    """Draw every moving body that does not bring its own shape.

    Parameters
    ----------
    plan : what is drawn
    """
    for body in plan.m.bodies:
        if body == plan.ground or body in plan.covered:
            continue
        if body in plan.looked:
            continue
        if plan.own.get(body):
            _reach(plan, body)
            continue
        places = plan.places(body)
        if len(places) > 1:
            plan.put(body, "body", body, _link(plan, body, np.array(places)), plan.tints[body])
        elif not any(p.body == body for p in plan.parts):
            _lone(plan, body, places)


def _link(plan: Plan, body: str, places: Array) -> Mesh:
    w = plan.widths[body]
    if plan.layered and plan.normal is not None:
        normal = plan.to_body(body, plan.normal)
        places = places + plan.offsets[body] * normal
        thickness = plan.thickness(body)
        if (line := _line(places)) is not None:
            return rounded_bar(*line, normal, w, thickness)
        return rounded_plate(places, normal, w / 2, thickness)
    if (line := _line(places)) is not None:
        return rod(*line, 0.36 * w)
    plane = _plane(places)
    if plane is not None:
        return rounded_plate(places, plane, 0.5 * w, 0.45 * w)
    return _star(places, 0.36 * w)


def _star(places: Array, radius: float) -> Mesh:
    """Bars along the shortest tree through the places."""
    left = list(range(1, len(places)))
    inside = [0]
    bars = []
    while left:
        lengths = np.linalg.norm(places[inside][:, None] - places[left][None], axis=2)
        i, j = np.unravel_index(int(np.argmin(lengths)), lengths.shape)
        a, b = inside[int(i)], left[int(j)]
        bars.append(rod(places[a], places[b], radius))
        inside.append(b)
        left.remove(b)
    knots = [ball(radius, 14, 6).moved(_moved_to(p)) for p in places]
    return joined([*bars, *knots])


def _moved_to(place: Array) -> Array:
    X = np.eye(4)
    X[:3, 3] = place
    return X


def _line(places: Array) -> tuple[Array, Array] | None:
    """The two ends of places that lie on a line, else None."""
    middle = places.mean(axis=0)
    _, spread, axes = np.linalg.svd(places - middle)
    if len(spread) > 1 and spread[1] > 1e-3 * spread[0]:
        return None
    along = (places - middle) @ axes[0]
    return middle + along.min() * axes[0], middle + along.max() * axes[0]


def _plane(places: Array) -> Array | None:
    """Normal of places that lie in a plane and are not nearly on a line, else None."""
    if len(places) < 3:
        return None
    _, spread, axes = np.linalg.svd(places - places.mean(axis=0))
    if spread[1] < 0.15 * spread[0] or (len(spread) > 2 and spread[2] > 1e-3 * spread[0]):
        return None
    return np.asarray(axes[2])


def _reach(plan: Plan, body: str) -> None:
    """Show a body's own surfaces, and thin bars to joints that lie outside of them."""
    vertices = np.concatenate([mesh.vertices for mesh in plan.own[body]])
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    slack = 0.02 * plan.size
    for place in plan.places(body):
        nearest = np.clip(place, low, high)
        if float(np.linalg.norm(place - nearest)) > slack:
            inner = np.clip(place, low + 0.2 * (high - low), high - 0.2 * (high - low))
            plan.put(body, "body", body, rod(inner, place, 0.18 * plan.widths[body]), plan.tints[body])


def _lone(plan: Plan, body: str, places: list[Array]) -> None:
    """A small block for a body that nothing else shows."""
    w = plan.widths[body]
    at = places[0] if places else np.zeros(3)
    if not places and body in plan.layout.masses:
        at = plan.layout.masses[body].com
    shape = box(np.full(3, 1.2 * w))
    if any(e.joint.law.symbol in ("ball", "cross") for e in plan.ends[body]):
        shape = ball(0.5 * w)
    plan.put(body, "body", body, shape.moved(_moved_to(at)), plan.tints[body])
