"""Where an expression jumps or has a kink: the arguments whose sign decides, and its value with the signs given.

    where(a < b, x, y)   jumps where a - b = 0          sign(a)   where a = 0
    atan2(y, x)          jumps by 2π where y = 0 with x < 0
    abs(a)               has a kink where a = 0         min(a, b), max(a, b)   where a - b = 0

An argument that jumps itself (`where(sign(A)*B > 0, ...)`) is no switch of its own: it follows from those inside.

With a side given for each switch, 1 above zero and -1 below, an expression goes on smoothly beyond the place where it
jumps, as it was before it. A side of 0 takes the expression as it stands. A side s larger than 1 smooths the jump: the
sign becomes tanh(s a).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from linkwork.expressions.evaluation import casadi_operations
from linkwork.expressions.nodes import Binary, Call, Negative, Node, Number, Variable, Where, children, in_order

LARGEST = 1e300
"""What is larger, or no number, has no value: beyond its jump an expression may have none."""


def switching_argument(node: Node) -> Node | None:
    """The tree whose sign decides where a node jumps; None of nodes that do not jump."""
    match node:
        case Where(_, left, right, _, _):
            return Binary("-", left, right)
        case Call("min" | "max", (a, b)):
            return Binary("-", a, b)
        case Call("sign" | "abs", (a,)):
            return a
        case Call("atan2", (y, _)):
            return y
    return None


@lru_cache(maxsize=512)
def switches(root: Node) -> tuple[tuple[Node, Node], ...]:
    """Nodes that jump, each with its argument, children before parents."""
    found: list[tuple[Node, Node]] = []
    jumping: set[Node] = set()
    for node in in_order(root):
        argument = switching_argument(node)
        parts = set(in_order(argument)) if argument is not None else set()
        if argument is not None and any(isinstance(part, Variable) for part in parts) and not parts & jumping:
            found.append((node, argument))
        if argument is not None and not is_kink(node):
            jumping.add(node)
    return tuple(found)


def is_kink(node: Node) -> bool:
    """Whether a node with a switching argument has a kink there, and no jump."""
    return isinstance(node, Call) and node.name in ("abs", "min", "max")


def is_nested(root: Node) -> bool:
    """Whether an argument that decides jumps itself, so that not all jumps are switches."""
    listed = {node for node, _ in switches(root)}
    for node in in_order(root):
        argument = switching_argument(node)
        if argument is not None and node not in listed and any(isinstance(p, Variable) for p in in_order(argument)):
            return True
    return False


def arguments_casadi(root: Node, values: Mapping[str, Any]) -> list[Any]:
    """Arguments of all switches, with CasADi symbols among the variables."""
    return [_evaluated(in_order(argument), values, {})[argument] for _, argument in switches(root)]


def forced_casadi(root: Node, values: Mapping[str, Any], sides: Sequence[Any]) -> Any:
    """The value of a tree with a side given for each of its switches."""
    of_node = {node: side for (node, _), side in zip(switches(root), sides, strict=True)}
    return _evaluated(in_order(root), values, of_node)[root]


def _evaluated(order: Sequence[Node], values: Mapping[str, Any], sides: Mapping[Node, Any]) -> dict[Node, Any]:
    operations = casadi_operations()
    results: dict[Node, Any] = {}
    for node in order:
        given = [results[child] for child in children(node)]
        match node:
            case Number(value):
                result: Any = value
            case Variable(name):
                result = values[name]
            case Negative():
                result = -given[0]
            case Binary(op):
                result = operations[op](*given)
            case Call(name):
                result = operations[name](*given)
            case Where(op):
                result = operations["where"](operations[op](*given[:2]), *given[2:])
        if node in sides:
            result = _forced(node, given, result, sides[node])
        results[node] = result
    return results


def _forced(node: Node, given: Sequence[Any], stands: Any, side: Any) -> Any:
    """A node that jumps, as its side says: before its jump, beyond it, or smoothly across it."""
    import casadi as ca

    if isinstance(node, Where):
        argument = given[0] - given[1]
        then, otherwise = given[2:] if node.op in (">", ">=") else (given[3], given[2])
        firm = ca.if_else(side > 0.0, then, otherwise)
        smooth = otherwise + 0.5 * (1.0 + ca.tanh(side * argument)) * (then - otherwise)
    elif isinstance(node, Call) and node.name == "sign":
        argument, firm = given[0], side
        smooth = ca.tanh(side * argument)
    elif is_kink(node):
        firm = smooth = _straight(node, given, side)
    else:
        y, x = given
        beyond = ca.logic_and(x < 0.0, side * y < 0.0)
        firm = stands + ca.if_else(beyond, side, 0.0) * 2.0 * ca.pi
        smooth = stands
    forced = ca.if_else(side > 1.0, smooth, firm)
    valued = ca.logic_and(side != 0.0, ca.fabs(forced) <= LARGEST)
    return ca.if_else(valued, forced, stands)


def _straight(node: Node, given: Sequence[Any], side: Any) -> Any:
    """A node with a kink, as it is on one side."""
    import casadi as ca

    assert isinstance(node, Call)
    if node.name == "abs":
        return ca.if_else(side > 0.0, given[0], -given[0])
    larger, smaller = ca.if_else(side > 0.0, given[0], given[1]), ca.if_else(side > 0.0, given[1], given[0])
    return larger if node.name == "max" else smaller
