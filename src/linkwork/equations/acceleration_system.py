"""One sparse symmetric system for the accelerations of a machine with loops, and the two operations that solve it.

Unknowns are joint accelerations ("q", k), multipliers of constraint rows ("l", r), derivatives of rates of cut joints
that have an inertia of their own ("u", k), and accelerations ("a", link, component) of links that have not been
substituted yet. Two operations, in any safe order:

    substitute   a link's acceleration by that of its parent and its joint's:  a = X a_parent + S q''
    eliminate    a scalar pivot, or a pair of unknowns that hold each other

The order is the algorithm. All substitutions first and then the cheapest safe pivot is a sparse L D Lᵀ of the equations
of motion with multipliers; substituting and eliminating link by link is the articulated-body method with loops. Mass
moments stay (m, h, J) until their link is substituted, so that they move as in the composite-body method. Coordinates
of bodies are among the joint accelerations; they are there for all links that they move.
Featherstone 2008, ch. 6-8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.equations.cells import Fixed, plain
from linkwork.equations.inner_matter import Matter
from linkwork.equations.loop_rows import Wrench
from linkwork.equations.plan import NO_MASS, Moments, Pose
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    apply_t,
    cross,
    dot,
    is_zero,
    neg,
    scale,
    skew,
)

Key = tuple[str, int] | tuple[str, int, int]
SIX = range(6)


class AccelerationSystem:
    """A x = b with b the forces at zero acceleration. Entries that are structurally zero are not there."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.A: dict[Key, dict[Key, Any]] = {}
        self.b: dict[Key, Any] = {}
        self.own: dict[int, Moments] = {i: link.moments for i, link in enumerate(tree.links)}
        self.terms: dict[Key, list[Any]] = {}
        """What a multiplier's pivot is made of: where it is smaller than they are, it has lost digits."""
        self.released: set[int] = set()
        self._waiting: dict[int, Moments] = {}
        self._log: list[_Eliminated] = []

    # ---------------------------------------------------------------- entries

    def add(self, x: Key, y: Key, value: Any) -> None:
        """Add to A[x, y] and A[y, x]."""
        if is_zero(value):
            return
        row, column = self.A.setdefault(x, {}), self.A.setdefault(y, {})
        total = row.get(y, 0.0) + value
        if is_zero(total):
            row.pop(y, None)
            column.pop(x, None)
        else:
            row[y] = column[x] = total

    def ignore(self, x: Key, y: Key) -> None:
        """Take A[x, y] and A[y, x] for zero."""
        self.A[x].pop(y, None)
        self.A[y].pop(x, None)

    def drop(self, x: Key) -> None:
        """Take an unknown and its equation out."""
        for y in self.A.pop(x, {}):
            self.A[y].pop(x, None)
        self.b.pop(x, None)

    def push(self, x: Key, value: Any) -> None:
        """Add to b[x]."""
        if not is_zero(value):
            self.b[x] = self.b.get(x, 0.0) + value

    def couple(self, x: Key, link: int, wrench: Wrench) -> None:
        """Add the coefficients of a link's acceleration to the equation of x, and the wrench to that of the link."""
        if link >= 0:
            for c, value in enumerate((*wrench[0], *wrench[1])):
                self.add(x, ("a", link, c), value)

    def fill(self, link: int, matter: Matter) -> None:
        """Add what the matter of a body does that moves within it: its inertia along the body's own rates."""
        for k, dof in enumerate(matter.dofs):
            self.couple(("q", dof), link, matter.column(k))
            for j, other in enumerate(matter.dofs[: k + 1]):
                self.add(("q", other), ("q", dof), matter.mass(k, j))

    def load(self, link: int, n: Vector, f: Vector) -> None:
        """Add a moment and a force on a link."""
        for c, value in enumerate((*n, *f)):
            self.push(("a", link, c), value)

    # ---------------------------------------------------------------- substitute

    def substitute(self, i: int) -> None:
        """Write link i's acceleration as a = X a_parent + S q''."""
        if self.tree.cells is plain:
            self.substitute_plainly(i)
            return
        link, own, parent = self.tree.links[i], self.own.pop(i), self.tree.links[i].parent
        keys: list[Key] = [("a", i, c) for c in SIX]
        inner: list[Key] = [*keys, *(("q", k) for k in link.dofs)]
        inner += [("a", parent, c) for c in SIX] if parent >= 0 else []
        known = set(inner)
        apart = sorted({y for x in keys for y in self.A.get(x, ()) if y not in known})
        kept = self._waiting if parent in self.released else self.own
        part = self._part(inner, apart)
        labels = [*(("a", 1, c) for c in SIX), *(("q", j) for j in range(len(link.dofs)))]
        labels += [("a", 0, c) for c in SIX] if parent >= 0 else []
        fixed = Fixed((tuple(labels), *_labelled(apart, 2), part.pairs, min(parent, 0)))
        moments = own, kept[parent] if parent >= 0 else NO_MASS
        told = self.tree.cells(
            substituted, fixed, part.entries, part.right, Pose(link.R, link.p), link.Sw, link.Sp, moments
        )
        self._put([*inner, *apart], part, told, keys)
        if parent >= 0:
            kept[parent] = told[3]

    def substitute_plainly(self, i: int) -> None:
        """The same, written out."""
        link, own = self.tree.links[i], self.own.pop(i)
        parent, R, r = link.parent, link.R, link.p
        keys: list[Key] = [("a", i, c) for c in SIX]
        freedoms = [(("q", k), link.Sw[j], link.lever(j)) for j, k in enumerate(link.dofs)]

        def up(n: Vector, f: Vector) -> Wrench:
            Rf = apply(R, f)
            return add(apply(R, n), cross(r, Rf)), Rf

        G = [[self.A.get(x, {}).get(y, 0.0) for y in keys] for x in keys]
        general = any(not is_zero(x) for row in G for x in row)
        others: dict[Key, dict[Key, Any]] = {}
        for x in keys:
            for y, value in self.A.pop(x, {}).items():
                if y not in keys:
                    others.setdefault(y, {})[x] = value
                    self.A[y].pop(x, None)
        rigid = _has_mass(own)
        inertia = own.inertia()
        for j, (u, w, s) in enumerate(freedoms):
            n, f = ZERO, ZERO
            if rigid:
                n, f = add(apply(inertia, w), cross(own.h, s)), add(cross(w, own.h), scale(own.m, s))
            if general:
                F = [_dot6(row, (*w, *s)) for row in G]
                n, f = add(n, F[:3]), add(f, F[3:])
            for u2, w2, s2 in freedoms[j:]:
                self.add(u, u2, dot(n, w2) + dot(f, s2))
            self.couple(u, parent, up(n, f))
        for y, D in others.items():
            n, f = _halves(D, keys)
            for u, w, s in freedoms:
                part = dot(n, w) + dot(f, s)
                self.add(u, y, part if u != y else 2.0 * part)  # a rate of a body may move more than one link
            self.couple(y, parent, up(n, f))
        n, f = _halves(self.b, keys)
        for x in keys:
            self.b.pop(x, None)
        for u, w, s in freedoms:
            self.push(u, dot(n, w) + dot(f, s))
        if parent < 0:
            return
        self.load(parent, *up(n, f))
        if rigid:
            self._carry(parent, own.moved(Pose(R, r)))
        if general:
            half = [_six(up(tuple(G[c][d] for c in range(3)), tuple(G[c][d] for c in range(3, 6)))) for d in SIX]
            for c in SIX:
                column = tuple(half[d][c] for d in SIX)
                moved = _six(up(column[:3], column[3:]))
                for d in range(c, 6):
                    self.add(("a", parent, c), ("a", parent, d), moved[d])

    def release(self, i: int, rows: Sequence[Sequence[Any]], keys: Sequence[Key]) -> None:
        """Leave link i's acceleration unknown, and let constraints hold it at its joint instead.

        rows : combinations (six weights along the link's axes, angular first) that the joint does not move
        keys : of their multipliers

        A hub that many loops run through is then not hidden behind one of them.
        """
        link, own = self.tree.links[i], self.own.pop(i)
        for key, weights in zip(keys, rows, strict=True):
            n, f = tuple(weights[:3]), tuple(weights[3:])
            self.couple(key, i, (n, f))
            Rf = apply(link.R, f)
            tail = add(apply(link.R, n), cross(link.p, Rf)), Rf
            self.couple(key, link.parent, (neg(tail[0]), neg(tail[1])))
        self.released.add(i)
        self._waiting[i] = own

    def settle(self, i: int) -> None:
        """Write down the inertia of a released link, when all that it carries has been substituted."""
        own = self._waiting.pop(i)
        inertia, lever = own.inertia(), skew(own.h)
        for c in range(3):
            for d in range(c, 3):
                self.add(("a", i, c), ("a", i, d), inertia[c][d])
            self.add(("a", i, 3 + c), ("a", i, 3 + c), own.m)
            for d in range(3):
                self.add(("a", i, c), ("a", i, 3 + d), lever[c][d])

    def _carry(self, i: int, moments: Moments) -> None:
        kept = self._waiting if i in self.released else self.own
        kept[i] = kept[i] + moments

    # ---------------------------------------------------------------- eliminate

    def eliminate(self, u: Key) -> None:
        """Solve the equation of u for it, and put it into the others."""
        self._eliminate(u)

    def eliminate_pair(self, u: Key, v: Key) -> None:
        """Solve the equations of two unknowns for both: [[a, c], [c, d]] has an inverse though a or d may vanish."""
        self._eliminate(u, v)

    def _eliminate(self, *pivots: Key) -> None:
        if self.tree.cells is plain:
            self.eliminate_plainly(*pivots)
            return
        others = sorted({y for x in pivots for y in self.A[x]} - set(pivots))
        keys = [*pivots, *others]
        part = self._part(keys, [])
        labels, kinds = _labelled(keys, 0)
        fixed = Fixed((labels, kinds, part.pairs, len(pivots)))
        told = self.tree.cells(eliminated_unknowns, fixed, part.entries, part.right)
        self._put(keys, part, told, pivots)
        pairs, weighted, felt = told[3].value
        D, weights, given, terms = told[4:]
        by: dict[Key, dict[Key, Any]] = {y: {} for y in others}
        for (k, j), x in zip(weighted, weights, strict=True):
            by[keys[k]][keys[j]] = x
        for k, x in zip(felt, terms, strict=True):
            self.terms.setdefault(keys[k], []).append(x)
        self._log.append(
            _Eliminated(
                pivots,
                {(keys[k], keys[j]): x for (k, j), x in zip(pairs, D, strict=True)},
                by,
                dict(zip(pivots, given, strict=True)),
            )
        )

    def eliminate_plainly(self, u: Key, v: Key | None = None) -> None:
        """The same, written out."""
        if v is not None:
            self._eliminate_pair(u, v)
            return
        row = self.A.pop(u)
        inverse = 1.0 / row.pop(u)
        right = {y: {u: value} for y, value in row.items()}
        self._remove((u,), {(u, u): inverse}, right)

    def _eliminate_pair(self, u: Key, v: Key) -> None:
        first, second = self.A.pop(u), self.A.pop(v)
        a, d, c = first.pop(u, 0.0), second.pop(v, 0.0), first.pop(v)
        second.pop(u)
        if is_zero(a) or is_zero(d):
            inverse = 1.0 / c
            D = {(u, v): inverse, (u, u): -(d * inverse * inverse), (v, v): -(a * inverse * inverse)}
        else:
            inverse = 1.0 / (a * d - c * c)
            D = {(u, u): d * inverse, (v, v): a * inverse, (u, v): -(c * inverse)}
        right: dict[Key, dict[Key, Any]] = {}
        for x, row in ((u, first), (v, second)):
            for y, value in row.items():
                right.setdefault(y, {})[x] = value
        self._remove((u, v), D, right)

    def _remove(
        self, pivots: tuple[Key, ...], D: Mapping[tuple[Key, Key], Any], right: Mapping[Key, Mapping[Key, Any]]
    ) -> None:
        """Schur complement: A -= Cᵀ D C, b -= Cᵀ D b, where C are the pivots' rows."""
        weights: dict[Key, dict[Key, Any]] = {}
        for y, own in right.items():
            for x in pivots:
                self.A[y].pop(x, None)
            weights[y] = {
                x: total
                for x in pivots
                if not is_zero(total := sum((_entry(D, x, z) * value for z, value in own.items()), 0.0))
            }
        others = list(right)
        for k, y in enumerate(others):
            for z in others[k:]:
                taken: Any = 0.0
                for x, weight in weights[y].items():
                    if x in right[z]:
                        taken = taken + weight * right[z][x]
                self.add(y, z, -taken)
                if y == z and y[0] == "l":
                    self.terms.setdefault(y, []).append(taken)
        given = {x: self.b.pop(x, 0.0) for x in pivots}
        for y in others:
            for x, weight in weights[y].items():
                self.push(y, -(weight * given[x]))
        self._log.append(_Eliminated(pivots, dict(D), weights, given))

    # ---------------------------------------------------------------- parts of it, for cells

    def _part(self, inner: Sequence[Key], apart: Sequence[Key]) -> _Part:
        """What the equations say of some unknowns, and of how others that stand apart are coupled to these."""
        place = {x: k for k, x in enumerate((*inner, *apart))}
        entries = {
            (k, place[y]): value
            for k, x in enumerate(inner)
            for y, value in self.A.get(x, {}).items()
            if place.get(y, -1) >= k
        }
        pairs = tuple(sorted(entries))
        return _Part(pairs, tuple(entries[at] for at in pairs), tuple(self.b.get(x, 0.0) for x in inner))

    def _put(self, keys: Sequence[Key], part: _Part, told: Any, gone: Sequence[Key]) -> None:
        """Write what a cell told in the place of that part."""
        A = self.A
        for k, j in part.pairs:
            A[keys[k]].pop(keys[j], None)
            A[keys[j]].pop(keys[k], None)
        for x in gone:
            A.pop(x, None)
            self.b.pop(x, None)
        for (k, j), value in zip(told[0].value[0], told[1], strict=True):
            x, y = keys[k], keys[j]
            A.setdefault(x, {})[y] = value
            A.setdefault(y, {})[x] = value
        for k, value in zip(told[0].value[1], told[2], strict=True):
            self.b[keys[k]] = value

    def told(self, keys: Sequence[Key]) -> tuple[Fixed, tuple[Any, ...], tuple[Any, ...]]:
        """All entries and right sides by the place of their keys."""
        place = {x: k for k, x in enumerate(keys)}
        entries = {(k, place[y]): value for x, k in place.items() for y, value in self.A.get(x, {}).items()}
        pairs = tuple(sorted(at for at in entries if at[0] <= at[1]))
        right = tuple(k for x, k in place.items() if x in self.b)
        return Fixed((pairs, right)), tuple(entries[at] for at in pairs), tuple(self.b[keys[k]] for k in right)

    @classmethod
    def local(
        cls, links: Sequence[Any], keys: Sequence[Key], pairs: Any, entries: Any, right: Any
    ) -> AccelerationSystem:
        """A system of some unknowns alone."""
        system = cls(_Local(tuple(links)))  # type: ignore[arg-type]
        for x in keys:
            system.A[x] = {}
        for (k, j), value in zip(pairs, entries, strict=True):
            system.A[keys[k]][keys[j]] = system.A[keys[j]][keys[k]] = value
        for x, value in zip(keys, right, strict=False):
            system.push(x, value)
        return system

    # ---------------------------------------------------------------- solution

    def solution(self) -> dict[Key, Any]:
        """All unknowns, last eliminated first."""
        x: dict[Key, Any] = {}
        acceleration = _LinkAccelerations(self, x)

        def value(y: Key) -> Any:
            if len(y) == 3 and y[1] not in self.released:
                return _six(acceleration(y[1]))[y[2]]
            return x[y]

        for step in reversed(self._log):
            for p in step.pivots:
                pushed = tuple((_entry(step.D, p, z), given) for z, given in step.given.items())
                felt = tuple((weights[p], value(y)) for y, weights in step.weights.items() if p in weights)
                x[p] = self.tree.cells(_put_back, pushed, felt)
        return x

    @property
    def inverses(self) -> list[tuple[tuple[Key, ...], Any]]:
        """By elimination, the pivot's keys and its inverse."""
        return [(step.pivots, step.D.get((step.pivots[0], step.pivots[-1]), 0.0)) for step in self._log]


