"""Numbers of a drive as users write them: every problem is collected, and told at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from linkwork.errors import InputError, Problem

LARGEST = 1e30
SMALLEST = 1e-30
"""Between these, durations and speeds make rates, accelerations and jerks that neither overflow nor vanish."""

MANY = 5


class Checks:
    """Collects what is wrong with the numbers of one drive.

    A number that is wrong is answered with nan, to which no further comparison applies; `done` raises before it can
    go anywhere.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.problems: list[Problem] = []

    def problem(self, what: str, hint: str) -> None:
        """Notes one problem."""
        self.problems.append(Problem(what, self.where, hint))

    def done(self) -> None:
        """Raises everything that was found."""
        if self.problems:
            raise InputError(self.problems)

    def number(self, name: str, value: Any) -> float:
        """One finite number."""
        hint = "give a number in SI units (m, rad, s)"
        if isinstance(value, bool | str | bytes):
            self.problem(f"the {name} is {_brief(value)}, not a number", hint)
            return math.nan
        try:
            result = float(value)
        except (TypeError, ValueError, OverflowError):
            self.problem(f"the {name} is {_brief(value)}, not a number", hint)
            return math.nan
        if not math.isfinite(result):
            self.problem(f"the {name} is {result}, not finite", hint)
            return math.nan
        if abs(result) > LARGEST:
            self.problem(f"the {name} {result:g} is beyond {LARGEST:g}", hint)
            return math.nan
        return result

    def positive(self, name: str, value: Any, unit: str, hint: str = "") -> float:
        """One number above zero."""
        result = self.number(name, value)
        if result <= 0.0:
            self.problem(f"the {name} is {result:g} {unit}".rstrip(), hint or "it must be above zero")
            return math.nan
        if result < SMALLEST:
            self.problem(f"the {name} {result:g} {unit} is below {SMALLEST:g}", "give a larger one")
            return math.nan
        return result

    def speed(self, value: Any) -> float:
        """The size of a speed; its direction follows from the way."""
        result = self.number("speed", value)
        if math.isnan(result):
            return result
        return self.positive("speed", abs(result), "per second", "it must not be zero")

    def lasting(self, duration: float, hint: str) -> float:
        """A duration that follows from other numbers."""
        if not SMALLEST <= duration <= LARGEST:
            self.problem(f"it would last {duration:g} s", hint)
        return duration

    def way(self, start: Any, end: Any) -> tuple[float, float]:
        """Two different ends of a move."""
        first, last = self.number("start", start), self.number("end", end)
        if first == last:
            hint = f"to stay, use dwell({first:g}, duration=...) or constant({first:g})"
            self.problem(f"the range is empty: it starts and ends at {first:g}", hint)
        return first, last

    def numbers(self, name: str, values: Any) -> tuple[float, ...]:
        """A list of finite numbers; its first wrong ones are named."""
        try:
            if isinstance(values, str | bytes | Mapping):
                raise TypeError
            items = tuple(values)
        except TypeError:
            self.problem(f"the {name}s are {_brief(values)}, not a list of numbers", "give a list such as [0, 1, 2]")
            return ()
        inner = Checks(self.where)
        result = tuple(inner.number(f"{name} number {i}", v) for i, v in enumerate(items, 1))
        self.several(inner.problems)
        return result

    def several(self, problems: list[Problem]) -> None:
        """Takes over many problems of one kind: some of them, and how many more there are."""
        self.problems += problems[:MANY]
        if len(problems) > MANY:
            self.problem(f"{len(problems) - MANY} more of this kind", problems[0].hint)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def plain(value: float) -> str:
    """A number for reading: four digits, and no minus before zero."""
    return f"{value + 0.0:.4g}"
