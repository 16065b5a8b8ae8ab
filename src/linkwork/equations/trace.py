"""From a quantity of a tree to CasADi functions: the trace itself, and derivatives of any output by any input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from linkwork.algebra import ca
from linkwork.equations import patterns
from linkwork.equations.cells import cells_of
from linkwork.equations.coordinates import flow
from linkwork.equations.dynamics_derivatives import Entries, inverse_dynamics_derivatives, solve_columns
from linkwork.equations.elementary_joints import grow_elementary, is_elementary
from linkwork.equations.forward_dynamics import by_articulated_bodies, factorise
from linkwork.equations.joint_motion import coordinate_symbols
from linkwork.equations.patterns import Pattern
from linkwork.equations.plan import Constants, Plan, Slot
from linkwork.equations.quantity import SIZES, Quantity, Values
from linkwork.equations.scalars import Block, Composed, Trace, compose, replay, written_out
from linkwork.equations.tree import Tree, grow


@dataclass(frozen=True)
class Numbers:
    """The structure of a tree's numbers: what is folded, and the nominal constants whose shape they have."""

    constants: Constants
    pattern: Pattern

    @cached_property
    def structure(self) -> Constants:
        """The constants as they are folded, None where they are free."""
        return patterns.rebuild(self.constants, self.pattern)


@dataclass(frozen=True)
class Parameters:
    """Symbols of all parameters by name, and the constants as expressions of them."""

    symbols: Mapping[str, Any]
    constants: Any


@dataclass(frozen=True)
class Traced:
    """A law that has run: blocks of its inputs and outputs, and the scalars of all constants."""

    inputs: list[Block]
    constants: list[Any]
    outputs: list[Block]


def trace(plan: Plan, numbers: Numbers, quantity: Quantity) -> Composed:
    """The quantity as a function of its inputs and of settled values; `settle` takes the constants."""
    with Trace() as fresh:
        traced = run(plan, numbers, quantity, fresh)
        return compose(function_name(quantity.title or quantity.name), traced.inputs, traced.constants, traced.outputs)


def trace_derivative(
    plan: Plan,
    numbers: Numbers,
    quantity: Quantity,
    by: Sequence[Sequence[str]],
    parameters: Parameters | None = None,
) -> Composed:
    """Derivatives of all outputs by groups of names, one group after the other.

    A group holds inputs, and then gives one derivative for each, or parameters, and then gives one with an axis for
    them. Where `parameters` are given, `settle` takes them, else the constants. d/dq is taken along the rates: column k
    is the change when rate k acts for a unit of time, ∂/∂q N(q). Where q and v have the same size this is the plain
    derivative. Inverse and forward dynamics of simple joints have recursions of their own, which are shorter than what
    differentiation gives; everything else CasADi differentiates.
    """
    if len(by) == 1 and parameters is None and quantity.name in _RECURSIVE and is_elementary(plan) and not plan.loads:
        return _by_recursion(plan, numbers, quantity, by[0])
    traced = run(plan, numbers, quantity, Trace(), independent=parameters is not None)
    whole = written_out(function_name(quantity.name), traced.inputs, traced.constants, traced.outputs)
    inputs = {name: ca.SX.sym(name, whole.size1_in(i)) for i, (name, _, _) in enumerate(traced.inputs)}
    constants = ca.SX.sym("constants", len(traced.constants)) if parameters is None else parameters.constants
    found = [
        (name, shape, ca.vec(result.T))
        for (name, _, shape), result in zip(traced.outputs, whole.call([*inputs.values(), constants]), strict=True)
    ]
    for group in by:
        found = [d for f in found for d in _differentiated(plan, f, group, inputs, parameters)]
    last = constants if parameters is None else ca.vertcat(*parameters.symbols.values())
    function = ca.Function("derivative", [*inputs.values(), last], [ca.densify(x) for _, _, x in found])
    return refolded(plan, numbers, quantity, function, [(name, shape) for name, shape, _ in found], parameters)


Found = tuple[str, tuple[int, ...], Any]
"""Name, shape, and the elements in row-major order."""


