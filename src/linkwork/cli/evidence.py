"""How far a run can be trusted, in a few lines: shared by the commands that move a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.cli.printing import console, print_problems, say, title
from linkwork.errors import Problem

if TYPE_CHECKING:
    from linkwork.results import Run
    from linkwork.units import UnitSystem


def held_in(run: Run) -> list[str]:
    """Variables that nothing drove and that were held."""
    return [name for name, law in run.driven.items() if law == "held"]


def print_evidence(name: str, run: Run, texts: dict[str, str], units: UnitSystem) -> None:
    """What was driven and held, how far it came, how well the loops closed, and what was noticed."""
    from linkwork.units import TIME, format_quantity

    found = run.evidence
    title(name, "  [bold green]complete[/bold green]" if found.complete else "  [bold red]stopped[/bold red]")
    for variable, text in texts.items():
        say(f"  driven: {variable} = {text}")
    if held := held_in(run):
        say(f"  held: {', '.join(held[:12])}{f' and {len(held) - 12} more' if len(held) > 12 else ''}")

    def at(time: float | None) -> str:
        return format_quantity(time or 0.0, TIME, units)

    samples = f"{found.reached}" if found.complete else f"{found.reached} of {found.asked}"
    span = f", time {at(found.span[0])} to {at(found.span[1])}" if found.span else ""
    say(f"  {samples} sample{'s' * (found.asked != 1)}{span}")
    if found.worst_residual is not None and found.smallest_quality is not None:
        residual = f"largest residual {found.worst_residual:.1e}"
        quality = f"smallest quality {found.smallest_quality:.3g} at {at(found.smallest_quality_at)}"
        mobility = f", mobility {' and '.join(map(str, found.mobility))}" if len(found.mobility) > 1 else ""
        say(f"  {residual}, {quality}{mobility}")
    if not found.complete:
        out = console()
        out.print("  stopped: ", style="bold red", end="")
        out.print(found.message, markup=False, soft_wrap=True)
    print_problems([Problem(text, severity="warning") for text in found.warnings])
