"""Springs and dampers, along a joint variable or between two points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from linkwork.model.amounts import ELONGATION_RATE, Amount, Steady
from linkwork.model.loads.load import (
    Acts,
    AlongVariable,
    BetweenPoints,
    Load,
    Much,
    Number,
    Section,
    Symbol,
    Tied,
    of_damping,
    of_effort,
    of_quantity,
    of_stiffness,
)
from linkwork.model.loads.load_makers import started
from linkwork.model.variables import Owner


@dataclass(frozen=True)
class Spring(Load):
    """A spring, a damper, or both, along a joint variable or between two points.

    tension = preload + stiffness x + damping v + law(x, v, ...)

    where x is the elongation, the variable or the distance of the points less its `free` value, and v its rate. A
    tension pulls: it tends to shorten the distance, or to lower the variable.

    variable : of a joint; or else first, second : points
    free : value or length without tension; None for that of the layout
    stiffness [N/m, N m/rad], damping [N s/m, N m s/rad], preload [N, N m] : parameters
    """

    name: str
    variable: str | None = None
    first: str | None = None
    second: str | None = None
    stiffness: float = 0.0
    free: float | None = None
    damping: float = 0.0
    preload: float = 0.0
    law: Amount | None = None
    description: str = ""

    sections = (
        Section(
            "springs",
            "spring",
            "A spring between two points or in a joint: tension = preload + stiffness x + damping v + law.",
        ),
        Section(
            "dampers",
            "damper",
            "A damper between two points or in a joint: tension = damping v + law.",
            only=("between", "damping", "law"),
        ),
    )
    keys = (
        Tied(),
        Number("stiffness", of_stiffness),
        Number("free", of_quantity, word="free at"),
        Number("damping", of_damping, least=0.0),
        Number("preload", of_effort),
        Much("law", of_effort, word="law", elongation=True),
    )
    shown = ("stiffness", "damping", "preload", "free", "law")
    magnitude = "tension"

    @property
    def acts(self) -> Acts:
        if self.variable is not None:
            return AlongVariable(self.variable)
        return BetweenPoints(str(self.first), str(self.second))

    @property
    def is_damper(self) -> bool:
        """Whether it only resists motion: damping, or a law of its rate, and nothing else."""
        if self.stiffness or self.preload or self.free is not None:
            return False
        of_rate = self.law is not None and not isinstance(self.law, Steady) and self.law.names == (ELONGATION_RATE,)
        return of_rate or (self.law is None and self.damping != 0.0)

    @property
    def section(self) -> Section:
        return self.sections[1 if self.is_damper else 0]

    @property
    def symbol(self) -> Symbol:
        return "dashpot" if self.is_damper else "coil"

    @property
    def rest(self) -> float | None:
        return self.free

    def idle(self) -> str:
        nothing = self.stiffness == self.damping == self.preload == 0.0 and self.law is None
        return "it has neither stiffness nor damping, preload or law" if nothing else ""

    @classmethod
    def made(
        cls,
        section: str,
        joints: Mapping[str, Owner],
        name: Any,
        first: Any,
        second: Any,
        joint: Any,
        stiffness: Any,
        free: Any,
        damping: Any,
        preload: Any,
        law: Any,
        description: str,
    ) -> Spring:
        """A spring or damper with every number checked."""
        part = started(section, name, cls)
        ends = [part.point(end) for end in (first, second) if end is not None]
        if joint is not None and ends:
            part.wrong("points and a joint are both given", hint="keep the points or the joint")
        elif joint is None and len(ends) != 2:
            part.wrong("it is tied to nothing", hint="give two points, or a joint")
        elif joint is None and ends[0] == ends[1] is not None:
            part.wrong(f"both ends are the point '{ends[0]}'", hint="tie it to two different points")
        along = None if joint is None else part.variable(joints, joint)
        rest = None if free is None else part.number(free, "free")
        if rest is not None and rest < 0.0 and joint is None:
            part.wrong(f"the free length is negative: {rest:g} m", "free")
        numbers = part.number(stiffness, "stiffness"), part.number(damping, "damping")
        tension = part.number(preload, "preload")
        more = None if law is None else part.amount(law, "law")
        part.done()
        start, end = ends if joint is None else (None, None)
        return Spring(name, along, start, end, numbers[0], rest, numbers[1], tension, more, str(description))
