"""Comparisons as text, such as "tip.z < 100mm": what stands on their sides, and the zero that is crossed there.

Nothing is evaluated.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from linkwork.errors import InputError, ModelError, Problem
from linkwork.expressions.expression import Expression, names_in
from linkwork.expressions.units_in_text import quantities_in

FALLING, RISING = ("<", "<=", "≤"), (">", ">=", "≥")
_ENCLOSED = re.compile(r"'[^']*'|\"[^\"]*\"|\([^()]*\)")
_COMPARISON = re.compile(r"<=|>=|<|>|==?|≤|≥")
_NUMBER = re.compile(r"[-+−]?\s*\.?[0-9]")


Value = TypeVar("Value")


@dataclass(frozen=True)
class Comparison:
    """An expression beside a number.

    what : the expression; limit : the number as text, perhaps with a unit
    above : whether it is true above the number; None where both are to be equal
    """

    what: str
    limit: str
    above: bool | None

    def crossing(self, value: float) -> tuple[str, Literal["both", "rising"]]:
        """The expression whose zero counts, and which crossings do; it rises where an inequality becomes true.

        value : of the number, SI
        """
        plain = names_in(self.what) == (self.what.strip("'"),)
        what = self.what if plain else f"({self.what})"
        if self.above is False:
            return f"{value!r} - {what}", "rising"
        return f"{what} - {value!r}", "rising" if self.above else "both"


def comparison(text: str, hint: str = "") -> Comparison | None:
    """What a text compares with a number; None where it compares nothing, InputError where there is no number."""
    parts, signs = compared(text)
    if len(parts) > 2 or not all(parts):
        raise InputError(Problem(f"'{text}' is no condition", hint=hint))
    if len(parts) == 1:
        return None
    limit = number_side(parts)
    above = (signs[0] in RISING) == (limit == 1) if signs[0] in FALLING + RISING else None
    return Comparison(parts[1 - limit], parts[limit], above)


def limit_value(text: str, read: Callable[[str], Value]) -> Value | float:
    """The number beside a comparison: a quantity, or arithmetic in SI with constants, such as "30*deg" or "pi/6".

    read : reads a quantity, and tells what is wrong with it
    """
    try:
        return read(text)
    except ModelError:
        with contextlib.suppress(ModelError):
            if not quantities_in(text):
                return float(Expression(text, ())())
        raise


def compared(text: str) -> tuple[list[str], list[str]]:
    """What stands between comparisons, and these; those within brackets belong to the arithmetic."""
    hidden = text
    while _ENCLOSED.search(hidden):
        hidden = _ENCLOSED.sub(lambda found: "_" * len(found[0]), hidden)
    found = list(_COMPARISON.finditer(hidden))
    edges = [0, *(edge for match in found for edge in match.span()), len(text)]
    return [text[a:b].strip() for a, b in zip(edges[::2], edges[1::2], strict=True)], [match[0] for match in found]


def number_side(parts: list[str]) -> int:
    """Which of the two sides of a comparison is a number, perhaps with a unit."""
    numbers = [k for k, text in enumerate(parts) if _is_number(text)]
    if not numbers:
        what = f"neither '{parts[0]}' nor '{parts[1]}' is a number"
        raise InputError(Problem(what, hint="write the difference on one side, such as 'A - B > 0'"))
    return numbers[-1]


def _is_number(text: str) -> bool:
    try:
        return not names_in(text)
    except ModelError:  # 60deg is no arithmetic
        return _NUMBER.match(text) is not None
