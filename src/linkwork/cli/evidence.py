"""How far a run can be trusted, in a few lines: shared by the commands that move a machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from linkwork.cli.printing import console, print_problems, say, title
from linkwork.errors import Problem

if TYPE_CHECKING:
    from linkwork.results import Evidence, Run
    from linkwork.results.happenings import Happening
    from linkwork.results.simulation_evidence import SimulationEvidence
    from linkwork.units import UnitSystem

MOST_EVENTS = 6
"""Events that are printed, besides the last one."""


def held_in(run: Run) -> list[str]:
    """Variables that nothing drove and that were held."""
    return [name for name, law in run.driven.items() if law == "held"]


def print_evidence(
    name: str,
    run: Run,
    texts: Mapping[str, str],
    units: UnitSystem,
    efforts: Mapping[str, str] | None = None,
    told: Callable[[str], str] = str,
) -> None:
    """What was driven, what acted, how far it came, how well the loops closed, and what was noticed.

    texts, efforts : laws of drives and what acted along joints, as they were written
    told : gives messages and names of events the words of the user
    """
    from linkwork.units import TIME, format_quantity

    found = run.evidence
    title(name, "  [bold green]complete[/bold green]" if found.complete else "  [bold red]stopped[/bold red]")
    for variable, text in texts.items():
        say(f"  driven: {variable} = {text}")
    for variable, text in (efforts or {}).items():
        say(f"  effort: {variable} = {text}")
    if held := held_in(run):
        say(f"  held: {', '.join(held[:12])}{f' and {len(held) - 12} more' if len(held) > 12 else ''}")

    def at(time: float | None) -> str:
        return format_quantity(time or 0.0, TIME, units)

    samples = f"{found.reached}" if found.complete else f"{found.reached} of {found.asked}"
    span = f", time {at(found.span[0])} to {at(found.span[1])}" if found.span else ""
    say(f"  {samples} sample{'s' * (found.asked != 1)}{span}")
    _print_closing(found, at)
    if found.simulation is not None:
        _print_simulation(found.simulation, at, told)
    if not found.complete:
        out = console()
        out.print("  stopped: ", style="bold red", end="")
        out.print(told(found.message), markup=False, soft_wrap=True)
    print_problems([Problem(text, severity="warning") for text in found.warnings])


def _print_closing(found: Evidence, at: Callable[[float | None], str]) -> None:
    if found.worst_residual is None:
        return
    text = f"  largest residual {found.worst_residual:.1e}"
    if found.smallest_quality is not None:
        text += f", smallest quality {found.smallest_quality:.3g} at {at(found.smallest_quality_at)}"
    if found.simulation is not None:
        text += f", largest correction {found.simulation.largest_correction:.1e}"
    if len(found.mobility) > 1:
        text += f", mobility {' and '.join(map(str, found.mobility))}"
    say(text)


def _print_simulation(found: SimulationEvidence, at: Callable[[float | None], str], told: Callable[[str], str]) -> None:
    """Steps, balance of energy, events."""
    rejected = f", {found.rejected} taken back" if found.rejected else ""
    say(f"  {found.steps} steps ({', '.join(found.methods)}){rejected}, {found.evaluations} evaluations")
    if found.energy_scale > 0.0:
        error, moved = found.energy_error, found.energy_scale
        say(f"  energy balances to {error:.1e} J, {error / moved:.1e} of the {moved:.4g} J that moved")
    else:
        say("  no energy moved")
    for what, gain in (("impacts", -found.impact_loss), ("events and jumps of drives", found.change)):
        if abs(gain) > found.energy_error:
            say(f"  {what} {'gave' if gain > 0.0 else 'took'} {abs(gain):.6g} J")
    if found.events:
        say(f"  {len(found.events)} event{'s' * (len(found.events) > 1)}")
    shown = found.events if len(found.events) <= MOST_EVENTS + 2 else found.events[:MOST_EVENTS]
    lines = [_event_line(event, at, told) for event in shown]
    if len(shown) < len(found.events):
        lines.append(f"    ... {len(found.events) - len(shown) - 1} more (see --json)")
        lines.append(_event_line(found.events[-1], at, told))
    for line in lines:
        say(line)


def _event_line(event: Happening, at: Callable[[float | None], str], told: Callable[[str], str]) -> str:
    """When, who and what; without a name that says the time again, and without what a name alone tells."""
    who = "" if event.name.startswith("at ") else told(event.name)
    what = "" if event.kind == "condition" and not event.actions else event.what
    return f"    {at(event.time)}  {': '.join(part for part in (who, what) if part)}"
