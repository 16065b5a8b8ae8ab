"""Drives as text: what is meant, and what is said about text that means nothing."""

from __future__ import annotations

import math
import re
import re._parser as parser  # type: ignore[import-not-found]
import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwork.drives import (
    Drive,
    constant,
    cycloidal,
    drive_texts,
    dwell,
    expression,
    harmonic,
    parse_drive,
    polynomial345,
    ramp,
    sequence,
    spline,
    table,
    trapezoidal,
)
from linkwork.drives.drive_texts import MAX_DRIVE_LENGTH
from linkwork.errors import ModelError
from linkwork.expressions import names as expression_names
from linkwork.expressions import parser as expression_parser
from linkwork.units import ANGLE, LENGTH, NUMBER, Dimension, UnitSystem, deg, grammar, inch, mm, quantities, rpm

TURN = 360 * deg

ANGLES: list[tuple[str, Drive]] = [
    ("0:360deg", ramp(0, TURN)),
    (" 0 : 360 deg ", ramp(0, TURN)),
    ("10:20deg", ramp(10 * deg, 20 * deg)),
    ("0:6", ramp(0, 6)),
    ("30deg:0", ramp(30 * deg, 0)),
    ("-30°:1/2 rad", ramp(-30 * deg, 0.5)),
    ("−30:30deg", ramp(-30 * deg, 30 * deg)),
    ("0:360deg @ 3000rpm", ramp(0, TURN, speed=3000 * rpm)),
    ("0:360deg@3", ramp(0, TURN, speed=3)),
    ("360deg:0 @ 50 deg/s", ramp(TURN, 0, speed=50 * deg)),
    ("0:360deg in 2s", ramp(0, TURN, duration=2)),
    ("0:360deg in 20 ms", ramp(0, TURN, duration=0.02)),
    ("0:360deg in 2", ramp(0, TURN, duration=2)),
    ("ramp(0, 360deg)", ramp(0, TURN)),
    ("ramp(0, 360deg, 2s)", ramp(0, TURN, duration=2)),
    ("ramp(0, 360deg, 2rad/s)", ramp(0, TURN, speed=2)),
    ("30deg", constant(30 * deg)),
    ("-2", constant(-2)),
    ("constant(30deg)", constant(30 * deg)),
    ("dwell(30deg, 2s)", dwell(30 * deg, duration=2)),
    ("harmonic(0, 30deg, 2Hz)", harmonic(0, 30 * deg, frequency=2)),
    ("harmonic(10, 30deg, 2)", harmonic(10 * deg, 30 * deg, frequency=2)),
    ("harmonic(0, 30deg, 2/s)", harmonic(0, 30 * deg, frequency=2)),
    ("harmonic(0, 30deg, 60rpm, 90deg)", harmonic(0, 30 * deg, speed=60 * rpm, phase=90 * deg)),
    ("cycloidal(0, 90deg, 1s)", cycloidal(0, 90 * deg, duration=1)),
    ("cycloidal ( 0 ,90deg,1s )", cycloidal(0, 90 * deg, duration=1)),
    ("345(0,90deg,1s)", polynomial345(0, 90 * deg, duration=1)),
    ("polynomial345(0,90deg,1s)", polynomial345(0, 90 * deg, duration=1)),
    ("trapezoidal(0, 1rad, 0.5 rad/s, 2 rad/s^2)", trapezoidal(0, 1, speed=0.5, acceleration=2)),
    ("table(0s: 0, 1s: 20deg, 2s: 0deg)", table([0, 1, 2], [0, 20 * deg, 0])),
    ("table(0: 10, 500: 20, 1000ms: 30deg)", table([0, 0.5, 1], [10 * deg, 20 * deg, 30 * deg])),
    ("table(0:0,1:2)", table([0, 1], [0, 2])),
    ("spline(0s: 0, 1s: 20deg, 2s: 0deg)", spline([0, 1, 2], [0, 20 * deg, 0])),
    ("spline(0s: 0, 1s: 2rad, 2s: 0, periodic)", spline([0, 1, 2], [0, 2, 0], ends="periodic")),
    ("expr(0.3*sin(2*t))", expression("0.3*sin(2*t)")),
    ("expr(min(t, 1, 2))", expression("min(t, 1, 2)")),
    ("expr( 30 * sin(t) ) deg", expression("30 * sin(t)", unit=deg)),
    (
        "0:90deg in 1s; dwell(90deg, 2s); 90deg:0 in 1s",
        sequence(ramp(0, 90 * deg), dwell(90 * deg, duration=2), ramp(90 * deg, 0)),
    ),
    ("0:1; expr(1 + sin(t))", sequence(ramp(0, 1), expression("1 + sin(t)"))),
]


