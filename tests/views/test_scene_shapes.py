"""Surfaces of plain shapes: closed, outward, and as large as the formula says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwork.views.scene import shapes
from linkwork.views.scene.outlines import convex_outline, is_star, parallel, signed_area, triangles_of
from linkwork.views.scene.parts import Mesh

ORIGIN, X, Y, Z = np.zeros(3), *np.eye(3)


def assert_closed(mesh: Mesh) -> None:
    """Every edge is shared by exactly two faces, which run along it in opposite sense; no face is degenerate."""
    edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    found = set(map(tuple, edges.tolist()))
    assert len(found) == len(edges)
    assert all((b, a) in found for a, b in found)
    assert all(a != b for a, b in found)


def polygon(n: int) -> float:
    """Area of n corners on the unit circle."""
    return n / 2 * math.sin(2 * math.pi / n)


N = shapes.ROUND
AREA, COARSE = polygon(N), polygon(N // 2)
SECTOR = math.sin(1.0 / math.ceil(1.0 / (2 * math.pi) * 2 * N)) / (1.0 / math.ceil(1.0 / (2 * math.pi) * 2 * N))
STADIUM = 0.2 * 1.0 + polygon(N) * 0.01

EXACT = {
    "box": (shapes.box((1, 2, 3)), 6.0),
    "cylinder": (shapes.cylinder(2.0, 3.0), AREA * 12.0),
    "tube": (shapes.tube(2.0, 1.0, 3.0), AREA * 9.0),
    "cone": (shapes.cone(2.0, 3.0), AREA * 4.0),
    "frustum": (shapes.cone(2.0, 3.0, 1.0), AREA * 7.0),
    "ring sector": (shapes.ring_sector(2.0, 1.0, 1.0, 3.0), 4.5 * SECTOR),
    "pie": (shapes.ring_sector(2.0, 0.0, 1.0, 3.0), 6.0 * SECTOR),
    "whole ring": (shapes.ring_sector(2.0, 1.0, 2 * math.pi, 3.0), polygon(2 * N) * 9.0),
    "whole disc": (shapes.ring_sector(2.0, 0.0, 2 * math.pi, 3.0), polygon(2 * N) * 12.0),
    "rod": (shapes.rod(ORIGIN, 2 * (X + Y + Z), 0.1), COARSE * 0.01 * math.sqrt(12)),
    "rounded bar": (shapes.rounded_bar(ORIGIN, X, Z, 0.2, 0.5), STADIUM * 0.5),
    "arrow": (shapes.arrow(ORIGIN, 5 * Y, 0.1), COARSE * 0.01 * (4.4 + 2.4**2 * 0.6 / 3)),
    "ring plate": (shapes.ring_plate(shapes.circle(12), 2 * shapes.circle(12), -1.0, 1.0), polygon(12) * 6.0),
    "square plate": (
        shapes.rounded_plate(np.array([ORIGIN, X, X + Y, Y, 0.3 * X]), Z, 0.1, 0.5),
        0.5 * (1.4 + AREA * 0.01),
    ),
}


@pytest.mark.parametrize("name", EXACT)
def test_volume(name: str) -> None:
    mesh, volume = EXACT[name]
    assert_closed(mesh)
    assert shapes.volume(mesh) == pytest.approx(volume, rel=1e-12)


def test_balls() -> None:
    fine = shapes.ball(2.0, 200, 100)
    assert_closed(fine)
    assert shapes.volume(fine) == pytest.approx(4 / 3 * math.pi * 8, rel=1e-3)
    cup = shapes.cup(2.0, 1.0, 0.0)  # half a hollow ball
    assert_closed(cup)
    assert shapes.volume(cup) == pytest.approx(2 / 3 * math.pi * 7, rel=2e-2)
    assert cup.vertices[:, 2].max() == pytest.approx(0.0, abs=1e-15)
    assert shapes.cup(2.0, 1.0, 0.5).vertices[:, 2].max() == pytest.approx(1.0)


@pytest.mark.parametrize(("pitch", "starts"), [(0.5, 1), (-0.5, 1), (2.0, 3), (-2.0, 2)])
def test_thread(pitch: float, starts: int) -> None:
    mesh = shapes.thread(1.0, 0.2, pitch, 4.0, starts)
    assert_closed(mesh)
    # A ridge sweeps its section (wide 0.7 and 0.24 of the step, high 1.3) once around a turn: Pappus.
    step, turns = abs(pitch) / starts, 4.0 / abs(pitch)
    area = (0.7 + 0.24) / 2 * step * 0.26
    middle = 1.0 - 0.06 + 0.26 / 3 * (0.7 + 2 * 0.24) / (0.7 + 0.24)
    assert shapes.volume(mesh) == pytest.approx(starts * area * middle * 2 * math.pi * turns, rel=0.02)
    # Right-handed: climbing turns counter-clockwise.
    crest = mesh.vertices[np.hypot(*mesh.vertices[:, :2].T) > 1.19]
    first = crest[: len(crest) // starts]
    angles = np.unwrap(np.arctan2(first[:, 1], first[:, 0]), period=2 * math.pi)
    assert np.sign(np.polyfit(first[:, 2], angles, 1)[0]) == np.sign(pitch)


@given(st.integers(3, 40), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_triangles_of_any_star(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    radii = rng.uniform(0.2, 1.0, n)
    loop = radii[:, None] * shapes.circle(n) + rng.uniform(-0.01, 0.01, (n, 2))
    faces = triangles_of(loop)
    a, b, c = (loop[faces[:, k]] for k in range(3))
    areas = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    assert len(faces) == n - 2
    assert areas.min() >= 0.0
    assert areas.sum() == pytest.approx(signed_area(loop), rel=1e-12)
    assert_closed(shapes.extruded(loop, 0.0, 1.0))


def test_triangles_of_a_comb() -> None:
    teeth = 12
    top = [(x, y) for k in range(teeth) for x, y in ((k, 1.0), (k, 3.0), (k + 0.5, 3.0), (k + 0.5, 1.0))]
    loop = np.array([(0.0, 0.0), (teeth, 0.0), *top[::-1]])
    mesh = shapes.extruded(loop, -1.0, 1.0)
    assert_closed(mesh)
    assert shapes.volume(mesh) == pytest.approx(2 * signed_area(loop), rel=1e-12)


def test_outlines() -> None:
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0.5, 0.5), (0.5, 0.0)], dtype=float)
    hull = convex_outline(square)
    assert len(hull) == 4
    assert signed_area(hull) == 1.0
    circle = 2.0 * shapes.circle(200)
    inside = parallel(circle, 0.5)
    assert inside is not None
    np.testing.assert_allclose(np.hypot(*inside.T), 1.5, rtol=1e-12)
    outside = parallel(circle, -0.5)
    assert outside is not None
    np.testing.assert_allclose(np.hypot(*outside.T), 2.5, rtol=1e-12)
    assert parallel(circle, 2.5) is None  # it would fold over its centre
    assert is_star(circle, np.zeros(2))
    assert not is_star(circle, np.array([3.0, 0.0]))


def test_poses() -> None:
    for z, x in ((Z, X), (X + Y, None), (Y, Y), (X, X + 1e-9 * Y)):
        P = shapes.pose_along(X, z, x)
        np.testing.assert_allclose(P[:3, :3].T @ P[:3, :3], np.eye(3), atol=1e-12)
        assert np.linalg.det(P) == pytest.approx(1.0)
        np.testing.assert_allclose(P[:3, 2], z / np.linalg.norm(z))
        np.testing.assert_array_equal(P[:3, 3], X)
