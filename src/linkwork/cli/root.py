"""The program around the commands: exit codes, and errors as messages instead of tracebacks."""

from __future__ import annotations

import io
import signal
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from linkwork._version import __version__
from linkwork.cli.output import tell
from linkwork.errors import LinkworkError

SOUND, NOT_SOUND, WRONG_USE, INTERRUPTED = 0, 1, 2, 130


class _Program(TyperGroup):
    """Commands whose errors are told and become exit codes, however they are started."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except LinkworkError as error:
            tell(str(error))
            raise typer.Exit(WRONG_USE) from None
        except KeyboardInterrupt:
            tell("stopped by Ctrl-C; nothing was kept")
            raise typer.Exit(INTERRUPTED) from None
        except MemoryError:
            tell("there is not enough memory for this; ask for fewer samples")
            raise typer.Exit(NOT_SOUND) from None


app = typer.Typer(
    name="linkwork",
    cls=_Program,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Entry point of the `linkwork` command."""
    if hasattr(signal, "SIGPIPE"):  # a reader of a pipe that has seen enough ends the program, as for any other
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows only ASCII still gets its message
    app()


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"linkwork {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Mechanisms, robots and multibody systems: one model, every analysis.

    FILE is a model file (YAML or JSON) or, where there is no such file, the name of an example of the gallery.
    """
