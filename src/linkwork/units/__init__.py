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

from linkwork.units.dimensions import (
    ACCELERATION,
    ANGLE,
    ANGULAR_ACCELERATION,
    ANGULAR_SPEED,
    AREA,
    CAPACITANCE,
    CHARGE,
    CURRENT,
    DAMPING,
    DENSITY,
    ENERGY,
    FORCE,
    FREQUENCY,
    INDUCTANCE,
    INERTIA,
    LEAD,
    LENGTH,
    MASS,
    NUMBER,
    POWER,
    PRESSURE,
    RESISTANCE,
    SPEED,
    STIFFNESS,
    TEMPERATURE,
    TIME,
    TORQUE,
    TORSIONAL_DAMPING,
    TORSIONAL_STIFFNESS,
    VOLTAGE,
    VOLUME,
    Dimension,
)
from linkwork.units.grammar import MAX_POWER, MAX_UNIT_LENGTH, parse_unit
from linkwork.units.lookup import MAX_NAME_LENGTH
from linkwork.units.quantities import MAX_QUANTITY_LENGTH, format_quantity, parse_quantity
from linkwork.units.scales import Scale, scale
from linkwork.units.systems import SI, UnitSystem
from linkwork.units.table import UNITS, Unit

m = scale("m")
mm = scale("mm")
cm = scale("cm")
um = scale("um")
km = scale("km")
inch = scale("inch")
ft = scale("ft")
rad = scale("rad")
deg = scale("deg")
rev = scale("rev")
turn = scale("turn")
arcmin = scale("arcmin")
grad = scale("grad")
s = scale("s")
ms = scale("ms")
minute = scale("minute")
hour = scale("hour")
kg = scale("kg")
g = scale("g")
tonne = scale("tonne")
lb = scale("lb")
oz = scale("oz")
slug = scale("slug")
N = scale("N")
kN = scale("kN")
lbf = scale("lbf")
kgf = scale("kgf")
Nm = scale("Nm")
Nmm = scale("Nmm")
rpm = scale("rpm")
Hz = scale("Hz")
Pa = scale("Pa")
MPa = scale("MPa")
GPa = scale("GPa")
bar = scale("bar")
psi = scale("psi")
J = scale("J")
W = scale("W")
kW = scale("kW")
hp = scale("hp")
g0 = scale("g0")
A = scale("A")
C = scale("C")
V = scale("V")
ohm = scale("ohm")
H = scale("H")
F = scale("F")
K = scale("K")

__all__ = [
    "ACCELERATION",
    "ANGLE",
    "ANGULAR_ACCELERATION",
    "ANGULAR_SPEED",
    "AREA",
    "CAPACITANCE",
    "CHARGE",
    "CURRENT",
    "DAMPING",
    "DENSITY",
    "ENERGY",
    "FORCE",
    "FREQUENCY",
    "INDUCTANCE",
    "INERTIA",
    "LEAD",
    "LENGTH",
    "MASS",
    "MAX_NAME_LENGTH",
    "MAX_POWER",
    "MAX_QUANTITY_LENGTH",
    "MAX_UNIT_LENGTH",
    "NUMBER",
    "POWER",
    "PRESSURE",
    "RESISTANCE",
    "SI",
    "SPEED",
    "STIFFNESS",
    "TEMPERATURE",
    "TIME",
    "TORQUE",
    "TORSIONAL_DAMPING",
    "TORSIONAL_STIFFNESS",
    "UNITS",
    "VOLTAGE",
    "VOLUME",
    "A",
    "C",
    "Dimension",
    "F",
    "GPa",
    "H",
    "Hz",
    "J",
    "K",
    "MPa",
    "N",
    "Nm",
    "Nmm",
    "Pa",
    "Scale",
    "Unit",
    "UnitSystem",
    "V",
    "W",
    "arcmin",
    "bar",
    "cm",
    "deg",
    "format_quantity",
    "ft",
    "g",
    "g0",
    "grad",
    "hour",
    "hp",
    "inch",
    "kN",
    "kW",
    "kg",
    "kgf",
    "km",
    "lb",
    "lbf",
    "m",
    "minute",
    "mm",
    "ms",
    "ohm",
    "oz",
    "parse_quantity",
    "parse_unit",
    "psi",
    "rad",
    "rev",
    "rpm",
    "s",
    "slug",
    "tonne",
    "turn",
    "um",
]
