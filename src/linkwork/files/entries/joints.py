"""Joints in a model file: one class a kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, WithJsonSchema

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.files.entries.base import Entry, Gather, Switch, Text, Whole, located
from linkwork.files.entries.placements import PlacementEntry, SecondFrame
from linkwork.files.entries.shapes import AnyCurve, SurfaceEntry
from linkwork.files.quantities import (
    NUMBER_OR_TEXT,
    Angle,
    Direction,
    Length,
    Name,
    Pair,
    Point,
    listed,
    quantity,
)
from linkwork.model.entry import perpendicular_axes
from linkwork.model.joints import KINDS, OnSurface, Variable, a_joint
from linkwork.model.joints.lower_pairs import QUATERNION
from linkwork.model.mechanism import Mechanism
from linkwork.model.placement import ROW_KEYS, Placement, placement
from linkwork.model.space_curves import SpaceCurve
from linkwork.units import NUMBER, Dimension, UnitSystem

Variables = tuple[Variable, ...]

NUMBER_OR_NONE = {"anyOf": [NUMBER_OR_TEXT, {"const": None}]}
VALUE_SCHEMA = {
    "anyOf": [
        NUMBER_OR_TEXT,
        {"type": "array", "items": NUMBER_OR_TEXT},
        {"type": "object", "additionalProperties": NUMBER_OR_TEXT},
    ],
    "description": "layout values of the variables: one, all in order, or by name",
}
LIMITS_SCHEMA = {
    "anyOf": [listed(2, NUMBER_OR_NONE), {"type": "object", "additionalProperties": listed(2, NUMBER_OR_NONE)}],
    "description": "[low, high] of a single variable, or such pairs by variable name; null leaves a side open",
}


class JointEntry(Entry):
    """Base of all joints: the bodies stand behind the name of the kind."""

    kind: ClassVar[str]
    limits: Annotated[Any, WithJsonSchema(LIMITS_SCHEMA)] = None
    description: Text = ""

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        """Add the joint to a mechanism."""
        raise AssertionError(self.kind)  # every kind gives its own

    def _ends(self) -> Pair:
        ends: Pair = getattr(self, self.kind)
        return ends


class PlacedJoint(JointEntry, PlacementEntry):
    """A joint placed by `at` and `axis` (or any other way to give a frame)."""

    to: SecondFrame | None = Field(None, description="place or frame on the second body, where it differs")
    value: Annotated[Any, WithJsonSchema(VALUE_SCHEMA)] = None

    def law(self, units: UnitSystem, where: str) -> dict[str, Any]:
        """Arguments of the kind, besides those of every placed joint."""
        return {}

    def variables(self, law: Mapping[str, Any] | None) -> Variables | None:
        """Variables of the joint with these arguments; None where they cannot be told."""
        return KINDS[self.kind].variables

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        where = f"joints.{name}"
        with Gather() as part:
            frame = part(self._frame, where)
            to = part(self._second_frame, where)
            law = part(self.law, units, where)
            variables = self.variables(law)
            value = limits = None
            if variables is not None:
                value = part(variable_values, self.kind, self.value, units, f"{where}.value", variables)
                limits = part(variable_limits, self.kind, self.limits, units, f"{where}.limits", variables)
        options = {"frame": frame, "to": to, "value": value, "limits": limits, "description": self.description}
        getattr(m, self.kind)(name, *self._ends(), **options, **(law or {}))

    def _frame(self, where: str) -> Placement:
        return self.placement(where)

    def _second_frame(self, where: str) -> Placement | None:
        if self.to is None:
            return None
        if not self.to.model_fields_set & {"at", "points", "within", *ROW_KEYS}:
            raise ModelError(Problem("its place is missing", f"{where}.to", "give `at`, or leave `to` out"))
        return self.to.placement(f"{where}.to")


class RevoluteEntry(PlacedJoint):
    """A pin. Variable: angle."""

    kind = "revolute"
    revolute: Pair


class PrismaticEntry(PlacedJoint):
    """A slider along the axis. Variable: slide."""

    kind = "prismatic"
    prismatic: Pair


class HelicalEntry(PlacedJoint):
    """A screw. Variable: angle."""

    kind = "helical"
    helical: Pair
    lead: Length = Field(description="advance in one turn; negative for a left-handed thread")

    def law(self, units: UnitSystem, where: str) -> dict[str, Any]:
        return {"lead": self.lead}


class CylindricEntry(PlacedJoint):
    """A sleeve. Variables: angle, slide."""

    kind = "cylindric"
    cylindric: Pair


class SphericEntry(PlacedJoint):
    """A ball. Variables: qw, qx, qy, qz."""

    kind = "spheric"
    spheric: Pair


class FlatEntry(PlacedJoint):
    """A plate on a plane across the axis. Variables: x, y, angle."""

    kind = "flat"
    flat: Pair


class UniversalEntry(PlacedJoint):
    """A Hooke's joint. Variables: angle1, angle2."""

    kind = "universal"
    universal: Pair
    axes: tuple[Direction, Direction] | None = Field(None, description="one of each body; perpendicular")

    def _frame(self, where: str) -> Placement:
        if self.axes is None:
            return self.placement(where)
        besides = self.model_fields_set & (set(PlacementEntry.model_fields) - {"at", "within"})
        if besides:
            text = f"`axes` is given besides {', '.join(sorted(besides))}"
            raise ModelError(Problem(text, where, "keep one of them"))
        if self.value is not None:
            hint = "give `axis` and `x`, the axes at zero, with `value`; or leave `value` out"
            text = "`axes` are those of the layout posture, where the angles are then zero"
            raise ModelError(Problem(text, where, hint))
        first, second = perpendicular_axes(self.axes, where)
        return placement(self.at, axis=first, x=second, within=self.within, where=where)


