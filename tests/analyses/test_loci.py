"""Campbell diagrams and root loci: rotors, a top, a shaft with two planes, in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_linear import cart

import linkwork as lw
from linkwork.units import rpm

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
