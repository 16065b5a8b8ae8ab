"""Forces and torques as people read them: in N and N m unless the model's file has other forces, without rounding."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from linkwork.units.dimensions import ENERGY, FORCE, NUMBER, TORQUE, Dimension
from linkwork.units.grammar import parse_unit
from linkwork.units.quantities import format_quantity
from linkwork.units.systems import SI, UnitSystem

ROUNDING = 1e-9
"""Part of the largest force or torque of a table below which a number is rounding, and shown as 0."""
DIMENSIONS = {"N": FORCE, "N m": TORQUE, "J": ENERGY, "1": NUMBER}
"""What acts along a length, an angle, a plain number, and what nobody said the unit of, by its SI unit; others, such as
what acts along an area (N/m), are read."""
UNKNOWN = "not determined"


def _measured(unit: str) -> Dimension:
    """What a unit of an effort measures."""
    return DIMENSIONS[unit] if unit in DIMENSIONS else parse_unit(unit)[1]


def effort_units(system: UnitSystem) -> UnitSystem:
    """The system where its header names a force or its masses are in pounds; newtons and metres otherwise."""
    return system if system.force or system.symbol(FORCE) != "N" else replace(SI, angle=system.angle)


@dataclass(frozen=True)
class EffortTexts:
    """Texts of the forces and torques of one table.

    units : to show; force [N], torque [N m] : the largest, beside which rounding is told from numbers
    """

    units: UnitSystem
    force: float
    torque: float

    @classmethod
    def among(cls, system: UnitSystem, forces: Iterable[float], torques: Iterable[float], length: float) -> EffortTexts:
        """For these numbers, of a machine of this size [m]: a force makes torques on levers as long as the machine."""
        force, torque = (max((abs(x) for x in all_ if math.isfinite(x)), default=0.0) for all_ in (forces, torques))
        return cls(effort_units(system), max(force, torque / length), max(torque, force * length))

    def clean(self, value: float, unit: str) -> float:
        """The number; 0 where it is rounding."""
        if unit not in ("N", "N m", "J"):  # of any size
            return value
        return 0.0 if abs(value) < ROUNDING * (self.force if unit == "N" else self.torque) else value

    def symbol(self, unit: str) -> str:
        """The unit that is shown for an SI unit."""
        return self.units.symbol(_measured(unit))

    def number(self, value: float, unit: str) -> str:
        """The number alone, in that unit."""
        return f"{self.clean(value, unit) / self.units.factor(_measured(unit)) + 0.0:.6g}"

    def text(self, value: float, unit: str) -> str:
        """The number with its unit; what is not finite is not determined."""
        if not math.isfinite(value):
            return UNKNOWN
        return format_quantity(self.clean(value, unit), _measured(unit), self.units)
