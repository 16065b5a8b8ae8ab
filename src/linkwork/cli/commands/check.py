"""`linkwork check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from linkwork.cli.models import AsJson, Files, load, print_unreadable, unreadable
from linkwork.cli.output import console, print_json, print_problems, say, shortened, title
from linkwork.errors import ModelError

if TYPE_CHECKING:
    from linkwork.analyses.check import Check

MOST = 40
"""Lines of the tree, and loops, that are printed."""


def check(files: Files, as_json: AsJson = False) -> None:
    """Say whether models are sound, how they are connected, and everything that is wrong with them."""
    from linkwork.analyses.check import check as check_model

    results: list[dict[str, Any]] = []
    worst = 0
    for file in files:
        try:
            found = check_model(load(file))
        except ModelError as error:
            worst = max(worst, 1 if file.is_file() else 2)
            results.append({"file": str(file), **unreadable(error)})
            if not as_json:
                print_unreadable(file, error)
            continue
        worst = max(worst, 0 if found.sound else 1)
        results.append({"file": str(file), **found.as_dict()})
        if not as_json:
            _print(found)
    if as_json:
        print_json(results[0] if len(files) == 1 else results)
    raise typer.Exit(worst)


def _print(found: Check) -> None:
    from linkwork.model.load_words import kind_of
    from linkwork.views.graph import text_tree

    m, t = found.mechanism, found.topology
    title(m.name, "  [bold green]sound[/bold green]" if found.sound else "  [bold red]not sound[/bold red]")
    if m.description:
        say(f"  {m.description}", "dim")
    say(f"  {found.summary()}")
    print_problems(found.problems)
    kinds = {j.name: j.law.kind for j in m.joints.values() if j.name in t.joints}
    ascii_only = not (console().encoding or "").lower().startswith("utf")
    lines = shortened(text_tree(t, kinds, ascii_only=ascii_only).splitlines(), MOST) if t.joints else []
    if found.mobility is not None and t.n_loops:
        letters = {j.name: j.law.letter for j in m.joints.values()}
        codes = t.chain_code(letters).loops
        lines += [f"loop {loop.chord}: {codes[loop.chord]}, {_kind(found, loop.chord)}" for loop in t.loops[:MOST]]
        if t.n_loops > MOST:
            lines.append(f"... {t.n_loops - MOST} more loops")
    if m.inner:
        lines.append("inside bodies: " + ", ".join(f"{i.name} ({i.law.kind} of {i.body})" for i in m.inner.values()))
    if m.constraints:
        lines.append("constraints: " + ", ".join(f"{c.name} ({c.kind})" for c in m.constraints.values()))
    if m.states:
        lines.append("states: " + ", ".join(f"{state.name} ({state.unit})" for state in m.states.values()))
    if m.loads:
        lines.append("loads: " + ", ".join(f"{load.name} ({kind_of(load)})" for load in m.loads.values()))
    if m.motors:
        lines.append("motors: " + ", ".join(f"{motor.name} ({motor.variable})" for motor in m.motors.values()))
    for line in lines:
        say(f"  {line}")


def _kind(found: Check, chord: str) -> str:
    assert found.mobility is not None
    kind = found.mobility.loop_kinds[chord]
    return f"{kind.name}, {kind.equations} equations"
