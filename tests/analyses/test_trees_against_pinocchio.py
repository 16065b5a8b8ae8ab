"""Motions of open trees, against Pinocchio: positions, velocities and accelerations of bodies, points and frames."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from laws import CASES  # noqa: E402
from random_trees import grow_tree  # noqa: E402

pin = pytest.importorskip("pinocchio")
from pinocchio_twin import SHARED, Twin  # noqa: E402

PLAIN = [c.name for c in CASES if c.law.kind in SHARED and c.law.kind not in ("spheric", "free")]
TURNING = [c.name for c in CASES if c.law.kind in SHARED]
TIMES = np.linspace(0.0, 1.5, 7)


def driven(s: lw.Machine, rng: np.random.Generator) -> dict[str, Any]:
    """Harmonic laws of all plain variables; joints that turn freely stand as they are in the layout."""
    laws: dict[str, Any] = {}
    for name, value in zip(s.coordinates, s.home.q, strict=True):
        if name in s.rates:
            laws[name] = lw.harmonic(
                float(value), rng.uniform(0.1, 0.5), speed=rng.uniform(0.5, 2.0), phase=rng.uniform(0, 3)
            )
    return laws


@pytest.mark.parametrize("seed", range(6))
def test_motion_of_open_trees(seed: int) -> None:
    kinds = PLAIN if seed % 2 else TURNING
    grown = grow_tree(300 + seed, kinds, bodies=4 + seed, aligned=seed == 3, floating=seed % 3 % 2)
    s = grown.mechanism.assemble()
    assert s.home.mobility == s.nv
    laws = driven(s, np.random.default_rng(seed))
    run = s.motion(laws, times=TIMES)
    assert run.status == "complete"
    twin = Twin(s)
    model, data = twin.model, twin.data
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    sampled = {n: law.sample(TIMES) for n, law in laws.items()}
    for k in range(len(TIMES)):
        q, v, a = s.home.q.copy(), np.zeros(s.nv), np.zeros(s.nv)
        for n, (x, dx, ddx, _) in sampled.items():
            q[s.coordinates.index(n)], v[s.rates.index(n)], a[s.rates.index(n)] = x[k], dx[k], ddx[k]
            assert float(run[n].data[k]) == x[k]
        qp, vp, ap, _ = twin.state(q, v, a)
        pin.forwardKinematics(model, data, qp, vp, ap)
        pin.updateFramePlacements(model, data)
        sample = run.isel(k)
        for name, frame in twin.frames.items():
            X = data.oMf[frame]
            V = pin.getFrameVelocity(model, data, frame, world).vector
            A = pin.getFrameClassicalAcceleration(model, data, frame, world).vector
            # Sums of products of a dozen poses of metres: 1e-14; speeds and accelerations reach some hundreds.
            np.testing.assert_allclose(sample[f"{name}.position"], X.translation, rtol=0.0, atol=1e-12)
            np.testing.assert_allclose(sample[f"{name}.velocity"], V[:3], rtol=1e-10, atol=1e-11)
            np.testing.assert_allclose(sample[f"{name}.acceleration"], A[:3], rtol=1e-10, atol=1e-10)
            if name in grown.mechanism.points:
                continue
            np.testing.assert_allclose(sample[f"{name}.rotation"], X.rotation, rtol=0.0, atol=1e-13)
            np.testing.assert_allclose(sample[f"{name}.angular_velocity"], V[3:], rtol=1e-10, atol=1e-11)
            np.testing.assert_allclose(sample[f"{name}.angular_acceleration"], A[3:], rtol=1e-10, atol=1e-10)


def test_postures_of_joints_that_turn_freely() -> None:
    """`at` with quaternions, and velocities with speeds along the axes of M."""
    for seed in (1, 2):
        grown = grow_tree(400 + seed, ["spheric", "free", "universal"], bodies=4, massless=False)
        s = grown.mechanism.assemble()
        q, v, a = grown.state(np.random.default_rng(seed))
        values = dict(zip(s.coordinates, q, strict=True))
        joints = {n.split(".")[0] for n in s.coordinates}
        whole = {j: np.array([x for n, x in values.items() if n.split(".")[0] == j]) for j in joints}
        p = s.at(whole)
        np.testing.assert_allclose(p.q, q, rtol=0.0, atol=1e-15)
        twin = Twin(s)
        qp, vp, ap, _ = twin.state(q, v, a)
        pin.forwardKinematics(twin.model, twin.data, qp, vp, ap)
        pin.updateFramePlacements(twin.model, twin.data)
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        rates, accelerations = (dict(zip(s.rates, x, strict=True)) for x in (v, a))
        for body in s.bodies:
            frame = twin.frames[body]
            V = pin.getFrameVelocity(twin.model, twin.data, frame, world).vector
            A = pin.getFrameClassicalAcceleration(twin.model, twin.data, frame, world).vector
            np.testing.assert_allclose(p.pose(body), twin.data.oMf[frame].homogeneous, rtol=0.0, atol=1e-13)
            np.testing.assert_allclose(p.velocity(body, rates), V, rtol=0.0, atol=1e-11)
            np.testing.assert_allclose(p.acceleration(body, rates, accelerations), A, rtol=0.0, atol=1e-10)
