"""Sliders of the page: how far they go, in which steps, in the units of the page."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork.units import ANGLE, LENGTH, Dimension, UnitSystem


@dataclass(frozen=True)
class Dial:
    """A slider of a joint variable, in the units of the page; `factor` is the size of that unit in SI.

    endless : an angle that goes round and round, of which the slider shows one turn
    """

    variable: str
    unit: str
    factor: float
    low: float
    high: float
    step: float
    value: float
    endless: bool = False


def dial_of(
    name: str, dimension: Dimension, units: UnitSystem, value: float, size: float, limits: tuple[float, float]
) -> Dial:
    """A slider for a variable that has a value [SI].

    size : of the machine [m]: as far as a length goes that nothing else bounds
    limits : how far it can go [SI]; infinite where nothing is known
    """
    unit, factor = units.symbol(dimension), units.factor(dimension)
    about = {ANGLE: math.pi, LENGTH: 0.5 * size}.get(dimension, 1.0)
    middle = 0.0 if dimension == ANGLE else value
    low, high = (x if np.isfinite(x) else d for x, d in zip(limits, (middle - about, middle + about), strict=True))
    if dimension != ANGLE or np.isfinite(limits).any():
        low, high = min(low, value), max(high, value)
    step = round_step((high - low) / factor / 1000)
    ends = math.floor(low / factor / step + 1e-9) * step, math.ceil(high / factor / step - 1e-9) * step
    endless = dimension == ANGLE and not np.isfinite(limits).any()
    return Dial(name, unit, factor, *ends, step, value / factor, endless)


def round_step(step: float) -> float:
    """The largest of 1, 2, 5 times a power of ten below a step."""
    power = 10.0 ** math.floor(math.log10(max(step, 1e-300)))
    return next((m * power for m in (5.0, 2.0) if m * power <= step), power)
