"""Cells: steps of laws that are taken again and again, traced once for each kind of their arguments.

A law of a chain of a thousand links does the same with every link. Where a machine is large, such a step is a *cell*:
a plain function of nested tuples and records of scalars. The first call runs it on new symbols and leaves a template;
every further call with arguments of the same structure puts a `Call` of that template into the trace, whatever is in
it. Structure is which arguments are folded numbers, which are the same scalar, up to sign, and which are settled.

Identities are looked for within a cell only; symbols in the place of a rotation are one at every sample. So a machine
made of cells has a few more operations than one traced as a whole, in a small part of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from linkwork.equations.listing import Listing
from linkwork.equations.plan import Moments, Plan, Pose
from linkwork.equations.rotation_samples import rotation_symbols
from linkwork.equations.scalars import NEG, Scalar, Trace, behind, listed

LEAF = 0
"""Stands for a scalar or a number in the shape of some arguments."""
MANY_LINKS = 48
"""Links from which on a machine is made of cells."""
KEPT = 20_000
"""Templates kept in memory."""
_ROTATIONS = frozenset({"R"})
"""Fields of records that are rotations."""
_RECORDS: dict[type, tuple[tuple[str, bool], ...]] = {
    record: tuple((f.name, f.name in _ROTATIONS) for f in fields(record)) for record in (Pose, Moments)
}


@dataclass(frozen=True, eq=False)
class Template:
    """A cell for one kind of arguments.

    settle, main : what is settled, from settled arguments; the rest, from moving ones and what is settled
    moving, settled : arguments that they take, by number; passed : by settled value of `main`, the argument that it is,
        or its number among the results of `settle`
    results : of each scalar among the results, where it comes from
    shape : of the results
    """

    settle: Listing | None
    main: Listing | None
    moving: tuple[int, ...]
    settled: tuple[int, ...]
    passed: tuple[tuple[bool, int], ...]
    results: tuple[tuple[str, Any, bool], ...]
    shape: Any


@dataclass(frozen=True)
class Fixed:
    """Something that is the same for all calls of a kind."""

    value: Any


class Cells:
    """Runs steps of laws in a trace, each traced once for each kind of its arguments.

    independent : entries of rotations are numbers of their own, as derivatives by single ones want it
    """

    def __init__(self, trace: Trace, independent: bool = False) -> None:
        self.trace, self.independent = trace, independent
        self._calls: dict[Any, list[Scalar]] = {}

    def __call__(self, law: Callable[..., Any], *args: Any) -> Any:
        """law(*args); a plain function whose arguments are scalars, in tuples and records, and what can be hashed."""
        told: list[Any] = [law, self.independent]
        numbers: list[float] = []
        free: list[Scalar] = []
        _tell(args, told, numbers, free, {})
        kind = (*told, *numbers)
        template = _known.get(kind)
        if template is None:
            if len(_known) >= KEPT:
                _known.clear()
            template = _known[kind] = _template(law, args, self.independent)
        return _given(template.shape, iter(self._results(template, free)))

    def _results(self, template: Template, free: list[Scalar]) -> list[Any]:
        """The scalars of the results, in their order."""
        settled: list[Scalar] = []
        if template.settle is not None:
            settled = self._call(template.settle, [free[i] for i in template.settled], True)
        passed = [free[i] if given else settled[i] for given, i in template.passed]
        moving: list[Scalar] = []
        if template.main is not None:
            moving = self._call(template.main, [*[free[i] for i in template.moving], *passed], False)
        found: list[Any] = []
        for source, at, turned in template.results:
            if source == "number":
                found.append(at)
                continue
            x = free[at] if source == "given" else moving[at] if source == "main" else passed[at]
            found.append(-x if turned else x)
        return found

    def _call(self, listing: Listing, operands: list[Scalar], settled: bool) -> list[Scalar]:
        key = (listing, *[x.index for x in operands])
        known = self._calls.get(key)
        if known is None:
            known = self._calls[key] = self.trace.call(listing, tuple(operands), settled)
        return known


def plain(law: Callable[..., Any], *args: Any) -> Any:
    """Steps of laws without templates."""
    return law(*args)


def cells_of(plan: Plan, trace: Trace, independent: bool = False) -> Callable[..., Any]:
    """How a trace of a machine runs steps that links repeat; `independent` as in `Cells`."""
    return Cells(trace, independent) if len(plan.links) >= MANY_LINKS and trace.fold else plain


TOLD_NUMBER = -1
"""Stands for a folded number in what is told of arguments; k < TOLD_NUMBER for a tuple, k >= 0 for a scalar."""


def _tell(parts: Any, told: list[Any], numbers: list[float], free: list[Scalar], places: dict[int, int]) -> None:
    """The structure of nested arguments, one entry after the other; what is free in them goes to `free`.

    It runs for every call of a cell, so that scalars and numbers are dealt with where they are met.
    """
    for x in parts:
        kind = type(x)
        if kind is Scalar:
            if x.op == NEG:
                x = x.args[0]
                turned = 2 + x.settled
            else:
                turned = x.settled
            place = places.get(x.index)
            if place is None:
                place = places[x.index] = len(free)
                free.append(x)
            told.append(4 * place + turned)
        elif kind is float:
            told.append(TOLD_NUMBER)
            numbers.append(x)
        elif kind is tuple:
            told.append(TOLD_NUMBER - 1 - len(x))
            _tell(x, told, numbers, free, places)
        elif kind is list:
            told += (list, len(x))
            _tell(x, told, numbers, free, places)
        elif kind in _RECORDS:
            told.append(kind)
            _tell([getattr(x, name) for name, _ in _RECORDS[kind]], told, numbers, free, places)
        elif isinstance(x, float):
            told.append(TOLD_NUMBER)
            numbers.append(x)
        else:
            told += (None, x)


def _structure(leaves: Sequence[Any]) -> tuple[list[Any], int]:
    """Of scalars among leaves the place of the first that is the same up to sign, whether it is turned, and settled."""
    places: dict[int, int] = {}
    structure: list[Any] = []
    for x in leaves:
        if type(x) is Scalar:
            base: Scalar = x.args[0] if x.op == NEG else x
            structure.append((places.setdefault(base.index, len(places)), base is not x, base.settled))
        else:
            structure.append(x)
    return structure, len(places)


def _taken(x: Any, leaves: list[Any], rotations: list[int]) -> Any:
    """The shape of nested arguments; their scalars and numbers go to `leaves`."""
    kind = type(x)
    if kind is Scalar or isinstance(x, float):
        leaves.append(x)
        return LEAF
    if kind is tuple or kind is list:
        return (kind, *[_taken(e, leaves, rotations) for e in x])
    record = _RECORDS.get(kind)
    if record is None:
        return ("static", x)
    parts: list[Any] = [kind]
    for name, turns in record:
        if turns:
            rotations.append(len(leaves))
        parts.append(_taken(getattr(x, name), leaves, rotations))
    return tuple(parts)


def _given(shape: Any, leaves: Any) -> Any:
    """Nested results of a shape."""
    if shape == LEAF:
        return next(leaves)
    kind = shape[0]
    if kind == "static":
        return shape[1]
    parts = [next(leaves) if part == LEAF else _given(part, leaves) for part in shape[1:]]
    return kind(parts) if kind is tuple or kind is list else kind(*parts)


def _template(law: Callable[..., Any], args: Any, independent: bool) -> Template:
    """Run a law on new symbols in a trace of its own."""
    with Trace() as trace:
        return _traced(law, args, independent, trace)


def _traced(law: Callable[..., Any], args: Any, independent: bool, trace: Trace) -> Template:
    leaves: list[Any] = []
    rotations: list[int] = []
    taken = _taken(args, leaves, rotations)
    structure, count = _structure(leaves)
    symbols: list[Scalar | None] = [None] * count
    for start in () if independent else rotations:
        rotation_symbols(trace, structure[start : start + 9], symbols)
    for x in structure:
        if type(x) is tuple and symbols[x[0]] is None:
            symbols[x[0]] = trace.symbol(settled=x[2])
    own = [_signed(symbols[x[0]], x[1]) if type(x) is tuple else x for x in structure]
    results: list[Any] = []
    shape = _taken(law(*_given(taken, iter(own))), results, [])
    given: dict[int, int] = {x.index: i for i, x in enumerate(symbols) if x is not None}
    bases = [x.args[0] if type(x) is Scalar and x.op == NEG else x for x in results]
    roots = list({x.index: x for x in bases if type(x) is Scalar and x.index not in given}.values())
    ends: list[Scalar] = []
    nodes = behind([x for x in roots if not x.settled], ends)
    ends += [x for x in roots if x.settled and x not in ends]
    made = [x for x in ends if x.index not in given]
    moving = [x for x in nodes if x.index in given]
    main_roots = [x for x in roots if not x.settled]
    main = settle = None
    if main_roots:
        main = _listed("cell", [*moving, *ends], nodes, main_roots)
    settled_nodes = behind(made)
    settled = [x for x in settled_nodes if x.index in given]
    if made:
        settle = _listed("settled", settled, settled_nodes, made)
    at_made = {x.index: k for k, x in enumerate(made)}
    at_ends = {x.index: k for k, x in enumerate(ends)}
    at_main = {x.index: k for k, x in enumerate(main_roots)}
    found: list[tuple[str, Any, bool]] = []
    for x, base in zip(results, bases, strict=True):
        if type(x) is not Scalar:
            found.append(("number", x, False))
        elif base.index in given:
            found.append(("given", given[base.index], x is not base))
        elif base.settled:
            found.append(("settled", at_ends[base.index], x is not base))
        else:
            found.append(("main", at_main[base.index], x is not base))
    passed = tuple((True, given[x.index]) if x.index in given else (False, at_made[x.index]) for x in ends)
    return Template(
        settle, main, tuple(given[x.index] for x in moving), tuple(given[x.index] for x in settled), passed,
        tuple(found), shape,
    )  # fmt: skip


def _listed(name: str, inputs: list[Scalar], nodes: list[Scalar], roots: list[Scalar]) -> Listing:
    return listed(name, [("x", (len(inputs),))], inputs, nodes, [("y", (len(roots),))], roots)


def _signed(x: Scalar | None, turned: bool) -> Any:
    assert x is not None
    return -x if turned else x


_known: dict[Any, Template] = {}
