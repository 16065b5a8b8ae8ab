"""Named states x along a simulation: their values where a formula names them, and how they change.

    x' = f(t, y, w, x)

Where x is no input of a quantity, each state has its value at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkwork.equations.loads import amount_value, state_arguments
from linkwork.equations.quantity import Quantity, Values
from linkwork.equations.scalars import Block
from linkwork.equations.tree import Tree


def state_rates(
    tree: Tree, t: Any, y: Sequence[Any], w: Sequence[Any], states: Sequence[Any], sides: Sequence[Any] | None = None
) -> list[Any]:
    """Derivatives of all states by time; sides : of formulas that jump (`formula_jumps`)."""
    own = {"t": [t], "y": y, "w": w, **state_arguments(tree, states)}
    jumping = {law.place: law for law in tree.plan.switched if law.kind == "state"}
    return [amount_value(plan.law, own, jumping.get(k), sides) for k, plan in enumerate(tree.plan.states)]


def rates_of_states() -> Quantity:
    """Derivatives of all states by time: (y, w, t, states) -> dstates."""
    return Quantity("rates of states", ("y", "w", "t", "states"), _rates_of_states)


def _rates_of_states(tree: Tree, x: Values) -> list[Block]:
    found = state_rates(tree, x["t"][0], x["y"], x["w"], x["states"])
    return [("dstates", found, (len(found),))]
