"""A force or torque along a variable."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.equations.load_kinds.plans import Along, AmountPlan, Done, LoadConstants, LoadPlan, Places, State
from linkwork.model.loads import JointLoad


@dataclass(frozen=True)
class PushPlan(LoadPlan):
    """A force or torque along a variable."""

    name: str
    along: Along
    amount: AmountPlan
    record = JointLoad

    @classmethod
    def of(cls, load: JointLoad, places: Places) -> PushPlan:
        return PushPlan(load.name, places.variable(load.variable), places.amount(load.amount))

    @property
    def amounts(self) -> tuple[AmountPlan, ...]:
        return (self.amount,)

    @property
    def acts_along(self) -> Along:
        return self.along

    def act(self, state: State, given: LoadConstants) -> Done:
        return state.work(self.along, state.on(state.amount(self.amount, self.named(given).get("amount"))))
