"""Robots of the package `robot_descriptions`, where they are on disk already: nothing is fetched."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
from pathlib import Path

from linkwork.errors import ModelError, Problem, did_you_mean

PREFIX = "robot_descriptions:"
WANTED = ("URDF_PATH", "MJCF_PATH")


def path_of_description(name: str) -> Path:
    """The file of a robot of that package; ModelError where it is not there.

    Its modules fetch when they are imported, so they are read as text: where the repository is, and the file in it.
    """
    source = f"{PREFIX}{name[:80]}"
    spec = importlib.util.find_spec("robot_descriptions")
    if spec is None or not spec.submodule_search_locations:
        missing = Problem("the package robot_descriptions is not installed", hint="pip install robot_descriptions")
        raise ModelError(missing, source)
    home = Path(next(iter(spec.submodule_search_locations)))
    module = home / f"{name}.py"
    if not re.fullmatch(r"\w+", name) or not module.is_file():
        known = sorted(p.stem for p in home.glob("*_description.py"))
        raise ModelError(Problem(f"there is no robot '{name[:80]}' in it", hint=did_you_mean(name, known)), source)
    values = _strings(module, _repositories(home / "_repositories.py"))
    repository = Path(values.get("REPOSITORY_PATH", ""))
    found = next((Path(values[key]) for key in WANTED if key in values), None)
    hint = f"import robot_descriptions.{name} once, which fetches it"
    if found is None:
        raise ModelError(Problem("where its file is cannot be told", hint="give the path of the file itself"), source)
    if not found.is_file() or not found.resolve().is_relative_to(repository.resolve()):
        raise ModelError(Problem("it is not on disk", hint=hint), source)
    return found


def _repositories(module: Path) -> dict[str, str]:
    """The folder of each repository in the cache: what `REPOSITORIES` tells as `cache_path`."""
    found: dict[str, str] = {}
    text = module.read_text(encoding="utf-8") if module.is_file() else ""
    for table in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Dict)):
        for key, value in zip(table.keys, table.values, strict=True):
            paths = [w.value for w in value.keywords if w.arg == "cache_path"] if isinstance(value, ast.Call) else []
            if isinstance(key, ast.Constant) and paths and isinstance(paths[0], ast.Constant):
                found[str(key.value)] = str(paths[0].value)
    return found


def _strings(module: Path, repositories: dict[str, str]) -> dict[str, str]:
    """Paths that a module sets at its top: joined from texts, from each other, and from the name of a repository."""
    found: dict[str, str] = {}
    for line in ast.parse(module.read_text(encoding="utf-8")).body:
        target = line.targets[0] if isinstance(line, ast.Assign) else getattr(line, "target", None)
        value = getattr(line, "value", None)
        if (
            isinstance(target, ast.Name)
            and value is not None
            and (text := _text(value, found, repositories)) is not None
        ):
            found[target.id] = text
    return found


def _text(value: ast.expr, known: dict[str, str], repositories: dict[str, str]) -> str | None:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    if isinstance(value, ast.Name):
        return known.get(value.id)
    if not isinstance(value, ast.Call):
        return None
    called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    if called == "join":
        parts = [_text(own, known, repositories) for own in value.args]
        return None if None in parts else str(Path(*[part for part in parts if part is not None]))
    if "clone_to_cache" in called and value.args:
        folder = repositories.get(_text(value.args[0], known, repositories) or "")
        return None if folder is None else str(_cache() / folder)
    return None


def _cache() -> Path:
    given = os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")
    return Path(given).expanduser()
