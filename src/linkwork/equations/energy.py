"""Energy and momentum of all bodies.

T = Σ ½ (m v·v + 2 v·(w × h) + w·I w)      V = -Σ g·(m p + R h)
P = Σ (m v + w × h)                         L = Σ (n + p × P), n = I w + h × v, about the origin of the world

Matter that moves within its body adds what `inner_matter` tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkwork.equations.kinematics import link_poses, link_twists
from linkwork.equations.plan import Moments, Pose
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import ZERO, Vector, add, apply, apply_t, combination, cross, dot, scale


def kinetic_energy(tree: Tree, v: Sequence[Any]) -> Any:
    """Kinetic energy [J], from velocities in link axes."""
    total: Any = 0.0
    moving: list[tuple[Vector, Vector]] = []
    for link in tree.links:
        before = moving[link.parent] if link.parent >= 0 else (ZERO, ZERO)
        own = Pose(link.R, link.p), link.Sw, link.Sp, tuple(link.own_rates(v)), link.moments
        s, w, twice = tree.cells(_kinetic, *before, *own)
        moving.append((s, w))
        total = total + twice
        if link.matter is not None:
            total = total + link.matter.energy(s, w)
    return 0.5 * total


def _kinetic(
    v_p: Vector, w_p: Vector, X: Pose, Sw: Sequence[Vector], Sp: Sequence[Vector], v: Sequence[Any], own: Moments
) -> tuple[Vector, Vector, Any]:
    """Velocity and angular velocity of a link along its axes, and twice its energy."""
    w = add(apply_t(X.R, w_p), combination(Sw, v))
    s = apply_t(X.R, add(add(v_p, cross(w_p, X.p)), combination(Sp, v)))
    momentum = add(scale(own.m, s), cross(w, own.h))
    turning = add(apply(own.inertia(), w), cross(own.h, s))
    return s, w, dot(s, momentum) + dot(w, turning)


def potential_energy(tree: Tree) -> Any:
    """Potential energy of gravity [J], zero at the origin of the world."""
    total: Any = 0.0
    for link, X in zip(tree.links, link_poses(tree), strict=True):
        total = total + tree.cells(_lifted, tree.gravity, X, link.moments)
    return -total


def _lifted(gravity: Vector, X: Pose, own: Moments) -> Any:
    return dot(gravity, add(scale(own.m, X.p), apply(X.R, own.h)))


def momentum(tree: Tree, v: Sequence[Any]) -> tuple[Vector, Vector]:
    """Linear momentum [kg m/s] and angular momentum about the origin of the world [kg m²/s]."""
    P, L = ZERO, ZERO
    poses = link_poses(tree)
    for link, X, (s, w) in zip(tree.links, poses, link_twists(tree, poses, v), strict=True):
        own = link.moments
        h = apply(X.R, own.h)
        w_own = apply_t(X.R, w)
        p = add(scale(own.m, s), cross(w, h))
        n = add(apply(X.R, apply(own.inertia(), w_own)), cross(h, s))
        if link.matter is not None:
            inner_p, inner_n = link.matter.momenta()
            p, n = add(p, apply(X.R, inner_p)), add(n, apply(X.R, inner_n))
        P, L = add(P, p), add(L, add(n, cross(X.p, p)))
    return P, L


def centre_of_mass(tree: Tree) -> tuple[Any, Vector]:
    """Total mass [kg] and first moment [kg m] about the origin of the world."""
    m: Any = 0.0
    h = ZERO
    for link, X in zip(tree.links, link_poses(tree), strict=True):
        m = m + link.moments.m
        h = add(h, add(scale(link.moments.m, X.p), apply(X.R, link.moments.h)))
    return m, h
