"""Teeth that mesh: no overlap, little play, in the posture drawn and after a turn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.geometry import Array
from linkwork.model.layout import lay_out
from linkwork.model.mechanism import Mechanism
from linkwork.views.placed_layout import layout_at
from linkwork.views.scene import Scene, scene_of
from linkwork.views.scene.shapes import volume
from linkwork.views.scene.teeth import counts_for


def inside(loop: Array, points: Array) -> Any:
    """Whether points (n, 2) lie inside a loop: by the number of its edges to the right of each."""
    found = np.zeros(len(points), dtype=bool)
    x, y = points.T
    for (x0, y0), (x1, y1) in zip(loop, np.roll(loop, -1, axis=0), strict=True):
        if y0 != y1:
            crossing = (y0 > y) != (y1 > y)
            found ^= crossing & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return found


def section(scene: Scene, body: str, of: str, height: float, centre: Array, is_ring: bool) -> Array:
    """The toothed loop of a wheel in the plane z = height, in order about its centre."""
    found = []
    for part in scene.parts:
        if (part.body, part.of, part.kind) != (body, of, "body"):
            continue
        mesh = part.mesh.moved(scene.poses[body])
        z = mesh.vertices[:, 2] - height
        edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
        a, b = edges.T
        cut = (z[a] < 0) & (z[b] >= 0)
        share = (z[a[cut]] / (z[a[cut]] - z[b[cut]]))[:, None]
        found.append(mesh.vertices[a[cut]] + share * (mesh.vertices[b[cut]] - mesh.vertices[a[cut]]))
    points = np.concatenate(found)[:, :2] - centre
    radius = np.hypot(*points.T)
    # The other loop of the section is round: the bore of a wheel, the rim of a ring.
    span = float(np.ptp(radius))
    points = points[radius < radius.max() - 0.25 * span] if is_ring else points[radius > radius.min() + 0.5 * span]
    points = points[np.argsort(np.arctan2(points[:, 1], points[:, 0]), kind="stable")]
    return np.asarray(points + centre)


def overlap(
    first: Array, second: Array, contact: Array, module: float, rings: tuple[bool, bool]
) -> tuple[float, float]:
    """Area that both wheels claim, and that neither does, near the point of contact, by the area of a tooth's pitch."""
    grid = np.linspace(-1.5 * module, 1.5 * module, 240)
    points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    points = points[np.hypot(*points.T) < 1.2 * module] + contact
    a = inside(first, points) != rings[0]
    b = inside(second, points) != rings[1]
    return float(np.mean(a & b)), float(np.mean(~a & ~b))


def pair(
    first: float, second: float, *, internal: bool = False, helix: float = 0.0, turn: float = 0.0, **teeth: Any
) -> Mechanism:
    """Two wheels on ground, the line of centres not along x."""
    m = Mechanism("pair")
    m.body("a"), m.body("b")
    distance = abs(first - second) if internal else first + second
    centre = (distance * math.cos(0.7), distance * math.sin(0.7), 0.0)
    m.revolute("A", m.ground, "a", at=(0, 0, 0), axis="z", value=turn)
    m.revolute("B", m.ground, "b", at=centre, axis="z")
    m.gear(
        "G",
        "a",
        "b",
        at=(0, 0, 0),
        to=centre,
        axis="z",
        radii=(first, second),
        internal=internal,
        helix_angle=helix,
        **teeth,
    )
    return m


