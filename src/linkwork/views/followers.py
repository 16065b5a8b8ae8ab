"""Frames that follow places of bodies: what a spring between two points, a force or a torque is drawn in.

The frame of a load has its origin where the load acts, and its z along the load, in every posture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from linkwork import geometry as geo
from linkwork.geometry import Array
from linkwork.geometry.vectors import length, unit
from linkwork.model.layout import Layout, lay_out
from linkwork.model.loads import Direction, InSpace, Load, OnBody
from linkwork.model.loads.load import BetweenPoints, OnPoint, OnWholeBody
from linkwork.model.mechanism import Mechanism

Poses = Mapping[str, Array]

TOWARDS = np.array([0.49, -0.79, 0.37])
"""About where a reader of a spatial machine stands; no usual direction of a load lies along it."""


@dataclass(frozen=True, eq=False)
class Place:
    """A place of a body, in the body's own frame [m]."""

    body: str
    at: Array

    def world(self, poses: Poses) -> Array:
        """Where it is at poses X_WB of the bodies."""
        X = poses[self.body]
        there: Array = X[:3, :3] @ self.at + X[:3, 3]
        return there

    def moved(self, poses: Poses, by: Array) -> Place:
        """Moved by a vector of the world."""
        return Place(self.body, self.at + poses[self.body][:3, :3].T @ by)


@dataclass(frozen=True, eq=False)
class Follower:
    """A frame at a place, with its z along the way from one place to another.

    name : unique among bodies and followers
    towards : direction of the world near which y lies, so that x and z lie across the reader's view
    stretched : whether z is as long as the way: then 1 along z is the whole of it
    """

    name: str
    origin: Place
    start: Place
    end: Place
    towards: Array
    stretched: bool = False

    def pose(self, poses: Poses) -> Array:
        """The frame (4, 4) at poses X_WB of the bodies; of a stretched one the column of z is as long as the way."""
        way = self.end.world(poses) - self.start.world(poses)
        size = float(length(way))
        w = way / size if size > 0.0 else np.eye(3)[2]  # two points that meet have no direction
        y = self.towards - (self.towards @ w) * w
        if float(y @ y) <= 1e-12:
            y = np.eye(3)[int(np.argmin(np.round(np.abs(w), 6)))]
            y = y - (y @ w) * w
        y = y / np.sqrt(y @ y)
        X = np.eye(4)
        X[:3, 0], X[:3, 1], X[:3, 2], X[:3, 3] = np.cross(y, w), y, w, self.origin.world(poses)
        if self.stretched:
            X[:3, 2] *= size
        return X


def follower_of(m: Mechanism, layout: Layout, load: Load, normal: Array | None) -> Follower | None:
    """The frame of a load; None of one that acts along a joint's variable, or whose places are not known.

    Parameters
    ----------
    m : the mechanism
    layout : its layout in any posture
    load : one of its loads
    normal : of the plane of a planar machine, None of a spatial one
    """
    towards = TOWARDS if normal is None else normal
    name = f"load.{load.name}"
    match load.acts:
        case BetweenPoints(first, second):
            ends = [place_of(m, layout, p) for p in (first, second)]
            if ends[0] is None or ends[1] is None:
                return None
            return Follower(name, ends[0], ends[0], ends[1], towards, stretched=True)
        case OnPoint(point, along):
            return _along(name, m, layout, place_of(m, layout, point), along, towards)
        case OnWholeBody(body, about):
            return _along(name, m, layout, _middle(m, layout, body), about, towards)
    return None


def place_of(m: Mechanism, layout: Layout, point: str) -> Place | None:
    """A point on its body; None where it is not known."""
    there = layout.points.get(point)
    if there is None or m.points[point].body not in layout.X_WB:
        return None
    return _on(layout, m.points[point].body, there)


def lifted(follower: Follower, poses: Poses, offsets: Mapping[str, float], normal: Array) -> Follower:
    """With its places where flat links are drawn: each moved along the normal by the offset of its body.

    Parameters
    ----------
    follower : the frame
    poses : X_WB of the bodies
    offsets : by body [m]
    normal : of the plane
    """
    origin, start, end = (
        p.moved(poses, offsets.get(p.body, 0.0) * normal) for p in (follower.origin, follower.start, follower.end)
    )
    if not follower.stretched:  # a direction stays what it is
        return replace(follower, origin=origin)
    return replace(follower, origin=origin, start=start, end=end)


def _on(layout: Layout, body: str, there: Array) -> Place:
    X_BW = geo.inverse(layout.X_WB[body])
    return Place(body, X_BW[:3, :3] @ there + X_BW[:3, 3])


def _along(
    name: str, m: Mechanism, layout: Layout, origin: Place | None, along: Direction, towards: Array
) -> Follower | None:
    if origin is None:
        return None
    if isinstance(along, InSpace | OnBody):
        body = m.ground.name if isinstance(along, InSpace) else along.body
        if body not in layout.X_WB:
            return None
        # Directions are given along the axes of the layout posture.
        own = lay_out(m).X_WB[body][:3, :3].T @ unit(along.vector)
        return Follower(name, origin, Place(body, np.zeros(3)), Place(body, own), towards)
    start, end = place_of(m, layout, along.start), place_of(m, layout, along.end)
    return None if start is None or end is None else Follower(name, origin, start, end, towards)


def _middle(m: Mechanism, layout: Layout, body: str) -> Place | None:
    """Where a torque on a body is drawn: amid its joints and points, or at its own origin."""
    if body not in layout.X_WB:
        return None
    places = [seat.X_WM[:3, 3] for n, seat in layout.seats.items() if body in (m.joints[n].tail, m.joints[n].head)]
    places += [layout.points[p.name] for p in m.points.values() if p.body == body and p.name in layout.points]
    return _on(layout, body, np.mean(places, axis=0)) if places else Place(body, np.zeros(3))
