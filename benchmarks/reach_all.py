"""All solutions of inverse kinematics, beside EAIK's C++: `python benchmarks/reach_all.py [--poses 5000]`.

Arms are given by the same Denavit-Hartenberg numbers. Before anything is timed, the posture that made each pose must be
found again. Times are CPU time, by turns in one run, the best of five rounds. EAIK (pip install eaik) is not needed for
Linkwork's own rows.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import time
from collections.abc import Callable
from functools import partial
from math import pi
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.analyses.robots.solutions.motions import displacement
from linkwork.analyses.robots.solutions.problems import Problem6
from linkwork.analyses.robots.solutions.serial_chains import Joint
from linkwork.analyses.robots.solutions.solver import Solver

Array = np.ndarray
H = pi / 2
ARMS = {
    "PUMA 560": ([H, 0, -H, H, -H, 0], [0, 0.4318, 0.0203, 0, 0, 0], [0.2, 0, 0.15005, 0.4318, 0, 0.05]),
    "shoulder offset": ([H, 0, -H, H, -H, 0], [0.15, 0.6, 0.1, 0, 0, 0], [0.4, 0, 0, 0.6, 0, 0.05]),
    "UR5": ([H, 0, 0, H, -H, 0], [0, -0.425, -0.39225, 0, 0, 0], [0.089159, 0, 0, 0.10915, 0.09465, 0.0823]),
}


def arm(name: str) -> lw.Machine:
    alpha, a, d = ARMS[name]
    m = lw.Mechanism("arm")
    rows = [{"joint": f"J{k}", "body": f"L{k}", "d": d[k], "a": a[k], "alpha": alpha[k]} for k in range(6)]
    m.dh_chain(rows)
    return m.assemble()


def best(work: Callable[[], object], rounds: int = 5) -> float:
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def one_by_one(call: Callable[[Array], object], items: Array) -> None:
    for x in items:
        call(x)


def wrist_partitioned(poses: int) -> None:
    peer: Any = importlib.import_module("eaik.IK_DH") if importlib.util.find_spec("eaik") else None
    rng = np.random.default_rng(1)
    print(f"{'[us a pose]':18}{'one at a time':>32}{'batch, one core':>32}")
    for name, numbers in ARMS.items():
        s = arm(name)
        q = rng.uniform(-pi, pi, (poses, 6))
        X = s.pose("L5", q)
        solve = s.branches("L5")
        for _ in range(60):  # until both ways are compiled
            one_by_one(solve, X[:500])
            found, error = solve(X, threads=1)
            time.sleep(0.05)  # that is done behind the scene
        gap = np.abs(np.angle(np.exp(1j * (found - q[:, None])))).max(axis=2).min(axis=1)
        assert (gap < 1e-6).all(), f"{name}: {(gap > 1e-6).sum()} postures are not found again"
        own = (error < 1e-9).sum(axis=1)
        ours = [best(partial(one_by_one, solve, X)) / poses, best(partial(solve, X, threads=1)) / poses]
        theirs = [np.nan, np.nan]
        counts = ""
        if peer is not None:
            other = peer.DhRobot(*(np.array(n) for n in numbers))
            T = np.array([other.fwdKin(x) for x in q])
            assert np.abs(T - X).max() < 1e-9
            others = np.array([sum(not ls for ls in other.IK(x).is_LS) for x in T[:500]])
            counts = f"as many as EAIK at {(others == own[:500]).mean():.1%} of 500 poses"
            theirs = [best(partial(one_by_one, other.IK, T)) / poses, best(partial(other.IK_batched, T, 1)) / poses]
        cells = [f"{o * 1e6:8.2f} EAIK {t * 1e6:7.2f} ({t / o:4.1f}x)" for o, t in zip(ours, theirs, strict=True)]
        print(f"{name:18}{cells[0]:>32}{cells[1]:>32}   {own.mean():.2f} solutions, {counts}, {solve.kernel.tier}")


def general(poses: int) -> None:
    rng = np.random.default_rng(2)
    axes = rng.normal(size=(6, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    points = rng.uniform(-1, 1, (6, 3))
    joints = tuple(Joint(f"J{k}", k, True, axes[k], points[k]) for k in range(6))
    solver = Solver(Problem6(joints, 6, np.array([0.3, 0.2, 0.5])))
    x = rng.uniform(-pi, pi, (poses, 6))
    goals = displacement(joints, x)
    for _ in range(3):
        found = solver(goals)
    gap = np.abs(np.angle(np.exp(1j * (found.x - x[:, None])))).max(axis=2)
    assert (np.where(np.isnan(gap), np.inf, gap).min(axis=1) < 1e-6).all()
    some = min(poses, 300)
    single = best(partial(one_by_one, solver, goals[:some])) / some
    batch = best(partial(solver, goals), 3) / poses
    number = f"{found.count.mean():.2f} solutions on average, {found.count.max()} at most"
    print(f"general 6R, {number}, error {np.nanmax(found.error):.1e}:")
    print(f"  one at a time {single * 1e6:.0f} us, {poses} together {batch * 1e6:.0f} us a pose")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--poses", type=int, default=5000)
    poses = parser.parse_args().poses
    wrist_partitioned(poses)
    general(min(poses, 2000))


if __name__ == "__main__":
    sys.exit(main())
