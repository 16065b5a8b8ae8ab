"""The whole model file, for editors: `linkwork schema` prints it as JSON Schema."""

from __future__ import annotations

import functools
import operator
from typing import Annotated, Any, Literal

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


Named = Annotated[str, Field(pattern=NAME_PATTERN)]


class ModelFile(Entry):
    """A Linkwork model file, version 1."""

    linkwork: Literal[1]
    name: Name = "mechanism"
    description: Text = ""
    units: UnitsEntry | None = None
    gravity: tuple[Acceleration, Acceleration, Acceleration] | None = None
    ground: Name = Field("ground", description="name of the body that stands still")
    floating: Switch = Field(False, description="true when nothing is joined to ground on purpose")
    curves: dict[Named, CurveEntry] | None = None
    bodies: dict[Named, BodyEntry | None] | None = None
    chains: dict[Named, ChainEntry] | None = None
    joints: dict[Named, AnyJoint] | None = None  # type: ignore[valid-type]
    points: dict[Named, PointEntry] | None = None
    frames: dict[Named, FrameEntry] | None = None
    expect: dict[str, float | str] | None = Field(None, description="numbers that a check must find")


SECTIONS = ("units", "gravity", "curves", "bodies", "chains", "joints", "points", "frames", "expect")
"""Keys of the file that may stand there with nothing behind them; so may the names in `bodies`."""


def json_schema() -> dict[str, Any]:
    """JSON Schema of model files (draft 2020-12)."""
    schema = ModelFile.model_json_schema(by_alias=True)
    entries = {name: _without_null(entry) for name, entry in schema["$defs"].items()}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "$defs": entries}


def _without_null(schema: Any) -> Any:
    """A key of an entry is written with a value or not at all."""
    if isinstance(schema, list):
        return [_without_null(s) for s in schema if s != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    return {k: _without_null(v) for k, v in schema.items() if not (k == "default" and v is None)}
