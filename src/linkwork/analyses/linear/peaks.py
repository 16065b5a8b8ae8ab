"""Resonances and antiresonances of a frequency response: true extremes of |H(iω)|, not of samples.

With the logarithmic slope g(ω) = d log|H(iω)| / dω = Re(i H'/H), an extreme is a zero of g. Poles p and transmission
zeros z of H say where to look: g = Im[Σ 1/(iω - p) - Σ 1/(iω - z)] changes its sign about them within widths of their
real parts. There g is evaluated from the equations themselves, and its sign changes are closed in upon to rounding.
A pole on the imaginary axis is a resonance without bound, a zero on it an antiresonance of magnitude 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analyses.linear.set_points import Held
from linkwork.analyses.linear.signals import Input, Output
from linkwork.geometry import Array

ON_AXIS = 1e-10
"""Real part beside the size of a pole or zero below which it lies on the imaginary axis."""
WIDTHS = np.array([0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0])
"""Places about a root, in parts of its real part."""
NEAR = 10.0 ** -np.arange(1.0, 9.0)
"""Places about any root, in parts of its size."""
OVERALL = 240
"""Frequencies besides."""
FLAT = 1e-9
"""Slope of log|H| over log ω below which it is flat, and changes of sign are rounding."""
GROWTH = 10.0
"""By which |H| grows, coming a hundred times nearer to an undamped pole that the pair sees."""
INFINITE = 1e-10
"""Generalised eigenvalues with a denominator below this part are infinite."""


@dataclass(frozen=True)
class Peak:
    """A resonance, or an antiresonance, of one output.

    output : its name; frequency : [Hz]
    magnitude : of the response there; infinite at an undamped resonance, 0 where nothing comes through
    kind : "resonance" or "antiresonance"
    input : what it answers to
    """

    output: str
    frequency: float
    magnitude: float
    kind: str
    input: str = ""


@dataclass(frozen=True, eq=False)
class Pair:
    """One output over one input, of a linearised machine."""

    point: Held
    given: Input
    wanted: Output
    place: int

    def values(self, s: Any) -> tuple[Any, Any]:
        """H and H' at complex s (frequencies,)."""
        c, held = self.point.c, self.point.held
        n, nx = len(held), self.point.at.x.shape[-1]
        free = np.concatenate([np.flatnonzero(~held), n + np.arange(nx)])
        p = s[:, np.newaxis, np.newaxis]
        P, dP = (np.zeros((len(s), n + nx, n + nx), complex) for _ in range(2))
        P[:, :n, :n], dP[:, :n, :n] = p * p * c.M + p * c.D + c.K, 2.0 * p * c.M + c.D
        P[:, :n, n:] = c.X
        P[:, n:, :n], dP[:, n:, :n] = -(c.f_psi + p * c.f_w), -c.f_w
        P[:, n:, n:], dP[:, n:, n:] = p * np.eye(nx) - c.f_x, np.eye(nx)
        zeta, slope = (np.zeros((len(s), n + nx), complex) for _ in range(2))
        right, change = np.zeros_like(zeta), np.zeros_like(zeta)
        if self.given.driven >= 0:
            k = self.given.driven
            right, change = -P[:, :, k], -dP[:, :, k]
            zeta[:, k] = 1.0
        else:
            right = np.broadcast_to(self.given.b.astype(complex), zeta.shape)
        if len(free):
            own = P[:, free[:, np.newaxis], free]
            zeta[:, free] = _solve(own, right[:, free])
            follow = np.einsum("fij,fj->fi", dP[:, free[:, np.newaxis], free], zeta[:, free])
            slope[:, free] = _solve(own, change[:, free] - follow)
        c0, c1, c2 = self.wanted.c
        q = s[:, np.newaxis]
        H = np.einsum("fz,fz->f", c0 + q * c1 + q * q * c2, zeta) + self.wanted.at_once(self.place)
        dH = np.einsum("fz,fz->f", c0 + q * c1 + q * q * c2, slope) + np.einsum("fz,fz->f", c1 + 2.0 * q * c2, zeta)
        if self.wanted.effort >= 0 and self.given.driven < 0:
            H = H - self.given.b[self.wanted.effort]
        k = self.wanted.order - self.given.order
        return H * s**k, dH * s**k + (k * H * s ** (k - 1) if k else 0.0)

    def slope(self, w: Any) -> Any:
        """d log|H| / d log ω."""
        w = np.atleast_1d(np.asarray(w, float))
        with np.errstate(all="ignore"):
            H, dH = self.values(1j * w)
            return (1j * w * dH / H).real

    def roots(self) -> tuple[Any, Any]:
        """Poles and transmission zeros [1/s] above the real axis and on it, zeros closed in upon by Newton."""
        A, E, b, row, through = self._pencil()
        poles = _finite(A, E)
        whole = np.block([[A, b[:, np.newaxis]], [row[np.newaxis], np.array([[through]])]])
        masses = np.zeros_like(whole)
        masses[: len(A), : len(A)] = E
        zeros = [z for z in _finite(whole, masses) if z.imag >= 0.0]
        return np.array([p for p in poles if p.imag >= 0.0]), np.array([self._closed_in(z) for z in zeros], complex)

    def _closed_in(self, z: complex) -> complex:
        """A zero after Newton's steps, as long as they are small."""
        for _ in range(4):
            with np.errstate(all="ignore"):
                H, dH = self.values(np.array([z]))
                step = complex((H / dH)[0])
            if not np.isfinite(step) or abs(step) > 1e-3 * abs(z):
                break
            z -= step
        return z

    def _pencil(self) -> tuple[Array, Array, Array, Array, float]:
        """E z' = A z + b v, y = row z + through v, with z = (ξ, ξ', ξ'', x) and a driven motion with derivatives."""
        c, held = self.point.c, self.point.held
        free = np.flatnonzero(~held)
        n, nx, total = len(free), self.point.at.x.shape[-1], len(held)
        own = np.ix_(free, free)
        driven = self.given.driven >= 0
        size = 3 * n + nx + (3 if driven else 0)
        A, E, b = np.zeros((size, size)), np.zeros((size, size)), np.zeros(size)
        x = slice(3 * n, 3 * n + nx)
        E[: 2 * n, : 2 * n], E[x, x] = np.eye(2 * n), np.eye(nx)
        A[:n, n : 2 * n] = A[n : 2 * n, 2 * n : 3 * n] = np.eye(n)
        force = slice(2 * n, 3 * n)
        A[force, :n], A[force, n : 2 * n], A[force, force] = -c.K[own], -c.D[own], -c.M[own]
        A[force, x] = -c.X[free]
        A[x, :n], A[x, n : 2 * n], A[x, x] = c.f_psi[:, free], c.f_w[:, free], c.f_x
        c0, c1, c2 = self.wanted.c
        row = np.concatenate([c0[:total][free], c1[:total][free], c2[:total][free], c0[total:]])
        through = self.wanted.at_once(self.place)
        if driven:  # u, u' and u'' are states, u''' the input
            k, u = self.given.driven, 3 * n + nx
            A[force, u:] = -np.stack([c.K[free, k], c.D[free, k], c.M[free, k]], axis=1)
            A[x, u : u + 2] = np.stack([c.f_psi[:, k], c.f_w[:, k]], axis=1)
            E[u:, u:] = np.eye(3)
            A[u, u + 1] = A[u + 1, u + 2] = 1.0
            b[u + 2] = 1.0
            row = np.concatenate([row, [c0[k] + through, c1[k], c2[k]]])
            through = 0.0
        else:
            b[force], b[x] = self.given.b[free], self.given.b[total:]
            through -= self.given.b[self.wanted.effort] if self.wanted.effort >= 0 else 0.0
        return A, E, b, row, float(through)


