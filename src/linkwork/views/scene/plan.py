"""What is worked out before anything is drawn: places on bodies, how thick things are, and in which layer they lie."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from linkwork import geometry as geo
from linkwork.colours import NAMED, Tint
from linkwork.geometry import Array
from linkwork.model.layout import Layout, Seat
from linkwork.model.mechanism import Mechanism
from linkwork.model.parts import Joint
from linkwork.model.solids import Shape
from linkwork.views.followers import Follower
from linkwork.views.line_drawing import plane_normal
from linkwork.views.scene.own import Own
from linkwork.views.scene.parts import Kind, Mesh, Part
from linkwork.views.scene.upward import up_of

THICK = 0.05  # width of a bar by the size of the machine
SLENDER = 4.5  # a bar is at least so many times longer than wide
SHORT = 0.05  # links shorter than this part of the longest do not tell how thick they are
EVEN = 0.75  # width of the shortest bars by that of the widest, where they are wished even
CLOSE = 1e-4  # places nearer than this part of the size count as one


@dataclass(frozen=True, eq=False)
class End:
    """A joint seen from one of its bodies: the joint, its frame on this body, and the body at the other end."""

    joint: Joint
    X_BJ: Array
    other: str
    is_tail: bool

    @property
    def at(self) -> Array:
        """Its place in the body's own frame [m]."""
        return np.asarray(self.X_BJ[:3, 3])


@dataclass(eq=False)
class Plan:
    """A mechanism in a posture, ready to be drawn; parts are collected here.

    ends : the joints of every body; own : surfaces that a body brings itself (solids, looks), in its frame, and
    shapes : what they were made of; looked : bodies that are drawn by their looks alone
    marked : points and frames of a body, and extra : other places that it must reach besides its joints
    covered : bodies that need no bars any more; followers : frames that springs and forces ride on
    """

    m: Mechanism
    layout: Layout
    normal: Array | None
    up: Array
    size: float
    ends: dict[str, list[End]]
    own: dict[str, list[Mesh]]
    shapes: dict[str, list[Shape]]
    looked: set[str]
    tints: dict[str, Tint]
    marked: dict[str, list[Array]] = field(default_factory=dict)
    extra: dict[str, list[Array]] = field(default_factory=dict)
    widths: dict[str, float] = field(default_factory=dict)
    offsets: dict[str, float] = field(default_factory=dict)
    covered: set[str] = field(default_factory=set)
    parts: list[Part] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    followers: dict[str, Follower] = field(default_factory=dict)

    @property
    def ground(self) -> str:
        """Name of the body that stands still."""
        return self.m.ground.name

    @property
    def layered(self) -> bool:
        """Whether links are drawn flat, in layers along the normal."""
        return bool(self.offsets)

    def put(
        self, body: str, kind: Kind, of: str, mesh: Mesh, tint: Tint, *, opacity: float = 1.0, smooth: bool = False
    ) -> None:
        """Add a part whose mesh is in the body's own frame; its name is made unique."""
        stem = f"{kind}.{_plain(of)}"
        name, k = stem, 2
        while name in self.names:
            name, k = f"{stem}.{k}", k + 1
        self.names.add(name)
        self.parts.append(Part(name, body, kind, of, mesh, tint, opacity, smooth))

    def pose(self, carrier: str) -> Array:
        """Pose X_WB of a body or a follower."""
        follower = self.followers.get(carrier)
        return self.layout.X_WB[carrier] if follower is None else follower.pose(self.layout.X_WB)

    def width(self, *bodies: str) -> float:
        """Width of bars where these bodies meet [m]."""
        return min(self.widths[b] for b in bodies)

    def seat(self, joint: Joint) -> Seat | None:
        """The frames of a joint; None where they could not be worked out."""
        return self.layout.seats.get(joint.name)

    def seated(self) -> list[tuple[Joint, Seat]]:
        """All joints whose frames are known and whose bodies exist."""
        known = self.layout.X_WB
        joints = [(j, self.layout.seats.get(j.name)) for j in self.m.joints.values()]
        return [(j, s) for j, s in joints if s is not None and j.tail in known and j.head in known]

    def places(self, body: str) -> list[Array]:
        """Distinct places that a body must reach, in its own frame [m]."""
        found = [e.at for e in self.ends[body] if not _is_elsewhere(e)]
        found += self.extra.get(body, [])
        found += self.marked.get(body, [])
        return distinct(found, CLOSE * self.size)

    def to_body(self, body: str, direction: Array) -> Array:
        """A world direction in a body's own axes."""
        return np.asarray(self.layout.X_WB[body][:3, :3].T @ direction)

    def thickness(self, body: str) -> float:
        """Depth of a flat link [m]."""
        return 0.4 * self.widths[body]


