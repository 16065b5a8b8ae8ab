"""Forces at rest: what holds a posture, what its joints carry, and how forces are traded between joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analyses.forces.asked import check_asked
from linkwork.analyses.forces.drives import as_names, turning_among
from linkwork.analyses.forces.finite import loads_must_be_finite, one_time
from linkwork.analyses.forces.over_run import effort_names, forces_of
from linkwork.analyses.forces.reactions import COMPONENTS
from linkwork.analyses.forces.trajectory import Trajectory, states_at_start
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.errors import Gathered, InputError, Problem
from linkwork.geometry import Array
from linkwork.names import nothing_called
from linkwork.units.efforts import EffortTexts


@dataclass(frozen=True)
class Reaction:
    """What a joint carries: force and moment of its first body on its second.

    force [N], moment [N m] : at the joint's frame on the second body, along its axes; not a number where indeterminate
    indeterminate : components that the loops leave open, of fx fy fz mx my mz
    """

    force: Array
    moment: Array
    indeterminate: tuple[str, ...] = ()


def reaction_of(wrench: Array, indeterminate: tuple[str, ...]) -> Reaction:
    """A reaction from force and moment (6,), whose open components are not told."""
    six = np.where([c in indeterminate for c in COMPONENTS], np.nan, wrench)
    return Reaction(six[:3], six[3:], indeterminate)


@dataclass(frozen=True, eq=False)
class Statics:
    """A machine at rest: `print` shows all.

    posture : where it rests
    efforts : forces and torques [N, N m] at the drives, by variable
    reactions : by joint; loads : tension, force or torque [N, N m] of every load, by name
    warnings : what should be known; units : N, N m, J, ... of every effort, load and constraint, by name
    constraints : effort along every coupling and constraint, by name; not a number where it is indeterminate
    """

    posture: Posture
    efforts: dict[str, float]
    reactions: dict[str, Reaction]
    loads: dict[str, float]
    warnings: tuple[str, ...]
    units: dict[str, str]
    constraints: dict[str, float]

    def __getitem__(self, name: str) -> Any:
        """An effort by variable (`A.angle`), a reaction by joint (`A`), a load or a constraint by name."""
        tables: tuple[dict[str, Any], ...] = (self.efforts, self.reactions, self.loads, self.constraints)
        for table in tables:
            if name in table:
                return table[name]
        known = [name for table in tables for name in table]
        raise InputError(nothing_called(name, known))

    @property
    def texts(self) -> EffortTexts:
        """How its numbers are shown: in newtons unless the model's file names a force, and rounding as 0."""
        loops = self.posture.loops
        known = {"N": [], "N m": [], "J": []}  # type: dict[str, list[float]]
        for name, value in [*self.efforts.items(), *self.loads.items(), *self.constraints.items()]:
            known.setdefault(self.units[name], []).append(value)
        for reaction in self.reactions.values():
            known["N"] += reaction.force.tolist()
            known["N m"] += reaction.moment.tolist()
        return EffortTexts.among(loops.system.layout.units, known["N"], known["N m"] + known["J"], loops.length)

    def __str__(self) -> str:
        texts = self.texts
        lines = [f"{self.posture.loops.plan.name} at rest"]
        for name, value in self.efforts.items():
            held = "is held by " if np.isfinite(value) else "is held by an effort that is "
            lines.append(f"  {name} {held}{texts.text(value, self.units[name])}")
        for name, value in self.loads.items():
            lines.append(f"  {name}: {texts.text(value, self.units[name])}")
        for name, value in self.constraints.items():
            lines.append(f"  {name} holds with {texts.text(value, self.units[name])}")
        for joint, reaction in self.reactions.items():
            parts = []
            for component, value in zip(COMPONENTS, [*reaction.force, *reaction.moment], strict=True):
                unit = "N" if component[0] == "f" else "N m"
                if component not in reaction.indeterminate and texts.clean(value, unit) != 0.0:
                    parts.append(f"{component} {texts.text(value, unit)}")
            left = f"; open: {' '.join(reaction.indeterminate)}" if reaction.indeterminate else ""
            lines.append(f"  {joint} carries {', '.join(parts) or 'nothing'}{left}")
        if any(r.indeterminate for r in self.reactions.values()):
            lines.append("  open components are statically indeterminate: redundant loops leave them to the fits")
        return "\n".join([*lines, *(f"  warning: {w}" for w in self.warnings)])

    __repr__ = __str__


