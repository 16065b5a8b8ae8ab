"""Machines whose closures are known by other means: Dietmaier's platform, rows of planar dyads; and their solvers."""

from __future__ import annotations

import cmath
from dataclasses import dataclass

import numpy as np

import linkwork as lw
from linkwork import geometry as geo

Array = np.ndarray

# P. Dietmaier, The Stewart-Gough platform of general geometry can have 40 real postures (1998), rounded as printed:
# joints on the base, joints on the platform, lengths of the legs.
BASE = np.array(
    [[0, 0, 0], [1.107915, 0, 0], [0.549094, 0.756063, 0], [0.735077, -0.223935, 0.525991],
     [0.514188, -0.526063, -0.368418], [0.590473, 0.094733, -0.205018]]
)  # fmt: skip
TOP = np.array(
    [[0, 0, 0], [0.542805, 0, 0], [0.956919, -0.528915, 0], [0.665885, -0.353482, 1.402538],
     [0.478359, 1.158742, 0.107672], [-0.137087, -0.235121, 0.353913]]
)  # fmt: skip
LEGS = np.array([1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])


# --- platforms --------------------------------------------------------------------------------------------------------


def leg_errors(R: Array, p: Array) -> tuple[Array, Array]:
    """e = |p + R b - a|² - l² (N, 6) and its Jacobian (N, 6, 6) by p and a small turn."""
    arms = np.einsum("nij,kj->nki", R, TOP)
    legs = p[:, None] + arms - BASE
    return (legs**2).sum(-1) - LEGS**2, np.concatenate([2 * legs, 2 * np.cross(arms, legs)], -1)


