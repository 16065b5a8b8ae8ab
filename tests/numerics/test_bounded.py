"""Forces within bounds, compiled: against scipy's bounded least squares, and by their own conditions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from linkwork.numerics.stepping.bounded_forces import eigen, least, reduced, solved


@pytest.mark.parametrize("seed", range(300))
def test_forces_are_those_of_bounded_least_squares(seed: int) -> None:
    """½ hᵀ S h + b0ᵀ h is least: b = 0 inside, b >= 0 at the lower bound, b <= 0 at the upper; S may be singular."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    rank = int(rng.integers(1, n + 1))
    A = rng.normal(size=(rank, n)) * 10.0 ** rng.uniform(-2, 2, size=n)
    c = rng.normal(size=rank) * 10 ** rng.uniform(-3, 3)
    S, b0 = A.T @ A, A.T @ c
    grip = rng.uniform(0, 2, size=n) * np.abs(b0).max() / np.diag(S).max()
    kind = rng.integers(0, 3, size=n)  # friction, stop from below, stop from above
    lower = np.choose(kind, [-grip, np.zeros(n), np.full(n, -np.inf)])
    upper = np.choose(kind, [grip, np.full(n, np.inf), np.zeros(n)])
    h = least(S, b0, lower, upper)
    assert (h >= lower).all() and (h <= upper).all()
    b, made = b0 + S @ h, np.abs(b0) + np.abs(S) @ np.abs(h)
    none = 1e-9 * np.maximum(made, 1e-3 * made.max())
    assert (b[h > lower] <= none[h > lower]).all() and (b[h < upper] >= -none[h < upper]).all()
    own = lsq_linear(A, -c, (lower, upper), method="bvls", tol=1e-14).x
    assert np.abs(S @ (h - own)).max() <= 1e-7 * made.max()


def test_rows_that_must_be_obeyed_are_taken_out() -> None:
    rng = np.random.default_rng(3)
    A = rng.normal(size=(7, 6))
    S, b = A.T @ A, rng.normal(size=6)
    R, r = reduced(S, b, 2)
    h = rng.normal(size=4)
    first = np.linalg.solve(S[:2, :2], -b[:2] - S[:2, 2:] @ h)
    np.testing.assert_allclose(R @ h + r, (S @ np.concatenate([first, h]) + b)[2:], rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_eigenvalues_and_shortest_solutions(n: int) -> None:
    rng = np.random.default_rng(n)
    A = rng.normal(size=(max(n - 1, 1), n))
    S, B = A.T @ A, rng.normal(size=(n, 2))
    values, vectors = np.empty(n), np.empty((n, n))
    eigen(S, values, vectors)
    np.testing.assert_allclose(np.sort(values), np.linalg.eigvalsh(S), rtol=0, atol=1e-13 * np.abs(S).max() * n)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n), rtol=0, atol=1e-13)
    np.testing.assert_allclose(solved(S, B, 1e-10), np.linalg.lstsq(S, B, rcond=1e-10)[0], rtol=0, atol=1e-8)
