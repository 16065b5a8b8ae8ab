"""What can be drawn over a motion. A new layer is one function in a file of its own and one line in `LAYERS`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from linkwork.analyses.machine import Machine
from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.results import Run
from linkwork.views.layers.arrows import acceleration_layer, velocity_layer
from linkwork.views.layers.parts import Curve, Layer, Segments
from linkwork.views.layers.paths import centrode_layer, screw_layer, trace_layer

Maker = Callable[[Machine, Run], Layer | None]

LAYERS: dict[str, Maker] = {
    "traces": trace_layer,
    "velocity": velocity_layer,
    "acceleration": acceleration_layer,
    "screws": screw_layer,
    "centrodes": centrode_layer,
}
"""By name, in the order in which they are offered; a maker gives None where there is nothing to draw."""


def layers_of(s: Machine, run: Run, names: Iterable[str] = LAYERS) -> list[Layer]:
    """Layers over a run, by name; those that have nothing to draw are left out."""
    asked = list(names)
    unknown = [Problem(f"no layer '{n}'", "layers", did_you_mean(n, LAYERS)) for n in asked if n not in LAYERS]
    if unknown:
        raise ModelError(unknown)
    return [layer for n in asked if (layer := LAYERS[n](s, run)) is not None]


__all__ = ["LAYERS", "Curve", "Layer", "Segments", "layers_of"]
