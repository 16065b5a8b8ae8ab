"""Robots of the gallery against formulas of their own: where the tool is, what stays level, how loops close."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.units import deg

KNEE, HAND, ARM, ROD = 0.2, 0.05, 0.3, 0.7
"""Of the delta [m]: motors and balls from the middle, arm and rod."""


@pytest.mark.parametrize(
    ("name", "joints", "tool", "place"),
    [
        # The maker's zero posture: arm stretched along -x. a2 + a3, -(d4 + d6), d1 - d5.
        ("ur5e", ("base", "shoulder", "elbow", "wrist1", "wrist2", "wrist3"), "tool", (-0.8172, -0.2329, 0.0628)),
        ("panda", tuple(f"A{k}" for k in range(1, 8)), "flange", (0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107)),
        ("iiwa14", tuple(f"A{k}" for k in range(1, 8)), "tool", (0.0, 0.0, 0.36 + 0.42 + 0.4 + 0.126)),
    ],
)
def test_arms_at_zero_stand_where_their_tables_say(name, joints, tool, place):
    s = lw.example(name).assemble()
    np.testing.assert_allclose(s.position(tool, s.posture(dict.fromkeys(joints, 0.0))), place, atol=1e-15)


def test_three_axes_of_the_ur5e_are_parallel_and_those_of_the_iiwa_meet():
    s = lw.example("ur5e").assemble()
    axes = [s.pose(f"link{k}", s.home.q)[:3, 2] for k in (1, 2, 3)]  # z of a frame is the axis of the next joint
    for axis in axes[1:]:
        np.testing.assert_allclose(np.abs(axis @ axes[0]), 1.0, atol=1e-15)
    s = lw.example("iiwa14").assemble()
    rng = np.random.default_rng(3)
    q = s.posture({f"A{k}": v for k, v in enumerate(rng.uniform(-1.5, 1.5, 7), 1)})
    for first, second in ((1, 2), (3, 4), (5, 6), (6, 7)):
        np.testing.assert_allclose(s.position(f"link{first}", q), s.position(f"link{second}", q), atol=1e-15)


def delta_centre(angles):
    """Where three spheres about the knees, moved inwards by the hand, meet below them [m]."""
    phi = np.array([120.0, 240.0, 360.0]) * deg
    out = KNEE - HAND + ARM * np.cos(angles)
    centres = np.stack([out * np.cos(phi), out * np.sin(phi), -ARM * np.sin(angles)], axis=1)
    ex = centres[1] - centres[0]
    d = np.linalg.norm(ex)
    ex = ex / d
    i = ex @ (centres[2] - centres[0])
    ey = centres[2] - centres[0] - i * ex
    j = np.linalg.norm(ey)
    ey = ey / j
    x = d / 2
    y = (i * i + j * j) / (2 * j) - i * x / j
    z = np.sqrt(ROD**2 - x * x - y * y)
    ez = np.cross(ex, ey)
    return centres[0] + x * ex + y * ey - z * ez * np.sign(ez[2])


def test_the_delta_goes_where_three_spheres_meet_and_never_turns():
    s = lw.example("delta").assemble()
    rng = np.random.default_rng(5)
    for _ in range(20):
        angles = rng.uniform(-15, 60, 3) * deg
        p = s.at(dict(zip(("A1", "A2", "A3"), angles, strict=True)))
        np.testing.assert_allclose(p.position("tool"), delta_centre(angles), atol=1e-12)
        np.testing.assert_allclose(p.pose("platform")[:3, :3], np.eye(3), atol=1e-12)


def test_the_five_bar_closes_as_two_circles_meet():
    s = lw.example("five-bar").assemble()
    rng = np.random.default_rng(7)
    for _ in range(20):
        a1, a2 = rng.uniform((85, 35), (145, 95)) * deg
        B1, B2 = 0.1 * np.array([np.cos(a1), np.sin(a1)]), 0.1 * np.array([1 + np.cos(a2), np.sin(a2)])
        middle, across = (B1 + B2) / 2, B2 - B1
        height = np.sqrt(0.15**2 - across @ across / 4) / np.linalg.norm(across)
        wanted = middle + height * np.array([-across[1], across[0]])
        np.testing.assert_allclose(s.at(A1=a1, A2=a2).position("tool")[:2], wanted, atol=1e-13)


def test_the_palletiser_keeps_its_wrist_level():
    s = lw.example("palletiser").assemble()
    rng = np.random.default_rng(9)
    for _ in range(20):
        swing, shoulder, elbow, turn = rng.uniform((-150, -20, 0, -200), (150, 60, 60, 200)) * deg
        p = s.at(swing=swing, shoulder=shoulder, elbow=elbow, turn=turn)
        out = 0.25 + 1.0 * np.sin(shoulder) + 1.2 * np.cos(elbow) + 0.10
        up = 0.80 + 1.0 * np.cos(shoulder) - 1.2 * np.sin(elbow) - 0.20
        np.testing.assert_allclose(p.position("tool"), [out * np.cos(swing), out * np.sin(swing), up], atol=1e-12)
        np.testing.assert_allclose(p.pose("tool")[:3, 2], [0, 0, -1], atol=1e-12)


def test_both_ankle_cranks_tip_the_foot_and_one_against_the_other_rolls_it():
    s = lw.example("humanoid-leg").assemble()
    for tip in (-20 * deg, 10 * deg, 25 * deg):
        p = s.at(left_motor=tip, right_motor=tip)  # crank, rod, foot and shank are a parallelogram
        assert p["ankle.angle1"] == pytest.approx(tip, abs=1e-12)
        assert p["ankle.angle2"] == pytest.approx(0.0, abs=1e-12)
    p, mirrored = s.at(left_motor=0.2, right_motor=-0.1), s.at(left_motor=-0.1, right_motor=0.2)
    assert abs(p["ankle.angle2"]) > 0.1
    assert p["ankle.angle2"] == pytest.approx(-mirrored["ankle.angle2"], abs=1e-12)
    assert p["ankle.angle1"] == pytest.approx(mirrored["ankle.angle1"], abs=1e-12)
