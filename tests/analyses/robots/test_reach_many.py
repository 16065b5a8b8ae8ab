"""Thousands of goals at once: forward kinematics of what was found is what was asked for, for arms, trees and loops."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork import goals
from linkwork.analyses.kinematics.joint_limits import joint_limits
from linkwork.geometry.rotations import from_rotvec

Array = np.ndarray
ARMS = {
    "puma-560-craig": "wrist",
    "puma-560": "link6",
    "stanford-arm": "tool",
    "ur5e": "tool",
    "panda": "tool",
    "iiwa14": "tool",
}


def reachable(s: lw.Machine, target: str, count: int, seed: int = 0) -> Array:
    """Poses of random postures within the limits."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (count, s.nq))
    for limit in joint_limits(s.loops):
        q[:, limit.place] = rng.uniform(limit.low, limit.high, count)
    return s.pose(target, q)


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ARMS)
def test_what_was_found_is_what_was_asked_for(name: str, count: int) -> None:
    s = lw.example(name).assemble()
    X = reachable(s, ARMS[name], count)
    found = s.reach_many(ARMS[name], X)
    assert found.converged.all() and found.residual.max() <= 1e-12
    assert np.abs(s.pose(ARMS[name], found.q) - X).max() < 1e-10
    for limit in joint_limits(s.loops):
        own = found.variables[:, limit.place]
        assert own.min() >= limit.low and own.max() <= limit.high
    assert not found.posture(0).beyond_limits


def test_threads_change_no_bit_and_single_questions_agree() -> None:
    s = lw.example("puma-560-craig").assemble()
    X = reachable(s, "wrist", 600)
    found, alone = s.reach_many("wrist", X), s.reach_many("wrist", X, threads=1)
    assert (found.variables == alone.variables).all() and (found.steps == alone.steps).all()
    single = s.reach("wrist", X[7], start=found.posture(7))
    assert np.abs(single.y - found.variables[7]).max() < 1e-9
    assert found.value("elbow")[7] == found.variables[7, 2] and "600 samples: 600 reached" in repr(found)


def test_goals_that_are_out_of_reach_are_flagged() -> None:
    s = lw.example("puma-560-craig").assemble()
    X = reachable(s, "wrist", 20)
    X[3, :3, 3] = (3.0, 0.0, 0.0)
    found = s.reach_many("wrist", X, restarts=5)
    assert np.flatnonzero(~found.converged).tolist() == [3]
    assert found.residual[3] > 0.5 and found.starts[3] == 6


@pytest.mark.parametrize("name", ["four-bar", "planar-3rpr", "excavator-arm", "slider-crank", "delta", "five-bar"])
def test_loops_are_closed(name: str) -> None:
    s = lw.example(name).assemble()
    target = next(iter([*s.mechanism.points, *s.mechanism.frames]))
    rng = np.random.default_rng(3)
    free = [n for n in s.home.independent if n in s.variables]
    places = []
    for _ in range(12):
        scale = [0.1 * s.layout.size if "slide" in n else 0.2 for n in free]
        try:
            there = s.at({n: s.home[n] + x * float(rng.uniform(-1, 1)) for n, x in zip(free, scale, strict=True)})
        except lw.ClosureError:
            continue
        places.append(there.position(target))
    found = s.reach_many(target, np.array(places))
    assert len(places) > 4 and found.converged.all()
    assert np.abs(s.position(target, found.q) - places).max() < 1e-10 * s.layout.size
    assert s.loops.residual(found.variables).max() < 1e-11


def test_six_legs_from_poses_of_the_platform() -> None:
    s = lw.example("stewart-platform").assemble()
    rng = np.random.default_rng(1)
    X = np.tile(s.home.pose("platform"), (100, 1, 1))
    X[:, :3, :3] = from_rotvec(0.3 * rng.uniform(-1, 1, (100, 3))) @ X[:, :3, :3]
    X[:, :3, 3] += 0.1 * rng.uniform(-1, 1, (100, 3))
    found = s.reach_many("platform", X)
    assert found.converged.all()
    for i in range(1, 7):
        base, seat = s.layout.seats[f"U{i}"].X_WF[:3, 3], s.layout.seats[f"S{i}"]
        own = (seat.X_TF if s.mechanism.joints[f"S{i}"].tail == "platform" else seat.X_HM)[:3, 3]
        lengths = np.linalg.norm(X[:, :3, :3] @ own + X[:, :3, 3] - base, axis=1)
        assert np.abs(found.value(f"P{i}") - lengths).max() < 1e-10


