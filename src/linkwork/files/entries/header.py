"""The units of bare numbers, in the header of a file and of a case."""

from __future__ import annotations

from pydantic import Field

from linkwork.files.entries.base import Entry, Text


class UnitsEntry(Entry):
    """Units of bare numbers; SI without."""

    length: Text = "m"
    angle: Text = "rad"
    mass: Text = "kg"
    time: Text = "s"
    force: Text = Field("", description="of forces, torques, stiffnesses; N unless given, lbf beside lb, oz or slug")
