"""Numbers with units inside expressions: where(slide > -4 mm, 200 N, 0), 12 N/mm*x, 2*30deg. Read as SI.

A unit stands right behind a number, with or without a blank. Blanks, `/` and powers join names of units; `*` is always
the arithmetic's, and `2A` no unit but a product without its `*`. A `/` belongs to the unit where it touches both names
and what follows is a unit: `0.05 N m/A*i`; with blanks around it, it is a division: `5 N / A`. `t` is always the time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from linkwork.units.dimensions import Dimension
from linkwork.units.grammar import parse_unit
from linkwork.units.table import ALIASES, PREFIXES, TAKES_PREFIX, UNITS

_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])(?P<number>(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)(?P<gap>[ ]*+)"
)
_NAME = re.compile(r"(?:[A-Za-zµμ]++(?![A-Za-z0-9_(.])|°|%(?!\s*[\w(]))")
_POWER = re.compile(r"(?:\^|\*\*)[+-]?[0-9](?![0-9.])|[⁺⁻⁰¹²³⁴-⁹]++|(?<=[a-z])[2-4](?![0-9.])")
_POWERED = re.compile(r"(?P<name>[A-Za-zµμ]++)(?P<power>[2-4])(?![A-Za-z0-9_.(])")
_JOINT_LIKE = re.compile(r"[A-MO-Z][0-9]?")
_QUOTED = re.compile(r"'[^'\\]*'|\"[^\"\\]*\"")
TIME = "t"


@dataclass(frozen=True)
class Quantity:
    """A number with its unit, as it stands in a text.

    start, end : its place; value : in SI; number : as it is written; unit : as it is written
    """

    start: int
    end: int
    value: float
    number: str
    unit: str
    measures: Dimension


@lru_cache(maxsize=512)
def quantities_in(text: str) -> tuple[Quantity, ...]:
    """All numbers of a text that have units, in order."""
    hidden = _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), text)
    found: list[Quantity] = []
    at = 0
    while (number := _NUMBER.search(hidden, at)) is not None:
        at = number.end()
        end = _unit_end(hidden, at)
        if end == at or (not number["gap"] and _JOINT_LIKE.fullmatch(hidden, at, end)):
            continue  # 2A is rather a forgotten product than two amperes
        unit = text[at:end]
        factor, measures = parse_unit(unit)
        found.append(Quantity(number.start(), end, float(number["number"]) * factor, number["number"], unit, measures))
        at = end
    return tuple(found)


def _unit_end(text: str, at: int) -> int:
    """Where the unit that begins here ends; `at` itself where none does."""
    end = _one(text, at)
    if end == at:
        return at
    while True:
        blank = re.compile(r"[ ]+").match(text, end)
        over = text[end : end + 1] == "/"
        start = blank.end() if blank is not None else end + 1 if over else end
        if start == end:
            return end
        further = _one(text, start)
        if further == start:
            return end
        end = further


def _one(text: str, at: int) -> int:
    """The end of one name of a unit with its power."""
    powered = _POWERED.match(text, at)
    if powered is not None and _is_unit(powered["name"]):
        return powered.end()
    name = _NAME.match(text, at)
    if name is None or not _is_unit(name[0]):
        return at
    power = _POWER.match(text, name.end())
    return name.end() if power is None else power.end()


@lru_cache(maxsize=512)
def _is_unit(name: str) -> bool:
    """Whether a name is one of the table's units, with an SI prefix or without; rarer ones are for plain numbers."""
    name = name.replace("µ", "u").replace("μ", "u")
    if name == TIME:
        return False
    if name in ("°", "%") or name in UNITS or name in ALIASES:
        return True
    return any(name[:k] in PREFIXES and name[k:] in TAKES_PREFIX for k in (1, 2))
