"""What expressions of a machine's state depend on: joint variables, coordinates of places, time, and their rates.

An argument a has a value, a rate a' = G w, and the second derivative that is left when w' = 0. It is moved by rates of
joints (`along`), and by links of the tree, whose wrenches per unit of what works on a tell how (`pushes`):

    G = along + Jᵀ pushes,      a force f on a is the effort f along, and the wrenches f pushes
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from linkwork.equations import kinematics
from linkwork.equations.kinematics import Target, Twist, target_named
from linkwork.equations.load_kinds.plans import Along
from linkwork.equations.load_plans import plain_places
from linkwork.equations.plan import Plan, Pose
from linkwork.equations.states import state_rates
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import Vector, apply_t, cross
from linkwork.errors import InputError
from linkwork.expressions.names import differentiated
from linkwork.model.amounts import TIME
from linkwork.names import nothing_called

UNITS: tuple[Vector, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Argument:
    """What an expression depends on: its value, its rate, the rate's gradient by w, and what is left of the second
    derivative when w' = 0.

    along : part of the gradient that joints have directly
    pushes : (moment about a link's origin, force), along its axes, by link; the rest of the gradient is their work
    """

    value: Any
    rate: Any
    gradient: dict[int, Any]
    bias: Any
    along: dict[int, Any] = field(default_factory=dict)
    pushes: dict[int, tuple[Vector, Vector]] = field(default_factory=dict)


class Arguments:
    """Everything that expressions may name, at variables y, rates w and a time."""

    def __init__(
        self, tree: Tree, y: Sequence[Any], w: Sequence[Any], t: Any, states: Sequence[Any] | None = None
    ) -> None:
        self.tree = tree
        self.y, self.w, self.t, self.states = y, w, t, states

    @cached_property
    def poses(self) -> list[Pose]:
        """Of the links in the world."""
        return kinematics.link_poses(self.tree)

    @cached_property
    def twists(self) -> list[Twist]:
        """Of the links."""
        return kinematics.link_twists(self.tree, self.poses, self.w[: self.tree.nv])

    @cached_property
    def accelerations(self) -> list[Twist]:
        """Of the links, at joint accelerations of zero."""
        v = self.w[: self.tree.nv]
        return kinematics.link_accelerations(self.tree, self.poses, self.twists, v, [0.0] * self.tree.nv)

    @cached_property
    def variables(self) -> dict[str, Along]:
        """Places of plain variables by full name, and by that of the joint where it has a single one."""
        return variables_of(self.tree.plan)

    @cached_property
    def of_states(self) -> dict[str, Argument]:
        """Named states and their numbers."""
        found: dict[str, Argument] = {}
        if self.states is None:
            return found
        rates = state_rates(self.tree, self.t, self.y, self.w, self.states)
        for plan, own, value, rate in zip(self.tree.plan.states, self.tree.states, self.states, rates, strict=True):
            found[plan.name] = Argument(value, rate, {}, None)
            for key, number in zip(plan.numbers, own, strict=True):
                found[f"{plan.name}.{key}"] = Argument(number, 0.0, {}, 0.0)
        return found

    def named(self, name: str) -> Argument:
        """An argument by the name that an expression has for it."""
        of = differentiated(name)
        if of is not None:  # of conditions, which take the value alone
            return Argument(self.named(of).rate, None, {}, None)
        along = self.variables.get(name)
        if along is not None:
            own = {along.w: 1.0}
            return Argument(self.y[along.y], self.w[along.w], own, 0.0, own)
        if name == TIME:
            return Argument(self.t, 1.0, {}, 0.0)
        if name in self.of_states:
            return self.of_states[name]
        owner, _, coordinate = name.rpartition(".")
        if coordinate not in ("x", "y", "z") or owner not in places_of(self.tree.plan):
            raise unknown(self.tree.plan, name)
        return self.coordinate(target_named(self.tree, owner), "xyz".index(coordinate))

    def coordinate(self, target: Target, i: int) -> Argument:
        """A coordinate of a point, frame or body in the world."""
        position = kinematics.pose(self.poses, target).p
        velocity, _ = kinematics.twist(self.poses, self.twists, target)
        acceleration, _ = kinematics.acceleration(self.poses, self.twists, self.accelerations, target)
        columns = kinematics.jacobian(self.tree, self.poses, target)
        pushes: dict[int, tuple[Vector, Vector]] = {}
        if target.link >= 0:
            force = apply_t(self.poses[target.link].R, UNITS[i])
            pushes[target.link] = cross(target.X.p, force), force
        gradient = {k: v[i] for k, (v, _) in columns.items()}
        return Argument(position[i], velocity[i], gradient, acceleration[i], {}, pushes)


def variables_of(plan: Plan) -> dict[str, Along]:
    """Places of plain variables by full name, and by that of the joint where it has a single one."""
    found = plain_places([(slot.owner, slot.law, slot.q, slot.v) for slot in plan.joint_slots])
    single = {slot.owner: slot for slot in plan.joint_slots if len(slot.law.variables) == 1}
    return {**found, **{joint: Along(slot.q.start, slot.v.start) for joint, slot in single.items()}}


def places_of(plan: Plan) -> list[str]:
    """Ground, bodies, points and frames."""
    return [plan.ground, *plan.index, *(m.name for m in plan.points), *(m.name for m in plan.frames)]


def rates_of(plan: Plan, name: str) -> list[int]:
    """Rates that may change what an expression names, ascending; those of a place are all on its way to the world."""
    along = variables_of(plan).get(name)
    if along is not None:
        return [along.w]
    return sorted({k for i in plan.path_to(name.rpartition(".")[0]) for k in plan.moving(i)})


def unknown(plan: Plan, name: str) -> InputError:
    """The error of a name that is not there."""
    coordinates = [f"{place}.{c}" for place in places_of(plan) for c in "xyz"]
    known = [TIME, *variables_of(plan), *(s.name for s in plan.states), *coordinates]
    return InputError(nothing_called(name, known, "events"), plan.name)
