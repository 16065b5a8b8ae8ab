"""Profiles of cams: exact ones, the machine that runs on them, and envelopes by brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.drives import Drive
from linkwork.units import deg, mm

TURN = 360 * deg


def rise_and_return(lift: float) -> Drive:
    """Up in 120 deg, a dwell of 60 deg, down in 120 deg, a dwell of 60 deg."""
    return lw.sequence(
        lw.cycloidal(0, lift, duration=120 * deg), lw.dwell(lift, duration=60 * deg),
        lw.cycloidal(lift, 0, duration=120 * deg), lw.dwell(0, duration=60 * deg),
    )  # fmt: skip


CASES: dict[str, tuple[float, dict[str, Any]]] = {
    "roller": (12 * mm, {"roller": 8 * mm}),
    "offset roller": (12 * mm, {"roller": 8 * mm, "offset": 6 * mm}),
    "knife": (12 * mm, {"follower": "knife", "offset": -3 * mm}),
    "flat": (12 * mm, {"follower": "flat"}),
    "swinging roller": (15 * deg, {"roller": 8 * mm, "pivot": 80 * mm, "arm": 70 * mm}),
    "swinging knife": (15 * deg, {"follower": "knife", "pivot": 80 * mm, "arm": 70 * mm}),
    "swinging flat": (4 * deg, {"follower": "flat", "pivot": 90 * mm}),
    "swinging flat, off its pivot": (4 * deg, {"follower": "flat", "pivot": 90 * mm, "offset": -6 * mm}),
}


def made(case: str, base: float = 32 * mm, **more: Any) -> lw.CamProfile:
    lift, numbers = CASES[case]
    return lw.cam_profile(rise_and_return(lift), base, **numbers, **more)


def machine(cam: lw.CamProfile, case: str) -> lw.Machine:
    """The cam on its shaft and the follower on it, drawn at angle 0."""
    _, numbers = CASES[case]
    m = lw.Mechanism("cam-drive", gravity=(0, 0, 0))
    m.body("cam", mass=1.0, com=(0, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    m.body("follower", mass=0.5, com=(0, 0.1, 0), inertia=(1e-3, 1e-3, 1e-3))
    m.revolute("A", m.ground, "cam", at=(0, 0, 0), axis="z")
    x, y = cam.pitch[0]
    if cam.swinging:
        m.revolute("F", m.ground, "follower", at=(numbers["pivot"], 0, 0), axis="-z")
    else:
        m.prismatic("F", m.ground, "follower", at=(0, 0, 0), axis="y")
    if cam.follower == "flat":
        along = (np.cos(cam.start), -np.sin(cam.start), 0.0)
        to = lw.placement(at=(x, y, 0), axis="z", x=along)
        m.line_on_curve("K", "cam", "follower", curve=cam.curve, at=(0, 0, 0), axis="z", x="x", to=to)
    else:
        m.point_on_curve("K", "cam", "follower", curve=cam.curve, at=(0, 0, 0), axis="z", x="x", to=(x, y, 0))
    return m.assemble()


@pytest.mark.parametrize("case", CASES)
def test_the_follower_of_the_machine_obeys_the_law(case: str) -> None:
    """Cam joints close on the curve that the profile gives: its follower does what was asked for."""
    cam = made(case)
    s = machine(cam, case)
    run = s.motion(A=lw.ramp(0, TURN, duration=1.0), samples=73)
    assert run.status == "complete"
    own = run["F.angle"] if cam.swinging else run["F.slide"]
    lever = 0.1 if cam.swinging else 1.0
    wanted = rise_and_return(CASES[case][0]).sample(np.linspace(0, TURN, 73))
    off = np.abs(np.asarray(own.values) - wanted[0]).max() * lever
    assert cam.deviation < 1e-6 and off < 5 * cam.deviation + 1e-12
    rate = run["F.rate"]
    assert np.abs(np.asarray(rate.values) / TURN - wanted[1]).max() < 1e-4 * np.abs(wanted[1]).max()


@pytest.mark.parametrize("case", ["roller", "offset roller", "knife", "swinging roller"])
def test_pressure_angle_by_the_force_of_the_contact(case: str) -> None:
    """The machine's own reaction: its direction against the way of the follower."""
    cam = made(case)
    s = machine(cam, case)
    run = s.forces(s.motion(A=lw.ramp(0, TURN, duration=1.0), samples=37))
    pressed = lw.contact_force(run, "K")
    way = []
    for turned in np.asarray((run["F.angle"] if cam.swinging else run["F.slide"]).values):
        if cam.swinging:
            angle = cam.start + turned
            way.append((np.sin(angle), np.cos(angle)))
        else:
            way.append((0.0, 1.0))
    n = pressed.directions[:, 0, :2]
    d = np.array(way)
    found = np.arctan2(n[:, 1] * d[:, 0] - n[:, 0] * d[:, 1], (n * d).sum(axis=1))
    np.testing.assert_allclose(found, cam.pressure[::20], atol=2e-6)


