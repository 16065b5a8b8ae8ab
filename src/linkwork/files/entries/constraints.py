"""Couplings and constraints in a model file."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, WithJsonSchema

from linkwork.files.entries.base import Entry, Gather, Text, located
from linkwork.files.entries.loads import VariableName
from linkwork.files.quantities import NUMBER_OR_TEXT, free_quantity
from linkwork.model.mechanism import Mechanism

Numbers = Annotated[
    dict[str, Any] | None,
    WithJsonSchema(
        {
            "type": "object",
            "additionalProperties": NUMBER_OR_TEXT,
            "description": "numbers that the formula names, bare in SI units or with a unit such as '5 deg'",
        }
    ),
]


class _ConstraintEntry(Entry):
    section: ClassVar[str]
    parameters: Numbers = None
    description: Text = ""

    def numbers(self, name: str) -> dict[str, float]:
        """The parameters in SI."""
        given: dict[str, float] = {}
        with Gather() as part:
            for key, value in (self.parameters or {}).items():
                found = part(located, lambda v=value: free_quantity(v), f"{self.section}.{name}.parameters.{key}")
                given[str(key)] = 0.0 if found is None else found
        return given

    def add(self, m: Mechanism, name: str) -> None:
        """Add what the entry says to a mechanism."""
        raise AssertionError(self.section)  # every constraint gives its own


class CouplingEntry(_ConstraintEntry):
    """A joint's variable that follows others: variable = law."""

    section = "couplings"
    joint: VariableName
    law: Text = Field(description="its value [rad, m] as a formula of other variables and coordinates: 2*A + 5*deg")

    def add(self, m: Mechanism, name: str) -> None:
        m.couple(name, self.joint, self.law, parameters=self.numbers(name), description=self.description)


class ConstraintEntry(_ConstraintEntry):
    """An expression of variables and coordinates that stays zero."""

    section = "constraints"
    expression: Text = Field(description="what is zero, SI and radians: P.y - 0.1*sin(P.x)")

    def add(self, m: Mechanism, name: str) -> None:
        m.constrain(name, self.expression, parameters=self.numbers(name), description=self.description)


class VelocityEntry(_ConstraintEntry):
    """An expression that is linear in rates and stays zero."""

    section = "velocities"
    expression: Text = Field(description="what is zero, SI and radians: rate(P.x)*sin(A) - rate(P.y)*cos(A)")

    def add(self, m: Mechanism, name: str) -> None:
        m.velocity(name, self.expression, parameters=self.numbers(name), description=self.description)


CONSTRAINTS: dict[str, type[CouplingEntry] | type[ConstraintEntry] | type[VelocityEntry]] = {
    entry.section: entry for entry in (CouplingEntry, ConstraintEntry, VelocityEntry)
}
"""The entry class of each section."""
