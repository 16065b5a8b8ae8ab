"""Meshes as solids: exact where the answer is known, refused where there is none, read from nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import trimesh

import linkwork as lw
from linkwork.files import mesh as mesh_module
from linkwork.model.solids import MeshLook, MeshSolid, mass_moments
from linkwork.units import mm

SUFFIXES = mesh_module.SUFFIXES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A box of 1 x 2 x 3 (its corner, not its centre, near the origin) in every format."""
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    box.apply_translation((4.0, 5.0, 6.0))
    inside = tmp_path / "models"
    inside.mkdir()
    for suffix in SUFFIXES:
        if suffix == ".gltf":
            (inside / "box.gltf").write_bytes(embedded_gltf(box))
        else:
            box.export(inside / f"box{suffix}")
    return inside


def embedded_gltf(mesh: trimesh.Trimesh) -> bytes:
    """One file that brings its numbers itself."""
    files = trimesh.exchange.gltf.export_gltf(trimesh.Scene(mesh), embed_buffers=True)
    (text,) = files.values()
    return bytes(text)


def model(solid: str) -> str:
    return f"linkwork: 1\nbodies:\n  a:\n    density: 1000\n    solids:\n      - {{{solid}}}\n"


def load(folder: Path, solid: str) -> lw.Mechanism:
    return lw.loads(model(solid), folder=folder)


def complaint(folder: Path, solid: str) -> str:
    with pytest.raises(lw.ModelError) as caught:
        load(folder, solid)
    (problem,) = caught.value.problems
    assert (problem.line, problem.where.startswith("bodies.a.solids[0]")) == (6, True)
    return f"{problem.what}; {problem.hint}"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_box_is_exact(suffix: str, folder: Path) -> None:
    solid = load(folder, f"mesh: box{suffix}, units: mm").bodies["a"].solid
    assert solid is not None
    exact = lw.Box(size=(1 * mm, 2 * mm, 3 * mm), frame=lw.placement((4 * mm, 5 * mm, 6 * mm)))
    np.testing.assert_allclose(mass_moments(solid, 1.0), mass_moments(exact, 1.0), rtol=1e-13, atol=1e-25)


def test_frame_density_and_minus(folder: Path) -> None:
    drilled = "box: [10, 10, 10]}\n      - {mesh: box.stl, units: m, minus: true, density: 500, at: [-4, -5, -6]"
    found = lw.lay_out(load(folder, drilled)).masses["a"]
    assert found.mass == pytest.approx(1000 * 1000 - 500 * 6, rel=1e-13)
    np.testing.assert_allclose(found.com, 0.0, atol=1e-12)


@pytest.mark.parametrize(("units", "scale"), [("mm", 1e-3), ("in", 0.0254), ("25.4 mm", 25.4e-3), ("0.5 m", 0.5)])
def test_units(units: str, scale: float, folder: Path) -> None:
    solid = load(folder, f"mesh: box.obj, units: {units}").bodies["a"].solid
    assert isinstance(solid, MeshSolid)
    assert solid.scale == scale
    assert solid.integrals[15] == pytest.approx(6 * scale**3, rel=1e-13)


@pytest.mark.parametrize(
    ("solid", "message"),
    [
        ("mesh: box.stl", "has no units; say `units: mm`"),
        ("mesh: box.stl, units: kg", "'kg' is not a length unit"),
        ("mesh: box.stl, units: parsnip", "there is no unit 'parsnip'"),
        ("mesh: box.stl, units: ''", "cannot read the unit ''"),
        ("mesh: box.stl, units: 0 mm", "0 is not a positive scale"),
        ("mesh: box.stl, units: 5", "5 is not text"),
        ("mesh: bax.stl, units: mm", "there is no mesh file 'bax.stl'"),
        ("mesh: ., units: mm", "'.' is not a mesh file"),
        ("mesh: box.step, units: mm", "'box.step' is not a mesh file; one of .stl"),
        ("mesh: ../box.stl, units: mm", "lies outside the folder of the model"),
        ("mesh: a/../../box.stl, units: mm", "lies outside the folder of the model"),
        ("mesh: '..\\box.stl', units: mm", "lies outside the folder of the model"),
        ("mesh: /etc/box.stl, units: mm", "lies outside the folder of the model"),
        ("mesh: 'C:\\box.stl', units: mm", "lies outside the folder of the model"),
        ('mesh: "box\\0.stl", units: mm', "there is no mesh file"),
        (f"mesh: {'x' * 5000}.stl, units: mm", "there is no mesh file"),
        ("mesh: [box.stl], units: mm", "a list is not text"),
    ],
)
def test_complaints(solid: str, message: str, folder: Path) -> None:
    text = complaint(folder, solid)
    assert message in text
    assert len(text) < 300


