"""Constraints that say nothing new, and the joints that cause them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops, Roles
from linkwork.analyses.mobility import joint_twists, loop_kind
from linkwork.equations.closure import ROWS
from linkwork.geometry import Array
from linkwork.numerics.elimination import left_null


@dataclass(frozen=True)
class Redundancy:
    """Constraints that say nothing new.

    count : how many; joints : of the loops that share them, any of which could give the freedom away
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
            for k, n in zip(*np.unique(roles.redundant_rows // ROWS, return_counts=True), strict=True)
        ]
    else:
        groups = _grouped(left_null(loops.equations(y)[1], 1e-7))
    found = []
    for members, count in groups:
        chords = [loops.plan.cuts[k].joint for k in sorted(members)]
        steps = dict.fromkeys(j for c in chords for j, _ in loops.system.topology.loop(c).steps)
        declared = tuple(j for j in loops.system.mechanism.joints if j in steps)
        kinds = {_kind(loops, c) for c in chords}
        found.append(Redundancy(count, declared, kinds.pop() if len(kinds) == 1 else ""))
    return tuple(found)


def _grouped(null: Array) -> list[tuple[set[int], int]]:
    """Loops that share columns of a left null space, and how many columns each group has."""
    groups: list[tuple[set[int], int]] = []
    for column in null.T:
        members = {int(r) // ROWS for r in np.flatnonzero(np.abs(column) > 1e-6)}
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
