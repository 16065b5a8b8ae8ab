"""Postures, rates and accelerations against closed forms and the worked examples of the literature.

Tables of books are printed with few digits; each is compared as printed, and once more with a closed form to round-off.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from kinematic_machines import (
    INCH,
    SCARA,
    angle_of,
    bennett,
    cam,
    cam_lift,
    cardan,
    cardan_angles,
    dyad,
    four_bar,
    four_bar_angles,
    pinned_bar,
    scara,
    slider_crank,
    stanford,
    stewart,
    truss,
    unit,
    watt_six_bar,
)

import linkwork as lw
from linkwork import geometry as geo
from linkwork.analyses.kinematics.failures import CannotClose

deg = math.radians
TURN = 2 * math.pi
TIGHT = 1e-12


def apart(a: float, b: float) -> float:
    """Difference of two angles, whole turns left out."""
    return abs(math.remainder(a - b, TURN))


def transl(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    return geo.pose(np.eye(3), np.array([x, y, z]))


def turn(angle: float) -> np.ndarray:
    return geo.pose(geo.rot_z(angle))


# --- planar four-bar --------------------------------------------------------------------------------------------------

NORTON = {
    # Norton, Design of Machinery: 40, 120, 80 on 100, crank at 40 deg, 25 rad/s, 15 rad/s²
    "open": (20.29788279, 57.32488007, -4.12091442, 6.99798524, 296.08919317, 470.13353026),
    "crossed": (-60.9779668, -98.00496408, -9.2587723, -20.37767196, 597.62240008, 423.57806299),
}


def four_bar_rates(
    a: float, b: float, c: float, t2: float, t3: float, t4: float, w2: float, alpha2: float
) -> tuple[float, float, float, float]:
    """ω3, ω4, α3, α4 of the loop equation, written out (Norton, chapters 6 and 7)."""
    M = np.array([[-b * math.sin(t3), c * math.sin(t4)], [b * math.cos(t3), -c * math.cos(t4)]])
    e2, e3, e4 = (unit(t)[:2] for t in (t2, t3, t4))
    n2 = np.array([-e2[1], e2[0]])
    w3, w4 = np.linalg.solve(M, -a * w2 * n2)
    right = -a * alpha2 * n2 + a * w2**2 * e2 + b * w3**2 * e3 - c * w4**2 * e4
    alpha3, alpha4 = np.linalg.solve(M, right)
    return w3, w4, alpha3, alpha4


@pytest.mark.parametrize("start", [1, -1])
def test_four_bar_of_norton_in_both_closures(start: int) -> None:
    s = four_bar(40, 120, 80, 100, deg(40), start).assemble()
    found = s.closures({"O2": deg(40)})
    assert len(found) == 2 and found.complete
    assert min(found.hits) >= 3
    # the closure of the layout comes first
    assert apart(found[0]["O4"], deg(NORTON["open" if start == 1 else "crossed"][1])) < 1e-9
    for name, side in (("open", 1), ("crossed", -1)):
        p = found.nearest({"O4": deg(NORTON[name][1])})
        t3, t4 = four_bar_angles(40, 120, 80, 100, deg(40), side)
        assert apart(p["O2"] + p["A"], t3) < TIGHT and apart(p["O4"], t4) < TIGHT
        v, a = p.velocities({"O2": 25.0}), p.accelerations({"O2": 25.0}, {"O2": 15.0})
        own = (t3 * 180 / math.pi, t4 * 180 / math.pi, v["O2.angle"] + v["A.angle"], v["O4.angle"],
               a["O2.angle"] + a["A.angle"], a["O4.angle"])  # fmt: skip
        assert own == pytest.approx(NORTON[name], abs=6e-9)
        exact = four_bar_rates(40, 120, 80, deg(40), t3, t4, 25.0, 15.0)
        assert own[2:] == pytest.approx(exact, rel=1e-12)


def test_four_bar_through_a_whole_turn() -> None:
    s = lw.example("four-bar").assemble()
    run = s.motion(O2=lw.ramp(deg(40), deg(400), duration=1.0), samples=73)
    assert run.status == "complete"
    assert run.evidence.worst_residual < 1e-14
    assert run.evidence.mobility == (1,)
    for k, t2 in enumerate(np.linspace(deg(40), deg(400), 73)):
        t3, t4 = four_bar_angles(40, 120, 80, 100, t2)
        w3, w4, a3, a4 = four_bar_rates(40, 120, 80, t2, t3, t4, TURN, 0.0)
        row = run.isel(k)
        assert apart(row["O4.angle"], t4) < TIGHT
        assert apart(row["O2.angle"] + row["A.angle"], t3) < TIGHT
        assert row["O4.angle.rate"] == pytest.approx(w4, abs=1e-11)
        assert row["O4.angle.acceleration"] == pytest.approx(a4, abs=1e-9)
        assert row["A.angle.rate"] == pytest.approx(w3 - TURN, abs=1e-11)
        assert row["A.angle.acceleration"] == pytest.approx(a3, abs=1e-9)


def test_a_chosen_closure_is_kept_through_a_whole_turn() -> None:
    s = lw.example("four-bar").assemble()
    found = s.closures(O2=deg(40)).named("open", "crossed")
    crossed = s.starting_from(found["crossed"])
    assert crossed.home.name == "crossed"
    run = crossed.motion(O2=(deg(40), deg(400)), samples=37)
    assert run.status == "complete"
    for t2, t3, t4 in zip(run["O2.angle"].values, run["A.angle"].values, run["O4.angle"].values, strict=True):
        exact = four_bar_angles(40, 120, 80, 100, float(t2), -1)
        assert apart(t2 + t3, exact[0]) < TIGHT and apart(t4, exact[1]) < TIGHT
    # whole turns: the crank's relative to the coupler, none of the rocker
    assert run["O4.angle"].values[-1] == pytest.approx(run["O4.angle"].values[0], abs=TIGHT)


def test_strokes_of_the_crank_rocker() -> None:
    # the rocker turns back where crank and coupler are in line: d² + c² - 2 d c cos(π - θ4) = (b ± a)²
    s = lw.example("four-bar").assemble()
    ends = sorted(math.pi - math.acos((100**2 + 80**2 - (120 + k * 40) ** 2) / (2 * 100 * 80)) for k in (1, -1))
    travel = s.travel("O2")
    assert travel.full_turn and travel.full_turns == ("O2.angle", "A.angle")
    stroke = travel.strokes["O4.angle"]
    assert (stroke.least, stroke.greatest) == pytest.approx(ends, abs=1e-12)
    # the transmission angle is extreme where the crank lies along the base: (d ± a)² = b² + c² - 2 b c cos μ
    angles = sorted(math.acos((120**2 + 80**2 - (100 + k * 40) ** 2) / (2 * 120 * 80)) for k in (1, -1))
    stroke = travel.strokes["B.angle"]
    assert (stroke.least, stroke.greatest) == pytest.approx(angles, abs=1e-12)
    assert math.remainder(stroke.at_least, TURN) == pytest.approx(0, abs=1e-9)
    assert abs(math.remainder(stroke.at_greatest, TURN)) == pytest.approx(math.pi, abs=1e-9)
    # driven from the other side it stops at the same angles
    other = s.travel("O4")
    assert (other.lower, other.upper) == pytest.approx(ends, abs=1e-9)


PARALLELOGRAMS = [(0.2, 0.5, 0.2, 0.5), (0.3, 0.5, 0.3, 0.5), (0.5, 0.2, 0.5, 0.2), (1.0, 1.0, 1.0, 1.0)]
FLAT = "samples on a flat posture of a parallelogram: another closure is taken up, or the motion stops"


def parallel(bars: tuple[float, ...], samples: int, end: float) -> None:
    """Both cranks turn alike, from 60 deg on, through the flat postures at 180 and 360 deg where closures cross."""
    run = four_bar(*bars, deg(60)).assemble().motion(O2=(deg(60), deg(end)), samples=samples)
    assert (run.status, len(run)) == ("complete", samples)
    assert run["O4.angle"].values == pytest.approx(run["O2.angle"].values, abs=1e-6)
    assert np.nanmax(np.abs(run["A.angle"].values + run["O2.angle"].values)) < 1e-6


@pytest.mark.parametrize("samples", [24, 500])
@pytest.mark.parametrize("bars", PARALLELOGRAMS, ids=str)
def test_parallelograms_go_through_flat_postures_between_samples(bars: tuple[float, ...], samples: int) -> None:
    parallel(bars, samples, 417)


@pytest.mark.parametrize("samples", [25, 721])
@pytest.mark.parametrize(
    "bars",
    list(PARALLELOGRAMS[:3]) + PARALLELOGRAMS[3:],
    ids=str,
)
def test_parallelograms_go_through_flat_postures_on_samples(bars: tuple[float, ...], samples: int) -> None:
    parallel(bars, samples, 420)


@pytest.mark.parametrize("flat", [0.0, 180.0])
@pytest.mark.parametrize("bars", PARALLELOGRAMS, ids=str)
def test_flat_postures_of_parallelograms(bars: tuple[float, ...], flat: float) -> None:
    p = four_bar(*bars, deg(60)).assemble().at(O2=deg(flat))
    assert p["O4"] == pytest.approx(deg(flat), abs=1e-7)
    assert p.mobility == 2


@pytest.mark.parametrize(
    "bars",
    list(PARALLELOGRAMS[:3]) + PARALLELOGRAMS[3:],
    ids=str,
)
def test_parallelograms_make_full_turns(bars: tuple[float, ...]) -> None:
    assert four_bar(*bars, deg(60)).assemble().travel("O2").full_turn


def test_four_bar_of_zakhariev_and_genova() -> None:
    # 2, 5, 4.5 on 4 at 60 deg, ω = 10: Zakhariev and Genova's loop of four revolutes, re-derived
    s = four_bar(2, 5, 4.5, 4, deg(60)).assemble()
    p = s.at(O2=deg(60))
    v, a = p.velocities({"O2": 10.0}), p.accelerations({"O2": 10.0})
    assert math.degrees(p["O2"] + p["A"]) == pytest.approx(31.08373751, abs=6e-9)
    assert math.degrees(p["O4"]) == pytest.approx(73.44688573, abs=6e-9)
    assert v["O2.angle"] + v["A.angle"] == pytest.approx(-1.380435988, abs=6e-10)
    assert v["O4.angle"] == pytest.approx(3.189283144, abs=6e-10)
    assert a["A.angle"] == pytest.approx(46.23898752, abs=6e-9)
    assert a["O4.angle"] == pytest.approx(49.72364011, abs=6e-9)
    w3, w4, a3, a4 = four_bar_rates(2, 5, 4.5, deg(60), *four_bar_angles(2, 5, 4.5, 4, deg(60)), 10.0, 0.0)
    assert (v["A.angle"] + 10, v["O4.angle"], a["A.angle"], a["O4.angle"]) == pytest.approx((w3, w4, a3, a4), rel=1e-12)
    # as a loop of four revolutes; O4 counts the other way round the loop: 60 - 28.916... + 42.363... - 73.446... = 0
    assert math.degrees(p["A"]) == pytest.approx(-28.91626249, abs=6e-9)
    assert math.degrees(p["B"]) + 180 == pytest.approx(222.36314823, abs=6e-9)
    assert -math.degrees(p["O4"]) - 180 == pytest.approx(-253.44688573, abs=6e-9)


def test_watt_six_bar() -> None:
    # Zakhariev and Genova's method for two loops, on the four-bar above with a second one behind it
    s = watt_six_bar(deg(60)).assemble()
    p = s.at(q1=deg(60))
    assert p.position("E")[:2] == pytest.approx([5.43783405, -0.4273561], abs=6e-9)
    assert p.position("F")[:2] == pytest.approx([7.55447254, 2.9667331], abs=6e-8)
    assert math.degrees(angle_of(p.position("F") - p.position("E"))) == pytest.approx(58.05130850, abs=6e-9)
    v = p.velocities({"q1": 1.0})
    printed = (1, -1.1380436, 0.45697191, -0.31892831, -0.48573732, -0.06997017, 0.23677917)
    assert [v[f"q{k}.angle"] for k in range(1, 8)] == pytest.approx(printed, abs=6e-8)
    assert (p.rank, p.mobility, p.redundant) == (6, 1, 6)  # of 12 equations in 7 unknowns
    # the rates are those of two four-bars in a row
    t3, t4 = four_bar_angles(2, 5, 4.5, 4, deg(60))
    w3, w4, *_ = four_bar_rates(2, 5, 4.5, deg(60), t3, t4, 1.0, 0.0)
    E, O6 = 1.5 * unit(t4 - math.pi / 2), np.array([4.0, 0, 0])  # from O4
    F = dyad(E, O6, 4, 3, 1)
    w5, w6, *_ = four_bar_rates(1.5, 4, 3, angle_of(E), angle_of(F - E), angle_of(F - O6), w4, 0.0)
    exact = (1, w3 - 1, w4 - w3, -w4, w5 - w4, w6 - w5, -w6)
    assert [v[f"q{k}.angle"] for k in range(1, 8)] == pytest.approx(exact, abs=1e-13)


def test_rates_round_every_loop_sum_to_zero() -> None:
    # Zakhariev and Genova: the relative angular velocities of a loop sum to zero, in every posture
    s = watt_six_bar(deg(60)).assemble()
    for q1 in np.linspace(deg(60), deg(110), 11):
        p = s.at(q1=float(q1))
        v, a = p.velocities({"q1": 3.0}), p.accelerations({"q1": 3.0}, {"q1": -7.0})
        for rates in (v, a):
            assert abs(sum(rates[f"q{k}.angle"] for k in (1, 2, 3, 4))) < 1e-11
            assert abs(sum(rates[f"q{k}.angle"] for k in (5, 6, 7)) - rates["q4.angle"]) < 1e-11
    bricard = lw.example("bricard").assemble()
    p = bricard.at(J1=0.4)
    v = p.velocities({"J1": 1.0})
    axes = {"J1": ("ground", "y"), "J2": ("rod1", "z"), "J3": ("rod2", "x"), "J4": ("rod3", "y"), "J5": ("rod4", "z"),
            "J6": ("rod5", "x")}  # fmt: skip
    total = np.zeros(3)
    for joint, (body, axis) in axes.items():
        R = np.eye(3) if body == "ground" else p.pose(body)[:3, :3]
        total += v[f"{joint}.angle"] * R[:, "xyz".index(axis)]
    assert np.abs(total).max() < 1e-13


# --- half a turn is not none ------------------------------------------------------------------------------------------

LINKS = (0.1, 0.35, 0.3, 0.4)
PINS = ("O2", "A", "B", "O4")


def round_the_loop(q: np.ndarray) -> np.ndarray:
    """The pose in which the four-bar comes back to its first pin; identity when it is closed. q: O2, A, B, O4."""
    a, b, c, d = LINKS
    o2, A, B, o4 = q
    return turn(o2) @ transl(a) @ turn(A) @ transl(b) @ turn(B) @ transl(-c) @ turn(-o4) @ transl(-d)


def open_by(p: lw.Posture) -> float:
    """How far the loop of a posture is from closed, rotation and position, by products of our own."""
    return float(np.abs(round_the_loop(np.array([p[n] for n in PINS])) - np.eye(4)).max())


def skew_error(q: np.ndarray) -> np.ndarray:
    """Position and the skew part of the rotation: the plain error of a loop."""
    X = round_the_loop(q)
    R = X[:3, :3]
    return np.array([X[0, 3], X[1, 3], 0.5 * (R[1, 0] - R[0, 1])])


def newton_with_skew_error(q: np.ndarray) -> np.ndarray:
    """A, B, O4 for a given O2 by Newton's method on the plain error, derivatives by central differences."""
    for _ in range(30):
        e = skew_error(q)
        if np.abs(e).max() < 1e-13:
            break
        J = np.empty((3, 3))
        for k in range(3):
            step = np.zeros(4)
            step[k + 1] = 1e-6
            J[:, k] = (skew_error(q + step) - skew_error(q - step)) / 2e-6
        q = q.copy()
        q[1:] -= np.linalg.solve(J, e)
    return q


