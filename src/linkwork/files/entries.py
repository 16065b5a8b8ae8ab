"""The entries of a model file, one class each: what may be written, and how it becomes part of a Mechanism.

The same classes check a file, tell editors what is allowed (JSON Schema), and build the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.expressions import Expression
from linkwork.files.quantities import (
    NUMBER_OR_TEXT,
    Angle,
    Density,
    Direction,
    Length,
    Mass,
    MomentOfInertia,
    Name,
    Number,
    OrElse,
    Pair,
    Point,
    listed,
    quantity,
)
from linkwork.model import bodies, solids
from linkwork.model.entry import perpendicular_axes
from linkwork.model.joints import KINDS
from linkwork.model.mechanism import Mechanism
from linkwork.model.placement import ROW_KEYS, Orientation, Placement, ThreePoints, placement
from linkwork.model.solids import Solid
from linkwork.units import ANGLE, LENGTH, NUMBER, Dimension, UnitSystem

DIMENSIONS: dict[str, Dimension] = {"angle": ANGLE, "length": LENGTH, "number": NUMBER}

Whole = Annotated[int, Field(strict=True)]
Switch = Annotated[bool, Field(strict=True)]
Text = Annotated[str, Field(strict=True)]

Made = TypeVar("Made")


class Gather:
    """Takes several steps in spite of errors, and raises the problems of all of them at its end."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def __call__(self, make: Callable[..., Made], *given: Any) -> Made | None:
        try:
            return make(*given)
        except ModelError as error:
            self.problems += error.problems
            return None

    def __enter__(self) -> Gather:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is None and self.problems:
            raise ModelError(self.problems)


def located(make: Callable[[], Made], where: str) -> Made:
    """What `make` gives; its complaints get this place."""
    try:
        return make()
    except ModelError as error:
        raise ModelError([Problem(p.what, where, p.hint) for p in error.problems]) from None


class Entry(BaseModel):
    """Base of all entries: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AxisAngle(Entry):
    """A rotation about an axis."""

    axis: Direction
    angle: Angle


class DHRow(Entry):
    """Standard Denavit-Hartenberg: Rz(theta) Tz(d) Tx(a) Rx(alpha)."""

    theta: Angle = 0.0
    d: Length = 0.0
    a: Length = 0.0
    alpha: Angle = 0.0


class CraigRow(Entry):
    """Modified Denavit-Hartenberg (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d)."""

    alpha: Angle = 0.0
    a: Length = 0.0
    theta: Angle = 0.0
    d: Length = 0.0


class HayatiRow(Entry):
    """Hayati, for nearly parallel axes: Rz(theta) Tx(a) Rx(alpha) Ry(beta)."""

    theta: Angle = 0.0
    a: Length = 0.0
    alpha: Angle = 0.0
    beta: Angle = 0.0


class ShethUickerRow(Entry):
    """Sheth-Uicker, for any two frames: Rz(gamma) Tz(c) Rx(alpha) Tx(a) Rz(beta) Tz(b)."""

    gamma: Angle = 0.0
    c: Length = 0.0
    alpha: Angle = 0.0
    a: Length = 0.0
    beta: Angle = 0.0
    b: Length = 0.0


NumberRow = tuple[Number, Number, Number]
MomentRow = tuple[MomentOfInertia, MomentOfInertia, MomentOfInertia]


class OrientationEntry(Entry):
    """Axes of a frame, in at most one of these ways."""

    axis: Direction | None = Field(None, description="direction of w, the frame's z")
    x: Direction | None = Field(None, description="direction of u, the frame's x; made perpendicular to the axis")
    matrix: tuple[NumberRow, NumberRow, NumberRow] | None = Field(None, description="3x3 rotation by rows")
    rpy: tuple[Angle, Angle, Angle] | None = Field(None, description="roll, pitch, yaw about fixed x, y, z")
    euler_zxz: tuple[Angle, Angle, Angle] | None = None
    euler_zyz: tuple[Angle, Angle, Angle] | None = None
    euler_xyz: tuple[Angle, Angle, Angle] | None = None
    quaternion: tuple[Number, Number, Number, Number] | None = Field(None, description="w, x, y, z of unit length")
    axis_angle: AxisAngle | None = None

    def _axes(self) -> dict[str, Any]:
        keys = ("axis", "x", "matrix", "rpy", "euler_zxz", "euler_zyz", "euler_xyz", "quaternion")
        given = {k: getattr(self, k) for k in keys}
        if self.axis_angle is not None:
            given["axis_angle"] = (self.axis_angle.axis, self.axis_angle.angle)
        return given


class AxesEntry(OrientationEntry):
    """Axes of numbers: directions only, in the body's own frame."""

    points: tuple[Point, Point, Point] | None = Field(None, description="from the first: along +w, to the +u side")

    def orientation(self, where: str) -> Orientation | None:
        """The axes that the entry describes."""
        turn = placement(points=self.points, where=where, **self._axes())
        if not isinstance(turn.orientation, ThreePoints):
            return turn.orientation
        on_axis, on_plane = (
            tuple(b - a for a, b in zip(turn.at, p, strict=True))
            for p in (turn.orientation.on_axis, turn.orientation.on_plane)
        )
        return ThreePoints(on_axis, on_plane)  # type: ignore[arg-type]  # three numbers each


