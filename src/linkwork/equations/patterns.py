"""Which constants belong to the structure: exact zeros, and ones in rotations. The others become run-time symbols.

A *pattern* holds one entry per constant: a float that is folded into the equations, or None for a run-time value.
Values that break a pattern (an offset that is no longer zero) need equations of their own; values that merely happen to
be zero where the pattern has None do not.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from linkwork.equations.plan import Constants, Moments, Pose
from linkwork.equations.scalars import SAMPLES, Trace
from linkwork.equations.vectors import symmetric
from linkwork.geometry import Array

Pattern = tuple[float | None, ...]

CERTAIN = 8.0
"""A constant is zero (or one) when it is within so many times its rounding error of it."""


def flatten(constants: Constants) -> tuple[list[bool], list[Any]]:
    """All constants in a fixed order, and which of them are entries of a rotation."""
    rotations: list[bool] = []
    values: list[Any] = []

    def collect(rotation: bool, value: Any) -> Any:
        rotations.append(rotation)
        values.append(value)
        return value

    _visit(constants, False, collect)
    return rotations, values


def rebuild(constants: Constants, values: Sequence[Any]) -> Constants:
    """The same constants with other values, in the order of `flatten`."""
    supply: Iterator[Any] = iter(values)
    result: Constants = _visit(constants, False, lambda rotation, value: next(supply))
    return result


def _visit(x: Any, rotation: bool, f: Callable[[bool, Any], Any]) -> Any:
    if isinstance(x, Moments):
        m, h = f(False, x.m), tuple(f(False, e) for e in x.h)
        return Moments(m, h, symmetric(lambda i, j: f(False, x.J[i][j])))
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return type(x)(*[_visit(getattr(x, d.name), d.name == "R", f) for d in dataclasses.fields(x)])
    if isinstance(x, tuple):
        return tuple(_visit(e, rotation, f) for e in x)
    return f(rotation, x)


def pattern_of(rotations: Sequence[bool], values: Array, errors: Array) -> Pattern:
    """What one set of constants, with bounds of their rounding errors, has of zeros, and of ones in rotations."""
    allowed = CERTAIN * errors
    pattern: list[float | None] = [None] * len(values)
    for i in np.flatnonzero(np.abs(values) <= allowed):
        pattern[i] = 0.0
    for one in (1.0, -1.0):
        for i in np.flatnonzero(np.asarray(rotations) & (np.abs(values - one) <= allowed)):
            pattern[i] = one
    return tuple(pattern)


def loosened(pattern: Pattern, found: Pattern) -> Pattern:
    """The tightest pattern that fits both."""
    return tuple(a if a == b else None for a, b in zip(pattern, found, strict=True))


def symbols(
    trace: Trace, constants: Constants, pattern: Pattern, independent: bool = False
) -> tuple[Constants, list[Any]]:
    """Constants as symbols where the pattern has None; samples of rotations are rotations.

    independent : entries of rotations are numbers of their own, as derivatives by single ones want it
    """
    values: list[Any] = []

    def supply(folded: float | None) -> Any:
        values.append(trace.symbol(settled=True) if folded is None else folded)
        return values[-1]

    def visit(x: Any) -> Any:
        if isinstance(x, Pose):  # all entries of a rotation at once; the order stays that of `flatten`
            R = _rotation_symbols(trace, x.R, independent)
            values.extend(e for row in R for e in row)
            return Pose(R, tuple(supply(e) for e in x.p))
        if isinstance(x, Moments):
            return _visit(x, False, lambda rotation, folded: supply(folded))
        if dataclasses.is_dataclass(x) and not isinstance(x, type):
            return type(x)(*[visit(getattr(x, d.name)) for d in dataclasses.fields(x)])
        if isinstance(x, tuple):
            return tuple(visit(e) for e in x)
        return supply(x)

    return visit(rebuild(constants, pattern)), values


def _rotation_symbols(trace: Trace, R: Any, independent: bool) -> Any:
    """Symbols for the free entries of a rotation; where the zeros allow it, every sample is a true rotation."""
    free = [(i, j) for i in range(3) for j in range(3) if R[i][j] is None]
    if not free:
        return R
    if len(free) == 9 and not independent:
        samples = [_random_rotation(trace) for _ in range(SAMPLES)]
    elif not independent and _is_turn(R, free):
        samples = [_random_turn(trace, R, free) for _ in range(SAMPLES)]
    else:
        samples = [[[trace.random.uniform(0.1, 0.9) for _ in range(3)] for _ in range(3)] for _ in range(SAMPLES)]
    made = {(i, j): trace.symbol([s[i][j] for s in samples], settled=True) for i, j in free}
    return tuple(tuple(made.get((i, j), R[i][j]) for j in range(3)) for i in range(3))


def _random_rotation(trace: Trace) -> list[list[float]]:
    w, x, y, z = _unit([trace.random.gauss(0.0, 1.0) for _ in range(4)])
    return [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]


def _is_turn(R: Any, free: Sequence[tuple[int, int]]) -> bool:
    """Whether the free entries are the block of a turn about a coordinate axis, and the rest of R fits it."""
    rows, columns = {i for i, _ in free}, {j for _, j in free}
    if not (len(free) == 4 and len(rows) == len(columns) == 2):
        return False
    (k,), (n,) = set(range(3)) - rows, set(range(3)) - columns
    return R[k][n] in (1.0, -1.0)


def _random_turn(trace: Trace, R: Any, free: Sequence[tuple[int, int]]) -> list[list[float]]:
    """A turn about a coordinate axis: [[c, -s], [s, c]] up to the sign that makes the determinant +1."""
    rows, columns = sorted({i for i, _ in free}), sorted({j for _, j in free})
    (k,), (n,) = set(range(3)) - set(rows), set(range(3)) - set(columns)
    one: float = R[k][n]
    parity = 1.0 if (k + n) % 2 == 0 else -1.0
    angle = trace.random.uniform(0.2, 1.3)
    c, s = math.cos(angle), math.sin(angle)
    S = [[0.0] * 3 for _ in range(3)]
    S[k][n] = one
    sign = one * parity  # determinant of the 2 x 2 block
    S[rows[0]][columns[0]], S[rows[0]][columns[1]] = c, -s
    S[rows[1]][columns[0]], S[rows[1]][columns[1]] = sign * s, sign * c
    return S


def _unit(x: Sequence[float]) -> list[float]:
    norm = math.sqrt(sum(e * e for e in x))
    return [e / norm for e in x]
