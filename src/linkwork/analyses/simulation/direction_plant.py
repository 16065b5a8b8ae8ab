"""The plant along whose steps directions are carried: kernels in which nothing is folded that the parameters move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.simulation.directions import Direction
from linkwork.analyses.simulation.engine import Equipment
from linkwork.analyses.simulation.journey import Journey
from linkwork.analyses.simulation.parameter_kernels import Variation
from linkwork.analyses.simulation.varied_engine import VariedEngine
from linkwork.equations import conditions, simulation
from linkwork.equations.closed_dynamics import Elimination
from linkwork.equations.elimination_search import find_elimination
from linkwork.formulas import Question
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.numerics.stepping.problem import Problem as Arrays
    from linkwork.numerics.stepping.sensitivity import Directions

BESIDE = 1e-3
"""How far beside its own numbers a machine is looked at [rad, parts of its size]."""
GAP, PRESSED = 1, 2
"""As in `numerics.stepping`."""


class DirectionPlant:
    """Engine, problem and directions of the machine of a simulation as it is now.

    session : the simulation; ways : what it is differentiated by
    dead : parameters to which an event gave other values
    holds : by rate of a variable that is held, how the value moves at which it is
    """

    def __init__(self, session: Journey, ways: tuple[Direction, ...]) -> None:
        self.session, self.ways = session, ways
        self.dead: set[str] = set()
        self.holds: dict[int, Array] = {}
        self._own: tuple[VariedEngine, Arrays, Directions] | None = None
        self._known: list[tuple[VariedEngine, Arrays, Directions]] = []
        """Those that were in use, by elimination."""

    @property
    def machine(self) -> Machine:
        """The machine as it is now."""
        return self.session.machine

    def variation(self) -> Variation:
        """Its numbers, and how they move."""
        return Variation(self.machine, tuple("" if w.parameter in self.dead else w.parameter for w in self.ways))

    def renew(self) -> None:
        """Arrays are made anew when they are next needed."""
        self._own, self._known = None, []

    def equipped(self) -> tuple[VariedEngine, Arrays, Directions]:
        """Engine, problem and directions of the machine as it is, in the mode in which it is."""
        if self._own is None:
            self._own = self._equipment(None)
            self._known = [self._own]
        engine, p, d = self._own
        for name in ("slip", "switch", "given_effort", "effort", "rows", "hold", "count", "held", "side"):
            getattr(p, name)[:] = getattr(self.session.p, name)
        p.soft[:, PRESSED] = self.session.active.beyond
        for r, column in enumerate(p.rows[: int(p.count[0]), 1]):
            d.hold[:, r] = self.holds.get(int(column), 0.0) if p.rows[r, 0] != GAP else 0.0
        return engine, p, d

    def _equipment(self, y: Array | None) -> tuple[VariedEngine, Arrays, Directions]:
        """Engine, problem and directions of the machine as it is.

        y : posture whose pivots are to be strong; of the present one those of the simulation serve, where they can
        """
        asked, modes, loops = self.session.asked, self.session.modes, self.machine.loops
        variation, needs = self.variation(), self.session.engine.needs
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
        if machine.loops.count:
            moves = [bool(own.any()) for own in variation(Question(simulation.mismatch())).slopes]
        numbers_now = {**machine.dimensions, **machine.parameters}
        beside = {
            w.parameter: numbers_now[w.parameter] + BESIDE * (machine.loops.length if w.unit == "m" else 1.0)
            for w, moved in zip(self.ways, moves, strict=True)
            if moved
        }
        tight = machine._formulas.numbers(machine.parameters, True)[0].pattern
        if y is None and not beside and variation.numbers(True)[0].pattern == tight:
            return self.session.elimination
        other = machine.with_parameters(beside) if beside else machine
        here = self.session.z[: machine.plan.ny] if y is None else y
        posture = other.starting_from(Posture(other.loops, here.copy())).home
        numbers, constants = Variation(other, variation.names).numbers(True)
        states = states_around(other.loops, posture)
        return find_elimination(machine.plan, numbers, constants, states, lasting=y is not None)

    def strengthened(self, t: float, z: Array, ahead: Array) -> bool:
        """Go on with an elimination that is strong at both ends of a step from t on: a known one, or a new one."""
        from linkwork.numerics.stepping.eliminations import BETTER, weakness_of

        assert self._own is not None
        scratch = np.empty(self.session.p.n)

        def weak(own: Any) -> float:
            return max(float(weakness_of(own[1], 0, t, x, scratch)) for x in (z, ahead))

        before = self._own
        limit = weak(before) / BETTER
        known = [own for own in self._known if own is not before]
        best = min(known, key=weak, default=None)
        if best is None or weak(best) > limit:
            best = self._equipment(z[: self.session.p.ny])
            self._known.append(best)
        if weak(best) > limit:
            return False
        self._own = best
        return True

    def slope(self) -> Array:
        """Derivative of the state in the mode as it is."""
        from linkwork.numerics.stepping.problem import rates

        _, p, _ = self.equipped()
        f = np.empty(p.n)
        rates(p, self.session.t, self.session.z, f)
        return f

    def of_gaps(self, z: Array, dz: Array, delay: Array) -> list[Array]:
        """Derivatives of all gaps, their rates, gradients and γ at a state: (ways, ...) each.

        dz : directions of the state; delay : of the time [s]
        """
        engine, p, _ = self.equipped()
        assert engine.variation is not None
        varied = engine.variation(Question(conditions.gaps(self.session.modes.gaps)))
        tangent = varied.tangent(("y", "w", "t"), ("g", "rate", "G", "gamma"))
        (y, w, _), (dy, dw, _) = p.layout.split(z), p.layout.split(dz)
        dt = delay[:, np.newaxis]
        found = tangent(y, w, np.array([self.session.t]), varied.settled, dy, dw, dt, varied.slopes)
        return [np.asarray(x) for x in found]
