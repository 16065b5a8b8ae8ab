"""The derivative of a tree, another tree that shares its nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from linkwork.expressions.nodes import (
    ONE,
    ZERO,
    Binary,
    Call,
    Negative,
    Node,
    Number,
    Variable,
    Where,
    in_order,
)


def differentiate(root: Node, variable: str) -> Node:
    """The exact derivative of a tree. `abs`, `min`, `max` and `where` are differentiated piece by piece."""
    d: dict[Node, Node] = {}
    for node in in_order(root):
        d[node] = _derivative_of(node, d, variable)
    return d[root]


def _derivative_of(node: Node, d: Mapping[Node, Node], variable: str) -> Node:
    """The derivative of one node, from the derivatives of its children."""
    match node:
        case Number():
            return ZERO
        case Variable(name):
            return ONE if name == variable else ZERO
        case Negative(a):
            return _negative(d[a])
        case Binary("+", a, b):
            return _add(d[a], d[b])
        case Binary("-", a, b):
            return _subtract(d[a], d[b])
        case Binary("*", a, b):
            return _add(_multiply(d[a], b), _multiply(a, d[b]))
        case Binary("/", a, b):
            # (a/b)' = (a' - (a/b) b') / b
            return _divide(_subtract(d[a], _multiply(node, d[b])), b)
        case Binary(_, a, b):
            # (a**b)' = b a**(b-1) a' + a**b log(a) b'
            by_base = ZERO if d[a] is ZERO else _multiply(_multiply(b, _power(a, _subtract(b, ONE))), d[a])
            by_exponent = ZERO if d[b] is ZERO else _multiply(_multiply(node, Call("log", (a,))), d[b])
            return _add(by_base, by_exponent)
        case Where(op, left, right, then, otherwise):
            return _where(op, left, right, d[then], d[otherwise])
        case Call("min", (a, b)):
            return _where("<=", a, b, d[a], d[b])
        case Call("max", (a, b)):
            return _where(">=", a, b, d[a], d[b])
        case Call("atan2", (y, x)):
            top = _subtract(_multiply(x, d[y]), _multiply(y, d[x]))
            return _divide(top, _add(_multiply(x, x), _multiply(y, y)))
        case Call("hypot", (a, b)):
            return _divide(_add(_multiply(a, d[a]), _multiply(b, d[b])), node)
        case Call(name, (a,)):
            return ZERO if d[a] is ZERO else _multiply(_SLOPES[name](node, a), d[a])
    raise AssertionError(node)  # pragma: no cover - the cases above are all there are


def _call(name: str, *arguments: Node) -> Node:
    return Call(name, arguments)


# f'(a) for f(a), with f(a) itself at hand.
_SLOPES: dict[str, Callable[[Node, Node], Node]] = {
    "sin": lambda f, a: _call("cos", a),
    "cos": lambda f, a: _negative(_call("sin", a)),
    "tan": lambda f, a: _add(ONE, _multiply(f, f)),
    "asin": lambda f, a: _divide(ONE, _call("sqrt", _subtract(ONE, _multiply(a, a)))),
    "acos": lambda f, a: _divide(Number(-1.0), _call("sqrt", _subtract(ONE, _multiply(a, a)))),
    "atan": lambda f, a: _divide(ONE, _add(ONE, _multiply(a, a))),
    "sinh": lambda f, a: _call("cosh", a),
    "cosh": lambda f, a: _call("sinh", a),
    "tanh": lambda f, a: _subtract(ONE, _multiply(f, f)),
    "exp": lambda f, a: f,
    "log": lambda f, a: _divide(ONE, a),
    "sqrt": lambda f, a: _divide(Number(0.5), f),
    "abs": lambda f, a: _call("sign", a),
    "sign": lambda f, a: ZERO,
}


# Sums, products and powers in which zeros, ones and numbers are worked out at once. ZERO is always the same object.


def _number(value: float) -> Node:
    return ZERO if value == 0.0 else ONE if value == 1.0 else Number(value)


def _value(node: Node) -> float | None:
    return node.value if isinstance(node, Number) else None


def _negative(a: Node) -> Node:
    match a:
        case Number(value):
            return _number(-value)
        case Negative(inner):
            return inner
    return Negative(a)


def _fold(op: str, a: Node, b: Node, result: float) -> Node:
    """The number that two numbers make, unless it is out of range."""
    return _number(result) if math.isfinite(result) else Binary(op, a, b)


def _add(a: Node, b: Node) -> Node:
    match a, b:
        case Number(x), Number(y):
            return _fold("+", a, b, x + y)
        case Number(0.0), _:
            return b
        case _, Number(0.0):
            return a
        case _, Negative(inner):
            return _subtract(a, inner)
    return Binary("+", a, b)


def _subtract(a: Node, b: Node) -> Node:
    match a, b:
        case Number(x), Number(y):
            return _fold("-", a, b, x - y)
        case Number(0.0), _:
            return _negative(b)
        case _, Number(0.0):
            return a
        case _, Negative(inner):
            return _add(a, inner)
    return Binary("-", a, b)


def _multiply(a: Node, b: Node) -> Node:
    if a is ZERO or b is ZERO or _value(a) == 0.0 or _value(b) == 0.0:
        return ZERO
    match a, b:
        case Number(x), Number(y):
            return _fold("*", a, b, x * y)
        case Number(1.0), _:
            return b
        case _, Number(1.0):
            return a
        case Number(-1.0), _:
            return _negative(b)
        case _, Number(-1.0):
            return _negative(a)
        case Negative(inner), _:
            return _negative(_multiply(inner, b))
        case _, Negative(inner):
            return _negative(_multiply(a, inner))
    return Binary("*", a, b)


def _divide(a: Node, b: Node) -> Node:
    match a, b:
        case Number(0.0), _:
            return ZERO
        case _, Number(1.0):
            return a
        case Negative(inner), _:
            return _negative(_divide(inner, b))
    return Binary("/", a, b)


def _power(a: Node, b: Node) -> Node:
    match b:
        case Number(0.0):
            return ONE
        case Number(1.0):
            return a
    return Binary("**", a, b)


def _where(op: str, left: Node, right: Node, then: Node, otherwise: Node) -> Node:
    if then is otherwise or (isinstance(then, Number) and _value(otherwise) == then.value):
        return then
    return Where(op, left, right, then, otherwise)
