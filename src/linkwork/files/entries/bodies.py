"""Bodies, inertias and solids in a model file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from linkwork.errors import ModelError, Problem
from linkwork.files.entries.base import Entry, Gather, Switch, Text, located
from linkwork.files.entries.placements import AxesEntry, MomentRow, PlacementEntry
from linkwork.files.quantities import (
    Angle,
    Density,
    Length,
    Mass,
    MomentOfInertia,
    OrElse,
    Point,
    listed,
)
from linkwork.model import bodies, solids
from linkwork.model.solids import Shape, Solid


class CylinderSizes(Entry):
    """A round bar along w, centred."""

    radius: Length
    length: Length


class TubeSizes(Entry):
    """A hollow round bar along w, centred."""

    outer: Length
    inner: Length
    length: Length


class SphereSizes(Entry):
    """A ball, centred."""

    radius: Length


class ConeSizes(Entry):
    """A cone along w; its base at the origin, its tip (or face of radius `top`) at w = length."""

    radius: Length
    length: Length
    top: Length = 0.0


class RingSectorSizes(Entry):
    """Part of a ring, symmetric about u, thick along w, centred."""

    outer: Length
    inner: Length
    angle: Angle
    length: Length


class ShapeEntry(PlacementEntry):
    """A shape and where it stands in its body. Exactly one is given."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": [k]} for k in (*solids.SHAPES, "mesh")]})

    box: tuple[Length, Length, Length] | None = Field(None, description="edges along u, v, w; centred")
    cylinder: CylinderSizes | None = None
    tube: TubeSizes | None = None
    sphere: SphereSizes | None = None
    cone: ConeSizes | None = None
    ring_sector: RingSectorSizes | None = None
    mesh: Text | None = Field(None, description="STL, OBJ, PLY, OFF, GLB or GLTF beside the model; needs `units`")
    units: Text | None = Field(None, description="length unit of the mesh file, such as mm")

    def shape(self, where: str, read_mesh: Any, **more: Any) -> solids.Shape:
        """The shape; `read_mesh(path, units)` makes one of a mesh file."""
        kinds = [k for k in (*solids.SHAPES, "mesh") if getattr(self, k) is not None]
        if len(kinds) != 1:
            hint = f"one of {', '.join((*solids.SHAPES, 'mesh'))}"
            raise ModelError(Problem(f"{len(kinds)} shapes are given", where, hint))
        kind = kinds[0]
        if kind != "mesh" and self.units is not None:
            raise ModelError(Problem("`units` is for meshes", where, "write the unit behind the number"))
        sizes = getattr(self, kind)

        def shape(**common: Any) -> solids.Shape:
            if kind == "mesh":
                return read_mesh(self.mesh, self.units, **common)  # type: ignore[no-any-return]
            values = {"size": sizes} if kind == "box" else dict(sizes)
            return solids.SHAPES[kind](**values, **common)

        with Gather() as part:
            frame = part(self.placement, where)
            made = part(lambda: located(lambda: shape(frame=frame, **more), f"{where}.{kind}"))
        assert made is not None
        return made


class SolidEntry(ShapeEntry):
    """A solid with a density, added to a body or cut out of it. Exactly one shape is given."""

    density: Density | None = None
    minus: Switch = Field(False, description="true: cut out")

    def solid(self, where: str, read_mesh: Any) -> solids.Shape:
        """The shape; `read_mesh(path, units)` reads mesh files."""
        return self.shape(where, read_mesh, density=self.density)


class LookEntry(ShapeEntry):
    """A shape only to be seen; a mesh need not be closed. Exactly one shape is given."""


