"""Laws of drives: closed forms, exact derivatives, ends and corners, sequences."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from linkwork.drives import (
    Drive,
    as_drive,
    constant,
    cycloidal,
    dwell,
    expression,
    harmonic,
    parse_drive,
    polynomial345,
    ramp,
    repeat,
    sequence,
    spline,
    table,
    trapezoidal,
)
from linkwork.units import ANGLE, deg

TIMES = [0.0, 0.4, 1.0, 1.3, 2.5]
VALUES = [0.1, 0.7, -0.2, 0.0, 0.1]

EVERY: list[Drive] = [
    ramp(-0.5, 2.0, duration=0.7),
    harmonic(0.2, -0.5, frequency=3.0, phase=0.4),
    cycloidal(1.0, -2.0, duration=0.3),
    polynomial345(-1.0, 0.5, duration=4.0),
    trapezoidal(0.0, 1.0, speed=0.5, acceleration=2.0),
    trapezoidal(0.4, 0.3, speed=0.5, acceleration=2.0),
    table(TIMES, VALUES),
    spline(TIMES, VALUES),
    spline(TIMES, VALUES, ends="clamped"),
    spline(TIMES, VALUES, ends="periodic"),
    expression("0.3*sin(2*t) + t**2/(1 + t**2)"),
    constant(0.7),
    dwell(0.7, duration=0.5),
    sequence(ramp(0, 1), cycloidal(1, 3, duration=2), harmonic(3, 0.2, frequency=1)),
    repeat(sequence(ramp(0, 1, duration=0.3), cycloidal(1, 0, duration=0.2)), 3),
]
every = pytest.mark.parametrize("drive", EVERY, ids=str)


def one(drive: Drive, t: float) -> list[float]:
    return [float(x) for x in drive.sample(t)]


# --- closed forms -----------------------------------------------------------------------------------------------------


def test_ramp() -> None:
    drive = ramp(1.0, 4.0, duration=2.0)
    assert drive.sample([-1.0, 0.0, 0.5, 1.5, 2.0, 3.0]).tolist() == [
        [1.0, 1.0, 1.75, 3.25, 4.0, 4.0],
        [0.0, 1.5, 1.5, 1.5, 1.5, 0.0],  # at its ends a ramp has its speed
        [0.0] * 6,
        [0.0] * 6,
    ]
    assert drive.duration == 2.0 and drive.breaks == (0.0, 2.0)
    assert ramp(0, 3).duration == 1.0
    assert ramp(4.0, 1.0, speed=1.5) == ramp(4.0, 1.0, speed=-1.5) == ramp(4.0, 1.0, duration=2.0)


MP_LAWS: list[tuple[Drive, Callable[[Any], Any]]] = [
    (cycloidal(1, -2, duration=0.25), lambda t: 1 - 3 * (4 * t - mpmath.sin(2 * mpmath.pi * 4 * t) / (2 * mpmath.pi))),
    (polynomial345(-1, 2, duration=4), lambda t: -1 + 3 * (10 * (t / 4) ** 3 - 15 * (t / 4) ** 4 + 6 * (t / 4) ** 5)),
    (harmonic(0.25, 0.5, speed=3, phase=0.5), lambda t: mpmath.mpf("0.25") + mpmath.sin(3 * t + 0.5) / 2),
    (expression("exp(-t)*sin(5*t)", unit=2), lambda t: 2 * mpmath.exp(-t) * mpmath.sin(5 * t)),
]


@pytest.mark.parametrize(("drive", "law"), MP_LAWS, ids=[str(d) for d, _ in MP_LAWS])
def test_derivatives_are_those_of_mathematics(drive: Drive, law: Callable[[Any], Any]) -> None:
    times = np.linspace(0.0, drive.duration or 2.0, 42)[1:-1]
    found = drive.sample(times)
    with mpmath.workdps(40):
        wanted = np.array([[float(mpmath.diff(law, mpmath.mpf(t), n)) for t in times] for n in range(4)])
    size = np.abs(wanted).max(axis=1, keepdims=True)
    assert np.abs(found - wanted).max() < 1e-10  # in absolute numbers
    assert (np.abs(found - wanted) / size).max() < 2e-15


def test_cycloidal_starts_without_cancellation() -> None:
    times = np.logspace(-12, -1, 45)
    value, rate = cycloidal(0, 1, duration=1).sample(times)[:2]
    with mpmath.workdps(60):
        law = [t - mpmath.sin(2 * mpmath.pi * t) / (2 * mpmath.pi) for t in map(mpmath.mpf, times)]
        speed = [1 - mpmath.cos(2 * mpmath.pi * t) for t in map(mpmath.mpf, times)]
    np.testing.assert_allclose(value, [float(x) for x in law], rtol=1e-14)
    np.testing.assert_allclose(rate, [float(x) for x in speed], rtol=1e-14)


@pytest.mark.parametrize("move", [cycloidal, polynomial345])
def test_smooth_moves_are_at_rest_at_their_ends(move: Callable[..., Drive]) -> None:
    drive = move(0.1, 0.7, duration=0.3)
    assert one(drive, 0.0)[:3] == [0.1, 0.0, 0.0]
    assert one(drive, 0.3)[:3] == [0.7, 0.0, 0.0]
    assert drive.breaks == ()
    middle = one(drive, 0.15)
    assert middle[0] == pytest.approx(0.4, rel=1e-15)
    assert middle[1] == pytest.approx({cycloidal: 2.0, polynomial345: 1.875}[move] * 0.6 / 0.3, rel=1e-15)
    assert abs(middle[2]) < 1e-14


def test_trapezoidal_with_an_even_part() -> None:
    drive = trapezoidal(0.0, 1.0, speed=0.5, acceleration=2.0)  # 0.25 s up, 1.75 s even, 0.25 s down
    assert drive.duration == 2.25
    assert drive.breaks == (0.0, 0.25, 2.0, 2.25)
    assert one(drive, 0.0) == [0.0, 0.0, 2.0, 0.0]
    assert one(drive, 0.125) == [0.015625, 0.25, 2.0, 0.0]
    assert one(drive, 0.25) == [0.0625, 0.5, 0.0, 0.0]  # a corner answers with what comes after it
    assert one(drive, 1.0) == [0.4375, 0.5, 0.0, 0.0]
    assert one(drive, 2.0) == [0.9375, 0.5, -2.0, 0.0]
    assert one(drive, 2.25) == [1.0, 0.0, -2.0, 0.0]
    assert one(drive, 3.0) == [1.0, 0.0, 0.0, 0.0]


def test_trapezoidal_of_a_short_way_is_triangular() -> None:
    drive = trapezoidal(3.0, 2.0, speed=10.0, acceleration=4.0)
    assert drive.duration == 1.0 and drive.breaks == (0.0, 0.5, 1.0)
    assert drive.sample([0.25, 0.5, 0.75]).tolist() == [[2.875, 2.5, 2.125], [-1, -2, -1], [-4, 4, 4], [0, 0, 0]]
    assert trapezoidal(0, 1, speed=2, acceleration=4).breaks == (0.0, 0.5, 1.0)  # just reached


def test_harmonic_begins_before_zero() -> None:
    drive = harmonic(1.0, 2.0, frequency=0.25)
    assert drive.duration is None and drive.breaks == ()
    np.testing.assert_allclose(drive.sample([-1.0, 0.0, 1.0])[0], [-1.0, 1.0, 3.0], atol=1e-15)
    assert harmonic(0, 1, frequency=2) == harmonic(0, 1, speed=2 * math.tau)


def test_table() -> None:
    drive = table([1, 2, 4, 5], [0, 3, 3, 1])
    assert drive.duration == 5.0
    assert drive.sample([0, 0.5, 1, 1.5, 2, 3, 4.5, 5, 6])[0].tolist() == [0, 0, 0, 1.5, 3, 3, 2, 1, 1]
    assert drive.sample([0, 0.5, 1, 1.5, 2, 3, 4, 5, 6])[1].tolist() == [0, 0, 3, 3, 0, 0, -2, -2, 0]
    assert drive.breaks == (1.0, 2.0, 4.0, 5.0)
    assert table([0, 0.1, 0.2, 0.3], [0, 0.1, 0.2, 0.3]).breaks == (0.0, 0.3)  # one line, up to rounding


@pytest.mark.parametrize("ends", ["natural", "clamped", "periodic"])
def test_spline_is_that_of_scipy(ends: Any) -> None:
    drive, peer = spline(TIMES, VALUES, ends=ends), CubicSpline(TIMES, VALUES, bc_type=ends)
    t = np.linspace(0.0, 2.5, 101)[:-1]  # at its end scipy begins anew
    np.testing.assert_allclose(drive.sample(t), [peer(t, n) for n in range(4)], rtol=1e-12, atol=1e-12)
    assert drive.sample(TIMES)[0].tolist() == VALUES
    assert drive.sample([-1.0, 9.0]).tolist() == [[0.1, 0.1], [0, 0], [0, 0], [0, 0]]
    assert drive.breaks == (0.0, 2.5)
    rates, bends = drive.sample([0.0, 2.5])[1:3]
    if ends == "natural":
        np.testing.assert_allclose(bends, 0.0, atol=1e-13)
    elif ends == "clamped":
        np.testing.assert_allclose(rates, 0.0, atol=1e-14)
    else:
        np.testing.assert_allclose([np.ptp(rates), np.ptp(bends)], 0.0, atol=1e-12)


def test_two_points_of_a_clamped_spline_make_the_cubic_move() -> None:
    assert spline([0, 1], [0, 1], ends="clamped").sample(0.25)[0] == pytest.approx(3 / 16 - 2 / 64, rel=1e-15)


def test_spline_through_one_height_is_smooth_everywhere() -> None:
    assert spline([0, 1, 2], [3, 3, 3]).breaks == ()


def test_expression() -> None:
    drive = expression("30*sin(2*t)", unit=deg)
    assert one(drive, 0.0) == [0.0, 60 * deg, 0.0, -240 * deg]
    assert expression("7").sample([1, 2]).tolist() == [[7, 7], [0, 0], [0, 0], [0, 0]]
    assert drive.duration is None and drive.breaks == ()


# --- one after the other ----------------------------------------------------------------------------------------------


def test_sequence() -> None:
    drive = sequence(ramp(0, 1, duration=2), dwell(1, duration=1), cycloidal(1, 0, duration=1), constant(0))
    assert drive.duration is None
    assert drive.breaks == (0.0, 2.0)
    value, rate = drive.sample([-1, 0, 1, 2, 2.5, 3, 3.5, 4, 9])[:2]
    np.testing.assert_allclose(value, [0, 0, 0.5, 1, 1, 1, 0.5, 0, 0], atol=1e-16)
    np.testing.assert_allclose(rate, [0, 0.5, 0.5, 0, 0, 0, -2, 0, 0], atol=1e-16)


def test_sequence_keeps_its_end_in_spite_of_rounding() -> None:
    pieces = [ramp(i, i + 1, duration=0.1) for i in range(30)]
    drive = sequence(*pieces)
    assert drive.duration is not None
    assert drive.sample(drive.duration)[:2].tolist() == [30.0, 10.0]
    assert drive.sample(np.nextafter(drive.duration, 9))[:2].tolist() == [30.0, 0.0]
    assert drive.breaks == (0.0, drive.duration)  # equal speeds join smoothly


def test_sequences_nest() -> None:
    inner = sequence(ramp(0, 1), ramp(1, 0))
    drive = sequence(inner, dwell(0, duration=1), inner)
    assert drive.duration == 5.0 and drive.breaks == (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
    assert drive.sample([0.5, 1.5, 2.5, 3.5, 4.5])[0].tolist() == [0.5, 0.5, 0.0, 0.5, 0.5]


def test_corners_within_a_piece_are_kept() -> None:
    drive = sequence(dwell(0, duration=1), trapezoidal(0, 1, speed=0.5, acceleration=2.0))
    assert drive.breaks == (1.0, 1.25, 3.0, 3.25)


def test_repeat() -> None:
    wave = spline([0, 0.3, 0.7, 1.1], [0, 1, -1, 0], ends="periodic")
    drive = repeat(wave, 7)
    assert drive.duration == 7 * 1.1
    assert drive.breaks == (0.0, drive.duration)  # no seam is felt
    t = np.linspace(0.01, 1.09, 50)
    for k in range(7):
        np.testing.assert_allclose(drive.sample(t + k * 1.1), wave.sample(t), rtol=0, atol=3e-12)
    saw = repeat(table([0, 1, 2], [0, 1, 0]), 2)
    assert saw.breaks == (0.0, 1.0, 2.0, 3.0, 4.0)
    assert saw.sample([0, 1, 2, 3, 4, 5])[1].tolist() == [1, -1, 1, -1, -1, 0]
    assert repeat(ramp(0, 1), 1).sample(0.5)[0] == 0.5


# --- what all share ---------------------------------------------------------------------------------------------------


@every
def test_shapes(drive: Drive) -> None:
    t = np.linspace(-0.5, 3.0, 24)
    flat = drive.sample(t)
    assert flat.shape == (4, 24) and flat.dtype == np.float64 and np.isfinite(flat).all()
    assert (drive.sample(t.reshape(2, 3, 4)) == flat.reshape(4, 2, 3, 4)).all()
    assert (drive.sample(t[::-1]) == flat[:, ::-1]).all()
    assert drive.sample(1.0).shape == (4,) and drive.sample(1).tolist() == drive.sample([1.0])[:, 0].tolist()
    assert drive.sample([]).shape == (4, 0)


@every
def test_each_row_is_the_derivative_of_the_one_before(drive: Drive) -> None:
    """Central differences of fourth order, at times that no corner is near to."""
    end = drive.duration or 2.0
    h = 1e-3 * end
    corners = np.array([*drive.breaks, *TIMES, *(0.25 * end * k for k in range(5)), 3.0])
    t = end * (np.arange(60) + 0.618) / 60
    t = t[(np.abs(t[:, None] - corners) > 4 * h).all(axis=1)]
    t = t[(np.abs((t[:, None] % (end / 3)) - end / 3 * np.array([0, 0.6, 1])) > 4 * h).all(axis=1)]
    assert t.size > 20
    before, after = drive.sample(t - h), drive.sample(t + h)
    far_before, far_after = drive.sample(t - 2 * h), drive.sample(t + 2 * h)
    slope = (8 * (after - before) - (far_after - far_before)) / (12 * h)
    size = np.maximum(np.abs(drive.sample(t)).max(axis=1, keepdims=True), 1e-3)
    wrong = np.abs(slope[:3] - drive.sample(t)[1:]) / size[1:]
    assert wrong.max() < 2e-6


@every
def test_a_finite_law_is_held_outside(drive: Drive) -> None:
    if drive.duration is not None:
        before, after = drive.sample([-1e9, -1e-9]), drive.sample([np.nextafter(drive.duration, 1e9), 1e12])
        assert (before[0] == drive.sample(0.0)[0]).all() and not before[1:].any()
        assert (after[0] == drive.sample(drive.duration)[0]).all() and not after[1:].any()


@every
def test_drives_compare_and_print(drive: Drive) -> None:
    assert drive == drive and hash(drive) == hash(drive) and drive != constant(99.0)
    assert repr(drive) == str(drive) and len(str(drive)) < 300 and "\n" not in str(drive)


@pytest.mark.parametrize(
    ("drive", "text"),
    [
        (ramp(0, math.tau, duration=0.02), "ramp from 0 to 6.283 in 0.02 s"),
        (harmonic(0, 0.5, frequency=2), "harmonic about 0, amplitude 0.5, 2 Hz"),
        (harmonic(0, 0.5, frequency=2, phase=1), "harmonic about 0, amplitude 0.5, 2 Hz, phase 1"),
        (cycloidal(-0.0, 1, duration=1), "cycloidal from 0 to 1 in 1 s"),
        (polynomial345(0, 1, duration=1), "3-4-5 polynomial from 0 to 1 in 1 s"),
        (
            trapezoidal(0, 1, speed=9, acceleration=4),
            "trapezoidal move from 0 to 1 in 1 s, speed up to 2 per second",
        ),
        (table([0, 1, 2], [0, 3, -1]), "table of 3 points from -1 to 3 in 2 s"),
        (spline([0, 1, 2], [0, 3, -1], ends="clamped"), "clamped spline of 3 points from -1 to 3 in 2 s"),
        (expression("2 * t"), "expression 2 * t"),
        (expression("2*t", unit=0.5), "expression (2*t)*0.5"),
        (constant(2), "constant 2"),
        (dwell(2, duration=3), "dwell at 2 for 3 s"),
        (sequence(ramp(0, 1), constant(1)), "2 pieces: ramp from 0 to 1 in 1 s; then constant 1"),
        (repeat(dwell(2, duration=3), 4), "4 times dwell at 2 for 3 s"),
    ],
)
def test_text(drive: Drive, text: str) -> None:
    assert str(drive) == text


def test_long_sequences_print_briefly() -> None:
    assert str(sequence(*[dwell(0, duration=1)] * 50)).endswith("dwell at 0 for 1 s; then 45 more")


def test_as_drive() -> None:
    drive = ramp(0, 1)
    assert as_drive(drive, "drives.A") is drive
    assert as_drive(2, "drives.A") == as_drive(np.float64(2), "drives.A") == constant(2.0)
    assert as_drive((0, 1), "d") == as_drive([0, 1], "d") == as_drive(np.array([0.0, 1.0]), "d") == drive


def test_import_is_light() -> None:
    code = "import sys, linkwork.drives; print([m for m in ('scipy', 'linkwork.units', 'casadi') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert parse_drive("1", ANGLE, "") == constant(1.0)
