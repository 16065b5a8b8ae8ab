"""Inverse kinematics of arms: rate and success on the same random reachable poses, beside Pinocchio and others.

    python benchmarks/reach.py [--poses 10000] [--slow 300] [--arms ur5e puma-560] [--json FILE]

Poses are those of random postures within the joints' limits; every solver starts at the middle of the limits and may
begin again at random ones. All get the same arm as a chain of axes taken from Linkwork's model (URDF, or elementary
transforms). A pose counts as reached when Linkwork's forward kinematics of the answer is within 1e-10 of it [m, entries
of the matrix]; joint limits count for Linkwork, TRAC-IK and the toolbox, which know them, and not for Pinocchio's
loops. CPU time of one pinned core; solvers that are slow get the first `--slow` poses.

    pinocchio            the loop of its documentation: damped steps of a tenth (1e-10 instead of 1e-4, 1,000 steps)
    pinocchio, full      the same with full steps, 50 at most, and up to 100 random starts
    toolbox, python/C++  roboticstoolbox ikine_LM and ik_LM (Chan), its own restarts
    pytracik             TRAC-IK, SolveType Speed, 5 ms at most
    ikpy                 least squares of scipy on the full pose
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linkwork as lw
from kernels import about, one_core
from linkwork.analyses.kinematics.joint_limits import joint_limits
from linkwork.geometry.rotations import to_rpy

Array = NDArray[np.float64]
TARGETS = {"ur5e": "tool", "puma-560": "tool", "puma-560-craig": "wrist", "stanford-arm": "tool"}
REACHED, NEAR = 1e-10, 1e-5
STARTS = 100


@dataclass(frozen=True)
class Arm:
    """An arm as axes at the zero posture: points on them, directions, the pose of the tool; limits; and its machine."""

    name: str
    target: str
    machine: lw.Machine
    points: Array
    axes: Array
    tool: Array
    low: Array
    high: Array

    def poses(self, count: int, seed: int = 0) -> Array:
        """Poses of random postures within the limits."""
        rng = np.random.default_rng(seed)
        q: Array = self.machine.pose(self.target, rng.uniform(self.low, self.high, (count, len(self.low))))
        return q

    def urdf(self) -> str:
        """The chain as a URDF, with frames along the world's axes at the zero posture."""
        parts = ['<robot name="arm"><link name="base"/>']
        before, at = "base", np.zeros(3)
        for k, (point, axis) in enumerate(zip(self.points, self.axes, strict=True)):
            own = f"link{k}"
            low, high = _words(self.low[k : k + 1]), _words(self.high[k : k + 1])
            limit = f'<limit lower="{low}" upper="{high}" effort="1" velocity="1"/>'
            parts.append(
                f'<link name="{own}"/><joint name="j{k}" type="revolute"><parent link="{before}"/><child link="{own}"/>'
                f'<origin xyz="{_words(point - at)}" rpy="0 0 0"/><axis xyz="{_words(axis)}"/>{limit}</joint>'
            )
            before, at = own, point
        rpy = np.asarray(to_rpy(self.tool[:3, :3]).values)
        parts.append(
            f'<link name="tool"/><joint name="tip" type="fixed"><parent link="{before}"/><child link="tool"/>'
            f'<origin xyz="{_words(self.tool[:3, 3] - at)}" rpy="{_words(rpy)}"/></joint></robot>'
        )
        return "".join(parts)


def _words(x: Array) -> str:
    return " ".join(repr(float(v)) for v in x)


