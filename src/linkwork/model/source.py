"""Where a model was read from, so that problems can tell the line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from linkwork.errors import Problem
from linkwork.model.import_report import ImportReport
from linkwork.units import SI, UnitSystem


@dataclass(frozen=True)
class Source:
    """A model file: its name, the line (1-based) of every entry by its path, and the units it is written in."""

    name: str
    lines: dict[tuple[str | int, ...], int] = field(default_factory=dict)
    units: UnitSystem = SI
    notes: tuple[Problem, ...] = ()
    """What was read as something else than it says."""
    imported: ImportReport | None = None
    """What became of a file of another program."""

    def locate(self, problem: Problem) -> Problem:
        """The problem with the line of the entry that it names, or of the nearest entry around it."""
        if problem.line is not None:
            return problem
        path = path_of(problem.where)
        while path:
            if path in self.lines:
                return replace(problem, line=self.lines[path])
            path = path[:-1]
        return problem


def path_of(where: str) -> tuple[str | int, ...]:
    """The path behind text such as `joints.A.axes[1]`."""
    return tuple(int(index) if index else name for index, name in re.findall(r"\[(\d+)\]|([^.\[\]]+)", where))
