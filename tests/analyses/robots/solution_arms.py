"""Arms for tests of inverse kinematics: the usual families from Denavit-Hartenberg numbers, and random ones."""

import numpy as np

from linkwork.analyses.robots.solutions.motions import displacement
from linkwork.analyses.robots.solutions.problems import Problem6
from linkwork.analyses.robots.solutions.serial_chains import Joint
from linkwork.analyses.robots.solutions.solver import Found, Solver
from linkwork.geometry import Array

H = np.pi / 2


def dh(alpha: list[float], a: list[float], d: list[float], kinds: str = "RRRRRR") -> tuple[Joint, ...]:
    """Joints of a standard Denavit-Hartenberg table with all angles zero."""
    X = np.eye(4)
    joints = []
    for k, kind in enumerate(kinds):
        joints.append(Joint(f"J{k + 1}", k, kind == "R", X[:3, 2].copy(), X[:3, 3].copy()))
        c, s = np.cos(alpha[k]), np.sin(alpha[k])
        X = X @ np.array([[1, 0, 0, a[k]], [0, c, -s, 0], [0, s, c, d[k]], [0, 0, 0, 1.0]])
    return tuple(joints)


def random_joints(rng: np.random.Generator, kinds: str = "RRRRRR") -> tuple[Joint, ...]:
    axes = rng.normal(size=(len(kinds), 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    points = rng.uniform(-1.0, 1.0, (len(kinds), 3))
    return tuple(Joint(f"J{k + 1}", k, kind == "R", axes[k], points[k]) for k, kind in enumerate(kinds))


def wrist_partitioned(rng: np.random.Generator, kinds: str = "RRR", at_base: bool = False) -> tuple[Joint, ...]:
    """Random joints, the last (or the first) three of which meet in a point."""
    arm, centre = random_joints(rng, kinds), rng.uniform(-1.0, 1.0, 3)
    wrist = tuple(Joint(j.variable, k + 3, True, j.axis, centre) for k, j in enumerate(random_joints(rng, "RRR")))
    return (*wrist, *arm) if at_base else (*arm, *wrist)


PUMA = dh([H, 0, -H, H, -H, 0], [0, 0.4318, 0.0203, 0, 0, 0], [0.2, 0, 0.15, 0.4318, 0, 0.05])
UR5 = dh([H, 0, 0, H, -H, 0], [0, -0.425, -0.39225, 0, 0, 0], [0.089159, 0, 0, 0.10915, 0.09465, 0.0823])
OFFSET_SHOULDER = dh([H, 0, -H, H, -H, 0], [0.15, 0.6, 0.1, 0, 0, 0], [0.4, 0, 0, 0.6, 0, 0.05])
OFFSET_WRIST = dh([H, 0, -H, H, -H, 0], [0.15, 0.6, 0.1, 0, 0.1, 0], [0.4, 0, 0, 0.6, 0.05, 0.05])
STANFORD = dh([-H, H, 0, -H, H, 0], [0, 0, 0, 0, 0, 0], [0.5, 0.15, 0, 0, 0, 0.1], "RRPRRR")
GANTRY = (
    *(Joint(f"P{k}", k, False, np.eye(3)[k], np.zeros(3)) for k in range(3)),
    *PUMA[3:],
)
FIVE = PUMA[:5]
UR_FIVE = UR5[:5]
FOUR = OFFSET_SHOULDER[:4]
SCARA = (
    Joint("A", 0, True, np.array([0.0, 0, 1]), np.zeros(3)),
    Joint("B", 1, True, np.array([0.0, 0, 1]), np.array([0.4, 0, 0])),
    Joint("C", 2, False, np.array([0.0, 0, 1]), np.array([0.7, 0, 0])),
    Joint("D", 3, True, np.array([0.0, 0, 1]), np.array([0.7, 0, 0])),
)
PLANAR = (SCARA[0], SCARA[1], SCARA[3])


def solver(joints: tuple[Joint, ...]) -> Solver:
    return Solver(Problem6(joints, len(joints), np.array([0.3, 0.2, 0.5])))


def random_goals(joints: tuple[Joint, ...], rng: np.random.Generator, count: int) -> tuple[Array, Array]:
    """Postures and the goals that they make."""
    x = rng.uniform(-np.pi, np.pi, (count, len(joints))) * np.array([1.0 if j.turns else 0.3 for j in joints])
    return x, displacement(joints, x)


def gap_to(joints: tuple[Joint, ...], found: Found, x: Array) -> Array:
    """How far the nearest solution is from the posture that made each goal."""
    gap = found.x - x[:, None]
    turning = np.array([j.turns for j in joints])
    gap = np.where(turning, np.angle(np.exp(1j * gap)), gap)
    away = np.abs(gap).max(axis=2)
    return np.where(np.isnan(away), np.inf, away).min(axis=1, initial=np.inf)


def closest_pair(joints: tuple[Joint, ...], found: Found) -> float:
    """The smallest distance of two solutions of one goal."""
    turning, least = np.array([j.turns for j in joints]), np.inf
    for k in range(1, found.x.shape[1]):
        gap = np.abs(found.x[:, k : k + 1] - found.x[:, :k])
        gap = np.where(turning, np.minimum(gap, 2 * np.pi - gap), gap).max(axis=2)
        least = min(least, float(np.nanmin(gap, initial=np.inf)))
    return least


def from_many_starts(some: Solver, goal: Array, starts: int = 4000, seed: int = 1) -> Array:
    """Distinct solutions that damped least squares find from random starts: an independent count."""
    rows = some._search(goal, starts, seed)
    x = rows.x[rows.error < 1e-9]
    x = np.where(some.turning, np.angle(np.exp(1j * x)), x)
    distinct: list[Array] = []
    for one in x:
        gaps = [np.abs(np.where(some.turning, np.angle(np.exp(1j * (one - o))), one - o)).max() for o in distinct]
        if not gaps or min(gaps) > 1e-4:
            distinct.append(one)
    return np.array(distinct)