class PlacementEntry(OrientationEntry):
    """A frame: a point and its axes, in the layout posture or in a body's own frame."""

    at: Point | None = Field(None, description="origin")
    points: tuple[Point, Point, Point] | None = Field(None, description="origin, a point on +w, a point on the +u side")
    dh: DHRow | None = None
    dh_craig: CraigRow | None = None
    hayati: HayatiRow | None = None
    sheth_uicker: ShethUickerRow | None = None
    within: Name | None = Field(None, alias="in", description="body in whose own frame the numbers are given")

    def placement(self, where: str) -> Placement:
        """The placement that the entry describes."""
        rows: dict[str, Any] = {}
        for form, keys in ROW_KEYS.items():
            row = getattr(self, form)
            if row is not None:
                rows[form] = [getattr(row, k) for k in keys]
        return placement(self.at, points=self.points, within=self.within, where=where, **self._axes(), **rows)


def point_as_placement(value: Any) -> Any:
    """A bare point is a frame with the axes left out."""
    return {"at": value} if isinstance(value, list | tuple) else value


SecondFrame = Annotated[PlacementEntry, BeforeValidator(point_as_placement), OrElse(listed(3))]


# -------------------------------------------------------------------- bodies


class CylinderSizes(Entry):
    """A round bar along w, centred."""

    radius: Length
    length: Length


class TubeSizes(Entry):
    """A hollow round bar along w, centred."""

    outer: Length
    inner: Length
    length: Length


class SphereSizes(Entry):
    """A ball, centred."""

    radius: Length


class ConeSizes(Entry):
    """A cone along w; its base at the origin, its tip (or face of radius `top`) at w = length."""

    radius: Length
    length: Length
    top: Length = 0.0


class RingSectorSizes(Entry):
    """Part of a ring, symmetric about u, thick along w, centred."""

    outer: Length
    inner: Length
    angle: Angle
    length: Length


