"""Stiffness of places at rest: springs in series and parallel by hand, a platform's J'KJ, differences of equilibria."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_linear import stewart_on_springs, two_masses

import linkwork as lw
from linkwork.units import deg

Array = np.ndarray
G = 9.81


def test_springs_in_series_and_parallel() -> None:
    rest = two_masses().equilibrium()
    found = rest.compliance("pb")
    assert np.asarray(found)[0, 0] == pytest.approx(1 / 300 + 1 / 100, rel=1e-13)
    stiff = rest.stiffness("pb")
    assert np.asarray(stiff) == pytest.approx(np.diag([75.0, 0, 0]), abs=1e-11)
    assert stiff.rigid.shape == (3, 2) and not stiff.free.shape[1] and not stiff.regular
    assert np.abs(stiff.rigid[0]).max() < 1e-12 and "rigid" in str(stiff)
    held = two_masses().equilibrium(hold="Y")
    assert np.asarray(held.stiffness("pa"))[0, 0] == pytest.approx(400.0, rel=1e-13)
    assert held.stiffness("pb").rigid.shape == (3, 3) and not np.asarray(held.compliance("pb")).any()
    assert rest.deflection({"push": 7.5}, ["X", "pb.x", "pb.x - X"]) == pytest.approx(
        {"X": 7.5 / 300, "pb.x": 0.1, "pb.x - X": 0.075}
    )
    assert held.deflection({"Y": 0.01}, ["X", "Y.effort"]) == pytest.approx({"X": 0.0025, "Y.effort": 0.75})


def test_a_platform_on_springs_is_as_stiff_as_its_legs() -> None:
    """Sum of k n nᵀ over the legs, as wrenches about the plate's origin (no leg carries a preload)."""
    machine = stewart_on_springs()
    expected = np.zeros((6, 6))
    places = machine.equilibrium()
    for k in range(1, 7):
        foot, top = machine.position(f"b{k}", machine.home.y), machine.position(f"p{k}", machine.home.y)
        n = (top - foot) / np.linalg.norm(top - foot)
        screw = np.concatenate([n, np.cross(top - np.array([0, 0, 0.9]), n)])
        expected += 1e6 * np.outer(screw, screw)
    found = places.stiffness("plate")
    assert found.regular
    assert np.asarray(found) == pytest.approx(expected, rel=1e-11, abs=1e-5)
    assert np.asarray(places.compliance("plate")) @ expected == pytest.approx(np.eye(6), abs=1e-9)
    moved = places.deflection({"plate.mz": 100.0, "plate.fx": 50.0}, ["plate.x", "p1.y"])
    wrench = np.array([50.0, 0, 0, 0, 0, 100.0])
    d = np.linalg.solve(expected, wrench)
    lever = machine.position("p1", machine.home.y) - np.array([0, 0, 0.9])
    assert moved["plate.x"] == pytest.approx(d[0], rel=1e-10)
    assert moved["p1.y"] == pytest.approx((d[:3] + np.cross(d[3:], lever))[1], rel=1e-10)


def loaded_lamp() -> lw.Machine:
    """Two arms, preloaded by gravity and a spring far from its free length; a force that can be changed."""
    m = lw.Mechanism("lamp", gravity=(0, -G, 0))
    m.body("arm", mass=1.2, com=(0.2, 0, 0)), m.body("shade", mass=0.4, com=(0.5, 0.05, 0))
    m.revolute("A", "ground", "arm", at=(0, 0, 0), axis="z")
    m.revolute("B", "arm", "shade", at=(0.4, 0, 0), axis="z")
    m.point("eye", "arm", (0.3, 0, 0)), m.point("hook", "ground", (0, 0.3, 0)), m.point("tip", "shade", (0.6, 0, 0))
    m.spring("coil", "eye", "hook", stiffness=150.0, free=0.2)
    m.spring("elbow", joint="B", stiffness=0.8, free=0.3)
    m.force("fx", "tip", amount=0.0, along="x"), m.force("fy", "tip", amount=0.0, along="y")
    return m.assemble()


def closed_lever() -> lw.Machine:
    """A four-bar whose coupler hangs in a spring; its stiffness goes through the loop."""
    m = lw.Mechanism("lever", gravity=(0, -G, 0))
    m.body("crank", mass=1.0, com=(0.1, 0.1, 0)), m.body("rod", mass=2.0, com=(0.5, 0.35, 0))
    m.body("rocker", mass=1.0, com=(0.9, 0.2, 0))
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z"), m.revolute("B", "crank", "rod", at=(0.2, 0.2, 0))
    m.revolute("C", "rod", "rocker", at=(0.8, 0.5, 0), axis="z")
    m.revolute("D", "ground", "rocker", at=(1.0, 0, 0), axis="z")
    m.point("tip", "rod", (0.5, 0.6, 0)), m.point("hook", "ground", (0.4, 1.0, 0))
    m.spring("coil", "tip", "hook", stiffness=400.0, free=0.1)
    m.force("fx", "tip", amount=0.0, along="x"), m.force("fy", "tip", amount=0.0, along="y")
    return m.assemble()


