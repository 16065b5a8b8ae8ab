"""amount · unit direction on a body."""

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
from linkwork.equations.vectors import apply_t, dot, scale
from linkwork.model.loads import Torque


@dataclass(frozen=True)
class TorquePlan(LoadPlan):
    """A torque on a link."""

    name: str
    link: int
    direction: DirectionPlan
    amount: AmountPlan
    record = Torque

    @classmethod
    def of(cls, load: Torque, places: Places) -> TorquePlan:
        return TorquePlan(load.name, places.links[load.body], places.direction(load.about), places.amount(load.amount))

    @property
    def amounts(self) -> tuple[AmountPlan, ...]:
        return (self.amount,)

    @property
    def way(self) -> DirectionPlan:
        return self.direction

    def act(self, state: State, given: LoadConstants) -> Done:
        amount = state.on(state.amount(self.amount, self.named(given).get("amount")))
        if self.link >= 0 and self.direction.link == self.link:  # it turns with the body it acts on
            state.turn(self.link, scale(amount, given.direction))
            own = apply_t(state.poses[self.link].R, state.spin(self.link))
            return Done(amount, amount * dot(given.direction, own))
        moment = scale(amount, state.direction(self.direction, given.direction))
        state.turn(self.link, apply_t(state.pose(self.link).R, moment))
        return Done(amount, dot(moment, state.spin(self.link)))
