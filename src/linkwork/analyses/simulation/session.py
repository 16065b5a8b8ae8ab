"""One simulation while it runs: the compiled loop is driven from stop to stop, and events are dealt with in between."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.simulation.asked import FIXED, Asked
from linkwork.analyses.simulation.engine import Engine, Equipment
from linkwork.analyses.simulation.modes import AT_REST, Modes, Watch, tables, ways
from linkwork.equations import simulation as equations
from linkwork.equations.elimination_search import find_elimination
from linkwork.equations.tree import Weightless
from linkwork.errors import LinkworkError, ModelError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.model.events import Actions, At
from linkwork.results.simulation_evidence import Happening

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

CHUNK = 512
"""Steps of one call of the compiled loop: Ctrl-C is heard in between."""
ZENO = 1e-10
"""A bounce shorter than this part of the time so far [s] is none: the machine rests on the stop."""
CROWDED = 2000
"""Events within a thousandth of the time simulated so far that end a simulation."""
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
        self.jumps: list[tuple[float, float]] = []
        """Times [s] of jumps of the energy [J], by impacts and changes of mass."""
        self.methods: list[str] = []
        self.evaluations = 0
        self._bounces: dict[int, int] = {}
        self._recent: deque[float] = deque(maxlen=CROWDED)
        self._overrides: dict[str, float] = {}
        self._switch: Array | None = None
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
            counted=moved or bool(modes.locked) or not _conservative(asked.loops.plan),
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
            for name in ("slip", "switch", "given_effort", "effort"):
                getattr(self.p, name)[:] = getattr(before, name)
        self.engine = engine
        self.stepper, size = methods.method_of(getattr(methods, WAYS[self.method]), self.p.n)
        self.store = np.zeros(size)
        if self.method not in self.methods:
            self.methods.append(self.method)

    def _begin(self) -> None:
        from linkwork.numerics.stepping import advance as loop

        asked = self.asked
        self._engage()
        p = self.p
        self.z, self.f = np.concatenate([asked.y, asked.w]), np.zeros(p.n)
        self.state = np.zeros(loop.STATES)
        self.state[loop.LONGEST] = asked.step if asked.step is not None else asked.until
        if self.method in FIXED:
            self.state[loop.FIXED], self.state[loop.STEP] = 1.0, asked.step
        count = len(asked.times)
        self.samples = loop.Samples(
            times=asked.times, Z=np.full((count, p.n), np.nan), A=np.full((count, p.nw), np.nan),
            E=np.zeros((count, p.nw)), P=np.zeros((count, len(self.modes.gaps))),
            H=np.zeros((count, len(self.modes.grips))),
        )  # fmt: skip
        self.trail_t, self.trail = np.empty(CHUNK), np.empty((CHUNK, p.n + p.nw + 1))

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
        stops = {t for t in (*breaks_of(asked.laws), *(e.time for e in at)) if 0.0 < t < asked.until}
        try:
            self._first()
            for event in [e for e in at if e.time == 0.0]:
                self._act(event.actions, event.name or "at 0 s", str(event.actions))
            ticks = 0
            while self.t < asked.until:
                target = min((t for t in stops if t > self.t), default=asked.until)
                if asked.controller is not None:
                    self._control()
                    ticks += 1
                    target = min(target, ticks * asked.period) if ticks * asked.period > self.t else target
                self._go(min(target, asked.until))
                for event in [e for e in at if e.time == self.t and e.time > 0.0]:
                    self._act(event.actions, event.name or f"at {event.time:g} s", str(event.actions))
            self._last_sample()
        except Halt as halt:
            self.status, self.message = "stopped", str(halt)
        except KeyboardInterrupt:
            self.status, self.message = "stopped", f"interrupted at {self.t:.6g} s"

    def _enter(self) -> None:
        from linkwork.numerics.stepping.laws import enter_laws

        enter_laws(self.p.law_edges, self.p.law_starts, self.p.last, self.t)

    def _corner(self) -> None:
        """Enter the next pieces of the laws; where the rate of a drive jumps, all rates jump with it."""
        from linkwork.numerics.stepping.problem import settle

        self._enter()
        if self.asked.driven and self.t > 0.0:
            self.modes.write_rows(self.p)
            before = self._energy()
            if settle(self.p, self.t, self.z) < 0.0:
                raise Halt(f"the drives cannot be followed at {self.t:.6g} s")
            self.jumps.append((self.t, self._energy() - before))

    def _go(self, target: float) -> None:
        """On to a time; a new mode begins wherever the laws have a corner or something happened."""
        from linkwork.numerics.stepping import advance as loop

        self._corner()
        self.state[loop.FRESH] = 0.0
        self._watch()
        while True:
            code, taken = loop.advance(
                self.stepper, self.p, self.store, self.state, self.z, self.f, target, self.samples,
                self.table, self.offsets, self.before, self.fired, self.trail_t, self.trail,
            )  # fmt: skip
            self.trails.append((self.trail_t[:taken].copy(), self.trail[:taken].copy()))
            if self.progress is not None:
                self.progress(self.t, self.asked.until)
            if code == loop.DONE:
                return
            if code == loop.EVENT:
                self._event()
                self._watch()
                self.store[:] = 0.0
            elif code == loop.STIFF:
                self._stiff()
            elif code == loop.SICK:
                self._sick()
            elif code == loop.SHORT:
                self._too_short()

    def _last_sample(self) -> None:
        """Samples at the very end that an event left out."""
        from linkwork.numerics.stepping import advance as loop

        while self.reached < len(self.asked.times):
            rates_of(self)
            loop.note(self.p, self.samples, self.reached, self.z, self.f)
            self.state[loop.NEXT] += 1.0

    # ---------------------------------------------------------------- why it came back

    def _stiff(self) -> None:
        from linkwork.numerics.stepping import advance as loop

        if self.asked.method == "auto":
            self.warnings.append(f"stiff from {self.t:.4g} s on: the steps are implicit there (radau)")
            self.method = "radau"
            self._engage()
            self._refresh()
            self.state[loop.STEP] = 0.0
        elif not any("stiff" in text for text in self.warnings):
            text = f"stiff at {self.t:.4g} s: stability, not accuracy, holds the steps short; method='radau' is quicker"
            self.warnings.append(text)

    def _sick(self) -> None:
        """Pivots fail: the motion leads past a singular posture, or another elimination serves here, or it ends."""
        from linkwork.analyses.forces.states import states_around
        from linkwork.analyses.simulation.leaping import leapt

        loops, plan = self.machine._loops, self.machine._plan
        y = self.z[: plan.ny]
        if not np.isfinite(self.z).all():
            self._not_finite()
        self._assert_finite_loads()
        if leapt(self):
            self._watch()
            return
        before = self._elimination
        try:
            posture = Posture(loops, y.copy())
            states = states_around(loops, posture, seed=2 + len(self.methods))
            numbers, constants = loops.system._formulas.numbers(loops.system.parameters, True)
            self._elimination = find_elimination(plan, numbers, constants, states)
        except (LinkworkError, Weightless) as error:
            raise Halt(f"singular posture at {self.t:.6g} s: {error}") from None
        if self._elimination.key == before.key:
            loose = posture.independent
            text = f"singular posture at {self.t:.6g} s: forces do not determine how it goes on"
            raise Halt(f"{text}; {', '.join(loose)} move by themselves there")
        self._engage()
        self._refresh()

    def _assert_finite_loads(self) -> None:
        from linkwork.analyses.forces.finite import loads_must_be_finite

        plan = self.machine._plan
        y, w = self.z[np.newaxis, : plan.ny], self.z[np.newaxis, plan.ny :]
        try:
            loads_must_be_finite(self.machine._loops, y, w, np.array([[self.t]]))
        except ModelError as error:
            raise Halt(f"at {self.t:.6g} s: {error.problems[0].what}") from None

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
        hint = "the motion may have no continuation there, or a load jumps: make the jump an event"
        raise Halt(f"the step became too short at {self.t:.6g} s ({h:.3g} s); {hint}")

    # ---------------------------------------------------------------- modes

    def _refresh(self) -> None:
        """Rows and watches of the present mode into fresh arrays."""
        self._enter()
        self.p.y[:], self.p.w[:] = self.z[: self.p.ny], self.z[self.p.ny :]
        self.owners = self.modes.write_rows(self.p)
        self.state[2] = 0.0
        self._watch()

    def _watch(self) -> None:
        p = self.p
        _look(self)
        self.owners = self.modes.write_rows(p)
        hold = self._hold() if self.modes.grips else np.zeros((0, 2))
        self.watched: list[Watch] = self.modes.watches(p, self.owners, hold)
        self.table, self.offsets = tables(self.watched)
        for s, beyond in enumerate(self.modes.beyond):
            p.soft[s, 2] = beyond
        self.before, self.fired = np.zeros(len(self.watched)), np.zeros(len(self.watched), np.int64)

    def _hold(self) -> Array:
        """What exact frictions can hold, (grips, 2)."""
        kernel = self.machine._loops.system._own(Question(equations.grips()))
        p = self.p
        found: Array = np.asarray(kernel(self.z[: p.ny], self.z[p.ny :], np.array([self.t])))
        return found

    def _first(self) -> None:
        """The mode in which the start is."""
        self._enter()
        self.modes.write_rows(self.p)
        _look(self)
        p, modes = self.p, self.modes
        modes.above = [bool(value > 0.0) for value in p.watched]
        modes.beyond = [own.side * (p.g[own.gap] - own.limit) > 0.0 for own in modes.soft]
        size = self.machine._loops.length
        near: list[int] = []
        striking: list[int] = []
        for k, own in enumerate(modes.sides):
            depth = own.side * (p.g[own.gap] - own.limit)
            if depth > 1e-9 * max(size, 1.0):
                text = f"the start is beyond the stop '{own.name}' by {depth:.3g}"
                raise ModelError(Problem(text, "start", "start within its limits"), self.machine.name)
            if depth > -1e-12 * max(size, 1.0):
                (striking if own.side * p.dg[own.gap] > AT_REST else near).append(k)
        if striking:
            self._strike(striking)
        else:
            self._choose(near, self._resting())

    def _resting(self) -> list[int]:
        """Exact frictions whose joint is at rest; the others slip the way it goes."""
        p, still = self.p, []
        usual = np.abs(self.z[p.ny :] / self.machine._loops.column_scale).max(initial=0.0)
        for k, grip in enumerate(self.modes.grips):
            rate = self.z[p.ny + grip.column]
            if abs(rate) <= AT_REST * max(usual, 1e-3) * self.machine._loops.column_scale[grip.column]:
                self.z[p.ny + grip.column] = 0.0
                still.append(k)
            else:
                p.slip[k] = np.sign(rate)
                self.modes.stuck.discard(k)
        return still

    def _choose(self, near: list[int], still: list[int], broken: Sequence[int] = ()) -> None:
        """Which frictions at rest stick, and which stops that are touched at rest are leant on.

        broken : frictions that have just given way, and do not stick
        """
        if not near and not still:
            self._watch()
            return
        hold = self._hold() if still else np.zeros((0, 2))
        fallback: tuple[float, tuple[int, ...]] | None = None
        for way in ways(still, near, broken):
            wrong = self._tried(still, near, way, hold)
            if wrong <= 0.0:
                break
            if fallback is None or wrong < fallback[0]:
                fallback = (wrong, way)
        else:
            assert fallback is not None
            self._tried(still, near, fallback[1], hold)
        self._watch()

    def _tried(self, still: list[int], near: list[int], way: tuple[int, ...], hold: Array) -> float:
        """Take a way of sticking and leaning; how far it contradicts itself."""
        modes, p = self.modes, self.p
        for k, mode in zip(still, way, strict=False):
            modes.stuck.add(k) if mode == 0 else modes.stuck.discard(k)
            p.slip[k] = float(mode)
        for k, leans in zip(near, way[len(still) :], strict=True):
            modes.touching.add(k) if leans else modes.touching.discard(k)
        owners = modes.write_rows(p)
        rates_of(self)
        forces = dict(zip(owners, p.force[: len(owners)], strict=True))
        worst, scale = 0.0, 1e-9 * (1.0 + np.abs(p.a).max(initial=0.0))
        for k, mode in zip(still, way, strict=False):
            if mode == 0 and ("stuck", k) in forces:
                f = forces["stuck", k]
                slack = 1e-9 * (hold[k].max() + 1e-300)
                worst = max(worst, -hold[k, 0] - f - slack, f - hold[k, 1] - slack)
            elif mode != 0:
                worst = max(worst, -mode * p.a[modes.grips[k].column] - scale)
        _look(self)
        for k, leans in zip(near, way[len(still) :], strict=True):
            own = modes.sides[k]
            if leans:
                worst = max(worst, own.side * forces["touching", k] - 1e-9 * (1.0 + abs(forces["touching", k])))
            else:
                acceleration = float(p.G[own.gap] @ p.a + p.gamma[own.gap])
                worst = max(worst, own.side * acceleration - scale)
        return worst

    # ---------------------------------------------------------------- events

    def _event(self) -> None:
        fired = [self.watched[k] for k in np.flatnonzero(self.fired)]
        self._count()
        strikes = [w.which for w in fired if w.what == "stop"]
        lifts = [w.which for w in fired if w.what == "lift"]
        for k in lifts:
            own = self.modes.sides[k]
            self.modes.touching.discard(k)
            self.happened.append(Happening(self.t, own.name, "leaves the stop"))
        for w in fired:
            if w.what == "soft":
                own = self.modes.soft[w.which]
                left = own.side == w.sign
                self.modes.beyond[w.which] = not left
                self.happened.append(Happening(self.t, own.name, "leaves the stop" if left else "touches the stop"))
        for w in (w for w in fired if w.what == "when"):
            self._crossed(w)
        if strikes:
            self._strike(strikes)
        elif any(w.what in ("slip", "grip") for w in fired) or lifts:
            self._regrip([w.which for w in fired if w.what == "grip"], [w.which for w in fired if w.what == "slip"])
        self._limit_step()

    def _regrip(self, broken: list[int], halted: list[int]) -> None:
        modes, p = self.modes, self.p
        for k in halted:
            self.z[p.ny + modes.grips[k].column] = 0.0
        before = set(modes.stuck)
        still = sorted({*self._resting(), *broken, *halted, *before})
        near = sorted(modes.touching)
        self._choose(near, still, broken)
        for k in sorted({*broken, *halted}):
            name = modes.grips[k].name
            what = "sticks" if k in modes.stuck else "slips"
            if (k in before) != (k in modes.stuck) or k in halted:
                self.happened.append(Happening(self.t, name, what))

    def _crossed(self, w: Watch) -> None:
        event = self.modes.whens[w.which]
        rising = w.sign < 0
        self.modes.above[w.which] = rising
        if event.direction != "both" and rising != (event.direction == "rising"):
            return
        if event.once:
            self.modes.spent.add(w.which)
        self._act(event.actions, event.name or event.condition, str(event.actions))

    def _count(self) -> None:
        """Stop when events crowd together without end."""
        self._recent.append(self.t)
        if len(self._recent) == CROWDED and self.t - self._recent[0] < 1e-3 * max(self.t, 1e-9):
            names = ", ".join(dict.fromkeys(h.name for h in self.happened[-10:]))
            text = f"{CROWDED} events within {self.t - self._recent[0]:.3g} s at {self.t:.6g} s ({names})"
            raise Halt(f"{text}: they follow each other without end")

    def _limit_step(self) -> None:
        """The first step after an event must not leap over the next one: let it be found anew, and a short one."""
        from linkwork.numerics.stepping import advance as loop

        if self.method not in FIXED:
            before = self.state[loop.STEP]
            self.state[loop.STEP] = min(before, self._arc()) if before > 0.0 else self._arc()

    def _arc(self) -> float:
        """A part of the time after which a stop that was just left is met again."""
        p = self.p
        rates_of(self)
        _look(self)
        shortest = self.asked.until
        for k, own in enumerate(self.modes.sides):
            if k in self.modes.touching or abs(p.g[own.gap] - own.limit) > 1e-6 * max(self.machine._loops.length, 1.0):
                continue
            away = -own.side * p.dg[own.gap]
            back = own.side * float(p.G[own.gap] @ p.a + p.gamma[own.gap])
            if away > 0.0 and back > 0.0:
                shortest = min(shortest, 0.4 * 2.0 * away / back)
        return max(shortest, 1e-14 * max(self.t, 1e-3))

    # ---------------------------------------------------------------- impacts

    def _strike(self, sides: list[int]) -> None:
        """Impacts on stops, all at once, with what is held staying held."""
        modes, p = self.modes, self.p
        _look(self)
        before = self._energy()
        approach = {k: float(p.dg[modes.sides[k].gap]) for k in sides}
        kept = sorted(modes.touching - set(sides))
        struck = self._impulse({k: -modes.sides[k].stop.restitution * v for k, v in approach.items()}, kept)
        self.jumps.append((self.t, self._energy() - before))
        modes.touching = set(kept)
        modes.write_rows(p)
        rates_of(self)
        _look(self)
        still: list[int] = []
        bouncing: list[int] = []
        for k in sides:
            own = modes.sides[k]
            away = -own.side * float(p.dg[own.gap])
            back = own.side * float(p.G[own.gap] @ p.a + p.gamma[own.gap])
            bounce = 2.0 * away / back if back > 0.0 else np.inf
            rests = own.stop.restitution == 0.0 or (0.0 <= bounce < ZENO * max(self.t, 1e-6))
            (still if rests and k in struck else bouncing).append(k)
            speed = abs(approach[k])
            if rests:
                if self._bounces.get(k, 0) > 1:
                    own_rest = self.t + max(bounce, 0.0) / (1.0 - own.stop.restitution)
                    text = f"comes to rest after {self._bounces[k] + 1} bounces in ever shorter time"
                    self.happened.append(Happening(float(own_rest), own.name, text))
                else:
                    self.happened.append(Happening(self.t, own.name, f"struck at {speed:.6g}, stays"))
            else:
                self._bounces[k] = self._bounces.get(k, 0) + 1
                self.happened.append(Happening(self.t, own.name, f"struck at {speed:.6g}"))
        if still:
            self._impulse(dict.fromkeys(still, 0.0), kept)
            modes.touching = set(kept)
        self._choose([*kept, *still], self._resting() if modes.grips else [])

    def _impulse(self, wanted: Mapping[int, float], kept: list[int]) -> list[int]:
        """Jump of the rates that gives gaps wanted rates; stops only push. Returns the stops that took part.

        M Δw + Jᵀ Λ = Gᵀ P,  G (w + Δw) = wanted
        """
        from linkwork.numerics.stepping.problem import respond

        modes, p = self.modes, self.p
        active = [*wanted, *kept]
        while True:
            modes.touching = set(active)
            owners = modes.write_rows(p)
            _load(self)
            respond(p)
            rows = [_gradient(p, r) for r in range(len(owners))]
            if not rows:
                break
            G, X = np.array(rows), p.X[: len(rows)].copy()
            target = np.array([
                wanted.get(which, 0.0) - float(p.dg[modes.sides[which].gap]) if what == "touching" else 0.0
                for what, which in owners
            ])  # fmt: skip
            impulse = np.linalg.lstsq(G @ X.T, target, rcond=1e-12)[0]
            pulls = [
                which
                for (what, which), P in zip(owners, impulse, strict=True)
                if what == "touching" and modes.sides[which].side * P > 1e-12 * (1.0 + abs(P))
            ]
            if not pulls or len(active) == 1:
                self.z[p.ny :] += impulse @ X
                break
            active = [k for k in active if k not in pulls]
        return [k for k in active if k in wanted]

    def _energy(self) -> float:
        p = self.p
        kinetic, potential, _ = self.engine.energies(
            self.z[: p.ny], self.z[p.ny :], np.array([self.t]), p.slip, p.switch
        )
        return float(kinetic + potential)

    # ---------------------------------------------------------------- actions

    def _act(self, actions: Actions, name: str, what: str) -> None:
        """Do what an event is for."""
        modes, p = self.modes, self.p
        self.happened.append(Happening(self.t, name, what))
        plan = self.machine._plan
        before = self._energy()
        for names, value in ((actions.on, 1.0), (actions.off, 0.0)):
            for k, load in enumerate(plan.loads):
                if load.name in names:
                    p.switch[k] = value
        if actions.release:
            modes.release(actions.release)
        if actions.set:
            self._set(dict(actions.set), actions.from_rest)
        if actions.lock:
            modes.lock(self.z, actions.lock)
            self._hold_still()
        self.jumps.append((self.t, self._energy() - before))
        if actions.stop:
            self._refresh()
            raise Halt(f"{name} at {self.t:.6g} s")
        self._refresh()

    def _hold_still(self) -> None:
        """An impact without bounce that brings locked variables to rest."""
        from linkwork.numerics.stepping.problem import respond

        p = self.p
        owners = self.modes.write_rows(p)
        _load(self)
        respond(p)
        G, X = np.array([_gradient(p, r) for r in range(len(owners))]), p.X[: len(owners)].copy()
        target = np.array([-float(g @ self.z[p.ny :]) if what == "locked" else 0.0
                           for g, (what, _) in zip(G, owners, strict=True)])  # fmt: skip
        self.z[p.ny :] += np.linalg.lstsq(G @ X.T, target, rcond=1e-12)[0] @ X

    def _set(self, values: dict[str, float], from_rest: bool) -> None:
        """Other numbers from now on; what is taken along from rest slows the machine down."""
        from linkwork.numerics.stepping.problem import settle

        p, w = self.p, self.z[self.p.ny :].copy()
        self._overrides |= values
        old = self.machine
        momentum = _momenta(old, self.z[: p.ny], w) if from_rest else None
        try:
            self.machine = old.with_parameters(values)
        except LinkworkError as error:
            raise Halt(f"at {self.t:.6g} s: {error}") from None
        self._engage()
        self._refresh()
        if settle(self.p, self.t, self.z) < 0.0:
            raise Halt(f"at {self.t:.6g} s: the loops do not close with {', '.join(values)} as set")
        if momentum is not None:
            missing = momentum - _momenta(self.machine, self.z[: p.ny], w)
            engine, nothing = self.engine, np.zeros(self.machine._plan.nl)
            self.z[p.ny :] += engine.response(self.z[: p.ny], missing, nothing)

    # ---------------------------------------------------------------- controllers

    def _control(self) -> None:
        """Ask the controller, and hold what it says until it is asked again."""
        from linkwork.analyses.simulation.controlling import held_efforts

        p = self.p
        effort = held_efforts(self.asked, self.machine, self.t, self.z[: p.ny], self.z[p.ny :])
        p.given_effort[:] = effort
        p.effort[:] = effort


def _conservative(plan: Any) -> bool:
    """Whether nothing but gravity and springs without damping acts."""
    from linkwork.equations.load_plans import SpringPlan

    return all(
        isinstance(load, SpringPlan) and load.law is None and not plan.parameters.get(f"{load.name}.damping", 1.0)
        for load in plan.loads
    )


def _load(session: Session) -> None:
    from linkwork.numerics.stepping.problem import load

    load(session.p, session.t, session.z)


def _look(session: Session) -> None:
    """Gaps and conditions at the present state."""
    p, t = session.p, np.array([session.t])
    y, w = session.z[: p.ny], session.z[p.ny :]
    if p.gaps_at:
        found = session.engine._asked("gaps", session.modes.gaps)
        assert found is not None
        p.g[:], p.dg[:], p.G[:], p.gamma[:] = found(y, w, t)
    if p.watched_at:
        found = session.engine._asked("conditions", session.modes.conditions)
        assert found is not None
        p.watched[:] = found(y, w, t)
    p.y[:], p.w[:] = y, w


def rates_of(session: Session) -> None:
    """Accelerations and forces of rows at the present state."""
    from linkwork.numerics.stepping.problem import rates

    rates(session.p, session.t, session.z, session.f)


def _gradient(p: Any, r: int) -> Array:
    """What a row measures of rates."""
    if p.rows[r, 0] == 1:
        found: Array = p.G[p.rows[r, 1]].copy()
        return found
    unit = np.zeros(p.nw)
    unit[p.rows[r, 1]] = 1.0
    return unit


def _momenta(machine: Machine, y: Array, w: Array) -> Array:
    """Generalised momenta of all rates."""
    from linkwork.equations.closed_dynamics import unconstrained

    plan = machine._plan
    M, _ = machine._own(Question(unconstrained()))(y, w, np.zeros(plan.nw), np.zeros(1))
    found: Array = M @ w
    return found
