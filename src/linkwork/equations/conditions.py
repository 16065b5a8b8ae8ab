"""Expressions of a machine's state: conditions to watch, and gaps of stops with all that an impact or a contact needs.

    conditions  g(y, w, t)
    gaps        g(y, t),  g' = G w + ∂g/∂t,  G,  γ  with  g'' = G w' + γ

An expression f(a) has for arguments a joint variables, the time, and coordinates of points, frames and bodies in the
world; conditions also their rates. With a' and the accelerations a'' that arguments have at w' = 0,

    g' = f_a a',   G = f_a ∂a'/∂w,   γ = a'ᵀ f_aa a' + f_a a''

CasADi gives the derivatives of f, the recursions of `kinematics` those of the coordinates: nothing is approximated.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any

from linkwork.algebra import ca
from linkwork.equations.arguments import Arguments
from linkwork.equations.loads import switching_arguments
from linkwork.equations.quantity import Quantity, Values
from linkwork.equations.scalars import Block, replay
from linkwork.equations.tree import Tree
from linkwork.errors import InputError, Problem
from linkwork.expressions import Expression, names_in
from linkwork.expressions.names import differentiated

INPUTS = ("y", "w", "t")


def conditions(expressions: Sequence[str], states: bool = False, jumps: bool = False) -> Quantity:
    """Values of expressions of variables, coordinates, states, their rates, and time: (y, w, t, states) -> g (n).

    states : whether the machine has named states, which are then an input
    jumps : whether what decides the jumps of loads and states comes after them (`formula_jumps`)
    """
    kind, law = ("conditions and jumps", _conditions_and_jumps) if jumps else ("conditions", _conditions)
    return _quantity(kind, expressions, law, (*INPUTS, "states") if states else INPUTS)


def gaps(expressions: Sequence[str]) -> Quantity:
    """Expressions of variables, coordinates and time, with derivatives: (y, w, t) -> g (n), rate (n), G (n, nw), γ (n).

    rate = G w + ∂g/∂t, and its derivative is G w' + γ.
    """
    rates = [name for text in expressions for name in names_in(text) if differentiated(name) is not None]
    if rates:
        raise InputError(Problem(f"a gap depends on positions and time, not on {', '.join(rates)}", "events"))
    return _quantity("gaps", expressions, _gaps)


def _quantity(kind: str, expressions: Sequence[str], law: Any, inputs: tuple[str, ...] = INPUTS) -> Quantity:
    texts = tuple(" ".join(text.split()) for text in expressions)
    key = hashlib.sha256(repr(texts).encode()).hexdigest()[:24]
    return Quantity(f"{kind} {key}", inputs, partial(law, texts))


def _conditions(texts: tuple[str, ...], tree: Tree, x: Values) -> list[Block]:
    state = Arguments(tree, x["y"], x["w"], x["t"][0], x.get("states"))
    g = [replay(_function(text), [[state.named(name).value for name in names_in(text)]])[0][0] for text in texts]
    return [("g", g, (len(g),))]


def _conditions_and_jumps(texts: tuple[str, ...], tree: Tree, x: Values) -> list[Block]:
    ((_, g, _),) = _conditions(texts, tree, x)
    g = [*g, *switching_arguments(tree, x["t"][0], x["y"], x["w"], x.get("states"))]
    return [("g", g, (len(g),))]


def _gaps(texts: tuple[str, ...], tree: Tree, x: Values) -> list[Block]:
    state, nw = Arguments(tree, x["y"], x["w"], x["t"][0], x.get("states")), tree.plan.nw
    g: list[Any] = []
    rate: list[Any] = []
    G: list[Any] = []
    gamma: list[Any] = []
    for text in texts:
        arguments = [state.named(name) for name in names_in(text)]
        values, speeds = [a.value for a in arguments], [a.rate for a in arguments]
        (value,), slopes, (curvature,) = replay(_derivatives(text), [values, speeds])
        row: list[Any] = [0.0] * nw
        change: Any = 0.0
        bias = curvature
        for slope, a in zip(slopes, arguments, strict=True):
            change = change + slope * a.rate
            bias = bias + slope * a.bias
            for k, part in a.gradient.items():
                row[k] = row[k] + slope * part
        g.append(value)
        rate.append(change)
        G += row
        gamma.append(bias)
    n = len(texts)
    return [("g", g, (n,)), ("rate", rate, (n,)), ("G", G, (n, nw)), ("gamma", gamma, (n,))]


# ---------------------------------------------------------------- expressions


@functools.lru_cache(maxsize=256)
def _function(text: str) -> ca.Function:
    """An expression of its names, in their order."""
    a = ca.SX.sym("a", len(names_in(text)))
    return ca.Function("expression", [a], [_value(text, a)])


@functools.lru_cache(maxsize=256)
def _derivatives(text: str) -> ca.Function:
    """f, f_a and a'ᵀ f_aa a' of an expression."""
    n = len(names_in(text))
    a, rates = ca.SX.sym("a", n), ca.SX.sym("rates", n)
    f = _value(text, a)
    curvature = ca.jtimes(ca.jtimes(f, a, rates), a, rates)
    return ca.Function("derivatives", [a, rates], [f, ca.densify(ca.gradient(f, a)), ca.densify(curvature)])


def _value(text: str, a: Any) -> Any:
    names = names_in(text)
    return ca.densify(ca.SX(Expression(text, names)(**dict(zip(names, ca.vertsplit(a), strict=True)))))
