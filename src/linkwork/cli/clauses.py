"""Clauses of a text: parts, words, names, and what stands on the sides of comparisons. Nothing is evaluated."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from linkwork.errors import InputError, ModelError, Problem
from linkwork.expressions import names_in

T = TypeVar("T")
FALLING, RISING = ("<", "<=", "≤"), (">", ">=", "≥")
_ENCLOSED = re.compile(r"'[^']*'|\"[^\"]*\"|\([^()]*\)")
_COMPARISON = re.compile(r"<=|>=|<|>|==?|≤|≥")
_NUMBER = re.compile(r"[-+−]?\s*\.?[0-9]")


class Several:
    """Reads several things in spite of errors, and keeps the problems of all."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def __call__(self, read: Callable[[], T]) -> T | None:
        """What was read; None with its problems kept."""
        try:
            return read()
        except ModelError as error:
            self.problems += error.problems
            return None

    def wrong(self, what: str, hint: str) -> None:
        """One problem."""
        self.problems.append(Problem(what, hint=hint))


def parted(text: str) -> list[str]:
    """Clauses with ';' between them."""
    return [part.strip() for part in text.split(";")]


def first_word(clause: str) -> tuple[str, str]:
    """The first word of a clause, and the rest."""
    key, _, rest = clause.replace("=", " = ", 1).partition(" ")
    return key, rest.strip()


def names(text: str) -> list[str]:
    """Names with ',' between them."""
    found = [name.strip() for name in text.split(",")]
    wrong = [name for name in found if " " in name or not name]
    if wrong:
        hint = "part names with ',' and actions with ';'"
        raise InputError([Problem(f"'{name}' is not a name", hint=hint) for name in wrong])
    return found


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
