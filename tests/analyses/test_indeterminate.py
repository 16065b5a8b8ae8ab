"""What loops leave open, component by component and posture by posture, against ranks in maximal coordinates."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from maximal import Instant, idle, inverse

import linkwork as lw
from linkwork.analyses.forces.trajectory import trajectory_of

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from balances import near  # noqa: E402
from overconstrained import KINDS, overconstrained  # noqa: E402

Array = np.ndarray
COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")
FEW = len(KINDS)
SEEDS = [*range(FEW), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(FEW, 400))]
REACHES = (0.6, 0.2, 0.05)
TOL = 1e-9
FRAMES = ("second", "first", "world", "askew")


def told(run: lw.Run, joint: str) -> Array:
    """Force and moment (samples, 6); not a number where open."""
    return np.concatenate([run[joint].force.values, run[joint].moment.values], axis=1)


def turned(now: Instant, joint: str, X: Array) -> Array:
    """6 x 6 from [f; n / size] at a joint's own frame to those about another frame, along its axes."""
    X_WM = now.X_WM[joint]
    R = X[:3, :3].T @ X_WM[:3, :3]
    a = X[:3, :3].T @ (X_WM[:3, 3] - X[:3, 3]) / now.size
    lever = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.block([[R, np.zeros((3, 3))], [lever @ R, R]])


def frame_of(now: Instant, machine: lw.Machine, joint: str, frame: str) -> Array:
    """Pose of a frame by what may be asked for."""
    own = now.X_WM[joint]
    if frame == "second":
        return own
    if frame == "world":
        return np.block([[np.eye(3), own[:3, 3:]], [np.zeros((1, 3)), np.ones((1, 1))]])
    if frame == "first":
        j = next(j for j in now.joints if j.name == joint)
        return now.X[j.tail] @ j.X_TF
    record = machine.mechanism.frames[frame]
    return now.X[record.body] @ np.linalg.inv(machine.layout.X_WB[record.body]) @ machine.layout.frames[frame]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_component_of_every_posture(seed: int) -> None:
    """Nothing determinate is withheld, nothing open is told, along any axes; what is told is right."""
    case = overconstrained(seed)
    s = case.machine
    motion = next(run for reach in REACHES if (run := case.motion(reach, 5)).status == "complete")
    run = s.forces(motion)
    path = trajectory_of(s.loops, motion)
    drivers = [n for n in s.variable_rates if n in run.driven]
    opened = 0
    for k in range(len(motion)):
        now = Instant(s, path.y[k], path.w[k], float(path.t[k]))
        free, answer = idle(s, path.y[k]), inverse(s, path.y[k], path.w[k], path.dw[k], drivers, float(path.t[k]))
        unit = np.array([1.0] * 3 + [now.size] * 3)
        largest = max(float(np.abs(w / unit).max()) for w in answer.wrenches.values())
        for joint in s.mechanism.joints:
            for frame in FRAMES:
                T = turned(now, joint, frame_of(now, s, joint, frame))
                open_ = np.linalg.norm(T @ free[joint], axis=1) > 1e-8
                six = (told(run, joint) if frame == "second" else s.reaction(run, joint, frame))[k]
                np.testing.assert_array_equal(np.isnan(six), open_, f"{joint} in {frame} at sample {k}")
                right = T @ (answer.wrenches[joint] / unit)
                near((six / unit)[~open_], right[~open_], TOL, largest, f"{joint} in {frame}")
                opened += int(open_.sum())
    assert opened
    for joint in s.mechanism.joints:
        ever = np.isnan(told(run, joint)).any(axis=0)
        assert run.indeterminate.get(joint, ()) == tuple(c for c, o in zip(COMPONENTS, ever, strict=True) if o)


def guide() -> lw.Machine:
    """Sarrus: two legs of three parallel hinges, whose frames stand along the world's axes in the layout."""
    m = lw.Mechanism("guide", gravity=(0, 0, -9.81))
    for body in ("a", "b", "c", "d", "table"):
        m.body(body, mass=1.0, com=(0.1, 0.05, 0.5), inertia=(0.01, 0.02, 0.015))
    for name, first, second, at in (("A", "ground", "a", 0.0), ("B", "a", "b", 0.5), ("C", "b", "table", 1.0)):
        m.revolute(name, first, second, at=(1.6 if at == 0.5 else 1.0, 0, at), axis="y")
    for name, first, second, at in (("D", "ground", "c", 0.0), ("E", "c", "d", 0.5), ("F", "d", "table", 1.0)):
        m.revolute(name, first, second, at=(0, 1.6 if at == 0.5 else 1.0, at), axis="x")
    return m.assemble()


def test_open_at_some_samples_only() -> None:
    """Only the twist about the vertical is open; hinges that tilt see it along two axes, upright ones along one."""
    s = guide()
    run = s.forces(s.motion(A=lw.ramp(0, 0.5, speed=1.0), samples=7))
    counts = {j: np.isnan(told(run, j)).sum(axis=0) for j in s.mechanism.joints}
    for joint, count in counts.items():
        assert sorted(count) == [0, 0, 0, 0, 0 if joint in "CF" else 6, 7], joint
    for joint in s.mechanism.joints:
        assert np.isnan(s.reaction(run, joint, "world")).sum(axis=0).tolist() == [0, 0, 0, 0, 0, 7]
    path = trajectory_of(s.loops, run)
    there = inverse(s, path.y[0], path.w[0], path.dw[0], ["A.angle"])
    known = ~there.indeterminate["A"]
    near(told(run, "A")[0][known], there.wrenches["A"][known], 1e-12, 100.0)


def test_a_component_that_is_open_at_some_samples(tmp_path: Path) -> None:
    """It is a signal, NaN where it is open; files and parts of the run keep that."""
    s = guide()
    run = s.forces(s.motion(A=lw.ramp(0, 0.5, speed=1.0), samples=7))
    (name,) = (c for c, count in zip(COMPONENTS, np.isnan(told(run, "A")).sum(axis=0), strict=True) if count == 6)
    (other,) = (c for c, count in zip(COMPONENTS, np.isnan(told(run, "A")).sum(axis=0), strict=True) if count == 7)
    assert run.indeterminate["A"] == tuple(sorted([name, other]))
    own = run[f"A.{name}"]
    assert np.isfinite(own.values).tolist() == [True] + [False] * 6 and own.indeterminate == (name,)
    assert f"A.{name}" not in run.signals and f"A.moment.{name[1]}" in run.signals
    with pytest.raises(lw.ModelError, match=f"{other} of A is statically indeterminate"):
        run[f"A.{other}"]
    for file in ("run.nc", "run.csv"):
        run.save(tmp_path / file)
        again = lw.load_run(tmp_path / file)
        np.testing.assert_array_equal(again[f"A.{name}"].values, own.values)
        assert again.indeterminate == run.indeterminate
    assert run.warnings == ()
    frames = s.reaction(run, "A", "first")
    np.testing.assert_array_equal(np.isnan(frames[0]), np.isnan(told(run, "A")[0]))
