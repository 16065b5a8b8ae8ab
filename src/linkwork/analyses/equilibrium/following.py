"""Following a curve of rest: strides along its tangent, with everything that happens on the way found to rounding.

Folds, where what the curve lies over turns back (a limit point: the machine snaps); peaks of the number that balances
it; points where other curves branch off; limits of travel on which the machine comes to rest, and those that it leaves.
On a stop the curve goes on the way on which the stop pushes, off it the way that leads off: either may be backwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from linkwork.analyses.equilibrium.branchings import branch_point
from linkwork.analyses.equilibrium.curve import Curve, Spot, way_between
from linkwork.analyses.kinematics.joint_limits import SLACK
from linkwork.errors import LinkworkError
from linkwork.geometry import Array

LONGEST, SHORTEST = 0.1, 1e-7
"""Strides along the curve [rad, or parts of the machine's size]."""
TURN = 0.95
"""Cosine of the largest turn of the tangent in a stride."""
MOST = 2000
"""Strides at most."""
FINEST = 1e-13
"""How finely places on a stride are found."""
FLAT = 1e-10
"""Slopes below this part of what they are measured by have no sign."""
NEAR_LIMIT = 1e-3
"""Rate of what is held, for a unit rate of the machine, at which it is taken to have reached its limit of travel."""


@dataclass(frozen=True)
class Mark:
    """Something that happens on a curve: its kind, at which spot, and of a stop the limit and side."""

    kind: str
    spot: int
    limit: int = -1
    side: int = 0


@dataclass(eq=False)
class Track:
    """Spots of a curve in order, what happens at them; whether and why it ended."""

    spots: list[Spot]
    marks: list[Mark] = field(default_factory=list)
    complete: bool = False
    reason: str = ""


class Follower:
    """One curve from a spot on, in the direction of its tangent.

    values : of what it lies over, at which spots are wanted
    arm : whether it begins at a branch point, so that the first value ends it as well as the last
    """

    def __init__(
        self, curve: Curve, first: Spot, values: Array, arm: bool, first_stride: float, longest: float
    ) -> None:
        self.curve, self.values, self.arm, self.longest = curve, values, arm, longest
        self.track = Track([first])
        self.stride = first_stride

    def run(self) -> Track:
        """Follow it until it ends."""
        track = self.track
        for _ in range(MOST):
            spot = track.spots[-1] = self.curve.recharted(track.spots[-1])
            after, long = self._next(spot)
            if after is None:
                track.reason = track.reason or self._why(spot)
                break
            after, long, event = self._cut(spot, after, long)
            known = len(track.spots)
            ended = self._went(spot, after, long)
            if pushed := self.curve.pushed(track.spots[-1]):
                self._forget(known)
                track.reason = f"{', '.join(pushed)} is pushed, and nothing resists it"
                break
            if ended:
                break
            if event is not None and not self._turned(event):
                break
            if self._closes(spot, long):
                track.reason, track.complete = "the curve closes: it comes back to where it began", True
                break
        else:
            track.reason = f"{MOST} strides did not lead to its end"
        return track

    def _forget(self, spots: int) -> None:
        """Keep the first spots only."""
        track = self.track
        del track.spots[spots:]
        track.complete = False
        track.marks = [mark for mark in track.marks if mark.spot < spots]

    # ---------------------------------------------------------------- strides

    def _next(self, spot: Spot) -> tuple[Spot | None, float]:
        long = min(self.stride, self.longest)
        while long >= SHORTEST:
            after = self._at(spot, long)
            if after is not None:
                along = float(after.t @ self.curve.border(spot.t))
                if along >= TURN or (long <= 1e3 * SHORTEST and along > 0.0):
                    self.stride = long * (2.0 if along > 0.995 else 1.2 if along > 0.98 else 0.8)
                    return after, long
            long *= 0.4
        return None, 0.0

    def _at(self, spot: Spot, long: float) -> Spot | None:
        return self.curve.corrected(spot, long * spot.t)

    def _found(
        self, spot: Spot, long: float, of: Callable[[Spot], float], low: float, high: float
    ) -> tuple[Spot, float] | None:
        """Where a number of a spot passes zero within a stride; low and high are its values at the ends."""
        from scipy.optimize import brentq

        known: dict[float, Spot] = {}

        def value(way: float) -> float:
            if way == 0.0 or way == long:
                return low if way == 0.0 else high
            found = self._at(spot, way)
            if found is None:
                raise LinkworkError("lost")
            known[way] = found
            return of(found)

        try:
            way = float(brentq(value, 0.0, long, xtol=FINEST * max(long, 1e-3), rtol=8.9e-16, maxiter=100))
        except LinkworkError:
            return None
        found = known.get(way) or self._at(spot, way)
        return None if found is None else (found, way)

    # ---------------------------------------------------------------- what changes the course

    def _cut(self, spot: Spot, after: Spot, long: float) -> tuple[Spot, float, Mark | None]:
        """The end of the stride, or the first limit, loss of a stop or limit of travel on it."""
        curve = self.curve
        loops = curve.family.given.loops
        found: tuple[Spot, float, Mark] | None = None
        number = len(self.track.spots)

        def first(place: tuple[Spot, float] | None, mark: Mark) -> None:
            nonlocal found
            if place is not None and (found is None or place[1] < found[1]):
                found = (*place, mark)

        for k, limit in enumerate(curve.limits):
            if any(k == own for own, _ in spot.stops):
                continue
            for side, bound in ((1, limit.high), (-1, limit.low)):
                if not np.isfinite(bound):
                    continue

                def beyond(at: Spot, side: int = side, bound: float = bound, place: int = limit.place) -> float:
                    return side * (float(at.y[place]) - bound) * float(loops.variable_scale[place])

                before, then = beyond(spot), beyond(after)
                if then > 1e-3 * SLACK and before < then:
                    if before >= 0.0:
                        first((spot, 0.0), Mark("stop", number, k, side))
                    else:
                        first(self._found(spot, long, beyond, before, then), Mark("stop", number, k, side))
        for i, (k, side) in enumerate(spot.stops):
            least = 1e-9 * curve.size
            if after.pushes[i] < -least and after.pushes[i] < spot.pushes[i]:
                if spot.pushes[i] <= 0.0:
                    first((spot, 0.0), Mark("release", number, k, side))
                    continue

                def push(at: Spot, i: int = i) -> float:
                    return float(at.pushes[i])

                place = self._found(spot, long, push, push(spot), push(after))
                first(place, Mark("release", number, k, side))
        if self._own_effort:
            a, least = spot.row[:-1], NEAR_LIMIT * curve.over_scale
            size = float(np.linalg.norm(a))

            def rate(at: Spot) -> float:
                return float(at.row[:-1] @ a) / size - least

            if rate(after) < 0.0:
                first(self._found(spot, long, rate, size - least, rate(after)), Mark("limit of travel", number))
        return (after, long, None) if found is None else found

    @property
    def _own_effort(self) -> bool:
        family, over = self.curve.family, self.curve.over
        return over.place >= 0 and family.kind == "effort" and family.column == over.column

    def _turned(self, mark: Mark) -> bool:
        """Go on with a stop more or less, the way on which it pushes, or which leads off; False where it ends."""
        track, curve = self.track, self.curve
        spot = track.spots[-1]
        if mark.kind == "limit of travel":
            track.reason = f"{curve.over.name} reaches its limit of travel: no effort drives it further"
            return False
        limit = curve.limits[mark.limit]
        if limit.place == curve.over.place:
            track.reason = f"{limit.variable} reaches its limit {limit.text(curve.family.given.loops)}"
            return False
        own = (mark.limit, mark.side)
        stops = (*spot.stops, own) if mark.kind == "stop" else tuple(s for s in spot.stops if s != own)
        number = len(track.spots) - 1
        track.marks.append(Mark(mark.kind, number, *own))
        try:
            other = curve.charted(spot.y, spot.x, spot.mu, stops, None)
        except LinkworkError:
            other = None
        if other is None:
            track.reason = f"the stop of {limit.variable} leaves nothing to move"
            return False
        for sided in (other, curve.turned(other)):
            tried = curve.corrected(sided, 1e-3 * sided.t)
            if tried is None:
                continue
            if mark.kind == "stop":
                good = tried.pushes[-1] > 0.0
            else:
                bound = limit.high if mark.side > 0 else limit.low
                good = mark.side * (tried.y[limit.place] - bound) < 0.0
            if good:
                track.spots[-1] = sided
                self.stride = min(self.stride, 0.02)
                return True
        track.reason = f"on the stop of {limit.variable} nothing was found to go on to"
        return False

    # ---------------------------------------------------------------- what happens on the way

    def _went(self, spot: Spot, after: Spot, long: float) -> bool:
        """Take a stride, with folds, peaks, branch points and values that are wanted within; True where it ends."""
        inner: list[tuple[float, Spot, str]] = []
        over, curve = self.curve.over, self.curve
        slopes: list[tuple[str, Callable[[Spot], float], float]] = [
            ("fold", lambda at: float(at.row @ at.t), curve.over_scale if over.place >= 0 else curve.family.size)
        ]
        if over.place >= 0:
            slopes.append(("peak", lambda at: float(at.t[-1]), curve.family.size))
        for kind, of, size in slopes:
            low, high = of(spot), of(after)
            if low * high < 0.0 and min(abs(low), abs(high)) > FLAT * size:
                place = self._found(spot, long, of, low, high)
                if place is not None:
                    inner.append((place[1], place[0], kind))
        if spot.test * after.test < 0.0 and not (self.arm and len(self.track.spots) == 1):
            branch = branch_point(curve, spot, after)
            if branch is not None:
                stride = curve.border(spot.t) @ np.concatenate(
                    [way_between(curve, spot, branch), branch.x - spot.x, [branch.mu - spot.mu]]
                )
                inner.append((min(max(float(stride), 0.0), long), branch, "branch"))
            else:
                inner.append((0.5 * long, after, "branch nearby"))
        ends: list[tuple[float, Spot, str]] = [
            (0.0, spot, ""),
            *sorted(inner, key=lambda own: own[0]),
            (long, after, ""),
        ]
        for a, b in pairwise(ends):
            if self._crossed(spot, a, b):
                return True
            if b[2] == "branch nearby":
                self.track.marks.append(Mark(b[2], len(self.track.spots)))
                continue
            if b[2]:
                self.track.marks.append(Mark(b[2], len(self.track.spots)))
            if b[1] is not spot:
                self.track.spots.append(b[1])
        return False

    def _crossed(self, spot: Spot, a: tuple[float, Spot, str], b: tuple[float, Spot, str]) -> bool:
        """Spots at wanted values between two others, in order; True where one is the end of what was asked."""
        over, low, high = self.curve.over, a[1].over, b[1].over
        if low == high:
            return False
        ends = [over.last] + ([over.first] if self.arm else [])
        tiny = 1e-12 * abs(over.last - over.first)
        between = [v for v in self.values.tolist() if min(low, high) + tiny < v < max(low, high) - tiny]
        passed = [v for v in ends if (low < v - tiny) != (high < v - tiny) and abs(low - v) > tiny]
        back = not self.arm and over.way * (high - over.first) < -tiny and over.way * (low - over.first) >= -tiny
        wanted = sorted({*between, *passed, *([over.first] if back else [])}, key=lambda v: abs(v - low))
        for value in wanted:
            part = (value - low) / (high - low)
            way = a[0] + part * (b[0] - a[0])
            found = self.curve.corrected(spot, way * spot.t, target=value)
            if found is None or (float(found.t @ self.curve.border(spot.t)) < 0.0 and spot.test == found.test):
                found = self._halved(spot, a, b, value)
            if found is None:
                continue
            self.track.spots.append(found)
            if value in passed or (back and value == over.first and value not in ends):
                self.track.complete = value in passed
                self.track.reason = (
                    "" if value in passed else f"the curve goes back beyond its first value of {over.name}"
                )
                return True
        return False

    def _halved(self, spot: Spot, a: tuple[float, Spot, str], b: tuple[float, Spot, str], value: float) -> Spot | None:
        place = self._found(spot, b[0], lambda at: at.over - value, a[1].over - value, b[1].over - value)
        return None if place is None else place[0]

    # ---------------------------------------------------------------- ends

    def _closes(self, spot: Spot, long: float) -> bool:
        spots = self.track.spots
        first = spots[0]
        if len(spots) < 8 or first.stops != spot.stops or not np.array_equal(first.chart.columns, spot.chart.columns):
            return False
        way = np.concatenate([way_between(self.curve, spot, first), first.x - spot.x, [first.mu - spot.mu]])
        along = float(way @ self.curve.border(spot.t))
        return 0.0 < along <= 1.01 * long and self.curve.length(way - along * spot.t) < 0.3 * long

    def _why(self, spot: Spot) -> str:
        over = self.curve.over
        if self._own_effort and np.linalg.norm(spot.row[:-1]) < 0.05 * self.curve.over_scale:
            return f"{over.name} reaches its limit of travel: no effort drives it further"
        family = self.curve.family
        try:
            family.loops(spot.mu + 1e-3 * family.size * (1.0 if spot.t[-1] > 0.0 else -1.0))
        except LinkworkError as error:
            return f"the model cannot have a number further on: {error.problems[0].what}"
        balance = self.curve.family.balance(spot.mu, spot.held)
        if balance._weakness(self.curve.family.chart(balance, spot.mu, spot.chart), spot.y) > 1e6:
            return "a singular posture is near, where the machine has more freedoms"
        return "no posture of rest was found further on: a load without a value, or a corner of a load, may lie there"
