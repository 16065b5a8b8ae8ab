"""Modes as runs: closed loops, rates that are derivatives, the frequency, and movies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

Array = np.ndarray


def derivative(x: Array, period: float) -> Array:
    """Of a periodic signal (samples, ...) without its last sample, to rounding."""
    n = len(x)
    waves = 2j * np.pi / period * np.fft.fftfreq(n, 1.0 / n)
    flat = np.fft.fft(x.reshape(n, -1), axis=0)
    found: Array = np.fft.ifft(waves[:, np.newaxis] * flat, axis=0).real
    return found.reshape(x.shape)


def modes_of(s: lw.Machine) -> lw.Modes:
    return s.linearize(s.equilibrium()).modes()


def spinner() -> lw.Machine:
    m = lw.Mechanism("spinner", gravity=(0, 0, -9.81))
    m.body("shaft", mass=1.0, com=(0.1, 0.05, -0.5), inertia=(0.1, 0.12, 0.15))
    m.spheric("S", "ground", "shaft", at=(0, 0, 0))
    return m.assemble()


def test_a_mode_of_a_loop_closes_and_its_rates_are_derivatives() -> None:
    s = lw.example("four-bar").assemble()
    (mode,) = modes = modes_of(s)
    run = modes.run(1)
    assert run.time[-1] == pytest.approx(1.0 / mode.frequency, rel=1e-14)
    assert run.evidence.worst_residual < 1e-12
    period = float(run.time[-1])
    for name in s.variables:
        x, rate, change = (run.signal(n).values for n in (name, f"{name}.rate", f"{name}.acceleration"))
        assert np.abs(derivative(x[:-1], period) - rate[:-1]).max() < 1e-11 * np.abs(rate).max()
        assert np.abs(derivative(rate[:-1], period) - change[:-1]).max() < 1e-11 * np.abs(change).max()
        assert x[-1] == pytest.approx(x[0], abs=1e-13)
    assert np.ptp(run["O2.angle"].values) == pytest.approx(0.3, rel=1e-12)
    small = modes.run(1, amplitude=1e-5)
    for name in s.variables:  # to first order all joints move as the mode says
        half = 0.5 * np.ptp(small.signal(name).values)
        assert half == pytest.approx(1e-5 * abs(mode.joints[name]), rel=1e-3)


def test_a_body_that_turns_freely_has_its_rates() -> None:
    modes = modes_of(spinner())
    run = modes.run(3, amplitude=0.8)
    period = float(run.time[-1])
    R = run.signal("shaft.rotation").values[:-1]
    w, dw = (run.signal(f"shaft.angular_{n}").values[:-1] for n in ("velocity", "acceleration"))
    spin = derivative(R, period) @ R.transpose(0, 2, 1)
    turn = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    assert np.abs(turn - w).max() < 1e-10 * np.abs(w).max()
    assert np.abs(derivative(w, period) - dw).max() < 1e-10 * np.abs(dw).max()


def test_a_rigid_mode_goes_there_and_back_in_a_second() -> None:
    modes = modes_of(spinner())
    assert modes[0].kind == "rigid"
    run = modes.run(1, samples=9)
    assert run.time[-1] == pytest.approx(1.0)
    assert run.signal("S.qw").values[0] == pytest.approx(modes.linear.posture["S.qw"])


def test_a_complex_mode_keeps_its_phases() -> None:
    m = lw.Mechanism("row")
    m.body("a", mass=2.0), m.body("b", mass=1.0, com=(1, 0, 0))
    m.prismatic("X", "ground", "a", axis="x")
    m.prismatic("Y", "a", "b", at=(1, 0, 0), axis="x")
    m.spring("first", joint="X", stiffness=300.0, damping=9.0, free=0.0)
    m.spring("second", joint="Y", stiffness=100.0, free=0.0)
    modes = modes_of(m.assemble())
    mode = modes[0]
    assert abs(np.angle(mode.joints["X.slide"] / mode.joints["Y.slide"])) > 0.05
    run = modes.run(1, amplitude=0.01)
    for name in ("X.slide", "Y.slide"):
        a = 0.01 * mode.joints[name] / max(abs(z) for z in mode.joints.values())
        expected = (a * np.exp(2j * np.pi * mode.frequency * run.time)).real
        assert np.abs(run.signal(name).values - expected).max() < 1e-15


def test_movies_take_a_second_for_a_period(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    modes = modes_of(lw.example("double-pendulum").assemble())
    movie = modes.animate(2, style="line", size=(96, 80), fps=15)
    assert movie.path == Path("double-pendulum-mode-2.gif") and movie.path.stat().st_size > 500
    assert movie.frames == 15 and movie.seconds == pytest.approx(1.0)
    pytest.importorskip("imageio_ffmpeg")
    film = modes.animate(1, tmp_path / "one.mp4", style="line", size=(96, 80), fps=24, period=0.5, turns=2)
    assert film.seconds == pytest.approx(1.0, abs=0.05)


def test_what_cannot_be_played_is_told() -> None:
    modes = modes_of(lw.example("double-pendulum").assemble())
    with pytest.raises(lw.InputError, match="no mode 3") as told:
        modes.run(3)
    assert "1 to 2" in str(told.value)
    with pytest.raises(lw.InputError, match="no mode 0"):
        modes.animate(0)
    with pytest.raises(lw.InputError) as wrong:
        modes.run(1, amplitude=-1.0, samples=2)
    assert len(wrong.value.problems) == 2
    with pytest.raises(lw.InputError, match="period"):
        modes.animate(1, period=0.0)


def test_the_report_tells_of_rest_and_modes(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    lw.write_report(lw.example("double-pendulum"), path)
    page = path.read_text(encoding="utf-8")
    assert '<section id="vibration">' in page and "the posture is stable" in page
    assert "0.3815 Hz" in page and "0.9211 Hz" in page
