"""Who holds the energy of a mode: bodies the kinetic one, springs the elastic one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.linear.set_points import Held
from linkwork.equations.load_kinds.spring import SpringPlan

if TYPE_CHECKING:
    from linkwork.analyses.linear.linearization import Linearization


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


def elastic_shares(linear: Linearization, shapes: Any) -> list[dict[str, float]]:
    """Shares of the elastic energy by spring, ½ k |δℓ|², for shapes (n, modes); springs by formula alone have none."""
    plan, p = linear._point.at.loops.plan, linear._point.at.loops.system.parameters
    found: dict[str, Any] = {}
    free = np.flatnonzero(~linear._point.held)
    springs = [
        load.name
        for load in plan.loads
        if isinstance(load, SpringPlan) and load.law is None and p.get(f"{load.name}.stiffness", 0.0)
    ]
    for own in linear._signals.outputs(springs):
        found[own.name] = 0.5 * np.abs(own.c[0][free] @ shapes) ** 2 / p[f"{own.name}.stiffness"]
    return _shares(found, shapes.shape[1], empty=True)


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
