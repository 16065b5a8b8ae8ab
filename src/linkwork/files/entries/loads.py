"""Loads and motors in a model file, as their kinds declare them (`model/loads/`).

What a number measures depends on what the load acts along: N/mm between points, N m/rad in a pin. So numbers are read
when the joints of the model are known.
"""

from __future__ import annotations

from dataclasses import MISSING
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, create_model

from linkwork.errors import ModelError, Problem
from linkwork.files.entries.amounts import AMOUNT_SCHEMA, AmountText, read_amount
from linkwork.files.entries.base import Entry, Gather, Text, located
from linkwork.files.quantities import NUMBER_OR_TEXT, Direction, Name, Pair, as_name, listed, quantity
from linkwork.model.amounts import ELONGATION, ELONGATION_RATE, TIME, Amount, variable_in
from linkwork.model.loads import KINDS, Load
from linkwork.model.loads.load import (
    Choice,
    Key,
    Levels,
    Much,
    Named,
    Number,
    OnJoint,
    Scope,
    Section,
    Tied,
    Way,
    measured,
    usual_values,
)
from linkwork.model.mechanism import Mechanism
from linkwork.model.states import unit_dimension
from linkwork.model.variables import find_variable, no_variable
from linkwork.units import TIME as SECONDS
from linkwork.units import Dimension, UnitSystem

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
WAYS = ("on", "toward")
"""Keys that every direction has besides its own."""

LoadNumber = Annotated[Any, WithJsonSchema(LOAD_SCHEMAS["LoadNumber"])]
LevelsText = Annotated[Any, WithJsonSchema(LOAD_SCHEMAS["Levels"])]


class Reading:
    """What the numbers of one load measure, read one by one; all problems at once."""

    def __init__(self, m: Mechanism, units: UnitSystem, where: str, scope: Scope) -> None:
        self.m, self.units, self.where, self.scope = m, units, where, scope

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
            found = find_variable(self.m.owners, variable_in(name))
            if found is None:
                raise ModelError(no_variable(self.m.owners, variable_in(name), ""))
            return found.quantity if variable_in(name) == name else found.quantity / SECONDS

        return read_amount(getattr(entry, key), dimension, measure, self.units, f"{self.where}.{key}")


class LoadEntry(Entry):
    """Base of all loads: numbers are read by dimension, then the Mechanism checks them."""

    kind: ClassVar[type[Load]]
    section: ClassVar[Section]
    description: Text = ""

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        """Add the load to a mechanism."""
        along = self.reading(m, name, units)
        given: dict[str, Any] = {}
        with Gather() as part:
            for key in keys_in(self.kind, self.section):
                given |= part(self.arguments, key, along) or {}
        getattr(m, self.section.method)(name, description=self.description, **given)

    def arguments(self, key: Key, along: Reading) -> dict[str, Any]:
        """What a key means for the method of Mechanism; nothing where it is not written."""
        match key:
            case Tied():
                ends = dict(zip(("first", "second"), getattr(self, key.key) or (), strict=False))
                return {**ends, "joint": getattr(self, OnJoint.key)}
            case Way():
                return {name: getattr(self, name) for name in (key.key, *WAYS)}
            case OnJoint() | Named() | Choice():
                return {key.key: getattr(self, key.key)}
        if key.key not in self.model_fields_set:
            return {}
        dimension = measured(key.measures, along.scope)
        match key:
            case Much():
                elongation = along.scope.quantity if key.elongation else None
                return {key.key: along.amount(self, key.key, dimension, elongation)}
            case Levels():
                return {key.key: along.levels(self, key.key, dimension)}
            case Number():
                return {key.key: along.number(self, key.key, dimension)}

    def places(self) -> tuple[str, ...]:
        """The points and bodies that it names."""
        found: list[str] = []
        for key in keys_in(self.kind, self.section):
            match key:
                case Tied():
                    found += getattr(self, key.key) or ()
                case Named():
                    found.append(getattr(self, key.key))
                case Way():
                    on, toward = (getattr(self, name) for name in WAYS)
                    found += [*([] if on is None else [on]), *(toward or ())]
        return tuple(found)

    def reading(self, m: Mechanism, name: str, units: UnitSystem) -> Reading:
        """How its numbers are read."""
        where = f"{self.section.name}.{name}"
        joint = getattr(self, OnJoint.key, None)
        if joint is None:
            return Reading(m, units, where, Scope())
        found = find_variable(m.owners, joint)
        if found is None:
            raise ModelError(no_variable(m.owners, joint, f"{where}.joint"))
        return Reading(m, units, where, Scope(found.quantity, found.effort))


def keys_in(kind: type[Load], section: Section) -> tuple[Key, ...]:
    """The keys of a kind that stand in one of its sections."""
    return tuple(key for key in kind.keys if not section.only or key.key in section.only)


def _fields(kind: type[Load], key: Key) -> dict[str, Any]:
    """What may be written under a key, for pydantic: types with what they are without."""
    match key:
        case Tied():
            return {
                key.key: (Pair | None, Field(None, description="the points it is tied to")),
                OnJoint.key: (VariableName | None, None),
            }
        case OnJoint():
            return {key.key: (VariableName, ...)}
        case Named():
            return {key.key: (Name, ...)}
        case Way():
            on, toward = WAYS
            return {
                key.key: (Direction | None, Field(None, description="in the layout posture")),
                on: (Name | None, Field(None, description=f"body with which the {key.turns} turns")),
                toward: (Pair | None, Field(None, description="two points, from the first to the second")),
            }
        case Much():
            return {key.key: (AmountText, ... if usual_values(kind)[key.key] is MISSING else None)}
        case Levels():
            return {key.key: (LevelsText, None)}
        case Number():
            return {key.key: (LoadNumber, None)}
        case Choice():
            return {key.key: (Literal[key.options], usual_values(kind)[key.key])}


def entry_of(kind: type[Load], section: Section) -> type[LoadEntry]:
    """The entry of a kind of load in one of its sections, made from what the kind declares."""
    name = kind.__name__ if section is kind.sections[0] else section.method.title()
    fields: dict[str, Any] = {}
    for key in keys_in(kind, section):
        fields |= _fields(kind, key)
    made: type[LoadEntry] = create_model(f"{name}Entry", __base__=LoadEntry, __doc__=section.about, **fields)
    made.kind, made.section = kind, section
    return made


LOADS: dict[str, type[LoadEntry]] = {
    section.name: entry_of(kind, section) for kind in KINDS for section in kind.sections
}
"""The entry class of each section."""
