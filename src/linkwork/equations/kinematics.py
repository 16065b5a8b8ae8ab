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
        poses.append(before @ Pose(link.R, link.p))
    return poses


def pose(poses: Sequence[Pose], target: Target) -> Pose:
    """Pose of a target in the world."""
    return target.X if target.link < 0 else poses[target.link] @ target.X


def link_twists(tree: Tree, poses: Sequence[Pose], v: Sequence[Any]) -> list[Twist]:
    """Twist of every link frame: velocity of its origin and angular velocity."""
    twists: list[Twist] = []
    for link, X in zip(tree.links, poses, strict=True):
        (v_p, w_p), before = (twists[link.parent], poses[link.parent]) if link.parent >= 0 else (STILL, WORLD)
        lever = apply(before.R, link.p)
        w = add(w_p, apply(X.R, link.spin(v)))
        twists.append((add(add(v_p, cross(w_p, lever)), apply(before.R, link.slide(v))), w))
    return twists


def link_accelerations(
    tree: Tree, poses: Sequence[Pose], twists: Sequence[Twist], v: Sequence[Any], a: Sequence[Any]
) -> list[Twist]:
    """Acceleration of every link frame's origin, and angular acceleration."""
    result: list[Twist] = []
    for link, X in zip(tree.links, poses, strict=True):
        i = link.parent
        (a_p, al_p), (_, w_p), before = (result[i], twists[i], poses[i]) if i >= 0 else (STILL, STILL, WORLD)
        lever, slide = apply(before.R, link.p), apply(before.R, link.slide(v))
        spin = apply(X.R, link.spin(v))
        own_al = apply(X.R, add(combination(link.Sw, link.own_rates(a)), link.dw))
        own_a = apply(before.R, add(combination(link.Sp, link.own_rates(a)), link.dp))
        turning = add(cross(al_p, lever), cross(w_p, add(cross(w_p, lever), scale(2.0, slide))))
        result.append((add(a_p, add(turning, own_a)), add(al_p, add(cross(w_p, spin), own_al))))
    return result


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
