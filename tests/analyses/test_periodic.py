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


# ---------------------------------------------------------------- branches by arc length


def hardening() -> lw.Machine:
    m = lw.Mechanism("duffing")
    m.body("block", mass=1.0)
    m.prismatic("X", "ground", "block", axis="x")
    m.spring("coil", joint="X", free=0.0, stiffness=1.0, damping=0.1)
    m.load("cubic", "X", amount="-0.5*X**3")
    return m.assemble()


def harmonic_fold(w: float, x: np.ndarray) -> float:
    """The frequency at which the equations of motion, collocated, are singular: F(x, w) = 0, F_x v = 0, |v| = 1."""
    n = len(x)
    k = np.fft.fftfreq(n, 1.0 / n)
    basis = np.fft.fft(np.eye(n), axis=0)
    push = 0.3 * np.sin(np.arange(n) * math.tau / n)

    def linear(own: float) -> np.ndarray:
        weights = (1j * own * k) ** 2 + 0.1j * own * k + 1.0
        return np.asarray(np.fft.ifft(weights[:, np.newaxis] * basis, axis=0).real)

    def slope(x: np.ndarray, own: float) -> np.ndarray:
        return np.asarray(linear(own) + np.diag(1.5 * x**2))

    def left(u: np.ndarray) -> np.ndarray:
        x, v, own = u[:n], u[n:-1], u[-1]
        return np.concatenate([linear(own) @ x + 0.5 * x**3 - push, slope(x, own) @ v, [v @ v - 1.0]])

    v = np.linalg.svd(slope(x, w))[2][-1]
    found = fsolve(left, np.concatenate([x, v, [w]]), xtol=1e-13)
    assert np.abs(left(found)).max() < 1e-11
    return float(found[-1] / math.tau)


def test_a_branch_goes_round_both_folds_of_a_resonance() -> None:
    s = hardening()
    branch = s.periodic_branch(0.19, 0.26, efforts=lambda f: {"X": f"harmonic(0 N, 0.3 N, {f!r}Hz)"}, samples=65)
    up, down = branch.folds
    assert (up.upper, down.upper) == (True, False) and branch.trouble == ""
    assert branch.frequencies[[0, -1]] == pytest.approx([0.19, 0.26], rel=1e-9)
    for fold in branch.folds:
        assert np.abs(fold.motion.multipliers - 1.0).min() < 1e-5
        x = fold.motion.run.signal("X.slide").values[:-1]
        assert fold.frequency == pytest.approx(harmonic_fold(math.tau * fold.frequency, x), rel=1e-9)
    verdicts = [own.verdict for own in branch]
    assert verdicts == ["stable"] * up.place + ["unstable"] * (down.place - up.place) + ["stable"] * (
        len(branch) - down.place
    )
    for own in branch:  # Liouville, whatever the spring
        assert np.prod(own.multipliers).real == pytest.approx(math.exp(-0.1 * own.period), rel=1e-6)
    assert len(branch.crossings) == 2 and "turns back down at 0.24757" in str(branch)
    branch.plot("X.slide")


def shaker() -> lw.Machine:
    """A coil with resistance and inductance drives a mass on a spring: L i' = 2 cos wt - R i - k v, m v' = k i - ..."""
    m = lw.Mechanism("shaker")
    m.body("table", mass=0.5)
    m.prismatic("X", "ground", "table", axis="x")
    m.spring("flexure", joint="X", free=0.0, stiffness=200.0, damping=0.4)
    m.state("i", rate="(2*cos(18*t) - 4*i - 3*rate(X)) / 0.05", unit="A")
    m.load("coil", "X", amount="3*i")
    return m.assemble()


def test_a_current_is_periodic_too() -> None:
    w, L, R, k, mass, c, K = 18.0, 0.05, 4.0, 3.0, 0.5, 0.4, 200.0
    found = shaker().periodic(math.tau / w)
    Z = K - mass * w * w + 1j * w * c
    i, x = np.linalg.solve([[1j * w * L + R, 1j * w * k], [-k, Z]], [2.0, 0.0])
    assert found.states["i"] == pytest.approx(i.real, abs=1e-8)
    assert found.start["X.slide"] == pytest.approx(x.real, abs=1e-8)
    A = np.array([[0, 1, 0], [-K / mass, -c / mass, k / mass], [0, -k / L, -R / L]])
    exact = np.exp(np.linalg.eigvals(A) * math.tau / w)
    assert np.sort_complex(found.multipliers) == pytest.approx(np.sort_complex(exact), abs=1e-8)
    again = shaker().periodic(math.tau / w, found.start, found.rates, states=found.states)
    assert again.strides <= 1 and found.stable
    with pytest.raises(lw.InputError, match="no state 'ii'"):
        shaker().periodic(1.0, states={"ii": 0.0})


def test_an_unbalanced_rotor_in_a_speed_sweep() -> None:
    """Driven round at each speed, on a mount that grows stiffer: the branch is that of the force m e w²."""
    k, c, e, mu = 500.0, 8.0, 0.05, 0.4
    m = lw.Mechanism("rotor")
    m.body("housing", mass=3.0)
    m.body("disc", mass=mu, com=(e, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    m.prismatic("X", "ground", "housing", axis="x")
    m.revolute("R", "housing", "disc", at=(0, 0, 0), axis="z")
    m.spring("mount", joint="X", free=0.0, stiffness=k, damping=c)
    s = m.assemble()
    branch = s.periodic_branch(1.7, 2.2, drives=lambda f: {"R": f"0:{math.tau!r}rad in {1 / f!r}s"}, samples=73)
    assert branch.trouble == "" and not branch.folds and all(own.stable for own in branch)
    w = math.tau * branch.frequencies
    H = mu * e * w**2 / (k - (3.0 + mu) * w**2 + 1j * c * w)
    assert [own.start["X.slide"] for own in branch] == pytest.approx(H.real, abs=1e-8)


def test_wrong_branches_are_told() -> None:
    s = oscillator()
    with pytest.raises(lw.InputError, match="is no frequency"):
        s.periodic_branch(0.0, 1.0)
    with pytest.raises(lw.InputError, match="two frequencies that differ"):
        s.periodic_branch(1.0, 1.0)
    short = s.periodic_branch(0.1, 0.2, efforts=lambda f: {"X": f"harmonic(0, 0.1 N, {f!r}Hz)"}, most=2, samples=9)
    assert "goes on beyond" in short.trouble and len(short) == 2


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
