"""Rows from expressions of a machine's state: couplings, constraints of places, constraints of rates.

    of places   e = f(a),            J = f_a ∂a'/∂w,      γ = a'ᵀ f_aa a' + f_a a''
    of rates    c(a) · b' = 0,       J = c ∂b'/∂w,        γ = (c_a a') · b' + c · b''

a are what the expression names besides rates, b what it names the rates of; a'' and b'' are second derivatives at
w' = 0. Then J w = 0 along every motion, and J w' + γ = 0. CasADi gives the derivatives of f and c.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.algebra import ca
from linkwork.equations.arguments import Argument, Arguments, rates_of
from linkwork.equations.plan import ConstraintPlan, Plan
from linkwork.equations.scalars import replay
from linkwork.equations.vectors import Vector, add, scale
from linkwork.expressions import Expression, names_in
from linkwork.expressions.names import differentiated


@dataclass(frozen=True)
class ExpressionRow:
    """One row: its error, J w, its gradient J by rate, and γ.

    along, pushes : the gradient in two parts, as of `arguments`; a multiplier λ does λ of both
    """

    error: Any
    rate: Any
    gradient: dict[int, Any]
    gamma: Any
    along: dict[int, Any]
    pushes: dict[int, tuple[Vector, Vector]]


def expression_row(plan: ConstraintPlan, numbers: Sequence[Any], state: Arguments) -> ExpressionRow:
    """The row of a constraint at a state.

    numbers : values of its parameters
    """
    places, rated = names_of(plan)
    values = [state.named(name) for name in places]
    moved = [state.named(name) for name in rated]
    at = [a.value for a in values]
    if plan.of_rates:
        speeds = [b.rate for b in moved]
        slopes, (turning,) = replay(_of_rates(plan.expression, plan.parameters), [at, _rates(values), speeds, numbers])
        return _row(0.0, slopes, moved, turning)
    (error,), slopes, (curvature,) = replay(_of_places(plan.expression, plan.parameters), [at, _rates(values), numbers])
    if plan.measure is not None:
        y, w = plan.measure
        own = {w: -1.0}
        values = [*values, Argument(None, -state.w[w], own, 0.0, own)]
        error, slopes = error - state.y[y], [*slopes, 1.0]
    return _row(error, slopes, values, curvature)


def expression_rates(plan: Plan, constraint: ConstraintPlan) -> list[int]:
    """Rates that the row has entries of, ascending: its pattern."""
    places, rated = names_of(constraint)
    found = {k for name in (rated if constraint.of_rates else places) for k in rates_of(plan, name)}
    return sorted(found if constraint.measure is None else {*found, constraint.measure[1]})


def names_of(plan: ConstraintPlan) -> tuple[list[str], list[str]]:
    """What an expression names besides rates and its own numbers, and what it names the rates of."""
    names = [name for name in names_in(plan.expression) if name not in plan.parameters]
    rated = [of for name in names if (of := differentiated(name)) is not None]
    return [name for name in names if differentiated(name) is None], rated


def _rates(arguments: Sequence[Argument]) -> list[Any]:
    return [a.rate for a in arguments]


def _row(error: Any, slopes: Sequence[Any], arguments: Sequence[Argument], gamma: Any) -> ExpressionRow:
    rate: Any = 0.0
    gradient: dict[int, Any] = {}
    along: dict[int, Any] = {}
    pushes: dict[int, tuple[Vector, Vector]] = {}
    for slope, a in zip(slopes, arguments, strict=True):
        rate = rate + slope * a.rate
        gamma = gamma + slope * a.bias
        for target, parts in ((gradient, a.gradient), (along, a.along)):
            for k, part in parts.items():
                target[k] = target.get(k, 0.0) + slope * part
        for link, (moment, force) in a.pushes.items():
            moment, force = scale(slope, moment), scale(slope, force)
            if link in pushes:
                moment, force = add(pushes[link][0], moment), add(pushes[link][1], force)
            pushes[link] = moment, force
    return ExpressionRow(error, rate, dict(sorted(gradient.items())), gamma, along, pushes)


# ---------------------------------------------------------------- functions of the arguments


@functools.lru_cache(maxsize=256)
def _of_places(text: str, parameters: tuple[str, ...]) -> ca.Function:
    """(a, a', numbers) -> f, f_a, a'ᵀ f_aa a'."""
    names = [name for name in names_in(text) if name not in parameters]
    a, speeds, p = ca.SX.sym("a", len(names)), ca.SX.sym("speeds", len(names)), ca.SX.sym("p", len(parameters))
    f = _value(text, dict(_pairs(names, a)) | dict(_pairs(parameters, p)))
    curvature = ca.jtimes(ca.jtimes(f, a, speeds), a, speeds)
    return ca.Function("places", [a, speeds, p], [f, ca.densify(ca.gradient(f, a)), ca.densify(curvature)])


@functools.lru_cache(maxsize=256)
def _of_rates(text: str, parameters: tuple[str, ...]) -> ca.Function:
    """(a, a', b', numbers) -> c, (c_a a') · b'."""
    names = [name for name in names_in(text) if name not in parameters]
    places = [name for name in names if differentiated(name) is None]
    rates = [name for name in names if differentiated(name) is not None]
    a, speeds, p = ca.SX.sym("a", len(places)), ca.SX.sym("speeds", len(places)), ca.SX.sym("p", len(parameters))
    b = ca.SX.sym("b", len(rates))
    f = _value(text, dict(_pairs(places, a)) | dict(_pairs(rates, b)) | dict(_pairs(parameters, p)))
    turning = ca.jtimes(f, a, speeds)
    return ca.Function("rates", [a, speeds, b, p], [ca.densify(ca.gradient(f, b)), ca.densify(turning)])


def _pairs(names: Sequence[str], symbols: Any) -> Iterator[tuple[str, Any]]:
    return zip(names, ca.vertsplit(symbols) if len(names) else [], strict=True)


def _value(text: str, values: Mapping[str, Any]) -> Any:
    return ca.densify(ca.SX(Expression(text, tuple(values))(**values)))
