"""From what users write to a surface or a curve in space: kinds by name, every number checked, all problems at once."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, TypeVar

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.expressions import Expression
from linkwork.model.vectors import number, numbers, positive

Made = TypeVar("Made")


def asked(read: Callable[[Any, str], Any], **options: Any) -> Any:
    """A field of a shape, and how what users write for it is read."""
    return dataclasses.field(metadata={"read": read}, **options)


def made(kinds: Mapping[str, type[Made]], what: str, kind: Any, given: Mapping[str, Any]) -> Made:
    """A shape of a kind from its numbers by name; ModelError with all that is wrong."""
    if not isinstance(kind, str) or kind not in kinds:
        hint = did_you_mean(kind, kinds) if isinstance(kind, str) else f"one of {', '.join(kinds)}"
        raise ModelError(Problem(f"{kind!r} is not a kind of {what}", hint=hint))
    shape = kinds[kind]
    fields = {f.name: f for f in dataclasses.fields(shape) if f.init}  # type: ignore[arg-type]
    hint = f"a {kind} has {', '.join(fields)}" if fields else f"a {kind} has no numbers"
    problems = [
        Problem(f"a {kind} has no '{k}'", hint=did_you_mean(k, fields) or hint) for k in given if k not in fields
    ]
    needed = [n for n, f in fields.items() if f.default is dataclasses.MISSING]
    problems += [Problem(f"the {kind} lacks `{n}`", hint=hint) for n in needed if n not in given]
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name in fields:
            try:
                values[name] = fields[name].metadata["read"](value, name)
            except ModelError as error:
                problems += error.problems
    if problems:
        raise ModelError(problems)
    return shape(**values)


def a_length(value: Any, where: str) -> float:
    """A number above zero."""
    return positive(value, where)


def a_number(value: Any, where: str) -> float:
    """Any number."""
    return number(value, where)


def a_switch(value: Any, where: str) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise ModelError(Problem(f"{value!r} is not true or false", where))
    return value


def a_span(value: Any, where: str) -> tuple[float, float]:
    """Two numbers, the second larger."""
    start, end = numbers(value, 2, where)
    if not end > start:
        raise ModelError(Problem(f"the range runs from {start:g} to {end:g}", where, "let it increase"))
    return start, end


def arithmetic(*variables: str) -> Callable[[Any, str], str]:
    """Text of an expression in these variables; a bare number will do."""

    def read(value: Any, where: str) -> str:
        text = repr(value) if isinstance(value, Real) and not isinstance(value, bool) else value
        try:
            return Expression(text, variables).text
        except ModelError as error:
            raise ModelError([Problem(p.what, where, p.hint) for p in error.problems]) from None

    return read


def assert_positive(value: Any, what: str) -> None:
    """ModelError unless a number is above zero and finite; expressions cannot be judged."""
    if isinstance(value, Real) and not 0.0 < float(value) < math.inf:
        raise ModelError(Problem(f"the {what} is {float(value):g}", hint="it must be above zero"))
