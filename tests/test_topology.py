"""The graph against an independent integer elimination, the tables of the literature, and its own theorems."""

from __future__ import annotations

import pickle
import random
import time
from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwork.errors import ModelError
from linkwork.topology import Edge, Topology, topology

Ints = npt.NDArray[np.int64]


# --- oracle: [Gamma | I] to row-echelon form by negating, adding and swapping rows (Matrix Methods,


@dataclass
class Elimination:
    pivots: list[int]
    chords: list[int]
    loops: Ints
    paths: Ints
    assemblies: dict[int, set[int]]  # reference -> bodies


def eliminate(gamma: Ints) -> Elimination:
    """Scan joints from left to right, pivot on the lowest unused body; no column is ever moved."""
    n_bodies, n_joints = gamma.shape
    table = np.hstack([gamma, np.eye(n_bodies, dtype=np.int64)])
    body_of_row = list(range(n_bodies))
    pivots: list[int] = []
    for j in range(n_joints):
        done = len(pivots)
        rows = [r for r in range(done, n_bodies) if table[r, j]]
        if not rows:
            continue
        r = min(rows, key=lambda r: body_of_row[r])
        table[[done, r]] = table[[r, done]]
        body_of_row[done], body_of_row[r] = body_of_row[r], body_of_row[done]
        if table[done, j] < 0:
            table[done] = -table[done]
        for other in range(n_bodies):
            if other != done and table[other, j]:
                table[other] -= table[other, j] * table[done]
                assert np.abs(table).max() <= 1  # unimodular all the way
        pivots.append(j)
    chords = [j for j in range(n_joints) if j not in pivots]
    loops = np.zeros((len(chords), n_joints), np.int64)
    paths = np.zeros((n_bodies, n_joints), np.int64)
    for i, chord in enumerate(chords):
        loops[i, pivots] = table[: len(pivots), chord]
        loops[i, chord] = -1
    for q, j in enumerate(pivots):
        paths[:, j] = table[q, n_joints:]
    rest = range(len(pivots), n_bodies)
    assert not table[len(pivots) :, :n_joints].any()
    return Elimination(
        pivots, chords, loops, paths, {body_of_row[r]: set(np.flatnonzero(table[r, n_joints:])) for r in rest}
    )


def joints(text: str, keep: dict[str, int] | None = None) -> list[Edge]:
    """Edges from `A 6>3, B 3>5`."""
    found = []
    for item in text.split(","):
        name, ends = item.split()
        tail, head = ends.split(">")
        found.append(Edge(name, tail, head, (keep or {}).get(name, 0)))
    return found


def numbered(n: int) -> list[str]:
    return [str(i) for i in range(1, n + 1)]


CLAMP = joints("A 6>3, B 3>5, C 3>4, D 1>4, E 2>5, F 6>1, G 2>6")
TWO = joints("A 1>2, B 3>1, C 3>2, D 4>5, E 6>5, F 7>4, G 7>6")
PROBLEM_2_1 = joints("A 1>2, B 2>3, C 2>4, D 3>5, E 4>5, F 5>6, G 5>7, H 6>8, J 7>8, K 8>1")
FOUR_BAR = joints("A ground>crank, B crank>rod, C rod>rocker, D ground>rocker")
FOUR_BAR_BODIES = ["ground", "crank", "rod", "rocker"]
FERGUSON = (
    "A carrier>planet, B ground>carrier, C sun1>planet, D ground>sun1, E sun2>planet, F ground>sun2, G ground>planet"
)
FERGUSON_BODIES = ["carrier", "planet", "sun1", "sun2", "ground"]
STEWART_BODIES = ["platform", *(f"{part}{i}" for i in range(1, 7) for part in ("cylinder", "piston")), "base"]
STEWART = [
    e
    for i in range(1, 7)
    for e in (
        Edge(f"S{i}", "platform", f"cylinder{i}"),
        Edge(f"P{i}", f"cylinder{i}", f"piston{i}"),
        Edge(f"U{i}", f"piston{i}", "base"),
    )
]


# --- the literature, exactly ----------------------------------------------------------------------


