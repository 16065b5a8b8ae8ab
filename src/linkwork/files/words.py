"""Small words that all writers of model files share."""

from __future__ import annotations

from typing import Any

from linkwork.model.dimensions import Following
from linkwork.model.vectors import AXIS_NAMES, Vector


def pruned(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry without the keys that have nothing to say."""
    return {k: v for k, v in entry.items() if v is not None and v != ""}


def direction_words(v: Vector) -> str | list[float]:
    """A direction by the name of its axis, or as three numbers; minus zero is kept."""
    name = None if any(type(c) is Following for c in v) else AXIS_NAMES.get(v)
    return list(v) if name is None or "-0.0" in map(repr, v) else name
