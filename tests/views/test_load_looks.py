"""Springs, dampers, forces and torques as they are seen: where their shapes end, in every posture of a motion."""

import io
import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.colours import LIGHT
from linkwork.model.layout import lay_out
from linkwork.views.followers import follower_of
from linkwork.views.line_drawing import LineDrawing
from linkwork.views.load_symbols import load_symbols
from linkwork.views.painting.painter import paint
from linkwork.views.painting.surface import surface_of
from linkwork.views.placed_layout import layout_at
from linkwork.views.record import animation_page
from linkwork.views.scene import scene_of
from linkwork.views.scene.parts import Part, Scene
from linkwork.views.scene.shapes import volume
from linkwork.views.scene.wires import arc_path, coil_path, curved_arrow, wire
from linkwork.views.stage import LOCALHOST, Stage, quiet, stop_server, viser_module
from linkwork.views.tracks import tracks_of
from linkwork.views.workbench.player import Player


def press() -> lw.Mechanism:
    """A slider-crank in the plane of x and y, with one load of every kind that is seen."""
    m = lw.Mechanism("press", gravity=(0, -9.81, 0))
    m.body("crank", mass=0.8, com=(0.025, 0, 0), inertia=(1e-4, 4e-4, 4e-4))
    m.body("rod", mass=0.55, com=(0.125, 0, 0), inertia=(1e-4, 2e-3, 2e-3))
    m.body("ram", mass=0.7, com=(0.25, 0, 0))
    m.revolute("A", "ground", "crank", axis="z")
    m.revolute("B", "crank", "rod", at=(0.05, 0, 0), axis="z")
    m.revolute("C", "rod", "ram", at=(0.25, 0, 0), axis="z")
    m.prismatic("D", "ground", "ram", at=(0.25, 0, 0), axis="x")
    m.point("P", "ram", (0.27, 0, 0))
    m.point("Q", "ground", (0.4, 0, 0))
    m.point("R", "rod", (0.15, 0, 0))
    m.point("S", "ground", (0.15, -0.12, 0))
    m.spring("coil", "P", "Q", stiffness=12e3, free=0.15)
    m.damper("dash", "S", "R", damping=200.0)
    m.spring("clock", joint="A", stiffness=0.5, free=-1.0)
    m.force("work", "P", along="-x", amount=200.0)
    m.force("pull", "R", along="y", on="rod", amount=20.0)
    m.force("rope", "R", toward=("R", "S"), amount=5.0)
    m.torque("brake", "crank", about="z", amount="-0.2*rate(A)")
    return m


