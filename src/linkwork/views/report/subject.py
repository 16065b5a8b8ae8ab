"""What a report is about: a machine, what a check says of it, and what it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from linkwork.analyses.check import Check
from linkwork.analyses.kinematics.travel import Travel
from linkwork.analyses.machine import Machine
from linkwork.colours import DARK, LIGHT, Theme
from linkwork.model.mechanism import Mechanism
from linkwork.results import Run
from linkwork.units import SI, Dimension, UnitSystem
from linkwork.views.default_motion import variable_dimensions


@dataclass(frozen=True)
class Subject:
    """Everything that sections may ask.

    machine, check : the machine at the posture from which it starts, and what is noticed about its model
    run : what it does, None where it cannot move; why_still : the reason
    told : what is driven how, by variable, in words
    travel : of the variable that moves where none was chosen
    title : of the page; command : how to write it again; dark : whether it is dark for every reader
    """

    machine: Machine
    check: Check
    run: Run | None
    why_still: str
    told: Mapping[str, str]
    travel: Travel | None
    title: str
    command: str
    dark: bool

    @property
    def mechanism(self) -> Mechanism:
        """The model."""
        return self.machine.mechanism

    @property
    def units(self) -> UnitSystem:
        """Units to show: those of the model's file."""
        source = self.mechanism.source
        return SI if source is None else source.units

    @property
    def theme(self) -> Theme:
        """Colours of what is coloured when the page is written."""
        return DARK if self.dark else LIGHT

    @property
    def changed(self) -> tuple[str, ...]:
        """Parameters of the machine that were given other values than the model's."""
        return tuple(self.machine._overrides)

    @cached_property
    def dimensions(self) -> dict[str, Dimension]:
        """What the joint variables measure, by full name."""
        return variable_dimensions(self.machine)
