"""Compound units: products, quotients and integer powers of names, read by a small bounded grammar."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from linkwork.errors import InputError, Problem
from linkwork.units.dimensions import NUMBER, Dimension, quoted
from linkwork.units.lookup import find_unit

MAX_UNIT_LENGTH = 64
MAX_POWER = 9

SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
SIGNS = str.maketrans({"µ": "u", "μ": "u", "°": "deg", "·": " * ", "⋅": " * ", "×": " * ", "−": "-"})
_TOKEN = re.compile(
    r"(?P<gap>\s*)(?:(?P<name>g0(?![0-9])|[A-Za-z_]+|%)|(?P<power>\*\*|\^)|(?P<int>[+-]?[0-9]+)|(?P<sign>[*/()]))"
)


def parse_unit(text: str) -> tuple[float, Dimension]:
    """The factor to SI and the dimension of a unit such as 'mm', 'kg m^2', 'N*m/rad', 'm/s²' or '1/s'.

    Products are written with a blank, '*' or '·', quotients with '/', integer powers with '^', '**', a superscript
    or a digit right after the name. Everything is read from left to right; after a '/' a product needs brackets or
    a '*', because 'N/m s' could mean two things.

    >>> parse_unit("mm/s")
    (0.001, Dimension(length=1, mass=0, time=-1, angle=0, current=0, temperature=0))
    """
    if not isinstance(text, str):
        raise InputError(Problem(f"{quoted(text)} is not the name of a unit", hint="write text such as 'm/s^2'"))
    if len(text) > MAX_UNIT_LENGTH:
        raise InputError(f"the unit {quoted(text)} is too long; {MAX_UNIT_LENGTH} characters are the most")
    return unit_of(text)


@lru_cache(maxsize=1024)
def unit_of(text: str) -> tuple[float, Dimension]:
    try:
        factor, dimension = _UnitParser(text).parse()
    except (OverflowError, ZeroDivisionError):
        factor, dimension = math.inf, NUMBER
    if not (math.isfinite(factor) and factor > 0.0):
        raise InputError(f"the unit {quoted(text)} is beyond the range of numbers")
    return factor, dimension


class _UnitParser:
    """Reads `product = factor {('*' | '/' | blank) factor}`, `factor = (name | '1' | '(' product ')') [power]`."""

    def __init__(self, text: str) -> None:
        self.text = text
        plain = re.sub("[⁺⁻⁰¹²³⁴-⁹]+", lambda run: "^" + run[0].translate(SUPERSCRIPTS), text).translate(SIGNS)
        self.tokens: list[tuple[str, str, bool]] = []  # kind, text, whether it touches what stands before
        at, end = 0, len(plain.rstrip())
        while at < end:
            found = _TOKEN.match(plain, at)
            if found is None:
                raise self.problem(f"{quoted(plain[at:].lstrip()[0])} has no place in a unit")
            self.tokens.append((str(found.lastgroup), found[found.lastgroup or 0], not found["gap"]))
            at = found.end()
        self.at = 0

    def problem(self, what: str, hint: str = "write units such as mm, m/s^2, kg m^2 or N m/rad") -> InputError:
        return InputError(Problem(f"cannot read the unit {quoted(self.text)}: {what}", hint=hint))

    def peek(self) -> tuple[str, str, bool]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "", False)

    def take(self) -> tuple[str, str, bool]:
        token = self.peek()
        self.at += 1
        return token

    def parse(self) -> tuple[float, Dimension]:
        if not self.tokens:
            raise self.problem("it is empty")
        result = self.product()
        if self.peek()[0] != "end":
            raise self.problem(f"{quoted(self.peek()[1])} is out of place")
        return result

    def product(self) -> tuple[float, Dimension]:
        factor, dimension = self.factor()
        divided = False
        while True:
            kind, text, _ = self.peek()
            if text in ("*", "/"):
                self.take()
            elif kind == "name" or text == "(":
                if divided:
                    raise self.problem(f"it is unclear whether '/' reaches to {quoted(text)}", "use brackets or a '*'")
                text = "*"
            else:
                return factor, dimension
            right, right_dimension = self.factor()
            if text == "/":
                factor, dimension, divided = factor / right, dimension / right_dimension, True
            else:
                factor, dimension = factor * right, dimension * right_dimension

    def factor(self) -> tuple[float, Dimension]:
        kind, text, _ = self.take()
        if kind == "name":
            factor, dimension = find_unit(text)
        elif text == "(":
            factor, dimension = self.product()
            if self.take()[1] != ")":
                raise self.problem("a ')' is missing")
        elif text == "1":
            return 1.0, NUMBER
        else:
            raise self.problem(f"{quoted(text)} is out of place" if text else "a name is missing at the end")
        power = self.power(after_name=kind == "name")
        return factor**power, dimension**power

    def power(self, after_name: bool) -> int:
        kind, text, touches = self.peek()
        if kind == "power":
            self.take()
            kind, text, _ = self.take()
            if kind != "int":
                raise self.problem("a power must be an integer")
        elif kind == "int" and touches and after_name and text.isdigit():
            self.take()
        else:
            return 1
        if len(text) > 3 or abs(int(text)) > MAX_POWER:
            raise self.problem(f"the power {text[:8]} is out of range", f"powers go from -{MAX_POWER} to {MAX_POWER}")
        return int(text)
