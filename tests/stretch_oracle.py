"""Machines with bodies that stretch, and the same from ordinary bodies, joints and couplings alone.

A stretching body is a cloud of point masses: r = r₀ + η u g·(r₀ - o). In the ordinary machine each of them is a body on
a slider of its own on a frame without mass, coupled to one slider that stands for η; so is whatever sits on the body.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.geometry import Array


@dataclass
class Stretching:
    """A body that stretches: points [m], their masses [kg], and its stretches by name (start, end, toward)."""

    name: str
    points: Array
    masses: Array
    stretches: dict[str, tuple[Array, Array, Array]]
    frames: int = 0
    sliders: list[str] = field(default_factory=list)

    def properties(self) -> dict[str, Any]:
        """Mass, centre and inertia about it."""
        mass = float(self.masses.sum())
        com = self.masses @ self.points / mass
        r = self.points - com
        square = np.einsum("k,ki,kj->ij", self.masses, r, r)
        inertia = np.trace(square) * np.eye(3) - square
        return {"mass": mass, "com": tuple(com), "inertia": inertia}

    def shift(self, name: str, at: Any) -> float:
        """How far a place moves for a unit of a stretch."""
        start, end, _ = self.stretches[name]
        line = end - start
        return float(line @ (np.asarray(at) - start) / (line @ line))

    def add_whole(self, m: lw.Mechanism) -> None:
        """As one body that owns coordinates."""
        m.body(self.name, **self.properties())
        for name, (start, end, toward) in self.stretches.items():
            m.stretch(name, self.name, start, end, toward=toward)

    def add_parts(self, m: lw.Mechanism) -> None:
        """As a frame without mass and a mass on a slider for every point; joints hang on what `carrier` gives."""
        m.body(self.name)
        for name, (start, _, toward) in self.stretches.items():
            m.body(f"{name}_master")
            m.prismatic(name, self.name, f"{name}_master", at=start, axis=toward)
        for k, (at, mass) in enumerate(zip(self.points, self.masses, strict=True)):
            self.carrier(m, at, f"{self.name}_p{k}", mass)

    def carrier(self, m: lw.Mechanism, at: Any, name: str, mass: float = 0.0) -> str:
        """A body that moves like the place `at`."""
        before = self.name
        for k, (stretch, (_, _, toward)) in enumerate(self.stretches.items()):
            last = k == len(self.stretches) - 1
            body = name if last else f"{name}_{k}"
            m.body(body, mass=mass if last else 0.0, com=tuple(at))
            m.prismatic(f"{body}_slide", before, body, at=at, axis=toward)
            m.couple(f"{body}_tie", f"{body}_slide", f"{self.shift(stretch, at)!r}*{stretch}")
            before = body
        return before


def random_body(rng: np.random.Generator, name: str, place: Array, stretches: list[str]) -> Stretching:
    """A cloud of masses near a place."""
    points = place + rng.normal(0.0, 0.3, (5, 3))
    given = {}
    for own in stretches:
        start = place + rng.normal(0.0, 0.2, 3)
        line, toward = rng.normal(0.0, 1.0, 3), rng.normal(0.0, 1.0, 3)
        given[own] = (start, start + line, toward / np.linalg.norm(toward))
    return Stretching(name, points, rng.uniform(0.5, 2.0, 5), given)


def swinging(whole: bool, closed: bool = False) -> lw.Mechanism:
    """A boom that stretches and sways on a pin, with a bob at its end; closed: the bob slides on ground as well."""
    m = lw.Mechanism("swinging", gravity=(0, -9.81, 0))
    points = np.array([[0.2, 0.0, 0.0], [0.5, 0.1, 0.0], [0.9, -0.05, 0.0], [0.6, 0.0, 0.0]])
    line, across = (np.array(x, float) for x in ((0, 0, 0), (0, 1, 0)))
    end = np.array([1.0, 0.0, 0.0])
    boom = Stretching(
        "boom",
        points,
        np.array([0.8, 0.5, 0.7, 0.4]),
        {"reach": (line, end, end), "sway": (line, end, across)},
    )
    (boom.add_whole if whole else boom.add_parts)(m)
    tip = "boom" if whole else boom.carrier(m, (1.0, 0.0, 0.0), "tip")
    m.body("bob", mass=0.6, com=(1.0, -0.4, 0.0), inertia=(0.02, 0.02, 0.03))
    m.revolute("A", m.ground, "boom", at=(0, 0, 0), axis="z")
    m.revolute("B", tip, "bob", at=(1, 0, 0), axis="z")
    m.spring("k1", joint="reach", stiffness=400.0, damping=1.0)
    m.spring("k2", joint="sway", stiffness=300.0)
    m.point("P", tip, at=(1, 0, 0))
    if closed:
        m.body("slider", mass=0.3)
        m.revolute("C", "bob", "slider", at=(1.0, -0.8, 0.0), axis="z")
        m.prismatic("D", m.ground, "slider", at=(1.0, -0.8, 0.0), axis="x")
    return m
