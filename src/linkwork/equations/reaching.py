"""Where targets are and how all rates of the tree move them: one law, for inverse kinematics.

    X = (p, R) of each target,    J with twist = J v,    both along the axes of the world

The centre of mass of the whole machine moves as momentum says, and has the axes of the world:

    m ṗ = Σ (m_i v_i + w_i × R_i h_i)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from linkwork.equations import kinematics
from linkwork.equations.energy import centre_of_mass
from linkwork.equations.kinematics import STILL, Target, Twist
from linkwork.equations.plan import Pose
from linkwork.equations.quantity import Quantity, Values
from linkwork.equations.scalars import Block
from linkwork.equations.tree import Tree, Weightless
from linkwork.equations.vectors import IDENTITY, ZERO, Vector, add, apply, cross, scale

MACHINE = "centre of mass"
"""Names the centre of mass of all that moves."""


def reaching(names: Sequence[str]) -> Quantity:
    """Positions and axes (targets, 12), and Jacobians (targets, 6, nv), of bodies, points, frames or `MACHINE`."""
    alone = names[0] if len(names) == 1 and names[0] != MACHINE else ""
    return Quantity(f"reaching {', '.join(names)}", ("q",), partial(_law, tuple(names)), target=alone)


def _law(names: tuple[str, ...], tree: Tree, x: Values) -> list[Block]:
    poses = kinematics.link_poses(tree)
    places: list[Any] = []
    rows: list[Any] = []
    for name in names:
        at, columns = _of_machine(tree, poses) if name == MACHINE else _of_target(tree, poses, name)
        places += [*at.p, *(e for row in at.R for e in row)]
        twists = [[*v, *w] for v, w in (columns.get(k, STILL) for k in range(tree.nv))]
        rows += [twists[k][i] for i in range(6) for k in range(tree.nv)]
    count = len(names)
    return [("X", places, (count, 12)), ("J", rows, (count, 6, tree.nv))]


def _of_target(tree: Tree, poses: Sequence[Pose], name: str) -> tuple[Pose, dict[int, Twist]]:
    target = kinematics.target_named(tree, name)
    return kinematics.pose(poses, target), kinematics.jacobian(tree, poses, target)


def _of_machine(tree: Tree, poses: Sequence[Pose]) -> tuple[Pose, dict[int, Twist]]:
    m, h = centre_of_mass(tree)
    if isinstance(m, float) and m == 0.0:
        raise Weightless("nothing that moves has a mass, so there is no centre of mass", tree.plan.name, "give masses")
    sums: dict[int, Vector] = {}
    for i, (link, X) in enumerate(zip(tree.links, poses, strict=True)):
        lever = apply(X.R, link.moments.h)
        for k, (v, w) in kinematics.jacobian(tree, poses, Target(i, Pose(IDENTITY, ZERO))).items():
            sums[k] = add(sums.get(k, ZERO), add(scale(link.moments.m, v), cross(w, lever)))
    at: Vector = (h[0] / m, h[1] / m, h[2] / m)
    return Pose(IDENTITY, at), {k: ((s[0] / m, s[1] / m, s[2] / m), ZERO) for k, s in sums.items()}
