"""Units at the border: text such as '12.5 mm' becomes a plain float in SI and radians, and back.

Inside Linkwork every number is SI (metre, kilogram, second, newton) with angles in radians; units exist only where
people write and read. Python users multiply by a constant:

>>> from linkwork.units import deg, mm, rpm
>>> 50 * mm
0.05

Model files and the command line go through `parse_quantity`, which knows which dimension is wanted:

>>> parse_quantity("50 mm", LENGTH)
0.05
>>> parse_quantity(50, LENGTH, UnitSystem(length="mm"))
0.05
>>> format_quantity(0.05, LENGTH, UnitSystem(length="mm"))
'50 mm'

Rounding. A unit is one float, its `factor`; a quantity is `number * factor`, rounded once. So `"12 mm"`, the bare `12`
in a file whose length is mm, and `12 * mm` are the same float to the last bit, and a bare number in SI is returned
unchanged. The factor of a compound unit is worked out from left to right, each operation rounded once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from numbers import Real
from typing import Any, NamedTuple

from linkwork.errors import ModelError, Problem, did_you_mean

MAX_UNIT_LENGTH = 64
MAX_QUANTITY_LENGTH = 128
MAX_NAME_LENGTH = 24
MAX_POWER = 9


# Dimensions ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Dimension:
    """What kind of quantity: integer powers of the base quantities. Angle counts as one, so that metres are no angle.

    >>> MASS * LENGTH**2 == INERTIA
    True
    """

    length: int = 0
    mass: int = 0
    time: int = 0
    angle: int = 0
    current: int = 0
    temperature: int = 0

    def powers(self) -> tuple[int, ...]:
        """The six powers, in the order of the fields."""
        return (self.length, self.mass, self.time, self.angle, self.current, self.temperature)

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(*(a + b for a, b in zip(self.powers(), other.powers(), strict=True)))

    def __truediv__(self, other: Dimension) -> Dimension:
        return Dimension(*(a - b for a, b in zip(self.powers(), other.powers(), strict=True)))

    def __pow__(self, power: int) -> Dimension:
        return Dimension(*(a * power for a in self.powers()))

    def __str__(self) -> str:
        """The name of the dimension ('torque or energy'), or its formula ('length/time^3')."""
        name = _DIMENSION_NAMES.get(self)
        return name or _product((f.name, p) for f, p in zip(fields(self), self.powers(), strict=True))

    def accepts(self, given: Dimension) -> bool:
        """Whether a quantity of dimension `given` may stand where this one is wanted.

        The two must be equal, with one courtesy: where the wanted dimension contains mass, the angle may be left out,
        since 'N m' is in common use for a torsional stiffness 'N m/rad'. It is then taken per radian.
        """
        if given == self:
            return True
        return self.mass != 0 and given.angle == 0 and given * Dimension(angle=self.angle) == self


NUMBER = Dimension()
LENGTH = Dimension(length=1)
MASS = Dimension(mass=1)
TIME = Dimension(time=1)
ANGLE = Dimension(angle=1)
CURRENT = Dimension(current=1)
TEMPERATURE = Dimension(temperature=1)

AREA = LENGTH**2
VOLUME = LENGTH**3
DENSITY = MASS / VOLUME
INERTIA = MASS * LENGTH**2
SPEED = LENGTH / TIME
ACCELERATION = LENGTH / TIME**2
FREQUENCY = NUMBER / TIME
ANGULAR_SPEED = ANGLE / TIME
ANGULAR_ACCELERATION = ANGLE / TIME**2
LEAD = LENGTH / ANGLE
FORCE = MASS * ACCELERATION
TORQUE = FORCE * LENGTH
ENERGY = TORQUE
POWER = ENERGY / TIME
PRESSURE = FORCE / AREA
STIFFNESS = FORCE / LENGTH
TORSIONAL_STIFFNESS = TORQUE / ANGLE
DAMPING = FORCE / SPEED
TORSIONAL_DAMPING = TORQUE / ANGULAR_SPEED

_DIMENSION_NAMES = {
    NUMBER: "plain number",
    LENGTH: "length",
    MASS: "mass",
    TIME: "time",
    ANGLE: "angle",
    CURRENT: "current",
    TEMPERATURE: "temperature",
    AREA: "area",
    VOLUME: "volume",
    DENSITY: "density",
    INERTIA: "inertia",
    SPEED: "speed",
    ACCELERATION: "acceleration",
    FREQUENCY: "frequency",
    ANGULAR_SPEED: "angular speed",
    ANGULAR_ACCELERATION: "angular acceleration",
    LEAD: "lead (length per angle)",
    FORCE: "force",
    TORQUE: "torque or energy",
    POWER: "power",
    PRESSURE: "pressure",
    STIFFNESS: "stiffness",
    TORSIONAL_STIFFNESS: "torsional stiffness",
    DAMPING: "damping",
    TORSIONAL_DAMPING: "torsional damping",
}


def _described(dimension: Dimension) -> str:
    """'a length', 'an angle', 'a quantity of dimension length/time^3'."""
    name = _DIMENSION_NAMES.get(dimension)
    if name is None:
        return f"a quantity of dimension {dimension}"
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _product(parts: Iterable[tuple[str, int]]) -> str:
    """Names and powers as text that the unit grammar reads back: 'kg m^2', 'N m/rad', 'W/(m^2 K)', '1/s'."""
    above: list[str] = []
    below: list[str] = []
    for name, power in parts:
        if power:
            size = abs(power)
            (above if power > 0 else below).append(name if size == 1 else f"{name}^{size}")
    if not below:
        return " ".join(above)
    divisor = below[0] if len(below) == 1 else f"({' '.join(below)})"
    return f"{' '.join(above) or '1'}/{divisor}"


# The table of units --------------------------------------------------------------------------------------------------


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
    "K": Unit(1.0, TEMPERATURE, "kelvin"),
    "%": Unit(0.01, NUMBER, "per cent"),
}
"""Every built-in unit. The constants of this module and the parser both read it; nothing else holds a factor."""

_ALIASES = {
    "in": "inch",
    "inches": "inch",
    "foot": "ft",
    "feet": "ft",
    "min": "minute",
    "h": "hour",
    "t": "tonne",
    "lbs": "lb",
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
_PREFIXES = {
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
_TAKES_PREFIX = frozenset(["m", "g", "s", "rad", "N", "Nm", "Hz", "Pa", "J", "W", "A", "K"])

m = UNITS["m"].factor
mm = UNITS["mm"].factor
cm = UNITS["cm"].factor
um = UNITS["um"].factor
km = UNITS["km"].factor
inch = UNITS["inch"].factor
ft = UNITS["ft"].factor
rad = UNITS["rad"].factor
deg = UNITS["deg"].factor
rev = UNITS["rev"].factor
turn = UNITS["turn"].factor
arcmin = UNITS["arcmin"].factor
grad = UNITS["grad"].factor
s = UNITS["s"].factor
ms = UNITS["ms"].factor
minute = UNITS["minute"].factor
hour = UNITS["hour"].factor
kg = UNITS["kg"].factor
g = UNITS["g"].factor
tonne = UNITS["tonne"].factor
lb = UNITS["lb"].factor
oz = UNITS["oz"].factor
slug = UNITS["slug"].factor
N = UNITS["N"].factor
kN = UNITS["kN"].factor
lbf = UNITS["lbf"].factor
kgf = UNITS["kgf"].factor
Nm = UNITS["Nm"].factor
Nmm = UNITS["Nmm"].factor
rpm = UNITS["rpm"].factor
Hz = UNITS["Hz"].factor
Pa = UNITS["Pa"].factor
MPa = UNITS["MPa"].factor
GPa = UNITS["GPa"].factor
bar = UNITS["bar"].factor
psi = UNITS["psi"].factor
J = UNITS["J"].factor
W = UNITS["W"].factor
kW = UNITS["kW"].factor
hp = UNITS["hp"].factor
g0 = UNITS["g0"].factor
A = UNITS["A"].factor
K = UNITS["K"].factor


# One name ------------------------------------------------------------------------------------------------------------


def _find(name: str) -> tuple[float, Dimension]:
    """The unit of one name: from the table, else with an SI prefix, else from the long tail that pint knows."""
    unit = UNITS.get(_ALIASES.get(name, name))
    if unit is not None:
        return unit.factor, unit.dimension
    for size in (1, 2):
        if name[:size] in _PREFIXES and name[size:] in _TAKES_PREFIX:
            unit = UNITS[name[size:]]
            return _PREFIXES[name[:size]] * unit.factor, unit.dimension
    if len(name) > MAX_NAME_LENGTH:
        raise ModelError(Problem(f"{_quote(name)} is too long for the name of a unit", hint=_near_unit(name)))
    return _find_in_pint(name)


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
        raise ModelError(Problem(f"there is no unit {_quote(name)}", hint=_near_unit(name)))
    prefix, root, _ = readings[0]
    unit = registry.UnitsContainer({prefix + root: 1})
    zero, one, two = (registry.Quantity(x, unit).to_base_units() for x in (0.0, 1.0, 2.0))
    # Degrees Celsius have an offset, decibels a logarithm: neither is a factor.
    if zero.magnitude != 0.0 or not math.isclose(two.magnitude, 2 * one.magnitude):
        hint = "give a temperature in K" if "kelvin" in dict(one.unit_items()) else "give the value itself"
        raise ModelError(Problem(f"the scale of {_quote(name)} has its own zero; it cannot be a factor", hint=hint))
    dimension = NUMBER
    for base, power in one.unit_items():
        if base not in _PINT_BASE or power != int(power):
            raise ModelError(Problem(f"{_quote(name)} is not a unit of mechanics", hint=_near_unit(name)))
        dimension *= _PINT_BASE[base] ** int(power)
    return float(one.magnitude), dimension


def _near_unit(name: str) -> str:
    """What the writer of an unknown unit may have meant."""
    known = [*UNITS, *_ALIASES]
    for candidate in known:
        if candidate.lower() == name.lower():
            return f"did you mean '{candidate}'? Upper and lower case differ"
    return did_you_mean(name[:MAX_NAME_LENGTH], known)


# Compound units ------------------------------------------------------------------------------------------------------

_SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_SIGNS = str.maketrans({"µ": "u", "μ": "u", "°": "deg", "·": " * ", "⋅": " * ", "×": " * ", "−": "-"})
_TOKEN = re.compile(
    r"(?P<gap>\s*)(?:(?P<name>g0(?![0-9])|[A-Za-z_]+|%)|(?P<power>\*\*|\^)|(?P<int>[+-]?[0-9]+)|(?P<sign>[*/()]))"
)


def parse_unit(text: str) -> tuple[float, Dimension]:
    """The factor to SI and the dimension of a unit such as 'mm', 'kg m^2', 'N*m/rad', 'm/s²' or '1/s'.

    Products are written with a blank, '*' or '·', quotients with '/', integer powers with '^', '**', a superscript
    or a digit right after the name. Everything is read from left to right; after a '/' a product needs brackets or
    a '*', because 'N/m s' could mean two things.

    >>> parse_unit("mm/s")
    (0.001, Dimension(length=1, mass=0, time=-1, angle=0, current=0, temperature=0))
    """
    if not isinstance(text, str):
        raise ModelError(Problem(f"{_quote(text)} is not the name of a unit", hint="write text such as 'm/s^2'"))
    if len(text) > MAX_UNIT_LENGTH:
        raise ModelError(f"the unit {_quote(text)} is too long; {MAX_UNIT_LENGTH} characters are the most")
    return _parse_unit(text)


@lru_cache(maxsize=1024)
def _parse_unit(text: str) -> tuple[float, Dimension]:
    try:
        factor, dimension = _UnitParser(text).parse()
    except (OverflowError, ZeroDivisionError):
        factor, dimension = math.inf, NUMBER
    if not (math.isfinite(factor) and factor > 0.0):
        raise ModelError(f"the unit {_quote(text)} is beyond the range of numbers")
    return factor, dimension


class _UnitParser:
    """Reads `product = factor {('*' | '/' | blank) factor}`, `factor = (name | '1' | '(' product ')') [power]`."""

    def __init__(self, text: str) -> None:
        self.text = text
        plain = re.sub("[⁺⁻⁰¹²³⁴-⁹]+", lambda run: "^" + run[0].translate(_SUPERSCRIPTS), text).translate(_SIGNS)
        self.tokens: list[tuple[str, str, bool]] = []  # kind, text, whether it touches what stands before
        at, end = 0, len(plain.rstrip())
        while at < end:
            found = _TOKEN.match(plain, at)
            if found is None:
                raise self.problem(f"{_quote(plain[at:].lstrip()[0])} has no place in a unit")
            self.tokens.append((str(found.lastgroup), found[found.lastgroup or 0], not found["gap"]))
            at = found.end()
        self.at = 0

    def problem(self, what: str, hint: str = "write units such as mm, m/s^2, kg m^2 or N m/rad") -> ModelError:
        return ModelError(Problem(f"cannot read the unit {_quote(self.text)}: {what}", hint=hint))

    def peek(self) -> tuple[str, str, bool]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "", False)

    def take(self) -> tuple[str, str, bool]:
        token = self.peek()
        self.at += 1
        return token

    def parse(self) -> tuple[float, Dimension]:
        if not self.tokens:
            raise self.problem("it is empty")
        result = self.product()
        if self.peek()[0] != "end":
            raise self.problem(f"{_quote(self.peek()[1])} is out of place")
        return result

    def product(self) -> tuple[float, Dimension]:
        factor, dimension = self.factor()
        divided = False
        while True:
            kind, text, _ = self.peek()
            if text in ("*", "/"):
                self.take()
            elif kind == "name" or text == "(":
                if divided:
                    raise self.problem(f"it is unclear whether '/' reaches to {_quote(text)}", "use brackets or a '*'")
                text = "*"
            else:
                return factor, dimension
            right, right_dimension = self.factor()
            if text == "/":
                factor, dimension, divided = factor / right, dimension / right_dimension, True
            else:
                factor, dimension = factor * right, dimension * right_dimension

    def factor(self) -> tuple[float, Dimension]:
        kind, text, _ = self.take()
        if kind == "name":
            factor, dimension = _find(text)
        elif text == "(":
            factor, dimension = self.product()
            if self.take()[1] != ")":
                raise self.problem("a ')' is missing")
        elif text == "1":
            return 1.0, NUMBER
        else:
            raise self.problem(f"{_quote(text)} is out of place" if text else "a name is missing at the end")
        power = self.power(after_name=kind == "name")
        return factor**power, dimension**power

    def power(self, after_name: bool) -> int:
        kind, text, touches = self.peek()
        if kind == "power":
            self.take()
            kind, text, _ = self.take()
            if kind != "int":
                raise self.problem("a power must be an integer")
        elif kind == "int" and touches and after_name and text.isdigit():
            self.take()
        else:
            return 1
        if len(text) > 3 or abs(int(text)) > MAX_POWER:
            raise self.problem(f"the power {text[:8]} is out of range", f"powers go from -{MAX_POWER} to {MAX_POWER}")
        return int(text)


# Systems of units ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UnitSystem:
    """The units that bare numbers carry: the header `units: {length: mm, angle: deg}` of a model file.

    Units of compound quantities follow from these: with `length: mm, mass: g` a bare inertia is in g mm^2, a bare
    density in g/mm^3. What contains mass and a negative power of time (force, torque, stiffness, damping, pressure,
    power) is built from `force` where the header names it - 'N mm', 'N/mm', 'N s/mm' - and otherwise from
    mass * length / time^2, as everything else is. So `length: mm` alone makes a bare force one of kg mm/s^2, that is
    millinewtons; write `force: N` beside it, or write the unit with the number.

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
            raise ModelError(problems)

    @classmethod
    def parse(cls, header: Mapping[str, Any]) -> UnitSystem:
        """The system of a header such as `{"length": "mm", "angle": "deg"}`; reports everything wrong with it."""
        if not isinstance(header, Mapping):
            raise ModelError(Problem("the units must be a table", "units", "write units: {length: mm, angle: deg}"))
        known = [f.name for f in fields(cls)]
        problems = []
        for key, value in header.items():
            if key not in known:
                hint = did_you_mean(str(key)[:MAX_NAME_LENGTH], known)
                problems.append(Problem(f"{_quote(key)} has no unit of its own", "units", hint))
            elif problem := _header_problem(key, value, may_be_empty=False):
                problems.append(problem)
        if problems:
            raise ModelError(problems)
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
        return _parse_unit(symbol)[0] if symbol else 1.0


