"""Meshes that are only to be seen, found inside given folders; and shapes that Linkwork draws otherwise."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path, PurePosixPath

import numpy as np

from linkwork import geometry as geo
from linkwork.files.mesh import SUFFIXES
from linkwork.files.robots.notes import Notes
from linkwork.files.robots.values import placed
from linkwork.files.robots.xml import Element
from linkwork.geometry import Array
from linkwork.model.import_report import Finding
from linkwork.model.mechanism import Mechanism
from linkwork.model.placement import Placement
from linkwork.model.solids import Cylinder, MeshLook, Shape, Sphere

PACKAGES = ("package://", "model://")


def look_of_mesh(
    notes: Notes, at: Element, said: str, scale: tuple[float, ...], frame: Placement, beside: str = ""
) -> MeshLook | None:
    """The surface of a file in its place; None, and a finding, where it cannot be drawn.

    Parameters
    ----------
    notes : knows the folders that files may lie in
    at : where it is said
    said : a path, package://PACKAGE/PATH or model://PATH
    scale : of its numbers along x, y and z
    frame : of the mesh on its link
    beside : folder that plain paths are relative to, below that of the file
    """
    size = abs(scale[0])
    if len(set(scale)) > 1 or scale[0] <= 0.0:
        notes.say("lost", "meshes that are scaled differently along their axes, or mirrored, are not drawn", said, at)
        return None
    if PurePosixPath(said).suffix.lower() not in SUFFIXES:
        kinds = ", ".join(SUFFIXES)
        notes.say("lost", f"meshes of a kind that is not read are not drawn (there is: {kinds})", said, at)
        return None
    found = located(notes, said, beside)
    if found is None:
        where = "in the folder of the file, in that of its package or in the `folders` that are given"
        notes.say("lost", f"meshes that are not there are not drawn; they are looked for {where}", said, at)
        return None
    root, path = found
    return MeshLook(path=path, scale=size, folder=str(root), frame=frame)


def located(notes: Notes, said: str, beside: str = "") -> tuple[Path, str] | None:
    """The folder and the path in it of a file, which must lie inside; None where it is nowhere."""
    prefix = next((p for p in PACKAGES if said.startswith(p)), "")
    rest = said.removeprefix(prefix).replace("\\", "/")
    if "://" in rest:
        return None
    home = notes.folder
    roots = [*([] if home is None else [home]), *notes.folders]
    tries: list[tuple[Path, Path]] = []  # where it may be, and the folder that it must lie in
    if prefix:
        package, _, inside = rest.partition("/")
        above = [] if home is None else [home.resolve(), *home.resolve().parents]
        tries += [(folder / inside, folder) for folder in (*above, *roots) if folder.name == package]
        tries += [(folder / rest, folder) for folder in roots]
    else:
        begins = [] if home is None else [home / beside, home]
        tries += [(begin / rest, root) for begin in (*begins, *notes.folders) for root in roots]
    for path, folder in tries:
        try:
            root, file = folder.resolve(), path.resolve()
            if file.is_relative_to(root) and file.is_file():
                return root, file.relative_to(root).as_posix()
        except (OSError, ValueError, RuntimeError):  # a name too long, a zero byte, a circle of links
            continue
    return None


def capsule(X: Array, radius: float, length: float) -> list[Shape]:
    """A round bar with round ends: `length` between the centres of these."""
    ends = [X @ geo.pose(p=np.array([0.0, 0.0, sign * length / 2])) for sign in (-1, 1)]
    balls: list[Shape] = [Sphere(radius=radius, frame=placed(end)) for end in ends]
    return [Cylinder(radius=radius, length=length, frame=placed(X)), *balls] if length > 0.0 else balls[:1]


def colour_of(rgba: tuple[float, ...]) -> str:
    """#RRGGBB of red, green, blue from 0 to 1."""
    return "#" + "".join(f"{round(255 * min(max(c, 0.0), 1.0)):02X}" for c in rgba[:3])


def rebased(m: Mechanism, folder: Path) -> Finding | None:
    """Paths of meshes made relative to the folder of a model file; those that lie outside are left out, and told."""
    home, lost = folder.resolve(), list[str]()
    for name, body in m.bodies.items():
        looks: list[Shape] = []
        for look in body.looks:
            if isinstance(look, MeshLook) and look.folder:
                file = Path(look.folder) / look.path
                if not file.is_relative_to(home):
                    lost.append(look.path)
                    continue
                look = replace(look, path=file.relative_to(home).as_posix(), folder=str(home))
            looks.append(look)
        if len(looks) != len(body.looks) or any(a is not b for a, b in zip(looks, body.looks, strict=True)):
            m.bodies[name] = replace(body, looks=tuple(looks))
    if not lost:
        return None
    return Finding("lost", "meshes outside the folder of the new file, which model files cannot name", tuple(lost))


def home_of_meshes(m: Mechanism) -> Path | None:
    """The one folder that all meshes to be seen lie in; None where there are several, or no meshes."""
    folders = {look.folder for body in m.bodies.values() for look in body.looks if isinstance(look, MeshLook)}
    return Path(folders.pop()) if len(folders) == 1 else None


def is_sized(notes: Notes, at: Element, *sizes: float) -> bool:
    """Whether all sizes of a shape are positive; else it is not drawn."""
    fits = all(math.isfinite(size) and size > 0.0 for size in sizes)
    if not fits:
        notes.say("lost", "shapes without a size are not drawn", "", at)
    return fits
