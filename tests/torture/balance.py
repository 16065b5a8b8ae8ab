"""Newton and Euler a second time, for many samples at once: every body in maximal coordinates, every joint an equal.

The equations are those of `tests/analyses/maximal.py`, as arrays over samples, for machines whose loads are weight,
linear springs along variables, efforts that are given, and wrenches on bodies. Numbers come from `machine.parameters`,
so that machines by `with_parameters` are understood too.

    G W = M A + bias - applied          each body
    Sᵀ W - e = along                    each rate; e are the efforts of the drivers

Bounds: rounding of the data is ε = 2.2e-16 (1 + distance from the origin / size). With the singular values σ of the
scaled matrix, an unknown is known within (ε + misfit) · (terms of the right side + σ₁ |x|) / σᵣ; σᵣ is the least that
counts. What is not unique is where the null space has a part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from maximal import _along, _joined

from linkwork.model.loads import Spring

Array = np.ndarray
EPS = float(np.finfo(float).eps)
NONE, SOME = 1e-10, 1e-8
"""Singular values below the first part of the largest are none; between the two it cannot be told."""


def cross(a: Array, b: Array) -> Array:
    """a × b over the last axis."""
    return np.stack(
        [
            a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
            a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
        ],
        axis=-1,
    )


def times(R: Array, a: Array) -> Array:
    """R a, sample by sample."""
    return np.einsum("...ij,...j->...i", R, a)


def skews(a: Array) -> Array:
    """a × as matrices."""
    S = np.zeros((*a.shape[:-1], 3, 3))
    S[..., 0, 1], S[..., 0, 2], S[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    return S - np.swapaxes(S, -1, -2)


def turning(D: Array) -> Array:
    """Vectors of the skew parts."""
    return 0.5 * np.stack([D[:, 2, 1] - D[:, 1, 2], D[:, 0, 2] - D[:, 2, 0], D[:, 1, 0] - D[:, 0, 1]], axis=-1)


def _half(q: Array, w: Array) -> Array:
    """½ q ∘ (0, w)."""
    return 0.5 * np.column_stack([-(q[:, 1:] * w).sum(1), q[:, :1] * w + cross(q[:, 1:], w)])


def _path(q: Array, v: Array, dv: Array) -> tuple[Array, Array]:
    """q' and q''; quaternions come last."""
    if q.shape[1] == v.shape[1]:
        return v, dv
    k = q.shape[1] - 4
    dq = _half(q[:, k:], v[:, k:])
    ddq = _half(q[:, k:], dv[:, k:]) + _half(dq, v[:, k:])
    return np.column_stack([v[:, :k], dq]), np.column_stack([dv[:, :k], ddq])


@dataclass(frozen=True)
class Moving:
    """M relative to F along F's axes, by sample."""

    R: Array
    p: Array
    dp: Array
    ddp: Array
    w: Array
    dw: Array


def moving(law: Any, q: Array, v: Array, dv: Array) -> Moving:
    """R'' Rᵀ = skew(ω') + skew(ω)²,  R' Rᵀ = skew(ω)."""
    dq, ddq = _path(q, v, dv)
    X, dX, ddX = (np.array(x).T for x in _along(law)(q.T, dq.T, ddq.T))
    R, dR, ddR = (x[:, :9].reshape(-1, 3, 3) for x in (X, dX, ddX))
    Rt = np.swapaxes(R, 1, 2)
    return Moving(R, X[:, 9:], dX[:, 9:], ddX[:, 9:], turning(dR @ Rt), turning(ddR @ Rt))


@dataclass(frozen=True)
class Given:
    """What acts besides weight and springs: efforts (samples, rates), and by body [force; moment] at its origin."""

    efforts: Array
    wrenches: Mapping[str, Array]


