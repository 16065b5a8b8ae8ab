"""Regions that a target reaches: areas and volumes in closed form, rims of the literature, what is asked wrongly."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.units import deg


def two_links(l1=1.0, l2=0.6, elbow=None):
    m = lw.Mechanism("arm")
    m.body("upper", mass=1.0)
    m.body("fore", mass=1.0)
    m.revolute("A", m.ground, "upper", axis="z")
    value = 0.0 if elbow is None else float(np.mean(elbow))
    m.revolute("B", "upper", "fore", at=(l1, 0, 0), axis="z", value=value, limits=elbow)
    m.point("P", "fore", (l1 + l2 * np.cos(value), l2 * np.sin(value), 0))
    return m.assemble()


def test_the_area_of_a_two_link_arm_is_that_of_a_ring():
    found = two_links().workspace("P")
    exact = np.pi * (1.6**2 - 0.4**2)
    assert found.plane == "xy" and found.area == pytest.approx(exact, rel=3e-4)
    assert abs(found.area - exact) < found.error < 2e-3 * exact
    outer, hole = found.outlines
    np.testing.assert_allclose(np.linalg.norm(outer, axis=1), 1.6, atol=2e-9)
    np.testing.assert_allclose(np.linalg.norm(hole, axis=1), 0.4, atol=2e-9)
    assert found.extent["x"][1] == pytest.approx(1.6, abs=1e-3) and found.residual < 1e-11
    # The area converges with the square of the step.
    finer = two_links().workspace("P", step=0.5 * found.step)
    assert abs(finer.area - exact) < 0.4 * abs(found.area - exact)


def test_every_place_that_is_reached_is_reached_by_its_posture_and_no_other_place_can_be():
    s = two_links(elbow=(-30 * deg, 100 * deg))
    found = s.workspace("P")
    x, y = np.meshgrid(*found.axes, indexing="ij")
    r = np.hypot(x, y)
    least = np.sqrt(1 + 0.36 + 1.2 * np.cos(100 * deg))
    by_formula = (r <= 1.6) & (r >= least)
    assert np.array_equal(found.reached, by_formula)
    assert found.area == pytest.approx(np.pi * (1.6**2 - least**2), rel=3e-4)
    elbow = found.variables[found.reached][:, 1]
    assert elbow.min() >= -30 * deg - 1e-12 and elbow.max() <= 100 * deg + 1e-12
    p = found.posture((0.9, 0.7))
    assert np.abs(p.position("P")[:2] - (0.9, 0.7)).max() <= 0.5 * found.step


def test_a_volume_in_space_and_its_section():
    m = lw.Mechanism("elbow-arm")
    for name in "abc":
        m.body(name, mass=1.0)
    m.revolute("A", m.ground, "a", axis="z")
    m.revolute("B", "a", "b", axis="y")
    m.revolute("C", "b", "c", at=(0.5, 0, 0), axis="y")
    m.point("P", "c", (0.5 + 0.32, 0, 0.24))
    s = m.assemble()
    exact = 4 / 3 * np.pi * (0.9**3 - 0.1**3)
    found = s.workspace("P")
    assert found.plane == "xyz" and abs(found.volume - exact) < found.error < 0.02 * exact
    section = s.workspace("P", "xz", at="0.3 m")
    ring = np.pi * (0.9**2 - 0.3**2)  # the hole is a ball of 0.1 m, which the plane misses
    assert section.area == pytest.approx(ring, rel=3e-4) and section.at == 0.3
    with pytest.raises(lw.InputError, match="no volume"):
        section.volume
    with pytest.raises(lw.InputError, match="y = 2"):
        s.workspace("P", "xz", at=2.0)


def test_the_rim_of_a_five_bar_is_made_of_its_singular_places_and_of_limits():
    s = lw.example("five-bar").assemble()
    found = s.workspace("tool")
    whole = s.workspace("tool", past_singular=True)
    assert found.area < 0.5 * whole.area
    assert len(whole.outlines) == 3  # legs on either side leave a hole about each foot
    curves = s.singularities("tool").curves
    singular = np.concatenate([c.places[:, :2] for c in curves])
    high = np.concatenate(found.outlines)
    high = high[high[:, 1] > 0.13]  # there no crank is at its limit
    away = np.linalg.norm(high[:, np.newaxis] - singular, axis=2).min(axis=1)
    assert away.max() < 6e-3  # half a step of the curves
    B = 0.1 * np.stack([np.cos(found.variables[..., :2]), np.sin(found.variables[..., :2])], axis=-1)
    assert np.nanmax(np.abs(B).max(axis=-1)) <= 0.1 + 1e-12


def test_a_delta_reaches_what_its_three_legs_reach():
    s = lw.example("delta").assemble()
    found = s.workspace("tool", "xz")
    x, z = np.meshgrid(*found.axes, indexing="ij")
    can = np.ones(x.shape, bool)
    for phi in np.array([120.0, 240.0, 360.0]) * deg:
        out, along = x * np.cos(phi), -x * np.sin(phi)
        # In the plane of an arm the knee lies on a circle about the motor and on one about the ball.
        u = out + 0.05 - 0.2
        rod = 0.7**2 - along**2
        d = np.hypot(u, z)
        r = np.sqrt(np.maximum(rod, 0.0))
        cosine = (d * d + 0.09 - rod) / (2 * 0.3 * d)
        angle = np.arctan2(-z, u)
        ways = [angle + way * np.arccos(np.clip(cosine, -1, 1)) for way in (-1, 1)]
        ways = [np.remainder(way + np.pi, 2 * np.pi) - np.pi for way in ways]
        within = [(np.abs(cosine) <= 1) & (w >= -40 * deg) & (w <= 85 * deg) for w in ways]
        can &= (rod >= 0) & (r >= 0) & (within[0] | within[1])
    assert not (found.reached & ~can).any()
    missed = (can & ~found.reached).sum() / can.sum()
    assert missed < 0.02  # what other closures of the legs alone would reach
    Y = found.variables[found.reached]
    attitudes = s.pose("platform", np.ascontiguousarray(Y[:, : s.nq]))[:, :3, :3]
    np.testing.assert_allclose(attitudes, np.broadcast_to(np.eye(3), attitudes.shape), atol=1e-9)


def test_quality_and_dexterity_are_those_of_the_postures():
    s = two_links()
    found = s.workspace("P", step=0.2)
    elbow = found.variables[..., 1]
    np.testing.assert_allclose(found.quality("manipulability"), np.abs(0.6 * np.sin(elbow)), atol=1e-9)
    condition, least = found.quality("condition"), found.quality("smallest")
    assert np.nanmin(condition) >= 0 and np.nanmax(condition) <= 1 and np.nanmin(least) >= 0
    with pytest.raises(lw.InputError, match="no freedom left for its attitude"):
        found.dexterity()
    # Three links in a plane: every attitude within the ring from which the last link still finds two others.
    m = lw.Mechanism("three")
    for name in "abc":
        m.body(name, mass=1.0)
    m.revolute("A", m.ground, "a", axis="z")
    m.revolute("B", "a", "b", at=(0.5, 0, 0), axis="z")
    m.revolute("C", "b", "c", at=(0.9, 0, 0), axis="z")
    m.point("P", "c", (1.1, 0, 0))
    region = m.assemble().workspace("P", step=0.1)
    share = region.dexterity(count=12)
    x, y = np.meshgrid(*region.axes, indexing="ij")
    r = np.hypot(x, y)
    turns = np.arange(12) * 30 * deg
    wrist = np.hypot(x[..., np.newaxis] - 0.2 * np.cos(turns), y[..., np.newaxis] - 0.2 * np.sin(turns))
    by_formula = ((wrist <= 0.9 + 1e-9) & (wrist >= 0.1 - 1e-9)).mean(axis=-1)
    edge = (np.abs(wrist - 0.9) < 1e-6) | (np.abs(wrist - 0.1) < 1e-6)
    sure = region.reached & ~edge.any(axis=-1)
    np.testing.assert_allclose(share[sure], by_formula[sure], atol=1e-12)
    assert (share[region.reached & (r < 0.65) & (r > 0.35)] == 1.0).all()


def test_directions_at_a_place_are_a_cap_where_the_wrist_bends_so_far():
    m = lw.Mechanism("pointer")
    m.body("a", mass=1.0)
    m.body("b", mass=1.0)
    m.revolute("A", m.ground, "a", axis="z")
    m.revolute("B", "a", "b", axis="y", limits=(-60 * deg, 60 * deg))
    m.frame("tool", "b", at=(0, 0, 0), rpy=(0, 0, 0))
    found = m.assemble().directions("tool", count=400)
    wanted = found.directions[:, 2] >= np.cos(60 * deg)
    assert np.array_equal(found.reached, wanted)
    assert found.share == pytest.approx(0.25, abs=0.005)  # (1 - cos 60°) / 2
    assert found.posture((1, 0, 2)).pose("tool")[:3, 2] @ np.array([1, 0, 2]) / np.sqrt(5) > 0.99


@pytest.mark.parametrize(
    ("name", "asked", "words"),
    [
        ("four-bar", {"target": "P"}, "one way to go"),
        ("five-bar", {"target": "tool", "plane": "xz"}, "stays on a surface"),
        ("five-bar", {"target": "tool", "plane": "xyz"}, "stays on a surface"),
        ("five-bar", {"target": "tol"}, "'tol'"),
        ("puma-560", {"target": "link6", "plane": "zx"}, "'zx' is no plane"),
        ("puma-560", {"target": "link6", "at": 0.1}, "no place of its own"),
        ("puma-560", {"target": "link6", "plane": "xz", "step": -1.0}, "-1 m is no step"),
        ("puma-560", {"target": "link6", "plane": "xz", "at": "3 kg"}, "3 kg"),
    ],
)
def test_what_cannot_be_asked_is_told(name, asked, words):
    with pytest.raises(lw.InputError) as caught:
        lw.example(name).assemble().workspace(**asked)
    assert words in str(caught.value)


def test_slides_without_limits_bound_the_search_and_are_named():
    m = lw.Mechanism("gantry")
    m.body("a", mass=1.0)
    m.body("b", mass=1.0)
    m.prismatic("X", m.ground, "a", axis="x", limits=(0, 1.0))
    m.prismatic("Y", "a", "b", axis="y")
    m.point("P", "b", (0.5, 0, 0))
    found = m.assemble().workspace("P", step=0.05)
    (text,) = found.warnings
    assert "Y.slide" in text and "X.slide" not in text
    far = 3 * lw.lay_out(m).size
    assert found.extent["y"] == pytest.approx((-far, far), abs=0.06)


def test_what_was_found_stays_when_it_is_interrupted():
    seen = []

    def progress(done, _):
        seen.append(done)
        if done > 300:
            raise KeyboardInterrupt

    found = two_links().workspace("P", progress=progress)
    assert 300 < found.reached.sum() < 2000 and "interrupted" in found.warnings[0]
    assert 0 < found.area < np.pi * (1.6**2 - 0.4**2)
