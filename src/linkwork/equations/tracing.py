"""From a quantity of a tree to CasADi functions: the trace itself, and derivatives of any output by any input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from linkwork.equations import folding
from linkwork.equations.coordinates import flow
from linkwork.equations.dynamics_derivatives import Entries, inverse_dynamics_derivatives, solve_columns
from linkwork.equations.elementary_joints import grow_elementary, is_elementary
from linkwork.equations.folding import Pattern
from linkwork.equations.forward_dynamics import by_articulated_bodies, factorise
from linkwork.equations.joint_motion import coordinate_symbols
from linkwork.equations.plan import Constants, Plan
from linkwork.equations.quantities import SIZES, Quantity, Values
from linkwork.equations.scalars import Block, Composed, Scalar, Trace, compose, replay, written_out
from linkwork.equations.tree import Tree, grow


@dataclass(frozen=True)
class Numbers:
    """The structure of a tree's numbers: what is folded, and the nominal constants whose shape they have."""

    constants: Constants
    pattern: Pattern


@dataclass(frozen=True)
class _Traced:
    inputs: list[Block]
    constants: list[Any]
    outputs: list[Block]


def trace(plan: Plan, numbers: Numbers, quantity: Quantity) -> Composed:
    """The quantity as a function of its inputs and of settled values; `settle` takes the constants."""
    traced = _run(plan, numbers, quantity, Trace())
    return compose(_symbol(quantity.name), traced.inputs, traced.constants, traced.outputs)


def trace_derivative(plan: Plan, numbers: Numbers, quantity: Quantity, wrt: Sequence[str], order: int = 1) -> Composed:
    """Derivatives of all outputs by the inputs named in `wrt`, appended to the outputs in the order of `wrt`.

    d/dq is taken along the rates: column k is the change when rate k acts for a unit of time, ∂/∂q N(q). Where q and v
    have the same size this is the plain derivative. Inverse and forward dynamics of simple joints have recursions of
    their own, which are shorter than what differentiation gives; everything else CasADi differentiates.
    """
    if order == 1 and quantity.name in _RECURSIVE and is_elementary(plan):
        return _by_recursion(plan, numbers, quantity, wrt)
    traced = _run(plan, numbers, quantity, Trace())
    whole = written_out(_symbol(quantity.name), traced.inputs, traced.constants, traced.outputs)
    names = [name for name, _, _ in traced.inputs]
    arguments = [ca.SX.sym(name, whole.size1_in(i)) for i, name in enumerate([*names, "constants"])]
    results = whole.call(arguments)
    jacobians, shapes = [], []
    for (name, _, shape), result in zip(traced.outputs, results, strict=True):
        for other in wrt:
            x = arguments[names.index(other)]
            directions = _directions(plan, x) if SIZES[other] == "nq" else None
            D = result
            for _ in range(order):
                D = ca.jacobian(ca.vec(D.T), x)
                D = D if directions is None else ca.mtimes(D, directions)
            jacobians.append(D)
            shapes.append((f"d{name}_d{other}", (*shape, *(D.shape[1],) * order)))
    function = ca.Function("derivative", arguments, [ca.densify(ca.vec(D.T)) for D in jacobians])
    return _refolded(plan, numbers, quantity, function, shapes)


def _by_recursion(plan: Plan, numbers: Numbers, quantity: Quantity, wrt: Sequence[str]) -> Composed:
    fresh = Trace()
    constants, symbols = folding.symbols(fresh, numbers.constants, numbers.pattern)
    inputs = _inputs(plan, quantity, fresh)
    values = {name: block for name, block, _ in inputs}
    tree = grow_elementary(plan, constants, values["q"], values["v"])
    rows = _RECURSIVE[quantity.name](tree, values)
    n = plan.nv
    name = "tau" if quantity.name == "inverse_dynamics" else "a"
    outputs = [(f"d{name}_d{x}", [e for row in rows[x] for e in row], (n, n)) for x in wrt]
    return compose(_symbol(quantity.name), inputs, symbols, outputs)


def _inverse(tree: Tree, x: Values) -> dict[str, list[list[Any]]]:
    found = inverse_dynamics_derivatives(tree, x["v"], x["a"])
    M = {**found.M, **{(j, i): e for (i, j), e in found.M.items()}}
    return {"q": _rows(found.by_q, tree.nv), "v": _rows(found.by_v, tree.nv), "a": _rows(M, tree.nv)}