@pytest.mark.parametrize(("text", "drive"), ANGLES, ids=[t for t, _ in ANGLES])
def test_angles(text: str, drive: Drive) -> None:
    assert parse_drive(text, ANGLE, "drives.A") == drive


OTHERS: list[tuple[str, Dimension, Drive]] = [
    ("0:50mm", LENGTH, ramp(0, 50 * mm)),
    ("0:2 in", LENGTH, ramp(0, 2 * inch)),
    ("0:2in in 3s", LENGTH, ramp(0, 2 * inch, duration=3)),
    ("0:2 in in 3 s", LENGTH, ramp(0, 2 * inch, duration=3)),
    ("0:2 in 3 s", LENGTH, ramp(0, 2, duration=3)),
    ("0:1m @ 100 mm/s", LENGTH, ramp(0, 1, speed=0.1)),
    ("trapezoidal(0, 1m, 0.5 m/s, 2 m/s^2)", LENGTH, trapezoidal(0, 1, speed=0.5, acceleration=2)),
    ("harmonic(0, 3mm, 2Hz)", LENGTH, harmonic(0, 3 * mm, frequency=2)),
    ("0:5", NUMBER, ramp(0, 5)),
    ("0:5 @ 2/s", NUMBER, ramp(0, 5, speed=2)),
    ("ramp(0, 5, 2/s)", NUMBER, ramp(0, 5, speed=2)),
]


@pytest.mark.parametrize(("text", "dimension", "drive"), OTHERS, ids=[f"{t} ({d})" for t, d, _ in OTHERS])
def test_other_dimensions(text: str, dimension: Dimension, drive: Drive) -> None:
    assert parse_drive(text, dimension, "drives.A") == drive


def test_numbers_are_held() -> None:
    assert parse_drive(2, ANGLE, "d") == parse_drive(2.0, ANGLE, "d") == constant(2.0)


def test_units_of_bare_numbers() -> None:
    system = UnitSystem(length="mm", angle="deg")
    assert parse_drive("0:90 @ 10", ANGLE, "d", system) == ramp(0, 90 * deg, speed=10 * deg)
    assert parse_drive(50, LENGTH, "d", system) == constant(50 * mm)
    assert parse_drive("expr(30*sin(t))", ANGLE, "d", system) == expression("30*sin(t)", unit=deg)
    assert parse_drive("0:1rad", ANGLE, "d", system) == ramp(0, 1)


