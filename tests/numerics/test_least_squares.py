"""Damped steps against normal equations, and minima from many starts against known ones."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwork.numerics.least_squares import Evaluate, Reason, damped_step, minimise

CRANK, COUPLER, ROCKER, GROUND = 1.0, 4.0, 3.0, 5.0


def add(y: np.ndarray, step: np.ndarray) -> np.ndarray:
    return y + step


def rosenbrock(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """e = (10 (b - a^2), 1 - a): one root (1, 1), at the end of a curved valley."""
    e = np.stack([10.0 * (y[:, 1] - y[:, 0] ** 2), 1.0 - y[:, 0]], axis=1)
    J = np.zeros((len(y), 2, 2))
    J[:, 0, 0], J[:, 0, 1], J[:, 1, 0] = -20.0 * y[:, 0], 10.0, -1.0
    return e, J


def four_bar(crank: float, coupler: float, rocker: float, ground: float) -> Evaluate:
    """Closure of a planar four-bar in space: rotation vector (0, 0, sum of angles) and position; three rows are null.

    Joint k turns by y_k about z, then link k leads on along its own x; the ground leads back.
    """
    lengths = np.array([crank, coupler, rocker, -ground])

    def evaluate(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        angles = np.cumsum(y, axis=1)
        along, across = lengths * np.cos(angles), lengths * np.sin(angles)
        e, J = np.zeros((len(y), 6)), np.zeros((len(y), 6, 4))
        e[:, 2] = (angles[:, 3] + np.pi) % (2.0 * np.pi) - np.pi
        e[:, 3], e[:, 4] = along.sum(axis=1), across.sum(axis=1)
        J[:, 2] = 1.0
        for k in range(4):  # d/dy_k turns all links from k on
            J[:, 3, k], J[:, 4, k] = -across[:, k:].sum(axis=1), along[:, k:].sum(axis=1)
        return e, J

    return evaluate


def coupler_directions(crank_angle: np.ndarray) -> np.ndarray:
    """Angles (B, 2) of the coupler in both closures, by the law of cosines on the diagonal."""
    diagonal = GROUND - CRANK * np.exp(1j * crank_angle)
    size = np.abs(diagonal)
    inner = np.arccos((size**2 + COUPLER**2 - ROCKER**2) / (2.0 * size * COUPLER))
    return np.angle(diagonal)[:, None] + inner[:, None] * np.array([1.0, -1.0])


DRIVEN = np.array([True, False, False, False])


@pytest.mark.parametrize("m, n", [(6, 4), (4, 7), (5, 5), (30, 36)])
def test_damped_step_solves_the_damped_problem(m: int, n: int) -> None:
    rng = np.random.default_rng(m)
    J, e, damping = rng.normal(size=(9, m, n)), rng.normal(size=(9, m)), 10.0 ** rng.uniform(-6, 2, 9)
    specified = np.arange(n) == 1
    x, promise = damped_step(J, e, damping, specified)
    for k in range(9):
        free = J[k][:, ~specified]
        stacked = np.vstack([free, np.sqrt(damping[k]) * np.eye(n - 1)])
        best = np.linalg.lstsq(stacked, np.concatenate([-e[k], np.zeros(n - 1)]), rcond=None)[0]
        assert x[k, 1] == 0.0
        assert x[k, ~specified] == pytest.approx(best, rel=1e-8, abs=1e-9)
        assert promise[k] == pytest.approx((e[k] ** 2).sum() - ((e[k] + J[k] @ x[k]) ** 2).sum(), rel=1e-10, abs=1e-12)

    again, _ = damped_step(J, e, np.broadcast_to(damping[:1], 9), specified)
    assert np.array_equal(again[0], x[0])
    short, less = damped_step(J, e, damping, specified, 0.01)
    longest = np.abs(x).max(axis=1)
    assert np.abs(short).max(axis=1) == pytest.approx(np.minimum(longest, 0.01), rel=1e-14)
    assert short == pytest.approx(x * np.minimum(1.0, 0.01 / longest)[:, None], rel=1e-14)
    assert (less <= promise * (1.0 + 1e-12)).all() and (less > 0.0).all()


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 6), st.integers(0, 6))
def test_damped_step_of_any_rank_never_promises_worse(seed: int, m: int, n: int, rank: int) -> None:
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(4, m, rank)) @ rng.normal(size=(4, rank, n))
    e = rng.normal(size=(4, m))
    x, promise = damped_step(J, e, np.array([0.0, 1e-12, 1e-3, 1e3]))
    assert np.isfinite(x).all()
    assert (promise >= -1e-12).all()
    # without damping, all that the columns can reach is promised, up to (rounding / least damping)^2
    reach = J[0] @ np.linalg.lstsq(J[0], e[0], rcond=1e-9)[0]
    singular = np.linalg.svd(J[0], compute_uv=False)
    kept = singular[singular > 1e-9]
    if kept.size and kept.min() > 1e-2 * kept.max():
        assert promise[0] == pytest.approx((reach**2).sum(), abs=1e-7 * (e[0] ** 2).sum())


def test_damped_step_says_what_is_not_finite() -> None:
    J, e = np.ones((3, 2, 2)), np.ones((3, 2))
    J[1, 0, 0], e[2, 1] = np.nan, np.inf
    x, promise = damped_step(J, e, np.ones(3))
    assert x[0] == pytest.approx([-0.4, -0.4])  # (2 + 1) x + 2 y = -2
    assert promise.tolist()[1:] == [-1.0, -1.0]
    assert x[1:].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    x, promise = damped_step(np.zeros((1, 2, 2)), np.ones((1, 2)), np.ones(1))
    assert (x.tolist(), promise.tolist()) == ([[0.0, 0.0]], [0.0])
    with pytest.raises(ValueError, match="damping"):
        damped_step(J, e, np.ones(2))


def test_rosenbrock_from_everywhere() -> None:
    starts = np.random.default_rng(0).uniform(-3.0, 3.0, (300, 2))
    found = minimise(rosenbrock, add, starts)
    assert found.converged.all()
    assert np.abs(found.y - 1.0).max() < 1e-14
    assert found.residual.max() < 1e-14
    assert found.iterations.max() < 60
    assert repr(found) == "Minima(300 starts: 300 converged)"


def test_four_bar_finds_both_closures_and_nothing_else() -> None:
    starts = np.random.default_rng(1).uniform(-np.pi, np.pi, (400, 4))
    found = minimise(four_bar(CRANK, COUPLER, ROCKER, GROUND), add, starts, DRIVEN, iterations=300)
    assert set(found.reason) <= {Reason.CONVERGED, Reason.STAGNATED}
    assert found.converged.sum() >= 390
    assert found.residual[found.converged].max() < 2e-14
    assert found.residual[~found.converged].min(initial=1.0) > 1e-3
    assert np.array_equal(found.y[:, 0], starts[:, 0])  # driven

    y = found.y[found.converged]
    off = y[:, :2].sum(axis=1, keepdims=True) - coupler_directions(y[:, 0])
    off = np.abs((off + np.pi) % (2.0 * np.pi) - np.pi)
    assert off.min(axis=1).max() < 1e-13
    assert 100 < (off.argmin(axis=1) == 0).sum() < 300  # both of them


def test_a_chain_that_cannot_close_stagnates_at_the_shortest_gap() -> None:
    """Crank 1, coupler 1, rocker 1 at ground 5 with the crank at 0: stretched out, turned by 0 in all, the gap is 2."""
    starts = np.zeros((50, 4))
    starts[:, 1:] = np.random.default_rng(2).uniform(-0.3, 0.3, (50, 3))
    found = minimise(four_bar(1.0, 1.0, 1.0, 5.0), add, starts, DRIVEN, iterations=500)
    assert (found.reason == Reason.STAGNATED).all()
    assert found.residual == pytest.approx(np.full(50, 2.0), abs=1e-6)
    assert not found.converged.any()


def test_dead_point_is_reached_though_singular() -> None:
    """1 + 2 + 2 = 5: the only closure is stretched out, a double root. Angles are good to the square root."""
    starts = np.zeros((100, 4))
    starts[:, 1:] = np.random.default_rng(3).uniform(-2.0, 2.0, (100, 3))
    found = minimise(four_bar(1.0, 2.0, 2.0, 5.0), add, starts, DRIVEN, tolerance=1e-12)
    assert found.converged.all()
    assert found.residual.max() <= 1e-12
    assert np.abs(np.sin(found.y[:, 1:])).max() < 1e-5


def test_scales_change_the_units_not_the_answer() -> None:
    """The four-bar in units of 1/1024 m (exact in binary) with rows scaled back takes the very same steps."""
    starts = np.random.default_rng(4).uniform(-np.pi, np.pi, (50, 4))
    metres = minimise(four_bar(CRANK, COUPLER, ROCKER, GROUND), add, starts, DRIVEN)
    small_units = four_bar(*(1024.0 * length for length in (CRANK, COUPLER, ROCKER, GROUND)))
    rows = np.array([1.0, 1.0, 1.0, 1.0 / 1024.0, 1.0 / 1024.0, 1.0 / 1024.0])
    same = minimise(small_units, add, starts, DRIVEN, rows)
    assert np.array_equal(same.y, metres.y)
    assert np.array_equal(same.iterations, metres.iterations)

    # angles in units of 1/8 rad: J has columns an eighth as large, steps eight times the number
    def eighths(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        e, J = small_units(y / 8.0)
        return e, J / 8.0

    scaled = minimise(eighths, add, starts * 8.0, DRIVEN, rows, 8.0)
    assert np.array_equal(scaled.y, metres.y * 8.0)
    assert np.array_equal(scaled.residual, metres.residual)


def test_batch_equals_one_by_one() -> None:
    starts = np.random.default_rng(5).uniform(-np.pi, np.pi, (20, 4))
    evaluate = four_bar(CRANK, COUPLER, ROCKER, GROUND)
    together = minimise(evaluate, add, starts, DRIVEN)
    for k in range(20):
        alone = minimise(evaluate, add, starts[k : k + 1], DRIVEN)
        assert alone.y[0] == pytest.approx(together.y[k], abs=1e-12)
        assert alone.reason[0] == together.reason[k]


def test_iteration_limit_is_said() -> None:
    found = minimise(rosenbrock, add, [[-3.0, 3.0], [1.0, 1.0]], iterations=3)
    assert found.reason.tolist() == [Reason.LIMIT, Reason.CONVERGED]
    assert found.iterations.tolist() == [3, 0]
    e, _ = rosenbrock(found.y)
    assert found.residual.tolist() == np.abs(e).max(axis=1).tolist()
    assert minimise(rosenbrock, add, [[-3.0, 3.0]], iterations=0).y.tolist() == [[-3.0, 3.0]]


def test_steps_respect_the_limit() -> None:
    steps = []

    def advance(y: np.ndarray, step: np.ndarray) -> np.ndarray:
        steps.append(np.abs(step).max())
        return y + step

    minimise(rosenbrock, advance, [[-3.0, 3.0]], limit=0.25)
    assert max(steps) == pytest.approx(0.25, rel=1e-15)


def test_interrupt_keeps_what_is_finished() -> None:
    starts = np.random.default_rng(6).uniform(-3.0, 3.0, (100, 2))
    seen = []

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        if done >= 50:
            raise KeyboardInterrupt

    found = minimise(rosenbrock, add, starts, callback=stop)
    full = minimise(rosenbrock, add, starts)
    finished = found.converged
    assert 50 <= finished.sum() < 100
    assert (found.reason[~finished] == Reason.INTERRUPTED).all()
    assert np.abs(found.y[finished] - full.y[finished]).max() < 1e-9
    e, _ = rosenbrock(found.y)
    assert found.residual == pytest.approx(np.abs(e).max(axis=1), abs=1e-15)  # of the others: where they stood
    assert seen[0] == (0, 100)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)

    def fail(done: int, total: int) -> None:
        raise RuntimeError("not an interrupt")

    with pytest.raises(RuntimeError, match="not an interrupt"):
        minimise(rosenbrock, add, starts, callback=fail)


def test_places_that_are_not_finite_are_avoided() -> None:
    """e = log y, root 1: steps to y <= 0 are rejected; a start there is INVALID."""

    def logarithm(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.log(y), 1.0 / y[:, :, None]

    found = minimise(logarithm, add, [[30.0], [0.01], [-1.0]], limit=100.0)
    assert found.reason.tolist() == [Reason.CONVERGED, Reason.CONVERGED, Reason.INVALID]
    assert found.y[:2, 0] == pytest.approx([1.0, 1.0], abs=1e-15)
    assert found.y[2, 0] == -1.0
    assert found.residual[2] == np.inf


def test_nothing_to_do_and_bad_input() -> None:
    assert minimise(rosenbrock, add, np.zeros((0, 2))).reason.size == 0
    still = minimise(rosenbrock, add, [[2.0, 4.0]], [True, True])
    assert still.reason.tolist() == [Reason.STAGNATED]
    with pytest.raises(ValueError, match="not finite"):
        minimise(rosenbrock, add, [[np.nan, 0.0]])
    with pytest.raises(ValueError, match="must be positive"):
        minimise(rosenbrock, add, [[0.0, 0.0]], tolerance=0.0)
    with pytest.raises(ValueError, match=r"\(B, ny\)"):
        minimise(rosenbrock, add, [0.0, 0.0])


def test_light_modules_do_not_import_numba() -> None:
    modules = ", ".join(f"linkwork.numerics.{name}" for name in ("elimination", "sparse_order", "least_squares"))
    command = f"import sys, {modules}; print('numba' in sys.modules, 'scipy' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["False", "False"]