def arm(name: str) -> Arm:
    """One of the gallery's arms with six revolutes."""
    plain, target = lw.example(name).assemble(), TARGETS[name]
    if target not in [*plain.mechanism.frames, *plain.mechanism.points, *plain.bodies]:
        target = plain.bodies[-1]
    zero = np.zeros(plain.nq)
    tool = plain.pose(target, zero)
    J = plain.jacobian(target, zero)
    axes = J[3:].T
    points = tool[:3, 3] + np.cross(axes, J[:3].T)
    low, high = np.full(plain.nq, -np.pi), np.full(plain.nq, np.pi)
    for limit in joint_limits(plain.loops):
        low[limit.place], high[limit.place] = limit.low, limit.high
    # Whole turns tell no postures apart; from plus and minus a turn TRAC-IK and the toolbox would gain nothing.
    low, high = np.maximum(low, -np.pi), np.where(low < -np.pi, np.minimum(high, np.pi), high)
    middle = dict(zip(plain.coordinates, 0.5 * (low + high), strict=True))
    return Arm(name, target, plain.starting_from(plain.at(middle)), points, axes, tool, low, high)


Solver = Callable[[Array], Array]
"""Joint angles (poses, n) of poses (poses, 4, 4), nan where it says that it failed."""


def linkwork(own: Arm) -> Solver:
    """All poses at once, on one core."""
    return lambda X: np.asarray(own.machine.reach_many(own.target, X, threads=1).q)


def by_pinocchio(own: Arm, part: float, most: int, starts: int) -> Solver:
    """Its documented loop; `part` of each step is taken."""
    import pinocchio as pin

    model = pin.buildModelFromXML(own.urdf())
    data, tip = model.createData(), model.getFrameId("tool")
    middle, damp = 0.5 * (own.low + own.high), 1e-12
    rng = np.random.default_rng(2)

    def solve(X: Array) -> Array:
        found = np.full((len(X), model.nq), np.nan)
        for row, T in zip(found, X, strict=True):
            wanted = pin.SE3(T)
            for start in range(starts):
                q = middle.copy() if start == 0 else rng.uniform(own.low, own.high)
                for _ in range(most):
                    pin.framesForwardKinematics(model, data, q)
                    error = data.oMf[tip].actInv(wanted)
                    e = pin.log6(error).vector
                    if np.linalg.norm(e) < 0.5 * REACHED:
                        row[:] = q
                        break
                    J = pin.computeFrameJacobian(model, data, q, tip)
                    J = -pin.Jlog6(error.inverse()) @ J
                    q = q - part * J.T @ np.linalg.solve(J @ J.T + damp * np.eye(6), e)
                if np.isfinite(row).all():
                    break
        return found

    return solve


def by_toolbox(own: Arm, compiled: bool) -> Solver:
    """roboticstoolbox: Levenberg-Marquardt by Chan, in Python or in C++."""
    from roboticstoolbox import ET, ETS
    from spatialmath import SE3

    parts, before = [], np.eye(4)
    for k, (point, axis) in enumerate(zip(own.points, own.axes, strict=True)):
        other = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        other /= np.linalg.norm(other)
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = np.stack([other, np.cross(axis, other), axis], axis=1), point
        parts += [ET.SE3(SE3(np.linalg.inv(before) @ frame, check=False)), ET.Rz(qlim=[own.low[k], own.high[k]])]
        before = frame
    chain = ETS([*parts, ET.SE3(SE3(np.linalg.inv(before) @ own.tool, check=False))])
    options: dict[str, Any] = {"ilimit": 30, "slimit": STARTS, "tol": 1e-21, "joint_limits": True}

    def solve(X: Array) -> Array:
        found = np.full((len(X), len(own.low)), np.nan)
        for row, T in zip(found, X, strict=True):
            answer = chain.ik_LM(T, **options) if compiled else chain.ikine_LM(T, **options)
            q, good = np.ravel(answer.q), np.all(answer.success)
            if good:
                row[:] = q
        return found

    return solve


def by_tracik(own: Arm) -> Solver:
    """TRAC-IK through pytracik, from the middle of the limits."""
    from trac_ik import TracIK

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arm.urdf"
        file.write_text(own.urdf(), encoding="utf-8")
        solver = TracIK("base", "tool", str(file), timeout=0.005, epsilon=REACHED / 2, solver_type="Speed")
    middle = 0.5 * (own.low + own.high)

    def solve(X: Array) -> Array:
        found = np.full((len(X), len(own.low)), np.nan)
        for row, T in zip(found, X, strict=True):
            q = solver.ik(T[:3, 3], T[:3, :3], middle)
            if q is not None:
                row[:] = q
        return found

    return solve


