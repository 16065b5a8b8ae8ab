"""Joints in a model file: how they are placed, and the entry of each kind, made from what the kind declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, WithJsonSchema, create_model

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.files.entries.base import Entry, Gather, Switch, Text, Whole, located
from linkwork.files.entries.placements import PlacementEntry, SecondFrame
from linkwork.files.entries.shapes import AnyCurve, SpaceCurveEntry, SurfaceEntry
from linkwork.files.quantities import (
    NUMBER_OR_TEXT,
    Angle,
    Direction,
    Length,
    Name,
    Number,
    Pair,
    Point,
    listed,
    quantity,
)
from linkwork.model.entry import perpendicular_axes
from linkwork.model.joints import KINDS, Law, Variable, a_joint
from linkwork.model.joints.law import Form, Key
from linkwork.model.mechanism import Mechanism
from linkwork.model.placement import ROW_KEYS, Placement, placement
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

    def law(self, units: UnitSystem, where: str) -> dict[str, Any]:
        """Arguments of the kind, as far as they are given."""
        found: dict[str, Any] = {}
        for key in KINDS[self.kind].keys:
            value = getattr(self, key.name)
            if isinstance(value, SurfaceEntry):
                value = value.surface(f"{where}.{key.name}", units)
            elif isinstance(value, SpaceCurveEntry):
                value = value.curve(f"{where}.{key.name}", units)
            if value is not None:
                found[key.name] = value
        return found

    def _ends(self) -> Pair:
        ends: Pair = getattr(self, self.kind)
        return ends


class PlacedJoint(JointEntry, PlacementEntry):
    """A joint placed by `at` and `axis` (or any other way to give a frame)."""

    to: SecondFrame | None = Field(None, description="place or frame on the second body, where it differs")
    value: Annotated[Any, WithJsonSchema(VALUE_SCHEMA)] = None

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        where = f"joints.{name}"
        with Gather() as part:
            frame = part(self._frame, where)
            to = part(self._second_frame, where)
            law = part(self.law, units, where)
            variables = KINDS[self.kind].variables_with(law)
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


class CrossedJoint(PlacedJoint):
    """A placed joint whose frame may also be told by an axis of each body."""

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


class CentredJoint(JointEntry, PlacementEntry):
    """A joint between two centres, such as those of gears."""

    to: SecondFrame = Field(description="centre of the second body, the gear or pinion")

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        where = f"joints.{name}"
        with Gather() as part:
            at = part(self.placement, where)
            to = part(self.to.placement, f"{where}.to")
            limits = part(variable_limits, self.kind, self.limits, units, f"{where}.limits")
        options: dict[str, Any] = {"at": at, "to": to, "limits": limits, "description": self.description}
        getattr(m, self.kind)(name, *self._ends(), **options, **self.law(units, where))


class ApexJoint(JointEntry):
    """A joint of two axes that meet in an apex."""

    at: Point = Field(description="the common apex")
    axes: tuple[Direction, Direction] = Field(description="both axes, each from the apex to its gear")
    within: Name | None = Field(None, alias="in", description="body in whose own frame the numbers are given")

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        where = f"joints.{name}"
        limits = variable_limits(self.kind, self.limits, units, f"{where}.limits")
        placed: dict[str, Any] = {"at": self.at, "axes": self.axes, "within": self.within}
        getattr(m, self.kind)(
            name, *self._ends(), **placed, limits=limits, description=self.description, **self.law(units, where)
        )


PLACINGS: dict[str, type[JointEntry]] = {
    "axis": PlacedJoint,
    "crossed": CrossedJoint,
    "centres": CentredJoint,
    "apex": ApexJoint,
}
"""The entry of a joint by how its kind is placed."""

FORMS: dict[Form, Any] = {
    "length": Length,
    "angle": Angle,
    "number": Number,
    "whole": Whole,
    "switch": Switch,
    "lengths": tuple[Length, Length],
    "angles": tuple[Angle, Angle],
    "wholes": tuple[Whole, Whole],
    "curve": Name,
    "space_curve": AnyCurve,
    "surface": SurfaceEntry,
}
"""What may be written for a key, by its form."""


def _field(key: Key) -> Any:
    """A key of a kind, for pydantic: its type, and what it is without."""
    form = FORMS[key.form]
    if key.needed:
        return form, Field(description=key.about or None)
    return form if key.usual is not None else form | None, Field(key.usual, description=key.about or None)


def entry_of(law: type[Law]) -> type[JointEntry]:
    """The entry of a joint kind, made from what the kind declares."""
    fields: dict[str, Any] = {law.kind: (Pair, ...)} | {key.name: _field(key) for key in law.keys}
    name = "".join(word.title() for word in law.kind.split("_"))
    make: Any = create_model  # a base by name is more than types can follow
    made: type[JointEntry] = make(f"{name}Entry", __base__=PLACINGS[law.placing], __doc__=law.about, **fields)
    made.kind = law.kind
    return made


JOINTS: dict[str, type[JointEntry]] = {kind: entry_of(law) for kind, law in KINDS.items()}
"""The entry class of each kind."""


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
