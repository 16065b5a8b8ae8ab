"""Numbers as people write them where Python wants SI: "30 deg", "1/4 in", "2*25 mm", lists. Bare ones are SI."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from linkwork.errors import InputError, ModelError, Problem
from linkwork.expressions import Expression, names_in
from linkwork.expressions.nodes import Number
from linkwork.units import SI, Dimension, UnitSystem, parse_quantity
from linkwork.units.quantities import parse_free


def in_si(value: Any, measures: Dimension | Sequence[Dimension] | None, where: str = "", units: UnitSystem = SI) -> Any:
    """The value in SI where it is text, or a list with texts in it; anything else as it is.

    measures : what is wanted, or that of each of a list; None where nothing tells, so that any unit will do
    units : of bare numbers within texts
    """
    if isinstance(value, str) and looks_like_number(value):
        one = measures if measures is None or isinstance(measures, Dimension) else measures[0]
        return _number(value, one, where, units)
    if isinstance(value, list | tuple) and any(isinstance(v, str) for v in value):
        each = [measures] * len(value) if measures is None or isinstance(measures, Dimension) else list(measures)
        if len(each) == len(value):
            return [_bare(in_si(v, d, where, units), v, d, units) for v, d in zip(value, each, strict=True)]
    return value


def looks_like_number(text: str) -> bool:
    """Whether a text begins as a number does; other texts are for whoever asked to refuse in his own words."""
    return text.strip().lstrip("+-−.")[:1].isdigit()


def _bare(found: Any, given: Any, measures: Dimension | None, units: UnitSystem) -> Any:
    """A plain number of a list beside texts has the units of these."""
    return found if isinstance(given, str) or measures is None else found * units.factor(measures)


def _number(text: str, measures: Dimension | None, where: str, units: UnitSystem) -> float:
    try:
        return parse_free(text)[0] if measures is None else parse_quantity(text, measures, units)
    except ModelError as error:
        found = _arithmetic(text)
        if found is None:
            raise InputError([replace(p, where=where or p.where) for p in error.problems]) from None
        return found


def _arithmetic(text: str) -> float | None:
    """The value of arithmetic of plain numbers and of numbers with units, SI: 2*25 mm. None where it is none."""
    try:
        if names_in(text):
            return None
        made = Expression(text, ())
    except ModelError:
        return None
    return None if isinstance(made.tree, Number) else float(made())


def told_at(error: ModelError, where: str) -> list[Problem]:
    """The problems of a text, told with the place where it was given."""
    return [replace(p, where=where) for p in error.problems]
