"""`linkwork view`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.case_options import CaseName, asked_machine
from linkwork.cli.models import File, asking, load, units_of
from linkwork.cli.output import say
from linkwork.cli.saved_runs import saved_run
from linkwork.cli.settings import Sets
from linkwork.errors import ModelError

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.model.mechanism import Mechanism
    from linkwork.results import Run
    from linkwork.views.workbench.opening import Opened


def view(
    file: File,
    case: CaseName = None,
    sets: Sets = None,
    run: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Play this run, --run run.nc, which `linkwork motion` or `linkwork simulate` wrote.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port; the next free one if it is taken.")] = 8080,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 lets others on your network in.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open a browser, if there is a display.")] = True,
    dark: Annotated[bool, typer.Option("--dark", help="Dark colours.")] = False,
) -> None:
    """Open the workbench in the browser: the machine in three dimensions, sliders, motion, plots, the model's text.

    A file with mistakes opens too: they are listed by line, and vanish as you mend them. Ctrl-C ends it.

    Example: linkwork view slider-crank
    """
    opened = _opened(file, run, case, sets)
    from linkwork.views.workbench.server import Workbench

    bench = Workbench(opened, port=port, host=host, dark=dark)
    if bench.port != port:
        say(f"port {port} is taken; {bench.port} is used")
    if opened.problems:
        count = len(opened.problems)
        say(f"{count} problem{'s' * (count > 1)} in {file}: the page lists them", "yellow")
    say(f"{opened.mechanism.name}: {bench.url}   (Ctrl-C ends it)")
    if host not in ("127.0.0.1", "localhost", "::1"):
        say("it can be seen and used from other computers", "yellow")
    if browser and not bench.open_browser():
        say("there is no display: open the address in a browser")
    bench.wait()


def _opened(file: Path, run: Path | None, case: str | None, sets: list[str] | None) -> Opened:
    from linkwork.model.mechanism import Mechanism
    from linkwork.views.workbench.opening import Opened

    try:
        m = load(file)
    except ModelError as error:
        if not file.is_file():
            raise
        return Opened(Mechanism(file.stem), _text(file), file.parent, problems=error.problems)
    if m.import_report is None:
        text, folder = _text(file), file.parent if file.is_file() else None
    else:  # a robot's file is edited, and saved, as a model file
        from linkwork.files.robots.surfaces import home_of_meshes
        from linkwork.files.write import dumps

        text, folder = dumps(m), home_of_meshes(m)
    if run is None and not sets and case is None:
        return Opened(m, text, folder)
    machine, played = _asked(file, m, run, case, sets)
    return Opened(machine.mechanism, text, folder, machine=machine, run=played)


def _asked(
    file: Path, m: Mechanism, run: Path | None, case: str | None, sets: list[str] | None
) -> tuple[Machine, Run | None]:
    """The machine with other numbers, in a case; and the run to play, that of the file or of the case."""
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.cli.progress import Work

    with asking(file, m, False):
        problems = Problems()
        asked = asked_machine(m, case, sets, problems)
        if run is not None:
            return asked.machine, saved_run(run, asked.machine)
        variables = Variables(asked.machine, units_of(m), problems)
        laws = asked.laws({}, None, variables)
        with Work("case") as work:
            found = asked.moved(laws, None, None, asked.starts(laws, {}, variables), work)
        return asked.machine, found


def _text(file: Path) -> str:
    if file.is_file():
        return file.read_bytes().decode("utf-8", "replace")
    from linkwork.files.gallery import example_text

    return example_text(str(file))
