"""Where everything is and how it moves: poses, twists, accelerations and Jacobians, along the axes of the world.

A twist is [v; w]: velocity of the frame's origin, angular velocity. Accelerations are true ones (no gravity in them):
[dv/dt; dw/dt] of the origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.equations.plan import Pose, number_pose
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import IDENTITY, ZERO, Vector, add, apply, combination, cross, scale, sub

WORLD = Pose(IDENTITY, ZERO)
Twist = tuple[Vector, Vector]
STILL: Twist = (ZERO, ZERO)


@dataclass(frozen=True)
class Target:
    """A frame fixed to a link (index -1: the world) whose motion is asked for."""

    link: int
    X: Pose


def target_named(tree: Tree, name: str) -> Target:
    """A body, point or frame by its name."""
    plan = tree.plan
    if name == plan.ground:
        return Target(-1, number_pose(plan.X_WG))
    if name in plan.index:
        i = plan.index[name]
        return Target(i, tree.links[i].own)
    for mark, at in zip(plan.points, tree.points, strict=True):
        if mark.name == name:
            return Target(mark.link, Pose(_axes_of(tree, mark.link), at))
    for mark, X in zip(plan.frames, tree.frames, strict=True):
        if mark.name == name:
            return Target(mark.link, X)
    raise KeyError(name)


def _axes_of(tree: Tree, link: int) -> Any:
    """Axes of a point: those of its body."""
    return tree.links[link].own.R if link >= 0 else number_pose(tree.plan.X_WG).R


def link_poses(tree: Tree) -> list[Pose]:
    """Pose of every link frame in the world."""
    poses: list[Pose] = []
    for link in tree.links:
        before = poses[link.parent] if link.parent >= 0 else WORLD
        poses.append(tree.cells(placed, before, Pose(link.R, link.p)))
    return poses


def placed(before: Pose, X: Pose) -> Pose:
    """A pose seen from where the frame is seen in which it is given."""
    return before @ X


def pose(poses: Sequence[Pose], target: Target) -> Pose:
    """Pose of a target in the world."""
    return target.X if target.link < 0 else poses[target.link] @ target.X


def link_twists(tree: Tree, poses: Sequence[Pose], v: Sequence[Any]) -> list[Twist]:
    """Twist of every link frame: velocity of its origin and angular velocity."""
    twists: list[Twist] = []
    for link, X in zip(tree.links, poses, strict=True):
        parent, before = (twists[link.parent], poses[link.parent]) if link.parent >= 0 else (STILL, WORLD)
        own = link.p, link.Sw, link.Sp, tuple(link.own_rates(v))
        twists.append(tree.cells(_twist, parent, before, X, *own))
    return twists


def _twist(
    parent: Twist, before: Pose, X: Pose, p: Vector, Sw: Sequence[Vector], Sp: Sequence[Vector], v: Sequence[Any]
) -> Twist:
    """Twist of a link from that of its parent."""
    v_p, w_p = parent
    w = add(w_p, apply(X.R, combination(Sw, v)))
    return add(add(v_p, cross(w_p, apply(before.R, p))), apply(before.R, combination(Sp, v))), w


def link_accelerations(
    tree: Tree, poses: Sequence[Pose], twists: Sequence[Twist], v: Sequence[Any], a: Sequence[Any]
) -> list[Twist]:
    """Acceleration of every link frame's origin, and angular acceleration."""
    result: list[Twist] = []
    for link, X in zip(tree.links, poses, strict=True):
        i = link.parent
        parent, moving, before = (result[i], twists[i], poses[i]) if i >= 0 else (STILL, STILL, WORLD)
        rates = tuple(link.own_rates(v)), tuple(link.own_rates(a))
        own = link.p, link.Sw, link.Sp, link.dw, link.dp
        result.append(tree.cells(_acceleration, parent, moving[1], before, X, own, rates))
    return result


def _acceleration(parent: Twist, w_p: Vector, before: Pose, X: Pose, own: tuple[Any, ...], rates: Any) -> Twist:
    """Acceleration of a link from that of its parent."""
    (a_p, al_p), (p, Sw, Sp, dw, dp), (v, a) = parent, own, rates
    lever, slide = apply(before.R, p), apply(before.R, combination(Sp, v))
    spin = apply(X.R, combination(Sw, v))
    own_al = apply(X.R, add(combination(Sw, a), dw))
    own_a = apply(before.R, add(combination(Sp, a), dp))
    turned = add(cross(al_p, lever), cross(w_p, add(cross(w_p, lever), scale(2.0, slide))))
    return add(a_p, add(turned, own_a)), add(al_p, add(cross(w_p, spin), own_al))


def twist(poses: Sequence[Pose], twists: Sequence[Twist], target: Target) -> Twist:
    """Twist of a target."""
    if target.link < 0:
        return STILL
    v, w = twists[target.link]
    return add(v, cross(w, apply(poses[target.link].R, target.X.p))), w


def acceleration(poses: Sequence[Pose], twists: Sequence[Twist], link_acc: Sequence[Twist], target: Target) -> Twist:
    """Acceleration of a target."""
    if target.link < 0:
        return STILL
    (_, w), (a, al) = twists[target.link], link_acc[target.link]
    lever = apply(poses[target.link].R, target.X.p)
    return add(a, add(cross(al, lever), cross(w, cross(w, lever)))), al


def target_motion(X: Pose, moving: tuple[Pose, Twist, Twist] | None) -> tuple[tuple[Any, ...], ...]:
    """Position and axes, twist and acceleration of a frame fixed to a link that moves so, or to the world."""
    if moving is None:
        return (*X.p, *(e for row in X.R for e in row)), (0.0,) * 6, (0.0,) * 6
    link, twists, accelerations = moving
    target, of = Target(0, X), ([link], [twists], [accelerations])
    at, V, A = pose(of[0], target), twist(*of[:2], target), acceleration(*of, target)
    return (*at.p, *(e for row in at.R for e in row)), (*V[0], *V[1]), (*A[0], *A[1])


def jacobian(tree: Tree, poses: Sequence[Pose], target: Target) -> dict[int, Twist]:
    """Twist of a target per unit rate, by rate; rates that do not move it are absent."""
    columns: dict[int, Twist] = {}
    at = pose(poses, target).p
    for i in tree.path(target.link):
        link = tree.links[i]
        before = poses[link.parent] if link.parent >= 0 else WORLD
        for k, dof in enumerate(link.dofs):
            w = apply(poses[i].R, link.Sw[k])
            v = add(apply(before.R, link.Sp[k]), cross(w, sub(at, poses[i].p)))
            known = columns.get(dof)
            columns[dof] = (v, w) if known is None else (add(known[0], v), add(known[1], w))
    return columns
