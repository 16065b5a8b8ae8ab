"""All solutions of serial chains as arrays: found again, exact, distinct, and as many as independent counts say."""

import numpy as np
import pytest
import solution_arms as arms

from linkwork.analyses.robots.solutions.elimination import ORDERS, Elimination, GeneralChain
from linkwork.analyses.robots.solutions.line_moments import line_vector, representation
from linkwork.analyses.robots.solutions.motions import displacement
from linkwork.analyses.robots.solutions.serial_chains import Joint
from linkwork.geometry.rotations import nearest_rotation

FAMILIES = {
    "puma": (arms.PUMA, "closed form", {8}),
    "ur5": (arms.UR5, "closed form", {2, 4, 6, 8}),
    "offset shoulder": (arms.OFFSET_SHOULDER, "closed form", {4, 8}),
    "offset wrist": (arms.OFFSET_WRIST, "elimination", set(range(2, 17, 2))),
    "stanford": (arms.STANFORD, "closed form", {8}),
    "gantry": (arms.GANTRY, "closed form", {2}),
    "five": (arms.FIVE, "closed form", {1}),
    "ur five": (arms.UR_FIVE, "closed form", {2}),
    "four": (arms.FOUR, "closed form", {1}),
    "scara": (arms.SCARA, "closed form", {2}),
    "planar": (arms.PLANAR, "closed form", {2}),
}


def check(joints: tuple[Joint, ...], count: int, seed: int) -> np.ndarray:
    """All that can be asserted of a family at random goals; the numbers of solutions."""
    some = arms.solver(joints)
    x, goals = arms.random_goals(joints, np.random.default_rng(seed), count)
    found = some(goals)
    assert (arms.gap_to(joints, found, x) < 1e-6).all()
    real = ~np.isnan(found.error)
    # The residual is worked out here, by another way than that of the solver.
    again = displacement(joints, np.nan_to_num(found.x))
    assert np.abs(again - goals[:, None]).max(axis=(2, 3))[real].max() < 1e-10
    assert arms.closest_pair(joints, found) > 1e-6
    return found.count


