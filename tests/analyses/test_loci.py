"""Campbell diagrams and root loci: rotors, a top, a shaft with two planes, in closed form."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_equilibrium import sprung_four_bar
from test_linear import cart

import linkwork as lw
from linkwork.units import rpm

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]

from random_loads import random_loaded_machine  # noqa: E402
from state_machines import pid  # noqa: E402

Array = np.ndarray
G = 9.81


def rotor(It: float = 0.02, Ip: float = 0.03, k: float = 50.0) -> lw.Machine:
    """A disc that tilts on two springs about fixed axes, and spins."""
    m = lw.Mechanism("rotor")
    m.body("ring", mass=0.0), m.body("yoke", mass=0.0), m.body("disc", mass=1.0, inertia=(It, It, Ip))
    m.revolute("X", "ground", "ring", at=(0, 0, 0), axis="x"), m.revolute("Y", "ring", "yoke", at=(0, 0, 0), axis="y")
    m.revolute("spin", "yoke", "disc", at=(0, 0, 0), axis="z")
    m.spring("a", joint="X", stiffness=k, free=0.0), m.spring("b", joint="Y", stiffness=k, free=0.0)
    return m.assemble()


def test_a_gyroscopic_rotor_parts_into_forward_and_backward_whirl() -> None:
    """It s² - i Ip Ω s + k = 0; the backward whirl alone meets the speed while Ip > It."""
    It, Ip, k = 0.02, 0.03, 50.0
    found = rotor(It, Ip, k).campbell("spin", 0.0, 1000 * rpm, samples=21, orders=(1.0, 2.0))
    W = found.values
    plus = (Ip * W + np.sqrt((Ip * W) ** 2 + 4 * It * k)) / (2 * It)
    minus = (-Ip * W + np.sqrt((Ip * W) ** 2 + 4 * It * k)) / (2 * It)
    both = np.sort(np.stack([plus, minus], axis=1), axis=1) / (2 * np.pi)
    assert np.sort(found.frequencies, axis=1) == pytest.approx(both, rel=1e-9)
    steps = np.diff(found.frequencies[2:], axis=0)
    assert (steps[:, 0] * steps[0, 0] > 0).all() and (steps[:, 1] * steps[0, 1] > 0).all()
    first = math.sqrt(k / (It + Ip))  # backward: It W² + Ip W² = k
    second = {math.sqrt(k / (4 * It + 2 * Ip)), math.sqrt(k / (4 * It - 2 * Ip))}
    assert [c.value for c in found.crossings if c.order == 1.0] == pytest.approx([first], rel=1e-10)
    assert [c.value for c in found.crossings if c.order == 2.0] == pytest.approx(sorted(second), rel=1e-10)
    assert not found.limits and found.stable.all()
    assert "1 x speed" in str(found)
    found.plot()
    assert found.result["frequency"].values.shape == found.frequencies.shape


def test_a_top_stands_from_its_limit_on() -> None:
    mass, length, I1, I3 = 0.5, 0.06, 5e-4, 8e-4
    m = lw.Mechanism("top", gravity=(0, 0, -G))
    m.body("ring", mass=0.0), m.body("yoke", mass=0.0)
    m.body("top", mass=mass, com=(0, 0, length), inertia=(I1, I1, I3))
    m.revolute("X", "ground", "ring", at=(0, 0, 0), axis="x"), m.revolute("Y", "ring", "yoke", at=(0, 0, 0), axis="y")
    m.revolute("spin", "yoke", "top", at=(0, 0, 0), axis="z")
    limit = 2 * math.sqrt(mass * G * length * (I1 + mass * length**2)) / I3
    found = m.assemble().campbell("spin", 0.2 * limit, 2 * limit, samples=41)
    (end,) = found.limits
    assert end.value == pytest.approx(limit, rel=1e-9) and not end.grows_above
    assert end.frequency == pytest.approx(I3 * limit / (2 * (I1 + mass * length**2)) / (2 * math.pi), rel=1e-4)


def test_a_whirling_shaft_with_two_planes_flies_off_between_its_frequencies() -> None:
    """In axes that turn: x'' - 2 W y' + (ωx² - W²) x = 0 and likewise y; unstable between ωx and ωy."""
    m = lw.Mechanism("shaft")
    m.body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0)), m.body("slide", mass=0.0), m.body("disc", mass=2.0)
    m.revolute("spin", "ground", "hub", at=(0, 0, 0), axis="z")
    m.prismatic("X", "hub", "slide", axis="x"), m.prismatic("Y", "slide", "disc", axis="y")
    m.spring("a", joint="X", stiffness=200.0, free=0.0), m.spring("b", joint="Y", stiffness=450.0, free=0.0)
    found = m.assemble().campbell("spin", 1.0, 30.0, samples=59)
    assert [(x.value, x.grows_above) for x in found.limits] == [
        (pytest.approx(10.0, rel=1e-9), True),
        (pytest.approx(15.0, rel=1e-9), False),
    ]


def test_a_governor_moves_out_as_it_turns() -> None:
    """A ball on a spring in a slot that turns: r = k r0 / (k - m W²), frequency² = k/m - W² (Coriolis is held)."""
    m = lw.Mechanism("governor")
    m.body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0)), m.body("ball", mass=0.5, com=(0.1, 0, 0))
    m.revolute("spin", "ground", "hub", at=(0, 0, 0), axis="z")
    m.prismatic("R", "hub", "ball", at=(0, 0, 0), axis="x", value=0.1)
    m.spring("coil", joint="R", stiffness=200.0, free=0.1)
    found = m.assemble().campbell("spin", 0.0, 18.0, samples=19)
    assert found.frequencies[:, 0] == pytest.approx(np.sqrt(400.0 - found.values**2) / (2 * np.pi), rel=1e-9)


