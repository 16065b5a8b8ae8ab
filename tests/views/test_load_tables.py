"""Loads and motors in the tables of a model, in the units of its file."""

from __future__ import annotations

import linkwork as lw
from linkwork.views.tables import tables

TEXT = """\
linkwork: 1
name: tabled
units: {length: mm, angle: deg, force: N}
gravity: [0, "-9.81*t", 0]
bodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 1, com: [0, 0, 0]}}
joints:
  A: {revolute: [ground, a], axis: z}
  B: {prismatic: [a, b], axis: x}
points: {P: {on: b, at: [10, 0, 0]}, Q: {on: ground, at: [50, 0, 0]}}
springs:
  coil: {between: [P, Q], stiffness: 12 N/mm, free: 30, damping: 0.5, preload: 4, law: x**3}
  hinge: {joint: A, stiffness: 2 N m/deg, law: {table: [[0, 0], [1, 1]], over: x, smooth: true}}
dampers: {dash: {joint: B, damping: 3 N s/mm}}
friction:
  pin: {joint: A, coefficient: 0.1, radius: 4, normal: 20, viscous: 1}
  rub: {joint: B, level: [1, 2], form: exact, static: 1.5}
motors:
  drive: {joint: A, ratio: -60, rotor_inertia: 2, friction: 5, stall: 4 N m, no_load: 100 deg/s, efficiency: 0.9}
  push: {joint: B, ratio: 7}
forces:
  gas: {point: P, along: -x, on: b, amount: {formula: sin(A), unit: kN}}
  rope: {point: P, toward: [P, Q], amount: 3}
torques: {wind: {body: a, about: [3, 0, 4], amount: 5*t}}
loads: {L: {joint: B, amount: {table: [[0, 0], [1, 1]]}}}
"""


def rows(title: str) -> list[tuple[str, ...]]:
    found = {table.title: table.rows for table in tables(lw.loads(TEXT))}
    return list(found[title][1:])


def test_loads() -> None:
    spring = "stiffness 12 N/mm, damping 0.5 N s/mm, preload 4 N, free at 30 mm, law x**3 [N]"
    assert rows("loads") == [
        ("coil", "spring", "P - Q", spring),
        ("hinge", "spring", "A.angle", "stiffness 2000 N mm/deg, law a smooth table of 2 points over x"),
        ("dash", "damper", "B.slide", "damping 3 N s/mm"),
        ("pin", "friction", "A.angle", "smooth, coefficient 0.1, radius 4 mm, normal 20 N, viscous 1 N mm s/deg"),
        ("rub", "friction", "B.slide", "exact, static 1.5, forward 1 N, backward 2 N"),
        ("gas", "force", "P, along (-1, 0, 0) of b", "(sin(A)) 1000 N"),
        ("rope", "force", "P, from P to Q", "3 N"),
        ("wind", "torque", "a, about (0.6, 0, 0.8)", "5*t [N m]"),
        ("L", "load", "B.slide", "a table of 2 points over t"),
    ]


def test_motors() -> None:
    shaft = "inertia 2 kg mm^2, stall 4000 N mm, no load 100 deg/s, friction level 5 N mm, efficiency 0.9"
    assert rows("motors") == [("drive", "A.angle", "-60", shaft), ("push", "B.slide", "7 deg/mm", "-")]


def test_gravity_over_time() -> None:
    assert rows("gravity") == [("0, -9.81*t [m/s^2], 0", "over time")]


def test_a_check_names_them() -> None:
    found = lw.check(lw.loads(TEXT)).as_dict()
    assert found["motors"] == {"drive": "A.angle", "push": "B.slide"}
    assert found["loads"]["dash"] == "damper" and found["loads"]["L"] == "load"


def test_none_are_listed_where_there_are_none() -> None:
    titles = [table.title for table in tables(lw.example("four-bar"))]
    assert "loads" not in titles and "motors" not in titles
