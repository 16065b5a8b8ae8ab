"""What gravity adds over time: amount · mass on every link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.equations.load_kinds.plans import AmountPlan, Done, LoadConstants, LoadPlan, State
from linkwork.equations.vectors import ZERO, Vector, add, apply, apply_t, cross, dot, scale


@dataclass(frozen=True)
class FieldPlan(LoadPlan):
    """What gravity adds over time along one axis."""

    name: str
    axis: int
    amount: AmountPlan
    record = None

    @property
    def amounts(self) -> tuple[AmountPlan, ...]:
        return (self.amount,)

    def act(self, state: State, given: LoadConstants) -> Done:
        amount = state.on(state.amount(self.amount, 0.0))
        g: Vector = tuple(amount if k == self.axis else 0.0 for k in range(3))  # type: ignore[assignment]
        power: Any = 0.0
        for i, link in enumerate(state.tree.links):
            own = link.moments
            here = apply_t(state.poses[i].R, g)
            state.forces[i] = add(state.forces.get(i, ZERO), scale(own.m, here))
            state.turn(i, cross(own.h, here))
            v, w = state.twists[i]
            power = power + dot(g, add(scale(own.m, v), cross(w, apply(state.poses[i].R, own.h))))
            if link.matter is not None:
                for k, dof in enumerate(link.matter.dofs):
                    state.along[dof] = state.along.get(dof, 0.0) + link.matter.push(k, here)
                power = power + dot(here, link.matter.momenta()[0])
        return Done(amount, power)
