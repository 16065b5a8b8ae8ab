"""Mass matrix by composite bodies: M_jk is the force at freedom j for a unit acceleration of freedom k.

Inward, each link gathers the mass moments of all links it carries. A unit acceleration of one of its freedoms, (s) of
the origin and (w) about it, takes the force f = m s + w × h and the moment n = h × s + I w at its origin; handed inward
from link to link they give one column. Walker and Orin 1982; Featherstone 2008, sec. 6.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkwork.equations.plan import Moments, Pose
from linkwork.equations.tree import Link, Tree
from linkwork.equations.vectors import Vector, add, apply, cross, dot, scale


def mass_matrix(tree: Tree) -> dict[tuple[int, int], Any]:
    """Entries M[j, k], j at or inside k (both orders of dofs of one link once), as a mapping; others are zero.

    A rate of a body moves several links, whose parts add up.
    """
    shared = bool(tree.plan.stations) or any(link.chain is not None for link in tree.links)
    rank = {k: i for i, k in enumerate(k for link in tree.plan.links for k in link.rates)} if shared else {}

    def enter(j: int, k: int, value: Any, once: bool) -> None:
        """What acts at j for k; of one rate with itself through two links twice, once for each as the first."""
        if not shared:
            M[j, k] = value
            return
        key = (j, k) if rank[j] <= rank[k] else (k, j)
        M[key] = M.get(key, 0.0) + (value if once or j != k else 2.0 * value)

    composite = [link.moments for link in tree.links]
    M: dict[tuple[int, int], Any] = {}
    for i in reversed(range(len(tree.links))):
        link, own = tree.links[i], composite[i]
        for k, dof, n, f in _columns(link, own):
            j, inner = i, link
            while True:
                Rf = apply(inner.R, f)
                for o, other in enumerate(inner.dofs):
                    if j != i or o <= k:
                        enter(other, dof, dot(inner.Sw[o], n) + dot(inner.Sp[o], Rf), j == i and o == k)
                if inner.parent < 0:
                    break
                f, n = Rf, add(apply(inner.R, n), cross(inner.p, Rf))
                j, inner = inner.parent, tree.links[inner.parent]
        if link.matter is not None:
            for k, dof in enumerate(link.matter.dofs):
                for j, other in enumerate(link.matter.dofs[: k + 1]):
                    enter(other, dof, link.matter.mass(k, j), True)
        if link.parent >= 0:
            composite[link.parent] = composite[link.parent] + own.moved(Pose(link.R, link.p))
    return M


def _columns(link: Link, own: Moments) -> Iterator[tuple[int, int, Vector, Vector]]:
    """Moment and force on a link and all it carries for a unit acceleration of each rate; its number among the dofs.

    A coordinate of the body itself has one more column: of the matter that it moves within the body.
    """
    inertia = own.inertia()
    for k, dof in enumerate(link.dofs):
        w, s = link.Sw[k], link.lever(k)
        f = add(scale(own.m, s), cross(w, own.h))
        n = add(cross(own.h, s), apply(inertia, w))
        yield k, dof, n, f
    if link.matter is not None:
        for k, dof in enumerate(link.matter.dofs):
            yield len(link.dofs), dof, *link.matter.column(k)


def dense(M: dict[tuple[int, int], Any], n: int) -> list[Any]:
    """Row-major entries of the full symmetric matrix."""
    return [M[i, j] if (i, j) in M else M.get((j, i), 0.0) for i in range(n) for j in range(n)]
