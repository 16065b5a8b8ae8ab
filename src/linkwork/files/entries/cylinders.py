"""Cylinders, struts and linear motors between two points in a model file."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from linkwork.files.entries.base import Entry, Text
from linkwork.files.quantities import Length, Mass, Pair
from linkwork.model.mechanism import Mechanism

SECTION = "cylinders"


class CylinderEntry(Entry):
    """Barrel and rod between two points, with their joints; the slide between them has the name."""

    between: Pair = Field(description="points: of the barrel's end, of the rod's")
    masses: tuple[Mass, Mass] | None = Field(None, description="of barrel and rod")
    length: tuple[Length | None, Length | None] | None = Field(None, description="shortest and longest, point to point")
    description: Text = ""

    def add(self, m: Mechanism, name: str) -> None:
        """Add the cylinder to a mechanism."""
        given: dict[str, Any] = {"masses": self.masses, "length": self.length, "description": self.description}
        m.cylinder(name, *self.between, **given)
