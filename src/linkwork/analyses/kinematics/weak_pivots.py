"""Samples that an order of pivots serves badly though the rows are sound: closed anew, each with pivots of its own.

An order is found at one posture and serves many. Where its pivots p have shrunk, an error e of the rows moves variables
by e / p, their rates by e / p² and accelerations by e / p³, and rows that are redundant no longer agree. Pivots found
at the posture itself lose only what its singular values lose. Next to a bifurcation multipliers of redundant rows grow
before pivots shrink: there it is the rows left open that tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.batches import Parts
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.equations.loop_solver import Order
from linkwork.geometry import Array
from linkwork.numerics.elimination import eliminate_batch

WEAKER = 16.0
"""Growth of Σ 1/pivot² from which pivots of one's own are worth their while."""
OPEN = 8.0
"""Roundings by which rows may stay open where some are redundant."""
NEAR = 1e-6
"""How far closing anew may move a sample, which is closed already [rad, or parts of the machine's size]."""


@dataclass(frozen=True)
class Anew:
    """Samples with pivots of their own, and the rates that are independent there."""

    samples: NDArray[np.int64]
    independent: Mask


def closed_anew(
    parts: Parts, orders: Sequence[Mapping[Order, NDArray[np.int64]]], Y: Array, measures: Array
) -> list[Anew]:
    """Close samples whose pivots are weak but need not be, in place, with their residuals and Σ 1/pivot².

    parts, orders, measures : as `polished_parts` gives them
    """
    found: list[Anew] = []
    least = float(np.nanmin(measures[:, 2], initial=np.inf))
    for (solver, _), by_order in zip(parts, orders, strict=True):
        loops = solver.loops
        if loops.sparse or not loops.count:
            continue
        for order, samples in by_order.items():
            independent = np.ones(loops.columns, bool)
            independent[[column for _, column in order.pivots]] = False
            residual, weakness = measures[samples, 0], measures[samples, 2]
            doubted = (residual > _open(loops, independent) ** 2) | (weakness > WEAKER * least)
            weak = samples[doubted & (residual <= loops.tolerance**2)]
            if weak.size and (own := _closed(loops, Anew(weak, independent), Y, measures)).samples.size:
                found.append(own)
    return found


def _open(loops: Loops, independent: Mask) -> float:
    """How far rows may be open from which another choice of pivots could close them; infinite where there is none."""
    if loops.rows_in_use <= np.count_nonzero(~independent):
        return np.inf
    far = max(loops.plan.distances.values(), default=0.0)
    return OPEN * float(np.finfo(float).eps) * (1.0 + far / loops.length)


def _closed(loops: Loops, weak: Anew, Y: Array, measures: Array) -> Anew:
    """Those of some samples that pivots of their own serve better, closed with them."""
    J = loops.equations(Y[weak.samples])[1]
    own = eliminate_batch(J, weak.independent)
    weakness = len(weak.independent) / np.maximum(own.smallest_pivot, 1e-300) ** 2
    full = own.rank == np.count_nonzero(~weak.independent)
    residual, before = measures[weak.samples, 0], measures[weak.samples, 2]
    better = np.flatnonzero(full & ((residual > _open(loops, weak.independent) ** 2) | (WEAKER * weakness < before)))
    samples = weak.samples[better]
    y = Y[samples]
    for _ in range(2):
        e, J = loops.equations(y)
        y = loops.advanced(y, loops.solved(J, -e[..., np.newaxis], weak.independent)[..., 0])
    errors = loops.errors(y)
    good = np.abs((y - Y[samples]) * loops.variable_scale).max(axis=1, initial=0.0) <= NEAR
    good &= np.isfinite(errors).all(axis=1)
    samples, better = samples[good], better[good]
    Y[samples] = y[good]
    measures[samples, 0] = (errors[good] ** 2).sum(axis=1)
    measures[samples, 2] = np.minimum(measures[samples, 2], weakness[better])
    return Anew(samples, weak.independent)


def rates_anew(loops: Loops, anew: Sequence[Anew], Y: Array, given: Sequence[Array], rates: Sequence[Array]) -> None:
    """Rates, accelerations, ... of such samples, in place, for given independent ones (samples, nw) of each level."""
    for own in anew:
        found = loops.rates_each(Y[own.samples], own.independent, [level[own.samples] for level in given])
        for level, values in zip(rates, found, strict=True):
            level[own.samples] = values
