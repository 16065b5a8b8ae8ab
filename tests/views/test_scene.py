"""What machines look like: parts that ride on their bodies, at their joints, at every size."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork import geometry as geo
from linkwork.geometry import Array
from linkwork.model.layout import lay_out
from linkwork.model.mechanism import Mechanism
from linkwork.views.placed_layout import layout_at
from linkwork.views.scene import Mesh, Scene, camera_for, scene_of
from linkwork.views.scene.shapes import volume

GALLERY = lw.examples()


def world(scene: Scene, kind: str, of: str) -> list[Array]:
    """Vertices of the parts that show something, in the world."""
    return [p.mesh.moved(scene.poses[p.body]).vertices for p in scene.parts if (p.kind, p.of) == (kind, of)]


def assert_closed(mesh: Mesh) -> None:
    edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    code = edges[:, 0] * len(mesh.vertices) + edges[:, 1]
    back = edges[:, 1] * len(mesh.vertices) + edges[:, 0]
    assert len(np.unique(code)) == len(code)
    assert np.array_equal(np.sort(code), np.sort(back))


@pytest.mark.parametrize("name", GALLERY)
def test_gallery(name: str) -> None:
    m = lw.example(name)
    layout = lay_out(m)
    scene = scene_of(m, layout)
    joined = {b for j in m.joints.values() for b in (j.tail, j.head)}
    assert {p.body for p in scene.parts} >= joined - ({scene.ground} if name == "free-box" else set())
    names = [p.name for p in scene.parts]
    assert len(set(names)) == len(names)
    assert all(set(n) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") for n in names)
    for part in scene.parts:
        assert np.isfinite(part.mesh.vertices).all()
        assert (part.mesh.faces.min(), part.mesh.faces.max()) >= (0, 0)
        assert part.mesh.faces.max() < len(part.mesh.vertices)
        assert_closed(part.mesh)
        assert volume(part.mesh) > 0.0
    everything = np.concatenate([p.mesh.moved(scene.poses[p.body]).vertices for p in scene.parts])
    np.testing.assert_allclose(scene.corners, [everything.min(axis=0), everything.max(axis=0)], rtol=1e-15)
    # Everything is near the machine, and of its size.
    assert 0.2 * layout.size < np.linalg.norm(np.ptp(scene.corners, axis=0)) < 3.0 * scene.size
    written = [label for part in scene.labels for label in part.text.split(", ")]
    assert set(written) <= {*m.bodies, *m.joints, *m.points, *m.frames, *m.loads}
    assert len(written) == len(set(written)) <= 40
    assert scene_of(m, layout, names=False).labels == ()


@pytest.mark.parametrize("name", GALLERY)
def test_symbols_lie_at_their_joints(name: str) -> None:
    m = lw.example(name)
    layout = lay_out(m)
    scene = scene_of(m, layout)
    for joint, seat in ((j, layout.seats[j.name]) for j in m.joints.values()):
        vertices = world(scene, "joint", joint.name)
        if joint.law.kind in ("revolute", "spheric", "universal", "rigid"):
            assert vertices
            assert np.linalg.norm(vertices[0].mean(axis=0) - seat.X_WM[:3, 3]) < 0.15 * scene.size
            low, high = vertices[0].min(axis=0), vertices[0].max(axis=0)
            middle = (low + high) / 2 - seat.X_WM[:3, 3]
            if joint.law.kind == "revolute":  # along the axis a pin may be longer on one side, to reach its layers
                middle -= (middle @ seat.X_WM[:3, 2]) * seat.X_WM[:3, 2]
            assert np.linalg.norm(middle) < 1e-9 * scene.size
        elif (
            joint.law.kind in ("prismatic", "cylindric")
            and vertices
            and name not in ("flat-faced-cam", "plate-cam-point-follower")
        ):
            middle = (vertices[0].min(axis=0) + vertices[0].max(axis=0)) / 2 - seat.X_WM[:3, 3]
            across = middle - (middle @ seat.X_WM[:3, 2]) * seat.X_WM[:3, 2]
            normal = np.zeros(3) if scene.normal is None else scene.normal
            assert np.linalg.norm(across - (across @ normal) * normal) < 1e-9 * scene.size


@pytest.mark.parametrize(
    "name", ["slider-crank", "stewart-platform", "planetary-set", "flat-faced-cam", "excavator-arm"]
)
def test_parts_ride_on_their_bodies(name: str) -> None:
    m = lw.example(name)
    machine = m.assemble()
    scene = scene_of(m, layout_at(machine))
    layout = layout_at(machine, _moved(machine))
    assert any(np.abs(layout.X_WB[b] - scene.poses[b]).max() > 1e-3 for b in m.bodies)
    # Carried by the bodies of the other posture, the symbols are still at their joints.
    for joint in m.joints.values():
        if joint.law.kind not in ("revolute", "spheric", "universal"):
            continue
        for part in (p for p in scene.parts if p.kind == "joint" and p.of == joint.name and p.tint == "metal"):
            vertices = part.mesh.moved(layout.X_WB[part.body]).vertices
            middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2 - layout.seats[joint.name].X_WM[:3, 3]
            if joint.law.kind == "revolute":
                axis = layout.seats[joint.name].X_WM[:3, 2]
                aside = (vertices - layout.seats[joint.name].X_WM[:3, 3]).mean(axis=0)
                middle = aside - (aside @ axis) * axis
            assert np.linalg.norm(middle) < 1e-6 * scene.size
    # Built there, the same parts come out.
    again = scene_of(m, layout)
    assert {p.name for p in again.parts} == {p.name for p in scene.parts}
    for body in m.bodies:
        np.testing.assert_array_equal(again.poses[body], layout.X_WB[body])


def _moved(machine: Any) -> Any:
    """Another posture of a machine."""
    joint = {
        "slider-crank": "A",
        "stewart-platform": "P1",
        "planetary-set": "sun_shaft",
        "flat-faced-cam": "A",
        "excavator-arm": "swing",
    }[machine.mechanism.name]
    value = machine.home[joint]
    now = float(np.ravel(np.asarray(value, dtype=float))[0])
    return machine.at(**{joint: now + (0.05 if joint == "P1" else 0.3)})


def four_bar(scale: float = 1.0) -> Mechanism:
    m = Mechanism("bars", gravity=(0, -9.81, 0))
    for body in ("crank", "coupler", "rocker"):
        m.body(body)
    s = scale
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis="z")
    m.revolute("B", "crank", "coupler", at=(0.1 * s, 0.2 * s, 0), axis="z")
    m.revolute("C", "coupler", "rocker", at=(0.8 * s, 0.5 * s, 0), axis="z")
    m.revolute("D", m.ground, "rocker", at=(0.7 * s, 0, 0), axis="z")
    m.point("P", "coupler", (0.4 * s, 0.7 * s, 0))
    return m


def everything(scale: float) -> Mechanism:
    """Sliders, gears, a screw, balls, crosses and a cam in one machine."""
    s = scale
    m = Mechanism("all", gravity=(0, 0, -9.81))
    for body in ("a", "b", "c", "d", "e", "f", "g", "h", "k"):
        m.body(body)
    m.revolute("R", m.ground, "a", at=(0, 0, 0), axis="z")
    m.gear("G", "a", "b", at=(0, 0, 0), to=(0.3 * s, 0, 0), axis="z", radii=(0.1 * s, 0.2 * s))
    m.revolute("R2", m.ground, "b", at=(0.3 * s, 0, 0), axis="z")
    m.prismatic("P", m.ground, "c", at=(0, s, 0), axis="x")
    m.universal("U", "c", "d", at=(0, s, 0.2 * s), axes=("x", "y"))
    m.cylindric("C", "d", "e", at=(0, s, 0.5 * s), axis="z")
    m.spheric("S", "e", "f", at=(0, s, s))
    m.helical("H", "f", "g", at=(0.5 * s, s, s), axis="x", lead=0.05 * s)
    m.rigid("X", "g", "h", at=(s, s, s))
    m.flat("F", "h", m.ground, at=(s, s, 0), axis="z")
    circle = m.curve("ring", fourier={"u_cos": [0.2 * s], "v_sin": [0.2 * s]})
    m.point_on_curve("Q", "a", "k", curve=circle, at=(0, 0, 0), to=(0.2 * s, 0, 0), axis="z")
    m.prismatic("P2", m.ground, "k", at=(0.2 * s, 0, 0), axis="x")
    return m


@pytest.mark.parametrize("scale", [1e-6, 1e6])
@pytest.mark.parametrize("make", [four_bar, everything])
def test_size_does_not_matter(make: Any, scale: float) -> None:
    plain, scaled = scene_of(make(1.0)), scene_of(make(scale))
    assert [p.name for p in plain.parts] == [p.name for p in scaled.parts]
    assert scaled.size == pytest.approx(scale * plain.size, rel=1e-12)
    for a, b in zip(plain.parts, scaled.parts, strict=True):
        assert np.array_equal(a.mesh.faces, b.mesh.faces), a.name
        np.testing.assert_allclose(b.mesh.vertices / scale, a.mesh.vertices, atol=1e-8)
    assert [(label.text, label.body) for label in plain.labels] == [(label.text, label.body) for label in scaled.labels]


def test_planar_links_lie_in_layers() -> None:
    scene = scene_of(four_bar())
    depths = {}
    for body in ("crank", "coupler", "rocker"):
        (vertices,) = world(scene, "body", body)
        depths[body] = (vertices[:, 2].min(), vertices[:, 2].max())
    # Those that meet in a pin do not cut into each other; the pin reaches through both.
    for pin, (a, b) in {"B": ("crank", "coupler"), "C": ("coupler", "rocker")}.items():
        assert depths[a][1] <= depths[b][0] + 1e-12 or depths[b][1] <= depths[a][0] + 1e-12
        (vertices,) = world(scene, "joint", pin)
        assert vertices[:, 2].min() < min(depths[a][0], depths[b][0])
        assert vertices[:, 2].max() > max(depths[a][1], depths[b][1])
    # Ground is behind all.
    assert max(v[:, 2].max() for v in world(scene, "ground", "A")) <= min(d[0] for d in depths.values()) + 1e-12
    # A bar is as long as its link and its two ends, and no wider than a third of it.
    (vertices,) = world(scene, "body", "crank")
    along = vertices[:, :2] @ np.array([0.1, 0.2]) / math.hypot(0.1, 0.2)
    across = vertices[:, :2] @ np.array([0.2, -0.1]) / math.hypot(0.1, 0.2)
    width = float(np.ptp(across))
    assert float(np.ptp(along)) == pytest.approx(math.hypot(0.1, 0.2) + width, rel=1e-2)
    assert 0.02 * scene.size < width < math.hypot(0.1, 0.2) / 3


def test_up_and_normal() -> None:
    np.testing.assert_array_equal(scene_of(four_bar()).up, (0, 1, 0))
    np.testing.assert_array_equal(scene_of(lw.example("slider-crank-offset")).up, (0, 1, 0))  # no gravity: the page
    assert scene_of(lw.example("stewart-platform")).normal is None
    np.testing.assert_array_equal(scene_of(lw.example("stewart-platform")).up, (0, 0, 1))
    np.testing.assert_array_equal(scene_of(lw.example("planar-3rpr")).up, (0, 1, 0))  # gravity along the normal
    np.testing.assert_array_equal(scene_of(lw.example("rssr")).up, (0, 0, 1))


def test_telescopes_hold_over_their_travel() -> None:
    m = lw.example("stewart-platform")
    layout = lay_out(m)
    scene = scene_of(m, layout)
    for k in range(1, 7):
        axis = layout.seats[f"P{k}"].X_WF[:3, 2]
        (barrel,) = (v @ axis for v in world(scene, "body", f"lower{k}"))
        (rod,) = (v @ axis for v in world(scene, "body", f"upper{k}"))
        foot, head = barrel.min(), rod.max()
        length = head - foot
        inside = barrel.max() - rod.min()
        assert inside > 0.2 * length  # it may be drawn out by a fifth
        assert rod.min() - foot > 0.2 * length  # and pushed in


def test_limits_make_the_rail() -> None:
    m = Mechanism("slider")
    m.body("block")
    m.prismatic("P", m.ground, "block", at=(0, 0, 0), axis="x", limits=(-0.5, 2.0))
    m.revolute("R", m.ground, m.body("arm"), at=(0, 1, 0), axis="z")
    scene = scene_of(m)
    rail = np.concatenate(world(scene, "ground", "P"))
    assert rail[:, 0].min() < -0.5
    assert rail[:, 0].max() > 2.0
    assert rail[:, 0].max() < 2.6


def test_labels_at_one_place_share_it() -> None:
    m = four_bar()
    m.point("Q", "crank", (0.1, 0.2, 0))
    scene = scene_of(m)
    (label,) = (label for label in scene.labels if "B" in label.text.split(", "))
    assert label.text == "B, Q"
    X = scene.poses[label.body]
    np.testing.assert_allclose(X[:3, :3] @ label.at + X[:3, 3], (0.1, 0.2, 0), atol=1e-12)


def test_many_names_are_left_out() -> None:
    assert scene_of(lw.example("n-four-bar")).labels == ()
    m = Mechanism("chain")
    last: Any = m.ground
    for k in range(25):
        body = m.body(f"b{k}")
        m.revolute(f"J{k}", last, body, at=(k, 0, 0), axis="z")
        last = body
    texts = [label.text for label in scene_of(m).labels]
    assert texts == [f"J{k}" for k in range(25)]


def test_bodies_alone_and_nothing_at_all() -> None:
    m = Mechanism("space", floating=True)
    assert scene_of(m).parts == ()
    assert np.isfinite(scene_of(m).corners).all()
    m.body("rock", mass=1.0)
    m.body("ball", solid=lw.Sphere(radius=2.0, frame=lw.placement((1, 2, 3))), density=1.0)
    scene = scene_of(m)
    assert {p.of for p in scene.parts} == {"rock", "ball"}
    (vertices,) = world(scene, "body", "ball")
    np.testing.assert_allclose((vertices.min(axis=0) + vertices.max(axis=0)) / 2, (1, 2, 3), atol=1e-12)


def test_solids_reach_their_joints() -> None:
    m = Mechanism("far")
    m.body("a", solid=lw.Box(size=(0.1, 0.1, 0.1)), density=1.0)
    m.revolute("R", m.ground, "a", at=(1, 0, 0), axis="z")
    scene = scene_of(m)
    vertices = np.concatenate(world(scene, "body", "a"))
    assert vertices[:, 0].max() == pytest.approx(1.0, abs=1e-9)
    m2 = Mechanism("near")
    m2.body("a", solid=lw.Box(size=(0.1, 0.1, 0.1)) - lw.Sphere(radius=0.01), density=1.0)
    m2.revolute("R", m2.ground, "a", at=(0.04, 0, 0), axis="z")
    scene = scene_of(m2)
    assert len(world(scene, "body", "a")) == 1
    assert scene.notes == ("what is cut out of body 'a' (1) is not shown",)


def test_layouts_with_problems_are_drawn_as_far_as_they_go() -> None:
    m = four_bar()
    layout = lay_out(m)
    seats = {k: v for k, v in layout.seats.items() if k != "B"}
    scene = scene_of(m, replace(layout, seats=seats))
    assert {p.of for p in scene.parts if p.kind == "joint"} == {"A", "C", "D"}


@pytest.mark.parametrize("name", GALLERY)
def test_camera(name: str) -> None:
    scene = scene_of(lw.example(name), names=False)
    camera = camera_for(scene)
    corners = np.array(np.meshgrid(*scene.corners.T)).reshape(3, -1).T
    seen = camera.project(corners)
    assert np.abs(seen).max() <= 0.92 + 1e-9
    assert np.abs(seen).max() > 0.9  # it fills the picture
    middle = (seen.max(axis=0) + seen.min(axis=0)) / 2
    assert np.abs(middle).max() < 1e-2
    wide = camera_for(scene, np.array([scene.corners[0] - scene.size, scene.corners[1] + scene.size]))
    assert np.linalg.norm(wide.eye - wide.target) > np.linalg.norm(camera.eye - camera.target)
    if scene.normal is not None:
        assert float(camera.axes()[2] @ scene.normal) > math.cos(math.radians(20.0))
    assert float(camera.axes()[1] @ scene.up) > 0.85


def test_poses_of_ground_are_kept() -> None:
    m = Mechanism("turned")
    m.body("ground", frame=lw.placement((1, 2, 3), rpy=(0.1, 0.2, 0.3)))
    m.body("arm")
    m.revolute("R", m.ground, "arm", at=(0.5, 0, 0), axis="z")
    m.point("P", "arm", (1.5, 0, 0))
    scene = scene_of(m)
    foot = np.concatenate(world(scene, "ground", "R"))
    assert np.linalg.norm(foot.mean(axis=0) - (0.5, 0, 0)) < 0.2 * scene.size
    np.testing.assert_allclose(geo.inverse(scene.poses["ground"]) @ scene.poses["ground"], np.eye(4), atol=1e-12)
