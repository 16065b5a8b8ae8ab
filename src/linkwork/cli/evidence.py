"""How far a run can be trusted, in a few lines: shared by the commands that move a machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from linkwork.cli.output import console, print_problems, say, title
from linkwork.errors import Problem

if TYPE_CHECKING:
    from linkwork.results import Run
    from linkwork.results.happenings import Happening
    from linkwork.units import UnitSystem

MOST_EVENTS = 6
"""Events that are printed, besides the last one."""


def print_evidence(
    name: str,
    run: Run,
    texts: Mapping[str, str],
    units: UnitSystem,
    efforts: Mapping[str, str] | None = None,
    told: Callable[[str], str] = str,
    case: str = "",
) -> None:
    """What was driven, what acted, how far it came, how well the loops closed, and what was noticed.

    texts, efforts : laws of drives and what acted along joints, as they were written
    case : in which it was asked; told : gives messages and names of events the words of the user
    """
    from linkwork.results.evidence_words import balance_text, closing_lines, held_text, samples_text, simulation_lines
    from linkwork.units import TIME, format_quantity

    def at(time: float) -> str:
        return format_quantity(time, TIME, units)

    found = run.evidence
    title(name, "  [bold green]complete[/bold green]" if found.complete else "  [bold red]stopped[/bold red]")
    lines = [("case", case)] if case else []
    lines += [("driven", f"{variable} = {text}") for variable, text in texts.items()]
    lines += [("effort", f"{variable} = {text}") for variable, text in (efforts or {}).items()]
    if run.held:
        lines.append(("held", held_text(run.held)))
    lines += [("samples", samples_text(found, at)), *closing_lines(found, at)]
    if found.simulation is not None:
        lines += simulation_lines(found.simulation)
    if found.forces is not None and (balance := balance_text(found.forces, at)):
        lines.append(("power balance", balance))
    for key, text in lines:
        say(f"  {key}: {text}")
    if found.simulation is not None:
        _print_events(found.simulation.events, at, told)
    if not found.complete:
        out = console()
        out.print("  stopped: ", style="bold red", end="")
        out.print(told(found.message), markup=False, soft_wrap=True)
    print_problems([Problem(text, severity="warning") for text in found.warnings])


def _print_events(events: Sequence[Happening], at: Callable[[float], str], told: Callable[[str], str]) -> None:
    """The first ones and the last."""
    from linkwork.results.evidence_words import event_text

    if not events:
        return
    say(f"  events: {len(events)}")
    shown = events if len(events) <= MOST_EVENTS + 2 else events[:MOST_EVENTS]
    lines = [event_text(event, at, told) for event in shown]
    if len(shown) < len(events):
        lines.append(f"... {len(events) - len(shown) - 1} more (see --json)")
        lines.append(event_text(events[-1], at, told))
    for line in lines:
        say(f"    {line}")
