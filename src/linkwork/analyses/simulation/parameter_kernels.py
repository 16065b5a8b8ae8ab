"""Kernels with derivatives by parameters: what folded numbers hide is set free, and settled values have slopes.

A kernel takes settled values, which follow from constants, and these from parameters. Along a parameter p

    ∂settled/∂p = ∂settled/∂constants · ∂constants/∂p

and constants that happen to be zero (the free length of a spring, a coordinate of a centre of mass) must not be folded
where p moves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.algebra import ca
from linkwork.analyses.simulation.tangents import tangent_kernel
from linkwork.equations import patterns
from linkwork.equations.patterns import Pattern
from linkwork.equations.plan import constants
from linkwork.equations.trace import Numbers
from linkwork.formulas import Formula, Question
from linkwork.geometry import Array
from linkwork.kernels import Kernel
from linkwork.system import System


@dataclass(frozen=True, eq=False)
class Varied:
    """A formula for a set of numbers, and how it changes with parameters.

    settled : its settled values; slopes : their derivatives, (parameters, settled)
    """

    formula: Formula
    settled: Array
    slopes: Array

    @cached_property
    def kernel(self) -> Kernel:
        """The formula with its numbers."""
        return self.formula.kernel.bind(self.settled)

    def tangent(self, along: Sequence[str], of: Sequence[str]) -> Kernel:
        """(inputs..., settled, directions of `along` and of settled) -> derivatives of the outputs `of`."""
        return tangent_kernel(self.formula, (*along, "settled"), of)


@dataclass
class Variation:
    """A system whose parameters of some names move.

    names : of parameters; "" for a direction in which none of them moves
    """

    system: System
    names: tuple[str, ...]
    _found: dict[str, Varied] = field(default_factory=dict)
    _moved: dict[bool, tuple[Array, Pattern]] = field(default_factory=dict)

    def __call__(self, question: Question) -> Varied:
        """A quantity of the system as it varies."""
        if question.name not in self._found:
            regrouped = question.quantity.regroups
            numbers, given = self.numbers(regrouped)
            formula = self.system._formulas._formula(question, numbers.pattern)
            settled: Array = formula.settle(given, threads=1)
            slopes = _slopes(formula.composed.settle.function, given, self.moved(regrouped)[0])
            self._found[question.name] = Varied(formula, settled, slopes)
        return self._found[question.name]

    def numbers(self, regrouped: bool) -> tuple[Numbers, Array]:
        """The structure of numbers in which nothing is folded that moves, and the constants."""
        numbers, given = self.system._formulas.numbers(self.system.parameters, regrouped)
        return Numbers(numbers.constants, patterns.loosened(numbers.pattern, self.moved(regrouped)[1])), given

    def moved(self, regrouped: bool) -> tuple[Array, Pattern]:
        """Derivatives of the constants, (constants, names), and the pattern with None where some parameter moves it."""
        if regrouped not in self._moved:
            plan = self.system.plan
            symbols = {name: ca.SX.sym(name) for name in plan.parameters}
            _, flat = patterns.flatten(constants(plan, symbols, regrouped))
            expressions = ca.vertcat(*flat)
            columns = [self._column(expressions, symbols, name) for name in self.names]
            J = ca.horzcat(*columns) if columns else ca.SX(expressions.shape[0], 0)
            at = np.array(list(self.system.parameters.values()))
            value = ca.Function("moved", [ca.vertcat(*symbols.values())], [J])(at)
            touched = set(J.sparsity().row())
            pattern = self.system._formulas.numbers(self.system.parameters, regrouped)[0].pattern
            loose = tuple(None if i in touched else x for i, x in enumerate(pattern))
            self._moved[regrouped] = np.array(value.full()), loose
        return self._moved[regrouped]

    def _column(self, expressions: Any, symbols: dict[str, Any], name: str) -> Any:
        """Derivatives of the constants by one parameter, or by a dimension through all that follow from it."""
        if name in self.system.dimensions:
            known, slopes = self.system._layouts.slopes([name])
            way = ca.SX(ca.DM(slopes))
            return ca.jacobian(expressions, ca.vertcat(*(symbols[n] for n in known))) @ way
        return ca.jacobian(expressions, symbols[name] if name else ca.SX.sym("still"))


def _slopes(settle: ca.Function, given: Array, moved: Array) -> Array:
    """∂settled/∂constants · moved, (parameters, settled)."""
    count = moved.shape[1]
    if not count or not settle.size1_out(0):
        return np.zeros((count, settle.size1_out(0)))
    x, way = ca.SX.sym("x", len(given)), ca.SX.sym("way", len(given), count)
    function = ca.Function("slopes", [x, way], [ca.densify(ca.jtimes(settle(x), x, way))])
    found: Any = function(given, moved)
    return np.ascontiguousarray(np.array(found.full()).T)
