"""What motors can give, as efforts of simulations: the torque-speed line, and efforts within the envelope."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw

STALL, NO_LOAD, RATIO, ROTOR, INERTIA = 2.0, 300.0, -20.0, 1e-4, 0.3


def hoist(**more: Any) -> tuple[lw.Mechanism, Any]:
    m = lw.Mechanism("hoist", gravity=(0, 0, 0))
    m.body("drum", mass=1.0, inertia=(INERTIA, INERTIA, INERTIA))
    m.revolute("A-1", "ground", "drum", axis="z")
    numbers = {"stall": STALL, "no_load": NO_LOAD, "ratio": RATIO, "rotor_inertia": ROTOR} | more
    return m, m.motor("drive", "A-1", **numbers)


@pytest.mark.parametrize("throttle", [1.0, -0.5, 3.0, "where(t < 9, 0.25, 0)"])
def test_a_motor_runs_up(throttle: Any) -> None:
    """I w' = N T0 (u - N w / n0): w = u n0 / N (1 - exp(-t / T)), T = (I + N² J) n0 / (T0 N²)."""
    m, motor = hoist()
    run = m.assemble().simulate(1.0, samples=21, efforts={"A-1": motor.at_throttle(throttle)}, rtol=1e-10, atol=1e-12)
    u = 0.25 if isinstance(throttle, str) else min(throttle, 1.0)
    pace = (INERTIA + RATIO**2 * ROTOR) * NO_LOAD / (STALL * RATIO**2)
    np.testing.assert_allclose(run.w[:, 0], u * NO_LOAD / RATIO * (1 - np.exp(-run.t / pace)), rtol=1e-8, atol=1e-8)
    assert run.status == "complete"


def test_it_keeps_to_its_current() -> None:
    """The peak holds until the line is below it: w' = N peak / I, which ends at n0 (1 - peak / T0) / N."""
    m, motor = hoist(peak=0.5, rotor_inertia=0.0)
    run = m.assemble().simulate(0.6, samples=31, efforts={"A-1": motor.at_throttle()}, rtol=1e-10, atol=1e-12)
    ends = NO_LOAD * 0.75 / abs(RATIO) / (abs(RATIO) * 0.5 / INERTIA)
    level = run.t < ends
    assert 5 < level.sum() < 30
    np.testing.assert_allclose(run.w[level, 0], RATIO * 0.5 / INERTIA * run.t[level], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("efficiency", [1.0, 0.7])
def test_an_effort_within_the_envelope(efficiency: float) -> None:
    """A position that is wanted at once is driven to as fast as the motor can, and never with more than it can."""
    m, motor = hoist(peak=0.8, rotor_inertia=0.0, efficiency=efficiency)
    s = m.assemble()
    wanted = "400*(2 - 'A-1') - 30*rate('A-1')"
    run = s.simulate(3.0, samples=601, efforts={"A-1": motor.limited(wanted)})
    assert run.status == "complete" and abs(run.y[-1, 0] - 2.0) < 1e-3
    found = lw.torque_speed(s.forces(run), motor)
    assert found.feasible and np.abs(found.torque).max() == pytest.approx(0.8, rel=1e-6)
    free = s.simulate(3.0, samples=601, efforts={"A-1": wanted})
    assert not lw.torque_speed(s.forces(free), motor).feasible


def test_small_efforts_are_left_as_they_are() -> None:
    m, motor = hoist()
    s, wanted = m.assemble(), "0.1*sin(3*t)"
    runs = [s.simulate(1.0, samples=5, efforts={"A-1": e}) for e in (motor.limited(wanted), wanted)]
    np.testing.assert_allclose(runs[0].y, runs[1].y, rtol=1e-6, atol=1e-9)


def test_the_gear_takes_its_part() -> None:
    """η where the motor drives, 1/η where it is driven back."""
    m, motor = hoist(efficiency=0.5, rotor_inertia=0.0)
    s, law = m.assemble(), motor.at_throttle(0.0)
    run = s.simulate(0.1, samples=5, rates={"A-1": 1.0}, efforts={"A-1": law}, rtol=1e-10, atol=1e-12)
    pace = INERTIA * NO_LOAD / (STALL * RATIO**2) * 0.5  # it brakes: the gear helps
    np.testing.assert_allclose(run.w[:, 0], np.exp(-run.t / pace), rtol=1e-7)


def test_as_a_load_of_a_model_and_its_file() -> None:
    m, motor = hoist()
    m.load("pull", "A-1", amount=motor.at_throttle(0.5))
    again = lw.loads(lw.dumps(m))
    runs = [x.assemble().simulate(0.5, samples=3) for x in (m, again)]
    assert (runs[0].y == runs[1].y).all() and runs[0].w[-1, 0] < -5.0


def test_what_cannot_be_given() -> None:
    _, plain = hoist(stall=None, no_load=None)
    with pytest.raises(lw.InputError, match="drive: it has no torque-speed line; give the motor stall and no_load"):
        plain.at_throttle()
    with pytest.raises(lw.InputError, match="drive: it has no limits"):
        plain.limited(3.0)
    _, motor = hoist()
    with pytest.raises(lw.InputError, match="throttle: a list is neither a number nor a formula"):
        motor.at_throttle([1.0])
    with pytest.raises(lw.ModelError, match="character"):
        motor.limited("3*(A")
    _, peaked = hoist(stall=None, no_load=None, peak=1.0)
    assert "1.0" in peaked.limited(30.0)
