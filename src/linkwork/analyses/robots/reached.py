"""What inverse kinematics found: a posture, whether it is what was wanted, and what stood in the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.model.vectors import numbers


@dataclass(frozen=True)
class Outcome:
    """How a search ended; see `Reached`."""

    target: str
    converged: bool
    missing: tuple[tuple[str, float, str], ...]
    active: tuple[str, ...]
    spare: tuple[str, ...]
    lost: tuple[str, ...]
    strengths: tuple[float, ...]
    starts: int


class Reached(Posture):
    """A posture found by `Machine.reach`, with what is to be known about it.

    target : the name that was asked for; converged : whether every row of the goal is met
    missing : by row of the goal its name, what is missing (SI), and the unit
    active : limits of joints at which it stands, as text
    spare : variables that can move while the target stays where it is, where freedoms are left
    lost : directions in which the target can hardly move here, as text: the posture is singular, or next to it
    strengths : singular values of the task's Jacobian, lengths in parts of the machine's size, the largest first
    starts : postures from which was searched
    """

    def __init__(self, loops: Loops, y: Array, specified: Sequence[int], iterations: int, outcome: Outcome) -> None:
        super().__init__(loops, y, specified, iterations=iterations)
        self.target, self.converged, self.missing = outcome.target, outcome.converged, outcome.missing
        self.active, self.spare, self.lost = outcome.active, outcome.spare, outcome.lost
        self.strengths, self.starts = outcome.strengths, outcome.starts

    def __repr__(self) -> str:
        state = "reached" if self.converged else "nearest"
        return f"{super().__repr__()}; {state} in {self.iterations} steps"

    def rates_for(self, velocity: Any, *, damping: float = 0.0) -> tuple[dict[str, float], Array]:
        """Rates of all joints by name for a velocity of the target, and what of it they do not give.

        Of many the least rates; next to singular postures damping keeps them small, at the cost of what is missing.

        Parameters
        ----------
        velocity : of the target, [vx, vy, vz] or [vx, vy, vz, wx, wy, wz], world axes
        damping : singular values of the task that count as weak [parts of the machine's size, rad]
        """
        loops, plan = self.loops.of_places, self.loops.plan
        if self.target not in {*plan.index, *(m.name for m in plan.points), *(m.name for m in plan.frames)}:
            hint = "give it a point of its own"
            raise InputError(Problem(f"rates for '{self.target}' are not offered", "rates_for", hint), plan.name)
        wanted = np.array(numbers(velocity, 6 if len(velocity) == 6 else 3, "velocity"))
        scale = np.where(np.arange(len(wanted)) < 3, 1.0 / loops.length, 1.0)
        free = self._roles.free
        given = np.zeros((len(free), loops.columns))
        given[np.arange(len(free)), free] = loops.column_scale[free]
        (W,) = loops.rates(self.y, np.isin(np.arange(loops.columns), self._roles.independent), [given])
        V = loops.system.velocity(self.target, self.q, W[:, : plan.nv])[:, : len(wanted)].T * scale[:, np.newaxis]
        U, sizes, turns = np.linalg.svd(V, full_matrices=False)
        known = sizes > 1e-12
        inverse = np.where(known, sizes / np.where(known, sizes**2 + damping**2, 1.0), 0.0)
        d = turns.T @ (inverse * (U.T @ (scale * wanted)))
        return self._by_name(d @ W), wanted - V @ d / scale

    def report(self) -> list[str]:
        """Lines of text: the verdict and the posture."""
        return [*self.verdict(), *super().report()]

    def verdict(self) -> list[str]:
        """Lines of text: what is missing, limits, freedoms that are left, what is lost."""
        worst = max((abs(x) for _, x, _ in self.missing), default=0.0)
        state = "reached" if self.converged else "not reached"
        starts = "" if self.starts == 1 else f" from {self.starts} starts"
        lines = [f"'{self.target}' {state} in {self.iterations} steps{starts}, {worst:.2g} missing at most"]
        if not self.converged:
            lines += [f"  {name}: {x:.4g} {unit} missing" for name, x, unit in self.missing]
        lines += [f"  at its limit: {text}" for text in self.active]
        if self.spare:
            lines.append(f"  freedoms are left: {', '.join(self.spare)} can move while '{self.target}' stays")
        lines += [f"  singular: the target can hardly move along {text}" for text in self.lost]
        return lines


def lost_directions(V: Array, names: Sequence[str], weak: float) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Rows, or mixtures of rows, that no joint moves well, as text; and all singular values."""
    if not V.size:
        return (), ()
    U, sizes, _ = np.linalg.svd(V)
    full = np.concatenate([sizes, np.zeros(len(V) - len(sizes))])
    texts = []
    for k in np.flatnonzero(full < weak).tolist():
        u = U[:, k] * np.sign(U[int(np.argmax(np.abs(U[:, k]))), k])
        parts = [
            names[i] if u[i] > 1.0 - 1e-6 else f"{u[i]:+.3g} {names[i]}" for i in range(len(u)) if abs(u[i]) > 0.02
        ]
        texts.append(" ".join(parts).lstrip("+"))
    return tuple(texts), tuple(full.tolist())
