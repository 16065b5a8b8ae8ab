"""From a tree back to text that can be read again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from linkwork.expressions.names import written
from linkwork.expressions.nodes import Binary, Call, Negative, Node, Number, Variable, Where
from linkwork.expressions.parser import CONSTANTS
from linkwork.units.systems import SI

MAX_PRINTED = 20_000

_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(5)
_LEVEL = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "**": _POWER}


def to_text(order: Iterable[Node]) -> str:
    """The last node of `order` as text that `parse` reads back into a tree with the same values to the last bit."""
    texts: dict[Node, tuple[str, int]] = {}
    text = ""
    for node in order:
        text, level = _text_of(node, texts)
        if len(text) > MAX_PRINTED:
            return "(an expression too long to print)"
        texts[node] = text, level
    return text


def _text_of(node: Node, texts: Mapping[Node, tuple[str, int]]) -> tuple[str, int]:
    """The text of one node, and how tightly it binds, from the texts of its children."""

    def at_least(level: int, child: Node) -> str:
        text, own = texts[child]
        return text if own >= level else f"({text})"

    match node:
        case Number(value, measures) if measures and value != CONSTANTS["deg"] and (unit := SI.symbol(measures)):
            return f"{_plain(value)} {unit}", _SUM  # in brackets beside * and /, which units have, too
        case Number(value):
            return _number_text(value), _ATOM if math.copysign(1.0, value) > 0 else _SIGN
        case Variable(name):
            return written(name), _ATOM
        case Negative(a):
            return f"-{at_least(_SIGN, a)}", _SIGN
        case Binary("**", a, b):
            return f"{at_least(_ATOM, a)}**{at_least(_SIGN, b)}", _POWER
        case Binary(op, a, b):
            level = _LEVEL[op]
            gap = " " if level == _SUM else ""
            return f"{at_least(level, a)}{gap}{op}{gap}{at_least(level + 1, b)}", level
        case Call(name, arguments):
            return f"{name}({', '.join(texts[a][0] for a in arguments)})", _ATOM
        case Where(op, left, right, then, otherwise):
            condition = f"{texts[left][0]} {op} {texts[right][0]}"
            return f"where({condition}, {texts[then][0]}, {texts[otherwise][0]})", _ATOM


def _number_text(value: float) -> str:
    for name, constant in CONSTANTS.items():
        if value == constant:
            return name
    return _plain(value)


def _plain(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value)
