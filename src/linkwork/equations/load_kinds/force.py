"""amount · unit direction at a point."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.equations.load_kinds.plans import (
    AmountPlan,
    DirectionPlan,
    Done,
    LoadConstants,
    LoadPlan,
    Places,
    State,
)
from linkwork.equations.vectors import dot, scale
from linkwork.model.loads import Force


@dataclass(frozen=True)
class ForcePlan(LoadPlan):
    """A force on a mark."""

    name: str
    mark: int
    direction: DirectionPlan
    amount: AmountPlan
    record = Force

    @classmethod
    def of(cls, load: Force, places: Places) -> ForcePlan:
        direction = places.direction(load.along)
        return ForcePlan(load.name, places.marks[load.point], direction, places.amount(load.amount))

    @property
    def amounts(self) -> tuple[AmountPlan, ...]:
        return (self.amount,)

    @property
    def way(self) -> DirectionPlan:
        return self.direction

    def act(self, state: State, given: LoadConstants) -> Done:
        amount = state.on(state.amount(self.amount, self.named(given).get("amount")))
        force = scale(amount, state.direction(self.direction, given.direction))
        state.push(self.mark, force)
        return Done(amount, dot(force, state.place(self.mark)[1]))
