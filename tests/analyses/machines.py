"""Mechanisms of textbooks whose mobility is known, and ways to place, scale and recut them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import linkwork as lw
from linkwork import geometry as geo

Pose = np.ndarray
HERE = np.eye(4)


class Builder:
    """Adds joints at places and axes moved by a pose and scaled: one machine in many placements."""

    def __init__(self, name: str, X: Pose = HERE, scale: float = 1.0) -> None:
        self.m = lw.Mechanism(name)
        self.X, self.scale = X, scale

    def bodies(self, *names: str) -> None:
        for name in names:
            self.m.body(name)

    def at(self, p: object) -> np.ndarray:
        return geo.transform_points(self.X, self.scale * np.asarray(p, float))

    def axis(self, a: object) -> np.ndarray:
        return geo.transform_vectors(self.X, np.asarray(a, float))

    def add(self, kind: str, name: str, tail: str, head: str, at: object, axis: object = (0, 0, 1)) -> None:
        getattr(self.m, kind)(name, tail, head, at=self.at(at), axis=self.axis(axis))


def four_bar(X: Pose = HERE, scale: float = 1.0) -> lw.Mechanism:
    """Planar four-bar: mobility 1."""
    b = Builder("four-bar", X, scale)
    b.bodies("crank", "coupler", "rocker")
    b.add("revolute", "A", "ground", "crank", (0, 0, 0))
    b.add("revolute", "B", "crank", "coupler", (0.1, 0.4, 0))
    b.add("revolute", "C", "coupler", "rocker", (1.1, 0.8, 0))
    b.add("revolute", "D", "ground", "rocker", (1, 0, 0))
    return b.m


def slider_crank(X: Pose = HERE, scale: float = 1.0) -> lw.Mechanism:
    """Planar slider-crank: mobility 1."""
    b = Builder("slider-crank", X, scale)
    b.bodies("crank", "rod", "piston")
    b.add("revolute", "A", "ground", "crank", (0, 0, 0))
    b.add("revolute", "B", "crank", "rod", (0.05, 0.03, 0))
    b.add("revolute", "C", "rod", "piston", (0.25, 0, 0))
    b.add("prismatic", "D", "ground", "piston", (0.25, 0, 0), (1, 0, 0))
    return b.m


def hooke(
    X: Pose = HERE, scale: float = 1.0, beta: float = math.radians(150), psi: float = math.radians(30)
) -> lw.Mechanism:
    """Cardan coupling of two shafts as a spherical 4R (Matrix Methods, example 5.1): mobility 1."""
    b = Builder("hooke", X, scale)
    b.bodies("output", "cross", "input")
    into = np.array([0.0, math.cos(beta), math.sin(beta)])
    out = np.array([0.0, 1.0, 0.0])
    # The pin on the input shaft turns with it; the other pin is across both that pin and the output shaft.
    first = math.cos(psi) * np.array([1.0, 0, 0]) + math.sin(psi) * np.cross(into, [1.0, 0, 0])
    second = np.cross(first, out)
    b.add("revolute", "A", "ground", "output", (0, 0, 0), out)
    b.add("revolute", "B", "output", "cross", (0, 0, 0), second)
    b.add("revolute", "C", "cross", "input", (0, 0, 0), first)
    b.add("revolute", "D", "input", "ground", (0, 0, 0), into)
    return b.m


def loop_of(name: str, frames: list[Pose], X: Pose = HERE, scale: float = 1.0, kind: str = "revolute") -> lw.Mechanism:
    """A single loop of joints about the z axes of given frames."""
    b = Builder(name, X, scale)
    n = len(frames)
    b.bodies(*(f"link{i}" for i in range(1, n)))
    bodies = ["ground", *(f"link{i}" for i in range(1, n)), "ground"]
    for i, frame in enumerate(frames):
        b.add(kind, f"J{i + 1}", bodies[i], bodies[i + 1], frame[:3, 3], frame[:3, 2])
    return b.m


def bennett(X: Pose = HERE, scale: float = 1.0, t1: float = math.radians(60)) -> lw.Mechanism:
    """Bennett's skew 4R, twists 30 and 60 deg: Grübler counts -2, it moves with mobility 1."""
    alpha, beta = math.radians(30), math.radians(60)
    a, b = math.sin(alpha), math.sin(beta)
    # tan(t1/2) tan(t2/2) = sin((β+α)/2) / sin((β-α)/2)
    t2 = 2 * math.atan(math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2) / math.tan(t1 / 2))
    X_i, frames = np.eye(4), []
    for theta, length, twist in ((t1, a, alpha), (t2, b, beta), (-t1, a, alpha), (-t2, b, beta)):
        frames.append(X_i)
        X_i = X_i @ geo.dh_standard(theta, 0.0, length, twist)
    if not np.allclose(X_i, np.eye(4), atol=1e-12):
        raise AssertionError("the linkage of the test does not close")
    return loop_of("bennett", frames, X, scale)


