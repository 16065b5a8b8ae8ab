"""Who joins whom: the graph of a mechanism, its assemblies, its spanning tree, its loops and paths.

Bodies are the nodes and joints the oriented edges of a graph (Uicker, Ravani, Sheth, Matrix Methods, ch. 2). A spanning
tree is chosen inside each assembly; every joint outside it, a *chord*, closes exactly one independent loop:

    number of loops = joints - bodies + assemblies

Signs follow the book. A step `(joint, +1)` walks along a joint from its tail to its head, `(joint, -1)` against it. A
loop walks its chord backwards, so the chord carries -1 in the loop matrix.

Everything here is names and small integers; nothing knows what kind of joint an edge is. The tree, paths and sizes cost
about one visit a joint, and no function recurses, so long chains are as welcome as short ones.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from linkwork.errors import InputError, ModelError, Problem
from linkwork.model.mechanism import Mechanism
from linkwork.names import no_such

Step = tuple[str, int]
"""A joint and the direction in which it is walked: +1 from tail to head, -1 from head to tail."""

IntMatrix = npt.NDArray[np.int64]

SEARCHED = 20
"""Bodies that the search for a short loop looks at, at most, in parts of the loop through the tree."""
_ARITY = ("nullary", "unary", "binary", "ternary", "quaternary")


@dataclass(frozen=True)
class Edge:
    """A joint as the graph sees it, oriented `tail` -> `head`.

    `keep` says how much the joint should stay in the tree: where a loop must be cut, the joint of lowest `keep` goes.
    """

    name: str
    tail: str
    head: str
    keep: int = 0


class Parent(NamedTuple):
    """How a body hangs in the tree: by `joint`, on `body`; `sign` is +1 if the joint points away from the reference."""

    joint: str
    body: str
    sign: int


@dataclass(frozen=True)
class Loop:
    """The one loop that a chord closes.

    The walk starts at `bodies[0]`, the body of the loop nearest the reference (ground itself, if the loop has it), goes
    down the tree to the head of the chord, crosses the chord backwards and climbs back to its start. `steps[i]` leaves
    `bodies[i]`; the last step returns to `bodies[0]`.
    """

    chord: str
    steps: tuple[Step, ...]
    bodies: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return _walk_text(self.steps, (*self.bodies, self.bodies[0]))


@dataclass(frozen=True)
class Assembly:
    """Bodies that hang together, the joints among them, and the reference body from which paths are counted."""

    reference: str
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    kind: str = field(default="", compare=False)

    @property
    def n_loops(self) -> int:
        """Independent loops of this assembly."""
        return len(self.joints) - len(self.bodies) + 1


@dataclass(frozen=True)
class ChainCodes:
    """Chain codes such as RSSR: `loops` by the name of the chord, `ends` by the name of the body at an open end."""

    loops: Mapping[str, str]
    ends: Mapping[str, str]

    def __str__(self) -> str:
        return ", ".join([*self.loops.values(), *(f"{code} to {body}" for body, code in self.ends.items())])


@dataclass(frozen=True, repr=False)
class Topology:
    """The graph of a mechanism with its spanning tree; made by `topology`.

    `bodies` are in declared order with ground last, `edges` and `joints` in declared order. `tree` lists the joints of
    the spanning tree from the references outward, `chords` the others in declared order. `assemblies` begins with that
    of ground. `parent`, `depth` (joints to the reference) and `degree` (joints on the body) go by the name of a body;
    references have no parent.
    """

    bodies: tuple[str, ...]
    edges: tuple[Edge, ...]
    ground: str
    tree: tuple[str, ...]
    chords: tuple[str, ...]
    assemblies: tuple[Assembly, ...] = field(compare=False)
    parent: Mapping[str, Parent] = field(compare=False)
    depth: Mapping[str, int] = field(compare=False)
    degree: Mapping[str, int] = field(compare=False)

    def __repr__(self) -> str:
        return (
            f"Topology: {_count(len(self.bodies), 'body')}, {_count(len(self.edges), 'joint')}, "
            f"{_count(self.n_loops, 'loop')}, {_count(len(self.assemblies), 'assembly')}\n"
            f"  {self.kind}; ground {self.ground}; cut: {_names(self.chords, 12)}"
        )

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints in declared order."""
        return tuple(self._edge)

    @property
    def n_loops(self) -> int:
        """Number of independent loops: joints - bodies + assemblies."""
        return len(self.chords)

    @property
    def kind(self) -> str:
        """The kind of the assembly, or the kinds of all, counted, where there are several.

        A chain is *simple* while no body carries more than two joints, and then open or closed. Otherwise it is
        *branched* (no loops), *combined* (loops and open ends), or *complex closed* (loops and no open end).
        """
        if len(self.assemblies) == 1:
            return self.assemblies[0].kind
        kinds = Counter(a.kind for a in self.assemblies)
        return ", ".join(f"{n} {kind}" for kind, n in kinds.items())

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """The independent loops, one a chord, in the order of `chords`.

        Their steps together can outnumber the joints by far when the tree is deep; `loop` gives one alone.
        """
        return tuple(self.loop(chord) for chord in self.chords)

    @cached_property
    def looped(self) -> frozenset[str]:
        """Joints that lie on a loop; any other one alone holds its two sides together.

        Every chord climbs from both its ends to where they meet; joints passed once are not walked again.
        """
        found = set(self.chords)
        upward: dict[str, str] = {}  # from a body to one above it, past joints that are known to lie on a loop

        def top(body: str) -> str:
            while (above := upward.get(body)) is not None:
                upward[body] = upward.get(above, above)
                body = above
            return body

        for chord in self.chords:
            edge = self._edge[chord]
            low, high = top(edge.head), top(edge.tail)
            while low != high:
                if self.depth[low] < self.depth[high]:
                    low, high = high, low
                joint, above, _ = self.parent[low]
                found.add(joint)
                upward[low] = above
                low = top(above)
        return frozenset(found)

    @cached_property
    def short_steps(self) -> tuple[tuple[Step, ...], ...]:
        """Steps of as many independent loops, short ones: each has one chord that none before it has.

        Chords whose loops are short come first; each returns by the shortest way through the tree and the chords before
        it, or through the tree alone where a search would look at far more joints than that has.
        """
        beside: dict[str, list[tuple[str, str, int]]] = {body: [] for body in self.bodies}

        def add(edge: Edge) -> None:
            beside[edge.tail].append((edge.head, edge.name, 1))
            beside[edge.head].append((edge.tail, edge.name, -1))

        for joint in self.tree:
            add(self._edge[joint])
        found = []
        for loop in sorted(self.loops, key=len):
            edge = self._edge[loop.chord]
            way = self._way(edge.tail, edge.head, beside, SEARCHED * len(loop))
            found.append(loop.steps if way is None else (*way, (loop.chord, -1)))
            add(edge)
        return tuple(found)

    @staticmethod
    def _way(
        start: str, end: str, beside: Mapping[str, Sequence[tuple[str, str, int]]], most: int
    ) -> tuple[Step, ...] | None:
        """The shortest way between two bodies; None where that is not found among so many bodies."""
        came: dict[str, tuple[str, Step]] = {start: (start, ("", 0))}
        ahead = deque([start])
        while end not in came:
            if len(came) > most:
                return None
            body = ahead.popleft()
            for other, joint, sign in beside[body]:
                if other not in came:
                    came[other] = body, (joint, sign)
                    ahead.append(other)
        steps = []
        while end != start:
            end, step = came[end]
            steps.append(step)
        return tuple(reversed(steps))

    def loop(self, chord: str) -> Loop:
        """The loop that `chord` closes."""
        edge = self._edge_named(chord)
        if chord not in self._chord_set:
            what = f"joint '{chord}' is in the tree and closes no loop"
            raise InputError(Problem(what, f"joints.{chord}", f"the chords are: {_names(self.chords, 12)}"))
        down: list[tuple[Step, str]] = []  # walked from the head of the chord up to the start, to be turned round
        up: list[tuple[Step, str]] = []  # walked from the tail of the chord up to the start
        low, high = edge.head, edge.tail
        while low != high:
            if self.depth[low] > self.depth[high]:
                joint, body, sign = self.parent[low]
                down.append(((joint, sign), body))
                low = body
            else:
                joint, body, sign = self.parent[high]
                up.append(((joint, -sign), high))
                high = body
        walk = [*reversed(down), ((chord, -1), edge.head), *up]
        return Loop(chord, tuple(step for step, _ in walk), tuple(body for _, body in walk))

    def path(self, body: str) -> tuple[Step, ...]:
        """The steps through the tree from the reference of the assembly to `body`."""
        if body not in self.depth:
            raise InputError(no_such("body", body, self.bodies))
        steps: list[Step] = []
        while body in self.parent:
            joint, body, sign = self.parent[body]
            steps.append((joint, sign))
        return tuple(reversed(steps))

    def incidence(self) -> IntMatrix:
        """Incidence matrix, bodies x joints: +1 where a joint ends, -1 where it starts (Matrix Methods, eq. 2.1)."""
        gamma = np.zeros((len(self.bodies), len(self.edges)), np.int64)
        row = {body: i for i, body in enumerate(self.bodies)}
        for j, edge in enumerate(self.edges):
            gamma[row[edge.head], j] = 1
            gamma[row[edge.tail], j] = -1
        return gamma

    def loop_matrix(self) -> IntMatrix:
        """Loop matrix, loops x joints: the steps of every loop, the chord carrying -1 (Matrix Methods, sec. 2.4)."""
        matrix = np.zeros((self.n_loops, len(self.edges)), np.int64)
        for i, loop in enumerate(self.loops):
            for joint, sign in loop.steps:
                matrix[i, self._column[joint]] = sign
        return matrix

    def path_matrix(self) -> IntMatrix:
        """Path matrix, bodies x joints: the steps from the reference to every body (Matrix Methods, eq. 2.14)."""
        matrix = np.zeros((len(self.bodies), len(self.edges)), np.int64)
        row = {body: i for i, body in enumerate(self.bodies)}
        for body, (joint, above, sign) in self.parent.items():  # parents come before their children
            matrix[row[body]] = matrix[row[above]]
            matrix[row[body], self._column[joint]] = sign
        return matrix

    def arity(self, body: str) -> str:
        """The word for the number of joints on a body: nullary, unary, binary, ternary, quaternary, 5-ary ..."""
        if body not in self.degree:
            raise InputError(no_such("body", body, self.bodies))
        return _arity(self.degree[body])

    def ends(self) -> tuple[str, ...]:
        """Bodies at open ends: joined once, and not the reference of their assembly."""
        return tuple(b for b in self.bodies if self.degree[b] == 1 and b in self.parent)

    def chain_code(self, kinds: Mapping[str, str]) -> ChainCodes:
        """Codes such as RSSR of every loop and every open end, spelled with `kinds`: joint -> letter.

        A loop is read from its body nearest the reference, beginning with the joint declared first of the two that
        leave there, so a loop through ground has one code, whichever of its joints is cut. An open end is read from the
        reference along the tree. Kinds of more than one letter are set apart by hyphens.
        """
        missing = [name for name in self._edge if not kinds.get(name)]
        if missing:
            raise InputError(
                [Problem("no letter for this joint", f"joints.{name}", "add it to kinds") for name in missing]
            )
        glue = "" if all(len(kinds[name]) == 1 for name in self._edge) else "-"

        def spell(steps: Iterable[Step]) -> str:
            return glue.join(kinds[joint] for joint, _ in steps)

        return ChainCodes(
            {loop.chord: spell(self._reading(loop)[0]) for loop in self.loops},
            {body: spell(self.path(body)) for body in self.ends()},
        )

    def report(self, most: int = 40) -> str:
        """The graph in words: sizes, assemblies, tree, chords, loops, degrees, loose bodies.

        Lists and loops longer than `most` are shortened, and say by how much.
        """
        lines = [
            f"{_count(len(self.bodies), 'body')}, {_count(len(self.edges), 'joint')}, "
            f"{_count(self.n_loops, 'independent loop')}, {_count(len(self.assemblies), 'assembly')}: {self.kind}"
        ]
        for i, a in enumerate(islice(self.assemblies, most), 1):
            title = f"assembly {i} ({a.kind}, {_count(a.n_loops, 'loop')}), reference {a.reference}"
            lines.append(f"{title}: {_names(a.bodies, most)}")
        if len(self.assemblies) > most:
            lines.append(f"... and {len(self.assemblies) - most} more assemblies")
        lines.append(f"tree: {_names(self.tree, most)}")
        lines.append(f"cut: {_names(self.chords, most)}")
        for i, chord in enumerate(self.chords[:most], 1):
            lines.append(f"loop {i} (cut at {chord}): {_walk_text(*self._reading(self.loop(chord)), most)}")
        if self.n_loops > most:
            lines.append(f"... and {self.n_loops - most} more loops")
        lines.extend(self._degree_lines(most))
        return "\n".join(lines)

    def _degree_lines(self, most: int) -> Iterator[str]:
        count = Counter(self.degree.values())
        yield "bodies by joints: " + ", ".join(f"{count[d]} {_arity(d)}" for d in sorted(count))
        for degree in sorted(d for d in count if d > 2):
            yield f"{_arity(degree)}: {_names([b for b in self.bodies if self.degree[b] == degree], most)}"
        if ends := self.ends():
            yield f"open ends (joined once): {_names(ends, most)}"
        if loose := [b for b in self.bodies if not self.degree[b]]:
            yield f"joined to nothing: {_names(loose, most)}"

    def _reading(self, loop: Loop) -> tuple[tuple[Step, ...], tuple[str, ...]]:
        """Steps and bodies of a loop, turned round if needed to leave by the joint declared first; closed."""
        bodies = (*loop.bodies, loop.bodies[0])
        if self._column[loop.steps[0][0]] <= self._column[loop.steps[-1][0]]:
            return loop.steps, bodies
        return tuple((joint, -sign) for joint, sign in reversed(loop.steps)), bodies[::-1]

    def _edge_named(self, joint: str) -> Edge:
        if joint not in self._edge:
            raise InputError(no_such("joint", joint, self._edge))
        return self._edge[joint]

    @cached_property
    def _edge(self) -> dict[str, Edge]:
        return {edge.name: edge for edge in self.edges}

    @cached_property
    def _column(self) -> dict[str, int]:
        return {edge.name: j for j, edge in enumerate(self.edges)}

    @cached_property
    def _chord_set(self) -> frozenset[str]:
        return frozenset(self.chords)


