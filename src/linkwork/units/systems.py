"""Systems of units: what bare numbers of a file carry, and what results are shown in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from linkwork.errors import InputError, ModelError, Problem, did_you_mean
from linkwork.units.dimensions import (
    ANGLE,
    CAPACITANCE,
    CHARGE,
    FORCE,
    INDUCTANCE,
    LENGTH,
    MASS,
    POWER,
    PRESSURE,
    RESISTANCE,
    TIME,
    VOLTAGE,
    Dimension,
    described,
    product_text,
    quoted,
)
from linkwork.units.grammar import parse_unit, unit_of
from linkwork.units.lookup import MAX_NAME_LENGTH
from linkwork.units.table import UNITS


@dataclass(frozen=True)
class UnitSystem:
    """The units that bare numbers carry: the header `units: {length: mm, angle: deg}` of a model file.

    Units of compound quantities follow from these: with `length: mm, mass: g` a bare inertia is in g mm^2, a bare
    density in g/mm^3. What contains mass and a negative power of time (force, torque, stiffness, damping, pressure,
    power) is built from a unit of force instead: 'N mm', 'N/mm', 'N s/mm'. It is `force` where the header names it,
    pound-force where masses are in lb, oz or slug, and the newton otherwise, whatever the unit of length: nobody
    thinks in kg mm/s^2.

    Where a torsional stiffness or damping is bare, the angle of the header counts too: 'N m/deg' with `angle: deg`.
    """

    length: str = "m"
    mass: str = "kg"
    time: str = "s"
    angle: str = "rad"
    force: str = ""

    def __post_init__(self) -> None:
        problems = [p for f in fields(self) if (p := _header_problem(f.name, getattr(self, f.name)))]
        if problems:
            raise InputError(problems)

    @classmethod
    def parse(cls, header: Mapping[str, Any]) -> UnitSystem:
        """The system of a header such as `{"length": "mm", "angle": "deg"}`; reports everything wrong with it."""
        if not isinstance(header, Mapping):
            raise InputError(Problem("the units must be a table", "units", "write units: {length: mm, angle: deg}"))
        known = [f.name for f in fields(cls)]
        problems = []
        for key, value in header.items():
            if key not in known:
                hint = did_you_mean(str(key)[:MAX_NAME_LENGTH], known)
                problems.append(Problem(f"{quoted(key)} has no unit of its own", "units", hint))
            elif problem := _header_problem(key, value, may_be_empty=False):
                problems.append(problem)
        if problems:
            raise InputError(problems)
        return cls(**header)

    def symbol(self, dimension: Dimension) -> str:
        """The unit of a dimension as text that `parse_unit` reads: 'mm', 'kg m^2', 'N m/rad'; '' for a number.

        >>> UnitSystem(length="mm", force="N").symbol(TORSIONAL_STIFFNESS)
        'N mm/rad'
        """
        return _symbol(self, dimension)

    def factor(self, dimension: Dimension) -> float:
        """The size of that unit in SI; exactly 1.0 in SI.

        >>> UnitSystem(length="mm").factor(LENGTH)
        0.001
        """
        symbol = _symbol(self, dimension)
        return unit_of(symbol)[0] if symbol else 1.0


_BASE_DIMENSIONS = {"length": LENGTH, "mass": MASS, "time": TIME, "angle": ANGLE, "force": FORCE}


def _header_problem(key: str, value: object, may_be_empty: bool = True) -> Problem | None:
    """What is wrong with one entry of the header, if anything."""
    if value == "" and key == "force" and may_be_empty:
        return None
    wanted = _BASE_DIMENSIONS[key]
    where, example = f"units.{key}", f"write the name of one unit, such as '{_SI_SYMBOLS[key]}'"
    if not isinstance(value, str) or not re.fullmatch("[A-Za-zµμ_]+|°", value):
        return Problem(f"{quoted(value)} is not the name of one unit", where, example)
    try:
        _, dimension = parse_unit(value)
    except ModelError as error:
        return Problem(error.problems[0].what, where, error.problems[0].hint)
    if dimension != wanted:
        return Problem(f"{quoted(value)} is {described(dimension)}, not {described(wanted)}", where, example)
    return None


_SI_SYMBOLS = {"length": "m", "mass": "kg", "time": "s", "angle": "rad", "force": "N"}
"""The units inside Linkwork, by the key that a header gives to them."""

SI = UnitSystem()
"""Metre, kilogram, second, radian, newton."""


_POUNDS = frozenset(UNITS[name].factor for name in ("lb", "oz", "slug"))
"""Units of mass [kg] beside which a bare force is in pounds."""


_ELECTRICAL = {VOLTAGE: "V", RESISTANCE: "ohm", INDUCTANCE: "H", CAPACITANCE: "F", CHARGE: "C"}
"""Whatever the unit of length: nobody thinks in N mm/(s A)."""


@lru_cache(maxsize=512)
def _symbol(system: UnitSystem, dimension: Dimension) -> str:
    length, mass, time, angle, current, temperature = dimension.powers()
    force = system.force or ("lbf" if parse_unit(system.mass)[0] in _POUNDS else "N")
    if (system.length, system.time, force) == ("m", "s", "N") and dimension in (PRESSURE, POWER):
        return "Pa" if dimension == PRESSURE else "W"
    if dimension in _ELECTRICAL:
        return _ELECTRICAL[dimension]
    forces = 0
    if mass and time < 0:
        # F = M L / T^2: trade each mass for a force.
        forces, length, time, mass = mass, length - mass, time + 2 * mass, 0
    return product_text(
        [
            (force, forces),
            (system.mass, mass),
            (system.length, length),
            (system.time, time),
            (system.angle, angle),
            ("A", current),
            ("K", temperature),
        ]
    )
