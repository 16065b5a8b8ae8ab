"""Machines that are drawn to hurt: every joint kind, all sizes, coincident and parallel joints, too many constraints.

case = drawn(seed)          # .machine, .drives; .numbers(k) gives other numbers for `with_parameters`
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("torture", "analyses", "model", "equations")]
from doubling import with_more_bodies, with_more_joints, with_ties  # noqa: E402
from overconstrained import KINDS as CLASSICS  # noqa: E402
from random_loads import _drives, plain_variables  # noqa: E402
from random_loops import (  # noqa: E402
    BY_NAME,
    ONE,
    SMOOTH,
    Planned,
    Recipe,
    many_loops,
    planar_loops,
    single_loop,
    some_pose,
    spherical_loops,
)
from random_trees import random_inertia  # noqa: E402

import linkwork as lw  # noqa: E402
from linkwork import geometry as geo  # noqa: E402
from linkwork.model.bodies import inertia as as_inertia  # noqa: E402
from linkwork.model.loads import Spring  # noqa: E402

Array = np.ndarray
Random = np.random.Generator
BALLS = ("spheric", "spheric", "universal", "revolute", "cylindric", "prismatic", "revolute")
FAMILIES = ("planar", "spherical", "general", "single", "classic", "classic", "coincident", "balls")
WIDER = 1_000_000
"""From this seed on machines have more than they need: joints and bodies beside their likes, rigid ties."""
COUPLED = 2_000_000
"""From this seed on variables of machines with several freedoms are coupled."""
MORE = ("more joints", "more bodies", "ties", "more of all")


@dataclass(frozen=True)
class Size:
    """length [m], mass [kg], where the middle is in lengths, spread of masses in decades, weight [m/s²]."""

    length: float
    mass: float
    far: float
    spread: float
    gravity: float


def some_size(rng: Random) -> Size:
    """Lengths 1e-6 to 1e6 m, up to 1e3 lengths from the origin, light bodies on heavy ones, any weight."""
    length = float(10.0 ** rng.uniform(-6, 6)) if rng.random() < 0.8 else 1.0
    mass = float(10.0 ** rng.uniform(-3, 3)) * (length**3 if rng.random() < 0.5 else 1.0)
    far = float(10.0 ** rng.uniform(0, 3)) if rng.random() < 0.4 else 0.0
    spread = float(rng.uniform(1, 4)) if rng.random() < 0.35 else 0.0
    gravity = float(rng.choice([10.0 * length, 9.81, 0.0]))
    return Size(length, mass, far, spread, gravity)


@dataclass(frozen=True)
class Couple:
    """follower - its value in the layout = ratio d + bend d², d = leader - its value in the layout; the numbers have
    these names behind that of the coupling, with `of` and `to` for the two values."""

    name: str
    follower: str
    leader: str


@dataclass(frozen=True)
class Case:
    """A machine with its drives; `general` ones close with other places of joints too."""

    seed: int
    family: str
    mechanism: lw.Mechanism
    wanted: tuple[str, ...]
    size: Size
    general: bool
    couples: tuple[Couple, ...] = ()

    @cached_property
    def machine(self) -> Any:
        return self.mechanism.assemble()

    @cached_property
    def drives(self) -> tuple[str, ...]:
        s = self.machine
        return self.wanted or s.loops.drivable(s.home._roles.independent)

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """Rates by which a floating assembly moves as a whole."""
        return tuple(r for r in self.machine.variable_rates if r.split(".")[0] not in self.mechanism.joints)

    def numbers(self, k: int) -> dict[str, float]:
        """Other masses, weight, springs, and places of joints; none for k = 0."""
        if k == 0:
            return {}
        rng = np.random.default_rng([self.seed, k, 3])
        found: dict[str, float] = {}
        spread = float(rng.choice([0.1, 1.0, 3.0]))
        for name, value in self.machine.parameters.items():
            owner, _, what = name.partition(".")
            if what == "mass":
                factor = float(10.0 ** rng.uniform(-spread, spread))
                found[name] = value * factor
                tensor = [f"{owner}.inertia.{c}" for c in ("xx", "yy", "zz", "xy", "xz", "yz")]
                found |= {n: float(self.machine.parameters[n]) * factor for n in tensor}
            elif what.startswith("com."):
                found[name] = value + 0.1 * self.size.length * float(rng.normal())
            elif owner == "gravity" or what in ("stiffness", "damping", "preload"):
                found[name] = value * float(rng.uniform(0.3, 2.0))
            elif self.general and ".at." in f".{what}." and owner in self.mechanism.joints:
                found[name] = value + 0.01 * self.size.length * float(rng.normal())
        return found


def drawn(seed: int) -> Case:
    """The families in turn."""
    rng = np.random.default_rng([2026, seed])
    family = FAMILIES[seed % len(FAMILIES)] if seed < WIDER else MORE[seed % len(MORE)]
    if seed >= COUPLED:
        family = ("coupled", "coupled balls")[seed % 2]
    size = some_size(rng)
    if family == "classic":
        m = _classic(seed, rng, size)
        _loaded(m, rng, size)
        return Case(seed, m.name, m, (), size, False)
    for attempt in range(100):
        recipe = _recipe(family, 1000 * attempt + 7 * seed, rng)
        drives = _drives(recipe, seed) if recipe else []
        if family.startswith("coupled") and len(drives) < 2:
            continue
        if recipe and drives:
            X = some_pose(rng, 1.0)
            X[:3, 3] *= size.length * max(size.far, 1.0)
            m = recipe.mechanism(size.length, X)
            _loaded(m, rng, size)
            if family.startswith("coupled"):
                couples = _coupled(m, recipe, drives, rng, size)
                left = [n for n in drives if n not in {own.follower for own in couples}]
                return Case(seed, family, m, tuple(left), size, False, tuple(couples))
            return Case(seed, family, m, tuple(drives), size, family in ("general", "single", "balls"))
    raise AssertionError(f"no machine for seed {seed}")


def _recipe(family: str, seed: int, rng: Random) -> Recipe | None:
    if family in MORE:
        return _with_more(family, seed, rng)
    if family.startswith("coupled"):
        kinds = BALLS if family == "coupled balls" else SMOOTH
        return many_loops(seed, int(rng.integers(1, 3)), kinds, mobility=int(rng.integers(2, 5)))
    if family == "planar":
        return planar_loops(seed, int(rng.integers(1, 4)))
    if family == "spherical":
        return spherical_loops(seed, int(rng.integers(1, 3)))
    if family == "general":
        return many_loops(
            seed, int(rng.integers(1, 3)), SMOOTH, mobility=int(rng.integers(1, 4)), floating=rng.random() < 0.3
        )
    if family == "balls":
        return many_loops(seed, int(rng.integers(1, 3)), BALLS, mobility=int(rng.integers(1, 4)))
    if family == "single":
        return single_loop(seed, str(rng.choice(SMOOTH)), int(rng.integers(1, 3)))
    return _coincident(seed)


def _with_more(family: str, seed: int, rng: Random) -> Recipe | None:
    """A machine of another family with something in it twice."""
    base = _recipe(str(rng.choice(("planar", "spherical", "general", "coincident", "balls"))), seed, rng)
    if base is None:
        return None
    if family in ("ties", "more of all"):
        base = with_ties(base, rng)
    if family in ("more bodies", "more of all"):
        base = with_more_bodies(base, rng, 2 if family == "more bodies" else 1)
    if family in ("more joints", "more of all"):
        base = with_more_joints(base, rng, 3 if family == "more joints" else 2)
    return base


def _coincident(seed: int) -> Recipe | None:
    """One or two loops in which neighbours meet in a point, or lie parallel, or both."""
    rng = np.random.default_rng([seed, 5])
    kinds = (*ONE, "revolute", "cylindric", "universal", "spheric", "flat")
    recipe = (
        single_loop(seed, str(rng.choice(kinds[:2])), 1, kinds) if rng.random() < 0.6 else many_loops(seed, 2, kinds)
    )
    joints: list[Planned] = []
    for j in recipe.joints:
        X = j.X_WF.copy()
        if joints and rng.random() < 0.6:
            other = joints[int(rng.integers(len(joints)))].X_WF
            how = rng.integers(3)
            if how != 1:
                X[:3, 3] = other[:3, 3]
            if how != 0:  # axes along each other, the frame turned about them
                X[:3, :3] = other[:3, :3] @ geo.rot_z(rng.uniform(-3, 3))
            if how == 2 and rng.random() < 0.5:  # across in the same point
                X[:3, :3] = X[:3, :3] @ geo.rot_x(np.pi / 2)
        joints.append(dataclasses.replace(j, X_WF=X))
    made = Recipe(recipe.name, recipe.bodies, tuple(joints), recipe.points, recipe.floating)
    J = made.hand.jacobian(made.hand.layout)
    s = np.linalg.svd(J, compute_uv=False)
    least = s[s > 1e-9 * s[0]][-1]
    rank = int((s > 1e-9 * s[0]).sum())
    return made if least > 1e-2 and rank == len(J) < J.shape[1] else None


def _coupled(m: lw.Mechanism, recipe: Recipe, drives: Sequence[str], rng: Random, size: Size) -> list[Couple]:
    """One drive or two follow the first one; some are told so twice, so that nobody knows which coupling carries."""
    lengths, values = {}, {}
    for j in recipe.joints:
        for v, x in zip(j.law.variables, j.value, strict=True):
            unit = size.length if v.dimension == "length" else 1.0
            lengths[f"{j.name}.{v.name}"], values[f"{j.name}.{v.name}"] = unit, x * unit
    leader, found = drives[0], []
    for follower in drives[1 : 1 + int(rng.integers(1, min(3, len(drives))))]:
        unit = lengths[follower] / lengths[leader]
        numbers = {
            "ratio": float(rng.choice([-1, 1]) * rng.uniform(0.2, 1.5) * unit),
            "bend": float(rng.choice([0.0, rng.uniform(-0.3, 0.3)]) * unit / lengths[leader]),
            "of": values[leader],
            "to": values[follower],
        }
        for _ in range(int(rng.choice([1, 1, 2]))):
            name = f"couple{len(found)}"
            law = f"to + ratio*({leader} - of) + bend*({leader} - of)**2"
            m.couple(name, follower, law, parameters=numbers)
            found.append(Couple(name, follower, leader))
    return found


def _classic(seed: int, rng: Random, size: Size) -> lw.Mechanism:
    """Overconstrained machines that move, anywhere."""
    build = CLASSICS[(seed // len(FAMILIES) * 2 + seed % 2) % len(CLASSICS)]
    hinges = build(rng)
    R = geo.from_rotvec(rng.normal(size=3)) if rng.random() < 0.7 else np.eye(3)
    shift = max(size.far, 1.0) * rng.uniform(-1, 1, 3)
    m = lw.Mechanism(build.__name__)
    for body in dict.fromkeys(b for h in hinges for b in (h.first, h.second) if b != "ground"):
        m.body(body)
    for name, h in zip("ABCDEFGHIJKL", hinges, strict=False):
        ends = (h.first, h.second) if rng.random() < 0.7 else (h.second, h.first)
        getattr(m, h.kind)(name, *ends, at=tuple(size.length * (R @ h.at + shift)), axis=tuple(R @ h.axis))
    for body in [b for b in m.bodies if b != "ground"]:  # origins where the machine is, not at the world's
        at = np.mean([h.at for h in hinges if body in (h.first, h.second)], axis=0)
        frame = lw.placement(size.length * (R @ at + shift), matrix=geo.from_rotvec(rng.normal(size=3)))
        m.bodies[body] = dataclasses.replace(m.bodies[body], frame=frame)
    return m


def _loaded(m: lw.Mechanism, rng: Random, size: Size) -> None:
    """Masses, weight, and springs along some variables."""
    for name, body in m.bodies.items():
        if name == m.ground.name:
            continue
        own, com, tensor = random_inertia(rng, aligned=False)
        mass = size.mass * own * float(10.0 ** (size.spread * rng.uniform(-1, 1)))
        tensor = as_inertia(tensor * (mass / own * size.length**2))
        m.bodies[name] = dataclasses.replace(body, mass=mass, com=tuple(size.length * com), inertia=tensor)
    direction = rng.normal(size=3)
    m.gravity = tuple(float(g) for g in size.gravity * direction / np.linalg.norm(direction))
    if rng.random() < 0.5:
        for k, variable in enumerate(rng.permutation(plain_variables(m))[:2]):
            joint, _, which = str(variable).partition(".")
            law = m.joints[joint].law
            long = next(v for v in law.variables if v.name == which).dimension == "length"
            unit = size.mass if long else size.mass * size.length**2
            k_, c, p = (float(x) for x in rng.uniform(0.1, 3.0, 3))
            free, lengths = float(rng.normal()), size.length if long else 1.0
            m.loads[f"spring{k}"] = Spring(
                f"spring{k}", variable=str(variable), stiffness=k_ * unit, free=free * lengths, damping=c * unit,
                preload=p * unit * lengths,
            )  # fmt: skip


__all__ = ["BY_NAME", "COUPLED", "FAMILIES", "MORE", "WIDER", "Case", "Couple", "Size", "drawn"]