def test_a_mass_on_a_spring_over_its_stiffness_and_damping() -> None:
    machine = cart(stiffness=100.0, damping=2.0)
    s = machine.assemble()
    found = s.root_locus("coil.stiffness", 10.0, 1000.0, samples=11, log=True)
    assert found.eigenvalues[:, 0] == pytest.approx(-1.0 + 1j * np.sqrt(found.values - 1.0), rel=1e-9)
    found.plot()


def test_an_inverted_pendulum_stands_on_a_stiff_hinge() -> None:
    m = lw.Mechanism("inverted", gravity=(0, -G, 0))
    m.body("rod", mass=2.0, com=(0, 0.5, 0))
    m.revolute("A", "ground", "rod", at=(0, 0, 0), axis="z")
    m.spring("hinge", joint="A", stiffness=5.0, free=0.0)
    (limit,) = m.assemble().root_locus("hinge.stiffness", 1.0, 20.0, samples=8, at={"A": 0.0}).limits
    assert limit.value == pytest.approx(2.0 * G * 0.5, rel=1e-9) and not limit.grows_above


def off_from_one_by_one(s: lw.Machine, parameter: str, low: float, high: float, **asked: Any) -> float:
    """How far eigenvalues of a batch are from those of machines that are set up one by one."""
    found = s.root_locus(parameter, low, high, samples=4, **asked)
    assert not found.warnings and len(found.values) >= 4
    worst = 0.0
    for value, row in zip(found.values, found.eigenvalues, strict=True):
        own = s.with_parameters({parameter: float(value)})
        linear = own.linearize(**asked) if asked else own.linearize(own.equilibrium())
        exact = np.linalg.eigvals(linear.matrices.A)
        apart = np.abs(row[:, np.newaxis] - exact).min(axis=1)
        worst = max(worst, float(apart.max() / np.abs(exact).max()))
    return worst


@pytest.mark.parametrize(
    ("parameter", "low", "high"),
    [("coil.stiffness", 3.0, 30.0), ("crank.com.x", 0.05, 0.2), ("coupler.mass", 0.5, 1.5), ("B.tail.at.x", 0.1, 0.12)],
)
def test_a_batch_of_equilibria_is_what_single_ones_are(parameter: str, low: float, high: float) -> None:
    """The last one changes how loops close, and is asked one by one."""
    assert off_from_one_by_one(sprung_four_bar(), parameter, low, high) < 1e-10


@pytest.mark.parametrize("seed", range(4))
def test_a_batch_about_a_held_posture_in_motion_is_what_single_ones_are(seed: int) -> None:
    s = random_loaded_machine(seed).mechanism.assemble()
    name = next(n for n in s.parameters if n.endswith(".mass") and s.parameters[n] > 0.0)
    mass, variable = s.parameters[name], s.home.loops.drivable(s.home._roles.independent)[0]
    rates = {variable: 0.3}
    assert off_from_one_by_one(s, name, mass, 2.0 * mass, rates=rates, at=s.home, t=0.3) < 1e-9


def test_a_controller_is_stable_until_its_load_is_too_heavy() -> None:
    """M s³ + 12 s² + 40 s + 60 = 0: Routh's 12 · 40 = 60 M, where s = i √(40/M)."""
    (limit,) = pid().root_locus("cart.mass", 2.0, 12.0, samples=11).limits
    assert limit.value == pytest.approx(8.0, rel=1e-9) and limit.grows_above
    assert limit.frequency == pytest.approx(math.sqrt(5.0) / (2 * math.pi), rel=1e-7)


def test_where_there_is_no_rest_any_more_a_locus_ends_and_says_so() -> None:
    """A block on a spring, pushed the harder the farther it goes: k x = 3 (1 + x²) has roots down to k = 6."""
    m = cart(stiffness=10.0, damping=1.0)
    m.load("hill", "X", amount="3*(1 + X**2)")
    found = m.assemble().root_locus("coil.stiffness", 10.0, 2.05, samples=81)
    k = found.values
    assert 6.0 < k[0] < 6.1 and len(k) == 41 and k[-1] == 10.0
    x = (k - np.sqrt(k * k - 36.0)) / 6.0
    assert found.eigenvalues[:, 0] == pytest.approx(-0.5 + 1j * np.sqrt(k - 6.0 * x - 0.25 + 0j), rel=1e-7)
    assert "no set point at 5.92" in found.warnings[0] and "no equilibrium" in found.warnings[0]


def test_a_thousand_samples_take_no_python_each() -> None:
    s = sprung_four_bar()
    s.root_locus("coil.stiffness", 3.0, 30.0, samples=11)
    spent = []
    for samples in (100, 2000):
        begun = time.process_time()
        s.root_locus("coil.stiffness", 3.0, 30.0, samples=samples)
        spent.append(time.process_time() - begun)
    assert (spent[1] - spent[0]) / 1900 < 2e-4  # one equilibrium alone takes 2e-3 s


def test_wrong_questions_are_told() -> None:
    s = rotor()
    with pytest.raises(lw.InputError, match="no variable 'spim'"):
        s.campbell("spim", 0, 10)
    with pytest.raises(lw.InputError, match="is no range"):
        s.campbell("spin", 5.0, 5.0)
    with pytest.raises(lw.InputError, match=r"no parameter 'a\.stifness'"):
        s.root_locus("a.stifness", 1, 10)
    with pytest.raises(lw.InputError, match="logarithm"):
        s.root_locus("a.stiffness", 0, 10, log=True)
