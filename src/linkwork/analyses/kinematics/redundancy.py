"""Constraints that say nothing new, and the joints that cause them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops, Roles
from linkwork.analyses.mobility import joint_twists, loop_kinds
from linkwork.geometry import Array
from linkwork.numerics.elimination import left_null
from linkwork.numerics.sparse_order import SparseFactor

SHOWN = 60
"""Joints that are named in a text."""
PIECE = 256
"""Redundant rows that are looked at together."""


@dataclass(frozen=True)
class Redundancy:
    """Constraints that say nothing new.

    count : how many; joints : of the loops that share them, any of which could give the freedom away, and constraints
    kind : what the loops' joints generate (planar, spherical, ...), empty where loops of different kinds are coupled
    """

    count: int
    joints: tuple[str, ...]
    kind: str

    def __str__(self) -> str:
        kind = f" ({self.kind})" if self.kind else ""
        more = f" and {len(self.joints) - SHOWN} more" if len(self.joints) > SHOWN else ""
        return f"{self.count} among {', '.join(self.joints[:SHOWN])}{more}{kind}"


def redundancies_of(loops: Loops, y: Array, roles: Roles) -> tuple[Redundancy, ...]:
    """Redundant equations by the sets of loops whose equations depend on each other."""
    if not loops.count or not len(roles.redundant_rows):
        return ()
    group_of = _group_of(loops)
    if loops.sparse:
        groups = _tied(loops.independent_rows(y), group_of)
    else:
        groups = _grouped(left_null(loops.equations(y)[1], 1e-7), group_of)
    kind_of = _kinds(loops, [loops.groups[k].name for own, _ in groups for k in own if loops.groups[k].of_loop])
    place = {j: k for k, j in enumerate(loops.system.mechanism.joints)}
    found = []
    for members, count in groups:
        makers = [loops.groups[k] for k in sorted(members)]
        chords, others = [g.name for g in makers if g.of_loop], [g.name for g in makers if not g.of_loop]
        steps = dict.fromkeys(j for c in chords for j, _ in loops.system.topology.loop(c).steps)
        declared = sorted(steps, key=place.__getitem__)
        kinds = {kind_of[c] for c in chords} | ({""} if others else set())
        found.append(Redundancy(count, (*declared, *others), kinds.pop() if len(kinds) == 1 else ""))
    return tuple(found)


def _group_of(loops: Loops) -> NDArray[np.int64]:
    """By row, the number of its group."""
    return np.concatenate([np.full(len(g.rows), k) for k, g in enumerate(loops.groups)])


def _grouped(null: Array, group_of: NDArray[np.int64]) -> list[tuple[set[int], int]]:
    """Groups of rows that share columns of a left null space, and how many columns they have together."""
    groups: list[tuple[set[int], int]] = []
    for column in null.T:
        members = {int(group_of[r]) for r in np.flatnonzero(np.abs(column) > 1e-6)}
        count = 1
        for other, n in [g for g in groups if g[0] & members]:
            groups.remove((other, n))
            members, count = members | other, count + n
        groups.append((members, count))
    return sorted(groups, key=lambda g: min(g[0]))


def _tied(factor: SparseFactor, group_of: NDArray[np.int64]) -> list[tuple[set[int], int]]:
    """The same from a sparse elimination: each redundant row is made of the pivots' rows."""
    order = factor.order
    leader = {int(k): int(k) for k in group_of[order.redundant_rows]}
    above: dict[int, int] = {}

    def top(k: int) -> int:
        while (other := above.get(k, k)) != k:
            above[k] = above.get(other, other)
            k = other
        return k

    for start in range(0, len(order.redundant_rows), PIECE):
        rows = order.redundant_rows[start : start + PIECE]
        parts = np.abs(factor.dependences(slice(start, start + len(rows)))) > 1e-6
        for row, part in zip(rows.tolist(), parts, strict=True):
            for k in np.unique(group_of[order.rows[part]]).tolist():
                above[top(k)] = top(int(group_of[row]))
    members: dict[int, set[int]] = {}
    for k in {*leader, *above, *above.values()}:
        members.setdefault(top(k), set()).add(k)
    counts = Counter(top(int(k)) for k in group_of[order.redundant_rows])
    return sorted(((members[k], n) for k, n in counts.items()), key=lambda g: min(g[0]))


def _kinds(loops: Loops, chords: Sequence[str]) -> dict[str, str]:
    """Kinds of motion that the joints of loops generate, at the layout."""
    system = loops.system
    twists = joint_twists(system.mechanism, system.layout)
    spans = [np.hstack([twists[j] for j, _ in system.topology.loop(chord).steps]) for chord in chords]
    names = [kind.name for kind in loop_kinds(spans)]
    return {chord: "" if name == "spatial" else name for chord, name in zip(chords, names, strict=True)}
