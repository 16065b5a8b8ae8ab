"""Other files of the folder in a model file: what is taken, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import linkwork as lw

MAIN = """
linkwork: 1
name: arm
units: {length: mm}
include: [parts/links.yaml]
let: {size: 100}
joints:
  A: {revolute: [ground, upper], at: [0, 0, 0], axis: z}
"""
PART = """
linkwork: 1
name: ignored
units: {length: mm}
include: tip.yaml
bodies:
  upper: {mass: 1 kg, com: [size/2, 0, 0], inertia: [1, 1, 1]}
"""
TIP = """
points:
  P: {on: upper, at: [size, 0, 0]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model" / "parts").mkdir(parents=True)
    (tmp_path / "model" / "arm.yaml").write_text(MAIN)
    (tmp_path / "model" / "parts" / "links.yaml").write_text(PART)
    (tmp_path / "model" / "parts" / "tip.yaml").write_text(TIP)
    (tmp_path / "secret.yaml").write_text("bodies: {secret: {mass: 1}}")
    return tmp_path / "model"


def test_parts_are_taken(folder: Path) -> None:
    m = lw.load(folder / "arm.yaml")
    assert m.name == "arm"
    assert m.points["P"].at == (0.1, 0, 0)
    assert m.resized(size=0.2).bodies["upper"].com == (0.1, 0, 0)
    assert lw.loads(lw.dumps(m)) == m


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../secret.yaml", "it is outside the folder of the model"),
        ("/etc/passwd", "it is outside the folder of the model"),
        ("parts/links.txt", "it is no model file"),
        ("parts/none.yaml", "there is no such file"),
    ],
)
def test_what_is_not_read(folder: Path, name: str, words: str) -> None:
    (folder / "arm.yaml").write_text(MAIN.replace("parts/links.yaml", name))
    with pytest.raises(lw.ModelError) as caught:
        lw.load(folder / "arm.yaml")
    assert str(caught.value.problems[0]).startswith(f"line 5, include: '{name}': {words}")
    with pytest.raises(lw.ModelError, match="load the model from a file"):
        lw.loads(MAIN)


def test_links_out_of_the_folder_circles_and_doubles(folder: Path) -> None:
    (folder / "parts" / "links.yaml").unlink()
    (folder / "parts" / "links.yaml").symlink_to(folder.parent / "secret.yaml")
    with pytest.raises(lw.ModelError, match="outside the folder"):
        lw.load(folder / "arm.yaml")
    (folder / "parts" / "links.yaml").unlink()
    (folder / "parts" / "links.yaml").write_text(PART.replace("tip.yaml", "links.yaml"))
    with pytest.raises(lw.ModelError, match="it includes itself"):
        lw.load(folder / "arm.yaml")
    (folder / "parts" / "links.yaml").write_text(PART.replace("length: mm", "length: m"))
    with pytest.raises(lw.ModelError, match="its units are others"):
        lw.load(folder / "arm.yaml")
    (folder / "parts" / "links.yaml").write_text(PART + "let: {size: 3}\n")
    with pytest.raises(lw.ModelError, match="there are two entries named 'size'"):
        lw.load(folder / "arm.yaml")
    (folder / "parts" / "links.yaml").write_text("bodies: [")
    with pytest.raises(lw.ModelError, match=r"line 2 of parts/links\.yaml: this is not YAML"):
        lw.load(folder / "arm.yaml")


def test_a_problem_points_into_its_file(folder: Path) -> None:
    """Whatever is wrong in an included file is told with that file and the line in it, in order."""
    part = PART.replace("mass: 1 kg", "mass: 1 m") + (
        "bodeis: {}\n"
        "chains: 3\n"
        "joints:\n"
        "  B: {revolute: [upper, lower], at: [0, 0, 0], axis: z}\n"
        "  C: {revolut: [upper, ground]}\n"
        "  C: {revolute: [upper, ground]}\n"
        "couplings:\n"
        '  same: {joint: B, law: "A -"}\n'
    )
    (folder / "parts" / "links.yaml").write_text(part)
    (folder / "parts" / "tip.yaml").write_text(TIP.replace("size,", "siez,") + "include: [none.yaml]\n")
    (folder / "arm.yaml").write_text(MAIN.replace("axis: z", "axis: w"))
    with pytest.raises(lw.ModelError) as caught:
        lw.load(folder / "arm.yaml")
    found = {(p.file, p.line, p.where) for p in caught.value.problems}
    own = "parts/links.yaml"
    lines = part.split("\n")
    expected = {
        ("", 8, "joints.A.axis"),
        *((own, 1 + next(k for k, text in enumerate(lines) if text.startswith(start)), where) for start, where in (
            ("  upper:", "bodies.upper.mass"), ("bodeis:", "bodeis"), ("chains:", "chains"),
            ("  B:", "joints.B"), ("  C: {revolut:", "joints.C"), ("  same:", "couplings.same"),
        )),
        (own, 13, "joints"),
        ("parts/tip.yaml", 3, "points.P.at[0]"),
        ("parts/tip.yaml", 4, "include"),
    }  # fmt: skip
    assert found == expected, "\n".join(map(str, caught.value.problems))
    assert [p.file for p in caught.value.problems] == sorted(p.file for p in caught.value.problems)
    told = next(p for p in caught.value.problems if p.where == "bodies.upper.mass")
    assert str(told).startswith("line 7 of parts/links.yaml, bodies.upper.mass: ")
    assert told.as_dict()["file"] == own
    assert pickle.loads(pickle.dumps(told)).file == own


def test_lines_of_what_is_repeated_in_an_included_file(folder: Path) -> None:
    """Copies of a group and rows of a chain have the lines of the file that they are written in."""
    (folder / "parts" / "tip.yaml").write_text(
        'repeat:\n  legs: {for: k, to: 2,\n    points: {"P{k}": {on: upper, at: [size, 0, 2 kg]}}}\n'
        "chains:\n  more: {base: upper, convention: dh, rows: [\n    {body: l1, joint: j1, a: 1 kg}]}\n"
    )
    with pytest.raises(lw.ModelError) as caught:
        lw.load(folder / "arm.yaml")
    assert {(p.file, p.line) for p in caught.value.problems} == {("parts/tip.yaml", 3), ("parts/tip.yaml", 6)}


def test_warnings_of_check_point_there_too(folder: Path) -> None:
    (folder / "parts" / "tip.yaml").write_text(TIP + "forces:\n  pull: {point: P, along: x, amount: 3*P.x}\n")
    found = lw.check(lw.load(folder / "arm.yaml"))
    bare = next(p for p in found.problems if p.where.startswith("forces.pull"))
    assert (bare.file, bare.line) == ("parts/tip.yaml", 5)