@pytest.mark.parametrize("case", CASES)
def test_radius_of_curvature_by_the_points(case: str) -> None:
    """Of the profile, by the circle through three neighbouring points of many."""
    cam = made(case, samples=7201)
    a, b, c = cam.profile[:-2], cam.profile[1:-1], cam.profile[2:]
    sides = [np.linalg.norm(x - y, axis=1) for x, y in ((a, b), (b, c), (c, a))]
    area = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    curvature = -4 * area / (sides[0] * sides[1] * sides[2])  # it runs clockwise
    np.testing.assert_allclose(curvature, 1 / cam.radius[1:-1], atol=2e-3 / cam.base)


@pytest.mark.parametrize("case", ["roller", "offset roller", "swinging roller"])
def test_the_profile_is_the_envelope_of_the_roller(case: str) -> None:
    """No point of the profile is nearer to a centre of the roller than its radius, and one is just as near."""
    cam = made(case, samples=1441)
    apart = np.linalg.norm(cam.pitch[::20, None] - cam.profile[None], axis=2)
    np.testing.assert_allclose(apart.min(axis=1), cam.roller, rtol=0, atol=2e-7)


def test_the_profile_is_the_envelope_of_the_face() -> None:
    """Of all points of the profile that which it touches is farthest along the face's normal."""
    cam = made("flat", samples=1441)
    normal = np.stack([np.sin(cam.angle), np.cos(cam.angle)], axis=1)
    far = (normal @ cam.profile.T).max(axis=1)
    np.testing.assert_allclose(far, cam.base + cam.lift[0], atol=1e-8)


def test_eccentric_discs() -> None:
    """A flat face on a disc of radius R, e beside the shaft: s = e (1 - cos φ), ρ = R everywhere, R = base + e."""
    R, e = 30 * mm, 8 * mm
    law = lw.expression(f"{e}*(1 - cos(t))")
    cam = lw.cam_profile(law, R - e, follower="flat")
    np.testing.assert_allclose(cam.radius, R, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(cam.profile - (0.0, -e), axis=1), R, rtol=1e-12)
    assert cam.deviation < 1e-10 and cam.face == pytest.approx((-e, e)) and not cam.undercut.any() and not cam.warnings
    # A roller on the same disc: its centre is R + r from the disc's.
    r = 5 * mm
    law = lw.expression(f"sqrt({R + r}**2 - ({e}*sin(t))**2) - {e}*cos(t) - {R + r - e}")
    cam = lw.cam_profile(law, R - e, roller=r)
    np.testing.assert_allclose(cam.radius, R, rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(cam.profile - (0.0, -e), axis=1), R, rtol=1e-9)
    np.testing.assert_allclose(np.sin(cam.pressure), e * np.sin(cam.angle) / (R + r), atol=1e-9)


def test_the_book_of_matrix_methods() -> None:
    """Uicker, Ravani, Sheth, example 5.2: R0 = 2, cycloids of lift 1; the gallery's curve is its closed form."""
    law = lw.sequence(*(lw.cycloidal(a, 1 - a, duration=np.pi) for a in (0.0, 1.0)))
    cam = lw.cam_profile(law, 2.0, follower="flat")
    curve = lw.example("flat-faced-cam").curves["profile"]
    u, v = curve.point(cam.angle[:-1])
    np.testing.assert_allclose(np.stack([u, v], axis=1) / (25.4 * mm), cam.profile[:-1], atol=1e-12)


