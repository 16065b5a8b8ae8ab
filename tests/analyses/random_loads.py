"""Random closed machines with masses and every kind of load, from the recipes of `random_loops`.

case = random_loaded_machine(seed)
state = case.state(np.random.default_rng(seed))     # closed variables, rates and accelerations of all joints
maximal.inverse(case.machine, state.y, state.w, state.dw, case.drivers, state.t)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from random_loops import Recipe, many_loops, planar_loops, single_loop, spherical_loops
from random_trees import random_inertia

import linkwork as lw
from linkwork.model.amounts import Amount, Formula, Steady, Tabulated, rate_of
from linkwork.model.bodies import inertia
from linkwork.model.loads import (
    Direction,
    Force,
    Friction,
    InSpace,
    JointLoad,
    Load,
    Motor,
    OnBody,
    Spring,
    Torque,
    Toward,
)

Array = np.ndarray
Random = np.random.Generator
SPATIAL = ("flat", "rack_flank", "spheric", "universal", "gear_flank", "free")
"""Kinds that single spatial loops have in turn."""
KINDS = (
    "revolute", "prismatic", "helical_left", "cylindric", "flat", "universal", "spheric", "gear", "gear_helical",
    "gear_flank", "rack", "rack_flank", "bevel", "point_on_egg", "line_on_egg", "line_on_ellipse", "point_on_slot5",
)  # fmt: skip
"""Kinds of the general machines."""


@dataclass(frozen=True)
class State:
    """Variables, rates and accelerations of all joints in the machine's order, and the time."""

    y: Array
    w: Array
    dw: Array
    t: float


@dataclass(frozen=True)
class Loaded:
    """A machine, and as many plain variables as determine all others."""

    mechanism: lw.Mechanism
    drives: tuple[str, ...]

    @cached_property
    def machine(self) -> Any:
        return self.mechanism.assemble()

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """Rates by which a floating assembly moves as a whole."""
        joints = self.mechanism.joints
        return tuple(r for r in self.machine.variable_rates if r.split(".")[0] not in joints)

    @property
    def drivers(self) -> tuple[str, ...]:
        """Rates whose efforts decide all accelerations."""
        return self.drives + self.roots

    def along(self, rates: Mapping[str, float], accelerations: Mapping[str, float], times: Sequence[float]) -> Any:
        """From home at t = 0, with constant accelerations of the drives."""
        t, home = np.array(times), self.machine.home
        rest = dict.fromkeys(self.drives, 0.0)
        v, a = rest | dict(rates), rest | dict(accelerations)
        return self.machine.solve(
            {n: home[n] + v[n] * t + a[n] * t**2 / 2 for n in self.drives},
            {n: v[n] + a[n] * t for n in self.drives},
            {n: np.full(t.shape, a[n]) for n in self.drives},
        )

    def draw(self, rng: Random) -> tuple[dict[str, float], dict[str, float]]:
        """Random rates and accelerations of the drives, within what the other joints can follow."""
        unit = [float(np.abs(self.along({n: 1.0}, {}, [0.0]).rates).max()) for n in self.drives]
        return tuple(
            {n: float(x) for n, x in zip(self.drives, rng.normal(size=len(unit)) * size / unit, strict=True)}
            for size in (2.0, 3.0)
        )

    def state(self, rng: Random, t: float = 0.3) -> State:
        """A random motion, a little after it left home; a floating assembly also moves as a whole, as it likes."""
        motion = self.draw(rng)
        ways = (self.along(*motion, np.linspace(0.0, end, 5)) for end in (0.1, 0.05, 0.02, 0.01, 0.004))
        found = next(way for way in ways if way.stopped is None)
        y, w, dw = (x[-1].copy() for x in (found.variables, found.rates, found.accelerations))
        as_a_whole = [self.machine.variable_rates.index(r) for r in self.roots]
        w[as_a_whole], dw[as_a_whole] = rng.normal(size=(2, len(as_a_whole)))
        return State(y, w, dw, t)


