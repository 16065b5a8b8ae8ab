"""Forward dynamics over the independent rates, as nets have it: the same as by elimination of all unknowns."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.algebra import ca
from linkwork.analyses.forces import net_dynamics
from linkwork.analyses.forces.net_dynamics import by_independent_rates, elimination_by, independent_at
from linkwork.analyses.forces.states import states_around
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.sparse_steps import SparseSteps
from linkwork.analyses.kinematics.weak_rows import singular_values, weakest, weakest_of
from linkwork.equations import simulation
from linkwork.equations.closed_dynamics import Elimination
from linkwork.equations.scalars import Trace, compose
from linkwork.equations.sparse_elimination import sparse_solutions
from linkwork.files.generators import n_four_bar
from linkwork.formulas import Question
from linkwork.kernels import Kernel
from linkwork.kernels.machine import this_machine
from linkwork.kernels.repeated import unrolled

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("analyses", "model", "equations")]
from random_loads import random_loaded_machine  # noqa: E402
from test_sparse_steps import net  # noqa: E402

MACHINES = ("andrews-squeezer", "bevel-differential", "rack-steering", "rccc", "seam-welder", "stewart-platform")


def forced(s: lw.Machine) -> Elimination:
    """The way of nets for a machine of any size."""
    order = s.loops.order(s.home.y, independent_at(s.loops, s.home))
    found = elimination_by(SparseSteps(s.loops, order), s.home)
    assert found is not None and found.basis is not None
    return found


def both(s: lw.Machine) -> tuple[float, float, float]:
    """How far rates and responses of the two ways are apart, in parts of the largest; health by the net's pivots."""
    loops, plan, rng = s.loops, s.loops.plan, np.random.default_rng(4)
    states = states_around(loops, s.home)
    y, w = states.y[:4], states.w[:4]
    effort, push = rng.normal(size=(2, plan.nw))
    missing = loops.system.bound_kernel(Question(simulation.mismatch()))(y, rng.normal(size=plan.nw))[1]
    given = {
        "y": y, "w": w, "effort": effort, "t": np.array([0.3]), "slip": np.ones(plan.n_slips),
        "switch": np.ones(plan.n_loads), "states": rng.normal(size=plan.n_states), "side": np.ones(plan.n_sides),
    }  # fmt: skip
    found = []
    for own in (s._forward_dynamics.elimination, forced(s)):
        rates = loops.system.bound_kernel(Question(simulation.rates(plan, own, "all", frozenset())))
        _, a, health = rates(*[given[name] for name in rates.input_names])[:3]
        x = loops.system.bound_kernel(Question(simulation.response(own)))(y, push, missing)
        found.append((a / loops.column_scale, x / loops.column_scale, health / max(1, len(own.usual))))
    (a, x, _), (b, z, health) = found
    return (
        float(np.abs(a - b).max() / np.abs(a).max()),
        float(np.abs(x - z).max() / np.abs(x).max()),
        float(health.max()),
    )


@pytest.mark.parametrize("name", MACHINES)
def test_machines_of_the_gallery(name: str) -> None:
    """Where the pivots of the net's way shrink, digits go with them: health is the square of that."""
    accelerations, responses, health = both(lw.example(name).assemble())
    assert health < 100.0
    assert accelerations < 1e-12 * max(1.0, health) and responses < 1e-12 * max(1.0, health)


@pytest.mark.parametrize("seed", range(9401, 9413))
def test_random_loops_with_every_load(seed: int) -> None:
    accelerations, responses, _ = both(random_loaded_machine(seed).machine)
    assert accelerations < 1e-13 and responses < 1e-13


def constrained() -> lw.Machine:
    """Two arms on ground that a coupling, a constraint of places and one of rates hold, with a rotor and a state."""
    m = lw.Mechanism("constrained", gravity=(0.0, -9.81, 0.0))
    before = m.ground
    for k in range(6):
        body = m.body(f"b{k}", mass=1.0 + 0.2 * k, com=(k + 0.5, 0.1, 0.05), inertia=(0.1, 0.2, 0.25))
        m.revolute(f"J{k}", before, body, at=(k, 0.0, 0.0), axis="zyzxzy"[k])
        before = body
    m.point("P", "b5", at=(6.0, 0.0, 0.0))
    m.couple("gear", "J1", "2*J0")
    m.constrain("plane", "P.z - 0.1*sin(J2)")
    m.velocity("rolls", "rate(J3) - 0.5*rate(J4) - J0*rate(J2)")
    m.load("spring", "J4", amount="-3*J4 - 0.2*rate(J4)")
    return m.assemble()


def test_constraints_of_every_kind() -> None:
    accelerations, responses, _ = both(constrained())
    assert accelerations < 1e-12 and responses < 1e-12


