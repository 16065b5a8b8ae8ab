"""Inverse kinematics: against closed forms, against forward kinematics of random postures, and at the ends of reach."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.geometry import rot_x, rot_z

ARM = ("scara", "puma-560", "stanford-arm")
CLOSED = ("four-bar", "slider-crank", "theo-jansen-leg", "planar-3rpr", "stewart-platform", "excavator-arm", "rssr")


def two_links(first: float = 0.4, second: float = 0.3) -> lw.Machine:
    m = lw.Mechanism("two-links")
    m.body("upper")
    m.body("lower")
    m.revolute("A", "ground", "upper", at=(0, 0, 0), axis="z")
    m.revolute("B", "upper", "lower", at=(first, 0, 0), axis="z")
    m.point("P", "lower", at=(first + second, 0, 0))
    return m.assemble(start={"A": 0.3, "B": 0.5})


@pytest.mark.parametrize("goal", [(0.5, 0.2), (-0.3, 0.4), (0.1, -0.55), (0.15, 0.0)])
def test_two_links_as_the_law_of_cosines_says(goal: tuple[float, float]) -> None:
    found = two_links().reach("P", (*goal, 0.0))
    r2 = goal[0] ** 2 + goal[1] ** 2
    bend = math.acos((r2 - 0.4**2 - 0.3**2) / (2 * 0.4 * 0.3))
    assert abs(math.remainder(found["B"], 2 * math.pi)) == pytest.approx(bend, abs=1e-7)
    assert np.abs(found.position("P") - [*goal, 0.0]).max() < 1e-9


def test_out_of_reach_gives_the_nearest_posture() -> None:
    s = two_links()
    with pytest.raises(lw.CannotReach) as error:
        s.reach("P", (2.0, 1.0, 0.0))
    nearest = error.value.reached
    assert nearest is not None
    assert np.abs(nearest.position("P") - 0.7 * np.array([2.0, 1.0, 0.0]) / math.sqrt(5.0)).max() < 1e-4
    missing = math.sqrt(5.0) - 0.7
    assert f"{missing:.4g} m" in str(error.value.problem)
    with pytest.raises(lw.CannotReach):
        s.reach("P", (0.0, 0.0, 0.5))  # across the plane


@pytest.mark.parametrize("name", [*ARM, *CLOSED])
def test_what_forward_kinematics_reached_is_reached_again(name: str) -> None:
    """Random postures beside home; the target's place, loops closed to rounding."""
    s = lw.example(name).assemble()
    rng = np.random.default_rng(7)
    target = next(iter([*s.mechanism.points, *s.mechanism.frames, s.bodies[-1]]))
    plain = [n for n in s.home.independent if n in s.variables]
    goals = 0
    for _ in range(10):
        step = {
            n: 0.15 * float(rng.uniform(-1, 1)) * (s.layout.size / 3 if n.endswith("slide") else 1.0) for n in plain
        }
        try:
            goal = s.at({n: s.home[n] + x for n, x in step.items()}).position(target)
        except lw.ClosureError:
            continue
        found = s.reach(target, goal)
        assert np.abs(found.position(target) - goal).max() < 1e-8 * s.layout.size
        assert found.residual < 1e-10
        goals += 1
    assert goals >= 3


def test_a_pose_of_the_stewart_platform_has_one_set_of_legs() -> None:
    """The inverse is exact: leg lengths are distances between known joints."""
    s = lw.example("stewart-platform").assemble()
    wanted = s.home.pose("platform").copy()
    wanted[:3, :3] = wanted[:3, :3] @ rot_z(0.2)
    wanted[:3, 3] += [0.05, -0.03, 0.08]
    found = s.reach("platform", wanted[:3, 3], rotation=wanted[:3, :3])
    for i in range(1, 7):
        base = s.layout.seats[f"U{i}"].X_WF[:3, 3]
        seat = s.layout.seats[f"S{i}"]
        joint = s.mechanism.joints[f"S{i}"]
        own = (seat.X_TF if joint.tail == "platform" else seat.X_HM)[:3, 3]
        length = np.linalg.norm(wanted[:3, :3] @ own + wanted[:3, 3] - base)
        assert found[f"P{i}"] == pytest.approx(length, abs=1e-8)


def test_only_the_attitude_may_be_wanted() -> None:
    s = lw.example("puma-560").assemble()
    body = s.bodies[-1]
    wanted = s.home.pose(body)[:3, :3] @ rot_z(0.3)
    found = s.reach(body, rotation=wanted)
    assert np.abs(found.pose(body)[:3, :3] - wanted).max() < 1e-8


def test_wrong_questions_are_told() -> None:
    s = two_links()
    with pytest.raises(lw.ModelError, match="neither a place nor an attitude"):
        s.reach("P")
    with pytest.raises(lw.ModelError, match="3 numbers are wanted"):
        s.reach("P", (1.0, 2.0))
    with pytest.raises(lw.ModelError, match="finite"):
        s.reach("P", (math.nan, 0.0, 0.0))
    for wrong in (2 * np.eye(3), np.diag([1.0, 1.0, -1.0]), np.eye(2)):
        with pytest.raises(lw.ModelError, match="rotation matrix"):
            s.reach("lower", rotation=wrong)
    with pytest.raises(lw.CannotReach, match=r"0\.5 rad are missing"):
        s.reach("lower", rotation=rot_x(0.5))
    with pytest.raises(lw.ModelError, match="did you mean"):
        s.reach("PP", (0.1, 0.1, 0.0))
    stiff = lw.Mechanism("stiff")
    stiff.body("a")
    stiff.rigid("A", "ground", "a")
    stiff.point("Q", "a", at=(1, 0, 0))
    with pytest.raises(lw.NoFreedom):
        stiff.assemble().reach("Q", (0, 1, 0))
