"""A simulation that carries derivatives of its state along: forward sensitivities to parameters and to the start.

Between events the directions follow the steps that were taken (`numerics.stepping.sensitivity`). At an event the time
of which depends on the state, g(z, p, t) = 0 moves it by δt, and the state jumps by z⁺ = R(z⁻, p, t):

    δt  = -(∂g/∂z δz + ∂g/∂p δp) / (dg/dt)
    δz⁺ = ∂R (δz⁻ + f⁻ δt, δp, δt) - f⁺ δt

Aizerman, Gantmacher 1958; Müller, Calculation of Lyapunov exponents for dynamic systems with discontinuities, 1995.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.simulation.asked import Asked
from linkwork.analyses.simulation.directions import Direction, directions, start_directions
from linkwork.analyses.simulation.engine import Engine, Equipment
from linkwork.analyses.simulation.halting import Halt
from linkwork.analyses.simulation.jumping import chattering, owner_of, remedy
from linkwork.analyses.simulation.listening import Jump, Listener, Watch
from linkwork.analyses.simulation.session import Session
from linkwork.analyses.simulation.varied import Variation
from linkwork.equations import conditions, simulation
from linkwork.equations.closed_dynamics import Elimination
from linkwork.equations.elimination_search import find_elimination
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.kernels import Kernel
from linkwork.kernels.drive import pointers
from linkwork.model.events import Actions

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.numerics.stepping.problem import Problem as Arrays
    from linkwork.numerics.stepping.sensitivity import Directions

GRAZES = 1e-9
"""Rate of a watched number, as a part of what moves it, from which on an event is no crossing."""
BESIDE = 1e-3
"""How far beside its own numbers a machine is looked at [rad, parts of its size]."""
GAP, PRESSED = 1, 2
"""As in `numerics.stepping`."""
SMOOTH = 1e-9
"""Part of the rates by which they may differ where nothing jumps."""
NOTHING = np.zeros((0, 0), np.int64)


@dataclass
class VariedEngine(Engine):
    """Kernels in which nothing is folded that the parameters move."""

    variation: Variation | None = None
    held: list[Any] = field(default_factory=list)

    def _bound(self, question: Question) -> Kernel:
        assert self.variation is not None
        return self.variation(question).kernel

    def _bounds(self, wanted: bool, question: Question) -> Kernel | None:
        """Nothing is watched along the directions."""
        return None

    def _closure(self) -> Kernel | None:
        """Neither is the independence of rows."""
        return None

    def directions(self, p: Arrays) -> Directions:
        """Derivatives of the kernels, wired to the arrays of a problem."""
        from linkwork.numerics.stepping.sensitivity import Directions

        assert self.variation is not None
        zeros, needs = np.zeros, self.needs
        gaps, ways, rows = len(needs.gaps), len(self.variation.names), len(p.rows)
        a = {
            "y": zeros(p.ny), "w": zeros(p.nw), "effort": zeros(p.nw), "dy": zeros(p.ny), "a": zeros(p.nw),
            "e": zeros(p.e.size), "de": zeros(p.e.size), "g": zeros(gaps), "dg": zeros(gaps), "gamma": zeros(gaps),
            "G": zeros((gaps, p.nw)), "force": zeros(rows), "touch": zeros(gaps), "hold": zeros((ways, rows)),
            "states": zeros(p.layout.nx), "dstates": zeros(p.layout.nx),
        }  # fmt: skip
        wiring: dict[str, Any] = {}

        def wire(name: str, question: Question | None, along: str, of: str, outputs: str) -> None:
            if question is None:
                wiring.update({f"{name}_at": 0, f"{name}_in": NOTHING, f"{name}_out": np.zeros(0, np.int64)})
                return
            assert self.variation is not None
            varied = self.variation(question)
            kernel = varied.tangent(along.split(), of.split())
            kernel.compile()
            settled, slopes = np.ascontiguousarray(varied.settled), np.ascontiguousarray(varied.slopes)
            given = [getattr(p, n) for n in question.quantity.inputs]
            seeds = [a[n] for n in along.split()]
            wiring[f"{name}_at"] = kernel.address
            wiring[f"{name}_in"] = np.array([pointers([*given, settled, *seeds, own]) for own in slopes])
            wiring[f"{name}_out"] = pointers([a[n] for n in outputs.split()])
            self.held += [kernel, settled, slopes]

        along, of = (" ".join(self._present(own)) for own in (("y", "w", "effort", "states"), ("dy", "a", "dstates")))
        wire("rates", self.rates_question, along, of, of)
        wire("mismatch", Question(simulation.mismatch()) if p.loops else None, "y w", "e de", "e de")
        stops = Question(conditions.gaps(needs.gaps)) if gaps else None
        wire("gaps", stops, "y w", "g rate G gamma", "g dg G gamma")
        return Directions(**wiring, **a)


class Sensitivity(Listener):
    """Derivatives of the state of a simulation, carried along with it.

    ways : what it is differentiated by; dz : derivatives of the state now, (ways, variables and rates)
    found : derivatives at the samples
    """

    explicit = True

    def __init__(self, asked: Asked, start: Any, rates: Any, names: Any) -> None:
        self.ways: tuple[Direction, ...] = directions(asked, names)
        self._start, self._rates = start, rates
        self._dead: set[str] = set()
        """Parameters to which an event gave other values."""
        self._own: tuple[VariedEngine, Arrays, Directions] | None = None
        self._equipments: list[tuple[VariedEngine, Arrays, Directions]] = []
        """Those that were in use, by elimination."""
        self._holds: dict[int, Array] = {}
        """By rate of a variable that is held, how the value moves at which it is."""
        self._delay = self._last = np.zeros(len(self.ways))
        """How the time moves of the event that takes place, and of the last one [s]."""
        self._grazed: tuple[Watch, Array] | None = None
        """What jumps with what is grazed at the event that takes place, and the slope before it."""
        self._ended = False
        self.variations: list[tuple[float, Variation, Array]] = []
        """Since when [s] which numbers move, and with which loads on."""
        self._seen, self._noted = 0, 0

    def attached(self, session: Session) -> None:
        """Begin with the derivatives of the start."""
        from linkwork.numerics.stepping.sensitivity import Changes

        self.session, asked = session, session.asked
        self._assert_switched()
        self.dz: Array = start_directions(asked, self._start, self._rates, self.ways, self._variation())
        rows, plan = len(asked.times) * len(self.ways), asked.loops.plan
        sizes = {"Z": plan.ny + plan.nw + plan.n_states, "A": plan.nw, "E": plan.nw, "P": len(session.modes.gaps)}
        sizes["D"] = plan.n_states
        self.found = Changes(**{name: np.full((rows, size), np.nan) for name, size in sizes.items()})

    def _assert_switched(self) -> None:
        """Every jump of a formula must be one whose time is known."""
        hint = "write it so that what is compared does not jump itself"
        nested = []
        for own in self.machine._plan.switched:
            if own.is_nested:
                text = f"the formula of '{own.owner}' jumps by what jumps itself: no derivative"
                nested.append(Problem(text, f"{own.kind}s.{own.owner}", hint))
        if nested:
            raise InputError(nested, self.machine.name)

    @property
    def machine(self) -> Machine:
        """The machine as it is now."""
        return self.session.machine

    def _variation(self) -> Variation:
        return Variation(self.machine, tuple("" if w.parameter in self._dead else w.parameter for w in self.ways))

    # ---------------------------------------------------------------- arrays of its own

    def engaged(self) -> None:
        """Arrays are made anew when they are next needed."""
        self._own, self._equipments = None, []

    def chapter(self, t: float, switch: Array) -> None:
        """Numbers and loads are as they are now."""
        self.variations.append((t, self._variation(), switch.copy()))

    def _equipped(self) -> tuple[VariedEngine, Arrays, Directions]:
        """Engine, problem and directions of the machine as it is, in the mode in which it is."""
        if self._own is None:
            self._own = self._equipment(None)
            self._equipments = [self._own]
        engine, p, d = self._own
        for name in ("slip", "switch", "given_effort", "effort", "rows", "hold", "count", "held", "side"):
            getattr(p, name)[:] = getattr(self.session.p, name)
        p.soft[:, PRESSED] = self.session.active.beyond
        for r, column in enumerate(p.rows[: int(p.count[0]), 1]):
            d.hold[:, r] = self._holds.get(int(column), 0.0) if p.rows[r, 0] != GAP else 0.0
        return engine, p, d

    def _equipment(self, y: Array | None) -> tuple[VariedEngine, Arrays, Directions]:
        """Engine, problem and directions of the machine as it is.

        y : posture whose pivots are to be strong; of the present one those of the simulation serve, where they can
        """
        asked, modes, loops = self.session.asked, self.session.modes, self.machine._loops
        variation, needs = self._variation(), self.session.engine.needs
        own = Equipment(needs.efforts, needs.switched, (), needs.gaps)
        engine = VariedEngine(loops, self._eliminated(variation, y), own, variation=variation)
        p = engine.problem(
            asked.rtol, asked.atol, asked.laws, asked.pushed, modes.most_rows, asked.efforts, modes.elastic
        )
        return engine, p, engine.directions(p)

    def _eliminated(self, variation: Variation, y: Array | None) -> Elimination:
        """An elimination that ignores nothing which the parameters move: found with numbers a little beside theirs."""
        from linkwork.analyses.forces.states import states_around

        machine = self.machine
        moves = [False] * len(self.ways)
        if machine._loops.count:
            moves = [bool(own.any()) for own in variation(Question(simulation.mismatch())).slopes]
        beside = {
            w.parameter: machine.parameters[w.parameter] + BESIDE * (machine._loops.length if w.unit == "m" else 1.0)
            for w, moved in zip(self.ways, moves, strict=True)
            if moved
        }
        tight = machine._formulas.numbers(machine.parameters, True)[0].pattern
        if y is None and not beside and variation.numbers(True)[0].pattern == tight:
            return self.session.elimination
        other = machine.with_parameters(beside) if beside else machine
        here = self.session.z[: machine._plan.ny] if y is None else y
        posture = other.starting_from(Posture(other._loops, here.copy())).home
        numbers, constants = Variation(other, variation.names).numbers(True)
        states = states_around(other._loops, posture)
        return find_elimination(machine._plan, numbers, constants, states, lasting=y is not None)

    def turned(self) -> None:
        """Go on from the state as it is now."""
        p = self.session.p
        self._from = self.session.t, self.session.z.copy()
        held = {int(c): int(y) for kind, c, y, law in p.rows[: int(p.count[0])] if kind != GAP and law < 0}
        self._holds = {c: self._holds.get(c, self.dz[:, y].copy()) for c, y in held.items()}

    # ---------------------------------------------------------------- along the steps

    def arrived(self) -> None:
        """Let the directions catch up with the steps taken since the last time; the rows are still theirs."""
        from linkwork.numerics.stepping.advance import FAILS

        trails = self.session.trails[self._seen :]
        if self._ended or (not trails and self._noted == self.session.reached):
            return
        times = np.concatenate([np.zeros(0), *(own for own, _ in trails)])
        states = np.vstack([np.zeros((0, self.session.p.n)), *(own[:, : self.session.p.n] for _, own in trails)])
        health = self._followed(times, states)
        self._seen, self._noted = len(self.session.trails), self.session.reached
        if health > FAILS or not np.isfinite(self.dz).all():
            self.stuck()

    def _followed(self, times: Array, states: Array) -> float:
        """Carry the directions along steps; where pivots weaken, with others from there on. The worst health."""
        from linkwork.numerics.stepping.eliminations import WEAK
        from linkwork.numerics.stepping.laws import enter_laws
        from linkwork.numerics.stepping.sensitivity import follow

        samples, worst, tries, bar = self.session.samples, 0.0, 0, WEAK
        while True:
            _, p, d = self._equipped()
            t, z = self._from
            enter_laws(p.law_edges, p.law_starts, p.last, t)
            health, done = follow(
                p,
                d,
                t,
                z,
                self.dz,
                times,
                states,
                samples.times,
                samples.Z,
                self._noted,
                self.session.reached,
                self.found,
                bar,
            )
            worst, tries, bar = max(worst, float(health)), (0 if done else tries), WEAK
            if done:
                self._from = float(times[done - 1]), states[done - 1].copy()
            if done == len(times):
                return worst
            noted = int(np.searchsorted(samples.times[: self.session.reached], self._from[0], side="right"))
            self._noted = max(self._noted, noted)
            times, states = times[done:], states[done:]
            if tries or not self._strengthened(self._from[1], states[0]):
                bar = np.inf  # over the step with the pivots that there are
            tries += 1

    def _strengthened(self, z: Array, ahead: Array) -> bool:
        """Go on with an elimination that is strong at both ends of a step: one that was in use, or a new one."""
        from linkwork.numerics.stepping.eliminations import BETTER, weakness_of

        assert self._own is not None
        scratch = np.empty(self.session.p.n)

        def weak(own: Any) -> float:
            return max(float(weakness_of(own[1], 0, self._from[0], x, scratch)) for x in (z, ahead))

        before = self._own
        limit = weak(before) / BETTER
        known = [own for own in self._equipments if own is not before]
        best = min(known, key=weak, default=None)
        if best is None or weak(best) > limit:
            best = self._equipment(z[: self.session.p.ny])
            self._equipments.append(best)
        if weak(best) > limit:
            return False
        self._own = best
        return True

    def stuck(self) -> None:
        """Derivatives end at a singular posture, and the simulation with them."""
        from linkwork.numerics.stepping import advance as loop

        self.session.state[loop.NEXT], self._ended = self._noted, True
        raise Halt(f"singular posture at {self._from[0]:.6g} s: sensitivities end there")

    def leapt(self) -> None:
        """Derivatives end where a posture was leapt over."""
        if self.session.t != self._from[0]:
            self.stuck()

    def departs(self) -> None:
        """No event moves what comes next."""
        self._last = np.zeros(len(self.ways))

    def keeps_last_samples(self) -> bool:
        """Not beyond the end of the derivatives."""
        return not self._ended

    # ---------------------------------------------------------------- jumps

    def setting(self, states: Sequence[int], numbers: Mapping[str, float]) -> None:
        """Whatever they were before, they are these numbers now."""
        for k in states:
            self.dz[:, self.session.p.layout.x.start + k] = 0.0
        self._dead |= set(numbers)

    def set_numbers(self) -> None:
        """Loops are closed with other numbers."""
        from linkwork.numerics.stepping.sensitivity import project

        _, p, d = self._equipped()
        project(p, d, self.session.t, self.session.z, self.dz)

    def jumped(self, jump: Jump) -> None:
        """Directions after the rates have jumped."""
        from linkwork.numerics.stepping.problem import law

        _, p, _ = self._equipped()
        change = np.zeros((len(self.ways), len(jump.rows)))
        rates = self._of_gaps(jump.before)[1] if self.session.modes.gaps else change
        for r, (kind, column, _, drive) in enumerate(jump.rows):
            if kind == GAP:
                change[:, r] = -(1.0 + jump.restitution[r]) * rates[:, column]
            else:
                if drive >= 0:
                    law(p, drive, self.session.t)
                change[:, r] = (p.law[2] * self._delay if drive >= 0 else 0.0) - self.dz[:, p.ny + column]
        self._turn(jump, change)

    def _of_gaps(self, z: Array) -> list[Array]:
        """Derivatives of all gaps, their rates, gradients and γ at a state: (ways, ...) each."""
        engine, p, _ = self._equipped()
        assert engine.variation is not None
        varied = engine.variation(Question(conditions.gaps(self.session.modes.gaps)))
        tangent = varied.tangent(("y", "w", "t"), ("g", "rate", "G", "gamma"))
        (y, w, _), (dy, dw, _) = p.layout.split(z), p.layout.split(self.dz)
        dt = self._delay[:, np.newaxis]
        found = tangent(y, w, np.array([self.session.t]), varied.settled, dy, dw, dt, varied.slopes)
        return [np.asarray(x) for x in found]

    def _turn(self, jump: Jump, wanted: Array) -> None:
        """Directions after the rates have jumped by Δ = response to GᵀP from before to now, as rows want it.

        wanted : (ways, rows), derivative of G Δ
        """
        engine, p, _ = self._equipped()
        assert engine.variation is not None
        at, before, modes = p.layout, jump.before, self.session.modes
        y, change, count = before[at.y], self.session.z[at.w] - before[at.w], wanted.shape[1]
        if not count:
            return
        G, turned = np.zeros((count, p.nw)), np.zeros((len(self.ways), count, p.nw))
        gradients = None
        if modes.gaps:
            gaps = engine._bound(Question(conditions.gaps(modes.gaps)))
            values = gaps(y, before[at.w], np.array([self.session.t]))
            gradients = values[2], self._of_gaps(before)[2]
        for r, (kind, column, *_) in enumerate(jump.rows):
            if kind == GAP:
                assert gradients is not None
                G[r], turned[:, r] = gradients[0][column], gradients[1][:, column]
            else:
                G[r, column] = 1.0
        nothing = np.zeros(self.machine._plan.nl)
        X = np.atleast_2d(engine.response(y, G, nothing))
        P = np.linalg.lstsq(G @ X.T, G @ change, rcond=1e-12)[0]
        varied = engine.variation(Question(simulation.response(engine.elimination)))
        tangent = varied.tangent(("y", "effort"), ("x",))
        pushed = np.einsum("r,jri->ji", P, turned)
        own = tangent(y, P @ G, nothing, varied.settled, self.dz[:, at.y], pushed, varied.slopes)
        left = wanted - turned @ change - own @ G.T
        self.dz[:, at.w] += own + np.linalg.lstsq(G @ X.T, left.T, rcond=1e-12)[0].T @ X

    # ---------------------------------------------------------------- events whose time moves

    def before_event(self, fired: Sequence[Watch], follows: bool) -> None:
        """Directions at the instant of the event, which moves; what follows from a jump happens when that does."""
        self.arrived()
        mattering = [own for own in fired if self._matters(own)]
        if not follows and len(mattering) > 1 and not self._alike(mattering):
            names = " and ".join(f"'{self._called(own)}'" for own in mattering)
            text = f"{names} happen together at {self.session.t:.6g} s: no derivative"
            raise InputError(Problem(text, "events", "move one of them a little"), self.machine.name)
        self._delay = np.zeros(len(self.ways))
        if mattering:
            self._delay = self._last if follows else self._delayed(mattering[0])
        before = self._slope()
        self._grazed = (mattering[0], before) if np.isnan(self._delay).any() else None
        self._delay = np.nan_to_num(self._delay)
        self.dz += np.outer(self._delay, before)

    def after_event(self) -> None:
        """Directions at a given time again."""
        after = self._slope()
        if self._grazed is not None:
            own, before = self._grazed
            if not np.allclose(before, after, rtol=SMOOTH, atol=SMOOTH * np.abs(before).max(initial=0.0)):
                t = self.session.t
                text = f"what '{self._called(own)}' jumps with is grazed at {t:.6g} s, not crossed: no derivative"
                hint = "change the start, or end the simulation before"
                raise InputError(Problem(text, "loads", hint), self.machine.name)
        self.dz -= np.outer(self._delay, after)
        self._last, self._delay = self._delay, np.zeros(len(self.ways))
        self.turned()

    def chatters(self, own: Watch) -> None:
        """There is no derivative of a jump without end."""
        formulas = self.machine._plan.switched
        text = f"{chattering(formulas, self.session.t, own)}: no derivative"
        raise InputError(Problem(text, "loads", remedy(formulas, own)), self.machine.name)

    def _alike(self, fired: Sequence[Watch]) -> bool:
        """Whether formulas jump together not by chance: the time of all of them moves alike."""
        if any(own.what != "jump" for own in fired):
            return False
        delays = [self._delayed(own) for own in fired]
        return all(np.allclose(own, delays[0], rtol=SMOOTH, atol=0.0) for own in delays[1:])

    def _called(self, own: Watch) -> str:
        modes = self.session.modes
        if own.what == "when":
            return modes.whens[own.which].name or modes.whens[own.which].condition
        if own.what == "jump":
            return owner_of(self.machine._plan.switched, own.which)[0].owner
        named: Sequence[Any] = {"stop": modes.sides, "lift": modes.sides, "soft": modes.soft}.get(own.what, modes.grips)
        return str(named[own.which].name)

    def _matters(self, own: Watch) -> bool:
        """Whether the motion has a corner at an event. Where a contact ends its force is zero, and there is none."""
        if own.what == "when":
            event = self.session.modes.whens[own.which]
            counts = event.direction == "both" or (own.sign < 0) == (event.direction == "rising")
            return counts and event.actions != Actions()
        if own.what == "grip":
            friction = f"{self.session.modes.grips[own.which].name}.static"
            if self.machine.parameters.get(friction, 1.0) != 1.0:
                text = (
                    f"'{self._called(own)}' gives way at {self.session.t:.6g} s by a jump of its force: no derivative"
                )
                raise InputError(Problem(text, friction, "let it be 1"), self.machine.name)
            return False
        if own.what == "jump":
            law, _ = owner_of(self.machine._plan.switched, own.which)
            return bool(law.jumps[own.which - law.switches.start])
        return own.what != "lift"

    def _delayed(self, own: Watch) -> Array:
        """How the time of an event moves along each way [s]."""
        engine, p, _ = self._equipped()
        assert engine.variation is not None
        f, modes, z = self._slope(), self.session.modes, self.session.z
        if own.what in ("stop", "soft"):
            side = (modes.sides if own.what == "stop" else modes.soft)[own.which]
            gaps = engine._bound(Question(conditions.gaps(modes.gaps)))
            values = gaps(z[p.layout.y], z[p.layout.w], np.array([self.session.t]))
            change, rate = self._of_gaps(z)[0][:, side.gap], float(values[1][side.gap])
        elif own.what == "slip":
            column = p.ny + own.index
            change, rate = self.dz[:, column].copy(), float(f[column])
        else:
            varied = engine.variation(self.session.engine.watched_question)
            tangent = varied.tangent(engine._present(("y", "w", "t", "states")), ("g",))
            here = (*self._timed(z, self.session.t), varied.settled)
            still = np.zeros_like(varied.slopes)
            change = tangent(*here, *self._timed(self.dz, 0.0), varied.slopes)[:, own.index]
            rate = float(tangent(*here, *self._timed(f, 1.0), still[0])[own.index])
        if abs(rate) <= GRAZES * np.abs(change).max(initial=0.0):
            if own.what == "jump":
                return np.full(len(self.ways), np.nan)  # which matters only if there is a jump
            text = f"'{self._called(own)}' is grazed at {self.session.t:.6g} s, not crossed: no derivative"
            raise InputError(
                Problem(text, "events", "change the start, or end the simulation before"), self.machine.name
            )
        found: Array = -change / rate
        return found

    def _timed(self, z: Array, t: float) -> tuple[Array, ...]:
        """Variables, rates, time and named states, as kernels of conditions take them."""
        y, w, x = self.session.p.layout.split(z)
        return (y, w, np.array([t]), *([x] if x.shape[-1] else []))

    def _slope(self) -> Array:
        """Derivative of the state in the mode as it is."""
        from linkwork.numerics.stepping.problem import rates

        _, p, _ = self._equipped()
        f = np.empty(p.n)
        rates(p, self.session.t, self.session.z, f)
        return f