class Balance:
    """A machine at samples of closed variables y, rates w and accelerations dw of all joints."""

    def __init__(
        self, machine: Any, y: Array, w: Array, dw: Array, given: Given | None = None, couples: Sequence[Any] = ()
    ) -> None:
        self.m, self.numbers = machine.mechanism, machine.parameters
        self.rates = list(machine.variable_rates)
        self.y, self.w, self.dw, self.count = y, w, dw, len(y)
        self.joints, self.ground = _joined(machine), self.m.ground.name
        self.bodies = [b for b in self.m.bodies if b != self.ground]
        self.layout, self.size = machine.layout, machine.layout.size
        self.couples = couples
        self.given = given or Given(np.zeros_like(w), {})
        self._seats()
        self._stand()
        self._move()

    def _number(self, owner: str, *names: str) -> Array:
        return np.array([self.numbers[f"{owner}.{n}"] for n in names])

    def _seats(self) -> None:
        """Seats of the joints, from the parameters."""
        self.X_TF, self.X_HM = {}, {}
        for j in self.joints:
            for side, own, table in (("tail", j.X_TF, self.X_TF), ("head", j.X_HM, self.X_HM)):
                R, p = own[:3, :3], own[:3, 3]
                if f"{j.name}.{side}.at.x" in self.numbers:
                    R = np.array([self._number(f"{j.name}.{side}.{a}", *"xyz") for a in "uvw"]).T
                    p = self._number(f"{j.name}.{side}.at", *"xyz")
                table[j.name] = (R, p)

    def _stand(self) -> None:
        """Poses of all bodies along joints in the order in which they reach them."""
        X0 = self.layout.X_WB[self.ground]
        whole = np.ones(self.count)
        self.R = {self.ground: whole[:, None, None] * X0[:3, :3]}
        self.p = {self.ground: whole[:, None] * X0[:3, 3]}
        self.motion = {j.name: moving(j.law, self.y[:, j.q], self.w[:, j.v], 0 * self.w[:, j.v]) for j in self.joints}
        self.walk: list[tuple[Any, bool]] = []
        left = list(self.joints)
        while left:
            j = next(j for j in left if j.tail in self.R or j.head in self.R)
            left.remove(j)
            (R_TF, p_TF), (R_HM, p_HM), now = self.X_TF[j.name], self.X_HM[j.name], self.motion[j.name]
            if j.tail in self.R and j.head in self.R:
                continue
            self.walk.append((j, j.tail in self.R))
            if j.tail in self.R:
                R_F = self.R[j.tail] @ R_TF
                p_M = self.p[j.tail] + times(self.R[j.tail], p_TF) + times(R_F, now.p)
                self.R[j.head] = R_F @ now.R @ R_HM.T
                self.p[j.head] = p_M - times(self.R[j.head], p_HM)
            else:
                R_F = self.R[j.head] @ R_HM @ np.swapaxes(now.R, 1, 2)
                p_F = self.p[j.head] + times(self.R[j.head], p_HM) - times(R_F, now.p)
                self.R[j.tail] = R_F @ R_TF.T
                self.p[j.tail] = p_F - times(self.R[j.tail], p_TF)

    def _move(self) -> None:
        """Frames, freedoms, velocities and accelerations; misfits of place, velocity and acceleration by sample."""
        self.R_M, self.d, self.S, self.gamma = {}, {}, {}, {}
        self.far = np.zeros(self.count)
        place = np.zeros(self.count)
        for j in self.joints:
            (R_TF, p_TF), (R_HM, p_HM), now = self.X_TF[j.name], self.X_HM[j.name], self.motion[j.name]
            R_F = self.R[j.tail] @ R_TF
            p_F = self.p[j.tail] + times(self.R[j.tail], p_TF)
            p_M, R_M = self.p[j.head] + times(self.R[j.head], p_HM), self.R[j.head] @ R_HM
            off = np.abs(R_F @ now.R - R_M).max(axis=(1, 2))
            place = np.maximum(place, np.maximum(off, np.abs(p_F + times(R_F, now.p) - p_M).max(1) / self.size))
            self.R_M[j.name] = R_M
            self.d[j.name] = (p_M - self.p[j.tail], p_M - self.p[j.head])
            reach = [np.abs(p_TF).max(), np.abs(p_HM).max(), np.abs(p_M).max(1), np.abs(now.p).max(1)]
            for x in (*reach, *(np.abs(d).max(1) for d in self.d[j.name])):
                self.far = np.maximum(self.far, x)
            columns = []
            for unit in np.eye(len(j.v)):
                u = np.broadcast_to(unit, (self.count, len(unit)))
                at = moving(j.law, self.y[:, j.q], u, 0 * u)
                columns.append(np.concatenate([times(R_F, at.dp), times(R_F, at.w)], axis=1))
            self.S[j.name] = np.array(columns).reshape(len(j.v), self.count, 6).transpose(1, 2, 0)
        still = {j.name: np.zeros((self.count, 6)) for j in self.joints}
        self.V = self._walked(self.w, still)
        for j in self.joints:
            now, R_F = self.motion[j.name], self.R[j.tail] @ self.X_TF[j.name][0]
            d_T, d_H = self.d[j.name]
            w_T, w_H = self.V[j.tail][:, 3:], self.V[j.head][:, 3:]
            inward = cross(w_T, cross(w_T, d_T)) - cross(w_H, cross(w_H, d_H))
            linear = inward + 2 * cross(w_T, times(R_F, now.dp)) + times(R_F, now.ddp)
            angular = times(R_F, now.dw) + cross(w_T, times(R_F, now.w))
            self.gamma[j.name] = np.concatenate([linear, angular], axis=1)
        self.A = self._walked(self.dw, self.gamma)
        self.misfits = {
            "place": place,
            "velocity": self._missed(self.V, self.w, still),
            "acceleration": self._missed(self.A, self.dw, self.gamma),
        }
        self.eps = EPS * (1.0 + self.far / self.size)

    def _walked(self, rates: Array, extra: Mapping[str, Array]) -> dict[str, Array]:
        """Twists, or accelerations, of all bodies from those of the joints."""
        found = {self.ground: np.zeros((self.count, 6))}
        for j, forward in self.walk:
            d_T, d_H = self.d[j.name]
            own = times(self.S[j.name], rates[:, j.v]) + extra[j.name]
            if forward:
                found[j.head] = shifted(shifted(found[j.tail], d_T) + own, -d_H)
            else:
                found[j.tail] = shifted(shifted(found[j.head], d_H) - own, -d_T)
        return found

    def _missed(self, found: Mapping[str, Array], rates: Array, extra: Mapping[str, Array]) -> Array:
        """How far joints are from what their bodies do, of the largest term."""
        worst, largest = np.zeros(self.count), np.full(self.count, 1e-300)
        scale = np.array([self.size] * 3 + [1.0] * 3)
        for j in self.joints:
            d_T, d_H = self.d[j.name]
            parts = self.S[j.name] * rates[:, None, j.v]
            own = parts.sum(axis=2) + extra[j.name]
            ends = shifted(found[j.tail], d_T), shifted(found[j.head], d_H)
            worst = np.maximum(worst, np.abs((ends[1] - ends[0] - own) / scale).max(1))
            for x in (own, extra[j.name], *ends, *np.moveaxis(parts, 2, 0)):
                largest = np.maximum(largest, np.abs(x / scale).max(1))
        return worst / largest

    # ---------------------------------------------------------------- what acts

    def _mass(self, body: str) -> tuple[float, Array, Array]:
        """Mass, way to the centre of mass and central inertia, world axes, by sample."""
        R = self.R[body]
        if f"{body}.mass" not in self.numbers:
            own = self.layout.masses[body]
            return float(own.mass), times(R, np.asarray(own.com)), R @ own.inertia @ np.swapaxes(R, 1, 2)
        mass, com = float(self.numbers[f"{body}.mass"]), self._number(f"{body}.com", *"xyz")
        xx, yy, zz, xy, xz, yz = self._number(f"{body}.inertia", "xx", "yy", "zz", "xy", "xz", "yz")
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return mass, times(R, com), R @ own @ np.swapaxes(R, 1, 2)

    def _needed(self, body: str) -> tuple[Array, Array]:
        """Wrench at the body's origin that its joints must bring, and the largest of its terms (samples,)."""
        mass, c, inertia = self._mass(body)
        gravity = self._number("gravity", *"xyz")
        w, A = self.V[body][:, 3:], self.A[body]
        a, dw = A[:, :3], A[:, 3:]
        parts = [
            mass * a,
            mass * cross(dw, c),
            mass * cross(w, cross(w, c)),
            -mass * gravity * np.ones((self.count, 1)),
        ]
        force = sum(parts)
        turns = [times(inertia, dw), cross(w, times(inertia, w)), *(cross(c, x) for x in parts)]
        outside = self.given.wrenches.get(body, np.zeros(6)) * np.ones((self.count, 1))
        wrench = np.concatenate([force, sum(turns)], axis=1) - outside
        terms = [*(np.abs(x).max(1) for x in parts), *(np.abs(x).max(1) / self.size for x in turns)]
        terms += [np.abs(outside[:, :3]).max(1), np.abs(outside[:, 3:]).max(1) / self.size]
        return wrench, np.max(terms, axis=0)

    def _along(self) -> tuple[Array, Array]:
        """Efforts along all rates of springs and of what is given, and the largest term by rate."""
        along, terms = self.given.efforts.copy(), np.abs(self.given.efforts)
        places = self._places()
        for load in self.m.loads.values():
            assert isinstance(load, Spring) and load.variable and load.law is None and load.free is not None
            k, free, damping, preload = self._number(load.name, "stiffness", "free", "damping", "preload")
            column, x = self.rates.index(load.variable), self.y[:, places[load.variable]]
            parts = np.stack([-k * x, k * free * np.ones(self.count), -damping * self.w[:, column], -preload + 0 * x])
            along[:, column] += parts.sum(0)
            terms[:, column] = np.maximum(terms[:, column], np.abs(parts).max(0))
        return along, terms

    def _places(self) -> dict[str, int]:
        """Columns of the variables."""
        return {f"{j.name}.{v.name}": i for j in self.joints for v, i in zip(j.law.variables, j.q, strict=True)}

    def gradients(self, reach: Array) -> Array:
        """Derivatives of the couplings by the rates (samples, couplings, rates), without units; 1 by the follower."""
        found, places = np.zeros((self.count, len(self.couples), len(self.rates))), self._places()
        for k, own in enumerate(self.couples):
            ratio, bend, of = self._number(own.name, "ratio", "bend", "of")
            f, g = self.rates.index(own.follower), self.rates.index(own.leader)
            slope = ratio + 2.0 * bend * (self.y[:, places[own.leader]] - of)
            found[:, k, f], found[:, k, g] = 1.0, -slope * reach[:, f] / reach[:, g]
        return found

    # ---------------------------------------------------------------- equations

    def matrices(self) -> tuple[Array, Array, Array]:
        """G (samples, 6 bodies, 6 joints), S (samples, 6 joints, rates), reach (samples, rates): without units."""
        nb, nj = len(self.bodies), len(self.joints)
        G = np.zeros((self.count, 6 * nb, 6 * nj))
        S = np.zeros((self.count, 6 * nj, len(self.rates)))
        row = {b: slice(6 * i, 6 * i + 6) for i, b in enumerate(self.bodies)}
        for k, j in enumerate(self.joints):
            own, R = slice(6 * k, 6 * k + 6), self.R_M[j.name]
            for b, d, sign in zip((j.tail, j.head), self.d[j.name], (-1.0, 1.0), strict=True):
                if b != self.ground:
                    block = np.zeros((self.count, 6, 6))
                    block[:, :3, :3] = block[:, 3:, 3:] = R
                    block[:, 3:, :3] = skews(d / self.size) @ R
                    G[:, row[b], own] += sign * block
            Rt = np.swapaxes(R, 1, 2)
            S[:, 6 * k : 6 * k + 3, j.v] = Rt @ self.S[j.name][:, :3] / self.size
            S[:, 6 * k + 3 : 6 * k + 6, j.v] = Rt @ self.S[j.name][:, 3:]
        return G, S, np.linalg.norm(S, axis=1)

    def inverse(self, drivers: Sequence[str]) -> Solved:
        """Efforts of drivers and wrenches of all joints."""
        G, S, reach = self.matrices()
        nj, driven = G.shape[2], [self.rates.index(n) for n in drivers]
        D = np.zeros((len(self.rates), len(driven)))
        D[driven, np.arange(len(driven))] = -1.0
        pushed = nj + len(driven)
        K = np.zeros((self.count, G.shape[1] + len(self.rates), pushed + len(self.couples)))
        K[:, : G.shape[1], :nj], K[:, G.shape[1] :, :nj] = G, np.swapaxes(S / reach[:, None], 1, 2)
        K[:, G.shape[1] :, nj:pushed] = D
        K[:, G.shape[1] :, pushed:] = -np.swapaxes(self.gradients(reach), 1, 2)
        needs = [self._needed(b) for b in self.bodies]
        along, along_terms = self._along()
        unit = np.array([1.0] * 3 + [1.0 / self.size] * 3)
        right = np.concatenate([*(x * unit for x, _ in needs), along / (self.size * reach)], axis=1)
        terms = np.max([*(t for _, t in needs), *(along_terms / (self.size * reach)).T], axis=0)
        U, s, Vt = np.linalg.svd(K, full_matrices=True)
        rank = (s > NONE * s[:, :1]).sum(axis=1)
        clear = ~((s > NONE * s[:, :1]) & (s < SOME * s[:, :1])).any(axis=1)
        kept = np.arange(s.shape[1]) < rank[:, None]
        inverse = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)

        def least(b: Array) -> Array:
            z = np.einsum("sij,si->sj", U, b)[:, : s.shape[1]] * inverse
            return np.einsum("sij,si->sj", Vt[:, : s.shape[1]], z)

        x = least(right)
        for _ in range(2):
            x = x + least(right - times(K, x))
        null = np.where(np.arange(Vt.shape[1])[:, None] >= rank[:, None, None], Vt, 0.0)
        loose = np.linalg.norm(null, axis=1)
        least_kept = np.take_along_axis(s, np.maximum(rank - 1, 0)[:, None], axis=1)[:, 0]
        scale = np.maximum(np.abs(x).max(1), terms)
        left = np.abs(right - times(K, x)).max(1) / np.maximum(terms + s[:, 0] * np.abs(x).max(1), 1e-300)
        wrenches = x[:, :nj].reshape(self.count, -1, 6)
        units = self.size * reach[:, driven]
        followers = [self.rates.index(own.follower) for own in self.couples]
        return Solved(
            wrenches, x[:, nj:pushed], units, loose[:, :nj].reshape(self.count, -1, 6), loose[:, nj:pushed],
            s[:, 0], least_kept, scale, terms + s[:, 0] * np.abs(x).max(1), left, clear,
            x[:, pushed:] * self.size * reach[:, followers], loose[:, pushed:],
        )  # fmt: skip

    def freedom(self) -> tuple[Array, Array, Array]:
        """|H⁻¹|, condition of the loops, and reach: what forward dynamics can know, by sample.

        Z spans the rates that keep all joints together, H = Zᵀ M Z; lengths in units of the size.
        """
        G, S, reach = self.matrices()
        K = np.concatenate([np.swapaxes(G, 1, 2), -S / reach[:, None]], axis=2)  # [A; w'] with G' A = S w'
        own = self.gradients(reach)
        K = np.concatenate([K, np.concatenate([np.zeros((*own.shape[:2], G.shape[1])), own], axis=2)], axis=1)
        _, s, Vt = np.linalg.svd(K, full_matrices=True)
        rank = (s > NONE * s[:, :1]).sum(axis=1)
        unit = np.array([1.0] * 3 + [1.0 / self.size] * 3)
        lengths = np.array([self.size] * 3 + [1.0] * 3)
        most = np.zeros(self.count)
        for k in range(self.count):
            Z = Vt[k, rank[k] :].T
            H = np.zeros((Z.shape[1], Z.shape[1]))
            for i, b in enumerate(self.bodies):
                mass, c, inertia = self._mass(b)
                M = np.zeros((6, 6))
                sk = skews(c[k])
                M[:3, :3], M[:3, 3:], M[3:, :3], M[3:, 3:] = (
                    mass * np.eye(3),
                    -mass * sk,
                    mass * sk,
                    inertia[k] - mass * sk @ sk,
                )
                Zb = Z[6 * i : 6 * i + 6]
                H += Zb.T @ ((unit[:, None] * M * lengths) @ Zb)
            values = np.linalg.eigvalsh(0.5 * (H + H.T))
            most[k] = 1.0 / max(values[0], 1e-300)
        least = np.take_along_axis(s, np.maximum(rank - 1, 0)[:, None], axis=1)[:, 0]
        return most, s[:, 0] / least, reach


def shifted(twist: Array, d: Array) -> Array:
    """Twist of a body's point further by d."""
    return np.concatenate([twist[:, :3] + cross(twist[:, 3:], d), twist[:, 3:]], axis=1)


@dataclass(frozen=True)
class Solved:
    """Wrenches (samples, joints, 6) as [f; n / size] along M's axes and efforts (samples, drivers) in forces.

    units : of the efforts; loose, loose_efforts : parts of the null space; first, last : singular values
    scale : largest force; terms : what errors are parts of; residual : of the equations; clear : the rank is certain
    """

    wrenches: Array
    efforts: Array
    units: Array
    loose: Array
    loose_efforts: Array
    first: Array
    last: Array
    scale: Array
    terms: Array
    residual: Array
    clear: Array
    multipliers: Array
    """Efforts of couplings in their units (samples, couplings)."""
    loose_multipliers: Array

    def known_within(self, rounding: Array) -> Array:
        """Error of a force that rounding of the data makes, by sample."""
        return rounding * self.terms / self.last