LINEAR = "0:0.5m in 2s"
BAD: list[tuple[object, str]] = [
    ("", "the text is empty; for example '0:90deg in 2s'"),
    ("  ; 0:1", "in '; 0:1': the text is empty"),
    (None, "nothing is given"),
    (True, "true is not a quantity"),
    (math.nan, "nan is not a number"),
    ("x" * (MAX_DRIVE_LENGTH + 1), f"is too long; {MAX_DRIVE_LENGTH} characters are the most"),
    ("ten degrees", "'ten degrees' does not begin with a number"),
    ("30m", "'30m' is a length; an angle is wanted, such as '30 rad'"),
    ("30degg", "there is no unit 'degg'; did you mean 'deg'?"),
    ("0:0deg", "the range is empty: it starts and ends at 0; to stay, use dwell"),
    ("0:", "the text is empty; an angle is wanted"),
    ("0:1:2", "a range has two ends, not 3; write start:end"),
    ("30deg:60", "'60' has no unit, but others have; write '60 deg'"),
    ("0:90deg in 0s", "the duration is 0 s; it must be above zero"),
    ("0:90deg in 3m", "'3m' is a length; a time is wanted"),
    ("0:90deg @ 0rpm", "the speed is 0 per second; it must not be zero"),
    ("0:90deg @ 3 m/s", "'3 m/s' is a speed; an angular speed is wanted"),
    ("0:90deg @ 3rpm in 2s", "both a duration and a speed are given; give one of them; the other follows"),
    ("0:90deg in 2s @ 3rpm", "a range has one speed or one duration; write it once, at the end"),
    ("0:90deg @ 1 @ 2", "a range has one speed or one duration"),
    ("30deg in 2s", "a speed or a duration needs a range; write start:end before it"),
    ("30deg @ 2rpm", "a speed or a duration needs a range"),
    ("cyclodal(0, 90deg, 1s)", "'cyclodal' is no law; did you mean 'cycloidal'?"),
    ("sin(t)", "'sin' is no law; write expr(sin(t))"),
    ("os(1)", "'os' is no law; there is: ramp, harmonic"),
    ("harmonic(0, 1", "a ')' is missing; for example 'harmonic(0, 90deg, 2Hz)'"),
    ("harmonic)(0, 1)", "'harmonic)(0, 1)' does not begin with a number"),
    ("harmonic(0, 1)(", "a bracket is out of place"),
    ("harmonic()", "harmonic takes 3 to 4 arguments, not 0"),
    ("cycloidal(0, 1)", "cycloidal takes 3 arguments, not 2; for example 'cycloidal(0, 90deg, 1s)'"),
    ("table()", "table takes 1 or more arguments, not 0"),
    ("harmonic(0, 30deg, 2m)", "'2m' is a length; a frequency is wanted"),
    ("harmonic(0, 30deg, 2qq)", "there is no unit 'qq'"),
    ("harmonic(0, 30deg, 0Hz)", "the frequency is 0 Hz; give one above zero"),
    ("345(0, 90deg, 1s) deg", "'deg' after the bracket is out of place"),
    ("trapezoidal(0, 1, 2, -3)", "the acceleration is -3 per second squared; it must be above zero"),
    ("table(0s: 0)", "1 point is too few: 2 are needed"),
    ("table(0s: 0, 0s: 1)", "time number 2 (0 s) does not come after time number 1 (0 s); let the times increase"),
    ("table(0, 1)", "'0' is no point; write time: value"),
    ("spline(0: 1, 1: 1, perodic)", "the ends are 'perodic'; did you mean 'periodic'?"),
    (
        "spline(0: 1, 1: 2, 2: 3, periodic)",
        "the first value is 1, the last 3; let a periodic spline end where it begins",
    ),
    ("expr(0.3*x)", "'x' is not known; the time is t, in seconds; there is: t, pi, tau"),
    ("expr(__import__('os'))", "a string is not allowed"),
    ("expr(t.real)", "a '.' after a name is not allowed"),
    ("expr(t) m", "is a length; an angle is wanted"),
    ("expr()", "the expression is empty"),
    ("0:1; 2:3", "the value jumps from 1 to 2 between piece 1 (ramp from 0 to 1 in 1 s) and piece 2"),
    ("30deg; 0:1", "piece 1 (constant 0.5236) has no end; put it last"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[str(t)[:40] for t, _ in BAD])
def test_bad_text(text: object, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_drive(text, ANGLE, "drives.A")
    assert message in str(caught.value)
    for problem in caught.value.problems:
        assert problem.where == "drives.A" and problem.hint
        assert len(str(problem)) < 600


def test_examples_have_the_unit_that_is_wanted() -> None:
    for dimension, example in [(LENGTH, "'0:0.5m in 2s'"), (NUMBER, "'0:0.5 in 2s'"), (ANGLE, "'0:90deg in 2s'")]:
        with pytest.raises(ModelError, match="for example") as caught:
            parse_drive("?", dimension, "drives.A")
        assert example in str(caught.value)


@pytest.mark.parametrize("dimension", [ANGLE, LENGTH, NUMBER])
def test_every_example_can_be_read(dimension: Dimension) -> None:
    for name in ("ramp", "harmonic", "cycloidal", "345", "polynomial345", "trapezoidal", "table", "spline", "expr",
                 "constant", "dwell", "nothing"):  # fmt: skip
        with pytest.raises(ModelError) as caught:
            parse_drive(f"{name}(?", dimension, "d")
        parse_drive(caught.value.problems[0].hint.split("for example '")[1][:-1], dimension, "d")


def test_all_problems_are_told() -> None:
    with pytest.raises(ModelError) as caught:
        parse_drive("trapezoidal(q, 3m, 3s, 2kg)", ANGLE, "drives.A")
    assert len(caught.value.problems) == 4
    with pytest.raises(ModelError) as caught:
        parse_drive("table(0s: a, b: 1, 2s: c)", ANGLE, "drives.A")
    assert len(caught.value.problems) == 3
    with pytest.raises(ModelError) as caught:
        parse_drive("table(" + ", ".join(f"{i}m: {i}" for i in range(100)) + ")", ANGLE, "drives.A")
    assert len(caught.value.problems) == 11 and "there are 90 more problems" in str(caught.value)


@given(st.text(alphabet="0123456789.:;,()@- +deg msinrpexharmoictable345*/", max_size=60))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_any_text_is_a_drive_or_a_model_error(text: str) -> None:
    try:
        assert isinstance(parse_drive(text, ANGLE, "drives.A"), Drive)
    except ModelError as error:
        assert error.problems and all(p.where == "drives.A" for p in error.problems)


def work_of_reading(text: str) -> int:
    """Calls that are made while a text is read that means nothing, those of strings counted by their length."""
    count = 0

    def look(frame: FrameType, event: str, called: Any) -> None:
        nonlocal count
        own = getattr(called, "__self__", None) if event == "c_call" else None
        count += 1 + (len(own) if isinstance(own, str) else 0)

    sys.setprofile(look)
    try:
        with pytest.raises(ModelError):
            parse_drive(text, ANGLE, "drives.A")
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("piece", ["(", ")", "()", "0:", ";", "0,", "1", "in 1 ", "@", "ramp(", " x", "1/", "e"])
@pytest.mark.parametrize("start", ["", "ramp(", "table(", "0:1"])
def test_the_work_of_reading_grows_with_the_length_of_a_text(start: str, piece: str) -> None:
    long = (start + piece * MAX_DRIVE_LENGTH)[:MAX_DRIVE_LENGTH]
    for text in (long[: MAX_DRIVE_LENGTH // 2], long):  # whatever is kept after the first reading is there
        with pytest.raises(ModelError):
            parse_drive(text, ANGLE, "drives.A")
    half, whole = work_of_reading(long[: MAX_DRIVE_LENGTH // 2]), work_of_reading(long)
    assert whole < 2.1 * half + 2_000
    assert whole < 100 * MAX_DRIVE_LENGTH


def repeats_in(pattern: Any, inside: bool = False) -> bool:
    """Whether a regular expression has a repeat without end inside of another, which is tried in 2^n ways."""
    for kind, value in pattern:
        endless = kind in (parser.MAX_REPEAT, parser.MIN_REPEAT) and value[1] == parser.MAXREPEAT
        if endless and inside:
            return True
        parts = value if isinstance(value, tuple) else (value,)
        parts = [p for part in parts for p in (part if isinstance(part, list) else [part])]
        if any(repeats_in(p, inside or endless) for p in parts if isinstance(p, parser.SubPattern)):
            return True
    return False


def test_no_pattern_repeats_what_repeats() -> None:
    """Within a single call of a regular expression no text of any length is tried in ever more ways."""
    assert repeats_in(parser.parse("(a+b?)*")) and not repeats_in(parser.parse(r"\w[\w-]*(\.\w+)?"))
    rooms = (drive_texts, expression_names, expression_parser, grammar, quantities)
    patterns = [p for room in rooms for p in vars(room).values() if isinstance(p, re.Pattern)]
    assert len(patterns) > 8
    assert [p.pattern for p in patterns if repeats_in(parser.parse(p.pattern, p.flags & ~re.UNICODE))] == []