def test_half_a_turn_does_not_pass_for_none() -> None:
    """From 52 postures the crank is asked for half a turn away, all other joints left where they were.

    The whole linkage then stands turned by half a turn about its first pin, which the skew part of a rotation cannot
    tell from being closed: Newton's method on the plain error accepts all 52, none of them closed.
    """
    m = four_bar(*LINKS, deg(20))
    s = m.assemble()
    false = 0
    for theta in TURN * np.arange(52) / 52:
        here = s.at(O2=float(theta))
        assert open_by(here) < 1e-14
        moved = np.array([theta + math.pi, here["A"], here["B"], here["O4"]])
        ended = newton_with_skew_error(moved)
        assert np.abs(skew_error(ended)).max() < 1e-12
        false += bool(np.abs(round_the_loop(ended)[:3, :3] - geo.rot_z(math.pi)).max() < 1e-9)

        there = m.assemble(start={"O2": theta + math.pi}, guess={n: here[n] for n in PINS[1:]}).home
        assert there["O2"] == theta + math.pi
        assert open_by(there) < 1e-9
        t3, t4 = four_bar_angles(*LINKS, theta + math.pi, 1)
        u3, u4 = four_bar_angles(*LINKS, theta + math.pi, -1)
        assert min(apart(there["O4"], t4), apart(there["O4"], u4)) < 1e-9
        assert min(apart(there["O2"] + there["A"], t3), apart(there["O2"] + there["A"], u3)) < 1e-9
    assert false == 52