class _LinkAccelerations:
    """(angular, linear) of links, by the unknowns that are known; needed where one was substituted after a pivot."""

    def __init__(self, system: AccelerationSystem, x: Mapping[Key, Any]) -> None:
        self._system, self._x = system, x
        self._reached: dict[int, tuple[Vector, Vector]] = {-1: (ZERO, ZERO)}

    def __call__(self, i: int) -> tuple[Vector, Vector]:
        found = self._reached.get(i)
        if found is None:
            tree, x = self._system.tree, self._x
            if i in self._system.released:
                own = [x["a", i, c] for c in SIX]
                found = (own[0], own[1], own[2]), (own[3], own[4], own[5])
            else:
                link = tree.links[i]
                values = tuple(x["q", k] for k in link.dofs)
                found = tree.cells(carried_on, self(link.parent), Pose(link.R, link.p), link.Sw, link.Sp, values)
            self._reached[i] = found
        return found


@dataclass(frozen=True)
class _Part:
    """Entries of A by the places of two keys, and right sides."""

    pairs: tuple[tuple[int, int], ...]
    entries: tuple[Any, ...]
    right: tuple[Any, ...]


@dataclass(frozen=True)
class _LocalLink:
    """What a substitution asks of a link."""

    R: Matrix
    p: Vector
    Sw: tuple[Vector, ...]
    Sp: tuple[Vector, ...]
    dofs: range
    parent: int
    moments: Moments

    def lever(self, k: int) -> Vector:
        """Linear part of the k-th freedom along the link's own axes."""
        return apply_t(self.R, self.Sp[k])


