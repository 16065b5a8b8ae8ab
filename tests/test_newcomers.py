"""Plausible mistakes of newcomers, and what is said of them: what, where, and what to try instead."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import nearest

FILE = """\
linkwork: 1
name: m
units: {length: mm, angle: deg}
bodies:
  crank: {mass: 1}
  rod: {mass: 1}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  B: {revolute: [crank, rod], at: [50, 0, 0], axis: z}
"""
JOINT = "A: {revolute: [ground, crank],"
TURNED = {
    "the kind as a value": (JOINT, "A: {type: revolute, bodies: [ground, crank],",
        "line 8, joints.A: the kind of joint is missing; the kind is the key: write `revolute: [first body, second "
        "body]` instead of `type: revolute`"),
    "a kind that is none": (JOINT, "A: {jnt: [ground, crank],",
        "line 8, joints.A: the kind of joint is missing; write one of revolute, prismatic,"),
    "a kind misspelt": (JOINT, "A: {revolut: [ground, crank],", "did you mean 'revolute'?"),
    "a number for an inertia": ("crank: {mass: 1}", "crank: {mass: 1, inertia: 0.1}",
        "line 5, bodies.crank.inertia: 0.1 is not an entry; write {...} with keys such as moments, tensor"),
    "a decimal comma": ("crank: {mass: 1}", "crank: {mass: '1,5 kg'}",
        "'1,5 kg' has a comma in its number; write a decimal point: '1.5 kg'"),
    "a capital letter": ("joints:", "Joints:", "Joints: unknown key 'Joints'; did you mean 'joints'?"),
    "columns that do not fit": ("  B: {", "   B: {", "entries of one level begin in the same column"),
}  # fmt: skip
"""What is turned into what, and what is said of it."""
FORMULAS = {
    "where(A < 1, 2, 3)": "loads.g.amount: the formula breaks off at its comma: 'where(A < 1'; put a formula with "
    'commas in quotes: amount: "where(A < 1, 2, 3)"',
    "max(A, min(A, 3))": 'amount: "max(A, min(A, 3))"',
    "-5*A^2": "'^' is not allowed; write a power as **",
}


def told(text: str) -> list[str]:
    """All problems of a file."""
    with pytest.raises(lw.ModelError) as caught:
        lw.loads(text)
    return [
        f"{f'line {p.line}, ' if p.line else ''}{p}".replace(f"line {p.line}, line", "line")
        for p in caught.value.problems
    ]


@pytest.mark.parametrize("case", TURNED)
def test_files(case: str) -> None:
    before, after, wanted = TURNED[case]
    assert FILE.count(before) == 1
    (said,) = told(FILE.replace(before, after))
    assert wanted in said


@pytest.mark.parametrize("formula", FORMULAS)
def test_formulas_without_quotes(formula: str) -> None:
    """One complaint, with what to write; a decimal comma is told where there is one."""
    (said,) = told(f"{FILE}loads:\n  g: {{joint: A, amount: {formula}}}\n")
    assert FORMULAS[formula] in said and "decimal" not in said
    (said,) = told(FILE.replace("crank: {mass: 1}", "crank: {mass: 1,5}"))
    assert "'5' has no value; a decimal comma? write a point" in said


def test_a_point_that_is_a_body() -> None:
    m = lw.loads(f"{FILE}springs:\n  s: {{between: [crank, rod], stiffness: 3}}\n")
    said = [str(p) for p in lw.check(m).problems]
    assert sum("is a body; make a point of it, and name that one" in text for text in said) == 2


def test_a_rate_with_a_dot() -> None:
    m = lw.loads(f"{FILE}loads:\n  g: {{joint: A, amount: -5*A.rate}}\n")
    assert any("in formulas its rate is rate(A)" in str(p) for p in lw.check(m).problems)


def test_names_that_are_far_are_not_proposed() -> None:
    assert nearest("rod", ["ground", "crank"]) == "" and nearest("drives", ["curves", "springs"]) == ""
    assert nearest("CRANK", ["crank", "rank"]) == "crank" and nearest("crnk", ["ground", "crank"]) == "crank"


# -------------------------------------------------------------------- Python


@pytest.fixture(scope="module")
def s() -> lw.Machine:
    return lw.example("slider-crank").assemble()


ASKED: dict[str, tuple[Callable[[lw.Machine], Any], str]] = {
    "a body that is driven": (lambda s: s.motion(crank=lw.ramp(0, 1, duration=1)),
        "'crank' is a body, and no variable; name a joint (A, D, B, C), or crank.x, crank.y or crank.z"),
    "a number that a body has not": (lambda s: s.with_parameters({"crank.length": 1}),
        "there is no parameter 'crank.length'; there is: crank.mass, crank.com.x,"),
    "many places to reach": (lambda s: s.reach("P", np.zeros((2, 3))),
        "place: three numbers x, y, z are wanted; one place [m] at a time"),
    "places by name": (lambda s: s.reach("P", {"x": 1.0}), "place: three numbers x, y, z are wanted"),
    "an event as text": (lambda s: s.simulate(0.1, events="A > 1"),
        "events[0]: this is of type str, not an event; write when('A > 1', stop=True), say"),
    "a rate in an effort": (lambda s: s.simulate(0.1, efforts={"A": "-5*A.rate"}),
        "efforts.A.angle: the revolute joint 'A' has no variable 'rate'; in formulas its rate is rate(A)"),
    "a negative mass": (lambda s: s.with_parameters({"crank.mass": -1}), "parameters.crank.mass: negative: -1"),
    "a mass that is no number": (lambda s: s.with_parameters({"crank.mass": math.nan}),
        "parameters.crank.mass: not a finite number"),
    "a place that is infinite": (lambda s: s.with_parameters({"B.tail.at.x": math.inf}),
        "parameters.B.tail.at.x: not a finite number"),
    "one of many masses": (lambda s: s.simulate_many(0.1, parameters={"rod.mass": [0.5, -0.5]}),
        "parameters.rod.mass: negative: -0.5"),
    "a negative inertia": (lambda s: s.with_parameters({"rod.inertia.zz": -1e-3}),
        "parameters.rod.inertia.zz: negative"),
}  # fmt: skip


@pytest.mark.parametrize("case", ASKED)
def test_python(s: lw.Machine, case: str) -> None:
    ask, wanted = ASKED[case]
    with pytest.raises(lw.LinkworkError) as caught:
        ask(s)
    assert len(caught.value.problems) == 1 and wanted in str(caught.value)


@pytest.mark.parametrize("text", ["A > 30*deg", "A > 30deg", "A > 30 deg", "A > pi/6", "A > 0.5235987755982988"])
def test_angles_beside_comparisons(s: lw.Machine, text: str) -> None:
    """Whichever way an angle is written, the crossing is at the same place."""
    event = lw.when(text, stop=True)
    run = s.simulate(1.0, rates={"A": 10.0}, samples=3, events=event)
    assert run.status == "stopped" and len(run.events) == 1
    assert event.direction == "rising" and abs(number_in(event.condition) - math.pi / 6) < 1e-15


def number_in(condition: str) -> float:
    """0.5 of 'A - 0.5'."""
    return float(condition.rpartition(" - ")[2])


# -------------------------------------------------------------------- what was told wrongly


def test_a_shared_pin_counts_once() -> None:
    m = lw.Mechanism("fork")
    for name in ("arm", "left", "right", "tip"):
        m.body(name, mass=1.0)
    m.revolute("A", "ground", "arm", at=(0, 0, 0), axis="z")
    m.revolute("B", "arm", "left", at=(1, 0, 0), axis="z")
    m.revolute("C", "arm", "right", at=(1, 0, 0), axis="z")
    m.revolute("D", "right", "tip", at=(1, 2, 0), axis="z")
    numbers = m.assemble().parameters
    assert [numbers[f"arm.com.{x}"] for x in "xyz"] == [0.5, 0.0, 0.0]
    assert [numbers[f"right.com.{x}"] for x in "xy"] == [1.0, 1.0]


def test_limits_of_joints_stand_beside_the_travel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from typer.testing import CliRunner

    from linkwork.cli import app

    path = tmp_path / "bar.yaml"
    path.write_text(FILE.replace("[0, 0, 0], axis: z}", "[0, 0, 0], axis: z, limits: [-20, 40]}", 1))
    said = CliRunner().invoke(app, ["mobility", str(path), "--travel", "A"], env={"COLUMNS": "200"}).output
    assert "from -20 deg to 40 deg within the limits of A.angle" in said


def test_what_is_free_is_no_drive(s: lw.Machine) -> None:
    run = s.forces(s.simulate(0.01, samples=5))
    assert run.free == ("A.angle",) and np.abs(run["A.effort"].values).max() < 1e-6
    assert run.evidence.forces is not None and run.evidence.forces.efforts == ()
    from linkwork.views.force_peaks import force_peaks

    assert force_peaks(run, s.mechanism).drives == {}
    pushed = s.forces(s.simulate(0.01, samples=5, efforts={"A": 3.0}))
    assert pushed.free == () and list(force_peaks(pushed, s.mechanism).drives) == ["A.angle"]


def test_a_follower_that_pulls_is_told() -> None:
    """A ball on a dome at a speed at which it would have to be held: the contact holds both ways unless it is said."""
    m = lw.Mechanism("dome", gravity=(0, 0, -9.81))
    m.body("ball", mass=1.0, com=(0, 0, 0.5), inertia=(1e-3, 1e-3, 1e-3))
    m.on_surface(
        "K", m.ground, "ball", surface=lw.surface("sphere", radius=0.5), at=(0, 0, 0), axis="z", to=(0, 0, 0.5)
    )
    d = m.assemble()
    run = d.forces(d.motion({"K.angle1": lw.ramp(0, 1.2, speed=3.5)}, samples=41))
    held, loose = (lw.contact_force(run, "K", one_sided=x) for x in (False, True))
    assert held.pulling.any() and not held.lifted.any() and held.lift_off is None
    assert (
        "pulls at" in held.message and "say one_sided=True of it" in held.warnings[0] and "side=-1" in held.warnings[0]
    )
    assert (loose.lifted == held.pulling).all() and "lifts off" in loose.message


def test_what_follows_from_a_wrong_dimension_is_not_told() -> None:
    """A description with a comma tears its entry apart: that is told, and nothing of what stands on it."""
    text = """linkwork: 1
name: a
let: {crank: {value: 40, description: from pin, to pin}, rod: 4*crank, Länge: 3, half: rod/2}
bodies: {a: {mass: 1, com: [rod, half, 0]}}
joints: {A: {revolute: [ground, a], at: [crank, 0, 0], axis: z}}
"""
    with pytest.raises(lw.ModelError) as caught:
        lw.loads(text)
    told = [str(p) for p in caught.value.problems]
    assert told[0] == "line 3, let.crank: unknown key 'to pin'; put a text with commas in quotes"
    assert told[1].startswith("line 3, let.Länge: 'Länge' cannot name a dimension")
    assert len(told) == 2


def test_a_decimal_comma_in_a_range_is_told_once() -> None:
    for law in ("0,5:1", "0,5:1 rad", "1:0,5"):
        with pytest.raises(lw.ModelError) as caught:
            lw.example("four-bar").assemble().motion(O2=law)
        assert len(caught.value.problems) == 1
        assert "write a decimal point: '0.5" in str(caught.value)
