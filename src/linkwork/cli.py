"""The command line: `linkwork check`, `show`, `equations`, `examples`, `schema`, `cache`.

Exit codes: 0 sound, 1 not sound, 2 wrong use. Colours only on a terminal; `--json` for machines.
"""

from __future__ import annotations

import io
import json
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork._version import __version__
from linkwork.errors import LinkworkError, ModelError, Problem

if TYPE_CHECKING:
    from rich.console import Console

    from linkwork.analyses.check import Check
    from linkwork.model.mechanism import Mechanism
    from linkwork.views.tables import Table

SOUND, NOT_SOUND, WRONG_USE = 0, 1, 2
_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}

app = typer.Typer(
    name="linkwork",
    help="Mechanisms, robots and multibody systems: one model, every analysis.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Model files (YAML or JSON).")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="Model file (YAML or JSON).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def main() -> None:
    """Entry point of the `linkwork` command."""
    if hasattr(signal, "SIGPIPE"):  # a reader of a pipe that has seen enough ends the program, as for any other
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows only ASCII still gets its message
    try:
        app()
    except LinkworkError as error:
        _console(stderr=True).print(f"linkwork: {error}", markup=False, soft_wrap=True, highlight=False)
        sys.exit(WRONG_USE)


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
    """Mechanisms, robots and multibody systems: one model, every analysis."""


@app.command()
def check(files: Files, as_json: AsJson = False) -> None:
    """Say whether models are sound, how they are connected, and everything that is wrong with them."""
    from linkwork.analyses.check import check as check_model

    results: list[dict[str, Any]] = []
    worst = SOUND
    for file in files:
        try:
            found = check_model(_load(file))
        except ModelError as error:
            worst = max(worst, NOT_SOUND if file.is_file() else WRONG_USE)
            results.append({"file": str(file), **_unreadable(error)})
            if not as_json:
                _print_unreadable(file, error)
            continue
        worst = max(worst, SOUND if found.sound else NOT_SOUND)
        results.append({"file": str(file), **found.as_dict()})
        if not as_json:
            _print_check(found)
    if as_json:
        _print_json(results[0] if len(files) == 1 else results)
    raise typer.Exit(worst)


@app.command()
def show(
    file: File,
    as_json: AsJson = False,
    graph: Annotated[Path | None, typer.Option(help="Draw who joins whom into this file (svg, png, pdf).")] = None,
    layout: Annotated[Path | None, typer.Option(help="Draw the layout posture into this file (svg, png, pdf).")] = None,
) -> None:
    """Show what a model says: bodies, joints, points, in the units of the file."""
    from linkwork.analyses.check import check as check_model

    m = _readable(file)
    found = check_model(m)
    if not found.sound:
        _print_unsound(found)
    if graph is not None or layout is not None:
        _draw(m, graph, layout)
    if as_json:
        from linkwork.files.write import as_data

        _print_json(as_data(m))
    elif graph is None and layout is None:
        _print_model(m)
    raise typer.Exit(SOUND if found.sound else NOT_SOUND)


@app.command()
def equations(
    file: File,
    as_json: AsJson = False,
    measure: Annotated[bool, typer.Option("--measure", help="Compile each quantity and time it on one core.")] = False,
) -> None:
    """Show coordinates, parameters and what can be asked of a model, with the operations that an answer takes."""
    from linkwork.analyses.check import check as check_model

    m = _readable(file)
    checked = check_model(m)
    if not checked.sound:
        wrong = ModelError(checked.errors, m.name)
        if as_json:
            _print_json({"name": m.name, **_unreadable(wrong)})
        else:
            _print_unreadable(file, wrong)
        raise typer.Exit(NOT_SOUND)
    from linkwork.analyses.equations import equations as equations_of
    from linkwork.views.tables import equation_tables

    found = equations_of(m, measure)
    if as_json:
        _print_json(found.as_dict())
        return
    console = _console()
    console.print(f"[bold]{_escaped(m.name)}[/bold]", soft_wrap=True)
    console.print(f"  {found.summary()}", markup=False, soft_wrap=True)
    if found.system.cut_joints:
        console.print(f"  cut joints: {', '.join(found.system.cut_joints)}", markup=False, soft_wrap=True)
    _print_problems(console, found.problems)
    _print_tables(console, equation_tables(found))


