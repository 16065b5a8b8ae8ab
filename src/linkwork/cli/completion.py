"""What the shell completes: files and examples, and names from the file that stands on the command line.

Names come from the text of the file as it is, without building the machine: a key must come at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import typer

ENDINGS = (".yaml", ".yml", ".json")
PLACES = ("points", "frames", "bodies")


def complete_file(incomplete: str) -> list[str]:
    """Model files and folders here, and the examples of the gallery."""
    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    try:
        there = [p for p in sorted(folder.iterdir()) if p.is_dir() or p.suffix.lower() in ENDINGS]
    except OSError:
        there = []
    found = [f"{p}/" if p.is_dir() else str(p) for p in there if not p.name.startswith(".")]
    return _beginning([*found, *(gallery_names() if "/" not in incomplete else ())], incomplete)


def complete_joints(ctx: typer.Context, incomplete: str) -> list[str]:
    """Joints, with the '=' that a value or a law follows."""
    return _beginning((f"{name}=" for name in _owners(ctx, "joints")), incomplete)


def complete_signals(ctx: typer.Context, incomplete: str) -> list[str]:
    """Joints and places, and what may be asked of each."""
    found: list[str] = []
    for name in _owners(ctx, "joints"):
        found += [name, f"{name}.rate", f"{name}.effort", f"{name}.force"]
    for name in _owners(ctx, *PLACES):
        found += [name, *(f"{name}.{part}" for part in ("x", "y", "z", "speed", "velocity", "acceleration"))]
    found += [*_owners(ctx, "loads"), *_owners(ctx, "states")]
    return _beginning(found, incomplete)


def complete_places(ctx: typer.Context, incomplete: str) -> list[str]:
    """Points, frames and bodies."""
    return _beginning(_owners(ctx, *PLACES), incomplete)


def complete_parameters(ctx: typer.Context, incomplete: str) -> list[str]:
    """Numbers of the model, with the '=' that a value follows."""
    found = [f"{name}=" for name in _owners(ctx, "let")]
    found += [f"{name}.mass=" for name in _owners(ctx, "bodies")]
    for load, own in _table(ctx, "loads").items():
        numbers = own.items() if isinstance(own, dict) else ()
        found += [f"{load}.{key}=" for key, value in numbers if _is_number(value)]
    return _beginning(found, incomplete)


def complete_cases(ctx: typer.Context, incomplete: str) -> list[str]:
    """Cases of the model."""
    return _beginning(_owners(ctx, "cases"), incomplete)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, str)) and str(value)[:1] in "0123456789+-."


def _owners(ctx: typer.Context, *kinds: str) -> Iterator[str]:
    for kind in kinds:
        yield from (str(name) for name in _table(ctx, kind))


def _table(ctx: typer.Context, kind: str) -> dict[str, Any]:
    """One table of the file that was named; empty where it cannot be read."""
    given = ctx.params.get("file")
    file = given[0] if isinstance(given, (list, tuple)) and given else given or _typed_file()
    if not file:
        return {}
    try:
        own = _read(str(file)).get(kind)
    except Exception:  # noqa: BLE001 a key that completes nothing is better than a traceback in a prompt
        return {}
    return own if isinstance(own, dict) else {}


def _typed_file() -> str:
    """The file among the words as they were typed: an option that still wants its value hides what comes before it."""
    words = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    parts = words.replace("\n", " ").split()[2:]
    examples = set(gallery_names())
    return next((w for w in parts if not w.startswith("-") and (Path(w).is_file() or w in examples)), "")


def gallery_names() -> list[str]:
    """Names of the examples."""
    from linkwork.files.gallery import names

    return names()


def _read(file: str) -> dict[str, Any]:
    import yaml

    from linkwork.files.gallery import example_text

    path = Path(file)
    text = path.read_text(encoding="utf-8") if path.is_file() else example_text(file)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = yaml.load(text, Loader=loader)
    return found if isinstance(found, dict) else {}


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]