def test_hydraulic_clamp() -> None:
    t = topology(numbered(6), CLAMP, "6", tree="declared")
    assert t.incidence().tolist() == [
        [0, 0, 0, -1, 0, 1, 0],
        [0, 0, 0, 0, -1, 0, -1],
        [1, -1, -1, 0, 0, 0, 0],
        [0, 0, 1, 1, 0, 0, 0],
        [0, 1, 0, 0, 1, 0, 0],
        [-1, 0, 0, 0, 0, -1, 1],
    ]
    assert t.chords == ("F", "G")
    assert t.loop_matrix().tolist() == [[1, 0, 1, -1, 0, -1, 0], [-1, -1, 0, 0, 1, 0, -1]]
    assert t.path_matrix().tolist() == [
        [1, 0, 1, -1, 0, 0, 0],
        [1, 1, 0, 0, -1, 0, 0],
        [1, 0, 0, 0, 0, 0, 0],
        [1, 0, 1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
    ]
    assert t.tree == ("A", "B", "C", "E", "D")
    assert str(t.loops[0]) == "6 -A-> 3 -C-> 4 <-D- 1 <-F- 6"
    assert t.path("2") == (("A", 1), ("B", 1), ("E", -1))
    assert t.kind == "complex closed"


def test_two_unconnected_assemblies() -> None:
    t = topology(numbered(7), TWO, "7", tree="declared")
    assert t.chords == ("C", "G")
    # The book lists the loop of G first; here loops follow the declared order of their chords.
    assert t.loop_matrix().tolist() == [[1, 1, -1, 0, 0, 0, 0], [0, 0, 0, 1, -1, 1, -1]]
    assert t.path_matrix().tolist() == [
        [0, 1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 1, 0],
        [0, 0, 0, 1, 0, 1, 0],
        [0, 0, 0, 1, -1, 1, 0],
        [0, 0, 0, 0, 0, 0, 0],
    ]
    assert [(a.reference, a.bodies, a.joints, a.n_loops) for a in t.assemblies] == [
        ("7", ("4", "5", "6", "7"), ("D", "E", "F", "G"), 1),
        ("3", ("1", "2", "3"), ("A", "B", "C"), 1),
    ]
    assert t.kind == "2 simple closed"


def test_problem_2_1() -> None:
    t = topology(numbered(8), PROBLEM_2_1, "8", tree="declared")
    assert t.chords == ("E", "J", "K")
    assert t.loop_matrix().tolist() == [
        [0, 1, -1, 1, -1, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 1, -1, 1, -1, 0],
        [-1, -1, 0, -1, 0, -1, 0, -1, 0, -1],
    ]
    assert t.path_matrix().tolist() == [
        [-1, -1, 0, -1, 0, -1, 0, -1, 0, 0],
        [0, -1, 0, -1, 0, -1, 0, -1, 0, 0],
        [0, 0, 0, -1, 0, -1, 0, -1, 0, 0],
        [0, -1, 1, -1, 0, -1, 0, -1, 0, 0],
        [0, 0, 0, 0, 0, -1, 0, -1, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, -1, 0, 0],
        [0, 0, 0, 0, 0, -1, 1, -1, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ]


def test_stewart_platform() -> None:
    t = topology(STEWART_BODIES, STEWART, "base", tree="declared")
    assert t.chords == ("U2", "U3", "U4", "U5", "U6")
    expected = np.zeros((5, 18), np.int64)
    expected[:, 0:3] = 1
    for k in range(5):
        expected[k, 3 * k + 3 : 3 * k + 6] = -1
    assert np.array_equal(t.loop_matrix(), expected)
    assert np.linalg.matrix_rank(t.incidence()) == 13
    assert {b: t.arity(b) for b in ("platform", "base", "piston3")} == {
        "platform": "6-ary",
        "base": "6-ary",
        "piston3": "binary",
    }


def test_deployable_structure() -> None:
    columns = "1>2 2>4 10>4 5>6 4>5 6>7 8>9 7>8 9>1 13>1 12>13 14>12 15>14 11>15 10>11 11>5 11>3 8>3 12>3 3>1"
    edges = [Edge(f"J{i}", *pair.split(">")) for i, pair in enumerate(columns.split(), 1)]
    t = topology(numbered(15), edges, "15", tree="declared")
    assert t.chords == ("J9", "J15", "J16", "J18", "J19", "J20")
    assert np.linalg.matrix_rank(t.incidence()) == 14
    assert t.loop_matrix().tolist() == [
        [-1, -1, 0, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [-1, -1, 1, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, -1, 0, 0, 0, 0],
        [-1, -1, 0, -1, -1, -1, 0, -1, 0, -1, -1, -1, -1, -1, 0, 0, 1, -1, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, 0, 0, 1, 0, -1, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, -1, 0, 0, -1],
    ]


def test_ferguson_keeps_revolutes_and_cuts_gears() -> None:
    # By plain elimination the gear C stays; a lower keep for gears gives the tree of the book.
    plain = topology(FERGUSON_BODIES, joints(FERGUSON), "ground", tree="declared")
    assert plain.n_loops == 3 and plain.chords != ("C", "E", "G")
    check_invariants(plain)
    keep = dict.fromkeys("ABDF", 1)
    for rule in ("shallow", "declared"):
        t = topology(FERGUSON_BODIES, joints(FERGUSON, keep), "ground", tree=rule)  # type: ignore[arg-type]
        assert set(t.tree) == set("ABDF")
        assert t.chords == ("C", "E", "G")
        assert t.path_matrix()[:, [0, 1, 3, 5]].tolist() == [
            [0, 1, 0, 0],
            [1, 1, 0, 0],
            [0, 0, 1, 0],
            [0, 0, 0, 1],
            [0, 0, 0, 0],
        ]
        assert t.loop_matrix().tolist() == [
            [1, 1, -1, -1, 0, 0, 0],
            [1, 1, 0, 0, -1, -1, 0],
            [1, 1, 0, 0, 0, 0, -1],
        ]


# --- theorems -------------------------------------------------------------------------------------


def check_invariants(t: Topology) -> None:
    gamma, loops, paths = t.incidence(), t.loop_matrix(), t.path_matrix()
    for matrix in (gamma, loops, paths):
        assert matrix.dtype == np.int64
        assert np.isin(matrix, (-1, 0, 1)).all()
    row = {b: i for i, b in enumerate(t.bodies)}
    reference = {b: a.reference for a in t.assemblies for b in a.bodies}
    unit = np.eye(len(t.bodies), dtype=np.int64)
    assert not (gamma @ loops.T).any()
    assert np.array_equal(gamma @ paths.T, unit - unit[:, [row[reference[b]] for b in t.bodies]])
    # The chords are the columns of -I, which makes the loops independent; the tree has one joint a non-reference body.
    chord_columns = [t.joints.index(c) for c in t.chords]
    assert np.array_equal(loops[:, chord_columns], -np.eye(t.n_loops, dtype=np.int64))
    assert t.n_loops == len(t.joints) - len(t.bodies) + len(t.assemblies) == sum(a.n_loops for a in t.assemblies)
    assert sorted((*t.tree, *t.chords)) == sorted(t.joints)
    if gamma.size:
        assert np.linalg.matrix_rank(gamma) == len(t.bodies) - len(t.assemblies)
    if loops.size:
        assert np.linalg.matrix_rank(loops) == t.n_loops
    # Handshake: every joint is counted at both its bodies.
    assert [t.degree[b] for b in t.bodies] == np.diag(gamma @ gamma.T).tolist()
    assert sum(t.degree.values()) == 2 * len(t.joints)
    # Order: ground last, parents before children, walks that follow the joints.
    assert t.bodies[-1] == t.ground == t.assemblies[0].reference
    seen = set(reference.values())
    for joint in t.tree:
        edge = t._edge[joint]
        assert (edge.tail in seen) != (edge.head in seen)
        seen |= {edge.tail, edge.head}
    for loop in t.loops:
        check_walk(t, loop.steps, (*loop.bodies, loop.bodies[0]))
        assert len(set(loop.bodies)) == len(loop)
        assert loop.bodies[0] == min(loop.bodies, key=lambda b: t.depth[b])
    for i, body in enumerate(t.bodies):
        path = t.path(body)
        assert len(path) == t.depth[body]
        assert {t.joints[j]: int(paths[i, j]) for j in np.flatnonzero(paths[i])} == dict(path)


def check_walk(t: Topology, steps: tuple[tuple[str, int], ...], bodies: tuple[str, ...]) -> None:
    for (joint, sign), here, there in zip(steps, bodies[:-1], bodies[1:], strict=True):
        edge = t._edge[joint]
        assert ((edge.tail, edge.head) if sign > 0 else (edge.head, edge.tail)) == (here, there)


@st.composite
def multigraphs(draw: st.DrawFn, keeps: int = 3) -> tuple[list[str], list[Edge], str]:
    """Several components, parallel joints and lone bodies, all in one."""
    n = draw(st.integers(1, 9))
    bodies = [f"b{i}" for i in range(n)]
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.integers(0, keeps)).filter(
        lambda p: p[0] != p[1]
    )
    edges = draw(st.lists(pairs, max_size=14)) if n > 1 else []
    ground = draw(st.sampled_from(bodies))
    return bodies, [Edge(f"j{i}", bodies[a], bodies[b], k) for i, (a, b, k) in enumerate(edges)], ground


def best_weight(bodies: list[str], edges: list[Edge]) -> int:
    """Weight of a maximum spanning forest, joining sets of bodies the plain way."""
    sets = {b: {b} for b in bodies}
    total = 0
    for e in sorted(edges, key=lambda e: -e.keep):
        if sets[e.tail] is not sets[e.head]:
            total += e.keep
            merged = sets[e.tail] | sets[e.head]
            for b in merged:
                sets[b] = merged
    return total


def distances(t: Topology) -> dict[str, int]:
    near: dict[str, set[str]] = {b: set() for b in t.bodies}
    for e in t.edges:
        near[e.tail].add(e.head)
        near[e.head].add(e.tail)
    far = {a.reference: 0 for a in t.assemblies}
    queue = deque(far)
    while queue:
        b = queue.popleft()
        for c in near[b] - far.keys():
            far[c] = far[b] + 1
            queue.append(c)
    return far


@settings(max_examples=150, deadline=None)
@given(multigraphs())
def test_any_graph(graph: tuple[list[str], list[Edge], str]) -> None:
    bodies, edges, ground = graph
    for rule in ("shallow", "declared"):
        t = topology(bodies, edges, ground, tree=rule)  # type: ignore[arg-type]
        check_invariants(t)
        assert sum(t._edge[j].keep for j in t.tree) == best_weight(bodies, edges)


@settings(max_examples=150, deadline=None)
@given(multigraphs(keeps=0))
def test_equal_joints(graph: tuple[list[str], list[Edge], str]) -> None:
    """With equal keeps "declared" is elimination itself, and "shallow" reaches every body by a shortest path."""
    bodies, edges, ground = graph
    t = topology(bodies, edges, ground, tree="declared")
    oracle = eliminate(t.incidence())
    assert [t.joints.index(c) for c in t.chords] == oracle.chords
    assert np.array_equal(t.loop_matrix(), oracle.loops)
    assert np.array_equal(t.path_matrix(), oracle.paths)
    row = {b: i for i, b in enumerate(t.bodies)}
    assert {row[a.reference]: {row[b] for b in a.bodies} for a in t.assemblies} == oracle.assemblies

    shallow = topology(bodies, edges, ground)
    assert dict(shallow.depth) == distances(shallow)
    grounded = t.assemblies[0].bodies  # the others are counted from another reference
    assert all(shallow.depth[b] <= t.depth[b] for b in grounded)


@settings(max_examples=80, deadline=None)
@given(multigraphs(), st.randoms(use_true_random=False))
def test_inversion_changes_no_structure(graph: tuple[list[str], list[Edge], str], rng: random.Random) -> None:
    bodies, edges, ground = graph
    before = topology(bodies, edges, ground)
    after = topology(bodies, edges, rng.choice(bodies))
    assert after.n_loops == before.n_loops
    assert after.degree == before.degree
    sort = [sorted((sorted(a.bodies), sorted(a.joints), a.kind) for a in t.assemblies) for t in (before, after)]
    assert sort[0] == sort[1]
    # Either set of loops spans the other: the same loop space.
    both = np.vstack([before.loop_matrix(), after.loop_matrix()])
    if both.size:
        assert np.linalg.matrix_rank(both) == before.n_loops


@settings(max_examples=80, deadline=None)
@given(multigraphs(), st.data())
def test_cut_is_obeyed_or_refused(graph: tuple[list[str], list[Edge], str], data: st.DataObject) -> None:
    bodies, edges, ground = graph
    names = [e.name for e in edges]
    cut = data.draw(st.lists(st.sampled_from(names), unique=True, max_size=4)) if names else []
    rest = topology(bodies, [e for e in edges if e.name not in cut], ground)
    whole = topology(bodies, edges, ground)
    possible = len(rest.assemblies) == len(whole.assemblies)
    for rule in ("shallow", "declared"):
        if possible:
            t = topology(bodies, edges, ground, tree=rule, cut=cut)  # type: ignore[arg-type]
            assert set(cut) <= set(t.chords)
            check_invariants(t)
        else:
            with pytest.raises(ModelError, match="cannot be cut"):
                topology(bodies, edges, ground, tree=rule, cut=cut)  # type: ignore[arg-type]


# --- refusals -------------------------------------------------------------------------------------


def test_every_fault_is_listed_at_once() -> None:
    edges = [
        Edge("A", "ground", "crank"),
        Edge("A", "crank", "rod"),
        Edge("B", "rod", "rod"),
        Edge("C", "crnak", "rod"),
        Edge("D", "ghost", "ghost"),
    ]
    with pytest.raises(ModelError) as caught:
        topology(["ground", "crank", "rod", "rod"], edges, "grond", cut=["Z"])
    found = [(p.where, p.what) for p in caught.value.problems]
    assert found == [
        ("bodies.rod", "body 'rod' is declared 2 times"),
        ("ground", "there is no body 'grond'"),
        ("joints.A", "joint 'A' is declared 2 times"),
        ("joints.B", "joins 'rod' to itself"),
        ("joints.C", "there is no body 'crnak'"),
        ("joints.D", "there is no body 'ghost'"),
        ("joints.D", "joins 'ghost' to itself"),
        ("cut", "there is no joint 'Z'"),
    ]
    assert "did you mean 'crank'?" in str(caught.value)


def test_a_bridge_cannot_be_cut() -> None:
    edges = [*FOUR_BAR, Edge("E", "rocker", "flag")]
    with pytest.raises(ModelError) as caught:
        topology([*FOUR_BAR_BODIES, "flag"], edges, "ground", cut=["E", "B", "D"])
    bridge, pair = caught.value.problems
    assert bridge.what == "joint 'E' cannot be cut: it is in no loop, and alone holds 'flag' to 'rocker'"
    assert pair.what == "joint 'D' cannot be cut as well: with B cut, it alone holds 'rocker' to 'ground'"


def test_unknown_names_and_rules() -> None:
    t = topology(FOUR_BAR_BODIES, FOUR_BAR, "ground")
    with pytest.raises(ModelError, match="no body 'rocket'; did you mean 'rocker'"):
        t.path("rocket")
    with pytest.raises(ModelError, match="no body 'rocket'"):
        t.arity("rocket")
    with pytest.raises(ModelError, match="no joint 'Q'"):
        t.loop("Q")
    with pytest.raises(ModelError, match="closes no loop"):
        t.loop("A")
    with pytest.raises(ModelError) as caught:
        t.chain_code({"A": "R", "B": "R"})
    assert [p.where for p in caught.value.problems] == ["joints.C", "joints.D"]
    with pytest.raises(ValueError, match="shallow"):
        topology(FOUR_BAR_BODIES, FOUR_BAR, "ground", tree="deep")  # type: ignore[arg-type]


# --- words ----------------------------------------------------------------------------------------


def test_chain_codes() -> None:
    # A loop through ground reads the same wherever it is cut: from ground, by the joint declared first.
    slider = dict(zip("ABCD", "RRRP", strict=True))
    for cut in "ABCD":
        t = topology(FOUR_BAR_BODIES, FOUR_BAR, "ground", cut=[cut])
        assert dict(t.chain_code(slider).loops) == {cut: "RRRP"}
    stanford = joints("A 7>1, B 1>2, C 2>3, D 3>4, E 4>5, F 5>6")
    codes = topology(numbered(7), stanford, "7").chain_code(dict(zip("ABCDEF", "RRPRRR", strict=True)))
    assert (codes.loops, codes.ends) == ({}, {"6": "RRPRRR"})
    assert str(codes) == "RRPRRR to 6"
    flag = topology([*FOUR_BAR_BODIES, "flag"], [*FOUR_BAR, Edge("E", "rocker", "flag")], "ground")
    assert str(flag.chain_code({**dict(zip("ABCD", "RSSR", strict=True)), "E": "P"})) == "RSSR, RP to flag"
    assert flag.chain_code({**slider, "E": "Pa"}).ends == {"flag": "P-Pa"}


def test_loop_without_ground_starts_nearest_to_it() -> None:
    edges = joints("A ground>arm, B arm>x, C x>y, D arm>y")
    t = topology(["ground", "arm", "x", "y"], edges, "ground", cut=["C"])
    assert t.loops[0].bodies == ("arm", "y", "x")
    assert t.loops[0].steps == (("D", 1), ("C", -1), ("B", -1))
    assert t.chain_code(dict(zip("ABCD", "RPSU", strict=True))).loops == {"C": "PSU"}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A g>a, B a>b", "simple open"),
        ("A g>a, B a>b, C g>b", "simple closed"),
        ("A g>a, B g>a, C a>b", "combined"),
        ("A g>a, B a>b, C a>c", "branched"),
        ("A g>a, B g>a, C g>a", "complex closed"),
        ("A g>a, B g>a", "simple closed"),
    ],
)
def test_kinds_of_chains(text: str, kind: str) -> None:
    edges = joints(text)
    bodies = sorted({b for e in edges for b in (e.tail, e.head)})
    for ground in bodies:
        assert topology(bodies, edges, ground).kind == kind
    lone = topology([*bodies, "lone"], edges, "g")
    assert [a.kind for a in lone.assemblies] == [kind, "single body"]
    assert lone.kind == f"1 {kind}, 1 single body"