@dataclass(frozen=True)
class _Local:
    """A link and its parent."""

    links: tuple[Any, ...]
    cells: Callable[..., Any] = plain


def _labelled(keys: Sequence[Key], first: int) -> tuple[tuple[Key, ...], tuple[str, ...]]:
    """Keys by their order alone, links among them counted from `first`; and their kinds."""
    links = {i: first + k for k, i in enumerate(sorted({x[1] for x in keys if len(x) == 3}))}
    own = tuple(("a", links[x[1]], x[2]) if len(x) == 3 else (x[0], 100 + k) for k, x in enumerate(keys))
    return own, tuple(x[0] for x in keys)


def substituted(
    fixed: Fixed, entries: Any, right: Any, X: Pose, Sw: Any, Sp: Any, moments: tuple[Moments, Moments]
) -> tuple[Any, ...]:
    """A link substituted in the part of a system that it touches; the moments of its parent come last."""
    labels, apart, _, pairs, parent = fixed.value
    keys = [*labels, *apart]
    link = _LocalLink(X.R, X.p, Sw, Sp, range(len(Sw)), 0 if parent >= 0 else -1, moments[0])
    above = _LocalLink(IDENTITY, ZERO, (), (), range(0), -1, moments[1])
    system = AccelerationSystem.local((above, link), keys, pairs, entries, right)
    system.substitute_plainly(1)
    return *system.told(keys), system.own[0]


