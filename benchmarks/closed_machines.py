"""Machines with loops, written down once: a tree of links, and closures that join its ends.

Links are those of `peers.py`; a closure lays a frame of one link on a frame of another. From the same numbers the
machine is built for Linkwork (`mechanism`), Pinocchio and MuJoCo (`closed_dynamics.py`). What stands here besides
is plain numpy without any of them: postures by Newton's method, rates and accelerations body by body, and the equations
of motion by Kane's method, M a + h = tau + Jᵀ lambda. It is slow, and the judge of all answers.

Data: four-bar, slider-crank and Stewart platform of our own; Andrews' squeezer, Bricard's mechanism and the N four-bars
are the IFToMM benchmarks A03, A04 and A02. q, v and tau belong to the tree in the order of its links; a ball has a unit
quaternion, w first, and its angular velocity along the axes of the link it carries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.linalg
from peers import AXES, SIZES, Array, Link

import linkwork as lw

Index = npt.NDArray[np.int64]

CLOSED = 1e-13
"""Largest gap of a closed posture [m]."""
SPREAD = 0.3
"""Random states have driven variables up to this far from home [rad; a sixth of it in m], rates up to 1."""
EYE, ZERO = np.eye(3), np.zeros(3)


@dataclass(frozen=True)
class Closure:
    """A joint between two links (-1 is ground) that the tree does not have: a pin about `axis`, or a ball."""

    name: str
    kind: str
    tail: int
    head: int
    at_tail: Array
    at_head: Array
    axis: str = "z"

    def points(self, planar: bool) -> list[tuple[Array, Array]]:
        """Pairs of points that coincide, in the frames of tail and head: one, or two along a pin in space."""
        pairs = [(self.at_tail, self.at_head)]
        if self.kind == "revolute" and not planar:
            along = AXES[self.axis][:, 2]
            pairs.append((self.at_tail + along, self.at_head + along))
        return pairs


@dataclass(frozen=True)
class Motion:
    """Links in world axes, one sample a row: pose R, p, twist w, u and acceleration dw, du of every link's origin."""

    R: list[Array]
    p: list[Array]
    w: list[Array]
    u: list[Array]
    dw: list[Array]
    du: list[Array]
    axis: list[Array]
    """Of every rate."""
    origin: list[Array]

    def point(self, link: int, local: Array) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of a point of a link."""
        if link < 0:
            still = np.zeros((len(self.p[0]), 3))
            return still + local, still, still
        arm = self.R[link] @ local
        w = self.w[link]
        return (
            self.p[link] + arm,
            self.u[link] + np.cross(w, arm),
            self.du[link] + np.cross(self.dw[link], arm) + np.cross(w, np.cross(w, arm)),
        )


@dataclass(frozen=True)
class Loops:
    """A machine with loops."""

    name: str
    gravity: tuple[float, float, float]
    names: tuple[str, ...]
    links: tuple[Link, ...]
    closures: tuple[Closure, ...]
    guess: Array
    """q, roughly closed."""
    driven: tuple[str, ...]
    """Links whose joints are driven: as many as the machine has freedoms."""
    effort: float
    """Size of the random efforts of the driven joints [N m, N]."""
    planar: bool = True

    # ---------------------------------------------------------------- sizes and places

    @cached_property
    def starts(self) -> tuple[list[int], list[int]]:
        """Where the coordinates and the rates of each link begin; the sizes of q and v stand last."""
        sizes = np.array([(0, 0), *(SIZES[k.kind] for k in self.links)])
        q, v = np.cumsum(sizes, axis=0).T.tolist()
        return q, v

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return int(self.starts[0][-1])

    @property
    def nv(self) -> int:
        """Number of rates."""
        return int(self.starts[1][-1])

    @property
    def quaternions(self) -> list[int]:
        """Where in q a quaternion begins."""
        return [s for s, k in zip(self.starts[0], self.links, strict=False) if k.kind == "spheric"]

    @cached_property
    def driven_rates(self) -> Index:
        """Indices of the driven rates."""
        return np.array([self.starts[1][self.names.index(name)] for name in self.driven])

    @cached_property
    def dependent(self) -> Index:
        """The other rates."""
        return np.setdiff1d(np.arange(self.nv), self.driven_rates)

    @cached_property
    def paths(self) -> list[list[int]]:
        """Rates that move each link."""
        found: list[list[int]] = []
        for i, link in enumerate(self.links):
            own = list(range(self.starts[1][i], self.starts[1][i + 1]))
            found.append(own if link.parent < 0 else found[link.parent] + own)
        return found

    @cached_property
    def turning(self) -> npt.NDArray[np.bool_]:
        """Whether a rate turns, else it slides."""
        return np.concatenate([np.full(SIZES[k.kind][1], k.kind != "prismatic") for k in self.links])

    # ---------------------------------------------------------------- kinematics

    def motion(self, q: Array, v: Array, a: Array) -> Motion:
        """Pose, twist and acceleration of every link, one sample a row."""
        count = len(q)
        still = np.zeros((count, 3))
        m = Motion([], [], [], [], [], [], [], [])
        for i, link in enumerate(self.links):
            k, r = self.starts[0][i], self.starts[1][i]
            if link.parent < 0:
                R, p = np.broadcast_to(link.turn, (count, 3, 3)), still + link.at
                w, u, dw, du = still, still, still, still
            else:
                R = m.R[link.parent] @ link.turn
                p, u, du = m.point(link.parent, link.at)
                w, dw = m.w[link.parent], m.dw[link.parent]
            if link.kind == "spheric":
                R = R @ _quaternion_matrix(q[:, k : k + 4])
                turn, more = (np.einsum("nij,nj->ni", R, x[:, r : r + 3]) for x in (v, a))
                w, dw = w + turn, dw + more + np.cross(w, turn)
                m.axis.extend(R[:, :, j] for j in range(3))
                m.origin.extend([p] * 3)
            elif link.kind == "prismatic":
                s = R @ AXES[link.axis][:, 2]
                m.axis.append(s)
                m.origin.append(p)
                along, rate = s * q[:, k, None], s * v[:, r, None]
                du = du + np.cross(dw, along) + np.cross(w, np.cross(w, along)) + 2 * np.cross(w, rate)
                du = du + s * a[:, r, None]
                p, u = p + along, u + np.cross(w, along) + rate
            else:
                for j, column in enumerate({"revolute": (2,), "universal": (2, 0)}[link.kind]):
                    local = AXES[link.axis][:, column]
                    s = R @ local
                    m.axis.append(s)
                    m.origin.append(p)
                    turn = s * v[:, r + j, None]
                    w, dw = w + turn, dw + s * a[:, r + j, None] + np.cross(w, turn)
                    R = R @ _about(local, q[:, k + j])
            for store, x in zip((m.R, m.p, m.w, m.u, m.dw, m.du), (R, p, w, u, dw, du), strict=True):
                store.append(x)
        return m

    def columns(self, m: Motion, link: int, point: Array) -> tuple[Array, Array]:
        """Jacobians (samples, 3, rates of its path) of a point, and of the angular velocity, of a link."""
        path = self.paths[link]
        s = np.stack([m.axis[k] for k in path], axis=-1)
        arm = np.stack([point - m.origin[k] for k in path], axis=-1)
        turns = self.turning[path]
        return np.where(turns, np.cross(s, arm, axis=1), s), np.where(turns, s, 0.0)

    def closing(self, m: Motion) -> tuple[Array, Array, Array]:
        """Gaps e, their Jacobian J and their acceleration, of all pairs of points that should coincide."""
        e, J, gap = [], [], []
        for c in self.closures:
            for ends in c.points(self.planar):
                rows = np.zeros((len(m.p[0]), 3, self.nv))
                apart = []
                for link, local, sign in ((c.tail, ends[0], 1.0), (c.head, ends[1], -1.0)):
                    p, _, dd = m.point(link, local)
                    apart.append((sign * p, sign * dd))
                    if link >= 0:
                        rows[:, :, self.paths[link]] += sign * self.columns(m, link, p)[0]
                e.append(apart[0][0] + apart[1][0])
                gap.append(apart[0][1] + apart[1][1])
                J.append(rows)
        return np.concatenate(e, axis=1), np.concatenate(J, axis=1), np.concatenate(gap, axis=1)

    def integrate(self, q: Array, step: Array) -> Array:
        """q moved along a step of rates."""
        out = q.copy()
        for i, link in enumerate(self.links):
            k, r = self.starts[0][i], self.starts[1][i]
            if link.kind == "spheric":
                out[:, k : k + 4] = _product(q[:, k : k + 4], _exponential(step[:, r : r + 3]))
            else:
                n = SIZES[link.kind][0]
                out[:, k : k + n] += step[:, r : r + n]
        return out

    def closed(self, q: Array) -> Array:
        """q with its loops closed by Newton's method, driven variables kept."""
        for _ in range(30):
            e, J, _ = self.closing(self.motion(q, *(np.zeros((len(q), self.nv)),) * 2))
            if np.abs(e).max() < CLOSED:
                return q
            step = np.zeros((len(q), self.nv))
            for k in range(len(q)):  # least squares: rows may depend on each other
                step[k, self.dependent] = scipy.linalg.lstsq(J[k][:, self.dependent], -e[k], cond=1e-9)[0]
            q = self.integrate(q, step)
        raise AssertionError(f"{self.name} does not close")

    @cached_property
    def home(self) -> Array:
        """The closed posture near the guess."""
        found: Array = self.closed(self.guess[None])[0]
        return found

    @cached_property
    def rows(self) -> Index:
        """Rows of J that are independent at home; as many as there are dependent rates."""
        still = np.zeros((1, self.nv))
        J = self.closing(self.motion(self.home[None], still, still))[1][0][:, self.dependent]
        _, upper, order = scipy.linalg.qr(J.T, pivoting=True, mode="economic")
        rank = int((np.abs(np.diag(upper)) > 1e-9 * abs(upper[0, 0])).sum())
        assert rank == len(self.dependent), f"{self.name}: the driven joints do not determine the rest"
        return np.sort(order[:rank])

    def following(self, J: Array) -> Array:
        """All rates (samples, nv, driven) per driven rate; J : independent rows."""
        K = np.zeros((len(J), self.nv, len(self.driven)))
        K[:, self.driven_rates] = np.eye(len(self.driven))
        K[:, self.dependent] = np.linalg.solve(J[:, :, self.dependent], -J[:, :, self.driven_rates])
        return K

    def states(self, count: int, seed: int = 1) -> tuple[Array, Array, Array, Array]:
        """Random closed q, v, tau (driven joints alone), and a that the loops allow, one sample a row."""
        rng = np.random.default_rng(seed)
        u, w, dw, f = rng.uniform(-1, 1, (4, count, len(self.driven)))
        none = np.zeros((count, self.nv))
        J = self.closing(self.motion(self.home[None], none[:1], none[:1]))[1][:, self.rows]
        K = self.following(J)[0]
        reach = SPREAD * np.where(self.turning[self.driven_rates], 1.0, 1 / 6)
        q = self.closed(self.integrate(np.tile(self.home, (count, 1)), (reach * u) @ K.T))
        J = self.closing(self.motion(q, none, none))[1][:, self.rows]
        v = np.einsum("nij,nj->ni", self.following(J), w)
        curved = self.closing(self.motion(q, v, none))[2][:, self.rows]
        a = np.einsum("nij,nj->ni", self.following(J), dw)
        a[:, self.dependent] -= np.linalg.solve(J[:, :, self.dependent], curved[..., None])[..., 0]
        tau = none.copy()
        tau[:, self.driven_rates] = self.effort * f
        return q, v, tau, a

    # ---------------------------------------------------------------- the judge

    def equations(self, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """M, h, independent rows of J and their acceleration at a = 0: Kane's method, link by link."""
        m = self.motion(q, v, np.zeros_like(v))
        M, h = np.zeros((len(q), self.nv, self.nv)), np.zeros((len(q), self.nv))
        for i, link in enumerate(self.links):
            p, _, dd = m.point(i, link.com)
            J, W = self.columns(m, i, p)
            inertia = m.R[i] @ link.inertia @ np.swapaxes(m.R[i], 1, 2)
            spin = np.einsum("nij,nj->ni", inertia, m.w[i])
            moment = np.einsum("nij,nj->ni", inertia, m.dw[i]) + np.cross(m.w[i], spin)
            JT, WT = np.swapaxes(J, 1, 2), np.swapaxes(W, 1, 2)
            path = self.paths[i]
            M[np.ix_(range(len(q)), path, path)] += link.mass * JT @ J + WT @ inertia @ W
            force = link.mass * (dd - np.array(self.gravity))
            h[:, path] += np.einsum("nij,nj->ni", JT, force) + np.einsum("nij,nj->ni", WT, moment)
        _, J, curved = self.closing(m)
        return M, h, J[:, self.rows], curved[:, self.rows]

    def forward(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations of the tree, one sample a row."""
        M, h, J, curved = self.equations(q, v)
        n, r = self.nv, len(self.rows)
        K = np.zeros((len(q), n + r, n + r))
        K[:, :n, :n], K[:, n:, :n], K[:, :n, n:] = M, J, np.swapaxes(J, 1, 2)
        right = np.concatenate([tau - h, -curved], axis=1)
        found: Array = np.linalg.solve(K, right[..., None])[:, :n, 0]
        return found

    def inverse(self, q: Array, v: Array, a: Array) -> Array:
        """Efforts of the driven joints for accelerations that the loops allow, one sample a row."""
        M, h, J, _ = self.equations(q, v)
        whole = np.einsum("nij,nj->ni", M, a) + h
        found: Array = np.einsum("nji,nj->ni", self.following(J), whole)
        return found

    # ---------------------------------------------------------------- Linkwork

    def variables(self, q: Array, v: Array, a: Array) -> tuple[dict[str, Array], ...]:
        """Variables, rates and accelerations of all joints, closures too, by the names that Linkwork gives them."""
        m = self.motion(q, v, a)
        place: dict[str, Array] = {}
        rate: dict[str, Array] = {}
        more: dict[str, Array] = {}
        for i, (name, link) in enumerate(zip(self.names, self.links, strict=True)):
            k, r = self.starts[0][i], self.starts[1][i]
            words = VARIABLES[link.kind]
            place |= {f"{name}.{word}": q[:, k + j] for j, word in enumerate(words[0])}
            rate |= {f"{name}.{word}": v[:, r + j] for j, word in enumerate(words[1])}
            more |= {f"{name}.{word}": a[:, r + j] for j, word in enumerate(words[1])}
        none = np.zeros((len(q), 3))
        still = np.broadcast_to(EYE, (len(q), 3, 3)), none, none
        for c in self.closures:
            (A, wa, da), (B, wb, db) = ((m.R[k], m.w[k], m.dw[k]) if k >= 0 else still for k in (c.tail, c.head))
            axes = AXES[c.axis]
            X = axes.T @ np.swapaxes(A, 1, 2) @ B @ axes
            turn, spin = (np.einsum("nji,nj->ni", B @ axes, x) for x in (wb - wa, db - da + np.cross(wb, wa)))
            words = VARIABLES[c.kind]
            pin = c.kind == "revolute"
            found = np.arctan2(X[:, 1, :1], X[:, 0, :1]) if pin else _matrix_quaternion(X)
            kept = slice(2, 3) if pin else slice(0, 3)
            place |= {f"{c.name}.{w}": x for w, x in zip(words[0], found.T, strict=True)}
            rate |= {f"{c.name}.{w}": x for w, x in zip(words[1], turn[:, kept].T, strict=True)}
            more |= {f"{c.name}.{w}": x for w, x in zip(words[1], spin[:, kept].T, strict=True)}
        return place, rate, more

    def mechanism(self) -> lw.Mechanism:
        """The machine for Linkwork, laid out at home; body X-body hangs on joint X."""
        still = np.zeros((1, self.nv))
        m = self.motion(self.home[None], still, still)
        made = lw.Mechanism(self.name, gravity=self.gravity)
        poses = [(R[0], p[0]) for R, p in zip(m.R, m.p, strict=True)]

        def placed(R: Array, p: Array) -> Any:
            return lw.placement(p.tolist(), matrix=R.tolist())

        for name, link, (R, p) in zip(self.names, self.links, poses, strict=True):
            tensor = link.inertia.tolist()
            made.body(f"{name}-body", mass=link.mass, com=link.com.tolist(), inertia=tensor, frame=placed(R, p))
        bodies = [f"{name}-body" for name in self.names]
        for i, (name, link) in enumerate(zip(self.names, self.links, strict=True)):
            R, p = poses[link.parent] if link.parent >= 0 else (EYE, ZERO)
            F = placed(R @ link.turn @ AXES[link.axis], R @ link.at + p)
            M = placed(poses[i][0] @ AXES[link.axis], poses[i][1])
            tail = bodies[link.parent] if link.parent >= 0 else made.ground
            getattr(made, link.kind)(name, tail, bodies[i], frame=F, to=M)
        for c in self.closures:
            frames, ends = [], []
            for k, local in ((c.tail, c.at_tail), (c.head, c.at_head)):
                R, p = poses[k] if k >= 0 else (EYE, ZERO)
                frames.append(placed(R @ AXES[c.axis], R @ local + p))
                ends.append(bodies[k] if k >= 0 else made.ground)
            getattr(made, c.kind)(c.name, *ends, frame=frames[0], to=frames[1])
        return made


VARIABLES = {
    "revolute": (("angle",), ("angle",)),
    "prismatic": (("slide",), ("slide",)),
    "universal": (("angle1", "angle2"), ("angle1", "angle2")),
    "spheric": (("qw", "qx", "qy", "qz"), ("wx", "wy", "wz")),
}
"""Names of coordinates and of rates."""


# ------------------------------------------------------------------------------------------------------------ rotations


def _about(axis: Array, angle: Array) -> Array:
    """Rotations (samples, 3, 3) about a coordinate axis: Rodrigues' formula."""
    K = np.cross(EYE, axis)
    c, s = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
    turned: Array = EYE + s * K + (1 - c) * (K @ K)
    return turned


def _quaternion_matrix(q: Array) -> Array:
    w, x, y, z = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _matrix_quaternion(R: Array) -> Array:
    """Quaternions with w > 0 of turns well below half a circle."""
    w = 0.5 * np.sqrt(1 + np.trace(R, axis1=1, axis2=2))
    rest = [R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]]
    return np.stack([w, *(x / (4 * w) for x in rest)], axis=1)


def _product(a: Array, b: Array) -> Array:
    w, u = a[:, :1], a[:, 1:]
    s, v = b[:, :1], b[:, 1:]
    return np.concatenate([w * s - np.sum(u * v, 1, keepdims=True), w * v + s * u + np.cross(u, v)], axis=1)


def _exponential(turn: Array) -> Array:
    half = 0.5 * np.linalg.norm(turn, axis=1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * turn], axis=1)


