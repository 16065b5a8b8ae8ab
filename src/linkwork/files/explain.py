"""What is wrong with an entry, in words that its writer knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from linkwork.errors import ModelError, Problem, did_you_mean


def explained(error: Any, kind: type[BaseModel], where: str) -> Problem:
    """One of pydantic's findings in our words."""
    location = [*error["loc"]]
    place = _place(where, location)
    what, given, context = error["type"], error.get("input"), error.get("ctx", {})
    if what == "extra_forbidden":
        allowed = keys_of(_model_at(kind, location[:-1]))
        word = "in" if location[-1] == "within" else str(location[-1])  # as Python has it
        return Problem(f"unknown key '{short(location[-1])}'", place, did_you_mean(word, allowed))
    if what == "missing":
        around = _place(where, location[:-1])
        if isinstance(location[-1], int):
            seen = len(given) if isinstance(given, list) else 0
            return Problem(f"{_size_at(kind, location[:-1])} are wanted, {seen} {_are(seen)} given", around)
        return Problem(f"'{location[-1]}' is missing", around)
    if what == "value_error" and isinstance(context["error"], ModelError):
        first = context["error"].problems[0]
        return Problem(first.what, place, first.hint)
    if what in ("too_long", "too_short"):
        limit = context.get("max_length", context.get("min_length"))
        seen = context["actual_length"]
        return Problem(f"{limit} are wanted, {seen} {_are(seen)} given", place)
    if what == "literal_error":
        return Problem(f"'{short(given)}' is not known here", place, f"write {context['expected']}")
    kinds: dict[str, tuple[str, type]] = {
        "tuple_type": ("a list", list),
        "list_type": ("a list", list),
        "bool_type": ("true or false", bool),
        "int_type": ("a whole number", int),
        "string_type": ("text", str),
    }
    if what == "model_type":
        keys = ", ".join(keys_of(_model_at(kind, location))[:6])
        return Problem(f"{short(given)} is not an entry", place, f"write {{...}} with keys such as {keys}")
    wanted, python = kinds.get(what, ("accepted here", object))
    return Problem(f"{short(given)} is not {wanted}", place, in_quotes(given, python))


def keys_of(kind: type[BaseModel]) -> list[str]:
    return [f.alias or name for name, f in kind.model_fields.items()]


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _size_at(kind: type[BaseModel], location: list[Any]) -> str:
    """How many numbers or names stand in the list at a location, in words."""

    def size(annotation: Any) -> int:
        parts = [part for part in get_args(annotation) if part is not Ellipsis]
        return len(parts) if get_origin(annotation) is tuple else max(map(size, parts), default=0)

    holder = _model_at(kind, location[:-1])
    fields = [f for name, f in holder.model_fields.items() if location and location[-1] in (name, f.alias)]
    return str(size(fields[0].annotation) or "more") if fields else "more"


def _model_at(kind: type[BaseModel], location: list[Any]) -> type[BaseModel]:
    """The entry class that a location inside `kind` leads to."""

    def models(annotation: Any) -> Iterator[type[BaseModel]]:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield annotation
        for part in get_args(annotation):
            yield from models(part)

    for key in location:
        for name, field in kind.model_fields.items():
            if key in (name, field.alias):
                kind = next(models(field.annotation), kind)
                break
    return kind


def _place(where: str, location: list[Any]) -> str:
    return where + "".join(f"[{k}]" if isinstance(k, int) else f".{short(k)}" for k in location)


def blanks(value: Any, where: str) -> Iterator[Problem]:
    """Keys that have nothing behind them, and formulas that were cut up into such."""
    if isinstance(value, dict):
        torn = torn_formulas(value)
        pieces = {piece for own in torn.values() for piece in own}
        for key, inner in value.items():
            if key in torn:
                whole = ", ".join([str(inner), *map(str, torn[key])])
                text = f"the formula breaks off at its comma: '{short(inner)}'"
                hint = f'put a formula with commas in quotes: {short(key)}: "{short(whole)}"'
                yield Problem(text, f"{where}.{short(key)}", hint)
            elif key in pieces:
                continue
            elif inner is None:
                yield Problem(f"'{short(key)}' has no value", f"{where}.{short(key)}", _blank_hint(str(key)))
            else:
                yield from blanks(inner, f"{where}.{short(key)}")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            if isinstance(inner, dict | list):
                yield from blanks(inner, f"{where}[{i}]")


def torn_formulas(entry: dict[Any, Any]) -> dict[Any, list[Any]]:
    """By key, what was cut off its formula: `{amount: max(A, 0)}` without quotes is `amount: max(A` and `0)`, blank."""
    found: dict[Any, list[Any]] = {}
    last, open_ = None, 0
    for key, inner in entry.items():
        if inner is None and open_ > 0:
            found.setdefault(last, []).append(key)
            open_ += _opened(str(key))
        else:
            last, open_ = key, _opened(inner) if isinstance(inner, str) else 0
    return found


def _opened(text: str) -> int:
    """Brackets that are opened and not closed."""
    return text.count("(") - text.count(")")


def _blank_hint(key: str) -> str:
    if key[:1].isdigit():
        return "a decimal comma? write a point"
    word, _, rest = key.partition(" ")
    return f"did you mean `{word}: {short(rest)}`?" if rest else f"write `{short(key)}: ...` or leave it out"


def in_quotes(given: Any, wanted: type) -> str:
    is_scalar = isinstance(given, bool | int | float)
    return "put it in quotes" if wanted is str and is_scalar else ""


def short(value: Any) -> str:
    """A value as the file has it, cut to a length for messages."""
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an entry {...}"
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