def _differentiated(
    plan: Plan, found: Found, group: Sequence[str], inputs: Mapping[str, Any], parameters: Parameters | None
) -> Iterator[Found]:
    name, shape, x = found
    if all(n in inputs for n in group):
        for other in group:
            D = ca.jacobian(x, inputs[other])
            if SIZES[other] in ("nq", "ny"):
                D = ca.mtimes(D, directions(plan.tree_slots if SIZES[other] == "nq" else plan.slots, inputs[other]))
            yield f"d{name}_d{other}", (*shape, D.shape[1]), ca.vec(D.T)
    else:
        assert parameters is not None
        D = ca.jacobian(x, ca.vertcat(*[parameters.symbols[n] for n in group]))
        yield f"d{name}_dp", (*shape, len(group)), ca.vec(D.T)


def _by_recursion(plan: Plan, numbers: Numbers, quantity: Quantity, wrt: Sequence[str]) -> Composed:
    fresh = Trace()
    constants, symbols = patterns.symbols(fresh, numbers.structure)
    inputs = input_symbols(plan, quantity.inputs, fresh)
    values = {name: block for name, block, _ in inputs}
    tree = grow_elementary(plan, constants, values["q"], values["v"])
    rows = _RECURSIVE[quantity.name](tree, values)
    n = plan.nv
    name = "tau" if quantity.name == "inverse_dynamics" else "a"
    outputs = [(f"d{name}_d{x}", [e for row in rows[x] for e in row], (n, n)) for x in wrt]
    return compose(function_name(quantity.name), inputs, symbols, outputs)


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


def run(plan: Plan, numbers: Numbers, quantity: Quantity, fresh: Trace, independent: bool = False) -> Traced:
    """Run the law of a quantity on new scalars; `independent` as in `patterns.symbols`."""
    constants, symbols = patterns.symbols(fresh, numbers.structure, independent)
    inputs = input_symbols(plan, quantity.inputs, fresh)
    values: Values = {name: block for name, block, _ in inputs}
    q = values.get("q", values["y"][: plan.nq] if "y" in values else plan.neutral.tolist())
    needed = plan.path_to(quantity.target) if quantity.target else () if quantity.grows == "not" else None
    v = values.get("v", values["w"][: plan.nv] if "w" in values else [0.0] * plan.nv)
    moving = v if quantity.grows == "moving" else [0.0] * plan.nv
    tree = grow(plan, constants, q, moving, needed, cells_of(plan, fresh, independent))
    return Traced(inputs, symbols, quantity.law(replace(tree, independent=independent), values))


def input_symbols(plan: Plan, names: Sequence[str], fresh: Trace) -> list[Block]:
    """Symbols for inputs; quaternions among them have samples of length 1."""
    blocks: list[Block] = []
    for name in names:
        if SIZES[name] in ("nq", "ny"):
            block: list[Any] = [None] * getattr(plan, SIZES[name])
            for slot in plan.slots if SIZES[name] == "ny" else plan.tree_slots:
                block[slot.q] = coordinate_symbols(fresh, slot.law)
        else:
            block = list(fresh.symbols(getattr(plan, SIZES[name])))
        blocks.append((name, block, (len(block),)))
    return blocks


def refolded(
    plan: Plan,
    numbers: Numbers,
    quantity: Quantity,
    function: ca.Function,
    results: Sequence[tuple[str, tuple[int, ...]]],
    parameters: Parameters | None,
) -> Composed:
    """Run a CasADi function through a trace of its own, which folds identities and moves settled values out."""
    fresh = Trace()
    if parameters is None:
        _, given = patterns.symbols(fresh, numbers.structure)
    else:
        given = list(fresh.symbols(len(parameters.symbols), settled=True))
    inputs = input_symbols(plan, quantity.inputs, fresh)
    values = replay(function, [*[b for _, b, _ in inputs], given])
    outputs = [(name, block, shape) for (name, shape), block in zip(results, values, strict=True)]
    return compose(function_name(quantity.name), inputs, given, outputs)


def directions(slots: Sequence[Slot], q: Any) -> Any:
    """N(q): the directions in which the rates move the variables."""
    parts = ca.vertsplit(q)
    count = sum(slot.law.freedom for slot in slots)
    columns = []
    for k in range(count):
        column = flow(slots, parts, [float(i == k) for i in range(count)])
        columns.append(ca.sparsify(ca.vertcat(*column)))
    return ca.horzcat(*columns)


def function_name(name: str) -> str:
    """A name that CasADi takes."""
    return "_".join("".join(c if c.isascii() and c.isalnum() else " " for c in name).split())