# ---------------------------------------------------------------- amounts


def some_amount(rng: Random, variables: Sequence[str], size: float, own: Sequence[str] = ()) -> Amount:
    """A number, a formula or a table; `own` are further names that it may use."""
    kind = rng.integers(4)
    if kind == 0:
        return Steady(float(size * rng.normal()))
    variable = str(rng.choice(variables))
    names = ("t", variable, rate_of(variable), *own)
    if kind == 1:
        a, b, c = (round(float(x), 3) for x in rng.normal(size=3))
        last = own[-1] if own else variable
        text = f"{a} + {b}*sin(3*t + {variable}) - {c}*tanh({rate_of(variable)})*{last}/(1 + {last}**2)"
        return Formula(text, tuple(dict.fromkeys((*names[:3], last))), float(size))
    over = str(rng.choice(names if not own else ("x",)))
    xs = np.sort(rng.uniform(-3.0, 3.0, 6)) + np.linspace(-0.5, 0.5, 6)
    return Tabulated(over, tuple(map(float, xs)), tuple(map(float, size * rng.normal(size=6))), smooth=bool(kind == 3))


def some_direction(rng: Random, bodies: Sequence[str], points: Sequence[str]) -> Direction:
    """One of the three kinds."""
    d = rng.normal(size=3)
    x, y, z = (float(c) for c in d / np.linalg.norm(d))
    kind = rng.integers(3)
    if kind == 0:
        return InSpace((x, y, z))
    if kind == 1:
        return OnBody(str(rng.choice(bodies)), (x, y, z))
    a, b = rng.choice(points, 2, replace=False)
    return Toward(str(a), str(b))


# ---------------------------------------------------------------- loads


def _joint_spring(name: str, rng: Random, variables: Sequence[str]) -> Spring:
    law = some_amount(rng, variables, 2.0, ("x", "v")) if rng.random() < 0.5 else None
    free = float(rng.normal()) if rng.random() < 0.5 else None
    k, c, preload = (float(x) for x in rng.uniform(0.0, 3.0, 3))
    variable = str(rng.choice(variables))
    return Spring(name, variable=variable, stiffness=k, free=free, damping=c, preload=preload, law=law)


def _point_spring(name: str, rng: Random, variables: Sequence[str], points: Sequence[str]) -> Spring:
    a, b = (str(p) for p in rng.choice(points, 2, replace=False))
    law = some_amount(rng, variables, 2.0, ("x", "v")) if rng.random() < 0.5 else None
    free = float(rng.uniform(0.1, 1.0)) if rng.random() < 0.5 else None
    k, c, preload = (float(x) for x in rng.uniform(0.0, 5.0, 3))
    return Spring(name, first=a, second=b, stiffness=k, free=free, damping=c, preload=preload, law=law)


def _friction(name: str, rng: Random, variables: Sequence[str]) -> Friction:
    variable = str(rng.choice(variables))
    viscous, speed = float(rng.uniform(0.0, 1.0)), float(rng.uniform(0.05, 1.0))
    if rng.random() < 0.5:
        turns = variable.endswith(("angle", "angle1", "angle2", "spread"))
        normal, radius = some_amount(rng, variables, 5.0), float(rng.uniform(0.01, 0.1)) if turns else 1.0
        return Friction(name, variable, viscous=viscous, speed=speed, coefficient=0.2, radius=radius, normal=normal)
    forward, backward = (float(x) for x in rng.uniform(0.1, 2.0, 2))
    return Friction(name, variable, forward, backward, viscous=viscous, speed=speed)


def _motor(name: str, rng: Random, variable: str) -> Motor:
    ratio = float(rng.choice([-1.0, 1.0]) * rng.uniform(2.0, 10.0))
    rotor, damping = float(rng.uniform(1e-3, 1e-2)), float(rng.uniform(0.0, 1e-2))
    forward, backward = (float(x) for x in rng.uniform(0.0, 0.2, 2))
    return Motor(name, variable, ratio, rotor, damping, forward, backward)


