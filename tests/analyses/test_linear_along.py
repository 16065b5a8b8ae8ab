"""Linearisation along runs, and reactions as outputs."""

from __future__ import annotations

import numpy as np
import pytest
from test_stiffness import closed_lever

import linkwork as lw
from linkwork.units import deg

Array = np.ndarray
G = 9.81


def pendulum() -> lw.Machine:
    m = lw.Mechanism("pendulum", gravity=(0, -G, 0))
    m.body("rod", mass=2.0, com=(0, -0.5, 0))
    m.revolute("A", "ground", "rod", at=(0, 0, 0), axis="z")
    m.spring("damper", joint="A", stiffness=0.0, damping=0.3)
    m.point("bob", "rod", (0, -0.5, 0))
    return m.assemble()


def test_a_swinging_pendulum_has_the_stiffness_of_its_angle() -> None:
    machine = pendulum()
    run = machine.simulate(2.0, start={"A": 60 * deg}, samples=41)
    along = machine.linearize_along(run)
    A = run["A.angle"].values
    assert along.M[:, 0, 0] == pytest.approx(np.full(41, 0.5), rel=1e-13)
    assert along.D[:, 0, 0] == pytest.approx(np.full(41, 0.3), rel=1e-12)
    assert along.K[:, 0, 0] == pytest.approx(2 * G * 0.5 * np.cos(A), abs=1e-12)
    assert along.efforts == pytest.approx(np.zeros((41, 1)), abs=1e-9)  # nothing but gravity moves it
    inner = (along.K[:, 0, 0] / 0.5 - 0.09).astype(complex)
    expected = -0.3 + 1j * np.sqrt(inner)
    assert along.eigenvalues[:, 1] == pytest.approx(expected, rel=1e-9)
    assert along.result["K.A.angle.A.angle"].values == pytest.approx(along.K[:, 0, 0])
    along.result.plot("frequency.1")


def test_a_batch_is_what_single_linearisations_are() -> None:
    machine = closed_lever()
    run = machine.motion({"A": lw.cycloidal(0, 50 * deg, duration=1.0)}, samples=21)
    along = machine.linearize_along(run)
    for k in (0, 7, 20):
        one = along.at(k).matrices
        for part in ("M", "D", "K"):
            assert getattr(along, part)[k] == pytest.approx(getattr(one, part), rel=1e-9, abs=1e-11), (k, part)
    force = machine.forces(run)["A.effort"].values
    assert along.efforts[:, 0] == pytest.approx(force, rel=1e-9, abs=1e-9)
    with pytest.raises(lw.InputError, match="no sample 21"):
        along.at(21)
    with pytest.raises(lw.InputError, match="not a run"):
        machine.linearize_along(machine.home)  # type: ignore[arg-type]


def test_reactions_are_outputs() -> None:
    """Across the rod the pivot gives m (l θ'' + g θ) = τ / l, and nothing of what pushes the bob itself."""
    lin = pendulum().linearize()
    f = np.array([0.1, 0.7, 3.0])
    s = 2j * np.pi * f
    theta = 1 / (0.5 * s * s + 0.3 * s + 2 * G * 0.5)
    H = lin.frequency_response(["A.effort", "bob.fx", "ground.ax"], ["A.fx", "A.fy"], f)
    across = H["A.fx"].values
    assert across[0] == pytest.approx((1 - 0.3 * s * theta) / 0.5, rel=1e-11)
    assert across[1] == pytest.approx(-0.3 * s * theta, abs=1e-11)
    assert across[2] == pytest.approx(2 * 0.3 * s * theta * 0.5 / 0.5, abs=1e-11)
    assert H["A.fy"].values == pytest.approx(np.zeros((3, 3)), abs=1e-11)


def test_reactions_of_loops_are_outputs() -> None:
    """Against differences of the nonlinear machine: forward dynamics, then the reactions that the motion takes."""
    machine = closed_lever()
    at = machine.at({"A": 20 * deg})
    lin = machine.linearize(at, efforts={"D": 3.0})
    own = lin.state_space(["A.effort", "fy"], ["C.fx", "D.fy", "B.fy"])
    hold = lin.efforts["A.angle"]

    def reactions(angle: float, rate: float, effort: float, amount: float) -> Array:
        other = machine.with_parameters({"fy.amount": amount})
        p = other.starting_from(other.at({"A": angle}))
        loads = {"A": hold + effort, "D": 3.0}
        dw = p.accelerations(rates={"A": rate}, efforts=loads)["A.angle"]
        run = p.solve({"A": np.array([angle])}, {"A": np.array([rate])}, {"A": np.array([dw])}, path=False)
        state = run.variables[0], run.rates[0], run.accelerations[0]
        order = p.loops.order(state[0], np.isin(np.arange(p.loops.columns), [p.loops.book.find("A", "rate").column]))
        from linkwork.analyses.forces.reactions import joints_of
        from linkwork.equations.closed_forces import closed_forces
        from linkwork.formulas import Question

        e = np.zeros(p.loops.columns)
        e[p.loops.book.find("D", "rate").column] = 3.0
        law = Question(closed_forces(order, "reactions", False))
        wrench = p.loops.system.bound_kernel(law)(*state, e, np.zeros(1))[1]
        names = joints_of(p.loops)
        return np.array([wrench[names.index("C"), 0], wrench[names.index("D"), 1], wrench[names.index("B"), 1]])

    h = 1e-3
    base = np.array([20 * deg, 0.0, 0.0, 0.0])
    found = []
    for k in range(4):
        step = h * np.eye(4)[k]
        near = reactions(*(base + step)) - reactions(*(base - step))
        far = reactions(*(base + 2 * step)) - reactions(*(base - 2 * step))
        found.append((8 * near - far) / (12 * h))
    expected = np.array(found).T
    assert pytest.approx(expected[:, :2], rel=1e-7, abs=1e-6) == own.C
    assert pytest.approx(expected[:, 2:], rel=1e-7, abs=1e-8) == own.D
