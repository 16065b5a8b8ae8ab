"""Where a machine is linearised: an equilibrium, a posture that efforts hold, or a steady motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.equilibrium.asked import asked
from linkwork.analyses.equilibrium.balance import Balance
from linkwork.analyses.equilibrium.equilibrium import Equilibrium
from linkwork.analyses.equilibrium.search import force_scale
from linkwork.analyses.forces.accelerations import rates_by_name
from linkwork.analyses.forces.finite import loads_must_be_finite
from linkwork.analyses.forces.over_run import effort_names
from linkwork.analyses.kinematics.failures import NoFreedom
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.preference import preference
from linkwork.analyses.linear.coefficients import Coefficients, SetPoint, coefficients, mask_of
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

STEADY = 1e-6
"""Part of the forces at hand by which they may change along a motion that is called steady."""


@dataclass(frozen=True, eq=False)
class Held:
    """A set point with its coefficients, and how it is held there.

    at, c : set point and coefficients over all independent rates; held : which of these follow laws
    efforts : what holds the machine there, by variable [N, N m]; warnings : what should be known
    size : what forces are measured by: weights, loads and efforts, scaled to moments [N m]
    pushed : whether efforts hold free coordinates, or it is an instant of a motion; else nothing but the model does
    """

    machine: Machine
    at: SetPoint
    c: Coefficients
    held: Mask
    efforts: dict[str, float]
    warnings: tuple[str, ...]
    size: float
    pushed: bool = False

    @property
    def posture(self) -> Posture:
        """Where the machine is."""
        return Posture(self.at.loops, self.at.y)


def set_point(
    machine: Machine,
    where: Equilibrium | Posture | Mapping[str, Any] | None,
    hold: Mapping[str, Any] | str | Iterable[str] | None,
    rates: Mapping[str, Any] | None,
    efforts: Mapping[str, Any] | None,
    states: Mapping[str, Any] | None,
    t: float | None,
) -> Held:
    """The set point that is asked for; InputError lists everything that is wrong."""
    if isinstance(where, Equilibrium):
        given = {"hold": hold, "efforts": efforts, "states": states, "rates": rates, "t": t}
        told = [
            Problem("it is settled by the equilibrium", name, "ask for another equilibrium, or give its posture")
            for name, value in given.items()
            if value is not None
        ]
        if told:
            raise InputError(told, machine.name)
        own = where._asked
        x = np.array(list(where.states.values()))
        y = own.posture.y.copy()
        y[: machine.plan.ny] = where.posture.y
        y = _measured(own.loops, y)
        balance = Balance(own.loops, where._held, own.t, rates=own.rates)
        (w,), _ = balance.steady(balance.charts[balance.chart_at(y)], y[np.newaxis])
        return held_at(machine, own.loops, y, w, where._held, own.effort, x, own.t)
    found = asked(machine, hold, efforts, where, "nearest", states, t)
    loops = found.loops
    if not found.posture.mobility:
        text = "mobility zero: there are no small motions"
        raise NoFreedom(Problem(text, hint="`statics` tells what its joints carry"), machine.name, found.posture)
    w = rates_by_name(loops, found.posture, rates or {})
    loads_must_be_finite(loops, found.posture.y[np.newaxis], w[np.newaxis], np.array([[found.t]]), found.x)
    return held_at(machine, loops, found.posture.y, w, found.held, found.effort, found.x[0], found.t)


def _measured(loops: Loops, y: Array) -> Array:
    """Coordinates of places among the variables, closed anew: they follow the joints."""
    if not loops.plan.measured:
        return y
    independent = loops.roles(y, np.zeros(loops.columns, bool)).free
    return loops.corrected(y, mask_of(loops, independent))


def held_at(
    machine: Machine,
    loops: Loops,
    y: Array,
    w: Array,
    held: Mask,
    effort: Array,
    x: Array,
    t: float,
    dw: Array | None = None,
) -> Held:
    """The set point with what holds it: efforts along the independent coordinates balance what is left.

    dw : derivatives of all rates, of an instant of a motion; those of a steady motion are found
    """
    roles = loops.chosen(y, held, preference(loops))
    if roles.conflict:
        names_ = ", ".join(loops.names(roles.in_conflict))
        hint = "hold no more than there are freedoms"
        text = f"{names_} contradict each other: they cannot all be held"
        raise InputError(Problem(text, "hold", hint), machine.name)
    columns = roles.independent
    independent = mask_of(loops, columns)
    order = loops.order(y, independent)
    instant = dw is not None
    if dw is None:
        dw = np.zeros(loops.columns)
    if not instant and loops.count and w.any():
        dw = loops.rates(y, independent, [w, dw])[1]
    at = SetPoint(loops, order, columns, y, w, dw, x, effort, t)
    c = coefficients(at)
    names, warnings = effort_names(loops), []
    size = float(np.abs(c.K).max(initial=0.0) + np.abs(c.D).max(initial=0.0) * float(np.abs(w).max(initial=0.0)))
    needed = np.where(np.abs(c.R) > 1e-9 * max(size, float(np.abs(c.R).max(initial=0.0))), c.R, 0.0)
    if needed.any():
        effort = effort.copy()
        effort[columns] += needed
        at = replace(at, effort=effort)
        c = coefficients(at)
    own = {names[k]: float(r) for k, r in zip(columns, needed, strict=True) if r or held[k]}
    restless = [
        f"{plan.name} changes by {change:.4g} a second"
        for plan, change, value in zip(loops.plan.states, c.f, x, strict=True)
        if abs(change) > 1e-6 * (1.0 + abs(value))
    ]
    if restless and not instant:
        hint = "give states= at which they rest, or linearise an equilibrium"
        raise InputError(Problem(f"no state of rest: {', '.join(restless)}", "states", hint), machine.name)
    if w.any() and not instant:
        scale = loops.column_scale[columns]
        drift = np.abs((c.K @ w[columns]) * scale).max(initial=0.0)
        if drift > STEADY * max(size, 1e-300) * max(float(np.abs(w[columns]).max()), 1e-300):
            warnings.append(
                "the motion is not steady: forces change along it, so the coefficients hold for a moment only"
            )
    forces = float(force_scale(Balance(loops, held, t), y[np.newaxis], at.effort)[0])
    pushed = instant or bool(needed[~held[columns]].any())
    return Held(machine, at, c, held[columns], own, tuple(warnings), forces, pushed)
