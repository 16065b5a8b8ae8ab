"""Samples at and near singular postures, and those that stay open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.failures import CannotClose
from linkwork.analyses.kinematics.interpolation import lagrange
from linkwork.analyses.kinematics.samples import Swept, keep_first
from linkwork.errors import Problem
from linkwork.geometry import Array


def smooth(found: Swept, singular: NDArray[np.int64], doubtful: NDArray[np.int64], way: Array) -> None:
    """Variables and rates at singular postures, through which a path runs on smoothly: interpolated between both sides.

    The drives do not determine them there, and near by only with few digits (accelerations first). Where a path does
    not run on (its ends, a limit of travel) singular samples lose their rates, and that is told.
    """
    poor = np.union1d(singular, doubtful)
    for run in np.split(poor, np.flatnonzero(np.diff(poor) > 1) + 1):
        if not run.size:
            continue
        nodes = _nodes(poor, len(found.Y), int(run[0]), int(run[-1]))
        own = np.intersect1d(run, singular).tolist()
        if nodes is not None and _carried(found, run, nodes, way):
            found.carried += own
        else:
            found.blank += own
    for level in found.rates:
        level[np.ix_(np.array(found.blank, np.int64), np.flatnonzero(~found.independent))] = np.nan


def _nodes(poor: NDArray[np.int64], count: int, first: int, last: int) -> NDArray[np.int64] | None:
    """Three sound samples on each side of a run of poor ones, about as far apart as the run is long."""
    gap = max(1, (last - first + 2) // 2)
    for wider in range(4):
        nodes = np.array(
            [*(first - 1 - wider - gap * k for k in (2, 1, 0)), *(last + 1 + wider + gap * k for k in (0, 1, 2))]
        )
        if nodes[0] >= 0 and nodes[-1] < count and not np.isin(nodes, poor).any():
            return nodes
    return None


def _carried(found: Swept, run: NDArray[np.int64], nodes: NDArray[np.int64], way: Array) -> bool:
    """Interpolate a run of samples between nodes; False if polynomials of two degrees disagree."""
    x, places = way[run], way[nodes]
    if (np.diff(places) <= 0.0).any():
        x, places = run.astype(float), nodes.astype(float)
    high, low = lagrange(places, x), lagrange(places[1:-1], x)
    scales = [found.loops.variable_scale, *(1.0 / found.loops.column_scale for _ in found.rates)]
    for values, scale in zip((found.Y, *found.rates), scales, strict=True):
        fine, coarse = high @ (values[nodes] * scale), low @ (values[nodes[1:-1]] * scale)
        if not np.abs(fine - coarse).max() <= 1e-2 * max(1e-3, float(np.abs(values[nodes] * scale).max())):
            return False
    for values in (found.Y, *found.rates):
        values[run] = high @ values[nodes]
    for start in found.loops.quaternions:
        own = found.Y[run, start : start + 4]
        found.Y[run, start : start + 4] = own / np.linalg.norm(own, axis=1, keepdims=True)
    found.residual[run] = found.loops.residual(found.Y[run])
    return True


def mend(found: Swept, path: bool) -> None:
    """Close what is still open, leaving weak pivots alone; samples that stay open are taken off, and told."""
    loops = found.loops
    for k in np.flatnonzero(~(found.residual <= loops.tolerance)):
        y = found.Y[k].copy()
        for _ in range(8):
            if not loops.is_finite(y):  # a law ends here
                break
            stride = loops.correction(y, found.independent, 1e-4)
            if np.abs(stride).max(initial=0.0) > 0.05:
                break
            y = loops.advanced(y, stride)
            if np.abs(stride).max(initial=0.0) < 1e-13:
                break
        if loops.is_finite(y) and not loops.residual(y) >= found.residual[k]:
            found.Y[k], found.residual[k] = y, float(loops.residual(y))
    wrong = np.flatnonzero(~(found.residual <= loops.tolerance))
    if not wrong.size:
        return
    first = int(wrong[0])
    share = f"{wrong.size} of {len(found.Y)} samples do" if wrong.size > 1 else f"sample {first} does"
    text = f"{share} not close, the error is up to {np.nanmax(np.append(found.residual[wrong], 0.0)):.2e}"
    hint = "it may lie beyond the limit of travel" if path else "start from a nearer posture, or follow the samples"
    stop = CannotClose(Problem(text, hint=hint), loops.plan.name)
    if path:
        keep_first(found, first)
    else:
        found.Y[wrong] = np.nan
        for level in found.rates:
            level[wrong] = np.nan
    found.stop = stop if found.stop is None or path else found.stop
