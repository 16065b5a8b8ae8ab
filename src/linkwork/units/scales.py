"""Units as Python users multiply by them: plain floats that know what they measure."""

from __future__ import annotations

from typing import Any

from linkwork.units.dimensions import Dimension
from linkwork.units.table import UNITS


class Scale(float):
    """The size of a unit in SI: `25 * mm` is a plain float, `mm / s` again a unit.

    Whatever has a unit of its own, such as a signal, can so see what it is divided by.

    dimension : what it measures
    """

    __slots__ = ("dimension",)

    dimension: Dimension

    def __new__(cls, size: float, dimension: Dimension) -> Scale:
        made = super().__new__(cls, size)
        made.dimension = dimension
        return made

    def __mul__(self, other: Any) -> Any:
        product = float.__mul__(self, other)
        return Scale(product, self.dimension * other.dimension) if isinstance(other, Scale) else product

    def __truediv__(self, other: Any) -> Any:
        quotient = float.__truediv__(self, other)
        return Scale(quotient, self.dimension / other.dimension) if isinstance(other, Scale) else quotient

    def __pow__(self, power: Any, modulo: None = None) -> Any:
        raised = float.__pow__(self, power)
        return Scale(raised, self.dimension**power) if type(power) is int else raised

    def __reduce__(self) -> tuple[Any, ...]:
        return Scale, (float(self), self.dimension)


def scale(name: str) -> Scale:
    """A unit of the table."""
    return Scale(UNITS[name].factor, UNITS[name].dimension)
