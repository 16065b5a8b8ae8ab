"""Dynamics a second time, in maximal coordinates: every body by Newton and Euler, every joint an equal.

Unknowns are the accelerations A of all bodies (of their origins, world axes), the accelerations w' of all joint rates
and the wrench W that the first body of every joint exerts on the second, at its frame M. Equations are

    M A + bias = applied + Σ ± Jᵀ W        each body: what its joints carry to it
    J A(second) - J A(first) = S w' + γ     each joint: its point M, seen from both of its bodies
    Sᵀ W + rotor w' = effort                each freedom: loads and drives that act along it

with no tree, no cut joint and no elimination. S and γ come from `Law.motion` along the path y(t) = y + y' t + ½ y'' t²,
differentiated by CasADi. Where constraints are redundant the answer is that of least norm, and components that are not
unique are marked. Loads are worked out by `maximal_loads`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import casadi
import numpy as np
from maximal_loads import Acting, acting, evaluated

from linkwork.model.joints import Free, Law

Array = np.ndarray
REDUNDANT = 1e-9
"""Part of the largest singular value below which equations say nothing new."""


# ---------------------------------------------------------------- small geometry


def skew(a: Array) -> Array:
    """a × as a matrix."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turning(D: Array) -> Array:
    """The vector of the skew part of a matrix."""
    return 0.5 * np.array([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]])


def carried(d: Array) -> Array:
    """6x6 that takes a twist [v; ω] of a body's point to its point further by d; its transpose takes wrenches back."""
    J = np.eye(6)
    J[:3, 3:] = -skew(d)
    return J


def inverse_pose(X: Array) -> Array:
    """Seen from the other side."""
    Y = np.eye(4)
    Y[:3, :3] = X[:3, :3].T
    Y[:3, 3] = -X[:3, :3].T @ X[:3, 3]
    return Y


# ---------------------------------------------------------------- joints from their laws


@cache
def _along(law: Law) -> casadi.Function:
    """(q, q', q'') -> pose of M in F and its first two derivatives by time, as columns of 12 numbers."""
    n = len(law.variables)
    q, dq, ddq, t = (casadi.SX.sym(name, size) for name, size in (("q", n), ("dq", n), ("ddq", n), ("t", 1)))
    path = q + dq * t + ddq * (t * t / 2)
    R, p = law.motion([path[i] for i in range(n)])
    X = casadi.vertcat(*[casadi.SX(e) for row in R for e in row], *[casadi.SX(e) for e in p])
    first = casadi.jacobian(X, t)
    second = casadi.jacobian(first, t)
    jets = [casadi.substitute(x, t, 0) for x in (X, first, second)]
    return casadi.Function("along", [q, dq, ddq], jets)


def _turned(q: Array, w: Array) -> Array:
    """½ q ∘ (0, w): rate of a quaternion at an angular velocity w along the turned axes."""
    return 0.5 * np.array([-(q[1:] @ w), *(q[0] * w + np.cross(q[1:], w))])


def _path(q: Array, v: Array, dv: Array) -> tuple[Array, Array]:
    """q' and q'' at rates v and their derivatives: one by one, except for quaternions, which come last."""
    if len(q) == len(v):
        return v, dv
    k = len(q) - 4
    dq = _turned(q[k:], v[k:])
    ddq = _turned(q[k:], dv[k:]) + _turned(dq, v[k:])
    return np.array([*v[:k], *dq]), np.array([*dv[:k], *ddq])


@dataclass(frozen=True)
class Relative:
    """Motion of M relative to F, along F's axes: pose, place's rate and its rate, angular rate and its rate."""

    R: Array
    p: Array
    dp: Array
    ddp: Array
    w: Array
    dw: Array


def relative(law: Law, q: Array, v: Array, dv: Array) -> Relative:
    """R'' Rᵀ = skew(ω') + skew(ω)²,  R' Rᵀ = skew(ω)."""
    dq, ddq = _path(q, v, dv)
    X, dX, ddX = (np.array(x).ravel() for x in _along(law)(q, dq, ddq))
    R, dR, ddR = (x[:9].reshape(3, 3) for x in (X, dX, ddX))
    return Relative(R, X[9:], dX[9:], ddX[9:], turning(dR @ R.T), turning(ddR @ R.T))


