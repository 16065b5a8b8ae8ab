"""Solids with a density: mass, centre of mass and inertia from simple shapes, their sums and their differences.

Every solid gives its moment matrix  M = ∫ h hᵀ dV,  h = (x, y, z, 1): volume, first and second moments in one 4x4.
Moving a solid is X M Xᵀ, joining two is +, cutting one out of another is -.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.placement import HERE, Placement
from linkwork.model.vectors import Vector, number, vector


def _moments(volume: float, xx: float, yy: float, zz: float, x: float = 0.0, z: float = 0.0, xz: float = 0.0) -> Array:
    """Moment matrix from per-volume second moments (xx, yy, zz, xz) and first moments (x, z)."""
    return volume * np.array([[xx, 0, xz, x], [0, yy, 0, 0], [xz, 0, zz, z], [x, 0, z, 1.0]])


class Solid:
    """What every solid can do: be added to another, be cut out of another, give its moments."""

    def __add__(self, other: Solid) -> Compound:
        return Compound((*parts_of(self, +1), *parts_of(other, +1)))

    def __sub__(self, other: Solid) -> Compound:
        return Compound((*parts_of(self, +1), *parts_of(other, -1)))


@dataclass(frozen=True, kw_only=True)
class Shape(Solid):
    """A primitive solid. `frame` places it in the body, `density` [kg/m^3] overrides that of the body."""

    frame: Placement = HERE
    density: float | None = None
    kind: ClassVar[str]
    sizes: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        for size in self.sizes:
            self._assert_positive(getattr(self, size), size)
        if self.density is not None:
            self._assert_positive(self.density, "density")
        if self.frame.within is not None:
            hint = "leave `within` out: a solid stands in the frame of its own body"
            raise ModelError(Problem(f"its frame is given in '{self.frame.within}'", self.kind, hint))

    def _assert_positive(self, value: float, name: str) -> None:
        if not number(value, f"{self.kind}.{name}") > 0.0:
            raise ModelError(Problem(f"{value:g} is not a positive {name}", self.kind))

    def local_moments(self) -> Array:
        """Moment matrix about the shape's own frame [m^3, m^4, m^5]."""
        raise AssertionError(self.kind)  # every shape below gives its own

    def moments(self) -> Array:
        """Moment matrix about the body's frame."""
        X_BS = self.frame.pose()
        return X_BS @ self.local_moments() @ X_BS.T


@dataclass(frozen=True, kw_only=True)
class Box(Shape):
    """A block with edges `size` = (x, y, z), centred on its frame."""

    size: Vector
    kind = "box"
    sizes = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "size", vector(self.size, "box.size"))
        for edge in self.size:
            self._assert_positive(edge, "size")

    def local_moments(self) -> Array:
        a, b, c = self.size
        return _moments(a * b * c, a * a / 12, b * b / 12, c * c / 12)


@dataclass(frozen=True, kw_only=True)
class Cylinder(Shape):
    """A round bar along w, centred on its frame."""

    radius: float
    length: float
    kind = "cylinder"
    sizes = ("radius", "length")

    def local_moments(self) -> Array:
        r2 = self.radius**2
        return _moments(math.pi * r2 * self.length, r2 / 4, r2 / 4, self.length**2 / 12)


@dataclass(frozen=True, kw_only=True)
class Tube(Shape):
    """A hollow round bar along w, centred on its frame."""

    outer: float
    inner: float
    length: float
    kind = "tube"
    sizes = ("outer", "inner", "length")

    def __post_init__(self) -> None:
        super().__post_init__()
        _assert_inside(self.inner, self.outer, self.kind)

    def local_moments(self) -> Array:
        r2, R2 = self.inner**2, self.outer**2
        return _moments(math.pi * (R2 - r2) * self.length, (R2 + r2) / 4, (R2 + r2) / 4, self.length**2 / 12)


@dataclass(frozen=True, kw_only=True)
class Sphere(Shape):
    """A ball centred on its frame."""

    radius: float
    kind = "sphere"
    sizes = ("radius",)

    def local_moments(self) -> Array:
        second = self.radius**2 / 5
        return _moments(4 / 3 * math.pi * self.radius**3, second, second, second)


