"""`write_report`: from a machine to a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from linkwork.analyses.check import check
from linkwork.analyses.machine import Machine
from linkwork.errors import InputError, Problem
from linkwork.model.mechanism import Mechanism
from linkwork.results import Run
from linkwork.views.default_motion import Shown, shown_motion
from linkwork.views.placed_layout import machine_of
from linkwork.views.report.page import document
from linkwork.views.report.subject import Subject

Progress = Callable[[int, int], None]


def write_report(
    what: Machine | Mechanism | Run,
    path: str | Path,
    *,
    run: Run | None = None,
    drives: Mapping[str, Any] | None = None,
    samples: int | None = None,
    forces: bool = False,
    external: Mapping[str, Any] | None = None,
    title: str = "",
    dark: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Write one HTML page with everything that is known of a machine; gives its path.

    The page needs nothing else: it works offline, from a mail, and is the same bytes for the same machine. Without a
    run and drives the first independent variable makes a turn, or goes through its travel and back.

    Parameters
    ----------
    what : a machine, a mechanism, which is assembled, or a run of a machine
    path : where to; a file that exists is overwritten
    run : a motion of this machine to show, such as one that was loaded from a file
    drives : laws of time by variable or joint name, to show that motion instead
    samples : of the motion; 361 by default
    forces : whether to work out what the motion takes too; a run of forces shows them without
    external : forces on points, frames and bodies by name [N, N m], as of `Machine.forces`, which are worked out then
    title : of the page; the name of the mechanism by default
    dark : dark for every reader; by default as the reader's system is
    progress : function (samples done, samples) called now and then
    """
    subject = subject_of(
        what, run=run, drives=drives, samples=samples, forces=forces, external=external, title=title, dark=dark,
        progress=progress,
    )  # fmt: skip
    return write_page(subject, path)


def write_page(subject: Subject, path: str | Path) -> Path:
    """Write the page of a subject; gives its path."""
    if Path(path).suffix.lower() not in (".html", ".htm"):
        hint = f"let the name end in .html: {Path(path).with_suffix('.html')}"
        raise InputError(Problem(f"a report is a page of HTML, not '{Path(path).name}'", "path", hint), subject.title)
    # Bytes, so that every system writes the same ones.
    Path(path).write_bytes(document(subject).encode())
    return Path(path)


def subject_of(
    what: Machine | Mechanism | Run,
    *,
    run: Run | None = None,
    drives: Mapping[str, Any] | None = None,
    samples: int | None = None,
    forces: bool = False,
    external: Mapping[str, Any] | None = None,
    title: str = "",
    dark: bool = False,
    command: str = "",
    told: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Subject:
    """What the page is about; see `write_report`.

    command : how to write it again; told : laws of driven variables by full name, as the user wrote them
    """
    if isinstance(what, Run):
        if run is not None:
            raise InputError(Problem("two runs are given", "run", "give the machine and one run"), what.name)
        run, what = what, machine_of(what, None, "write_report(machine, path, run=run)")
    if not isinstance(what, Machine | Mechanism):
        raise TypeError(f"a Machine, a Mechanism or a Run is wanted, not {type(what).__name__}")
    s = what.assemble() if isinstance(what, Mechanism) else what
    shown = _shown(s, run, drives, samples, progress)
    moved = shown.run
    if external and moved is not None and moved.analysis == "forces":
        raise InputError(Problem("the run has its forces already", "external", "give a run of a motion"), s.name)
    if (forces or external) and moved is not None and len(moved) and moved.analysis != "forces":
        moved = s.forces(moved, external=external)
    again = command or _in_python(s.name, run, drives, samples, forces, external, title, dark)
    return Subject(
        machine=s,
        check=check(s.mechanism),
        run=moved,
        why_still=shown.why_still,
        told={**shown.told, **(told or {})},
        travel=shown.travel,
        title=title or s.name or "Mechanism",
        command=again,
        dark=dark,
    )


def _shown(
    s: Machine, run: Run | None, drives: Mapping[str, Any] | None, samples: int | None, progress: Progress | None
) -> Shown:
    if run is not None:
        problems = []
        if drives or samples is not None:
            problems.append(Problem("a run is shown as it is", "run", "leave drives and samples out, or the run"))
        if unknown := sorted(set(run.arrays.attrs["bodies"]) - set(s.mechanism.bodies)):
            what = f"the run is of another machine: it has the bodies {', '.join(unknown[:6])}"
            problems.append(Problem(what, "run", "give a run that this machine made"))
        if problems:
            raise InputError(problems, s.name)
        return Shown(run)
    if drives:
        return Shown(s.motion(drives, samples=samples, progress=progress))
    return shown_motion(s, samples, progress)


def _in_python(
    name: str,
    run: Run | None,
    drives: Mapping[str, Any] | None,
    samples: int | None,
    forces: bool,
    external: Mapping[str, Any] | None,
    title: str,
    dark: bool,
) -> str:
    """The call, as far as texts can tell it."""
    given = ["run=run"] if run is not None else []
    given += [f"drives={{{', '.join(f'{k!r}: {v}' for k, v in drives.items())}}}"] if drives else []
    given += [f"samples={samples}"] if samples is not None else []
    given += ["forces=True"] if forces else []
    given += ["external={...}"] if external else []
    given += [f"title={title!r}"] if title else []
    given += ["dark=True"] if dark else []
    file = f"{name or 'mechanism'}-report.html"
    return f"lw.write_report({', '.join(['machine', repr(file), *given])})"
