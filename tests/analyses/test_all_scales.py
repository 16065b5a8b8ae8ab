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

MENDED = {
    26: "a point on a curve 44 km large: a row that is an area made the others look like rounding",
    1013: "Bricard, 2 um, masses over six decades: forward dynamics off by 2e-3",
    3043: "a point on a curve of 20 um that closes a loop: its acceleration off by 5e-7, lengths lost beside angles",
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
