"""The whole model file, for editors: `linkwork schema` prints it as JSON Schema."""

from __future__ import annotations

import functools
import json
import operator
from typing import Any, Literal

from pydantic import Field, create_model

from linkwork.files.entries import (
    CONSTRAINTS,
    INNER,
    JOINTS,
    LOADS,
    AmountText,
    BodyEntry,
    ChainEntry,
    CurveEntry,
    Entry,
    FrameEntry,
    PointEntry,
    StateEntry,
    Switch,
    Text,
)
from linkwork.files.entries.cases import CaseEntry
from linkwork.files.entries.constraints import ConstraintEntry, CouplingEntry, VelocityEntry
from linkwork.files.entries.cylinders import CylinderEntry
from linkwork.files.entries.dimensions import LetEntry, LetValue
from linkwork.files.entries.header import UnitsEntry
from linkwork.files.entries.joints import LIMITS_SCHEMA, VALUE_SCHEMA
from linkwork.files.entries.loads import LOAD_SCHEMAS
from linkwork.files.quantities import NAME_PATTERN, Name, shared_schemas
from linkwork.files.shorthand import REPEATED
from linkwork.model.mechanism import SYNONYMS

VERSION = 1

AnyJoint = functools.reduce(operator.or_, JOINTS.values())


class _ModelFile(Entry):
    """A Linkwork model file, version 1."""

    linkwork: Literal[1]
    name: Name = "mechanism"
    description: Text = ""
    units: UnitsEntry | None = None
    gravity: tuple[AmountText, AmountText, AmountText] | None = Field(
        None, description="three accelerations: numbers such as '-9.81 m/s^2', or formulas and tables over the time t"
    )
    let: dict[str, LetEntry | LetValue] | None = Field(
        None, description="named dimensions: a number, '40 mm', or a formula such as crank/2; any number may name them"
    )
    ground: Name = Field("ground", description="name of the body that stands still")
    floating: Switch = Field(False, description="true when nothing is joined to ground on purpose")
    planar: Switch = Field(False, description="true: everything moves in the plane of x and y")
    include: list[Text] | Text | None = Field(None, description="other files of the folder, taken into this one")
    places: dict[str, Any] | None = Field(None, description="named places: B: [50, 0, 0]; `at: B` means it")
    repeat: dict[str, Any] | None = Field(
        None, description="groups of entries for k = 1, 2, ...: {for: k, from: 1, to: 6, bodies: {'leg{k}': ...}}"
    )
    curves: dict[str, CurveEntry] | None = None
    bodies: dict[str, BodyEntry | None] | None = None
    chains: dict[str, ChainEntry] | None = None
    joints: dict[str, AnyJoint] | None = None  # type: ignore[valid-type]
    points: dict[str, PointEntry] | None = None
    cylinders: dict[str, CylinderEntry] | None = None
    frames: dict[str, FrameEntry] | None = None
    states: dict[str, StateEntry] | None = None
    couplings: dict[str, CouplingEntry] | None = None
    constraints: dict[str, ConstraintEntry] | None = None
    velocities: dict[str, VelocityEntry] | None = None
    cases: dict[str, CaseEntry] | None = None
    expect: dict[str, float | str] | None = Field(None, description="numbers that a check must find")


_SECTIONS: dict[str, Any] = {
    section: (dict[str, entry] | None, None)  # type: ignore[valid-type]
    for section, entry in {**INNER, **LOADS}.items()
}
ModelFile = create_model("ModelFile", __base__=_ModelFile, __doc__=_ModelFile.__doc__, **_SECTIONS)
"""The whole file: what is written above, and a section for every kind of load and of freedom inside bodies."""


