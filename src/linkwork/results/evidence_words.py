"""The evidence in words, once: for summaries, notebooks, the command line, reports and the workbench.

Every line has a title and a text. `at` gives a time in the units of the reader, `told` names in the reader's words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from linkwork.results.evidence import Evidence
from linkwork.results.force_evidence import ForceEvidence, Peak
from linkwork.results.happenings import RECORDED, Happening
from linkwork.results.simulation_evidence import SimulationEvidence

Line = tuple[str, str]
Clock = Callable[[float], str]
Teller = Callable[[str], str]

MAX_HELD = 12


def seconds(time: float) -> str:
    """'0.628319 s'."""
    return f"{time:.6g} s"


def samples_text(found: Evidence, at: Clock = seconds, part: str = "") -> str:
    """'181, time 0 s to 1 s'; '7 of 181' where it stopped."""
    text = f"{found.reached}" if found.complete or found.reached >= found.asked else f"{found.reached} of {found.asked}"
    if found.span is not None:
        text += f", time {at(found.span[0])} to {at(found.span[1])}"
    return f"{text} (a part: {part})" if part else text


def status_text(found: Evidence, told: Teller = str) -> str:
    """'complete'; 'stopped after 7 of 181 samples: ' and why."""
    text = found.status
    if not found.complete and found.reached < found.asked:
        text += f" after {found.reached} of {found.asked} samples"
    return f"{text}: {told(found.message)}" if found.message else text


def held_text(held: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(held) - MAX_HELD} more" if len(held) > MAX_HELD else ""
    return f"{', '.join(held[:MAX_HELD])}{more}"


def closing_lines(found: Evidence, at: Clock = seconds) -> list[Line]:
    """How well the loops closed, how near a singular posture came, and what only rates determine."""
    lines: list[Line] = []
    if found.worst_residual is not None:
        unit = "" if found.residual_unit == "1" else f" {found.residual_unit}"
        lines.append(("largest residual", f"{found.worst_residual:.2e}{unit} at {at(found.worst_residual_at or 0.0)}"))
    if found.smallest_quality is not None:
        lines.append(("smallest quality", f"{found.smallest_quality:.3g} at {at(found.smallest_quality_at or 0.0)}"))
    if found.iterations is not None:
        lines.append(("iterations", f"{found.iterations}, at most {found.most_iterations} a sample"))
    if len(found.mobility) > 1:
        lines.append(("mobility", f"changes: {', '.join(map(str, found.mobility))}"))
    if (own := found.integration) is not None:
        text = f"what {', '.join(own.held)} determines, to {own.tolerance:.0e} in {own.steps} steps"
        lines.append(("integrated", text))
    return lines


def simulation_lines(found: SimulationEvidence) -> list[Line]:
    """Steps, balance of energy, what impacts and changes did to it."""
    rejected = f", {found.rejected} taken back" if found.rejected else ""
    lines = [("steps", f"{found.steps}{rejected}, {found.evaluations} evaluations ({', '.join(found.methods)})")]
    if found.largest_correction > 0.0:
        lines.append(("largest correction", f"{found.largest_correction:.1e}"))
    error, moved = found.energy_error, found.energy_scale
    balance = f"balances to {error:.1e} J, {error / moved:.1e} of the {moved:.4g} J that moved" if moved > 0.0 else ""
    lines.append(("energy", balance or "none moved"))
    for what, gain in (("impacts", -found.impact_loss), ("events and jumps of drives", found.change)):
        if abs(gain) > error:
            lines.append((what, f"{'gave' if gain > 0.0 else 'took'} {abs(gain):.6g} J"))
    return lines


def event_text(event: Happening, at: Clock = seconds, told: Teller = str) -> str:
    """When, who and what; without a name that says the time again, and without what a name alone tells."""
    who = "" if event.name.startswith("at ") else told(event.name)
    what = "" if event.what == RECORDED else event.what
    return f"{at(event.time)}  {': '.join(part for part in (who, what) if part)}"


def event_lines(events: Sequence[Happening], at: Clock = seconds, told: Teller = str) -> list[Line]:
    """The first and the last event in one line."""
    if not events:
        return []
    first = f"{len(events)}: {event_text(events[0], at, told)}"
    return [("events", first if len(events) == 1 else f"{first}; the last {event_text(events[-1], at, told)}")]


def force_lines(found: ForceEvidence, at: Clock = seconds) -> list[Line]:
    """What drives take, what joints carry, and how well the power balances."""

    def peak(own: Peak) -> str:
        if math.isnan(own.value):
            return f"{own.name}, not known"
        gaps = f", not known at {own.missing} sample{'s' * (own.missing > 1)}" if own.missing else ""
        return f"{own.name}, peak {own.value:.6g} {own.unit} at {at(own.at)}{gaps}"

    lines = [("effort", peak(e) + ("" if e.missing else f", rms {e.rms:.6g} {e.unit}")) for e in found.efforts]
    for what, largest in (("force", found.largest_force), ("moment", found.largest_moment)):
        if largest is not None:
            start = f"{largest.name}.{what[0]}"  # B.f of B.fx
            left = [c.removeprefix(f"{largest.name}.") for c in found.indeterminate if c.startswith(start)]
            lines.append((f"largest {what}", peak(largest) + (f", without {', '.join(left)}" if left else "")))
    if found.indeterminate:
        lines.append(("indeterminate", shortened(", ".join(found.indeterminate), 120)))
    if balance := balance_text(found, at):
        lines.append(("power balance", balance))
    return lines


def balance_text(found: ForceEvidence, at: Clock = seconds) -> str:
    """How well the power balances; '' where it was not recorded."""
    if found.power_error is None:
        return ""
    text = f"{found.power_error:.2e} W off at {at(found.power_error_at or 0.0)}"
    if found.largest_power:
        text += f", {found.power_error / found.largest_power:.1e} of the largest power, {found.largest_power:.6g} W"
    return text


def shortened(text: str, most: int = 600) -> str:
    """Text that is not longer than it may be."""
    return text if len(text) <= most else text[: most - 4] + " ..."
