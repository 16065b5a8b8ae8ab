"""Goals by sample, thousands at once: compiled loops over all cores, no Python by sample (`numerics.reaching`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.given_values import given_variables
from linkwork.analyses.kinematics.loops import CLOSURE, Loops, Mask
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.robots.goal_kinds import Attitude, Place, Pointing
from linkwork.analyses.robots.reach import known_limits, specified_by, start_of
from linkwork.analyses.robots.task_rows import Wanted, wanted_of
from linkwork.equations.quantities import QUANTITIES
from linkwork.equations.reaching import reaching
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.kernels import drive
from linkwork.kernels.threads import available_cores, run_pieces
from linkwork.names import variable_book

TOLERANCE = 1e-12
"""Error [rad, or parts of the machine's size] that counts as none."""
RESTARTS, MOST = 100, 40
"""Random postures from which a sample begins again, and steps from each."""
LEAST, SPARE = 1e-16, 1e-10
"""Damping that is left in the end; more where freedoms are left, to tell directions that no row knows from rounding."""
PIECE = 256
"""Samples of one piece of work."""


@dataclass(frozen=True, eq=False)
class Reaches:
    """Postures for many goals, as arrays; made by `Machine.reach_many`.

    variables : (samples, variables), of a sample that failed the nearest posture found
    converged : by sample; residual : largest error by sample [rad, or parts of the machine's size]
    steps, starts : taken by sample, and postures from which it was searched
    names : of the columns, those of `Machine.variables`
    """

    loops: Loops
    variables: Array
    converged: NDArray[np.bool_]
    residual: Array
    steps: NDArray[np.int64]
    starts: NDArray[np.int64]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of `variables`."""
        return self.loops.plan.variables

    @property
    def q(self) -> Array:
        """Coordinates of the spanning tree, (samples, coordinates)."""
        return self.variables[:, : self.loops.plan.nq]

    def __len__(self) -> int:
        return len(self.variables)

    def __repr__(self) -> str:
        good = int(self.converged.sum())
        failed = "" if good == len(self) else f", {len(self) - good} not reached"
        worst = float(self.residual[self.converged].max(initial=0.0))
        return (
            f"Reaches of {len(self)} samples: {good} reached to {worst:.1e}{failed}; "
            f"{self.steps.mean():.1f} steps and {self.starts.mean():.2f} starts each"
        )

    def value(self, name: str) -> Array:
        """A variable by name, (samples,).

        Parameters
        ----------
        name : of a variable (`C.slide`), or of a joint that has only one
        """
        return self.variables[:, variable_book(self.names).look_up([name], "variable")[0].place]

    def posture(self, sample: int) -> Posture:
        """The posture of one sample.

        Parameters
        ----------
        sample : its number
        """
        return Posture(self.loops, self.variables[sample])


def reach_many(
    loops: Loops,
    home: Posture,
    name: str,
    goals: Sequence[Any],
    rotation: Any,
    hold: Sequence[str],
    start: Any,
    path: bool,
    restarts: int | None,
    limits: bool,
    seed: int,
    threads: int | None,
) -> Reaches:
    """Postures for goals by sample; see `Machine.reach_many`."""
    from linkwork.numerics import reaching as loop

    wanted = wanted_of(loops, name, goals, rotation, hold, many=True)
    count = wanted.samples
    if count is None:
        hint = "an array with one goal for each sample; `reach` takes one"
        raise InputError(Problem("goals by sample are wanted", "reach_many", hint), loops.plan.name)
    specified = specified_by(loops, wanted.values, wanted.held)
    work = _Work(loops, wanted, specified, count, limits)
    first = _starts(loops, home, start, count)
    many = (0 if path else RESTARTS) if restarts is None else restarts
    more = elsewhere(loops, home.y, specified, limits, many, seed)
    Y, told = np.empty((count, loops.plan.ny)), np.empty((count, 3))
    given = given_variables(loops, wanted.values)
    values = np.ascontiguousarray(np.broadcast_to(given.values, (count, given.variables.size)), float)

    # With freedoms left, what two samples lead on to would gather way along the null space, and so would rounding.
    spare = work.spare(first[0], specified)
    way, least = 0 if not path else 1 if spare else 2, SPARE if spare else LEAST

    def some(begin: int, number: int) -> None:
        loop.reach_some(
            *work.tables(),
            first,
            more,
            values,
            given.variables,
            way,
            least,
            TOLERANCE,
            MOST,
            begin,
            begin + number,
            Y,
            told,
        )

    if path:
        some(0, count)
    else:
        run_pieces(some, count, PIECE, threads or available_cores())
    residual = told[:, 0]
    if not (path or loops.count):
        _turned_back(loops, work, Y)
    return Reaches(loops, Y, residual <= TOLERANCE, residual, *told[:, 1:].astype(np.int64).T)


def _starts(loops: Loops, home: Posture, start: Any, count: int) -> Array:
    """The posture from which every sample starts, or one for each."""
    if isinstance(start, np.ndarray):
        if start.shape != (count, loops.plan.ny):
            text = f"starts of shape {start.shape}, where ({count}, {loops.plan.ny}) is wanted"
            raise InputError(Problem(text, "start", "all variables by sample"), loops.plan.name)
        return np.ascontiguousarray(start, float)
    return np.ascontiguousarray(start_of(loops, home, start, {}).y[np.newaxis])


def elsewhere(loops: Loops, y: Array, specified: Mask, limits: bool, count: int, seed: int) -> Array:
    """Random postures: within limits, else within a turn or the machine's size; loops are closed by the search."""
    rng = np.random.default_rng(seed)
    z = rng.uniform(-1.0, 1.0, (count, loops.columns)) * np.where(loops.column_scale == 1.0, np.pi, 1.0)
    z[:, specified] = 0.0
    there = loops.advanced(np.broadcast_to(y, (count, len(y))), z) if count else np.zeros((0, len(y)))
    for limit in known_limits(loops, specified) if limits else []:
        if np.isfinite([limit.low, limit.high]).all():
            there[:, limit.place] = rng.uniform(limit.low, limit.high, count)
    return np.ascontiguousarray(there)


def _turned_back(loops: Loops, work: _Work, Y: Array) -> None:
    """Angles of an open tree without limits within half a turn of zero."""
    for place, low, high in zip(work.places, work.low, work.high, strict=True):
        if place >= 0 and loops.variable_scale[place] == 1.0 and not np.isfinite([low, high]).any():
            variable = next(
                s.law.variables[place - s.q.start] for s in loops.plan.slots if s.q.start <= place < s.q.stop
            )
            if variable.dimension == "angle":
                Y[:, place] = np.remainder(Y[:, place] + np.pi, 2.0 * np.pi) - np.pi


class _Work:
    """Constant tables of one question, and buffers for each thread."""

    def __init__(self, loops: Loops, wanted: Wanted, specified: Mask, count: int, limits: bool) -> None:
        plan, system = loops.plan, loops.system
        self.loops, self.bases = loops, wanted.bases
        self.kernel = system.bound_kernel(Question(reaching(self.bases)))
        self.columns = np.flatnonzero(~specified)
        plain = np.array([not t for t in loops.turning])
        self.places = np.array([loops.places[c] if plain[c] else -1 for c in self.columns], np.int64)
        self.low, self.high = np.full(len(self.columns), -np.inf), np.full(len(self.columns), np.inf)
        for limit in known_limits(loops, specified) if limits else []:
            k = int(np.flatnonzero(self.places == limit.place)[0])
            self.low[k], self.high[k] = limit.low, limit.high
        self.scale = np.ascontiguousarray(loops.column_scale[self.columns])
        tasks = wanted.tasks
        self.kinds = np.array([_kind(goal) for goal, _ in tasks], np.int64)
        self.of = np.array([self.bases.index(t.base) for _, t in tasks], np.int64)
        self.offsets = np.array([t.offset for _, t in tasks])
        self.weights = np.array([goal.weight for goal, _ in tasks])
        self.axes = np.array([goal.axis if isinstance(goal, Pointing) else np.zeros(3) for goal, _ in tasks])
        self.goals = np.zeros((count, len(tasks), 9))
        for k, (goal, _) in enumerate(tasks):
            numbers = _numbers(goal, loops.plan.name)
            if numbers.ndim == 2 and len(numbers) != count:
                text = f"goals of {len(numbers)} and of {count} samples"
                raise InputError(Problem(text, "reach_many", "one for each sample, or one for all"), plan.name)
            self.goals[:, k, : numbers.shape[-1]] = numbers
        if loops.count:
            self.closure = system.bound_kernel(CLOSURE)
            place = np.full(loops.columns, -1)
            place[self.columns] = np.arange(len(self.columns))
            self.entry_places = place[loops.entry_columns]
            self.row_scale, self.entry_scale = (
                loops.row_scale,
                loops.entry_scale / loops.column_scale[loops.entry_columns],
            )
        self.advance = system.bound_kernel(Question(QUANTITIES["advance"])) if loops.quaternions else None

    def spare(self, y: Array, specified: Mask) -> bool:
        """Whether the goals leave freedoms."""
        from linkwork.numerics.reaching import ROWS

        free = self.loops.roles(y, specified).free if self.loops.count else self.columns
        return len(free) > sum(ROWS[kind] for kind in self.kinds)

    def tables(self) -> tuple[Any, ...]:
        """The arguments of the loop up to the goals, with buffers of their own."""
        loops, plan = self.loops, self.loops.plan
        y, y_next, stride = np.empty(plan.ny), np.empty(plan.ny), np.zeros(plan.nw)
        X, J = np.empty(12 * len(self.bases)), np.empty(6 * plan.nv * len(self.bases))
        none, nothing = np.zeros(0), np.zeros(0, np.int64)
        pointers = drive.pointers
        closure: tuple[Any, ...] = (0, nothing, nothing)
        rows: tuple[Any, ...] = (none, none, nothing, nothing, none, none)
        if loops.count:
            whole = loops.whole
            e, entries = np.empty(whole.rows), np.empty(len(whole.entry_rows))
            closure = self.closure.address, pointers([y, *self.closure.bound]), pointers([e, entries])
            own = slice(0, len(loops.entry_rows))
            rows = (
                e[: loops.rows], entries[own], loops.entry_rows, self.entry_places, self.row_scale, self.entry_scale
            )  # fmt: skip
        advance: tuple[Any, ...] = (0, nothing, nothing)
        if self.advance is not None:
            advance = self.advance.address, pointers([y, stride, *self.advance.bound]), pointers([y_next])
        return (
            self.kernel.address, pointers([y, *self.kernel.bound]), pointers([X, J]), *closure, *advance,
            y, y_next, stride, X, J, *rows, self.columns, self.scale, self.places, self.low, self.high, plan.nv,
            loops.length, self.kinds, self.of, self.offsets, self.weights, self.axes, self.goals,
        )  # fmt: skip


def _kind(goal: Any) -> int:
    from linkwork.numerics import reaching as loop

    return {Place: loop.PLACE, Attitude: loop.ATTITUDE, Pointing: loop.POINTING}[type(goal)]


def _numbers(goal: Any, source: str) -> Array:
    """A goal's numbers, (..., up to 9)."""
    if isinstance(goal, Place):
        if not goal.is_whole:
            hint = "give all three; `reach` takes single coordinates"
            raise InputError(
                Problem("single coordinates of places are not taken by `reach_many`", "place", hint), source
            )
        return goal.xyz
    if isinstance(goal, Attitude):
        return goal.R.reshape(*goal.R.shape[:-2], 9)
    assert isinstance(goal, Pointing)
    return goal.along
