"""Names beside what is drawn."""

from __future__ import annotations

import numpy as np

from linkwork import geometry as geo
from linkwork.geometry import Array
from linkwork.model.joints import Gear
from linkwork.model.parts import Joint
from linkwork.views.scene.loads import load_labels
from linkwork.views.scene.parts import Kind, Label
from linkwork.views.scene.plan import Plan

MANY = 40  # names beyond which only joints are named, and joints beyond which nothing is


def labels_of(plan: Plan) -> tuple[Label, ...]:
    """Names of joints, points, loads and bodies, those at one place on one line.

    Parameters
    ----------
    plan : what is drawn
    """
    joints = _joints(plan)
    if len(joints) > MANY:
        return ()
    found = joints + _points(plan) + load_labels(plan) + _bodies(plan)
    return _merged(plan, found if len(found) <= MANY else joints)


def _joints(plan: Plan) -> list[Label]:
    found = []
    for joint, seat in plan.seated():
        if not joint.law.symbol:
            continue
        if joint.law.symbol == "bevels":
            found.append(Label(joint.name, joint.tail, seat.X_TF[:3, 3], "joint"))
        elif isinstance(joint.law, Gear) and _both_on_ground(plan, joint):
            # The point where they touch stands still with the two shafts.
            share = joint.law.radius / (joint.law.radius + joint.law.mate)
            at = seat.X_WF[:3, 3] + share * (seat.X_WM[:3, 3] - seat.X_WF[:3, 3])
            inverse = geo.inverse(plan.layout.X_WB[plan.ground])
            found.append(Label(joint.name, plan.ground, inverse[:3, :3] @ at + inverse[:3, 3], "joint"))
        else:
            found.append(Label(joint.name, joint.head, seat.X_HM[:3, 3], "joint"))
    return found


def _both_on_ground(plan: Plan, joint: Joint) -> bool:
    """Whether both bodies of a joint turn about shafts of ground."""
    shafts = [
        any(e.other == plan.ground and e.joint.law.symbol == "pin" for e in plan.ends[body])
        for body in (joint.tail, joint.head)
    ]
    return all(shafts)


def _points(plan: Plan) -> list[Label]:
    found = []
    for kind, places in (("point", plan.layout.points), ("frame", plan.layout.frames)):
        for name, place in places.items():
            body = (plan.m.points[name] if kind == "point" else plan.m.frames[name]).body
            if body in plan.layout.X_WB:
                at = place if kind == "point" else place[:3, 3]
                inverse = geo.inverse(plan.layout.X_WB[body])
                what: Kind = "point" if kind == "point" else "frame"
                found.append(Label(name, body, inverse[:3, :3] @ at + inverse[:3, 3], what))
    return found


def _bodies(plan: Plan) -> list[Label]:
    found = []
    for body in plan.m.bodies:
        meshes = [p.mesh for p in plan.parts if p.body == body and p.kind == "body"]
        if body == plan.ground or not meshes:
            continue
        places = plan.places(body)
        middle = np.mean(places, axis=0) if len(places) > 1 else _middle([m.vertices for m in meshes])
        found.append(Label(body, body, middle, "body"))
    return found


def _middle(clouds: list[Array]) -> Array:
    points = np.concatenate(clouds)
    return np.asarray((points.min(axis=0) + points.max(axis=0)) / 2)


def _merged(plan: Plan, labels: list[Label]) -> tuple[Label, ...]:
    """Labels at the same place of the posture share one."""
    kept: list[tuple[Array, Label]] = []
    for label in labels:
        X = plan.pose(label.body)
        place = X[:3, :3] @ label.at + X[:3, 3]
        for k, (where, other) in enumerate(kept):
            if float(np.linalg.norm(where - place)) < 1e-3 * plan.size:
                if label.text not in other.text.split(", "):
                    kept[k] = (where, Label(f"{other.text}, {label.text}", other.body, other.at, other.kind))
                break
        else:
            kept.append((place, label))
    return tuple(label for _, label in kept)