class SolidEntry(PlacementEntry):
    """A solid with a density, added to a body or cut out of it. Exactly one shape is given."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": [k]} for k in (*solids.SHAPES, "mesh")]})

    box: tuple[Length, Length, Length] | None = Field(None, description="edges along u, v, w; centred")
    cylinder: CylinderSizes | None = None
    tube: TubeSizes | None = None
    sphere: SphereSizes | None = None
    cone: ConeSizes | None = None
    ring_sector: RingSectorSizes | None = None
    mesh: Text | None = Field(None, description="STL, OBJ, PLY, OFF or GLB file beside the model; `units` is mandatory")
    units: Text | None = Field(None, description="length unit of the mesh file, such as mm")
    density: Density | None = None
    minus: Switch = Field(False, description="true: cut out")

    def solid(self, where: str, read_mesh: Any) -> solids.Shape:
        """The shape; `read_mesh(path, units)` reads mesh files."""
        kinds = [k for k in (*solids.SHAPES, "mesh") if getattr(self, k) is not None]
        if len(kinds) != 1:
            hint = f"one of {', '.join((*solids.SHAPES, 'mesh'))}"
            raise ModelError(Problem(f"{len(kinds)} shapes are given", where, hint))
        kind = kinds[0]
        if kind != "mesh" and self.units is not None:
            raise ModelError(Problem("`units` is for meshes", where, "write the unit behind the number"))
        sizes = getattr(self, kind)

        def shape(**common: Any) -> solids.Shape:
            if kind == "mesh":
                return read_mesh(self.mesh, self.units, **common)  # type: ignore[no-any-return]
            values = {"size": sizes} if kind == "box" else dict(sizes)
            return solids.SHAPES[kind](**values, **common)

        with Gather() as part:
            frame = part(self.placement, where)
            made = part(lambda: located(lambda: shape(frame=frame, density=self.density), f"{where}.{kind}"))
        assert made is not None
        return made


class InertiaEntry(Entry):
    """Inertia tensor. Signs: xx = ∫(y²+z²)dm, xy = -∫xy dm, unless products: positive."""

    moments: tuple[MomentOfInertia, ...] | None = Field(None, description="xx, yy, zz or xx, yy, zz, xy, xz, yz")
    tensor: tuple[MomentRow, MomentRow, MomentRow] | None = None
    xx: MomentOfInertia | None = None
    yy: MomentOfInertia | None = None
    zz: MomentOfInertia | None = None
    xy: MomentOfInertia | None = None
    xz: MomentOfInertia | None = None
    yz: MomentOfInertia | None = None
    about: Literal["com", "origin"] = "com"
    products: Literal["tensor", "positive"] = "tensor"
    axes: AxesEntry | None = Field(None, description="axes of the numbers in the body's own frame")

    def inertia(self, where: str) -> bodies.Inertia:
        """The inertia that the entry describes."""
        elements = {k: v for k in bodies.ELEMENTS if (v := getattr(self, k)) is not None}
        forms = [f for f in (self.moments, self.tensor, elements or None) if f is not None]
        if len(forms) != 1:
            hint = "give a list, a 3x3 `tensor`, or elements xx, yy, zz, xy, xz, yz"
            raise ModelError(Problem(f"{len(forms)} forms of inertia are given", where, hint))
        if self.tensor is not None and self.products == "positive":
            raise ModelError(
                Problem("`products: positive` with a tensor", where, "the elements of a tensor have signs")
            )
        axes = None if self.axes is None else self.axes.orientation(f"{where}.axes")
        return bodies.inertia(forms[0], about=self.about, axes=axes, products=self.products, where=where)


def inertia_form(value: Any) -> Any:
    """A bare list is one of moments, or of the rows of a tensor."""
    if isinstance(value, list | tuple):
        return {"tensor" if value and isinstance(value[0], list | tuple) else "moments": value}
    return value


_INERTIA_LISTS = {"anyOf": [listed(3), listed(6), listed(3, listed(3))]}


class BodyEntry(Entry):
    """A rigid body. Its numbers are in its own frame: the global frame of the layout unless `frame` is given."""

    mass: Mass | None = None
    com: Point | None = Field(None, description="centre of mass; by default the mean of the body's joints")
    inertia: Annotated[InertiaEntry, BeforeValidator(inertia_form), OrElse(_INERTIA_LISTS)] | None = None
    solids: list[SolidEntry] | None = None
    density: Density | None = None
    frame: PlacementEntry | None = Field(None, description="the body's own frame in the layout posture")
    accept_unphysical: Switch = Field(False, description="take mass properties that no real body has, with a warning")
    description: Text = ""

    def arguments(self, where: str, read_mesh: Any) -> dict[str, Any]:
        """Keyword arguments of `Mechanism.body`."""
        with Gather() as part:
            solid = part(self._solid, where, read_mesh)
            inertia = part(lambda: None if self.inertia is None else self.inertia.inertia(f"{where}.inertia"))
            frame = part(lambda: None if self.frame is None else self.frame.placement(f"{where}.frame"))
        return {
            "mass": self.mass,
            "com": self.com,
            "inertia": inertia,
            "solid": solid,
            "density": self.density,
            "frame": frame,
            "accept_unphysical": self.accept_unphysical,
            "description": self.description,
        }

    def _solid(self, where: str, read_mesh: Any) -> Solid | None:
        entries = self.solids or ()
        with Gather() as part:
            shapes = [part(entry.solid, f"{where}.solids[{i}]", read_mesh) for i, entry in enumerate(entries)]
        signs = [-1 if entry.minus else +1 for entry in entries]
        parts = tuple((sign, shape) for sign, shape in zip(signs, shapes, strict=True) if shape is not None)
        if len(parts) == 1 and parts[0][0] > 0:
            return parts[0][1]
        return solids.Compound(parts) if parts else None


# -------------------------------------------------------------------- joints

_VALUE_SCHEMA = {
    "anyOf": [
        NUMBER_OR_TEXT,
        {"type": "array", "items": NUMBER_OR_TEXT},
        {"type": "object", "additionalProperties": NUMBER_OR_TEXT},
    ],
    "description": "layout values of the variables: one, all in order, or by name",
}
_LIMITS_SCHEMA = {
    "anyOf": [listed(2), {"type": "object", "additionalProperties": listed(2)}],
    "description": "[low, high] of a single variable, or such pairs by variable name",
}


class JointEntry(Entry):
    """Base of all joints: the bodies stand behind the name of the kind."""

    kind: ClassVar[str]
    limits: Annotated[Any, WithJsonSchema(_LIMITS_SCHEMA)] = None
    description: Text = ""

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        """Add the joint to a mechanism."""
        raise AssertionError(self.kind)  # every kind gives its own

    def _ends(self) -> Pair:
        ends: Pair = getattr(self, self.kind)
        return ends


class PlacedJoint(JointEntry, PlacementEntry):
    """A joint placed by `at` and `axis` (or any other way to give a frame)."""

    to: SecondFrame | None = Field(None, description="place or frame on the second body, where it differs")
    value: Annotated[Any, WithJsonSchema(_VALUE_SCHEMA)] = None

    def law(self, m: Mechanism, where: str) -> dict[str, Any]:
        """Arguments of the kind, besides those of every placed joint."""
        return {}

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        where = f"joints.{name}"
        with Gather() as part:
            frame = part(self._frame, where)
            to = part(lambda: None if self.to is None else self.to.placement(f"{where}.to"))
            value = part(variable_values, self.kind, self.value, units, f"{where}.value")
            limits = part(variable_limits, self.kind, self.limits, units, f"{where}.limits")
        options = {"frame": frame, "to": to, "value": value, "limits": limits, "description": self.description}
        getattr(m, self.kind)(name, *self._ends(), **options, **self.law(m, where))

    def _frame(self, where: str) -> Placement:
        return self.placement(where)


class RevoluteEntry(PlacedJoint):
    """A pin. Variable: angle."""

    kind = "revolute"
    revolute: Pair


class PrismaticEntry(PlacedJoint):
    """A slider along the axis. Variable: slide."""

    kind = "prismatic"
    prismatic: Pair


class HelicalEntry(PlacedJoint):
    """A screw. Variable: angle."""

    kind = "helical"
    helical: Pair
    lead: Length = Field(description="advance in one turn; negative for a left-handed thread")

    def law(self, m: Mechanism, where: str) -> dict[str, Any]:
        return {"lead": self.lead}


class CylindricEntry(PlacedJoint):
    """A sleeve. Variables: angle, slide."""

    kind = "cylindric"
    cylindric: Pair


class SphericEntry(PlacedJoint):
    """A ball. Variables: qw, qx, qy, qz."""

    kind = "spheric"
    spheric: Pair


class FlatEntry(PlacedJoint):
    """A plate on a plane across the axis. Variables: x, y, angle."""

    kind = "flat"
    flat: Pair


class UniversalEntry(PlacedJoint):
    """A Hooke's joint. Variables: angle1, angle2."""

    kind = "universal"
    universal: Pair
    axes: tuple[Direction, Direction] | None = Field(None, description="one of each body; perpendicular")

    def _frame(self, where: str) -> Placement:
        if self.axes is None:
            return self.placement(where)
        besides = self.model_fields_set & (set(PlacementEntry.model_fields) - {"at", "within"})
        if besides:
            text = f"`axes` is given besides {', '.join(sorted(besides))}"
            raise ModelError(Problem(text, where, "keep one of them"))
        first, second = perpendicular_axes(self.axes, where)
        return placement(self.at, axis=first, x=second, within=self.within, where=where)


