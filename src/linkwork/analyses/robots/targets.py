"""Targets of goals by name: what kernel tells where they are, and where on it the goal sits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.equations.reaching import MACHINE, reaching
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.names import no_such
from linkwork.system import System


@dataclass(frozen=True, eq=False)
class Target:
    """A place that moves: an offset [m] in the axes of a body, point or frame; turns where it has axes."""

    name: str
    base: str
    offset: Array
    turns: bool


def target_of(loops: Loops, name: str, at: tuple[float, float, float] | None = None) -> Target:
    """A target by name: a body, point or frame, `body.com`, or the centre of mass of the machine."""
    plan, system = loops.plan, loops.system
    offset = np.zeros(3) if at is None else np.array(at)
    if name == MACHINE:
        if at is not None:
            raise InputError(Problem("the centre of mass of a machine has no axes", "at"), plan.name)
        return Target(name, name, offset, False)
    owner, _, what = str(name).rpartition(".")
    if what == "com" and owner in plan.index:
        own = [system.parameters[f"{owner}.com.{axis}"] for axis in "xyz"]
        return Target(name, owner, offset + own, True)
    places = [*plan.index, *(m.name for m in plan.points), *(m.name for m in plan.frames), plan.ground]
    if not isinstance(name, str) or name not in places:
        raise InputError(no_such("body, point or frame", name, places), plan.name)
    return Target(name, name, offset, True)


def base_kernel(system: System, bases: tuple[str, ...], q: Array, threads: int | None = None) -> tuple[Array, Array]:
    """Positions with axes (..., bases, 12) and Jacobians (..., bases, 6, nv) of some bases."""
    found: tuple[Array, Array] = system.bound_kernel(Question(reaching(bases)))(q, threads=threads)
    return found
