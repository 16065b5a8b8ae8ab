"""Gears, racks and bevels roll without slip; helical teeth and involute flanks keep touching."""

from __future__ import annotations

import math

import numpy as np
import pytest
from laws import ALPHA, close
from scipy.integrate import quad

import linkwork as lw
from linkwork import geometry as geo
from linkwork.model.joints import Bevel, Gear, Rack, transform

PAIRS = [(0.30, 0.17), (0.05, 0.40), (-0.21, 0.80), (0.80, -0.21)]
ANGLES = [-2.0, -0.3, 0.0, 0.7, 3.0, 9.0]


def velocity(twist: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Velocity of the point of the moving body that is at `point`: v + ω × r."""
    return twist[:3] + np.cross(twist[3:], point)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("phi", ANGLES)
def test_gears_do_not_slip_at_the_pitch_point(pair: tuple[float, float], phi: float) -> None:
    # The first gear stands still in its frame; the mate's point at the pitch point must stand still too.
    law = Gear(*pair)
    pitch_point = pair[0] * np.array([math.cos(phi), math.sin(phi), 0.0])
    twist = law.twists([phi, 0.0, 0.0])[:, 0]
    close(velocity(twist, pitch_point), 0.0, 1e-14)
    # Its screw has no pitch and passes through that point.
    axis = geo.twist_axis(twist)
    close(axis.pitch, 0.0)
    close(axis.point, pitch_point, 1e-13)


@pytest.mark.parametrize("pair", PAIRS)
def test_equal_arcs_roll_off_on_both_pitch_circles(pair: tuple[float, float]) -> None:
    R, mate = pair
    law = Gear(R, mate)
    phi = 0.9
    X = transform(law, [phi, 0.0, 0.0])
    # The contact wanders by an angle phi on the first circle; seen from the mate it wanders by the arc R phi / R'.
    contact = R * np.array([math.cos(phi), math.sin(phi), 0.0])
    start = geo.inverse(transform(law, [0.0, 0.0, 0.0])) @ [R, 0.0, 0.0, 1.0]
    now = geo.inverse(X) @ [*contact, 1.0]
    close(np.hypot(*now[:2]), abs(mate), 1e-14)
    turned = math.atan2(now[1], now[0]) - math.atan2(start[1], start[0])
    close(math.remainder(turned + R / mate * phi, 2 * math.pi), 0.0)


@pytest.mark.parametrize("radius", [0.4, -0.25])
def test_a_pinion_does_not_slip_on_its_rack(radius: float) -> None:
    for slide in (-1.0, 0.0, 0.3, 2.0):
        twist = Rack(radius).twists([slide, 0.0, 0.0])[:, 0]
        close(velocity(twist, np.array([slide, 0.0, 0.0])), 0.0, 1e-14)
        close(geo.twist_axis(twist).point, [slide, 0.0, 0.0], 1e-13)


@pytest.mark.parametrize("cones", [(0.4, 0.9), (1.1, 1.3), (-0.3, 1.1), (1.1, -0.3)])
@pytest.mark.parametrize("phi", ANGLES)
def test_the_instantaneous_axis_of_a_bevel_is_the_contact_line(cones: tuple[float, float], phi: float) -> None:
    twist = Bevel(*cones).twists([phi, 0.0])[:, 0]
    contact = np.array([math.sin(phi) * math.sin(cones[0]), -math.cos(phi) * math.sin(cones[0]), math.cos(cones[0])])
    close(twist[:3], 0.0)
    close(np.cross(twist[3:], contact), 0.0, 1e-14)


@pytest.mark.parametrize("teeth", [(20, 40), (15, 16), (40, 20)])
@pytest.mark.parametrize("degrees", [60.0, 90.0, 110.0])
def test_a_bevel_from_teeth_has_the_ratio_of_the_teeth(teeth: tuple[int, int], degrees: float) -> None:
    shaft = math.radians(degrees)
    m = lw.Mechanism()
    m.body("a"), m.body("b")
    joint = m.bevel("G", "a", "b", at=(0, 0, 0), axes=("z", (math.sin(shaft), 0, math.cos(shaft))), teeth=teeth)
    law = joint.law
    assert isinstance(law, Bevel)
    close(law.cone + law.mate, shaft, 1e-15)
    close(math.sin(law.cone) / math.sin(law.mate), teeth[0] / teeth[1], 1e-14)


def test_twenty_teeth_on_forty_at_a_right_angle() -> None:
    m = lw.Mechanism()
    law = m.bevel("G", "ground", "b", at=(0, 0, 0), axes=("z", "x"), teeth=(20, 40)).law
    assert isinstance(law, Bevel)
    assert math.degrees(law.cone) == pytest.approx(26.56505117707799, rel=1e-14)
    # With the carrier held, the mate turns by half the angle of the first gear.
    twist = law.twists([0.0, 0.0])[:, 0]
    close(twist[3:], [0.0, -0.5, 1.0], 1e-15)


@pytest.mark.parametrize("teeth", [(15, 60), (60, 15)])
def test_an_internal_bevel_from_teeth(teeth: tuple[int, int]) -> None:
    shaft = math.radians(40.0)
    axes = ("z", (math.sin(shaft), 0, math.cos(shaft)))
    law = lw.Mechanism().bevel("G", "ground", "b", at=(0, 0, 0), axes=axes, teeth=teeth, internal=True).law
    assert isinstance(law, Bevel)
    close(law.cone + law.mate, shaft, 1e-15)
    close(math.sin(law.cone) / math.sin(law.mate), -teeth[0] / teeth[1], 1e-14)
    assert (law.cone < 0.0) == (teeth[0] < teeth[1])


# --- helical teeth ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("beta", [0.4, -0.3])
def test_helical_teeth_keep_touching_under_axial_motion(pair: tuple[float, float], beta: float) -> None:
    # Unrolled at the pitch point, the tooth traces of both gears are one line y = k h of the common tangent plane (h
    # along the axes). The mate moves by z along its axis and turns by θ, which shifts its trace to y = k (h - z) - R' θ
    # there. It stays on the first trace when θ = -k z / R'. A positive helix angle is k = -tan β, so that the teeth of
    # an external mate are right-handed.
    R, mate = pair
    k = -math.tan(beta)
    z = 0.05
    X = transform(Gear(R, mate, ALPHA, beta), [0.0, 0.0, z])

    def first(h: float) -> np.ndarray:
        return np.array([R * math.cos(k * h / R), R * math.sin(k * h / R), h])

    def second(h: float) -> np.ndarray:
        return np.array([-mate * math.cos(k * h / mate), mate * math.sin(k * h / mate), h])

    # Both touch at the pitch point of the layout, along one line.
    layout = transform(Gear(R, mate, ALPHA, beta), [0.0, 0.0, 0.0])
    close((layout @ [*second(0.0), 1.0])[:3], first(0.0), 1e-15)
    step = 1e-6
    for trace in (first, second):
        close((trace(step) - trace(-step))[:2] / (2 * step), [0.0, k], 1e-9)
    # After the axial motion the mate's point of height -z stands at the first gear's pitch point again.
    close((X @ [*second(-z), 1.0])[:3], first(0.0), 1e-15)


@pytest.mark.parametrize("beta", [0.4, -0.3])
def test_helical_rack_teeth_keep_touching_under_axial_motion(beta: float) -> None:
    # The same with a rack: its pitch plane has x = -y of the tangent plane above, so its teeth are lines x = h tan β.
    R, z = 0.4, 0.05
    X = transform(Rack(R, ALPHA, beta), [0.0, 0.0, z])
    turn = math.tan(beta) * -z / R
    trace = [R * math.sin(turn), -R * math.cos(turn), -z]
    close((X @ [*trace, 1.0])[:3], [0.0, 0.0, 0.0], 1e-15)


# --- involute flanks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("flank", [1, -1])
def test_the_slope_of_an_involute_pair(pair: tuple[float, float], flank: int) -> None:
    law = Gear(*pair, ALPHA, 0.0, flank)
    turn = law.twists([0.0, 0.0, 0.0])[5, 1]
    close(turn, flank * math.tan(ALPHA) / pair[1], 1e-13)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("stretch", [0.004, -0.004])
def test_the_involute_turn_against_tooth_geometry(pair: tuple[float, float], stretch: float) -> None:
    # Independent road: the flanks are strings unwound from the base circles r = R cos α. A pair in contact on the
    # common tangent keeps  r θ1 + r' θ2 + (length of the tangent between the base circles) constant, with the angle of
    # contact α' turning against the line of centres. Moving the centres apart by dC at held first gear gives
    # r' dθ = flank (R + R') cos α tan²α' dα', integrated here by quadrature.
    R, mate = pair
    nominal = R + mate
    base = mate * math.cos(ALPHA)
    working = math.acos(nominal * math.cos(ALPHA) / (nominal + stretch))
    string, _ = quad(lambda a: nominal * math.cos(ALPHA) * math.tan(a) ** 2, ALPHA, working, epsabs=1e-15)
    X = transform(Gear(R, mate, ALPHA, 0.0, 1), [0.0, stretch, 0.0])
    close(math.atan2(X[1, 0], X[0, 0]), string / base, 1e-13)


def flank_gap(R: float, mate: float, stretch: float, turn: float) -> float:
    """Gap [m] between two drawn involute flanks that touch in the layout, across the line of centres.

    The first is unwound from its base circle through the pitch point (R, 0). The mate's, with its centre in the origin,
    is the same construction seen from the other side (turned by π); it is then turned by `turn` and moved out.
    """
    roll = np.linspace(0.0, 0.8, 4001)
    towards = math.tan(ALPHA) - ALPHA  # brings the point on the pitch circle onto the x axis

    def involute(radius: float) -> np.ndarray:
        unwound = radius * math.cos(ALPHA) * np.exp(1j * (roll - towards)) * (1 - 1j * roll)
        return np.asarray(unwound)

    first = involute(R)
    second = -involute(mate) * np.exp(1j * turn) + R + mate + stretch
    at = np.linspace(0.985 * R, 1.015 * R, 601)
    gaps = np.interp(at, second.real[::-1], second.imag[::-1]) - np.interp(at, first.real, first.imag)
    return float(min(gaps, key=abs)) if gaps.min() * gaps.max() > 0 else float(gaps.min())


def test_the_flank_that_carries_stays_in_touch() -> None:
    # The drawn flanks touch in the layout; stretched, one turn of the mate brings them together again. Which sign of
    # `flank` that is, and how far, must agree with the law.
    R, mate, stretch = 1.0, 0.7, 0.004
    assert abs(flank_gap(R, mate, 0.0, 0.0)) < 1e-6
    law_turn = {f: float(transform(Gear(R, mate, ALPHA, 0.0, f), [0.0, stretch, 0.0])[1, 0]) for f in (1, -1)}
    gaps = {f: abs(flank_gap(R, mate, stretch, math.asin(turn))) for f, turn in law_turn.items()}
    assert min(gaps.values()) < 2e-6
    assert max(gaps.values()) > 1e-3


@pytest.mark.parametrize("flank", [1, -1])
def test_a_rack_is_the_limit_of_a_large_gear(flank: int) -> None:
    # u of the gear is v of the rack, v of the gear is -u of the rack.
    mate, beta = 0.3, 0.2
    slide, stretch, axial = 0.05, 0.002, 0.04
    rack = transform(Rack(mate, ALPHA, beta, flank), [slide, stretch, axial])
    swap = geo.pose(np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    errors = []
    for R in (1e2, 1e3, 1e4):
        gear = transform(Gear(R, mate, ALPHA, beta, flank), [-slide / R, stretch, axial])
        # Rack frame at the pitch point; the mate's own axes are named after its frame.
        shifted = geo.pose(p=[-R, 0.0, 0.0]) @ gear
        as_rack = np.linalg.inv(swap) @ shifted @ swap
        errors.append(np.max(np.abs(geo.inverse(swap @ geo.inverse(swap)) @ as_rack - rack)))
    assert errors[-1] < 1e-5
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(10.0, rel=0.1)


# --- worked example: Ferguson's paradox -------------------------------------------------------------------------------


def test_two_suns_of_fergusons_paradox_turn_against_each_other() -> None:
    # Planet of 10 teeth on suns of 99, 100 (fixed) and 101: seen from the carrier, rolling gives the sun's rate.
    planet, inch = 10, 0.0254
    rate_of_planet = 0.0
    for teeth in (100, 101, 99):
        R, mate = teeth * inch / 40, planet * inch / 40
        law = Gear(R, mate)
        # dθ/dφ of mate relative to sun; carrier turns by 1, planet by p, sun by s: p - s = (1 - s) (R + R') / R'.
        ratio = law.twists([0.0, 0.0, 0.0])[5, 0]
        close(ratio, (teeth + planet) / planet)
        if teeth == 100:
            rate_of_planet = ratio
            close(rate_of_planet, 11.0)
            continue
        sun = (ratio - rate_of_planet) / (ratio - 1)
        close(sun, {101: 1 / 101, 99: -1 / 99}[teeth], 1e-14)
