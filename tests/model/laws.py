"""One or more laws of every joint kind with random variables, and what the joint tests share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.model.curves import Curve, ExpressionCurve, FourierCurve, SplineCurve
from linkwork.model.joints import (
    Bevel,
    Cylindric,
    Flat,
    Free,
    Gear,
    Helical,
    Law,
    LineOnCurve,
    OnCurve,
    OnSurface,
    PointOnCurve,
    Prismatic,
    Rack,
    Revolute,
    Rigid,
    Spheric,
    Universal,
)
from linkwork.model.ranges import Range
from linkwork.model.space_curves import InPlane, SpaceCurve, space_curve
from linkwork.model.surfaces import Surface, surface

Random = np.random.Generator
ALPHA = math.radians(20.0)

EGG = FourierCurve("egg", 0.1, -0.2, (1.0, 0.12), (0.0, 0.0, 0.03), (0.0,), (0.8, 0.05))
ELLIPSE = ExpressionCurve("ellipse", "30*cos(t)", "20*sin(t)", 0.0, 2 * math.pi, True, 1e-3)
RAMP = ExpressionCurve("ramp", "where(t < 1, t, 2*t - 1)", "0.2*t*t + 0.1*t", -1.0, 3.0)
_RING = tuple((1.3 * math.cos(a) + 0.1, 0.9 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 9)[:-1])
RING5 = SplineCurve("ring5", _RING, True)
RING3 = SplineCurve("ring3", _RING, True, 3)
_WAVE = tuple((x, 0.2 * math.sin(2 * x) + 0.1 * x) for x in (0.0, 0.2, 0.45, 0.7, 0.9, 1.1, 1.4, 1.6, 1.9))
SLOT5 = SplineCurve("slot5", _WAVE)
SLOT3 = SplineCurve("slot3", SLOT5.points, False, 3)
CURVES = (EGG, ELLIPSE, RAMP, RING5, RING3, SLOT5, SLOT3)


SURFACES: dict[str, Surface] = {
    "plane": surface("plane"),
    "sphere": surface("sphere", radius=0.8),
    "cylinder": surface("cylinder", radius=0.3),
    "cone": surface("cone", half_angle=0.6),
    "torus": surface("torus", radius=0.9, tube=0.25),
    "height": surface("height", z="0.3*cos(2*x) - 0.2*x*y", x=(-1, 1), y=(-0.8, 1.2)),
    "paraboloid": surface("height", z="50 - 0.002*(x*x + y*y)", x=(-0.4, 0.4), y=(-0.4, 0.4), unit=1e-3),
    "bump": surface("parametric", x="u", y="v + 0.1*u*u", z="0.3*exp(-u*u - v*v)", u=(-1, 1), v=(-1, 1)),
    "barrel": surface(
        "parametric", x="(1 - v*v/3)*cos(u)", y="(1 - v*v/3)*sin(u)", z="v", u=(0, 2 * math.pi), v=(-1, 1), closed="u"
    ),
}
PATHS: dict[str, SpaceCurve] = {
    "line": space_curve("line"),
    "circle": space_curve("circle", radius=0.7),
    "helix": space_curve("helix", radius=0.4, lead=0.3),
    "helix_left": space_curve("helix", radius=0.4, lead=-1.1),
    "knot": space_curve(
        "expression",
        x="(2 + cos(3*t))*cos(2*t)",
        y="(2 + cos(3*t))*sin(2*t)",
        z="sin(3*t)",
        closed=True,
        unit=0.3,
    ),
    "climb": space_curve("expression", x="t", y="0.3*t*t", z="0.1*t**3", span=(-1, 1)),
    "ring": space_curve(
        "spline", points=[(math.cos(a), math.sin(a), 0.2 * math.sin(2 * a)) for a in 0.7 * np.arange(9)], closed=True
    ),
    "rail": space_curve("spline", points=[(0.2 * k, 0.1 * (k % 3), 0.03 * k * k) for k in range(7)], degree=3),
    "egg_in_space": InPlane(EGG),
    "slot_in_space": InPlane(SLOT5),
}


def angle(rng: Random) -> float:
    """An angle between -π and π."""
    return float(rng.uniform(-np.pi, np.pi))


def quaternion(rng: Random) -> list[float]:
    """A random turn."""
    q = rng.normal(size=4)
    return list(q / np.linalg.norm(q))


def on(curve: Curve, rng: Random) -> float:
    """A parameter inside the range of a curve."""
    return float(curve.start + (curve.end - curve.start) * rng.uniform(0.01, 0.99))


@dataclass(frozen=True)
class Case:
    """A law, a name for the report, and a source of variables in its range."""

    name: str
    law: Law
    draw: Callable[[Random], list[float]]


def _gear(rng: Random) -> list[float]:
    return [angle(rng), rng.uniform(-0.01, 0.01), rng.uniform(-0.3, 0.3)]


def _rack(rng: Random) -> list[float]:
    return [rng.uniform(-2, 2), rng.uniform(-0.02, 0.02), rng.uniform(-0.3, 0.3)]


def _lower(name: str, law: Law, *draws: Callable[[Random], float]) -> Case:
    return Case(name, law, lambda rng: [d(rng) for d in draws])


def _length(rng: Random) -> float:
    return float(rng.uniform(-2, 2))


def _cams() -> list[Case]:
    cases = []
    for curve in CURVES:
        cases.append(_point_case(curve))
        cases.append(_line_case(curve))
    return cases


def _point_case(curve: Curve) -> Case:
    return Case(
        f"point_on_{curve.name}",
        PointOnCurve(curve),
        lambda rng: [on(curve, rng), angle(rng), _length(rng)],
    )


def _line_case(curve: Curve) -> Case:
    return Case(
        f"line_on_{curve.name}",
        LineOnCurve(curve),
        lambda rng: [on(curve, rng), rng.uniform(-0.5, 0.5) * curve.size(), _length(rng)],
    )


def _contacts() -> list[Case]:
    cases = [_surface_case(name, s) for name, s in SURFACES.items()]
    return cases + [_path_case(name, c) for name, c in PATHS.items()]


def _within(span: Range, dimension: str, rng: Random) -> float:
    """A parameter well inside a range, away from poles and apexes."""
    if span.is_finite:
        return float(span.start + (span.end - span.start) * rng.uniform(0.12, 0.88))
    if math.isfinite(span.start):
        return float(span.start + rng.uniform(0.2, 1.5))
    return angle(rng) if dimension == "angle" else _length(rng)


def _surface_case(name: str, of: Surface) -> Case:
    spans = list(zip(of.over(), of.parameters, strict=True))
    return Case(
        f"on_{name}", OnSurface(of), lambda rng: [*(_within(r, d, rng) for r, (_, d) in spans), *quaternion(rng)]
    )


def _path_case(name: str, of: SpaceCurve) -> Case:
    return Case(f"on_{name}", OnCurve(of), lambda rng: [_within(of.along(), of.dimension, rng), *quaternion(rng)])


CASES = [
    _lower("revolute", Revolute(), angle),
    _lower("prismatic", Prismatic(), _length),
    _lower("helical", Helical(0.012), lambda rng: rng.uniform(-40, 40)),
    _lower("helical_left", Helical(-0.3), lambda rng: rng.uniform(-40, 40)),
    _lower("cylindric", Cylindric(), angle, _length),
    _lower("flat", Flat(), _length, _length, angle),
    _lower("universal", Universal(), angle, angle),
    _lower("rigid", Rigid()),
    Case("spheric", Spheric(), quaternion),
    Case("free", Free(), lambda rng: [*rng.uniform(-2, 2, 3), *quaternion(rng)]),
    Case("gear", Gear(0.30, 0.17), _gear),
    Case("gear_helical", Gear(0.30, 0.17, ALPHA, math.radians(25.0)), _gear),
    Case("gear_flank", Gear(0.30, 0.17, ALPHA, math.radians(-12.0), +1), _gear),
    Case("gear_other_flank", Gear(0.11, 0.47, math.radians(14.5), 0.0, -1), _gear),
    Case("gear_inside_mate", Gear(-0.21, 0.80, ALPHA, 0.1, +1), _gear),
    Case("gear_around_mate", Gear(0.80, -0.21, ALPHA, 0.1, -1), _gear),
    Case("rack", Rack(0.4), _rack),
    Case("rack_flank", Rack(0.4, ALPHA, 0.3, +1), _rack),
    Case("rack_below", Rack(-0.25, ALPHA, -0.2, -1), _rack),
    Case("bevel", Bevel(math.radians(30), math.radians(50)), lambda rng: [angle(rng), rng.uniform(-0.05, 0.05)]),
    Case("bevel_obtuse", Bevel(1.1, 1.3), lambda rng: [angle(rng), rng.uniform(-0.05, 0.05)]),
    Case("bevel_inside_mate", Bevel(-0.3, 1.1), lambda rng: [angle(rng), rng.uniform(-0.05, 0.05)]),
    Case("bevel_around_mate", Bevel(1.1, -0.3), lambda rng: [angle(rng), rng.uniform(-0.05, 0.05)]),
    *_cams(),
    *_contacts(),
]
NAMES = [case.name for case in CASES]
IDS: dict[str, Any] = {"ids": NAMES}


def close(actual: object, expected: object, tol: float = 1e-12) -> None:
    """Every number within `tol`, absolutely."""
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tol)


def same_variables(law: Law, found: Any, wanted: Any, tol: float = 1e-12) -> None:
    """Variables agree, quaternions up to their sign, parameters of closed curves up to whole turns."""
    found, wanted = np.array(found, float), np.array(wanted, float)
    assert found.shape == wanted.shape
    names = [v.name for v in law.variables]
    if "qw" in names:
        k = names.index("qw")
        if found[k:] @ wanted[k:] < 0.0:
            found[k:] *= -1
    for name, span in law.ranges().items():
        if span.closed:
            k, period = names.index(name), span.end - span.start
            found[k] += period * round((wanted[k] - found[k]) / period)
    close(found, wanted, tol)
