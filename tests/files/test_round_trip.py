"""Written and read again, a mechanism is the same to the last bit, and is written in the same words."""

from __future__ import annotations

from pathlib import Path

import pytest
from file_documents import GOOD
from file_machines import mechanisms, texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork.files.write import as_data
from linkwork.model.joints import KINDS, Bevel, Gear, PointOnCurve, Rack, Revolute
from linkwork.units import SI

thorough = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def assert_same(m: lw.Mechanism, is_json: bool) -> None:
    text = lw.dumps(m, is_json=is_json)
    again = lw.loads(text, is_json=is_json)
    assert again == m
    assert repr(as_data(again)) == repr(as_data(m))  # minus zero equals zero, but is not the same
    assert lw.dumps(again, is_json=is_json) == text


@thorough
@given(mechanisms(), st.booleans())
def test_any_mechanism(m: lw.Mechanism, is_json: bool) -> None:
    assert_same(m, is_json)


@thorough
@given(texts)
def test_any_text(text: str) -> None:
    m = lw.Mechanism(description=text)
    m.body("a", description=text)
    assert_same(m, is_json=False)
    assert_same(m, is_json=True)


@pytest.mark.parametrize("is_json", [False, True])
@pytest.mark.parametrize("name", GOOD)
def test_documents(name: str, is_json: bool) -> None:
    m = lw.loads(GOOD[name])
    assert_same(m, is_json)


@pytest.mark.parametrize("name", lw.examples())
def test_gallery(name: str) -> None:
    assert_same(lw.example(name), is_json=False)
    assert_same(lw.example(name), is_json=True)


@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".json", ".YAML"])
def test_files(suffix: str, tmp_path: Path) -> None:
    m = lw.loads(GOOD["gears"])
    file = lw.save(m, tmp_path / f"gears{suffix}")
    assert lw.load(file) == m
    assert b"\r" not in file.read_bytes()
    source = lw.load(file).source
    assert source is not None and source.units == SI


def test_an_entry_is_a_line() -> None:
    lines = lw.dumps(lw.loads(GOOD["design"])).splitlines()
    assert "  A: {revolute: [ground, crank], at: [0.0, 0.0, 0.0], axis: z}" in lines
    assert "gravity: [0.0, -9.81, 0.0]" in lines


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(lw.ModelError, match=r"write \.yaml or \.json"):
        lw.save(lw.Mechanism(), tmp_path / "crank.txt")


def test_kinematic_inversion_keeps_the_order_of_bodies() -> None:
    m = lw.loads(GOOD["design"]).with_ground("rod")
    assert list(lw.loads(lw.dumps(m)).bodies) == list(m.bodies) == ["ground", "crank", "rod", "piston"]
    assert_same(m, is_json=False)


def test_half_of_a_surrogate_pair_is_refused() -> None:
    for is_json in (False, True):
        with pytest.raises(lw.ModelError, match="surrogate"):
            lw.dumps(lw.Mechanism(description="\ud800"), is_json=is_json)


def test_joints_that_files_have_no_words_for() -> None:
    class Own(Revolute):
        kind = "own"

    circle = lw.Mechanism().curve("circle", fourier={"u_cos": [1.0], "v_sin": [1.0]})
    place, axis = lw.placement((0, 0, 0)), lw.placement((0, 0, 0), axis="x")
    laws = {
        "a own joint": (Own(), {}),
        "a gear joint without its second frame": (Gear(1.0, 2.0), {}),
        "a rack joint without its second frame": (Rack(1.0), {"value": (0.0, 0.0, 0.0)}),
        "a bevel joint that is not given by one apex": (Bevel(0.5, 0.5), {"frame": place, "to": axis}),
        "a joint on the curve 'circle'": (PointOnCurve(circle), {}),
    }
    for message, (law, options) in laws.items():
        m = lw.Mechanism()
        m.body("a")
        m.joint("J", law, "ground", "a", **options)  # type: ignore[arg-type]
        with pytest.raises(lw.ModelError, match=f"joints.J: model files cannot say this: {message}"):
            lw.dumps(m)
    assert "own" not in KINDS