def test_a_single_solve_half_a_turn_away_is_never_told_as_closed() -> None:
    s = four_bar(*LINKS, deg(20)).assemble()
    for theta in TURN * np.arange(0, 52, 13) / 52:
        here = s.starting_from({"O2": float(theta)})
        there = here.solve({"O2": [theta + math.pi]}, path=False)
        q = np.array([there.value(f"{n}.angle")[0] for n in PINS])
        if np.abs(round_the_loop(q) - np.eye(4)).max() < 1e-9:
            assert there.residual[0] < 1e-10 and there.stopped is None
        else:
            assert isinstance(there.stopped, CannotClose)
            assert there.residual[0] > 0.1
        followed = here.solve({"O2": [theta + math.pi]})
        assert followed.stopped is None
        q = np.array([followed.value(f"{n}.angle")[0] for n in PINS])
        assert np.abs(round_the_loop(q) - np.eye(4)).max() < 1e-14


# --- slider-crank -----------------------------------------------------------------------------------------------------


def test_slider_crank_of_zakhariev_and_genova() -> None:
    p = slider_crank(1, 3, deg(50)).assemble().at(A=deg(50))
    v, a = p.velocities({"A": 2.0}), p.accelerations({"A": 2.0})
    assert p["D"] == pytest.approx(3.543335129, abs=6e-10)
    assert v["D.slide"] == pytest.approx(-1.871613664, abs=6e-10)
    assert a["D.slide"] == pytest.approx(-2.371424135, abs=6e-10)
    s, c = math.sin(deg(50)), math.cos(deg(50))
    w = math.sqrt(9 - s * s)
    assert p["D"] == pytest.approx(c + w, rel=1e-15)
    assert v["D.slide"] == pytest.approx(-2 * (s + s * c / w), rel=1e-14)
    assert a["D.slide"] == pytest.approx(-4 * (c + (c * c - s * s) / w + s * s * c * c / w**3), rel=1e-14)


def test_third_derivatives_of_the_slider_crank() -> None:
    # x = cos θ + w with w² = 9 - sin²θ, differentiated three times
    p = slider_crank(1, 3, deg(50)).assemble().at(A=deg(50))
    s, c = math.sin(deg(50)), math.cos(deg(50))
    w = math.sqrt(9 - s * s)
    w1 = -s * c / w
    w2 = (-math.cos(deg(100)) - w1**2) / w
    w3 = (2 * math.sin(deg(100)) - 3 * w1 * w2) / w
    first, second, third = -s + w1, -c + w2, s + w3
    d = p.derivatives(3)
    place = {"rate": "D.slide", "by": "A.angle"}
    assert float(d.first.sel(place)) == pytest.approx(first, rel=1e-13)
    assert float(d.second.sel({**place, "by2": "A.angle"})) == pytest.approx(second, rel=1e-13)
    assert float(d.third.sel({**place, "by2": "A.angle", "by3": "A.angle"})) == pytest.approx(third, rel=1e-12)
    jerk = p.jerks({"A": 2.0}, {"A": -3.0}, {"A": 5.0})["D.slide"]
    assert jerk == pytest.approx(third * 8 + 3 * second * 2 * -3 + first * 5, rel=1e-12)
    machine = slider_crank(1, 3, deg(50)).assemble()
    run = machine.motion(A=lw.harmonic(1.0, 0.5, frequency=0.5), times=[0.0, 0.1, 0.2], jerk=True)
    for k in range(3):
        row = run.isel(k)
        given = [{"A": row[f"A.angle.{n}"]} for n in ("rate", "acceleration", "jerk")]
        exact = machine.at(A=row["A.angle"]).jerks(*given)["D.slide"]
        assert row["D.slide.jerk"] == pytest.approx(exact, rel=1e-11)


def test_geometric_derivatives_of_the_slider_crank() -> None:
    # crank 0.1 m, rod 0.35 m, 50 deg, 60 rad/s; the method of Uicker, Ravani, Sheth, chapters 7 and 8
    p = slider_crank(0.1, 0.35, deg(50), com=(0.12, 0.01)).assemble().at(A=deg(50))
    assert [math.degrees(p[n]) for n in "ABC"] == pytest.approx([50, -62.6426619919, 12.6426619919], abs=6e-11)
    assert p["D"] == pytest.approx(0.4057926832, abs=6e-11)
    d = p.derivatives(2)
    names = ["A.angle", "B.angle", "C.angle", "D.slide"]
    first = d.first.sel(by="A.angle", rate=names).values
    second = d.second.sel(by="A.angle", by2="A.angle", rate=names).values
    assert first == pytest.approx([1, -1.1882171027, 0.1882171027, -0.0910227109], abs=6e-11)
    assert second == pytest.approx([0, 0.2163621309, -0.2163621309, -0.0598028223], abs=6e-11)
    # closed forms: sin φ = -r/l sin θ for the rod's direction
    n, s, c = 0.1 / 0.35, math.sin(deg(50)), math.cos(deg(50))
    w = math.sqrt(1 - (n * s) ** 2)
    phi1 = -n * c / w
    phi2 = n * s / w - n**3 * c * c * s / w**3
    assert first == pytest.approx([1, phi1 - 1, -phi1, -0.1 * (s + n * s * c / w)], rel=1e-14)
    x2 = -0.1 * (c + n * (c * c - s * s) / w + n**3 * s * s * c * c / w**3)
    assert second == pytest.approx([0, phi2, -phi2, x2], rel=1e-13)
    # the rod's centre of mass: 60 rad/s and 156.2930481801 rad/s²
    assert p.position("G")[:2] == pytest.approx([0.183557947, 0.060097604], abs=6e-10)
    assert p.velocity("G", {"A": 60.0})[:2] == pytest.approx([-4.7826788377, 2.5097026898], abs=6e-11)
    acceleration = p.acceleration("G", {"A": 60.0}, {"A": 156.2930481801})
    assert acceleration[:2] == pytest.approx([-246.2165908523, -174.2263612726], abs=2e-8)


def test_offset_slider_crank_of_the_gallery() -> None:
    s = lw.example("slider-crank-offset").assemble()
    sweep = s.solve({"crank_bearing": np.linspace(0, TURN, 25)})
    theta = np.linspace(0, TURN, 25)
    x = 0.06 * np.cos(theta) + np.sqrt(0.18**2 - (0.06 * np.sin(theta) - 0.02) ** 2)
    assert np.abs(sweep.value("guide.slide") - x).max() < 1e-15
    stroke = s.travel("crank_bearing").strokes["guide.slide"]
    # dead centres: crank and rod in line
    assert stroke.least == pytest.approx(math.sqrt(0.12**2 - 0.02**2), abs=1e-14)
    assert stroke.greatest == pytest.approx(math.sqrt(0.24**2 - 0.02**2), abs=1e-14)
    assert s.travel("crank_bearing").full_turn


# --- Cardan's coupling ------------------------------------------------------------------------------------------------

CARDAN = [
    # ψ, φA, φB, φC [deg], quality index: Uicker, Ravani, Sheth, example 5.1 with β = 150 deg
    (0, 0, -90, 120, 1),
    (30, 26.565051, -75.522488, 116.565051, 0.968246),
    (60, 56.309932, -64.341094, 106.102114, 0.901388),
    (90, 90, -60, 90, 0.866025),
    (120, 123.690068, -64.341094, 73.897886, 0.901388),
    (150, 153.434949, -75.522488, 63.434949, 0.968246),
    (210, -153.434949, -104.477512, 63.434949, 0.968246),
    (330, -26.565051, -104.477512, 116.565051, 0.968246),
]


@functools.cache
def coupling() -> lw.Machine:
    return cardan(deg(40), deg(150)).assemble()


@pytest.mark.parametrize("row", CARDAN, ids=lambda r: str(r[0]))
def test_cardans_coupling(row: tuple[float, ...]) -> None:
    psi, *printed, quality = row
    p = coupling().at(D=deg(psi))
    exact = cardan_angles(deg(psi), deg(150))
    for name, figure, true in zip("ABC", printed, exact, strict=True):
        assert apart(p[name], true) < TIGHT
        assert apart(p[name], deg(figure)) < deg(6e-7)
    assert p.quality == pytest.approx(math.sqrt(1 - math.sin(deg(150)) ** 2 * math.sin(deg(psi)) ** 2), rel=1e-12)
    assert p.quality == pytest.approx(quality, abs=6e-7)
    assert (p.rank, p.redundant, p.mobility) == (3, 3, 1)
    (redundancy,) = p.redundancies
    assert (redundancy.count, redundancy.joints, redundancy.kind) == (3, ("A", "B", "C", "D"), "spherical")


