"""What is shown of surfaces and of curves in space that a point is kept on: a window of their parameters, and lines."""

from __future__ import annotations

import numpy as np

from linkwork.geometry import Array
from linkwork.model.joints import OnCurve, OnSurface
from linkwork.model.ranges import Range
from linkwork.model.surfaces import Surface

SHARE = 0.3  # of the machine's size, to both sides of the point on a surface or a curve without end
TURNS = 2 * np.pi  # to both sides of the point on a screw line
LINES = 9  # along either parameter of a surface
POINTS = 97  # of a line


def shown(span: Range, dimension: str, now: float, size: float) -> tuple[float, float]:
    """From where to where a parameter is shown: its range, cut where that has no end.

    span, dimension : range and dimension of the parameter
    now : its value; size : of the machine [m]
    """
    reach = TURNS if dimension == "angle" else SHARE * size
    low = span.start if np.isfinite(span.start) else now - reach
    high = span.end if np.isfinite(span.end) else max(now, low) + reach
    return float(low), float(high)


def window(surface: Surface, q: Array, size: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """The part of a surface that is shown around its parameters q.

    surface, q : the surface and where the point is on it
    size : of the machine [m]
    """
    first, second = (
        shown(span, dimension, float(now), size)
        for span, (_, dimension), now in zip(surface.over(), surface.parameters, q, strict=False)
    )
    return first, second


def lines_of(law: OnSurface | OnCurve, q: Array, size: float) -> list[Array]:
    """Lines (n, 3) [m] in the first frame that show what a point is kept on; none where it is not finite.

    law, q : the joint's law and its variables
    size : of the machine [m]
    """
    if isinstance(law, OnCurve):
        low, high = shown(law.curve.along(), law.curve.dimension, float(q[0]), size)
        lines = [law.curve.places(np.linspace(low, high, 2 * POINTS - 1))]
    else:
        (a, b), (c, d) = window(law.surface, q, size)
        along, across = np.linspace(a, b, POINTS), np.linspace(c, d, POINTS)
        lines = [places(law.surface, along, np.full(POINTS, v)) for v in np.linspace(c, d, LINES)]
        lines += [places(law.surface, np.full(POINTS, u), across) for u in np.linspace(a, b, LINES)]
    return [line for line in lines if np.isfinite(line).all()]


def places(surface: Surface, u: Array, v: Array) -> Array:
    """(..., 3): places of a surface at arrays of its parameters [m].

    surface : the surface
    u, v : the parameters
    """
    with np.errstate(all="ignore"):
        return np.stack([np.broadcast_to(np.asarray(c, float), u.shape) for c in surface.point(u, v)], axis=-1)
