"""Curves on a surface of postures along which a number is zero, followed step by step, all together.

A step goes along the curve, across the gradient of the number in the plane of the surface, and Newton's steps along
the gradient bring it back. A step that turns too much or strays is halved; a curve ends at its beginning, at a limit,
or where steps have become too short, as in a cusp or where curves cross without a direction of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.robots.covering import Number, signed
from linkwork.analyses.robots.sheet import Sheet
from linkwork.geometry import Array

STEP = 1e-5
"""Step of central differences along the surface [rad, or parts of the machine's size]."""
ZERO = 1e-12
"""Number that counts as zero, in parts of its gradient."""
CORRECTIONS = 6
TURN = 0.9
"""Cosine of the largest angle between one step and the next."""
SHORTEST = 1.0 / 256.0
"""Parts of a stride below which a step is too short to go on."""
LONGEST_CURVE = 4000
"""Steps at most, each way."""


@dataclass(frozen=True, eq=False)
class Followed:
    """Postures along a curve in order, whether it closes in itself, and why it ends at its first and last one."""

    Y: Array
    closed: bool
    ends: tuple[str, str]


def gradients(sheet: Sheet, number: Number, Y: Array) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """Of a number at postures: values (n,), gradients (n, 2) in the planes, these (n, N, 2), and where all is known."""
    free, plane, fine = sheet.planes(Y)
    values = number(Y, free)
    slopes = np.empty((len(Y), 2))
    for k in range(2):
        sides = []
        for way in (STEP, -STEP):
            near = sheet.loops.advanced(Y, way * plane[:, :, k])
            own, _, there = sheet.planes(near)
            fine = fine & there
            sides.append(signed(number, near, own, free))
        slopes[:, k] = (sides[0] - sides[1]) / (2.0 * STEP)
    return values, slopes, plane, fine & np.isfinite(slopes).all(axis=1) & (np.abs(slopes).max(axis=1) > 1e-9)


def polished(sheet: Sheet, number: Number, Y: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Postures near a curve put onto it, and which of them are on it."""
    Y, good = sheet.closed(Y)
    for _ in range(CORRECTIONS):
        values, slopes, plane, fine = gradients(sheet, number, Y)
        good &= fine
        size = np.where(fine, (slopes**2).sum(axis=1), 1.0)
        away = values / np.sqrt(size)
        wanting = good & (np.abs(away) > ZERO)
        if not wanting.any():
            return Y, good
        strides = np.where(wanting, -values / size, 0.0)[:, np.newaxis] * (plane @ slopes[..., np.newaxis])[..., 0]
        Y, there = sheet.stepped(Y, strides)
        good &= there
    values, slopes, _, fine = gradients(sheet, number, Y)
    size = np.sqrt(np.where(fine, (slopes**2).sum(axis=1), 1.0))
    return Y, good & fine & (np.abs(values) <= 1e3 * ZERO * size)


def followed(sheet: Sheet, number: Number, start: Array, stride: float) -> Followed | None:
    """The curve through a posture, both ways; None where it has no direction there."""
    Y, good = polished(sheet, number, start[np.newaxis])
    if not good[0]:
        return None
    first = Y[0]
    _, slopes, plane, fine = gradients(sheet, number, Y)
    if not fine[0]:
        return None
    tangent = _along(slopes, plane)[0]
    begun = sheet.spread(Y)[0]
    ahead, reason, closed = _one_way(sheet, number, first, tangent, stride, begun)
    if closed:
        return Followed(np.stack([first, *ahead, first]), True, ("", ""))
    behind, other, _ = _one_way(sheet, number, first, -tangent, stride, begun)
    return Followed(np.stack([*behind[::-1], first, *ahead]), False, (other, reason))


def _one_way(
    sheet: Sheet, number: Number, first: Array, tangent: Array, stride: float, begun: Array
) -> tuple[list[Array], str, bool]:
    """Postures along a curve one way, why it ended, and whether it came back to its beginning."""
    y, step, found = first, stride, list[Array]()
    began = tangent
    while len(found) < LONGEST_CURVE:
        near = sheet.stepped(y[np.newaxis], step * tangent[np.newaxis])[0]
        tried, good = polished(sheet, number, near)
        reason = "the curve has no direction there"
        if good[0]:
            _, slopes, plane, fine = gradients(sheet, number, tried)
            way = _along(slopes, plane)[0]
            moved = sheet.loops.apart(y[np.newaxis], tried)[0]
            size = float(np.linalg.norm(moved))
            cosine = float(way @ tangent)
            way = way if cosine > 0.0 else -way
            straight = fine[0] and abs(cosine) > TURN and float(moved @ tangent) > TURN * size > 0.5 * TURN * step
            if straight and sheet.within(tried)[0]:
                back = np.linalg.norm(sheet.spread(tried)[0] - begun)
                found.append(tried[0])
                y, tangent = tried[0], way
                if len(found) > 2 and back < 0.75 * step and float(tangent @ began) > 0.0:
                    return found, "", True
                step = min(stride, 2.0 * step)
                continue
            reason = sheet.who_is_beyond(tried[0]) if straight else "the curve turns sharply there"
        step *= 0.5
        if step < SHORTEST * stride:
            return found, reason, False
    return found, f"{LONGEST_CURVE} steps", False


def _along(slopes: Array, plane: Array) -> Array:
    """Unit tangents (n, N) across the gradients."""
    across = np.stack([-slopes[:, 1], slopes[:, 0]], axis=1)
    size = np.linalg.norm(across, axis=1, keepdims=True)
    tangents: Array = (plane @ (across / np.where(size > 0.0, size, 1.0))[..., np.newaxis])[..., 0]
    return tangents
