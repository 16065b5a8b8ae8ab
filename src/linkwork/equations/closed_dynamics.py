"""Forward dynamics of machines with loops: an order of elimination that is found once and then is straight-line code.

The equations of motion of the tree and the constraints of its cut joints are one system (`motion_equations`). Which
rows of redundant loops are kept, and in which order unknowns are eliminated, is decided beforehand
(`elimination_search`). The decision is an `Elimination`; tracing it gives a kernel whose `health` tells, at every later
state, how far its pivots have shrunk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

from linkwork.equations import patterns
from linkwork.equations.acceleration_system import AccelerationSystem, carried_on
from linkwork.equations.cells import cells_of
from linkwork.equations.independent_rates import IndependentRates, independent_accelerations
from linkwork.equations.inverse_dynamics import inverse_dynamics
from linkwork.equations.loads import Modes, applied_loads
from linkwork.equations.loop_rows import CutRows, RowAxes, gram_solve, row_weights
from linkwork.equations.mass_matrix import dense, mass_matrix
from linkwork.equations.motion_equations import Choice, MotionEquations, Place, State, motion_equations
from linkwork.equations.plan import Plan, Pose
from linkwork.equations.quantity import Quantity
from linkwork.equations.scalars import Block, Scalar, Trace
from linkwork.equations.trace import Numbers, input_symbols
from linkwork.equations.tree import Tree, grow
from linkwork.equations.vectors import ZERO, Vector, add, apply_t, cross, dot

INPUTS = ("y", "w", "effort", "t")
Joints = Literal["tree", "all"]
Step = tuple[Any, ...]
"""("substitute", link), ("settle", hub), ("ignore", unknown, unknown), or ("eliminate", unknown, ...)."""


@dataclass(frozen=True)
class Elimination:
    """How the accelerations are found.

    axes : along which cut joints are compared; margins : of what `constraints` had to choose among
    rows : kept constraints; steps : in their order
    hub : link whose acceleration stays an unknown of its own, -1 for none
    usual : by pivot that is watched, the power of ten next to its usual inverse
    basis : where it is given accelerations follow from those of the independent rates, and there are no steps
    """

    axes: RowAxes
    margins: tuple[float, ...]
    rows: tuple[Place, ...]
    steps: tuple[Step, ...]
    hub: int
    usual: tuple[float, ...]
    basis: IndependentRates | None = None

    @cached_property
    def key(self) -> str:
        """Tells one elimination from another."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:24]

    @property
    def order(self) -> tuple[Any, ...]:
        """What is done, whatever the numbers were for which it was found."""
        return self.axes, self.rows, self.steps, self.hub, self.basis


def closed_forward_dynamics(elimination: Elimination, efforts: Joints, joints: Joints) -> Quantity:
    """Accelerations of joint rates: (y, w, effort, t) -> a, health.

    efforts : whether joints outside the tree may have efforts; joints : of which joints accelerations are wanted
    """
    name = f"closed forward dynamics {efforts} {joints} {elimination.key}"
    law = partial(_closed_forward, elimination, efforts, joints)
    return Quantity(name, INPUTS, law, regroups=True, title="closed_forward_dynamics")


def unconstrained(states: bool = False) -> Quantity:
    """Mass matrix over all rates, and the forces that accelerate them, loops left open: (y, w, effort, t) -> M, f.

    states : values of named states are the last input
    """
    if states:
        return Quantity("unconstrained with states", (*INPUTS, "states"), _unconstrained, regroups=True)
    return Quantity("unconstrained", INPUTS, _unconstrained, regroups=True)


