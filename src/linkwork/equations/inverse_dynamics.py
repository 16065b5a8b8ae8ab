"""Inverse dynamics: the joint forces that a motion takes (recursive Newton-Euler).

Outward, each link's angular velocity w, angular acceleration, and the acceleration of its origin, in its own axes:

    w_c = Rᵀ w + Sw v                      w'_c = Rᵀ w' + (Rᵀ w) × (Sw v) + Sw a + dw
    a_c = Rᵀ (a + U p + 2 w × p' + p'')    U = [w']× + [w]×²

Gravity enters as an upward acceleration of the world. Inward, forces f and moments n about each link's origin:

    f = m a + U h + Σ R f_child            n = h × a + (U J)ˇ + Σ (R n_child + p × R f_child)
    τ = Sw · n + Sp · (R f)

with (B)ˇ = (B_zy - B_yz, B_xz - B_zx, B_yx - B_xy). Luh, Walker, Paul 1980; U and the pseudo-inertia J as Khalil and
Kleinfinger 1987.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.equations.plan import Moments, Pose
from linkwork.equations.tree import Tree
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
    neg,
    scale,
    sub,
)


@dataclass(frozen=True)
class Wrenches:
    """Generalised forces by rate, and by link the force and moment that its parent exerts on it (own axes, origin)."""

    tau: list[Any]
    f: list[Vector]
    n: list[Vector]


@dataclass(frozen=True)
class LinkMotion:
    """By link, along its own axes: angular velocity, angular acceleration, U (`turning`), acceleration of its origin.

    Accelerations are those seen by a freely falling observer: gravity counts as an upward acceleration of the world.
    """

    w: list[Vector]
    wd: list[Vector]
    U: list[Matrix]
    acc: list[Vector]


def link_motion(tree: Tree, v: Sequence[Any], a: Sequence[Any]) -> LinkMotion:
    """The outward pass; with zeros given as floats 0.0 the unused terms vanish."""
    world: _Moving = ZERO, ZERO, NOTHING, neg(tree.gravity)
    moving: list[_Moving] = []
    for link in tree.links:
        before = moving[link.parent] if link.parent >= 0 else world
        own = link.Sw, link.Sp, tuple(link.own_rates(v)), tuple(link.own_rates(a)), link.dw, link.dp
        moving.append(tree.cells(_carried, before, Pose(link.R, link.p), *own))
    w, wd, U, acc = ([m[k] for m in moving] for k in range(4))
    return LinkMotion(w, wd, U, acc)


_Moving = tuple[Vector, Vector, Matrix, Vector]
"""Of one link what `LinkMotion` lists of all."""


def _carried(
    before: _Moving,
    X: Pose,
    Sw: Sequence[Vector],
    Sp: Sequence[Vector],
    v: Sequence[Any],
    a: Sequence[Any],
    dw: Vector,
    dp: Vector,
) -> _Moving:
    """The motion of a link from that of its parent."""
    w_p, wd_p, U_p, a_p = before
    spin, slide = combination(Sw, v), combination(Sp, v)
    carried = apply_t(X.R, w_p)
    w = add(carried, spin)
    wd = add(add(apply_t(X.R, wd_p), cross(carried, spin)), add(combination(Sw, a), dw))
    relative = add(add(scale(2.0, cross(w_p, slide)), dp), combination(Sp, a))
    return w, wd, turning(w, wd), apply_t(X.R, add(add(a_p, apply(U_p, X.p)), relative))


@dataclass(frozen=True)
class InertiaForces:
    """By link, the force and moment (about its origin) that its own mass takes; by rate of a body, what its matter
    takes along that coordinate."""

    f: list[Vector]
    n: list[Vector]
    along: dict[int, Any]


def inertia_forces(tree: Tree, motion: LinkMotion, a: Sequence[Any]) -> InertiaForces:
    """What the masses of all links take; a : accelerations of all rates, as in `motion`."""
    taken = [tree.cells(_inertia, link.moments, motion.acc[i], motion.U[i]) for i, link in enumerate(tree.links)]
    f, n = [own[0] for own in taken], [own[1] for own in taken]
    along: dict[int, Any] = {}
    for i, link in enumerate(tree.links):
        if link.matter is None:
            continue
        nu_acc = link.matter.accelerated([a[k] for k in link.matter.dofs])
        more_f, more_n = link.matter.wrench(motion.w[i], nu_acc)
        f[i], n[i] = add(f[i], more_f), add(n[i], more_n)
        for k, dof in enumerate(link.matter.dofs):
            along[dof] = link.matter.force(k, motion.acc[i], motion.w[i], motion.U[i], nu_acc)
    return InertiaForces(f, n, along)


def inverse_dynamics(tree: Tree, v: Sequence[Any], a: Sequence[Any], applied: Applied | None = None) -> Wrenches:
    """Joint forces for rates v and accelerations a; with zeros given as floats 0.0 the unused terms vanish.

    applied : what acts on the links and along the joints besides gravity; the joint forces are what is left to do
    """
    own = inertia_forces(tree, link_motion(tree, v, a), a)
    if applied is None:
        return handed_inward(tree, own.f, own.n, own.along)
    found = handed_inward(
        tree,
        [sub(x, applied.forces[i]) if i in applied.forces else x for i, x in enumerate(own.f)],
        [sub(x, applied.moments[i]) if i in applied.moments else x for i, x in enumerate(own.n)],
        own.along,
    )
    tau = found.tau
    for k in range(tree.nv):
        tau[k] = tau[k] - applied.along.get(k, 0.0) + applied.rotors.get(k, 0.0) * a[k]
    return found


def handed_inward(
    tree: Tree, f: Sequence[Vector], n: Sequence[Vector], along: Mapping[int, Any] | None = None
) -> Wrenches:
    """Forces and moments (about their origins) of all links handed from link to link to the root.

    along : what there is along single rates besides
    """
    f, n = list(f), list(n)
    tau: list[Any] = [0.0 if along is None else along.get(k, 0.0) for k in range(tree.nv)]
    for i in reversed(range(len(tree.links))):
        link = tree.links[i]
        Rf = apply(link.R, f[i])
        for k, dof in enumerate(link.dofs):
            tau[dof] = tau[dof] + (dot(link.Sw[k], n[i]) + dot(link.Sp[k], Rf))
        if link.parent >= 0:
            f[link.parent] = add(f[link.parent], Rf)
            n[link.parent] = add(n[link.parent], add(apply(link.R, n[i]), cross(link.p, Rf)))
    return Wrenches(tau, f, n)


@dataclass(frozen=True)
class Applied:
    """What acts besides gravity: forces and moments on links (own axes, about the origin), and along joint rates.

    along : generalised forces by rate of any joint; rotors : inertias that resist single rates
    """

    forces: Mapping[int, Vector]
    moments: Mapping[int, Vector]
    along: Mapping[int, Any]
    rotors: Mapping[int, Any]


NOTHING_APPLIED = Applied({}, {}, {}, {})


def turning(w: Vector, wd: Vector) -> Matrix:
    """U = [w']× + [w]×²: the acceleration of a point at r relative to the origin is U r."""
    xx, yy, zz = (e * e for e in w)
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return (
        (-(yy + zz), xy - wd[2], xz + wd[1]),
        (xy + wd[2], -(xx + zz), yz - wd[0]),
        (xz - wd[1], yz + wd[0], -(xx + yy)),
    )


def _inertia(own: Moments, a: Vector, U: Matrix) -> tuple[Vector, Vector]:
    """Force and moment that a mass takes."""
    return add(scale(own.m, a), apply(U, own.h)), add(cross(own.h, a), swirl(U, own.J))


def swirl(U: Matrix, J: Matrix) -> Vector:
    """(U J)ˇ = ∫ r × (U r) dm for a symmetric J."""

    def B(i: int, j: int) -> Any:
        return dot(U[i], J[j])

    return (B(2, 1) - B(1, 2), B(0, 2) - B(2, 0), B(1, 0) - B(0, 1))
