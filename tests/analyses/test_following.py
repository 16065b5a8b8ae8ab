"""Drives that rest, slow, turn back or start at a singular posture; placements far away; other numbers."""

import math

import numpy as np
import pytest
from kinematic_machines import four_bar

import linkwork as lw
from linkwork.units import deg

CRANK = (0.1, 0.3, 0.25, 0.35)
ROCKER = (0.35, 0.3, 0.25, 0.5)
LIMIT = math.acos((0.35**2 + 0.5**2 - 0.55**2) / (2 * 0.35 * 0.5))  # coupler and rocker in line
PARALLEL = (0.1, 0.3, 0.1, 0.3)


def closed_form(bars: tuple[float, ...], crank: np.ndarray) -> np.ndarray:
    """Rocker angle of the open closure of a four-bar (crank, coupler, rocker, ground)."""
    a, b, c, d = bars
    x, y = d - a * np.cos(crank), -a * np.sin(crank)
    diagonal = np.hypot(x, y)
    inner = np.arccos((diagonal**2 + c**2 - b**2) / (2 * diagonal * c))
    return np.pi - (inner - np.arctan2(y, x))


@pytest.fixture(scope="module")
def crank() -> lw.Machine:
    return four_bar(*CRANK, 40 * deg).assemble()


def test_a_drive_may_rest(crank: lw.Machine) -> None:
    rest = lw.sequence(lw.dwell(0.7, duration=1), lw.ramp(0.7, 7, duration=1), lw.dwell(7, duration=1))
    run = crank.motion(O2=rest, samples=31)
    assert run.status == "complete"
    np.testing.assert_allclose(run["O4.angle"].values, closed_form(CRANK, run["O2.angle"].values), atol=1e-12)
    np.testing.assert_array_equal(run["O4.rate"].values[-5:], 0.0)


@pytest.mark.parametrize("values", [[0.7, 1.2, 1.2, 1.7], [0.7, 0.7], [0.7, 3.0, 0.7, 3.0, 0.7], [1.0]])
def test_samples_may_repeat(crank: lw.Machine, values: list[float]) -> None:
    found = crank.solve({"O2": values})
    np.testing.assert_allclose(found.value("O4"), closed_form(CRANK, np.array(values)), atol=1e-12)


def test_times_may_repeat(crank: lw.Machine) -> None:
    run = crank.motion(O2=(0.7, 2), times=[0, 0, 0.5, 0.5, 1, 1])
    np.testing.assert_allclose(run["O4.angle"].values, closed_form(CRANK, run["O2.angle"].values), atol=1e-12)


