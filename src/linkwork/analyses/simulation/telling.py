"""From a session that has ended to a result: arrays, evidence, and a run by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.forces.over_run import effort_names, effort_units
from linkwork.analyses.kinematics.given import place_of
from linkwork.analyses.kinematics.histories import joint_histories, place_histories
from linkwork.analyses.kinematics.joint_limits import warnings_of_run
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.simulation.session import SINGULAR, Session
from linkwork.geometry import Array
from linkwork.results.simulation import Outcome, Simulation
from linkwork.results.simulation_evidence import SimulationEvidence

if TYPE_CHECKING:
    import xarray as xr


def told(session: Session, threads: int | None) -> Simulation:
    """The result of a session."""
    from linkwork.numerics.stepping import advance as loop

    asked, p, reached = session.asked, session.p, session.reached
    Z = session.samples.Z[:reached]
    outcome = Outcome(
        asked.times[:reached],
        Z[:, : p.ny],
        Z[:, p.ny :],
        session.samples.A[:reached],
        tuple(session.happened),
        session.status,
        session.message,
        session.evaluations + int(p.evaluations[0]),
        int(session.state[loop.STEPS]),
        int(session.state[loop.REJECTED]),
        tuple(session.methods),
    )
    return Simulation(outcome, lambda: _dataset(session, outcome, threads), asked.machine)


def _dataset(session: Session, outcome: Outcome, threads: int | None) -> xr.Dataset:
    from linkwork.results import ClosureHistory, build_run

    asked, loops = session.asked, session.asked.loops
    levels = [outcome.w, outcome.a]
    variables, speeds = joint_histories(loops, outcome.y, levels)
    closure = None
    if loops.count and len(outcome.t):
        closure = ClosureHistory(residual=loops.residual(outcome.y), unit="1")
    evidence = _evidence(session, outcome)
    warnings = [*session.warnings, *_singular(session)]
    if len(outcome.t):
        warnings += warnings_of_run(loops, outcome.y, outcome.t)
    run = build_run(
        outcome.t, mechanism=loops.plan.name, analysis="simulation", variables=variables, speeds=speeds,
        **place_histories(loops, outcome.y, levels, threads), signals=_signals(session, outcome), closure=closure,
        driven={d.name: str(d.drive) for d in asked.driven}, status=outcome.status, message=outcome.message,
        asked=len(asked.times), warnings=warnings, simulation=evidence, machine=asked.machine,
    )  # fmt: skip
    return run.data


def _signals(session: Session, outcome: Outcome) -> dict[str, tuple[str, Any]]:
    """Efforts and their power, forces of stops, energies."""
    asked, loops, reached = session.asked, session.asked.loops, len(outcome.t)
    names, units = effort_names(loops), effort_units(loops)
    E, P = session.samples.E[:reached], session.samples.P[:reached]
    acting = {d.column for d in asked.driven} | {c for c, _ in asked.pushed} | set(np.flatnonzero(E.any(axis=0)))
    signals: dict[str, tuple[str, Any]] = {}
    for column in sorted(acting):
        signals[f"{names[column]}.effort"] = (units[column], E[:, column])
        signals[f"{names[column]}.power"] = ("W", E[:, column] * outcome.w[:, column])
    for k, what in enumerate(session.modes.gaps):
        signals[f"{_stop_name(session, k)}.push"] = (_push_unit(loops, what, units), P[:, k])
    kinetic, potential = _energies(session, outcome.t, outcome.y, outcome.w)
    signals["machine.kinetic_energy"] = ("J", kinetic)
    signals["machine.potential_energy"] = ("J", potential)
    return signals


def _stop_name(session: Session, gap: int) -> str:
    """The name under which the force of a stop is told."""
    named = (s.stop.name for s in [*session.modes.sides, *session.modes.soft] if s.gap == gap)
    return next(named, "") or f"stop{gap}"


def _push_unit(loops: Loops, what: str, units: Sequence[str]) -> str:
    """Unit of the force of a stop: of its variable, or of a coordinate."""
    found = place_of(loops, what)
    return "N" if found is None else units[found[0].v.start + found[1]]


def _energies(session: Session, t: Array, y: Array, w: Array) -> tuple[Array, Array]:
    p = session.p
    kernel = session.engine.energies
    kinetic, potential, _ = kernel(
        np.ascontiguousarray(y), np.ascontiguousarray(w), np.ascontiguousarray(t[:, np.newaxis]), p.slip, p.switch
    )
    return kinetic, potential


def _evidence(session: Session, outcome: Outcome) -> SimulationEvidence:
    from linkwork.numerics.stepping import advance as loop

    state, p = session.state, session.p
    t = np.concatenate([np.zeros(1), *(own for own, _ in session.trails)])
    rows = np.vstack([np.zeros((1, p.n + p.nw + 1)), *(own for _, own in session.trails)])
    rows[0, : p.n] = np.concatenate([session.asked.y, session.asked.w])
    kinetic, potential = _energies(session, t, rows[:, : p.ny], rows[:, p.ny : p.n])
    whole = kinetic + potential
    jumps = np.zeros(len(t))
    for when, jump in session.jumps:
        jumps[np.searchsorted(t, when, side="right") :] += jump
    error = np.abs(whole - whole[:1] - rows[:, -1] - jumps)
    scale = max(float(np.ptp(kinetic)), float(np.ptp(potential)), float(np.abs(rows[:, -1]).max()), 1e-300)
    return SimulationEvidence(
        methods=outcome.methods,
        steps=outcome.steps,
        rejected=outcome.rejected,
        evaluations=outcome.nfev,
        energy_error=float(error.max()),
        energy_scale=scale if scale > 1e-300 else 0.0,
        work=float(state[loop.WORK]),
        impact_loss=-float(sum(jump for _, jump in session.jumps)),
        largest_correction=float(state[loop.GAP]),
        events=outcome.events,
        stops={f"{_stop_name(session, k)}.push": what for k, what in enumerate(session.modes.gaps)},
    )


def _singular(session: Session) -> list[str]:
    from linkwork.numerics.stepping import advance as loop

    worst, parts = float(session.state[loop.WORST]), max(1, len(session._elimination.usual))
    if worst < SINGULAR * parts:
        return []
    return [f"the machine passed close by a singular posture: pivots shrank to {1.0 / np.sqrt(worst / parts):.1g}"]
