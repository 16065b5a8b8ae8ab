"""Who holds the energy of a mode: bodies the kinetic one, springs the elastic one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.linear.set_points import Held
from linkwork.equations.load_kinds.spring import SpringPlan

if TYPE_CHECKING:
    from linkwork.analyses.linear.linearization import Linearization


def kinetic_shares(point: Held, joints: Any) -> dict[str, float]:
    """Share of the kinetic energy by body, for complex rates of all joints: ½ (m |v|² + ωᴴ I ω) of each."""
    loops, plan = point.at.loops, point.at.loops.plan
    system, p = loops.system, loops.system.parameters
    q, v = point.at.y[: plan.nq], joints[: plan.nv]
    found: dict[str, float] = {}
    for body in (link.body for link in plan.links):
        if f"{body}.mass" not in p:
            continue
        parts = [factor * system.velocity(body, q, np.ascontiguousarray(part)) for factor, part in _parts(v)]
        twist: Any = np.sum(parts, axis=0)
        R = system.pose(body, q)[:3, :3]
        lever = R @ np.array([p[f"{body}.com.{axis}"] for axis in "xyz"])
        xx, yy, zz, xy, xz, yz = (p[f"{body}.inertia.{ij}"] for ij in ("xx", "yy", "zz", "xy", "xz", "yz"))
        inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        w = twist[3:]
        speed = twist[:3] + np.cross(w, lever)
        found[body] = float(0.5 * (p[f"{body}.mass"] * np.vdot(speed, speed) + np.vdot(w, inertia @ w)).real)
    total = sum(found.values())
    return {name: x / total for name, x in found.items()} if total > 0.0 else dict.fromkeys(found, 0.0)


def _parts(v: Any) -> list[tuple[complex, Any]]:
    return [(1.0, v.real), (1j, v.imag)] if np.iscomplexobj(v) and v.imag.any() else [(1.0, np.real(v))]


def elastic_shares(linear: Linearization, shape: Any) -> dict[str, float]:
    """Share of the elastic energy by spring, ½ k |δℓ|² of each; springs by formula alone have none."""
    plan, p = linear._point.at.loops.plan, linear._point.at.loops.system.parameters
    found: dict[str, float] = {}
    free = np.flatnonzero(~linear._point.held)
    for load in plan.loads:
        stiffness = p.get(f"{load.name}.stiffness", 0.0)
        if isinstance(load, SpringPlan) and load.law is None and stiffness:
            (own,) = linear._signals.outputs([load.name])
            tension = own.c[0][free] @ shape
            found[load.name] = float(0.5 * abs(tension) ** 2 / stiffness)
    total = sum(found.values())
    return {name: x / total for name, x in found.items()} if total > 0.0 else {}
