"""Accelerations by name: what forces make of a machine at a posture, or at many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.analyses.forces.asked import named_numbers
from linkwork.analyses.forces.drives import Drives, Sharing, columns_of
from linkwork.analyses.forces.external import external_wrenches
from linkwork.analyses.forces.finite import one_time
from linkwork.analyses.forces.forward import ForwardDynamics
from linkwork.analyses.forces.over_run import constraint_efforts, effort_units
from linkwork.analyses.forces.reactions import Found, forces_along, joints_of
from linkwork.analyses.forces.self_stress import left_open, open_names
from linkwork.analyses.forces.statics import Reaction, reaction_of
from linkwork.analyses.forces.stiction import Stuck, with_friction
from linkwork.analyses.forces.trajectory import Trajectory, states_at_start
from linkwork.analyses.kinematics.given_values import measured_by
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.posture import Posture
from linkwork.equations.load_plans import exact_frictions
from linkwork.equations.loop_solver import length_rates
from linkwork.errors import Gathered, InputError, ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.text_values import in_si
from linkwork.units import TIME


@dataclass(frozen=True, eq=False)
class Acting:
    """What accelerations come with, at a time t [s].

    rates, efforts : of all joints; what rests is at rest, and its friction is among the efforts
    external : wrenches on the bodies from outside (1, 6 bodies), if there are any
    """

    rates: Array
    efforts: Array
    external: Array | None
    t: float


@dataclass(frozen=True, eq=False)
class Accelerations:
    """What a machine does when forces act.

    names : of the rates of all joints; values (..., rates) [rad/s², m/s²] : their derivatives
    rates (..., rates) : the rates themselves; posture : where it is
    stuck : frictions that hold, by name, with the force [N, N m] that they hold with
    """

    posture: Posture
    names: tuple[str, ...]
    rates: Array
    values: Array
    stuck: dict[str, float]
    _acting: Acting

    def __getitem__(self, name: str) -> float:
        """Acceleration of a variable or joint, by name."""
        (column,) = columns_of(self.posture.loops, [name])
        return float(self.values[column])

    @cached_property
    def reactions(self) -> dict[str, Reaction]:
        """What the joints carry meanwhile, by joint: force and moment of the first body on the second."""
        loops, found = self.posture.loops, self._found
        marks = open_names(joints_of(loops), left_open(loops, self.posture.y[np.newaxis], self._independent))
        return {
            joint: reaction_of(wrench, marks.get(joint, ()))
            for joint, wrench in zip(joints_of(loops), found.wrenches[0], strict=True)
            if joint in loops.system.mechanism.joints
        }

    @cached_property
    def constraints(self) -> dict[str, float]:
        """Effort along every coupling and constraint meanwhile, by name; not a number where it is indeterminate."""
        y, multipliers = self.posture.y[np.newaxis], self._found.multipliers
        efforts, _ = constraint_efforts(self.posture.loops, y, self._independent, multipliers)
        return {name.removesuffix(".effort"): float(values[0]) for name, (_, values) in efforts.items()}

    @property
    def _independent(self) -> Mask:
        found: Mask = np.isin(np.arange(self.posture.loops.columns), self.posture._roles.independent)
        return found

    @cached_property
    def _found(self) -> Found:
        loops, now = self.posture.loops, self._acting
        columns = np.asarray(self.posture._roles.independent, np.int64)
        y, w, dw = (x[np.newaxis] for x in (self.posture.y, now.rates, self.values))
        path = Trajectory(np.array([now.t]), y, w, dw, states_at_start(loops, 1))
        drives = Drives(columns, self._independent, np.zeros(0, np.int64))
        alone = Sharing(np.zeros((1, len(columns))), np.ones(len(columns)))  # nothing is shared: no drive is left over
        found = forces_along(loops, drives, path, now.efforts[np.newaxis], alone, now.external, 1)
        if found.singular.size:
            raise InputError(Problem("singular posture: the reactions are not determined there"), loops.plan.name)
        return found

    def __str__(self) -> str:
        plan = self.posture.loops.plan
        units = dict(zip(plan.variable_rates, acceleration_units(self.posture.loops), strict=True))
        lines = [f"{plan.name} under its forces"]
        rounding = 1e-12 * np.abs(self.values).max(initial=0.0)
        shown = np.where(np.abs(self.values) <= rounding, 0.0, self.values)
        lines += [f"  {n} accelerates by {x:.6g} {units[n]}" for n, x in zip(self.names, shown, strict=True)]
        along = {load.name: load.along.w for load in exact_frictions(plan.loads)}
        forces = effort_units(self.posture.loops)
        lines += [f"  {n} holds with {x:.6g} {forces[along[n]]}" for n, x in self.stuck.items()]
        return "\n".join(lines)

    __repr__ = __str__

    def body(self, name: str) -> Array:
        """Acceleration [dv/dt; dw/dt] of a point, body or frame, world axes.

        Parameters
        ----------
        name : of a point, body or frame
        """
        loops = self.posture.loops
        nq, nv = loops.plan.nq, loops.plan.nv
        return loops.system.acceleration(name, self.posture.y[:nq], self.rates[:nv], self.values[:nv])


def accelerations_at(
    loops: Loops,
    forward: ForwardDynamics,
    posture: Posture,
    rates: Mapping[str, Any] | None,
    efforts: Mapping[str, Any] | None,
    external: Mapping[str, Any] | None,
    t: float,
    also: Sequence[Problem] = (),
) -> Accelerations:
    """Accelerations at a posture, at rates of some variables, under efforts at some joints and forces from outside.

    also : what else was found wrong, which is told with the rest
    """
    plan, when = loops.plan, 0.0
    effort, still = np.zeros(plan.nw), np.zeros((1, plan.nw))
    outside: Array | None = None
    told = Gathered(plan.name, also)
    with told:
        rates_told(loops, rates or {})
    with told:
        for column, number in named_numbers(loops, "efforts", efforts, 1).values():
            effort[column] = number.item()
    with told:
        at_rest = Trajectory(np.zeros(1), posture.y[np.newaxis], still, still, states_at_start(loops, 1))
        outside = external_wrenches(loops, external, at_rest)
    with told:
        when = one_time(loops, t)
    told.tell()
    w = rates_by_name(loops, posture, rates or {})
    work = work_along(loops, posture, outside)
    found: Stuck = with_friction(loops, forward, posture.y, w, effort + work, when)
    acting = Acting(found.rates, found.efforts - work, outside, when)
    return Accelerations(posture, plan.variable_rates, w, found.accelerations, found.holding, acting)


def work_along(loops: Loops, posture: Posture, wrenches: Array | None) -> Array:
    """Efforts along the rates that do the work of forces and moments on bodies (1, 6 bodies): Jᵀ [f; n]."""
    system, plan = loops.system, loops.plan
    efforts = np.zeros(plan.nw)
    if wrenches is not None:
        for link, wrench in zip(plan.links, wrenches.reshape(-1, 6), strict=True):
            if wrench.any():
                efforts[: plan.nv] += system.jacobian(link.body, posture.q).T @ wrench
    return efforts


def given_rates(loops: Loops, rates: Mapping[str, Any]) -> dict[int, float]:
    """Rates by their places among w; InputError lists all that are no rates or no numbers."""
    problems: list[Problem] = []
    given: dict[int, float] = {}
    for name, value in rates.items():
        found = loops.book.find(name, "variable", "rate")
        if found is None:
            problems.append(loops.book.unknown(name, "variable", "rate"))
            continue
        try:
            number = float(in_si(value, measured_by(loops, found.column) / TIME, str(name)))
        except ModelError as error:
            problems += error.problems
            continue
        except (TypeError, ValueError):
            number = np.nan
        if not np.isfinite(number):
            problems.append(Problem("one finite number is wanted", str(name)))
        given[found.column] = number
    if problems:
        raise InputError(problems, loops.plan.name)
    return given


def rates_told(loops: Loops, rates: Mapping[str, Any]) -> dict[int, float]:
    """Rates by their places; what is wrong is told as of `rates`."""
    try:
        return given_rates(loops, rates)
    except InputError as error:
        told = [replace(p, where=f"rates.{p.where}" if p.where else "rates") for p in error.problems]
        raise InputError(told, loops.plan.name) from None


def rates_by_name(loops: Loops, posture: Posture, rates: Mapping[str, Any]) -> Array:
    """Rates of all joints when some are given, the other independent ones at rest."""
    plan = loops.plan
    given = rates_told(loops, rates)
    w = np.zeros(plan.nw)
    for column, number in given.items():
        w[column] = number
    if not loops.count or not given:
        return w
    specified: Mask = np.isin(np.arange(plan.nw), list(given))
    roles, found = loops.roles_and_rates(posture.y, specified, w)
    if roles.conflict:
        names_ = ", ".join(loops.names(roles.in_conflict))
        hint = "give rates of independent variables only"
        raise InputError(Problem(f"the rates of {names_} contradict the loops", "rates", hint), plan.name)
    return found


def acceleration_units(loops: Loops) -> list[str]:
    """By rate, the unit of its derivative."""
    return ["m/s^2" if long else "rad/s^2" for long in length_rates(loops.plan)]
