"""All solutions of many goals at once, as arrays: by closed form, elimination, or a search that proves nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.robots.solutions.elimination import Candidates
from linkwork.analyses.robots.solutions.motions import Aim, displacement, goal_rows
from linkwork.analyses.robots.solutions.problems import Problem6
from linkwork.geometry import Array

EXACT = 1e-10
"""Largest error of what counts as a solution [rad, or parts of the chain's size]."""
FINE = 1e-13
"""Errors below need no polishing."""
WORTH = 1e-3
"""Lack up to which a branch of a closed form is tried by Newton's steps; beyond, the goal is out of its reach."""
SAME = 1e-6
"""Solutions nearer to each other than this are one [rad, or parts of the chain's size]."""
ZERO = 1e-6
"""Fillers that come out below this are zero, before the last polishing."""
STARTS = 400
"""Random starts of a search, for one goal."""
TURNED = tuple(2.0 * np.pi * k / 36 for k in range(1, 36))
"""Angles that are tried where any will do, besides zero."""
OTHER = 1.9
"""An angle that tells by what it changes whether any angle was taken."""


@dataclass(frozen=True)
class Found:
    """Solutions of many goals.

    x : values by which the joints have moved, (goals, most, joints); NaN beyond what was found
    error : of each, (goals, most); count : how many, (goals,)
    branch : which branch of a closed form each came from, -1 of others
    nearest : per goal the values of smallest error at all (goals, joints), and miss that error
    sure : whether nothing can have been missed, (goals,)
    """

    x: Array
    error: Array
    count: NDArray[Any]
    branch: NDArray[Any]
    nearest: Array
    miss: Array
    sure: NDArray[Any]


@dataclass(frozen=True)
class Rows:
    """Solutions one under the other, and the goal that each belongs to."""

    goal: NDArray[Any]
    x: Array
    error: Array
    branch: NDArray[Any] = field(default_factory=lambda: np.zeros(0, np.int64))


class Solver:
    """All solutions of a problem; made once, asked with many goals."""

    def __init__(self, problem: Problem6) -> None:
        self.problem = problem
        self.turning = np.array([j.turns for j in problem.joints])
        self.aim = Aim(problem.joints, problem.at)

    @cached_property
    def method(self) -> str:
        """ "closed form", "elimination" or "search"."""
        if self.problem.closed is not None:
            return "closed form"
        return "search" if self.problem.general is None else "elimination"

    def __call__(self, goals: Array) -> Found:
        """Solutions for goals (k, 4, 4): poses of the target by its base pose, lengths scaled."""
        goals = np.asarray(goals, float).reshape(-1, 4, 4)
        if self.method == "closed form":
            return self._closed(goals)
        if self.method == "elimination":
            return self._eliminated(goals)
        return self._searched(goals)

    @cached_property
    def _whole(self) -> Aim:
        """The aim of the six joints that are eliminated; of the problem's own where none is filled in."""
        assert self.problem.general is not None
        chain, real = self.problem.general
        return self.aim if len(real) == 6 else Aim(chain.joints, self.problem.at)

    # ------------------------------------------------------------------------------------------------------- ways

    def _closed(self, goals: Array) -> Found:
        form = self.problem.closed
        assert form is not None
        X, lack, error = form(goals)
        first = X.copy()
        near = error < EXACT
        # What is all but exact is polished: branches beside a fold, where a root of next to nothing was taken.
        rough = ((error > FINE) & (lack < WORTH) & (error < 0.3)).nonzero()
        if rough[0].size:
            some, left = self.aim.polished(X[rough], goals[rough[0]])
            better = left < error[rough]
            where = tuple(k[better] for k in rough)
            X[where], error[where] = some[better], left[better]
            near = error < EXACT
        best = error.argmin(axis=1)
        everyone = np.arange(len(goals))
        goal, branch = near.nonzero()
        rows = Rows(goal, X[goal, branch], error[goal, branch], branch)
        # What changes with the angle that is taken where any will do belongs to a singular goal.
        with np.errstate(invalid="ignore"):
            torn = np.asarray((np.abs(form(goals, OTHER)[0] - first) > SAME).any(axis=(1, 2)))
        if torn.any():
            rows = self._other_turns(goals, torn, rows)
        return self._gathered(len(goals), rows, X[everyone, best], error[everyone, best], ~torn)

    def _other_turns(self, goals: Array, torn: NDArray[Any], rows: Rows) -> Rows:
        form = self.problem.closed
        assert form is not None
        which = torn.nonzero()[0]
        for angle in TURNED:
            X, _, error = form(goals[which], angle)
            k, branch = (error < EXACT).nonzero()
            more = Rows(which[k], X[k, branch], error[k, branch], branch)
            rows = _joined(rows, more)
        return rows

    def _eliminated(self, goals: Array) -> Found:
        assert self.problem.general is not None
        chain, real = self.problem.general
        count = len(goals)
        first = chain.ordered[0].elimination.candidates(goals)
        rows = self._checked(first, goals)
        sure = np.ones(count, bool)
        doubtful = first.doubtful.nonzero()[0]
        if doubtful.size:
            for other in chain.ordered[1:3]:
                more = other.elimination.candidates(goals[doubtful])
                shifted = Candidates(doubtful[more.goal], more.x, more.doubtful)
                rows = _joined(rows, self._checked(shifted, goals))
            sure[doubtful] = len(chain.ordered) > 1
        nearest, miss = np.zeros((count, len(real))), np.full(count, np.inf)
        order = np.argsort(-rows.error, kind="stable")
        nearest[rows.goal[order]], miss[rows.goal[order]] = rows.x[order], rows.error[order]
        lost = (miss > EXACT).nonzero()[0]
        for k in lost[:16]:
            near = self._search(goals[k], 24)
            best = int(near.error.argmin())
            nearest[k], miss[k] = near.x[best], near.error[best]
        return self._gathered(count, rows, nearest, miss, sure)

    def _checked(self, some: Candidates, goals: Array) -> Rows:
        """Candidates polished, those of which fillers are not zero left out."""
        assert self.problem.general is not None
        real = self.problem.general[1]
        x, error = self._whole.polished(some.x, goals[some.goal])
        keep = error < EXACT
        if len(real) < 6:
            fillers = [k for k in range(6) if k not in real]
            off = np.abs(np.angle(np.exp(1j * x[:, fillers]))).max(axis=1)
            keep &= off < ZERO
            x, error = self.aim.polished(x[keep][:, list(real)], goals[some.goal[keep]])
            goal = some.goal[keep]
            good = error < EXACT
            return Rows(goal[good], x[good], error[good], np.full(int(good.sum()), -1))
        return Rows(some.goal[keep], x[keep], error[keep], np.full(int(keep.sum()), -1))

    def _searched(self, goals: Array) -> Found:
        n = len(self.problem.joints)
        rows = Rows(np.zeros(0, np.int64), np.zeros((0, n)), np.zeros(0))
        nearest, miss = np.zeros((len(goals), n)), np.full(len(goals), np.inf)
        for k, goal in enumerate(goals):
            found = self._search(goal, STARTS)
            best = int(found.error.argmin())
            nearest[k], miss[k] = found.x[best], found.error[best]
            good = found.error < EXACT
            own = np.full(int(good.sum()), k)
            rows = _joined(rows, Rows(own, found.x[good], found.error[good], np.full(len(own), -1)))
        return self._gathered(len(goals), rows, nearest, miss, np.zeros(len(goals), bool))

    def _search(self, goal: Array, starts: int, seed: int = 3) -> Rows:
        """Damped least squares from random starts."""
        joints = self.problem.joints
        rng = np.random.default_rng(seed)
        x = rng.uniform(-np.pi, np.pi, (starts, len(joints))) * np.where(self.turning, 1.0, 0.5)
        x[0] = 0.0
        goals = np.broadcast_to(goal, (starts, 4, 4))
        damping = np.full(starts, 1e-2)
        rows = goal_rows(goals)
        e, A, _ = self.aim.kernel(x, rows)
        for _ in range(80):
            normal = np.swapaxes(A, -1, -2) @ A + damping[:, None, None] * np.eye(len(joints))
            step = np.linalg.solve(normal, (np.swapaxes(A, -1, -2) @ e[..., None]))[..., 0]
            trial = x + np.clip(step, -0.5, 0.5)
            e2, A2, _ = self.aim.kernel(trial, rows)
            better = (e2 * e2).sum(-1) < (e * e).sum(-1)
            x[better], e[better], A[better] = trial[better], e2[better], A2[better]
            damping = np.where(better, np.maximum(0.2 * damping, 1e-12), np.minimum(8.0 * damping, 1e3))
            if (np.abs(e).max(-1) < EXACT).all():
                break
        polish = np.abs(e).max(-1) < 1e-3
        error = np.abs(e).max(-1)
        if polish.any():
            x[polish], error[polish] = self.aim.polished(x[polish], goals[polish])
        return Rows(np.zeros(starts, np.int64), x, error, np.full(starts, -1))

    # -------------------------------------------------------------------------------------------------- gathering

    def _gathered(self, count: int, rows: Rows, nearest: Array, miss: Array, sure: NDArray[Any]) -> Found:
        """Rows sorted to their goals, each solution once, of those that are the same the most exact."""
        n = len(self.turning)
        x = np.where(self.turning, _wrapped(rows.x), rows.x)
        order = np.lexsort((rows.error, rows.goal))
        goal, x, error, branch = rows.goal[order], x[order], rows.error[order], rows.branch[order]
        within = np.bincount(goal, minlength=count)
        most = int(within.max()) if len(goal) else 0
        place = np.arange(len(goal)) - np.repeat(np.cumsum(within) - within, within)
        X = np.full((count, most, n), np.nan)
        E, B = np.full((count, most), np.nan), np.full((count, most), -1)
        X[goal, place], E[goal, place], B[goal, place] = x, error, branch
        first = np.ones((count, most), bool) & ~np.isnan(E)
        for k in range(1, most):
            gap = np.abs(X[:, :k] - X[:, k : k + 1])
            gap = np.where(self.turning, np.minimum(gap, 2.0 * np.pi - gap), gap)[..., : self.problem.own]
            same = (gap.max(axis=-1, initial=0.0) < SAME) & first[:, :k]
            first[:, k] &= ~same.any(axis=1)
        keep = np.argsort(~first, axis=1, kind="stable")
        number = first.sum(axis=1)
        most = int(number.max()) if count else 0
        keep, hidden = keep[:, :most], np.arange(most) >= number[:, None]
        X, E, B = (np.take_along_axis(a, keep[..., None] if a.ndim == 3 else keep, 1) for a in (X, E, B))
        X[hidden], E[hidden], B[hidden] = np.nan, np.nan, -1
        return Found(X, E, number, B, nearest, miss, sure)

    def singular_values(self, x: Array) -> tuple[Array, Array]:
        """Singular values and right vectors of the Jacobian at postures (k, joints)."""
        goals = displacement(self.problem.joints, x)
        _, value, right = np.linalg.svd(self.aim.kernel(x, goal_rows(goals))[1])
        return value, right

    def image(self, x: Array) -> Array:
        """Where the joints bring the target: poses by its base pose, lengths scaled."""
        return displacement(self.problem.joints, x)


def _wrapped(x: Array) -> Array:
    return np.asarray(x - 2.0 * np.pi * np.round(x / (2.0 * np.pi)))


def _joined(a: Rows, b: Rows) -> Rows:
    parts = zip((a.goal, a.x, a.error, a.branch), (b.goal, b.x, b.error, b.branch), strict=True)
    goal, x, error, branch = (np.concatenate(p) for p in parts)
    return Rows(goal, x, error, branch.astype(np.int64))