def ground_problems(m: Mechanism, graph: Topology) -> list[Problem]:
    """What is wrong between a mechanism and its ground, unless it floats on purpose."""
    if len(graph.bodies) == 1:
        return [Problem("there is nothing but ground", "bodies", "add bodies and joints")]
    if m.floating:
        return []
    if graph.degree[m.ground.name] == 0:
        hint = "join a body to it, name the standing body with `ground:`, or say `floating: true`"
        return [Problem(f"nothing is joined to the ground '{m.ground.name}'", "joints", hint)]
    problems = []
    for assembly in (a for a in graph.assemblies if m.ground.name not in a.bodies):
        names = ", ".join(assembly.bodies[:6]) + (", ..." if len(assembly.bodies) > 6 else "")
        alone = len(assembly.bodies) == 1
        hint = f"join {'it' if alone else 'one of them'} to '{m.ground.name}', or say `floating: true`"
        text = f"the body '{names}' has no joint" if alone else f"not joined to ground: {names}"
        problems.append(Problem(text, "bodies", hint, severity="warning"))
    return problems


def graph_of(m: Mechanism, tree: Literal["shallow", "declared"] = "shallow", cut: tuple[str, ...] = ()) -> Topology:
    """Topology of a mechanism; joints that cannot be part of a graph (reported by the layout) are left out.

    Parameters
    ----------
    m : the mechanism
    tree : "shallow" or "declared", see `linkwork.topology`
    cut : joints that should be chords
    """
    edges = [
        Edge(j.name, j.tail, j.head, j.law.keep)
        for j in m.joints.values()
        if j.tail != j.head and j.tail in m.bodies and j.head in m.bodies
    ]
    return topology(list(m.bodies), edges, m.ground.name, tree=tree, cut=cut)


