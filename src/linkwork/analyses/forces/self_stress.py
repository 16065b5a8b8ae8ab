"""What loops leave open: wrenches of the joints that are in equilibrium by themselves, posture by posture.

Wrenches λ of the cut joints with Jᵀ λ = 0 do no work on any motion: nothing in the motion tells them. What they put on
the other joints follows from the equilibrium of the bodies. A component of a reaction, along any axes, is determinate
where it vanishes on this whole space, and open where it does not.

Random wrenches of that space decide: a component that vanishes on a few of them vanishes on all. They come from the
compiled elimination that serves the forces too. Where a component is larger than rounding, yet too small to be certain,
singular values of the length-scaled J decide. Its left null vectors are known within

    rounding · σ₁ / σᵣ + error of the loops / σᵣ        σᵣ the least singular value that counts
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.forces.reactions import COMPONENTS, joints_of, orders_along, weakness
from linkwork.analyses.kinematics.loops import SINGULAR, Loops, Mask
from linkwork.equations.closed_forces import carried
from linkwork.equations.loop_solver import Order
from linkwork.formulas import Question
from linkwork.geometry import Array

WRENCHES = 3
"""Random idle wrenches that are looked at."""
CLEAR = 1e-6
"""Part of the largest component from which one is open without a closer look: random wrenches may be askew."""
DIGITS = 64.0 * float(np.finfo(float).eps)
"""Rounding of a component, in parts of what it is added up from."""
CHUNK = 4096
"""Samples that are looked at together."""

Open = NDArray[np.bool_]
Samples = NDArray[np.int64]


def left_open(loops: Loops, Y: Array, independent: Mask, joint: str | None = None, seen: Array | None = None) -> Open:
    """Which components of reactions the loops leave open: (samples, joints, 6), or of one joint (samples, 1, 6).

    independent : rates whose drives move the machine; where they cannot, there are no forces, and nothing is open
    seen : (samples, 6, 6) from [f; n / length] along the joint's own axes to the components that are meant
    """
    joints = joints_of(loops)
    first = 0 if joint is None else joints.index(joint)
    return _left_open(loops, Y, independent, slice(first, len(joints) if joint is None else first + 1), seen)


def constraints_left_open(loops: Loops, Y: Array, independent: Mask) -> Open:
    """Of which constraints the loops leave the effort open: (samples, constraints)."""
    first = len(joints_of(loops))
    chosen = slice(first, first + len(loops.plan.constraints))
    found: Open = _left_open(loops, Y, independent, chosen, None)[..., 0]
    return found


def _left_open(loops: Loops, Y: Array, independent: Mask, chosen: slice, seen: Array | None) -> Open:
    """What is open of some of the joints, after which stand the constraints: their efforts are first components."""
    found: Open = np.zeros((len(Y), chosen.stop - chosen.start, 6), bool)
    if loops.rows + int(independent.sum()) <= loops.columns:  # no row is redundant
        return found
    for rows, order, serves in orders_along(loops, independent, Y):
        for start in range(0, len(rows), CHUNK):
            some = rows[start : start + CHUNK]
            if not serves and loops.huge:  # a singular posture
                continue
            if not serves:
                _settle(found, some, *_by_singular_values(loops, Y[some], int(independent.sum())), chosen, seen)
                continue
            doubtful = _settle(found, some, *_by_order(loops, Y[some], order), chosen, seen)
            if doubtful.size and not loops.huge:
                some = some[doubtful]
                _settle(found, some, *_by_singular_values(loops, Y[some], int(independent.sum())), chosen, seen)
    return found


def open_names(joints: Sequence[str], open_: Open) -> dict[str, tuple[str, ...]]:
    """By joint, the components that are open at some sample."""
    ever: Open = np.asarray(open_.any(axis=0))
    return {
        joint: tuple(c for c, is_open in zip(COMPONENTS, row, strict=True) if is_open)
        for joint, row in zip(joints, ever, strict=True)
        if row.any()
    }


def _settle(found: Open, some: Samples, wrenches: Array, rounding: Array, chosen: slice, seen: Array | None) -> Samples:
    """Fill in what idle wrenches (samples, WRENCHES, joints, 6) leave open; those of the samples that are in doubt.

    rounding (samples,) : part of the largest component below which one is rounding
    """
    size = np.linalg.norm(wrenches, axis=1).max(axis=(1, 2), initial=0.0)[:, np.newaxis, np.newaxis]
    across = wrenches[:, :, chosen]
    reach = np.ones((1, 1, 6))
    if seen is not None:
        across = np.einsum("sci,skji->skjc", seen[some], across)
        reach = np.abs(seen[some]).sum(axis=-1)[:, np.newaxis]
    part = np.linalg.norm(across, axis=1)
    limit = rounding[:, np.newaxis, np.newaxis] * size * reach
    found[some] = part > limit
    return np.flatnonzero(((part > limit) & (part < CLEAR * size * reach)).any(axis=(1, 2)))


def _by_order(loops: Loops, Y: Array, order: Order) -> tuple[Array, Array]:
    """Random idle wrenches [f; n / length] by the pivots of an order, and their rounding."""
    given = np.random.default_rng(1).normal(size=(WRENCHES, loops.rows)) * loops.row_scale
    found = loops.idle_kernel(order)(Y[:, np.newaxis], given)
    wrenches, efforts = found if loops.plan.constraints else (found, np.empty((*found.shape[:2], 0)))
    return _even(loops, wrenches, efforts), _digits(loops) * np.sqrt(np.maximum(weakness(loops, order, Y), 1.0))


def _by_singular_values(loops: Loops, Y: Array, freedoms: int) -> tuple[Array, Array]:
    """Random idle wrenches by singular values, and their rounding; none where the posture has more freedoms."""
    error, J = loops.equations(Y)
    U, s, _ = np.linalg.svd(J)
    rank = loops.columns - freedoms
    rng = np.random.default_rng(1)
    mixed = np.einsum("srn,kn->skr", U[:, :, rank:], rng.normal(size=(WRENCHES, loops.rows - rank)))
    least = s[:, rank - 1] if rank else np.ones(len(Y))
    ordinary = least > SINGULAR * np.maximum(s[:, 0], 1.0)
    wrenches = loops.system.bound_kernel(Question(carried()))(Y[:, np.newaxis], mixed * loops.row_scale)
    with np.errstate(divide="ignore"):
        rounding = (_digits(loops) * s[:, 0] + 4.0 * np.abs(error).max(axis=1, initial=0.0)) / least
    efforts = (mixed * loops.row_scale)[..., loops.rows - len(loops.plan.constraints) :]
    return _even(loops, wrenches, efforts), np.where(ordinary, rounding, np.inf)


def _even(loops: Loops, wrenches: Array, efforts: Array) -> Array:
    """Wrenches [f; n / length], and efforts of constraints as first components of rows behind them, as large."""
    own = np.zeros((*efforts.shape, 6))
    own[..., 0] = efforts / loops.row_scale[loops.rows - len(loops.plan.constraints) :]
    return np.concatenate([wrenches / np.array([1.0] * 3 + [loops.length] * 3), own], axis=2)


def _digits(loops: Loops) -> float:
    """Rounding of J's entries: that of places far from the origin counts."""
    far = max(loops.plan.distances.values(), default=0.0)
    return DIGITS * (1.0 + far / loops.length)
