"""Closed surfaces of plain shapes, as triangles with their outside counter-clockwise.

Everything is one of two things: a skin over a grid of points (a profile carried round an axis or along a path), or an
outline pulled to a thickness. All lengths are metres.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from linkwork.geometry import Array
from linkwork.views.scene.outlines import triangles_of
from linkwork.views.scene.parts import Mesh

Faces = npt.NDArray[np.int64]

ROUND = 28  # sides of a round thing
BALL = 10  # rows of a ball


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Several surfaces as one.

    Parameters
    ----------
    meshes : at least one
    """
    if len(meshes) == 1:
        return meshes[0]
    starts = np.cumsum([0, *(len(m.vertices) for m in meshes[:-1])])
    faces = [m.faces + start for m, start in zip(meshes, starts, strict=True)]
    return Mesh(np.concatenate([m.vertices for m in meshes]), np.concatenate(faces), all(m.closed for m in meshes))


def volume(mesh: Mesh) -> float:
    """Volume inside a closed surface [m^3], by Gauss: Σ a·(b×c)/6; negative when it is inside out.

    Parameters
    ----------
    mesh : a closed surface
    """
    a, b, c = (mesh.vertices[mesh.faces[:, i]] - mesh.vertices.mean(axis=0) for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def pose_along(origin: Array, z: Array, x: Array | None = None) -> Array:
    """A frame with its z along a direction and its x as near as possible to another.

    Parameters
    ----------
    origin : its origin [m]
    z : direction, of any length but none
    x : direction of x; a fixed choice without, or where it is along z
    """
    X = np.eye(4)
    w = z / math.sqrt(float(z @ z))
    u = None if x is None else x - (x @ w) * w
    if u is None or x is None or float(u @ u) <= 1e-12 * float(x @ x):
        u = np.zeros(3)
        u[int(np.argmin(np.round(np.abs(w), 6)))] = 1.0  # rounded, so that the choice does not hang on the last digit
        u -= (u @ w) * w
    u /= math.sqrt(float(u @ u))
    X[:3, 0], X[:3, 2], X[:3, 3] = u, w, origin
    X[:3, 1] = cross(w, u)
    return X


def cross(a: Array, b: Array) -> Array:
    """a x b of two vectors; numpy's own is slow for one pair.

    Parameters
    ----------
    a, b : (3,)
    """
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


# ---------------------------------------------------------------- skins


@functools.lru_cache(maxsize=256)
def _skin_faces(rows: int, columns: int, tube: bool) -> Faces:
    """Faces over rows of points, each row a closed loop; with `tube` the last row meets the first."""
    i = np.arange(rows if tube else rows - 1)[:, None]
    j = np.arange(columns)[None, :]
    up, right = (i + 1) % rows, (j + 1) % columns
    a, b, c, d = (r * columns + s for r, s in ((i, j), (i, right), (up, right), (up, j)))
    return np.concatenate([np.stack(t, axis=-1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])


def skin(rows: Array, cap: Faces | None = None) -> Mesh:
    """A surface over closed loops of points.

    Parameters
    ----------
    rows : loops (k, n, 3), each counter-clockwise seen from the next
    cap : triangles (m, 3) over a loop's points, counter-clockwise, that close both ends; without, the last loop meets
        the first, as in a ring
    """
    k, n, _ = rows.shape
    faces = _skin_faces(k, n, cap is None)
    if cap is not None:
        faces = np.concatenate([faces, cap[:, ::-1], cap + (k - 1) * n])
    return Mesh(rows.reshape(-1, 3), faces)


@functools.lru_cache(maxsize=64)
def fan(n: int) -> Faces:
    """Triangles over a convex loop of n points.

    Parameters
    ----------
    n : points of the loop
    """
    i = np.arange(1, n - 1)
    return np.stack([np.zeros_like(i), i, i + 1], axis=1)


def extruded(outline: Array, low: float, high: float, cap: Faces | None = None) -> Mesh:
    """A plate with an outline in x, y, from z = low to high.

    Parameters
    ----------
    outline : (n, 2), a simple loop, counter-clockwise [m]
    low, high : its faces along z [m]
    cap : triangles over the outline, when they are known
    """
    rows = np.empty((2, len(outline), 3))
    rows[:, :, :2] = outline
    rows[0, :, 2], rows[1, :, 2] = low, high
    return skin(rows, triangles_of(outline) if cap is None else cap)


def ring_plate(inner: Array, outer: Array, low: float, high: float) -> Mesh:
    """A plate between two loops of as many points, which face each other; from z = low to high.

    Parameters
    ----------
    inner, outer : (n, 2), counter-clockwise [m]
    low, high : its faces along z [m]
    """
    rows = np.empty((4, len(outer), 3))
    rows[:2, :, :2], rows[2:, :, :2] = outer, inner
    rows[[0, 3], :, 2], rows[[1, 2], :, 2] = low, high
    return skin(rows)


@functools.lru_cache(maxsize=16)
def circle(n: int) -> Array:
    """n points (n, 2) of the unit circle.

    Parameters
    ----------
    n : how many
    """
    t = np.arange(n) * (2 * math.pi / n)
    points = np.stack([np.cos(t), np.sin(t)], axis=1)
    points.setflags(write=False)
    return points


def turned(profile: Sequence[tuple[float, float]], sides: int = ROUND) -> Mesh:
    """A profile carried round z.

    Parameters
    ----------
    profile : (radius, z) of its points [m], upward on the outside. One that begins and ends with radius 0 is solid;
        another is a closed loop off the axis, as of a tube
    sides : of the circle
    """
    radii, heights = np.array(profile, dtype=float).T
    solid = radii[0] == 0.0 and radii[-1] == 0.0
    wall = slice(1, -1) if solid else slice(None)
    rows = np.empty((len(radii[wall]), sides, 3))
    rows[:, :, :2] = radii[wall, None, None] * circle(sides)
    rows[:, :, 2] = heights[wall, None]
    if not solid:
        return skin(rows)
    body, count = rows.reshape(-1, 3), rows.shape[0] * sides
    tips = np.array([[0.0, 0.0, heights[0]], [0.0, 0.0, heights[-1]]])
    j = np.arange(sides)
    after = (j + 1) % sides
    bottom = np.stack([after, j, np.full(sides, count)], axis=1)
    top = np.stack([j, after, np.full(sides, sides + 1)], axis=1) + (count - sides)
    top[:, 2] = count + 1
    return Mesh(np.concatenate([body, tips]), np.concatenate([_skin_faces(len(rows), sides, False), bottom, top]))


# ---------------------------------------------------------------- solids


@functools.cache
def _unit_box() -> Mesh:
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    return extruded(corners, -0.5, 0.5, fan(4))


@functools.lru_cache(maxsize=8)
def _unit_cylinder(sides: int) -> Mesh:
    return extruded(circle(sides), -0.5, 0.5, fan(sides))


@functools.lru_cache(maxsize=8)
def _unit_ball(sides: int, rows: int) -> Mesh:
    return turned([(max(math.sin(a), 0.0) * (0 < k < rows), -math.cos(a)) for k, a in _arc(rows)], sides)


def _arc(rows: int) -> list[tuple[int, float]]:
    return [(k, math.pi * k / rows) for k in range(rows + 1)]


def box(size: Sequence[float] | Array) -> Mesh:
    """A block centred on the origin.

    Parameters
    ----------
    size : edges along x, y, z [m]
    """
    unit = _unit_box()
    return Mesh(unit.vertices * np.asarray(size), unit.faces)


def cylinder(radius: float, length: float, sides: int = ROUND) -> Mesh:
    """A round bar along z, centred on the origin.

    Parameters
    ----------
    radius, length : its sizes [m]
    sides : of the circle
    """
    unit = _unit_cylinder(sides)
    return Mesh(unit.vertices * (radius, radius, length), unit.faces)


def tube(outer: float, inner: float, length: float, sides: int = ROUND) -> Mesh:
    """A hollow round bar along z, centred on the origin.

    Parameters
    ----------
    outer, inner : radii [m]
    length : along z [m]
    sides : of the circle
    """
    h = length / 2
    return turned([(outer, -h), (outer, h), (inner, h), (inner, -h)], sides)


def cone(radius: float, length: float, top: float = 0.0, sides: int = ROUND) -> Mesh:
    """A cone or frustum along z, its base at the origin.

    Parameters
    ----------
    radius : of the base [m]
    length : height [m]
    top : radius of the upper face [m]
    sides : of the circle
    """
    upper = [(top, length)] if top > 0.0 else []
    return turned([(0.0, 0.0), (radius, 0.0), *upper, (0.0, length)], sides)


def ball(radius: float, sides: int = ROUND, rows: int = BALL) -> Mesh:
    """A sphere about the origin.

    Parameters
    ----------
    radius : of the sphere [m]
    sides, rows : how finely it is divided
    """
    unit = _unit_ball(sides, rows)
    return Mesh(unit.vertices * radius, unit.faces)


def cup(outer: float, inner: float, depth: float, sides: int = ROUND, rows: int = BALL) -> Mesh:
    """A socket: part of a hollow ball about the origin, open towards +z.

    Parameters
    ----------
    outer, inner : radii [m]
    depth : how far it reaches above its equator, as a part of its radius (0: half a ball)
    sides, rows : how finely it is divided
    """
    last = math.pi / 2 + math.asin(depth)
    outside = [last * k / rows for k in range(rows + 1)]
    profile = [(outer * math.sin(a), -outer * math.cos(a)) for a in outside]
    inside = [(inner * math.sin(a), -inner * math.cos(a)) for a in outside[::-1]]
    return turned([(0.0, -outer), *profile[1:], *inside[:-1], (0.0, -inner)], sides)


def ring_sector(outer: float, inner: float, angle: float, length: float) -> Mesh:
    """Part of a ring, symmetric about x, centred along z.

    Parameters
    ----------
    outer, inner : radii [m]; an inner of 0 makes a pie
    angle : in all [rad]
    length : along z [m]
    """
    if angle > 2 * math.pi * (1 - 1e-9):
        return cylinder(outer, length, 2 * ROUND) if inner == 0.0 else tube(outer, inner, length, 2 * ROUND)
    n = max(3, math.ceil(angle / (2 * math.pi) * 2 * ROUND) + 1)
    t = np.linspace(-angle / 2, angle / 2, n)
    arc = np.stack([np.cos(t), np.sin(t)], axis=1)
    i = np.arange(n - 1)
    if inner == 0.0:
        outline = np.concatenate([[[0.0, 0.0]], outer * arc])
        cap = np.stack([np.zeros_like(i), i + 1, i + 2], axis=1)
    else:
        outline = np.concatenate([outer * arc, inner * arc[::-1]])
        back = 2 * n - 1 - i
        cap = np.concatenate([np.stack([i, i + 1, back], axis=1), np.stack([i + 1, back - 1, back], axis=1)])
    return extruded(outline, -length / 2, length / 2, cap)


def rod(a: Array, b: Array, radius: float, sides: int = ROUND // 2) -> Mesh:
    """A round bar from one place to another.

    Parameters
    ----------
    a, b : its ends [m]
    radius : [m]
    sides : of the circle
    """
    length = math.sqrt(float((b - a) @ (b - a)))
    return cylinder(radius, length, sides).moved(pose_along((a + b) / 2, b - a))


def rounded_bar(a: Array, b: Array, axis: Array, width: float, thickness: float) -> Mesh:
    """A flat link with round ends about two places.

    Parameters
    ----------
    a, b : centres of its ends [m]
    axis : direction of its thickness
    width : across [m]
    thickness : along the axis, half to each side of the places [m]
    """
    along = b - a
    length = math.sqrt(float(along @ along))
    half = circle(ROUND)[: ROUND // 2 + 1] * (width / 2)
    # Half circles about +x and -x: the first quarter turned back so that it begins at -y.
    right = np.stack([half[:, 1] + length / 2, -half[:, 0]], axis=1)
    outline = np.concatenate([right, -right])
    X = pose_along((a + b) / 2, axis, along)
    return extruded(outline, -thickness / 2, thickness / 2, fan(len(outline))).moved(X)


def rounded_plate(places: Array, axis: Array, radius: float, thickness: float) -> Mesh:
    """A plate round three or more places of a plane: their convex outline, wider by a radius, with round corners.

    Parameters
    ----------
    places : (n, 3) [m], not on a line
    axis : normal of the plane
    radius : how far it reaches beyond the places [m]
    thickness : half to each side of the places [m]
    """
    from linkwork.views.scene.outlines import convex_outline

    X = pose_along(places.mean(axis=0), axis)
    flat = (places - X[:3, 3]) @ X[:3, :2]
    hull = convex_outline(flat)
    edges = np.roll(hull, -1, axis=0) - hull
    heading = np.arctan2(edges[:, 1], edges[:, 0]) - math.pi / 2  # outward normal of each edge
    outline = []
    for k, corner in enumerate(hull):
        first = heading[k - 1]
        turn = (heading[k] - first) % (2 * math.pi)
        t = np.linspace(first, first + turn, max(2, math.ceil(turn / (2 * math.pi) * ROUND) + 1))
        outline.append(corner + radius * np.stack([np.cos(t), np.sin(t)], axis=1))
    loop = np.concatenate(outline)
    depth = (places - X[:3, 3]) @ X[:3, 2]
    middle = float(depth.max() + depth.min()) / 2
    return extruded(loop, middle - thickness / 2, middle + thickness / 2, fan(len(loop))).moved(X)


def arrow(a: Array, b: Array, radius: float) -> Mesh:
    """An arrow from one place to another; its head is at most half of it.

    Parameters
    ----------
    a, b : tail and tip [m]
    radius : of the shaft [m]
    """
    length = math.sqrt(float((b - a) @ (b - a)))
    head = min(6.0 * radius, length / 2)
    neck = length - head
    profile = [(0.0, 0.0), (radius, 0.0), (radius, neck), (2.4 * radius, neck), (0.0, length)]
    return turned(profile, ROUND // 2).moved(pose_along(a, b - a))


def thread(radius: float, height: float, pitch: float, length: float, starts: int = 1) -> Mesh:
    """Ridges that wind round z, centred on the origin, as on a screw.

    Parameters
    ----------
    radius : of the core that they lie on [m]
    height : of a ridge [m]
    pitch : advance of one ridge in a turn [m]; negative for a left-handed thread
    length : along z [m]
    starts : number of ridges side by side
    """
    step = abs(pitch) / starts
    turns = length / abs(pitch)
    n = max(4, math.ceil(turns * ROUND))
    t = np.linspace(-math.pi * turns, math.pi * turns, n + 1) * math.copysign(1.0, pitch)
    z = np.linspace(-length / 2, length / 2, n + 1)
    # The cross-section in (radius, z): wide at the core and sunk into it, narrow at the crest.
    section = np.array([(-0.3 * height, -0.35 * step), (height, -0.12 * step), (height, 0.12 * step)])
    section = np.concatenate([section, [(-0.3 * height, 0.35 * step)]])
    ridges = []
    for s in range(starts):
        angle = t + 2 * math.pi * s / starts
        rows = np.empty((n + 1, 4, 3))
        r = radius + section[:, 0]
        rows[:, :, 0], rows[:, :, 1] = np.cos(angle)[:, None] * r, np.sin(angle)[:, None] * r
        rows[:, :, 2] = z[:, None] + section[:, 1]
        # Along a right-handed helix the section (radius, z) turns the other way about the path.
        ridges.append(skin(rows[:, ::-1] if pitch > 0.0 else rows, fan(4)))
    return joined(ridges)
