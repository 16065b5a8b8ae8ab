"""The equations of motion of a machine with loops as one system: links, joints of the tree, and cut joints with rows.

Cut joints bring the constraints that their laws leave (`loop_rows`), the model's own constraints a row each
(`expression_rows`). Rates of cut joints that drive a rotor, or that such a row speaks of, stay unknowns of their own. A
hub that many loops run through may be released from its place in the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Literal

from linkwork.equations.acceleration_system import AccelerationSystem, Key
from linkwork.equations.inverse_dynamics import Applied, inertia_forces, link_motion
from linkwork.equations.loop_rows import CutRows, Margin, RowAxes, along, combined, constraints, cut_rows, row_weights
from linkwork.equations.rows import constraint_rows
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import ZERO, Vector, add, apply, cross, is_zero, neg, sub

HUB, OWN = -1, -2
"""Stand for the joint of the hub among the cut joints, and for the model's own constraints."""
Place = tuple[int, int]
"""A cut joint, the hub or `OWN`, and the number of its constraint."""


@dataclass(frozen=True)
class State:
    """Scalars of a state: variables, rates and efforts of all joints, and what loads do at it.

    mismatch : what cut joints miss, in the place of what their accelerations do
    """

    y: Sequence[Any]
    w: Sequence[Any]
    effort: Sequence[Any]
    applied: Applied
    mismatch: Sequence[Any] | None = None


@dataclass(frozen=True)
class Choice:
    """How the equations are written.

    axes : along which cut joints are compared; hub : link that is released, -1 for none
    efforts : of which joints there are efforts
    """

    axes: RowAxes
    hub: int
    efforts: Literal["tree", "all"]


@dataclass(frozen=True)
class MotionEquations:
    """The system, the rows of the cut joints, and the multiplier of every constraint."""

    system: AccelerationSystem
    cuts: list[CutRows]
    multipliers: dict[Place, Key]


def motion_equations(tree: Tree, state: State, choice: Choice, margin: Margin) -> MotionEquations:
    """Equations of motion with every constraint of every cut joint.

    margin : tells how safe a pivot among a joint's own rates is, where there is a choice
    """
    state = replace(state, applied=with_lent(tree, state.applied))
    nv, w, applied = tree.nv, state.w, state.applied
    motion = link_motion(tree, w[:nv], [0.0] * nv)
    own_forces = inertia_forces(tree, motion, [0.0] * nv)
    f, n = own_forces.f, own_forces.n
    system = AccelerationSystem(tree)
    for i, link in enumerate(tree.links):
        system.load(i, sub(applied.moments.get(i, ZERO), n[i]), sub(applied.forces.get(i, ZERO), f[i]))
        if link.matter is not None:
            system.fill(i, link.matter)
    for k, force in own_forces.along.items():
        system.push(("q", k), -force)
    held = set(tree.links[choice.hub].dofs) if choice.hub >= 0 else set()
    for k in (k for k in range(nv) if k not in held):
        system.push(("q", k), state.effort[k] + applied.along.get(k, 0.0))
        system.add(("q", k), ("q", k), applied.rotors.get(k, 0.0))
    cuts = cut_rows(tree, motion, state.y, w, choice.axes, state.mismatch)
    multipliers: dict[Place, Key] = {}
    own = constraint_rows(tree, state.y, w)
    kept = {k for row in own for k in row.along if k >= nv}
    for c, rows in enumerate(cuts):
        multipliers |= _join(system, c, rows, state, choice, margin, kept)
    for slot in tree.plan.measured:
        for k in range(slot.v.start, slot.v.stop):
            system.add(("u", k), ("u", k), applied.rotors.get(k, 0.0))
            system.push(("u", k), state.effort[k])
    if choice.hub >= 0:
        multipliers |= _release(system, choice.hub, 6 * len(cuts), state, margin)
    gammas = [row.gamma for row in own] if state.mismatch is None else state.mismatch[6 * len(cuts) :]
    for r, (row, gamma) in enumerate(zip(own, gammas, strict=True)):
        key = multipliers[OWN, r] = ("l", 6 * (len(cuts) + 1) + r)
        for i, wrench in row.pushes.items():
            system.couple(key, i, wrench)
        for k, entry in row.along.items():
            system.add(key, ("q", k) if k < nv else ("u", k), entry)
        system.push(key, -gamma)
    return MotionEquations(system, cuts, multipliers)


