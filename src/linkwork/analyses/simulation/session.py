"""One simulation while it runs: the compiled loop is driven from stop to stop, and events are dealt with in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.simulation.active_set import ActiveSet
from linkwork.analyses.simulation.asked import FIXED, Asked
from linkwork.analyses.simulation.compiling import say_once
from linkwork.analyses.simulation.controlling import held_efforts
from linkwork.analyses.simulation.course import Course
from linkwork.analyses.simulation.eliminations import LOST as RANKLESS
from linkwork.analyses.simulation.eliminations import NEARLY, anew, independence, others, served, weakened, write_known
from linkwork.analyses.simulation.engine import Engine, Equipment
from linkwork.analyses.simulation.halting import Halt
from linkwork.analyses.simulation.hurdles import assert_finite_loads, is_conservative, is_dead_centre, momenta
from linkwork.analyses.simulation.journal import CHANGED, LOST, Journal
from linkwork.analyses.simulation.jumping import chattering, jumped, remedy, smooth
from linkwork.analyses.simulation.leaping import leapt
from linkwork.analyses.simulation.listening import Listener, Watch, jump_of
from linkwork.analyses.simulation.records import done
from linkwork.analyses.simulation.relief import relieved
from linkwork.errors import InputError, LinkworkError, Problem
from linkwork.geometry import Array
from linkwork.model.events import Actions, At, When

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

CHUNK = 512
"""Steps of one call of the compiled loop: Ctrl-C is heard in between."""
APART = 2
"""Steps an event from which on events within a thousandth of the time so far do not end a simulation, however many they
are: then it is the motion that is quick."""
EASY, SELDOM = 3.0, 10
"""Length of a step times the largest eigenvalue up to which explicit steps of this length are stable; implicit steps
after which that is looked at."""
SINGULAR = 1e4
"""Health, each pivot as one part of its sum, from which on a posture is told as nearly singular."""
WAYS = {
    "explicit": "Explicit", "radau": "Radau", "exponential": "Exponential", "exponential-static": "Static",
    "variational": "Variational", "variational-4": "Composed",
}  # fmt: skip


class Session(Course):
    """A simulation on its way; `run` brings it to its end. Whoever listens is told of everything that happens."""

    def __init__(
        self,
        asked: Asked,
        progress: Callable[[float, float], None] | None = None,
        listener: Listener | None = None,
    ) -> None:
        self.asked, self.progress, self.listener = asked, progress, listener
        self.machine: Machine = asked.machine
        self.modes = ActiveSet(asked, APART)
        self.method = "explicit" if asked.method == "auto" else asked.method
        self.warnings: list[str] = list(asked.warnings)
        self.status, self.message = "complete", ""
        self.trails = []
        self.methods: list[str] = []
        self.evaluations = 0
        self.chapters: list[tuple[float, Engine, Array]] = []
        """Since when [s] which energies count, and with which loads on: masses and loads may change."""
        self.target = 0.0
        """Where the loop is bound for [s]."""
        self.journal = Journal(self.modes, asked.loops)
        self._judged = 0.0
        self.elimination = asked.machine._forward_dynamics.elimination
        self.least_independence, self.searched_at = 1.0, -1.0
        """Of the rows where pivots were weak, as a part of the usual one; and when [s] others were looked for."""
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
            jumps=modes.switches > 0,
            counted=moved or modes.are_moved() or not is_conservative(self.machine, asked.events),
            energies=bool(asked.events or asked.driven or modes.grips),
        )

    def engage(self) -> None:
        """Kernels and arrays for the machine and the method as they are now."""
        import linkwork.numerics.stepping.methods as methods
        from linkwork.numerics.stepping.active import PAUSES

        asked, modes = self.asked, self.modes
        loops = self.machine._loops
        engine = Engine(loops, self.elimination, self._needs(), others=others(loops, self.elimination))
        before = getattr(self, "p", None)
        self.p = engine.problem(
            asked.rtol, asked.atol, asked.laws, asked.pushed, modes.most_rows, asked.efforts, modes.elastic
        )
        write_known(self.machine, self.p)
        if before is not None:
            self.evaluations += int(before.evaluations[0])
            for name in ("slip", "switch", "given_effort", "effort", "held", "side"):
                getattr(self.p, name)[:] = getattr(before, name)
        else:
            self.active = modes.arrays(self.p.n)
        self.active.counts[PAUSES] = asked.method == "auto" and self.method == "radau"  # to look whether it is eased
        self.engine = engine
        say_once(self.method)
        self.stepper, size = methods.method_of(getattr(methods, WAYS[self.method]), self.p.n)
        self.store = np.zeros(size)
        if self.method not in self.methods:
            self.methods.append(self.method)
        if self.listener is not None:
            self.listener.engaged()
        self._begin_chapter(self.t, self.p.switch.copy())

    def _begin_chapter(self, t: float, switch: Array) -> None:
        """From a time on energies are those of the machine and the loads as they are."""
        self.chapters.append((t, self.engine, switch))
        if self.listener is not None:
            self.listener.chapter(t, switch)

    def _begin(self) -> None:
        from linkwork.numerics.stepping import advance as loop
        from linkwork.numerics.stepping.active import LISTENED

        asked = self.asked
        self.state = np.zeros(loop.STATES)
        if self.listener is not None:
            self.listener.attached(self)
        self.engage()
        p = self.p
        self.active.counts[LISTENED] = self.listener is not None
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

    def _heard(self) -> None:
        """Take over what compiled functions have logged, and tell of it."""
        from linkwork.numerics.stepping.active import JUMPED

        for t, *switch in self.journal.take(self.active).tolist():
            self._begin_chapter(t, np.array(switch))
        if self.active.counts[JUMPED]:
            self.active.counts[JUMPED] = 0
            if self.listener is not None:
                self.listener.jumped(jump_of(self.active))

    # ---------------------------------------------------------------- run

    def run(self) -> None:
        """To the end, or until something stops it; everything reached so far is kept."""
        from linkwork.numerics.stepping.laws import breaks_of

        asked = self.asked
        at = list(enumerate(self.modes.ats))
        stops = sorted({asked.until, *breaks_of(asked.laws), *(e.time for _, e in at)})
        ticks = 0
        try:
            self._first()
            while True:
                while at and at[0][1].time <= self.t:
                    self._timed(*at.pop(0))
                if self.t >= asked.until:
                    break
                target = next(t for t in stops if t > self.t)
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

    def _tell_unseen(self) -> None:
        """Crossings may have been overlooked where a number stays next to zero."""
        from linkwork.numerics.stepping import advance as loop

        if self.state[loop.UNSEEN] > 0.0:
            names = ", ".join(dict.fromkeys(f"'{event.name or event.condition}'" for event in self.modes.whens))
            text = f"around {self.state[loop.UNSEEN]:.4g} s bounds do not decide whether a condition crosses zero"
            self.warnings.append(f"{text} ({names}): crossings closer together than parts of a step are not told")

    def _go(self, target: float) -> None:
        """On to a time; a new mode begins wherever the laws have a corner or something happened."""
        from linkwork.numerics.stepping import advance as loop
        from linkwork.numerics.stepping.driving import go

        self.target = target
        if self.listener is not None:
            self.listener.departs()
        self._eased()
        self._turn()
        while True:
            code, taken = go(
                self.stepper, self.p, self.active, self.store, self.state, self.z, self.f, target, self.samples,
                self.trail_t, self.trail,
            )  # fmt: skip
            self.trails.append((self.trail_t[:taken].copy(), self.trail[:taken].copy()))
            self._heard()
            if self.progress is not None:
                self.progress(self.t, self.asked.until)
            if code == loop.DONE:
                break
            if code == loop.STIFF:
                self._stiff()
            elif code == loop.SICK:
                self._sick()
            elif code == loop.WEAKENS:
                weakened(self)
            elif code == loop.SHORT:
                self._too_short()
            elif code == loop.FAINT:
                self._faint(self.trail[taken, : self.p.ny])
            elif code != loop.PAUSED:
                self._follow(self._event(code, False))
                self.store[:] = 0.0
            if self.t >= target:  # by a leap; forces may not determine how it would go on from there
                break
            self._eased()
        if self.listener is not None:
            self.listener.arrived()

    def ends_at(self, target: float) -> bool:
        """Whether the run ends at a time, and nothing would change the forces there if it went on."""
        return target == self.asked.until and not self.asked.laws

    def _last_samples(self) -> None:
        """Samples up to now that an event or the end left out."""
        from linkwork.numerics.stepping.driving import last_samples

        if self.listener is not None:
            if not self.listener.keeps_last_samples():
                return
            self.listener.arrived()
        last_samples(self.p, self.samples, self.state, self.z, self.f)
        if self.listener is not None:
            self.listener.arrived()

    # ---------------------------------------------------------------- events

    def _first(self) -> None:
        """The active set in which the start is."""
        from linkwork.numerics.stepping.active import BEYOND
        from linkwork.numerics.stepping.happening import DEEP, begin

        code = begin(self.p, self.active, self.state, self.z)
        self._heard()
        if code == BEYOND:
            beyond, size = [], max(self.machine._loops.length, 1.0)
            for own in self.modes.sides:
                depth = own.side * (self.p.g[own.gap] - own.limit)
                if depth > DEEP * size:
                    text = f"the start is beyond the stop '{own.name}' by {depth:.3g}"
                    beyond.append(Problem(text, "start", "start within its limits"))
            raise InputError(beyond, self.machine.name)
        self._turned()

    def _turn(self) -> None:
        """A corner of laws, and what follows from it at once."""
        from linkwork.numerics.stepping.active import UNFOLLOWED
        from linkwork.numerics.stepping.driving import turn

        code = turn(self.p, self.active, self.state, self.z)
        self._heard()
        if code == UNFOLLOWED:
            raise Halt(f"the drives cannot be followed at {self.t:.6g} s")
        self._turned()
        self._follow(True)

    def _turned(self) -> None:
        if self.listener is not None:
            self.listener.turned()

    def _timed(self, which: int, event: At) -> None:
        from linkwork.numerics.stepping.happening import timed

        if self.modes.acts_alone(event):
            self._heard()
            self._go_on(timed(self.p, self.active, self.state, self.z, which), event)
        else:
            self._act(event)
        self._turned()

    def _go_on(self, code: int, event: When | At) -> None:
        from linkwork.numerics.stepping.active import ENDED

        self._heard()
        if code == ENDED:
            self._turned()
            raise Halt(f"{done(self.t, event).name} at {self.t:.6g} s")

    def _follow(self, looks: bool) -> None:
        """What follows at once from a jump; looks : whether there may be something."""
        from linkwork.numerics.stepping import advance as loop
        from linkwork.numerics.stepping.active import OK
        from linkwork.numerics.stepping.driving import follow_up
        from linkwork.numerics.stepping.happening import at_once

        while looks:
            if self.listener is not None:
                if not at_once(self.p, self.active, self.state, self.z, self.f):
                    return
                looks = self._event(loop.EVENT, True)
                continue
            code = follow_up(self.p, self.active, self.state, self.z, self.f)
            self._heard()
            if code == OK:
                return
            looks = self._event(code, True)

    def _event(self, code: int, follows: bool) -> bool:
        """Deal with what has fired at this instant, as far as compiled functions have not; code : why they came back.

        Returns whether something may follow from it at once.
        """
        from linkwork.numerics.stepping import active as on
        from linkwork.numerics.stepping.advance import EVENT
        from linkwork.numerics.stepping.happening import deal

        fired = self.modes.fired(self.active)
        if code == EVENT and self.listener is not None:
            self.listener.before_event(fired, follows)
        while code not in (on.OK, on.ACT):
            if code == on.HARD:
                self._answer()
            elif code == on.SWITCHES:
                self._switched([w for w in fired if w.what == "jump"])
            elif code == on.CROWDS:
                self._crowded()
            elif code == on.ENDED:  # in order of the events: the last one that was logged
                self._heard()
                raise Halt(f"{self.journal.happened[-1].name} at {self.t:.6g} s")
            code = deal(self.p, self.active, self.state, self.z)
            self._heard()
        if code == on.ACT:
            for w in fired:
                if w.what == "when":
                    self._crossed(w)
        on.write_watches(self.p, self.active, self.t, self.z)
        if self.listener is not None:
            self.listener.after_event()
        return True

    def _crossed(self, w: Watch) -> None:
        from linkwork.numerics.stepping.happening import counts, crossed

        event = self.modes.whens[w.which]
        if self.modes.acts_alone(event):
            self._go_on(crossed(self.p, self.active, self.state, self.z, w.which, w.sign), event)
            if event.actions != Actions():
                self._turned()
        elif counts(self.active, w.which, w.sign):
            self._act(event)
            self._turned()

    def _switched(self, jumps: Sequence[Watch]) -> None:
        """Formulas jump; those that would jump back at once are smoothed from now on."""
        from linkwork.numerics.stepping.active import JUMP, WHAT

        formulas = self.machine._plan.switched
        for own in jumped(self, self.active, jumps):
            if self.listener is not None:
                self.listener.chatters(own)
            width = smooth(self, self.active, own)
            told = f"{chattering(formulas, self.t, own)}: the jump is smoothed over {width:.2g}"
            self.warnings.append(f"{told}; {remedy(formulas, own)}")
        self.active.fired[self.active.whose[:, WHAT] == JUMP] = 0

    def _answer(self) -> None:
        """Whether frictions that have given way are relieved by others."""
        from linkwork.numerics.stepping.active import ANSWERED, FRICTIONS, TOUCHED

        active = self.active
        m, n = int(active.counts[FRICTIONS]), int(active.counts[TOUCHED])
        of = active.question_of[: m + n]
        found = relieved(active.question[: m + n, : m + n], of[:, 0], of[:m, 1:3], of[:m, 3], of[m:, 3])
        active.counts[ANSWERED] = 2 if found is None else 1
        active.answer[: m + n] = 0.0 if found is None else found

    def _crowded(self) -> None:
        """Events crowd together without end."""
        from linkwork.numerics.stepping.active import CROWDED, RECENT

        self._heard()
        since = self.active.recent[int(self.active.counts[RECENT]) % CROWDED, 0]
        names = ", ".join(dict.fromkeys(h.name for h in self.journal.happened[-10:]))
        text = f"{CROWDED} events within {self.t - since:.3g} s at {self.t:.6g} s ({names})"
        raise Halt(f"{text}: they follow each other without end")

    # ---------------------------------------------------------------- why it came back

    def _stiff(self) -> None:
        if self.listener is not None and self.listener.explicit:
            if not any("stiff" in text for text in self.warnings):
                text = f"stiff at {self.t:.4g} s: stability, not accuracy, holds the steps short"
                self.warnings.append(f"{text}; with sensitivities the steps stay explicit")
        elif self.asked.method == "auto":
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
        self.engage()
        self.refresh()
        self.state[loop.STEP] = 0.0
        self._judged = self.state[loop.STEPS]

    def _sick(self) -> None:
        """Pivots fail: the motion leads past a singular posture, or another elimination serves here, or it ends."""
        if self.listener is not None:
            self.listener.arrived()
        loops, plan = self.machine._loops, self.machine._plan
        y = self.z[: plan.ny]
        if not np.isfinite(self.z).all():
            self._not_finite()
        assert_finite_loads(self, self.machine._loops)
        left = independence(self)
        self.least_independence = min(self.least_independence, left)
        if left > RANKLESS and anew(self, y):  # the rows are sound: other pivots serve
            pass
        elif leapt(self, self.target, self.ends_at(self.target), self.journal.since):
            self._watch()
        elif not anew(self, y):
            loose = Posture(loops, y.copy()).independent
            text = f"singular posture at {self.t:.6g} s: forces do not determine how it goes on"
            raise Halt(f"{text}; {', '.join(loose)} move by themselves there")
        if self.listener is not None:
            self.listener.leapt()

    def _faint(self, y: Array) -> None:
        """The posture of an event is one where the pivots fail; if no others serve there, it is taken as it is."""
        from linkwork.numerics.stepping import advance as loop

        self.state[loop.HARDY] = 0.0 if served(self, y) else 1.0

    def _not_finite(self) -> None:
        raise Halt(f"numbers without bound at {self.t:.6g} s")

    def _too_short(self) -> None:
        from linkwork.numerics.stepping import advance as loop

        if self.listener is not None:
            self.listener.arrived()
        assert_finite_loads(self, self.machine._loops)
        if (
            self.p.worst[0] > SINGULAR
            and self.method not in FIXED
            and independence(self) < NEARLY
            and leapt(self, self.target, self.ends_at(self.target), self.journal.since)
        ):
            self._watch()
            if self.listener is not None:
                self.listener.stuck()
            return
        h = self.state[loop.STEP]
        if self.state[loop.BAD] == loop.OPEN:
            raise Halt(f"the loops cannot be closed beyond {self.t:.6g} s: step {h:.3g} s")
        if self.method in FIXED:
            raise Halt(f"a step of {h:.3g} s from {self.t:.6g} s has no solution; take a smaller `step`")
        if is_dead_centre(self.machine._loops, [d.column for d in self.asked.driven], self.z[: self.p.ny]):
            names = ", ".join(d.name for d in self.asked.driven)
            raise Halt(f"dead centre at {self.t:.6g} s: {names} cannot be driven beyond it")
        hint = "the motion may have no continuation there, or a load jumps: make the jump an event"
        raise Halt(f"the step became too short at {self.t:.6g} s ({h:.3g} s); {hint}")

    # ---------------------------------------------------------------- actions

    def refresh(self) -> None:
        """Rows and watches of the active set into fresh arrays."""
        from linkwork.numerics.stepping.happening import refresh

        refresh(self.p, self.active, self.state, self.z)

    def _watch(self) -> None:
        """The rows of the active set, and what ends it."""
        from linkwork.numerics.stepping.active import write_watches

        write_watches(self.p, self.active, self.t, self.z)

    def _energies(self) -> tuple[float, float]:
        """Kinetic and potential now [J]."""
        y, w, x = self.p.layout.split(self.z)
        states = [x] if x.size else []
        kinetic, potential, _ = self.engine.energies(y, w, np.array([self.t]), self.p.slip, self.p.switch, *states)
        return float(kinetic), float(potential)

    def _act(self, event: When | At) -> None:
        """Do what an event is for that gives numbers other values."""
        from linkwork.numerics.stepping.happening import hold_still, rechoose

        modes, p, old, active, actions = self.modes, self.p, self.machine, self.active, event.actions
        record = done(self.t, event)
        self.journal.record(record)
        moving, stored = self._energies()
        which = next(k for k, own in enumerate(modes.acting) if own is event)
        switching, locking = active.switching[which], active.locking[which]
        p.switch[switching >= 0] = switching[switching >= 0]
        self._begin_chapter(self.t, p.switch.copy())
        active.locked[locking < 0] = 0
        self._set(dict(actions.set))
        changed = sum(self._energies())
        if actions.from_rest:  # what is added does not move yet
            changed = moving + self._energies()[1]
            self._take_along(old)
        self.journal.jump(self.t, changed - moving - stored, CHANGED)
        if actions.lock:
            locks = np.flatnonzero(locking > 0)
            active.locked[locks] = 1 + active.places[locks]
            active.lock_value[locks] = self.z[active.places[locks]]
            hold_still(self.p, active, self.t, self.z)
            self._heard()
        self.journal.jump(self.t, sum(self._energies()) - changed, LOST)
        rechoose(self.p, active, self.t, self.z)
        self.refresh()
        if actions.stop:
            self._turned()
            raise Halt(f"{record.name} at {self.t:.6g} s")

    def _take_along(self, old: Machine) -> None:
        """The momenta that the machine had before its masses changed are all there is: what was added comes from
        rest."""
        from linkwork.numerics.stepping.happening import hold_still

        y, w, _ = self.p.layout.split(self.z)
        missing = momenta(old, y, w) - momenta(self.machine, y, w)
        w += self.engine.response_by(self.p.number("active"))(y, missing, np.zeros(self.machine._plan.nl))
        hold_still(self.p, self.active, self.t, self.z)
        self._heard()

    def _set(self, values: dict[str, float]) -> None:
        """Other values of named states, and other numbers from now on."""
        from linkwork.numerics.stepping.problem import settle

        names = [plan.name for plan in self.machine._plan.states]
        x = self.z[self.p.layout.x]
        states = [name for name in values if name in names]
        numbers = {name: value for name, value in values.items() if name not in names}
        if self.listener is not None:
            self.listener.setting([names.index(name) for name in states], numbers)
        for name in states:
            x[names.index(name)] = values[name]
        if not numbers:
            return
        try:
            self.machine = self.machine.with_parameters(numbers)
        except LinkworkError as error:
            raise Halt(f"at {self.t:.6g} s: {error}") from None
        self.engage()
        self.refresh()
        if settle(self.p, self.t, self.z) < 0.0:
            raise Halt(f"at {self.t:.6g} s: the loops do not close with {', '.join(numbers)} as set")
        if self.listener is not None:
            self.listener.set_numbers()

    # ---------------------------------------------------------------- controllers

    def _control(self) -> None:
        """Ask the controller, and hold what it says until it is asked again."""
        p = self.p
        effort = held_efforts(self.asked, self.machine, self.t, *p.layout.split(self.z))
        p.given_effort[:] = effort
        p.effort[:] = effort
