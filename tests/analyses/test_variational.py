"""Variational steps: their order, and what they keep for ever: momenta, the symplectic form, energy but for a ripple,
closed loops, and the way back. Oracles are these laws themselves and a classical Runge-Kutta method.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
import linkwork.numerics.native  # numba is told of loops
from linkwork.analyses.simulation.engine import Engine, Equipment
from linkwork.equations.simulation import mismatch
from linkwork.formulas import Question
from linkwork.numerics.stepping import problem, variational
from linkwork.numerics.stepping.laws import Pieces, piecewise

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from random_loads import random_loaded_machine  # noqa: E402
from random_trees import grow_tree  # noqa: E402

Array = np.ndarray
PLAIN, COMPOSED, CLASSICAL = 0, 1, 2


@numba.njit(nogil=True, error_model="numpy")
def march(p, store, method, t, h, z, every, out):  # type: ignore[no-untyped-def]
    """Steps of one length; every so many the state goes to `out`. Returns how many were made."""
    n, count = p.n, every * out.shape[0]
    f, z_new, C, k1, k2 = np.empty(n), np.empty(n), np.empty((8, n)), np.empty(n), np.empty(n)
    for k in range(count):
        if problem.rates(p, t, z, f) == math.inf:
            return k
        if method == CLASSICAL:
            for i in range(n):
                z_new[i] = z[i] + h / 6.0 * f[i]
                k1[i] = f[i]
            for stage in range(3):
                part = 1.0 if stage == 2 else 0.5
                for i in range(n):
                    k2[i] = z[i] + part * h * k1[i]
                problem.rates(p, t + part * h, k2, k1)
                for i in range(n):
                    z_new[i] += h / 6.0 * (1.0 if stage == 2 else 2.0) * k1[i]
            problem.settle(p, t + h, z_new)
        else:
            if method == COMPOSED:
                error = variational.composed_step(p, store, t, h, z, f, z_new, C)
            else:
                error = variational.step(p, store, t, h, z, f, z_new, C)
            if error != 0.0:
                return k
        t += h
        for i in range(n):
            z[i] = z_new[i]
        if (k + 1) % every == 0:
            for i in range(n):
                out[(k + 1) // every - 1, i] = z[i]
    return count


@dataclass(frozen=True)
class Stepper:
    """A machine in steps of one length."""

    machine: Any
    rows: int = 0
    laws: tuple[Pieces, ...] = ()

    @cached_property
    def engine(self) -> Engine:
        needs = Equipment(momenta=True, efforts="all")
        return Engine(self.machine.loops, self.machine._forward_dynamics.elimination, needs)

    @cached_property
    def problem(self) -> problem.Problem:
        return self.engine.problem(1e-7, 1e-9, rows=self.rows, laws=self.laws)

    @property
    def nq(self) -> int:
        return int(self.machine.plan.nq)

    @property
    def ny(self) -> int:
        return int(self.machine.plan.ny)

    def rates(self, z: Array) -> Array:
        """Of the tree, (..., nv)."""
        return z[..., self.ny : self.ny + self.machine.plan.nv]

    def start(self, rates: dict[str, float]) -> Array:
        """From home, with rates of independent variables; at rest without."""
        home = self.machine.home
        if not rates:
            return np.concatenate([home.y, np.zeros(self.machine.plan.nw)])
        found = self.machine.solve({n: [home[n]] for n in rates}, {n: [x] for n, x in rates.items()})
        return np.concatenate([found.variables[0], found.rates[0]])

    def __call__(
        self, z: Array, h: float, steps: int, every: int | None = None, method: int = PLAIN, t: float = 0.0
    ) -> Array:
        """States after every so many steps; after the last one alone by default."""
        each = every or steps
        out, z, p = np.zeros((steps // each, len(z))), np.array(z), self.problem
        done = march(p, np.zeros(variational.store_size(p.n)), method, t, h, z, each, out)
        assert done == steps
        return out if every else out[0]

    def energy(self, z: Array) -> Array:
        q = z[..., : self.nq]
        return self.machine.kinetic_energy(q, self.rates(z)) + self.machine.potential_energy(q)

    def momentum(self, z: Array) -> Array:
        """Linear, and angular about the origin."""
        return self.machine.momentum(z[..., : self.nq], self.rates(z))

    def gap(self, z: Array) -> float:
        """Largest gap of the loops in position and velocity."""
        if not self.machine.plan.cuts:
            return 0.0
        e, de = self.machine.bound_kernel(Question(mismatch()))(z[..., : self.ny], z[..., self.ny :])
        return float(max(np.abs(e).max(), np.abs(de).max()))


@cache
def example(name: str) -> Stepper:
    return Stepper(lw.example(name).assemble())


MACHINES: dict[str, tuple[dict[str, float], float]] = {
    "pendulum": ({"A": 1.0}, 1.0),
    "double-pendulum": ({"A": 0.3, "B": -0.2}, 0.3),
    "four-bar": ({"O2": 3.0}, 0.03),
    "rssr": ({"A": 2.0}, 0.05),
    "bricard": ({}, 0.3),
}
"""Machines of the gallery, with rates to begin with, and a time [s] in which much happens."""
machines = pytest.mark.parametrize("name", MACHINES)


def started(name: str) -> tuple[Stepper, Array]:
    stepper = example(name)
    return stepper, stepper.start(MACHINES[name][0])


@cache
def floating(seed: int) -> tuple[Stepper, Array]:
    """Bodies in empty space that hang together, one of them by a ball, and a state of theirs."""
    kinds = (("revolute", "universal"), ("prismatic", "cylindric"), ("helical", "flat"))[seed % 3]
    grown = grow_tree(seed, ["spheric", *kinds], bodies=3, floating=1, grounded=False, massless=False)
    grown.mechanism.gravity = (0.0, 0.0, 0.0)
    q, v, _ = grown.state(np.random.default_rng(seed))
    return Stepper(grown.mechanism.assemble()), np.concatenate([q, v])


# ---------------------------------------------------------------- order


def orders(stepper: Stepper, z: Array, method: int, steps: int, end: float) -> float:
    """How errors at the end shrink when steps are halved."""
    true = stepper(z, end / (8 * steps), 8 * steps, method=COMPOSED)
    errors = [np.abs(stepper(z, end / n, n, method=method) - true).max() for n in (steps, 2 * steps)]
    return math.log2(errors[0] / errors[1])


@machines
def test_the_order_is_two_and_that_of_the_composition_four(name: str) -> None:
    (stepper, z), end = started(name), MACHINES[name][1]
    assert abs(orders(stepper, z, PLAIN, 50, end) - 2.0) < 0.05
    assert abs(orders(stepper, z, COMPOSED, 10, end) - 4.0) < 0.2


@pytest.mark.parametrize("seed", range(3))
def test_the_order_with_free_rotations(seed: int) -> None:
    stepper, z = floating(seed)
    assert abs(orders(stepper, z, PLAIN, 40, 0.2) - 2.0) < 0.05
    assert abs(orders(stepper, z, COMPOSED, 10, 0.2) - 4.0) < 0.2


@pytest.mark.parametrize("seed", range(4))
def test_loads_of_all_kinds_come_to_what_runge_and_kutta_find(seed: int) -> None:
    case = random_loaded_machine(seed)
    stepper, state = Stepper(case.machine), case.state(np.random.default_rng(seed))
    z, end, steps = np.concatenate([state.y, state.w]), 0.01, 200
    stepper.problem.slip[:] = 1.0
    true = stepper(z, end / 400, 400, method=CLASSICAL, t=state.t)
    errors = [np.abs(stepper(z, end / n, n, t=state.t) - true).max() for n in (steps, 2 * steps)]
    size = np.abs(true - z).max()
    assert errors[1] < 1e-4 * size
    assert errors[1] < 0.26 * errors[0] or errors[1] < 1e-7 * size  # tables have corners


# ---------------------------------------------------------------- what is kept


@pytest.mark.parametrize("seed", range(3))
def test_momenta_are_kept_to_round_off_by_steps_of_any_length(seed: int) -> None:
    stepper, z = floating(seed)
    kept = stepper.momentum(z)
    for method, h in ((PLAIN, 1e-3), (PLAIN, 0.02), (COMPOSED, 0.02)):
        states = stepper(z, h, 200, 20, method)
        arms = 1.0 + np.abs(states[:, : stepper.nq]).max()  # about the origin, from which bodies move away
        assert np.abs(stepper.momentum(states) - kept).max() < 1e-13 * arms * np.abs(kept).max()


def test_a_thrown_box_falls_as_galilei_says_and_keeps_its_spin() -> None:
    stepper = example("free-box")
    z = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 6.0, 0.1, 5.0, 0.1])
    states = stepper(z, 0.01, 300, 1)
    t = 0.01 * np.arange(1, 301)
    assert np.abs(states[:, :3] - np.column_stack([t, 2.0 * t, 6.0 * t - 4.9 * t**2])).max() < 1e-11
    inertia = np.diag(stepper.machine.mass_matrix(z[:7])[3:, 3:])
    spins = [lw.geometry.from_quaternion(state[3:7]) @ (inertia * state[10:]) for state in states]
    assert np.abs(np.array(spins) - inertia * z[10:]).max() < 1e-13 * 10.0
    assert np.ptp(stepper.energy(states)) < 1e-5 * stepper.energy(z)


@machines
def test_loops_stay_closed_and_quaternions_of_length_one(name: str) -> None:
    stepper, z = started(name)
    states = stepper(z, 2e-3, 500, 10)
    assert stepper.gap(states) < 3e-14
    p = stepper.problem
    for q in p.turning_y:
        assert np.abs(np.linalg.norm(states[:, q : q + 4], axis=1) - 1.0).max() < 5e-16


@machines
@pytest.mark.parametrize("method", [PLAIN, COMPOSED])
def test_the_way_back_leads_to_the_start(name: str, method: int) -> None:
    stepper, z = started(name)
    there = stepper(z, 4e-3, 50, method=method)
    assert np.abs(there - z).max() > 1e-3
    assert np.abs(stepper(there, -4e-3, 50, method=method, t=0.2) - z).max() < 2e-11


@pytest.mark.parametrize("name", ["pendulum", "double-pendulum", "four-bar"])
def test_the_energy_ripples_but_does_not_drift(name: str) -> None:
    """Over 10^5 steps; that of a Runge-Kutta method drifts, though its steps are of order 4."""
    stepper, z = started(name)
    h = {"pendulum": 0.05, "double-pendulum": 0.01, "four-bar": 5e-3}[name]
    energy = stepper.energy(stepper(z, h, 100_000, 20))
    ripple = np.ptp(energy[:250])
    assert np.ptp(energy) < 6.0 * ripple  # a machine may come by its fastest motion late
    halves = energy[:2500].mean(), energy[2500:].mean()
    assert abs(halves[1] - halves[0]) < 0.1 * ripple
    if name == "pendulum":
        other = stepper.energy(stepper(z, h, 100_000, 20, CLASSICAL))
        assert abs(other[2500:].mean() - other[:2500].mean()) > 9.0 * np.ptp(other[:250])


# ---------------------------------------------------------------- the symplectic form


@pytest.mark.parametrize("method", [PLAIN, COMPOSED])
@pytest.mark.parametrize("kind", ["double-pendulum", "floating"])
def test_the_map_of_a_step_is_symplectic(kind: str, method: int) -> None:
    """D'ΩD = Ω for the derivative D of (x, π) -> (x', π'): x counts from the posture, y = y0 ∘ exp(x); to first order,
    π = p on plain variables and p + ½ x × p on free rotations.
    """
    stepper, z = floating(0) if kind == "floating" else started(kind)
    s, nv, nq, h = stepper.machine, stepper.machine.plan.nv, stepper.nq, 0.05
    turning = [slice(v, v + 3) for v in stepper.problem.turning_w]

    def bent(x: Array, p: Array, sign: float) -> Array:
        p = p.copy()
        for place in turning:
            p[place] = p[place] + 0.5 * sign * np.cross(x[place], p[place])
        return p

    def state(x: Array, pi: Array) -> Array:
        q = s.integrate(z[:nq], x)
        return np.concatenate([q, np.linalg.solve(s.mass_matrix(q), bent(x, pi, -1.0))])

    there = stepper(z, h, 1, method=method)

    def mapped(u: Array) -> Array:
        end = stepper(state(u[:nv], u[nv:]), h, 1, method=method)
        x = s.difference(there[:nq], end[:nq])
        return np.concatenate([x, bent(x, s.mass_matrix(end[:nq]) @ end[nq:], 1.0)])

    start = np.concatenate([np.zeros(nv), s.mass_matrix(z[:nq]) @ z[nq:]])
    D = jacobian(mapped, start)
    form = np.block([[np.zeros((nv, nv)), np.eye(nv)], [-np.eye(nv), np.zeros((nv, nv))]])
    assert np.abs(D - np.eye(2 * nv)).max() > 0.01
    assert np.abs(D.T @ form @ D - form).max() < 1e-8 * np.abs(D).max() ** 2


def test_a_closed_machine_keeps_areas() -> None:
    """(φ, p) of the four-bar's crank, p = 2 T / φ': a map of determinant 1."""
    stepper, z = started("four-bar")
    s, h = stepper.machine, 0.02

    def state(u: Array) -> Array:
        one = s.solve({"O2": [u[0]]}, {"O2": [1.0]})
        T = s.kinetic_energy(one.variables[0, : stepper.nq], one.rates[0, : s.plan.nv])
        return np.concatenate([one.variables[0], one.rates[0] * u[1] / (2.0 * T)])

    place = list(s.variables).index("O2.angle")

    def mapped(u: Array) -> Array:
        end = stepper(state(u), h, 5)
        rate = end[stepper.ny + place]
        return np.array([end[place], 2.0 * s.kinetic_energy(end[: stepper.nq], stepper.rates(end)) / rate])

    T = s.kinetic_energy(z[: stepper.nq], stepper.rates(z))
    u = np.array([z[place], 2.0 * T / 3.0])
    assert np.abs(state(u) - z).max() < 1e-12
    D = jacobian(mapped, u, np.array([1e-3, 1e-3 * u[1]]))
    assert abs(np.linalg.det(D) - 1.0) < 1e-8


def jacobian(f: Any, x: Array, steps: Array | None = None) -> Array:
    """By differences of order 6."""
    sizes = np.full(len(x), 2e-3) if steps is None else steps
    columns = []
    for k, h in enumerate(sizes):
        e = h * np.eye(len(x))[k]
        ahead = [f(x + m * e) - f(x - m * e) for m in (1, 2, 3)]
        columns.append((45.0 * ahead[0] - 9.0 * ahead[1] + ahead[2]) / (60.0 * h))
    return np.column_stack(columns)


# ---------------------------------------------------------------- rows


def test_a_locked_variable_stays_and_a_driven_one_follows_its_law() -> None:
    """B of the double pendulum locked: a rigid body, m r'' as one pendulum; then driven."""
    s = lw.example("double-pendulum").assemble()
    stepper = Stepper(s, rows=1, laws=(piecewise(lw.expression("0.3*sin(2*t)"), 2.0),))
    p = stepper.problem
    p.count[0] = 1
    p.rows[0] = (problem.UNIT, 1, 1, -1)
    z = np.array([1.0, 0.0, 0.7, 0.0])
    end = stepper(z, 1e-3, 1000, method=COMPOSED)
    assert abs(end[1]) < 1e-15
    assert abs(end[3]) < 1e-14
    # point masses at 1 m and 2 m on one rod: (1 + 4) θ'' = -(1 + 2) g sin θ
    rod = solve_ivp(
        lambda t, x: [x[1], -0.6 * 9.81 * math.sin(x[0])], (0.0, 1.0), z[[0, 2]], "DOP853", rtol=1e-12, atol=1e-13
    )
    assert np.abs(end[[0, 2]] - rod.y[:, -1]).max() < 1e-10
    p.rows[0] = (problem.UNIT, 1, 1, 0)
    z = np.array([1.0, 0.0, 0.7, 0.6])
    true = stepper(z, 2.5e-4, 4000, method=CLASSICAL)
    for method, error in ((PLAIN, 1e-4), (COMPOSED, 1e-9)):
        end = stepper(z, 5e-3, 200, method=method)
        assert abs(end[1] - 0.3 * math.sin(2.0)) < 1e-14
        assert abs(end[3] - 0.6 * math.cos(2.0)) < 1e-13
        assert np.abs(end - true).max() < error


# ---------------------------------------------------------------- rest, failures and dense output


def test_a_machine_in_balance_stays() -> None:
    stepper = example("planar-3rpr")
    z = stepper.start({})
    assert np.abs(stepper(z, 0.01, 200) - z).max() < 1e-14


def test_a_step_that_does_not_converge_is_told() -> None:
    stepper, z = started("four-bar")
    p = stepper.problem
    f, z_new, C = np.empty(p.n), np.empty(p.n), np.empty((8, p.n))
    problem.rates(p, 0.0, z, f)
    store = np.zeros(variational.store_size(p.n))
    for step in (variational.step, variational.composed_step):
        told = []
        for h in np.linspace(5.0, 15.0, 11):  # many turns at once: whether there is a solution is a matter of luck
            told.append(step(p, store, 0.0, h, z, f, z_new, C))
            assert told[-1] == math.inf or (told[-1] == 0.0 and stepper.gap(z_new) < 1e-9)
        assert math.inf in told


def test_the_interpolant_meets_both_ends() -> None:
    stepper, z = started("rssr")
    p, h = stepper.problem, 1e-3
    f, f_new, z_new, C = np.empty(p.n), np.empty(p.n), np.empty(p.n), np.full((8, p.n), 7.0)
    store = np.zeros(variational.store_size(p.n))
    problem.rates(p, 0.0, z, f)
    assert variational.composed_step(p, store, 0.0, h, z, f, z_new, C) == 0.0
    problem.rates(p, h, z_new, f_new)
    variational.interpolant(p, store, 0.0, h, z, f, z_new, f_new, C)
    powers = np.arange(8)
    assert np.abs(C.sum(axis=0) - z_new).max() < 1e-14
    assert np.abs(powers @ C / h - f_new).max() < 1e-11
    middle = stepper(z, h / 2, 1, method=COMPOSED)
    assert np.abs(0.5**powers @ C - middle).max() < 1e-8
