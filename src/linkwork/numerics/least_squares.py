"""Damped Gauss-Newton (Levenberg-Marquardt) from many starts at once.

    minimise |e(y)|^2,    step x:  min |J x + e|^2 + d |x|^2  over the columns that are not specified

The damping d follows the gain ratio (actual decrease / promised decrease; Nielsen 1999, "Damping parameter in
Marquardt's method"). Near a root undamped steps by elimination take over, which converge quadratically also when rows
are redundant. Starts that end leave the batch at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.numerics._step_loops import damped_steps
from linkwork.numerics.elimination import as_mask, for_loops, require_finite, solve_batch

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

Evaluate = Callable[[Floats], tuple[Floats, Floats]]
"""y (A, ny) -> e (A, m), J (A, m, n), for any number A of the starts; what is not finite counts as a bad place."""

Advance = Callable[[Floats, Floats], Floats]
"""y (A, ny), step (A, n) -> the new y (A, ny); the step is zero on specified columns."""

FIRST_DAMPING = 1e-3
"""Damping of the first step, relative to the largest squared column of J."""

NEAR = 1e-2
"""Undamped steps are tried once the residual is below this."""

NEAR_RANK = 1e-7
"""Rank tolerance of undamped steps: smaller pivots would give steps that are all rounding."""

FLAT = 1e-5
"""A start stagnates when e is perpendicular to every column of J: |cosine| <= FLAT * sqrt(residual).

