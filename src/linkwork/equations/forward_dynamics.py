"""Forward dynamics: the accelerations that given joint forces cause.

Two ways to the same answer. `by_composite_bodies` solves M a = τ - bias by a factorisation that keeps the branches of
the tree apart (M = Lᵀ D L, Featherstone 2008, sec. 6.5): shortest for up to about a dozen freedoms in a row.
`by_articulated_bodies` costs the same for each link however long the chain:

    inward     A = own inertia + what its children hand over, b likewise
               for each freedom S of the joint:  U = A S, d = S·U, u = τ - S·b,  A -= U Uᵀ/d,  b += U u/d
               to the parent: A and b + A c, where c is the acceleration at zero joint acceleration
    outward    a = X a_parent + c;  for each freedom (backwards): v' = (u - U·a)/d, a += S v'

A joint of several freedoms is a chain of single ones without mass in between, so each pivot is a scalar. Coordinates of
bodies move several links at once; then `by_articulated_bodies` goes the first way.
Featherstone 2008, sec. 7.3, in the classical accelerations of `inverse_dynamics`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.equations.inverse_dynamics import NOTHING_APPLIED, Applied, inverse_dynamics, swirl, turning
from linkwork.equations.mass_matrix import mass_matrix
from linkwork.equations.tree import Link, Tree, Weightless
from linkwork.equations.vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    apply_t,
    congruence,
    cross,
    dot,
    multiply,
    neg,
    plus,
    scale,
    skew,
    sub,
    symmetric,
    transpose,
)


def by_composite_bodies(tree: Tree, v: Sequence[Any], tau: Sequence[Any], applied: Applied | None = None) -> list[Any]:
    """Accelerations from the mass matrix and its branch-preserving factorisation."""
    n = tree.nv
    bias = inverse_dynamics(tree, v, [0.0] * n, applied).tau
    factor = factorise(tree, applied.rotors if applied is not None else {})
    return factor.solve([tau[k] - bias[k] for k in range(n)])


@dataclass(frozen=True)
class Factor:
    """M = Lᵀ D L with unit L; `before` is the next freedom towards the root, rows outermost first."""

    order: list[int]
    before: dict[int, int]
    L: dict[tuple[int, int], Any]
    inverse_pivots: dict[int, Any]

    def solve(self, right: Sequence[Any]) -> list[Any]:
        """x with M x = right."""
        x = list(right)
        for k in self.order:
            for j in self._inside(k):
                x[j] = x[j] - self.L[k, j] * x[k]
        for k in reversed(self.order):
            x[k] = x[k] * self.inverse_pivots[k]
            for j in self._inside(k):
                x[k] = x[k] - self.L[k, j] * x[j]
        return x

    def _inside(self, k: int) -> list[int]:
        inside = []
        while (k := self.before.get(k, -1)) >= 0:
            inside.append(k)
        return inside


def factorise(tree: Tree, rotors: Mapping[int, Any] | None = None) -> Factor:
    """Lᵀ D L of the mass matrix, freedoms eliminated from the tips inward: no new entries appear.

    rotors : inertias on single rates
    """
    before: dict[int, int] = {}
    outermost: dict[int, int] = {-1: -1}
    order: list[int] = []
    for i, link in enumerate(tree.links):
        last = outermost[link.parent]
        for k in link.dofs if link.chain is None else link.chain.rates:
            before[k] = last
            last = k
            order.append(k)
        outermost[i] = last
    order.reverse()
    H = dict(mass_matrix(tree))
    for k in range(tree.nv):
        H[k, k] = H[k, k] + (rotors or {}).get(k, 0.0)
    L: dict[tuple[int, int], Any] = {}
    inverse_pivots: dict[int, Any] = {}
    factor = Factor(order, before, L, inverse_pivots)
    for k in order:
        inverse_pivots[k] = reciprocal(H[k, k], tree, k)
        inside = factor._inside(k)
        for j in inside:
            L[k, j] = H[j, k] * inverse_pivots[k]
        for a, i in enumerate(inside):
            for j in inside[a:]:
                H[j, i] = H[j, i] - L[k, i] * H[j, k]
    return factor


def reciprocal(pivot: Any, tree: Tree, dof: int) -> Any:
    """1 / pivot; a pivot that is structurally zero means that nothing resists this freedom."""
    if isinstance(pivot, float) and pivot == 0.0:
        rate = tree.plan.rates[dof]
        text = f"no mass resists '{rate}', so its acceleration is not determined"
        raise Weightless(text, rate, "give the bodies that it moves a mass or an inertia, or lock the joint")
    return 1.0 / pivot


@dataclass(frozen=True)
class Articulated:
    """A symmetric 6 x 6 inertia about a link's origin, along its axes: n = A α + B a, f = Bᵀ α + C a; and the moment
    and force (n, f) at zero acceleration."""

    A: Matrix
    B: Matrix
    C: Matrix
    n: Vector
    f: Vector


@dataclass(frozen=True)
class _Pivot:
    """One eliminated freedom: direction (w, s), U = (Ua, Ub), 1/d and u."""

    w: Vector
    s: Vector
    Ua: Vector
    Ub: Vector
    inverse: Any
    u: Any


def by_articulated_bodies(
    tree: Tree, v: Sequence[Any], tau: Sequence[Any], applied: Applied | None = None
) -> list[Any]:
    """Accelerations from articulated-body inertias: work proportional to the number of links."""
    if any(link.chain is not None for link in tree.links):
        return by_composite_bodies(tree, v, tau, applied)
    acting = NOTHING_APPLIED if applied is None else applied
    w: list[Vector] = []
    extra: list[tuple[Vector, Vector]] = []
    bodies: list[Articulated] = []
    for link in tree.links:
        w_p = w[link.parent] if link.parent >= 0 else ZERO
        spin, slide = link.spin(v), link.slide(v)
        carried = apply_t(link.R, w_p)
        w_c = add(carried, spin)
        along = add(apply(turning(w_p, ZERO), link.p), add(scale(2.0, cross(w_p, slide)), link.dp))
        extra.append((add(cross(carried, spin), link.dw), apply_t(link.R, along)))
        w.append(w_c)
        own, i = _own(link, w_c), len(bodies)
        n, f = sub(own.n, acting.moments.get(i, ZERO)), sub(own.f, acting.forces.get(i, ZERO))
        bodies.append(Articulated(own.A, own.B, own.C, n, f))
    pivots: list[list[_Pivot]] = [[] for _ in tree.links]
    for i in reversed(range(len(tree.links))):
        link, body = tree.links[i], bodies[i]
        for k in reversed(range(len(link.dofs))):
            dof = link.dofs[k]
            push, rotor = tau[dof] + acting.along.get(dof, 0.0), acting.rotors.get(dof, 0.0)
            pivot, body = _eliminate(body, link.Sw[k], link.lever(k), push, rotor, tree, dof)
            pivots[i].append(pivot)
        if link.parent >= 0:
            bodies[link.parent] = _sum(bodies[link.parent], _handed_over(body, link, *extra[i]))
    a: list[Any] = [0.0] * tree.nv
    reached: list[tuple[Vector, Vector]] = []
    for i, link in enumerate(tree.links):
        alpha_p, a_p = reached[link.parent] if link.parent >= 0 else (ZERO, neg(tree.gravity))
        alpha = add(apply_t(link.R, alpha_p), extra[i][0])
        acc = add(apply_t(link.R, add(a_p, cross(alpha_p, link.p))), extra[i][1])
        for dof, p in zip(link.dofs, reversed(pivots[i]), strict=True):
            a[dof] = (p.u - (dot(p.Ua, alpha) + dot(p.Ub, acc))) * p.inverse
            alpha = add(alpha, scale(a[dof], p.w))
            acc = add(acc, scale(a[dof], p.s))
        reached.append((alpha, acc))
    return a


def _own(link: Link, w: Vector) -> Articulated:
    own = link.moments
    U = turning(w, ZERO)
    C: Matrix = tuple(scale(own.m, row) for row in IDENTITY)  # type: ignore[assignment]
    return Articulated(own.inertia(), skew(own.h), C, swirl(U, own.J), apply(U, own.h))


def _eliminate(
    body: Articulated, w: Vector, s: Vector, tau: Any, rotor: Any, tree: Tree, dof: int
) -> tuple[_Pivot, Articulated]:
    """Let one freedom (w, s) move freely under its force: A -= U Uᵀ/d, b += U u/d."""
    Ua = add(apply(body.A, w), apply(body.B, s))
    Ub = add(apply_t(body.B, w), apply(body.C, s))
    inverse = reciprocal(dot(w, Ua) + dot(s, Ub) + rotor, tree, dof)
    u = tau - (dot(w, body.n) + dot(s, body.f))
    Ka, Kb, rest = scale(inverse, Ua), scale(inverse, Ub), u * inverse
    A = symmetric(lambda i, j: body.A[i][j] - Ka[i] * Ua[j])
    B: Matrix = tuple(sub(row, scale(Ka[i], Ub)) for i, row in enumerate(body.B))  # type: ignore[assignment]
    C = symmetric(lambda i, j: body.C[i][j] - Kb[i] * Ub[j])
    left = Articulated(A, B, C, add(body.n, scale(rest, Ua)), add(body.f, scale(rest, Ub)))
    return _Pivot(w, s, Ua, Ub, inverse, u), left


def _handed_over(body: Articulated, link: Link, c_w: Vector, c_s: Vector) -> Articulated:
    """Inertia and force of a child in the frame of its parent: rotate, then shift by p.

    B' = B + [p]× C,   A' = A + [p]× Bᵀ + ([p]× Bᵀ)ᵀ + [p]× C [p]×ᵀ
    """
    n = add(body.n, add(apply(body.A, c_w), apply(body.B, c_s)))
    f = add(body.f, add(apply_t(body.B, c_w), apply(body.C, c_s)))
    R, P = link.R, skew(link.p)
    A, C = congruence(R, body.A), congruence(R, body.C)
    B = multiply(multiply(R, body.B), transpose(R))
    PB, PC = multiply(P, transpose(B)), multiply(P, C)
    PCP = multiply(PC, transpose(P))
    Rf = apply(R, f)
    return Articulated(
        symmetric(lambda i, j: A[i][j] + (PB[i][j] + PB[j][i]) + PCP[i][j]),
        plus(B, PC),
        C,
        add(apply(R, n), cross(link.p, Rf)),
        Rf,
    )


def _sum(a: Articulated, b: Articulated) -> Articulated:
    return Articulated(plus(a.A, b.A), plus(a.B, b.B), plus(a.C, b.C), add(a.n, b.n), add(a.f, b.f))