# ------------------------------------------------------------------------------------------------------------- machines


def _link(
    parent: int, kind: str, at: Sequence[float], mass: float, com: Sequence[float], inertia: Any, axis: str = "z"
) -> Link:
    tensor = np.diag(inertia) if np.ndim(inertia) == 1 else np.array(inertia, float)
    return Link(parent, kind, EYE, np.array(at, float), mass, np.array(com, float), tensor, axis)


def _bar(parent: int, at: Sequence[float], length: float) -> Link:
    """A bar along x, 1 kg/m, nearly thin."""
    J = length**3 / 12
    return _link(parent, "revolute", at, length, (length / 2, 0, 0), (0.01 * J, J, J))


def _pin(name: str, tail: int, head: int, at_tail: Sequence[float], at_head: Sequence[float]) -> Closure:
    return Closure(name, "revolute", tail, head, np.array(at_tail, float), np.array(at_head, float))


DOWN = (0.0, -9.81, 0.0)


def four_bar() -> Loops:
    """A planar four-bar, sides 0.3, 0.8, 0.7 on a base of 0.8 m."""
    links = (_bar(-1, (0, 0, 0), 0.3), _bar(0, (0.3, 0, 0), 0.8), _bar(-1, (0.8, 0, 0), 0.7))
    pin = _pin("B", 1, 2, (0.8, 0, 0), (0.7, 0, 0))
    guess = np.array([np.pi / 2, -1.1, 1.9])
    return Loops("four-bar", DOWN, ("crank", "coupler", "rocker"), links, (pin,), guess, ("crank",), 1.0)