def eliminated_unknowns(fixed: Fixed, entries: Any, right: Any) -> tuple[Any, ...]:
    """Pivots eliminated in the part of a system that they touch, and what is needed to solve for them."""
    keys, _, pairs, count = fixed.value
    place = {x: k for k, x in enumerate(keys)}
    system = AccelerationSystem.local((), keys, pairs, entries, right)
    system.eliminate_plainly(*keys[:count])
    step = system._log[0]
    weights = {(place[y], place[x]): value for y, own in step.weights.items() for x, value in own.items()}
    terms = {place[y]: value for y, own in system.terms.items() for value in own}
    about = Fixed((tuple((place[x], place[y]) for x, y in step.D), tuple(weights), tuple(terms)))
    last = tuple(step.D.values()), tuple(weights.values()), tuple(step.given[x] for x in keys[:count])
    return *system.told(keys), about, *last, tuple(terms.values())


def carried_on(before: Wrench, X: Pose, Sw: Any, Sp: Any, values: Any) -> Wrench:
    """Acceleration of a link (angular, linear) from its parent's and those of its joint."""
    angular, linear = before
    linear, angular = apply_t(X.R, add(linear, cross(angular, X.p))), apply_t(X.R, angular)
    for w, s, value in zip(Sw, Sp, values, strict=True):
        angular, linear = add(angular, scale(value, w)), add(linear, scale(value, apply_t(X.R, s)))
    return angular, linear


