"""How many closures there can be at most: the machine taken apart into groups whose number of assemblies is known.

Bodies between which all joints are given move as one. From the ground on, groups are added that hang on what is known
already; the number of isolated closures is at most the product of theirs:

    two bodies, three joints R or P      2, with less than two R 1       circles and lines; three rotations in a row
    a body on an R or P and a rod        2                               a circle or a line meets a sphere
    an arm of three R or P to a point    4                               Pieper 1968
    a plate on three bars in a plane     6                               Hunt 1983
    a body on a ball and three rods      8                               three quadrics of the quaternion
    six R or P in a row                  16, with two P 8, with three 2  Lee and Liang 1988, Raghavan and Roth 1993
    a body on six rods                   40                              Ronga and Vust 1992, Lazard 1993

The point of an arm is a ball, or where the axes of three R meet. A rod has a ball at one end and a ball or a Hooke's
joint at the other; with the latter it can be turned about itself by half a turn. A point on a sphere is a rod that is
not there. Isolated closures of a special machine do not outnumber those of general machines of its kind: they are roots
of as many equations as unknowns, and such roots only move when the numbers change a little.

The first two are closed by formulas (`dyads`), which tells how many of the ways there are with the given inputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from linkwork.analyses.kinematics.dyads import FITS, MISSES, Unclear, dyad_poses, poses_on_a_rod
from linkwork.analyses.kinematics.linkage_graph import Hinge, LinkageGraph, linkage_graph
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.geometry import Array

ROD = "a rod"
WAYS_OF_SIX = {0: 16, 1: 16, 2: 8, 3: 2}
"""By the number of sliders among six joints in a row."""


@dataclass(frozen=True)
class Bound:
    """Closures at most, or exactly, and why."""

    number: int
    exact: bool
    reason: str


@dataclass(frozen=True, eq=False)
class _Rod:
    """A distance between points of two nodes; `node` is the rod itself (none where a point lies on a sphere)."""

    points: Mapping[int, Array]
    length: float
    node: int | None
    ways: int

    @property
    def ends(self) -> frozenset[int]:
        return frozenset(self.points)


@dataclass(frozen=True, eq=False)
class _Group:
    """Nodes that are known once those of `on` are, in at most `ways`; by formulas, if it has `hinges`."""

    nodes: tuple[int, ...]
    ways: int
    kind: str
    on: frozenset[int]
    hinges: tuple[Hinge, ...] = ()
    rods: tuple[_Rod, ...] = ()


def closure_bound(loops: Loops, y: Array, specified: Mask, bodies: Sequence[str]) -> Bound | None:
    """The most closures there can be, told apart by some bodies (by all, if none are named); None if that is not known.

    y : variables, those specified as they are given
    """
    graph = linkage_graph(loops, y, specified)
    if graph is None:
        return None
    groups = _groups(graph)
    made_by = {node: group for group in groups for node in group.nodes}
    wanted = {graph.node_of[b] for b in bodies} if bodies else set(range(len(graph.names)))
    if not wanted <= made_by.keys() | {0}:
        return None
    needed: set[_Group] = set()
    open_ = sorted(wanted - {0})
    while open_:
        group = made_by[open_.pop()]
        if group not in needed:
            needed.add(group)
            open_.extend(group.on - {0})
    everything = _Assemblies(loops.length, groups)
    exact = everything.exact and _are_all_used(graph, groups)
    if exact:  # also what other bodies forbid
        number = everything.distinct(wanted) * _product(g for g in groups if g.nodes[0] in wanted and g.kind == ROD)
    else:
        own = _Assemblies(loops.length, [g for g in groups if g in needed])
        number = len(own.states) * _product(own.left)
    parts = [
        f"{g.kind} ({', '.join(graph.names[n] for n in g.nodes)})" + ("" if exact else f" {g.ways}")
        for g in groups
        if g in needed and g.ways > 1
    ]
    closures = "1 closure" if number == 1 else f"{number} closures"
    text = f"{closures} by formulas" if exact else f"there are at most {closures}"
    joined = (", " if exact else " times ").join(parts)
    return Bound(number, exact, f"{text}: {joined}" if parts else text)


class _Assemblies:
    """All poses of nodes that formulas tell, group after group; `left` are the groups for which there are none."""

    def __init__(self, size: float, groups: Sequence[_Group]) -> None:
        self.size = size
        self.states: list[dict[int, Array]] = [{0: np.eye(4)}]
        self.left: list[_Group] = []
        posed = {0}
        for group in groups:
            if not group.hinges or not group.on <= posed:
                self.left.append(group)
                continue
            try:
                states = [state | more for state in self.states for more in self._closed(group, state)]
            except Unclear:
                self.left.append(group)
                continue
            posed.update(group.nodes)
            self.states = states
        self.exact = all(g.kind == ROD and g.on <= posed for g in self.left)

    def distinct(self, nodes: set[int]) -> int:
        """How many different poses some nodes have."""
        own = sorted(nodes & self.states[0].keys()) if self.states else []
        seen: list[Array] = []
        for state in self.states:
            X = np.array([state[n][:3] for n in own])
            X[..., 3] /= self.size
            if not any(np.abs(X - other).max(initial=0.0) < MISSES for other in seen):
                seen.append(X)
        return len(seen)

    def _closed(self, group: _Group, state: Mapping[int, Array]) -> list[dict[int, Array]]:
        if not group.rods:
            first, last = group.hinges[0].other(group.nodes[0]), group.hinges[-1].other(group.nodes[-1])
            pairs = dyad_poses(self.size, (state[first], state[last]), group.hinges, group.nodes)
            return [dict(zip(group.nodes, pair, strict=True)) for pair in pairs]
        (node,), (hinge,) = group.nodes, group.hinges
        found = []
        rod, *others = group.rods
        centre = self._centre(rod, node, state)
        for X in poses_on_a_rod(self.size, state[hinge.other(node)], hinge, node, rod.points[node], centre, rod.length):
            away = [
                abs(float(np.linalg.norm(_place(X, r.points[node]) - self._centre(r, node, state))) - r.length)
                for r in others
            ]
            if any(FITS < x / self.size < MISSES for x in away):
                raise Unclear
            if all(x <= FITS * self.size for x in away):
                found.append({node: X})
        return found

    @staticmethod
    def _centre(rod: _Rod, node: int, state: Mapping[int, Array]) -> Array:
        (other,) = rod.ends - {node}
        return _place(state[other], rod.points[other])


def _groups(graph: LinkageGraph) -> list[_Group]:
    """Groups in the order in which they can be found, the least first."""
    search = _Parts(graph)
    found: list[_Group] = []
    while True:
        group = search.least(2) or search.least(5)  # small ones first: long rows are many
        if group is None:
            return found
        found.append(group)
        search.known.update(group.nodes)


@dataclass
class _Parts:
    """What is known so far, and what hangs on it."""

    graph: LinkageGraph
    known: set[int] = field(default_factory=lambda: {0})

    def __post_init__(self) -> None:
        self.rods = list(_rods(self.graph))
        self.rod_nodes = {rod.node for rod in self.rods}
        self.rest = [n for n in range(1, len(self.graph.names)) if n not in self.rod_nodes]

    def least(self, longest: int) -> _Group | None:
        """Of the groups with rows of so many bodies at most the one with the fewest ways."""
        return min(self._groups(longest), key=lambda g: (g.ways, len(g.nodes), g.nodes), default=None)

    def _groups(self, longest: int) -> Iterator[_Group]:
        """All groups that hang on what is known."""
        for rod in self.rods:
            if rod.node is not None and rod.node not in self.known and rod.ends <= self.known:
                yield _Group((rod.node,), rod.ways, ROD, rod.ends)
        for node in self.rest:
            if node not in self.known:
                small, large = self._bodies_on_rods(node)
                yield from small
                if longest > 2:
                    yield from large
                    yield from self._plates(node)
                for first in self._ties(node, "RP"):
                    yield from self._rows([node], [first], longest)

    def _ties(self, node: int, kinds: str) -> list[Hinge]:
        """Joints of some kinds to what is known."""
        joints = self.graph.joints_of(node)
        return [j for j in joints if j.kind in kinds and j.other(node) in self.known]

    def _bodies_on_rods(self, node: int) -> tuple[list[_Group], list[_Group]]:
        """A body on rods and another joint, or on rods alone: those that formulas close, and others."""
        rods = [r for r in self.rods if node in r.ends and r.ends - {node} <= self.known and len(r.ends) == 2]
        on = frozenset(n for r in rods for n in r.ends if n != node)
        ties, balls = self._ties(node, "RP"), self._ties(node, "S")
        small, large = [], []
        if rods and ties:
            kind = f"a body on a {'hinge' if ties[0].kind == 'R' else 'slider'} and a rod"
            small.append(_Group((node,), 2, kind, on | {ties[0].other(node)}, (ties[0],), tuple(rods)))
        if len(rods) >= 3 and balls:
            large.append(_Group((node,), 8, "a body on a ball and three rods", on | {balls[0].other(node)}))
        if len(rods) >= 6:
            large.append(_Group((node,), 40, "a platform on six rods", on))
        return small, large

    def _plates(self, node: int) -> Iterator[_Group]:
        """A plate, and three bars from it to what is known, all hinges parallel."""
        bars: list[tuple[int, Hinge, Hinge]] = []
        for joint in self.graph.joints_of(node):
            bar = joint.other(node)
            if joint.kind != "R" or bar in self.known or bar == node:
                continue
            ends = [j for j in self._ties(bar, "R") if j.is_parallel(joint, bar)]
            bars.extend((bar, joint, end) for end in ends[:1])
        for three in combinations(bars, 3):
            inner = [joint for _, joint, _ in three]
            if len({bar for bar, _, _ in three}) == 3 and all(inner[0].is_parallel(j, node) for j in inner[1:]):
                nodes = (node, *(bar for bar, _, _ in three))
                yield _Group(nodes, 6, "a plate on three bars", frozenset(end.other(bar) for bar, _, end in three))

    def _rows(self, nodes: list[int], joints: list[Hinge], longest: int) -> Iterator[_Group]:
        """Groups of bodies in a row, from a first that hangs on what is known."""
        last = nodes[-1]
        on = frozenset({joints[0].other(nodes[0])})
        for end in self._ties(last, "RP"):
            if end is joints[-1]:
                continue
            letters = "".join(j.kind for j in (*joints, end))
            through = on | {end.other(last)}
            if len(nodes) == 2:
                ways = 2 if letters.count("R") > 1 else 1
                yield _Group(tuple(nodes), ways, f"a dyad {letters}", through, (*joints, end))
            if len(nodes) == 5 and letters.count("P") in WAYS_OF_SIX:
                yield _Group(tuple(nodes), WAYS_OF_SIX[letters.count("P")], f"a row {letters}", through)
            if len(nodes) == 5 and letters[3:] == "RRR" and _meet([*joints[3:], end], nodes[3:]):
                yield _Group(tuple(nodes[:3]), 4, f"an arm {letters[:3]} to a wrist", through)
        if len(nodes) == 3:
            for ball in self._ties(last, "S"):
                letters = "".join(j.kind for j in joints)
                yield _Group(tuple(nodes), 4, f"an arm {letters} to a ball", on | {ball.other(last)})
        if len(nodes) < longest:
            for joint in self.graph.joints_of(last):
                other = joint.other(last)
                if joint.kind in "RP" and other in self.rest and other not in self.known and other not in nodes:
                    yield from self._rows([*nodes, other], [*joints, joint], longest)


def _rods(graph: LinkageGraph) -> Iterator[_Rod]:
    for joint in graph.joints:
        if joint.kind == "D":
            yield _Rod({n: joint.frame(n)[:3, 3] for n in joint.nodes}, joint.length, None, 1)
    for node in range(1, len(graph.names)):
        joints = graph.joints_of(node)
        kinds = sorted(j.kind for j in joints)
        if kinds in (["S", "S"], ["S", "U"]):
            ends = {j.other(node): j.frame(j.other(node))[:3, 3] for j in joints}
            length = float(np.linalg.norm(joints[0].frame(node)[:3, 3] - joints[1].frame(node)[:3, 3]))
            yield _Rod(ends, length, node, 2 if "U" in kinds else 1)


def _meet(hinges: Sequence[Hinge], nodes: Sequence[int]) -> bool:
    """Whether the axes of three hinges in a row meet in one point, the same on both bodies of the middle one."""
    first, middle, last = hinges
    before, after = middle.meets(first, nodes[0]), middle.meets(last, nodes[1])
    return before is not None and after is not None and abs(before - after) <= middle.near


def _are_all_used(graph: LinkageGraph, groups: Sequence[_Group]) -> bool:
    """Whether no joint is left that might forbid what the groups allow: surfaces may end, other joints hold more."""
    rods = {n for g in groups if g.kind == ROD for n in g.nodes}
    used = {id(h) for g in groups for h in g.hinges} | {id(j) for n in rods for j in graph.joints_of(n)}
    return len(used) == len(graph.joints) and {n for g in groups for n in g.nodes} == set(range(1, len(graph.names)))


def _place(X: Array, point: Array) -> Array:
    place: Array = X[:3, :3] @ point + X[:3, 3]
    return place


def _product(groups: Iterable[_Group]) -> int:
    return math.prod(group.ways for group in groups)