@pytest.mark.parametrize("psi", [0.0, 0.3, 1.0, 1.5, 2.2, 3.0, 4.4, 6.0])
def test_derivatives_of_cardans_coupling(psi: float) -> None:
    """φ' and φ'' in closed form, with q = 1 - sin²β sin²ψ (Uicker, Ravani, Sheth, examples 7.1 and 8.1, corrected)."""
    beta = deg(150)
    p = coupling().at(D=psi)
    sb, cb, s, c = math.sin(beta), math.cos(beta), math.sin(psi), math.cos(psi)
    q = 1 - sb**2 * s**2
    first = [-cb / q, sb * c / math.sqrt(q), sb * cb * s / q, 1]
    second = sb * cb / q**2 * np.array([-2 * sb * s * c, -cb * s * math.sqrt(q), (1 + sb**2 * s**2) * c, 0])
    d = p.derivatives(2)
    names = [f"{n}.angle" for n in "ABCD"]
    assert d.first.sel(by="D.angle", rate=names).values == pytest.approx(first, abs=TIGHT)
    assert d.second.sel(by="D.angle", by2="D.angle", rate=names).values == pytest.approx(second, abs=TIGHT)


def test_numbers_of_cardans_coupling_at_40_degrees() -> None:
    # the same example with h = 0.7, d1 = 2, d2 = 3: twists [v at the origin; w] of the bodies for ψ' = 1
    p = coupling().at(D=deg(40))
    d = p.derivatives(2)
    names = [f"{n}.angle" for n in "ABCD"]
    assert [math.degrees(p[n]) for n in "ABC"] == pytest.approx(
        [36.0052148188, -71.252762749, 113.8586547985], abs=6e-10
    )
    first, second = d.first.sel(by="D.angle", rate=names).values, d.second.sel(by="D.angle", rate=names).values.ravel()
    assert first == pytest.approx([0.9657851986, 0.4044817467, -0.3103973797, 1], abs=6e-11)
    assert second == pytest.approx([0.2651684966, -0.2838727041, -0.4551407044, 0], abs=6e-11)
    assert p.quality == pytest.approx(0.9469456279, abs=6e-11)
    twists = {
        "output": (0, 0, -0.6760496391, 0.9657851986, 0, 0),
        "cross": (-0.2290476767, 0, -0.6760496391, 0.9657851986, 0.2377781878, -0.3272109667),
        "input": (-0.35, 0, -0.6062177826, 0.8660254038, 0, -0.5),
    }
    for body, printed in twists.items():
        V = p.velocity(body, {"D": 1.0})
        at_origin = V[:3] - np.cross(V[3:], p.position(body))
        assert [*at_origin, *V[3:]] == pytest.approx(printed, abs=6e-11)
    assert p.acceleration("output", {"D": 1.0})[3:] == pytest.approx([0.2651684966, 0, 0], abs=6e-11)
    assert p.acceleration("cross", {"D": 1.0})[3:] == pytest.approx(
        [0.2651684966, 0.1491384177, 0.4592853088], abs=6e-11
    )
    assert p.acceleration("input", {"D": 1.0})[3:] == pytest.approx([0, 0, 0], abs=1e-14)


def test_the_other_closure_of_cardans_coupling() -> None:
    # the cross turned by half a turn, sin φB > 0
    found = coupling().closures({"D": deg(40)})
    assert len(found) == 2
    a, b, _ = cardan_angles(deg(40), deg(150))
    other = found.nearest({"B": -b})
    assert apart(other["B"], -b) < TIGHT
    assert apart(other["A"], a + math.pi) < TIGHT


def test_cardans_coupling_is_never_closed_by_half_a_turn() -> None:
    """From 60 random guesses; the plain skew error lets nearly all spherical loops end half a turn open."""
    m = cardan(deg(40), deg(150))
    rng = np.random.default_rng(5)
    b, a = cardan_angles(deg(70), deg(150))[1], cardan_angles(deg(70), deg(150))[0]
    sides = set()
    for _ in range(60):
        guess = dict(zip("ABC", rng.uniform(-math.pi, math.pi, 3).tolist(), strict=True))
        home = m.assemble(start={"D": deg(70)}, guess=guess).home
        side = 1 if math.sin(home["B"]) * math.sin(b) > 0 else -1
        sides.add(side)
        assert apart(home["B"], side * b) < 1e-9
        assert apart(home["A"], a if side == 1 else a + math.pi) < 1e-9
    assert sides == {1, -1}


@pytest.mark.parametrize(
    ("theta", "ratio"),
    [(0, 1.1547005383792517), (30, 1.0658774200423862), (45, 0.9897433186107871), (60, 0.9237604307034013),
     (90, 0.8660254037844387), (35, 1.040586391)],
)  # fmt: skip
def test_ratio_of_hookes_joint(theta: float, ratio: float) -> None:
    """cos β / (1 - sin²β cos²θ) for shafts bent by 30 deg, θ from where the driver's yoke lies in their plane."""
    # D is zero where the driver's pin stands across the plane of the shafts
    p = lw.example("hooke-joint").assemble().at(D=deg(theta + 90))
    found = p.velocities({"D": 1.0})["A.angle"]
    exact = math.cos(deg(30)) / (1 - math.sin(deg(30)) ** 2 * math.cos(deg(theta)) ** 2)
    assert found == pytest.approx(exact, rel=1e-13)
    assert found == pytest.approx(ratio, abs=6e-10 if theta == 35 else 1e-13)


def test_strokes_of_hookes_joint() -> None:
    # cos φB = sin ψ sin β swings by the bend of 30 deg to both sides, and so does φC
    travel = lw.example("hooke-joint").assemble().travel("D")
    assert travel.full_turn and travel.full_turns == ("A.angle", "D.angle")
    for name, middle in (("B.angle", -90), ("C.angle", 90)):
        stroke = travel.strokes[name]
        assert (stroke.least, stroke.greatest) == pytest.approx((deg(middle - 30), deg(middle + 30)), abs=1e-12)


def test_two_hookes_joints_give_a_constant_ratio() -> None:
    # Uicker, Ravani, Sheth, problem 5.8: the symmetric double coupling
    s = lw.example("double-hooke").assemble()
    angles = np.linspace(0, TURN, 37)
    sweep = s.solve({"drive": angles}, {"drive": 5.0}, {"drive": 2.0})
    assert np.abs(sweep.value("driven.angle") - angles).max() < 1e-14
    assert np.abs(sweep.rate("driven.angle") - 5.0).max() < 1e-13
    assert np.abs(sweep.acceleration("driven.angle") - 2.0).max() < 1e-12
    assert np.abs(sweep.value("telescope.slide") - 0.260).max() < 1e-15
    # the middle shaft runs unevenly: 12/13 is the cosine of the bend
    middle = [
        s.at(drive=x).velocity("tube", {"drive": 1.0})[3:] @ np.array([12, 0, 5]) / 13 for x in (0.0, math.pi / 2)
    ]
    assert sorted(middle) == pytest.approx([12 / 13, 13 / 12], rel=1e-13)


# --- cam --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.3])
def test_flat_faced_follower(e: float) -> None:
    # Uicker, Ravani, Sheth, example 5.2, R0 = 2, L = 1, with the sign of the return corrected
    printed = {1: (0.173591, 0.450774), 2.5: (0.948392, 0.228017), 4: (0.884222, -0.364624), 5.5: (0.090142, -0.316901)}
    s = cam(e).assemble()
    for psi, (lift, slope) in printed.items():
        p = s.at(A=float(psi))
        assert cam_lift(psi) == pytest.approx((lift, slope), abs=6e-7)
        g, dg = cam_lift(psi)
        assert p["C"] == pytest.approx(g, abs=1e-13)
        assert p["B.contact"] == pytest.approx(dg - e, abs=1e-13)
        assert p["B.parameter"] == pytest.approx(psi, abs=1e-13)
        assert p.position("follower")[:2] == pytest.approx([0, g - cam_lift(1.0)[0]], abs=1e-13)
        rise = 1 if psi < math.pi else -1
        v, a = p.velocities({"A": 2.0}), p.accelerations({"A": 2.0})
        assert v["C.slide"] == pytest.approx(2 * dg, abs=1e-12)
        assert a["C.slide"] == pytest.approx(rise * 4 * 2 / math.pi * math.sin(2 * psi), abs=1e-11)
        assert p.mobility == 1