@dataclass(frozen=True)
class Joined:
    """A joint as its record and the layout tell it, and where its variables and rates are."""

    name: str
    law: Law
    tail: str
    head: str
    X_TF: Array
    X_HM: Array
    q: list[int]
    v: list[int]


def _joined(machine: Any) -> list[Joined]:
    """All joints; a floating assembly hangs on the world by six freedoms of its first body."""
    m, layout = machine.mechanism, machine.layout
    places = {n: i for i, n in enumerate(machine.plan.variables)}
    rates = {n: i for i, n in enumerate(machine.plan.variable_rates)}

    def of(name: str, law: Law) -> tuple[list[int], list[int]]:
        names = [v.name for v in law.variables]
        return [places[f"{name}.{v}"] for v in names], [rates[f"{name}.{r}"] for r in law.rates or names]

    found = []
    for name, j in m.joints.items():
        seat = layout.seats[name]
        found.append(Joined(name, j.law, j.tail, j.head, seat.X_TF, seat.X_HM, *of(name, j.law)))
    world = inverse_pose(layout.X_WB[m.ground.name])
    for body in m.bodies:
        if f"{body}.qw" in places and body not in m.joints:
            found.append(Joined(body, Free(), m.ground.name, body, world, np.eye(4), *of(body, Free())))
    return found


# ---------------------------------------------------------------- the machine at one instant


@dataclass(frozen=True)
class Answer:
    """Forces and accelerations of a machine at one instant.

    accelerations : w' of all joints, in the order of `machine.variable_rates`
    bodies : acceleration [of the origin; angular] by body, world axes
    efforts : by driver, what it exerts along its variable [N, N m]
    wrenches : by joint, [force; moment] of the first body on the second at frame M of the second, along M's axes
    indeterminate : by joint, which of the six components are not unique
    unsettled : names of accelerations or drivers that are not unique
    residual : largest error of the equations, of the largest term
    """

    accelerations: Array
    bodies: Mapping[str, Array]
    efforts: Mapping[str, float]
    wrenches: Mapping[str, Array]
    indeterminate: Mapping[str, Array]
    unsettled: tuple[str, ...]
    residual: float


