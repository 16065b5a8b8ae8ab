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

Keys = tuple[str | int, ...]  # the way to an entry: names, and indices of lists

INTEGER = re.compile(r"[-+]?[0-9]+")
FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_PADDED = re.compile(r"0[0-9]+")  # 007 is a name, or a number that is read from its text
_INFINITY = float("inf")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), _INFINITY),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -_INFINITY),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}

_JSON_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]+')
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")

# libyaml reads thirty times faster; the pure parser stands in where it is not built.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass
class Tree:
    """Plain data, the line (1-based) of every entry by its path, and what was wrong with the text."""

    data: Any = None
    lines: dict[Keys, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def complain_of_two(self, path: Keys, line: int) -> None:
        """A name that is there for the second time."""
        if len(self.problems) < MAX_PROBLEMS:
            text = f"there are two entries named '{str(path[-1])[:80]}' (the first in line {self.lines.get(path)})"
            where = ".".join(map(str, path[:-1]))
            self.problems.append(Problem(text, where, "give one another name", line))


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
    except (yaml.YAMLError, ValueError) as error:
        raise ModelError([*builder.tree.problems, _not_yaml(error, text)]) from None
    return builder.tree


def _not_yaml(error: Exception, text: str) -> Problem:
    """Where the parser stumbled, and over what."""
    found = _UNPRINTABLE.search(text)
    if found is not None:
        what = f"the character U+{ord(found[0]):04X} is not text"
        return Problem(what, hint="save it as UTF-8 text", line=text.count("\n", 0, found.start()) + 1)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if not isinstance(error, yaml.MarkedYAMLError) or mark is None:
        return Problem(f"this is not YAML: {str(error)[:200]}")
    what = " ".join(filter(None, (error.context, error.problem)))
    lines = re.split("\r\n|[\r\n\x85\u2028\u2029]", text)  # as the parser counts them
    has_tab = "\t" in lines[mark.line] if mark.line < len(lines) else False
    hint = "indent with blanks, not with tabs" if has_tab else ""
    if not hint and "block" in what:
        hint = "entries of one level begin in the same column; look at the indentation here and above"
    return Problem(f"this is not YAML: {what}", hint=hint, line=mark.line + 1)


def _read_json(text: str) -> Tree:
    try:
        tree = Tree(json.loads(text, object_pairs_hook=_first_of_each))
    except json.JSONDecodeError as error:
        raise ModelError(Problem(f"this is not JSON: {error.msg}", line=error.lineno)) from None
    except RecursionError:  # JSON is YAML, whose reader tells the line where it gets too deep
        return _read_yaml(text)
    except ValueError as error:  # whole numbers of thousands of digits
        raise ModelError(f"this is not JSON: {str(error)[:200]}") from None
    _find_json_lines(text, tree)
    return tree


def _first_of_each(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(reversed(items)) if len(items) != len(dict(items)) else dict(items)


def _find_json_lines(text: str, tree: Tree) -> None:
    """Lines of the entries of a JSON text that is known to be well formed, and its bounds."""
    line, end, count = 1, 0, 0
    path: list[str | int] = []  # of the entry that is being read
    names: list[set[str] | None] = []  # of every open mapping; None for a list
    awaits_name = False
    for token in _JSON_TOKEN.finditer(text):
        line += text.count("\n", end, token.start())
        end, sign = token.start(), token[0]
        if "\\u" in sign and _SURROGATE.search(json.loads(sign)):
            raise ModelError(Problem("a text has half of a surrogate pair (\\ud800 to \\udfff)", line=line))
        if sign == ":":
            continue
        if sign == ",":
            last = path[-1]
            awaits_name = not isinstance(last, int)
            path[-1] = last + 1 if isinstance(last, int) else last
        elif sign in "]}":
            path.pop()
            names.pop()
            awaits_name = False
        elif awaits_name:
            path[-1], awaits_name = json.loads(sign), False
            known = names[-1]
            assert known is not None
            if path[-1] in known:
                tree.complain_of_two(tuple(path), line)
            known.add(str(path[-1]))
            tree.lines.setdefault(tuple(path), line)
        else:
            count += 1
            if names and names[-1] is None:
                tree.lines.setdefault(tuple(path), line)
            if sign in "[{":
                path.append(0 if sign == "[" else "")
                names.append(None if sign == "[" else set())
                awaits_name = sign == "{"
            _assert_bounded(len(names), count, line)


def _assert_bounded(depth: int, count: int, line: int) -> None:
    if depth > MAX_DEPTH:
        raise ModelError(Problem(f"it is nested more than {MAX_DEPTH} deep", line=line))
    if count > MAX_NODES:
        raise ModelError(Problem(f"it has more than {MAX_NODES} entries", line=line))


@dataclass
class _Open:
    """A mapping or list that is being filled."""

    value: dict[str, Any] | list[Any]
    path: Keys
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
        mark = event.start_mark
        line = 1 if mark is None else mark.line + 1
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
        path = (*top.path, key)
        if key in top.value:
            self.tree.complain_of_two(path, line)
        self.tree.lines.setdefault(path, line)

    def _put(self, value: Any, line: int) -> None:
        self._count += 1
        _assert_bounded(len(self._open), self._count, line)
        if not self._open:
            self.tree.data = value
            return
        top = self._open[-1]
        if isinstance(top.value, dict):
            assert top.key is not None
            top.value.setdefault(top.key, value)
            top.awaits_key = True
        else:
            self.tree.lines.setdefault((*top.path, len(top.value)), line)
            top.value.append(value)

    def _begin(self, value: dict[str, Any] | list[Any], anchor: str | None, line: int) -> None:
        if self._wants_key():
            raise ModelError(Problem("a name must be plain text, not a list or mapping", line=line))
        _assert_bounded(len(self._open) + 1, self._count, line)
        top = self._open[-1] if self._open else None
        if top is None:
            path: Keys = ()
        else:
            path = (*top.path, top.key if isinstance(top.value, dict) and top.key is not None else len(top.value))
        self._put(value, line)
        self._open.append(_Open(value, path, anchor))

    def _remember(self, anchor: str | None, value: Any) -> None:
        if anchor is not None:
            self._anchors[anchor] = value

    def _alias(self, anchor: str, line: int) -> None:
        if anchor not in self._anchors:
            text = f"the alias '*{anchor[:60]}' has no anchor before it"
            raise ModelError(Problem(text, line=line, hint="it stands below its anchor, not within it"))
        if self._wants_key():
            raise ModelError(Problem("a name must be plain text, not an alias", line=line))
        self._put(self._copy(self._anchors[anchor], line, len(self._open)), line)

    def _copy(self, value: Any, line: int, depth: int) -> Any:
        """A deep copy whose entries are counted, so that aliases of aliases cannot explode."""
        self._count += 1
        _assert_bounded(depth, self._count, line)
        if isinstance(value, dict):
            return {k: self._copy(v, line, depth + 1) for k, v in value.items()}
        if isinstance(value, list):
            return [self._copy(v, line, depth + 1) for v in value]
        return value


def _scalar(text: str) -> Any:
    """A plain scalar by the YAML 1.2 core rules (decimal numbers only)."""
    if INTEGER.fullmatch(text):
        if _PADDED.fullmatch(text):
            return text
        return int(text) if len(text) <= 64 else float(text)
    return float(text) if FLOAT.fullmatch(text) else _WORDS.get(text, text)