def test_flat_faced_follower_of_the_gallery_through_a_turn() -> None:
    s = lw.example("flat-faced-cam").assemble()
    psi = 1 + np.linspace(0, TURN, 41)
    sweep = s.solve({"A": psi})
    lift = np.array([cam_lift(x % TURN)[0] for x in psi])
    assert np.abs(sweep.value("C.slide") / INCH - lift).max() < 1e-12


# --- robots -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("q", [(0.6, -1.4, 6.0, 2.3), (-0.3, 0.8, 2.0, -3.0), (2.9, 2.0, 9.0, 0.0)])
def test_scara_forwards(q: tuple[float, float, float, float]) -> None:
    # Uicker, Ravani, Sheth, example 5.3
    p = scara((0.6, -1.4, 6.0, 2.3)).assemble().at(dict(zip("ABCD", q, strict=True)))
    a, b, c, d = q
    turned = a + b - d
    k = SCARA
    X = p.pose("tool")
    s, co = math.sin(turned), math.cos(turned)
    assert X[:3, :3] == pytest.approx(np.array([[-co, -s, 0], [-s, co, 0], [0, 0, -1]]), abs=1e-14)
    x, y = k["d2"] * unit(a)[:2] + k["d3"] * unit(a + b)[:2]
    place = [k["x0"] + x, y, k["h1"] - (c + k["h4"] + k["h5"])]
    assert X[:3, 3] == pytest.approx(place, abs=1e-13)
    assert p.position("tip") == pytest.approx([*place[:2], place[2] - 4], abs=1e-13)
    assert (p.mobility, p.rank) == (4, 0)


SCARA_TASK = [
    # t, φA, φB [deg], φC [in], φD [deg]: Uicker, Ravani, Sheth, example 5.4; φC = 6 - 3 sin πt, φD = φA + φB - π
    (0, 35.296145, -79.193077, 6, 136.103068),
    (0.25, 49.598913, -88.722004, 3.878680, 140.876910),
    (0.5, 66.214572, -110.487315, 3, 135.727257),
    (0.75, 73.217631, -133.220147, 3.878680, 119.997484),
    (1, 56.387625, -144.340912, 6, 92.046713),
    (1.25, 36.263215, -133.220147, 8.121320, 83.043068),
    (1.5, 29.344675, -110.487315, 9, 98.857360),
    (1.75, 28.962199, -88.722004, 8.121320, 120.240196),
]


def scara_inverse(t: float) -> tuple[float, float, float, float]:
    """φA ... φD in closed form."""
    C, S = math.cos(math.pi * t), math.sin(math.pi * t)
    root = math.sqrt(5616 + 2240 * C - 1432 * C**2 - 240 * C**3 - 9 * C**4)
    a = 2 * math.atan((32 * S + root) / (164 + 80 * C + 3 * C**2))
    b = -math.acos((-28 + 40 * C + 3 * C**2) / 80)
    return a, b, 6 - 3 * S, a + b - math.pi


def test_scara_backwards() -> None:
    s = scara(scara_inverse(0.0), task=True).assemble()
    assert (s.home.mobility, s.home.rank, s.home.redundant) == (4, 4, 2)
    time = np.array([row[0] for row in SCARA_TASK], float)
    x, y, z = 5 * np.cos(np.pi * time), 4 * np.sin(np.pi * time), 3 * np.sin(np.pi * time)
    sweep = s.solve({"plane.x": x, "plane.y": -y, "height": z, "plane.angle": 0.0})
    for k, (t, *printed) in enumerate(SCARA_TASK):
        exact = scara_inverse(t)
        own = [sweep.value(n)[k] for n in ("A.angle", "B.angle", "C.slide", "D.angle")]
        for name, value, figure, true in zip("ABCD", own, printed, exact, strict=True):
            if name == "C":
                assert value == pytest.approx(true, abs=1e-12)
                assert value == pytest.approx(figure, abs=6e-7)
            else:
                assert apart(value, true) < 1e-12
                assert apart(value, deg(figure)) < deg(6e-7)


def test_both_elbows_of_the_scara() -> None:
    s = scara(scara_inverse(0.0), task=True).assemble()
    found = s.closures({"plane.x": 5.0, "plane.y": 0.0, "height": 0.0, "plane.angle": 0.0})
    assert len(found) == 2
    a, b, c, _ = scara_inverse(0.0)
    here, other = found.nearest({"A": a}), found.nearest({"A": -a})
    assert (here["A"], here["B"]) == pytest.approx((a, b), abs=1e-12)
    assert (other["A"], other["B"]) == pytest.approx((-a, -b), abs=1e-12)
    assert other["C"] == pytest.approx(c, abs=1e-12)


STANFORD_POSE = np.array(
    # Uicker, Ravani, Sheth, example 5.6, with h = 0.5, a = 0.15 at (0.4, 0.9, 0.7, -0.6, 1.1, 2.0)
    [[0.13858833, 0.29830346, 0.94435603, 0.44663155],
     [0.98910688, 0.00607230, -0.14707383, 0.35168846],
     [-0.04960705, 0.95445176, -0.29421246, 0.93512698],
     [0, 0, 0, 1]]
)  # fmt: skip
STANFORD_8 = [
    (0.4, 0.9, 0.7, -0.6, 1.1, 2),
    (0.4, 0.9, 0.7, 2.541593, -1.1, -1.141593),
    (0.4, -2.241593, -0.7, -2.541593, 2.041593, -1.141593),
    (0.4, -2.241593, -0.7, 0.6, -2.041593, 2),
    (-2.207542, -0.9, 0.7, 2.109428, 1.405728, 2.299258),
    (-2.207542, -0.9, 0.7, -1.032164, -1.405728, -0.842335),
    (-2.207542, 2.241593, -0.7, 1.032164, 1.735865, -0.842335),
    (-2.207542, 2.241593, -0.7, -2.109428, -1.735865, 2.299258),
]


def stanford_pose(q: np.ndarray) -> np.ndarray:
    """Product of the six D-H matrices of example 5.6."""
    X = turn(q[0]) @ transl(0, 0, 0.5) @ geo.pose(geo.rot_x(-math.pi / 2))
    X = X @ turn(q[1]) @ transl(0, 0, 0.15) @ geo.pose(geo.rot_x(math.pi / 2)) @ transl(0, 0, q[2])
    X = X @ turn(q[3]) @ geo.pose(geo.rot_x(-math.pi / 2)) @ turn(q[4]) @ geo.pose(geo.rot_x(math.pi / 2))
    return X @ turn(q[5])


def test_stanford_arm_forwards() -> None:
    q = np.array(STANFORD_8[0])
    s = stanford((0, 1, 0.5, 0, 1, 0)).assemble()
    X = s.at({f"J{k + 1}": x for k, x in enumerate(q)}).pose("hand")
    assert np.abs(X - STANFORD_POSE).max() < 6e-9
    assert np.abs(X - stanford_pose(q)).max() < 1e-15


def test_stanford_arm_has_eight_closures_for_a_pose() -> None:
    X = stanford_pose(np.array(STANFORD_8[0]))
    s = stanford((0.1, 0.8, 0.6, -0.5, 1.0, 1.8), pose=True).assemble()
    pose = [*X[:3, 3], *geo.to_quaternion(X[:3, :3])]
    found = s.closures({"pose": pose})
    assert found.complete
    assert len(found) == 8
    names = [f"J{k}" for k in range(1, 7)]
    for printed in STANFORD_8:
        p = found.nearest(dict(zip(names, printed, strict=True)))
        own = np.array([p[n] for n in names])
        for k in range(6):
            away = abs(own[k] - printed[k]) if k == 2 else apart(own[k], printed[k])
            assert away < 6e-7
        assert stanford_pose(own) == pytest.approx(X, abs=1e-10)
    assert len({found.nearest(dict(zip(names, row, strict=True))).name for row in STANFORD_8}) == 8
    # bodies tell fewer apart: the slide's side and the shoulder's, not the wrist's flip
    assert len(s.closures({"pose": pose}, of="b3")) == 4
    assert len(s.closures({"pose": pose}, of="hand")) == 1


