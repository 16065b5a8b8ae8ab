"""One name of a unit: from the table, with an SI prefix, or from the long tail that pint knows."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.names import no_such
from linkwork.units.dimensions import ANGLE, CURRENT, LENGTH, MASS, NUMBER, TEMPERATURE, TIME, Dimension, quoted
from linkwork.units.table import ALIASES, PREFIXES, TAKES_PREFIX, UNITS

MAX_NAME_LENGTH = 24


def find_unit(name: str) -> tuple[float, Dimension]:
    """The unit of one name: from the table, else with an SI prefix, else from the long tail that pint knows."""
    unit = UNITS.get(ALIASES.get(name, name))
    if unit is not None:
        return unit.factor, unit.dimension
    for size in (1, 2):
        if name[:size] in PREFIXES and name[size:] in TAKES_PREFIX:
            unit = UNITS[name[size:]]
            return PREFIXES[name[:size]] * unit.factor, unit.dimension
    if len(name) > MAX_NAME_LENGTH:
        raise InputError(Problem(f"{quoted(name)} is too long for the name of a unit", hint=near_unit(name)))
    if name in _AMBIGUOUS:
        raise InputError(Problem(f"{quoted(name)} could mean two things", hint=f"write {_AMBIGUOUS[name]}"))
    if len(name) == 1 and name.islower():  # pint's small letters are constants of physics
        raise InputError(no_such("unit", name, (), none=near_unit(name)))
    return _find_in_pint(name)


_AMBIGUOUS = {"gr": "g (gram) or grain"}


@lru_cache(maxsize=1)
def _pint_registry() -> Any:
    """Pint's registry of units, imported and built when the first unusual unit is met."""
    import pint

    return pint.UnitRegistry()


_PINT_BASE = {
    "meter": LENGTH,
    "kilogram": MASS,
    "second": TIME,
    "radian": ANGLE,
    "ampere": CURRENT,
    "kelvin": TEMPERATURE,
}


def _find_in_pint(name: str) -> tuple[float, Dimension]:
    """A unit that is not in the table, by its bare name; pint never sees more of what the user wrote than this."""
    registry = _pint_registry()
    readings = registry.parse_unit_name(name)
    if not readings:
        raise InputError(no_such("unit", name, (), none=near_unit(name)))
    prefix, root, _ = readings[0]
    unit = registry.UnitsContainer({prefix + root: 1})
    zero, one, two = (registry.Quantity(x, unit).to_base_units() for x in (0.0, 1.0, 2.0))
    # Degrees Celsius have an offset, decibels a logarithm: neither is a factor.
    if zero.magnitude != 0.0 or not math.isclose(two.magnitude, 2 * one.magnitude):
        hint = "give a temperature in K" if "kelvin" in dict(one.unit_items()) else "give the value itself"
        raise InputError(Problem(f"the scale of {quoted(name)} has its own zero; it cannot be a factor", hint=hint))
    dimension = NUMBER
    for base, power in one.unit_items():
        if base not in _PINT_BASE or power != int(power):
            raise InputError(Problem(f"{quoted(name)} is not a unit of mechanics", hint=near_unit(name)))
        dimension *= _PINT_BASE[base] ** int(power)
    return float(one.magnitude), dimension


def near_unit(name: str) -> str:
    """What the writer of an unknown unit may have meant."""
    known = [*UNITS, *ALIASES]
    for candidate in known:
        if candidate.lower() == name.lower():
            return f"did you mean '{candidate}'? Upper and lower case differ"
    return did_you_mean(name[:MAX_NAME_LENGTH], known)