class Instant:
    """A machine at closed variables y and rates w of all joints, at a time t [s].

    `misfit` tells how far the joints that no walk used are from their laws, in place and in velocity, in parts of the
    machine's size and of the largest rate.
    """

    def __init__(self, machine: Any, y: Any, w: Any, t: float = 0.0) -> None:
        assert not machine._overrides, "the numbers of the model are meant"
        self.m, self.layout = machine.mechanism, machine.layout
        self.y, self.w, self.t = np.array(y, float), np.array(w, float), t
        self.variables, self.rates = tuple(machine.plan.variables), tuple(machine.plan.variable_rates)
        self.joints = _joined(machine)
        self.ground = self.m.ground.name
        self.bodies = [b for b in self.m.bodies if b != self.ground]
        self.size = self.layout.size
        self._stand()
        self._hinge()

    def _stand(self) -> None:
        """Poses of all bodies, along joints in the order in which they reach them."""
        X = {self.ground: self.layout.X_WB[self.ground]}
        self.walk: list[tuple[Joined, bool]] = []
        motion = {j.name: relative(j.law, self.y[j.q], self.w[j.v], 0 * self.w[j.v]) for j in self.joints}
        left = list(self.joints)
        while left:
            j = next(j for j in left if j.tail in X or j.head in X)
            left.remove(j)
            X_FM = np.eye(4)
            X_FM[:3, :3], X_FM[:3, 3] = motion[j.name].R, motion[j.name].p
            if j.head not in X:
                X[j.head] = X[j.tail] @ j.X_TF @ X_FM @ inverse_pose(j.X_HM)
                self.walk.append((j, True))
            elif j.tail not in X:
                X[j.tail] = X[j.head] @ j.X_HM @ inverse_pose(X_FM) @ inverse_pose(j.X_TF)
                self.walk.append((j, False))
        self.X, self.motion = X, motion

    def _hinge(self) -> None:
        """By joint: frame M, maps from both bodies to it, freedoms S; velocities of all bodies; then γ."""
        self.X_WM, self.J, self.S = {}, {}, {}
        self.misfit = 0.0
        for j in self.joints:
            X_WF, X_WM, now = self.X[j.tail] @ j.X_TF, self.X[j.head] @ j.X_HM, self.motion[j.name]
            R_F = X_WF[:3, :3]
            off = np.abs(R_F @ now.R - X_WM[:3, :3]).max()
            off = max(off, np.abs(X_WF[:3, 3] + R_F @ now.p - X_WM[:3, 3]).max() / self.size)
            self.misfit = max(self.misfit, float(off))
            self.X_WM[j.name] = X_WM
            self.J[j.name] = tuple(carried(X_WM[:3, 3] - self.X[b][:3, 3]) for b in (j.tail, j.head))
            columns = []
            for unit in np.eye(len(j.v)):
                at = relative(j.law, self.y[j.q], unit, 0 * unit)
                columns.append([*(R_F @ at.dp), *(R_F @ at.w)])
            self.S[j.name] = np.array(columns).reshape(len(j.v), 6).T
        still = {j.name: np.zeros(6) for j in self.joints}
        self.V = self.walked(self.w, still)
        self.misfit = max(self.misfit, self.error(self.V, self.w, still))
        self.gamma = {j.name: self._gamma(j) for j in self.joints}

    def _gamma(self, j: Joined) -> Array:
        """What a joint adds to the acceleration of M while all accelerations are zero."""
        now, R_F = self.motion[j.name], (self.X[j.tail] @ j.X_TF)[:3, :3]
        d_T, d_H = (self.X_WM[j.name][:3, 3] - self.X[b][:3, 3] for b in (j.tail, j.head))
        w_T, w_H = self.V[j.tail][3:], self.V[j.head][3:]
        inward = np.cross(w_T, np.cross(w_T, d_T)) - np.cross(w_H, np.cross(w_H, d_H))
        linear = inward + 2 * np.cross(w_T, R_F @ now.dp) + R_F @ now.ddp
        return np.array([*linear, *(R_F @ now.dw + np.cross(w_T, R_F @ now.w))])

    def walked(self, rates: Array, extra: Mapping[str, Array]) -> dict[str, Array]:
        """Twists, or accelerations, of all bodies from those of the joints."""
        found = {self.ground: np.zeros(6)}
        for j, forward in self.walk:
            J_T, J_H = self.J[j.name]
            own = self.S[j.name] @ rates[j.v] + extra[j.name]
            if forward:
                found[j.head] = np.linalg.solve(J_H, J_T @ found[j.tail] + own)
            else:
                found[j.tail] = np.linalg.solve(J_T, J_H @ found[j.head] - own)
        return found

    def error(self, found: Mapping[str, Array], rates: Array, extra: Mapping[str, Array]) -> float:
        """How far the joints are from what their bodies do, of the largest twist."""
        worst, largest = 0.0, 1e-300
        scale = np.array([self.size] * 3 + [1.0] * 3)
        for j in self.joints:
            J_T, J_H = self.J[j.name]
            own = self.S[j.name] @ rates[j.v] + extra[j.name]
            ends = J_T @ found[j.tail], J_H @ found[j.head]
            worst = max(worst, float(np.abs((ends[1] - ends[0] - own) / scale).max()))
            largest = max(largest, *(float(np.abs(x / scale).max()) for x in (own, *ends)))
        return worst / largest

    # ---------------------------------------------------------------- masses

    @cached_property
    def gravity(self) -> Array:
        """Acceleration of gravity now."""
        laws = self.m.gravity_laws
        return np.array(
            [
                g + (evaluated(laws[axis], self.names) if axis in laws else 0.0)
                for axis, g in zip("xyz", self.m.gravity, strict=True)
            ]
        )

    def mass(self, body: str) -> tuple[float, Array, Array]:
        """Mass, way from the body's origin to its centre of mass, and central inertia, world axes."""
        own, R = self.layout.masses[body], self.X[body][:3, :3]
        return float(own.mass), R @ own.com, R @ own.inertia @ R.T

    def mass_matrix(self, body: str) -> Array:
        """6x6 of a body at its origin."""
        m, c, inertia = self.mass(body)
        M = np.zeros((6, 6))
        M[:3, :3], M[:3, 3:], M[3:, :3] = m * np.eye(3), -m * skew(c), m * skew(c)
        M[3:, 3:] = inertia - m * skew(c) @ skew(c)
        return M

    def bias(self, body: str) -> Array:
        """Inertia force at the body's origin without acceleration, less gravity."""
        m, c, inertia = self.mass(body)
        w = self.V[body][3:]
        force = m * (np.cross(w, np.cross(w, c)) - self.gravity)
        return np.array([*force, *(np.cross(c, force) + np.cross(w, inertia @ w))])

    @property
    def kinetic_energy(self) -> float:
        """Of all bodies and rotors [J]."""
        bodies = sum(float(self.V[b] @ self.mass_matrix(b) @ self.V[b]) for b in self.bodies)
        return 0.5 * (bodies + float(self.w @ (self.rotors * self.w)))

    @property
    def momentum(self) -> Array:
        """[linear; angular about the world's origin] of all bodies, without rotors [kg m/s, kg m²/s]."""
        total = np.zeros(6)
        for b in self.bodies:
            m, c, inertia = self.mass(b)
            at = self.X[b][:3, 3] + c
            p = m * self.velocity(b, at)
            total += [*p, *(np.cross(at, p) + inertia @ self.V[b][3:])]
        return total

    @property
    def weight_energy(self) -> float:
        """Potential energy of gravity [J], zero at the world's origin."""
        return -sum(self.mass(b)[0] * float(self.gravity @ (self.X[b][:3, 3] + self.mass(b)[1])) for b in self.bodies)

    # ---------------------------------------------------------------- loads

    @cached_property
    def names(self) -> dict[str, float]:
        """What formulas may speak of, by name."""
        found = {"t": self.t}
        for j in self.joints:
            for variable, i in zip(j.law.variables, j.q, strict=True):
                full = f"{j.name}.{variable.name}"
                known = {full: float(self.y[i])}
                if full in self.rates:
                    known[f"rate({full})"] = float(self.w[self.rates.index(full)])
                if len(j.law.variables) == 1:
                    known |= {k.replace(full, j.name): x for k, x in known.items()}
                found |= known
        return found

    def place(self, point: str) -> tuple[str, Array]:
        """Body and place of a point."""
        body = self.m.points[point].body
        at = inverse_pose(self.layout.X_WB[body]) @ np.array([*self.layout.points[point], 1.0])
        return body, (self.X[body] @ at)[:3]

    def velocity(self, body: str, place: Array) -> Array:
        """Velocity of the point of a body that is at a place."""
        return np.asarray(self.V[body][:3] + np.cross(self.V[body][3:], place - self.X[body][:3, 3]))

    @cached_property
    def loads(self) -> dict[str, Acting]:
        """All loads and motors, by name."""
        return {n: acting(self, load) for n, load in (self.m.loads | self.m.motors).items()}

    @cached_property
    def rotors(self) -> Array:
        """Inertia of motors along every rate: ratio² · rotor inertia."""
        total = np.zeros(len(self.rates))
        for motor in self.m.motors.values():
            total[self.rates.index(motor.variable)] += motor.ratio**2 * motor.rotor_inertia
        return total

    def applied(self, external: Mapping[str, Array] | None) -> tuple[dict[str, Array], Array]:
        """Wrenches on all bodies at their origins, and efforts along all rates, of loads and of what else acts."""
        wrenches = {b: np.zeros(6) for b in self.m.bodies}
        efforts = np.zeros(len(self.rates))
        for body, wrench in (external or {}).items():
            wrenches[body] = wrenches[body] + wrench
        for load in self.loads.values():
            for body, wrench in load.wrenches.items():
                wrenches[body] = wrenches[body] + wrench
            for k, effort in load.efforts.items():
                efforts[k] += effort
        return wrenches, efforts

    # ---------------------------------------------------------------- equations

    def equations(self) -> Equations:
        """Joints as matrices: what their wrenches do to bodies, and their freedoms, without units."""
        G = np.zeros((6 * len(self.bodies), 6 * len(self.joints)))
        S = np.zeros((6 * len(self.joints), len(self.rates)))
        body = {b: slice(6 * i, 6 * i + 6) for i, b in enumerate(self.bodies)}
        lengths = np.array([self.size] * 3 + [1.0] * 3)
        moments = lengths / self.size
        for k, j in enumerate(self.joints):
            rows = slice(6 * k, 6 * k + 6)
            R = np.kron(np.eye(2), self.X_WM[j.name][:3, :3])
            for b, J, sign in zip((j.tail, j.head), self.J[j.name], (-1.0, 1.0), strict=True):
                if b != self.ground:
                    G[body[b], rows] += sign * (moments[:, None] * (J.T @ R) / moments)
            S[rows, j.v] = R.T @ self.S[j.name] / lengths[:, None]
        return Equations(G, S, np.linalg.norm(S, axis=0), lengths, moments)