@pytest.mark.parametrize("name", FAMILIES)
def test_families_of_arms(name: str) -> None:
    joints, method, numbers = FAMILIES[name]
    assert arms.solver(joints).method == method
    assert set(check(joints, 200, 1).tolist()) <= numbers


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_families_of_arms_at_many_poses(name: str) -> None:
    joints, _, numbers = FAMILIES[name]
    assert set(check(joints, 10_000, 2).tolist()) <= numbers


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kinds", ["RRRRRR", "RRPRRR", "PRRRRR", "RRRRRP"])
def test_general_chains(kinds: str, seed: int) -> None:
    joints = arms.random_joints(np.random.default_rng(seed), kinds)
    assert arms.solver(joints).method == "elimination"
    numbers = check(joints, 60, seed)
    assert numbers.max() <= 16
    assert (numbers % 2 == 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_general_chains_at_many_poses(seed: int) -> None:
    joints = arms.random_joints(np.random.default_rng(100 + seed))
    numbers = check(joints, 10_000, seed)
    assert numbers.max() <= 16
    assert (numbers % 2 == 0).mean() > 0.999


@pytest.mark.parametrize("kinds", ["RRR", "RRP", "PRR", "PPR"])
@pytest.mark.parametrize("at_base", [False, True])
def test_random_arms_with_three_axes_that_meet(kinds: str, at_base: bool) -> None:
    joints = arms.wrist_partitioned(np.random.default_rng(4), kinds, at_base)
    assert check(joints, 60, 3).max() <= 8


@pytest.mark.slow
def test_random_arms_with_three_axes_that_meet_at_many_poses() -> None:
    for seed in range(3):
        assert check(arms.wrist_partitioned(np.random.default_rng(seed)), 10_000, seed).max() <= 8


@pytest.mark.parametrize("name", ["offset wrist", "random", "puma", "ur5"])
def test_as_many_as_from_thousands_of_random_starts(name: str) -> None:
    joints = arms.random_joints(np.random.default_rng(8)) if name == "random" else FAMILIES[name][0]
    some = arms.solver(joints)
    _, goals = arms.random_goals(joints, np.random.default_rng(5), 2)
    found = some(goals)
    for k in range(2):
        assert len(arms.from_many_starts(some, goals[k], 1500)) == found.count[k]


def test_closed_forms_and_elimination_agree() -> None:
    """Two ways that share nothing but the screws."""
    for joints in (arms.PUMA, arms.UR5, arms.OFFSET_SHOULDER):
        some = arms.solver(joints)
        _, goals = arms.random_goals(joints, np.random.default_rng(6), 100)
        direct, other = some(goals), some._eliminated(goals)
        assert (direct.count == other.count).all()
        for k in range(100):
            for x in direct.x[k, : direct.count[k]]:
                gap = np.abs(np.angle(np.exp(1j * (other.x[k, : other.count[k]] - x)))).max(axis=1)
                assert gap.min() < 1e-7


def test_every_order_of_elimination_finds_the_same_number() -> None:
    joints = arms.random_joints(np.random.default_rng(12))
    _, goals = arms.random_goals(joints, np.random.default_rng(7), 20)
    some = arms.solver(joints)
    numbers = []
    for order in ORDERS:
        candidates = Elimination(joints, order).candidates(goals)
        rows = some.__class__(some.problem)._checked(candidates, goals)
        numbers.append(some._gathered(20, rows, np.zeros((20, 6)), np.zeros(20), np.ones(20, bool)).count)
    assert all((n == numbers[0]).all() for n in numbers)


def test_lines_move_linearly() -> None:
    """The fifteen numbers of a moved line are the matrix of the motion times those of the line."""
    rng = np.random.default_rng(9)
    joints = arms.random_joints(rng, "RPRRPR")
    for _ in range(20):
        X = displacement(joints, rng.normal(size=6))
        l, p = rng.normal(size=3), rng.normal(size=3)  # noqa: E741
        moved = line_vector(X[:3, :3] @ l, X[:3, :3] @ p + X[:3, 3])
        assert np.abs(representation(X) @ line_vector(l, p) - moved).max() < 1e-12
    X, Y = displacement(joints, rng.normal(size=6)), displacement(joints, rng.normal(size=6))
    assert np.abs(representation(X @ Y) - representation(X) @ representation(Y)).max() < 1e-11


def test_half_turns_and_solutions_at_infinity_of_the_half_angle() -> None:
    """Goals made by postures with angles of exactly half a turn in any joint."""
    joints = arms.random_joints(np.random.default_rng(13))
    some = arms.solver(joints)
    rng = np.random.default_rng(14)
    for k in range(6):
        x = rng.uniform(-3, 3, (4, 6))
        x[:, k] = np.pi
        found = some(displacement(joints, x))
        assert (arms.gap_to(joints, found, x) < 1e-7).all()


def test_chains_that_no_elimination_serves_are_searched_and_say_so() -> None:
    """Two slides three joints apart make every order singular."""
    joints = arms.random_joints(np.random.default_rng(15), "PRRPRR")
    assert GeneralChain(joints).ordered == []
    some = arms.solver(joints)
    x, goals = arms.random_goals(joints, np.random.default_rng(16), 2)
    found = some(goals)
    assert some.method == "search"
    assert not found.sure.any()
    assert (arms.gap_to(joints, found, x) < 1e-6).all()


def manseur_and_doty() -> tuple[tuple[Joint, ...], np.ndarray]:
    """The arm of Manseur and Doty (1989), the first known with sixteen real solutions, and its goal, to six digits.

    The numbers are those that the literature quotes; that they are right is seen by what they give.
    """
    alpha = np.deg2rad([90.0, 1.0, 90.0, 1.0, 90.0, 1.0]).tolist()
    a, d = [0.3, 1.0, 0.0, 1.5, 0.0, 0.0], [0.0, 0.0, 0.2, 0.0, 0.0, 0.0]
    joints, X = arms.dh(alpha, a, d), np.eye(4)
    for k in range(6):
        c, s = np.cos(alpha[k]), np.sin(alpha[k])
        X = X @ np.array([[1, 0, 0, a[k]], [0, c, -s, 0], [0, s, c, d[k]], [0, 0, 0, 1.0]])
    T = np.eye(4)
    T[:3, :3] = [[-0.760117, -0.641689, 0.102262], [0.133333, 0.0, 0.991071], [-0.635959, 0.766965, 0.085558]]
    T[:3, :3] = nearest_rotation(T[:3, :3])[0]
    T[:3, 3] = (-1.140175, 0.0, 0.0)
    return joints, T @ np.linalg.inv(X)


def test_sixteen_real_solutions() -> None:
    joints, goal = manseur_and_doty()
    some = arms.solver(joints)
    found = some(goal[None])
    assert found.count.tolist() == [16] and found.sure.all()
    assert np.abs(displacement(joints, found.x[0]) - goal).max() < 1e-10
    assert arms.closest_pair(joints, found) > 0.05
    assert len(arms.from_many_starts(some, goal, 1500)) == 16
    x, goals = arms.random_goals(joints, np.random.default_rng(1), 300)
    several = some(goals)
    assert (arms.gap_to(joints, several, x) < 1e-6).all() and several.count.max() == 16
