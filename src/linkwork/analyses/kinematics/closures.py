"""All ways to assemble a machine for given inputs: least squares from many random starts, equal results merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.diagnosis import conflict_of
from linkwork.analyses.kinematics.failures import CannotClose, UnderSpecified
from linkwork.analyses.kinematics.given import given_variables
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.ordinary import ordinary_posture
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.preference import preference
from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.numerics.elimination import eliminate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels
    from linkwork.results.signals import Units

FIRST = 64
"""Starts of the first round; every round doubles them."""
MOST = 4096
HITS = 3
"""The search ends when every closure was found this often, and ..."""
PER_CLOSURE = 12
"""... the converged starts are this many times the closures."""
SAME = 1e-5
"""Postures nearer to each other than this are one [rad, or parts of the machine's size]."""
SHOWN = 16
"""Closures that are printed."""
PERIODIC = ("revolute", "cylindric", "flat", "universal")
"""Joints whose angles may be counted from any turn."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Closures(Sequence[Posture]):
    """Postures that close with the same inputs, the nearest to home first; made by `Machine.closures`.

    postures : the closures, named by numbers
    starts, converged : random starts, and those that closed; hits : how often each closure was found
    complete : whether the search ended by its own rule, which `criterion` tells
    """

    postures: tuple[Posture, ...]
    starts: int
    converged: int
    hits: tuple[int, ...]
    complete: bool
    criterion: str

    def __len__(self) -> int:
        return len(self.postures)

    @overload
    def __getitem__(self, key: int | str) -> Posture: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Posture, ...]: ...
    def __getitem__(self, key: int | str | slice) -> Posture | tuple[Posture, ...]:
        if isinstance(key, str):
            names = [p.name for p in self.postures]
            if key not in names:
                raise ModelError(Problem(f"no closure '{key}'", hint=did_you_mean(key, names)))
            return self.postures[names.index(key)]
        return self.postures[key]

    def __iter__(self) -> Iterator[Posture]:
        return iter(self.postures)

    def nearest(self, values: Mapping[str, float]) -> Posture:
        """The closure whose variables come nearest to some values.

        Parameters
        ----------
        values : by variable or joint name
        """
        loops = self.postures[0]._loops
        given = given_variables(loops, values)
        scale = loops.variable_scale[given.variables]
        turning = _periodic(loops)[given.variables]

        def away(p: Posture) -> float:
            d = p.y[given.variables] - given.values
            d = np.where(turning, np.angle(np.exp(1j * d)), d)
            return float(np.abs(d * scale).max())

        return min(self.postures, key=away)

    def named(self, *names: str) -> Closures:
        """The same closures with names of your own, in their order.

        Parameters
        ----------
        names : one for each closure
        """
        if len(names) != len(self.postures) or len(set(names)) < len(names):
            raise ModelError(Problem(f"{len(self.postures)} different names are wanted, not {', '.join(names)}"))
        renamed = tuple(
            Posture(p._loops, p.y, np.flatnonzero(p._specified).tolist(), name, p.iterations)
            for p, name in zip(self.postures, names, strict=True)
        )
        return Closures(renamed, self.starts, self.converged, self.hits, self.complete, self.criterion)

    def __str__(self) -> str:
        found = "1 closure" if len(self) == 1 else f"{len(self)} closures"
        lines = [f"{found} from {self.starts} starts, {self.converged} of which closed"]
        lines.append(f"  {'complete' if self.complete else 'perhaps not all'}: {self.criterion}")
        for p, n in list(zip(self.postures, self.hits, strict=True))[:SHOWN]:
            values = ", ".join(f"{k} {p._loops.shown(k, v)}" for k, v in list(p.values.items())[:8])
            lines.append(f"  {p.name} ({n} times): {values}{', ...' if len(p.values) > 8 else ''}")
        if len(self) > SHOWN:
            lines.append(f"  ... and {len(self) - SHOWN} more")
        return "\n".join(lines)

    def plot(self, *names: str, units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot the variables of all closures side by side, a line for each closure.

        Parameters
        ----------
        names : variables or joints; without, those that are not the same in all closures
        units : units to show, {"angle": "deg"}; without, those of the model
        ax : axes to draw into, one for every unit; a new figure without
        """
        from linkwork.analyses.kinematics.plotting import chosen_names, units_of
        from linkwork.results.plots import Axis, Line, Panel, Plot, Quantity, Showing

        loops = self.postures[0]._loops
        known = units_of(loops)
        plain = [n for n, place in zip(known, range(loops.plan.ny), strict=True) if place not in loops.quaternion_parts]
        values = {n: np.array([p[n] for p in self.postures]) for n in known}
        apart = [n for n in plain if np.ptp(values[n]) > SAME * (loops.length if known[n] == "m" else 1.0)]
        wanted = chosen_names(names, list(known)) if names else (apart or plain)
        show = Showing(units, [Quantity(n, known[n], values[n]) for n in wanted], loops.system.layout.units)
        shown = [show(Quantity(n, known[n], values[n])) for n in wanted]
        same = len(plain) - len(wanted)
        others = "1 more variable is" if same == 1 else f"{same} more variables are"
        alike = f"{others} the same in all" if same and not names else ""
        panels = []
        for unit in dict.fromkeys((s.symbol, s.dimension) for s in shown):
            own = [s for s in shown if (s.symbol, s.dimension) == unit]
            places = np.arange(float(len(own)))
            lines = []
            for k, posture in enumerate(self.postures):
                y = np.array([s.values[k] for s in own])
                heads = ("variable", f"closure {posture.name}")
                lines.append(Line("", places, y, tint=k, style="thin", heads=heads))
                lines.append(Line(heads[1], places, y, tint=k, style="dots", heads=heads))
            x = Axis(alike, places=tuple(s.name for s in own))
            panels.append(Panel(x, Axis(own[0].axis.kind, unit[0]), tuple(lines), legend=len(self) <= SHOWN))
        noun = "closure" if len(self) == 1 else "closures"
        return Plot(tuple(panels), f"{loops.plan.name}: {len(self)} {noun}").draw(ax)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {
            "starts": self.starts,
            "converged": self.converged,
            "complete": self.complete,
            "criterion": self.criterion,
            "closures": [{"hits": n, **p.as_dict()} for p, n in zip(self.postures, self.hits, strict=True)],
        }


def all_closures(
    loops: Loops,
    home: Posture,
    values: Mapping[str, Any],
    of: Sequence[str],
    starts: int | None,
    seed: int,
    progress: Progress | None,
) -> Closures:
    """Distinct closures for given values; see `Machine.closures`."""
    from linkwork.numerics.least_squares import Reason, minimise

    bodies = (of,) if isinstance(of, str) else tuple(of)
    for body in bodies:
        loops.system.kernel("pose", body)  # tells an unknown name

    given = given_variables(loops, values)
    if given.values.ndim > 1:
        raise ModelError(Problem("closures are of one value for each variable"), loops.plan.name)
    most = MOST if starts is None else starts
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise ModelError(Problem(f"{starts!r} starts", "starts", "give a whole number, at least 1"), loops.plan.name)
    if loops.huge:
        text = f"a search for all closures of {loops.count} loops is too large"
        raise ModelError(Problem(text, hint="assemble it from a guess instead"), loops.plan.name)
    specified: Mask = np.isin(np.arange(loops.columns), given.columns)
    base = home.y.copy()
    base[given.variables] = given.values
    if not loops.count:
        only = (Posture(loops, base, given.columns.tolist(), "1"),)
        return Closures(only, 1, 1, (1,), True, "an open chain has one posture for its variables")
    beside = ordinary_posture(loops, home.y)
    driving = loops.roles(beside, specified)
    if driving.conflict:
        raise conflict_of(loops, beside, specified, driving)
    if bodies:
        determined = np.ones(loops.plan.ny, bool)
        _assert_determined(loops, home, specified, bodies)
    else:
        determined = determined_variables(loops, home, specified)
    rng = np.random.default_rng(seed)
    search = _Search(loops, determined, bodies)
    size, done = FIRST, 0
    while done < most and not search.finished(done):
        count = min(size, most - done)
        begin = _random_starts(loops, base, specified, rng, count, first=done == 0)
        offset = done
        report = None if progress is None else (lambda n, _, offset=offset: progress(offset + n, most))
        found = minimise(loops.equations, loops.advanced, begin, specified, tolerance=loops.tolerance, callback=report)
        search.add(found.y[found.residual <= loops.tolerance])
        done, size = done + count, 2 * size
        if (found.reason == Reason.INTERRUPTED).any():
            search.interrupted = True
            break
    if not search.members and search.interrupted:
        raise KeyboardInterrupt
    if not search.members:
        named = [loops.plan.variables[k] for k in given.variables]
        names = ", ".join(f"{n} = {loops.shown(n, x)}" for n, x in zip(named, given.values.tolist(), strict=True))
        text = f"no closure was found from {done} starts" + (f" with {names}" if names else "")
        raise CannotClose(Problem(text, hint="the inputs may be out of reach"), loops.plan.name)
    ordered = sorted(range(len(search.members)), key=lambda k: _away(loops, home.y, search.members[k]))
    postures = tuple(
        Posture(loops, search.members[k], given.columns.tolist(), str(n + 1)) for n, k in enumerate(ordered)
    )
    criterion = f"every closure found {HITS} times or more, and {PER_CLOSURE} closing starts for each"
    hits = tuple(search.hits[k] for k in ordered)
    return Closures(postures, done, search.converged, hits, search.finished(done), criterion)


class _Search:
    """Closures found so far."""

    def __init__(self, loops: Loops, determined: Mask, bodies: Sequence[str]) -> None:
        self.loops, self.determined, self.bodies = loops, determined, bodies
        self.members: list[Array] = []
        self.hits: list[int] = []
        self.converged = 0
        self.interrupted = False
        self._marks: list[Array] = []

    def add(self, Y: Array) -> None:
        marks = _pose_marks(self.loops, self.bodies, Y) if self.bodies else marks_of(self.loops, self.determined, Y)
        left = np.arange(len(Y))
        while left.size:  # once for each closure, not for each start
            mark = marks[left[0]]
            same = np.abs(marks[left] - mark).max(axis=1, initial=0.0) < SAME
            self._count(Y[left[0]], mark, int(same.sum()))
            left = left[~same]

    def _count(self, y: Array, mark: Array, times: int) -> None:
        near = [k for k, other in enumerate(self._marks) if np.abs(mark - other).max(initial=0.0) < SAME]
        if not near and not _possible(self.loops, y):
            return
        if not near:
            self.members.append(_unwound(self.loops, y))
            self._marks.append(mark)
            self.hits.append(0)
        self.converged += times
        self.hits[near[0] if near else -1] += times

    def finished(self, done: int) -> bool:
        if self.interrupted:
            return False
        if not self.members:
            return done >= 8 * FIRST
        return min(self.hits) >= HITS and self.converged >= PER_CLOSURE * len(self.members)


def determined_variables(loops: Loops, home: Posture, specified: Mask) -> Mask:
    """Variables that the inputs determine; others belong to freedoms that move nothing else (a rod's spin).

    UnderSpecified when the inputs determine nothing but themselves.
    """
    if not loops.count:
        return np.ones(loops.plan.ny, bool)
    y = ordinary_posture(loops, home.y)
    roles = loops.chosen(y, specified, preference(loops))
    if not len(roles.free):
        return np.ones(loops.plan.ny, bool)
    found = eliminate(loops.equations(y)[1], specified, 1e-7)
    free = len(found.free_columns)
    K = np.abs(found.columns())
    result = ~loops.variables_of(K[:, :free].max(axis=1, initial=0.0) > 1e-6)
    driven = loops.variables_of(K[:, free:].max(axis=1, initial=0.0) > 1e-6)
    if not (result & driven & ~loops.variables_of(specified)).any():
        names = ", ".join(loops.names(roles.free))
        text = f"closures need values for all freedoms; {names} {'is' if len(roles.free) == 1 else 'are'} free"
        raise UnderSpecified(
            Problem(text, hint=f"give values for as many of your own choice, or for {names}"), loops.plan.name
        )
    return result


def _assert_determined(loops: Loops, home: Posture, specified: Mask, bodies: Sequence[str]) -> None:
    """UnderSpecified when freedoms without a value move one of the bodies."""
    y = ordinary_posture(loops, home.y)
    found = eliminate(loops.equations(y)[1], specified, 1e-7)
    free = len(found.free_columns)
    K = (found.columns()[:, :free] * loops.column_scale[:, np.newaxis])[: loops.plan.nv]
    for body in bodies:
        moves = loops.system.jacobian(body, y[: loops.plan.nq]) @ K
        moves[:3] /= loops.length
        if np.abs(moves).max(initial=0.0) > 1e-6:
            names = ", ".join(loops.names(loops.chosen(home.y, specified, preference(loops)).free))
            text = f"closures need values for all freedoms that move '{body}'"
            hint = f"give values for as many of your own choice, or for {names}"
            raise UnderSpecified(Problem(text, hint=hint), loops.plan.name)


def _periodic(loops: Loops) -> Mask:
    result = np.zeros(loops.plan.ny, bool)
    for slot in loops.plan.slots:
        ranges = slot.law.ranges()
        for k, variable in enumerate(slot.law.variables):
            repeats = variable.name in ranges and ranges[variable.name].closed
            if slot.law.kind in PERIODIC or repeats:
                result[slot.q.start + k] = variable.dimension == "angle"
    return result


def _random_starts(
    loops: Loops, base: Array, specified: Mask, rng: np.random.Generator, count: int, first: bool
) -> Array:
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


def _pose_marks(loops: Loops, bodies: Sequence[str], Y: Array) -> Array:
    """Poses of some bodies, lengths in units of the machine's size."""
    parts = []
    for body in bodies:
        X = loops.system.pose(body, np.ascontiguousarray(Y[:, : loops.plan.nq]))
        X[:, :3, 3] /= loops.length
        parts.append(X[:, :3].reshape(len(Y), 12))
    return np.concatenate(parts, axis=1)


def marks_of(loops: Loops, determined: Mask, Y: Array) -> Array:
    """Numbers that are equal for equal postures: cosines and sines of angles, products of a quaternion's parts."""
    turning = _periodic(loops) & determined
    quaternions = [q for q in loops.quaternions if determined[q]]
    plain = determined & ~turning
    for q in loops.quaternions:
        plain[q : q + 4] = False
    parts = [np.cos(Y[:, turning]), np.sin(Y[:, turning]), Y[:, plain] * loops.variable_scale[plain]]
    for q in quaternions:
        own = Y[:, q : q + 4]
        parts.append((own[:, :, np.newaxis] * own[:, np.newaxis, :]).reshape(len(Y), 16))
    return np.concatenate(parts, axis=1)


def _unwound(loops: Loops, y: Array) -> Array:
    """Angles that may be counted from any turn, in (-π, π]."""
    turning = _periodic(loops)
    result = y.copy()
    result[turning] = np.angle(np.exp(1j * y[turning]))
    return result


def _away(loops: Loops, a: Array, b: Array) -> float:
    turning: NDArray[np.bool_] = _periodic(loops)
    d = np.where(turning, np.angle(np.exp(1j * (b - a))), b - a) * loops.variable_scale
    return float(np.abs(d).max(initial=0.0))
