"""A simulation that carries derivatives of its state along: forward sensitivities to parameters and to the start.

Between events the directions follow the steps that were taken (`numerics.stepping.sensitivity`). At an event the time
of which depends on the state, g(z, p, t) = 0 moves it by δt, and the state jumps by z⁺ = R(z⁻, p, t):

    δt  = -(∂g/∂z δz + ∂g/∂p δp) / (dg/dt)
    δz⁺ = ∂R (δz⁻ + f⁻ δt, δp, δt) - f⁺ δt

Aizerman, Gantmacher 1958; Müller, Calculation of Lyapunov exponents for dynamic systems with discontinuities, 1995.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.simulation.asked import Asked
from linkwork.analyses.simulation.directions import Direction, directions, start_directions
from linkwork.analyses.simulation.engine import Engine, Equipment
from linkwork.analyses.simulation.modes import GAP, Watch
from linkwork.analyses.simulation.session import Halt, Session, with_time
from linkwork.analyses.simulation.varied import Variation
from linkwork.equations import conditions, simulation
from linkwork.equations.closed_dynamics import Elimination
from linkwork.equations.elimination_search import find_elimination
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.kernels import Kernel
from linkwork.kernels.drive import pointers
from linkwork.model.events import Actions, At, When

if TYPE_CHECKING:
    from linkwork.numerics.stepping.problem import Problem as Arrays
    from linkwork.numerics.stepping.sensitivity import Directions

GRAZES = 1e-9
"""Rate of a watched number, as a part of what moves it, from which on an event is no crossing."""
BESIDE = 1e-3
"""How far beside its own numbers a machine is looked at [rad, parts of its size]."""
PRESSED = 2
"""As in `numerics.stepping`."""
NOTHING = np.zeros((0, 0), np.int64)


@dataclass
class VariedEngine(Engine):
    """Kernels in which nothing is folded that the parameters move."""

    variation: Variation | None = None
    held: list[Any] = field(default_factory=list)

    def _bound(self, question: Question) -> Kernel:
        assert self.variation is not None
        return self.variation(question).kernel

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


class SensitiveSession(Session):
    """A simulation on its way, with derivatives of its state.

    ways : what it is differentiated by; dz : derivatives of the state now, (ways, variables and rates)
    found : derivatives at the samples
    """

    def __init__(
        self, asked: Asked, start: Any, rates: Any, names: Any, progress: Callable[[float, float], None] | None = None
    ) -> None:
        self.ways: tuple[Direction, ...] = directions(asked, names)
        self._dead: set[str] = set()
        """Parameters to which an event gave other values."""
        self._own: tuple[VariedEngine, Arrays, Directions] | None = None
        self._holds: dict[int, Array] = {}
        """By rate of a variable that is held, how the value moves at which it is."""
        self._delay = self._last = np.zeros(len(self.ways))
        """How the time moves of the event that takes place, and of the last one [s]."""
        self._follows: Array | None = None
        self._ended = False
        self.variations: list[tuple[float, Variation, Array]] = []
        """Since when [s] which numbers move, and with which loads on."""
        super().__init__(asked, progress)
        self.dz: Array = start_directions(asked, start, rates, self.ways, self._variation())
        self._prepare_found()
        self._seen, self._noted = 0, 0
        self._begin_again()

    def _prepare_found(self) -> None:
        from linkwork.numerics.stepping.sensitivity import Changes

        rows = len(self.asked.times) * len(self.ways)
        sizes = {"Z": self.p.n, "A": self.p.nw, "E": self.p.nw, "P": len(self.modes.gaps)}
        sizes["D"] = self.p.layout.nx
        self.found = Changes(**{name: np.full((rows, size), np.nan) for name, size in sizes.items()})

    def _variation(self) -> Variation:
        return Variation(self.machine, tuple("" if w.parameter in self._dead else w.parameter for w in self.ways))

    # ---------------------------------------------------------------- arrays of its own

    def _engage(self) -> None:
        super()._engage()
        self._own = None

    def _begin_chapter(self) -> None:
        super()._begin_chapter()
        self.variations.append((self.chapters[-1][0], self._variation(), self.p.switch.copy()))

    def _equipped(self) -> tuple[VariedEngine, Arrays, Directions]:
        """Engine, problem and directions of the machine as it is, in the mode in which it is."""
        if self._own is None:
            asked, modes, loops = self.asked, self.modes, self.machine._loops
            variation, needs = self._variation(), self._needs()
            own = Equipment(needs.efforts, needs.switched, (), needs.gaps)
            engine = VariedEngine(loops, self._eliminated(variation), own, variation=variation)
            soft = [(s.gap, s.side, s.limit, s.stop.stiffness or 0.0, s.stop.damping) for s in modes.soft]
            p = engine.problem(asked.rtol, asked.atol, asked.laws, asked.pushed, modes.most_rows, asked.efforts, soft)
            self._own = engine, p, engine.directions(p)
        engine, p, d = self._own
        for name in ("slip", "switch", "given_effort", "effort", "rows", "hold", "count", "held"):
            getattr(p, name)[:] = getattr(self.p, name)
        if self.modes.beyond:
            p.soft[:, PRESSED] = self.modes.beyond
        for r, column in enumerate(p.rows[: int(p.count[0]), 1]):
            d.hold[:, r] = self._holds.get(int(column), 0.0) if p.rows[r, 0] != GAP else 0.0
        return engine, p, d

    def _eliminated(self, variation: Variation) -> Elimination:
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
        if not beside and variation.numbers(True)[0].pattern == tight:
            return self._elimination
        other = machine.with_parameters(beside) if beside else machine
        posture = other.starting_from(Posture(other._loops, self.z[: self.p.ny].copy())).home
        numbers, constants = Variation(other, variation.names).numbers(True)
        return find_elimination(machine._plan, numbers, constants, states_around(other._loops, posture))

    def _begin_again(self) -> None:
        """Go on from the state as it is now."""
        self._from = self.t, self.z.copy()
        held = {int(c): int(y) for kind, c, y, law in self.p.rows[: int(self.p.count[0])] if kind != GAP and law < 0}
        self._holds = {c: self._holds.get(c, self.dz[:, y].copy()) for c, y in held.items()}

    # ---------------------------------------------------------------- along the steps

    def _carry(self) -> None:
        """Let the directions catch up with the steps taken since the last time; the mode is still theirs."""
        from linkwork.numerics.stepping.advance import FAILS
        from linkwork.numerics.stepping.laws import enter_laws
        from linkwork.numerics.stepping.sensitivity import follow

        trails = self.trails[self._seen :]
        if self._ended or (not trails and self._noted == self.reached):
            return
        _, p, d = self._equipped()
        t, z = self._from
        enter_laws(p.law_edges, p.law_starts, p.last, t)
        times = np.concatenate([np.zeros(0), *(own for own, _ in trails)])
        states = np.vstack([np.zeros((0, p.n)), *(own[:, : p.n] for _, own in trails)])
        samples = self.samples
        health = follow(
            p, d, t, z, self.dz, times, states, samples.times, samples.Z, self._noted, self.reached, self.found
        )
        self._seen, self._noted = len(self.trails), self.reached
        if len(times):
            self._from = float(times[-1]), states[-1].copy()
        if health > FAILS or not np.isfinite(self.dz).all():
            self._end_here()

    def _end_here(self) -> None:
        """Derivatives end at a singular posture, and the simulation with them."""
        from linkwork.numerics.stepping import advance as loop

        self.state[loop.NEXT], self._ended = self._noted, True
        raise Halt(f"singular posture at {self._from[0]:.6g} s: sensitivities end there")

    def _go(self, target: float) -> None:
        self._last = np.zeros(len(self.ways))
        super()._go(target)
        self._carry()

    def _last_sample(self) -> None:
        if not self._ended:
            self._carry()
            super()._last_sample()
            self._carry()

    def _stiff(self) -> None:
        if not any("stiff" in text for text in self.warnings):
            text = f"stiff at {self.t:.4g} s: stability, not accuracy, holds the steps short; with sensitivities the"
            self.warnings.append(f"{text} steps stay explicit")

    def _sick(self) -> None:
        self._carry()
        super()._sick()
        if self.t != self._from[0]:  # the posture was leapt over
            self._end_here()

    def _too_short(self) -> None:
        self._carry()
        super()._too_short()
        self._end_here()

    # ---------------------------------------------------------------- jumps at given times

    def _first(self) -> None:
        super()._first()
        self._begin_again()

    def _corner(self) -> None:
        super()._corner()
        self._begin_again()

    def _act(self, event: When | At) -> None:
        super()._act(event)
        self._begin_again()

    def _set(self, values: dict[str, float]) -> None:
        from linkwork.numerics.stepping.sensitivity import project

        names = [plan.name for plan in self.machine._plan.states]
        for k in [names.index(name) for name in values if name in names]:
            self.dz[:, self.p.layout.x.start + k] = 0.0  # whatever it was before, it is that number now
        numbers = {name: value for name, value in values.items() if name not in names}
        self._dead |= set(numbers)
        super()._set(values)
        if not numbers:
            return
        _, p, d = self._equipped()
        project(p, d, self.t, self.z, self.dz)

    def _remembered(self) -> tuple[Array, ...]:
        return (*super()._remembered(), self.dz.copy())

    def _recall(self, remembered: tuple[Array, ...]) -> None:
        super()._recall(remembered)
        self.dz[:] = remembered[1]

    def _impulse(self, wanted: Mapping[int, float], kept: Sequence[int]) -> dict[int, float]:
        from linkwork.numerics.stepping.problem import law

        before = self.z.copy()
        pushes = super()._impulse(wanted, kept)
        _, p, _ = self._equipped()
        change = np.zeros((len(self.ways), int(p.count[0])))
        rates = self._of_gaps(before)[1] if self.modes.gaps else change
        sides = iter(sorted(self.modes.touching))
        for r, (kind, column, _, drive) in enumerate(p.rows[: change.shape[1]]):
            if kind == GAP:
                which = next(sides)
                own = self.modes.sides[which]
                bounce = own.stop.restitution if wanted.get(which, 0.0) else 0.0
                change[:, r] = -(1.0 + bounce) * rates[:, own.gap]
            else:
                if drive >= 0:
                    law(p, drive, self.t)
                change[:, r] = (p.law[2] * self._delay if drive >= 0 else 0.0) - self.dz[:, p.ny + column]
        self._turn(before, change)
        return pushes

    def _of_gaps(self, z: Array) -> list[Array]:
        """Derivatives of all gaps, their rates, gradients and γ at a state: (ways, ...) each."""
        engine, p, _ = self._equipped()
        assert engine.variation is not None
        varied = engine.variation(Question(conditions.gaps(self.modes.gaps)))
        tangent = varied.tangent(("y", "w", "t"), ("g", "rate", "G", "gamma"))
        (y, w, _), (dy, dw, _) = p.layout.split(z), p.layout.split(self.dz)
        dt = self._delay[:, np.newaxis]
        found = tangent(y, w, np.array([self.t]), varied.settled, dy, dw, dt, varied.slopes)
        return [np.asarray(x) for x in found]

    def _turn(self, before: Array, wanted: Array) -> None:
        """Directions after the rates have jumped by Δ = response to GᵀP from `before` to now, as rows want it.

        wanted : (ways, rows), derivative of G Δ
        """
        engine, p, _ = self._equipped()
        assert engine.variation is not None
        at = p.layout
        y, jump, count = before[at.y], self.z[at.w] - before[at.w], wanted.shape[1]
        if not count:
            return
        G, turned = np.zeros((count, p.nw)), np.zeros((len(self.ways), count, p.nw))
        gradients = None
        if self.modes.gaps:
            values = engine._bound(Question(conditions.gaps(self.modes.gaps)))(y, before[at.w], np.array([self.t]))
            gradients = values[2], self._of_gaps(before)[2]
        for r, (kind, column, *_) in enumerate(p.rows[:count]):
            if kind == GAP:
                assert gradients is not None
                G[r], turned[:, r] = gradients[0][column], gradients[1][:, column]
            else:
                G[r, column] = 1.0
        nothing = np.zeros(self.machine._plan.nl)
        X = np.atleast_2d(engine.response(y, G, nothing))
        P = np.linalg.lstsq(G @ X.T, G @ jump, rcond=1e-12)[0]
        varied = engine.variation(Question(simulation.response(engine.elimination)))
        tangent = varied.tangent(("y", "effort"), ("x",))
        pushed = np.einsum("r,jri->ji", P, turned)
        own = tangent(y, P @ G, nothing, varied.settled, self.dz[:, at.y], pushed, varied.slopes)
        left = wanted - turned @ jump - own @ G.T
        self.dz[:, at.w] += own + np.linalg.lstsq(G @ X.T, left.T, rcond=1e-12)[0].T @ X

    # ---------------------------------------------------------------- events whose time moves

    def _event(self) -> None:
        self._carry()
        fired = [own for own in (self.watched[k] for k in np.flatnonzero(self.fired)) if self._matters(own)]
        if self._follows is None and len(fired) > 1:
            names = " and ".join(f"'{self._called(own)}'" for own in fired)
            text = f"{names} happen together at {self.t:.6g} s: no derivative"
            raise InputError(Problem(text, "events", "move one of them a little"), self.machine.name)
        self._delay = np.zeros(len(self.ways))
        if fired:
            self._delay = self._delayed(fired[0]) if self._follows is None else self._follows
        self.dz += np.outer(self._delay, self._slope())
        super()._event()
        self._watch()
        self.dz -= np.outer(self._delay, self._slope())
        self._last, self._delay = self._delay, np.zeros(len(self.ways))
        self._begin_again()

    def _at_once(self) -> None:
        """What follows from a jump happens when that does."""
        self._follows = self._last
        super()._at_once()
        self._follows = None

    def _called(self, own: Watch) -> str:
        modes = self.modes
        if own.what == "when":
            return modes.whens[own.which].name or modes.whens[own.which].condition
        named: Sequence[Any] = {"stop": modes.sides, "lift": modes.sides, "soft": modes.soft}.get(own.what, modes.grips)
        return str(named[own.which].name)

    def _matters(self, own: Watch) -> bool:
        """Whether the motion has a corner at an event. Where a contact ends its force is zero, and there is none."""
        if own.what == "when":
            event = self.modes.whens[own.which]
            counts = event.direction == "both" or (own.sign < 0) == (event.direction == "rising")
            return counts and event.actions != Actions()
        if own.what == "grip":
            friction = f"{self.modes.grips[own.which].name}.static"
            if self.machine.parameters.get(friction, 1.0) != 1.0:
                text = f"'{self._called(own)}' gives way at {self.t:.6g} s by a jump of its force: no derivative"
                raise InputError(Problem(text, friction, "let it be 1"), self.machine.name)
            return False
        return own.what != "lift"

    def _delayed(self, own: Watch) -> Array:
        """How the time of an event moves along each way [s]."""
        engine, p, _ = self._equipped()
        assert engine.variation is not None
        f = self._slope()
        if own.what in ("stop", "soft"):
            side = (self.modes.sides if own.what == "stop" else self.modes.soft)[own.which]
            values = engine._bound(Question(conditions.gaps(self.modes.gaps)))(
                self.z[p.layout.y], self.z[p.layout.w], np.array([self.t])
            )
            change, rate = self._of_gaps(self.z)[0][:, side.gap], float(values[1][side.gap])
        elif own.what == "slip":
            column = p.ny + own.index
            change, rate = self.dz[:, column].copy(), float(f[column])
        else:
            varied = engine.variation(self.engine.watched_question)
            tangent = varied.tangent(engine._present(("y", "w", "t", "states")), ("g",))
            here = (*with_time(self), varied.settled)
            still = np.zeros_like(varied.slopes)
            change = tangent(*here, *self._timed(self.dz, 0.0), varied.slopes)[:, own.which]
            rate = float(tangent(*here, *self._timed(f, 1.0), still[0])[own.which])
        if abs(rate) <= GRAZES * np.abs(change).max(initial=0.0):
            text = f"'{self._called(own)}' is grazed at {self.t:.6g} s, not crossed: no derivative"
            raise InputError(
                Problem(text, "events", "change the start, or end the simulation before"), self.machine.name
            )
        found: Array = -change / rate
        return found

    def _timed(self, z: Array, t: float) -> tuple[Array, ...]:
        """Variables, rates, time and named states, as kernels of conditions take them."""
        y, w, x = self.p.layout.split(z)
        return (y, w, np.array([t]), *([x] if x.shape[-1] else []))

    def _slope(self) -> Array:
        """Derivative of the state in the mode as it is."""
        from linkwork.numerics.stepping.problem import rates

        _, p, _ = self._equipped()
        f = np.empty(p.n)
        rates(p, self.t, self.z, f)
        return f
