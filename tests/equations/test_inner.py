"""Bodies with coordinates of their own beside the same machines from ordinary bodies, joints and couplings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.geometry import Array
from stretch_oracle import Stretching, random_body

SEEDS = range(6)


def tree(seed: int, floating: bool = False) -> lw.Mechanism:
    """Four bodies, two of which stretch; three hang at places that move, and one is walked from head to tail."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("tree", gravity=tuple(rng.normal(0.0, 5.0, 3)), floating=floating)
    random_body(rng, "boom", np.array([0.4, 0.0, 0.1]), ["reach", "sway"]).add_whole(m)
    random_body(rng, "arm", np.array([1.0, 0.4, 0.0]), ["grow"]).add_whole(m)
    m.body("hand", mass=0.8, com=(1.4, 0.5, 0.1), inertia=(0.02, 0.03, 0.04))
    m.body("tail", mass=0.5, com=(0.1, -0.5, 0.1), inertia=(0.02, 0.03, 0.04))
    axes = rng.normal(0.0, 1.0, (3, 3))
    if not floating:
        m.revolute("A", m.ground, "boom", at=(0.1, 0.0, 0.0), axis=axes[0])
    m.cylindric("B", "arm", "boom", at=(0.8, 0.2, 0.0), axis=axes[1])  # walked from head to tail
    m.spheric("C", "arm", "hand", at=(1.3, 0.4, 0.0))
    m.prismatic("D", "boom", "tail", at=(0.2, -0.3, 0.1), axis=axes[2])
    m.point("P", "boom", at=(0.7, 0.1, 0.3))
    m.point("Q", "hand", at=(1.5, 0.2, 0.0))
    m.frame("F", "arm", at=(1.1, 0.2, 0.2), axis=axes[1])
    return m


