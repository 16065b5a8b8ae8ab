"""From what users write to laws and records: gears from teeth, bodies from numbers, curves from tables."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from linkwork.colours import NAMED
from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.model.bodies import Body, inertia
from linkwork.model.curves import Curve, ExpressionCurve, FourierCurve, SplineCurve
from linkwork.model.dimensions import Following, follows
from linkwork.model.inner import Inner, Stretch
from linkwork.model.joints import Bevel, Gear, Rack
from linkwork.model.parts import checked_name
from linkwork.model.placement import Axis, Placement, placement
from linkwork.model.solids import MeshLook, Shape, Solid, parts_of
from linkwork.model.vectors import Vector, direction, number, numbers, positive, vector
from linkwork.units import ANGLE, DENSITY, LENGTH, MASS

PRESSURE_ANGLE = math.radians(20.0)

Made = TypeVar("Made")


def located(make: Callable[[], Made], where: str) -> Made:
    """What `make` gives; a complaint without a place gets this one."""
    try:
        return make()
    except ModelError as error:
        raise ModelError([p if p.where else Problem(p.what, where, p.hint) for p in error.problems]) from None


def body_name(body: Body | str, where: str) -> str:
    """The name of a body given as itself or by name."""
    return body.name if isinstance(body, Body) else checked_name(body, where)


def stretch_record(name: str, body: Body | str, start: Any, end: Any, toward: Any, description: str) -> Inner:
    """A stretch of a body with every number checked; all problems at once."""
    where = f"stretches.{name}"
    problems: list[Problem] = []

    def attempt(make: Callable[[], Made]) -> Made | None:
        try:
            return make()
        except ModelError as error:
            problems.extend(error.problems)
            return None

    called = attempt(lambda: checked_name(name, where))
    of = attempt(lambda: body_name(body, f"{where}.body"))
    first, last = (
        attempt(lambda: vector(start, f"{where}.start", LENGTH)),
        attempt(lambda: vector(end, f"{where}.end", LENGTH)),
    )
    way = None if toward is None else attempt(lambda: direction(toward, f"{where}.toward"))
    law = None if first is None or last is None else attempt(lambda: located(lambda: Stretch(first, last, way), where))
    if problems or called is None or of is None or law is None:
        raise ModelError(problems)
    return Inner(called, of, law, str(description))


def body_record(
    name: str,
    mass: Any,
    com: Any,
    moments: Any,
    solid: Solid | None,
    density: Any,
    frame: Placement | None,
    accept_unphysical: bool,
    description: str,
    looks: Any = None,
    colour: Any = "",
) -> Body:
    """A body with every number checked; all problems at once."""
    where = f"bodies.{name}"
    problems: list[Problem] = []

    def attempt(make: Callable[[], Made]) -> Made | None:
        try:
            return make()
        except ModelError as error:
            problems.extend(error.problems)
            return None

    mass = None if mass is None else attempt(lambda: number(mass, f"{where}.mass", MASS))
    if mass is not None and mass < 0.0:
        problems.append(Problem(f"the mass is negative: {mass:g} kg", f"{where}.mass"))
    com = None if com is None else attempt(lambda: vector(com, f"{where}.com", LENGTH))
    tensor = None if moments is None else attempt(lambda: inertia(moments, where=f"{where}.inertia"))
    density = None if density is None else attempt(lambda: positive(density, f"{where}.density", DENSITY))
    if solid is not None:
        shapes = attempt(lambda: parts_of(solid)) or ()
        if any(isinstance(shape, MeshLook) for _, shape in shapes):
            problems.append(Problem("a mesh that is only to be seen among the solids", where, "use read_mesh(...)"))
        given = [n for n, v in (("mass", mass), ("com", com), ("inertia", tensor)) if v is not None]
        if given:
            problems.append(Problem(f"{', '.join(given)} besides solids", where, "keep the numbers or the solids"))
    elif density is not None:
        problems.append(Problem("a density without solids", where, "give `solid`, or `mass`"))
    if frame is not None and not isinstance(frame, Placement):
        problems.append(Problem(f"{frame!r} is not a placement", f"{where}.frame", "make it with lw.placement(...)"))
    seen = attempt(lambda: looks_of(looks, f"{where}.looks"))
    shade = attempt(lambda: checked_colour(colour, f"{where}.colour"))
    if problems:
        raise ModelError(problems)
    return Body(
        name,
        mass,
        com,
        tensor,
        solid,
        density,
        frame,
        bool(accept_unphysical),
        str(description),
        seen or (),
        shade or "",
    )


def uniform_bar(ends: Any, mass: Any, where: str) -> tuple[Vector, tuple[float, ...]]:
    """Centre and inertia of a thin uniform bar: m/12 (l·l 1 - l lᵀ), l from end to end."""
    try:
        first, second = ends
    except (TypeError, ValueError):
        raise ModelError(Problem("two places are wanted", f"{where}.bar", "such as [[0, 0, 0], [50, 0, 0]]")) from None
    a, b = (vector(end, f"{where}.bar[{i}]", LENGTH) for i, end in enumerate((first, second)))
    if mass is None:
        raise ModelError(Problem("a bar without mass", f"{where}.bar", "give `mass`, too"))
    m = number(mass, f"{where}.mass", MASS)
    if follows((a, b)) and not follows(m):
        m = Following(m, f"{m!r} kg")  # so that the formulas tell what they measure
    x, y, z = (q - p for p, q in zip(a, b, strict=True))
    if not (x or y or z):
        raise ModelError(Problem("both ends of the bar are at one place", f"{where}.bar", "give two places"))
    squares = x * x, y * y, z * z
    moments = (squares[1] + squares[2], squares[0] + squares[2], squares[0] + squares[1], -(x * y), -(x * z), -(y * z))
    centre = tuple((p + q) / 2 for p, q in zip(a, b, strict=True))
    return (centre[0], centre[1], centre[2]), tuple(m * own / 12 for own in moments)


def axes_across(way: Any) -> tuple[Any, Any]:
    """Two perpendicular axes across a direction."""
    w = np.array([float(x) for x in way])
    u = np.eye(3)[int(np.argmin(np.abs(w)))]
    first = np.cross(w, u)
    second = np.cross(w, first)
    return tuple((first / np.linalg.norm(first)).tolist()), tuple((second / np.linalg.norm(second)).tolist())


def travel_of(way: Any, length: Any, where: str) -> tuple[Any, Any]:
    """Limits of a slide from the shortest and the longest length of what it joins."""
    x, y, z = way
    now = (x * x + y * y + z * z) ** 0.5
    try:
        low, high = length
    except (TypeError, ValueError):
        raise ModelError(Problem("a pair (shortest, longest) is wanted", where)) from None
    ends = [None if end is None else number(end, where, LENGTH) - now for end in (low, high)]
    return ends[0], ends[1]


def looks_of(looks: Any, where: str) -> tuple[Shape, ...]:
    """Shapes only to be seen: one, a sum, or a list of them; nothing can be cut out."""
    if looks is None:
        return ()
    given = looks if isinstance(looks, list | tuple) else [looks]
    parts = [part for look in given for part in located(lambda s=look: parts_of(s), where)]  # type: ignore[misc]
    if any(sign < 0 for sign, _ in parts):
        raise ModelError(Problem("a shape is cut out of the looks", where, "looks are added only; use a mesh"))
    if any(shape.density is not None for _, shape in parts):
        raise ModelError(Problem("a density among the looks", where, "looks have no mass; use `solid` for that"))
    return tuple(shape for _, shape in parts)


def checked_colour(colour: Any, where: str) -> str:
    """A colour as #RRGGBB or a name of the palette; "" for none."""
    if isinstance(colour, str) and (colour in ("", *NAMED) or re.fullmatch(r"#[0-9A-Fa-f]{6}", colour)):
        return colour
    text = repr(colour) if len(repr(colour)) < 40 else f"{repr(colour)[:37]}..."
    raise ModelError(Problem(f"{text} is not a colour", where, f"write '#D55E00', or one of {', '.join(NAMED)}"))


