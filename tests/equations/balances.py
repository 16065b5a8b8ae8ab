"""What every tree must satisfy, whatever its joints: rates of change, balances of power, momentum and force."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import linkwork as lw
from linkwork import geometry as geo

Array = np.ndarray
STEP = 2e-4
STENCIL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
"""Central differences of eighth order."""


def near(actual: Any, expected: Any, tol: float, scale: Any = 0.0, what: str = "") -> None:
    """Differences within `tol` of the largest number expected (or of `scale`)."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, (what, actual.shape, expected.shape)
    assert np.isfinite(expected).all(), what
    size = max(float(np.max(np.abs(expected), initial=0.0)), float(np.max(np.abs(scale), initial=0.0)), 1e-300)
    worst = float(np.max(np.abs(actual - expected), initial=0.0)) / size
    assert worst <= tol, f"{what}: off by {worst:.2e} of {size:.3g}, {tol:.0e} allowed"


def rate(f: Callable[[float], Any], step: float = STEP) -> Array:
    """df/dt at t = 0."""
    total: Any = 0.0
    for k, weight in STENCIL:
        total = total + weight * (np.asarray(f(k * step)) - np.asarray(f(-k * step)))
    return np.asarray(total / step)


def cross(a: Array, b: Array) -> Array:
    return np.cross(a, b)


def applied(A: Array, x: Array) -> Array:
    """A x for stacks of both."""
    return np.einsum("...ij,...j->...i", A, x)


def targets(s: lw.System) -> list[str]:
    m = s.mechanism
    return [*s.bodies, *m.points, *m.frames]


def check_kinematics(s: lw.System, q: Array, v: Array, a: Array, names: list[str], tol: float = 1e-9) -> None:
    """Velocity and acceleration are the rates of pose and velocity; the Jacobian gives both."""

    def along(t: float) -> tuple[Array, Array]:
        # Rates of change at t = 0 depend on q' and v' only, so any path with these will do.
        return s.integrate(q, v * t), v + a * t

    for name in names:
        X, V = s.pose(name, q), s.velocity(name, q, v)
        A, J = s.acceleration(name, q, v, a), s.jacobian(name, q)
        dX = rate(lambda t, n=name: s.pose(n, along(t)[0]))
        near(dX[..., :3, 3], V[..., :3], tol, what=f"velocity of {name}")
        near(dX[..., :3, :3], geo.skew(V[..., 3:]) @ X[..., :3, :3], tol, what=f"turning of {name}")
        near(rate(lambda t, n=name: s.velocity(n, *along(t))), A, tol, what=f"acceleration of {name}")
        near(applied(J, v), V, 1e-12, what=f"J v of {name}")
        Jdot = rate(lambda t, n=name: s.jacobian(n, along(t)[0]))
        near(applied(J, a) + applied(Jdot, v), A, tol, what=f"J a + J' v of {name}")


def check_poses(s: lw.System, q: Array) -> None:
    """Poses are motions of rigid bodies, asked together or one by one."""
    X = s.poses(q)
    i, body = len(s.bodies) - 1, s.bodies[-1]
    near(s.pose(body, q), X[..., i, :, :], 1e-14, what=body)
    near(s.position(body, q), X[..., i, :3, 3], 1e-14, what=body)
    R = X[..., :3, :3]
    near(R @ np.swapaxes(R, -1, -2), np.broadcast_to(np.eye(3), R.shape), 1e-13, what="R Rᵀ")
    assert (X[..., 3, :] == [0, 0, 0, 1]).all()


def check_dynamics(s: lw.System, q: Array, v: Array, a: Array, tol: float = 1e-9) -> None:
    """Mass matrix, bias, inverse and forward dynamics, energies: one against the other."""
    M, bias, tau = s.mass_matrix(q), s.bias(q, v), s.inverse_dynamics(q, v, a)
    g = s.gravity_forces(q)
    terms = np.abs(M).max() * np.abs(a).max() + np.abs(bias).max() + np.abs(g).max()
    near(M, np.swapaxes(M, -1, -2), 0.0, what="symmetry")
    assert np.linalg.eigvalsh(M).min() > 0.0
    near(applied(M, a) + bias, tau, 1e-12, terms, "M a + bias")
    near(s.bias(q, 0 * v), g, 1e-12, terms, "bias at rest")
    near(s.joint_wrenches(q, v, a)[0], tau, 1e-12, terms, "tau with wrenches")
    for method in ("auto", "composite", "articulated"):
        found = s.forward_dynamics(q, v, tau, method=method)
        near(applied(M, found - a), 0 * a, 1e-11, terms, f"M (FD(ID(a)) - a), {method}")
        near(found, a, 1e-13 * np.linalg.cond(M).max() + 1e-11, what=f"FD(ID(a)) = a, {method}")
    T = s.kinetic_energy(q, v)
    near(0.5 * np.einsum("...i,...ij,...j", v, M, v), T, 1e-12, what="½ v M v")

    def energy(t: float) -> Array:
        there = s.integrate(q, v * t)
        return s.kinetic_energy(there, v + a * t) + s.potential_energy(there)

    power = np.einsum("...i,...i", tau, v)
    size = np.abs(tau * v).sum(-1).max() + np.abs(T).max() + np.abs(s.potential_energy(q)).max()
    near(rate(energy), power, tol, size, "d/dt (T + V) = τ·v")
    V = np.abs(s.potential_energy(q)).max()
    for k in range(s.nv):
        unit = np.eye(s.nv)[k]
        slope = rate(lambda t, e=unit: s.potential_energy(s.integrate(q, np.broadcast_to(e * t, v.shape))))
        near(slope, g[..., k], tol, V + np.abs(g).max(), f"dV along {s.rates[k]}")


