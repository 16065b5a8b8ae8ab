"""Constraints that say nothing new, and the joints that cause them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops, Roles
from linkwork.analyses.mobility import joint_twists, loop_kind
from linkwork.geometry import Array
from linkwork.numerics.elimination import left_null


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
        return f"{self.count} among {', '.join(self.joints)}{kind}"


def redundancies_of(loops: Loops, y: Array, roles: Roles) -> tuple[Redundancy, ...]:
    """Redundant equations by the sets of loops whose equations depend on each other."""
    if not loops.count or not len(roles.redundant_rows):
        return ()
    if loops.huge:
        groups = [
            ({int(k)}, int(n))
            for k, n in zip(*np.unique(_group_of(loops)[roles.redundant_rows], return_counts=True), strict=True)
        ]
    else:
        groups = _grouped(left_null(loops.equations(y)[1], 1e-7), _group_of(loops))
    found = []
    for members, count in groups:
        makers = [loops.groups[k] for k in sorted(members)]
        chords, others = [g.name for g in makers if g.of_loop], [g.name for g in makers if not g.of_loop]
        steps = dict.fromkeys(j for c in chords for j, _ in loops.system.topology.loop(c).steps)
        declared = tuple(j for j in loops.system.mechanism.joints if j in steps)
        kinds = {_kind(loops, c) for c in chords} | ({""} if others else set())
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


def _kind(loops: Loops, chord: str) -> str:
    """Kind of motion that the joints of a loop generate, at the layout."""
    system = loops.system
    twists = joint_twists(system.mechanism, system.layout)
    steps: list[NDArray[np.float64]] = [twists[j] for j, _ in system.topology.loop(chord).steps]
    name = loop_kind(np.hstack(steps)).name
    return "" if name == "spatial" else name
