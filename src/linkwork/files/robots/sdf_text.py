"""SDFormat as text: values stand between tags."""

from __future__ import annotations

import math
from dataclasses import dataclass

from linkwork.files.robots.notes import Notes
from linkwork.files.robots.xml import Element
from linkwork.model.vectors import Vector


@dataclass
class Text:
    """Values of elements, with a problem by line where they are wrong."""

    root: Element
    notes: Notes

    def text(self, element: Element | None, tag: str) -> str | None:
        """The text of a child."""
        own = None if element is None else element.one(tag)
        return None if own is None else own.words()

    def numbers(self, at: Element, text: str) -> tuple[float, ...]:
        """The numbers of a text; none, and a problem, where there are not only numbers."""
        try:
            found = tuple(float(word) for word in text.split())
        except ValueError:
            found = ()
        if not found or not all(math.isfinite(x) for x in found):
            self.notes.wrong(f'"{text[:60]}" is not a list of numbers', at, at.tag)
            return ()
        return found

    def number(self, element: Element | None, tag: str, default: float = 0.0) -> float:
        """The number of a child."""
        own = None if element is None else element.one(tag)
        if own is None:
            return default
        found = self.numbers(own, own.words())
        if len(found) != 1:
            self.notes.wrong("one number is wanted", own, tag)
            return default
        return found[0]

    def bound(self, element: Element | None, tag: str) -> float | None:
        """A limit; None where there is none."""
        text = self.text(element, tag)
        if text is None or text in ("inf", "+inf", "-inf", "Inf", "-Inf"):
            return None
        value = self.number(element, tag)
        return value if abs(value) < 1e15 else None

    def vector(self, element: Element, tag: str, default: Vector) -> Vector:
        """The three numbers of a child."""
        own = element.one(tag)
        if own is None:
            return default
        found = self.numbers(own, own.words())
        if len(found) != 3:
            self.notes.wrong("three numbers are wanted", own, tag)
            return default
        return found[0], found[1], found[2]
