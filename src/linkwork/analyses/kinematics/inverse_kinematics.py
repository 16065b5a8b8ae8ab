"""Inverse kinematics of any machine: move a point, frame or body to a place, loops kept closed.

Damped Gauss-Newton on the manifold of closed postures. With K the rates of all joints by those of the independent ones
and V the twist of the target by K (both exact, at the posture), a step d of the independent rates solves

    min |V d - e|² + λ |d|²,    e = (wanted place - place) / size, and the rotation vector to the wanted attitude

and is followed by Newton's corrections of the loops. Damping λ grows when a step does not help (Levenberg, Marquardt),
which also holds near singular postures, where the plain inverse runs away.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.analyses.kinematics.failures import CannotReach, NoFreedom
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.geometry.rotations import is_rotation, to_rotvec
from linkwork.model.vectors import numbers
from linkwork.units import ANGLE

REACHED = 1e-9
"""Error [rad, or parts of the machine's size] that counts as none."""
STEPS, CORRECTIONS = 60, 8
LONGEST = 0.5
"""Longest step of the scaled independent rates: farther, the straight line of the rates tells little."""


def reach(loops: Loops, start: Posture, name: str, place: ArrayLike | None, rotation: ArrayLike | None) -> Posture:
    """The posture nearest on the way from `start` at which a target has a place and an attitude."""
    wanted = _wanted(place, rotation)
    posture, damping = start, 1e-6
    error = _error(loops, posture, name, *wanted)
    for _ in range(STEPS):
        if float(np.abs(error).max()) < REACHED:
            return posture
        independent = posture._all_roles.independent
        if not len(independent):
            raise NoFreedom(Problem(f"'{name}' cannot move: the machine has no freedom"), loops.plan.name, posture)
        K, V = _directions(loops, posture, name, wanted)
        # A step that does not help is damped more; one that helps, less.
        for _ in range(12):
            d = np.linalg.solve(V.T @ V + damping * np.eye(V.shape[1]), V.T @ error)
            d *= min(1.0, LONGEST / max(float(np.abs(d).max()), 1e-300))
            tried = _moved(loops, posture, K @ d, independent)
            new = None if tried is None else _error(loops, tried, name, *wanted)
            if tried is not None and new is not None and float(new @ new) < float(error @ error):
                damping = max(damping * 0.1, 1e-14)
                break
            damping = max(damping * 10.0, 1e-12)
        else:
            break
        gained = float(np.linalg.norm(error)) - float(np.linalg.norm(new))
        posture, error = tried, new
        if gained < 1e-12:
            break
    if float(np.abs(error).max()) < 10 * REACHED:
        return posture
    raise CannotReach(_problem(loops, name, error, wanted[0] is not None), loops.plan.name, posture)


def _wanted(place: ArrayLike | None, rotation: ArrayLike | None) -> tuple[Array | None, Array | None]:
    if place is None and rotation is None:
        raise InputError(Problem("neither a place nor an attitude is wanted", "reach", "give a place x, y, z [m]"))
    if isinstance(place, Mapping) or (place is not None and np.ndim(place) > 1):
        hint = "one place [m] at a time, such as (0.1, 0.2, 0); drive P.x, P.y by `motion` to follow many"
        raise InputError(Problem("three numbers x, y, z are wanted", "place", hint))
    at = None if place is None else np.array(numbers(np.asarray(place, float).tolist(), 3, "place"))
    if rotation is None:
        return at, None
    R = np.asarray(rotation, float)
    if R.shape != (3, 3) or not is_rotation(R, 1e-6).all():
        raise InputError(Problem("the attitude is not a rotation matrix", "rotation", "give a 3x3 rotation matrix"))
    return at, R


def _error(loops: Loops, posture: Posture, name: str, place: Array | None, rotation: Array | None) -> Array:
    parts = []
    if place is not None:
        parts.append((place - posture.position(name)) / loops.length)
    if rotation is not None:
        parts.append(to_rotvec(rotation @ posture.pose(name)[:3, :3].T))
    return np.concatenate(parts)


def _directions(
    loops: Loops, posture: Posture, name: str, wanted: tuple[Array | None, Array | None]
) -> tuple[Array, Array]:
    """K: scaled rates of all joints, and V: scaled twists of the target, by the scaled independent rates."""
    independent = posture._all_roles.independent
    given = np.zeros((len(independent), loops.columns))
    given[np.arange(len(independent)), independent] = loops.column_scale[independent]
    mask = np.isin(np.arange(loops.columns), independent)
    (W,) = loops.rates(posture.y, mask, [given])
    twists = loops.system.velocity(name, posture.q, W[:, : loops.plan.nv])
    rows = [twists[:, :3].T / loops.length] if wanted[0] is not None else []
    rows += [twists[:, 3:].T] if wanted[1] is not None else []
    return (W / loops.column_scale).T, np.vstack(rows)


def _moved(loops: Loops, posture: Posture, stride: Array, independent: NDArray[np.int64]) -> Posture | None:
    """The posture after a step, loops closed again; None where they do not close nearby."""
    y = loops.advanced(posture.y, stride)
    mask = np.isin(np.arange(loops.columns), independent)
    for _ in range(CORRECTIONS if loops.count else 0):
        before = float(loops.residual(y))
        if not np.isfinite(before):  # a joint's law ends here
            return None
        if before < 1e-3 * loops.tolerance:
            break
        y = loops.advanced(y, loops.correction(y, mask))
    if loops.count and not float(loops.residual(y)) < loops.tolerance:
        return None
    return Posture(loops, y)


def _problem(loops: Loops, name: str, error: Array, with_place: bool) -> Problem:
    place, turn = (error[:3], error[3:]) if with_place else (error[:0], error)
    layout = loops.system.layout
    gaps = [layout.length(float(np.linalg.norm(place)) * loops.length)] if len(place) else []
    gaps += [layout.quantity(float(np.linalg.norm(turn)), ANGLE)] if len(turn) else []
    text = f"'{name}' cannot get there: at the nearest posture found {' and '.join(gaps)} are missing"
    return Problem(text, hint="another goal, or another closure to start from; `reached` is the nearest posture")
