"""What is written shorter in model files: places, bars, shared pins, other names, planar machines, groups, cases."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

LINKAGE = """
linkwork: 1
name: four-bar
planar: true
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2]
let: {crank: 40, tilt: 60}
places:
  O: [0, 0]
  B: [crank*cos(tilt), crank*sin(tilt)]
  C: [130, 80]
  D: [150, 0]
bodies:
  crank: {mass: 0.4, bar: [O, B]}
  coupler: {mass: 0.8, com: [75, 60], inertia: 400}
  rocker: {mass: 0.5, bar: [D, C]}
joints:
  A: {pin: [ground, crank], at: O}
  B: {hinge: [crank, coupler], at: B}
  C: {pin: [coupler, rocker], at: C}
  D: {pin: [ground, rocker], at: D}
points:
  P: {on: coupler, at: [75, 100]}
loads:
  gas: {joint: A, amount: 1 N m}
cases:
  turn: {drive: {A: "0:60 in 1 s"}, off: gas, samples: 4}
  fall:
    set: {crank: 45, rocker.mass: 1 kg}
    start: {A: 10}
    rates: {A: 3 rpm}
    limits: {A: [-90, 200]}
    stop: "A >= -80; restitution 0.4"
    until: 0.1 s
"""


@pytest.fixture(scope="module")
def model() -> lw.Mechanism:
    return lw.loads(LINKAGE)


def in_full() -> lw.Mechanism:
    """The same as Python has it."""
    m = lw.Mechanism("four-bar", gravity=(0, -9.81, 0))
    x, y = 0.04 * np.cos(np.pi / 3), 0.04 * np.sin(np.pi / 3)
    for name, mass, a, b in (("crank", 0.4, (0, 0), (x, y)), ("rocker", 0.5, (0.15, 0), (0.13, 0.08))):
        d = np.array([b[0] - a[0], b[1] - a[1], 0.0])
        tensor = mass / 12 * (d @ d * np.eye(3) - np.outer(d, d))
        m.body(name, mass=mass, com=((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, 0), inertia=tensor)
    m.body("coupler", mass=0.8, com=(0.075, 0.06, 0), inertia=(4e-4, 4e-4, 4e-4))
    m.revolute("A", "ground", "crank", at=(0, 0, 0))
    m.revolute("B", "crank", "coupler", at=(x, y, 0))
    m.revolute("C", "coupler", "rocker", at=(0.13, 0.08, 0))
    m.revolute("D", "ground", "rocker", at=(0.15, 0, 0))
    m.point("P", "coupler", (0.075, 0.1, 0))
    return m


def test_it_says_the_same_in_full(model: lw.Mechanism) -> None:
    ours, theirs = model.assemble().parameters, in_full().assemble().parameters
    assert {k: v for k, v in ours.items() if not k.startswith("gas")}.keys() == theirs.keys()
    assert all(ours[name] == pytest.approx(value, rel=1e-14, abs=1e-17) for name, value in theirs.items())


def test_it_is_written_and_read(model: lw.Mechanism) -> None:
    for is_json in (False, True):
        again = lw.loads(lw.dumps(model, is_json=is_json), is_json=is_json)
        assert again == model
        assert again.resized(crank="45 mm") == model.resized(crank=0.045)
        assert again.cases == model.cases


def test_bars_follow_dimensions(model: lw.Mechanism) -> None:
    bar = model.resized(crank=0.06).bodies["crank"]
    assert bar.inertia is not None
    assert bar.inertia.zz == pytest.approx(0.4 * 0.06**2 / 12, rel=1e-14)


def test_planar_machines_do_not_speak_of_the_plane(model: lw.Mechanism) -> None:
    found = lw.check(model)
    assert found.sound
    assert "redundant" not in found.summary()
    assert "redundant" not in str(model.assemble())
    assert [str(p) for p in found.notes] == [
        "line 18, joints.A: 'pin' is read as revolute",
        "line 19, joints.B: 'hinge' is read as revolute",
    ]


def test_a_pin_through_three_bodies(model: lw.Mechanism) -> None:
    text = LINKAGE.replace("[coupler, rocker], at: C", "[coupler, rocker, weight], at: C")
    m = lw.loads(text.replace("  rocker: {mass", "  weight: {mass: 1, com: C, inertia: 9}\n  rocker: {mass"))
    assert (m.joints["C"].head, m.joints["C_2"].head) == ("rocker", "weight")
    assert m.joints["C_2"].frame == m.joints["C"].frame
    assert any("it joins 3 bodies: read as 2 joints to 'coupler', C, C_2" in p.what for p in lw.check(m).notes)
    p = lw.Mechanism("pins", planar=True)
    for name in "abc":
        p.body(name, mass=1.0, com=(0.1, 0), inertia=0.01)
    p.revolute("O", "ground", "a")
    assert [joint.name for joint in p.pin("P", "a", "b", "c", at=(0.2, 0))] == ["P", "P_2"]
    assert lw.loads(lw.dumps(p)) == p


def test_cases(model: lw.Mechanism) -> None:
    s = model.assemble()
    turn = s.case("turn")
    assert not turn.machine.mechanism.loads
    assert turn.motion()["A.angle"].values == pytest.approx(np.radians([0, 20, 40, 60]), abs=1e-15)
    fall = s.case("fall")
    assert fall.machine.dimensions["crank"] == pytest.approx(0.045, rel=1e-15)
    assert fall.machine.parameters["rocker.mass"] == 1.0
    run = fall.simulate(samples=3)
    same = (
        model.resized(crank=45 * 1e-3)
        .assemble()
        .with_parameters({"rocker.mass": 1.0})
        .simulate(
            0.1, start={"A": "10 deg"}, rates={"A": "3 rpm"}, events=lw.stop("A >= -80 deg; restitution 0.4"), samples=3
        )
    )
    assert run["A.angle"].values == pytest.approx(same["A.angle"].values, abs=1e-12)
    assert fall.machine.mechanism.joints["A"].limits == (
        ("angle", pytest.approx(-np.pi / 2), pytest.approx(np.radians(200))),
    )
    with pytest.raises(lw.ModelError, match="did you mean 'turn'"):
        s.case("turm")
    with pytest.raises(lw.ModelError, match="drives nothing"):
        fall.motion()


def test_cases_in_python(model: lw.Mechanism) -> None:
    m = lw.loads(LINKAGE)
    m.case("quick", drive={"A": "0:10deg @ 60rpm"}, description="a glimpse")
    assert m.assemble().case("quick").motion(samples=3)["A.angle"].values[-1] == pytest.approx(np.radians(10))
    assert lw.loads(lw.dumps(m)).cases == m.cases
    for given, words in (({}, "says nothing"), ({"drives": {}}, "did you mean 'drive'"), ({"stop": 3}, "texts are")):
        with pytest.raises(lw.ModelError, match=words):
            m.case("bad", **given)


def test_repeated_groups() -> None:
    text = """
