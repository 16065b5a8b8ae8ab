"""What surplus freedoms are used for: a number that is made small while the goal stays met, and its gradient.

    rest posture      ½ |z - z0|²                 limits            ½ Σ ((y - middle) / half the range)²
    manipulability    -½ log det(V Vᵀ)            a formula         as it is written

Gradients are exact, along the scaled rates of all joints. That of manipulability takes the derivative of the Jacobian,
through closed loops too: ∂/∂ψ_j (-½ log det V Vᵀ) = -tr(V⁺ ∂V/∂ψ_j).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.analyses.kinematics.given_values import given_variables
from linkwork.analyses.kinematics.joint_limits import joint_limits
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.equations.conditions import conditions
from linkwork.equations.quantity import Quantity
from linkwork.errors import InputError, ModelError, Problem
from linkwork.expressions import names_in
from linkwork.expressions.names import differentiated
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.model.name_book import MachineNames
from linkwork.model.text_values import told_at

Value = Callable[[Array], float]
Gradient = Callable[[Array], Array]
LEAST, LIMITS, MANIPULABILITY = "least motion", "limits", "manipulability"
WORDS = (LEAST, LIMITS, MANIPULABILITY)


def preference_of(loops: Loops, wanted: Any) -> tuple[Value, Gradient] | None:
    """Value and gradient (nw,) of what is preferred; None for least motion and manipulability, which needs rows."""
    if wanted is None or wanted in (LEAST, MANIPULABILITY):
        return None
    if isinstance(wanted, Posture):
        return _rest(loops, wanted.y, np.ones(loops.columns))
    if isinstance(wanted, Mapping):
        given = given_variables(loops, wanted)
        y, weights = loops.plan.layout_y.copy(), np.zeros(loops.columns)
        y[given.variables], weights[given.columns] = given.values, 1.0
        return _rest(loops, y, weights)
    if wanted == LIMITS:
        return _middle(loops)
    if isinstance(wanted, str):
        return _formula(loops, wanted)
    hint = f"{', '.join(WORDS)}, a posture, values by name, or a formula to make small"
    raise InputError(Problem(f"{wanted!r} is no preference", "prefer", hint), loops.plan.name)


def _rest(loops: Loops, rest: Array, weights: Array) -> tuple[Value, Gradient]:
    def value(y: Array) -> float:
        away = loops.apart(rest, y)
        return 0.5 * float(away @ (weights * away))

    return value, lambda y: weights * loops.apart(rest, y)


def _middle(loops: Loops) -> tuple[Value, Gradient]:
    limits = [x for x in joint_limits(loops) if np.isfinite([x.low, x.high]).all() and x.high > x.low]
    if not limits:
        hint = "give limits in the model, or prefer something else"
        raise InputError(
            Problem("no joint has limits on both sides to keep away from", "prefer", hint), loops.plan.name
        )
    places = np.array([x.place for x in limits])
    columns = np.array([loops.places.index(x.place) for x in limits])
    middle = np.array([0.5 * (x.low + x.high) for x in limits])
    half = np.array([0.5 * (x.high - x.low) for x in limits])

    def gradient(y: Array) -> Array:
        g = np.zeros(loops.columns)
        g[columns] = (y[places] - middle) / half**2 / loops.variable_scale[places]
        return g

    return (lambda y: 0.5 * float((((y[places] - middle) / half) ** 2).sum())), gradient


def _formula(loops: Loops, text: str) -> tuple[Value, Gradient]:
    quantity = _checked(loops, text)
    kernel = loops.system.bound_kernel(Question(quantity))
    slope = loops.system.bound_kernel(Question(quantity, (("y",),)))
    still, now = np.zeros(loops.plan.nw), np.zeros(1)

    def gradient(y: Array) -> Array:
        found: Array = slope(y, still, now)[0] * loops.column_scale
        return found

    return (lambda y: float(kernel(y, still, now)[0])), gradient


def _checked(loops: Loops, text: str) -> Quantity:
    """The law of a formula of variables and coordinates; InputError where it is none."""
    try:
        names = names_in(text)
    except ModelError as error:
        raise InputError(told_at(error, "prefer"), loops.plan.name) from None
    problems = [replace(p, where="prefer") for p in MachineNames(loops.system.mechanism).problems(names, text)]
    problems += [Problem(f"'{n}' is a rate", "prefer") for n in names if differentiated(n) is not None]
    if problems:
        hint = f"or one of: {', '.join(WORDS)}"
        raise InputError([replace(p, hint=f"{p.hint}; {hint}" if p.hint else hint) for p in problems], loops.plan.name)
    return conditions([text])
