"""Loading and checking grow with the size of the model, and stay out of the way."""

from __future__ import annotations

import time

import linkwork as lw


def chain(count: int) -> lw.Mechanism:
    m = lw.Mechanism("chain", gravity=(0.0, -9.81, 0.0))
    parent = "ground"
    for i in range(count):
        m.body(f"b{i}", mass=1.0, com=(i + 0.5, 0.0, 0.0), inertia=(1e-3, 0.1, 0.1))
        m.revolute(f"J{i}", parent, f"b{i}", at=(i, 0.0, 0.0), axis="z")
        parent = f"b{i}"
    return m


def seconds(text: str) -> float:
    start = time.perf_counter()
    assert lw.check(lw.loads(text)).sound
    return time.perf_counter() - start


def test_a_thousand_bodies() -> None:
    small, large = lw.dumps(chain(200)), lw.dumps(chain(1000))
    seconds(small)  # imports and caches
    few, many = min(seconds(small) for _ in range(2)), seconds(large)
    assert many < 5.0
    assert many < 12 * few + 0.2  # five times the size
