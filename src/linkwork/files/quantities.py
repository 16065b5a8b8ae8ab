"""Numbers of a model file: with a unit, or bare in the unit of the file's header. For pydantic and JSON Schema."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

from linkwork import units
from linkwork.errors import ModelError, Problem
from linkwork.expressions import Expression, names_in
from linkwork.expressions.nodes import Negative, Node
from linkwork.expressions.nodes import Number as PlainNumber
from linkwork.model.dimensions import followed, scope
from linkwork.model.vectors import LARGEST, Vector, direction
from linkwork.units import Dimension, UnitSystem, parse_quantity

# As `linkwork.model.parts` has it, written so that JavaScript's regular expressions also know letters beyond a to z.
NAME_PATTERN = r"^[^\s!-/:-@\[-^`{-~][^\s!-,./:-@\[-^`{-~]{0,63}$"

NUMBER_OR_TEXT = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\s*[-+−(]?\s*[A-Za-z0-9._(]"}]}
"""A number, one with a unit, or arithmetic of named dimensions."""


def listed(count: int, item: Any = NUMBER_OR_TEXT) -> dict[str, Any]:
    """JSON Schema of a list of so many numbers."""
    return {"type": "array", "items": item, "minItems": count, "maxItems": count}


def quantity(value: Any, dimension: Dimension, system: UnitSystem) -> float:
    """A number of a model file in SI, small enough to be squared and multiplied with others."""
    if type(value) is float or type(value) is int:  # most numbers are bare; the result is the same
        result: float = value * system.factor(dimension) if abs(value) <= LARGEST else math.inf
        if abs(result) <= LARGEST:
            return result
    result = _told(value, dimension, system)
    if abs(result) > LARGEST:
        raise ModelError(Problem("the number is too large", hint=f"numbers go up to {LARGEST:g} in SI units"))
    return result


def _told(value: Any, dimension: Dimension, system: UnitSystem) -> float:
    """A number from text: with a unit, or arithmetic, of named dimensions too."""
    here = scope()
    if not isinstance(value, str) or here is None:
        return parse_quantity(value, dimension, system)
    try:
        return parse_quantity(value, dimension, system)
    except ModelError:
        names = _arithmetic(value)
        if names is None or (names and not here.lets):
            raise
        if here.uses is None:
            return followed(value, here.lets, dimension, system)[0]
        here.uses.append((value, dimension))
    return 1.0  # while it is being found out what dimensions measure, any number will do


def _arithmetic(text: str) -> tuple[str, ...] | None:
    """The names in a text that is arithmetic; None for any other, and for a single number."""
    try:
        names = names_in(text)
        return None if not names and _is_one(Expression(text, ()).tree) else names
    except ModelError:
        return None


def _is_one(tree: Node) -> bool:
    """Whether it is a single number, perhaps below zero."""
    return isinstance(tree.a if isinstance(tree, Negative) else tree, PlainNumber)


def free_quantity(value: Any, system: UnitSystem = units.SI) -> float:
    """A number whose dimension nothing tells: bare in SI, or with any unit, or arithmetic of named dimensions.

    system : units of bare numbers in arithmetic, those of the angle in `cos(30)` too
    """
    here = scope()
    if isinstance(value, str) and here is not None and here.lets and _arithmetic(value):
        if here.uses is None:
            return followed(value, here.lets, None, system)[0]
        here.uses.append((value, None))
        return 1.0
    if not isinstance(value, str):
        return quantity(value, units.NUMBER, units.SI)
    number = re.match(r"\s*[-+−]?[0-9.]+(?:[eE][-+]?[0-9]+)?(?:\s*/\s*[0-9.]+)?", value)
    unit = value[number.end() :].strip() if number is not None else ""
    unit = f"1{unit}" if unit.startswith("/") else unit  # '10/s' is 10 times 1/s
    dimension = units.parse_unit(unit)[1] if unit else units.NUMBER
    return quantity(value, dimension, units.SI)


def weighed(value: Any, dimension: Dimension, system: UnitSystem) -> float:
    """A mass, inertia or density; one given by its weight ('20 N', '4.4 lbf') is divided by standard gravity."""
    try:
        return quantity(value, dimension, system)
    except ModelError as error:
        if not isinstance(value, str):
            raise
        try:
            return quantity(value, dimension * units.ACCELERATION, system) / units.g0
        except ModelError:
            raise error from None


def unit_system(info: ValidationInfo) -> UnitSystem:
    """The header's units, carried by the validation context."""
    return info.context["units"] if info.context else units.SI


@dataclass(frozen=True)
class Quantity:
    """Marks a float of an entry as a quantity: how it is read, and what editors say about it."""

    dimension: Dimension
    what: str
    example: str
    may_be_negative: bool = True
    by_weight: bool = False

    def read(self, value: Any, info: ValidationInfo) -> float:
        """The number in SI."""
        read = weighed if self.by_weight else quantity
        result = read(value, self.dimension, unit_system(info))
        if result < 0.0 and not self.may_be_negative:
            raise ModelError(Problem(f"the {self.what} is negative: {value}", hint="write zero or more"))
        return result

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return self.schema()

    def schema(self) -> dict[str, Any]:
        """What editors know of it."""
        text = f"{self.what}: a number in the unit of the header, or with a unit such as '{self.example}'"
        return {**NUMBER_OR_TEXT, "description": text}


