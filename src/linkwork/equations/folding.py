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

from linkwork.equations.plan import SNAP, Constants, Moments, Pose
from linkwork.equations.scalars import SAMPLES, Trace
from linkwork.equations.vectors import symmetric
from linkwork.geometry import Array

Pattern = tuple[float | None, ...]
MOMENTS = ("mass", "first moment", "second moment")

_KINDS = {"R": "rotation", "p": "length", "points": "length", "gravity": "gravity", "law": "law"}


def flatten(constants: Constants) -> tuple[list[str], list[Any]]:
    """Kinds (rotation, length, mass of a link, ...) and values of all constants, in a fixed order."""
    kinds: list[str] = []
    values: list[Any] = []
    link = -1

    def collect(kind: str, value: Any) -> Any:
        nonlocal link
        link += kind == "mass"
        # Moments are compared within a link: a watch on a ship is no rounding error.
        kinds.append(f"{kind} {link}" if kind in MOMENTS else kind)
        values.append(value)
        return value

    _visit(constants, "", collect)
    return kinds, values


def rebuild(constants: Constants, values: Sequence[Any]) -> Constants:
    """The same constants with other values, in the order of `flatten`."""
    supply: Iterator[Any] = iter(values)
    result: Constants = _visit(constants, "", lambda kind, value: next(supply))
    return result


def _visit(x: Any, kind: str, f: Callable[[str, Any], Any]) -> Any:
    if isinstance(x, Moments):
        m, h = f("mass", x.m), tuple(f("first moment", e) for e in x.h)
        return Moments(m, h, symmetric(lambda i, j: f("second moment", x.J[i][j])))
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        fields = dataclasses.fields(x)
        return type(x)(*[_visit(getattr(x, d.name), _KINDS.get(d.name, kind), f) for d in fields])
    if isinstance(x, tuple):
        return tuple(_visit(e, kind, f) for e in x)
    return f(kind, x)


def pattern_of(kinds: Sequence[str], values: Array, before: Array | None = None) -> Pattern:
    """Fold what is zero (and ±1 in rotations) in every sample; values has shape (..., count).

    before : the same constants before they were regrouped; what then nearly cancelled is zero too
    """
    rows = values.reshape(-1, values.shape[-1])
    size = _largest(values)
    scale = size if before is None else np.maximum(size, _largest(before))
    names = np.array(kinds)
    pattern: list[float | None] = [None] * len(kinds)
    for kind in set(kinds):
        chosen = np.flatnonzero(names == kind)
        largest = 1.0 if kind == "rotation" else float(scale[chosen].max(initial=0.0))
        for i in chosen[size[chosen] <= SNAP * largest]:
            pattern[i] = 0.0
        if kind == "rotation":
            for one in (1.0, -1.0):
                for i in chosen[np.abs(rows[:, chosen] - one).max(axis=0, initial=0.0) <= SNAP]:
                    pattern[i] = one
    return tuple(pattern)


def _largest(values: Array) -> Array:
    result: Array = np.abs(values.reshape(-1, values.shape[-1])).max(axis=0, initial=0.0)
    return result


def loosened(pattern: Pattern, found: Pattern) -> Pattern:
    """The tightest pattern that fits both."""
    return tuple(a if a == b else None for a, b in zip(pattern, found, strict=True))


def symbols(trace: Trace, constants: Constants, pattern: Pattern) -> tuple[Constants, list[Any]]:
    """Constants as symbols where the pattern has None; samples of rotations are rotations."""
    shape = rebuild(constants, pattern)
    values: list[Any] = []

    def supply(kind: str, folded: Any) -> Any:
        value = trace.symbol(settled=True) if folded is None else folded
        values.append(value)
        return value

    # Poses first get a rotation each; the order of `values` stays that of `flatten`.
    def visit(x: Any, kind: str) -> Any:
        if isinstance(x, Pose):
            R = _rotation_symbols(trace, x.R)
            values.extend(e for row in R for e in row)
            return Pose(R, tuple(supply("length", e) for e in x.p))
        if isinstance(x, Moments):
            return _visit(x, kind, supply)
        if dataclasses.is_dataclass(x) and not isinstance(x, type):
            return type(x)(*[visit(getattr(x, d.name), _KINDS.get(d.name, kind)) for d in dataclasses.fields(x)])
        if isinstance(x, tuple):
            return tuple(visit(e, kind) for e in x)
        return supply(kind, x)

    return visit(shape, ""), values


def _rotation_symbols(trace: Trace, R: Any) -> Any:
    """Symbols for the free entries of a rotation; where the zeros allow it, every sample is a true rotation."""
    free = [(i, j) for i in range(3) for j in range(3) if R[i][j] is None]
    if not free:
        return R
    if len(free) == 9:
        samples = [_random_rotation(trace) for _ in range(SAMPLES)]
    elif len(free) == 4 and len({i for i, _ in free}) == 2:
        samples = [_random_turn(trace, R, free) for _ in range(SAMPLES)]
    else:
        samples = [[[trace.random.uniform(-1.0, 1.0) for _ in range(3)] for _ in range(3)] for _ in range(SAMPLES)]
    made = {(i, j): trace.symbol([s[i][j] for s in samples], settled=True) for i, j in free}
    return tuple(tuple(made.get((i, j), R[i][j]) for j in range(3)) for i in range(3))


def _random_rotation(trace: Trace) -> list[list[float]]:
    w, x, y, z = _unit([trace.random.gauss(0.0, 1.0) for _ in range(4)])
    return [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]


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
