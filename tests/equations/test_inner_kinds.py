"""A body that folds, whose places turn and whose weights are not linear, beside two bodies and a pin."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import linkwork as lw
from inner_kinds import Fold
from linkwork.model.inner import Inner

HINGE = (0.5, 0.1, 0.0)
BASE = {"mass": 2.0, "com": (0.2, 0.05, 0.1), "inertia": np.diag([0.05, 0.12, 0.1]) + 0.01}
TIP = {"mass": 1.1, "com": (0.9, -0.1, 0.05), "inertia": np.diag([0.03, 0.06, 0.07]) - 0.005}


def joined() -> dict[str, object]:
    """Mass properties of both parts together."""
    mass = BASE["mass"] + TIP["mass"]
    com = (BASE["mass"] * np.array(BASE["com"]) + TIP["mass"] * np.array(TIP["com"])) / mass
    inertia = np.zeros((3, 3))
    for part in (BASE, TIP):
        d = np.array(part["com"]) - com
        inertia += part["inertia"] + part["mass"] * (d @ d * np.eye(3) - np.outer(d, d))
    return {"mass": mass, "com": tuple(com), "inertia": inertia}


def machine(whole: bool, closed: bool) -> lw.Mechanism:
    """An arm whose second link hangs at the folding part, walked either way, and a rod to ground that closes a loop."""
    m = lw.Mechanism("fold", gravity=(0.5, -9.81, 1.0))
    if whole:
        m.body("base", **joined())
        tip = "base"
        rows = tuple(tuple(float(x) for x in row) for row in TIP["inertia"])
        m.inner["H"] = Inner("H", "base", Fold(HINGE, TIP["mass"], TIP["com"], rows))
    else:
        m.body("base", **BASE)
        m.body("tip", **TIP)
        tip = "tip"
        m.revolute("H", "base", tip, at=HINGE, axis="z")
    m.body("hand", mass=0.6, com=(1.3, 0.2, 0.0), inertia=(0.01, 0.02, 0.02))
    m.revolute("A", m.ground, "base", at=(0.0, 0.0, 0.0), axis=(0.2, 0.1, 1.0))
    m.revolute("B", "hand", tip, at=(1.1, 0.0, 0.1), axis=(0.1, -0.2, 1.0))
    m.point("P", tip, at=(1.0, -0.2, 0.3))
    m.frame("F", tip, at=(0.8, 0.1, 0.0), axis=(1.0, 1.0, 0.0))
    m.point("G", m.ground, at=(0.3, -1.0, 0.4))
    m.spring("s", "P", "G", stiffness=40.0, damping=0.7, free=0.5)
    m.spring("fold", joint="H", stiffness=15.0, damping=0.3)
    m.torque("wind", "hand", amount=0.4, about="z")
    if closed:
        m.body("rod", mass=0.4, com=(1.2, -0.5, 0.1), inertia=(0.02, 0.01, 0.02))
        m.spheric("C", tip, "rod", at=(0.9, -0.3, 0.1))
        m.universal("D", m.ground, "rod", at=(1.4, -0.8, 0.2), axes=((0, 1, 0), (0, 0, 1)))
    return m


@pytest.mark.parametrize("seed", range(5))
def test_an_arm_that_folds_is_two_bodies_and_a_pin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole, parts = lw.System(machine(True, False)), lw.System(machine(False, False))
    order = [whole.rates.index(name) for name in parts.rates]
    q, v, a = rng.normal(0.0, 0.7, (3, 3))
    Q, V, A = (np.empty(3) for _ in range(3))
    Q[order], V[order], A[order] = q, v, a
    assert parts.inverse_dynamics(q, v, a) == pytest.approx(whole.inverse_dynamics(Q, V, A)[order], abs=1e-12)
    assert parts.mass_matrix(q) == pytest.approx(whole.mass_matrix(Q)[np.ix_(order, order)], abs=1e-13)
    tau = rng.normal(0.0, 3.0, 3)
    T = np.empty(3)
    T[order] = tau
    assert parts.forward_dynamics(q, v, tau) == pytest.approx(whole.forward_dynamics(Q, V, T)[order], abs=1e-10)
    for name in ("kinetic_energy", "momentum"):
        assert getattr(parts, name)(q, v) == pytest.approx(getattr(whole, name)(Q, V), abs=1e-12)
    assert parts.potential_energy(q) == pytest.approx(whole.potential_energy(Q), abs=1e-12)
    for place in ("P", "F", "hand", "base"):
        assert parts.pose(place, q) == pytest.approx(whole.pose(place, Q), abs=1e-14)
        assert parts.velocity(place, q, v) == pytest.approx(whole.velocity(place, Q, V), abs=1e-13)
        assert parts.acceleration(place, q, v, a) == pytest.approx(whole.acceleration(place, Q, V, A), abs=1e-12)
        assert parts.jacobian(place, q) == pytest.approx(whole.jacobian(place, Q)[:, order], abs=1e-14)
    by_q = whole.derivative("inverse_dynamics", "q")(Q, V, A)[np.ix_(order, order)]
    assert parts.derivative("inverse_dynamics", "q")(q, v, a) == pytest.approx(by_q, abs=1e-11)


@functools.cache
def closed() -> tuple[lw.Machine, lw.Machine]:
    return machine(True, True).assemble(), machine(False, True).assemble()


SHARED = ("A.angle", "B.angle", "H.angle", "D.angle1", "D.angle2")
POSTURE, RATES = {"D.angle2": 0.05, "B": -0.2}, {"D.angle2": 0.3, "B": -0.4}


def test_loops_and_forward_dynamics_are_those_of_two_bodies() -> None:
    whole, parts = closed()
    assert whole.home.mobility == parts.home.mobility
    a, b = (s.at(POSTURE) for s in (whole, parts))
    va, vb = a.velocities(RATES), b.velocities(RATES)
    fa, fb = (s.accelerations(POSTURE, RATES, {"A": 2.0}) for s in (whole, parts))
    for name in SHARED:
        assert a.values[name] == pytest.approx(b.values[name], abs=1e-12)
        assert va[name] == pytest.approx(vb[name], abs=1e-12)
        assert fa[name] == pytest.approx(fb[name], rel=1e-11, abs=1e-11)


def test_reactions_are_those_of_two_bodies() -> None:
    drives = {"D.angle2": lw.ramp(0, 0.1, duration=1), "B": lw.cycloidal(0, -0.2, duration=1)}
    whole, parts = (s.forces(s.motion(drives, samples=5)) for s in closed())
    for joint in ("A", "B", "C", "D"):
        for part in ("force", "moment"):
            a, b = (np.asarray(run.data[f"{joint}.{part}"]) for run in (whole, parts))
            assert a == pytest.approx(b, rel=1e-10, abs=1e-10)
