"""Momentum and drift of the open tree: the derivatives of the Lagrangian by rates and by variables, loads and all."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from balances import near
from laws import CASES, NAMES, Case
from random_trees import grow_tree, single_joint

import linkwork as lw
from linkwork.equations.closed_dynamics import unconstrained
from linkwork.equations.quantities import QUANTITIES
from linkwork.equations.variational import momentum_and_drift
from linkwork.formulas import Question

sys.path.insert(0, str(Path(__file__).parents[1] / "analyses"))
from random_loads import random_loaded_machine

Array = np.ndarray


def asked(s: lw.System, y: Array, w: Array, effort: Array, t: Array) -> tuple[Array, Array]:
    """Momentum and drift; exact frictions, if there are any, slip the way they move."""
    plan, count = s.plan, len(y)
    slips = [load.along.w for load in plan.loads if getattr(load, "exact", False)]
    modes = (np.sign(w[:, slips]), np.ones((count, plan.n_loads)))
    P, D = s.bound_kernel(Question(momentum_and_drift()))(y, w, effort, t, *modes)
    return P, D


@pytest.mark.parametrize("sign", [1, -1], ids=["along", "against"])
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_they_are_the_derivatives_of_the_lagrangian(case: Case, sign: int) -> None:
    grown = single_joint(case, sign)
    check_lagrangian(grown.system, *grown.state(np.random.default_rng(8), 3))


@pytest.mark.parametrize("seed", range(4))
def test_of_trees_with_free_bodies(seed: int) -> None:
    kinds = [NAMES[(5 * seed + k * 7) % len(NAMES)] for k in range(4)]
    grown = grow_tree(seed, [*kinds, "spheric"], bodies=5, aligned=seed % 2 == 1, floating=seed % 2)
    check_lagrangian(grown.system, *grown.state(np.random.default_rng(seed), 2))


def check_lagrangian(s: lw.System, q: Array, v: Array, effort: Array) -> None:
    P, D = asked(s, q, v, effort, np.zeros((len(q), 1)))
    near(P, np.einsum("sij,sj->si", s.mass_matrix(q), v), 1e-11, what="momentum")
    by_q = s.derivative("kinetic_energy", "q")(q, v) - s.derivative("potential_energy", "q")(q)
    near(D, by_q + effort, 1e-10, what="drift")


@pytest.mark.parametrize("seed", range(8))
def test_with_loads_they_agree_with_the_equations_of_motion(seed: int) -> None:
    """P' = D + P × w where joints turn freely, P' = D elsewhere; and M a = f: D = f + M' w - P × w."""
    case = random_loaded_machine(seed)
    s, rng = case.machine, np.random.default_rng(seed)
    plan, state = s.plan, case.state(rng)
    y, w, effort, t = state.y[np.newaxis], state.w[np.newaxis], rng.normal(size=(1, plan.nw)), np.full((1, 1), state.t)
    P, D = asked(s, y, w, effort, t)
    mass, force = s.bound_kernel(Question(unconstrained()))(y, w, effort, t)
    near(P[0], mass[0] @ w[0], 1e-11, what="momentum")
    advance, h = s.bound_kernel(Question(QUANTITIES["advance"])), 1e-3 / max(1.0, float(np.abs(w).max()))

    def ahead(time: float) -> Array:
        """Momentum when the rates have acted for a time."""
        return asked(s, advance(y, time * w), w, effort, t)[0][0]

    growth = (8.0 * (ahead(h) - ahead(-h)) - (ahead(2.0 * h) - ahead(-2.0 * h))) / (12.0 * h)
    expected = force[0] + growth
    for slot in plan.slots:
        if slot.law.freedom < len(slot.law.variables):  # a quaternion
            turning = slice(slot.v.start + slot.plain, slot.v.stop)
            expected[turning] -= np.cross(P[0, turning], w[0, turning])
    near(D[0], expected, 1e-8, what="drift")
