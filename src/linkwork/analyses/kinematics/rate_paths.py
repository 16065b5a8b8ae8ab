"""Postures that only rates determine, carried along a path of the drives from a closed posture.

The compiled loop (`numerics.path_integration`) makes the steps. It comes back here when its pivots have become poor,
when no step leads on, and now and then to show progress.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.posture_paths import FIRST, LEAPS, MISS, POOR, Solver, solver_for
from linkwork.geometry import Array
from linkwork.kernels import drive
from linkwork.numerics import path_integration as loop
from linkwork.numerics import walk
from linkwork.numerics.stepping.laws import Laws, law_at

TOLERANCE = 1e-11
"""Error of a step [rad, or parts of the machine's size]."""
BUDGET = 64
"""Steps after which progress is shown."""


@dataclass(frozen=True, eq=False)
class Route:
    """A path u(s) of the drives, start <= s <= end, and the samples on it, ascending.

    laws : one for each driven variable; breaks : where u' jumps
    """

    laws: Laws
    breaks: Array
    start: float
    end: float
    samples: Array


@dataclass(eq=False)
class Carried:
    """Postures along a route.

    Y : (reached, ny); spans : solvers and the first sample that each of them serves
    leapt : samples that a leap went over; at, last : where it ended, and the posture there
    steps, rejected : taken, and taken back; interrupted : by the user
    """

    Y: Array
    spans: list[tuple[int, Solver]]
    leapt: list[int]
    at: float
    last: Array
    steps: int
    rejected: int
    complete: bool
    interrupted: bool

    @property
    def reached(self) -> int:
        """Number of samples reached."""
        return len(self.Y)


def carry(
    solver: Solver,
    y0: Array,
    driven: NDArray[np.int64],
    route: Route,
    progress: Callable[[int], None] | None = None,
) -> Carried:
    """Integrate from a closed posture y0, which belongs to the start of a route.

    driven : places of the driven variables among y, in the order of the route's laws
    """
    walk = Carrying(solver, y0, driven, route)
    complete = interrupted = False
    try:
        complete = walk.run(progress)
    except KeyboardInterrupt:
        interrupted = True
    p = walk.progress
    steps, rejected = int(p.state[loop.STEPS]), int(p.state[loop.REJECTED])
    reached = int(p.state[loop.SAMPLE])
    return Carried(
        walk.Y[:reached], walk.spans, walk.leapt, walk.at, p.y.copy(), steps, rejected, complete, interrupted
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Places:
    """Where variables, rates and drives stand; see `path_integration.Rates`."""

    plain: NDArray[np.int64]
    plain_columns: NDArray[np.int64]
    turns: NDArray[np.int64]
    turn_columns: NDArray[np.int64]
    driven: NDArray[np.int64]
    own: NDArray[np.int64]
    own_columns: NDArray[np.int64]
    whole: NDArray[np.int64]
    whole_columns: NDArray[np.int64]


def _places(loops: Loops, driven: NDArray[np.int64]) -> _Places:
    column: dict[int, int] = {}
    turns: dict[int, int] = {}
    for slot in loops.plan.slots:
        column |= {slot.q.start + k: slot.v.start + k for k in range(slot.plain)}
        if slot.plain < len(slot.law.variables):
            turns[slot.q.start + slot.plain] = slot.v.start + slot.plain
    laws = driven.tolist()
    own = [j for j, place in enumerate(laws) if place in column]
    whole = [j for j, place in enumerate(laws) if place in turns]
    lists: list[list[int]] = [
        list(column), list(column.values()), list(turns), list(turns.values()), laws, own,
        [column[laws[j]] for j in own], whole, [turns[laws[j]] for j in whole],
    ]  # fmt: skip
    return _Places(*(np.array(x, np.int64) for x in lists))


@dataclass
class Carrying:
    """Arrays of one integration."""

    solver: Solver
    y0: Array
    driven: NDArray[np.int64]
    route: Route
    leapt: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        loops, route = self.solver.loops, self.route
        self.loops = loops
        n = len(self.y0)
        self.y, self.y_next, self.measures = np.array(self.y0, float), np.empty(n), np.empty(4)
        self.w, self.w_all = np.zeros(loops.columns), np.zeros(loops.columns)
        self.length = np.array([loops.length])
        self.places = _places(loops, self.driven)
        self.Y = np.empty((len(route.samples), n))
        self.spans = [(0, self.solver)]
        self.progress = loop.progress_of(np.array(self.y0, float), route.start, self._first())

    @property
    def at(self) -> float:
        return float(self.progress.state[loop.AT])

    def _first(self) -> float:
        """A step in which the drives move a little."""
        whole = self.route.end - self.route.start
        here = self._values(self.route.start)
        part = whole
        for _ in range(60):
            moved = np.abs((self._values(self.route.start + part) - here) * self.loops.variable_scale[self.driven])
            if moved.max(initial=0.0) <= FIRST:
                break
            part *= 0.5
        return part

    def _values(self, s: float) -> Array:
        """Drives at a place of the route."""
        laws, out = self.route.laws, np.empty(3)
        values = np.empty(len(self.driven))
        for j in range(len(values)):
            law_at(laws.edges, laws.coefficients, laws.starts, laws.last, j, s, out)
            values[j] = out[0]
        return values

    def run(self, progress: Callable[[int], None] | None) -> bool:
        """Whether the end was reached."""
        reference = self.choose(self.y0)
        weak = POOR * reference
        before = -np.inf
        while True:
            why = self._integrate(weak)
            if progress is not None:
                progress(int(self.progress.state[loop.SAMPLE]))
            if why == loop.DONE:
                return True
            if why == loop.STUCK:
                if not self._leap(np.inf):
                    return False
            elif why == loop.WEAK:
                again, before = before == self.at, self.at
                ahead = self.progress.ahead
                weakness = self.choose(ahead)
                if weakness > weak and self._exchange(ahead, weak):
                    reference, weak = self.solver.reference, POOR * self.solver.reference
                    continue
                reference = min(reference, weakness)
                weak = max(POOR * reference, weak) if again else POOR * reference
                if weakness > weak or again:
                    weak *= POOR  # on towards it, in steps as short as the tolerance asks
            elif why != loop.MORE:
                raise AssertionError(why)

    def _integrate(self, weak: float) -> int:
        route = self.route
        why: int = loop.integrate(
            self.rates, route.laws, route.breaks, route.end, TOLERANCE, weak, BUDGET, self.progress, route.samples,
            self.Y,
        )  # fmt: skip
        return why

    def choose(self, y: Array) -> float:
        """Take the order of pivots that suits y."""
        order, step, weakness = self.solver.best(y)
        rates = self.loops.rates_kernel(order, 1)
        self.kernels = (rates, step)
        p = self.places
        self.rates = loop.Rates(
            rates.address, drive.pointers([self.y, self.w, *rates.bound]), drive.pointers([self.w_all]),
            step.address, drive.pointers([self.y, self.length, *step.bound]),
            drive.pointers([self.y_next, self.measures]), self.y, self.y_next, self.measures, self.w, self.w_all,
            p.plain, p.plain_columns, p.turns, p.turn_columns, p.driven, p.own, p.own_columns, p.whole,
            p.whole_columns, self.loops.variable_scale,
        )  # fmt: skip
        return weakness

    def _exchange(self, y: Array, weak: float) -> bool:
        """Hold other rates instead of idle ones that no longer determine the rest: what else moves is the same."""
        other = exchanged(self.solver, y)
        if other is None:
            return False
        before, self.solver = self.solver, other
        if self.choose(self.progress.y) > weak or self.choose(y) > weak:
            self.solver = before
            self.choose(y)
            return False
        self.spans.append((int(self.progress.state[loop.SAMPLE]), other))
        return True

    def _leap(self, weak: float) -> bool:
        """Try to go on beyond a singular posture, along the parabola through postures well before it."""
        p, scale = self.progress, self.loops.variable_scale
        predicted, moved, known = np.empty_like(p.y), np.empty_like(p.y), int(p.state[loop.KNOWN])
        for length in LEAPS:
            at = self._after(length)
            if at is None:
                break
            walk.extrapolate(p.far, p.far_at, known, at, predicted)
            self.choose(predicted)
            m = self.rates
            iterations = walk.correct(
                m.step_address, m.step_in, m.step_out, m.y, m.y_next, m.measures, predicted, moved, m.driven,
                self._values(at), m.turns,
            )  # fmt: skip
            miss = float(np.abs((self.y - moved) * scale).max())
            if iterations and miss <= MISS * length and self.measures[2] <= weak:
                self._land(at, min(known + 1, 3))
                return True
        self.choose(p.y)
        return False

    def _after(self, length: float) -> float | None:
        """Where on the route the drives have gone so far on; None where it ends before."""
        here, scale = self._values(self.at), self.loops.variable_scale[self.driven]

        def way(s: float) -> float:
            return float(np.abs((self._values(s) - here) * scale).max(initial=0.0))

        low, high = self.at, self.at + float(self.progress.state[loop.STEP])
        while way(min(high, self.route.end)) < length:
            if high >= self.route.end:
                return None
            low, high = high, self.at + 2.0 * (high - self.at)
        for _ in range(50):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if way(min(middle, self.route.end)) >= length else (middle, high)
        return min(high, self.route.end)

    def _land(self, at: float, known: int) -> None:
        """Go on from the posture after a leap; samples between are put on the parabola."""
        p, samples = self.progress, self.route.samples
        walk.remember(p.far, p.far_at, self.y, at)
        p.y[:] = self.y
        k = int(p.state[loop.SAMPLE])
        while k < len(samples) and samples[k] <= at:
            walk.extrapolate(p.far, p.far_at, known, float(samples[k]), self.Y[k])
            self.leapt.append(k)
            k += 1
        step = 0.25 * (at - self.at)
        p.state[[loop.AT, loop.STEP, loop.SAMPLE, loop.KNOWN]] = at, step, k, known


def exchanged(solver: Solver, y: Array) -> Solver | None:
    """The solver that holds other rates instead of idle ones, those that determine the rest best at y."""
    loops = solver.loops
    if not solver.loose.any():
        return None
    fixed = solver.independent & ~solver.loose
    independent: Mask = fixed.copy()
    independent[loops.chosen(y, fixed, loops.turning.astype(np.int64)).free] = True
    if independent.sum() != solver.independent.sum() or (independent == solver.independent).all():
        return None
    loose = independent & ~fixed
    return solver_for(loops, independent, (solver.held & ~solver.loose) | loose, loose, exact=True)
