"""From a sensitive session that has ended to derivatives of every signal, by the names of the signals."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.analyses.kinematics.histories import joint_histories, state_histories
from linkwork.analyses.simulation.outcome import Ended
from linkwork.analyses.simulation.outcome import _signals as signals_of
from linkwork.analyses.simulation.parameter_kernels import Variation
from linkwork.analyses.simulation.sensitivity import Sensitivity
from linkwork.equations import simulation
from linkwork.equations.quantities import QUANTITIES
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.results import PlaceHistory, Run, build_run
from linkwork.results.sensitivities import Sensitivities


def sensitivities(carried: Sensitivity, ended: Ended) -> Sensitivities:
    """Derivatives by everything that the session was asked for, made when they are first asked for."""
    names = [way.name for way in carried.ways]
    units = {way.name: way.unit for way in carried.ways}
    return Sensitivities(units, lambda by: _slopes(carried, ended, names.index(by)), lambda: _ends(carried, ended))


def _ends(carried: Sensitivity, ended: Ended) -> tuple[Array, Array, Array]:
    """Derivatives of variables, rates and named states at the last sample, by everything."""
    count, reached = len(carried.ways), len(ended.outcome.t)
    Y, W, X = carried.session.p.layout.split(carried.found.Z[(reached - 1) * count : reached * count])
    return Y, W, X


def _slopes(carried: Sensitivity, ended: Ended, j: int) -> Run:
    """Derivatives of all signals by one parameter or start, as a run."""
    asked, loops, outcome = ended.asked, ended.asked.loops, ended.outcome
    count, reached = len(carried.ways), len(outcome.t)
    Z, A, E, P, D = (getattr(carried.found, name)[j : reached * count : count] for name in ("Z", "A", "E", "P", "D"))
    Y, W, X = carried.session.p.layout.split(Z)
    variables, speeds = joint_histories(loops, Y, [W, A])
    variables |= state_histories(loops, X, D)
    return build_run(
        outcome.t, mechanism=loops.plan.name, analysis="simulation", variables=variables, speeds=speeds,
        **_places(carried, ended, j, Y, W, A), signals=_signals(carried, ended, j, Y, W, E, P),
        driven={d.name: str(d.drive) for d in asked.driven}, status=outcome.status, message=outcome.message,
        asked=len(asked.times), machine=asked.machine,
    )  # fmt: skip


def _places(carried: Sensitivity, ended: Ended, j: int, Y: Array, W: Array, A: Array) -> dict[str, Any]:
    """Derivatives of positions, rotations, velocities and accelerations of bodies, frames and points."""
    loops, plan, outcome = ended.asked.loops, ended.asked.loops.plan, ended.outcome
    varied = Variation(loops.system, tuple(w.parameter for w in carried.ways))(Question(QUANTITIES["motion"]))
    tangent = varied.tangent(("q", "v", "a"), ("X", "V", "A"))
    state = [outcome.y[:, : plan.nq], outcome.w[:, : plan.nv], outcome.a[:, : plan.nv]]
    moved = [Y[:, : plan.nq], W[:, : plan.nv], A[:, : plan.nv]]
    given = [np.ascontiguousarray(x) for x in (*state, *moved)]
    X, V, Q = (np.asarray(x) for x in tangent(*given[:3], varied.settled, *given[3:], varied.slopes[j]))
    names = [*plan.index, *(m.name for m in plan.points), *(m.name for m in plan.frames)]
    point = {m.name for m in plan.points}
    made: dict[str, PlaceHistory] = {}
    for i, name in enumerate(names):
        turns: dict[str, Any] = {}
        if name not in point:
            turns = {"rotation": X[:, i, 3:].reshape(-1, 3, 3), "angular_velocity": V[:, i, 3:]}
            turns["angular_acceleration"] = Q[:, i, 3:]
        made[name] = PlaceHistory(X[:, i, :3], V[:, i, :3], Q[:, i, :3], **turns)
    m = loops.system.mechanism
    kinds = {"bodies": [*m.bodies], "frames": [*m.frames], "points": [*m.points]}
    return {kind: {n: made[n] for n in own if n in made} for kind, own in kinds.items()}


def _signals(
    carried: Sensitivity, ended: Ended, j: int, Y: Array, W: Array, E: Array, P: Array
) -> dict[str, tuple[str, Any]]:
    """Derivatives of efforts and their power, of forces of stops, and of energies."""
    from linkwork.analyses.forces.over_run import effort_names

    outcome = ended.outcome
    columns = {name: k for k, name in enumerate(effort_names(ended.asked.loops))}
    gaps = {f"{name}.push": k for k, (name, _) in enumerate(ended.stops)}
    energies = dict(zip(("kinetic_energy", "potential_energy"), _energies(carried, ended, j, Y, W), strict=True))
    found: dict[str, tuple[str, Any]] = {}
    for name, (unit, _) in signals_of(ended).items():
        owner, _, what = name.rpartition(".")
        if name in gaps:
            found[name] = unit, P[:, gaps[name]]
        elif owner == "machine" and what in energies:
            found[name] = unit, energies[what]
        elif owner in columns and what in ("effort", "power"):
            k = columns[owner]
            power = E[:, k] * outcome.w[:, k] + ended.efforts[:, k] * W[:, k]
            found[name] = unit, E[:, k] if what == "effort" else power
    return found


def _energies(carried: Sensitivity, ended: Ended, j: int, Y: Array, W: Array) -> tuple[Array, Array]:
    """Derivatives of kinetic and potential energy, each sample with the numbers and loads of its time."""
    outcome, plan = ended.outcome, ended.asked.loops.plan
    slip = np.zeros(plan.n_slips)
    states = [ended.asked.x] if plan.states else []  # which have a part in the power alone
    kinetic, potential = np.zeros((2, len(outcome.t)))
    began = np.array([t for t, _, _ in carried.variations])
    chapter = np.searchsorted(began, outcome.t, side="right") - 1
    for k, (_, variation, switch) in enumerate(carried.variations):
        own = np.flatnonzero(chapter == k)
        if not own.size:
            continue
        varied = variation(Question(simulation.energies(plan, carried.session.engine.needs.switched)))
        tangent = varied.tangent(("y", "w"), ("kinetic", "potential"))
        state = (outcome.y[own], outcome.w[own], outcome.t[own, np.newaxis])
        kinetic[own], potential[own] = tangent(
            *state, slip, switch, *states, varied.settled, Y[own], W[own], varied.slopes[j]
        )
    return kinetic, potential
