"""All closures and nothing else, told apart by poses; complete where it is proven, and an estimate where it is not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from closure_machines import BASE, LEGS, TOP, distinct, forty_poses, leg_errors, newton, platform, random_row
from kinematic_machines import four_bar, four_bar_angles, stanford
from random_loops import planar_loops, single_loop, spherical_loops

import linkwork as lw
from linkwork.analyses.kinematics import closures as searching

Array = np.ndarray


@pytest.fixture(scope="module")
def forty() -> Array:
    """Dietmaier's poses by a solver of the tests' own."""
    X = forty_poses()
    assert len(X) == 40
    return X


def matched(found: lw.Closures, poses: Array, body: str = "platform") -> float:
    """The largest difference between closures and poses, one to one."""
    own = np.array([p.pose(body)[:3] for p in found])
    away = np.abs(own[:, None] - poses[None]).max(axis=(2, 3))
    assert sorted(away.argmin(axis=1).tolist()) == list(range(len(poses)))
    return float(away.min(axis=1).max())


# --- Dietmaier's platform ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("legs", "seed"), [("US", 1), ("US", 2), ("US", 3), ("SS", 4), ("UPS", 5)])
def test_forty_postures_are_found_and_proven(forty: Array, legs: str, seed: int) -> None:
    s = platform(forty[seed], legs).assemble()
    given = {f"P{i}": LEGS[i] for i in range(6)} if legs == "UPS" else {}
    found = s.closures(given, of="platform", seed=seed)
    assert len(found) == 40 and found.bound == 40
    assert found.complete and "a platform on six rods" in found.proof
    assert found.estimate_unseen == 0.0
    assert (
        matched(found, forty) < 1e-8
    )  # the least singular value is 3e-6: rounding of the lengths is 1e-10 of the pose
    for p in found:
        X = p.pose("platform")
        assert np.abs(np.linalg.norm(TOP @ X[:3, :3].T + X[:3, 3] - BASE, axis=1) - LEGS).max() < 4e-15
        assert p.residual < 1e-14


def test_more_starts_find_no_more_than_forty(forty: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "QUICK", (10**6, 10**6))
    s = platform(forty[0]).assemble()
    found = s.closures(of="platform", starts=5000, seed=11)
    assert found.starts == 5000 and found.converged > 4800
    assert len(found) == 40 and min(found.hits) >= 20
    assert sum(found.hits) == found.converged


def test_polished_poses_are_roots_for_newton_from_nearby(forty: Array) -> None:
    """From every closure, pushed away by 1e-6, Newton's method in the pose comes back to it."""
    found = platform(forty[3]).assemble().closures(of="platform")
    X = np.array([p.pose("platform")[:3] for p in found])
    push = 1e-6 * np.random.default_rng(3).normal(size=(40, 3))
    back = newton(X[:, :, :3].copy(), X[:, :, 3] + push)
    assert len(back) >= 36  # legs right to 2e-15 are a matter of luck
    for x in back:
        assert np.abs(X - x).max(axis=(1, 2)).min() < 1e-8


def test_legs_that_spin_do_not_count(forty: Array) -> None:
    """Rods with two balls: six idle freedoms, no variable of a joint is determined, yet the platform is."""
    found = platform(forty[5], "SS").assemble().closures()
    assert len(found) == 40 and found.complete
    assert matched(found, forty) < 1e-8


def test_the_cut_does_not_matter(forty: Array) -> None:
    m = platform(forty[8])
    for cut in (["U1", "U2", "U3", "U4", "U5"], ["S0", "S2", "S3", "U4", "U5"]):
        found = m.assemble(cut=cut).closures(of="platform")
        assert found.complete and matched(found, forty) < 1e-8


