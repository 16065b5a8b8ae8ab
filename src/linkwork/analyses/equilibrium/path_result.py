"""A path of equilibria as labelled numbers, and as a motion that can be played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.equilibrium.spring_energy import potential_energies
from linkwork.analyses.forces.over_run import effort_names, effort_units
from linkwork.equations.closed_forces import load_state
from linkwork.equations.quantities import QUANTITIES, names_of_places
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.equilibrium.paths import EquilibriumPath
    from linkwork.results import Result, Run

UNDECIDED = {"stable": 1.0, "held": 1.0, "unstable": 0.0, "neutral": 0.0}


def path_result(path: EquilibriumPath) -> Result:
    """Signals along the path, over the number of the posture, with what the path lies over as a label."""
    from linkwork.results import build_result

    given, curve, spots = path._given, path._curve, path._track.spots
    family, machine = given.family, path._machine
    plan, count = machine.plan, len(spots)
    loops = family.given.loops
    signals: dict[str, tuple[str, Any, Any]] = {}
    Y = np.stack([spot.y for spot in spots])
    for slot in plan.slots:
        for k, variable in enumerate(slot.law.variables):
            name = f"{slot.owner}.{variable.name}"
            if name != path.over:
                signals[name] = (variable.unit, "sample", Y[:, slot.q.start + k])
    if path.by != path.over:
        signals[path.by] = (family.unit, "sample", path.numbers)
    _efforts(path, signals)
    for k, own in enumerate(plan.states):
        signals[f"{own.name}.value"] = (own.unit or "1", "sample", np.array([spot.x[k] for spot in spots]))
    energies, loads, places = _along(path)
    for k, kind in enumerate(("gravity", "spring")):
        signals[f"machine.{kind}_energy"] = ("J", "sample", energies[:, k])
    for k, load in enumerate(plan.loads):
        if load.signal:
            signals[load.signal] = (load.unit(effort_units(machine.loops)), "sample", loads[:, k])
    for name, positions in places.items():
        signals[f"{name}.position"] = ("m", "sample", positions)
    signals["stable"] = ("1", "sample", np.array([UNDECIDED.get(v, np.nan) for v in path.verdicts]))
    least = [float(told.curvatures.min()) if told.curvatures.size else np.nan for told in path._judged]
    signals["curvature"] = ("N m", "sample", np.array(least))
    m = machine.mechanism
    left = [np.abs(curve.numbers(s.y, s.x, s.mu, s.chart, s.held)[2]).max(initial=0.0) for s in spots]
    return build_result(
        {"sample": ("1", np.arange(count))},
        signals,
        mechanism=machine.name,
        analysis="equilibrium path",
        labels={path.over: ("sample", (path.unit, path.values))},
        joints={s.owner: [v.name for v in s.law.variables] for s in plan.slots}
        | {x.name: ["value"] for x in plan.states},
        bodies=[b for b in m.bodies if b in places],
        frames=[f for f in m.frames if f in places],
        points=[p for p in m.points if p in places],
        status=path.status,
        message=path.message,
        warnings=list(path.warnings),
        evidence={
            "forces left": float(np.max(left) / curve.size),
            "loops": float(loops.residual(Y).max()) if loops.count and family.kind != "parameter" else _loops(path),
        },
        machine=machine,
    )


def _loops(path: EquilibriumPath) -> float:
    family = path._given.family
    if not family.given.loops.count:
        return 0.0
    return max(float(family.loops(spot.mu).residual(spot.y)) for spot in path._track.spots)


def _efforts(path: EquilibriumPath, signals: dict[str, tuple[str, Any, Any]]) -> None:
    """What holds other variables that are held, and what stops push with."""
    given, curve, spots = path._given, path._curve, path._track.spots
    family = given.family
    names, units = effort_names(family.given.loops), effort_units(family.given.loops)
    stopped = sorted({k for spot in spots for k, _ in spot.stops})
    held = np.flatnonzero(family.given.held).tolist()
    if not stopped and not held:
        return
    F = np.zeros((len(spots), len(names)))
    for k, spot in enumerate(spots):
        balance = family.balance(spot.mu, spot.held)
        own = family.chart(balance, spot.mu, spot.chart)
        F[k, own.columns] = -balance.along_all(own, spot.y, spot.x, family.effort(spot.mu))
    for column in held:
        signals[f"{names[column]}.effort"] = (units[column], "sample", F[:, column])
    for k in stopped:
        column = curve.columns[curve.limits[k].place]
        on = np.array([any(k == own for own, _ in spot.stops) for spot in spots])
        signals[f"{names[column]}.push"] = (units[column], "sample", np.where(on, F[:, column], 0.0))


def _along(path: EquilibriumPath) -> tuple[Array, Array, dict[str, Array]]:
    """Energies, magnitudes of loads, and positions of places, by posture."""
    family, machine = path._given.family, path._machine
    plan = machine.plan
    energies, loads, places = [], [], []
    for spot in path._track.spots:
        loops = family.loops(spot.mu) if family.kind == "parameter" else machine.loops
        system = loops.system
        t = np.array([spot.mu if family.kind == "time" else family.given.t])
        y, x = spot.y[: plan.ny], [spot.x] if plan.states else []
        energies.append([*potential_energies(loops, spot.y[: system.plan.ny], spot.x, float(t[0])).values()])
        if plan.loads:
            own = np.zeros(system.plan.nw)
            found = system.bound_kernel(Question(load_state(bool(plan.states))))(spot.y[: system.plan.ny], own, t, *x)
            loads.append(found[0])
        places.append(system.bound_kernel(Question(QUANTITIES["places"]))(y[: plan.nq])[:, :3, 3])
    names = names_of_places(plan)
    positions = np.stack(places)
    return np.array(energies), np.array(loads), {name: positions[:, i] for i, name in enumerate(names)}


def path_run(path: EquilibriumPath, duration: float) -> Run:
    """The path as a motion in time, which runs along it by its length."""
    from linkwork.analyses.kinematics.histories import joint_histories, place_histories, state_signals
    from linkwork.results import ClosureHistory, build_run

    machine, spots = path._machine, path._track.spots
    if not (np.isfinite(duration) and duration > 0.0):
        raise InputError(Problem(f"{duration!r} is no duration", "duration", "give seconds above zero"), machine.name)
    if path._given.family.kind == "parameter" and path.by in machine.mechanism.lets:
        text = f"{path.by} changes the machine itself, which a run cannot show"
        raise InputError(Problem(text, "run"), machine.name)
    loops, plan = machine.loops, machine.plan
    Y = np.ascontiguousarray(np.stack([spot.y[: plan.ny] for spot in spots]))
    scaled = np.column_stack([Y * loops.variable_scale, (path.values - path.values[0]) / (np.ptp(path.values) or 1.0)])
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(scaled, axis=0), axis=1))])
    t = duration * way / (way[-1] or 1.0)
    levels = [np.zeros((len(Y), plan.nw))] * 2
    variables, speeds = joint_histories(loops, Y, levels)
    signals: dict[str, Any] = {}
    if path.by != path.over:
        signals[path.by] = (path._given.family.unit, path.numbers)
    return build_run(
        t, mechanism=machine.name, analysis="equilibrium path", variables=variables, speeds=speeds,
        **place_histories(loops, Y, levels, None), signals=signals,
        closure=ClosureHistory(loops.residual(Y), unit="1") if loops.count else None,
        state=state_signals(loops), status=path.status, message=path.message, warnings=list(path.warnings),
        machine=machine,
    )  # fmt: skip