class RigidEntry(PlacedJoint):
    """A weld. No variables."""

    kind = "rigid"
    rigid: Pair


class FreeEntry(PlacedJoint):
    """Six freedoms. Variables: x, y, z, qw, qx, qy, qz."""

    kind = "free"
    free: Pair


class ToothedEntry(JointEntry, PlacementEntry):
    """What gears and racks have in common: a second centre, and teeth."""

    to: SecondFrame = Field(description="centre of the second body, the gear or pinion")
    pressure_angle: Angle | None = Field(None, description="20 deg unless given")
    helix_angle: Angle = 0.0
    flank: Whole = 0

    def sizes(self) -> dict[str, Any]:
        """Arguments that are the kind's own."""
        raise AssertionError(self.kind)  # both kinds give their own

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        where = f"joints.{name}"
        with Gather() as part:
            at = part(self.placement, where)
            to = part(self.to.placement, f"{where}.to")
            limits = part(variable_limits, self.kind, self.limits, units, f"{where}.limits")
        options: dict[str, Any] = {"helix_angle": self.helix_angle, "flank": self.flank, **self.sizes()}
        if self.pressure_angle is not None:
            options["pressure_angle"] = self.pressure_angle
        options |= {"at": at, "to": to, "limits": limits, "description": self.description}
        getattr(m, self.kind)(name, *self._ends(), **options)


class GearEntry(ToothedEntry):
    """Two gears on parallel axes, centred at `at` and `to`. Variables: angle, stretch, axial."""

    kind = "gear"
    gear: Pair
    radii: tuple[Length, Length] | None = None
    teeth: tuple[Whole, Whole] | None = None
    module: Length | None = None
    internal: Switch = Field(False, description="true when one gear is a ring around the other")

    def sizes(self) -> dict[str, Any]:
        return {"radii": self.radii, "teeth": self.teeth, "module": self.module, "internal": self.internal}


class RackEntry(ToothedEntry):
    """A rack and pinion: [rack, pinion]; `at` is a point of the rack's pitch line. Variables: slide, stretch, axial."""

    kind = "rack"
    rack: Pair
    radius: Length
    teeth: Whole | None = None

    def sizes(self) -> dict[str, Any]:
        return {"radius": self.radius, "teeth": self.teeth}


class BevelEntry(JointEntry):
    """Two straight bevel gears. Variables: angle, spread."""

    kind = "bevel"
    bevel: Pair
    at: Point = Field(description="the common apex")
    axes: tuple[Direction, Direction] = Field(description="both axes, each from the apex to its gear")
    within: Name | None = Field(None, alias="in", description="body in whose own frame the numbers are given")
    cones: tuple[Angle, Angle] | None = Field(None, description="half angles of the pitch cones")
    teeth: tuple[Whole, Whole] | None = None
    internal: Switch = False

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        m.bevel(
            name,
            *self.bevel,
            at=self.at,
            axes=self.axes,
            within=self.within,
            cones=self.cones,
            teeth=self.teeth,
            internal=self.internal,
            limits=variable_limits("bevel", self.limits, units, f"joints.{name}.limits"),
            description=self.description,
        )


class PointOnCurveEntry(PlacedJoint):
    """A point of the second body on a curve of the first. Variables: parameter, angle, axial."""

    kind = "point_on_curve"
    point_on_curve: Pair
    curve: Name

    def law(self, units: UnitSystem, where: str) -> dict[str, Any]:
        return {"curve": self.curve}


class LineOnCurveEntry(PlacedJoint):
    """A line of the second body (u of `to`) tangent to a curve of the first. Variables: parameter, contact, axial."""

    kind = "line_on_curve"
    line_on_curve: Pair
    curve: Name

    def law(self, units: UnitSystem, where: str) -> dict[str, Any]:
        return {"curve": self.curve}