def _forward(tree: Tree, x: Values) -> dict[str, list[list[Any]]]:
    n = tree.nv
    a = by_articulated_bodies(tree, x["v"], x["tau"])
    found, factor = inverse_dynamics_derivatives(tree, x["v"], a), factorise(tree)
    minus_one = {(i, i): -1.0 for i in range(n)}
    return {
        "q": solve_columns(factor, found.by_q, n),
        "v": solve_columns(factor, found.by_v, n),
        "tau": solve_columns(factor, minus_one, n),
    }


_RECURSIVE = {
    "inverse_dynamics": _inverse,
    "forward_dynamics by composite bodies": _forward,
    "forward_dynamics by articulated bodies": _forward,
}


def _rows(entries: Entries, n: int) -> list[list[Any]]:
    return [[entries.get((i, j), 0.0) for j in range(n)] for i in range(n)]


def trace_parameter_derivative(
    plan: Plan,
    numbers: Numbers,
    quantity: Quantity,
    parameters: ca.SX,
    constants_of: ca.SX,
    chosen: Sequence[int],
    order: int = 1,
) -> Composed:
    """Derivatives of all outputs by chosen parameters; `settle` takes the parameters.

    constants_of : the constants as expressions of `parameters`
    """
    traced = _run(plan, numbers, quantity, Trace())
    whole = written_out(_symbol(quantity.name), traced.inputs, traced.constants, traced.outputs)
    arguments = [ca.SX.sym(name, whole.size1_in(i)) for i, (name, _, _) in enumerate(traced.inputs)]
    results = whole.call([*arguments, constants_of])
    wanted = ca.vertcat(*[parameters[i] for i in chosen])
    jacobians = list(results)
    for _ in range(order):
        jacobians = [ca.jacobian(ca.vec(D.T), wanted) for D in jacobians]
    shapes = [(f"d{name}_dp", (*shape, *(len(chosen),) * order)) for name, _, shape in traced.outputs]
    function = ca.Function("derivative", [*arguments, parameters], [ca.densify(ca.vec(D.T)) for D in jacobians])
    fresh = Trace()
    inputs = _inputs(plan, quantity, fresh)
    settled = fresh.symbols(parameters.numel(), settled=True)
    values = replay(function, [*[b for _, b, _ in inputs], settled])
    outputs = [(name, block, shape) for (name, shape), block in zip(shapes, values, strict=True)]
    return compose("derivative", inputs, settled, outputs)


def _run(plan: Plan, numbers: Numbers, quantity: Quantity, fresh: Trace) -> _Traced:
    constants, symbols = folding.symbols(fresh, numbers.constants, numbers.pattern)
    inputs = _inputs(plan, quantity, fresh)
    values: Values = {name: block for name, block, _ in inputs}
    q = values.get("q", plan.neutral.tolist())
    needed = plan.path_to(quantity.target) if quantity.target else None
    tree = grow(plan, constants, q, values.get("v", [0.0] * plan.nv), needed)
    return _Traced(inputs, symbols, quantity.law(tree, values))


def _inputs(plan: Plan, quantity: Quantity, fresh: Trace) -> list[Block]:
    """Symbols for the inputs; quaternions among them have samples of length 1."""
    blocks: list[Block] = []
    for name in quantity.inputs:
        if SIZES[name] == "nq":
            block: list[Any] = [None] * plan.nq
            for link in plan.links:
                block[link.q] = coordinate_symbols(fresh, link.law)
        else:
            block = list(fresh.symbols(plan.nv))
        blocks.append((name, block, (len(block),)))
    return blocks


def _refolded(
    plan: Plan,
    numbers: Numbers,
    quantity: Quantity,
    function: ca.Function,
    shapes: Sequence[tuple[str, tuple[int, ...]]],
) -> Composed:
    """Run a CasADi function through a trace of its own, which folds identities and moves settled values out."""
    fresh = Trace()
    _, symbols = folding.symbols(fresh, numbers.constants, numbers.pattern)
    inputs = _inputs(plan, quantity, fresh)
    given = [0.0 if not isinstance(x, Scalar) else x for x in symbols]
    values = replay(function, [*[b for _, b, _ in inputs], given])
    outputs = [(name, block, shape) for (name, shape), block in zip(shapes, values, strict=True)]
    return compose(_symbol(quantity.name), inputs, symbols, outputs)


def _directions(plan: Plan, q: Any) -> Any:
    """N(q), nq x nv: the directions in which the rates move the coordinates."""
    parts = ca.vertsplit(q)
    columns = []
    for k in range(plan.nv):
        column = flow(plan, parts, [float(i == k) for i in range(plan.nv)])
        columns.append(ca.sparsify(ca.vertcat(*column)))
    return ca.horzcat(*columns)


def _symbol(name: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in name).strip("_")
