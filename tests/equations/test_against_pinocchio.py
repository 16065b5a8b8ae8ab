"""Random trees of every joint kind that Pinocchio has too: all quantities agree to 1e-10."""

from __future__ import annotations

import numpy as np
import pytest
from balances import near
from laws import CASES
from random_trees import BY_NAME, Grown, grow_tree, single_joint

import linkwork as lw

pin = pytest.importorskip("pinocchio")
from pinocchio_twin import SHARED, Twin  # noqa: E402

KINDS = [c.name for c in CASES if c.law.kind in SHARED]
TOL = 1e-10


def compare(grown: Grown, seed: int) -> None:
    s = grown.system
    twin = Twin(s)
    model, data = twin.model, twin.data
    q, v, a = grown.state(np.random.default_rng(seed))
    tau = np.random.default_rng(seed + 1).normal(size=s.nv) * 10.0
    qp, vp, ap, B = twin.state(q, v, a)
    assert model.nv == s.nv
    pin.forwardKinematics(model, data, qp, vp, ap)
    pin.updateFramePlacements(model, data)
    pin.computeJointJacobians(model, data, qp)
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    names = list(twin.frames)
    for name in [names[i] for i in np.random.default_rng(seed).permutation(len(names))[:2]]:
        k = twin.frames[name]
        near(s.pose(name, q), data.oMf[k].homogeneous, 1e-12, what=f"pose of {name}")
        twist = pin.getFrameVelocity(model, data, k, world).vector
        near(s.velocity(name, q, v), twist, TOL, 1.0, f"velocity of {name}")
        acc = pin.getFrameClassicalAcceleration(model, data, k, world).vector
        near(s.acceleration(name, q, v, a), acc, TOL, 1.0, f"acceleration of {name}")
        J = pin.getFrameJacobian(model, data, k, world).reshape(6, -1) @ B
        near(s.jacobian(name, q), J, TOL, 1.0, f"jacobian of {name}")
    M = pin.crba(model, data, qp)
    M = B.T @ (np.triu(M) + np.triu(M, 1).T) @ B
    near(s.mass_matrix(q), M, TOL, what="mass matrix")
    expected = B.T @ pin.rnea(model, data, qp, vp, ap)
    bias = B.T @ pin.rnea(model, data, *twin.state(q, v, 0 * a)[:3])
    terms = np.abs(M) @ np.abs(a) + np.abs(bias)
    near(s.inverse_dynamics(q, v, a), expected, TOL, what="inverse dynamics")
    near(s.bias(q, v), bias, TOL, what="bias")
    near(s.gravity_forces(q), B.T @ pin.computeGeneralizedGravity(model, data, qp), TOL, terms, "gravity")
    tau_pin = np.linalg.solve(B.T, tau)
    # a_pin = B a + B'v; the rest is what the map gives at a = 0.
    a_pin = np.linalg.solve(B, pin.aba(model, data, qp, vp, tau_pin) - twin.state(q, v, 0 * a)[2])
    cond = float(np.linalg.cond(M))
    for method in ("composite", "articulated"):
        near(s.forward_dynamics(q, v, tau, method=method), a_pin, max(TOL, 1e-14 * cond), what=f"forward, {method}")
    near(s.kinetic_energy(q, v), pin.computeKineticEnergy(model, data, qp, vp), TOL, what="kinetic energy")
    # What is welded to ground Pinocchio leaves out.
    energy = pin.computePotentialEnergy(model, data, qp) + twin.still_energy()
    near(s.potential_energy(q), energy, TOL, 1.0, "potential energy")
    centre = pin.centerOfMass(model, data, qp).copy()
    com = (data.mass[0] * centre + twin.still_moment) / (data.mass[0] + twin.still_mass)
    near(s.centre_of_mass(q), com, TOL, what="centre of mass")
    h = pin.computeCentroidalMomentum(model, data, qp, vp)
    momentum = np.concatenate([h.linear, h.angular + np.cross(centre, h.linear)])
    near(s.momentum(q, v), momentum, TOL, what="momentum")


@pytest.mark.parametrize("sign", [1, -1], ids=["along", "against"])
@pytest.mark.parametrize("name", KINDS)
def test_each_kind(name: str, sign: int) -> None:
    compare(single_joint(BY_NAME[name], sign, seed=3, aligned=sign < 0), 7)


@pytest.mark.parametrize("seed", range(9))
def test_random_trees(seed: int) -> None:
    compare(grow_tree(100 + seed, KINDS, bodies=3 + seed % 5, aligned=seed % 2 == 1, floating=seed % 3), seed)


def test_a_long_chain() -> None:
    grown = grow_tree(77, ["revolute", "universal", "prismatic"], bodies=15, massless=False)
    compare(grown, 5)


@pytest.mark.parametrize("seed", range(4))
def test_rotors_and_joint_wrenches(seed: int) -> None:
    """Rotors are Pinocchio's armatures; what joints carry is its force at the frame on the outer body."""
    plain = ["revolute", "prismatic", "helical_left"]
    grown = grow_tree(300 + seed, plain, bodies=6, massless=False)
    m = grown.system.mechanism
    rng = np.random.default_rng(seed)
    for joint in list(m.joints)[::2]:
        m.motor(f"m{joint}", joint, ratio=float(rng.uniform(-50, 50)), rotor_inertia=float(rng.uniform(1e-4, 1e-2)))
    s = lw.System(m)
    twin = Twin(s)
    model, data = twin.model, twin.data
    q, v, a = grown.state(rng)
    armature = np.zeros(model.nv)
    for motor in m.motors.values():
        k = model.getJointId(motor.variable.split(".")[0])
        armature[model.joints[k].idx_v] = motor.ratio**2 * motor.rotor_inertia
    model.armature = armature
    qp, vp, ap, B = twin.state(q, v, a)
    M = pin.crba(model, data, qp)
    near(s.mass_matrix(q), B.T @ (np.triu(M) + np.triu(M, 1).T) @ B, TOL, what="mass matrix")
    tau = B.T @ pin.rnea(model, data, qp, vp, ap)
    near(s.inverse_dynamics(q, v, a), tau, TOL, what="inverse dynamics")
    near(s.forward_dynamics(q, v, tau), a, 1e-9, what="forward dynamics")
    near(s.kinetic_energy(q, v), 0.5 * v @ s.mass_matrix(q) @ v, TOL, what="kinetic energy")
    _, wrenches = s.joint_wrenches(q, v, a)
    told = 0
    for body, joint, wrench in zip(s.bodies, s.tree_joints, wrenches, strict=True):
        if s.topology.parent[body].sign > 0:  # else Pinocchio's frame is the one on the other body
            near(wrench, data.f[model.getJointId(joint)].vector, TOL, np.abs(wrenches).max(), joint)
            told += 1
    assert told
