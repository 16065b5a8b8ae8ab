"""A point kept on a surface or a curve in space: closed forms, cut or not, fixed or carried, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork import geometry as geo
from linkwork.model.joints import OnCurve, OnSurface, transform
from linkwork.units import deg

Array = np.ndarray


def signal(run: lw.Run, name: str) -> Array:
    return np.asarray(run.data[name].values)


def levels(run: lw.Run, name: str) -> list[Array]:
    """Value, rate and acceleration of a variable."""
    return [signal(run, n) for n in (name, f"{name}.rate", f"{name}.acceleration")]


def near(found: Any, wanted: Any, tol: float) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=tol)


# --- a planar arm against closed forms --------------------------------------------------------------------------------

L1, L2 = 0.3, 0.5


def planar_arm(**contact: Any) -> lw.Mechanism:
    """Two links along x; the tip, at the end of the second, is what `contact` holds."""
    m = lw.Mechanism("arm")
    m.body("crank", mass=1.0)
    m.body("rod", mass=1.0)
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis="z")
    m.revolute("B", "crank", "rod", at=(L1, 0, 0), axis="z")
    m.on_curve("K", m.ground, "rod", to=(L1 + L2, 0, 0), **contact)
    m.point("tip", "rod", at=(L1 + L2, 0, 0))
    return m


@pytest.mark.parametrize("cut", [[], ["K"], ["A"], ["B"]])
def test_the_tip_on_a_line_is_a_slider_crank(cut: list[str]) -> None:
    s = planar_arm(curve=lw.space_curve("line"), axis="x").assemble(cut=cut)
    assert s.home.mobility == 1  # in its plane; in space the arm would be stiff
    speed = 4.0
    run = s.motion(A=lw.ramp(0.0, 2 * math.pi, speed=speed), samples=181)
    a = signal(run, "A.angle")
    x, dx, ddx = levels(run, "K.parameter")
    root = np.sqrt(L2**2 - (L1 * np.sin(a)) ** 2)
    near(x, L1 * np.cos(a) + root, 1e-12)
    slope = -L1 * np.sin(a) - L1**2 * np.sin(a) * np.cos(a) / root
    near(dx, speed * slope, 1e-11)
    bend = -L1 * np.cos(a) - L1**2 * (np.cos(2 * a) / root + L1**2 * np.sin(2 * a) ** 2 / 4 / root**3)
    near(ddx, speed**2 * bend, 1e-10)
    tip = signal(run, "tip.position")
    near(tip[:, 0], x, 1e-12)
    near(tip[:, 1:], 0.0, 1e-12)


@pytest.mark.parametrize("cut", [[], ["K"], ["B"]])
def test_the_tip_on_a_circle_is_a_four_bar(cut: list[str]) -> None:
    radius, centre = 0.45, 0.7
    m = lw.Mechanism("arm")
    m.body("crank"), m.body("rod")
    phi = 100 * deg  # where the tip is on the circle
    tip = np.array([centre + radius * math.cos(phi), radius * math.sin(phi), 0.0])
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis="z")
    m.revolute("B", "crank", "rod", at=(L1, 0, 0), axis="z")
    m.on_curve("K", m.ground, "rod", curve=lw.space_curve("circle", radius=radius), at=(centre, 0, 0), to=tip)
    m.point("tip", "rod", at=tip)
    length = math.dist(tip, (L1, 0, 0))
    s = m.assemble(cut=cut)
    assert s.home.mobility == 1
    near(s.home["K.parameter"], phi, 1e-12)
    speed = 3.0
    run = s.motion(A=lw.ramp(0.0, 50 * deg, speed=speed), samples=91)
    a = signal(run, "A.angle")
    # |c + r e(φ) - L1 e(a)|² = l²: with d from the crank's pin to the centre, 2 r d·e(φ) = l² - r² - |d|².
    d = np.stack([centre - L1 * np.cos(a), -L1 * np.sin(a)])
    turn = np.arccos((length**2 - radius**2 - (d * d).sum(0)) / (2 * radius * np.hypot(*d)))
    expected = np.arctan2(d[1], d[0]) + turn
    found, rate, acceleration = levels(run, "K.parameter")
    near(found, expected, 1e-12)
    tip_now = signal(run, "tip.position")
    near(np.hypot(tip_now[:, 0] - centre, tip_now[:, 1]), radius, 1e-13)
    # The rod keeps its length: (tip - pin)·(tip' - pin') = 0, and once more.
    e, n = np.stack([np.cos(found), np.sin(found)]), np.stack([-np.sin(found), np.cos(found)])
    pin, aside = L1 * np.stack([np.cos(a), np.sin(a)]), L1 * np.stack([-np.sin(a), np.cos(a)])
    rod = np.array([[centre], [0.0]]) + radius * e - pin
    expected_rate = speed * (rod * aside).sum(0) / (radius * (rod * n).sum(0))
    near(rate, expected_rate, 1e-11)
    change = radius * rate * n - speed * aside
    right = (rod * (radius * rate**2 * e - speed**2 * pin)).sum(0) - (change**2).sum(0)
    near(acceleration, right / (radius * (rod * n).sum(0)), 1e-10)


# --- an arm in space on every surface and curve -----------------------------------------------------------------------

TIP = np.array([0.6, 0.05, 0.35])


def spatial_arm() -> lw.Mechanism:
    m = lw.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("column", mass=3.0)
    m.body("upper", mass=2.0)
    m.body("fore", mass=1.0)
    m.revolute("A", m.ground, "column", at=(0, 0, 0), axis="z")
    m.revolute("B", "column", "upper", at=(0, 0, 0.4), axis="y")
    m.revolute("C", "upper", "fore", at=(0.3, 0, 0.65), axis="y")
    m.point("tip", "fore", at=TIP)
    return m


def frame_of(surface: lw.Surface, u: float, v: float) -> lw.Placement:
    """A frame of the surface, turned anyhow, in which the tip is at (u, v)."""
    R = geo.from_rpy((0.3, -0.2, 0.5))
    p = np.array([float(c) for c in surface.point(u, v)])
    return lw.placement(TIP - R @ p, matrix=R)


def hypot(p: Array) -> Array:
    return np.hypot(p[:, 0], p[:, 1])


HILL = "0.1*cos(3*x) - 0.2*x*y"
SURFACES: dict[str, tuple[lw.Surface, tuple[float, float], Callable[[Array], Array]]] = {
    "plane": (lw.surface("plane"), (0.1, -0.2), lambda p: p[:, 2]),
    "sphere": (lw.surface("sphere", radius=0.5), (0.4, 0.3), lambda p: np.linalg.norm(p, axis=1) - 0.5),
    "cylinder": (lw.surface("cylinder", radius=0.4), (0.4, 0.3), lambda p: hypot(p) - 0.4),
    "cone": (
        lw.surface("cone", half_angle=0.5),
        (2.5, 0.6),
        lambda p: hypot(p) * math.cos(0.5) - p[:, 2] * math.sin(0.5),
    ),
    "torus": (lw.surface("torus", radius=0.6, tube=0.2), (0.4, 1.3), lambda p: np.hypot(hypot(p) - 0.6, p[:, 2]) - 0.2),
    "height": (
        lw.surface("height", z=HILL, x=(-1, 1), y=(-1, 1)),
        (0.1, -0.2),
        lambda p: p[:, 2] - (0.1 * np.cos(3 * p[:, 0]) - 0.2 * p[:, 0] * p[:, 1]),
    ),
    "parametric": (
        lw.surface("parametric", x="u", y="v", z="0.2*u*u - 0.3*v*v", u=(-1, 1), v=(-1, 1)),
        (0.1, -0.2),
        lambda p: p[:, 2] - (0.2 * p[:, 0] ** 2 - 0.3 * p[:, 1] ** 2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("cut", [[], ["C"]], ids=["K", "C"])
@pytest.mark.parametrize("name", SURFACES)
def test_an_arm_stays_on_its_surface(name: str, cut: list[str]) -> None:
    surface, at, misfit = SURFACES[name]
    m = spatial_arm()
    m.on_surface("K", m.ground, "fore", surface=surface, frame=frame_of(surface, *at), to=TIP)
    checked = lw.check(m)
    assert checked.sound and not checked.warnings
    assert (checked.mobility.mobility, checked.mobility.grubler) == (2, 2)
    s = m.assemble(cut=cut)
    assert cut == [] or "K" in s.tree_joints
    assert s.home.mobility == 2
    near([s.home[f"K.{n}"] for n, _ in surface.parameters], at, 1e-12)
    run = s.motion(
        {"A": lw.expression("0.15*sin(2.0*t)"), "B": lw.expression("0.1*sin(3.0*t)")},
        duration=1.0,
        samples=101,
    )
    assert run.status == "complete"
    X_FW = geo.inverse(lw.lay_out(m).seats["K"].X_WF)
    tip = signal(run, "tip.position") @ X_FW[:3, :3].T + X_FW[:3, 3]
    near(misfit(tip), 0.0, 1e-12)
    # The parameters give the same place, their rates its velocity, theirs its acceleration.
    t = signal(run, "time")
    names = [f"K.{n}" for n, _ in surface.parameters]
    place = np.stack(np.broadcast_arrays(*surface.point(*(signal(run, n) for n in names))), axis=-1)
    near(place, tip, 1e-12)
    velocity = signal(run, "tip.velocity") @ X_FW[:3, :3].T
    near(_slopes(t, place)[3:-3], velocity[3:-3], 1e-7)
    for n in names:
        q, dq, ddq = levels(run, n)
        near(_slopes(t, q)[3:-3], dq[3:-3], 1e-6 * max(1.0, np.abs(dq).max()))
        near(_slopes(t, dq)[3:-3], ddq[3:-3], 1e-6 * max(1.0, np.abs(ddq).max()))


CURVES: dict[str, tuple[lw.SpaceCurve, float]] = {
    "line": (lw.space_curve("line"), 0.2),
    "circle": (lw.space_curve("circle", radius=0.4), 0.7),
    "helix": (lw.space_curve("helix", radius=0.4, lead=0.5), 7.0),
    "expression": (lw.space_curve("expression", x="t", y="0.3*t*t", z="0.1*t**3", span=(-1, 1)), 0.2),
    "spline": (lw.space_curve("spline", points=[(0.2 * k, 0.1 * (k % 3), 0.03 * k * k) for k in range(7)]), 0.45),
}


@pytest.mark.parametrize("cut", [[], ["A"]], ids=["K", "A"])
@pytest.mark.parametrize("name", CURVES)
def test_an_arm_stays_on_its_curve(name: str, cut: list[str]) -> None:
    curve, at = CURVES[name]
    R = geo.from_rpy((0.3, -0.2, 0.5))
    m = spatial_arm()
    start = lw.placement(TIP - R @ curve.places(np.array([at]))[0], matrix=R)
    m.on_curve("K", m.ground, "fore", curve=curve, frame=start, to=TIP)
    checked = lw.check(m)
    assert checked.sound and checked.mobility.mobility == checked.mobility.grubler == 1
    s = m.assemble(cut=cut)
    near(s.home["K.parameter"], at, 1e-12)
    run = s.motion({"K.parameter": lw.ramp(at, at + 0.1, duration=1.0)}, samples=61)
    X_FW = geo.inverse(lw.lay_out(m).seats["K"].X_WF)
    tip = signal(run, "tip.position") @ X_FW[:3, :3].T + X_FW[:3, 3]
    near(tip, curve.places(signal(run, "K.parameter")), 1e-12)
    tangent = [np.broadcast_to(c, (61,)) for c in curve.derivatives(signal(run, "K.parameter"), 1)[1]]
    near(signal(run, "tip.velocity") @ X_FW[:3, :3].T, 0.1 * np.stack(tangent, axis=-1), 1e-12)


def test_closures_are_counted_once() -> None:
    """With turn and shoulder held, the tool's circle about the elbow meets the dome twice; none is behind a pole."""
    s = lw.example("polishing-arm").assemble()
    found = s.closures({"turn": 0.0, "shoulder": 0.0})
    assert len(found.postures) == 2 and found.complete
    # Both are at one height above the line from the elbow to the centre: mirror images across it.
    elbow, centre, tip = np.array([0.3, 0.6]), np.array([0.6, 0.0]), np.array([0.6, 0.3])
    along = (centre - elbow) / np.linalg.norm(centre - elbow)
    mirrored = elbow + 2 * ((tip - elbow) @ along) * along - (tip - elbow)
    places = sorted(tuple(p.position("tool")[[0, 2]]) for p in found.postures)
    near(places, sorted([tuple(mirrored), tuple(tip)]), 1e-9)


