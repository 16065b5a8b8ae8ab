"""Samples of rotations: entries that are true rotations at every sample let a trace find what follows from that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from linkwork.equations.scalars import SAMPLES, Scalar, Trace


def random_rotation(trace: Trace) -> list[list[float]]:
    """Any rotation."""
    w, x, y, z = _unit([trace.random.gauss(0.0, 1.0) for _ in range(4)])
    return [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]


def is_turn(R: Any, free: Sequence[tuple[int, int]]) -> bool:
    """Whether the free entries are the block of a turn about a coordinate axis, and the rest of R fits it."""
    rows, columns = {i for i, _ in free}, {j for _, j in free}
    if not (len(free) == 4 and len(rows) == len(columns) == 2):
        return False
    (k,), (n,) = set(range(3)) - rows, set(range(3)) - columns
    return R[k][n] in (1.0, -1.0)


def random_turn(trace: Trace, R: Any, free: Sequence[tuple[int, int]]) -> list[list[float]]:
    """A turn about a coordinate axis: [[c, -s], [s, c]] up to the sign that makes the determinant +1."""
    rows, columns = sorted({i for i, _ in free}), sorted({j for _, j in free})
    (k,), (n,) = set(range(3)) - set(rows), set(range(3)) - set(columns)
    one: float = R[k][n]
    parity = 1.0 if (k + n) % 2 == 0 else -1.0
    angle = trace.random.uniform(0.2, 1.3)
    c, s = math.cos(angle), math.sin(angle)
    S = [[0.0] * 3 for _ in range(3)]
    S[k][n] = one
    sign = one * parity  # determinant of the 2 x 2 block
    S[rows[0]][columns[0]], S[rows[0]][columns[1]] = c, -s
    S[rows[1]][columns[0]], S[rows[1]][columns[1]] = sign * s, sign * c
    return S


Entry = float | tuple[int, bool, bool]
"""A number, or a symbol by its number, whether it is turned over, and whether it is settled."""


def rotation_symbols(trace: Trace, entries: Sequence[Entry], symbols: list[Scalar | None]) -> None:
    """Make symbols for the free entries of a rotation, row by row, where a true rotation can be drawn for them."""
    at = {(k // 3, k % 3): x for k, x in enumerate(entries) if isinstance(x, tuple)}
    if not at or any(symbols[x[0]] is not None for x in at.values()):
        return
    R = [[None if isinstance(x, tuple) else x for x in entries[3 * i : 3 * i + 3]] for i in range(3)]
    free = list(at)
    if len(free) == 9 and len({x[0] for x in at.values()}) == 9:
        drawn = [random_rotation(trace) for _ in range(SAMPLES)]
    elif is_turn(R, free):
        drawn = [random_turn(trace, R, free) for _ in range(SAMPLES)]
    else:
        return
    values: dict[int, list[float]] = {}
    for (i, j), (place, turned, _) in at.items():
        own = [-S[i][j] if turned else S[i][j] for S in drawn]
        if values.setdefault(place, own) != own:
            return  # entries are shared in another way than those of a turn
    settled = {x[0]: x[2] for x in at.values()}
    for place, samples in values.items():
        symbols[place] = trace.symbol(samples, settled[place])


def _unit(x: Sequence[float]) -> list[float]:
    norm = math.sqrt(sum(e * e for e in x))
    return [e / norm for e in x]
