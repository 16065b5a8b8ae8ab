"""One simulation while it runs: the compiled loop is driven from stop to stop."""

from __future__ import annotations

import bisect
from collections.abc import Callable

import numpy as np

from linkwork.analyses.simulation.active_set import ActiveSet
from linkwork.analyses.simulation.controllers import held_efforts
from linkwork.analyses.simulation.eliminations import weakened
from linkwork.analyses.simulation.halt import Halt
from linkwork.analyses.simulation.impasses import assert_gets_on, lengthen, pass_singular, take_faint
from linkwork.analyses.simulation.journey import Journey
from linkwork.analyses.simulation.listeners import Listener
from linkwork.analyses.simulation.occasions import deal_with, follow, take_place
from linkwork.analyses.simulation.question import FIXED, Asked
from linkwork.analyses.simulation.runaway import causes_of, why_ended
from linkwork.analyses.simulation.stiffness import ease, stiffen
from linkwork.errors import InputError, Problem
from linkwork.numerics.stepping import advance as loop
from linkwork.numerics.stepping.active_rows import BEYOND, ENDS, LISTENED, OK, UNFOLLOWED
from linkwork.numerics.stepping.driver import go, last_samples, turn
from linkwork.numerics.stepping.handle import Template
from linkwork.numerics.stepping.instants import DEEP, begin
from linkwork.numerics.stepping.runaway import END, ENDLESS, RUNAWAY

CHUNK = 512
"""Steps of one call of the compiled loop: Ctrl-C is heard in between."""
SMALL = 1 << 13
"""Numbers of the states at all samples up to which room for samples is kept."""
APART = 2
"""Steps an event from which on events within a thousandth of the time so far do not end a simulation, however many they
are: then it is the motion that is quick."""