def test_undercut_is_told() -> None:
    steep = lw.sequence(*(lw.cycloidal(a * mm, b * mm, duration=c * deg) for a, b, c in ((0, 20, 60), (20, 0, 300))))
    small = lw.cam_profile(steep, 12 * mm, roller=30 * mm)
    assert small.undercut.any() and small.least_radius < 0.0
    assert "undercut at" in small.warnings[0] and "smaller roller" in small.warnings[0]
    assert not lw.cam_profile(steep, 120 * mm, roller=30 * mm).undercut.any()
    face = lw.cam_profile(rise_and_return(20 * mm), 8 * mm, follower="flat")
    assert face.undercut.any() and (face.radius[face.undercut] <= 0).all() and "a larger base" in face.warnings[0]
    law = rise_and_return(20 * mm)  # ρ = base + s + s'': the least base is known
    s, _, dds, _ = law.sample(face.angle)
    least = -(s + dds).min()
    assert not lw.cam_profile(law, least * 1.0001, follower="flat").undercut.any()
    assert lw.cam_profile(law, least * 0.999, follower="flat").undercut.any()


def test_what_is_told_besides() -> None:
    steep = lw.cam_profile(rise_and_return(40 * mm), 20 * mm, roller=5 * mm)
    assert any("pressure angle reaches" in w and "30 deg" in w for w in steep.warnings)
    ramps = lw.sequence(lw.ramp(0, 5 * mm, duration=180 * deg), lw.ramp(5 * mm, 0, duration=180 * deg))
    assert any("jump" in w for w in lw.cam_profile(ramps, 30 * mm, follower="flat").warnings)
    text = str(made("flat"))
    assert "translating flat-faced follower" in text and "face touched from -0.01146 m to 0.01146 m" in text
    assert made("roller", points=60).deviation > 10 * made("roller", points=240).deviation
    made("swinging roller").plot()


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ({"base": -1.0}, ["base: the radius is -1; give a positive length"]),
        ({"base": 0.03, "roller": -1.0, "pivot": -2.0}, ["roller: the radius is -1", "pivot: the distance is -2"]),
        ({"base": 0.03}, ["roller: the radius is 0; give a positive length [m], or follower='knife'"]),
        ({"base": 0.03, "follower": "flat", "roller": 0.01}, ["a flat follower has no roller"]),
        ({"base": 0.03, "follower": "rollr"}, ["there is no follower 'rollr'; did you mean 'roller'"]),
        ({"base": "x", "roller": float("nan")}, ["base", "roller"]),
        ({"base": 0.03, "roller": 0.01, "offset": 0.05}, ["offset: the line of motion misses the base circle"]),
        ({"base": 0.03, "roller": 0.01, "pivot": 0.2}, ["arm: the arm of a swinging follower is missing"]),
        (
            {"base": 0.03, "roller": 0.01, "pivot": 0.2, "arm": 0.1},
            ["pivot: the follower cannot touch the base circle"],
        ),
        ({"base": 0.03, "follower": "knife", "points": 3, "samples": 2.5}, ["points: 3 is too few", "samples: 2.5"]),
        ({"base": 0.03, "follower": "knife", "law": lw.cycloidal(0, 1, duration=3)}, ["the law does not last a turn"]),
        ({"base": 0.03, "follower": "knife", "law": lw.cycloidal(0, 1, duration=TURN)}, ["the law ends at 1"]),
        ({"base": 0.03, "follower": "knife", "law": 3.0}, ["law: a float is no law; such as lw.cycloidal"]),
    ],
)
def test_what_is_refused(given: dict[str, Any], texts: list[str]) -> None:
    with pytest.raises(lw.InputError) as caught:
        lw.cam_profile(**({"law": rise_and_return(0.01)} | given))
    for text in texts:
        assert text in str(caught.value)
