"""Freedoms inside bodies in a model file: a section for each kind."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from linkwork.files.entries.base import Entry, Text
from linkwork.files.quantities import Direction, Name, Point
from linkwork.files.words import direction_words, pruned
from linkwork.model.inner import Inner, Stretch
from linkwork.model.mechanism import Mechanism


class StretchEntry(Entry):
    """A body that stretches or shears evenly: places move in proportion to how far along a line they lie."""

    body: Name
    start: Point = Field(description="what stays in place")
    end: Point = Field(description="what moves by the variable `slide`")
    toward: Direction | None = Field(None, description="direction in which places move; along the line unless given")
    description: Text = ""

    def add(self, m: Mechanism, name: str) -> None:
        """Add it to a mechanism."""
        m.stretch(name, self.body, self.start, self.end, toward=self.toward, description=self.description)

    @staticmethod
    def told(inner: Inner) -> dict[str, Any]:
        """What a file says of it."""
        law = inner.law
        assert isinstance(law, Stretch)
        toward = None if law.toward is None else direction_words(law.toward)
        told = {"body": inner.body, "start": list(law.start), "end": list(law.end), "toward": toward}
        return pruned({**told, "description": inner.description})


INNER = {Stretch.section: StretchEntry}
"""Entries by section."""


def inner_sections(m: Mechanism) -> dict[str, dict[str, Any]]:
    """Sections of a file for what moves inside bodies."""
    found: dict[str, dict[str, Any]] = {section: {} for section in INNER}
    for inner in m.inner.values():
        found[inner.law.section][inner.name] = INNER[inner.law.section].told(inner)
    return found
