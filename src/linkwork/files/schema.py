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
from linkwork.files.quantities import Acceleration, Name

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
    curves: dict[str, CurveEntry] = {}
    bodies: dict[str, BodyEntry] = {}
    chains: dict[str, ChainEntry] = {}
    joints: dict[str, Annotated[AnyJoint, Field()]] = {}  # type: ignore[valid-type]
    points: dict[str, PointEntry] = {}
    frames: dict[str, FrameEntry] = {}
    expect: dict[str, float | str] = Field({}, description="numbers that a check must find")


def json_schema() -> dict[str, Any]:
    """JSON Schema of model files (draft 2020-12)."""
    schema = ModelFile.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
