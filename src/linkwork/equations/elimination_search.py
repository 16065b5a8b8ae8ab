"""Looking for an elimination: which constraints to keep and in which order to eliminate, at states that matter.

Rows of redundant loops are chosen by their worst-case margin over a dozen states that the machine can be in; pivots are
taken cheapest first among those that are safe at every state. Several ways to write the equations are tried, and of
those that find the accelerations to many digits (`elimination_accuracy`) the one with the fewest operations is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import groupby
from typing import Any, Literal

import numpy as np

from linkwork.equations.acceleration_system import Key
from linkwork.equations.closed_dynamics import (
    Elimination,
    Step,
    TracedMachine,
    joint_accelerations,
    solved,
    traced_machine,
    watched,
)
from linkwork.equations.elimination_accuracy import null_space_accelerations, off, sparse_accelerations
from linkwork.equations.loop_rows import ROW_AXES, RowAxes
from linkwork.equations.loop_solver import length_rates
from linkwork.equations.motion_equations import Choice, Place, motion_equations
from linkwork.equations.plan import LinkConstants, Moments, Plan
from linkwork.equations.scalars import OUT, Scalar, Trace, undisturbed
from linkwork.equations.shadow import Shadow
from linkwork.equations.trace import Numbers
from linkwork.equations.tree import Weightless
from linkwork.equations.vectors import add, apply, cross, dot, is_zero
from linkwork.geometry import Array

Strategy = Literal["pivots", "links", "rows", "rates"]
STRATEGIES: tuple[Strategy, ...] = ("pivots", "links", "rows")
"""All links substituted first, then pivots; link by link; or each row with a rate that it holds, then the others.

