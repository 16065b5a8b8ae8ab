"""Machines whose bodies stretch, let go: beside ordinary bodies, by every method, and their sensitivities."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from stretch_oracle import swinging

START = {"A": 0.0, "B": 0.0, "reach": 0.02}
NAMES = ("A.angle", "B.angle", "reach.slide", "sway.slide")


@functools.cache
def machine(whole: bool, closed: bool = False) -> lw.Machine:
    return swinging(whole, closed).assemble()


def ran(whole: bool, closed: bool = False, until: float = 0.6, **options: Any) -> lw.Simulation:
    return machine(whole, closed).simulate(until, start=START, samples=7, **options)


@pytest.mark.parametrize("closed", [False, True])
def test_it_moves_like_ordinary_bodies(closed: bool) -> None:
    a, b = (ran(whole, closed, rtol=1e-11, atol=1e-12) for whole in (True, False))
    assert a.status == b.status == "complete"
    for name in NAMES:
        assert np.asarray(a.data[name]) == pytest.approx(np.asarray(b.data[name]), abs=1e-8)
    assert np.asarray(a.data["P.position"]) == pytest.approx(np.asarray(b.data["P.position"]), abs=1e-8)


@pytest.mark.parametrize("method", ["radau", "variational"])
def test_methods_agree(method: str) -> None:
    right = ran(True, rtol=1e-11, atol=1e-12)
    own = {"step": 2e-4} if method == "variational" else {"rtol": 1e-9, "atol": 1e-11}
    found = ran(True, method=method, **own)
    for name in NAMES:
        assert np.asarray(found.data[name]) == pytest.approx(np.asarray(right.data[name]), abs=1e-5)


def test_sensitivities_are_those_of_differences() -> None:
    names = ["boom.mass", "reach.gradient.x", "k2.stiffness"]
    options: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-12}
    run = ran(True, True, 0.3, sensitive_to=names, **options)
    s = machine(True, True)
    for name in names:
        value = s.parameters[name]
        h = 1e-5 * abs(value)
        there, back = (
            s.with_parameters({name: value + d}).simulate(0.3, start=START, samples=7, **options) for d in (h, -h)
        )
        for variable in NAMES:
            slope = (np.asarray(there.data[variable]) - np.asarray(back.data[variable])) / (2 * h)
            assert np.asarray(run.sensitivity(variable, name)) == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_stops_and_drives_know_it() -> None:
    run = machine(True).simulate(0.5, start=START, events=lw.stop("reach", low=-0.01, restitution=0.5))
    assert run.events
    assert float(np.min(np.asarray(run.data["reach.slide"]))) > -0.01 - 1e-9
    driven = machine(True).simulate(0.5, drives={"reach": lw.cycloidal(0, 0.1, duration=0.5)}, samples=5)
    assert np.asarray(driven.data["reach.slide"])[-1] == pytest.approx(0.1, abs=1e-12)


def test_a_rod_that_stretches_has_the_frequency_of_its_consistent_mass() -> None:
    """ω² = k / (m/3 + M) for a uniform rod of mass m held at one end, a mass M at the other."""
    m = lw.Mechanism("rod")
    m.body("rod", mass=3.0, com=(0.5, 0, 0), inertia=(0.0, 3.0 / 12, 3.0 / 12))
    m.body("bob", mass=2.0, com=(1, 0, 0))
    m.rigid("W", m.ground, "rod", at=(0, 0, 0))
    m.rigid("V", "rod", "bob", at=(1, 0, 0))
    m.stretch("x", "rod", (0, 0, 0), (1, 0, 0))
    m.spring("k", joint="x", stiffness=1200.0)
    s = lw.System(m)
    assert s.mass_matrix(s.posture()) == pytest.approx(np.array([[3.0]]), rel=1e-14)
    period = 2 * np.pi / np.sqrt(1200.0 / 3.0)
    run = m.assemble().simulate(period, start={"x": 0.01}, samples=3, rtol=1e-10, atol=1e-13)
    assert np.asarray(run.data["x.slide"]) == pytest.approx([0.01, -0.01, 0.01], abs=1e-10)
