"""Other files of the folder, taken into a model file: bounded in depth, number and size, never outside the folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linkwork.errors import ModelError, Problem
from linkwork.files.explain import short
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
    lines : of the entries; those of other files have the line where they are included
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
        self._take(data.get(KEY), data.get("units"), merged, Path(), (), None)
        return merged

    def _take(
        self, given: Any, units: Any, merged: dict[str, Any], beside: Path, above: tuple[Path, ...], line: int | None
    ) -> None:
        names = [given] if isinstance(given, str) else given
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            self._wrong("names of files are wanted", KEY, "such as [parts/arm.yaml]", line)
            return
        for i, name in enumerate(names):
            at = line or self.lines.get((KEY, i)) or self.lines.get((KEY,))
            try:
                self._file(name, units, merged, beside, above, at)
            except ModelError as error:
                for p in error.problems:
                    inner = "" if p.line is None else f"line {p.line} of "
                    self._wrong(f"{inner}'{short(name)}': {p.what}", KEY, p.hint, at)

    def _file(
        self, name: str, units: Any, merged: dict[str, Any], beside: Path, above: tuple[Path, ...], line: int | None
    ) -> None:
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
        tree = read_tree(raw, file.suffix.lower() == ".json")
        if tree.problems:
            raise ModelError(tree.problems)
        if not isinstance(tree.data, dict):
            raise ModelError("it is no model file")
        own = tree.data
        if own.get("units", units) != units:
            raise ModelError(Problem("its units are others than those of the model", hint="give both the same header"))
        self._merge(own, merged, name, line)
        if KEY in own:
            self._take(own[KEY], units, merged, file.parent.relative_to(folder), (*above, file), line)

    def _merge(self, own: dict[str, Any], merged: dict[str, Any], name: str, line: int | None) -> None:
        for section, entries in own.items():
            if section in WHOLE or entries is None:
                continue
            if not isinstance(entries, dict):
                raise ModelError(Problem(f"'{short(section)}' has no names with entries"))
            known = merged.setdefault(section, {})
            if not isinstance(known, dict):
                continue
            for key, entry in entries.items():
                if key in known:
                    what = f"'{short(name)}': there are two entries named '{short(key)}'"
                    self._wrong(what, f"{section}.{short(key)}", "give one another name", line)
                    continue
                known[key] = entry
                if line is not None:
                    self.lines.setdefault((section, key), line)

    def _wrong(self, what: str, where: str, hint: str, line: int | None) -> None:
        self.problems.append(Problem(what, where, hint, line))
