"""Arithmetic in model files: text such as '0.2*sin(3*t) + 1' as data, with exact derivatives.

An expression is read by a whitelist into a small tree and never handed to the interpreter. The tree can be evaluated
with floats, complex numbers, NumPy arrays and CasADi symbols, differentiated as often as one likes, and printed.

>>> law = Expression("sin(2*t)")
>>> law(t=0.0)
0.0
>>> print(law.derivative("t"))
cos(2*t)*2
>>> law.derivative("t")(t=0.0)
2.0

Nothing here recurses over a tree except the reader, whose depth is bounded: evaluation, differentiation and printing
walk a list of the nodes, children first, in which a node that is used twice stands once. Derivatives share the nodes of
what they derive from, so that a third derivative costs a few times the function and not its cube.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.expressions.differentiation import differentiate
from linkwork.expressions.evaluation import evaluate_casadi, evaluate_numpy, is_casadi
from linkwork.expressions.names import is_variable
from linkwork.expressions.nodes import Node, Variable, in_order
from linkwork.expressions.parser import CONSTANTS, FUNCTIONS, parse
from linkwork.expressions.printer import to_text


@lru_cache(maxsize=512)
def _tree(text: str, variables: tuple[str, ...], by: tuple[str, ...]) -> Node:
    if not by:
        return parse(text, variables)
    return differentiate(_tree(text, variables, by[:-1]), by[-1])


@dataclass(frozen=True)
class Expression:
    """Arithmetic on named variables, read from text.

    Parameters
    ----------
    text
        Numbers, + - * / **, brackets, the variables, `pi`, `tau`, the functions of `FUNCTIONS`, and
        `where(a < b, x, y)` for x where the comparison holds and y elsewhere.
    variables
        The names that the text may use: `t`, joint variables such as `C.slide`, rates such as `rate(C.slide)`. A name
        that arithmetic cannot say stands in quotes there: `'my-joint.slide'`.
    by
        The variables by which the text is differentiated, in turn; `derivative` fills it in.

    Two expressions are equal when these three are. Call one with its variables by name: floats, complex numbers,
    arrays (they broadcast) or CasADi symbols. Outside the domain of a function the result is inf or nan, silently.

    >>> Expression("where(t < 1, t**2, 1)")(t=[0.5, 2.0])
    array([0.25, 1.  ])
    """

    text: str
    variables: tuple[str, ...] = ("t",)
    by: tuple[str, ...] = ()
    _order: tuple[Node, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise InputError(Problem("an expression must be text", hint="write arithmetic such as '2*t + 1'"))
        object.__setattr__(self, "text", " ".join(self.text.split()))
        object.__setattr__(self, "variables", _checked_variables(self.variables))
        object.__setattr__(self, "by", tuple(self.by))
        for name in self.by:
            if name not in self.variables:
                hint = did_you_mean(str(name)[:30], self.variables)
                raise InputError(Problem(f"{self.text[:60]!r} has no variable {name!r}", hint=hint))
        object.__setattr__(self, "_order", in_order(_tree(self.text, self.variables, self.by)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Expression, (self.text, self.variables, self.by)

    def __str__(self) -> str:
        return to_text(self._order) if self.by else self.text

    @property
    def tree(self) -> Node:
        """The root of the tree."""
        return self._order[-1]

    @property
    def used(self) -> frozenset[str]:
        """The variables on which the value depends."""
        return frozenset(node.name for node in self._order if isinstance(node, Variable))

    def derivative(self, variable: str = "t") -> Expression:
        """The exact derivative by one of the variables, an expression again.

        >>> print(Expression("t**3").derivative("t").derivative("t"))
        3*(2*t)
        """
        return Expression(self.text, self.variables, (*self.by, variable))

    def __call__(self, **values: Any) -> Any:
        for name in values:
            if name not in self.variables:
                raise TypeError(f"{self.text[:60]!r} has no variable {name!r}; {did_you_mean(name, self.variables)}")
        missing = sorted(self.used - values.keys())
        if missing:
            raise TypeError(f"{self.text[:60]!r} needs a value of {', '.join(missing)}")
        if any(is_casadi(value) for value in values.values()):
            return evaluate_casadi(self._order, values)
        return evaluate_numpy(self._order, values)


def names_in(text: str) -> tuple[str, ...]:
    """The variables of a text in which any may stand, in the order of their first use.

    >>> names_in("3*C.slide + sin(A) + rate(C.slide)*t")
    ('C.slide', 'A', 'rate(C.slide)', 't')
    """
    if not isinstance(text, str):
        raise InputError(Problem("an expression must be text", hint="write arithmetic such as '2*t + 1'"))
    tree = parse(" ".join(text.split()), None)
    return tuple(dict.fromkeys(node.name for node in in_order(tree) if isinstance(node, Variable)))


def _checked_variables(variables: Iterable[str]) -> tuple[str, ...]:
    names = (variables,) if isinstance(variables, str) else tuple(variables)
    problems = []
    for name in names:
        if not isinstance(name, str) or not is_variable(name):
            problems.append(Problem(f"{name!r} cannot name a variable", hint="use letters, digits and _"))
        elif name in FUNCTIONS or name in CONSTANTS or name == "where":
            problems.append(Problem(f"the variable {name!r} hides what is built in", hint="choose another name"))
    if problems:
        raise InputError(problems)
    return names
