"""What happened in a simulation: rows of numbers from compiled loops, and records; made into records when asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.simulation.active_set import ActiveSet
from linkwork.analyses.simulation.records import records_of
from linkwork.geometry import Array
from linkwork.numerics.stepping.active_rows import CHAPTERS, LOGGED
from linkwork.results.happenings import Happening

LOST, CHANGED = 0.0, 1.0
"""As in `numerics.stepping.active`: jumps of the energy in impacts, or by what events and drives change."""


@dataclass
class Journal:
    """Events, and jumps of the energy, in order.

    modes, loops : whose events these are; since : time of the last event or corner [s]
    """

    modes: ActiveSet
    loops: Loops
    since: float = 0.0
    _log: list[Array | Happening] = field(default_factory=list)
    _jumps: list[Array] = field(default_factory=list)
    _events: tuple[Happening, ...] | None = None

    def record(self, record: Happening) -> None:
        """Note an event."""
        self._log.append(record)
        self.since = max(self.since, record.time)

    def jump(self, t: float, jump: float, kind: float) -> None:
        """Note a jump of the energy [J]."""
        self._jumps.append(np.array([[t, jump, kind]]))
        self.since = max(self.since, t)

    def take(self, active: Any) -> list[list[float]]:
        """Take over what compiled functions have logged; returns since when [s] loads are on or off, one a row."""
        logged, jumps, chapters = active.counts[LOGGED : CHAPTERS + 1].tolist()
        if not (logged or jumps or chapters):
            return []
        if logged:
            self._log.append(active.log[:logged].copy())
            self.since = max(self.since, float(active.log[:logged, 2].max()))
        if jumps:
            self._jumps.append(active.jumps[:jumps].copy())
            self.since = max(self.since, float(active.jumps[:jumps, 0].max()))
        active.counts[LOGGED : CHAPTERS + 1] = 0
        found: list[list[float]] = active.chapters[:chapters].tolist()
        return found

    def events(self) -> tuple[Happening, ...]:
        """All events of a simulation that has ended."""
        if self._events is None:
            self._events = tuple(self.happened)
        return self._events

    @property
    def happened(self) -> list[Happening]:
        """Events so far, as records."""
        found: list[Happening] = []
        for own in self._log:
            found += [own] if isinstance(own, Happening) else records_of(own, self.modes, self.loops)
        return found

    def _of(self, kind: float) -> list[tuple[float, float]]:
        return [(t, jump) for own in self._jumps for t, jump, k in own.tolist() if k == kind]

    @property
    def impacts(self) -> list[tuple[float, float]]:
        """Times [s] of jumps of the energy [J] by impacts: on stops, by locks, of what is taken along from rest."""
        return self._of(LOST)

    @property
    def changes(self) -> list[tuple[float, float]]:
        """Times [s] of jumps of the energy [J] by other numbers, loads switched, and rates of drives that jump."""
        return self._of(CHANGED)
