"""Other files of the folder in a model file: what is taken, and what is refused."""

from __future__ import annotations

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
    with pytest.raises(lw.ModelError, match=r"line 5, include: line 2 of .parts/links\.yaml.: this is not YAML"):
        lw.load(folder / "arm.yaml")