def test_a_short_search_estimates_what_it_has_missed(forty: Array) -> None:
    s = platform(forty[2]).assemble()
    missed, told = [], []
    for seed in range(6):
        found = s.closures(of="platform", starts=64, seed=seed)
        assert not found.complete and found.proof == "" and found.bound == 40 and found.starts == 64
        once, twice = (sum(n == k for n in found.hits) for k in (1, 2))
        assert found.found_once == once
        assert found.estimate_unseen == once * (once - 1) / (2 * (twice + 1))
        assert found.criterion == "the search ended with the last of its 64 starts"
        text = str(found)
        assert f"estimate of unseen closures: {found.estimate_unseen:.3g} ({once} of {len(found)}" in text
        assert "isolated closures at most: 40" in text
        missed.append(40 - len(found))
        told.append(found.estimate_unseen)
    assert min(missed) > 0
    assert 0.4 < np.mean(told) / np.mean(missed) < 1.5  # a lower bound on average, of the right size


# --- nearly double ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("short", [1e-6, 1e-8, 1e-10])
def test_nearly_double_closures_are_two(short: float) -> None:
    """A crank just before its limit, where coupler and rocker are nearly in line: closures sqrt(short) apart."""
    a, b, c, d = 3.0, 2.0, 1.5, 2.5
    limit = math.acos((a * a + d * d - (b + c) ** 2) / (2 * a * d))
    s = four_bar(a, b, c, d, 0.9 * limit).assemble()
    found = s.closures(O2=limit - short)
    assert len(found) == 2
    x = [p["B"] for p in found]
    diagonal = a * a + d * d - 2 * a * d * math.cos(limit - short)
    exact = math.acos((b * b + c * c - diagonal) / (2 * b * c))  # between coupler and rocker
    apart = abs(math.remainder(x[0] - x[1], 2 * math.pi))
    assert apart == pytest.approx(2 * (math.pi - exact), rel=1e-14 / short + 1e-9)
    assert min(found.hits) >= 3


def test_double_closures_are_one() -> None:
    a, b, c, d = 3.0, 2.0, 1.5, 2.5
    limit = math.acos((a * a + d * d - (b + c) ** 2) / (2 * a * d))
    found = four_bar(a, b, c, d, 0.9 * limit).assemble().closures(O2=limit - 1e-17)
    assert len(found) == 1
    assert not found.complete  # at a limit rounding decides how many there are


# --- planar machines by closed forms ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(24))
def test_random_rows_of_dyads(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    count = 1 + seed % 3
    while True:  # a machine and an input that are not nearly tangent
        row, angle = random_row(rng, count), float(rng.uniform(-0.7, 0.7))
        exact, clear = row.closures(angle)
        if clear > 1e-3 and exact:
            break
    s = row.mechanism().assemble()
    found = s.closures(A=angle)
    assert found.complete and "by formulas" in found.proof
    assert len(found) == len(exact) == found.bound
    bodies = s.bodies
    own = np.array([[p.pose(b) for b in bodies] for p in found])
    right = np.array([[state[b].matrix for b in bodies] for state in exact])
    away = np.abs(own[:, None] - right[None]).max(axis=(2, 3, 4))
    assert sorted(away.argmin(axis=1).tolist()) == list(range(len(exact)))
    assert away.min(axis=1).max() < 1e-10


def test_random_rows_out_of_reach() -> None:
    rng = np.random.default_rng(5)
    tried = 0
    while tried < 4:
        row, angle = random_row(rng, 2), float(rng.uniform(-2.5, 2.5))
        exact, clear = row.closures(angle)
        if clear > 1e-3 and not exact:
            tried += 1
            with pytest.raises(lw.CannotClose):
                row.mechanism().assemble().closures(A=angle)


@pytest.mark.parametrize("seed", range(4))
def test_rows_cut_anywhere(seed: int) -> None:
    rng = np.random.default_rng(77 + seed)
    while True:
        row, angle = random_row(rng, 2), float(rng.uniform(-0.5, 0.5))
        exact, clear = row.closures(angle)
        if clear > 1e-2 and len(exact) > 1:
            break
    m, results = row.mechanism(), []
    for at in "PMQ":
        s = m.assemble(cut=[f"c0{at}", f"c1{at}"])
        found = s.closures(A=angle)
        assert found.complete and len(found) == len(exact)
        results.append(
            sorted(
                np.round(np.concatenate([p.pose(b)[:2].ravel() for b in m.bodies if b != "ground"]), 8).tolist()
                for p in found
            )
        )
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], atol=1e-7)


# --- bounds -----------------------------------------------------------------------------------------------------------


