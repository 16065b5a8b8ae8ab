"""Which of a machine's freedoms its users would rather drive."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops
from linkwork.model.mechanism import Mechanism


def preference(loops: Loops) -> NDArray[np.int64]:
    """By rate: 0 for an ordinary one, more for one that users would rather drive.

    Joints with motors come first, then cylinders between two hinges, then joints on ground, sliding ones before turning
    ones.
    """
    plan, m = loops.plan, loops.system.mechanism
    weights = np.zeros(plan.nw, np.int64)
    for slot in plan.slots:
        joint = m.joints.get(slot.owner)
        if joint is None or slot.law.freedom != 1:
            continue
        grounded = m.ground.name in (joint.tail, joint.head)
        turning = slot.law.kind == "revolute"
        weights[slot.v.start] = (4 if turning else 3) if grounded else (1 if turning else 2)
        if slot.law.kind == "prismatic" and all(_is_hinged(m, slot.owner, b) for b in (joint.tail, joint.head)):
            weights[slot.v.start] = 5  # a leg that grows: a cylinder between two hinges
    for load in plan.loads:
        if load.drives and load.acts_along is not None:
            weights[load.acts_along.w] = 6
    return weights


def _is_hinged(m: Mechanism, slide: str, body: str) -> bool:
    """Whether a body on a slide has one joint more, and that is a hinge."""
    others = [j.law.kind for j in m.joints.values() if body in (j.tail, j.head) and j.name != slide]
    return body != m.ground.name and others in (["revolute"], ["universal"], ["spheric"])
