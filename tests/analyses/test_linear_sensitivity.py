"""Sensitivities of matrices and modes: closed forms, and differences of equilibria that are found anew."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_stiffness import closed_lever, loaded_lamp

import linkwork as lw

Array = np.ndarray
G = 9.81


def differences(machine: lw.Machine, rest: lw.Equilibrium, name: str, step: float, of: object) -> Array:
    """Of what `of` takes from the linearisation at the equilibrium found anew, to sixth order."""
    value = machine.parameters[name]
    found = {}
    for k in (-3, -2, -1, 1, 2, 3):
        other = machine.with_parameters({name: value + k * step})
        found[k] = of(other.linearize(other.equilibrium(start=rest.posture)))  # type: ignore[operator]
    return (45 * (found[1] - found[-1]) - 9 * (found[2] - found[-2]) + (found[3] - found[-3])) / (60 * step)


STEPS = {
    "coil.stiffness": 0.2, "coil.free": 1e-4, "gravity.y": 2e-3, "hook.at.x": 1e-4, "coil.damping": 1e-3,
    "arm.mass": 1e-3, "arm.com.x": 1e-4, "B.head.at.x": 1e-4, "tip.at.y": 1e-4,
    "rod.mass": 2e-3, "C.tail.at.x": 1e-4,
}  # fmt: skip


@pytest.mark.parametrize("make", [loaded_lamp, closed_lever])
def test_sensitivities_are_differences_of_equilibria_found_anew(make: object) -> None:
    machine = make()  # type: ignore[operator]
    machine = machine.with_parameters({"coil.damping": 2.0})
    rest = machine.equilibrium()
    lin = machine.linearize(rest)
    names = [n for n in STEPS if n in machine.parameters]
    found = lin.sensitivity(*names)
    assert found.moves and not found.warnings
    for k, name in enumerate(names):
        step = STEPS[name]
        for part in ("M", "D", "K"):
            expected = differences(machine, rest, name, step, lambda own, part=part: getattr(own.matrices, part))
            size = np.abs(getattr(lin.matrices, part)).max() / max(abs(machine.parameters[name]), 0.1)
            error = np.abs(getattr(found, part)[..., k] - expected).max()
            assert error <= 2e-8 * max(np.abs(expected).max(), size), (name, part)
        values = differences(machine, rest, name, step, lambda own: own.modes().eigenvalues)
        assert found.eigenvalues[:, k] == pytest.approx(values, abs=2e-7 * max(np.abs(values).max(), 1.0)), name
        shapes = differences(machine, rest, name, step, lambda own: np.array([m.shape for m in own.modes()], complex))
        assert found.shapes[..., k] == pytest.approx(shapes, abs=2e-7 * max(np.abs(shapes).max(), 1.0)), name
        where = differences(machine, rest, name, step, lambda own: np.array([own.posture[c] for c in own.coordinates]))
        assert found.coordinates[:, k] == pytest.approx(where, abs=1e-8 * max(np.abs(where).max(), 1.0)), name


def test_all_parameters_at_once() -> None:
    machine = closed_lever()
    lin = machine.linearize(machine.equilibrium())
    found = lin.sensitivity()
    assert "coil.stiffness" in found.parameters and "rod.com.z" in found.parameters
    assert not any(".u." in name for name in found.parameters)
    alone = lin.sensitivity("rod.mass")
    assert found.K[..., found.parameters.index("rod.mass")] == pytest.approx(alone.K[..., 0], rel=1e-10)
    assert "for 1% more" in str(found)
    with pytest.raises(lw.InputError, match=r"no parameter 'rod\.mas'"):
        lin.sensitivity("rod.mas")
    with pytest.raises(lw.InputError, match="rotation"):
        lin.sensitivity("B.head.u.x")


def square() -> lw.Machine:
    """A mass on two crossed slides with equal springs: one frequency twice."""
    m = lw.Mechanism("square")
    m.body("slide", mass=0.0), m.body("block", mass=2.0)
    m.prismatic("X", "ground", "slide", axis="x"), m.prismatic("Y", "slide", "block", axis="y")
    m.spring("a", joint="X", stiffness=200.0, free=0.0), m.spring("b", joint="Y", stiffness=200.0, free=0.0)
    return m.assemble()


def test_repeated_frequencies_part_along_their_branches() -> None:
    lin = square().linearize()
    found = lin.sensitivity("a.stiffness", "block.mass")
    assert found.repeated == (1, 2)
    root = math.sqrt(100.0)
    one, both = found.eigenvalues[:, 0], found.eigenvalues[:, 1]
    assert sorted(one.imag) == pytest.approx([0.0, 0.5 / (2 * root)], abs=1e-14)
    assert both.imag == pytest.approx([-0.5 * root / 2.0] * 2, rel=1e-12)


def test_a_posture_held_by_efforts_stays() -> None:
    machine = loaded_lamp()
    lin = machine.linearize({"A": 0.2, "B": 0.1})
    found = lin.sensitivity("arm.mass")
    assert not found.moves and not found.coordinates.any()
    step = 1e-3
    others = [machine.with_parameters({"arm.mass": 1.2 + k * step}) for k in (1, -1)]
    up, down = (other.linearize({"A": 0.2, "B": 0.1}).matrices.K for other in others)
    assert found.K[..., 0] == pytest.approx((up - down) / (2 * step), abs=1e-9)


def test_a_controller_with_a_state_and_a_rigid_mode() -> None:
    from test_linear import two_masses

    machine = two_masses(0.0).with_parameters({"first.stiffness": 0.0})
    found = machine.linearize().sensitivity("first.stiffness", "between.stiffness")
    assert any("vertical tangent" in w for w in found.warnings)
    assert found.eigenvalues[0, 1] == 0.0 and np.isnan(found.eigenvalues[0, 0])
    omega = math.sqrt(150.0)
    assert found.eigenvalues[1, 1] == pytest.approx(1j * omega / 200.0, rel=1e-11)