def with_lent(tree: Tree, applied: Applied) -> Applied:
    """Rotors with the inertias that are lent to rates that follow laws."""
    if not tree.plan.lent:
        return applied
    rotors = dict(applied.rotors)
    for k, inertia in tree.plan.lent:
        rotors[k] = rotors.get(k, 0.0) + inertia
    return replace(applied, rotors=rotors)


def _join(
    system: AccelerationSystem,
    c: int,
    rows: CutRows,
    state: State,
    choice: Choice,
    margin: Margin,
    kept: AbstractSet[int],
) -> dict[Place, Key]:
    """Constraints and efforts of a cut joint; rates to be kept are unknowns of their own, as those with a rotor."""
    cut, own, rotors = rows.cut, range(rows.cut.w.start, rows.cut.w.stop), state.applied.rotors
    turning = [j for j, k in enumerate(own) if k in rotors or k in kept]
    plain = [j for j in range(len(own)) if j not in turning]
    multipliers: dict[Place, Key] = {}
    for r, weights in enumerate(constraints([rows.S[j] for j in plain], margin)):
        row, key = combined(rows.rows, weights), ("l", 6 * c + r)
        system.couple(key, cut.head, row.head)
        system.couple(key, cut.tail, row.tail)
        system.push(key, -row.gamma)
        multipliers[c, r] = key
        for j in turning:
            moved = sum((x * rows.S[j][k] for k, x in weights.items()), 0.0)
            system.add(key, ("u", own[j]), -moved)
    driven = choice.efforts == "all"
    pushes = [state.applied.along.get(k, 0.0) + (state.effort[k] if driven else 0.0) for k in own]
    wrench: list[Any] = [0.0] * 6
    if any(not is_zero(pushes[j]) for j in plain):
        S = [rows.S[j] for j in plain]
        wrench = along(S, [pushes[j] for j in plain], row_weights(S, system.tree.plan))
        pair = combined(rows.rows, dict(enumerate(wrench)))
        for link, (moment, force) in ((cut.head, pair.head), (cut.tail, pair.tail)):
            if link >= 0:
                system.load(link, moment, force)
    for j in turning:  # the wrench of the other efforts works on these rates too
        system.add(("u", own[j]), ("u", own[j]), rotors.get(own[j], 0.0))
        system.push(("u", own[j]), pushes[j] - sum((s * x for s, x in zip(rows.S[j], wrench, strict=True)), 0.0))
    return multipliers


def _release(system: AccelerationSystem, hub: int, first: int, state: State, margin: Margin) -> dict[Place, Key]:
    """Constraints and efforts of the hub's own joint, which holds it no longer in the tree."""
    link, rotors = system.tree.links[hub], state.applied.rotors
    S = {k: (*link.Sw[j], *link.lever(j)) for j, k in enumerate(link.dofs)}
    pushes = {k: state.effort[k] + state.applied.along.get(k, 0.0) for k in link.dofs}
    plain = [k for k in link.dofs if k not in rotors]
    own = [[weights.get(c, 0.0) for c in range(6)] for weights in constraints([S[k] for k in plain], margin)]
    multipliers: dict[Place, Key] = {(HUB, r): ("l", first + r) for r in range(len(own))}
    system.release(hub, own, list(multipliers.values()))
    wrench = along([S[k] for k in plain], [pushes[k] for k in plain])
    n1, n2, n3, f1, f2, f3 = wrench
    _load_pair(system, hub, (n1, n2, n3), (f1, f2, f3))
    for k in (k for k in link.dofs if k in rotors):  # a rotor resists the rate itself, as in cut joints
        for key, weights in zip(multipliers.values(), own, strict=True):
            system.add(key, ("u", k), -sum((x * s for x, s in zip(weights, S[k], strict=True)), 0.0))
        system.add(("u", k), ("u", k), rotors[k])
        system.push(("u", k), pushes[k] - sum((s * x for s, x in zip(S[k], wrench, strict=True)), 0.0))
    return multipliers


def _load_pair(system: AccelerationSystem, i: int, n: Vector, f: Vector) -> None:
    """A moment and a force on a link, and their opposites on its parent."""
    link = system.tree.links[i]
    system.load(i, n, f)
    if link.parent >= 0:
        Rf = apply(link.R, f)
        system.load(link.parent, neg(add(apply(link.R, n), cross(link.p, Rf))), neg(Rf))