def bricard(X: Pose = HERE, scale: float = 1.0, t1: float = math.radians(70)) -> lw.Mechanism:
    """Bricard's threefold-symmetric 6R, twists ±90 deg, equal lengths: Grübler counts 0, it moves with mobility 1."""
    # cos t1 + cos t2 + cos t1 cos t2 = 0
    t2 = math.acos(-math.cos(t1) / (1 + math.cos(t1)))
    X_i, frames = np.eye(4), []
    for i in range(6):
        frames.append(X_i)
        X_i = X_i @ geo.dh_standard((t1, t2)[i % 2], 0.0, 1.0, (math.pi / 2, -math.pi / 2)[i % 2])
    if not np.allclose(X_i, np.eye(4), atol=1e-12):
        raise AssertionError("the linkage of the test does not close")
    return loop_of("bricard", frames, X, scale)


def stewart(X: Pose = HERE, scale: float = 1.0) -> lw.Mechanism:
    """Gough-Stewart platform with six legs UPS: mobility 6."""
    b = Builder("stewart", X, scale)
    b.bodies("platform")

    def ring(radius: float, degrees: float, height: float) -> np.ndarray:
        angle = math.radians(degrees)
        return np.array([radius * math.cos(angle), radius * math.sin(angle), height])

    for i, (low, high) in enumerate(zip((-10, 10, 110, 130, 230, 250), (-50, 50, 70, 170, 190, 290), strict=True), 1):
        p, q = ring(1.0, low, 0.0), ring(0.6, high, 0.9)
        leg = (q - p) / np.linalg.norm(q - p)
        across = np.cross(leg, [0.3, 0.4, 0.5])
        b.bodies(f"lower{i}", f"upper{i}")
        axes = (b.axis(across), b.axis(np.cross(leg, across)))
        b.m.universal(f"U{i}", "ground", f"lower{i}", at=b.at(p), axes=axes)
        b.add("prismatic", f"P{i}", f"lower{i}", f"upper{i}", p, leg)
        b.add("spheric", f"S{i}", f"upper{i}", "platform", q)
    return b.m


def ferguson(X: Pose = HERE, scale: float = 1.0) -> lw.Mechanism:
    """Ferguson's paradox (Matrix Methods, example 5.5): a planet of 10 teeth on suns of 99, 100 and 101; mobility 1."""
    inch = 0.0254
    b = Builder("ferguson", X, scale)
    b.bodies("carrier", "planet", "sun101", "sun99")
    z = {"C": 1.0, "D": 2.0, "F": 1.0, "G": -1.0}
    b.add("revolute", "A", "carrier", "planet", (2.75 * inch, 0, 0))
    b.add("revolute", "B", "ground", "carrier", (0, 0, 3 * inch))

    def gear(name: str, tail: str, teeth: int) -> None:
        height = z.get(name, 0.0) * inch
        at, to = b.at((0, 0, height)), b.at((2.75 * inch, 0, height))
        axis = b.axis((0, 0, 1))
        b.m.gear(name, tail, "planet", at=at, to=to, axis=axis, teeth=(teeth, 10), module=b.scale * inch / 20)

    gear("C", "sun101", 101)
    b.add("revolute", "D", "ground", "sun101", (0, 0, 2 * inch))
    gear("E", "sun99", 99)
    b.add("revolute", "F", "ground", "sun99", (0, 0, inch))
    gear("G", "ground", 100)
    return b.m


def rssr(X: Pose = HERE, scale: float = 1.0) -> lw.Mechanism:
    """Two cranks and a rod with balls: mobility 2, one of them the idle spin of the rod."""
    b = Builder("rssr", X, scale)
    b.bodies("crank", "rod", "rocker")
    b.add("revolute", "A", "ground", "crank", (0, 0, 0), (0, 0, 1))
    b.add("spheric", "B", "crank", "rod", (0.3, 0.1, 0))
    b.add("spheric", "C", "rod", "rocker", (0.9, 0.4, 0.7))
    b.add("revolute", "D", "ground", "rocker", (1, 0, 0.2), (0.1, 1, 0.3))
    return b.m


MACHINES: dict[str, tuple[Callable[..., lw.Mechanism], int, int, int]] = {
    # name: builder, freedoms, Grübler's count, mobility
    "four-bar": (four_bar, 4, 1, 1),
    "slider-crank": (slider_crank, 4, 1, 1),
    "hooke": (hooke, 4, 1, 1),
    "bennett": (bennett, 4, -2, 1),
    "bricard": (bricard, 6, 0, 1),
    "stewart": (stewart, 36, 6, 6),
    "ferguson": (ferguson, 13, 1, 1),
    "rssr": (rssr, 8, 2, 2),
}
