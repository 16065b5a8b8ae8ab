"""Named dimensions in a model file: `let: {crank: 40, offset: crank/2, tilt: 30 deg}`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from linkwork.errors import ModelError, Problem
from linkwork.expressions import names_in
from linkwork.files.entries.base import Entry, Text
from linkwork.files.explain import short
from linkwork.model.dimensions import Let, checked_let_name, let_of, told_by_use
from linkwork.units import NUMBER, Dimension, UnitSystem

SECTION = "let"
LetValue = Annotated[Any, WithJsonSchema({"type": ["number", "string"]})]
Uses = list[tuple[str, Any]]


class LetEntry(Entry):
    """A named dimension with what else is said of it."""

    value: LetValue = Field(description="a number, '40 mm', or a formula of other dimensions")
    description: Text = ""


def read_lets(
    entries: Any, units: UnitSystem, uses_with: Callable[[dict[str, Let]], Uses], problems: list[Problem]
) -> dict[str, Let]:
    """The dimensions of a file in SI; what is wrong with them goes to `problems`.

    uses_with : where texts of the file use the dimensions, and as what; it tells what bare numbers measure
    """
    if entries is None:
        return {}
    if not isinstance(entries, dict):
        problems.append(Problem("names with their numbers are wanted", SECTION, "write `crank: 40`"))
        return {}
    given = _sound(entries, problems)
    wrong: list[Problem] = []
    lost = {str(name): Let(str(name), 1.0) for name in entries if name not in given}  # of which no more is told
    lets = _in_turn(given, units, {}, wrong, lost)
    if any(let.measures is None for let in lets.values()):
        uses: list[tuple[str, Dimension | None]] = [*uses_with(lets)]
        for name, value in given.items():  # a formula tells of those in it
            if isinstance(value[0], str) and name in lets and lets[name].formula:
                uses += [(value[0], wanted) for text, wanted in uses if text.strip() == name] or [(value[0], None)]
        told = told_by_use(lets, uses, units)
        wrong.clear()
        lets = _in_turn(given, units, {name: told.get(name, NUMBER) for name in lets}, wrong, lost)
    problems += wrong
    return lets


def _sound(entries: Mapping[str, Any], problems: list[Problem]) -> dict[str, tuple[Any, str]]:
    """Value and description by name, of those that have both in order."""
    given: dict[str, tuple[Any, str]] = {}
    for name, entry in entries.items():
        where = f"{SECTION}.{short(name)}"
        try:
            checked_let_name(name, where)
            value, description = entry, ""
            if isinstance(entry, dict):
                strange = [key for key in entry if key not in LetEntry.model_fields]
                if strange or "value" not in entry:
                    what = f"unknown key '{short(strange[0])}'" if strange else "'value' is missing"
                    torn = any(entry[key] is None for key in strange)  # {description: from pin, to pin}
                    hint = "put a text with commas in quotes" if torn else "write {value: 40, description: ...}"
                    raise ModelError(Problem(what, where, hint))
                value, description = entry["value"], str(entry.get("description", ""))
            given[name] = value, description
        except ModelError as error:
            problems += error.problems
    return given


def _in_turn(
    given: Mapping[str, tuple[Any, str]],
    units: UnitSystem,
    measures: Mapping[str, Any],
    problems: list[Problem],
    lost: Mapping[str, Let],
) -> dict[str, Let]:
    """All dimensions, each after those that it follows from; `lost` stand for those that could not be understood."""
    found = dict(lost)
    left = dict(given)
    while left:
        ready = next((name for name, (value, _) in left.items() if not _needs(value, given) & left.keys()), None)
        for name in () if ready is None else (ready,):
            value, description = left.pop(name)
            where = f"{SECTION}.{name}"
            try:
                let = let_of(name, value, found, description, where, units)
            except ModelError as error:
                problems += [p if p.where else replace(p, where=where) for p in error.problems]
                found[name] = Let(name, 1.0)  # others that follow from it say nothing
                continue
            if not let.formula and let.measures is None and name in measures:
                let = replace(let, value=let.value * units.factor(measures[name]), measures=measures[name])
            found[name] = let
        if ready is None:
            circle = " and ".join(f"'{name}'" for name in left)
            problems.append(Problem(f"{circle} follow from each other", f"{SECTION}.{next(iter(left))}", "give one"))
            return found | {name: Let(name, 1.0) for name in left}
    return found


def _needs(value: Any, given: Mapping[str, Any]) -> set[str]:
    try:
        return {name for name in names_in(value) if name in given} if isinstance(value, str) else set()
    except ModelError:
        return set()