class RigidEntry(PlacedJoint):
    """A weld. No variables."""

    kind = "rigid"
    rigid: Pair


class FreeEntry(PlacedJoint):
    """Six freedoms. Variables: x, y, z, qw, qx, qy, qz."""

    kind = "free"
    free: Pair


class ToothedEntry(JointEntry, PlacementEntry):
    """What gears and racks have in common: a second centre, and teeth."""

    to: SecondFrame = Field(description="centre of the second body, the gear or pinion")
    pressure_angle: Angle | None = Field(None, description="20 deg unless given")
    helix_angle: Angle = 0.0
    flank: Whole = 0

    def sizes(self) -> dict[str, Any]:
        """Arguments that are the kind's own."""
        raise AssertionError(self.kind)  # both kinds give their own

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        where = f"joints.{name}"
        with Gather() as part:
            at = part(self.placement, where)
            to = part(self.to.placement, f"{where}.to")
            limits = part(variable_limits, self.kind, self.limits, units, f"{where}.limits")
        options: dict[str, Any] = {"helix_angle": self.helix_angle, "flank": self.flank, **self.sizes()}
        if self.pressure_angle is not None:
            options["pressure_angle"] = self.pressure_angle
        options |= {"at": at, "to": to, "limits": limits, "description": self.description}
        getattr(m, self.kind)(name, *self._ends(), **options)


