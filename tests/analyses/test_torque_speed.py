"""Motors: torque and speed at the shaft, gears that lose, envelopes of catalogues."""

import math

import numpy as np
import pytest
from force_runs import with_signals
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork.analyses.strength.motors import motor_torque, torque_limit
from linkwork.equations.loads import MOTOR_SPEED
from linkwork.model.loads import Motor
from linkwork.results import VariableHistory, build_run
from linkwork.units import rpm

PLAIN = Motor("drive", "A.angle", ratio=100.0, efficiency=0.62, stall=12.0, no_load=4200 * rpm, peak=10.0)


def run_of(effort, rate, acceleration=None, machine=None) -> lw.Run:
    n = len(effort)
    history = VariableHistory("rad", np.zeros(n), rate, np.zeros(n) if acceleration is None else acceleration)
    return build_run(
        np.linspace(0, 1, n), mechanism="press", variables={"A.angle": history},
        signals={"A.angle.effort": ("N m", effort)}, machine=machine,
    )  # fmt: skip


def test_the_spot_welding_arm() -> None:
    """Vukobratović, Potkonjak, sec. 5.4, example 3: 620 N m and 36 rpm, N = 100, from 10 N m and 3600 rpm."""
    torque, speed = motor_torque(PLAIN, [620.0], [36 * rpm], [0.0])
    assert torque[0] == pytest.approx(10.0, rel=1e-14) and speed[0] == pytest.approx(3600 * rpm, rel=1e-14)
    printed, _ = motor_torque(PLAIN, [620.0], [36 * rpm], [0.0], losses="book")
    assert printed[0] == pytest.approx(620 * 0.62 / 100, rel=1e-14)  # eq. 3.5.1 as it stands, less than without losses


amount = st.floats(-100.0, 100.0)
gear = st.floats(0.01, 200.0).flatmap(lambda n: st.sampled_from([n, -n]))


@settings(max_examples=200, deadline=None)
@given(amount, amount, amount, gear, st.floats(0.05, 1.0), st.floats(0, 1e-2), st.floats(0, 1e-2), st.floats(0, 0.5))
def test_power_balances_at_the_motor(
    load: float, rate: float, a: float, N: float, eta: float, J: float, B: float, C: float
) -> None:
    """Shaft power = what the gear passes on, over or times eta, and what rotor and bearings take; signs follow."""
    motor = Motor("d", "A.angle", ratio=N, rotor_inertia=J, damping=B, friction_forward=C, friction_backward=2 * C,
                  efficiency=eta)  # fmt: skip
    dry = (C if rate >= 0 else 2 * C) * math.tanh(rate / MOTOR_SPEED)
    effort = load + N * N * (J * a + B * rate) + abs(N) * dry
    torque, speed = (float(x) for x in motor_torque(motor, effort, rate, a))
    assert speed == N * rate
    passed = load * rate
    gear_power = passed / eta if passed >= 0 else eta * passed
    own = J * N * N * a * rate + B * speed**2 + abs(N) * dry * rate
    scale = abs(gear_power) + abs(own) + abs(effort * rate) / eta + 1e-9
    assert torque * speed == pytest.approx(gear_power + own, abs=1e-11 * scale)
    assert torque * speed >= effort * rate - 1e-11 * scale  # a gear never gives
    lossless, _ = motor_torque(Motor("d", "A.angle", ratio=N, rotor_inertia=J, damping=B, friction_forward=C,
                                     friction_backward=2 * C), effort, rate, a)  # fmt: skip
    assert float(lossless) == pytest.approx(effort / N, rel=1e-9, abs=1e-9 * (1 + abs(effort / N)))


@settings(max_examples=100, deadline=None)
@given(amount, amount, amount, gear)
def test_a_gear_that_turns_the_other_way(load: float, rate: float, a: float, N: float) -> None:
    """The sign of the ratio turns torque and speed round, and nothing else."""
    one, other = (Motor("d", "A.angle", ratio=r, efficiency=0.7, rotor_inertia=1e-3, damping=1e-3, friction_forward=0.1,
                        friction_backward=0.2) for r in (N, -N))  # fmt: skip
    there, back = (motor_torque(m, load, rate, a) for m in (one, other))
    np.testing.assert_allclose(np.array(back), -np.array(there), rtol=1e-12)


def test_rest_counts_as_driving() -> None:
    assert motor_torque(PLAIN, [62.0, 0.0], [0.0, 0.0], [0.0, 0.0])[0] == pytest.approx([1.0, 0.0])


def test_the_envelope() -> None:
    n = np.array([0.0, 700.0, 2100.0, 4200.0, 5000.0, -2100.0]) * rpm
    limit = torque_limit(PLAIN, n)
    assert limit is not None
    np.testing.assert_allclose(limit, [10.0, 10.0, 6.0, 0.0, -12 * 800 / 4200, 6.0], atol=1e-12)
    np.testing.assert_allclose(torque_limit(Motor("d", "A", stall=5.0), n), 5.0)
    np.testing.assert_allclose(torque_limit(Motor("d", "A", peak=3.0), n), 3.0)
    assert torque_limit(Motor("d", "A"), n) is None
    with pytest.raises(lw.ModelError, match="no stall torque"):
        torque_limit(Motor("d", "A", no_load=3.0), n)