def first_frame(at: Any, axis: Any, x: Any, where: str) -> Placement:
    """The frame on the first body: a placement, or a point with the directions of w and u."""
    if not isinstance(at, Placement):
        return placement(at, axis=axis, x=x, where=where)
    if axis is not None or x is not None:
        raise ModelError(Problem("a placement is given besides `axis` or `x`", where, "keep one of them"))
    return at


def second_frame(value: Any, where: str) -> Placement | None:
    """The frame on the second body: a placement, or a plain point (its axes then follow the first frame)."""
    if value is None or isinstance(value, Placement):
        return value
    return placement(value, where=f"{where}.to")


def two_axes(value: Any, where: str) -> tuple[Vector, Vector]:
    """A pair of directions."""
    try:
        first, second = value
    except (TypeError, ValueError):
        raise ModelError(Problem("two axes are wanted", where)) from None
    return direction(first, f"{where}[0]"), direction(second, f"{where}[1]")


def perpendicular_axes(value: Any, where: str) -> tuple[Vector, Vector]:
    """The two axes of a universal joint; ModelError unless they are perpendicular."""
    first, second = two_axes(value, f"{where}.axes")
    angle = math.degrees(_angle_between(first, second))
    if abs(angle - 90.0) > 1e-4:
        hint = "the arms of a cross are perpendicular; give the second as it stands in the layout posture"
        raise ModelError(Problem(f"the two axes of a universal joint are {angle:.6g} deg apart", f"{where}.axes", hint))
    return first, second


