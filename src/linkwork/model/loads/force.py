"""Forces on points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.model.amounts import Amount
from linkwork.model.loads.directions import Direction
from linkwork.model.loads.load import Acts, Load, Much, Named, OnPoint, Section, Way
from linkwork.model.loads.load_makers import started
from linkwork.units import FORCE


@dataclass(frozen=True)
class Force(Load):
    """A force [N] on a point of a body."""

    name: str
    point: str
    along: Direction
    amount: Amount
    description: str = ""

    sections = (
        Section(
            "forces",
            "force",
            "A force on a point, along a direction in space or of a body, or from one point to another.",
        ),
    )
    keys = (Named("point"), Way("along", turns="direction"), Much("amount", FORCE))
    magnitude = "force"

    @property
    def acts(self) -> Acts:
        return OnPoint(self.point, self.along)

    @classmethod
    def made(cls, name: Any, point: Any, size: Any, along: Any, on: Any, toward: Any, description: str) -> Force:
        """A force on a point with every number checked."""
        part = started("forces", name, cls)
        at = part.point(point)
        way = part.direction(along, on, toward, "along")
        much = part.amount(size, "amount")
        part.done()
        assert at is not None and way is not None
        return Force(name, at, way, much, str(description))
