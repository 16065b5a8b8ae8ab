"""Which way is up."""

from __future__ import annotations

import numpy as np

from linkwork.geometry import Array
from linkwork.model.mechanism import Mechanism
from linkwork.views.line_drawing import page_rows


def up_of(m: Mechanism, normal: Array | None) -> Array:
    """The unit direction to draw upward: against gravity, else y of the page, else z.

    Parameters
    ----------
    m : the mechanism
    normal : of the plane in which it moves, None for a spatial one
    """
    gravity = np.array(m.gravity)
    pull = float(np.linalg.norm(gravity))
    if pull > 0.0:
        up = -gravity / pull
        if normal is None:
            return up
        across = up - (up @ normal) * normal
        if float(np.linalg.norm(across)) > 0.1:
            return np.asarray(across / np.linalg.norm(across))
    return np.array([0.0, 0.0, 1.0]) if normal is None else page_rows(normal)[1]
