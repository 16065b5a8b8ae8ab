"""Triples of numbers as users write them: checked, finite, plain tuples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from linkwork.errors import ModelError, Problem
from linkwork.model.dimensions import Lets, followed, kept, scope
from linkwork.model.text_values import in_si, looks_like_number
from linkwork.units import Dimension

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


def numbers(
    value: Any, count: int | None, where: str, measures: Dimension | Sequence[Dimension] | None = None
) -> tuple[float, ...]:
    """`value` as a tuple of finite floats (`count` of them when given).

    measures : what they are, or each of them, where a text may stand for one: "50 mm", "crank/2"
    """
    try:
        items = tuple(value)
        if isinstance(value, str | Mapping) or any(isinstance(v, bool) for v in items):
            raise TypeError
        if any(isinstance(v, str) for v in items):
            each = [measures] * len(items) if measures is None or isinstance(measures, Dimension) else measures
            items = tuple(said(v, d, where) for v, d in zip(items, each, strict=len(each) == len(items)))
            if any(isinstance(v, str) for v in items):
                raise TypeError
        result = tuple(kept(v) for v in items)
    except ModelError:
        raise
    except (TypeError, ValueError, OverflowError):
        raise ModelError(Problem(f"{_brief(value)} is not a list of numbers", where)) from None
    if count is not None and len(result) != count:
        raise ModelError(Problem(f"{count} numbers are wanted, {len(result)} are given", where))
    if not all(math.isfinite(v) for v in result):
        raise ModelError(Problem(f"{_brief(value)} has a number that is not finite", where))
    if any(abs(v) > LARGEST for v in result):
        raise ModelError(Problem(f"{_brief(value)} has a number beyond {LARGEST:g}", where))
    return result


def vector(value: Any, where: str, measures: Dimension | None = None) -> Vector:
    """A point or a free vector: three finite numbers (metres, or a direction)."""
    here = scope()
    if here is not None and getattr(here.of, "in_plane", False) and isinstance(value, list | tuple) and len(value) == 2:
        value = (*value, 0.0)
    x, y, z = numbers(value, 3, where, measures)
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


def said(value: Any, measures: Dimension | None, where: str) -> Any:
    """The number that a text stands for: with a unit, or arithmetic of dimensions (`let`).

    measures : what it is; a unit is refused where that is not known
    """
    here = scope()
    lets = {} if here is None else here.lets
    if not isinstance(value, str) or not (lets or (measures and looks_like_number(value))) or _is_bare(value):
        return value
    try:
        return (
            in_si(value, measures, where)
            if measures and looks_like_number(value)
            else _of_lets(value, lets, measures, where)
        )
    except ModelError:
        if not lets:
            raise
        return _of_lets(value, lets, measures, where)


def _is_bare(text: str) -> bool:
    """Whether a text is a plain number, whose unit nobody told: it is refused, as any other text."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _of_lets(text: str, lets: Lets, measures: Dimension | None, where: str) -> float:
    return followed(text, lets, measures, where=where)[0]


def number(value: Any, where: str, measures: Dimension | None = None) -> float:
    """One finite number.

    measures : what it is, where a text may stand for it: "800 g", "crank/2"
    """
    value = said(value, measures, where)
    if isinstance(value, bool | str | Sequence):
        raise ModelError(Problem(f"{_brief(value)} is not a number", where))
    try:
        result = kept(value)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(Problem(f"{_brief(value)} is not a number", where)) from None
    if not math.isfinite(result):
        raise ModelError(Problem(f"{result} is not finite", where))
    if abs(result) > LARGEST:
        raise ModelError(Problem(f"{result:g} is beyond {LARGEST:g}", where))
    return result


def positive(value: Any, where: str, measures: Dimension | None = None) -> float:
    """One finite number above zero."""
    result = number(value, where, measures)
    if result <= 0.0:
        raise ModelError(Problem(f"{result:g} is not positive", where))
    return result


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
