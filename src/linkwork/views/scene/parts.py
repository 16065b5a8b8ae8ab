"""What is seen of a machine, as plain data: solid parts that ride on bodies, and names beside them. No drawing here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from linkwork.colours import Tint
from linkwork.geometry import Array
from linkwork.views.followers import Follower

Kind = Literal["body", "joint", "ground", "point", "frame", "load"]


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles: vertices (n, 3) [m], faces (m, 3), counter-clockwise seen from outside.

    One that may not be closed is seen from both sides.
    """

    vertices: Array
    faces: npt.NDArray[np.int64]
    closed: bool = True

    def moved(self, X: Array) -> Mesh:
        """The same surface, seen from the frame in which X is the pose of its own."""
        return Mesh(self.vertices @ X[:3, :3].T + X[:3, 3], self.faces, self.closed)


@dataclass(frozen=True, eq=False)
class Part:
    """A piece that rides on a body, or on a frame that follows bodies.

    name : unique in the scene, made of letters, digits and `._-`
    body : the body or follower that carries it; the mesh is in its own frame
    kind : what it shows; of : the name of that body, joint, point, frame or load in the model
    """

    name: str
    body: str
    kind: Kind
    of: str
    mesh: Mesh
    tint: Tint
    opacity: float = 1.0
    smooth: bool = False


@dataclass(frozen=True, eq=False)
class Label:
    """A name written at a place of a body or follower, in its own frame [m]."""

    text: str
    body: str
    at: Array
    kind: Kind


@dataclass(frozen=True, eq=False)
class Scene:
    """All that is seen of a machine.

    poses : X_WB of every body and follower in the posture in which the scene was built
    corners : lowest and highest x, y, z [m] of all parts in that posture, as rows
    normal : of the plane in which everything moves, None for a spatial machine; up : the direction to draw upward
    size : of the machine [m], by which bars are thick and symbols large; notes : what could not be shown, and why
    followers : frames that follow bodies, which springs and forces ride on
    """

    name: str
    ground: str
    parts: tuple[Part, ...]
    labels: tuple[Label, ...]
    poses: Mapping[str, Array]
    corners: Array
    normal: Array | None
    up: Array
    size: float
    notes: tuple[str, ...] = ()
    followers: tuple[Follower, ...] = ()

    def followed(self, poses: Mapping[str, Array]) -> dict[str, Array]:
        """Poses of bodies, those of the scene where they are not given, and of all that follows them."""
        known = {**self.poses, **poses}
        return known | {f.name: f.pose(known) for f in self.followers}

    @property
    def followed_bodies(self) -> tuple[str, ...]:
        """Bodies that a follower needs."""
        places = [place for f in self.followers for place in (f.origin, f.start, f.end)]
        return tuple(dict.fromkeys(place.body for place in places))

    @property
    def bodies(self) -> tuple[str, ...]:
        """Bodies and followers that carry a part or a label, ground first."""
        carrying = dict.fromkeys([self.ground, *(p.body for p in self.parts), *(label.body for label in self.labels)])
        return tuple(carrying)
