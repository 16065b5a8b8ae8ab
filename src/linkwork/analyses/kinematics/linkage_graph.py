"""Which bodies move as one when some variables are given, and which joints are left between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork import geometry as geo
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.equations.plan import AXES
from linkwork.geometry import Array
from linkwork.model.joints import OnSurface, transform
from linkwork.model.surfaces import Sphere

PLAIN = {"revolute": "R", "prismatic": "P", "spheric": "S", "universal": "U"}
LIKE = 1e-9
"""Directions that differ by less are parallel, lines that pass in less meet [rad, or parts of the machine's size]."""


@dataclass(frozen=True, eq=False)
class Hinge:
    """A joint between two nodes: R, P, S, U, D (a point at a distance from another), or X for all others.

    frames : poses of its frame on both nodes, z along the axis, origins at the same place of the axis of an R
    near : what counts as no distance [m]; length : the distance of a D
    """

    name: str
    kind: str
    nodes: tuple[int, int]
    frames: tuple[Array, Array]
    near: float
    length: float = 0.0

    def other(self, node: int) -> int:
        """The node at the other end."""
        return self.nodes[1] if self.nodes[0] == node else self.nodes[0]

    def frame(self, node: int) -> Array:
        """Its frame on one of its nodes."""
        return self.frames[self.nodes.index(node)]

    def is_parallel(self, other: Hinge, node: int) -> bool:
        """Whether its axis is parallel to that of another joint of the same node."""
        return bool(np.linalg.norm(np.cross(self.frame(node)[:3, 2], other.frame(node)[:3, 2])) < LIKE)

    def meets(self, other: Hinge, node: int) -> float | None:
        """Where along its axis it meets the axis of another joint of the same node, if at one place."""
        (p, z), (q, w) = ((X[:3, 3], X[:3, 2]) for X in (self.frame(node), other.frame(node)))
        across = np.cross(z, w)
        sine = float(np.linalg.norm(across))
        if sine < 1e-6 or abs((q - p) @ across) / sine > self.near:
            return None
        return float(np.cross(q - p, w) @ across) / sine**2


@dataclass(frozen=True, eq=False)
class LinkageGraph:
    """Nodes are bodies that move as one, 0 with the ground; `names` tells them by their first body."""

    names: tuple[str, ...]
    node_of: Mapping[str, int]
    joints: tuple[Hinge, ...]

    @cached_property
    def _by_node(self) -> list[list[Hinge]]:
        return [[j for j in self.joints if node in j.nodes] for node in range(len(self.names))]

    def joints_of(self, node: int) -> list[Hinge]:
        """Joints of a node."""
        return self._by_node[node]


def linkage_graph(loops: Loops, y: Array, specified: Mask) -> LinkageGraph | None:
    """The machine with the specified variables as they are in y; None if a joint that is given is not a lower pair.

    Nor is there one where bodies have coordinates of their own.
    """
    plan, parameters = loops.plan, loops.system.parameters
    if any(link.own for link in plan.links):  # joints move on their bodies
        return None
    bodies = [plan.ground, *(link.body for link in plan.links)]
    ends: dict[str, tuple[int, int]] = {c.joint: (c.tail + 1, c.head + 1) for c in plan.cuts}
    for k, link in enumerate(plan.links):
        ends[link.joint] = (link.parent + 1, k + 1) if link.sign > 0 else (k + 1, link.parent + 1)
    implied = {link.joint for link in plan.links if link.implied}

    def seat(joint: str, side: str) -> Array:
        X = np.eye(4)
        if joint not in implied:
            for column, axis in enumerate((*AXES, "at")):
                X[:3, column] = [parameters[f"{joint}.{side}.{axis}.{part}"] for part in "xyz"]
        return X

    # Bodies with their poses in the node's frame, that of its first body; joined one after the other.
    node = list(range(len(bodies)))
    pose = [np.eye(4) for _ in bodies]
    left = []
    for slot in plan.slots:
        tail, head = ends[slot.owner]
        if not specified[slot.v].all():
            left.append(slot)
            continue
        if slot.law.kind not in (*PLAIN, "rigid", "cylindric", "flat", "free"):
            return None
        X_TH = seat(slot.owner, "tail") @ transform(slot.law, y[slot.q]) @ geo.inverse(seat(slot.owner, "head"))
        if node[tail] == node[head]:
            continue
        kept, gone = sorted((node[tail], node[head]))
        X = pose[tail] @ X_TH @ geo.inverse(pose[head])  # the head's node in the tail's
        if gone == node[tail]:
            X = geo.inverse(X)
        for k in range(len(bodies)):
            if node[k] == gone:
                node[k], pose[k] = kept, X @ pose[k]
    numbers = {n: k for k, n in enumerate(sorted(set(node)))}
    hinges = []
    for slot in left:
        tail, head = ends[slot.owner]
        if node[tail] == node[head]:
            continue
        X_T, X_H = pose[tail] @ seat(slot.owner, "tail"), pose[head] @ seat(slot.owner, "head")
        kind, length, given = PLAIN.get(slot.law.kind, "X"), 0.0, specified[slot.v]
        if slot.law.kind == "cylindric" and given.any():  # what is given goes to the frame of its head
            held = np.where(given, y[slot.q], 0.0)
            kind, X_H = "P" if given[0] else "R", X_H @ geo.inverse(transform(slot.law, held))
        elif given.any():
            kind = "X"
        elif isinstance(slot.law, OnSurface) and isinstance(slot.law.surface, Sphere):
            kind, length = "D", float(parameters.get(f"{slot.owner}.radius", slot.law.surface.radius))
        places = numbers[node[tail]], numbers[node[head]]
        hinges.append(Hinge(slot.owner, kind, places, (X_T, X_H), LIKE * loops.length, length))
    names = tuple(bodies[n] for n in sorted(set(node)))
    return LinkageGraph(names, {b: numbers[n] for b, n in zip(bodies, node, strict=True)}, tuple(hinges))