@pytest.mark.parametrize("make", [loaded_lamp, closed_lever])
def test_compliance_is_the_difference_of_equilibria(make: object) -> None:
    machine = make()  # type: ignore[operator]
    rest = machine.equilibrium()
    C = np.asarray(rest.compliance("tip"))
    for k, name in enumerate(("fx", "fy")):
        places = {}
        h = 1e-3
        for side in (-2, -1, 1, 2):
            other = machine.with_parameters({f"{name}.amount": side * h}).equilibrium(start=rest.posture)
            places[side] = machine.position("tip", other.posture.y[: machine.nq])
        slope = (8 * (places[1] - places[-1]) - (places[2] - places[-2])) / (12 * h)
        assert C[:2, k] == pytest.approx(slope[:2], abs=1e-8 * np.abs(C).max())
        told = rest.deflection({name: 1.0}, ["tip.x", "tip.y"])
        assert [*told.values()] == pytest.approx(slope[:2], abs=1e-8 * np.abs(C).max())
    if make is loaded_lamp:
        assert np.asarray(rest.stiffness("tip"))[:2, :2] @ C[:2, :2] == pytest.approx(np.eye(2), abs=1e-10)
    else:
        assert rest.stiffness("tip").rigid.shape == (3, 2)


def test_free_directions_are_told() -> None:
    m = lw.Mechanism("sled")
    m.body("sled", mass=2.0), m.body("seat", mass=1.0)
    m.prismatic("X", "ground", "sled", axis="x"), m.prismatic("Z", "sled", "seat", axis="z")
    m.spring("coil", joint="Z", stiffness=50.0, free=0.0)
    m.point("P", "seat", (0, 0, 0))
    rest = m.assemble().equilibrium()
    stiff = rest.stiffness("P")
    assert np.asarray(stiff) == pytest.approx(np.diag([0, 0, 50.0]), abs=1e-12)
    assert np.abs(stiff.free).ravel() == pytest.approx([1, 0, 0]) and np.abs(stiff.rigid).ravel() == pytest.approx(
        [0, 1, 0]
    )
    assert "free: x" in str(stiff) and np.isfinite(np.asarray(rest.compliance("P"))).all()
    assert rest.deflection({"P.fz": 5.0}, "P.z") == pytest.approx({"P.z": 0.1})
    with pytest.raises(lw.NothingResists, match=r"X\.slide"):
        rest.deflection({"P.fx": 1.0}, "P.z")
    with pytest.raises(lw.InputError, match="no body, frame or point that moves 'Q'"):
        rest.stiffness("Q")
    with pytest.raises(lw.InputError, match="one finite number"):
        rest.deflection({"P.fx": float("nan")})


def test_a_shaken_base_is_an_input() -> None:
    """A mass on a spring in a base that accelerates: x'' + 2 ζ ω x' + ω² x = -a."""
    m = lw.Mechanism("seismometer")
    m.body("block", mass=2.0)
    m.prismatic("X", "ground", "block", axis="x")
    m.spring("coil", joint="X", stiffness=200.0, damping=4.0, free=0.0)
    f = np.array([0.5, 1.5, 6.0])
    H = m.assemble().linearize().frequency_response("ground.ax", "X", f)
    s = 2j * math.pi * f
    assert H["X"].values == pytest.approx(-1 / (s * s + 2 * s + 100), rel=1e-12)


def test_a_moment_on_a_body_is_an_input() -> None:
    m = lw.Mechanism("door")
    m.body("leaf", mass=1.0, com=(0.4, 0, 0), inertia=(0.1, 0.1, 0.2))
    m.revolute("A", "ground", "leaf", at=(0, 0, 0), axis=(0, math.sin(30 * deg), math.cos(30 * deg)))
    m.spring("closer", joint="A", stiffness=3.0, free=0.0)
    lin = m.assemble().linearize()
    both = lin.frequency_response(["leaf.mz", "leaf.my", "A.effort"], "A", [0.2])["A"].values[:, 0]
    assert both[:2] == pytest.approx(both[2] * np.array([math.cos(30 * deg), math.sin(30 * deg)]), rel=1e-12)
