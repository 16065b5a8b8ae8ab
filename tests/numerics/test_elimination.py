"""Elimination with complete pivoting against exact arithmetic, the singular value decomposition and least squares."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwork.numerics.elimination import eliminate, eliminate_batch, left_null, right_null, solve_batch

EPS = np.finfo(float).eps


def exact_rank(matrix: np.ndarray) -> int:
    """Rank of a matrix of integers in rational arithmetic."""
    rows = [[Fraction(int(v)) for v in row] for row in matrix]
    rank = 0
    for j in range(matrix.shape[1]):
        found = next((i for i in range(rank, len(rows)) if rows[i][j]), None)
        if found is None:
            continue
        rows[rank], rows[found] = rows[found], rows[rank]
        for i in range(rank + 1, len(rows)):
            factor = rows[i][j] / rows[rank][j]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    return rank


def of_rank(rng: np.random.Generator, m: int, n: int, rank: int) -> np.ndarray:
    return rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))


@st.composite
def integer_cases(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """A matrix of small integers, often with equal or null rows, and specified columns."""
    m, n = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    rows = draw(st.lists(st.lists(st.integers(-3, 3), min_size=n, max_size=n), min_size=m, max_size=m))
    J = np.array(rows, float)
    for i in draw(st.lists(st.integers(0, m - 1), max_size=3)):
        J[i] = J[draw(st.integers(0, m - 1))] * draw(st.integers(-1, 1))
    return J, np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))


@settings(deadline=None, max_examples=300)
@given(integer_cases())
def test_rank_conflict_and_rates_are_those_of_exact_arithmetic(case: tuple[np.ndarray, np.ndarray]) -> None:
    J, specified = case
    m, n = J.shape
    found = eliminate(J, specified)
    assert found.rank == exact_rank(J[:, ~specified])
    assert (found.conflict > 0.0) == (exact_rank(J) > found.rank)

    assert sorted([*found.pivot_rows, *found.redundant_rows]) == list(range(m))
    assert sorted([*found.pivot_columns, *found.independent_columns]) == list(range(n))
    assert found.specified_columns.tolist() == np.flatnonzero(specified).tolist()
    assert not specified[found.pivot_columns].any()

    K = found.columns()
    assert np.array_equal(K[found.independent_columns], np.eye(n - found.rank))
    assert np.abs((J @ K)[found.pivot_rows]).max(initial=0.0) <= 1e-13 * max(1.0, np.abs(K).max(initial=0.0))
    agreeing = ~np.isin(found.independent_columns, found.conflict_columns)
    assert np.abs((J @ K)[:, agreeing]).max(initial=0.0) <= 1e-12 * max(1.0, np.abs(K).max(initial=0.0))
    # the remainder that the conflict reports is what K leaves in the redundant rows
    left = np.abs((J @ K)[found.redundant_rows]).max(initial=0.0)
    assert left == pytest.approx(found.conflict, abs=1e-11)

    alone = eliminate_batch(J[None], specified)
    assert alone.rank[0] == found.rank
    assert alone.quality[0] == found.quality
    assert alone.smallest_pivot[0] == found.smallest_pivot
    assert alone.conflict[0] == found.conflict
    assert np.flatnonzero(alone.pivoted[0]).tolist() == sorted(found.pivot_columns)


@pytest.mark.parametrize("m, n", [(6, 4), (6, 9), (30, 36), (12, 12)])
def test_rank_is_that_of_the_singular_values(m: int, n: int) -> None:
    rng = np.random.default_rng(m * n)
    for rank in range(min(m, n) + 1):
        J = of_rank(rng, m, n, rank)
        found = eliminate(J)
        assert found.rank == rank == np.linalg.matrix_rank(J, tol=1e-9)
        # the pivot block has the volume that its determinant has
        block = J[np.ix_(found.pivot_rows, found.pivot_columns)]
        assert found.log_quality == pytest.approx(np.linalg.slogdet(block)[1], abs=1e-9)
        assert found.quality == pytest.approx(abs(np.linalg.det(block)), rel=1e-9)
        assert found.smallest_pivot == np.abs(found.pivots).min(initial=np.inf)


def test_exact_pivots() -> None:
    """By hand: 4 at (1, 1) leaves [[1, 0], [3, 2]] in rows 0 and 2; 3 at (2, 0) leaves 0 - 2/3."""
    J = np.array([[1.0, 2.0, 0.0], [0.0, 4.0, 0.0], [3.0, 0.0, 2.0]])
    found = eliminate(J)
    assert found.pivot_rows.tolist() == [1, 2, 0]
    assert found.pivot_columns.tolist() == [1, 0, 2]
    assert found.pivots.tolist() == [4.0, 3.0, -2.0 / 3.0]
    assert found.quality == pytest.approx(8.0, rel=1e-15)
    assert found.conflict == 0.0
    x, left = found.solve([5.0, 8.0, 7.0])
    assert x == pytest.approx([1.0, 2.0, 2.0], abs=4 * EPS)
    assert left.shape == (0,)


def test_null_rows_of_a_planar_loop_are_redundant() -> None:
    """Four-bar at its square posture: rates (w1, w2, w3, w4) of the joints about z at (0,0), (0,1), (1,1), (1,0)."""
    points = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    J = np.zeros((6, 4))
    J[2], J[3], J[4] = 1.0, points[:, 1], -points[:, 0]
    found = eliminate(J, np.array([True, False, False, False]))
    assert found.rank == 3
    assert sorted(found.redundant_rows) == [0, 1, 5]
    assert found.free_columns.size == 0
    assert found.columns()[:, 0].tolist() == [1.0, -1.0, 1.0, -1.0]
    assert found.conflict == 0.0


def test_specified_columns_in_conflict_are_named() -> None:
    """x0 + x1 + x2 = 0 with all of x0, x1, x2 given; x3 = x4 with only x3 given."""
    J = np.array([[1.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, -1.0]])
    found = eliminate(J, np.array([True, True, True, True, False]))
    assert found.rank == 1
    assert found.redundant_rows.tolist() == [0]
    assert found.conflict == 1.0
    assert found.conflict_columns.tolist() == [0, 1, 2]
    one_less = eliminate(J, np.array([True, True, False, True, False]))
    assert one_less.rank == 2
    assert one_less.conflict == 0.0
    assert one_less.conflict_columns.size == 0


def test_order_of_rows_and_columns_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    J = of_rank(rng, 9, 8, 5)
    specified = np.arange(8) < 2
    found = eliminate(J, specified)
    for _ in range(10):
        rows, columns = rng.permutation(9), rng.permutation(8)
        other = eliminate(J[rows][:, columns], specified[columns])
        assert rows[other.pivot_rows].tolist() == found.pivot_rows.tolist()
        assert columns[other.pivot_columns].tolist() == found.pivot_columns.tolist()
        assert other.pivots == pytest.approx(found.pivots, rel=1e-15)


def test_scale_of_a_large_matrix_and_of_rounding() -> None:
    rng = np.random.default_rng(4)
    J = of_rank(rng, 6, 5, 3)
    for scale in (2.0**10, 2.0**40, 2.0**500):
        found = eliminate(J * scale)
        assert found.rank == 3  # relative to the largest entry
        assert found.pivots.tolist() == (eliminate(J).pivots * scale).tolist()
    assert eliminate(J * 1e-12).rank == 0  # a radian is 1: this is rounding
    nearly = np.diag([1.0, 1e-8, 1e-10])
    assert eliminate(nearly).rank == 2
    assert eliminate(nearly, tolerance=1e-11).rank == 3
    assert eliminate(nearly * 1e6).rank == 2


def test_solve_agrees_with_least_squares() -> None:
    rng = np.random.default_rng(5)
    for m, n, rank in ((6, 4, 3), (6, 4, 4), (12, 9, 7), (5, 9, 5), (30, 36, 25)):
        J = of_rank(rng, m, n, rank)
        found = eliminate(J)
        rhs = J @ rng.normal(size=(n, 4, 2))[:, :, 0]
        x, left = found.solve(rhs)
        assert x.shape == (n, 4)
        assert np.abs(J @ x - rhs).max() < 1e-12 * max(1.0, np.abs(x).max())
        assert np.abs(left).max(initial=0.0) < 1e-12
        assert np.array_equal(x[found.free_columns], np.zeros((n - rank, 4)))
        # with the columns of the null space taken out, both are the shortest solution
        null = right_null(J)
        shortest = x - null @ np.linalg.lstsq(null, x, rcond=None)[0]
        assert shortest == pytest.approx(np.linalg.lstsq(J, rhs, rcond=1e-9)[0], abs=1e-9)


def test_inconsistent_right_side_shows_in_the_redundant_rows() -> None:
    J = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 4.0]])
    x, left = eliminate(J).solve([[1.0, 1.0], [2.0, 2.5], [8.0, 8.0]])
    assert x.tolist() == [[1.0, 1.25], [2.0, 2.0]]
    assert left.tolist() == [[0.0, -0.25]]  # row 0 left: 1 - 2.5/2


def test_batch_equals_one_by_one() -> None:
    rng = np.random.default_rng(6)
    J = np.stack([of_rank(rng, 7, 6, rank) for rank in (0, 1, 2, 3, 4, 5, 6, 6)])
    specified = np.array([False, True, False, False, True, False])
    rhs = rng.normal(size=(8, 7, 3))
    batch = eliminate_batch(J, specified)
    x, rank = solve_batch(J, rhs, specified)
    for k in range(8):
        one = eliminate(J[k], specified)
        assert batch.rank[k] == rank[k] == one.rank
        assert batch.quality[k] == one.quality
        assert batch.log_quality[k] == pytest.approx(one.log_quality, abs=1e-14)
        assert batch.smallest_pivot[k] == one.smallest_pivot
        assert batch.conflict[k] == one.conflict
        assert x[k] == pytest.approx(one.solve(rhs[k])[0], rel=1e-13, abs=1e-13)


def test_any_array_will_do() -> None:
    """Read-only, strided, of integers: the answer is the same, and the input is left as it was."""
    whole = np.arange(24).reshape(2, 4, 3) % 5
    J = whole.astype(float)
    expected = eliminate_batch(J).quality.tolist()
    frozen = J.copy()
    frozen.setflags(write=False)
    strided = np.repeat(J, 2, axis=2)[:, :, ::2]
    for form in (whole, frozen, strided, np.broadcast_to(J[0], (2, 4, 3))[:1]):
        assert eliminate_batch(form).quality.tolist() == expected[: len(form)]
        x, _ = solve_batch(form, np.broadcast_to(1.0, (len(form), 4, 1)))
        assert x.shape == (len(form), 3, 1)
    eliminate(J[0])
    assert np.array_equal(J, whole)


def test_not_finite_is_said() -> None:
    J = np.ones((3, 2, 2))
    J[1, 0, 1] = np.nan
    J[2, 1, 1] = np.inf
    with pytest.raises(ValueError, match=r"not finite at \(0, 1\)"):
        eliminate(J[1])
    with pytest.raises(ValueError, match="right side is not finite"):
        eliminate(J[0]).solve([np.nan, 0.0])
    batch = eliminate_batch(J)
    assert batch.rank.tolist() == [1, -1, -1]
    assert batch.conflict.tolist() == [0.0, np.inf, np.inf]
    assert batch.quality.tolist() == [1.0, 0.0, 0.0]
    x, rank = solve_batch(J, np.ones((3, 2, 1)))
    assert rank.tolist() == [1, -1, -1]
    assert x[:, :, 0].tolist() == [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]


def test_wrong_shapes_are_said() -> None:
    with pytest.raises(ValueError, match="must be 4 booleans"):
        eliminate(np.ones((2, 4)), [0, 1])
    with pytest.raises(ValueError, match="not 2"):
        eliminate(np.ones((2, 4))).solve(np.ones(3))
    with pytest.raises(ValueError, match=r"not \(5, 2, k\)"):
        solve_batch(np.ones((5, 2, 4)), np.ones((5, 2)))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_empty(shape: tuple[int, int]) -> None:
    found = eliminate(np.zeros(shape))
    assert found.rank == 0
    assert found.quality == 1.0
    assert found.smallest_pivot == np.inf
    assert np.array_equal(found.columns(), np.eye(shape[1]))
    assert eliminate_batch(np.zeros((2, *shape))).rank.tolist() == [0, 0]


def test_null_spaces() -> None:
    rng = np.random.default_rng(7)
    for m, n, rank in ((6, 4, 3), (4, 7, 4), (8, 8, 5), (5, 5, 0)):
        J = of_rank(rng, m, n, rank)
        left, right = left_null(J), right_null(J)
        assert left.shape == (m, m - rank)
        assert right.shape == (n, n - rank)
        assert np.abs(left.T @ J).max(initial=0.0) < 1e-13 * max(1.0, np.abs(left).max(initial=0.0)) * 10
        assert np.abs(J @ right).max(initial=0.0) < 1e-13 * max(1.0, np.abs(right).max(initial=0.0)) * 10
        assert np.linalg.matrix_rank(left) == m - rank
        assert np.linalg.matrix_rank(right) == n - rank


def test_null_space_looks_sparse() -> None:
    """Rows 0 and 2 are equal, row 3 is null: the basis says so in numbers that can be read."""
    J = np.array([[3.0, 1.0, 0.3], [0.2, 0.5, 2.0], [3.0, 1.0, 0.3], [0.0, 0.0, 0.0]])
    assert left_null(J).T.tolist() == [[-1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