class InertiaEntry(Entry):
    """Inertia tensor. Signs: xx = ∫(y²+z²)dm, xy = -∫xy dm, unless products: positive."""

    moments: tuple[MomentOfInertia, ...] | None = Field(None, description="xx, yy, zz or xx, yy, zz, xy, xz, yz")
    tensor: tuple[MomentRow, MomentRow, MomentRow] | None = None
    xx: MomentOfInertia | None = None
    yy: MomentOfInertia | None = None
    zz: MomentOfInertia | None = None
    xy: MomentOfInertia | None = None
    xz: MomentOfInertia | None = None
    yz: MomentOfInertia | None = None
    about: Literal["com", "origin"] = "com"
    products: Literal["tensor", "positive"] = "tensor"
    axes: AxesEntry | None = Field(None, description="axes of the numbers in the body's own frame")

    def inertia(self, where: str) -> bodies.Inertia:
        """The inertia that the entry describes."""
        elements = {k: v for k in bodies.ELEMENTS if (v := getattr(self, k)) is not None}
        forms = [f for f in (self.moments, self.tensor, elements or None) if f is not None]
        if len(forms) != 1:
            hint = "give a list, a 3x3 `tensor`, or elements xx, yy, zz, xy, xz, yz"
            raise ModelError(Problem(f"{len(forms)} forms of inertia are given", where, hint))
        if self.tensor is not None and self.products == "positive":
            raise ModelError(
                Problem("`products: positive` with a tensor", where, "the elements of a tensor have signs")
            )
        axes = None if self.axes is None else self.axes.orientation(f"{where}.axes")
        return bodies.inertia(forms[0], about=self.about, axes=axes, products=self.products, where=where)


def inertia_form(value: Any) -> Any:
    """A bare list is one of moments, or of the rows of a tensor."""
    if isinstance(value, list | tuple):
        return {"tensor" if value and isinstance(value[0], list | tuple) else "moments": value}
    return value


_INERTIA_LISTS = {"anyOf": [listed(3), listed(6), listed(3, listed(3))]}


class BodyEntry(Entry):
    """A rigid body. Its numbers are in its own frame: the global frame of the layout unless `frame` is given."""

    mass: Mass | None = None
    com: Point | None = Field(None, description="centre of mass; by default the mean of the body's joints")
    inertia: Annotated[InertiaEntry, BeforeValidator(inertia_form), OrElse(_INERTIA_LISTS)] | None = None
    bar: tuple[Point, Point] | None = Field(None, description="ends of a thin uniform bar, instead of com and inertia")
    solids: list[SolidEntry] | None = None
    density: Density | None = None
    frame: PlacementEntry | None = Field(None, description="the body's own frame in the layout posture")
    accept_unphysical: Switch = Field(False, description="take mass properties that no real body has, with a warning")
    description: Text = ""
    looks: list[LookEntry] | None = Field(None, description="shapes only to be seen, instead of the solids")
    colour: Text = Field("", description="#RRGGBB or a name of the palette")

    def arguments(self, where: str, read_mesh: Any, mesh_look: Any) -> dict[str, Any]:
        """Keyword arguments of `Mechanism.body`."""
        with Gather() as part:
            looks = part(self._looks, where, mesh_look)
            solid = part(self._solid, where, read_mesh)
            inertia = part(lambda: None if self.inertia is None else self.inertia.inertia(f"{where}.inertia"))
            frame = part(lambda: None if self.frame is None else self.frame.placement(f"{where}.frame"))
        return {
            "mass": self.mass,
            "com": self.com,
            "inertia": inertia,
            "bar": self.bar,
            "solid": solid,
            "density": self.density,
            "frame": frame,
            "accept_unphysical": self.accept_unphysical,
            "description": self.description,
            "looks": looks or None,
            "colour": self.colour,
        }

    def _looks(self, where: str, mesh_look: Any) -> list[Shape]:
        with Gather() as part:
            looks = [part(look.shape, f"{where}.looks[{i}]", mesh_look) for i, look in enumerate(self.looks or ())]
        return [look for look in looks if look is not None]

    def _solid(self, where: str, read_mesh: Any) -> Solid | None:
        entries = self.solids or ()
        with Gather() as part:
            shapes = [part(entry.solid, f"{where}.solids[{i}]", read_mesh) for i, entry in enumerate(entries)]
        signs = [-1 if entry.minus else +1 for entry in entries]
        parts = tuple((sign, shape) for sign, shape in zip(signs, shapes, strict=True) if shape is not None)
        if len(parts) == 1 and parts[0][0] > 0:
            return parts[0][1]
        return solids.Compound(parts) if parts else None
