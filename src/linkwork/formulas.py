"""Formulas: quantities of a tree with their kernels, traced when first asked for and kept by structure.

A kernel serves every set of numbers with the same structural zeros. Which constants are folded follows from the model's
own numbers and from the ones of the call, never from what was asked before, so answers are the same to the bit whatever
the history. Constants that are free in the model stay free when they happen to be zero; folded ones that a call changes
become free, which takes a trace of its own.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from linkwork.equations import folding
from linkwork.equations.folding import Pattern
from linkwork.equations.plan import Constants, Plan, constants
from linkwork.equations.quantities import SIZES, Quantity
from linkwork.equations.scalars import Composed
from linkwork.equations.tracing import Numbers, trace, trace_derivative, trace_parameter_derivative
from linkwork.equations.tree import Weightless
from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.kernels import Kernel

KEPT = 1024
"""Formulas kept in memory, the longest unused leaving first."""


@dataclass(frozen=True)
class Question:
    """A quantity, or its derivatives by inputs or by parameters."""

    quantity: Quantity
    wrt: tuple[str, ...] = ()
    order: int = 0
    by_parameters: bool = False

    @property
    def name(self) -> str:
        """Names the question among all of one plan."""
        return f"d{self.order} {self.quantity.name} by {', '.join(self.wrt)}" if self.order else self.quantity.name


@dataclass(frozen=True)
class Formula:
    """A kernel whose last input are settled values, and the kernel that gives them.

    from_parameters : `settle` takes the parameters, else the constants
    """

    kernel: Kernel
    settle: Kernel
    from_parameters: bool


class Formulas:
    """The formulas of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._patterns: dict[bool, Pattern] = {}

    def settled(self, question: Question, values: Mapping[str, Any]) -> tuple[Formula, Array]:
        """The formula for these parameters (numbers, or arrays with one entry per sample) and its settled values."""
        regrouped = question.quantity.regroups
        found, values_found = self._found(values, regrouped)
        pattern = folding.loosened(self._own_pattern(regrouped), found)
        if found != pattern and question.quantity.needs_mass:
            self._formula(question, found)  # refuses numbers that leave a freedom without mass
        formula = self._formula(question, pattern)
        given = _stacked(list(values.values())) if formula.from_parameters else values_found
        settled: Array = formula.settle(given, threads=1)
        return formula, settled

    def _found(self, values: Mapping[str, Any], regrouped: bool) -> tuple[Pattern, Array]:
        """Which constants of these parameters are structural, and all of them."""
        kinds, flat = folding.flatten(constants(self.plan, values, regrouped))
        found = _stacked(flat)
        before = _stacked(folding.flatten(constants(self.plan, values, False))[1]) if regrouped else None
        return folding.pattern_of(kinds, found, before), found

    def _own_pattern(self, regrouped: bool) -> Pattern:
        if regrouped not in self._patterns:
            self._patterns[regrouped] = self._found(self.plan.parameters, regrouped)[0]
        return self._patterns[regrouped]

    @cached_property
    def _own_constants(self) -> dict[bool, Constants]:
        return {r: constants(self.plan, self.plan.parameters, r) for r in (False, True)}

    def _formula(self, question: Question, pattern: Pattern) -> Formula:
        key = (self.plan.signature, question.name, pattern)
        with _lock:
            if key in _kept:
                _kept.move_to_end(key)
                return _kept[key]
        formula = self._traced(question, pattern)
        with _lock:
            while len(_kept) >= KEPT:
                _kept.popitem(last=False)
            return _kept.setdefault(key, formula)

    def _traced(self, question: Question, pattern: Pattern) -> Formula:
        quantity = question.quantity
        numbers = Numbers(self._own_constants[quantity.regroups], pattern)
        try:
            if not question.order:
                composed = trace(self.plan, numbers, quantity)
            elif question.by_parameters:
                composed = self._by_parameters(question, pattern)
            else:
                composed = trace_derivative(self.plan, numbers, quantity, question.wrt, question.order)
        except Weightless as error:
            raise ModelError(Problem(str(error), error.where, error.hint), self.plan.name) from None
        sizes = [(getattr(self.plan, SIZES[name]),) for name in quantity.inputs]
        settled = (composed.main.size1_in(len(sizes)),)
        return Formula(
            Kernel(composed.main, input_shapes=[*sizes, settled], output_shapes=composed.shapes),
            Kernel(composed.settle, input_shapes=[(composed.settle.size1_in(0),)], output_shapes=[settled]),
            question.by_parameters,
        )

    def _by_parameters(self, question: Question, pattern: Pattern) -> Composed:
        """Derivatives by parameters; constants that depend on them must not be folded."""
        plan, regrouped = self.plan, question.quantity.regroups
        symbols = {name: ca.SX.sym(name) for name in plan.parameters}
        _, flat = folding.flatten(constants(plan, symbols, regrouped))
        expressions = ca.vertcat(*flat)
        touched = set(ca.jacobian_sparsity(expressions, ca.vertcat(*[symbols[n] for n in question.wrt])).row())
        loose = tuple(None if i in touched else x for i, x in enumerate(pattern))
        order = list(plan.parameters)
        return trace_parameter_derivative(
            plan,
            Numbers(self._own_constants[regrouped], loose),
            question.quantity,
            ca.vertcat(*symbols.values()),
            expressions,
            [order.index(n) for n in question.wrt],
            question.order,
        )


_kept: OrderedDict[tuple[Any, ...], Formula] = OrderedDict()
_lock = threading.Lock()


def _stacked(values: list[Any]) -> Array:
    """Numbers, or arrays of one shape, side by side along a last axis."""
    return np.stack(np.broadcast_arrays(*(np.asarray(x, float) for x in values)), axis=-1)
