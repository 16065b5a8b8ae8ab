"""Shapes of MJCF: what they weigh, and how they look."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import LinkworkError
from linkwork.files.mesh import surface_of
from linkwork.files.robots.mesh_volume import WAYS, mesh_volume
from linkwork.files.robots.mjcf_text import Text, z_to
from linkwork.files.robots.msh import read_msh
from linkwork.files.robots.surfaces import capsule, colour_of, is_sized, located, look_of_mesh
from linkwork.files.robots.values import named, number, number_list, numbers, placed
from linkwork.files.robots.xml import Element
from linkwork.geometry import Array
from linkwork.model.solids import Box, Cylinder, MeshLook, Shape, Sphere

TYPES = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "plane", "hfield", "sdf")
DENSITY = 1000.0
HIDDEN = 3
"""Geoms of this group and above are not drawn, as viewers have it."""


@dataclass(frozen=True)
class Geom:
    """One shape in its body's frame: its place, volume [m^3] and moments of inertia by mass [m^2] about its centre."""

    at: Element
    kind: str
    X: Array
    sizes: tuple[float, ...]
    volume: float
    moments: Array
    centre: Array
    """Of its volume, in the body's frame."""


def read_geom(text: Text, at: Element, X: Array, meshes: dict[str, Element]) -> Geom:
    """A shape that stands in a frame X of its body."""
    notes = text.notes
    kind = at.get("type") or (
        "mesh" if at.has("mesh") and not at.has("type") and "type" not in at.attributes else "sphere"
    )
    if kind not in TYPES:
        notes.wrong(f"'{kind}' is not a type of geom", at, named(at), f"one of {', '.join(TYPES)}")
        kind = "sphere"
    if kind != "mesh" and at.has("mesh"):
        notes.wrong("a shape that is fitted to a mesh cannot be said", at, named(at), "give its size")
    said = number_list(notes, at, "size", at.get("size") or "0 0 0", (1, 2, 3)) or (0.0, 0.0, 0.0)
    sizes = (*said, 0.0, 0.0)[:3]
    X_G = text.pose(at)
    if at.has("fromto"):
        ends = number_list(notes, at, "fromto", at.get("fromto") or "", (6,)) or (0.0,) * 5 + (1.0,)
        a, b = np.array(ends[:3]), np.array(ends[3:])
        length = float(np.linalg.norm(a - b))
        if not length:
            notes.wrong("the ends of `fromto` are at one place", at, named(at))
            length, a = 1.0, b + np.array([0.0, 0.0, 1.0])
        X_G = geo.pose(z_to(a - b), (a + b) / 2)
        sizes = (sizes[0], length / 2, 0.0) if kind in ("capsule", "cylinder") else (sizes[0], sizes[0], length / 2)
    X_G = X @ X_G
    volume, moments, centre = _volume(text, at, kind, sizes, meshes)
    return Geom(at, kind, X_G, sizes, volume, moments, X_G[:3, :3] @ centre + X_G[:3, 3])


def mass_of(text: Text, geom: Geom) -> float:
    """What it weighs [kg]: its mass, or its density times its volume."""
    at = geom.at
    if at.has("mass"):
        at.has("density")
        return number(text.notes, at, "mass")
    return number(text.notes, at, "density", DENSITY) * geom.volume


def weighed(text: Text, geoms: list[Geom]) -> tuple[float, Array, Array]:
    """Mass, centre and inertia about it of all shapes of a body, in its axes."""
    first, last = text.setting_numbers("inertiagrouprange", (0.0, 5.0))
    total, moment = 0.0, np.zeros(3)
    parts: list[tuple[float, Geom]] = []
    for geom in geoms:
        if first <= number(text.notes, geom.at, "group") <= last:
            mass = mass_of(text, geom)
            said = "mass" if geom.at.has("mass") else "density"
            if geom.kind == "mesh" and not geom.volume and number(text.notes, geom.at, said, DENSITY) > 0.0:
                hint = 'give the body an <inertial>, or the geom mass="0"'
                text.notes.wrong(
                    "the mesh tells no mass: it is not there, not read, or not closed", geom.at, named(geom.at), hint
                )
            if geom.at.get("shellinertia") == "true":
                text.notes.wrong("a shell that weighs cannot be said", geom.at, named(geom.at), "give an <inertial>")
            parts.append((mass, geom))
            total += mass
            moment += mass * geom.centre
    if total <= 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    com = moment / total
    tensor = np.zeros((3, 3))
    for mass, geom in parts:
        R, d = geom.X[:3, :3], geom.centre - com
        tensor += mass * (R @ geom.moments @ R.T + d @ d * np.eye(3) - np.outer(d, d))
    return total, com, (tensor + tensor.T) / 2


