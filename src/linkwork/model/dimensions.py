"""Named dimensions: `let: {crank: 40, offset: crank/2}`, and the numbers of a model that follow from them.

A number that follows is a float with the text of its formula (`Following`), so everything takes it for the number that
it is; what is made of it by arithmetic follows too. `Mechanism.resized` evaluates all of them anew.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

from linkwork.errors import InputError, ModelError, Problem, did_you_mean
from linkwork.expressions import Expression, names_in
from linkwork.expressions.measured import in_units
from linkwork.expressions.names import is_plain
from linkwork.expressions.nodes import Variable, in_order
from linkwork.expressions.parser import CONSTANTS, FUNCTIONS, parse
from linkwork.expressions.printer import to_text
from linkwork.model.text_values import looks_like_number
from linkwork.units import ANGLE, NUMBER, SI, Dimension, UnitSystem
from linkwork.units.dimensions import DIMENSION_NAMES
from linkwork.units.quantities import parse_free

_SPELT = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "ø": "o", "æ": "ae"}
)
_OPERATION = re.compile(r"[*+(/]|\s-")
RESERVED = ("t", "x", "v", "rate", "where", "gravity", "start", "machine", "closure")
"""What formulas call by these names already."""


class Following(float):
    """A number that follows from named dimensions: its value, and its formula in SI."""

    __slots__ = ("formula",)
    formula: str

    def __new__(cls, value: float, formula: str) -> Following:
        """A number with its formula."""
        made = super().__new__(cls, value)
        made.formula = formula
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Following, (float(self), self.formula)

    def __copy__(self) -> Following:
        return self

    def __deepcopy__(self, memo: Any) -> Following:
        return self

    def _with(self, op: str, other: Any, swapped: bool = False) -> Any:
        if isinstance(other, bool) or not isinstance(other, int | float):
            return NotImplemented
        if type(other) is not Following and other == 0.0:  # what it measures nobody said
            if op == "*" or (op == "/" and swapped):
                return 0.0
            if op in "+-":
                return -self if op == "-" and swapped else self
        first, second = (other, self) if swapped else (self, other)
        value = _PLAIN[op](float(first), float(second))
        return Following(value, f"{_bracketed(first)} {op} {_bracketed(second)}")

    def __add__(self, other: Any) -> Any:
        return self._with("+", other)

    def __radd__(self, other: Any) -> Any:
        return self._with("+", other, swapped=True)

    def __sub__(self, other: Any) -> Any:
        return self._with("-", other)

    def __rsub__(self, other: Any) -> Any:
        return self._with("-", other, swapped=True)

    def __mul__(self, other: Any) -> Any:
        return self._with("*", other)

    def __rmul__(self, other: Any) -> Any:
        return self._with("*", other, swapped=True)

    def __truediv__(self, other: Any) -> Any:
        return self._with("/", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with("/", other, swapped=True)

    def __pow__(self, other: Any, modulo: None = None) -> Any:
        return self._with("**", other)

    def __neg__(self) -> Following:
        return Following(-float(self), f"-{_bracketed(self)}")

    def __pos__(self) -> Following:
        return self

    def __str__(self) -> str:
        return float.__repr__(self)

    __repr__ = float.__repr__


_PLAIN: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
}


def _bracketed(x: Any) -> str:
    if isinstance(x, Following):
        return x.formula if is_plain(x.formula) else f"({x.formula})"
    return repr(float(x)) if x >= 0 else f"({float(x)!r})"


def kept(value: Any) -> float:
    """A float, which still follows where it did."""
    return value if type(value) is Following else float(value)


@dataclass(frozen=True)
class Let:
    """A named dimension.

    value : in SI; measures : what it is, None where nobody said
    formula : of other dimensions that it follows from, in SI; empty of one that is given
    """

    name: str
    value: float
    measures: Dimension | None = None
    formula: str = ""
    description: str = ""


Lets = Mapping[str, Let]


def checked_let_name(name: Any, where: str) -> str:
    """A name that formulas can have."""
    if isinstance(name, str) and is_plain(name) and name not in (*RESERVED, *FUNCTIONS, *CONSTANTS):
        return name
    text = repr(name)[:40]
    hint = "use letters a to z, digits and _, nothing that has a meaning in formulas already"
    plain = _in_ascii(name)
    hint += f": '{plain}'" if plain != name and is_plain(plain) else ""
    raise ModelError(Problem(f"{text} cannot name a dimension", where, hint))


def _in_ascii(name: Any) -> str:
    """A name with plain letters: Größe as Groesse, my-length as my_length."""
    if not isinstance(name, str):
        return ""
    told = unicodedata.normalize("NFC", name).translate(_SPELT)
    plain = unicodedata.normalize("NFKD", told).encode("ascii", "ignore").decode()
    return re.sub(r"\W+", "_", plain).strip("_")


def followed(
    text: str, lets: Lets, wanted: Dimension | None, units: UnitSystem = SI, where: str = ""
) -> tuple[float, Dimension | None]:
    """The number that a text of dimensions means, in SI, and what it measures.

    units : of bare numbers
    """
    try:
        names = names_in(text)
        unknown = [name for name in names if name not in lets]
        if unknown:
            known = list(lets)
            listed = f"; there are {', '.join(known[:8])}" if known else "; `let` has none"
            problems = []
            for name in unknown:
                near = did_you_mean(name, known) if known else ""
                hint = near if near.startswith("did") else f"name it under `let`{listed}"
                problems.append(Problem(f"there is no dimension '{name}'", where, hint))
            raise InputError(problems)
        root = parse(" ".join(text.split()), names or ("t",))
        found = in_units(root, {n: lets[n].measures for n in names}, units, wanted)
    except ModelError as error:
        raise InputError([replace(p, where=where or p.where) for p in error.problems]) from None
    formula = to_text(in_order(found.node))
    value = evaluated(formula, lets)
    if not names:
        return value, found.measures
    return Following(value, formula), found.measures


def written(formula: str) -> str:
    """A formula as it is written after it has been read, whatever arithmetic made it."""
    return to_text(in_order(parse(formula, names_in(formula) or ("t",))))


def evaluated(formula: str, lets: Lets) -> float:
    """The value of a formula in SI; InputError where it has none."""
    names = names_in(formula)
    value = float(Expression(formula, names)(**{n: float(lets[n].value) for n in names}))
    if not abs(value) <= 1e30:
        told = ", ".join(f"{n} = {float(lets[n].value):.6g}" for n in names)
        raise InputError(Problem(f"'{formula}' has no finite value with {told}", hint="look for a root or a division"))
    return value


def let_of(name: str, value: Any, lets: Lets, description: str, where: str, units: UnitSystem | None = None) -> Let:
    """A dimension as it is given: a number, a text with a unit, or a formula of those before it.

    units : of bare numbers, of a file; in Python they are SI
    """
    if type(value) is Following:
        return Let(name, evaluated(value.formula, lets), None, value.formula, description)
    if isinstance(value, str):
        try:
            found, measures = parse_free(value)
            return Let(name, found, measures, "", description)
        except ModelError as error:
            if looks_like_number(value) and not _OPERATION.search(value):
                raise InputError([replace(p, where=where) for p in error.problems]) from None
            got, measures = followed(value, lets, None, units or SI, where)
            formula = got.formula if type(got) is Following else ""
            return Let(name, float(got), measures, formula, description)
    if isinstance(value, bool) or not isinstance(value, Real) or not abs(float(value)) <= 1e30:
        text = "nothing is given" if value is None else f"{value!r} is not a number"
        raise InputError(Problem(text, where, "write a number, '40 mm', or a formula such as 'crank/2'"))
    return Let(name, float(value), None, "", description)


def numbers_of_formula(text: Any, given: Mapping[str, Any] | None, lets: Lets) -> Mapping[str, Any] | None:
    """The own numbers of a formula, with the dimensions that it names among them."""
    if not lets or not isinstance(text, str):
        return given
    try:
        named = [name for name in names_in(text) if name in lets and name not in (given or {})]
    except ModelError:  # which is told when it is read
        return given
    own = {name: Following(lets[name].value, name) for name in named}
    return {**(given or {}), **own} if own else given


def resolved(given: Mapping[str, Let], values: Mapping[str, float]) -> dict[str, Let]:
    """The dimensions with other values of some; those that follow are evaluated anew, in their order."""
    made: dict[str, Let] = {}
    for name, let in given.items():
        if name in values:
            made[name] = replace(let, value=float(values[name]))
        elif let.formula:
            made[name] = replace(let, value=evaluated(let.formula, made))
        else:
            made[name] = let
    return made


def anew(part: Any, lets: Lets) -> Any:
    """What was given to a mechanism, with the numbers that follow from dimensions evaluated anew."""
    if type(part) is Following:
        return Following(evaluated(part.formula, lets), part.formula)
    if isinstance(part, tuple) and type(part) is tuple:
        return tuple(anew(p, lets) for p in part)
    if hasattr(part, "anew"):
        return part.anew(lets)
    if isinstance(part, list):
        return [anew(p, lets) for p in part]
    if isinstance(part, Mapping):
        return {key: anew(p, lets) for key, p in part.items()}
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        own = {f.name: getattr(part, f.name) for f in dataclasses.fields(part) if f.init}
        new = {key: anew(p, lets) for key, p in own.items()}
        changed = {key: p for key, p in new.items() if p is not own[key] and not _same(p, own[key])}
        return replace(part, **changed) if changed else part
    return part


def _same(a: Any, b: Any) -> bool:
    """Whether nothing in it follows; comparing is cheaper than telling which."""
    try:
        return bool(a == b) and not follows(b)
    except (TypeError, ValueError):
        return False


def follows(part: Any) -> set[str]:
    """The names of the dimensions from which numbers of a part follow."""
    if type(part) is Following:
        return set(names_in(part.formula))
    if isinstance(part, tuple | list):
        return {name for p in part for name in follows(p)}
    if isinstance(part, Mapping):
        return {name for p in part.values() for name in follows(p)}
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        return {name for f in dataclasses.fields(part) for name in follows(getattr(part, f.name))}
    return set()


# ---------------------------------------------------------------- which dimensions texts speak of


@dataclass
class Scope:
    """Dimensions that texts may name while a mechanism is being described.

    units : of bare numbers; uses : where names are used and as what, while that is being found out; else None
    """

    lets: Lets = field(default_factory=dict)
    units: UnitSystem = SI
    of: Any = None
    """The mechanism that is being described, if that is known."""
    uses: list[tuple[str, Dimension | None]] | None = None


_scope: ContextVar[Scope | None] = ContextVar("dimensions", default=None)


def scope() -> Scope | None:
    """The dimensions that texts may name here."""
    return _scope.get()


@contextmanager
def within(own: Scope) -> Iterator[None]:
    """Texts may name these dimensions."""
    token = _scope.set(own)
    try:
        yield
    finally:
        _scope.reset(token)


CANDIDATES = tuple(DIMENSION_NAMES)
"""What a dimension may measure of which only a bare number is known."""


def told_by_use(lets: Lets, uses: Sequence[tuple[str, Dimension | None]], units: UnitSystem) -> dict[str, Dimension]:
    """What dimensions measure of which only a bare number is known, by where they are used.

    uses : texts with what they measure, None where nothing tells but that their parts must fit each other
    """
    known: dict[str, Dimension | None] = {name: let.measures for name, let in lets.items()}
    unknown = [name for name, let in lets.items() if let.measures is None and not let.formula]
    found: dict[str, Dimension] = {}
    while unknown:
        told = {name: _votes(name, uses, known, units) for name in unknown}
        name = next((name for name in unknown if len(told[name]) == 1), "")
        if not name:  # cos(tilt) takes an angle as well as a plain number: an angle is meant
            name = next((name for name in unknown if ANGLE in told[name]), "")
            told[name] = [ANGLE]
        if not name:
            return found
        found[name] = known[name] = told[name][0]
        unknown.remove(name)
    return found


def _votes(
    name: str, uses: Sequence[tuple[str, Dimension | None]], known: Mapping[str, Dimension | None], units: UnitSystem
) -> list[Dimension]:
    """What a dimension measures by most of its uses; nothing where no use tells."""
    votes: Counter[Dimension] = Counter()
    for text, wanted in uses:
        fitting = _fitting(name, text, wanted, list(CANDIDATES), known, units)
        if len(fitting) < len(CANDIDATES):
            votes.update(fitting)
    most = max(votes.values(), default=0)
    found = [measures for measures, count in votes.items() if count == most]
    plain = {replace(measures, angle=0) for measures in found}  # angles are numbers beside other quantities
    return [*plain] if len(plain) == 1 and NUMBER not in plain else found


def _fitting(
    name: str,
    text: str,
    wanted: Dimension | None,
    candidates: list[Dimension],
    known: Mapping[str, Dimension | None],
    units: UnitSystem,
) -> list[Dimension]:
    try:
        root = parse(" ".join(text.split()), names_in(text) or ("t",))
    except ModelError:
        return []
    named = {node.name for node in in_order(root) if isinstance(node, Variable)}
    if name not in named:
        return []
    fitting = []
    for candidate in candidates:
        try:
            found = in_units(root, {**known, name: candidate}, units).measures
            if wanted is None or found in (None, wanted):
                fitting.append(candidate)
        except ModelError:
            continue
    return fitting
