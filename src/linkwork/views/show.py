"""`.view()`: the workbench for scripts and terminals, a live frame or a page of its own in notebooks."""

from __future__ import annotations

import html
import sys
from typing import Unpack

from linkwork.analyses.machine import Machine
from linkwork.notebooks import in_notebook
from linkwork.results import Run
from linkwork.results.view_options import ViewOptions
from linkwork.system import System
from linkwork.views.placed_layout import machine_of
from linkwork.views.workbench.opening import Opened
from linkwork.views.workbench.server import Workbench

HEIGHT = 560


def view_system(s: System, **options: Unpack[ViewOptions]) -> Workbench:
    """Open the workbench with a machine, or with a system, which is assembled there."""
    machine = s if isinstance(s, Machine) else s.mechanism.assemble().with_parameters(s._overrides)
    return _opened(Opened.of(s.mechanism, machine), options)


def view_run(run: Run, machine: Machine | None = None, **options: Unpack[ViewOptions]) -> Workbench:
    """Open the workbench with a run on its play bar."""
    s = machine_of(run, machine, "run.view(machine)")
    return _opened(Opened.of(s.mechanism, s, run), options)


class NotebookWorkbench(Workbench):
    """A workbench that shows itself below the cell of a notebook."""

    def _repr_html_(self) -> str:
        frame = f'<iframe src="{html.escape(self.url)}" width="100%" height="{HEIGHT}" style="border:none"></iframe>'
        return f"<div>{frame}</div>"


def _opened(opened: Opened, options: ViewOptions) -> Workbench:
    unknown = set(options) - set(ViewOptions.__annotations__)
    if unknown:
        hint = f"there is: {', '.join(ViewOptions.__annotations__)}"
        raise TypeError(f"view() has no option '{', '.join(sorted(unknown))}'; {hint}")
    known = {k: v for k, v in options.items() if k in ("port", "host", "dark")}
    notebook = in_notebook()
    bench = (NotebookWorkbench if notebook else Workbench)(opened, **known)  # type: ignore[arg-type]
    if not notebook and options.get("browser", True) and not bench.open_browser():
        print(f"open {bench.url} in a browser", file=sys.stderr)
    if options.get("wait", not notebook and not _interactive()):
        bench.wait()
    return bench


def _interactive() -> bool:
    return hasattr(sys, "ps1") or bool(sys.flags.interactive)
