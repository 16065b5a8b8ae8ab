"""All ways to assemble a machine for given inputs: least squares from many random starts, told apart by poses.

How the search goes is in `closure_search`; what can be proven about their number in `closure_bounds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from linkwork.analyses.kinematics.closure_bounds import Bound, closure_bound
from linkwork.analyses.kinematics.closure_marks import distances, periodic, posture_marks
from linkwork.analyses.kinematics.closure_search import (
    CREEPING,
    FIRST,
    QUICK,
    THOROUGH,
    Search,
    estimate_unseen,
    random_starts,
)
from linkwork.analyses.kinematics.diagnosis import conflict_of
from linkwork.analyses.kinematics.failures import CannotClose
from linkwork.analyses.kinematics.given_values import given_variables
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.nearby_postures import ordinary_posture
from linkwork.analyses.kinematics.posture import Posture
from linkwork.errors import Gathered, InputError, Problem
from linkwork.geometry import Array
from linkwork.names import no_such

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels
    from linkwork.results.signals import Units

MOST = 4096
"""Starts at most, unless told otherwise."""
SAME = 1e-5
"""Variables nearer to each other than this are drawn as the same [rad, or parts of the machine's size]."""
STOPPED = "stopped by the user"
SHOWN = 16
"""Closures that are printed."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Closures(Sequence[Posture]):
    """Postures that close with the same inputs, the nearest to home first; made by `Machine.closures`.

    postures : the closures, named by numbers
    starts, converged : random starts, and those that closed; hits : how often each closure was found
    complete : whether these are proven to be all; `proof` tells why, and is empty where nothing is proven
    criterion : how the search ended
    bound : how many closures there can be at most, where that is known
    """

    postures: tuple[Posture, ...]
    starts: int
    converged: int
    hits: tuple[int, ...]
    complete: bool
    criterion: str
    bound: int | None = None
    proof: str = ""

    @property
    def found_once(self) -> int:
        """How many closures were found by a single start."""
        return sum(n == 1 for n in self.hits)

    @property
    def estimate_unseen(self) -> float:
        """How many closures the search has missed, estimated from those it found once and twice; 0 if complete.

        f1 (f1 - 1) / (2 (f2 + 1)), a lower bound (Chao 1984). Closures that next to no start leads to stay unknown.
        """
        return 0.0 if self.complete else estimate_unseen(self.hits)

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
                raise InputError(no_such("closure", key, names))
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
        loops = self.postures[0].loops
        given = given_variables(loops, values)
        scale = loops.variable_scale[given.variables]
        turning = periodic(loops)[given.variables]

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
            raise InputError(Problem(f"{len(self.postures)} different names are wanted, not {', '.join(names)}"))
        renamed = tuple(
            Posture(p.loops, p.y, np.flatnonzero(p._specified).tolist(), name, p.iterations)
            for p, name in zip(self.postures, names, strict=True)
        )
        return replace(self, postures=renamed)

    def verdict(self) -> str:
        """Whether these are all, and how that is known, in a line or two."""
        if self.complete:
            return "\n".join([f"complete: {self.criterion}", *([f"proven: {self.proof}"] if self.proof else [])])
        lines = [f"perhaps not all: {self.criterion}", f"estimate of unseen closures: {self.estimate_unseen:.3g}"]
        lines[1] += f" ({self.found_once} of {len(self)} were found once)"
        if self.bound is not None:
            more = "; what is beyond can move while the inputs are held" if len(self) > self.bound else ""
            lines.append(f"isolated closures at most: {self.bound}{more}")
        return "\n".join(lines)

    def __str__(self) -> str:
        found = "1 closure" if len(self) == 1 else f"{len(self)} closures"
        lines = [f"{found} from {self.starts} starts, {self.converged} of which closed"]
        lines.extend(f"  {line}" for line in self.verdict().splitlines())
        for p, n in list(zip(self.postures, self.hits, strict=True))[:SHOWN]:
            values = ", ".join(f"{k} {p.loops.shown(k, v)}" for k, v in list(p.values.items())[:8])
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
        from linkwork.analyses.kinematics.plot_units import chosen_names, units_of
        from linkwork.results.plots import Axis, Line, Panel, Plot, Quantity, Showing

        loops = self.postures[0].loops
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
            "bound": self.bound,
            "proof": self.proof,
            "found_once": self.found_once,
            "estimate_unseen": self.estimate_unseen,
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
    told, given = Gathered(loops.plan.name), given_variables(loops, {})
    for body in bodies:
        with told:
            loops.system.kernel("pose", body)  # tells an unknown name
    with told:
        given = given_variables(loops, values)
    if given.values.ndim > 1:
        told.problems.append(Problem("closures are of one value for each variable"))
    most = MOST if starts is None else starts
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        told.problems.append(Problem(f"{starts!r} starts", "starts", "give a whole number, at least 1"))
    told.tell()
    if loops.huge:
        text = f"a search for all closures of {loops.count} loops is too large"
        raise InputError(Problem(text, hint="assemble it from a guess instead"), loops.plan.name)
    specified: Mask = np.isin(np.arange(loops.columns), given.columns)
    base = home.y.copy()
    base[given.variables] = given.values
    if not loops.count:
        only = (Posture(loops, base, given.columns.tolist(), "1"),)
        return Closures(only, 1, 1, (1,), True, "an open chain has one posture for its variables", 1)
    beside = ordinary_posture(loops, home.y)
    driving = loops.roles(beside, specified)
    if driving.conflict:
        raise conflict_of(loops, beside, specified, driving)
    marks = posture_marks(loops, home, specified, bodies)
    bound = closure_bound(loops, base, specified, bodies)
    rng = np.random.default_rng(seed)
    search = Search(loops, home.y, specified, driving.rank, marks)
    size, done, ended = FIRST, 0, ""
    while done < most and not ended:
        count = min(size, most - done)
        begin = random_starts(loops, base, specified, rng, count, first=done == 0)
        offset = done
        report = None if progress is None else (lambda n, _, offset=offset: progress(offset + n, most))
        found = minimise(
            loops.equations,
            loops.advanced,
            begin,
            specified,
            tolerance=loops.tolerance,
            iterations=CREEPING,
            callback=report,
        )
        search.add(found)
        done, size = done + count, 2 * size
        ended = STOPPED if (found.reason == Reason.INTERRUPTED).any() else _ended(search, done, bound)
    if not search.members and ended == STOPPED:
        raise KeyboardInterrupt
    if not search.members:
        named = [loops.plan.variables[k] for k in given.variables]
        names = ", ".join(f"{n} = {loops.shown(n, x)}" for n, x in zip(named, given.values.tolist(), strict=True))
        text = f"no closure was found from {done} starts" + (f" with {names}" if names else "")
        raise CannotClose(Problem(text, hint="the inputs may be out of reach"), loops.plan.name)
    members = [_unwound(loops, y) for y in search.members]
    ordered = np.argsort(distances(loops, home.y, np.array(members)), kind="stable").tolist()
    postures = tuple(Posture(loops, members[k], given.columns.tolist(), str(n + 1)) for n, k in enumerate(ordered))
    hits = tuple(search.hits[k] for k in ordered)
    complete = bound is not None and len(members) == bound.number
    return Closures(
        postures,
        done,
        search.converged,
        hits,
        complete,
        ended or f"the search ended with the last of its {done} starts",
        None if bound is None else bound.number,
        bound.reason if bound is not None and complete else "",
    )


def _ended(search: Search, done: int, bound: Bound | None) -> str:
    """Why the search has come to its end, or nothing."""
    if not search.members:
        return "nothing closes" if done >= 8 * FIRST else ""
    if bound is not None and bound.exact and len(search.members) < bound.number:
        return ""  # there are more
    rule = QUICK if bound is not None and len(search.members) == bound.number else THOROUGH
    text = f"every closure found {rule[0]} times or more, and {rule[1]} closing starts for each"
    return text if search.met(rule) else ""


def _unwound(loops: Loops, y: Array) -> Array:
    """Angles that may be counted from any turn, in (-π, π]."""
    turning = periodic(loops)
    result = y.copy()
    result[turning] = np.angle(np.exp(1j * y[turning]))
    return result
