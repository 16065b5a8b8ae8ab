"""Who holds the energy of a mode: bodies the kinetic one, springs the elastic one, both with gravity the potential."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.equilibrium.balance import Balance
from linkwork.analyses.equilibrium.spring_energy import springs_of, stretches
from linkwork.analyses.linear.coefficients import mask_of
from linkwork.analyses.linear.set_points import Held
from linkwork.equations.balance import energy_at_rest
from linkwork.formulas import Question

if TYPE_CHECKING:
    from linkwork.analyses.linear.linearization import Linearization

STENCIL = (-2, -1, 0, 1, 2)
FIRST = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0
SECOND = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12.0
"""Differences of the fourth order."""
STEP = 2e-3
"""Their step [rad, or parts of the machine's size]."""


def kinetic_shares(point: Held, joints: Any) -> list[dict[str, float]]:
    """Shares of the kinetic energy by body, for complex rates of all joints (modes, nw): ½ (m |v|² + ωᴴ I ω)."""
    loops, plan = point.at.loops, point.at.loops.plan
    system, p = loops.system, loops.system.parameters
    q, v = point.at.y[: plan.nq], joints[:, : plan.nv]
    found: dict[str, Any] = {}
    for body in (link.body for link in plan.links):
        if f"{body}.mass" not in p:
            continue
        J = system.jacobian(body, q)
        twist = v @ J.T
        R = system.pose(body, q)[:3, :3]
        lever = R @ np.array([p[f"{body}.com.{axis}"] for axis in "xyz"])
        xx, yy, zz, xy, xz, yz = (p[f"{body}.inertia.{ij}"] for ij in ("xx", "yy", "zz", "xy", "xz", "yz"))
        inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        w = twist[:, 3:]
        speed = twist[:, :3] + np.cross(w, lever)
        moving, spinning = (np.abs(speed) ** 2).sum(axis=1), np.einsum("ki,ij,kj->k", w.conj(), inertia, w).real
        found[body] = 0.5 * (p[f"{body}.mass"] * moving + spinning)
    return _shares(found, len(joints), empty=False)


def potential_shares(linear: Linearization, shapes: Any) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Shares of the elastic energy by spring, and of all potential energy by spring and gravity; shapes (n, modes).

    Elastic is ½ δT δℓ, tensions T with their laws; potential is the second-order change of each energy when the free
    coordinates move along the shape: of a spring ½ (δT δℓ + T δ²ℓ), its preload among it. Real and imaginary parts add.
    """
    point = linear._point
    loops, at = point.at.loops, point.at
    springs = springs_of(loops)
    balance = Balance(loops, mask_of(loops, at.columns[point.held]), at.t)
    chart = balance._made(at.order, at.columns)
    ways = np.concatenate([shapes.real, shapes.imag], axis=1).T / linear.scale  # scaled, as charts have them
    long = np.linalg.norm(ways, axis=1)
    ways = ways / np.where(long > 0.0, long, 1.0)[:, np.newaxis]
    Y, lengths, gravity = [], [], []
    for k in STENCIL:
        moved, closed = balance.moved(chart, np.tile(at.y, (len(ways), 1)), k * STEP * ways)
        Y.append(np.where(closed[:, np.newaxis], moved, np.nan))
    energy = loops.system.bound_kernel(Question(energy_at_rest(loops.plan)))
    more = [np.tile(at.x, (len(ways), 1))] if at.x.size else []
    for moved in Y:
        lengths.append(stretches(loops, moved))
        gravity.append(energy(np.ascontiguousarray(moved), np.full((len(ways), 1), at.t), *more)[0])
    x = np.array(lengths) - np.array([s.free for s in springs])  # (stencil, ways, springs)
    first, second = np.einsum("s,swk->wk", FIRST, x) / STEP, np.einsum("s,swk->wk", SECOND, x) / STEP**2
    rest = x[len(STENCIL) // 2]
    modes = shapes.shape[1]
    elastic: dict[str, Any] = {}
    potential: dict[str, Any] = {}
    square = long**2

    def joined(values: Any) -> Any:
        return (values * square)[:modes] + (values * square)[modes:]

    for k, spring in enumerate(springs):
        if not spring.known:
            continue
        tension = np.broadcast_to(spring.tension(x[:, :, k]), x[:, :, k].shape)
        stretched = 0.5 * np.einsum("s,sw->w", FIRST, tension) / STEP * first[:, k]
        if spring.stiffness or spring.law is not None:
            elastic[spring.name] = joined(stretched)
        potential[spring.name] = joined(stretched + 0.5 * spring.tension(rest[:, k]) * second[:, k])
    if any(loops.system.parameters.get(f"gravity.{axis}", 0.0) for axis in "xyz"):
        potential["gravity"] = joined(0.5 * np.einsum("s,sw->w", SECOND, np.array(gravity)) / STEP**2)
    return _shares(elastic, modes, empty=True), _shares(potential, modes, empty=True)


def _shares(energies: dict[str, Any], modes: int, empty: bool) -> list[dict[str, float]]:
    """Parts of the sum by mode; where there is none, nothing, or zeros."""
    names = list(energies)
    every = np.array([energies[name] for name in names]).reshape(len(names), modes)
    total = every.sum(axis=0)
    parts = np.where(total > 0.0, every / np.where(total > 0.0, total, 1.0), 0.0).T
    return [
        {} if empty and not total[k] > 0.0 else dict(zip(names, row, strict=True))
        for k, row in enumerate(parts.tolist())
    ]
