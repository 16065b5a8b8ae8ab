"""The table of units, the one source of every factor."""

from __future__ import annotations

import math
from typing import NamedTuple

from linkwork.units.dimensions import (
    ACCELERATION,
    ANGLE,
    ANGULAR_SPEED,
    CAPACITANCE,
    CHARGE,
    CURRENT,
    ENERGY,
    FORCE,
    FREQUENCY,
    INDUCTANCE,
    LENGTH,
    MASS,
    NUMBER,
    POWER,
    PRESSURE,
    RESISTANCE,
    TEMPERATURE,
    TIME,
    TORQUE,
    VOLTAGE,
    Dimension,
)


class Unit(NamedTuple):
    """One row of the table: how many SI units it is, what it measures, and what it is called."""

    factor: float
    dimension: Dimension
    meaning: str


_POUND = 0.45359237
_FOOT = 0.3048
_INCH = 0.0254
_G0 = 9.80665
_POUND_FORCE = _POUND * _G0

UNITS: dict[str, Unit] = {
    "m": Unit(1.0, LENGTH, "metre"),
    "mm": Unit(1e-3, LENGTH, "millimetre"),
    "cm": Unit(1e-2, LENGTH, "centimetre"),
    "um": Unit(1e-6, LENGTH, "micrometre"),
    "km": Unit(1e3, LENGTH, "kilometre"),
    "inch": Unit(_INCH, LENGTH, "inch; 'in' in text"),
    "ft": Unit(_FOOT, LENGTH, "foot"),
    "rad": Unit(1.0, ANGLE, "radian"),
    "deg": Unit(math.pi / 180, ANGLE, "degree"),
    "rev": Unit(math.tau, ANGLE, "revolution"),
    "turn": Unit(math.tau, ANGLE, "turn, a revolution"),
    "arcmin": Unit(math.pi / 10800, ANGLE, "minute of arc"),
    "grad": Unit(math.pi / 200, ANGLE, "gradian, a hundredth of a right angle"),
    "s": Unit(1.0, TIME, "second"),
    "ms": Unit(1e-3, TIME, "millisecond"),
    "minute": Unit(60.0, TIME, "minute; 'min' in text"),
    "hour": Unit(3600.0, TIME, "hour; 'h' in text"),
    "kg": Unit(1.0, MASS, "kilogram"),
    "g": Unit(1e-3, MASS, "gram"),
    "tonne": Unit(1e3, MASS, "metric ton; 't' in text"),
    "lb": Unit(_POUND, MASS, "pound"),
    "oz": Unit(_POUND / 16, MASS, "ounce"),
    "slug": Unit(_POUND_FORCE / _FOOT, MASS, "slug, lbf s^2/ft"),
    "N": Unit(1.0, FORCE, "newton"),
    "kN": Unit(1e3, FORCE, "kilonewton"),
    "lbf": Unit(_POUND_FORCE, FORCE, "pound-force"),
    "kgf": Unit(_G0, FORCE, "kilogram-force"),
    "Nm": Unit(1.0, TORQUE, "newton metre"),
    "Nmm": Unit(1e-3, TORQUE, "newton millimetre"),
    "rpm": Unit(math.tau / 60, ANGULAR_SPEED, "revolutions per minute"),
    "Hz": Unit(1.0, FREQUENCY, "hertz"),
    "Pa": Unit(1.0, PRESSURE, "pascal"),
    "MPa": Unit(1e6, PRESSURE, "megapascal, N/mm^2"),
    "GPa": Unit(1e9, PRESSURE, "gigapascal"),
    "bar": Unit(1e5, PRESSURE, "bar"),
    "psi": Unit(_POUND_FORCE / _INCH**2, PRESSURE, "pound-force per square inch"),
    "J": Unit(1.0, ENERGY, "joule"),
    "W": Unit(1.0, POWER, "watt"),
    "kW": Unit(1e3, POWER, "kilowatt"),
    "hp": Unit(550 * _FOOT * _POUND_FORCE, POWER, "mechanical horsepower, 550 ft lbf/s"),
    "g0": Unit(_G0, ACCELERATION, "standard acceleration of free fall"),
    "A": Unit(1.0, CURRENT, "ampere"),
    "C": Unit(1.0, CHARGE, "coulomb"),
    "V": Unit(1.0, VOLTAGE, "volt"),
    "ohm": Unit(1.0, RESISTANCE, "ohm"),
    "H": Unit(1.0, INDUCTANCE, "henry"),
    "F": Unit(1.0, CAPACITANCE, "farad"),
    "K": Unit(1.0, TEMPERATURE, "kelvin"),
    "%": Unit(0.01, NUMBER, "per cent"),
}
"""Every built-in unit. The constants of this module and the parser both read it; nothing else holds a factor."""

ALIASES = {
    "in": "inch",
    "inches": "inch",
    "foot": "ft",
    "feet": "ft",
    "min": "minute",
    "h": "hour",
    "t": "tonne",
    "lbs": "lb",
    "lbm": "lb",
    "degree": "deg",
    "degrees": "deg",
    "radian": "rad",
    "radians": "rad",
    "revolution": "rev",
    "meter": "m",
    "metre": "m",
    "millimeter": "mm",
    "millimetre": "mm",
    "centimeter": "cm",
    "centimetre": "cm",
    "second": "s",
    "seconds": "s",
    "gram": "g",
    "kilogram": "kg",
    "newton": "N",
}
PREFIXES = {
    "T": 1e12,
    "G": 1e9,
    "M": 1e6,
    "k": 1e3,
    "h": 1e2,
    "da": 1e1,
    "d": 1e-1,
    "c": 1e-2,
    "m": 1e-3,
    "u": 1e-6,
    "n": 1e-9,
    "p": 1e-12,
}
TAKES_PREFIX = frozenset(["m", "g", "s", "rad", "N", "Nm", "Hz", "Pa", "J", "W", "A", "K", "C", "V", "ohm", "H", "F"])