@dataclass(frozen=True)
class Equations:
    """Wrenches (f, n / size) along M's axes, accelerations (a / size, α) of bodies along the world's.

    G : bodies x joints; its transpose gives accelerations of M from those of bodies
    S : joints x rates; reach : norm of its columns
    lengths : (size, size, size, 1, 1, 1); moments : (1, 1, 1, 1/size, 1/size, 1/size)
    """

    G: Array
    S: Array
    reach: Array
    lengths: Array
    moments: Array


def _solved(K: Array, b: Array) -> tuple[Array, Array, float]:
    """Solution of least norm, a basis of what may be added to it, and the largest error of the largest term."""
    U, s, Vt = np.linalg.svd(K)
    rank = int((s > REDUNDANT * s[0]).sum())

    def least(r: Array) -> Array:
        return np.asarray(Vt[:rank].T @ ((U[:, :rank].T @ r) / s[:rank]))

    x = least(b)
    x = x + least(b - K @ x)
    size = max(float((np.abs(K) @ np.abs(x)).max(initial=0.0)), float(np.abs(b).max(initial=0.0)), 1e-300)
    return x, Vt[rank:].T, float(np.abs(K @ x - b).max(initial=0.0)) / size


def _not_unique(null: Array) -> Array:
    """Which unknowns may take other values."""
    return np.linalg.norm(null, axis=1) > 1e-7 if null.size else np.zeros(len(null), bool)