def slider_crank() -> Loops:
    """A crank of 0.3 m, a rod of 0.8 m, a slider along x."""
    slider = _link(-1, "prismatic", (0, 0, 0), 0.5, (0, 0, 0), (0.01, 0.01, 0.01), "x")
    links = (_bar(-1, (0, 0, 0), 0.3), _bar(0, (0.3, 0, 0), 0.8), slider)
    pin = _pin("C", 1, 2, (0.8, 0, 0), (0, 0, 0))
    guess = np.array([1.0, -1.3, 0.9])
    return Loops("slider-crank", DOWN, ("crank", "rod", "slider"), links, (pin,), guess, ("crank",), 1.0)


ANDREWS = {  # body: parent, place on it, mass, centre of mass, moment of inertia, angle at the start
    "K1": (None, (0, 0), 0.04325, (0.00092, 0), 2.194e-6, -0.0617138900142764496),
    "K2": ("K1", (0.007, 0), 0.00365, (-0.0115, 0), 4.41e-7, 0.0),
    "K3": (None, (-0.03635, 0.03273), 0.02373, (0.01043, -0.01874), 5.255e-6, 0.455279819163070380),
    "K5": (None, (-0.06934, -0.00227), 0.0705, (0.02308, 0.00916), 1.169e-5, 0.487364979543842550),
    "K4": ("K5", (0.04, 0), 0.00706, (0, -0.00579), 5.667e-7, 0.222668390165885884),
    "K7": (None, (-0.06934, -0.00227), 0.05498, (-0.00449, -0.01228), 1.912e-5, 1.23054744454982119),
    "K6": ("K7", (0, -0.04), 0.00706, (0.00579, 0), 5.667e-7, -0.222668390165885884),
}
ANDREWS_START = {"K1": 14222.4439199541138, "K2": -10666.8329399655854}
"""Published accelerations of the angles at the start, at rest; the others are zero [rad/s²]."""
STIFFNESS, FREE = 4530.0, 0.07785
"""Of the spring from C on ground to D on K3 [N/m, m]."""
C, D = np.array([0.014, 0.072]), np.array([0.02, -0.018])
"""D in the axes of K3 [m]."""
TORQUE = 0.033
"""On K1 [N m]."""


