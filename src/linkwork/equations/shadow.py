"""Values of traced scalars at sampled states: they tell which pivots are safe.

The samples that a trace carries are random and prove identities; they say nothing about the states a machine can be in.
A shadow evaluates any scalar at such states, each node once, and only where it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from linkwork.algebra import ca
from linkwork.equations.listing import NONE
from linkwork.equations.scalars import OUT, Scalar
from linkwork.geometry import Array

_OPERATIONS: dict[int, Callable[..., Any]] = {
    ca.OP_ADD: np.add,
    ca.OP_SUB: np.subtract,
    ca.OP_MUL: np.multiply,
    ca.OP_DIV: np.divide,
    ca.OP_NEG: np.negative,
    ca.OP_INV: np.reciprocal,
    ca.OP_SQ: np.square,
    ca.OP_SIN: np.sin,
    ca.OP_COS: np.cos,
}


class Shadow:
    """Numbers behind scalars, one array (states,) each."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._values: dict[int, Array] = {}
        self._kept: list[Scalar] = []
        """Nodes with values: while they are here, no other node takes their identity."""
        self._called: dict[int, list[Array]] = {}
        """By call, its results."""

    def give(self, scalars: Sequence[Any], values: Iterable[Any]) -> None:
        """Values of symbols: arrays (states,) or numbers."""
        for scalar, value in zip(scalars, values, strict=True):
            if isinstance(scalar, Scalar):
                self._kept.append(scalar)
                self._values[id(scalar)] = np.broadcast_to(np.asarray(value, float), (self.count,))

    def __call__(self, scalar: Any) -> Array:
        if not isinstance(scalar, Scalar):
            return np.full(self.count, float(scalar))
        known = self._values.get(id(scalar))
        if known is not None:
            return known
        with np.errstate(all="ignore"):  # what is not finite is not safe
            return self._worked_out(scalar)

    def _worked_out(self, scalar: Scalar) -> Array:
        values, stack = self._values, [scalar]
        while stack:
            node = stack[-1]
            if id(node) in values:
                stack.pop()
                continue
            called = node.op == OUT
            needed = node.args[0].args if called else node.args
            missing = [x for x in needed if isinstance(x, Scalar) and id(x) not in values]
            if missing:
                stack.extend(missing)
                continue
            self._kept.append(node)
            values[id(node)] = self._result(node) if called else self._operation(node)
            stack.pop()
        return values[id(scalar)]

    def _operation(self, node: Scalar) -> Array:
        arguments = [self._values[id(x)] if isinstance(x, Scalar) else np.full(self.count, float(x)) for x in node.args]
        return _operated(node.op, arguments)

    def _result(self, node: Scalar) -> Array:
        """A result of a call: all of them are worked out with the first one."""
        call, place = node.args
        if call.index not in self._called:
            given = [self._values[id(x)] for x in call.args]
            given += [np.full(self.count, x) for x in call.listing.constants]
            for code, operands in zip(call.listing.codes.tolist(), call.listing.operands.tolist(), strict=True):
                given.append(_operated(code, [given[v] for v in operands if v != NONE]))
            self._called[call.index] = [given[v] for v in call.listing.results.tolist()]
        result: Array = self._called[call.index][place]
        return result


def _operated(op: int, arguments: Sequence[Array]) -> Array:
    rule = _OPERATIONS.get(op)
    if rule is not None:
        result: Array = rule(*arguments)
        return result
    parts = [ca.DM(x) for x in arguments]
    found = ca.DM.binary(op, *parts) if len(parts) == 2 else ca.DM.unary(op, *parts)
    return np.asarray(found.full()).reshape(-1)
