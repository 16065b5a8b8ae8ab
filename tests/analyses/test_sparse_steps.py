"""Steps, rates and forces by sparse factors agree with those that are traced, and serve where nothing can be traced."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.kinematics import loops as loops_module
from linkwork.analyses.kinematics.sparse_steps import SparseSteps
from linkwork.files.generators import n_four_bar
from linkwork.kernels import Block
from linkwork.kernels.hosted import Hosted
from linkwork.numerics.kernel_calls import call


def net(side: int, turned: float = 0.3) -> lw.Mechanism:
    """Square plates of 0.1 m, pinned together at their corners and turned to and fro; the first turns on ground."""
    m = lw.Mechanism("net", gravity=(0.0, -9.81, 0.0))
    reach, slant = 0.05 * math.sqrt(2.0), 0.25 * math.pi - turned
    pitch, across = 2.0 * reach * math.cos(slant), reach * math.sin(slant)
    for i in range(side):
        for j in range(side):
            m.body(f"p{i}_{j}", mass=0.2, com=(i * pitch, j * pitch, 0.0), inertia=(1e-4, 1e-4, 2e-4))
    m.revolute("O", m.ground, "p0_0", at=(0.0, 0.0, 0.0), axis="z")
    for i in range(side):
        for j in range(side):
            x, y, way = i * pitch, j * pitch, across if (i + j) % 2 == 0 else -across
            if i + 1 < side:
                m.revolute(f"X{i}_{j}", f"p{i}_{j}", f"p{i + 1}_{j}", at=(x + pitch / 2, y + way, 0.0), axis="z")
            if j + 1 < side:
                m.revolute(f"Y{i}_{j}", f"p{i}_{j}", f"p{i}_{j + 1}", at=(x - way, y + pitch / 2, 0.0), axis="z")
    return m


def belt(links: int = 16, wheels: int = 4) -> lw.Mechanism:
    """A closed belt of links of 0.1 m round wheels on ground, each of which carries one of them."""
    m = lw.Mechanism("belt", gravity=(0.0, -9.81, 0.0))
    angles = 2.0 * np.pi * np.arange(links) / links
    corners = np.stack([0.5 * np.cos(angles), 0.3 * np.sin(angles), 0.0 * angles], axis=1)
    middles = 0.5 * (corners + np.roll(corners, -1, axis=0))
    carried = [round(i * links / wheels) for i in range(wheels)]
    for k in range(links):
        m.body(f"link{k}", mass=0.5, com=tuple(middles[k]), inertia=(1e-4, 1e-3, 1e-3))
    for i, k in enumerate(carried):
        m.body(f"wheel{i}", mass=2.0, com=tuple(0.8 * middles[k]), inertia=(0.01, 0.01, 0.02))
        m.revolute(f"W{i}", m.ground, f"wheel{i}", at=tuple(0.8 * middles[k]), axis="z")
        m.revolute(f"T{i}", f"wheel{i}", f"link{k}", at=tuple(middles[k]), axis="z")
    for k, after in pairwise([*range(links), 0]):
        m.revolute(f"P{k}", f"link{k}", f"link{after}", at=tuple(corners[after]), axis="z")
    return m


def legs(s: lw.Machine) -> dict[str, tuple[float, float]]:
    return {f"P{k}": (float(s.home[f"P{k}"]), float(s.home[f"P{k}"]) + 0.01 * k) for k in range(1, 7)}


Drives = Callable[[lw.Machine], dict[str, tuple[float, float]]]
MACHINES: dict[str, tuple[Callable[[], lw.Mechanism], Drives]] = {
    "net": (lambda: net(6), lambda s: {"O": (0.0, 0.2)}),
    "belt": (belt, lambda s: {"W0": (0.0, 0.05)}),
    "row of four-bars": (lambda: n_four_bar(8), lambda s: {"A0": (0.0, 0.1)}),
    "Stewart platform": (lambda: lw.example("stewart-platform"), legs),
}


def sparsely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of all machines by sparse factors."""
    monkeypatch.setattr(
        loops_module, "steps_of", lambda loops, order, known: known.setdefault(order, SparseSteps(loops, order))
    )


def traced(monkeypatch: pytest.MonkeyPatch) -> None:
    """No machine's steps by sparse factors."""
    monkeypatch.setattr(loops_module, "steps_of", lambda loops, order, known: None)


