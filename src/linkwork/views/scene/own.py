"""The surfaces that bodies bring themselves: what they look like by their user, else their solids."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.model.mechanism import Mechanism
from linkwork.model.solids import (
    Box,
    Cone,
    Cylinder,
    MeshLook,
    MeshSolid,
    RingSector,
    Shape,
    Sphere,
    Tube,
    parts_of,
)
from linkwork.views.scene import shapes
from linkwork.views.scene.parts import Mesh

MANY_FACES = 100_000  # beyond which a surface is drawn coarser
FEWER_FACES = 40_000


@dataclass(eq=False)
class Own:
    """What bodies bring: shapes and their surfaces side by side, by body; `looked` are drawn by their looks alone."""

    shapes: dict[str, list[Shape]] = field(default_factory=dict)
    meshes: dict[str, list[Mesh]] = field(default_factory=dict)
    looked: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


def own_of(m: Mechanism) -> Own:
    """The looks or the solids of every body. What cannot be read is left out, with a note.

    Parameters
    ----------
    m : the mechanism
    """
    own = Own()
    for body in m.bodies.values():
        found = _surfaces(body.name, list(body.looks), own)
        if found:
            own.looked.add(body.name)
        elif body.solid is not None:
            signed = parts_of(body.solid)
            found = _surfaces(body.name, [shape for sign, shape in signed if sign > 0], own)
            cut = sum(1 for sign, _ in signed if sign < 0)
            if cut and found:
                own.notes.append(f"what is cut out of body '{body.name}' ({cut}) is not shown")
        if found:
            own.shapes[body.name] = [shape for shape, _ in found]
            own.meshes[body.name] = [mesh for _, mesh in found]
    return own


def _surfaces(body: str, given: list[Shape], own: Own) -> list[tuple[Shape, Mesh]]:
    found = []
    for shape in given:
        try:
            mesh = _from_file(body, shape, own) if isinstance(shape, MeshSolid | MeshLook) else _primitive(shape)
        except (LinkworkError, OSError) as error:
            reason = "; ".join(p.what for p in error.problems) if hasattr(error, "problems") else str(error)
            own.notes.append(f"a mesh of body '{body}' is not shown: {reason}")
        else:
            found.append((shape, mesh.moved(shape.frame.pose())))
    return found


def _primitive(shape: Shape) -> Mesh:
    if isinstance(shape, Box):
        return shapes.box(shape.size)
    if isinstance(shape, Cylinder):
        return shapes.cylinder(shape.radius, shape.length, 2 * shapes.ROUND)
    if isinstance(shape, Tube):
        return shapes.tube(shape.outer, shape.inner, shape.length, 2 * shapes.ROUND)
    if isinstance(shape, Sphere):
        return shapes.ball(shape.radius)
    if isinstance(shape, Cone):
        return shapes.cone(shape.radius, shape.length, shape.top)
    assert isinstance(shape, RingSector), shape.kind
    return shapes.ring_sector(shape.outer, shape.inner, shape.angle, shape.length)


def _from_file(body: str, shape: MeshSolid | MeshLook, own: Own) -> Mesh:
    from linkwork.files.mesh import surface_of

    vertices, faces = surface_of(shape)
    if len(faces) <= MANY_FACES:
        return Mesh(vertices, faces, closed=False)
    coarse = coarser(Mesh(vertices, faces), FEWER_FACES)
    text = f"the mesh '{shape.path}' of body '{body}' is drawn with {len(coarse.faces)} of its {len(faces)} faces"
    own.notes.append(text)
    return coarse


def coarser(mesh: Mesh, most: int) -> Mesh:
    """A surface with fewer faces: vertices that share a cell of a grid become one, faces that vanish are left out.

    Parameters
    ----------
    mesh : the surface
    most : faces that it may have
    """
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    size = float((high - low).max()) or 1.0
    cells = 2.0 * most**0.5
    while True:
        index = np.floor((mesh.vertices - low) / size * cells).astype(np.int64)
        _, group, count = np.unique(index, axis=0, return_inverse=True, return_counts=True)
        group = group.reshape(-1)
        middle = np.stack([np.bincount(group, c) for c in mesh.vertices.T], axis=1) / count[:, None]
        faces = group[mesh.faces]
        a, b, c = faces.T
        faces = faces[(a != b) & (b != c) & (c != a)]
        # One of several faces over the same three vertices is enough.
        _, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
        faces = faces[np.sort(first)]
        if len(faces) <= most:
            return Mesh(middle, faces, closed=False)
        cells *= 0.8
