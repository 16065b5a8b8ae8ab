"""Springs, dampers, friction, motors, forces, torques and joint loads in a model file.

What a number measures depends on what the load acts along: N/mm between points, N m/rad in a pin. So numbers are read
when the joints of the model are known.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from linkwork.errors import ModelError, Problem
from linkwork.files.entries.amounts import AMOUNT_SCHEMA, AmountText, read_amount
from linkwork.files.entries.base import Entry, Gather, Text, located
from linkwork.files.quantities import NUMBER_OR_TEXT, Direction, Name, Pair, as_name, listed, quantity
from linkwork.model.amounts import ELONGATION, ELONGATION_RATE, TIME, Amount, variable_in
from linkwork.model.mechanism import Mechanism
from linkwork.model.states import unit_dimension
from linkwork.model.variables import JointVariable, find_variable, no_variable
from linkwork.units import (
    ANGLE,
    ANGULAR_SPEED,
    FORCE,
    INERTIA,
    LENGTH,
    NUMBER,
    TORQUE,
    TORSIONAL_DAMPING,
    Dimension,
    UnitSystem,
)
from linkwork.units import TIME as SECONDS

LOAD_SCHEMAS: dict[str, dict[str, Any]] = {
    "LoadNumber": {**NUMBER_OR_TEXT, "description": "a number, bare or with a unit such as '12 N/mm'"},
    "Levels": {
        "anyOf": [NUMBER_OR_TEXT, listed(2)],
        "description": "dry friction, bare or with a unit such as '0.5 N m'; or [forward, backward]",
    },
    "Amount": AMOUNT_SCHEMA,
}
"""Schemas that stand in many places of the loads, by name."""

VariableName = Annotated[
    str,
    BeforeValidator(as_name),
    WithJsonSchema({"type": ["string", "integer"], "description": "a joint with one variable, or such as C.slide"}),
]
LoadNumber = Annotated[Any, WithJsonSchema(LOAD_SCHEMAS["LoadNumber"])]
Levels = Annotated[Any, WithJsonSchema(LOAD_SCHEMAS["Levels"])]


class Reading:
    """What the numbers of one load measure, read one by one; all problems at once."""

    def __init__(self, m: Mechanism, units: UnitSystem, where: str, variable: JointVariable | None = None) -> None:
        self.m, self.units, self.where = m, units, where
        self.quantity = LENGTH if variable is None else variable.quantity
        self.effort = FORCE if variable is None else variable.effort

    @property
    def rate(self) -> Dimension:
        """What the rate of the variable measures."""
        return self.quantity / SECONDS

    def number(self, entry: Entry, key: str, dimension: Dimension) -> float:
        """A number of an entry in SI."""
        return located(lambda: quantity(getattr(entry, key), dimension, self.units), f"{self.where}.{key}")

    def levels(self, entry: Entry, key: str, dimension: Dimension) -> float | tuple[float, float]:
        """One level, or two."""
        value, where = getattr(entry, key), f"{self.where}.{key}"
        if not isinstance(value, list):
            return self.number(entry, key, dimension)
        if len(value) != 2:
            raise ModelError(Problem(f"{len(value)} levels are given", where, "write one, or [forward, backward]"))
        with Gather() as part:
            pair = [part(located, lambda v=v: quantity(v, dimension, self.units), where) for v in value]
        assert pair[0] is not None and pair[1] is not None
        return pair[0], pair[1]

    def amount(self, entry: Entry, key: str, dimension: Dimension, elongation: Dimension | None = None) -> Amount:
        """An amount of an entry; the law of a spring may speak of its elongation."""
        own = {TIME: SECONDS}
        if elongation is not None:
            own |= {ELONGATION: elongation, ELONGATION_RATE: elongation / SECONDS}

        def measure(name: str) -> Dimension:
            if name in own:
                return own[name]
            if name in self.m.states:
                return unit_dimension(self.m.states[name].unit, "")
            found = find_variable(self.m.joints, variable_in(name))
            if found is None:
                raise ModelError(no_variable(self.m.joints, variable_in(name), ""))
            return found.quantity if variable_in(name) == name else found.quantity / SECONDS

        return read_amount(getattr(entry, key), dimension, measure, self.units, f"{self.where}.{key}")


class LoadEntry(Entry):
    """Base of all loads: numbers are read by dimension, then the Mechanism checks them."""

    section: ClassVar[str]
    description: Text = ""

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        """Add the load to a mechanism."""
        raise AssertionError(self.section)  # every load gives its own

    def places(self) -> tuple[str, ...]:
        """The points and bodies that it names."""
        return ()

    def reading(self, m: Mechanism, name: str, units: UnitSystem) -> Reading:
        """How its numbers are read."""
        where = f"{self.section}.{name}"
        joint = getattr(self, "joint", None)
        if joint is None:
            return Reading(m, units, where)
        found = find_variable(m.joints, joint)
        if found is None:
            raise ModelError(no_variable(m.joints, joint, f"{where}.joint"))
        return Reading(m, units, where, found)

    def numbers(self, along: Reading, dimensions: dict[str, Dimension], part: Gather) -> dict[str, Any]:
        """The plain numbers among its keys, as far as they are given."""
        given = {key: d for key, d in dimensions.items() if key in self.model_fields_set}
        return {key: part(along.number, self, key, d) for key, d in given.items()}


class SpringEntry(LoadEntry):
    """A spring between two points or in a joint: tension = preload + stiffness x + damping v + law."""

    section = "springs"
    between: Pair | None = Field(None, description="the points it is tied to")
    joint: VariableName | None = None
    stiffness: LoadNumber = None
    free: LoadNumber = None
    damping: LoadNumber = None
    preload: LoadNumber = None
    law: AmountText = None

    def places(self) -> tuple[str, ...]:
        return self.between or ()

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        along = self.reading(m, name, units)
        dimensions = {
            "stiffness": along.effort / along.quantity,
            "free": along.quantity,
            "damping": along.effort / along.rate,
            "preload": along.effort,
        }
        with Gather() as part:
            given = self.numbers(along, dimensions, part)
            if "law" in self.model_fields_set:
                given["law"] = part(along.amount, self, "law", along.effort, along.quantity)
        m.spring(name, *(self.between or ()), joint=self.joint, description=self.description, **given)


class DamperEntry(LoadEntry):
    """A damper between two points or in a joint: tension = damping v + law."""

    section = "dampers"
    between: Pair | None = Field(None, description="the points it is tied to")
    joint: VariableName | None = None
    damping: LoadNumber = None
    law: AmountText = None

    def places(self) -> tuple[str, ...]:
        return self.between or ()

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        along = self.reading(m, name, units)
        with Gather() as part:
            given = self.numbers(along, {"damping": along.effort / along.rate}, part)
            if "law" in self.model_fields_set:
                given["law"] = part(along.amount, self, "law", along.effort, along.quantity)
        m.damper(name, *(self.between or ()), joint=self.joint, description=self.description, **given)


class FrictionEntry(LoadEntry):
    """Friction in a joint: -level sign(rate) - viscous rate."""

    section = "friction"
    joint: VariableName
    level: Levels = None
    static: LoadNumber = None
    viscous: LoadNumber = None
    speed: LoadNumber = None
    form: Literal["smooth", "exact"] = "smooth"
    coefficient: LoadNumber = None
    radius: LoadNumber = None
    normal: AmountText = None

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        along = self.reading(m, name, units)
        dimensions = {
            "static": NUMBER,
            "viscous": along.effort / along.rate,
            "speed": along.rate,
            "coefficient": NUMBER,
            "radius": LENGTH,
        }
        with Gather() as part:
            given = self.numbers(along, dimensions, part)
            if "level" in self.model_fields_set:
                given["level"] = part(along.levels, self, "level", along.effort)
            if "normal" in self.model_fields_set:
                given["normal"] = part(along.amount, self, "normal", FORCE)
        m.friction(name, self.joint, form=self.form, description=self.description, **given)


class MotorEntry(LoadEntry):
    """A motor that drives a joint through a gear; its numbers are those at its own shaft."""

    section = "motors"
    joint: VariableName
    ratio: LoadNumber = None
    rotor_inertia: LoadNumber = None
    damping: LoadNumber = None
    friction: Levels = None
    efficiency: LoadNumber = None
    stall: LoadNumber = None
    no_load: LoadNumber = None
    peak: LoadNumber = None

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        along = self.reading(m, name, units)
        dimensions = {
            "ratio": ANGLE / along.quantity,
            "rotor_inertia": INERTIA,
            "damping": TORSIONAL_DAMPING,
            "efficiency": NUMBER,
            "stall": TORQUE,
            "no_load": ANGULAR_SPEED,
            "peak": TORQUE,
        }
        with Gather() as part:
            given = self.numbers(along, dimensions, part)
            if "friction" in self.model_fields_set:
                given["friction"] = part(along.levels, self, "friction", TORQUE)
        m.motor(name, self.joint, description=self.description, **given)


class ForceEntry(LoadEntry):
    """A force on a point, along a direction in space or of a body, or from one point to another."""

    section = "forces"
    point: Name
    amount: AmountText
    along: Direction | None = Field(None, description="in the layout posture")
    on: Name | None = Field(None, description="body with which the direction turns")
    toward: Pair | None = Field(None, description="two points, from the first to the second")

    def places(self) -> tuple[str, ...]:
        return (self.point, *([self.on] if self.on is not None else []), *(self.toward or ()))

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        size = self.reading(m, name, units).amount(self, "amount", FORCE)
        way: dict[str, Any] = {"along": self.along, "on": self.on, "toward": self.toward}
        m.force(name, self.point, amount=size, description=self.description, **way)


class TorqueEntry(LoadEntry):
    """A torque on a body, about an axis in space or of a body, or along the line from one point to another."""

    section = "torques"
    body: Name
    amount: AmountText
    about: Direction | None = Field(None, description="in the layout posture")
    on: Name | None = Field(None, description="body with which the axis turns")
    toward: Pair | None = Field(None, description="two points, from the first to the second")

    def places(self) -> tuple[str, ...]:
        return (self.body, *([self.on] if self.on is not None else []), *(self.toward or ()))

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        size = self.reading(m, name, units).amount(self, "amount", TORQUE)
        way: dict[str, Any] = {"about": self.about, "on": self.on, "toward": self.toward}
        m.torque(name, self.body, amount=size, description=self.description, **way)


class JointLoadEntry(LoadEntry):
    """A force or torque along a joint's variable: positive, it tends to increase it."""

    section = "loads"
    joint: VariableName
    amount: AmountText

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        along = self.reading(m, name, units)
        m.load(name, self.joint, amount=along.amount(self, "amount", along.effort), description=self.description)


LOADS: dict[str, type[LoadEntry]] = {
    entry.section: entry
    for entry in (SpringEntry, DamperEntry, FrictionEntry, MotorEntry, ForceEntry, TorqueEntry, JointLoadEntry)
}
"""The entry class of each section."""