def wrench_in_world(s: lw.System, q: Array, wrench: Array) -> dict[str, tuple[Array, Array, Array]]:
    """By joint: force, moment and the place (origin of M) it is about, all in the world; first body on the second."""
    result = {}
    m = s.mechanism
    for k, joint in enumerate(s.tree_joints):
        if joint in m.joints:
            head, X_HM = m.joints[joint].head, s.layout.seats[joint].X_HM
            X_WH = s.layout.X_WB[head] if head == m.ground.name else s.pose(head, q)
            X = X_WH @ X_HM
        else:
            X = s.pose(joint, q)
        R = X[..., :3, :3]
        result[joint] = applied(R, wrench[..., k, :3]), applied(R, wrench[..., k, 3:]), X[..., :3, 3]
    return result


def check_free_bodies(s: lw.System, q: Array, v: Array, a: Array, tol: float = 1e-11) -> None:
    """Newton and Euler for three bodies, each about its centre of mass, from its motion and its joints' wrenches."""
    m = s.mechanism
    carried = wrench_in_world(s, q, s.joint_wrenches(q, v, a)[1])
    size = max(float(np.abs(x).max()) for f, n, _ in carried.values() for x in (f, n))
    gravity = np.array(m.gravity)
    for body in dict.fromkeys((s.bodies[0], s.bodies[len(s.bodies) // 2], s.bodies[-1])):  # more only takes longer
        own = s.layout.masses[body]
        X, V, A = s.pose(body, q), s.velocity(body, q, v), s.acceleration(body, q, v, a)
        R, w, al = X[..., :3, :3], V[..., 3:], A[..., 3:]
        lever = applied(R, own.com)
        centre = X[..., :3, 3] + lever
        acc = A[..., :3] + cross(al, lever) + cross(w, cross(w, lever))
        inertia = R @ own.inertia @ np.swapaxes(R, -1, -2)
        force = own.mass * (acc - gravity)
        moment = applied(inertia, al) + cross(w, applied(inertia, w))
        for joint, (f, n, at) in carried.items():
            head = m.joints[joint].head if joint in m.joints else joint
            tail = m.joints[joint].tail if joint in m.joints else m.ground.name
            side = (body == head) - (body == tail)
            if side:
                force = force - side * f
                moment = moment - side * (n + cross(at - centre, f))
        near(force, 0 * force, tol, size, f"forces on {body}")
        near(moment, 0 * moment, tol, size, f"moments on {body}")


def check_momentum(s: lw.System, q: Array, v: Array, a: Array, tol: float = 1e-9) -> None:
    """The rate of momentum is what ground and gravity exert; its sum over masses gives the centre of mass."""
    m = s.mechanism
    mass = sum(s.layout.masses[b].mass for b in s.bodies)
    P, com = s.momentum(q, v), s.centre_of_mass(q)
    if mass > 0.0:
        velocity = rate(lambda t: s.centre_of_mass(s.integrate(q, v * t)))
        near(mass * velocity, P[..., :3], tol, what="m c'")
    dP = rate(lambda t: s.momentum(s.integrate(q, v * t), v + a * t))
    weight = np.broadcast_to(mass * np.array(m.gravity), com.shape)
    force, moment = weight.copy(), cross(com, weight)
    size = np.abs(dP).max() + np.abs(weight).max()
    for joint, (f, n, at) in wrench_in_world(s, q, s.joint_wrenches(q, v, a)[1]).items():
        ends = (m.joints[joint].tail, m.joints[joint].head) if joint in m.joints else (m.ground.name, joint)
        if m.ground.name in ends:
            side = 1 if ends[0] == m.ground.name else -1
            force, moment = force + side * f, moment + side * (n + cross(at, f))
            size = max(size, np.abs(f).max(), np.abs(n).max(), np.abs(cross(at, f)).max())
    near(dP[..., :3], force, tol, size, "P'")
    near(dP[..., 3:], moment, tol, size, "L'")
