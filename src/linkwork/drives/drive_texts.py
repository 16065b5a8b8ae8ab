"""Drives as text, for the command line and for files: bounded in length, matched and split, never evaluated.

A range or a quantity      0:360deg    0:360deg @ 3000rpm    0:360deg in 2s    30deg
A law with its arguments   harmonic(0, 30deg, 2Hz)    table(0s: 0, 1s: 20deg, 2s: 0deg)    expr(0.3*sin(2*t))
One after the other        0:90deg in 1s; dwell(90deg, 2s); 90deg:0 in 1s
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from linkwork.drives.drive import Drive
from linkwork.drives.expression_drive import expression
from linkwork.drives.moves import ramp
from linkwork.drives.oscillation import harmonic
from linkwork.drives.profiles import cycloidal, polynomial345, trapezoidal
from linkwork.drives.sequences import sequence
from linkwork.drives.steady import constant, dwell
from linkwork.drives.tables import spline, table
from linkwork.errors import InputError, ModelError, Problem, did_you_mean
from linkwork.expressions import FUNCTIONS
from linkwork.units import (
    ANGLE,
    ANGULAR_SPEED,
    FREQUENCY,
    SI,
    TIME,
    Dimension,
    UnitSystem,
    parse_quantity,
    parse_unit,
)

MAX_DRIVE_LENGTH = 4000
MAX_PROBLEMS = 10

_CALL = re.compile(r"(?P<name>345|[A-Za-z_][A-Za-z_0-9]*)\s*\((?P<inside>.*)\)(?P<rest>[^()]*)", re.DOTALL)
_CALL_BEGINS = re.compile(r"(?P<name>345|[A-Za-z_][A-Za-z_0-9]*)\s*\(")
_NUMBER = r"[-+−]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_QUANTITY = re.compile(rf"(?P<number>{_NUMBER}(?:\s*/\s*{_NUMBER})?)(?P<unit>.*)", re.DOTALL)
# " in 2s": the number after it tells the word from the inch.
_IN = re.compile(r"(?<![A-Za-z_0-9])in\s+(?=[-+−.0-9])")


def is_range_alone(text: str) -> bool:
    """Whether a text is a range that tells neither a speed nor a duration: "0:360deg"."""
    return ":" in text and not re.search("[(;@]", text) and not _IN.search(text)


def parse_drive(text: object, dimension: Dimension, where: str, units: UnitSystem = SI) -> Drive:
    """The drive that a text means. A unit at the end of a range or list holds for bare numbers before it.

    text : such as "0:360deg @ 3000rpm" or "cycloidal(0, 90deg, 1s)"; a bare number is held
    dimension : what is driven: `units.ANGLE`, `units.LENGTH`, `units.NUMBER`
    where : the path of names that a problem is told with, such as "drives.crank"
    units : the units of bare numbers, SI where none are given; an expression's value is a bare number as well

    >>> from linkwork.units import ANGLE
    >>> parse_drive("0:180deg in 2s", ANGLE, "drives.crank")
    ramp from 0 to 3.142 in 2 s
    """
    reader = _Reader(dimension, units)
    if not isinstance(text, str):
        with reader.told_as("", where):
            return constant(parse_quantity(text, dimension, units))
    if len(text) > MAX_DRIVE_LENGTH:
        what = f"the drive {_shown(text)} is too long; {MAX_DRIVE_LENGTH} characters are the most"
        raise InputError(Problem(what, where, "read the points in Python and use table(...) or spline(...)"))
    with reader.told_as(text, where):
        return reader.drive(text)


class _Telling:
    """Gives every problem the place, the text in which it was found, and an example of what can be written."""

    def __init__(self, text: str, where: str, example: str) -> None:
        self.text, self.where, self.example = text, where, example

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, ModelError):
            before = f"in {_shown(self.text)}: " if self.text.strip() else ""
            found = list(dict.fromkeys(error.problems))  # numbers that share a wrong unit say the same
            if len(found) > MAX_PROBLEMS:
                found[MAX_PROBLEMS:] = [Problem(f"there are {len(found) - MAX_PROBLEMS} more problems")]
            raise InputError([self._placed(p, before) for p in found]) from None

    def _placed(self, problem: Problem, before: str) -> Problem:
        hint = "; ".join(t for t in (problem.hint, self.example) if t)
        return replace(problem, what=before + problem.what, where=self.where, hint=hint)


class _Reader:
    """Reads one text; `dimension` is that of the driven variable."""

    def __init__(self, dimension: Dimension, units: UnitSystem) -> None:
        self.dimension = dimension
        self.units = units
        self.unit = {ANGLE: "deg"}.get(dimension, units.symbol(dimension))

    def told_as(self, text: str, where: str) -> _Telling:
        example = "0:_ in 2s"
        begins = _CALL_BEGINS.match(text.strip())
        if begins and begins["name"] in _LAWS and ";" not in text:
            example = _LAWS[begins["name"]].example
        amount = f"{'90' if self.unit == 'deg' else '0.5'}{self.unit}"
        return _Telling(text, where, f"for example '{example.replace('_', amount).replace('%', self.unit)}'")

    def drive(self, text: str) -> Drive:
        """One drive, or several with ';' between them."""
        parts = text.split(";")
        if len(parts) == 1:
            return self.piece(text)
        return sequence(*_all(self.piece, parts))

    def piece(self, text: str) -> Drive:
        text = text.strip()
        if not text:
            raise InputError("the text is empty")
        if _CALL_BEGINS.match(text):
            return self.call(text)
        if ":" in text:
            return self.range(text)
        if "@" in text or _IN.search(text):
            raise InputError(Problem("a speed or a duration needs a range", hint="write start:end before it"))
        return constant(self.quantity(text))

    def range(self, text: str) -> Drive:
        """start:end, with '@ speed' or 'in duration'."""
        rest, *durations = _IN.split(text)
        ends, *speeds = rest.split("@")
        if len(durations) > 1 or len(speeds) > 1 or "@" in "".join(durations):
            raise InputError(Problem("a range has one speed or one duration", hint="write it once, at the end"))
        if ends.count(":") != 1:
            raise InputError(Problem(f"a range has two ends, not {ends.count(':') + 1}", hint="write start:end"))
        (start, end), (duration,), (speed,) = _each(
            lambda: self.alike(ends.split(":")),
            lambda: [self.quantity(d, TIME) for d in durations] or [None],
            lambda: [self.quantity(s, self.dimension / TIME) for s in speeds] or [None],
        )
        return ramp(start, end, duration=duration, speed=speed)

    def call(self, text: str) -> Drive:
        """name(arguments)"""
        name = _CALL_BEGINS.match(text)["name"]  # type: ignore[index]
        if name not in _LAWS:
            hint = f"write expr({text[:40]})" if name in FUNCTIONS else did_you_mean(name[:30], _LAWS)
            raise InputError(Problem(f"'{name[:30]}' is no law", hint=hint))
        found = _CALL.fullmatch(text)
        if found is None:
            raise InputError("a ')' is missing" if ")" not in text else "a bracket is out of place")
        law, rest = _LAWS[name], found["rest"].strip()
        if law.read is _expression:
            return expression(found["inside"], unit=self.quantity(f"1 {rest}"))
        if rest:
            raise InputError(f"'{rest[:30]}' after the bracket is out of place")
        arguments = [a.strip() for a in found["inside"].split(",")] if found["inside"].strip() else []
        if not law.least <= len(arguments) <= law.most:
            wanted = f"{law.least}" if law.least == law.most else f"{law.least} to {law.most}"
            if law.most == MANY:
                wanted = f"{law.least} or more"
            raise InputError(f"{name} takes {wanted} arguments, not {len(arguments)}")
        return law.read(self, arguments)

    def quantity(self, text: str, dimension: Dimension | None = None) -> float:
        return parse_quantity(text.strip(), dimension or self.dimension, self.units)

    def alike(self, texts: Iterable[str], dimension: Dimension | None = None) -> list[float]:
        """Numbers of one kind. The unit of the last holds for those that have none; a zero needs none."""
        written = [t.strip() for t in texts]
        own = [found["unit"].strip() if (found := _QUANTITY.fullmatch(t)) else "" for t in written]
        own = ["" if unit.startswith(",") else unit for unit in own]  # a decimal comma, of which is told

        def value(text: str, unit: str) -> float:
            if unit or not any(own):
                return self.quantity(text, dimension)
            if own[-1] and _QUANTITY.fullmatch(text):
                return self.quantity(f"{text} {own[-1]}", dimension)
            number = self.quantity(text, dimension)
            if number != 0.0:
                raise InputError(Problem(f"'{text}' has no unit, but others have", hint=f"write '{text} {max(own)}'"))
            return number

        return _all(lambda pair: value(*pair), zip(written, own, strict=True))

    def unit_of(self, text: str) -> Dimension | None:
        """The dimension of a quantity; None when it is bare or cannot be read."""
        found = _QUANTITY.fullmatch(text)
        unit = found["unit"].strip() if found else ""
        try:
            return parse_unit(f"1{unit}" if unit.startswith("/") else unit)[1] if unit else None
        except ModelError:
            return None  # what is wrong is told when the quantity is read


def _all(read: Callable[[Any], Any], texts: Iterable[Any]) -> list[Any]:
    """Reads every text, and tells the problems of all."""
    return list(_each(*((lambda text=text: read(text)) for text in texts)))


def _each(*readings: Callable[[], Any]) -> tuple[Any, ...]:
    """The results of several readings, or the problems of all."""
    results: list[Any] = []
    problems: list[Problem] = []
    for reading in readings:
        try:
            results.append(reading())
        except ModelError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return tuple(results)


# Each law's arguments, from text to its constructor.


def _ramp(reader: _Reader, texts: list[str]) -> Drive:
    speed = len(texts) == 3 and reader.unit_of(texts[2]) == reader.dimension / TIME
    (start, end), *rest = _each(
        lambda: reader.alike(texts[:2]),
        *(lambda t=t: reader.quantity(t, reader.dimension / TIME if speed else TIME) for t in texts[2:]),
    )
    return ramp(start, end, **{"speed" if speed else "duration": rest[0]} if rest else {})


def _harmonic(reader: _Reader, texts: list[str]) -> Drive:
    turning = reader.unit_of(texts[2]) == ANGULAR_SPEED
    (mean, amplitude), rate, phase = _each(
        lambda: reader.alike(texts[:2]),
        lambda: reader.quantity(texts[2], ANGULAR_SPEED if turning else FREQUENCY),
        lambda: reader.quantity(texts[3], ANGLE) if len(texts) == 4 else 0.0,
    )
    return harmonic(mean, amplitude, phase=phase, **{"speed" if turning else "frequency": rate})


def _timed(make: Callable[..., Drive]) -> Callable[[_Reader, list[str]], Drive]:
    def read(reader: _Reader, texts: list[str]) -> Drive:
        (start, end), duration = _each(lambda: reader.alike(texts[:2]), lambda: reader.quantity(texts[2], TIME))
        return make(start, end, duration=duration)

    return read


def _trapezoidal(reader: _Reader, texts: list[str]) -> Drive:
    (start, end), speed, acceleration = _each(
        lambda: reader.alike(texts[:2]),
        lambda: reader.quantity(texts[2], reader.dimension / TIME),
        lambda: reader.quantity(texts[3], reader.dimension / TIME**2),
    )
    return trapezoidal(start, end, speed=speed, acceleration=acceleration)


def _points(reader: _Reader, texts: list[str]) -> tuple[list[float], list[float]]:
    for text in texts:
        if text.count(":") != 1:
            raise InputError(Problem(f"'{text[:30]}' is no point", hint="write time: value"))
    pairs = [text.split(":") for text in texts]
    times, values = _each(lambda: reader.alike([p[0] for p in pairs], TIME), lambda: reader.alike(p[1] for p in pairs))
    return times, values


def _table(reader: _Reader, texts: list[str]) -> Drive:
    return table(*_points(reader, texts))


def _spline(reader: _Reader, texts: list[str]) -> Drive:
    ends: Any = "natural" if ":" in texts[-1] else texts[-1]
    return spline(*_points(reader, texts if ":" in texts[-1] else texts[:-1]), ends=ends)


def _constant(reader: _Reader, texts: list[str]) -> Drive:
    return constant(reader.quantity(texts[0]))


def _dwell(reader: _Reader, texts: list[str]) -> Drive:
    value, duration = _each(lambda: reader.quantity(texts[0]), lambda: reader.quantity(texts[1], TIME))
    return dwell(value, duration=duration)


def _expression(reader: _Reader, texts: list[str]) -> Drive:
    raise AssertionError  # an expression has commas of its own and is read before they are split


@dataclass(frozen=True)
class _Law:
    """How a law is read: its reader, how many arguments it has, and an example (_ a value, % its unit)."""

    read: Callable[[_Reader, list[str]], Drive]
    least: int
    most: int
    example: str


MANY = MAX_DRIVE_LENGTH

_LAWS = {
    "ramp": _Law(_ramp, 2, 3, "ramp(0, _, 2s)"),
    "harmonic": _Law(_harmonic, 3, 4, "harmonic(0, _, 2Hz)"),
    "cycloidal": _Law(_timed(cycloidal), 3, 3, "cycloidal(0, _, 1s)"),
    "345": _Law(_timed(polynomial345), 3, 3, "345(0, _, 1s)"),
    "polynomial345": _Law(_timed(polynomial345), 3, 3, "polynomial345(0, _, 1s)"),
    "trapezoidal": _Law(_trapezoidal, 4, 4, "trapezoidal(0, _, 5%/s, 10%/s^2)"),
    "table": _Law(_table, 1, MANY, "table(0s: 0, 1s: _, 2s: 0)"),
    "spline": _Law(_spline, 1, MANY, "spline(0s: 0, 1s: _, 2s: 0, clamped)"),
    "expr": _Law(_expression, 1, 1, "expr(0.3*sin(2*t))"),
    "constant": _Law(_constant, 1, 1, "constant(_)"),
    "dwell": _Law(_dwell, 2, 2, "dwell(_, 2s)"),
}


def _shown(text: str) -> str:
    short = " ".join(text.split())
    return repr(short if len(short) <= 60 else short[:57] + "...")
