"""Exact derivatives of inverse and forward dynamics by recursion, for trees of simple joints.

In the axes of link j, the force F of everything it carries depends on q_j and v_j only through the link's own motion
(w, w', a); the rest of its motion is relative. A small change of that motion, with ε = δw' + w × δw, changes F by

    δf = m δa + ε × h + 2 δw × P
    δn = h × δa + I ε + 2 (tr(G) 1 - G) δw          P = ∫ r' dm,  G = ∫ r' rᵀ dm

where r' is the velocity of the carried masses relative to the link's origin, along axes at rest. All moments add up
from the tips inward. The changes themselves: with w°, w'° the parent's angular motion in the link's axes,

    by q (direction S = (s, σ)):  δw = w° × σ,  δw' = w'° × σ + δw × spin,  δa = a × σ + U° s
    by v:                         δw = σ,       δw' = w° × σ,               δa = 2 w° × s
    by a:                         δw = 0,       δw' = σ,                    δa = s

A column is handed inward like any force, with S ×* F added for q, because the force turns with the link. Rows of
freedoms further out come from the transposed law: the numbers (α, β, γ) with δτ = α·δa + β·ε + γ·δw are handed inward
by α' = R α, β' = R β + p × α', γ' = R γ + 2 (w × p + p') × α'.

Forward dynamics follows by the implicit rule: ∂a/∂x = -M⁻¹ ∂τ/∂x, ∂a/∂τ = M⁻¹.
The same structure in spatial algebra: Singh, Russo, Wensing 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.equations.forward_dynamics import Factor
from linkwork.equations.inverse_dynamics import swirl, turning
from linkwork.equations.plan import Moments, Pose
from linkwork.equations.tree import Link, Tree
from linkwork.equations.vectors import (
    NOTHING,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    apply_t,
    combination,
    cross,
    dot,
    multiply,
    neg,
    outer,
    plus,
    scale,
    skew,
    sub,
    transpose,
)

Entries = dict[tuple[int, int], Any]


@dataclass(frozen=True)
class Derivatives:
    """Nonzero entries (row, column) of ∂τ/∂q (along the rates), ∂τ/∂v and M = ∂τ/∂a (upper triangle as traced)."""

    by_q: Entries
    by_v: Entries
    M: Entries


@dataclass(frozen=True)
class _Motion:
    """Motion of a link in its own axes; `carried` ones are the parent's, before the joint adds its own."""

    w: Vector
    wd: Vector
    a: Vector
    w_carried: Vector
    U_carried: Matrix
    wd_carried: Vector
    spin: Vector
    rho: Vector  # velocity of the origin relative to the parent's origin, parent's axes


@dataclass(frozen=True)
class _Carried:
    """What a link carries, about its origin: mass moments, their velocities, and the force on all of it."""

    moments: Moments
    P: Vector
    G: Matrix
    f: Vector
    n: Vector


@dataclass(frozen=True)
class _Change:
    """A small change of a link's motion: δw, ε = δw' + w × δw, δa."""

    w: Vector
    e: Vector
    a: Vector


def inverse_dynamics_derivatives(tree: Tree, v: Sequence[Any], a: Sequence[Any]) -> Derivatives:
    """Derivatives of inverse dynamics; `tree` must come from `grow_elementary`."""
    motions = _motions(tree, v, a)
    carried = _gathered(tree, motions)
    changes_q = [
        [_by_q(link, m, k) for k in range(len(link.dofs))] for link, m in zip(tree.links, motions, strict=True)
    ]
    changes_v = [
        [_by_v(link, m, k) for k in range(len(link.dofs))] for link, m in zip(tree.links, motions, strict=True)
    ]
    by_q: Entries = {}
    by_v: Entries = {}
    M: Entries = {}
    for i, link in enumerate(tree.links):
        own = carried[i]
        inertia = own.moments.inertia()
        for k, dof in enumerate(link.dofs):
            s, sigma = link.lever(k), link.Sw[k]
            # Forces of a unit change of the motion of this freedom, and their transposes (α, β, γ).
            alpha = add(scale(own.moments.m, s), cross(sigma, own.moments.h))
            beta = add(cross(own.moments.h, s), apply(inertia, sigma))
            trace = own.G[0][0] + own.G[1][1] + own.G[2][2]
            gamma = scale(2.0, add(cross(own.P, s), sub(scale(trace, sigma), apply_t(own.G, sigma))))
            fq, nq = _force(own, inertia, changes_q[i][k])
            fv, nv = _force(own, inertia, changes_v[i][k])
            for o, other in enumerate(link.dofs):
                S, L = link.Sw[o], link.lever(o)
                by_q[other, dof] = dot(S, nq) + dot(L, fq)
                by_v[other, dof] = dot(S, nv) + dot(L, fv)
                if o <= k:
                    M[other, dof] = dot(S, beta) + dot(L, alpha)
            # Handed inward, the force on the link turns and shifts with it.
            fq = add(fq, cross(sigma, own.f))
            nq = add(nq, add(cross(sigma, own.n), cross(s, own.f)))
            inner, motion = link, motions[i]
            while inner.parent >= 0:
                R, p = inner.R, inner.p
                alpha, fq, fv = apply(R, alpha), apply(R, fq), apply(R, fv)
                beta = add(apply(R, beta), cross(p, alpha))
                gamma = add(apply(R, gamma), cross(scale(2.0, motion.rho), alpha))
                nq, nv = add(apply(R, nq), cross(p, fq)), add(apply(R, nv), cross(p, fv))
                j = inner.parent
                inner, motion = tree.links[j], motions[j]
                for o, other in enumerate(inner.dofs):
                    S, L = inner.Sw[o], inner.lever(o)
                    by_q[other, dof] = dot(S, nq) + dot(L, fq)
                    by_v[other, dof] = dot(S, nv) + dot(L, fv)
                    M[other, dof] = dot(S, beta) + dot(L, alpha)
                    by_q[dof, other] = _row(alpha, beta, gamma, changes_q[j][o])
                    by_v[dof, other] = _row(alpha, beta, gamma, changes_v[j][o])
    return Derivatives(by_q, by_v, M)