def by_ikpy(own: Arm) -> Solver:
    """ikpy: least squares on place and attitude."""
    from ikpy.chain import Chain

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arm.urdf"
        file.write_text(own.urdf(), encoding="utf-8")
        active = [False, *[True] * len(own.low), False]
        chain = Chain.from_urdf_file(str(file), base_elements=["base"], active_links_mask=active)
    middle = np.concatenate([[0.0], 0.5 * (own.low + own.high), [0.0]])

    def solve(X: Array) -> Array:
        rows = [chain.inverse_kinematics_frame(T, middle, orientation_mode="all")[1:-1] for T in X]
        return np.array(rows)

    return solve


@dataclass(frozen=True)
class Row:
    """A solver on an arm: poses asked, shares reached to 1e-10 and to 1e-5, microseconds of CPU time a pose."""

    arm: str
    solver: str
    poses: int
    reached: float
    near: float
    microseconds: float
    ratio: float = float("nan")


SOLVERS: dict[str, tuple[Callable[[Arm], Solver], bool]] = {
    "linkwork": (linkwork, False),
    "pinocchio": (partial(by_pinocchio, part=0.1, most=1000, starts=1), True),
    "pinocchio, full": (partial(by_pinocchio, part=1.0, most=50, starts=STARTS), True),
    "toolbox, C++": (partial(by_toolbox, compiled=True), False),
    "toolbox, python": (partial(by_toolbox, compiled=False), True),
    "pytracik": (by_tracik, False),
    "ikpy": (by_ikpy, True),
}
"""By name: what makes it, and whether it is so slow that it gets fewer poses."""


def shares_reached(own: Arm, X: Array, q: Array) -> tuple[float, float]:
    """Shares of poses whose forward kinematics comes back to 1e-10, and to 1e-5."""
    good = np.isfinite(q).all(axis=1)
    error = np.full(len(X), np.inf)
    error[good] = np.abs(own.machine.pose(own.target, q[good]) - X[good]).max(axis=(1, 2))
    return float((error < REACHED).mean()), float((error < NEAR).mean())


def measured(own: Arm, poses: int, slow: int) -> list[Row]:
    """Every solver that is installed on one arm."""
    X, rows = own.poses(poses), []
    for name, (make, is_slow) in SOLVERS.items():
        try:
            solve = make(own)
        except ImportError as error:
            print(f"  {name} is left out: {error}")
            continue
        asked = X[: min(slow, poses)] if is_slow else X
        solve(asked[: min(10, len(asked))])  # compiled, warm
        if name == "linkwork":
            solve(asked)
        began = time.process_time()
        q = solve(asked)
        took = (time.process_time() - began) / len(asked) * 1e6
        first = rows[0].microseconds if rows else took
        rows.append(Row(own.name, name, len(asked), *shares_reached(own, asked, q), took, took / first))
        told = f"{rows[-1].reached:8.2%} ({rows[-1].near:.2%} to 1e-5) of {len(asked):6}"
        print(f"  {name:18} {told} {took:12.1f} us {took / first:10.1f} times")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--poses", type=int, default=10_000)
    parser.add_argument("--slow", type=int, default=300)
    parser.add_argument("--arms", nargs="+", default=["ur5e", "puma-560"], choices=sorted(TARGETS))
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    rows = []
    with one_core():
        for name in asked.arms:
            print(name)
            rows += measured(arm(name), asked.poses, asked.slow)
    if asked.json:
        asked.json.write_text(json.dumps({"about": about(), "rows": [asdict(r) for r in rows]}, indent=1))


if __name__ == "__main__":
    main()
