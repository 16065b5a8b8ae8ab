"""Laws of random trees and loops, interpreted and compiled, one by one and in batches: the same bits."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from random_trees import LOWER, grow_tree

import linkwork as lw
from linkwork.kernels import Kernel
from linkwork.kernels.drive import repeat
from linkwork.kernels.kernel import _remade

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("analyses", "kernels")]
from random_loops import many_loops  # noqa: E402
from tapes import same_bits  # noqa: E402

LAWS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "kinetic_energy")


def compare(kernel: Kernel, arrays: list[np.ndarray]) -> None:
    """All ways to run the tape of a kernel."""
    tape, count = kernel._engine.tape, len(arrays[0])
    found = []
    for mode in ("interpret", "compile"):
        own = _remade(tape, mode, tape.inputs, tape.outputs, ())
        single = [np.full((count, *block.shape), np.nan) for block in tape.outputs]
        flat = [a.reshape(count, -1) for a in (*arrays, *single)]
        repeat(own.address, flat[: len(arrays)], flat[len(arrays) :], count)
        found += [single, list(own.room(*arrays))]
        own(*arrays, out=tuple(found[-1]))
    for other in found[1:]:
        assert all(same_bits(a, b) for a, b in zip(found[0], other, strict=True))


def arrays_of(kernel: Kernel, states: dict[str, np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
    """States by name and bound numbers for all inputs, shaped as those of the tape."""
    blocks = kernel._engine.tape.inputs
    given = [states.get(b.name) for b in kernel.inputs]
    count = len(next(a for a in given if a is not None))
    given = [rng.normal(size=(count, b.size)) if a is None else a for a, b in zip(given, kernel.inputs, strict=True)]
    bound = [np.tile(b, (count, 1)) for b in kernel.bound]
    return [
        np.ascontiguousarray(a).reshape(count, *block.shape) for a, block in zip([*given, *bound], blocks, strict=True)
    ]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("seed", [9101, 9102])
def test_laws_of_trees(seed: int, law: str) -> None:
    rng = np.random.default_rng(seed)
    grown = grow_tree(seed, LOWER, bodies=5)
    q, v, a = grown.state(rng, 5)
    kernel = grown.system.kernel(law)
    compare(kernel, arrays_of(kernel, {"q": q, "v": v, "a": a}, rng))


@pytest.mark.parametrize("seed", [9201, 9202])
def test_rows_of_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    s: lw.Machine = many_loops(seed, 2).mechanism().assemble()
    kernel = s.loops.system.kernel("closure")
    compare(
        kernel, arrays_of(kernel, {kernel.inputs[0].name: s.home.y + 0.1 * rng.normal(size=(5, s.home.y.size))}, rng)
    )
