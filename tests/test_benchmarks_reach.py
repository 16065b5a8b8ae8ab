"""The benchmark of inverse kinematics compares like with like: every solver has the same arm and the same poses."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
reach = importlib.import_module("reach")


@pytest.mark.parametrize("name", ["ur5e", "puma-560"])
def test_the_urdf_is_the_same_arm(name: str) -> None:
    pin = pytest.importorskip("pinocchio")
    own = reach.arm(name)
    model = pin.buildModelFromXML(own.urdf())
    data, q = model.createData(), np.random.default_rng(1).uniform(own.low, own.high)
    pin.framesForwardKinematics(model, data, q)
    assert np.abs(data.oMf[model.getFrameId("tool")].homogeneous - own.machine.pose(own.target, q)).max() < 1e-14


def test_all_poses_are_reached_and_peers_agree() -> None:
    own = reach.arm("ur5e")
    X = own.poses(100)
    assert reach.shares_reached(own, X, reach.linkwork(own)(X)) == (1.0, 1.0)
    pytest.importorskip("pinocchio")
    few = X[:5]
    solve = reach.by_pinocchio(own, part=1.0, most=50, starts=100)
    assert reach.shares_reached(own, few, solve(few)) == (1.0, 1.0)
    assert reach.shares_reached(own, few, np.full((5, 6), np.nan)) == (0.0, 0.0)