def serial_arm(rng: np.random.Generator, kinds: str) -> lw.Mechanism:
    """Six joints in random places and directions, and a free joint from the ground to the hand."""
    m = lw.Mechanism("arm")
    before = "ground"
    for k, kind in enumerate(kinds):
        body = "hand" if k == 5 else f"b{k}"
        m.body(body)
        place, axis = rng.uniform(-1, 1, 3), rng.normal(size=3)
        (m.revolute if kind == "R" else m.prismatic)(f"J{k}", before, body, at=place, axis=axis / np.linalg.norm(axis))
        before = body
    m.free("pose", "ground", "hand", at=(0, 0, 0))
    return m


@pytest.mark.parametrize(("kinds", "most"), [("RRRRRR", 16), ("RRPRRR", 16), ("PRRRPR", 8), ("RPRPRP", 2)])
def test_six_joints_in_a_row_stay_below_their_bound(kinds: str, most: int) -> None:
    numbers = []
    for seed in range(3):
        s = serial_arm(np.random.default_rng(seed), kinds).assemble()
        found = s.closures({"pose": [0, 0, 0, 1, 0, 0, 0]})
        assert found.bound == most and len(found) <= most
        assert len(found) % 2 == 0  # roots of polynomials come in pairs, and these are of even degree
        assert found.complete == (len(found) == most)
        numbers.append(len(found))
    assert max(numbers) >= 2


def test_an_arm_with_a_wrist_has_eight() -> None:
    s = stanford((0.1, 0.8, 0.6, -0.5, 1.0, 1.8), pose=True).assemble()
    found = s.closures({"pose": s.home["pose"]})
    assert (len(found), found.bound, found.complete) == (8, 8, True)
    assert "an arm RRP to a wrist (b1, b2, b3) 4 times a dyad RRR (b4, b5) 2" in found.proof
    shoulder = s.closures({"pose": s.home["pose"]}, of="b3")
    assert (len(shoulder), shoulder.bound, shoulder.complete) == (4, 4, True)


