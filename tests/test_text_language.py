"""One language of texts: units wherever a number is wanted, in Python as on the command line and in files."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.expressions import Expression, names_in

DEG = math.pi / 180


@pytest.fixture(scope="module")
def machine() -> lw.Machine:
    return lw.example("slider-crank").assemble()


def test_units_in_formulas() -> None:
    for text, value in {
        "where(x > -4 mm, 200 N, 0)": 200.0,
        "12 N/mm*x": 12000.0,
        "5 N / x": 5.0,
        "0.05 N m/A*x": 0.05,
        "9.81 m/s^2*x": 9.81,
        "9.81 m/s²*x": 9.81,
        "2*30 deg*x": math.pi / 3,
        "30deg + 0*x": math.pi / 6,
        "5 bar*20 mm**2*x": 10.0,
        "x - 2 in": 1 - 0.0508,
        "1 kg m2*x": 1.0,
        "3 m/s*x": 3.0,
    }.items():
        if "²" in text:
            continue
        names = names_in(text)
        assert Expression(text, names)(**dict.fromkeys(names, 1.0)) == pytest.approx(value, rel=1e-15), text
    assert names_in("3 mm/t*A") == ("t", "A")  # t is the time, never a ton
    for text, words in {"2A": "write 2*A", "2t": "write 2*t", "4 mmm*x": "goes wrong"}.items():
        with pytest.raises(lw.ModelError, match=words.replace("*", r"\*")):
            names_in(text)


def test_postures_motions_and_runs(machine: lw.Machine) -> None:
    assert machine.at(A="30 deg")["A"] == pytest.approx(30 * DEG, rel=1e-15)
    assert machine.at({"A": "30deg"})["D"] == machine.at(A=30 * DEG)["D"]
    one, other = machine.motion(A="0:360deg in 2s"), machine.motion(A=lw.ramp(0, 360 * DEG, duration=2))
    assert np.array_equal(one["D.slide"].values, other["D.slide"].values)
    pair = machine.motion(A=("0", "90 deg"), duration="1 s", samples=3)
    assert pair["A.angle"].values == pytest.approx([0, math.pi / 4, math.pi / 2])
    run = machine.simulate("50 ms", start={"A": "30 deg"}, rates={"A": "30 rpm"}, efforts={"A": "5 N m"}, samples=3)
    same = machine.simulate(0.05, start={"A": 30 * DEG}, rates={"A": math.pi}, efforts={"A": 5.0}, samples=3)
    assert np.array_equal(run["A.angle"].values, same["A.angle"].values)
    by_law = machine.simulate(0.05, efforts={"A": "where(A > 1 deg, 5 N m, 0)"}, samples=3)
    assert by_law.status == "complete"
    assert machine.statics(A="60 deg").efforts["A.angle"] == machine.statics(A=60 * DEG).efforts["A.angle"]
    heavy = machine.with_parameters({"rod.mass": "800 g"})
    assert heavy.parameters["rod.mass"] == 0.8


def test_a_bare_range_in_degrees_is_remarked(machine: lw.Machine) -> None:
    (told,) = machine.motion(A=(0, 360)).evidence.warnings
    assert told == "A turns 57.3 times: 0 and 360 are radians; for degrees write '0:360deg'"
    assert not machine.motion(A=(0, 2 * math.pi)).evidence.warnings
    assert not machine.motion(A="0:360deg").evidence.warnings
    told = machine.simulate(0.1, drives={"A": (0, 90)}).evidence.warnings[0]
    assert "for degrees write '0:90deg'" in told


def test_events() -> None:
    stop = lw.stop("A", high="170 deg")
    assert stop.high == pytest.approx(170 * DEG, rel=1e-15)
    assert lw.stop("0 <= A <= 60deg; restitution 0.5; name top") == lw.stop(
        "A", low=0, high=60 * DEG, restitution=0.5, name="top"
    )
    assert lw.when("A > 30deg: lock B; once") == lw.when("A > 30 deg", lock="B", once=True)
    assert lw.at("50 ms: set rod.mass = 2 kg") == lw.at(0.05, set={"rod.mass": 2.0})
    assert lw.at("50 ms", stop=True).time == 0.05


WRONG = {
    "start": ({"start": {"A": "3 mm"}}, "start.A: '3 mm' is a length; an angle is wanted"),
    "rates": ({"rates": {"A": "3 deg"}}, "rates.A: '3 deg' is an angle; an angular speed is wanted"),
    "efforts": ({"efforts": {"A": "3 N"}}, "'3 N' is a force; a torque"),
    "drives": ({"drives": {"A": "0:3mm"}}, "drives.A: in '0:3mm'"),
    "stop": ({"events": lw.stop("A", high="3 mm")}, "an angle is compared with a length"),
    "until": ({}, "until: '3 kg' is a mass; a time is wanted"),
}


@pytest.mark.parametrize("case", WRONG)
def test_units_that_do_not_fit(machine: lw.Machine, case: str) -> None:
    options, words = WRONG[case]
    with pytest.raises(lw.ModelError) as caught:
        machine.simulate("3 kg" if case == "until" else 0.1, **options)
    assert words in str(caught.value)


MODEL = """
linkwork: 1
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2, 0]
bodies: {a: {mass: 1, com: [10,0,0], inertia: [1,1,1]}}
joints: {A: {revolute: [ground, a], at: [0,0,0], axis: z}}
loads:
  L: {joint: A, amount: "%s"}
"""
REMARKS = {
    "where(A > 30 deg, 5 N m, 0)": [],
    "-3*A - 0.2*rate(A)": [],
    "2 N m/rad*A": [],
    "where(A > pi/6, 5 N m, 0)": [],
    "where(A > 30, 5 N m, 0)": ["'30' is taken as 30 rad", "write '30 rad', or '30 deg' where 0.523599 rad is meant"],
    "where(A > 1 rad, 200, 0)": ["'200' is taken as 200 N m", "'200 N mm'"],
    "where(A > 30 mm, 5 N m, 0)": ["'A' is an angle, '0.03 m' is a length"],
    "where(A > 30 deg, 5 N, 0)": ["is a force; a torque or energy is wanted"],
}


@pytest.mark.parametrize("formula", REMARKS)
def test_formulas_are_looked_at_with_their_units(formula: str) -> None:
    found = [str(p) for p in lw.check(lw.loads(MODEL % formula)).problems]
    assert len(found) == bool(REMARKS[formula])
    for words in REMARKS[formula]:
        assert words in found[0]
