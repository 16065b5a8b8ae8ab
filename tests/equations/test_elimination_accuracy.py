"""What judges eliminations: freedoms of constraints by orthogonal factors, and by singular values where rows depend."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.equations import elimination_accuracy as accuracy
from linkwork.geometry import Array


def null_space(J: Array, right: Array) -> tuple[Array, Array]:
    """The projector onto the freedoms and the shortest solution, by numpy's pseudo-inverse."""
    back = np.linalg.pinv(J, rcond=accuracy.REDUNDANT)
    return np.eye(J.shape[1]) - back @ J, back @ right


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (3, 7), (40, 41), (5, 5)])
@pytest.mark.parametrize("dependent", [False, True])
def test_freedoms_and_shortest_solutions(shape: tuple[int, int], dependent: bool) -> None:
    rng = np.random.default_rng(shape[0])
    J = rng.normal(size=shape)
    if dependent and len(J):
        J = np.vstack([J, J[:1] + (J[1:2] if len(J) > 1 else 0.0)])
    J /= np.maximum(np.linalg.norm(J, axis=1, keepdims=True), 1e-300)
    right = J @ rng.normal(size=shape[1])
    Z, g = accuracy._held(J, right)
    projector, shortest = null_space(J, right)
    np.testing.assert_allclose(Z @ Z.T, projector, rtol=0, atol=1e-11)
    np.testing.assert_allclose(g, shortest, rtol=0, atol=1e-11 * max(1.0, float(np.abs(shortest).max(initial=0.0))))
    assert np.abs(J @ Z).max(initial=0.0) < 1e-12


def test_nearly_dependent_rows_are_left_to_singular_values(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    usual = np.linalg.svd
    monkeypatch.setattr(accuracy.np.linalg, "svd", lambda J: asked.append(1) or usual(J))
    for far, count in ((1e-4, 0), (1e-10, 1)):
        J = np.array([[1.0, 0.0, 0.0], [1.0, far, 0.0]])
        Z, _ = accuracy._held(J, np.zeros(2))
        assert (Z.shape[1], len(asked)) == (1 + count, count)
