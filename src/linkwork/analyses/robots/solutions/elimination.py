"""All solutions of any chain of six turns and slides, one of them a turn at least: sixteen at most.

The six joints and the goal close a loop a1 a2 a3 a4 a5 a6 = 1. For the line v of a6, which a6 leaves in place,

    a3 a4 a5 v = a2⁻¹ a1⁻¹ v

holds for the fourteen numbers of `line_moments`: the right is linear in the nine products of (1, c1, s1) and
(1, c2, s2), so eight combinations remove its unknowns and six equations stay, in the products of u4^i u5^j, i, j ≤ 2,
with factors of second degree in u3 (u = tan x/2). These and u4 times these are twelve equations for twelve products: a
quadratic eigenvalue problem for u3, of whose 24 eigenvalues eight are ±i (Raghavan and Roth 1993; Manocha and Canny
1994).

The loop may begin at any joint and be walked both ways, so any joint can be a3; which one serves a chain best is tried
out. u3 is turned to where the leading matrix is regular, so half turns of a3 are as good as any angle; those of a4 and
a5 are, because products are homogeneous.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.algebra import ca
from linkwork.analyses.robots.solutions.line_moments import (
    inverse_signs,
    joint_matrices,
    line_vector,
    powers,
    representation,
    unit_powers,
)
from linkwork.analyses.robots.solutions.motions import displacement, goal_rows
from linkwork.analyses.robots.solutions.serial_chains import Joint
from linkwork.geometry import Array, inverse
from linkwork.geometry.rotations import skew
from linkwork.kernels import Kernel

TURNS_OF_U = (0.35, 1.0, -0.4)
"""Angles by which atan u3 is turned, one after the other until the leading matrix is regular."""
WELL = 1e-7
"""Regularity from which on no other turn is tried."""
REAL = 1e-3
"""Eigenvalues nearer to a real one than this may be a double solution torn apart by rounding."""
REGULAR = 1e-5
"""Error before polishing above which an order of elimination is not trusted."""
ALIKE = 1e-6


@dataclass(frozen=True)
class Order:
    """Where the loop begins, and whether it is walked the other way."""

    first: int
    backward: bool


ORDERS = tuple(Order(first, backward) for backward in (False, True) for first in (0, 5, 4))
"""Those in which the goal stands on the right, so that the left is worked out once."""


@dataclass(frozen=True)
class Candidates:
    """Approximate solutions of many goals: which goal each belongs to, and the variables in the chain's order.

    doubtful : goals of which two share an eigenvalue, so that their solutions may be mixed
    """

    goal: NDArray[Any]
    x: Array
    doubtful: NDArray[Any]


class Elimination:
    """One order of elimination for six joints, lengths scaled."""

    def __init__(self, joints: Sequence[Joint], order: Order) -> None:
        walked = [j.reversed for j in reversed(joints)] if order.backward else list(joints)
        names = list(range(5, -1, -1)) if order.backward else list(range(6))
        self.order = order
        self.joints = walked[order.first :] + walked[: order.first]
        self.places = names[order.first :] + names[: order.first]
        self.goal_before = (6 - order.first) % 6
        factors = [joint_matrices(j) for j in self.joints]
        self._line = line_vector(self.joints[5].axis, self.joints[5].point)
        left = np.einsum("cij,bjk,akl,l->cbai", factors[2], factors[3], factors[4], self._line, optimize=True)
        self._left = left[..., 1:]
        turned = [powers(j) for j in self.joints]
        self._left_powers = np.einsum("cbai,cx,by,az->ixyz", self._left, turned[2], turned[3], turned[4], optimize=True)
        unit = [unit_powers(j) for j in self.joints]
        self._unit = np.einsum("x,y,z->xyz", unit[2], unit[3], unit[4])
        self._back = [factors[k] * inverse_signs(self.joints[k])[:, None, None] for k in (0, 1)]

    def _right(self, goals: Array) -> Array:
        """Factors of the nine products on the right, (goals, 9, 14)."""
        v = np.broadcast_to(self._line, (len(goals), 1, 15))
        D = representation(goals)
        for k in range(3):
            if k == self.goal_before:
                v = v @ np.swapaxes(D, -1, -2)
            if k < 2:
                # Each of the three factors times each product so far; the later joint's index stands first.
                v = np.swapaxes(self._back[k].reshape(45, 15) @ np.swapaxes(v, -1, -2), -1, -2)
                v = np.moveaxis(v.reshape(len(goals), -1, 3, 15), 2, 1).reshape(len(goals), -1, 15)
        return np.asarray(v[..., 1:])

    def candidates(self, goals: Array) -> Candidates:
        """Approximate real solutions for goals (k, 4, 4): poses of the target by its base pose."""
        given = inverse(goals) if self.order.backward else goals
        right = self._right(given)
        k, N = right[:, 0], np.swapaxes(right[:, 1:], 1, 2)
        Q, triangle = np.linalg.qr(N, mode="complete")
        U = np.swapaxes(Q[:, :, 8:], 1, 2)
        E = (U @ self._left_powers.reshape(14, 27)).reshape(-1, 6, 3, 3, 3)
        E = E - (U @ k[..., None])[..., None, None] * self._unit
        M = np.zeros((len(goals), 12, 3, 4, 3))
        M[:, :6, :, :3], M[:, 6:, :, 1:] = E, E
        P = M.reshape(-1, 12, 3, 12)
        u3, vectors = _eigenvalues(P[:, :, 0], P[:, :, 1], P[:, :, 2])
        # x3 = 2 atan2(sine, cosine): a real pair stands for a real solution.
        near = np.abs(u3.imag) < REAL
        goal, which = np.nonzero(near)
        if not goal.size:
            return Candidates(goal, np.zeros((0, 6)), np.zeros(len(goals), bool))
        x3 = u3.real[goal, which]
        if not self.joints[2].turns:
            x3 = np.tan(0.5 * x3)
        products = _real(vectors[goal, :, which]).reshape(-1, 4, 3)
        x4 = _ratio(products, 1, self.joints[3].turns)
        x5 = _ratio(products, 2, self.joints[4].turns)
        known = np.stack([x3, x4, x5], axis=-1)
        x12 = self._first_two(N, Q, triangle, k, goal, known)
        x = np.concatenate([x12, known], axis=-1)
        x = np.concatenate([x, self._last(x, goal_rows(given[goal]))[:, None]], axis=-1)
        ordered = np.empty_like(x)
        ordered[:, self.places] = x
        sane = np.isfinite(ordered).all(axis=1)
        return Candidates(goal[sane], ordered[sane], _sharing(u3, near))

    def _first_two(self, N: Array, Q: Array, triangle: Array, k: Array, goal: NDArray[Any], known: Array) -> Array:
        """x1 and x2 by least squares of the fourteen equations, which are linear in their products."""
        f3, f4, f5 = (_functions(known[:, k], joint) for k, joint in enumerate(self.joints[2:5]))
        products = f3[:, :, None, None] * f4[:, None, :, None] * f5[:, None, None, :]
        b = (products.reshape(-1, 27) @ self._left.reshape(27, 14) - k[goal])[..., None]
        try:
            R = triangle[goal, :8]
            small = np.abs(np.diagonal(R, axis1=1, axis2=2)).min(axis=1) < 1e-11
            if small.any():
                raise np.linalg.LinAlgError
            m = np.linalg.solve(R, np.swapaxes(Q[goal, :, :8], 1, 2) @ b)[..., 0]
        except np.linalg.LinAlgError:
            m = (np.linalg.pinv(N, rcond=1e-10)[goal] @ b)[..., 0]
        # The products without 1: c1, s1, then c2, c2 c1, c2 s1, s2, ...
        first = np.arctan2(m[:, 1], m[:, 0]) if self.joints[0].turns else m[:, 0]
        second = np.arctan2(m[:, 5], m[:, 2]) if self.joints[1].turns else m[:, 2]
        return np.stack([first, second], axis=-1)

    @cached_property
    def _last(self) -> Kernel:
        """The angle of a6, which takes the others' motion back: from the first five variables and the goal (12)."""
        x, goal = ca.SX.sym("x", 5), ca.SX.sym("goal", 12)
        G = ca.reshape(goal[:9], 3, 3).T
        R = ca.SX.eye(3)
        for k in range(6):
            if k == self.goal_before:
                R = ca.mtimes(R, G.T)
            if k < 5 and self.joints[k].turns:
                K = ca.DM(skew(self.joints[k].axis))
                M = ca.SX.eye(3) + ca.sin(x[k]) * K + (1.0 - ca.cos(x[k])) * ca.mtimes(K, K)
                R = ca.mtimes(R, M)
        # a1 ... a5 a6 G⁻¹ = 1, with G⁻¹ where it stands; at the front it is as good as behind a6.
        axis = self.joints[5].axis
        across = _across(axis)
        there = ca.mtimes(R.T, ca.DM(across))
        angle = ca.atan2(ca.dot(there, ca.DM(np.cross(axis, across))), ca.dot(there, ca.DM(across)))
        return Kernel(ca.Function("last", [x, goal], [angle]), output_shapes=[()])