def test_links_may_not_lead_out(folder: Path) -> None:
    trimesh.creation.box().export(folder.parent / "secret.stl")
    (folder / "link.stl").symlink_to(folder.parent / "secret.stl")
    (folder / "loop.stl").symlink_to(folder / "loop.stl")
    (folder / "inner.stl").symlink_to(folder / "box.stl")
    (folder / "door").symlink_to(folder.parent)
    assert "lies outside" in complaint(folder, "mesh: link.stl, units: mm")
    assert "lies outside" in complaint(folder, "mesh: door/secret.stl, units: mm")
    assert "there is no mesh file" in complaint(folder, "mesh: loop.stl, units: mm")
    load(folder, "mesh: inner.stl, units: mm")


def test_other_files_are_not_opened(folder: Path) -> None:
    (folder.parent / "outside.mtl").write_text("newmtl x\n")
    text = (folder / "box.obj").read_text()
    (folder / "dressed.obj").write_text("mtllib ../outside.mtl\nusemtl x\n" + text)
    assert load(folder, "mesh: dressed.obj, units: mm").bodies["a"].solid is not None


def test_text_without_a_folder_has_no_meshes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(lw.ModelError, match="load the model from a file"):
        lw.loads(model("mesh: box.stl, units: mm"))


def test_open_and_inverted_surfaces(folder: Path) -> None:
    box = trimesh.creation.box()
    box.faces = box.faces[:-1]
    box.export(folder / "open.stl")
    box = trimesh.creation.box()
    box.invert()
    box.export(folder / "inverted.stl")
    box = trimesh.creation.box()
    box.faces = np.vstack([box.faces[:-1], box.faces[-1:, ::-1]])
    box.export(folder / "mixed.ply")
    flat = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 1]])
    flat.export(folder / "flat.off")
    assert "is not watertight; close its holes" in complaint(folder, "mesh: open.stl, units: mm")
    assert "do not all point outward; turn its faces" in complaint(folder, "mesh: inverted.stl, units: mm")
    assert "mesh" in complaint(folder, "mesh: mixed.ply, units: mm")
    assert "mesh" in complaint(folder, "mesh: flat.off, units: mm")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_garbage(suffix: str, folder: Path) -> None:
    file = folder / f"garbage{suffix}"
    good = (folder / f"box{suffix}").read_bytes()
    rng = np.random.default_rng(5)
    for data in (
        b"",
        b"\n",
        bytes(100),
        b"garbage " * 50,
        rng.bytes(3000),
        good[: len(good) // 2],
        good[:90] + rng.bytes(800),
    ):
        file.write_bytes(data)
        text = complaint(folder, f"mesh: garbage{suffix}, units: mm")
        assert any(word in text for word in ("cannot be read as", "has no faces", "not watertight", "not finite")), text


def test_numbers_that_are_not_finite(folder: Path) -> None:
    text = (folder / "box.off").read_text()
    for bad in ("nan", "1e200"):
        (folder / "bad.off").write_text(text.replace("4.5", bad))
        assert "mesh 'bad.off'" in complaint(folder, "mesh: bad.off, units: mm")


@pytest.mark.parametrize("units", [0, -1.0, 1e40, 1e400, float("nan"), True])
def test_factors_that_are_none(units: float, folder: Path) -> None:
    with pytest.raises(lw.ModelError):
        lw.read_mesh("box.stl", units, folder=folder)


def test_huge_file(folder: Path) -> None:
    with (folder / "huge.stl").open("wb") as stream:
        os.truncate(stream.fileno(), mesh_module.MAX_MESH_BYTES + 1)
    assert "has more than 200 MB" in complaint(folder, "mesh: huge.stl, units: mm")


@pytest.mark.parametrize("is_json", [False, True])
def test_round_trip(is_json: bool, folder: Path) -> None:
    hole = lw.read_mesh("box.ply", "in", folder=folder, density=3.0, frame=lw.placement((1, 2, 3), rpy=(0.1, 0.2, 0.3)))
    m = lw.Mechanism()
    m.body("a", solid=lw.Box(size=(9.0, 9.0, 9.0)) + lw.read_mesh("box.stl", 1 / 3, folder=folder) - hole, density=1.0)
    text = lw.dumps(m, is_json=is_json)
    again = lw.loads(text, folder=folder, is_json=is_json)
    assert again == m
    assert lw.dumps(again, is_json=is_json) == text
    file = lw.save(m, folder / ("model.json" if is_json else "model.yaml"))
    assert lw.load(file) == m


def test_a_model_is_saved_beside_its_meshes_only(tmp_path: Path) -> None:
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "cube.stl")
    m = lw.Mechanism()
    m.body("a", solid=lw.read_mesh("cube.stl", "mm", folder=tmp_path), density=1000)
    m.revolute("A", m.ground, "a", axis="z")
    assert lw.load(lw.save(m, tmp_path / "a.yaml")) == m
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(lw.ModelError, match=r"there is no mesh 'cube\.stl' beside the file"):
        lw.save(m, tmp_path / "elsewhere" / "a.yaml")
    with pytest.raises(lw.ModelError, match="cannot be written"):
        lw.save(lw.Mechanism(), tmp_path / "nowhere" / "a.yaml")


