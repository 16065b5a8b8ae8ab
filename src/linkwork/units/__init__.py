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
from linkwork.units.systems import SI, UnitSystem
from linkwork.units.table import UNITS, Unit

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
C = UNITS["C"].factor
V = UNITS["V"].factor
ohm = UNITS["ohm"].factor
H = UNITS["H"].factor
F = UNITS["F"].factor
K = UNITS["K"].factor

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
