"""Points, frames, curves and chains in a model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from linkwork.errors import ModelError, Problem
from linkwork.expressions import Expression
from linkwork.files.entries.base import Entry, Gather, Switch, Text, Whole
from linkwork.files.entries.bodies import BodyEntry
from linkwork.files.entries.joints import LIMITS_SCHEMA, VALUE_SCHEMA, variable_limits, variable_values
from linkwork.files.entries.placements import PlacementEntry
from linkwork.files.quantities import (
    Angle,
    Length,
    Name,
    Number,
    Point,
)
from linkwork.model.mechanism import Mechanism
from linkwork.units import LENGTH, UnitSystem


class PointEntry(Entry):
    """A named point of a body."""

    on: Name
    at: Point
    within: Name | None = Field(None, alias="in", description="body in whose own frame `at` is given")
    description: Text = ""


class FrameEntry(PlacementEntry):
    """A named frame of a body."""

    on: Name
    description: Text = ""


class FourierEntry(Entry):
    """u = u0 + Σ (u_cos[k] cos kt + u_sin[k] sin kt), v likewise; lists start at order 1."""

    u0: Length = 0.0
    v0: Length = 0.0
    u_cos: list[Length] = Field(default_factory=list)
    u_sin: list[Length] = Field(default_factory=list)
    v_cos: list[Length] = Field(default_factory=list)
    v_sin: list[Length] = Field(default_factory=list)


def _arithmetic(value: Any) -> Any:
    text = str(value) if type(value) in (int, float) else value
    if isinstance(text, str):
        Expression(text, ("t",))  # complains of all that is not arithmetic
    return text


Arithmetic = Annotated[str, BeforeValidator(_arithmetic), WithJsonSchema({"type": ["string", "number"]})]


class ExpressionEntry(Entry):
    """u(t) and v(t): arithmetic with sin, cos, ... and where(a < b, x, y)."""

    u: Arithmetic
    v: Arithmetic


_CURVE_EXTRAS = {"fourier": (), "expression": ("closed", "span", "unit"), "spline": ("closed", "degree")}


class CurveEntry(Entry):
    """A planar curve: one of fourier, expression, spline."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [k]} for k in ("fourier", "expression", "spline")]}
    )

    fourier: FourierEntry | None = None
    expression: ExpressionEntry | None = None
    spline: list[tuple[Length, Length]] | None = Field(None, description="points to pass through")
    closed: Switch = False
    span: tuple[Number, Number] | None = Field(None, description="first and last t of an expression; 0 to 2 pi")
    unit: Length | None = Field(None, description="unit of an expression's values; that of the header")
    degree: Whole = Field(5, description="5 or 3, of a spline")

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        """Add the curve to a mechanism."""
        kinds = [kind for kind in _CURVE_EXTRAS if getattr(self, kind) is not None]
        lost = self.model_fields_set.difference(kinds, *(_CURVE_EXTRAS[kind] for kind in kinds)) if kinds else ()
        if lost:
            text = f"{', '.join(sorted(lost))} besides {' and '.join(kinds)}"
            raise ModelError(Problem(text, f"curves.{name}", "leave it out; it would not be used"))
        fourier = None
        if self.fourier is not None:
            fourier = {k: list(v) if isinstance(v, list) else v for k, v in self.fourier}
        m.curve(
            name,
            fourier=fourier,
            expression=None if self.expression is None else (self.expression.u, self.expression.v),
            spline=self.spline,
            closed=self.closed,
            span=self.span,
            unit=1.0 if self.expression is None else units.factor(LENGTH) if self.unit is None else self.unit,
            degree=self.degree,
        )


class RowEntry(BodyEntry):
    """A row of a D-H table with its joint and its body. Only the numbers of the chain's convention may be given."""

    joint: Name
    body: Name
    kind: Literal["revolute", "prismatic"] = "revolute"
    theta: Angle | None = None
    d: Length | None = None
    a: Length | None = None
    alpha: Angle | None = None
    beta: Angle | None = None
    gamma: Angle | None = None
    b: Length | None = None
    c: Length | None = None
    value: Annotated[Any, WithJsonSchema(VALUE_SCHEMA)] = None
    limits: Annotated[Any, WithJsonSchema(LIMITS_SCHEMA)] = None

    def row(self, where: str, units: UnitSystem, read_mesh: Any, mesh_look: Any) -> dict[str, Any]:
        """The row as `Mechanism.dh_chain` takes it."""
        if self.frame is not None:
            raise ModelError(Problem("`frame` in a row", where, "the row itself is the body's frame"))
        with Gather() as part:
            given = part(self.arguments, where, read_mesh, mesh_look) or {}
            value = part(variable_values, self.kind, self.value, units, f"{where}.value")
            limits = part(variable_limits, self.kind, self.limits, units, f"{where}.limits")
        row = {k: v for k, v in given.items() if v is not None and v != ""}
        for key in ("joint", "body", "kind", "theta", "d", "a", "alpha", "beta", "gamma", "b", "c"):
            if getattr(self, key) is not None:
                row[key] = getattr(self, key)
        if value is not None:
            numbers = list(value.values()) if isinstance(value, Mapping) else value
            if len(numbers) != 1:
                raise ModelError(Problem(f"{len(numbers)} values for one variable", f"{where}.value"))
            row["value"] = numbers[0]
        if limits is not None:
            row["limits"] = limits
        return row


class ChainEntry(Entry):
    """A serial chain from a table."""

    base: Name | None = Field(None, description="body that the chain starts from; ground by default")
    convention: Literal["dh", "dh_craig", "hayati", "sheth_uicker"] = "dh"
    rows: list[RowEntry]