def peaks_between(pair: Pair, low: float, high: float) -> list[Peak]:
    """All extremes of one output over one input between two frequencies [Hz], by frequency."""
    poles, zeros = pair.roots()
    a, z = 2.0 * np.pi * low, 2.0 * np.pi * high
    roots = np.concatenate([poles, zeros])
    w = _places(roots, a, z)
    found: list[tuple[float, float, str]] = []
    infinite = [p.imag for p in poles if _on_axis(p) and a <= p.imag <= z and _seen(pair, p.imag)]
    silent = [q.imag for q in zeros if _on_axis(q) and a <= q.imag <= z and not _close(q.imag, infinite)]
    silent = [q for q in silent if _vanishes(pair, q)]
    found += [(x, np.inf, "resonance") for x in _distinct(infinite)]
    found += [(x, 0.0, "antiresonance") for x in _distinct(silent)]
    axis = np.array([r.imag for r in roots if _on_axis(r)])
    slope = pair.slope(w)
    for k in range(len(w) - 1):
        if not (slope[k] * slope[k + 1] < 0.0) or min(abs(slope[k]), abs(slope[k + 1])) < FLAT:
            continue
        if ((axis >= w[k]) & (axis <= w[k + 1])).any():
            continue
        top = _root(pair, float(w[k]), float(w[k + 1]))
        size = float(np.abs(pair.values(np.array([1j * top]))[0][0]))
        found.append((top, size, "resonance" if slope[k] > 0.0 else "antiresonance"))
    names = pair.wanted.name, pair.given.name
    return [Peak(names[0], x / (2.0 * np.pi), size, kind, names[1]) for x, size, kind in sorted(found)]


