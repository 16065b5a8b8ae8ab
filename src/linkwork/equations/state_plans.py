"""Named states of a mechanism, ready for its equations: where each stands among all, its law, and every number named.

Numbers of states are parameters like all others: `i.start`, and those of the law, `i.R`. Quantities that are not asked
along a simulation take each state at its start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from linkwork.equations.load_kinds.plans import AmountPlan, Places
from linkwork.model.mechanism import Mechanism
from linkwork.model.states import START, NamedState


@dataclass(frozen=True)
class StatePlan:
    """A state: its law with the places of its arguments, its unit, and what of it counts like a radian.

    numbers : its parameters, the start first
    """

    name: str
    law: AmountPlan
    numbers: tuple[str, ...]
    unit: str
    scale: float


def with_states(m: Mechanism, places: Places) -> Places:
    """The places that formulas may name, those of states and of their numbers included."""
    numbers = [f"{state.name}.{key}" for state in m.states.values() for key in _numbers(state)]
    return replace(
        places,
        states={name: k for k, name in enumerate(m.states)},
        numbers={name: k for k, name in enumerate(numbers)},
    )


def plan_states(m: Mechanism, places: Places) -> tuple[StatePlan, ...]:
    """Plans of all states, in the order in which they were declared; places know of states already."""
    found = []
    for state in m.states.values():
        own = {key: places.numbers[f"{state.name}.{key}"] for key, _ in state.parameters}
        law = replace(places, numbers={**places.numbers, **own}).amount(state.rate, opened=False)
        found.append(StatePlan(state.name, law, _numbers(state), state.unit, state.scale))
    return tuple(found)


def _numbers(state: NamedState) -> tuple[str, ...]:
    return (START, *(key for key, _ in state.parameters))


def state_constants(plans: tuple[StatePlan, ...], parameters: Mapping[str, Any]) -> tuple[tuple[Any, ...], ...]:
    """Numbers of all states, in the order of their plans."""
    return tuple(tuple(parameters[f"{plan.name}.{key}"] for key in plan.numbers) for plan in plans)