def _volume(
    text: Text, at: Element, kind: str, sizes: tuple[float, ...], meshes: dict[str, Element]
) -> tuple[float, Array, Array]:
    """Volume, moments of inertia by mass about the centre, and the centre in its own frame."""
    a, b, c = sizes
    here = np.zeros(3)
    if kind == "sphere":
        return 4 / 3 * math.pi * a**3, 2 / 5 * a * a * np.eye(3), here
    if kind == "ellipsoid":
        own = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 5
        return 4 / 3 * math.pi * a * b * c, np.diag(own), here
    if kind == "box":
        own = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 3
        return 8 * a * b * c, np.diag(own), here
    if kind == "cylinder":
        across = (3 * a * a + 4 * b * b) / 12
        return 2 * math.pi * a * a * b, np.diag([across, across, a * a / 2]), here
    if kind == "capsule":
        # Of the whole, the two half balls are r4/(4r + 3h); their centres lie 3r/8 beyond the bar of length h.
        h = 2 * b
        balls = 4 * a / (4 * a + 3 * h) if a else 0.0
        bar = 1.0 - balls
        across = bar * (3 * a * a + h * h) / 12 + balls * (2 / 5 * a * a + h * (3 * a + 2 * h) / 8)
        along = bar * a * a / 2 + balls * 2 / 5 * a * a
        return math.pi * a * a * (h + 4 / 3 * a), np.diag([across, across, along]), here
    if kind == "mesh":
        return _mesh_volume(text, at, meshes)
    return 0.0, np.zeros((3, 3)), here


def _mesh_volume(text: Text, at: Element, meshes: dict[str, Element]) -> tuple[float, Array, Array]:
    """The same of a surface in a file."""
    nothing = 0.0, np.zeros((3, 3)), np.zeros(3)
    name = at.get("mesh") or ""
    mesh = meshes.get(name)
    if mesh is None:
        text.notes.wrong(f"there is no mesh '{name}'", at, named(at))
        return nothing
    found = located(text.notes, mesh_file(text, mesh), "")
    if found is None:
        return nothing
    try:
        if PurePosixPath(found[1]).suffix.lower() == ".msh":
            points, faces = read_msh(found[0] / found[1])
        else:
            points, faces = surface_of(MeshLook(path=found[1], scale=1.0, folder=str(found[0])))
    except LinkworkError:
        return nothing
    way = mesh.get("inertia") or "legacy"
    if way not in WAYS:
        hint = f"one of {', '.join(WAYS)}; or give the body an <inertial>"
        text.notes.wrong(f"the way '{way[:40]}' to weigh a mesh is not known", mesh, named(mesh), hint)
        return nothing
    return mesh_volume(points * np.array(numbers(text.notes, mesh, "scale", (1.0, 1.0, 1.0))), faces, way) or nothing


def mesh_file(text: Text, mesh: Element) -> str:
    """The path of a mesh, below `meshdir`."""
    said = mesh.get("file") or ""
    if text.is_set("strippath", False):
        said = PurePosixPath(said.replace("\\", "/")).name
    folder = text.setting("meshdir", text.setting("assetdir", ""))
    return str(PurePosixPath(folder) / said) if folder else said


def looks(text: Text, geom: Geom, meshes: dict[str, Element]) -> list[Shape]:
    """How it is drawn; nothing for planes, fields of heights and hidden groups."""
    notes, at = text.notes, geom.at
    a, b, c = geom.sizes
    if number(notes, at, "group") >= HIDDEN:
        notes.say("lost", f"geoms of groups from {HIDDEN} on are not drawn", at.attributes.get("name", ""), at)
        return []
    frame = placed(geom.X)
    if geom.kind == "mesh" and (mesh := meshes.get(at.get("mesh") or "")) is not None:
        scale = numbers(notes, mesh, "scale", (1.0, 1.0, 1.0))
        if mesh.has("refpos") or mesh.has("refquat"):
            notes.say("lost", "meshes with a frame of their own (refpos, refquat) are not drawn", "", mesh)
            return []
        look = look_of_mesh(notes, at, mesh_file(text, mesh), scale, frame)
        return [] if look is None else [look]
    if geom.kind == "box" and is_sized(notes, at, a, b, c):
        return [Box(size=(2 * a, 2 * b, 2 * c), frame=frame)]
    if geom.kind == "sphere" and is_sized(notes, at, a):
        return [Sphere(radius=a, frame=frame)]
    if geom.kind == "cylinder" and is_sized(notes, at, a, b):
        return [Cylinder(radius=a, length=2 * b, frame=frame)]
    if geom.kind == "capsule" and is_sized(notes, at, a):
        return capsule(geom.X, a, 2 * b)
    if geom.kind == "ellipsoid" and is_sized(notes, at, a, b, c):
        notes.say("approximated", "ellipsoids are drawn as balls of the same volume", at.attributes.get("name", ""), at)
        return [Sphere(radius=(a * b * c) ** (1 / 3), frame=frame)]
    if geom.kind in ("plane", "hfield", "sdf"):
        notes.say("lost", f"geoms of the type {geom.kind} are not drawn", at.attributes.get("name", ""), at)
    return []


def colour(text: Text, at: Element, materials: dict[str, Element]) -> str:
    """#RRGGBB of a shape; "" where none is said."""
    if at.has("rgba"):
        return colour_of(numbers(text.notes, at, "rgba", (0.5, 0.5, 0.5, 1.0)))
    material = materials.get(at.get("material") or "")
    if material is None or not material.has("rgba"):
        return ""
    return colour_of(numbers(text.notes, material, "rgba", (1.0, 1.0, 1.0, 1.0)))