def andrews() -> Loops:
    """Andrews' squeezing mechanism: seven links in a plane, of which four meet in one pin E. No gravity."""
    names = tuple(ANDREWS)
    links = tuple(
        _link(names.index(up) if up else -1, "revolute", (*at, 0), mass, (*com, 0), (J, J, J))
        for up, at, mass, com, J, _ in ANDREWS.values()
    )
    at_E = {"K3": (0, -0.035, 0), "K4": (0, -0.02, 0), "K6": (0.02, 0, 0)}
    pins = tuple(_pin(f"E{k[1]}", 1, names.index(k), (-0.028, 0, 0), at) for k, at in at_E.items())
    guess = np.array([row[-1] for row in ANDREWS.values()])
    return Loops("andrews-squeezer", (0.0, 0.0, 0.0), names, links, pins, guess, ("K1",), TORQUE)


def andrews_start() -> tuple[Array, Array, Array]:
    """q, v, tau of the published start: the spring acts on K3, which hangs on ground, hence on its angle alone."""
    q = andrews().guess
    arm = _about(EYE[2], q[2:3])[0, :2, :2] @ D
    pull = C - (np.array(ANDREWS["K3"][1]) + arm)
    length = np.linalg.norm(pull)
    force = STIFFNESS * (length - FREE) * pull / length
    tau = np.zeros(7)
    tau[0], tau[2] = TORQUE, arm[0] * force[1] - arm[1] * force[0]
    return q, np.zeros(7), tau


