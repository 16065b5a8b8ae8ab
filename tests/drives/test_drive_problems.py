"""What is said about numbers that make no drive."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from linkwork.drives import (
    as_drive,
    constant,
    cycloidal,
    dwell,
    expression,
    harmonic,
    polynomial345,
    ramp,
    repeat,
    sequence,
    spline,
    table,
    trapezoidal,
)
from linkwork.errors import ModelError

nan, inf = math.nan, math.inf
anything: Any = object()
_harmonic: Any = harmonic

BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: ramp(0, nan), "ramp: the end is nan, not finite; give a number in SI units (m, rad, s)"),
    (lambda: ramp(-inf, 1), "ramp: the start is -inf, not finite"),
    (lambda: ramp(0, 1e31), "ramp: the end 1e+31 is beyond 1e+30"),
    (lambda: ramp("0", 1), "ramp: the start is '0', not a number"),  # type: ignore[arg-type]
    (lambda: ramp(True, 0), "ramp: the start is True, not a number"),
    (lambda: ramp(None, 1), "ramp: the start is None, not a number"),  # type: ignore[arg-type]
    (lambda: ramp(10**400, 1), "not a number"),
    (lambda: ramp(1, 1), "ramp: the range is empty: it starts and ends at 1; to stay, use dwell(1, duration=...)"),
    (lambda: ramp(0, 1, duration=0), "ramp: the duration is 0 s; it must be above zero"),
    (lambda: ramp(0, 1, duration=-2), "ramp: the duration is -2 s; it must be above zero"),
    (lambda: ramp(0, 1, duration=nan), "ramp: the duration is nan, not finite"),
    (lambda: ramp(0, 1, duration=1e-40), "ramp: the duration 1e-40 s is below 1e-30"),
    (lambda: ramp(0, 1, speed=0), "ramp: the speed is 0 per second; it must not be zero"),
    (lambda: ramp(0, 1, speed=nan), "ramp: the speed is nan, not finite"),
    (lambda: ramp(0, 1, speed="fast"), "ramp: the speed is 'fast', not a number"),  # type: ignore[arg-type]
    (lambda: ramp(0, 5e-324, speed=1), "ramp: it would last 4.94066e-324 s; give another speed"),
    (lambda: ramp(0, 1e20, speed=1e-20), "ramp: it would last 1e+40 s; give another speed"),
    (lambda: sequence(*[dwell(0, duration=1e30)] * 2), "sequence: it would last 2e+30 s; give shorter pieces"),
    (lambda: repeat(dwell(0, duration=1e30), 2), "repeat: it would last 2e+30 s; repeat it less often"),
    (lambda: ramp(0, 1, duration=1, speed=1), "ramp: both a duration and a speed are given"),
    (lambda: harmonic(0, 1), "harmonic: neither a frequency nor a speed is given; give frequency=... in Hz"),
    (lambda: harmonic(0, 1, frequency=1, speed=1), "harmonic: both a frequency and a speed are given"),
    (lambda: harmonic(0, 0, frequency=1), "harmonic: the amplitude is 0; to stay, use constant(0)"),
    (lambda: harmonic(0, 1, frequency=0), "harmonic: the frequency is 0 Hz; give one above zero"),
    (lambda: harmonic(0, 1, speed=-1), "harmonic: the speed is -1 rad/s; give one above zero; a phase of pi"),
    (lambda: harmonic(0, 1, speed=1, phase=inf), "harmonic: the phase is inf, not finite"),
    (lambda: cycloidal(2, 2, duration=1), "cycloidal: the range is empty"),
    (lambda: cycloidal(2, 3, duration=0), "cycloidal: the duration is 0 s"),
    (lambda: polynomial345(2, 2, duration=1), "polynomial345: the range is empty"),
    (lambda: polynomial345(2, 3, duration=-1), "polynomial345: the duration is -1 s"),
    (lambda: trapezoidal(2, 2, speed=1, acceleration=1), "trapezoidal: the range is empty"),
    (lambda: trapezoidal(2, 3, speed=0, acceleration=1), "trapezoidal: the speed is 0 per second"),
    (lambda: trapezoidal(2, 3, speed=1, acceleration=-1), "trapezoidal: the acceleration is -1 per second squared"),
    (
        lambda: trapezoidal(0, 5e-324, speed=1e9, acceleration=1e30),
        "trapezoidal: it would last 0 s; give another speed or acc",
    ),
    (lambda: table([0], [1]), "table: 1 point is too few: 2 are needed"),
    (lambda: table([], []), "table: 0 points are too few: 2 are needed"),
    (lambda: table([0, 1], [1]), "table: there are 2 times and 1 values; give one value for each time"),
    (lambda: table([0, 2, 2], [1, 2, 3]), "table: time number 3 (2 s) does not come after time number 2 (2 s)"),
    (lambda: table([0, 2, 1], [1, 2, 3]), "table: time number 3 (1 s) does not come after time number 2 (2 s)"),
    (lambda: table([-1, 2], [1, 2]), "table: the first time is -1 s; begin at 0 s"),
    (lambda: table([0, 1], [1, nan]), "table: the value number 2 is nan, not finite"),
    (lambda: table("01", [1, 2]), "table: the times are '01', not a list of numbers"),  # type: ignore[arg-type]
    (lambda: table(7, [1, 2]), "table: the times are 7, not a list of numbers"),  # type: ignore[arg-type]
    (lambda: table({0: 1, 1: 2}, [1, 2]), "not a list of numbers; give a list such as [0, 1, 2]"),  # type: ignore[arg-type]
    (lambda: spline([0], [1]), "spline: 1 point is too few: 2 are needed"),
    (lambda: spline([0, 1], [1, 1], ends="periodic"), "spline: 2 points are too few: 3 are needed"),
    (lambda: spline([0, 1, 2], [1, 2, 1.1], ends="periodic"), "spline: the first value is 1, the last 1.1"),
    (lambda: spline([0, 1], [1, 2], ends="natral"), "spline: the ends are 'natral'; did you mean 'natural'?"),  # type: ignore[arg-type]
    (lambda: expression("2*x"), "expression: in the expression '2*x' at character 3: 'x' is not known; the time is t"),
    (lambda: expression("2t"), "the number 2 runs into 't'; write 2*t"),
    (lambda: expression(""), "the expression is empty"),
    (lambda: expression(3), "expression: an expression must be text"),  # type: ignore[arg-type]
    (lambda: expression([]), "expression: an expression must be text"),  # type: ignore[arg-type]
    (lambda: expression("t" * 501), "is too long"),
    (lambda: expression("t", unit=0), "expression: the unit is 0"),
    (lambda: constant(nan), "constant: the value is nan, not finite"),
    (lambda: dwell(1, duration=0), "dwell: the duration is 0 s; it must be above zero"),
    (lambda: sequence(), "sequence: there are no pieces"),
    (lambda: sequence(ramp(0, 1), 3), "sequence: piece 2 is of type int, not a drive"),  # type: ignore[arg-type]
    (lambda: sequence(constant(0), ramp(0, 1)), "sequence: piece 1 (constant 0) has no end; put it last"),
    (
        lambda: sequence(ramp(0, 1), dwell(1, duration=1), ramp(2, 3)),
        "sequence: the value jumps from 1 to 2 between piece 2 (dwell at 1 for 1 s) and piece 3 (ramp from 2 to 3 in "
        "1 s); let one begin where the other ends",
    ),
    (lambda: repeat(ramp(0, 1), 2), "repeat: the value jumps from 1 to 0 between the end of ramp from 0 to 1"),
    (lambda: repeat(constant(1), 2), "repeat: constant 1 has no end; it goes on already"),
    (lambda: repeat(dwell(1, duration=1), 0), "repeat: times is 0; give a whole number from 1 to 10000"),
    (lambda: repeat(dwell(1, duration=1), 1.5), "repeat: times is 1.5, not a whole number"),  # type: ignore[arg-type]
    (lambda: repeat(anything, 1), "repeat: this is of type object, not a drive"),
    (lambda: as_drive("0:1", "drives.A"), "drives.A: text is not a drive; read it with parse_drive"),
    (lambda: as_drive(None, "drives.A"), "drives.A: this is of type NoneType, not a drive; give a number, a pair"),
    (lambda: as_drive(True, "drives.A"), "drives.A: this is of type bool, not a drive"),
    (lambda: as_drive(nan, "drives.A"), "drives.A: the value is nan, not finite"),
    (lambda: as_drive((1, 2, 3), "drives.A"), "drives.A: a list of 3 is not a drive"),
    (lambda: as_drive((1, 1), "drives.A"), "drives.A: the range is empty"),
    (lambda: as_drive((1, [2]), "drives.A"), "drives.A: the end is [2], not a number"),
    (lambda: as_drive(np.array(1.0), "drives.A"), "drives.A: this is of type ndarray, not a drive"),
    (lambda: ramp(0, 1).sample(nan), "sample: the time nan s is not finite"),
    (lambda: ramp(0, 1).sample([0, inf]), "sample: the time inf s is not finite"),
    (lambda: ramp(0, 1).sample(1e31), "sample: the time 1e+31 s is beyond 1e+30 s"),
    (lambda: ramp(0, 1).sample("now"), "sample: the times are not numbers"),
    (lambda: ramp(0, 1).sample([1j]), "sample: the times are not numbers"),
    (lambda: ramp(0, 1).sample([[0], [1, 2]]), "sample: the times are not numbers"),
    (lambda: expression("log(t)").sample([1, 0]), "the value of expression log(t) is -inf at t = 0 s"),
    (lambda: expression("sqrt(t)").sample(0), "the rate of expression sqrt(t) is inf at t = 0 s"),
    (lambda: expression("exp(t)", unit=1e9).sample(705), "is inf at t = 705 s"),
]


@pytest.mark.parametrize(("make", "message"), BAD, ids=[m for _, m in BAD])
def test_bad_numbers(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        make()
    assert message in str(caught.value)
    assert all(p.where and p.hint for p in caught.value.problems)
    assert len(caught.value.problems) == 1


MANY: list[tuple[Callable[[], Any], int]] = [
    (lambda: ramp(nan, "x", duration=0), 3),  # type: ignore[arg-type]
    (lambda: ramp(1, 1, duration=-1, speed=1), 3),
    (lambda: _harmonic(nan, 0, phase=None), 4),
    (lambda: trapezoidal(1, 1, speed=0, acceleration=0), 3),
    (lambda: table([0, nan, -1], [inf, 1, "x"]), 3),  # type: ignore[list-item]
    (lambda: spline([0, 0, 0], [1, 2, 3], ends="odd"), 3),  # type: ignore[arg-type]
    (lambda: table(range(20, 0, -1), range(20)), 6),
    (lambda: sequence(constant(1), 2, constant(1), ramp(0, 1)), 3),  # type: ignore[arg-type]
    (lambda: repeat(constant(1), 0), 2),
    (lambda: expression("x", unit=nan), 2),
]


@pytest.mark.parametrize(("make", "count"), MANY)
def test_all_problems_at_once(make: Callable[[], Any], count: int) -> None:
    with pytest.raises(ModelError) as caught:
        make()
    assert len(caught.value.problems) == count, str(caught.value)


def test_extreme_numbers_stay_finite() -> None:
    """The widest ranges that are allowed make no nan and no overflow."""
    t = np.array([-1e30, 0.0, 1e-31, 5e-31, 1e-30, 1.0, 1e30])
    for make in (ramp, cycloidal, polynomial345):
        for duration in (1e-30, 1e30):
            assert np.isfinite(make(-1e30, 1e30, duration=duration).sample(t)).all()
    for end, speed, acceleration in [(1.0, 1e-30, 1e30), (1e30, 1e30, 1e-29), (1e30, 1e10, 1e30), (1e-30, 1e30, 1e30)]:
        drive = trapezoidal(0, end, speed=speed, acceleration=acceleration)
        assert np.isfinite(drive.sample(t)).all() and drive.breaks
    assert np.isfinite(harmonic(1e30, 1e30, speed=1e30).sample(t)).all()
    assert np.isfinite(table([0, 1e-30, 1e30], [-1e30, 1e30, 0]).sample(t)).all()
    assert np.isfinite(spline([0, 1e-9, 1e9], [-1e9, 1e9, 0]).sample(t)).all()
