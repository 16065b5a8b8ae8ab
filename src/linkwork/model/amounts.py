"""How much: what a load takes for its magnitude. A number, a formula, or a table.

`amount_values.evaluate` works them out.

Formulas and tables speak of time `t` [s], of joint variables by name (`A`, `C.slide`) and of their rates (`rate(A)`,
`rate(C.slide)`), in SI units and radians. The law of a spring may also use its own elongation `x` and its rate `v`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from linkwork.errors import ModelError, Problem
from linkwork.expressions import Expression, names_in
from linkwork.expressions.measured import in_units
from linkwork.expressions.names import differentiated, is_variable
from linkwork.expressions.nodes import in_order, with_numbers
from linkwork.expressions.parser import parse
from linkwork.expressions.printer import to_text
from linkwork.model.dimensions import Lets, followed, scope
from linkwork.model.vectors import number, numbers
from linkwork.units import Dimension

TIME = "t"
ELONGATION, ELONGATION_RATE = "x", "v"


def rate_of(variable: str) -> str:
    """How formulas call the rate of a variable."""
    return f"rate({variable})"


@dataclass(frozen=True)
class Steady:
    """A number, which is a parameter of the model.

    told, measures : the text that it was, where it had a unit, and what that measures; None where nothing tells
    """

    value: float
    told: str = field(default="", compare=False, repr=False)
    measures: Dimension | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Formula:
    """An arithmetic expression; its values are in `unit` [SI].

    names : what it depends on, as the text calls it: t, variables or single-variable joints, rate(...), x, v
    told : the text as it was written, where it names dimensions (`let`), whose values stand in `text`
    """

    text: str
    names: tuple[str, ...]
    unit: float = 1.0
    told: str = ""

    @property
    def sizes(self) -> tuple[str, ...]:
        """The dimensions that it names."""
        return tuple(name for name in names_in(self.told) if name not in self.names) if self.told else ()

    @property
    def opened(self) -> Formula:
        """The same with the dimensions that it names among its names, instead of their values."""
        return Formula(self.told, (*self.names, *self.sizes), self.unit) if self.told else self

    def anew(self, lets: Lets) -> Formula:
        """The same with other values of dimensions."""
        return replace(self, text=_with_values(self.told, lets)) if self.told else self


@dataclass(frozen=True)
class Tabulated:
    """Values over one quantity: straight lines between points, or a natural cubic spline; held beyond both ends.

    over : t, a variable, rate(...), or of a spring x
    """

    over: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    smooth: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """What it depends on."""
        return (self.over,)


Amount = Steady | Formula | Tabulated


def tabulated(x: Any, y: Any, *, over: str = TIME, smooth: bool = False) -> Tabulated:
    """Values over one quantity, for the amount of a load: held beyond both ends.

    Parameters
    ----------
    x : increasing values of that quantity [s, rad, m or their rates], at least two
    y : as many values [SI]
    over : the quantity: t, a variable such as "A" or "C.slide", "rate(A)", or of a spring its elongation "x"
    smooth : True for a natural cubic spline through the points, False for straight lines between them
    """
    where = "tabulated"
    xs, ys = numbers(x, None, f"{where}.x"), numbers(y, None, f"{where}.y")
    problems = []
    if not isinstance(over, str) or not is_variable(over):
        hint = "write t, a variable such as A or C.slide, or rate(A)"
        problems.append(Problem(f"{over!r} is nothing to tabulate over", f"{where}.over", hint))
    if len(xs) != len(ys):
        problems.append(Problem(f"{len(xs)} values of x, {len(ys)} of y", where, "give as many of both"))
    elif len(xs) < 2:
        problems.append(Problem("two points at least make a table", where, "give a plain number for a steady amount"))
    fall = next((i for i in range(len(xs) - 1) if not xs[i] < xs[i + 1]), None)
    if fall is not None:
        text = f"x does not increase: {xs[fall]:g} is followed by {xs[fall + 1]:g}"
        problems.append(Problem(text, f"{where}.x", "sort the points, and keep one of each x"))
    if problems:
        raise ModelError(problems)
    return Tabulated(over, xs, ys, bool(smooth))


def amount(value: Any, where: str) -> Amount:
    """An amount as users write it: a number [SI], the text of a formula, or a table."""
    if isinstance(value, Formula) and value.told:
        here = scope()
        return value if here is None else value.anew(here.lets)
    if isinstance(value, Steady | Formula | Tabulated):
        return value
    if not isinstance(value, str):
        return Steady(number(value, where))
    text = " ".join(value.split())
    try:
        names = names_in(text)
        here = scope()
        lets = {} if here is None else here.lets
        others = tuple(name for name in names if name not in lets)
        if names and not others:
            return Steady(number(followed(text, lets, None)[0], where))
        if not names:  # plain arithmetic is a number
            whole = in_units(parse(text, ("t",)), {})
            value = number(Expression(text, ())(), where)
            return Steady(value) if whole.bare else Steady(value, text, whole.measures)
        if others != names:
            return Formula(_with_values(text, lets), others, told=text)
        return Formula(text, names)
    except ModelError as error:
        raise ModelError([Problem(p.what, where, p.hint) for p in error.problems]) from None


def _with_values(text: str, lets: Lets) -> str:
    """A formula with the values of the dimensions that it names."""
    values = {name: float(lets[name].value) for name in names_in(text) if name in lets}
    return to_text(in_order(with_numbers(parse(text, None), values)))


def variable_in(name: str) -> str:
    """The variable that a name of a formula speaks of: itself, or that of which it is the rate."""
    return differentiated(name) or name
