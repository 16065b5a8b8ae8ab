"""Forward dynamics of machines with loops: an order of elimination that is found once and then is straight-line code.

The equations of motion of the tree and the constraints of its cut joints are one `AccelerationSystem`. Which rows of
redundant loops are kept, and in which order unknowns are eliminated, is decided at a dozen states that the machine can
be in: rows by their worst-case margin, pivots cheapest first among those that are safe at every state. The decision is
an `Elimination`; tracing it gives a kernel whose `health` tells, at every later state, how far its pivots have shrunk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from linkwork.equations import folding
from linkwork.equations.acceleration_system import AccelerationSystem, Key
from linkwork.equations.inverse_dynamics import Applied, inertia_wrenches, inverse_dynamics, link_motion
from linkwork.equations.loads import applied_loads
from linkwork.equations.loop_rows import (
    ROW_AXES,
    CutRows,
    Margin,
    RowAxes,
    along,
    combined,
    constraints,
    cut_rows,
    gram_solve,
)
from linkwork.equations.mass_matrix import dense, mass_matrix
from linkwork.equations.plan import Plan
from linkwork.equations.quantities import Quantity
from linkwork.equations.scalars import Block, Composed, Scalar, Trace, compose
from linkwork.equations.shadow import Shadow
from linkwork.equations.tracing import Numbers, function_name, input_symbols
from linkwork.equations.tree import Tree, Weightless, grow
from linkwork.equations.vectors import Vector, add, apply, apply_t, cross, dot, neg, scale, sub
from linkwork.geometry import Array

Strategy = Literal["pivots", "links"]
STRATEGIES: tuple[Strategy, ...] = ("pivots", "links")
"""All links substituted first, then pivots; or link by link."""
FEW_LOOPS = 3
"""Cut joints from which on a link counts as a hub."""
LONG_CHAIN = 12
"""Freedoms in a row from which going link by link is tried."""
SAFE = 1e-3
"""Part of the terms it is made of, and of its largest value, that a pivot must keep at every state."""
ENOUGH = 1e-5
"""An elimination whose pivots keep less of their terms is only taken where there is no better one."""
REDUNDANT = 1e-8
"""Part of a row that must be new for it to count as independent."""
HUB = -1
"""Stands for the joint of the hub among the cut joints."""
NOISE = 1e-10
"""Part of the largest row below which a row is rounding."""
DENSE = 10_000_000
"""Numbers up to which rows are compared with each other all at once."""


@dataclass(frozen=True)
class States:
    """States that the machine can be in: variables y (states, ny) and rates w (states, nw), loops closed."""

    y: Array
    w: Array
    length: float
    """Size of the machine [m]: rows of lengths and of angles are compared by it."""


@dataclass(frozen=True)
class Elimination:
    """How the accelerations are found.

    axes : along which cut joints are compared; margins : of what `constraints` had to choose among
    rows : kept constraints (cut joint, constraint); steps : ("substitute", link) or ("eliminate", unknown, ...)
    hub : link whose acceleration stays an unknown of its own, -1 for none
    usual : by pivot that is watched, its usual inverse
    """

    axes: RowAxes
    margins: tuple[float, ...]
    rows: tuple[tuple[int, int], ...]
    steps: tuple[tuple[Any, ...], ...]
    hub: int = -1
    usual: tuple[float, ...] = field(default=(), compare=False)

    @property
    def key(self) -> str:
        """Tells one elimination from another."""
        return hashlib.sha256(repr((self.axes, self.margins, self.rows, self.steps, self.hub)).encode()).hexdigest()[
            :24
        ]


def closed_forward_dynamics(
    elimination: Elimination, efforts: Literal["tree", "all"], joints: Literal["tree", "all"]
) -> Quantity:
    """Accelerations of joint rates: (y, w, effort, t) -> a, health.

    efforts : whether joints outside the tree may have efforts; joints : of which joints accelerations are wanted
    """
    name = f"closed forward dynamics {efforts} {joints} {elimination.key}"
    tracer = partial(_trace, elimination, efforts, joints)
    return Quantity(name, ("y", "w", "effort", "t"), _no_law, regroups=True, tracer=tracer)


def unconstrained() -> Quantity:
    """Mass matrix over all rates, and the forces that accelerate them, loops left open: (y, w, effort, t) -> M, f."""
    return Quantity("unconstrained", ("y", "w", "effort", "t"), _unconstrained, regroups=True)


def _unconstrained(tree: Tree, x: Any) -> list[Block]:
    nv, nw = tree.nv, tree.plan.nw
    applied = applied_loads(tree, x["t"][0], x["y"], x["w"]).applied
    bias = inverse_dynamics(tree, x["w"][:nv], [0.0] * nv, replace(applied, rotors={})).tau
    M: dict[tuple[int, int], Any] = dict(mass_matrix(tree))
    for k, inertia in applied.rotors.items():
        M[k, k] = M.get((k, k), 0.0) + inertia
    force = [x["effort"][k] - bias[k] for k in range(nv)]
    force += [x["effort"][k] + applied.along.get(k, 0.0) for k in range(nv, nw)]
    return [("M", dense(M, nw), (nw, nw)), ("force", force, (nw,))]


def _no_law(tree: Any, x: Any) -> list[Block]:
    raise AssertionError("traced by a function of its own")


# ---------------------------------------------------------------- the system


@dataclass(frozen=True)
class _Built:
    system: AccelerationSystem
    cuts: list[CutRows]
    rows: dict[tuple[int, int], Key]


def _build(
    tree: Tree, y: Sequence[Any], w: Sequence[Any], effort: Sequence[Any], applied: Applied, axes: RowAxes,
    margin: Margin, efforts: str, hub: int,
) -> _Built:  # fmt: skip
    """Equations of motion with every constraint of every cut joint."""
    nv = tree.nv
    motion = link_motion(tree, w[:nv], [0.0] * nv)
    f, n = inertia_wrenches(tree, motion)
    system = AccelerationSystem(tree)
    for i in range(len(tree.links)):
        system.load(i, sub(applied.moments.get(i, _NO), n[i]), sub(applied.forces.get(i, _NO), f[i]))
    held = set(tree.links[hub].dofs) if hub >= 0 else set()
    for k in (k for k in range(nv) if k not in held):
        system.push(("q", k), effort[k] + applied.along.get(k, 0.0))
        system.add(("q", k), ("q", k), applied.rotors.get(k, 0.0))
    cuts = cut_rows(tree, motion, y, w, axes)
    rows: dict[tuple[int, int], Key] = {}
    for c, found in enumerate(cuts):
        cut, own = found.cut, range(found.cut.w.start, found.cut.w.stop)
        turning = [j for j, k in enumerate(own) if k in applied.rotors]
        plain = [j for j in range(len(own)) if j not in turning]
        weights = constraints([found.S[j] for j in plain], margin)
        for r, combination in enumerate(weights):
            row, key = combined(found.rows, combination), ("l", 6 * c + r)
            system.couple(key, cut.head, row.head)
            system.couple(key, cut.tail, row.tail)
            system.push(key, -row.gamma)
            rows[c, r] = key
            for j in turning:
                moved = sum((x * found.S[j][k] for k, x in combination.items()), 0.0)
                system.add(key, ("u", own[j]), -moved)
        pushes = [applied.along.get(k, 0.0) + (effort[k] if efforts == "all" else 0.0) for k in own]
        W: list[Any] = [0.0] * 6
        if any(not _is_zero(pushes[j]) for j in plain):
            W = along([found.S[j] for j in plain], [pushes[j] for j in plain])
            pair = combined(found.rows, dict(enumerate(W)))
            for link, (moment, force) in ((cut.head, pair.head), (cut.tail, pair.tail)):
                if link >= 0:
                    system.load(link, moment, force)
        for j in turning:  # the wrench of the other efforts works on these rates too
            system.add(("u", own[j]), ("u", own[j]), applied.rotors[own[j]])
            system.push(("u", own[j]), pushes[j] - sum((s * x for s, x in zip(found.S[j], W, strict=True)), 0.0))
    if hub >= 0:
        rows |= _release(system, hub, effort, applied, margin, 6 * len(cuts))
    return _Built(system, cuts, rows)


def _release(
    system: AccelerationSystem, hub: int, effort: Sequence[Any], applied: Applied, margin: Margin, first: int
) -> dict[tuple[int, int], Key]:
    """Let constraints, numbered from `first` on, hold the hub at its joint, as if that were cut."""
    joint = system.tree.links[hub]
    S = {k: (*joint.Sw[j], *joint.lever(j)) for j, k in enumerate(joint.dofs)}
    pushes = {k: effort[k] + applied.along.get(k, 0.0) for k in joint.dofs}
    plain = [k for k in joint.dofs if k not in applied.rotors]
    combinations = constraints([S[k] for k in plain], margin)
    weights = [[found.get(c, 0.0) for c in range(6)] for found in combinations]
    keys: list[Key] = [("l", first + r) for r in range(len(weights))]
    system.release(hub, weights, keys)
    W = along([S[k] for k in plain], [pushes[k] for k in plain])
    _load_pair(system, hub, tuple(W[:3]), tuple(W[3:]))
    for k in (k for k in joint.dofs if k in applied.rotors):  # a rotor resists the rate itself, as in cut joints
        for key, six in zip(keys, weights, strict=True):
            moved = sum((x * s for x, s in zip(six, S[k], strict=True)), 0.0)
            system.add(key, ("u", k), -moved)
        system.add(("u", k), ("u", k), applied.rotors[k])
        system.push(("u", k), pushes[k] - sum((s * x for s, x in zip(S[k], W, strict=True)), 0.0))
    return {(HUB, r): key for r, key in enumerate(keys)}


def _load_pair(system: AccelerationSystem, i: int, n: Vector, f: Vector) -> None:
    """A moment and a force on a link, and their opposites on its parent."""
    link = system.tree.links[i]
    system.load(i, n, f)
    if link.parent >= 0:
        Rf = apply(link.R, f)
        system.load(link.parent, neg(add(apply(link.R, n), cross(link.p, Rf))), neg(Rf))


_NO: Vector = (0.0, 0.0, 0.0)


def _is_zero(x: Any) -> bool:
    return isinstance(x, float) and x == 0.0


# ---------------------------------------------------------------- finding an order


def find_elimination(plan: Plan, numbers: Numbers, constants: Array, states: States) -> Elimination:
    """The elimination with the fewest operations among some that are safe at all states.

    constants : values of the numbers that the trace leaves free, in its order
    """
    long = _is_long(plan)
    usual = [(hub, axes, s) for hub in _hubs(plan) for axes in ROW_AXES[:2] for s in STRATEGIES[: 1 + long]]
    others = [(-1, axes, s) for axes in ROW_AXES for s in STRATEGIES if (-1, axes, s) not in usual]
    safe: list[tuple[int, int, Elimination]] = []
    poor: list[tuple[float, int, int, Elimination]] = []
    refused: Weightless | None = None
    setting = _Setting(plan, numbers, constants, states)
    for k, (hub, axes, strategy) in enumerate([*usual, *others]):
        if safe and k >= len(usual):
            break
        search = _Search(setting, axes, hub)
        try:
            found, cost = search.run(strategy)
        except Weightless as error:
            refused = error
            continue
        if search.threshold >= ENOUGH:
            safe.append((cost, k, found))
        else:
            poor.append((-search.threshold, cost, k, found))
    if safe:
        return min(safe, key=lambda found: found[:2])[2]
    if poor:
        return min(poor, key=lambda found: found[:3])[3]
    assert refused is not None
    raise refused


def _hubs(plan: Plan) -> tuple[int, ...]:
    """No link, and the one that most loops run through, if there are some."""
    loops = [0] * len(plan.links)
    for cut in plan.cuts:
        for i in {cut.tail, cut.head} - {-1}:
            loops[i] += 1
    most = max(loops, default=0)
    return (-1, loops.index(most)) if most >= FEW_LOOPS else (-1,)


def _is_long(plan: Plan) -> bool:
    """Whether many freedoms are in a row."""
    in_a_row: list[int] = []
    for link in plan.links:
        before = in_a_row[link.parent] if link.parent >= 0 else 0
        in_a_row.append(before + link.v.stop - link.v.start)
    return max(in_a_row, default=0) > LONG_CHAIN


class _Setting:
    """The machine traced with its values at the states: what all tries begin with."""

    def __init__(self, plan: Plan, numbers: Numbers, constants: Array, states: States) -> None:
        self.plan, self.states = plan, states
        self.trace, self.shadow = Trace(), Shadow(len(states.y))
        self.tree, self.y, self.w, self.effort, t, symbols, _ = _traced_tree(plan, numbers, self.trace)
        self.shadow.give(symbols, constants)
        self.shadow.give(self.y, states.y.T)
        self.shadow.give(self.w, states.w.T)
        self.shadow.give(self.effort, np.zeros(plan.nw))
        self.shadow.give([t], [0.0])
        self.applied = applied_loads(self.tree, t, self.y, self.w).applied


class _Search:
    """One try: the equations eliminated as their values at the states suggest."""

    def __init__(self, setting: _Setting, axes: RowAxes, hub: int) -> None:
        self.plan, self.states, self.axes, self.hub = setting.plan, setting.states, axes, hub
        self.shadow = setting.shadow
        self.margins: list[float] = []
        self.threshold = SAFE
        self.built = _build(
            setting.tree, setting.y, setting.w, setting.effort, setting.applied, axes, self._margin, "tree", hub
        )
        self.system = self.built.system
        self.steps: list[tuple[Any, ...]] = []
        self._judged: dict[Key, tuple[Any, float, bool]] = {}
        self._first: dict[Key, Array] = {}

    def _margin(self, x: Any) -> float:
        values = np.abs(self.shadow(x))
        self.margins.append(float(np.min(values, initial=np.inf)))
        return self.margins[-1]

    def run(self, strategy: Strategy) -> tuple[Elimination, int]:
        links = range(len(self.plan.links))
        rows = self._independent_rows()
        for place, key in self.built.rows.items():
            if place not in rows:
                _drop(self.system, key)
        multipliers = {self.built.rows[place] for place in rows}
        rates: set[Key] = {key for key in self.system.A if key[0] == "u"}
        held = set(range(*_span(self.plan, self.hub))) if self.hub >= 0 else set()
        rates |= {("a", self.hub, c) for c in range(6)} if self.hub >= 0 else set()
        if strategy == "pivots":
            for i in reversed(links):
                self._substitute(i)
            self._ignore_rounding(multipliers)
            rates |= {("q", k) for k in range(self.plan.nv) if k not in held}
            self._greedy(multipliers | rates)
        else:
            waiting = multipliers
            for i in reversed(links):
                self._substitute(i)
                self._greedy([("q", k) for k in range(*_span(self.plan, i)) if k not in held])
                ready = {u for u in waiting if len(self._links_of(u)) <= 1}
                waiting = (waiting - ready) | self._greedy(ready, partial=True)
            self._greedy(waiting | rates)
        usual = [float(np.median(np.abs(self.shadow(x)))) for x in _watched(self.system)]
        found = Elimination(
            self.axes, tuple(self.margins), tuple(sorted(rows)), tuple(self.steps), self.hub, tuple(usual)
        )
        return found, _operations(_joint_accelerations(self.system, self.hub))

    def _substitute(self, i: int) -> None:
        if i == self.hub:
            self.steps.append(("settle", i))
            self.system.settle(i)
        else:
            self.steps.append(("substitute", i))
            self.system.substitute(i)

    def _ignore_rounding(self, multipliers: set[Key]) -> None:
        """Leave out what vanishes wherever the loops are closed, as the part of a floating body in its own loops."""
        is_length = _lengths(self.plan)
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

    def _independent_rows(self) -> set[tuple[int, int]]:
        """Constraints that say something of their own, chosen so that the worst state keeps the most of them.

        A projection over the states: at each turn the row is taken of which, where it is shortest, most is left.
        """
        jacobian = self._jacobian()
        used = [(place, row) for place, row in jacobian.items() if row]
        if not used:
            return set()
        if len(used) * self.plan.nw * self.shadow.count > DENSE:
            return {place for place, _ in used}
        columns = sorted({k for _, row in used for k in row})
        J = np.zeros((self.shadow.count, len(used), len(columns)))
        for r, (_, row) in enumerate(used):
            for k, x in row.items():
                J[:, r, columns.index(k)] = self.shadow(x)
        is_length = _lengths(self.plan)
        J *= [self.states.length if (is_length[k[1]] if len(k) == 2 else k[2] > 2) else 1.0 for k in columns]
        sizes = np.linalg.norm(J, axis=2, keepdims=True)
        J = np.where(sizes > NOISE * sizes.max(initial=0.0), J / np.maximum(sizes, 1e-300), 0.0)
        rank = max((int(np.linalg.matrix_rank(X, tol=REDUNDANT)) for X in J), default=0)
        kept: set[tuple[int, int]] = set()
        for _ in range(rank):
            left = np.linalg.norm(J, axis=2)
            best = int(np.argmax(left.min(axis=0) + 1e-9 * left.mean(axis=0)))
            kept.add(used[best][0])
            direction = J[:, best] / np.maximum(left[:, best, np.newaxis], 1e-300)
            J -= np.einsum("srk,sk->sr", J, direction)[..., np.newaxis] * direction[:, np.newaxis]
            J[:, best] = 0.0
        return kept

    def _jacobian(self) -> dict[tuple[int, int], dict[Key, Any]]:
        """By constraint, its coefficients of joint accelerations: wrenches handed inward from link to link."""
        result: dict[tuple[int, int], dict[Key, Any]] = {}
        for place, key in self.built.rows.items():
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
                    own |= {("a", i, c): x for c, x in enumerate(six) if not _is_zero(x)}
                    continue
                link = self.system.tree.links[i]
                n, f = tuple(six[:3]), tuple(six[3:])
                for j, k in enumerate(link.dofs):
                    entry = dot(link.Sw[j], n) + dot(link.lever(j), f)
                    if not _is_zero(entry):
                        own["q", k] = entry
                if link.parent >= 0:
                    Rf = apply(link.R, f)
                    up = [*add(apply(link.R, n), cross(link.p, Rf)), *Rf]
                    before = parts.get(link.parent)
                    total = up if before is None else [a + b for a, b in zip(before, up, strict=True)]
                    if not all(map(_is_zero, total)):
                        parts[link.parent] = total
                    elif before is not None:
                        del parts[link.parent]
            result[place] = own
        return result

    # ------------------------------------------------------------ pivots

    def _greedy(self, todo: Iterable[Key], partial: bool = False) -> set[Key]:
        """Cheapest safe pivot first; what could not be eliminated is returned."""
        left, threshold = set(todo), SAFE
        while left:
            self.threshold = min(self.threshold, threshold)
            candidates = [u for u in left if self._safe(u, threshold)]
            if candidates:
                u = min(candidates, key=lambda u: (len(self.system.A[u]), u))
                self.steps.append(("eliminate", u))
                self.system.eliminate(u)
                left.discard(u)
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
        return left

    def _safe(self, u: Key, threshold: float) -> bool:
        """A pivot serves at every state: it keeps a part of the terms it is made of, and of its largest value."""
        pivot = self.system.A.get(u, {}).get(u, 0.0)
        if _is_zero(pivot):
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
        bodies = [link.body for link in self.plan.links if set(self.plan.rates[link.v]) & set(rates)]
        text = f"no mass resists {', '.join(rates) or 'the loops'}, so accelerations are not determined"
        raise Weightless(text, rates[0] if rates else self.plan.name, _mass_hint(bodies))


def _mass_hint(bodies: Sequence[str]) -> str:
    named = f" ({', '.join(bodies[:4])})" if bodies else ""
    return f"give the bodies that must accelerate{named} a mass or an inertia"


def _span(plan: Plan, i: int) -> tuple[int, int]:
    return plan.links[i].v.start, plan.links[i].v.stop


def _lengths(plan: Plan) -> Array:
    """By rate of all joints, whether it is of a length."""
    result = np.zeros(plan.nw, bool)
    for slot in plan.slots:
        for k in range(slot.plain):
            result[slot.v.start + k] = slot.law.variables[k].dimension == "length"
    return result


def _drop(system: AccelerationSystem, key: Key) -> None:
    for y in system.A.pop(key, {}):
        system.A[y].pop(key, None)
    system.b.pop(key, None)


def _watched(system: AccelerationSystem) -> list[Any]:
    """Inverses of pivots that loops make: they grow near singular postures."""
    return [
        inverse for keys, inverse in system.inverses if any(k[0] == "l" for k in keys) and isinstance(inverse, Scalar)
    ]


def _operations(outputs: Sequence[Any]) -> int:
    """Operations that are not settled, behind some outputs."""
    seen: set[int] = set()
    stack = [x for x in outputs if isinstance(x, Scalar)]
    count = 0
    while stack:
        node = stack.pop()
        if id(node) in seen or node.settled:
            continue
        seen.add(id(node))
        count += bool(node.args)
        stack += [x for x in node.args if isinstance(x, Scalar)]
    return count


# ---------------------------------------------------------------- tracing it


def _traced_tree(plan: Plan, numbers: Numbers, fresh: Trace) -> tuple[Tree, Any, Any, Any, Any, list[Any], list[Block]]:
    constants, symbols = folding.symbols(fresh, numbers.constants, numbers.pattern)
    inputs = input_symbols(plan, ("y", "w", "effort", "t"), fresh)
    y, w, effort, (t,) = (block for _, block, _ in inputs)
    return grow(plan, constants, y[: plan.nq], w[: plan.nv]), y, w, effort, t, symbols, inputs


def _trace(elimination: Elimination, efforts: str, joints: str, plan: Plan, numbers: Numbers) -> Composed:
    fresh = Trace()
    tree, y, w, effort, t, symbols, inputs = _traced_tree(plan, numbers, fresh)
    applied = applied_loads(tree, t, y, w).applied
    margins = iter(elimination.margins)
    built = _build(tree, y, w, effort, applied, elimination.axes, lambda x: next(margins), efforts, elimination.hub)
    system = built.system
    for place, key in built.rows.items():
        if place not in elimination.rows:
            _drop(system, key)
    for step in elimination.steps:
        if step[0] == "substitute":
            system.substitute(step[1])
        elif step[0] == "settle":
            system.settle(step[1])
        elif step[0] == "ignore":
            system.ignore(*step[1:])
        elif len(step) == 2:
            system.eliminate(step[1])
        else:
            system.eliminate_pair(*step[1:])
    a = _joint_accelerations(system, elimination.hub)
    if joints == "all":
        a += _of_cuts(tree, built, a)
    health: Any = 0.0
    for inverse, usual in zip(_watched(system), elimination.usual, strict=False):
        part = inverse * (1.0 / usual)
        health = health + part * part
    outputs = [("a", a, (len(a),)), ("health", [health], ())]
    return compose(function_name("closed_forward_dynamics"), inputs, symbols, outputs)


def _joint_accelerations(system: AccelerationSystem, hub: int) -> list[Any]:
    """Accelerations of the tree's rates; those of the hub's joint from the links on both sides of it."""
    x, tree = system.solution(), system.tree
    a = [x.get(("q", k), 0.0) for k in range(tree.nv)]
    if hub >= 0:
        link = tree.links[hub]
        acceleration = _accelerations(tree, a)
        angular, linear = acceleration(link.parent)
        linear = apply_t(link.R, add(linear, cross(angular, link.p)))
        own = [x["a", hub, c] for c in range(6)]
        left = [p - q for p, q in zip(own, [*apply_t(link.R, angular), *linear], strict=True)]
        S = [(*link.Sw[j], *link.lever(j)) for j in range(len(link.dofs))]
        right = [sum((s * e for s, e in zip(column, left, strict=True)), 0.0) for column in S]
        for k, value in zip(link.dofs, gram_solve(S, right), strict=True):
            a[k] = value
    return a


def _of_cuts(tree: Tree, built: _Built, a: Sequence[Any]) -> list[Any]:
    """Derivatives of the rates of cut joints: Sᵀ S u' = Sᵀ (rows · accelerations + γ)."""
    acceleration = _accelerations(tree, a)
    result: list[Any] = []
    for found in built.cuts:
        cut = found.cut
        sides = [acceleration(cut.head), acceleration(cut.tail)]
        mismatch = []
        for row in found.rows:
            total = row.gamma
            for (angular, linear), (n, f) in zip(sides, (row.head, row.tail), strict=True):
                total = total + dot(n, angular) + dot(f, linear)
            mismatch.append(total)
        right = [sum((s * m for s, m in zip(column, mismatch, strict=True)), 0.0) for column in found.S]
        result += gram_solve(found.S, right)
    return result


def _accelerations(tree: Tree, a: Sequence[Any]) -> Callable[[int], tuple[Vector, Vector]]:
    """Angular and linear acceleration of links, less what they have at zero joint accelerations."""
    known: dict[int, tuple[Vector, Vector]] = {-1: (_NO, _NO)}

    def acceleration(i: int) -> tuple[Vector, Vector]:
        if i not in known:
            link = tree.links[i]
            angular, linear = acceleration(link.parent)
            linear = apply_t(link.R, add(linear, cross(angular, link.p)))
            angular = apply_t(link.R, angular)
            for j, k in enumerate(link.dofs):
                angular = add(angular, scale(a[k], link.Sw[j]))
                linear = add(linear, scale(a[k], link.lever(j)))
            known[i] = (angular, linear)
        return known[i]

    return acceleration
