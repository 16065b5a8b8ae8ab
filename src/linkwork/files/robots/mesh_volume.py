"""Volume, centre and moments of inertia of a surface, in the ways that MuJoCo counts them.

exact : of the closed surface, by tetrahedra between its faces and the origin, each with its sign
legacy : all tetrahedra count positive, first about the mean place of the faces, then about the centre found so; it is
    MuJoCo's usual way, and more than exact where the surface is not convex
convex : exact, of the convex hull
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from linkwork.geometry import Array

Faces = npt.NDArray[np.int64]
WAYS = ("legacy", "exact", "convex")


def mesh_volume(points: Array, faces: Faces, way: str) -> tuple[float, Array, Array] | None:
    """Volume [m^3], moments of inertia by mass about the centre [m^2], and the centre; None of a surface without any.

    Parameters
    ----------
    points, faces : the surface
    way : one of `WAYS`
    """
    if way == "convex":
        points, faces = _hull(points)
    elif way == "exact" and not _is_closed(faces):
        return None
    v = points[faces]
    if way == "legacy":
        middles = v.mean(axis=1)
        areas = np.linalg.norm(np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0]), axis=1)
        if not areas.sum() > 0.0:
            return None
        tip = areas @ middles / areas.sum()
        volumes = np.abs(_signed(v - tip))
        centre = volumes @ (0.75 * middles + 0.25 * tip) / volumes.sum() if volumes.sum() > 0.0 else tip
        volumes = np.abs(_signed(v - centre))
    else:
        volumes = _signed(v)
        if abs(volumes.sum()) == 0.0:
            return None
        centre = volumes @ v.sum(axis=1) / 4 / volumes.sum()
        volumes = _signed(v - centre)
    volume = float(volumes.sum())
    if not abs(volume) > 0.0:
        return None
    w = v - centre
    each, whole = (np.einsum("i,ika,ikb->ab", volumes, c, c) for c in (w, w.sum(axis=1, keepdims=True)))
    second = (each + whole) / 20 / volume
    return abs(volume), np.trace(second) * np.eye(3) - second, centre


def _signed(v: Array) -> Array:
    """Volumes of tetrahedra with a tip at the origin, positive where the face looks outward."""
    volumes: Array = np.einsum("ij,ij->i", v[:, 0], np.cross(v[:, 1], v[:, 2])) / 6
    return volumes


def _is_closed(faces: Faces) -> bool:
    """Whether every edge is run through as often one way as the other."""
    ends = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there, back = (np.sort(e[:, 0] * (faces.max() + 1) + e[:, 1]) for e in (ends, ends[:, ::-1]))
    return bool(np.array_equal(there, back))


def _hull(points: Array) -> tuple[Array, Faces]:
    """The convex hull, its faces looking outward."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    faces = np.array(hull.simplices, dtype=np.int64)
    v = points[faces]
    inward = np.einsum("ij,ij->i", np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0]), hull.equations[:, :3]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return points, faces