def test_feasible_and_not() -> None:
    rate = np.linspace(0, 40 * rpm, 41)
    easy = lw.torque_speed(run_of(np.full(41, 20.0), rate), PLAIN)
    assert easy.feasible and easy.violation is None and easy.worst == 40 and "feasible" in easy.message
    np.testing.assert_allclose(easy.margin, torque_limit(PLAIN, easy.speed) - 20 / 62, rtol=1e-12)
    assert easy.margin.min() == easy.margin[40] == pytest.approx(12 * 200 / 4200 - 20 / 62)
    hard = lw.torque_speed(run_of(np.full(41, 310.0), rate), PLAIN)  # 5 N m: allowed up to 2450 rpm
    assert hard.feasible is False and hard.violation == 25 and hard.worst == 40
    assert "too much from 0.625 s on" in hard.message and "5 N m" in hard.message
    assert "TorqueSpeed('drive', 41 samples)" in repr(hard)
    # On the line itself it is still feasible; beyond the no-load speed it is not, without any torque.
    assert lw.torque_speed(run_of(np.full(3, 620.0), np.zeros(3)), PLAIN).feasible
    assert lw.torque_speed(run_of(np.zeros(3), np.full(3, 43 * rpm)), PLAIN).feasible is False
    free = lw.torque_speed(run_of(np.full(3, 620.0), np.zeros(3)), Motor("d", "A.angle"))
    assert (free.feasible, free.margin, free.worst, free.violation) == (None, None, None, None)
    assert "no envelope" in free.message


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_the_first_violation_is_the_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = lw.torque_speed(run_of(900 * rng.normal(size=30), 25 * rpm * rng.normal(size=30)), PLAIN)
    bad = [k for k in range(30) if abs(found.torque[k]) > min(10, 12 * (1 - abs(found.speed[k]) / (4200 * rpm)))]
    assert found.violation == (bad[0] if bad else None) and found.feasible == (not bad)


def test_motors_of_the_machine_by_name() -> None:
    m = lw.Mechanism("press")
    m.body("crank", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
    m.motors["drive"] = Motor("drive", "A.angle", ratio=10.0, rotor_inertia=1e-3, peak=1.0)
    machine = m.assemble()
    run = machine.motion(A=lw.expression("sin(t)"), samples=50, duration=3.0)
    acceleration = run["A.angle.acceleration"].values
    run = with_signals(run, {"A.angle.effort": ("N m", (0.11 + 0.1) * acceleration)})  # crank and reflected rotor
    found = lw.torque_speed(run, "drive")
    np.testing.assert_allclose(found.torque, 0.021 * acceleration, rtol=1e-10)
    np.testing.assert_allclose(found.speed, 10 * np.cos(run.time), rtol=1e-9)
    assert found.run is run and found.feasible
    lossy = lw.torque_speed(run, Motor("other", "A.angle", ratio=10.0, rotor_inertia=1e-3, efficiency=0.5))
    passed = 0.11 * acceleration
    drives = passed * run["A.angle.rate"].values >= 0
    np.testing.assert_allclose(lossy.torque, np.where(drives, 0.2, 0.05) * passed + 0.01 * acceleration, rtol=1e-9)


def test_the_plot_shows_the_envelope() -> None:
    hard = lw.torque_speed(run_of(np.full(41, 310.0), np.linspace(0, 40 * rpm, 41)), PLAIN)
    panels = hard.plot(units={"motor speed": "rpm"})
    (panel,) = panels.description.panels
    assert panels.description.title == "press: torque over speed of drive" and panels.warnings == (hard.message,)
    curve, envelope, outside, first = panel.lines
    assert (panel.x.symbol, panel.y.symbol) == ("rpm", "N m") and panel.bands[0].high == pytest.approx(10.0)
    np.testing.assert_allclose(curve.x, np.linspace(0, 4000, 41), atol=1e-9)
    # Corners: level to 700 rpm, straight down to 4200 rpm, all around and closed.
    assert {(round(x), round(y, 9) + 0.0) for x, y in zip(envelope.x, envelope.y, strict=True)} == {
        (0, 10.0), (700, 10.0), (4200, 0.0), (700, -10.0), (0, -10.0), (-700, -10.0), (-4200, 0.0), (-700, 10.0)
    }  # fmt: skip
    assert envelope.x[0] == envelope.x[-1] and envelope.y[0] == envelope.y[-1]
    assert len(outside.x) == 16 and first.x[0] == pytest.approx(2500)
    easy = lw.torque_speed(run_of(np.full(3, 1.0), np.full(3, 1.0)), Motor("d", "A.angle", stall=2.0))
    (panel,) = easy.plot().description.panels
    assert len(panel.lines) == 2 and panel.bands == () and max(panel.lines[1].x) == pytest.approx(1.05)
    (panel,) = lw.torque_speed(run_of([1.0], [0.0]), Motor("d", "A.angle")).plot().description.panels
    assert len(panel.lines) == 1


def test_bad_motors() -> None:
    run = run_of(np.ones(3), np.ones(3))
    for words, ask in (
        ("no motor 'drve'", lambda: lw.torque_speed(run, "drve")),
        ("(?s)3 problems.*C.angle.effort", lambda: lw.torque_speed(run, Motor("d", "C.angle"))),
        ("(?s)3 problems.*ratio is 0.*efficiency is 1.2",
         lambda: motor_torque(Motor("d", "A.angle", ratio=0.0, efficiency=1.2), 1.0, 1.0, 1.0, losses="none")),
        ("'A.angle.effort' is not finite", lambda: lw.torque_speed(nan_run(), PLAIN)),
        ("no samples", lambda: lw.torque_speed(run.isel(slice(0, 0)), PLAIN)),
    ):  # fmt: skip
        with pytest.raises(lw.ModelError, match=words):
            ask()


def nan_run() -> lw.Run:
    return run_of(np.array([1.0, math.nan]), np.ones(2))