def test_a_scara_has_a_place_and_a_heading() -> None:
    s = lw.example("scara").assemble()
    X = reachable(s, "tool", 200)
    found = s.reach_many("tool", goals.place(X[:, :3, 3]), goals.pointing("x", X[:, :3, 0]))
    assert found.converged.all() and np.abs(s.pose("tool", found.q) - X).max() < 1e-10


def test_a_body_that_floats() -> None:
    s = lw.example("free-box").assemble()
    rng = np.random.default_rng(2)
    X = np.tile(np.eye(4), (50, 1, 1))
    X[:, :3, :3], X[:, :3, 3] = from_rotvec(rng.uniform(-3, 3, (50, 3))), rng.uniform(-2, 2, (50, 3))
    found = s.reach_many("box", X)
    assert found.converged.all() and np.abs(s.pose("box", found.q) - X).max() < 1e-10


def test_a_path_is_followed_without_jumps() -> None:
    s = lw.example("puma-560-craig").assemble(start={"shoulder": -0.6, "elbow": 0.4, "wrist_bend": 0.7})
    t = np.linspace(0, 2 * np.pi, 401)
    places = s.home.position("wrist") + 0.1 * np.stack([np.sin(t), 1 - np.cos(t), 0 * t], axis=1)
    R = s.home.pose("wrist")[:3, :3]
    found = s.reach_many("wrist", places, rotation=R, path=True)
    assert found.converged.all() and found.steps.mean() < 4
    assert np.abs(np.diff(found.variables, axis=0)).max() < 0.05
    X = s.pose("wrist", found.q)
    assert max(np.abs(X[:, :3, 3] - places).max(), np.abs(X[:, :3, :3] - R).max()) < 1e-11


def test_goals_of_several_kinds_by_sample() -> None:
    s = lw.example("puma-560-craig").assemble()
    X = reachable(s, "link6", 40, seed=5)
    flange = np.linspace(-1, 1, 40)
    place, along = goals.place(X[:, :3, 3]), goals.pointing("z", X[:, :3, 2])
    found = s.reach_many("link6", place, along, goals.joints(flange=flange))
    assert found.converged.all() and (found.value("flange") == flange).all()
    Y = s.pose("link6", found.q)
    assert max(np.abs(Y[:, :3, 3] - X[:, :3, 3]).max(), np.abs(Y[:, :3, 2] - X[:, :3, 2]).max()) < 1e-10
    # Several targets at once, one of them a place beside its origin, and the centre of mass.
    q = np.random.default_rng(6).uniform(-1.5, 1.5, (30, 6))
    at = np.array([0.1, -0.2, 0.05])
    X, com = s.pose("link3", q), s.centre_of_mass(q)
    beside = X[:, :3, 3] + X[:, :3, :3] @ at
    found = s.reach_many("link3", goals.place(beside, at=tuple(at)), hold=["wrist_bend", "wrist_roll", "flange"])
    Y = s.pose("link3", found.q)
    assert found.converged.all() and np.abs(Y[:, :3, 3] + Y[:, :3, :3] @ at - beside).max() < 1e-10
    found = s.reach_many("centre of mass", com)
    assert found.converged.all() and np.abs(s.centre_of_mass(found.q) - com).max() < 1e-10


def test_wrong_questions() -> None:
    s = lw.example("puma-560-craig").assemble()
    with pytest.raises(lw.InputError, match="by sample"):
        s.reach_many("wrist", (0.1, 0.2, 0.3))
    with pytest.raises(lw.InputError, match="single coordinates"):
        s.reach_many("wrist", goals.place((None, 0.1, 0.2)), rotation=np.tile(np.eye(3), (4, 1, 1)))
    with pytest.raises(lw.InputError, match="of 3 and of 4"):
        s.reach_many("wrist", np.zeros((4, 3)), rotation=np.tile(np.eye(3), (3, 1, 1)))
    with pytest.raises(lw.InputError, match="not finite"):
        s.reach_many("wrist", np.full((4, 3), np.nan))
