"""Random trees of every joint kind, walked along and against their joints, and random states of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from laws import CASES, Case, Random, quaternion

import linkwork as lw
from linkwork.model.joints import Free
from linkwork.model.placement import Placement, placement

Array = np.ndarray
BY_NAME: dict[str, Case] = {case.name: case for case in CASES}
HIGHER = ("gear", "rack", "bevel", "point_on_curve", "line_on_curve", "on_surface", "on_curve")
LOWER = [c.name for c in CASES if c.law.kind not in HIGHER]
CUBE = [
    np.array([[s[i] * (p[i] == j) for j in range(3)] for i in range(3)], float)
    for p in itertools.permutations(range(3))
    for s in itertools.product((1, -1), repeat=3)
]
CUBE = [R for R in CUBE if np.linalg.det(R) > 0]
"""The 24 turns that take coordinate axes to coordinate axes."""


@dataclass(frozen=True)
class Grown:
    """A random tree: the mechanism, its system, and where the variables of each joint are drawn from."""

    mechanism: lw.Mechanism
    draws: Mapping[str, Callable[[Random], list[float]]]

    @cached_property
    def system(self) -> lw.System:
        return lw.System(self.mechanism)

    def q(self, rng: Random) -> Array:
        """Random coordinates inside the range of every joint."""
        s = self.system
        index = {name: i for i, name in enumerate(s.coordinates)}
        q = np.full(s.nq, np.nan)
        for joint in s.tree_joints:
            law = self.mechanism.joints[joint].law if joint in self.mechanism.joints else Free()
            values = self.draws.get(joint, BY_NAME["free"].draw)(rng)  # a floating body is drawn like a free joint
            for variable, x in zip(law.variables, values, strict=True):
                q[index[f"{joint}.{variable.name}"]] = x
        assert not np.isnan(q).any()
        return q

    def state(self, rng: Random, count: int | None = None) -> tuple[Array, Array, Array]:
        """Random q, v, a; `count` of them, one below the other."""
        if count is None:
            return self.q(rng), rng.normal(size=self.system.nv), rng.normal(size=self.system.nv)
        rows = [self.state(rng) for _ in range(count)]
        q, v, a = (np.array(x) for x in zip(*rows, strict=True))
        return q, v, a


def some_placement(rng: Random, aligned: bool, within: str | None = None) -> Placement:
    """A frame; aligned ones have axes along the reference's and some coordinates zero."""
    if aligned:
        at = np.round(rng.uniform(-0.5, 0.5, 3), 2) * (rng.random(3) < 0.6)
        return placement(at, matrix=CUBE[rng.integers(24)], within=within)
    return placement(rng.uniform(-0.5, 0.5, 3), quaternion=quaternion(rng), within=within)


def random_inertia(rng: Random, aligned: bool) -> tuple[float, Array, Array]:
    """Mass, centre and central inertia of a body that could be built; aligned ones are symmetric about some planes."""
    mass = float(rng.uniform(0.5, 3.0))
    com = rng.uniform(-0.3, 0.3, 3) * ((rng.random(3) < 0.5) if aligned else 1.0)
    spread = rng.uniform(0.05, 0.3, 3) ** 2 * mass
    if aligned:
        second = np.diag(spread)
    else:
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        second = R @ np.diag(spread) @ R.T
    tensor = np.trace(second) * np.eye(3) - second
    return mass, com, (tensor + tensor.T) / 2


def add_body(m: lw.Mechanism, name: str, rng: Random, aligned: bool, massless: bool = False) -> None:
    """A body with a frame of its own and, unless massless, a random inertia."""
    frame = some_placement(rng, aligned)
    if massless:
        m.body(name, frame=frame)
        return
    mass, com, tensor = random_inertia(rng, aligned)
    m.body(name, mass=mass, com=com, inertia=tensor, frame=frame)


def add_joint(
    m: lw.Mechanism, name: str, case: Case, parent: str, child: str, sign: int, rng: Random, aligned: bool
) -> None:
    """A joint from parent to child (+1) or declared the other way round (-1), with a layout value."""
    tail, head = (parent, child) if sign > 0 else (child, parent)
    curved = case.law.kind in HIGHER[3:]  # zero may not lie on it
    value = case.draw(rng)
    if aligned and not curved:
        value = list(case.law.neutral())
    frame = some_placement(rng, aligned, within=tail)
    m.joint(name, case.law, tail, head, frame=frame, value=value if value else None)


def grow_tree(
    seed: int,
    kinds: Sequence[str],
    *,
    bodies: int = 6,
    aligned: bool = False,
    floating: int = 0,
    ground_frame: bool = True,
    massless: bool = True,
    grounded: bool = True,
) -> Grown:
    """A random tree.

    kinds : names of `laws.CASES`, all used if there are bodies enough
    floating : number of assemblies that are joined to nothing
    grounded : some bodies may hang on ground
    """
    rng = np.random.default_rng(seed)
    m = lw.Mechanism(f"tree{seed}", gravity=rng.normal(size=3) * 6.0, floating=floating > 0)
    if ground_frame:
        m.body("ground", frame=some_placement(rng, aligned))
    chosen = [*rng.permutation(list(kinds)), *rng.choice(list(kinds), max(0, bodies - len(kinds)))][:bodies]
    draws: dict[str, Callable[[Random], list[float]]] = {}
    names: list[str] = []
    heavy: list[str] = []  # bodies that may carry more
    owed = ""  # a massless body that the next one must hang on
    for k in range(floating):
        name = f"F{k}"
        add_body(m, name, rng, aligned)
        heavy.append(name)
        names.append(name)
    roots = ["ground"] if grounded else []
    for k, kind in enumerate(chosen):
        case = BY_NAME[str(kind)]
        name, joint = f"b{k}", f"J{k}"
        last = k == len(chosen) - 1
        light = massless and not last and not owed and case.law.freedom <= 1 and rng.random() < 0.3
        if owed and case.law.freedom > 1:
            case = BY_NAME["revolute"]
        add_body(m, name, rng, aligned, massless=light)
        deep = heavy[-2:] if rng.random() < 0.6 and heavy else [*roots, *heavy]
        parent = owed or str(rng.choice(deep or heavy))
        add_joint(m, joint, case, parent, name, 1 if rng.random() < 0.5 else -1, rng, aligned)
        draws[joint] = case.draw
        owed = name if light else ""
        if not light:
            heavy.append(name)
        names.append(name)
    for body in ["ground", *names]:
        if rng.random() < 0.5:
            m.point(f"P_{body}", body, rng.uniform(-0.5, 0.5, 3), within=body)
        if rng.random() < 0.5:
            m.frame(f"X_{body}", body, some_placement(rng, aligned, within=body))
    return Grown(m, draws)


def single_joint(case: Case, sign: int, seed: int = 5, aligned: bool = False) -> Grown:
    """A joint of one kind on a moving base: ground, revolute joint, body, the joint, body with a point and a frame."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism(case.name, gravity=(1.0, -2.0, -9.0))
    m.body("ground", frame=some_placement(rng, aligned))
    add_body(m, "base", rng, aligned)
    add_body(m, "tip", rng, aligned)
    add_joint(m, "R", BY_NAME["revolute"], "ground", "base", 1, rng, aligned)
    add_joint(m, "J", case, "base", "tip", sign, rng, aligned)
    m.point("P", "tip", rng.uniform(-0.5, 0.5, 3), within="tip")
    m.frame("T", "tip", some_placement(rng, False, within="tip"))
    return Grown(m, {"R": BY_NAME["revolute"].draw, "J": case.draw})
