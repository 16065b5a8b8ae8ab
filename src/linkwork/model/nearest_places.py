"""The nearest place of a curve or a surface: the valleys of a sampled distance, each polished by Newton's method."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.geometry import Array
from linkwork.model.ranges import Range

SEARCH = 1441  # samples of the coarse search along a plain curve; Newton does the rest
MOST = 100_001  # and along the waviest
VALLEYS = 100  # places of the coarse search that are looked at closely
GRID = 121  # samples of the coarse search along either parameter of a surface
STEP = 1e-30  # of the complex step

Surface = Callable[[Any, Any], tuple[Any, Any, Any]]


def enough_samples(points: Array) -> int:
    """How many samples let every wave of a curve be seen: by how much its tangent turns in all.

    points : (n, 2) or (n, 3) places along it [m]
    """
    steps = np.diff(points, axis=0)
    if points.shape[1] == 2:
        heading = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
        turns = float(np.sum(np.abs(np.diff(heading)))) / (2 * math.pi)
    else:
        a, b = steps[:-1], steps[1:]
        bends = np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), np.einsum("ij,ij->i", a, b))
        turns = float(np.sum(bends)) / (2 * math.pi)
    return int(np.clip(200 * turns, SEARCH, MOST))


def best_parameter(
    along: Range,
    t: Array,
    coarse: Array,
    slope: Callable[[Array], tuple[Array, Array]],
    score: Callable[[Array], Array],
) -> float:
    """Among the valleys of a sampled function the one that, polished by Newton, scores best.

    along : range of the parameter; t, coarse : samples of it and of the function
    slope : derivative of the function, to be made zero, and its own derivative; score : what is to be least
    """
    coarse = np.where(np.isfinite(coarse), coarse, np.inf)
    left, right = np.roll(coarse, 1), np.roll(coarse, -1)
    if not along.closed:
        left[0] = right[-1] = np.inf
    valleys = np.flatnonzero((coarse <= left) & (coarse <= right))
    deepest = t[valleys[np.argsort(coarse[valleys], kind="stable")][:VALLEYS]]
    # The lowest place may be the end of an open range, where the slope is not zero.
    polished = np.concatenate([_polish(along, slope, deepest, float(t[1] - t[0])), deepest])
    with np.errstate(all="ignore"):
        values = np.broadcast_to(score(polished), polished.shape)
    return float(polished[np.argmin(np.where(np.isfinite(values), values, np.inf))])


def _polish(along: Range, slope: Callable[[Array], tuple[Array, Array]], start: Array, step: float) -> Array:
    """Newton from coarse roots, each kept within the neighbouring samples and the range."""
    t = start
    for _ in range(25):
        with np.errstate(all="ignore"):
            value, gradient = slope(t)
            change = np.clip(-value / gradient, -step, step)
        change = np.where(np.isfinite(change), change, 0.0)
        t = np.clip(t + change, start - 2 * step, start + 2 * step)
        if np.max(np.abs(change), initial=0.0) <= 1e-15 * (1.0 + float(np.max(np.abs(t), initial=0.0))):
            break
    if along.closed:
        return np.asarray(along.wrapped(t))
    return np.asarray(np.clip(t, along.start, along.end))


def tangents(point: Surface, u: Any, v: Any) -> Array:
    """(..., 3, 2): derivatives of a surface's place by its two parameters, exact by a complex step."""
    by_u, by_v = point(u + 1j * STEP, v + 0j), point(u + 0j, v + 1j * STEP)
    columns = [np.stack(np.broadcast_arrays(*[np.imag(c) / STEP for c in by]), axis=-1) for by in (by_u, by_v)]
    return np.stack(np.broadcast_arrays(*columns), axis=-1)