def plan_of(m: Mechanism, layout: Layout, own: Own, even: bool = False) -> Plan:
    """Places, sizes and layers of a machine.

    Parameters
    ----------
    m : the mechanism
    layout : its layout in any posture
    own : surfaces that bodies bring themselves
    even : bars of nearly one width, however short
    """
    ends: dict[str, list[End]] = {b: [] for b in m.bodies}
    for joint in m.joints.values():
        seat = layout.seats.get(joint.name)
        if seat is None or joint.tail not in ends or joint.head not in ends:
            continue
        ends[joint.tail].append(End(joint, seat.X_TF, joint.head, True))
        ends[joint.head].append(End(joint, seat.X_HM, joint.tail, False))
    moving = [b for b in m.bodies if b != m.ground.name]
    tints: dict[str, Tint] = {b: i for i, b in enumerate(moving)}
    tints[m.ground.name] = "stone"
    tints |= {b.name: NAMED.get(b.colour, b.colour).upper() for b in m.bodies.values() if b.colour}
    normal = plane_normal(m, layout)
    size = _size(layout, own.meshes)
    meshes = {b: list(found) for b, found in own.meshes.items()}
    shapes = {b: list(found) for b, found in own.shapes.items()}
    plan = Plan(m, layout, normal, up_of(m, normal), size, ends, meshes, shapes, own.looked, tints)
    plan.notes += own.notes
    plan.marked = _marked(m, layout)
    _measure(plan, EVEN if even else 0.0)
    if normal is not None and _is_flat(plan, normal):
        plan.offsets = _offsets(plan)
    return plan


def _marked(m: Mechanism, layout: Layout) -> dict[str, list[Array]]:
    """Points and origins of frames by body, in its own frame [m]."""
    found: dict[str, list[Array]] = {}
    places = [(p.body, layout.points.get(p.name)) for p in m.points.values()]
    frames = [(f.body, layout.frames.get(f.name)) for f in m.frames.values()]
    places += [(body, None if X is None else X[:3, 3]) for body, X in frames]
    for body, place in places:
        if place is not None and body in layout.X_WB:
            X_BW = geo.inverse(layout.X_WB[body])
            found.setdefault(body, []).append(X_BW[:3, :3] @ place + X_BW[:3, 3])
    return found


def distinct(places: Iterable[Array], apart: float) -> list[Array]:
    """Places of which no two are nearer than a distance.

    Parameters
    ----------
    places : (3,) each [m]
    apart : the distance [m]
    """
    kept: list[Array] = []
    for p in places:
        if all(math.dist(p, k) > apart for k in kept):
            kept.append(p)
    return kept


def _is_elsewhere(end: End) -> bool:
    """Whether a joint's origin on the body is no place of the body: of a curve or a surface, an apex, a free frame."""
    law = end.joint.law
    return (law.carried and end.is_tail) or law.symbol in ("bevels", "")