def _unconstrained(tree: Tree, x: Any) -> list[Block]:
    nv, nw = tree.nv, tree.plan.nw
    applied = applied_loads(tree, x["t"][0], x["y"], x["w"], Modes(states=x.get("states"))).applied
    bias = inverse_dynamics(tree, x["w"][:nv], [0.0] * nv, replace(applied, rotors={})).tau
    M: dict[tuple[int, int], Any] = dict(mass_matrix(tree))
    for k, inertia in applied.rotors.items():
        M[k, k] = M.get((k, k), 0.0) + inertia
    force = [x["effort"][k] - bias[k] for k in range(nv)]
    force += [x["effort"][k] + applied.along.get(k, 0.0) for k in range(nv, nw)]
    return [("M", dense(M, nw), (nw, nw)), ("force", force, (nw,))]


# ---------------------------------------------------------------- tracing it


@dataclass(frozen=True)
class TracedMachine:
    """A tree at a state of scalars; inputs are its blocks, constants the scalars of its numbers."""

    tree: Tree
    state: State
    t: Any
    inputs: list[Block]
    constants: list[Any]


def traced_machine(plan: Plan, numbers: Numbers, fresh: Trace) -> TracedMachine:
    """The machine at a state of new scalars, with its loads."""
    constants, symbols = patterns.symbols(fresh, numbers.structure)
    inputs = input_symbols(plan, INPUTS, fresh)
    x = {name: block for name, block, _ in inputs}
    y, w, t = x["y"], x["w"], x["t"][0]
    tree = grow(plan, constants, y[: plan.nq], w[: plan.nv], cells=cells_of(plan, fresh))
    return TracedMachine(tree, loaded_state(tree, x), t, inputs, symbols)


def loaded_state(tree: Tree, x: Mapping[str, Any], switched: frozenset[str] = frozenset()) -> State:
    """The machine at the state of the inputs, with its loads.

    switched : loads that the input `switch` turns on and off
    """
    modes = Modes(x.get("slip"), x.get("switch"), switched, x.get("states"), x.get("side"))
    return State(x["y"], x["w"], x["effort"], applied_loads(tree, x["t"][0], x["y"], x["w"], modes).applied)


def _closed_forward(
    elimination: Elimination, efforts: Joints, joints: Joints, tree: Tree, x: Mapping[str, Any]
) -> list[Block]:
    a, health = eliminated(elimination, tree, loaded_state(tree, x), efforts, joints)
    return [("a", a, (len(a),)), ("health", [health], ())]


def eliminated(
    elimination: Elimination, tree: Tree, state: State, efforts: Joints, joints: Joints
) -> tuple[list[Any], Any]:
    """Accelerations as an elimination finds them, and the health of its pivots."""
    if elimination.basis is not None:
        a, inverses = independent_accelerations(elimination.basis, tree, state, efforts)
        return a if joints == "all" else a[: tree.nv], _health(inverses, elimination.usual)
    margins = iter(elimination.margins)
    choice = Choice(elimination.axes, elimination.hub, efforts)
    equations = motion_equations(tree, state, choice, lambda x: next(margins))
    system, kept = equations.system, frozenset(elimination.rows)
    for place, key in equations.multipliers.items():
        if place not in kept:
            system.drop(key)
    for step in elimination.steps:
        if step[0] == "substitute":
            system.substitute(step[1])
        elif step[0] == "settle":
            system.settle(step[1])
        elif step[0] == "ignore":
            system.ignore(*step[1:])
        elif len(step) == 2:
            system.eliminate(step[1])
        else:
            system.eliminate_pair(*step[1:])
    return solved(elimination, equations, joints)


def solved(elimination: Elimination, equations: MotionEquations, joints: Joints) -> tuple[list[Any], Any]:
    """Accelerations and health, when all steps have been taken."""
    system = equations.system
    tree = system.tree
    a = joint_accelerations(system, elimination.hub)
    if joints == "all":
        a += _of_cuts(tree, equations.cuts, a)
        x = system.solution() if tree.plan.measured else {}
        a += [x["u", k] for slot in tree.plan.measured for k in range(slot.v.start, slot.v.stop)]
    return a, _health(watched(system), elimination.usual)


