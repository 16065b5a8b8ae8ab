"""How much a load is, in a model file: a number with its unit, a formula, or a table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from pydantic import WithJsonSchema

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.expressions import names_in
from linkwork.files.entries.base import Gather, located
from linkwork.files.quantities import quantity
from linkwork.model import amounts
from linkwork.model.amounts import Amount, Formula, Steady
from linkwork.model.dimensions import scope
from linkwork.units import Dimension, UnitSystem

_QUANTITY = re.compile(
    r"[-+−]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?:\s*/\s*[0-9.]+)?\s*(?:[A-Za-zµμ°%].*)?", re.DOTALL
)
_FORMS = {"formula": ("formula", "unit"), "table": ("table", "over", "smooth")}

AMOUNT_SCHEMA = {
    "anyOf": [
        {"type": ["number", "string"]},
        {
            "type": "object",
            "required": ["formula"],
            "properties": {
                "formula": {"type": ["string", "number"]},
                "unit": {"type": ["string", "number"], "description": "of its values; SI unless given"},
            },
            "additionalProperties": False,
        },
        {
            "type": "object",
            "required": ["table"],
            "properties": {
                "table": {
                    "type": "array",
                    "minItems": 2,
                    "items": {"type": "array", "items": {"type": ["number", "string"]}, "minItems": 2, "maxItems": 2},
                },
                "over": {"type": "string", "description": "t, a variable, rate(...), or of a spring x; t unless given"},
                "smooth": {"type": "boolean", "description": "true: a natural cubic spline"},
            },
            "additionalProperties": False,
        },
    ],
    "description": "a number, possibly with a unit; the text of a formula; {formula, unit}; or {table, over, smooth}",
}
AmountText = Annotated[Any, WithJsonSchema(AMOUNT_SCHEMA)]

Measure = Callable[[str], Dimension]
"""What a name that amounts depend on measures."""


def is_quantity(text: str) -> bool:
    """Whether a text is a number with or without a unit, and not a formula."""
    return bool(_QUANTITY.fullmatch(text.strip()))


def read_amount(value: Any, dimension: Dimension, measure: Measure, units: UnitSystem, where: str) -> Amount:
    """An amount of this dimension; `measure` tells what a table is over."""
    if isinstance(value, dict):
        return _form(value, dimension, measure, units, where)
    if isinstance(value, str) and not is_quantity(value):
        return amounts.amount(value, where)
    try:
        return Steady(located(lambda: quantity(value, dimension, units), where))
    except ModelError:
        if not isinstance(value, str) or not _is_formula(value, measure):
            raise
        return amounts.amount(value, where)


def _is_formula(text: str, measure: Measure) -> bool:
    """Whether a text that begins with a quantity is arithmetic of what is there: 12 N/mm*C.slide."""
    here = scope()
    lets = {} if here is None else here.lets
    try:
        names = [name for name in names_in(text) if name not in lets]
        for name in names:
            measure(name)
    except ModelError:
        return False
    return bool(names)


def _form(value: dict[str, Any], dimension: Dimension, measure: Measure, units: UnitSystem, where: str) -> Amount:
    forms = [form for form in _FORMS if form in value]
    if len(forms) != 1:
        text = "a formula and a table at once" if forms else "neither a formula nor a table"
        raise ModelError(Problem(text, where, "write a number, {formula, unit}, or {table, over, smooth}"))
    strange = [key for key in value if key not in _FORMS[forms[0]]]
    if strange:
        hints = {key: did_you_mean(key, _FORMS[forms[0]]) for key in strange}
        raise ModelError([Problem(f"unknown key '{k[:60]}'", f"{where}.{k[:60]}", hints[k]) for k in strange])
    if forms == ["formula"]:
        return _formula(value, dimension, units, where)
    return _table(value, dimension, measure, units, where)


def _formula(value: dict[str, Any], dimension: Dimension, units: UnitSystem, where: str) -> Amount:
    with Gather() as part:
        unit = part(_unit, value.get("unit"), dimension, units, f"{where}.unit")
        made = part(_text, value["formula"], f"{where}.formula")
    assert unit is not None and made is not None
    if isinstance(made, Steady):  # plain arithmetic is a number
        return located(lambda: amounts.amount(made.value * unit, where), where)
    return replace(made, unit=unit)


def _unit(unit: Any, dimension: Dimension, units: UnitSystem, where: str) -> float:
    """The unit of a formula's values: a name such as kN, a quantity such as 9.81 N; SI where none is given."""
    if unit is None:
        return 1.0
    given = f"1 {unit}" if isinstance(unit, str) and not is_quantity(unit) else unit
    scale = located(lambda: quantity(given, dimension, units), where)
    if scale <= 0.0:
        raise ModelError(Problem("the unit is not positive", where, "such as kN, or 1000 N"))
    return scale


def _text(text: Any, where: str) -> Formula | Steady:
    given = str(text) if type(text) in (int, float) else text
    if not isinstance(given, str):
        raise ModelError(Problem("an expression must be text", where, "such as 2*t + 1"))
    made = amounts.amount(given, where)
    assert isinstance(made, Formula | Steady)
    return made


def _table(value: dict[str, Any], dimension: Dimension, measure: Measure, units: UnitSystem, where: str) -> Amount:
    over, rows, smooth = str(value.get("over", amounts.TIME)), value["table"], value.get("smooth", False)
    place = f"{where}.table"
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == 2 for row in rows):
        raise ModelError(Problem("a list of pairs is wanted", place, "such as [[0, 0 N], [1, 5 N]]"))
    with Gather() as part:
        if not isinstance(smooth, bool):
            part.problems.append(Problem(f"{smooth} is not true or false", f"{where}.smooth"))
        along = part(located, lambda: measure(over), f"{where}.over")
        xs = [
            0.0 if along is None else part(located, lambda x=x: quantity(x, along, units), f"{place}[{i}][0]")
            for i, (x, _) in enumerate(rows)
        ]
        ys = [
            part(located, lambda y=y: quantity(y, dimension, units), f"{place}[{i}][1]")
            for i, (_, y) in enumerate(rows)
        ]
    return located(lambda: amounts.tabulated(xs, ys, over=over, smooth=smooth), place)
