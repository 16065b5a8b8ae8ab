"""Sparse pivot orders against the dense elimination, exact cases, and the growth of their work."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from linkwork.errors import LinkworkError
from linkwork.numerics.elimination import eliminate
from linkwork.numerics.sparse_order import HUB, Triplets, pivot_order, sparse_factor


def chain(loops: int, noise: float = 0.0, hub: bool = False) -> Triplets:
    """A chain of planar four-bars, 6N x (4N + 1): the last joint of one loop is the first of the next.

    Three rows of each loop are null (or `noise`). With `hub`, column 0 is in every loop: a crank that drives them all.
    """
    rng = np.random.default_rng(loops)
    rows, columns, values = [], [], []
    for k in range(loops):
        for i in range(6):
            for j in range(5):
                if i < 3 or noise:
                    rows.append(6 * k + i)
                    columns.append(0 if hub and j == 0 else 4 * k + j)
                    values.append(noise * rng.normal() if i >= 3 else 1.0 if i == 0 else rng.normal())
    return Triplets(rows, columns, values, (6 * loops, 4 * loops + 1))


def dense(matrix: Triplets) -> np.ndarray:
    J = np.zeros(matrix.shape)
    np.add.at(J, (matrix.rows, matrix.columns), matrix.values)
    return J


def first(n: int) -> np.ndarray:
    return np.arange(n) == 0


@st.composite
def sparse_cases(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    m, n = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    J = np.zeros((m, n))
    for _ in range(draw(st.integers(0, 30))):
        J[draw(st.integers(0, m - 1)), draw(st.integers(0, n - 1))] = draw(st.integers(-3, 3))
    return J, np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))


@settings(deadline=None, max_examples=300)
@given(sparse_cases(), st.sampled_from([0.01, 0.1, 1.0]))
def test_sparse_agrees_with_dense(case: tuple[np.ndarray, np.ndarray], threshold: float) -> None:
    J, specified = case
    m, n = J.shape
    order, exact = pivot_order(J, specified, threshold=threshold), eliminate(J, specified)
    assert order.rank == exact.rank
    assert (order.conflict > 0.0) == (exact.conflict > 0.0)
    assert sorted([*order.rows, *order.redundant_rows]) == list(range(m))
    assert sorted([*order.columns, *order.independent_columns]) == list(range(n))
    assert not specified[order.columns].any()
    # the product of the pivots is the determinant of the chosen block
    block = J[np.ix_(order.rows, order.columns)]
    assert math.prod(order.pivots) == pytest.approx(np.linalg.det(block), rel=1e-9)

    factor = sparse_factor(J, order)
    assert factor.log_quality == pytest.approx(order.log_quality, abs=1e-9)
    K, left = factor.rates(np.eye(n - order.rank))
    size = max(1.0, np.abs(K).max(initial=0.0))
    assert np.abs((J @ K)[order.rows]).max(initial=0.0) <= 1e-12 * size
    assert left == pytest.approx((J @ K)[order.redundant_rows], abs=1e-12 * size)
    if not exact.conflict:  # the two null spaces are one
        assert np.abs(left).max(initial=0.0) <= 1e-11 * size
        same = K @ exact.columns()[order.independent_columns]
        assert same == pytest.approx(exact.columns(), abs=1e-10 * size)


@pytest.mark.parametrize("loops", [1, 2, 7, 20])
@pytest.mark.parametrize("noise", [0.0, 1e-16])
def test_chain_of_loops(loops: int, noise: float) -> None:
    matrix = chain(loops, noise)
    J, specified = dense(matrix), first(4 * loops + 1)
    order = pivot_order(matrix, specified)
    assert order.rank == eliminate(J, specified).rank == 3 * loops
    assert order.redundant_rows.tolist() == [6 * k + i for k in range(loops) for i in (3, 4, 5)]
    assert order.free_columns.size == loops
    assert order.conflict == 0.0
    x, left = sparse_factor(matrix, order).rates(np.ones(loops + 1))
    assert np.abs(J @ x).max() < 1e-12 * np.abs(x).max()
    assert np.abs(left).max() < 1e-12 * np.abs(x).max()


def test_forms_of_a_matrix_agree() -> None:
    matrix = chain(5)
    orders = [pivot_order(J, first(21)) for J in (matrix, dense(matrix), csr_array(dense(matrix)))]
    for order in orders[1:]:
        assert order.rows.tolist() == orders[0].rows.tolist()
        assert order.columns.tolist() == orders[0].columns.tolist()
        assert order.pivots.tolist() == orders[0].pivots.tolist()
    doubled = Triplets([0, 0, 1], [0, 0, 1], [0.25, 0.75, 2.0], (2, 2))  # entries at one place add up
    assert sorted(pivot_order(doubled).pivots) == [1.0, 2.0]


@pytest.mark.parametrize("hub", [False, True])
def test_work_grows_with_the_number_of_loops(hub: bool) -> None:
    """Entries looked at, not seconds: at most N^1.1 from 10 to 2000 loops, and hardly any fill."""
    counts = [10, 100, 2000]
    orders = [pivot_order(chain(n, hub=hub), first(4 * n + 1)) for n in counts]
    for n, order in zip(counts, orders, strict=True):
        assert order.rank == 3 * n
        assert order.fill <= n
        assert order.operations <= 20 * n
    for k in (0, 1):
        growth = math.log(orders[k + 1].work / orders[k].work) / math.log(counts[k + 1] / counts[k])
        assert growth < 1.1


def test_a_moving_hub_is_not_followed_row_by_row() -> None:
    """A column that all loops share and that is not specified: its changes do not touch all rows each time."""
    works = [pivot_order(chain(n, hub=True)).work / n for n in (2 * HUB, 20 * HUB)]
    assert works[1] < 1.5 * works[0]


def test_singletons_come_first_and_make_no_fill() -> None:
    """An arrow: a full first row and column, else diagonal. Pivoting at the corner would fill everything."""
    n = 50
    J = np.eye(n) * 2.0
    J[0], J[:, 0] = 1.0, 1.0
    J[0, 0] = 100.0
    order = pivot_order(J)
    assert order.rank == n
    assert order.fill == 0
    assert {int(order.rows[-1]), int(order.columns[-1])} & {0}


def test_ties_follow_the_weights_then_unit_entries_then_size() -> None:
    J = np.array([[2.0, 1.0, -3.0]])
    assert pivot_order(J).columns.tolist() == [1]
    assert pivot_order(J, prefer=[0.0, 1.0, 1.0]).columns.tolist() == [0]
    assert pivot_order(J, prefer=[1.0, 1.0, 0.0]).columns.tolist() == [2]
    assert pivot_order(J, np.array([False, True, False])).columns.tolist() == [2]


def test_small_pivots_come_last_however_sparse() -> None:
    """1e-7 stands alone in its row, which Markowitz likes best; the others decide whether it is needed."""
    J = np.array([[1e-7, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 2.0, 3.0]])
    order = pivot_order(J)
    assert order.rank == 3
    assert abs(order.pivots[-1]) < 1e-6 < abs(order.pivots[1])
    assert pivot_order(J, tolerance=1e-6).rank == 2


def test_threshold_keeps_pivots_large_in_their_rows() -> None:
    """0.05 makes no fill but is small in its row: first for a loose threshold, else last, without the 1.0 beside it."""
    J = np.array([[0.05, 1.0, 0.0], [0.0, 2.0, 3.0], [0.0, 3.0, 2.0]])
    assert pivot_order(J, threshold=0.01).pivots[0] == 0.05
    assert pivot_order(J, threshold=0.1).pivots == pytest.approx([3.0, 5.0 / 3.0, 0.05])
    with pytest.raises(ValueError, match="threshold"):
        pivot_order(J, threshold=0.0)


def test_conflict_is_named() -> None:
    J = np.array([[1.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, -1.0]])
    order = pivot_order(J, np.array([True, True, True, True, False]))
    assert order.rank == 1
    assert order.conflict == 1.0
    assert order.conflict_columns.tolist() == [0, 1, 2]
    x, left = sparse_factor(J, order).rates([1.0, 2.0, 3.0, 4.0])
    assert x.tolist() == [1.0, 2.0, 3.0, 4.0, 4.0]
    assert left.tolist() == [6.0]


def test_factor_serves_other_postures_until_it_is_singular() -> None:
    rng = np.random.default_rng(8)
    matrix = chain(30)
    order = pivot_order(matrix, first(121))
    for _ in range(5):
        other = matrix._replace(values=np.asarray(matrix.values) + 0.1 * rng.normal(size=len(matrix.values)))
        J = dense(other)
        factor = sparse_factor(other, order)
        rhs = J @ rng.normal(size=(121, 2))
        x, left = factor.solve(rhs)
        block = J[np.ix_(order.rows, order.columns)]
        assert factor.log_quality == pytest.approx(np.linalg.slogdet(block)[1], abs=1e-8)
        assert x[order.columns] == pytest.approx(np.linalg.solve(block, rhs[order.rows]), rel=1e-8, abs=1e-8)
        assert np.abs(left).max() == 0.0  # null rows
        assert np.array_equal(x[order.independent_columns], np.zeros((31, 2)))
    with pytest.raises(LinkworkError, match="singular at this posture"):
        sparse_factor(matrix._replace(values=np.zeros(len(matrix.values))), order)


def test_inconsistent_rows_are_seen() -> None:
    J = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 4.0]])
    order = pivot_order(J)
    x, left = sparse_factor(J, order).solve([1.0, 1.5, 8.0])
    assert x.tolist() == [1.0, 2.0]
    assert left.tolist() == [0.5]


def test_bad_input_is_said() -> None:
    with pytest.raises(ValueError, match="not finite"):
        pivot_order(np.array([[1.0, np.nan]]))
    with pytest.raises(ValueError, match=r"outside 0\.\.1"):
        pivot_order(Triplets([0], [2], [1.0], (1, 2)))
    with pytest.raises(ValueError, match="prefer"):
        pivot_order(np.eye(2), prefer=[1.0])
    order = pivot_order(np.eye(2))
    with pytest.raises(ValueError, match="is for"):
        sparse_factor(np.eye(3), order)
    with pytest.raises(ValueError, match="not 2"):
        sparse_factor(np.eye(2), order).solve(np.ones(3))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (4, 2)])
def test_nothing_to_pivot(shape: tuple[int, int]) -> None:
    order = pivot_order(np.zeros(shape))
    assert order.rank == 0
    assert order.smallest_pivot == np.inf
    factor = sparse_factor(np.zeros(shape), order)
    x, left = factor.solve(np.ones(shape[0]))
    assert repr(order) == f"PivotOrder({shape[0]} x {shape[1]}, rank 0, {shape[1]} free, 0 specified, fill 0)"
    assert x.tolist() == [0.0] * shape[1]
    assert left.tolist() == [1.0] * shape[0]
