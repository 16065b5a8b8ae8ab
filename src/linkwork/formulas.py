"""Formulas: quantities of a tree with their kernels, traced when first asked for and kept by structure.

A kernel serves every set of numbers with the same structural zeros. Which constants are folded follows from the model's
own numbers and from those of the sample, never from what was asked before or what else is in the batch, so answers are
the same to the bit. Constants that are free in the model stay free when they happen to be zero; folded ones that a call
changes become free, which takes a trace of its own.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from linkwork.algebra import ca
from linkwork.equations import patterns
from linkwork.equations.patterns import CERTAIN, Pattern
from linkwork.equations.plan import Constants, LinkConstants, Plan, constants, rounded_parameters, with_masses_regrouped
from linkwork.equations.quantity import Quantity
from linkwork.equations.rounding_errors import Rounded
from linkwork.equations.scalars import Composed, Trace, compose, undisturbed
from linkwork.equations.total_derivatives import Closure, trace_total_derivative
from linkwork.equations.trace import Numbers, Parameters, trace, trace_derivative
from linkwork.equations.tree import Weightless
from linkwork.errors import ModelError
from linkwork.geometry import Array
from linkwork.kernels import Kernel
from linkwork.kernels.machine import this_machine

KEPT, KEPT_OPERATIONS = 1024, 2_000_000
"""Formulas kept in memory and their operations together, the longest unused leaving first."""
STRUCTURAL = (None, 0.0, 1.0, -1.0)
"""What a constant can be: free, or folded."""
SELDOM = 32
"""Sets of parameters worked out by plain arithmetic; with more of them a kernel is worth its preparation."""
FEW = 4
"""Structures of numbers kept beside those of formulas."""
PIECE = 16_384
"""Samples with parameters of their own that are worked on at a time."""


@dataclass(frozen=True)
class Question:
    """A quantity, or its derivatives.

    by : groups of names to differentiate by, one group after the other: inputs, each giving a derivative of its own, or
        parameters, which share an axis
    closure : how dependent joints follow, for total derivatives; partial ones without
    """

    quantity: Quantity
    by: tuple[tuple[str, ...], ...] = ()
    closure: Closure | None = None

    @cached_property
    def name(self) -> str:
        """Names the question among all of one plan."""
        plain = " by ".join([self.quantity.name, *(", ".join(group) for group in self.by)])
        return plain if self.closure is None else f"{plain} through {self.closure.key}"


@dataclass(frozen=True, eq=False)
class Formula:
    """A kernel whose last input are settled values, and the kernel that gives them.

    from_parameters : `settle` takes the parameters, else the constants
    composed : what the kernels are made of
    """

    kernel: Kernel
    settle: Kernel
    from_parameters: bool
    composed: Composed


class Formulas:
    """The formulas of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._others = 0
        self._own: dict[bool, tuple[Pattern, Array]] = {}
        self._own_constants: dict[bool, Constants] = {}
        self._row_kernels: dict[bool, Kernel] = {}
        self._last_numbers: dict[tuple[bool, Pattern], Numbers] = {}
        self._near: WeakValueDictionary[tuple[str, Pattern], Formula] = WeakValueDictionary()
        self._composed: dict[tuple[str, Pattern], Composed] = {}
        """What was traced before it was asked for."""

    def settled(self, question: Question, values: Mapping[str, float]) -> tuple[Formula, Array]:
        """The formula for a set of parameters, and its settled values."""
        regrouped = question.quantity.regroups
        found, numbers = self._found(values, regrouped)
        formula = self._fitting(question, found)
        given = np.array(list(values.values())) if formula.from_parameters else numbers
        settled: Array = formula.settle(given, threads=1)
        return formula, settled

    def loosened(
        self, question: Question, values: Mapping[str, float], others: Sequence[Mapping[str, float]]
    ) -> tuple[Formula, Array]:
        """A formula that serves a set of parameters and others too, and its settled values for the first."""
        regrouped = question.quantity.regroups
        numbers, given = self.numbers(values, regrouped)
        pattern = numbers.pattern
        for other in others:
            pattern = patterns.loosened(pattern, self.numbers(other, regrouped)[0].pattern)
        formula = self._formula(question, pattern)
        settled: Array = formula.settle(given, threads=1)
        return formula, settled

    def settled_all(self, question: Question, values: Mapping[str, float | Array], count: int) -> tuple[Formula, Array]:
        """One formula for `count` sets of parameters, and its settled values (count, ...).

        A constant that is folded in some of them alone stays free, so answers may differ in the last bit from those of
        each set by itself.
        """
        rows = np.empty((count, len(values)))
        for k, x in enumerate(values.values()):
            rows[:, k] = x
        regrouped = question.quantity.regroups
        numbers, errors = self._row_kernel(regrouped)(rows, threads=1)
        codes = self._codes(numbers, errors)
        shared = (codes == codes[0]).all(axis=0)
        found = tuple(STRUCTURAL[c] if same else None for c, same in zip(codes[0], shared, strict=True))
        formula = self._formula(question, patterns.loosened(self._own_found(regrouped)[0], found))
        settled: Array = formula.settle(rows if formula.from_parameters else numbers, threads=1)
        return formula, settled

    def settled_rows(
        self, question: Question, values: Mapping[str, float | Array], count: int
    ) -> Iterator[tuple[NDArray[np.intp], Formula, Array]]:
        """The same for `count` samples whose parameters differ: pieces of samples of equal structure.

        values : numbers, or arrays (count,)
        """
        for start in range(0, count, PIECE):
            stop = min(start + PIECE, count)
            rows = np.empty((stop - start, len(values)))
            for k, x in enumerate(values.values()):
                rows[:, k] = x if np.ndim(x) == 0 else np.asarray(x)[start:stop]
            yield from self._piece(question, rows, start)

    def _piece(self, question: Question, rows: Array, start: int) -> Iterator[tuple[NDArray[np.intp], Formula, Array]]:
        numbers, errors = self._row_kernel(question.quantity.regroups)(rows, threads=1)
        codes = self._codes(numbers, errors)
        differing = np.flatnonzero((codes != codes[0]).any(axis=0))  # few, so that sorting by them is quick
        _, first, members = np.unique(codes[:, differing], axis=0, return_index=True, return_inverse=True)
        for k, row in enumerate(first):
            own = np.flatnonzero(members.reshape(-1) == k)
            formula = self._fitting(question, tuple(STRUCTURAL[c] for c in codes[row]))
            given = rows if formula.from_parameters else numbers
            yield own + start, formula, formula.settle(given[own], threads=1)

    def _codes(self, numbers: Array, errors: Array) -> NDArray[np.int8]:
        """By constant, the place in `STRUCTURAL` of what it is."""
        errors *= CERTAIN
        codes = (np.abs(numbers) <= errors).astype(np.int8)
        turned = np.flatnonzero(self._rotations)
        entries, allowed = numbers[:, turned], errors[:, turned]
        for code, one in ((2, 1.0), (3, -1.0)):
            codes[:, turned] = np.where(np.abs(entries - one) <= allowed, code, codes[:, turned])
        return codes

    # ---------------------------------------------------------------- structure of numbers

    def numbers(self, values: Mapping[str, float], regrouped: bool) -> tuple[Numbers, Array]:
        """The structure in which formulas for these parameters are traced, and the constants in its order."""
        own, _ = self._own_found(regrouped)
        found, constants_ = self._found(values, regrouped)
        return self._numbers(regrouped, patterns.loosened(own, found)), constants_

    def links(self, values: Mapping[str, float]) -> tuple[LinkConstants, ...]:
        """Numbers of all links for these parameters, each with the masses that it has."""
        _, numbers = self._found(values, False)
        return patterns.rebuild(self._constants(False), numbers.tolist()).links

    def _numbers(self, regrouped: bool, pattern: Pattern) -> Numbers:
        """The last ones are kept: many laws are traced for the same."""
        key = (regrouped, pattern)
        known = self._last_numbers.get(key)
        if known is None:
            if len(self._last_numbers) >= FEW:
                self._last_numbers.pop(next(iter(self._last_numbers)))
            known = self._last_numbers[key] = Numbers(self._constants(regrouped), pattern)
        return known

    def _found(self, values: Mapping[str, float], regrouped: bool) -> tuple[Pattern, Array]:
        """Which constants of these parameters are structural, and all of them."""
        if values == self.plan.parameters:
            return self._own_found(regrouped)
        self._others += 1
        if self._others > SELDOM:
            numbers, errors = self._row_kernel(regrouped)(np.array(list(values.values())), threads=1)
        else:
            _, numbers, errors = self._worked_out(values, regrouped)
        return patterns.pattern_of(self._rotations, numbers, errors), numbers

    def _own_found(self, regrouped: bool) -> tuple[Pattern, Array]:
        """The same of the model's own numbers, worked out once."""
        if regrouped not in self._own:
            own, numbers, errors = self._worked_out(self.plan.parameters, regrouped)
            self._own_constants[regrouped] = patterns.rebuild(own, numbers.tolist())
            self._own[regrouped] = patterns.pattern_of(self._rotations, numbers, errors), numbers
        return self._own[regrouped]

    def _worked_out(self, values: Mapping[str, float], regrouped: bool) -> tuple[Constants, Array, Array]:
        """Constants with their rounding errors, by plain arithmetic: milliseconds, but nothing to prepare."""
        if values is self.plan.parameters:
            found = with_masses_regrouped(self.plan, self._own_rounded) if regrouped else self._own_rounded
        else:
            found = constants(self.plan, rounded_parameters(self.plan, values), regrouped)
        numbers, errors = (np.array(x) for x in _parts(patterns.flatten(found)[1]))
        return found, numbers, errors

    @cached_property
    def _own_rounded(self) -> Constants:
        """Constants of the model's own numbers as its bodies have them, with their rounding errors."""
        return constants(self.plan, rounded_parameters(self.plan, self.plan.parameters), False)

    @cached_property
    def _rotations(self) -> list[bool]:
        return patterns.flatten(self._own_rounded)[0]

    def _constants(self, regrouped: bool) -> Constants:
        self._own_found(regrouped)
        return self._own_constants[regrouped]

    def _row_kernel(self, regrouped: bool) -> Kernel:
        """Constants and their rounding errors from parameters, for many samples.

        Without fused operations it rounds as plain numbers do, so that a sample and a number give the same bits.
        """
        if regrouped not in self._row_kernels:
            fresh = Trace(fold=False)
            symbols = dict(zip(self.plan.parameters, fresh.symbols(len(self.plan.parameters)), strict=True))
            _, flat = patterns.flatten(constants(self.plan, rounded_parameters(self.plan, symbols), regrouped))
            numbers, errors = _parts(flat)
            shape = (len(flat),)
            blocks = [("parameters", list(symbols.values()), (len(symbols),))]
            composed = compose("constants", blocks, [], [("numbers", numbers, shape), ("errors", errors, shape)])
            self._row_kernels[regrouped] = Kernel(
                composed.main, bound=[np.zeros((0,))], machine=replace(this_machine(), fma=False)
            )
        return self._row_kernels[regrouped]

    # ---------------------------------------------------------------- formulas

    def _fitting(self, question: Question, found: Pattern) -> Formula:
        """The formula for numbers of this pattern; ModelError if they leave a freedom without mass."""
        own, _ = self._own_found(question.quantity.regroups)
        pattern = patterns.loosened(own, found)
        if question.quantity.needs_mass and found != pattern:
            self._formula(Question(question.quantity), found)
        return self._formula(question, pattern)

    def _formula(self, question: Question, pattern: Pattern) -> Formula:
        near = (question.name, pattern)
        formula = self._near.get(near)
        if formula is None:
            formula = self._near[near] = self._shared(question, pattern)
        return formula

    def foreseen(self, quantity: Quantity, numbers: Numbers, composed: Composed) -> None:
        """Keep what was traced on the way to something else, for numbers of this structure, until it is asked for."""
        self._composed[Question(quantity).name, numbers.pattern] = composed

    def _shared(self, question: Question, pattern: Pattern) -> Formula:
        """From the formulas of all plans of equal signature, or traced."""
        key = (self.plan.signature, question.name, pattern)
        with _lock:
            if key in _kept:
                _kept.move_to_end(key)
                return _kept[key]
        formula = self._traced(question, pattern)
        with _lock:
            _kept[key] = formula
            operations = sum(f.kernel.operations for f in _kept.values())
            while len(_kept) > 1 and (len(_kept) > KEPT or operations > KEPT_OPERATIONS):
                operations -= _kept.popitem(last=False)[1].kernel.operations
        return formula

    def _traced(self, question: Question, pattern: Pattern) -> Formula:
        with undisturbed():
            return self._from_trace(question, pattern)

    def _from_trace(self, question: Question, pattern: Pattern) -> Formula:
        quantity, parameters = question.quantity, None
        if any(name not in quantity.inputs for group in question.by for name in group):
            parameters, pattern = self._free_parameters(question, pattern)
        numbers = self._numbers(quantity.regroups, pattern)
        try:
            if question.closure is not None:
                composed = trace_total_derivative(
                    self.plan, numbers, quantity, question.by, question.closure, parameters
                )
            elif question.by:
                composed = trace_derivative(self.plan, numbers, quantity, question.by, parameters)
            elif (question.name, pattern) in self._composed:
                composed = self._composed.pop((question.name, pattern))
            else:
                composed = trace(self.plan, numbers, quantity)
        except Weightless as error:
            raise ModelError(error.problems, self.plan.name) from None
        main = Kernel(composed.main, order=composed.order)
        return Formula(main, Kernel(composed.settle), parameters is not None, composed)

    def _free_parameters(self, question: Question, pattern: Pattern) -> tuple[Parameters, Pattern]:
        """Constants as expressions of parameters; those that depend on the ones differentiated by are not folded."""
        plan, quantity = self.plan, question.quantity
        symbols = {name: ca.SX.sym(name) for name in plan.parameters}
        _, flat = patterns.flatten(constants(plan, symbols, quantity.regroups))
        expressions = ca.vertcat(*flat)
        chosen = sorted({name for group in question.by for name in group} - set(quantity.inputs))
        touched = set(ca.jacobian_sparsity(expressions, ca.vertcat(*[symbols[n] for n in chosen])).row())
        loose = tuple(None if i in touched else x for i, x in enumerate(pattern))
        return Parameters(symbols, expressions), loose


def _parts(flat: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Values and rounding errors; a plain float is exact."""
    numbers = [x.value if isinstance(x, Rounded) else x for x in flat]
    return numbers, [x.error if isinstance(x, Rounded) else 0.0 for x in flat]


_kept: OrderedDict[tuple[Any, ...], Formula] = OrderedDict()
_lock = threading.Lock()
