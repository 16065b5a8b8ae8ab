"""Building a mechanism: every call adds what it says, every wrong call says what is wrong, where and what to try."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import EGG, close

import linkwork as lw
from linkwork import geometry as geo
from linkwork.errors import ModelError, Problem
from linkwork.model.curves import FourierCurve
from linkwork.model.joints import (
    KINDS,
    Bevel,
    Gear,
    Helical,
    LineOnCurve,
    PointOnCurve,
    Rack,
    Revolute,
    Spheric,
)
from linkwork.model.layout import lay_out
from linkwork.model.placement import Placement, placement


def four_bar() -> lw.Mechanism:
    """Grashof four-bar in the plane, crank up."""
    m = lw.Mechanism("four-bar", gravity=(0, -9.81, 0))
    for name in ("crank", "coupler", "rocker"):
        m.body(name, mass=1.0)
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
    m.revolute("B", "crank", "coupler", at=(0, 0.4, 0), axis="z")
    m.revolute("C", "coupler", "rocker", at=(1.1, 0.8, 0), axis="z")
    m.revolute("D", "ground", "rocker", at=(1, 0, 0), axis="z")
    m.point("P", "coupler", at=(0.5, 0.9, 0))
    return m


def two() -> lw.Mechanism:
    m = lw.Mechanism()
    m.body("a")
    m.body("b")
    return m


def problem_of(call: Callable[[], Any]) -> Problem:
    with pytest.raises(ModelError) as caught:
        call()
    (problem,) = caught.value.problems
    return problem


# --- what each call adds ----------------------------------------------------------------------------------------------

ODD = ("gear", "rack", "bevel", "helical", "point_on_curve", "line_on_curve", "on_surface", "on_curve")
SIMPLE = [name for name in KINDS if name not in ODD]


@pytest.mark.parametrize("kind", SIMPLE)
def test_placed_joints(kind: str) -> None:
    m = two()
    made = getattr(m, kind)("J", "a", m.bodies["b"], at=(1, 2, 3), axis="y", x="x", description="words")
    assert m.joints == {"J": made}
    assert type(made.law) is KINDS[kind]
    assert (made.name, made.tail, made.head, made.description) == ("J", "a", "b", "words")
    assert made.frame == placement((1, 2, 3), axis="y", x="x")
    assert (made.to, made.value, made.limits) == (None, None, ())
    assert repr(made) == f"Joint('J', {kind}: a -> b)"


def test_every_kind_has_its_method() -> None:
    for kind in KINDS:
        assert callable(getattr(lw.Mechanism, kind))


def test_a_helical_joint() -> None:
    m = two()
    assert m.helical("J", "a", "b", lead=-0.005, at=(0, 0, 0), axis="x").law == Helical(-0.005)


def test_universal_axes() -> None:
    m = two()
    made = m.universal("J", "a", "b", at=(0, 0, 1), axes=("x", "z"))
    assert made.frame == placement((0, 0, 1), axis="x", x="z")
    other = m.universal("K", "a", "b", at=(0, 0, 1), axis="x", x="z")
    assert other.frame == made.frame


def test_gears_from_radii_teeth_and_modules() -> None:
    m = two()
    by_radii = m.gear("G1", "a", "b", at=(0, 0, 0), to=(0.3, 0, 0), radii=(0.1, 0.2)).law
    by_module = m.gear("G2", "a", "b", at=(0, 0, 0), to=(0.3, 0, 0), teeth=(20, 40), module=0.01).law
    by_distance = m.gear("G3", "a", "b", at=(0, 0, 0), to=(0, 0.3, 0.7), teeth=(20, 40)).law
    assert by_radii == Gear(0.1, 0.2)
    assert by_module == Gear(0.1, 0.2, teeth=(20, 40))
    assert isinstance(by_distance, Gear)
    close([by_distance.radius, by_distance.mate], [0.1, 0.2], 1e-16)
    both = m.gear("G4", "a", "b", at=(0, 0, 0), to=(0.3, 0, 0), teeth=(20, 40), radii=(0.1, 0.2)).law
    assert both == by_module


@pytest.mark.parametrize(("teeth", "signs"), [((20, 60), (-1, 1)), ((60, 20), (1, -1))])
def test_internal_gears(teeth: tuple[int, int], signs: tuple[int, int]) -> None:
    m = two()
    for i, options in enumerate(({"module": 0.01}, {}, {"radii": [n * 0.005 for n in teeth]})):
        law = m.gear(f"G{i}", "a", "b", at=(0, 0, 0), to=(0.2, 0, 0), teeth=teeth, internal=True, **options).law
        assert isinstance(law, Gear)
        close([law.radius, law.mate], [signs[0] * teeth[0] * 0.005, signs[1] * teeth[1] * 0.005], 1e-15)
        close(law.radius + law.mate, 0.2, 1e-15)


def test_gear_options() -> None:
    m = two()
    options: dict[str, Any] = {"pressure_angle": 0.3, "helix_angle": -0.2, "flank": -1, "limits": {"angle": (-1, 1)}}
    joint = m.gear("G", "a", "b", at=(0, 0, 0), to=(0.3, 0, 0), radii=(0.1, 0.2), **options)
    assert joint.law == Gear(0.1, 0.2, 0.3, -0.2, -1)
    assert joint.limits == (("angle", -1.0, 1.0),)


def test_gear_centres_from_rows_and_frames() -> None:
    m = two()
    at = placement(dh=(0.0, 0.0, 0.1, 0.0))
    law = m.gear("G", "a", "b", at=at, to=placement(dh=(0.0, 0.0, 0.4, 0.0)), teeth=(10, 20)).law
    assert isinstance(law, Gear)
    close([law.radius, law.mate], [0.1, 0.2], 1e-16)


def test_a_rack_knows_its_side() -> None:
    m = two()
    above = m.rack("K1", "a", "b", at=(0, 0, 0), to=(0.1, 0.2, 0), radius=0.2)
    below = m.rack("K2", "a", "b", at=(0, 0, 0), to=(0.1, -0.2, 0), radius=0.2, teeth=20)
    turned = m.rack("K3", "a", "b", at=(0, 0, 0), to=(0.2, 0, 0), radius=0.2, x="y")
    assert above.law == Rack(0.2)
    assert below.law == Rack(-0.2, teeth=20)
    assert turned.law == Rack(-0.2)
    for joint in (above, below, turned):
        close(lay_out(m).seats[joint.name].q[1], 0.0, 1e-16)


def test_bevels() -> None:
    m = two()
    law = m.bevel("B", "a", "b", at=(0, 0, 0), axes=("z", "x"), cones=(math.pi / 6, math.pi / 3)).law
    assert law == Bevel(math.pi / 6, math.pi / 3)
    inner = m.bevel("I", "a", "b", at=(0, 0, 0), axes=("z", (1, 0, 1)), cones=(0.2, 0.2 + math.pi / 4), internal=True)
    assert inner.law == Bevel(-0.2, 0.2 + math.pi / 4)


def test_joints_on_curves() -> None:
    m = two()
    curve = m.curve("track", fourier={"u_cos": [1], "v_sin": [1]})
    by_name = m.point_on_curve("Q", "a", "b", curve="track", at=(0, 0, 0), to=(1, 0, 0))
    by_itself = m.line_on_curve("L", "a", "b", curve=curve, at=(0, 0, 0), to=placement((1, 0, 0), x="y"))
    assert by_name.law == PointOnCurve(curve)
    assert by_itself.law == LineOnCurve(curve)
    m.point_on_curve("Q2", "a", "b", curve=EGG, at=(0, 0, 0))
    assert m.curves["egg"] is EGG


def test_a_second_curve_of_the_same_name_is_refused() -> None:
    m = two()
    m.point_on_curve("Q", "a", "b", curve=EGG)
    m.point_on_curve("R", "a", "b", curve=EGG)
    other = FourierCurve("egg", 0.0, 0.0, (1.0,))
    problem = problem_of(lambda: m.point_on_curve("S", "a", "b", curve=other))
    assert problem.what == "there are two curves named 'egg'"
    assert "S" not in m.joints


def test_joints_in_general() -> None:
    m = two()
    made = m.joint("J", Revolute(), "a", "b", frame=placement(axis="x"), value=0.3, limits=(-1, 1))
    assert made.value == (0.3,)
    assert made.limits == (("angle", -1.0, 1.0),)
    assert m.joint("K", Revolute(), "a", "b").frame == Placement()


@pytest.mark.parametrize("value", [(0.1, 0.2, 0.3), [0.1, 0.2, 0.3], np.array([0.1, 0.2, 0.3]), {"y": 0.2}])
def test_forms_of_values(value: Any) -> None:
    m = two()
    made = m.flat("J", "a", "b", value=value)
    assert made.value == ((0.0, 0.2, 0.0) if isinstance(value, dict) else (0.1, 0.2, 0.3))
    limited = m.flat("K", "a", "b", limits={"x": (-1, 1), "angle": [0, 2]})
    assert limited.limits == (("x", -1.0, 1.0), ("angle", 0.0, 2.0))


def test_a_ball_takes_a_unit_quaternion() -> None:
    m = two()
    made = m.spheric("S", "a", "b", value={"qw": 0.6, "qy": 0.8})
    assert made.value == (0.6, 0.0, 0.8, 0.0)
    rounded = m.free("O", "a", "b", value=(1, 2, 3, 0.7071068, 0, 0, 0.7071068)).value
    assert rounded is not None
    assert math.hypot(*rounded[3:]) == pytest.approx(1.0, abs=1e-15)
    assert m.joint("T", Spheric(), "a", "b").value is None


@pytest.mark.parametrize("kind", ["spheric", "free"])
def test_a_quaternion_that_is_no_turn(kind: str) -> None:
    m = two()
    problem = problem_of(lambda: getattr(m, kind)("S", "a", "b", value={"qx": 1.0}))
    assert problem.where == "joints.S.value"
    assert "has length 1.41421, not 1" in problem.what
    assert "divide it" in problem.hint


def test_points_and_frames() -> None:
    m = two()
    p = m.point("P", "a", (1, 2, 3), description="tip")
    q = m.point("Q", m.bodies["a"], at=(1, 2, 3), within="b")
    f = m.frame("tool", "b", (0, 0, 1), axis="x", within="a", description="hand")
    g = m.frame("base", "a", placement(dh=(0, 1, 0, 0)))
    assert (p.body, p.at, p.within, p.description) == ("a", (1.0, 2.0, 3.0), None, "tip")
    assert q.within == "b"
    assert f.placement == placement((0, 0, 1), axis="x", within="a")
    assert f.description == "hand"
    assert g.placement.row is not None
    assert list(m.points) == ["P", "Q"]
    assert list(m.frames) == ["tool", "base"]


def test_the_ground_may_be_described_once() -> None:
    m = lw.Mechanism(ground="frame")
    assert m.ground.name == "frame"
    m.body("frame", mass=100.0)
    assert m.ground.mass == 100.0
    assert problem_of(lambda: m.body("frame")).what == "there are two bodies named 'frame'"


def test_the_head_of_a_model() -> None:
    m = lw.Mechanism("press", gravity=(0, 0, -9.81), floating=True, description="d", expect={"mobility": 1})
    assert (m.name, m.gravity, m.floating, m.description) == ("press", (0.0, 0.0, -9.81), True, "d")
    assert m.expect == {"mobility": 1.0}
    assert repr(four_bar()) == "Mechanism('four-bar', 4 bodies, ground 'ground')\n  joints: 4 revolute"
    assert repr(lw.Mechanism()) == "Mechanism('mechanism', 1 bodies, ground 'ground')\n  joints: none"


# --- wrong calls ------------------------------------------------------------------------------------------------------

ADD: dict[str, Callable[[lw.Mechanism, str], Any]] = {
    "body": lambda m, name: m.body(name),
    "joint": lambda m, name: m.revolute(name, "a", "b"),
    "point": lambda m, name: m.point(name, "a", (0, 0, 0)),
    "frame": lambda m, name: m.frame(name, "a"),
    "curve": lambda m, name: m.curve(name, fourier={"u_cos": [1]}),
}


@pytest.mark.parametrize("second", ADD)
@pytest.mark.parametrize("first", ADD)
def test_one_name_one_thing(first: str, second: str) -> None:
    m = two()
    ADD[first](m, "N")
    problem = problem_of(lambda: ADD[second](m, "N"))
    if first == second == "body":
        assert problem.what == "there are two bodies named 'N'"
    else:
        assert problem.what == f"the name 'N' is taken by a {first}"
    assert problem.where.endswith("s.N") or problem.where == "bodies.N"
    assert problem.hint == "give one another name"


@pytest.mark.parametrize("name", ["", "a b", "a.b", "-a", "a\n", "a" * 65, 7, None, ["a"]])
@pytest.mark.parametrize("what", ADD)
def test_bad_names(what: str, name: Any) -> None:
    problem = problem_of(lambda: ADD[what](two(), name))
    assert "is not a name" in problem.what
    assert "letters, digits" in problem.hint


@pytest.mark.parametrize("name", ["a-b", "J1", "Kurbel_2", "ä", "1"])
def test_good_names(name: str) -> None:
    m = two()
    assert m.body(name).name == name


def bad(make: Callable[[lw.Mechanism], Any], where: str, message: str, hint: str = "") -> Any:
    return pytest.param(make, where, message, hint, id=message[:40])


@pytest.mark.parametrize(
    ("make", "where", "message", "hint"),
    [
        bad(lambda m: m.revolute("J", "a", "b", axis=(0, 0, 0)), "joints.J.axis", "zero length", "[0, 0, 1]"),
        bad(lambda m: m.revolute("J", "a", "b", at=(0, 0)), "joints.J.at", "3 numbers are wanted"),
        bad(lambda m: m.revolute("J", "a", "b", at=(0, 0, math.nan)), "joints.J.at", "not finite"),
        bad(lambda m: m.revolute("J", "a", "b", axis="z", x="z"), "joints.J", "parallel to the axis"),
        bad(
            lambda m: m.revolute("J", "a", "b", frame=placement(), at=(0, 0, 0)), "joints.J", "`frame` is given besides"
        ),
        bad(lambda m: m.revolute("J", "a", "b", to=(0, 0, 0), value=1), "joints.J", "`value` and `to` are both given"),
        bad(lambda m: m.revolute("J", "a", "b", to=(0, 0)), "joints.J.to.at", "3 numbers are wanted"),
        bad(lambda m: m.revolute("J", "a", "b", value=(1, 2)), "joints.J.value", "2 values for 1 variables (angle)"),
        bad(lambda m: m.revolute("J", "a", "b", value="1"), "joints.J.value", "'1' is not a number"),
        bad(lambda m: m.rigid("J", "a", "b", value=1), "joints.J.value", "a rigid joint has no variable"),
        bad(
            lambda m: m.revolute("J", "a", "b", value={"angel": 1}),
            "joints.J.value",
            "a revolute joint has no variable 'angel'",
            "did you mean 'angle'?",
        ),
        bad(
            lambda m: m.flat("J", "a", "b", limits={"angel": (0, 1)}),
            "joints.J.limits",
            "a flat joint has no variable 'angel'",
            "did you mean 'angle'?",
        ),
        bad(lambda m: m.flat("J", "a", "b", limits=(0, 1)), "joints.J.limits", "a flat joint has 3 variables", "{x:"),
        bad(lambda m: m.rigid("J", "a", "b", limits=(0, 1)), "joints.J.limits", "0 variables", "has none"),
        bad(lambda m: m.revolute("J", "a", "b", limits=(1, 1)), "joints.J.limits.angle", "leave no room"),
        bad(lambda m: m.revolute("J", "a", "b", limits=(2, 1)), "joints.J.limits.angle", "leave no room"),
        bad(lambda m: m.revolute("J", "a", "b", limits=(1, 2, 3)), "joints.J.limits.angle", "a pair [low, high]"),
        bad(lambda m: m.revolute("J", "a", "b", limits=5), "joints.J.limits.angle", "a pair [low, high]"),
        bad(lambda m: m.revolute("J", "a", "b", limits=(0, math.inf)), "joints.J.limits.angle", "not finite"),
        bad(lambda m: m.revolute("J", "a", 7), "joints.J", "7 is not a name"),
        bad(lambda m: m.helical("J", "a", "b", lead=0), "joints.J", "the lead is 0", "revolute"),
        bad(lambda m: m.helical("J", "a", "b", lead="5 kg"), "joints.J.lead", "'5 kg' is a mass"),
        bad(lambda m: m.universal("J", "a", "b", axes="x"), "joints.J.axes", "two axes are wanted"),
        bad(lambda m: m.universal("J", "a", "b", axes=("x", "w")), "joints.J.axes[1]", "'w' is not an axis"),
        bad(lambda m: m.universal("J", "a", "b", axes=("x", "x")), "joints.J.axes", "are 0 deg apart"),
        bad(
            lambda m: m.universal("J", "a", "b", axes=("x", (1, 1, 0))),
            "joints.J.axes",
            "the two axes of a universal joint are 45 deg apart",
            "perpendicular",
        ),
        bad(lambda m: m.universal("J", "a", "b", axes=("x", "y"), x="y"), "joints.J", "`axes` is given besides"),
        bad(lambda m: m.gear("J", "a", "b", at=(0, 0, 0), to=(1, 0, 0)), "joints.J", "neither radii nor teeth"),
        bad(
            lambda m: m.gear("J", "a", "b", at=(0, 0, 0), to=(1, 0, 0), radii=(1, 2), module=1),
            "joints.J",
            "`radii` and `module` are both given",
        ),
        bad(
            lambda m: m.gear("J", "a", "b", at=(0, 0, 0), to=(1, 0, 0), radii=(0.1, 0.2), teeth=(10, 30)),
            "joints.J",
            "the radii are as 0.5 to 1, the teeth as 0.333333 to 1",
        ),
        bad(lambda m: m.gear("J", "a", "b", at=(0, 0, 0), to=(1, 0, 0), radii=(1,)), "joints.J.radii", "2 numbers"),
        bad(lambda m: m.gear("J", "a", "b", at=(0, 0, 0), to=(1, 0, 0), radii=(1, -2)), "joints.J.radii", "-2 is not"),
        bad(
            lambda m: m.gear("J", "a", "b", at=(0, 0, 0), to=(1, 0, 0), teeth=(10, 2.5)),
            "joints.J.teeth",
            "2.5 is not a number of teeth",
        ),
        bad(lambda m: m.gear("J", "a", "b", at=(0, 0, 0), to=(1, 0, 0), teeth=10), "joints.J.teeth", "two numbers"),
        bad(
            lambda m: m.gear("J", "a", "b", at=(0, 0, 0), to=(1, 0, 0), teeth=(10, 10), internal=True),
            "joints.J.teeth",
            "different numbers of teeth",
        ),
        bad(
            lambda m: m.gear("J", "a", "b", at=(0, 0, 0), to=(0, 0, 1), teeth=(10, 20)),
            "joints.J",
            "the gear centres lie on one axis",
        ),
        bad(
            lambda m: m.gear("J", "a", "b", at=(0, 0, 0), to=placement((1, 0, 0), within="b"), teeth=(10, 20)),
            "joints.J",
            "the centre distance is not known",
        ),
        bad(
            lambda m: m.gear("J", "a", "b", at=(0, 0, 0), to=(1, 0, 0), radii=(1, 2), flank=3),
            "joints.J.flank",
            "flank is 3",
        ),
        bad(lambda m: m.rack("J", "a", "b", at=(0, 0, 0), to=(0, 1, 0), radius=0), "joints.J", "the radius is 0"),
        bad(
            lambda m: m.rack("J", "a", "b", at=(0, 0, 0), to=(0, 1, 0), radius=1, teeth=0), "joints.J.teeth", "0 is not"
        ),
        bad(lambda m: m.bevel("J", "a", "b", at=(0, 0, 0), axes=("z", "x")), "joints.J", "one of `cones` and `teeth`"),
        bad(
            lambda m: m.bevel("J", "a", "b", at=(0, 0, 0), axes=("z", "z"), teeth=(1, 2)),
            "joints.J",
            "cone angles must lie between",
        ),
        bad(
            lambda m: m.bevel("J", "a", "b", at=(0, 0, 0), axes=("z", "x"), cones=(2.0, 2.0)),
            "joints.J",
            "shaft angle between 0 and 180 deg",
        ),
        bad(
            lambda m: m.point_on_curve("J", "a", "b", curve="trak"),
            "joints.J.curve",
            "there is no curve 'trak'",
            "did you mean 'track'?",
        ),
        bad(lambda m: m.point("P", "a", (1, 2)), "points.P.at", "3 numbers are wanted"),
        bad(lambda m: m.frame("F", "a", placement(), axis="x"), "frames.F", "a placement is given besides axis"),
        bad(lambda m: m.frame("F", "a", axis=(0, 0, 0)), "frames.F.axis", "zero length"),
        bad(lambda m: m.frame("F", "a", points=[(0, 0, 0), (0, 0, 1), (0, 0, 2)]), "frames.F.points", "on one line"),
        bad(lambda m: m.with_ground("c"), "ground", "there is no body 'c'", "there is: ground, a, b"),
        bad(lambda m: lw.Mechanism(gravity=9.81), "gravity", "three components are wanted", "such as (0, 0, -9.81)"),
        bad(lambda m: lw.Mechanism("my machine"), "name", "is not a name"),
        bad(lambda m: lw.Mechanism(expect={"mobility": "1"}), "expect.mobility", "is not a number"),
    ],
)
def test_wrong_calls(make: Callable[[lw.Mechanism], Any], where: str, message: str, hint: str) -> None:
    m = two()
    m.curve("track", fourier={"u_cos": [1]})
    before = repr(m)
    problem = problem_of(lambda: make(m))
    assert message in problem.what
    assert problem.where == where
    assert hint in problem.hint
    assert repr(m) == before
    assert not m.points
    assert not m.frames


METHODS = [*KINDS, "body", "point", "frame", "curve", "joint", "dh_chain", "with_ground"]


@pytest.mark.parametrize("method", METHODS)
def test_an_unknown_keyword_is_a_type_error(method: str) -> None:
    m = two()
    required: dict[str, Any] = {
        "curve": {"fourier": {"u_cos": [1]}},
        "helical": {"lead": 1},
        "gear": {"at": (0, 0, 0), "to": (1, 0, 0), "radii": (1, 2)},
        "rack": {"at": (0, 0, 0), "to": (0, 1, 0), "radius": 1},
        "bevel": {"at": (0, 0, 0), "axes": ("z", "x"), "teeth": (1, 2)},
        "point_on_curve": {"curve": EGG},
        "line_on_curve": {"curve": EGG},
        "on_surface": {"surface": lw.surface("plane")},
        "on_curve": {"curve": EGG},
        "joint": {"law": Revolute(), "tail": "a", "head": "b"},
    }
    arguments: tuple[Any, ...] = ("J", "a", "b")
    if method in ("body", "curve", "joint"):
        arguments = ("J",)
    elif method in ("point", "frame"):
        arguments = ("J", "a", (0, 0, 0))
    elif method == "dh_chain":
        arguments = ([],)
    elif method == "with_ground":
        arguments = ("a",)
    with pytest.raises(TypeError, match="flavour"):
        getattr(m, method)(*arguments, **required.get(method, {}), flavour="red")
    getattr(two(), method)(*arguments, **required.get(method, {}))  # and without it the call is good


def test_every_parameter_is_documented() -> None:
    for name, method in inspect.getmembers(lw.Mechanism, inspect.isfunction):
        if name.startswith("_"):
            continue
        text = inspect.getdoc(method) or ""
        assert text, name
        for parameter in inspect.signature(method).parameters:
            if parameter != "self":
                assert parameter in text, f"{name}({parameter})"


# --- the whole --------------------------------------------------------------------------------------------------------


def test_equality() -> None:
    assert four_bar() == four_bar()
    other = four_bar()
    other.point("Q", "crank", (0, 0, 0))
    assert other != four_bar()
    assert four_bar() != "four-bar"
    with pytest.raises(TypeError):
        hash(four_bar())
    renamed = lw.Mechanism("other")
    assert renamed != lw.Mechanism()
    assert lw.Mechanism(floating=True) != lw.Mechanism()
    assert lw.Mechanism(gravity=(0, 0, 1)) != lw.Mechanism()
    assert lw.Mechanism(ground="base") != lw.Mechanism()


def relative_poses(m: lw.Mechanism) -> dict[tuple[str, str], np.ndarray]:
    X = lay_out(m).X_WB
    return {(a, b): geo.inverse(X[a]) @ X[b] for a in X for b in X}


@pytest.mark.parametrize("body", ["ground", "crank", "coupler", "rocker"])
def test_inversion_keeps_relative_poses_and_loops(body: str) -> None:
    m = four_bar()
    turned = m.with_ground(body)
    assert turned.ground.name == body
    assert turned.with_ground("ground") == m
    assert m.ground.name == "ground"
    assert (turned == m) == (body == "ground")
    before, after = relative_poses(m), relative_poses(turned)
    for pair, X in before.items():
        close(after[pair], X, 0.0)
    assert lw.graph_of(turned).n_loops == lw.graph_of(m).n_loops == 1
    a, b = lw.check(m), lw.check(turned)
    assert a.mobility is not None
    assert b.mobility is not None
    assert a.mobility.mobility == b.mobility.mobility == 1
    assert a.mobility.grubler == b.mobility.grubler == 1
    for name, seat in lay_out(m).seats.items():
        close(lay_out(turned).seats[name].q, seat.q, 0.0)


def test_an_inverted_mechanism_is_its_own() -> None:
    m = four_bar()
    turned = m.with_ground(m.bodies["crank"])
    turned.body("extra")
    assert "extra" not in m.bodies
    assert problem_of(lambda: turned.body("ground")).what == "there are two bodies named 'ground'"