def test_places_that_follow_a_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coordinates that are measured, with an inertia that is lent and taken off again."""
    runs = []
    for way in (lambda loops, posture: None, lambda loops, posture: forced_of(loops, posture)):
        monkeypatch.setattr("linkwork.analyses.forces.forward.by_independent_rates", way)
        s = lw.example("four-bar").assemble()
        name = next(iter(s.mechanism.points))
        x = float(s.home.position(name)[0])
        runs.append(s.simulate(0.2, drives={f"{name}.x": (x, x + 0.01)}, samples=5, rtol=1e-11))
    np.testing.assert_allclose(runs[0].y, runs[1].y, rtol=0.0, atol=1e-9)


def forced_of(loops: Loops, posture: Posture) -> Elimination | None:
    order = loops.order(posture.y, independent_at(loops, posture))
    return elimination_by(SparseSteps(loops, order), posture)


def test_a_net_that_elimination_would_spoil() -> None:
    """12 x 12 plates: elimination of all unknowns filled in and left three digits of the accelerations."""
    s = net(12).assemble()
    loops, rng = s.loops, np.random.default_rng(1)
    assert s._forward_dynamics.elimination.basis is not None
    y = s.home.y
    w = loops.rates(y, independent_at(loops, s.home), [rng.normal(size=loops.columns)])[0]
    a, health = s._forward_dynamics.kernel(True, True)(y, w, np.zeros(loops.columns), np.zeros(1))
    null, singular = s._forward_dynamics._by_null_space(
        y[None], w[None], np.zeros((1, loops.columns)), np.zeros((1, 1))
    )
    assert not singular.any() and health < 10.0 * loops.columns
    np.testing.assert_allclose(a, null[0], rtol=0.0, atol=3e-12 * np.abs(null).max())
    heavier = s.with_parameters({"p3_3.mass": 0.3})
    assert heavier._forward_dynamics.elimination is s._forward_dynamics.elimination
    run = s.simulate(0.1, rates={"O": 1.0}, samples=4)
    assert run.status == "complete" and run.steps < 60
    assert float(loops.residual(np.asarray(run.y)).max()) < 1e-12


def test_which_machines_go_this_way() -> None:
    """Nets from 8 x 8 plates on; rows of four-bars and belts do not fill in."""
    for make, own in ((lambda: net(5), False), (lambda: net(8), True), (lambda: n_four_bar(100), False)):
        s = make().assemble()
        assert (by_independent_rates(s.loops, s.home) is not None) == own
    assert net_dynamics.MOST > 1_000_000


@pytest.mark.parametrize("fma", [True, False])
def test_elimination_that_is_written_down(fma: bool) -> None:
    """Against numpy, with structural zeros, constants and turned entries; several right sides."""
    rng = np.random.default_rng(8)
    n = 12
    A = np.where(rng.random((n, n)) < 0.3, rng.normal(size=(n, n)), 0.0)
    A[np.arange(n), np.arange(n)] = 3.0 + rng.random(n)
    A[0, 5], A[3, 3] = -1.0, 1.0
    constant = [(0, 5), (3, 3)]
    free = [(i, j) for i in range(n) for j in range(n) if A[i, j] and (i, j) not in constant]
    B = np.where(rng.random((2, n)) < 0.5, rng.normal(size=(2, n)), 0.0)
    places = [(k, i) for k in range(2) for i in range(n) if B[k, i]]
    trace = Trace()
    given = trace.symbols(len(free) + len(places))
    rows: dict[int, dict[int, object]] = {i: {} for i in range(n)}
    for (i, j), x in zip(free, given, strict=False):
        rows[i][100 + j] = -x if i == 7 else x
    for i, j in constant:
        rows[i][100 + j] = float(A[i, j])
    sides: list[dict[int, object]] = [{}, {}]
    for (k, i), x in zip(places, given[len(free) :], strict=True):
        sides[k][i] = x
    solved, inverses = sparse_solutions(trace, rows, [(i, 100 + i) for i in range(n)], sides)
    out = [own[100 + j] for own in solved for j in range(n)]
    block = [("x", given, (len(given),))]
    composed = compose("written", block, [], [("out", out, (2, n)), ("inverses", inverses, (n,))])
    tape = unrolled(composed.main, fma)
    assert (len(tape) < len(composed.main.calls[0][0].codes)) == fma
    numbers = np.array([*(A[i, j] for i, j in free), *(B[k, i] for k, i in places)])
    A[7] = [-x if (7, j) in free else x for j, x in enumerate(A[7])]
    found = [np.asarray(ca.DM(x)) for x in composed.main.function(numbers, np.zeros(0))]
    machine = dataclasses.replace(this_machine(), fma=fma)
    ours, pivots = Kernel(composed.main, machine=machine)(numbers, np.zeros(0))
    np.testing.assert_allclose(ours, np.linalg.solve(A, B.T).T, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(found[0], ours, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(np.prod(1.0 / pivots), np.linalg.det(A), rtol=1e-12)


def test_independence_of_rows_by_their_entries() -> None:
    """Least singular values and their company as by dense decompositions, here and near by."""
    rng = np.random.default_rng(6)
    for s in (n_four_bar(12).assemble(), lw.example("stewart-platform").assemble()):
        loops, y, rank = s.loops, s.home.y, s._forward_dynamics.rank
        at, shape = (loops.entry_rows, loops.entry_columns), (loops.rows, loops.columns)
        J, entries = loops.equations(y)[1], loops.scaled_entries(y)
        values = np.linalg.svd(J, compute_uv=False)
        dense, sparse = weakest(J, rank), weakest_of(entries, at, shape, rank)
        assert abs(sparse.least - values[rank - 1]) < 1e-12 and abs(dense.least - sparse.least) < 1e-12
        near = y + 1e-3 * rng.normal(size=(3, len(y)))
        seen = sparse.seen_of(loops.scaled_entries(near), at)
        np.testing.assert_allclose(seen, dense.seen(loops.equations(near)[1]), rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(singular_values(entries, at, shape)[:rank], values[:rank], rtol=0.0, atol=1e-11)
    assert len(weakest_of(entries, at, shape, 0).rows) == 0


@pytest.mark.slow
def test_a_net_of_900_plates_is_let_go() -> None:
    run = net(30).assemble().simulate(0.2, samples=5)
    assert run.status == "complete"
    assert run.evidence.simulation.energy_error < 1e-8 * run.evidence.simulation.energy_scale
