"""A machine, described once: bodies, joints, points and frames, by name, in the layout posture.

Lengths are metres, angles radians, positions and axes global coordinates of the layout posture, unless a body's own
frame is named. Building a mechanism checks each call by itself; `linkwork.check` looks at the whole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Unpack

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.model import constraints, entry, load_words
from linkwork.model.amounts import Amount, Formula, Tabulated
from linkwork.model.bodies import Body
from linkwork.model.cases import Case, case
from linkwork.model.constraints import Constraint
from linkwork.model.curves import Curve
from linkwork.model.dimensions import Following, Let, checked_let_name, let_of, numbers_of_formula
from linkwork.model.import_report import ImportReport
from linkwork.model.inner import Inner
from linkwork.model.joints import (
    Cylindric,
    Flat,
    Free,
    Helical,
    Law,
    LineOnCurve,
    OnCurve,
    OnSurface,
    PointOnCurve,
    Prismatic,
    Revolute,
    Rigid,
    Spheric,
    Universal,
)
from linkwork.model.loads import Force, Friction, JointLoad, Load, Motor, Spring, Torque
from linkwork.model.loads.load import assert_unit_fits
from linkwork.model.parts import Frame, Joint, Point, checked_name, variable_limits, variable_values
from linkwork.model.placement import Placement, placement
from linkwork.model.resizing import Said, building, resized
from linkwork.model.solids import Solid
from linkwork.model.source import Source
from linkwork.model.space_curves import InPlane, SpaceCurve
from linkwork.model.states import NamedState, named_state
from linkwork.model.surfaces import Surface
from linkwork.model.variables import find_variable, no_variable
from linkwork.model.vectors import ZERO, Vector, number, vector
from linkwork.names import no_such
from linkwork.units import LENGTH, SI, UnitSystem

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

BodyLike = Body | str
PointLike = Point | str
JointLike = Joint | Inner | str
AmountLike = Amount | float | str


AnyLoad = TypeVar("AnyLoad", bound=Load)


class JointOptions(TypedDict, total=False):
    """Options of the joints that are placed by a point and an axis.

    at : place of the joint [m] in the layout posture
    axis : direction of w: "x", "-y", ... or three numbers
    x : direction of u, where the variables are zero; a fixed choice unless given
    frame : a ready placement instead of `at`, `axis`, `x`
    to : place or frame on the second body, where it differs in the layout posture
    value : layout values of the variables (a number, a list or a mapping by name), instead of `to`
    limits : pair (low, high) of a single variable, or pairs by variable name; None leaves a side open
    description : a sentence for readers
    """

    at: Any
    axis: Any
    x: Any
    frame: Placement | None
    to: Any
    value: Any
    limits: Any
    description: str


SYNONYMS = {
    "pin": "revolute", "hinge": "revolute", "pivot": "revolute", "turning": "revolute",
    "slider": "prismatic", "slide": "prismatic", "sliding": "prismatic", "guide": "prismatic",
    "screw": "helical", "cylindrical": "cylindric", "sleeve": "cylindric",
    "planar": "flat", "plate": "flat",
    "ball": "spheric", "spherical": "spheric", "ball_joint": "spheric",
    "cardan": "universal", "hooke": "universal",
    "fixed": "rigid", "weld": "rigid", "welded": "rigid",
    "rack_and_pinion": "rack", "bevel_gear": "bevel", "spur_gear": "gear",
}  # fmt: skip
"""Other names in use for kinds of joints, which files may have."""


class Mechanism:
    """Bodies joined by joints, described in the layout posture.

    Parameters
    ----------
    name : what the machine is called
    gravity : acceleration of gravity [m/s^2] along the layout axes; none acts unless given. A component may be a
        formula of the time t, or `lw.tabulated` over it; `gravity_laws` then has it by axis, and `gravity` zero
    ground : name of the body that stands still
    floating : True when, on purpose, nothing is joined to ground (a spacecraft, a thrown tool)
    planar : True when everything moves in the plane of x and y: places may be given by two coordinates, inertias by one
        number, and what the plane makes redundant is not remarked upon
    description : a sentence or two for readers
    expect : numbers that a check must find, by name: mobility, loops, grubler, mass, "A.angle", "P.x", ...
    """

    def __init__(
        self,
        name: str = "mechanism",
        *,
        gravity: Any = ZERO,
        ground: str = "ground",
        floating: bool = False,
        planar: bool = False,
        description: str = "",
        expect: Mapping[str, float] | None = None,
    ) -> None:
        self.name = checked_name(name, "name")
        self.gravity: Vector
        self.gravity_laws: dict[str, Formula | Tabulated]
        """What gravity adds to its numbers over time, by axis."""
        flat = planar and isinstance(gravity, list | tuple) and len(gravity) == 2
        self.gravity, self.gravity_laws = load_words.gravity((*gravity, 0.0) if flat else gravity)
        self.floating, self.in_plane = bool(floating), bool(planar)
        self.description = str(description)
        self.expect: dict[str, float] = {str(k): number(v, f"expect.{k}") for k, v in (expect or {}).items()}
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.inner: dict[str, Inner] = {}
        """Freedoms inside bodies."""
        self.points: dict[str, Point] = {}
        self.frames: dict[str, Frame] = {}
        self.curves: dict[str, Curve] = {}
        self.loads: dict[str, Load] = {}
        self.motors: dict[str, Motor] = {}
        self.constraints: dict[str, Constraint] = {}
        self.states: dict[str, NamedState] = {}
        self.source: Source | None = None
        self.cases: dict[str, Case] = {}
        """Named questions, as data."""
        self.lets: dict[str, Let] = {}
        """Named dimensions, from which other numbers follow."""
        self._before: tuple[dict[str, Any], ...] = ()
        self._said: tuple[Said, ...] = ()
        """What there was before the first dimension, and what was said since: `resized` says it again."""
        self._ground = checked_name(ground, "ground")
        self.bodies[self._ground] = Body(self._ground)

    # ---------------------------------------------------------------- named dimensions

    def let(self, name: str, value: Any, *, description: str = "") -> Following:
        """Name a dimension, from which numbers of the model may follow; it is a parameter by this name.

        What it gives is a number: arithmetic with it follows, too, and so does text: `at=(crank, 0, 0)`,
        `at=("crank*cos(30 deg)", "crank*sin(30 deg)", 0)`. Lists become numpy arrays of plain numbers elsewhere; here
        give tuples.

        Parameters
        ----------
        name : its name, as formulas have it
        value : a number [SI], "40 mm", or a formula of other dimensions, "crank/2"
        description : a sentence for readers
        """
        where = f"let.{name}"
        checked_let_name(name, where)
        if name in self.lets:
            raise ModelError(Problem(f"there are two dimensions named '{name}'", where, "give one another name"))
        taken = next((kind for table, kind in self._formula_names() if name in table), "")
        if taken:
            raise ModelError(Problem(f"the name '{name}' is taken by a {taken}", where, "formulas could mean both"))
        new = let_of(name, value, self.lets, description, where)
        if not self.lets:
            self._before = tuple(dict(table) for table in self._tables())
        self.lets = {**self.lets, name: new}
        return Following(new.value, name)

    def begin_with(self, lets: Mapping[str, Let]) -> None:
        """Take ready dimensions, before anything else is said.

        Parameters
        ----------
        lets : by name, each after those that it follows from
        """
        if lets:
            self._before, self.lets = tuple(dict(table) for table in self._tables()), dict(lets)

    def _formula_names(self) -> list[tuple[Mapping[str, Any], str]]:
        """What formulas call by plain names."""
        return [(self.joints, "joint"), (self.inner, "freedom of a body"), (self.states, "state")]

    def resized(self, values: Mapping[str, Any] | None = None, **named: Any) -> Mechanism:
        """The same machine with other dimensions: everything that follows from them is laid out anew.

        Parameters
        ----------
        values : new values by name [SI], or texts such as "50 mm"
        named : the same as keywords
        """
        return resized(self, {**(values or {}), **named})

    @property
    def import_report(self) -> ImportReport | None:
        """What was kept, converted, approximated and lost of a file of another program; None of other machines."""
        return None if self.source is None else self.source.imported

    # ---------------------------------------------------------------- bodies

    @property
    def ground(self) -> Body:
        """The body that stands still."""
        return self.bodies[self._ground]

    def body(
        self,
        name: str,
        *,
        mass: float | None = None,
        com: Any = None,
        inertia: Any = None,
        bar: Any = None,
        solid: Solid | None = None,
        density: float | None = None,
        frame: Placement | None = None,
        accept_unphysical: bool = False,
        description: str = "",
        looks: Solid | Sequence[Solid] | None = None,
        colour: str = "",
    ) -> Body:
        """Add a rigid body.

        Parameters
        ----------
        name : its name
        mass : mass [kg]; none for a massless body
        com : centre of mass [m] in the body's own frame; by default the mean of its joints' places, each once
        inertia : tensor [kg m^2] as 3 moments, 6 elements (xx, yy, zz, xy, xz, yz), 3x3, or `lw.inertia(...)`
        bar : two places [m], instead of `com` and `inertia`: those of a thin uniform bar of this mass between them
        solid : shapes to take mass, centre and inertia from, with `density`; instead of the three above
        density : density of the solids [kg/m^3]
        frame : the body's own frame in the layout posture, `lw.placement(...)`; by default the global frame
        accept_unphysical : take mass properties that no real body has, with a warning
        description : a sentence for readers
        looks : shapes only to be seen, without mass, instead of those that pictures make of joints and solids
        colour : in pictures: "#RRGGBB", or a name of the palette such as "vermilion"
        """
        where = f"bodies.{name}"
        if bar is not None:
            if com is not None or inertia is not None or solid is not None:
                raise ModelError(Problem("`bar` besides com, inertia or solids", where, "keep one of them"))
            com, inertia = entry.uniform_bar(bar, mass, where)
        known = self.bodies.get(checked_name(name, where))
        if known is None:
            self._claim(name, where)
        elif name != self._ground or known != Body(name):
            raise ModelError(Problem(f"there are two bodies named '{name}'", where, "give one another name"))
        new = entry.body_record(
            name, mass, com, inertia, solid, density, frame, accept_unphysical, description, looks, colour
        )
        self.bodies[name] = new
        return new

    def stretch(
        self,
        name: str,
        body: BodyLike,
        start: Any,
        end: Any,
        *,
        toward: Any = None,
        description: str = "",
    ) -> Inner:
        """Let a body stretch or shear evenly: a coordinate of its own (variable `slide`), that its matter and all that
        sits on it follow.

        Every place moves along the line from `start` to `end` in proportion to how far along it lies: nothing at
        `start`, by `slide` at `end`. Toward a direction across the line the body's layers glide, as the floors of a
        building do. Axes on the body stay parallel. Springs, dampers and other loads along it are given like those of
        joints, by its name.

        Parameters
        ----------
        name : its name
        body : the body that it belongs to, not ground
        start, end : places in the layout posture [m]
        toward : direction in which places move; by default along the line
        description : a sentence for readers
        """
        new = entry.stretch_record(name, body, start, end, toward, description)
        self._claim(new.name, new.where)
        self.inner[new.name] = new
        self._complete_loads(new.name)
        return new

    @property
    def owners(self) -> dict[str, Joint | Inner]:
        """All that has coordinates, by name: joints, and freedoms inside bodies."""
        return {**self.joints, **self.inner}

    # ---------------------------------------------------------------- joints placed by a point and an axis

    def revolute(self, name: str, tail: BodyLike, head: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """Add a pin: the second body turns about `axis` (variable `angle`).

        Parameters
        ----------
        name : its name
        tail, head : the first and the second body; variables measure the second relative to the first
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells
        """
        return self._placed(name, Revolute(), tail, head, **options)

    def prismatic(self, name: str, tail: BodyLike, head: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """Add a slider: the second body slides along `axis` (variable `slide`).

        Parameters
        ----------
        name : its name
        tail, head : the first and the second body; variables measure the second relative to the first
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells
        """
        return self._placed(name, Prismatic(), tail, head, **options)

    def helical(
        self, name: str, tail: BodyLike, head: BodyLike, *, lead: float, **options: Unpack[JointOptions]
    ) -> Joint:
        """Add a screw about `axis` (variable `angle`).

        Parameters
        ----------
        name : its name
        tail, head : the first and the second body; variables measure the second relative to the first
        lead : advance along the axis in one turn [m]; negative for a left-handed thread
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells
        """
        where = f"joints.{name}"
        law = entry.located(lambda: Helical(number(lead, f"{where}.lead", LENGTH)), where)
        return self._placed(name, law, tail, head, **options)

    def cylindric(self, name: str, tail: BodyLike, head: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """Add a sleeve: turns about and slides along `axis` (variables `angle`, `slide`).

        Parameters
        ----------
        name : its name
        tail, head : the first and the second body; variables measure the second relative to the first
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells
        """
        return self._placed(name, Cylindric(), tail, head, **options)

    def flat(self, name: str, tail: BodyLike, head: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """Add a plate on a plane: slides across `axis`, turns about it (variables `x`, `y`, `angle`).

        Parameters
        ----------
        name : its name
        tail, head : the first and the second body; variables measure the second relative to the first
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells
        """
        return self._placed(name, Flat(), tail, head, **options)

    def spheric(self, name: str, tail: BodyLike, head: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """Add a ball at `at` (variables: the unit quaternion `qw`, `qx`, `qy`, `qz`).

        Parameters
        ----------
        name : its name
        tail, head : the first and the second body; variables measure the second relative to the first
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells
        """
        return self._placed(name, Spheric(), tail, head, **options)

    def free(self, name: str, tail: BodyLike, head: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """Add a joint that holds nothing: six freedoms (variables `x`, `y`, `z` and a unit quaternion).

        Parameters
        ----------
        name : its name
        tail, head : the first and the second body; variables measure the second relative to the first
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells
        """
        return self._placed(name, Free(), tail, head, **options)

    def rigid(self, name: str, tail: BodyLike, head: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """Add a weld: the two bodies move as one.

        Parameters
        ----------
        name : its name
        tail, head : the first and the second body
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells
        """
        return self._placed(name, Rigid(), tail, head, **options)

    spherical, cylindrical, planar, fixed = spheric, cylindric, flat, rigid
    """The same joints by their other names."""

    def pin(self, name: str, *bodies: BodyLike, **options: Unpack[JointOptions]) -> list[Joint]:
        """Add a pin through several bodies: a revolute joint between the first and each of the others.

        Parameters
        ----------
        name : of the first joint; those to further bodies are called name_2, name_3, ...
        bodies : two or more
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells
        """
        if len(bodies) < 2:
            raise ModelError(Problem(f"{len(bodies)} bodies on a pin", f"joints.{name}", "name two or more"))
        names = [name, *(f"{name}_{k}" for k in range(2, len(bodies)))]
        return [self.revolute(own, bodies[0], body, **options) for own, body in zip(names, bodies[1:], strict=True)]

    def universal(
        self, name: str, tail: BodyLike, head: BodyLike, *, axes: Any = None, **options: Unpack[JointOptions]
    ) -> Joint:
        """Add a Hooke's joint: turns about an axis of the first body by `angle1`, then of the second by `angle2`.

        Parameters
        ----------
        name : its name
        tail, head : the first and the second body; variables measure the second relative to the first
        axes : the two axes in the layout posture, perpendicular; instead of `axis` and `x` of the options
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells
        """
        if axes is not None:
            first, second = entry.perpendicular_axes(axes, f"joints.{name}")
            if options.get("value") is not None:
                hint = "give `axis` and `x`, the axes at zero, with `value`; or leave `value` out"
                text = "`axes` are those of the layout posture, where the angles are then zero"
                raise ModelError(Problem(text, f"joints.{name}", hint))
            if "axis" in options or "x" in options:
                raise ModelError(Problem("`axes` is given besides `axis` or `x`", f"joints.{name}", "keep one of them"))
            options = {**options, "axis": first, "x": second}
        return self._placed(name, Universal(), tail, head, **options)

    # ---------------------------------------------------------------- gears and cams

    def gear(
        self,
        name: str,
        tail: BodyLike,
        head: BodyLike,
        *,
        at: Any,
        to: Any,
        axis: Any = None,
        radii: Any = None,
        teeth: Any = None,
        module: float | None = None,
        internal: bool = False,
        pressure_angle: float = entry.PRESSURE_ANGLE,
        helix_angle: float = 0.0,
        flank: int = 0,
        limits: Any = None,
        description: str = "",
    ) -> Joint:
        """Add a pair of gears on parallel axes (variables `angle`, `stretch`, `axial`).

        Parameters
        ----------
        name : its name
        tail, head : the first and the second gear
        at, to : centres of the first and the second gear [m] (or placements)
        axis : direction of both axes; z by default
        radii : pitch radii of both [m]; or
        teeth : numbers of teeth of both, with `module` or with the centre distance of the layout
        module : pitch diameter per tooth [m]
        internal : True when one gear is a ring around the other
        pressure_angle : transverse pressure angle [rad]
        helix_angle : helix angle at the pitch circle [rad]; 0 for spur gears
        flank : +1 or -1 for the tooth flank that carries, 0 to leave the centre-distance effect out
        limits : pairs (low, high) by variable name
        description : a sentence for readers
        """
        where = f"joints.{name}"
        frame = entry.first_frame(at, axis, None, where)
        second = entry.second_frame(to, where)
        law = entry.gear_law(frame, second, radii, teeth, module, internal, pressure_angle, helix_angle, flank, where)
        return self.joint(name, law, tail, head, frame=frame, to=second, limits=limits, description=description)

    def rack(
        self,
        name: str,
        tail: BodyLike,
        head: BodyLike,
        *,
        at: Any,
        to: Any,
        radius: float,
        axis: Any = None,
        x: Any = None,
        teeth: int | None = None,
        pressure_angle: float = entry.PRESSURE_ANGLE,
        helix_angle: float = 0.0,
        flank: int = 0,
        limits: Any = None,
        description: str = "",
    ) -> Joint:
        """Add a rack and pinion (variables `slide`, `stretch`, `axial`).

        Parameters
        ----------
        name : its name
        tail, head : the rack and the pinion
        at : a point of the rack's pitch line [m] (or a placement)
        to : centre of the pinion [m] (or a placement)
        radius : pitch radius of the pinion [m]
        axis : direction of the pinion's axis; z by default
        x : direction of the rack; x by default
        teeth : number of teeth of the pinion, to judge the mesh
        pressure_angle, helix_angle : of the teeth [rad]
        flank : +1 or -1 for the tooth flank that carries, 0 to leave the standoff effect out
        limits : pairs (low, high) by variable name
        description : a sentence for readers
        """
        where = f"joints.{name}"
        frame = entry.first_frame(at, axis, x, where)
        second = entry.second_frame(to, where)
        law = entry.rack_law(frame, second, radius, teeth, pressure_angle, helix_angle, flank, where)
        return self.joint(name, law, tail, head, frame=frame, to=second, limits=limits, description=description)

    def bevel(
        self,
        name: str,
        tail: BodyLike,
        head: BodyLike,
        *,
        at: Any,
        axes: Any,
        cones: Any = None,
        teeth: Any = None,
        internal: bool = False,
        within: BodyLike | None = None,
        limits: Any = None,
        description: str = "",
    ) -> Joint:
        """Add a pair of straight bevel gears (variables `angle`, `spread`).

        Parameters
        ----------
        name : its name
        tail, head : the first and the second gear
        at : the common apex of the pitch cones [m]
        axes : directions of both axes, each from the apex to its gear
        cones : half angles of the pitch cones [rad]; or
        teeth : numbers of teeth of both, which with the shaft angle tell the cones
        internal : True when the smaller gear runs inside the larger cone
        within : body in whose own frame `at` and `axes` are given
        limits : pairs (low, high) by variable name
        description : a sentence for readers
        """
        where = f"joints.{name}"
        first, second = entry.two_axes(axes, f"{where}.axes")
        law = entry.bevel_law(first, second, cones, teeth, internal, where)
        frame = placement(at, axis=first, within=within, where=where)
        to = placement(at, axis=second, within=within, where=where)
        return self.joint(name, law, tail, head, frame=frame, to=to, limits=limits, description=description)

    def point_on_curve(
        self, name: str, tail: BodyLike, head: BodyLike, *, curve: Curve | str, **options: Unpack[JointOptions]
    ) -> Joint:
        """Keep a point of the second body on a planar curve of the first (variables `parameter`, `angle`, `axial`).

        Parameters
        ----------
        name : its name
        tail, head : the body with the curve and the body with the point
        curve : the curve or its name; `at`, `axis`, `x` of the options are the origin, normal and u of its plane
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells;
            `to` is the point of the second body
        """
        law = PointOnCurve(self._curve(curve, f"joints.{name}.curve"))
        return self._placed(name, law, tail, head, **options)

    def line_on_curve(
        self, name: str, tail: BodyLike, head: BodyLike, *, curve: Curve | str, **options: Unpack[JointOptions]
    ) -> Joint:
        """Keep a line of the second body tangent to a planar curve of the first: a flat-faced cam follower
        (variables `parameter`, `contact`, `axial`).

        Parameters
        ----------
        name : its name
        tail, head : the body with the curve and the body with the line
        curve : the curve or its name; `at`, `axis`, `x` of the options are the origin, normal and u of its plane
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells;
            `to` is a placement with its origin on the line and its u along it
        """
        law = LineOnCurve(self._curve(curve, f"joints.{name}.curve"))
        return self._placed(name, law, tail, head, **options)

    # ---------------------------------------------------------------- contact with surfaces and curves in space

    def on_surface(
        self, name: str, tail: BodyLike, head: BodyLike, *, surface: Surface, **options: Unpack[JointOptions]
    ) -> Joint:
        """Keep a point of the second body on a surface of the first (variables: two of the surface, then the unit
        quaternion `qw`, `qx`, `qy`, `qz`). The surface moves with the first body.

        Parameters
        ----------
        name : its name
        tail, head : the body with the surface and the body with the point
        surface : `lw.surface(...)`; `at`, `axis`, `x` of the options are the origin, z and x of its frame
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells;
            `to` is the point of the second body
        """
        if not isinstance(surface, Surface):
            hint = 'make it with lw.surface("sphere", radius=0.5)'
            raise ModelError(Problem(f"{surface!r} is not a surface", f"joints.{name}.surface", hint))
        return self._placed(name, OnSurface(surface), tail, head, **options)

    def on_curve(
        self,
        name: str,
        tail: BodyLike,
        head: BodyLike,
        *,
        curve: SpaceCurve | Curve | str,
        **options: Unpack[JointOptions],
    ) -> Joint:
        """Keep a point of the second body on a curve in space of the first (variables: `parameter`, then the unit
        quaternion `qw`, `qx`, `qy`, `qz`). The curve moves with the first body.

        Parameters
        ----------
        name : its name
        tail, head : the body with the curve and the body with the point
        curve : `lw.space_curve(...)`, or a planar curve or its name; `at`, `axis`, `x` of the options are the origin,
            z and x of its frame
        options : at, axis, x, frame, to, value, limits, description, as `lw.JointOptions` tells;
            `to` is the point of the second body
        """
        path = curve if isinstance(curve, SpaceCurve) else InPlane(self._curve(curve, f"joints.{name}.curve"))
        return self._placed(name, OnCurve(path), tail, head, **options)

    # ---------------------------------------------------------------- joints in general

    def joint(
        self,
        name: str,
        law: Law,
        tail: BodyLike,
        head: BodyLike,
        *,
        frame: Placement | None = None,
        to: Placement | None = None,
        value: Any = None,
        limits: Any = None,
        description: str = "",
    ) -> Joint:
        """Add a joint of any kind; the methods named after the kinds are shorter.

        Parameters
        ----------
        name : its name
        law : the kind with its parameters, such as `Revolute()` or `Helical(lead=0.005)`
        tail, head : the first and the second body; variables measure the second relative to the first
        frame : the joint's frame on the first body: w is the axis, u the direction of zero
        to : the joint's frame on the second body, where it differs in the layout posture
        value : layout values of the variables, instead of `to`
        limits : pair (low, high) of a single variable, or pairs by variable name
        description : a sentence for readers
        """
        where = f"joints.{name}"
        if not isinstance(law, Law):
            hint = "write m.revolute(name, ...), or m.joint(name, Revolute(), ...)"
            raise ModelError(Problem(f"{law!r} is not a kind of joint", where, hint))
        for key, given in (("frame", frame), ("to", to)):
            if given is not None and not isinstance(given, Placement):
                hint = "make it with lw.placement(...)"
                raise ModelError(Problem(f"{given!r} is not a placement", f"{where}.{key}", hint))
        if value is not None and to is not None:
            raise ModelError(Problem("`value` and `to` are both given", where, "the second frame tells the value"))
        new = Joint(
            checked_name(name, where),
            law,
            entry.body_name(tail, where),
            entry.body_name(head, where),
            frame or Placement(),
            to,
            variable_values(law, value, f"{where}.value"),
            variable_limits(law, limits, f"{where}.limits"),
            str(description),
        )
        self._claim(name, where)
        self.joints[name] = new
        self._complete_loads(name)
        return new

    def _complete_loads(self, name: str) -> None:
        """Name in full what loads act along that were given by an owner of variables before it was known."""
        for load in self.loads.values():
            self.loads[load.name] = load_words.completed(load, self.owners, name)
        for motor in self.motors.values():
            self.motors[motor.name] = load_words.completed(motor, self.owners, name)

    def _placed(
        self,
        name: str,
        law: Law,
        tail: BodyLike,
        head: BodyLike,
        *,
        at: Any = None,
        axis: Any = None,
        x: Any = None,
        frame: Placement | None = None,
        to: Any = None,
        value: Any = None,
        limits: Any = None,
        description: str = "",
        **unknown: Any,
    ) -> Joint:
        where = f"joints.{name}"
        if unknown:
            known = JointOptions.__annotations__
            hints = [f"'{key}': {did_you_mean(key, known)}" for key in unknown]
            raise TypeError(f"{law.kind}() has no option {'; '.join(hints)}")
        if frame is None:
            frame = placement(at, axis=axis, x=x, where=where)
        elif not (at is None and axis is None and x is None):
            raise ModelError(Problem("`frame` is given besides `at`, `axis` or `x`", where, "keep one of them"))
        second = entry.second_frame(to, where)
        return self.joint(
            name, law, tail, head, frame=frame, to=second, value=value, limits=limits, description=description
        )

    # ---------------------------------------------------------------- points, frames, curves

    def cylinder(
        self,
        name: str,
        first: PointLike,
        second: PointLike,
        *,
        masses: Any = None,
        length: Any = None,
        description: str = "",
    ) -> Joint:
        """Add a hydraulic cylinder, a strut or a linear motor between two points: barrel, rod and their joints.

        The slide between barrel and rod has the name; it is driven, pushed and limited like any other, and what it does
        about the joints around it follows from where it stands. In a planar machine it hangs on pins, else on a
        universal joint at the first point and a ball at the second.

        Parameters
        ----------
        name : of the slide; the bodies are name_barrel and name_rod, the joints at the ends name_foot and name_head
        first, second : points in the layout posture, of the barrel's end and of the rod's
        masses : of barrel and rod [kg], uniform bars of half the length; without mass unless given
        length : pair (shortest, longest) from point to point [m]; None leaves a side open
        description : a sentence for readers
        """
        where = f"joints.{name}"
        ends = [self._end(point, where) for point in (first, second)]
        (a, b), (tail, head) = [end.at for end in ends], [end.body for end in ends]
        way = tuple(q - p for p, q in zip(a, b, strict=True))
        if not any(way):
            raise ModelError(Problem(f"{ends[0].name} and {ends[1].name} are at one place", where, "give two places"))
        middle = tuple((p + q) / 2 for p, q in zip(a, b, strict=True))
        two = (None, None) if masses is None else tuple(masses) if isinstance(masses, list | tuple) else (masses,)
        if len(two) != 2:
            raise ModelError(Problem("two masses are wanted", f"{where}.masses", "of barrel and rod: ('3 kg', '2 kg')"))
        barrel, rod = f"{name}_barrel", f"{name}_rod"
        for body, mass, bar in ((barrel, two[0], (a, middle)), (rod, two[1], (middle, b))):
            self.body(body, mass=mass, bar=None if mass is None else bar)
        if self.in_plane:
            self.revolute(f"{name}_foot", tail, barrel, at=a)
            self.revolute(f"{name}_head", rod, head, at=b)
        else:
            self.universal(f"{name}_foot", tail, barrel, at=a, axes=entry.axes_across(way))
            self.spheric(f"{name}_head", rod, head, at=b)
        limits = None if length is None else entry.travel_of(way, length, f"{where}.length")
        across: Any = {"x": "z"} if self.in_plane else {}  # a side of its own would turn over at 45 degrees
        return self.prismatic(name, barrel, rod, at=middle, axis=way, limits=limits, description=description, **across)

    def _end(self, point: PointLike, where: str) -> Point:
        """A point of the layout posture."""
        name = point if isinstance(point, str) else point.name
        if name not in self.points:
            raise ModelError(no_such("point", name, self.points, where, none="the mechanism has no points"))
        if self.points[name].within is not None:
            hint = "give it by coordinates of the layout posture"
            raise ModelError(Problem(f"'{name}' is given in a body's own frame", where, hint))
        return self.points[name]

    def point(
        self, name: str, body: BodyLike, at: Any, *, within: BodyLike | None = None, description: str = ""
    ) -> Point:
        """Add a named point.

        Parameters
        ----------
        name : its name
        body : the body it belongs to
        at : its place [m] in the layout posture
        within : body in whose own frame `at` is given instead
        description : a sentence for readers
        """
        where = f"points.{name}"
        reference = None if within is None else entry.body_name(within, where)
        owner = entry.body_name(body, where)
        new = Point(checked_name(name, where), owner, vector(at, f"{where}.at", LENGTH), reference, str(description))
        self._claim(name, where)
        self.points[name] = new
        return new

    def frame(self, name: str, body: BodyLike, at: Any = None, *, description: str = "", **axes: Any) -> Frame:
        """Add a named frame.

        Parameters
        ----------
        name : its name
        body : the body it belongs to
        at : its origin [m], or a ready placement
        description : a sentence for readers
        axes : orientation and reference as for `lw.placement`: axis, x, points, rpy, quaternion, within, ...
        """
        where = f"frames.{name}"
        if isinstance(at, Placement) and axes:
            raise ModelError(Problem(f"a placement is given besides {', '.join(axes)}", where, "keep one of them"))
        place = at if isinstance(at, Placement) else placement(at, where=where, **axes)
        new = Frame(checked_name(name, where), entry.body_name(body, where), place, str(description))
        self._claim(name, where)
        self.frames[name] = new
        return new

    def curve(
        self,
        name: str,
        *,
        fourier: Any = None,
        expression: Any = None,
        spline: Any = None,
        closed: bool = False,
        span: Any = None,
        unit: float = 1.0,
        degree: int = 5,
    ) -> Curve:
        """Add a planar curve; exactly one of `fourier`, `expression`, `spline` is given.

        Parameters
        ----------
        name : its name
        fourier : mapping with u0, v0, u_cos, u_sin, v_cos, v_sin [m]: constant terms and lists from order 1 on
        expression : pair of texts (u, v), arithmetic of the parameter t, values in `unit`
        spline : points (u, v) to pass through [m]
        closed : whether the end joins the start (expression and spline)
        span : first and last t of an expression; 0 to 2 pi by default
        unit : length unit of the expression's values [m]
        degree : 5 (four continuous derivatives) or 3 (two) of a spline
        """
        where = f"curves.{name}"
        self._claim(name, where)
        new = entry.curve_record(name, fourier, expression, spline, bool(closed), span, unit, degree, where)
        self.curves[name] = new
        return new

    # ---------------------------------------------------------------- loads and motors

    def spring(
        self,
        name: str,
        first: PointLike | None = None,
        second: PointLike | None = None,
        *,
        joint: JointLike | None = None,
        stiffness: float = 0.0,
        free: float | None = None,
        damping: float = 0.0,
        preload: float = 0.0,
        law: AmountLike | None = None,
        description: str = "",
    ) -> Spring:
        """Add a spring between two points, or in a joint: tension = preload + stiffness x + damping v + law(x, v).

        x is the distance of the points, or the joint's variable, less its `free` value; v is its rate. A tension pulls
        the points together, or lowers the variable.

        Parameters
        ----------
        name : its name
        first, second : the points it is tied to; or
        joint : a joint with a single variable ("A"), or a variable ("C.slide")
        stiffness : [N/m, N m/rad]; may be negative
        free : length [m] or value [rad, m] without tension; that of the layout posture unless given
        damping : [N s/m, N m s/rad]
        preload : tension [N, N m] at the free length
        law : tension besides [N, N m]: a formula of x, v, t, joint variables and rates, or `lw.tabulated` over one
        description : a sentence for readers
        """
        new = Spring.made(
            "springs", self.owners, name, first, second, joint, stiffness, free, damping, preload, law, description
        )
        return self._loaded(new)

    def damper(
        self,
        name: str,
        first: PointLike | None = None,
        second: PointLike | None = None,
        *,
        joint: JointLike | None = None,
        damping: float = 0.0,
        law: AmountLike | None = None,
        description: str = "",
    ) -> Spring:
        """Add a damper between two points, or in a joint: a spring without stiffness.

        Parameters
        ----------
        name : its name
        first, second : the points it is tied to; or
        joint : a joint with a single variable ("A"), or a variable ("C.slide")
        damping : [N s/m, N m s/rad]
        law : tension besides [N, N m]: a formula of x, v, t, joint variables and rates, or `lw.tabulated` over one
        description : a sentence for readers
        """
        new = Spring.made("dampers", self.owners, name, first, second, joint, 0.0, None, damping, 0.0, law, description)
        return self._loaded(new)

    def friction(
        self,
        name: str,
        joint: JointLike,
        *,
        level: float | Sequence[float] = 0.0,
        static: float = 1.0,
        viscous: float = 0.0,
        speed: float = 1e-3,
        form: Literal["smooth", "exact"] = "smooth",
        coefficient: float = 0.0,
        radius: float | None = None,
        normal: AmountLike | None = None,
        description: str = "",
    ) -> Friction:
        """Add friction in a joint: force = -level sign(r) - viscous r at the rate r of its variable.

        Parameters
        ----------
        name : its name
        joint : a joint with a single variable ("A"), or a variable ("C.slide")
        level : dry friction [N, N m], or a pair (forward, backward)
        static : how much more it holds at rest, in parts of the level; 1 or more, for the exact form
        viscous : drag in proportion to the rate [N s/m, N m s/rad]
        speed : rate [m/s, rad/s] over which the smooth form turns its sign: tanh(r / speed)
        form : "smooth", or "exact" for a level that jumps and holds at rest
        coefficient : with `normal`, instead of a level: level = coefficient radius |normal|
        radius : lever of the friction [m] about a pin; 1 on a slide
        normal : normal force [N]: a number, a formula, or `lw.tabulated`
        description : a sentence for readers
        """
        new = Friction.made(
            self.owners, name, joint, level, static, viscous, speed, form, coefficient, radius, normal, description
        )
        return self._loaded(new)

    def motor(
        self,
        name: str,
        joint: JointLike,
        *,
        ratio: float = 1.0,
        rotor_inertia: float = 0.0,
        damping: float = 0.0,
        friction: float | Sequence[float] = 0.0,
        efficiency: float = 1.0,
        stall: float | None = None,
        no_load: float | None = None,
        peak: float | None = None,
        top_speed: float | None = None,
        description: str = "",
    ) -> Motor:
        """Add a motor that drives a joint through a gear: motor speed = ratio times the joint's rate.

        Parameters
        ----------
        name : its name
        joint : a joint with a single variable ("A"), or a variable ("C.slide")
        ratio : of the gear; [rad/m] on a slide; may be negative
        rotor_inertia : of rotor and gear [kg m^2], at the motor's shaft
        damping : [N m s/rad], at the motor's shaft
        friction : dry friction [N m] at the motor's shaft, or a pair (forward, backward)
        efficiency : of the gear, above 0 and up to 1
        stall : torque at rest [N m], and
        no_load : speed without torque [rad/s]: the ends of its torque-speed line
        peak : torque that its current allows [N m]
        top_speed : speed that it must not exceed [rad/s], whatever its torque
        description : a sentence for readers
        """
        new = Motor.made(
            self.owners,
            name,
            joint,
            ratio,
            rotor_inertia,
            damping,
            friction,
            efficiency,
            stall,
            no_load,
            peak,
            top_speed,
            description,
        )
        return self._loaded(new)

    def force(
        self,
        name: str,
        point: PointLike,
        *,
        amount: AmountLike,
        along: Any = None,
        on: BodyLike | None = None,
        toward: Sequence[PointLike] | None = None,
        description: str = "",
    ) -> Force:
        """Add a force on a point of a body.

        Parameters
        ----------
        name : its name
        point : where it acts
        amount : its size [N]: a number, a formula of t, joint variables and rates, or `lw.tabulated` over one
        along : its direction in the layout posture: "x", "-y", ... or three numbers; it stands still in space, or
        on : body with which the direction turns
        toward : two points, instead of `along`: from the first to the second, wherever they are
        description : a sentence for readers
        """
        return self._loaded(Force.made(name, point, amount, along, on, toward, description))

    def torque(
        self,
        name: str,
        body: BodyLike,
        *,
        amount: AmountLike,
        about: Any = None,
        on: BodyLike | None = None,
        toward: Sequence[PointLike] | None = None,
        description: str = "",
    ) -> Torque:
        """Add a torque on a body.

        Parameters
        ----------
        name : its name
        body : the body on which it acts
        amount : its size [N m]: a number, a formula of t, joint variables and rates, or `lw.tabulated` over one
        about : its axis in the layout posture: "x", "-y", ... or three numbers; it stands still in space, or
        on : body with which the axis turns
        toward : two points, instead of `about`: from the first to the second, wherever they are
        description : a sentence for readers
        """
        return self._loaded(Torque.made(name, body, amount, about, on, toward, description))

    def load(self, name: str, joint: JointLike, *, amount: AmountLike, description: str = "") -> JointLoad:
        """Add a force or torque along a joint's variable: positive, it tends to increase it.

        Parameters
        ----------
        name : its name
        joint : a joint with a single variable ("A"), or a variable ("C.slide")
        amount : its size [N, N m]: a number, a formula of t, joint variables and rates, or `lw.tabulated` over one
        description : a sentence for readers
        """
        return self._loaded(JointLoad.made(self.owners, name, joint, amount, description))

    def _loaded(self, new: AnyLoad) -> AnyLoad:
        assert_unit_fits(new, self.owners)
        self._claim(new.name, load_words.place_of(new))
        getattr(self, new.table)[new.name] = new
        return new

    # ---------------------------------------------------------------- states

    def state(
        self,
        name: str,
        *,
        rate: AmountLike,
        start: float = 0.0,
        unit: str = "1",
        scale: float = 1.0,
        parameters: Mapping[str, float] | None = None,
        description: str = "",
    ) -> NamedState:
        """Add a state of the machine beside its joints: a current, a pressure, the integral of a controller.

        Loads, efforts by formula, conditions of events and laws of other states may use it by its name.

        Parameters
        ----------
        name : its name
        rate : how it changes a second, a formula of t, joint variables and rates, states, and its own `parameters`;
            or `lw.tabulated` over one of them
        start : its value at the start of a simulation [SI], and wherever no other is known
        unit : SI unit of the value
        scale : a size that is usual for it [SI]; tolerances count it like a radian
        parameters : numbers of the formula by name [SI]; as `i.R` of the state i they are parameters of the machine
        description : a sentence for readers
        """
        numbers = numbers_of_formula(rate, parameters, self.lets)
        new = named_state(name, rate, start, unit, scale, numbers, description)
        self._claim(new.name, f"states.{new.name}")
        self.states[new.name] = new
        return new

    # ---------------------------------------------------------------- chains from tables

    def dh_chain(
        self, rows: Sequence[Mapping[str, Any]], *, convention: str = "dh", base: BodyLike | None = None
    ) -> list[Joint]:
        """Add a serial chain from a Denavit-Hartenberg table; each body's own frame is that of its row.

        Parameters
        ----------
        rows : one mapping per link: `joint` and `body` (names), `kind` ("revolute" or "prismatic"), the numbers of the
            convention [m, rad] (those left out are zero); the joint's own number is its layout value; `limits`;
            and everything that `body` takes (mass, com, inertia, ...) for a body that is not there yet
        convention : "dh" (standard), "dh_craig" (modified), "hayati", or "sheth_uicker"
        base : the body that the chain starts from; ground by default
        """
        from linkwork.model.chains import add_chain

        return add_chain(self, rows, convention, self._ground if base is None else entry.body_name(base, "base"))

    # ---------------------------------------------------------------- constraints

    def couple(
        self,
        name: str,
        joint: JointLike,
        law: str,
        *,
        parameters: Mapping[str, float] | None = None,
        description: str = "",
    ) -> Constraint:
        """Let a variable follow others: gears without geometry, mimic joints, differentials, any smooth law.

        Parameters
        ----------
        name : its name
        joint : the joint with a single variable ("B"), or the variable ("C.slide"), that follows
        law : its value [rad, m] as a formula of other variables and of coordinates of places: "2*A + 5*deg"
        parameters : numbers that the formula names; they are parameters of the model, `pair.ratio`
        description : a sentence for readers
        """
        numbers = numbers_of_formula(law, parameters, self.lets)
        return self._constrained(constraints.coupling(self.owners, name, joint, law, numbers, description))

    def constrain(
        self, name: str, expression: str, *, parameters: Mapping[str, float] | None = None, description: str = ""
    ) -> Constraint:
        """Keep an expression of variables and of coordinates of places at zero.

        Parameters
        ----------
        name : its name
        expression : what is zero, SI and radians: "P.y - 0.1*sin(P.x)"
        parameters : numbers that the expression names; they are parameters of the model, `track.height`
        description : a sentence for readers
        """
        numbers = numbers_of_formula(expression, parameters, self.lets)
        return self._constrained(constraints.constraint(name, expression, numbers, description))

    def velocity(
        self, name: str, expression: str, *, parameters: Mapping[str, float] | None = None, description: str = ""
    ) -> Constraint:
        """Keep an expression at zero that is linear in rates: a blade, a wheel that does not slip. Places stay free.

        Parameters
        ----------
        name : its name
        expression : what is zero, SI and radians: "rate(P.x)*sin(A) - rate(P.y)*cos(A)"
        parameters : numbers that the expression names; they are parameters of the model, `wheel.radius`
        description : a sentence for readers
        """
        numbers = numbers_of_formula(expression, parameters, self.lets)
        return self._constrained(constraints.velocity(name, expression, numbers, description))

    def _constrained(self, new: Constraint) -> Constraint:
        self._claim(new.name, constraints.place_of(new))
        self.constraints[new.name] = new
        return new

    # ---------------------------------------------------------------- cases, and what is changed afterwards

    def case(self, name: str, *, description: str = "", units: UnitSystem = SI, **options: Any) -> Case:
        """Add a named question: drives, starts, efforts, events, loads and limits that belong together.

        `Machine.case(name)` asks it; files have it under `cases`.

        Parameters
        ----------
        name : its name
        description : a sentence for readers
        units : of bare numbers; SI unless given
        options : set, limits, start, rates, states, drive, efforts, external (by name, numbers or texts); stop, when,
            at (texts of events); off (loads that do not act); duration, until, samples
        """
        if name in self.cases:
            raise ModelError(Problem(f"there are two cases named '{name}'", f"cases.{name}", "give one another name"))
        new = case(name, options, units, description)
        self.cases[new.name] = new
        return new

    def limit(self, variable: str, limits: Any) -> Joint:
        """Give a variable of a joint other limits.

        Parameters
        ----------
        variable : such as "A" or "C.slide"
        limits : pair (low, high) [rad, m] or with units; None leaves a side open
        """
        found = find_variable(self.joints, variable)
        if found is None:
            raise ModelError(no_variable(self.joints, variable, "limits"))
        joint = self.joints[found.owner.name]
        own = variable_limits(joint.law, {found.variable.name: limits}, f"joints.{joint.name}.limits")
        others = tuple(limit for limit in joint.limits if limit[0] != found.variable.name)
        open_ = all(math.isinf(end) for _, *ends in own for end in ends)
        self.joints[joint.name] = new = replace(joint, limits=others if open_ else (*others, *own))
        return new

    def leave_out(self, load: Load | str) -> None:
        """Take a load away.

        Parameters
        ----------
        load : the load, or its name
        """
        name = load if isinstance(load, str) else load.name
        if name not in self.loads:
            raise ModelError(no_such("load", name, self.loads, "leave_out", none="the mechanism has no loads"))
        del self.loads[name]

    # ---------------------------------------------------------------- the whole

    def with_ground(self, body: BodyLike) -> Mechanism:
        """The same machine with another body held still: kinematic inversion. Relative motion is unchanged.

        Parameters
        ----------
        body : the body that stands still in the new mechanism
        """
        name = entry.body_name(body, "ground")
        if name not in self.bodies:
            raise ModelError(no_such("body", name, self.bodies, "ground"))
        other = Mechanism(self.name, gravity=self.gravity, floating=self.floating, description=self.description)
        other.in_plane = self.in_plane
        other._ground, other.source = name, self.source
        other.gravity_laws = dict(self.gravity_laws)
        other.cases = dict(self.cases)
        other.lets, other._before, other._said = self.lets, self._before, self._said
        other.expect = dict(self.expect)
        for own, theirs in zip(other._tables(), self._tables(), strict=True):
            own.clear()
            own.update(theirs)
        return other

    def assemble(
        self,
        start: Mapping[str, Any] | None = None,
        guess: Mapping[str, Any] | None = None,
        *,
        tree: Literal["shallow", "declared"] = "shallow",
        cut: Sequence[str] = (),
    ) -> Machine:
        """Close all loops and make the machine ready to be asked.

        Parameters
        ----------
        start : values of variables by name (`A`, `C.slide`) at the posture to start from, reached from the layout;
            coordinates of points, frames and bodies in the world (`P.x`) too
        guess : values that are only roughly known, likewise; the loops are then closed from there
        tree : "shallow" or "declared": how the spanning tree is chosen
        cut : joints that should not be in the tree, where there are loops
        """
        from linkwork.analyses.machine import Machine  # the one door upward: users begin here

        return Machine(self, start, guess, tree=tree, cut=cut)

    def _tables(self) -> tuple[dict[str, Any], ...]:
        parts = (self.bodies, self.joints, self.inner, self.points, self.frames, self.curves, self.states)
        return (*parts, self.constraints, self.loads, self.motors)

    def _claim(self, name: Any, where: str) -> None:
        """One name, one thing: results are asked for by name."""
        checked_name(name, where)
        if name in self.lets and where.partition(".")[0] in ("joints", "stretches", "states"):
            hint = "give one another name: formulas could mean both"
            raise ModelError(Problem(f"the name '{name}' is taken by a dimension", where, hint))
        kinds = (
            "body",
            "joint",
            "freedom of a body",
            "point",
            "frame",
            "curve",
            "state",
            "constraint",
            "load",
            "motor",
        )
        for table, kind in zip(self._tables(), kinds, strict=True):
            if name in table:
                what = load_words.kind_of(table[name]) if kind == "load" else kind
                raise ModelError(Problem(f"the name '{name}' is taken by a {what}", where, "give one another name"))

    def _curve(self, curve: Curve | str, where: str) -> Curve:
        if isinstance(curve, Curve):
            if curve.name not in self.curves:
                self._claim(curve.name, where)
                self.curves[curve.name] = curve
            elif self.curves[curve.name] != curve:
                raise ModelError(Problem(f"there are two curves named '{curve.name}'", where, "give one another name"))
            return curve
        if curve not in self.curves:
            raise ModelError(no_such("curve", curve, self.curves, where))
        return self.curves[curve]

    def __eq__(self, other: object) -> bool:
        return self._data() == other._data() if isinstance(other, Mechanism) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _data(self) -> tuple[Any, ...]:
        head = (
            self.name,
            self.gravity,
            self.gravity_laws,
            self._ground,
            self.floating,
            self.in_plane,
            self.description,
        )
        lets = [(let.name, let.value, let.description) for let in self.lets.values()]
        *tables, equations, loads, motors = (list(table.items()) for table in self._tables())
        equations.sort(key=lambda item: item[1].kind)  # files keep the order of each kind
        loads.sort(key=lambda item: load_words.section_of(item[1]))
        return (*head, self.description, self.expect, lets, list(self.cases.items()), *tables, equations, loads, motors)

    def __repr__(self) -> str:
        kinds: dict[str, int] = {}
        for joint in self.joints.values():
            kinds[joint.law.kind] = kinds.get(joint.law.kind, 0) + 1
        listed = ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "none"
        return f"Mechanism('{self.name}', {len(self.bodies)} bodies, ground '{self._ground}')\n  joints: {listed}"


for _name in (
    "body", "stretch", "revolute", "prismatic", "helical", "cylindric", "flat", "spheric", "free", "rigid", "spherical",
    "cylindrical", "planar", "fixed", "universal", "gear", "rack", "bevel", "point_on_curve", "line_on_curve",
    "on_surface", "on_curve", "joint", "point", "frame", "curve", "spring", "damper", "friction", "motor", "force",
    "torque", "load", "state", "dh_chain", "couple", "constrain", "velocity", "limit", "leave_out", "pin", "cylinder",
):  # fmt: skip
    setattr(Mechanism, _name, building(getattr(Mechanism, _name)))
