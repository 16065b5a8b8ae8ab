"""Peaks of frequency responses, motion inputs, and random vibration: closed forms and independent integrals."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from test_linear import G, cart, hanging, two_masses

import linkwork as lw


def test_a_single_mass_resonates_where_books_say() -> None:
    k, zeta = 400.0, 0.1
    linear = cart(stiffness=k, damping=2 * zeta * math.sqrt(k)).assemble().linearize()
    (top,) = linear.bode("X.effort", "X").peaks
    assert top.kind == "resonance" and top.input == "X.effort"
    assert top.frequency == pytest.approx(math.sqrt(k * (1 - 2 * zeta**2)) / math.tau, rel=1e-12)
    assert top.magnitude == pytest.approx(1 / (2 * k * zeta * math.sqrt(1 - zeta**2)), rel=1e-13)
    (fast,) = linear.bode("X.effort", "X.rate").peaks  # velocity resonates at the natural frequency itself
    assert fast.frequency == pytest.approx(math.sqrt(k) / math.tau, rel=1e-12)
    assert fast.magnitude == pytest.approx(1 / (2 * zeta * math.sqrt(k)), rel=1e-13)
    assert linear.bode("X.effort", "X", [0.1, 1.0]).peaks == ()


def test_undamped_resonances_have_no_bound_and_zeros_are_zero() -> None:
    linear = two_masses(0.0).linearize()
    peaks = linear.bode("X.effort", "X").peaks
    assert [p.kind for p in peaks] == ["resonance", "antiresonance", "resonance"]
    assert [p.magnitude for p in peaks] == [math.inf, 0.0, math.inf]
    squares = np.linalg.eigvals(np.linalg.solve(np.diag([2.0, 1.0]), [[400.0, -100.0], [-100.0, 100.0]]))
    low, high = np.sqrt(np.sort(squares.real)) / math.tau
    expected = [low, 10.0 / math.tau, high]
    assert [p.frequency for p in peaks] == pytest.approx(expected, rel=1e-11)
    lightly = two_masses(0.02).linearize().bode("X.effort", "X", np.geomspace(0.5, 5.0, 7)).peaks
    assert [p.kind for p in lightly] == ["resonance", "antiresonance", "resonance"]  # between few samples too


def test_a_mode_that_a_pair_does_not_see_is_no_peak() -> None:
    m = lw.Mechanism("twins")
    for name, joint, x in (("a", "X", 0.0), ("b", "Y", 1.0)):
        m.body(name, mass=1.0, com=(x, 0, 0))
        m.prismatic(joint, "ground", name, at=(x, 0, 0), axis="x")
        m.spring(f"to_{name}", joint=joint, stiffness=100.0, free=0.0)
    m.point("pa", "a", (0, 0, 0)), m.point("pb", "b", (1, 0, 0))
    m.spring("between", "pa", "pb", stiffness=40.0)
    linear = m.assemble().linearize()
    assert len(linear.modes()) == 2
    peaks = linear.bode("between.free", "X").peaks  # pushes them apart: the mode in step stays out
    assert [p.kind for p in peaks] == ["resonance"]
    assert peaks[0].frequency == pytest.approx(math.sqrt(180.0) / math.tau, rel=1e-10)


def test_extremes_are_those_of_a_fine_grid() -> None:
    linear = two_masses(5.0).linearize()
    H = linear.bode("X.effort", ["X", "X.acceleration"])
    assert {p.kind for p in H.peaks} == {"resonance", "antiresonance"}
    for peak in H.peaks:
        f = peak.frequency * (1.0 + np.array([-1e-3, 0.0, 1e-3]))
        size = np.abs(linear.bode("X.effort", peak.output, f)[peak.output].values)
        assert size[1] == pytest.approx(peak.magnitude, rel=1e-12)
        assert (size[1] > size[[0, 2]]).all() if peak.kind == "resonance" else (size[1] < size[[0, 2]]).all()


def test_the_grid_follows_the_curve() -> None:
    H = two_masses(0.02).linearize().bode("X.effort", "X")
    values = H["X"].values
    f = H["frequency"].values
    turn = np.abs(np.log(values[1:] / values[:-1]))
    assert (turn[np.diff(f) > 2e-4 * f[1:]] < 0.4).all()


def test_peaks_of_a_file_are_those_of_its_samples(tmp_path: Path) -> None:
    H = two_masses(0.02).linearize().bode("X.effort", "X")
    H.nyquist(), H.polar()
    part = type(H)(H.data)
    assert [p.kind for p in part.peaks] == [p.kind for p in H.peaks]
    for a, b in zip(part.peaks, H.peaks, strict=True):
        assert a.frequency == pytest.approx(b.frequency, rel=1e-2)


def test_motion_is_an_input_by_its_rate_and_its_acceleration() -> None:
    linear = hanging().linearize(hold="X")
    f = np.array([0.3, 0.9, 2.0])
    s = 2j * np.pi * f
    by_place, by_rate, by_change = (linear.bode(n, "A", f)["A"] for n in ("X", "X.rate", "X.acceleration"))
    assert by_rate.values == pytest.approx(by_place.values / s, rel=1e-13)
    assert by_change.values == pytest.approx(-1.0 / (0.5 * s**2 + G), rel=1e-12)
    assert by_change.unit == "rad/(m/s^2)"
    w = 3.0
    placed = linear.response({"X": f"harmonic(0, 0.1, {w / math.tau}Hz)"}, ["A", "P.x"], until=2.0)
    sped = linear.response({"X.acceleration": lambda t: -0.1 * w * w * np.sin(w * t)}, ["A", "P.x"], until=2.0)
    rate = 0.1 * w  # the law of place starts with a rate: the other one without
    free = linear.response({"X.rate": lambda t: 0.1 * w * np.cos(w * t)}, ["A", "P.x"], until=2.0)
    assert free["P.x"].values == pytest.approx(placed["P.x"].values, abs=1e-9)
    still = linear.response({"X": f"ramp(0, {2 * rate}, 2s)"}, ["A", "P.x"], until=2.0)
    assert sped["P.x"].values + still["P.x"].values == pytest.approx(placed["P.x"].values, abs=1e-9)
    own = linear.state_space("X.acceleration", "P.x")
    assert own.coordinates[-2:] == ("X", "X.rate") and own.inputs == ("X.acceleration",)


def test_numbers_that_are_inputs_have_units() -> None:
    linear = two_masses(0.02).linearize()
    f = [1.0]
    assert linear.bode("between.free", "X", f)["X"].unit == "m/m"
    assert linear.bode("between.stiffness", "X", f)["X"].unit == "m/(N/m)"


def test_white_noise_shakes_a_mass_as_books_say() -> None:
    """σ² = G / (8 ζ ω³ m²) with a one-sided density, Crandall and Mark (2-60)."""
    k, c = 400.0, 3.0
    linear = cart(stiffness=k, damping=c).assemble().linearize()
    found = linear.random({"X.effort": 2.0}, ["X", "X.rate"])
    assert found.rms["X"] == pytest.approx(math.sqrt(2.0 / (4.0 * c * k)), rel=1e-12)
    assert found.rms["X.rate"] == pytest.approx(math.sqrt(2.0 / (4.0 * c)), rel=1e-12)
    assert found["X"].unit == "m^2/Hz"
    wide = linear.random({"X.effort": ([1e-6, 1e6], [2.0, 2.0])}, "X")  # of nearly all frequencies
    assert wide.rms["X"] == pytest.approx(found.rms["X"], rel=1e-5)
    found.plot()


def test_spectra_with_ends_and_slopes_are_integrated() -> None:
    linear = two_masses(0.02).linearize()
    f0, g0 = [0.5, 2.0, 8.0], [1.0, 4.0, 0.25]
    found = linear.random({"X.effort": (f0, g0), "push": (f0, [1.0, 1.0, 1.0])}, ["X", "Y.acceleration"])
    M, D, K = linear.matrices.M, linear.matrices.D, linear.matrices.K

    def density(f: float, row: np.ndarray, order: int) -> float:
        s = 2j * math.pi * f
        H = s**order * row @ np.linalg.inv(s * s * M + s * D + K)
        G = math.exp(np.interp(math.log(f), np.log(f0), np.log(g0)))
        return float(abs(H[0]) ** 2 * G + abs(H[1]) ** 2)

    tops = [float(x) for x in linear.modes().frequencies]
    edges = sorted([0.5, 2.0, 8.0, *tops, *(x * (1 + d) for x in tops for d in (-0.01, -1e-3, 1e-3, 0.01))])
    for name, row, order in (("X", np.array([1.0, 0.0]), 0), ("Y.acceleration", np.array([0.0, 1.0]), 2)):
        square = sum(
            quad(density, a, b, args=(row, order), epsrel=1e-11, limit=200)[0] for a, b in itertools.pairwise(edges)
        )
        assert found.rms[name] == pytest.approx(math.sqrt(square), rel=1e-8)


def test_a_shaken_base_is_an_input() -> None:
    linear = hanging().linearize(hold="X")
    with pytest.raises(lw.InputError, match="has no damping"):
        linear.random({"X.acceleration": ([0.1, 10.0], [1.0, 1.0])}, "A")
    with pytest.raises(lw.InputError, match="does not die away"):
        linear.random({"X.acceleration": 1.0}, "A")
    with pytest.raises(lw.InputError, match="no finite rate"):
        linear.random({"X": 1.0}, "A")
    m = hanging().mechanism
    m.spring("hinge", joint="A", stiffness=0.0, damping=0.4)
    damped = m.assemble().linearize(hold="X")
    found = damped.random({"X.acceleration": 0.5}, "A")
    J, c, k, push = 2.0 * 0.25, 0.4, 2.0 * G * 0.5, 2.0 * 0.5
    assert found.rms["A"] == pytest.approx(push * math.sqrt(0.5 / (4.0 * c * k)), rel=1e-12)
    assert damped.matrices.M[0, 0] == pytest.approx(J)


def test_wrong_spectra_are_told_at_once() -> None:
    linear = two_masses().linearize()
    with pytest.raises(lw.InputError) as told:
        linear.random({"X.effort": -1.0, "push": ([2.0, 1.0], [1.0, 1.0])}, "Z")
    assert len(told.value.problems) == 3


def test_panels_of_a_bode_plot_stand_above_each_other() -> None:
    """The same frequency lies at the same place in all panels, and the page is as wide as the curve."""
    machine = hanging()
    response = machine.linearize().bode("X.effort", ["A", "X"])
    pages = list(response.plot())
    f = response["frequency"].values
    assert len(pages) == 3
    for page in pages:
        assert page.get_xlim() == pytest.approx((f[0], f[-1]), rel=1e-12) and page.get_xscale() == "log"
