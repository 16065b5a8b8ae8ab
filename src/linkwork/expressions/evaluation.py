"""The value of a tree: with floats, complex numbers and arrays, or with CasADi symbols."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from linkwork.expressions.nodes import Binary, Call, Negative, Node, Number, Variable, Where


def evaluate(order: Iterable[Node], values: Mapping[str, Any], operations: Mapping[str, Callable[..., Any]]) -> Any:
    """The value of the last node of `order`, computed with the given arithmetic."""
    results: dict[Node, Any] = {}
    result: Any = None
    for node in order:
        match node:
            case Number(value):
                result = value
            case Variable(name):
                result = values[name]
            case Negative(a):
                result = -results[a]
            case Binary(op, a, b):
                result = operations[op](results[a], results[b])
            case Call(name, arguments):
                result = operations[name](*(results[a] for a in arguments))
            case Where(op, left, right, then, otherwise):
                condition = operations[op](results[left], results[right])
                result = operations["where"](condition, results[then], results[otherwise])
        results[node] = result
    return result


@lru_cache(maxsize=1)
def _numpy_operations() -> dict[str, Callable[..., Any]]:
    """Arithmetic on floats, complex numbers and arrays.

    A complex argument carries a small imaginary step, so every function here is analytic: comparisons look at real
    parts, and `abs`, `sign`, `min`, `max` and `atan2` follow the branch on which the real part lies.
    """
    import numpy as np

    def magnitude(a: Any) -> Any:
        return a * np.sign(np.real(a))

    def sign(a: Any) -> Any:
        return np.sign(np.real(a))

    def smaller(a: Any, b: Any) -> Any:
        return np.where(np.real(a) <= np.real(b), a, b)

    def larger(a: Any, b: Any) -> Any:
        return np.where(np.real(a) >= np.real(b), a, b)

    def angle(y: Any, x: Any) -> Any:
        if not (np.iscomplexobj(y) or np.iscomplexobj(x)):
            return np.arctan2(y, x)
        # Turn back by the real angle; what remains is small, and its tangent has no branch to choose.
        y0, x0 = np.real(y), np.real(x)
        return np.arctan2(y0, x0) + np.arctan((y * x0 - x * y0) / (x * x0 + y * y0))

    def hypotenuse(a: Any, b: Any) -> Any:
        if not (np.iscomplexobj(a) or np.iscomplexobj(b)):
            return np.hypot(a, b)
        return np.sqrt(a * a + b * b)

    return {
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": np.divide,
        "**": np.power,
        "<": lambda a, b: np.real(a) < np.real(b),
        "<=": lambda a, b: np.real(a) <= np.real(b),
        ">": lambda a, b: np.real(a) > np.real(b),
        ">=": lambda a, b: np.real(a) >= np.real(b),
        "where": np.where,
        "sin": np.sin,
        "cos": np.cos,
        "tan": np.tan,
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "atan2": angle,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "tanh": np.tanh,
        "exp": np.exp,
        "log": np.log,
        "sqrt": np.sqrt,
        "abs": magnitude,
        "sign": sign,
        "min": smaller,
        "max": larger,
        "hypot": hypotenuse,
    }


@lru_cache(maxsize=1)
def casadi_operations() -> dict[str, Callable[..., Any]]:
    """Arithmetic on CasADi expressions."""
    import casadi

    same_name = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt")
    return {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: casadi.rdivide(a, b),
        "**": casadi.power,
        "<": casadi.lt,
        "<=": casadi.le,
        ">": casadi.gt,
        ">=": casadi.ge,
        "where": casadi.if_else,
        **{name: getattr(casadi, name) for name in (*same_name, "sign")},
        "abs": casadi.fabs,
        "min": casadi.fmin,
        "max": casadi.fmax,
        "hypot": lambda a, b: casadi.sqrt(a * a + b * b),
    }


def is_casadi(value: object) -> bool:
    """True for CasADi symbols and matrices, without importing CasADi."""
    return type(value).__module__.partition(".")[0] == "casadi"


def evaluate_casadi(order: Iterable[Node], values: Mapping[str, Any]) -> Any:
    """The value with CasADi symbols among the variables."""
    import casadi

    result = evaluate(order, values, casadi_operations())
    given = [value for value in values.values() if is_casadi(value)]
    symbols = [value for value in given if not isinstance(value, casadi.DM)] or given
    like = max(symbols, key=lambda value: int(value.numel()))
    if not isinstance(result, type(like)) or result.numel() < like.numel():
        result = type(like).ones(*like.shape) * result  # a constant takes the kind and the shape of the symbols
    return result


def evaluate_numpy(order: Iterable[Node], values: Mapping[str, Any]) -> Any:
    """The value with numbers and arrays; what is undefined is inf or nan, for callers to judge."""
    import numpy as np

    arrays = {}
    for name, value in values.items():
        array = np.asarray(value)
        arrays[name] = (
            array if array.dtype == np.complex128 else array.astype(complex if array.dtype.kind == "c" else float)
        )
    shape = np.broadcast_shapes(*(a.shape for a in arrays.values()))
    with np.errstate(all="ignore"):
        result = np.asarray(evaluate(order, arrays, _numpy_operations()))
    if not shape:
        return result.item()
    return result if result.shape == shape else np.broadcast_to(result, shape).copy()