linkwork: 1
ground: link0
let: {pitch: 0.1 m}
repeat:
  links:
    for: k
    to: 4
    bodies: {"link{k}": {mass: 0.1, bar: [["pitch*({k} - 1)", 0, 0], ["pitch*{k}", 0, 0]]}}
    joints: {"J{k}": {revolute: ["link{k-1}", "link{k}"], at: ["pitch*({k} - 1)", 0, 0]}}
"""
    m = lw.loads(text)
    assert list(m.joints) == ["J1", "J2", "J3", "J4"]
    assert m.joints["J4"].frame.at == pytest.approx((0.3, 0, 0), rel=1e-15)
    assert m.resized(pitch=0.2).joints["J4"].frame.at == pytest.approx((0.6, 0, 0), rel=1e-15)
    assert lw.loads(lw.dumps(m)) == m
    with pytest.raises(lw.ModelError) as caught:
        lw.loads(text.replace("mass: 0.1", "mass: 0.1 m"))
    assert str(caught.value.problems[0]).startswith("line 9, bodies.link1.mass: '0.1 m' is a length")
    for was, now, words in (
        ("to: 4", "to: 4.5", "line 7, repeat.links: it is not said how often"),
        ("to: 4", "to: 9999999", "more than 10000 entries"),
        ('"link{k}": {mass', '"link": {mass', "there are two entries named 'link'"),
        ("for: k", "fur: k", "unknown key 'fur'"),
    ):
        with pytest.raises(lw.ModelError) as caught:
            lw.loads(text.replace(was, now))
        assert words.partition(", ")[2] in str(caught.value) or words in str(caught.value)


WRONG = {
    "no place": ("at: O}", "at: Oo}", "joints.A.at: there is no place 'Oo'; did you mean 'O'?"),
    "circle": ("D: [150, 0]", "D: D", "places.D: places stand in a circle: D -> D"),
    "out of the plane": (
        "D: {pin: [ground, rocker], at: D}",
        "D: {pin: [ground, rocker], at: D, axis: x}",
        "joints.D: this revolute joint leaves the plane",
    ),
    "no bar": ("bar: [O, B]", "bar: [O, O]", "bodies.crank.bar: both ends of the bar are at one place"),
    "two centres": ("bar: [O, B]", "bar: [O, B], com: B", "bodies.crank: `bar` besides com"),
    "case, joint": ("start: {A: 10}", "start: {Q: 10}", "cases.fall.start.Q: there is no joint 'Q'"),
    "case, unit": ("rates: {A: 3 rpm}", "rates: {A: 3 mm}", "cases.fall.rates.A: '3 mm' is a length"),
    "case, load": ("off: gas,", "off: gass,", "cases.turn.off: there is no load 'gass'; did you mean 'gas'?"),
    "case, set": ("crank: 45", "crnk: 45", "cases.fall.set.crnk: there is no dimension or parameter 'crnk'"),
    "case, stop": ("A >= -80;", "A >= -80 mm;", "cases.fall.stop: '-80 mm' is a length"),
    "case, limits": ("[-90, 200]", "[90, 20]", "cases.fall.limits.A: the limits"),
    "case, time": ("until: 0.1 s", "until: 0.1 m", "cases.fall.until: '0.1 m' is a length"),
    "case, key": ("until: 0.1 s", "untill: 0.1 s", "cases.fall.untill: unknown key 'untill'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_by_line(name: str) -> None:
    was, now, words = WRONG[name]
    assert was in LINKAGE
    try:
        told = [str(p) for p in lw.check(lw.loads(LINKAGE.replace(was, now))).errors]
    except lw.ModelError as error:
        told = [str(p) for p in error.problems]
    line = LINKAGE[: LINKAGE.index(was)].count("\n") + 1
    assert len(told) == 1
    assert told[0].startswith(f"line {line}, {words}")


# ---------------------------------------------------------------- cylinders

BOOM = """
linkwork: 1
name: boom
planar: true
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2]
let: {boom: 1000, foot: 300}
places: {O: [0, 0], T: [boom, 0]}
bodies:
  boom: {mass: 20, bar: [O, T]}
