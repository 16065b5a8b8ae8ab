"""Dimensions: what a quantity measures. Angle is one of them, so that an angle in metres is an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields


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
        name = DIMENSION_NAMES.get(self)
        return name or product_text((f.name, p) for f, p in zip(fields(self), self.powers(), strict=True))

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
CHARGE = CURRENT * TIME
VOLTAGE = POWER / CURRENT
RESISTANCE = VOLTAGE / CURRENT
INDUCTANCE = VOLTAGE * TIME / CURRENT
CAPACITANCE = CHARGE / VOLTAGE
STIFFNESS = FORCE / LENGTH
TORSIONAL_STIFFNESS = TORQUE / ANGLE
DAMPING = FORCE / SPEED
TORSIONAL_DAMPING = TORQUE / ANGULAR_SPEED

DIMENSION_NAMES = {
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
    CHARGE: "charge",
    VOLTAGE: "voltage",
    RESISTANCE: "resistance",
    INDUCTANCE: "inductance",
    CAPACITANCE: "capacitance",
    STIFFNESS: "stiffness",
    TORSIONAL_STIFFNESS: "torsional stiffness",
    DAMPING: "damping",
    TORSIONAL_DAMPING: "torsional damping",
}


def described(dimension: Dimension) -> str:
    """'a length', 'an angle', 'a quantity of dimension length/time^3'."""
    name = DIMENSION_NAMES.get(dimension)
    if name is None:
        return f"a quantity of dimension {dimension}"
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def product_text(parts: Iterable[tuple[str, int]]) -> str:
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


def quoted(value: object) -> str:
    """A value as the user wrote it, short enough for a message."""
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else repr(value[:37] + "...")
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**40):
        return str(value)
    return "such a large integer" if isinstance(value, int) else f"a {type(value).__name__}"
