"""Meshes as solids: closed surfaces from STL, OBJ, PLY or glTF files, in a unit that must be said."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from linkwork.errors import MissingExtra, ModelError, Problem
from linkwork.model.placement import Placement
from linkwork.model.solids import MeshSolid
from linkwork.units import LENGTH, parse_quantity, parse_unit

MAX_MESH_BYTES = 200_000_000
SUFFIXES = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf")


def read_mesh(
    path: str,
    units: str | float | None,
    *,
    folder: str | Path | None = None,
    frame: Placement | None = None,
    density: float | None = None,
) -> MeshSolid:
    """A solid from a mesh file.

    Parameters
    ----------
    path : file, relative to `folder`
    units : length unit of the file's numbers, such as "mm" (or a factor to metres); mesh files do not tell it
    folder : folder that the file must lie in; the current one by default
    frame : where the mesh's own frame is in the body
    density : density [kg/m^3], when it differs from that of the body
    """
    scale = _scale(units, path)
    file = _inside(path, Path() if folder is None else Path(folder))
    mesh = _surface(file, path)
    if not mesh.is_watertight:
        hint = "close its holes in the CAD program; a mass needs a closed surface"
        raise ModelError(Problem(f"the mesh '{path}' is not watertight", hint=hint))
    if not mesh.is_winding_consistent or mesh.volume <= 0.0:
        hint = "turn its faces outward in the CAD program"
        raise ModelError(Problem(f"the faces of the mesh '{path}' do not all point outward", hint=hint))
    volume, first, second = float(mesh.volume), np.asarray(mesh.center_mass), np.asarray(mesh.moment_inertia)
    central = np.trace(second) / 2 * np.eye(3) - second  # trimesh integrates with density 1 about the centroid
    moments = np.zeros((4, 4))
    moments[:3, :3] = (central + volume * np.outer(first, first)) * scale**5
    moments[:3, 3] = moments[3, :3] = volume * first * scale**4
    moments[3, 3] = volume * scale**3
    integrals = tuple(float(v) for v in moments.ravel())
    return MeshSolid(
        path=path, scale=scale, integrals=integrals, frame=frame or Placement(), density=density
    )


def _scale(units: str | float | None, path: str) -> float:
    if units is None:
        hint = "say `units: mm` (or another length); mesh files do not tell it"
        raise ModelError(Problem(f"the mesh '{path}' has no units", hint=hint))
    if isinstance(units, int | float):
        return float(units)
    if units[:1].isdigit():
        return parse_quantity(units, LENGTH)
    factor, dimension = parse_unit(units)
    if dimension != LENGTH:
        raise ModelError(Problem(f"'{units}' is not a length unit of the mesh '{path}'", hint="such as mm"))
    return factor


def _inside(path: str, folder: Path) -> Path:
    """The file, which must lie in the folder: model files may come from strangers."""
    given = PurePosixPath(path.replace("\\", "/"))
    root = folder.resolve()
    file = (root / given).resolve()
    if given.is_absolute() or ":" in path or not file.is_relative_to(root):
        hint = "put it beside the model and name it without a path"
        raise ModelError(Problem(f"the mesh '{path}' lies outside the folder of the model", hint=hint))
    if file.suffix.lower() not in SUFFIXES:
        raise ModelError(Problem(f"'{path}' is not a mesh file", hint=f"one of {', '.join(SUFFIXES)}"))
    if not file.is_file():
        raise ModelError(Problem(f"there is no mesh file '{path}'", hint="it is looked for beside the model"))
    if file.stat().st_size > MAX_MESH_BYTES:
        raise ModelError(f"the mesh '{path}' has more than {MAX_MESH_BYTES / 1e6:.0f} MB")
    return file


def _surface(file: Path, path: str) -> Any:
    try:
        import trimesh
    except ImportError:
        raise MissingExtra("trimesh", "mesh", "reading a mesh") from None
    try:
        mesh = trimesh.load_mesh(file)
    except Exception as error:  # noqa: BLE001  # a broken file makes its reader fail in any way
        raise ModelError(f"the mesh '{path}' cannot be read: {str(error)[:200]}") from None
    if isinstance(mesh, trimesh.Scene):
        mesh = mesh.to_mesh()
    if not isinstance(mesh, trimesh.Trimesh) or len(mesh.faces) == 0:
        raise ModelError(f"the mesh '{path}' has no faces")
    return mesh
