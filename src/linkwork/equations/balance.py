"""Forces along the independent rates that nothing balances, at rest and in motion, and how named states change there.

Along the independent rates of a machine, by the pivots of an `Order` (`loop_solver`), the equations of motion are

    R(y, w, dw, effort, x) = Kᵀ (M dw + h - effort) = 0,      x' = f(y, w, x)

with all loads in h and K the rates of all joints for unit independent ones (`closed_forces`). At rest, w = dw = 0, what
is left over is the force F = -R that would set the machine going. Total derivatives of R by dw, w and y are the mass,
damping and stiffness of the linearised machine; that of F is minus the stiffness of the equilibrium. Uicker, Ravani,
Sheth, Matrix Methods, sec. 11.3 and 12.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from linkwork.equations import energy
from linkwork.equations.closed_forces import closed_forces
from linkwork.equations.loads import Modes, applied_loads
from linkwork.equations.loop_solver import Order
from linkwork.equations.plan import Plan
from linkwork.equations.quantity import Quantity, Values
from linkwork.equations.scalars import Block
from linkwork.equations.states import state_rates
from linkwork.equations.tree import Tree

STATES = "states"


def static_balance(plan: Plan, order: Order, independent: Sequence[int]) -> Quantity:
    """Forces at rest along the independent rates, and changes of named states: (y, effort, t, states) -> F, f."""
    inputs = ("y", "effort", "t", *((STATES,) if plan.states else ()))
    law = partial(_static_balance, order, tuple(independent))
    name = f"static balance {tuple(independent)} {order.key}"
    return Quantity(name, inputs, law, regroups=True, grows="still", title="static_balance")


def _static_balance(order: Order, independent: tuple[int, ...], tree: Tree, x: Values) -> list[Block]:
    still = [0.0] * tree.plan.nw
    (_, left, size), *rest = _motion_balance(order, independent, tree, {**x, "w": still, "dw": still})
    return [("F", [-e for e in left], size), *rest]


def motion_balance(plan: Plan, order: Order, independent: Sequence[int]) -> Quantity:
    """What the equations of motion leave: (y, w, dw, effort, t, states) -> R along the independent rates, f."""
    inputs = ("y", "w", "dw", "effort", "t", *((STATES,) if plan.states else ()))
    law = partial(_motion_balance, order, tuple(independent))
    name = f"motion balance {tuple(independent)} {order.key}"
    return Quantity(name, inputs, law, regroups=True, title="motion_balance")


def _motion_balance(order: Order, independent: tuple[int, ...], tree: Tree, x: Values) -> list[Block]:
    ((_, efforts, _),) = closed_forces(order, "efforts", False).law(tree, x)
    found: list[Block] = [("R", [efforts[k] for k in independent], (len(independent),))]
    if tree.plan.states:
        changes = state_rates(tree, x["t"][0], x["y"], x["w"], x[STATES])
        found.append(("f", changes, (tree.plan.n_states,)))
    return found


def energy_at_rest(plan: Plan) -> Quantity:
    """Potential energies at rest [J]: (y, t, states) -> of gravity, of the linear part of all springs."""
    inputs = ("y", "t", *((STATES,) if plan.states else ()))
    return Quantity("energy at rest", inputs, _energy_at_rest, grows="still")


def _energy_at_rest(tree: Tree, x: Values) -> list[Block]:
    loaded = applied_loads(tree, x["t"][0], x["y"], [0.0] * tree.plan.nw, Modes(states=x.get(STATES)))
    return [("gravity", [energy.potential_energy(tree)], ()), ("springs", [loaded.potential], ())]
