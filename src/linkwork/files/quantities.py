"""Numbers of a model file: with a unit, or bare in the unit of the file's header. For pydantic and JSON Schema."""

from __future__ import annotations

import functools
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema

from linkwork import units
from linkwork.errors import ModelError
from linkwork.model.vectors import Vector, direction
from linkwork.units import Dimension, UnitSystem, parse_quantity


def unit_system(info: ValidationInfo) -> UnitSystem:
    """The header's units, carried by the validation context."""
    return info.context["units"] if info.context else units.SI


def _parse(value: Any, info: ValidationInfo, *, dimension: Dimension) -> float:
    return parse_quantity(value, dimension, unit_system(info))


def _quantity(dimension: Dimension, what: str, example: str) -> Any:
    schema = {
        "anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\s*[-+]?[0-9.]"}],
        "description": f"{what}: a number in the unit of the header, or with a unit such as '{example}'",
    }
    validator = BeforeValidator(functools.partial(_parse, dimension=dimension))
    return Annotated[float, validator, WithJsonSchema(schema)]


Length = _quantity(units.LENGTH, "length", "50 mm")
Angle = _quantity(units.ANGLE, "angle", "30 deg")
Mass = _quantity(units.MASS, "mass", "800 g")
MomentOfInertia = _quantity(units.INERTIA, "moment of inertia", "0.02 kg m^2")
Density = _quantity(units.DENSITY, "density", "7850 kg/m^3")
Acceleration = _quantity(units.ACCELERATION, "acceleration", "9.81 m/s^2")
Number = _quantity(units.NUMBER, "number", "1.5")

Point = tuple[Length, Length, Length]


def _direction(value: Any) -> Vector:
    return direction(value, "")


Direction = Annotated[
    Any,
    BeforeValidator(_direction),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": ["x", "y", "z", "-x", "-y", "-z"]},
                {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3},
            ],
            "description": "a direction: x, y, z, -x, -y, -z or three numbers (their length is not used)",
        }
    ),
]


def _name(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # a body may be called 1
    if not isinstance(value, str):
        raise ModelError(f"{value!r} is not a name")
    return value


Name = Annotated[
    str,
    BeforeValidator(_name),
    WithJsonSchema({"anyOf": [{"type": "string", "pattern": r"^\w[\w-]{0,63}$"}, {"type": "integer"}]}),
]
Pair = tuple[Name, Name]
