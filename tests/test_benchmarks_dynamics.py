"""The benchmark of dynamics with loops compares like with like: judge, literature, peers and Linkwork agree, and what
its machines cost is no more than promised.
"""

import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

from linkwork.kernels.operations import Fused

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
dynamics, machines = importlib.import_module("dynamics"), importlib.import_module("closed_machines")

PINNED = pytest.mark.skipif(importlib.util.find_spec("pinocchio") is None, reason="Pinocchio is not installed")
QUANTITIES = ("forward", "inverse")
NAMES = [pytest.param(n, marks=pytest.mark.slow) if n == "40-four-bars" else n for n in machines.MACHINES]


def test_the_judge_meets_the_literature():
    assert max(dynamics.published().values()) < 1e-9


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("name", NAMES)
def test_linkwork_meets_the_judge(name, quantity):
    loops = machines.MACHINES[name]()
    contest = dynamics.Contest.of(loops, quantity)
    contest.enter_linkwork(dynamics.Linkwork(loops))
    assert contest.rows[0].differs < 1e-11 and not contest.rows[0].note


@PINNED
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("name", NAMES)
def test_pinocchio_meets_the_judge(name, quantity):
    loops = machines.MACHINES[name]()
    contest = dynamics.Contest.of(loops, quantity)
    contest.enter(dynamics.Pinocchio(loops))
    exact = [row for row in contest.rows if "lcaba" not in row.who]  # which goes round until it is near
    assert exact and all(row.differs < 1e-11 and not row.note for row in exact)
    assert all(row.differs < 1e-6 for row in contest.rows)


@pytest.mark.parametrize(("name", "most"), [("stewart", 3000), ("four-bar", 170), ("andrews-squeezer", 520)])
def test_operations_with_every_multiply_add_as_two(name, most):
    kernel = machines.MACHINES[name]().mechanism().assemble().kernel("forward_dynamics")
    counts = kernel._engine.tape.counts()
    assert kernel.operations + sum(counts.get(fused.name.lower(), 0) for fused in Fused) <= most
