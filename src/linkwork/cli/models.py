"""FILE: a model file, or the name of an example where there is no such file; read, checked, assembled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.completion import complete_file
from linkwork.cli.output import print_json, print_problems, tell, title
from linkwork.errors import InputError, ModelError, Problem

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism
    from linkwork.units import UnitSystem

_WHAT = "YAML or JSON, a robot as URDF, MJCF, SDF or D-H table, or the name of an example such as four-bar"
Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE...", help=f"Model files ({_WHAT}).", show_default=False, autocompletion=complete_file),
]
File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help=f"Model file ({_WHAT}).", show_default=False, autocompletion=complete_file),
]
FORCES = {"force": "N", "torque": "N m", "power": "W", "energy": "J"}
"""Units of forces in JSON, beside those of motion."""
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines, in SI units.")]


def load(file: Path) -> Mechanism:
    """The model of a file, or an example of the gallery by its name."""
    from linkwork.files.read import load as load_file
    from linkwork.files.robots.installed import PREFIX

    if file.is_file() or file.suffix or str(file).startswith(PREFIX):
        return load_file(file)
    from linkwork.files.gallery import example, example_text

    try:
        example_text(str(file))
    except ModelError as nothing:
        near = nothing.problems[0].hint
    else:
        return example(str(file))
    try:
        return load_file(file)
    except ModelError as error:
        if file.exists() or len(file.parts) != 1 or error.problems[0].hint.startswith("did you mean"):
            raise
        what = f"there is neither a file nor an example '{file}'"
        hint = near if near.startswith("did you mean") else "`linkwork examples` lists the examples"
        raise InputError(Problem(what, hint=hint), str(file)) from None


def readable(file: Path, as_json: bool = False) -> Mechanism:
    """A model; a file that is not there is wrong use, a file that is wrong is not."""
    try:
        return load(file)
    except ModelError as error:
        if as_json:
            print_json({"file": str(file), **unreadable(error)})
        else:
            print_unreadable(file, error)
        raise typer.Exit(1 if file.is_file() else 2) from None


def sound(file: Path, as_json: bool) -> Mechanism:
    """A model that can be asked; what is wrong with one that cannot is printed."""
    from linkwork.analyses.check import check

    m = readable(file, as_json)
    checked = check(m)
    if not checked.sound:
        wrong = ModelError(checked.errors, m.name)
        if as_json:
            print_json({"file": str(file), "name": m.name, **unreadable(wrong)})
        else:
            print_unreadable(file, wrong)
        raise typer.Exit(1)
    return m


def units_of(m: Mechanism) -> UnitSystem:
    """The units of the model's file."""
    from linkwork.units import SI

    return SI if m.source is None else m.source.units


def head(file: Path, m: Mechanism, more: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The beginning of every answer in JSON: whose it is, and the units of its numbers."""
    units = {"length": "m", "angle": "rad", "time": "s", **(more or {})}
    return {"file": str(file), "name": m.name, "units": units}


@contextmanager
def asking(file: Path, m: Mechanism, as_json: bool) -> Iterator[None]:
    """Questions to a machine; what it cannot do is told, with exit code 1."""
    from linkwork.analyses.kinematics.failures import ClosureError

    try:
        yield
    except ClosureError as error:
        if as_json:
            print_json({**head(file, m), "status": error.status, "problems": [error.problem.as_dict()]})
        else:
            tell(f"{m.name}: {error.problem}")
        raise typer.Exit(1) from None


def unreadable(error: ModelError) -> dict[str, Any]:
    """What is wrong, for JSON."""
    return {"sound": False, "problems": [p.as_dict() for p in error.problems]}


def print_unreadable(file: Path, error: ModelError) -> None:
    """What is wrong, in words."""
    title(str(file), f"  [bold red]{'not sound' if file.is_file() else 'not read'}[/bold red]")
    print_problems(error.problems)