# ---------------------------------------------------------------- questions


def forward(
    machine: Any,
    y: Any,
    w: Any,
    efforts: Mapping[str, float] | None = None,
    t: float = 0.0,
    external: Mapping[str, Array] | None = None,
) -> Answer:
    """Accelerations and joint wrenches under the loads of the model.

    y, w : closed variables and rates of all joints, in the order of the machine's
    efforts : by rate (`A.angle`, `S.wx`), what drives add to the loads of the model
    external : by body, [force; moment] at its origin, world axes
    """
    now = Instant(machine, y, w, t)
    eq, L = now.equations(), now.size
    applied, along = now.applied(external)
    for name, effort in (efforts or {}).items():
        along[now.rates.index(name)] += effort
    nb, nj, nw = 6 * len(now.bodies), 6 * len(now.joints), len(now.rates)
    unit = L * max([now.mass(b)[0] for b in now.bodies] + [1e-12])  # of forces [kg m]
    M, push = np.zeros((nb, nb)), np.zeros(nb)
    for i, b in enumerate(now.bodies):
        rows = slice(6 * i, 6 * i + 6)
        M[rows, rows] = eq.moments[:, None] * now.mass_matrix(b) * eq.lengths
        push[rows] = eq.moments * (applied[b] - now.bias(b))
    S = eq.S / eq.reach
    K = np.block(
        [
            [M / unit, np.zeros((nb, nw)), -eq.G],
            [eq.G.T, -S, np.zeros((nj, nj))],
            [np.zeros((nw, nb)), np.diag(now.rotors / (unit * L * eq.reach**2)), S.T],
        ]
    )
    gamma = [np.kron(np.eye(2), now.X_WM[j.name][:3, :3].T) @ now.gamma[j.name] / eq.lengths for j in now.joints]
    x, null, residual = _solved(K, np.concatenate([push / unit, *gamma, along / (unit * L * eq.reach)]))
    loose = _not_unique(null)
    A = x[:nb].reshape(-1, 6) * eq.lengths
    wrenches, indeterminate = _by_joint(now, eq, unit * x[nb + nw :], loose[nb + nw :])
    unsettled = tuple(n for n, free in zip(now.rates, loose[nb : nb + nw], strict=True) if free)
    bodies = dict(zip(now.bodies, A, strict=True))
    return Answer(x[nb : nb + nw] / eq.reach, bodies, dict(efforts or {}), wrenches, indeterminate, unsettled, residual)


