"""Where no step leads on: singular postures, dead centres, numbers without bound."""

from __future__ import annotations

import math

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.simulation.eliminations import LOST, NEARLY, anew, independence, served
from linkwork.analyses.simulation.halt import Halt
from linkwork.analyses.simulation.hurdles import assert_finite_loads, assert_rows_go_on, is_dead_centre, without_inertia
from linkwork.analyses.simulation.journey import Journey
from linkwork.analyses.simulation.leap import leapt
from linkwork.analyses.simulation.question import FIXED
from linkwork.analyses.simulation.runaway import beyond
from linkwork.geometry import Array
from linkwork.numerics.stepping.runaway import OUT_OF_REACH

SINGULAR = 1e4
"""Health, each pivot as one part of its sum, from which on a posture is told as nearly singular."""


def assert_gets_on(journey: Journey, since: Array) -> None:
    """End here if steps fall to nothing next to a posture at which some freedom has no inertia left.

    since : times after the last steps
    """
    pace = float(since[-1] - since[0]) / len(since) if len(since) > 1 else math.inf
    if pace * OUT_OF_REACH > journey.asked.until - journey.t or journey.method in FIXED or journey.asked.driven:
        return
    names = without_inertia(journey.machine, *journey.p.layout.split(journey.z)[:2])
    if names:
        text = (
            f"the steps fall to {pace:.1g} s at {journey.t:.6g} s, where next to no mass moves with {', '.join(names)}"
        )
        raise Halt(f"{text}; forces do not determine how that goes on, as at a contact where its curve is straight")


def pass_singular(journey: Journey) -> None:
    """Pivots fail: the motion leads past a singular posture, or another elimination serves here, or it ends."""
    if journey.listener is not None:
        journey.listener.arrived()
    loops, plan = journey.machine.loops, journey.machine.plan
    y = journey.z[: plan.ny]
    if not np.isfinite(journey.z).all():
        raise Halt(f"numbers without bound at {journey.t:.6g} s{_beyond(journey)}")
    assert_finite_loads(journey, journey.machine.loops)
    left = independence(journey)
    journey.least_independence = min(journey.least_independence, left)
    if left > LOST and anew(journey, y):  # the rows are sound: other pivots serve
        pass
    elif leapt(journey, journey.target, journey.ends_at(journey.target), journey.journal.since):
        journey.watch()
    elif not anew(journey, y):
        loose = Posture(loops, y.copy()).independent
        text = f"singular posture at {journey.t:.6g} s: forces do not determine how it goes on"
        raise Halt(f"{text}; {', '.join(loose)} move by themselves there")
    if journey.listener is not None:
        journey.listener.leapt()


def take_faint(journey: Journey, y: Array) -> None:
    """The posture of an event is one where the pivots fail; if no others serve there, it is taken as it is."""
    from linkwork.numerics.stepping import advance as loop

    journey.state[loop.HARDY] = 0.0 if served(journey, y) else 1.0


def lengthen(journey: Journey) -> None:
    """The step has become too short: past a singular posture, or the run ends, and says why."""
    from linkwork.numerics.stepping import advance as loop

    if journey.listener is not None:
        journey.listener.arrived()
    assert_finite_loads(journey, journey.machine.loops)
    assert_rows_go_on(journey, journey.machine.loops)
    if (
        journey.p.worst[0] > SINGULAR
        and journey.method not in FIXED
        and independence(journey) < NEARLY
        and leapt(journey, journey.target, journey.ends_at(journey.target), journey.journal.since)
    ):
        journey.watch()
        if journey.listener is not None:
            journey.listener.stuck()
        return
    h = journey.state[loop.STEP]
    if journey.state[loop.BAD] == loop.OPEN:
        raise Halt(f"the loops cannot be closed beyond {journey.t:.6g} s: step {h:.3g} s")
    if journey.method in FIXED:
        raise Halt(f"a step of {h:.3g} s from {journey.t:.6g} s has no solution; take a smaller `step`")
    if is_dead_centre(journey.machine.loops, [d.column for d in journey.asked.driven], journey.z[: journey.p.ny]):
        names = ", ".join(d.name for d in journey.asked.driven)
        raise Halt(f"dead centre at {journey.t:.6g} s: {names} cannot be driven beyond it")
    hint = _beyond(journey) or "; the motion may have no continuation there, or a load jumps: make the jump an event"
    raise Halt(f"the step became too short at {journey.t:.6g} s ({h:.3g} s){hint}")


def _beyond(journey: Journey) -> str:
    return beyond(journey.asked, journey.t, journey.state, journey.z)
