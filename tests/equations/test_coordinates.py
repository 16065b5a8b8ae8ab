"""Moving along the coordinates: flow, integrate and difference, near no turn and near half a turn."""

from __future__ import annotations

import numpy as np
import pytest
from balances import near, rate
from random_trees import BY_NAME, Grown, grow_tree, single_joint

from linkwork import geometry as geo

MIXED = grow_tree(21, ["spheric", "revolute", "free", "helical"], bodies=4, floating=1)
BALL = single_joint(BY_NAME["spheric"], 1)


def quaternions(grown: Grown, q: np.ndarray) -> list[np.ndarray]:
    """All quaternions in q."""
    names = grown.system.coordinates
    return [q[..., i : i + 4] for i, name in enumerate(names) if name.endswith(".qw")]


def test_quaternions_need_not_stand_last() -> None:
    s = MIXED.system
    assert any(name.endswith(".qz") and i < s.nq - 1 for i, name in enumerate(s.coordinates))
    q, v, _ = MIXED.state(np.random.default_rng(0), 4)
    assert s.integrate(q, v).shape == q.shape
    near(s.integrate(q, 0 * v), q, 1e-15)


def test_flow_is_the_rate_of_integrate() -> None:
    s = MIXED.system
    q, v, _ = MIXED.state(np.random.default_rng(1), 5)
    near(rate(lambda t: s.integrate(q, v * t)), s.flow(q, v), 1e-10)


@pytest.mark.parametrize("size", [1e-12, 1e-6, 0.9e-3, 1.0e-3, 1.1e-3, 0.3, 2.0, 3.0])
def test_round_trip(size: float) -> None:
    s = MIXED.system
    rng = np.random.default_rng(2)
    q, v, _ = MIXED.state(rng, 20)
    step = v / np.abs(v).max(axis=-1, keepdims=True) * size / 2
    there = s.integrate(q, step)
    near(s.difference(q, there), step, 1e-13, max(size, 1.0))
    # Small turns keep their relative precision, but for what adding to a coordinate rounds away.
    near(s.integrate(q, s.difference(q, there)), there, 1e-14)
    for x in quaternions(MIXED, there):
        near(np.linalg.norm(x, axis=-1), np.ones(20), 4e-16)


def test_small_turns_are_told_to_the_last_digit() -> None:
    s = BALL.system
    q = np.tile(s.neutral, (9, 1))
    step = np.zeros((9, s.nv))
    step[:, -3:] = np.outer(10.0 ** -np.arange(9), [0.5, -0.7, 0.2])
    found = s.difference(q, s.integrate(q, step))
    assert (np.abs(found - step) <= 8e-16 * np.abs(step).max(axis=1, keepdims=True)).all()


@pytest.mark.parametrize("short", [0.0, 1e-12, 1e-8, 1e-4])
def test_near_half_a_turn(short: float) -> None:
    s = BALL.system
    rng = np.random.default_rng(3)
    q, _, _ = BALL.state(rng, 30)
    axis = rng.normal(size=(30, 3))
    step = np.zeros((30, s.nv))
    step[:, -3:] = axis / np.linalg.norm(axis, axis=1, keepdims=True) * (np.pi - short)
    there = s.integrate(q, step)
    found = s.difference(q, there)
    near(np.linalg.norm(found[:, -3:], axis=1), np.full(30, np.pi - short), 1e-15)
    R = [geo.from_quaternion(s.integrate(q, x)[..., -4:]) for x in (step, found)]
    near(R[1], R[0], 2e-15)  # at π both ways round are as short
    if short > 1e-7:
        near(found, step, 1e-14)


def test_beyond_half_a_turn_the_short_way_is_taken() -> None:
    s = BALL.system
    step = np.zeros(s.nv)
    step[-3:] = [0.0, 0.0, 4.0]
    there = s.integrate(s.neutral, step)
    near(s.difference(s.neutral, there)[-3:], [0.0, 0.0, 4.0 - 2 * np.pi], 1e-15)


def test_a_quaternion_and_its_negative_are_one_posture() -> None:
    s = BALL.system
    q, _, _ = BALL.state(np.random.default_rng(4), 10)
    other = q.copy()
    other[:, -4:] *= -1.0
    near(s.difference(q, other), np.zeros((10, s.nv)), 1e-15, 1.0)
    near(s.poses(other), s.poses(q), 1e-15)


def test_a_turn_is_about_the_outer_axes() -> None:
    s = BALL.system
    q, v, _ = BALL.state(np.random.default_rng(5))
    v[0] = 0.0
    R0, R1 = (geo.from_quaternion(x[-4:]) for x in (q, s.integrate(q, v)))
    near(R1, R0 @ geo.from_rotvec(v[-3:]), 1e-14)


def test_length_stays_one_over_a_million_steps_worth_of_rounding() -> None:
    s = BALL.system
    q, v, _ = BALL.state(np.random.default_rng(6))
    for _ in range(3000):
        q = s.integrate(q, v * 0.01)
    assert abs(np.linalg.norm(q[-4:]) - 1.0) < 1e-15


def test_integrate_takes_batches_of_steps() -> None:
    s = MIXED.system
    q, _, _ = MIXED.state(np.random.default_rng(7))
    steps = np.random.default_rng(8).normal(size=(2, 3, s.nv))
    found = s.integrate(q, steps)
    assert found.shape == (2, 3, s.nq)
    near(found[1, 2], s.integrate(q, steps[1, 2]), 0.0)
    near(s.difference(q, found), steps, 1e-13)
