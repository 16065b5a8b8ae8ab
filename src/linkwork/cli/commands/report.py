"""`linkwork report`."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.case_options import CaseName, asked_machine
from linkwork.cli.load_options import ExternalTexts, acting, as_options
from linkwork.cli.models import File, asking, sound, units_of
from linkwork.cli.output import say, tell
from linkwork.cli.saved_runs import SavedRun, check_alone, saved_run
from linkwork.cli.settings import Sets

if TYPE_CHECKING:
    from linkwork.cli.option_values import Problems
    from linkwork.results import Run

MOST_SAMPLES = 20_000
"""Samples of a page that browsers still play."""


def report(
    file: File,
    case: CaseName = None,
    sets: Sets = None,
    drive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=LAW",
            help="The motion to show, as of `linkwork motion`: --drive A=0:360deg, 'A=0:360deg @ 3000rpm'; again for "
            "others. By default the first independent variable makes a turn, or goes through its travel and back.",
            show_default=False,
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Of the motion, --samples 1000; 361 by default.", show_default=False),
    ] = None,
    run: SavedRun = None,
    forces: Annotated[
        bool, typer.Option("--forces", help="What the motion takes too: drives, joints, loads, motors and energy.")
    ] = False,
    external: ExternalTexts = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where to, --out page.html; NAME-report.html by default. A file that is there is overwritten.",
            show_default=False,
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Of the page; the name of the mechanism by default.", show_default=False),
    ] = None,
    dark: Annotated[
        bool, typer.Option("--dark", help="Dark for every reader; by default as the reader's system is.")
    ] = False,
) -> None:
    """Write one HTML page with everything that is known: the motion in 3-D, plots, drawings, tables, warnings.

    The page needs nothing else and works offline. A motion that cannot be finished is shown as far as it got, with exit
    code 1.

    Example: linkwork report slider-crank --drive 'A=0:360deg @ 3000rpm' --out slider-crank.html
    """
    m = sound(file, False)
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.cli.progress import Work
    from linkwork.views.report import subject_of, write_page

    problems = Problems()
    path = out if out is not None else Path(f"{file.stem}-report.html")
    _check(path, samples, problems)
    if run is not None:
        check_alone({"--drive": drive, "--samples": samples}, problems)
    with asking(file, m, False):
        asked = asked_machine(m, case, sets, problems)
        machine = asked.machine
        variables = Variables(machine, units_of(m), problems)
        given = variables.laws_of_time(drive or (), (), None)
        acts = acting(machine, variables, None, None, None, None, external, None)
        problems.done(m.name)
        laws = asked.laws({name: law for name, (_, law) in given.items()}, None, variables)
        acts = acts.under(asked, variables) if forces else acts
        told = asked.texts("drive", variables) | {name: text for name, (text, _) in given.items()}
        command = _command(file, case, sets or [], drive or [], samples, run, forces, external or [], title, dark)
        with Work("motion") as work, as_options():
            shown: Run | None
            if run is not None:
                shown = saved_run(run, machine)
            else:
                shown = asked.moved(laws, samples, None, asked.starts(laws, {}, variables), work)
            if shown is not None and forces and len(shown) and shown.analysis == "motion":
                shown = machine.forces(shown, **acts.said)
                acts = replace(acts, external=None)
            subject = subject_of(
                machine, run=shown, drives=None if shown is not None else laws,
                samples=None if shown is not None else samples, forces=forces, external=acts.external,
                title=title or "", dark=dark, command=command, told=told, progress=work.progress,
            )  # fmt: skip
    try:
        write_page(subject, path)
    except OSError as error:
        tell(f"cannot write {path}: {error.strerror or error}")
        raise typer.Exit(2) from None
    say(f"wrote {path}" + (f", case {asked.told}" if asked.told else ""))
    moved = subject.run
    if moved is None:
        say(f"  {subject.why_still}")
    elif not moved.evidence.complete:
        tell(f"{m.name}: {moved.message}")
    raise typer.Exit(130 if work.stopped else 1 if moved is not None and not moved.evidence.complete else 0)


def _command(
    file: Path,
    case: str | None,
    sets: list[str],
    drive: list[str],
    samples: int | None,
    run: Path | None,
    forces: bool,
    external: list[str],
    title: str | None,
    dark: bool,
) -> str:
    """What to type to write the page again, wherever it goes."""
    words = ["linkwork", "report", str(file)]
    words += ["--case", case] if case is not None else []
    for option, texts in (("--set", sets), ("--drive", drive)):
        for each in texts:
            words += [option, each]
    words += ["--samples", str(samples)] if samples is not None else []
    words += ["--run", str(run)] if run is not None else []
    words += ["--forces"] if forces else []
    for each in external:
        words += ["--external", each]
    words += ["--title", title] if title else []
    words += ["--dark"] if dark else []
    return shlex.join(words)


def _check(path: Path, samples: int | None, problems: Problems) -> None:
    where = f"--out {path}"
    if path.suffix.lower() not in (".html", ".htm"):
        problems.note("the page is an HTML file", where, "let the name end in .html")
    elif path.is_dir():
        problems.note("this is a folder", where, "name a file")
    elif not path.parent.is_dir():
        problems.note(f"there is no folder '{path.parent}'", where, "make it first")
    elif not os.access(path if path.exists() else path.parent, os.W_OK):
        problems.note("it may not be written to", where, "name another file, or another folder")
    if samples is not None and not 1 <= samples <= MOST_SAMPLES:
        problems.note(f"{samples} samples", "--samples", f"give a whole number from 1 to {MOST_SAMPLES}")