@app.command()
def examples(
    name: Annotated[str | None, typer.Argument(help="Print the file of this example.")] = None,
    copy: Annotated[bool, typer.Option("--copy", help="Write NAME.yaml into the current folder instead.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the mechanisms that come with Linkwork, print one, or copy it."""
    from linkwork.files.gallery import example, example_text
    from linkwork.files.gallery import examples as gallery

    if name is None:
        if copy:
            _fail("--copy wants the name of an example")
        if as_json:
            _print_json(gallery())
            return
        names = gallery()
        width = max(map(len, names))
        console = _console()
        for each, sentence in names.items():
            console.print(f"[bold]{each:{width}}[/bold]  ", end="")
            console.print(sentence, markup=False, highlight=False, soft_wrap=True)
        return
    text = example_text(name)
    if as_json and not copy:
        from linkwork.files.write import as_data

        _print_json(as_data(example(name)))
        return
    if not copy:
        typer.echo(text, nl=False)
        return
    target = Path(f"{name}.yaml")
    if target.exists() and not force:
        _fail(f"{target} is there already; --force overwrites it")
    target.write_text(text, encoding="utf-8")
    typer.echo(f"wrote {target}; try: linkwork check {target}")


@app.command()
def schema(
    out: Annotated[Path | None, typer.Option(help="Write it to this file instead.")] = None,
) -> None:
    """Print the JSON Schema of model files, for editors that complete and check."""
    from linkwork.files.schema import json_schema

    text = json.dumps(json_schema(), indent=1, ensure_ascii=False)
    if out is None:
        typer.echo(text)
        return
    try:
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        _fail(f"cannot write {out}: {error.strerror}")
    typer.echo(f"wrote {out}")


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove every compiled kernel.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show where compiled kernels are kept and how much there is, or clear it."""
    from linkwork.kernels.cache import user_cache

    kept = user_cache()
    folder, removed = kept.folder, 0
    if clear:
        try:
            removed = kept.clear()
        except OSError as error:
            _fail(f"cannot remove {error.filename}: {error.strerror}")
    files = kept.entries()
    size = sum(files.values())
    if as_json:
        about = {"folder": None if folder is None else str(folder), "entries": len(files), "bytes": size}
        _print_json({**about, "limit_bytes": kept.limit, "removed": removed})
        return
    if folder is None:
        typer.echo("off: compiled kernels are kept in memory only (see LINKWORK_CACHE)")
        return
    if clear:
        typer.echo(f"removed {_entries(removed)}")
    typer.echo(f"{folder}\n{_entries(len(files))}, {size / 2**20:.1f} MB of at most {kept.limit / 2**20:.0f} MB")


def _entries(count: int) -> str:
    return f"{count:,} compiled kernel{'s' * (count != 1)}"


# -------------------------------------------------------------------- reading


def _load(file: Path) -> Mechanism:
    from linkwork.files.read import load

    return load(file)


def _readable(file: Path) -> Mechanism:
    """A model; a file that is not there is wrong use, a file that is wrong is not."""
    try:
        return _load(file)
    except ModelError as error:
        _print_unreadable(file, error)
        raise typer.Exit(NOT_SOUND if file.is_file() else WRONG_USE) from None


def _print_unsound(found: Check) -> None:
    """What is wrong, apart from what is asked for."""
    _print_problems(_console(stderr=True), found.errors)


def _fail(text: str) -> None:
    _console(stderr=True).print(f"linkwork: {text}", markup=False, soft_wrap=True, highlight=False)
    raise typer.Exit(WRONG_USE)


# -------------------------------------------------------------------- printing


def _console(stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def _print_json(data: Any) -> None:
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False))


def _unreadable(error: ModelError) -> dict[str, Any]:
    return {"sound": False, "problems": [p.as_dict() for p in error.problems]}


def _print_unreadable(file: Path, error: ModelError) -> None:
    console = _console()
    verdict = "not sound" if file.is_file() else "not read"
    console.print(f"[bold]{_escaped(str(file))}[/bold]  [bold red]{verdict}[/bold red]", soft_wrap=True)
    _print_problems(console, error.problems)


def _print_problems(console: Console, problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        console.print(f"  {problem.severity}: ", style=_STYLES[problem.severity], end="", soft_wrap=True)
        console.print(str(problem), markup=False, soft_wrap=True)


def _print_check(found: Check) -> None:
    from linkwork.views.graph import text_tree

    console, m, t = _console(), found.mechanism, found.topology
    verdict = "[bold green]sound[/bold green]" if found.sound else "[bold red]not sound[/bold red]"
    console.print(f"[bold]{_escaped(m.name)}[/bold]  {verdict}", soft_wrap=True)
    if m.description:
        console.print(f"  {m.description}", markup=False, style="dim", soft_wrap=True)
    console.print(f"  {found.summary()}", markup=False, soft_wrap=True)
    _print_problems(console, found.problems)
    kinds = {j.name: j.law.kind for j in m.joints.values() if j.name in t.joints}
    ascii_only = not (console.encoding or "").lower().startswith("utf")
    if t.joints:
        lines = text_tree(t, kinds, ascii_only=ascii_only).splitlines()
        for line in _shortened(lines, 40):
            console.print(f"  {line}", markup=False, soft_wrap=True)
    if found.mobility is not None and t.n_loops:
        letters = {j.name: j.law.letter for j in m.joints.values()}
        codes = t.chain_code(letters).loops
        texts = [f"loop {loop.chord}: {codes[loop.chord]}, {_kind(found, loop.chord)}" for loop in t.loops[:40]]
        if t.n_loops > 40:
            texts.append(f"... {t.n_loops - 40} more loops")
        for text in texts:
            console.print(f"  {text}", markup=False, soft_wrap=True)


def _kind(found: Check, chord: str) -> str:
    assert found.mobility is not None
    kind = found.mobility.loop_kinds[chord]
    return f"{kind.name}, {kind.equations} equations"


def _shortened(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[:most], f"... {len(lines) - most} more lines (see --json)"]


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _print_model(m: Mechanism) -> None:
    from linkwork.views.tables import tables

    console = _console()
    console.print(f"[bold]{_escaped(m.name)}[/bold]", soft_wrap=True)
    if m.description:
        console.print(m.description, markup=False, style="dim", soft_wrap=True)
    _print_tables(console, tables(m))


def _print_tables(console: Console, tables: list[Table]) -> None:
    for table in tables:
        console.print(table.title, markup=False, style="bold")
        widths = [max(len(row[i]) for row in table.rows) for i in range(len(table.rows[0]))]
        for n, row in enumerate(table.rows):
            line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            console.print(f"  {line}", markup=False, style="dim" if n == 0 else None, soft_wrap=True)


def _draw(m: Mechanism, graph: Path | None, layout: Path | None) -> None:
    from linkwork.topology import graph_of
    from linkwork.views.draw import draw_layout
    from linkwork.views.graph import draw_graph

    for picture in (graph, layout):
        if picture is not None and not picture.suffix:
            _fail(f"'{picture}' has no ending that tells the format; try {picture}.svg")
    jobs: list[tuple[Path, Any]] = []
    if graph is not None:
        kinds = {j.name: j.law.letter for j in m.joints.values()}
        jobs.append((graph, draw_graph(graph_of(m), kinds)))
    if layout is not None:
        jobs.append((layout, draw_layout(m)))
    for file, ax in jobs:
        try:
            ax.figure.savefig(file, dpi=150, bbox_inches="tight", pad_inches=0.1)
        except (OSError, ValueError) as error:
            _fail(f"cannot write {file}: {error}")
        typer.echo(f"wrote {file}")
