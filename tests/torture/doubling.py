"""Machines with more than they need: joints beside their likes, bodies beside their likes, rigid ties.

The motions stay those of the machine before, so that its drives still do; what carries which part of a force does not.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from random_loops import BY_NAME, Planned, Recipe, some_pose

from linkwork import geometry as geo
from linkwork.model.joints import Law

Array = np.ndarray
Random = np.random.Generator

BESIDE = {
    "revolute": ("revolute", "revolute", "cylindric", "spheric"),
    "prismatic": ("prismatic", "prismatic", "cylindric"),
    "cylindric": ("cylindric",),
    "flat": ("flat",),
    "spheric": ("spheric",),
}
"""Kinds that leave a joint of another kind all its freedom where they stand on its axis, along it, or in its point."""


def beside(j: Planned, rng: Random) -> tuple[Law, Array, tuple[float, ...]]:
    """A law, its frame and its layout value that allow all that joint j does."""
    kind = str(rng.choice(BESIDE.get(j.law.kind, ("",))))
    if not kind:
        return j.law, j.X_WF, j.value
    law = BY_NAME[kind].law
    turn, along, aside = rng.uniform(-3, 3), rng.uniform(-1, 1), rng.uniform(-1, 1, 2)
    if rng.random() < 0.3:  # the very same place
        along, aside = 0.0, np.zeros(2)
    if j.law.kind not in ("prismatic", "flat"):
        aside = np.zeros(2)
    if j.law.kind == "spheric":
        along = 0.0
    X = j.X_WF @ geo.pose(geo.rot_z(turn), [*aside, along])
    if kind == "spheric":
        X = geo.pose(some_pose(rng)[:3, :3], X[:3, 3])
    return law, X, tuple(BY_NAME[kind].draw(rng))


def with_more_joints(recipe: Recipe, rng: Random, most: int = 3) -> Recipe:
    """Some joints a second time, between the same bodies."""
    joints = list(recipe.joints)
    for k in range(int(rng.integers(1, most + 1))):
        j = joints[int(rng.integers(len(joints)))]
        law, X, value = beside(j, rng)
        ends = (j.tail, j.head) if (law is j.law and X is j.X_WF) or rng.random() < 0.5 else (j.head, j.tail)
        joints.append(Planned(f"K{k}", law, *ends, X, value))
    return dataclasses.replace(recipe, joints=tuple(joints))


def with_more_bodies(recipe: Recipe, rng: Random, most: int = 2) -> Recipe:
    """Some bodies a second time, with all their joints."""
    bodies, joints = list(recipe.bodies), list(recipe.joints)
    for k in range(int(rng.integers(1, most + 1))):
        names = [b for b, _ in bodies if sum(b in (j.tail, j.head) for j in joints) > 1]
        if not names:
            break
        name = str(rng.choice(names))
        bodies.append((f"{name}x{k}", some_pose(rng)))
        for i, j in enumerate([j for j in joints if name in (j.tail, j.head)]):
            law, X, value = beside(dataclasses.replace(j, law=j.law), rng)
            if law.kind != j.law.kind:  # a copy with more freedom may hang loose
                law, X, value = j.law, j.X_WF, j.value
            ends = (f"{name}x{k}" if e == name else e for e in (j.tail, j.head))
            joints.append(Planned(f"L{k}{i}", law, *ends, X, value))
    return dataclasses.replace(recipe, bodies=tuple(bodies), joints=tuple(joints))


def with_ties(recipe: Recipe, rng: Random) -> Recipe:
    """A body in two halves that several rigid joints hold together."""
    names = [b for b, _ in recipe.bodies]
    name = str(rng.choice(names))
    joints = list(recipe.joints)
    mine = [i for i, j in enumerate(joints) if name in (j.tail, j.head)]
    for i in mine[: len(mine) // 2]:
        j = joints[i]
        joints[i] = dataclasses.replace(j, **{e: "half" for e in ("tail", "head") if getattr(j, e) == name})
    for k in range(int(rng.integers(1, 4))):
        ends = (name, "half") if rng.random() < 0.5 else ("half", name)
        joints.append(Planned(f"R{k}", BY_NAME["rigid"].law, *ends, some_pose(rng), ()))
    return dataclasses.replace(recipe, bodies=(*recipe.bodies, ("half", some_pose(rng))), joints=tuple(joints))


__all__ = ["beside", "with_more_bodies", "with_more_joints", "with_ties"]