def statics_at(
    loops: Loops,
    posture: Posture,
    drives: Sequence[str] | None,
    efforts: Mapping[str, Any] | None,
    preload: Mapping[str, Any] | None,
    weights: Mapping[str, float] | None,
    external: Mapping[str, Any] | None,
    contact: Mapping[str, Any] | None,
    t: float,
    also: Sequence[Problem] = (),
) -> Statics:
    """Forces that hold a posture; without drives, its independent variables are held.

    also : what else was found wrong, which is told with the rest
    """
    plan = loops.plan
    still, when = np.zeros((1, plan.nw)), 0.0
    told = Gathered(plan.name, also)
    with told:
        when = one_time(loops, t)
    path = Trajectory(np.array([when]), posture.y[np.newaxis], still, still, states_at_start(loops, 1))
    check_asked(loops, path, drives, efforts, preload, weights, external, contact, also=told.problems)
    loads_must_be_finite(loops, path.y, path.w, path.t[:, np.newaxis])
    independent = list(loops.names(posture._roles.independent))
    named, held = (independent, []) if drives is None else (as_names(drives), turning_among(loops, independent))
    signals, marks, warnings, found = forces_of(
        loops, path, named, held, efforts, preload, weights, external, None, times=False, contact=contact
    )
    own: dict[str, float] = {}
    units: dict[str, str] = {}
    names = effort_names(loops)
    for column in found.columns:
        name = names[column]
        units[name], value = signals[f"{name}.effort"]
        own[name] = float(value[0])
    reactions = {}
    for joint in loops.system.mechanism.joints:
        if f"{joint}.force" in signals:
            six = np.concatenate([signals[f"{joint}.{part}"][1][0] for part in ("force", "moment")])
            reactions[joint] = reaction_of(six, marks.get(joint, ()))
    loads = {}
    for load in plan.loads:
        if load.signal in signals and not load.drives:
            units[load.name], value = signals[load.signal]
            loads[load.name] = float(value[0])
    constraints = {}
    for constraint in plan.constraints:
        units[constraint.name], value = signals[f"{constraint.name}.effort"]
        constraints[constraint.name] = float(value[0])
    return Statics(posture, own, reactions, loads, tuple(warnings), units, constraints)


def advantage(loops: Loops, posture: Posture, given: str, gained: str) -> float:
    """Force along one variable that a unit force along another holds: the ratio of their rates, the other way round.

    F_gained · rate_gained = F_given · rate_given   (Uicker, Ravani, Sheth, Matrix Methods, sec. 17.1)
    """
    from linkwork.analyses.forces.drives import columns_of

    first, second = columns_of(loops, [given, gained])
    if not loops.count:
        raise InputError(Problem("an open machine trades no forces between its joints", hint="it has no loops"))
    independent = np.zeros(loops.columns, bool)
    prefer = np.zeros(loops.columns, np.int64)
    prefer[first] = 1
    free = loops.chosen(posture.y, independent, prefer).free
    if first not in free:
        text = f"'{given}' cannot move the machine at this posture"
        raise InputError(Problem(text, hint="name another joint, or a posture beside this one"), loops.plan.name)
    if len(free) > 1:
        others = ", ".join(loops.names(np.setdiff1d(free, [first])))
        text = f"the machine has {len(free)} freedoms; a single ratio is for one"
        raise InputError(Problem(text, hint=f"free besides: {others}"), loops.plan.name)
    independent[free] = True
    unit = np.where(np.arange(loops.columns) == first, 1.0, 0.0)
    rate = float(loops.rates(posture.y, independent, [unit])[0][second])
    if abs(rate) < 1e-14 * loops.column_scale[second] / loops.column_scale[first]:
        return float("inf")
    return 1.0 / rate
