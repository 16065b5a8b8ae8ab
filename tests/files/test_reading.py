"""Model files that are right: what each way of writing means, and that every key is read."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from file_documents import BODIES, CHAINS, CONTACTS, DESIGN, GEARS, GOOD, JOINTS, PLACEMENTS, WORDS
from pydantic import BaseModel

import linkwork as lw
from linkwork.files import entries
from linkwork.files.entries.dimensions import read_lets
from linkwork.files.entries.header import UnitsEntry
from linkwork.files.schema import ModelFile
from linkwork.files.shorthand import Spelling
from linkwork.files.tree import read_tree
from linkwork.model.dimensions import Scope, within
from linkwork.model.joints import KINDS
from linkwork.model.placement import ROW_KEYS
from linkwork.units import UnitSystem, deg, g, mm

MESH_KEYS = {("ShapeEntry", "mesh"), ("ShapeEntry", "units")}  # read in test_meshes.py


def classes(base: type[BaseModel] = entries.Entry) -> Iterator[type[BaseModel]]:
    yield base
    for kind in base.__subclasses__():
        yield from classes(kind)


def home_of(kind: type[BaseModel], key: str) -> str:
    """The class that a key is written in; its heirs read it in the same way."""
    return next(c.__name__ for c in reversed(kind.__mro__) if key in getattr(c, "model_fields", ()))


def given_keys(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, BaseModel):
        for key in value.model_fields_set:
            yield home_of(type(value), key), key
            yield from given_keys(getattr(value, key))
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from given_keys(inner)


def test_every_key_of_every_entry_is_in_some_document() -> None:
    wanted = {(home_of(kind, key), key) for kind in classes() for key in kind.model_fields}
    seen: set[tuple[str, str]] = set()
    for text in GOOD.values():
        data = read_tree(text.encode()).data
        units = UnitSystem.parse(data.get("units") or {})
        data = Spelling(data, {}).done()
        lets = read_lets(data.get("let"), units, lambda lets: [], [])
        lets = {name: replace(let, measures=None) for name, let in lets.items()}
        with within(Scope(lets, units)):
            seen |= set(given_keys(ModelFile.model_validate(data, context={"units": units})))
    assert wanted - seen == MESH_KEYS
    assert set(entries.JOINTS) == set(KINDS)
    assert set(UnitsEntry.model_fields) == {"length", "angle", "mass", "time", "force"}


@pytest.mark.parametrize("name", GOOD)
def test_documents_are_sound(name: str) -> None:
    found = lw.check(lw.loads(GOOD[name]))
    assert found.sound, str(found)


def test_design_example(tmp_path: Path) -> None:
    file = tmp_path / "slider-crank.yaml"
    file.write_text(DESIGN, encoding="utf-8")
    m = lw.load(file)
    by_hand = lw.Mechanism("slider-crank", gravity=(0, -9.81, 0))
    by_hand.body("crank", mass=800 * g, com=(25 * mm, 0, 0))
    by_hand.body("rod", mass=550 * g, com=(125 * mm, 0, 0))
    by_hand.body("piston", mass=700 * g)
    by_hand.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
    by_hand.revolute("B", "crank", "rod", at=(50 * mm, 0, 0), axis="z")
    by_hand.revolute("C", "rod", "piston", at=(250 * mm, 0, 0), axis="z")
    by_hand.prismatic("D", "ground", "piston", at=(250 * mm, 0, 0), axis="x")
    by_hand.point("P", "rod", (150 * mm, 20 * mm, 0))
    assert m == by_hand
    assert m.source is not None and m.source.name == str(file)
    assert lw.check(m).values()["mobility"] == 1


def test_bodies() -> None:
    m = lw.loads(BODIES)
    assert (m.ground.name, m.floating) == ("base", True)
    assert next(iter(m.bodies)) == "base"
    assert m.bodies["numbers"].mass == 1.5
    assert m.bodies["numbers"].com == (1 * mm, 2 * mm, 3 * mm)
    six = m.bodies["six"].inertia
    g_mm2 = g * mm**2
    assert six is not None
    np.testing.assert_allclose(
        [six.xx, six.yy, six.zz, six.xy, six.xz, six.yz], np.array([30, 40, 50, 1, 2, 3]) * 1e4 * g_mm2
    )
    elements = m.bodies["elements"].inertia
    assert elements is not None and elements.about == "origin"
    np.testing.assert_allclose([elements.xy, elements.xz, elements.yz], np.array([-1, -2, -3]) * g_mm2)
    listed = m.bodies["listed"].inertia
    assert listed is not None
    np.testing.assert_allclose(np.diag(listed.tensor()), np.array([3, 4, 5]) * g_mm2, rtol=1e-12)
    masses = lw.lay_out(m).masses
    box = 7850 * 10 * 20 * 30 * 1e-9
    hole = 7850 * math.pi * 25 * 30 * 1e-9
    tube = 2700 * math.pi * 9 * 30 * 1e-9
    ball = 7850 * 4 / 3 * math.pi * 125 * 1e-9
    cone = 7850 * math.pi * 30 * (25 + 10 + 4) / 3 * 1e-9
    sector = 7850 * math.radians(60) / 2 * (900 - 100) * 4 * 1e-9
    assert masses["drilled"].mass == pytest.approx(box - hole + tube + ball + cone + sector, rel=1e-12)
    assert m.bodies["nothing"] == lw.Mechanism().body("nothing")


def test_placements() -> None:
    m = lw.loads(PLACEMENTS)
    frames = m.frames
    rows = {p.row.form: p.row.values for f in frames.values() if (p := f.placement).row is not None}
    assert set(rows) == set(ROW_KEYS)
    assert rows["dh"] == (30 * deg, 0.1, 0.2, 90 * deg)
    assert rows["sheth_uicker"] == (10 * deg, 0.1, 20 * deg, 0.2, 30 * deg, 0.3)
    assert frames["F6"].placement == lw.placement(dh_craig=(90 * deg, 0.2, 30 * deg, 0.1), within="a")
    assert frames["F4"].placement == lw.placement(points=((0, 0, 0), (0, 0, 1), (1, 0, 0)), within="b")
    assert frames["F3"].placement == lw.placement(axis_angle=((1, 1, 0), 45 * deg))
    assert frames["F9"].placement == lw.placement(x="-y")
    assert m.points["P1"].within == "b"
    # b stands in a's frame, so its tip is where both poses put it
    layout = lw.lay_out(m)
    X_WB = layout.X_WB["a"] @ lw.placement((1, 0, 0), euler_zyz=(10 * deg, 20 * deg, 30 * deg)).pose()
    np.testing.assert_allclose(layout.points["P1"], (X_WB @ [1, 0, 0, 1])[:3], atol=1e-15)


def test_joints() -> None:
    m = lw.loads(JOINTS)
    joints = m.joints
    assert joints["revolute"].value == (30 * deg,)
    assert joints["revolute"].limits == (("angle", -90 * deg, 90 * deg),)
    assert joints["prismatic"].to == lw.placement((0.12, 0, 0))
    assert joints["helical"].law == KINDS["helical"](0.005)  # type: ignore[call-arg]
    assert joints["cylindric"].value == (90 * deg, 0.01)
    assert joints["flat"].value == (0.01, 0.02, 30 * deg)
    assert joints["universal"].frame == lw.placement((0, 0, 0), axis="x", x="y")
    assert joints["universal2"].frame == lw.placement((0, 0, 0), axis="x", x="y", within="f")
    assert joints["free"].value == (0.01, 0.02, 0.03, 1.0, 0.0, 0.0, 0.0)
    assert m.expect == {"bodies": 10.0, "revolute.angle": 30 * deg, "prismatic.slide": 20 * mm, "mass": 0.0}


def test_gears_and_curves() -> None:
    m = lw.loads(GEARS)
    by_hand = lw.Mechanism()
    at, to = (0, 0, 0), (60 * mm, 0, 0)
    angles = {"pressure_angle": 20 * deg, "helix_angle": 15 * deg}
    limits = {"angle": (-90 * deg, 90 * deg)}
    mesh = by_hand.gear(
        "AB", "sun", "planet", at=at, to=to, axis="z", teeth=(20, 40), module=2 * mm, flank=1, limits=limits, **angles
    )
    assert m.joints["AB"] == mesh
    bevel = by_hand.bevel(
        "EF2", "bevel1", "bevel2", at=at, axes=("x", (1, 1, 0)), cones=(60 * deg, 15 * deg), internal=True
    )
    assert m.joints["EF2"] == bevel
    line = m.curves["line"]
    np.testing.assert_allclose(line.point(2.0), (0.02, math.sin(2.0) ** 2 / 2 * 0.01), rtol=1e-15)
    np.testing.assert_allclose(m.curves["flat"].point(2.0), (0.002, 0.0), rtol=1e-15)  # in the header's unit


def test_contacts() -> None:
    joints = lw.loads(CONTACTS).joints
    assert joints["A"].limits == (("x", -20 * mm, 30 * mm),)
    assert joints["B"].law.surface == lw.surface("sphere", radius=50 * mm)
    assert joints["B"].limits == (("angle2", -45 * deg, 45 * deg),)
    assert joints["C"].value == (90 * deg, 7 * mm, 1.0, 0.0, 0.0, 0.0)
    assert joints["D"].law.surface == lw.surface("cone", half_angle=30 * deg)
    assert joints["E"].value == (0.0, 90 * deg, 1.0, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(joints["F"].law.surface.point(0.01, 0.02), (0.01, 0.02, 0.009), rtol=1e-14)
    np.testing.assert_allclose(joints["F2"].law.surface.point(0.0, 0.0), (0.0, 0.0, 0.005), rtol=1e-14)
    np.testing.assert_allclose(joints["G"].law.surface.point(0.0, 4.0), (0.02, 0.0, 0.004), rtol=1e-14)
    assert joints["H"].value == (12 * mm, 1.0, 0.0, 0.0, 0.0)
    assert joints["J"].value == (360 * deg, 1.0, 0.0, 0.0, 0.0)
    assert joints["J"].law.curve == lw.space_curve("helix", radius=25 * mm, lead=-10 * mm)
    np.testing.assert_allclose(joints["K"].law.curve.point(1.0), (0.01, 0.01, 0.0), rtol=1e-14)
    np.testing.assert_allclose(joints["L"].law.curve.places(np.zeros(1))[0], (0.0, 0.0, 0.0), atol=1e-17)
    assert joints["M"].law == joints["N"].law


@pytest.mark.parametrize("convention", ROW_KEYS)
def test_chains(convention: str) -> None:
    m = lw.loads(CHAINS)
    data = read_tree(CHAINS.encode()).data
    chain = next(c for c in data["chains"].values() if c["convention"] == convention)
    lengths = {"d", "a", "b", "c"}
    parent = chain.get("base", "ground")
    for row in chain["rows"]:
        numbers = [row.get(k, 0.0) * (mm if k in lengths else deg) for k in ROW_KEYS[convention]]  # type: ignore[index]
        whole = m.bodies[row["body"]].frame
        assert whole is not None and whole.row is not None and whole.within == parent
        moved = 0 if "value" not in row else 1  # a layout value turns or slides the last step on
        assert sum(a != b for a, b in zip(whole.row.values, numbers, strict=True)) == moved
        assert m.joints[row["joint"]].law.kind == row.get("kind", "revolute")
        parent = row["body"]
    assert lw.check(m).sound


def test_words_that_are_names() -> None:
    m = lw.loads(WORDS)
    assert m.name == "1"
    assert list(m.bodies) == ["no", "1", "on", "yes", "007", "null", "Kurbel-ä"]
    assert [m.bodies[b].mass for b in ("1", "on", "yes", "007", "null", "Kurbel-ä")] == [1e-3, 1e-3, 2.0, 0.5, 5.0, 1.0]
    assert m.bodies["yes"].com == m.bodies["1"].com == (1 * mm, 2 * mm, 3 * mm)
    assert [j.description for j in m.joints.values()] == ["", "1e5", "a: b # c\nd", "no", "", ""]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("12", 0.012),
        ("12 mm", 0.012),
        ("12mm", 0.012),
        ("'12'", 0.012),
        ("1.2 cm", 0.012),
        ("1/4 in", 0.00635),
        ("1.2e1", 0.012),
        ("+12", 0.012),
        ("012", 0.012),
        ("12.", 0.012),
        ("-0.0", -0.0),
        ("−12", -0.012),
    ],
)
def test_numbers(written: str, value: float) -> None:
    m = lw.loads(f"linkwork: 1\nunits: {{length: mm}}\nbodies: {{a: {{com: [{written}, 0, 0]}}}}\n")
    com = m.bodies["a"].com
    assert com is not None and repr(com[0]) == repr(value)


def test_bare_numbers_follow_the_header() -> None:
    text = "units: {length: cm, mass: g, angle: deg}\nbodies: {a: {mass: 3, inertia: [1, 1, 1]}}\n"
    m = lw.loads("linkwork: 1\n" + text + "frames: {F: {on: a, at: [1, 2, 3], rpy: [1, 2, 3 rad]}}\n")
    body = m.bodies["a"]
    assert body.mass == 0.003
    assert body.inertia is not None and body.inertia.xx == pytest.approx(1e-7, rel=1e-15)
    assert m.frames["F"].placement == lw.placement((0.01, 0.02, 0.03), rpy=(1 * deg, 2 * deg, 3.0))


def test_json_and_yaml_say_the_same() -> None:
    for text in GOOD.values():
        as_json = json.dumps(read_tree(text.encode()).data)
        assert lw.loads(as_json, is_json=True) == lw.loads(as_json) == lw.loads(text)


def test_sections_may_be_empty() -> None:
    m = lw.loads("linkwork: 1\nunits:\ngravity:\nbodies:\n  a:\njoints:\npoints: {}\nexpect:\n")
    assert list(m.bodies) == ["ground", "a"]


def test_byte_order_mark_and_windows_line_ends() -> None:
    text = b"\xef\xbb\xbf" + DESIGN.replace("\n", "\r\n").encode()
    assert lw.loads(text) == lw.loads(DESIGN)


def test_files_are_found_by_their_name(tmp_path: Path) -> None:
    (tmp_path / "crank.yaml").write_text(DESIGN)
    (tmp_path / "crank.JSON").write_text(lw.dumps(lw.loads(DESIGN), is_json=True))
    assert lw.load(tmp_path / "crank.yaml") == lw.load(str(tmp_path / "crank.JSON"))
    for name, text in {
        "crunk.yaml": "did you mean 'crank.yaml'?",
        "nowhere/crank.yaml": "there is no such file",
        "crank.txt": "'.txt' is not a kind of model file",
        "zero\0.yaml": "there is no such file",
        "x" * 300 + ".yaml": "it cannot be read",
    }.items():
        with pytest.raises(lw.ModelError, match=text.replace("?", r"\?")):
            lw.load(tmp_path / name)
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(lw.ModelError, match="it cannot be read"):
        lw.load(tmp_path / "folder.yaml")
    (tmp_path / "huge.yaml").write_bytes(b"#" * 8_000_001)
    with pytest.raises(lw.ModelError, match=r"huge.yaml: the file has 8.0 MB; at most 8 MB"):
        lw.load(tmp_path / "huge.yaml")


def test_gallery() -> None:
    names = lw.examples()
    assert names
    assert all(sentence and "\n" not in sentence for sentence in names.values())
    with pytest.raises(lw.ModelError, match="did you mean 'slider-crank'"):
        lw.example("slider-cranc")


def test_a_limit_may_be_open_on_one_side() -> None:
    text = "linkwork: 1\nbodies: {a: {}}\njoints: {A: {prismatic: [ground, a], axis: x, limits: [0.1 mm, null]}}\n"
    m = lw.loads(text)
    assert m.joints["A"].limits == (("slide", 1e-4, float("inf")),)
    assert lw.loads(lw.dumps(m)) == m
    assert lw.loads(lw.dumps(m, is_json=True), is_json=True) == m


def test_a_second_frame_says_where_it_is() -> None:
    text = (
        "linkwork: 1\nbodies: {a: {}}\njoints: {A: {prismatic: [ground, a], at: [1, 0, 0], axis: x, to: {axis: x}}}\n"
    )
    with pytest.raises(lw.ModelError, match="its place is missing"):
        lw.loads(text)


def test_a_missing_library_is_one_problem_among_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trimesh", None)
    (tmp_path / "a.stl").write_bytes(b"x")
    text = "linkwork: 1\nbodies: {a: {density: 1, solids: [{mesh: a.stl, units: mm}]}, b: {mass: -1}}\n"
    with pytest.raises(lw.ModelError) as caught:
        lw.loads(text, folder=tmp_path)
    whats = [p.what for p in caught.value.problems]
    assert any("needs trimesh" in what for what in whats) and any("negative" in what for what in whats)


def test_a_broken_file_still_tells_of_its_rods() -> None:
    text = """linkwork: 1
bodies: {a: {}, b: {}, c: {masss: 1}}
joints:
  A: {revolute: [ground, a], axis: z}
  B: {spheric: [a, b], at: [1, 0, 0]}
  C: {spheric: [b, c], at: [1, 0, 0]}
"""
    with pytest.raises(lw.ModelError) as caught:
        lw.loads(text)
    assert [p.where for p in caught.value.problems] == ["bodies.c.masss", "bodies.b"]
