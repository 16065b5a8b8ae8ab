"""Bodies that bring their own surfaces: looks, colours, meshes from files, cams from curves."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import linkwork as lw
from linkwork.colours import DARK, LIGHT
from linkwork.geometry import Array
from linkwork.model.mechanism import Mechanism
from linkwork.views.placed_layout import layout_at
from linkwork.views.scene import Mesh, Scene, scene_of
from linkwork.views.scene.own import FEWER_FACES, coarser
from linkwork.views.scene.shapes import volume


def arm(**body: Any) -> Mechanism:
    m = Mechanism("arm")
    m.body("link", **body)
    m.revolute("A", m.ground, "link", at=(0, 0, 0), axis="z")
    m.point("P", "link", (1, 0, 0))
    return m


def shown(scene: Scene, body: str) -> list[Any]:
    return [p for p in scene.parts if p.body == body and p.kind == "body"]


def test_looks_take_the_place_of_links_and_solids() -> None:
    plain = scene_of(arm())
    (link,) = shown(plain, "link")
    assert np.ptp(link.mesh.vertices[:, 0]) > 1.0
    for given in ({"mass": 1.0}, {"solid": lw.Sphere(radius=0.3), "density": 1.0}):
        scene = scene_of(arm(looks=lw.Box(size=(0.2, 0.1, 0.1)) + lw.Box(size=(0.1, 0.1, 0.1)), **given))
        (part,) = shown(scene, "link")
        assert volume(part.mesh) == pytest.approx(0.2 * 0.1 * 0.1 + 1e-3)
        assert scene.notes == ()


def test_colours() -> None:
    for given, wanted in (("#0a1b2c", "#0A1B2C"), ("vermilion", "#D55E00")):
        (part,) = shown(scene_of(arm(colour=given)), "link")
        assert part.tint == wanted
        assert LIGHT.colour(part.tint) == DARK.colour(part.tint) == wanted
    assert LIGHT.rgb("#0A1B2C") == (10, 27, 44)
    assert shown(scene_of(arm()), "link")[0].tint == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    trimesh.creation.box((100, 200, 300)).export(tmp_path / "box.stl")
    both = trimesh.Scene()
    both.add_geometry(trimesh.creation.box((1, 1, 1)), transform=trimesh.transformations.translation_matrix((1, 0, 0)))
    both.add_geometry(trimesh.creation.box((1, 1, 1)), transform=trimesh.transformations.translation_matrix((-1, 0, 0)))
    both.export(tmp_path / "both.glb")
    return tmp_path


def mesh_arm(folder: Path, path: str, units: str = "mm") -> Mechanism:
    return arm(looks=lw.mesh_look(path, units, folder=folder, frame=lw.placement((0.5, 0, 0))))


def test_meshes_are_scaled_and_placed(folder: Path) -> None:
    (part,) = shown(scene_of(mesh_arm(folder, "box.stl")), "link")
    np.testing.assert_allclose(
        [part.mesh.vertices.min(axis=0), part.mesh.vertices.max(axis=0)], [[0.45, -0.1, -0.15], [0.55, 0.1, 0.15]]
    )
    (part,) = shown(scene_of(mesh_arm(folder, "both.glb", "m")), "link")  # a scene graph, flattened
    assert part.mesh.vertices[:, 0].min() == pytest.approx(-1.0)
    assert part.mesh.vertices[:, 0].max() == pytest.approx(2.0)
    solid = arm(solid=lw.read_mesh("box.stl", "mm", folder=folder), density=1000.0)
    assert any(volume(p.mesh) == pytest.approx(0.006) for p in shown(scene_of(solid), "link"))


def test_a_picture_never_fails_because_of_a_mesh(folder: Path) -> None:
    (folder / "broken.stl").write_bytes(b"garbage " * 40)
    plain = shown(scene_of(arm()), "link")[0].mesh
    for path, reason in (("gone.stl", "there is no mesh file"), ("broken.stl", "cannot be read|has no faces")):
        m = mesh_arm(folder, path)
        scene = scene_of(m)
        (note,) = scene.notes
        assert note.startswith("a mesh of body 'link' is not shown: ")
        assert any(text in note for text in reason.split("|"))
        (part,) = shown(scene, "link")  # as if there were no looks
        np.testing.assert_array_equal(part.mesh.vertices, plain.vertices)
    unread = lw.loads("linkwork: 1\nbodies: {link: {looks: [{mesh: box.stl, units: mm}]}}\n")
    assert "cannot be looked for" in scene_of(unread).notes[0]


def test_huge_meshes_are_drawn_coarser(folder: Path) -> None:
    trimesh.creation.icosphere(7).export(folder / "fine.ply")  # 327,680 faces
    m = arm(looks=lw.mesh_look("fine.ply", "m", folder=folder))
    scene = scene_of(m)
    (part,) = shown(scene, "link")
    assert FEWER_FACES / 4 < len(part.mesh.faces) <= FEWER_FACES
    assert scene.notes == (
        f"the mesh 'fine.ply' of body 'link' is drawn with {len(part.mesh.faces)} of its 327680 faces",
    )
    assert volume(part.mesh) == pytest.approx(4 / 3 * math.pi, rel=0.01)
    assert np.abs(np.linalg.norm(part.mesh.vertices, axis=1) - 1.0).max() < 0.01


def test_coarser_keeps_a_flat_and_a_tiny_surface() -> None:
    n = 60
    x, y = np.meshgrid(np.arange(n), np.arange(n))
    vertices = np.stack([x.ravel(), y.ravel(), np.zeros(n * n)], axis=1) * 1e-6
    i = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    faces = np.concatenate([np.stack([i, i + 1, i + n], 1), np.stack([i + 1, i + n + 1, i + n], 1)])
    coarse = coarser(Mesh(vertices, faces), 1000)
    assert 100 < len(coarse.faces) <= 1000
    assert np.ptp(coarse.vertices[:, 0]) == pytest.approx(59e-6, rel=0.15)


def test_without_meshes_nothing_heavy_is_imported() -> None:
    code = (
        "import sys, linkwork as lw; from linkwork.views.scene import scene_of; scene_of(lw.example('helical-gears'));"
        "print([n for n in ('trimesh', 'viser', 'matplotlib', 'plotly') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ---------------------------------------------------------------- cams


def outline(mesh: Mesh) -> Array:
    """The edge of a disc: its lower loop, which comes first."""
    return np.asarray(mesh.vertices[: np.argmax(mesh.vertices[:, 2] > mesh.vertices[0, 2] + 1e-9), :2])


def distance_to(loop: Array, place: Array) -> float:
    """From a place to the nearest edge of a loop."""
    a, d = loop, np.roll(loop, -1, axis=0) - loop
    share = np.clip(np.einsum("ij,ij->i", place - a, d) / np.einsum("ij,ij->i", d, d), 0.0, 1.0)
    return float(np.hypot(*(a + share[:, None] * d - place).T).min())


def test_a_plate_cam_keeps_its_roller_at_a_distance() -> None:
    m = lw.example("plate-cam-point-follower")
    machine = m.assemble()
    scene = scene_of(m)
    (cam,) = shown(scene, "cam")
    roller = next(p for p in scene.parts if p.of == "roller" and p.body == "follower")
    radius = float(np.ptp(roller.mesh.vertices[:, 0])) / 2
    for angle in (0.0, 1.0, 2.5, 4.0):
        layout = layout_at(machine, machine.at(shaft=angle))
        edge = outline(cam.mesh.moved(layout.X_WB["cam"]))
        X = layout.X_WB["follower"]
        middle = X[:3, :3] @ roller.mesh.vertices.mean(axis=0) + X[:3, 3]
        assert distance_to(edge, middle[:2]) == pytest.approx(radius, rel=0.02)


def test_a_flat_face_touches_its_cam() -> None:
    m = lw.example("flat-faced-cam")
    machine = m.assemble()
    scene = scene_of(m)
    cam = next(p for p in shown(scene, "cam") if p.of == "B")
    face = next(p for p in scene.parts if p.of == "B" and p.body == "follower")
    for angle in (0.3, 1.0, 2.5, 5.0):
        layout = layout_at(machine, machine.at(A=angle))
        edge = outline(cam.mesh.moved(layout.X_WB["cam"]))
        plate = face.mesh.moved(layout.X_WB["follower"]).vertices[:, :2]
        assert edge[:, 1].max() == pytest.approx(plate[:, 1].min(), abs=2e-3 * scene.size)
        contact = edge[np.argmax(edge[:, 1]), 0]
        assert plate[:, 0].min() < contact < plate[:, 0].max()


def test_open_curves_are_ridges() -> None:
    m = Mechanism("slot")
    m.body("plate"), m.body("pin")
    slot = m.curve("slot", expression=("t", "t*t"), span=(-1.0, 1.0))
    m.revolute("A", m.ground, "plate", at=(0, 0, 0), axis="z")
    m.point_on_curve("Q", "plate", "pin", curve=slot, at=(0, 0, 0), to=(0.5, 0.25, 0), axis="z")
    m.prismatic("P", m.ground, "pin", at=(0.5, 0.25, 0), axis="y")
    scene = scene_of(m)
    ridge = next(p for p in shown(scene, "plate") if p.of == "Q")
    x, y = ridge.mesh.vertices[:, :2].T
    assert np.abs(y - x * x).max() < 0.1
    assert volume(ridge.mesh) > 0.0
