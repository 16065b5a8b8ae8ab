"""Drive efforts and joint reactions of machines with loops, at a known motion.

At variables y, rates w and their derivatives the open tree needs forces r along its joints (`inverse_dynamics`), loads
included. Cut joints carry wrenches λ, whose work on the rates is Jᵀ λ, and drives give efforts e:

    r = e + Jᵀ λ        along every rate, those of cut joints included (which have no mass of their own)

With the pivots of an `Order` (`loop_solver`) and drives at the independent rates this is its transpose: λ from
the dependent rates, then e. Rows that are redundant carry nothing here; what they could carry is indeterminate, and
told as such (`carried`). Constraints of the model have one λ each, which does λ times the gradient of the constraint. A
λ of a joint is the wrench of the first body on the second, so that cut joints and joints of the tree are reported
alike. Uicker, Ravani, Sheth, Matrix Methods, sec. 11.5 and 17.2-17.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

from linkwork.equations.closure import ROWS
from linkwork.equations.inverse_dynamics import handed_inward, inertia_forces, link_motion
from linkwork.equations.kinematics import link_poses
from linkwork.equations.loads import Modes, applied_loads, rotor_inertias, with_external
from linkwork.equations.loop_solver import Order, Pivot, factorise
from linkwork.equations.quantities import matrix_entries, on_second_body
from linkwork.equations.quantity import Quantity
from linkwork.equations.rows import Equations, row_equations, sparse_rows
from linkwork.equations.scalars import Block
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import ZERO, Vector, add, apply, apply_t, cross, dot, neg, scale, sub

Wanted = Literal["efforts", "reactions"]


def closed_forces(order: Order, wanted: Wanted, external: bool, states: bool = False) -> Quantity:
    """Efforts at the independent rates, and reactions of all joints if they are wanted.

    Inputs are y, w, dw, effort (what other drives give already), t, and with `external` a force and a moment (about its
    origin, world axes) on every body of the tree. Reactions are [force; moment] of the first body on the second at the
    joint's frame on the second, along its axes; joints of the tree first, then those cut. Multipliers of the model's
    constraints come last, where there are any. With `states` the values of named states are the last input.
    """
    inputs, more = _inputs(external, states)
    law = partial(_closed_forces, order, wanted)
    name = f"closed forces {wanted} {more}{order.key}"
    return Quantity(name, inputs, law, regroups=wanted == "efforts", title="closed_forces")


def _inputs(external: bool, states: bool) -> tuple[tuple[str, ...], str]:
    """Inputs of forces, and what tells them from others."""
    more = [name for name, given in (("external", external), ("states", states)) if given]
    return ("y", "w", "dw", "effort", "t", *more), "".join(f"{name} " for name in more)


def needed_efforts(external: bool, states: bool = False) -> Quantity:
    """Efforts that the tree needs along all rates while its loops carry nothing; inputs as of `closed_forces`."""
    inputs, name = _inputs(external, states)
    return Quantity(f"needed efforts {name}", inputs, _needed_alone, title="needed_efforts")


def reactions_by(external: bool, states: bool = False) -> Quantity:
    """Reactions as of `closed_forces`, for multipliers of all rows that are given as the last input."""
    inputs, name = _inputs(external, states)
    return Quantity(f"reactions by multipliers {name}", (*inputs, "cut_wrench"), _reactions_alone, title="reactions_by")


def watched_efforts(order: Order) -> Quantity:
    """Efforts as `closed_forces` has them, and whether pivots have shrunk: (y, w, dw, t, weight) -> efforts, weakness.

    Weakness is Σ (weight / pivot)², with weights by row, over all pivots that move.
    """
    inputs = ("y", "w", "dw", "t", "weight")
    law = partial(_watched, order)
    return Quantity(f"watched efforts {order.key}", inputs, law, regroups=True, title="watched_efforts")


def carried() -> Quantity:
    """Reactions of all joints to wrenches of the cut joints alone: (y, cut_wrench) -> wrench; linear in the second."""
    return Quantity("carried", ("y", "cut_wrench"), _carried)


def idle_wrenches(order: Order) -> Quantity:
    """Reactions of all joints in equilibrium by themselves: (y, cut_wrench) -> wrench, multipliers of constraints.

    Of `cut_wrench` the redundant rows are taken as given; the others follow from Jᵀ λ = 0 by the pivots of an order.
    """
    law = partial(_idle_wrenches, order)
    return Quantity(f"idle wrenches {order.key}", ("y", "cut_wrench"), law, title="idle_wrenches")


def load_state(states: bool = False) -> Quantity:
    """All loads: (y, w, t) -> magnitudes, powers; with `states` the values of named states are an input, too."""
    if states:
        return Quantity("load state of states", ("y", "w", "t", "states"), _load_state)
    return Quantity("load state", ("y", "w", "t"), _load_state)


def _load_state(tree: Tree, x: Mapping[str, Sequence[Any]]) -> list[Block]:
    found = applied_loads(tree, x["t"][0], x["y"], x["w"], Modes(states=x.get("states")))
    count = len(tree.plan.loads)
    return [
        ("magnitudes", list(found.magnitudes), (count,)),
        ("powers", list(found.powers), (count,)),
    ]


def _carried(tree: Tree, x: Mapping[str, Sequence[Any]]) -> list[Block]:
    found = row_equations(tree, x["y"])
    none: list[Vector] = [ZERO] * len(tree.links)
    rows = _wrenches(tree, found, list(x["cut_wrench"]), none, none)
    return [("wrench", rows, (len(rows) // 6, 6))]


# ---------------------------------------------------------------- efforts and reactions


def _closed_forces(order: Order, wanted: Wanted, tree: Tree, x: Mapping[str, Sequence[Any]]) -> list[Block]:
    return _forces_by_pivots(order, wanted, tree, x)[0]


def _forces_by_pivots(
    order: Order, wanted: Wanted, tree: Tree, x: Mapping[str, Sequence[Any]]
) -> tuple[list[Block], list[Pivot]]:
    plan = tree.plan
    needed, f, n = _needed(tree, x)
    found = row_equations(tree, x["y"])
    rows = sparse_rows(found)
    pivots = factorise(rows, order)
    multipliers = _solve_transposed(pivots, needed)
    dependent = {p.column for p in pivots}
    efforts: list[Any] = []
    holders = _columns(rows, multipliers)
    for k in range(plan.nw):
        if k in dependent:
            efforts.append(0.0)
            continue
        total = needed[k]
        for r in holders.get(k, ()):
            total = total - rows[r][k] * multipliers[r]
        efforts.append(total)
    outputs: list[Block] = [("efforts", efforts, (plan.nw,))]
    if wanted == "reactions":
        outputs += _reactions(tree, found, [multipliers.get(r, 0.0) for r in range(plan.nl)], f, n)
    return outputs, pivots


def _needed(tree: Tree, x: Mapping[str, Sequence[Any]]) -> tuple[list[Any], list[Vector], list[Vector]]:
    """Forces that the open tree needs along all rates, and on its links."""
    y, w, dw = x["y"], x["w"], x["dw"]
    plan, nv = tree.plan, tree.nv
    loaded = applied_loads(tree, x["t"][0], y, w, Modes(states=x.get("states")))
    applied = with_external(tree, loaded.applied, x["external"]) if "external" in x else loaded.applied
    forces, moments = applied.forces, applied.moments
    own_forces = inertia_forces(tree, link_motion(tree, w[:nv], dw[:nv]), dw[:nv])
    f = [sub(e, forces[i]) if i in forces else e for i, e in enumerate(own_forces.f)]
    n = [sub(e, moments[i]) if i in moments else e for i, e in enumerate(own_forces.n)]
    needed = [*handed_inward(tree, f, n, own_forces.along).tau, *[0.0] * (plan.nw - nv)]
    for k in range(plan.nw):
        own = loaded.applied.rotors.get(k, 0.0) * dw[k] - loaded.applied.along.get(k, 0.0)
        needed[k] = needed[k] + own - (x["effort"][k] if "effort" in x else 0.0)
    return needed, f, n


def _reactions(
    tree: Tree, found: Equations, every: Sequence[Any], f: Sequence[Vector], n: Sequence[Vector]
) -> list[Block]:
    wrenches = _wrenches(tree, found, every, f, n)
    return [("wrench", wrenches, (len(wrenches) // 6, 6)), *_multipliers(tree, every)]


def _needed_alone(tree: Tree, x: Mapping[str, Sequence[Any]]) -> list[Block]:
    return [("needed", _needed(tree, x)[0], (tree.plan.nw,))]


def _reactions_alone(tree: Tree, x: Mapping[str, Sequence[Any]]) -> list[Block]:
    _, f, n = _needed(tree, x)
    return _reactions(tree, row_equations(tree, x["y"]), list(x["cut_wrench"]), f, n)


def _watched(order: Order, tree: Tree, x: Mapping[str, Sequence[Any]]) -> list[Block]:
    outputs, pivots = _forces_by_pivots(order, "efforts", tree, x)
    weakness: Any = 0.0
    for p in pivots:
        if not isinstance(p.inverse, float | int):
            own = x["weight"][p.row] * p.inverse
            weakness = weakness + own * own
    return [*outputs, ("weakness", [weakness], ())]


def _multipliers(tree: Tree, every: Sequence[Any]) -> list[Block]:
    """Those of the model's constraints, which come after those of all cut joints; nothing where there are none."""
    own = list(every[tree.plan.nl - len(tree.plan.constraints) :]) if tree.plan.constraints else []
    return [("multipliers", own, (len(own),))] if own else []