def test_gltf_that_names_other_files(folder: Path) -> None:
    files = trimesh.exchange.gltf.export_gltf(trimesh.Scene(trimesh.creation.box()))
    for name, data in files.items():
        (folder / name).write_bytes(data)
    assert "keeps its numbers in other files; export it as .glb" in complaint(folder, "mesh: model.gltf, units: m")


def look_complaint(folder: Path, looks: str, where: str) -> str:
    with pytest.raises(lw.ModelError) as caught:
        lw.loads(f"linkwork: 1\nbodies:\n  a:\n    looks:\n      - {{{looks}}}\n", folder=folder)
    (problem,) = caught.value.problems
    assert (problem.line, problem.where) == (5, where)
    return f"{problem.what}; {problem.hint}"


def test_looks_are_read_when_they_are_drawn(folder: Path) -> None:
    text = "linkwork: 1\nbodies:\n  a: {mass: 1, looks: [{mesh: box.obj, units: mm, at: [1, 2, 3]}], colour: sky}\n"
    m = lw.loads(text, folder=folder)
    (look,) = m.bodies["a"].looks
    assert isinstance(look, MeshLook)
    vertices, faces = mesh_module.surface_of(look)
    np.testing.assert_allclose(
        [vertices.min(axis=0), vertices.max(axis=0)], [[3.5e-3, 4e-3, 4.5e-3], [4.5e-3, 6e-3, 7.5e-3]]
    )
    assert faces.shape == (12, 3)
    assert lw.loads(lw.dumps(m), folder=folder) == m
    assert lw.load(lw.save(m, folder / "model.yaml")) == m
    (folder / "box.obj").unlink()
    assert lw.load(folder / "model.yaml") == m  # a picture that is missing does not stop an analysis
    with pytest.raises(lw.ModelError, match="there is no mesh file"):
        mesh_module.surface_of(look)
    (unread,) = lw.loads(text).bodies["a"].looks
    assert isinstance(unread, MeshLook)
    with pytest.raises(lw.ModelError, match="cannot be looked for"):
        mesh_module.surface_of(unread)


def test_looks_that_are_refused(folder: Path) -> None:
    mesh = "bodies.a.looks[0].mesh"
    assert "has no units" in look_complaint(folder, "mesh: box.stl", mesh)
    assert "lies outside the folder" in look_complaint(folder, "mesh: ../box.stl, units: mm", mesh)
    assert "is not a mesh file" in look_complaint(folder, "mesh: box.step, units: mm", mesh)
    assert "-1 is not a positive radius" in look_complaint(folder, "sphere: {radius: -1}", "bodies.a.looks[0].sphere")
    assert "unknown key 'minus'" in look_complaint(folder, "box: [1, 1, 1], minus: true", "bodies.a.looks[0].minus")


def test_an_open_surface_can_be_looked_at(folder: Path) -> None:
    box = trimesh.creation.box()
    trimesh.Trimesh(box.vertices, box.faces[:-1]).export(folder / "open.stl")
    assert len(mesh_module.surface_of(lw.mesh_look("open.stl", "mm", folder=folder))[1]) == 11


def test_a_changed_file_is_read_again(folder: Path) -> None:
    look = lw.mesh_look("box.stl", 1.0, folder=folder)
    assert mesh_module.surface_of(look)[0].max() == 7.5
    trimesh.creation.icosphere(2).export(folder / "box.stl")
    assert mesh_module.surface_of(look)[0].max() == pytest.approx(1.0, abs=1e-6)


def test_a_look_is_no_solid(folder: Path) -> None:
    m = lw.Mechanism()
    with pytest.raises(lw.ModelError, match="only to be seen among the solids"):
        m.body("a", solid=lw.Box(size=(1, 1, 1)) + lw.mesh_look("box.stl", "mm", folder=folder), density=1.0)
