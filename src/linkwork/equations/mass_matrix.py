"""Mass matrix by composite bodies: M_jk is the force at freedom j for a unit acceleration of freedom k.

Inward, each link gathers the mass moments of all links it carries. A unit acceleration of one of its freedoms, (s) of
the origin and (w) about it, takes the force f = m s + w × h and the moment n = h × s + I w at its origin; handed inward
from link to link they give one column. Walker and Orin 1982; Featherstone 2008, sec. 6.2.
"""

from __future__ import annotations

from typing import Any

from linkwork.equations.plan import Pose
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import add, apply, cross, dot, scale


def mass_matrix(tree: Tree) -> dict[tuple[int, int], Any]:
    """Entries M[j, k], j at or inside k (both orders of dofs of one link once), as a mapping; others are zero."""
    composite = [link.moments for link in tree.links]
    M: dict[tuple[int, int], Any] = {}
    for i in reversed(range(len(tree.links))):
        link, own = tree.links[i], composite[i]
        inertia = own.inertia()
        for k, dof in enumerate(link.dofs):
            w, s = link.Sw[k], link.lever(k)
            f = add(scale(own.m, s), cross(w, own.h))
            n = add(cross(own.h, s), apply(inertia, w))
            j, inner = i, link
            while True:
                Rf = apply(inner.R, f)
                for o, other in enumerate(inner.dofs):
                    if j != i or o <= k:
                        M[other, dof] = dot(inner.Sw[o], n) + dot(inner.Sp[o], Rf)
                if inner.parent < 0:
                    break
                f, n = Rf, add(apply(inner.R, n), cross(inner.p, Rf))
                j, inner = inner.parent, tree.links[inner.parent]
        if link.parent >= 0:
            composite[link.parent] = composite[link.parent] + own.moved(Pose(link.R, link.p))
    return M


def dense(M: dict[tuple[int, int], Any], n: int) -> list[Any]:
    """Row-major entries of the full symmetric matrix."""
    return [M[i, j] if (i, j) in M else M.get((j, i), 0.0) for i in range(n) for j in range(n)]