def topology(
    bodies: Sequence[str],
    edges: Sequence[Edge],
    ground: str,
    tree: Literal["shallow", "declared"] = "shallow",
    cut: Sequence[str] = (),
) -> Topology:
    """The graph of `bodies` joined by `edges`, with a spanning tree rooted at `ground`.

    The tree keeps as much `keep` as a tree can. Among equal joints, `tree="shallow"` keeps paths short (and then
    follows declared order), `tree="declared"` keeps the joint declared first, as elimination from left to right does.
    Joints named in `cut` become chords. An assembly without ground has its first declared body as reference, with
    `tree="declared"` its last, as the book's elimination leaves it.

    >>> t = topology(["ground", "crank", "rod", "rocker"],
    ...              [Edge("A", "ground", "crank"), Edge("B", "crank", "rod"),
    ...               Edge("C", "rod", "rocker"), Edge("D", "ground", "rocker")], "ground")
    >>> t.chords
    ('C',)
    >>> print(t.loops[0])
    ground -D-> rocker <-C- rod <-B- crank <-A- ground
    """
    if tree not in ("shallow", "declared"):
        raise InputError(Problem(f"tree must be 'shallow' or 'declared', not {tree!r}"))
    _check(bodies, edges, ground, cut)
    order = [*(b for b in bodies if b != ground), ground]
    index = {body: i for i, body in enumerate(order)}
    ends = [(index[e.tail], index[e.head]) for e in edges]
    joints_of: list[list[int]] = [[] for _ in order]
    for j, (tail, head) in enumerate(ends):
        joints_of[tail].append(j)
        joints_of[head].append(j)

    first = range(len(order) - 1)
    member = _members(ends, joints_of, [len(order) - 1, *(first if tree == "shallow" else reversed(first))])
    roots = [b for b in (len(order) - 1, *range(len(order) - 1)) if member[b] == b]  # ground first, then declared order

    # The lower the rank, the more a joint is kept; those to be cut come last.
    unwanted = set(cut)
    rank = [(e.name in unwanted, -e.keep) for e in edges]
    in_tree = _prim(ends, joints_of, roots, rank) if tree == "shallow" else _kruskal(ends, rank, len(order))

    # Hang the tree from its roots, nearest bodies first.
    parent: dict[str, Parent] = {}
    depth = {order[root]: 0 for root in roots}
    queue = deque(roots)
    while queue:
        b = queue.popleft()
        for j in joints_of[b]:
            tail, head = ends[j]
            other = head if tail == b else tail
            if in_tree[j] and order[other] not in depth:
                parent[order[other]] = Parent(edges[j].name, order[b], 1 if tail == b else -1)
                depth[order[other]] = depth[order[b]] + 1
                queue.append(other)

    found = Topology(
        bodies=tuple(order),
        edges=tuple(edges),
        ground=ground,
        tree=tuple(p.joint for p in parent.values()),
        chords=tuple(e.name for j, e in enumerate(edges) if not in_tree[j]),
        assemblies=_assemblies(order, edges, ends, joints_of, member, roots),
        parent=parent,
        depth=depth,
        degree={body: len(joints) for body, joints in zip(order, joints_of, strict=True)},
    )
    _check_cut(found, cut)
    return found


