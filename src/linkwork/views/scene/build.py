"""What a machine looks like, made from its joints, points and solids alone: shapes without work."""

from __future__ import annotations

import numpy as np

from linkwork import geometry as geo
from linkwork.geometry import Array
from linkwork.model.layout import Layout, lay_out
from linkwork.model.mechanism import Mechanism
from linkwork.views.line_drawing import page_rows
from linkwork.views.scene.cams import put_cams
from linkwork.views.scene.contacts import put_contacts
from linkwork.views.scene.labels import labels_of
from linkwork.views.scene.links import put_links
from linkwork.views.scene.loads import put_loads
from linkwork.views.scene.own import own_of
from linkwork.views.scene.parts import Kind, Mesh, Scene
from linkwork.views.scene.plan import Plan, plan_of
from linkwork.views.scene.shapes import ball, box, joined
from linkwork.views.scene.slides import put_slides
from linkwork.views.scene.supports import put_feet
from linkwork.views.scene.symbols import put_symbols
from linkwork.views.scene.wheels import put_wheels


def scene_of(m: Mechanism, layout: Layout | None = None, *, names: bool = True, even: bool = False) -> Scene:
    """The parts of a machine and the names beside them.

    Parameters
    ----------
    m : the mechanism
    layout : its layout in any posture and with any parameters (`layout_at`); the layout posture without
    names : whether joints, points and bodies are named
    even : bars of nearly one width, so that short ones are seen beside long ones
    """
    layout = lay_out(m) if layout is None else layout
    own = own_of(m)
    plan = plan_of(m, layout, own, even)
    put_wheels(plan)
    _put_own(plan)
    put_cams(plan)
    put_contacts(plan)
    put_slides(plan)
    put_links(plan)
    put_symbols(plan)
    put_feet(plan)
    _put_points(plan)
    put_loads(plan)
    poses = {b: plan.pose(b) for b in (*m.bodies, *plan.followers)}
    labels = labels_of(plan) if names else ()
    corners = corners_of(plan)
    return Scene(
        m.name,
        plan.ground,
        tuple(plan.parts),
        labels,
        poses,
        corners,
        plan.normal,
        plan.up,
        plan.size,
        tuple(plan.notes),
        tuple(plan.followers.values()),
    )


def _put_own(plan: Plan) -> None:
    """The surfaces that bodies bring; those that wheels with teeth took the place of are gone."""
    for body, meshes in plan.own.items():
        if not meshes:
            continue
        kind: Kind = "ground" if body == plan.ground else "body"
        plan.put(body, kind, body, joined(meshes), plan.tints[body], opacity=_opacity(plan, body))


def _opacity(plan: Plan, body: str) -> float:
    """A solid that hides most of a planar machine from its reader lets it shine through."""
    if plan.normal is None or len(plan.own) < 2 or body in plan.looked:
        return 1.0
    joints = [seat.X_WM[:3, 3] for _, seat in plan.seated()]
    X = plan.layout.X_WB[body]
    here = np.concatenate([m.vertices for m in plan.own[body]]) @ X[:3, :3].T + X[:3, 3]
    front = float((here @ plan.normal).min()) > float(np.mean(joints, axis=0) @ plan.normal)
    rows = page_rows(plan.normal)
    low, high = (here @ rows.T).min(axis=0), (here @ rows.T).max(axis=0)
    page = np.array(joints) @ rows.T
    covered = float(np.mean(np.all((page >= low) & (page <= high), axis=1)))
    return 0.45 if front and covered > 0.5 else 1.0


def _put_points(plan: Plan) -> None:
    """A diamond at every point, three bars at every frame."""
    for point in plan.m.points.values():
        place = plan.layout.points.get(point.name)
        if place is None or point.body not in plan.layout.X_WB:
            continue
        X = geo.inverse(plan.layout.X_WB[point.body])
        at = np.eye(4)
        at[:3, 3] = X[:3, :3] @ place + X[:3, 3]
        if plan.layered and plan.normal is not None:
            at[:3, 3] += plan.offsets[point.body] * plan.to_body(point.body, plan.normal)
        plan.put(point.body, "point", point.name, ball(0.42 * plan.widths[point.body], 4, 2).moved(at), "ink")
    for frame in plan.m.frames.values():
        pose = plan.layout.frames.get(frame.name)
        if pose is None or frame.body not in plan.layout.X_WB:
            continue
        length = 0.1 * plan.size
        bars = []
        for k in range(3):
            X = np.eye(4)
            X[k, 3] = length / 2
            bars.append(box(np.full(3, 0.05 * length) + 0.95 * length * np.eye(3)[k]).moved(X))
        X_BF = geo.inverse(plan.layout.X_WB[frame.body]) @ pose
        plan.put(frame.body, "frame", frame.name, joined(bars).moved(X_BF), "ink")


def corners_of(plan: Plan) -> Array:
    """Lowest and highest x, y, z of all parts in the world."""
    lows, highs = [], []
    for part in plan.parts:
        world: Mesh = part.mesh.moved(plan.pose(part.body))
        lows.append(world.vertices.min(axis=0))
        highs.append(world.vertices.max(axis=0))
    if not lows:
        return np.array([np.full(3, -plan.size / 2), np.full(3, plan.size / 2)])
    return np.array([np.min(lows, axis=0), np.max(highs, axis=0)])
