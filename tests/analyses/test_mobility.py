"""Loop kinds, Grübler's count and rank: textbook machines, random ones, and an unrelated way to count."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machines import MACHINES, Builder, four_bar, hooke, loop_of, stewart

import linkwork as lw
from linkwork import geometry as geo
from linkwork.analyses.mobility import LoopKind, Mobility, joint_twists, layout_mobility, loop_kind
from linkwork.model.layout import lay_out

quick = settings(max_examples=25, deadline=None, derandomize=True)
every_machine = pytest.mark.parametrize("name", MACHINES)


def mobility(m: lw.Mechanism, **options: Any) -> Mobility:
    layout = lay_out(m)
    assert [p for p in layout.problems if p.severity == "error"] == []
    return layout_mobility(m, layout, lw.graph_of(m, **options))


def random_pose(seed: int, far: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    q = rng.normal(size=4)
    return geo.pose(geo.from_quaternion(q / np.linalg.norm(q)), far * rng.uniform(-3, 3, 3))


# --- an unrelated count: all bodies free, every joint an equation -----------------------------------------------------


def maximal_mobility(m: lw.Mechanism) -> int:
    """6 rates per body; each joint allows head minus tail only within its twists; what is left can move.

    The equations are N'(V_head - V_tail) = 0 with N the directions across the joint's twists: no loops, no tree.
    """
    layout = lay_out(m)
    moving = [b for b in m.bodies if b != m.ground.name]
    column = {b: 6 * i for i, b in enumerate(moving)}
    rows = []
    for name, twists in joint_twists(m, layout).items():
        U, s, _ = np.linalg.svd(twists) if twists.shape[1] else (np.eye(6), np.zeros(0), None)
        across = U[:, int(np.sum(s > 1e-9)) :].T
        block = np.zeros((len(across), 6 * len(moving)))
        for body, sign in ((m.joints[name].head, 1.0), (m.joints[name].tail, -1.0)):
            if body in column:
                block[:, column[body] : column[body] + 6] += sign * across
        rows.append(block)
    return int(6 * len(moving) - np.linalg.matrix_rank(np.vstack(rows), tol=1e-8))


# --- textbook machines ------------------------------------------------------------------------------------------------


@every_machine
def test_textbook_machines(name: str) -> None:
    build, freedoms, grubler, moves = MACHINES[name]
    m = build()
    found = mobility(m)
    assert (found.freedoms, found.grubler, found.mobility) == (freedoms, grubler, moves)
    assert found.rank == freedoms - moves
    assert found.redundant == 6 * lw.graph_of(m).n_loops - found.rank
    assert maximal_mobility(m) == moves


def test_redundant_constraints() -> None:
    redundant = {name: mobility(build()).redundant for name, (build, *_) in MACHINES.items()}
    assert redundant == {
        "four-bar": 3,
        "slider-crank": 3,
        "hooke": 3,
        "bennett": 3,
        "bricard": 1,
        "stewart": 0,
        "ferguson": 6,
        "rssr": 0,
    }


@pytest.mark.parametrize(
    ("name", "kind", "equations"),
    [
        ("four-bar", "planar", 3),
        ("slider-crank", "planar", 3),
        ("hooke", "spherical", 3),
        ("bennett", "spatial", 6),
        ("bricard", "spatial", 6),
        ("stewart", "spatial", 6),
        ("ferguson", "Schönflies", 4),
        ("rssr", "spatial", 6),
    ],
)
def test_loop_kinds_of_textbook_machines(name: str, kind: str, equations: int) -> None:
    kinds = mobility(MACHINES[name][0]()).loop_kinds
    assert set(kinds.values()) == {LoopKind(kind, equations)}
    assert set(kinds) == set(lw.graph_of(MACHINES[name][0]()).chords)


@pytest.mark.parametrize("degrees", [10, 30, 45, 90, 200, 330])
def test_a_hooke_joint_in_any_posture(degrees: float) -> None:
    found = mobility(hooke(psi=math.radians(degrees)))
    assert (found.grubler, found.mobility) == (1, 1)


def chain(kinds: str, axes: list[tuple[float, float, float]], places: list[tuple[float, float, float]]) -> lw.Mechanism:
    """A single loop spelled in letters, in a random placement."""
    words = {"R": "revolute", "P": "prismatic", "C": "cylindric", "H": "helical"}
    b = Builder("loop", random_pose(len(kinds)))
    names = ["ground", *(f"b{i}" for i in range(1, len(kinds))), "ground"]
    b.bodies(*names[1:-1])
    for i, letter in enumerate(kinds):
        if letter == "H":
            at, axis = b.at(places[i]), b.axis(axes[i])
            b.m.helical(f"J{i}", names[i], names[i + 1], lead=0.01 * (i + 1), at=at, axis=axis)
        else:
            b.add(words[letter], f"J{i}", names[i], names[i + 1], places[i], axes[i])
    return b.m


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
D = (1, 2, 3)
POINTS = [(0, 0, 0), (1, 0.2, 0.1), (1.3, 1.1, -0.2), (0.2, 0.9, 0.4), (-0.5, 0.3, 0.7), (0.1, -0.8, 0.3)]


@pytest.mark.parametrize(
    ("letters", "axes", "kind", "equations", "moves"),
    [
        ("RRRR", [Z] * 4, "planar", 3, 1),
        ("PPP", [X, Y, (1, 1, 0)], "translational", 2, 1),
        ("PPPP", [X, Y, Z, D], "translational", 3, 1),
        ("RRRP", [Z, Z, Z, Z], "Schönflies", 4, 0),
        ("RRRRP", [Z] * 5, "Schönflies", 4, 1),
        ("HRRRR", [Z] * 5, "Schönflies", 4, 1),
        ("CRRR", [Z] * 4, "Schönflies", 4, 1),
        ("PP", [X, X], "translational", 1, 1),
        ("RRPP", [Z, Z, X, Y], "planar", 3, 1),
        ("RRRRRR", [X, Y, Z, D, (1, -1, 0), (0, 1, 2)], "spatial", 6, 0),
        ("RCCC", [X, Y, Z, D], "spatial", 6, 1),
    ],
)
def test_loop_kinds(
    letters: str, axes: list[tuple[float, float, float]], kind: str, equations: int, moves: int
) -> None:
    m = chain(letters, axes, POINTS)
    found = mobility(m)
    (loop,) = found.loop_kinds.values()
    assert loop == LoopKind(kind, equations)
    assert found.grubler == found.freedoms - equations
    assert found.mobility == maximal_mobility(m) == moves


@pytest.mark.parametrize(
    ("letters", "axes", "kind", "equations"),
    [
        ("RR", [Z, Z], "coaxial", 1),
        ("RP", [Z, Z], "cylindric", 2),
        ("CC", [Z, Z], "cylindric", 2),
        ("RRR", [X, Y, Z], "spherical", 3),
    ],
)
def test_loop_kinds_about_one_point_or_line(
    letters: str, axes: list[tuple[float, float, float]], kind: str, equations: int
) -> None:
    m = chain(letters, axes, [(0.1, 0.2, 0.3)] * 4)
    found = mobility(m)
    (loop,) = found.loop_kinds.values()
    assert loop == LoopKind(kind, equations)
    assert found.mobility == found.freedoms - equations == maximal_mobility(m)


def test_a_loop_of_welds() -> None:
    m = lw.Mechanism()
    m.body("a")
    m.rigid("J", "ground", "a")
    m.rigid("K", "ground", "a")
    found = mobility(m)
    assert found.loop_kinds["K"] == LoopKind("rigid", 0)
    assert (found.freedoms, found.rank, found.mobility, found.redundant) == (0, 0, 0, 6)


def test_an_open_chain_has_no_equations() -> None:
    m = lw.Mechanism()
    m.body("a"), m.body("b")
    m.revolute("J", "ground", "a")
    m.spheric("K", "a", "b", at=(1, 0, 0))
    assert mobility(m) == Mobility(4, {}, 4, 0, 4, 0)


def test_the_algebra_closes_over_brackets() -> None:
    # Two parallel screws of different pitch turn and slide in all ways that keep their direction.
    first, second = np.array([0, 0, 0.1, 0, 0, 1.0]), np.array([0, -1.0, 0.3, 0, 0, 1.0])
    assert loop_kind(np.column_stack([first, second])) == LoopKind("Schönflies", 4)
    # Two skew turns generate everything.
    skew = np.array([0, 0, 0, 0, 0, 1.0]), np.array([0, 0, 1.0, 0, 1.0, 0.0])
    assert loop_kind(np.column_stack(skew)) == LoopKind("spatial", 6)
    assert loop_kind(np.zeros((6, 0))) == LoopKind("rigid", 0)


# --- invariance -------------------------------------------------------------------------------------------------------


@every_machine
@pytest.mark.parametrize("seed", range(3))
def test_placement_does_not_matter(name: str, seed: int) -> None:
    build, freedoms, grubler, moves = MACHINES[name]
    found = mobility(build(random_pose(seed)))
    assert (found.freedoms, found.grubler, found.mobility) == (freedoms, grubler, moves)


@every_machine
@pytest.mark.parametrize("far", [1e2, 1e4])
def test_a_machine_far_from_the_origin(name: str, far: float) -> None:
    build, _, grubler, moves = MACHINES[name]
    found = mobility(build(random_pose(5, far)))
    assert (found.grubler, found.mobility) == (grubler, moves)


@every_machine
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_scale_does_not_matter(name: str, scale: float) -> None:
    build, _, grubler, moves = MACHINES[name]
    found = mobility(build(random_pose(1), scale))
    assert (found.grubler, found.mobility) == (grubler, moves)


@every_machine
def test_the_ground_does_not_matter(name: str) -> None:
    build, _, grubler, moves = MACHINES[name]
    m = build()
    for body in list(m.bodies)[:6]:
        found = mobility(m.with_ground(body))
        assert (found.grubler, found.mobility) == (grubler, moves)


@every_machine
def test_the_tree_does_not_matter(name: str) -> None:
    build, _, grubler, moves = MACHINES[name]
    m = build()
    for options in ({"tree": "declared"}, {"tree": "shallow"}, *({"cut": (j,)} for j in list(m.joints)[:8])):
        try:
            found = mobility(m, **options)
        except lw.ModelError:
            continue  # this joint cannot be cut: without it the machine falls apart
        assert (found.grubler, found.mobility) == (grubler, moves)


# --- random planar machines -------------------------------------------------------------------------------------------


def random_planar(seed: int, bodies: int, chords: int) -> lw.Mechanism:
    """A random tree of pins and random chords, all pins parallel, in a random placement."""
    rng = np.random.default_rng(seed)
    b = Builder("planar", random_pose(seed))
    names = ["ground", *(f"b{i}" for i in range(1, bodies))]
    b.bodies(*names[1:])
    pairs = [(names[int(rng.integers(i))], names[i]) for i in range(1, bodies)]
    for _ in range(chords):
        first, second = rng.choice(bodies, 2, replace=False)
        pairs.append((names[first], names[second]))
    for i, (tail, head) in enumerate(pairs):
        b.add("revolute", f"J{i}", tail, head, (*rng.uniform(-1, 1, 2), rng.uniform(-0.1, 0.1)))
    return b.m


def planar_mobility(m: lw.Mechanism) -> int:
    """Bodies move as (x', y', ω) in the plane of the pins; a pin asks its point to move alike on both."""
    layout = lay_out(m)
    moving = [b for b in m.bodies if b != m.ground.name]
    column = {b: 3 * i for i, b in enumerate(moving)}
    normal = layout.seats["J0"].X_WF[:3, 2]
    X = geo.frame_from_axis([0, 0, 0], normal)
    rows = []
    for name, joint in m.joints.items():
        x, y, _ = X[:3, :3].T @ layout.seats[name].X_WF[:3, 3]
        for equation in ((1.0, 0.0, -y), (0.0, 1.0, x)):
            row = np.zeros(3 * len(moving))
            for body, sign in ((joint.head, 1.0), (joint.tail, -1.0)):
                if body in column:
                    row[column[body] : column[body] + 3] += sign * np.array(equation)
            rows.append(row)
    return int(3 * len(moving) - np.linalg.matrix_rank(np.array(rows), tol=1e-9))


@quick
@given(st.integers(0, 10**6), st.integers(3, 9), st.integers(0, 3))
def test_random_planar_machines(seed: int, bodies: int, chords: int) -> None:
    m = random_planar(seed, bodies, chords)
    found = mobility(m)
    joints = len(m.joints)
    assert found.grubler == 3 * (bodies - 1) - 2 * joints
    assert all(kind == LoopKind("planar", 3) for kind in found.loop_kinds.values())
    assert found.mobility == planar_mobility(m) == maximal_mobility(m)
    assert found.mobility >= found.grubler


@pytest.mark.parametrize("n", [4, 5, 6, 8, 12])
def test_generic_polygons(n: int) -> None:
    # A closed polygon of n pins has mobility n - 3.
    rng = np.random.default_rng(n)
    frames = [geo.pose(p=[*rng.uniform(-1, 1, 2), 0.0]) for _ in range(n)]
    found = mobility(loop_of("polygon", frames, random_pose(n)))
    assert found.grubler == found.mobility == n - 3


@quick
@given(st.integers(0, 10**6), st.integers(1, 9))
def test_random_spatial_loops(seed: int, n: int) -> None:
    # n skew pins in one loop: mobility n - 6, or none.
    rng = np.random.default_rng(seed)
    frames = [random_pose(int(s)) for s in rng.integers(0, 10**6, n + 1)]
    m = loop_of("skew", frames)
    assert mobility(m).mobility == max(0, n + 1 - 6) == maximal_mobility(m)


# --- sizes ------------------------------------------------------------------------------------------------------------


def test_a_large_machine_whose_rank_is_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SMALL", 0), ("DENSE", 0), ("is_certain", lambda *_: False)):
        monkeypatch.setattr(f"linkwork.numerics.sparse_rank.{name}", value)
    found = mobility(stewart())
    assert (found.rank, found.mobility, found.redundant) == (None, None, None)
    assert found.grubler == 6
    check = lw.check(stewart())
    assert check.summary().endswith("Grübler mobility 6")
    assert "mobility" not in check.values()


def test_twists_are_in_units_of_the_size() -> None:
    a, b = four_bar(), four_bar(scale=1000.0)
    for name, twist in joint_twists(a, lay_out(a)).items():
        np.testing.assert_allclose(joint_twists(b, lay_out(b))[name], twist, rtol=0, atol=1e-15)
