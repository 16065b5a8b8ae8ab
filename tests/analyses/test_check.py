"""A check lists every problem once, with its name; a sound model is called sound and gives its numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from machines import MACHINES, bennett, ferguson, four_bar, rssr, slider_crank, stewart

import linkwork as lw
from linkwork.errors import ModelError, Problem
from linkwork.model.bodies import Body
from linkwork.model.joints import Gear, PointOnCurve, Revolute
from linkwork.model.placement import Placement, placement


def base() -> lw.Mechanism:
    """A sound machine to spoil: a crank on ground."""
    m = lw.Mechanism(gravity=(0, 0, -9.81))
    m.body("crank", mass=1.0, com=(0.1, 0, 0), inertia=(1, 1, 1))
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
    m.point("P", "crank", (1, 0, 0))
    return m


def only_error(m: lw.Mechanism) -> Problem:
    check = lw.check(m)
    assert not check.sound
    assert len(check.errors) == 1, [str(p) for p in check.errors]
    return check.errors[0]


# --- sound models -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MACHINES)
def test_textbook_machines_are_sound(name: str) -> None:
    build, freedoms, grubler, moves = MACHINES[name]
    check = lw.check(build())
    assert check.sound
    assert check.errors == check.warnings == ()
    values = check.values()
    assert (values["freedoms"], values["grubler"], values["mobility"]) == (freedoms, grubler, moves)
    check.raise_if_unsound()


def test_summaries() -> None:
    assert lw.check(four_bar()).summary() == "4 bodies, 4 joints, 1 loop, mobility 1, 3 redundant constraints"
    assert lw.check(bennett()).summary() == (
        "4 bodies, 4 joints, 1 loop, mobility 1 (Grübler counts -2), 3 redundant constraints"
    )
    assert lw.check(stewart()).summary() == "14 bodies, 18 joints, 5 loops, mobility 6"
    assert repr(lw.check(four_bar())).startswith("Check('four-bar': sound, 0 warnings)\n")
    assert str(lw.check(four_bar())).startswith("four-bar: sound\n  4 bodies")


def test_values_of_ferguson() -> None:
    # Matrix Methods, example 5.5: the layout of 2.75 inch stretches one pair by 0.025 inch and presses the other.
    values = lw.check(ferguson()).values()
    assert values["C.stretch"] == pytest.approx(-0.025 * 0.0254, abs=1e-15)
    assert values["E.stretch"] == pytest.approx(+0.025 * 0.0254, abs=1e-15)
    assert values["G.stretch"] == pytest.approx(0.0, abs=1e-15)
    assert (values["rank"], values["redundant"], values["loops"]) == (12, 6, 3)


def test_values_of_a_model() -> None:
    m = base()
    m.frame("tool", "crank", (0, 2, 0))
    m.body("ground", mass=50.0, com=(0, 0, 0))
    values = lw.check(m).values()
    assert values["mass"] == 51.0  # of all bodies, so that another ground changes nothing
    assert (values["P.x"], values["P.y"], values["P.z"]) == (1.0, 0.0, 0.0)
    assert values["tool.y"] == 2.0
    assert values["A.angle"] == 0.0
    assert (values["bodies"], values["joints"], values["assemblies"]) == (2, 1, 1)


def test_plain_data() -> None:
    data = lw.check(slider_crank()).as_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["sound"] is True
    assert data["joints"]["D"] == {"kind": "prismatic", "tail": "ground", "head": "piston", "chord": False}
    assert data["loops"][0]["kind"] == "planar"
    assert data["loops"][0]["equations"] == 3
    assert data["bodies"]["rod"]["degree"] == 2
    broken = base()
    broken.revolute("B", "crank", "rod")
    data = lw.check(broken).as_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["sound"] is False
    assert data["problems"][0]["where"] == "joints.B"


# --- bad input: one clear error with the name -------------------------------------------------------------------------


def test_a_joint_to_a_body_that_is_not_there() -> None:
    m = base()
    m.revolute("B", "crank", "crnk")
    error = only_error(m)
    assert (error.where, error.what) == ("joints.B", "there is no body 'crnk'")
    assert error.hint == "did you mean 'crank'?"


def test_a_joint_between_two_bodies_that_are_not_there() -> None:
    m = base()
    m.revolute("B", "x", "y")
    assert [(e.where, e.what) for e in lw.check(m).errors] == [
        ("joints.B", "there is no body 'x'"),
        ("joints.B", "there is no body 'y'"),
    ]
    m = base()
    m.revolute("B", "x", "x")
    assert [e.what for e in lw.check(m).errors] == ["there is no body 'x'", "it joins 'x' to itself"]


def test_a_joint_of_a_body_to_itself() -> None:
    m = base()
    m.revolute("B", "crank", "crank", at=(1, 0, 0))
    error = only_error(m)
    assert (error.where, error.what) == ("joints.B", "it joins 'crank' to itself")
    assert error.hint


def test_no_ground() -> None:
    m = lw.Mechanism()
    m.body("a"), m.body("b")
    m.revolute("J", "a", "b")
    error = only_error(m)
    assert error.what == "nothing is joined to the ground 'ground'"
    assert "floating" in error.hint
    assert lw.check(lw.Mechanism()).errors[0].what == "there is nothing but ground"


@pytest.mark.parametrize(
    ("spoil", "where", "message"),
    [
        (lambda m: m.revolute("B", "ground", "crank", axis=(0, 0, 0)), "joints.B.axis", "zero length"),
        (
            lambda m: m.revolute("B", "ground", "crank", frame=placement(points=[(0, 0, 0), (1, 1, 1), (2, 2, 2)])),
            "frame.points",
            "on one line",
        ),
        (lambda m: m.revolute("B", "ground", "crank", at=(math.nan, 0, 0)), "joints.B.at", "not finite"),
        (lambda m: m.revolute("B", "ground", "crank", at=(math.inf, 0, 0)), "joints.B.at", "not finite"),
        (lambda m: m.body("b", mass=-1.0), "bodies.b.mass", "the mass is negative"),
        (lambda m: m.body("b", mass=math.inf), "bodies.b.mass", "not finite"),
    ],
)
def test_what_is_refused_at_once(spoil: Callable[[lw.Mechanism], object], where: str, message: str) -> None:
    m = base()
    with pytest.raises(ModelError) as caught:
        spoil(m)
    (problem,) = caught.value.problems
    assert problem.where == where
    assert message in problem.what
    assert lw.check(m).sound  # nothing of it stays


def test_numbers_that_are_not_finite_in_records_made_by_hand() -> None:
    m = base()
    m.body("b", frame=Placement((math.nan, 0.0, 0.0)))
    m.revolute("B", "crank", "b", at=(1, 0, 0))
    error = only_error(m)
    assert error.where == "bodies.b.frame"
    assert "not finite" in error.what
    m = base()
    m.joint("B", Revolute(), "ground", "crank", frame=Placement((0.0, math.inf, 0.0)))
    error = only_error(m)
    assert error.where == "joints.B"
    assert "not finite" in error.what


@pytest.mark.parametrize("kind", ["spheric", "revolute"])
def test_a_rod_of_zero_length(kind: str) -> None:
    m = lw.Mechanism()
    for name in ("crank", "rod", "rocker"):
        m.body(name)
    m.revolute("A", "ground", "crank", at=(0, 0, 0))
    getattr(m, kind)("B", "crank", "rod", at=(1, 0.5, 0))
    getattr(m, kind)("C", "rod", "rocker", at=(1, 0.5, 0))
    m.revolute("D", "ground", "rocker", at=(2, 0, 0))
    error = only_error(m)
    assert (error.where, error.what) == ("bodies.rod", "a rod of zero length: joints B and C coincide")


def test_crossing_pins_at_one_point_are_a_cross_and_no_rod() -> None:
    m = lw.Mechanism()
    m.body("cross"), m.body("shaft")
    m.revolute("A", "ground", "cross", axis="x")
    m.revolute("B", "cross", "shaft", axis="y")
    assert lw.check(m).sound


def test_idle_spins_are_told() -> None:
    (note,) = [p for p in lw.check(rssr()).notes if p.where == "bodies.rod"]
    assert note.what == "it can spin idly about the line through B and C"
    m = lw.Mechanism()
    m.body("shaft"), m.body("wheel")
    m.revolute("A", "ground", "shaft", at=(0, 0, 0))
    m.revolute("B", "shaft", "wheel", at=(0, 0, 1))
    (warning,) = lw.check(m).warnings
    assert (warning.where, warning.what) == ("bodies.shaft", "joints A and B lie on one axis: it can spin idly")


def test_an_impossible_inertia() -> None:
    m = base()
    m.body("b", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 3))
    m.revolute("B", "crank", "b", at=(1, 0, 0))
    error = only_error(m)
    assert error.where == "bodies.b"
    assert "triangle inequality" in error.what
    m = base()
    m.body("b", inertia=(1, 1, 1))
    m.revolute("B", "crank", "b", at=(1, 0, 0))
    assert only_error(m).what == "there is inertia without mass"


def test_a_negative_mass_in_a_record_made_by_hand() -> None:
    m = base()
    m.bodies["crank"] = Body("crank", -1.0, (0.0, 0.0, 0.0))
    error = only_error(m)
    assert (error.where, error.what) == ("bodies.crank", "the mass is negative: -1 kg")


def test_solids_that_are_all_hole() -> None:
    m = base()
    m.body("b", solid=lw.Sphere(radius=0.1) - lw.Sphere(radius=0.2), density=1.0)
    m.revolute("B", "crank", "b", at=(1, 0, 0))
    error = only_error(m)
    assert error.where == "bodies.b"
    assert "the solids add up to" in error.what


def test_gears_that_do_not_fit() -> None:
    m = base()
    m.body("wheel")
    m.revolute("B", "ground", "wheel", at=(0.3, 0, 0))
    m.gear("G", "crank", "wheel", at=(0, 0, 0), to=placement((0.3, 0, 0), axis="x"), radii=(0.1, 0.2))
    error = only_error(m)
    assert (error.where, error.what) == ("joints.G", "the gear axes are not parallel: 90 deg apart")
    assert "bevel" in error.hint


def test_gears_at_the_wrong_distance() -> None:
    m = base()
    m.body("wheel")
    m.revolute("B", "ground", "wheel", at=(0.4, 0, 0))
    m.gear("G", "crank", "wheel", at=(0, 0, 0), to=(0.4, 0, 0), radii=(0.1, 0.2))
    error = only_error(m)
    assert (error.where, error.what) == (
        "joints.G",
        "the centre distance is 0.4 m, the pitch radii ask for 0.3 m",
    )
    assert "internal" in error.hint


def test_gears_that_jam() -> None:
    m = base()
    m.body("wheel")
    m.revolute("B", "ground", "wheel", at=(0.28, 0, 0))
    m.gear("G", "crank", "wheel", at=(0, 0, 0), to=(0.28, 0, 0), radii=(0.1, 0.2), flank=1)
    error = only_error(m)
    assert error.where == "joints.G"
    assert "involute teeth jam" in error.what


def test_gear_centres_that_coincide() -> None:
    m = base()
    m.body("wheel")
    m.revolute("B", "ground", "wheel", at=(0, 0, 1))
    m.gear("G", "crank", "wheel", at=(0, 0, 0), to=(0, 0, 1), radii=(0.1, 0.2))
    assert only_error(m).what == "the gear centres lie on one axis"


def test_a_rack_and_bevel_that_do_not_fit() -> None:
    m = base()
    m.body("bar")
    m.prismatic("B", "ground", "bar", axis="x")
    m.rack("K", "bar", "crank", at=(0, 0, 0), to=(0, 0.2, 0), radius=-0.2)
    error = only_error(m)
    assert (error.where, error.what) == ("joints.K", "the pinion lies on the other side of the rack")
    m = base()
    m.body("wheel")
    m.revolute("B", "ground", "wheel", axis="x")
    m.bevel("V", "crank", "wheel", at=(0, 0, 0), axes=("z", "x"), cones=(0.5, 0.5))
    error = only_error(m)
    assert error.where == "joints.V"
    assert "the shafts are 90 deg apart, the cones ask for 57.3 deg" in error.what


def cam() -> lw.Mechanism:
    m = base()
    m.curve("track", fourier={"u_cos": [0.2], "v_sin": [0.1]})
    m.body("follower")
    m.prismatic("B", "ground", "follower", at=(0.2, 0, 0), axis="x")
    return m


def test_a_point_off_its_curve() -> None:
    m = cam()
    m.point_on_curve("Q", "crank", "follower", curve="track", to=(0.25, 0, 0))
    error = only_error(m)
    assert error.where == "joints.Q"
    assert "do not fit a point_on_curve joint: 0.05 m off" in error.what
    m = cam()
    m.point_on_curve("Q", "crank", "follower", curve="track", to=(0.2, 0, 0))
    assert lw.check(m).sound


def test_a_line_that_does_not_touch() -> None:
    m = cam()
    m.line_on_curve("L", "crank", "follower", curve="track", to=placement((0.23, 0, 0), x="y"))
    error = only_error(m)
    assert error.where == "joints.L"
    assert "do not fit a line_on_curve joint: 0.03 m off" in error.what
    for x in ("y", "-y"):
        m = cam()
        m.line_on_curve("L", "crank", "follower", curve="track", to=placement((0.2, 0, 0), x=x))
        assert lw.check(m).sound


def test_a_tilted_line_on_an_open_curve() -> None:
    m = base()
    m.curve("bow", expression=("t", "t**2/10"), span=(-1, 1))
    m.body("follower")
    m.prismatic("B", "ground", "follower", axis="x")
    m.line_on_curve("L", "crank", "follower", curve="bow", to=placement((0, 0, 0), x=(1, 1, 0)))
    error = only_error(m)
    assert error.where == "joints.L"
    assert "do not fit a line_on_curve joint" in error.what


@pytest.mark.parametrize(
    ("curve", "message"),
    [
        ({"expression": ("1/t", "t"), "span": (0, 1)}, "it is not finite over its range"),
        ({"expression": ("sqrt(t - 1)", "t"), "span": (0, 2)}, "it is not finite over its range"),
        ({"fourier": {"u0": 1.0}}, "it is a single point"),
        ({"expression": ("1", "2")}, "it is a single point"),
        ({"expression": ("t", "t"), "span": (0, 1), "closed": True}, "its ends are 1.41 m apart"),
    ],
)
def test_bad_curves(curve: dict[str, object], message: str) -> None:
    m = base()
    m.curve("track", **curve)  # type: ignore[arg-type]
    error = only_error(m)
    assert error.where == "curves.track"
    assert message in error.what


def test_a_bad_curve_under_a_joint_is_told_once() -> None:
    m = base()
    m.curve("track", expression=("1/t", "t"), span=(0, 1))
    m.body("follower")
    m.prismatic("B", "ground", "follower", axis="x")
    m.point_on_curve("Q", "crank", "follower", curve="track", to=(1, 1, 0))
    errors = lw.check(m).errors
    assert "curves.track" in [e.where for e in errors]
    assert len(errors) <= 2


def test_rough_curves_are_a_warning() -> None:
    m = base()
    m.curve("track", spline=[(0, 0), (1, 0.1), (2, 0), (3, 0.2), (4, 0)], degree=3)
    m.body("follower")
    m.prismatic("B", "ground", "follower", axis="x")
    m.line_on_curve("L", "crank", "follower", curve="track", value={"parameter": 0.3})
    (warning,) = lw.check(m).warnings
    assert warning.where == "joints.L"
    assert "has 2 continuous derivatives, this joint wants 3" in warning.what


# --- several at once, in order ----------------------------------------------------------------------------------------


def test_every_problem_is_listed() -> None:
    m = base()
    m.body("heavy", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 9))
    m.revolute("B", "crank", "heavy", at=(1, 0, 0), limits=(1, 2))
    m.revolute("C", "crank", "nobody")
    m.revolute("D", "heavy", "heavy", at=(0.5, 0, 0))
    m.point("Q", "nothing", (0, 0, 0))
    m.curve("dot", fourier={"u0": 1.0})
    check = lw.check(m)
    assert [p.where for p in check.errors] == ["joints.C", "joints.D", "points.Q", "bodies.heavy", "curves.dot"]
    assert [p.where for p in check.warnings] == ["joints.B"]
    severities = [p.severity for p in check.problems]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)
    assert check.mobility is None
    with pytest.raises(ModelError) as caught:
        check.raise_if_unsound()
    assert caught.value.problems == check.errors
    assert "5 problems" in str(caught.value)
    text = str(check)
    assert "mechanism: not sound" in text
    for problem in check.problems:
        assert str(problem) in text
    assert "not sound: 5 errors" in repr(check)


# --- expectations -----------------------------------------------------------------------------------------------------


def test_expectations() -> None:
    m = four_bar()
    m.expect = {"mobility": 1, "grubler": 1, "loops": 1, "A.angle": 0.0}
    assert lw.check(m).sound
    m.expect = {"mobility": 2, "mobilty": 1, "B.angle": 0.5}
    errors = lw.check(m).errors
    assert [(e.where, e.what) for e in errors] == [
        ("expect.mobility", "2 is expected, 1 is found"),
        ("expect.mobilty", "there is no number 'mobilty'"),
        ("expect.B.angle", "0.5 rad is expected, 0 rad is found"),
    ]
    assert errors[1].hint == "did you mean 'mobility'?"


# --- warnings and notes -----------------------------------------------------------------------------------------------


def test_floating_on_purpose() -> None:
    m = lw.Mechanism(floating=True)
    m.body("a"), m.body("b")
    m.revolute("J", "a", "b", at=(1, 0, 0))
    check = lw.check(m)
    assert check.sound
    assert check.warnings == ()


def test_loose_assemblies_are_a_warning() -> None:
    m = base()
    m.body("x"), m.body("y"), m.body("alone")
    m.revolute("J", "x", "y", at=(1, 0, 0))
    check = lw.check(m)
    assert check.sound
    assert [w.what for w in check.warnings] == [
        "not joined to ground: x, y",
        "the body 'alone' has no joint",
    ]
    assert check.values()["assemblies"] == 3
    m.floating = True
    assert lw.check(m).warnings == ()


def test_limits_are_a_warning() -> None:
    m = base()
    m.body("b")
    m.prismatic("S", "crank", "b", at=(1, 0, 0), limits=(0.1, 0.2))
    (warning,) = lw.check(m).warnings
    assert warning.where == "joints.S"
    assert "outside its limits 0.1 m ... 0.2 m" in warning.what


def test_a_structure_is_a_warning() -> None:
    m = lw.Mechanism()
    m.body("a"), m.body("b")
    m.revolute("A", "ground", "a", at=(0, 0, 0))
    m.revolute("B", "a", "b", at=(0.5, 1, 0))
    m.revolute("C", "ground", "b", at=(1, 0, 0))
    check = lw.check(m)
    assert check.sound
    assert [w.what for w in check.warnings] == ["nothing can move in the layout posture"]


def test_gravity_is_a_note_only_where_there_is_mass() -> None:
    m = base()
    m.gravity = (0.0, 0.0, 0.0)
    assert [n.where for n in lw.check(m).notes] == ["gravity"]
    assert lw.check(four_bar()).notes == ()


# --- the graph --------------------------------------------------------------------------------------------------------


def test_the_graph_leaves_out_what_is_not_a_joint() -> None:
    m = base()
    m.revolute("B", "crank", "nobody")
    m.revolute("C", "crank", "crank")
    assert lw.graph_of(m).joints == ("A",)


def test_gears_are_cut_first() -> None:
    graph = lw.graph_of(ferguson())
    assert set(graph.chords) == {"C", "E", "G"}
    assert lw.graph_of(four_bar(), cut=("B",)).chords == ("B",)
    assert lw.graph_of(four_bar(), tree="declared").chords == ("D",)


def test_laws_given_by_hand() -> None:
    m = base()
    m.body("wheel")
    m.revolute("B", "ground", "wheel", at=(0.3, 0, 0))
    m.joint("G", Gear(0.1, 0.2), "crank", "wheel", value=(0.4, 0.0, 0.0))
    assert lw.check(m).values()["G.angle"] == 0.4
    m.curve("track", fourier={"u_cos": [0.2], "v_sin": [0.1]})
    m.joint(
        "Q", PointOnCurve(m.curves["track"]), "crank", "wheel", to=placement((0.2 * math.cos(1), 0.1 * math.sin(1), 0))
    )
    assert lw.check(m).values()["Q.parameter"] == pytest.approx(1.0, abs=1e-13)
    assert np.isfinite(list(lw.check(m).values().values())).all()


# --- what users expect


def test_an_expected_length_is_held_to_its_own_size() -> None:
    m = lw.Mechanism(expect={"A.slide": 0.5e-3})
    m.body("a")
    m.body("b")
    m.prismatic("A", m.ground, "a", axis="x", value=0.5009e-3)
    m.revolute("B", "a", "b", at=(0.1, 0, 0), axis="z")
    assert [p.where for p in lw.check(m).errors] == ["expect.A.slide"]
    m.expect["A.slide"] = 0.5009e-3 * (1 + 5e-7)
    assert lw.check(m).sound


def test_another_ground_keeps_what_is_expected() -> None:
    m = slider_crank()
    m.expect = {"mobility": 1.0, "mass": lw.check(m).values()["mass"]}
    for body in m.bodies:
        assert lw.check(m.with_ground(body)).sound


def test_a_floating_assembly_has_six_freedoms_more() -> None:
    m = lw.Mechanism(floating=True)
    m.body("a", mass=1.0, com=(0, 0, 0))
    m.body("b", mass=1.0, com=(1, 0, 0))
    m.revolute("A", "a", "b", at=(1, 0, 0), axis="z")
    mobility = lw.check(m).mobility
    assert mobility is not None
    assert (mobility.freedoms, mobility.grubler, mobility.mobility) == (7, 7, 7)


def test_a_corner_at_the_seam_of_a_closed_curve_is_told() -> None:
    m = slider_crank()
    m.curve("smooth", expression=("cos(t)", "sin(t)"), closed=True)
    m.curve("corner", expression=("t*(1 - t)", "t**2*(1 - t)"), span=(0, 1), closed=True)
    (warning,) = lw.check(m).warnings
    assert warning.where == "curves.corner"
    assert "corner of 135 deg" in warning.what


def test_a_limit_may_be_open_on_one_side() -> None:
    m = slider_crank()
    m.body("x")
    m.prismatic("X", m.ground, "x", at=(0, 0, 0.5), axis="z", value=0.2, limits=(0.1, None))
    assert lw.check(m).sound and not lw.check(m).warnings
    assert m.joints["X"].limits == (("slide", 0.1, float("inf")),)


def test_a_machine_without_mass_is_told() -> None:
    def notes(m: lw.Mechanism) -> list[str]:
        return [f"{n.where}: {n.what}" for n in lw.check(m).notes]

    def arm(gravity: tuple[float | str, ...] = (0.0, 0.0, 0.0)) -> lw.Mechanism:
        m = lw.Mechanism(gravity=gravity)
        m.body("arm")
        m.revolute("A", "ground", "arm", axis="z")
        return m

    heavy, driven, loaded = arm((0.0, -9.81, 0.0)), arm(), arm()
    driven.motor("drive", "A")
    loaded.load("push", "A", amount=1.0)
    assert notes(arm()) == []
    for m in (heavy, driven, loaded, arm(("t", 0.0, 0.0))):
        assert lw.check(m).sound and notes(m) == ["bodies: no body has a mass"]
        m.body("weight", mass=1.0, com=(0, 0, 0))
        m.prismatic("S", "ground", "weight", axis="x")
        assert "bodies: no body has a mass" not in notes(m)


def test_point_masses_that_turn_are_told_once() -> None:
    def note(*inertias: object) -> list[str]:
        m = lw.Mechanism(gravity=(0, -9.81, 0))
        m.body("slide", mass=1.0, com=(0, 0, 0))  # it does not turn
        m.body("box", solid=lw.Box(size=(1, 1, 1)), density=10.0)
        m.prismatic("S", "ground", "slide", axis="x")
        m.revolute("B", "slide", "box", axis="z")
        m.body("head", mass=1.0, com=(0, 0, 0))
        m.rigid("H", "slide", "head")
        for i, inertia in enumerate(inertias):
            m.body(f"b{i}", mass=1.0, com=(0, 0, 0), inertia=inertia)
            m.revolute(f"R{i}", "slide", f"b{i}", at=(0.1 * i, 0, 0), axis="z")
        return [n.what for n in lw.check(m).notes]

    told = "no inertia is given; taken as a point mass: "
    assert note() == note((0, 0, 0), (1, 1, 1)) == []
    assert note(None, (0, 0, 0), None) == [told + "b0, b2"]
    assert note(*[None] * 10) == [told + ", ".join(f"b{i}" for i in range(8)) + ", 2 more"]


@pytest.mark.parametrize("g", ["-9.81", "{table: [[0, -9.81], [1 s, 3]]}"])
def test_a_gravity_of_millimetres_is_told(g: str) -> None:
    m = lw.loads(
        f"linkwork: 1\nunits: {{length: mm}}\ngravity: [0, 0, {g}]\nbodies: {{a: {{mass: 1, com: [0, 0, 0]}}}}\n"
        "joints: {A: {revolute: [ground, a], axis: x}}\n"
    )
    (warning,) = lw.check(m).warnings
    assert warning.what == "gravity is 0.00981 m/s^2" and warning.line == 3


def test_an_eccentric_gear_is_told() -> None:
    m = lw.Mechanism()
    m.body("a")
    m.body("b")
    m.revolute("S", m.ground, "a", axis="z")
    m.revolute("T", m.ground, "b", at=(0.035, 0, 0), axis="z")
    m.gear("G", "a", "b", at=(0, 0, 0), to=(0.03, 0, 0), radii=(0.02, 0.01))
    (warning,) = lw.check(m).warnings
    assert warning.what == "the centre of the gear 'b' is 0.005 m from its shaft T"


def test_a_file_name_is_not_a_mechanism() -> None:
    with pytest.raises(TypeError, match="a file is loaded first"):
        lw.check("four-bar.yaml")  # type: ignore[arg-type]


def test_a_rank_that_is_not_found_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SMALL", 0), ("DENSE", 0), ("is_certain", lambda *_: False)):
        monkeypatch.setattr(f"linkwork.numerics.sparse_rank.{name}", value)
    found = lw.check(slider_crank())
    assert found.mobility is not None and found.mobility.rank is None
    assert [n.where for n in found.notes if "rank" in n.what] == ["joints"]
    assert "mobility" not in found.values()


@pytest.mark.parametrize("text", ["log(A)", "sqrt(A) - 0.1*B"])
def test_a_constraint_without_a_value_at_the_layout_is_told_as_such(text: str) -> None:
    """Of a root at zero it is the slope that has none."""
    m = slider_crank()
    m.constrain("c", text)
    found = lw.check(m)
    assert found.mobility is not None and found.mobility.rank is None and found.mobility.without_value == ("c",)
    (warning,) = [p for p in found.problems if "value" in p.what]
    assert (warning.where, warning.severity) == ("constraints.c", "warning")
    assert not [p for p in found.problems if "too many" in p.what]
