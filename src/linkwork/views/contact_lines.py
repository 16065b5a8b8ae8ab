"""What is shown of surfaces and of curves in space that a point is kept on: a window of their parameters, and lines."""

from __future__ import annotations

import math

import numpy as np

from linkwork.geometry import Array
from linkwork.model.joints import OnCurve, OnSurface
from linkwork.model.parts import Joint
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


def spans_of(joint: Joint) -> list[Range]:
    """Ranges of the parameters of a point on a surface or a curve, cut by the limits of its joint.

    joint : the joint
    """
    ranges, limits = joint.law.ranges(), {name: (low, high) for name, low, high in joint.limits}
    spans = []
    for variable in joint.law.variables[:-4]:
        span = ranges.get(variable.name, Range())
        low, high = limits.get(variable.name, (-math.inf, math.inf))
        if math.isfinite(low) or math.isfinite(high):
            span = Range(max(low, span.start), min(high, span.end))
        spans.append(span)
    return spans


def window(joint: Joint, q: Array, size: float) -> list[tuple[float, float]]:
    """The part of a surface or a curve that is shown: from where to where each parameter goes.

    joint, q : the joint and its variables
    size : of the machine [m]
    """
    variables = joint.law.variables
    return [shown(span, variables[k].dimension, float(q[k]), size) for k, span in enumerate(spans_of(joint))]


def lines_of(joint: Joint, q: Array, size: float) -> list[Array]:
    """Lines (n, 3) [m] in the first frame that show what a point is kept on; none where it is not finite.

    joint, q : the joint and its variables
    size : of the machine [m]
    """
    law = joint.law
    assert isinstance(law, OnSurface | OnCurve)
    if isinstance(law, OnCurve):
        ((low, high),) = window(joint, q, size)
        lines = [law.curve.places(np.linspace(low, high, 2 * POINTS - 1))]
    else:
        (a, b), (c, d) = window(joint, q, size)
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
