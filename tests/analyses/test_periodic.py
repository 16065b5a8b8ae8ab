"""Steady forced vibration: Duffing's oscillator, a shaken pivot, an unbalanced rotor, linear machines."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import linkwork as lw

G = 9.81


def oscillator(k: float = 1.0, c: float = 0.1) -> lw.Machine:
    m = lw.Mechanism("duffing")
    m.body("block", mass=1.0)
    m.prismatic("X", "ground", "block", axis="x")
    m.spring("coil", joint="X", free=0.0, stiffness=k, damping=c)
    return m.assemble()


def duffing(f: float) -> dict[str, str]:
    return {"X": f"0.3*cos({math.tau * f!r}*t) - 0.5*X**3"}


def harmonic_balance(w: float, guess: np.ndarray, n: int = 64) -> np.ndarray:
    """x over a period by collocation with trigonometric polynomials: x'' + 0.1 x' + x + 0.5 x³ = 0.3 cos wt."""
    t = np.arange(n) * math.tau / w / n
    waves = 1j * w * np.fft.fftfreq(n, 1.0 / n)

    def left(x: np.ndarray) -> np.ndarray:
        X = np.fft.fft(x)
        return np.fft.ifft((waves**2 + 0.1 * waves + 1.0) * X).real + 0.5 * x**3 - 0.3 * np.cos(w * t)

    found: np.ndarray = fsolve(left, guess, xtol=1e-13)
    assert np.abs(left(found)).max() < 1e-10
    return found


def test_a_linear_machine_swings_as_its_frequency_response_says() -> None:
    s, w, c = oscillator(), 1.3, 0.1
    found = s.periodic(math.tau / w, efforts={"X": f"0.3*cos({w}*t)"})
    H = 1.0 / (1.0 - w * w + 1j * w * c)
    assert found.start["X.slide"] == pytest.approx(0.3 * H.real, abs=1e-8)
    assert found.rates["X.slide"] == pytest.approx(0.3 * (1j * w * H).real, abs=1e-8)
    roots = np.roots([1.0, c, 1.0])
    assert np.sort_complex(found.multipliers) == pytest.approx(np.sort_complex(np.exp(roots * found.period)), abs=1e-8)
    assert found.stable and found.strides <= 2


def test_duffing_has_the_motions_of_harmonic_balance() -> None:
    s, f = oscillator(), 1.5 / math.tau
    low = s.periodic(1.0 / f, efforts=duffing(f))
    high = s.periodic(1.0 / f, {"X": 1.6}, efforts=duffing(f), samples=65)
    assert {low.verdict, high.verdict} <= {"stable", "unstable"}
    for found in (low, high):
        period = s.periodic(1.0 / f, found.start, found.rates, efforts=duffing(f), samples=65)
        x = period.run.signal("X.slide").values[:-1]
        assert x == pytest.approx(harmonic_balance(1.5, x + 1e-3), abs=1e-8)
        # Liouville: the product of the multipliers is the loss of area, whatever the spring
        assert np.prod(found.multipliers).real == pytest.approx(math.exp(-0.1 / f), rel=1e-7)
    assert abs(high.amplitude("X.slide") - low.amplitude("X.slide")) > 0.1


def test_a_branch_is_followed() -> None:
    s = oscillator(c=0.1)
    branch = s.periodic_sweep(np.linspace(0.10, 0.22, 7), efforts=duffing, samples=65)
    assert branch.trouble == "" and len(branch) == 7
    assert (np.diff(branch.amplitudes("X.slide")) > 0).all()  # up along the stiff side
    assert all(own.stable for own in branch) and branch.crossings == []
    x = branch[3].run.signal("X.slide").values[:-1]
    assert x == pytest.approx(harmonic_balance(math.tau * branch[3].frequency, x + 1e-3), abs=1e-8)


def shaken() -> lw.Machine:
    m = lw.Mechanism("kapitza", gravity=(0, 0, -G))
    m.body("cart", mass=1.0)
    m.body("bob", mass=1.0, com=(0, 0, 1.0))
    m.prismatic("Z", "ground", "cart", axis="z")
    m.revolute("A", "cart", "bob", at=(0, 0, 0), axis="y")
    return m.assemble()


@pytest.mark.parametrize("a", [0.05, 0.2])
def test_a_shaken_pivot_holds_a_pendulum_upside_down(a: float) -> None:
    """Mathieu's equation; Kapitza's limit a² W² > 2 g l lies at a = 0.148 for W = 30."""
    W = 30.0
    found = shaken().periodic(math.tau / W, drives={"Z": f"harmonic(0, {a}, {W / math.tau!r}Hz)"})

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        return (np.array([[0.0, 1.0], [G - a * W * W * math.sin(W * t), 0.0]]) @ x.reshape(2, 2)).ravel()

    end = solve_ivp(slope, (0.0, math.tau / W), np.eye(2).ravel(), rtol=1e-12, atol=1e-14).y[:, -1].reshape(2, 2)
    expected = np.linalg.eigvals(end)
    assert np.sort_complex(found.multipliers) == pytest.approx(np.sort_complex(expected.astype(complex)), abs=1e-7)
    assert found.verdict == ("neutral" if a * W > math.sqrt(2 * G) else "unstable")


def test_an_unbalanced_rotor_shakes_its_bearing() -> None:
    """m_u e w² / (M w_n² - M w² + i c w) of the whole mass M."""
    k, c, e, mu, w = 500.0, 8.0, 0.05, 0.4, 12.0
    m = lw.Mechanism("rotor")
    m.body("housing", mass=3.0)
    m.body("disc", mass=mu, com=(e, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    m.prismatic("X", "ground", "housing", axis="x")
    m.revolute("R", "housing", "disc", at=(0, 0, 0), axis="z")
    m.spring("mount", joint="X", free=0.0, stiffness=k, damping=c)
    found = m.assemble().periodic(math.tau / w, drives={"R": f"0:{math.tau!r}rad in {math.tau / w!r}s"})
    H = mu * e * w * w / (k - (3.0 + mu) * w * w + 1j * c * w)
    assert found.stable
    assert found.start["X.slide"] == pytest.approx(H.real, abs=1e-8)
    assert found.amplitude("X.slide") == pytest.approx(abs(H), rel=1e-4)


def test_what_cannot_repeat_itself_is_told() -> None:
    s = oscillator()
    with pytest.raises(lw.InputError, match="no period"):
        s.periodic(0.0)
    with pytest.raises(lw.InputError, match="above zero"):
        s.periodic_sweep([0.0], efforts=duffing)
    m = lw.Mechanism("free")
    m.body("stone", mass=1.0)
    m.prismatic("Z", "ground", "stone", axis="z")
    with pytest.raises(lw.NotPeriodic, match="no motion with the period"):
        m.assemble().periodic(1.0, efforts={"Z": 1.0})
