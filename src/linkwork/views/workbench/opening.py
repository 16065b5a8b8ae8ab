"""What a workbench is opened with. Nothing heavy is imported here: the page must be there at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.errors import ModelError, Problem
from linkwork.model.mechanism import Mechanism

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.results import Run


@dataclass(frozen=True)
class Opened:
    """What a workbench was opened with: a model, its text and folder, and perhaps a machine and a run of it.

    A text that is no model yet stands with an empty mechanism, to be mended on the page; `problems` say why.
    """

    mechanism: Mechanism
    text: str
    folder: Path | None = None
    machine: Machine | None = None
    run: Run | None = None
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, m: Mechanism, machine: Machine | None = None, run: Run | None = None) -> Opened:
        """From Python: with the text of its file, if the model still is what that says; else written anew."""
        from linkwork.files.read import loads
        from linkwork.files.write import dumps

        try:
            text = dumps(m)
            if m.import_report is not None:  # a robot's file is edited as a model file
                from linkwork.files.robots.surfaces import home_of_meshes

                return cls(m, text, home_of_meshes(m), machine, run)
            file = Path(m.source.name) if m.source is not None else None
            if file is not None and file.is_file():
                own = file.read_text(encoding="utf-8")
                if dumps(loads(own, folder=file.parent)) == text:
                    return cls(m, own, file.parent, machine, run)
        except ModelError as error:
            text = "".join(f"# This model cannot be written as text: {p}\n" for p in error.problems)
        return cls(m, text, None, machine, run)
