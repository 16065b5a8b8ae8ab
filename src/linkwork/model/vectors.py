"""Triples of numbers as users write them: checked, finite, plain tuples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from linkwork.errors import ModelError, Problem

Vector = tuple[float, float, float]

ZERO: Vector = (0.0, 0.0, 0.0)

_NAMED_AXES: dict[str, Vector] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}
AXIS_NAMES = {value: name for name, value in _NAMED_AXES.items()}


LARGEST = 1e30  # beyond it squares and cubes of lengths would overflow


def numbers(value: Any, count: int | None, where: str) -> tuple[float, ...]:
    """`value` as a tuple of finite floats (`count` of them when given)."""
    try:
        items = tuple(value)
        if isinstance(value, str | Mapping) or any(isinstance(v, bool | str) for v in items):
            raise TypeError
        result = tuple(float(v) for v in items)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(Problem(f"{_brief(value)} is not a list of numbers", where)) from None
    if count is not None and len(result) != count:
        raise ModelError(Problem(f"{count} numbers are wanted, {len(result)} are given", where))
    if not all(math.isfinite(v) for v in result):
        raise ModelError(Problem(f"{_brief(value)} has a number that is not finite", where))
    if any(abs(v) > LARGEST for v in result):
        raise ModelError(Problem(f"{_brief(value)} has a number beyond {LARGEST:g}", where))
    return result


def vector(value: Any, where: str) -> Vector:
    """A point or a free vector: three finite numbers (metres, or a direction)."""
    x, y, z = numbers(value, 3, where)
    return (x, y, z)


def direction(value: Any, where: str) -> Vector:
    """A direction: three numbers that are not all zero, or one of x, y, z, -x, -y, -z. Its length is not used."""
    if isinstance(value, str):
        named = _NAMED_AXES.get(value.replace("+", "").strip())
        if named is None:
            hint = "write x, y, z, -x, -y, -z or three numbers"
            raise ModelError(Problem(f"'{value}' is not an axis", where, hint))
        return named
    result = vector(value, where)
    if math.hypot(*result) == 0.0:
        raise ModelError(Problem("the axis has zero length", where, "give a direction such as z or [0, 0, 1]"))
    return result


def number(value: Any, where: str) -> float:
    """One finite number."""
    if isinstance(value, bool | str | Sequence):
        raise ModelError(Problem(f"{_brief(value)} is not a number", where))
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(Problem(f"{_brief(value)} is not a number", where)) from None
    if not math.isfinite(result):
        raise ModelError(Problem(f"{result} is not finite", where))
    if abs(result) > LARGEST:
        raise ModelError(Problem(f"{result:g} is beyond {LARGEST:g}", where))
    return result


def positive(value: Any, where: str) -> float:
    """One finite number above zero."""
    result = number(value, where)
    if result <= 0.0:
        raise ModelError(Problem(f"{result:g} is not positive", where))
    return result


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
