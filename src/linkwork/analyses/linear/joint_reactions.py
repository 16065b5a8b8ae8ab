"""Reactions of joints as outputs of the linearised machine: how a component changes with motion and with inputs.

A component r(y, w, dw, effort, x) of the wrench on the second body, along the joint's axes there, changes by

    δr = (r_ψ + r_w Γ) ξ + (r_w + r_dw Γ) ξ' + r_dw ξ'' + r_x δx + direct

where derivatives are total ones, loops closed; efforts, forces on places and numbers of the model act on it directly
too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.forces.external import external_wrenches
from linkwork.analyses.forces.reactions import COMPONENTS, joints_of
from linkwork.analyses.forces.self_stress import left_open
from linkwork.analyses.forces.trajectory import Trajectory
from linkwork.analyses.linear.coefficients import SetPoint, mask_of
from linkwork.equations.closed_forces import closed_forces
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array


@dataclass(frozen=True, eq=False)
class Component:
    """A component of a reaction: the joint's place among all, and which of force and moment."""

    joint: int
    which: int

    @property
    def unit(self) -> str:
        """Its unit."""
        return "N" if self.which < 3 else "N m"

    def of(self, found: Array) -> Array:
        """Its part of derivatives of all wrenches (joints, 6, ...)."""
        return np.asarray(found[self.joint, self.which])


def component(at: SetPoint, name: str) -> Component | None:
    """The component that a name stands for, `B.fx`; InputError where loops leave it open."""
    owner, _, last = name.rpartition(".")
    joints = joints_of(at.loops)
    if last not in COMPONENTS or owner not in at.loops.system.mechanism.joints or owner not in joints:
        return None
    found = Component(joints.index(owner), COMPONENTS.index(last))
    open_ = left_open(at.loops, at.y[np.newaxis], mask_of(at.loops, at.columns))
    if open_[0, found.joint, found.which]:
        hint = "joints hold each other there; ask for a component that is determinate"
        raise InputError(Problem("it is statically indeterminate", name, hint))
    return found


def known_components(at: SetPoint) -> list[str]:
    """Names of all components."""
    own = at.loops.system.mechanism.joints
    return [f"{joint}.{c}" for joint in joints_of(at.loops) if joint in own for c in COMPONENTS]


def rows_of(at: SetPoint, wanted: Component, G: Array) -> tuple[Array, Array, Array]:
    """What displacements (and named states), rates and accelerations do to it: c₀, c₁, c₂ over (ψ, x)."""
    nx = at.x.shape[-1]
    names = ("y", "w", "dw", "states") if nx else ("y", "w", "dw")
    parts = _derivatives(at, names)
    y, w, dw = (wanted.of(part) for part in parts[:3])
    x = wanted.of(parts[3]) if nx else np.zeros(0)
    none = np.zeros(nx)
    return (
        np.concatenate([y + w @ G, x]),
        np.concatenate([w + dw @ G, none]),
        np.concatenate([dw, none]),
    )


def by_effort(at: SetPoint, wanted: Component, column: int) -> float:
    """What an effort along a rate does at once."""
    return float(wanted.of(_derivatives(at, ("effort",))[0])[column])


def by_number(at: SetPoint, wanted: Component, number: str) -> float:
    """What a number of the model does at once."""
    return float(wanted.of(_derivatives(at, (number,))[0])[0])


def by_push(at: SetPoint, wanted: Component, place: str, push: int) -> float:
    """What a unit force or moment on a place does at once."""
    wrench = np.zeros(6)
    wrench[push] = 1.0
    still = (own[np.newaxis] for own in (at.y, at.w, at.dw, at.x))
    path = Trajectory(np.array([float(at.t)]), *still)
    given = external_wrenches(at.loops, {place: wrench[: 3 if push < 3 else 6]}, path)
    assert given is not None
    law = closed_forces(at.order, "reactions", True, bool(at.loops.plan.states))
    y, w, dw, effort, when, *states = at.inputs
    found = at.loops.system.bound_kernel(Question(law))
    before = found(y, w, dw, effort, when, np.zeros_like(given[0]), *states)[1]
    after = found(y, w, dw, effort, when, np.ascontiguousarray(given[0]), *states)[1]
    return float(wanted.of(after - before))


def _derivatives(at: SetPoint, names: tuple[str, ...]) -> list[Array]:
    """Of all wrenches by inputs or a number, through the loops."""
    law = closed_forces(at.order, "reactions", False, bool(at.loops.plan.states))
    found = at.loops.system.bound_kernel(Question(law, (names,), at.closure))(*at.inputs)
    count = len(names)
    return [np.asarray(x) for x in found[count : 2 * count]]  # after those of the efforts