The root is there because at a double root, e = x^2, J vanishes too and the cosine may be as small as x.
"""

STUCK = 1e-13
"""A start stagnates when a step promises less than this part of |e|^2."""

FLOOR = 1e-15
"""A residual below this is rounding: nothing to polish."""


class Reason(IntEnum):
    """Why a start ended.

    CONVERGED: every row is within the tolerance. STAGNATED: a minimum of |e| that is no root. LIMIT: out of iterations.
    INTERRUPTED: the user stopped it. INVALID: e or J is not finite at the start.
    """

    CONVERGED = 0
    STAGNATED = 1
    LIMIT = 2
    INTERRUPTED = 3
    INVALID = 4


@dataclass(frozen=True, eq=False, repr=False)
class Minima:
    """Where the starts ended: y (B, ny), the residual max |scaled row| (B,), iterations (B,) and reasons (B,).

    The residual of an INVALID start is infinite and its y is where it started.
    """

    y: Floats
    residual: Floats
    iterations: Integers
    reason: Integers

    def __repr__(self) -> str:
        counts = ((reason.name.lower(), int((self.reason == reason).sum())) for reason in Reason)
        return f"Minima({len(self.y)} starts: {', '.join(f'{count} {name}' for name, count in counts if count)})"

    @property
    def converged(self) -> Booleans:
        """Mask (B,) of the starts that found a root."""
        return np.asarray(self.reason == Reason.CONVERGED)


def damped_step(
    J: ArrayLike, e: ArrayLike, damping: ArrayLike, specified: ArrayLike | None = None, limit: float = np.inf
) -> tuple[Floats, Floats]:
    """x (B, n) of min |J x + e|^2 + damping |x|^2, shrunk to max |x_i| <= limit, and the promised decrease of |e|^2.

    J (B, m, n), e (B, m), damping (B,). Specified columns stay 0. The smaller of the normal forms
    (J^T J + d I) x = -J^T e and x = -J^T (J J^T + d I)^-1 e is solved by Cholesky. Where the input is not finite the
    step is 0 and the promise -1.
    """
    matrices = for_loops(J)
    if matrices.ndim != 3:
        raise ValueError(f"J has shape {matrices.shape}, not (B, m, n)")
    count, m, n = matrices.shape
    residuals, dampings = for_loops(e), for_loops(damping)
    if residuals.shape != (count, m) or dampings.shape != (count,):
        raise ValueError(
            f"e has shape {residuals.shape}, not {(count, m)}, or damping {dampings.shape}, not {(count,)}"
        )
    x, decrease = np.zeros((count, n)), np.zeros(count)
    damped_steps(matrices, residuals, dampings, np.flatnonzero(~as_mask(specified, n)), limit, x, decrease)
    return x, decrease


def minimise(
    evaluate: Evaluate,
    advance: Advance,
    y0: ArrayLike,
    specified: ArrayLike | None = None,
    row_scale: ArrayLike = 1.0,
    column_scale: ArrayLike = 1.0,
    *,
    tolerance: float = 1e-10,
    iterations: int = 200,
    limit: float = 0.5,
    callback: Callable[[int, int], None] | None = None,
) -> Minima:
    """Minimise |row_scale * e(y)|^2 from every start y0 (B, ny); what a start needs besides may ride along in y.

    Steps are column_scale * x with every |x_i| <= limit, x the unit-free step. A start is CONVERGED when every row of
    row_scale * e is within `tolerance`; it is polished beyond, to rounding, as long as that is cheap. `callback(done,
    total)` runs each round; a KeyboardInterrupt, there or from the keyboard, returns what there is.
    """
    starts = np.array(y0, float)
    if starts.ndim != 2:
        raise ValueError(f"y0 has shape {starts.shape}, not (B, ny)")
    if not tolerance > 0.0 or iterations < 0 or not limit > 0.0:
        raise ValueError(
            f"tolerance {tolerance} and limit {limit} must be positive, iterations {iterations} not negative"
        )
    require_finite(starts, "list of starts")
    problem = _Problem(evaluate, advance, np.asarray(row_scale, float), np.asarray(column_scale, float), specified)
    total = len(starts)
    result = Minima(
        y=starts,
        residual=np.full(total, np.inf),
        iterations=np.zeros(total, np.int64),
        reason=np.full(total, Reason.INTERRUPTED, np.int64),
    )
    if not total:
        return result
    try:
        batch = _start(problem, starts)
        while True:
            batch = _retire(batch, result, tolerance, iterations)
            if callback is not None:
                callback(total - len(batch.which), total)
            if not len(batch.which):
                return result
            _round(problem, batch, tolerance, limit)
    except KeyboardInterrupt:
        return result


@dataclass(frozen=True, eq=False)
class _Problem:
    """The callables with scaled rows and columns."""

    evaluate: Evaluate
    advance: Advance
    row_scale: Floats
    column_scale: Floats
    specified: ArrayLike | None

    def at(self, y: Floats) -> tuple[Floats, Floats]:
        """Scaled e (A, m) and J (A, m, n)."""
        e, J = self.evaluate(y)
        if J.shape[:2] != e.shape or len(e) != len(y):
            raise ValueError(f"evaluate gave e of shape {e.shape} and J of shape {J.shape} for {len(y)} starts")
        rows = np.broadcast_to(self.row_scale, e.shape[1:])
        with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is seen by the loops
            return e * rows, J * rows[:, None] * self.column_scale

    def moved(self, y: Floats, x: Floats) -> Floats:
        """y after the unit-free step x."""
        return self.advance(y, x * self.column_scale)


@dataclass(eq=False)
class _Batch:
    """The starts under way; `which` are their places among all. Arrays change in place, round by round."""

    which: Integers
    y: Floats
    e: Floats
    J: Floats
    squares: Floats  # |e|^2
    residual: Floats  # max |e_i|
    damping: Floats
    growth: Floats  # of the damping, at the next rejection
    near: Floats  # undamped steps are tried below this residual
    count: Integers  # iterations so far
    polished: Booleans  # within the tolerance, and an undamped step made it no better
    stuck: Booleans  # promised next to nothing

    def keep(self, mask: Booleans) -> _Batch:
        return _Batch(**{name: values[mask] for name, values in vars(self).items()})


def _start(problem: _Problem, starts: Floats) -> _Batch:
    count = len(starts)
    e, J = problem.at(starts)
    squares, residual = _size(e, J)
    free = ~as_mask(problem.specified, J.shape[2])
    with np.errstate(invalid="ignore", over="ignore"):
        largest = (J[:, :, free] ** 2).sum(axis=1).max(axis=1, initial=0.0)
    return _Batch(
        which=np.arange(count),
        y=starts.copy(),
        e=e,
        J=J,
        squares=squares,
        residual=residual,
        damping=FIRST_DAMPING * np.where(np.isfinite(largest) & (largest > 0.0), largest, 1.0),
        growth=np.full(count, 2.0),
        near=np.full(count, NEAR),
        count=np.zeros(count, np.int64),
        polished=np.zeros(count, np.bool_),
        stuck=np.zeros(count, np.bool_),
    )


def _retire(batch: _Batch, result: Minima, tolerance: float, iterations: int) -> _Batch:
    """Write down where everyone stands; keep those that go on."""
    result.y[batch.which] = batch.y
    result.residual[batch.which] = batch.residual
    result.iterations[batch.which] = batch.count
    within = batch.residual <= tolerance
    result.reason[batch.which[within]] = Reason.CONVERGED  # also of those still being polished, if interrupted
    over = batch.count >= iterations
    ends = [
        (Reason.INVALID, ~np.isfinite(batch.residual)),
        (Reason.CONVERGED, within & (batch.polished | over | (batch.residual <= FLOOR))),
        (Reason.STAGNATED, ~within & batch.stuck),
        (Reason.LIMIT, ~within & over),
    ]
    going = np.ones(len(batch.which), np.bool_)
    for reason, mask in ends:
        result.reason[batch.which[mask & going]] = reason
        going &= ~mask
    return batch if going.all() else batch.keep(going)


def _round(problem: _Problem, batch: _Batch, tolerance: float, limit: float) -> None:
    """One iteration of every start: an undamped step where the root is near, else a damped one."""
    undamped = batch.residual <= np.maximum(batch.near, tolerance)
    x, promise = np.zeros((len(batch.which), batch.J.shape[2])), np.zeros(len(batch.which))
    if undamped.any():
        x[undamped] = _newton(batch.J[undamped], -batch.e[undamped], problem.specified, limit)
    damped = ~undamped
    if damped.any():
        x[damped], promise[damped] = damped_step(
            batch.J[damped], batch.e[damped], batch.damping[damped], problem.specified, limit
        )
    y = problem.moved(batch.y, x)
    e, J = problem.at(y)
    squares, residual = _size(e, J)

    # An undamped step must halve the residual; if not, damped ones go on (or, within the tolerance, it is the end).
    # A damped step is taken when it makes |e|^2 smaller at all.
    gain = np.divide(batch.squares - squares, promise, out=np.full(len(promise), -1.0), where=promise > 0.0)
    taken = np.where(undamped, residual <= 0.5 * batch.residual, gain > 0.0) & np.isfinite(residual)
    missed = undamped & ~taken
    batch.polished |= missed & (batch.residual <= tolerance)
    batch.near[missed] = 0.1 * batch.residual[missed]
    batch.stuck |= damped & (promise >= 0.0) & (promise <= STUCK * batch.squares)
    batch.stuck |= damped & _flat(batch.e, batch.J, problem.specified)

    good, bad = damped & taken, damped & ~taken
    batch.damping[good] *= np.maximum(1.0 / 3.0, 1.0 - (2.0 * gain[good] - 1.0) ** 3)
    batch.growth[good] = 2.0
    batch.damping[bad] *= batch.growth[bad]
    batch.growth[bad] *= 2.0
    for held, new in ((batch.y, y), (batch.e, e), (batch.J, J), (batch.squares, squares), (batch.residual, residual)):
        held[taken] = new[taken]
    batch.count += 1


def _newton(J: Floats, rhs: Floats, specified: ArrayLike | None, limit: float) -> Floats:
    """Basic solution of J x = rhs, shrunk to max |x_i| <= limit."""
    solutions, _ = solve_batch(J, rhs[:, :, None], specified, NEAR_RANK)
    x = solutions[:, :, 0]
    longest = np.abs(x).max(axis=1, keepdims=True, initial=0.0)
    return np.asarray(x * (limit / np.maximum(longest, limit)))


def _size(e: Floats, J: Floats) -> tuple[Floats, Floats]:
    """|e|^2 and max |e_i| of every start; infinite where e or J is not finite."""
    sound = np.isfinite(e).all(axis=1) & np.isfinite(J).all(axis=(1, 2))
    squares = np.full(len(e), np.inf)
    residual = np.full(len(e), np.inf)
    with np.errstate(over="ignore"):
        squares[sound] = (e[sound] ** 2).sum(axis=1)
    residual[sound] = np.abs(e[sound]).max(axis=1, initial=0.0)
    return squares, residual


def _flat(e: Floats, J: Floats, specified: ArrayLike | None) -> Booleans:
    """Whether e is perpendicular to every column of J that may move: a stationary point of |e|^2."""
    free = J[:, :, ~as_mask(specified, J.shape[2])]
    small = FLAT * np.sqrt(np.minimum(1.0, np.abs(e).max(axis=1, initial=0.0)))
    slope = np.abs(np.einsum("bij,bi->bj", free, e))
    steepest = np.linalg.norm(free, axis=1) * np.linalg.norm(e, axis=1)[:, None]
    return np.asarray((slope <= small[:, None] * steepest).all(axis=1))
