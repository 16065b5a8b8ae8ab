"""What is wrong, where, and what to try: the errors of Linkwork, and the problems that they list."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Literal

Severity = Literal["error", "warning", "note"]


class Line(int):
    """A line of a file (1-based); `file` names it where it is another one than the model's, which includes it."""

    file: str

    def __new__(cls, line: int, file: str = "") -> Line:
        """Line so and so of a file."""
        made = super().__new__(cls, line)
        made.file = file
        return made


@dataclass(frozen=True)
class Problem:
    """One finding about a model.

    `where` is a path of names (`joints.A.axis`), `line` the line in the model file (1-based) when there is one, a
    `Line` where it stands in an included file, `hint` what to try.
    """

    what: str
    where: str = ""
    hint: str = ""
    line: int | None = None
    severity: Severity = "error"

    @property
    def file(self) -> str:
        """The included file that the line is of; "" where it is the model's own."""
        return self.line.file if isinstance(self.line, Line) else ""

    @property
    def place(self) -> str:
        """Line and path, as far as they are known."""
        line = f"line {self.line}{f' of {self.file}' if self.file else ''}" if self.line else ""
        return ", ".join(text for text in (line, self.where) if text)

    def __str__(self) -> str:
        place = self.place
        text = f"{place}: {self.what}" if place else self.what
        return f"{text}; {self.hint}" if self.hint else text

    def as_dict(self) -> dict[str, str | int | None]:
        """The problem as plain data, for JSON."""
        own = {"severity": self.severity, "what": self.what, "where": self.where, "hint": self.hint, "line": self.line}
        return {**own, "file": self.file} if self.file else own


class LinkworkError(Exception):
    """Base of every error that Linkwork raises on purpose: carries *every* problem found, not the first.

    problems : what is wrong, where, and what to try, one `Problem` each
    source : the model, file or kernel that they are about; "" if there is none
    """

    def __init__(self, problems: Iterable[Problem] | Problem | str = (), source: str = "") -> None:
        if isinstance(problems, str):
            problems = [Problem(problems)]
        elif isinstance(problems, Problem):
            problems = [problems]
        self.problems: tuple[Problem, ...] = tuple(problems)
        self.source = source
        super().__init__(str(self))

    def __str__(self) -> str:
        title = f"{self.source}: " if self.source else ""
        if len(self.problems) == 1:
            return f"{title}{self.problems[0]}"
        lines = "\n".join(f"  {i}. {p}" for i, p in enumerate(self.problems, 1))
        return f"{title}{len(self.problems)} problems\n{lines}"

    def __reduce__(self) -> tuple[object, ...]:
        # Pickled with its problems: by itself an exception is made again from its text alone.
        return _restored, (type(self), self.args), self.__dict__


def _restored(kind: type[LinkworkError], args: tuple[object, ...]) -> LinkworkError:
    return kind.__new__(kind, *args)


class ModelError(LinkworkError, ValueError):
    """A model that is not sound."""


class InputError(ModelError):
    """A wrong argument of a call: an unknown name, a wrong shape or unit, an option that there is not.

    It is a `ModelError` as well, so that code that catches this for arguments goes on; what should tell the two apart
    catches `InputError` first.
    """


class Gathered:
    """Wrong arguments that several checks find, told at once.

    >>> told = Gathered("arm")
    >>> for text in ("A", "B"):
    ...     with told:
    ...         raise InputError(f"there is no joint '{text}'")
    >>> len(told.problems)
    2
    """

    def __init__(self, source: str = "", problems: Iterable[Problem] = ()) -> None:
        self.source = source
        self.problems = list(problems)

    def __enter__(self) -> None:
        """A check begins."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """What it finds wrong about arguments is kept; every other error goes on."""
        if isinstance(error, InputError):
            self.problems += error.problems
            return True
        return False

    def tell(self) -> None:
        """InputError with everything that was found, if there is anything."""
        if self.problems:
            raise InputError(self.problems, self.source)


class MissingExtra(LinkworkError, ImportError):
    """An optional library is not installed; the message says how to get it."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(Problem(f"{purpose} needs {library}", hint=f"pip install 'linkwork[{extra}]'"))

    def __str__(self) -> str:
        return ", ".join(f"{p.what}: {p.hint}" for p in self.problems)


MANY_NAMES = 200


LIKE = 0.7
"""Likeness from which on a name is near whatever its letters are; below, few of them may differ."""


def nearest(word: str, known: Iterable[str], likeness: float = 0.65) -> str:
    """The known name that is spelled most alike, '' where none is as much alike as told (1 for the same).

    Large and small letters alone make no other name; one that is 'ground' was not meant by 'rod'.
    """
    names = list(known)
    if same := next((name for name in names if name.casefold() == word.casefold()), ""):
        return same
    found = next(iter(difflib.get_close_matches(word, names, n=1, cutoff=likeness)), "")
    if not found or difflib.SequenceMatcher(None, found, word).ratio() >= LIKE or _edits(word, found) <= 2:
        return found
    return ""


def _edits(a: str, b: str) -> int:
    """Letters to change, add or leave out to make one word of the other."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint such as "did you mean 'mass'?", or the list of what there is when nothing is near."""
    names = list(known)
    if len(names) > MANY_NAMES:  # comparing with all would take long; near names have about the same length
        names = [n for n in names if abs(len(n) - len(word)) <= 1][:MANY_NAMES] or names[:MANY_NAMES]
    if near := nearest(word, names):
        return f"did you mean '{near}'?"
    if not names:
        return ""
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"there is: {shown}"
