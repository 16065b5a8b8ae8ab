"""A mechanism with other dimensions: what was said of it is said again, with the numbers that follow."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from linkwork.errors import InputError, ModelError, Problem
from linkwork.model.dimensions import Let, Scope, anew, evaluated, resolved, scope, within
from linkwork.model.text_values import in_si
from linkwork.names import no_such

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Said:
    """A call of a method that added something."""

    method: str
    given: tuple[Any, ...]
    named: dict[str, Any]


def building(method: Method) -> Method:
    """A method that adds something: texts may name the mechanism's dimensions, and it can be said again."""

    @wraps(method)
    def call(self: Mechanism, *given: Any, **named: Any) -> Any:
        here = scope()
        if not (self.lets or self.in_plane) or (
            here is not None and here.of is self
        ):  # nothing to remember, or part of what is said
            return method(self, *given, **named)
        with within(Scope(self.lets, of=self)):
            made = method(self, *given, **named)
        if self.lets:
            self._said = (*self._said, Said(method.__name__, given, named))
        return made

    return call  # type: ignore[return-value]


def resized(m: Mechanism, values: Mapping[str, Any]) -> Mechanism:
    """The same mechanism with other values of some dimensions."""
    lets = resolved(m.lets, _checked(m, values))
    other = copy.copy(m)
    tables = m._tables()
    for name, table in zip(m.__dict__, m.__dict__.values(), strict=True):
        if any(table is own for own in tables):
            index = next(i for i, own in enumerate(tables) if own is table)
            other.__dict__[name] = dict(m._before[index]) if m.lets else dict(table)
    other.lets, other._said, other.cases = lets, (), dict(m.cases)
    try:
        for said in m._said:
            getattr(other, said.method)(*anew(said.given, lets), **anew(said.named, lets))
        other.gravity = anew(m.gravity, lets)
    except ModelError as error:
        told = ", ".join(f"{name} = {float(lets[name].value):.6g}" for name in values) or "the same dimensions"
        raise type(error)([replace(p, what=f"{p.what} (with {told})") for p in error.problems], m.name) from None
    for own, table in zip(other._tables(), tables, strict=True):  # in the order that they had
        ordered = {key: own[key] for key in table if key in own}
        own.clear()
        own.update(ordered)
    return other


def _checked(m: Mechanism, values: Mapping[str, Any]) -> dict[str, float]:
    """Values in SI by name; InputError lists all that are wrong."""
    problems: list[Problem] = []
    found: dict[str, float] = {}
    for name, value in values.items():
        where = f"let.{name}"
        if name not in m.lets:
            problems.append(no_such("dimension", name, m.lets, where, none="the mechanism has no named dimensions"))
            continue
        try:
            found[name] = float(in_si(value, m.lets[name].measures, where))
        except ModelError as error:
            problems += error.problems
        except (TypeError, ValueError):
            problems.append(Problem(f"{value!r} is not a number", where, "give one in SI, or such as '50 mm'"))
    problems += [
        Problem(f"{value} is not a finite number", f"let.{name}")
        for name, value in found.items()
        if not abs(value) <= 1e30
    ]
    if problems:
        raise InputError(problems, m.name)
    return found


def is_complete(m: Mechanism) -> bool:
    """Whether all that the mechanism has was said by its methods: else other dimensions would lose the rest."""
    return bool(resized(m, {})._data() == m._data())


def values_of(lets: Mapping[str, Let]) -> dict[str, float]:
    """The values of dimensions."""
    return {name: float(let.value) for name, let in lets.items()}


__all__ = ["Said", "building", "evaluated", "is_complete", "resized", "values_of"]
