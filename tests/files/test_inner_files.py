"""Freedoms inside bodies in model files: units, round trips to the bit, problems by line, known to editors."""

from __future__ import annotations

import pytest
from validator import validator

import linkwork as lw
from linkwork.files.write import as_data
from linkwork.model.inner import Inner, Stretch

FILE = """
linkwork: 1
name: crane
units: {length: mm, angle: deg}
bodies:
  boom: {mass: 120, com: [2000, 0, 0], inertia: [1e6, 160e6, 160e6]}
  hook: {mass: 40, com: [4000, 0, -1000], inertia: [1e6, 1e6, 1e6]}
joints:
  A: {revolute: [ground, boom], at: [0, 0, 0], axis: y}
  B: {spheric: [boom, hook], at: [4000, 0, 0]}
stretches:
  reach: {body: boom, start: [0, 0, 0], end: [4, 0, 0 m], description: telescope}
  sway: {body: boom, start: [0, 0, 0], end: [4000, 0, 0], toward: [0, 3, 1]}
springs:
  rod: {joint: reach, stiffness: 2 kN/mm}
loads:
  bend: {joint: sway, amount: -(3e4*sway + 200*rate(sway))}
""".replace("[4, 0, 0 m]", "[4 m, 0, 0]")


def test_lengths_have_units() -> None:
    m = lw.loads(FILE)
    assert m.inner["reach"] == Inner("reach", "boom", Stretch((0.0, 0.0, 0.0), (4.0, 0.0, 0.0)), "telescope")
    assert m.inner["sway"].law == Stretch((0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (0.0, 3.0, 1.0))
    assert lw.System(m).coordinates[-2:] == ("reach.slide", "sway.slide")


def test_written_and_read_again_to_the_bit() -> None:
    m = lw.loads(FILE)
    m.stretch("third", "hook", (0.1, 0.2, 1 / 3), (1.0, 2.0 / 7, 0.3), toward=(0.1, -0.0, 0.7))
    again = lw.loads(lw.dumps(m))
    assert again == m
    assert lw.dumps(again) == lw.dumps(m)
    assert list(again.inner) == ["reach", "sway", "third"]


def test_editors_know_them() -> None:
    check = validator()
    assert not list(check.iter_errors(as_data(lw.loads(FILE))))
    wrong = as_data(lw.loads(FILE))
    wrong["stretches"]["reach"]["begin"] = [0, 0, 0]
    assert list(check.iter_errors(wrong))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("body: boom, start: [0, 0, 0], end: [4 m", "body: bom, start: [0, 0, 0], end: [4 m", "bom"),
        ("body: boom, start: [0, 0, 0], end: [4 m, 0, 0]", "body: boom, start: [0, 0, 0], end: [0, 0, 0]", "one place"),
        ("toward: [0, 3, 1]", "toward: [0, 0, 0]", "zero length"),
        ("body: boom, start: [0, 0, 0], end: [4 m", "body: ground, start: [0, 0, 0], end: [4 m", "ground"),
        ("reach: {body", "boom: {body", "taken"),
        ("joint: reach", "joint: reech", "reach"),
        ("rate(sway))}", "rate(sways))}", "sway"),
    ],
)
def test_problems_are_told_by_name(old: str, new: str, told: str) -> None:
    assert old in FILE
    with pytest.raises(lw.ModelError) as error:
        lw.System(lw.loads(FILE.replace(old, new)))
    assert told in str(error.value)
