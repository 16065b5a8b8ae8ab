"""What can be drawn over a motion. A new layer is one function in a file of its own and one line in `LAYERS`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from linkwork.analyses.machine import Machine
from linkwork.errors import InputError, Problem
from linkwork.names import no_such
from linkwork.results import Run
from linkwork.views.layers.arrows import acceleration_layer, velocity_layer
from linkwork.views.layers.force_arrows import has_forces, load_layer, reaction_layer
from linkwork.views.layers.parts import Curve, Layer, Segments
from linkwork.views.layers.paths import centrode_layer, screw_layer, trace_layer

Maker = Callable[[Machine, Run], Layer | None]

LAYERS: dict[str, Maker] = {
    "traces": trace_layer,
    "velocity": velocity_layer,
    "acceleration": acceleration_layer,
    "screws": screw_layer,
    "centrodes": centrode_layer,
    "reactions": reaction_layer,
    "loads": load_layer,
}
"""By name, in the order in which they are offered; a maker gives None where there is nothing to draw."""
OF_FORCES = ("reactions", "loads")
"""Layers that only a run of forces has."""


def layers_of(s: Machine, run: Run, names: Iterable[str] | None = None) -> list[Layer]:
    """Layers over a run, by name, or all; those that have nothing to draw are left out.

    InputError where a layer is asked for that does not exist, or one of forces of a run that has none.
    """
    asked = list(LAYERS) if names is None else list(names)
    problems = [no_such("layer", n, LAYERS, "layers") for n in asked if n not in LAYERS]
    if names is not None and not has_forces(run):
        hint = "ask s.forces(run), and show what it gives"
        problems += [Problem(f"the run has no forces, so no {n}", "layers", hint) for n in asked if n in OF_FORCES]
    if problems:
        raise InputError(problems)
    return [layer for n in asked if (layer := LAYERS[n](s, run)) is not None]


__all__ = ["LAYERS", "OF_FORCES", "Curve", "Layer", "Segments", "has_forces", "layers_of"]
