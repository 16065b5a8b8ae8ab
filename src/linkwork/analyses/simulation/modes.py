"""In which mode a machine moves: what rests on stops, what is locked, what sticks; and which numbers end a mode.

A mode is a set of rows that are active in the compiled loop, and a set of numbers that are watched there. Each watched
number is positive while the mode lasts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.simulation.asked import FIXED, Asked
from linkwork.equations.load_plans import exact_frictions
from linkwork.geometry import Array
from linkwork.model.events import Stop, When

if TYPE_CHECKING:
    from linkwork.numerics.stepping.problem import Problem

UNIT, GAP = 0, 1
VARIABLE, RATE, CONDITION, FORCE, GAP_VALUE = 0, 1, 2, 3, 4
"""As in `numerics.stepping`, which is not imported before it is needed."""
AT_REST = 1e-9
"""Rate [rad/s, or parts of the machine's size a second] that counts as none, as a part of what is usual."""
STUCK, PRESSED = -2, 2
"""As in `numerics.stepping.problem`."""


@dataclass(frozen=True)
class Side:
    """One side of a stop: which gap it limits, 1 from above or -1 from below, and where."""

    stop: Stop
    name: str
    gap: int
    side: int
    limit: float


@dataclass(frozen=True)
class Grip:
    """An exact friction: its name, its rate, the variable of that, and its number among the loads."""

    name: str
    column: int
    place: int
    load: int


@dataclass(frozen=True)
class Watch:
    """A number that is watched: what for, of whom, and how it is found (`numerics.stepping.watching`)."""

    what: str
    which: int
    kind: int
    index: int
    sign: int
    offset: float
    grip: int = -1


@dataclass
class Modes:
    """Rows and watches of a simulation as they are now."""

    asked: Asked
    gaps: tuple[str, ...] = ()
    sides: list[Side] = field(default_factory=list)
    soft: list[Side] = field(default_factory=list)
    whens: list[When] = field(default_factory=list)
    grips: list[Grip] = field(default_factory=list)
    touching: set[int] = field(default_factory=set)
    """Sides that are leant on."""
    locked: dict[int, tuple[int, float]] = field(default_factory=dict)
    """By rate, the place of its variable and the value that is held."""
    stuck: set[int] = field(default_factory=set)
    """Frictions that hold by rows of their own."""
    held: set[int] = field(default_factory=set)
    """Frictions that hold besides, while the others keep their joints at rest."""
    spent: set[int] = field(default_factory=set)
    """Conditions that count no more."""
    above: list[int] = field(default_factory=list)
    """By condition, 1 above zero and -1 below, 0 while it has not left zero: events change it, no rounding does."""
    side: list[float] = field(default_factory=list)
    """By switch of the formulas that jump, its side (`equations.switching`); empty where no jump is watched."""
    smoothed: set[int] = field(default_factory=set)
    """Switches that are smoothed, and watched no more."""
    beyond: list[bool] = field(default_factory=list)
    """By side of an elastic stop, whether it is pressed."""

    def __post_init__(self) -> None:
        stops = [e for e in self.asked.events if isinstance(e, Stop)]
        self.gaps = tuple(dict.fromkeys(stop.what for stop in stops))
        for stop in stops:
            for side, limit in ((-1, stop.low), (1, stop.high)):
                if limit is not None:
                    own = Side(stop, stop.name or stop.what, self.gaps.index(stop.what), side, limit)
                    (self.soft if stop.elastic else self.sides).append(own)
        self.whens = [e for e in self.asked.events if isinstance(e, When)]
        loads = self.asked.loops.plan.loads
        if self.asked.method not in FIXED:
            self.side = [0.0] * self.asked.loops.plan.n_sides
        self.grips = [Grip(x.name, x.along.w, x.along.y, loads.index(x)) for x in exact_frictions(loads)]

    @property
    def conditions(self) -> tuple[str, ...]:
        """Expressions whose zeros are events."""
        return tuple(when.condition for when in self.whens)

    @property
    def most_rows(self) -> int:
        """Rows that may be active at once."""
        variables = {d.column for d in self.asked.driven} | {g.column for g in self.grips}
        for event in self.asked.events:
            if not isinstance(event, Stop):
                variables |= set(self._columns(event.actions.lock))
        return len(variables) + len(self.sides)

    def are_moved(self) -> bool:
        """Whether stops do work because they move by themselves."""
        return any("t" in side.stop.names for side in self.sides)

    def _columns(self, names: Sequence[str]) -> list[int]:
        from linkwork.analyses.forces.drives import columns_of

        return [int(c) for c in columns_of(self.asked.loops, list(names))] if names else []

    def uses_cuts(self) -> bool:
        """Whether forces act along joints outside the tree."""
        nv = self.asked.loops.plan.nv
        columns = [d.column for d in self.asked.driven] + [g.column for g in self.grips]
        columns += [c for c, _ in self.asked.pushed] + np.flatnonzero(self.asked.efforts).tolist()
        for event in self.asked.events:
            columns += [] if isinstance(event, Stop) else self._columns(event.actions.lock)
        return bool(self.soft) or bool(self.asked.controller) or any(c >= nv for c in columns)

    # ---------------------------------------------------------------- rows

    def lock(self, z: Array, names: Sequence[str]) -> None:
        """Hold variables where they are."""
        plan = self.asked.loops.plan
        for column in self._columns(names):
            slot = next(s for s in plan.slots if s.v.start <= column < s.v.stop)
            place = slot.q.start + column - slot.v.start
            self.locked[column] = (place, float(z[place]))

    def release(self, names: Sequence[str]) -> None:
        """Let variables go."""
        for column in self._columns(names):
            self.locked.pop(column, None)

    def write_rows(self, p: Problem) -> list[tuple[str, int]]:
        """Make the rows of this mode the active ones; returns what each is of."""
        rows: list[tuple[str, int, int, int, int, int, float]] = []
        taken: set[int] = set()
        for k, d in enumerate(self.asked.driven):
            rows.append(("driven", k, UNIT, d.column, d.place, d.law, 0.0))
            taken.add(d.column)
        for column, (place, value) in self.locked.items():
            if column not in taken:
                rows.append(("locked", column, UNIT, column, place, -1, value))
                taken.add(column)
        for k in sorted(self.touching):
            rows.append(("touching", k, GAP, self.sides[k].gap, 0, -1, self.sides[k].limit))
        for k in sorted(self.stuck):
            grip = self.grips[k]
            if grip.column not in taken:
                rows.append(("stuck", k, UNIT, grip.column, grip.place, STUCK - k, float(p.y[grip.place])))
                taken.add(grip.column)
        for r, (_, _, *numbers, hold) in enumerate(rows):
            p.rows[r], p.hold[r] = numbers, hold
        p.count[0] = len(rows)
        if self.side:
            p.side[:] = self.side
        for s, beyond in enumerate(self.beyond):
            p.soft[s, PRESSED] = beyond
        return [(what, which) for what, which, *_ in rows]

    # ---------------------------------------------------------------- watches

    def watches(self, p: Problem, owners: Sequence[tuple[str, int]]) -> list[Watch]:
        """What is watched in this mode; owners : of the active rows."""
        found: list[Watch] = []
        for k, own in enumerate(self.sides):
            if k in self.touching:
                row = owners.index(("touching", k))
                found.append(Watch("lift", k, FORCE, row, -own.side, 0.0))
            else:
                found.append(Watch("stop", k, GAP_VALUE, own.gap, -own.side, own.limit))
        for k, own in enumerate(self.soft):
            found.append(Watch("soft", k, GAP_VALUE, own.gap, own.side if self.beyond[k] else -own.side, own.limit))
        for k in range(len(self.whens)):
            if k not in self.spent:
                found.append(Watch("when", k, CONDITION, k, self.above[k], 0.0))
        for k, side in enumerate(self.side):
            if k not in self.smoothed:
                found.append(Watch("jump", k, CONDITION, len(self.whens) + k, int(side), 0.0))
        for k, grip in enumerate(self.grips):
            if k in self.stuck:
                row = owners.index(("stuck", k))
                found += [Watch("grip", k, FORCE, row, way, 0.0, grip=k) for way in (1, -1)]
            elif k not in self.held and p.slip[k]:
                found.append(Watch("slip", k, RATE, grip.column, int(p.slip[k]), 0.0))
        return found


def tables(watches: Sequence[Watch]) -> tuple[NDArray[np.int64], Array]:
    """Watches as the compiled loop takes them."""
    table = np.array([[w.kind, w.index, w.sign, w.grip] for w in watches], np.int64).reshape(-1, 4)
    return table, np.array([[w.offset, 0.0, 0.0] for w in watches], float).reshape(-1, 3)