def _health(inverses: Sequence[Any], usual: Sequence[float]) -> Any:
    """Σ (inverse / usual)² over pivots."""
    squares: dict[float, Any] = {}
    for inverse, own in zip(inverses, usual, strict=True):
        squares[own] = squares.get(own, 0.0) + inverse * inverse
    return sum((total * (1.0 / own) ** 2 for own, total in squares.items()), 0.0)


def watched(system: AccelerationSystem) -> list[Any]:
    """Inverses of pivots that loops make: they grow near singular postures."""
    of_loops = [inverse for keys, inverse in system.inverses if any(k[0] == "l" for k in keys)]
    return [inverse for inverse in of_loops if isinstance(inverse, Scalar)]


def joint_accelerations(system: AccelerationSystem, hub: int) -> list[Any]:
    """Accelerations of the tree's rates; those of the hub's joint from the links on both sides of it."""
    x, tree = system.solution(), system.tree
    a = [x.get(("q", k), 0.0) for k in range(tree.nv)]
    if hub >= 0:
        link = tree.links[hub]
        acceleration = relative_motion(tree, a)
        angular, linear = acceleration(link.parent)
        linear = apply_t(link.R, add(linear, cross(angular, link.p)))
        own = [x["a", hub, c] for c in range(6)]
        left = [p - q for p, q in zip(own, [*apply_t(link.R, angular), *linear], strict=True)]
        S = [(*link.Sw[j], *link.lever(j)) for j in range(len(link.dofs))]
        right = [sum((s * e for s, e in zip(column, left, strict=True)), 0.0) for column in S]
        for k, value in zip(link.dofs, gram_solve(S, right), strict=True):
            a[k] = value
    return a


def _of_cuts(tree: Tree, cuts: Sequence[CutRows], a: Sequence[Any]) -> list[Any]:
    """Derivatives of the rates of cut joints: Sᵀ S u' = Sᵀ (rows · accelerations + γ)."""
    acceleration = relative_motion(tree, a)
    result: list[Any] = []
    for found in cuts:
        sides = acceleration(found.cut.head), acceleration(found.cut.tail)
        rows = tuple((row.head, row.tail, row.gamma) for row in found.rows)
        result += tree.cells(_of_cut, rows, found.S, sides, row_weights(found.S, tree.plan))
    return result


def _of_cut(rows: Any, S: Any, sides: Any, weights: Sequence[float]) -> tuple[Any, ...]:
    missed: list[Any] = []
    for (head, tail, gamma), weight in zip(rows, weights, strict=True):
        total = gamma
        for (angular, linear), (n, f) in zip(sides, (head, tail), strict=True):
            total = total + dot(n, angular) + dot(f, linear)
        missed.append(weight * total)
    right = [sum((s * m for s, m in zip(column, missed, strict=True)), 0.0) for column in S]
    return tuple(gram_solve(S, right, weights))


def relative_motion(tree: Tree, a: Sequence[Any]) -> Callable[[int], tuple[Vector, Vector]]:
    """Angular and linear acceleration of links, less what they have at zero joint accelerations.

    With rates in the place of accelerations it gives velocities.
    """
    return _RelativeMotion(tree, a)


class _RelativeMotion:
    """Motion of links, each worked out once."""

    def __init__(self, tree: Tree, a: Sequence[Any]) -> None:
        self._tree, self._a = tree, a
        self._known: dict[int, tuple[Vector, Vector]] = {-1: (ZERO, ZERO)}

    def __call__(self, i: int) -> tuple[Vector, Vector]:
        known = self._known.get(i)
        if known is None:
            link = self._tree.links[i]
            values = tuple(self._a[k] for k in link.dofs)
            pose = Pose(link.R, link.p)
            known = self._tree.cells(carried_on, self(link.parent), pose, link.Sw, link.Sp, values)
            self._known[i] = known
        return known