def state(s: lw.System, seed: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(100 + seed)
    q = s.integrate(s.posture(), 0.3 * rng.normal(0.0, 1.0, s.nv))
    return q, rng.normal(0.0, 1.0, s.nv), rng.normal(0.0, 1.0, s.nv)


def off(a: Any, b: Any) -> float:
    a, b = np.asarray(a), np.asarray(b)
    return float(np.abs(a - b).max() / (1.0 + np.abs(b).max()))


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_dynamics_of_trees_agree_among_themselves(seed: int, floating: bool) -> None:
    s = lw.System(tree(seed, floating))
    q, v, a = state(s, seed)
    tau, M, bias = s.inverse_dynamics(q, v, a), s.mass_matrix(q), s.inverse_dynamics(q, v, 0.0 * a)
    assert off(M @ a + bias, tau) < 1e-13
    assert off(0.5 * v @ M @ v, s.kinetic_energy(q, v)) < 1e-14
    for method in ("composite", "articulated"):
        assert off(s.forward_dynamics(q, v, tau, method=method), a) < 1e-11


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_forces_follow_from_energies(seed: int, floating: bool) -> None:
    """τ = d/dt ∂T/∂v - ∂T/∂q + ∂V/∂q, all by derivatives of T and V alone, on plain coordinates."""
    s = lw.System(tree(seed, floating))
    q, v, a = state(s, seed)
    still = np.zeros(s.nv)
    h = 1e-5

    def lagrangian(step: Array, rates: Array) -> float:
        at = s.integrate(q, step)
        return float(s.kinetic_energy(at, rates) - s.potential_energy(at))

    turning = np.array([name.rpartition(".")[2] in ("wx", "wy", "wz") for name in s.rates])
    plain = ~turning
    tau = s.inverse_dynamics(q, v * plain, a * plain)

    def momentum(step: Array, rates: Array) -> Array:
        return np.asarray(s.mass_matrix(s.integrate(q, step)) @ rates)

    v, a = v * plain, a * plain
    along = (momentum(h * v, v) - momentum(-h * v, v)) / (2 * h) + s.mass_matrix(q) @ a
    for k in np.flatnonzero(plain):
        e = still.copy()
        e[k] = h
        slope = (lagrangian(e, v) - lagrangian(-e, v)) / (2 * h)
        assert along[k] - slope == pytest.approx(tau[k], rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_places_move_as_their_body_does(seed: int) -> None:
    m = tree(seed)
    s = lw.System(m)
    q, v, a = state(s, seed)
    X = s.pose("boom", q)
    at = np.array([0.7, 0.1, 0.3])
    for name in ("reach", "sway"):
        law = m.inner[name].law
        line = np.subtract(law.end, law.start)
        eta = q[s.coordinates.index(f"{name}.slide")]
        at = at + eta * (line @ (np.array([0.7, 0.1, 0.3]) - law.start)) / (line @ line) * np.array(law.toward)
    assert off(s.position("P", q), X[:3, :3] @ at + X[:3, 3]) < 1e-14
    h = 1e-5
    for place in ("P", "Q", "F", "arm", "hand"):
        J = s.jacobian(place, q)
        there, back = (s.position(place, s.integrate(q, d * v)) for d in (h, -h))
        assert (there - back) / (2 * h) == pytest.approx(J[:3] @ v, abs=1e-8)
        later = s.jacobian(place, s.integrate(q, h * v)) @ v - s.jacobian(place, s.integrate(q, -h * v)) @ v
        assert off(s.acceleration(place, q, v, a), J @ a + later / (2 * h)) < 1e-7


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_by_coordinates_and_by_numbers(seed: int) -> None:
    s = lw.System(tree(seed))
    q, v, a = state(s, seed)
    h = 1e-6
    by_q, by_v = (s.derivative("inverse_dynamics", x)(q, v, a) for x in "qv")
    for k in range(s.nv):
        e = np.zeros(s.nv)
        e[k] = h
        there, back = (s.inverse_dynamics(s.integrate(q, d * e), v, a) for d in (1.0, -1.0))
        assert off((there - back) / (2 * h), by_q[:, k]) < 1e-7
        there, back = (s.inverse_dynamics(q, v + d * e, a) for d in (1.0, -1.0))
        assert off((there - back) / (2 * h), by_v[:, k]) < 1e-7
    for name in ("boom.mass", "reach.start.x", "sway.gradient.y", "grow.toward.z", "B.head.at.x", "P.at.x"):
        exact = s.derivative("inverse_dynamics", name)(q, v, a)
        value = s.parameters[name]
        there, back = (s.inverse_dynamics(q, v, a, parameters={name: value + d}) for d in (h, -h))
        assert off((there - back) / (2 * h), exact) < 1e-7


@pytest.mark.parametrize("seed", SEEDS)
def test_momentum_of_a_floating_machine_is_what_forces_from_outside_change(seed: int) -> None:
    s = lw.System(tree(seed, floating=True)).with_parameters({f"gravity.{c}": 0.0 for c in "xyz"})
    q, v, _ = state(s, seed)
    a = s.forward_dynamics(q, v, np.zeros(s.nv))
    h = 1e-4

    def momentum(t: float) -> Array:
        return np.asarray(s.momentum(s.integrate(q, t * v + 0.5 * t * t * a), v + t * a))

    assert off(momentum(h), momentum(-h)) < 1e-7


# ---------------------------------------------------------------- beside ordinary bodies


def loop(whole: bool, seed: int) -> lw.Mechanism:
    """A loop over ground, a body that stretches two ways, a hand and a leg, with loads along and on all of it."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("loop", gravity=(0.3, -9.81, 0.2))
    boom = random_body(rng, "boom", np.array([0.5, 0.0, 0.0]), ["reach", "sway"])
    place = _placer(m, boom, whole)
    m.body("hand", mass=1.3, com=(1.2, 0.1, 0.2), inertia=(0.1, 0.2, 0.25))
    m.body("leg", mass=0.7, com=(1.2, -0.5, 0.2), inertia=(0.1, 0.2, 0.25))
    m.revolute("A", m.ground, place((0.1, 0.0, 0.05), "c_A"), at=(0.1, 0.0, 0.05), axis=(0, 0.3, 1))
    m.universal("B", place((1, 0.1, 0), "c_B"), "hand", at=(1, 0.1, 0), axes=((0, 1, 0), (0, 0, 1)))
    m.spheric("C", "hand", "leg", at=(1.6, -0.4, 0.3))
    m.universal("D", m.ground, "leg", at=(1.0, -1.0, 0.1), axes=((1, 0, 0), (0, 1, 0)))
    m.point("P", place((1.0, 0.3, 0.2), "c_P"), at=(1.0, 0.3, 0.2))
    m.point("Q", "hand", at=(1.5, 0, 0))
    m.point("G", m.ground, at=(1, 2, 0.3))
    m.spring("k1", joint="reach", stiffness=300.0, damping=2.0)
    m.load("k2", "sway", amount="-200*sway - 1.0*rate(sway) - 1000*sway**3")
    m.spring("k3", "P", "G", stiffness=50.0, damping=0.5, free=0.3)
    m.force("push", "P", amount="3*sin(t)", along="y")
    return m


def _placer(m: lw.Mechanism, body: Stretching, whole: bool) -> Callable[[Any, str], str]:
    if whole:
        body.add_whole(m)
        return lambda at, name: body.name
    body.add_parts(m)
    return lambda at, name: body.carrier(m, at, name)


POSTURE = {"A": 0.05, "reach": 0.02, "sway": -0.015, "D.angle2": 0.01}
RATES = {"A": 1.1, "reach": 0.3, "sway": -0.4, "D.angle2": 0.2}
SHARED = ("A.angle", "B.angle1", "B.angle2", "D.angle1", "D.angle2", "reach.slide", "sway.slide")


@functools.cache
def machines(seed: int) -> tuple[lw.Machine, lw.Machine]:
    return loop(True, seed).assemble(), loop(False, seed).assemble()


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_loops_close_and_move_like_those_of_ordinary_bodies(seed: int) -> None:
    whole, parts = machines(seed)
    assert whole.home.mobility == parts.home.mobility == 4
    a, b = whole.at(POSTURE), parts.at(POSTURE)
    va, vb = a.velocities(RATES), b.velocities(RATES)
    aa, ab = a.accelerations(RATES, {}), b.accelerations(RATES, {})
    for name in SHARED:
        assert a.values[name] == pytest.approx(b.values[name], abs=1e-12)
        assert va[name] == pytest.approx(vb[name], abs=1e-11)
        assert aa[name] == pytest.approx(ab[name], abs=1e-10)
    for name in ("P", "Q"):
        assert off(a.position(name), b.position(name)) < 1e-12


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_forward_dynamics_of_loops_is_that_of_ordinary_bodies(seed: int) -> None:
    whole, parts = machines(seed)
    efforts = {"A": 3.0, "reach": -7.0, "sway": 2.0}
    a, b = (s.accelerations(POSTURE, RATES, efforts, t=0.4) for s in (whole, parts))
    for name in SHARED:
        assert a[name] == pytest.approx(b[name], rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("seed", [3, 4])
def test_efforts_and_reactions_are_those_of_ordinary_bodies(seed: int) -> None:
    drives = {"A": lw.ramp(0, 0.05, duration=1), "reach": lw.cycloidal(0, 0.02, duration=1)}
    drives |= {"sway": lw.cycloidal(0, -0.015, duration=1), "D.angle2": lw.ramp(0, 0.01, duration=1)}
    runs = [s.forces(s.motion(drives, samples=5)) for s in machines(seed)]
    for name in ("A", "reach", "sway", "D.angle2"):
        a, b = (np.asarray(run.data[f"{_full(name)}.effort"]) for run in runs)
        assert off(a, b) < 1e-9, name
    for joint in ("A", "B", "C", "D"):
        for part in ("force", "moment"):
            a, b = (np.asarray(run.data[f"{joint}.{part}"]) for run in runs)
            assert off(a, b) < 1e-9, (joint, part)


def _full(name: str) -> str:
    return {"A": "A.angle", "reach": "reach.slide", "sway": "sway.slide"}.get(name, name)


def test_the_choice_of_the_tree_changes_nothing() -> None:
    whole = loop(True, 3)
    found = [whole.assemble(cut=[joint]).accelerations(POSTURE, RATES, t=0.4) for joint in ("A", "B", "C", "D")]
    for other in found[1:]:
        for name in SHARED:
            assert other[name] == pytest.approx(found[0][name], rel=1e-9, abs=1e-9)