def _across(axis: Array) -> Array:
    other = np.zeros(3)
    other[int(np.argmin(np.abs(axis)))] = 1.0
    found = np.cross(axis, other)
    return np.asarray(found / np.linalg.norm(found))


def _functions(x: Array, joint: Joint) -> Array:
    """1, cos and sin; or 1, x, x²."""
    return np.stack([np.ones_like(x), np.cos(x), np.sin(x)] if joint.turns else [np.ones_like(x), x, x * x], axis=-1)


def _eigenvalues(C: Array, B: Array, A: Array) -> tuple[Array, Array]:
    """Angles 2 atan u of all u with det(C + B u + A u²) = 0, complex, and null vectors (..., 12, 24)."""
    count = len(C)
    A2, B2, C2, chosen = A.copy(), B.copy(), C.copy(), np.zeros(count)
    ill = np.arange(count)
    best = np.zeros(count)
    for turn in TURNS_OF_U:
        c, s = np.cos(turn), np.sin(turn)
        a, b, d = A[ill], B[ill], C[ill]
        leading = a * c * c - b * c * s + d * s * s
        regular = _regularity(leading)
        better = regular > best[ill]
        new = ill[better]
        best[new], chosen[new] = regular[better], turn
        A2[new] = leading[better]
        B2[new] = (2.0 * (a - d) * c * s + b * (c * c - s * s))[better]
        C2[new] = (a * s * s + b * s * c + d * c * c)[better]
        ill = ill[regular < WELL]
        if not ill.size:
            break
    K = np.zeros((count, 24, 24))
    K[:, :12, 12:] = np.eye(12)
    usable = best > 0.0
    K[usable, 12:] = np.linalg.solve(A2[usable], np.concatenate([-C2[usable], -B2[usable]], axis=2))
    y, V = np.linalg.eig(K)
    y, V = y.astype(complex), V.astype(complex)
    y[~usable] = 1j
    # Of v and y v the larger one is the more exact.
    vectors = np.where(np.abs(y)[:, None, :] > 1.0, V[:, 12:], V[:, :12])
    # u = tan(atan y + turn), kept as an angle.
    with np.errstate(all="ignore"):
        angle = 2.0 * (np.arctan(y) + chosen[:, None])
    angle = np.where(np.isfinite(angle), angle, 1j * 10.0)
    return np.asarray(angle), vectors


