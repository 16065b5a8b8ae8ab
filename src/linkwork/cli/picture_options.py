"""Options for what is plotted and written of a run, shared by the commands that have one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.completion import complete_places, complete_signals

Plots = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SIGNAL",
        help="Plot this signal: a joint A, a point P, or one of their signals A.rate, P.vx, P.speed; again for "
        "others. Written to NAME-motion.png or NAME-simulation.png here unless --out names a picture.",
        show_default=False,
        autocompletion=complete_signals,
    ),
]
Over = Annotated[
    str | None,
    typer.Option(
        "--x",
        metavar="SIGNAL",
        help="Plot over this signal instead of time, --x A.",
        show_default=False,
        autocompletion=complete_signals,
    ),
]
Paths = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Draw the path of this point, body or frame, --path P; again for others on the same page. "
        "With --plot it is written to a file of its own, NAME-motion-path.png, say.",
        show_default=False,
        autocompletion=complete_places,
    ),
]
Out = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Write the run, --out run.nc or --out run.csv, or a picture, --out plot.png (svg, pdf); again for "
        "others. A file that is there is overwritten.",
        show_default=False,
    ),
]
