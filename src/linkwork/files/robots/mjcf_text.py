"""MJCF as text: files that include others, classes of defaults, units of angles, and ways to say an orientation."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import Line, ModelError, Problem, did_you_mean
from linkwork.files.robots.notes import Notes
from linkwork.files.robots.surfaces import located
from linkwork.files.robots.values import named, number_list, numbers, vector
from linkwork.files.robots.xml import Element, read_xml
from linkwork.files.tree import MAX_BYTES
from linkwork.geometry import Array

DEEPEST, MOST = 8, 64
"""Levels and number of files that are included."""
_TURNS = {"x": geo.rot_x, "y": geo.rot_y, "z": geo.rot_z}


@dataclass(eq=False)
class Merged(Element):
    """An element with what the defaults of its class add to it; what is asked of it is asked of them."""

    origins: tuple[Element, ...] = ()

    def get(self, name: str) -> str | None:
        """The text of an attribute, its own or a default."""
        for origin in self.origins:
            origin.used = True
            origin.asked.add(name)
        return super().get(name)


@dataclass
class Text:
    """An MJCF file with all that it includes.

    settings : attributes of <compiler>; defaults : by class and tag, nearest last
    """

    root: Element
    notes: Notes
    settings: dict[str, str] = field(default_factory=dict)
    classes: dict[str, dict[str, list[Element]]] = field(default_factory=dict)
    _count: int = 0
    _bytes: int = 0

    def prepare(self) -> None:
        """Takes in the included files, and reads compiler options and defaults."""
        self._include(self.root, 0, {""})
        for compiler in self.root.all("compiler"):
            self.settings |= compiler.attributes
            compiler.used = True
        self.classes["main"] = {}
        for top in self.root.all("default"):
            self._defaults(top, "main", {})

    def setting(self, name: str, default: str) -> str:
        """An option of the compiler."""
        for compiler in self.root.all("compiler"):
            compiler.asked.add(name)
        return self.settings.get(name, default).strip()

    def choice(self, name: str, options: tuple[str, ...]) -> str:
        """A compiler option that is one of some words; the first where it is not said."""
        said = self.setting(name, options[0])
        if said not in options:
            compiler = next(iter(self.root.all("compiler")), self.root)
            self.notes.wrong(f"{name} is '{said[:40]}'", compiler, "compiler", f"one of {', '.join(options)}")
        return said

    def is_set(self, name: str, default: bool) -> bool:
        """A compiler option that is true or false."""
        return self.choice(name, ("true", "false") if default else ("false", "true")) == "true"

    def setting_numbers(self, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """Numbers of a compiler option, as many as the default has."""
        said = self.setting(name, "")
        compiler = next(iter(self.root.all("compiler")), self.root)
        return (number_list(self.notes, compiler, name, said, (len(default),)) or default) if said else default

    # ---------------------------------------------------------------- includes

    def _include(self, at: Element, depth: int, above: set[str]) -> None:
        children: list[Element] = []
        for child in at.children:
            if child.tag != "include":
                self._include(child, depth, above)
                children.append(child)
                continue
            child.used = True
            children += self._included(child, depth, above)
        at.children = children

    def _included(self, at: Element, depth: int, above: set[str]) -> list[Element]:
        name = at.get("file") or ""
        found = located(self.notes, name, str(at.file.rpartition("/")[0]))
        if found is None:
            hint = "it must lie in the folder of the file, or in the `folders` that are given"
            self.notes.wrong(f"the file '{name[:80]}' that is included is not there", at, hint=hint)
            return []
        root, path = found
        self._count += 1
        if depth >= DEEPEST or self._count > MOST or path in above:
            why = "it includes itself" if path in above else f"more than {DEEPEST} levels or {MOST} files are included"
            self.notes.wrong(f"'{name[:80]}': {why}", at)
            return []
        with (root / path).open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
        self._bytes += len(raw)
        if self._bytes > MAX_BYTES:
            self.notes.wrong(f"all files together have more than {MAX_BYTES / 1e6:.0f} MB", at)
            return []
        try:
            other = read_xml(raw, path)
        except ModelError as error:
            for p in error.problems:
                self.notes.problems.append(Problem(p.what, p.where, p.hint, Line(p.line or 1, path)))
            return []
        self._include(other, depth + 1, {*above, path})
        self.notes.say("kept", "files that are included", path)
        return other.children

    # ---------------------------------------------------------------- defaults

    def _defaults(self, at: Element, name: str, inherited: dict[str, list[Element]]) -> None:
        own = self.classes.setdefault(name, {tag: list(found) for tag, found in inherited.items()})
        at.used = True
        at.asked.add("class")
        nested = at.all("default")
        for child in at.children:
            if child.tag != "default":
                child.used = True
                own.setdefault(child.tag, []).append(child)
        for child in nested:
            called = child.get("class")
            if not called:
                self.notes.wrong("a class of defaults without a name", child, "default")
            else:
                self._defaults(child, called, own)

    def merged(self, element: Element, childclass: str = "", tag: str = "") -> Merged:
        """An element with the defaults of its own class, or of the nearest `childclass`, or of all."""
        name = element.get("class") or childclass or "main"
        if name not in self.classes:
            self.notes.wrong(f"there is no class '{name}'", element, named(element), did_you_mean(name, self.classes))
            name = "main"
        element.used = True
        origins = self.classes[name].get(tag or element.tag, [])
        attributes: dict[str, str] = {}
        for origin in origins:
            attributes |= origin.attributes
        attributes |= element.attributes
        return Merged(
            element.tag, attributes, element.line, element.children, file=element.file, origins=(*origins, element)
        )

    # ---------------------------------------------------------------- angles and orientations

    @property
    def angle(self) -> float:
        """The unit of angles [rad]: a degree, unless the compiler says otherwise."""
        return 1.0 if self.choice("angle", ("degree", "radian")) == "radian" else math.pi / 180.0

    def pose(self, at: Element) -> Array:
        """Position and orientation of an element in that around it."""
        return geo.pose(self.rotation(at), np.array(vector(self.notes, at, "pos")))

    def rotation(self, at: Element) -> Array:
        """Orientation: a quaternion, or one of the ways that take its place."""
        notes = self.notes
        ways = [way for way in ("axisangle", "xyaxes", "zaxis", "euler") if at.has(way)]
        if len(ways) > 1:
            notes.wrong(f"the orientation is given twice: {' and '.join(ways)}", at, named(at), "keep one of them")
        if not ways:
            return self._unit(at, numbers(notes, at, "quat", (1.0, 0.0, 0.0, 0.0)))
        at.has("quat")
        way = ways[0]
        size = {"axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}[way]
        found = number_list(notes, at, way, at.get(way) or "", (size,))
        if found is None:
            return np.eye(3)
        if way == "euler":
            return self._euler(at, found)
        v = np.array(found)
        if not np.linalg.norm(v[:3]) or (way == "xyaxes" and not np.linalg.norm(np.cross(v[:3], v[3:]))):
            notes.wrong(f'{way}="{at.get(way)}": the direction has no length', at, named(at))
            return np.eye(3)
        if way == "axisangle":
            return geo.from_axis_angle(v[:3] / np.linalg.norm(v[:3]), v[3] * self.angle)
        if way == "zaxis":
            return z_to(v)
        x = v[:3] / np.linalg.norm(v[:3])
        y = v[3:] - x * (x @ v[3:])
        y /= np.linalg.norm(y)
        return np.column_stack([x, y, np.cross(x, y)])

    def _unit(self, at: Element, q: tuple[float, ...]) -> Array:
        size = math.hypot(*q)
        if not size:
            self.notes.wrong("the quaternion has no length", at, named(at), 'no turn is "1 0 0 0"')
            return np.eye(3)
        return np.eye(3) if q[1:] == (0.0, 0.0, 0.0) else geo.from_quaternion(np.array(q) / size)

    def _euler(self, at: Element, angles: tuple[float, ...]) -> Array:
        """Angles about the turned axes (small letters) or the fixed ones (capitals)."""
        sequence = self.setting("eulerseq", "xyz")
        if len(sequence) != 3 or any(c.lower() not in _TURNS for c in sequence):
            self.notes.wrong(f"eulerseq is '{sequence[:20]}'", at, named(at), "three of x, y, z, X, Y, Z")
            return np.eye(3)
        R: Array = np.eye(3)
        for letter, angle in zip(sequence, angles, strict=True):
            turn = _TURNS[letter.lower()](angle * self.angle)
            R = R @ turn if letter.islower() else turn @ R
        return R


def z_to(v: Array) -> Array:
    """The smallest turn that brings z along a direction."""
    z = v / np.linalg.norm(v)
    across = np.array([-z[1], z[0], 0.0])
    sine = float(np.linalg.norm(across))
    if sine < 1e-10:
        return np.eye(3) if z[2] > 0.0 else geo.rot_x(math.pi)
    return geo.from_axis_angle(across / sine, math.atan2(sine, float(z[2])))