def plain_variables(m: lw.Mechanism) -> list[str]:
    """Angles and lengths, each with a rate of its own."""
    return [
        f"{n}.{v.name}"
        for n, j in m.joints.items()
        for v in j.law.variables
        if v.dimension != "number" and (j.law.rates is None or v.name in j.law.rates)
    ]


def load_at_random(m: lw.Mechanism, rng: Random) -> None:
    """Give a mechanism without masses masses, gravity, and two loads of every kind."""
    for name, body in m.bodies.items():
        mass, com, tensor = random_inertia(rng, aligned=False)
        if name != m.ground.name:
            own = inertia(tensor)
            m.bodies[name] = dataclasses.replace(body, mass=mass, com=tuple(map(float, com)), inertia=own)
        m.point(f"at_{name}", name, rng.uniform(-1.0, 1.0, 3))
    m.gravity = tuple(float(g) for g in 6.0 * rng.normal(size=3))
    variables, bodies = plain_variables(m), [b for b in m.bodies if b != m.ground.name]
    points = [f"at_{name}" for name in m.bodies]
    if rng.random() < 0.3:
        m.gravity_laws["y"] = Formula("1.5*sin(2*t)", ("t",))
    made: list[Load] = []
    for k in range(2):
        made.append(_joint_spring(f"spring{k}", rng, variables))
        made.append(_point_spring(f"coil{k}", rng, variables, points))
        made.append(_friction(f"bearing{k}", rng, variables))
        point, along = f"at_{rng.choice(bodies)}", some_direction(rng, bodies, points)
        made.append(Force(f"force{k}", point, along, some_amount(rng, variables, 5.0)))
        about = some_direction(rng, bodies, points)
        made.append(Torque(f"torque{k}", str(rng.choice(bodies)), about, some_amount(rng, variables, 2.0)))
        made.append(JointLoad(f"load{k}", str(rng.choice(variables)), some_amount(rng, variables, 3.0)))
    m.loads.update({load.name: load for load in made})
    for k, variable in enumerate(rng.permutation(variables)[:2]):
        m.motors[f"motor{k}"] = _motor(f"motor{k}", rng, str(variable))


def _recipe(seed: int) -> Recipe:
    """Planar, spherical and general machines with several loops and single spatial loops in turn; some float."""
    turn = seed % 1000 // 4
    if seed % 4 == 0:
        return planar_loops(seed, 1 + turn % 3)
    if seed % 4 == 1:
        return spherical_loops(seed, 1 + turn % 2)
    if seed % 4 == 2:
        return many_loops(seed, 1 + turn % 3, KINDS, mobility=1 + turn % 3, floating=turn % 2 == 1)
    return single_loop(seed, SPATIAL[turn % len(SPATIAL)], 1 + turn % 2, KINDS)


def _drives(recipe: Recipe, seed: int) -> list[str]:
    """Plain variables that determine all others well, or none."""
    hand = recipe.hand
    drives = hand.independent(hand.layout, np.random.default_rng(seed))
    if drives:
        left = hand.jacobian(hand.layout)[:, ~np.isin(hand.rates, drives)]
        singular = np.linalg.svd(left, compute_uv=False)
        if singular[singular > 1e-9 * singular[0]][-1] > 5e-2:
            return drives
    return []


@cache
def random_loaded_machine(seed: int) -> Loaded:
    """A closed machine with masses, gravity and loads of every kind."""
    for attempt in range(100):
        recipe = _recipe(1000 * attempt + seed)
        drives = _drives(recipe, seed)
        if drives:
            m = recipe.mechanism()
            load_at_random(m, np.random.default_rng([seed, 7]))
            return Loaded(m, tuple(drives))
    raise AssertionError("no machine with plain drives")