@pytest.mark.parametrize("name", MACHINES)
def test_both_ways_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, drives = MACHINES[name]
    runs = []
    for way in (sparsely, traced):
        way(monkeypatch)
        s = make().assemble()
        motion = s.motion(drives(s), samples=7, duration=1.0, jerk=name == "belt")
        assert motion.status == "complete" and len(motion) == 7
        runs.append(s.forces(motion).data)
    ours, theirs = runs
    assert set(ours.data_vars) == set(theirs.data_vars)
    for signal in ours.data_vars:
        a, b = ours[signal].values, theirs[signal].values
        if a.dtype.kind == "f" and signal != "closure.quality":
            assert np.array_equal(np.isnan(a), np.isnan(b)), signal
            size = max(1.0, float(np.nanmax(np.abs(b), initial=0.0)))
            np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-12 * size, err_msg=str(signal))


@pytest.mark.parametrize("name", MACHINES)
def test_measures_are_those_of_the_traced_step(name: str) -> None:
    s = MACHINES[name][0]().assemble()
    loops = s.loops
    independent = np.zeros(loops.columns, bool)
    independent[s.home._roles.independent] = True
    order = loops.order(s.home.y, independent)
    y = loops.advanced(s.home.y, np.random.default_rng(2).normal(size=loops.columns) * 1e-3)
    length = np.array([loops.length])
    steps = SparseSteps(loops, order)
    moved, measures = steps.step(y, length)
    other, theirs = loops.system.bound_kernel(_question(loops, order))(y, length)
    np.testing.assert_allclose(moved, other, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(measures, theirs, rtol=1e-9)
    # From a loop, by address: the same bits.
    y_next, told = np.empty_like(moved), np.empty(4)
    tables = [np.array([x.ctypes.data for x in arrays]) for arrays in ((y, length), (y_next, told))]
    call(steps.step.address, *tables)
    assert np.array_equal(y_next, moved) and np.array_equal(told, measures)


def _question(loops, order):
    from linkwork.equations.loop_solver import closing_step
    from linkwork.formulas import Question

    scales = loops.row_scale[loops.plan.nl - len(loops.plan.constraints) :]
    return Question(closing_step(order, tuple(scales.tolist())))


def test_the_choice_is_by_counted_operations() -> None:
    for make, numeric in ((lambda: net(8), False), (lambda: n_four_bar(100), False), (lambda: net(20), True)):
        s = make().assemble()
        loops = s.loops
        independent = np.zeros(loops.columns, bool)
        independent[s.home._roles.independent] = True
        assert (loops.sparse_steps(loops.order(s.home.y, independent)) is not None) == numeric


def test_a_vanishing_pivot_is_no_number() -> None:
    s = lw.example("four-bar").assemble()
    loops = s.loops
    independent = np.zeros(loops.columns, bool)
    independent[s.home._roles.independent] = True
    steps = SparseSteps(loops, loops.order(s.home.y, independent))
    moved, measures = steps.step(np.full_like(s.home.y, np.nan), np.array([loops.length]))
    assert np.isnan(moved).all() and measures[2] == np.inf and np.isnan(measures[3])
    with pytest.raises(ValueError, match="size of the machine"):
        steps.step(s.home.y, np.array([2.0 * loops.length]))


def test_what_fails_in_a_loop_is_raised_by_the_next_call() -> None:
    def law(x):
        if x[0, 0] < 0.0:
            raise KeyboardInterrupt
        return [np.sqrt(x)]

    hosted = Hosted("root", [Block("x", (2,))], [Block("y", (2,))], law)
    assert np.array_equal(hosted(np.array([[4.0, 9.0], [1.0, 16.0]])), [[2.0, 3.0], [1.0, 4.0]])
    x, y = np.array([-1.0, 1.0]), np.zeros(2)
    tables = [np.array([a.ctypes.data], np.int64) for a in (x, y)]
    entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(hosted.address)
    entry(tables[0].ctypes.data, tables[1].ctypes.data)
    assert np.isnan(y).all()
    with pytest.raises(KeyboardInterrupt):
        hosted(np.ones(2))
    x[:] = 4.0
    entry(tables[0].ctypes.data, tables[1].ctypes.data)
    assert np.array_equal(y, [2.0, 2.0]) and np.array_equal(hosted(np.ones(2)), [1.0, 1.0])


@pytest.mark.slow
def test_a_net_of_900_plates() -> None:
    s = net(30).assemble()
    assert s.home.mobility == 2
    motion = s.motion(O=(0.0, 0.2), samples=5, duration=1.0)
    assert motion.status == "complete"
    assert float(s.loops.residual(np.asarray(motion.y)).max()) < 1e-13
    # One joint is held, so that the whole net turns about its corner like one body.
    angle = motion.data["O.angle"].values
    turned = motion.data["p29_29.rotation"].values
    np.testing.assert_allclose(turned[:, :2, 0], np.stack([np.cos(angle), np.sin(angle)], axis=1), atol=1e-11)
    forces = s.forces(motion)
    assert float(np.abs(forces.data["machine.power_balance"].values).max()) < 1e-9