# --- overconstrained linkages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("t1", "t2"),
    [(30, 168.797122310661), (60, 156.1350745839501), (90, 139.7921812779658), (120, 115.25268174592262),
     (150, 72.41204622600623)],
)  # fmt: skip
def test_bennett(t1: float, t2: float) -> None:
    # Bennett 1903: twists 30 and 60 deg; tan(t1/2) tan(t2/2) = sin 45 / sin 15
    p = lw.example("bennett").assemble().at(J1=deg(t1))
    exact = 2 * math.atan(math.sin(deg(45)) / math.sin(deg(15)) / math.tan(deg(t1) / 2))
    assert [p[f"J{k}"] for k in range(1, 5)] == pytest.approx([deg(t1), exact, -deg(t1), -exact], abs=1e-12)
    assert math.degrees(exact) == pytest.approx(t2, rel=1e-15)
    assert (p.mobility, p.rank, p.redundant) == (1, 3, 3)
    assert p.residual < 1e-12
    # differentiated: t2' = -sin t2 / sin t1
    assert p.velocities({"J1": 1.0})["J2.angle"] == pytest.approx(-math.sin(exact) / math.sin(deg(t1)), rel=1e-11)


def test_bennett_of_zakhariev_and_genova() -> None:
    # twists 40 and 70 deg, lengths 1 and 1.4619022; the longer link lies between joints 1 and 2, and the product of the
    # half angles' tangents, sin((α + β)/2) / sin((α - β)/2), is therefore negative
    alpha, beta, b = deg(40), deg(70), math.sin(deg(70)) / math.sin(deg(40))
    assert b == pytest.approx(1.461902200, abs=6e-10)
    product = -math.sin((alpha + beta) / 2) / math.sin((beta - alpha) / 2)
    assert product == pytest.approx(-3.164960461, abs=6e-10)
    q2 = 2 * math.atan(product / math.tan(deg(50) / 2))
    assert math.degrees(q2) == pytest.approx(-163.2373149, abs=6e-8)
    s = bennett(beta, alpha, b, 1.0, (deg(50), q2, -deg(50), -q2)).assemble()
    for q1 in (deg(50), deg(80), deg(120), deg(20)):
        p = s.at(J1=q1)
        assert p["J2"] == pytest.approx(2 * math.atan(product / math.tan(q1 / 2)), abs=1e-11)
        assert (p["J3"], p["J4"]) == pytest.approx((-q1, -p["J2"]), abs=1e-11)
        assert (p.mobility, p.rank, p.redundant) == (1, 3, 3)


def maximal_rank(bodies: list[str], joints: list[tuple[str, str, np.ndarray]]) -> tuple[int, int, int]:
    """Rank, rows and columns of the constraints when every body has six coordinates of its own.

    A joint with f twists (columns [v at the origin; w]) keeps 6 - f combinations of its bodies' relative twist at zero.
    """
    blocks = []
    for tail, head, twists in joints:
        u, _, _ = np.linalg.svd(twists)
        across = u[:, twists.shape[1] :].T
        row = np.zeros((len(across), 6 * len(bodies)))
        for body, sign in ((tail, -1.0), (head, 1.0)):
            if body != "ground":
                k = 6 * bodies.index(body)
                row[:, k : k + 6] = sign * across
        blocks.append(row)
    J = np.vstack(blocks)
    return int(np.linalg.matrix_rank(J, 1e-9)), *J.shape


def line(at: object, axis: object) -> np.ndarray:
    """Twist of a turn about a line."""
    w = np.asarray(axis, float) / np.linalg.norm(np.asarray(axis, float))
    return np.concatenate([np.cross(np.asarray(at, float), w), w])[:, np.newaxis]


def test_bricard_counted_both_ways() -> None:
    """One loop of six revolutes: 6 equations in 6 variables, rank 5. Five bodies of six coordinates: 30 in 30, rank 29.

    The difference is the same in both: 24 constraints go with the bodies, one equation is redundant, one freedom is
    left.
    """
    # IFToMM benchmark A04
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = np.eye(3)[[1, 2, 0, 1, 2, 0]]
    bodies = [f"rod{k}" for k in range(1, 6)]
    chain = ["ground", *bodies, "ground"]
    joints = [(chain[k], chain[k + 1], line(points[k], axes[k])) for k in range(6)]
    assert maximal_rank(bodies, joints) == (29, 30, 30)
    p = lw.example("bricard").assemble().home
    assert (p.rank, p.mobility, p.redundant) == (5, 1, 1)
    assert p.rank + 6 * len(bodies) - 6 == 29
    assert p.redundant == 30 - 29
    # and on the way
    s = lw.example("bricard").assemble()
    assert [s.at(J1=x).mobility for x in (-0.5, -0.2, 0.5, 1.0)] == [1, 1, 1, 1]


def test_bricard_moves_as_the_benchmark_does() -> None:
    """Places of two rod ends along the benchmark's swing: one parameter, so the first number gives the other five."""
    # IFToMM benchmark A04: ends of rods 2 and 3 at 0.2, 0.5, 1 s, from an integration of the free swing
    rows = [
        (0.96134955, -0.9992814, -0.03790352, 0.99922365, -1.03864989, 0.9606032),
        (0.77471781, -0.97981505, -0.19990616, 0.96828368, -1.22462516, 0.75014661),
        (0.274481319, -0.886707939, -0.462330003, 0.510501461, -1.649167599, 0.140123115),
    ]
    s = lw.example("bricard").assemble()
    for row in rows:
        low, high = 0.0, 1.5
        for _ in range(50):  # P2.x falls with J1
            middle = (low + high) / 2
            low, high = (middle, high) if s.at(J1=middle).position("P2")[0] > row[0] else (low, middle)
        p = s.at(J1=low)
        assert [*p.position("P2"), *p.position("P3")] == pytest.approx(row, abs=3e-8)


def test_bricard_keeps_its_symmetry() -> None:
    """Threefold symmetric with right twists: cos t1 + cos t2 + cos t1 cos t2 = 0, drawn at 90 deg, t = 90 deg - J.

    t1 goes from -120 to 120 deg.
    """
    s = lw.example("bricard").assemble()
    for x in (-0.5, -0.3, 0.2, 0.7, 1.0, 2.5, 3.6):
        p = s.at(J1=x)
        sines = [math.sin(p[f"J{k}"]) for k in range(1, 7)]
        assert np.ptp(sines[::2]) < 1e-12 and np.ptp(sines[1::2]) < 1e-12
        a, b = sines[:2]
        assert a + b + a * b == pytest.approx(0, abs=1e-12)
    travel = s.travel("J1")
    assert (travel.lower, travel.upper) == pytest.approx((-math.pi / 6, 7 * math.pi / 6), abs=1e-9)


