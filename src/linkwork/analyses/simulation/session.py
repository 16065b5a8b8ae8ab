"""One simulation while it runs: the compiled loop is driven from stop to stop, and events are dealt with in between."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.simulation.asked import FIXED, Asked
from linkwork.analyses.simulation.compiling import say_once
from linkwork.analyses.simulation.engine import Engine, Equipment
from linkwork.analyses.simulation.modes import AT_REST, Modes, Watch, tables
from linkwork.analyses.simulation.records import done
from linkwork.equations.elimination_search import find_elimination
from linkwork.errors import InputError, LinkworkError, ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.events import Actions, At, Event, Stop, When
from linkwork.results.happenings import Happening

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

CHUNK = 512
"""Steps of one call of the compiled loop: Ctrl-C is heard in between."""
TOUCHING, BEYOND = 1e-12, 1e-9
"""Distance from a stop [rad, m, or parts of a machine larger than that] that is none, and depth that is too much."""
CROWDED, APART = 2000, 2
"""Events within a thousandth of the time simulated so far that end a simulation, unless there were as many steps for
each of them: then it is the motion that is quick."""
EASY, SELDOM = 3.0, 10
"""Length of a step times the largest eigenvalue up to which explicit steps of this length are stable; implicit steps
after which that is looked at."""
AHEAD = 1e-9, 1e-6, 1e-3
"""Parts of the step and of the time by which loads are looked at ahead of where numbers had an end."""
DEAD = 1e-4
"""Part of the margin of the loops that is left at a dead centre when driven variables are held."""
SINGULAR = 1e4
"""Health, each pivot as one part of its sum, from which on a posture is told as nearly singular."""
WAYS = {
    "explicit": "Explicit", "radau": "Radau", "exponential": "Exponential", "exponential-static": "Static",
    "variational": "Variational", "variational-4": "Composed",
}  # fmt: skip


class Halt(Exception):
    """The simulation ends here, for a reason."""


class Session:
    """A simulation on its way; `run` brings it to its end."""

    def __init__(self, asked: Asked, progress: Callable[[float, float], None] | None = None) -> None:
        self.asked, self.progress = asked, progress
        self.machine: Machine = asked.machine
        self.modes = Modes(asked)
        self.method = "explicit" if asked.method == "auto" else asked.method
        self.happened: list[Happening] = []
        self.warnings: list[str] = list(asked.warnings)
        self.status, self.message = "complete", ""
        self.trails: list[tuple[Array, Array]] = []
        self.impacts: list[tuple[float, float]] = []
        """Times [s] of jumps of the energy [J] by impacts: on stops, by locks, of what is taken along from rest."""
        self.changes: list[tuple[float, float]] = []
        """Times [s] of jumps of the energy [J] by other numbers, loads switched, and rates of drives that jump."""
        self.methods: list[str] = []
        self.evaluations = 0
        self.chapters: list[tuple[float, Engine, Array]] = []
        """Since when [s] which energies count, and with which loads on: masses and loads may change."""
        self.bounces: dict[int, int] = {}
        """By side of a stop, impacts so far."""
        self.target = 0.0
        """Where the loop is bound for [s]."""
        self.watched: list[Watch] = []
        self._sizes: dict[tuple[str, int], float] = {}
        self._judged = 0.0
        self._recent: deque[tuple[float, float]] = deque(maxlen=CROWDED)
        """Times [s] of the last events, and how many steps had been taken."""
        self._elimination = asked.machine._forward_dynamics.elimination
        self._begin()

    # ---------------------------------------------------------------- set up

    def _needs(self) -> Equipment:
        asked, modes = self.asked, self.modes
        switched = {n for e in asked.events if hasattr(e, "actions") for n in (*e.actions.on, *e.actions.off)}
        moved = bool(asked.driven or asked.pushed or asked.efforts.any() or asked.controller or modes.soft)
        return Equipment(
            efforts="all" if modes.uses_cuts() else "tree",
            switched=frozenset(switched),
            watched=modes.conditions,
            gaps=modes.gaps,
            tangents=self.method in ("radau", "exponential", "exponential-static"),
            momenta=self.method in FIXED,
            counted=moved or modes.are_moved() or not _conservative(self.machine, asked.events),
        )

    def _engage(self) -> None:
        """Kernels and arrays for the machine and the method as they are now."""
        import linkwork.numerics.stepping.methods as methods

        asked, modes = self.asked, self.modes
        engine = Engine(self.machine._loops, self._elimination, self._needs())
        soft = [(s.gap, s.side, s.limit, s.stop.stiffness or 0.0, s.stop.damping) for s in modes.soft]
        before = getattr(self, "p", None)
        self.p = engine.problem(asked.rtol, asked.atol, asked.laws, asked.pushed, modes.most_rows, asked.efforts, soft)
        if before is not None:
            self.evaluations += int(before.evaluations[0])
            for name in ("slip", "switch", "given_effort", "effort", "held"):
                getattr(self.p, name)[:] = getattr(before, name)
        self.engine = engine
        say_once(self.method)
        self.stepper, size = methods.method_of(getattr(methods, WAYS[self.method]), self.p.n)
        self.store = np.zeros(size)
        if self.method not in self.methods:
            self.methods.append(self.method)
        self._begin_chapter()

    def _begin_chapter(self) -> None:
        """From now on energies are those of the machine and the loads as they are."""
        self.chapters.append((self.t, self.engine, self.p.switch.copy()))

    def _begin(self) -> None:
        from linkwork.numerics.stepping import advance as loop

        asked = self.asked
        self.state = np.zeros(loop.STATES)
        self._engage()
        p = self.p
        self.z, self.f = p.layout.join(asked.y, asked.w, asked.x), np.zeros(p.n)
        self.state[loop.LONGEST] = asked.step if asked.step is not None else asked.until
        if self.method in FIXED:
            self.state[loop.FIXED], self.state[loop.STEP] = 1.0, asked.step
        count = len(asked.times)
        self.samples = loop.Samples(
            times=asked.times, Z=np.full((count, p.n), np.nan), A=np.full((count, p.nw), np.nan),
            E=np.zeros((count, p.nw)), P=np.zeros((count, len(self.modes.gaps))),
            H=np.zeros((count, len(self.modes.grips))), D=np.full((count, p.layout.nx), np.nan),
        )  # fmt: skip
        self.trail_t, self.trail = np.empty(CHUNK), np.empty((CHUNK, 2 * p.n - p.ny + 1))

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return float(self.state[0])

    @property
    def reached(self) -> int:
        """Samples that were written."""
        return int(self.state[3])

    # ---------------------------------------------------------------- run

    def run(self) -> None:
        """To the end, or until something stops it; everything reached so far is kept."""
        from linkwork.numerics.stepping.laws import breaks_of

        asked = self.asked
        at = sorted((e for e in asked.events if isinstance(e, At)), key=lambda e: e.time)
        stops = sorted({asked.until, *breaks_of(asked.laws), *(e.time for e in at)})
        ticks = 0
        try:
            self._first()
            while True:
                while at and at[0].time <= self.t:
                    event = at.pop(0)
                    self._act(event)
                if self.t >= asked.until:
                    break
                target = next(t for t in stops if t > self.t)
                if asked.controller is not None:
                    if asked.tick(ticks) <= self.t:
                        self._control()
                        ticks += 1
                    target = min(target, asked.tick(ticks))
                self._go(target)
            self._last_sample()
        except Halt as halt:
            self.status, self.message = "stopped", str(halt)
            self._last_sample()
        except KeyboardInterrupt:
            self.status, self.message = "stopped", f"interrupted at {self.t:.6g} s"

    def _enter(self) -> None:
        from linkwork.numerics.stepping.laws import enter_laws

        enter_laws(self.p.law_edges, self.p.law_starts, self.p.last, self.t)

    def _corner(self) -> None:
        """Enter the next pieces of the laws; where the rate of a drive jumps, all rates jump with it."""
        from linkwork.analyses.simulation.impacts import not_left
        from linkwork.numerics.stepping.problem import settle

        self._enter()
        modes = self.modes
        if self.asked.driven and self.t > 0.0:
            before, kept = self._energy(), sorted(modes.touching)
            self._impulse({}, kept)
            modes.touching = set(not_left(self, kept))
            modes.write_rows(self.p)
            if settle(self.p, self.t, self.z) < 0.0:
                raise Halt(f"the drives cannot be followed at {self.t:.6g} s")
            self.changes.append((self.t, self._energy() - before))
        if modes.grips or modes.touching:
            self._choose(sorted(modes.touching), self._resting())

    def _go(self, target: float) -> None:
        """On to a time; a new mode begins wherever the laws have a corner or something happened."""
        from linkwork.numerics.stepping import advance as loop

        self.target = target
        self._eased()
        self._corner()
        self.state[loop.FRESH] = 0.0
        self._watch()
        self._at_once()
        while True:
            code, taken = loop.advance(
                self.stepper, self.p, self.store, self.state, self.z, self.f, target, self.samples,
                self.table, self.numbers, self.before, self.fired, self.trail_t, self.trail,
            )  # fmt: skip
            self.trails.append((self.trail_t[:taken].copy(), self.trail[:taken].copy()))
            self._note_sides()
            if self.progress is not None:
                self.progress(self.t, self.asked.until)
            if code == loop.DONE:
                return
            if code == loop.EVENT:
                self.state[loop.HARDY] = 0.0
                self._event()
                self._watch()
                self._at_once()
                self.store[:] = 0.0
            elif code == loop.STIFF:
                self._stiff()
            elif code == loop.SICK:
                self._sick()
            elif code == loop.SHORT:
                self._too_short()
            elif code == loop.FAINT:
                self._faint(self.trail[taken, : self.p.ny])
            if self.t >= target:  # by a leap; forces may not determine how it would go on from there
                return
            self._eased()

    def ends_at(self, target: float) -> bool:
        """Whether the run ends at a time, and nothing would change the forces there if it went on."""
        return target == self.asked.until and not self.asked.laws

    def _at_once(self) -> None:
        """Events of this very instant: numbers that a jump has carried to their other side."""
        from linkwork.numerics.stepping.watching import NOISE, SIGN, SIZE, is_force, look

        while len(self.watched):
            values = np.empty(len(self.watched))
            look(self.p, self.table, self.numbers, is_force(self.table), self.t, self.z, self.f, values)
            fallen = (self.table[:, SIGN] != 0) & (values < -NOISE * self.numbers[:, SIZE])
            fallen &= np.array([self._sizes.get((w.what, w.which), 0.0) > 0.0 for w in self.watched])
            if not fallen.any():
                return
            self.fired[:] = fallen
            self._event()
            self._watch()

    def _last_sample(self) -> None:
        """Samples up to now that an event or the end left out."""
        from linkwork.numerics.stepping import advance as loop

        times = self.asked.times
        while self.reached < len(times) and times[self.reached] <= self.t and np.isfinite(self.z).all():
            rates_of(self)
            if not np.isfinite(self.f).all():
                return
            loop.note(self.p, self.samples, self.reached, self.z, self.f)
            self.state[loop.NEXT] += 1.0

    # ---------------------------------------------------------------- why it came back

    def _stiff(self) -> None:
        if self.asked.method == "auto":
            self.warnings.append(f"stiff from {self.t:.4g} s on: the steps are implicit there (radau)")
            self._change_method("radau")
        elif not any("stiff" in text for text in self.warnings):
            text = f"stiff at {self.t:.4g} s: stability, not accuracy, holds the steps short; method='radau' is quicker"
            self.warnings.append(text)

    def _eased(self) -> None:
        """Explicit steps again, where they can be as long as the implicit ones are; looked at every few steps."""
        from linkwork.numerics.stepping import advance as loop
        from linkwork.numerics.stepping.problem import jacobian

        if self.method != "radau" or self.asked.method != "auto" or self.state[loop.STEPS] < self._judged + SELDOM:
            return
        self._judged = self.state[loop.STEPS]
        J = np.empty((self.p.n, self.p.n))
        jacobian(self.p, self.t, self.z, J)
        if np.isfinite(J).all() and self.state[loop.STEP] * np.abs(np.linalg.eigvals(J)).max(initial=0.0) < EASY:
            self.warnings.append(f"no longer stiff from {self.t:.4g} s on: the steps are explicit again")
            self._change_method("explicit")

    def _change_method(self, method: str) -> None:
        from linkwork.numerics.stepping import advance as loop

        self.method = method
        self._engage()
        self._refresh()
        self.state[loop.STEP] = 0.0
        self._judged = self.state[loop.STEPS]

    def _sick(self) -> None:
        """Pivots fail: the motion leads past a singular posture, or another elimination serves here, or it ends."""
        from linkwork.analyses.simulation.leaping import leapt

        loops, plan = self.machine._loops, self.machine._plan
        y = self.z[: plan.ny]
        if not np.isfinite(self.z).all():
            self._not_finite()
        self._assert_finite_loads()
        if leapt(self):
            self._watch()
            return
        if not self._eliminate_anew(y):
            loose = Posture(loops, y.copy()).independent
            text = f"singular posture at {self.t:.6g} s: forces do not determine how it goes on"
            raise Halt(f"{text}; {', '.join(loose)} move by themselves there")

    def _faint(self, y: Array) -> None:
        """The posture of an event is one where the pivots fail; if no others serve there, it is taken as it is."""
        from linkwork.numerics.stepping import advance as loop

        try:
            served = self._eliminate_anew(y)
        except Halt:
            served = False
        self.state[loop.HARDY] = 0.0 if served else 1.0

    def _eliminate_anew(self, y: Array) -> bool:
        """Other pivots, for postures around this one; False if they are the same as before."""
        from linkwork.analyses.forces.states import states_around

        loops, before = self.machine._loops, self._elimination
        try:
            posture = Posture(loops, y.copy())
            states = states_around(loops, posture, seed=2 + len(self.methods))
            numbers, constants = loops.system._formulas.numbers(loops.system.parameters, True)
            self._elimination = find_elimination(loops.plan, numbers, constants, states)
        except LinkworkError as error:
            raise Halt(f"singular posture at {self.t:.6g} s: {error}") from None
        if self._elimination.key == before.key:
            return False
        self._engage()
        self._refresh()
        return True

    def _assert_finite_loads(self) -> None:
        """End here if a load has no value, now or a little ahead."""
        from linkwork.analyses.forces.finite import loads_must_be_finite

        rates_of(self)
        ahead = [part * max(self.t, 1e-3) for part in AHEAD] if np.isfinite(self.f).all() else []
        for wait in (0.0, *ahead):
            y, w, x = self.p.layout.split(self.z + wait * self.f if wait else self.z)
            when = np.array([[self.t + wait]])
            try:
                loads_must_be_finite(self.machine._loops, y[np.newaxis], w[np.newaxis], when, x[np.newaxis])
            except ModelError as error:
                told = "; ".join(f"{p.where}: {p.what}" for p in error.problems)
                raise Halt(f"at {self.t:.6g} s: {told}") from None

    def _not_finite(self) -> None:
        raise Halt(f"numbers without bound at {self.t:.6g} s")

    def _too_short(self) -> None:
        from linkwork.analyses.simulation.leaping import leapt
        from linkwork.numerics.stepping import advance as loop

        self._assert_finite_loads()
        if self.p.worst[0] > SINGULAR and self.method not in FIXED and leapt(self):
            self._watch()
            return
        h = self.state[loop.STEP]
        if self.state[loop.BAD] == loop.OPEN:
            raise Halt(f"the loops cannot be closed beyond {self.t:.6g} s: step {h:.3g} s")
        if self.method in FIXED:
            raise Halt(f"a step of {h:.3g} s from {self.t:.6g} s has no solution; take a smaller `step`")
        if self._is_dead_centre():
            names = ", ".join(d.name for d in self.asked.driven)
            raise Halt(f"dead centre at {self.t:.6g} s: {names} cannot be driven beyond it")
        hint = "the motion may have no continuation there, or a load jumps: make the jump an event"
        raise Halt(f"the step became too short at {self.t:.6g} s ({h:.3g} s); {hint}")

    def _is_dead_centre(self) -> bool:
        """Whether the loops lock while driven variables are held: rates of the others have no bound there."""
        loops, driven = self.machine._loops, [d.column for d in self.asked.driven]
        if not driven or not loops.count:
            return False
        J = loops.equations(self.z[: self.p.ny])[1]
        whole, left = (np.linalg.svd(K, compute_uv=False) for K in (J, np.delete(J, driven, axis=1)))
        rank = int((whole > 1e-9 * whole[0]).sum())
        return bool(len(left) < rank or left[rank - 1] < DEAD * whole[rank - 1])

    # ---------------------------------------------------------------- modes

    def _refresh(self) -> None:
        """Rows and watches of the present mode into fresh arrays."""
        self._enter()
        self.p.y[:], self.p.w[:], self.p.states[:] = self.p.layout.split(self.z)
        self.state[2] = 0.0
        self._watch()

    def _watch(self) -> None:
        """The rows of the mode, and what ends it."""
        p, modes = self.p, self.modes
        look_at(self)
        self.owners = modes.write_rows(p)
        self.watched = modes.watches(p, self.owners)
        self.table, self.numbers = tables(self.watched)
        for k, own in enumerate(self.watched):
            self.numbers[k, 1] = max(self._sizes.get((own.what, own.which), 0.0), self._usual(own))
        self.before, self.fired = np.zeros(len(self.watched)), np.zeros(len(self.watched), np.int64)

    def _usual(self, own: Watch) -> float:
        """A size that a watched number has in any case: near it, rounding is seen as what it is."""
        if own.what in ("stop", "soft"):
            return max(self.machine._loops.length, 1.0)
        return float(self.p.grip[own.which].max()) if own.what == "grip" else 0.0

    def _note_sides(self) -> None:
        """What the loop has learned of watched numbers: how large they are, and on which side of zero."""
        for k, own in enumerate(self.watched):
            self._sizes[own.what, own.which] = float(self.numbers[k, 1])
            sign = int(self.table[k, 2])
            if own.sign != sign:
                self.watched[k] = replace(own, sign=sign)
                self.modes.above[own.which] = sign

    def _first(self) -> None:
        """The mode in which the start is."""
        self._enter()
        self.modes.write_rows(self.p)
        look_at(self)
        p, modes = self.p, self.modes
        modes.above = [int(np.sign(value)) for value in p.watched]
        modes.beyond = [own.side * (p.g[own.gap] - own.limit) > 0.0 for own in modes.soft]
        beyond: list[Problem] = []
        near: list[int] = []
        for k, own in enumerate(modes.sides):
            depth = own.side * (p.g[own.gap] - own.limit)
            if depth > BEYOND * max(self.machine._loops.length, 1.0):
                text = f"the start is beyond the stop '{own.name}' by {depth:.3g}"
                beyond.append(Problem(text, "start", "start within its limits"))
            elif depth > -TOUCHING * max(self.machine._loops.length, 1.0):
                near.append(k)
        if beyond:
            raise InputError(beyond, self.machine.name)
        away = {k: -modes.sides[k].side * float(p.dg[modes.sides[k].gap]) for k in near}
        if any(rate < -AT_REST for rate in away.values()):
            self._strike(near)
        else:
            self._choose([k for k in near if away[k] <= AT_REST], self._resting())
        self._watch()

    def _resting(self) -> list[int]:
        """Exact frictions whose joint is at rest; the others slip the way it goes."""
        from linkwork.analyses.simulation.contacts import resting

        return resting(self)

    def _choose(self, near: Sequence[int], still: Sequence[int], broken: Mapping[int, int] | None = None) -> None:
        """Which frictions at rest hold, and which stops that are touched at rest are leant on.

        broken : frictions that have just given way, and the way to which: 1 or -1
        """
        from linkwork.analyses.simulation.contacts import choose

        choose(self, near, still, broken or {})

    # ---------------------------------------------------------------- events

    def _event(self) -> None:
        """Deal with all that happens at this instant."""
        modes = self.modes
        fired = [self.watched[k] for k in np.flatnonzero(self.fired)]
        if any(w.what != "when" or modes.whens[w.which].actions != Actions() for w in fired):
            self._count()
        for w in fired:
            if w.what == "lift":
                modes.touching.discard(w.which)
                self.happened.append(Happening(self.t, modes.sides[w.which].name, "leave"))
            elif w.what == "soft":
                left = modes.soft[w.which].side == w.sign
                modes.beyond[w.which] = not left
                self.happened.append(Happening(self.t, modes.soft[w.which].name, "leave" if left else "touch"))
        strikes = [w.which for w in fired if w.what == "stop"]
        if strikes:
            self._strike(strikes)
        elif any(w.what in ("slip", "grip", "lift") for w in fired):
            halted = [w.which for w in fired if w.what == "slip"]
            self._regrip({w.which: w.sign for w in fired if w.what == "grip"}, halted)
        for w in (w for w in fired if w.what == "when"):
            self._crossed(w)

    def _regrip(self, broken: Mapping[int, int], halted: Sequence[int]) -> None:
        """Frictions have given way, or their joints have come to rest.

        broken : friction and the way it gives way to; a force that falls below -grip lets its joint go forward (1)
        """
        modes, p = self.modes, self.p
        for k in halted:
            self.z[p.ny + modes.grips[k].column] = 0.0
        held = modes.stuck | modes.held
        self._choose(sorted(modes.touching), self._resting(), broken)
        for k in sorted({*broken, *halted, *held}):
            holds = k in modes.stuck or k in modes.held
            if (k in held) != holds or k in halted:
                self.happened.append(Happening(self.t, modes.grips[k].name, "stick" if holds else "slip"))

    def _crossed(self, w: Watch) -> None:
        event = self.modes.whens[w.which]
        rising = w.sign < 0
        self.modes.above[w.which] = 1 if rising else -1
        if event.direction != "both" and rising != (event.direction == "rising"):
            return
        if event.once:
            self.modes.spent.add(w.which)
        self._act(event)

    def _count(self) -> None:
        """Stop when events crowd together without end."""
        from linkwork.numerics.stepping import advance as loop

        self._recent.append((self.t, float(self.state[loop.STEPS])))
        since, steps = self._recent[0]
        crowded = len(self._recent) == CROWDED and self.t - since < 1e-3 * max(self.t, 1e-9)
        if crowded and self.state[loop.STEPS] - steps < APART * CROWDED:
            names = ", ".join(dict.fromkeys(h.name for h in self.happened[-10:]))
            text = f"{CROWDED} events within {self.t - since:.3g} s at {self.t:.6g} s ({names})"
            raise Halt(f"{text}: they follow each other without end")

    # ---------------------------------------------------------------- impacts

    def _strike(self, sides: Sequence[int]) -> None:
        """Impacts on stops, all at once."""
        from linkwork.analyses.simulation.impacts import strike

        strike(self, sides)

    def _impulse(self, wanted: Mapping[int, float], kept: Sequence[int]) -> dict[int, float]:
        """Jump of the rates by which driven and locked variables move as they must; returns the impulses of stops.

        wanted : by side of a stop, the rate that its gap should have at least; kept : sides that are leant on
        """
        from linkwork.analyses.simulation.impacts import impulse

        return impulse(self, wanted, kept)

    def _remembered(self) -> tuple[Array, ...]:
        """What an impulse changes."""
        return (self.z.copy(),)

    def _recall(self, remembered: tuple[Array, ...]) -> None:
        """Undo an impulse."""
        self.z[:] = remembered[0]

    def _energies(self) -> tuple[float, float]:
        """Kinetic and potential now [J]."""
        y, w, t, *states = with_time(self)
        kinetic, potential, _ = self.engine.energies(y, w, t, self.p.slip, self.p.switch, *states)
        return float(kinetic), float(potential)

    def _energy(self) -> float:
        return sum(self._energies())

    # ---------------------------------------------------------------- actions

    def _act(self, event: When | At) -> None:
        """Do what an event is for."""
        from linkwork.analyses.simulation.impacts import take_along

        modes, p, old = self.modes, self.p, self.machine
        record, actions = done(self.t, event), event.actions
        self.happened.append(record)
        if actions == Actions():
            return
        moving, stored = self._energies()
        for names, value in ((actions.on, 1.0), (actions.off, 0.0)):
            for k, load in enumerate(self.machine._plan.loads):
                if load.name in names:
                    p.switch[k] = value
        self._begin_chapter()
        if actions.release:
            modes.release(actions.release)
        if actions.set:
            self._set(dict(actions.set))
        changed = self._energy()
        if actions.from_rest:  # what is added does not move yet
            changed = moving + self._energies()[1]
            take_along(self, old)
        self.changes.append((self.t, changed - moving - stored))
        if actions.lock:
            modes.lock(self.z, actions.lock)
            self._hold_still()
        self.impacts.append((self.t, self._energy() - changed))
        if modes.grips or modes.touching:
            self._choose(sorted(modes.touching), self._resting())
        self._refresh()
        if actions.stop:
            raise Halt(f"{record.name} at {self.t:.6g} s")

    def _hold_still(self) -> None:
        """An impact without bounce that brings locked variables to rest; what is leant on may be left."""
        from linkwork.analyses.simulation.impacts import not_left

        kept = sorted(self.modes.touching)
        self._impulse({}, kept)
        self.modes.touching = set(not_left(self, kept))

    def _set(self, values: dict[str, float]) -> None:
        """Other values of named states, and other numbers from now on."""
        from linkwork.numerics.stepping.problem import settle

        names = [plan.name for plan in self.machine._plan.states]
        x = self.z[self.p.layout.x]
        for name in [name for name in values if name in names]:
            x[names.index(name)] = values.pop(name)
        if not values:
            return
        try:
            self.machine = self.machine.with_parameters(values)
        except LinkworkError as error:
            raise Halt(f"at {self.t:.6g} s: {error}") from None
        self._engage()
        self._refresh()
        if settle(self.p, self.t, self.z) < 0.0:
            raise Halt(f"at {self.t:.6g} s: the loops do not close with {', '.join(values)} as set")

    # ---------------------------------------------------------------- controllers

    def _control(self) -> None:
        """Ask the controller, and hold what it says until it is asked again."""
        from linkwork.analyses.simulation.controlling import held_efforts

        p = self.p
        effort = held_efforts(self.asked, self.machine, self.t, *p.layout.split(self.z))
        p.given_effort[:] = effort
        p.effort[:] = effort


def _conservative(machine: Machine, events: Sequence[Event]) -> bool:
    """Whether nothing but gravity and springs without damping acts, now and later."""
    from linkwork.equations.load_plans import SpringPlan

    numbers = machine.parameters
    later = {name for event in events if not isinstance(event, Stop) for name, _ in event.actions.set}
    return all(
        isinstance(load, SpringPlan)
        and load.law is None
        and not numbers.get(f"{load.name}.damping")
        and f"{load.name}.damping" not in later
        for load in machine._plan.loads
    )


def load(session: Session) -> None:
    """State and time to where the kernels read them."""
    from linkwork.numerics.stepping import problem

    problem.load(session.p, session.t, session.z)


def look_at(session: Session) -> None:
    """Gaps and conditions at the present state."""
    p = session.p
    y, w, t, *states = with_time(session)
    if p.gaps_at:
        found = session.engine._gaps()
        assert found is not None
        p.g[:], p.dg[:], p.G[:], p.gamma[:] = found(y, w, t)
    if p.watched_at:
        found = session.engine._watched()
        assert found is not None
        p.watched[:] = found(y, w, t, *states)
    p.y[:], p.w[:], p.states[:] = p.layout.split(session.z)


def with_time(session: Session) -> tuple[Array, ...]:
    """Variables, rates and time of the present state, and named states where the machine has some."""
    y, w, x = session.p.layout.split(session.z)
    return (y, w, np.array([session.t]), *([x] if x.size else []))


def rates_of(session: Session) -> None:
    """Accelerations and forces of rows at the present state."""
    from linkwork.numerics.stepping.problem import rates

    rates(session.p, session.t, session.z, session.f)
