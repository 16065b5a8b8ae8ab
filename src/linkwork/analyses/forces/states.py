"""States that a machine can be in, found around its home: they decide how its equations are eliminated."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.posture import Posture
from linkwork.equations.elimination_search import States
from linkwork.errors import LinkworkError
from linkwork.geometry import Array

COUNT = 10
"""States looked for."""
REACH = 0.4
"""How far they lie from home [rad, or parts of the machine's size]."""
TRIES = 60


def states_around(loops: Loops, home: Posture, seed: int = 1) -> States:
    """Postures and rates around home, loops closed; home itself is the first."""
    rng = np.random.default_rng(seed)
    independent: Mask = np.zeros(loops.columns, bool)
    independent[home._roles.independent] = True
    postures, rates = [home.y], [_rates(loops, home.y, independent, rng)]
    reach = REACH
    for _ in range(TRIES):
        if len(postures) == COUNT:
            break
        step = np.where(independent, rng.uniform(-reach, reach, loops.columns), 0.0)
        try:
            y = loops.advanced(home.y, step)
            if loops.count:
                y = loops.corrected(y, independent, 6)
                if not (np.isfinite(y).all() and loops.is_finite(y) and loops.residual(y) <= loops.tolerance):
                    reach *= 0.8
                    continue
                if float(np.abs(loops.apart(home.y, y)).max(initial=0.0)) > 4.0 * REACH:
                    reach *= 0.8  # Newton's method went somewhere else
                    continue
            rates.append(_rates(loops, y, independent, rng))
            postures.append(y)
        except LinkworkError:
            reach *= 0.8
    return States(np.array(postures), np.array(rates), loops.length)


def _rates(loops: Loops, y: Array, independent: Mask, rng: np.random.Generator) -> Array:
    given = rng.normal(size=loops.columns) * loops.column_scale
    found = loops.rates(y, independent, [np.where(independent, given, 0.0)])[0]
    return np.where(np.isfinite(found), found, 0.0)