def spatial(seed: int) -> lw.Mechanism:
    """An arm of two links in space with a spring between random places of ground and of its hand."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("arm")
    m.revolute("A", "ground", m.body("upper", mass=1.0), axis="z")
    m.revolute("B", "upper", m.body("hand", mass=1.0), at=(0.5, 0, 0), axis="y")
    m.point("P", "ground", rng.uniform(-1, 1, 3))
    m.point("Q", "hand", rng.uniform(-1, 1, 3))
    m.spring("coil", "P", "Q", stiffness=100.0)
    m.damper("dash", "Q", "P", damping=10.0)
    return m


def parts(scene: Scene, of: str) -> list[Part]:
    return [p for p in scene.parts if (p.kind, p.of) == ("load", of)]


def test_coils_end_at_their_points_in_every_posture() -> None:
    """Bodies of a planar machine are drawn in layers; points of the same layer have nothing between them but length."""
    m = press()
    s = m.assemble()
    scene = scene_of(m, layout_at(s))
    (coil,) = parts(scene, "coil")
    ends = {p: next(x for x in scene.parts if (x.kind, x.of) == ("point", p)) for p in "PQ"}
    for angle in np.linspace(-3.0, 3.0, 13):
        posture = s.at(A=angle)
        poses = scene.followed({b: posture.pose(b) for b in s.bodies})
        here = coil.mesh.moved(poses[coil.body]).vertices
        for place, name in ((here[:6].mean(axis=0), "P"), (here[-6:].mean(axis=0), "Q")):
            drawn = ends[name].mesh.moved(poses[ends[name].body]).vertices.mean(axis=0)
            assert np.abs(place - drawn).max() < 1e-12  # where the point is drawn
            assert np.abs((place - posture.position(name))[:2]).max() < 1e-12  # which is before or behind it


@pytest.mark.parametrize("seed", range(6))
def test_in_space_they_end_at_the_points_themselves(seed: int) -> None:
    m = spatial(seed)
    s = m.assemble()
    scene = scene_of(m, layout_at(s))
    (coil,) = parts(scene, "coil")
    rod, housing = parts(scene, "dash")
    rng = np.random.default_rng(seed)
    for a, b in rng.uniform(-3, 3, (8, 2)):
        posture = s.at(A=a, B=b)
        poses = scene.followed({body: posture.pose(body) for body in s.bodies})
        P, Q = posture.position("P"), posture.position("Q")
        here = coil.mesh.moved(poses[coil.body]).vertices
        assert np.abs(here[:6].mean(axis=0) - P).max() < 1e-12
        assert np.abs(here[-6:].mean(axis=0) - Q).max() < 1e-12
        away = np.linalg.norm(np.cross(here - P, Q - P), axis=1) / np.linalg.norm(Q - P)
        # Its radius is the same however far it is stretched.
        assert away.max() == pytest.approx(np.linalg.norm(coil.mesh.vertices[:, :2], axis=1).max(), rel=1e-9)
        ends = rod.mesh.moved(poses[rod.body]).vertices
        along = (ends - Q) @ (P - Q) / np.linalg.norm(P - Q)
        assert (along.min(), along.max()) == pytest.approx((0.0, np.linalg.norm(P - Q)), abs=1e-12)
        # The cylinder keeps its length.
        X = poses[housing.body]
        assert np.abs(X[:3, :3].T @ X[:3, :3] - np.eye(3)).max() < 1e-12
        assert np.abs(X[:3, 3] - Q).max() < 1e-12


def test_arrows_point_along_their_forces_with_the_tip_at_the_point() -> None:
    m = press()
    s = m.assemble()
    scene = scene_of(m, layout_at(s))
    for angle in (0.0, 0.7, 2.5, -1.3):
        posture = s.at(A=angle)
        poses = scene.followed({b: posture.pose(b) for b in s.bodies})
        R = posture.position("R")
        rope = posture.position("S") - R
        ways = {
            "work": (posture.position("P"), np.array([-1.0, 0.0, 0.0])),
            "pull": (R, posture.pose("rod")[:3, 1]),
            "rope": (R, rope / np.linalg.norm(rope)),
        }
        for name, (tip, way) in ways.items():
            (arrow,) = parts(scene, name)
            here = arrow.mesh.moved(poses[arrow.body]).vertices
            along = (here - tip) @ way
            assert (along.min(), along.max()) == pytest.approx((-0.14 * scene.size, 0.0), abs=1e-12)
            aside = (here - tip) - np.outer(along, way)
            assert np.abs(aside[np.argmax(along)][:2]).max() < 1e-12
        (brake,) = parts(scene, "brake")
        assert np.abs(poses[brake.body][:3, 2] - [0, 0, 1]).max() < 1e-12
        middle = (posture.pose("crank") @ [0.025, 0.0, 0.0, 1.0])[:2]
        assert np.abs(poses[brake.body][:2, 3] - middle).max() < 1e-12


def test_a_spring_about_a_pin_is_a_spiral_about_its_axis() -> None:
    scene = scene_of(press())
    (clock,) = parts(scene, "clock")
    assert clock.body == "ground"
    assert volume(clock.mesh) > 0.0
    away = np.linalg.norm(clock.mesh.vertices[:, :2], axis=1)
    assert 0.0 < away.min() < 0.5 * away.max() < 0.06 * scene.size


def test_wires_have_the_volume_of_their_length() -> None:
    """A straight wire of a hexagon: 3 √3 / 2 r² l; an arc's is that times its mean length."""
    straight = wire(np.array([[0, 0, 0], [0, 0, 0.5], [0, 0, 2.0]]), 0.1)
    assert volume(straight) == pytest.approx(1.5 * math.sqrt(3) * 0.01 * 2.0, rel=1e-12)
    path = arc_path(1.0, math.pi)
    length = np.linalg.norm(np.diff(path, axis=0), axis=1).sum()
    assert volume(wire(path, 0.02)) == pytest.approx(1.5 * math.sqrt(3) * 4e-4 * length, rel=2e-3)
    coil = coil_path(2.0, 0.3, 5)
    assert np.linalg.norm(coil[:, :2], axis=1).max() == pytest.approx(0.3, rel=1e-12)
    assert coil[0].tolist() == [0, 0, 0]
    assert coil[-1].tolist() == [0, 0, 2]
    for sign in (1.0, -1.0):
        bow = curved_arrow(1.0, sign * 1.5 * math.pi, 0.01)
        assert volume(bow) > 0.0
        tip = np.array([math.cos(1.5 * math.pi), sign * math.sin(1.5 * math.pi), 0.0])
        assert np.linalg.norm(bow.vertices - tip, axis=1).min() < 0.01


def test_what_is_stretched_is_lit_by_its_true_normals() -> None:
    """Normals across a stretched surface: those of the moved triangles themselves."""
    m = spatial(3)
    s = m.assemble()
    scene = scene_of(m, layout_at(s))
    posture = s.at(A=0.8, B=-1.0)
    poses = scene.followed({b: posture.pose(b) for b in s.bodies})
    surface = surface_of(scene, LIGHT)
    (coil,) = parts(scene, "coil")
    moved = coil.mesh.moved(poses[coil.body])
    a, b, c = (moved.vertices[moved.faces[:, k]] for k in range(3))
    true = np.cross(b - a, c - a)
    true /= np.linalg.norm(true, axis=1, keepdims=True)
    M = poses[coil.body][:3, :3]
    flat = [coil.mesh.vertices[coil.mesh.faces[:, k]] for k in range(3)]
    own = np.cross(flat[1] - flat[0], flat[2] - flat[0])
    turned = own @ (M / np.sum(M * M, axis=0)).T
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    assert np.abs(turned - true).max() < 1e-9
    assert coil.body in surface.bodies


