"""MSH, the binary meshes of MuJoCo: four counts, then vertices, normals, places in textures, faces; little-endian."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwork.errors import ModelError
from linkwork.files.mesh import MAX_MESH_BYTES
from linkwork.files.robots.mesh_volume import Faces
from linkwork.geometry import Array


def read_msh(file: Path) -> tuple[Array, Faces]:
    """Vertices (n, 3) and faces (m, 3) of a file; ModelError where it is none."""
    if file.stat().st_size > MAX_MESH_BYTES:
        raise ModelError(f"the mesh '{file.name}' is larger than {MAX_MESH_BYTES / 1e6:.0f} MB")
    raw = file.read_bytes()
    wrong = ModelError(f"'{file.name}' is not an MSH file")
    if len(raw) < 16:
        raise wrong
    counts = np.frombuffer(raw, "<i4", 4)
    if counts.min() < 0:
        raise wrong
    points, normals, textures, faces = (int(count) for count in counts)
    if not points or not faces or len(raw) != 16 + 4 * (3 * points + 3 * normals + 2 * textures + 3 * faces):
        raise wrong
    vertices = np.frombuffer(raw, "<f4", 3 * points, 16).reshape(-1, 3).astype(float)
    corners = np.frombuffer(raw, "<i4", 3 * faces, len(raw) - 12 * faces).reshape(-1, 3).astype(np.int64)
    if corners.min() < 0 or corners.max() >= points or not np.isfinite(vertices).all():
        raise wrong
    return vertices, corners
