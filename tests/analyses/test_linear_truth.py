"""Small motions beside other laws and other ways: inverse dynamics, simulations, residues, pendulums in closed form."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from test_equilibrium import chain, sprung_four_bar
from test_linear import two_masses

import linkwork as lw
from linkwork.analyses.equilibrium.balance import Balance
from linkwork.analyses.linear.set_points import held_at
from linkwork.units import deg

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]

from random_loads import random_loaded_machine  # noqa: E402

Array = np.ndarray
G = 9.81
EIGHTH = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
"""Weights of a central difference of eighth order."""


# ---------------------------------------------------------------- inverse dynamics: another law of the same forces


@pytest.mark.parametrize("seed", [2, 3, 11, *(pytest.param(k, marks=pytest.mark.slow) for k in (6, 10))])
def test_matrices_are_derivatives_of_inverse_dynamics(seed: int) -> None:
    """M, D and K of closed machines, of all joint and load kinds between them: what efforts change with a, w and ψ."""
    machine = random_loaded_machine(seed).mechanism.assemble()
    loops, t = machine.loops, 0.3
    rng = np.random.default_rng(seed)
    y, columns = machine.home.y, machine.home._roles.independent
    mask = np.isin(np.arange(loops.columns), columns)
    w = loops.rates(y, mask, [np.where(mask, 0.5 * rng.normal(size=loops.columns), 0.0)])[0]
    none = np.zeros(loops.columns, bool)
    point = held_at(machine, loops, y, w, none, np.zeros(loops.columns), np.zeros(0), t)
    c, at = point.c, point.at
    D = c.D - c.M @ c.G
    K = c.K - D @ c.G
    scale, n, names = loops.column_scale[columns], len(columns), list(loops.names(columns))
    balance = Balance(loops, none, t)
    balance.charts.append(balance._made(at.order, columns))

    def efforts(dpsi: Array, dw: Array, da: Array) -> Array:
        Y, closed = balance.moved(balance.charts[0], y[np.newaxis], (dpsi / scale)[np.newaxis])
        assert closed.all()
        given = [w.copy(), at.dw.copy()]
        given[0][columns] += dw
        given[1][columns] += da
        rates, more = loops.rates(Y[0], mask, given)
        return np.asarray(machine.drive_efforts(Y[0], rates, more, names, t=t))

    zero, h = np.zeros(n), 5e-4
    for k in range(n):
        unit = np.eye(n)[k] * scale[k]
        for found, law in (
            (c.M, lambda x: efforts(zero, zero, x)),
            (D, lambda x: efforts(zero, x, zero)),
            (K, lambda x: efforts(x, zero, zero)),
        ):
            slope = sum(a * (law(j * h * unit) - law(-j * h * unit)) for j, a in EIGHTH.items()) / h
            size = np.abs(found * scale * scale[:, np.newaxis]).max() + np.abs(c.M * scale * scale[:, np.newaxis]).max()
            assert np.abs((slope - found[:, k] * scale[k]) * scale).max() <= 2e-8 * size


# ---------------------------------------------------------------- simulations


def swings(values: Array, dt: float, modes: int) -> Array:
    """Frequencies [rad/s] of a sum of undamped swings, by Prony's method with the symmetric recurrence."""
    n, m = len(values), modes
    middle = values[m : n - m]
    pairs = [values[m + k : n - m + k] + values[m - k : n - m - k] for k in range(m + 1)]
    rows = np.stack([*pairs[1:m], middle], axis=1)
    c = np.linalg.lstsq(rows, -pairs[m], rcond=None)[0]
    # cos(m x) + c₁ cos((m-1) x) + ... = 0 of the shifts, as a polynomial in cos x
    series = np.zeros(m + 1)
    series[m], series[0] = 2.0, c[-1]
    series[1:m] = 2.0 * c[: m - 1]
    return np.sort(np.arccos(np.polynomial.chebyshev.chebroots(series).real)) / dt


def test_eigenvalues_are_the_frequencies_of_small_swings() -> None:
    """A closed four-bar, and a double pendulum: swings of ±1e-4 rad, whose difference has no even powers."""
    four_bar, pendulum = sprung_four_bar(), chain(1.0, 1.0)
    for machine, start, name in (
        (four_bar, four_bar.equilibrium().posture, "A.angle"),
        (pendulum, pendulum.at(J0=-90 * deg, J1=0.0), "J0.angle"),
    ):
        modes = machine.linearize(start).modes()
        longest = 1.0 / modes.frequencies.min()
        variable = name.partition(".")[0]
        runs = [
            machine.simulate(6 * longest, start, {variable: rate}, samples=241, rtol=1e-12, atol=1e-16)
            for rate in (1e-4, -1e-4)
        ]
        values = 0.5 * (runs[0].signal(name).values - runs[1].signal(name).values)
        found = swings(values, 6 * longest / 240, len(modes))
        assert found / (2 * math.pi) == pytest.approx(np.sort(modes.frequencies), rel=1e-6)


