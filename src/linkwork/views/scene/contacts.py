"""Surfaces and curves in space that a point is kept on, and the point."""

from __future__ import annotations

import numpy as np

from linkwork.geometry import Array
from linkwork.model.joints import OnCurve, OnSurface
from linkwork.model.layout import Seat
from linkwork.model.nearest_places import tangents
from linkwork.model.parts import Joint
from linkwork.model.surfaces import Sphere
from linkwork.views.contact_lines import lines_of, places, spans_of, window
from linkwork.views.scene.parts import Kind, Mesh
from linkwork.views.scene.plan import Plan
from linkwork.views.scene.shapes import Faces, ball, joined, rod, skin, volume

CELLS = 33  # of a patch, along either parameter
ROUND = 0.6  # opacity of surfaces that close around what they carry


def put_contacts(plan: Plan) -> None:
    """Draw every surface, every curve in space, and a small ball where the point touches.

    Parameters
    ----------
    plan : what is drawn
    """
    for joint, seat in plan.seated():
        if isinstance(joint.law, OnSurface | OnCurve):
            _contact(plan, joint, joint.law, seat)


def _contact(plan: Plan, joint: Joint, law: OnSurface | OnCurve, seat: Seat) -> None:
    w = plan.width(joint.tail, joint.head)
    draw = _wire if isinstance(law, OnCurve) else _patch
    mesh = draw(joint, seat.q, plan.size, w)
    if mesh is None:
        plan.notes.append(f"what joint '{joint.name}' runs on is not drawn: it is not finite over its range")
    elif joint.tail not in plan.looked:
        kind: Kind = "ground" if joint.tail == plan.ground else "body"
        closes = isinstance(law, OnSurface) and any(span.closed for span in spans_of(joint))
        tint = plan.tints[joint.tail]
        plan.put(
            joint.tail, kind, joint.name, mesh.moved(seat.X_TF), tint, opacity=ROUND if closes else 1.0, smooth=True
        )
    if joint.head not in plan.looked:
        plan.put(joint.head, "joint", joint.name, ball(0.3 * w, 14, 6).moved(seat.X_HM), "metal", smooth=True)


def _wire(joint: Joint, q: Array, size: float, w: float) -> Mesh | None:
    """A thin wire along a curve."""
    lines = lines_of(joint, q, size)
    if not lines:
        return None
    points = lines[0]
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    pieces = [rod(a, b, 0.12 * w, 6) for a, b, s in zip(points, points[1:], steps, strict=False) if s > 1e-9 * size]
    return joined(pieces) if pieces else None


def _patch(joint: Joint, q: Array, size: float, w: float) -> Mesh | None:
    """A thin shell over the part of a surface that is shown."""
    assert isinstance(joint.law, OnSurface)
    surface, spans = joint.law.surface, spans_of(joint)
    if isinstance(surface, Sphere) and tuple(spans) == surface.over():
        return ball(surface.radius, 48, 24)
    (a, b), (c, d) = window(joint, q, size)
    ring = spans[0].closed
    u, v = np.linspace(a, b, CELLS + ring)[: CELLS if ring else None], np.linspace(c, d, CELLS)
    U, V = np.meshgrid(u, v, indexing="ij")
    middle = places(surface, U, V)
    with np.errstate(all="ignore"):
        J = tangents(surface.point, U, V)
        normal = np.cross(J[..., 0], J[..., 1])
        length = np.linalg.norm(normal, axis=-1, keepdims=True)
        normal = np.where(length > 0.0, normal / length, 0.0)
    if not (np.isfinite(middle).all() and np.isfinite(normal).all()):
        return None
    half = 0.06 * w
    # Each loop runs along the upper side and back along the lower.
    loops = np.concatenate([middle + half * normal, (middle - half * normal)[:, ::-1]], axis=1)
    mesh = skin(loops, None if ring else _strip(CELLS))
    return mesh if volume(mesh) > 0.0 else Mesh(mesh.vertices, mesh.faces[:, ::-1])


def _strip(n: int) -> Faces:
    """Triangles of a loop that runs along n points and back along n others."""
    j = np.arange(n - 1)
    a, b, c, d = j, j + 1, 2 * n - 2 - j, 2 * n - 1 - j
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