class Session(Journey):
    """A simulation on its way; `run` brings it to its end. Whoever listens is told of everything that happens."""

    def __init__(
        self,
        asked: Asked,
        progress: Callable[[float, float], None] | None = None,
        listener: Listener | None = None,
    ) -> None:
        super().__init__(asked, ActiveSet(asked, APART), listener)
        self.progress = progress
        self.status, self.message = "complete", ""
        self._begin()

    def _begin(self) -> None:
        """The plant, the start, and room for samples and steps."""
        asked = self.asked
        self.state = np.zeros(loop.STATES)
        if self.listener is not None:
            self.listener.attached(self)
        self.engage()
        p = self.p
        self.active.counts[LISTENED] = self.listener is not None
        self.active.counts[ENDS] = self.is_quiet
        self.z, self.f = p.layout.join(asked.y, asked.w, asked.x), np.zeros(p.n)
        self.state[loop.LONGEST] = asked.step if asked.step is not None else asked.until
        self.state[END] = asked.until
        if self.method in FIXED:
            self.state[loop.FIXED], self.state[loop.STEP] = 1.0, asked.step
        self.samples = self._samples(len(asked.times))
        self.samples.times[:] = asked.times
        self.trail_t, self.trail = np.empty(CHUNK), np.empty((CHUNK, 2 * p.n - p.ny + 1))

    def _samples(self, count: int) -> loop.Samples:
        """Room for samples; where it is small, a copy of what the machine keeps."""
        p, modes, kept = self.p, self.modes, self.machine.loops.problems
        key = ("samples", count, p.n, p.nw, p.layout.nx, len(modes.gaps), len(modes.grips))
        if key in kept:
            copied: loop.Samples = kept[key].copy()
            return copied
        made = loop.Samples(
            times=np.zeros(count), Z=np.full((count, p.n), np.nan), A=np.full((count, p.nw), np.nan),
            E=np.zeros((count, p.nw)), P=np.zeros((count, len(modes.gaps))),
            H=np.zeros((count, len(modes.grips))), D=np.full((count, p.layout.nx), np.nan),
        )  # fmt: skip
        if count * p.n < SMALL:
            self.machine.loops.keep(key, Template(made))
        return made

    # ---------------------------------------------------------------- from stop to stop

    def run(self) -> None:
        """To the end, or until something stops it; everything reached so far is kept."""
        asked = self.asked
        at = list(enumerate(self.modes.ats))
        stops = [asked.until]
        if not self.is_quiet:
            stops = sorted({asked.until, *asked.corners, *(e.time for _, e in at)})
        ticks = 0
        try:
            if not self.is_quiet:
                self._first()
            while True:
                while at and at[0][1].time <= self.t:
                    take_place(self, *at.pop(0))
                if self.t >= asked.until:
                    break
                target = stops[bisect.bisect_right(stops, self.t)]
                if asked.controller is not None:
                    if asked.tick(ticks) <= self.t:
                        self._control()
                        ticks += 1
                    target = min(target, asked.tick(ticks))
                self._go(target)
            self._last_samples()
        except Halt as halt:
            self.status, self.message = "stopped", str(halt)
            self._last_samples()
        except KeyboardInterrupt:
            self.status, self.message = "stopped", f"interrupted at {self.t:.6g} s"
        self._tell_unseen()

    def _first(self) -> None:
        """The active set in which the start is."""
        code = begin(self.p, self.active, self.state, self.z)
        self.heard()
        if code == BEYOND:
            beyond, size = [], max(self.machine.loops.length, 1.0)
            for own in self.modes.sides:
                depth = own.side * (self.p.g[own.gap] - own.limit)
                if depth > DEEP * size:
                    text = f"the start is beyond the stop '{own.name}' by {depth:.3g}"
                    beyond.append(Problem(text, "start", "start within its limits"))
            raise InputError(beyond, self.machine.name)
        self.turned()

    def _go(self, target: float) -> None:
        """On to a time; a new mode begins wherever the laws have a corner or something happened."""
        self.target = target
        if self.listener is not None:
            self.listener.departs()
        ease(self)
        if not self.is_quiet:
            self._turn()
        while True:
            code, taken = go(
                self.stepper, self.p, self.active, self.store, self.state, self.z, self.f, target, self.samples,
                self.trail_t, self.trail,
            )  # fmt: skip
            self.trails.append(self.trail_t[:taken].copy(), self.trail[:taken].copy())
            self.heard()
            if self.trails.is_full:
                self._forget()
            if self.progress is not None:
                self.progress(self.t, self.asked.until)
            if code == loop.DONE:
                break
            if code == loop.STIFF:
                stiffen(self)
            elif code == loop.SICK:
                pass_singular(self)
            elif code == loop.WEAKENS:
                weakened(self)
            elif code == loop.SHORT:
                lengthen(self)
            elif code == loop.FAINT:
                take_faint(self, self.trail[taken, : self.p.ny])
            elif code in (RUNAWAY, ENDLESS):
                raise Halt(self._leads_nowhere(code))
            elif code == loop.PAUSED:
                assert_gets_on(self, self.trail_t[:taken])
            else:
                follow(self, deal_with(self, code, False))
                self.store[:] = 0.0
            if self.t >= target:  # by a leap; forces may not determine how it would go on from there
                break
            ease(self)
        if self.listener is not None:
            self.listener.arrived()

    def _forget(self) -> None:
        """Keep fewer of the steps; whoever listens has seen them."""
        if self.listener is not None:
            self.listener.arrived()
        self.trails.thin()

    def _leads_nowhere(self, code: int) -> str:
        """Why it ends before its time."""
        y, w, x = (part[np.newaxis] for part in self.p.layout.split(self.z))
        (causes,) = causes_of(self.asked, self.machine, y, w, np.array([self.t]), x)
        return why_ended(self.asked, code, self.state, self.z, causes)

    def _turn(self) -> None:
        """A corner of laws, and what follows from it at once."""
        code = turn(self.p, self.active, self.state, self.z, self.f)
        self.heard()
        if code == UNFOLLOWED:
            raise Halt(f"the drives cannot be followed at {self.t:.6g} s")
        self.turned()
        if self.listener is not None:
            follow(self, True)
        elif code != OK:
            follow(self, deal_with(self, code, True))

    def _control(self) -> None:
        """Ask the controller, and hold what it says until it is asked again."""
        p = self.p
        effort = held_efforts(self.asked, self.machine, self.t, *p.layout.split(self.z))
        p.given_effort[:] = effort
        p.effort[:] = effort

    # ---------------------------------------------------------------- the end

    def _last_samples(self) -> None:
        """Samples up to now that an event or the end left out."""
        if self.listener is not None:
            if not self.listener.keeps_last_samples():
                return
            self.listener.arrived()
        if self.listener is None and self.reached == len(self.asked.times):
            return
        last_samples(self.p, self.samples, self.state, self.z, self.f)
        if self.listener is not None:
            self.listener.arrived()

    def _tell_unseen(self) -> None:
        """Crossings may have been overlooked where a number stays next to zero."""
        if self.state[loop.UNSEEN] > 0.0:
            names = ", ".join(dict.fromkeys(f"'{event.name or event.condition}'" for event in self.modes.whens))
            text = f"around {self.state[loop.UNSEEN]:.4g} s bounds do not decide whether a condition crosses zero"
            self.warnings.append(f"{text} ({names}): crossings closer together than parts of a step are not told")
