"""Random loops with a crank that turns round and round, made heavy enough by a flywheel, in space and in a plane.

Their rows stay independent all the way; pivots chosen at the start need not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import linkwork as lw

Array = np.ndarray
SPATIAL = ("rssr", "rssp", "rsur", "rsup", "rccc", "spherical")
PLANAR = ("four-bar", "slider-crank", "six-bar")
KINDS = SPATIAL + PLANAR
SPEED = 30.0
"""Of the crank at the start [rad/s]."""


class Maker:
    """A mechanism that is added to at random."""

    def __init__(self, kind: str, seed: int) -> None:
        self.rng = np.random.default_rng([KINDS.index(kind), seed])
        self.m = lw.Mechanism(f"{kind}-{seed}", gravity=(0.0, -3.0, -9.0))

    def unit(self) -> Array:
        """A direction."""
        v = self.rng.normal(size=3)
        return v / np.linalg.norm(v)

    def across(self, v: Array) -> Array:
        """A direction at a right angle to another one."""
        found = np.cross(v, self.unit())
        return found / np.linalg.norm(found)

    def body(self, name: str, a: Array, b: Array) -> None:
        """A rod between two points, with a centre of mass somewhere near and any inertia."""
        mass, size = self.rng.uniform(0.2, 1.0), max(float(np.linalg.norm(b - a)), 0.1)
        Q, _ = np.linalg.qr(self.rng.normal(size=(3, 3)))
        inertia = Q @ np.diag(self.rng.uniform(0.5, 0.9, 3) * mass * size**2 / 12) @ Q.T
        com = a + self.rng.uniform(0.2, 0.8) * (b - a) + 0.05 * size * self.rng.normal(size=3)
        self.m.body(name, mass=mass, com=tuple(com), inertia=inertia)

    def crank(self, r: float) -> Array:
        """A flywheel about z with a pin; where the pin is."""
        A = np.array([r, 0.0, 0.0])
        self.m.body("crank", mass=1.0, com=(0.3 * r, 0, 0), inertia=(0.1, 0.1, 0.2))
        self.m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
        return A


def turning_machine(kind: str, seed: int) -> lw.Mechanism:
    """A machine of a kind, drawn anew by each seed."""
    own = Maker(kind, seed)
    m, rng = own.m, own.rng
    A = own.crank(rng.uniform(0.06, 0.12))
    if kind in ("rssr", "rsur"):
        foot = np.array([0.6, 0.2, 0.1]) + 0.1 * rng.normal(size=3)
        C = np.array([0.5, -0.3, 0.5]) + 0.05 * rng.normal(size=3)
        axis = np.cross(C - foot, C - A)  # so that the rod pushes where the rocker can go
        axis = axis / np.linalg.norm(axis) + 0.15 * rng.normal(size=3)
        _rod(own, kind[2] == "u", A, C)
        own.body("rocker", foot, C)
        m.revolute("D", "ground", "rocker", at=tuple(foot), axis=tuple(axis / np.linalg.norm(axis)))
    elif kind in ("rssp", "rsup"):
        C = 0.6 * own.unit()
        C[2] += 0.2
        way = C / np.linalg.norm(C) + 0.4 * rng.normal(size=3)
        _rod(own, kind[2] == "u", A, C)
        own.body("slider", C, C + 0.1 * own.unit())
        m.prismatic("D", "ground", "slider", at=tuple(C), axis=tuple(way / np.linalg.norm(way)))
    elif kind in ("rccc", "spherical"):
        b, c, d = _spherical_four_bar(rng)
        free = kind == "rccc"
        B, C, D = ((0.2 * rng.normal(size=3) if free else 0.3 * v) for v in (b, c, d))
        own.body("rod", B, C)
        own.body("rocker", D, C)
        join = m.cylindric if free else m.revolute
        for name, tail, head, at, v in (
            ("B", "crank", "rod", B, b),
            ("C", "rod", "rocker", C, c),
            ("D", "ground", "rocker", D, d),
        ):
            join(name, tail, head, at=tuple(at), axis=tuple(v))
    else:
        _planar(own, kind, A)
    return m


def _rod(own: Maker, universal: bool, A: Array, C: Array) -> None:
    """A rod on the crank's pin with a ball there, and a ball or a Hooke's joint at its other end."""
    second = "rocker" if own.m.name.startswith(("rssr", "rsur")) else "slider"
    own.body("rod", A, C)
    own.m.spheric("B", "crank", "rod", at=tuple(A))
    if universal:
        first = own.across(C - A)
        other = np.cross(C - A, first) / np.linalg.norm(C - A)
        own.m.universal("C", "rod", second, at=tuple(C), axes=(tuple(first), tuple(other)))
    else:
        own.m.spheric("C", "rod", second, at=tuple(C))


def _planar(own: Maker, kind: str, A: Array) -> None:
    m, rng = own.m, own.rng

    def pin(name: str, tail: str, head: str, at: Array) -> None:
        m.revolute(name, tail, head, at=tuple(at), axis="z")

    def near(x: float, y: float) -> Array:
        return np.array([x + 0.04 * rng.normal(), y + 0.04 * rng.normal(), 0.0])

    C = near(0.5, 0.35)
    own.body("rod", A, C)
    pin("B", "crank", "rod", A)
    if kind == "slider-crank":
        way = np.arctan2(C[1], C[0]) + rng.uniform(-0.4, 0.4)
        own.body("slider", C, C)
        pin("C", "rod", "slider", C)
        m.prismatic("D", "ground", "slider", at=tuple(C), axis=(np.cos(way), np.sin(way), 0.0))
        return
    foot = np.array([0.6, 0.0, 0.0])
    own.body("rocker", foot, C)
    pin("C", "rod", "rocker", C)
    pin("D", "ground", "rocker", foot)
    if kind == "six-bar":
        E, far, foot = near(0.65, 0.2), near(1.1, 0.25), near(1.2, -0.2)
        own.body("link", E, far)
        own.body("lever", foot, far)
        pin("E", "rocker", "link", E)
        pin("F", "link", "lever", far)
        pin("G", "ground", "lever", foot)


def _spherical_four_bar(rng: Any) -> tuple[Array, Array, Array]:
    """Directions of the axes after that of the crank, z, which turns fully."""
    crank, rod, rocker, ground = rng.uniform([0.3, 1.0, 0.9, 1.1], [0.45, 1.2, 1.1, 1.3])
    b, d = _turned(crank, 0.0), _turned(ground, 0.3)
    return b, _on_sphere(b, d, rod, rocker), d


def _turned(angle: float, about: float) -> Array:
    return np.array([np.sin(angle) * np.cos(about), np.sin(angle) * np.sin(about), np.cos(angle)])


def _on_sphere(b: Array, d: Array, to_b: float, to_d: float) -> Array:
    """A direction at given angles from two others."""
    G = np.array([[1.0, b @ d], [b @ d, 1.0]])
    x, y = np.linalg.solve(G, [np.cos(to_b), np.cos(to_d)])
    flat, n = x * b + y * d, np.cross(b, d)
    return flat + n / np.linalg.norm(n) * np.sqrt(1.0 - flat @ flat)


def whole_turns(machine: Any, run: Any) -> float:
    """How often the crank has turned."""
    return float(abs(run["A"].value.values[-1] - run["A"].value.values[0]) / (2.0 * np.pi))
