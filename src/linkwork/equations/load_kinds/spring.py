"""tension = preload + k x + c x' + law(x, x', ...),   x = ℓ - ℓ0 or φ - φ0."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.equations.load_kinds.plans import Along, AmountPlan, Done, LoadConstants, LoadPlan, Places, State, Stretch
from linkwork.model.loads import Spring


@dataclass(frozen=True)
class SpringPlan(LoadPlan):
    """A spring along a variable, or between two marks."""

    name: str
    pulled: Stretch
    law: AmountPlan | None
    record = Spring
    stores = True

    @classmethod
    def of(cls, load: Spring, places: Places) -> SpringPlan:
        law = None if load.law is None else places.amount(load.law)
        return SpringPlan(load.name, places.stretch(load.acts), law)

    @property
    def amounts(self) -> tuple[AmountPlan, ...]:
        return () if self.law is None else (self.law,)

    @property
    def numbers(self) -> tuple[str, ...]:
        return ("stiffness", "free", "damping", "preload", *super().numbers)

    @property
    def stretch(self) -> Stretch:
        return self.pulled

    @property
    def acts_along(self) -> Along | None:
        return self.pulled.along

    @property
    def losing(self) -> tuple[str, ...] | None:
        return ("damping",) if self.law is None else None

    def act(self, state: State, given: LoadConstants) -> Done:
        own = self.named(given)
        stiffness, free, damping, preload = (own[key] for key in ("stiffness", "free", "damping", "preload"))
        long, rate, direction = state.stretched(self.pulled)
        x = long - free
        tension = preload + stiffness * x + damping * rate
        if self.law is not None:
            tension = tension + state.amount(self.law, own.get("amount"), x, rate)
        tension = state.on(tension)
        state.store(state.on((0.5 * stiffness * x + preload) * x), state.on((stiffness * x + preload) * rate))
        state.pull(self.pulled, tension, direction)
        return Done(tension, -(tension * rate))
