"""All solutions of machines by name: the literature, limits, degenerate goals, sweeps, and what is told of each."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork import goals
from linkwork.units import deg

# (0.4, 0.9, 0.7, -0.6, 1.1, 2.0): the digest of Uicker, Ravani and Sheth, example 5.6 with h = 0.5 m, a = 0.15 m
STANFORD = [
    (0.4, 0.9, 0.7, -0.6, 1.1, 2.0),
    (0.4, 0.9, 0.7, 2.541593, -1.1, -1.141593),
    (0.4, -2.241593, -0.7, -2.541593, 2.041593, -1.141593),
    (0.4, -2.241593, -0.7, 0.6, -2.041593, 2.0),
    (-2.207542, -0.9, 0.7, 2.109428, 1.405728, 2.299258),
    (-2.207542, -0.9, 0.7, -1.032164, -1.405728, -0.842335),
    (-2.207542, 2.241593, -0.7, 1.032164, 1.735865, -0.842335),
    (-2.207542, 2.241593, -0.7, -2.109428, -1.735865, 2.299258),
]


def posture_of(s: lw.Machine, values: tuple[float, ...]) -> lw.Posture:
    return s.at(dict(zip(s.variables, values, strict=True)))


def test_the_eight_solutions_of_the_stanford_arm() -> None:
    s = lw.example("stanford-arm").assemble()
    X = posture_of(s, STANFORD[0]).pose("tool")
    found = s.reach("tool", X, all=True)
    assert found.complete and found.method == "closed form" and len(found) == 8
    wanted = np.array(STANFORD)
    rows = np.stack([found.values(n) for n in s.variables], axis=1)
    for one in wanted:
        assert np.abs(np.angle(np.exp(1j * (rows - one)))).max(axis=1).min() < 1e-6
    for p in found:
        assert np.abs(p.pose("tool") - X).max() < 1e-12
    assert len(found.within) == 4  # those with the slide on its right side
    assert found.excluded_by == {"J3.slide": 4, "J5.angle": 2}
    away = [n.away for n in found.notes if not n.outside]
    assert away == sorted(away)
    assert "8 solutions for 'tool', 4 within limits" in str(found)
    assert "J4, J5, J6" in found.reason


@pytest.mark.parametrize(
    ("name", "target", "most"),
    [("puma-560-craig", "link6", 8), ("ur5e", "tool", 8), ("scara", "tool", 2), ("stanford-arm", "tool", 8)],
)
def test_the_posture_that_made_a_pose_is_among_them(name: str, target: str, most: int) -> None:
    s = lw.example(name).assemble()
    rng = np.random.default_rng(3)
    for _ in range(4):
        y = rng.uniform(-2.5, 2.5, s.nq)
        p = s.at({n: float(x) for n, x in zip(s.variables, y, strict=True)})
        X = p.pose(target)
        found = s.reach(target, X, all=True, limits=False)
        assert found.complete and 1 < len(found) <= most
        rows = np.stack([found.values(n) for n in s.variables], axis=1)
        turns = np.array([not n.endswith("slide") for n in s.variables])
        gap = np.where(turns, np.angle(np.exp(1j * (rows - y))), rows - y)
        assert np.abs(gap).max(axis=1).min() < 1e-7
        assert max(np.abs(q.pose(target) - X).max() for q in found) < 1e-10


def test_an_angle_counts_its_turns_from_the_start_and_within_limits() -> None:
    s = lw.example("scara").assemble()  # D may turn from -360 to 360 deg
    X = s.home.pose("tool")
    plain = s.reach("tool", X, all=True)
    other = s.reach("tool", X, all=True, start=s.at(D=s.home["D"] - 2 * math.pi))
    assert plain[0]["D"] - other[0]["D"] == pytest.approx(2 * math.pi)


def test_two_links_in_a_plane_and_the_law_of_cosines() -> None:
    m = lw.Mechanism("two-links")
    m.body("upper")
    m.body("lower")
    m.revolute("A", "ground", "upper", at=(0, 0, 0), axis="z")
    m.revolute("B", "upper", "lower", at=(0.4, 0, 0), axis="z")
    m.point("P", "lower", at=(0.7, 0, 0))
    s = m.assemble(start={"A": 0.3, "B": 0.5})
    found = s.reach("P", (0.5, 0.2, 0.0), all=True)
    bend = math.acos((0.29 - 0.25) / 0.24)
    assert found.complete and sorted(found.values("B")) == pytest.approx([-bend, bend])
    assert [n.branch for n in found.notes] == ["B+", "B-"]
    stretched = s.reach("P", (0.7, 0.0, 0.0), all=True)
    assert len(stretched) == 1 and stretched.notes[0].singular and not stretched.notes[0].free
    with pytest.raises(lw.CannotReach) as error:
        s.reach("P", (2.0, 1.0, 0.0), all=True)
    missing = math.sqrt(5.0) - 0.7
    assert f"{missing:.4g} m" in str(error.value.problem)
    assert np.abs(error.value.reached.position("P") - 0.7 * np.array([2.0, 1.0, 0.0]) / math.sqrt(5.0)).max() < 1e-4
    none = s.reach("P", (2.0, 1.0, 0.0), all=True, nearest=True)
    assert len(none) == 0 and none.complete
    centre = s.reach("P", (0.1, 0.0, 0.0), all=True)
    assert len(centre) == 1 and abs(abs(centre[0]["B"]) - math.pi) < 1e-6


def test_a_continuum_names_the_joints_that_move() -> None:
    s = lw.example("puma-560-craig").assemble()
    p = s.at(waist=0.3, shoulder=-0.5, elbow=0.4, wrist_roll=0.2, wrist_bend=0.0, flange=0.5)
    found = s.reach("link6", p.pose("link6"), all=True)
    assert not found.complete and "wrist_roll" in found.reason
    own = [n for n in found.notes if n.free]
    assert own and all(set(n.free) == {"wrist_roll.angle", "flange.angle"} for n in own)
    assert "one of a curve along which" in str(found)
    # Shoulder singular: the wrist's centre above the first axis would need a reach that a PUMA's offset forbids; with a
    # gantry's column instead, the first axis moves with the wrist.
    m = lw.Mechanism("post")
    for name in ("post", "arm", "a", "b", "c"):
        m.body(name)
    m.revolute("J1", "ground", "post", at=(0, 0, 0), axis="z")
    m.prismatic("J2", "post", "arm", at=(0, 0, 0), axis="x")
    m.revolute("J4", "arm", "a", at=(0, 0, 1), axis="z")
    m.revolute("J5", "a", "b", at=(0, 0, 1), axis="x")
    m.revolute("J6", "b", "c", at=(0, 0, 1), axis="z")
    m.frame("tool", "c", at=(0, 0, 1.2))
    post = m.assemble()
    found = post.reach("tool", post.at(J1=0.2, J2=0.0, J4=0.4, J5=0.7, J6=0.1).pose("tool"), all=True)
    assert {v for n in found.notes for v in n.free} == {"J1.angle", "J4.angle"}


def test_four_parallel_axes_of_a_ur_are_a_continuum() -> None:
    """With the fourth wrist angle at zero the last axis is parallel to three others: a planar chain of four."""
    s = lw.example("ur5e").assemble()
    rng = np.random.default_rng(0)
    for _ in range(12):
        y = rng.uniform(-2.5, 2.5, 6)
        y[4] = 0.0
        X = s.pose("tool", y)
        found = s.reach("tool", X, all=True, limits=False)
        own = [n for n in found.notes if n.free]
        assert not found.complete and own and "wrist3" in found.reason
        assert all({"shoulder.angle", "elbow.angle", "wrist1.angle", "wrist3.angle"} == set(n.free) for n in own)
        assert max(np.abs(p.pose("tool") - X).max() for p in found) < 1e-10


def test_a_place_and_a_direction_with_five_joints() -> None:
    s = lw.example("puma-560-craig").assemble()
    p = s.at(waist=0.3, shoulder=-0.5, elbow=0.4, wrist_roll=0.3, wrist_bend=0.8, flange=0.0)
    z = p.pose("link6")[:3, 2]
    found = s.reach("link6", p.position("link6"), goals.pointing("z", z), hold="flange", all=True, start=p)
    assert found.complete and len(found) == 8
    for q in found:
        assert np.abs(q.position("link6") - p.position("link6")).max() < 1e-12
        assert np.abs(q.pose("link6")[:3, 2] - z).max() < 1e-12
    assert found[0]["wrist_bend"] == pytest.approx(0.8)


def test_a_seventh_joint_is_held_or_swept() -> None:
    s = lw.example("iiwa14").assemble()
    y = (0.3, 0.5, -0.4, -1.2, 0.6, 0.9, 0.2)
    X = posture_of(s, y).pose("tool")
    with pytest.raises(lw.ModelError, match=r"7 joints for a pose of 'tool': 1 freedom is left"):
        s.reach("tool", X, all=True)
    found = s.reach("tool", X, goals.joints(A3=-0.4), all=True)
    assert found.complete and len(found) == 8
    rows = np.stack([found.values(n) for n in s.variables], axis=1)
    assert np.abs(rows - np.array(y)).max(axis=1).min() < 1e-8
    swept = s.reach("tool", X, goals.joints(A3=np.linspace(-0.5, -0.3, 5)), all=True)
    curves = swept.curves()
    assert len(curves) == 8 and all(len(c) == 5 for c in curves)
    assert [n.at for n in curves[0].notes] == [0, 1, 2, 3, 4]
    assert max(np.abs(q.pose("tool") - X).max() for q in swept) < 1e-10
    assert swept.samples["A3.angle"].tolist() == pytest.approx(np.linspace(-0.5, -0.3, 5).tolist())


def test_limits_that_exclude_every_solution_are_named() -> None:
    m = lw.Mechanism("two-links")
    m.body("upper")
    m.body("lower")
    m.revolute("A", "ground", "upper", at=(0, 0, 0), axis="z")
    m.revolute("B", "upper", "lower", at=(0.4, 0, 0), axis="z", limits=(-10 * deg, 10 * deg))
    m.point("P", "lower", at=(0.7, 0, 0))
    found = m.assemble().reach("P", (0.5, 0.2, 0.0), all=True)
    assert len(found) == 2 and len(found.within) == 0
    assert found.excluded_by == {"B.angle": 2}
    assert "limits exclude every solution: B.angle (2 of 2)" in str(found)


def test_other_branches_do_not_take_part() -> None:
    """A tree with two arms: joints of the other one stay where they are."""
    m = lw.Mechanism("two-arms")
    for side, y in (("left", 0.5), ("right", -0.5)):
        m.body(f"{side}_upper")
        m.body(f"{side}_lower")
        m.revolute(f"{side}_A", "ground", f"{side}_upper", at=(0, y, 0), axis="z")
        m.revolute(f"{side}_B", f"{side}_upper", f"{side}_lower", at=(0.4, y, 0), axis="z")
        m.point(f"{side}_hand", f"{side}_lower", at=(0.7, y, 0))
    s = m.assemble(start={"right_A": 0.2})
    found = s.reach("left_hand", (0.5, 0.6, 0.0), all=True)
    assert found.variables == ("left_A.angle", "left_B.angle") and len(found) == 2
    assert all(p["right_A"] == pytest.approx(0.2) for p in found)


def test_wrong_questions_are_told() -> None:
    s = lw.example("puma-560-craig").assemble()
    with pytest.raises(lw.ModelError, match="whole place"):
        s.reach("link6", goals.place((None, 0.2, 0.3)), all=True)
    with pytest.raises(lw.ModelError, match="3 freedoms are left"):
        s.reach("link6", (0.4, 0.2, 0.3), all=True)
    with pytest.raises(lw.ModelError, match="`prefer` chooses"):
        s.reach("link6", s.home.pose("link6"), prefer="limits", all=True)


def test_results_are_sequences_of_postures_and_plain_data() -> None:
    s = lw.example("ur5e").assemble()
    found = s.reach("tool", s.at(base=0.3).pose("tool"), all=True)
    assert found["1"] is found[0] and isinstance(found[0], lw.Posture) and len(found[2:4]) == 2
    data = found.as_dict()
    assert data["complete"] and len(data["solutions"]) == len(found)
    assert repr(found).startswith("Solutions of tool: 8, closed form")
    with pytest.raises(lw.ModelError, match="solution"):
        found["nine"]


def test_a_delta_has_eight_ways_to_hold_its_platform() -> None:
    """Each arm turns about its axis until its knee is a rod's length from the platform's ball: two ways, by hand."""
    s = lw.example("delta").assemble()
    at = s.home.position("tool") + np.array([0.05, 0.02, -0.03])
    found = s.reach("tool", at, all=True)
    assert found.complete and len(found) == 8 and len(found.within) == 1
    base, hand, arm, rod = 0.2, 0.05, 0.3, 0.7
    for k in (1, 2, 3):
        a = math.radians(120 * k)
        out = at[:2] @ (math.cos(a), math.sin(a)) + hand - base  # of the ball, from the motor's axis
        aside = at[:2] @ (-math.sin(a), math.cos(a))
        # (out - arm cos q)² + aside² + (z + arm sin q)² = rod²
        c, d = (out**2 + aside**2 + at[2] ** 2 + arm**2 - rod**2) / (2 * arm), math.hypot(out, at[2])
        middle, half = math.atan2(-at[2], out), math.acos(c / d)
        wanted = sorted(np.angle(np.exp(1j * np.array([middle - half, middle + half]))))
        own = sorted(set(np.round(np.angle(np.exp(1j * found.values(f"A{k}"))), 9).tolist()))
        assert own == pytest.approx(wanted, abs=1e-8)
    for p in found:
        assert np.abs(p.position("tool") - at).max() < 1e-12 and p.residual < 1e-12


def test_the_legs_of_a_platform_are_distances() -> None:
    s = lw.example("stewart-platform").assemble()
    X = s.home.pose("platform").copy()
    X[:3, :3] = X[:3, :3] @ lw.geometry.rot_z(0.2)
    X[:3, 3] += (0.05, -0.03, 0.08)
    found = s.reach("platform", X, all=True)
    assert found.complete and len(found) == 1
    for i in range(1, 7):
        base = s.layout.seats[f"U{i}"].X_WF[:3, 3]
        seat, joint = s.layout.seats[f"S{i}"], s.mechanism.joints[f"S{i}"]
        own = (seat.X_TF if joint.tail == "platform" else seat.X_HM)[:3, 3]
        length = np.linalg.norm(X[:3, :3] @ own + X[:3, 3] - base)
        assert found[0][f"P{i}"] == pytest.approx(length, abs=1e-12)
    assert found[0].residual < 1e-12


def test_without_chain_and_legs_it_is_a_search_that_says_so() -> None:
    s = lw.example("five-bar").assemble()
    found = s.reach("tool", s.home.position("tool") + np.array([0.01, 0.02, 0.0]), all=True)
    assert not found.complete and found.method == "search" and "random starts" in found.reason
    assert len(found) == 4  # each crank on either side of the line to its rod's end
    s = lw.example("palletiser").assemble()
    with pytest.raises(lw.ModelError, match="1 freedom is left by a place of 'tool'"):
        s.reach("tool", s.home.position("tool"), all=True)


def test_a_screw_on_the_way_is_searched() -> None:
    """A nut that climbs as it turns: the place's height tells its turns, and the arm's own angle the rest."""
    m = lw.Mechanism("screw-arm")
    m.body("nut")
    m.body("arm")
    m.body("hand")
    m.helical("H", "ground", "nut", at=(0, 0, 0), axis="z", lead=0.1)
    m.revolute("B", "nut", "arm", at=(0.4, 0, 0), axis="z")
    m.revolute("C", "arm", "hand", at=(0.6, 0, 0), axis="y")
    m.point("P", "hand", at=(0.7, 0, 0))
    s = m.assemble()
    goal = s.at(H=1.0, B=0.5, C=0.3).position("P")
    found = s.reach("P", goal, all=True)
    assert not found.complete and "random starts" in found.reason
    assert max(np.abs(p.position("P") - goal).max() for p in found) < 1e-8
    assert min(abs(p["H"] - 1.0) + abs(p["B"] - 0.5) + abs(p["C"] - 0.3) for p in found) < 1e-6
    with pytest.raises(lw.CannotReach, match="no solution was found"):
        s.reach("P", (2.0, 0.0, 0.0), all=True)


def test_branches_are_a_kernel_for_any_number_of_poses() -> None:
    s = lw.example("stanford-arm").assemble()
    rng = np.random.default_rng(4)
    y = rng.uniform(-2.5, 2.5, (500, 6)) * np.array([1, 1, 0.3, 1, 1, 1])
    X = s.pose("tool", y)
    solve = s.branches("tool")
    q, error = solve(X)
    assert solve.variables == s.variables and q.shape == (500, 8, 6) and len(solve) == 8
    assert np.abs(s.pose("tool", q) - X[:, None]).max() < 1e-11 and error.max() < 1e-11
    gap = q - y[:, None]
    gap = np.where([n.endswith("slide") for n in s.variables], gap, np.angle(np.exp(1j * gap)))
    assert np.abs(gap).max(axis=2).min(axis=1).max() < 1e-8
    one, missing = solve(X[3])
    assert (one == q[3]).all() and (missing == error[3]).all()  # the same bits
    assert {tuple(signs) for signs in solve.signs} == {("J2.angle", "J3.slide", "J5.angle")}
    far = X[0].copy()
    far[0, 3] += 0.05
    assert solve(far)[1].shape == (8,)
    with pytest.raises(lw.ModelError, match="no closed form"):
        lw.example("iiwa14").assemble().branches("tool")
    assert lw.example("iiwa14").assemble().branches("tool", hold="A3").variables[2] == "A4.angle"
