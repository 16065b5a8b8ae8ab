"""Named dimensions as parameters: what they make of a machine's other parameters, and how these change with them.

A layout is a function of the dimensions: the mechanism is said again with other values, laid out, and its numbers read
off, `A.tail.at.x` and all the others. That is exact. For derivatives,

    dQ/dl = sum over k of dQ/dp_k dp_k/dl

with exact dQ/dp_k. The numbers p_k of a layout come out of plain arithmetic on floats (frames from points, poses of
rows, moments of solids), through which nothing can be traced; dp_k/dl is taken from a stencil of eighth order, whose
error is that of rounding where p_k is a polynomial of degree eight or less in l, as places and masses are, and far
below 1e-10 of the numbers elsewhere. The stencil of sixth order on the same points watches over it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np

from linkwork.equations.plan import Plan, make_plan
from linkwork.errors import InputError, ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.dimensions import Let
from linkwork.model.layout import Layout, lay_out
from linkwork.model.mechanism import Mechanism
from linkwork.model.resizing import is_complete
from linkwork.model.text_values import in_si, told_at
from linkwork.topology import Topology, graph_of

STEP = 0.02
"""Step of the stencil in parts of a dimension (of a hundredth of the machine, or of 0.02 rad, where that is more)."""
EIGHTH = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
SIXTH = np.array([0.0, -1 / 60, 3 / 20, -3 / 4, 0.0, 3 / 4, -3 / 20, 1 / 60, 0.0])
SMOOTH = 1e-7
"""Difference of the two, in parts of the numbers, up to which a layout is taken to be smooth."""
SEVERAL = 2000
"""Layouts kept of one system."""


class Laid(Protocol):
    """A system, as far as its layout is concerned."""

    mechanism: Mechanism
    layout: Layout
    plan: Plan
    _choice: tuple[Literal["shallow", "declared"], tuple[str, ...]]
    _overrides: dict[str, float]

    @property
    def name(self) -> str:
        """Name of the mechanism."""


class Layouts:
    """What dimensions make of the parameters of one system."""

    def __init__(self, system: Laid) -> None:
        self.system, self.mechanism = system, system.mechanism
        self._known: dict[tuple[float, ...], Array] = {}

    @cached_property
    def lets(self) -> dict[str, Let]:
        """Dimensions that are given: those that follow from others are not parameters."""
        return {name: let for name, let in self.mechanism.lets.items() if not let.formula}

    def parted(self, parameters: Any) -> tuple[dict[str, Any], Any]:
        """Dimensions among parameters, and the others."""
        if not self.mechanism.lets or not isinstance(parameters, Mapping):
            return {}, parameters
        derived = [n for n in parameters if n in self.mechanism.lets and n not in self.lets]
        if derived:
            raise InputError([self._derived(name) for name in derived], self.system.name)
        own = {name: value for name, value in parameters.items() if name in self.lets}
        return own, {name: value for name, value in parameters.items() if name not in own}

    def _derived(self, name: str) -> Problem:
        text = f"'{name}' follows from others: {self.mechanism.lets[name].formula}"
        return Problem(text, f"parameters.{name}", f"change {', '.join(self.lets)}")

    def single(self, name: str, value: Any) -> float:
        """One number of a dimension."""
        found = self.numbers(name, value)
        if found.ndim:
            hint = "give one number here, or arrays as parameters= of a call"
            raise InputError(Problem(f"{name} is an array", f"parameters.{name}", hint), self.system.name)
        return float(found)

    def numbers(self, name: str, value: Any) -> Array:
        """Numbers of a dimension, in SI."""
        where = f"parameters.{name}"
        try:
            found = np.asarray(in_si(value, self.lets[name].measures, where), float)
        except ModelError as error:
            raise InputError(told_at(error, where), self.system.name) from None
        except (TypeError, ValueError):
            raise InputError(Problem(f"{value!r} is not a number", where), self.system.name) from None
        if not np.isfinite(found).all():
            raise InputError(Problem("not a finite number", where), self.system.name)
        return found

    # ---------------------------------------------------------------- laid out anew

    def planned(self, mechanism: Mechanism) -> tuple[Layout, Topology, Plan]:
        """The same system of a mechanism of other dimensions; ModelError where it is unsound with them."""
        tree, cut = self.system._choice
        layout, graph = lay_out(mechanism), graph_of(mechanism, tree, cut)
        errors = [p for p in layout.problems if p.severity == "error"]
        if errors:
            told = ", ".join(f"{name} = {float(mechanism.lets[name].value):.6g}" for name in self.lets)
            raise ModelError([Problem(f"{p.what} (with {told})", p.where, p.hint) for p in errors], mechanism.name)
        return layout, graph, make_plan(mechanism, layout, graph)

    def at(self, sizes: Mapping[str, float]) -> Array:
        """All parameters of the plan with some dimensions changed, in its order."""
        key = tuple(float(sizes.get(name, let.value)) for name, let in self.lets.items())
        if key not in self._known:
            self._assert_said()
            plan = self.planned(self.mechanism.resized(sizes))[2]
            if list(plan.parameters) != self._names:
                raise ModelError("other dimensions make other parameters; build the mechanism with them", plan.name)
            if len(self._known) >= SEVERAL:
                self._known.clear()
            self._known[key] = np.array(list(plan.parameters.values()))
        return self._known[key]

    @cached_property
    def _names(self) -> list[str]:
        return list(self.system.plan.parameters)

    def _assert_said(self) -> None:
        if not self._complete:
            text = "parts of the mechanism were changed otherwise than by its methods, and would be lost"
            hint = "add and change parts by methods of Mechanism, or in the file"
            raise InputError(Problem(text, "let", hint), self.system.name)

    @cached_property
    def _complete(self) -> bool:
        return is_complete(self.mechanism)

    def followed(self, parameters: Any) -> Any:
        """Parameters with those in place of dimensions that follow from them; arrays where these are arrays."""
        sizes, others = self.parted(parameters)
        if not sizes:
            return parameters
        arrays = {name: self.numbers(name, value) for name, value in sizes.items()}
        try:
            spread = dict(zip(arrays, np.broadcast_arrays(*arrays.values()), strict=True))
        except ValueError:
            text = ", ".join(f"{n} {x.shape}" for n, x in arrays.items())
            raise InputError(Problem(f"the shapes do not fit each other: {text}"), self.system.name) from None
        shape = next(iter(spread.values())).shape
        rows = np.array([np.ravel(x) for x in spread.values()]).T
        unique, back = np.unique(rows, axis=0, return_inverse=True)
        laid = np.array([self.at(dict(zip(spread, row.tolist(), strict=True))) for row in unique])
        changed = np.flatnonzero((laid != self.at({})).any(axis=0))
        numbers = laid[back.reshape(-1)]
        found = {self._names[k]: numbers[:, k].reshape(shape) for k in changed}
        kept = self.system._overrides
        return {**{n: x for n, x in found.items() if n not in kept}, **others}

    # ---------------------------------------------------------------- derivatives

    def named(self, groups: Sequence[Any]) -> bool:
        """Whether dimensions are among names to differentiate by."""
        if not self.mechanism.lets:
            return False
        names = [n for group in groups for n in ((group,) if isinstance(group, str) else tuple(group))]
        derived = [n for n in names if n in self.mechanism.lets and n not in self.lets]
        if derived:
            raise InputError([self._derived(name) for name in derived], self.system.name)
        return any(name in self.lets for name in names)

    def slopes(self, names: Sequence[str]) -> tuple[list[str], Array]:
        """Parameters that follow from some dimensions, and their derivatives (parameters, names).

        Names that are parameters themselves stand for themselves.
        """
        sizes = [name for name in names if name in self.lets]
        columns = {name: self._slope(name) for name in sizes}
        touched = [k for k in range(len(self._names)) if any(own[k] for own in columns.values())]
        touched = [k for k in touched if self._names[k] not in self.system._overrides]
        plain = [name for name in names if name not in sizes]
        known = list(dict.fromkeys([*(self._names[k] for k in touched), *plain]))
        found = np.zeros((len(known), len(names)))
        for column, name in enumerate(names):
            if name in columns:
                found[: len(touched), column] = columns[name][touched]
            else:
                found[known.index(name), column] = 1.0
        return known, found

    def _slope(self, name: str) -> Array:
        """Derivatives of all parameters by one dimension."""
        value = float(self.lets[name].value)
        measures = self.lets[name].measures
        least = 0.02 if measures is not None and measures.length == 0 else 0.01 * self.system.layout.size
        step = STEP * abs(value) if value else least
        step = 2.0 ** round(np.log2(step))  # added without rounding
        laid = np.array([self.at({name: value + k * step}) for k in range(-4, 5)])
        fine, coarse = EIGHTH @ laid / step, SIXTH @ laid / step
        size = np.abs(laid).max(axis=0) / max(abs(value), step) + np.abs(fine)
        rough = np.abs(fine - coarse) > SMOOTH * size
        if rough.any():
            first = self._names[int(np.argmax(rough))]
            text = f"{first} does not follow smoothly from '{name}' near {value:.6g}"
            hint = "look for where(...), abs, min or max in the formulas of `let`, or for an axis that turns over"
            raise InputError(Problem(text, f"let.{name}", hint), self.system.name)
        noise = 64.0 * np.finfo(float).eps * np.abs(laid).max(axis=0) / step
        found: Array = np.where(np.abs(fine) <= noise, 0.0, fine)
        return found

    def derivative(self, make: Callable[[Any, Any], Any], wrt: Any, then: Any) -> FollowedDerivative:
        """A derivative by dimensions, made of that by the parameters that follow from them.

        make : the derivative by other names
        """
        if self.named((wrt,)) and then != () and (self.named((then,)) or not self._are_inputs(then)):
            hint = "differentiate once, or use simulate_many over values of the dimension"
            text = "second derivatives by a dimension, which the layout need not follow linearly"
            raise InputError(Problem(text, "then", hint), self.system.name)
        found: list[tuple[Any, Array | None]] = []
        for group in (wrt, then):
            names = (group,) if isinstance(group, str) else tuple(group)
            if self.named((names,)):
                known, slopes = self.slopes(names)
                found.append((known, slopes if not isinstance(group, str) else slopes[:, 0]))
            else:
                found.append((group, None))
        (first, a), (second, b) = found
        return FollowedDerivative(make(first, second), a, b, has_second=then != ())

    def _are_inputs(self, names: Any) -> bool:
        given = (names,) if isinstance(names, str) else tuple(names)
        return not any(name in self._names for name in given)


@dataclass(frozen=True, eq=False)
class FollowedDerivative:
    """Derivatives of a quantity by dimensions; call it with the inputs of the quantity.

    made : the derivative by the parameters that follow; first, second : derivatives of these by the dimensions
    """

    made: Any
    first: Array | None
    second: Array | None
    has_second: bool = False

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Derivatives at the inputs.

        Parameters
        ----------
        inputs : those of the quantity; options : see `EvaluationOptions`, without `out`
        """
        if options.get("out") is not None:
            raise InputError(Problem("`out` of a derivative by a dimension", hint="take what is returned"))
        if options.get("parameters"):
            hint = "use with_parameters(...), whose layout is that of these numbers"
            raise InputError(Problem("other parameters of a derivative by a dimension", "parameters", hint))
        result = self.made(*inputs, **options)
        one = self._contracted
        return tuple(one(r) for r in result) if isinstance(result, tuple) else one(result)

    def _contracted(self, found: Array) -> Array:
        if self.second is not None:
            found = np.tensordot(found, self.second, axes=(-1, 0))
        if self.first is not None:
            axis = -2 if self.has_second and not (self.second is not None and self.second.ndim == 1) else -1
            moved = np.moveaxis(found, axis, -1)
            turned = np.tensordot(moved, self.first, axes=(-1, 0))
            found = turned if self.first.ndim == 1 or axis == -1 else np.moveaxis(turned, -1, axis)
        return found

    def __repr__(self) -> str:
        return f"{self.made!r}, from which dimensions follow"
