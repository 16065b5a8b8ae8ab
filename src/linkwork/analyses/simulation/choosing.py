"""What contacts and frictions at rest do: forces within bounds that hold whatever they can hold.

Accelerations (or rates after an impact) along candidates are affine in their forces (impulses) h, b = b0 + S h, with S
symmetric and positive semidefinite. Gauss's principle: h makes ½ hᵀ S h + b0ᵀ h least within its bounds, so that

    b = 0 inside,   b >= 0 at the lower bound,   b <= 0 at the upper one

A stop only pushes, a friction holds up to its grip. The b of the answer is unique; where several of them share what one
could do alone, h is not, and they share evenly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.geometry import Array

NOTHING = 1e-10
"""Part of what it is made of below which an acceleration or a response is none."""
RELIEF = 1e-6
"""Part of its grip by which a friction must be relieved to hold on."""


def reduced(S: Array, b: Array, kept: int) -> tuple[Array, Array]:
    """S and b of the rows after the first `kept` ones, these being obeyed: b = 0 there, whatever it takes."""
    if not kept:
        return S, b
    A = np.linalg.lstsq(S[:kept, :kept], np.column_stack([S[:kept, kept:], b[:kept]]), rcond=1e-12)[0]
    return S[kept:, kept:] - S[kept:, :kept] @ A[:, :-1], b[kept:] - S[kept:, :kept] @ A[:, -1]


def least(S: Array, b0: Array, lower: Array, upper: Array) -> Array:
    """Forces h that make ½ hᵀ S h + b0ᵀ h least within bounds."""
    h = np.clip(np.zeros(len(b0)), lower, upper)
    size = np.sqrt(np.maximum(np.diag(S), 0.0))
    moved = np.flatnonzero((size > 0.0) & (lower < upper))
    for k in np.flatnonzero(size == 0.0):  # nothing that it does changes anything
        h[k] = lower[k] if b0[k] > 0.0 else upper[k] if b0[k] < 0.0 else h[k]
        h[k] = h[k] if np.isfinite(h[k]) else 0.0
    if not moved.size:
        return h
    fixed = np.setdiff1d(np.arange(len(b0)), moved)
    unit = size[moved]
    even = S[np.ix_(moved, moved)] / np.outer(unit, unit)
    wanted = (b0[moved] + S[np.ix_(moved, fixed)] @ h[fixed]) / unit
    h[moved] = _bounded(even, wanted, lower[moved] * unit, upper[moved] * unit) / unit
    return h


def _bounded(S: Array, b: Array, lower: Array, upper: Array) -> Array:
    """The same for candidates of one scale: S has a diagonal of ones."""
    free = -np.linalg.lstsq(S, b, rcond=NOTHING)[0]
    if ((free >= lower) & (free <= upper)).all():
        return np.asarray(free)
    if len(b) == 1:
        return np.clip(free, lower, upper)
    from scipy.optimize import lsq_linear

    values, vectors = np.linalg.eigh(S)
    kept = values > NOTHING * values[-1]
    root = np.sqrt(values[kept])
    A, c = root[:, np.newaxis] * vectors[:, kept].T, -(vectors[:, kept].T @ b) / root
    found = lsq_linear(A, c, (lower, upper), method="bvls", tol=1e-14)
    inside = found.active_mask == 0
    h: Array = np.where(inside, found.x, np.where(found.active_mask > 0, upper, lower))
    if inside.any():  # once more, without the rounding of the root
        rest = b[inside] + S[np.ix_(inside, ~inside)] @ h[~inside]
        polished = -np.linalg.lstsq(S[np.ix_(inside, inside)], rest, rcond=NOTHING)[0]
        within = (polished >= lower[inside]) & (polished <= upper[inside])
        h[inside] = np.where(within, polished, h[inside])
    return h


@dataclass(frozen=True, eq=False)
class Candidates:
    """Frictions at rest, then stops that are touched.

    S, b0 : of the accelerations along all of them, b = b0 + S h
    grip : (frictions, 2) what they hold against motion forward and backward; slide : what they slide with
    sides : of the stops, 1 from above, -1 from below
    given_way : by friction, the way it has just given way to, 1 or -1; 0 of others
    """

    S: Array
    b0: Array
    grip: Array
    slide: Array
    sides: Sequence[int]
    given_way: Sequence[int]


@dataclass(frozen=True, eq=False)
class Chosen:
    """slips : by friction, the way it slides, 0 where it holds; forces : of all candidates
    leans : by stop, whether it is leant on
    rows : frictions that hold by themselves; the others that hold are at rest by what these do
    """

    slips: list[int]
    forces: Array
    leans: list[bool]
    rows: list[int]


def chosen(c: Candidates) -> Chosen:
    """Which frictions hold, which slide and where to, and which stops are leant on."""
    count = len(c.grip)
    # A stop from above (1) pushes down, one from below (-1) up.
    lower = np.array([*-c.grip[:, 0], *(-np.inf if side > 0 else 0.0 for side in c.sides)])
    upper = np.array([*c.grip[:, 1], *(0.0 if side > 0 else np.inf for side in c.sides)])
    slips = [0] * count
    relieved = _relieved(c, lower.copy(), upper.copy())
    if relieved is not None:
        h = relieved
    else:
        for k, way in enumerate(c.given_way):
            if way:
                slips[k] = way
        for _ in range(2 * count + 1):
            for k, way in enumerate(slips):
                if way:
                    lower[k] = upper[k] = -c.slide[k, 0] if way > 0 else c.slide[k, 1]
            h = least(c.S, c.b0, lower, upper)
            b, none = _accelerations(c, h)
            fresh = {k: 1 if b[k] > 0.0 else -1 for k in range(count) if not slips[k] and abs(b[k]) > none[k]}
            if any(c.given_way):  # none of those that are at their limits can hold the others any longer
                fresh = _spent(c, h, slips) | fresh
            back = [k for k in range(count) if slips[k] and slips[k] * b[k] < -none[k]]
            for k, way in fresh.items():
                slips[k] = way
            for k in back:
                slips[k], lower[k], upper[k] = 0, -c.grip[k, 0], c.grip[k, 1]
            if not fresh and not back:
                break
    b, none = _accelerations(c, h)
    leans = [bool(abs(b[count + k]) <= none[count + k]) for k in range(len(c.sides))]
    stops = [count + k for k, own in enumerate(leans) if own]
    rows = _independent(c.S, stops, [k for k in range(count) if not slips[k]], c.given_way)
    for k in range(count):  # it does not slide if others keep it from doing so
        if slips[k] and abs(b[k]) <= none[k] and _depends(c.S, [*stops, *rows], k):
            slips[k] = 0
    return Chosen(slips, h, leans, rows)


def _spent(c: Candidates, h: Array, slips: Sequence[int]) -> dict[int, int]:
    """Frictions that hold with all they have, and the way to which they give way."""
    found = {}
    for k, (forward, backward) in enumerate(c.grip):
        if not slips[k] and h[k] <= -(1.0 - RELIEF) * forward:
            found[k] = 1
        elif not slips[k] and h[k] >= (1.0 - RELIEF) * backward:
            found[k] = -1
    return found


def _accelerations(c: Candidates, h: Array) -> tuple[Array, Array]:
    """Along all candidates, and what is as good as none."""
    made = np.abs(c.b0) + np.abs(c.S) @ np.abs(h)
    return c.b0 + c.S @ h, NOTHING * np.maximum(made, 1e-3 * made.max(initial=0.0)) + 1e-300


def _depends(S: Array, rows: Sequence[int], k: int) -> bool:
    """Whether candidate k is at rest once those of `rows` are."""
    if not len(rows):
        return False
    part = np.linalg.lstsq(S[np.ix_(rows, rows)], S[rows, k], rcond=NOTHING)[0]
    return bool(S[k, k] - S[k, rows] @ part <= NOTHING * S[k, k])


def _independent(S: Array, stops: Sequence[int], holding: Sequence[int], first: Sequence[int]) -> list[int]:
    """Frictions none of which is at rest by what stops and the others do; those that have given way come first."""
    rows: list[int] = []
    for k in sorted(holding, key=lambda k: not first[k]):
        if S[k, k] > 0.0 and not _depends(S, [*stops, *rows], k):
            rows.append(k)
    return sorted(rows)


def _relieved(c: Candidates, lower: Array, upper: Array) -> Array | None:
    """Forces that hold everything with less of those that have given way; None if there are none.

    Frictions of one loop hold together: when the grip of one is used up, the others take over what they can.
    """
    broken = [k for k, way in enumerate(c.given_way) if way]
    if not broken or len(c.grip) < 2 or np.linalg.matrix_rank(c.S, NOTHING * np.abs(c.S).max(), True) == len(c.S):
        return None
    from scipy.optimize import linprog

    size = np.sqrt(np.maximum(np.diag(c.S), 1e-300))
    relief = np.zeros(len(c.S))
    for k in broken:
        relief[k] = -c.given_way[k] / size[k]
        lower[k], upper[k] = (lower[k], 0.0) if c.given_way[k] > 0 else (0.0, upper[k])  # halfway is enough
    bounds = [(a * s, b * s) for a, b, s in zip(lower, upper, size, strict=True)]
    load = -c.b0 / size
    scale = max(float(np.abs(load).max()), 1e-300)
    scaled = [(None if np.isinf(a) else a / scale, None if np.isinf(b) else b / scale) for a, b in bounds]
    found = linprog(relief, A_eq=c.S / np.outer(size, size), b_eq=load / scale, bounds=scaled)
    if not found.success:
        return None
    h: Array = found.x * scale / size
    enough = all(c.given_way[k] * h[k] > -(1.0 - RELIEF) * c.grip[k, 0 if c.given_way[k] > 0 else 1] for k in broken)
    return h if enough else None
