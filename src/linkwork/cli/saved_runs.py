"""A run that was saved, instead of a motion: shared by the commands that take one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.cli.option_values import Problems
    from linkwork.results import Run

SavedRun = Annotated[
    Path | None,
    typer.Option(
        "--run",
        metavar="FILE",
        help="A run instead, --run run.nc, which `linkwork motion` or `linkwork simulate` wrote.",
        show_default=False,
    ),
]


def check_alone(told: Mapping[str, Any], problems: Problems) -> None:
    """Notes options that tell a motion, which the run has already."""
    for option, value in told.items():
        if value:
            problems.note("a run is given, which has its motion", option, "give --run or a motion")


def saved_run(path: Path, machine: Machine) -> Run:
    """The run of a file, if it is one of this machine."""
    from linkwork.errors import InputError, Problem
    from linkwork.results import load_run

    found = load_run(path)
    if any(name not in found for name in machine.variables):
        what = f"this run is of another machine, '{found.name}'"
        raise InputError(Problem(what, "--run", f"give a run of '{machine.name}'"), str(path))
    return found