def _plain(name: str) -> str:
    """A name with letters, digits and ._- only; two names stay two by their code points."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else f"u{ord(c):x}" for c in name)


def _size(layout: Layout, own: dict[str, list[Mesh]]) -> float:
    """Size of all that is drawn [m]: of the layout, or of the solids where they are larger."""
    boxes = []
    for body, meshes in own.items():
        X = layout.X_WB[body]
        boxes += [c for mesh in meshes for c in _box(mesh.moved(X))]
    if not boxes:
        return layout.size
    solid = float(np.linalg.norm(np.ptp(np.array(boxes), axis=0)))
    if not layout.seats and not layout.points:
        return solid
    return max(layout.size, solid)


def _box(mesh: Mesh) -> tuple[Array, Array]:
    return mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)


def _measure(plan: Plan, least: float = 0.0) -> None:
    """Width of every body's bars: a part of the machine's size, and slender where the links are short.

    least : width of the shortest bars in parts of the widest
    """
    lengths = {}
    for body in plan.m.bodies:
        places = [] if body == plan.ground else plan.places(body)
        if len(places) > 1:
            lengths[body] = float(np.linalg.norm(np.ptp(places, axis=0)))
    longest = max(lengths.values(), default=0.0)
    most = min(THICK * plan.size, longest / SLENDER) if longest > 0.0 else THICK * plan.size
    # The small offsets of a robot's wrist do not make it thin.
    kept = {b: length for b, length in lengths.items() if length > SHORT * longest}
    found = {b: min(most, max(length / SLENDER, least * most)) for b, length in kept.items()}
    for joint, _ in plan.seated():
        for body, radius in zip((joint.tail, joint.head), joint.law.wheels() or (), strict=False):
            found[body] = min(found.get(body, most), 0.5 * radius)
    for body in plan.m.bodies:
        near = [found[e.other] for e in plan.ends[body] if e.other in found]
        plan.widths[body] = found[body] if body in found else min([most, *near])


# ---------------------------------------------------------------- layers


def _is_flat(plan: Plan, normal: Array) -> bool:
    """Whether all joints lie in one plane across the normal."""
    depths = [float(normal @ X[:3, 3]) for s in plan.layout.seats.values() for X in (s.X_WF, s.X_WM)]
    return bool(depths) and max(depths) - min(depths) < 1e-6 * plan.size


def _offsets(plan: Plan) -> dict[str, float]:
    """How far along the normal each body is drawn: bodies that meet in a pin, or whose bars cross, lie in different
    layers; wheels, cams and sliders lie in one with their mates. Ground is behind all."""
    group = {b: b for b in plan.m.bodies}

    def root(b: str) -> str:
        while group[b] != b:
            b = group[b]
        return b

    for joint, _ in plan.seated():
        if joint.law.symbol not in ("pin", "", "plates") and plan.ground not in (joint.tail, joint.head):
            group[root(joint.head)] = root(joint.tail)
    clashes: dict[str, set[str]] = {root(b): set() for b in plan.m.bodies}
    moving = [b for b in plan.m.bodies if b != plan.ground and plan.ends[b]]
    segments = {b: _spokes(plan, b) for b in moving}
    boxes = {b: (s.min(axis=0) - plan.widths[b], s.max(axis=0) + plan.widths[b]) for b, s in segments.items()}
    low = np.array([boxes[b][0] for b in moving])
    high = np.array([boxes[b][1] for b in moving])
    for i, a in enumerate(moving):
        near = np.flatnonzero(np.all((low[i] <= high) & (high[i] >= low), axis=1))
        for j in near[near > i]:
            b = moving[j]
            if root(a) != root(b):
                clashes[root(a)].add(root(b))
                clashes[root(b)].add(root(a))
    layer: dict[str, int] = {}
    extent = {b: float(np.linalg.norm(np.ptp(s, axis=0))) for b, s in segments.items()}
    for b in sorted(moving, key=lambda b: -extent[b]):  # the larger behind, so that small links are seen
        r = root(b)
        if r not in layer:
            taken = {layer[c] for c in clashes[r] if c in layer}
            large = [layer[c] for c in clashes[r] if c in layer and extent.get(c, 0.0) > 2.0 * extent[b]]
            start = max(large, default=-1) + 1  # before all that would hide it
            layer[r] = next(k for k in range(start, start + len(taken) + 1) if k not in taken)
    step = 0.5 * max(plan.widths[b] for b in moving) if moving else 0.0
    offsets = {plan.ground: 0.0}
    for b in plan.m.bodies:
        if b != plan.ground:
            offsets[b] = 0.0 if b in plan.own else (1 + layer.get(root(b), 0)) * step
    return offsets


def _spokes(plan: Plan, body: str) -> Array:
    """Places of a body in the world, to tell where it is."""
    X = plan.layout.X_WB[body]
    places = np.array(plan.places(body) or [np.zeros(3)])
    return np.asarray(places @ X[:3, :3].T + X[:3, 3])
