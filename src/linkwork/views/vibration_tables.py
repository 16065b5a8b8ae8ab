"""Rest and small motions as tables of text, in the units of the model's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.units import UnitSystem
from linkwork.units.efforts import EffortTexts
from linkwork.views.tables import Dimensions, Table

if TYPE_CHECKING:
    from linkwork.analyses.equilibrium.equilibrium import Equilibrium
    from linkwork.analyses.linear.modes import Mode, Modes

NAMED = 4
"""Joints that are named of a mode."""


def rest_table(rest: Equilibrium, dimensions: Dimensions, units: UnitSystem) -> Table:
    """Where the independent joints rest, what stops and held variables carry, and the energies."""
    from linkwork.units import format_quantity

    rows = [("of", "is")]
    loops = rest.posture.loops
    for name in loops.drivable(rest.posture._roles.independent):
        if name in dimensions:
            rows.append((name, format_quantity(rest[name], dimensions[name], units)))
    own = [*rest.efforts.values(), *rest.stops.values()]
    texts = EffortTexts.among(units, own, [*own, *rest.energies.values()], loops.length)
    for name, value in rest.stops.items():
        rows.append((f"push of the stop of {name}", texts.text(value, rest._unit(name))))
    for name, value in rest.efforts.items():
        rows.append((f"effort that holds {name}", texts.text(value, rest._unit(name))))
    rows += [(f"potential energy in {name}", texts.text(x, "J")) for name, x in rest.energies.items()]
    return Table("posture of rest", tuple(rows))


def mode_table(modes: Modes) -> Table:
    """Frequencies, damping, what moves, and who holds the energy."""
    rows = [("mode", "frequency", "damping ratio", "falls to 1/e in", "what moves", "energy")]
    for mode in modes:
        shares = [*_largest(mode.kinetic), *_largest(mode.elastic)]
        moving = ", ".join(mode.moves[:NAMED]) + (", ..." if len(mode.moves) > NAMED else "")
        rows.append((str(mode.number), frequency_text(mode), _ratio(mode), _decay(mode), moving, ", ".join(shares)))
    return Table("modes", tuple(rows))


def frequency_text(mode: Mode) -> str:
    """'0.3815 Hz', or why there is none."""
    if mode.kind == "rigid":
        return "rigid: nothing resists it"
    return f"{mode.frequency:.4g} Hz" if mode.kind == "oscillating" else f"does not swing, {mode.kind}"


def _ratio(mode: Mode) -> str:
    return "" if mode.kind == "rigid" else f"{0.0 if abs(mode.damping) < 1e-12 else mode.damping:.4g}"


def _decay(mode: Mode) -> str:
    if mode.kind == "rigid" or not np.isfinite(mode.decay):
        return "never"
    return f"{mode.decay:.4g} s" if mode.decay > 0.0 else f"grows by e in {-mode.decay:.4g} s"


def _largest(shares: dict[str, float]) -> list[str]:
    kept = sorted(((n, x) for n, x in shares.items() if x >= 0.05), key=lambda own: -own[1])[:3]
    return [f"{name} {share:.0%}" for name, share in kept]
