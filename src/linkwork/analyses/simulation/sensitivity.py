"""A simulation that carries derivatives of its state along: forward sensitivities to parameters and to the start.

Between events the directions follow the steps that were taken (`numerics.stepping.sensitivity`). At an event the time
of which depends on the state, g(z, p, t) = 0 moves it by δt, and the state jumps by z⁺ = R(z⁻, p, t):

    δt  = -(∂g/∂z δz + ∂g/∂p δp) / (dg/dt)
    δz⁺ = ∂R (δz⁻ + f⁻ δt, δp, δt) - f⁺ δt

Aizerman, Gantmacher 1958; Müller, Calculation of Lyapunov exponents for dynamic systems with discontinuities, 1995.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.simulation.direction_plant import GAP, DirectionPlant
from linkwork.analyses.simulation.directions import Direction, directions, start_directions
from linkwork.analyses.simulation.event_delays import SMOOTH, alike, called, delayed, matters
from linkwork.analyses.simulation.halt import Halt
from linkwork.analyses.simulation.journey import Journey
from linkwork.analyses.simulation.jump_sides import chattering, remedy
from linkwork.analyses.simulation.listeners import Jump, Listener, Watch
from linkwork.analyses.simulation.parameter_kernels import Variation
from linkwork.analyses.simulation.question import Asked
from linkwork.equations import conditions, simulation
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array

if TYPE_CHECKING:
    pass


class Sensitivity(Listener):
    """Derivatives of the state of a simulation, carried along with it.

    ways : what it is differentiated by; dz : derivatives of the state now, (ways, variables and rates)
    found : derivatives at the samples
    """

    explicit = True

    def __init__(self, asked: Asked, start: Any, rates: Any, names: Any) -> None:
        self.ways: tuple[Direction, ...] = directions(asked, names)
        self._start, self._rates = start, rates
        self._delay = self._last = np.zeros(len(self.ways))
        """How the time moves of the event that takes place, and of the last one [s]."""
        self._grazed: tuple[Watch, Array] | None = None
        """What jumps with what is grazed at the event that takes place, and the slope before it."""
        self._ended = False
        self.variations: list[tuple[float, Variation, Array]] = []
        """Since when [s] which numbers move, and with which loads on."""
        self._seen, self._noted = 0, 0

    def attached(self, session: Journey) -> None:
        """Begin with the derivatives of the start."""
        from linkwork.numerics.stepping.sensitivity import Changes

        self.session, asked = session, session.asked
        self.plant = DirectionPlant(session, self.ways)
        self._assert_switched()
        self.dz: Array = start_directions(asked, self._start, self._rates, self.ways, self.plant.variation())
        rows, plan = len(asked.times) * len(self.ways), asked.loops.plan
        sizes = {"Z": plan.ny + plan.nw + plan.n_states, "A": plan.nw, "E": plan.nw, "P": len(session.modes.gaps)}
        sizes["D"] = plan.n_states
        self.found = Changes(**{name: np.full((rows, size), np.nan) for name, size in sizes.items()})

    def _assert_switched(self) -> None:
        """Every jump of a formula must be one whose time is known."""
        hint = "write it so that what is compared does not jump itself"
        nested = []
        for own in self.plant.machine.plan.switched:
            if own.is_nested:
                text = f"the formula of '{own.owner}' jumps by what jumps itself: no derivative"
                nested.append(Problem(text, f"{own.kind}s.{own.owner}", hint))
        if nested:
            raise InputError(nested, self.plant.machine.name)

    def engaged(self) -> None:
        """Arrays are made anew when they are next needed."""
        self.plant.renew()

    def chapter(self, t: float, switch: Array) -> None:
        """Numbers and loads are as they are now."""
        self.variations.append((t, self.plant.variation(), switch.copy()))

    def turned(self) -> None:
        """Go on from the state as it is now."""
        p = self.session.p
        self._from = self.session.t, self.session.z.copy()
        held = {int(c): int(y) for kind, c, y, law in p.rows[: int(p.count[0])] if kind != GAP and law < 0}
        self.plant.holds = {c: self.plant.holds.get(c, self.dz[:, y].copy()) for c, y in held.items()}

    # ---------------------------------------------------------------- along the steps

    def arrived(self) -> None:
        """Let the directions catch up with the steps taken since the last time; the rows are still theirs."""
        from linkwork.numerics.stepping.advance import FAILS

        trails = self.session.trails.after(self._seen)
        if self._ended or (not trails and self._noted == self.session.reached):
            return
        times = np.concatenate([np.zeros(0), *(own for own, _ in trails)])
        states = np.vstack([np.zeros((0, self.session.p.n)), *(own[:, : self.session.p.n] for _, own in trails)])
        health = self._followed(times, states)
        self._seen, self._noted = self.session.trails.count, self.session.reached
        if health > FAILS or not np.isfinite(self.dz).all():
            self.stuck()

    def _followed(self, times: Array, states: Array) -> float:
        """Carry the directions along steps; where pivots weaken, with others from there on. The worst health."""
        from linkwork.numerics.stepping.eliminations import WEAK
        from linkwork.numerics.stepping.laws import enter_laws
        from linkwork.numerics.stepping.sensitivity import follow

        samples, worst, tries, bar = self.session.samples, 0.0, 0, WEAK
        while True:
            _, p, d = self.plant.equipped()
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
            if tries or not self.plant.strengthened(*self._from, states[0]):
                bar = np.inf  # over the step with the pivots that there are
            tries += 1

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
        self.plant.dead |= set(numbers)

    def set_numbers(self) -> None:
        """Loops are closed with other numbers."""
        from linkwork.numerics.stepping.sensitivity import project

        _, p, d = self.plant.equipped()
        project(p, d, self.session.t, self.session.z, self.dz)

    def jumped(self, jump: Jump) -> None:
        """Directions after the rates have jumped."""
        from linkwork.numerics.stepping.problem import law

        _, p, _ = self.plant.equipped()
        change = np.zeros((len(self.ways), len(jump.rows)))
        rates = self.plant.of_gaps(jump.before, self.dz, self._delay)[1] if self.session.modes.gaps else change
        for r, (kind, column, _, drive) in enumerate(jump.rows):
            if kind == GAP:
                change[:, r] = -(1.0 + jump.restitution[r]) * rates[:, column]
            else:
                if drive >= 0:
                    law(p, drive, self.session.t)
                change[:, r] = (p.law[2] * self._delay if drive >= 0 else 0.0) - self.dz[:, p.ny + column]
        self._turn(jump, change)

    def _turn(self, jump: Jump, wanted: Array) -> None:
        """Directions after the rates have jumped by Δ = response to GᵀP from before to now, as rows want it.

        wanted : (ways, rows), derivative of G Δ
        """
        engine, p, _ = self.plant.equipped()
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
            gradients = values[2], self.plant.of_gaps(before, self.dz, self._delay)[2]
        for r, (kind, column, *_) in enumerate(jump.rows):
            if kind == GAP:
                assert gradients is not None
                G[r], turned[:, r] = gradients[0][column], gradients[1][:, column]
            else:
                G[r, column] = 1.0
        nothing = np.zeros(self.plant.machine.plan.nl)
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
        mattering = [own for own in fired if matters(self.plant, own)]
        if not follows and len(mattering) > 1 and not alike(self.plant, self.dz, mattering):
            names = " and ".join(f"'{called(self.plant, own)}'" for own in mattering)
            text = f"{names} happen together at {self.session.t:.6g} s: no derivative"
            raise InputError(Problem(text, "events", "move one of them a little"), self.plant.machine.name)
        self._delay = np.zeros(len(self.ways))
        if mattering:
            self._delay = self._last if follows else delayed(self.plant, self.dz, mattering[0])
        before = self.plant.slope()
        self._grazed = (mattering[0], before) if np.isnan(self._delay).any() else None
        self._delay = np.nan_to_num(self._delay)
        self.dz += np.outer(self._delay, before)

    def after_event(self) -> None:
        """Directions at a given time again."""
        after = self.plant.slope()
        if self._grazed is not None:
            own, before = self._grazed
            if not np.allclose(before, after, rtol=SMOOTH, atol=SMOOTH * np.abs(before).max(initial=0.0)):
                t = self.session.t
                text = f"what '{called(self.plant, own)}' jumps with is grazed at {t:.6g} s, not crossed: no derivative"
                hint = "change the start, or end the simulation before"
                raise InputError(Problem(text, "loads", hint), self.plant.machine.name)
        self.dz -= np.outer(self._delay, after)
        self._last, self._delay = self._delay, np.zeros(len(self.ways))
        self.turned()

    def chatters(self, own: Watch) -> None:
        """There is no derivative of a jump without end."""
        formulas = self.plant.machine.plan.switched
        text = f"{chattering(formulas, self.session.t, own)}: no derivative"
        raise InputError(Problem(text, "loads", remedy(formulas, own)), self.plant.machine.name)