@pytest.mark.parametrize("f", [0.4, 1.3])
def test_transfer_functions_are_what_simulations_come_to(f: float) -> None:
    """A damped four-bar under a small harmonic torque, after its transient has died away by 1e-9."""
    machine = sprung_four_bar().with_parameters({"coil.damping": 2.0})
    rest = machine.equilibrium()
    H = machine.linearize(rest).bode("A.effort", ["D", "A.rate"], [f])
    slowest = max(mode.decay for mode in machine.linearize(rest).modes())
    periods = math.ceil(21 * slowest * f) + 1
    small = 1e-4
    ends = []
    for sign in (1, -1):
        times = np.linspace(periods - 1, periods, 65) / f
        run = machine.simulate(
            periods / f, rest.posture, efforts={"A": f"harmonic(0, {sign * small} N m, {f}Hz)"},
            times=np.concatenate([[0.0], times]), rtol=1e-11, atol=1e-14,
        )  # fmt: skip
        ends.append([run.signal(name).values[1:] for name in ("D.angle", "A.angle.rate")])
    for name, (up, down) in zip(("D", "A.rate"), zip(*ends, strict=True), strict=True):
        wave = 0.5 * (up - down)[:-1] / small
        harmonic = 2j * np.mean(wave * np.exp(-2j * np.pi * np.arange(64) / 64))  # of sin: Im of the phasor
        assert harmonic == pytest.approx(complex(H[name].values[0]), rel=2e-6)


# ---------------------------------------------------------------- residues


def test_responses_are_sums_of_residues() -> None:
    """The seed's (14.8): x(t) = Σ res of (s - A)⁻¹ b u(s), poles of the machine and of a harmonic input."""
    linear = two_masses(0.3).linearize()
    c = linear.matrices
    values, V = np.linalg.eig(c.A)
    weights = np.linalg.solve(V, np.concatenate([np.zeros(2), np.linalg.solve(c.M, [1.0, 0.0])]))
    w, start = 2 * math.pi * 1.1, 0.02
    found = linear.response({"X.effort": "harmonic(0, 5 N, 1.1Hz)"}, ["X", "Y"], until=6.0, start={"Y": start})
    t = found["time"].values[:, np.newaxis]
    first = np.linalg.solve(V, [0.0, start, 0.0, 0.0])
    for row, name in enumerate(("X", "Y")):
        own = np.exp(values * t) * (weights * 5.0 * w / (values**2 + w**2) + first)
        forced = 5.0 * np.exp(1j * w * t) / (2j * (1j * w - values)) * weights
        exact = ((own + forced + 5.0 * np.exp(-1j * w * t) / (-2j * (-1j * w - values)) * weights) @ V[row]).real
        assert found[name].values == pytest.approx(exact, abs=1e-12)


# ---------------------------------------------------------------- pendulums


def test_a_physical_pendulum_with_a_spring() -> None:
    """(I + m l²) ω² = m g l + k, and at an angle what the spring's torque makes of it."""
    mass, length, inertia, k = 2.0, 0.4, 0.03, 6.0
    m = lw.Mechanism("pendulum", gravity=(0, -G, 0))
    m.body("rod", mass=mass, com=(0, -length, 0), inertia=(inertia, inertia, inertia))
    m.revolute("A", "ground", "rod", at=(0, 0, 0), axis="z")
    m.spring("hinge", joint="A", stiffness=k, free=0.5)
    s = m.assemble()
    rest = s.equilibrium()
    angle = rest["A"]
    assert mass * G * length * math.sin(angle) == pytest.approx(k * (0.5 - angle), abs=1e-12)
    (mode,) = s.linearize(rest).modes()
    about = inertia + mass * length**2
    assert mode.eigenvalue.imag == pytest.approx(
        math.sqrt((mass * G * length * math.cos(angle) + k) / about), rel=1e-12
    )
    assert mode.elastic == {"hinge": pytest.approx(1.0)}
    (plain,) = s.with_parameters({"hinge.stiffness": 0.0}).linearize({"A": 0.0}).modes()
    assert plain.eigenvalue.imag == pytest.approx(math.sqrt(mass * G * length / about), rel=1e-12)


@pytest.mark.parametrize("turn", [7.292e-5, 0.8])
def test_foucaults_pendulum_turns_against_its_platform(turn: float) -> None:
    """x'' - 2 Ω y' + (g/l - Ω²) x = 0 and its twin: ω = √(g/l) ± Ω, seen from a platform that turns."""
    length = 2.0
    m = lw.Mechanism("foucault", gravity=(0, 0, -G))
    m.body("platform", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.body("bob", mass=3.0, com=(0, 0, -length))
    m.revolute("P", "ground", "platform", at=(0, 0, 0), axis="z")
    m.universal("U", "platform", "bob", at=(0, 0, 0), axes=("x", "y"))
    linear = m.assemble().linearize(hold="P", rates={"P": turn})
    assert not linear.warnings
    swing = math.sqrt(G / length)
    exact = np.array([swing - turn, swing + turn])
    found = np.sort(np.linalg.eigvals(linear.matrices.A).imag)[2:]
    assert found == pytest.approx(exact, rel=1e-9)
    apart = np.diff(linear.modes().frequencies)[0] * 2 * math.pi
    assert apart == pytest.approx(2 * turn, rel=1e-6)


# ---------------------------------------------------------------- what is asked too coarsely


def test_a_harmonic_that_its_samples_cannot_show_is_told() -> None:
    linear = two_masses().linearize()
    fine = linear.response({"X.effort": "harmonic(0, 5 N, 20Hz)"}, "X", until=1.0, samples=101)
    coarse = linear.response({"X.effort": "harmonic(0, 5 N, 20Hz)"}, "X", until=1.0, samples=21)
    assert not fine.warnings
    assert any("20 Hz" in text and "10 Hz" in text and "samples=" in text for text in coarse.warnings)
    assert coarse["X"].values == pytest.approx(fine["X"].values[::5], abs=1e-14)
