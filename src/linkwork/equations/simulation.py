"""What a simulation asks of a machine, with loops or without: how its state changes, what loops miss, how it yields.

    rates       y' = N(y) w,  w' = a(y, w, x, effort, t)           loops kept in the accelerations
                x' = f(y, w, x, t)                                 named states, where there are any
    mismatch    e(y), J w                                          of cut joints along the axes of F, of constraints
    response    M x + Jᵀ Λ = effort,  J x = -mismatch              what efforts or impulses and gaps make of the rates

All three rest on one elimination (`closed_dynamics`), so that redundant rows are dropped alike. The response to a gap
is the shortest step that closes it, measured by the masses; that to an impulse is a jump of the rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from linkwork.equations import energy
from linkwork.equations.closed_dynamics import (
    Elimination,
    Joints,
    TracedMachine,
    eliminated,
    loaded_state,
    relative_motion,
)
from linkwork.equations.closure import loop_errors
from linkwork.equations.coordinates import flow
from linkwork.equations.inverse_dynamics import Applied, link_motion
from linkwork.equations.load_kinds.friction import FrictionPlan
from linkwork.equations.loads import Modes, applied_loads, friction_levels, rotor_inertias
from linkwork.equations.loop_rows import cut_rows
from linkwork.equations.motion_equations import State
from linkwork.equations.plan import Plan
from linkwork.equations.quantity import Quantity
from linkwork.equations.rows import constraint_rows
from linkwork.equations.scalars import Block, Composed, compose
from linkwork.equations.states import state_rates
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import ZERO, dot

RATES = ("y", "w", "effort", "t", "slip", "switch")
"""Inputs of the rates; named states come after them, where there are any."""
STATES, SIDE = "states", "side"


def with_states(inputs: tuple[str, ...], plan: Plan) -> tuple[str, ...]:
    """Inputs of a quantity that named states have a part in."""
    return (*inputs, STATES) if plan.states else inputs


def with_sides(inputs: tuple[str, ...], plan: Plan) -> tuple[str, ...]:
    """Inputs of a quantity in which formulas that jump are on the side that they are told."""
    return (*inputs, SIDE) if plan.n_sides else inputs


def rates(plan: Plan, elimination: Elimination, efforts: Joints, switched: frozenset[str]) -> Quantity:
    """Derivatives of the whole state: (y, w, effort, t, slip, switch, states, side) -> dy, a, health, dstates.

    efforts : whether joints outside the tree may have efforts; switched : names of loads that are switched
    """
    name = f"simulation rates {efforts} {sorted(switched)} {elimination.key}"
    law = partial(_rates, elimination, efforts, switched)
    return Quantity(name, with_sides(with_states(RATES, plan), plan), law, regroups=True, title="simulation_rates")


def _rates(
    elimination: Elimination, efforts: Joints, switched: frozenset[str], tree: Tree, x: Mapping[str, Any]
) -> list[Block]:
    plan, y, w = tree.plan, x["y"], x["w"]
    a, health = eliminated(elimination, tree, loaded_state(tree, x, switched), efforts, "all")
    outputs = _change(plan, y, w, a, health)
    if plan.states:
        outputs.append(("dstates", state_rates(tree, x["t"][0], y, w, x[STATES], x.get(SIDE)), (plan.n_states,)))
    return outputs


def _change(plan: Plan, y: Sequence[Any], w: Sequence[Any], a: Sequence[Any], health: Any) -> list[Block]:
    return [("dy", flow(plan.slots, y, w), (plan.ny,)), ("a", a, (plan.nw,)), ("health", [health], ())]


def rates_as_traced(
    elimination: Elimination, machine: TracedMachine, a: Sequence[Any], health: Any
) -> tuple[Quantity, Composed] | None:
    """The rates, composed of accelerations that were traced when the elimination was looked for.

    None where loads have inputs of their own, which were not there.
    """
    plan, state = machine.tree.plan, machine.state
    if plan.states or plan.n_sides or plan.n_slips:
        return None
    quantity = rates(plan, elimination, "tree", frozenset())
    trace = state.y[0].trace
    idle: list[Block] = [
        (name, trace.symbols(count), (count,)) for name, count in (("slip", 0), ("switch", plan.n_loads))
    ]
    outputs = _change(plan, state.y, state.w, a, health)
    return quantity, compose(quantity.title, [*machine.inputs, *idle], machine.constants, outputs)


def response(elimination: Elimination) -> Quantity:
    """Steps or jumps of all rates: (y, effort, mismatch) -> x."""
    name = f"response {elimination.key}"
    inputs = ("y", "effort", "mismatch")
    return Quantity(name, inputs, partial(_response, elimination), regroups=True, title="response")


def _response(elimination: Elimination, tree: Tree, given: Mapping[str, Any]) -> list[Block]:
    still = [0.0] * tree.plan.nw
    tree = replace(tree, gravity=ZERO)
    applied = Applied({}, {}, {}, rotor_inertias(tree))
    state = State(given["y"], still, given["effort"], applied, given["mismatch"])
    x, _ = eliminated(elimination, tree, state, "all", "all")
    return [("x", x, (tree.plan.nw,))]


def mismatch() -> Quantity:
    """What the rows miss in position and velocity: (y, w) -> e, de."""
    return Quantity("mismatch", ("y", "w"), _mismatch)


def _mismatch(tree: Tree, x: Any) -> list[Block]:
    nv, y, w = tree.nv, x["y"], x["w"]
    velocity = relative_motion(tree, w[:nv])
    missed: list[Any] = []
    for found in cut_rows(tree, link_motion(tree, [0.0] * nv, [0.0] * nv), y, [0.0] * tree.plan.nw, "tail"):
        sides = velocity(found.cut.head), velocity(found.cut.tail)
        rows = tuple((row.head, row.tail) for row in found.rows)
        missed += tree.cells(_apart, rows, found.S, sides, tuple(w[found.cut.w]))
    own = constraint_rows(tree, y, w)
    missed += [row.rate for row in own]
    size = (tree.plan.nl,)
    return [("e", [*loop_errors(tree, y), *(row.error for row in own)], size), ("de", missed, size)]


def _apart(rows: Any, S: Any, sides: Any, own: Any) -> tuple[Any, ...]:
    """What the velocities of the two sides of a cut joint miss along its rows."""
    missed: list[Any] = []
    for r, row in enumerate(rows):
        total: Any = 0.0
        for (angular, linear), (n, f) in zip(sides, row, strict=True):
            total = total + dot(n, angular) + dot(f, linear)
        missed.append(total - sum((column[r] * u for column, u in zip(S, own, strict=True)), 0.0))
    return tuple(missed)


def energies(plan: Plan, switched: frozenset[str]) -> Quantity:
    """Energies [J], power [W]: (y, w, t, slip, switch, states) -> kinetic, potential, power that no spring stores.

    Kinetic and potential energy together change by that power, and by what efforts, drives and stops do.
    """
    inputs = with_states(("y", "w", "t", "slip", "switch"), plan)
    return Quantity(f"energies {sorted(switched)}", inputs, partial(_energies, switched))


def _energies(switched: frozenset[str], tree: Tree, x: Any) -> list[Block]:
    y, w = x["y"], x["w"]
    loaded = applied_loads(tree, x["t"][0], y, w, Modes(x["slip"], x["switch"], switched, x.get(STATES)))
    kinetic = energy.kinetic_energy(tree, w[: tree.nv])
    for k, inertia in loaded.applied.rotors.items():
        kinetic = kinetic + 0.5 * inertia * w[k] * w[k]
    potential = energy.potential_energy(tree) + loaded.potential
    power = sum(loaded.powers, 0.0) + loaded.storing
    return [("kinetic", [kinetic], ()), ("potential", [potential], ()), ("power", [power], ())]


def grips(plan: Plan) -> Quantity:
    """What exact frictions can hold against motion forward and backward: (y, w, t, states) -> hold (frictions, 2)."""
    return Quantity("grips", with_states(("y", "w", "t"), plan), _grips)


def _grips(tree: Tree, x: Any) -> list[Block]:
    held: list[Any] = []
    for plan, given in zip(tree.plan.loads, tree.loads, strict=True):
        if isinstance(plan, FrictionPlan) and plan.exact:
            static = dict(zip(plan.numbers, given.numbers, strict=True))["static"]
            levels = friction_levels(tree, x["t"][0], x["y"], x["w"], plan, given, x.get(STATES))
            held += [static * level for level in levels]
    return [("hold", held, (tree.plan.n_slips, 2))]
