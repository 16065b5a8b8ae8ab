"""Torques on bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.model.amounts import Amount
from linkwork.model.loads.directions import Direction
from linkwork.model.loads.load import Acts, Load, Much, Named, OnWholeBody, Section, Way
from linkwork.model.loads.load_makers import started
from linkwork.units import TORQUE


@dataclass(frozen=True)
class Torque(Load):
    """A torque [N m] on a body."""

    name: str
    body: str
    about: Direction
    amount: Amount
    description: str = ""

    sections = (
        Section(
            "torques",
            "torque",
            "A torque on a body, about an axis in space or of a body, or along the line from one point to another.",
        ),
    )
    keys = (Named("body"), Way("about", turns="axis"), Much("amount", TORQUE))
    magnitude = "torque"
    measure = TORQUE

    @property
    def acts(self) -> Acts:
        return OnWholeBody(self.body, self.about)

    @classmethod
    def made(cls, name: Any, body: Any, size: Any, about: Any, on: Any, toward: Any, description: str) -> Torque:
        """A torque on a body with every number checked."""
        part = started("torques", name, cls)
        owner = part.body(body)
        way = part.direction(about, on, toward, "about")
        much = part.amount(size, "amount")
        part.done()
        assert owner is not None and way is not None
        return Torque(name, owner, way, much, str(description))