def _check(bodies: Sequence[str], edges: Sequence[Edge], ground: str, cut: Sequence[str]) -> None:
    """Refuse names that repeat or point nowhere, and joints from a body to itself: all of them at once."""
    known = set(bodies)
    problems: list[Problem] = []
    for body, n in Counter(bodies).items():
        if n > 1:
            problems.append(Problem(f"body '{body}' is declared {n} times", f"bodies.{body}", "give each its own name"))
    if ground not in known:
        problems.append(no_such("body", ground, bodies, "ground"))
    for name, n in Counter(e.name for e in edges).items():
        if n > 1:
            problems.append(
                Problem(f"joint '{name}' is declared {n} times", f"joints.{name}", "give each its own name")
            )
    for e in edges:
        for end in dict.fromkeys((e.tail, e.head)):
            if end not in known:
                problems.append(no_such("body", end, bodies, f"joints.{e.name}"))
        if e.tail == e.head:
            problems.append(
                Problem(f"joins '{e.tail}' to itself", f"joints.{e.name}", "a joint needs two different bodies")
            )
    names = [e.name for e in edges]
    wrong_cuts = [no_such("joint", name, names, "cut") for name in dict.fromkeys(cut) if name not in names]
    if problems:
        raise ModelError([*problems, *wrong_cuts])
    if wrong_cuts:
        raise InputError(wrong_cuts)