def _idle_wrenches(order: Order, tree: Tree, x: Mapping[str, Sequence[Any]]) -> list[Block]:
    found, given = row_equations(tree, x["y"]), x["cut_wrench"]
    rows = sparse_rows(found)
    pivots = factorise(rows, order)
    kept = {p.row for p in pivots}
    free = {r: given[r] for r in rows if r not in kept}
    right: list[Any] = [0.0] * tree.plan.nw
    for r, multiplier in free.items():
        for k, entry in rows[r].items():
            right[k] = right[k] - entry * multiplier
    multipliers = {**_solve_transposed(pivots, right), **free}
    none: list[Vector] = [ZERO] * len(tree.links)
    every = [multipliers[r] for r in range(tree.plan.nl)]
    wrenches = _wrenches(tree, found, every, none, none)
    return [("wrench", wrenches, (len(wrenches) // 6, 6)), *_multipliers(tree, every)]


def _columns(rows: Mapping[int, Mapping[int, Any]], chosen: Mapping[int, Any]) -> dict[int, list[int]]:
    """By column, the chosen rows that have an entry there."""
    found: dict[int, list[int]] = {}
    for r in chosen:
        for c in rows[r]:
            found.setdefault(c, []).append(r)
    return found


def _solve_transposed(pivots: Sequence[Pivot], right: Sequence[Any]) -> dict[int, Any]:
    """Multipliers by row with Aᵀ λ = right (by column): Uᵀ z = right forwards, Lᵀ λ = z backwards."""
    left = {p.column: right[p.column] for p in pivots}
    z: dict[int, Any] = {}
    for p in pivots:
        z[p.row] = left[p.column] * p.inverse
        for c, entry in p.right:
            left[c] = left[c] - entry * z[p.row]
    multipliers: dict[int, Any] = {}
    for p in reversed(pivots):
        total = z[p.row]
        for r, factor in p.below:
            total = total - factor * multipliers[r]
        multipliers[p.row] = total
    return multipliers


def _wrenches(
    tree: Tree, found: Equations, multipliers: Sequence[Any], f: Sequence[Vector], n: Sequence[Vector]
) -> list[Any]:
    """Reactions of all joints when rows have these multipliers, and links need forces f and moments n."""
    f, n = list(f), list(n)
    for row, multiplier in zip(found.others, multipliers[ROWS * len(found.loops) :], strict=True):
        for link, (moment, force) in row.pushes.items():
            f[link] = sub(f[link], scale(multiplier, force))
            n[link] = sub(n[link], scale(multiplier, moment))
    cut_rows: list[Any] = []
    for c, loop in enumerate(found.loops):
        six = multipliers[ROWS * c : ROWS * c + ROWS]
        f_M, n_M = apply(loop.linear, six[:3]), apply(loop.angular, six[3:])
        cut_rows += [*f_M, *n_M]
        cut, given = tree.plan.cuts[c], tree.cuts[c]
        f_F, n_F = apply(loop.step.R, f_M), apply(loop.step.R, n_M)
        on_tail = neg(f_F), neg(add(n_F, cross(loop.step.p, f_F)))
        for link, X, (force, moment) in ((cut.head, given.head, (f_M, n_M)), (cut.tail, given.tail, on_tail)):
            if link >= 0:
                turned = apply(X.R, force)
                f[link] = sub(f[link], turned)
                n[link] = sub(n[link], add(apply(X.R, moment), cross(X.p, turned)))
    handed = handed_inward(tree, f, n)
    rows: list[Any] = []
    for own, force, moment in zip(tree.bodies, handed.f, handed.n, strict=False):
        rows += on_second_body(own, force, moment)
    return rows + cut_rows


def needed_power() -> Quantity:
    """Power that masses and rotors take, weight included, from the motion of the bodies: (y, w, dw) -> P [W]."""
    return Quantity("needed power", ("y", "w", "dw"), _needed_power)


def _needed_power(tree: Tree, x: Mapping[str, Sequence[Any]]) -> list[Block]:
    nv, w, dw = tree.nv, x["w"], x["dw"]
    motion = link_motion(tree, w[:nv], dw[:nv])
    own_forces = inertia_forces(tree, motion, dw[:nv])
    f, n = own_forces.f, own_forces.n
    moving: list[Vector] = []
    total: Any = 0.0
    for i, link in enumerate(tree.links):
        before, turning = (moving[link.parent], motion.w[link.parent]) if link.parent >= 0 else (ZERO, ZERO)
        v = apply_t(link.R, add(add(before, cross(turning, link.p)), link.slide(w[:nv])))
        moving.append(v)
        total = total + dot(f[i], v) + dot(n[i], motion.w[i])
    for k, force in own_forces.along.items():
        total = total + force * w[k]
    for k, inertia in rotor_inertias(tree).items():
        total = total + inertia * dw[k] * w[k]
    return [("power", [total], ())]


def joint_frames() -> Quantity:
    """Frames F and M of all joints in the world, those of the tree first, then those cut: y -> X_WF, X_WM."""
    return Quantity("joint frames", ("y",), _joint_frames)


def _joint_frames(tree: Tree, x: Mapping[str, Sequence[Any]]) -> list[Block]:
    poses = link_poses(tree)
    first: list[Any] = []
    second: list[Any] = []
    for i, link in enumerate(tree.bodies):
        outer = poses[i] if link.chain is None else poses[i] @ link.outer
        inner = outer @ link.step.inverse()
        F, M = (inner, outer) if link.sign > 0 else (outer, inner)
        first += matrix_entries(F)
        second += matrix_entries(M)
    for cut, given in zip(tree.plan.cuts, tree.cuts, strict=True):
        for rows, i, X in ((first, cut.tail, given.tail), (second, cut.head, given.head)):
            rows += matrix_entries(X if i < 0 else poses[i] @ X)
    count = len(tree.bodies) + len(tree.plan.cuts)
    return [("X_WF", first, (count, 4, 4)), ("X_WM", second, (count, 4, 4))]


def constraint_jacobian() -> Quantity:
    """Jacobian of all loops over the rates of all joints, dense: y -> J (rows, rates)."""
    return Quantity("constraint_jacobian", ("y",), _constraint_jacobian)


def _constraint_jacobian(tree: Tree, x: Mapping[str, Sequence[Any]]) -> list[Block]:
    rows = sparse_rows(row_equations(tree, x["y"]))
    nw = tree.plan.nw
    entries = [rows[r].get(c, 0.0) for r in sorted(rows) for c in range(nw)]
    return [("J", entries, (len(rows), nw))]