@dataclass(frozen=True, kw_only=True)
class Cone(Shape):
    """A cone along w: its base lies at the frame's origin, its tip (or smaller face, `top`) at w = length."""

    radius: float
    length: float
    top: float = 0.0
    kind = "cone"
    sizes = ("radius", "length")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.top < math.inf:
            raise ModelError(Problem(f"{self.top:g} is not a radius of the top", self.kind))

    def local_moments(self) -> Array:
        a, b, h = self.radius, self.top, self.length
        volume = math.pi * h * (a * a + a * b + b * b) / 3
        z = math.pi * h**2 * (a * a + 2 * a * b + 3 * b * b) / 12 / volume
        zz = math.pi * h**3 * (a * a + 3 * a * b + 6 * b * b) / 30 / volume
        xx = math.pi * h * (a**4 + a**3 * b + a * a * b * b + a * b**3 + b**4) / 20 / volume
        return _moments(volume, xx, xx, zz, z=z)


@dataclass(frozen=True, kw_only=True)
class RingSector(Shape):
    """Part of a ring: `angle` [rad] in all, symmetric about u; thick `length` along w, centred on its frame."""

    outer: float
    inner: float
    angle: float
    length: float
    kind = "ring_sector"
    sizes = ("outer", "angle", "length")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.angle > 2 * math.pi * (1 + 1e-12):
            raise ModelError(Problem(f"{self.angle:g} rad is more than a full ring", self.kind))
        if self.inner < 0.0:
            raise ModelError(Problem(f"{self.inner:g} is not an inner radius", self.kind, "0 makes a full sector"))
        _assert_inside(self.inner, self.outer, self.kind)

    def local_moments(self) -> Array:
        half, r, R = self.angle / 2, self.inner, self.outer
        area = half * (R * R - r * r)
        x = 2 / 3 * (R**3 - r**3) * math.sin(half) / area
        ring = (R**4 - r**4) / 4 / area
        swing = math.sin(half) * math.cos(half)
        return _moments(area * self.length, ring * (half + swing), ring * (half - swing), self.length**2 / 12, x=x)


@dataclass(frozen=True, kw_only=True)
class MeshSolid(Shape):
    """A closed surface read from a file (`linkwork.read_mesh`); its moments are integrated once and kept here."""

    path: str
    scale: float
    integrals: tuple[float, ...]
    folder: str = field(default="", compare=False, repr=False)
    kind = "mesh"
    sizes = ("scale",)

    def local_moments(self) -> Array:
        return np.array(self.integrals).reshape(4, 4)


@dataclass(frozen=True, kw_only=True)
class MeshLook(Shape):
    """A surface in a file, only to be seen (`linkwork.mesh_look`): it is read when it is drawn, and has no mass.

    `folder` is where it is looked for; without one it is not.
    """

    path: str
    scale: float
    folder: str = field(default="", compare=False, repr=False)
    kind = "mesh"
    sizes = ("scale",)

    def local_moments(self) -> Array:
        hint = "use read_mesh(...) for a solid"
        raise ModelError(Problem(f"the mesh '{self.path}' is only to be seen and has no mass", self.kind, hint))


@dataclass(frozen=True)
class Compound(Solid):
    """Solids added (+1) and cut out (-1). What is cut out should lie inside what is there."""

    parts: tuple[tuple[int, Shape], ...]


def parts_of(solid: Solid, sign: int = +1) -> tuple[tuple[int, Shape], ...]:
    """The signed primitives of a solid."""
    if isinstance(solid, Compound):
        return tuple((sign * s, shape) for s, shape in solid.parts)
    if isinstance(solid, Shape):
        return ((sign, solid),)
    raise ModelError(f"{solid!r} is not a solid; use Box, Cylinder, Tube, Sphere, Cone, RingSector or a mesh")


def mass_moments(solid: Solid, density: float | None) -> Array:
    """∫ h hᵀ dm in the body's frame: the pseudo-inertia matrix of a solid with its density [kg/m^3]."""
    total = np.zeros((4, 4))
    for sign, shape in parts_of(solid):
        rho = shape.density if shape.density is not None else density
        if rho is None:
            hint = "give `density` to the body or the solid"
            raise ModelError(Problem(f"the {shape.kind} has no density", hint=hint))
        total += sign * rho * shape.moments()
    return total


SHAPES: dict[str, type[Shape]] = {s.kind: s for s in (Box, Cylinder, Tube, Sphere, Cone, RingSector)}
"""The primitive shapes by their name in model files."""


def _assert_inside(inner: float, outer: float, kind: str) -> None:
    if not inner < outer:
        raise ModelError(Problem(f"the inner radius {inner:g} is not smaller than the outer {outer:g}", kind))