def test_a_contact_cut_or_not_moves_alike() -> None:
    m = lw.example("polishing-arm")
    drives = {
        "turn": lw.expression("0.2*sin(2.0*t)"),
        "shoulder": lw.expression("0.1*sin(3.0*t)"),
    }
    runs = [m.assemble(cut=cut).motion(drives, duration=1.0, samples=31) for cut in (["dome"], ["turn"], ["elbow"])]
    for name in ("elbow.angle", "dome.angle1", "dome.angle2"):
        for suffix in ("", ".rate", ".acceleration"):
            for run in runs[1:]:
                near(signal(run, name + suffix), signal(runs[0], name + suffix), 1e-10)
    for run in runs[1:]:  # both signs of a quaternion are the same turn
        q, p = (np.stack([signal(r, f"dome.q{c}") for c in "wxyz"]) for r in (run, runs[0]))
        near(np.abs((q * p).sum(0)), 1.0, 1e-12)


# --- moving surfaces --------------------------------------------------------------------------------------------------


def test_a_wedge_on_a_driven_slide_lifts_a_rod() -> None:
    slope = 25 * deg
    m = lw.Mechanism("wedge")
    m.body("table"), m.body("rod")
    m.prismatic("S", m.ground, "table", at=(0, 0, 0), axis="x")
    m.prismatic("R", m.ground, "rod", at=(0, 0, 1), axis="z")
    normal = (-math.sin(slope), 0, math.cos(slope))
    m.on_surface("K", "table", "rod", surface=lw.surface("plane"), at=(0, 0, 1), axis=normal, x=(0, 1, 0))
    s = m.assemble()
    assert s.home.mobility == 1
    run = s.motion(S=lw.expression("0.3*sin(1.5*t)"), duration=2.0, samples=101)
    for lift, slide in zip(levels(run, "R.slide"), levels(run, "S.slide"), strict=True):
        near(lift, -math.tan(slope) * slide, 1e-11)


