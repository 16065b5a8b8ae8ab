"""Laws of inputs as they are solved: equations of their own, or polynomials from piece to piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from linkwork.analyses.linear.signals import Input
from linkwork.analyses.linear.state_space import CHANNELS
from linkwork.drives import Drive
from linkwork.drives.oscillation import Harmonic
from linkwork.drives.steady import Constant
from linkwork.geometry import Array


@dataclass(frozen=True, eq=False)
class Own:
    """A law as the solution of e' = S e: u and its derivatives are rows of e."""

    S: Array
    start: Array
    rows: Array  # (channels, size)
    frequency: float = 0.0  # at which it swings [Hz]


@dataclass(frozen=True, eq=False)
class Pieced:
    """A law in polynomial pieces: edges (pieces + 1), and coefficients of (t - a)^k / k! of each piece."""

    edges: Array
    taylor: Array

    def at(self, t: float, piece: int) -> Array:
        """Coefficients about another time of the same piece."""
        from math import factorial

        h, c = t - self.edges[piece], self.taylor[piece]
        powers = np.array([h**k / factorial(k) for k in range(len(c))])
        return np.array([float(c[k:] @ powers[: len(c) - k]) for k in range(len(c))])


def law_of(given: Any, own: Input, until: float) -> Own | Pieced:
    """A law of time as it is solved."""
    where = f"inputs.{own.name}"
    law = _read(given, own, where)
    if isinstance(law, Constant) and law.duration is None:
        rows = np.zeros((CHANNELS, 1))
        rows[0] = 1.0
        return Own(np.zeros((1, 1)), np.array([law.value]), rows)
    if isinstance(law, Harmonic):
        w, a = law.speed, law.amplitude
        S = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, w], [0.0, -w, 0.0]])
        rows = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, w], [0.0, -w * w, 0.0], [0.0, 0.0, -(w**3)]])
        start = np.array([law.mean, a * np.sin(law.phase), a * np.cos(law.phase)])
        return Own(S, start, rows, abs(w) / (2.0 * np.pi))
    from linkwork.numerics.stepping.law_pieces import piecewise, piecewise_values

    smooth = own.driven >= 0 and isinstance(law, Drive)
    pieces = piecewise(law, until, where) if smooth else piecewise_values(law, until, where)
    return Pieced(pieces.edges, _taylor(pieces.edges, pieces.coefficients))


def _read(given: Any, own: Input, where: str) -> Any:
    """A drive from text, or what `piecewise_values` takes."""
    from linkwork.drives import as_drive
    from linkwork.drives.drive_texts import parse_drive
    from linkwork.errors import ModelError
    from linkwork.units import parse_unit

    if isinstance(given, str):
        try:
            return parse_drive(given, parse_unit(own.unit)[1], where)
        except ModelError:
            if "(" in given and given.partition("(")[0].strip().isidentifier() and "t" not in given.partition("(")[2]:
                raise
            return given
    if callable(given) and not isinstance(given, Drive):
        return given
    return as_drive(given, where)


def _taylor(edges: Array, chebyshev: Array) -> Array:
    """Taylor coefficients about the beginning of each piece, from those of Chebyshev polynomials over it."""
    from math import factorial

    from numpy.polynomial import chebyshev as cheb

    found = np.zeros_like(chebyshev)
    for k, c in enumerate(chebyshev):
        half = 0.5 * (edges[k + 1] - edges[k])
        power = cheb.cheb2poly(c)  # of x; about x = -1
        shifted = np.zeros(len(c))
        for j, a in enumerate(power):
            for i in range(j + 1):
                shifted[i] += a * _binomial(j, i) * (-1.0) ** (j - i)
        found[k] = [s * factorial(i) / half**i for i, s in enumerate(shifted)]
    return found


def _binomial(n: int, k: int) -> float:
    from math import comb

    return float(comb(n, k))


def coefficients_at(law: Pieced, t: float, last: bool) -> Array:
    """Taylor coefficients about a time, of the piece that begins or goes on there; at the end of the one before."""
    side: Literal["left", "right"] = "left" if last else "right"
    k = int(np.searchsorted(law.edges, t + (-1e-12 if last else 1e-12) * law.edges[-1], side=side)) - 1
    return law.at(t, min(max(k, 0), len(law.taylor) - 1))


def first_derivatives(c: Array) -> Array:
    """Value and derivatives from Taylor coefficients, as many as there are channels."""
    found: Array = np.concatenate([c, np.zeros(CHANNELS)])[:CHANNELS]
    return found


def ahead(c: Array, h: float) -> Array:
    """Value and derivatives at the end of a step."""
    from math import factorial

    powers = np.array([h**k / factorial(k) for k in range(len(c))])
    found = np.zeros(CHANNELS)
    for k in range(min(CHANNELS, len(c))):
        found[k] = float(c[k:] @ powers[: len(c) - k])
    return found
