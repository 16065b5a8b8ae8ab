"""Machines of all sizes, far away, with light bodies on heavy ones: seeds of `tests/torture` that once went wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path[:0] = [str(Path(__file__).parents[1] / "torture")]
import forces as torture  # noqa: E402
from cases import drawn  # noqa: E402

import linkwork as lw  # noqa: E402
from linkwork.analyses.forces.reactions import weakness  # noqa: E402

MENDED = {
    26: "a point on a curve 44 km large: a row that is an area made the others look like rounding",
    1013: "Bricard, 2 um, masses over six decades: forward dynamics off by 2e-3",
    3043: "a point on a curve of 20 um that closes a loop: its acceleration off by 5e-7, lengths lost beside angles",
    3020: "a parallelogram whose pivots of home shrink: efforts by them lost nine digits without a word",
    3029: "Bricard: accelerations 5e5 roundings off where the order's pivots had shrunk, 5 with pivots of the posture",
    3052: "a parallelogram, 55 km: the same, 2e5 roundings",
    20123: "a gear's flanks end within a step: the path went one rounding beyond and stopped the program",
    20172: "a parallelogram next to flat: multipliers of redundant rows grew before pivots shrank, 4e6 roundings",
    20242: "a law that ends at a sample that does not close: that stopped the program, too",
    1000002: "two rigid joints between two halves of a body: no rate moves the loop, and its rows were lost",
    1000007: "the same, where pivots were looked for along the way",
}
SEEDS = [*MENDED, 4, 17]
"""And an overconstrained and a spherical one."""
MORE = [pytest.param(seed, marks=pytest.mark.slow) for seed in [6, 8, *range(3000, 3030)]]


@pytest.mark.parametrize("seed", [*SEEDS, *MORE])
def test_forces_and_accelerations(seed: int) -> None:
    """Efforts, reactions, open components and accelerations as Newton and Euler have them, at 120 postures and more."""
    tally = torture.Tally()
    torture.torture(seed, tally, sets=2 if seed < 3000 else 4)
    assert not tally.failures, "\n".join(tally.failures)
    assert all(tally.worst[what] < 1.0 for what in ("place", "velocity", "acceleration"))
    assert tally.checks["forces"] > 20 and tally.checks["forward"] > 20
    assert tally.worst["reactions"] < 1.0 and tally.worst["efforts"] < 1.0 and tally.worst["forward"] < 1.0


def test_light_bodies_on_heavy_ones() -> None:
    """Masses from 2e-21 to 9e-15 kg: twelve digits of the accelerations that the efforts were found for."""
    case = drawn(1013)
    s = case.machine
    run = s.forces(torture.motion_of(case, s, np.random.default_rng(1)))
    path = torture.trajectory_of(s.loops, run)
    efforts = np.zeros_like(path.w)
    for name in case.drives:
        efforts[:, s.variable_rates.index(name)] = run[f"{name}.effort"].values
    a = s.forward_dynamics(path.y, path.w, efforts)
    np.testing.assert_allclose(a, path.dw, atol=1e-11 * np.abs(path.dw).max())


@pytest.mark.parametrize(("seed", "numbers"), [(3029, 2), (3052, 2), (20172, 0)])
def test_rates_close_redundant_rows_to_rounding(seed: int, numbers: int) -> None:
    """Overconstrained machines: every joint obeys its law as far as rounding and the condition of the loops allow."""
    case = drawn(seed)
    s = case.machine.with_parameters(case.numbers(numbers))
    run = torture.motion_of(case, s, np.random.default_rng([seed, numbers, 9]))
    path = torture.trajectory_of(s.loops, run)
    rows = torture.finite(path)
    own = torture.Balance(s, *(np.ascontiguousarray(x[rows]) for x in (path.y, path.w, path.dw)))
    there = own.inverse([n if n in s.variable_rates else f"{n}.{n}" for n in case.drives])
    condition = there.first / there.last
    assert (own.misfits["place"] < 10.0 * own.eps).all()
    assert (own.misfits["velocity"] < 3.0 * condition * own.eps).all()
    assert (own.misfits["acceleration"] < 30.0 * condition * own.eps).all()


def test_efforts_where_the_pivots_of_home_shrink() -> None:
    """A parallelogram: those of home fall to nothing where it could do without them."""
    case = drawn(3020)
    s = case.machine.with_parameters(case.numbers(2))
    path = torture.trajectory_of(s.loops, torture.motion_of(case, s, np.random.default_rng([3020, 2, 9])))
    home = np.argmin(np.abs(path.y - s.home.y).max(axis=1))
    order = s.loops.order(s.home.y, s.loops.rates_of(np.array([s.variables.index(case.drives[0])])))
    weak = weakness(s.loops, order, path.y)
    k = int(np.argmax(np.where(np.arange(len(path)) > 45, weak, 0.0)))
    assert weak[k] > 1e5 * weak[home]
    there = torture.Balance(s, path.y, path.w, path.dw).inverse(case.drives)
    expected = there.efforts * there.units
    found = s.drive_efforts(path.y, path.w, path.dw, case.drives)
    scale = float(there.scale[k] * there.units[k].max())
    np.testing.assert_allclose(found[k], expected[k], atol=1e-11 * scale)
    one = s.drive_efforts(path.y[k], path.w[k], path.dw[k], case.drives)
    np.testing.assert_allclose(one, found[k], rtol=0, atol=1e-12 * scale)


def folding(reach: float) -> lw.Run:
    """Forces of a four-bar that stops some way before its coupler and rocker stretch out."""
    m = lw.Mechanism("folding", gravity=(0, -9.81, 0))
    for name in ("crank", "coupler", "rocker"):
        m.body(name, mass=1.0, com=(0.1, 0.1, 0), inertia=(0.01, 0.01, 0.01))
    m.revolute("O", "ground", "crank", at=(0, 0, 0))
    m.revolute("A", "crank", "coupler", at=(0.3, 0, 0))
    m.revolute("B", "coupler", "rocker", at=(0.8, 0.5, 0))
    m.revolute("C", "ground", "rocker", at=(1.0, 0, 0))
    s = m.assemble()
    r1, r2 = np.hypot(0.5, 0.5), np.hypot(0.2, 0.5)
    stretched = np.arccos((0.3**2 + 1.0 - (r1 + r2) ** 2) / (2 * 0.3 * 1.0))  # of the crank
    return s.forces(s.motion(O=lw.ramp(0.0, float(stretched) - reach, duration=1.0), samples=11))


def test_few_digits_are_told() -> None:
    """σ falls as the root of what is left: far from the dead centre nothing is told, next to it the lost digits are."""
    assert folding(1e-2).warnings == ()
    for reach, digits in ((1e-6, 7), (1e-8, 5), (1e-10, 3)):
        run = folding(reach)
        (told,) = run.warnings
        assert f"at 1 of 11 samples, worst at 1 s: forces are known to about {digits} digits of the largest" in told
        # Effort · reach² goes to a limit, from which its slope by the root of the reach departs.
        assert run["O.effort"].values[-1] * reach**2 == pytest.approx(0.21024, rel=1e-3)
