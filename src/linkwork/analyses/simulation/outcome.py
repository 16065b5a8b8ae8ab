"""From a simulation that has ended to a result: arrays, evidence, and a run by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.analyses.forces.over_run import effort_names, effort_units
from linkwork.analyses.kinematics.given_values import place_of
from linkwork.analyses.kinematics.histories import joint_histories, place_histories, state_histories, state_signals
from linkwork.analyses.kinematics.joint_limits import warnings_of_run
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.simulation.eliminations import NEARLY
from linkwork.analyses.simulation.impasses import SINGULAR
from linkwork.analyses.simulation.question import Asked
from linkwork.analyses.simulation.records import as_data
from linkwork.analyses.simulation.runaway import warnings_of_speed
from linkwork.analyses.simulation.session import Session
from linkwork.equations.load_kinds.joint_load import PushPlan
from linkwork.geometry import Array
from linkwork.model.events import Stop
from linkwork.numerics.stepping import advance as loop
from linkwork.results.request import Request
from linkwork.results.run import Run
from linkwork.results.sensitivities import Sensitivities
from linkwork.results.simulation import Outcome, Simulation
from linkwork.results.simulation_evidence import SimulationEvidence, energy_at_work


@dataclass(frozen=True, eq=False)
class Ended:
    """A simulation that has ended, whoever took its steps.

    outcome : what came of it, as arrays; efforts : along rates, one sample a row; pushes : gives those of `stops`
    trails : times, and (variables, rates, ..., work so far [J]) after steps, as far as they are kept
    jumps : gives times [s] and jumps of the energy [J], those lost in impacts, and those by what events and drives
        changed
    correction : the largest [rad, parts of the machine's size]; warnings : gives what should be known
    energies : (times, variables, rates) -> kinetic, potential [J]
    stops : of stops and of frictions that hold, the signal of their force, and along which expression it acts
    """

    asked: Asked
    outcome: Outcome
    efforts: Array
    pushes: Callable[[], Array]
    trails: Iterable[tuple[Array, Array]]
    jumps: Callable[[], tuple[Sequence[tuple[float, float]], Sequence[tuple[float, float]]]]
    work: float
    correction: float
    warnings: Callable[[], Sequence[str]]
    energies: Callable[[Array, Array, Array], tuple[Array, Array]]
    stops: tuple[tuple[str, str], ...] = ()


def told(
    ended: Ended, threads: int | None, request: Request | None = None, sensitive: Sensitivities | None = None
) -> Simulation:
    """The result of a simulation."""
    return Simulation(
        _of_joints(ended), lambda: _run(ended, threads, request), ended.asked.original, sensitive, request
    )


def _of_joints(ended: Ended) -> Outcome:
    """What came of it without measures that follow laws, which are no variables of the machine."""
    plan, outcome = ended.asked.original.plan, ended.outcome
    if plan is ended.asked.loops.plan:
        return outcome
    y, w, a = outcome.y[:, : plan.ny], outcome.w[:, : plan.nw], outcome.a[:, : plan.nw]
    return replace(outcome, y=np.ascontiguousarray(y), w=np.ascontiguousarray(w), a=np.ascontiguousarray(a))


def ended(session: Session) -> Ended:
    """What a session leaves behind."""
    asked, p, state, reached = session.asked, session.p, session.state, session.reached
    plan = asked.loops.plan
    y, w, x = (np.ascontiguousarray(part) for part in p.layout.split(session.samples.Z[:reached]))
    outcome = Outcome(
        asked.times[:reached],
        y,
        w,
        session.samples.A[:reached],
        session.journal.events,
        session.status,
        session.message,
        session.evaluations + int(p.evaluations[0]),
        int(state[loop.STEPS]),
        int(state[loop.REJECTED]),
        tuple(session.methods),
        x,
        session.samples.D[:reached],
    )
    return Ended(
        asked,
        outcome,
        session.samples.E[:reached],
        lambda: _pushes(session)[:reached],
        session.trails,
        lambda: (session.journal.impacts, session.journal.changes),
        float(state[loop.WORK]),
        float(state[loop.GAP]),
        lambda: [*session.warnings, *_singular(session), *_unphysical(session)],
        lambda t, y, w: _energies(session, t, y, w),
        (
            *((f"{_stop_name(session, k)}.push", what) for k, what in enumerate(session.modes.gaps)),
            *((f"{grip.name}.grip", plan.variables[grip.place]) for grip in session.modes.grips),
        ),
    )


def _pushes(session: Session) -> Array:
    """Forces of stops, and of frictions that hold, one sample a row."""
    P, H = session.samples.P, session.samples.H
    return np.hstack([P, H]) if session.modes.grips else P


def _run(ended: Ended, threads: int | None, request: Request | None) -> Run:
    """The run by name."""
    from linkwork.results import ClosureHistory, build_run

    asked, loops, outcome = ended.asked, ended.asked.loops, ended.outcome
    own, told = asked.original.loops, _of_joints(ended)
    levels = [told.w, told.a]
    variables, speeds = joint_histories(own, told.y, levels)
    variables |= state_histories(own, told.x, told.dx)
    closure = None
    if loops.count and len(outcome.t):
        closure = ClosureHistory(residual=loops.residual(outcome.y), unit="1")
    warnings = [*ended.warnings()]
    if len(outcome.t):
        warnings += warnings_of_run(own, told.y, told.t)
    return build_run(
        outcome.t, mechanism=loops.plan.name, analysis="simulation", variables=variables, speeds=speeds,
        **place_histories(own, told.y, levels, threads), signals=_signals(ended), closure=closure,
        driven={d.name: str(d.drive) for d in asked.driven}, status=outcome.status, message=outcome.message,
        asked=len(asked.times), warnings=warnings, simulation=_evidence(ended, request),
        state=state_signals(loops), machine=asked.original,
    )  # fmt: skip


def _signals(ended: Ended) -> dict[str, tuple[str, Any]]:
    """Efforts and their power, forces of stops, energies."""
    asked, loops, outcome, E = ended.asked, ended.asked.loops, ended.outcome, _all_efforts(ended)
    names, units = effort_names(loops), effort_units(loops)
    acting = {d.column for d in asked.driven} | {c for c, _ in asked.pushed} | set(np.flatnonzero(E.any(axis=0)))
    signals: dict[str, tuple[str, Any]] = {}
    for column in sorted(acting):
        signals[f"{names[column]}.effort"] = (units[column], E[:, column])
        signals[f"{names[column]}.power"] = ("W", E[:, column] * outcome.w[:, column])
    pushes = ended.pushes()
    for k, (name, what) in enumerate(ended.stops):
        signals[name] = (_push_unit(loops, what, units), pushes[:, k])
    kinetic, potential = ended.energies(outcome.t, outcome.y, outcome.w)
    signals["machine.kinetic_energy"] = ("J", kinetic)
    signals["machine.potential_energy"] = ("J", potential)
    return signals


def _all_efforts(ended: Ended) -> Array:
    """Efforts along rates, those by formula too, which acted as loads."""
    asked, outcome = ended.asked, ended.outcome
    added = set(asked.machine.mechanism.loads) - set(asked.original.mechanism.loads)
    formulas = [(k, load) for k, load in enumerate(asked.loops.plan.loads) if load.name in added]
    if not formulas:
        return ended.efforts
    times = np.ascontiguousarray(outcome.t[:, np.newaxis])
    magnitudes, _ = asked.machine._load_state(outcome.y, outcome.w, times, outcome.x)
    efforts = ended.efforts.copy()
    for k, load in formulas:
        assert isinstance(load, PushPlan)
        efforts[:, load.along.w] += magnitudes[:, k]
    return efforts


def _changed(ended: Ended) -> tuple[str, ...]:
    """Parameters that events set, and loads that they switched, on the way."""
    took_place = {event.actions for event in ended.outcome.events if event.actions}
    names: list[str] = []
    for event in ended.asked.events:
        if not isinstance(event, Stop) and as_data(event.actions) in took_place:
            states = [plan.name for plan in ended.asked.loops.plan.states]  # whose values the run has
            names += [*(n for n, _ in event.actions.set if n not in states), *event.actions.on, *event.actions.off]
    return tuple(dict.fromkeys(names))


def _stop_name(session: Session, gap: int) -> str:
    """The name under which the force of a stop is told."""
    named = (s.stop.name for s in [*session.modes.sides, *session.modes.soft] if s.gap == gap)
    return next(named, "") or f"stop{gap}"


def _push_unit(loops: Loops, what: str, units: Sequence[str]) -> str:
    """Unit of the force of a stop: of its variable, or of a coordinate."""
    found = place_of(loops, what)
    return "N" if found is None else units[found[0].v.start + found[1]]


def _energies(session: Session, t: Array, y: Array, w: Array) -> tuple[Array, Array]:
    """Kinetic and potential, with masses and loads as they were at the times; at that of a change, as they became."""
    states = [session.asked.x] if session.asked.x.size else []  # which have a part in the power alone
    if len(session.chapters) == 1:
        _, engine, switch = session.chapters[0]
        y, w = np.ascontiguousarray(y), np.ascontiguousarray(w)
        kinetic, potential, _ = engine.energies(y, w, t[:, np.newaxis], session.p.slip, switch, *states)
        return kinetic, potential
    since = np.array([start for start, _, _ in session.chapters])
    own = np.maximum(np.searchsorted(since, t, side="right") - 1, 0)
    found = np.zeros((2, len(t)))
    for k in np.unique(own):
        _, engine, switch = session.chapters[k]
        chosen = own == k
        own_time = t[chosen, np.newaxis]
        found[:, chosen] = engine.energies(y[chosen], w[chosen], own_time, session.p.slip, switch, *states)[:2]
    return found[0], found[1]


def _evidence(ended: Ended, request: Request | None) -> SimulationEvidence:
    outcome, ny, nw = ended.outcome, len(ended.asked.y), len(ended.asked.w)
    first = np.concatenate([ended.asked.y, ended.asked.w, ended.asked.x])
    t = np.concatenate([np.zeros(1), *(own for own, _ in ended.trails)])
    states = np.vstack([first, *(own[:, : len(first)] for _, own in ended.trails)])
    work = np.concatenate([np.zeros(1), *(own[:, -1] for _, own in ended.trails)])
    kinetic, potential = ended.energies(
        np.nextafter(t, -np.inf), states[:, :ny], states[:, ny : ny + nw]
    )  # before events
    whole = kinetic + potential
    jumps = np.zeros(len(t))
    impacts, changes = ended.jumps()
    for when, jump in [*impacts, *changes]:
        jumps[np.searchsorted(t, when, side="right") :] += jump
    error = np.abs(whole - whole[:1] - work - jumps)
    scale = max(float(np.ptp(kinetic)), float(np.ptp(potential)), float(np.abs(work).max()))
    rounding = 1e-13 * float(np.abs(np.stack([kinetic, potential])).max())
    return SimulationEvidence(
        methods=outcome.methods,
        steps=outcome.steps,
        rejected=outcome.rejected,
        evaluations=outcome.nfev,
        energy_error=float(error.max()),
        energy_scale=float(energy_at_work(scale, rounding, np.abs(kinetic).max())),
        work=ended.work,
        impact_loss=0.0 - float(sum(jump for _, jump in impacts)),
        change=0.0 + float(sum(jump for _, jump in changes)),
        largest_correction=ended.correction,
        events=outcome.events,
        stops=dict(ended.stops),
        numbers=dict(ended.asked.original._overrides),
        changed=_changed(ended),
        request={} if request is None else request.as_dict(),
    )


def _unphysical(session: Session) -> list[str]:
    ny, nw = session.p.ny, session.p.nw
    rates = [session.samples.Z[: session.reached, ny : ny + nw], *(own[:, ny : ny + nw] for _, own in session.trails)]
    return warnings_of_speed(session.asked.loops, rates)


def _singular(session: Session) -> list[str]:
    worst = float(session.state[loop.WORST])
    if worst < SINGULAR or min(session.least_independence, 1.0 - float(session.state[loop.LOSS])) > NEARLY:
        return []
    return [f"the machine passed close by a singular posture: pivots shrank to {1.0 / np.sqrt(worst):.1g}"]