CASES: dict[str, dict[str, Any]] = {
    "equal": {"first": 0.1, "second": 0.1},
    "told": {"first": 0.1, "second": 0.2, "teeth": (20, 40)},
    "few": {"first": 0.05, "second": 0.5, "teeth": (10, 100)},
    "odd": {"first": 0.1, "second": 0.237},
    "internal": {"first": 0.3, "second": 0.1, "internal": True, "teeth": (60, 20)},
    "inner first": {"first": 0.1, "second": 0.3, "internal": True},
    "helical": {"first": 0.1, "second": 0.2, "teeth": (20, 40), "helix": 0.3},
    "helical internal": {"first": 0.3, "second": 0.1, "internal": True, "teeth": (60, 20), "helix": -0.3},
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("turn", [0.0, 0.11])
def test_teeth_mesh(name: str, turn: float) -> None:
    given = CASES[name]
    m = pair(**given)
    machine = m.assemble()
    layout = layout_at(machine, machine.at(A=turn))
    # Drawn in the layout posture and then turned: the teeth still fit.
    scene = scene_of(m)
    moved = Scene(**{**scene.__dict__, "poses": layout.X_WB})
    first, second = given["first"], given["second"]
    law: Any = m.joints["G"].law
    counts = law.teeth or counts_for(first, second)
    module = 2 * first / counts[0]
    ring = (first > second, second > first) if given.get("internal") else (False, False)
    ahead = np.array([math.cos(0.7), math.sin(0.7)])
    centre = (abs(first - second) if given.get("internal") else first + second) * ahead
    contact = -first * ahead if given.get("internal") and first < second else first * ahead
    for height in (0.0, 0.01) if given.get("helix") else (0.0,):
        a = section(moved, "a", "G", height + 1e-9, np.zeros(2), ring[0])
        b = section(moved, "b", "G", height + 1e-9, centre, ring[1])
        both, neither = overlap(a, b, contact, module, ring)
        assert both < 2e-3
        assert neither < 0.2  # the play at the flanks and the gap under the tips


def test_told_numbers_of_teeth() -> None:
    assert counts_for(1.0, 1.0) == (17, 17)
    assert counts_for(16.0, 10.0) == (24, 15)
    assert counts_for(math.sin(0.2621), math.sin(math.pi / 2 - 0.2621)) == (11, 41)
    small, large = counts_for(1.0, math.sqrt(2.0))
    assert abs(large / small - math.sqrt(2.0)) < 2e-3


def test_planets_fit_sun_and_ring() -> None:
    m = lw.example("planetary-set")
    machine = m.assemble()
    scene = scene_of(m)
    layout = layout_at(machine, machine.at(sun_shaft=0.4, carrier_shaft=0.1))
    for poses in (scene.poses, layout.X_WB):
        here = Scene(**{**scene.__dict__, "poses": poses})
        sun = section(here, "sun", "sun1", 1e-9, np.zeros(2), False)
        ring = section(here, "ring", "ring1", 1e-9, np.zeros(2), True)
        for k in (1, 2, 3):
            X = poses[f"planet{k}"]
            seat = lay_out(m).seats[f"pin{k}"]
            centre = (X[:3, :3] @ seat.X_HM[:3, 3] + X[:3, 3])[:2]
            ahead = centre / np.linalg.norm(centre)
            planet = section(here, f"planet{k}", f"sun{k}", 1e-9, centre, False)
            assert max(overlap(sun, planet, 0.024 * ahead, 0.002, (False, False))) < 0.2
            assert overlap(sun, planet, 0.024 * ahead, 0.002, (False, False))[0] < 2e-3
            assert overlap(ring, planet, 0.060 * ahead, 0.002, (True, False))[0] < 2e-3


def two_planets(angle: float) -> Mechanism:
    """Sun of 24, planets of 18 and ring of 60 teeth; a second planet fits at every 360/84 deg."""
    m = Mechanism("planets")
    m.body("sun"), m.body("ring")
    m.revolute("S", m.ground, "sun", at=(0, 0, 0), axis="z")
    m.revolute("R", m.ground, "ring", at=(0, 0, 0), axis="z")
    for k, at in enumerate((0.0, angle)):
        centre = (0.042 * math.cos(at), 0.042 * math.sin(at), 0.0)
        m.body(f"p{k}")
        m.revolute(f"P{k}", m.ground, f"p{k}", at=centre, axis="z")
        m.gear(f"s{k}", "sun", f"p{k}", at=(0, 0, 0), to=centre, axis="z", teeth=(24, 18), module=0.002)
        m.gear(f"r{k}", "ring", f"p{k}", at=(0, 0, 0), to=centre, axis="z", teeth=(60, 18), module=0.002, internal=True)
    return m


def test_wheels_that_cannot_be_assembled_are_noted() -> None:
    assert scene_of(two_planets(math.radians(37 * 360 / 84))).notes == ()
    (note,) = scene_of(two_planets(math.radians(37.5 * 360 / 84))).notes
    assert "do not fit each other in this posture" in note


def test_solids_that_stand_for_wheels_get_teeth() -> None:
    scene = scene_of(lw.example("helical-gears"))
    (pinion,) = (p for p in scene.parts if p.body == "pinion" and p.kind == "body")
    radius = np.hypot(*pinion.mesh.vertices[:, :2].T)
    assert radius.max() == pytest.approx(0.040 + 0.95 * 0.004, rel=1e-6)
    assert np.ptp(pinion.mesh.vertices[:, 2]) == pytest.approx(0.050)
    ring = next(p for p in scene_of(lw.example("planetary-set")).parts if p.body == "ring" and p.kind == "body")
    radius = np.hypot(*ring.mesh.vertices[:, :2].T)
    assert radius.max() == pytest.approx(0.072)
    assert 0.0578 < radius.min() < 0.0585


def test_rack_and_pinion() -> None:
    for side in (1.0, -1.0):
        m = Mechanism("rack")
        m.body("bar"), m.body("wheel")
        m.prismatic("P", m.ground, "bar", at=(0, 0, 0), axis="x", limits=(-0.3, 0.3))
        m.revolute("R", m.ground, "wheel", at=(0, 0.1 * side, 0), axis="z")
        m.rack("K", "bar", "wheel", at=(0, 0, 0), to=(0, 0.1 * side, 0), axis="z", x="x", radius=0.1, teeth=20)
        machine = m.assemble()
        scene = scene_of(m)
        for slide in (0.0, 0.013):
            poses = layout_at(machine, machine.at(P=slide)).X_WB
            here = Scene(**{**scene.__dict__, "poses": poses})
            wheel = section(here, "wheel", "K", 1e-9, np.array([0.0, 0.1 * side]), False)
            (bar,) = (p for p in here.parts if p.body == "bar" and p.kind == "body" and p.of == "K")
            assert volume(bar.mesh) > 0.0
            vertices = bar.mesh.moved(poses["bar"]).vertices
            count = len(vertices) // 2
            both, neither = overlap(vertices[:count, :2], wheel, np.zeros(2), 0.01, (False, False))
            assert both < 2e-3
            assert neither < 0.25
            assert vertices[:, 0].min() < slide - 0.3
            assert vertices[:, 0].max() > slide + 0.3


def test_bevels_touch_along_a_line_from_the_apex() -> None:
    m = Mechanism("bevel")
    m.body("a"), m.body("b")
    m.revolute("A", m.ground, "a", at=(0, 0, 1), axis="z")
    m.revolute("B", m.ground, "b", at=(1, 0, 0), axis="x")
    m.bevel("V", "a", "b", at=(0, 0, 0), axes=("z", "x"), teeth=(10, 16))
    scene = scene_of(m)
    wheels = {p.body: p.mesh.moved(scene.poses[p.body]) for p in scene.parts if p.kind == "body" and p.of == "V"}
    cone = {"a": math.atan2(10, 16), "b": math.atan2(16, 10)}
    for body, axis in (("a", np.array([0, 0, 1.0])), ("b", np.array([1.0, 0, 0]))):
        vertices = wheels[body].vertices
        angle = np.arccos(vertices @ axis / np.linalg.norm(vertices, axis=1))
        teeth = angle > 0.6 * cone[body]
        assert volume(wheels[body]) > 0.0
        # Teeth lie about the pitch cone, by some modules.
        module = 2 * math.sin(cone[body]) / (10 if body == "a" else 16)
        assert angle[teeth].max() < cone[body] + module
        assert angle[teeth].max() > cone[body] + 0.5 * module
    far = [np.linalg.norm(wheels[b].vertices, axis=1).max() for b in "ab"]
    assert far[0] == pytest.approx(far[1], rel=0.05)  # one cone distance for both
