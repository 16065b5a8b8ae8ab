"""Random trees of every joint kind that Pinocchio has too: all quantities agree to 1e-10."""

from __future__ import annotations

import numpy as np
import pytest
from balances import near
from laws import CASES
from random_trees import BY_NAME, Grown, grow_tree, single_joint

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
