"""YAML and JSON as plain data with line numbers, and nothing else: no tags, no objects, bounded size and depth.

The parser's events are turned into dicts, lists and scalars without recursion. Scalars follow YAML 1.2 (`on` and
`yes` are words, not booleans); names of mappings are always text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from linkwork.errors import ModelError, Problem

MAX_BYTES = 8_000_000
MAX_DEPTH = 24
MAX_NODES = 1_000_000
MAX_PROBLEMS = 100

Path = tuple[str | int, ...]

INTEGER = re.compile(r"[-+]?[0-9]+")
FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False}
_LIMITS = {".inf": float("inf"), "+.inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan")}

# libyaml reads thirty times faster; the pure parser stands in where it is not built.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass
class Tree:
    """Plain data, the line (1-based) of every entry by its path, and what was wrong with the text."""

    data: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def read_tree(raw: bytes, is_json: bool = False) -> Tree:
    """Plain data of a YAML or JSON text; raises ModelError when the text cannot be read at all."""
    if len(raw) > MAX_BYTES:
        raise ModelError(f"the file has {len(raw) / 1e6:.1f} MB; at most {MAX_BYTES / 1e6:.0f} MB are read")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        hint = "save it as UTF-8"
        raise ModelError(Problem(f"byte {error.start} is not UTF-8 text", hint=hint, line=line)) from None
    if is_json:
        return _read_json(text)
    return _read_yaml(text)


def _read_yaml(text: str) -> Tree:
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except ModelError as error:
        raise ModelError([*builder.tree.problems, *error.problems]) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(filter(None, (error.context, error.problem)))
        line = mark.line + 1 if mark is not None else None
        raise ModelError([*builder.tree.problems, Problem(f"this is not YAML: {what}", line=line)]) from None
    except (yaml.YAMLError, ValueError) as error:
        raise ModelError(Problem(f"this is not YAML: {str(error)[:200]}")) from None
    return builder.tree


def _read_json(text: str) -> Tree:
    tree = Tree()

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in items:
            if key in result:
                tree.problems.append(Problem(f"there are two entries named '{key[:80]}'", hint="give one another name"))
            result[key] = value
        return result

    try:
        tree.data = json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise ModelError(Problem(f"this is not JSON: {error.msg}", line=error.lineno)) from None
    except RecursionError:
        raise ModelError(f"it is nested more than {MAX_DEPTH} deep") from None
    except ValueError as error:  # whole numbers of thousands of digits
        raise ModelError(f"this is not JSON: {str(error)[:200]}") from None
    _assert_bounded(tree.data)
    try:  # JSON is YAML, which tells the lines; a text that only JSON allows has none
        tree.lines = _read_yaml(text).lines
    except ModelError:
        tree.lines = {}
    return tree


def _assert_bounded(data: Any) -> None:
    level, depth, count = [data], 0, 0
    while level:
        count += len(level)
        if depth > MAX_DEPTH:
            raise ModelError(f"it is nested more than {MAX_DEPTH} deep")
        if count > MAX_NODES:
            raise ModelError(f"it has more than {MAX_NODES} entries")
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        level, depth = below, depth + 1


@dataclass
class _Open:
    """A mapping or list that is being filled."""

    value: dict[str, Any] | list[Any]
    path: Path
    anchor: str | None
    key: str | None = None
    awaits_key: bool = True


class _Builder:
    """Turns parser events into data. Aliases are copied, and every copy counts as new entries."""

    def __init__(self) -> None:
        self.tree = Tree()
        self._open: list[_Open] = []
        self._anchors: dict[str, Any] = {}
        self._count = 0
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise ModelError(Problem("there is more than one document", line=line, hint="one model a file"))
        elif isinstance(event, yaml.ScalarEvent):
            self._tagged(event, line)
            text = str(event.value)
            if self._wants_key():
                self._key(text, line)
            else:
                value = _scalar(text) if event.implicit[0] else text
                self._remember(event.anchor, value)
                self._put(value, line)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._tagged(event, line)
            self._begin({} if isinstance(event, yaml.MappingStartEvent) else [], event.anchor, line)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            closed = self._open.pop()
            self._remember(closed.anchor, closed.value)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(str(event.anchor), line)

    def _tagged(self, event: Any, line: int) -> None:
        if event.tag is not None and event.tag != "!":
            hint = "leave it out; model files are plain data"
            raise ModelError(Problem(f"the YAML tag '{event.tag[:60]}' is not accepted", line=line, hint=hint))

    def _wants_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].value, dict) and self._open[-1].awaits_key

    def _key(self, key: str, line: int) -> None:
        top = self._open[-1]
        assert isinstance(top.value, dict)
        top.key, top.awaits_key = key, False
        if key in top.value:
            first = self.tree.lines.get((*top.path, key))
            where = ".".join(map(str, top.path))
            text = f"there are two entries named '{key[:80]}' (the first in line {first})"
            self._complain(Problem(text, where, "give one another name", line))
        else:
            self.tree.lines[(*top.path, key)] = line

    def _put(self, value: Any, line: int) -> None:
        self._count += 1
        if self._count > MAX_NODES:
            raise ModelError(Problem(f"it has more than {MAX_NODES} entries", line=line))
        if not self._open:
            self.tree.data = value
            return
        top = self._open[-1]
        if isinstance(top.value, dict):
            assert top.key is not None
            top.value.setdefault(top.key, value)
            top.awaits_key = True
        else:
            self.tree.lines[(*top.path, len(top.value))] = line
            top.value.append(value)

    def _begin(self, value: dict[str, Any] | list[Any], anchor: str | None, line: int) -> None:
        if self._wants_key():
            raise ModelError(Problem("a name must be plain text, not a list or mapping", line=line))
        if len(self._open) >= MAX_DEPTH:
            raise ModelError(Problem(f"it is nested more than {MAX_DEPTH} deep", line=line))
        top = self._open[-1] if self._open else None
        if top is None:
            path: Path = ()
        else:
            path = (*top.path, top.key if isinstance(top.value, dict) and top.key is not None else len(top.value))
        self._put(value, line)
        self._open.append(_Open(value, path, anchor))

    def _remember(self, anchor: str | None, value: Any) -> None:
        if anchor is not None:
            self._anchors[anchor] = value

    def _alias(self, anchor: str, line: int) -> None:
        if anchor not in self._anchors:
            raise ModelError(Problem(f"the alias '*{anchor[:60]}' has no anchor before it", line=line))
        if self._wants_key():
            raise ModelError(Problem("a name must be plain text, not an alias", line=line))
        self._put(self._copy(self._anchors[anchor], line, len(self._open)), line)

    def _copy(self, value: Any, line: int, depth: int) -> Any:
        """A deep copy whose entries are counted, so that aliases of aliases cannot explode."""
        self._count += 1
        if self._count > MAX_NODES:
            raise ModelError(Problem(f"aliases unfold to more than {MAX_NODES} entries", line=line))
        if depth > MAX_DEPTH:
            raise ModelError(Problem(f"it is nested more than {MAX_DEPTH} deep", line=line))
        if isinstance(value, dict):
            return {k: self._copy(v, line, depth + 1) for k, v in value.items()}
        if isinstance(value, list):
            return [self._copy(v, line, depth + 1) for v in value]
        return value

    def _complain(self, problem: Problem) -> None:
        if len(self.tree.problems) < MAX_PROBLEMS:
            self.tree.problems.append(problem)


def _scalar(text: str) -> Any:
    """A plain scalar by the YAML 1.2 core rules (decimal numbers only)."""
    if INTEGER.fullmatch(text):
        return int(text) if len(text) <= 18 else float(text)
    if FLOAT.fullmatch(text):
        return float(text)
    lowered = text.lower()
    if lowered in _LIMITS:
        return _LIMITS[lowered]
    return _WORDS.get(lowered, text)
