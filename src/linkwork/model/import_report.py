"""What became of a file of another program: kept, converted, approximated, lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Fate = Literal["kept", "converted", "approximated", "lost"]
FATES: tuple[Fate, ...] = ("kept", "converted", "approximated", "lost")
MEANINGS: dict[Fate, str] = {
    "kept": "as it was said",
    "converted": "said otherwise, with the same meaning",
    "approximated": "close to what was said",
    "lost": "not in the model",
}
SHOWN = 6
"""Names, and lines, that a text lists of each finding."""


@dataclass(frozen=True)
class Finding:
    """One thing that became of the file's parts `names`, which stand in `lines` of it."""

    fate: Fate
    what: str
    names: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    def __str__(self) -> str:
        count = max(len(self.names), len(self.lines))
        named = list(dict.fromkeys(name for name in self.names if name))
        listed = ", ".join(named[:SHOWN]) + (", ..." if len(named) > SHOWN else "")
        lines = sorted(set(self.lines))
        places = ", ".join(map(str, lines[:SHOWN])) + (", ..." if len(lines) > SHOWN else "")
        where = f"line{'s' * (len(lines) > 1)} {places}" if lines else ""
        many = f"{count} in all" if count > SHOWN else ""
        about = "; ".join(filter(None, (many, where)))
        return self.what + (f": {listed}" if listed else "") + (f" ({about})" if about else "")


@dataclass(frozen=True)
class ImportReport:
    """What became of a file of another program.

    file : its name; kind : "URDF", "MJCF", "SDF", or "D-H table"
    findings : one `Finding` a thing, by its fate
    bodies, joints : what links and joints of the file are called in the mechanism, by their names in the file
    """

    file: str
    kind: str
    findings: tuple[Finding, ...] = ()
    bodies: Mapping[str, str] = field(default_factory=dict, repr=False)
    joints: Mapping[str, str] = field(default_factory=dict, repr=False)

    def of(self, fate: Fate) -> tuple[Finding, ...]:
        """The findings of one fate.

        Parameters
        ----------
        fate : "kept", "converted", "approximated" or "lost"
        """
        return tuple(found for found in self.findings if found.fate == fate)

    @property
    def lost(self) -> tuple[Finding, ...]:
        """What is not in the model."""
        return self.of("lost")

    def with_findings(self, more: Iterable[Finding]) -> ImportReport:
        """The same report and what was found later.

        Parameters
        ----------
        more : findings to add
        """
        return replace(self, findings=(*self.findings, *more))

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data, for JSON."""
        parts: dict[str, Any] = {
            fate: [{"what": f.what, "names": list(f.names), "lines": list(f.lines)} for f in self.of(fate)]
            for fate in FATES
        }
        return {"file": self.file, "kind": self.kind, **parts}

    def __str__(self) -> str:
        text = [f"{self.file}: {self.kind}"]
        for fate in FATES:
            if found := self.of(fate):
                text += [f"  {fate}, {MEANINGS[fate]}", *(f"    {finding}" for finding in found)]
        return "\n".join(text)
