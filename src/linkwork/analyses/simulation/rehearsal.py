"""Small simulations that go through every loop, so that these are compiled and kept for all machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from linkwork.drives import ramp
from linkwork.model.events import at, stop, when
from linkwork.model.mechanism import Mechanism
from linkwork.numerics.elimination import eliminate_batch, solve_batch
from linkwork.numerics.least_squares import damped_step


def rehearsals() -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is compiled, by name, and what to do for it; the usual first."""
    s = _machine()
    events = [
        stop("A", low=-0.5, high=0.5, restitution=0.5, name="rigid"),
        stop("tip.x", high=0.19, stiffness=1e4, damping=10.0, name="elastic"),
        when("rate(A)", name="turning"),
        when("A - 0.3", lock="B", once=True),
        at(0.3, set={"b.mass": 0.3}),
        at(0.35, off="coil"),
    ]
    struck = {"rates": {"A": 6.0}, "events": events, "samples": 5}
    yield "simulations", partial(s.simulate, 0.05, rates={"A": 1.0}, method="explicit")
    yield "events", partial(s.simulate, 0.5, **struck, method="explicit")
    yield "drives and controllers", partial(_driven, s)
    many = {"rates": {"A": [1.0, 6.0]}, "events": events[:4], "samples": 3, "threads": 1}
    yield "many simulations", partial(s.simulate_many, 0.2, **many)
    for method in ("radau", "exponential", "exponential-static"):
        yield f"method {method}", partial(s.simulate, 0.03, **struck | {"events": events[:4]}, method=method)
    for method in ("variational", "variational-4"):
        yield f"method {method}", partial(s.simulate, 0.05, rates={"A": 1.0}, method=method, step=0.01)
    changed = {"rates": {"A": 6.0}, "events": events[:1], "sensitive_to": ["b.mass", "start.A"]}
    yield "sensitivities", partial(s.simulate, 0.2, **changed)
    yield "motions", partial(s.motion, samples=5, A=ramp(0.0, 0.2, duration=1.0))
    yield "linear systems", _solved


def _driven(s: Any) -> None:
    s.simulate(0.05, drives={"A": ramp(0.0, 0.1, duration=0.1)}, method="explicit")
    s.simulate(0.05, efforts={"A": "sin(9*t)"}, method="explicit")
    s.simulate(0.05, efforts={"A": "where(A > 0.01, -1, 1)"}, rates={"A": 1.0}, method="explicit")
    s.simulate(0.05, controller=lambda t, state: {"A": 0.1}, rate=100.0, method="explicit")


def _solved() -> None:
    rows = np.ones((1, 1, 2))
    eliminate_batch(rows)
    solve_batch(rows, np.ones((1, 1, 1)))
    damped_step(rows, np.ones((1, 1)), np.ones(1))


def _machine() -> Any:
    """A slider-crank with all that has loops of its own: friction that sticks, a spring, a point."""
    m = Mechanism("rehearsal", gravity=(0.0, -9.81, 0.0))
    m.body("a", mass=0.5, com=(0.05, 0.0, 0.0), inertia=(1e-4, 4e-4, 4e-4))
    m.body("b", mass=0.4, com=(0.25, 0.0, 0.0), inertia=(1e-4, 3e-3, 3e-3))
    m.body("c", mass=0.3, com=(0.4, 0.0, 0.0))
    m.revolute("A", m.ground, "a", at=(0.0, 0.0, 0.0), axis="z", value=0.0)
    m.revolute("B", "a", "b", at=(0.1, 0.0, 0.0), axis="z")
    m.revolute("C", "b", "c", at=(0.4, 0.0, 0.0), axis="z")
    m.prismatic("D", m.ground, "c", at=(0.4, 0.0, 0.0), axis="x")
    m.point("tip", "b", at=(0.2, 0.0, 0.0))
    m.spring("coil", joint="A", stiffness=20.0, free=-0.3)
    m.friction("rub", "D", level=0.2, form="exact")
    return m.assemble()