def gear_law(
    frame: Placement,
    to: Placement | None,
    radii: Any,
    teeth: Any,
    module: Any,
    internal: bool,
    pressure_angle: Any,
    helix_angle: Any,
    flank: Any,
    where: str,
) -> Gear:
    """A gear pair from radii, or from teeth with a module, or from teeth with the centre distance."""
    turns = [place.orientation for place in (frame, to) if place is not None and place.orientation is not None]
    if not all(isinstance(turn, Axis) and turn.x is None for turn in turns):
        hint = "give `axis` only; u points along the line of centres"
        raise ModelError(Problem("gears take no orientation about their axis", where, hint))
    counts = None if teeth is None else _teeth(teeth, f"{where}.teeth")
    if radii is not None:
        if module is not None:
            raise ModelError(Problem("`radii` and `module` are both given", where, "keep one of them"))
        r1, r2 = (positive(r, f"{where}.radii") for r in numbers(radii, 2, f"{where}.radii", LENGTH))
        if counts is not None and abs(r1 * counts[1] - r2 * counts[0]) > 1e-6 * r2 * counts[0]:
            text = f"the radii are as {r1 / r2:.6g} to 1, the teeth as {counts[0] / counts[1]:.6g} to 1"
            raise ModelError(Problem(text, where, "pitch radii are proportional to the teeth; keep one of them"))
    elif counts is None:
        raise ModelError(Problem("neither radii nor teeth are given", where, "give `radii`, or `teeth` and `module`"))
    elif module is not None:
        r1, r2 = (positive(module, f"{where}.module", LENGTH) * n / 2 for n in counts)
    else:
        distance = _centre_distance(frame, to, where)
        sizes = abs(counts[0] - counts[1]) if internal else counts[0] + counts[1]
        if sizes == 0:
            raise ModelError(Problem("an internal pair needs different numbers of teeth", f"{where}.teeth"))
        r1, r2 = (distance * n / sizes for n in counts)
    if internal:
        # The inner gear carries the minus sign, so that the sum of radii is the centre distance.
        r1, r2 = (-r1, r2) if r1 < r2 else (r1, -r2)
    pressure, helix = (
        number(pressure_angle, f"{where}.pressure_angle", ANGLE),
        number(helix_angle, f"{where}.helix_angle", ANGLE),
    )
    return located(lambda: Gear(r1, r2, pressure, helix, _flank(flank, where), counts), where)


def rack_law(
    frame: Placement,
    to: Placement | None,
    radius: Any,
    teeth: Any,
    pressure_angle: Any,
    helix_angle: Any,
    flank: Any,
    where: str,
) -> Rack:
    """A rack and pinion; the sign of the radius follows from the side on which the pinion lies."""
    size = number(radius, f"{where}.radius", LENGTH)
    if to is not None and to.within == frame.within:
        X_F = frame.pose()
        side = float(X_F[:3, 1] @ (to.pose()[:3, 3] - X_F[:3, 3]))
        size = math.copysign(size, side) if size > 0.0 else size
    count = None if teeth is None else _count(teeth, f"{where}.teeth")
    pressure, helix = (
        number(pressure_angle, f"{where}.pressure_angle", ANGLE),
        number(helix_angle, f"{where}.helix_angle", ANGLE),
    )
    return located(lambda: Rack(size, pressure, helix, _flank(flank, where), count), where)


