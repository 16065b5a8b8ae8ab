"""Every joint kind in both directions, and trees of all of them, without a peer: rates, balances, free bodies."""

from __future__ import annotations

import numpy as np
import pytest
from balances import (
    check_dynamics,
    check_free_bodies,
    check_kinematics,
    check_momentum,
    check_poses,
    near,
    rate,
    targets,
)
from forward import forward
from laws import CASES, NAMES, Case
from random_trees import BY_NAME, grow_tree, single_joint

import linkwork as lw

SIGNS = pytest.mark.parametrize("sign", [1, -1], ids=["along", "against"])


@SIGNS
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_a_joint_on_a_moving_base(case: Case, sign: int) -> None:
    grown = single_joint(case, sign)
    s = grown.system
    q, v, a = grown.state(np.random.default_rng(8), 3)
    check_poses(s, q)
    check_kinematics(s, q, v, a, ["T"])
    check_dynamics(s, q, v, a)
    check_free_bodies(s, q, v, a)
    check_momentum(s, q, v, a)


@SIGNS
@pytest.mark.parametrize("name", ["revolute", "prismatic", "helical", "universal", "free", "gear"])
def test_aligned_axes_fold_to_the_same_laws(name: str, sign: int) -> None:
    grown = single_joint(BY_NAME[name], sign, seed=9, aligned=True)
    q, v, a = grown.state(np.random.default_rng(8), 3)
    check_poses(grown.system, q)
    check_kinematics(grown.system, q, v, a, ["P"])
    check_dynamics(grown.system, q, v, a)
    check_free_bodies(grown.system, q, v, a)


@pytest.mark.parametrize("seed", range(5))
def test_trees_of_every_kind(seed: int) -> None:
    kinds = [NAMES[(5 * seed + k * 7) % len(NAMES)] for k in range(4)]
    grown = grow_tree(seed, kinds, bodies=4, aligned=seed % 2 == 1, floating=(0, 1, 0, 0, 1)[seed])
    s = grown.system
    q, v, a = grown.state(np.random.default_rng(seed), 2)
    check_poses(s, q)
    check_kinematics(s, q, v, a, targets(s)[-1:])
    check_dynamics(s, q, v, a)
    check_free_bodies(s, q, v, a)
    check_momentum(s, q, v, a)


@pytest.mark.parametrize("seed", range(4))
def test_poses_are_products_of_the_laws(seed: int) -> None:
    grown = grow_tree(seed, NAMES, bodies=9, aligned=seed % 2 == 0)
    s = grown.system
    q = grown.q(np.random.default_rng(seed))
    by_joint: dict[str, list[float]] = {}
    for name, x in zip(s.coordinates, q, strict=True):
        by_joint.setdefault(name.split(".")[0], []).append(float(x))
    expected = forward(grown.mechanism, by_joint)
    for body, X in zip(s.bodies, s.poses(q), strict=True):
        near(X, expected[body], 1e-12, what=body)


@pytest.mark.parametrize("seed", range(4))
def test_the_layout_posture_gives_the_layout(seed: int) -> None:
    grown = grow_tree(seed, NAMES, bodies=5, aligned=seed % 2 == 0, floating=seed % 3)
    s = grown.system
    q = s.posture()
    for body, X in zip(s.bodies, s.poses(q), strict=True):
        near(X, s.layout.X_WB[body], 1e-12, what=body)
    for point, at in s.layout.points.items():
        near(s.position(point, q), at, 1e-12, what=point)
        near(s.pose(point, q)[:3, :3], s.layout.X_WB[s.mechanism.points[point].body][:3, :3], 1e-12, what=point)
    for frame, X in s.layout.frames.items():
        near(s.pose(frame, q), X, 1e-12, what=frame)


def test_a_free_floating_tree_keeps_its_momentum() -> None:
    grown = grow_tree(3, ["revolute", "spheric", "universal", "gear"], bodies=5, floating=1, grounded=False)
    m = grown.mechanism
    m.gravity = (0.0, 0.0, 0.0)
    assert "ground" not in {j.tail for j in m.joints.values()} | {j.head for j in m.joints.values()}
    s = lw.System(m)
    q, v, _ = grown.state(np.random.default_rng(1), 2)
    tau = np.random.default_rng(2).normal(size=v.shape)
    tau[:, :6] = 0.0
    floating = s.tree_joints[0]
    assert s.rates[:6] == tuple(f"{floating}.{r}" for r in ("vx", "vy", "vz", "wx", "wy", "wz"))
    a = s.forward_dynamics(q, v, tau)
    change = rate(lambda t: s.momentum(s.integrate(q, v * t), v + a * t))
    near(change, np.zeros((2, 6)), 1e-9, s.momentum(q, v), "P' and L'")