def _row(alpha: Vector, beta: Vector, gamma: Vector, change: _Change) -> Any:
    return dot(alpha, change.a) + dot(beta, change.e) + dot(gamma, change.w)


def _motions(tree: Tree, v: Sequence[Any], a: Sequence[Any]) -> list[_Motion]:
    """The outward recursion of `inverse_dynamics`, with the parts that derivatives need."""
    found: list[_Motion] = []
    for link in tree.links:
        if link.parent >= 0:
            before = found[link.parent]
            w_p, wd_p, a_p = before.w, before.wd, before.a
        else:
            w_p, wd_p, a_p = ZERO, ZERO, neg(tree.gravity)
        spin, slide = link.spin(v), link.slide(v)
        own_a = link.own_rates(a)
        w_c, wd_c = apply_t(link.R, w_p), apply_t(link.R, wd_p)
        wd = add(add(wd_c, cross(w_c, spin)), combination(link.Sw, own_a))
        U_p = turning(w_p, wd_p)
        relative = add(scale(2.0, cross(w_p, slide)), combination(link.Sp, own_a))
        acc = apply_t(link.R, add(add(a_p, apply(U_p, link.p)), relative))
        slides = any(x != ZERO for x in link.Sp)
        U_c = turning(w_c, wd_c) if slides else NOTHING
        rho = add(cross(w_p, link.p), slide)
        found.append(_Motion(add(w_c, spin), wd, acc, w_c, U_c, wd_c, spin, rho))
    return found


def _gathered(tree: Tree, motions: Sequence[_Motion]) -> list[_Carried]:
    """Moments, their velocities and forces, gathered from the tips inward."""
    found: list[_Carried] = []
    for link, motion in zip(tree.links, motions, strict=True):
        own, U = link.moments, turning(motion.w, motion.wd)
        G = multiply(skew(motion.w), own.J)
        f = add(scale(own.m, motion.a), apply(U, own.h))
        found.append(_Carried(own, cross(motion.w, own.h), G, f, add(cross(own.h, motion.a), swirl(U, own.J))))
    for i in reversed(range(len(tree.links))):
        link, c = tree.links[i], found[i]
        if link.parent < 0:
            continue
        R, p, b = link.R, link.p, found[link.parent]
        h, Rf = apply(R, c.moments.h), apply(R, c.f)
        rho = motions[i].rho
        # Velocities relative to the parent's origin: those relative to the link's origin plus rho.
        P = add(apply(R, c.P), scale(c.moments.m, rho))
        G = plus(multiply(multiply(R, c.G), transpose(R)), plus(outer(rho, h), outer(P, p)))
        found[link.parent] = _Carried(
            b.moments + c.moments.moved(Pose(R, p)),
            add(b.P, P),
            plus(b.G, G),
            add(b.f, Rf),
            add(b.n, add(apply(R, c.n), cross(p, Rf))),
        )
    return found


def _by_q(link: Link, m: _Motion, k: int) -> _Change:
    sigma, s = link.Sw[k], link.lever(k)
    dw = cross(m.w_carried, sigma)
    dwd = add(cross(m.wd_carried, sigma), cross(dw, m.spin))
    da = add(cross(m.a, sigma), apply(m.U_carried, s))
    return _Change(dw, add(dwd, cross(m.w, dw)), da)


def _by_v(link: Link, m: _Motion, k: int) -> _Change:
    sigma, s = link.Sw[k], link.lever(k)
    return _Change(sigma, add(cross(m.w_carried, sigma), cross(m.w, sigma)), scale(2.0, cross(m.w_carried, s)))


def _force(own: _Carried, inertia: Matrix, change: _Change) -> tuple[Vector, Vector]:
    """Force and moment of a change of motion."""
    f = add(add(scale(own.moments.m, change.a), cross(change.e, own.moments.h)), scale(2.0, cross(change.w, own.P)))
    trace = own.G[0][0] + own.G[1][1] + own.G[2][2]
    turned = sub(scale(trace, change.w), apply(own.G, change.w))
    n = add(add(cross(own.moments.h, change.a), apply(inertia, change.e)), scale(2.0, turned))
    return f, n


def solve_columns(factor: Factor, entries: Entries, n: int) -> list[list[Any]]:
    """-M⁻¹ D, column by column, as rows of the result."""
    columns = [factor.solve([-entries.get((i, j), 0.0) for i in range(n)]) for j in range(n)]
    return [[columns[j][i] for j in range(n)] for i in range(n)]