def json_schema() -> dict[str, Any]:
    """JSON Schema of model files (draft 2020-12)."""
    schema = ModelFile.model_json_schema(by_alias=True)
    for section in ("curves", "bodies", "chains", "joints", *INNER, "points", "frames", "states", *LOADS, *CONSTRAINTS):
        schema["properties"][section]["anyOf"][0]["propertyNames"] = {"pattern": NAME_PATTERN}
    entries = {name: _without_null(entry) for name, entry in schema["$defs"].items()}
    shared: dict[str, Any] = {}
    names: dict[str, str] = {}
    for name, value in (shared_schemas() | {"Value": VALUE_SCHEMA, "Limits": LIMITS_SCHEMA} | LOAD_SCHEMAS).items():
        shared[name] = _with_references(value, names)  # a later one may be made of those before it
        names[json.dumps(shared[name], sort_keys=True)] = name
    whole = _with_references({**schema, "$defs": entries}, names)
    whole["$defs"] = {**shared, **whole["$defs"]}
    _allow_short_forms(whole)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole}


def _allow_short_forms(whole: dict[str, Any]) -> None:
    """What `shorthand` spells out: names of places, two coordinates, one moment, pins through several bodies."""
    defs: dict[str, Any] = whole["$defs"]
    length, place = {"$ref": "#/$defs/Length"}, {"type": "string", "description": "a place, a point or a joint"}
    two = {"type": "array", "prefixItems": [length] * 2, "minItems": 2, "maxItems": 2}
    defs["Point"] = {"anyOf": [defs["Point"], {**two, "description": "in a planar machine"}, place]}
    gravity = whole["properties"]["gravity"]["anyOf"]
    gravity.insert(1, {"type": "array", "items": {"$ref": "#/$defs/Amount"}, "minItems": 2, "maxItems": 2})
    inertia = defs["BodyEntry"]["properties"]["inertia"]
    inertia["anyOf"] = [*inertia["anyOf"], {"$ref": "#/$defs/MomentOfInertia"}]
    words: dict[str, list[str]] = {}
    for word, kind in SYNONYMS.items():
        if word not in JOINTS:
            words.setdefault(kind, []).append(word)
    defs["Bodies"] = {"type": "array", "items": {"$ref": "#/$defs/Name"}, "minItems": 2}
    for kind, entry in JOINTS.items():
        own = defs[entry.__name__]
        called = [kind, *words.get(kind, ())]
        own["properties"] |= {key: {"$ref": "#/$defs/Bodies"} for key in called}
        if "to" in own["properties"]:
            own["properties"]["to"] = {"anyOf": [own["properties"]["to"], two, place]}
        if len(called) > 1:
            own["required"] = [key for key in own["required"] if key != kind]
            own["oneOf"] = [{"required": [word]} for word in called]
    _allow_groups(whole)


def _allow_groups(whole: dict[str, Any]) -> None:
    """Groups that are repeated: {k} stands in names and texts, so that their entries are seen when they are read."""
    keys: dict[str, Any] = {"for": {"type": "string"}, "from": {"type": "integer"}, "to": {"type": "integer"}}
    keys |= {section: {"type": "object"} for section in REPEATED}
    group = {"type": "object", "properties": keys, "required": ["to"], "additionalProperties": False}
    whole["properties"]["repeat"]["anyOf"][0]["additionalProperties"] = group


def _with_references(schema: Any, names: dict[str, str]) -> Any:
    """The schema with a reference wherever one of the named schemas stands, and without titles that repeat keys."""
    if isinstance(schema, list):
        return [_with_references(s, names) for s in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {k: _with_references(v, names) for k, v in schema.items() if not (k == "title" and isinstance(v, str))}
    name = names.get(json.dumps(inner, sort_keys=True)) if "anyOf" in inner or "prefixItems" in inner else None
    return inner if name is None else {"$ref": f"#/$defs/{name}"}


def _without_null(schema: Any) -> Any:
    """A key of an entry is written with a value or not at all."""
    if isinstance(schema, list):
        return [_without_null(s) for s in schema if s != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    return {k: _without_null(v) for k, v in schema.items() if not (k == "default" and v is None)}