def sampled_peaks(data: Any) -> list[Peak]:
    """Extremes among samples, of a response of which only the samples are known."""
    found: list[Peak] = []
    f = data["frequency"].values
    inputs = [str(x) for x in data["input"].values] if "input" in data.dims else [""]
    for name in data.data_vars:
        for given, row in zip(inputs, np.abs(data[name].values).reshape(-1, len(f)), strict=True):
            for sign, kind in ((1.0, "resonance"), (-1.0, "antiresonance")):
                own = sign * row
                for k in 1 + np.flatnonzero((own[:-2] < own[1:-1]) & (own[1:-1] >= own[2:])):
                    found.append(Peak(str(name), float(f[k]), float(row[k]), kind, given))
    return found


def _root(pair: Pair, a: float, b: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(lambda x: float(pair.slope(x)[0]), a, b, xtol=1e-15 * b, rtol=1e-14))


def _places(roots: Any, low: float, high: float) -> Array:
    """Frequencies [rad/s] between which the slope changes its sign once at most."""
    found = [np.geomspace(low, high, OVERALL)] if high > low else [np.array([low])]
    for r in roots:
        size, width = abs(r), abs(r.real)
        if size == 0.0:
            continue
        parts = np.concatenate([NEAR * size, WIDTHS * width] if not _on_axis(r) else [NEAR * size])
        found += [r.imag + parts, r.imag - parts]
        top = r.imag**2 - r.real**2
        if top > 0.0:
            found += [np.sqrt(top) + parts, np.sqrt(top) - parts]
    every: Array = np.unique(np.concatenate(found))
    kept: Array = every[(every >= low) & (every <= high)]
    return kept


def _on_axis(r: complex) -> bool:
    return bool(abs(r.real) <= ON_AXIS * abs(r) and r.imag > 0.0)


def _seen(pair: Pair, w: float) -> bool:
    """Whether the response has no bound at an undamped pole: it may be that this input or output is at its node."""
    with np.errstate(all="ignore"):
        far, near = np.abs(pair.values(1j * w * np.array([1.0 + 1e-5, 1.0 + 1e-7]))[0])
    return bool(near > GROWTH * far)


def _vanishes(pair: Pair, w: float) -> bool:
    with np.errstate(all="ignore"):
        far, near = np.abs(pair.values(1j * w * np.array([1.0 + 1e-5, 1.0 + 1e-7]))[0])
    return bool(near * GROWTH < far)


def _close(x: float, others: Sequence[float]) -> bool:
    return any(abs(x - y) <= 1e-8 * abs(y) for y in others)


def _distinct(values: Sequence[float]) -> list[float]:
    kept: list[float] = []
    for x in sorted(values):
        if not kept or x - kept[-1] > 1e-8 * x:
            kept.append(x)
    return kept


def _finite(A: Array, E: Array) -> list[complex]:
    """Finite generalised eigenvalues of (A, E), rounding of real parts left as it is."""
    from scipy.linalg import eig

    if not len(A):
        return []
    (alpha, beta) = eig(A, E, right=False, homogeneous_eigvals=True)
    sizes = np.abs(alpha) + np.abs(beta)
    good = (np.abs(beta) > INFINITE * sizes) & (sizes > 0.0)
    return [complex(x) for x in alpha[good] / beta[good]]


def _solve(P: Any, right: Any) -> Any:
    with np.errstate(all="ignore"):
        try:
            return np.linalg.solve(P, right[..., np.newaxis])[..., 0]
        except np.linalg.LinAlgError:
            found = np.full_like(right, np.inf)
            for k in range(len(P)):
                try:
                    found[k] = np.linalg.solve(P[k], right[k])
                except np.linalg.LinAlgError:
                    continue
            return found