@pytest.mark.parametrize("cut", [[], ["R"], ["S"]])
def test_a_ball_on_a_driven_slide_lifts_a_rod(cut: list[str]) -> None:
    radius = 0.5
    m = lw.Mechanism("ball")
    m.body("table"), m.body("rod")
    m.prismatic("S", m.ground, "table", at=(0, 0, 0), axis="x")
    m.prismatic("R", m.ground, "rod", at=(0, 0, radius), axis="z")
    m.on_surface("K", "table", "rod", surface=lw.surface("sphere", radius=radius), at=(0, 0, 0), to=(0, 0, radius))
    run = m.assemble(cut=cut).motion(S=lw.ramp(-0.3, 0.3, speed=0.6), samples=61)
    x = signal(run, "S.slide")
    z = np.sqrt(radius**2 - x**2)
    lift, rate, acceleration = levels(run, "R.slide")
    near(lift, z - radius, 1e-13)
    near(rate, -0.6 * x / z, 1e-12)
    near(acceleration, -0.36 * (1 / z + x**2 / z**3), 1e-11)


def test_a_driven_table_below_an_arm_that_stands_still() -> None:
    """Held at the shoulder and turned by nothing, the arm follows the plane that rises under its tip."""
    m = spatial_arm()
    m.body("table")
    m.prismatic("S", m.ground, "table", at=(0.6, 0, 0.35), axis="z")
    m.on_surface("K", "table", "fore", surface=lw.surface("plane"), at=TIP)
    s = m.assemble()
    assert s.home.mobility == 3
    run = s.motion({"S": lw.ramp(0.0, 0.1, duration=1.0), "A": 0.2, "B": 0.1}, samples=31)
    near(signal(run, "tip.position")[:, 2], TIP[2] + signal(run, "S.slide"), 1e-13)


