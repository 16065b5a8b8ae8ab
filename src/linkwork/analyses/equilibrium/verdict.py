"""Whether a posture of rest lasts: from the curvatures of the energy, or from a small way where these vanish.

A direction without curvature is neutral only if no force comes up along it, the others following. So the machine is
moved a little both ways: forces that bring it back make the direction stable, others unstable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from linkwork.analyses.equilibrium.balance import Balance, Chart
from linkwork.analyses.equilibrium.search import NEUTRAL, UNSYMMETRIC, with_states_eliminated
from linkwork.geometry import Array

Verdict = Literal["stable", "unstable", "neutral", "undecided", "held"]
WAYS = (0.02, 2e-3, 2e-4)
"""How far a direction without curvature is probed [rad, or parts of the machine's size]; nearer where loops end."""
NOTHING = 1e-9
"""Forces below this part of those at hand count as none on the way."""
NAMED = 0.2
"""Joints are named in a direction when they move by this part of the one that moves most."""


@dataclass(frozen=True, eq=False)
class Judged:
    """What was found about a posture of rest.

    verdict, reason : the verdict and why, where that is not plain
    curvatures : of the energy along principal directions, scaled; has_potential : whether the stiffness is symmetric
    neutral : by direction that nothing resists, the joints that move with it
    """

    verdict: Verdict
    reason: str
    curvatures: Array
    has_potential: bool
    neutral: tuple[tuple[str, ...], ...]


def judged(balance: Balance, chart: Chart, y: Array, x: Array, effort: Array, size: float) -> Judged:
    """The verdict on one posture of rest, as far as the forces at rest tell it."""
    if not len(chart.free):
        return Judged("held", "nothing is free to move", np.zeros(0), True, ())
    _, K, *_ = with_states_eliminated(balance.forces(chart, y[np.newaxis], x[np.newaxis], effort[np.newaxis]))
    K = K[0]
    curvatures, V = np.linalg.eigh(0.5 * (K + K.T))
    most = max(float(np.abs(K).max(initial=0.0)), size)
    has_potential = bool(np.abs(K - K.T).max() <= UNSYMMETRIC * most) and not x.size
    least = NEUTRAL * most
    flat = np.abs(curvatures) <= least
    found = [_probed(balance, chart, y, x, effort, V[:, k], V[:, ~flat], size) for k in np.flatnonzero(flat)]
    neutral = tuple(
        _moving(balance, chart, y, V[:, k])
        for k, kind in zip(np.flatnonzero(flat), found, strict=True)
        if kind == "neutral"
    )
    if (curvatures < -least).any() or "unstable" in found:
        return Judged("unstable", "", curvatures, has_potential, neutral)
    if "undecided" in found:
        reason = "along a direction without stiffness nothing could be found out"
        return Judged("undecided", reason, curvatures, has_potential, neutral)
    if neutral:
        return Judged("neutral", "", curvatures, has_potential, neutral)
    reason = "no stiffness at the posture itself, but forces that bring it back" if found else ""
    return Judged("stable", reason, curvatures, has_potential, neutral)


def _probed(
    balance: Balance, chart: Chart, y: Array, x: Array, effort: Array, v: Array, others: Array, size: float
) -> Verdict:
    """What forces do a small way along a direction, the others following."""
    for way in WAYS:
        told = [_pulled(balance, chart, y, x, effort, side * way * v, others) for side in (1.0, -1.0)]
        if all(force is not None for force in told):
            back = [float(v @ F) * side for F, side in zip(told, (1.0, -1.0), strict=True) if F is not None]
            if all(abs(force) <= NOTHING * size for force in back):
                return "neutral"
            return "unstable" if any(force > NOTHING * size for force in back) else "stable"
    return "undecided"


def _pulled(
    balance: Balance, chart: Chart, y: Array, x: Array, effort: Array, stride: Array, others: Array
) -> Array | None:
    """Forces after a stride when the other directions have come to rest; None where loops or loads end."""
    F: Array | None = None
    Y, closed = balance.moved(chart, y[np.newaxis], stride[np.newaxis])
    for _ in range(6):
        if not closed.all():
            return None
        F, K, *_ = with_states_eliminated(balance.forces(chart, Y, x[np.newaxis], effort[np.newaxis]))
        if not np.isfinite(F).all():
            return None
        F = F[0]
        if not others.shape[1]:
            break
        back = others @ np.linalg.solve(others.T @ K[0] @ others, others.T @ F)
        Y, closed = balance.moved(chart, Y, back[np.newaxis])
    return F


def _moving(balance: Balance, chart: Chart, y: Array, v: Array) -> tuple[str, ...]:
    """Joints that move along a direction, those that move most first."""
    rates = np.abs(balance.all_rates(chart, y, v[np.newaxis])[0])
    most = float(rates.max(initial=0.0))
    order: Sequence[int] = np.argsort(-np.round(rates / most, 6), kind="stable").tolist() if most else []
    return balance.loops.names([k for k in order if rates[k] >= NAMED * most])
