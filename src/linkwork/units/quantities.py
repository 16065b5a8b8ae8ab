"""Numbers with a unit, from text and back."""

from __future__ import annotations

import math
import re
from numbers import Real

from linkwork.errors import InputError, Problem
from linkwork.units.dimensions import NUMBER, Dimension, described, quoted
from linkwork.units.grammar import parse_unit
from linkwork.units.systems import SI, UnitSystem

MAX_QUANTITY_LENGTH = 128

_UNSIGNED = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_QUANTITY = re.compile(rf"(?P<number>[+-]?{_UNSIGNED})(?:\s*/\s*(?P<divisor>{_UNSIGNED}))?(?P<unit>.*)", re.DOTALL)


def parse_quantity(value: object, dimension: Dimension, defaults: UnitSystem = SI) -> float:
    """One number of a model, in SI and radians.

    Parameters
    ----------
    value
        A bare number (or its text, '12.5'), which takes the unit that `defaults` has for the dimension; or text
        with a unit: '12.5 mm', '12.5mm', '-3e-2 in', '1/4 in', '90°', '10/s'.
    dimension
        What is wanted, such as `LENGTH`. Any other kind of quantity is an error.
    defaults
        The units of bare numbers; `UnitSystem` states how compound ones are built. SI where none is given.

    >>> parse_quantity("1/4 in", LENGTH)
    0.00635
    >>> parse_quantity("3 m", MASS)
    Traceback (most recent call last):
    linkwork.errors.InputError: '3 m' is a length; a mass is wanted, such as '3 kg'
    """
    number, written, unit = _split(value, dimension, defaults)
    if unit:
        factor, given = parse_unit(unit)
        if not dimension.accepts(given):
            example = f"{written} {defaults.symbol(dimension)}".strip()
            wanted = f"{described(dimension)} is wanted, such as '{example}'"
            raise InputError(Problem(f"{quoted(value)} is {described(given)}", hint=wanted))
    else:
        factor = defaults.factor(dimension)
    result = number * factor
    if not math.isfinite(result):
        raise InputError(Problem(f"{quoted(value)} is too large", hint="numbers go up to about 1e308 in SI units"))
    return result


def parse_free(text: str) -> tuple[float, Dimension | None]:
    """A number whose dimension nothing tells, in SI, and what its unit measures; None of a bare one."""
    unit = _split(text, NUMBER, SI)[2]
    dimension = parse_unit(unit)[1] if unit else None
    return parse_quantity(text, dimension or NUMBER), dimension


def _split(value: object, dimension: Dimension, defaults: UnitSystem) -> tuple[float, str, str]:
    """The number, the number as it was written, and the unit ('' for a bare number)."""
    wanted = f"{described(dimension)} is wanted, such as '{f'2.5 {defaults.symbol(dimension)}'.strip()}'"
    if isinstance(value, Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            what = "is not a number" if math.isnan(number) else "is not finite"
            raise InputError(Problem(f"{quoted(value)} {what}", hint=wanted))
        return number, "", ""
    if not isinstance(value, str):
        what = "nothing is given" if value is None else f"{quoted(value)} is not a quantity"
        raise InputError(Problem(what, hint=wanted))
    if len(value) > MAX_QUANTITY_LENGTH:
        raise InputError(f"{quoted(value)} is too long; {MAX_QUANTITY_LENGTH} characters are the most")
    text = value.strip().replace("−", "-")
    if not text:
        raise InputError(Problem("the text is empty", hint=wanted))
    found = _QUANTITY.fullmatch(text)
    if found is None:
        raise InputError(Problem(f"{quoted(value)} does not begin with a number", hint=wanted))
    number = float(found["number"])
    divisor = float(found["divisor"] or 1.0)
    if divisor == 0.0:
        raise InputError(Problem(f"{quoted(value)} divides by zero", hint=wanted))
    unit = found["unit"].strip()
    if re.match(r",\s*[0-9]", unit):
        meant = quoted(re.sub(r",\s*", ".", text, count=1))
        raise InputError(Problem(f"{quoted(value)} has a comma in its number", hint=f"write a decimal point: {meant}"))
    if unit.startswith("/"):
        unit = "1" + unit  # '10/s' is 10 times 1/s
    return number / divisor, found["number"], unit


def format_quantity(value: float, dimension: Dimension, system: UnitSystem = SI, digits: int = 6) -> str:
    """A number in SI as text in the units of `system`, with so many significant digits.

    >>> format_quantity(3.141592653589793, ANGLE, UnitSystem(angle="deg"))
    '180 deg'
    """
    scaled = float(value) / system.factor(dimension) + 0.0  # the sum turns -0.0 into 0.0
    return f"{scaled:.{min(max(digits, 1), 17)}g} {system.symbol(dimension)}".strip()