def _put_back(pushed: Any, felt: Any) -> Any:
    """A pivot's unknown: Σ D b - Σ weight value."""
    total: Any = 0.0
    for inverse, given in pushed:
        total = total + inverse * given
    for weight, value in felt:
        total = total - weight * value
    return total


class _Eliminated:
    """A pivot that is gone: its inverse D, the weights of the unknowns it was coupled to, its right side."""

    __slots__ = ("D", "given", "pivots", "weights")

    def __init__(
        self,
        pivots: tuple[Key, ...],
        D: Mapping[tuple[Key, Key], Any],
        weights: Mapping[Key, Mapping[Key, Any]],
        given: Mapping[Key, Any],
    ) -> None:
        self.pivots, self.D, self.weights, self.given = pivots, D, weights, given


def _entry(D: Mapping[tuple[Key, Key], Any], x: Key, y: Key) -> Any:
    return D.get((x, y), D.get((y, x), 0.0))


def _halves(D: Mapping[Key, Any], keys: Sequence[Key]) -> tuple[Vector, Vector]:
    n1, n2, n3, f1, f2, f3 = (D.get(x, 0.0) for x in keys)
    return (n1, n2, n3), (f1, f2, f3)


def _six(wrench: Wrench) -> tuple[Any, ...]:
    return (*wrench[0], *wrench[1])


def _dot6(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)


def _has_mass(own: Moments) -> bool:
    if own is NO_MASS:
        return False
    parts = (own.m, *own.h, *(x for row in own.J for x in row))
    return not all(is_zero(x) for x in parts)
