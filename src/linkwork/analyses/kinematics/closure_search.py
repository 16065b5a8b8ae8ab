"""The search for closures: starts, slow ones brought to their end, all polished to rounding, and told apart.

Damped least squares creeps where loops are nearly singular, and a small residual r says little there: with the least
singular value s of J a closure is placed to r / s only. So

- a start that has come near is finished by undamped Newton steps over all singular values that the loops have,
- one of each cluster is polished until the residual is rounding,
- two are one closure when their marks (poses of bodies) are nearer than what rounding leaves unknown, ~ eps / s.

How many closures were missed is estimated from those seen once and twice (Chao 1984, bias-corrected form):

    unseen = f1 (f1 - 1) / (2 (f2 + 1))
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.closure_marks import Marks, distances
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.geometry import Array
from linkwork.numerics.least_squares import Minima

FIRST = 64
"""Starts of the first round; every round doubles them."""
QUICK = (3, 12)
"""When as many closures were found as there can be, the search ends with these hits and closing starts for each."""
THOROUGH = (6, 50)
"""The same where no such number is known."""
CREEPING = 100
"""Damped steps after which a start that has come near is finished by undamped ones."""
NEAR = 1e-2
"""What near means: the largest scaled error."""
FINISHING = 60
"""Undamped steps at most."""
LONGEST = 0.3
"""Of an undamped step [rad, or parts of the machine's size]."""
PATIENCE = 12
"""Undamped steps that may go by without progress: where two closures nearly meet the first leaps away."""
ROUNDING = 8.0 * float(np.finfo(float).eps)
"""Scaled errors below this are rounding, for a machine near the origin of the world."""
LEAST, LARGEST = 1e-8, 1e-4
"""Marks nearer than the first are always one closure, marks farther than the second never."""
MARGIN = 100.0
"""Between the error that rounding leaves in a variable, and that in a pose behind several joints."""
ALIKE = 1e-7
"""Closures of a round this near to each other are polished once."""


class Search:
    """Closures found so far: `members` (variables) and `hits`, in the order they were found.

    Of postures that are one closure, the nearest to home stands for all: legs may be turned about themselves.

    specified : columns that stay; rank : of J over the others, where it is not singular
    """

    def __init__(self, loops: Loops, home: Array, specified: Mask, rank: int, marks: Marks) -> None:
        self.loops, self.home, self.specified, self.rank, self.marks = loops, home, specified, rank, marks
        far = max(loops.plan.distances.values(), default=0.0)
        self.rounding = ROUNDING * max(1.0, far / loops.length)
        self.members: list[Array] = []
        self.hits: list[int] = []
        self.converged = 0
        self._marks: list[Array] = []
        self._blur: list[float] = []
        self._away: list[float] = []
        self._sorted: list[tuple[float, int]] = []  # marks by one number, and the member

    def add(self, found: Minima) -> None:
        """Count the starts of a round that closed, slow ones after they were finished."""
        closed = found.residual <= self.loops.tolerance
        slow = ~closed & (found.residual <= NEAR)
        finished = self.finished(found.y[slow])
        good = self.loops.residual(finished) <= self.loops.tolerance
        Y = np.concatenate([found.y[closed], finished[good]])
        if not len(Y):
            return
        rough, away = self.marks(Y), distances(self.loops, self.home, Y)
        fresh = []
        for group in _alike(rough):
            group = group[np.argsort(away[group], kind="stable")]
            k = self._known(rough[group[0]], ALIKE)
            if k is None or away[group[0]] < self._away[k] - ALIKE:
                fresh.append(group)
            else:
                self._count(k, len(group))
        if not fresh:
            return
        polished = self.finished(Y[[group[0] for group in fresh]])
        marks, blur = self.marks(polished), self._blurs(polished)
        away = distances(self.loops, self.home, polished)
        for y, mark, own, far, group in zip(polished, marks, blur.tolist(), away.tolist(), fresh, strict=True):
            k = self._known(mark, own)
            if not _possible(self.loops, y):
                if k is not None:
                    self._count(k, len(group))
                continue
            if k is None:
                k = self._new(y, mark, own, far)
            elif far < self._away[k]:
                self.members[k], self._away[k] = y, far
            self._count(k, len(group))

    def met(self, rule: tuple[int, int]) -> bool:
        """Whether every closure was found often enough, and enough starts closed."""
        hits, closing = rule
        return bool(self.members) and min(self.hits) >= hits and self.converged >= closing * len(self.members)

    # ---------------------------------------------------------------- polishing

    def finished(self, Y: Array) -> Array:
        """The best places that undamped Newton steps visit: residuals of rounding, also where J is nearly singular."""
        best = np.array(Y, float)
        if not len(best):
            return best
        least = self.loops.residual(best)
        going, y, idle = np.arange(len(best)), best.copy(), np.zeros(len(best), int)
        for _ in range(FINISHING):
            on = (least[going] > self.rounding) & (idle < PATIENCE)
            going, y, idle = going[on], y[on], idle[on]
            if not len(going):
                break
            y = self.loops.advanced(y, self._step(y))
            residual = np.where(np.isfinite(y).all(axis=1), self.loops.residual(y), np.inf)
            residual[~np.isfinite(residual)] = np.inf
            better = residual < 0.5 * least[going]
            idle = np.where(better, 0, idle + 1)
            lower = residual < least[going]
            best[going[lower]], least[going[lower]] = y[lower], residual[lower]
            sound = np.isfinite(residual)
            going, y, idle = going[sound], y[sound], idle[sound]
        return best

    def _step(self, y: Array) -> Array:
        """x = -V S^-1 U^T e over the largest `rank` singular values, no longer than allowed."""
        e, J = self.loops.equations(y)
        sound = np.isfinite(e).all(axis=1) & np.isfinite(J).all(axis=(1, 2))
        e[~sound], J[~sound] = 0.0, 0.0
        U, S, Vt = np.linalg.svd(J[:, :, ~self.specified], full_matrices=False)
        U, S, Vt = U[:, :, : self.rank], np.maximum(S[:, : self.rank], 1e-300), Vt[:, : self.rank]
        with np.errstate(over="ignore", invalid="ignore"):
            x = -np.einsum("bkj,bk->bj", Vt, np.einsum("bik,bi->bk", U, e) / S)
        x = np.clip(np.nan_to_num(x), -1e100, 1e100)
        x *= LONGEST / np.maximum(np.abs(x).max(axis=1, keepdims=True, initial=0.0), LONGEST)
        stride = np.zeros((len(y), self.loops.columns))
        stride[:, ~self.specified] = x
        return stride

    def _blurs(self, Y: Array) -> Array:
        """How far marks of the same closure may be apart: what its residual and rounding leave unknown."""
        e, J = self.loops.equations(Y)
        if not self.rank:
            return np.full(len(Y), LEAST)
        S = np.linalg.svd(J[:, :, ~self.specified], compute_uv=False)[:, self.rank - 1]
        error = np.maximum(np.abs(e).max(axis=1, initial=0.0), self.rounding)
        return np.asarray(np.clip(MARGIN * error / np.maximum(S, 1e-300), LEAST, LARGEST))

    # ---------------------------------------------------------------- telling apart

    def _known(self, mark: Array, blur: float) -> int | None:
        """The nearest member that is this closure."""
        key, reach = _key(mark), (blur + LARGEST) * len(mark)
        low = bisect_left(self._sorted, (key - reach, -1))
        nearest, best = np.inf, None
        for other, k in self._sorted[low:]:
            if other > key + reach:
                break
            away = float(np.abs(mark - self._marks[k]).max(initial=0.0))
            if away <= max(blur, self._blur[k]) and away < nearest:
                nearest, best = away, k
        return best

    def _new(self, y: Array, mark: Array, blur: float, away: float) -> int:
        self.members.append(y)
        self._away.append(away)
        self.hits.append(0)
        self._marks.append(mark)
        self._blur.append(blur)
        insort(self._sorted, (_key(mark), len(self.members) - 1))
        return len(self.members) - 1

    def _count(self, member: int, times: int) -> None:
        self.converged += times
        self.hits[member] += times


def estimate_unseen(hits: Sequence[int]) -> float:
    """How many closures were missed, from those that were seen once and twice (Chao's lower bound)."""
    once, twice = sum(n == 1 for n in hits), sum(n == 2 for n in hits)
    return once * (once - 1) / (2.0 * (twice + 1))


def random_starts(
    loops: Loops, base: Array, specified: Mask, rng: np.random.Generator, count: int, first: bool
) -> Array:
    """Postures with variables all over their ranges, those specified as in `base`; `base` itself is the first."""
    Y = np.tile(base, (count, 1))
    for slot in loops.plan.slots:
        ranges = slot.law.ranges()
        for k in range(slot.plain):
            if specified[slot.v.start + k]:
                continue
            place, variable = slot.q.start + k, slot.law.variables[k]
            span = ranges.get(variable.name)
            if span is not None and span.is_finite:
                Y[:, place] = rng.uniform(span.start, span.end, count)
            elif variable.dimension == "angle":
                Y[:, place] = rng.uniform(-np.pi, np.pi, count)
            else:
                reach = 1.5 * loops.length if variable.dimension == "length" else 1.0
                Y[:, place] = base[place] + rng.uniform(-reach, reach, count)
        if slot.plain < len(slot.law.variables) and not specified[slot.v][slot.plain :].any():
            q = rng.normal(size=(count, 4))
            Y[:, slot.q.start + slot.plain : slot.q.stop] = q / np.linalg.norm(q, axis=1, keepdims=True)
    if first:
        Y[0] = base
    return Y


def _possible(loops: Loops, y: Array) -> bool:
    """Whether every joint can have its variables: gears whose axes have changed sides cannot."""
    for slot in loops.plan.slots:
        concerns = slot.law.concerns(y[slot.q], loops.system.layout.length)
        if any(p.severity == "error" for p in concerns):
            return False
    return True


def _key(mark: Array) -> float:
    """One number that differs by no more than the sum of the differences: to look only among the likely."""
    return float(np.cos(np.arange(len(mark))) @ mark)


def _alike(marks: Array) -> list[NDArray[np.int64]]:
    """Groups of rows that are nearer than `ALIKE` to the first of their group."""
    keys = marks @ np.cos(np.arange(marks.shape[1]))
    order = np.argsort(keys, kind="stable")
    ascending, reach = keys[order], ALIKE * marks.shape[1]
    left = np.ones(len(marks), bool)
    groups = []
    for place, k in enumerate(order):
        if not left[k]:
            continue
        end = int(np.searchsorted(ascending, keys[k] + reach, side="right"))
        near = order[place:end][left[order[place:end]]]
        same = near[np.abs(marks[near] - marks[k]).max(axis=1, initial=0.0) < ALIKE]
        left[same] = False
        groups.append(same)
    return groups