joints: {A: {revolute: [ground, boom], at: O}}
points:
  F: {on: ground, at: [0, -foot]}
  E: {on: boom, at: [boom/2, 0]}
cylinders:
  lift: {between: [F, E], length: [400, 800]}
"""


def test_a_cylinder_finds_its_lever_arm() -> None:
    m = lw.loads(BOOM)
    arm = 0.3 * 0.5 / np.hypot(0.3, 0.5)
    held = m.assemble().statics(drives=["lift"]).efforts["lift.slide"]
    assert held == pytest.approx(20 * 9.81 * 0.5 / arm, rel=1e-12)
    (limits,) = m.joints["lift"].limits
    assert limits[1:] == pytest.approx((0.4 - np.hypot(0.3, 0.5), 0.8 - np.hypot(0.3, 0.5)), rel=1e-14)
    other = m.resized(foot=0.4)
    arm = 0.4 * 0.5 / np.hypot(0.4, 0.5)
    held = other.assemble().statics(drives=["lift"]).efforts["lift.slide"]
    assert held == pytest.approx(20 * 9.81 * 0.5 / arm, rel=1e-12)
    assert other.joints["lift"].limits[0][1] == pytest.approx(0.4 - np.hypot(0.4, 0.5), rel=1e-13)
    assert lw.loads(lw.dumps(m)) == m
    heavy = lw.loads(BOOM.replace("length: [400", "masses: [2, 1], length: [400"))
    assert heavy.bodies["lift_barrel"].mass == 2.0
    assert heavy.bodies["lift_rod"].com == pytest.approx((0.375, -0.075, 0), rel=1e-14)


def test_a_cylinder_in_space() -> None:
    m = lw.Mechanism("boom", gravity=(0, 0, -9.81))
    m.body("boom", mass=5, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("A", "ground", "boom", axis="y")
    m.point("F", "ground", (0, 0, -0.3))
    m.point("E", "boom", (0.5, 0, 0))
    m.cylinder("lift", "F", "E")
    s = m.assemble()
    assert s.home.mobility == 1
    arm = 0.3 * 0.5 / np.hypot(0.3, 0.5)
    assert s.statics(drives=["lift"]).efforts["lift.slide"] == pytest.approx(5 * 9.81 * 0.5 / arm, rel=1e-12)
    assert lw.loads(lw.dumps(m)) == m


@pytest.mark.parametrize(
    ("now", "words"),
    [
        ("between: [F, Q], length: [400, 800]", "line 17, cylinders.lift: there is no point 'Q'"),
        ("between: [F, F], length: [400, 800]", "line 17, cylinders.lift: F and F are at one place"),
        ("between: [F, E], length: [800, 400]", "line 17, cylinders.lift: the limits"),
        ("between: [F, E], length: [800 kg, 900]", "line 17, cylinders.lift.length[0]: '800 kg' is a mass"),
    ],
)
def test_wrong_cylinders(now: str, words: str) -> None:
    with pytest.raises(lw.ModelError) as caught:
        lw.loads(BOOM.replace("between: [F, E], length: [400, 800]", now))
    assert next(str(p).partition(",")[2] for p in caught.value.problems).startswith(words.partition(",")[2])


@pytest.mark.parametrize(
    ("let", "turn"),
    [(let, turn) for let in ("", "let: {tilt: 30}\n") for turn in ("30", "30 deg", "15*2")]
    + [("let: {tilt: 30}\n", turn) for turn in ("tilt", "2*tilt - 30")],
)
def test_angles_in_formulas_of_directions_are_those_of_the_header(let: str, turn: str) -> None:
    text = f"""
linkwork: 1
units: {{angle: deg}}
{let}bodies: {{a: {{mass: 1}}}}
joints: {{A: {{revolute: [ground, a], axis: ["cos({turn})", "sin({turn})", 0]}}}}
"""
    seat = lw.lay_out(lw.loads(text)).seats["A"]
    np.testing.assert_allclose(seat.X_WF[:3, 2], [np.sqrt(0.75), 0.5, 0.0], atol=1e-15)
