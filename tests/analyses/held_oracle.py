"""Motions with held rates worked out a second time: the kinematic equations of `ByHand`, integrated by scipy.

J(y) w = 0,   w = u'(t) in driven columns,   w = 0 in held ones,   y' = N(y) w
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from random_loops import ByHand, Recipe, many_loops
from scipy.integrate import solve_ivp

import linkwork as lw

Array = np.ndarray
BALLS = ("spheric", "spheric", "spheric", "revolute", "universal", "cylindric", "prismatic")


def integrated(
    hand: ByHand,
    y0: Array,
    rates: Callable[[float], Mapping[str, float]],
    held: Sequence[str],
    span: tuple[float, float],
    times: Sequence[float] | None = None,
) -> Array:
    """Postures (times, variables) along rates of driven variables by name; at the end of the span without times."""
    fixed = np.isin(hand.rates, [*rates(span[0]), *held])
    assert fixed.sum() == len(rates(span[0])) + len(held)

    def flow(t: float, y: Array) -> Array:
        w = np.zeros(hand.nv)
        for name, rate in rates(t).items():
            w[hand.rates.index(name)] = rate / hand.column_scale[hand.rates.index(name)]
        J = hand.jacobian(y)
        w[~fixed] = np.linalg.lstsq(J[:, ~fixed], -J[:, fixed] @ w[fixed], rcond=1e-10)[0]
        w *= hand.column_scale
        return np.concatenate([np.array(law.flow(y[hand.q[n]], w[hand.v[n]]), float) for n, law in hand.laws.items()])

    at = None if times is None else np.asarray(times, float)
    found = solve_ivp(flow, span, y0, "DOP853", t_eval=at, rtol=1e-12, atol=1e-13)
    assert found.success, found.message
    return found.y.T[-1:] if times is None else found.y.T


def held_rates(run: Any) -> list[str]:
    """Rates that a run held."""
    return list(run.held)


def with_held_turns(seed: int, wanted: int = 1) -> tuple[Recipe, lw.Machine, list[str]]:
    """A random machine with balls, and plain variables to drive while at least one rate of a ball is held."""
    for attempt in range(200):
        recipe = many_loops(7000 + 1000 * attempt + seed, 1 + seed % 2, BALLS, mobility=1 + wanted + seed % 3)
        machine = recipe.mechanism().assemble()
        plain = [n for n in machine.home.independent if n in recipe.hand.variables]
        turning = [n for n in machine.home.independent if n not in recipe.hand.variables]
        if len(plain) >= wanted and set(turning) - set(machine.home.idle):
            return recipe, machine, plain
    raise AssertionError("no machine whose balls are held")
