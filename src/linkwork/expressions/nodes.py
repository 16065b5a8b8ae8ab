"""The tree of an expression: small frozen nodes, shared where they repeat, and the order to work them out in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from linkwork.units.dimensions import Dimension

# Nodes are compared by identity: a node that is shared is met once.


@dataclass(frozen=True, eq=False, slots=True)
class Number:
    """A constant; `measures` is what its unit measures, where it was written with one."""

    value: float
    measures: Dimension | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Variable:
    """A quantity given at evaluation."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Negative:
    """-a"""

    a: Node


@dataclass(frozen=True, eq=False, slots=True)
class Binary:
    """a op b, with one of + - * / **"""

    op: str
    a: Node
    b: Node


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """A function of one or two arguments."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Where:
    """`then` where left op right holds, else `otherwise`; op is one of < <= > >="""

    op: str
    left: Node
    right: Node
    then: Node
    otherwise: Node


Node = Number | Variable | Negative | Binary | Call | Where

ZERO = Number(0.0)
ONE = Number(1.0)


def children(node: Node) -> tuple[Node, ...]:
    """The nodes that a node is made of."""
    match node:
        case Negative(a):
            return (a,)
        case Binary(_, a, b):
            return (a, b)
        case Call(_, arguments):
            return arguments
        case Where(_, left, right, then, otherwise):
            return (left, right, then, otherwise)
    return ()


def in_order(root: Node) -> tuple[Node, ...]:
    """Every node below and including `root`, once, children before parents."""
    order: dict[Node, None] = {}
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order[node] = None
        elif node not in order:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children(node)) if child not in order)
    return tuple(order)


def with_numbers(root: Node, values: Mapping[str, float]) -> Node:
    """A tree with numbers in the place of some variables."""
    made: dict[Node, Node] = {}
    for node in in_order(root):
        parts = tuple(made[child] for child in children(node))
        match node:
            case Variable(name) if name in values:
                made[node] = Number(values[name])
            case Negative():
                made[node] = Negative(*parts)
            case Binary(op):
                made[node] = Binary(op, *parts)
            case Call(name):
                made[node] = Call(name, parts)
            case Where(op):
                made[node] = Where(op, *parts)
            case _:
                made[node] = node
    return made[root]
