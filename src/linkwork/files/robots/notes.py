"""What is wrong with a file, and what became of each of its parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from linkwork.errors import Line, ModelError, Problem
from linkwork.files.robots.xml import Element
from linkwork.files.tree import MAX_PROBLEMS
from linkwork.model.import_report import FATES, Fate, Finding, ImportReport


@dataclass
class Notes:
    """Collects problems and findings while a file is read.

    file : what it is called in messages; folder : where it lies; folders : those in which packages are looked for
    """

    file: str
    folder: Path | None = None
    folders: tuple[Path, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    _said: dict[tuple[Fate, str], list[tuple[str, int]]] = field(default_factory=dict)

    def wrong(self, what: str, at: Element | None = None, where: str = "", hint: str = "") -> None:
        """Something that makes the file unusable."""
        self.problems.append(Problem(what, where, hint, None if at is None else Line(at.line, at.file)))

    def say(self, fate: Fate, what: str, name: str = "", at: Element | None = None) -> None:
        """What became of a part; equal ones are told together."""
        self._said.setdefault((fate, what), []).append((name, 0 if at is None else at.line))

    def tell(self) -> None:
        """ModelError with every problem, if there is one."""
        if self.problems:
            unique = sorted(dict.fromkeys(self.problems), key=lambda p: p.line or 0)
            more = [Problem(f"and {len(unique) - MAX_PROBLEMS} more")] if len(unique) > MAX_PROBLEMS else []
            raise ModelError([*unique[:MAX_PROBLEMS], *more], self.file)

    def report(self, kind: str) -> ImportReport:
        """What became of everything, by fate."""
        found = [
            Finding(fate, what, tuple(name for name, _ in parts), tuple(line for _, line in parts if line))
            for (fate, what), parts in self._said.items()
        ]
        return ImportReport(self.file, kind, tuple(sorted(found, key=lambda f: FATES.index(f.fate))))

    def unused(self, roots: Iterable[Element]) -> None:
        """Every element that nobody looked at, and every attribute that nobody asked for, is lost and told."""
        lost: dict[str, dict[str, int]] = {}
        for root in roots:
            stack = list(reversed(root.children))
            while stack:
                own = stack.pop()
                if not own.used:
                    self.say("lost", f"<{own.tag}> is not used", own.attributes.get("name", ""), own)
                    continue
                for name in own.attributes:
                    if name not in own.asked:
                        lost.setdefault(own.tag, {}).setdefault(name, own.line)
                stack.extend(reversed(own.children))
        for tag, names in lost.items():
            what = f"attributes of <{tag}> that are not used"
            for name, line in names.items():
                self._said.setdefault(("lost", what), []).append((name, line))