def test_redundant_constraints_of_well_known_machines() -> None:
    # planar four-bar: three bodies, four revolutes; 20 rows of rank 17
    t3, t4 = four_bar_angles(40, 120, 80, 100, deg(40))
    A = 40 * unit(deg(40))
    B = A + 120 * unit(t3)
    assert 80 * unit(t4) + np.array([100, 0, 0]) == pytest.approx(B, abs=1e-12)
    pins = [(0, 0, 0), A, B, (100, 0, 0)]
    bodies = ["crank", "coupler", "rocker"]
    ends = [("ground", "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("rocker", "ground")]
    joints = [(*end, line(np.asarray(p) / 100, (0, 0, 1))) for end, p in zip(ends, pins, strict=True)]
    assert maximal_rank(bodies, joints) == (17, 20, 18)
    p = lw.example("four-bar").assemble().home
    assert (p.mobility, p.rank, p.redundant) == (1, 3, 3)
    assert [(r.count, r.kind) for r in p.redundancies] == [(3, "planar")]
    # Bennett: the same count, for another reason
    alpha, beta = deg(30), deg(60)
    q2 = 2 * math.atan(math.sin(deg(45)) / math.sin(deg(15)) / math.tan(deg(60) / 2))
    X, joints = np.eye(4), []
    chain = ["ground", *bodies, "ground"]
    for k, (q, (length, twist)) in enumerate(
        zip((deg(60), q2, -deg(60), -q2), [(math.sin(alpha), alpha), (math.sin(beta), beta)] * 2, strict=True)
    ):
        joints.append((chain[k], chain[k + 1], line(X[:3, 3], X[:3, 2])))
        X = X @ geo.dh_standard(q, 0.0, length, twist)
    assert maximal_rank(bodies, joints) == (17, 20, 18)
    # frames that do not move
    assert [f().assemble().home.mobility for f in (truss, pinned_bar)] == [0, 0]
    assert [f().assemble().home.redundant for f in (truss, pinned_bar)] == [3, 9]


# --- Stewart's platform -----------------------------------------------------------------------------------------------

LEGS = [
    # length, rate, acceleration at the pose and motion below, from the closed form of the inverse problem
    (1.0525228254, -0.0403416995, -0.9071120282),
    (1.1649788032, -0.2098039211, -0.6179079364),
    (1.1635420131, 0.2925903589, -0.8334163425),
    (1.1602803713, 0.0960863652, -0.1884642643),
    (1.0421770912, 0.1816034553, -0.1802641343),
    (1.1465365413, -0.0812415149, 0.4080423577),
]


def legs(p: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of the six legs, and of the platform's joints from its centre, in world axes."""
    low = [unit(deg(x)) for x in (-10, 10, 110, 130, 230, 250)]
    high = [R @ (0.6 * unit(deg(x))) for x in (-50, 50, 70, 170, 190, 290)]
    return np.array([p + h - b for h, b in zip(high, low, strict=True)]), np.array(high)


def test_stewart_platform_backwards() -> None:
    s = stewart().assemble()
    assert (s.home.mobility, s.home.redundant) == (6, 0)
    names = [f"P{k}.slide" for k in range(1, 7)]
    assert [s.home[n] for n in names] == pytest.approx([1.1183678590952202] * 6, abs=1e-14)
    p, R = np.array([0.05, -0.03, 0.9]), geo.rot_z(0.1) @ geo.rot_y(-0.05) @ geo.rot_x(0.08)
    v, w = np.array([0.2, -0.1, 0.05]), np.array([0.1, 0.2, -0.3])
    a, alpha = np.array([0.5, 0.4, -0.6]), np.array([-0.5, 0.3, 0.7])
    there = s.at({"pose": [*p, *geo.to_quaternion(R)]})
    assert there.pose("platform") == pytest.approx(geo.pose(R, p), abs=1e-14)
    rates = [f"pose.{n}" for n in ("vx", "vy", "vz", "wx", "wy", "wz")]
    given = dict(zip(rates, [*v, *(R.T @ w)], strict=True))  # a free joint turns about its own axes
    more = dict(zip(rates, [*a, *(R.T @ alpha)], strict=True))
    V, A = there.velocities(given), there.accelerations(given, more)
    own = [(there[n], V[n], A[n]) for n in names]
    assert np.array(own) == pytest.approx(np.array(LEGS), abs=6e-11)
    # the closed form: l' = u (v + w × r),  l'' = u a_tip + (|v_tip|² - l'²) / l
    way, r = legs(p, R)
    length = np.linalg.norm(way, axis=1)
    u = way / length[:, np.newaxis]
    tip = v + np.cross(w, r)
    rate = (u * tip).sum(axis=1)
    curve = (u * (a + np.cross(alpha, r) + np.cross(w, np.cross(w, r)))).sum(axis=1)
    exact = np.stack([length, rate, curve + ((tip**2).sum(axis=1) - rate**2) / length], axis=1)
    assert np.array(own) == pytest.approx(exact, abs=1e-13)
    # its Jacobian, rows (u, r × u)
    J = np.array([[there.velocities({n: 1.0})[leg] for n in rates] for leg in names])
    J[:, 3:] = J[:, 3:] @ R.T
    assert np.abs(J - np.hstack([u, np.cross(r, u)])).max() < 1e-13
    assert np.linalg.det(J) == pytest.approx(-1.1251239159859447, rel=1e-12)
    assert np.linalg.cond(J) == pytest.approx(2.6614422032711116, rel=1e-12)


def test_stewart_platform_forwards_follows_its_legs_home() -> None:
    s = stewart(posed=False).assemble()
    p, R = np.array([0.05, -0.03, 0.9]), geo.rot_z(0.1) @ geo.rot_y(-0.05) @ geo.rot_x(0.08)
    length = np.linalg.norm(legs(p, R)[0], axis=1)
    there = s.at({f"P{k}": float(x) for k, x in enumerate(length, 1)})
    assert there.pose("platform") == pytest.approx(geo.pose(R, p), abs=1e-13)
    assert (there.mobility, there.rank, there.redundant) == (6, 30, 0)


# --- gears and screws -------------------------------------------------------------------------------------------------


def test_ferguson() -> None:
    # Uicker, Ravani, Sheth, example 5.5
    s = lw.example("ferguson").assemble()
    assert len(s.variables) == 13
    for psi in (0.1, 1.0, -2.5, 7.0):
        p = s.at(B=psi)
        assert (p.rank, p.mobility, p.redundant) == (12, 1, 6)
        ratios = {"A": 10, "B": 1, "C.angle": 100 / 101, "D": 1 / 101, "E.angle": 100 / 99, "F": -1 / 99, "G.angle": 1}
        for name, ratio in ratios.items():
            assert p[name] == pytest.approx(ratio * psi, rel=1e-12), name
        stretch = [p[f"{g}.stretch"] / INCH for g in "CEG"]
        assert stretch == pytest.approx([-0.025, 0.025, 0], abs=1e-13)
        assert [p[f"{g}.axial"] for g in "CEG"] == pytest.approx([0, 0, 0], abs=1e-15)
        X = p.pose("planet")
        assert X[:3, :3] == pytest.approx(geo.rot_z(11 * psi), abs=1e-11)
        v, a = p.velocities({"B": 3.0}), p.accelerations({"B": 3.0}, {"B": 5.0})
        for name, ratio in ratios.items():
            full = name if "." in name else f"{name}.angle"
            assert v[full] == pytest.approx(3 * ratio, rel=1e-12)
            assert a[full] == pytest.approx(5 * ratio, rel=1e-11)


def test_ferguson_is_assembled_from_nothing() -> None:
    # from all variables at zero the centre distances are found, ±0.025 in
    m = lw.example("ferguson")
    names = [n for n in m.assemble().variables if n != "B.angle"]
    home = m.assemble(start={"B": 0.0}, guess=dict.fromkeys(names, 0.0)).home
    assert home["C.stretch"] / INCH == pytest.approx(-0.025, abs=1e-12)
    assert home["E.stretch"] / INCH == pytest.approx(0.025, abs=1e-12)
    assert home.iterations <= 3


def test_planetary_set_obeys_willis() -> None:
    # Willis: (sun - carrier) / (ring - carrier) = -60/24; planets: (planet - carrier) / (sun - carrier) = -24/18
    s = lw.example("planetary-set").assemble()
    assert s.home.mobility == 2
    for sun, ring in ((0.5, 0.0), (0.0, 0.7), (1.3, -0.4), (2.0, 2.0)):
        p = s.at({"sun_shaft": sun, "ring_shaft": ring})
        carrier = (24 * sun + 60 * ring) / 84
        assert p["carrier_shaft"] == pytest.approx(carrier, abs=1e-13)
        for k in (1, 2, 3):
            assert p[f"pin{k}"] == pytest.approx(-(24 / 18) * (sun - carrier), abs=1e-12)
            assert p[f"sun{k}.stretch"] == pytest.approx(0, abs=1e-15)
        v = p.velocities({"sun_shaft": 3.5, "ring_shaft": 0.0})
        assert v["carrier_shaft.angle"] == pytest.approx(1.0, abs=1e-12)
        v = p.velocities({"sun_shaft": 0.0, "ring_shaft": 1.4})
        assert v["carrier_shaft.angle"] == pytest.approx(1.0, abs=1e-12)
        v = p.velocities({"carrier_shaft": 0.0, "sun_shaft": 2.5})
        assert v["ring_shaft.angle"] == pytest.approx(-1.0, abs=1e-12)


def test_bevel_differential_turns_its_case_at_the_mean() -> None:
    s = lw.example("bevel-differential").assemble()
    assert s.home.mobility == 2
    for left, right in ((0.3, 0.3), (0.4, -0.4), (1.0, 0.2)):
        p = s.at({"left_shaft": left, "right_shaft": right})
        assert p["case_shaft"] == pytest.approx((left + right) / 2, abs=1e-12)
        # pitch cones roll: each pair turns the other way, seen from the apex along its gear's axis
        assert p["drive_shaft"] == pytest.approx(-41 / 11 * (left + right) / 2, abs=1e-12)
        assert p["upper_pin"] == pytest.approx(-16 / 10 * (left - right) / 2, abs=1e-12)
        assert p["lower_pin"] == pytest.approx(16 / 10 * (left - right) / 2, abs=1e-12)


def test_helical_gears() -> None:
    s = lw.example("helical-gears").assemble()
    for x in (0.2, -1.0, 6.0):
        assert s.at(input=x)["output"] == pytest.approx(-20 / 45 * x, abs=1e-13)


def test_rack_and_pinion() -> None:
    # no slip on a pitch circle of 8 mm: the rack goes 8 mm for each radian
    s = lw.example("rack-steering").assemble()
    pinion = np.linspace(-5, 5, 11)
    sweep = s.solve({"column": pinion}, {"column": 2.0}, {"column": 1.0})
    assert np.abs(sweep.value("housing.slide") - 0.008 * pinion).max() < 1e-15
    assert np.abs(sweep.rate("housing.slide") - 0.016).max() < 1e-14
    assert np.abs(sweep.acceleration("housing.slide") - 0.008).max() < 1e-13
    # the pitch point moves with the rack: ω × r from the pinion's centre
    v = s.home.velocity("rack", {"column": 1.0})
    contact = np.cross([0, 0, 1.0], np.array([-0.150, 0.15, 0.26]) - np.array([-0.158, 0.15, 0.26]))
    assert v[:3] == pytest.approx(contact, abs=1e-15)
    # left and right mirror each other, and tie rods keep their length
    left, right = sweep.value("left_kingpin.angle"), sweep.value("right_kingpin.angle")
    assert np.abs(left + right[::-1]).max() < 1e-12
    for p in (s.at(column=3.0), s.at(column=-4.0)):
        for side, y in (("left", 1), ("right", -1)):
            inner = geo.transform_points(p.pose("rack"), np.array([-0.150, 0.340 * y, 0.260]))
            outer = geo.transform_points(p.pose(f"{side}_knuckle"), np.array([-0.140, 0.660 * y, 0.250]))
            length = np.linalg.norm([0.010, 0.320, -0.010])
            assert np.linalg.norm(outer - inner) == pytest.approx(length, abs=1e-14)


def test_screw_jack() -> None:
    # 6 mm in a turn, drawn after ten turns
    s = lw.example("screw-jack").assemble()
    for turns in (0.0, -5.0, -10.25, -30.0):
        p = s.at(bearing=turns * TURN)
        assert p["key"] == pytest.approx(-0.006 * turns, abs=1e-15)
        assert p["thread"] == pytest.approx(-turns * TURN, abs=1e-12)
        assert p.velocities({"bearing": -TURN})["key.slide"] == pytest.approx(0.006, abs=1e-16)
    # it can be driven by its load as well
    assert s.at(key=0.120)["bearing"] == pytest.approx(-20 * TURN, abs=1e-11)


# --- linkages with a property -----------------------------------------------------------------------------------------


def test_scotch_yoke_is_a_pure_cosine() -> None:
    s = lw.example("scotch-yoke").assemble()
    theta = deg(60) + np.linspace(0, TURN, 49)
    sweep = s.solve({"bearing": theta}, {"bearing": 3.0}, {"bearing": 2.0})
    c, n = np.cos(theta), np.sin(theta)
    assert np.abs(sweep.value("guide.slide") - 0.04 * c).max() < 1e-15
    assert np.abs(sweep.value("slot.slide") - 0.04 * n).max() < 1e-15
    assert np.abs(sweep.rate("guide.slide") + 0.12 * n).max() < 1e-15
    assert np.abs(sweep.acceleration("guide.slide") - 0.04 * (-9 * c - 2 * n)).max() < 1e-14
    third = s.at(bearing=1.0).jerks({"bearing": 3.0}, {"bearing": 2.0}, {"bearing": -4.0})["guide.slide"]
    # d³/dt³ 0.04 cos θ
    exact = 0.04 * (27 * math.sin(1.0) - 3 * 3 * 2 * math.cos(1.0) + 4 * math.sin(1.0))
    assert third == pytest.approx(exact, abs=1e-14)


def test_oldham_coupling() -> None:
    # Uicker, Ravani, Sheth, problem 4.5: e = 0.25 in
    s = lw.example("oldham-coupling").assemble()
    e = 0.25 * INCH
    for psi in deg(30) + np.linspace(0, TURN, 25):
        p = s.at(A=float(psi))
        assert p["D"] == pytest.approx(psi, abs=1e-13)
        assert (p["B"], p["C"]) == pytest.approx((e * math.cos(psi), e * math.sin(psi)), abs=1e-16)
        # the disc's centre runs round a circle of diameter e at twice the speed
        M = p.position("M")
        assert M[:2] == pytest.approx([e / 2 * (1 + math.cos(2 * psi)), e / 2 * math.sin(2 * psi)], abs=1e-16)
        d = p.derivatives(2)
        names = ["A.angle", "B.slide", "C.slide", "D.angle"]
        first = d.first.sel(by="A.angle", rate=names).values
        assert first == pytest.approx([1, -e * math.sin(psi), e * math.cos(psi), 1], abs=1e-13)
        second = d.second.sel(by="A.angle", rate=names).values.ravel()
        assert second == pytest.approx([0, -e * math.cos(psi), -e * math.sin(psi), 0], abs=1e-12)


def test_peaucellier_draws_a_straight_line() -> None:
    s = lw.example("peaucellier").assemble()
    # OP OT = OA² - AP²; OT ≤ OA + AT bounds the crank
    power, reach = 0.15**2 + 0.12**2 - 0.13**2, math.hypot(0.15, 0.12) + 0.13
    limit = 2 * math.acos(power / reach / 0.1)
    assert power == pytest.approx(0.02, rel=1e-14)
    run = s.motion(Q=(-1.75, 1.75), samples=101)
    assert run.status == "complete"
    assert np.abs(run["T.x"].values - 0.2).max() < 1e-12
    q = np.linspace(-1.75, 1.75, 101)
    assert np.abs(run["T.y"].values - 0.2 * np.tan(q / 2)).max() < 1e-12  # P and T lie on one ray from O
    assert s.travel("Q").upper == pytest.approx(limit, abs=1e-9)
    assert s.travel("Q").lower == pytest.approx(-limit, abs=1e-9)


def jansen_toe(theta: float) -> np.ndarray:
    """Theo Jansen's leg by circles, with his numbers [cm]."""
    b, c, d, e, f, g, h, i, j, k = 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9
    M, Z = 15 * unit(theta), np.array([-38.0, -7.8, 0])
    U = dyad(Z, M, b, j, 1)
    W = dyad(Z, U, d, e, 1)
    D = dyad(Z, M, c, k, -1)
    K = dyad(D, W, g, f, 1)
    return dyad(D, K, i, h, 1)


def test_theo_jansens_leg() -> None:
    s = lw.example("theo-jansen-leg").assemble()
    theta = np.linspace(0, TURN, 61)
    sweep = s.solve({"O": theta})
    toes = s.position("toe", np.ascontiguousarray(sweep.variables[:, : len(s.home.q)]))
    assert np.abs(toes * 100 - np.array([jansen_toe(x) for x in theta])).max() < 1e-11
    assert s.travel("O").full_turn
    assert (s.home.mobility, s.home.redundant) == (1, 9)


# --- every machine of the gallery -------------------------------------------------------------------------------------

OPEN_CHAINS = {
    "double-pendulum", "free-box", "iiwa14", "panda", "pendulum", "puma-560", "puma-560-craig", "scara",
    "stanford-arm", "ur5e",
}  # fmt: skip
CLOSED_LOOPS = [n for n in lw.examples() if n != "n-four-bar" and n not in OPEN_CHAINS]


def test_the_open_chains_are_those_without_loops() -> None:
    assert {n for n in lw.examples() if not lw.check(lw.example(n)).values()["loops"]} == OPEN_CHAINS


@pytest.mark.slow
@pytest.mark.parametrize("name", CLOSED_LOOPS)
def test_rates_and_accelerations_are_derivatives_of_the_postures(name: str) -> None:
    """Zakhariev and Genova: rates against differences of postures, here of fourth order along a parabola of time."""
    s = lw.example(name).assemble()
    rng = np.random.default_rng(3)
    driven = [n for n in s.home.independent if n in s.variables]
    if name == "planar-3rpr":  # its cylinders are near a fold, where differences say little
        driven = [f"foot{k}.angle" for k in (1, 2, 3)]
    size = {n: s.layout.size if n.endswith((".slide", ".x", ".y")) else 1.0 for n in driven}
    q, w, a = ({n: rng.uniform(-1, 1) * size[n] for n in driven} for _ in range(3))
    q = {n: s.home[n] + 0.05 * q[n] for n in driven}

    def at(t: float) -> lw.Posture:
        return s.at({n: q[n] + w[n] * t + a[n] * t * t / 2 for n in driven})

    h = 2e-4
    p, far, near, after, beyond = (at(k * h) for k in (0, -2, -1, 1, 2))
    v, acc = p.velocities(w), p.accelerations(w, a)
    plain = [n for n in s.variables if n in v]
    assert set(driven) <= set(plain)
    for n in plain:
        rate = (8 * (after[n] - near[n]) - (beyond[n] - far[n])) / (12 * h)
        second = (-beyond[n] + 16 * after[n] - 30 * p[n] + 16 * near[n] - far[n]) / (12 * h * h)
        assert v[n] == pytest.approx(rate, abs=1e-9 * (1 + abs(rate)))
        assert acc[n] == pytest.approx(second, abs=1e-7 * (1 + abs(second) + abs(p[n])))