class GearEntry(ToothedEntry):
    """Two gears on parallel axes, centred at `at` and `to`. Variables: angle, stretch, axial."""

    kind = "gear"
    gear: Pair
    radii: tuple[Length, Length] | None = None
    teeth: tuple[Whole, Whole] | None = None
    module: Length | None = None
    internal: Switch = Field(False, description="true when one gear is a ring around the other")

    def sizes(self) -> dict[str, Any]:
        return {"radii": self.radii, "teeth": self.teeth, "module": self.module, "internal": self.internal}


class RackEntry(ToothedEntry):
    """A rack and pinion: [rack, pinion]; `at` is a point of the rack's pitch line. Variables: slide, stretch, axial."""

    kind = "rack"
    rack: Pair
    radius: Length
    teeth: Whole | None = None

    def sizes(self) -> dict[str, Any]:
        return {"radius": self.radius, "teeth": self.teeth}


class BevelEntry(JointEntry):
    """Two straight bevel gears. Variables: angle, spread."""

    kind = "bevel"
    bevel: Pair
    at: Point = Field(description="the common apex")
    axes: tuple[Direction, Direction] = Field(description="both axes, each from the apex to its gear")
    within: Name | None = Field(None, alias="in", description="body in whose own frame the numbers are given")
    cones: tuple[Angle, Angle] | None = Field(None, description="half angles of the pitch cones")
    teeth: tuple[Whole, Whole] | None = None
    internal: Switch = False

    def add(self, m: Mechanism, name: str, units: UnitSystem) -> None:
        m.bevel(
            name,
            *self.bevel,
            at=self.at,
            axes=self.axes,
            within=self.within,
            cones=self.cones,
            teeth=self.teeth,
            internal=self.internal,
            limits=variable_limits("bevel", self.limits, units, f"joints.{name}.limits"),
            description=self.description,
        )


class PointOnCurveEntry(PlacedJoint):
    """A point of the second body on a curve of the first. Variables: parameter, angle, axial."""

    kind = "point_on_curve"
    point_on_curve: Pair
    curve: Name

    def law(self, m: Mechanism, where: str) -> dict[str, Any]:
        return {"curve": self.curve}


class LineOnCurveEntry(PlacedJoint):
    """A line of the second body (u of `to`) tangent to a curve of the first. Variables: parameter, contact, axial."""

    kind = "line_on_curve"
    line_on_curve: Pair
    curve: Name

    def law(self, m: Mechanism, where: str) -> dict[str, Any]:
        return {"curve": self.curve}