@pytest.fixture
def server():  # type: ignore[no-untyped-def]
    with quiet():
        made = viser_module("a test").ViserServer(host=LOCALHOST, port=0, verbose=False)
    yield made
    stop_server(made)


def test_on_a_page_they_follow_a_run(server) -> None:  # type: ignore[no-untyped-def]
    m = spatial(1)
    s = m.assemble()
    run = s.motion(A=lw.ramp(0.0, 2.0, duration=1.0), B=lw.ramp(0.0, -1.0, duration=1.0), samples=9)
    stage = Stage(server.scene, scene_of(m, layout_at(s)))
    player = Player(lambda sample: None, lambda error: None)
    try:
        player.load(run, stage)
        for sample in (0, 3, 8):
            player.place(sample)
            P, Q = (run[p].position.values[sample] for p in "PQ")
            node = stage.bodies["load.coil"]
            assert np.abs(np.asarray(node.position) - P * stage.unit).max() < 1e-9
            (mesh,) = (stage.parts[p.name] for p in parts(stage.scene, "coil"))
            assert mesh.scale[2] == pytest.approx(np.linalg.norm(Q - P), rel=1e-9)
            w, x, y, z = node.wxyz
            third = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
            assert np.abs(third - (Q - P) / np.linalg.norm(Q - P)).max() < 1e-9
    finally:
        player.close()


def test_a_recorded_page_has_its_stretches() -> None:
    m = spatial(1)
    s = m.assemble()
    run = s.motion(A=lw.ramp(0.0, 2.0, duration=1.0), samples=5)
    scene = scene_of(m, layout_at(s))
    tracks = tracks_of(run, scene.bodies)
    assert set(tracks.positions) == {"upper", "hand"}  # springs have no track of their own: they follow
    X = tracks.poses(3, scene.followed_bodies)
    assert set(X) == {"hand"}
    assert np.abs(X["hand"][:3, 3] - run["hand"].position.values[3]).max() < 1e-12
    assert "viser" in animation_page(scene, tracks)


def test_line_symbols_lie_between_the_points_and_at_them() -> None:
    m = press()
    s = m.assemble()
    for angle in (0.0, 1.0, -2.0):
        posture = s.at(A=angle)
        symbols = {x.name: x for x in load_symbols(m, layout_at(s, posture), np.array([0.0, 0.0, 1.0]))}
        assert set(symbols) == set(m.loads)
        P, Q, R, S = (posture.position(p) for p in "PQRS")
        (zigzag,) = symbols["coil"].lines
        assert np.abs(zigzag[0] - P).max() < 1e-12
        assert np.abs(zigzag[-1] - Q).max() < 1e-12
        assert np.abs(zigzag[:, 2]).max() < 1e-12  # in the page
        assert np.ptp(zigzag[:, 1]) == pytest.approx(0.07 * s.layout.size, rel=1e-9)
        first, *_, last = symbols["dash"].lines
        assert np.abs(first[0] - S).max() < 1e-12
        assert np.abs(last[-1] - R).max() < 1e-12
        shaft, head = symbols["work"].lines
        assert np.abs(shaft[-1] - P).max() < 1e-12
        assert np.abs(head[1] - P).max() < 1e-12
        assert shaft[0] - shaft[1] == pytest.approx(np.array([0.14 * s.layout.size, 0.0, 0.0]), abs=1e-12)
        assert np.abs(symbols["clock"].lines[0][:, 2]).max() < 1e-12
    ax = lw.draw_layout(m)
    written = {t.get_text() for t in ax.texts}
    assert set(m.loads) <= {name for text in written for name in text.split(", ")}


def test_spatial_machines_are_drawn_with_their_loads_too() -> None:
    m = spatial(2)
    ax = lw.draw_layout(m)
    drawing = LineDrawing(m, lay_out(m), ax, None, lay_out(m).units)
    drawing.draw()
    assert {"coil", "dash"} <= {name for n in drawing.names for name in n.text.split(", ")}


def test_points_that_meet_still_have_a_frame() -> None:
    m = lw.Mechanism("meet")
    m.revolute("A", "ground", m.body("a", mass=1.0), axis="z")
    m.point("P", "ground", (0.1, 0, 0))
    m.point("Q", "a", (-0.1, 0, 0))
    m.spring("coil", "P", "Q", stiffness=1.0)
    follower = follower_of(m, lay_out(m), m.loads["coil"], None)
    assert follower is not None
    half_turn = np.diag([-1.0, -1.0, 1.0, 1.0])
    X = follower.pose({**lay_out(m).X_WB, "a": half_turn})
    assert X[:3, 2].tolist() == [0, 0, 0]  # stretched to no length at all
    scene = scene_of(m)
    painted = paint(scene, {"a": half_turn})
    painted.figure.savefig(io.BytesIO(), dpi=40)