def nearest_on_surface(point: Surface, over: tuple[Range, Range], place: Array, guess: Array | None = None) -> Array:
    """Parameters (u, v) of the surface's place nearest to another.

    point : (u, v) -> (x, y, z); over : its two ranges, finite
    place : (x, y, z); guess : parameters (u, v) to begin at, besides those of a coarse search
    """
    u, v = (np.linspace(r.start, r.end, GRID) for r in over)
    U, V = np.meshgrid(u, v, indexing="ij")
    with np.errstate(all="ignore"):
        gap = np.linalg.norm(_places(point, U, V) - place, axis=-1)
    gap = np.where(np.isfinite(gap), gap, np.inf)
    low = np.minimum.reduce([_neighbour(gap, over, i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j])
    valleys = np.flatnonzero(gap <= low)
    valleys = valleys[np.argsort(gap.ravel()[valleys], kind="stable")][:VALLEYS]
    starts = np.stack([U.ravel()[valleys], V.ravel()[valleys]], axis=1)
    if guess is not None:
        starts = np.concatenate([starts, np.clip(guess, [r.start for r in over], [r.end for r in over])[None]])
    found, left = _descend(point, over, place, starts)
    return np.asarray(found[np.argmin(left)])


def _places(point: Surface, u: Array, v: Array) -> Array:
    shape = np.broadcast_shapes(np.shape(u), np.shape(v))
    return np.stack([np.broadcast_to(np.asarray(c, float), shape) for c in point(u, v)], axis=-1)


def _neighbour(gap: Array, over: tuple[Range, Range], i: int, j: int) -> Array:
    """The gap at the next sample along both parameters; nothing is beyond the end of an open range."""
    moved = np.roll(gap, (i, j), axis=(0, 1))
    if i and not over[0].closed:
        moved[0 if i > 0 else -1] = np.inf
    if j and not over[1].closed:
        moved[:, 0 if j > 0 else -1] = np.inf
    return moved


def _descend(point: Surface, over: tuple[Range, Range], place: Array, starts: Array) -> tuple[Array, Array]:
    """Levenberg and Marquardt from many starts at once; parameters and distances where each ends.

    A parameter at the end of an open range stays there while the distance falls towards the outside.
    """
    lowest = np.array([-np.inf if r.closed else r.start for r in over])
    highest = np.array([np.inf if r.closed else r.end for r in over])
    q, damping = starts.copy(), np.full(len(starts), 1e-6)

    def distance(q: Array) -> Array:
        with np.errstate(all="ignore"):
            gap = np.linalg.norm(_places(point, q[:, 0], q[:, 1]) - place, axis=1)
        return np.where(np.isfinite(gap), gap, np.inf)

    gap = distance(q)
    for _ in range(200):
        with np.errstate(all="ignore"):
            J = tangents(point, q[:, 0], q[:, 1])
            g = np.einsum("nij,ni->nj", J, _places(point, q[:, 0], q[:, 1]) - place)
        held = ((q <= lowest) & (g > 0.0)) | ((q >= highest) & (g < 0.0)) | ~np.isfinite(g)
        J, g = np.where(held[:, None, :], 0.0, J), np.where(held, 0.0, g)
        A = np.einsum("nij,nik->njk", J, J)
        size = np.maximum(np.einsum("njj->nj", A), 1e-300)
        A[:, 0, 0] += damping * size[:, 0]
        A[:, 1, 1] += damping * size[:, 1]
        det = np.maximum(A[:, 0, 0] * A[:, 1, 1] - A[:, 0, 1] ** 2, 1e-300)
        change = -np.stack(
            [A[:, 1, 1] * g[:, 0] - A[:, 0, 1] * g[:, 1], A[:, 0, 0] * g[:, 1] - A[:, 0, 1] * g[:, 0]], axis=1
        )
        new = np.clip(q + change / det[:, None], lowest, highest)
        there = distance(new)
        better = there <= gap
        moved = np.where(better, np.max(np.abs(new - q) / (1.0 + np.abs(q)), axis=1), 0.0)
        q, gap = np.where(better[:, None], new, q), np.where(better, there, gap)
        damping = np.where(better, 0.1 * damping, np.minimum(10.0 * damping + 1e-12, 1e6))
        if not np.any(moved > 1e-16) and not np.any(~better & (damping < 1e3)):
            break
    return np.stack([over[k].wrapped(q[:, k]) for k in (0, 1)], axis=1), gap
