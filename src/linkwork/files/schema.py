"""The whole model file, for editors: `linkwork schema` prints it as JSON Schema."""

from __future__ import annotations

import functools
import operator
from typing import Any, Literal

from pydantic import Field

from linkwork.files.entries import (
    JOINTS,
    BodyEntry,
    ChainEntry,
    CurveEntry,
    Entry,
    FrameEntry,
    PointEntry,
    Switch,
    Text,
)
from linkwork.files.quantities import NAME_PATTERN, Acceleration, Name

VERSION = 1

AnyJoint = functools.reduce(operator.or_, JOINTS.values())


class UnitsEntry(Entry):
    """Units of bare numbers; SI without."""

    length: Text = "m"
    angle: Text = "rad"
    mass: Text = "kg"
    time: Text = "s"
    force: Text = "N"


class ModelFile(Entry):
    """A Linkwork model file, version 1."""

    linkwork: Literal[1]
    name: Name = "mechanism"
    description: Text = ""
    units: UnitsEntry | None = None
    gravity: tuple[Acceleration, Acceleration, Acceleration] | None = None
    ground: Name = Field("ground", description="name of the body that stands still")
    floating: Switch = Field(False, description="true when nothing is joined to ground on purpose")
    curves: dict[str, CurveEntry] | None = None
    bodies: dict[str, BodyEntry | None] | None = None
    chains: dict[str, ChainEntry] | None = None
    joints: dict[str, AnyJoint] | None = None  # type: ignore[valid-type]
    points: dict[str, PointEntry] | None = None
    frames: dict[str, FrameEntry] | None = None
    expect: dict[str, float | str] | None = Field(None, description="numbers that a check must find")


def json_schema() -> dict[str, Any]:
    """JSON Schema of model files (draft 2020-12)."""
    schema = ModelFile.model_json_schema(by_alias=True)
    for section in ("curves", "bodies", "chains", "joints", "points", "frames"):
        schema["properties"][section]["anyOf"][0]["propertyNames"] = {"pattern": NAME_PATTERN}
    entries = {name: _without_null(entry) for name, entry in schema["$defs"].items()}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "$defs": entries}


def _without_null(schema: Any) -> Any:
    """A key of an entry is written with a value or not at all."""
    if isinstance(schema, list):
        return [_without_null(s) for s in schema if s != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    return {k: _without_null(v) for k, v in schema.items() if not (k == "default" and v is None)}
