"""Why drivers cannot move a machine: they contradict each other, stand at a dead centre, or are at their limit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.failures import (
    ClosureError,
    DeadCentre,
    Interrupted,
    LimitOfTravel,
    NoFreedom,
    OverSpecified,
)
from linkwork.analyses.kinematics.loops import NOTHING, Loops, Mask, Roles
from linkwork.analyses.kinematics.nearby_postures import nearby_postures
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.posture_paths import Path, Solver
from linkwork.analyses.kinematics.preference import preference
from linkwork.errors import Problem
from linkwork.geometry import Array
from linkwork.numerics.elimination import eliminate

STEEP = 1e4
"""Rates by that of the driven variable up to which they count as finite where pivots vanish."""
AHEAD = 1e-5
"""Way of the driven variable behind the end of a path over which pivots are seen to fall, and more than is left."""
EXTREME = 1e-13
"""Change of a driven variable [rad, or parts of the machine's size] below which its extreme is found."""


def conflict_of(loops: Loops, y: Array, driven: Mask, roles: Roles) -> ClosureError:
    """The error for driven rates that cannot be chosen at will at a posture: over-specified, or a dead centre."""
    name = loops.plan.name
    here = Posture(loops, y, np.flatnonzero(driven).tolist())
    own = loops.chosen(y, np.zeros(loops.columns, bool), preference(loops))
    mobility = loops.columns - own.rank
    names = loops.names(roles.in_conflict)
    if mobility == 0:
        text = f"nothing can move: mobility 0, yet {_all(loops.names(np.flatnonzero(driven)))} should be driven"
        return NoFreedom(Problem(text, hint="check the joints with `linkwork check`"), name)
    given = loops.names(np.flatnonzero(driven))
    count = f"the machine has {mobility} freedom{'' if mobility == 1 else 's'}"
    if len(given) > mobility:
        text = f"{_all(given)} are driven, but {count}"
        return OverSpecified(Problem(text, hint=f"drive at most {mobility} of them"), name)
    nearby = nearby_postures(loops, y, own)
    lasting = [loops.roles(other, driven) for other in nearby]
    if nearby and any(r.conflict == 0.0 for r in lasting):
        others = _all(loops.drivable(own.free))
        text = f"{_all(names)} cannot move the machine at this posture, a dead centre"
        hint = f"start from another posture, or drive {others}"
        return DeadCentre(Problem(text, hint=hint), name, here)
    if len(names) == 1:
        text = f"{names[0]} cannot be driven: it does not move ({count})"
        return OverSpecified(Problem(text, hint=f"drive {_all(loops.drivable(own.free))}"), name)
    text = f"{_all(names)} are driven, but depend on each other ({count})"
    hint = f"drive {_all(loops.drivable(own.free))}" if len(given) == mobility else f"drive at most {mobility} of them"
    return OverSpecified(Problem(text, hint=hint), name)


# ---------------------------------------------------------------- the end of a path


def stop_of(solver: Solver, path: Path, driven: NDArray[np.int64], U: Array) -> ClosureError:
    """The error for a path that did not reach its last sample, with the limit found as exactly as it can be."""
    loops = solver.loops
    if path.interrupted:
        return Interrupted(Problem("ended by the user; what was done is kept"), loops.plan.name)
    k = int(np.floor(path.end + 1e-9))
    going = U[min(k + 1, len(U) - 1)] - U[k]
    moving = [j for j in range(len(driven)) if going[j] != 0.0]
    columns = np.flatnonzero(solver.independent)
    y = path.last
    if len(moving) == 1 and not np.isin(driven, loops.quaternion_parts).any():
        place, way = int(driven[moving[0]]), float(np.sign(going[moving[0]]))
        exact = turning_point(loops, y, place, solver.independent)
        exact = vanishing_point(loops, y, place, solver.independent, way) if exact is None else exact
        y = y if exact is None else exact
    values = [float(y[driven[j]]) for j in moving]
    names = [loops.plan.variables[driven[j]] for j in moving]
    at = ", ".join(loops.shown(n, x) for n, x in zip(names, values, strict=True))
    asked = ", ".join(loops.shown(n, float(U[-1, j])) for n, j in zip(names, moving, strict=True))
    roles = loops.roles(y, solver.independent, tolerance=1e-3)
    others = loops.names(np.setdiff1d(roles.free, columns))
    cause = f"; {_all(others)} could go either way there" if len(others) else ""
    text = f"{_all(tuple(names))} cannot go beyond {at}{cause}; {asked} cannot be reached"
    hint = "drive within the limit, or drive another joint through it"
    own = np.flatnonzero(loops.rates_of(driven)).tolist()
    limit = dict(zip(names, values, strict=True))
    return LimitOfTravel(Problem(text, hint=hint), loops.plan.name, Posture(loops, y, own), limit)


def turning_point(loops: Loops, y: Array, driven: int, independent: Mask, iterations: int = 20) -> Array | None:
    """The posture near y with an extreme value of a driven variable, whose derivative by the fastest other vanishes.

    The roles are changed: the variable that moves most drives, and  u' = 0  is solved by Newton with  u''.
    """
    u = _rate_of(loops, driven)
    w = np.zeros(loops.columns)
    w[u] = loops.column_scale[u]
    rates = np.nan_to_num(loops.rates(y, independent, [w])[0] / loops.column_scale)
    rates[u] = 0.0
    leader = int(np.abs(rates).argmax())
    if rates[leader] == 0.0:
        return None
    swapped = independent.copy()
    swapped[u], swapped[leader] = False, True
    unit = np.zeros(loops.columns)
    unit[leader] = loops.column_scale[leader]
    only_rates = bool((swapped & loops.turning).any())  # then a straight step is not corrected by closing the loops
    for _ in range(iterations):
        W, A = (x / loops.column_scale for x in loops.rates(y, swapped, [unit, np.zeros(loops.columns)]))
        slope, curvature = float(W[u]), float(A[u])
        if not np.isfinite(slope) or curvature == 0.0:
            return None
        move = float(np.clip(-slope / curvature, -0.05, 0.05))
        if abs(slope * move) < EXTREME:
            return y if loops.residual(y) < loops.tolerance else None
        stride = move * W + 0.5 * move**2 * A if only_rates else move * W
        y = loops.corrected(loops.advanced(y, stride), swapped)
        if not loops.is_finite(y):
            break
    return None


def vanishing_point(loops: Loops, y: Array, driven: int, independent: Mask, way: float) -> Array | None:
    """The posture a little ahead of y at which the pivots vanish though all rates stay finite, as where a rate that is
    held no longer determines a turn: their product falls to zero in proportion to what is left.

    way : the sign in which the driven variable goes
    """
    u = _rate_of(loops, driven)
    w = np.zeros(loops.columns)
    w[u] = way * loops.column_scale[u]
    W = loops.rates(y, independent, [w])[0] / loops.column_scale
    if loops.sparse or not np.abs(W).max() < STEEP:
        return None
    before = loops.advanced(y, -AHEAD * W)
    if not (loops.is_finite(before) and loops.is_finite(y)):
        return None
    near, far = (eliminate(loops.equations(x)[1], independent, NOTHING) for x in (y, before))
    if near.rank != far.rank:
        return None
    fall = np.expm1(far.log_quality - near.log_quality)  # of the product over AHEAD, in parts of what is left of it
    if not fall > 1.0:
        return None
    found = loops.advanced(y, AHEAD / fall * W)
    return found if loops.residual(found) < loops.tolerance else None


def _rate_of(loops: Loops, variable: int) -> int:
    """The rate of a plain variable."""
    for slot in loops.plan.slots:
        if slot.q.start <= variable < slot.q.start + slot.plain:
            return int(slot.v.start + variable - slot.q.start)
    raise AssertionError(loops.plan.variables[variable])


def _all(names: tuple[str, ...]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
