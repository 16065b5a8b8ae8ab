"""Meshes from STL, OBJ, PLY, OFF, GLB or GLTF files, in a unit that must be said: as solids, which are closed and are
integrated at once, or only to be seen, which are read when they are drawn."""

from __future__ import annotations

import functools
import io
import json
import warnings
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from linkwork.errors import MissingExtra, ModelError, Problem
from linkwork.files.quantities import quantity
from linkwork.geometry import Array
from linkwork.model.placement import Placement
from linkwork.model.solids import MeshLook, MeshSolid
from linkwork.units import LENGTH, SI, parse_unit

Faces = npt.NDArray[np.int64]

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
    home = Path() if folder is None else Path(folder)
    file = _inside(path, home)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of the mesh reader, about files that are refused below
        volume, first, second = _integrals(_surface(file, path), path)
        central = np.trace(second) / 2 * np.eye(3) - second
        moments = np.zeros((4, 4))
        moments[:3, :3] = (central + volume * np.outer(first, first)) * scale**5
        moments[:3, 3] = moments[3, :3] = volume * first * scale**4
        moments[3, 3] = volume * scale**3
    if not np.abs(moments).max() < 1e200:
        raise ModelError(f"the mesh '{path}' has numbers that are too large, or no numbers")
    integrals = tuple(float(v) for v in moments.ravel())
    kept = str(home.resolve())
    return MeshSolid(
        path=path, scale=scale, integrals=integrals, frame=frame or Placement(), density=density, folder=kept
    )


def mesh_look(
    path: str, units: str | float | None, *, folder: str | Path | None = None, frame: Placement | None = None
) -> MeshLook:
    """A surface only to be seen, for `looks` of a body; it need not be closed, and is read when it is drawn.

    Parameters
    ----------
    path : file, relative to `folder`
    units : length unit of the file's numbers, such as "mm" (or a factor to metres); mesh files do not tell it
    folder : folder that the file must lie in; the current one by default, none ("") when it is not to be read
    frame : where the mesh's own frame is in the body
    """
    scale = _scale(units, path)
    if folder != "":
        _located(path, Path() if folder is None else Path(folder))
    kept = "" if folder == "" else str((Path() if folder is None else Path(folder)).resolve())
    return MeshLook(path=path, scale=scale, folder=kept, frame=frame or Placement())


def surface_of(shape: MeshSolid | MeshLook) -> tuple[Array, Faces]:
    """Vertices (n, 3) [m] and faces (m, 3) of a mesh in its own frame, read again from its file.

    Raises ModelError when it is not there any more or cannot be read.

    Parameters
    ----------
    shape : a mesh that knows its folder
    """
    if not shape.folder:
        raise ModelError(Problem(f"the mesh '{shape.path}' cannot be looked for", hint="load the model from a file"))
    file = _inside(shape.path, Path(shape.folder))
    state = file.stat()
    vertices, faces = _read_surface(file, shape.path, state.st_mtime_ns, state.st_size)
    return vertices * shape.scale, faces


@functools.lru_cache(maxsize=32)
def _read_surface(file: Path, path: str, changed: int, size: int) -> tuple[Array, Faces]:
    """The numbers of a file, kept as long as its time and its size stay the same."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of the mesh reader
        mesh = _surface(file, path)
        vertices, faces = np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=np.int64)
    if not np.isfinite(vertices).all() or not np.abs(vertices).max() < 1e100:
        raise ModelError(f"the mesh '{path}' has numbers that are too large, or no numbers")
    return vertices, faces


def _scale(units: str | float | None, path: str) -> float:
    if units is None:
        hint = "say `units: mm` (or another length); mesh files do not tell it"
        raise ModelError(Problem(f"the mesh '{path}' has no units", hint=hint))
    if isinstance(units, int | float):
        return quantity(units, LENGTH, SI)
    if units[:1].isdigit():
        return quantity(units, LENGTH, SI)
    factor, dimension = parse_unit(units)
    if dimension != LENGTH:
        raise ModelError(Problem(f"'{units}' is not a length unit of the mesh '{path}'", hint="such as mm"))
    return factor


def _located(path: str, folder: Path) -> tuple[Path, int | None]:
    """The file, which must lie in the folder (model files may come from strangers), and its size where it is there."""
    given = PurePosixPath(path.replace("\\", "/"))
    if given.suffix.lower() not in SUFFIXES:
        raise ModelError(Problem(f"'{path[:80]}' is not a mesh file", hint=f"one of {', '.join(SUFFIXES)}"))
    file = Path()
    try:
        root = folder.resolve()
        file = (root / given).resolve()
        is_inside = file.is_relative_to(root) and not given.is_absolute() and ":" not in path
        size = file.stat().st_size if is_inside and file.is_file() else None
    except (OSError, ValueError, RuntimeError):  # a name too long, a zero byte, a circle of links
        is_inside, size = True, None
    if not is_inside:
        hint = "put it beside the model and name it without a path"
        raise ModelError(Problem(f"the mesh '{path[:80]}' lies outside the folder of the model", hint=hint))
    return file, size


def _inside(path: str, folder: Path) -> Path:
    """A file that is there and not too large."""
    file, size = _located(path, folder)
    if size is None:
        raise ModelError(Problem(f"there is no mesh file '{path[:80]}'", hint="it is looked for beside the model"))
    if size > MAX_MESH_BYTES:
        raise ModelError(f"the mesh '{path}' has more than {MAX_MESH_BYTES / 1e6:.0f} MB")
    return file


def _surface(file: Path, path: str) -> Any:
    """The faces of a file; other files that it names (materials, textures) are not looked at."""
    try:
        import trimesh
    except ImportError:
        raise MissingExtra("trimesh", "mesh", "reading a mesh") from None
    kind = file.suffix.lower().removeprefix(".")
    try:
        raw = file.read_bytes()
        if kind == "gltf":
            _assert_alone(raw, path)
        mesh = trimesh.load_mesh(io.BytesIO(raw), file_type=kind)
        faces = len(mesh.faces)
    except ModelError:
        raise
    except Exception:  # noqa: BLE001  # a broken file makes its reader fail in any way
        raise ModelError(f"the mesh '{path}' cannot be read as {kind.upper()}") from None
    if faces == 0:
        raise ModelError(f"the mesh '{path}' has no faces")
    return mesh


def _assert_alone(raw: bytes, path: str) -> None:
    """ModelError when a glTF file keeps its numbers in other files: only what it brings itself is read."""
    data = json.loads(raw)
    if any(not str(b.get("uri", "")).startswith("data:") for b in data.get("buffers", ())):
        hint = "export it as .glb, or with embedded data"
        raise ModelError(Problem(f"the mesh '{path}' keeps its numbers in other files", hint=hint))


def _integrals(mesh: Any, path: str) -> tuple[float, Any, Any]:
    """Volume, centroid and moment of inertia about it (density 1) of a closed surface, in the file's unit."""
    if not mesh.is_watertight:
        hint = "close its holes in the CAD program; a mass needs a closed surface"
        raise ModelError(Problem(f"the mesh '{path}' is not watertight", hint=hint))
    if not (mesh.is_winding_consistent and mesh.volume > 0.0):
        hint = "turn its faces outward in the CAD program"
        raise ModelError(Problem(f"the faces of the mesh '{path}' do not all point outward", hint=hint))
    volume, first, second = float(mesh.volume), np.asarray(mesh.center_mass), np.asarray(mesh.moment_inertia)
    return volume, first, second