def _check_cut(found: Topology, cut: Sequence[str]) -> None:
    """Refuse a cut that would tear an assembly apart."""
    stuck = [name for name in dict.fromkeys(cut) if name not in found._chord_set]
    if not stuck:
        return
    above = {p.joint: (body, p.body) for body, p in found.parent.items()}
    partners: dict[str, list[str]] = {name: [] for name in stuck}
    for loop in found.loops:
        for joint, _ in loop.steps:
            if joint in partners:
                partners[joint].append(loop.chord)
    problems = []
    for name in stuck:
        a, b = above[name]
        if partners[name]:
            # Every loop through this joint is cut already, by joints that were asked for.
            what = (
                f"joint '{name}' cannot be cut as well: with {_names(partners[name], 12)} cut, "
                f"it alone holds '{a}' to '{b}'"
            )
            hint = "leave one of them out of cut"
        else:
            what = f"joint '{name}' cannot be cut: it is in no loop, and alone holds '{a}' to '{b}'"
            hint = "leave it out of cut"
        problems.append(Problem(what, "cut", hint))
    raise InputError(problems)


def _members(
    ends: Sequence[tuple[int, int]], joints_of: Sequence[Sequence[int]], candidates: Sequence[int]
) -> list[int]:
    """For every body, the reference of its assembly: the first of it among the candidates."""
    member = [-1] * len(joints_of)
    for root in candidates:
        if member[root] >= 0:
            continue
        member[root] = root
        stack = [root]
        while stack:
            for j in joints_of[stack.pop()]:
                for b in ends[j]:
                    if member[b] < 0:
                        member[b] = root
                        stack.append(b)
    return member


