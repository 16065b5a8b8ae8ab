"""Transmission angles: closed forms against postures, plane against space."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork import geometry as geo
from linkwork.analyses.kinematics.four_bars import grashof, slider_crank
from linkwork.analyses.kinematics.transmission import (
    four_bar_transmission,
    lever_direction,
    rod_transmission,
    slider_transmission_extremes,
    transmission_angle,
    transmission_extremes,
)

side = st.floats(0.1, 10.0)
EZ = np.array([0.0, 0.0, 1.0])


def pins(g, a, h, b, theta, way):
    """Places A, B, D of a planar four-bar, circle with circle; NaN where it cannot be closed."""
    A = np.stack([a * np.cos(theta), a * np.sin(theta), 0 * theta], axis=-1)
    D = np.array([g, 0.0, 0.0])
    d = np.linalg.norm(D - A, axis=-1)
    along = (d * d + h * h - b * b) / (2 * d)
    with np.errstate(invalid="ignore"):
        across = np.sqrt(h * h - along**2)
    u = (D - A) / d[:, None]
    return A, A + along[:, None] * u + way * across[:, None] * np.cross(EZ, u), D


@settings(max_examples=150, deadline=None)
@given(st.tuples(side, side, side, side), st.sampled_from([1, -1]), st.integers(0, 1000))
def test_the_closed_form_is_the_angle_of_the_posture(links, way: int, seed: int) -> None:
    longest = max(links)
    assume(longest < 0.99 * (sum(links) - longest))
    assume(abs(links[0] - links[1]) > 1e-3)  # else the diagonal vanishes at input 0
    low, high = grashof(*links).input_ranges[-1]
    theta = np.linspace(low, high, 103)[1:-1]
    rng = np.random.default_rng(seed)
    X = geo.pose(geo.from_rotvec(rng.normal(size=3)), rng.normal(size=3))
    places = pins(*links, theta, way)
    assume(all(np.isfinite(p).all() for p in places))
    moved = [geo.transform_points(X, p + z * EZ) for p, z in zip(places, rng.normal(size=3), strict=True)]
    found = transmission_angle(*moved, 2.5 * X[:3, 2])
    g, a, h, b = links
    expected = four_bar_transmission(g, a, h, b, theta)
    np.testing.assert_allclose(found.raw, expected, atol=2e-6)
    np.testing.assert_allclose(found.folded, np.minimum(found.raw, math.pi - found.raw), atol=0)
    assert (found.folded >= 0).all() and (found.folded <= math.pi / 2).all()
    np.testing.assert_array_equal(np.abs(found.signed), found.raw)
    assert (np.sign(found.signed) == way).all() or found.raw.min() < 1e-3 or found.raw.max() > math.pi - 1e-3
    # The ends of the range are where the extremes stand: raw grows with the diagonal.
    ends = transmission_extremes(*links)
    assert ends.lowest <= expected.min() + 1e-9 and expected.max() <= ends.highest + 1e-9
    half = np.linspace(max(low, 0.0), min(high, math.pi), 2)
    np.testing.assert_allclose(four_bar_transmission(*links, half), [ends.lowest, ends.highest], atol=1e-6)


def test_norton_like_numbers() -> None:
    """Sides 100, 40, 120, 80: diagonals 60 and 140."""
    e = transmission_extremes(100, 40, 120, 80)
    low, high = (math.acos((120**2 + 80**2 - d * d) / (2 * 120 * 80)) for d in (60, 140))
    np.testing.assert_allclose([e.lowest, e.highest], [low, high], rtol=1e-14)
    np.testing.assert_allclose([e.worst, e.best], [low, high], rtol=1e-14)  # never quite square
    assert float(transmission_extremes(100, 40, 110, 80).best) == math.pi / 2
    e = transmission_extremes([4, 9], [2, 3], [4, 4], [3, 5])
    assert e.worst.shape == (2,) and e.worst[1] == pytest.approx(0.0, abs=1e-7)  # a triple-rocker has toggles
    # Never square: best is the nearer end.
    e = transmission_extremes(10, 0.1, 3, 11)
    assert float(e.best) == pytest.approx(max(min(x, math.pi - x) for x in (float(e.lowest), float(e.highest))))


@settings(max_examples=100, deadline=None)
@given(side, side, st.floats(-8, 8))
def test_slider_extremes_are_those_of_a_sweep(a: float, c: float, e: float) -> None:
    assume(abs(e) < 0.99 * (a + c))
    t = np.concatenate([np.linspace(low, high, 4001) for low, high in slider_crank(a, c, e).crank_ranges])
    raw = np.arccos(np.clip((a * np.sin(t) - e) / c, -1.0, 1.0))
    found = slider_transmission_extremes(a, c, e)
    np.testing.assert_allclose([found.lowest, found.highest], [raw.min(), raw.max()], atol=1e-5)
    assert found.lowest <= raw.min() + 1e-12 and raw.max() <= found.highest + 1e-12
    if a + abs(e) < c:
        assert found.worst == pytest.approx(math.acos((a + abs(e)) / c), abs=1e-12)


def test_in_a_plane_the_rod_and_the_link_agree() -> None:
    theta = np.linspace(0.1, 6.1, 50)
    A, B, D = pins(100, 40, 120, 80, theta, 1)
    rod = rod_transmission(A, B, lever_direction(EZ, D, B))
    np.testing.assert_allclose(rod.transmission, transmission_angle(A, B, D, EZ).folded, atol=1e-14)
    np.testing.assert_allclose(rod.pressure, math.pi / 2 - rod.transmission, atol=0)
    assert rod.exists.all()


def test_rssr_of_the_gallery() -> None:
    """Rod (150, 120, 100), rocker about y with its ball above the bearing: it goes along x."""
    m = lw.example("rssr")
    layout = lw.lay_out(m)
    B, C, bearing = layout.points["B0"], layout.points["C0"], layout.seats["D"].X_WF
    way = lever_direction(bearing[:3, 2], bearing[:3, 3], C)
    np.testing.assert_allclose(way / np.linalg.norm(way), [1, 0, 0], atol=1e-12)
    found = rod_transmission(B, C, way)
    cosine = 150 / math.sqrt(150**2 + 120**2 + 100**2)
    assert float(np.cos(found.pressure)) == pytest.approx(cosine, rel=1e-13)
    # Speeds bear it out: along the rod both ends go alike, so the driven speed is that of the push over cos(pressure).
    push = 3.0
    velocity = push / cosine * np.array([1.0, 0, 0])
    u = (C - B) / np.linalg.norm(C - B)
    assert float(u @ velocity) == pytest.approx(push)
    assert rod_transmission(B, C, -7 * velocity).pressure == pytest.approx(float(found.pressure), rel=1e-13)


def test_toggles_and_rest() -> None:
    found = rod_transmission([0, 0, 0], [[1, 0, 0]] * 3, [[0, 1, 0], [2, 0, 0], [0, 0, 0]])
    np.testing.assert_allclose(found.transmission, [0, math.pi / 2, 0], atol=1e-15)
    assert found.exists.tolist() == [True, True, False]


def test_errors_say_what_to_try() -> None:
    with pytest.raises(lw.ModelError, match="cannot be reached"):
        four_bar_transmission(9, 3, 4, 5, [0.0, math.pi])
    with pytest.raises(lw.ModelError, match="1 of 2 four-bars cannot be closed"):
        transmission_extremes([1, 10], 1, 1, 1)
    with pytest.raises(lw.ModelError) as caught:
        transmission_extremes(-1, 1, 0, 1)
    assert [p.where for p in caught.value.problems] == ["ground", "coupler"]
    with pytest.raises(lw.ModelError) as caught:
        transmission_angle([0, 0, 1], [0, 0, 0], [0, 0, 2], EZ)
    assert len(caught.value.problems) == 2
    with pytest.raises(lw.ModelError, match="cannot be closed"):
        slider_transmission_extremes(1, 1, 3)
    with pytest.raises(lw.ModelError, match="not finite"):
        rod_transmission([0, 0, 0], [1, 0, 0], [np.nan, 0, 0])