def _regularity(A: Array) -> Array:
    """1 / (|A| |A⁻¹|); 0 where there is no inverse."""
    try:
        other = np.linalg.inv(A)
    except np.linalg.LinAlgError:
        value = np.linalg.svd(A, compute_uv=False)
        return np.asarray(np.where(value[:, -1] > 1e-15 * value[:, 0], value[:, -1] / value[:, 0], 0.0))
    return np.asarray(1.0 / (np.linalg.norm(A, axis=(1, 2)) * np.linalg.norm(other, axis=(1, 2))))


def _real(v: Array) -> Array:
    """Complex vectors turned so that their largest component is real."""
    largest = np.take_along_axis(v, np.abs(v).argmax(axis=-1)[:, None], axis=-1)
    return np.asarray((v / largest).real)


def _ratio(products: Array, axis: int, turns: bool) -> Array:
    """u from two neighbouring powers where they are largest: an angle 2 atan u, or u itself."""
    p = products if axis == 1 else np.swapaxes(products, 1, 2)
    low, high = p[:, :-1].reshape(len(p), -1), p[:, 1:].reshape(len(p), -1)
    pick = (low * low + high * high).argmax(axis=1)[:, None]
    a, b = np.take_along_axis(low, pick, 1)[:, 0], np.take_along_axis(high, pick, 1)[:, 0]
    if turns:
        return np.asarray(2.0 * np.arctan2(b, a))
    with np.errstate(all="ignore"):
        return np.asarray(b / a)


def _sharing(angles: Array, near: NDArray[Any]) -> NDArray[Any]:
    """Goals with two real eigenvalues that are next to equal."""
    value = np.where(near, np.mod(angles.real, 2.0 * np.pi), np.nan)
    value.sort(axis=1)
    return np.asarray((np.nan_to_num(np.diff(value, axis=1), nan=1.0) < ALIKE).any(axis=1))


@dataclass(frozen=True)
class Ordered:
    """An elimination, and how exact nine tenths of its candidates are before polishing."""

    elimination: Elimination
    error: float


class GeneralChain:
    """The eliminations that serve six joints, the best first."""

    def __init__(self, joints: Sequence[Joint]) -> None:
        self.joints = tuple(joints)

    @cached_property
    def ordered(self) -> list[Ordered]:
        """All orders that find again the posture that made a goal."""
        rng = np.random.default_rng(11)
        x = rng.uniform(-2.5, 2.5, (24, 6)) * np.array([1.0 if j.turns else 0.3 for j in self.joints])
        goals = displacement(self.joints, x)
        found = []
        for order in ORDERS:
            elimination = Elimination(self.joints, order)
            if not elimination.joints[5].turns:
                continue
            some = elimination.candidates(goals)
            error = np.full(len(x), np.inf)
            turning = np.array([j.turns for j in self.joints])
            gap = some.x - x[some.goal]
            gap = np.abs(np.where(turning, np.angle(np.exp(1j * gap)), gap)).max(axis=1)
            np.minimum.at(error, some.goal, gap)
            usual = float(np.sort(error)[int(0.9 * len(error))])
            if usual < REGULAR:
                found.append(Ordered(elimination, usual))
        return sorted(found, key=lambda o: o.error)
