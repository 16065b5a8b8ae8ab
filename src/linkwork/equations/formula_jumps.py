"""Jumps and kinks of the formulas of loads and named states: what decides them, and on which side each formula is.

A formula with a side given for each of its switches (`expressions.jumps`) is smooth through a whole step, also a little
beyond the place where it jumps. The simulation watches the arguments that decide, ends a step where one is zero, and
goes on with the other side.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from linkwork.algebra import ca
from linkwork.equations.load_kinds.plans import LoadPlan
from linkwork.equations.state_plans import StatePlan
from linkwork.expressions import Expression
from linkwork.expressions.jumps import arguments_casadi, forced_casadi, is_kink, is_nested, switches
from linkwork.expressions.nodes import in_order
from linkwork.expressions.printer import to_text
from linkwork.model.amounts import Formula, Tabulated


@dataclass(frozen=True)
class Switched:
    """A formula with switches: whose it is, by kind and by place among its like; which of the machine's they are."""

    owner: str
    kind: Literal["load", "state"]
    place: int
    law: Formula
    switches: slice

    @property
    def jumps(self) -> tuple[bool, ...]:
        """By switch, whether it jumps there; else it has a kink."""
        return tuple(not is_kink(node) for node, _ in switches(_tree(self.law)))

    @property
    def is_nested(self) -> bool:
        """Whether it also jumps where no switch tells."""
        return is_nested(_tree(self.law))


def switched_formulas(loads: Sequence[LoadPlan], states: Sequence[StatePlan]) -> tuple[Switched, ...]:
    """All formulas that jump: of loads, then of named states."""
    found: list[Switched] = []
    first = 0
    kinds: list[tuple[str, Literal["load", "state"], int, Formula | Tabulated | None]] = []
    for place, load in enumerate(loads):
        kinds += [(load.name, "load", place, amount.law) for amount in load.amounts]
    kinds += [(state.name, "state", place, state.law.law) for place, state in enumerate(states)]
    for owner, kind, place, law in kinds:
        if isinstance(law, Formula) and (count := len(switches(_tree(law)))):
            found.append(Switched(owner, kind, place, law, slice(first, first + count)))
            first += count
    return tuple(found)


def switch_texts(law: Formula) -> list[str]:
    """The arguments that decide, as text."""
    return [to_text(in_order(argument)) for _, argument in switches(_tree(law))]


def _tree(law: Formula):  # type: ignore[no-untyped-def]
    return Expression(law.text, law.names).tree


@functools.lru_cache(maxsize=256)
def arguments_function(law: Formula) -> ca.Function:
    """What a formula depends on -> arguments of its switches."""
    x = ca.SX.sym("x", len(law.names))
    values = dict(zip(law.names, ca.vertsplit(x), strict=True))
    return ca.Function("arguments", [x], [ca.densify(ca.vertcat(*arguments_casadi(_tree(law), values)))])


@functools.lru_cache(maxsize=256)
def forced_function(law: Formula) -> ca.Function:
    """What a formula depends on, and sides of its switches -> its value."""
    x, side = ca.SX.sym("x", len(law.names)), ca.SX.sym("side", len(switches(_tree(law))))
    values = dict(zip(law.names, ca.vertsplit(x), strict=True))
    value = law.unit * forced_casadi(_tree(law), values, ca.vertsplit(side))
    return ca.Function("forced", [x, side], [ca.densify(ca.SX(value))])
