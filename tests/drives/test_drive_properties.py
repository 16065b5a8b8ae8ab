"""What holds for drives with any numbers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linkwork.drives import Drive, cycloidal, polynomial345, ramp, repeat, sequence, spline, table, trapezoidal
from linkwork.errors import ModelError

quick = settings(max_examples=40, deadline=None, derandomize=True)

values = st.floats(-1e3, 1e3)
durations = st.floats(1e-3, 1e3)
moves = pytest.mark.parametrize("move", [ramp, cycloidal, polynomial345], ids=lambda f: f.__name__)


@st.composite
def points(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    """Increasing times from zero, and values."""
    steps = draw(st.lists(st.floats(0.01, 2.0), min_size=2, max_size=8))
    times = [0.0, *np.cumsum(steps).tolist()]
    return times, draw(st.lists(st.floats(-10, 10), min_size=len(times), max_size=len(times)))


def check_move(drive: Drive, start: float, end: float) -> None:
    """From start to end to the last bit, never back, symmetric, and the rate integrates to the way."""
    T = drive.duration
    assert T is not None
    t = T * np.linspace(0.0, 1.0, 201)
    value, rate, acceleration, _ = drive.sample(t)
    size = max(abs(start), abs(end))
    assert (value[0], value[-1]) == (start, end)
    assert drive.sample([-T, 2 * T])[0].tolist() == [start, end]
    assert (np.sign(end - start) * np.diff(value) >= -4e-16 * size).all()
    assert (np.sign(end - start) * rate >= 0.0).all()
    back = drive.sample(T - t)
    np.testing.assert_allclose(value + back[0], start + end, rtol=0, atol=8e-16 * size)
    np.testing.assert_allclose(rate, back[1], rtol=1e-9, atol=1e-9 * abs(rate).max())
    inner = np.array([[*drive.breaks]]) if drive.breaks else np.zeros((1, 0))
    away = (np.abs(t[:, None] - inner) > 1e-9 * T).all(axis=1) & (np.abs(T - t[:, None] - inner) > 1e-9 * T).all(axis=1)
    np.testing.assert_allclose((acceleration + back[2])[away], 0.0, atol=1e-9 * (abs(acceleration).max() or 1.0))


def integral(drive: Drive, row: int, corners: list[float]) -> float:
    """Of one row over the whole law, by Gauss between its corners."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    total = 0.0
    for a, b in pairwise(corners):
        total += (b - a) / 2 * float(weights @ drive.sample((a + b) / 2 + (b - a) / 2 * nodes)[row])
    return total


@moves
@given(start=values, end=values, duration=durations)
@quick
def test_moves(move: Callable[..., Drive], start: float, end: float, duration: float) -> None:
    assume(abs(end - start) > 1e-300)  # below it numbers lose their digits
    drive = move(start, end, duration=duration)
    check_move(drive, start, end)
    way = integral(drive, 1, [0.0, duration / 2, duration])
    assert way == pytest.approx(end - start, rel=1e-13)
    if move is not ramp:
        assert drive.breaks == ()


@given(start=values, end=values, speed=st.floats(1e-2, 1e3), acceleration=st.floats(1e-2, 1e3))
@quick
def test_trapezoidal_moves(start: float, end: float, speed: float, acceleration: float) -> None:
    assume(abs(end - start) > 1e-6)
    drive = trapezoidal(start, end, speed=speed, acceleration=acceleration)
    assert drive.duration is not None
    check_move(drive, start, end)
    t = np.union1d(np.linspace(0.0, drive.duration, 301), drive.breaks)
    _, rate, bend, jerk = drive.sample(t)
    assert abs(rate).max() <= speed * (1 + 1e-12) and not jerk.any()
    assert set(np.abs(bend)) <= {0.0, acceleration}
    assert drive.breaks[0] == 0.0 and drive.breaks[-1] == drive.duration and len(drive.breaks) in (3, 4)
    # It reaches its speed, or has no even part.
    assert abs(rate).max() == pytest.approx(speed, rel=1e-9) or len(drive.breaks) == 3
    corners = list(drive.breaks)
    assert integral(drive, 1, corners) == pytest.approx(end - start, rel=1e-11)
    # The rate is continuous at its corners, where the acceleration is not.
    h = 1e-9 * drive.duration
    for corner in corners[1:-1]:
        before, after = drive.sample([corner - h, corner + h])[1]
        assert abs(after - before) <= 2.1 * acceleration * h + 1e-12 * speed


@given(given=points())
@quick
def test_tables_meet_their_points(given: tuple[list[float], list[float]]) -> None:
    times, heights = given
    drive = table(times, heights)
    assert drive.duration == times[-1]
    assert drive.sample(times)[0].tolist() == heights
    assert set(drive.breaks) <= set(times)
    t = np.linspace(-1.0, times[-1] + 1.0, 97)
    np.testing.assert_allclose(drive.sample(t)[0], np.interp(t, times, heights), rtol=0, atol=1e-13)
    assert integral(drive, 1, times) == pytest.approx(heights[-1] - heights[0], abs=1e-12)


@given(given=points(), ends=st.sampled_from(["natural", "clamped", "periodic"]))
@quick
def test_splines_are_smooth(given: tuple[list[float], list[float]], ends: str) -> None:
    times, heights = given
    if ends == "periodic":
        heights[-1] = heights[0]
    drive = spline(times, heights, ends=ends)  # type: ignore[arg-type]
    assert drive.sample(times)[0].tolist() == heights
    assert set(drive.breaks) <= {0.0, times[-1]}
    size = np.abs(drive.sample(np.linspace(0.0, times[-1], 97))).max(axis=1) + 1e-9
    for row in (1, 2):
        change = drive.sample(times[-1])[row - 1] - drive.sample(0.0)[row - 1]
        assert integral(drive, row, times) == pytest.approx(change, abs=1e-9 * size[row] * times[-1])
    if ends == "periodic":
        again = repeat(drive, 3)
        assert times[-1] not in again.breaks


@given(given=points(), lengths=st.lists(durations, min_size=8, max_size=8))
@quick
def test_sequences_join(given: tuple[list[float], list[float]], lengths: list[float]) -> None:
    _, heights = given
    pairs = list(pairwise(heights))
    assume(all(a != b for a, b in pairs))
    pieces = [cycloidal(a, b, duration=T) for (a, b), T in zip(pairs, lengths, strict=False)]
    drive = sequence(*pieces)
    ends = np.cumsum([0.0, *lengths[: len(pieces)]])
    assert drive.duration == ends[-1]
    assert drive.sample(ends)[0].tolist() == heights
    assert drive.breaks == ()
    assert not drive.sample([ends[-1], np.nextafter(ends[-1], 1e9)])[1:3].any()


@given(given=points(), jump=st.floats(1e-9, 5.0))
@quick
def test_a_jump_is_refused(given: tuple[list[float], list[float]], jump: float) -> None:
    times, heights = given
    drive = table(times, heights)
    after = table([0.0, 1.0], [heights[-1] + jump, 3.0])
    with pytest.raises(ModelError, match="the value jumps from"):
        sequence(drive, after)
