"""Simulation by other people's steps: SUNDIALS' IDA, by way of scikit-sundae, on equations from which nothing has been
eliminated (`index_two`). It is slow, since Python is called for every evaluation, and there to be compared with.

After each step the state is put onto the constraints, from there rows are chosen anew where that is called for, and
IDA begins again; else it goes on from its own numbers. IDA does not tell which of its steps it took back.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from linkwork.analyses.simulation.controllers import held_efforts
from linkwork.analyses.simulation.halt import Halt
from linkwork.analyses.simulation.outcome import Ended
from linkwork.analyses.simulation.question import Asked
from linkwork.analyses.simulation.runaway import causes_of, pace_of, warnings_of_speed, why_ended
from linkwork.equations import simulation as equations
from linkwork.equations.load_plans import exact_frictions
from linkwork.errors import InputError, MissingExtra, ModelError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.numerics.loops import interpreted
from linkwork.numerics.stepping.advance import STEPS, TIME
from linkwork.numerics.stepping.runaway import END, ON, STATES, note_start, verdict
from linkwork.results.simulation import Outcome

UNJUDGED = 1e30
"""Absolute tolerance of multipliers: of index 2, they are no measure of a step."""
SHORT, SHORTS = 1e-14, 50
"""Steps shorter than this part of the time, so many of them in a row, lead nowhere."""
NEAR = 1e-2
"""Margin of independence of the constraints below which a posture is told as nearly singular."""
SELDOM = 200
"""Steps after which progress is told."""
PLACES, SHARES = np.polynomial.legendre.leggauss(4)
"""Points and weights of Gauss on (-1, 1)."""


def run_ida(asked: Asked, progress: Callable[[float, float], None] | None = None) -> Ended:
    """A simulation from start to end; what IDA cannot do is refused."""
    _refuse(asked)
    course = _Course(asked, _solver_class(), progress)
    course.run()
    return course.ended()


def _solver_class() -> Any:
    try:
        from sksundae.ida import IDA
    except ImportError:
        raise MissingExtra("scikit-sundae", "sundials", "method='ida'") from None
    return IDA


def _refuse(asked: Asked) -> None:
    hint = "take method='explicit' or 'radau'"
    problems = [Problem(f"method 'ida' knows no events: {event}", "events", hint) for event in asked.events]
    for load in exact_frictions(asked.loops.plan.loads):
        text = "method 'ida' knows no friction that sticks"
        problems.append(Problem(text, load.name, f"{hint}, or give the friction form='smooth'"))
    if problems:
        raise InputError(problems, asked.machine.name)


class _Course:
    """A simulation on its way."""

    def __init__(self, asked: Asked, solver: Any, progress: Callable[[float, float], None] | None) -> None:
        from linkwork.analyses.simulation.index_two import IndexTwo

        self.asked, self.solver, self.progress = asked, solver, progress
        self.equations = IndexTwo(asked)
        self.energies = asked.loops.system.bound_kernel(Question(equations.energies(asked.loops.plan, frozenset())))
        self.t, self.y, self.w, self.x = 0.0, asked.y, asked.w, asked.x
        self.samples: list[tuple[Array, ...]] = []
        """Variables, rates, accelerations, efforts, named states and their derivatives."""
        self.times: list[float] = []
        self.trail: list[Array] = []
        self.changes: list[tuple[float, float]] = []
        self.status, self.message = "complete", ""
        self.work, self.correction = 0.0, 0.0
        self.evaluations = 0
        self.pace, self.state = pace_of(asked.loops), np.zeros(STATES)
        """How quick a machine is, and what is known of the run (`numerics.stepping.runaway`)."""
        self.state[END] = asked.until
        interpreted(note_start.py_func, (self.pace, self.state, np.concatenate([self.y, self.w, self.x])))

    def run(self) -> None:
        """To the end, or until something stops it."""
        asked, calls = self.asked, 0
        stops = [*asked.corners, asked.until]
        try:
            while self.t < asked.until:
                target = min(t for t in stops if t > self.t)
                if asked.controller is not None:
                    if self.t >= asked.tick(calls):
                        self.equations.held = held_efforts(asked, asked.machine, self.t, self.y, self.w, self.x)
                        calls += 1
                    target = min(target, asked.tick(calls))
                self._corner()
                while self.t < target:
                    self._follow(target)
                self._tell()
            self._note_here()
        except Halt as halt:
            self.status, self.message = "stopped", str(halt)
            with suppress(Halt):
                self._note_here()
        except KeyboardInterrupt:
            self.status, self.message = "stopped", f"interrupted at {self.t:.6g} s"

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(self.t, self.asked.until)

    def _corner(self) -> None:
        """Enter the next pieces of the laws; where the rate of a drive jumps, all rates jump with it."""
        self.equations.enter(self.t)
        self.equations.choose(self.y)
        if self.asked.driven and self.t > 0.0:
            before = self._energy()
            self.w = self.equations.jumped(self.t, self.y, self.w, self.x)
            self.changes.append((self.t, self._energy() - before))
        self._note_here()

    def _energy(self) -> float:
        kinetic, potential = self._energies(np.array([self.t]), self.y[np.newaxis], self.w[np.newaxis])
        return float(kinetic[0] + potential[0])

    # ---------------------------------------------------------------- steps

    def _begun(self) -> Any:
        """IDA at the present state, with rows that suit it."""
        own, asked = self.equations, self.asked
        own.choose(self.y)
        at = own.places
        atol = np.full(at.count, UNJUDGED)
        atol[at.y], atol[at.w] = asked.atol / asked.loops.variable_scale, asked.atol * own.size
        atol[at.states] = asked.atol * np.array([state.scale for state in asked.loops.plan.states])
        x, dx = own.start(self.t, self.y, self.w, self.x)
        if not np.isfinite([x, dx]).all():
            self._not_finite()

        def slopes(t: float, x: Array, dx: Array, residual: Array, c: float, out: Array) -> None:
            own.slopes(t, x, dx, c, out)

        solver = self.solver(
            own.residual, jacfn=slopes, algebraic_idx=at.algebraic, rtol=asked.rtol, atol=atol,
            max_step=asked.step or 0.0,
        )  # fmt: skip
        solver.init_step(self.t, x, dx)
        return solver

    def _follow(self, target: float) -> None:
        """To a time, or as far as IDA and the chosen rows serve."""
        solver, at, short = self._begun(), self.equations.places, 0
        began, evaluations = len(self.trail), 0
        while self.t < target:
            found = solver.step(target, "onestep", target)
            self.evaluations += found.nfev - evaluations
            evaluations = found.nfev
            if not found.success or not np.isfinite(found.y).all():
                if len(self.trail) == began:
                    self._give_up(found.message.rstrip("."))
                return
            t = float(found.t)
            short = short + 1 if t - self.t < SHORT * t else 0
            if short > SHORTS:
                self._give_up("the step became too short")
            self._between(solver, t)
            self._arrive(t, found.y[at.y], found.y[at.w], found.y[at.states])
            if t < target:  # what comes after a corner stands in the sample
                self._note_here()
            if len(self.trail) % SELDOM == 0:
                self._tell()
            if not self.equations.fits(self.y):
                return

    def _between(self, solver: Any, end: float) -> None:
        """Samples within a step that has just been taken, and the work [J] done on the way; IDA interpolates."""
        at, asked, h = self.equations.places, self.asked, end - self.t
        stops = [float(t) for t in asked.times[len(self.times) :] if t < end]
        places = 0.5 * (self.t + end) + 0.5 * h * PLACES
        states = {t: np.array(solver.step(t, "normal").y) for t in sorted({*stops, *places.tolist()})}
        solver.step(end, "normal")  # so that the next step begins here
        for t in stops:
            self._sample(t, *self.equations.closed(t, states[t][at.y], states[t][at.w]), states[t][at.states])
        powers = [self._power(t, *(states[t][own] for own in (at.y, at.w, at.states))) for t in places.tolist()]
        self.work += 0.5 * h * float(SHARES @ powers)

    def _arrive(self, t: float, y: Array, w: Array, x: Array) -> None:
        """Take a state over, put onto the constraints."""
        self.correction = max(self.correction, float(np.abs(self.equations.errors(t, y)).max(initial=0.0)))
        self.t, (self.y, self.w) = t, self.equations.closed(t, np.array(y), np.array(w))
        self.x = np.array(x)
        self.trail.append(np.concatenate([[t], self.y, self.w, self.x, [self.work]]))
        z = np.concatenate([self.y, self.w, self.x])
        code = interpreted(verdict.py_func, (self.pace, self.state, t, float(len(self.trail)), z))
        if code != ON:
            self.state[TIME], self.state[STEPS] = t, len(self.trail)
            y, w, x = (own[np.newaxis] for own in (self.y, self.w, self.x))
            (causes,) = causes_of(self.asked, self.asked.machine, y, w, np.array([t]), x)
            raise Halt(why_ended(self.asked, code, self.state, z, causes))

    def _give_up(self, why: str) -> None:
        """Stop where IDA finds no way on, and tell what may be the matter."""
        if self.equations.lost is not None:
            self._assert_finite_loads(*self.equations.lost)
        margin = self.equations.margin(self.y)
        if margin < NEAR:
            why += f"; constraints nearly depend on each other there (to {margin:.1g}): a larger rtol may step over it"
        raise Halt(f"IDA cannot go on from {self.t:.6g} s: {why}")

    def _not_finite(self) -> None:
        self._assert_finite_loads(self.t, self.y, self.w, self.x)
        raise Halt(f"numbers without bound at {self.t:.6g} s")

    def _assert_finite_loads(self, t: float, y: Array, w: Array, x: Array) -> None:
        from linkwork.analyses.forces.finite import loads_must_be_finite

        try:
            now = (y[np.newaxis], w[np.newaxis], np.array([[t]]), x[np.newaxis])
            loads_must_be_finite(self.asked.loops, *now)
        except ModelError as error:
            raise Halt(f"at {t:.6g} s: {error.problems[0]}") from None

    # ---------------------------------------------------------------- what is noted

    def _acting(self, t: float, y: Array, w: Array, x: Array) -> tuple[Array, Array]:
        """Accelerations, and efforts along all rates, those of drives included."""
        a, multipliers = self.equations.accelerations(t, y, w, x)
        return a, self.equations.efforts(t) + self.equations.driving(multipliers)

    def _sample(self, t: float, y: Array, w: Array, x: Array) -> None:
        a, efforts = self._acting(t, y, w, x)
        if not np.isfinite(a).all():
            self._not_finite()
        self.times.append(t)
        self.samples.append((y, w, a, efforts, x, self.equations.changes(t, y, w, x)))

    def _note_here(self) -> None:
        """Samples up to the present state."""
        while len(self.times) < len(self.asked.times) and self.asked.times[len(self.times)] <= self.t:
            self._sample(self.t, self.y, self.w, self.x)

    def _power(self, t: float, y: Array, w: Array, x: Array) -> float:
        """What is put into the machine besides what springs store [W]."""
        effort = self._acting(t, y, w, x)[1] if self.asked.driven else self.equations.efforts(t)
        _, _, power = self.energies(y, w, np.array([t]), *self._plain, *([x] if x.size else []))
        return float(power + effort @ w)

    @property
    def _plain(self) -> tuple[Array, Array]:
        """Ways of slipping and switches of loads, none of which matter here."""
        plan = self.asked.loops.plan
        return np.zeros(plan.n_slips), np.ones(plan.n_loads)

    def _energies(self, t: Array, y: Array, w: Array) -> tuple[Array, Array]:
        y, w, when = (np.ascontiguousarray(x) for x in (y, w, t[:, np.newaxis]))
        states = [self.asked.x] if self.asked.x.size else []  # which have a part in the power alone
        kinetic, potential, _ = self.energies(y, w, when, *self._plain, *states)
        return kinetic, potential

    def ended(self) -> Ended:
        """What it leaves behind."""
        asked, plan = self.asked, self.asked.loops.plan
        sizes = (plan.ny, plan.nw, plan.nw, plan.nw, plan.n_states, plan.n_states)
        y, w, a, efforts, x, dx = (
            np.array([s[k] for s in self.samples]).reshape(len(self.samples), n) for k, n in enumerate(sizes)
        )
        outcome = Outcome(
            np.array(self.times), y, w, a, tuple, self.status, self.message, self.evaluations, len(self.trail), 0,
            ("ida",), x, dx,
        )  # fmt: skip
        rates = slice(1 + plan.ny, 1 + plan.ny + plan.nw)
        trail = np.array(self.trail).reshape(-1, plan.ny + plan.nw + plan.n_states + 2)
        return Ended(
            asked, outcome, efforts, lambda: np.zeros((len(self.times), 0)), [(trail[:, 0], trail[:, 1:])],
            lambda: ((), self.changes), self.work, self.correction,
            lambda: [*asked.warnings, *warnings_of_speed(asked.loops, [w, trail[:, rates]])],
            self._energies,
        )  # fmt: skip
