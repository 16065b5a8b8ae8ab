"""Which constants belong to the structure: exact zeros, and ones in rotations. The others become run-time symbols.

A *pattern* holds one entry per constant: a float that is folded into the equations, or None for a run-time value.
Values that break a pattern (an offset that is no longer zero) need equations of their own; values that merely happen to
be zero where the pattern has None do not.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from linkwork.equations.plan import Constants, Moments, Pose
from linkwork.equations.rotation_samples import is_turn, random_rotation, random_turn
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
    names = _fields(type(x))
    if names:
        return type(x)(*[_visit(getattr(x, name), name == "R", f) for name in names])
    if isinstance(x, tuple):
        return tuple([_visit(e, rotation, f) for e in x])
    return f(rotation, x)


def _fields(kind: Any) -> tuple[str, ...]:
    """Names of the fields of a record, none of anything else."""
    known = _records.get(kind)
    if known is None:
        fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
        known = _records[kind] = tuple(d.name for d in fields)
    return known


_records: dict[type, tuple[str, ...]] = {}


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


def symbols(trace: Trace, structure: Constants, independent: bool = False) -> tuple[Constants, list[Any]]:
    """Constants as symbols where a structure has None; samples of rotations are rotations.

    structure : constants rebuilt with their pattern
    independent : entries of rotations are numbers of their own, as derivatives by single ones want it
    """
    supply = _Supply(trace, independent)
    return supply.given(structure), supply.values


class _Supply:
    """Makes symbols for what is free in a structure, one after the other."""

    def __init__(self, trace: Trace, independent: bool) -> None:
        self.trace, self.independent = trace, independent
        self.values: list[Any] = []

    def given(self, x: Any) -> Any:
        """The same structure with symbols."""
        if isinstance(x, Pose):  # all entries of a rotation at once; the order stays that of `flatten`
            R = _rotation_symbols(self.trace, x.R, self.independent)
            self.values.extend(e for row in R for e in row)
            return Pose(R, tuple(self._one(e) for e in x.p))
        if isinstance(x, Moments):
            return _visit(x, False, lambda rotation, folded: self._one(folded))
        names = _fields(type(x))
        if names:
            return type(x)(*[self.given(getattr(x, name)) for name in names])
        if isinstance(x, tuple):
            return tuple([self.given(e) for e in x])
        return self._one(x)

    def _one(self, folded: float | None) -> Any:
        self.values.append(self.trace.symbol(settled=True) if folded is None else folded)
        return self.values[-1]


def _rotation_symbols(trace: Trace, R: Any, independent: bool) -> Any:
    """Symbols for the free entries of a rotation; where the zeros allow it, every sample is a true rotation."""
    free = [(i, j) for i in range(3) for j in range(3) if R[i][j] is None]
    if not free:
        return R
    if len(free) == 9 and not independent:
        samples = [random_rotation(trace) for _ in range(SAMPLES)]
    elif not independent and is_turn(R, free):
        samples = [random_turn(trace, R, free) for _ in range(SAMPLES)]
    else:
        samples = [[[trace.random.uniform(0.1, 0.9) for _ in range(3)] for _ in range(3)] for _ in range(SAMPLES)]
    made = {(i, j): trace.symbol([s[i][j] for s in samples], settled=True) for i, j in free}
    return tuple(tuple(made.get((i, j), R[i][j]) for j in range(3)) for i in range(3))