# --- run-time parameters ----------------------------------------------------------------------------------------------

NUMBERS = {
    "sphere": {"radius": 0.5},
    "cylinder": {"radius": 0.5},
    "cone": {"half_angle": 0.5},
    "torus": {"radius": 0.5, "tube": 0.2},
    "circle": {"radius": 0.5},
    "helix": {"radius": 0.5, "lead": 0.3},
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_shapes_are_parameters(kind: str) -> None:
    given = NUMBERS[kind]

    def made(**numbers: float) -> lw.Mechanism:
        m = lw.Mechanism("one")
        m.body("a", mass=1.0)
        if kind in ("circle", "helix"):
            value = (0.7, 1.0, 0.0, 0.0, 0.0)
            m.on_curve("K", m.ground, "a", curve=lw.space_curve(kind, **numbers), value=value)
        else:
            value = (0.7, 0.4, 1.0, 0.0, 0.0, 0.0)
            m.on_surface("K", m.ground, "a", surface=lw.surface(kind, **numbers), value=value)
        m.point("P", "a", at=(0, 0, 0))
        return m

    s = lw.System(made(**given))
    assert {f"K.{n}": x for n, x in given.items()}.items() <= s.parameters.items()
    other = {n: 1.1 * x for n, x in given.items()}
    moved = {f"K.{n}": x for n, x in other.items()}
    near(s.pose("a", s.posture(), parameters=moved)[:3, 3] - s.pose("a", s.posture())[:3, 3],
         transform(lw.System(made(**other)).mechanism.joints["K"].law, s.posture())[:3, 3]
         - transform(s.mechanism.joints["K"].law, s.posture())[:3, 3], 1e-14)  # fmt: skip
    with pytest.raises(lw.ModelError, match=r"parameters\.K"):
        s.pose("a", s.posture(), parameters={f"K.{n}": -abs(x) if n != "lead" else 0.0 for n, x in given.items()})


# --- the nearest place ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SURFACES)
def test_the_nearest_place_of_a_surface(name: str) -> None:
    """No place of a fine grid is nearer than the one found, for points on and off the surface."""
    surface, _, _ = SURFACES[name]
    rng = np.random.default_rng(5)
    spans = [(max(r.start, -3.0), min(r.end, 3.0)) if not r.closed else (r.start, r.end) for r in surface.over()]
    U, V = np.meshgrid(*(np.linspace(*span, 301) for span in spans), indexing="ij")
    grid = np.stack(np.broadcast_arrays(*surface.point(U, V)), axis=-1).reshape(-1, 3)
    for _ in range(6):
        place = rng.uniform(-0.8, 0.8, 3)
        found = surface.nearest(place)
        distance = np.linalg.norm(np.array([float(c) for c in surface.point(*found)]) - place)
        assert distance <= np.linalg.norm(grid - place, axis=1).min() + 1e-12
        assert all(r.closed or r.start <= x <= r.end for r, x in zip(surface.over(), found, strict=True))


@pytest.mark.parametrize("name", CURVES)
def test_the_nearest_place_of_a_curve(name: str) -> None:
    curve, _ = CURVES[name]
    rng = np.random.default_rng(6)
    span = curve.along()
    fine = curve.places(np.linspace(max(span.start, -40.0), min(span.end, 40.0), 100_001))
    for _ in range(6):
        place = rng.uniform(-0.8, 0.8, 3)
        distance = np.linalg.norm(curve.places(np.array([curve.nearest(place)]))[0] - place)
        assert distance <= np.linalg.norm(fine - place, axis=1).min() + 1e-12


# --- what is refused --------------------------------------------------------------------------------------------------

BAD_SHAPES: list[tuple[Callable[[], Any], list[str]]] = [
    (lambda: lw.surface("shpere", radius=1), ["'shpere' is not a kind of surface"]),
    (lambda: lw.surface(3), ["3 is not a kind of surface"]),  # type: ignore[arg-type]
    (lambda: lw.surface("sphere"), ["the sphere lacks `radius`"]),
    (lambda: lw.surface("sphere", radius=-1), ["-1 is not positive"]),
    (lambda: lw.surface("sphere", radius="1 m"), ["'1 m' is not a number"]),
    (lambda: lw.surface("sphere", radius=1, radios=2), ["a sphere has no 'radios'"]),
    (lambda: lw.surface("plane", radius=1), ["a plane has no 'radius'"]),
    (lambda: lw.surface("cone", half_angle=2.0), ["the half angle is 114.592 deg"]),
    (lambda: lw.surface("torus", radius=0.2, tube=0.3), ["the tube is as thick as its circle"]),
    (lambda: lw.surface("torus", radius=-0.2, tub=0.3), ["a torus has no 'tub'", "lacks `tube`", "not positive"]),
    (lambda: lw.surface("height", z="x +", x=(0, 1), y=(1, 0)), ["x +", "the range runs from 1 to 0"]),
    (lambda: lw.surface("height", z="x + t", x=(0, 1), y=(0, 1)), ["'t'"]),
    (lambda: lw.surface("height", z="x", x=(0, 1)), ["the height lacks `y`"]),
    (lambda: lw.surface("parametric", x="u", y="v", z="0", u=(0, 1), v=(0, 1), closed="w"), ["'w' is not known here"]),
    (lambda: lw.space_curve("hélix", radius=1), ["'hélix' is not a kind of curve"]),
    (lambda: lw.space_curve("helix", radius=1, lead=0), ["the lead is 0"]),
    (lambda: lw.space_curve("helix", radius=0, lead="x"), ["0 is not positive", "'x' is not a number"]),
    (lambda: lw.space_curve("expression", x="t", y="t", z="import os"), ["import"]),
    (lambda: lw.space_curve("expression", x="t", y="t", z="0", closed=1), ["1 is not true or false"]),
    (lambda: lw.space_curve("spline", points=[(0, 0, 0), (1, 0, 0)]), ["2 points are too few for degree 5"]),
    (lambda: lw.space_curve("spline", points=[(0, 0), (1, 0)]), ["3 numbers are wanted"]),
    (lambda: lw.space_curve("spline", points=3), ["a list of points is wanted"]),
    (lambda: lw.space_curve("spline", points=[(k, 0, 0) for k in range(9)], degree=4), ["degree 4"]),
    (lambda: lw.space_curve("spline", points=[(k // 2, 0, 0) for k in range(9)]), ["points 1 and 2 coincide"]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "wanted"), BAD_SHAPES)
def test_bad_shapes(make: Callable[[], Any], wanted: list[str]) -> None:
    with pytest.raises(lw.ModelError) as caught:
        make()
    problems = caught.value.problems
    assert len(problems) == len(wanted)
    for text, problem in zip(wanted, problems, strict=True):
        assert text in f"{problem.where}: {problem.what} {problem.hint}"


def one(kind: str, shape: Any, **options: Any) -> lw.Mechanism:
    m = lw.Mechanism("one")
    m.body("a")
    method = m.on_surface if kind == "surface" else m.on_curve
    method("K", m.ground, "a", **{kind: shape}, **options)  # type: ignore[arg-type]
    return m


SPHERE = lw.surface("sphere", radius=0.5)
ROOT = lw.surface("height", z="sqrt(x)", x=(-1, 1), y=(-1, 1))
OPEN = lw.surface("parametric", x="u", y="v", z="0", u=(0, 1), v=(0, 1), closed="u")
BAD_JOINTS: dict[str, tuple[Callable[[], Any], str]] = {
    "no place": (lambda: one("surface", SPHERE), "`to` is missing"),
    "off": (lambda: one("surface", SPHERE, to=(0, 0, 0.6)), "do not fit an on_surface joint: 0.1 m off"),
    "pole": (
        lambda: one("surface", SPHERE, to=(0, 0.5, 0)),
        "the point is at a pole of its sphere: angle1 does not move it there",
    ),
    "apex": (
        lambda: one("surface", lw.surface("cone", half_angle=0.5), value=(0, 0, 1, 0, 0, 0)),
        "at a pole of its cone: angle does not move it",
    ),
    "fold": (
        lambda: one(
            "surface",
            lw.surface("parametric", x="u + v", y="u + v", z="u*u + v*v", u=(-1, 1), v=(-1, 1)),
            value=(0.5, 0.5, 1, 0, 0, 0),
        ),
        "u and v move it the same way there",
    ),
    "range": (lambda: one("surface", ROOT, value=(2, 0, 1, 0, 0, 0)), "x is 2, but it runs from -1 to 1"),
    "latitude": (lambda: one("surface", SPHERE, value={"angle2": 2}), "is 2, but it runs from -1.5708 to 1.5708"),
    "quaternion": (lambda: one("surface", SPHERE, value=(0, 0, 1, 1, 0, 0)), "has length 1.41421, not 1"),
    "count": (lambda: one("surface", SPHERE, value=0.3), "1 values for 6 variables"),
    "variable": (lambda: one("surface", SPHERE, value={"angle3": 1}), "has no variable 'angle3'"),
    "limits": (lambda: one("surface", SPHERE, to=(0, 0, 0.5), limits=(0, 1)), "has 6 variables"),
    "not finite": (lambda: one("surface", ROOT, value=(0.5, 0, 1, 0, 0, 0)), "is not finite over its ranges"),
    "not finite, to": (lambda: one("surface", ROOT, to=(0.25, 0, 0.5)), "its surface is not finite over its ranges"),
    "not closed": (lambda: one("surface", OPEN, to=(0.5, 0.5, 0)), "said to be closed along u, but it is 1 m open"),
    "no surface": (lambda: one("surface", "sphere"), "'sphere' is not a surface"),
    "no curve": (lambda: one("curve", "groove"), "there is no curve 'groove'"),
    "curve off": (
        lambda: one("curve", lw.space_curve("circle", radius=0.5), to=(0.5, 0, 0.1)),
        "do not fit an on_curve joint",
    ),
    "cusp": (
        lambda: one("curve", lw.space_curve("expression", x="t**2", y="t**3", z="0"), value={"parameter": 0}),
        "its curve stands still where the point is: a cusp",
    ),
    "curve not closed": (
        lambda: one("curve", lw.space_curve("expression", x="t", y="0", z="0", closed=True), to=(1, 0, 0)),
        "said to be closed, but its ends are 6.28 m apart",
    ),
    "curve not finite": (
        lambda: one("curve", lw.space_curve("expression", x="1/t", y="0", z="0", span=(0, 1)), to=(1, 0, 0)),
        "its curve is not finite over its range",
    ),
    "a point": (
        lambda: one("curve", lw.space_curve("expression", x="1", y="0", z="0"), to=(1, 0, 0)),
        "its curve is a single point",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_JOINTS)
def test_bad_joints(name: str) -> None:
    make, text = BAD_JOINTS[name]
    try:
        problems = list(lw.check(make()).errors)
    except lw.ModelError as error:
        problems = list(error.problems)
    assert [p for p in problems if text in p.what], problems
    assert all(p.where.startswith("joints.K") for p in problems), problems


def test_a_motion_beyond_the_range_is_told() -> None:
    m = lw.Mechanism("ledge")
    m.body("slide"), m.body("rod")
    m.prismatic("S", m.ground, "slide", at=(0, 0, 0), axis="x")
    m.prismatic("R", "slide", "rod", at=(0, 0, 0.2), axis="z")
    hill = lw.surface("height", z="0.2 - x*x", x=(-0.3, 0.3), y=(-1, 1))
    m.on_surface("K", m.ground, "rod", surface=hill, to=(0, 0, 0.2))
    run = m.assemble().motion(S=lw.ramp(0.0, 0.4, speed=1.0), samples=41)
    near(signal(run, "R.slide"), -(signal(run, "S.slide") ** 2), 1e-12)
    assert [w for w in run.warnings if "K.x goes beyond its limits" in w]


def test_laws_are_values() -> None:
    assert OnSurface(lw.surface("sphere", radius=1)) == OnSurface(lw.surface("sphere", radius=1.0))
    assert OnCurve(lw.space_curve("line")) != OnCurve(lw.space_curve("circle", radius=1))
    assert hash(OnCurve(lw.space_curve("line"))) == hash(OnCurve(lw.space_curve("line")))


def _slopes(t: Array, x: Array) -> Array:
    """Sixth-order central differences along the first axis."""
    h = t[1] - t[0]
    result = np.full_like(x, np.nan)
    result[3:-3] = (45 * (x[4:-2] - x[2:-4]) - 9 * (x[5:-1] - x[1:-5]) + (x[6:] - x[:-6])) / (60 * h)
    return result
