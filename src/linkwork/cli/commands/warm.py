"""`linkwork warm`."""

from __future__ import annotations

import compileall
import os
import time
from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.models import AsJson
from linkwork.cli.output import print_json


def warm(
    nice: Annotated[bool, typer.Option("--nice", help="Let other programs go first.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compile all loops through time now, once for this installation: for images, classrooms and tests.

    Without it they are compiled in the background when the first simulation runs, which is interpreted meanwhile.
    """
    from linkwork.analyses.simulation.rehearsal import rehearsals
    from linkwork.numerics import warming

    os.environ["LINKWORK_LOOPS"] = "compile"
    _keep_bytecode()
    if nice and hasattr(os, "nice"):
        os.nice(10)
    seconds: dict[str, float] = {}
    done = False
    try:
        for name, rehearse in rehearsals():
            began = time.perf_counter()
            rehearse()
            seconds[name] = time.perf_counter() - began
            if not as_json:
                typer.echo(f"{name:24}{seconds[name]:8.1f} s")
        done = True
    finally:
        warming.end(done)
    place = warming.folder()
    if as_json:
        print_json({"folder": None if place is None else str(place), "seconds": seconds})
    elif place is None:
        typer.echo("no folder for machine code can be written: nothing was kept (set NUMBA_CACHE_DIR to one)")
    else:
        typer.echo(f"kept beside {place}")


def _keep_bytecode() -> None:
    """Python's own code of this package beside its sources, where it may be written: imports take half the time."""
    compileall.compile_dir(Path(__file__).parents[2], quiet=2)