The last costs most, but no mass is a pivot before the loops are kept: light bodies on heavy ones lose nothing.
"""
FEW_LOOPS = 3
"""Cut joints from which on a link counts as a hub."""
LONG_CHAIN = 12
"""Freedoms in a row from which going link by link is tried."""
VERY_LONG = 24
"""Freedoms in a row from which nothing else is: the work of the others grows with their square."""
SAFE = 1e-3
"""Part of the terms it is made of, and of its largest value, that a pivot must keep at every state."""
ENOUGH = 1e-5
"""An elimination whose pivots keep less of their terms is only taken where there is no better one."""
ACCURATE = 1e-11
"""Part of the largest acceleration by which an elimination may be off; a better one is looked for otherwise."""
LARGE_ENOUGH = 0.1
"""Part of the largest coefficient of its row that a rate must have to go with the row."""
REDUNDANT = 1e-8
"""Part of a row that must be new for it to count as independent."""
NOISE = 1e-10
"""Part of what a row is made of below which its coefficients are rounding."""
DENSE = 10_000_000
"""Numbers up to which rows are compared with each other all at once."""
MANY = 200
"""Rates from which on one way is tried, and rows are compared joint by joint: what is dense would take too long."""


Taker = Callable[[Elimination, TracedMachine, Sequence[Any], Any], None]
"""Takes an elimination, the machine in whose trace it was found, accelerations of all joints, and health."""


@dataclass(frozen=True)
class States:
    """States that the machine can be in: variables y (states, ny) and rates w (states, nw), loops closed."""

    y: Array
    w: Array
    length: float
    """Size of the machine [m]: rows of lengths and of angles are compared by it."""


def find_elimination(
    plan: Plan,
    numbers: Numbers,
    constants: Array,
    states: States,
    lasting: bool = False,
    links: Sequence[LinkConstants] = (),
    also: Taker | None = None,
) -> Elimination:
    """The elimination with the fewest operations among some that are safe and accurate at all states.

    constants : values of the numbers that the trace leaves free, in its order
    lasting : all rates come before the multipliers, which costs more. What is left of the constraints is then J M⁻¹ Jᵀ,
        whose pivots shrink only where the rows that are kept lose rank
    links : numbers of all links as the model has them; where they tell that all pivots are positive, none is tried
    also : of a large machine, where one way alone is tried, takes the accelerations that were traced on the way
    """
    if links and _strategies(plan) == ("links",) and _resists(plan, links):
        return _link_by_link(plan)
    with undisturbed():
        return _found(plan, numbers, constants, states, lasting, also)


def _found(
    plan: Plan, numbers: Numbers, constants: Array, states: States, lasting: bool, also: Taker | None
) -> Elimination:
    strategies, axes_of = _strategies(plan), ROW_AXES[:2] if plan.cuts or plan.constraints else ROW_AXES[:1]
    if plan.nw > MANY:
        strategies, axes_of = strategies[-1:], axes_of[:1]
    usual: list[tuple[int, RowAxes, Strategy]]
    usual = [(hub, axes, s) for hub in _hubs(plan) for axes in axes_of for s in strategies]
    others = [(-1, axes, s) for axes in ROW_AXES for s in STRATEGIES if (-1, axes, s) not in usual]
    if lasting:
        usual, others = [(-1, axes, "rates") for axes in ROW_AXES[:2]], [(-1, axes, "rates") for axes in ROW_AXES[2:]]
    safe: list[tuple[int, int, Elimination]] = []
    poor: list[tuple[float, float, bool, int, int, Elimination]] = []
    refused: Weightless | None = None
    right: dict[Key, Array] | None = None
    for k, (hub, axes, strategy) in enumerate([*usual, *others]):
        if safe and k >= len(usual):
            break
        # Each try has a trace of its own: in a common one its answers would be known from those before.
        with Trace() as fresh:
            search = Search(Setting(plan, numbers, constants, states, fresh), axes, hub)
            search.right = right
            try:
                found, cost = search.run(strategy)
            except Weightless as error:
                refused = error
                continue
            except ZeroDivisionError:  # a pivot that is nothing but rows which say the same
                continue
            finally:
                right = search.right
            missed = search.error()
            sound = search.threshold >= ENOUGH and missed <= ACCURATE
            if also is not None and sound and len(usual) == 1:
                also(found, search.machine, *solved(found, search.equations, "all"))
        if sound:
            safe.append((cost, k, found))
        else:  # a digit more or less is no difference; rows come first only where that keeps digits
            digits = float(np.ceil(np.log10(max(missed, ACCURATE))))
            poor.append((digits, -search.threshold, strategy == "rows", cost, k, found))
    if safe:
        return min(safe, key=lambda found: found[:2])[2]
    if poor:
        return min(poor, key=lambda found: found[:5])[5]
    if refused is None:
        hint = "look for loops that hold a body twice"
        raise Weightless("the loops hold each other so that no pivot is left", plan.name, hint)
    raise refused


def _hubs(plan: Plan) -> tuple[int, ...]:
    """No link, and the one that most loops run through, if there are some; none beside constraints of the model."""
    if plan.constraints:  # they may speak of the hub's own joint
        return (-1,)
    if any(link.own for link in plan.links):  # rates of bodies move several links, which a hub must not leave
        return (-1,)
    loops = [0] * len(plan.links)
    for cut in plan.cuts:
        for i in {cut.tail, cut.head} - {-1}:
            loops[i] += 1
    most = max(loops, default=0)
    return (-1, loops.index(most)) if most >= FEW_LOOPS else (-1,)


def _strategies(plan: Plan) -> tuple[Strategy, ...]:
    """What is tried: going link by link where many freedoms are in a row, and nothing else where very many are."""
    freedoms = _in_a_row(plan)
    return STRATEGIES[: 1 + (freedoms > LONG_CHAIN)] if freedoms <= VERY_LONG else ("links",)


def _resists(plan: Plan, links: Sequence[LinkConstants]) -> bool:
    """Whether it is a tree in which every link resists by itself, whatever hangs on it: all pivots are positive."""
    if plan.cuts or plan.constraints or plan.measured or any(link.own for link in plan.links):
        return False
    return all(_is_definite(link.moments) for link in links)


def _is_definite(own: Moments) -> bool:
    """Whether a link has a mass that is spread out in space: its pseudo-inertia [[J, h], [hᵀ, m]] is definite."""
    J: Array = np.array(own.J)
    h: Array = np.array(own.h)
    if own.m <= 0.0:
        return False
    spread = np.linalg.eigvalsh(J - np.outer(h, h) / own.m)
    size = np.trace(J)
    return bool(size > 0.0 and spread[0] > ENOUGH * size)


def _link_by_link(plan: Plan) -> Elimination:
    """A tree from its tips inward."""
    steps: list[Step] = []
    for i in reversed(range(len(plan.links))):
        steps.append(("substitute", i))
        steps += [("eliminate", ("q", k)) for k in plan.links[i].rates]
    return Elimination("tail", (), (), tuple(steps), -1, ())


def _in_a_row(plan: Plan) -> int:
    """Most freedoms between a link and the root."""
    in_a_row: list[int] = []
    for link in plan.links:
        before = in_a_row[link.parent] if link.parent >= 0 else 0
        in_a_row.append(before + len(link.rates))
    return max(in_a_row, default=0)


class Setting:
    """The machine traced with its values at the states: what a try begins with."""

    def __init__(self, plan: Plan, numbers: Numbers, constants: Array, states: States, fresh: Trace) -> None:
        self.plan, self.states = plan, states
        self.machine, self.shadow = traced_machine(plan, numbers, fresh), Shadow(len(states.y))
        state = self.machine.state
        self.shadow.give(self.machine.constants, constants)
        self.shadow.give(state.y, states.y.T)
        self.shadow.give(state.w, states.w.T)
        self.shadow.give(state.effort, np.zeros(plan.nw))
        self.shadow.give([self.machine.t], [0.0])


class Search:
    """One try: the equations eliminated as their values at the states suggest."""

    def __init__(self, setting: Setting, axes: RowAxes, hub: int) -> None:
        self.plan, self.states, self.axes, self.hub = setting.plan, setting.states, axes, hub
        self.shadow = setting.shadow
        self.margins: list[float] = []
        self.threshold = SAFE
        machine, choice = setting.machine, Choice(axes, hub, "tree")
        self.machine = machine
        self.equations = motion_equations(machine.tree, machine.state, choice, self._margin)
        self.system = self.equations.system
        self.steps: list[Step] = []
        self.right: dict[Key, Array] | None = None
        """Accelerations by the null space, as soon as they are known."""
        self.a: list[Any] = []
        """Joint accelerations, once everything is eliminated."""
        self._judged: dict[Key, tuple[Any, float, bool]] = {}
        self._first: dict[Key, Array] = {}

    def _margin(self, x: Any) -> float:
        values = np.abs(self.shadow(x))
        self.margins.append(float(np.min(values, initial=np.inf)))
        return self.margins[-1]

    def run(self, strategy: Strategy) -> tuple[Elimination, int]:
        links = range(len(self.system.tree.links))
        rows = self._independent_rows()
        for place, key in self.equations.multipliers.items():
            if place not in rows:
                self.system.drop(key)
        multipliers = {self.equations.multipliers[place] for place in rows}
        rates: set[Key] = {key for key in self.system.A if key[0] == "u"}
        held = set(range(*_span(self.plan, self.hub))) if self.hub >= 0 else set()
        rates |= {("a", self.hub, c) for c in range(6)} if self.hub >= 0 else set()
        if strategy != "links":
            for i in reversed(links):
                self._substitute(i)
            self._ignore_rounding(multipliers)
            rates |= {("q", k) for k in range(self.plan.nv) if k not in held}
            if self.right is None and self.hub < 0:
                known = sparse_accelerations if self.plan.nw > MANY else null_space_accelerations
                self.right = known(
                    self.system, self.shadow, self._scales(rates), sorted(multipliers), self.shadow.count
                )
            if strategy == "rows":
                rates -= self._held_by(multipliers, rates)
                multipliers = set()
            if strategy == "rates":
                rates = self._greedy(rates, partial=True)
            self._greedy(multipliers | rates)
        else:
            waiting = multipliers
            for i in reversed(links):
                self._substitute(i)
                own = self.plan.links[i].rates if i < len(self.plan.links) else ()
                self._greedy([("q", k) for k in own if k not in held])
                ready = {u for u in waiting if len(self._links_of(u)) <= 1}
                waiting = (waiting - ready) | self._greedy(ready, partial=True)
            self._greedy(waiting | rates)
        usual = [10.0 ** np.rint(np.log10(np.median(np.abs(self.shadow(x))))) for x in watched(self.system)]
        found = Elimination(
            self.axes, tuple(self.margins), tuple(sorted(rows)), tuple(self.steps), self.hub, tuple(map(float, usual))
        )
        self.a = joint_accelerations(self.system, self.hub)
        return found, operations(self.a) if self.plan.nw <= MANY else 0  # where one way is tried, none is compared

    def _scales(self, rates: Iterable[Key]) -> dict[Key, float]:
        """By rate, what counts like a radian."""
        is_length = length_rates(self.plan)
        return {k: self.states.length if (is_length[k[1]] if len(k) == 2 else k[2] > 2) else 1.0 for k in sorted(rates)}

    def error(self) -> float:
        """How far accelerations at the states are from those by the null space, of the largest."""
        if not self.right:
            return 0.0
        a = [self.shadow(x) for x in self.a]
        return off(a, self.right, self._scales(("q", k) for k in range(self.plan.nv)))

    def _held_by(self, rows: set[Key], rates: set[Key]) -> set[Key]:
        """Eliminate each row with a rate of which it has a large coefficient at every state, cheapest first."""
        A, left, free, scales = self.system.A, set(rows), set(rates), self._scales(rates)
        while left:
            best: tuple[float, int, Key, Key] | None = None
            for u in sorted(left):
                own = {k: np.abs(self.shadow(x)) * scales[k] for k, x in A.get(u, {}).items() if k in free}
                if not own:
                    raise ZeroDivisionError("a row that holds nothing")
                largest = np.max(list(own.values()), axis=0)
                for k, values in own.items():
                    part = float(np.min(values / np.maximum(largest, 1e-300)))
                    found = (-min(part, LARGE_ENOUGH), (len(A[u]) - 1) * (len(A[k]) - 1), u, k)
                    best = found if best is None or found < best else best
            assert best is not None
            pair = sorted(best[2:])
            self.steps.append(("eliminate", *pair))
            self.system.eliminate_pair(pair[0], pair[1])
            left.discard(best[2])
            free.discard(best[3])
        return rates - free

    def _substitute(self, i: int) -> None:
        if i == self.hub:
            self.steps.append(("settle", i))
            self.system.settle(i)
        else:
            self.steps.append(("substitute", i))
            self.system.substitute(i)

    def _ignore_rounding(self, multipliers: set[Key]) -> None:
        """Leave out what vanishes wherever the loops are closed, as the part of a floating body in its own loops."""
        is_length = length_rates(self.plan)
        for u in sorted(multipliers):
            row = {}
            for k, x in self.system.A.get(u, {}).items():
                long = is_length[k[1]] if len(k) == 2 else k[2] > 2
                row[k] = float(np.abs(self.shadow(x)).max()) * (self.states.length if long else 1.0)
            for k, size in row.items():
                if size <= NOISE * max(row.values()):
                    self.steps.append(("ignore", u, k))
                    self.system.ignore(u, k)

    def _links_of(self, u: Key) -> set[int]:
        """Links not yet substituted that an unknown is coupled to."""
        return {y[1] for y in self.system.A.get(u, {}) if y[0] == "a" and y[1] != self.hub}

    def _independent_rows(self) -> set[Place]:
        """Constraints that say something of their own, chosen so that the worst state keeps the most of them.

        A projection over the states: at each turn the row is taken of which, where it is shortest, most is left.
        """
        made_of = self._made_of()
        jacobian = self._jacobian()
        used = [(place, row) for place, row in jacobian.items() if row]
        if not used:
            return set()
        if self.plan.nw > MANY or len(used) * self.plan.nw * self.shadow.count > DENSE:
            return self._independent_by_joint(dict(used), made_of)
        columns = sorted({k for _, row in used for k in row})
        J = np.zeros((self.shadow.count, len(used), len(columns)))
        for r, (_, row) in enumerate(used):
            for k, x in row.items():
                J[:, r, columns.index(k)] = self.shadow(x)
        is_length = length_rates(self.plan)
        J *= [self.states.length if (is_length[k[1]] if len(k) == 2 else k[2] > 2) else 1.0 for k in columns]
        sizes = np.linalg.norm(J, axis=2, keepdims=True)
        # Each row against itself: one that is crossed of lengths is an area, and says as much as an angle.
        terms = np.stack([made_of[place] for place, _ in used], axis=1)[..., np.newaxis]
        J = np.where(sizes > NOISE * terms, J / np.maximum(sizes, 1e-300), 0.0)
        rank = max((int(np.linalg.matrix_rank(X, tol=REDUNDANT)) for X in J), default=0)
        kept: set[Place] = set()
        for _ in range(rank):
            left = np.linalg.norm(J, axis=2)
            best = int(np.argmax(left.min(axis=0) + 1e-9 * left.mean(axis=0)))
            kept.add(used[best][0])
            direction = J[:, best] / np.maximum(left[:, best, np.newaxis], 1e-300)
            J -= np.einsum("srk,sk->sr", J, direction)[..., np.newaxis] * direction[:, np.newaxis]
            J[:, best] = 0.0
        return kept

    def _independent_by_joint(
        self, rows: Mapping[Place, Mapping[Key, Any]], made_of: Mapping[Place, Array]
    ) -> set[Place]:
        """The same for large machines: the rows of one cut joint after the other, less what those before them say.

        A kept row holds a rate that few others speak of, and is taken off the rows that follow.
        """
        is_length, length = length_rates(self.plan), self.states.length
        uses = Counter(k for row in rows.values() for k in row)
        order: dict[Key, int] = {}
        """By rate that a kept row holds, its turn."""
        holding: list[tuple[Key, dict[Key, Array]]] = []
        kept: set[Place] = set()
        for _, group in groupby(rows, key=lambda place: place[0]):
            block: dict[Place, dict[Key, Array]] = {}
            for place in group:
                row = {
                    k: self.shadow(x) * (length if (is_length[k[1]] if len(k) == 2 else k[2] > 2) else 1.0)
                    for k, x in rows[place].items()
                }
                size = _norm(row)
                unit = np.where(size > NOISE * made_of[place], 1.0 / np.maximum(size, 1e-300), 0.0)
                block[place] = _taken_off({k: x * unit for k, x in row.items()}, holding, order)
            while block:
                sizes = {place: _norm(row) for place, row in block.items()}
                best = max(sizes, key=lambda place: float(sizes[place].min() + 1e-9 * sizes[place].mean()))
                row = block.pop(best)
                if sizes[best].max() <= REDUNDANT:
                    break
                parts = {k: float((np.abs(x) / np.maximum(sizes[best], 1e-300)).min()) for k, x in row.items()}
                enough = min(LARGE_ENOUGH, max(parts.values()))
                held = min((k for k, part in parts.items() if part >= enough), key=lambda k: (uses[k], k))
                order[held] = len(holding)
                holding.append((held, row))
                kept.add(best)
                block = {place: _taken_off(own, holding, order) for place, own in block.items()}
        return kept

    def _made_of(self) -> dict[Place, Array]:
        """By constraint and state, its largest coefficient of a link's acceleration, lengths by the machine's size."""
        is_length = length_rates(self.plan)
        found: dict[Place, Array] = {}
        for place, key in self.equations.multipliers.items():
            largest = np.zeros(self.shadow.count)
            for k, x in self.system.A.get(key, {}).items():
                long = is_length[k[1]] if len(k) == 2 else k[2] > 2
                largest = np.maximum(largest, np.abs(self.shadow(x)) * (self.states.length if long else 1.0))
            found[place] = largest
        return found

    def _jacobian(self) -> dict[Place, dict[Key, Any]]:
        """By constraint, its coefficients of joint accelerations: wrenches handed inward from link to link."""
        result: dict[Place, dict[Key, Any]] = {}
        for place, key in self.equations.multipliers.items():
            own: dict[Key, Any] = {}
            parts: dict[int, list[Any]] = {}
            for y, x in self.system.A.get(key, {}).items():
                if y[0] == "a":
                    parts.setdefault(y[1], [0.0] * 6)[y[2]] = x  # type: ignore[misc]
                else:
                    own[y] = x
            while parts:
                i = max(parts)
                six = parts.pop(i)
                if i == self.hub:
                    own |= {("a", i, c): x for c, x in enumerate(six) if not is_zero(x)}
                    continue
                link = self.system.tree.links[i]
                n, f = tuple(six[:3]), tuple(six[3:])
                for j, k in enumerate(link.dofs):
                    entry = dot(link.Sw[j], n) + dot(link.lever(j), f)
                    if not is_zero(entry):
                        own["q", k] = own.get(("q", k), 0.0) + entry
                if link.parent >= 0:
                    Rf = apply(link.R, f)
                    up = [*add(apply(link.R, n), cross(link.p, Rf)), *Rf]
                    before = parts.get(link.parent)
                    total = up if before is None else [a + b for a, b in zip(before, up, strict=True)]
                    if not all(map(is_zero, total)):
                        parts[link.parent] = total
                    elif before is not None:
                        del parts[link.parent]
            result[place] = own
        return result

    # ------------------------------------------------------------ pivots

    def _greedy(self, todo: Iterable[Key], partial: bool = False) -> set[Key]:
        """Cheapest safe pivot first; what could not be eliminated is returned."""
        left, threshold, A = set(todo), SAFE, self.system.A
        waiting = [(len(A[u]), u) for u in left if u in A]
        heapify(waiting)
        while left:
            self.threshold = min(self.threshold, threshold)
            u = self._cheapest(waiting, left, threshold)
            if u is not None:
                self.steps.append(("eliminate", u))
                changed = A[u].keys() - {u}
                self.system.eliminate(u)
                left.discard(u)
                for x in changed & left:
                    heappush(waiting, (len(A[x]), x))
                continue
            if partial:
                break
            pair = self._pair(left, threshold)
            if pair is not None:
                self.steps.append(("eliminate", *pair))
                self.system.eliminate_pair(*pair)
                left -= set(pair)
            elif threshold > 1e-10:
                threshold *= 0.1
            else:
                self._refuse(left)
            waiting = [(len(A[u]), u) for u in left if u in A]
            heapify(waiting)
        return left

    def _cheapest(self, waiting: list[tuple[int, Key]], left: set[Key], threshold: float) -> Key | None:
        """The safe pivot with the fewest entries in its row; those that are not safe wait until their rows change."""
        while waiting:
            cost, u = heappop(waiting)
            if u in left and cost == len(self.system.A[u]) and self._safe(u, threshold):
                return u
        return None

    def _safe(self, u: Key, threshold: float) -> bool:
        """A pivot serves at every state: it keeps a part of the terms it is made of, and of its largest value."""
        pivot = self.system.A.get(u, {}).get(u, 0.0)
        if is_zero(pivot):
            return False
        known = self._judged.get(u)
        if known is not None and known[0] is pivot and known[1] == threshold:
            return known[2]
        values = np.abs(self.shadow(pivot))
        if u[0] == "l":
            terms = sum(np.abs(self.shadow(x)) for x in self.system.terms.get(u, ())) + 0.0 * values
            serves = (values > threshold * terms).all() and values.min() > threshold * values.max()
        else:
            first = self._first.setdefault(u, values)
            serves = (self.shadow(pivot) > 1e-10 * first).all() and values.min() > 1e-10 * values.max()
        judged = bool(serves and np.isfinite(values).all())
        self._judged[u] = (pivot, threshold, judged)
        return judged

    def _pair(self, left: set[Key], threshold: float) -> tuple[Key, Key] | None:
        """Two unknowns that hold each other, as a body without mass and the row that moves it."""
        A = self.system.A
        best: tuple[int, Key, Key] | None = None
        for u in sorted(left):
            for v in A.get(u, {}):
                if v not in left or not u < v:
                    continue
                cost = len(A[u].keys() | A[v].keys())
                if best is not None and (cost, u, v) >= best:
                    continue
                a, d, c = (self.shadow(x) for x in (A[u].get(u, 0.0), A[v].get(v, 0.0), A[u][v]))
                determinant = np.abs(a * d - c * c)
                size = np.abs(a * d) + c * c
                if (determinant > threshold * size).all() and (size.min() > threshold**2 * size.max()):
                    best = (cost, u, v)
        return None if best is None else best[1:]

    def _refuse(self, left: set[Key]) -> None:
        rates = [self.plan.variable_rates[u[1]] for u in sorted(left) if u[0] in ("q", "u")]
        bodies = [link.body for link in self.plan.links if {self.plan.rates[k] for k in link.rates} & set(rates)]
        text = f"no mass resists {', '.join(rates) or 'the loops'}, so accelerations are not determined"
        raise Weightless(text, rates[0] if rates else self.plan.name, _mass_hint(bodies))


def _norm(row: Mapping[Key, Array]) -> Array:
    """Lengths of a row at the states."""
    return np.sqrt(sum((x * x for x in row.values()), np.zeros(1)))


def _taken_off(
    row: dict[Key, Array], holding: Sequence[tuple[Key, Mapping[Key, Array]]], order: Mapping[Key, int]
) -> dict[Key, Array]:
    """A row less multiples of those that hold a rate, so that it speaks of none of these rates.

    A holding row speaks of no rate that is held before it, so each is met once.
    """
    turns = [order[k] for k in row if k in order]
    heapify(turns)
    last = -1
    while turns:
        turn = heappop(turns)
        if turn == last:
            continue
        last = turn
        held, own = holding[turn]
        part = row.pop(held) / np.where(own[held] == 0.0, np.inf, own[held])
        for k, x in own.items():
            if k == held:
                continue
            if k in order and k not in row:
                heappush(turns, order[k])
            row[k] = row.get(k, 0.0) - part * x
    return row


def _mass_hint(bodies: Sequence[str]) -> str:
    named = f" ({', '.join(bodies[:4])})" if bodies else ""
    return f"give the bodies that must accelerate{named} a mass or an inertia"


def _span(plan: Plan, i: int) -> tuple[int, int]:
    return plan.links[i].v.start, plan.links[i].v.stop


def operations(outputs: Sequence[Any]) -> int:
    """Operations that are not settled, behind some outputs."""
    seen: set[int] = set()
    stack = [x for x in outputs if isinstance(x, Scalar)]
    count = 0
    while stack:
        node = stack.pop()
        if id(node) in seen or node.settled:
            continue
        seen.add(id(node))
        if node.op == OUT:
            call = node.args[0]
            if id(call) not in seen:
                seen.add(id(call))
                count += len(call.listing.codes)
                stack += call.args
            continue
        count += bool(node.args)
        stack += [x for x in node.args if isinstance(x, Scalar)]
    return count