def inverse(
    machine: Any,
    y: Any,
    w: Any,
    dw: Any,
    drivers: Sequence[str],
    t: float = 0.0,
    external: Mapping[str, Array] | None = None,
) -> Answer:
    """Efforts of drivers and joint wrenches that a motion takes, under the loads of the model.

    y, w, dw : closed variables, rates and accelerations of all joints, in the order of the machine's
    drivers : rates (`A.angle`, `S.wx`) along which something drives
    external : by body, [force; moment] at its origin, world axes
    """
    now = Instant(machine, y, w, t)
    eq, dw = now.equations(), np.array(dw, float)
    A = now.walked(dw, now.gamma)
    applied, along = now.applied(external)
    driven = [now.rates.index(n) for n in drivers]
    nj = 6 * len(now.joints)
    D = np.zeros((len(now.rates), len(driven)))
    D[driven, np.arange(len(driven))] = -1.0
    K = np.block([[eq.G, np.zeros((len(eq.G), len(driven)))], [(eq.S / eq.reach).T, D]])
    needed = [eq.moments * (now.mass_matrix(b) @ A[b] + now.bias(b) - applied[b]) for b in now.bodies]
    x, null, residual = _solved(K, np.concatenate([*needed, (along - now.rotors * dw) / (now.size * eq.reach)]))
    loose = _not_unique(null)
    efforts = {n: float(e * now.size * eq.reach[k]) for n, e, k in zip(drivers, x[nj:], driven, strict=True)}
    wrenches, indeterminate = _by_joint(now, eq, x[:nj], loose[:nj])
    unsettled = tuple(n for n, free in zip(drivers, loose[nj:], strict=True) if free)
    residual = max(residual, now.error(A, dw, now.gamma))
    return Answer(dw, {b: A[b] for b in now.bodies}, efforts, wrenches, indeterminate, unsettled, residual)


def _by_joint(now: Instant, eq: Equations, x: Array, loose: Array) -> tuple[dict[str, Array], dict[str, Array]]:
    names = [j.name for j in now.joints]
    wrenches = x.reshape(-1, 6) / eq.moments
    return dict(zip(names, wrenches, strict=True)), dict(zip(names, loose.reshape(-1, 6), strict=True))


def idle(machine: Any, y: Any) -> dict[str, Array]:
    """By joint, wrenches (6, k) along M's axes, [f; n / size], of an orthonormal basis of all that rest in themselves.

    They are in equilibrium on every body and do no work along any rate: G W = 0, Sᵀ W = 0.
    """
    now = Instant(machine, y, np.zeros(len(machine.plan.variable_rates)))
    eq = now.equations()
    _, null, _ = _solved(np.vstack([eq.G, (eq.S / eq.reach).T]), np.zeros(len(eq.G) + eq.S.shape[1]))
    return {j.name: null[6 * k : 6 * k + 6] for k, j in enumerate(now.joints)}
