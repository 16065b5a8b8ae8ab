"""What equations a machine has: its coordinates, what can be asked of it, and what an answer costs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.equations.quantities import OF_MACHINE
from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.kernels import Kernel
from linkwork.model.mechanism import Mechanism
from linkwork.system import System

SECONDS, ROUNDS = 0.01, 5
"""A round of a measurement lasts about so long; the best of so many counts."""
NUMBERS, SAMPLES = 2**17, 4096
"""Numbers in and out of a measured batch, and samples, at most: they stay in the processor's cache."""


@dataclass(frozen=True)
class Cost:
    """One quantity: its blocks with their shapes, its operations and, if measured, what it costs on one core.

    ready_seconds : until its machine code was there, compiled or found in the cache
    sample_seconds : of one sample in a batch
    """

    name: str
    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[int, ...]]
    operations: int
    ready_seconds: float | None = None
    sample_seconds: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data, for JSON; what was not measured is left out."""
        row: dict[str, Any] = {
            "name": self.name,
            "inputs": {name: list(shape) for name, shape in self.inputs.items()},
            "outputs": {name: list(shape) for name, shape in self.outputs.items()},
            "operations": self.operations,
        }
        if self.ready_seconds is not None and self.sample_seconds is not None:
            row |= {"ready_seconds": self.ready_seconds, "sample_seconds": self.sample_seconds}
        return row


@dataclass(frozen=True)
class Equations:
    """The system, the cost of each quantity, and a note for each that it cannot give."""

    system: System
    costs: tuple[Cost, ...]
    problems: tuple[Problem, ...]

    def summary(self) -> str:
        """Sizes in a line."""
        s = self.system
        parts = [(len(s.bodies), "moving body", "moving bodies"), (s.nq, "coordinate", "coordinates")]
        parts += [(s.nv, "rate", "rates"), (len(s.parameters), "parameter", "parameters")]
        parts += [(len(s.cut_joints), "cut joint", "cut joints")]
        parts += [(len(s.mechanism.states), "state", "states")] if s.mechanism.states else []
        return ", ".join(f"{n:,} {one if n == 1 else many}" for n, one, many in parts)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        s = self.system
        return {
            "name": s.name,
            "bodies": list(s.bodies),
            "coordinates": list(s.coordinates),
            "rates": list(s.rates),
            "parameters": len(s.parameters),
            "cut_joints": list(s.cut_joints),
            "states": list(s.mechanism.states),
            "quantities": [cost.as_dict() for cost in self.costs],
            "problems": [p.as_dict() for p in self.problems],
        }


def equations(mechanism: Mechanism, measure: bool = False, parameters: Mapping[str, float] | None = None) -> Equations:
    """The equations of a machine and what they cost.

    mechanism : the machine; its layout must be sound
    measure : compile every quantity and time it
    parameters : other numbers of the model, by name [SI]
    """
    system = System(mechanism)
    system = system.with_parameters(parameters) if parameters else system
    costs: list[Cost] = []
    problems: list[Problem] = []
    for name in OF_MACHINE:
        try:
            kernel = system.kernel(name)
        except ModelError as error:  # loops, or nothing that resists: the rest can still be asked
            problems += [replace(p, severity="note") for p in error.problems]
            continue
        cost = Cost(
            name, {b.name: b.shape for b in kernel.inputs}, {b.name: b.shape for b in kernel.outputs}, kernel.operations
        )
        costs.append(_measured(cost, kernel, system) if measure else cost)
    return Equations(system, tuple(costs), tuple(problems))


# ---------------------------------------------------------------- measuring


def _measured(cost: Cost, kernel: Kernel, system: System) -> Cost:
    if not all(kernel.sizes[1]):  # nothing moves, so that there is nothing to compute
        return cost
    start = time.perf_counter()
    kernel.compile()
    ready = time.perf_counter() - start
    elements = sum(map(sum, kernel.sizes))
    count = max(min(NUMBERS // max(elements, 1), SAMPLES), 16)
    arrays = _states(system, kernel.input_names, count)
    out = kernel(*arrays, threads=1)  # the first run finds its memory
    repeat, best = 1, np.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(repeat):
            kernel(*arrays, out=out, threads=1)
        each = (time.perf_counter() - start) / repeat
        best, repeat = min(best, each), max(int(SECONDS / each), 1)
    return replace(cost, ready_seconds=ready, sample_seconds=best / count)


def _states(system: System, names: Sequence[str], count: int) -> list[Array]:
    """States near the layout posture; quaternions have length 1."""
    random = np.random.default_rng(1)
    rates = [random.uniform(-1.0, 1.0, (count, system.nv)) for _ in names]
    return [
        system.integrate(system.posture(), 0.1 * x) if name in ("q", "q0", "q1") else x
        for name, x in zip(names, rates, strict=True)
    ]
