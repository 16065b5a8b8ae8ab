"""`linkwork new`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.output import console, fail, say

if TYPE_CHECKING:
    from linkwork.cli.option_values import Problems
    from linkwork.files.templates import Template


def _templates(incomplete: str) -> list[str]:
    from linkwork.files.templates import TEMPLATES

    return [name for name in TEMPLATES if name.startswith(incomplete)]


def new(
    template: Annotated[
        str | None,
        typer.Argument(
            metavar="[TEMPLATE]",
            help="What to start from; without, they are listed, or asked for on a terminal.",
            autocompletion=_templates,
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Of the machine, and of its file NAME.yaml.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=LENGTH",
            help="A dimension, --set crank=40mm; again for others. Numbers without a unit are in mm.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
) -> None:
    """Begin a model file from a template, with dimensions of your own; on a terminal it asks.

    Example: linkwork new four-bar wiper --set crank=40mm --set base=150mm
    """  # fmt: skip
    from linkwork.cli.option_values import Problems
    from linkwork.files.read import loads
    from linkwork.files.templates import TEMPLATES, new_text
    from linkwork.files.templates import template as template_of
    from linkwork.model.parts import is_name, near_name

    asks = template is None and _on_terminal()
    if template is None and not asks:
        out = console()
        for own in TEMPLATES.values():
            sizes = ", ".join(f"{n} {x:g} mm" for n, x in own.dimensions.items())
            kind = "planar" if own.planar else "spatial"
            out.print(f"[bold]{own.name:13}[/bold] {kind:8} {own.sentence} ({sizes})", highlight=False, soft_wrap=True)
        return
    chosen = _asked_template() if template is None else template_of(template)
    problems = Problems()
    given = _lengths(sets or [], problems)
    problems.done(chosen.name)
    if asks:
        given = _asked_lengths(chosen, given)
        name = _asked_name(chosen.name)
    called = "-".join((name or chosen.name).split())
    if not is_name(called):
        near = near_name(called)
        meant = f"; did you mean '{near}'?" if near else ""
        fail(f"'{called}' is not a name of a machine; use letters, digits, '_' and '-', at most 64{meant}")
    text = new_text(chosen, called, given)
    loads(text, source=f"{called}.yaml").assemble()  # what is written is sound
    target = Path(f"{called}.yaml")
    if target.exists() and not force:
        fail(f"{target} is there already; --force overwrites it, or give another name")
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"cannot write {target}: {error.strerror}")
    say(f"wrote {target}; try: linkwork view '{target}', linkwork report '{target}'")


def _on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _lengths(texts: list[str], problems: Problems) -> dict[str, float]:
    """Lengths [mm] by name from texts such as "crank=40mm"."""
    found: dict[str, float] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            problems.note(f"'{text}' is not of the form name=length", "--set", "for example --set crank=40mm")
        elif (length := problems.reading(f"--set {name}", lambda value=value: _mm(value))) is not None:  # type: ignore[misc]
            found[name] = length
    return found


def _mm(text: str) -> float:
    from linkwork.units import LENGTH, UnitSystem, parse_quantity

    return round(parse_quantity(text, LENGTH, UnitSystem(length="mm")) * 1e3, 9)


def _asked_template() -> Template:
    from linkwork.files.templates import TEMPLATES

    planar = typer.confirm("Does it move in a plane?", default=True)
    names = [own.name for own in TEMPLATES.values() if own.planar == planar]
    for number, each in enumerate(names, 1):
        typer.echo(f"  {number}  {each:13} {TEMPLATES[each].sentence}")
    while True:
        answer = typer.prompt("Which one (a number or a name)?", default="1").strip()
        if answer in names:
            return TEMPLATES[answer]
        if answer.isdigit() and 1 <= int(answer) <= len(names):
            return TEMPLATES[names[int(answer) - 1]]
        typer.echo(f"  '{answer}' is none of them; give a number from 1 to {len(names)}")


def _asked_lengths(own: Template, given: dict[str, float]) -> dict[str, float]:
    """A length for everything that was not given; what cannot be read is asked again, with the reason."""
    from linkwork.errors import ModelError

    found = dict(given)
    for name, usual in own.dimensions.items():
        while name not in found:
            text = typer.prompt(f"  {name} [mm]", default=f"{usual:g}")
            try:
                found[name] = _mm(text)
            except ModelError as error:
                typer.echo(f"    {error.problems[0]}")
    return found


def _asked_name(usual: str) -> str:
    from linkwork.model.parts import is_name

    while True:
        answer: str = typer.prompt("What is it called?", default=usual).strip()
        if is_name("-".join(answer.split())):
            return answer
        typer.echo(f"  '{answer}' is not a name; use letters, digits, '_' and '-'")