JOINTS: dict[str, type[JointEntry]] = {
    entry.kind: entry
    for entry in (
        RevoluteEntry,
        PrismaticEntry,
        HelicalEntry,
        CylindricEntry,
        SphericEntry,
        FlatEntry,
        UniversalEntry,
        RigidEntry,
        FreeEntry,
        GearEntry,
        RackEntry,
        BevelEntry,
        PointOnCurveEntry,
        LineOnCurveEntry,
    )
}


def _variables(kind: str) -> dict[str, Dimension]:
    return {v.name: DIMENSIONS[v.dimension] for v in KINDS[kind].variables}


def _of_variable(kind: str, name: Any, where: str) -> Dimension:
    variables = _variables(kind)
    if name not in variables:
        hint = did_you_mean(str(name), variables)
        raise ModelError(Problem(f"a {kind} joint has no variable '{name}'", where, hint))
    return variables[name]


def variable_values(kind: str, value: Any, units: UnitSystem, where: str) -> Any:
    """Layout values in SI, by name or in order; the Mechanism checks their number."""
    if value is None:
        return None
    with Gather() as part:
        if isinstance(value, Mapping):
            return {k: part(_named_variable, kind, k, v, units, where) for k, v in value.items()}
        items = value if isinstance(value, list) else [value]
        dimensions = [*_variables(kind).values(), *([NUMBER] * len(items))]
        return [part(_variable, d, v, units, where) for d, v in zip(dimensions, items, strict=False)]


def variable_limits(kind: str, limits: Any, units: UnitSystem, where: str) -> Any:
    """Limits in SI; the Mechanism checks their order."""
    if isinstance(limits, Mapping):
        with Gather() as part:
            return {k: part(_named_limits, kind, k, v, units, where) for k, v in limits.items()}
    if limits is None:
        return None
    variables = _variables(kind)
    if len(variables) != 1:
        hint = f"write {{{next(iter(variables))}: [low, high]}}" if variables else "it has nothing to limit"
        raise ModelError(Problem(f"a {kind} joint has {len(variables) or 'no'} variables", where, hint))
    return _limit_pair(next(iter(variables.values())), limits, units, where)


def _named_variable(kind: str, name: Any, value: Any, units: UnitSystem, where: str) -> float:
    return _variable(_of_variable(kind, name, where), value, units, f"{where}.{name}")


def _named_limits(kind: str, name: Any, pair: Any, units: UnitSystem, where: str) -> list[float]:
    return _limit_pair(_of_variable(kind, name, where), pair, units, f"{where}.{name}")


def _limit_pair(dimension: Dimension, pair: Any, units: UnitSystem, where: str) -> list[float]:
    if not isinstance(pair, list) or len(pair) != 2:
        raise ModelError(Problem("a pair [low, high] is wanted", where))
    low, high = (_variable(dimension, v, units, where) for v in pair)
    if not low < high:
        raise ModelError(Problem(f"the limits {low:g} and {high:g} leave no room", where))
    return [low, high]


def _variable(dimension: Dimension, value: Any, units: UnitSystem, where: str) -> float:
    return located(lambda: quantity(value, dimension, units), where)


# -------------------------------------------------------------------- points, frames, curves, chains


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
    u_cos: list[Length] = []
    u_sin: list[Length] = []
    v_cos: list[Length] = []
    v_sin: list[Length] = []


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
            unit=units.factor(LENGTH) if self.unit is None else self.unit,
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
    value: Annotated[Any, WithJsonSchema(_VALUE_SCHEMA)] = None
    limits: Annotated[Any, WithJsonSchema(_LIMITS_SCHEMA)] = None

    def row(self, where: str, units: UnitSystem, read_mesh: Any) -> dict[str, Any]:
        """The row as `Mechanism.dh_chain` takes it."""
        if self.frame is not None:
            raise ModelError(Problem("`frame` in a row", where, "the row itself is the body's frame"))
        with Gather() as part:
            given = part(self.arguments, where, read_mesh) or {}
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
