"""Clauses of a text: parts, words, names. Nothing is evaluated."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from linkwork.errors import InputError, ModelError, Problem

T = TypeVar("T")


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