def forty_poses(starts: int = 8000, seed: int = 7) -> Array:
    """Poses (N, 3, 4) of Dietmaier's platform by damped least squares and Newton's method in the pose itself."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(starts, 4))
    R = geo.from_quaternion(q / np.linalg.norm(q, axis=1, keepdims=True))
    p = rng.normal(size=(starts, 3))
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    damping = np.full(starts, 1e-2)
    e, J = leg_errors(R, p)
    for _ in range(100):
        H = np.einsum("nki,nkj->nij", J, J) + damping[:, None, None] * np.eye(6)
        x = -np.linalg.solve(H, np.einsum("nki,nk->ni", J, e)[..., None])[..., 0]
        R_new, p_new = turned(x[:, 3:]) @ R, p + x[:, :3]
        e_new, J_new = leg_errors(R_new, p_new)
        good = (e_new**2).sum(1) < (e**2).sum(1)
        R[good], p[good], e[good], J[good] = R_new[good], p_new[good], e_new[good], J_new[good]
        damping = np.clip(np.where(good, damping / 5, damping * 3), 1e-15, 1e6)
    near = np.abs(e).max(1) < 1e-6
    return distinct(newton(R[near], p[near]))


def turned(w: Array) -> Array:
    """Rotations by vectors (N, 3)."""
    half = 0.5 * np.linalg.norm(w, axis=1, keepdims=True)
    return geo.from_quaternion(np.concatenate([np.cos(half), 0.5 * w * np.sinc(half / np.pi)], axis=1))


def newton(R: Array, p: Array) -> Array:
    """Poses (N, 3, 4) with legs right to rounding; what does not get there is left out."""
    for _ in range(60):
        e, J = leg_errors(R, p)
        x = -np.linalg.solve(J, e[..., None])[..., 0]
        x *= np.minimum(1.0, 0.2 / np.maximum(np.abs(x).max(1), 1e-300))[:, None]
        R, p = turned(x[:, 3:]) @ R, p + x[:, :3]
        U, _, Vt = np.linalg.svd(R)
        R = U @ Vt
    good = np.abs(leg_errors(R, p)[0]).max(1) < 2e-15
    return np.concatenate([R[good], p[good][..., None]], axis=2)


def distinct(X: Array) -> Array:
    """One of each that are nearer than 1e-7."""
    kept: list[Array] = []
    for x in X:
        if not any(np.abs(x - other).max() < 1e-7 for other in kept):
            kept.append(x)
    return np.array(kept)


def platform(X: Array, legs: str = "US", top: Array = TOP, base: Array = BASE) -> lw.Mechanism:
    """A platform at a pose (3, 4) on legs: US, SS, or UPS with the length of leg i as Pi."""
    R, p = X[:, :3], X[:, 3]
    m = lw.Mechanism("platform")
    m.body("platform", frame=lw.placement(p, matrix=R))
    for i, (a, b) in enumerate(zip(base, top @ R.T + p, strict=True)):
        along = (b - a) / np.linalg.norm(b - a)
        across = np.cross(along, [0.3, 0.5, 0.8])
        across /= np.linalg.norm(across)
        upper = f"leg{i}"
        m.body(upper)
        if legs == "SS":
            m.spheric(f"T{i}", "ground", upper, at=a)
        else:
            lower = f"lower{i}" if legs == "UPS" else upper
            if legs == "UPS":
                m.body(lower)
                m.prismatic(f"P{i}", lower, upper, at=a, axis=along, value=float(np.linalg.norm(b - a)))
            m.universal(f"U{i}", "ground", lower, at=a, axes=(across, np.cross(along, across)))
        m.spheric(f"S{i}", upper, "platform", at=b)
    return m


# --- rows of dyads in the plane ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """A body in the plane: x -> e^{i turn} x + shift, from where it is in the layout."""

    turn: float = 0.0
    shift: complex = 0.0

    def __call__(self, x: complex) -> complex:
        return cmath.exp(1j * self.turn) * x + self.shift

    @property
    def matrix(self) -> Array:
        """As a pose."""
        u = cmath.exp(1j * self.turn)
        return np.array(
            [[u.real, -u.imag, 0, self.shift.real], [u.imag, u.real, 0, self.shift.imag], [0, 0, 1, 0], [0, 0, 0, 1]]
        )


def through(x: complex, to: complex, turn: float) -> Place:
    """Turned, with x where it should be."""
    return Place(turn, to - cmath.exp(1j * turn) * x)


@dataclass(frozen=True)
class Dyad:
    """Two bodies between bodies i and j: hinges at P, M, Q, or a slider along u instead of one of them."""

    kind: str
    i: str
    j: str
    names: tuple[str, str]
    P: complex
    M: complex
    Q: complex
    u: complex

    def build(self, m: lw.Mechanism) -> None:
        """Add it to a machine."""
        c, d = self.names
        for body in self.names:
            m.body(body)
        along = (self.u.real, self.u.imag, 0)
        for letter, tail, head, at in zip(self.kind, (self.i, c, d), (c, d, self.j), "PMQ", strict=True):
            x = getattr(self, at)
            options = {"at": (x.real, x.imag, 0), "axis": "z" if letter == "R" else along}
            (m.revolute if letter == "R" else m.prismatic)(f"{c}{at}", tail, head, **options)

    def ways(self, state: dict[str, Place]) -> tuple[list[dict[str, Place]], float]:
        """All places of its two bodies, and how far from tangent it is."""
        p, q = state[self.i](self.P), state[self.j](self.Q)
        c, d = self.names
        found = []
        if self.kind == "RRR":
            r, s, D = abs(self.M - self.P), abs(self.M - self.Q), abs(q - p)
            x = (D * D + r * r - s * s) / (2 * D)
            under = r * r - x * x
            for side in (1, -1) if under > 0 else ():
                at = p + (x + side * 1j * under**0.5) * (q - p) / D
                first = cmath.phase((at - p) / (self.M - self.P))
                second = cmath.phase((at - q) / (self.M - self.Q))
                found.append({c: through(self.P, p, first), d: through(self.Q, q, second)})
            return found, abs(under)
        if self.kind == "RRP":  # |T_j(M) + s e - p| = r
            turn = state[self.j].turn
            start, e = state[self.j](self.M) - p, cmath.exp(1j * turn) * self.u
            b = (start * e.conjugate()).real
            under = b * b - abs(start) ** 2 + abs(self.M - self.P) ** 2
            for side in (1, -1) if under > 0 else ():
                at = p + start + (-b + side * under**0.5) * e
                first = cmath.phase((at - p) / (self.M - self.P))
                found.append({c: through(self.P, p, first), d: through(self.M, at, turn)})
            return found, abs(under)
        start = self.Q - self.P  # RPR: |Q - P + s u| = |q - p|
        b = (start * self.u.conjugate()).real
        under = b * b - abs(start) ** 2 + abs(q - p) ** 2
        for side in (1, -1) if under > 0 else ():
            turn = cmath.phase((q - p) / (start + (-b + side * under**0.5) * self.u))
            found.append({c: through(self.P, p, turn), d: through(self.Q, q, turn)})
        return found, abs(under)


@dataclass(frozen=True)
class PlanarRow:
    """A crank at the origin, `A`, and dyads that hang on what is there already."""

    dyads: tuple[Dyad, ...]

    def mechanism(self) -> lw.Mechanism:
        """As drawn: the crank at zero."""
        m = lw.Mechanism("row")
        m.body("crank")
        m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
        for dyad in self.dyads:
            dyad.build(m)
        return m

    def closures(self, angle: float) -> tuple[list[dict[str, Place]], float]:
        """All places of all bodies with the crank at an angle, and how far from tangent they are."""
        states, clear = [{"ground": Place(), "crank": Place(angle)}], 1.0
        for dyad in self.dyads:
            more = []
            for state in states:
                ways, away = dyad.ways(state)
                clear = min(clear, away)
                more.extend(state | way for way in ways)
            states = more
        return states, clear


def random_row(rng: np.random.Generator, count: int) -> PlanarRow:
    """Some dyads of random kinds between random bodies."""
    bodies, dyads = ["ground", "crank"], []
    for k in range(count):
        i, j = rng.permutation(bodies)[:2].tolist()
        P, M, Q = (complex(*rng.uniform(-1, 1, 2)) for _ in range(3))
        u = cmath.exp(1j * rng.uniform(0, np.pi))
        names = (f"c{k}", f"d{k}")
        dyads.append(Dyad(str(rng.choice(["RRR", "RRR", "RRP", "RPR"])), i, j, names, P, M, Q, u))
        bodies.extend(names)
    return PlanarRow(tuple(dyads))
