"""Stops, frictions, conditions and times of a simulation, by name, and the arrays of what of them is on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from linkwork.analyses.forces.drives import columns_of
from linkwork.analyses.simulation.listeners import Watch
from linkwork.analyses.simulation.question import FIXED, Asked
from linkwork.equations.load_plans import exact_frictions
from linkwork.model.events import Actions, At, Stop, When
from linkwork.numerics.stepping.active_rows import CALLER, LOOP, NOBODY, active_set
from linkwork.numerics.stepping.handle import Template

if TYPE_CHECKING:
    from linkwork.numerics.stepping.active_rows import Active

WATCHED = ("stop", "lift", "soft", "when", "slip", "grip", "jump")
"""As in `numerics.stepping.active`, which is not imported before it is needed."""
QUIET = 32
"""Rows of a log in which nothing is written."""
DIRECTIONS = {"rising": 1, "falling": -1, "both": 0}


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


@dataclass
class ActiveSet:
    """What may be on in a simulation, and what is.

    gaps : expressions that stops limit; sides, soft : rigid and elastic stops, one for each of their limits
    whens, ats : conditions, and times in order; grips : exact frictions
    switches : of the formulas that jump, none where no jump is watched
    """

    asked: Asked
    apart: float
    gaps: tuple[str, ...] = ()
    sides: list[Side] = field(default_factory=list)
    soft: list[Side] = field(default_factory=list)
    whens: list[When] = field(default_factory=list)
    ats: list[At] = field(default_factory=list)
    grips: list[Grip] = field(default_factory=list)
    switches: int = 0

    def __post_init__(self) -> None:
        events, plan = self.asked.events, self.asked.loops.plan
        self.switches = 0 if self.asked.method in FIXED else plan.n_sides
        if not events and not plan.n_slips:
            return
        stops = [e for e in events if isinstance(e, Stop)]
        self.gaps = tuple(dict.fromkeys(stop.what for stop in stops))
        for stop in stops:
            for side, limit in ((-1, stop.low), (1, stop.high)):
                if limit is not None:
                    own = Side(stop, stop.name or stop.what, self.gaps.index(stop.what), side, limit)
                    (self.soft if stop.elastic else self.sides).append(own)
        self.whens = [e for e in events if isinstance(e, When)]
        self.ats = sorted((e for e in events if isinstance(e, At)), key=lambda e: e.time)
        loads = plan.loads
        self.grips = [Grip(x.name, x.along.w, x.along.y, loads.index(x)) for x in exact_frictions(loads)]

    # ---------------------------------------------------------------- what it takes

    @property
    def is_idle(self) -> bool:
        """Whether nothing can ever be on."""
        return self.asked.is_free and not (self.grips or self.switches)

    @property
    def acting(self) -> list[When | At]:
        """Events that may have actions: conditions, then times."""
        return [*self.whens, *self.ats]

    @property
    def conditions(self) -> tuple[str, ...]:
        """Expressions whose zeros are events."""
        return tuple(when.condition for when in self.whens)

    @property
    def most_rows(self) -> int:
        """Rows that may be active at once."""
        if self.is_idle:
            return 0
        variables = {d.column for d in self.asked.driven} | {g.column for g in self.grips}
        for event in self.acting:
            variables |= set(self._columns(event.actions.lock))
        return len(variables) + len(self.sides)

    def are_moved(self) -> bool:
        """Whether stops do work because they move by themselves."""
        return any("t" in side.stop.names for side in self.sides)

    def _columns(self, names: Sequence[str]) -> list[int]:
        return [int(c) for c in columns_of(self.asked.loops, list(names))] if names else []

    def uses_cuts(self) -> bool:
        """Whether forces act along joints outside the tree."""
        nv = self.asked.loops.plan.nv
        columns = [d.column for d in self.asked.driven] + [g.column for g in self.grips]
        columns += [c for c, _ in self.asked.pushed] + self.asked.pushing
        for event in self.acting:
            columns += self._columns(event.actions.lock)
        return bool(self.soft) or bool(self.asked.controller) or any(c >= nv for c in columns)

    @property
    def elastic(self) -> list[tuple[int, int, float, float, float]]:
        """Elastic stops as a plant takes them: gap, side, limit, stiffness, damping."""
        return [(s.gap, s.side, s.limit, s.stop.stiffness or 0.0, s.stop.damping) for s in self.soft]

    def arrays(self, n: int, room: int = 1024, jumps: bool = True) -> Active:
        """The active set with nothing on; n : size of the state; room : rows of its log; jumps : whether those of
        formulas are watched."""
        asked, plan = self.asked, self.asked.loops.plan
        if self.is_idle:
            return self._none(n)
        quiet = not (asked.events or asked.driven or self.grips or self.switches)
        return active_set(
            n,
            [(s.gap, s.side, s.limit, s.stop.restitution) for s in self.sides],
            len(self.soft),
            [(g.column, g.place, g.load) for g in self.grips],
            [(DIRECTIONS[w.direction], int(w.once), _who(w.actions)) for w in self.whens],
            [(d.column, d.place, d.law) for d in asked.driven],
            asked.loops.places,
            [self._switching(e.actions) for e in self.acting],
            [self._locking(e.actions) for e in self.acting],
            [int(e.actions.stop) for e in self.acting],
            plan.n_loads,
            self.most_rows,
            asked.until,
            self.apart,
            QUIET if quiet else room,  # where nothing can happen, nothing is logged
            self.switches if jumps else 0,
        )

    def _none(self, n: int) -> Active:
        """The active set of a simulation in which nothing can ever be on: one for all of a machine, copied."""
        loops, key = self.asked.loops, ("active", n, self.apart)
        if key not in loops.problems:
            first = active_set(
                n, [], 0, [], [], [], loops.places, [], [], [], loops.plan.n_loads, 0, 0.0, self.apart, QUIET, 0
            )
            return _until(loops.keep(key, Template(first)).copy(), self.asked.until)
        return _until(loops.problems[key].copy(), self.asked.until)

    def _switching(self, actions: Actions) -> list[int]:
        loads = self.asked.loops.plan.loads
        found = [-1] * self.asked.loops.plan.n_loads
        for k, load in enumerate(loads):
            if load.name in actions.on or load.name in actions.off:
                found[k] = int(load.name in actions.on)
        return found

    def _locking(self, actions: Actions) -> list[int]:
        found = [0] * self.asked.loops.plan.nw
        for sign, names in ((-1, actions.release), (1, actions.lock)):
            for column in self._columns(names):
                found[column] = sign
        return found

    def acts_alone(self, event: When | At) -> bool:
        """Whether compiled loops can do all that an event is for."""
        return _who(event.actions) != CALLER

    # ---------------------------------------------------------------- what is on

    def fired(self, active: Active) -> list[Watch]:
        """What has just happened."""
        return [
            Watch(WATCHED[what], int(which), int(index), int(sign))
            for (what, which), (_, index, sign, _), fired in zip(
                active.whose, active.watch, active.fired[: active.counts[0]], strict=False
            )
            if fired
        ]


def _until(made: Active, until: float) -> Active:
    made.until = float(until)
    return made


def _who(actions: Actions) -> int:
    if actions == Actions():
        return NOBODY
    return CALLER if actions.set or actions.from_rest else LOOP
