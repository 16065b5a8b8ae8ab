"""Random mechanisms, built with the Python API: every kind of joint, placement, body, curve and text."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

import linkwork as lw
from linkwork.model.joints import KINDS, OnSurface
from linkwork.model.placement import ROW_KEYS, Orientation, Placement
from linkwork.model.solids import Solid

# Awkward on purpose: no short decimal expansion, very large and very small, minus zero.
numbers = st.one_of(
    st.floats(-1e3, 1e3),
    st.floats(-1e-12, 1e-12),
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 1 / 3, 5e-324, 1e22, 1e16, -1e-7, math.pi]),
)
positives = st.one_of(st.floats(1e-3, 1e3), st.sampled_from([0.1, 1 / 3, 1e16, 1e-7]))
angles = st.floats(-7.0, 7.0)
vectors = st.tuples(numbers, numbers, numbers)
directions = st.one_of(
    st.sampled_from(["x", "y", "z", "-x", "-y", "-z"]),
    st.sampled_from([(1.0, -0.0, 0.0), (-0.0, -0.0, -1.0)]),
    st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: math.hypot(*v) > 0.1),
)
texts = st.one_of(
    st.just(""),
    st.sampled_from(
        [
            *("1e5", "no", "null", "NULL", "nULL", "~", "true", "tRUE", "yes", ".inf", ".NaN", "-.INF", "0x1F", "0o7"),
            *(
                "1_000",
                "12:30",
                "2001-01-01",
                "007",
                "-",
                "--- a",
                "...",
                "? a",
                "a: b",
                "#a",
                "a #b",
                "*a",
                "&a",
                "!a",
            ),
            *(
                "{a: 1}",
                "[a",
                "%a",
                "@a",
                "`a`",
                "'",
                '"',
                "\\",
                " lead",
                "trail ",
                "two\nlines",
                "\n",
                "a\n\n b\n",
                "\t",
            ),
            *(
                "\ttab",
                "a\r\nb",
                "\x85",
                "a\u2028b",
                "\ufeffa",
                "\x00\x07\x7f",
                "ä€😀",
                "=",
                "<<",
                "|",
                ">-",
                "a,b]",
                "e\u0301",
            ),
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
)


def _quaternion(rpy: tuple[float, float, float]) -> tuple[float, ...]:
    """A quaternion that does not change when it is divided by its length."""
    q = tuple(lw.geometry.to_quaternion(lw.geometry.from_rpy(rpy)).tolist())
    for _ in range(9):
        q = tuple(c / math.hypot(*q) for c in q)
    return q if math.hypot(*q) == 1.0 else (0.6, 0.0, -0.8, 0.0)


@st.composite
def orientations(draw: st.DrawFn) -> dict[str, Any]:
    """Keyword arguments of `placement` that tell the axes."""
    form = draw(
        st.sampled_from(
            ["none", "axis", "x", "rpy", "euler_zxz", "euler_zyz", "euler_xyz", "quaternion", "matrix", "axis_angle"]
        )
    )
    if form == "none":
        return {}
    if form == "axis":
        return {"axis": draw(directions)}
    if form == "x":
        return {"axis": "z", "x": draw(st.sampled_from(["x", "-y", (1.0, 2.0, 0.5)]))}
    turn = draw(st.tuples(angles, angles, angles))
    if form == "quaternion":
        return {"quaternion": _quaternion(turn)}
    if form == "matrix":
        return {"matrix": lw.geometry.from_rpy(turn).tolist()}
    if form == "axis_angle":
        return {"axis_angle": (draw(directions), draw(angles))}
    return {form: turn}


@st.composite
def placements(draw: st.DrawFn, bodies: tuple[str, ...] = ()) -> Placement:
    within = draw(st.sampled_from([None, *bodies]))
    form = draw(st.sampled_from(["usual", "usual", "points", *ROW_KEYS]))
    if form == "usual":
        return lw.placement(draw(vectors), within=within, **draw(orientations()))
    if form == "points":
        origin = np.array(draw(st.tuples(*[st.floats(-10.0, 10.0)] * 3)))
        R = lw.geometry.from_rpy(draw(st.tuples(angles, angles, angles)))
        points = [tuple(float(c) for c in origin + d) for d in (np.zeros(3), R[:, 2], R[:, 0] + R[:, 2] / 3)]
        return lw.placement(points=points, within=within)
    values = draw(st.tuples(*[numbers] * len(ROW_KEYS[form])))  # type: ignore[index]
    return lw.placement(**{form: values}, within=within)


@st.composite
def axes_only(draw: st.DrawFn, bodies: tuple[str, ...] = ()) -> Placement:
    """A frame as gears take it: a place and an axis."""
    within = draw(st.sampled_from([None, *bodies]))
    axis = draw(st.sampled_from([None, "x", "-z", (0.3, -1.0, 0.2)]))
    return lw.placement(draw(vectors), axis=axis, within=within)


def axes_of(place: Placement) -> Orientation | None:
    return place.orientation


@st.composite
def shapes(draw: st.DrawFn) -> Solid:
    place = {"frame": draw(placements()), "density": draw(st.none() | positives)}
    kind = draw(st.sampled_from(["box", "cylinder", "tube", "sphere", "cone", "ring_sector"]))
    a, b, c = draw(st.tuples(positives, positives, positives))
    if kind == "box":
        return lw.Box(size=(a, b, c), **place)
    if kind == "cylinder":
        return lw.Cylinder(radius=a, length=b, **place)
    if kind == "tube":
        return lw.Tube(outer=2 * a, inner=a, length=b, **place)
    if kind == "sphere":
        return lw.Sphere(radius=a, **place)
    if kind == "cone":
        return lw.Cone(radius=a, length=b, top=draw(st.sampled_from([0.0, c])), **place)
    return lw.RingSector(
        outer=2 * a, inner=draw(st.sampled_from([0.0, a])), angle=draw(st.floats(0.1, 6.0)), length=b, **place
    )


@st.composite
def masses(draw: st.DrawFn) -> dict[str, Any]:
    """Keyword arguments of `Mechanism.body`."""
    kind = draw(st.sampled_from(["none", "mass", "inertia", "solid"]))
    if kind == "none":
        return {}
    if kind == "solid":
        solid: Solid = draw(shapes())
        for other, is_cut in draw(st.lists(st.tuples(shapes(), st.booleans()), max_size=2)):
            solid = solid - other if is_cut else solid + other
        return {"solid": solid, "density": draw(st.none() | positives)}
    given: dict[str, Any] = {"mass": draw(positives | st.just(0.0)), "com": draw(st.none() | vectors)}
    if kind == "inertia":
        axes = axes_of(draw(placements()))
        elements = draw(st.tuples(*[numbers] * 6))
        products = draw(st.sampled_from(["tensor", "positive"]))
        given["inertia"] = lw.inertia(
            elements, about=draw(st.sampled_from(["com", "origin"])), axes=axes, products=products
        )
    return given


def _add_curves(draw: st.DrawFn, m: lw.Mechanism) -> None:
    series = st.lists(numbers, max_size=3)
    terms = {k: draw(series) for k in ("u_cos", "u_sin", "v_cos", "v_sin")}
    m.curve("fourier", fourier={"u0": draw(numbers), "v0": draw(numbers), **terms})
    start = draw(st.floats(-3.0, 3.0))
    span = draw(st.sampled_from([None, (start, start + 1 / 3)]))
    expression = draw(st.sampled_from([("t", "sin(t) / 3"), ("1e5", "where(t < 1, t, 2)"), ("5", "t**2")]))
    m.curve("expression", expression=expression, span=span, unit=draw(positives), closed=draw(st.booleans()))
    corners = [(math.cos(k) + draw(st.floats(0.0, 0.1)), math.sin(k)) for k in range(6)]
    m.curve("spline", spline=corners, closed=draw(st.booleans()), degree=draw(st.sampled_from([3, 5])))


@st.composite
def surfaces(draw: st.DrawFn) -> lw.Surface:
    """A surface of any kind; 0.25 is in the range of every parameter."""
    a, start = draw(positives), draw(st.floats(-0.5, 0.2))
    span, unit = (start, start + 1 / 3 + 0.5), draw(positives)
    expressions = {"x": "u", "y": "1e5", "z": "sin(v) / 3", "u": span, "v": span}
    return draw(
        st.sampled_from(
            [
                lw.surface("plane"),
                lw.surface("sphere", radius=a),
                lw.surface("cylinder", radius=a),
                lw.surface("cone", half_angle=1 / 3),
                lw.surface("torus", radius=a, tube=a / 3),
                lw.surface("height", z="x*y / 3", x=span, y=(-1, 1), unit=unit),
                lw.surface("parametric", **expressions, unit=unit, closed=draw(st.sampled_from(["", "u", "v", "uv"]))),
            ]
        )
    )


@st.composite
def space_curves(draw: st.DrawFn) -> lw.SpaceCurve | str:
    """A curve in space of any kind, or the name of a planar one."""
    a, start, closed = draw(positives), draw(st.floats(-0.5, 0.2)), draw(st.booleans())
    points = [(math.cos(k) + draw(st.floats(0.0, 0.1)), math.sin(k), k / 3) for k in range(6)]
    return draw(
        st.sampled_from(
            [
                "spline",
                lw.space_curve("line"),
                lw.space_curve("circle", radius=a),
                lw.space_curve("helix", radius=a, lead=-a / 3),
                lw.space_curve("expression", x="t", y="1e5", z="where(t < 1, t, 2)", unit=a, closed=closed),
                lw.space_curve("expression", x="t", y="5", z="t**2", span=(start, start + 1)),
                lw.space_curve("spline", points=points, closed=closed, degree=draw(st.sampled_from([3, 5]))),
            ]
        )
    )


def _add_joint(draw: st.DrawFn, m: lw.Mechanism, name: str, kind: str, bodies: tuple[str, ...]) -> None:
    ends = draw(st.sampled_from(bodies)), draw(st.sampled_from(bodies))
    options: dict[str, Any] = {"description": draw(texts)}
    shape: Any = None
    if kind == "on_surface":
        options["surface"] = shape = draw(surfaces())
        variables = [v.name for v in OnSurface(shape).variables]
    elif kind == "on_curve":
        options["curve"] = shape = draw(space_curves())
        variables = ["parameter", "qw", "qx", "qy", "qz"]
    else:
        variables = [v.name for v in KINDS[kind].variables]
    if variables and draw(st.booleans()):
        low = draw(st.floats(-10.0, 10.0))
        options["limits"] = {draw(st.sampled_from(variables)): (low, low + draw(st.floats(0.1, 5.0)))}
    if kind in ("gear", "rack"):
        options |= {
            "at": draw(placements(bodies) if kind == "rack" else axes_only(bodies)),
            "to": draw(placements(bodies) if kind == "rack" else axes_only(bodies)),
            "flank": draw(st.sampled_from([-1, 0, 1])),
        }
        options |= {"pressure_angle": draw(st.floats(0.1, 1.0)), "helix_angle": draw(st.floats(-1.0, 1.0))}
        a, b = draw(positives), draw(st.floats(1.5, 3.0))
        if kind == "rack":
            m.rack(
                name,
                *ends,
                radius=draw(st.sampled_from([a, -a])),
                teeth=draw(st.none() | st.integers(1, 99)),
                **options,
            )
        elif draw(st.booleans()):
            m.gear(
                name,
                *ends,
                radii=draw(st.sampled_from([(a, a * b), (a * b, a)])),
                internal=draw(st.booleans()),
                **options,
            )
        else:
            m.gear(name, *ends, teeth=(17, 40), module=a, internal=draw(st.booleans()), **options)
        return
    if kind == "bevel":
        sizes = draw(
            st.sampled_from([{"cones": (0.3, 1 / 3)}, {"teeth": (20, 41)}, {"teeth": (41, 20), "internal": True}])
        )
        within = draw(st.sampled_from([None, *bodies]))
        m.bevel(name, *ends, at=draw(vectors), axes=("x", (0.3, 1.0, -0.1)), within=within, **sizes, **options)
        return
    second = draw(st.sampled_from(["none", "to", "value"]))
    if second == "to":
        options["to"] = draw(placements(bodies))
    elif second == "value":
        values = draw(st.tuples(*[numbers] * len(variables)))
        turn = draw(st.tuples(angles, angles, angles))
        if shape is not None:  # parameters that lie in any range
            values = (*[0.25] * (len(variables) - 4), *values[-4:])
        options["value"] = (*values[:-4], *_quaternion(turn)) if "qw" in variables else values
    if kind == "helical":
        options["lead"] = draw(st.sampled_from([0.005, -1 / 3]))
    if kind in ("point_on_curve", "line_on_curve"):
        options["curve"] = draw(st.sampled_from(["fourier", "expression", "spline"]))
    if kind == "universal" and draw(st.booleans()):
        m.universal(name, *ends, at=draw(vectors), axis="x", x=(0.0, 0.6, 0.8), **options)
    else:
        getattr(m, kind)(name, *ends, frame=draw(placements(bodies)), **options)


def _add_chain(draw: st.DrawFn, m: lw.Mechanism, bodies: tuple[str, ...]) -> None:
    convention = draw(st.sampled_from(sorted(ROW_KEYS)))
    rows: list[dict[str, Any]] = []
    for i in range(2):
        kind = "revolute" if convention == "hayati" else draw(st.sampled_from(["revolute", "prismatic"]))
        row: dict[str, Any] = {"joint": f"C{i}", "body": f"link{i}", "kind": kind, **draw(masses())}
        row |= {k: draw(numbers) for k in ROW_KEYS[convention]}  # type: ignore[index]
        if convention == "sheth_uicker":
            row["value"] = draw(numbers)
        rows.append(row)
    m.dh_chain(rows, convention=convention, base=draw(st.sampled_from(bodies)))


@st.composite
def mechanisms(draw: st.DrawFn) -> lw.Mechanism:
    """A mechanism that can be written; it need not be one that can be built."""
    names = st.sampled_from(["a", "1", "no", "007", "null", "1e5", "on", "Ärmel", "b-2", "_", "x" * 64])
    bodies = tuple(draw(st.lists(names, min_size=1, max_size=4, unique=True)))
    ground = draw(st.sampled_from(["ground", "y", bodies[0]]))
    m = lw.Mechanism(
        draw(names),
        gravity=draw(vectors),
        ground=ground,
        floating=draw(st.booleans()),
        description=draw(texts),
        expect=draw(st.dictionaries(texts | st.sampled_from(["J0.angle", "mobility"]), numbers, max_size=2)),
    )
    for body in bodies:
        place = draw(st.none() | placements(bodies))
        words: dict[str, Any] = {"accept_unphysical": draw(st.booleans()), "description": draw(texts)}
        looks = draw(st.lists(shapes(), max_size=2))
        words["looks"] = [replace(look, density=None) for look in looks]
        words["colour"] = draw(st.sampled_from(["", "#0a1B2c", "sky", "black"]))
        m.body(body, frame=place, **draw(masses()), **words)
    _add_curves(draw, m)
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), max_size=5))
    for i, kind in enumerate(kinds):
        _add_joint(draw, m, f"J{i}", kind, (m.ground.name, *bodies))
    if draw(st.booleans()):
        _add_chain(draw, m, (m.ground.name, *bodies))
    m.point("P", bodies[0], draw(vectors), within=draw(st.sampled_from([None, *bodies])), description=draw(texts))
    m.frame("F", bodies[-1], draw(placements(bodies)), description=draw(texts))
    return m.with_ground(draw(st.sampled_from(bodies))) if draw(st.booleans()) else m
