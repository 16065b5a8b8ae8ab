"""Forward kinematics for tests: products of X_TF Φ(q) X_HM⁻¹ along the paths of the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

import linkwork as lw
from linkwork import geometry as geo
from linkwork.model.joints import transform


def forward(m: lw.Mechanism, q: Mapping[str, Sequence[float]]) -> dict[str, np.ndarray]:
    """Poses of all bodies in the world; joints that are not named stay as in the layout."""
    layout = lw.lay_out(m)
    poses = {}
    tree = lw.graph_of(m)
    for body in m.bodies:
        steps = tree.path(body)
        start = next((a.reference for a in tree.assemblies if body in a.bodies), body)
        X = layout.X_WB[start]
        for joint, sign in steps:
            seat = layout.seats[joint]
            step = seat.X_TF @ transform(m.joints[joint].law, q.get(joint, seat.q)) @ geo.inverse(seat.X_HM)
            X = X @ (step if sign > 0 else geo.inverse(step))
        poses[body] = X
    return poses
