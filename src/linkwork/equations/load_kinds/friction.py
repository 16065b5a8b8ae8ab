"""-level sign(r) - viscous r, with a sign that is smooth (tanh) or exact."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from linkwork.algebra import ca
from linkwork.equations.load_kinds.plans import Along, AmountPlan, Done, LoadConstants, LoadPlan, Places, State
from linkwork.equations.scalars import replay
from linkwork.model.loads import Friction


@dataclass(frozen=True)
class FrictionPlan(LoadPlan):
    """Friction along a variable; `normal` where a coefficient tells its level."""

    name: str
    along: Along
    exact: bool
    normal: AmountPlan | None
    record = Friction

    @classmethod
    def of(cls, load: Friction, places: Places) -> FrictionPlan:
        normal = None if load.normal is None else places.amount(load.normal)
        return FrictionPlan(load.name, places.variable(load.variable), load.form == "exact", normal)

    @property
    def amounts(self) -> tuple[AmountPlan, ...]:
        return () if self.normal is None else (self.normal,)

    @property
    def numbers(self) -> tuple[str, ...]:
        level = ("forward", "backward") if self.normal is None else ("coefficient", "radius")
        turning = ("static",) if self.exact else ("speed",)
        return ("viscous", *level, *turning, *super().numbers)

    @property
    def acts_along(self) -> Along:
        return self.along

    def act(self, state: State, given: LoadConstants) -> Done:
        own = self.named(given)
        rate = state.w[self.along.w]
        forward, backward = self.levels(state, own)
        if self.exact:
            way = state.slip()
            law, way = (_exact(), rate) if way is None else (_slipping(), way)
            (dry,) = replay(law, [[way, forward, backward]])[0]
        else:
            (dry,) = replay(_smooth(), [[rate, forward, backward, own["speed"]]])[0]
        return state.work(self.along, state.on(-(dry + own["viscous"] * rate)))

    def levels(self, state: State, own: Mapping[str, Any]) -> tuple[Any, Any]:
        """Dry friction against motion forward and backward."""
        if self.normal is None:
            return own["forward"], own["backward"]
        pressing = state.amount(self.normal, own.get("amount"))
        (level,) = replay(_magnitude(), [[own["coefficient"] * own["radius"] * pressing]])[0]
        return level, level


@functools.cache
def _magnitude() -> ca.Function:
    x = ca.SX.sym("x")
    return ca.Function("magnitude", [x], [ca.fabs(x)])


@functools.cache
def _smooth() -> ca.Function:
    x = ca.SX.sym("x", 4)
    turned = ca.tanh(x[0] / x[3])
    return ca.Function("smooth", [x], [turned * ca.if_else(x[0] >= 0, x[1], x[2])])


@functools.cache
def _exact() -> ca.Function:
    x = ca.SX.sym("x", 3)
    return ca.Function("exact", [x], [ca.sign(x[0]) * ca.if_else(x[0] >= 0, x[1], x[2])])


@functools.cache
def _slipping() -> ca.Function:
    """A part of the level: the whole where it slips, what is needed where it holds."""
    x = ca.SX.sym("x", 3)
    return ca.Function("slipping", [x], [x[0] * ca.if_else(x[0] >= 0, x[1], x[2])])