def test_arity_words() -> None:
    edges = [Edge(f"J{i}{k}", "hub", f"b{i}") for i in range(7) for k in range(i)]
    t = topology(["hub", *(f"b{i}" for i in range(7))], edges, "hub")
    words = ["nullary", "unary", "binary", "ternary", "quaternary", "5-ary", "6-ary"]
    assert [t.arity(f"b{i}") for i in range(7)] == words


def test_report() -> None:
    bodies = [*FOUR_BAR_BODIES, "flag", "lone"]
    edges = [*FOUR_BAR, Edge("E", "rocker", "flag")]
    assert topology(bodies, edges, "ground", cut=["D"]).report() == "\n".join(
        [
            "6 bodies, 5 joints, 1 independent loop, 2 assemblies: 1 combined, 1 single body",
            "assembly 1 (combined, 1 loop), reference ground: crank, rod, rocker, flag, ground",
            "assembly 2 (single body, 0 loops), reference lone: lone",
            "tree: A, B, C, E",
            "cut: D",
            "loop 1 (cut at D): ground -A-> crank -B-> rod -C-> rocker <-D- ground",
            "bodies by joints: 1 nullary, 1 unary, 3 binary, 1 ternary",
            "ternary: rocker",
            "open ends (joined once): flag",
            "joined to nothing: lone",
        ]
    )


