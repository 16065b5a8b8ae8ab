"""Surfaces and curves in space that a joint of a model file keeps a point on: one class a kind."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, WithJsonSchema

from linkwork.errors import ModelError, Problem
from linkwork.expressions import Expression
from linkwork.files.entries.base import Entry, Switch, Whole, located
from linkwork.files.quantities import Angle, Length, Name, Number, OrElse, Point
from linkwork.model.space_curves import SpaceCurve, space_curve
from linkwork.model.surfaces import Surface, surface
from linkwork.units import LENGTH, UnitSystem

ARITHMETIC = WithJsonSchema({"type": ["string", "number"]})


def _arithmetic(*variables: str) -> Any:
    def read(value: Any) -> Any:
        text = str(value) if type(value) in (int, float) else value
        if isinstance(text, str):
            Expression(text, variables)  # complains of all that is not arithmetic
        return text

    return BeforeValidator(read)


OfT = Annotated[str, _arithmetic("t"), ARITHMETIC]
OfXY = Annotated[str, _arithmetic("x", "y"), ARITHMETIC]
OfUV = Annotated[str, _arithmetic("u", "v"), ARITHMETIC]
Unit = Annotated[Length | None, Field(description="unit of the expressions' lengths; that of the header")]


class PlaneEntry(Entry):
    """The plane across the axis. Variables: x, y."""


class RoundEntry(Entry):
    """A sphere (variables: angle1, angle2), a cylinder (angle, slide) or a circle."""

    radius: Length


class ConeEntry(Entry):
    """A cone with its apex at the origin. Variables: angle, slant."""

    half_angle: Angle = Field(description="between the axis and the side")


class TorusEntry(Entry):
    """A ring. Variables: angle, around."""

    radius: Length = Field(description="of the middle circle")
    tube: Length = Field(description="radius of the tube")


class HeightEntry(Entry):
    """z(x, y) over a rectangle. Variables: x, y."""

    z: OfXY
    x: tuple[Length, Length] = Field(description="from where to where")
    y: tuple[Length, Length] = Field(description="from where to where")
    unit: Unit = None


class ParametricEntry(Entry):
    """x, y and z of two numbers. Variables: u, v."""

    x: OfUV
    y: OfUV
    z: OfUV
    u: tuple[Number, Number] = Field(description="from where to where")
    v: tuple[Number, Number] = Field(description="from where to where")
    closed: Literal["", "u", "v", "uv"] = Field("", description="which of them begin anew at their end")
    unit: Unit = None


class SurfaceEntry(Entry):
    """A surface: one of its kinds."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": [k]} for k in ("plane", "sphere", "cylinder", "cone", "torus", "height", "parametric")
            ]
        }
    )

    plane: PlaneEntry | None = None
    sphere: RoundEntry | None = None
    cylinder: RoundEntry | None = None
    cone: ConeEntry | None = None
    torus: TorusEntry | None = None
    height: HeightEntry | None = None
    parametric: ParametricEntry | None = None

    def surface(self, where: str, units: UnitSystem) -> Surface:
        """The surface in SI."""
        kind, numbers = _only(self, "surface", where, units)
        return located(lambda: surface(kind, **numbers), where)


class LineEntry(Entry):
    """The line along the axis; its parameter is a length."""


class HelixEntry(Entry):
    """A screw line about the axis; its parameter is an angle."""

    radius: Length
    lead: Length = Field(description="advance in one turn; negative for a left-handed one")


class PathEntry(Entry):
    """x, y and z of t."""

    x: OfT
    y: OfT
    z: OfT
    span: tuple[Number, Number] | None = Field(None, description="first and last t; 0 to 2 pi")
    closed: Switch = False
    unit: Unit = None


class SplineEntry(Entry):
    """A spline through points in space."""

    points: list[Point]
    closed: Switch = False
    degree: Whole = Field(5, description="5 or 3")


class SpaceCurveEntry(Entry):
    """A curve in space: one of its kinds."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": [k]} for k in ("named", "line", "circle", "helix", "expression", "spline")]
        }
    )

    named: Name | None = Field(None, description="a planar curve of the section `curves`; `curve: name` says the same")
    line: LineEntry | None = None
    circle: RoundEntry | None = None
    helix: HelixEntry | None = None
    expression: PathEntry | None = None
    spline: SplineEntry | None = None

    def curve(self, where: str, units: UnitSystem) -> SpaceCurve | str:
        """The curve in SI, or the name of a planar one."""
        kind, numbers = _only(self, "curve", where, units)
        if self.named is not None:
            return self.named
        return located(lambda: space_curve(kind, **numbers), where)


def _only(entry: Entry, what: str, where: str, units: UnitSystem) -> tuple[str, dict[str, Any]]:
    """The one kind that an entry names, and its numbers; expressions are in the header's unit unless they say more."""
    kinds = [kind for kind in type(entry).model_fields if getattr(entry, kind) is not None]
    if len(kinds) != 1:
        listed = ", ".join(type(entry).model_fields)
        text = f"it is {' and '.join(kinds)} at once" if kinds else f"the kind of {what} is missing"
        raise ModelError(Problem(text, where, "keep one kind" if kinds else f"one of {listed}"))
    inner = getattr(entry, kinds[0])
    if not isinstance(inner, Entry):
        return kinds[0], {}
    numbers = {name: value for name, value in inner if value is not None}
    if "unit" in type(inner).model_fields:
        numbers.setdefault("unit", units.factor(LENGTH))
    return kinds[0], numbers


def _by_name(value: Any) -> Any:
    return {"named": value} if isinstance(value, str | int) and not isinstance(value, bool) else value


NAME = TypeAdapter(Name).json_schema()
AnyCurve = Annotated[SpaceCurveEntry, BeforeValidator(_by_name), OrElse(NAME)]
