"""What numbers beside an expression are measured in, and what acts along a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.expressions import names_in
from linkwork.model.measures import expression_measures
from linkwork.units import FORCE, LENGTH, NUMBER, SI, TORQUE, Dimension, UnitSystem

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism


def effort_along(quantity: Dimension) -> Dimension:
    """What acts along a variable: a force along a length, a torque about an angle, an energy along a number."""
    return FORCE if quantity == LENGTH else TORQUE


def compared_with(m: Mechanism, expression: str, units: UnitSystem) -> tuple[Dimension, UnitSystem]:
    """What an expression may be compared with, and the units of numbers without one.

    A single name has the units of the file. Arithmetic is in SI, and units may be written where all its names measure
    the same.
    """
    names = names_in(expression)
    dimension = expression_measures(m, expression)
    alone = len(names) == 1 and expression.strip().replace("'", "") == names[0]
    return NUMBER if dimension is None else dimension, units if alone else SI
