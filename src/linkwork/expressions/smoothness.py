"""Where an expression is not smooth: switches at which its value jumps, and those at which its slope does.

Of a switch (`jumps`), points are sought at which its argument is zero. There the expression is compared with itself as
it is on either side: abs(A)*A, sign(A)*abs(A) and where(A > 0, A**2, 0) have neither, where(A > 0, A, 0) has a kink.
`atan2` goes on from its cut by a constant, which changes no slope; so it is no switch here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from linkwork.expressions.differentiation import differentiate
from linkwork.expressions.evaluation import evaluate_numpy
from linkwork.expressions.jumps import is_nested, switches
from linkwork.expressions.nodes import Binary, Call, Negative, Node, Number, Variable, Where, children, in_order
from linkwork.expressions.parser import parse
from linkwork.expressions.printer import to_text

SIZES = (0.3, 3.0, 30.0, 1000.0)
"""How far around zero arguments are sought."""
LINES, STEPS, HALVINGS = 24, 65, 60
"""Random lines through each of these ranges, samples along one, and halvings between two of them."""
BESIDE = 0.1
"""How far from a zero, in parts of such a range, slopes are looked at to know what is much."""
EQUAL = 1e-7
"""Difference in parts of the terms up to which two sides are the same: zeros are found to rounding."""

Points = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Break:
    """A switch at which an expression is not smooth.

    function : what switches: abs, where, ...; place : at which, such as `A = 0`
    jumps : whether the value jumps; else the slope does
    """

    function: str
    place: str
    jumps: bool


def breaks(text: str, numbers: Mapping[str, float], linear_in: Sequence[str] = ()) -> tuple[Break, ...]:
    """All of an expression, those that jump first.

    numbers : values of its own numbers, which do not change
    linear_in : names in which it is linear: its coefficients are then what must be smooth
    """
    return _breaks(text, tuple(sorted(numbers.items())), tuple(linear_in))


@lru_cache(maxsize=512)
def _breaks(text: str, numbers: tuple[tuple[str, float], ...], linear_in: tuple[str, ...]) -> tuple[Break, ...]:
    root = parse(text, None)
    found: dict[tuple[str, str], bool] = {}
    for own in [differentiate(root, name) for name in linear_in] or [root]:
        nested = is_nested(own)  # then no switch can be looked at by itself
        together: dict[str, list[tuple[Node, Node]]] = {}
        for node, argument in switches(own):
            together.setdefault(to_text(in_order(argument)), []).append((node, argument))
        for pairs in together.values():
            nodes = [node for node, _ in pairs]
            differs = True if nested else _differs(own, nodes, pairs[0][1], dict(numbers))
            if differs is not None:
                found[_told(nodes[0])] = found.get(_told(nodes[0]), False) or differs
    made = [Break(*key, jumps) for key, jumps in found.items()]
    return tuple(sorted(made, key=lambda own: not own.jumps))


def _told(node: Node) -> tuple[str, str]:
    """The function that switches, and where."""
    match node:
        case Where(_, a, b, _, _):
            return "where", f"{to_text(in_order(a))} = {to_text(in_order(b))}"
        case Call(name, (a, *others)):
            return name, f"{to_text(in_order(a))} = {to_text(in_order(others[0])) if others else '0'}"
    raise AssertionError(node)  # pragma: no cover - nothing else switches


def _differs(root: Node, nodes: Sequence[Node], argument: Node, numbers: Mapping[str, float]) -> bool | None:
    """Whether the value differs on the two sides of switches with one argument; False where only the slope does."""
    found = _zeros(argument, root, numbers)
    if found is None:
        return None
    points, beside = found
    two = [_on_side(root, nodes, above) for above in (True, False)]
    moving = [name for name in points if name not in numbers]
    slopes = [[differentiate(own, name) for name in moving] for own in two]
    up, down = (np.atleast_1d(evaluate_numpy(in_order(own), points)) for own in two)
    rise, fall = (np.array([evaluate_numpy(in_order(d), points) for d in own]) for own in slopes)
    usual = sum(np.abs([evaluate_numpy(in_order(d), beside) for d in own]) for own in slopes)
    valued = np.isfinite(up) & np.isfinite(down)
    with np.errstate(all="ignore"):
        steep = np.abs(rise) + np.abs(fall) + np.where(np.isfinite(usual), usual, 0.0)
        reach = np.array([np.maximum(np.abs(points[name]), 1.0) for name in moving])
        size = np.abs(up) + np.abs(down) + np.nan_to_num(steep * reach, posinf=0.0).sum(axis=0)
        same = np.abs(up - down) <= EQUAL * size
        straight = (np.abs(rise - fall) <= EQUAL * steep).all(axis=0)
    if (valued & ~same).any():
        return True
    return False if (valued & ~straight).any() else None


def _on_side(root: Node, nodes: Sequence[Node], above: bool) -> Node:
    """A tree as it is where the argument of some switches is above zero, or below."""
    made: dict[Node, Node] = {}
    for own in in_order(root):
        given = tuple(made[child] for child in children(own))
        match own:
            case Where(op) if own in nodes:
                made[own] = given[2] if above == (op in (">", ">=")) else given[3]
            case Call("sign") if own in nodes:
                made[own] = Number(1.0 if above else -1.0)
            case Call("abs") if own in nodes:
                made[own] = given[0] if above else Negative(given[0])
            case Call("max" | "min" as name) if own in nodes:
                made[own] = given[0] if above == (name == "max") else given[1]
            case Negative():
                made[own] = Negative(*given)
            case Binary(op):
                made[own] = Binary(op, *given)
            case Call(name):
                made[own] = Call(name, given)
            case Where(op):
                made[own] = Where(op, *given)
            case _:
                made[own] = own
    return made[root]


def _zeros(argument: Node, root: Node, numbers: Mapping[str, float]) -> tuple[Points, Points] | None:
    """Points at which an argument changes its sign, by name, and points beside them; None where none is found."""
    names = sorted({own.name for own in in_order(root) if isinstance(own, Variable)} - set(numbers))
    rng, order = np.random.default_rng(1), in_order(argument)
    starts, ways = [], []
    for size in SIZES:
        starts.append(size * rng.uniform(-1.0, 1.0, (LINES, len(names))))
        ways.append(size * rng.normal(size=(LINES, len(names))))
    start, way = np.concatenate(starts), np.concatenate(ways)

    def at(s: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        found = {name: start[:, k] + s * way[:, k] for k, name in enumerate(names)}
        return found | {name: np.full(len(s), value) for name, value in numbers.items()}

    along = np.linspace(-1.0, 1.0, STEPS)
    values = np.array([evaluate_numpy(order, at(np.full(len(start), s))) for s in along])
    crossed = np.sign(values[:-1]) * np.sign(values[1:]) < 0.0
    lines = np.flatnonzero(crossed.any(axis=0))
    if not lines.size:
        return None
    first = crossed[:, lines].argmax(axis=0)
    start, way = start[lines], way[lines]
    low, high, sign = along[first], along[first + 1], np.sign(values[first, lines])
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        before = np.sign(evaluate_numpy(order, at(middle))) == sign
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return at(high), at(high + BESIDE)