def _prim(
    ends: Sequence[tuple[int, int]],
    joints_of: Sequence[Sequence[int]],
    roots: Sequence[int],
    rank: Sequence[tuple[bool, int]],
) -> list[bool]:
    """Grow the tree from every root by the best joint on its border: lowest rank, least depth, first declared."""
    in_tree = [False] * len(ends)
    reached = [False] * len(joints_of)
    for root in roots:
        border: list[tuple[tuple[bool, int], int, int, int]] = [((False, 0), 0, -1, root)]
        while border:
            _, depth, j, b = heapq.heappop(border)
            if reached[b]:
                continue
            reached[b] = True
            if j >= 0:
                in_tree[j] = True
            for k in joints_of[b]:
                tail, head = ends[k]
                other = head if tail == b else tail
                if not reached[other]:
                    heapq.heappush(border, (rank[k], depth + 1, k, other))
    return in_tree


def _kruskal(ends: Sequence[tuple[int, int]], rank: Sequence[tuple[bool, int]], n_bodies: int) -> list[bool]:
    """Take joints by rank, then in declared order, wherever one ties together what was apart."""
    in_tree = [False] * len(ends)
    leader = list(range(n_bodies))

    def find(b: int) -> int:
        while leader[b] != b:
            leader[b] = leader[leader[b]]
            b = leader[b]
        return b

    for j in sorted(range(len(ends)), key=lambda j: rank[j]):  # the sort is stable: ties stay in declared order
        tail, head = find(ends[j][0]), find(ends[j][1])
        if tail != head:
            leader[tail] = head
            in_tree[j] = True
    return in_tree


def _assemblies(
    order: Sequence[str],
    edges: Sequence[Edge],
    ends: Sequence[tuple[int, int]],
    joints_of: Sequence[Sequence[int]],
    member: Sequence[int],
    roots: Sequence[int],
) -> tuple[Assembly, ...]:
    bodies: dict[int, list[int]] = {root: [] for root in roots}
    joints: dict[int, list[str]] = {root: [] for root in roots}
    for b, root in enumerate(member):
        bodies[root].append(b)
    for edge, (tail, _) in zip(edges, ends, strict=True):
        joints[member[tail]].append(edge.name)
    return tuple(
        Assembly(
            order[root],
            tuple(order[b] for b in bodies[root]),
            tuple(joints[root]),
            _kind([len(joints_of[b]) for b in bodies[root]], len(joints[root])),
        )
        for root in roots
    )


def _kind(degrees: Sequence[int], n_joints: int) -> str:
    """Simple or complex, open or closed: decided by degrees alone, so it does not depend on which body is ground."""
    if n_joints == 0:
        return "single body"
    closed = n_joints >= len(degrees)
    if max(degrees) <= 2:
        return "simple closed" if closed else "simple open"
    if not closed:
        return "branched"
    return "combined" if min(degrees) == 1 else "complex closed"


def _arity(degree: int) -> str:
    return _ARITY[degree] if degree < len(_ARITY) else f"{degree}-ary"


def _walk_text(steps: Sequence[Step], bodies: Sequence[str], most: int | None = None) -> str:
    """A walk such as `ground -A-> crank <-B- rod`; a long one keeps its ends and says how many joints lie between."""
    arrows = [f" -{joint}-> " if sign > 0 else f" <-{joint}- " for joint, sign in steps]
    if most is None or len(steps) <= most:
        return bodies[0] + "".join(arrow + body for arrow, body in zip(arrows, bodies[1:], strict=True))
    half = max(most // 2, 1)
    start = bodies[0] + "".join(arrow + body for arrow, body in zip(arrows[:half], bodies[1:], strict=False))
    end = "".join(arrow + body for arrow, body in zip(arrows[-half:], bodies[-half:], strict=True))
    return f"{start} ... {_count(len(steps) - 2 * half, 'joint')} ... {bodies[-half - 1]}{end}"


def _names(names: Sequence[str], most: int) -> str:
    if not names:
        return "none"
    return ", ".join(names[:most]) + (f", ... and {len(names) - most} more" if len(names) > most else "")


def _count(n: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n} {noun if n == 1 else plural}"
