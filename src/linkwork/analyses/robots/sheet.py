"""The surface of all postures that a machine can take with all freedoms held but two.

A posture belongs to it when the loops are closed and what is held stands still: equations of N scaled variables, whose
null space is the tangent plane. Steps go along the plane and come back by least-norm Newton's steps, so that postures
at which drives lose their hold are nothing special: only where the surface itself branches is its plane unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.joint_limits import JointLimit, joint_limits
from linkwork.analyses.kinematics.loops import Loops
from linkwork.geometry import Array

BRANCHING = 1e-7
"""Singular values below count as none: there the surface has no plane."""
NEWTON = 6
"""Least-norm Newton's steps at most."""
FAR = 3.0
"""Slides without limits are followed so many sizes of the machine away from home."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """The surface through a posture.

    loops : of the machine; home : a posture of it (ny,); held : rates that stand still
    """

    loops: Loops
    home: Array
    held: NDArray[np.int64]
    limits: list[JointLimit] = field(init=False)
    slides: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "limits", joint_limits(self.loops))
        object.__setattr__(self, "slides", np.flatnonzero(self.loops.variable_scale != 1.0))

    @property
    def freedoms(self) -> int:
        """Of the machine: two, and those that are held."""
        return 2 + len(self.held)

    def planes(self, Y: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Tangents with nothing held (n, N, freedoms), with what is held (n, N, 2), and where there are any."""
        J = self.loops.equations(Y)[1]
        free, fine = null_space(J, self.freedoms)
        if not len(self.held):
            return free, free, fine
        # What is held stands still: of the tangents only combinations remain that do not move it.
        own, known = null_space(free[:, self.held, :], 2)
        return free, free @ own, fine & known

    def closed(self, Y: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Postures put back on the surface, and which of them are on it."""
        Y = Y.copy()
        tolerance = self.loops.tolerance
        for _ in range(NEWTON):
            e, J = self._equations(Y)
            worst = np.abs(e).max(axis=1, initial=0.0)
            wanting = np.flatnonzero(worst > 1e-3 * tolerance)
            if not wanting.size:
                break
            stride = -(np.linalg.pinv(J[wanting], rcond=1e-9) @ e[wanting][..., np.newaxis])[..., 0]
            Y[wanting] = self.loops.advanced(Y[wanting], stride)
        e = self._equations(Y)[0]
        good: NDArray[np.bool_] = np.isfinite(Y).all(axis=1) & (np.abs(e).max(axis=1, initial=0.0) <= tolerance)
        return Y, good

    def stepped(self, Y: Array, strides: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Postures after scaled strides (n, N), back on the surface."""
        return self.closed(self.loops.advanced(Y, strides))

    def within(self, Y: Array) -> NDArray[np.bool_]:
        """Which postures keep all limits."""
        inside = np.ones(len(Y), bool)
        for limit in self.limits:
            inside &= limit.beyond(self.loops, Y[:, limit.place]) <= 0.0
        away = np.abs(Y[:, self.slides] - self.home[self.slides]) / self.loops.length
        near: NDArray[np.bool_] = away.max(axis=1, initial=0.0) <= FAR
        return inside & near

    def who_is_beyond(self, y: Array) -> str:
        """The variable that passes its limit, in words; '' where none does."""
        for limit in self.limits:
            if limit.beyond(self.loops, y[limit.place]) > 0.0:
                return f"the limit of {limit.variable}"
        return "" if self.within(y[np.newaxis])[0] else f"{FAR:g} sizes of the machine away"

    def spread(self, Y: Array) -> Array:
        """Numbers (n, k) that tell postures apart: full turns are none, and both signs of a quaternion are one."""
        parts = []
        scale = self.loops.variable_scale
        for slot in self.loops.plan.slots:
            for place in range(slot.q.start, slot.q.start + slot.plain):
                if scale[place] != 1.0:
                    parts.append(Y[:, place, np.newaxis] * scale[place])
                else:
                    parts += [np.cos(Y[:, place, np.newaxis]), np.sin(Y[:, place, np.newaxis])]
            if slot.plain < len(slot.law.variables):
                turn = Y[:, slot.q.start + slot.plain : slot.q.stop]
                pairs = turn[:, :, np.newaxis] * turn[:, np.newaxis, :]
                parts.append(np.sqrt(2.0) * pairs.reshape(len(Y), -1))
        return np.concatenate(parts, axis=1)

    def _equations(self, Y: Array) -> tuple[Array, Array]:
        e, J = self.loops.equations(Y)
        if not len(self.held):
            return e, J
        moved = self.loops.apart(np.broadcast_to(self.home, Y.shape), Y)[:, self.held]
        rows = np.zeros((len(Y), len(self.held), self.loops.columns))
        rows[:, np.arange(len(self.held)), self.held] = 1.0
        return np.concatenate([e, moved], axis=1), np.concatenate([J, rows], axis=1)


def null_space(A: Array, count: int) -> tuple[Array, NDArray[np.bool_]]:
    """Orthonormal bases (n, N, count) of what A (n, m, N) takes to nothing, and where there is no more than that."""
    n, m, N = A.shape
    if m == 0:
        return np.broadcast_to(np.eye(N), (n, N, N)).copy(), np.ones(n, bool)
    finite: NDArray[np.bool_] = np.logical_and.reduce(np.isfinite(A).reshape(n, -1), axis=1)
    _, values, Vh = np.linalg.svd(np.where(finite[:, np.newaxis, np.newaxis], A, 0.0))
    if count < N:
        finite &= values[:, N - count - 1] > BRANCHING
    return np.swapaxes(Vh[:, N - count :, :], 1, 2), finite
