"""Small groups of bodies closed by formulas: two bodies on three hinges or sliders, a body on one of them and a rod.

    M1 G M2 H M3 = T,    M = Rz(angle) or Tz(slide)

T is known, G and H are the bodies' own. Of every kind one equation with one unknown is left, a cos q + b sin q = c or
a q² + b q + c = 0. Where rounding could decide how many roots there are, or where an equation says nothing, there is no
answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from linkwork import geometry as geo
from linkwork.analyses.kinematics.linkage_graph import Hinge
from linkwork.geometry import Array

UNCLEAR = 1e-9
"""Discriminants this near to zero, relative to their terms, do not tell how many roots there are."""
VANISHING = 1e-6
"""Parts of a direction, or of the machine's size, below which an equation says nothing."""
FITS, MISSES = 1e-8, 1e-5
"""A candidate closes when it fits this well, does not when it misses by more, and is unclear in between."""

Row = tuple[float, float, float]


class Unclear(Exception):
    """Whether there is a root is not to be decided by formulas."""


def dyad_poses(
    size: float, ends: tuple[Array, Array], hinges: Sequence[Hinge], nodes: Sequence[int]
) -> list[tuple[Array, Array]]:
    """Poses of two nodes on three joints between known ones, all there are.

    ends : poses of the known nodes at both ends; size : of the machine [m]
    """
    first, middle, last = hinges
    b1, b2 = nodes
    before = ends[0] @ first.frame(first.other(b1))
    after = ends[1] @ last.frame(last.other(b2))
    G = geo.inverse(first.frame(b1)) @ middle.frame(b1)
    H = geo.inverse(middle.frame(b2)) @ last.frame(b2)
    T = geo.inverse(before) @ after
    found = []
    for q in _rows("".join(h.kind for h in hinges), _scaled(G, size), _scaled(H, size), _scaled(T, size)):
        X1 = before @ _moved(first.kind, q[0] * _unit(first, size)) @ geo.inverse(first.frame(b1))
        X2 = X1 @ middle.frame(b1) @ _moved(middle.kind, q[1] * _unit(middle, size)) @ geo.inverse(middle.frame(b2))
        found.append((X1, X2))
    return found


def poses_on_a_rod(
    size: float, end: Array, hinge: Hinge, node: int, point: Array, centre: Array, length: float
) -> list[Array]:
    """Poses of a node on a hinge or slider, one of its points at a distance from a point of the world; all there are.

    end : pose of the known node; point : of the node, in its frame; centre : in the world
    """
    before = end @ hinge.frame(hinge.other(node))
    back = geo.inverse(hinge.frame(node))
    r = (back @ [*point, 1.0])[:3] / size
    w = (geo.inverse(before) @ [*centre, 1.0])[:3] / size
    reach = length / size
    if hinge.kind == "R":
        a, b = -2.0 * (w[0] * r[0] + w[1] * r[1]), -2.0 * (w[1] * r[0] - w[0] * r[1])
        roots = _angles(a, b, reach**2 - r @ r - w @ w + 2.0 * r[2] * w[2])
    else:
        d = r - w
        roots = _slides(1.0, 2.0 * d[2], d @ d - reach**2)
    return [before @ _moved(hinge.kind, q * _unit(hinge, size)) @ back for q in roots]


# -------------------------------------------------------------------- one row of two bodies


def _rows(kinds: str, G: Array, H: Array, T: Array) -> list[Row]:
    """All q of  M1 G M2 H M3 = T."""
    if kinds in ("PRR", "PPR"):  # the other way round: M3^-1 H^-1 M2^-1 G^-1 M1^-1 = T^-1
        turned = _rows(kinds[::-1], geo.inverse(H), geo.inverse(G), geo.inverse(T))
        return [(-c, -b, -a) for a, b, c in turned]
    solve = {"RRR": _rrr, "RRP": _rrp, "RPR": _rpr}.get(kinds)
    candidates = solve(G, H, T) if solve is not None else _one_turn(kinds, G, H, T)
    found = []
    for q in candidates:
        M = [_moved(kind, x) for kind, x in zip(kinds, q, strict=True)]
        away = float(np.abs(M[0] @ G @ M[1] @ H @ M[2] - T).max())
        if FITS < away < MISSES:
            raise Unclear
        if away <= FITS:
            found.append(q)
    return found


def _rrr(G: Array, H: Array, T: Array) -> list[Row]:
    g, h = G[2, :3], H[:3, 2]
    flat = [float(np.hypot(v[0], v[1])) < VANISHING for v in (g, h)]
    if not any(flat):  # the angle between the outer axes depends on the middle one
        middles = _angles(g[0] * h[0] + g[1] * h[1], g[1] * h[0] - g[0] * h[1], T[2, 2] - g[2] * h[2])
    elif all(flat):  # all parallel: their distance does
        u = G[:2, 3]
        v, w = G[:2, :2] @ H[:2, 3], G[:2, :2] @ np.array([-H[1, 3], H[0, 3]])
        middles = _angles(2.0 * u @ v, 2.0 * u @ w, T[:2, 3] @ T[:2, 3] - u @ u - v @ v)
    else:
        raise Unclear
    found = []
    for q in middles:
        Q = G @ _moved("R", q) @ H
        by = (T[:2, 3], Q[:2, 3]) if all(flat) else (T[:2, 2], Q[:2, 2])
        found.append(_with_last_turn(_between(*by), q, Q, T))
    return found


