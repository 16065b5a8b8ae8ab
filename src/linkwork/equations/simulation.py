"""What a simulation asks of a machine, with loops or without: how its state changes, what loops miss, how it yields.

    rates       y' = N(y) w,  w' = a(y, w, effort, t)              loops kept in the accelerations
    mismatch    e(y), J w                                          of the cut joints, along the axes of F
    response    M x + Jᵀ Λ = effort,  J x = -mismatch              what efforts or impulses and gaps make of the rates

All three rest on one elimination (`closed_dynamics`), so that redundant rows are dropped alike. The response to a gap
is the shortest step that closes it, measured by the masses; that to an impulse is a jump of the rates.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from linkwork.equations import energy, folding
from linkwork.equations.closed_dynamics import Elimination, Joints, eliminated, relative_motion, traced_machine
from linkwork.equations.closure import loop_errors
from linkwork.equations.coordinates import flow
from linkwork.equations.inverse_dynamics import Applied, link_motion
from linkwork.equations.load_plans import FrictionPlan
from linkwork.equations.loads import Modes, applied_loads, friction_levels, rotor_inertias
from linkwork.equations.loop_rows import cut_rows
from linkwork.equations.motion_equations import State
from linkwork.equations.plan import Plan
from linkwork.equations.quantities import Quantity
from linkwork.equations.scalars import Block, Composed, Trace, compose
from linkwork.equations.tracing import Numbers, function_name, input_symbols
from linkwork.equations.tree import Tree, grow
from linkwork.equations.vectors import ZERO, dot

RATES = ("y", "w", "effort", "t", "slip", "switch")
"""Inputs of the rates."""


def rates(elimination: Elimination, efforts: Joints, switched: frozenset[str]) -> Quantity:
    """Derivatives of all variables and rates: (y, w, effort, t, slip, switch) -> dy, a, health.

    efforts : whether joints outside the tree may have efforts; switched : names of loads that are switched
    """
    name = f"simulation rates {efforts} {sorted(switched)} {elimination.key}"
    return Quantity(name, RATES, _no_law, regroups=True, tracer=partial(_rates, elimination, efforts, switched))


def _rates(
    elimination: Elimination, efforts: Joints, switched: frozenset[str], plan: Plan, numbers: Numbers
) -> Composed:
    machine = traced_machine(plan, numbers, Trace(), RATES, switched)
    a, health = eliminated(elimination, machine.tree, machine.state, efforts, "all")
    dy = flow(plan.slots, machine.state.y, machine.state.w)
    outputs = [("dy", dy, (plan.ny,)), ("a", a, (plan.nw,)), ("health", [health], ())]
    return compose(function_name("simulation_rates"), machine.inputs, machine.constants, outputs)


def response(elimination: Elimination) -> Quantity:
    """Steps or jumps of all rates: (y, effort, mismatch) -> x."""
    name = f"response {elimination.key}"
    inputs = ("y", "effort", "mismatch")
    return Quantity(name, inputs, _no_law, regroups=True, tracer=partial(_response, elimination))


def _response(elimination: Elimination, plan: Plan, numbers: Numbers) -> Composed:
    fresh = Trace()
    constants, symbols = folding.symbols(fresh, numbers.constants, numbers.pattern)
    inputs = input_symbols(plan, ("y", "effort", "mismatch"), fresh)
    y, effort, mismatch = (block for _, block, _ in inputs)
    still = [0.0] * plan.nw
    tree = replace(grow(plan, constants, y[: plan.nq], still[: plan.nv]), gravity=ZERO)
    state = State(y, still, effort, Applied({}, {}, {}, rotor_inertias(tree)), mismatch)
    x, _ = eliminated(elimination, tree, state, "all", "all")
    return compose(function_name("response"), inputs, symbols, [("x", x, (plan.nw,))])


def mismatch() -> Quantity:
    """What the cut joints miss in position and velocity: (y, w) -> e, de."""
    return Quantity("mismatch", ("y", "w"), _mismatch)


def _mismatch(tree: Tree, x: Any) -> list[Block]:
    nv, y, w = tree.nv, x["y"], x["w"]
    velocity = relative_motion(tree, w[:nv])
    missed: list[Any] = []
    for found in cut_rows(tree, link_motion(tree, [0.0] * nv, [0.0] * nv), y, [0.0] * tree.plan.nw, "tail"):
        sides, own = (velocity(found.cut.head), velocity(found.cut.tail)), w[found.cut.w]
        for r, row in enumerate(found.rows):
            total: Any = 0.0
            for (angular, linear), (n, f) in zip(sides, (row.head, row.tail), strict=True):
                total = total + dot(n, angular) + dot(f, linear)
            missed.append(total - sum((S[r] * u for S, u in zip(found.S, own, strict=True)), 0.0))
    size = (tree.plan.nl,)
    return [("e", loop_errors(tree, y), size), ("de", missed, size)]


def energies(switched: frozenset[str]) -> Quantity:
    """Energies [J] and power [W]: (y, w, t, slip, switch) -> kinetic, potential, power of loads that no spring stores.

    Kinetic and potential energy together change by that power, and by what efforts, drives and stops do.
    """
    return Quantity(f"energies {sorted(switched)}", ("y", "w", "t", "slip", "switch"), partial(_energies, switched))


def _energies(switched: frozenset[str], tree: Tree, x: Any) -> list[Block]:
    y, w = x["y"], x["w"]
    loaded = applied_loads(tree, x["t"][0], y, w, Modes(x["slip"], x["switch"], switched))
    kinetic = energy.kinetic_energy(tree, w[: tree.nv])
    for k, inertia in loaded.applied.rotors.items():
        kinetic = kinetic + 0.5 * inertia * w[k] * w[k]
    potential = energy.potential_energy(tree) + loaded.potential
    power = sum(loaded.powers, 0.0) + loaded.storing
    return [("kinetic", [kinetic], ()), ("potential", [potential], ()), ("power", [power], ())]


def grips() -> Quantity:
    """What exact frictions can hold against motion forward and backward: (y, w, t) -> hold (frictions, 2)."""
    return Quantity("grips", ("y", "w", "t"), _grips)


def _grips(tree: Tree, x: Any) -> list[Block]:
    held: list[Any] = []
    for plan, given in zip(tree.plan.loads, tree.loads, strict=True):
        if isinstance(plan, FrictionPlan) and plan.exact:
            static = dict(zip(plan.numbers, given.numbers, strict=True))["static"]
            held += [static * level for level in friction_levels(tree, x["t"][0], x["y"], x["w"], plan, given)]
    return [("hold", held, (tree.plan.n_slips, 2))]


def _no_law(tree: Any, x: Any) -> list[Block]:
    raise AssertionError("traced by a function of its own")