@pytest.mark.parametrize("seed", range(3))
def test_a_body_on_a_ball_and_three_rods_has_eight_at_most(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("dish")
    m.body("dish")
    m.spheric("B", "ground", "dish", at=(0, 0, 0))
    for i in range(3):
        m.body(f"rod{i}")
        m.spheric(f"L{i}", "ground", f"rod{i}", at=rng.uniform(-1, 1, 3))
        m.spheric(f"K{i}", f"rod{i}", "dish", at=rng.uniform(-1, 1, 3))
    found = m.assemble().closures(of="dish")
    assert found.bound == 8 and 2 <= len(found) <= 8 and len(found) % 2 == 0


@pytest.mark.parametrize("seed", range(3))
def test_a_plate_on_three_bars_has_six_at_most(seed: int) -> None:
    rng = np.random.default_rng(40 + seed)
    m = lw.Mechanism("plate")
    m.body("plate")
    for i in range(3):
        m.body(f"bar{i}")
        m.revolute(f"L{i}", "ground", f"bar{i}", at=(*rng.uniform(-1, 1, 2), 0), axis="z")
        m.revolute(f"K{i}", f"bar{i}", "plate", at=(*rng.uniform(-1, 1, 2), 0), axis="z")
    found = m.assemble().closures()
    assert found.bound == 6 and 2 <= len(found) <= 6 and len(found) % 2 == 0


@pytest.mark.parametrize("seed", range(3))
def test_a_spatial_four_bar_by_its_formula(seed: int) -> None:
    """RSSR with a Hooke's joint at one end of the rod: a circle meets a sphere, and the rod fits both ways round."""
    rng = np.random.default_rng(seed)
    a, b, p, q = (rng.uniform(-1, 1, 3) for _ in range(4))
    m = lw.Mechanism("rssr")
    for body in ("crank", "rod", "rocker"):
        m.body(body)
    axis = rng.normal(size=3)
    m.revolute("A", "ground", "crank", at=a, axis=rng.normal(size=3))
    m.spheric("S", "crank", "rod", at=p)
    along = (q - p) / np.linalg.norm(q - p)
    across = np.cross(along, axis) / np.linalg.norm(np.cross(along, axis))
    m.universal("U", "rod", "rocker", at=q, axes=(across, np.cross(along, across)))
    m.revolute("B", "ground", "rocker", at=b, axis=axis)
    s = m.assemble()
    found = s.closures(A=0.1)
    assert found.complete and len(found) == 4 and "a body on a hinge and a rod (rocker)" in found.proof
    rocker = s.closures(A=0.1, of="rocker")
    assert rocker.complete and len(rocker) == 2
    tip = s.at(A=0.1).pose("crank")
    end = tip[:3, :3] @ p + tip[:3, 3]
    for closure in rocker:
        X = closure.pose("rocker")
        assert abs(np.linalg.norm(X[:3, :3] @ q + X[:3, 3] - end) - np.linalg.norm(q - p)) < 1e-13


MACHINES = {
    "planar": lambda seed: planar_loops(seed, 1 + seed % 3),
    "spherical": lambda seed: spherical_loops(seed, 1 + seed % 3),
    "hinges and sliders": lambda seed: single_loop(seed, "revolute", 1, ("revolute", "revolute", "prismatic")),
    "lower pairs": lambda seed: single_loop(seed, "revolute", 1, ("revolute", "prismatic", "spheric", "universal")),
}


@pytest.mark.parametrize("kind", MACHINES)
def test_random_machines_stay_below_their_bounds(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searched on where the bound is reached, so that one too many would be seen."""
    monkeypatch.setattr(searching, "QUICK", searching.THOROUGH)
    bounded = reached = 0
    for seed in range(12):
        s = MACHINES[kind](seed).mechanism().assemble()
        given = {n: s.home[n] for n in s.home.independent if n in s.home.values}
        found = s.closures(given, starts=600)
        if found.bound is not None:
            bounded, reached = bounded + 1, reached + found.complete
            assert 1 <= len(found) <= found.bound
            assert found.complete == (len(found) == found.bound) == bool(found.proof)
    assert bounded >= 3 and reached >= 1


def test_what_is_not_proven_is_not_complete() -> None:
    s = lw.example("stewart-platform").assemble()
    length = s.home["P1"]
    found = s.closures({f"P{i}": length + 0.03 * (-1) ** i for i in range(1, 7)}, of="platform")
    assert len(found) == 8 and found.bound == 40 and not found.complete and found.proof == ""
    assert found.criterion == "every closure found 6 times or more, and 50 closing starts for each"
    assert found.verdict().startswith("perhaps not all: every closure found 6 times")
    data = found.as_dict()
    assert data["complete"] is False and data["bound"] == 40 and data["estimate_unseen"] == 0.0
    assert data["found_once"] == 0 and data["proof"] == ""


def test_gears_have_no_bound() -> None:
    found = lw.example("helical-gears").assemble().closures(input=0.2, starts=64)
    assert found.bound is None and not found.complete


def test_a_machine_that_moves_while_its_inputs_are_held_says_so() -> None:
    """Peaucellier's cell, folded: one of its rhombs turns freely."""
    s = lw.example("peaucellier").assemble()
    found = s.closures(Q=s.home["Q"], starts=256)
    assert found.bound == 8 and len(found) > 8 and not found.complete
    assert "what is beyond can move while the inputs are held" in str(found)


@pytest.mark.parametrize("stretch", [0.9, 1.1, 1.3])
def test_with_other_parameters_the_proof_is_of_those(stretch: float) -> None:
    s = lw.example("four-bar").assemble()
    other = s.with_parameters({"O4.tail.at.x": stretch * s.parameters["O4.tail.at.x"]})
    found = other.closures(O2=0.7)
    assert found.complete and len(found) == found.bound == 2
    for side in (1, -1):
        _, exact = four_bar_angles(40, 120, 80, 100 * stretch, 0.7, side)
        assert min(abs(math.remainder(p["O4"] - exact, 2 * math.pi)) for p in found) < 1e-12


def test_helpers_agree() -> None:
    """The solver of these tests: legs right to rounding, poses distinct."""
    X = forty_poses(starts=500, seed=1)
    e, _ = leg_errors(X[:, :, :3], X[:, :, 3])
    assert np.abs(e).max() < 2e-15 and len(distinct(X)) == len(X) <= 40