def bevel_law(first: Vector, second: Vector, cones: Any, teeth: Any, internal: bool, where: str) -> Bevel:
    """A bevel pair from its cone angles, or from its teeth and the shaft angle: tan γ = n sin Σ / (n' + n cos Σ)."""
    if (cones is None) == (teeth is None):
        raise ModelError(Problem("one of `cones` and `teeth` is wanted", where))
    if cones is not None:
        g1, g2 = (positive(c, f"{where}.cones") for c in numbers(cones, 2, f"{where}.cones", ANGLE))
        if internal:
            g1, g2 = (-g1, g2) if g1 < g2 else (g1, -g2)
    else:
        n1, n2 = _teeth(teeth, f"{where}.teeth")
        shaft = _angle_between(first, second)
        if internal and n1 < n2:
            n1 = -n1
        elif internal:
            n2 = -n2
        g1 = math.atan2(n1 * math.sin(shaft), n2 + n1 * math.cos(shaft))
        g2 = shaft - g1
    return located(lambda: Bevel(g1, g2), where)


def curve_record(
    name: str, fourier: Any, expression: Any, spline: Any, closed: bool, span: Any, unit: Any, degree: Any, where: str
) -> Curve:
    """A curve of the kind that was given."""
    if sum(kind is not None for kind in (fourier, expression, spline)) != 1:
        raise ModelError(Problem("one of fourier, expression, spline is wanted", where))
    unused = {
        "closed": closed and fourier is not None,
        "span": span is not None and expression is None,
        "unit": unit != 1.0 and expression is None,
        "degree": degree != 5 and spline is None,
    }
    if any(unused.values()):
        lost = ", ".join(key for key, is_lost in unused.items() if is_lost)
        raise ModelError(Problem(f"{lost} would not be used by this kind of curve", where, "leave it out"))
    if fourier is not None:
        allowed = ("u0", "v0", "u_cos", "u_sin", "v_cos", "v_sin")
        unknown = [k for k in fourier if k not in allowed]
        if unknown:
            raise ModelError([Problem(f"unknown term '{k}'", where, did_you_mean(str(k), allowed)) for k in unknown])
        series = {k: numbers(fourier.get(k, ()), None, f"{where}.{k}") for k in allowed[2:]}
        u0, v0 = (number(fourier.get(k, 0.0), f"{where}.{k}") for k in allowed[:2])
        return FourierCurve(name, u0, v0, **series)
    if expression is not None:
        try:
            u, v = expression
        except (TypeError, ValueError):
            raise ModelError(Problem("a pair of expressions (u, v) is wanted", where)) from None
        start, end = (0.0, 2 * math.pi) if span is None else numbers(span, 2, f"{where}.span")
        scale = positive(unit, f"{where}.unit")
        return located(lambda: ExpressionCurve(name, u, v, start, end, closed, scale), where)
    try:
        points = [numbers(p, 2, f"{where}.spline[{i}]") for i, p in enumerate(spline)]
    except TypeError:
        raise ModelError(Problem("a list of points is wanted", f"{where}.spline")) from None
    return SplineCurve(name, tuple((p[0], p[1]) for p in points), closed, degree)


def _angle_between(first: Vector, second: Vector) -> float:
    a, b = np.array(first), np.array(second)
    return math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b))


def _centre_distance(frame: Placement, to: Placement | None, where: str) -> float:
    if to is None or to.within != frame.within:
        hint = "give `radii` or `module`"
        raise ModelError(Problem("the centre distance is not known from `at` and `to`", where, hint))
    X_F = frame.pose()
    axis: Array = X_F[:3, 2]
    offset = to.pose()[:3, 3] - X_F[:3, 3]
    distance = float(np.linalg.norm(offset - (offset @ axis) * axis))
    if distance == 0.0:
        hint = "`at` and `to` are the two gear centres"
        raise ModelError(Problem("the gear centres lie on one axis", where, hint))
    return distance


def _count(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= int(value) <= 100_000:
        raise ModelError(Problem(f"{value!r} is not a number of teeth", where, "write a whole number"))
    return int(value)


def _teeth(value: Any, where: str) -> tuple[int, int]:
    try:
        first, second = value
    except (TypeError, ValueError):
        raise ModelError(Problem("two numbers of teeth are wanted", where)) from None
    return _count(first, where), _count(second, where)


def _flank(value: Any, where: str) -> int:
    if isinstance(value, bool) or value not in (-1, 0, 1):
        raise ModelError(Problem(f"flank is {value!r}", f"{where}.flank", "write 0, 1 or -1"))
    return int(value)