class OnSurfaceEntry(PlacedJoint):
    """A point of the second body on a surface of the first. Variables: two of the surface, qw, qx, qy, qz."""

    kind = "on_surface"
    on_surface: Pair
    surface: SurfaceEntry

    def law(self, units: UnitSystem, where: str) -> dict[str, Any]:
        return {"surface": self.surface.surface(f"{where}.surface", units)}

    def variables(self, law: Mapping[str, Any] | None) -> Variables | None:
        return None if law is None else OnSurface(law["surface"]).variables


class OnCurveEntry(PlacedJoint):
    """A point of the second body on a curve in space of the first. Variables: parameter, qw, qx, qy, qz."""

    kind = "on_curve"
    on_curve: Pair
    curve: AnyCurve

    def law(self, units: UnitSystem, where: str) -> dict[str, Any]:
        return {"curve": self.curve.curve(f"{where}.curve", units)}

    def variables(self, law: Mapping[str, Any] | None) -> Variables | None:
        if law is None:
            return None
        # The parameter of a planar curve is a number.
        dimension = law["curve"].dimension if isinstance(law["curve"], SpaceCurve) else "number"
        return (Variable("parameter", dimension), *QUATERNION)


JOINTS: dict[str, type[JointEntry]] = {
    entry.kind: entry
    for entry in (
        RevoluteEntry,
        PrismaticEntry,
        HelicalEntry,
        CylindricEntry,
        SphericEntry,
        FlatEntry,
        UniversalEntry,
        RigidEntry,
        FreeEntry,
        GearEntry,
        RackEntry,
        BevelEntry,
        PointOnCurveEntry,
        LineOnCurveEntry,
        OnSurfaceEntry,
        OnCurveEntry,
    )
}


def _dimensions(kind: str, variables: Variables | None) -> dict[str, Dimension]:
    return {v.name: v.quantity for v in (KINDS[kind].variables if variables is None else variables)}


def _of_variable(kind: str, name: Any, where: str, variables: dict[str, Dimension]) -> Dimension:
    if name not in variables:
        hint = did_you_mean(str(name), variables)
        raise ModelError(Problem(f"{a_joint(kind)} has no variable '{name}'", where, hint))
    return variables[name]


def variable_values(kind: str, value: Any, units: UnitSystem, where: str, variables: Variables | None = None) -> Any:
    """Layout values in SI, by name or in order; the Mechanism checks their number.

    variables : those of the joint, where its kind alone does not tell
    """
    if value is None:
        return None
    own = _dimensions(kind, variables)
    with Gather() as part:
        if isinstance(value, Mapping):
            return {k: part(_named_variable, kind, k, v, units, where, own) for k, v in value.items()}
        items = value if isinstance(value, list) else [value]
        dimensions = [*own.values(), *([NUMBER] * len(items))]
        return [part(_variable, d, v, units, where) for d, v in zip(dimensions, items, strict=False)]


def variable_limits(kind: str, limits: Any, units: UnitSystem, where: str, variables: Variables | None = None) -> Any:
    """Limits in SI; the Mechanism checks their order.

    variables : those of the joint, where its kind alone does not tell
    """
    if limits is None:
        return None
    own = _dimensions(kind, variables)
    if isinstance(limits, Mapping):
        with Gather() as part:
            return {k: part(_named_limits, kind, k, v, units, where, own) for k, v in limits.items()}
    if len(own) != 1:
        hint = f"write {{{next(iter(own))}: [low, high]}}" if own else "it has nothing to limit"
        raise ModelError(Problem(f"{a_joint(kind)} has {len(own) or 'no'} variables", where, hint))
    return _limit_pair(next(iter(own.values())), limits, units, where)


def _named_variable(
    kind: str, name: Any, value: Any, units: UnitSystem, where: str, own: dict[str, Dimension]
) -> float:
    return _variable(_of_variable(kind, name, where, own), value, units, f"{where}.{name}")


def _named_limits(
    kind: str, name: Any, pair: Any, units: UnitSystem, where: str, own: dict[str, Dimension]
) -> list[float | None]:
    return _limit_pair(_of_variable(kind, name, where, own), pair, units, f"{where}.{name}")


def _limit_pair(dimension: Dimension, pair: Any, units: UnitSystem, where: str) -> list[float | None]:
    if not isinstance(pair, list) or len(pair) != 2:
        raise ModelError(Problem("a pair [low, high] is wanted", where))
    low, high = (None if v is None else _variable(dimension, v, units, where) for v in pair)
    if low is not None and high is not None and not low < high:
        raise ModelError(Problem(f"the limits {low:g} and {high:g} leave no room", where))
    return [low, high]


def _variable(dimension: Dimension, value: Any, units: UnitSystem, where: str) -> float:
    return located(lambda: quantity(value, dimension, units), where)