@dataclass(frozen=True, eq=False)
class OrElse:
    """Tells editors of a shorter form that an entry may also have."""

    schema: Any

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [handler(schema), self.schema]}


Length = Annotated[float, Quantity(units.LENGTH, "length", "50 mm")]
Angle = Annotated[float, Quantity(units.ANGLE, "angle", "30 deg")]
Mass = Annotated[float, Quantity(units.MASS, "mass", "800 g", may_be_negative=False, by_weight=True)]
MomentOfInertia = Annotated[float, Quantity(units.INERTIA, "moment of inertia", "0.02 kg m^2", by_weight=True)]
Density = Annotated[float, Quantity(units.DENSITY, "density", "7850 kg/m^3", by_weight=True)]
Acceleration = Annotated[float, Quantity(units.ACCELERATION, "acceleration", "9.81 m/s^2")]
Number = Annotated[float, Quantity(units.NUMBER, "number", "1.5")]

Point = tuple[Length, Length, Length]

_QUANTITIES: dict[str, Any] = {
    "Length": Length,
    "Angle": Angle,
    "Mass": Mass,
    "MomentOfInertia": MomentOfInertia,
    "Density": Density,
    "Acceleration": Acceleration,
    "Number": Number,
}


def _direction(value: Any, info: ValidationInfo) -> Vector:
    if isinstance(value, list) and any(isinstance(v, str) for v in value):
        value = [_component(v, unit_system(info)) if _is_formula(v) else v for v in value]
    if isinstance(value, list) and not all(
        isinstance(v, int | float) and not isinstance(v, bool) and abs(v) <= LARGEST for v in value
    ):
        hint = "write x, y, z, -x, -y, -z or three numbers without units"
        raise ModelError(Problem("this is not a direction", hint=hint))
    return direction(value, "")


def _component(text: str, system: UnitSystem) -> float:
    """A formula in a direction, in the header's units: `cos(30)` is that of 30 deg where its angles are."""
    return free_quantity(text, system) if names_in(text) else quantity(text, units.NUMBER, system)


def _is_formula(value: Any) -> bool:
    here = scope()
    names = _arithmetic(value) if isinstance(value, str) else None
    return names is not None and (not names or bool(here is not None and here.lets))


_PLAIN_FORMULA = r"^\s*[-+−(]?\s*([A-Za-z_(]|[0-9.]+\s*[-+−*/])"
"""Arithmetic of named dimensions, but no number with a unit."""
_DIRECTION_SCHEMA = {
    "anyOf": [
        {"type": "string", "pattern": r"^\s*[-+]?[xyz]\s*$"},
        listed(3, {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _PLAIN_FORMULA}]}),
    ],
    "description": "a direction: x, y, z, -x, -y, -z or three numbers or formulas (their length is not used)",
}
Direction = Annotated[Any, BeforeValidator(_direction), WithJsonSchema(_DIRECTION_SCHEMA)]


def as_name(value: Any) -> str:
    """A name as the file has it: text, or a whole number."""
    if type(value) is int:
        return str(value)  # a body may be called 1
    if not isinstance(value, str):
        if isinstance(value, bool | float):
            raise ModelError(Problem(f"{str(value).lower()} is not a name", hint="put it in quotes"))
        raise ModelError("nothing is given" if value is None else "this is not a name")
    return value


_NAME_SCHEMA = {"anyOf": [{"type": "string", "pattern": NAME_PATTERN}, {"type": "integer", "minimum": 0}]}
Name = Annotated[str, BeforeValidator(as_name), WithJsonSchema(_NAME_SCHEMA)]
Pair = tuple[Name, Name]


def shared_schemas() -> dict[str, dict[str, Any]]:
    """Schemas that stand in many places of a model file, by name."""
    quantities = {name: kind.__metadata__[0].schema() for name, kind in _QUANTITIES.items()}
    rows = {"Point": ("Length", 3), "Angles": ("Angle", 3), "Numbers": ("Number", 3), "Matrix": ("Numbers", 3)}
    lists = {name: _row({"$ref": f"#/$defs/{item}"}, count) for name, (item, count) in rows.items()}
    names = {"Name": _NAME_SCHEMA, "Pair": _row({"$ref": "#/$defs/Name"}, 2)}
    return {**quantities, "NumberOrText": NUMBER_OR_TEXT, "Direction": _DIRECTION_SCHEMA, **lists, **names}


def _row(item: dict[str, Any], count: int) -> dict[str, Any]:
    return {"type": "array", "prefixItems": [item] * count, "minItems": count, "maxItems": count}