def _rrp(G: Array, H: Array, T: Array) -> list[Row]:
    W = T[:3, :3] @ H[:3, :3].T
    d, e = T[:3, 3] - W @ H[:3, 3], T[:3, 2]
    arm = G[:2, 3]
    found = []
    for s in _slides(e[:2] @ e[:2], -2.0 * d[:2] @ e[:2], d[:2] @ d[:2] - arm @ arm):
        first = _between(d[:2] - s * e[:2], arm)
        R = G[:3, :3].T @ _moved("R", -first)[:3, :3] @ W
        found.append((first, math.atan2(R[1, 0], R[0, 0]), s))
    return found


def _rpr(G: Array, H: Array, T: Array) -> list[Row]:
    p, e = G[:3, 3] + G[:3, :3] @ H[:3, 3], G[:3, 2]
    found = []
    for s in _slides(e[:2] @ e[:2], 2.0 * p[:2] @ e[:2], p[:2] @ p[:2] - T[:2, 3] @ T[:2, 3]):
        Q = G @ _moved("P", s) @ H
        found.append(_with_last_turn(_between(T[:2, 3], Q[:2, 3]), s, Q, T))
    return found


def _one_turn(kinds: str, G: Array, H: Array, T: Array) -> list[Row]:
    """Turns tell the angle, the slides are those of linear equations."""
    turns = [np.eye(3), G[:3, :3], G[:3, :3] @ H[:3, :3]]  # axes of the joints in the first frame, without any angle
    angle = 0.0
    if "R" in kinds:
        place = kinds.index("R")
        B = turns[place]
        R = B.T @ T[:3, :3] @ (B.T @ turns[2]).T
        angle = math.atan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
    q = [angle if kind == "R" else 0.0 for kind in kinds]

    def origin(slides: Sequence[float]) -> Array:
        M = [_moved(kind, x + s) for kind, x, s in zip(kinds, q, slides, strict=True)]
        return (M[0] @ G @ M[1] @ H @ M[2])[:3, 3]

    start = origin((0.0, 0.0, 0.0))
    free = [k for k, kind in enumerate(kinds) if kind == "P"]
    A = np.stack([origin([float(k == i) for i in range(3)]) - start for k in free], axis=1)
    if np.linalg.svd(A, compute_uv=False).min() < VANISHING:
        raise Unclear
    slides = np.linalg.lstsq(A, T[:3, 3] - start, rcond=None)[0]
    for k, s in zip(free, slides.tolist(), strict=True):
        q[k] = s
    return [(q[0], q[1], q[2])]


def _with_last_turn(first: float, middle: float, Q: Array, T: Array) -> Row:
    R = (_moved("R", first)[:3, :3] @ Q[:3, :3]).T @ T[:3, :3]
    return (first, middle, math.atan2(R[1, 0], R[0, 0]))


# -------------------------------------------------------------------- one equation


def _angles(*terms: float | Array) -> list[float]:
    """All q of  a cos q + b sin q = c."""
    a, b, c = map(float, terms)
    r = math.hypot(a, b)
    if r < VANISHING:
        raise Unclear
    if abs(abs(c) - r) < UNCLEAR * r:
        raise Unclear
    if abs(c) > r:
        return []
    middle, half = math.atan2(b, a), math.acos(c / r)
    return [middle - half, middle + half]


def _slides(*terms: float | Array) -> list[float]:
    """All q of  a q² + b q + c = 0."""
    a, b, c = map(float, terms)
    if a < VANISHING**2:
        raise Unclear
    under = b * b - 4.0 * a * c
    if abs(under) < UNCLEAR * (b * b + abs(4.0 * a * c) + VANISHING**2):
        raise Unclear
    if under < 0.0:
        return []
    far = -0.5 * (b + math.copysign(math.sqrt(under), b))  # the other root by Vieta, without a difference
    return [far / a, c / far]


def _between(to: Array, of: Array) -> float:
    """The turn about z from one vector in the plane to another."""
    if min(np.hypot(*to), np.hypot(*of)) < VANISHING:
        raise Unclear
    return math.atan2(to[1], to[0]) - math.atan2(of[1], of[0])


def _moved(kind: str, q: float) -> Array:
    X = np.eye(4)
    if kind == "P":
        X[2, 3] = q
    else:
        X[:2, :2] = [[math.cos(q), -math.sin(q)], [math.sin(q), math.cos(q)]]
    return X


def _unit(hinge: Hinge, size: float) -> float:
    return size if hinge.kind == "P" else 1.0


def _scaled(X: Array, size: float) -> Array:
    scaled = X.copy()
    scaled[:3, 3] /= size
    return scaled