@pytest.mark.parametrize("samples", [21, 61])
def test_coarse_swings_of_a_leg(samples: int) -> None:
    s = lw.example("theo-jansen-leg").assemble()
    swing = lw.harmonic(0.0, 3.0, frequency=2.0)
    coarse = s.motion(O=swing, duration=1.0, samples=samples)
    assert coarse.status == "complete"
    fine = s.solve({"O": np.linspace(0.0, 3.0, 2001)})
    there = np.interp(np.abs(coarse["O.angle"].values), fine.value("O"), fine.residual)
    assert there.max() < 1e-12
    for k in (1, samples // 3):
        p = s.at(O=float(coarse["O.angle"].values[k]))
        np.testing.assert_allclose([coarse[n].values[k] for n in s.variables], p.y, atol=1e-10)


@pytest.mark.parametrize("short", [0.0, 1e-6, 1e-5, 3e-4])
@pytest.mark.parametrize("samples", [50, 361, 2001])
def test_turning_back_before_a_limit_keeps_the_closure(short: float, samples: int) -> None:
    """At a turning point of a drive, going over to the other closure would be as smooth in time as returning."""
    s = four_bar(*ROCKER, 40 * deg).assemble()
    run = s.motion(O2=lw.harmonic(0.7, LIMIT - 0.7 - short, frequency=1.0), duration=0.5, samples=samples)
    assert run.status == "complete"
    O4 = run["O4.angle"].values
    assert O4[-1] == pytest.approx(O4[0], abs=1e-10)
    np.testing.assert_allclose(O4, O4[::-1], atol=2e-7)  # rounding grows by its root at the limit


def test_a_crossing_between_samples_is_told() -> None:
    s = four_bar(*PARALLEL, 40 * deg).assemble()
    run = s.motion(O2=(40 * deg, 250 * deg), samples=101)
    np.testing.assert_allclose(run["O4.angle"].values, run["O2.angle"].values, atol=1e-10)
    assert any("runs through a singular posture between samples 66 and 67" in text for text in run.warnings)


def test_a_singular_posture_says_so() -> None:
    s = four_bar(*PARALLEL, 40 * deg).assemble()
    flat = s.at(O2=math.pi)
    assert flat.singular and flat.mobility == 2 and not s.home.singular
    assert "singular" in str(flat)
    with pytest.raises(lw.DeadCentre, match="singular"):
        flat.velocities({"O2": 1.0})
    with pytest.raises(lw.DeadCentre, match="singular"):
        s.starting_from(flat).motion(O2=(math.pi, 4.0))


@pytest.mark.parametrize("away", [1e2, 1e5])
def test_far_from_the_origin(away: float) -> None:
    m = lw.Mechanism("far")
    a, _, c, d = CRANK
    pins = {"O2": (0.0, 0.0), "A": (a, 0.0)}
    O4 = closed_form(CRANK, np.array([0.0]))[0]
    pins |= {"B": (d + c * math.cos(O4), c * math.sin(O4)), "O4": (d, 0.0)}
    for name in ("crank", "coupler", "rocker"):
        m.body(name)
    for (name, (x, y)), ends in zip(
        pins.items(),
        (("ground", "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("ground", "rocker")),
        strict=True,
    ):
        m.revolute(name, *ends, at=(x + away, y - away, 0), axis="z")
    s = m.assemble()
    run = s.motion(O2=(0.0, 2 * math.pi), samples=91)
    assert run.status == "complete" and not run.warnings
    truth = closed_form(CRANK, run["O2.angle"].values) - O4
    np.testing.assert_allclose(run["O4.angle"].values, truth, atol=1e-14 * away / 0.1 + 1e-12)


def test_a_ball_driven_beyond_its_reach() -> None:
    m = lw.Mechanism("plate-on-a-rod")
    for name in ("plate", "rod1", "rod2"):
        m.body(name)
    m.spheric("S", "ground", "plate", at=(0, 0, 0))
    m.spheric("T", "plate", "rod1", at=(1, 0, 0))
    m.spheric("V", "rod1", "rod2", at=(1.1, 0, 0.3))
    m.spheric("U", "ground", "rod2", at=(1, 0, 0.6))
    s = m.assemble()
    low = s.starting_from(s.at({"S": [math.cos(0.4), 0, -math.sin(0.4), 0]}))
    with pytest.raises(lw.LimitOfTravel):
        low.at({"S": [math.cos(0.4), 0, math.sin(0.4), 0]})
    assert not {"S.wx", "S.wy", "S.wz"} & set(s.home.idle)  # they turn the plate


def test_transmission_follows_other_numbers(crank: lw.Machine) -> None:
    longer = crank.with_parameters({"O4.tail.at.x": 0.36})
    run = longer.motion(O2=(1.0, 1.5), samples=3)
    a, b, c, d = (*CRANK[:3], 0.36)
    diagonal = a * a + d * d - 2 * a * d * np.cos(run["O2.angle"].values)
    truth = np.arccos((b * b + c * c - diagonal) / (2 * b * c))
    np.testing.assert_allclose(longer.transmission(run).raw, truth, atol=1e-12)
    with pytest.raises(lw.ModelError, match="numbers of the model"):
        longer.four_bars()


def test_postures_of_other_numbers_are_closed_anew(crank: lw.Machine) -> None:
    longer = crank.with_parameters({"O4.tail.at.x": 0.36})
    assert longer.starting_from(crank.at(O2=1.0)).home.residual < 1e-12


@pytest.mark.parametrize("name", ["bennett", "bricard", "four-bar", "slider-crank"])
def test_the_quality_of_a_run_is_that_of_its_postures(name: str) -> None:
    s = lw.example(name).assemble()
    drive = s.home.independent[0]
    run = s.motion({drive: (s.home[drive], s.home[drive] + 1.0)}, samples=5)
    postures = [s.at({drive: float(x)}).quality for x in run[drive].values]
    np.testing.assert_allclose(run["closure.quality"].values, postures, rtol=1e-9)


def test_a_guess_is_kept_where_it_can_be(crank: lw.Machine) -> None:
    s = crank.mechanism.assemble(guess={"O2": 2.0})
    assert s.home["O2"] == 2.0 and s.home.residual < 1e-12


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: s.motion(O2=(0, 1), duration="3 kg"),
        lambda s: s.motion(O2=(0, 1), times="abc"),
        lambda s: s.solve({"O2": [0, 1]}, {"O2": "x"}),
        lambda s: s.solve([1]),
        lambda s: s.at({1: 2}),
        lambda s: s.motion({1: 2}),
        lambda s: s.mechanism.assemble(start=3),
        lambda s: s.mechanism.assemble(guess={"O2": [1, 2]}),
        lambda s: s.travel("O2", largest="a"),
        lambda s: s.home.velocities({"O2": "x"}),
    ],
)
def test_nonsense_is_refused_in_words(crank: lw.Machine, ask) -> None:
    with pytest.raises(lw.ModelError):
        ask(crank)
