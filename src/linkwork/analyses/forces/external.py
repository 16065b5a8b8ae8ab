"""Forces and wrenches that are given at run time, on bodies, points and frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwork.analyses.forces.trajectory import Trajectory
from linkwork.analyses.kinematics.loops import Loops
from linkwork.errors import InputError, ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.text_values import in_si, told_at
from linkwork.names import no_such
from linkwork.units import FORCE, TORQUE


def external_wrenches(loops: Loops, given: Mapping[str, Any] | None, path: Trajectory) -> Array | None:
    """Force and moment about its origin on every body of the tree, world axes, (samples, 6 bodies); None for none.

    given : by point a force (3,) [N]; by body or frame a force (3,) at its origin, or force and moment (6,) [N, N m];
        each along the world's axes, one for all samples or (samples, ...)
    """
    if not given:
        return None
    system, plan, samples = loops.system, loops.plan, len(path)
    points = {m.name: m.link for m in plan.points}
    places = points | {m.name: m.link for m in plan.frames} | {**plan.index, system.mechanism.ground.name: -1}
    result = np.zeros((samples, len(plan.links), 6))
    q = np.ascontiguousarray(path.y[:, : plan.nq])
    problems: list[Problem] = []
    for name, value in given.items():
        if name not in places or places[name] < 0:
            still = Problem(f"'{name}' stands still", "external", "a force on ground moves nothing")
            problems.append(still if name in places else no_such("body, point or frame", name, places, "external"))
            continue
        try:
            number = np.asarray(in_si(value, [FORCE, FORCE, FORCE, TORQUE, TORQUE, TORQUE][: np.size(value)]), float)
        except ModelError as error:
            problems += told_at(error, f"external.{name}")
            continue
        except (TypeError, ValueError):
            number = np.zeros(0)
        sizes = (3,) if name in points else (3, 6)
        if number.shape[-1:] not in [(n,) for n in sizes] or number.shape[:-1] not in ((), (samples,)):
            wanted = " or ".join(f"({n},)" for n in sizes)
            problems.append(
                Problem(f"{wanted} or as many for each of {samples} samples are wanted", f"external.{name}")
            )
            continue
        if not np.isfinite(number).all():
            problems.append(Problem("not finite numbers", f"external.{name}"))
            continue
        wrench = np.zeros((samples, 6))
        wrench[:, : number.shape[-1]] = number
        i = places[name]
        lever = system.position(name, q) - system.position(plan.links[i].body, q)
        wrench[:, 3:] += np.cross(lever, wrench[:, :3])
        result[:, i] += wrench
    if problems:
        raise InputError(problems, plan.name)
    return result.reshape(samples, -1)
