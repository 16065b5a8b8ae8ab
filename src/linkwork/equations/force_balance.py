"""The equations of motion as they stand, with loops left open and multipliers on the cut joints; nothing is eliminated.

    M(y) w' + h(y, w, x, t) - effort + Jᵀ λ = 0,   y' = N(y) (w + s),   x' = f(y, w, x, t),   e(y) = 0,   J(y) w = 0

M w' + h is what inverse dynamics of the tree gives, J the Jacobian of all rows (`rows`). Solvers of
differential-algebraic equations take it like this; s is the stride by which they put the variables back onto the loops,
x are named states.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from linkwork.equations.coordinates import flow
from linkwork.equations.inverse_dynamics import inverse_dynamics
from linkwork.equations.loads import Modes, applied_loads
from linkwork.equations.quantity import Quantity
from linkwork.equations.rows import row_equations
from linkwork.equations.scalars import Block
from linkwork.equations.states import state_rates
from linkwork.equations.tree import Tree

OUTPUTS = ("dy", "left", "e", "de", "dstates")


def force_balance() -> Quantity:
    """(y, w, dw, effort, t, cut_wrench, stride, states) -> dy, left, e, de, dstates.

    cut_wrench : λ, six by loop and one by constraint
    left : what is left of the forces along all rates [N, N m], zero in motion
    """
    inputs = ("y", "w", "dw", "effort", "t", "cut_wrench", "stride", "states")
    return Quantity("force balance", inputs, _force_balance, regroups=True)


def _force_balance(tree: Tree, x: Any) -> list[Block]:
    plan, nv, y, w, dw = tree.plan, tree.nv, x["y"], x["w"], x["dw"]
    applied = applied_loads(tree, x["t"][0], y, w, Modes(states=x["states"])).applied
    left = inverse_dynamics(tree, w[:nv], dw[:nv], replace(applied, rotors={})).tau
    left += [-applied.along.get(k, 0.0) for k in range(nv, plan.nw)]
    for k, inertia in applied.rotors.items():
        left[k] = left[k] + inertia * dw[k]
    left = [force - effort for force, effort in zip(left, x["effort"], strict=True)]
    found = row_equations(tree, y)
    speeds: list[Any] = []
    for height, columns in found.groups:
        wrench = x["cut_wrench"][len(speeds) : len(speeds) + height]
        for k, column in columns.items():
            left[k] = left[k] + sum((a * b for a, b in zip(column, wrench, strict=True)), 0.0)
        speeds += [sum((column[r] * w[k] for k, column in columns.items()), 0.0) for r in range(height)]
    size = (plan.nl,)
    return [
        ("dy", flow(plan.slots, y, [rate + more for rate, more in zip(w, x["stride"], strict=True)]), (plan.ny,)),
        ("left", left, (plan.nw,)),
        ("e", found.errors, size),
        ("de", speeds, size),
        ("dstates", state_rates(tree, x["t"][0], y, w, x["states"]), (plan.n_states,)),
    ]
