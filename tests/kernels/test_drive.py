"""Kernels called by address from numba code."""

from __future__ import annotations

import numpy as np
import pytest
from tapes import arm, same_bits

from linkwork.kernels import Kernel, drive
from linkwork.kernels.drive import pointers, repeat


@pytest.fixture(scope="module")
def arrays() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(57, 6)), rng.normal(size=(57, 6)), rng.normal(size=4)


def test_a_compiled_loop_gives_the_bits_of_the_batch(arrays: tuple[np.ndarray, ...]) -> None:
    kernel = Kernel(arm())
    out = np.full((57, 6), np.nan)
    repeat(kernel.address, arrays, (out,), 57)
    assert same_bits(out, kernel(*arrays))


def test_a_kernel_is_called_from_a_users_own_loop(arrays: tuple[np.ndarray, ...]) -> None:
    import numba

    from linkwork.kernels.drive import call

    @numba.njit
    def fixed_point(
        address: int, inputs: np.ndarray, outputs: np.ndarray, q: np.ndarray, tau: np.ndarray, n: int
    ) -> None:
        for _ in range(n):
            call(address, inputs, outputs)
            for i in range(6):
                q[i] = 0.1 * tau[i]

    kernel = Kernel(arm())
    q, v, p = arrays[0][0].copy(), arrays[1][0].copy(), arrays[2]
    tau = np.empty(6)
    fixed_point(kernel.address, pointers((q, v, p)), pointers((tau,)), q, tau, 5)
    expected = arrays[0][0].copy()
    for _ in range(5):
        expected = 0.1 * kernel(expected, v, p)
    assert same_bits(q, expected)


def test_arrays_that_cannot_be_passed_are_refused() -> None:
    with pytest.raises(TypeError, match="array 1 must be a contiguous"):
        pointers((np.zeros(3), np.zeros((3, 4)).T))
    with pytest.raises(TypeError, match="array 0"):
        pointers((np.zeros(3, np.float32),))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="array 0 has 3 samples, not 4"):
        repeat(1, (np.zeros((3, 2)),), (np.zeros((4, 2)),), 4)


def test_there_is_nothing_else_in_the_module() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'recall'"):
        drive.recall
