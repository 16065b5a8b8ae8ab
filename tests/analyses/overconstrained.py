"""Random machines that move although they have too many constraints: every classic kind, of any size, anywhere.

case = overconstrained(seed)       # .machine moves with one freedom when "A" is driven
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from random_trees import random_inertia

import linkwork as lw
from linkwork import geometry as geo

Array = np.ndarray
Random = np.random.Generator


@dataclass(frozen=True)
class Hinge:
    """A joint by its kind, bodies, place and axis."""

    kind: str
    first: str
    second: str
    at: Array
    axis: Array


def _ring(places: Array, axes: Array, kinds: list[str] | None = None) -> list[Hinge]:
    """A single loop through the ground, joint after joint."""
    count = len(places)
    bodies = ["ground", *(f"link{k}" for k in range(1, count)), "ground"]
    kinds = kinds or ["revolute"] * count
    return [Hinge(kinds[k], bodies[k], bodies[k + 1], places[k], axes[k]) for k in range(count)]


def _flat(rng: Random, places: Array) -> Array:
    """Places of a plane, each at a height of its own."""
    return np.column_stack([places, rng.uniform(-0.3, 0.3, len(places))])


def four_bar(rng: Random) -> list[Hinge]:
    """Parallel axes; some joints slide along theirs too."""
    places = np.array([[0, 0], [0.4, 0.5], [1.3, 0.8], [1.1, 0]]) + 0.15 * rng.uniform(-1, 1, (4, 2))
    kinds = ["revolute"] + ["cylindric" if k == rng.integers(1, 8) else "revolute" for k in (1, 2, 3)]
    return _ring(_flat(rng, places), np.tile([0.0, 0.0, 1.0], (4, 1)), kinds)


def slider_crank(rng: Random) -> list[Hinge]:
    """Three parallel hinges and a slide across them."""
    places = np.array([[0, 0], [0.3, 0.3], [1.2, 0.1], [1.2, 0.1]]) + 0.1 * rng.uniform(-1, 1, (4, 2))
    axes = np.array([[0, 0, 1.0], [0, 0, 1.0], [0, 0, 1.0], [1.0, 0.2, 0.0]])
    return _ring(_flat(rng, places), axes, ["revolute", "revolute", "revolute", "prismatic"])


def parallelogram(rng: Random) -> list[Hinge]:
    """Equal cranks carry one coupler: three of them, or four."""
    crank = np.array([0.3, 0.5]) + 0.1 * rng.uniform(-1, 1, 2)
    found = []
    for k in range(int(rng.integers(3, 5))):
        foot = np.array([0.6 * k, 0.0]) + 0.2 * rng.uniform(-1, 1, 2)
        for first, second, at in (("ground", f"crank{k}", foot), (f"crank{k}", "coupler", foot + crank)):
            found.append(Hinge("revolute", first, second, _flat(rng, at[np.newaxis])[0], np.array([0, 0, 1.0])))
    return found


def sarrus(rng: Random) -> list[Hinge]:
    """Two or three legs of parallel hinges, whose planes differ, carry a table that moves straight."""
    found = []
    angle = rng.uniform(0, 2)
    for k in range(int(rng.integers(2, 4))):
        R = geo.from_rotvec([0, 0, angle])
        knee = [1.2 + rng.uniform(0.1, 0.6), 0, 0.5]
        for first, second, at in (
            ("ground", f"lower{k}", [1, 0, 0]),
            (f"lower{k}", f"upper{k}", knee),
            (f"upper{k}", "table", [1 + rng.uniform(-0.2, 0.1), 0, 1]),
        ):
            found.append(Hinge("revolute", first, second, R @ np.array(at, float), R @ [0, 1.0, 0]))
        angle += rng.choice([np.pi / 2, rng.uniform(0.6, 1.8)])
    return found


def _half_turned(lines: list[tuple[Array, Array]]) -> list[Hinge]:
    half = np.diag([-1.0, -1.0, 1.0])
    whole = lines + [(half @ p, half @ a) for p, a in lines]
    return _ring(np.array([p for p, _ in whole]), np.array([a for _, a in whole]))


def bennett(rng: Random) -> list[Hinge]:
    """A skew quadrilateral that a half turn maps onto itself; each hinge stands across both of its sides."""
    a, b = rng.uniform(0.4, 1.0, 3), rng.uniform(0.4, 1.0, 3) * [-1.0, 1.0, -0.7]
    half = np.diag([-1.0, -1.0, 1.0])
    corners = [a, b, half @ a, half @ b]
    axes = [np.cross(corners[k - 1] - corners[k], corners[(k + 1) % 4] - corners[k]) for k in range(4)]
    return _half_turned([(corners[k], axes[k] / np.linalg.norm(axes[k])) for k in (0, 1)])


def bricard(rng: Random) -> list[Hinge]:
    """Three lines in space and their images under a half turn."""
    ends = np.array([[1.0, 0.2, 0.1], [0.5, 0.9, 0.4], [-0.4, 1.0, -0.2]]) + 0.2 * rng.uniform(-1, 1, (3, 3))
    return _half_turned([(p, geo.from_rotvec(rng.normal(size=3)) @ [0, 0, 1.0]) for p in ends])


def spherical(rng: Random) -> list[Hinge]:
    """Axes through one point; hinges sit anywhere along them."""
    axes = np.array([[0, 0, 1], [0.5, 0, 1], [0.8, 0.9, 1], [0, 0.9, 0.8]]) + 0.1 * rng.uniform(-1, 1, (4, 3))
    return _ring(axes * rng.uniform(0.4, 1.0, (4, 1)), axes)


def doubled(rng: Random) -> list[Hinge]:
    """A door on two or three hinges, or a carriage on as many rods, perhaps with an arm on two more."""
    kind = rng.choice(["revolute", "prismatic"])
    axis = np.array([0, 0, 1.0])
    many = range(int(rng.integers(2, 4)))
    places = [[0, 0, 0.4 * k] if kind == "revolute" else [*rng.uniform(-0.5, 0.5, 2), 0.3 * k] for k in many]
    found = [Hinge(str(kind), "ground", "door", np.array(p), axis) for p in places]
    if rng.random() < 0.5:
        at, along = np.array([0.5, 0.1, 0.2]), np.array([1.0, 1.0, 0.3])
        found.append(Hinge("cylindric", "door", "arm", at, along))
        found.append(Hinge("revolute", "door", "arm", at + 0.7 * along, along))
    return found


KINDS: tuple[Callable[[Random], list[Hinge]], ...] = (
    four_bar, slider_crank, parallelogram, sarrus, bennett, bricard, spherical, doubled,
)  # fmt: skip


@dataclass(frozen=True)
class Overconstrained:
    """A machine, its kind, its size [m], and the angle or the part of its size by which A moves."""

    machine: lw.Machine
    kind: str
    size: float
    drives: tuple[str, ...]

    def motion(self, reach: float, samples: int) -> lw.Run:
        """A turns or slides by a reach, and back a little, at a changing speed; the other drives stay."""
        laws = {}
        for n in self.drives:
            law = self.machine.mechanism.joints[n.partition(".")[0]].law
            unit = self.size if law.variables[0].dimension == "length" else 1.0
            moved = reach * unit if n == self.drives[0] else 0.5 * reach * unit
            laws[n] = lw.expression(f"{float(self.machine.home[n])!r} + ({moved!r})*sin(2*t)")
        return self.machine.motion(laws, samples=samples, duration=1.0)


def overconstrained(seed: int, decades: float = 6.0) -> Overconstrained:
    """The kinds in turn, anywhere in space, with sizes from 10^-decades to 10^decades m, hinges either way round."""
    rng = np.random.default_rng([15, seed])
    build = KINDS[seed % len(KINDS)]
    hinges = build(rng)
    size = float(10.0 ** rng.uniform(-decades, decades))
    R = geo.from_rotvec(rng.normal(size=3)) if rng.random() < 0.7 else np.eye(3)
    shift = rng.uniform(-2, 2, 3)
    m = lw.Mechanism(build.__name__, gravity=tuple(rng.uniform(-10, 10, 3) * size))
    for body in dict.fromkeys(b for h in hinges for b in (h.first, h.second) if b != "ground"):
        own = np.mean([h.at for h in hinges if body in (h.first, h.second)], axis=0) + 0.1 * rng.normal(size=3)
        mass, _, inertia = random_inertia(rng, aligned=False)
        m.body(body, mass=mass, com=tuple(size * (R @ own + shift)), inertia=size**2 * inertia)
    for name, h in zip("ABCDEFGHIJKL", hinges, strict=False):
        ends = (h.first, h.second) if rng.random() < 0.7 else (h.second, h.first)
        getattr(m, h.kind)(name, *ends, at=tuple(size * (R @ h.at + shift)), axis=tuple(R @ h.axis))
    X = geo.from_rotvec(rng.normal(size=3))
    at = tuple(size * (shift + rng.uniform(-1, 1, 3)))
    m.frame("askew", hinges[-1].first, at=at, axis=tuple(X[:, 2]), x=tuple(X[:, 0]))
    machine = m.assemble()
    return Overconstrained(machine, build.__name__, size, machine.loops.drivable(machine.home._roles.independent))