BRICARD_START = 1.958083832
"""Acceleration of the first rod from rest in the drawn posture, computed elsewhere from the same data [rad/s²]."""


def bricard() -> Loops:
    """Bricard's mechanism of the benchmark: five rods and six pins along the edges of a cube, one row redundant."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
    links = []
    for i, axis in enumerate("yzxyz"):
        d = corners[i + 1] - corners[i]
        inertia = [0.02 / 12 if abs(x) > 0.5 else 1.01 / 12 for x in d]
        at = corners[i] - corners[max(i - 1, 0)]
        links.append(_link(i - 1, "revolute", at.tolist(), 1.0, (d / 2).tolist(), inertia, axis))
    pin = Closure("J6", "revolute", 4, -1, corners[5] - corners[4], corners[5], "x")
    names = tuple(f"J{i + 1}" for i in range(5))
    return Loops("bricard", DOWN, names, tuple(links), (pin,), np.zeros(5), ("J1",), 1.0, planar=False)


def stewart() -> Loops:
    """A Stewart platform of six legs, universal, prismatic and spheric; the tree has the platform on the first leg."""
    base, top = np.deg2rad([-15, 15, 105, 135, 225, 255]), np.deg2rad([-45, 45, 75, 165, 195, 285])
    B = 0.6 * np.stack([np.cos(base), np.sin(base), 0 * base], axis=1)
    P = 0.35 * np.stack([np.cos(top), np.sin(top), 0 * top], axis=1)
    legs = P + np.array([0, 0, 0.7]) - B
    names: list[str] = []
    links: list[Link] = []
    guess: list[float] = []
    tips: list[int] = []
    for i, d in enumerate(legs):
        names += [f"U{i + 1}", f"P{i + 1}"]
        links.append(_link(-1, "universal", B[i].tolist(), 1.5, (0, 0, 0.15), (0.02, 0.02, 0.002), "x"))
        links.append(_link(len(links) - 1, "prismatic", (0, 0, 0), 0.8, (0, 0, -0.2), (0.01, 0.01, 0.0005)))
        tips.append(len(links) - 1)
        length = float(np.linalg.norm(d))
        # Rx(a) Ry(b) turns z to (sin b, -sin a cos b, cos a cos b), along the leg
        a, b = np.arctan2(-d[1], d[2]), np.arcsin(d[0] / length)
        guess += [a, b, length]
        if i == 0:
            leg = _about(EYE[0], np.array([a])) @ _about(EYE[1], np.array([b]))
            names.append("S1")
            links.append(_link(1, "spheric", (0, 0, 0), 10.0, (-P[0]).tolist(), (0.4, 0.4, 0.7)))
            guess += _matrix_quaternion(np.swapaxes(leg, 1, 2))[0].tolist()
    balls = tuple(Closure(f"S{i + 1}", "spheric", tips[i], 2, ZERO, P[i] - P[0]) for i in range(1, 6))
    driven = tuple(f"P{i + 1}" for i in range(6))
    g = (0.0, 0.0, -9.81)
    return Loops("stewart", g, tuple(names), tuple(links), balls, np.array(guess), driven, 50.0, planar=False)


def n_four_bar(n: int) -> Loops:
    """The benchmark of n four-bars in a row: uprights on ground at (i, 0), couplers between their tops, 1 kg, 1 m."""
    bar = partial(_link, kind="revolute", mass=1.0, com=(0.5, 0, 0), inertia=(1e-3, 1 / 12, 1 / 12))
    names: list[str] = []
    links: list[Link] = []
    uprights: list[int] = []
    for i in range(n + 1):
        uprights.append(len(links))
        names.append(f"A{i}")
        links.append(bar(-1, at=(i, 0, 0)))
        if i < n:
            names.append(f"L{i + 1}")
            links.append(bar(uprights[-1], at=(1, 0, 0)))
    pins = tuple(_pin(f"R{i + 1}", uprights[i] + 1, uprights[i + 1], (1, 0, 0), (1, 0, 0)) for i in range(n))
    guess = np.array([np.pi / 2 if name[0] == "A" else -np.pi / 2 for name in names])
    return Loops(f"{n}-four-bars", DOWN, tuple(names), tuple(links), pins, guess, ("A0",), 10.0)


MACHINES: dict[str, Callable[[], Loops]] = {
    "four-bar": four_bar,
    "slider-crank": slider_crank,
    "andrews-squeezer": andrews,
    "bricard": bricard,
    "stewart": stewart,
    "40-four-bars": partial(n_four_bar, 40),
}
