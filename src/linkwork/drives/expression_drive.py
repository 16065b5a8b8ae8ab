"""A law written as an expression of t."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from linkwork.drives.checks import Checks, plain
from linkwork.drives.drive import Array, Drive
from linkwork.errors import InputError, ModelError, Problem

if TYPE_CHECKING:
    from linkwork.expressions import Expression

_ORDERS = ("value", "rate", "acceleration", "jerk")


@dataclass(frozen=True, repr=False)
class ExpressionDrive(Drive):
    """unit * text(t), t in seconds; its derivatives are exact."""

    text: str
    unit: float = 1.0
    duration: None = field(default=None, init=False)

    def _sample(self, t: Array) -> Array:
        with np.errstate(all="ignore"):  # what overflows is told below
            result = np.array([self.unit * law(t=t) for law in _ladder(self.text)])
        wrong = ~np.isfinite(result)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            what = f"the {_ORDERS[row]} of {self} is {result[row, column]} at t = {t[column]:g} s"
            hint = "write a law that is finite and smooth at all times that are asked for"
            raise InputError(Problem(what, "expression", hint))
        return result

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= 60 else self.text[:57] + "..."
        return f"expression {shown}" if self.unit == 1.0 else f"expression ({shown})*{plain(self.unit)}"


@lru_cache(maxsize=64)
def _ladder(text: str) -> tuple[Expression, ...]:
    """The law and its three derivatives."""
    from linkwork.expressions import Expression

    ladder = [Expression(text, ("t",))]
    for _ in range(3):
        ladder.append(ladder[-1].derivative("t"))
    return tuple(ladder)


def expression(text: str, *, unit: float = 1.0) -> Drive:
    """A law of the time t [s], such as "0.3*sin(2*t)", valid before t = 0 too.

    Jumps of `where`, `abs`, `min`, `max` and `sign` are not looked for: `breaks` of an expression is empty.

    text : arithmetic on t with + - * / ** brackets, pi, tau, where(a < b, x, y) and the usual functions
    unit : what the expression's value is multiplied with, such as `units.deg` [rad or m]
    """
    checks = Checks("expression")
    scale = checks.number("unit", unit)
    if scale == 0.0:
        checks.problem("the unit is 0", "leave it out, or give units.deg, units.mm and the like")
    written = ""
    try:
        written = _ladder(text)[0].text
    except ModelError as error:
        for problem in error.problems:
            hint = problem.hint or "write a shorter one, or give points to spline(...)"
            if problem.what.endswith("is not known"):
                hint = f"the time is t, in seconds; {hint}"
            checks.problem(problem.what, hint)
    except TypeError:  # not even hashable
        checks.problem("an expression must be text", "write arithmetic such as '0.3*sin(2*t)'")
    checks.done()
    return ExpressionDrive(written, scale)
