"""Machines made of cells: the same numbers as those traced as a whole, and as few templates however long they are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from laws import NAMES
from random_trees import grow_tree

import linkwork as lw
from linkwork import formulas
from linkwork.analyses.forces.states import states_around
from linkwork.analyses.machine import Machine
from linkwork.equations import cells, elimination_search, simulation
from linkwork.equations.closed_dynamics import Elimination
from linkwork.equations.quantities import QUANTITIES
from linkwork.equations.quantity import Quantity
from linkwork.equations.scalars import Trace, compose
from linkwork.files.generators import n_four_bar
from linkwork.formulas import Question
from linkwork.kernels import Kernel

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("analyses", "model")]
from random_loads import random_loaded_machine  # noqa: E402

LAWS = (
    "inverse_dynamics",
    "joint_wrenches",
    "mass_matrix",
    "forward_dynamics by composite bodies",
    "forward_dynamics by articulated bodies",
    "kinetic_energy",
    "potential_energy",
    "momentum",
    "poses",
    "motion",
)
MACHINES = ("four-bar", "stewart-platform", "theo-jansen-leg", "andrews-squeezer", "bennett", "rssr", "slider-crank")


@contextmanager
def made_of_cells(always: bool) -> Iterator[None]:
    """Every machine made of cells, or none."""
    usual = cells.MANY_LINKS
    formulas._kept.clear()
    cells.MANY_LINKS = 0 if always else 10**9
    try:
        yield
    finally:
        cells.MANY_LINKS = usual
        formulas._kept.clear()


def values(kernel: Kernel, given: dict[str, np.ndarray]) -> list[np.ndarray]:
    found = kernel(*[given[name] for name in kernel.input_names])
    return list(found) if isinstance(found, tuple) else [found]


def near(one: list[np.ndarray], other: list[np.ndarray], digits: float) -> None:
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=0.0, atol=digits * max(1.0, float(np.abs(b).max(initial=0.0))))


@pytest.mark.parametrize("seed", range(8))
def test_trees_of_every_kind(seed: int) -> None:
    kinds = [NAMES[(5 * seed + k * 7) % len(NAMES)] for k in range(5)]
    found = []
    for always in (False, True):
        with made_of_cells(always):
            grown = grow_tree(seed, kinds, bodies=7, aligned=seed % 2 == 1, floating=int(seed % 3 == 0))
            q, v, a = grown.state(np.random.default_rng(seed), 3)
            given = {"q": q, "v": v, "a": a, "tau": a, "t": np.zeros((3, 1))}
            system = grown.system
            found.append([values(system.bound_kernel(Question(QUANTITIES[name])), given) for name in LAWS])
    for name, plain, celled in zip(LAWS, *found, strict=True):
        near(celled, plain, 1e-12 if name.startswith("forward") else 1e-13)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics by articulated bodies", "motion"])
def test_derivatives(name: str) -> None:
    """CasADi differentiates through calls; parameters too."""
    found = []
    for always in (False, True):
        with made_of_cells(always):
            grown = grow_tree(3, ["revolute", "universal", "free", "spheric"], bodies=4)
            q, v, a = grown.state(np.random.default_rng(3), 2)
            given, system = {"q": q, "v": v, "a": a, "tau": a}, grown.system
            by = [("q",), ("v",), (next(p for p in system.parameters if p.endswith("mass")),)]
            questions = [Question(QUANTITIES[name], (group,)) for group in by]
            found.append([values(system.bound_kernel(question), given) for question in questions])
    for plain, celled in zip(*found, strict=True):
        near(celled, plain, 1e-10)


def both_ways(make: Callable[[], Machine]) -> None:
    """Plain traces and cells agree, by the same elimination: another one has a health of its own.

    Rounding grows as pivots shrink, which is what health tells: the sum of the squares of their inverses.
    """
    with made_of_cells(False):
        machine = make()
        elimination = machine._forward_dynamics.elimination
        plain = closed_values(machine, elimination)
    with made_of_cells(True):
        celled = closed_values(make(), elimination)
    health = plain[3][2] / max(1, len(elimination.usual))
    for one, other in zip(celled, plain, strict=True):
        near(one, other, 1e-12 * max(1.0, float(health.max())))


@pytest.mark.parametrize("name", MACHINES)
def test_loops(name: str) -> None:
    both_ways(lambda: lw.example(name).assemble())


@pytest.mark.parametrize(
    "seed", [*range(9501, 9513), *(pytest.param(k, marks=pytest.mark.slow) for k in range(9513, 9601))]
)
def test_random_loops_with_every_load(seed: int) -> None:
    case = random_loaded_machine(seed)
    both_ways(lambda: case.mechanism.assemble())


def closed_values(machine: Machine, elimination: Elimination | None = None) -> list[list[np.ndarray]]:
    """Laws of machines with loops at some of the states that they can be in."""
    plan, loops = machine.loops.plan, machine.loops
    rng = np.random.default_rng(1)
    states = states_around(loops, machine.home)
    y, w = states.y, states.w
    # What rates that break the loops miss: redundant rows agree about it, whichever of them are kept.
    missing = values(
        loops.system.bound_kernel(Question(simulation.mismatch())), {"y": y, "w": rng.normal(size=plan.nw)}
    )
    given = {
        "y": y, "w": w, "effort": rng.normal(size=plan.nw), "t": np.zeros(1), "slip": np.ones(plan.n_slips),
        "switch": np.ones(len(plan.loads)), "mismatch": missing[1], "side": np.ones(plan.n_sides),
        "states": np.zeros(plan.n_states),
    }  # fmt: skip
    if elimination is None:
        elimination = machine._forward_dynamics.elimination
    asked: list[Quantity] = [
        QUANTITIES["closure"], simulation.mismatch(), simulation.response(elimination),
        simulation.rates(plan, elimination, "all", frozenset()), simulation.energies(plan, frozenset()),
    ]  # fmt: skip
    return [values(loops.system.bound_kernel(Question(quantity)), given) for quantity in asked]


def chain(count: int) -> lw.Mechanism:
    m = lw.Mechanism("chain", gravity=(0.3, -9.81, 0.0))
    before = m.ground
    for k in range(count):
        body = m.body(f"b{k}", mass=1.0 + 0.01 * k, com=(k + 0.5, 0.1, 0.0), inertia=(0.1, 0.2, 0.25))
        m.revolute(f"J{k}", before, body, at=(k, 0, 0), axis="zy"[k % 2])
        before = body
    return m


def test_long_chains_need_no_more_templates() -> None:
    """What is traced does not grow with the length; operations grow in proportion to it."""
    operations, templates = [], []
    for count in (60, 120, 240):
        formulas._kept.clear()
        cells._known.clear()
        machine = chain(count).assemble()
        kernel = machine._forward_dynamics.kernel(False, False)
        operations.append(kernel.operations)
        templates.append(len(cells._known))
    assert templates[0] == templates[1] == templates[2] < 60
    first, second = operations[1] - operations[0], operations[2] - operations[1]
    assert second == 2 * first


def test_cells_cost_few_operations() -> None:
    """Identities between cells are not seen; that costs a few in a hundred."""
    counts = []
    for always in (False, True):
        with made_of_cells(always):
            counts.append(chain(20).assemble()._forward_dynamics.kernel(False, False).operations)
    assert counts[1] <= 1.05 * counts[0]


def test_a_template_serves_arguments_of_equal_structure_only() -> None:
    """Folded numbers, equal scalars, signs and settled ones make other templates; everything is computed right."""
    trace = Trace()
    x, y = trace.symbols(2)
    (p,) = trace.symbols(1, settled=True)
    run = cells.Cells(trace)
    cells._known.clear()

    def law(a: object, b: object, c: object) -> tuple[object, ...]:
        return a * b + c * c, -a, b * p_like(c), 2.0  # type: ignore[operator]

    def p_like(c: object) -> object:
        return c * 3.0 if not isinstance(c, float) else c  # type: ignore[operator]

    cases = [(x, y, p), (x, x, p), (x, -x, p), (x, y, 0.0), (x, 1.0, y), (y, x, p), (p, p, p), (x + y, y, p)]
    outputs = [entry for case in cases for entry in run(law, *case)]
    assert len(cells._known) == 6, "the sixth and the last are of the kind of the first"
    composed = compose("cases", [("x", [x, y], (2,))], [p], [("out", outputs, (len(outputs),))])
    given = np.random.default_rng(0).normal(size=(5, 2))
    settled = Kernel(composed.settle)(np.array([0.7]))
    found = Kernel(composed.main)(given, np.tile(np.atleast_1d(settled), (5, 1)))
    for row, (one, two) in zip(found, given, strict=True):
        numbers = {id(x): one, id(y): two, id(p): 0.7}
        for k, case in enumerate(cases):
            a, b, c = (number(v, numbers) for v in case)
            third = b * c * 3.0 if not isinstance(case[2], float) else b * c
            np.testing.assert_allclose(row[4 * k : 4 * k + 4], [a * b + c * c, -a, third, 2.0], rtol=1e-14, atol=1e-14)
    plain = composed.main.function(given[0], np.atleast_1d(settled))
    np.testing.assert_allclose(np.asarray(ca.DM(plain)).ravel(), found[0], rtol=1e-14, atol=1e-14)


def number(x: object, known: dict[int, float]) -> float:
    if isinstance(x, float):
        return x
    if id(x) in known:
        return known[id(x)]
    parts = [number(e, known) for e in x.args]  # type: ignore[attr-defined]
    return -parts[0] if len(parts) == 1 else parts[0] + parts[1]


@pytest.mark.parametrize("name", MACHINES)
def test_ways_of_large_machines_serve_small_ones(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows compared joint by joint, one way tried, accuracy by sparse factors: the same accelerations."""
    usual = closed_values(lw.example(name).assemble())[3]
    monkeypatch.setattr(elimination_search, "MANY", 0)
    near(closed_values(lw.example(name).assemble())[3][:2], usual[:2], 1e-8)


def test_rates_that_were_traced_while_an_elimination_was_looked_for() -> None:
    """Operation by operation those of a trace of their own."""
    machine = n_four_bar(80).assemble()
    elimination, formulas_ = machine._forward_dynamics.elimination, machine.loops.system._formulas
    question = Question(simulation.rates(machine.loops.plan, elimination, "tree", frozenset()))
    assert [name for name, _ in formulas_._composed] == [question.name]
    tapes = []
    for _ in range(2):
        tapes.append(machine.loops.system.bound_kernel(question)._engine.tape.digest)
        assert not formulas_._composed
        formulas._kept.clear()
        formulas_._near.clear()
    assert tapes[0] == tapes[1]
