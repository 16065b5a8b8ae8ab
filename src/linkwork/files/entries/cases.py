"""Cases in a model file: named drives, starts, efforts, events, loads and limits."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema, create_model

from linkwork.files.entries.base import Entry, Text
from linkwork.files.entries.header import UnitsEntry
from linkwork.files.quantities import NUMBER_OR_TEXT
from linkwork.model.cases import BY_NAME, LISTS, TIMES
from linkwork.model.mechanism import Mechanism
from linkwork.units import UnitSystem

_VALUE = {"anyOf": [{"type": ["number", "string"]}, {"type": "array", "items": {"type": ["number", "string", "null"]}}]}
_NAMED = Annotated[Any, WithJsonSchema({"type": "object", "additionalProperties": _VALUE})]
_TEXTS = Annotated[Any, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})]
_TIME = Annotated[Any, WithJsonSchema(NUMBER_OR_TEXT)]
_ABOUT = {
    "set": "dimensions and parameters that differ: {crank: 60, rod.mass: 2 kg}",
    "limits": "of joints: {A: [0, 90]}",
    "start": "variables at the beginning: {A: 30}",
    "rates": "rates at the beginning: {A: 30 rpm}",
    "states": "named states at the beginning: {i: 0.5 A}",
    "drive": "laws of time: {A: 0:360 @ 60rpm}",
    "efforts": "forces and torques along joints: {D: -200 N}",
    "external": "forces on points, frames and bodies: {P: [0, 0, -100 N]}",
    "stop": "limits that it runs into: 0 <= A <= 60; restitution 0.5",
    "when": "conditions with actions: 'P.z < 100: stop'",
    "at": "times with actions: '2.5 s: off coil'",
    "off": "loads that do not act",
    "duration": "of its motion",
    "until": "end of its simulation",
}


class _CaseEntry(Entry):
    """A named question: what drives, starts, acts and happens."""

    samples: Any = Field(None, json_schema_extra={"type": "integer", "minimum": 2})
    units: UnitsEntry | None = Field(None, description="of its bare numbers; those of the file unless given")
    description: Text = ""

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        """Add the case to a mechanism."""
        given = {key: getattr(self, key) for key in (*BY_NAME, *LISTS, *TIMES, "samples")}
        own = units if self.units is None else UnitSystem.parse(self.units.model_dump(exclude_unset=True))
        m.case(name, units=own, description=self.description, **given)


_FIELDS: dict[str, Any] = {
    key: (kind, Field(None, description=_ABOUT[key]))
    for keys, kind in ((BY_NAME, _NAMED), (LISTS, _TEXTS), (TIMES, _TIME))
    for key in keys
}
CaseEntry = create_model("CaseEntry", __base__=_CaseEntry, __doc__=_CaseEntry.__doc__, **_FIELDS)
