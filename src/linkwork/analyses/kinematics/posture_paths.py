"""From posture to posture along given values of the drives: orders of pivots are changed, singular postures leapt over.

The compiled loop (`numerics.walk`) does the steps. It comes back here when its pivots have become poor, when no
step leads on, and now and then to show progress.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.equations.loop_solver import Order
from linkwork.geometry import Array
from linkwork.kernels import drive
from linkwork.kernels.hosted import Evaluator

POOR = 1e4
"""Growth of Σ 1/pivot² at which another order is looked for; if there is none, a singular posture is near."""
LEAPS = (0.01, 0.02, 0.05, 0.1, 0.2)
"""Ways of the drives over which a singular posture is leapt [rad, or parts of the machine's size]."""
MISS = 0.1
"""How far from the prediction a leap may land, in parts of its way."""
PIECE = 32
"""Samples after which progress is shown."""
GOOD = 100.0
"""An order of the pool is taken without looking for another one while Σ 1/pivot² is within this of the best so far."""
FIRST = 0.02
"""Way of the drives in the first step."""


@dataclass(frozen=True, eq=False)
class Path:
    """Postures along the drives.

    Y : (reached, ny); effort : Newton's steps by sample; leapt : samples that a leap went over
    end : how far it came, in samples; last : the last posture; interrupted : by the user
    """

    Y: Array
    effort: NDArray[np.int64]
    leapt: tuple[int, ...]
    end: float
    last: Array
    interrupted: bool

    @property
    def reached(self) -> int:
        """Number of samples reached."""
        return len(self.Y)


@dataclass(eq=False)
class Solver:
    """Newton's step for given independent rates, with a pool of orders for different regions of motion.

    held : independent turns of free joints that nothing drives; no variable tells where they stand
    loose : those of them that move nothing else (the spin of a rod between two balls), and may be exchanged for others
    exact : whether just these rates are held; else loose ones are exchanged where others determine the rest better
    """

    loops: Loops
    independent: Mask
    held: Mask
    loose: Mask
    exact: bool = False
    pool: dict[Order, Evaluator] = field(default_factory=dict)
    reference: float = 0.0

    def best(self, y: Array) -> tuple[Order, Evaluator, float]:
        """The order that suits a posture: one of the pool if it is about as good as a new one.

        At a singular posture a new one has too few pivots, and would leave variables where they are.
        """
        weak = {order: self.weakness(kernel, y) for order, kernel in self.pool.items()}
        if min(weak.values(), default=np.inf) > GOOD * self.reference and self.loops.is_finite(y):
            fresh = self.loops.order(y, self._independent_at(y))
            if len(fresh.pivots) + self.independent.sum() == self.loops.columns or not self.pool:
                weak[fresh] = self.weakness(self.kernel(fresh), y)
        least = min(weak.values())
        self.reference = min(self.reference, least) if self.reference else least
        order = next(o for o in weak if weak[o] <= 10.0 * least)
        return order, self.pool[order], weak[order]

    def _independent_at(self, y: Array) -> Mask:
        """Independent rates that suit a posture: loose ones are chosen where they determine the rest best."""
        if self.exact or not self.loose.any():
            return self.independent
        fixed = self.independent & ~self.loose
        chosen = fixed.copy()
        chosen[self.loops.chosen(y, fixed, self.loops.turning.astype(np.int64)).free] = True
        return chosen if chosen.sum() == self.independent.sum() else self.independent

    def kernel(self, order: Order) -> Evaluator:
        """The step by an order, kept."""
        if order not in self.pool:
            self.pool[order] = self.loops.step_kernel(order)
        return self.pool[order]

    def weakness(self, kernel: Evaluator, y: Array) -> float:
        """Σ 1/pivot² at a posture; infinite where a pivot vanishes."""
        _, measures = kernel(y, np.array([self.loops.length]))
        return float(measures[2]) if np.isfinite(measures[2]) else np.inf


def solver_for(loops: Loops, independent: Mask, held: Mask, loose: Mask, exact: bool = False) -> Solver:
    """The solver for these independent rates; kept with the loops, since its orders of pivots serve again."""
    key = (independent.tobytes(), held.tobytes(), loose.tobytes(), bytes([exact]))
    if key not in loops.solvers:
        loops.solvers[key] = Solver(loops, independent.copy(), held.copy(), loose.copy(), exact)
    solver: Solver = loops.solvers[key]
    return solver


def follow(
    solver: Solver, y0: Array, driven: NDArray[np.int64], U: Array, progress: Callable[[int], None] | None = None
) -> Path:
    """Follow drives U (samples, driven variables) from a closed posture y0, which belongs to the first sample.

    driven : places of the driven variables among y
    """
    walk = _Walk(solver, y0, driven, U)
    interrupted = False
    try:
        walk.run(progress)
    except KeyboardInterrupt:
        interrupted = True
    reached = int(np.floor(walk.at + 1e-9)) + 1
    # The last of Newton's steps may end a rounding beyond the end of a law.
    last = next((y for y in walk.past[::-1] if solver.loops.is_finite(y)), walk.past[2])
    return Path(walk.Y[:reached], walk.effort[:reached], tuple(walk.leapt), walk.at, last.copy(), interrupted)


def ways_of(loops: Loops, driven: NDArray[np.int64], U: Array) -> Array:
    """How far the drives have gone, by sample, scaled; where they turn back on their way, it shrinks again."""
    steps = np.diff(U, axis=0) * loops.variable_scale[driven]
    lengths = np.abs(steps).max(axis=1, initial=0.0)
    moving = np.flatnonzero(lengths)
    turns = np.where((steps[moving][1:] * steps[moving][:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    lengths[moving[1:]] *= np.cumprod(turns)
    return np.concatenate([[0.0], np.cumsum(lengths)])


class _Walk:
    """Arrays of one walk; see `numerics.walk.walk`."""

    def __init__(self, solver: Solver, y0: Array, driven: NDArray[np.int64], U: Array) -> None:
        from linkwork.numerics import walk

        self.loop = walk
        self.solver, self.loops = solver, solver.loops
        self.U = np.ascontiguousarray(U, float)
        self.driven = np.ascontiguousarray(driven, np.int64)
        self.W = np.ascontiguousarray(ways_of(self.loops, self.driven, self.U))
        self.quaternions = np.array(self.loops.quaternions, np.int64)
        samples, ny = len(U), len(y0)
        self.Y = np.empty((samples, ny))
        self.Y[0] = y0
        self.effort = np.zeros(samples, np.int64)
        self.y, self.y_next, self.measures = np.array(y0, float), np.empty(ny), np.empty(4)
        self.past, self.ways = np.tile(np.asarray(y0, float), (3, 1)), np.zeros(3)
        self.far, self.far_ways = self.past.copy(), self.ways.copy()
        first = float(np.abs(np.diff(self.W[:2])).max(initial=0.0))
        self.state = np.zeros(walk.STATES)
        self.state[[walk.STEP, walk.HEADING]] = min(1.0, FIRST / first) if first > 0.0 else 1.0, 1.0
        self.state[[walk.KNOWN, walk.KNOWN_FAR]] = 1.0
        self.length = np.array([self.loops.length])
        self.leapt: list[int] = []

    @property
    def at(self) -> float:
        """How far it came, in samples."""
        return float(self.state[self.loop.AT])

    def run(self, progress: Callable[[int], None] | None) -> None:
        samples = len(self.U)
        reference = self._choose(self.y)
        weak = POOR * reference
        stop = min(PIECE, samples)
        before = -1.0
        while True:
            why = self._walk(stop, weak)
            if progress is not None:
                progress(int(self.at) + 1)
            if why == self.loop.DONE:
                if stop == samples:
                    return
                stop = min(stop + PIECE, samples)
            elif why == self.loop.WEAK:
                ahead = self.y.copy() if np.isfinite(self.y).all() else self.past[2].copy()
                weakness = self._choose(ahead)
                self._recall_sign()
                reference = min(reference, weakness)
                again, before = before == self.at, self.at
                weak = max(POOR * reference, weak) if again else POOR * reference
                if (weakness > weak or again) and not self._leap(POOR * reference):
                    weak *= POOR  # on towards it, in short steps
            elif not self._leap(np.inf):
                return

    def _choose(self, y: Array) -> float:
        """Take the order that suits y."""
        _, self.kernel, weakness = self.solver.best(y)
        self.inputs = drive.pointers([self.y, self.length, *self.kernel.bound])
        self.outputs = drive.pointers([self.y_next, self.measures])
        return weakness

    def _recall_sign(self) -> None:
        """The sign of the pivots' product with the new order, at the posture where it was taken."""
        _, measures = self.kernel(self.past[2], self.length)
        self.state[self.loop.SIGN] = np.sign(measures[3]) if np.isfinite(measures[3]) else 0.0

    def _arguments(self) -> tuple[Any, ...]:
        return (self.kernel.address, self.inputs, self.outputs, self.y, self.y_next, self.measures)

    def _walk(self, stop: int, weak: float) -> int:
        why: int = self.loop.walk(
            *self._arguments(), self.U[:stop], self.W[:stop], self.driven, self.quaternions,
            self.loops.variable_scale, weak, self.past, self.ways, self.far, self.far_ways, self.state, self.Y,
            self.effort,
        )  # fmt: skip
        return why

    def _leap(self, weak: float) -> bool:
        """Try to go on beyond a singular posture, along the parabola through postures well before it.

        weak : the largest Σ 1/pivot² at which to land
        """
        scale = self.loops.variable_scale
        predicted, moved = np.empty_like(self.y), np.empty_like(self.y)
        for length in LEAPS:
            at = self._after(length)
            if at is None:
                break
            samples = np.arange(len(self.U))
            values = np.array([np.interp(at, samples, column) for column in self.U.T])
            way = float(np.interp(at, samples, self.W))
            known = int(self.state[self.loop.KNOWN_FAR])
            self.loop.extrapolate(self.far, self.far_ways, known, way, predicted)
            self._choose(predicted)
            arguments = (*self._arguments(), predicted, moved, self.driven, values, self.quaternions)
            iterations = self.loop.correct(*arguments)
            miss = float(np.abs((self.y - moved) * scale).max())
            if iterations and miss <= MISS * length and self.measures[2] <= weak:
                self._land(at, way)
                return True
        self._choose(self.past[2])
        self._recall_sign()
        return False

    def _after(self, length: float) -> float | None:
        """Where the drives have gone so far on, in samples; None if they turn back or end before."""
        first = int(np.floor(self.at + 1e-12)) + 1
        nodes = np.concatenate([[self.at], np.arange(first, len(self.U))])
        ways = np.interp(nodes, np.arange(len(self.U)), self.W)
        steps = np.diff(ways)
        moving = np.flatnonzero(steps)
        if not moving.size:
            return None
        heading = np.sign(steps[moving[0]])
        back = np.flatnonzero(steps * heading < 0.0)
        end = int(back[0]) + 1 if back.size else len(ways)
        total = (ways[:end] - ways[0]) * heading
        return float(np.interp(length, total, nodes[:end])) if total[-1] >= length else None

    def _land(self, at: float, way: float) -> None:
        """Go on from the posture after a leap; samples between are put on the parabola."""
        loop, before = self.loop, self.at
        known = int(min(self.state[loop.KNOWN_FAR] + 1, 3))
        loop.remember(self.far, self.far_ways, self.y, way)
        for k in range(int(np.floor(before + 1e-12)) + 1, int(np.floor(at + 1e-12)) + 1):
            loop.extrapolate(self.far, self.far_ways, known, float(self.W[k]), self.Y[k])
            self.Y[k, self.driven] = self.U[k]
            self.leapt.append(k)
        self.past[:], self.ways[:] = self.far, self.far_ways
        names = [loop.AT, loop.STEP, loop.SIGN, loop.KNOWN, loop.KNOWN_FAR]
        self.state[names] = at, 0.25 * (at - before), np.sign(self.measures[3]), known, known
