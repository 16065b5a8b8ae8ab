"""Other files of the folder, taken into a model file: bounded in depth, number and size, never outside the folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from linkwork.errors import Line, ModelError, Problem, did_you_mean
from linkwork.files.explain import short
from linkwork.files.schema import ModelFile
from linkwork.files.tree import MAX_BYTES, Keys, read_tree

SUFFIXES = (".yaml", ".yml", ".json")
DEEPEST, MOST = 8, 64
KEY = "include"
WHOLE = ("linkwork", "name", "description", "units", "gravity", "ground", "floating", "planar", KEY)
"""Keys of a file that are not taken over."""


@dataclass
class Includes:
    """Takes the files that a model file includes into its data.

    folder : of the model, out of which nothing is read; None where it was not read from a file
    lines : of the entries; those of other files are lines of these
    """

    folder: Path | None
    lines: dict[Keys, int]
    problems: list[Problem] = field(default_factory=list)
    _count: int = 0
    _bytes: int = 0

    def taken(self, data: dict[str, Any]) -> dict[str, Any]:
        """The data with the sections of all files that it includes."""
        if KEY not in data:
            return data
        merged = {key: dict(value) if isinstance(value, dict) else value for key, value in data.items()}
        self._take(data.get(KEY), data.get("units"), merged, Path(), (), self.lines)
        return merged

    def _take(
        self,
        given: Any,
        units: Any,
        merged: dict[str, Any],
        beside: Path,
        above: tuple[Path, ...],
        lines: Mapping[Keys, int],
    ) -> None:
        """Take what a file includes, whose lines these are."""
        names = [given] if isinstance(given, str) else given
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            self._wrong("names of files are wanted", KEY, "such as [parts/arm.yaml]", lines.get((KEY,)))
            return
        for i, name in enumerate(names):
            at = lines.get((KEY, i)) or lines.get((KEY,))
            try:
                self._file(name, units, merged, beside, above)
            except ModelError as error:
                for p in error.problems:
                    if p.line is None:
                        self._wrong(f"'{short(name)}': {p.what}", KEY, p.hint, at)
                    else:
                        self.problems.append(p)

    def _file(self, name: str, units: Any, merged: dict[str, Any], beside: Path, above: tuple[Path, ...]) -> None:
        if self.folder is None:
            raise ModelError(Problem("it cannot be looked for", hint="load the model from a file"))
        folder = self.folder.resolve()
        file = (folder / beside / name).resolve()
        if Path(name).is_absolute() or not file.is_relative_to(folder):
            raise ModelError(Problem("it is outside the folder of the model", hint="put it beside the model, or below"))
        if file.suffix.lower() not in SUFFIXES:
            raise ModelError(Problem("it is no model file", hint=f"name it with {', '.join(SUFFIXES)}"))
        if file in above:
            raise ModelError("it includes itself")
        self._count += 1
        if len(above) >= DEEPEST or self._count > MOST:
            raise ModelError(f"more than {DEEPEST} levels or {MOST} files are included")
        if not file.is_file():
            raise ModelError("there is no such file")
        with file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
        self._bytes += len(raw)
        if self._bytes > MAX_BYTES:
            raise ModelError(f"all files together have more than {MAX_BYTES / 1e6:.0f} MB")
        called = file.relative_to(folder).as_posix()
        try:
            tree = read_tree(raw, file.suffix.lower() == ".json")
        except ModelError as error:
            raise ModelError([_in_file(p, called) for p in error.problems]) from None
        if not isinstance(tree.data, dict):
            raise ModelError("it is no model file")
        self.problems += [_in_file(p, called) for p in tree.problems]
        own, lines = tree.data, {path: Line(line, called) for path, line in tree.lines.items()}
        if own.get("units", units) != units:
            hint = "give both the same header"
            line = lines.get(("units",))
            raise ModelError(Problem("its units are others than those of the model", "units", hint, line))
        self._merge(own, merged, lines)
        if KEY in own:
            self._take(own[KEY], units, merged, file.parent.relative_to(folder), (*above, file), lines)

    def _merge(self, own: dict[str, Any], merged: dict[str, Any], lines: Mapping[Keys, int]) -> None:
        taken = set[Keys]()
        for section, entries in own.items():
            if section not in ModelFile.model_fields:
                hint = did_you_mean(section, ModelFile.model_fields)
                self._wrong(f"unknown key '{short(section)}'", short(section), hint, lines.get((section,)))
                continue
            if section in WHOLE or entries is None:
                continue
            if not isinstance(entries, dict):
                what = f"'{short(section)}' has no names with entries"
                self._wrong(what, section, "write `name: {...}`", lines.get((section,)))
                continue
            known = merged.setdefault(section, {})
            if not isinstance(known, dict):
                continue
            for key, entry in entries.items():
                if key in known:
                    what = f"there are two entries named '{short(key)}'"
                    where = f"{section}.{short(key)}"
                    self._wrong(what, where, "give one another name", lines.get((section, key)))
                    continue
                known[key] = entry
                taken.add((section, key))
        for path, line in lines.items():
            if path[:2] in taken:
                self.lines[path] = line

    def _wrong(self, what: str, where: str, hint: str, line: int | None) -> None:
        self.problems.append(Problem(what, where, hint, line))


def _in_file(problem: Problem, file: str) -> Problem:
    """A problem of the text of an included file."""
    return problem if problem.line is None else replace(problem, line=Line(problem.line, file))