_BASE_DIMENSIONS = {"length": LENGTH, "mass": MASS, "time": TIME, "angle": ANGLE, "force": FORCE}


def _header_problem(key: str, value: object, may_be_empty: bool = True) -> Problem | None:
    """What is wrong with one entry of the header, if anything."""
    if value == "" and key == "force" and may_be_empty:
        return None
    wanted = _BASE_DIMENSIONS[key]
    where, example = f"units.{key}", f"write the name of one unit, such as '{_SI_SYMBOLS[key]}'"
    if not isinstance(value, str) or not re.fullmatch("[A-Za-zµμ_]+|°", value):
        return Problem(f"{_quote(value)} is not the name of one unit", where, example)
    try:
        _, dimension = parse_unit(value)
    except ModelError as error:
        return Problem(error.problems[0].what, where, error.problems[0].hint)
    if dimension != wanted:
        return Problem(f"{_quote(value)} is {_described(dimension)}, not {_described(wanted)}", where, example)
    return None


_SI_SYMBOLS = {"length": "m", "mass": "kg", "time": "s", "angle": "rad", "force": "N"}
"""The units inside Linkwork, by the key that a header gives to them."""

SI = UnitSystem()
"""Metre, kilogram, second, radian, newton."""


@lru_cache(maxsize=512)
def _symbol(system: UnitSystem, dimension: Dimension) -> str:
    length, mass, time, angle, current, temperature = dimension.powers()
    force = system.force
    if not force and (system.length, system.mass, system.time) == ("m", "kg", "s"):
        force = "N"
    if (system.length, system.time, force) == ("m", "s", "N") and dimension in (PRESSURE, POWER):
        return "Pa" if dimension == PRESSURE else "W"
    forces = 0
    if force and mass and time < 0:
        # F = M L / T^2: trade each mass for a force.
        forces, length, time, mass = mass, length - mass, time + 2 * mass, 0
    return _product(
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


# Quantities ----------------------------------------------------------------------------------------------------------

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
    linkwork.errors.ModelError: '3 m' is a length; a mass is wanted, such as '3 kg'
    """
    number, written, unit = _split(value, dimension, defaults)
    if unit:
        factor, given = parse_unit(unit)
        if not dimension.accepts(given):
            example = f"{written} {defaults.symbol(dimension)}".strip()
            wanted = f"{_described(dimension)} is wanted, such as '{example}'"
            raise ModelError(Problem(f"{_quote(value)} is {_described(given)}", hint=wanted))
    else:
        factor = defaults.factor(dimension)
    result = number * factor
    if not math.isfinite(result):
        raise ModelError(Problem(f"{_quote(value)} is too large", hint="numbers go up to about 1e308 in SI units"))
    return result


def _split(value: object, dimension: Dimension, defaults: UnitSystem) -> tuple[float, str, str]:
    """The number, the number as it was written, and the unit ('' for a bare number)."""
    wanted = f"{_described(dimension)} is wanted, such as '{f'2.5 {defaults.symbol(dimension)}'.strip()}'"
    if isinstance(value, Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            what = "is not a number" if math.isnan(number) else "is not finite"
            raise ModelError(Problem(f"{_quote(value)} {what}", hint=wanted))
        return number, "", ""
    if not isinstance(value, str):
        what = "nothing is given" if value is None else f"{_quote(value)} is not a quantity"
        raise ModelError(Problem(what, hint=wanted))
    if len(value) > MAX_QUANTITY_LENGTH:
        raise ModelError(f"{_quote(value)} is too long; {MAX_QUANTITY_LENGTH} characters are the most")
    text = value.strip().replace("−", "-")
    if not text:
        raise ModelError(Problem("the text is empty", hint=wanted))
    found = _QUANTITY.fullmatch(text)
    if found is None:
        raise ModelError(Problem(f"{_quote(value)} does not begin with a number", hint=wanted))
    number = float(found["number"])
    divisor = float(found["divisor"] or 1.0)
    if divisor == 0.0:
        raise ModelError(Problem(f"{_quote(value)} divides by zero", hint=wanted))
    unit = found["unit"].strip()
    if re.match(r",\s*[0-9]", unit):
        raise ModelError(Problem(f"{_quote(value)} has a comma in its number", hint="write a decimal point: '2.5 mm'"))
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


def _quote(value: object) -> str:
    """A value as the user wrote it, short enough for a message."""
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else repr(value[:37] + "...")
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, (bool, float)) or (isinstance(value, int) and abs(value) < 10**40):
        return str(value)
    return "such a large integer" if isinstance(value, int) else f"a {type(value).__name__}"
