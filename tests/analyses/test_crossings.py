"""Conditions are crossed as often as they are: on wheels that have turned often, several times in a step, and in pulses
narrower than a step. Numbers and times against closed forms.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

Array = np.ndarray


def wheel(**numbers: Any) -> Any:
    """A wheel about z that nothing slows down."""
    m = lw.Mechanism("wheel", gravity=(0, 0, 0))
    m.body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute("A", "ground", "rotor", at=(0, 0, 0), axis="z")
    m.point("P", "rotor", (0.3, 0, 0))
    return m.assemble(**numbers)


def crossings(speed: float, until: float, condition: str, **given: Any) -> tuple[Array, Any]:
    """Times at which a condition is crossed on a wheel that turns at a steady speed from 0."""
    event = lw.when(condition, name="x", **given)
    run = wheel().simulate(until, rates={"A": speed}, samples=3, events=event)
    assert run.status == "complete" and not run.warnings, (run.message, run.warnings)
    return np.array([e.time for e in run.events if e.name == "x"]), run


def same(found: Array, angles: Array, speed: float) -> None:
    """Times at which a wheel has turned by these angles, none more and none less, to 1e-12 of the time."""
    assert len(found) == len(angles)
    np.testing.assert_allclose(found, np.asarray(angles) / speed, rtol=1e-12, atol=0.0)


def zeros(first: float, apart: float, end: float) -> Array:
    return np.arange(first, end, apart)


@pytest.mark.parametrize("speed", [1.0, 37.0, 1e3, 1e5])
@pytest.mark.parametrize("k", [0.5, 1.0, 7.3])
def test_a_wheel_that_turns_often(speed: float, k: float) -> None:
    """sin(kA) has a zero every π/k; the start is one too, and is none to be told."""
    angle = 300.0
    found, _ = crossings(speed, angle / speed, f"sin({k}*A)")
    same(found, zeros(math.pi / k, math.pi / k, angle), speed)


def test_backwards() -> None:
    found, _ = crossings(-1e3, 0.3, "cos(A)")
    same(found, -zeros(0.5 * math.pi, math.pi, 300.0), -1e3)


@pytest.mark.parametrize("direction, first", [("rising", 1.5), ("falling", 0.5)])
def test_one_direction_alone(direction: str, first: float) -> None:
    found, _ = crossings(1e3, 0.3, "cos(A)", direction=direction)
    same(found, zeros(first * math.pi, 2.0 * math.pi, 300.0), 1e3)


def test_half_a_minute_at_a_thousand_radians_a_second() -> None:
    """4,774 crossings and not one more; the last ones lie where an angle of 30,000 rad has a rounding of 4e-12."""
    found, _ = crossings(1e3, 30.0, "sin(A/2)")
    same(found, zeros(2.0 * math.pi, 2.0 * math.pi, 3e4), 1e3)


def test_coordinates_of_points() -> None:
    found, _ = crossings(500.0, 0.6, "P.x - 0.1")
    first = math.acos(1.0 / 3.0)
    turns = 2.0 * math.pi * np.arange(60)
    angles = np.sort(np.concatenate([turns + first, turns + 2.0 * math.pi - first]))
    same(found, angles[angles < 300.0], 500.0)


def test_many_crossings_in_a_single_step() -> None:
    """A thousand zeros where an integrator would take three steps."""
    found, run = crossings(1.0, 3.0, "sin(1000*A)")
    same(found, zeros(math.pi / 1000.0, math.pi / 1000.0, 3.0), 1.0)
    assert len(found) == 954 and run.status == "complete"


@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-7])
def test_a_pulse_narrower_than_any_step(width: float) -> None:
    """exp(-((A - a)/b)²) = 1/2 twice, b sqrt(log 2) beside a."""
    found, _ = crossings(50.0, 1.0, f"exp(-((A - 20.3)/{width})**2) - 0.5")
    away = width * math.sqrt(math.log(2.0))
    assert len(found) == 2
    np.testing.assert_allclose(50.0 * found, [20.3 - away, 20.3 + away], rtol=0.0, atol=1e-12 * 20.3)
    np.testing.assert_allclose(50.0 * np.diff(found), 2.0 * away, rtol=0.0, atol=1e-13 * 50.0)


@pytest.mark.parametrize(
    "condition", ["sin(A)**2", "(A - 2)**2", "(A - 2)**2*(A - 5)**4", "1 - cos(3*A)", "abs(A - 4)"]
)
def test_zero_is_touched_and_not_crossed(condition: str) -> None:
    assert not len(crossings(20.0, 1.0, condition)[0])


def test_one_factor_crosses_and_the_other_touches() -> None:
    found, _ = crossings(20.0, 0.4, "(A - 2)**2*(A - 5)**3*(A - 7)")
    assert len(found) == 2
    np.testing.assert_allclose(20.0 * found[1], 7.0, rtol=1e-12)
    np.testing.assert_allclose(20.0 * found[0], 5.0, rtol=1e-4)  # a triple zero is as wide as the root of rounding


def test_the_value_jumps_to_the_other_side() -> None:
    """Conditions that jump are crossed where they do."""
    found, _ = crossings(20.0, 1.0, "where(sin(A) > 0.3, 2, -1)")
    first = math.asin(0.3)
    turns = 2.0 * math.pi * np.arange(5)
    angles = np.sort(np.concatenate([turns + first, turns + math.pi - first]))
    same(found, angles[angles < 20.0], 20.0)


def test_a_pole_is_crossed_as_well() -> None:
    """tan(A) changes its side at zeros and at poles; next to a pole a number has no more digits."""
    found, _ = crossings(20.0, 1.0, "tan(A)")
    expected = zeros(0.5 * math.pi, 0.5 * math.pi, 20.0) / 20.0
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)


def test_rates_are_crossed_as_well() -> None:
    """A spring: A = sin(ω t), the rate is zero every half period, and where it is 0.2 ω twice a period."""
    m = wheel().mechanism
    m.spring("coil", joint="A", stiffness=0.1 * 40.0**2, free=0.0)
    events = [lw.when("rate(A)", name="turns"), lw.when("rate(A)*A - 0.2*40", name="product")]
    run = m.assemble().simulate(20.0, rates={"A": 40.0}, samples=3, events=events, rtol=1e-12, atol=1e-14)
    turns = np.array([e.time for e in run.events if e.name == "turns"])
    expected = zeros(0.5 * math.pi, math.pi, 800.0) / 40.0
    assert len(turns) == len(expected) == 255
    np.testing.assert_allclose(turns, expected, rtol=0.0, atol=1e-9)
    product = np.array([e.time for e in run.events if e.name == "product"])  # sin cos = 0.2
    first = 0.5 * math.asin(0.4)
    angles = np.sort(np.concatenate([zeros(first, math.pi, 800.0), zeros(0.5 * math.pi - first, math.pi, 800.0)]))
    assert len(product) == len(angles)
    np.testing.assert_allclose(40.0 * product, angles, rtol=0.0, atol=1e-7)


def test_actions_are_done_once_each() -> None:
    """Each half turn sets the load the other way: were one done twice, the speed would not come back."""
    m = wheel().mechanism
    m.load("push", "A", amount=0.05)
    events = [
        lw.when("sin(A)", direction="falling", set={"push.amount": -0.05}, name="down"),
        lw.when("sin(A)", direction="rising", set={"push.amount": 0.05}, name="up"),
    ]
    run = m.assemble().simulate(1.0, rates={"A": 400.0}, samples=3, events=events)
    down, up = ([e.time for e in run.events if e.name == name] for name in ("down", "up"))
    assert len(down) == 64 and len(up) == 63
    # ω² grows by 2·0.5 π over the half turns upward and falls as much over the others: the turns are alike
    np.testing.assert_allclose(np.diff(down), np.diff(down)[0], rtol=1e-9)
    np.testing.assert_allclose(np.diff(up), np.diff(up)[0], rtol=1e-9)


def test_a_start_that_is_zero_but_for_rounding() -> None:
    """sin(1000 π) is -3e-13 in numbers: it is zero, and the side is that to which it goes."""
    for speed, count in ((3.0, 0), (-3.0, 0), (4.0, 1)):
        run = wheel().simulate(
            1.0, start={"A": 1000.0 * math.pi}, rates={"A": speed}, samples=2, events=lw.when("sin(A)", name="x")
        )
        assert len(run.events) == count


def test_stops_are_struck_in_the_same_way() -> None:
    """A ridge in the way that is narrower than a step; the wheel bounces back from it."""
    ridge = lw.stop("1 - exp(-((A - 20.3)/1e-3)**2)", low=0.5, restitution=1.0, name="ridge")
    run = wheel().simulate(0.6, rates={"A": 50.0}, samples=2, events=ridge)
    (struck,) = [e.time for e in run.events if e.name == "ridge"]
    place = 20.3 - 1e-3 * math.sqrt(math.log(2.0))
    np.testing.assert_allclose(50.0 * struck, place, rtol=1e-12)
    np.testing.assert_allclose(run["A"].value[-1], 2.0 * place - 30.0, rtol=1e-11)


def test_a_condition_that_stays_next_to_zero_is_told() -> None:
    """sin² + cos² - 1 is zero but for rounding, and no bound can tell: that is said, and no crossing made up of it."""
    run = wheel().simulate(
        1.0, rates={"A": 5.0}, samples=2, events=lw.when("sin(A)*sin(A) + cos(A)**2 - 1 + 0*rate(A)", name="x")
    )
    assert not run.events


@pytest.mark.parametrize("method", ["explicit", "radau", "exponential", "variational"])
def test_by_every_method(method: str) -> None:
    event = lw.when("sin(20*A)", name="x")
    run = wheel().simulate(
        1.0, rates={"A": 10.0}, samples=2, events=event, method=method, step=0.05 if method == "variational" else None
    )
    same(np.array([e.time for e in run.events]), zeros(math.pi / 20.0, math.pi / 20.0, 10.0), 10.0)


def test_a_body_that_turns_freely() -> None:
    """A quaternion: the tip of a top without gravity goes round at a steady speed."""
    m = lw.Mechanism("top", gravity=(0, 0, 0))
    m.body("top", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.spheric("B", "ground", "top", at=(0, 0, 0))
    m.point("P", "top", (0.3, 0, 0))
    w = np.array([0.0, 0.0, 200.0])
    run = m.assemble().simulate(1.0, rates=w, samples=2, events=lw.when("P.x", name="x"), rtol=1e-12, atol=1e-13)
    expected = zeros(0.5 * math.pi, math.pi, 200.0) / 200.0
    found = np.array([e.time for e in run.events])
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)
