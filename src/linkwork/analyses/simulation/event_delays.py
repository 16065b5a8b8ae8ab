"""How the times of events move with what a simulation is differentiated by: δt = -(∂g/∂z δz + ∂g/∂p δp) / (dg/dt)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.analyses.simulation.direction_plant import DirectionPlant
from linkwork.analyses.simulation.jump_sides import owner_of
from linkwork.analyses.simulation.listeners import Watch
from linkwork.equations import conditions
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.model.events import Actions

GRAZES = 1e-9
"""Rate of a watched number, as a part of what moves it, from which on an event is no crossing."""
SMOOTH = 1e-9
"""Part of the rates by which they may differ where nothing jumps."""


def called(plant: DirectionPlant, own: Watch) -> str:
    """The name under which users know what has fired."""
    modes = plant.session.modes
    if own.what == "when":
        return modes.whens[own.which].name or modes.whens[own.which].condition
    if own.what == "jump":
        return owner_of(plant.machine.plan.switched, own.which)[0].owner
    named: Sequence[Any] = {"stop": modes.sides, "lift": modes.sides, "soft": modes.soft}.get(own.what, modes.grips)
    return str(named[own.which].name)


def matters(plant: DirectionPlant, own: Watch) -> bool:
    """Whether the motion has a corner at an event. Where a contact ends its force is zero, and there is none."""
    if own.what == "when":
        event = plant.session.modes.whens[own.which]
        counts = event.direction == "both" or (own.sign < 0) == (event.direction == "rising")
        return counts and event.actions != Actions()
    if own.what == "grip":
        friction = f"{plant.session.modes.grips[own.which].name}.static"
        if plant.machine.parameters.get(friction, 1.0) != 1.0:
            text = f"'{called(plant, own)}' gives way at {plant.session.t:.6g} s by a jump of its force: no derivative"
            raise InputError(Problem(text, friction, "let it be 1"), plant.machine.name)
        return False
    if own.what == "jump":
        law, _ = owner_of(plant.machine.plan.switched, own.which)
        return bool(law.jumps[own.which - law.switches.start])
    return own.what != "lift"


def alike(plant: DirectionPlant, dz: Array, fired: Sequence[Watch]) -> bool:
    """Whether formulas jump together not by chance: the time of all of them moves alike."""
    if any(own.what != "jump" for own in fired):
        return False
    delays = [delayed(plant, dz, own) for own in fired]
    return all(np.allclose(own, delays[0], rtol=SMOOTH, atol=0.0) for own in delays[1:])


def delayed(plant: DirectionPlant, dz: Array, own: Watch) -> Array:
    """How the time of an event moves along each way [s]."""
    engine, p, _ = plant.equipped()
    assert engine.variation is not None
    f, modes, z = plant.slope(), plant.session.modes, plant.session.z
    if own.what in ("stop", "soft"):
        side = (modes.sides if own.what == "stop" else modes.soft)[own.which]
        gaps = engine._bound(Question(conditions.gaps(modes.gaps)))
        values = gaps(z[p.layout.y], z[p.layout.w], np.array([plant.session.t]))
        change, rate = plant.of_gaps(z, dz, np.zeros(len(plant.ways)))[0][:, side.gap], float(values[1][side.gap])
    elif own.what == "slip":
        column = p.ny + own.index
        change, rate = dz[:, column].copy(), float(f[column])
    else:
        varied = engine.variation(plant.session.engine.watched_question)
        tangent = varied.tangent(engine._present(("y", "w", "t", "states")), ("g",))
        here = (*_timed(plant, z, plant.session.t), varied.settled)
        still = np.zeros_like(varied.slopes)
        change = tangent(*here, *_timed(plant, dz, 0.0), varied.slopes)[:, own.index]
        rate = float(tangent(*here, *_timed(plant, f, 1.0), still[0])[own.index])
    if abs(rate) <= GRAZES * np.abs(change).max(initial=0.0):
        if own.what == "jump":
            return np.full(len(plant.ways), np.nan)  # which matters only if there is a jump
        text = f"'{called(plant, own)}' is grazed at {plant.session.t:.6g} s, not crossed: no derivative"
        raise InputError(Problem(text, "events", "change the start, or end the simulation before"), plant.machine.name)
    found: Array = -change / rate
    return found


def _timed(plant: DirectionPlant, z: Array, t: float) -> tuple[Array, ...]:
    """Variables, rates, time and named states, as kernels of conditions take them."""
    y, w, x = plant.session.p.layout.split(z)
    return (y, w, np.array([t]), *([x] if x.shape[-1] else []))
