"""All triangles of a scene in a few arrays, to be moved, seen and shaded at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from linkwork.colours import Theme
from linkwork.geometry import Array
from linkwork.views.painting.lens import Lens
from linkwork.views.scene.parts import Mesh, Part, Scene

TOWARDS_LIGHT = np.array([-0.35, 0.62, -0.7]) / np.linalg.norm([-0.35, 0.62, -0.7])
"""In the camera's axes right, up and forward: over the reader's left shoulder."""
SHADE, GLOSS = 0.55, 0.2
"""Brightness of a face that turns away from the light, and white that is mixed to one that faces it."""


@dataclass(frozen=True, eq=False)
class Seen:
    """Triangles as a camera sees them.

    corners : (k, 3, 2) on the page; nearness : (k, 3), larger is nearer, straight along the page
    colours : (k, 3, 4) at the corners: red, green, blue, opacity; parts : (k,) number of the part
    """

    corners: Array
    nearness: Array
    colours: Array
    parts: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles that ride on bodies.

    bodies : whose poses are wanted, in this order
    vertices : (n, 3) [m] in body frames; owners : (n,) number of the body
    faces : (m, 3); normals : (m, 3, 3) at the corners, outward, in body frames
    colours : (m, 4) red, green, blue, opacity; parts : (m,) number of the part
    one_sided : (m,) whether a face is only seen from outside, as all are of a closed surface that hides its inside
    """

    bodies: tuple[str, ...]
    vertices: Array
    owners: npt.NDArray[np.int64]
    faces: npt.NDArray[np.int64]
    normals: Array
    colours: Array
    parts: npt.NDArray[np.int64]
    one_sided: npt.NDArray[np.bool_]

    def moved(self, poses: Mapping[str, Array]) -> Array:
        """Vertices in the world."""
        X = self._poses(poses)[self.owners]
        places: Array = (X[:, :3, :3] @ self.vertices[:, :, None])[:, :, 0] + X[:, :3, 3]
        return places

    def seen(self, poses: Mapping[str, Array], lens: Lens) -> Seen:
        """Triangles before the eye."""
        page, depth = lens.seen(self.moved(poses))
        corners = page[self.faces]
        a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]  # not a number behind the eye, where nothing is shown
        shown = np.flatnonzero((area > 0.0) | ((area < 0.0) & ~self.one_sided))
        sides = np.sign(area[shown])[:, None, None]  # what is seen from inside is lit from inside
        faces = self.faces[shown]
        M = self._poses(poses)[:, :3, :3]
        # Normals of what is stretched turn the other way: by the inverse, transposed.
        squares = np.maximum(np.sum(M * M, axis=1, keepdims=True), 1e-300)  # 0 of what is stretched to no length
        R = (lens.axes @ (M / squares))[self.owners[faces[:, 0]]]
        turned = sides * _unit(self.normals[shown] @ R.transpose(0, 2, 1))
        colours = shaded(np.broadcast_to(self.colours[shown, None], (*faces.shape, 4)), turned)
        return Seen(corners[shown], lens.nearness(depth)[faces], colours, self.parts[shown])

    def _poses(self, poses: Mapping[str, Array]) -> Array:
        return np.array([poses[b] for b in self.bodies]).reshape(-1, 4, 4)


def shaded(colours: Array, normals: Array) -> Array:
    """Lambert's law with a soft light: colours (..., 4) where normals (..., 3) are in the camera's axes."""
    lit = np.clip(normals @ TOWARDS_LIGHT, 0.0, 1.0)[..., None]
    around = 0.5 - 0.5 * normals[..., 2:3]  # what turns to the reader is never quite dark
    bright = SHADE + (1.0 - SHADE) * (0.8 * lit + 0.4 * around)
    rgb = colours[..., :3] * np.minimum(bright, 1.0)
    rgb = rgb + (1.0 - rgb) * GLOSS * lit**4
    return np.concatenate([rgb, colours[..., 3:]], axis=-1)


def surface_of(scene: Scene, theme: Theme) -> Surface:
    """The surface of all parts."""
    number = {body: i for i, body in enumerate(scene.bodies)}
    parts = scene.parts
    starts = np.cumsum([0, *(len(p.mesh.vertices) for p in parts)])[:-1]
    vertices = _stacked([p.mesh.vertices for p in parts], (0, 3))
    faces = _stacked([p.mesh.faces + start for p, start in zip(parts, starts, strict=True)], (0, 3)).astype(np.int64)
    owners = _stacked([np.full(len(p.mesh.vertices), number[p.body]) for p in parts], (0,)).astype(np.int64)
    colours = _stacked([np.tile(_rgba(p, theme), (len(p.mesh.faces), 1)) for p in parts], (0, 4))
    normals = _stacked([corner_normals(p.mesh, p.smooth) for p in parts], (0, 3, 3))
    of_part = _stacked([np.full(len(p.mesh.faces), i) for i, p in enumerate(parts)], (0,)).astype(np.int64)
    closed = np.array([p.opacity < 1.0 or is_closed(p.mesh) for p in parts], bool)
    return Surface(scene.bodies, vertices, owners, faces, normals, colours, of_part, closed[of_part])


def is_closed(mesh: Mesh) -> bool:
    """Whether a surface has an inside, which its faces look away from: every edge is there once in each direction."""
    if not len(mesh.faces):
        return False
    size = float(np.ptp(mesh.vertices, axis=0).max()) or 1.0
    _, place = np.unique(np.round(mesh.vertices / (1e-7 * size)), axis=0, return_inverse=True)
    corners = place.reshape(-1)[mesh.faces]
    corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]  # a face without area closes nothing
    start, end, count = corners.ravel(), np.roll(corners, -1, axis=1).ravel(), len(mesh.vertices)
    both_ways = bool((np.sort(start * count + end) == np.sort(end * count + start)).all())
    a, b, c = (mesh.vertices[mesh.faces[:, k]] - mesh.vertices.mean(axis=0) for k in range(3))
    return both_ways and float(np.einsum("fi,fi->", np.cross(a, b), c)) > 0.0


def corner_normals(mesh: Mesh, smooth: bool) -> Array:
    """Normals (m, 3, 3) at the corners of every face: its own, or for smooth surfaces the mean at each vertex."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)  # twice the area long
    if not smooth:
        return np.repeat(_unit(across)[:, None], 3, axis=1)
    sums = np.zeros_like(mesh.vertices, float)
    for k in range(3):
        np.add.at(sums, mesh.faces[:, k], across)
    return _unit(sums)[mesh.faces]


def _unit(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths > 0.0, lengths, 1.0)  # a triangle without area has nothing to show


def _stacked(arrays: Sequence[npt.NDArray[np.generic]], empty: tuple[int, ...]) -> Array:
    return np.concatenate([np.asarray(a, float) for a in arrays]) if arrays else np.zeros(empty)


def _rgba(part: Part, theme: Theme) -> Array:
    return np.array([*(c / 255.0 for c in theme.rgb(part.tint)), part.opacity])