def test_a_long_report_says_what_it_leaves_out() -> None:
    n = 60
    bodies = [f"b{i}" for i in range(n)]
    ring = [Edge(f"j{i}", bodies[i], bodies[(i + 1) % n]) for i in range(n)]
    extra = [Edge(f"k{i}", "b0", "b1") for i in range(5)]
    text = topology([*bodies, "x", "y", "z", "w"], [*ring, *extra], "b0").report(most=4)
    assert "b0 -j0-> b1 -j1-> b2 ... 56 joints ... b58 -j58-> b59 -j59-> b0" in text
    assert "... and 2 more loops" in text and "... and 1 more assemblies" in text
    assert "tree: j0, j59, j1, j58, ... and 55 more" in text


def test_repr_equality_and_pickle() -> None:
    t = topology(FOUR_BAR_BODIES, FOUR_BAR, "ground")
    assert repr(t) == "Topology: 4 bodies, 4 joints, 1 loop, 1 assembly\n  simple closed; ground ground; cut: C"
    again = topology(FOUR_BAR_BODIES, FOUR_BAR, "ground")
    assert t == again and hash(t) == hash(again)
    assert t != topology(FOUR_BAR_BODIES, FOUR_BAR, "ground", cut=["A"])
    copy = pickle.loads(pickle.dumps(t))
    assert copy == t and copy.loops == t.loops and copy.parent == t.parent
    alone = topology(["ground"], [], "ground")
    assert (alone.kind, alone.loops, alone.incidence().shape) == ("single body", (), (1, 0))


# --- size -----------------------------------------------------------------------------------------


def test_a_long_chain_and_a_long_ladder() -> None:
    n = 100_000
    bodies = [f"b{i}" for i in range(n)]
    chain = [Edge(f"j{i}", bodies[i], bodies[i + 1]) for i in range(n - 1)]
    start = time.perf_counter()
    t = topology(bodies, chain, "b0")
    assert t.path(bodies[-1]) == tuple((e.name, 1) for e in chain)
    assert time.perf_counter() - start < 10  # about one second; a quadratic method would need minutes

    bays = 10_000
    sides = [f"{s}{i}" for i in range(bays + 1) for s in "ab"]
    ladder = [Edge("r0", "a0", "b0")]
    for i in range(1, bays + 1):
        ladder += [
            Edge(f"p{i}", f"a{i - 1}", f"a{i}"),
            Edge(f"r{i}", f"a{i}", f"b{i}"),
            Edge(f"q{i}", f"b{i - 1}", f"b{i}"),
        ]
    start = time.perf_counter()
    t = topology(sides, ladder, "a0")
    assert t.n_loops == bays
    assert {len(loop) for loop in t.loops} == {4}
    assert time.perf_counter() - start < 10
