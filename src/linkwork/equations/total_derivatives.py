"""Total derivatives of quantities of machines with loops: the dependent joints follow, so that the loops stay closed.

With the pivots of an `Order` rates are independent (I) or dependent (D), and on closed loops, e(y, p) = 0,

    y moves by   N(y) K dψ,   K_I = 1,  K_D = -J_D⁻¹ J_I            when the independent variables move
    y moves by   N(y) S dp,   S_I = 0,  S_D = -J_D⁻¹ ∂e/∂p          when parameters move
    w, w'        obey  J w = 0,  J w' + γ(y, w) = 0                 with their independent entries given

so a quantity F(y, w, w', ...) is first made one of y and of the independent rates alone, and then differentiated along
K and S. Both fields are right wherever the loops are closed, and they lead along closed postures: applying them twice
gives second derivatives. Only rows with pivots are kept; whether the redundant ones stay fulfilled when a parameter
moves is for the caller to see (`closure_witness`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from linkwork.algebra import ca
from linkwork.equations.loop_solver import Order, closing_rates, factorise, solve_pivots
from linkwork.equations.plan import Plan
from linkwork.equations.quantity import SIZES, Quantity, Values
from linkwork.equations.rows import row_equations, sparse_rows
from linkwork.equations.scalars import Block, Composed, Trace, written_out
from linkwork.equations.trace import Found, Numbers, Parameters, directions, refolded, run
from linkwork.equations.tree import Tree

OF_ALL = {"q": "y", "v": "w", "a": "dw"}
"""Variables, rates and accelerations of the tree, and the inputs of all joints that hold them."""
FOLLOWING = ("y", "w", "dw")
"""Inputs whose dependent entries follow the independent ones."""


@dataclass(frozen=True)
class Closure:
    """How dependent joints follow: pivots, and the independent rates in the order in which results have them."""

    order: Order
    independent: tuple[int, ...]

    @property
    def key(self) -> str:
        """Tells one from another."""
        return f"{self.order.key} {self.independent}"


def of_all_joints(quantity: Quantity) -> Quantity:
    """The same quantity as a function of the variables and rates of all joints."""
    if not set(OF_ALL) & set(quantity.inputs):
        return quantity
    inputs = tuple(OF_ALL.get(name, name) for name in quantity.inputs)
    law = partial(_of_tree, quantity)
    return replace(quantity, name=f"{quantity.name} of all joints", inputs=inputs, law=law, title=quantity.name)


def _of_tree(quantity: Quantity, tree: Tree, x: Values) -> list[Block]:
    sizes = {"q": tree.plan.nq, "v": tree.nv, "a": tree.nv}
    own = {name: x[OF_ALL[name]][: sizes[name]] for name in quantity.inputs if name in OF_ALL}
    return quantity.law(tree, {**x, **own})


def closure_witness() -> Quantity:
    """What tells whether loops stay closed, and how far joints move meanwhile: y -> e, y."""
    return Quantity("closure witness", ("y",), _witness)


def _witness(tree: Tree, x: Values) -> list[Block]:
    errors = _smooth_errors(tree, x)[0]
    return [errors, ("y", list(x["y"]), (tree.plan.ny,))]


def _smooth_errors(tree: Tree, x: Values) -> list[Block]:
    """Errors of all loops near closed ones: sin θ n for the rotation vector, which has the same derivatives there."""
    found: list[Any] = []
    rows = row_equations(tree, x["y"])
    for loop in rows.loops:
        R = loop.missing
        found += loop.error[:3]
        found += [0.5 * (R[2][1] - R[1][2]), 0.5 * (R[0][2] - R[2][0]), 0.5 * (R[1][0] - R[0][1])]
    found += [row.error for row in rows.others]
    return [("e", found, (len(found),))]


def _strides(order: Order, tree: Tree, x: Values) -> list[Block]:
    """Rates that make up for gaps in the rows with pivots: J x = -mismatch, x = 0 in the independent columns."""
    pivots = factorise(sparse_rows(row_equations(tree, x["y"])), order)
    found = solve_pivots(pivots, {p.row: -x["mismatch"][p.row] for p in pivots})
    return [("x", [found.get(k, 0.0) for k in range(tree.plan.nw)], (tree.plan.nw,))]


def trace_total_derivative(
    plan: Plan,
    numbers: Numbers,
    quantity: Quantity,
    by: Sequence[Sequence[str]],
    closure: Closure,
    parameters: Parameters | None = None,
) -> Composed:
    """Total derivatives of all outputs by groups of names, one group after the other, as in `trace_derivative`.

    Derivatives by y, w and dw have one axis of the independent rates; other entries of w and dw are not read.
    """
    way = _Way(plan, numbers, closure, parameters)
    whole = way.function(quantity)
    inputs = {name: ca.SX.sym(name, getattr(plan, SIZES[name])) for name in quantity.inputs}
    results = way.outputs(quantity)
    given = {**inputs, **way.followed(inputs)}
    values = whole.call([*given.values(), way.constants])
    found: list[Found] = [(n, shape, ca.vec(x.T)) for (n, shape), x in zip(results, values, strict=True)]
    for group in by:
        found = [d for f in found for d in _differentiated(way, f, group, inputs)]
    last = way.constants if parameters is None else ca.vertcat(*parameters.symbols.values())
    function = ca.Function("derivative", [*inputs.values(), last], [ca.densify(x) for _, _, x in found])
    return refolded(plan, numbers, quantity, function, [(name, shape) for name, shape, _ in found], parameters)


def _differentiated(way: _Way, found: Found, group: Sequence[str], inputs: Mapping[str, Any]) -> Iterator[Found]:
    name, shape, x = found
    independent = list(way.closure.independent)
    if all(n in inputs for n in group):
        for other in group:
            D = ca.jacobian(x, inputs[other])
            if other == "y":
                D = ca.mtimes(D, way.along_independent(inputs["y"]))
            elif other in FOLLOWING:
                D = D[:, independent]
            yield f"d{name}_d{other}", (*shape, D.shape[1]), ca.vec(D.T)
    else:
        assert way.parameters is not None
        p = ca.vertcat(*[way.parameters.symbols[n] for n in group])
        D = ca.jacobian(x, p) + ca.mtimes(ca.jacobian(x, inputs["y"]), way.along_parameters(inputs["y"], p))
        yield f"d{name}_dp", (*shape, len(group)), ca.vec(D.T)


class _Way:
    """How everything follows, as expressions of CasADi."""

    def __init__(self, plan: Plan, numbers: Numbers, closure: Closure, parameters: Parameters | None) -> None:
        self.plan, self.numbers, self.closure, self.parameters = plan, numbers, closure, parameters
        count = len(numbers.pattern)
        self.constants = ca.SX.sym("constants", count) if parameters is None else parameters.constants
        self._outputs: dict[str, list[tuple[str, tuple[int, ...]]]] = {}

    def function(self, quantity: Quantity) -> ca.Function:
        """A quantity as a function of its inputs and of the constants."""
        traced = run(self.plan, self.numbers, quantity, Trace(), independent=self.parameters is not None)
        self._outputs[quantity.name] = [(name, shape) for name, _, shape in traced.outputs]
        return written_out("whole", traced.inputs, traced.constants, traced.outputs)

    def outputs(self, quantity: Quantity) -> list[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the outputs of a quantity that has become a function."""
        return self._outputs[quantity.name]

    def followed(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Rates and accelerations of all joints, made of the independent ones among the inputs."""
        levels = [name for name in ("w", "dw") if name in inputs]
        if not levels or not self.closure.order.pivots:
            return {}
        names = ("w", "dw")[: 2 if "dw" in levels else 1]
        given = [inputs.get(name, ca.SX.zeros(self.plan.nw)) for name in names]
        rates = self.function(closing_rates(self.closure.order, len(names)))
        found = rates.call([inputs["y"], *given, self.constants])
        return {name: x for name, x in zip(names, found, strict=True) if name in inputs}

    def along_independent(self, y: Any) -> Any:
        """N(y) K, one column for each independent rate."""
        w = ca.SX.sym("w", self.plan.nw)
        all_w = self.followed({"y": y, "w": w}).get("w", w)
        K = ca.jacobian(all_w, w)[:, list(self.closure.independent)]
        return ca.mtimes(directions(self.plan.slots, y), K)

    def along_parameters(self, y: Any, p: Any) -> Any:
        """N(y) S, one column for each of some parameters."""
        order = self.closure.order
        if not order.pivots:
            return ca.SX(self.plan.ny, p.shape[0])
        errors = self.function(Quantity("smooth errors", ("y",), _smooth_errors))
        gaps = ca.jacobian(errors(y, self.constants), p)
        strides = self.function(Quantity("closing strides", ("y", "mismatch"), partial(_strides, order)))
        S = [
            strides(y, ca.densify(gap), self.constants) if gap.nnz() else ca.SX(self.plan.nw, 1)
            for gap in ca.horzsplit(gaps)
        ]
        return ca.mtimes(directions(self.plan.slots, y), ca.horzcat(*S))
