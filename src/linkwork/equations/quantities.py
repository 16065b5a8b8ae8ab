"""What can be asked of a tree: each quantity by name, with its inputs, outputs and the law that gives it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from linkwork.equations import coordinates, energy, forward_dynamics, kinematics
from linkwork.equations.inverse_dynamics import Applied, inverse_dynamics
from linkwork.equations.kinematics import Target, target_named
from linkwork.equations.load_kinds.gravity import FieldPlan
from linkwork.equations.load_kinds.plans import LoadPlan
from linkwork.equations.load_plans import feel_cuts, is_timed
from linkwork.equations.loads import Loaded, applied_loads, field_loads, rotor_inertias
from linkwork.equations.mass_matrix import dense, mass_matrix
from linkwork.equations.plan import Plan, Pose
from linkwork.equations.quantity import Quantity, Values
from linkwork.equations.rows import row_equations
from linkwork.equations.scalars import Block
from linkwork.equations.tree import Link, Tree, Weightless
from linkwork.equations.vectors import Vector, add, apply, apply_t, cross, neg, sub


def _loaded(tree: Tree, x: Values) -> Loaded:
    """All loads at the state of the inputs; at rest where no rates are among them, at time 0 without a time."""
    plan = tree.plan
    y = x["y"] if "y" in x else [*x["q"], *[0.0] * (plan.ny - plan.nq)]  # no load feels what is missing
    w = x["w"] if "w" in x else [*x.get("v", [0.0] * plan.nv), *[0.0] * (plan.nw - plan.nv)]
    return applied_loads(tree, x["t"][0] if "t" in x else 0.0, y, w)


def _applied(tree: Tree, x: Values) -> Applied | None:
    return _loaded(tree, x).applied if tree.plan.loads else None


def _rates(tree: Tree, x: Values) -> Sequence[Any]:
    """Rates of the tree."""
    return x["v"] if "v" in x else x["w"][: tree.nv]


def _inverse_dynamics(tree: Tree, x: Values) -> list[Block]:
    return [("tau", inverse_dynamics(tree, x["v"], x["a"], _applied(tree, x)).tau, (tree.nv,))]


def _bias(tree: Tree, x: Values) -> list[Block]:
    found = inverse_dynamics(tree, _rates(tree, x), [0.0] * tree.nv, _applied(tree, x))
    return [("tau", found.tau, (tree.nv,))]


def _gravity(tree: Tree, x: Values) -> list[Block]:
    none = [0.0] * tree.nv
    fields = field_loads(tree, x["t"][0]) if "t" in x else None
    return [("tau", inverse_dynamics(tree, none, none, fields).tau, (tree.nv,))]


def _joint_wrenches(tree: Tree, x: Values) -> list[Block]:
    found = inverse_dynamics(tree, x["v"], x["a"], _applied(tree, x))
    rows: list[Any] = []
    for link, f, n in zip(tree.bodies, found.f, found.n, strict=False):
        rows += on_second_body(link, f, n)
    return [("tau", found.tau, (tree.nv,)), ("wrench", rows, (len(tree.bodies), 6))]


def on_second_body(link: Link, f: Vector, n: Vector) -> list[Any]:
    """[force; moment] of the first body on the second at the joint frame M, along its axes.

    A link that hangs by the second body carries F; there the reaction of the link is turned over to M.
    """
    if link.chain is not None:  # its origin is not where the joint is
        X = link.outer
        f, n = apply_t(X.R, f), apply_t(X.R, sub(n, cross(X.p, f)))
    if link.sign > 0:
        return [*f, *n]
    Rf, Rn = apply(link.step.R, f), apply(link.step.R, n)
    return [*neg(Rf), *neg(add(Rn, cross(link.step.p, Rf)))]


def _mass_matrix(tree: Tree, x: Values) -> list[Block]:
    M = mass_matrix(tree)
    rotors = rotor_inertias(tree)
    for k in range(tree.nv):
        if k in rotors:
            M[k, k] = M[k, k] + rotors[k]
    return [("M", dense(M, tree.nv), (tree.nv, tree.nv))]


def _by_composite_bodies(tree: Tree, x: Values) -> list[Block]:
    a = forward_dynamics.by_composite_bodies(tree, x["v"], x["tau"], _applied(tree, x))
    return [("a", a, (tree.nv,))]


def _by_articulated_bodies(tree: Tree, x: Values) -> list[Block]:
    a = forward_dynamics.by_articulated_bodies(tree, x["v"], x["tau"], _applied(tree, x))
    return [("a", a, (tree.nv,))]


def _kinetic_energy(tree: Tree, x: Values) -> list[Block]:
    w = x["w"] if "w" in x else [*x["v"], *[0.0] * (tree.plan.nw - tree.nv)]
    T = energy.kinetic_energy(tree, _rates(tree, x))
    for k, inertia in rotor_inertias(tree).items():
        T = T + 0.5 * inertia * (w[k] * w[k])
    return [("T", [T], ())]


def _potential_energy(tree: Tree, x: Values) -> list[Block]:
    springs = _loaded(tree, x).potential if tree.plan.loads else 0.0
    return [("V", [energy.potential_energy(tree) + springs], ())]


def _momentum(tree: Tree, x: Values) -> list[Block]:
    P, L = energy.momentum(tree, x["v"])
    return [("momentum", [*P, *L], (6,))]


def _centre_of_mass(tree: Tree, x: Values) -> list[Block]:
    m, h = energy.centre_of_mass(tree)
    if isinstance(m, float) and m == 0.0:
        raise Weightless("nothing that moves has a mass, so there is no centre of mass", tree.plan.name, "give masses")
    return [("com", [e / m for e in h], (3,))]


def _poses(tree: Tree, x: Values) -> list[Block]:
    poses = kinematics.link_poses(tree)
    entries: list[Any] = []
    for i, link in enumerate(tree.bodies):
        entries += matrix_entries(kinematics.pose(poses, Target(i, link.own)))
    return [("X", entries, (len(tree.bodies), 4, 4))]


def matrix_entries(X: Pose) -> list[Any]:
    """The 16 entries of a pose as a matrix, row by row."""
    rows = [[*row, p] for row, p in zip(X.R, X.p, strict=True)]
    return [e for row in [*rows, [0.0, 0.0, 0.0, 1.0]] for e in row]


def _flow(tree: Tree, x: Values) -> list[Block]:
    return [("qdot", coordinates.flow(tree.plan.tree_slots, x["q"], x["v"]), (tree.plan.nq,))]


def _integrate(tree: Tree, x: Values) -> list[Block]:
    return [("q_next", coordinates.integrate(tree.plan.tree_slots, x["q"], x["step"]), (tree.plan.nq,))]


def _difference(tree: Tree, x: Values) -> list[Block]:
    return [("step", coordinates.difference(tree.plan.tree_slots, x["q0"], x["q1"]), (tree.nv,))]


def _closure(tree: Tree, x: Values) -> list[Block]:
    """Errors of all rows, and the entries of their Jacobian group by group, row by row (`rows.row_groups`)."""
    found = row_equations(tree, x["y"])
    entries = [column[i] for height, columns in found.groups for i in range(height) for column in columns.values()]
    return [("e", found.errors, (len(found.errors),)), ("J", entries, (len(entries),))]


def _advance(tree: Tree, x: Values) -> list[Block]:
    return [("y_next", coordinates.integrate(tree.plan.slots, x["y"], x["stride"]), (tree.plan.ny,))]


def _apart(tree: Tree, x: Values) -> list[Block]:
    return [("stride", coordinates.difference(tree.plan.slots, x["y0"], x["y1"]), (tree.plan.nw,))]


def names_of_places(plan: Plan) -> tuple[str, ...]:
    """All bodies, points and frames."""
    return (*plan.index, *(m.name for m in plan.points), *(m.name for m in plan.frames))


def _places(tree: Tree, x: Values) -> list[Block]:
    """Poses of all bodies, points and frames."""
    poses, names = kinematics.link_poses(tree), names_of_places(tree.plan)
    targets = [target_named(tree, name) for name in names]
    placed = [tree.cells(kinematics.placed, poses[x.link], x.X) if x.link >= 0 else x.X for x in targets]
    return [("X", [e for X in placed for e in matrix_entries(X)], (len(names), 4, 4))]


def _motion(tree: Tree, x: Values) -> list[Block]:
    """Of all bodies, points and frames: poses or positions, twists and accelerations."""
    names = names_of_places(tree.plan)
    poses = kinematics.link_poses(tree)
    twists = kinematics.link_twists(tree, poses, x["v"])
    links = kinematics.link_accelerations(tree, poses, twists, x["v"], x["a"])
    X: list[Any] = []
    V: list[Any] = []
    A: list[Any] = []
    for name in names:
        target = target_named(tree, name)
        i = target.link
        moving = (poses[i], twists[i], links[i]) if i >= 0 else None
        own = tree.cells(kinematics.target_motion, target.X, moving)
        X += own[0]
        V += own[1]
        A += own[2]
    count = len(names)
    return [("X", X, (count, 12)), ("V", V, (count, 6)), ("A", A, (count, 6))]


def _forward_dynamics(method: str, law: Callable[[Tree, Values], list[Block]]) -> Quantity:
    return Quantity(f"forward_dynamics by {method} bodies", ("q", "v", "tau"), law, regroups=True, needs_mass=True)


QUANTITIES = {
    q.name: q
    for q in (
        Quantity("inverse_dynamics", ("q", "v", "a"), _inverse_dynamics, regroups=True),
        Quantity("joint_wrenches", ("q", "v", "a"), _joint_wrenches),
        _forward_dynamics("composite", _by_composite_bodies),
        _forward_dynamics("articulated", _by_articulated_bodies),
        Quantity("mass_matrix", ("q",), _mass_matrix, regroups=True),
        Quantity("bias", ("q", "v"), _bias, regroups=True),
        Quantity("gravity_forces", ("q",), _gravity, regroups=True),
        Quantity("kinetic_energy", ("q", "v"), _kinetic_energy),
        Quantity("potential_energy", ("q",), _potential_energy),
        Quantity("momentum", ("q", "v"), _momentum),
        Quantity("centre_of_mass", ("q",), _centre_of_mass, needs_mass=True),
        Quantity("poses", ("q",), _poses),
        Quantity("flow", ("q", "v"), _flow),
        Quantity("integrate", ("q", "step"), _integrate),
        Quantity("difference", ("q0", "q1"), _difference),
        Quantity("closure", ("y",), _closure),
        Quantity("advance", ("y", "stride"), _advance, grows="not"),
        Quantity("apart", ("y0", "y1"), _apart, grows="not"),
        Quantity("motion", ("q", "v", "a"), _motion),
        Quantity("places", ("q",), _places),
    )
}
_OF_LOADS = {
    "inverse_dynamics": True,
    "joint_wrenches": True,
    "forward_dynamics by composite bodies": True,
    "forward_dynamics by articulated bodies": True,
    "bias": True,
    "gravity_forces": True,
    "kinetic_energy": False,
    "potential_energy": False,
}
"""Quantities that loads have a part in, and whether time has."""


_FELT: dict[str, Callable[[LoadPlan], bool]] = {
    "kinetic_energy": lambda load: load.carries,
    "potential_energy": lambda load: load.stores,
    "gravity_forces": lambda load: isinstance(load, FieldPlan),
}
"""Loads that single quantities feel; others feel all."""


def with_loads(quantity: Quantity, plan: Plan) -> Quantity:
    """The quantity with the inputs that the loads of a plan need.

    Where loads act along cut joints, or depend on them, the variables and rates of all joints are inputs.
    """
    if not plan.loads or quantity.name not in _OF_LOADS:
        return quantity
    felt = _FELT.get(quantity.name)
    chosen = [load for load in plan.loads if felt is None or felt(load)]
    whole = {"q": "y", "v": "w"} if feel_cuts(chosen, plan.nq, plan.nv) else {}
    inputs = tuple(whole.get(name, name) for name in quantity.inputs)
    return replace(quantity, inputs=(*inputs, "t") if _OF_LOADS[quantity.name] and is_timed(chosen) else inputs)


_INNER = ("closure", "advance", "apart", "motion", "places")
"""What analyses of closed loops are made of."""
OF_MACHINE = tuple(dict.fromkeys(name.partition(" ")[0] for name in QUANTITIES if name not in _INNER))
"""What can be asked of the whole machine, as users name it: forward dynamics is one, whatever the method."""


# ---------------------------------------------------------------- of one body, point or frame


OF_TARGET = ("pose", "position", "velocity", "acceleration", "jacobian")


def of_target(kind: str, name: str) -> Quantity:
    """One of `OF_TARGET` of a body, point or frame."""

    def pose(tree: Tree, x: Values) -> list[Block]:
        poses = kinematics.link_poses(tree)
        return [("X", matrix_entries(kinematics.pose(poses, target_named(tree, name))), (4, 4))]

    def position(tree: Tree, x: Values) -> list[Block]:
        poses = kinematics.link_poses(tree)
        return [("p", list(kinematics.pose(poses, target_named(tree, name)).p), (3,))]

    def velocity(tree: Tree, x: Values) -> list[Block]:
        poses = kinematics.link_poses(tree)
        v, w = kinematics.twist(poses, kinematics.link_twists(tree, poses, x["v"]), target_named(tree, name))
        return [("twist", [*v, *w], (6,))]

    def acceleration(tree: Tree, x: Values) -> list[Block]:
        poses = kinematics.link_poses(tree)
        twists = kinematics.link_twists(tree, poses, x["v"])
        links = kinematics.link_accelerations(tree, poses, twists, x["v"], x["a"])
        a, al = kinematics.acceleration(poses, twists, links, target_named(tree, name))
        return [("acceleration", [*a, *al], (6,))]

    def jacobian(tree: Tree, x: Values) -> list[Block]:
        columns = kinematics.jacobian(tree, kinematics.link_poses(tree), target_named(tree, name))
        twists = [[*v, *w] for v, w in (columns.get(k, kinematics.STILL) for k in range(tree.nv))]
        return [("J", [twists[k][i] for i in range(6) for k in range(tree.nv)], (6, tree.nv))]

    law, inputs = {
        "pose": (pose, ("q",)),
        "position": (position, ("q",)),
        "velocity": (velocity, ("q", "v")),
        "acceleration": (acceleration, ("q", "v", "a")),
        "jacobian": (jacobian, ("q",)),
    }[kind]
    return Quantity(f"{kind} of {name}", inputs, law, target=name)
